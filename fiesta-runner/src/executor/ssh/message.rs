//! The messages between a study's machine and the program on one of its hosts, a line of JSON each.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::path::PathBuf;

/// The beginning of a line that is a message: whatever else a host's shell prints is none.
const MARK: &str = "fiesta-remote ";

/// What the program on a host says before it is told anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hello {
    /// The host's own name.
    pub(super) host: String,
    /// Whether the study's directory is seen there.
    pub(super) sees: bool,
}

/// All that a host is to do and to look at, in one message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Request {
    /// Directories of runs whose supervisors are asked to stop.
    pub(super) stop: Vec<PathBuf>,
    /// Runs to be carried out, unless they are already.
    pub(super) start: Vec<Order>,
    /// Directories of runs that are only looked at.
    pub(super) look: Vec<PathBuf>,
}

/// A run to be carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Order {
    /// Its directory.
    pub(super) run: PathBuf,
    /// Where its supervisor complains.
    pub(super) log: PathBuf,
    /// Variables of its supervisor: its GPUs, and values that are written down nowhere.
    pub(super) environment: Vec<(String, String)>,
}

/// What a host says of every run that it was asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reply {
    pub(super) runs: Vec<(PathBuf, Sight)>,
}

/// A run as its host sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Sight {
    /// Nobody has begun it.
    Absent,
    /// Its supervisor runs there.
    Alive,
    /// Its end is published.
    Ended {
        /// Processes of it that could not be stopped, and are still there.
        survivors: Vec<i32>,
    },
    /// Its supervisor is gone without a word.
    Vanished {
        /// Whether the machine was started anew meanwhile.
        rebooted: bool,
        /// Processes of it that cannot be stopped.
        survivors: Vec<i32>,
    },
    /// Nothing can be told of it: another machine began it, or its files cannot be read.
    Unseen,
    /// Its directory is not there.
    Missing,
    /// Its supervisor did not begin.
    Failed {
        /// What it said.
        words: String,
    },
}

/// The line of a message.
pub(super) fn line(message: &impl Serialize) -> String {
    let text = serde_json::to_string(message).unwrap_or_default();
    format!("{MARK}{text}\n")
}

/// The message that a line is, if it is one.
pub(super) fn parse<T: DeserializeOwned>(line: &str) -> Option<T> {
    // A shell's greeting may stand before it without a line break.
    let (_, text) = line.split_once(MARK)?;
    serde_json::from_str(text.trim_end()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_comes_back_from_its_line() {
        let vanished = Sight::Vanished {
            rebooted: true,
            survivors: vec![7],
        };
        let failed = Sight::Failed {
            words: "line\nbreak".to_owned(),
        };
        let reply = Reply {
            runs: vec![("/a b".into(), vanished), ("/c".into(), failed)],
        };
        let text = line(&reply);
        assert_eq!(text.lines().count(), 1);
        assert_eq!(parse::<Reply>(&text), Some(reply.clone()));
        assert_eq!(parse::<Reply>(&format!("Welcome! {text}")), Some(reply));
    }

    #[test]
    fn what_a_shell_prints_is_no_message() {
        for text in [
            "",
            "Last login: today",
            "fiesta-remote {\"ru",
            "{\"runs\":[]}",
        ] {
            assert_eq!(parse::<Reply>(text), None, "{text}");
        }
    }
}
