//! Those who look at a study while it runs.

use super::support::{Bench, STUDY, code};
use std::{thread, time::Duration};

/// Again and again, by several at once: never refused, never half a turn, never less than before.
#[test]
fn whoever_looks_sees_whole_turns() {
    let study = STUDY
        .replace("confidence = 0.95\n", "")
        .replace("evaluations = 40", "evaluations = 150")
        .replace("parallel = 2", "parallel = 3");
    let bench = Bench::with_study(&study);
    let running = bench.start(&["run", "study.toml"]);
    super::support::until("it has begun", || running.stderr().contains("    1  "));
    let looks: Vec<u64> = thread::scope(|scope| {
        let look = || {
            let (mut latest, mut looks) = (0, 0);
            while latest < 150 {
                let (exit, status) = bench.json(&["status", "study.toml"]);
                assert_eq!(exit, Some(code::DONE));
                let evaluations = status["evaluations"].as_u64().unwrap();
                assert!(evaluations >= latest, "{evaluations} after {latest}");
                let of_arms = status["arms"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|arm| arm["evaluations"].as_u64().unwrap());
                assert_eq!(of_arms.sum::<u64>(), evaluations);
                // A turn is recorded with the decisions that follow from it.
                assert!(
                    evaluations == 150 || status["pending"].as_u64().unwrap() > 0,
                    "{status}"
                );
                let export = bench.fiesta(&["export", "study.toml"]);
                export.says(code::DONE, &[]);
                let rows = export.stdout.lines().count() as u64 - 1;
                assert!(rows >= evaluations, "{rows} rows after {evaluations}");
                latest = evaluations;
                looks += 1;
                thread::sleep(Duration::from_millis(1));
            }
            looks
        };
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(look)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(looks.iter().sum::<u64>() > 4, "{looks:?}");
    running.wait().says(code::DONE, &[]);
}
