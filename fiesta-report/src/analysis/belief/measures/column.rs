//! One measure of all arms: its values in the evaluations, and the posterior of their means.

use super::{
    super::{INTERVAL, of_scores::observe_all},
    ArmMeasure, COST, Sampling,
};
use crate::{
    analysis::{AnalysisError, ArmScores, ScoresOfArms},
    words::{count, listed, one_or_more},
};
use fiesta_core::{ArmId, Marginal, Moments, Observe, tail_begins, unseen};
use fiesta_records::{Evaluations, Record, Row, excerpt, is_missing};
use rand::{Rng, RngExt};
use rand_distr::{Beta, Distribution};
use statrs::distribution::ContinuousCDF;
use std::collections::{BTreeMap, HashMap};

/// Measure of the time of an evaluation, in seconds.
const DURATION: &str = "duration";
/// Values of an arm from which on its skewness is its own.
const SKEWED_FROM: u64 = 3;
/// Part of a value by which differences may be off that are the same.
const ROUNDING: f64 = 1e-12;
/// Names that a message lists at most.
const MOST: usize = 12;

/// Values of one measure, arm by arm.
pub(super) struct Measure {
    name: String,
    moments: Vec<Moments>,
    /// Number of evaluations of each arm without a value.
    missing: Vec<u64>,
    /// Kind of each arm's values, from which its mean is drawn.
    arms: Vec<OfArm>,
    /// Least mean that is possible: 0 where no value is below 0.
    least: f64,
    /// Arms whose values vary, by their places.
    varying: Vec<usize>,
    /// Values of those arms.
    values: Vec<ArmScores<'static>>,
    /// How many of these the posterior is of: the first alone where differences of the others from it are known.
    fitted: usize,
    /// Skewness of those arms' values over the root of their number.
    skewness: Vec<f64>,
}

/// Kind of the values of an arm: how their mean is drawn follows from it.
#[derive(Debug, Clone, Copy)]
enum OfArm {
    /// The mean is known: the measure is said to be a price, and the values are all this one.
    Known(f64),
    /// All values are this one. With the probability `unseen` there are others, and the mean may be anything.
    Constant { value: f64, unseen: f64 },
    /// The values are zeros and ones: the mean is a share.
    Share { ones: u64, of: u64 },
    /// The values vary.
    Varying,
}

/// Number of values of an arm below which a limit on their mean errs more often than it says, if they are skewed
/// (docs/measures.md).
const FEW: u64 = 50;

/// Where the values of a measure stand.
enum Column {
    Cost,
    Duration,
    Own(usize),
}

impl Column {
    fn find(records: &Evaluations, name: &str) -> Option<Self> {
        match name {
            COST => Some(Self::Cost),
            DURATION => Some(Self::Duration),
            name => records.column(name).map(Self::Own),
        }
    }

    /// Returns the value in a row. `None` where the cell is empty or says that there is none.
    fn value(&self, row: &Row<'_>) -> Result<Option<f64>, String> {
        let column = match self {
            Self::Cost => return Ok(row.cost),
            Self::Duration => return Ok(row.duration),
            Self::Own(column) => *column,
        };
        let cell = row.cell(column).map(str::trim);
        let Some(cell) = cell.filter(|cell| !is_missing(cell)) else {
            return Ok(None);
        };
        match cell.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Some(value)),
            _ => Err(excerpt(cell)),
        }
    }
}

impl Measure {
    /// Reads the values of a measure of the arms that have `scores`, of failed evaluations too. `is_price` says that
    /// its values are known.
    pub(super) fn new(
        records: &Evaluations,
        scores: &ScoresOfArms,
        name: &str,
        is_price: bool,
    ) -> Result<Self, AnalysisError> {
        let refused = |why: String| AnalysisError::Refused(format!("{}: {why}", scores.source));
        let column = Column::find(records, name).ok_or_else(|| none(records, scores, name))?;
        let arms = scores.arms.len();
        let places = scores.arms.names().iter().map(String::as_str).zip(0..);
        let places: HashMap<&str, usize> = places.collect();
        let mut values = vec![ArmScores::default(); arms];
        let mut missing = vec![0; arms];
        for row in records.rows() {
            let Some(&arm) = places.get(row.arm) else {
                continue;
            };
            match column.value(&row) {
                Ok(Some(value)) => values[arm].push(&Record {
                    split: row.split,
                    seed: row.seed,
                    line: row.line,
                    ..Record::new(ArmId::new(arm), value)
                }),
                Ok(None) => missing[arm] += 1,
                Err(found) => {
                    return Err(refused(format!(
                        "`{name}` is `{found}` in line {}, which is no number: write digits, or leave the cell empty",
                        row.line
                    )));
                }
            }
        }
        let moments: Vec<Moments> = values.iter().map(ArmScores::moments).collect();
        if moments.iter().all(|of| of.count() == 0) {
            return Err(none(records, scores, name));
        }
        let without = moments.iter().zip(scores.arms.names());
        let without: Vec<&String> = without
            .filter(|(of, _)| of.count() == 0)
            .map(|(_, name)| name)
            .collect();
        if !without.is_empty() {
            return Err(refused(format!(
                "no evaluation of {} has `{name}`: fill it in, or compare the other arms alone with --arms",
                listed(&without, MOST)
            )));
        }
        let constant: Vec<Option<f64>> = values.iter().map(constant).collect();
        let are_all = constant.iter().all(Option::is_some);
        if is_price && !are_all {
            return Err(refused(format!(
                "`{name}` is said to be known, and the values of an arm differ: leave it out of --known"
            )));
        }
        let mut all = values.iter().flat_map(ArmScores::scores);
        let is_flag = |value: &f64| [0.0, 1.0].iter().any(|flag| value.total_cmp(flag).is_eq());
        let are_flags = all.clone().all(is_flag);
        let least = if all.all(|&value| value >= 0.0) {
            0.0
        } else {
            f64::NEG_INFINITY
        };
        let of_arm = |(value, of): (&Option<f64>, &Moments)| match *value {
            Some(value) if is_price => OfArm::Known(value),
            _ if are_flags => OfArm::Share {
                ones: fiesta_core::whole(of.total().round()) as u64,
                of: of.count(),
            },
            Some(value) if are_all || of.count() > 1 => OfArm::Constant {
                value,
                unseen: unseen(of.count()),
            },
            _ => OfArm::Varying,
        };
        let of_arms: Vec<OfArm> = constant.iter().zip(&moments).map(of_arm).collect();
        let varies = |arm: &usize| matches!(of_arms[*arm], OfArm::Varying);
        let varying: Vec<usize> = (0..arms).filter(varies).collect();
        let values = varying.iter().map(|&arm| std::mem::take(&mut values[arm]));
        let values: Vec<ArmScores> = values.collect();
        Ok(Self {
            name: name.to_owned(),
            moments,
            missing,
            arms: of_arms,
            least,
            fitted: if differences_are_known(&values) {
                1
            } else {
                values.len()
            },
            skewness: skewness(values.iter().map(ArmScores::scores)),
            values,
            varying,
        })
    }

    /// Returns whether the means of all arms are known.
    pub(super) fn is_known(&self) -> bool {
        (0..self.arms.len()).all(|arm| self.is_known_of(arm))
    }

    /// Returns whether the mean of an arm is known.
    pub(super) fn is_known_of(&self, arm: usize) -> bool {
        matches!(self.arms[arm], OfArm::Known(_))
    }

    /// Returns a mean that values which were not seen may make of this one: any above it, or any below it.
    fn unseen_mean(&self, mean: f64, rng: &mut dyn Rng) -> f64 {
        if mean <= self.least || rng.random_bool(0.5) {
            f64::INFINITY
        } else {
            self.least
        }
    }

    /// Fits the posterior `paired` to the values of the arms that are not known, or of the first of them.
    pub(super) fn fit(
        &self,
        sampling: Sampling,
        scores: &ScoresOfArms,
    ) -> Result<Means<'_>, AnalysisError> {
        let fitted = &self.values[..self.fitted];
        let mut posterior = sampling.paired(fitted.len())?;
        observe_all(&mut *posterior, fitted, |value| value, &scores.source)?;
        let marginals = ArmId::all(fitted.len()).map(|arm| posterior.marginal(arm));
        let marginals: Option<Vec<Marginal>> = marginals.collect();
        let mut marginals = marginals.ok_or_else(|| {
            let names = self.varying.iter().map(|&arm| scores.arms.name(ArmId::new(arm)));
            AnalysisError::TooFew(format!(
                "the values of `{}` of {} are too few, or too alike, to tell how much they vary: give further evaluations, or leave these arms out with --arms",
                self.name,
                listed(&names.collect::<Vec<_>>(), MOST)
            ))
        })?;
        for &arm in self.varying.get(marginals.len()..).unwrap_or_default() {
            marginals.push(Marginal {
                location: self.moments[arm].mean(),
                ..marginals[0]
            });
        }
        Ok(Means {
            measure: self,
            drawn: vec![0.0; marginals.len()],
            marginals,
            posterior,
        })
    }

    /// Describes the measure of one arm, without what is asked of it.
    pub(super) fn of_arm(&self, arm: usize, (lower, upper): (f64, f64)) -> ArmMeasure {
        let moments = self.moments[arm];
        ArmMeasure {
            measure: String::new(),
            evaluations: moments.count(),
            mean: moments.mean(),
            lower,
            upper,
            is_known: self.is_known_of(arm),
            probability_at_most: None,
        }
    }

    /// Returns notes on arms whose mean is taken as known, or whose values are all the same, on values that are
    /// missing, and on few values of a measure that has a limit.
    pub(super) fn notes(&self, scores: &ScoresOfArms, is_limited: bool) -> Vec<String> {
        let (names, measure) = (scores.arms.names(), &self.name);
        let which = |is_so: &dyn Fn(&OfArm) -> bool| -> Vec<&String> {
            let all = names.iter().zip(&self.arms);
            all.filter(|(_, of)| is_so(of))
                .map(|(name, _)| name)
                .collect()
        };
        let known = which(&|of| matches!(of, OfArm::Known(_)));
        let of_known = (!known.is_empty()).then(|| {
            format!(
                "{measure} of {} is taken as known, as --known says",
                listed(&known, MOST)
            )
        });
        let constant = which(&|of| matches!(of, OfArm::Constant { .. }));
        let of_constant = (!constant.is_empty()).then(|| {
            format!(
                "{measure} of {} is the same in all evaluations; that n others differ is possible, and counted with probability 3/(n + 3): if it is a price, --known {measure} says so",
                listed(&constant, MOST)
            )
        });
        let lacking = names.iter().zip(&self.missing).zip(&self.moments);
        let lacking = lacking.filter(|((_, missing), _)| **missing > 0);
        let lacking = lacking.map(|((name, &missing), of)| {
            let evaluations = count(missing + of.count(), "evaluation");
            let lack = one_or_more(missing, "lacks", "lack");
            format!(
                "{missing} of {evaluations} of {name} {lack} {measure}, whose mean is of the others"
            )
        });
        let caution = self.caution().filter(|_| is_limited);
        let told = of_known.into_iter().chain(of_constant);
        told.chain(lacking).chain(caution).collect()
    }

    /// Returns what to keep in mind of a limit on this measure. `None` if each arm whose values vary has enough of them.
    fn caution(&self) -> Option<String> {
        let counts = self.varying.iter().map(|&arm| self.moments[arm].count());
        let fewest = counts.min().filter(|&fewest| fewest < FEW)?;
        Some(format!(
            "{} has {} of an arm: where some values are many times the usual one, few of them do not show how large the mean is, and an arm that is just above a limit passes at 95 % in up to 13 % of such results with 8 values, and in 8 % with 20 or 50",
            self.name,
            count(fewest, "value")
        ))
    }
}

/// Returns the refusal of a measure that the evaluations have not: those that they have.
fn none(records: &Evaluations, scores: &ScoresOfArms, name: &str) -> AnalysisError {
    let own = records.columns().iter().map(String::as_str);
    let has_values = |name: &&str| {
        let Some(column) = Column::find(records, name) else {
            return false;
        };
        let values: Result<Vec<_>, _> = { records.rows() }.map(|row| column.value(&row)).collect();
        values.is_ok_and(|values| values.iter().any(Option::is_some))
    };
    let there: Vec<&str> = [COST, DURATION]
        .into_iter()
        .chain(own)
        .filter(has_values)
        .collect();
    let there = if there.is_empty() {
        "it has no measure beside the score: add a column with a number in each row".to_owned()
    } else {
        format!("its measures are {}", listed(&there, MOST))
    };
    AnalysisError::Refused(format!(
        "{} has no measure `{}`: {there}",
        scores.source,
        excerpt(name)
    ))
}

/// Returns the one value that all are. `None` if there are others, or none.
fn constant(values: &ArmScores) -> Option<f64> {
    let (first, rest) = values.scores().split_first()?;
    { rest.iter() }
        .all(|value| value.total_cmp(first).is_eq())
        .then_some(*first)
}

/// Returns whether several arms have values on the same splits, and each lies as far from the first on every split.
fn differences_are_known(values: &[ArmScores]) -> bool {
    let by_case = |of: &ArmScores| {
        let cases = of.iter().map(|of| Some(((of.split?, of.seed), of.score)));
        let by_case: Option<BTreeMap<_, f64>> = cases.collect();
        by_case.filter(|by_case| by_case.len() == of.len())
    };
    let Some((first, others)) = values
        .split_first()
        .filter(|(_, others)| !others.is_empty())
    else {
        return false;
    };
    let Some(first) = by_case(first) else {
        return false;
    };
    let is_as_far = |of: BTreeMap<_, f64>| {
        let distance = of.values().next().zip(first.values().next());
        let distance = distance.map_or(0.0, |(own, first)| own - first);
        let is_same = |((case, value), (own_case, own)): ((_, &f64), (_, &f64))| {
            let rounding = ROUNDING * value.abs().max(own.abs());
            case == own_case && (own - value - distance).abs() <= rounding
        };
        first.iter().zip(&of).all(is_same)
    };
    { others.iter() }.all(|of| of.len() == first.len() && by_case(of).is_some_and(is_as_far))
}

/// Returns the skewness of each arm's values over the root of their number n.
///
/// The skewness is G₁ = √(n(n − 1))/(n − 2)·m₃/m₂^{3/2}, times 1 + 3/√n, as that of few values is
/// too small on average where values are skewed. An arm with fewer than three values has the mean
/// skewness of the others.
pub(super) fn skewness<'a>(arms: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
    let own = |values: &[f64]| {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let moment = |power: i32| values.iter().map(|x| (x - mean).powi(power)).sum::<f64>() / n;
        let (second, third) = (moment(2), moment(3));
        let is_enough = values.len() as u64 >= SKEWED_FROM && second > 0.0;
        let found = third / second.powf(1.5) * (n * (n - 1.0)).sqrt() / (n - 2.0);
        is_enough.then_some(found * (1.0 + 3.0 / n.sqrt()))
    };
    let arms: Vec<(f64, Option<f64>)> = arms.map(|of| (of.len() as f64, own(of))).collect();
    let known = arms.iter().filter_map(|(_, own)| *own);
    let mean = known.clone().sum::<f64>() / known.count().max(1) as f64;
    { arms.iter() }
        .map(|(n, own)| own.unwrap_or(mean) / n.sqrt())
        .collect()
}

/// Posterior of the means of one measure.
pub(super) struct Means<'a> {
    measure: &'a Measure,
    posterior: Box<dyn Observe<f64>>,
    marginals: Vec<Marginal>,
    drawn: Vec<f64>,
}

impl Means<'_> {
    /// Draws the means of all arms.
    pub(super) fn draw(&mut self, rng: &mut dyn Rng, means: &mut [f64]) {
        let measure = self.measure;
        for (mean, of) in means.iter_mut().zip(&measure.arms) {
            *mean = match *of {
                OfArm::Constant { value, unseen } if rng.random_bool(unseen) => {
                    measure.unseen_mean(value, rng)
                }
                OfArm::Known(value) | OfArm::Constant { value, .. } => value,
                OfArm::Share { ones, of } => share(ones, of).map_or(f64::NAN, |of| of.sample(rng)),
                OfArm::Varying => f64::NAN,
            };
        }
        if self.drawn.is_empty() {
            return;
        }
        let (fitted, shifted) = self.drawn.split_at_mut(measure.fitted);
        self.posterior.draw(rng, fitted);
        for (drawn, of) in shifted.iter_mut().zip(&self.marginals[fitted.len()..]) {
            *drawn = fitted[0] - self.marginals[0].location + of.location;
        }
        for (place, &arm) in measure.varying.iter().enumerate() {
            let is_as_seen =
                place < measure.fitted || !rng.random_bool(unseen(measure.moments[arm].count()));
            means[arm] = if is_as_seen {
                self.skewed(place, |of| (self.drawn[place] - of.location) / of.scale)
            } else {
                measure.unseen_mean(measure.moments[arm].mean(), rng)
            };
        }
    }

    /// Returns the mean of an arm that lies `z` scales from the centre of its marginal, with the skewness
    /// of its values taken into account.
    fn skewed(&self, place: usize, z: impl Fn(&Marginal) -> f64) -> f64 {
        let marginal = &self.marginals[place];
        marginal.location + marginal.scale * skewed(z(marginal), self.measure.skewness[place])
    }

    /// Returns the ends of the central interval of each arm's mean; where all values are the same, this value.
    pub(super) fn intervals(&self) -> Vec<(f64, f64)> {
        let mut places = 0..self.marginals.len();
        let tail = (1.0 - INTERVAL) / 2.0;
        let of_arm = |of: &OfArm| match *of {
            OfArm::Known(value) | OfArm::Constant { value, .. } => (value, value),
            OfArm::Share { ones, of } => {
                let (ones, others) = (ones as f64 + 1.0, (of - ones) as f64 + 1.0);
                let share = statrs::distribution::Beta::new(ones, others);
                share.map_or((0.0, 1.0), |of| {
                    (of.inverse_cdf(tail), of.inverse_cdf(1.0 - tail))
                })
            }
            OfArm::Varying => {
                let place = places.next().unwrap_or(0);
                let end = |sign: f64| {
                    let t = |of: &Marginal| sign * tail_begins(tail, of.degrees_of_freedom);
                    self.skewed(place, t)
                };
                (end(-1.0).max(self.measure.least), end(1.0))
            }
        };
        self.measure.arms.iter().map(of_arm).collect()
    }
}

/// Returns the posterior of a share of which `ones` of `of` values are 1, from a uniform prior.
fn share(ones: u64, of: u64) -> Option<Beta<f64>> {
    Beta::new(ones as f64 + 1.0, (of - ones) as f64 + 1.0).ok()
}

/// Returns where z standard errors from the sample's mean lie, for values with skewness √n·`skewness`:
/// Hall's transformation of Student's t, which is monotone.
///
/// Source: Hall, "On the removal of skewness by transformation", JRSS B 54 (1992).
pub(super) fn skewed(z: f64, skewness: f64) -> f64 {
    if skewness.abs() < 1e-6 {
        return z;
    }
    // T = (x̄ − μ)/(s/√n) is −z here: a mean far above the sample's is what skewed values hide.
    -3.0 / skewness * ((1.0 - skewness * (z + skewness / 6.0)).cbrt() - 1.0)
}
