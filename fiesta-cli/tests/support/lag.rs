//! Lag of a study on an engine: the time from the end of a job until the ledger records its result,
//! with the next decision.

use super::support::Bench;
use rusqlite::Connection;
use serde_json::Value;
use std::collections::BTreeMap;

/// Makes the jobs of a study record their ends; one job in five fails.
pub(crate) fn note_ends(bench: &Bench) {
    bench.edit(
        "job.sh",
        "printf",
        "ends() { echo \"$FIESTA_RUN $(date +%s.%N)\" >> ended; }\n[ $(($3 % 5)) = 0 ] && { ends; exit 7; }\nprintf",
    );
    let job = bench.text("job.sh");
    bench.file("job.sh", &format!("{job}ends\n"));
}

/// Lags of a study's results in seconds, in ascending order.
pub(crate) struct Lags {
    pub(crate) of_scores: Vec<f64>,
    pub(crate) of_failures: Vec<f64>,
}

impl Lags {
    /// Reads the lags of a study that has ended, in which no run was made again.
    pub(crate) fn of(bench: &Bench) -> Self {
        let ends = bench.log("ended");
        let ends = ends.iter().map(|line| {
            let run = line[0].strip_prefix("trial-").unwrap();
            let number = run.strip_suffix("-a0").expect("a first attempt");
            let at: f64 = line[1].parse().unwrap();
            (number.parse::<i64>().unwrap(), at)
        });
        let ends: BTreeMap<i64, f64> = ends.collect();
        let ledger = Connection::open(bench.path("study.fiesta/ledger.db")).unwrap();
        let mut entries = ledger
            .prepare("SELECT evaluation, at, body FROM entry WHERE kind = 'ended'")
            .unwrap();
        let mut lags = Self {
            of_scores: Vec::new(),
            of_failures: Vec::new(),
        };
        let mut rows = entries.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let (evaluation, at): (i64, f64) = (row.get(0).unwrap(), row.get(1).unwrap());
            let body: Value = serde_json::from_str(&row.get::<_, String>(2).unwrap()).unwrap();
            let lag = at - ends[&evaluation];
            if body["outcome"] == "failed" {
                lags.of_failures.push(lag);
            } else {
                lags.of_scores.push(lag);
            }
        }
        lags.of_scores.sort_unstable_by(f64::total_cmp);
        lags.of_failures.sort_unstable_by(f64::total_cmp);
        lags
    }

    /// Prints and checks delays: scores are known within one interval, failures within two
    /// listings; `own` is the time allowed for reading and recording.
    pub(crate) fn check(&self, interval: f64, own: f64) {
        for (what, lags, intervals) in [
            ("scores", &self.of_scores, 1.0),
            ("failures", &self.of_failures, 3.0),
        ] {
            let (median, most) = (lags[lags.len() / 2], lags[lags.len() - 1]);
            eprintln!(
                "interval {interval} s; lag of {} {what}: median {median:.3} s, maximum {most:.3} s",
                lags.len()
            );
            assert!(lags[0] >= 0.0, "{lags:?}");
            assert!(most <= intervals * interval + own, "{lags:?}");
        }
    }
}
