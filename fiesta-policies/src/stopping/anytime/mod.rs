//! Stopping with an error rate of at most δ, however often one looks.
//!
//! [`AnytimeValid`] names an arm only if it is the one best arm, except in at most the share δ of
//! studies: whatever the means and variances of Gaussian scores, however often one looks, whichever
//! policy chooses the arms, and also when evaluations end out of order because their duration
//! depends on their score. [`PosteriorThreshold`](super::PosteriorThreshold) promises none of that,
//! and needs fewer evaluations.
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
//! # Shared splits
//!
//! The k-th evaluation of every arm is on split k, so that the differences d_k = x_lk − x_ak of two
//! arms are independent and Gaussian, whatever a split does to both. For a pair (l, a), M⁺ at λ = 0
//! over the common completed prefix of both tables is evidence that l is better; if it is not, the
//! supremum ever exceeds x with a probability of at most 1/x. The tables exist irrespective of when
//! and whether they are read: asynchrony can choose the lengths of the prefixes, but not exceed the
//! supremum over all of them. The rule keeps the greatest value of every pair.
//!
//! # Independent splits, or one fixed split
//!
//! Arms have independent tables. For a pair (l, a) the evidence that l is better is inf_λ [ln
//! M⁺_l(mean > λ) + ln M⁺_a(mean < λ)], the latter being M⁺ of the negated scores. If μ_l ≤ μ_a,
//! any λ between them is admitted, and by 2 the infimum is at most ln M⁺_l(μ_l) + ln M⁺_a(μ_a): at
//! most the sum of two independent logarithms of Ville suprema, each of which exceeds y with a
//! probability of at most e^(−y). Such a sum exceeds y with a probability of at most (1 +
//! y)·e^(−y). The y for which this is α is W̄(1 + ln 1/α) − 1 with W̄(x) = −W₋₁(−e^(−x)).
//!
//! Evaluations that run strictly one after the other allow no better threshold by this proof: the
//! product of two such martingales would have mean 1 only in the filtration of the ratios, and a
//! policy that compares the arms' scores knows more.
//!
//! The infimum is certified by bisection: between two values the sum is at least its falling part
//! at the right one plus its growing part at the left one. It is never overestimated; where that
//! takes too long, the rule waits.
//!
//! # All pairs
//!
//! An arm l is named once all pairs (l, a) have reached the evidence for α. Let b be a best arm. If
//! another arm is named, its pair (l, b) has crossed although μ_l ≤ μ_b: one of K − 1 events. If b
//! is named although another arm b' is as good, the pair (b, b') has crossed: one more. So α = δ/K
//! makes calling an arm the one best, when it is not, as rare as δ. Without that last event α =
//! δ/(K − 1) would do: naming either of two equal arms would be correct. With a tolerance ε > 0 it
//! is, and the pair's hypothesis is μ_l ≤ μ_a − ε (d_k + ε for d_k, and λ + ε for a's λ).
//!
//! If an arm retires after it had scores, the best of those that remain is another arm, and other
//! pairs may err. 2 % of δ is set aside for that and divided among the possible numbers of retired
//! arms. An arm that never had a score has no mean and is left out.
//!
//! # What it does not promise
//!
//! Scores that are not Gaussian: heavy skew with few evaluations can make it err more often. Equal
//! scores or differences (S = 0) have no variance; no pair is tested while that lasts. A failed
//! evaluation counts as the score declared for it beforehand ([`AnytimeValid::on_failure`]); if
//! none is, the arm's table ends before its first failure for good, as a failure may depend on the
//! score that it hides, and the study may end by its budget only.
//!
//! # Sources
//!
//! Lai, "On confidence sequences" (1976). Wang & Ramdas, "Anytime-valid t-tests and confidence
//! sequences for Gaussian means with unknown variance" (2023). Pérez-Ortiz, Lardy, de Heide,
//! Grünwald, "E-statistics, group invariance and anytime-valid testing" (2022). Jourdan, Degenne,
//! Kaufmann, "Dealing with unknown variances in best-arm identification" (2023), for products over
//! arms.

mod doubt;
mod martingale;
mod paired;
#[cfg(test)]
mod proof;
mod student;
mod tables;
mod unpaired;

pub use doubt::doubt;

use super::ToleranceError;
use fiesta_core::{ArmId, Design, Evaluation, Outcome, Reason, StoppingRule, Verdict, View};
use paired::Paired;
use tables::Table;
use unpaired::Unpaired;

/// The share of δ that is set aside for studies in which arms retire.
const RESERVE: f64 = 0.02;

/// Stops when an anytime-valid test has rejected, for one arm, that any other arm is as good. See
/// the [module](self) for what that promises, and why.
///
/// The rule keeps its own tables of scores, by arm and turn, so that it must see every outcome
/// ([`StoppingRule::ended`]). [`TopTwo::evidence`](crate::TopTwo::evidence) is the policy that
/// gathers what it lacks.
///
/// # Example
/// ```
/// use fiesta_core::{Arms, Ask, Design, Event, Outcome, Reason, Selector};
/// use fiesta_policies::{TopTwo, stopping::AnytimeValid};
/// use fiesta_posterior::GaussianArms;
///
/// let train = |arm: usize, split: u64| 0.6 + 0.05 * arm as f64 + 0.01 * ((7 * arm as u64 + 3 * split) as f64).sin();
/// let rule = AnytimeValid::new(0.95, 3, Design::Shared)?;
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
/// assert_eq!(conclusion.reason, Reason::AnytimeValid { level: 0.95, tolerance: 0.0 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct AnytimeValid {
    level: f64,
    tolerance: f64,
    on_failure: Option<f64>,
    tables: Vec<Table>,
    evidence: Evidence,
    /// The evidence that is required once so many arms have retired.
    required: Vec<f64>,
}

#[derive(Debug, Clone)]
enum Evidence {
    Paired(Paired),
    Unpaired(Unpaired),
}

impl Evidence {
    /// Takes the new scores of `arm`'s prefix into account, or all of them if the prefix is not
    /// what it was.
    fn extend(&mut self, arm: usize, tables: &[Table], is_replaced: bool) {
        match self {
            Self::Paired(pairs) => {
                if is_replaced {
                    pairs.forget(arm);
                }
                pairs.extend(arm, tables);
            }
            Self::Unpaired(pairs) => {
                if is_replaced {
                    pairs.forget(arm);
                }
                pairs.extend(arm, tables);
            }
        }
    }

    fn strongest(&self, leader: ArmId, arm: ArmId) -> f64 {
        match self {
            Self::Paired(pairs) => pairs.strongest(leader.index(), arm.index()),
            Self::Unpaired(pairs) => pairs.strongest(leader.index(), arm.index()),
        }
    }

    fn latest(&self, leader: ArmId, arm: ArmId) -> f64 {
        match self {
            Self::Paired(pairs) => pairs.latest(leader.index(), arm.index()),
            Self::Unpaired(pairs) => pairs.latest(leader.index(), arm.index()),
        }
    }
}

impl AnytimeValid {
    /// The rule for a study of `arms` arms with this design, which errs in at most the share δ = 1
    /// − `level` of studies.
    ///
    /// # Errors
    /// [`ToleranceError`] unless ½ < level < 1.
    pub fn new(level: f64, arms: usize, design: Design) -> Result<Self, ToleranceError> {
        Self::within(level, 0.0, arms, design)
    }

    /// As [`new`](Self::new), but an arm that is worse than the best by at most `tolerance` = ε ≥ 0
    /// is no error. Equal arms then do not run for ever.
    ///
    /// # Errors
    /// [`ToleranceError`] unless ½ < level < 1 and 0 ≤ ε < ∞.
    pub fn within(
        level: f64,
        tolerance: f64,
        arms: usize,
        design: Design,
    ) -> Result<Self, ToleranceError> {
        let level = super::posterior::checked(level)?;
        let tolerance = super::tolerance::checked(tolerance)?;
        let alone = required(1.0 - level, tolerance, arms);
        let (evidence, required) = match design {
            // A document is a case that the arms share, as a split is.
            Design::Shared | Design::Documents { .. } => {
                (Evidence::Paired(Paired::new(arms, tolerance)), alone)
            }
            Design::Independent | Design::Fixed => {
                let of_two: Vec<f64> = alone.into_iter().map(of_two_suprema).collect();
                let pairs = Unpaired::new(arms, tolerance, of_two.clone());
                (Evidence::Unpaired(pairs), of_two)
            }
        };
        Ok(Self {
            level,
            tolerance,
            on_failure: None,
            tables: vec![Table::default(); arms],
            evidence,
            required,
        })
    }

    /// Failed evaluations count as this score, oriented so that larger is better. It must not
    /// depend on the outcomes: the worst score that the metric can take, for example. Without one,
    /// an arm's table ends before its first failure.
    pub fn on_failure(mut self, score: Option<f64>) -> Self {
        self.on_failure = score.filter(|score| score.is_finite());
        self
    }

    /// The level 1 − δ.
    pub fn level(&self) -> f64 {
        self.level
    }
}

/// Scores of an arm from which on [`few_values`] judges.
const ENOUGH_SCORES: usize = 4;
/// Values that are few.
const FEW_VALUES: usize = 5;

/// How many values the scores of an arm take, if they are so few that the scores cannot pass for
/// Gaussian, as the guarantee of [`AnytimeValid`] supposes: at most 5, and at most half as many as
/// there are scores, of which there must be 4. None otherwise.
pub fn few_values(scores: &[f64]) -> Option<usize> {
    let mut values: Vec<f64> = Vec::new();
    for score in scores {
        if !values.contains(score) {
            values.push(*score);
            if values.len() > FEW_VALUES {
                return None;
            }
        }
    }
    let enough = scores.len() >= ENOUGH_SCORES.max(2 * values.len());
    enough.then_some(values.len())
}

/// ln of 1/α for each test, by the number of arms that have retired.
fn required(delta: f64, tolerance: f64, arms: usize) -> Vec<f64> {
    let arms = arms as f64;
    // Without a tolerance, naming one of several equal arms is an error too, which makes one more.
    let tied = f64::from(u8::from(tolerance == 0.0));
    let mut required = Vec::new();
    let mut share = 1.0 - RESERVE;
    if arms <= 2.0 {
        share = 1.0;
    }
    let mut retired = 0.0;
    // With so many retired, the best of the others is one of the first retired + 1 by mean, against
    // at most K − 1 arms each, and equal arms add at most the pairs among the first retired + 2.
    while retired <= (arms - 2.0).max(0.0) {
        let wrong = (retired + 1.0) * (arms - 1.0) + tied * (retired + 1.0) * (retired + 2.0) / 2.0;
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

/// The y with (1 + y)·e^(−y) = e^(−`alone`): what the sum of two independent suprema exceeds with
/// the probability with which one exceeds `alone`.
fn of_two_suprema(alone: f64) -> f64 {
    let mut both = alone;
    for _ in 0..100 {
        both = alone + both.ln_1p();
    }
    both
}

impl StoppingRule for AnytimeValid {
    fn ended(&mut self, evaluation: &Evaluation, turn: u64, outcome: &Outcome) {
        let score = match outcome {
            Outcome::Observed(score) => Some(*score),
            _ => self.on_failure,
        };
        let arm = evaluation.arm.index();
        if let Some(score) = score
            && let Some(table) = self.tables.get_mut(arm)
        {
            let is_replaced = table.replace(turn, score);
            if !is_replaced && table.enter(turn, score) == 0 {
                return;
            }
            self.evidence.extend(arm, &self.tables, is_replaced);
        }
    }

    /// ∞ once it sufficed, else what it is now.
    fn evidence(&self, leader: ArmId, arm: ArmId) -> Option<f64> {
        let strongest = self.evidence.strongest(leader, arm);
        Some(if strongest >= self.required[0] {
            f64::INFINITY
        } else {
            self.evidence.latest(leader, arm)
        })
    }

    fn check(&self, view: &View<'_>) -> Verdict {
        let candidates = view.candidates();
        let retired = ArmId::all(view.arms())
            .filter(|&arm| view.observed(arm) > 0 && view.is_retired(arm))
            .count();
        let Some(&required) = self.required.get(retired) else {
            return Verdict::Continue;
        };
        let wins = |&&leader: &&ArmId| {
            let mut others = candidates.iter().filter(|&&arm| arm != leader);
            others.all(|&arm| self.evidence.strongest(leader, arm) >= required)
        };
        match candidates.iter().find(wins) {
            Some(&leader) if candidates.len() > 1 => {
                let Self {
                    level, tolerance, ..
                } = *self;
                Verdict::Stop(leader, Reason::AnytimeValid { level, tolerance })
            }
            _ => Verdict::Continue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (1 + y)·e^(−y) is the probability that two independent suprema exceed y in sum.
    #[test]
    fn the_threshold_of_two_suprema_solves_its_equation() {
        for alone in [0.8, 3.0, 5.0, 12.0] {
            let both = of_two_suprema(alone);
            let probability: f64 = (1.0 + both) * (-both).exp();
            assert!((probability.ln() + alone).abs() < 1e-12, "{both}");
        }
    }

    /// The probabilities of all wrong pairs come to no more than δ, however many arms have retired.
    #[test]
    fn the_tests_share_delta() {
        for (arms, tolerance) in [(2, 0.0), (2, 0.1), (3, 0.0), (8, 0.0), (8, 0.1), (40, 0.0)] {
            let thresholds = required(0.05, tolerance, arms);
            assert_eq!(thresholds.len(), arms - 1);
            assert!(thresholds.is_sorted());
            let tied = if tolerance > 0.0 { 0.0 } else { 1.0 };
            let total: f64 = thresholds
                .iter()
                .enumerate()
                .map(|(retired, threshold)| {
                    let best = retired as f64 + 1.0;
                    let pairs = best * (arms as f64 - 1.0) + tied * best * (best + 1.0) / 2.0;
                    pairs * (-threshold).exp()
                })
                .sum();
            assert!(total <= 0.05 + 1e-12 && total > 0.049, "{arms}: {total}");
        }
        // What two arms cost: one error is possible with a tolerance, two without.
        assert!((required(0.05, 0.1, 2)[0] - 20.0_f64.ln()).abs() < 1e-12);
        assert!((required(0.05, 0.0, 2)[0] - 40.0_f64.ln()).abs() < 1e-12);
    }
}
