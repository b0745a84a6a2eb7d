//! Calls of Slurm's commands, with a time limit and without the caller's own settings for Slurm.

use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    env,
    io::{Read, Write},
    os::unix::process::CommandExt,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Longest duration of a command. A command that cannot reach its controller takes some ten seconds.
const LIMIT: Duration = Duration::from_mins(1);

/// Output of a command of Slurm.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) ok: bool,
    pub(super) stdout: String,
    stderr: String,
}

/// Reason for which a command of Slurm gave no output.
#[derive(Debug)]
pub(super) struct NoAnswer {
    pub(super) words: String,
    /// Whether the command could not be started at all.
    pub(super) is_of_program: bool,
}

impl Answer {
    /// Returns the command's error message, in one line.
    pub(super) fn words(&self) -> String {
        let lines: Vec<&str> = self.stderr.lines().map(str::trim).collect();
        lines.join("; ")
    }
}

/// Runs a command with this text on its standard input.
pub(super) fn call(
    program: &str,
    arguments: &[String],
    input: Option<&str>,
) -> Result<Answer, NoAnswer> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A Ctrl-C at the terminal is the study's, and not in the middle of a submission.
        .process_group(0);
    // A controller that itself runs in a job, or a user's defaults, would change what is asked.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let is_slurm_s = ["SLURM_", "SBATCH_", "SQUEUE_", "SCANCEL_"]
            .iter()
            .any(|prefix| text.starts_with(prefix));
        if is_slurm_s && text != "SLURM_CONF" {
            command.env_remove(name);
        }
    }
    let mut child = command.spawn().map_err(|error| NoAnswer {
        words: format!("cannot start {program}: {error}"),
        is_of_program: true,
    })?;
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        // One that does not read it says why.
        let _ = stdin.write_all(input.as_bytes());
    }
    let read = |from: Option<Box<dyn Read + Send>>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut from) = from {
                let _ = from.read_to_end(&mut bytes);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let stdout = child
        .stdout
        .take()
        .map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
    let stderr = child
        .stderr
        .take()
        .map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
    let (stdout, stderr) = (read(stdout), read(stderr));
    let status = ended_within(&mut child, LIMIT).map_err(|error| NoAnswer {
        words: format!("cannot wait for {program}: {error}"),
        is_of_program: false,
    })?;
    let text = |thread: thread::JoinHandle<String>| thread.join().unwrap_or_default();
    let (stdout, stderr) = (text(stdout), text(stderr));
    match status {
        Some(status) => Ok(Answer {
            ok: status.success(),
            stdout,
            stderr,
        }),
        None => Err(NoAnswer {
            words: format!("{program} said nothing for {} s", LIMIT.as_secs()),
            is_of_program: false,
        }),
    }
}

/// Returns the exit status of a command. `None` if it was killed at the time limit, with its children.
fn ended_within(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(2);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            if let Some(group) = Pid::from_raw(child.id().cast_signed()) {
                // It may just have ended.
                let _ = kill_process_group(group, Signal::KILL);
            }
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}
