//! Plain display of a study that runs: a line for each evaluation that ended.

use crate::say;
use fiesta::{
    ArmId, Evaluation, EvaluationId, Observation, Outcome,
    report::{Percentages, amount, percent},
    runner::{
        history::{Cause, Ending, Told},
        observer::{Observer, Progress},
        run::{RunId, result::words},
        study::Study,
    },
};

/// Plain display, which prints events line by line to standard error.
pub(super) struct Plain {
    verbose: bool,
    /// Lines about evaluations that ended in this turn, held until the leader is known.
    ended: Vec<String>,
    told: Told,
}

impl Plain {
    pub(super) fn new(verbose: bool) -> Self {
        Self {
            verbose,
            ended: Vec::new(),
            told: Told::default(),
        }
    }

    /// Prints the held lines, with a text at the end of the last line.
    fn print_ended(&mut self, at_the_end: &str) {
        let Some(last) = self.ended.pop() else {
            return;
        };
        self.ended.drain(..).for_each(say);
        say(format_args!("{last}{at_the_end}"));
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        // After what ended last, no turn follows.
        self.print_ended("");
    }
}

/// Returns words on which arm of a random search has the best score so far.
fn best_of_search(progress: &Progress<'_>) -> Option<String> {
    progress.study.search()?;
    let view = progress.selector.view();
    let arm = view.empirical_best()?;
    let score = progress.study.metric().direction().orient(view.mean(arm)?);
    let arm = progress.study.arms().name(arm);
    Some(format!("   {arm} has the best, {score:.4}"))
}

/// Returns the first evaluation that failed for this cause, and how often the cause has occurred since.
pub(super) fn told_before(
    told: &mut Told,
    study: &Study,
    evaluation: &Evaluation,
    ending: &Ending,
) -> Option<(EvaluationId, u64)> {
    if ending.outcome != Outcome::Failed {
        return None;
    }
    told.before(Cause::of(study, evaluation, ending), evaluation.id)
}

/// Returns the outcome of an evaluation in a few words.
pub(super) fn outcome(study: &Study, ending: &Ending) -> String {
    match ending.outcome {
        Outcome::Observed(observed) => {
            let score = study
                .score_of(&observed)
                .map_or("undefined".to_owned(), |score| format!("{score:.4}"));
            let score = format!("{} {score}", study.metric().name());
            let found = match observed {
                Observation::Score(_) => score,
                Observation::Counts(_) => format!("{} ({score})", words(&observed)),
            };
            match &ending.message {
                Some(warning) => format!("{found}; warning: {warning}"),
                None => found,
            }
        }
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
        let leads = progress.selector.view().belief().map(|belief| {
            let arms = belief.leaders(progress.selector.view().top());
            let name = |&arm: &ArmId| progress.study.arms().name(arm);
            if let [arm] = arms[..] {
                let percentages = Percentages::new(&belief.probability);
                let percent = percentages.of(arm.index());
                return format!("   {} leads with {percent}", name(&arm));
            }
            let names: Vec<&str> = arms.iter().map(name).collect();
            let percent = percent(belief.of_all(&arms).max(0.0));
            format!("   {} lead with {percent}", names.join(", "))
        });
        let best = best_of_search(progress);
        self.print_ended(&leads.or(best).unwrap_or_default());
    }

    fn started(&mut self, study: &Study, run: &RunId, evaluation: &Evaluation) {
        if self.verbose {
            let directory = study.run_directory(run);
            let arm = study.arms().name(evaluation.arm);
            say(format_args!(
                "started {arm} on {} in {}",
                study.describe(evaluation),
                directory.display()
            ));
        }
    }

    fn ended(&mut self, study: &Study, evaluation: &Evaluation, ending: &Ending) {
        let what = match told_before(&mut self.told, study, evaluation, ending) {
            Some((first, count)) => {
                format!(
                    "failed as evaluation {} did ({count} times so far)",
                    first.0 + 1
                )
            }
            None => outcome(study, ending),
        };
        self.ended.push(format!(
            "{:>5}  {}  {}  {what}  ({} s)",
            evaluation.id.0 + 1,
            study.arms().name(evaluation.arm),
            study.describe(evaluation),
            amount(ending.seconds),
        ));
    }

    fn notice(&mut self, message: &str) {
        say(message);
    }
}
