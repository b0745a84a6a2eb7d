//! The owner of a process that uses a GPU: a run of the study, or a stranger.

use crate::{process::Process, run::JobVariable};
use fiesta_core::Foreign;
use std::{fs, os::unix::fs::MetadataExt, path::Path};

/// Largest depth of a tree of processes. The table of processes is not read in one instant, so it
/// may seem to contain a circle.
const DEEPEST: usize = 1000;

/// Owner of a process: a run of this study, or somebody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The process belongs to the study's run with this name.
    Run(String),
    /// The process is somebody else's, whom this text names.
    Stranger(String),
    /// The process cannot be seen: it has ended, or is in another container.
    Unseen,
}

/// Returns the owner of a process: a run of the study, somebody else, or nobody that can be seen.
/// `runs` is the directory of the study's runs; `watched` maps a supervisor's process id to the run
/// that it watches.
///
/// The processes of a run carry its marker in their environment, or one that began them does. A
/// program may write its title over that, and still its supervisor began it.
pub(crate) fn owner(pid: u32, runs: &Path, watched: impl Fn(i32) -> Option<String>) -> Owner {
    let Some(process) = i32::try_from(pid).ok().and_then(Process::living) else {
        return Owner::Unseen;
    };
    let mut next = Some(process);
    for _ in 0..DEEPEST {
        let Some(process) = next else { break };
        // An error is of another user's process, and we run nothing as another user.
        if let Some(run) = run_of(process, runs).or_else(|| watched(process.pid)) {
            return Owner::Run(run);
        }
        next = (process.parent > 1)
            .then(|| Process::living(process.parent))
            .flatten();
    }
    let words = describe(process);
    // It may have ended while it was looked at, and its environment before it.
    match Process::living(process.pid) {
        Some(_) => Owner::Stranger(words),
        None => Owner::Unseen,
    }
}

/// Returns the name of this study's run whose marker a process carries in its environment.
fn run_of(process: Process, runs: &Path) -> Option<String> {
    let result = variable(process, JobVariable::Result.name())?;
    let inside = Path::new(&result).strip_prefix(runs).ok()?;
    Some(inside.iter().next()?.to_string_lossy().into_owned())
}

/// Returns the value of a variable of a process. `None` if it has none of this name, or does not show
/// its environment.
fn variable(process: Process, name: &str) -> Option<String> {
    let environment = process.environment().ok()??;
    let variables = environment.split(|&byte| byte == 0);
    variables.map(String::from_utf8_lossy).find_map(|variable| {
        let (key, value) = variable.split_once('=')?;
        (key == name).then(|| value.to_owned())
    })
}

/// Describes a process by its program, and by its user or study if those are others.
fn describe(process: Process) -> String {
    let place = format!("/proc/{}", process.pid);
    let name = fs::read_to_string(format!("{place}/comm")).unwrap_or_default();
    let name = Foreign::new(name.trim()).to_string();
    let ours = rustix::process::getuid().as_raw();
    match fs::metadata(&place).map(|of| of.uid()) {
        Ok(user) if user != ours => format!("{name}, of {}", user_name(user)),
        _ => match variable(process, JobVariable::Run.name()) {
            Some(run) => format!("{name}, of another study's run {}", Foreign::new(&run)),
            None => name,
        },
    }
}

fn user_name(user: u32) -> String {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let named = users.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        (fields.get(2)?.parse() == Ok(user)).then(|| fields[0].to_owned())
    });
    named.unwrap_or_else(|| format!("user {user}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command, Stdio};

    struct Sleeper(Child);

    impl Sleeper {
        /// Starts a process, and returns it with the process id that it prints.
        fn start(script: &str, variables: &[(&str, &str)]) -> Self {
            let child = Command::new("sh")
                .args(["-c", script])
                .envs(variables.iter().copied())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn();
            Self(child.unwrap())
        }
    }

    impl Drop for Sleeper {
        fn drop(&mut self) {
            drop(self.0.stdin.take());
            self.0.wait().unwrap();
        }
    }

    fn line(child: &mut Child) -> String {
        use std::io::{BufRead, BufReader};
        let mut line = String::new();
        let output = child.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    #[test]
    fn runs_their_children_without_a_marker_and_strangers() {
        let runs = Path::new("/somewhere/trial.fiesta/runs");
        let result = "/somewhere/trial.fiesta/runs/trial-7-a1/result.json";
        let marker = [("FIESTA_RUN", "trial-7-a1"), ("FIESTA_RESULT", result)];
        // The shell waits for its child, which has nothing in its environment.
        let script = "env -i /bin/sh -c 'echo $$; read x'; true";
        let mut ours = Sleeper::start(script, &marker);
        let run = Owner::Run("trial-7-a1".to_owned());
        // What it printed comes after the environment is in its place.
        let bare: u32 = line(&mut ours.0).parse().unwrap();
        let owner = |pid, runs| owner(pid, runs, |_| None);
        assert_eq!(owner(ours.0.id(), runs), run);
        assert_ne!(bare, ours.0.id());
        assert_eq!(owner(bare, runs), run);
        let elsewhere = Path::new("/elsewhere");
        let mut other = Sleeper::start("echo; read x", &marker);
        line(&mut other.0);
        assert_eq!(
            owner(other.0.id(), elsewhere),
            Owner::Stranger("sh, of another study's run trial-7-a1".to_owned())
        );
        let mut stranger = Sleeper::start("echo; read x", &[]);
        line(&mut stranger.0);
        assert_eq!(
            owner(stranger.0.id(), runs),
            Owner::Stranger("sh".to_owned())
        );
        let supervisor = std::process::id().cast_signed();
        let by_supervisor = |pid| (pid == supervisor).then(|| "trial-8-a0".to_owned());
        assert_eq!(
            super::owner(stranger.0.id(), runs, by_supervisor),
            Owner::Run("trial-8-a0".to_owned())
        );
        let gone = stranger.0.id();
        drop(stranger);
        assert_eq!(owner(gone, runs), Owner::Unseen);
        assert_eq!(owner(u32::MAX, runs), Owner::Unseen);
    }
}
