//! Builder of a selector: its parts, cases, limits and seed.

use super::{Selector, SelectorError};
use crate::{
    Arms, Design, FailureLimits, Limits, Observe, Policy, StoppingRule, Streams,
    arm_statistics::ArmStatistics, cases::Cases,
};
use std::cell::OnceCell;

/// Builds a [`Selector`]; by default with shared splits, seed 0 and the default [`FailureLimits`].
pub struct SelectorBuilder<O = f64> {
    arms: Arms,
    beliefs: Box<dyn Observe<O>>,
    policy: Box<dyn Policy>,
    stopping: Box<dyn StoppingRule<O>>,
    design: Design,
    splits: Option<u64>,
    groups: Groups,
    repeats: bool,
    keeps_order: bool,
    limits: Limits,
    seed: u64,
    failure_limits: FailureLimits,
    negligible: f64,
    top: usize,
    costs: Vec<Option<f64>>,
    confirms: bool,
}

/// Groups of the items of a pool, by their numbers.
enum Groups {
    /// The order has of each group about its share; of none, it is random.
    Balanced(Vec<u64>),
    /// The order takes one item of each group in turn.
    InTurns(Vec<u64>),
}

impl<O> SelectorBuilder<O> {
    /// Sets the limits on what the selection may spend; none by default.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets which case each evaluation gets.
    pub fn design(mut self, design: Design) -> Self {
        self.design = design;
        self
    }

    /// Sets how many splits there are, numbered from 0; any number by default. With
    /// [`Design::Shared`] every arm can be evaluated on each of them, with [`Design::Independent`]
    /// each is for one evaluation of any arm. Without effect on other designs.
    pub fn splits(mut self, splits: Option<u64>) -> Self {
        self.splits = splits;
        self
    }

    /// The group of each item of a pool, by its number: their random order is balanced over the
    /// groups, so that every beginning of it has of each about its share. None by default. Without
    /// effect on designs of splits.
    pub fn groups(mut self, groups: Vec<u64>) -> Self {
        self.groups = Groups::Balanced(groups);
        self
    }

    /// Benchmark of each item of a pool, by the item's number: the random order takes one item of
    /// each benchmark in turn, as long as it has any. In place of [groups](Self::groups).
    pub fn benchmarks(mut self, benchmarks: Vec<u64>) -> Self {
        self.groups = Groups::InTurns(benchmarks);
        self
    }

    /// Whether the answers to the items of a pool vary when asked again, and an arm may have an
    /// item more than once, each time with another seed; not by default. Without effect on designs
    /// of splits.
    ///
    /// An arm then never runs out of items: after all of them it goes through their order again. Of
    /// the evaluations that are to be on items which it has not had, one in
    /// [`REPEATS`](crate::REPEATS) is made on one that it has had, the first of them in that order
    /// with the fewest repeats, so that how much answers vary is known. What an evaluation is
    /// seeded with is decided by the arm, the item and how often the arm was asked it; what is
    /// asked for the first time has the seed that it has without repeats.
    pub fn repeats(mut self, repeats: bool) -> Self {
        self.repeats = repeats;
        self
    }

    /// Keeps the random order of the items of a pool although some of them were recorded before the
    /// study; by default arms go through the recorded ones first. A test that supposes that every
    /// order of all items is equally likely then holds whichever items were recorded.
    pub fn keeps_order(mut self, keeps_order: bool) -> Self {
        self.keeps_order = keeps_order;
        self
    }

    /// Ends the selection on the belief by which it chooses, without the
    /// [finer](crate::Posterior::finer) ones: for simulations of thousands of studies, which take a
    /// hundredth of the time, and end a little sooner where the probability is near the confidence.
    pub fn unconfirmed(mut self) -> Self {
        self.confirms = false;
        self
    }

    /// Sets the seed of every random choice.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets how many failures in a row retire an arm.
    pub fn failure_limits(mut self, failure_limits: FailureLimits) -> Self {
        self.failure_limits = failure_limits;
        self
    }

    /// P(best) below which an arm is evaluated no more once the two candidates that are most
    /// probably best have had every split or item (of [`top`](Self::top) best arms, one candidate
    /// more than these): what such an arm would show cannot tell these apart. 0 by default, by which every candidate is evaluated on all of them.
    pub fn negligible(mut self, probability: f64) -> Self {
        self.negligible = probability;
        self
    }

    /// Sets how many of the best arms are to be named together, at least 1; 1 by default. Beliefs and
    /// claims are then about these ([`View::top`](crate::View::top)).
    pub fn top(mut self, top: usize) -> Self {
        self.top = top.max(1);
        self
    }

    /// Sets what an evaluation of each arm is expected to cost before one has ended, where that is
    /// known: a limit of cost then holds from the first evaluation on.
    pub fn expected_costs(mut self, costs: impl IntoIterator<Item = Option<f64>>) -> Self {
        self.costs = costs.into_iter().collect();
        self
    }

    /// Builds the selector.
    ///
    /// # Errors
    /// [`SelectorError::Arms`] if the posterior was made for another number of arms.
    pub fn build(self) -> Result<Selector<O>, SelectorError> {
        if self.beliefs.arms() != self.arms.len() {
            return Err(SelectorError::Arms {
                posterior: self.beliefs.arms(),
                study: self.arms.len(),
            });
        }
        let mut statistics = ArmStatistics::new(self.arms.len(), self.failure_limits);
        for (arm, cost) in statistics.arms.iter_mut().zip(self.costs) {
            arm.declared_cost = cost.filter(|cost| cost.is_finite() && *cost >= 0.0);
        }
        let cases = Cases::new(self.design, self.splits, Streams::new(self.seed));
        let cases = match &self.groups {
            Groups::Balanced(groups) if groups.is_empty() => cases,
            Groups::Balanced(groups) => cases.balanced(groups),
            Groups::InTurns(benchmarks) => cases.in_turns(benchmarks),
        };
        let cases = cases
            .repeating(self.repeats)
            .keeping_order(self.keeps_order);
        Ok(Selector {
            statistics,
            arms: self.arms,
            beliefs: self.beliefs,
            policy: self.policy,
            stopping: self.stopping,
            limits: self.limits,
            negligible: self.negligible,
            top: self.top,
            cases,
            belief: OnceCell::new(),
            belief_of_known: OnceCell::new(),
            conclusion: None,
            confirms: self.confirms,
        })
    }
}

impl<O: Clone> Selector<O> {
    /// Starts building a selector over `arms`.
    pub fn builder(
        arms: Arms,
        posterior: impl Observe<O> + 'static,
        policy: impl Policy + 'static,
        stopping: impl StoppingRule<O> + 'static,
    ) -> SelectorBuilder<O> {
        SelectorBuilder {
            arms,
            beliefs: Box::new(posterior),
            policy: Box::new(policy),
            stopping: Box::new(stopping),
            design: Design::default(),
            splits: None,
            groups: Groups::Balanced(Vec::new()),
            repeats: false,
            keeps_order: false,
            limits: Limits::default(),
            seed: 0,
            failure_limits: FailureLimits::default(),
            negligible: 0.0,
            top: 1,
            costs: Vec::new(),
            confirms: true,
        }
    }
}
