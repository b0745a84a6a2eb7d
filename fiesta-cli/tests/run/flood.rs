//! Test of a job that prints a gigabyte.

use super::{Bench, code, support::within, usage::peak_memory};
use serde_json::Value;
use std::{
    fs,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const GIGABYTE: u64 = 1_000_000_000;

/// Runs one evaluation that first prints `bytes` bytes. Returns the peak memory of controller and
/// supervisor, and the duration of the job.
fn flooded(bytes: u64) -> ([u64; 2], f64) {
    let job = format!(
        "echo $PPID > supervisor.new && mv supervisor.new supervisor\nyes 'a line of no interest' | head -c {bytes}\necho; echo '{{\"accuracy\": 0.5}}'\n"
    );
    let rest = format!("[goal]\nbudget = {{ evaluations = 2 }}\n{}", super::TWO);
    let bench = Bench::with_job(&job, &rest);
    let mut child = bench
        .command(&["run", "study.toml", "--quiet"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut peaks = [0; 2];
    let ended = within(Duration::from_mins(10), || {
        let supervisor = bench.text("supervisor").trim().parse().unwrap_or(0);
        for (peak, pid) in peaks.iter_mut().zip([child.id(), supervisor]) {
            *peak = peak_memory(pid).unwrap_or(0).max(*peak);
        }
        child.try_wait().unwrap().is_some()
    });
    assert!(ended, "hangs");
    assert_eq!(child.wait().unwrap().code(), Some(code::DONE));
    assert!(peaks.iter().all(|&peak| peak > 0), "nothing was seen");
    let run = bench.path("study.fiesta/runs/trial-0-a0");
    let kept = fs::metadata(run.join("stdout")).unwrap().len();
    assert!(kept < (5 << 20) + 1000, "{kept} bytes are kept");
    let end = fs::read_to_string(run.join("end.json")).unwrap();
    let end: Value = serde_json::from_str(&end).unwrap();
    (peaks, end["seconds"].as_f64().unwrap())
}

#[test]
#[ignore = "heavy: prints two gigabytes; run by `scripts/test heavy`"]
fn a_gigabyte_of_output_takes_no_more_memory_than_a_line() {
    let (lines, _) = flooded(1000);
    let (flood, seconds) = flooded(GIGABYTE);
    let began = Instant::now();
    let into_nothing = Command::new("sh")
        .args([
            "-c",
            &format!("yes 'a line of no interest' | head -c {GIGABYTE} > /dev/null"),
        ])
        .status()
        .unwrap();
    assert!(into_nothing.success());
    let mb = |bytes: u64| bytes as f64 / 1e6;
    for (who, (line, flood)) in ["controller", "supervisor"]
        .iter()
        .zip(lines.iter().zip(&flood))
    {
        eprintln!(
            "{who}: at most {:.1} MB for a line, {:.1} MB for a gigabyte",
            mb(*line),
            mb(*flood)
        );
        assert!(*flood < line + (8 << 20), "{who}");
    }
    eprintln!(
        "a gigabyte took {seconds:.2} s, and {:.2} s into /dev/null",
        began.elapsed().as_secs_f64()
    );
}
