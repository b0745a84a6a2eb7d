//! Test that setting the wall clock while a study runs changes neither its limits nor its measured times.

use super::support::{Bench, code, until};
use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// Path of Debian's libfaketime, which replaces the program's clock.
const FAKETIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

#[test]
fn a_clock_that_jumps_moves_no_limit() {
    if !Path::new(FAKETIME).exists() {
        crate::support::skipped(format_args!(
            "no clock can be set here, as {FAKETIME} is missing (Debian's libfaketime)"
        ));
        return;
    }
    // One arm runs into its limit; the other is measured.
    let job = "date +%s >> dates\n[ $1$2 = slow0 ] && sleep 60\nsleep 0.3\necho '{\"accuracy\": 0.'$((500 + $2))'}'\n";
    let rest = "[goal]\nbudget = { wall = \"6s\", evaluations = 1000 }\n[resources]\ntimeout = \"2s\"\ngrace = \"1s\"\n[design]\npolicy = \"uniform\"\nparallel = 2\n[[arm]]\nname = \"slow\"\n[[arm]]\nname = \"quick\"";
    let bench = Bench::with_job(job, rest);
    let clock = bench.file("clock", "+0");
    let mut command = bench.command(&["run", "study.toml", "--format", "json"]);
    command
        .env("LD_PRELOAD", FAKETIME)
        .env("FAKETIME_TIMESTAMP_FILE", &clock)
        .env("FAKETIME_NO_CACHE", "1")
        .env("DONT_FAKE_MONOTONIC", "1");
    let began = Instant::now();
    let running = super::support::Running::start(command);
    // A day forward, two days back, years forward, and where it was.
    for (made, jump) in [(1, "+1d"), (2, "-2d"), (4, "+10y"), (6, "+0")] {
        until("some have begun", || bench.log("dates").len() >= made);
        fs::write(&clock, jump).unwrap();
    }
    let ran = running.wait();
    let took = began.elapsed();
    assert!(
        (Duration::from_secs(5)..Duration::from_secs(40)).contains(&took),
        "{took:?}"
    );
    assert!(
        [code::DONE, code::SHORT, code::ARM_FAILED].contains(&ran.code.unwrap()),
        "{ran:?}"
    );
    let result = ran.json();
    assert!(ran.stderr.contains("stopped at its time limit"), "{ran:?}");
    let quick = super::support::arm(&result, "quick");
    assert!(quick["evaluations"].as_u64().unwrap() >= 3, "{result}");
    let each = quick["cost"].as_f64().unwrap() / quick["evaluations"].as_f64().unwrap();
    assert!((0.25..5.0).contains(&each), "{each} s for 0.3 s");
    let seconds = result["seconds"].as_f64().unwrap();
    assert!((5.0..40.0).contains(&seconds), "{seconds}");
    // The jumps did happen, as far as the jobs could see.
    let dates = bench.log("dates").concat();
    let dates: Vec<i64> = dates.iter().map(|date| date.parse().unwrap()).collect();
    assert!(
        dates.iter().max().unwrap() - dates.iter().min().unwrap() > 100_000,
        "{dates:?}"
    );
}
