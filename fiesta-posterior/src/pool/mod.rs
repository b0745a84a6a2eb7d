//! Posterior of the arms' means over a finite pool of items that they share.

mod claim;
mod completion;
mod counts;
#[cfg(feature = "f-measure")]
mod either;
mod leads;
mod learning;
mod like_these;
mod noise;
mod ones;
mod pair;
mod part;
mod totals;

pub(crate) use claim::{Watch, Watched, error};
pub use completion::Completion;
pub use like_these::Differences;
pub(crate) use like_these::WATCHED;
pub use noise::WithinItem;
pub(crate) use pair::{Parts, Rule, guard, paulson};
pub(crate) use totals::{Total, best, within};

pub use counts::PoolOfCounts;
#[cfg(feature = "f-measure")]
pub use either::FOfItems;
use fiesta_core::{
    ArmId, Askable, Belief, Claim, DistanceClaim, Marginal, Method, Posterior, Target,
};
use learning::refused;
use noise::Noise;
use ones::Ones;
use pair::{Lead, Sums};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;
use std::sync::OnceLock;

/// Number of items that every arm answers first.
const AT_FIRST: u64 = 3;
/// Number of standard deviations by which another arm has to be ahead to become the leader.
pub(crate) const CHANGES: f64 = 0.3;
/// Least doubt of any belief where answers vary, or the verdict is of items like these.
pub(crate) const UNCERTAIN: f64 = 1e-9;

/// A posterior of the means of K arms over a pool of N items, of which each arm answers some: right
/// or wrong (0 or 1), or graded between two bounds. The items are fixed: what is unknown is only
/// what has not been answered yet, and once all is, the best is certain.
///
/// Arms are compared item by item. For a leader a and a rival j, D = y_a − y_j on the items that
/// both have answered, which are counted by the leader's outcome v (whether y_a lies in the upper
/// half): n_v items of both with sums S±_v of the positive and the negative parts of D, u_v that
/// only the leader has, n_a = Σ(n_v + u_v), p_v = (n_v + u_v + 1)/(n_a + 2). With half a
/// pseudo-difference on either side (a, half the size of a typical difference), worth E = 10/3
/// items, the rates of either sign where only the leader's outcome is known are
/// ```text
/// λ−_0 = (S−_0 + a) / (n_0 + E·max(½, p_0)),   λ+_0 = S+_0 / (n_0 + E·max(½, p_0)),
/// λ+_1 = (S+_1 + a·c) / (n_1 + E·p_1),         λ−_1 = S−_1 / (n_1 + E·p_1),
/// c = √(2(1 − p_1)) for p_1 ≥ ½, else 2p_1;
/// M± = (1 + g)·Σ_v (S±_v + u_v·λ±_v) + g·a,    g = (N − n_a)/(n_a + E)
/// ```
/// and the variances V± of M± are those of what is unseen: given the leader's outcome, and of items
/// that neither has, with a·g·(1 + g) for the pseudo-differences. The lead M₊ − M₋ is compared as
/// two gamma variables with these moments (Paulson 1942), which is right down to a few differences,
/// where a normal variable is not.
///
/// [`Posterior::claim`] accounts for how often one looks. Where a rival is as good as the leader,
/// the standardised lead wanders until all is known, and the chance that it ever passes a level z
/// is h(z) = ½[1 − (1 − 2P)·exp(−1.4·(1 + ln W)·z·φ(z))], P = P(Z > z), with the number W of items
/// on which the two differ (Rice 1945). An arm is claimed with the greatest of three errors:
///
/// 1. Σ_j P_j over the rivals j.
/// 2. h·min(1, 12h)^(Σ_{j>1} P_j/P_1), h the greatest of all rivals and P_1 the greatest P_j:
///    several close rivals are rarely led by chance all at once.
/// 3. max_m m·h(z̄_m): the luck of the leader alone brings it ahead of all rivals at once. z̄_m is
///    that of its lead over the mean of the m closest rivals. Of the variance of a lead, what the
///    rivals have of their own is divided by m, and what the leader's unseen answers add is not.
///
/// Among arms that are known to be equal, a rival's lead counts from the one that it is closest to.
///
/// # Example
/// Two of three models answered 40 of 200 questions. What is known of both decides:
/// ```
/// use fiesta_core::{ArmId, Case, Observe, Posterior};
/// use fiesta_posterior::Pool;
/// let mut pool = Pool::new(3, 200);
/// let answers = |item: u64| [item % 4 != 0, item % 2 == 0, item % 8 == 0];
/// for item in 0..40 {
///     for (arm, right) in ArmId::all(3).zip(answers(item)) {
///         let case = Case { split: item, seed: 0 };
///         pool.observe(arm, case, f64::from(u8::from(right)))?;
///     }
/// }
/// let arms: Vec<ArmId> = ArmId::all(3).collect();
/// let belief = pool.belief(&arms);
/// assert_eq!(belief.leader().0, ArmId::new(0));
/// assert!((0.9..0.99).contains(&belief.of(ArmId::new(0))));
/// let claim = pool.claim(0.0, &arms).unwrap();
/// assert_eq!(claim.arms, [ArmId::new(0)]);
/// // More than 1 − P(best): one looks more than once.
/// assert!(claim.error > 1.0 - belief.of(ArmId::new(0)));
/// # Ok::<(), fiesta_core::ObserveError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pool {
    arms: usize,
    items: usize,
    low: f64,
    high: f64,
    /// Answer of each arm to each item at item·K + arm, on the scale from 0 to 1; NaN where there
    /// is none.
    answers: Vec<f64>,
    /// Each arm's answers by outcome, and their sum and sum of squares.
    of_arm: Vec<OfArm>,
    /// Sums over the items that two arms both answered, for each ordered pair of arms: the pair
    /// (leader, rival) is at index leader·K + rival, with K the number of arms.
    sums: Vec<Sums>,
    leads: Vec<OnceLock<Lead>>,
    /// The distance that was first asked about for each pair since its latest answer, and the claim.
    distances: Vec<OnceLock<(f64, Option<DistanceClaim>)>>,
    leader: ArmId,
    /// Kinds of the answers, where each answer is a single count.
    ones: Option<Ones>,
    /// Noise of the answers, where these vary when asked again.
    noise: Option<Noise>,
    /// Differences of each pair of arms, where the verdict is of items like these.
    like_these: Option<LikeThese>,
}

/// Differences of each pair of arms, for a verdict on items like these.
#[derive(Debug, Clone)]
struct LikeThese {
    /// The differences at leader·K + rival, by the leader's outcome.
    differences: Vec<[Differences; 2]>,
    /// Whether a rival's items were chosen by the leader's answers.
    is_chosen: bool,
}

/// The error for bounds of answers that are not finite or not in order.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the bounds {0} and {1} of the answers must be two numbers, the lower one first")]
pub struct AnswerBoundsError(f64, f64);

#[derive(Debug, Clone, Copy, Default)]
struct OfArm {
    answered: [f64; 2],
    sum: f64,
    squares: f64,
}

impl OfArm {
    fn count(&self) -> f64 {
        self.answered[0] + self.answered[1]
    }
}

impl Pool {
    /// Creates a pool of `arms` arms and `items` items, with answers between 0 and 1. It takes
    /// 8 bytes for each arm and item at once, and some hundred for each pair of arms.
    ///
    /// # Panics
    /// If that is more memory than a program can address.
    pub fn new(arms: usize, items: u64) -> Self {
        let items = usize::try_from(items).unwrap_or(usize::MAX);
        Self {
            arms,
            items,
            low: 0.0,
            high: 1.0,
            answers: vec![f64::NAN; arms.saturating_mul(items)],
            of_arm: vec![OfArm::default(); arms],
            sums: vec![Sums::default(); arms * arms],
            leads: vec![OnceLock::new(); arms * arms],
            distances: vec![OnceLock::new(); arms * arms],
            leader: ArmId::new(0),
            ones: None,
            noise: None,
            like_these: None,
        }
    }

    /// Lets answers vary when an arm is asked again; for a pool without any answer. An arm's total
    /// is then that of the expected answers, an arm may answer an item any number of times, and
    /// nothing is ever known for certain.
    ///
    /// The answer to an item is the mean of its r answers. With the variance σ²_k of an arm's
    /// answers to the same item ([`WithinItem`]) and the mean h_k of 1/r over its items,
    /// N·(σ²_a·h_a + σ²_j·h_j) joins V₊ + V₋, in proportion to M±: what is unseen of the pool is
    /// already as uncertain as answers vary, so that this much is left whatever share is seen, and
    /// repeats alone take it away. g·a of M± is (g + ν)·a, with the share ν of noise in the mean
    /// square of D, and W, the number of items on which two arms differ, grows with the square of
    /// the rounds r̄ = 2/(h_a + h_j): the lead wanders on when the pool is through.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::{ArmId, Case, Observe, Posterior};
    /// use fiesta_posterior::Pool;
    /// let arms: Vec<ArmId> = ArmId::all(2).collect();
    /// let believe = |mut pool: Pool, rounds: u64| {
    ///     for turn in 0..rounds * 60 {
    ///         let case = Case { split: turn % 60, seed: turn };
    ///         pool.observe(arms[0], case, f64::from(u8::from(turn % 11 < 6))).unwrap();
    ///         pool.observe(arms[1], case, f64::from(u8::from(turn % 7 < 3))).unwrap();
    ///     }
    ///     pool.belief(&arms).of(arms[0])
    /// };
    /// // All answers are in: known for certain, unless they could have been others.
    /// assert_eq!(believe(Pool::new(2, 60), 1), 1.0);
    /// let [once, often] = [1, 8].map(|rounds| believe(Pool::new(2, 60).repeating(), rounds));
    /// assert!((0.7..0.97).contains(&once));
    /// assert!((once..1.0).contains(&often));
    /// ```
    ///
    /// Source: Cochran, Sampling Techniques (1977), §13.9, for a finite population whose units are
    /// measured with error: the correction for it does not touch the error's variance.
    #[must_use]
    pub fn repeating(mut self) -> Self {
        self.noise = Some(Noise::new(self.arms, self.items));
        self
    }

    /// Asks for a verdict on many more items that are drawn as these were; for a pool without any
    /// answer.
    ///
    /// A pair of arms is compared by [`Differences`], so that nothing is ever known for certain, and
    /// no item tells more than another: items that are chosen by what was answered are no sample.
    /// [`Posterior::claim`] has h with −.7 for −1.4, and with the number W of items on which the two
    /// are expected to differ once all N are answered: the pool is the beginning of an endless one.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::{ArmId, Case, Observe, Posterior};
    /// use fiesta_posterior::Pool;
    /// let arms: Vec<ArmId> = ArmId::all(2).collect();
    /// let believe = |mut pool: Pool| {
    ///     for item in 0..20 {
    ///         let case = Case { split: item, seed: 0 };
    ///         pool.observe(arms[0], case, f64::from(u8::from(item > 2))).unwrap();
    ///         pool.observe(arms[1], case, f64::from(u8::from(item > 4))).unwrap();
    ///     }
    ///     pool.belief(&arms).of(arms[0])
    /// };
    /// // All answers are known: the first is better on two of these items. Of more: P(Beta(3, 1) > ½).
    /// assert_eq!(believe(Pool::new(2, 20)), 1.0);
    /// assert!((believe(Pool::new(2, 20).like_these()) - 7.0 / 8.0).abs() < 1e-9);
    /// ```
    #[must_use]
    pub fn like_these(mut self) -> Self {
        self.like_these = Some(LikeThese {
            differences: vec![<[Differences; 2]>::default(); self.arms * self.arms],
            is_chosen: false,
        });
        self
    }

    /// Asks for a verdict on items like these from answers that a study gathered for one on these
    /// items: a rival's items were chosen by what the leader had answered. An item counts for as
    /// many of the leader's answers with its outcome as there are for each that the rival has.
    #[must_use]
    pub fn like_these_chosen(self) -> Self {
        let mut pool = self.like_these();
        if let Some(like_these) = &mut pool.like_these {
            like_these.is_chosen = true;
        }
        pool
    }

    /// Returns the number of items, N.
    pub fn size(&self) -> u64 {
        self.items as u64
    }

    /// Returns the target of the verdict: these items, or items like these.
    pub fn target(&self) -> Target {
        match self.like_these {
            Some(_) => Target::ItemsLikeThese,
            None => Target::TheseItems,
        }
    }

    /// Tells how much the answers of an arm vary when asked again. `None` where they are taken not
    /// to.
    pub fn within_item(&self, arm: ArmId) -> Option<WithinItem> {
        let noise = self.noise.as_ref().filter(|_| arm.index() < self.arms)?;
        Some(noise.within(arm.index(), self.high - self.low))
    }

    /// Sets the bounds of the answers; for a pool without any answer.
    ///
    /// # Errors
    /// [`AnswerBoundsError`] unless −∞ < low < high < ∞.
    pub fn bounded(mut self, low: f64, high: f64) -> Result<Self, AnswerBoundsError> {
        if !(low < high && (high - low).is_finite()) {
            return Err(AnswerBoundsError(low, high));
        }
        (self.low, self.high) = (low, high);
        Ok(self)
    }
}

impl Posterior for Pool {
    fn arms(&self) -> usize {
        self.arms
    }

    fn required(&self, _arm: ArmId) -> u64 {
        AT_FIRST.min(self.items as u64)
    }

    fn mean(&self, arm: ArmId) -> Option<f64> {
        let (mean, _) = self.estimate(arm)?;
        Some(self.low + mean * (self.high - self.low))
    }

    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        let (mean, error) = self.estimate(arm)?;
        let range = self.high - self.low;
        let scale = (error * range).max(f64::MIN_POSITIVE);
        Some(Marginal::normal(self.low + mean * range, scale))
    }

    fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
        let of = |arm: ArmId| self.of_arm.get(arm.index()).map_or(0.0, OfArm::count);
        if of(a) < 0.5 || of(b) < 0.5 {
            return None;
        }
        let (lead, unit) = (self.lead(a, b), self.unit(a));
        let (location, scale) = if lead.is_known() {
            (self.known_difference(a, b), 0.0)
        } else {
            let sd = lead.variance.sqrt();
            (lead.z * sd, sd)
        };
        let scale = (scale * unit).max(f64::MIN_POSITIVE);
        Some(Marginal::normal(location * unit, scale))
    }

    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        let all: Vec<ArmId> = ArmId::all(self.arms).collect();
        if all.is_empty() {
            return;
        }
        let totals = self.totals(self.leader, &all);
        let of_leader = self.mean(self.leader).unwrap_or(self.low);
        for ((arm, total), mean) in all.iter().zip(totals).zip(means) {
            *mean = if self.of_arm[arm.index()].count() > 0.0 {
                let z: f64 = rng.sample(StandardNormal);
                of_leader + (total.mean + z * total.sd) * self.unit(self.leader)
            } else {
                f64::NEG_INFINITY
            };
        }
    }

    fn belief(&self, candidates: &[ArmId]) -> Belief {
        let mut belief = Belief::nothing(self.arms, Method::Quadrature);
        let candidates = &self.existing(candidates);
        let Some(leader) = self.front(candidates) else {
            return belief;
        };
        let totals = self.totals(leader, candidates);
        let (probability, greatest) = totals::best(&totals);
        for ((arm, total), p) in candidates.iter().zip(&totals).zip(probability) {
            belief.probability[arm.index()] = p.min(self.most());
            belief.shortfall[arm.index()] = (greatest - total.mean).max(0.0) * self.unit(leader);
        }
        belief.absolute_error = 1e-9;
        belief
    }

    fn within(&self, arm: ArmId, margin: f64, candidates: &[ArmId]) -> f64 {
        let candidates = &self.existing(candidates);
        let place = candidates.iter().position(|&other| other == arm);
        let (Some(place), Some(leader)) = (place, self.front(candidates)) else {
            return 0.0;
        };
        let totals = self.totals(leader, candidates);
        totals::within(&totals, place, margin / self.unit(leader)).min(self.most())
    }

    fn claim(&self, margin: f64, candidates: &[ArmId]) -> Option<Claim> {
        self.claim_of_top(1, margin, candidates)
    }

    fn claim_of_top(&self, top: usize, margin: f64, candidates: &[ArmId]) -> Option<Claim> {
        self.claim_among(top, margin, &self.existing(candidates))
    }

    fn claim_of_distance(&self, one: ArmId, other: ArmId, distance: f64) -> Option<DistanceClaim> {
        if self.existing(&[one, other]).len() < 2 {
            return None;
        }
        // A study asks for all pairs after every answer, and the answers of few pairs have changed.
        let place = one.index() * self.arms + other.index();
        let claim = || self.distance_claim(one, other, distance);
        let (asked, known) = *self.distances[place].get_or_init(|| (distance, claim()));
        if asked.total_cmp(&distance).is_eq() {
            known
        } else {
            claim()
        }
    }

    fn telling_item(&self, leader: ArmId, arm: ArmId, askable: Askable<'_>) -> Option<u64> {
        if self.like_these.is_some() || self.existing(&[leader, arm]).len() < 2 {
            return None;
        }
        let of_leader = self.of_arm[leader.index()].answered;
        let sums = self.sums(leader, arm);
        let lacking = |v: usize| of_leader[v] - sums.items[v] > 0.5;
        let from = askable.order.get(askable.from..).unwrap_or_default();
        let next = |v: usize| {
            let mut items = from.iter().copied();
            items.find(|&item| {
                let place = usize::try_from(item).unwrap_or(usize::MAX);
                let answer = self.answer(place, leader.index());
                let is_so = |answer| self.outcome(place, leader.index(), answer) == v;
                answer.is_some_and(is_so) && (askable.can)(item)
            })
        };
        let telling = sums.telling(of_leader, self.rule()).into_iter();
        telling.filter(|&v| lacking(v)).find_map(next)
    }
}
