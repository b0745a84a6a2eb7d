//! The variables that a run's command finds in its environment, beside those of its case.

use crate::named::named;

named! {
    /// A variable that `fiesta` sets for a command.
    pub(crate) enum JobVariable {
        /// Path of a file for the result, in place of printing it.
        Result = "FIESTA_RESULT",
        /// Directory for what a long job saves: the same at every attempt at an evaluation, and
        /// removed after its end.
        Checkpoint = "FIESTA_CHECKPOINT",
        /// Hyperparameters as a JSON object; each is also `FIESTA_HP_` with its name, such as
        /// `FIESTA_HP_lr` (random search).
        Setting = "FIESTA_SETTING",
        /// Name of the run; marks all of its processes.
        Run = "FIESTA_RUN",
        /// Directory of a worker; marks all of its processes.
        Worker = "FIESTA_WORKER",
        /// Marks of the run or worker, and of those that it is part of, for a job that runs studies
        /// itself: whoever ends a run ends all processes with its mark.
        Marks = "FIESTA_MARKS",
    }
}

/// Prefix of the variables of hyperparameters.
pub(crate) const HYPERPARAMETER: &str = "FIESTA_HP_";
