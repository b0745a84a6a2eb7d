//! Tests of the deaths of workers, of their hosts and of controllers.

use crate::bench::{
    Bench, LONG, distinct, eventually, exists, has_python, is_answer, kill, settings,
};
use fiesta_runner::gpu::GpuPool;
use fiesta_runner::{
    executor::{Executor, Found, WorkerPool},
    run::{End, Ended, RunId},
};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

#[track_caller]
fn reason(ended: &Ended) -> &str {
    match &ended.end {
        End::Lost { reason } => reason,
        other => panic!("lost: {other:?}"),
    }
}

#[test]
fn a_worker_that_dies_loses_what_it_was_asked_and_another_one_goes_on() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| settings.concurrency = 4);
    is_answer(&bench.ask(0, json!({})));
    for n in 1..4 {
        bench.submit(n, json!({"do": "never"}));
    }
    eventually("they are asked", || {
        bench.poll(Duration::from_millis(10));
        bench.asked().len() == 4
    });
    bench.submit(4, json!({"do": "die"}));
    for ended in bench.wait(4).values() {
        assert!(reason(ended).contains("killed by signal 9"), "{ended:?}");
    }
    is_answer(&bench.ask(5, json!({})));
    assert_eq!(bench.workers().len(), 2);
}

#[test]
fn a_worker_that_fails_says_why() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {});
    is_answer(&bench.ask(0, json!({})));
    let ended = bench.ask(1, json!({"do": "fail"}));
    let reason = reason(&ended);
    assert!(
        reason.contains("exit code 1") && reason.contains("no such model"),
        "{reason}"
    );
}

#[test]
fn what_a_dead_worker_had_not_read_is_not_lost() {
    // The shell reads its lines byte by byte: the rest is left in the pipe.
    let script = "read -r line; echo $line >> asked; if [ ! -e died ]; then
            while [ ! -e go ]; do sleep 0.01; done; echo > died; kill -9 $$; fi
        id() { id=${line#*\\\"id\\\":\\\"}; id=${id%%\\\"*}; }
        while id; do echo \"{\\\"id\\\": \\\"$id\\\", \\\"f1\\\": 0.5}\"; read -r line || exit 0; echo $line >> asked; done";
    let mut bench = Bench::new(|settings| settings.concurrency = 8).shell(script);
    for n in 0..8 {
        bench.submit(n, json!({}));
    }
    bench.poll(Duration::from_millis(100));
    bench.await_text("asked");
    bench.touch("go");
    let ends = bench.wait(8);
    assert!(reason(&ends["study-0-a0"]).contains("signal 9"));
    ends.values().skip(1).for_each(is_answer);
    assert_eq!(
        bench.text("asked").lines().count(),
        8,
        "{}",
        bench.text("asked")
    );
}

#[test]
fn half_an_answer_is_none_and_a_whole_one_needs_no_line_break() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {});
    reason(&bench.ask(0, json!({"do": "partial"})));
    is_answer(&bench.ask(1, json!({"do": "unended"})));
    bench.scored(1, 0.25);
}

#[test]
fn a_worker_may_leave_when_it_has_answered() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {});
    for n in 0..10 {
        is_answer(&bench.ask(n, json!({"do": "leave"})));
    }
    assert_eq!(distinct(&bench.workers()), 10);
}

#[test]
fn a_worker_that_closes_its_stdout_is_stopped() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {});
    is_answer(&bench.ask(0, json!({})));
    let ended = bench.ask(1, json!({"do": "close"}));
    assert!(reason(&ended).contains("closed its stdout"), "{ended:?}");
    assert!(!exists(bench.workers()[0]));
    is_answer(&bench.ask(2, json!({})));
}

#[test]
fn a_case_that_kills_takes_its_neighbours_with_it_once() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| settings.concurrency = 8);
    is_answer(&bench.ask(100, json!({})));
    let request = |n: u64| match n {
        5 => json!({"do": "die"}),
        // Still at it when the other one dies.
        _ => json!({"do": "later", "seconds": 0.3}),
    };
    let mut losses: BTreeMap<u64, u32> = BTreeMap::new();
    let mut waiting: Vec<(u64, u32)> = (0..8).map(|n| (n, 0)).collect();
    // As the dispatcher does: what is lost is tried again, here up to twice.
    while !waiting.is_empty() {
        for &(n, attempt) in &waiting {
            let spec = crate::bench::spec(&bench, n, attempt, request(n));
            bench.pool.submit(&spec).unwrap();
        }
        let ends = bench.wait(waiting.len());
        waiting.retain_mut(|(n, attempt)| {
            let id = RunId::new("study", *n, *attempt).unwrap();
            let is_lost = matches!(ends[id.as_str()].end, End::Lost { .. });
            *losses.entry(*n).or_default() += u32::from(is_lost);
            *attempt += 1;
            is_lost && *attempt <= 2
        });
    }
    for (n, losses) in losses {
        assert!(
            if n == 5 { losses == 3 } else { losses <= 1 },
            "{n} was lost {losses} times"
        );
    }
}

#[test]
fn workers_that_never_answer_are_given_up() {
    let script = "echo 'no key' >&2; echo >> started; exit 3";
    let mut bench = Bench::new(|settings| settings.concurrency = 2).shell(script);
    let ended = bench.ask(0, json!({}));
    let End::NotStarted { reason } = &ended.end else {
        panic!("{ended:?}");
    };
    assert_eq!(bench.text("started").lines().count(), 3);
    assert!(
        reason.contains("3 in a row")
            && reason.contains("exit code 3")
            && reason.contains("no key"),
        "{reason}"
    );
}

#[test]
fn the_tree_of_a_killed_host_is_gone_and_its_cases_are_lost() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| settings.concurrency = 2).setting("child stubborn");
    bench.submit(0, json!({"do": "hang"}));
    eventually("it is asked", || {
        bench.poll(Duration::from_millis(10));
        !bench.asked().is_empty()
    });
    let child: i32 = bench.await_text("child.pid").trim().parse().unwrap();
    let hosts = bench.hosts();
    assert_eq!(hosts.len(), 1);
    kill(hosts[0]);
    let ended = bench.wait_one();
    assert!(reason(&ended).contains("without a word"), "{ended:?}");
    assert!(!exists(bench.workers()[0]) && !exists(child));
    // Not killed for being gone: the next one gets its chance.
    let environment = bench.environment.clone();
    bench.environment.clear();
    is_answer(&bench.ask(1, json!({})));
    bench.environment = environment;
}

#[test]
fn the_tree_of_an_idle_host_that_is_killed_is_gone_too() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {}).setting("child stubborn lingering");
    is_answer(&bench.ask(0, json!({})));
    let child: i32 = bench.await_text("child.pid").trim().parse().unwrap();
    let worker = bench.workers()[0];
    kill(bench.hosts()[0]);
    is_answer(&bench.ask(1, json!({})));
    assert!(!exists(worker) && !exists(child));
}

#[test]
fn a_worker_without_cases_goes_even_if_it_does_not_want_to() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| settings.grace = Duration::from_millis(200))
        .setting("stubborn lingering child");
    is_answer(&bench.ask(0, json!({})));
    let child: i32 = bench.await_text("child.pid").trim().parse().unwrap();
    let worker = bench.workers()[0];
    assert!(exists(worker) && exists(child));
    bench.restart();
    eventually("all are gone", || {
        !exists(worker) && !exists(child) && bench.hosts().is_empty()
    });
}

#[test]
fn what_an_idle_worker_of_a_killed_host_left_is_swept_on_resuming() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {}).setting("stubborn lingering child");
    is_answer(&bench.ask(0, json!({})));
    let child: i32 = bench.await_text("child.pid").trim().parse().unwrap();
    let worker = bench.workers()[0];
    let host = bench.hosts()[0];
    // The controller with it: nobody is there to sweep.
    let pool = std::mem::replace(
        &mut bench.pool,
        WorkerPool::with_supervisor(
            "/bin/true",
            "/nowhere",
            settings(),
            GpuPool::new([""; 0]).unwrap(),
        ),
    );
    std::mem::forget(pool);
    kill(host);
    eventually("the host is gone", || !exists(host));
    assert!(exists(worker) && exists(child));
    bench.restart();
    is_answer(&bench.ask(1, json!({})));
    assert!(!exists(worker) && !exists(child));
}

/// Variable with the directory in which the started controller finds its work.
const DIRECTORY: &str = "FIESTA_TEST_CONTROLLER";

/// Runs the controller that the tests start in a process of its own, to kill it. It is no test
/// itself.
#[test]
#[ignore = "a part of other tests, which start it"]
fn controller() {
    let Some(directory) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let directory = PathBuf::from(directory);
    let mut settings = settings();
    settings.concurrency = 4;
    let program = env!("CARGO_BIN_EXE_fiesta-supervisor");
    let gpus = GpuPool::new([""; 0]).unwrap();
    let mut pool =
        WorkerPool::with_supervisor(program, directory.join("workers.d"), settings, gpus);
    // The specifications were written down by the test.
    let specs = std::fs::read(directory.join("specs.json")).unwrap();
    let specs: Vec<fiesta_runner::run::RunSpec> = serde_json::from_slice(&specs).unwrap();
    for spec in &specs {
        pool.submit(spec).unwrap();
    }
    let quiet = std::io::pipe().unwrap();
    loop {
        use std::os::fd::AsFd;
        pool.poll(Some(LONG), quiet.0.as_fd()).unwrap();
    }
}

/// Starts a controller with six cases that end when a file `go` appears. Its worker has four of
/// them at once.
fn controlled() -> (Bench, Child) {
    let bench = Bench::new(|settings| settings.concurrency = 4);
    let specs: Vec<_> = (0..6)
        .map(|n| bench.spec(n, json!({"do": "later", "seconds": 1.0, "score": n})))
        .collect();
    std::fs::write(
        bench.path("specs.json"),
        serde_json::to_vec(&specs).unwrap(),
    )
    .unwrap();
    let controller = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "deaths::controller", "--ignored"])
        .env(DIRECTORY, bench.path(""))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    eventually("four are asked", || bench.asked().len() == 4);
    (bench, controller)
}

/// Takes over the runs of an earlier controller. Returns the number of runs in each state.
fn resume(bench: &mut Bench) -> BTreeMap<&'static str, usize> {
    bench.restart();
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for n in 0..6 {
        let spec = bench.spec(n, json!({"do": "later", "seconds": 1.0, "score": n}));
        let what = match bench.pool.find(&spec.id, &spec.directory).unwrap() {
            Found::Absent => {
                bench.pool.submit(&spec).unwrap();
                "absent"
            }
            Found::Alive(handle) => {
                bench
                    .pool
                    .adopt(&spec.id, &spec.directory, &handle)
                    .unwrap();
                "alive"
            }
            Found::Ended(ended) => {
                is_answer(&ended);
                "ended"
            }
            Found::Vanished { .. } => "vanished",
            other => panic!("{other:?}"),
        };
        *found.entry(what).or_default() += 1;
    }
    found
}

#[test]
fn the_answers_to_a_killed_controller_are_kept_and_what_was_not_asked_is_asked_by_the_next() {
    if !has_python() {
        return;
    }
    let (mut bench, mut controller) = controlled();
    controller.kill().unwrap();
    controller.wait().unwrap();
    let found = resume(&mut bench);
    assert_eq!(found, BTreeMap::from([("absent", 2), ("alive", 4)]));
    bench.wait(6).values().for_each(is_answer);
    for n in 0..6 {
        bench.scored(n, n as f64);
    }
    let asked: Vec<String> = bench.asked().into_iter().map(|(_, id, _)| id).collect();
    assert_eq!((asked.len(), distinct(&asked)), (6, 6), "{asked:?}");
}

#[test]
fn answers_that_come_while_nobody_listens_are_found() {
    if !has_python() {
        return;
    }
    let (mut bench, mut controller) = controlled();
    controller.kill().unwrap();
    controller.wait().unwrap();
    eventually("the host has finished", || bench.hosts().is_empty());
    assert!(!exists(bench.workers()[0]));
    let found = resume(&mut bench);
    assert_eq!(found, BTreeMap::from([("absent", 2), ("ended", 4)]));
    bench.wait(2).values().for_each(is_answer);
}

#[test]
fn controller_and_host_killed_together_leave_nothing_and_what_was_asked_has_vanished() {
    if !has_python() {
        return;
    }
    let (mut bench, mut controller) = controlled();
    let host = bench.hosts()[0];
    controller.kill().unwrap();
    kill(host);
    controller.wait().unwrap();
    eventually("the host is gone", || !exists(host));
    let found = resume(&mut bench);
    assert_eq!(found, BTreeMap::from([("absent", 2), ("vanished", 4)]));
    assert!(!exists(bench.workers()[0]));
    bench.wait(2).values().for_each(is_answer);
}
