//! Tests of workers' limits of time and pace, and of cases that are cancelled.

use crate::bench::{Bench, LONG, eventually, exists, has_python, is_answer};
use fiesta_runner::{
    executor::{Executor, Found},
    run::End,
};
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
fn of_a_worker_that_hangs_on_one_case_the_others_are_asked_again_and_lose_nothing() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| {
        settings.concurrency = 4;
        settings.grace = Duration::from_millis(300);
    })
    .setting("child stubborn");
    for n in 0..3 {
        bench.submit(n, json!({"do": "later", "seconds": 3.0, "score": n}));
    }
    bench.wall_limit = Some(Duration::from_secs(1));
    bench.submit(3, json!({"do": "never"}));
    let ends = bench.wait(4);
    let hung = &ends["study-3-a0"];
    assert_eq!(hung.end, End::TimedOut);
    assert!(hung.seconds >= 1.0, "{hung:?}");
    ends.values().take(3).for_each(is_answer);
    let workers = bench.workers();
    assert_eq!(workers.len(), 2);
    assert!(!exists(workers[0]));
    let count = |n: u64| {
        bench
            .asked()
            .iter()
            .filter(|(_, id, _)| *id == format!("study-{n}-a0"))
            .count()
    };
    assert_eq!([0, 1, 2, 3].map(count), [2, 2, 2, 1]);
}

#[test]
fn a_case_that_hangs_says_what_the_worker_complained_about() {
    let script = "while read -r line; do echo 'connecting for ever' >&2; sleep 1000; done";
    let mut bench = Bench::new(|settings| settings.grace = Duration::ZERO).shell(script);
    bench.wall_limit = Some(Duration::from_millis(500));
    let ended = bench.ask(0, json!({}));
    assert_eq!(ended.end, End::TimedOut);
    let tails = fiesta_runner::run::result::tails(&bench.run(0, 0), &ended);
    assert!(tails.contains("connecting for ever"), "{tails}");
}

#[test]
fn loading_is_not_on_the_time_of_a_case() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| settings.start_timeout = Some(LONG)).setting("loading");
    bench.wall_limit = Some(Duration::from_secs(5));
    let spec = bench.submit(0, json!({}));
    let (began, loading) = (Instant::now(), Duration::from_secs(1));
    while began.elapsed() < loading {
        assert_eq!(bench.poll(Duration::from_millis(50)), []);
    }
    // It is not asked before it is ready, and so it is lost to nobody.
    assert_eq!(
        bench.pool.find(&spec.id, &spec.directory).unwrap(),
        Found::Absent
    );
    bench.touch("loaded");
    let ended = bench.wait_one();
    is_answer(&ended);
    let at_most = began.elapsed().saturating_sub(loading).as_secs_f64();
    assert!(ended.seconds <= at_most, "{ended:?}");
}

#[test]
fn workers_that_are_never_ready_are_given_up_and_no_case_is_lost() {
    let script = "echo 'no such file: weights.bin' >&2; while :; do sleep 1000; done";
    let mut bench = Bench::new(|settings| {
        settings.start_timeout = Some(Duration::from_millis(300));
        settings.grace = Duration::ZERO;
    })
    .shell(script);
    let ended = bench.ask(0, json!({}));
    let End::NotStarted { reason } = &ended.end else {
        panic!("{ended:?}");
    };
    assert!(
        reason.contains("ready") && reason.contains("weights.bin"),
        "{reason}"
    );
}

#[test]
fn the_rate_is_kept_by_all_workers_together() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| {
        (settings.concurrency, settings.processes) = (4, 4);
        settings.rate_limit = Some("40/s".parse().unwrap());
    });
    // All are up before it is measured.
    for n in 1000..1016 {
        bench.submit(n, json!({"do": "later", "seconds": 1.5}));
    }
    bench.wait(16);
    for n in 0..160 {
        bench.submit(n, json!({"do": "later", "seconds": 0.2}));
    }
    bench.wait(160).values().for_each(is_answer);
    let asked = bench.asked();
    let at: Vec<f64> = asked.iter().skip(16).map(|(at, ..)| *at).collect();
    assert_eq!(at.len(), 160);
    let took = at.last().unwrap() - at[0];
    // Never faster; slower only if the machine is.
    assert!(took >= 159.0 / 40.0 - 0.2, "{took}");
    assert!(took <= 12.0, "{took}");
    eprintln!(
        "160 cases at 40/s took {took:.3} s, {:.1} % of the time they should",
        100.0 * took / (159.0 / 40.0)
    );
}

#[test]
fn what_the_rate_holds_back_is_let_go_of_or_cancelled_at_once() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| {
        settings.concurrency = 8;
        settings.rate_limit = Some("1/h".parse().unwrap());
    });
    for n in 0..4 {
        bench.submit(n, json!({}));
    }
    is_answer(&bench.wait_one());
    assert_eq!(bench.poll(Duration::from_millis(300)), []);
    let spec = bench.spec(3, json!({}));
    bench.pool.cancel(&spec.id, LONG).unwrap();
    assert_eq!(bench.wait_one().end, End::Cancelled);
    let let_go = bench.pool.let_go();
    assert_eq!(let_go.len(), 2);
    assert_eq!(bench.pool.followed().count(), 0);
    let spec = bench.spec(1, json!({}));
    assert_eq!(
        bench.pool.find(&spec.id, &spec.directory).unwrap(),
        Found::Absent
    );
    // The next controller does not begin with a case of its own.
    bench.restart();
    let spec = bench.submit(1, json!({}));
    eventually("its worker is up", || {
        bench.poll(Duration::from_millis(50));
        bench.workers().len() == 2
    });
    assert_eq!(bench.poll(Duration::from_millis(300)), []);
    assert_eq!(
        bench.pool.find(&spec.id, &spec.directory).unwrap(),
        Found::Absent
    );
}

#[test]
fn a_cancelled_case_may_be_answered_within_its_grace() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| settings.concurrency = 2);
    let spec = bench.submit(0, json!({"do": "later", "seconds": 0.7, "score": 0.75}));
    eventually("it is asked", || {
        bench.poll(Duration::from_millis(10));
        !bench.asked().is_empty()
    });
    bench.pool.cancel(&spec.id, LONG).unwrap();
    is_answer(&bench.wait_one());
    bench.scored(0, 0.75);
}

#[test]
fn a_cancelled_case_ends_with_its_grace_and_its_worker_with_it() {
    if !has_python() {
        return;
    }
    for (adopted, grace) in [(false, 0.0), (false, 0.5), (true, 0.0)] {
        let mut bench = Bench::new(|_| {}).setting("child stubborn");
        let spec = bench.submit(0, json!({"do": "hang"}));
        let child: i32 = loop {
            bench.poll(Duration::from_millis(10));
            if let Ok(pid) = bench.text("child.pid").trim().parse()
                && !bench.asked().is_empty()
            {
                break pid;
            }
        };
        if adopted {
            bench.restart();
            let Found::Alive(handle) = bench.pool.find(&spec.id, &spec.directory).unwrap() else {
                panic!("it goes on");
            };
            bench
                .pool
                .adopt(&spec.id, &spec.directory, &handle)
                .unwrap();
        }
        let cancelled = Instant::now();
        bench
            .pool
            .cancel(&spec.id, Duration::from_secs_f64(grace))
            .unwrap();
        assert_eq!(bench.wait_one().end, End::Cancelled);
        assert!(cancelled.elapsed() < Duration::from_secs(15));
        assert!(!exists(bench.workers()[0]) && !exists(child));
    }
}

#[test]
fn of_several_cases_one_can_be_cancelled() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| settings.concurrency = 2);
    let spec = bench.submit(0, json!({"do": "never"}));
    bench.submit(1, json!({"do": "later", "seconds": 2.0}));
    eventually("both are asked", || {
        bench.poll(Duration::from_millis(10));
        bench.asked().len() == 2
    });
    bench.pool.cancel(&spec.id, Duration::ZERO).unwrap();
    let ended = bench.wait_one();
    assert_eq!((ended.id, ended.end), (spec.id, End::Cancelled));
    is_answer(&bench.wait_one());
    assert_eq!(bench.workers().len(), 1);
}
