//! Posterior of scores on shared splits, of arms that may be equally noisy or not.

mod cells;
mod controlled;
mod differences;
mod draws;
mod normal;
mod residual;
mod sampler;
mod wide;

use crate::{
    best_arm::{among, draw_one, of_proper},
    score::check,
};
use cells::Cells;
use differences::Differences;
use draws::Draws;
pub use draws::PairedModel;
use fiesta_core::{
    ArmId, Belief, Case, Marginal, Method, Observe, ObserveError, Posterior, belief_by_draws,
};
use rand::{Rng, RngExt, SeedableRng, rngs::ChaCha8Rng};
use std::sync::OnceLock;
use wide::Wide;

/// Posterior that knows that rivals evaluated on the same split share what the split does to all of
/// them.
///
/// The score of arm m on split k with some seed is
///
/// y = μ_m + β_k + γ_mk + e, β_k ~ N(0, τ²), γ_mk ~ N(0, ρ·v_m), e ~ N(0, (1 − ρ)·v_m),
///
/// with an effect β of the split, an interaction γ that all seeds of an arm on that split share,
/// and the variance v_m of one evaluation of the arm given the split. Nothing of this is assumed
/// known:
///
/// - p(μ) ∝ 1.
/// - v_m ~ InvGamma(d₀/2, d₀s₀²/2), p(s₀²) ∝ 1/s₀²: variances learn from each other, the more the
///   more alike the arms are. How alike is learned too: half of the prior probability says that all
///   are equal (d₀ = 1000), the other half is even over d₀ = ½, 1, 2, …, 64, so that one arm may be
///   a hundred times as noisy as another.
/// - λ = τ²/s₀² with λ/(1 + λ) uniform on (0, 1): the correlation of two arms on a split may be
///   anything, none included.
/// - ρ uniform on (0, 1); it plays a role only where an arm has several seeds on a split.
///
/// Any pattern of (arm, split) cells is welcome: arms need not have seen the same splits. Without
/// shared splits this is a hierarchical model of independent arms. If all evaluations were made on
/// one split, the means are those on that split, and the conclusion holds for it alone.
///
/// The posterior is sampled by collapsed Gibbs sweeps (160 after 40), afresh for each fit and with
/// a stream of its own, so that a belief is a function of the scores and of nothing else. P(best)
/// is averaged over the draws in closed form for one arm given the others; its standard error is
/// stated. What is printed, and what ends a study, is of more sweeps ([`finer`](Posterior::finer)).
/// A fit never passes over past evaluations: it works on means and cross-products, kept for each
/// distinct set of arms that share a split. For more than [`Paired::EXACT_UP_TO`] arms it is
/// replaced by an approximation that ignores the correlation between arms which fitted split
/// effects induce; P(best) is then by quadrature.
///
/// A score is needed of every arm, and two more in all; as long as they leave no residual (all
/// equal, or all explained by splits), each arm is asked for one more: equal scores are no
/// certainty. Arms without any score, such as those that only ever failed, keep nobody from being
/// judged: the fit is over the others, and an arm without a score is never best.
///
/// # Example
/// On every split the second arm is better by .01, although its scores vary by ten times as much:
/// ```
/// use fiesta_core::{ArmId, Posterior, Case, Observe};
/// use fiesta_posterior::Paired;
///
/// let splits = [0.62, 0.71, 0.55, 0.66, 0.59];
/// let noise = [0.001, -0.002, 0.0, 0.002, -0.001];
/// let mut posterior = Paired::new(2);
/// for (split, (&effect, &noise)) in splits.iter().zip(&noise).enumerate() {
///     let case = Case { split: split as u64, seed: 0 };
///     posterior.observe(ArmId::new(0), case, effect)?;
///     posterior.observe(ArmId::new(1), case, effect + 0.01 + noise)?;
/// }
/// let belief = posterior.belief(&[ArmId::new(0), ArmId::new(1)]);
/// assert!(belief.of(ArmId::new(1)) > 0.99);
/// # Ok::<(), fiesta_core::ObserveError>(())
/// ```
///
/// Sources: Smyth, "Linear models and empirical Bayes methods" (2004), for variances that learn
/// from each other; Gelfand and Smith, "Sampling-based approaches to calculating marginal
/// densities" (1990), for sampling and averaging.
#[derive(Debug)]
pub struct Paired {
    arms: usize,
    /// The arms that have a score, in order: the place of each is its number within the cells and
    /// the fit.
    known: Vec<ArmId>,
    cells: Cells,
    length: sampler::Length,
    /// Seed of the sampler's stream.
    seed: u64,
    /// Whether the number of draws was asked for.
    is_fixed: bool,
    /// Number of best arms whose probabilities are to have a small error.
    top: usize,
    fit: OnceLock<Fit>,
    differences: OnceLock<Option<Differences>>,
    finer: OnceLock<Option<Box<Paired>>>,
}

/// Result of a fit.
#[derive(Debug)]
enum Fit {
    Draws(Draws),
    Wide(Wide),
    /// The scores leave no residual to judge a difference by.
    None,
}

impl Paired {
    /// Greatest number of arms for which the model is exact (up to the sampling); above, [an
    /// approximation](Self).
    pub const EXACT_UP_TO: usize = 50;

    /// The standard error of P(best) from which on no fit is [finer](Posterior::finer).
    pub const ERROR: f64 = 3e-4;

    /// Number of draws of a fit, unless another number is asked for.
    pub const DRAWS: usize = sampler::Length::USUAL.sweeps;

    /// Creates the posterior of `arms` arms without any score.
    pub fn new(arms: usize) -> Self {
        Self {
            arms,
            known: Vec::new(),
            cells: Cells::new(0, arms <= Self::EXACT_UP_TO),
            length: sampler::Length::USUAL,
            seed: 0,
            is_fixed: false,
            top: 1,
            fit: OnceLock::new(),
            differences: OnceLock::new(),
            finer: OnceLock::new(),
        }
    }

    /// Sets the seed of the stream of draws.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.forget_fits();
        self
    }

    /// Sets the number of draws (at least 16; 160 by default); nothing is [finer](Posterior::finer)
    /// then. The standard error of P(best) falls with the root of their number, and is itself an
    /// estimate, from 16 batches, that is often off by a fifth. Beyond
    /// [`EXACT_UP_TO`](Self::EXACT_UP_TO) arms nothing is drawn.
    ///
    /// Where all scores of an arm are equal, the posterior has no bound as its variance goes to 0:
    /// draws beyond the usual number end once some variance has fallen to 10⁻⁹ of another.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::{ArmId, Case, Observe, Posterior};
    /// use fiesta_posterior::Paired;
    /// let error = |draws: usize| {
    ///     let mut posterior = Paired::new(2).draws(draws);
    ///     let scores = [(0.50, 0.51), (0.53, 0.50), (0.49, 0.50), (0.52, 0.51)];
    ///     for (split, (one, other)) in (0..).zip(scores) {
    ///         let case = Case { split, seed: 0 };
    ///         posterior.observe(ArmId::new(0), case, one)?;
    ///         posterior.observe(ArmId::new(1), case, other)?;
    ///     }
    ///     let arms = [ArmId::new(0), ArmId::new(1)];
    ///     Ok::<f64, fiesta_core::ObserveError>(posterior.belief(&arms).absolute_error)
    /// };
    /// assert!(error(20_000)? < error(200)?);
    /// # Ok::<(), fiesta_core::ObserveError>(())
    /// ```
    #[must_use]
    pub fn draws(mut self, draws: usize) -> Self {
        self.length.sweeps = draws.max(16);
        self.is_fixed = true;
        self.forget_fits();
        self
    }

    /// Sets how many best arms are sought (at least 1; 1 by default): fits are
    /// [finer](Posterior::finer) until P(among these) has a small error.
    #[must_use]
    pub fn top(mut self, top: usize) -> Self {
        self.top = top.max(1);
        self.forget_fits();
        self
    }

    /// Draws a model from the posterior: the means, all variances and the interaction together, to predict
    /// further scores. `None` without a fit, if an arm has no score, or beyond
    /// [`EXACT_UP_TO`](Self::EXACT_UP_TO) arms.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::{ArmId, Case, Observe};
    /// use fiesta_posterior::Paired;
    /// use rand::{SeedableRng, rngs::ChaCha8Rng};
    /// let mut posterior = Paired::new(2);
    /// for (split, (one, other)) in (0..).zip([(0.50, 0.51), (0.53, 0.50), (0.49, 0.50)]) {
    ///     let case = Case { split, seed: 0 };
    ///     posterior.observe(ArmId::new(0), case, one)?;
    ///     posterior.observe(ArmId::new(1), case, other)?;
    /// }
    /// let model = posterior.draw_model(&mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    /// assert_eq!((model.means.len(), model.variances.len()), (2, 2));
    /// # Ok::<(), fiesta_core::ObserveError>(())
    /// ```
    pub fn draw_model(&self, rng: &mut dyn Rng) -> Option<PairedModel> {
        match self.fit() {
            Fit::Draws(draws) if self.known.len() == self.arms && draws.len() > 0 => {
                draws.model(rng.random_range(0..draws.len()))
            }
            _ => None,
        }
    }

    /// Returns the place of an arm in cells and fit. `None` without a score.
    fn place(&self, arm: ArmId) -> Option<usize> {
        // As a rule every arm has a score, or every one before it.
        if self.known.get(arm.index()) == Some(&arm) {
            return Some(arm.index());
        }
        self.known.binary_search(&arm).ok()
    }

    /// Returns the place of an arm in the fit. `None` if it lacks scores needed to judge it.
    fn judged(&self, arm: ArmId) -> Option<usize> {
        self.place(arm)
            .filter(|&place| self.cells.arms[place].count >= self.least())
    }

    /// Returns one value for each arm: the fit's for an arm with scores, else `unknown`.
    fn spread(&self, values: impl IntoIterator<Item = f64>, unknown: f64) -> Vec<f64> {
        let mut all = vec![unknown; self.arms];
        let known = self.known.iter().zip(&self.cells.arms);
        for ((arm, cells), value) in known.zip(values) {
            if cells.count >= self.least() {
                all[arm.index()] = value;
            }
        }
        all
    }

    /// Returns the least number of scores of an arm that a fit needs.
    fn least(&self) -> u64 {
        if self.arms <= Self::EXACT_UP_TO { 1 } else { 2 }
    }

    /// Returns whether there are scores enough for a fit of the arms that have any.
    fn fittable(&self) -> bool {
        !self.known.is_empty() && self.cells.total() >= self.known.len() as u64 + 2
    }

    fn fit(&self) -> &Fit {
        self.fit.get_or_init(|| {
            if !self.fittable() {
                return Fit::None;
            }
            if self.arms > Self::EXACT_UP_TO {
                return Wide::fit(&self.cells).map_or(Fit::None, Fit::Wide);
            }
            // The same stream for every fit: beliefs before and after an observation then differ by
            // what it says.
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
            sampler::sample(&self.cells, self.length, &mut rng).map_or(Fit::None, Fit::Draws)
        })
    }

    fn differences(&self) -> Option<&Differences> {
        self.differences
            .get_or_init(|| match self.fit() {
                Fit::Draws(draws) => draws.differences(&self.cells),
                Fit::Wide(_) | Fit::None => None,
            })
            .as_ref()
    }

    /// Returns P(among the `top` best) if the mean of one arm were larger by its bonus. Nothing is
    /// claimed of candidates that cannot all be judged.
    fn belief_with(
        &self,
        top: usize,
        candidates: &[ArmId],
        favoured: Option<(ArmId, f64)>,
    ) -> Belief {
        let places: Option<Vec<ArmId>> = candidates
            .iter()
            .map(|&arm| self.judged(arm).map(ArmId::new))
            .collect();
        let of_place = favoured.and_then(|(arm, margin)| Some((self.place(arm)?, margin)));
        let bonus = |arm: ArmId| match of_place {
            Some((place, margin)) if place == arm.index() => margin,
            _ => 0.0,
        };
        match (self.fit(), places.filter(|places| !places.is_empty())) {
            (Fit::Draws(draws), Some(places)) => {
                let best = draws.best(top, &places, bonus);
                Belief {
                    probability: self.spread(best.probability, 0.0),
                    shortfall: self.spread(best.shortfall, f64::INFINITY),
                    absolute_error: best.absolute_error,
                    method: Method::MonteCarlo,
                }
            }
            (Fit::Wide(_), Some(_)) if top > 1 => belief_by_draws(self, top, candidates, favoured),
            (Fit::Wide(wide), Some(places)) => {
                let marginals: Vec<Marginal> = places
                    .iter()
                    .map(|&arm| wide.marginals[arm.index()].shifted(bonus(arm)))
                    .collect();
                among(self.arms, candidates, of_proper(&marginals))
            }
            _ => Belief::nothing(self.arms, Method::MonteCarlo),
        }
    }
}

impl Posterior for Paired {
    fn arms(&self) -> usize {
        self.arms
    }

    /// Returns the number of scores that the arm needs: one of every arm and two more in all, of
    /// whichever arms; one more than there are while they leave no residual.
    fn required(&self, arm: ArmId) -> u64 {
        if !self.fittable() {
            // Nobody is asked twice before everybody was asked once, and two further scores will
            // do.
            return 1 + 2_u64.div_ceil(self.arms.max(1) as u64);
        }
        let least = self.least();
        let place = self.place(arm);
        let count = place.map_or(0, |place| self.cells.arms[place].count);
        match self.fit() {
            Fit::None if count >= least => count + 1,
            _ => least,
        }
    }

    /// Returns the posterior mean of an arm, and before a fit the mean of its scores.
    fn mean(&self, arm: ArmId) -> Option<f64> {
        let place = self.place(arm)?;
        Some(match self.fit() {
            Fit::Draws(draws) => draws.location(ArmId::new(place)),
            Fit::Wide(wide) => wide.marginals[place].location,
            Fit::None => self.cells.arms[place].mean(),
        })
    }

    /// Returns an arm's marginal: Student's t with the posterior's moments.
    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        let place = self.judged(arm)?;
        if let Fit::Wide(wide) = self.fit() {
            return Some(wide.marginals[place]);
        }
        let marginal = self.differences()?.marginal(place, place);
        Some(marginal.shifted(self.cells.arms[place].origin))
    }

    /// Returns the difference of two means: Student's t with the posterior's moments.
    fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
        let (a, b) = (self.judged(a)?, self.judged(b)?);
        if let Fit::Wide(wide) = self.fit() {
            return Some(wide.marginals[a].minus(&wide.marginals[b]));
        }
        let marginal = self.differences()?.marginal(a, b);
        let origin = |place: usize| self.cells.arms[place].origin;
        Some(marginal.shifted(origin(a)).shifted(-origin(b)))
    }

    /// Draws all means jointly, by choosing one of the sampler's draws.
    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        let drawn: Vec<f64> = match self.fit() {
            Fit::Draws(draws) => draws.draw(rng.random_range(0..draws.len())).to_vec(),
            Fit::Wide(wide) => {
                let of = |marginal| draw_one(marginal, rng);
                wide.marginals.iter().map(of).collect()
            }
            Fit::None => Vec::new(),
        };
        for (mean, drawn) in means.iter_mut().zip(self.spread(drawn, f64::NEG_INFINITY)) {
            *mean = drawn;
        }
    }

    fn belief(&self, candidates: &[ArmId]) -> Belief {
        self.belief_with(1, candidates, None)
    }

    fn belief_of_top(
        &self,
        top: usize,
        candidates: &[ArmId],
        favoured: Option<(ArmId, f64)>,
    ) -> Belief {
        self.belief_with(top, candidates, favoured)
    }

    /// Returns the posterior after more sweeps. `None` once 2,500 sweeps give P(best) of every arm a standard
    /// error of at most [`Paired::ERROR`], or more would take too long.
    fn finer(&self) -> Option<&dyn Posterior> {
        let finer = self
            .finer
            .get_or_init(|| self.with_more_sweeps().map(Box::new));
        finer.as_deref().map(|finer| finer as &dyn Posterior)
    }

    fn within(&self, arm: ArmId, margin: f64, candidates: &[ArmId]) -> f64 {
        if !margin.is_finite() {
            return f64::from(u8::from(margin > 0.0));
        }
        self.belief_with(1, candidates, Some((arm, margin))).of(arm)
    }

    /// Returns the variance v_a + v_b of a difference, and where the two share no split also the
    /// variance 2τ² that splits add; each part at its posterior (harmonic) mean.
    fn evaluation_variance(&self, a: ArmId, b: ArmId, observed: [u64; 2]) -> Option<f64> {
        let (place, other) = (self.judged(a)?, self.judged(b)?);
        match self.fit() {
            Fit::Draws(draws) => {
                let is_shared = self.cells.share_a_split(place, other);
                Some(
                    draws.of_one_evaluation(place, is_shared)
                        + draws.of_one_evaluation(other, is_shared),
                )
            }
            Fit::Wide(wide) => {
                let of =
                    |place: usize, count: u64| wide.marginals[place].scale.powi(2) * count as f64;
                Some(of(place, observed[0]) + of(other, observed[1]))
            }
            Fit::None => None,
        }
    }

    /// Returns variances of differences from one arm, with the model's variances at their posterior
    /// means: an arm on a split that its rival has seen tells more. An arm without a score stays
    /// unknown, whatever it is to be evaluated on.
    fn variances(&self, from: ArmId, extra: &[(ArmId, Case)]) -> Option<Vec<f64>> {
        let from = ArmId::new(self.judged(from)?);
        let single = self.cells.single_split();
        // On a single split every seed tells alike, as if it were a split of its own.
        let extra: Vec<(ArmId, u64)> = (0..)
            .zip(extra)
            .filter_map(|(fresh, &(arm, case))| {
                let split = if single {
                    self.cells.unused_split(fresh)
                } else {
                    case.split
                };
                Some((ArmId::new(self.place(arm)?), split))
            })
            .collect();
        let variances = match self.fit() {
            Fit::Draws(draws) => draws.look_ahead(&self.cells, from, &extra)?,
            Fit::Wide(wide) => wide.look_ahead(&self.cells, from, &extra),
            Fit::None => return None,
        };
        Some(self.spread(variances, f64::INFINITY))
    }
}

impl Observe<f64> for Paired {
    fn observe(&mut self, arm: ArmId, case: Case, score: f64) -> Result<(), ObserveError> {
        self.check(arm, score)?;
        self.make_room(arm);
        if let Some(place) = self.place(arm) {
            self.cells.add(place, case.split, score);
        }
        Ok(())
    }

    /// Observes a whole split. Up to [`Self::EXACT_UP_TO`] arms, sums alone are kept of the split;
    /// beliefs are those that [`observe`](Observe::observe) leads to. Nothing is taken into account
    /// if one evaluation is refused.
    fn observe_whole_split(
        &mut self,
        evaluations: &mut dyn Iterator<Item = (ArmId, Case, f64)>,
    ) -> Result<(), ObserveError> {
        let all: Vec<(ArmId, f64)> = evaluations.map(|(arm, _, score)| (arm, score)).collect();
        for &(arm, score) in &all {
            self.check(arm, score)?;
        }
        // A new arm moves others: places are known once all arms are.
        for &(arm, _) in &all {
            self.make_room(arm);
        }
        let placed = all
            .iter()
            .filter_map(|&(arm, score)| Some((self.place(arm)?, score)));
        let placed: Vec<(usize, f64)> = placed.collect();
        self.cells.add_whole_split(&placed);
        Ok(())
    }
}

impl Paired {
    fn check(&self, arm: ArmId, score: f64) -> Result<(), ObserveError> {
        check(score)?;
        if arm.index() >= self.arms {
            return Err(ObserveError::NoSuchArm(arm.index()));
        }
        Ok(())
    }

    /// Gives an arm a place, as a score of it is to be added: every fit is out of date.
    fn make_room(&mut self, arm: ArmId) {
        self.forget_fits();
        if let Err(place) = self.known.binary_search(&arm) {
            self.known.insert(place, arm);
            self.cells.insert_arm(place);
        }
    }

    fn forget_fits(&mut self) {
        self.fit = OnceLock::new();
        self.differences = OnceLock::new();
        self.finer = OnceLock::new();
    }

    /// Returns the posterior with two to four times the sweeps, as the error asks for, within what
    /// a belief may cost. `None` if there is nothing to gain, or the number of draws was asked for.
    fn with_more_sweeps(&self) -> Option<Self> {
        let Fit::Draws(draws) = self.fit() else {
            return None;
        };
        let places: Vec<ArmId> = ArmId::all(self.known.len()).collect();
        let lacking = draws.best(self.top, &places, |_| 0.0).absolute_error / AIM;
        let now = self.length.sweeps;
        if self.is_fixed || (lacking <= 1.0 && now >= FEWEST) {
            return None;
        }
        // Of two arms, each sweep has the probability in closed form.
        let per_sweep = if self.known.len() > 2 {
            PER_FINER_SWEEP
        } else {
            1
        };
        // A draw keeps two numbers of each arm, a sweep four.
        let numbers = self.known.len() * (2 * per_sweep + 4);
        let affordable = self.cells.sweeps_within(MOST_OPERATIONS);
        let affordable = affordable.min(MOST_NUMBERS / numbers as f64);
        let [least, most] = FINER.map(|factor| factor * now);
        let sweeps = (now as f64 * lacking * lacking)
            .max(least.max(FEWEST) as f64)
            .min(affordable);
        let sweeps = fiesta_core::whole(sweeps).min(most.max(FEWEST));
        (sweeps >= least).then(|| Self {
            known: self.known.clone(),
            cells: self.cells.clone(),
            length: sampler::Length {
                sweeps,
                per_sweep,
                ..self.length
            },
            seed: self.seed,
            top: self.top,
            ..Self::new(self.arms)
        })
    }
}

/// The estimate of the standard error at which a fit is fine enough: 16 batches tell it up to a
/// fifth, and it is to be at most [`Paired::ERROR`].
const AIM: f64 = 0.8 * Paired::ERROR;

/// Least number of sweeps of what is printed. With fewer, draws in which an unlikely arm is best may all be missing, and
/// the estimate of the error then knows nothing of them.
const FEWEST: usize = 2500;

/// Least and greatest number of sweeps of a finer fit, in multiples of the last fit's sweeps.
const FINER: [usize; 2] = [2, 4];

/// Draws of the means from each sweep of a finer fit.
const PER_FINER_SWEEP: usize = 4;

/// Numbers that a fit may keep at most: 80 MB, whatever the number of scores.
const MOST_NUMBERS: f64 = 1e7;

/// Multiplications that a fit may cost at most, which take a second or two.
const MOST_OPERATIONS: f64 = 1.5e9;

#[cfg(test)]
mod tests;
