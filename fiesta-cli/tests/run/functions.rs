//! Tests of what the program prints of studies of functions, and that it refuses to run them.

use super::{Bench, code};
use fiesta::runner::{
    Options, Study,
    executor::{Call, Functions},
    observer::Blind,
    run,
    signal::Signals,
};
use std::{sync::mpsc, thread, time::Duration};

const STUDY: &str = "name = \"trial\"\nmetric.name = \"accuracy\"\ngoal.budget.evaluations = 20
executor.kind = \"functions\"\n[[arm]]\nname = \"low\"\n[[arm]]\nname = \"high\"\n";

/// Runs a study of functions to its end in this process; one arm's evaluations fail at first.
fn ended() -> Bench {
    let bench = Bench::new();
    let study = Study::write(STUDY, &bench.path("study.toml")).unwrap();
    let mut functions = Functions::new(&study, |call: &Call| match (call.arm(), call.split()) {
        ("low", Some(1)) => Err("the server has gone away".to_owned()),
        ("low", _) => Ok(0.6),
        _ => Ok(0.7 + (call.seed() % 10) as f64 / 100.0),
    })
    .unwrap();
    let (mut signals, _stopper) = Signals::on_request().unwrap();
    let options = Options::default();
    run(&study, &mut functions, &mut signals, &mut Blind, &options).unwrap();
    bench
}

#[test]
fn the_program_shows_a_study_of_functions_and_does_not_run_it() {
    let bench = ended();
    for flags in [&[][..], &["--check"], &["--dry-run"]] {
        let ran = bench.fiesta(&[&["run", "study.toml"], flags].concat());
        ran.says(
            code::USAGE,
            &["functions of the program that wrote it", "run that program"],
        );
    }
    let (code, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(code, Some(code::DONE));
    assert_eq!(status["conclusion"]["arm"], "high");
    let exported = bench.fiesta(&["export", "study.toml", "--format", "jsonl"]);
    assert_eq!(exported.stdout.lines().count(), 20);
    let status = bench.fiesta(&["status", "study.toml"]);
    assert!(
        status.stdout.contains("the server has gone away"),
        "{status:?}"
    );
    let failed = (1..=20).map(|number| {
        let ran = bench.fiesta(&["log", "study.toml", &number.to_string()]);
        assert_eq!(ran.code, Some(code::DONE), "{ran:?}");
        ran.stdout
    });
    let failed = failed.filter(|text| text.contains("the server has gone away"));
    assert_eq!(failed.count(), 1);
    let report = bench.fiesta(&["report", "study.toml", "-o", "page", "--formats", "svg"]);
    assert_eq!(report.code, Some(code::DONE), "{report:?}");
    assert!(bench.text("page/report.html").contains("high"));
    bench
        .fiesta(&["slots", "study.toml", "--parallel", "3"])
        .says(code::USAGE, &["has finished"]);
}

#[test]
fn slots_are_changed_while_functions_run() {
    let bench = Bench::new();
    let study = Study::write(STUDY, &bench.path("study.toml")).unwrap();
    let (begin, begun) = mpsc::channel();
    let (open, go) = mpsc::channel::<()>();
    let go = std::sync::Mutex::new(go);
    let mut functions = Functions::new(&study, move |call: &Call| {
        begin.send(()).unwrap();
        let _ = go.lock().unwrap().recv();
        Ok(0.5 + (call.seed() % 10) as f64 / 100.0)
    })
    .unwrap();
    thread::scope(|scope| {
        let study = &study;
        let running = scope.spawn(move || {
            let (mut signals, _stopper) = Signals::on_request().unwrap();
            run(
                study,
                &mut functions,
                &mut signals,
                &mut Blind,
                &Options::default(),
            )
            .unwrap();
        });
        begun.recv().unwrap();
        assert!(begun.recv_timeout(Duration::from_millis(200)).is_err());
        let told = bench.fiesta(&["slots", "study.toml", "--parallel", "3"]);
        assert_eq!(told.code, Some(code::DONE), "{told:?}");
        for _ in 0..2 {
            begun.recv_timeout(Duration::from_secs(20)).unwrap();
        }
        let (_, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(
            status["slots"].as_array().map(Vec::len),
            Some(3),
            "{status}"
        );
        drop(open);
        running.join().unwrap();
    });
}
