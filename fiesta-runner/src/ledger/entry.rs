//! The entries of a ledger.

use crate::run::End;
use fiesta_core::{ArmId, Conclusion, Evaluation, EvaluationId, Observation, Outcome};
use fiesta_policies::random_search::Setting;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Entry of a ledger: something that happened in a study. The order of the entries is the order in
/// which the selector was asked and told, so that replaying them replays the study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Entry {
    /// A controller began a session of the study.
    Opened(Session),
    /// An evaluation that was made before the study, from a file of its study file's
    /// `[[recorded]]`. All of them stand before the first decision, so that the file is not needed
    /// any more.
    Recorded {
        /// Arm and case of the evaluation, numbered within this study. Parts of the case that the
        /// file does not state are made up, and not in `origin`.
        evaluation: Evaluation,
        /// The recorded outcome. A score is as recorded, not oriented.
        outcome: Outcome<Observation>,
        /// What the file says of the evaluation.
        origin: Origin,
        /// Other cells of the evaluation's row in that file.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        extras: Map<String, Value>,
    },
    /// The selector chose an evaluation, knowing all that stands before this entry. It is the
    /// durable intent to make it, under the run name of its first attempt.
    Decided {
        /// The evaluation that was chosen.
        evaluation: Evaluation,
        /// The hyperparameters that the evaluation is made with, in a random search. They follow
        /// from the evaluation and the study file, and are what counts should a later version draw
        /// others.
        #[serde(default, skip_serializing_if = "Setting::is_empty")]
        setting: Setting,
    },
    /// An attempt was lost to the infrastructure; the evaluation is tried again.
    Retried {
        /// The evaluation whose attempt was lost.
        evaluation: EvaluationId,
        /// The number of the new attempt, from 1.
        attempt: u32,
        /// Reason why the attempt was lost.
        reason: String,
        /// Cost of the lost attempt, in the study's unit.
        #[serde(default, skip_serializing_if = "is_zero")]
        cost: f64,
        /// Seconds that the lost attempt took. If it vanished, at least as many.
        #[serde(default, skip_serializing_if = "is_zero")]
        seconds: f64,
    },
    /// An evaluation ended, with this outcome and cost.
    Ended {
        /// The evaluation that ended.
        evaluation: EvaluationId,
        /// The attempt that ended the evaluation.
        attempt: u32,
        /// The outcome of the evaluation. A score is as reported, not oriented.
        outcome: Outcome<Observation>,
        /// Cost of the evaluation, in the study's unit.
        cost: f64,
        /// Seconds that the evaluation took.
        seconds: f64,
        /// How the evaluation's command ended.
        end: Option<End>,
        /// Message about the evaluation: why it failed, or a warning.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// Other keys of the evaluation's result.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        extras: Map<String, Value>,
    },
    /// The cause of these arms' failures was mended. Their failures in a row are forgiven and made
    /// again, and retired arms among them are candidates again.
    Reinstated {
        /// The arms that are reinstated.
        arms: Vec<ArmId>,
    },
    /// These failed evaluations are made again: each arm gets its case once more.
    AskedAgain {
        /// The evaluations that are made again.
        evaluations: Vec<EvaluationId>,
        /// Number of the round, from 1, in which the study asks again. 0 if the user asked.
        round: u32,
    },
    /// Evaluations of these arms count no longer as scores, as the arms are asked anew. They stay
    /// paid.
    SetAside {
        /// The arms whose evaluations are set aside.
        arms: Vec<Aside>,
    },
    /// The study's running time was recorded.
    Clock {
        /// Seconds that the study has run, over all sessions.
        seconds: f64,
    },
    /// The selection ended with this conclusion.
    Concluded {
        /// The conclusion of the selection.
        conclusion: Conclusion,
        /// The version of the rules that decided it ([`RULES`](fiesta_policies::stopping::RULES));
        /// `None` if it was decided before versions were recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rules: Option<u32>,
    },
}

/// One controller's session of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The version of the program.
    pub version: String,
    /// The name of the controller's machine.
    pub host: String,
    /// The machine's processors, memory and operating system, in words. Its GPUs are in it where
    /// jobs have some of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Content of the study file when the session began.
    pub study: Value,
    /// Statements of the user that earlier scores are valid though evaluations change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asserted: Vec<Assertion>,
}

/// The statement that scores of arms are the same after a change as before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assertion {
    /// What changed, in words.
    pub change: String,
    /// The arms that the statement concerns, by their names.
    pub arms: Vec<String>,
    /// Number of evaluations of these arms that were made before.
    pub evaluations: u64,
}

/// An arm whose evaluations were set aside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Aside {
    /// The arm whose evaluations were set aside.
    pub arm: ArmId,
    /// The time before which answers in a cache are no answers of the arm, in seconds since 1970.
    /// `None` if what identifies the arm has changed, which the cache sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers_since: Option<f64>,
}

/// Source of an evaluation that was made before the study: its file and line, and what they say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The file, as the study file names it.
    pub file: String,
    /// The number of the line in the file.
    pub line: u64,
    /// The split that the file names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<u64>,
    /// The seed that the file names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The cost that the file names, which the study has not spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Seconds that the evaluation took, as the file says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde calls"
)]
fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

impl Entry {
    /// Returns the name of the entry's kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Opened(_) => "opened",
            Self::Recorded { .. } => "recorded",
            Self::Decided { .. } => "decided",
            Self::Retried { .. } => "retried",
            Self::Ended { .. } => "ended",
            Self::Reinstated { .. } => "reinstated",
            Self::AskedAgain { .. } => "asked-again",
            Self::SetAside { .. } => "set-aside",
            Self::Clock { .. } => "clock",
            Self::Concluded { .. } => "concluded",
        }
    }

    /// Returns the entry as text for the database, if it can be read back.
    ///
    /// # Errors
    /// The reason why it cannot, in words.
    pub(crate) fn kept(&self) -> Result<String, String> {
        if let Self::Ended { cost, seconds, .. } | Self::Retried { cost, seconds, .. } = self {
            for (name, number) in [("cost", cost), ("duration", seconds)] {
                if !number.is_finite() {
                    return Err(format!("its {name} of {number} is no finite number"));
                }
            }
        }
        let body = serde_json::to_string(self).map_err(|error| error.to_string())?;
        if !self.bears_foreign_values() {
            return Ok(body);
        }
        let read: Self = serde_json::from_str(&body).map_err(|error| {
            // The place in a line that nobody sees says nothing.
            let error = error.to_string();
            error
                .split(" at line ")
                .next()
                .unwrap_or_default()
                .to_owned()
        })?;
        if read == *self {
            Ok(body)
        } else {
            Err("it would be read as something else".to_owned())
        }
    }

    /// Returns whether the entry holds values of the user or of a job. These may be of any form, so
    /// the entry is read back before it is written down. Other entries hold texts and numbers of
    /// the program alone, and are not read back, as reading takes longer than a short job's turn.
    fn bears_foreign_values(&self) -> bool {
        match self {
            Self::Ended {
                outcome: Outcome::Observed(Observation::Score(score)),
                extras,
                ..
            } => !extras.is_empty() || !score.is_finite(),
            Self::Ended { extras, .. } => !extras.is_empty(),
            Self::Opened(_) | Self::Recorded { .. } | Self::Concluded { .. } => true,
            _ => false,
        }
    }

    /// Returns the origin of an evaluation, if it was made before the study.
    pub fn origin(&self) -> Option<&Origin> {
        match self {
            Self::Recorded { origin, .. } => Some(origin),
            _ => None,
        }
    }

    /// Returns the evaluation that the entry is about.
    pub fn evaluation(&self) -> Option<EvaluationId> {
        match self {
            Self::Recorded { evaluation, .. } | Self::Decided { evaluation, .. } => {
                Some(evaluation.id)
            }
            Self::Retried { evaluation, .. } | Self::Ended { evaluation, .. } => Some(*evaluation),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta_core::Counts;

    fn ended(outcome: Outcome<Observation>) -> Entry {
        Entry::Ended {
            evaluation: EvaluationId(3),
            attempt: 0,
            outcome,
            cost: 1.0,
            seconds: 1.0,
            end: None,
            message: None,
            extras: Map::new(),
        }
    }

    /// Tests that decisions outside of a random search keep the form of older ledgers.
    #[test]
    fn decisions_keep_their_form() {
        let without =
            r#"{"kind":"decided","evaluation":{"id":3,"arm":1,"case":{"split":0,"seed":7}}}"#;
        let entry: Entry = serde_json::from_str(without).unwrap();
        assert_eq!(serde_json::to_string(&entry).unwrap(), without);
        let with = without.replace("}}}", r#"}},"setting":{"layers":2,"lr":1e-6}}"#);
        let entry: Entry = serde_json::from_str(&with).unwrap();
        assert_eq!(serde_json::to_string(&entry).unwrap(), with);
        let Entry::Decided { setting, .. } = entry else {
            panic!("{entry:?}");
        };
        assert_eq!(setting.to_string(), "layers = 2, lr = 1e-6");
    }

    /// Tests that attempts without any cost keep the form of older ledgers.
    #[test]
    fn retries_keep_their_form() {
        let without = r#"{"kind":"retried","evaluation":3,"attempt":1,"reason":"it went"}"#;
        let mut entry: Entry = serde_json::from_str(without).unwrap();
        assert_eq!(serde_json::to_string(&entry).unwrap(), without);
        if let Entry::Retried { cost, seconds, .. } = &mut entry {
            (*cost, *seconds) = (2.5, 10.0);
        }
        let with = without.replace('}', r#","cost":2.5,"seconds":10.0}"#);
        assert_eq!(serde_json::to_string(&entry).unwrap(), with);
        assert_eq!(serde_json::from_str::<Entry>(&with).unwrap(), entry);
    }

    /// Tests that outcomes are written in the words that ledgers have in them.
    #[test]
    fn outcomes_keep_their_form() {
        let counts = Observation::Counts(Counts::from_cells([1, 2, 3, 4]));
        for (outcome, text) in [
            (
                Outcome::Observed(Observation::Score(0.1 + 0.2)),
                r#"{"observed":0.30000000000000004}"#,
            ),
            (
                Outcome::Observed(counts),
                r#"{"observed":{"tp":1,"fp":2,"tn":3,"fn":4}}"#,
            ),
            (Outcome::Failed, r#""failed""#),
        ] {
            let entry = ended(outcome);
            let written = serde_json::to_value(&entry).unwrap();
            assert_eq!(written["outcome"].to_string(), text);
            let text = written.to_string();
            assert_eq!(serde_json::from_str::<Entry>(&text).unwrap(), entry);
        }
    }
}
