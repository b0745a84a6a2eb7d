//! Populations of items with answers of several arms, whose means are known.

use rand::{Rng, RngExt, SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Exp1, StandardNormal};
use serde::Serialize;

/// Distribution of the answers to an item. The first arm has the highest mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) enum Population {
    /// Answers are right or wrong; the other arms have this mean.
    Bits(f64),
    /// Answers are normally distributed.
    Normal,
    /// Answers are multiples of .1, of which neighbours are equally likely.
    Grid,
    /// Answers are right or wrong on four of five items, and in between on the fifth.
    MostlyBits,
    /// Answers are equal on four of five items, else normal.
    MostlyTied,
    /// Answers are normal, on one of twenty items with five times the spread.
    HeavyTailed,
    /// The best arm has an exponential part: a long tail of differences towards it.
    SkewedUp,
    /// The other arms have an exponential part: a long tail of differences away from the best.
    SkewedDown,
}

pub(super) const ALL: [Population; 10] = [
    Population::Bits(0.5),
    Population::Bits(0.8),
    Population::Bits(0.95),
    Population::Normal,
    Population::Grid,
    Population::MostlyBits,
    Population::MostlyTied,
    Population::HeavyTailed,
    Population::SkewedUp,
    Population::SkewedDown,
];

/// Correlation of two arms' answers to an item.
const ALIKE: f64 = 0.6;
/// Bounds of the answers.
pub(super) const BOUNDS: (f64, f64) = (-100.0, 100.0);

impl Population {
    pub(super) fn name(self) -> String {
        match self {
            Self::Bits(mean) => format!("0/1, mean {mean}"),
            Self::Normal => "normal".to_owned(),
            Self::Grid => "grid of .1".to_owned(),
            Self::MostlyBits => "four of five 0/1".to_owned(),
            Self::MostlyTied => "four of five tied".to_owned(),
            Self::HeavyTailed => "heavy tails".to_owned(),
            Self::SkewedUp => "exponential, towards the best".to_owned(),
            Self::SkewedDown => "exponential, away from the best".to_owned(),
        }
    }

    /// Draws the answers to a further item; the first arm's mean is higher by `gap`.
    pub(super) fn draw(self, gap: f64, answers: &mut [f64], rng: &mut dyn Rng) {
        let normal = |rng: &mut dyn Rng| -> f64 { rng.sample(StandardNormal) };
        let common = normal(rng) * ALIKE.sqrt();
        let latent = |rng: &mut dyn Rng| common + normal(rng) * (1.0 - ALIKE).sqrt();
        let lead = |arm: usize| if arm == 0 { gap } else { 0.0 };
        let is_fifth = rng.random::<f64>() < 0.2;
        let is_rare = rng.random::<f64>() < 0.05;
        let level = (common * 2.0).round().clamp(-3.0, 3.0) / 10.0;
        for (arm, answer) in answers.iter_mut().enumerate() {
            let lead = lead(arm);
            let bit = |rng: &mut dyn Rng, mean: f64| {
                f64::from(u8::from(below_normal(latent(rng)) < mean))
            };
            *answer = match self {
                Self::Bits(mean) => bit(rng, mean + lead),
                Self::Normal => latent(rng) + lead,
                Self::Grid => {
                    let own = rng.random_range(0..3_u8);
                    let step = f64::from(u8::from(rng.random::<f64>() < lead / 0.1));
                    0.5 + level + (f64::from(own) + step) / 10.0
                }
                Self::MostlyBits if is_fifth => rng.random(),
                Self::MostlyBits => bit(rng, 0.6 + lead / 0.8),
                Self::MostlyTied if is_fifth => latent(rng) + lead / 0.2,
                Self::MostlyTied => common,
                Self::HeavyTailed => {
                    let wide = if is_rare { 5.0 } else { 1.0 };
                    common + normal(rng) * wide + lead
                }
                Self::SkewedUp | Self::SkewedDown => {
                    let is_long = (self == Self::SkewedUp) == (arm == 0);
                    let tail: f64 = if is_long { rng.sample(Exp1) } else { 1.0 };
                    common + tail + 0.1 * normal(rng) + lead
                }
            };
        }
    }

    /// Returns the standard deviation of the difference of the first two arms if they are equal.
    pub(super) fn deviation(self) -> f64 {
        let (mut rng, mut answers) = (ChaCha8Rng::seed_from_u64(0), [0.0; 2]);
        let draws = 200_000;
        let mut squares = 0.0;
        for _ in 0..draws {
            self.draw(0.0, &mut answers, &mut rng);
            squares += (answers[0] - answers[1]).powi(2);
        }
        (squares / f64::from(draws)).sqrt()
    }

    /// Returns the greatest gap that the answers leave room for.
    pub(super) fn most(self) -> f64 {
        match self {
            Self::Bits(mean) => 1.0 - mean,
            Self::Grid => 0.1,
            Self::MostlyBits => 0.4 * 0.8,
            _ => f64::INFINITY,
        }
    }
}

/// Returns P(Z < z) of a normal variable.
fn below_normal(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}
