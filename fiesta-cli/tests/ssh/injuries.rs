//! Injuries of machines, connections and the controller of their study, each a real one.

use super::{HOSTS, InLab, Lab, engine, uniform};
use crate::support::{Running, code, until};
use fiesta::core::Streams;
use fiesta::runner::History;
use rand::RngExt;
use rustix::process::Signal;
use std::{
    fs, thread,
    time::{Duration, Instant},
};

fn in_lab(evaluations: u64, more: &str) -> Option<InLab> {
    let hosts = format!("{HOSTS}\n{more}");
    Some(InLab::new(Lab::start()?, &uniform(evaluations), &hosts))
}

/// A study that runs, so many of whose jobs have begun.
fn begun(there: &InLab, count: usize) -> Running {
    let running = there.start(&["run", "study.toml"]);
    until("jobs have begun", || {
        there.bench.log("began").len() >= count
    });
    running
}

/// How many runs were made again.
fn again(history: &History) -> usize {
    let records = history.records.values();
    records.filter(|record| record.attempt > 0).count()
}

#[test]
#[ignore = "a lab: scripts/test ssh"]
fn the_controller_is_killed_again_and_again() {
    let kills = crate::support::kills(10);
    let Some(there) = in_lab(8 * kills, "") else {
        return;
    };
    let mut rng = Streams::new(1).run(0);
    for _ in 0..kills {
        let running = there.start(&["run", "study.toml"]);
        thread::sleep(Duration::from_millis(rng.random_range(0..1500)));
        running.signal(Signal::KILL);
        running.wait();
    }
    there.run();
    there.audit(usize::try_from(8 * kills).unwrap());
    let answered = there.answered();
    assert_eq!(answered as u64, 8 * kills);
    eprintln!(
        "killed {kills} times; {answered} runs for {} evaluations",
        8 * kills
    );
}

/// Connections are cut wherever they are: while jobs are handed in, looked at, or nothing is said.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn connections_are_cut_again_and_again() {
    let Some(there) = in_lab(60, "") else {
        return;
    };
    let running = begun(&there, 3);
    let mut cuts = 0;
    let mut rng = Streams::new(2).run(0);
    while there.bench.log("answered").len() < 45 {
        there.lab.cut(rng.random_range(1..=3));
        cuts += 1;
        assert!(cuts < 300, "{}", running.stderr());
        thread::sleep(Duration::from_millis(rng.random_range(20..600)));
    }
    running
        .wait_for(Duration::from_mins(1))
        .says(code::DONE, &[]);
    let history = there.audit(60);
    assert_eq!((again(&history), there.answered()), (0, 60));
    eprintln!("cut {cuts} times: 60 runs for 60 evaluations");
}

/// The order arrives, and its answer does not.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn answers_to_submissions_are_lost() {
    let Some(there) = in_lab(24, "") else {
        return;
    };
    // Of every second call that starts something, only the greeting comes back.
    let fake = r#"#!/bin/sh
case "$*" in *-O*) exec /usr/bin/ssh "$@" ;; esac
mkfifo "in.$$"
/usr/bin/ssh "$@" < "in.$$" > "out.$$" & 
tee "said.$$" > "in.$$"
wait $!
code=$?
if grep -q '"start":\[{' "said.$$" && [ $(($$ % 2)) = 0 ]; then
    echo cut >> cuts
    head -n 1 "out.$$"
    echo 'client_loop: send disconnect: Broken pipe' >&2
    code=255
else
    cat "out.$$"
fi
rm -f "in.$$" "out.$$" "said.$$"
exit $code
"#;
    // The greeting must come before anything is said.
    let fake = fake.replace(
        "/usr/bin/ssh \"$@\" < \"in.$$\" > \"out.$$\" & \ntee \"said.$$\" > \"in.$$\"\nwait $!\ncode=$?\n",
        "/usr/bin/ssh \"$@\" < \"in.$$\" | { IFS= read -r first; echo \"$first\"; cat > \"out.$$\"; } & \ntee \"said.$$\" > \"in.$$\"\nwait $!\ncode=0\n",
    );
    let fake = fake.replace("    head -n 1 \"out.$$\"\n", "");
    std::fs::create_dir(there.bench.path("bin")).unwrap();
    there.bench.file("bin/ssh", &fake);
    let made = std::process::Command::new("chmod")
        .args(["+x", "bin/ssh"])
        .current_dir(there.bench.path(""))
        .status();
    assert!(made.unwrap().success());
    let mut command = there.lab.within(env!("CARGO_BIN_EXE_fiesta"));
    let path = std::env::var("PATH").unwrap();
    let bin = there.bench.path("bin");
    command
        .args(["run", "study.toml"])
        .current_dir(there.bench.path(""))
        .env("PATH", format!("{}:{path}", bin.display()));
    Running::start(command)
        .wait_for(Duration::from_mins(1))
        .says(code::DONE, &[]);
    let history = there.audit(24);
    assert_eq!((again(&history), there.answered()), (0, 24));
    let cuts = there.bench.log("cuts").len();
    assert!(cuts > 0, "no answer was lost");
    eprintln!("{cuts} answers to submissions were lost: 24 runs for 24 evaluations");
}

/// The machine's jobs go on, and nothing is made again.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_machine_is_out_of_reach_and_comes_back() {
    let Some(there) = in_lab(120, "") else {
        return;
    };
    there.bench.file("slow", "");
    let running = begun(&there, 6);
    there.lab.link(2, false);
    until("that is told", || {
        running.stderr().contains("root@h2:22 cannot be used")
    });
    std::fs::remove_file(there.bench.path("slow")).unwrap();
    thread::sleep(Duration::from_secs(3));
    there.lab.link(2, true);
    let on_it = |there: &InLab| {
        let began = there.bench.log("began");
        began.iter().filter(|line| line[3] == "h2").count()
    };
    let before = on_it(&there);
    assert!(before > 0 && there.bench.log("answered").len() < 120);
    let ran = running.wait_for(Duration::from_mins(1));
    ran.says(code::DONE, &["root@h2:22 answers again"]);
    let history = there.audit(120);
    assert_eq!((again(&history), there.answered()), (0, 120));
    assert!(on_it(&there) > before, "it got no further jobs");
}

/// What ran there is made again, and uses up no retry: the study has none.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_machine_is_killed_and_comes_back() {
    let Some(mut there) = in_lab(40, "") else {
        return;
    };
    there.bench.file("slow", "");
    let running = begun(&there, 6);
    there.lab.kill_machine(1);
    std::fs::remove_file(there.bench.path("slow")).unwrap();
    thread::sleep(Duration::from_secs(3));
    there.lab.start_machine(1);
    running
        .wait_for(Duration::from_mins(1))
        .says(code::DONE, &[]);
    let history = there.audit(40);
    assert_eq!((again(&history), there.answered()), (2, 40));
}

/// Nobody can tell that it does not run any more: after a time without a sign of life its runs are
/// made elsewhere.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_machine_is_killed_and_never_comes_back() {
    let Some(mut there) = in_lab(40, "lost_after = \"12s\"") else {
        return;
    };
    there.bench.file("slow", "");
    let running = begun(&there, 6);
    there.lab.kill_machine(3);
    std::fs::remove_file(there.bench.path("slow")).unwrap();
    let ran = running.wait_for(Duration::from_mins(1));
    ran.says(code::DONE, &["h3 is given up with 2 runs"]);
    let history = there.audit(40);
    assert_eq!((again(&history), there.answered()), (2, 40));
}

/// A machine that was given up comes back, and its runs go on there: they are stopped, and what
/// they would have answered is not counted.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_machine_comes_back_after_it_was_given_up() {
    let Some(there) = in_lab(12, "lost_after = \"5s\"") else {
        return;
    };
    there.bench.edit(
        "job.sh",
        "sleep 4",
        "{ [ $(hostname) = h3 ] && sleep 3600 || sleep 1; }",
    );
    there.bench.file("slow", "");
    // Supervisors leave a sign each 10 s, which is longer than they are waited for here.
    let running = begun(&there, 6);
    there.lab.link(3, false);
    until("it is given up", || {
        running.stderr().contains("h3 is given up")
    });
    there.lab.link(3, true);
    running
        .wait_for(Duration::from_mins(1))
        .says(code::DONE, &[]);
    let history = there.audit(12);
    assert_eq!((again(&history), there.answered()), (2, 12));
}

/// The supervisors are gone and their machine is not: the same, as long as that is no habit.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn supervisors_are_killed() {
    let Some(there) = in_lab(30, "") else {
        return;
    };
    there.bench.file("slow", "");
    let running = begun(&there, 6);
    there.lab.kill_supervisors(2);
    std::fs::remove_file(there.bench.path("slow")).unwrap();
    running
        .wait_for(Duration::from_mins(1))
        .says(code::DONE, &[]);
    let history = there.audit(30);
    assert_eq!((again(&history), there.answered()), (2, 30));
}

/// The first Ctrl-C waits for what runs; the second one stops it, on all machines.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_study_is_stopped() {
    let Some(there) = in_lab(30, "") else {
        return;
    };
    there.bench.edit("job.sh", "sleep 4", "sleep 3600");
    there
        .bench
        .edit("study.toml", "parallel = 6", "parallel = 9");
    there.bench.file("slow", "");
    let running = begun(&there, 6);
    running.signal(Signal::INT);
    thread::sleep(Duration::from_secs(1));
    assert_eq!(
        there
            .lab
            .left()
            .iter()
            .filter(|line| line.contains("sleep 3600"))
            .count(),
        6
    );
    running.signal(Signal::INT);
    running
        .wait_for(Duration::from_secs(20))
        .says(code::INTERRUPTED, &[]);
    there.nothing_is_left();
    std::fs::remove_file(there.bench.path("slow")).unwrap();
    there.run();
    there.audit(30);
}

/// The second Ctrl-C does not wait for a machine out of reach: its runs are left there, and are
/// found again.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_study_is_stopped_while_a_machine_is_out_of_reach() {
    let Some(there) = in_lab(30, "") else {
        return;
    };
    there.bench.edit(
        "job.sh",
        "[ -e slow ] && sleep 4",
        "while [ -e slow ]; do sleep 0.2; done",
    );
    there.bench.file("slow", "");
    let running = begun(&there, 6);
    there.lab.link(2, false);
    running.signal(Signal::INT);
    thread::sleep(Duration::from_secs(1));
    let asked = Instant::now();
    running.signal(Signal::INT);
    let ran = running.wait_for(Duration::from_secs(30));
    let took = asked.elapsed();
    ran.says(
        code::INTERRUPTED,
        &[
            "left 2 runs on root@h2:22, which cannot be reached; `fiesta run` finds them again",
            "left 2 jobs running",
        ],
    );
    eprintln!("left after {:.1} s", took.as_secs_f64());
    assert!(took < Duration::from_secs(15), "{took:?}");
    let left = there.bench.log("began");
    let left: Vec<&String> = left
        .iter()
        .filter(|line| line[3] == "h2")
        .map(|line| &line[0])
        .collect();
    assert_eq!(left.len(), 2);
    assert_eq!(there.bench.log("answered").len(), 0);
    there.lab.link(2, true);
    std::fs::remove_file(there.bench.path("slow")).unwrap();
    there.run();
    there.audit(30);
    assert_eq!(there.answered(), 30);
    let answered = there.bench.log("answered");
    let has_answered = |run: &&String| answered.iter().any(|line| line[0] == **run);
    assert!(
        left.iter().all(has_answered),
        "what was left was made again"
    );
}

/// The study's directory is renamed while its jobs run and nobody attends to it: they keep their
/// places, and go on.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn a_study_is_moved_while_its_jobs_run() {
    let Some(there) = in_lab(30, "") else {
        return;
    };
    let bench = &there.bench;
    bench.edit("study.toml", "parallel = 6", "parallel = 9");
    engine::into_old(bench);
    let running = there.start(&["run", "old/study.toml"]);
    until("six run", || bench.log("old/began").len() == 6);
    thread::sleep(Duration::from_secs(1));
    running.signal(Signal::KILL);
    running.wait();
    fs::rename(bench.path("old"), bench.path("new")).unwrap();
    let places = || bench.text("new/study.fiesta/ssh-slots.json");
    let before = places();
    let running = there.start(&["run", "new/study.toml"]);
    until("a host has answered", || places() != before);
    thread::sleep(Duration::from_secs(4));
    let began = bench.log("new/began").len();
    assert_eq!(began, 6, "a place was given twice");
    fs::remove_file(bench.path("new/slow")).unwrap();
    let ran = running.wait_for(Duration::from_mins(1));
    ran.says(code::DONE, &["the study was moved before its job began"]);
    assert!(!ran.stderr.contains("cannot be used"), "{}", ran.stderr);
    engine::made_once_in_new(bench, 30);
    there.nothing_is_left();
}

/// No more calls than one an interval and host, however many jobs there are, beside those that
/// start jobs.
#[test]
#[ignore = "a lab: scripts/test ssh"]
fn one_call_tells_of_all_jobs() {
    let Some(there) = in_lab(48, "") else {
        return;
    };
    let hosts = HOSTS
        .replace("gpus = 2", "slots = 16")
        .replace("gpus = [0, 1]", "slots = 16")
        .replace("slots = 2, gpus = [\"0\", \"1\"]", "slots = 16");
    there.bench.edit("study.toml", HOSTS, &hosts);
    there
        .bench
        .edit("study.toml", "parallel = 6", "parallel = 48");
    there.bench.file("slow", "");
    let running = begun(&there, 48);
    let calls = |there: &InLab| {
        let log = |number| {
            let path = there.lab.path(&format!("h{number}.log"));
            let text = std::fs::read_to_string(path).unwrap_or_default();
            text.matches("Starting session: command").count()
        };
        (1..=3).map(log).sum::<usize>()
    };
    let before = calls(&there);
    thread::sleep(Duration::from_secs(3));
    let after = calls(&there);
    assert!((3..=21).contains(&(after - before)), "{before} to {after}");
    running
        .wait_for(Duration::from_mins(1))
        .says(code::DONE, &[]);
    there.audit(48);
}
