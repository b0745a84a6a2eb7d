//! Studies of functions: keys of commands and processes, which say nothing to them.

use super::{ExecutorKind, Study, StudyError, error::Source, file::StudyFile};

/// The kind of executor whose runs are calls of functions.
pub(super) const KIND: &str = "functions";

/// Checks that a study of functions has no key that only a command or a process could obey.
pub(super) fn check_functions(source: &Source<'_>, file: &StudyFile) -> Result<(), StudyError> {
    if !file.is_of_functions() {
        return Ok(());
    }
    let resources = &file.resources;
    let metric = file.metric.as_ref();
    let of_study: [(&[&str], bool, &str); 8] = [
        (&["command"], file.command.is_some(), ""),
        (&["worker"], file.worker.is_some(), ""),
        (
            &["resources", "gpus_per_job"],
            resources.gpus_per_job.is_some(),
            "",
        ),
        (
            &["resources", "timeout"],
            resources.timeout.is_some(),
            "; a function cannot be stopped from outside, so let it keep to a time limit itself",
        ),
        (&["resources", "silence"], resources.silence.is_some(), ""),
        (
            &["metric", "exit_codes"],
            metric.is_some_and(|metric| metric.exit_codes.is_some()),
            "; a function that returns a score has succeeded, and one that returns an error has failed",
        ),
        (
            &["metric", "pattern"],
            metric.is_some_and(|metric| metric.pattern.is_some()),
            "; a function returns its score",
        ),
        (
            &["metric", "file"],
            metric.is_some_and(|metric| metric.file.is_some()),
            "; a function returns its score",
        ),
    ];
    let wrong = |key: &[&str], advice: &str| {
        let name = key.last().copied().unwrap_or_default();
        let message = format!(
            "`{name}` is of commands, and the arms of this study are functions (executor.kind = \"{KIND}\"): leave it out{advice}"
        );
        Err(source.wrong(key, message))
    };
    if let Some((key, _, advice)) = of_study.iter().find(|(_, is_given, _)| *is_given) {
        return wrong(key, advice);
    }
    for arm in &file.arm {
        let of_arm = [
            ("command", arm.command.is_some()),
            ("env", !arm.env.is_empty()),
            ("gpus_per_job", arm.gpus_per_job.is_some()),
        ];
        if let Some((key, _)) = of_arm.iter().find(|(_, is_given)| *is_given) {
            return wrong(&["arm", &arm.place, key], "");
        }
    }
    Ok(())
}

impl Study {
    /// Whether its arms are functions of the program that runs the study, and not commands.
    pub fn is_of_functions(&self) -> bool {
        matches!(self.executor, ExecutorKind::Functions)
    }
}
