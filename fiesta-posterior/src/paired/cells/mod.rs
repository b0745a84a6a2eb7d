//! Cells of arms and splits, summed up so that a fit passes over no past evaluation.
//!
//! The splits on which the same arms were evaluated, each equally often, form a [`Group`]. All that
//! the model needs of a group is how many splits it has, the mean score of each arm, and the
//! cross-products C of the deviations. With C = LLᵀ the columns of L are as good as rows of data:
//! *pseudo-splits* of mean zero, of which there are never more than arms. A new evaluation moves
//! one split from one group to another.
//!
//! A split that is known to have no further evaluation ([`Cells::add_whole_split`]) never moves. Of
//! its group the model reads the number of splits, Σy and Σyyᵀ alone: given the means μ and the
//! variances, the scores y of the same arms on n such splits have the log-likelihood
//!
//! −½·(n·ln det(2πV) + Σ_k (y_k − μ)ᵀV⁻¹(y_k − μ)),  V = τ²11ᵀ + diag(v),
//!
//! in which Σ_k (y_k − μ)(y_k − μ)ᵀ = Σyyᵀ − μ(Σy)ᵀ − (Σy)μᵀ + nμμᵀ is a function of the three. Such
//! a split is added to its group and forgotten, so that any number of them takes the memory of one;
//! the sums are those of splits that are remembered, added in the same order, bit by bit.

mod group;

pub(super) use group::{Group, Moments};

use group::{put_in, take_out};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    sync::OnceLock,
};

/// An arm within a group: its place among the arms that have a score, and how many seeds it was
/// evaluated with on each split of the group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    pub(super) arm: u32,
    pub(super) seeds: u32,
}

impl Member {
    pub(super) fn index(self) -> usize {
        self.arm as usize
    }

    /// Returns a member with one seed for each split of its group.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "nobody has 2³² arms in memory"
    )]
    fn once(arm: usize) -> Self {
        Self {
            arm: arm as u32,
            seeds: 1,
        }
    }
}

/// Arms that were evaluated on one split, in order, and the mean score of each.
#[derive(Debug, Clone, Default)]
pub(super) struct Split {
    pub(super) members: Vec<Member>,
    pub(super) means: Vec<f64>,
}

/// Scores of the arms, as deviations from each arm's first score, so that little cancels.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    numbers: HashMap<u64, usize>,
    /// Splits in the order in which they were first seen, without those that are forgotten.
    splits: Vec<Split>,
    /// Number of whole splits of which only sums are kept.
    forgotten: usize,
    /// Scores of each arm on splits of its own; empty where cross-products are kept.
    alone: Vec<Vec<f64>>,
    /// Groups of splits by members. `None` for more arms than cross-products are kept of.
    groups: Option<BTreeMap<Vec<Member>, Group>>,
    pub(super) arms: Vec<ArmCells>,
}

/// Cells of one arm: what is known of the arm.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ArmCells {
    /// The arm's first score, from which its scores are counted.
    pub(super) origin: f64,
    /// Number of scores of the arm.
    pub(super) count: u64,
    /// Number of splits on which the arm was evaluated.
    pub(super) splits: u64,
    /// Sum of the arm's scores, each counted from the origin.
    sum: f64,
    /// Squared deviations between the seeds of one split, summed over the arm's splits.
    pub(super) between_seeds: f64,
}

impl ArmCells {
    /// Counts a score of this arm on a split.
    fn book(&mut self, arm: usize, score: f64, split: &mut Split) {
        if self.count == 0 {
            self.origin = score;
        }
        let score = score - self.origin;
        self.count += 1;
        self.sum += score;
        let member = Member::once(arm);
        match split.members.binary_search_by_key(&member.arm, |m| m.arm) {
            Ok(place) => {
                let seeds = f64::from(split.members[place].seeds);
                let deviation = score - split.means[place];
                split.members[place].seeds += 1;
                split.means[place] += deviation / (seeds + 1.0);
                self.between_seeds += deviation * deviation * seeds / (seeds + 1.0);
            }
            Err(place) => {
                split.members.insert(place, member);
                split.means.insert(place, score);
                self.splits += 1;
            }
        }
    }

    /// Returns the plain mean of the arm's scores.
    pub(super) fn mean(&self) -> f64 {
        self.origin + self.sum / self.count as f64
    }

    /// Returns the degrees of freedom of the arm's squared deviations between seeds: scores less splits.
    pub(super) fn repeats(&self) -> f64 {
        (self.count - self.splits) as f64
    }
}

impl Cells {
    /// Returns cells of this many arms; cross-products are kept if there are few.
    pub(super) fn new(arms: usize, cross_products: bool) -> Self {
        Self {
            numbers: HashMap::new(),
            splits: Vec::new(),
            forgotten: 0,
            alone: vec![Vec::new(); arms],
            groups: cross_products.then(BTreeMap::new),
            arms: vec![ArmCells::default(); arms],
        }
    }

    /// Inserts an arm without scores at this place: arms from this place on move up by one.
    pub(super) fn insert_arm(&mut self, place: usize) {
        let last = place == self.arms.len();
        self.arms.insert(place, ArmCells::default());
        self.alone.insert(place, Vec::new());
        if last {
            return;
        }
        let moved = |members: &mut [Member]| {
            for member in members {
                member.arm += u32::from(member.index() >= place);
            }
        };
        for split in &mut self.splits {
            moved(&mut split.members);
        }
        if let Some(groups) = &mut self.groups {
            let renumbered = std::mem::take(groups).into_iter();
            *groups = renumbered
                .map(|(mut members, group)| {
                    moved(&mut members);
                    (members, group)
                })
                .collect();
        }
    }

    /// Returns the number of a chain's sweeps that `operations` multiplications pay for. A sweep
    /// costs K³/3 for the means, the square of the members for each group, and 300 for each arm.
    pub(super) fn sweeps_within(&self, operations: f64) -> f64 {
        let arms = self.arms.len() as f64;
        let groups = self.groups.iter().flat_map(BTreeMap::keys);
        let of_groups = groups.map(|members| (members.len() as f64).powi(2));
        operations / (arms.powi(3) / 3.0 + of_groups.sum::<f64>() + 300.0 * arms)
    }

    /// Books scores of arms on a split whose scores these all are, now and later.
    pub(super) fn add_whole_split(&mut self, scores: &[(usize, f64)]) {
        let mut split = Split::default();
        for &(arm, score) in scores {
            self.arms[arm].book(arm, score, &mut split);
        }
        if let Some(groups) = &mut self.groups {
            put_in(groups, &split);
            // Without a second score of an arm, a split alone is too little for any fit.
            if split.members.iter().all(|member| member.seeds == 1) {
                self.forgotten += 1;
                return;
            }
        } else if let (&[(arm, _)], &[score]) = (scores, &split.means[..]) {
            self.alone[arm].push(score);
            self.forgotten += 1;
            return;
        }
        self.splits.push(split);
    }

    /// Adds a score of an arm on a split.
    pub(super) fn add(&mut self, arm: usize, split: u64, score: f64) {
        let number = *self.numbers.entry(split).or_insert_with(|| {
            self.splits.push(Split::default());
            self.splits.len() - 1
        });
        let split = &mut self.splits[number];
        if let Some(groups) = &mut self.groups {
            take_out(groups, split);
        }
        self.arms[arm].book(arm, score, split);
        if let Some(groups) = &mut self.groups {
            put_in(groups, split);
        }
    }

    /// Returns the arms that were evaluated on a split.
    pub(super) fn members(&self, split: u64) -> &[Member] {
        self.numbers
            .get(&split)
            .map_or(&[], |&number| &self.splits[number].members)
    }

    /// Returns whether two arms have seen the same split.
    pub(super) fn share_a_split(&self, one: usize, other: usize) -> bool {
        let is_in = |members: &[Member], arm: usize| members.iter().any(|m| m.index() == arm);
        let mut sets = self.groups.iter().flat_map(BTreeMap::keys);
        sets.any(|members| is_in(members, one) && is_in(members, other))
    }

    /// Returns the number of scores.
    pub(super) fn total(&self) -> u64 {
        self.arms.iter().map(|arm| arm.count).sum()
    }

    /// Returns whether all evaluations were made on one split.
    pub(super) fn single_split(&self) -> bool {
        self.count_splits() == 1
    }

    /// Returns the number of splits.
    pub(super) fn count_splits(&self) -> usize {
        self.splits.len() + self.forgotten
    }

    /// Passes the arms and mean scores of every split to `take`, where there are too many arms for
    /// cross-products.
    pub(super) fn each_split(&self, mut take: impl FnMut(&[Member], &[f64])) {
        for split in &self.splits {
            take(&split.members, &split.means);
        }
        for (arm, scores) in self.alone.iter().enumerate() {
            for score in scores {
                take(&[Member::once(arm)], &[*score]);
            }
        }
    }

    /// Returns the number of a split that no evaluation used, a different one for each `count`.
    pub(super) fn unused_split(&self, count: u64) -> u64 {
        let mut split = u64::MAX - count;
        // Numbers are few; one is free soon.
        while self.numbers.contains_key(&split) {
            split = split.wrapping_sub(1 << 32);
        }
        split
    }

    /// Returns the groups for a fit. `None` if cross-products are not kept.
    ///
    /// If all evaluations were made on one split, what the arms have in common there, and how each
    /// of them interacts with it, is part of what is compared: every seed then counts as a split of
    /// its own.
    pub(super) fn groups(&self) -> Option<Cow<'_, BTreeMap<Vec<Member>, Group>>> {
        let groups = self.groups.as_ref()?;
        let ([only], 0) = (&self.splits[..], self.forgotten) else {
            return Some(Cow::Borrowed(groups));
        };
        let alone = only.members.iter().zip(&only.means).map(|(member, &mean)| {
            let squares = self.arms[member.index()].between_seeds;
            let moments = Moments {
                means: vec![mean],
                squares: vec![squares],
                rank: 1,
                pseudo: vec![squares.sqrt()],
            };
            let group = Group {
                splits: u64::from(member.seeds),
                moments: OnceLock::from(moments),
                ..Group::default()
            };
            (
                vec![Member {
                    seeds: 1,
                    ..*member
                }],
                group,
            )
        });
        Some(Cow::Owned(alone.collect()))
    }
}

#[cfg(test)]
mod tests;
