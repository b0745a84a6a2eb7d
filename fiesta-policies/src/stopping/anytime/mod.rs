//! Stopping with an error rate of at most δ, however often one looks.
//!
//! [`AnytimeValid`] names an arm only if it is the one best arm, except in at most the share δ of
//! studies: whatever the means and variances of Gaussian scores, or whatever the scores within
//! known bounds; however often one looks, whichever policy chooses the arms, and also when
//! evaluations end out of order because their duration depends on their score.
//! [`PosteriorThreshold`](super::PosteriorThreshold) promises none of that, and needs fewer
//! evaluations.
//!
//! # One test
//!
//! x_1, x_2, … are independent N(μ, σ²), both unknown, with mean m and S = Σ(x − m)² after n of
//! them; is μ > λ? Let q = n(m − λ)², κ = c²/(n + c²). The one-sided t-mixture is
//! ```text
//! M⁺(λ) = √κ · ((S + q)/(S + κq))^(n/2) · 2·P(T_n ≤ t),   t = n·√(q/((n + c²)(S + κq))) with the sign of m − λ,
//! ```
//! T_n Student's t with n degrees of freedom: the likelihood with δ = (μ − λ)/σ half-normal, of
//! density ∝ exp(−c²δ²/2) for δ > 0, over that with δ = 0, both integrated over dσ/σ. The factor
//! 2·P is twice the posterior probability of δ > 0 under the two-sided normal prior, whose mixture
//! is the first part (Lai 1976; Wang & Ramdas).
//!
//! 1. *With μ = λ, M⁺(λ) is a martingale of mean 1 in the filtration of the ratios (x_i − λ)/|x_1 −
//!    λ|.* Integrated over the right-invariant dσ/σ, a likelihood is, up to a factor that does not
//!    depend on δ, the density of these ratios (their law does not depend on σ); a mixture of
//!    ratios of such densities is a martingale under the denominator. So by Ville's inequality
//!    P(sup_n M⁺ ≥ x) ≤ 1/x. The supremum makes any rule of stopping and of looking valid, one that
//!    knows more than the ratios included; the values at single moments need not have mean 1 there.
//! 2. *With μ < λ, M⁺(λ) is no greater than M⁺(μ).* With Q = Σ(x − λ)² and r = √n(m − λ)/√Q, the
//!    numerator for one δ, in units of the denominator, is a function of n, δ and δ·r alone that
//!    increases with δ·r; so M⁺ increases with r, and r falls as λ rises. Hence sup M⁺(λ) ≥ x has a
//!    probability of at most 1/x for every μ ≤ λ.
//! 3. A weighted mean of M⁺ with several c² is as good. The weights are chosen for effects of .2 to
//!    3 σ.
//!
//! # By turn
//!
//! x_ak is the k-th score of arm a. Under shared splits the k-th evaluation of every arm is on
//! split k: the differences d_k = x_lk − x_ak of two arms are independent and Gaussian, whatever a
//! split does to both. Under independent splits, or on one fixed split, the scores of an arm are
//! independent of each other and of those of other arms: so are the d_k, and as Gaussian. For a
//! pair (l, a), M⁺ at λ = 0 over the common completed prefix of both tables is evidence that l is
//! better; if it is not, the supremum ever exceeds x with a probability of at most 1/x. The tables
//! exist irrespective of when they are read: asynchrony, and whoever chooses the arms, can choose
//! the lengths of the prefixes, but not exceed the supremum over all of them. Before the first
//! difference M⁺ is 1.
//!
//! # Bounds instead of Gaussian scores
//!
//! For scores between `low` and `high`, y_k = min(1, (d_k + ε)/(high − low − ε)) is at least −1. If
//! the mean of d_k is at most −ε, every Π(1 + λy_k) with 0 < λ ≤ 1 is a nonnegative supermartingale
//! that begins with 1, and so is the mean over several λ: it ever exceeds x with a probability of at
//! most 1/x. As 1 + λy_k increases with ε, that holds for every tolerance at once. In a [pool of N
//! items](AnytimeValid::of_pool), of which each comes once, the hypothesis is that the mean of all N
//! d_k is at most −ε: the next one is then expected to be at most c = −(εN + Σ so far)/(N − k + 1),
//! which takes the place of −ε in y_k. The shares are
//! constants, not bets on what was seen: a share of 1 can take all the wealth of its part, and none
//! of the others'. A failure counts as `low`. A score beyond a bound counts as the bound: what is
//! tested is then the mean of the scores so clipped.
//!
//! # All pairs
//!
//! An arm l is named once all pairs (l, a) have reached the evidence for α. Let b be a best arm. If
//! another arm is named, its pair (l, b) has crossed although μ_l ≤ μ_b: one of K − 1 events. If b
//! is named although another arm b' is as good, the pair (b, b') has crossed: one more. So α = δ/K
//! makes calling an arm the one best, when it is not, as rare as δ. With a tolerance ε > 0 naming b
//! is correct, and the pair's hypothesis is μ_l ≤ μ_a − ε (d_k + ε for d_k). K − 1 events would do
//! then; it stays K, so that a claim with ε = 0 is one for every ε, and a study that is given a
//! tolerance later needs no other evidence than it had.
//!
//! The greatest value counts, but an arm that looked better once is not named while another looks
//! better: each of its pairs must also have M⁺ > 1 now, for which its mean over the common turns
//! must be the higher one (with a tolerance, higher than the other's minus ε; of several arms that
//! could be named, one with a higher mean is). That only takes stops away.
//!
//! If both directions of a pair have reached the evidence without a tolerance, one of them is
//! wrong: that is an event of probability 2δ/K at most, or the assumption does not hold. The rule
//! then names neither of the two ([`AnytimeValid::contradiction`]).
//!
//! If an arm retires after it had scores, the best of those that remain is another arm, and other
//! pairs may err. 2 % of δ is set aside for that and divided among the possible numbers of retired
//! arms. An arm that never had a score has no mean and is left out.
//!
//! # What it does not promise
//!
//! Scores that are not Gaussian: where the better arm fails rarely, the first evaluations show none
//! of the failures, and the mean of what was seen is not the mean. [`AnytimeValid::burn_in_for`]
//! waits for failures of a given rate, [`AnytimeValid::bounded`] needs no shape at all, and
//! [`doubt`] tells scores that are not Gaussian. Equal differences (S = 0) have no variance; no
//! pair is tested while that lasts. A failed evaluation counts as the score declared for it
//! beforehand ([`AnytimeValid::on_failure`]), which Gaussian scores do not have; if none is, the
//! arm's table ends before its first failure for good, as a failure may depend on the score that it
//! hides, and the study may end by its budget only.
//!
//! # Sources
//!
//! Lai, "On confidence sequences" (1976). Wang & Ramdas, "Anytime-valid t-tests and confidence
//! sequences for Gaussian means with unknown variance" (2023). Pérez-Ortiz, Lardy, de Heide,
//! Grünwald, "E-statistics, group invariance and anytime-valid testing" (2022). Waudby-Smith &
//! Ramdas, "Estimating means of bounded random variables by betting" (2024), and "Confidence
//! sequences for sampling without replacement" (2020).

pub(crate) mod bets;
mod doubt;
mod interval;
pub(crate) mod martingale;
mod pairs;
mod student;
pub(crate) mod tables;

pub use doubt::{doubt, few_values};
pub use interval::difference_interval;

use super::ToleranceError;
use fiesta_core::{ArmId, Assumption, Evaluation, Outcome, Reason, StoppingRule, Verdict, View};
use pairs::{Pair, Pairs, Test};
use tables::Table;

/// Share of the error rate δ that is set aside for studies in which arms retire.
const RESERVE: f64 = 0.02;

/// Stopping rule that stops when an anytime-valid test has rejected, for one arm, that any other
/// arm is as good. See the [module](self) for what that promises, and why.
///
/// The rule keeps its own tables of scores, by arm and turn, so that it must see every outcome
/// ([`StoppingRule::ended`]). [`TopTwo::evidence`](crate::TopTwo::evidence) is the policy that
/// gathers what it lacks.
///
/// # Example
/// ```
/// use fiesta_core::{Arms, Ask, Assumption, Event, Outcome, Reason, Selector};
/// use fiesta_policies::{TopTwo, stopping::AnytimeValid};
/// use fiesta_posterior::GaussianArms;
///
/// let train = |arm: usize, split: u64| 0.6 + 0.05 * arm as f64 + 0.01 * ((7 * arm as u64 + 3 * split) as f64).sin();
/// let rule = AnytimeValid::new(0.95, 3)?;
/// let arms = Arms::new(["lstm", "gru", "transformer"])?;
/// let mut selector = Selector::builder(arms, GaussianArms::pooled(3), TopTwo::evidence(), rule).build()?;
/// let conclusion = loop {
///     match selector.ask()? {
///         Ask::Evaluate(e) => {
///             let outcome = Outcome::Observed(train(e.arm.index(), e.case.split));
///             selector.tell(Event::Ended { id: e.id, outcome, cost: 1.0 })?;
///         }
///         Ask::Wait => unreachable!("nothing is pending"),
///         Ask::Finished(conclusion) => break conclusion,
///     }
/// };
/// assert_eq!(selector.arms().name(conclusion.arm), "transformer");
/// let assumes = Assumption::Gaussian;
/// assert_eq!(conclusion.reason, Reason::AnytimeValid { level: 0.95, tolerance: 0.0, assumes });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct AnytimeValid {
    level: f64,
    tolerance: f64,
    on_failure: Option<f64>,
    /// Number of common turns that a pair of arms needs before one is named.
    burn_in: f64,
    tables: Vec<Table>,
    pairs: Pairs,
    /// Evidence in nats that a pair needs, by the number of arms that have retired.
    required: Vec<f64>,
}

/// The error for bounds of scores that are not finite or not in order.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the bounds {0} and {1} of the scores must be two numbers, the lower one first")]
pub struct BoundsError(f64, f64);

/// The error for a rate of rare failures that is no probability.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the rate of rare failures {0} must lie strictly between 0 and 1")]
pub struct RateError(f64);

impl AnytimeValid {
    /// Returns the rule for a study of `arms` arms, which errs in at most the share δ = 1 − `level`
    /// of studies with Gaussian scores.
    ///
    /// # Errors
    /// [`ToleranceError`] unless ½ < level < 1.
    pub fn new(level: f64, arms: usize) -> Result<Self, ToleranceError> {
        Self::within(level, 0.0, arms)
    }

    /// Returns the rule as [`new`](Self::new) does, but an arm that is worse than the best by at
    /// most `tolerance` = ε ≥ 0 is no error. Equal arms then do not run for ever.
    ///
    /// # Errors
    /// [`ToleranceError`] unless ½ < level < 1 and 0 ≤ ε < ∞.
    pub fn within(level: f64, tolerance: f64, arms: usize) -> Result<Self, ToleranceError> {
        let level = super::posterior::checked(level)?;
        let tolerance = super::tolerance::checked(tolerance)?;
        Ok(Self {
            level,
            tolerance,
            on_failure: None,
            burn_in: 0.0,
            tables: vec![Table::default(); arms],
            pairs: Pairs::new(arms, tolerance, Test::Gaussian),
            required: required(1.0 - level, arms),
        })
    }

    /// Returns the rule for scores between `low` and `high`, oriented so that larger is better,
    /// whatever their distribution. A failed evaluation counts as `low`, unless another score is
    /// [declared](Self::on_failure); a score beyond a bound as the bound.
    ///
    /// # Errors
    /// [`BoundsError`] unless −∞ < low < high < ∞.
    ///
    /// # Example
    /// ```
    /// use fiesta_policies::stopping::AnytimeValid;
    /// let accuracy = AnytimeValid::new(0.95, 3)?.bounded((0.0, 1.0))?;
    /// assert!(accuracy.bounded((1.0, 0.0)).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bounded(mut self, (low, high): (f64, f64)) -> Result<Self, BoundsError> {
        if !(low < high && (high - low).is_finite()) {
            return Err(BoundsError(low, high));
        }
        let items = None;
        let test = Test::Bounded { low, high, items };
        self.pairs = Pairs::new(self.tables.len(), self.tolerance, test);
        Ok(self)
    }

    /// Returns the rule for a pool of `items` items that are evaluated in random order: the means
    /// are those over the pool, and a pair that has all items is certain. `None` if evaluations
    /// have no end. Of [bounded](Self::bounded) scores only, and without effect on others.
    ///
    /// # Example
    /// ```
    /// use fiesta_policies::stopping::AnytimeValid;
    /// let rule = AnytimeValid::new(0.95, 3)?.bounded((0.0, 1.0))?.of_pool(Some(800));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_pool(mut self, items: Option<u64>) -> Self {
        if let Test::Bounded { low, high, .. } = self.pairs.test() {
            let test = Test::Bounded { low, high, items };
            self.pairs = Pairs::new(self.tables.len(), self.tolerance, test);
        }
        self
    }

    /// Sets that no arm is named before each of its pairs has n₀ = ⌈ln(1/δ)/`rate`⌉ common turns:
    /// an arm that fails at that rate or more, be it by a score far below its others, has then
    /// shown a failure with probability 1 − δ. With `None` no arm waits.
    ///
    /// # Errors
    /// [`RateError`] unless 0 < rate < 1.
    ///
    /// # Example
    /// ```
    /// use fiesta_policies::stopping::AnytimeValid;
    /// // 60 turns at δ = .05.
    /// let rule = AnytimeValid::new(0.95, 3)?.burn_in_for(Some(0.05))?;
    /// assert!(rule.burn_in_for(Some(0.0)).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn burn_in_for(mut self, rate: Option<f64>) -> Result<Self, RateError> {
        self.burn_in = match rate {
            Some(rate) if rate > 0.0 && rate < 1.0 => (-(1.0 - self.level).ln() / rate).ceil(),
            Some(rate) => return Err(RateError(rate)),
            None => 0.0,
        };
        Ok(self)
    }

    /// Sets the score as which failed evaluations count, oriented so that larger is better. It must
    /// not depend on the outcomes: the worst score that the metric can take, for example. Without
    /// one, an arm's table ends before its first failure.
    pub fn on_failure(mut self, score: Option<f64>) -> Self {
        self.on_failure = score.filter(|score| score.is_finite());
        self
    }

    /// Returns the level 1 − δ.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// Returns the evidence that `leader` is better than `arm`, in nats: ∞ once it suffices, as
    /// long as no arm has retired, else what it is now. 0, as without any score, of arms that there
    /// are not.
    pub fn between(&self, leader: ArmId, arm: ArmId) -> f64 {
        self.evidence_after(0, leader, arm)
    }

    /// Returns the first two arms each of which was found to be better than the other: what the
    /// rule assumes does not hold, or an event of probability 2δ/K has happened. It names neither.
    pub fn contradiction(&self) -> Option<(ArmId, ArmId)> {
        let arms = || ArmId::all(self.tables.len());
        let mut pairs = arms().flat_map(|one| arms().map(move |other| (one, other)));
        pairs.find(|&(one, other)| one < other && self.is_contradictory(one, other))
    }

    fn is_contradictory(&self, one: ArmId, other: ArmId) -> bool {
        let crossed = |a, b| {
            self.pair(a, b)
                .is_some_and(|p| p.strongest >= self.required[0])
        };
        self.tolerance == 0.0 && crossed(one, other) && crossed(other, one)
    }

    fn pair(&self, leader: ArmId, arm: ArmId) -> Option<&Pair> {
        self.pairs.of(leader.index(), arm.index())
    }

    /// Returns the evidence as [`between`](Self::between) does, once `retired` arms have retired.
    fn evidence_after(&self, retired: usize, leader: ArmId, arm: ArmId) -> f64 {
        let Some(pair) = self.pair(leader, arm) else {
            return 0.0;
        };
        if self.is_contradictory(leader, arm) {
            return pair.latest.min(0.0);
        }
        let required = self.required.get(retired).copied().unwrap_or(f64::INFINITY);
        let suffices = pair.strongest >= required && pair.turns() as f64 >= self.burn_in;
        if suffices && pair.latest > 0.0 {
            f64::INFINITY
        } else {
            pair.latest
        }
    }

    /// Returns the candidates whose evidence against every other candidate suffices to be named.
    fn winners<'a>(&'a self, view: &View<'a>) -> impl Iterator<Item = ArmId> + 'a {
        let (candidates, retired) = (view.candidates(), retired(view));
        let suffices =
            move |leader, arm| self.evidence_after(retired, leader, arm) == f64::INFINITY;
        candidates.iter().copied().filter(move |&leader| {
            let mut others = candidates.iter().filter(|&&arm| arm != leader);
            others.all(|&arm| suffices(leader, arm))
        })
    }
}

/// Returns how many arms have retired after they had scores.
fn retired(view: &View<'_>) -> usize {
    ArmId::all(view.arms())
        .filter(|&arm| view.observed(arm) > 0 && view.is_retired(arm))
        .count()
}

/// Returns ln of 1/α for each test, by the number of arms that have retired.
fn required(delta: f64, arms: usize) -> Vec<f64> {
    let arms = arms as f64;
    let mut required = Vec::new();
    let mut share = if arms <= 2.0 { 1.0 } else { 1.0 - RESERVE };
    let mut retired = 0.0;
    // With so many retired, the best of the others is one of the first retired + 1 by mean, against
    // at most K − 1 arms each, and naming one of several equal arms is an error too: at most the
    // pairs among the first retired + 2.
    while retired <= (arms - 2.0).max(0.0) {
        let wrong = (retired + 1.0) * (arms - 1.0) + (retired + 1.0) * (retired + 2.0) / 2.0;
        required.push((wrong / (delta * share)).ln());
        share = if retired == 0.0 {
            RESERVE / 2.0
        } else {
            share / 2.0
        };
        retired += 1.0;
    }
    required
}

impl StoppingRule for AnytimeValid {
    fn ended(&mut self, evaluation: &Evaluation, turn: u64, outcome: &Outcome) {
        let test = self.pairs.test();
        let score = match (outcome, test) {
            (Outcome::Observed(score), _) => Some(*score),
            (_, Test::Bounded { low, .. }) => Some(self.on_failure.unwrap_or(low)),
            _ => self.on_failure,
        };
        let score = score.map(|score| match test {
            Test::Bounded { low, high, .. } => score.clamp(low, high),
            Test::Gaussian => score,
        });
        let arm = evaluation.arm.index();
        if let Some(score) = score
            && let Some(table) = self.tables.get_mut(arm)
        {
            if table.replace(turn, score) {
                self.pairs.forget(arm);
            } else if table.enter(turn, score) == 0 {
                return;
            }
            self.pairs.extend(arm, &self.tables);
        }
    }

    /// Returns the evidence for `leader` against `arm`: ∞ while it suffices, else its strength now.
    fn evidence(&self, view: &View<'_>, leader: ArmId, arm: ArmId) -> Option<f64> {
        let now = self.between(leader, arm);
        Some(if now < f64::INFINITY {
            now
        } else {
            self.evidence_after(retired(view), leader, arm)
        })
    }

    fn check(&self, view: &View<'_>) -> Verdict {
        // Two can be named at once only with a tolerance: then the one that looks better.
        let better = |one: ArmId, other: ArmId| {
            let exceeds = self.pair(other, one).is_some_and(|pair| pair.mean() > 0.0);
            if exceeds { other } else { one }
        };
        let best = self.winners(view).reduce(better);
        match best.filter(|_| view.candidates().len() > 1) {
            Some(arm) => Verdict::Stop(
                arm,
                Reason::AnytimeValid {
                    level: self.level,
                    tolerance: self.tolerance,
                    assumes: match self.pairs.test() {
                        Test::Gaussian => Assumption::Gaussian,
                        Test::Bounded { .. } => Assumption::Bounded,
                    },
                },
            ),
            None => Verdict::Continue,
        }
    }
}

#[cfg(test)]
mod tests {
    mod proof;

    use super::*;

    /// Tests that the error probabilities of all wrong pairs sum to no more than δ, however many arms have retired.
    #[test]
    fn the_tests_share_delta() {
        for arms in [2, 3, 8, 40] {
            let thresholds = required(0.05, arms);
            assert_eq!(thresholds.len(), arms - 1);
            assert!(thresholds.is_sorted());
            let total: f64 = thresholds
                .iter()
                .enumerate()
                .map(|(retired, threshold)| {
                    let best = retired as f64 + 1.0;
                    let pairs = best * (arms as f64 - 1.0) + best * (best + 1.0) / 2.0;
                    pairs * (-threshold).exp()
                })
                .sum();
            assert!(total <= 0.05 + 1e-12 && total > 0.049, "{arms}: {total}");
        }
        // What two arms cost: either of two may be named wrongly, if they are equal.
        assert!((required(0.05, 2)[0] - 40.0_f64.ln()).abs() < 1e-12);
    }
}
