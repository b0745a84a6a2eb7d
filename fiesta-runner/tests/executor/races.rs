//! Tests of a run that is cancelled while it ends.

use super::bench::{Bench, eventually};
use fiesta_runner::{executor::Executor, run::End};
use std::time::Duration;

/// Tests that a result that was published before a cancellation counts.
#[test]
fn a_published_result_wins_over_a_cancellation() {
    let mut bench = Bench::new();
    let spec = bench.shell("echo '{\"accuracy\": 0.5}'");
    bench.submit(&spec);
    eventually("it is published", || {
        spec.directory.join("end.json").exists()
    });
    bench.executor.cancel(&spec.id, Duration::ZERO).unwrap();
    assert_eq!(bench.wait().end, End::Exited(0));
}

/// Tests that a run that is cancelled while it ends has exactly one end, which is its own if it
/// exited first.
#[test]
fn a_run_that_is_cancelled_as_it_ends_has_one_end() {
    for delay in [0, 1, 2, 3, 5, 8] {
        let mut bench = Bench::new();
        let spec = bench.shell("echo > started; exit 0");
        bench.submit(&spec);
        bench.await_file("started");
        std::thread::sleep(Duration::from_millis(delay));
        bench.executor.cancel(&spec.id, Duration::ZERO).unwrap();
        let end = bench.wait().end;
        assert!(matches!(end, End::Exited(0) | End::Cancelled), "{end:?}");
        let published = std::fs::read_to_string(spec.directory.join("end.json")).unwrap();
        let published: serde_json::Value = serde_json::from_str(&published).unwrap();
        assert_eq!(published["end"], serde_json::to_value(&end).unwrap());
        assert!(bench.poll(Duration::from_millis(50)).is_empty());
    }
}
