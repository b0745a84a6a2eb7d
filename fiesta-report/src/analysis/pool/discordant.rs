//! Discordant items of a pool: those on which the leader and its closest rival differ, either way.

use super::{PoolAnswer, PoolAnswers};
use fiesta_core::{ArmId, Posterior};
use fiesta_posterior::Pool;
use serde::Serialize;

/// Differences of graded answers that rounding makes, on a scale that is 1 long.
const ROUNDING: f64 = 1e-12;

/// The items on which the best two arms differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DiscordantItems {
    /// The arm that leads.
    pub leader: String,
    /// The rival whose choice would lose the least.
    pub runner_up: String,
    /// Number of items that both arms have answered.
    pub common: u64,
    /// Items on which the leader is better.
    pub leader_better: DiscordantSide,
    /// Items on which the runner-up is better.
    pub runner_up_better: DiscordantSide,
}

/// The items on which one of two arms is better than the other.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct DiscordantSide {
    /// Number of the items.
    pub items: u64,
    /// Sum of the differences on the items.
    pub difference: f64,
    /// List of the items, the greatest difference first.
    #[serde(skip)]
    pub listed: Vec<DiscordantItem>,
}

/// One item with the answers of leader and runner-up.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DiscordantItem {
    /// Number of the item.
    pub item: u64,
    /// Answer of the leader.
    pub leader: PoolAnswer,
    /// Answer of the runner-up.
    pub runner_up: PoolAnswer,
}

impl DiscordantItems {
    /// Finds the discordant items of the candidates. `None` if fewer than two have answers.
    pub(super) fn new(answers: &PoolAnswers, pool: &Pool) -> Option<Self> {
        let has_some = |arm: &ArmId| !answers.answers[arm.index()].is_empty();
        let candidates: Vec<ArmId> = answers.candidates().into_iter().filter(has_some).collect();
        let belief = pool.belief(&candidates);
        let leader = candidates.iter().copied().reduce(|best, arm| {
            if belief.of(arm) > belief.of(best) {
                arm
            } else {
                best
            }
        })?;
        let rivals = candidates.iter().copied().filter(|&arm| arm != leader);
        let runner_up = belief.closest(rivals)?;
        let mut sides = [DiscordantSide::default(), DiscordantSide::default()];
        let (mut common, rounding) = (0, ROUNDING * answers.range());
        for (own, other) in answers.common(leader, runner_up) {
            common += 1;
            let ahead = answers.direction.orient(own.score - other.score);
            if ahead.abs() > rounding {
                let item = DiscordantItem {
                    item: own.item,
                    leader: own,
                    runner_up: other,
                };
                sides[usize::from(ahead < 0.0)].add(item, ahead.abs());
            }
        }
        let [leader_better, runner_up_better] = sides.map(DiscordantSide::sorted);
        Some(Self {
            leader: answers.arms[leader.index()].clone(),
            runner_up: answers.arms[runner_up.index()].clone(),
            common,
            leader_better,
            runner_up_better,
        })
    }

    /// Says how many items decide between the two arms, in words.
    pub fn sentence(&self) -> String {
        let (ahead, behind) = (self.leader_better.items, self.runner_up_better.items);
        format!(
            "of the {} items that both {} and {} answered, {} differ: {} is better on {ahead}, {} on {behind}",
            self.common,
            self.leader,
            self.runner_up,
            ahead + behind,
            self.leader,
            self.runner_up
        )
    }
}

impl DiscordantSide {
    fn add(&mut self, item: DiscordantItem, difference: f64) {
        self.items += 1;
        self.difference += difference;
        self.listed.push(item);
    }

    /// Sorts the items: the greatest difference first, then in the order of the items.
    fn sorted(mut self) -> Self {
        let size = |item: &DiscordantItem| (item.leader.score - item.runner_up.score).abs();
        self.listed.sort_by(|a, b| {
            let by_size = size(b).total_cmp(&size(a));
            by_size.then(a.item.cmp(&b.item))
        });
        self
    }
}
