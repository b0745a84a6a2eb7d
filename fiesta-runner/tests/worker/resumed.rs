//! Hosts that an earlier controller left: what it had ordered, and the GPUs of their workers.

use crate::bench::{Bench, LONG, eventually, exists, has_python, is_answer, signal, stop};
use fiesta_runner::executor::{Executor, Found};
use fiesta_runner::gpu::{GpuPool, GpusPerJob};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn an_order_that_reaches_its_host_only_under_the_next_controller_is_carried_out_once() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| {
        settings.processes = 2;
        settings.start_timeout = Some(LONG);
    })
    .setting("loading");
    bench.touch("loaded");
    is_answer(&bench.ask(0, json!({})));
    std::fs::remove_file(bench.path("loaded")).unwrap();
    let old = bench.hosts()[0];
    signal(old, Signal::STOP);
    let spec = bench.submit(1, json!({"do": "hang"}));
    bench.poll(Duration::from_millis(100));
    bench.restart();
    let found = bench.pool.find(&spec.id, &spec.directory).unwrap();
    assert!(matches!(found, Found::Absent), "{found:?}");
    bench.submit(1, json!({"do": "hang"}));
    bench.poll_until("another worker is started", |bench| {
        bench.hosts().len() == 2
    });
    signal(old, Signal::CONT);
    bench.poll_until("the first one is asked", |bench| bench.asked().len() == 2);
    bench.touch("loaded");
    bench.poll_until("the other one is ready", |bench| bench.workers().len() == 2);
    // It was ordered the first case, which is not its own, and has room for this one.
    is_answer(&bench.ask(2, json!({})));
    bench.touch("go");
    is_answer(&bench.wait_one());
    assert_eq!(bench.asked().len(), 3, "{:?}", bench.asked());
    assert_eq!(bench.workers().len(), 2);
}

#[track_caller]