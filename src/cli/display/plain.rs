//! Plain lines: one for each evaluation that ended.

use fiesta::{
    core::{Evaluation, Outcome},
    report::percent,
    runner::{Observer, executor::RunId, history::Ending, observer::Progress, study::Study},
};

/// Prints what happens, line by line, to standard error.
pub(super) struct Plain {
    verbose: bool,
    /// Lines of this turn, printed when it is known who leads after it.
    ended: Vec<String>,
}

impl Plain {
    pub(super) fn new(verbose: bool) -> Self {
        Self {
            verbose,
            ended: Vec::new(),
        }
    }
}

/// What became of an evaluation, in a few words.
pub(super) fn outcome(study: &Study, ending: &Ending) -> String {
    match ending.outcome {
        Outcome::Observed(score) => format!("{} {score:.4}", study.metric().name()),
        Outcome::Failed => {
            format!(
                "failed: {}",
                ending.message.as_deref().unwrap_or("for unknown reasons")
            )
        }
        Outcome::Withdrawn => "withdrawn".to_owned(),
    }
}

impl Observer for Plain {
    fn progress(&mut self, progress: &Progress<'_>) {
        if self.ended.is_empty() {
            return;
        }
        let view = progress.selector.view();
        let leader = view.belief().map(|belief| {
            let (arm, probability) = belief.leader();
            format!(
                "   {} leads with {}",
                progress.study.arms().name(arm),
                percent(probability)
            )
        });
        let last = self.ended.len() - 1;
        for (index, line) in self.ended.drain(..).enumerate() {
            let leader = if index == last {
                leader.as_deref().unwrap_or("")
            } else {
                ""
            };
            eprintln!("{line}{leader}");
        }
    }

    fn started(&mut self, study: &Study, run: &RunId, evaluation: &Evaluation) {
        if self.verbose {
            let directory = study.runs_directory().join(run.as_str());
            let arm = study.arms().name(evaluation.arm);
            eprintln!(
                "started {arm} on split {} in {}",
                evaluation.case.split,
                directory.display()
            );
        }
    }

    fn ended(&mut self, study: &Study, evaluation: &Evaluation, ending: &Ending) {
        self.ended.push(format!(
            "{:>5}  {}  split {}  {}  ({:.1} s)",
            evaluation.id.0 + 1,
            study.arms().name(evaluation.arm),
            evaluation.case.split,
            outcome(study, ending),
            ending.seconds,
        ));
    }

    fn notice(&mut self, message: &str) {
        eprintln!("{message}");
    }
}
