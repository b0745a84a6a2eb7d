//! Comparisons of arms: the difference of two means, a test, and P(better), of two arms or of several
//! pairs.

mod pairs;
mod text;

use super::{
    AnalysisError, ArmScores, PoolOrigin, ScoresOfArms, as_reported,
    belief::{Sampling, fit},
    folds::folds_note,
};
use crate::{
    figure::Estimate,
    summary::{ArmComparison, Interval, McNemar, Pairing, ScoreSummary},
};
use fiesta_core::{ArmId, Arms, Direction, finest};
use fiesta_posterior::{POOL, lead};
pub use pairs::{ComparedPair, PairsReport};
use serde::Serialize;
use std::collections::BTreeMap;

/// Options of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareOptions {
    /// The names of the two arms; without them, the two of the best means, the best first.
    pub arms: Option<[String; 2]>,
    /// Confidence of the intervals.
    pub confidence: f64,
    /// The posterior of P(better) by its name; without it the default one.
    pub posterior: Option<String>,
    /// How many draws the posterior `paired` makes; without it as many as by default.
    pub draws: Option<u64>,
    /// Seed of the draws of the posterior `paired`; without it 0.
    pub seed: Option<u64>,
    /// Largest difference, in the metric's units, that counts as a tie. `None` if ties are only of
    /// arms whose scores never differ.
    pub tolerance: Option<f64>,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self {
            arms: None,
            confidence: 0.95,
            posterior: None,
            draws: None,
            seed: None,
            tolerance: None,
        }
    }
}

/// Two arms: their means, how far these are apart, and how surprising that is.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ComparisonReport {
    /// What the score is called.
    pub metric: String,
    /// Which scores are better: `maximize` or `minimize`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub direction: Direction,
    /// First of the two compared arms, with its scores.
    pub a: ComparedArm,
    /// Second of the two compared arms, with its scores.
    pub b: ComparedArm,
    /// The confidence of all intervals.
    pub confidence: f64,
    /// The mean of the first arm less that of the second, in the metric's own units; on shared
    /// splits that over these.
    pub difference: f64,
    /// Standard error of the difference. `None` where nothing is known of the noise.
    pub standard_error: Option<f64>,
    /// The degrees of freedom of the standard error; 0 where there is none.
    pub degrees_of_freedom: f64,
    /// Where the interval of the difference begins; none where nothing is known of the noise.
    pub lower: Option<f64>,
    /// Where the interval of the difference ends.
    pub upper: Option<f64>,
    /// Difference in standard deviations of a difference: of the two scores on one split, else of any
    /// two scores, √(s_a² + s_b²). `None` if that deviation is 0 or not known.
    pub effect: Option<f64>,
    /// Largest difference, in the metric's units, that counts as a tie. `None` if none was asked for.
    pub tolerance: Option<f64>,
    /// Whether the arms are a tie: the interval of the difference lies between −`tolerance` and
    /// `tolerance`, or on two splits at least no score differs.
    pub tie: bool,
    /// The test: `paired t`, `welch t`, or `permutation` where scores show no noise.
    pub test: &'static str,
    /// Two-sided p-value of the test. `None` where nothing is known of the noise.
    pub p_value: Option<f64>,
    /// Number of splits on which both arms have a score, if the arms are compared on these splits.
    pub shared_splits: Option<u64>,
    /// How many scores of the two arms are on other splits and do not count in the difference.
    pub left_out: u64,
    /// The source of splits that pair scores: `column`, `item`, `rows` or `none`.
    pub pairing: &'static str,
    /// The posterior of `probability_better`.
    pub posterior: String,
    /// Which items of a pool `probability_better` is of: `these items` or `items like these`. `None`
    /// under other posteriors than `pool`.
    pub target: Option<String>,
    /// The probability that the mean of the first arm is better than that of the second; none where
    /// the posterior needs more scores.
    pub probability_better: Option<f64>,
    /// The posterior interval of the difference, from which `probability_better` follows: at 95 % it
    /// excludes 0 exactly if that is above 97.5 % or below 2.5 %; `None` where it is not known.
    pub posterior_interval: Option<[f64; 2]>,
    /// On items or splits that each arm got right (the better of 0 and 1) or wrong once, McNemar's
    /// exact test of the two.
    pub mcnemar: Option<McNemar>,
    /// Items or splits on which only the first arm is right.
    pub only_a: Vec<String>,
    /// Items or splits on which only the second arm is right.
    pub only_b: Vec<String>,
    /// Notes on the data.
    pub notes: Vec<String>,
}

/// The scores of one of two arms.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ComparedArm {
    /// Name of the arm.
    pub name: String,
    /// How many scores the arm has.
    pub evaluations: u64,
    /// Mean of the arm's scores.
    pub mean: f64,
    /// Standard deviation of the arm's scores. `None` of a single score.
    pub standard_deviation: Option<f64>,
    /// Where the interval of the mean begins: Student's t, of scores that are all 0 or 1 the exact
    /// binomial one; none where nothing is known of the noise.
    pub lower: Option<f64>,
    /// Where the interval of the mean ends.
    pub upper: Option<f64>,
}

impl ComparedArm {
    fn new(name: &str, scores: &ArmScores<'_>, confidence: f64) -> Result<Self, AnalysisError> {
        let sample = scores.sample().ok_or_else(|| no_score(name))?;
        let (_, interval) = ScoreSummary::mean_interval(&sample, confidence)?;
        let moments = scores.moments();
        Ok(Self {
            name: name.to_owned(),
            evaluations: moments.count(),
            mean: moments.mean(),
            standard_deviation: moments.standard_deviation(),
            lower: interval.map(|interval| interval.lower),
            upper: interval.map(|interval| interval.upper),
        })
    }

    fn estimate(&self) -> Estimate {
        let ends = self.lower.zip(self.upper);
        let interval = ends.map(|(lower, upper)| Interval { lower, upper });
        Estimate::new(self.mean, interval)
    }
}

fn no_score(name: &str) -> AnalysisError {
    AnalysisError::Refused(format!(
        "the arm `{name}` has no score: give one at least, or compare another"
    ))
}

impl ComparisonReport {
    /// Compares two arms: on the splits that both have seen if these are at least two and half of
    /// those of the arm with fewer ([`ArmComparison`]), else as independent samples (Welch 1947).
    ///
    /// P(better) is under the posterior of these two arms alone.
    ///
    /// # Errors
    /// [`AnalysisError`] if there are not two arms, an arm is unknown or has no score, the
    /// confidence is not between 0 and 1, or the posterior's name is none.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::Direction;
    /// use fiesta_records::{Reading, read_from};
    /// use fiesta_report::analysis::{ScoresOfArms, compare::{CompareOptions, ComparisonReport}};
    /// let file = "split,gru,lstm\n0,.64,.66\n1,.61,.64\n2,.70,.72\n";
    /// let records = read_from(file.as_bytes(), None, &Reading::default(), "file")?;
    /// let scores = ScoresOfArms::new(&records, &[], Direction::Maximize, "file")?;
    /// let found = ComparisonReport::new(&scores, &CompareOptions::default())?;
    /// assert_eq!((&*found.a.name, found.test), ("lstm", "paired t"));
    /// assert!((found.difference - 0.07 / 3.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(scores: &ScoresOfArms<'_>, options: &CompareOptions) -> Result<Self, AnalysisError> {
        let [a, b] = arms(scores, options)?;
        let number = |two: &ScoresOfArms<'_>| two.scores.iter().map(ArmScores::len).sum::<usize>();
        let all = of_arms(scores, &[a, b])?;
        let (two, missing) = all.clone().on_common_items()?;
        let on_other_items = number(&all) - number(&two);
        let [one, other] = [0, 1].map(|arm| (&two.arms.names()[arm], &two.scores[arm]));
        let confidence = options.confidence;
        let tolerance = checked_tolerance(options)?;
        let [a, b] = [
            ComparedArm::new(one.0, one.1, confidence)?,
            ComparedArm::new(other.0, other.1, confidence)?,
        ];
        let first = one.1.sample().ok_or_else(|| no_score(one.0))?;
        let second = other.1.sample().ok_or_else(|| no_score(other.0))?;
        let found = ArmComparison::new(&first, &second, confidence)?;
        let (shared_splits, left_out) = match found.pairing {
            Pairing::Paired { splits, left_out } => {
                (Some(splits as u64), (left_out + on_other_items) as u64)
            }
            Pairing::Unpaired => (None, on_other_items as u64),
        };
        let effect = effect(&found, shared_splits, [&a, &b]);
        let is_equal = found.standard_error == Some(0.0) && found.difference == 0.0;
        let is_within = |interval: &Interval| {
            tolerance.is_some_and(|most| -most <= interval.lower && interval.upper <= most)
        };
        let tie = is_equal || found.interval.as_ref().is_some_and(is_within);
        let missing = missing
            .iter()
            .flat_map(|missing| missing.sentences(PoolOrigin::Sample));
        let mut notes: Vec<String> = missing.collect();
        notes.extend(two.copies());
        let posterior = options.posterior.as_deref();
        let posterior = posterior.unwrap_or_else(|| two.default_posterior());
        // The posterior of a pool knows what is missing.
        let believed = if posterior == POOL { &all } else { &two };
        let sampling = Sampling {
            draws: options.draws,
            seed: options.seed,
        };
        let better = probability(believed, posterior, sampling, confidence);
        let better = better.map(Some).or_else(|error| match error {
            AnalysisError::Refused(why) | AnalysisError::TooFew(why) => {
                notes.push(format!("nothing is said of P(better): {why}"));
                Ok(None)
            }
            other => Err(other),
        })?;
        if options.arms.is_none() && scores.arms.len() > 2 {
            notes.push(format!(
                "{} and {} have the best means of {} arms, which is why they are compared: p-value and interval are of two arms that were named before their scores were seen",
                a.name,
                b.name,
                scores.arms.len()
            ));
        }
        notes.extend(scores.unpaired.clone());
        let folds = scores.folds.as_ref();
        notes.extend(folds.map(|folds| folds_note(folds, "intervals and P(better)")));
        let answers = right_or_wrong(&two);
        let mcnemar = answers
            .as_ref()
            .map(|[only_a, only_b]| McNemar::new(only_a.len() as u64, only_b.len() as u64));
        let [only_a, only_b] = answers.unwrap_or_default();
        Ok(Self {
            metric: scores.metric.clone(),
            direction: scores.direction,
            a,
            b,
            confidence,
            difference: found.difference,
            // Equal differences tell nothing of their error.
            standard_error: found.standard_error.filter(|&error| error > 0.0),
            degrees_of_freedom: found.degrees_of_freedom,
            lower: found.interval.map(|interval| interval.lower),
            upper: found.interval.map(|interval| interval.upper),
            effect,
            tolerance,
            tie,
            test: match found.pairing {
                _ if found.standard_error == Some(0.0) => "permutation",
                Pairing::Paired { .. } => "paired t",
                Pairing::Unpaired => "welch t",
            },
            p_value: found.two_sided(),
            shared_splits,
            left_out,
            pairing: scores.splits.name(),
            posterior: posterior.to_owned(),
            target: { two.pool.filter(|_| posterior == POOL) }.map(|pool| pool.target.to_string()),
            probability_better: better.map(|(p, _)| p),
            posterior_interval: better.and_then(|(_, interval)| interval),
            mcnemar,
            only_a,
            only_b,
            notes,
        })
    }
}

/// Returns the difference in standard deviations of a difference between two scores: of the same split
/// if the arms share splits, else of one score of each arm. `None` where scores do not vary.
fn effect(
    found: &ArmComparison,
    shared_splits: Option<u64>,
    [a, b]: [&ComparedArm; 2],
) -> Option<f64> {
    let spread = match shared_splits {
        Some(splits) => found.standard_error? * (splits as f64).sqrt(),
        None => a.standard_deviation?.hypot(b.standard_deviation?),
    };
    (spread > 0.0).then(|| found.difference / spread)
}

/// Returns the tolerance that was asked for.
fn checked_tolerance(options: &CompareOptions) -> Result<Option<f64>, AnalysisError> {
    let is_wrong = |tolerance: &f64| !(*tolerance >= 0.0 && tolerance.is_finite());
    match options.tolerance.filter(is_wrong) {
        Some(tolerance) => Err(AnalysisError::Refused(format!(
            "a tolerance of {tolerance} is no distance: give a difference of scores, 0 or more"
        ))),
        None => Ok(options.tolerance),
    }
}

/// The places of the arms that are asked for, else of the two with the best means.
fn arms(scores: &ScoresOfArms<'_>, options: &CompareOptions) -> Result<[ArmId; 2], AnalysisError> {
    if let Some(names) = &options.arms {
        let find = |name: &String| {
            let place = scores.arms.names().iter().position(|known| known == name);
            place
                .map(ArmId::new)
                .ok_or_else(|| super::unknown_arm(name, scores.arms.names()))
        };
        let [a, b] = names;
        if a == b {
            return Err(AnalysisError::Refused(format!(
                "`{a}` is to be compared with itself: name two different arms"
            )));
        }
        return Ok([find(a)?, find(b)?]);
    }
    best_first(scores).first_chunk().copied().ok_or_else(|| {
        AnalysisError::Refused(format!(
            "two arms are compared, and {} has fewer: give the scores of another",
            scores.source
        ))
    })
}

/// Returns the arms in the order of their means, the best first and those without a score last.
fn best_first(scores: &ScoresOfArms<'_>) -> Vec<ArmId> {
    let means = scores.moments();
    let mean = |arm: ArmId| match means[arm.index()].count() {
        0 => f64::NEG_INFINITY,
        _ => scores.direction.orient(means[arm.index()].mean()),
    };
    let mut order: Vec<ArmId> = scores.arms.ids().collect();
    order.sort_by(|&a, &b| mean(b).total_cmp(&mean(a)));
    order
}

/// Returns the scores of some of the arms.
fn of_arms<'a>(
    scores: &ScoresOfArms<'a>,
    arms: &[ArmId],
) -> Result<ScoresOfArms<'a>, AnalysisError> {
    let names = arms.iter().map(|&arm| scores.arms.name(arm).to_owned());
    let of_arm = |arm: &ArmId| scores.scores[arm.index()].clone();
    Ok(ScoresOfArms {
        metric: scores.metric.clone(),
        direction: scores.direction,
        arms: Arms::new(names)?,
        scores: arms.iter().map(of_arm).collect(),
        splits: scores.splits,
        unpaired: None,
        folds: None,
        pool: scores.pool,
        items: scores.items.clone(),
        source: scores.source.clone(),
    })
}

/// P(the first arm is better) under the posterior with this name, and its interval of the
/// difference, as reported; `None` where the posterior has no distribution of differences.
fn probability(
    scores: &ScoresOfArms<'_>,
    name: &str,
    sampling: Sampling,
    confidence: f64,
) -> Result<(f64, Option<[f64; 2]>), AnalysisError> {
    let posterior = fit(scores, name, None, sampling)?;
    let posterior = finest(&*posterior);
    let arms: Vec<ArmId> = scores.arms.ids().collect();
    let interval = lead(posterior, arms[0], arms[1]).map(|lead| {
        let (_, interval) = as_reported(&lead.at(confidence), scores.direction, confidence);
        [interval.lower, interval.upper]
    });
    Ok((posterior.belief(&arms).of(arms[0]), interval))
}

/// The items or splits on which one of two arms alone is right, those of the first arm and those of
/// the second, in their order; none unless both answered at least one, and each once with 0 or 1.
fn right_or_wrong(scores: &ScoresOfArms<'_>) -> Option<[Vec<String>; 2]> {
    let answers = |of_arm: &ArmScores<'_>| {
        let mut answers = BTreeMap::new();
        let is_bit = |score: f64| [0.0, 1.0].contains(&score);
        for score in of_arm.iter() {
            let again = answers.insert(score.split?, score.score);
            if again.is_some() || !is_bit(score.score) {
                return None;
            }
        }
        Some(answers)
    };
    // Bits are few: most scores are turned down by the first.
    let (first, second) = (answers(&scores.scores[0])?, answers(&scores.scores[1])?);
    let mut only = [Vec::new(), Vec::new()];
    let mut common = 0;
    for (&split, &one) in &first {
        let Some(&other) = second.get(&split) else {
            continue;
        };
        common += 1;
        let ahead = scores.direction.orient(one - other);
        if ahead.abs() > 0.5 {
            let place = usize::try_from(split).ok();
            let item = place.and_then(|place| scores.items.get(place));
            let name = item.map_or_else(|| split.to_string(), |item| item.id.clone());
            only[usize::from(ahead < 0.0)].push(name);
        }
    }
    (common > 0).then_some(only)
}

#[cfg(test)]
mod tests;
