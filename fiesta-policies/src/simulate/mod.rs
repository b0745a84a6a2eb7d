//! Simulations of studies: many runs of a policy on a problem whose best arm is known.
//!
//! Every run drives a [`Selector`] of its own, exactly as a study does, over workers that live on a
//! virtual clock. Each run has its own random streams: results depend on the seed, not on the
//! number of threads.

pub mod battery;
mod milestones;
mod problem;
mod summary;
mod workers;

pub use problem::{
    Divergence, Gaussian, GaussianError, ItemResponse, ItemResponseError, Noise, Observations,
    Problem, Recorded, RecordedError, RecordedItems, RecordedItemsError, Resolution, Shape,
    Synthetic, SyntheticArm, SyntheticDocuments, SyntheticDocumentsError, SyntheticError,
};
pub use summary::SimulationSummary;
pub use workers::{Durations, UnknownDurations};

use fiesta_core::{
    ArmId, Design, Limits, Observe, Policy, Reason, Selector, SelectorError, StoppingRule, Streams,
    in_parallel,
};
use milestones::{Milestone, Milestones, Noted};
use std::{num::NonZero, ops::Range, thread};
use workers::{Meter, VirtualWorkers};

/// Simulation of a policy: what is run, how often, and how many evaluations are in flight at once.
///
/// # Example
/// How many evaluations does top-two Thompson sampling need for two Gaussian arms?
/// ```
/// use fiesta_policies::{TopTwo, simulate::{Gaussian, Simulation}, stopping::PosteriorThreshold};
/// use fiesta_posterior::GaussianArms;
///
/// let problem = Gaussian::new([(0.60, 0.03), (0.65, 0.03)])?;
/// let summaries = Simulation::new(&problem, 200).confidence(
///     GaussianArms::pooled,
///     TopTwo::thompson,
///     &[|| PosteriorThreshold::new(0.9).unwrap()],
/// )?;
/// assert!(summaries[0].correct > 0.85);
/// assert!(summaries[0].mean < 30.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Simulation<'a, O = f64> {
    problem: &'a dyn Problem<O>,
    runs: u64,
    seed: u64,
    design: Design,
    repeats: bool,
    workers: usize,
    durations: Durations,
    cap: Option<u64>,
    threads: usize,
}

/// Function that makes a posterior over a number of arms.
pub type MakePosterior<'a, O = f64> = &'a (dyn Fn(usize) -> Box<dyn Observe<O>> + Sync);
/// Function that makes a policy.
pub type MakePolicy<'a> = &'a (dyn Fn() -> Box<dyn Policy> + Sync);
/// Function that makes a stopping rule.
pub type MakeRule<'a, O = f64> = Box<dyn Fn() -> Box<dyn StoppingRule<O>> + Sync + 'a>;

/// Ending of a simulated run, at the stop of one of its rules.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ending {
    at: Milestone,
    /// Whether the recommended arm is best.
    correct: bool,
    /// Whether the verdict of the run is true: [`Simulation::holds`].
    holds: bool,
    end: End,
}

/// Reason why a simulated run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The stopping rule stopped the run, or its budget or schedule was complete.
    Goal,
    /// The stopping rule stopped the run, as arms could not be told apart.
    Tied,
    /// The run reached the largest number of evaluations.
    Cap,
    /// The run ended as no arm had a document left.
    Exhausted,
}

impl<'a, O: Copy + 'static> Simulation<'a, O> {
    /// Returns a simulation of `runs` runs on a problem: sequential, shared splits, seed 0, with
    /// the cap of evaluations that studies have by default ([`Limits::by_default`]), on all
    /// processors.
    pub fn new(problem: &'a dyn Problem<O>, runs: u64) -> Self {
        Self {
            problem,
            runs,
            seed: 0,
            design: Design::Shared,
            repeats: false,
            workers: 1,
            durations: Durations::Constant,
            cap: None,
            threads: thread::available_parallelism().map_or(1, NonZero::get),
        }
    }

    /// Sets the seed of all runs.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets which splits evaluations get.
    pub fn design(mut self, design: Design) -> Self {
        self.design = design;
        self
    }

    /// Sets whether an arm may be asked an item of a pool again
    /// ([`SelectorBuilder::repeats`](fiesta_core::SelectorBuilder::repeats)).
    pub fn repeats(mut self, repeats: bool) -> Self {
        self.repeats = repeats;
        self
    }

    /// Sets how many evaluations run at once, with these durations. Constant durations end
    /// together: synchronous batches.
    pub fn workers(mut self, workers: usize, durations: Durations) -> Self {
        self.workers = workers.max(1);
        self.durations = durations;
        self
    }

    /// Limits the evaluations of a run.
    pub fn cap(mut self, cap: u64) -> Self {
        self.cap = Some(cap);
        self
    }

    /// Returns the number of evaluations after which a run is given up without its confidence.
    /// `None` if the documents are all the limit.
    pub fn gives_up_after(&self) -> Option<u64> {
        let arms = self.problem.arms().len();
        let default = match self.design {
            Design::Items { count } if self.repeats => Limits::by_default_with_repeats(arms, count),
            design => Limits::by_default(arms, design),
        };
        self.cap.or(default.evaluations)
    }

    /// Sets the number of threads. The results do not depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Runs until each of the rules has stopped, and sums up per rule.
    ///
    /// A policy does not know the stopping rule, so that one run serves all rules: each sees the
    /// same looks as if it were alone.
    ///
    /// # Errors
    /// [`SelectorError`] if a policy misbehaves.
    pub fn confidence<
        B: Observe<O> + 'static,
        P: Policy + 'static,
        R: StoppingRule<O> + 'static,
    >(
        &self,
        posterior: impl Fn(usize) -> B + Sync,
        policy: impl Fn() -> P + Sync,
        rules: &[impl Fn() -> R + Sync],
    ) -> Result<Vec<SimulationSummary>, SelectorError> {
        let limits = Limits {
            evaluations: self.gives_up_after(),
            ..Limits::default()
        };
        // One run until each of these rules has stopped; of every rule its ending, and whether the
        // others disturbed it.
        let until = |number, places: Range<usize>| -> Result<_, SelectorError> {
            let meter = Meter::default();
            let made = rules[places].iter().map(|make| make());
            let (rule, record) = Milestones::new(made.collect(), meter.clone());
            let (last, reason) = self.run(number, &posterior, &policy, rule, limits, &meter)?;
            let short = match reason {
                Reason::Exhausted => End::Exhausted,
                _ => End::Cap,
            };
            let ending = |noted: Noted| {
                let at = noted.reached.unwrap_or(last);
                let end = match noted.reached {
                    None => short,
                    Some(_) if noted.tie.is_some() => End::Tied,
                    Some(_) => End::Goal,
                };
                let ending = Ending {
                    at,
                    correct: self.problem.is_best(at.arm),
                    holds: self.holds(at.arm, noted.tie.as_ref()),
                    end,
                };
                (ending, noted.disturbed)
            };
            Ok(record.take().into_iter().map(ending).collect::<Vec<_>>())
        };
        self.summarise(rules.len(), |number| {
            let together = until(number, 0..rules.len())?.into_iter().enumerate();
            together
                .map(|(place, (ending, disturbed))| {
                    if disturbed {
                        Ok(until(number, place..place + 1)?[0].0)
                    } else {
                        Ok(ending)
                    }
                })
                .collect()
        })
    }

    /// Runs until the budget is spent or the policy's schedule is complete.
    ///
    /// # Errors
    /// [`SelectorError`] if a policy misbehaves.
    pub fn budget<B: Observe<O> + 'static, P: Policy + 'static>(
        &self,
        posterior: impl Fn(usize) -> B + Sync,
        policy: impl Fn() -> P + Sync,
        budget: u64,
    ) -> Result<SimulationSummary, SelectorError> {
        let limits = Limits {
            evaluations: Some(budget),
            ..Limits::default()
        };
        let summaries = self.summarise(1, |number| {
            let never = crate::stopping::Never;
            let (at, reason) = self.run(
                number,
                &posterior,
                &policy,
                never,
                limits,
                &Meter::default(),
            )?;
            Ok(vec![Ending {
                at,
                correct: self.problem.is_best(at.arm),
                holds: self.problem.is_best(at.arm),
                end: match reason {
                    Reason::Exhausted => End::Exhausted,
                    _ => End::Goal,
                },
            }])
        })?;
        Ok(summaries[0].clone())
    }

    /// Whether a verdict is true. A named arm has to be best. Of arms that are called equal within
    /// a distance, one has to be best, and none may be farther than that below it.
    fn holds(&self, arm: ArmId, tie: Option<&(f64, Vec<ArmId>)>) -> bool {
        let Some((distance, arms)) = tie else {
            return self.problem.is_best(arm);
        };
        let is_near = |&arm: &ArmId| self.problem.shortfall(arm) <= *distance;
        arms.iter().any(|&arm| self.problem.is_best(arm)) && arms.iter().all(is_near)
    }

    /// Simulates one run, and returns where it ended, and why.
    fn run<B: Observe<O> + 'static, P: Policy + 'static>(
        &self,
        number: u64,
        posterior: impl Fn(usize) -> B,
        policy: impl Fn() -> P,
        rule: impl StoppingRule<O> + 'static,
        limits: Limits,
        meter: &Meter,
    ) -> Result<(Milestone, Reason), SelectorError> {
        let streams = Streams::new(self.seed);
        let arms = self.problem.arms().clone();
        let posterior = posterior(arms.len());
        let mut workers = VirtualWorkers {
            problem: self.problem,
            observations: self.problem.observations(self.design, &streams, number),
            slots: self.workers,
            durations: self.durations,
            rng: streams.durations(number),
            meter: meter.clone(),
            now: 0.0,
            running: Vec::with_capacity(self.workers),
        };
        let mut selector = Selector::builder(arms, posterior, policy(), rule)
            .design(self.design)
            .repeats(self.repeats)
            .limits(limits)
            .seed(streams.run_seed(number))
            .unconfirmed()
            .build()?;
        let conclusion = selector.drive(&mut workers)?;
        let last = Milestone::now(conclusion.arm, &selector.view(), meter);
        Ok((last, conclusion.reason))
    }

    fn summarise(
        &self,
        width: usize,
        run: impl Fn(u64) -> Result<Vec<Ending>, SelectorError> + Sync,
    ) -> Result<Vec<SimulationSummary>, SelectorError> {
        let endings = in_parallel(self.runs, self.threads, || (), |(), number| run(number))?;
        Ok((0..width)
            .map(|column| endings.iter().map(|endings| endings[column]).collect())
            .collect())
    }
}
