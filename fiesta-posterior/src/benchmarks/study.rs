//! Several benchmarks in a study, which looks after every answer.

use super::{Benchmarks, Sum, Total, believe, front_from, times};
use crate::pool::within;
use fiesta_core::{
    ArmId, Askable, Belief, Case, Claim, Marginal, Method, Observe, ObserveError, Posterior,
};
use rand::Rng;
use std::sync::OnceLock;

/// [`Benchmarks`] of a study, all of them pools: items have numbers over all of them, and what one
/// looks at after every answer is kept in closed form.
///
/// The first benchmark has the items 0 to N_1 − 1, the second the next N_2, and so on. Where few
/// differing items are known, the distribution of a sum is taken as that of two gamma variables,
/// which is not exact and takes a microsecond; its [`finer`](Posterior::finer) posterior is
/// [`Benchmarks`], which confirms a stop.
///
/// Of a leader and a rival, the next answer is asked of the benchmark where it takes most of the
/// variance of their difference for what it costs: w_b²·σ_b²/(n_b·(n_b + 1)) for each unit of cost,
/// with the mean square σ_b² of the differences and n_b items that both answered. If the rival lacks
/// items that the leader has answered there it is asked, and else the leader, whose answer alone
/// tells half.
///
/// # Example
/// ```
/// use fiesta_core::{ArmId, Case, Observe, Posterior};
/// use fiesta_posterior::{Benchmarks, BenchmarksOfStudy, Pool};
/// let arms: Vec<ArmId> = ArmId::all(2).collect();
/// let mut both = BenchmarksOfStudy::new(2);
/// both.add(0.5, 1.0, Pool::new(2, 200));
/// both.add(0.5, 1.0, Pool::new(2, 50));
/// // Item 210 is the tenth of the second benchmark.
/// for item in (0..40).chain(200..240) {
///     for (arm, right) in arms.iter().zip([item % 4 > 0, item % 4 > 1]) {
///         let case = Case { split: item, seed: 0 };
///         both.observe(*arm, case, f64::from(u8::from(right)))?;
///     }
/// }
/// assert!(both.belief(&arms).of(arms[0]) > 0.99);
/// assert_eq!(both.claim(0.0, &arms).unwrap().arms, [arms[0]]);
/// # Ok::<(), fiesta_core::ObserveError>(())
/// ```
pub struct BenchmarksOfStudy {
    exact: Benchmarks,
    of: Vec<OfBenchmark>,
    /// Closed sums of each ordered pair of arms, at leader·K + rival.
    sums: Vec<OnceLock<Option<Sum>>>,
    leader: ArmId,
    /// The items of each benchmark in the study's order, counted from 0 in each.
    orders: OnceLock<Vec<Vec<u64>>>,
}

/// Numbers of one benchmark.
#[derive(Debug, Clone, Copy)]
struct OfBenchmark {
    /// The number of its first item, and how many it has.
    first: u64,
    items: u64,
    /// Cost of an answer, in a unit that all benchmarks share.
    cost: f64,
}

impl BenchmarksOfStudy {
    /// Returns the posterior of `arms` arms without a benchmark yet.
    pub fn new(arms: usize) -> Self {
        Self {
            exact: Benchmarks::new(arms),
            of: Vec::new(),
            sums: vec![OnceLock::new(); arms * arms],
            leader: ArmId::new(0),
            orders: OnceLock::new(),
        }
    }

    /// Adds a benchmark with this weight, and the cost of an answer; before any answer. A weight is
    /// that of [`Benchmarks::pool`]. A cost that is not above 0 counts as 1.
    pub fn add(&mut self, weight: f64, cost: f64, pool: crate::Pool) {
        let first = self.of.last().map_or(0, |of| of.first + of.items);
        let items = pool.size();
        let cost = if cost > 0.0 { cost } else { 1.0 };
        self.of.push(OfBenchmark { first, items, cost });
        let all = std::mem::replace(&mut self.exact, Benchmarks::new(0));
        self.exact = all.pool(weight, pool);
    }

    /// Returns the benchmarks by themselves.
    pub fn benchmarks(&self) -> &Benchmarks {
        &self.exact
    }

    /// Returns the number of the benchmark of an item. `None` beyond the last item.
    pub fn benchmark_of(&self, item: u64) -> Option<usize> {
        Some(self.place(item)?.0)
    }

    /// Returns the benchmark of an item, and the item's number in it.
    fn place(&self, item: u64) -> Option<(usize, u64)> {
        let benchmark = self.of.partition_point(|of| of.first + of.items <= item);
        let of = self.of.get(benchmark)?;
        Some((benchmark, item - of.first))
    }

    fn sum(&self, one: ArmId, other: ArmId) -> Option<Sum> {
        let place = one.index() * self.exact.arms + other.index();
        let sum = || Some(Sum::closed(&self.exact.parts(one, other, 0.0)?));
        *self.sums.get(place)?.get_or_init(sum)
    }

    fn sum_with(&self, one: ArmId, other: ArmId, margin: f64) -> Option<Sum> {
        if margin == 0.0 {
            return self.sum(one, other);
        }
        Some(Sum::closed(&self.exact.parts(one, other, margin)?))
    }

    /// Returns the leader of the candidates: the last one, unless another is ahead of it.
    fn front(&self, candidates: &[ArmId]) -> Option<ArmId> {
        let last = Some(self.leader).filter(|arm| candidates.contains(arm));
        let first = last.or_else(|| candidates.first().copied())?;
        let z = |front, arm| Some(self.sum(front, arm)?.z);
        Some(front_from(first, candidates, z))
    }

    /// Returns the totals of these candidates, which have answers on every benchmark.
    fn totals(&self, leader: ArmId, candidates: &[ArmId]) -> Vec<Total> {
        let sum = |&arm: &ArmId| self.sum(leader, arm).filter(|_| arm != leader);
        let sums = candidates.iter().map(sum).collect();
        self.exact.totals_of(leader, sums)
    }
}

impl Observe<f64> for BenchmarksOfStudy {
    fn observe(&mut self, arm: ArmId, case: Case, score: f64) -> Result<(), ObserveError> {
        let Some((benchmark, item)) = self.place(case.split) else {
            return Err(ObserveError::OutOfDomain {
                score,
                reason: format!("no benchmark has an item with the number {}", case.split),
            });
        };
        let case = Case {
            split: item,
            ..case
        };
        self.exact.observe(benchmark, arm, case, score)?;
        let arms = self.exact.arms;
        for other in 0..arms {
            self.sums[arm.index() * arms + other] = OnceLock::new();
            self.sums[other * arms + arm.index()] = OnceLock::new();
        }
        let all: Vec<ArmId> = ArmId::all(arms).collect();
        self.leader = self.front(&self.exact.existing(&all)).unwrap_or(arm);
        // Each pool has followed its own leader. Items were chosen by the outcomes of this one.
        self.exact.lead_by(self.leader);
        Ok(())
    }
}

impl Posterior for BenchmarksOfStudy {
    fn arms(&self) -> usize {
        self.exact.arms
    }

    fn required(&self, _arm: ArmId) -> u64 {
        self.exact.required_in_turns()
    }

    fn mean(&self, arm: ArmId) -> Option<f64> {
        self.exact.mean(arm)
    }

    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        self.exact.marginal(arm)
    }

    fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
        if self.exact.only().is_some() {
            return self.exact.difference(a, b);
        }
        Some(times(self.sum(a, b)?.normal(), self.exact.unit))
    }

    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        self.exact.draw(rng, means);
    }

    fn belief(&self, candidates: &[ArmId]) -> Belief {
        if self.exact.only().is_some() {
            return self.exact.belief(candidates);
        }
        let mut belief = Belief::nothing(self.exact.arms, Method::Quadrature);
        let candidates = self.exact.existing(candidates);
        let Some(leader) = self.front(&candidates) else {
            return belief;
        };
        let totals = self.totals(leader, &candidates);
        believe(&mut belief, &candidates, &totals, self.exact.unit);
        belief
    }

    fn finer(&self) -> Option<&dyn Posterior> {
        Some(&self.exact)
    }

    fn within(&self, arm: ArmId, margin: f64, candidates: &[ArmId]) -> f64 {
        if self.exact.only().is_some() {
            return self.exact.within(arm, margin, candidates);
        }
        let candidates = self.exact.existing(candidates);
        let place = candidates.iter().position(|&other| other == arm);
        let (Some(place), Some(leader)) = (place, self.front(&candidates)) else {
            return 0.0;
        };
        within(
            &self.totals(leader, &candidates),
            place,
            margin / self.exact.unit,
        )
    }

    fn claim(&self, margin: f64, candidates: &[ArmId]) -> Option<Claim> {
        if self.exact.only().is_some() {
            return self.exact.claim(margin, candidates);
        }
        let candidates = self.exact.existing(candidates);
        let leader = self.front(&candidates)?;
        let sum = |one, other, margin| self.sum_with(one, other, margin);
        self.exact.claim_by(leader, margin, &candidates, sum)
    }

    fn telling_evaluation(
        &self,
        leader: ArmId,
        rival: ArmId,
        [of_leader, of_rival]: [Askable<'_>; 2],
    ) -> Option<(ArmId, u64)> {
        let orders = self.orders.get_or_init(|| {
            let mut orders = vec![Vec::new(); self.of.len()];
            for &item in of_leader.order {
                if let Some((benchmark, item)) = self.place(item) {
                    orders[benchmark].push(item);
                }
            }
            orders
        });
        let mut best: Option<(f64, (ArmId, u64))> = None;
        for (benchmark, of) in self.of.iter().enumerate() {
            let Some((weight, pool)) = self.exact.weighted_pool(benchmark) else {
                continue;
            };
            let gain = weight * weight * pool.gain(leader, rival) / of.cost;
            // A rival's answer is worth twice a leader's, which needs the rival's as well.
            if best.is_some_and(|(most, _)| most >= gain) {
                continue;
            }
            let [can_leader, can_rival] =
                [of_leader.can, of_rival.can].map(|can| move |item: u64| can(item + of.first));
            let order = &orders[benchmark][..];
            let askable = [&can_leader as &dyn Fn(u64) -> bool, &can_rival].map(|can| Askable {
                order,
                from: 0,
                can,
            });
            let Some((arm, item)) = pool.next_of(leader, rival, askable) else {
                continue;
            };
            let gain = if arm == leader { 0.5 * gain } else { gain };
            if best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, (arm, item + of.first)));
            }
        }
        best.map(|(_, next)| next)
    }
}
