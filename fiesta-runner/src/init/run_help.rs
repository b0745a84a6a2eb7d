//! A run of a command with `--help`, for what it prints.

use super::InitError;
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How long a command may take to print its help: some load a framework first.
const LONGEST: Duration = Duration::from_mins(1);
const LOOK: Duration = Duration::from_millis(20);
/// How much of it is read.
const MOST: u64 = 1 << 20;

/// What a command prints for `--help`, to either stream. It gets no input, a group of processes of
/// its own, and a minute.
pub(super) fn run(program: &[String], directory: &Path) -> Result<String, InitError> {
    let command = program.join(" ");
    let wrong = |problem: String| InitError::Help {
        command: command.clone(),
        problem,
    };
    let failed = |error: std::io::Error| wrong(format!("cannot be run: {error}"));
    let Some((first, rest)) = program.split_first() else {
        return Err(wrong("is no command".to_owned()));
    };
    let mut output = unnamed().map_err(failed)?;
    let copy = |file: &File| file.try_clone().map_err(failed);
    let first = if first.contains('/') {
        directory.join(first).into_os_string()
    } else {
        first.into()
    };
    let mut child = Command::new(first)
        .args(rest)
        .arg("--help")
        .current_dir(directory)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(copy(&output)?)
        .stderr(copy(&output)?)
        .spawn()
        .map_err(failed)?;
    let deadline = Instant::now() + LONGEST;
    let status = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) => break Some(status),
            None if Instant::now() >= deadline => break None,
            None => thread::sleep(LOOK),
        }
    };
    if status.is_none() {
        if let Some(group) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = child.wait();
    }
    output.seek(SeekFrom::Start(0)).map_err(failed)?;
    let mut bytes = Vec::new();
    output.take(MOST).read_to_end(&mut bytes).map_err(failed)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match status {
        None => Err(wrong(format!(
            "was stopped after {} s: it does not print help and end",
            LONGEST.as_secs()
        ))),
        Some(status) if status.success() => Ok(text),
        Some(status) => {
            let last = text.lines().last().unwrap_or_default();
            Err(wrong(format!("ended with {status}: {last}")))
        }
    }
}

/// A file without a name.
fn unnamed() -> std::io::Result<File> {
    let flags =
        rustix::fs::OFlags::TMPFILE | rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC;
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    Ok(rustix::fs::open(std::env::temp_dir(), flags, mode)?.into())
}
