//! Fixture of the tests: an executor, a directory for its runs, and time limits.

use crate::support::stop_all;
pub(crate) use crate::support::{LONG, SOON, eventually, kill};
use fiesta_runner::process::Identity;
use fiesta_runner::{
    executor::{Executor, Handle, Local},
    run::{Ended, RunId, RunSpec},
};
use std::fs;
use std::io::{PipeReader, PipeWriter, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

pub(crate) fn executor() -> Local {
    Local::with_supervisor(env!("CARGO_BIN_EXE_fiesta-supervisor"))
}

/// An executor with a directory for its runs and a pipe to wake it.
pub(crate) struct Bench {
    directory: TempDir,
    pub(crate) executor: Local,
    wake: (PipeReader, PipeWriter),
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            directory: TempDir::new().unwrap(),
            executor: executor(),
            wake: std::io::pipe().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn spec(&self, command: &[&str]) -> RunSpec {
        spec(self.path(), command)
    }

    pub(crate) fn shell(&self, script: &str) -> RunSpec {
        self.spec(&["/bin/sh", "-c", script])
    }

    pub(crate) fn wake(&mut self) {
        self.wake.1.write_all(b"!").unwrap();
    }

    pub(crate) fn poll(&mut self, timeout: Duration) -> Vec<Ended> {
        self.executor
            .poll(Some(timeout), self.wake.0.as_fd())
            .unwrap()
    }

    /// Waits for the end of the only run.
    #[track_caller]
    pub(crate) fn wait(&mut self) -> Ended {
        let mut ended = self.poll(LONG);
        assert_eq!(ended.len(), 1, "one run ends: {ended:?}");
        ended.remove(0)
    }

    #[track_caller]
    pub(crate) fn run(&mut self, spec: &RunSpec) -> Ended {
        self.submit(spec);
        self.wait()
    }

    /// Starts a run. Returns the identity of its supervisor.
    #[track_caller]
    pub(crate) fn submit(&mut self, spec: &RunSpec) -> Identity {
        supervisor(self.executor.submit(spec).unwrap())
    }

    /// Waits until a script has made a file in the working directory.
    #[track_caller]
    pub(crate) fn await_file(&self, name: &str) {
        eventually("a file is made", || self.path().join(name).exists());
    }

    /// Makes a file for which a script waits.
    pub(crate) fn touch(&self, name: &str) {
        fs::write(self.path().join(name), "").unwrap();
    }

    /// Writes a program into the working directory, by another process: a file that this process
    /// has open for writing could not be started.
    #[track_caller]
    pub(crate) fn program(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        let path = self.path().join(name);
        let status = Command::new("/bin/sh")
            .args([
                "-c",
                r#"printf %s "$1" > "$2" && chmod "$3" "$2""#,
                "sh",
                text,
            ])
            .arg(&path)
            .arg(format!("{mode:o}"))
            .status()
            .unwrap();
        assert!(status.success());
        path
    }

    /// Returns the process whose pid a script wrote into a file.
    #[track_caller]
    pub(crate) fn process(&self, name: &str) -> Identity {
        Identity::of(self.pid(name)).unwrap()
    }

    /// Waits for a script to write a pid into a file, and returns the pid.
    #[track_caller]
    pub(crate) fn pid(&self, name: &str) -> i32 {
        let path = self.path().join(name);
        let read = || {
            fs::read_to_string(&path)
                .ok()?
                .strip_suffix('\n')?
                .parse()
                .ok()
        };
        eventually("a script writes its pid", || read().is_some());
        read().unwrap()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        stop_all(&mut self.executor, |executor| {
            executor.followed().cloned().collect()
        });
    }
}

pub(crate) fn spec(directory: &Path, command: &[&str]) -> RunSpec {
    let id = RunId::new("study", 1, 1).unwrap();
    RunSpec {
        directory: directory.join(id.as_str()),
        id,
        command: command.iter().map(ToString::to_string).collect(),
        environment: vec![("FIESTA_ARM".to_owned(), "tdlstm".to_owned())],
        of_caller: Vec::new(),
        working_directory: directory.to_owned(),
        evaluation: None,
        gpus: None,
        carries_output: false,
        pattern: None,
        wall_limit: None,
        silence: None,
        grace: LONG,
        request: None,
        item: None,
    }
}

pub(crate) fn supervisor(handle: Handle) -> Identity {
    match handle {
        Handle::Process(identity) => identity,
        other => panic!("a process of this machine: {other:?}"),
    }
}

/// Whether a process with this pid exists, even as a zombie.
pub(crate) fn exists(pid: i32) -> bool {
    PathBuf::from(format!("/proc/{pid}")).exists()
}

/// The states of a process's children, as `ps` prints them.
pub(crate) fn children(parent: i32) -> Vec<char> {
    let table = fs::read_dir("/proc").unwrap();
    table
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("stat")).ok())
        .filter_map(|stat| {
            let mut fields = stat.rsplit(')').next()?.split_whitespace();
            let state = fields.next()?.chars().next()?;
            (fields.next()? == parent.to_string()).then_some(state)
        })
        .collect()
}
