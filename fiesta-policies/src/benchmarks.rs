//! Policy for several benchmarks: the leader's closest rival, where an answer tells most of the two.

use crate::pool::{PoolPolicy, closest};
use fiesta_core::{ArmId, Next, Policy, View};
use rand::Rng;

/// Compares the leader with the rival that is most probably better, on the benchmark where an
/// answer tells most of the two for what it costs ([`View::telling_evaluation`]).
///
/// The leader is that of [`PoolPolicy`]. If nothing can be asked of it and its closest rival, the
/// next rival takes that one's place; if nothing can be asked of any pair, an arm with an item left
/// gets the next of the study's order. Under a posterior that leaves the choice of items to the
/// policy this is all that it does: it is for
/// [`BenchmarksOfStudy`](https://docs.rs/fiesta-posterior).
///
/// # Example
/// ```
/// use fiesta_core::{Arms, Ask, Design, Event, Outcome, Selector};
/// use fiesta_policies::{BenchmarkPolicy, stopping::PosteriorThreshold};
/// use fiesta_posterior::{BenchmarksOfStudy, Pool};
///
/// // 300 questions of one benchmark, and 60 of another that counts as much.
/// let right = |arm: usize, item: u64| item % 4 < if arm == 0 { 3 } else { 2 };
/// let mut posterior = BenchmarksOfStudy::new(2);
/// posterior.add(0.5, 1.0, Pool::new(2, 300));
/// posterior.add(0.5, 1.0, Pool::new(2, 60));
/// let rule = PosteriorThreshold::new(0.95)?;
/// let arms = Arms::new(["new", "old"])?;
/// let mut selector = Selector::builder(arms, posterior, BenchmarkPolicy::default(), rule)
///     .design(Design::Items { count: 360 })
///     .benchmarks((0..360).map(|item| u64::from(item >= 300)).collect())
///     .build()?;
/// let conclusion = loop {
///     match selector.ask()? {
///         Ask::Evaluate(e) => {
///             let score = f64::from(u8::from(right(e.arm.index(), e.case.split)));
///             selector.tell(Event::Ended { id: e.id, outcome: Outcome::Observed(score), cost: 1.0 })?;
///         }
///         Ask::Wait => unreachable!("nothing is pending"),
///         Ask::Finished(conclusion) => break conclusion,
///     }
/// };
/// assert_eq!(selector.arms().name(conclusion.arm), "new");
/// assert!(conclusion.evaluations < 250);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BenchmarkPolicy {
    leader: Option<ArmId>,
}

impl Policy for BenchmarkPolicy {
    fn next(&mut self, view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        let Some((leader, first)) = PoolPolicy::led_by(self.leader).leader(view) else {
            return Next::Wait;
        };
        self.leader = Some(leader);
        let mut rivals = first;
        while let Some((z, rival)) = rivals {
            if let Some((arm, item)) = view.telling_evaluation(leader, rival) {
                return Next::EvaluateOn(arm, item);
            }
            rivals = closest(view, leader, Some((z, rival)));
        }
        let left = view.with_case_left().next();
        left.map_or(Next::Wait, Next::Evaluate)
    }
}
