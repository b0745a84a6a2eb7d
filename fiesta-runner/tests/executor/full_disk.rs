//! Tests of runs on full disks, which are real but small file systems.

use crate::bench::{Bench, SOON, eventually};
use crate::printed::{HALF, score};
use fiesta_runner::run::RunDirectory;
use fiesta_runner::{
    executor::Executor,
    run::{End, RunSpec},
};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Small file system in memory, mounted below a directory.
struct SmallDisk {
    path: PathBuf,
}

impl SmallDisk {
    /// Mounts a small disk. `None`, with a message, if this system allows no mounts.
    fn new(below: &Path, size: &str) -> Option<Self> {
        let path = below.join("disk");
        fs::create_dir(&path).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(&path)
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self { path }),
            other => {
                crate::skipped::skipped_on_this_machine(format_args!(
                    "no disk can be filled here, as none can be mounted: {other:?}"
                ));
                None
            }
        }
    }

    /// Fills the disk, up to `left` bytes.
    fn fill(&self, left: u64) {
        let mut filler = File::create(self.path.join("filler")).unwrap();
        while filler.write(&[1; 4096]).is_ok() {}
        let length = filler.metadata().unwrap().len();
        filler.set_len(length - left).unwrap();
    }

    fn make_room(&self) {
        fs::remove_file(self.path.join("filler")).unwrap();
    }

    #[track_caller]
    fn assert_full(&self) {
        let refused = fs::write(self.path.join("proof"), [1; 4096]);
        assert!(refused.is_err(), "the disk was to be full");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.path).status();
    }
}

/// Makes a run whose directory is on the small disk, but not its working directory. Its exit code
/// says whether printing failed.
fn spec_on(disk: &SmallDisk, bench: &Bench, script: &str) -> RunSpec {
    let mut spec = bench.shell(&format!("set -e; {script}"));
    spec.directory = disk.path.join(spec.id.as_str());
    spec
}

const WAIT: &str = "echo > started; until [ -e go ]; do sleep 0.02; done";

#[test]
fn a_log_larger_than_the_disk_is_dropped_and_its_score_counts() {
    let mut bench = Bench::new();
    let Some(disk) = SmallDisk::new(bench.path(), "2m") else {
        return;
    };
    let flood = "head -c 9000000 /dev/zero; echo; echo '{\"f1\": 0.5}'; echo complaint >&2";
    let spec = spec_on(&disk, &bench, &format!("{WAIT}; {flood}"));
    bench.submit(&spec);
    bench.await_file("started");
    // DiskSpace for the end is reserved once the run is not a short one.
    eventually("room is reserved", || {
        fs::read_dir(&spec.directory).unwrap().any(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.starts_with("end.json.")
        })
    });
    bench.touch("go");
    let began = Instant::now();
    let ended = bench.wait();
    assert!(began.elapsed() < SOON);
    assert_eq!(ended.end, End::Exited(0));
    let rescued = ended.rescued.as_ref().unwrap();
    assert!(rescued.reason.contains("No space left"), "{rescued:?}");
    assert_eq!(rescued.stdout, "{\"f1\": 0.5}\n");
    assert_eq!(rescued.stderr, "complaint\n");
    assert_eq!(score(&spec, &ended).unwrap(), HALF);
    let found = RunDirectory::new(&spec.directory).read_end().unwrap();
    assert_eq!(found, Some(ended));
}

#[test]
fn an_end_that_finds_no_room_waits_for_it() {
    let mut bench = Bench::new();
    let Some(disk) = SmallDisk::new(bench.path(), "2m") else {
        return;
    };
    // Enough to begin, too little to reserve anything.
    disk.fill(100_000);
    let spec = spec_on(&disk, &bench, &format!("{WAIT}; echo '{{\"f1\": 0.5}}'"));
    bench.submit(&spec);
    bench.await_file("started");
    disk.fill(0);
    bench.touch("go");
    assert!(bench.poll(Duration::from_millis(1500)).is_empty());
    disk.assert_full();
    disk.make_room();
    let ended = bench.wait();
    assert_eq!((&ended.end, &ended.rescued), (&End::Exited(0), &None));
    assert_eq!(score(&spec, &ended).unwrap(), HALF);
}

#[test]
fn room_that_comes_back_gets_the_end_of_the_log() {
    let mut bench = Bench::new();
    let Some(disk) = SmallDisk::new(bench.path(), "8m") else {
        return;
    };
    disk.fill(1_000_000);
    let script =
        format!("head -c 3000000 /dev/zero | tr '\\0' x; {WAIT}; echo; echo '{{\"f1\": 0.5}}'");
    let spec = spec_on(&disk, &bench, &script);
    bench.submit(&spec);
    bench.await_file("started");
    disk.make_room();
    bench.touch("go");
    let ended = bench.wait();
    assert_eq!((&ended.end, &ended.rescued), (&End::Exited(0), &None));
    let log = fs::read(RunDirectory::new(&spec.directory).stdout()).unwrap();
    let log = String::from_utf8(log).unwrap();
    assert!(log.starts_with("xxx") && log.ends_with("\n{\"f1\": 0.5}\n"));
    assert!(log.contains("bytes were left out here: No space left on device"));
}

#[test]
fn whoever_waits_for_room_can_be_stopped() {
    let mut bench = Bench::new();
    let Some(disk) = SmallDisk::new(bench.path(), "2m") else {
        return;
    };
    disk.fill(100_000);
    let spec = spec_on(&disk, &bench, WAIT);
    let supervisor = bench.submit(&spec);
    bench.await_file("started");
    disk.fill(0);
    bench.touch("go");
    assert!(bench.poll(Duration::from_millis(500)).is_empty());
    bench.executor.cancel(&spec.id, Duration::ZERO).unwrap();
    let ended = bench.wait();
    assert!(matches!(ended.end, End::Lost { .. }), "{ended:?}");
    assert!(!supervisor.is_alive());
}
