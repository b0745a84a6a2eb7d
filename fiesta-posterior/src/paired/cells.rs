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

use std::{
    borrow::Cow,
    cell::OnceCell,
    collections::{BTreeMap, HashMap},
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

    /// An arm with one seed.
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

/// One split: the arms that were evaluated on it, in order, and the mean score of each.
#[derive(Debug, Clone, Default)]
pub(super) struct Split {
    pub(super) members: Vec<Member>,
    pub(super) means: Vec<f64>,
}

/// The splits on which the same arms were evaluated.
#[derive(Debug, Clone, Default)]
pub(super) struct Group {
    /// How many splits.
    pub(super) splits: u64,
    sums: Vec<f64>,
    /// Σ y yᵀ over the splits, row by row, up to the diagonal.
    products: Vec<f64>,
    /// What a fit needs of them; computed when it first does.
    moments: OnceCell<Moments>,
}

/// What a fit needs of the splits of a group.
#[derive(Debug, Clone, Default)]
pub(super) struct Moments {
    /// The mean score of each member.
    pub(super) means: Vec<f64>,
    /// Each member's sum of squared deviations from its mean.
    pub(super) squares: Vec<f64>,
    /// How many pseudo-splits there are.
    pub(super) rank: usize,
    /// Member by member its scores on the pseudo-splits.
    pub(super) pseudo: Vec<f64>,
}

/// All observations of some arms, as deviations from each arm's first score, so that little
/// cancels.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    numbers: HashMap<u64, usize>,
    /// In the order in which they were first seen, but for those that are forgotten.
    splits: Vec<Split>,
    /// How many whole splits are in sums alone.
    forgotten: usize,
    /// Of each arm its scores on splits of its own; empty where cross-products are kept.
    alone: Vec<Vec<f64>>,
    /// None for more arms than cross-products are kept of.
    groups: Option<BTreeMap<Vec<Member>, Group>>,
    pub(super) arms: Vec<ArmCells>,
}

/// What is known of one arm.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ArmCells {
    /// Its first score.
    pub(super) origin: f64,
    /// How many scores it has.
    pub(super) count: u64,
    /// How many splits it was evaluated on.
    pub(super) splits: u64,
    /// The sum of its scores, each counted from the origin.
    sum: f64,
    /// The squared deviations between the seeds of one split, summed over its splits.
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

    /// The plain mean of its scores.
    pub(super) fn mean(&self) -> f64 {
        self.origin + self.sum / self.count as f64
    }

    /// Degrees of freedom of `between_seeds`.
    pub(super) fn repeats(&self) -> f64 {
        (self.count - self.splits) as f64
    }
}

/// A pivot below this share of its arm's sum of squares is rounding.
const RELATIVE_PIVOT: f64 = 1e-11;

impl Cells {
    /// K arms; cross-products are kept if there are few.
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

    /// Makes room for another arm at this place: those from there on move up by one.
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

    /// Books the scores of arms on a split that has no other, and will have none.
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

    /// Books a score.
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

    /// The arms that were evaluated on a split.
    pub(super) fn members(&self, split: u64) -> &[Member] {
        self.numbers
            .get(&split)
            .map_or(&[], |&number| &self.splits[number].members)
    }

    /// Whether two arms have seen the same split.
    pub(super) fn share_a_split(&self, one: usize, other: usize) -> bool {
        let is_in = |members: &[Member], arm: usize| members.iter().any(|m| m.index() == arm);
        let mut sets = self.groups.iter().flat_map(BTreeMap::keys);
        sets.any(|members| is_in(members, one) && is_in(members, other))
    }

    /// How many scores there are.
    pub(super) fn total(&self) -> u64 {
        self.arms.iter().map(|arm| arm.count).sum()
    }

    /// Whether all evaluations were made on one split.
    pub(super) fn single_split(&self) -> bool {
        self.count_splits() == 1
    }

    /// How many splits there are.
    pub(super) fn count_splits(&self) -> usize {
        self.splits.len() + self.forgotten
    }

    /// Hands over the arms and mean scores of every split, of more arms than cross-products are
    /// kept of.
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

    /// The number of a split that was not used, different for each `count`.
    pub(super) fn unused_split(&self, count: u64) -> u64 {
        let mut split = u64::MAX - count;
        // Numbers are few; one is free soon.
        while self.numbers.contains_key(&split) {
            split = split.wrapping_sub(1 << 32);
        }
        split
    }

    /// The groups for a fit; none if cross-products are not kept.
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
                moments: OnceCell::from(moments),
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

fn take_out(groups: &mut BTreeMap<Vec<Member>, Group>, split: &Split) {
    if let Some(group) = groups.get_mut(&split.members) {
        if group.splits == 1 {
            groups.remove(&split.members);
        } else {
            group.add(&split.means, -1.0);
            group.splits -= 1;
        }
    }
}

fn put_in(groups: &mut BTreeMap<Vec<Member>, Group>, split: &Split) {
    if let Some(group) = groups.get_mut(&split.members) {
        group.add(&split.means, 1.0);
        group.splits += 1;
        return;
    }
    let group = groups.entry(split.members.clone()).or_default();
    let size = split.members.len();
    group.sums.resize(size, 0.0);
    group.products.resize(size * size, 0.0);
    group.add(&split.means, 1.0);
    group.splits += 1;
}

impl Group {
    fn add(&mut self, scores: &[f64], sign: f64) {
        let size = scores.len();
        for (i, a) in scores.iter().enumerate() {
            self.sums[i] += sign * a;
            for (j, b) in scores[..=i].iter().enumerate() {
                self.products[i * size + j] += sign * a * b;
            }
        }
        self.moments = OnceCell::new();
    }

    /// Means, squares and pseudo-splits from the sums. The matrix may be singular: Cholesky's
    /// algorithm then leaves out the columns without a pivot.
    pub(super) fn moments(&self) -> &Moments {
        self.moments.get_or_init(|| {
            let size = self.sums.len();
            let n = self.splits as f64;
            let means: Vec<f64> = self.sums.iter().map(|sum| sum / n).collect();
            let mut moments = Moments {
                squares: vec![0.0; size],
                ..Moments::default()
            };
            if self.splits > 1 {
                let mut rest = self.products.clone();
                for i in 0..size {
                    for j in 0..=i {
                        rest[i * size + j] -= n * means[i] * means[j];
                    }
                }
                moments.factor(&mut rest, |k| self.products[k * size + k]);
            }
            Moments { means, ..moments }
        })
    }
}

impl Moments {
    /// The scores of a member on the pseudo-splits, less those that are 0 because L is triangular.
    pub(super) fn scores(&self, member: usize) -> &[f64] {
        &self.pseudo[member * self.rank..][..self.rank.min(member + 1)]
    }

    /// The pseudo-splits of cross-products, and their squares; `total` is what an arm's pivot is
    /// judged by.
    fn factor(&mut self, rest: &mut [f64], total: impl Fn(usize) -> f64) {
        let size = self.squares.len();
        let mut columns: Vec<f64> = Vec::with_capacity(size * size);
        for k in 0..size {
            let pivot = rest[k * size + k];
            if pivot <= RELATIVE_PIVOT * total(k) {
                continue;
            }
            let start = columns.len();
            columns.resize(start + size, 0.0);
            let column = &mut columns[start..];
            for i in k..size {
                column[i] = rest[i * size + k] / pivot.sqrt();
                self.squares[i] += column[i] * column[i];
            }
            for i in k + 1..size {
                let of_row = column[i];
                let row = &mut rest[i * size..];
                for (entry, other) in row[k + 1..=i].iter_mut().zip(&column[k + 1..=i]) {
                    *entry -= of_row * other;
                }
            }
        }
        self.rank = columns.len() / size;
        let members = 0..size;
        self.pseudo = members
            .flat_map(|i| columns.iter().skip(i).step_by(size))
            .copied()
            .collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means, squares and cross-products of a group, the latter from its pseudo-splits.
    fn moments(group: &Group) -> (Vec<f64>, Vec<f64>) {
        let moments = group.moments();
        let (size, rank) = (moments.means.len(), moments.rank);
        let row = |i: usize| &moments.pseudo[i * rank..][..rank];
        let dot = |i, j| row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum();
        let products = (0..size).flat_map(|i| (0..size).map(move |j| dot(i, j)));
        (moments.means.clone(), products.collect())
    }

    #[test]
    fn pseudo_splits_have_the_cross_products_of_the_splits() {
        let scores = [[0.61, 0.62], [0.66, 0.60], [0.58, 0.59], [0.63, 0.65]];
        let mut cells = Cells::new(2, true);
        for (split, row) in scores.iter().enumerate() {
            for (arm, &score) in row.iter().enumerate() {
                cells.add(arm, split as u64, score);
            }
        }
        let groups = cells.groups.as_ref().unwrap();
        assert_eq!(groups.len(), 1);
        let group = groups.values().next().unwrap();
        assert_eq!(group.splits, 4);
        let (means, products) = moments(group);
        for (a, mean) in means.iter().enumerate() {
            let expected = scores.iter().map(|row| row[a]).sum::<f64>() / 4.0;
            assert!((cells.arms[a].origin + mean - expected).abs() < 1e-15);
        }
        for a in 0..2 {
            for b in 0..2 {
                let mean = |arm: usize| scores.iter().map(|row| row[arm]).sum::<f64>() / 4.0;
                let expected: f64 = scores
                    .iter()
                    .map(|row| (row[a] - mean(a)) * (row[b] - mean(b)))
                    .sum();
                assert!((products[a * 2 + b] - expected).abs() < 1e-15);
            }
        }
    }

    /// Whatever the order of arrival, what is left in the groups is what a single pass would have
    /// put there.
    #[test]
    fn splits_move_between_groups_without_a_trace() {
        let score = |arm: usize, split: u64| ((arm as u64 * 37 + split * 101) % 17) as f64 * 0.01;
        let mut forwards = Cells::new(3, true);
        let mut backwards = Cells::new(3, true);
        let all: Vec<(usize, u64)> = (0..3)
            .flat_map(|arm| (0..6 - arm as u64).map(move |split| (arm, split)))
            .collect();
        for &(arm, split) in &all {
            forwards.add(arm, split, score(arm, split));
        }
        // The same first scores, so that the origins agree.
        for arm in 0..3 {
            backwards.add(arm, 0, score(arm, 0));
        }
        for &(arm, split) in all.iter().rev().filter(|(_, split)| *split > 0) {
            backwards.add(arm, split, score(arm, split));
        }
        let (a, b) = (forwards.groups.unwrap(), backwards.groups.unwrap());
        assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
        for (a, b) in a.values().zip(b.values()) {
            assert_eq!(a.splits, b.splits);
            let ((means, products), (other_means, other_products)) = (moments(a), moments(b));
            for (x, y) in means.iter().zip(&other_means) {
                assert!((x - y).abs() < 1e-14);
            }
            for (x, y) in products.iter().zip(&other_products) {
                assert!((x - y).abs() < 1e-14);
            }
        }
    }

    /// An arm that comes later finds the place that it would have had from the beginning.
    #[test]
    fn an_arm_inserted_is_as_if_it_had_been_there() {
        let mut cells = Cells::new(3, true);
        let mut grown = Cells::new(0, true);
        grown.insert_arm(0);
        grown.insert_arm(1);
        for (arm, split) in [(0, 0), (2, 0), (0, 1), (2, 1), (0, 2), (2, 3)] {
            let score = 0.1 * split as f64 + 0.01 * arm as f64;
            cells.add(arm, split, score);
            grown.add(arm.min(1), split, score);
        }
        grown.insert_arm(1);
        for cells in [&mut cells, &mut grown] {
            cells.add(1, 0, 0.7);
            cells.add(1, 2, 0.8);
        }
        let (a, b) = (cells.groups.unwrap(), grown.groups.unwrap());
        assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
        for (a, b) in a.values().zip(b.values()) {
            assert_eq!((a.splits, moments(a)), (b.splits, moments(b)));
        }
        for (a, b) in cells.splits.iter().zip(&grown.splits) {
            assert_eq!((&a.members, &a.means), (&b.members, &b.means));
        }
    }

    /// What is kept of whole splits is what is kept of splits that happen to have no further score,
    /// to the last bit.
    #[test]
    fn whole_splits_leave_the_sums_of_remembered_ones() {
        let score = |arm: usize, k: u64| 0.6 + 0.01 * f64::sin(arm as f64 + 3.0 * k as f64);
        for products in [true, false] {
            let (mut remembered, mut whole) = (Cells::new(3, products), Cells::new(3, products));
            // Of all arms, of one, and of two with a second seed.
            let arms_on = |k: u64| match k % 4 {
                0 => (0..3).filter(|&arm| k / 4 % 3 == arm as u64).collect(),
                1 => vec![0, 2, 2],
                _ => vec![0, 1, 2],
            };
            for arm in 0..3 {
                for k in 0..60 {
                    for _ in arms_on(k).iter().filter(|&&other| other == arm) {
                        remembered.add(arm, k, score(arm, k));
                    }
                }
            }
            for k in 0..60 {
                let scores = arms_on(k).into_iter().map(|arm| (arm, score(arm, k)));
                whole.add_whole_split(&scores.collect::<Vec<_>>());
            }
            assert_eq!(remembered.count_splits(), whole.count_splits());
            assert_eq!(whole.forgotten, if products { 45 } else { 15 });
            let of_arms = |cells: &Cells| {
                let facts = cells.arms.iter();
                let facts = facts.map(|arm| (arm.origin, arm.sum, arm.count, arm.splits));
                facts.collect::<Vec<_>>()
            };
            let (Some(a), Some(b)) = (&remembered.groups, &whole.groups) else {
                let all = |cells: &Cells| {
                    let mut all = Vec::new();
                    let y = |(member, mean): (&Member, &f64)| {
                        (*member, cells.arms[member.index()].origin + mean)
                    };
                    cells.each_split(|members, means| {
                        all.push(members.iter().zip(means).map(y).collect::<Vec<_>>());
                    });
                    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                    all
                };
                assert_eq!(all(&remembered), all(&whole));
                continue;
            };
            assert_eq!(of_arms(&remembered), of_arms(&whole));
            assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
            for ((members, a), b) in a.iter().zip(b.values()) {
                assert_eq!(a.splits, b.splits);
                // Splits that a second arm or seed came to left traces of rounding in the groups
                // that they were in before.
                let exact = members.len() == 3;
                for (x, y) in a
                    .sums
                    .iter()
                    .chain(&a.products)
                    .zip(b.sums.iter().chain(&b.products))
                {
                    assert!((x - y).abs() <= if exact { 0.0 } else { 1e-14 }, "{x} {y}");
                }
            }
        }
    }

    #[test]
    fn seeds_of_a_split_are_averaged_and_their_spread_is_kept() {
        let mut cells = Cells::new(1, true);
        for score in [0.60, 0.62, 0.67] {
            cells.add(0, 4, score);
        }
        let arm = &cells.arms[0];
        assert!((arm.mean() - 0.63).abs() < 1e-15);
        assert!(
            (arm.between_seeds - (0.03_f64.powi(2) + 0.01_f64.powi(2) + 0.04_f64.powi(2))).abs()
                < 1e-15
        );
        assert_eq!((arm.count, arm.splits), (3, 1));
        let groups = cells.groups.unwrap();
        assert_eq!(
            groups.keys().next().unwrap()[0],
            Member { arm: 0, seeds: 3 }
        );
    }

    #[test]
    fn equal_scores_leave_no_pseudo_split() {
        let mut cells = Cells::new(2, true);
        for split in 0..5 {
            cells.add(0, split, 0.7);
            cells.add(1, split, 0.1 * split as f64);
        }
        let groups = cells.groups.unwrap();
        let group = groups.values().next().unwrap();
        let moments = group.moments();
        assert_eq!(moments.rank, 1, "for the second arm alone");
        assert!(moments.squares[0].abs() < 1e-15 && moments.squares[1] > 0.0);
    }
}
