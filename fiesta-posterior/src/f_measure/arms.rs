//! Posterior of all systems' F-measures.

use super::{
    Concentration, Measure, Prior, WeightedDraws,
    best::{best, within},
    concentration::{self, Node, ln_alpha},
    draws::Population,
    system::System,
    unseen_items::UnseenItems,
};
use fiesta_core::{
    ArmId, Belief, Case, Counts, Marginal, Method, Observe, ObserveError, Posterior, Streams,
};
use rand::{Rng, RngExt, rngs::ChaCha8Rng};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

/// Number of independent trials: a system is settled once its F is known as well as a probability
/// is from them. With documents that differ a lot the first of them easily look more alike than
/// they are, and beliefs are too sure (docs/haffari.md has figures).
const TRIALS: f64 = 50.0;
/// Effective draws of each system unless another number is asked for.
const DRAWS: usize = 2000;

/// Systems that are compared by a function of θ, F₁ unless said otherwise, from counts of
/// documents.
///
/// P(best) is computed from weighted draws of each system: Σ_i w_i Π_{j≠k} F_j(x_i), F_j being the
/// distribution function of the draws of system j. Its standard error is at most √(p(1 − p)/n) for
/// n effective draws. The draws are a function of the seed and of the counts: the same observations
/// give the same beliefs.
///
/// A document without any counts tells nothing; it counts as observed.
///
/// # Example
/// ```
/// use fiesta_core::{ArmId, Posterior, Case, Counts, Observe};
/// use fiesta_posterior::FMeasureArms;
///
/// let mut posterior = FMeasureArms::new(2);
/// let documents = [
///     [[12, 3, 80, 2], [7, 5, 60, 1], [20, 4, 90, 3]],
///     [[9, 6, 77, 5], [6, 6, 59, 2], [14, 9, 85, 9]],
/// ];
/// for (arm, documents) in ArmId::all(2).zip(documents) {
///     for (document, cells) in (0..).zip(documents) {
///         let case = Case { split: document, seed: 0 };
///         posterior.observe(arm, case, Counts::from_cells(cells))?;
///     }
/// }
/// let arms: Vec<ArmId> = ArmId::all(2).collect();
/// let belief = posterior.belief(&arms);
/// assert!(belief.of(ArmId::new(0)) > 0.9);
/// let f = posterior.summary(ArmId::new(0), 10_000).unwrap();
/// assert!((f.mean - 0.78).abs() < 0.01);
/// # Ok::<(), fiesta_core::ObserveError>(())
/// ```
pub struct FMeasureArms {
    systems: Vec<Mutex<System>>,
    measure: Measure,
    concentration: Concentration,
    draws: usize,
    documents: Option<u64>,
    streams: Streams,
    /// Draws of each system, at each concentration, made since its last document.
    populations: Vec<Mutex<BTreeMap<Option<Node>, Arc<Population>>>>,
    mixture: OnceLock<Vec<Stratum>>,
}

/// Stratum of the posterior: a value of what the systems have in common, given which they are
/// independent.
struct Stratum {
    probability: f64,
    systems: Vec<Arc<Population>>,
}

impl Stratum {
    fn of(&self, arms: &[ArmId]) -> Vec<&Population> {
        arms.iter().map(|arm| &*self.systems[arm.index()]).collect()
    }
}

impl FMeasureArms {
    /// Returns a posterior of this many systems: F₁, the default prior of θ, a concentration of its
    /// own for each system, learned.
    pub fn new(arms: usize) -> Self {
        let prior = Prior::default();
        Self {
            systems: (0..arms).map(|_| Mutex::new(System::new(prior))).collect(),
            measure: Measure::default(),
            concentration: Concentration::default(),
            draws: DRAWS,
            documents: None,
            streams: Streams::new(0),
            populations: (0..arms).map(|_| Mutex::default()).collect(),
            mixture: OnceLock::new(),
        }
    }

    /// Sets the measure by which systems are compared.
    pub fn measure(mut self, measure: Measure) -> Self {
        self.measure = measure;
        self
    }

    /// Sets another prior of θ, before any observation.
    pub fn prior(mut self, prior: Prior) -> Self {
        self.systems = self
            .systems
            .iter()
            .map(|_| Mutex::new(System::new(prior)))
            .collect();
        self
    }

    /// Sets whether the concentration is known, or how it is learned.
    pub fn concentration(mut self, concentration: Concentration) -> Self {
        self.concentration = concentration;
        self
    }

    /// Sets the number of effective draws of each system, at least 1.
    pub fn draws(mut self, draws: usize) -> Self {
        self.draws = draws.max(1);
        self
    }

    /// Sets the seed of the draws.
    pub fn seed(mut self, seed: u64) -> Self {
        self.streams = Streams::new(seed);
        self
    }

    /// Asks which system is best on a collection of `documents` documents: what was observed is
    /// known, only the rest is uncertain, and once all have been observed a system's value is known
    /// exactly. Without this setting the question is about the θ from which documents come.
    pub fn documents(mut self, documents: u64) -> Self {
        self.documents = Some(documents);
        self
    }

    /// Returns the sums of a system's counts. `None` if there is no such arm.
    pub fn sums(&self, arm: ArmId) -> Option<Counts> {
        Some(*lock(self.systems.get(arm.index())?).sums())
    }

    /// Draws (θ, α) of one system, as a rule worth at least `effective` independent draws; 0 counts
    /// as 1. They do not depend on the draws of beliefs. `None` if there is no such arm.
    pub fn sample(
        &self,
        arm: ArmId,
        effective: usize,
        rng: &mut impl Rng,
    ) -> Option<WeightedDraws> {
        let exists = arm.index() < self.systems.len();
        exists.then(|| self.draws_of(arm, effective.max(1), rng))
    }

    /// Summarises what is known of one system's measure, from `effective` effective draws. `None` if
    /// there is no such arm.
    pub fn summary(&self, arm: ArmId, effective: usize) -> Option<super::PosteriorSummary> {
        if let Some(value) = self.exact(arm) {
            return Some(Population::exact(value).summary());
        }
        let draws = self.sample(arm, effective, &mut self.stream(arm, None))?;
        Some(draws.summary(|theta, _| self.of(theta)))
    }

    fn system(&self, arm: ArmId) -> MutexGuard<'_, System> {
        lock(&self.systems[arm.index()])
    }

    fn draws_of(&self, arm: ArmId, effective: usize, rng: &mut impl Rng) -> WeightedDraws {
        let nodes: Vec<(f64, f64)> = match self.concentration {
            Concentration::Fixed(alpha) => vec![(alpha.ln(), 1.0)],
            Concentration::Learned => on_lattice(self.system(arm).concentration()),
            Concentration::Shared => on_lattice(self.shared()),
        };
        self.system(arm).draws(&nodes, effective, rng)
    }

    /// Returns the exact value of a system whose documents have all been observed. `None` for any other system.
    fn exact(&self, arm: ArmId) -> Option<f64> {
        let system = lock(self.systems.get(arm.index())?);
        (Some(system.documents) == self.documents).then(|| self.measure.of_counts(system.sums()))?
    }

    /// Returns the part of the collection that a system has not seen.
    fn unseen_items(&self, arm: ArmId) -> Option<UnseenItems> {
        let system = self.system(arm);
        UnseenItems::new(system.sums(), system.documents, self.documents?)
    }

    /// Returns the value of the measure at θ; 0 where all amounts that it depends on are below the
    /// smallest number.
    pub fn of(&self, theta: &[f64; 4]) -> f64 {
        let value = self.measure.of(theta);
        if value.is_nan() { 0.0 } else { value }
    }

    fn stream(&self, arm: ArmId, node: Option<Node>) -> ChaCha8Rng {
        let documents = self.documents_of(arm);
        let node = node.map_or(0, |node| u64::from(node) + 1);
        self.streams
            .draws(((arm.index() as u64) << 40) ^ (documents << 12) ^ node)
    }

    /// Returns the posterior of the concentration that all systems have in common.
    fn shared(&self) -> Vec<(Node, f64)> {
        let of_all = |node| {
            let evidence = |system: &Mutex<System>| lock(system).ln_evidence(node);
            self.systems.iter().map(evidence).sum()
        };
        concentration::posterior(of_all)
    }

    /// Returns the draws of a system: at a node of the lattice if α is shared, else over all α.
    fn population(&self, arm: ArmId, node: Option<Node>) -> Arc<Population> {
        let mut kept = lock(&self.populations[arm.index()]);
        let make = || {
            if let Some(value) = self.exact(arm) {
                return Arc::new(Population::exact(value));
            }
            let mut rng = self.stream(arm, node);
            let draws = match node {
                Some(node) => self.system(arm).draws(
                    &[(ln_alpha(node), 1.0)],
                    self.draws.div_ceil(4),
                    &mut rng,
                ),
                None => self.draws_of(arm, self.draws, &mut rng),
            };
            let unseen = self.unseen_items(arm);
            let values = draws
                .iter()
                .map(|(theta, alpha, weight)| match &unseen {
                    Some(items) => (self.of(&items.amounts(&theta, alpha, &mut rng)), weight),
                    None => (self.of(&theta), weight),
                })
                .collect();
            Arc::new(Population::new(values))
        };
        Arc::clone(kept.entry(node).or_insert_with(make))
    }

    fn mixture(&self) -> &[Stratum] {
        self.mixture.get_or_init(|| {
            let nodes = match self.concentration {
                Concentration::Shared => self
                    .shared()
                    .into_iter()
                    .map(|(node, p)| (Some(node), p))
                    .collect(),
                Concentration::Learned | Concentration::Fixed(_) => vec![(None, 1.0)],
            };
            nodes
                .into_iter()
                .map(|(node, probability)| Stratum {
                    probability,
                    systems: ArmId::all(self.systems.len())
                        .map(|arm| self.population(arm, node))
                        .collect(),
                })
                .collect()
        })
    }

    /// Returns those of `arms` that the posterior has.
    fn existing(&self, arms: &[ArmId]) -> Vec<ArmId> {
        let exists = |arm: &ArmId| arm.index() < self.systems.len();
        arms.iter().copied().filter(exists).collect()
    }

    /// Mean and variance of a system's measure.
    fn moments(&self, arm: ArmId) -> (f64, f64) {
        let parts = || {
            self.mixture()
                .iter()
                .map(|stratum| (stratum.probability, &stratum.systems[arm.index()]))
        };
        let mean: f64 = parts().map(|(p, population)| p * population.mean).sum();
        let variance = parts()
            .map(|(p, population)| p * (population.variance + (population.mean - mean).powi(2)))
            .sum();
        (mean, variance)
    }

    /// Returns how many documents of a system were observed; 0 if there is no such arm.
    fn documents_of(&self, arm: ArmId) -> u64 {
        self.systems
            .get(arm.index())
            .map_or(0, |system| lock(system).documents)
    }

    fn has_documents(&self, arm: ArmId) -> bool {
        self.documents_of(arm) > 0
    }
}

/// Locks cached values of the posterior, also after an [interrupted](fiesta_core::Interrupt)
/// computation: the values are whole after every step.
fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

fn on_lattice(nodes: Vec<(Node, f64)>) -> Vec<(f64, f64)> {
    nodes
        .into_iter()
        .map(|(node, p)| (ln_alpha(node), p))
        .collect()
}

impl Posterior for FMeasureArms {
    fn arms(&self) -> usize {
        self.systems.len()
    }

    /// Returns the number of documents that a system needs: 1, as the prior is proper.
    fn required(&self, _arm: ArmId) -> u64 {
        1
    }

    /// Returns the posterior mean of a system's measure.
    fn mean(&self, arm: ArmId) -> Option<f64> {
        self.has_documents(arm).then(|| self.moments(arm).0)
    }

    /// Returns the normal distribution with the posterior's mean and variance, for policies that
    /// use bounds and distances. Draws and beliefs do not use it.
    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        self.has_documents(arm).then(|| {
            let (location, variance) = self.moments(arm);
            Marginal::normal(location, variance.sqrt().max(f64::MIN_POSITIVE))
        })
    }

    fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
        let (a, b) = (self.marginal(a)?, self.marginal(b)?);
        let location = a.location - b.location;
        Some(Marginal::normal(location, a.scale.hypot(b.scale)))
    }

    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        let mut left: f64 = rng.random();
        let mixture = self.mixture();
        let stratum = mixture.iter().find(|stratum| {
            left -= stratum.probability;
            left < 0.0
        });
        let systems = &stratum.unwrap_or(&mixture[mixture.len() - 1]).systems;
        for ((mean, population), arm) in
            means.iter_mut().zip(systems).zip(ArmId::all(systems.len()))
        {
            *mean = if self.has_documents(arm) {
                population.pick(rng.random())
            } else {
                f64::NEG_INFINITY
            };
        }
    }

    fn belief(&self, candidates: &[ArmId]) -> Belief {
        let mut belief = Belief::nothing(self.arms(), Method::MonteCarlo);
        let candidates = &self.existing(candidates);
        for arm in candidates {
            belief.shortfall[arm.index()] = 0.0;
        }
        let mut effective = f64::INFINITY;
        for stratum in self.mixture() {
            let populations = stratum.of(candidates);
            let (probability, maximum) = best(&populations);
            for ((arm, p), population) in candidates.iter().zip(probability).zip(&populations) {
                let short = (maximum - population.mean).max(0.0);
                belief.probability[arm.index()] += stratum.probability * p;
                belief.shortfall[arm.index()] += stratum.probability * short;
            }
            effective = populations
                .iter()
                .map(|population| population.effective)
                .fold(effective, f64::min);
        }
        let error = |&p: &f64| (p * (1.0 - p) / effective).sqrt();
        belief.absolute_error = belief.probability.iter().map(error).fold(0.0, f64::max);
        belief
    }

    fn within(&self, arm: ArmId, margin: f64, candidates: &[ArmId]) -> f64 {
        let candidates = &self.existing(candidates);
        let Some(place) = candidates.iter().position(|&candidate| candidate == arm) else {
            return 0.0;
        };
        let of = |stratum: &Stratum| {
            let populations = stratum.of(candidates);
            stratum.probability * within(&populations, place, margin)
        };
        self.mixture().iter().map(of).sum()
    }

    /// Tells whether m(1 − m)/v ≥ 50 for the posterior mean m and variance v: F is then known as
    /// well as a probability from 50 trials. Another function of θ than a share of something is
    /// always settled.
    fn settled(&self, arm: ArmId) -> bool {
        if matches!(self.measure, Measure::Function(_)) {
            return true;
        }
        if arm.index() >= self.systems.len() {
            return false;
        }
        let (mean, variance) = self.moments(arm);
        mean * (1.0 - mean) >= TRIALS * variance
    }

    /// Returns the variances of differences that are foreseen. Each system's variance shrinks as
    /// one over the number of its documents, and with the unseen part of a collection.
    fn variances(&self, from: ArmId, extra: &[(ArmId, Case)]) -> Option<Vec<f64>> {
        self.has_documents(from).then(|| {
            let of = |arm: ArmId| {
                if !self.has_documents(arm) {
                    return f64::INFINITY;
                }
                let known = self.documents_of(arm) as f64;
                let more = extra.iter().filter(|(other, _)| *other == arm).count() as f64;
                let unseen = self.documents.map_or(1.0, |collection| {
                    let rest = (collection as f64 - known).max(f64::MIN_POSITIVE);
                    ((rest - more) / rest).max(0.0)
                });
                self.moments(arm).1 * known / (known + more) * unseen
            };
            let own = of(from);
            ArmId::all(self.arms())
                .map(|arm| if arm == from { 0.0 } else { of(arm) + own })
                .collect()
        })
    }
}

impl Observe<Counts> for FMeasureArms {
    fn observe(&mut self, arm: ArmId, _case: Case, counts: Counts) -> Result<(), ObserveError> {
        if let Some(&count) = counts
            .cells()
            .iter()
            .find(|&&count| count > Counts::LARGEST)
        {
            return Err(ObserveError::TooManyCounts(count));
        }
        let system = self
            .systems
            .get_mut(arm.index())
            .ok_or(ObserveError::NoSuchArm(arm.index()))?;
        lock(system).add(&counts);
        lock(&self.populations[arm.index()]).clear();
        self.mixture = OnceLock::new();
        Ok(())
    }
}
