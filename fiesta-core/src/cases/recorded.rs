//! Splits or documents of evaluations that were made before a study.

use std::collections::{BTreeSet, HashMap};

/// The splits or documents of evaluations that were made before the study. All arms go through
/// these first, in the order in which they were recorded, so that an arm without them is compared
/// with the others on them.
#[derive(Default)]
pub(super) struct Recorded {
    pub(super) order: Vec<u64>,
    pub(super) places: HashMap<u64, u64>,
    sorted: BTreeSet<u64>,
}

impl Recorded {
    /// Returns the place of a split in the order of recorded splits; a new split is added at its end.
    pub(super) fn place(&mut self, split: u64) -> u64 {
        let next = self.order.len() as u64;
        let place = *self.places.entry(split).or_insert(next);
        if place == next {
            self.order.push(split);
            self.sorted.insert(split);
        }
        place
    }

    /// Returns the split at a place of the order: recorded splits first, then the others, the lowest first.
    pub(super) fn split(&self, place: u64) -> u64 {
        let recorded = self.order.len() as u64;
        if place < recorded {
            return self.order[usize::try_from(place).unwrap_or(usize::MAX)];
        }
        let mut split = place - recorded;
        for &taken in &self.sorted {
            if taken > split {
                break;
            }
            split += 1;
        }
        split
    }

    /// Returns the first number above all recorded splits.
    pub(super) fn beyond(&self) -> u64 {
        self.sorted.last().map_or(0, |last| last + 1)
    }
}
