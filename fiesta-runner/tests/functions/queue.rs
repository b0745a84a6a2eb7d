//! The queue of calls: taken by others, given up by them, and closed.

use super::bench::{Bench, LIMITED, failures, score};
use fiesta_runner::executor::{Executor, Functions, NoCall};
use std::{thread, time::Duration};

#[test]
fn others_take_the_calls_and_learn_that_there_are_no_more() {
    let bench = Bench::new(&format!("{LIMITED}\ndesign.parallel = 4"));
    let (mut functions, calls) = Functions::queued(&bench.study()).unwrap();
    assert_eq!(calls.next_within(Duration::ZERO).unwrap_err(), NoCall::Yet);
    let callers: Vec<_> = (0..3)
        .map(|_| {
            let calls = calls.clone();
            thread::spawn(move || {
                let mut made = 0;
                while let Some(call) = calls.next() {
                    let score = score(call.arm(), call.seed());
                    call.finish(Ok(score.into()));
                    made += 1;
                }
                made
            })
        })
        .collect();
    bench.run(&mut functions).0.unwrap();
    drop(functions);
    let made = callers.into_iter().map(|caller| caller.join().unwrap());
    assert_eq!(made.sum::<u64>(), 30);
    assert_eq!(calls.next_within(Duration::MAX).unwrap_err(), NoCall::Any);
    assert_eq!(bench.history().records.len(), 30);
}

#[test]
fn a_call_that_is_given_up_or_lost_is_made_again_as_far_as_retries_go() {
    let bench = Bench::new("goal.budget.evaluations = 9\nresources.retries = 2");
    let (mut functions, calls) = Functions::queued(&bench.study()).unwrap();
    let caller = thread::spawn(move || {
        let mut number = 0;
        while let Some(call) = calls.next() {
            number += 1;
            // One evaluation is lost for good, another twice.
            match number {
                1 | 2 => drop(call),
                3 | 5 | 6 => call.lose("the pool broke"),
                _ => {
                    let score = score(call.arm(), call.seed());
                    call.finish(Ok(score.into()));
                }
            }
        }
        number
    });
    let (finished, told) = bench.run(&mut functions);
    finished.unwrap();
    drop(functions);
    assert_eq!(caller.join().unwrap(), 9 + 4);
    let history = bench.history();
    let failures = failures(&history);
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(
        failures[0].contains("lost 3 times, now: the pool broke"),
        "{failures:?}"
    );
    let told = told.join("\n");
    assert!(told.contains("given up without a result"), "{told}");
    let most = history.records.values().map(|record| record.attempt).max();
    assert_eq!(most, Some(2));
}

#[test]
fn what_was_not_taken_is_let_go() {
    let bench = Bench::new(LIMITED);
    let study = bench.study();
    let (mut functions, calls) = Functions::queued(&study).unwrap();
    let mut selector = study.selector().unwrap();
    let fiesta_core::Ask::Evaluate(evaluation) = selector.ask().unwrap() else {
        panic!("it begins with an evaluation");
    };
    let runs = study.runs_directory();
    std::fs::create_dir_all(&runs).unwrap();
    let spec = |attempt| {
        let id = study.run_id(&evaluation, attempt);
        let setting = study.setting(&evaluation);
        study
            .run_spec(id, &runs, &evaluation, &setting, None)
            .unwrap()
    };
    functions.submit(&spec(0)).unwrap();
    assert!(
        functions
            .submit(&spec(0))
            .unwrap_err()
            .to_string()
            .contains("already")
    );
    functions.submit(&spec(1)).unwrap();
    let call = calls.next().unwrap();
    assert_eq!(*call.run(), spec(0).id);
    assert_eq!(functions.let_go(), [spec(1).id]);
    assert_eq!(calls.next_within(Duration::ZERO).unwrap_err(), NoCall::Yet);
    assert_eq!(
        functions.followed().cloned().collect::<Vec<_>>(),
        [spec(0).id]
    );
    // It can be found by another executor as long as the call goes on.
    let mut other = Functions::queued(&study).unwrap().0;
    let directory = spec(0).directory;
    let found = other.find(&spec(0).id, &directory).unwrap();
    let fiesta_runner::executor::Found::Alive(handle) = found else {
        panic!("{found:?}");
    };
    other.adopt(&spec(0).id, &directory, &handle).unwrap();
    call.finish(Ok(0.5.into()));
    let (quiet, _open) = std::io::pipe().unwrap();
    for executor in [&mut functions, &mut other] {
        let long = Some(Duration::from_secs(20));
        let ended = executor
            .poll(long, std::os::fd::AsFd::as_fd(&quiet))
            .unwrap();
        assert_eq!(ended.len(), 1);
        assert_eq!(ended[0].id, spec(0).id);
    }
}

/// Measures the overhead of an evaluation beside its function: decision, ledger, directory, claim
/// and end.
#[test]
#[ignore = "a measurement"]
fn calls_per_second() {
    for parallel in [1, 8] {
        let bench = Bench::new(&format!(
            "goal.budget.evaluations = 3000\ndesign.policy = \"uniform\"\ndesign.parallel = {parallel}"
        ));
        let mut functions = Functions::new(&bench.study(), |call| {
            Ok::<_, String>(score(call.arm(), call.seed()))
        })
        .unwrap();
        let began = std::time::Instant::now();
        bench.run(&mut functions).0.unwrap();
        let rate = 3000.0 / began.elapsed().as_secs_f64();
        eprintln!("{parallel} at a time: {rate:.0} evaluations a second");
    }
}
