//! The ends of runs.

use super::RunId;
use crate::process::Identity;

/// Way in which a run ended.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum End {
    /// The command ended by itself, with this code.
    Exited(i32),
    /// A signal that nobody here sent ended the command; 9 is often the kernel's, out of memory.
    Signaled(i32),
    /// The command was stopped at its wall limit.
    TimedOut,
    /// The command was stopped because it had printed nothing for so long as its study allows.
    Silent,
    /// The run was stopped from outside: by
    /// [`Executor::cancel`](crate::executor::Executor::cancel), or by whoever sent the supervisor a
    /// signal (a shutdown of the machine, an engine).
    Cancelled,
    /// The command cannot be started, and trying again will not help: it is missing or not
    /// executable.
    NotStarted {
        /// Why the command was not started, with advice.
        reason: String,
    },
    /// The command was not started, for want of something that the machine has again later:
    /// processes, memory, open files, room on the disk. Nothing was run; the run can be submitted
    /// again.
    Short {
        /// Reason in the words of the machine.
        reason: String,
    },
    /// The run lost its place: its engine needed it for another job, its node failed, or somebody
    /// cancelled its job. It says nothing of the run.
    Preempted {
        /// Why the run lost its place, as far as that is known.
        reason: String,
    },
    /// The infrastructure failed: the supervisor vanished without publishing an end, or could not
    /// do its work.
    Lost {
        /// How the infrastructure failed, as far as that is known.
        reason: String,
    },
}

/// A run that has ended.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Ended {
    /// The name of the run.
    pub id: RunId,
    /// Way in which the run ended.
    pub end: End,
    /// The command's own exit code, if it ended within its grace after it was asked to stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Whether the run's directory was moved from its path before the command ended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moved: bool,
    /// How long the command took, by a clock that no correction of the time moves.
    pub seconds: f64,
    /// When the command was started, in seconds since 1970.
    pub started_at: f64,
    /// Processes of the run that even the last signal did not remove, say because a device does not
    /// answer: what they hold (a GPU) is not free.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub survivors: Vec<Identity>,
    /// The last lines that the command printed, if the disk had no room for these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rescued: Option<Rescued>,
    /// The result and the last lines, if the run's files may become visible later than its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<Carried>,
}

/// The result of a run and the last lines that its command printed, published together with the
/// run's end: on a shared file system another machine may see a file seconds after the next one.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Carried {
    /// The result that the command wrote to its file; none if it wrote none, or a longer one than
    /// any result is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The last lines of stdout.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stdout: String,
    /// The last lines of stderr.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// The last line with a score, in a study whose scores are found by a pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_line: Option<Box<ScoreLine>>,
}

/// The last line in which a study's pattern found a score.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ScoreLine {
    /// The stream on which the line was printed: `stdout` or `stderr`.
    pub stream: String,
    /// The line with the score, without its colours.
    pub line: String,
}

/// Last lines of a command that could not be written to their files. The result is read from them.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Rescued {
    /// Why the lines could not be written.
    pub reason: String,
    /// The last lines of stdout.
    pub stdout: String,
    /// The last lines of stderr.
    pub stderr: String,
}

impl Ended {
    /// Makes the record of a run that was lost, for this reason, after at least `seconds`.
    /// `survivors` are processes that cannot be stopped.
    pub fn lost(id: RunId, reason: String, seconds: f64, survivors: Vec<Identity>) -> Self {
        let reason = if seconds > 0.0 {
            format!("{reason}; it had run for at least {seconds:.1} s")
        } else {
            reason
        };
        Self {
            seconds,
            survivors,
            ..Self::unmeasured(id, End::Lost { reason })
        }
    }

    /// Makes the record of a run that ended before its command started, or of unknown duration.
    pub fn unmeasured(id: RunId, end: End) -> Self {
        Self {
            id,
            end,
            exit_code: None,
            moved: false,
            seconds: 0.0,
            started_at: 0.0,
            survivors: Vec::new(),
            rescued: None,
            carried: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_keep_their_form() {
        // Ledgers and directories of runs have these words in them.
        for (end, text) in [
            (End::Exited(3), r#"{"exited":3}"#),
            (End::Signaled(9), r#"{"signaled":9}"#),
            (End::TimedOut, r#""timed-out""#),
            (End::Silent, r#""silent""#),
            (End::Cancelled, r#""cancelled""#),
            (
                End::Short {
                    reason: "no".to_owned(),
                },
                r#"{"short":{"reason":"no"}}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&end).unwrap(), text);
        }
    }

    #[test]
    fn survivors_come_back() {
        let id = RunId::new("study", 1, 1).unwrap();
        let left = vec![Identity::current().unwrap()];
        let ended = Ended::lost(id, "it went".to_owned(), 0.0, left);
        let text = serde_json::to_string(&ended).unwrap();
        assert_eq!(serde_json::from_str::<Ended>(&text).unwrap(), ended);
    }
}
