//! Tests of runs that end by themselves, and of executors that wait for their ends.

use crate::bench::{Bench, LONG, SOON, executor, exists, kill};
use fiesta_core::{Direction, Metric};
use fiesta_runner::run::RunDirectory;
use fiesta_runner::run::result;
use fiesta_runner::{
    executor::{Executor, Found, Local, NoSupervisor, SubmitError},
    run::{End, RunId},
};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

#[test]
fn a_command_gets_its_environment_and_its_output_is_kept() {
    let mut bench = Bench::new();
    let spec = bench.shell(
        r#"echo "$FIESTA_ARM $FIESTA_RUN"; echo oops >&2; pwd; printf '{"f1": 0.5}' > "$FIESTA_RESULT"; cat"#,
    );
    let ended = bench.run(&spec);
    assert_eq!(ended.end, End::Exited(0));
    assert_eq!(ended.id, spec.id);
    assert!(ended.seconds > 0.0 && ended.seconds < LONG.as_secs_f64());
    assert!(ended.started_at > 1.6e9 && ended.survivors.is_empty());
    let directory = RunDirectory::new(&spec.directory);
    let stdout = fs::read_to_string(directory.stdout()).unwrap();
    let here = bench.path().canonicalize().unwrap();
    assert_eq!(stdout, format!("tdlstm study-1-a1\n{}\n", here.display()));
    assert_eq!(fs::read_to_string(directory.stderr()).unwrap(), "oops\n");
    let metric = Metric::new("f1", Direction::Maximize, None).unwrap();
    let scored = result::read(&spec.directory, result::Wanted::Score(&metric)).unwrap();
    assert_eq!(scored.observation, fiesta_core::Observation::Score(0.5));
    let found = bench.executor.find(&spec.id, &spec.directory).unwrap();
    assert_eq!(found, Found::Ended(ended));
}

#[test]
fn codes_and_signals_are_told_apart() {
    for (script, end) in [
        ("exit 3", End::Exited(3)),
        ("kill -SEGV $$", End::Signaled(11)),
        ("kill -KILL $$", End::Signaled(9)),
        // What a shell makes of a signal is a code.
        ("sh -c 'kill -TERM $$'; exit $?", End::Exited(143)),
    ] {
        let mut bench = Bench::new();
        let spec = bench.shell(script);
        assert_eq!(bench.run(&spec).end, end, "{script}");
    }
}

#[test]
fn a_command_that_cannot_start_says_why() {
    // The command, a script of that name with its permissions, and what the reason must say.
    type Case<'a> = (&'a [&'a str], Option<(&'a str, u32)>, &'a str);
    let cases: [Case; 7] = [
        (&["no-such-program"], None, "was not found"),
        (&["./script"], None, "does not exist"),
        (&["./script"], Some(("#!/bin/sh\n", 0o644)), "chmod +x"),
        (
            &["./script"],
            Some(("\u{1}\u{2}\n", 0o755)),
            "#!/usr/bin/env",
        ),
        (
            &["./script"],
            Some(("#!/no/such/interpreter\n", 0o755)),
            "interpreter",
        ),
        (&[], None, "empty"),
        (&["true", "a\0b"], None, "zero byte"),
    ];
    for (command, script, expected) in cases {
        let mut bench = Bench::new();
        if let Some((text, mode)) = script {
            bench.program("script", text, mode);
        }
        let ended = bench.run(&bench.spec(command));
        let End::NotStarted { reason } = &ended.end else {
            panic!("{command:?}: {ended:?}");
        };
        assert!(reason.contains(expected), "{reason}");
    }
}

#[test]
fn a_missing_working_directory_is_named() {
    let mut bench = Bench::new();
    let mut spec = bench.spec(&["true"]);
    spec.working_directory = bench.path().join("gone");
    let ended = bench.run(&spec);
    let End::NotStarted { reason } = &ended.end else {
        panic!("{ended:?}");
    };
    assert!(
        reason.contains("working directory") && reason.contains("gone"),
        "{reason}"
    );
}

#[test]
fn many_runs_end_each_once() {
    let mut bench = Bench::new();
    let specs: Vec<_> = (0..40)
        .map(|n| {
            let mut spec = bench.shell(&format!("exit {n}"));
            spec.id = RunId::new("study", n, 1).unwrap();
            spec.directory = bench.path().join(spec.id.as_str());
            spec
        })
        .collect();
    let supervisors: Vec<_> = specs.iter().map(|spec| bench.submit(spec)).collect();
    let mut ended = Vec::new();
    while ended.len() < specs.len() {
        let more = bench.poll(LONG);
        assert!(!more.is_empty());
        ended.extend(more);
    }
    ended.sort_by(|a, b| a.id.cmp(&b.id));
    let mut expected: Vec<_> = specs
        .iter()
        .zip(0..)
        .map(|(spec, n)| (&spec.id, End::Exited(n)))
        .collect();
    expected.sort_by(|a, b| a.0.cmp(b.0));
    let ended: Vec<_> = ended
        .iter()
        .map(|ended| (&ended.id, ended.end.clone()))
        .collect();
    assert_eq!(ended, expected);
    assert_eq!(bench.executor.followed().count(), 0);
    bench.executor = executor();
    assert!(
        supervisors.iter().all(|supervisor| !exists(supervisor.pid)),
        "no supervisor is left without its controller, not even as a zombie"
    );
}

#[test]
fn waiting_ends_when_it_is_told_to() {
    let mut bench = Bench::new();
    let supervisor = bench.submit(&bench.spec(&["sleep", "1000"]));
    assert!(bench.poll(Duration::from_millis(30)).is_empty());
    bench.wake();
    let before = Instant::now();
    assert!(bench.poll(LONG).is_empty());
    assert!(before.elapsed() < SOON);
    assert!(supervisor.is_alive());
}

#[test]
fn what_cannot_be_submitted_is_refused() {
    let mut bench = Bench::new();
    assert_eq!(Local::new().unwrap_err(), NoSupervisor);

    let mut spec = bench.spec(&["sleep", "1000"]);
    let missing = Local::with_supervisor("/no/such/supervisor").submit(&spec);
    assert!(
        matches!(missing, Err(SubmitError::Start { .. })),
        "{missing:?}"
    );

    bench.submit(&spec);
    let twice = bench.executor.submit(&spec);
    assert!(matches!(twice, Err(SubmitError::Twice(_))), "{twice:?}");

    spec.id = RunId::new("study", 2, 1).unwrap();
    spec.directory = PathBuf::from("relative");
    let relative = bench.executor.submit(&spec);
    assert!(
        matches!(relative, Err(SubmitError::Directory { .. })),
        "{relative:?}"
    );
}

#[test]
fn a_supervisor_that_is_none_does_not_hang_the_executor() {
    let mut bench = Bench::new();
    bench.executor = Local::with_supervisor("/bin/true");
    let ended = bench.run(&bench.spec(&["true"]));
    assert!(matches!(ended.end, End::Lost { .. }), "{ended:?}");
}

/// Tests that a result that is a pipe is none, as whoever opens it would wait for its other end for
/// ever.
#[test]
fn a_result_that_is_a_pipe_is_none_and_nobody_waits_for_it() {
    let mut bench = Bench::new();
    let spec = bench.shell("mkfifo \"$FIESTA_RESULT\"; sleep 1.2; echo '{\"f1\": 0.5}'");
    let supervisor = bench.submit(&spec);
    let ended = bench.poll(SOON);
    if ended.is_empty() {
        // It hears no request.
        kill(supervisor.pid);
    }
    assert_eq!(ended.len(), 1);
    assert!(ended[0].end == End::Exited(0) && ended[0].seconds > 1.0);
    let metric = Metric::new("f1", Direction::Maximize, None).unwrap();
    let scored = result::read(&spec.directory, result::Wanted::Score(&metric)).unwrap();
    assert_eq!(scored.observation, fiesta_core::Observation::Score(0.5));
}
