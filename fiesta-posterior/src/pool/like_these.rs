//! Posterior of a pair of arms for items drawn as those of a pool were.

use super::pair::{Lead, Parts, guard, paulson};
use crate::{benchmarks::Part, student::upper_tail};
use fiesta_core::Marginal;
use statrs::function::{beta::beta_reg, erf::erfc_inv};
use std::f64::consts::SQRT_2;

/// Size up to which a difference is rounding, on a scale that is 1 long.
const ROUNDING: f64 = 1e-9;
/// Greatest number of distinct sizes of differences that are told apart; beyond that they are many.
const SIZES: usize = 18;
/// Number of differences up to which Student's t is surer than that few can be.
const FEW: f64 = 6.0;
/// Items from which on the skewness of differences is no concern.
const SKEWED: f64 = 20.0;
/// Factor by which the differences are taken to be more skewed than the sample.
const SKEWNESS: f64 = 1.5;
/// How closely a lead is watched: the factor c of 1 + ln W in the probability that it is passed.
pub(crate) const WATCHED: f64 = 0.35;
/// The least probability that is computed as different from 0.
const LEAST: f64 = 1e-300;

/// The differences of two arms' answers, item by item, and which arm would be better on many more
/// items drawn as these were.
///
/// Of n items with the differences D, m is their mean, s² their sample variance, k the number of
/// those that are not 0, Q = ΣD²:
/// ```text
/// P(the first is better) = T_n(√n·w),   w = m/s̃,   s̃² = ((n − 1)·s² + Q/k) / n
/// ```
/// with Student's t of n degrees of freedom: the normal model with a flat prior of the mean, and one
/// item's worth of prior variance, the mean square of the differences that are not 0. A long tail on
/// one side makes t too sure of the other. So with g, 1.5 times the sample skewness, the number
/// h = w + g·w²/3 + g²·w³/27 + g/(6n) takes the place of w where h is nearer to 0. If all
/// differences have one size, as of right and wrong answers, it is P(Beta(n₊ + 1, n₋ + 1) > ½) of
/// the n₊ and n₋ differences of either sign, which is 1 less the one-sided mid-p of McNemar's test.
/// Otherwise with k ≤ 6, or at most k/2 distinct sizes, it lies between 2^−(k + 1) and 1 − 2^−(k + 1). It is ½
/// if k = 0.
///
/// # Example
/// A system is better than another on all of 8 data sets, by .020 to .045:
/// ```
/// use fiesta_posterior::Differences;
/// let of = [0.045, 0.031, 0.020, 0.020, 0.022, 0.035, 0.024, 0.020];
/// let differences: Differences = of.into_iter().collect();
/// assert!(differences.better() > 0.999);
/// // Right where the other is wrong, on all of 8 questions:
/// let differences: Differences = [1.0; 8].into_iter().collect();
/// assert!((differences.better() - (1.0 - 0.5_f64.powi(9))).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Differences {
    items: f64,
    /// Number of differences above 0, and number below 0.
    above: f64,
    below: f64,
    sum: f64,
    squares: f64,
    cubes: f64,
    /// The distinct sizes of differences, no more than [`SIZES`].
    sizes: Vec<f64>,
}

impl FromIterator<f64> for Differences {
    fn from_iter<T: IntoIterator<Item = f64>>(all: T) -> Self {
        let mut differences = Self::default();
        for difference in all {
            differences.add(difference);
        }
        differences
    }
}

impl Differences {
    /// Adds the first arm's answer to an item less the second's, on a scale that is 1 long.
    pub fn add(&mut self, difference: f64) {
        self.count(difference, 1.0);
        self.note(difference.abs());
    }

    fn note(&mut self, size: f64) {
        let is_new = |known: &f64| (known - size).abs() > ROUNDING;
        if size > ROUNDING && self.sizes.len() < SIZES && self.sizes.iter().all(is_new) {
            self.sizes.push(size);
        }
    }

    /// Replaces a difference that was added by another one. The sizes of both are kept.
    pub(super) fn replace(&mut self, before: f64, difference: f64) {
        self.count(before, -1.0);
        self.add(difference);
    }

    fn count(&mut self, difference: f64, count: f64) {
        self.items += count;
        if difference > ROUNDING {
            self.above += count;
        } else if difference < -ROUNDING {
            self.below += count;
        }
        let square = difference * difference;
        self.sum += count * difference;
        self.squares += count * square;
        self.cubes += count * square * difference;
    }

    /// Returns how many differences are not 0, k.
    fn differing(&self) -> f64 {
        self.above + self.below
    }

    /// Returns the size √(Q/k) of a typical difference; the whole scale if there is none.
    fn typical(&self) -> f64 {
        if self.differing() > 0.5 {
            (self.squares / self.differing()).sqrt()
        } else {
            1.0
        }
    }

    /// Returns the standard error √(s̃²/n) of the mean difference.
    fn error(&self) -> f64 {
        let items = self.items.max(1.0);
        let around = (self.squares - self.sum * self.sum / items).max(0.0);
        (around + self.typical().powi(2)).sqrt() / items
    }

    /// Returns √n·h, or √n·w if that is nearer to 0; 0 between the two.
    fn t(&self, margin: f64) -> f64 {
        let items = self.items.max(1.0);
        let root = items.sqrt();
        let w = (self.sum / items + margin) / (self.error() * root);
        let Some(skewness) = self.skewness().filter(|_| items > 2.5) else {
            return root * w;
        };
        let g = SKEWNESS * skewness * (items * (items - 1.0)).sqrt() / (items - 2.0);
        let h = w + g * w * w / 3.0 + g * g * w.powi(3) / 27.0 + g / (6.0 * items);
        root * if w > 0.0 {
            h.clamp(0.0, w)
        } else if w < 0.0 {
            h.clamp(w, 0.0)
        } else {
            w
        }
    }

    /// Returns P(the first arm is better over many more such items).
    pub fn better(&self) -> f64 {
        1.0 - self.worse(0.0)
    }

    /// Returns P(the first arm is worse by more than a margin, on the scale of the differences); of a
    /// margin below 0, P(it is not better by that much).
    ///
    /// # Example
    /// ```
    /// use fiesta_posterior::Differences;
    /// let same: Differences = (0..200).map(|item| f64::from(item % 40 - 20).signum()).collect();
    /// assert!(same.worse(0.2) < same.worse(0.0) && same.worse(0.0) < same.worse(-0.2));
    /// ```
    pub fn worse(&self, margin: f64) -> f64 {
        let (items, differing) = (self.items.max(1.0), self.differing());
        let is_of_one_size = self.sizes.len() < 2;
        if margin == 0.0 && is_of_one_size {
            return beta_reg(self.above + 1.0, self.below + 1.0, 0.5);
        }
        let is_few = self.are_few();
        if margin != 0.0 && is_few {
            let typical = self.typical();
            let [above, below] = self.sides();
            let ahead = (above + margin * items / typical).max(1e-6);
            return upper_tail(paulson([ahead, below], [above, below]), f64::INFINITY);
        }
        let tail = upper_tail(self.t(margin), items);
        if is_few {
            let least = 0.5_f64.powf(differing + 1.0);
            return tail.clamp(least, 1.0 - least);
        }
        tail
    }

    /// Returns whether there are few differences, or few distinct sizes of them.
    fn are_few(&self) -> bool {
        let differing = self.differing();
        differing <= FEW || 2.0 * self.sizes.len() as f64 <= differing
    }

    /// Returns one more than the numbers of differences of either sign that have the same sum, all
    /// of the typical size.
    fn sides(&self) -> [f64; 2] {
        let sum = self.sum / self.typical();
        [sum, -sum].map(|sum| 0.5 * (self.differing() + sum) + 1.0)
    }

    /// Returns what the differences say of the mean difference: of one size or few, two gamma
    /// variables with the shapes n± + 1, of which one is above the other with the probability that
    /// [`better`](Self::better) has; else t.
    pub(crate) fn part(&self) -> Part {
        let items = self.items.max(1.0);
        if self.sizes.len() < 2 || self.differing() <= FEW {
            let each = self.typical() / items;
            let sides = self.sides();
            return Part::Sides {
                mean: sides.map(|count| each * count),
                variance: sides.map(|count| each * each * count),
                known: [each * self.differing(), each * each * self.differing()],
            };
        }
        Part::Student(Marginal {
            location: self.sum / items,
            scale: self.error(),
            degrees_of_freedom: items,
        })
    }

    /// Returns the lead of the first arm over the second in a study that looks up to `size` items,
    /// with a margin in items of these.
    pub(super) fn lead(&self, (size, margin): (f64, f64)) -> Lead {
        let behind = self.worse(margin / size).clamp(LEAST, 1.0);
        let z = if behind < 1.0 - 1e-15 {
            SQRT_2 * erfc_inv(2.0 * behind)
        } else {
            -8.0
        };
        let error = size * self.error();
        let differences = size * self.differing() / self.items.max(1.0);
        Lead {
            z,
            variance: error * error,
            behind,
            guard: guard(z, behind, differences, WATCHED),
            parts: Parts::default(),
        }
    }

    /// Returns whether Student's t is too sure of these differences: fewer than 20, with a skewness
    /// beyond 1.
    ///
    /// What few items show of a long tail on one side is too little.
    pub fn are_few_and_skewed(&self) -> bool {
        let is_graded = self.sizes.len() > 1;
        is_graded
            && self.items < SKEWED
            && self.skewness().is_some_and(|skewness| skewness.abs() > 1.0)
    }

    /// Returns whether differences of equal weight have no sum below 0, and no more below 0 than above:
    /// whatever [`worse`](Self::worse) of them is, it is at most ½.
    pub(super) fn are_not_below(strata: &[Self; 2]) -> bool {
        let sum = |of: fn(&Self) -> f64| of(&strata[0]) + of(&strata[1]);
        sum(|of| of.sum) >= 0.0 && sum(|of| of.above - of.below) >= 0.0
    }

    /// Returns the differences of both outcomes of a leader together. With weights, an item counts
    /// for as many as its outcome has among the leader's answers, `of_leader`, for each that the
    /// rival has as well.
    pub(super) fn joined(strata: &[Self; 2], of_leader: Option<[f64; 2]>) -> Self {
        let seen = strata[0].items + strata[1].items;
        let answered = of_leader.map(|answered| {
            // An outcome of which the rival has no item stands for nothing.
            [0, 1].map(|v: usize| {
                if strata[v].items > 0.5 {
                    answered[v]
                } else {
                    0.0
                }
            })
        });
        let weight = |v: usize| match answered {
            Some(answered) if strata[v].items > 0.5 => {
                answered[v] / (answered[0] + answered[1]) * seen / strata[v].items
            }
            _ => 1.0,
        };
        let mut joined = Self::default();
        let mut squares = 0.0;
        for (v, of_outcome) in strata.iter().enumerate() {
            let weight = weight(v);
            squares += weight * weight * of_outcome.items;
            joined.items += weight * of_outcome.items;
            joined.above += weight * of_outcome.above;
            joined.below += weight * of_outcome.below;
            joined.sum += weight * of_outcome.sum;
            joined.squares += weight * of_outcome.squares;
            joined.cubes += weight * of_outcome.cubes;
            for &size in &of_outcome.sizes {
                joined.note(size);
            }
        }
        // Unequal weights tell less than as many equal ones (Kish).
        let part = if seen > 0.5 { seen / squares } else { 1.0 };
        for sum in [
            &mut joined.items,
            &mut joined.above,
            &mut joined.below,
            &mut joined.sum,
            &mut joined.squares,
            &mut joined.cubes,
        ] {
            *sum *= part;
        }
        joined
    }

    /// Returns the skewness of the differences, m₃/m₂^1.5 of their moments about the mean. `None`
    /// if they are all equal.
    pub fn skewness(&self) -> Option<f64> {
        let items = self.items.max(1.0);
        let mean = self.sum / items;
        let square = self.squares / items;
        let second = square - mean * mean;
        let third = self.cubes / items - 3.0 * mean * square + 2.0 * mean.powi(3);
        (second > ROUNDING * square).then(|| third / second.powf(1.5))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that no lead whose computation is left out would be below 0: all sums of up to five
    /// differences, of one size and of several, by either outcome of the leader.
    #[test]
    fn what_is_not_below_is_not_behind() {
        const SIZES: [f64; 6] = [-1.0, -0.5, 0.0, 0.1, 0.5, 1.0];
        let mut counted = 0;
        for code in 0..SIZES.len().pow(5) * 4 {
            let count = code % 4 + 2;
            let places = std::iter::successors(Some(code / 4), |rest| Some(rest / 6));
            let drawn = places.take(count).map(|rest| SIZES[rest % 6]);
            let mut strata = [Differences::default(), Differences::default()];
            for (place, difference) in drawn.enumerate() {
                strata[place % 2].add(difference);
            }
            if Differences::are_not_below(&strata) {
                counted += 1;
                let lead = Differences::joined(&strata, None).lead((100.0, 0.0));
                assert!(lead.z > -1e-9, "{strata:?} {lead:?}");
            }
        }
        assert!(counted > 5000, "{counted}");
    }
}
