//! Assignment of cases to arms: given, pending and next ones.

mod recorded;

use crate::{ArmId, Case, Design, EvaluationId, numbers::Numbers, stream::Streams};
use rand::RngExt;
use recorded::Recorded;
use std::collections::BTreeMap;

/// The cases of one selection: given, pending and next ones.
pub(crate) struct Cases {
    design: Design,
    /// Number of splits or documents. `None` if the number of splits is unlimited.
    count: Option<u64>,
    /// Splits that evaluations already have. Kept only if their number is limited and each is for
    /// one evaluation.
    given: Numbers,
    pub(crate) streams: Streams,
    /// The random order of the items of the pool; empty in a study of splits.
    order: Vec<u64>,
    /// Place of every item in the random order.
    places: Vec<u64>,
    /// Whether an arm may be asked an item again, with another seed.
    repeats: bool,
    /// Whether recorded items stay where they are in the random order.
    keeps_order: bool,
    recorded: Recorded,
    pub(crate) pending: BTreeMap<EvaluationId, Pending>,
    /// How many evaluations were asked for or recorded, which is the number of the next one.
    pub(crate) issued: u64,
}

/// An evaluation that was asked for and whose outcome was not told yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pending {
    pub(crate) arm: ArmId,
    /// Number of the pending evaluation among the evaluations of its arm, from 0.
    pub(crate) turn: u64,
    pub(crate) case: Case,
}

impl Cases {
    /// Starts the cases of a selection. `splits` is the number of splits. `None` if it is
    /// unlimited.
    pub(crate) fn new(design: Design, splits: Option<u64>, streams: Streams) -> Self {
        let (count, order) = match design {
            Design::Items { count } => (Some(count), shuffled(count, &streams)),
            Design::Shared | Design::Independent => (splits, Vec::new()),
            Design::Fixed => (None, Vec::new()),
        };
        let mut places = vec![0; order.len()];
        note_places(&mut places, &order, 0);
        Self {
            design,
            count,
            given: Numbers::default(),
            streams,
            order,
            places,
            repeats: false,
            keeps_order: false,
            recorded: Recorded::default(),
            pending: BTreeMap::new(),
            issued: 0,
        }
    }

    /// Balances the order of the items over their groups, of which `groups` has one for each item.
    /// The k-th item (from 0) of a group of n, in the random order, gets (k + u)/n with one u of
    /// the group between 0 and 1, and items come in the order of these numbers. Of the first m
    /// items, a group that is the share s of G groups then has s·m of them, to less than 1 + s·G.
    pub(crate) fn balanced(self, groups: &[u64]) -> Self {
        let mut sizes: BTreeMap<u64, f64> = BTreeMap::new();
        for group in self.order.iter().filter_map(|&item| of(groups, item)) {
            *sizes.entry(group).or_default() += 1.0;
        }
        let begins = sizes.keys().map(|&group| {
            let begin: f64 = self.streams.group(group).random();
            (group, begin)
        });
        let begins = begins.collect();
        self.by_turn(groups, begins, |turn, group| {
            turn / sizes.get(&group).copied().unwrap_or(1.0)
        })
    }

    /// Orders the items so that each group has one item in turn, as long as it has any.
    pub(crate) fn in_turns(self, groups: &[u64]) -> Self {
        self.by_turn(groups, BTreeMap::new(), |turn, _| turn)
    }

    /// Orders the items by a number of their turn within their group; turns begin where `turns` says.
    fn by_turn(
        mut self,
        groups: &[u64],
        mut turns: BTreeMap<u64, f64>,
        number: impl Fn(f64, u64) -> f64,
    ) -> Self {
        let mut numbered: Vec<(f64, u64)> = Vec::with_capacity(self.order.len());
        for &item in &self.order {
            let group = of(groups, item).unwrap_or_default();
            let turn = turns.entry(group).or_default();
            numbered.push((number(*turn, group), item));
            *turn += 1.0;
        }
        // Stable: equal numbers keep the random order.
        numbered.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.order = numbered.into_iter().map(|(_, item)| item).collect();
        note_places(&mut self.places, &self.order, 0);
        self
    }

    /// Lets an arm be asked an item of a pool again, if `repeats`. The turn of an item's r-th
    /// repeat (r = 0 the first time) is r·N more than the place of the item, with N items.
    pub(crate) fn repeating(mut self, repeats: bool) -> Self {
        self.repeats = repeats && matches!(self.design, Design::Items { .. });
        self
    }

    /// Leaves recorded items where they are in the random order, if `keeps_order`.
    pub(crate) fn keeping_order(mut self, keeps_order: bool) -> Self {
        self.keeps_order = keeps_order;
        self
    }

    /// Whether an arm may be asked an item again.
    pub(crate) fn repeats(&self) -> bool {
        self.repeats
    }

    /// Returns the number of items of the pool, N; 0 in a study of splits.
    pub(crate) fn items(&self) -> u64 {
        self.order.len() as u64
    }

    /// Whether an arm can have a `turn`-th evaluation: one for each split or document that arms
    /// share, and as long as a split is left where each evaluation has its own. Any number where
    /// there are any number of splits, or items are asked again.
    pub(crate) fn has(&self, turn: u64) -> bool {
        if self.repeats {
            return !self.order.is_empty();
        }
        self.count.is_none_or(|count| match self.design {
            Design::Independent => self.given.lowest_free() < count,
            Design::Shared | Design::Fixed | Design::Items { .. } => turn < count,
        })
    }

    /// Returns the case of an arm's `turn`-th evaluation (from 0) if it is the next to be asked
    /// for. `None` beyond the last split or document.
    pub(crate) fn case(&self, arm: ArmId, turn: u64) -> Option<Case> {
        if !self.has(turn) {
            return None;
        }
        let split = match self.design {
            Design::Shared => self.recorded.split(turn),
            Design::Independent if self.count.is_some() => self.given.lowest_free(),
            Design::Independent => self.recorded.beyond() + self.issued,
            Design::Fixed => 0,
            Design::Items { .. } => {
                let place = turn.checked_rem(self.items())?;
                *self.order.get(usize::try_from(place).ok()?)?
            }
        };
        let seed = self.streams.case(arm, turn).random::<u32>() >> 1;
        Some(Case {
            split,
            seed: u64::from(seed),
        })
    }

    /// Whether an evaluation that was made before the study can be on this split or document.
    pub(crate) fn can_admit(&self, split: u64) -> bool {
        match (self.design, self.count) {
            (Design::Fixed, _) => split == 0,
            (_, Some(count)) => split < count,
            // Numbers beyond it are numbers still.
            (_, None) => split <= LAST,
        }
    }

    /// Marks a split as used by an evaluation, where each split is for one evaluation.
    pub(crate) fn give(&mut self, split: u64) {
        if self.is_each_for_one() {
            self.given.insert(split);
        }
    }

    /// Notes that a split is to be given once more: its evaluation was never made, or what failed
    /// on it was forgiven.
    pub(crate) fn take_back(&mut self, split: u64) {
        if self.is_each_for_one() {
            self.given.remove(split);
        }
    }

    fn is_each_for_one(&self) -> bool {
        self.design == Design::Independent && self.count.is_some()
    }

    /// Returns the place of a split or document that was admitted, in the sequence that all arms
    /// share.
    pub(crate) fn admitted(&self, split: u64) -> Option<u64> {
        let place = self.recorded.places.get(&split).copied();
        if self.keeps_order && matches!(self.design, Design::Items { .. }) {
            place.and(self.place_of(split))
        } else {
            place
        }
    }

    /// Admits the case of an evaluation that was made before the study, before anything was asked
    /// for. Returns its place in the sequence that all arms share, if they share one.
    pub(crate) fn admit(&mut self, split: u64) -> Option<u64> {
        let before = self.recorded.order.len();
        self.give(split);
        match self.design {
            Design::Fixed => None,
            Design::Independent => {
                self.recorded.place(split);
                None
            }
            Design::Shared => Some(self.recorded.place(split)),
            Design::Items { .. } => {
                let place = self.recorded.place(split);
                if self.keeps_order {
                    return self.place_of(split);
                }
                let found = self
                    .place_of(split)
                    .and_then(|found| usize::try_from(found).ok());
                if let Some(found) = found.filter(|&found| found >= before) {
                    let moved = &mut self.order[before..=found];
                    moved.rotate_right(1);
                    note_places(&mut self.places, moved, before as u64);
                }
                Some(place)
            }
        }
    }

    /// Returns the items of the pool in the random order in which arms get them; empty in a study
    /// of splits.
    pub(crate) fn order(&self) -> &[u64] {
        &self.order
    }

    /// Returns the turn of an item: its place in the order. `None` if the number is no item of the pool.
    pub(crate) fn place_of(&self, item: u64) -> Option<u64> {
        self.places.get(usize::try_from(item).ok()?).copied()
    }

    /// Returns the turns in which an arm may be evaluated on the item at this place of the order:
    /// the place itself and, with repeats, one in every further round.
    pub(crate) fn turns_at(&self, place: u64) -> impl Iterator<Item = u64> + Clone + use<> {
        let step = usize::try_from(self.items()).unwrap_or(usize::MAX).max(1);
        let rounds = if self.repeats { usize::MAX } else { 1 };
        (place..).step_by(step).take(rounds)
    }

    /// Whether each arm gets every case of the shared sequence at most once: a pool without repeats.
    pub(crate) fn is_once(&self) -> bool {
        matches!(self.design, Design::Items { .. }) && !self.repeats
    }

    pub(crate) fn running(&self) -> impl Iterator<Item = (ArmId, Case)> + '_ {
        self.pending
            .values()
            .map(|pending| (pending.arm, pending.case))
    }
}

/// Returns the group of an item.
fn of(groups: &[u64], item: u64) -> Option<u64> {
    groups.get(usize::try_from(item).ok()?).copied()
}

/// Writes into `places` where each item of `order` stands; the first one stands at place `first`.
fn note_places(places: &mut [u64], order: &[u64], first: u64) {
    for (place, &item) in (first..).zip(order) {
        if let Some(noted) = usize::try_from(item)
            .ok()
            .and_then(|item| places.get_mut(item))
        {
            *noted = place;
        }
    }
}

/// The greatest split that can be recorded.
const LAST: u64 = u64::MAX >> 1;

/// Returns the numbers below `count` in a random order, every order equally likely (Fisher and
/// Yates).
fn shuffled(count: u64, streams: &Streams) -> Vec<u64> {
    let mut rng = streams.documents();
    let mut order: Vec<u64> = (0..count).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, rng.random_range(0..=last));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(design: Design) -> Cases {
        Cases::new(design, None, Streams::new(7))
    }

    #[test]
    fn shared_splits_are_common_and_seeds_are_not() {
        let (a, b) = (ArmId::new(0), ArmId::new(1));
        let mut cases = cases(Design::Shared);
        cases.issued = 10;
        let first = cases.case(a, 3).unwrap();
        cases.issued = 11;
        let second = cases.case(b, 3).unwrap();
        assert_eq!(first.split, 3);
        assert_eq!(first.split, second.split);
        assert_ne!(first.seed, second.seed);
        cases.issued = 99;
        assert_eq!(cases.case(a, 3), Some(first));
    }

    #[test]
    fn independent_splits_never_repeat() {
        let arm = ArmId::new(0);
        let mut independent = cases(Design::Independent);
        let splits: Vec<u64> = (0..5)
            .map(|turn| {
                independent.issued = turn + 2;
                independent.case(arm, turn).unwrap().split
            })
            .collect();
        assert_eq!(splits, [2, 3, 4, 5, 6]);
        assert_eq!(cases(Design::Fixed).case(arm, 4).unwrap().split, 0);
    }

    #[test]
    fn recorded_splits_come_first_and_the_others_from_the_lowest_on() {
        let arm = ArmId::new(0);
        let mut shared = cases(Design::Shared);
        let places = [7, 0, 7, 2].map(|split| shared.admit(split).unwrap());
        assert_eq!(places, [0, 1, 0, 2]);
        let splits = |cases: &Cases, turns| -> Vec<u64> {
            let of = |turn| cases.case(arm, turn).unwrap().split;
            (0..turns).map(of).collect()
        };
        assert_eq!(splits(&shared, 9), [7, 0, 2, 1, 3, 4, 5, 6, 8]);
        assert!(shared.can_admit(LAST) && !shared.can_admit(LAST + 1));

        let mut independent = cases(Design::Independent);
        assert_eq!(independent.admit(40), None);
        independent.issued = 1;
        assert_eq!(independent.case(arm, 4).unwrap().split, 42);

        let mut documents = cases(Design::Items { count: 6 });
        let before = splits(&documents, 6);
        let (last, third) = (before[5], before[2]);
        assert_eq!(documents.admit(last), Some(0));
        assert_eq!(documents.admit(third), Some(1));
        assert_eq!(documents.admit(last), Some(0));
        assert!(documents.can_admit(5) && !documents.can_admit(6));
        let expected = [last, third, before[0], before[1], before[3], before[4]];
        assert_eq!(splits(&documents, 6), expected);
    }

    /// Tests splits of a limited number: recorded splits come first, then the others from the
    /// lowest on, and none beyond the last.
    #[test]
    fn so_many_splits_and_no_more() {
        let arm = ArmId::new(0);
        let bounded = |design| Cases::new(design, Some(4), Streams::new(7));
        let mut shared = bounded(Design::Shared);
        assert!(shared.can_admit(3) && !shared.can_admit(4));
        shared.admit(2);
        let splits: Vec<_> = (0..6).map(|turn| shared.case(arm, turn)).collect();
        let numbers = splits.iter().flatten().map(|case| case.split);
        assert!(numbers.eq([2, 0, 1, 3]) && splits[4].is_none() && !shared.has(4));

        let mut independent = bounded(Design::Independent);
        independent.admit(1);
        let mut next = |back: Option<u64>| {
            if let Some(split) = back {
                independent.take_back(split);
            }
            let split = independent.case(arm, 0)?.split;
            independent.give(split);
            Some(split)
        };
        let given = [None, None, None, None, Some(2), None].map(&mut next);
        assert_eq!(given, [Some(0), Some(2), Some(3), None, Some(2), None]);
        assert!(bounded(Design::Fixed).has(9));
    }

    /// Tests that a repeat is on the item of its place, with a seed of its own, and that first
    /// times are as in a study without repeats.
    #[test]
    fn repeats_follow_the_order_with_seeds_of_their_own() {
        let arm = ArmId::new(1);
        let once = cases(Design::Items { count: 5 });
        let again = cases(Design::Items { count: 5 }).repeating(true);
        let mut seeds = std::collections::BTreeSet::new();
        for turn in 0..15 {
            let case = again.case(arm, turn).unwrap();
            assert_eq!(
                case.split,
                again.order()[usize::try_from(turn % 5).unwrap()]
            );
            assert!(again.has(turn) && seeds.insert(case.seed));
            assert_eq!(once.case(arm, turn), (turn < 5).then_some(case));
        }
        assert!(!cases(Design::Items { count: 0 }).repeating(true).has(0));
        let splits = cases(Design::Fixed).repeating(true);
        assert!(!splits.repeats() && splits.items() == 0);
    }

    fn order(count: u64, seed: u64) -> Vec<u64> {
        let cases = Cases::new(Design::Items { count }, None, Streams::new(seed));
        let of = |index, turn| cases.case(ArmId::new(index), turn).map(|case| case.split);
        assert!((0..count).all(|turn| cases.has(turn) && of(0, turn) == of(1, turn)));
        assert!(!cases.has(count) && of(0, count).is_none() && of(0, u64::MAX).is_none());
        (0..count).map(|turn| of(0, turn).unwrap()).collect()
    }

    /// Tests that the random order of items never changes: recorded studies rest on it.
    #[test]
    fn the_order_of_documents_is_that_of_the_seed() {
        assert_eq!(order(10, 1), [7, 3, 5, 9, 1, 2, 6, 4, 0, 8]);
        assert_ne!(order(10, 2), order(10, 1));
        assert!(order(0, 1).is_empty());
        assert_eq!(order(1, 1), [0]);
    }

    #[test]
    fn benchmarks_have_an_item_in_turn_as_long_as_they_have_any() {
        let benchmark = |item: u64| u64::from(item >= 5);
        let groups: Vec<u64> = (0..25).map(benchmark).collect();
        let design = Design::Items { count: 25 };
        let cases = Cases::new(design, None, Streams::new(5)).in_turns(&groups);
        for round in cases.order()[..10].chunks(2) {
            assert_ne!(benchmark(round[0]), benchmark(round[1]));
        }
        assert!(cases.order()[10..].iter().all(|&item| item >= 5));
        for (place, &item) in (0..).zip(cases.order()) {
            assert_eq!(cases.place_of(item), Some(place));
        }
    }

    /// Tests that every beginning of the items' order holds its share of each group, that places
    /// agree with the order, and that within a group the order is as without groups.
    #[test]
    fn groups_are_balanced_in_every_beginning() {
        let groups: Vec<u64> = (0..120).map(|item| [0, 0, 0, 1, 1, 2][item % 6]).collect();
        let design = Design::Items { count: 120 };
        let plain = Cases::new(design, None, Streams::new(5));
        let cases = Cases::new(design, None, Streams::new(5)).balanced(&groups);
        let share = [0.5, 1.0 / 3.0, 1.0 / 6.0];
        let mut counts = [0.0; 3];
        let group = |item: u64| usize::try_from(groups[usize::try_from(item).unwrap()]).unwrap();
        for (m, &item) in (1_u32..).zip(cases.order()) {
            counts[group(item)] += 1.0;
            for (count, share) in counts.iter().zip(share) {
                let off: f64 = count - share * f64::from(m);
                assert!(off.abs() <= 1.0 + share * 3.0, "{m} {counts:?}");
            }
            assert_eq!(cases.place_of(item), Some(u64::from(m) - 1));
        }
        let of_group = |cases: &Cases, wanted: usize| -> Vec<u64> {
            let order = cases.order().iter().copied();
            order.filter(|&item| group(item) == wanted).collect()
        };
        for wanted in 0..3 {
            assert_eq!(of_group(&cases, wanted), of_group(&plain, wanted));
        }
        // Guards the stability of recorded studies: this order may never change.
        assert_eq!(cases.order()[..8], [3, 84, 59, 66, 16, 1, 58, 96]);
        // Without order, each in its random place: one group changes nothing.
        let one = Cases::new(design, None, Streams::new(5)).balanced(&[7; 120]);
        assert_eq!(one.order(), plain.order());
    }

    /// Tests χ² over the 24 orders of four documents in 4,800 studies: 23 degrees of freedom,
    /// beyond 64 once in 100,000 seeds' choices.
    #[test]
    fn every_order_is_equally_likely() {
        let mut counts = BTreeMap::new();
        for seed in 0..4800 {
            *counts.entry(order(4, seed)).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        let deviation: f64 = counts
            .values()
            .map(|&count| (f64::from(count) - 200.0).powi(2) / 200.0)
            .sum();
        assert!(deviation < 64.0, "{deviation}");
    }
}
