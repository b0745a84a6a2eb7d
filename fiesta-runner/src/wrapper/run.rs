//! What a wrapper does: for each run, from its claim to the publication.

use super::directory::{Claim, Meta, RunDirectory};
use super::line::{Line, Received};
use super::output::{Ends, Output};
use super::publish::{insist, publish};
use super::tree::{State, Tree};
use crate::executor::{End, Ended, RunSpec};
use crate::ledger;
use crate::process::{self, Identity};
use rustix::process::WaitStatus;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How often it is looked whether the run's directory is still there.
const LOOK: Duration = Duration::from_secs(1);

/// Carries out one run; returns the wrapper's exit code, which only says whether it could.
pub(super) fn in_directory(path: &Path) -> i32 {
    let directory = RunDirectory::hold(path);
    let done = Wrapper::new().and_then(|mut wrapper| wrapper.carry_out(&directory));
    code(&directory, done)
}

/// Carries out the runs that the controller orders, until it is gone or somebody wants the wrapper to stop.
pub(super) fn one_after_another() -> i32 {
    let prepared = Wrapper::new().and_then(|wrapper| Ok((wrapper, Line::of_stdin()?)));
    let Ok((mut wrapper, mut line)) = prepared else {
        // There is no run whose directory could tell; the controller notices that nobody took its order.
        return 1;
    };
    loop {
        // Before an order is taken: a wrapper that is to stop must not begin anything.
        if wrapper.tree.take_stop_request() {
            return 0;
        }
        let path = match line.receive() {
            Ok(Received::Directory(path)) => path,
            Ok(Received::Nothing) if wrapper.tree.wait_for(&line).is_ok() => continue,
            _ => return 0,
        };
        let directory = RunDirectory::hold(&path);
        let done = wrapper.carry_out(&directory);
        // One that could not do its work, or clear up after it, goes: so it is known that nobody attends to the run any more.
        if done.is_err() || wrapper.is_spent {
            return code(&directory, done);
        }
        // Nobody hears it if the controller is gone; the next look at the line tells.
        let _ = line.send(&path);
    }
}

fn code(directory: &RunDirectory, done: io::Result<()>) -> i32 {
    match done {
        Ok(()) => 0,
        Err(error) => {
            directory.complain(&format!("the wrapper failed: {error}"));
            1
        }
    }
}

/// This process, as long as it is a wrapper.
struct Wrapper {
    tree: Tree,
    identity: Identity,
    host: String,
    namespace: String,
    /// Whether it was asked to stop, or has processes that cannot be removed: it takes no further run.
    is_spent: bool,
}

impl Wrapper {
    fn new() -> io::Result<Self> {
        // First of all, out of the reach of the controller's terminal. A wrapper that an engine started may
        // lead its group already and then cannot lead a session; the engine has seen to that.
        let _ = rustix::process::setsid();
        // What `ps` and `top` show; else it is the name of the link to the program, `exe`.
        let _ = rustix::thread::set_name(c"fiesta-wrapper");
        Ok(Self {
            // Before any claim: from then on a cancellation is heard.
            tree: Tree::new()?,
            identity: Identity::current()?,
            host: process::host()?,
            namespace: process::namespace()?,
            is_spent: false,
        })
    }

    fn carry_out(&mut self, directory: &RunDirectory) -> io::Result<()> {
        let spec = directory.read_spec()?;
        let started_at = ledger::now();
        let meta = Meta {
            wrapper: self.identity.clone(),
            host: self.host.clone(),
            namespace: self.namespace.clone(),
            started_at,
            argv: spec.command.clone(),
        };
        // Held to the end.
        let Some(claim) = insist(&mut self.tree, || directory.claim(&meta))? else {
            // Another wrapper runs it, or did: the run was submitted twice.
            return Ok(());
        };
        let mut printed = None;
        let outcome = run(directory, &claim, &spec, &mut self.tree, &mut printed);
        self.is_spent = self.tree.was_asked_to_stop()
            || outcome.end == End::Cancelled
            || !outcome.survivors.is_empty();
        let ended = Ended {
            id: spec.id,
            end: outcome.end,
            seconds: outcome.took.as_secs_f64(),
            started_at,
            survivors: outcome.survivors,
            rescued: None,
        };
        publish(directory, ended, printed, &mut self.tree)
    }
}

struct Outcome {
    end: End,
    took: Duration,
    survivors: Vec<Identity>,
}

/// Runs the command to its end; `printed` is what it printed, if it was started.
fn run(
    directory: &RunDirectory,
    claim: &Claim,
    spec: &RunSpec,
    tree: &mut Tree,
    printed: &mut Option<Output>,
) -> Outcome {
    let started = Instant::now();
    // A signal that comes while its handler is being installed is lost; the file it came with is not.
    let command = if tree.take_stop_request() || directory.read_cancellation().is_some() {
        Err(End::Cancelled)
    } else {
        start(directory, spec)
    };
    let (pid, output) = match command {
        Ok((pid, output)) => (pid, printed.insert(output)),
        Err(end) => {
            return Outcome {
                end,
                took: Duration::ZERO,
                survivors: Vec::new(),
            };
        }
    };
    tree.follow(pid);
    let limit = spec.wall_limit.and_then(|limit| started.checked_add(limit));
    let end =
        attend(tree, output, directory, claim, spec, limit).unwrap_or_else(|error| End::Lost {
            reason: format!("the wrapper could not follow the command: {error}"),
        });
    let took = started.elapsed();
    let wait = |tree: &mut Tree, pause| tree.wait(output, Some(Instant::now() + pause));
    let survivors = tree.kill(wait).unwrap_or_else(|error| {
        directory.complain(&format!("cannot clear up after the command: {error}"));
        Vec::new()
    });
    // Whoever holds a pipe open by now is nobody to wait for.
    output.finish();
    Outcome {
        end,
        took,
        survivors,
    }
}

/// Starts the command in a process group of its own.
fn start(directory: &RunDirectory, spec: &RunSpec) -> Result<(i32, Output), End> {
    let Some((program, arguments)) = spec.command.split_first() else {
        return Err(End::NotStarted {
            reason: "the command is empty: give a program and its arguments".to_owned(),
        });
    };
    let (output, Ends { stdout, stderr }) = Output::new(directory).map_err(|error| End::Lost {
        reason: format!("cannot make a pipe for what the command prints: {error}"),
    })?;
    Command::new(program)
        .args(arguments)
        .envs(spec.environment.iter().map(|(name, value)| (name, value)))
        .envs(directory.marker(spec.id.as_str()))
        .current_dir(&spec.working_directory)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr)
        .spawn()
        .map(|child| (child.id().cast_signed(), output))
        .map_err(|error| refusal(&spec.working_directory, program, &error))
}

/// Why a command does not start, and whose fault it is.
pub(super) fn refusal(working_directory: &Path, program: &str, error: &io::Error) -> End {
    use rustix::io::Errno;
    let directory = working_directory.display();
    if !working_directory.is_dir() {
        return End::NotStarted {
            reason: format!("the working directory {directory} does not exist"),
        };
    }
    let reason = match Errno::from_io_error(error) {
        Some(Errno::NOENT) if program.contains('/') => format!(
            "the command `{program}` does not exist (looked for from {directory}), or the interpreter in its first line does not"
        ),
        Some(Errno::NOENT | Errno::NOTDIR) => format!(
            "the command `{program}` was not found: install it, or give its full path (in PATH: {})",
            std::env::var("PATH").unwrap_or_default()
        ),
        Some(Errno::ACCESS) => {
            format!(
                "the command `{program}` is not executable: chmod +x it, or name its interpreter first"
            )
        }
        Some(Errno::NOEXEC) => format!(
            "the command `{program}` is no program for this machine; a script needs a first line like #!/usr/bin/env python3"
        ),
        Some(Errno::TOOBIG) => {
            format!("the arguments and the environment of `{program}` are too long for the system")
        }
        None if error.kind() == io::ErrorKind::InvalidInput => {
            format!("the command `{program}`, its arguments or its environment contain a zero byte")
        }
        // Too many processes, no memory, a file that is just being written: it may work later.
        _ => {
            return End::Lost {
                reason: format!("cannot start the command `{program}`: {error}"),
            };
        }
    };
    End::NotStarted { reason }
}

/// Waits for the command's end, one of its limits, or a request to stop; in the latter cases, lets the grace pass.
fn attend(
    tree: &mut Tree,
    output: &mut Output,
    directory: &RunDirectory,
    claim: &Claim,
    spec: &RunSpec,
    limit: Option<Instant>,
) -> io::Result<End> {
    let mut look_at = Instant::now() + LOOK;
    loop {
        // The command's own end comes first: one that was faster than its limit has not timed out.
        match tree.reap()? {
            State::Running => {}
            State::Ended(status) => return Ok(of_status(status)),
            State::Unknown => {
                return Ok(End::Lost {
                    reason: "the command ended, and the system does not say how".to_owned(),
                });
            }
        }
        let asked = || directory.read_cancellation();
        if tree.take_stop_request() {
            tree.terminate(output, asked().unwrap_or(spec.grace), asked)?;
            return Ok(End::Cancelled);
        }
        if Instant::now() >= look_at {
            if directory.is_given_up(claim) {
                // Nobody waits for it, nor will: not even for its grace.
                return Ok(End::Cancelled);
            }
            look_at = Instant::now() + LOOK;
        }
        let silent_at = spec.silence.and_then(|silence| output.silent_at(silence));
        let is_over = |limit: Option<Instant>| limit.is_some_and(|limit| Instant::now() >= limit);
        let end = if is_over(limit) {
            End::TimedOut
        } else if is_over(silent_at) {
            End::Silent
        } else {
            let limits = [limit, silent_at, Some(look_at)];
            tree.wait(output, limits.into_iter().flatten().min())?;
            continue;
        };
        tree.terminate(output, spec.grace, asked)?;
        return Ok(end);
    }
}

pub(super) fn of_status(status: WaitStatus) -> End {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Signaled(signal),
        (None, None) => End::Lost {
            reason: format!(
                "the command ended with the unknown status {}",
                status.as_raw()
            ),
        },
    }
}
