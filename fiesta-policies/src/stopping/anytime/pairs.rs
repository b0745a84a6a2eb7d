//! Evidence between the arms of every ordered pair, from the differences of their scores by turn.

use super::{
    bets::{Bets, Hypothesis},
    martingale::{Mixture, standardised},
    tables::{Table, rounding},
};
use fiesta_core::Moments;

/// The test that every pair of arms undergoes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Test {
    /// The test by one-sided t-mixtures, for Gaussian differences.
    Gaussian,
    /// The test by bets, for scores between these bounds.
    Bounded {
        /// The least possible score, oriented so that larger is better.
        low: f64,
        /// The greatest possible score.
        high: f64,
        /// Number of turns in a pool of items. `None` if turns have no end.
        items: Option<u64>,
    },
}

/// The evidence that one arm's mean exceeds another's minus ε.
#[derive(Debug, Clone, Default)]
pub(super) struct Pair {
    /// Differences of the two arms' scores on the turns that both have.
    differences: Moments,
    bets: Bets,
    /// The greatest evidence ln M after any number of common turns; 0 after none.
    pub(super) strongest: f64,
    /// Evidence ln M after all common turns.
    pub(super) latest: f64,
}

impl Pair {
    /// Returns the number of turns that both arms of the pair have.
    pub(super) fn turns(&self) -> u64 {
        self.differences.count()
    }

    /// Returns the mean difference of the two arms over their common turns.
    pub(super) fn mean(&self) -> f64 {
        self.differences.mean()
    }

    /// Takes one more difference into account, of two scores no larger than `largest`.
    pub(super) fn push(&mut self, difference: f64, largest: f64, test: Test, tolerance: f64) {
        self.differences.push(difference);
        self.latest = match test {
            Test::Gaussian => {
                let count = self.differences.count();
                // Equal differences have no spread, which is not certainty: nothing stops on them.
                if self.differences.squares() <= rounding(count, largest) {
                    return;
                }
                Mixture::DIFFERENCES.ln(count, standardised(&self.differences, -tolerance))
            }
            Test::Bounded { low, high, items } => {
                let (range, mean) = (high - low, -tolerance);
                let hypothesis = Hypothesis { range, items, mean };
                self.bets.take(difference, hypothesis)
            }
        };
        self.strongest = self.strongest.max(self.latest);
    }
}

/// Evidence between all ordered pairs of arms.
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    arms: usize,
    tolerance: f64,
    test: Test,
    /// Evidence that arm l is better than arm a, at l·K + a.
    all: Vec<Pair>,
}

impl Pairs {
    pub(super) fn new(arms: usize, tolerance: f64, test: Test) -> Self {
        Self {
            arms,
            tolerance,
            test,
            all: vec![Pair::default(); arms * arms],
        }
    }

    pub(super) fn test(&self) -> Test {
        self.test
    }

    /// Returns the evidence that `leader` is better than `arm`. `None` if there is no such pair.
    pub(super) fn of(&self, leader: usize, arm: usize) -> Option<&Pair> {
        let within = leader < self.arms && arm < self.arms;
        within.then(|| &self.all[leader * self.arms + arm])
    }

    /// Removes all evidence about `arm`, after a score in its prefix has changed.
    pub(super) fn forget(&mut self, arm: usize) {
        for other in 0..self.arms {
            self.all[arm * self.arms + other] = Pair::default();
            self.all[other * self.arms + arm] = Pair::default();
        }
    }

    /// Takes the new scores of `arm`'s prefix into account.
    pub(super) fn extend(&mut self, arm: usize, tables: &[Table]) {
        for other in (0..self.arms).filter(|&other| other != arm) {
            self.compare(arm, other, tables);
            self.compare(other, arm, tables);
        }
    }

    fn compare(&mut self, leader: usize, arm: usize, tables: &[Table]) {
        let pair = &mut self.all[leader * self.arms + arm];
        let seen = usize::try_from(pair.turns()).unwrap_or(usize::MAX);
        let [one, other] = [leader, arm].map(|arm| &tables[arm]);
        let largest = one.largest().max(other.largest());
        for (x, y) in one.prefix().iter().zip(other.prefix()).skip(seen) {
            pair.push(x - y, largest, self.test, self.tolerance);
        }
    }
}
