//! Sets of whole numbers with their lowest free number.

use std::collections::BTreeSet;

/// A set of numbers, kept as all numbers below a bound and a few above it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbers {
    below: u64,
    above: BTreeSet<u64>,
}

impl Numbers {
    /// The lowest number that is not in the set.
    pub(crate) fn lowest_free(&self) -> u64 {
        self.below
    }

    pub(crate) fn contains(&self, number: u64) -> bool {
        number < self.below || self.above.contains(&number)
    }

    pub(crate) fn insert(&mut self, number: u64) {
        if number >= self.below {
            self.above.insert(number);
            while self.above.remove(&self.below) {
                self.below += 1;
            }
        }
    }

    pub(crate) fn remove(&mut self, number: u64) {
        if number < self.below {
            self.above.extend(number + 1..self.below);
            self.below = number;
        } else {
            self.above.remove(&number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_number() {
        let mut numbers = Numbers::default();
        for number in [0, 3, 1, 1, 0] {
            numbers.insert(number);
        }
        assert_eq!(numbers.lowest_free(), 2);
        assert!(numbers.contains(3) && !numbers.contains(2) && !numbers.contains(4));
        numbers.insert(2);
        assert_eq!(numbers.lowest_free(), 4);
        numbers.remove(1);
        numbers.remove(9);
        assert_eq!(numbers.lowest_free(), 1);
        assert!(numbers.contains(2) && numbers.contains(3));
        numbers.insert(1);
        assert_eq!(numbers.lowest_free(), 4);
    }
}
