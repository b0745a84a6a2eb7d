//! Disks that are full, or refuse an answer.

use crate::bench::{Bench, distinct, eventually, exists, has_python, is_answer, spec, stop};
use fiesta_runner::executor::{End, Executor};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// A small file system on which the runs are, unmounted at the end.
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
        eprintln!("SKIPPED: no small file system can be mounted here, so no disk is filled");
        None
    }

    /// Leaves no room; returns what takes it.
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
