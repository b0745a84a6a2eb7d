//! Hosts that an earlier controller left: what it had ordered, and the GPUs of their workers.

use crate::bench::{Bench, LONG, eventually, exists, has_python, is_answer, signal, stop};
use fiesta_runner::executor::{Executor, Found};
use fiesta_runner::gpu::{GpuPool, GpusPerJob};
use fiesta_runner::run::End;
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

/// Returns a bench whose workers have one of these GPUs each.
fn with_gpus(gpus: &[&str]) -> Bench {
    let pool = GpuPool::new(gpus.iter().copied()).unwrap();
    Bench::with_gpus(pool, |settings| {
        settings.processes = 2;
        let one = GpusPerJob::new(1.0).unwrap();
        settings.gpus_per_worker = [("any".to_owned(), one)].into();
    })
}

fn case(what: &str) -> Value {
    json!({"arm": "any", "do": what})
}

#[track_caller]
fn gpu_of(bench: &Bench, case: u64) -> Value {
    bench.read(case).unwrap().extras["environment"]["CUDA_VISIBLE_DEVICES"].clone()
}

#[test]
fn a_worker_that_is_still_at_a_case_of_the_last_controller_keeps_its_gpu() {
    if !has_python() {
        return;
    }
    let mut bench = with_gpus(&["0", "1"]);
    let spec = bench.submit(0, case("hang"));
    bench.poll_until("it is asked", |bench| bench.asked().len() == 1);
    is_answer(&bench.ask(1, case("environment")));
    assert_eq!(gpu_of(&bench, 1), "1");
    let idle = bench.asked()[1].2.parse().unwrap();
    bench.restart();
    eventually("the idle one is gone", || {
        !exists(idle) && bench.hosts().len() == 1
    });
    let found = bench.pool.find(&spec.id, &spec.directory).unwrap();
    let Found::Alive(handle) = found else {
        panic!("{found:?}");
    };
    bench
        .pool
        .adopt(&spec.id, &spec.directory, &handle)
        .unwrap();
    is_answer(&bench.ask(2, case("environment")));
    assert_eq!(gpu_of(&bench, 2), "1");
    bench.touch("go");
    is_answer(&bench.wait_one());
    eventually("its worker is gone", || bench.hosts().len() == 1);
    // Its GPU comes back.
    std::fs::remove_file(bench.path("go")).unwrap();
    bench.submit(3, case("hang"));
    is_answer(&bench.ask(4, case("environment")));
    assert_eq!(gpu_of(&bench, 4), "0");
    bench.touch("go");
    is_answer(&bench.wait_one());
}

#[test]
fn a_worker_that_is_just_leaving_keeps_its_gpu_until_it_is_gone() {
    if !has_python() {
        return;
    }
    let mut bench = with_gpus(&["0"]);
    is_answer(&bench.ask(0, case("environment")));
    let leaving = bench.hosts()[0];
    signal(leaving, Signal::STOP);
    bench.restart();
    bench.submit(1, case("environment"));
    let ends = bench.poll(Duration::from_secs(1));
    assert_eq!((ends, bench.workers().len()), (Vec::new(), 1));
    signal(leaving, Signal::CONT);
    is_answer(&bench.wait_one());
    assert!(!exists(leaving));
    assert_eq!(gpu_of(&bench, 1), "0");
}

/// Tests that an old result in the directory of a case does not count for its next attempt.
#[test]
fn what_is_left_of_a_case_that_was_given_back_is_not_its_result() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {});
    bench.submit(0, json!({"do": "hang"}));
    bench.poll_until("it is asked", |bench| bench.asked().len() == 1);
    std::fs::write(bench.run(0, 0).join("result.json"), "{\"f1\": 0.9}").unwrap();
    stop(bench.hosts()[0]);
    bench.poll_until("it is asked again", |bench| bench.asked().len() == 2);
    bench.touch("go");
    is_answer(&bench.wait_one());
    bench.scored(0, 0.5);
}

/// Tests that a case that was given back before its study was moved is not sent again with its old
/// paths: the run gets another name.
#[test]
fn a_case_that_is_given_back_after_its_study_was_moved_is_not_asked_as_it_was() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {});
    let spec = bench.submit(0, json!({"do": "hang"}));
    bench.poll_until("it is asked", |bench| bench.asked().len() == 1);
    bench.restart();
    let Ok(Found::Alive(handle)) = bench.pool.find(&spec.id, &spec.directory) else {
        panic!("its host has it");
    };
    // As the file of a run is that an earlier controller made elsewhere.
    let file = spec.directory.join("spec.json");
    let mut there: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    there["directory"] = "/nowhere/runs/it".into();
    there["working_directory"] = "/nowhere".into();
    std::fs::write(&file, there.to_string()).unwrap();
    bench
        .pool
        .adopt(&spec.id, &spec.directory, &handle)
        .unwrap();
    stop(bench.hosts()[0]);
    let ended = bench.wait_one();
    assert!(matches!(ended.end, End::Lost { .. }), "{ended:?}");
    assert!(ended.moved, "{ended:?}");
    // Nobody takes it up any more.
    let found = bench.pool.find(&spec.id, &spec.directory).unwrap();
    assert!(matches!(found, Found::Vanished { .. }), "{found:?}");
}
