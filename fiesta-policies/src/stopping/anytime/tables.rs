//! Scores of each arm in the order of its turns.

use std::collections::BTreeMap;

/// One arm's table of scores: its longest completed prefix of turns, and what ended beyond the first gap.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    prefix: Vec<f64>,
    beyond: BTreeMap<u64, f64>,
    largest: f64,
}

impl Table {
    /// Enters the score of a turn, and returns how many scores the prefix gained by it.
    pub(crate) fn enter(&mut self, turn: u64, score: f64) -> usize {
        let before = self.prefix.len();
        self.beyond.insert(turn, score);
        while let Some(score) = self.beyond.remove(&(self.prefix.len() as u64)) {
            self.prefix.push(score);
            self.largest = self.largest.max(score.abs());
        }
        self.prefix.len() - before
    }

    /// Replaces the score of a turn that was entered as a failure and was made again. Returns false
    /// if the turn is not in the prefix.
    pub(crate) fn replace(&mut self, turn: u64, score: f64) -> bool {
        let place = usize::try_from(turn).ok();
        let Some(old) = place.and_then(|place| self.prefix.get_mut(place)) else {
            return false;
        };
        *old = score;
        let sizes = self.prefix.iter().map(|score| score.abs());
        self.largest = sizes.fold(0.0, f64::max);
        true
    }

    /// Removes the score of a turn, which is made again: the prefix ends before it. Returns whether it
    /// was in the prefix.
    pub(crate) fn take_back(&mut self, turn: u64) -> bool {
        self.beyond.remove(&turn);
        let place = usize::try_from(turn).unwrap_or(usize::MAX);
        if place >= self.prefix.len() {
            return false;
        }
        let behind = self.prefix.split_off(place);
        self.beyond.extend((turn..).zip(behind).skip(1));
        true
    }

    /// Returns the scores of turns 0, 1, … up to the first turn that has none.
    pub(crate) fn prefix(&self) -> &[f64] {
        &self.prefix
    }

    /// Returns the largest absolute score of the prefix.
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }
}

/// Returns the sum of squared deviations below which `count` values no larger than `largest` are
/// all equal but for rounding.
pub(crate) fn rounding(count: u64, largest: f64) -> f64 {
    let step = 16.0 * f64::EPSILON * largest;
    count as f64 * step * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_ends_at_the_first_gap() {
        let mut table = Table::default();
        assert_eq!(table.enter(1, -2.0), 0);
        assert_eq!(table.enter(3, 9.0), 0);
        assert!(table.prefix().is_empty());
        assert_eq!(table.enter(0, 1.0), 2);
        assert_eq!(table.prefix(), [1.0, -2.0]);
        assert!((table.largest() - 2.0).abs() < 1e-15);
        assert_eq!(table.enter(2, 0.0), 2);
        assert_eq!(table.prefix(), [1.0, -2.0, 0.0, 9.0]);
        assert!(table.replace(3, 0.5) && !table.replace(4, 7.0));
        assert_eq!(table.prefix(), [1.0, -2.0, 0.0, 0.5]);
        assert!((table.largest() - 2.0).abs() < 1e-15);
        assert!(table.take_back(1) && !table.take_back(2));
        assert_eq!(table.prefix(), [1.0]);
        assert_eq!(table.enter(1, 4.0), 1);
        assert_eq!(table.enter(2, 5.0), 2);
        assert_eq!(table.prefix(), [1.0, 4.0, 5.0, 0.5]);
    }
}
