//! Failures of calls over ssh: what is known of the message, in whose words, and what to do.

use super::host::Host;
use std::path::Path;

/// Why a host did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// It was not reached, and may be later: nothing was passed on.
    OutOfReach(String),
    /// It was not reached, or nothing can be run there, and somebody must do something about it:
    /// nothing was passed on.
    Unfit(String),
    /// The connection was lost when the message was on its way.
    Unclear(String),
}

impl Failure {
    /// What was said about it.
    pub(super) fn words(&self) -> &str {
        let (Self::OutOfReach(words) | Self::Unfit(words) | Self::Unclear(words)) = self;
        words
    }
}

/// The exit code of `ssh` where it failed itself.
const OF_SSH: i32 = 255;

/// What it means that nobody greeted: the exit code of `ssh`, and what it printed as errors.
pub(super) fn ungreeted(host: &Host, program: &Path, code: Option<i32>, stderr: &str) -> Failure {
    let words = sentence(stderr);
    if code == Some(OF_SSH) {
        return match advice(host, &words) {
            Some(advice) => Failure::Unfit(format!("{words}: {advice}")),
            None if words.is_empty() => Failure::OutOfReach("ssh ended without a word".to_owned()),
            None => Failure::OutOfReach(words),
        };
    }
    let program = program.display();
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    let advice = if says(&["GLIBC_", "GLIBCXX_", "libc.so"]) {
        "its C library is older than the one that this program was built with: build a static one (docs/ssh.md) and name it with `program` under [executor]".to_owned()
    } else if says(&["Exec format error", "cannot execute binary"]) {
        "it is another kind of machine: name a program that was built for it with `program` under [executor]".to_owned()
    } else if says(&["ermission denied"]) || code == Some(126) {
        format!("{program} must be executable there: the shared directory may be mounted `noexec`")
    } else if says(&["not found", "No such file"]) || code == Some(127) {
        format!(
            "{program} is not there: the study's directory must be seen by all hosts under the same path"
        )
    } else {
        format!("{program} did not begin there")
    };
    let words = if words.is_empty() {
        match code {
            Some(code) => format!("exit code {code}"),
            None => "ssh was killed".to_owned(),
        }
    } else {
        words
    };
    Failure::Unfit(format!("{words}: {advice}"))
}

/// What to do about an error of ssh that does not pass by itself.
fn advice(host: &Host, words: &str) -> Option<String> {
    let destination = &host.destination;
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    if says(&["Could not resolve hostname"]) {
        Some("write a name that `ssh` knows, or add it to ~/.ssh/config".to_owned())
    } else if says(&["Host key verification failed", "IDENTIFICATION HAS CHANGED"]) {
        Some(format!(
            "connect by hand once (ssh {destination}) and check its key"
        ))
    } else if says(&[
        "Permission denied",
        "Too many authentication failures",
        "No supported authentication",
    ]) {
        Some(format!(
            "no password is asked for here: set up a key or an agent, until `ssh -o BatchMode=yes {destination} true` works"
        ))
    } else if says(&[
        "Bad configuration option",
        "unknown option",
        "Bad owner or permissions",
        "keyword",
        "usage: ssh",
        "Can't open user config file",
    ]) {
        Some("correct `options` under [executor], or ssh's configuration".to_owned())
    } else {
        None
    }
}

/// What was printed as errors, in one line, without what ssh only tells.
pub(super) fn sentence(stderr: &str) -> String {
    let is_empty = |line: &&str| line.is_empty() || line.chars().all(|c| c == '@');
    let lines: Vec<&str> = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !is_empty(line) && !line.starts_with("Warning: Permanently added"))
        .collect();
    // The last lines say what ended it; a banner may stand before them.
    let from = lines.len().saturating_sub(6);
    lines[from..].join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(code: i32, stderr: &str) -> (&'static str, String) {
        let host = Host::named("me@bob:22").unwrap();
        let failure = ungreeted(&host, Path::new("/shared/fiesta"), Some(code), stderr);
        let words = failure.words().to_owned();
        match failure {
            Failure::OutOfReach(_) => ("out of reach", words),
            Failure::Unfit(_) => ("unfit", words),
            Failure::Unclear(_) => ("unclear", words),
        }
    }

    #[test]
    fn errors_of_ssh_itself() {
        for (stderr, expected) in [
            (
                "ssh: connect to host bob port 22: Connection refused",
                "out of reach",
            ),
            (
                "ssh: connect to host bob port 22: Connection timed out\n",
                "out of reach",
            ),
            (
                "ssh: connect to host bob port 22: No route to host",
                "out of reach",
            ),
            (
                "kex_exchange_identification: read: Connection reset by peer",
                "out of reach",
            ),
            (
                "Connection timed out during banner exchange",
                "out of reach",
            ),
            (
                "mux_client_request_session: read from master failed: Broken pipe",
                "out of reach",
            ),
            ("", "out of reach"),
            (
                "ssh: Could not resolve hostname nowhere: Name or service not known",
                "unfit",
            ),
            (
                "Warning: Permanently added 'bob'\nme@bob: Permission denied (publickey).",
                "unfit",
            ),
            (
                "No ED25519 host key is known for bob.\nHost key verification failed.",
                "unfit",
            ),
            (
                "command-line: line 0: Bad configuration option: nonsense",
                "unfit",
            ),
        ] {
            let (found, words) = kind(255, stderr);
            assert_eq!(found, expected, "{stderr}");
            assert!(!words.contains("Permanently added"), "{words}");
        }
        let (_, words) = kind(255, "me@bob: Permission denied (publickey).");
        assert!(
            words.contains("ssh -o BatchMode=yes me@bob true"),
            "{words}"
        );
    }

    #[test]
    fn errors_of_the_program_there() {
        for (code, stderr, advice) in [
            (
                1,
                "/shared/fiesta: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by /shared/fiesta)",
                "build a static one",
            ),
            (
                127,
                "/bin/sh: 1: exec: /shared/fiesta: not found",
                "seen by all hosts",
            ),
            (
                126,
                "/bin/sh: 1: exec: /shared/fiesta: Permission denied",
                "noexec",
            ),
            (
                126,
                "/bin/sh: 1: exec: /shared/fiesta: Exec format error",
                "another kind of machine",
            ),
            (3, "", "exit code 3"),
        ] {
            let (found, words) = kind(code, stderr);
            assert_eq!(found, "unfit");
            assert!(words.contains(advice) && words.contains(stderr), "{words}");
        }
    }
}
