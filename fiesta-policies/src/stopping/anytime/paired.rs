//! Evidence between arms that are evaluated on the same splits: the differences over the splits
//! that both have.

use super::{
    martingale::{Mixture, standardised},
    tables::{Table, rounding},
};
use fiesta_core::Moments;

/// For every ordered pair (l, a) the greatest ln M⁺ of any common prefix, for "mean(l) > mean(a) −
/// ε".
#[derive(Debug, Clone)]
pub(super) struct Paired {
    arms: usize,
    tolerance: f64,
    /// The differences x_l − x_a of each pair l < a, at l·K + a.
    differences: Vec<Moments>,
    strongest: Vec<f64>,
    /// That of the longest common prefix.
    latest: Vec<f64>,
}

impl Paired {
    pub(super) fn new(arms: usize, tolerance: f64) -> Self {
        Self {
            arms,
            tolerance,
            differences: vec![Moments::default(); arms * arms],
            strongest: vec![f64::NEG_INFINITY; arms * arms],
            latest: vec![f64::NEG_INFINITY; arms * arms],
        }
    }

    /// The greatest evidence so far that `leader` is better than `arm`.
    pub(super) fn strongest(&self, leader: usize, arm: usize) -> f64 {
        self.strongest[leader * self.arms + arm]
    }

    /// The evidence now that `leader` is better than `arm`.
    pub(super) fn latest(&self, leader: usize, arm: usize) -> f64 {
        self.latest[leader * self.arms + arm]
    }

    /// Lets go of all evidence about `arm`, whose prefix is not what it was.
    pub(super) fn forget(&mut self, arm: usize) {
        for other in (0..self.arms).filter(|&other| other != arm) {
            for place in [arm * self.arms + other, other * self.arms + arm] {
                self.differences[place] = Moments::default();
                self.strongest[place] = f64::NEG_INFINITY;
                self.latest[place] = f64::NEG_INFINITY;
            }
        }
    }

    /// Takes the new scores of `arm`'s prefix into account.
    pub(super) fn extend(&mut self, arm: usize, tables: &[Table]) {
        for other in (0..self.arms).filter(|&other| other != arm) {
            self.compare(arm.min(other), arm.max(other), tables);
        }
    }

    fn compare(&mut self, low: usize, high: usize, tables: &[Table]) {
        let place = low * self.arms + high;
        let differences = &mut self.differences[place];
        let seen = usize::try_from(differences.count()).unwrap_or(usize::MAX);
        let common = tables[low].prefix().iter().zip(tables[high].prefix());
        let largest = tables[low].largest().max(tables[high].largest());
        for (one, other) in common.skip(seen) {
            differences.push(one - other);
            let count = differences.count();
            // Equal differences have no spread, which is not certainty: nothing stops on them.
            if differences.squares() <= rounding(count, largest) {
                continue;
            }
            let of = |r| Mixture::DIFFERENCES.ln(count, r);
            let forward = of(standardised(differences, -self.tolerance));
            let backward = of(-standardised(differences, self.tolerance));
            for (place, evidence) in [(place, forward), (high * self.arms + low, backward)] {
                self.strongest[place] = self.strongest[place].max(evidence);
                self.latest[place] = evidence;
            }
        }
    }
}
