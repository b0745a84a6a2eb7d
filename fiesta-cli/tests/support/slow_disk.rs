//! Slow file system, as on a server, for tests.

#![allow(dead_code, reason = "not every test program that has one lets it fail")]

use crate::support::{Bench, within};
use rustix::fs::statfs;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

/// Directory that `slow_disk.py` serves slowly; unmounted when this is dropped.
pub(crate) struct SlowDisk {
    at: PathBuf,
    source: PathBuf,
    server: Child,
}

impl SlowDisk {
    /// Mounts a disk whose operations take this long. `None`, with a message, if it cannot be made.
    pub(crate) fn mount(bench: &Bench, name: &str, milliseconds: u32) -> Option<Self> {
        let (at, source) = (bench.path(name), bench.path("served"));
        for directory in [&at, &source] {
            fs::create_dir_all(directory).unwrap();
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/slow_disk.py");
        // Debian's own Python has Debian's packages.
        let python = ["/usr/bin/python3", "python3"].into_iter().find(|python| {
            let mut has = Command::new(python);
            has.args([
                "-c",
                "try:\n import fuse\nexcept ImportError:\n import fusepy",
            ]);
            has.stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        });
        let Some(python) = python else {
            return skipped("Python has no module fuse (Debian's python3-fusepy)");
        };
        let server = Command::new(python)
            .arg(script)
            .args([&source, &at])
            .arg(milliseconds.to_string())
            .spawn()
            .unwrap();
        let mut disk = Self { at, source, server };
        let is_there = || statfs(&disk.at).is_ok_and(|found| found.f_type == 0x6573_5546);
        if within(Duration::from_secs(20), is_there) {
            return Some(disk);
        }
        let ended = disk.server.try_wait();
        crate::support::skipped_on_this_machine(format_args!(
            "no FUSE file system comes up: {ended:?}"
        ));
        None
    }

    /// Makes writing fail with the error of this name. An empty name makes it succeed again.
    /// Further words limit the error to paths that contain one of them.
    pub(crate) fn fail(&self, error: &str) {
        self.tell("fail", error);
    }

    /// Makes closing a file take `seconds` seconds, also after the kill of its process.
    pub(crate) fn close_slowly(&self, seconds: u32) {
        self.tell("close", &seconds.to_string());
    }

    fn tell(&self, what: &str, text: &str) {
        let told = self.source.with_extension(what);
        fs::write(told, text).unwrap();
    }
}

impl Drop for SlowDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.at).output();
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn skipped(reason: &str) -> Option<SlowDisk> {
    crate::support::skipped(format_args!("no slow file system could be had: {reason}"));
    None
}
