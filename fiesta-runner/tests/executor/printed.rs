//! Tests of commands' output: long output, output after the end, and output of strangers.

use crate::bench::{Bench, LONG, SOON, eventually, exists};
use fiesta_core::{Direction, Metric, Observation};
use fiesta_runner::run::RunDirectory;
use fiesta_runner::run::result::{self, NoScore, Wanted};
use fiesta_runner::{
    executor::Executor,
    run::{End, Ended, RunSpec},
};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

const HEAD: usize = 4 << 20;
const TAIL: usize = 1 << 20;

pub(crate) fn score(spec: &RunSpec, ended: &Ended) -> Result<Observation, NoScore> {
    let metric = Metric::new("f1", Direction::Maximize, None).unwrap();
    let scored = result::read_ended(&spec.directory, ended, Wanted::Score(&metric))?;
    Ok(scored.observation)
}

pub(crate) const HALF: Observation = Observation::Score(0.5);

fn stdout(spec: &RunSpec) -> Vec<u8> {
    fs::read(RunDirectory::new(&spec.directory).stdout()).unwrap()
}

/// Returns numbered lines of at least `bytes` bytes together.
fn lines(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 16);
    for n in 0.. {
        if text.len() >= bytes {
            break;
        }
        writeln!(text, "line {n}").unwrap();
    }
    text
}

/// Returns the line between the beginning and the end of a shortened output.
#[track_caller]
fn note(kept: &[u8]) -> String {
    let end = kept.len() - TAIL;
    let note = String::from_utf8(kept[HEAD..end].to_vec()).unwrap();
    assert!(
        note.starts_with("\n[fiesta: ") && note.ends_with("]\n"),
        "{note}"
    );
    note
}

#[test]
fn a_flood_is_kept_at_both_ends() {
    let mut bench = Bench::new();
    let printed = lines(30_000_000);
    fs::write(bench.path().join("flood"), &printed).unwrap();
    let spec = bench.shell(r#"echo '{"f1": 0.1}'; cat flood; echo '{"f1": 0.5}'"#);
    let ended = bench.run(&spec);
    assert_eq!(ended.end, End::Exited(0));
    let whole = format!("{{\"f1\": 0.1}}\n{printed}{{\"f1\": 0.5}}\n").into_bytes();
    let kept = stdout(&spec);
    assert!(kept.starts_with(&whole[..HEAD]));
    assert!(kept.ends_with(&whole[whole.len() - TAIL..]));
    let left_out = whole.len() - HEAD - TAIL;
    assert!(note(&kept).contains(&format!("{left_out} bytes were left out")));
    assert_eq!(score(&spec, &ended).unwrap(), HALF);
    assert!(!spec.directory.join("stdout.tail").exists());
}

#[test]
fn what_fits_is_kept_whole() {
    for bytes in [0, 1, HEAD - 1, HEAD, HEAD + 1, HEAD + TAIL] {
        let mut bench = Bench::new();
        let mut printed = lines(bytes).into_bytes();
        printed.truncate(bytes);
        fs::write(bench.path().join("text"), &printed).unwrap();
        let spec = bench.shell("cat text; cat text >&2");
        bench.run(&spec);
        let directory = RunDirectory::new(&spec.directory);
        for path in [directory.stdout(), directory.stderr()] {
            // No file for what is nothing.
            assert_eq!(path.exists(), bytes > 0);
            assert!(fs::read(&path).unwrap_or_default() == printed, "{bytes}");
        }
    }
}

#[test]
fn an_endless_line_and_rubbish_are_bounded_too() {
    for noise in ["tr '\\0' x < /dev/zero", "cat /dev/urandom"] {
        let mut bench = Bench::new();
        let spec = bench.shell(&format!("{noise} | head -c 12000000"));
        let ended = bench.run(&spec);
        assert_eq!(
            stdout(&spec).len(),
            HEAD + TAIL + note(&stdout(&spec)).len()
        );
        assert!(score(&spec, &ended).is_err());
        // A result after it is found all the same.
        let mut bench = Bench::new();
        let spec = bench.shell(&format!(
            "{noise} | head -c 12000000; echo; echo '{{\"f1\": 0.5}}'"
        ));
        let ended = bench.run(&spec);
        assert_eq!(score(&spec, &ended).unwrap(), HALF);
    }
}

/// Tests that a score before the part that was left out of an output does not count, as a later one
/// may have been left out.
#[test]
fn a_result_before_what_was_left_out_is_none() {
    let mut bench = Bench::new();
    fs::write(bench.path().join("flood"), lines(12_000_000)).unwrap();
    let spec = bench.shell(r#"head -c 4194000 flood; echo; echo '{"f1": 0.1}'; cat flood"#);
    let ended = bench.run(&spec);
    assert!(matches!(score(&spec, &ended), Err(NoScore::Missing { .. })));
}

#[test]
fn the_beginning_and_then_the_end_can_be_watched() {
    let mut bench = Bench::new();
    fs::write(bench.path().join("flood"), lines(12_000_000)).unwrap();
    let wait = |name: &str| format!("until [ -e {name} ]; do sleep 0.02; done");
    let spec = bench.shell(&format!(
        "echo begun; {}; cat flood; echo flooded; {}; echo more; {}",
        wait("one"),
        wait("two"),
        wait("three")
    ));
    bench.submit(&spec);
    let ends_with = |name: &str, end: &str| {
        let path = spec.directory.join(name);
        eventually(end, || {
            fs::read(&path).is_ok_and(|text| text.ends_with(end.as_bytes()))
        });
        assert!(fs::metadata(path).unwrap().size() <= HEAD as u64);
    };
    ends_with("stdout", "begun\n");
    bench.touch("one");
    ends_with("stdout.tail", "flooded\n");
    bench.touch("two");
    ends_with("stdout.tail", "flooded\nmore\n");
    bench.touch("three");
    bench.wait();
    assert!(stdout(&spec).ends_with(b"flooded\nmore\n"));
}

#[test]
fn a_pipe_that_somebody_holds_open_is_not_waited_for() {
    let mut bench = Bench::new();
    let spec = bench.shell(
        "echo $$ > main.pid; until [ -e go ]; do sleep 0.02; done
         head -c 60000 /dev/zero; echo; echo '{\"f1\": 0.5}'",
    );
    bench.submit(&spec);
    // No child of the run: nobody there can end it.
    let pipe = format!("/proc/{}/fd/1", bench.pid("main.pid"));
    let mut held = File::options().write(true).open(pipe).unwrap();
    bench.touch("go");
    let started = Instant::now();
    let ended = bench.wait();
    assert!(started.elapsed() < SOON);
    assert_eq!(ended.end, End::Exited(0));
    assert_eq!(score(&spec, &ended).unwrap(), HALF);
    assert!(held.write_all(b"too late").is_err());
}

#[test]
fn a_grandchild_that_holds_the_output_open_is_killed_and_nothing_is_lost() {
    let mut bench = Bench::new();
    let spec = bench.shell(
        "(setsid sh -c 'trap \"\" TERM; echo $$ > holder.pid; while :; do sleep 1000; done' &)
         until [ -s holder.pid ]; do sleep 0.01; done; head -c 60000 /dev/zero; echo; echo '{\"f1\": 0.5}'",
    );
    let started = Instant::now();
    let ended = bench.run(&spec);
    assert!(started.elapsed() < SOON);
    assert_eq!(score(&spec, &ended).unwrap(), HALF);
    assert!(!exists(bench.pid("holder.pid")));
}

#[test]
fn a_command_may_print_much_while_it_is_stopped() {
    let mut bench = Bench::new();
    let spec = bench.shell(
        "trap 'head -c 300000 /dev/zero; echo; echo bye; exit 0' TERM
         echo > ready; while :; do sleep 0.02; done",
    );
    bench.submit(&spec);
    bench.await_file("ready");
    let asked = Instant::now();
    bench.executor.cancel(&spec.id, LONG).unwrap();
    assert_eq!(bench.wait().end, End::Cancelled);
    assert!(asked.elapsed() < SOON);
    let printed = stdout(&spec);
    assert!(printed.len() > 300_000 && printed.ends_with(b"\nbye\n"));
}

#[test]
fn a_command_that_falls_silent_is_stopped() {
    let mut bench = Bench::new();
    let mut spec = bench.shell(
        "for n in 1 2 3 4 5 6 7 8 9 10; do echo $n; sleep 0.1; echo $n >&2; sleep 0.1; done
         trap 'echo stopped; exit' TERM; while :; do sleep 0.05; done",
    );
    spec.silence = Some(Duration::from_millis(1500));
    let ended = bench.run(&spec);
    assert_eq!(ended.end, End::Silent);
    assert!(ended.seconds >= 3.0, "{ended:?}");
    // It was asked politely, and what it said then is there.
    assert!(stdout(&spec).ends_with(b"10\nstopped\n"));
}

#[test]
fn silence_is_no_end_of_a_command_that_closes_its_output() {
    let mut bench = Bench::new();
    let mut spec = bench.shell("exec >&- 2>&-; sleep 0.3; exit 7");
    spec.silence = Some(Duration::MAX);
    assert_eq!(bench.run(&spec).end, End::Exited(7));
    let mut bench = Bench::new();
    let mut spec = bench.shell("exec >&- 2>&-; sleep 1000");
    spec.silence = Some(Duration::from_millis(300));
    assert_eq!(bench.run(&spec).end, End::Silent);
}
