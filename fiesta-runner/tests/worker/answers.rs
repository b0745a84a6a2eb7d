//! Tests of workers' answers, and of their other output.

use crate::bench::{Bench, LONG, distinct, eventually, has_python, is_answer};
use fiesta_runner::{
    executor::{Executor, WorkerSettings},
    run::End,
};
use serde_json::json;
use std::{fs, os::fd::AsFd, time::Duration};

#[test]
fn a_request_holds_all_that_the_case_is_and_an_answer_is_its_score() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {});
    let ended = bench.ask(
        7,
        json!({"arm": "a b", "split": 3, "seed": 42, "setting": {"lr": 0.1}, "score": 0.75}),
    );
    is_answer(&ended);
    assert!(ended.seconds > 0.0 && ended.started_at > 0.0);
    assert_eq!(ended.id.as_str(), "study-7-a0");
    let asked = bench.text("asked");
    let request = &asked[asked.find('{').unwrap()..];
    let request: serde_json::Value = serde_json::from_str(request).unwrap();
    let expected = json!({"id": "study-7-a0", "arm": "a b", "split": 3, "seed": 42, "setting": {"lr": 0.1}, "score": 0.75});
    assert_eq!(request, expected);
    bench.scored(7, 0.75);
}

#[test]
fn one_worker_answers_case_after_case() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {});
    for n in 0..50 {
        is_answer(&bench.ask(n, json!({"score": n})));
        bench.scored(n, n as f64);
    }
    assert_eq!(bench.workers().len(), 1);
}

#[test]
fn sixty_four_answers_come_in_any_order() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| settings.concurrency = 64);
    for n in 0..64 {
        let seconds = 0.5 - 0.005 * n as f64;
        bench.submit(n, json!({"do": "later", "seconds": seconds, "score": n}));
    }
    let ends = bench.wait(64);
    ends.values().for_each(is_answer);
    for n in 0..64 {
        bench.scored(n, n as f64);
    }
    assert_eq!(bench.workers().len(), 1);
}

#[test]
fn no_worker_has_more_than_its_share_and_no_more_are_started_than_may_be() {
    if !has_python() {
        return;
    }
    let two_of_three = |settings: &mut WorkerSettings| {
        (settings.concurrency, settings.processes) = (3, 2);
    };
    let mut bench = Bench::new(two_of_three).setting("pair");
    for n in 0..60 {
        bench.submit(n, json!({"do": "later", "seconds": 0.02}));
    }
    bench.wait(60).values().for_each(is_answer);
    let load = bench.text("load");
    let pids: Vec<&str> = load
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!((pids.len(), distinct(&pids)), (60, 2));
    assert!(load.contains(" 3") && !load.contains(" 4"), "{load}");
}

#[test]
fn an_error_is_a_failed_evaluation_with_its_message() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {});
    let what = "{\"id\": \"ID\", \"error\": \"quota exceeded\", \"cost\": 0.25}\n";
    is_answer(&bench.ask(0, json!({"do": "say", "what": what})));
    assert_eq!(bench.read(0).unwrap_err().to_string(), "quota exceeded");
    // It goes on all the same.
    is_answer(&bench.ask(1, json!({})));
    assert_eq!(bench.workers().len(), 1);
}

#[test]
fn what_cannot_count_is_refused_as_anywhere_else() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| settings.concurrency = 2);
    for (n, (what, says)) in [
        ("{\"id\": \"ID\", \"f1\": NaN}\n", "not a finite number"),
        ("{\"id\": \"ID\", \"f1\": 0,5}\n", "decimal comma"),
        ("{\"id\": \"ID\", \"f2\": 0.5}\n", "without the key \"f1\""),
        ("{'id': 'ID', 'f1': 0.5}\n", "single quotes"),
    ]
    .into_iter()
    .enumerate()
    {
        let n = n as u64;
        is_answer(&bench.ask(n, json!({"do": "say", "what": what})));
        let error = bench.read(n).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    is_answer(&bench.ask(10, json!({"do": "huge"})));
    let error = bench.read(10).unwrap_err().to_string();
    assert!(error.contains("longer than 1048576 bytes"), "{error}");
    is_answer(&bench.ask(11, json!({"do": "bytes"})));
    bench.scored(11, 0.5);
    assert_eq!(bench.workers().len(), 1);
}

#[test]
fn other_lines_are_log_and_odd_answers_are_noted() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| settings.concurrency = 2);
    bench.submit(0, json!({"do": "hang"}));
    let what = "loading\n\n[1, 2]\n{\"id\": \"nobody\", \"f1\": 0.1}\n{\"f1\": 0.2}\n{broken\n\
        {\"id\": \"ID\", \"f1\": 0.5}\n{\"id\": \"ID\", \"f1\": 0.9}\n";
    bench.touch("go");
    bench.submit(1, json!({"do": "say", "what": what}));
    bench.wait(2).values().for_each(is_answer);
    // The first answer counts.
    bench.scored(1, 0.5);
    is_answer(&bench.ask(2, json!({})));
    // Whoever runs the study hears of each.
    let (notes, told) = (bench.notes(), bench.pool.notices().join("\n"));
    for says in [
        "answered nobody, which it was not asked",
        "an object without an id",
        "answered study-1-a0 again, and otherwise",
    ] {
        assert!(notes.contains(says), "{says}: {notes}");
        assert!(told.contains("worker 1 "), "{told}");
        assert!(told.contains(says), "{says}: {told}");
    }
    let log = bench.text("workers.d/1/stdout");
    assert!(log.contains("loading") && log.contains("{broken"), "{log}");
    assert!(!log.contains("\"f1\": 0.5}"), "{log}");
}

/// Tests that each kind of unexpected line is told once, and how often it came at the end.
#[test]
fn what_does_not_count_is_told_once_with_how_often() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {});
    let stray = "{\"id\": \"nobody\", \"f1\": 0.1}\n";
    let answer = "{\"id\": \"ID\", \"f1\": 0.5}\n";
    for n in 0..3 {
        let what = format!("{stray}{answer}");
        is_answer(&bench.ask(n, json!({"do": "say", "what": what})));
    }
    bench.pool.close();
    let told = bench.pool.notices();
    let [first, last] = told.as_slice() else {
        panic!("{told:?}");
    };
    assert!(first.starts_with("worker 1 answered nobody"), "{first}");
    assert!(
        last.contains("3 times") && last.contains("nobody"),
        "{last}"
    );
}

/// Tests that an answer printed before its case was read does not count, with or without an id.
#[test]
fn an_answer_before_the_case_was_asked_is_not_taken_for_it() {
    for early in [r#"{"id": "study-0-a0", "f1": 0.9}"#, r#"{"f1": 0.9}"#] {
        // The case has been sent by the time at which it is read.
        let script = format!(
            "echo '{early}'; sleep 1; while read -r line; do echo '{{\"f1\": 0.25}}'; done"
        );
        let mut bench = Bench::new(|_| {}).shell(&script);
        is_answer(&bench.ask(0, json!({})));
        bench.scored(0, 0.25);
        let told = bench.pool.notices().join("\n");
        assert!(told.contains("0.9"), "{told}");
        assert!(
            told.contains("does not count") || told.contains("no case"),
            "{told}"
        );
        is_answer(&bench.ask(1, json!({})));
        bench.scored(1, 0.25);
    }
}

#[test]
fn one_case_at_a_time_needs_no_id() {
    let script = r#"while read -r line; do echo '{"f1": 0.25}'; done"#;
    let mut bench = Bench::new(|settings| settings.processes = 2).shell(script);
    for n in 0..20 {
        bench.submit(n, json!({}));
    }
    bench.wait(20).values().for_each(is_answer);
    bench.scored(19, 0.25);
}

#[test]
fn a_worker_may_print_before_it_reads() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| settings.concurrency = 8).setting("chatter");
    // More than a pipe holds goes the other way meanwhile.
    for n in 0..8 {
        bench.submit(n, json!({"filling": "f".repeat(100_000)}));
    }
    bench.wait(8).values().for_each(is_answer);
}

#[test]
fn workers_have_their_environment_and_not_that_of_a_case() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {}).setting("plain");
    is_answer(&bench.ask(0, json!({"do": "environment"})));
    let scored = bench.read(0).unwrap();
    let environment = &scored.extras["environment"];
    assert_eq!(environment["WORKER"], "plain");
    assert_eq!(environment["PYTHONUNBUFFERED"], "1");
    assert_eq!(
        environment["FIESTA_WORKER"],
        bench.path("workers.d/1").to_string_lossy().as_ref()
    );
    for absent in ["FIESTA_RUN", "FIESTA_SPLIT", "FIESTA_RESULT"] {
        assert_eq!(environment.get(absent), None);
    }
}

#[test]
fn what_is_missing_is_not_tried_again() {
    for (command, says) in [
        (&["no-such-program-anywhere"][..], "was not found"),
        (&["./missing.sh"], "does not exist"),
        (&[], "command is empty"),
    ] {
        let mut bench = Bench::new(|_| {}).command(command);
        let ended = bench.ask(0, json!({}));
        assert!(
            matches!(&ended.end, End::NotStarted { reason } if reason.contains(says)),
            "{ended:?}"
        );
    }
}

/// Tests that an answer that could not be read when its host said so is read later: the host says it
/// once.
#[test]
fn an_answer_that_cannot_be_read_at_first_is_read_later() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {});
    is_answer(&bench.ask(0, json!({"score": 0})));
    bench.submit(1, json!({"do": "later", "seconds": 0.3, "score": 1}));
    assert!(bench.poll(Duration::from_millis(20)).is_empty());
    let [end, aside] = ["end.json", "aside"].map(|name| bench.run(1, 0).join(name));
    eventually("it is published", || end.exists());
    fs::rename(&end, &aside).unwrap();
    fs::create_dir(&end).unwrap();
    let (quiet, _open) = std::io::pipe().unwrap();
    let polled = bench.pool.poll(Some(LONG), quiet.as_fd());
    assert!(polled.is_err(), "{polled:?}");
    fs::remove_dir(&end).unwrap();
    fs::rename(&aside, &end).unwrap();
    is_answer(&bench.wait_one());
    bench.scored(1, 1.0);
}
