//! Tests of workers of several kinds, and of their GPUs.

use crate::bench::{Bench, exists, has_python, is_answer, spec};
use fiesta_runner::gpu::{GpuPool, GpusPerJob};
use fiesta_runner::{executor::Executor, run::RunSpec};
use serde_json::json;

/// Makes a case of one of two kinds, each of which has its own worker.
fn of_kind(bench: &Bench, number: u64, kind: u64) -> RunSpec {
    let arm = format!("arm{kind}");
    let mut spec = spec(bench, number, 0, json!({"arm": arm, "do": "environment"}));
    spec.environment.push(("FIESTA_ARM".to_owned(), arm));
    spec
}

#[test]
fn each_kind_has_workers_of_its_own_and_an_idle_one_makes_room() {
    if !has_python() {
        return;
    }
    for processes in [1, 2] {
        let mut bench = Bench::new(|settings| settings.processes = processes);
        for n in 0..12 {
            let spec = of_kind(&bench, n, n / 3 % 2);
            bench.pool.submit(&spec).unwrap();
        }
        bench.wait(12).values().for_each(is_answer);
        for n in 0..12 {
            let environment = &bench.read(n).unwrap().extras["environment"];
            assert_eq!(environment["FIESTA_ARM"], format!("arm{}", n / 3 % 2));
        }
        let alive = bench
            .workers()
            .into_iter()
            .filter(|&pid| exists(pid))
            .count();
        assert!(alive <= processes, "{alive}");
        assert!(bench.workers().len() >= 2);
    }
}

#[test]
fn workers_keep_their_gpus_and_give_them_to_the_next_kind() {
    if !has_python() {
        return;
    }
    let gpus = GpuPool::new(["0", "GPU-5ee"]).unwrap();
    let mut bench = Bench::with_gpus(gpus, |settings| {
        (settings.concurrency, settings.processes) = (2, 4);
        let one = GpusPerJob::new(1.0).unwrap();
        settings.gpus_per_worker = [("arm0".to_owned(), one), ("arm1".to_owned(), one)].into();
    });
    for n in 0..24 {
        let spec = of_kind(&bench, n, n / 12);
        bench.pool.submit(&spec).unwrap();
    }
    bench.wait(24).values().for_each(is_answer);
    let devices = |range: std::ops::Range<u64>| {
        let of =
            |n| bench.read(n).unwrap().extras["environment"]["CUDA_VISIBLE_DEVICES"].to_string();
        let mut devices: Vec<String> = range.map(of).collect();
        devices.sort();
        devices.dedup();
        devices
    };
    assert_eq!(devices(0..24), ["\"0\"", "\"GPU-5ee\""]);
    assert!(devices(12..24).len() <= 2);
    // Four workers of two cases each were allowed, and there are two GPUs.
    let alive = bench
        .workers()
        .into_iter()
        .filter(|&pid| exists(pid))
        .count();
    assert!(alive <= 2, "{alive}");
}

#[test]
fn where_there_is_no_gpu_for_a_worker_the_run_says_so() {
    let gpus = GpuPool::new([""; 0]).unwrap();
    let mut bench = Bench::with_gpus(gpus, |settings| {
        settings.gpus_per_worker = [("arm0".to_owned(), GpusPerJob::new(1.0).unwrap())].into();
    });
    let spec = of_kind(&bench, 0, 0);
    bench.pool.submit(&spec).unwrap();
    let ended = bench.wait_one();
    assert!(
        format!("{:?}", ended.end).contains("no GPU is left"),
        "{ended:?}"
    );
}

#[test]
fn a_worker_is_told_whose_numbers_its_gpus_have() {
    if !has_python() {
        return;
    }
    let gpus = GpuPool::new(["1"]).unwrap().numbered_by_bus();
    let mut bench = Bench::with_gpus(gpus, |settings| {
        settings.gpus_per_worker = [("arm0".to_owned(), GpusPerJob::new(1.0).unwrap())].into();
    });
    let spec = of_kind(&bench, 0, 0);
    bench.pool.submit(&spec).unwrap();
    is_answer(&bench.wait_one());
    let environment = &bench.read(0).unwrap().extras["environment"];
    assert_eq!(environment["CUDA_VISIBLE_DEVICES"], "1");
    assert_eq!(environment["CUDA_DEVICE_ORDER"], "PCI_BUS_ID");
}
