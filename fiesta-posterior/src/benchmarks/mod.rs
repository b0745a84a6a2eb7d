//! Posterior of the arms' weighted means over several benchmarks.

mod claim;
mod study;
mod sum;

use crate::{
    Pool,
    pool::{CHANGES, Total, best, within},
};
use fiesta_core::{
    ArmId, Belief, Case, Claim, Marginal, Method, Observe, ObserveError, Posterior, finest,
};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;
pub use study::BenchmarksOfStudy;
pub(crate) use sum::Part;
use sum::Sum;

/// A posterior of arms' values, each the weighted mean Σ w_b·m_b of the arm's means over several
/// benchmarks: pools of items that all arms answer, or data sets with scores on splits.
///
/// Two arms are compared benchmark by benchmark, and the differences are summed: means with w, and
/// variances with w². A benchmark of which all answers of both are known has no variance. Where
/// answers are right or wrong, and in pools on whose own items the verdict is, a difference is that
/// of two gamma variables, one for each sign:
/// ```text
/// M± = Σ_b w_b·M±_b,   V± = Σ_b w_b²·V±_b,   P(behind) = P(Γ(M₊, V₊) < Γ(M₋, V₋))
/// ```
/// with M± and V± of [`Pool`]; of items like these M±_b = (n± + 1)/n and V±_b = (n± + 1)/n² with n±
/// of n items on which one arm alone is right, so that one benchmark alone has
/// P(Beta(n₊ + 1, n₋ + 1) < ½). Where the differing items that are known count for fewer than 8,
/// (Σ|D|)²/ΣD² with their weights, the distribution of the sum of all 2B gamma variables is
/// computed by its characteristic function (Davies 1973); elsewhere the two sums are taken as gamma
/// variables (Paulson). Other graded answers, and scores on splits, add as t distributions do, with
/// the degrees of freedom of Welch and Satterthwaite.
///
/// P(best) of several arms is computed as [`Pool`] does, from totals whose differences from the
/// leader's are these. A single benchmark with a weight above 0 decides as it does alone.
///
/// [`Posterior::claim`] is that of [`Pool`], with these leads, and with the number of items that
/// differ W = (Σ_b w_b·s_b·W_b)² / Σ_b (w_b·s_b)²·W_b, where two arms differ on W_b items of a
/// benchmark, by s_b each. It is not defined where a benchmark is no pool.
///
/// # Example
/// One arm is better on a large benchmark, and worse on a small one that counts as much:
/// ```
/// use fiesta_core::{ArmId, Case, Observe, Posterior};
/// use fiesta_posterior::{Benchmarks, Pool};
/// let arms: Vec<ArmId> = ArmId::all(2).collect();
/// let pool = |items: u64, right: [u64; 2]| {
///     let mut pool = Pool::new(2, items).like_these();
///     for (arm, right) in ArmId::all(2).zip(right) {
///         for item in 0..items {
///             let case = Case { split: item, seed: 0 };
///             pool.observe(arm, case, f64::from(u8::from(item < right))).unwrap();
///         }
///     }
///     pool
/// };
/// let believe = |weights: [f64; 2]| {
///     let both = Benchmarks::new(2)
///         .pool(weights[0], pool(1000, [700, 670]))
///         .pool(weights[1], pool(50, [30, 33]));
///     both.belief(&arms).of(arms[0])
/// };
/// assert!(believe([1.0, 0.0]) > 0.999);
/// // Three of fifty items at the same weight outdo thirty of a thousand.
/// assert!(believe([0.5, 0.5]) < 0.3);
/// ```
pub struct Benchmarks {
    arms: usize,
    parts: Vec<(f64, Benchmark)>,
    /// Unit in which sums over the benchmarks are computed: a power of 2 near the size of the
    /// greatest part.
    unit: f64,
}

enum Benchmark {
    Pool(Box<Pool>),
    Means(Box<dyn Posterior>),
}

impl Benchmark {
    fn posterior(&self) -> &dyn Posterior {
        match self {
            Self::Pool(pool) => &**pool,
            Self::Means(means) => finest(&**means),
        }
    }

    fn pool(&self) -> Option<&Pool> {
        match self {
            Self::Pool(pool) => Some(pool),
            Self::Means(_) => None,
        }
    }

    /// Returns the size of a difference in the benchmark's own unit: the range of answers, or of the
    /// arms' means, or the greatest scale of one.
    fn size(&self) -> f64 {
        match self {
            Self::Pool(pool) => pool.answer_size() * pool.size().max(1) as f64,
            Self::Means(_) => {
                let of = self.posterior();
                let known = ArmId::all(of.arms()).filter_map(|arm| of.marginal(arm));
                let (mut low, mut high, mut scale) = (f64::INFINITY, f64::NEG_INFINITY, 0.0_f64);
                for known in known {
                    low = low.min(known.location);
                    high = high.max(known.location);
                    scale = scale.max(known.scale);
                }
                scale.max(high - low)
            }
        }
    }

    /// Returns what is known of the difference. `None` without the required observations.
    fn part(&self, one: ArmId, other: ArmId) -> Option<Part> {
        match self {
            // Without an answer of either, nothing is known.
            Self::Pool(pool) => {
                pool.difference(one, other)?;
                Some(pool.part(one, other))
            }
            Self::Means(_) => Some(Part::Student(self.posterior().difference(one, other)?)),
        }
    }
}

impl Benchmarks {
    /// Returns the posterior of `arms` arms without a benchmark yet.
    pub fn new(arms: usize) -> Self {
        Self {
            arms,
            parts: Vec::new(),
            unit: f64::MIN_POSITIVE,
        }
    }

    /// Adds a benchmark that is a pool of items. The weight is the arm's value for each unit of the
    /// mean: of benchmarks in different units, a share divided by the length of the scale.
    #[must_use]
    pub fn pool(self, weight: f64, pool: Pool) -> Self {
        self.with(weight, Benchmark::Pool(Box::new(pool)))
    }

    /// Adds a benchmark whose means have any other posterior.
    #[must_use]
    pub fn means(self, weight: f64, posterior: Box<dyn Posterior>) -> Self {
        self.with(weight, Benchmark::Means(posterior))
    }

    fn with(mut self, weight: f64, of: Benchmark) -> Self {
        self.unit = self.unit.max(power_of_2(weight * of.size()));
        self.parts.push((weight, of));
        self
    }

    /// Returns the number of benchmarks.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Returns whether there is no benchmark.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the posterior of one benchmark alone, in its own unit.
    pub fn of(&self, benchmark: usize) -> Option<&dyn Posterior> {
        Some(self.parts.get(benchmark)?.1.posterior())
    }

    /// Returns P(an arm's mean over one benchmark is below another's by more than `margin`), in the
    /// benchmark's own unit. `None` without the required observations.
    pub fn worse_on(&self, benchmark: usize, arm: ArmId, other: ArmId, margin: f64) -> Option<f64> {
        let of = &self.parts.get(benchmark)?.1;
        let unit = power_of_2(of.size());
        let part = of.part(arm, other)?.times(1.0 / unit);
        let sum = Sum::new(&[part, Part::Known(margin / unit)]);
        Some(sum.behind)
    }

    /// Returns P(an arm's value is below another's). `None` without the required observations.
    pub fn behind(&self, arm: ArmId, other: ArmId) -> Option<f64> {
        match self.only() {
            Some((_, only)) => Some(crate::lead(only, other, arm)?.better),
            None => Some(self.sum(arm, other, 0.0)?.behind),
        }
    }

    /// Takes an answer to an item of one benchmark into account.
    fn observe(
        &mut self,
        benchmark: usize,
        arm: ArmId,
        case: Case,
        score: f64,
    ) -> Result<(), ObserveError> {
        match self.parts.get_mut(benchmark) {
            Some((_, Benchmark::Pool(pool))) => pool.observe(arm, case, score),
            _ => Ok(()),
        }
    }

    /// Sets the leader by whose outcomes items are chosen.
    fn lead_by(&mut self, leader: ArmId) {
        for (_, of) in &mut self.parts {
            if let Benchmark::Pool(pool) = of {
                pool.lead_by(leader);
            }
        }
    }

    /// Returns a benchmark that counts, with its weight.
    fn weighted_pool(&self, benchmark: usize) -> Option<(f64, &Pool)> {
        let (weight, of) = self.parts.get(benchmark)?;
        Some((*weight, of.pool().filter(|_| *weight > 0.0)?))
    }

    /// Returns how many answers an arm needs where its items come from each benchmark in turn.
    fn required_in_turns(&self) -> u64 {
        let arm = ArmId::new(0);
        let required = self
            .parts
            .iter()
            .map(|(_, of)| of.posterior().required(arm));
        required.sum()
    }

    /// Returns the benchmarks that count, with their weights.
    fn counting(&self) -> impl Iterator<Item = &(f64, Benchmark)> {
        self.parts.iter().filter(|(weight, _)| *weight > 0.0)
    }

    /// Returns the benchmark that counts, if it is a single one.
    fn only(&self) -> Option<(f64, &dyn Posterior)> {
        let mut counting = self.counting();
        let (weight, only) = counting.next()?;
        let is_only = counting.next().is_none();
        is_only.then(|| (*weight, only.posterior()))
    }

    /// Returns one arm's value, with a margin, less another's, in the unit of sums.
    fn sum(&self, one: ArmId, other: ArmId, margin: f64) -> Option<Sum> {
        Some(Sum::new(&self.parts(one, other, margin)?))
    }

    /// Returns what the benchmarks that count say of one arm's value, with a margin, less another's,
    /// in the unit of sums.
    fn parts(&self, one: ArmId, other: ArmId, margin: f64) -> Option<Vec<Part>> {
        let parts = self.counting().map(|(weight, of)| {
            let part = of.part(one, other)?;
            Some(part.times(*weight / self.unit))
        });
        let mut parts = parts.collect::<Option<Vec<Part>>>()?;
        if margin != 0.0 {
            parts.push(Part::Known(margin / self.unit));
        }
        Some(parts)
    }

    /// Returns the candidates of which enough is known.
    fn existing(&self, arms: &[ArmId]) -> Vec<ArmId> {
        let exists = |arm: &ArmId| arm.index() < self.arms && self.mean(*arm).is_some();
        arms.iter().copied().filter(exists).collect()
    }

    /// Returns the leader: the arm with the highest value, unless another is ahead of it.
    fn front(&self, candidates: &[ArmId]) -> Option<ArmId> {
        let value = |arm: ArmId| self.mean(arm).unwrap_or(f64::NEG_INFINITY);
        let highest = |a: &&ArmId, b: &&ArmId| value(**a).total_cmp(&value(**b));
        let highest = *candidates.iter().rev().max_by(highest)?;
        let z = |front, arm| Some(self.sum(front, arm, 0.0)?.z);
        Some(front_from(highest, candidates, z))
    }

    /// Returns independent totals of the candidates, of which each one's difference from the
    /// leader's is distributed as the pair's.
    fn totals(&self, leader: ArmId, candidates: &[ArmId]) -> Vec<Total> {
        let sum = |&arm: &ArmId| self.sum(leader, arm, 0.0).filter(|_| arm != leader);
        self.totals_of(leader, candidates.iter().map(sum).collect())
    }

    /// Returns the totals of arms by these differences from the leader, that of the leader `None`.
    fn totals_of(&self, leader: ArmId, sums: Vec<Option<Sum>>) -> Vec<Total> {
        let unknown = sums.iter().flatten().map(|sum| sum.variance);
        let least = unknown.filter(|&v| v > 0.0).fold(f64::INFINITY, f64::min);
        let is_open = self.counting().any(|(_, of)| match of {
            Benchmark::Pool(pool) => pool.is_open(leader),
            Benchmark::Means(_) => true,
        });
        // Half of what is unknown of the closest pair is the leader's.
        let own = if least.is_finite() && is_open {
            0.5 * least
        } else {
            0.0
        };
        let of = |sum: Option<Sum>| match sum {
            None => Total {
                mean: 0.0,
                sd: own.sqrt(),
            },
            Some(sum) if sum.is_known() => Total {
                mean: -sum.mean,
                sd: 0.0,
            },
            Some(sum) => Total {
                mean: -sum.z * sum.variance.sqrt(),
                sd: (sum.variance - own).max(1e-12 * sum.variance).sqrt(),
            },
        };
        sums.into_iter().map(of).collect()
    }
}

impl Posterior for Benchmarks {
    fn arms(&self) -> usize {
        self.arms
    }

    fn required(&self, arm: ArmId) -> u64 {
        let required = self.counting().map(|(_, of)| of.posterior().required(arm));
        required.max().unwrap_or(1)
    }

    fn mean(&self, arm: ArmId) -> Option<f64> {
        let weighted = |(weight, of): &(f64, Benchmark)| Some(weight * of.posterior().mean(arm)?);
        self.counting().map(weighted).sum()
    }

    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        let parts = self.counting().map(|(weight, of)| {
            let marginal = of.posterior().marginal(arm)?;
            Some(Part::Student(marginal).times(*weight / self.unit))
        });
        let parts = parts.collect::<Option<Vec<Part>>>()?;
        Some(times(Sum::marginal(&parts), self.unit))
    }

    fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
        if let Some((weight, only)) = self.only() {
            return Some(times(only.difference(a, b)?, weight));
        }
        Some(times(self.sum(a, b, 0.0)?.normal(), self.unit))
    }

    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        means.fill(f64::NEG_INFINITY);
        let all: Vec<ArmId> = ArmId::all(self.arms).collect();
        let candidates = self.existing(&all);
        let Some(leader) = self.front(&candidates) else {
            return;
        };
        let of_leader = self.mean(leader).unwrap_or(0.0);
        for (arm, total) in candidates.iter().zip(self.totals(leader, &candidates)) {
            let z: f64 = rng.sample(StandardNormal);
            if let Some(mean) = means.get_mut(arm.index()) {
                *mean = of_leader + (total.mean + z * total.sd) * self.unit;
            }
        }
    }

    fn belief(&self, candidates: &[ArmId]) -> Belief {
        if let Some((weight, only)) = self.only() {
            let mut belief = only.belief(candidates);
            for shortfall in &mut belief.shortfall {
                *shortfall *= weight;
            }
            return belief;
        }
        let mut belief = Belief::nothing(self.arms, Method::Quadrature);
        let candidates = self.existing(candidates);
        let Some(leader) = self.front(&candidates) else {
            return belief;
        };
        let totals = self.totals(leader, &candidates);
        believe(&mut belief, &candidates, &totals, self.unit);
        belief
    }

    fn within(&self, arm: ArmId, margin: f64, candidates: &[ArmId]) -> f64 {
        if let Some((weight, only)) = self.only() {
            return only.within(arm, margin / weight, candidates);
        }
        let candidates = self.existing(candidates);
        let place = candidates.iter().position(|&other| other == arm);
        let (Some(place), Some(leader)) = (place, self.front(&candidates)) else {
            return 0.0;
        };
        within(&self.totals(leader, &candidates), place, margin / self.unit)
    }

    fn claim(&self, margin: f64, candidates: &[ArmId]) -> Option<Claim> {
        if let Some((weight, only)) = self.only() {
            return only.claim(margin / weight, candidates);
        }
        let candidates = self.existing(candidates);
        let leader = self.front(&candidates)?;
        self.claim_by(leader, margin, &candidates, |one, other, margin| {
            self.sum(one, other, margin)
        })
    }
}

/// Returns the leader of the candidates: `front`, unless another is ahead of it by these leads in
/// standard deviations, the first arm over the second.
fn front_from(
    mut front: ArmId,
    candidates: &[ArmId],
    z: impl Fn(ArmId, ArmId) -> Option<f64>,
) -> ArmId {
    for _ in 0..candidates.len() {
        let rivals = candidates.iter().copied().filter(|&arm| arm != front);
        let leads = rivals.filter_map(|arm| Some((z(front, arm)?, arm)));
        match leads.min_by(|(a, _), (b, _)| a.total_cmp(b)) {
            Some((z, arm)) if z < -CHANGES => front = arm,
            _ => break,
        }
    }
    front
}

/// Returns the greatest power of 2 up to a size, and at least the least positive number.
fn power_of_2(size: f64) -> f64 {
    if size.is_finite() && size > f64::MIN_POSITIVE {
        size.log2().floor().exp2()
    } else {
        f64::MIN_POSITIVE
    }
}

/// Returns the distribution in another unit, with the least scale that there is at least.
fn times(of: Marginal, unit: f64) -> Marginal {
    Marginal {
        location: of.location * unit,
        scale: (of.scale * unit).max(f64::MIN_POSITIVE),
        ..of
    }
}

/// Writes P(best) and the expected shortfall of candidates with these totals in a unit.
fn believe(belief: &mut Belief, candidates: &[ArmId], totals: &[Total], unit: f64) {
    let (probability, greatest) = best(totals);
    for ((arm, total), p) in candidates.iter().zip(totals).zip(probability) {
        belief.probability[arm.index()] = p;
        belief.shortfall[arm.index()] = (greatest - total.mean).max(0.0) * unit;
    }
    belief.absolute_error = 1e-9;
}

#[cfg(test)]
mod tests;
