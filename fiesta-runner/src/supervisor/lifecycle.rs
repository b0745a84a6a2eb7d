//! The work of a supervisor: each run from its claim to the publication of its end.

use super::channel::{Channel, Received};
use super::output::{Ends, Output};
use super::publish::{Carries, insist, publish};
use super::tree::{State, Tree};
use crate::clock::{Pauses, first_of, has_come};
use crate::pattern::Pattern;
use crate::process::Identity;
use crate::run::inherited;
use crate::run::marks::marks;
use crate::run::{Claim, Meta, RunDirectory};
use crate::run::{End, Ended, RunId, RunSpec};
use crate::shortage;
use rustix::process::WaitStatus;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Interval at which the supervisor checks that the run's directory still exists.
const LOOK: Duration = Duration::from_secs(1);
/// Interval between a run's signs of life, and the precision of a lost run's duration.
pub const SIGN: Duration = Duration::from_secs(10);
/// Time for which a supervisor tries to start a command in spite of a shortage, and the pauses in
/// between: the first and the longest. After that the controller tries again.
const STARTING: Duration = Duration::from_secs(2);
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);
/// Exit code of a supervisor that could not work because of a shortage.
pub(crate) const SHORT: i32 = 75;

/// Carries out one run. Returns the supervisor's exit code, which only says whether it could work.
pub(super) fn in_directory(path: &Path) -> i32 {
    let directory = RunDirectory::hold(path);
    let done = Supervisor::new().and_then(|mut supervisor| supervisor.carry_out(&directory));
    code(&directory, done)
}

/// Carries out the runs that the controller orders, until the controller is gone or the supervisor
/// is told to stop.
pub(super) fn one_after_another() -> i32 {
    let prepared = Supervisor::new().and_then(|supervisor| Ok((supervisor, Channel::of_stdin()?)));
    let (mut supervisor, mut line) = match prepared {
        Ok(prepared) => prepared,
        // There is no run whose directory could tell; the controller notices that nobody took its
        // order.
        Err(error) => return code_of(&error),
    };
    loop {
        // Before an order is taken: a supervisor that is to stop must not begin anything.
        if supervisor.tree.take_stop_request() {
            return 0;
        }
        let path = match line.receive() {
            Ok(Received::Directory(path)) => path,
            Ok(Received::Nothing) if supervisor.tree.wait_for(&line).is_ok() => continue,
            _ => return 0,
        };
        let directory = RunDirectory::hold(&path);
        let done = supervisor.carry_out(&directory);
        // One that could not do its work, or clear up after it, goes: so it is known that nobody
        // attends to the run any more.
        if done.is_err() || supervisor.is_spent {
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
            directory.complain(&format!("the supervisor failed: {error}"));
            code_of(&error)
        }
    }
}

fn code_of(error: &io::Error) -> i32 {
    if shortage::of(error).is_some() {
        SHORT
    } else {
        1
    }
}

/// State of this process as a supervisor.
struct Supervisor {
    tree: Tree,
    /// Whether the supervisor takes no further run, as it was asked to stop or has processes that
    /// cannot be killed.
    is_spent: bool,
}

impl Supervisor {
    fn new() -> io::Result<Self> {
        // First of all, out of the reach of the controller's terminal. A supervisor that an engine
        // started may lead its group already and then cannot lead a session; the engine has seen to
        // that.
        let _ = rustix::process::setsid();
        // What `ps` and `top` show; else it is the name of the link to the program, `exe`.
        let _ = rustix::thread::set_name(c"fiesta-supervisor");
        Ok(Self {
            // Before any claim: from then on a cancellation is heard.
            tree: Tree::new()?,
            is_spent: false,
        })
    }

    fn carry_out(&mut self, directory: &RunDirectory) -> io::Result<()> {
        let spec = directory.read_spec()?;
        let claim = || directory.claim(&Meta::of_this_process(spec.command.clone())?);
        // Held to the end.
        let Some(claim) = insist(&mut self.tree, claim)? else {
            // Another supervisor runs it, or did: the run was submitted twice, or its engine took
            // that one's place away and starts the job anew.
            return requeued(directory, spec.id);
        };
        let mut printed = None;
        let outcome = run(directory, &claim, &spec, &mut self.tree, &mut printed);
        self.is_spent = self.tree.was_asked_to_stop()
            || outcome.end == End::Cancelled
            // It is a process itself, of which there are too many perhaps.
            || matches!(outcome.end, End::Short { .. })
            || !outcome.survivors.is_empty();
        let ended = Ended {
            exit_code: outcome.exit_code,
            seconds: outcome.took.as_secs_f64(),
            survivors: outcome.survivors,
            ..claim.ended(directory, spec.id, outcome.end)
        };
        // A study's pattern was checked when it was read.
        let pattern = spec.pattern.as_ref();
        let pattern = pattern.and_then(|text| Pattern::new(text, false).ok());
        let carries = if spec.carries_output {
            Carries::Output(pattern.as_ref())
        } else {
            Carries::Nothing
        };
        publish(directory, ended, printed, carries, &mut self.tree)
    }
}

/// The variable in which an engine's job says how often it was started anew.
pub const RESTARTS: &str = "FIESTA_RESTARTS";

/// The variable with the number of the process that the run ends with, which is the supervisor's
/// parent; unset where the run outlives whoever started it.
pub const PARENT: &str = "FIESTA_PARENT";

/// Returns whether the parent process with which the run must end has ended.
fn is_orphaned() -> bool {
    let named = std::env::var(PARENT).ok();
    let named = named.and_then(|named| named.parse::<i32>().ok());
    let parent = rustix::process::getppid().map(|parent| parent.as_raw_nonzero().get());
    named.is_some_and(|named| parent != Some(named))
}

/// Publishes that a run was preempted, if its engine started the job anew. An end that its first
/// supervisor published has precedence.
fn requeued(directory: &RunDirectory, id: RunId) -> io::Result<()> {
    let restarts = std::env::var(RESTARTS).unwrap_or_default();
    if restarts.parse::<u64>().is_ok_and(|restarts| restarts > 0) && !directory.end().exists() {
        let reason = "its engine took its place away and started the job anew".to_owned();
        let ended = Ended {
            seconds: directory.seconds_of_life(),
            ..Ended::unmeasured(id, End::Preempted { reason })
        };
        directory.publish(&ended, None)?;
    }
    Ok(())
}

struct Outcome {
    end: End,
    /// The exit code of a command that ended by itself after it was asked to stop.
    exit_code: Option<i32>,
    took: Duration,
    survivors: Vec<Identity>,
}

/// Runs the command to its end. `printed` receives the command's output, if it was started.
fn run(
    directory: &RunDirectory,
    claim: &Claim,
    spec: &RunSpec,
    tree: &mut Tree,
    printed: &mut Option<Output>,
) -> Outcome {
    let started = Instant::now();
    // A signal that comes while its handler is being installed is lost; the file it came with is
    // not.
    let command = if tree.take_stop_request() || directory.read_cancellation().is_some() {
        Err(End::Cancelled)
    } else {
        patiently(tree, || start(directory, spec))
    };
    let (pid, output) = match command {
        Ok((pid, output)) => (pid, printed.insert(output)),
        Err(end) => {
            return Outcome {
                end,
                exit_code: None,
                took: Duration::ZERO,
                survivors: Vec::new(),
            };
        }
    };
    tree.follow(pid);
    let limit = spec.wall_limit.and_then(|limit| started.checked_add(limit));
    let (end, exit_code) =
        attend(tree, output, directory, claim, spec, limit).unwrap_or_else(|error| {
            let reason = format!("the supervisor could not follow the command: {error}");
            (End::Lost { reason }, None)
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
        exit_code,
        took,
        survivors,
    }
}

/// Calls `start` until it succeeds or fails for another reason than a short shortage.
pub(super) fn patiently<T>(
    tree: &mut Tree,
    mut start: impl FnMut() -> Result<T, End>,
) -> Result<T, End> {
    let deadline = Instant::now() + STARTING;
    let mut pauses = Pauses::new(FIRST_PAUSE, LONGEST_PAUSE);
    loop {
        match start() {
            Err(End::Short { .. }) if Instant::now() < deadline => {}
            started => return started,
        }
        // A wait that is refused is none.
        let _ = tree.pause(pauses.take());
        if tree.take_stop_request() {
            return Err(End::Cancelled);
        }
    }
}

/// Starts the command in a process group of its own.
fn start(directory: &RunDirectory, spec: &RunSpec) -> Result<(i32, Output), End> {
    let Some((program, arguments)) = spec.command.split_first() else {
        return Err(End::NotStarted {
            reason: "the command is empty: give a program and its arguments".to_owned(),
        });
    };
    let of_caller = values_of_caller(&spec.of_caller)?;
    let (output, Ends { stdout, stderr }) = Output::new(directory)
        .map_err(|error| refused("make a pipe for what the command prints", &error))?;
    let marker = directory.marker(spec.id.as_str());
    Command::new(program)
        .args(arguments)
        // Of this job, and not of one that the command may start.
        .env_remove(RESTARTS)
        .env_remove(PARENT)
        .envs(spec.environment.iter().map(|(name, value)| (name, value)))
        .envs(of_caller)
        .envs([marks(&marker)])
        .envs(marker)
        .current_dir(&spec.working_directory)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr)
        .spawn()
        .map(|child| (child.id().cast_signed(), output))
        .map_err(|error| refusal(&spec.working_directory, program, &error))
}

/// Reads the variables that the command gets from the controller's environment.
pub(super) fn values_of_caller(
    variables: &[(String, String)],
) -> Result<Vec<(&str, OsString)>, End> {
    inherited(variables).map_err(|missing| End::NotStarted {
        reason: missing.to_string(),
    })
}

/// Returns the end of a run whose command does not start: the command's fault, or a shortage.
pub(super) fn refusal(working_directory: &Path, program: &str, error: &io::Error) -> End {
    use rustix::io::Errno;
    let directory = working_directory.display();
    let problem = match fs::metadata(working_directory) {
        Ok(found) if found.is_dir() => None,
        Ok(_) => Some("is no directory"),
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => Some("does not exist"),
        // That it cannot be looked at now says nothing of later.
        Err(unknown) => {
            return refused(
                &format!("look at the working directory {directory}"),
                &unknown,
            );
        }
    };
    if let Some(problem) = problem {
        return End::NotStarted {
            reason: format!("the working directory {directory} {problem}"),
        };
    }
    let reason = match Errno::from_io_error(error) {
        Some(Errno::NOENT) if program.contains(' ') => format!(
            "there is no command `{program}`, whose name has spaces in it: a command is a list of words, one text each, such as [\"python\", \"train.py\"]"
        ),
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
        // A file that is just being written, too many processes: it may work later.
        _ => return refused(&format!("start the command `{program}`"), error),
    };
    End::NotStarted { reason }
}

/// Returns the end of a run after the system refused an action that it may grant later.
fn refused(action: &str, error: &io::Error) -> End {
    let reason = format!("cannot {action}: {error}");
    match shortage::of(error) {
        Some(cause) => End::Short {
            reason: format!("{cause}: {reason}"),
        },
        None => End::Lost { reason },
    }
}

/// Waits for the command's end, a limit of it, or a request to stop. In the latter cases waits for
/// the grace to pass. Returns the end, and the code of a command that ended by itself meanwhile.
fn attend(
    tree: &mut Tree,
    output: &mut Output,
    directory: &RunDirectory,
    claim: &Claim,
    spec: &RunSpec,
    limit: Option<Instant>,
) -> io::Result<(End, Option<i32>)> {
    let mut look_at = Instant::now() + LOOK;
    let mut sign_at = Instant::now() + SIGN;
    loop {
        // The command's own end comes first: one that was faster than its limit has not timed out.
        match tree.reap()? {
            State::Running => {}
            // Whoever stops a whole machine asks the command as well as us, and the command may be
            // faster.
            State::Ended(_) if tree.take_stop_request() => {
                return Ok((End::Cancelled, tree.exit_code()));
            }
            State::Ended(status) => return Ok((of_status(status), None)),
            State::Unknown => {
                let reason = "the command ended, and the system does not say how".to_owned();
                return Ok((End::Lost { reason }, None));
            }
        }
        let asked = || directory.read_cancellation();
        if tree.take_stop_request() {
            tree.terminate(output, asked().unwrap_or(spec.grace), asked)?;
            return Ok((End::Cancelled, tree.exit_code()));
        }
        if Instant::now() >= look_at {
            if directory.is_given_up(claim) {
                // Nobody waits for it, nor will: not even for its grace.
                return Ok((End::Cancelled, None));
            }
            if is_orphaned() {
                let end = match asked() {
                    Some(_) => End::Cancelled,
                    None => End::Preempted {
                        reason: "its engine's process on the node ended".to_owned(),
                    },
                };
                tree.terminate(output, asked().unwrap_or(spec.grace), asked)?;
                return Ok((end, tree.exit_code()));
            }
            look_at = Instant::now() + LOOK;
            if look_at >= sign_at {
                claim.sign();
                sign_at = look_at + SIGN;
            }
        }
        let silent_at = spec.silence.and_then(|silence| output.silent_at(silence));
        let end = if has_come(limit) {
            End::TimedOut
        } else if has_come(silent_at) {
            End::Silent
        } else {
            tree.wait(output, first_of([limit, silent_at, Some(look_at)]))?;
            continue;
        };
        tree.terminate(output, spec.grace, asked)?;
        return Ok((end, tree.exit_code()));
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
