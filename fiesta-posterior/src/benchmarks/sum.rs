//! Difference of two arms over several benchmarks: the sum of their differences, and its sign.

use crate::{pool::paulson, student::upper_tail};
use fiesta_core::Marginal;
use statrs::function::erf::erfc_inv;
use std::f64::consts::{PI, SQRT_2};

/// Effective number of known differences below which the sum of the gamma variables is computed by
/// its characteristic function.
const FEW: f64 = 8.0;
/// Probability from which on a closed form replaces the numerical inversion.
const LEAST: f64 = 1e-6;
/// Standard deviation of the normal variable that smooths the inverted distribution, as a share of
/// the sum's.
const SMOOTH: f64 = 0.02;
/// The most terms of an inversion.
const TERMS: u32 = 40_000;
/// Share of the parts below which a sum of known parts is rounding.
const ROUNDING: f64 = 1e-9;

/// Knowledge that one benchmark has of one arm's mean less another's, in the unit of the sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Part {
    /// The difference is known: all answers of both arms are counted.
    Known(f64),
    /// The difference is that of two independent gamma variables, one for each sign.
    Sides {
        mean: [f64; 2],
        variance: [f64; 2],
        /// Sums over the items that are known to differ: of their sizes, and of the squares.
        known: [f64; 2],
    },
    /// The difference has a t distribution.
    Student(Marginal),
}

impl Part {
    /// Returns the part in another unit, or with a weight.
    pub(crate) fn times(self, weight: f64) -> Self {
        let square = weight * weight;
        match self {
            Self::Known(difference) => Self::Known(weight * difference),
            Self::Sides {
                mean,
                variance,
                known: [sizes, squares],
            } => Self::Sides {
                mean: mean.map(|mean| weight * mean),
                variance: variance.map(|variance| square * variance),
                known: [weight * sizes, square * squares],
            },
            Self::Student(of) => Self::Student(Marginal {
                location: weight * of.location,
                scale: weight * of.scale,
                ..of
            }),
        }
    }

    /// Returns mean and variance of the difference, and the degrees of freedom of the variance.
    fn moments(&self) -> [f64; 3] {
        match self {
            Self::Known(difference) => [*difference, 0.0, f64::INFINITY],
            Self::Sides { mean, variance, .. } => {
                [mean[0] - mean[1], variance[0] + variance[1], f64::INFINITY]
            }
            Self::Student(of) => [of.location, of.scale * of.scale, of.degrees_of_freedom],
        }
    }
}

/// Weighted difference of two arms over all benchmarks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sum {
    /// Mean of the difference.
    pub(crate) mean: f64,
    /// Variance of the difference; 0 where every part is known.
    pub(crate) variance: f64,
    /// Probability that the difference is below 0.
    pub(crate) behind: f64,
    /// The standard normal quantile with that probability above it; 0 of a known tie.
    pub(crate) z: f64,
}

impl Sum {
    /// Sums the weighted parts.
    pub(crate) fn new(parts: &[Part]) -> Self {
        Self::by(parts, of_sides)
    }

    /// Sums the weighted parts in closed form, also where few differing items are known.
    pub(crate) fn closed(parts: &[Part]) -> Self {
        Self::by(parts, |parts, _, _| Gammas::new(parts).closed())
    }

    /// Sums the parts, with this probability that those that are no t distributions are below 0.
    fn by(parts: &[Part], of_sides: impl Fn(&[Part], f64, f64) -> f64) -> Self {
        let of = Self::marginal(parts);
        let (mean, variance) = (of.location, of.scale * of.scale);
        if variance <= 0.0 {
            let sizes = parts.iter().map(|part| part.moments()[0].abs());
            return Self::known(mean, sizes.sum());
        }
        let is_of_sides = |part: &Part| !matches!(part, Part::Student(_));
        let behind = if parts.iter().all(is_of_sides) {
            of_sides(parts, mean, variance)
        } else {
            upper_tail(mean / of.scale, of.degrees_of_freedom)
        };
        let behind = behind.clamp(1e-300, 1.0 - 1e-15);
        Self {
            mean,
            variance,
            behind,
            z: SQRT_2 * erfc_inv(2.0 * behind),
        }
    }

    fn known(mean: f64, size: f64) -> Self {
        /// A z beyond that of any probability.
        const CERTAIN: f64 = 40.0;
        let is_tied = mean.abs() <= ROUNDING * size;
        let mean = if is_tied { 0.0 } else { mean };
        Self {
            mean,
            variance: 0.0,
            behind: f64::from(u8::from(mean < 0.0)),
            z: if is_tied { 0.0 } else { CERTAIN.copysign(mean) },
        }
    }

    /// Returns the t distribution with the sum's mean and variance, and the degrees of freedom of
    /// Welch and Satterthwaite.
    pub(crate) fn marginal(parts: &[Part]) -> Marginal {
        let (mut location, mut variance, mut shared) = (0.0, 0.0, 0.0);
        for [of_mean, of_variance, degrees_of_freedom] in parts.iter().map(Part::moments) {
            location += of_mean;
            variance += of_variance;
            shared += of_variance * of_variance / degrees_of_freedom;
        }
        let degrees_of_freedom = if shared > 0.0 {
            variance * variance / shared
        } else {
            f64::INFINITY
        };
        Marginal {
            location,
            scale: variance.sqrt(),
            degrees_of_freedom,
        }
    }

    /// Returns the normal distribution with the sum's standardised lead.
    pub(crate) fn normal(&self) -> Marginal {
        if self.is_known() {
            return Marginal::normal(self.mean, f64::MIN_POSITIVE);
        }
        let sd = self.variance.sqrt();
        Marginal::normal(self.z * sd, sd)
    }

    pub(crate) fn is_known(&self) -> bool {
        self.variance <= 0.0
    }
}

/// Sum of gamma variables of either sign, and of known parts.
struct Gammas {
    /// Mean and variance of either side; the shift is in the means.
    mean: [f64; 2],
    variance: [f64; 2],
    shift: f64,
    /// Sums over the items that are known to differ: of their sizes, and of the squares.
    known: [f64; 2],
}

impl Gammas {
    fn new(parts: &[Part]) -> Self {
        let mut sum = Self {
            mean: [0.0; 2],
            variance: [0.0; 2],
            shift: 0.0,
            known: [0.0; 2],
        };
        for part in parts {
            match part {
                Part::Known(difference) => sum.shift += difference,
                Part::Sides {
                    mean,
                    variance,
                    known,
                } => {
                    for side in 0..2 {
                        sum.mean[side] += mean[side];
                        sum.variance[side] += variance[side];
                        sum.known[side] += known[side];
                    }
                }
                Part::Student(_) => {}
            }
        }
        sum.mean[usize::from(sum.shift < 0.0)] += sum.shift.abs();
        sum
    }

    /// Returns the probability that the sum is below 0, as if each side were one gamma variable.
    fn closed(&self) -> f64 {
        let unit = self.mean[0] + self.mean[1];
        let mean = self.mean.map(|mean| (mean / unit).max(1e-9));
        let z = paulson(mean, self.variance.map(|variance| variance / (unit * unit)));
        upper_tail(z, f64::INFINITY)
    }

    /// Returns whether few items are known that differ.
    fn is_few(&self) -> bool {
        let [sizes, squares] = self.known;
        squares <= 0.0 || sizes * sizes < FEW * squares
    }
}

/// Returns the probability that a sum of gamma variables of either sign, and of known parts, is
/// below 0.
fn of_sides(parts: &[Part], mean: f64, variance: f64) -> f64 {
    let sum = Gammas::new(parts);
    if !sum.is_few() || mean.abs() > 30.0 * variance.sqrt() {
        return sum.closed();
    }
    // Shape and signed scale of each gamma variable.
    let mut gammas = Vec::with_capacity(2 * parts.len());
    for part in parts {
        if let Part::Sides { mean, variance, .. } = part {
            for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                if variance[side] > 0.0 {
                    let scale = variance[side] / mean[side];
                    gammas.push((mean[side] / scale, sign * scale));
                }
            }
        }
    }
    let behind = inverted(sum.shift, &gammas, mean, variance.sqrt());
    if !(LEAST..=1.0 - LEAST).contains(&behind) {
        return sum.closed();
    }
    behind
}

/// Returns P(S < 0) of a shifted sum of gamma variables, given as shape and signed scale, with this
/// mean and standard deviation: the characteristic function is inverted by the midpoint rule.
///
/// Source: Davies, "Numerical inversion of a characteristic function", Biometrika 60 (1973).
fn inverted(shift: f64, gammas: &[(f64, f64)], mean: f64, sd: f64) -> f64 {
    let widest = gammas.iter().map(|(_, scale)| scale.abs());
    let widest = widest.fold(0.0, f64::max);
    let step = PI / (mean.abs() + 12.0 * sd + 25.0 * widest);
    let smooth = SMOOTH * sd;
    let mut sum = 0.0;
    for place in 0..TERMS {
        let place = f64::from(place) + 0.5;
        let t = place * step;
        let (mut ln_modulus, mut phase) = (-0.5 * (smooth * t).powi(2), shift * t);
        for (shape, scale) in gammas {
            let x = scale * t;
            ln_modulus -= 0.5 * shape * (x * x).ln_1p();
            phase += shape * x.atan();
        }
        if ln_modulus < -18.0 {
            break;
        }
        sum += ln_modulus.exp() * phase.sin() / place;
    }
    0.5 - sum / PI
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Differences;
    use rand::{SeedableRng, rngs::ChaCha8Rng};
    use rand_distr::{Distribution, Gamma, StudentT};
    use statrs::function::beta::beta_reg;

    /// Returns what right and wrong answers say of two arms: `above` items on which the first
    /// alone is right, `below` on which the second alone is, and `equal` others.
    fn part(above: usize, below: usize, equal: usize) -> Part {
        let of = |count, d| std::iter::repeat_n(d, count);
        let all = of(above, 1.0).chain(of(below, -1.0)).chain(of(equal, 0.0));
        all.collect::<Differences>().part()
    }

    /// Draws θ₊ − θ₋ from the Dirichlet distribution of the shares of items.
    fn dirichlet(above: usize, below: usize, equal: usize, rng: &mut ChaCha8Rng) -> f64 {
        let mut gamma = |shape: f64| Gamma::new(shape, 1.0).unwrap().sample(rng);
        let [a, b, c] =
            [above as f64 + 1.0, below as f64 + 1.0, equal as f64 - 1.0].map(&mut gamma);
        (a - b) / (a + b + c)
    }

    /// Tests one benchmark of right and wrong answers: P(Beta(n₊ + 1, n₋ + 1) < ½), by either way
    /// of computing.
    #[test]
    fn one_benchmark_is_mcnemars_beta() {
        for (above, below) in [(0, 0), (1, 0), (3, 1), (2, 4), (9, 5), (40, 22)] {
            let found = Sum::new(&[part(above, below, 200)]).behind;
            let expected = beta_reg(above as f64 + 1.0, below as f64 + 1.0, 0.5);
            assert!(
                (found - expected).abs() < 3e-4,
                "{above} {below}: {found} {expected}"
            );
        }
    }

    /// Tests sums with unequal weights against draws of Dirichlet distributions.
    #[test]
    fn sums_agree_with_draws_of_dirichlet_distributions() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let cases: [&[(f64, usize, usize, usize)]; 5] = [
            &[(0.5, 4, 1, 195), (0.5, 10, 12, 400)],
            // Fifty items at weight 20 beside 3000 at 1.
            &[(20.0 / 21.0, 2, 1, 47), (1.0 / 21.0, 60, 90, 2850)],
            &[(20.0 / 21.0, 0, 0, 50), (1.0 / 21.0, 60, 40, 2900)],
            &[(0.25, 3, 0, 97), (0.25, 2, 5, 93), (0.5, 30, 20, 450)],
            &[(0.2, 60, 90, 1000), (0.8, 30, 25, 1000)],
        ];
        for case in cases {
            let parts: Vec<Part> = { case.iter() }
                .map(|&(weight, above, below, equal)| part(above, below, equal).times(weight))
                .collect();
            let found = Sum::new(&parts).behind;
            let draws = 20_000;
            let below = |rng: &mut ChaCha8Rng| {
                let each = case.iter();
                let sum: f64 = each.map(|&(w, a, b, c)| w * dirichlet(a, b, c, rng)).sum();
                u32::from(sum < 0.0)
            };
            let drawn = (0..draws).map(|_| below(&mut rng)).sum::<u32>();
            let drawn = f64::from(drawn) / f64::from(draws);
            assert!((found - drawn).abs() < 0.012, "{case:?}: {found} {drawn}");
        }
    }

    /// Tests the inversion against draws of gamma variables, with a part that is known.
    #[test]
    fn known_parts_shift_the_sum() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        for shift in [-0.03, -0.005, 0.0, 0.01] {
            let parts = [part(3, 1, 96), Part::Known(shift)];
            let found = Sum::new(&parts).behind;
            let [ahead, behind] = [4.0, 2.0].map(|shape| Gamma::new(shape, 0.01).unwrap());
            let draws = 20_000;
            let below = |_| ahead.sample(&mut rng) - behind.sample(&mut rng) + shift < 0.0;
            let drawn = (0..draws).map(below).filter(|&is| is).count() as f64 / f64::from(draws);
            assert!((found - drawn).abs() < 0.008, "{shift}: {found} {drawn}");
        }
    }

    /// Tests two t distributions with few degrees of freedom against draws: Welch and Satterthwaite
    /// count the degrees of freedom of the variance, and draws spread a little wider.
    #[test]
    fn t_distributions_add_by_welch_and_satterthwaite() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let [one, other] = [(0.02, 0.01, 6.0), (-0.01, 0.012, 9.0)];
        let of = |(location, scale, degrees_of_freedom)| {
            Part::Student(Marginal {
                location,
                scale,
                degrees_of_freedom,
            })
        };
        let found = Sum::new(&[of(one), of(other)]).behind;
        let draws = 20_000;
        let mut draw = |(location, scale, df): (f64, f64, f64)| {
            location + scale * StudentT::new(df).unwrap().sample(&mut rng)
        };
        let below = (0..draws).filter(|_| draw(one) + draw(other) < 0.0).count();
        let drawn = below as f64 / f64::from(draws);
        assert!((found - drawn).abs() < 0.03, "{found} {drawn}");
    }

    #[test]
    fn known_sums_are_certain_and_may_be_tied() {
        let sum =
            |parts: &[f64]| Sum::new(&parts.iter().map(|&d| Part::Known(d)).collect::<Vec<_>>());
        assert!(sum(&[0.1, -0.05]).z > 8.0 && sum(&[0.1, -0.2]).behind > 1.0 - 1e-12);
        let tied = sum(&[0.1, 0.2, -0.3]);
        assert!(tied.is_known() && tied.z.abs() < 1e-12 && tied.behind < 1e-12);
        assert!(sum(&[]).z.abs() < 1e-12);
    }
}
