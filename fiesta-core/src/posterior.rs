//! Traits of posteriors: joint distributions of the arms' mean performances.

use crate::{ArmId, Belief, Case, Claim, DistanceClaim, Marginal, in_digits};
use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};

/// A joint distribution of the arms' mean performances, where larger is always better.
/// Object-safe.
///
/// Three methods are required: what is known of one arm, and draws of all. The others have
/// definitions that hold for every posterior whose arms are independent, by 4096 joint draws
/// (standard error at most 0.008) where there is no closed form; a posterior that knows better
/// (dependence between arms, an integral instead of draws) says so. To be used in a selection it
/// also learns from scores or counts: [`Observe`].
///
/// Of an arm that there is not, nothing is known: its [`marginal`](Self::marginal) is `None`, and its
/// probability 0. Several threads may ask one posterior at a time.
///
/// # Example
/// Successes and failures under the prior Beta(1, 1), its marginals by their normal approximation:
/// ```
/// use fiesta_core::{ArmId, Case, Marginal, Observe, ObserveError, Posterior};
/// use rand::Rng;
///
/// struct Beta(Vec<[f64; 2]>);
///
/// impl Beta {
///     fn moments(&self, arm: ArmId) -> (f64, f64) {
///         let [a, b] = self.0[arm.index()];
///         let mean = a / (a + b);
///         (mean, (mean * (1.0 - mean) / (a + b + 1.0)).sqrt())
///     }
/// }
///
/// impl Posterior for Beta {
///     fn arms(&self) -> usize {
///         self.0.len()
///     }
///
///     fn marginal(&self, arm: ArmId) -> Option<Marginal> {
///         let (location, scale) = self.moments(arm);
///         Some(Marginal { location, scale, degrees_of_freedom: f64::INFINITY })
///     }
///
///     fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
///         for (arm, mean) in ArmId::all(self.0.len()).zip(means) {
///             let (location, scale) = self.moments(arm);
///             // A sum of twelve uniform numbers is nearly normal.
///             let uniform = |_| rng.next_u32() as f64 / u32::MAX as f64;
///             *mean = location + scale * ((0..12).map(uniform).sum::<f64>() - 6.0);
///         }
///     }
/// }
///
/// impl Observe<f64> for Beta {
///     fn observe(&mut self, arm: ArmId, _: Case, score: f64) -> Result<(), ObserveError> {
///         self.0[arm.index()][usize::from(score < 0.5)] += 1.0;
///         Ok(())
///     }
/// }
///
/// let mut posterior = Beta(vec![[1.0, 1.0]; 2]);
/// let (good, bad) = (ArmId::new(0), ArmId::new(1));
/// for split in 0..20 {
///     let case = Case { split, seed: 0 };
///     posterior.observe(good, case, 1.0)?;
///     posterior.observe(bad, case, f64::from(split % 2 == 0))?;
/// }
/// assert_eq!(posterior.required(good), 1);
/// assert!(posterior.mean(good) > posterior.mean(bad));
/// assert!(posterior.difference(good, bad).is_some_and(|gap| gap.location > 3.0 * gap.scale));
/// let belief = posterior.belief(&[good, bad]);
/// assert!(belief.of(good) > 0.99);
/// assert!(posterior.within(bad, 0.9, &[good, bad]) > 0.99);
/// # Ok::<(), ObserveError>(())
/// ```
pub trait Posterior: Send + Sync {
    /// Returns the number of arms, K.
    fn arms(&self) -> usize;

    /// Returns the distribution of an arm's mean. `None` with fewer than the required observations.
    fn marginal(&self, arm: ArmId) -> Option<Marginal>;

    /// Draws all means jointly, into a slice of length K; −∞ for arms without the required observations.
    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]);

    /// Returns how many observations of this arm are needed, given those made so far, before
    /// [`marginal`] is defined; one by default. It may grow: scores that are all equal say nothing
    /// of their spread.
    ///
    /// [`marginal`]: Posterior::marginal
    fn required(&self, arm: ArmId) -> u64 {
        let _ = arm;
        1
    }

    /// Returns the point estimate of an arm's mean, by default the location of its marginal. `None`
    /// before its first observation.
    fn mean(&self, arm: ArmId) -> Option<f64> {
        Some(self.marginal(arm)?.location)
    }

    /// Returns the distribution of mean(a) − mean(b), by default of independent arms
    /// ([`Marginal::minus`]). `None` unless both have the required observations.
    fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
        Some(self.marginal(a)?.minus(&self.marginal(b)?))
    }

    /// Returns the item that `leader` has answered and `arm` can be asked whose answer tells most
    /// of which of the two is better. `None` if there is no such item, or if the posterior sees no
    /// difference between items, as by default.
    fn telling_item(&self, leader: ArmId, arm: ArmId, askable: Askable<'_>) -> Option<u64> {
        let _ = (leader, arm, askable);
        None
    }

    /// Returns which of two arms is asked next, and on which item, where an answer tells most of
    /// which of the two is better for what it costs. `None` if nothing can be asked of the two, or
    /// if the posterior leaves that to the policy, as by default: one of several benchmarks knows
    /// how much each benchmark counts. The items are those that `leader` and `rival` can be asked.
    fn telling_evaluation(
        &self,
        leader: ArmId,
        rival: ArmId,
        askable: [Askable<'_>; 2],
    ) -> Option<(ArmId, u64)> {
        let _ = (leader, rival, askable);
        None
    }

    /// Returns P(best) and the expected shortfall of each of the `candidates`, all of which have
    /// the required observations; 0 and ∞ for the others. By default the frequency of each among
    /// joint draws, the first of equals, and the mean of how far it lies below the highest.
    fn belief(&self, candidates: &[ArmId]) -> Belief {
        belief_by_draws(self, 1, candidates, None)
    }

    /// Returns P(among the `top` best) of each of the `candidates`, and how far each is expected to
    /// lie below the last of these, if the mean of the `favoured` arm were larger by so much. With
    /// `top` = 1 and no favoured arm it is the [`belief`](Self::belief), else by default the
    /// frequency among joint draws.
    fn belief_of_top(
        &self,
        top: usize,
        candidates: &[ArmId],
        favoured: Option<(ArmId, f64)>,
    ) -> Belief {
        if top == 1 && favoured.is_none() {
            return self.belief(candidates);
        }
        belief_by_draws(self, top, candidates, favoured)
    }

    /// Returns this posterior computed with a smaller Monte Carlo error. `None` if this one is as
    /// accurate as what is printed. A stop on this posterior has to be confirmed by the finer ones.
    fn finer(&self) -> Option<&dyn Posterior> {
        None
    }

    /// Returns P(no candidate's mean exceeds that of `arm` by more than `margin`); with margin 0
    /// its P(best). With a margin that is no finite number it is 1 for ∞, else 0. All candidates have
    /// the required observations. By default the frequency among
    /// joint draws.
    fn within(&self, arm: ArmId, margin: f64, candidates: &[ArmId]) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut means = vec![0.0; self.arms()];
        if arm.index() >= means.len() {
            return 0.0;
        }
        let mut within = 0_u64;
        for _ in 0..DRAWS {
            self.draw(&mut rng, &mut means);
            let most = means[arm.index()] + margin;
            let exceeds = |other: &ArmId| means.get(other.index()).is_some_and(|mean| *mean > most);
            within += u64::from(!candidates.iter().any(exceeds));
        }
        within as f64 / DRAWS as f64
    }

    /// Returns which of the candidates can be named, and how often that would be wrong if somebody
    /// looks after every observation. A named candidate may be worse than the best by `margin`.
    /// `None` by default: what a posterior says otherwise does not account for the looks.
    fn claim(&self, margin: f64, candidates: &[ArmId]) -> Option<Claim> {
        let _ = (margin, candidates);
        None
    }

    /// Returns which `top` of the candidates can be named as the best ones, as [`claim`](Self::claim)
    /// does for one. `None` by default for more than one.
    fn claim_of_top(&self, top: usize, margin: f64, candidates: &[ArmId]) -> Option<Claim> {
        (top == 1).then(|| self.claim(margin, candidates))?
    }

    /// Returns whether the mean of `one` is at most `distance` below that of `other`, 0 or more, and how often that
    /// would be wrong if somebody looks after every observation. `None` by default, as [`claim`](Self::claim) is, and
    /// without the required observations.
    fn claim_of_distance(&self, one: ArmId, other: ArmId, distance: f64) -> Option<DistanceClaim> {
        let _ = (one, other, distance);
        None
    }

    /// Returns the variance of the difference between one evaluation of `a` and one of `b`, on a
    /// case that both have where they share cases. `None` without the required observations.
    /// `observed` says how many of either there are. By default that of independent arms,
    /// s_a²·n_a + s_b²·n_b with the scales s of their [marginals](Self::marginal).
    fn evaluation_variance(&self, a: ArmId, b: ArmId, observed: [u64; 2]) -> Option<f64> {
        let of = |arm, count: u64| {
            let marginal = self.marginal(arm)?;
            Some(marginal.scale * marginal.scale * count as f64)
        };
        Some(of(a, observed[0])? + of(b, observed[1])?)
    }

    /// Whether an arm is known well enough to stop on what is believed of it. What a posterior says
    /// of an arm may be right on average and yet too sure where it is looked at again and again
    /// from the very beginning.
    fn settled(&self, arm: ArmId) -> bool {
        let _ = arm;
        true
    }

    /// The variance of mean(a) − mean(`from`) for every arm a, as it is foreseen to be once the
    /// `extra` evaluations have been observed as well: what they will show is unknown, how precise
    /// it will be is not. ∞ for an arm without the required observations, none if `from` is without
    /// them. A posterior that cannot look ahead ignores `extra`.
    fn variances(&self, from: ArmId, extra: &[(ArmId, Case)]) -> Option<Vec<f64>> {
        let _ = extra;
        self.marginal(from)?;
        let of = |arm| {
            if arm == from {
                return 0.0;
            }
            self.difference(arm, from)
                .map_or(f64::INFINITY, |difference| {
                    difference.scale * difference.scale
                })
        };
        Some(ArmId::all(self.arms()).map(of).collect())
    }
}

/// Returns the belief of [`Posterior::belief_of_top`] by 4096 joint draws, whose standard errors are
/// at most 0.008.
pub fn belief_by_draws(
    posterior: &(impl Posterior + ?Sized),
    top: usize,
    candidates: &[ArmId],
    favoured: Option<(ArmId, f64)>,
) -> Belief {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    Belief::of_top_by_draws(top, posterior.arms(), candidates, DRAWS, |means| {
        posterior.draw(&mut rng, means);
        if let Some((arm, margin)) = favoured
            && let Some(mean) = means.get_mut(arm.index())
        {
            *mean += margin;
        }
    })
}

/// Returns the [finest](Posterior::finer) of a posterior: the one that is printed.
pub fn finest(posterior: &dyn Posterior) -> &dyn Posterior {
    posterior.finer().map_or(posterior, finest)
}

/// Number of joint draws for a probability without a closed form; the standard error is at most 1/(2·√4096).
const DRAWS: u64 = 4096;

/// Items that an arm can be evaluated on, for [`Posterior::telling_item`].
#[derive(Clone, Copy)]
pub struct Askable<'a> {
    /// All items of the pool, in the random order in which arms get them.
    pub order: &'a [u64],
    /// Place in the order of the items before which the arm has had every item.
    pub from: usize,
    /// Whether the arm can be evaluated on an item: it has not had it.
    pub can: &'a dyn Fn(u64) -> bool,
}

/// A posterior that learns from observations of type `O`: scores, or confusion counts.
pub trait Observe<O>: Posterior {
    /// Takes an observation of `arm` on `case` into account.
    ///
    /// # Errors
    /// [`ObserveError`] if the observation cannot be one; the posterior is then unchanged.
    fn observe(&mut self, arm: ArmId, case: Case, observation: O) -> Result<(), ObserveError>;

    /// Takes into account all evaluations that are ever made on one split. The posterior need not
    /// remember that split. Arms, cases and observations are as in [`observe`](Self::observe).
    ///
    /// # Errors
    /// As [`observe`](Self::observe), of the first that is refused; those before it may have been
    /// taken into account.
    fn observe_whole_split(
        &mut self,
        evaluations: &mut dyn Iterator<Item = (ArmId, Case, O)>,
    ) -> Result<(), ObserveError> {
        for (arm, case, observation) in evaluations {
            self.observe(arm, case, observation)?;
        }
        Ok(())
    }
}

/// The reason why a posterior refuses an observation.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObserveError {
    /// The score is NaN or infinite.
    #[error("the score {0} is not a finite number")]
    NotFinite(f64),
    /// The score lies outside the range that the posterior can take.
    #[error("the score {} is refused: {reason}", in_digits(*score))]
    OutOfDomain {
        /// The score that was refused.
        score: f64,
        /// Description of the scores that the posterior takes, and what to do.
        reason: String,
    },
    /// The observation is of another kind than this posterior learns from.
    #[error("{found} were observed where this posterior learns from {expected}")]
    Kind {
        /// Observations that the posterior takes.
        expected: &'static str,
        /// Observation of another type than the posterior takes.
        found: &'static str,
    },
    /// The counts of a document are out of range.
    #[error("the count {0} is refused: the largest that is taken is {max}", max = crate::Counts::LARGEST)]
    TooManyCounts(u64),
    /// The number of the arm is beyond the arms of the posterior.
    #[error("there is no arm number {0}")]
    NoSuchArm(usize),
}

/// Wrapper around a posterior that is a posterior of the same beliefs, such as one that learns from
/// another kind of observation.
pub trait Around: Send + Sync {
    /// The type of the wrapped posterior.
    type Inner: Posterior + ?Sized;

    /// Returns the wrapped posterior.
    fn inner(&self) -> &Self::Inner;
}

impl<T: Posterior + ?Sized> Around for Box<T> {
    type Inner = T;

    fn inner(&self) -> &T {
        self
    }
}

impl<A: Around> Posterior for A {
    fn arms(&self) -> usize {
        self.inner().arms()
    }
    fn required(&self, arm: ArmId) -> u64 {
        self.inner().required(arm)
    }
    fn mean(&self, arm: ArmId) -> Option<f64> {
        self.inner().mean(arm)
    }
    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        self.inner().marginal(arm)
    }
    fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
        self.inner().difference(a, b)
    }
    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        self.inner().draw(rng, means);
    }
    fn belief(&self, candidates: &[ArmId]) -> Belief {
        self.inner().belief(candidates)
    }
    fn finer(&self) -> Option<&dyn Posterior> {
        self.inner().finer()
    }
    fn within(&self, arm: ArmId, margin: f64, candidates: &[ArmId]) -> f64 {
        self.inner().within(arm, margin, candidates)
    }
    fn evaluation_variance(&self, a: ArmId, b: ArmId, observed: [u64; 2]) -> Option<f64> {
        self.inner().evaluation_variance(a, b, observed)
    }
    fn settled(&self, arm: ArmId) -> bool {
        self.inner().settled(arm)
    }
    fn variances(&self, from: ArmId, extra: &[(ArmId, Case)]) -> Option<Vec<f64>> {
        self.inner().variances(from, extra)
    }
    fn claim(&self, margin: f64, candidates: &[ArmId]) -> Option<Claim> {
        self.inner().claim(margin, candidates)
    }
    fn belief_of_top(
        &self,
        top: usize,
        candidates: &[ArmId],
        favoured: Option<(ArmId, f64)>,
    ) -> Belief {
        self.inner().belief_of_top(top, candidates, favoured)
    }
    fn claim_of_top(&self, top: usize, margin: f64, candidates: &[ArmId]) -> Option<Claim> {
        self.inner().claim_of_top(top, margin, candidates)
    }
    fn claim_of_distance(&self, one: ArmId, other: ArmId, distance: f64) -> Option<DistanceClaim> {
        self.inner().claim_of_distance(one, other, distance)
    }
    fn telling_item(&self, leader: ArmId, arm: ArmId, askable: Askable<'_>) -> Option<u64> {
        self.inner().telling_item(leader, arm, askable)
    }
    fn telling_evaluation(
        &self,
        leader: ArmId,
        rival: ArmId,
        askable: [Askable<'_>; 2],
    ) -> Option<(ArmId, u64)> {
        self.inner().telling_evaluation(leader, rival, askable)
    }
}

impl<O, T: Observe<O> + ?Sized> Observe<O> for Box<T> {
    fn observe(&mut self, arm: ArmId, case: Case, observation: O) -> Result<(), ObserveError> {
        (**self).observe(arm, case, observation)
    }

    fn observe_whole_split(
        &mut self,
        evaluations: &mut dyn Iterator<Item = (ArmId, Case, O)>,
    ) -> Result<(), ObserveError> {
        (**self).observe_whole_split(evaluations)
    }
}
