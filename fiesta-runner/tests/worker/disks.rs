//! Tests of workers on disks that are full, or refuse an answer.

use crate::bench::{Bench, distinct, eventually, exists, has_python, is_answer, spec, stop};
use fiesta_runner::{executor::Executor, run::End};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// Small file system for the runs of a test, unmounted at the end.
struct Small {
    path: PathBuf,
}

impl Small {
    fn mount(path: PathBuf) -> Option<Self> {
        fs::create_dir_all(&path).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"])
            .arg(&path)
            .output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self { path });
        }
        crate::skipped::skipped_on_this_machine(
            "no small file system can be mounted here, so no disk is filled",
        );
        None
    }

    /// Fills the disk. Returns the path of the file that takes all room.
    fn fill(&self) -> PathBuf {
        let filling = self.path.join("filling");
        let filled = fs::write(&filling, vec![b'x'; 1 << 20]);
        assert_eq!(filled.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
        filling
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.path).status();
    }
}

#[test]
fn an_answer_for_which_the_disk_has_no_room_is_kept_until_it_has() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|settings| settings.concurrency = 2);
    let Some(small) = Small::mount(bench.path("runs")) else {
        return;
    };
    let mut spec = spec(&bench, 0, 0, json!({"do": "hang", "score": 0.625}));
    spec.directory = small.path.join(spec.id.as_str());
    bench.pool.submit(&spec).unwrap();
    eventually("it is asked", || {
        bench.poll(Duration::from_millis(10));
        !bench.asked().is_empty()
    });
    let filling = small.fill();
    bench.touch("go");
    let until = Instant::now() + Duration::from_millis(2500);
    while Instant::now() < until {
        assert_eq!(bench.poll(Duration::from_millis(100)), []);
    }
    assert!(bench.notes().contains("cannot write"), "{}", bench.notes());
    fs::remove_file(&filling).unwrap();
    is_answer(&bench.wait_one());
    let answer = fs::read_to_string(spec.directory.join("stdout")).unwrap();
    assert!(answer.contains("0.625"), "{answer}");
    assert_eq!(distinct(&bench.workers()), 1);
}

/// Tests that an answer for which the disk has no room is given up once its run is cancelled, such
/// as at the second Ctrl-C.
#[test]
fn an_answer_for_which_there_is_no_room_and_that_nobody_wants_any_more_is_given_up() {
    if !has_python() {
        return;
    }
    for cancelled in [true, false] {
        let mut bench = Bench::new(|_| {});
        let Some(small) = Small::mount(bench.path("runs")) else {
            return;
        };
        let mut spec = spec(&bench, 0, 0, json!({"do": "hang"}));
        spec.directory = small.path.join(spec.id.as_str());
        bench.pool.submit(&spec).unwrap();
        bench.poll_until("it is asked", |bench| !bench.asked().is_empty());
        small.fill();
        bench.touch("go");
        bench.poll_until("the disk refuses it", |bench| {
            bench.notes().contains("cannot write")
        });
        if cancelled {
            bench.pool.cancel(&spec.id, Duration::ZERO).unwrap();
        } else {
            // The first lets the worker end, the second its host.
            let host = bench.hosts()[0];
            stop(host);
            let worker = bench.workers()[0];
            bench.poll_until("the worker is gone", |_| !exists(worker));
            stop(host);
        }
        let ended = bench.wait_one();
        assert!(matches!(ended.end, End::Lost { .. }), "{ended:?}");
        assert!(bench.hosts().is_empty());
    }
}

#[test]
fn an_answer_that_cannot_be_written_is_lost_and_its_worker_goes_on() {
    if !has_python() {
        return;
    }
    let mut bench = Bench::new(|_| {});
    bench.submit(0, json!({"do": "hang"}));
    bench.poll_until("it is asked", |bench| !bench.asked().is_empty());
    fs::create_dir(bench.run(0, 0).join("stdout")).unwrap();
    bench.touch("go");
    let ended = bench.wait_one();
    let End::Lost { reason } = &ended.end else {
        panic!("{ended:?}");
    };
    assert!(reason.contains("answer cannot be written"), "{reason}");
    is_answer(&bench.ask(1, json!({})));
    assert_eq!(bench.workers().len(), 1);
}

#[test]
fn a_worker_is_started_once_there_is_room_for_its_host() {
    let answer = "while read -r line; do id=${line#*\\\"id\\\":\\\"}
        echo \"{\\\"id\\\": \\\"${id%%\\\"*}\\\", \\\"f1\\\": 0.5}\"; done";
    let mut bench = Bench::new(|_| {}).shell(answer);
    let Some(small) = Small::mount(bench.path("workers.d")) else {
        return;
    };
    let filling = small.fill();
    bench.submit(0, json!({}));
    assert_eq!(bench.poll(Duration::from_millis(500)), []);
    fs::remove_file(filling).unwrap();
    is_answer(&bench.wait_one());
    // What could not be begun has left nothing.
    assert_eq!(fs::read_dir(&small.path).unwrap().count(), 1);
}
