//! Outlook of scores on splits: how many more evaluations are expected to settle which arm is best,
//! simulated from the posterior `paired`.

mod future;
#[cfg(test)]
mod tests;

use super::{
    AnalysisError, ScoresOfArms,
    pool::{OutlookOptions, drawn_in_parallel},
};
use crate::{
    percent,
    words::{level, one_or_more},
};
use fiesta_core::{
    ArmId, Ask, Case, Design, Evaluation, EvaluationId, Event, Limits, Observe, Outcome, Reason,
    Selector, SelectorError,
};
use fiesta_policies::{Parameters, policy_by_name, stopping::PosteriorThreshold};
use fiesta_posterior::{PAIRED, Paired};
use future::Future;
use rand::rngs::ChaCha8Rng;
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// Number of continuations that are drawn.
const DRAWS: u32 = 100;
/// Draws of the posterior, from which each continuation takes its model.
const MODELS: usize = 2_000;
/// Further evaluations of each arm after which a continuation is left unsettled.
const MOST_PER_ARM: u64 = 40;
/// Policy of the continuations.
const POLICY: &str = "auto";

/// Outlook on what further evaluations on splits would buy: in each of many continuations the
/// means, variances and effects of splits are [drawn](Paired::draw_model) from the posterior, and
/// scores that follow from them are asked for by the policy `auto` until the rule `posterior` names
/// an arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SplitsOutlook {
    /// Confidence at which an arm is to be named.
    pub confidence: f64,
    /// Number of continuations.
    pub draws: u32,
    /// Further evaluations after which a continuation is left unsettled.
    pub most: u64,
    /// Share of continuations in which an arm is named with no more than `most` further
    /// evaluations.
    pub settled: f64,
    /// Further evaluations before an arm is named.
    pub evaluations: FurtherEvaluations,
    /// Share of the settled continuations in which the arm that is named has the highest drawn mean.
    /// `None` if none was settled.
    pub right: Option<f64>,
}

/// Quantiles over the continuations of the further evaluations before an arm is named. `None` if the
/// continuation at this quantile is unsettled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FurtherEvaluations {
    /// Median number of further evaluations over the continuations.
    pub median: Option<u64>,
    /// Tenth percentile of the further evaluations over the continuations.
    pub lower: Option<u64>,
    /// Ninetieth percentile of the further evaluations over the continuations.
    pub upper: Option<u64>,
}

/// Known evaluations, with splits numbered from 0 in the order of the scores.
struct Known {
    evaluations: Vec<(ArmId, Case, f64)>,
    design: Design,
}

impl Known {
    /// Returns the evaluations of these scores, oriented so that larger is better. Scores without a
    /// split share none.
    fn new(scores: &ScoresOfArms<'_>) -> Self {
        let mut numbers = HashMap::new();
        let mut evaluations = Vec::new();
        let mut unshared = (0..=u64::MAX).rev();
        for (arm, of_arm) in scores.arms.ids().zip(&scores.scores) {
            for score in of_arm.iter() {
                let split = score.split.or_else(|| unshared.next()).unwrap_or(0);
                let next = numbers.len() as u64;
                let split = *numbers.entry(split).or_insert(next);
                let seed = score.seed.unwrap_or(0);
                let case = Case { split, seed };
                evaluations.push((arm, case, scores.direction.orient(score.score)));
            }
        }
        let cells: HashSet<(ArmId, u64)> = { evaluations.iter() }
            .map(|(arm, case, _)| (*arm, case.split))
            .collect();
        let design = match numbers.len() {
            1 => Design::Fixed,
            splits if splits < cells.len() => Design::Shared,
            _ => Design::Independent,
        };
        Self {
            evaluations,
            design,
        }
    }

    /// Returns a study of the arms that has recorded the known evaluations and may start `most` more.
    fn study(
        &self,
        scores: &ScoresOfArms<'_>,
        confidence: f64,
        most: u64,
        seed: u64,
    ) -> Result<Selector<f64>, AnalysisError> {
        let arms = scores.arms.len();
        let parameters = Parameters {
            arms,
            ..Parameters::default()
        };
        let policy = policy_by_name(POLICY, &parameters)?;
        let rule = PosteriorThreshold::new(confidence)?;
        let limits = Limits {
            evaluations: Some(most),
            ..Limits::default()
        };
        let mut study = Selector::builder(scores.arms.clone(), Paired::new(arms), policy, rule)
            .design(self.design)
            .limits(limits)
            .seed(seed)
            .build()?;
        for (id, &(arm, case, score)) in (0..).zip(&self.evaluations) {
            let id = EvaluationId(id);
            study.record(Evaluation { id, arm, case }, Some(score))?;
        }
        Ok(study)
    }
}

/// Result of one continuation: further evaluations, and whether the arm that was named is the best.
/// The latter is `None` if no arm was named.
type Continuation = (u64, Option<bool>);

impl SplitsOutlook {
    /// Simulates further evaluations of arms.
    ///
    /// # Errors
    /// [`AnalysisError`] for scores that the posterior cannot be fitted to, for more than
    /// [`Paired::EXACT_UP_TO`] arms, and for a confidence that is none.
    pub(crate) fn of_scores(
        scores: &ScoresOfArms<'_>,
        options: &OutlookOptions,
    ) -> Result<Self, AnalysisError> {
        Self::simulate(scores, options, DRAWS)
    }

    /// Simulates further evaluations in `draws` continuations.
    fn simulate(
        scores: &ScoresOfArms<'_>,
        options: &OutlookOptions,
        draws: u32,
    ) -> Result<Self, AnalysisError> {
        let arms = scores.arms.len();
        PosteriorThreshold::new(options.confidence)?;
        let known = Known::new(scores);
        let mut posterior = Paired::new(arms).draws(MODELS);
        for &(arm, case, score) in &known.evaluations {
            let observed = posterior.observe(arm, case, score);
            observed.map_err(|error| AnalysisError::Refused(error.to_string()))?;
        }
        let most = MOST_PER_ARM.saturating_mul(arms as u64);
        let one = |posterior: &&Paired, mut rng: ChaCha8Rng, seed: u64| {
            let model = posterior.draw_model(&mut rng).ok_or_else(no_model)?;
            let mut study = known.study(scores, options.confidence, most, seed)?;
            continued(&mut study, Future::new(model, &known, rng))
        };
        let found = drawn_in_parallel(options.seed, draws, &&posterior, one)?;
        Ok(Self::of(found, most, options.confidence))
    }

    fn of(mut found: Vec<Continuation>, most: u64, confidence: f64) -> Self {
        // Unsettled ones come last.
        found.sort_by_key(|&(evaluations, right)| (right.is_none(), evaluations));
        let quantile = |percent: usize| {
            let place = (percent * found.len()).div_ceil(100);
            let (evaluations, right) = found[place.clamp(1, found.len()) - 1];
            right.map(|_| evaluations)
        };
        let settled: Vec<bool> = found.iter().filter_map(|(_, right)| *right).collect();
        let right = settled.iter().filter(|right| **right).count() as f64;
        Self {
            confidence,
            draws: u32::try_from(found.len()).unwrap_or(u32::MAX),
            most,
            settled: settled.len() as f64 / found.len() as f64,
            evaluations: FurtherEvaluations {
                median: quantile(50),
                lower: quantile(10),
                upper: quantile(90),
            },
            right: (!settled.is_empty()).then(|| right / settled.len() as f64),
        }
    }

    /// Returns whether no further evaluation is needed.
    pub(crate) fn is_settled(&self) -> bool {
        self.evaluations.upper == Some(0)
    }

    /// Returns median, tenth and ninetieth percentile in words: "24", "more than 320".
    pub(crate) fn words(&self) -> [String; 3] {
        let FurtherEvaluations {
            median,
            lower,
            upper,
        } = self.evaluations;
        [median, lower, upper].map(|number| match number {
            Some(number) => number.to_string(),
            None => format!("more than {}", self.most),
        })
    }

    /// Says how many more evaluations would settle the question.
    pub fn sentence(&self) -> String {
        let level = level(self.confidence);
        if self.is_settled() {
            return format!(
                "no more evaluations are needed at {level}: a study with these would end here"
            );
        }
        let [median, lower, upper] = self.words();
        let Some(number) = self.evaluations.median else {
            return format!(
                "{median} more evaluations would settle it at {level} in most continuations; {} of them are settled by then",
                percent(self.settled)
            );
        };
        let evaluations = one_or_more(number, "evaluation", "evaluations");
        format!(
            "about {median} more {evaluations} ({lower} to {upper} in 80 % of continuations) would settle it at {level}"
        )
    }

    /// Tells what the outlook rests on.
    pub fn method(&self) -> String {
        let settled = (self.settled * f64::from(self.draws)).round();
        let right = (self.right.unwrap_or(0.0) * settled).round();
        format!(
            "simulated: {} times means, variances and effects of splits were drawn from the posterior {PAIRED}, and further scores asked for by the policy {POLICY}; an arm was named in {settled} of them, the best in {right}",
            self.draws
        )
    }
}

fn no_model() -> AnalysisError {
    AnalysisError::Refused(format!(
        "an outlook draws means and variances, which the posterior {PAIRED} does not have of these scores: it needs a score of every arm, two more in all, some noise, and at most {} arms; leave --outlook out",
        Paired::EXACT_UP_TO
    ))
}

/// Continues a study until it names an arm or reaches its limit.
fn continued(study: &mut Selector<f64>, mut future: Future) -> Result<Continuation, AnalysisError> {
    let mut evaluations = 0;
    loop {
        match study.ask()? {
            Ask::Evaluate(Evaluation { id, arm, case }) => {
                let outcome = Outcome::Observed(future.score(arm, case.split));
                study.tell(Event::Ended {
                    id,
                    outcome,
                    cost: 1.0,
                })?;
                evaluations += 1;
            }
            Ask::Finished(ended) if matches!(ended.reason, Reason::Limit(_)) => {
                return Ok((evaluations, None));
            }
            Ask::Finished(ended) => return Ok((evaluations, Some(future.is_best(ended.arm)))),
            // Nothing is pending when the next is asked for.
            Ask::Wait => return Err(SelectorError::Stalled.into()),
        }
    }
}
