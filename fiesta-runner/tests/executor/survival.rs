//! Tests that runs survive the end of their controller, their supervisor or the machine, and
//! repeated calls.

use crate::bench::{Bench, LONG, children, eventually, executor, exists, kill, spec, supervisor};
use fiesta_runner::process::Identity;
use fiesta_runner::{
    executor::{Executor, Found, Handle, Local, parts},
    run::{End, Ended, RunDirectory, RunId, RunSpec},
};
use rustix::process::{Pid, Signal, getsid, kill_process, kill_process_group};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Variable with the directory in which the started controller finds its work.
const DIRECTORY: &str = "FIESTA_TEST_CONTROLLER";

const PATIENT: &str =
    "echo > started; while [ ! -e go ]; do sleep 0.02; done; echo '{\"f1\": 0.5}'; exit 7";

/// Controller that tests start in another process and kill. It is not a test.
#[test]
#[ignore = "a part of other tests, which start it"]
fn controller() {
    let Some(directory) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let mut executor = executor();
    let spec = spec(Path::new(&directory), &["/bin/sh", "-c", PATIENT]);
    executor.submit(&spec).unwrap();
    std::thread::sleep(LONG);
}

/// Starts the controller, in a process group of its own, and waits for its run.
fn controller_of(bench: &Bench) -> Child {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "survival::controller", "--ignored"])
        .env(DIRECTORY, bench.path())
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    bench.await_file("started");
    child
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_child(child)
}

fn find(bench: &mut Bench, spec: &RunSpec) -> Found {
    bench.executor.find(&spec.id, &spec.directory).unwrap()
}

#[test]
fn a_run_survives_its_killed_controller_and_is_adopted() {
    let mut bench = Bench::new();
    let spec = bench.shell(PATIENT);
    assert_eq!(find(&mut bench, &spec), Found::Absent);
    let mut controller = controller_of(&bench);
    kill_process(pid_of(&controller), Signal::KILL).unwrap();
    assert_eq!(controller.wait().unwrap().signal(), Some(9));

    let Found::Alive(handle) = find(&mut bench, &spec) else {
        panic!("the run goes on");
    };
    bench
        .executor
        .adopt(&spec.id, &spec.directory, &handle)
        .unwrap();
    assert!(bench.poll(Duration::from_millis(100)).is_empty());
    bench.touch("go");
    assert_eq!(bench.wait().end, End::Exited(7));
}

#[test]
fn a_run_that_ends_while_nobody_looks_is_found() {
    let mut bench = Bench::new();
    let spec = bench.shell(PATIENT);
    let mut controller = controller_of(&bench);
    // As the terminal does on Ctrl-C: to the controller and everything in its group.
    kill_process_group(pid_of(&controller), Signal::INT).unwrap();
    // In the background of some shells, that is ignored.
    kill_process(pid_of(&controller), Signal::KILL).unwrap();
    controller.wait().unwrap();
    let Found::Alive(handle) = find(&mut bench, &spec) else {
        panic!("the run goes on");
    };
    bench.touch("go");
    eventually("it ends", || {
        matches!(find(&mut bench, &spec), Found::Ended(_))
    });

    // What was alive when it was found may have ended when it is adopted.
    bench
        .executor
        .adopt(&spec.id, &spec.directory, &handle)
        .unwrap();
    assert_eq!(bench.wait().end, End::Exited(7));
}

#[test]
fn an_adopted_run_can_be_cancelled() {
    let mut bench = Bench::new();
    let spec = bench.shell(PATIENT);
    let handle = executor().submit(&spec).unwrap();
    bench.await_file("started");
    bench
        .executor
        .adopt(&spec.id, &spec.directory, &handle)
        .unwrap();
    bench.executor.cancel(&spec.id, LONG).unwrap();
    assert_eq!(bench.wait().end, End::Cancelled);
}

#[test]
fn a_run_that_was_cancelled_before_it_began_can_be_submitted_again() {
    let mut bench = Bench::new();
    let spec = bench.spec(&["true"]);
    bench.executor = Local::with_supervisor("/bin/true");
    bench.submit(&spec);
    bench.executor.cancel(&spec.id, LONG).unwrap();
    assert_eq!(bench.wait().end, End::Cancelled);
    bench.executor = executor();
    assert_eq!(bench.run(&spec).end, End::Exited(0));
}

/// Tests that a run is taken back if its controller died before a supervisor claimed it. Otherwise
/// the supervisor would begin late, perhaps on another run's GPU.
#[test]
fn a_submission_that_nobody_took_is_taken_back() {
    let mut bench = Bench::new();
    let spec = bench.shell("echo > started");
    bench.executor = Local::with_supervisor("/bin/true");
    bench.submit(&spec);
    bench.executor = executor();
    let found = find(&mut bench, &spec);
    assert!(matches!(found, Found::Vanished { .. }), "{found:?}");
    let late = std::process::Command::new(env!("CARGO_BIN_EXE_fiesta-supervisor"))
        .arg(fiesta_runner::supervisor::ARGUMENT)
        .arg(&spec.directory)
        .status();
    assert!(late.unwrap().success());
    assert!(!bench.path().join("started").exists());
    // Whoever looks again sees the same.
    let again = find(&mut bench, &spec);
    assert!(matches!(again, Found::Vanished { .. }), "{again:?}");
}

#[test]
fn a_cancellation_whose_signal_was_lost_is_found() {
    let mut bench = Bench::new();
    let spec = bench.shell("echo > started");
    // The supervisor of another controller, which wrote this and sent its signal at an unlucky
    // moment.
    let late = format!(
        "#!/bin/sh\necho '{{\"grace\": 0}}' > {}/cancel.json\nexec {} \"$@\"\n",
        spec.directory.display(),
        env!("CARGO_BIN_EXE_fiesta-supervisor"),
    );
    let program = bench.program("slow-supervisor", &late, 0o755);
    bench.executor = Local::with_supervisor(program);
    assert_eq!(bench.run(&spec).end, End::Cancelled);
    assert!(!bench.path().join("started").exists());
}

#[test]
fn a_supervisor_has_a_session_of_its_own() {
    let mut bench = Bench::new();
    let spec = bench.shell(PATIENT);
    let supervisor = bench.submit(&spec);
    bench.await_file("started");
    let pid = Pid::from_raw(supervisor.pid).unwrap();
    assert_eq!(getsid(Some(pid)).unwrap(), pid);
    bench.touch("go");
    bench.wait();
}

#[test]
fn a_handle_whose_pid_was_used_again_is_not_followed() {
    let mut bench = Bench::new();
    let spec = bench.spec(&["true"]);
    let mut stranger = Identity::current().unwrap();
    stranger.start_time += 1;
    let handle = Handle::Process(stranger);
    bench
        .executor
        .adopt(&spec.id, &spec.directory, &handle)
        .unwrap();
    let ended = bench.wait();
    assert!(matches!(ended.end, End::Lost { .. }), "{ended:?}");
}

#[test]
fn what_a_killed_supervisor_leaves_is_stopped() {
    let mut bench = Bench::new();
    let spec = bench.shell(
        "trap '' TERM; setsid sh -c 'echo $$ > session.pid; exec sleep 1000' & echo $$ > main.pid; wait",
    );
    let supervisor = bench.submit(&spec);
    let pids = ["main.pid", "session.pid"].map(|name| bench.process(name));
    kill(supervisor.pid);
    let ended = bench.wait();
    assert!(
        matches!(&ended.end, End::Lost { reason } if reason.contains("killed")),
        "{ended:?}"
    );
    assert!(pids.iter().all(|process| !process.is_alive()));
    assert!(matches!(find(&mut bench, &spec), Found::Vanished { .. }));
}

/// Tests that processes of a killed supervisor are stopped even if their first thread has ended.
/// Such processes look like zombies, and show no environment.
#[test]
fn what_a_killed_supervisor_leaves_is_stopped_to_its_last_thread() {
    if Command::new("python3").arg("--version").output().is_err() {
        crate::skipped::skipped("python3 is missing");
        return;
    }
    let mut bench = Bench::new();
    let headless = "
import ctypes, fcntl, os, threading, time
lock = open('lock', 'w')
fcntl.flock(lock, fcntl.LOCK_EX)
threading.Thread(target=time.sleep, args=(1000,)).start()
print(os.getpid(), file=open('headless.pid', 'w'), flush=True)
ctypes.CDLL(None).pthread_exit(None)
";
    let spec = bench.spec(&["python3", "-c", headless]);
    let supervisor = bench.submit(&spec);
    let pid = bench.pid("headless.pid");
    eventually("its first thread ends", || {
        fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "))
    });
    let lock = File::open(bench.path().join("lock")).unwrap();
    assert!(lock.try_lock().is_err());
    kill(supervisor.pid);
    assert!(matches!(bench.wait().end, End::Lost { .. }));
    lock.try_lock().unwrap();
}

#[test]
fn a_run_that_is_submitted_twice_is_carried_out_once() {
    let mut first = Bench::new();
    let mut second = Bench::new();
    let spec = first.shell("echo >> times; echo > started; while [ ! -e go ]; do sleep 0.02; done");
    first.submit(&spec);
    // Now and then before the first one has claimed the run.
    second.submit(&spec);
    first.await_file("started");
    assert!(first.poll(Duration::from_millis(200)).is_empty());
    assert!(second.poll(Duration::from_millis(200)).is_empty());
    first.touch("go");
    assert_eq!(first.wait(), second.wait());
    assert_eq!(
        fs::read_to_string(first.path().join("times")).unwrap(),
        "\n"
    );

    // And so it stays.
    second.submit(&spec);
    assert_eq!(second.wait().end, End::Exited(0));
    assert_eq!(
        fs::read_to_string(first.path().join("times")).unwrap(),
        "\n"
    );
}

/// Changes the claim of a finished run.
fn rewrite(spec: &RunSpec, change: impl FnOnce(&mut Value)) {
    let path = spec.directory.join("meta.json");
    let mut meta: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut meta);
    fs::write(&path, meta.to_string()).unwrap();
}

fn finished() -> (Bench, RunSpec, Ended) {
    let mut bench = Bench::new();
    let spec = bench.spec(&["true"]);
    let ended = bench.run(&spec);
    (bench, spec, ended)
}

#[test]
fn after_a_power_cut_short_runs_are_made_again_and_long_ones_count() {
    let (mut bench, spec, mut ended) = finished();
    rewrite(&spec, |meta| meta["boot_id"] = json!("an earlier one"));
    assert!(matches!(find(&mut bench, &spec), Found::Vanished { .. }));
    ended.seconds = 100.0;
    let end = spec.directory.join("end.json");
    fs::write(&end, serde_json::to_vec(&ended).unwrap()).unwrap();
    assert_eq!(find(&mut bench, &spec), Found::Ended(ended));
    fs::write(&end, "").unwrap();
    assert!(matches!(find(&mut bench, &spec), Found::Vanished { .. }));
    fs::write(spec.directory.join("meta.json"), "").unwrap();
    assert!(matches!(find(&mut bench, &spec), Found::Vanished { .. }));
}

#[test]
fn a_run_elsewhere_is_not_taken_for_dead() {
    let (mut bench, spec, _) = finished();
    fs::remove_file(spec.directory.join("end.json")).unwrap();
    assert!(matches!(find(&mut bench, &spec), Found::Vanished { .. }));

    // Another container of this machine: the supervisor's lock says whether it lives.
    rewrite(&spec, |meta| meta["namespace"] = json!("pid:[1]"));
    assert!(matches!(find(&mut bench, &spec), Found::Vanished { .. }));
    let lock = File::open(spec.directory.join("meta.json")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(find(&mut bench, &spec), Found::Elsewhere { .. }));
    drop(lock);

    rewrite(&spec, |meta| {
        meta["boot_id"] = json!("another");
        meta["host"] = json!("node7");
    });
    let host = "node7".to_owned();
    assert_eq!(find(&mut bench, &spec), Found::Elsewhere { host });
}

#[test]
fn a_supervisor_holds_its_lock_and_its_command_does_not() {
    let mut bench = Bench::new();
    let spec = bench.shell(PATIENT);
    let identity = supervisor(bench.executor.submit(&spec).unwrap());
    bench.await_file("started");
    let meta = File::open(spec.directory.join("meta.json")).unwrap();
    assert!(meta.try_lock().is_err());
    assert_eq!(children(identity.pid).len(), 1);
    kill(identity.pid);
    eventually("the lock is free", || meta.try_lock().is_ok());
    meta.unlock().unwrap();
    bench.wait();
    assert!(!exists(identity.pid));
}

#[test]
fn a_supervisor_that_fails_leaves_a_note() {
    let mut bench = Bench::new();
    let spec = bench.spec(&["true"]);
    let forgetful = format!(
        "#!/bin/sh\nrm {}/spec.json\nexec {} \"$@\"\n",
        spec.directory.display(),
        env!("CARGO_BIN_EXE_fiesta-supervisor"),
    );
    let program = bench.program("forgetful-supervisor", &forgetful, 0o755);
    bench.executor = Local::with_supervisor(program);
    let ended = bench.run(&spec);
    assert!(
        matches!(&ended.end, End::Lost { reason } if reason.contains("the supervisor failed")),
        "{ended:?}"
    );
}

/// Tests that an end that could not be read when its supervisor said so is read later: the supervisor
/// says it once.
#[test]
fn an_end_that_cannot_be_read_at_first_is_read_later() {
    let mut bench = Bench::new();
    let spec = bench.spec(&["true"]);
    bench.submit(&spec);
    let [end, aside] = ["end.json", "aside"].map(|name| spec.directory.join(name));
    eventually("it is published", || end.exists());
    fs::rename(&end, &aside).unwrap();
    fs::create_dir(&end).unwrap();
    let (quiet, _open) = std::io::pipe().unwrap();
    let polled = bench.executor.poll(Some(LONG), quiet.as_fd());
    assert!(polled.is_err(), "{polled:?}");
    fs::remove_dir(&end).unwrap();
    fs::rename(&aside, &end).unwrap();
    assert_eq!(bench.wait().end, End::Exited(0));
}

/// Tests that after a power cut, which has torn the record of its claim, the end of a short run
/// counts only if it contains what the run printed.
#[test]
fn a_short_end_without_its_claim_counts_only_with_its_result() {
    for is_carried in [false, true] {
        let place = tempfile::TempDir::new().unwrap();
        let directory = RunDirectory::new(place.path());
        let id = RunId::new("study", 1, 0).unwrap();
        let mut ended = Ended::unmeasured(id.clone(), End::Exited(0));
        ended.carried = is_carried.then(Default::default);
        let text = serde_json::to_vec(&ended).unwrap();
        fs::write(place.path().join("end.json"), text).unwrap();
        for is_torn in [false, true] {
            if is_torn {
                fs::write(place.path().join("meta.json"), "{").unwrap();
            }
            match parts::find(&id, &directory).unwrap() {
                Found::Ended(found) => assert!(found == ended && is_carried),
                Found::Vanished { .. } => assert!(!is_carried),
                found => panic!("{found:?}"),
            }
        }
    }
}
