//! Programs that are run for what they print, for a limited time.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

const LOOK: Duration = Duration::from_millis(10);
/// How much of what a program prints is read: of each stream, its end.
const MOST: u64 = 8 << 20;

/// A program that was run.
pub(super) struct Ran {
    /// How it ended. `None` if it was stopped because it took too long.
    pub(super) status: Option<ExitStatus>,
    pub(super) printed: String,
    pub(super) errors: String,
}

impl Ran {
    /// What went wrong, in words that follow the command.
    pub(super) fn problem(&self, longest: Duration) -> Option<String> {
        match self.status {
            None => Some(format!("was stopped after {} s", longest.as_secs())),
            Some(status) if status.success() => None,
            Some(status) => {
                let last = [&self.errors, &self.printed].map(|text| text.trim().lines().last());
                let last = last.into_iter().flatten().next();
                let last = last.map_or_else(String::new, |line| format!(": {line}"));
                Some(format!("ended with {status}{last}"))
            }
        }
    }
}

/// A program of these words, in a directory. A name with a slash is sought from there.
pub(super) fn command(words: &[String], directory: &Path) -> Command {
    let first = words.first().map_or("", String::as_str);
    let mut command = if first.contains('/') {
        Command::new(directory.join(first))
    } else {
        Command::new(first)
    };
    command
        .args(words.iter().skip(1))
        .current_dir(directory)
        .stdin(Stdio::null());
    command
}

/// Runs a program for no longer than this. With `alone`, the program and what it starts are a
/// group, which is stopped as a whole, and which Ctrl-C does not reach.
pub(super) fn run(command: &mut Command, longest: Duration, alone: bool) -> io::Result<Ran> {
    let mut streams = [unnamed()?, unnamed()?];
    if alone {
        command.process_group(0);
    }
    let mut child = command
        .stdout(streams[0].try_clone()?)
        .stderr(streams[1].try_clone()?)
        .spawn()?;
    let deadline = Instant::now() + longest;
    let status = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if Instant::now() >= deadline => break None,
            None => thread::sleep(LOOK),
        }
    };
    if status.is_none() {
        let group = rustix::process::Pid::from_raw(child.id().cast_signed());
        if let Some(group) = group.filter(|_| alone) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = child.kill();
        let _ = child.wait();
    }
    let mut texts = streams.iter_mut().map(end_of);
    let mut next = || texts.next().unwrap_or_else(|| Ok(String::new()));
    Ok(Ran {
        status,
        printed: next()?,
        errors: next()?,
    })
}

/// The end of what a file holds.
fn end_of(file: &mut File) -> io::Result<String> {
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(MOST)))?;
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A file without a name.
fn unnamed() -> io::Result<File> {
    let flags =
        rustix::fs::OFlags::TMPFILE | rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC;
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    Ok(rustix::fs::open(std::env::temp_dir(), flags, mode)?.into())
}
