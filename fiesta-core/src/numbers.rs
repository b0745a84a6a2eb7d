//! Sets of whole numbers with their lowest free number.

use std::collections::BTreeSet;

/// Bound below which each number of a set is stored as one bit.
const BITS: u64 = 1 << 24;

/// A set of numbers: a bit each for the first 2²⁴, as far as they go, and a tree of the others
/// above the lowest free number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbers {
    /// Lowest number that is not in the set.
    below: u64,
    bits: Vec<u64>,
    above: BTreeSet<u64>,
}

/// Returns the word and the bit in which a set stores a number.
fn place(number: u64) -> (usize, u64) {
    (
        usize::try_from(number / 64).unwrap_or(usize::MAX),
        1 << (number % 64),
    )
}

impl Numbers {
    /// Returns the lowest number that is not in the set.
    pub(crate) fn lowest_free(&self) -> u64 {
        self.below
    }

    /// Returns how many numbers of the set are not below `first`.
    pub(crate) fn count_from(&self, first: u64) -> u64 {
        let (word, bit) = place(first);
        let bits = self.bits.get(word..).unwrap_or_default().iter();
        let within: u64 = bits.map(|bits| u64::from(bits.count_ones())).sum();
        let cut = self.bits.get(word).map_or(0, |bits| bits & (bit - 1));
        let above = self.above.range(first..).count() as u64;
        // Of those that the tree let go, all from 2²⁴ to the lowest free one are in the set.
        let tree = self.below.saturating_sub(first.max(BITS));
        within - u64::from(cut.count_ones()) + above + tree
    }

    pub(crate) fn contains(&self, number: u64) -> bool {
        if number < self.below {
            return true;
        }
        if number >= BITS {
            return self.above.contains(&number);
        }
        let (word, bit) = place(number);
        self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }

    pub(crate) fn insert(&mut self, number: u64) {
        if number < BITS {
            let (word, bit) = place(number);
            if word >= self.bits.len() {
                self.bits.resize(word + 1, 0);
            }
            self.bits[word] |= bit;
        } else if number >= self.below {
            self.above.insert(number);
        }
        while self.below < BITS {
            let (word, bit) = place(self.below);
            if self.bits.get(word).is_none_or(|bits| bits & bit == 0) {
                return;
            }
            self.below += 1;
        }
        while self.above.remove(&self.below) {
            self.below += 1;
        }
    }

    pub(crate) fn remove(&mut self, number: u64) {
        if number < self.below {
            self.above.extend((number + 1).max(BITS)..self.below);
            self.below = number;
        }
        if number >= BITS {
            self.above.remove(&number);
            return;
        }
        let (word, bit) = place(number);
        if let Some(bits) = self.bits.get_mut(word) {
            *bits &= !bit;
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

    /// Tests that a set of numbers agrees with a plain set, also across the last number that has a
    /// bit.
    #[test]
    fn is_a_set() {
        for start in [0, BITS - 5] {
            let mut numbers = Numbers::default();
            // All but the last few that a bit stands for.
            for number in 0..start {
                numbers.insert(number);
            }
            let mut set = BTreeSet::new();
            let mut z = 1_u64;
            for _ in 0..4_000 {
                z = z
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let number = start + (z >> 33) % 90;
                if (z >> 60) < 14 {
                    numbers.insert(number);
                    set.insert(number);
                } else {
                    numbers.remove(number);
                    set.remove(&number);
                }
                let free = (start..start + 91).find(|number| !set.contains(number));
                assert_eq!(Some(numbers.lowest_free()), free);
                let other = start + (z >> 20) % 100;
                assert_eq!(numbers.contains(other), set.contains(&other), "{other}");
                let from = set.range(other..).count() as u64;
                assert_eq!(numbers.count_from(other), from, "{other}");
            }
        }
    }
}
