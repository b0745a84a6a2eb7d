//! Families of made-up pools whose totals are exact: kinds of answers, means, gaps and rivals.

use crate::pools::{OfArm, numbered};
use clap::{ValueEnum, builder::PossibleValue};
use fiesta_core::bisect;
use rand::{RngExt, rngs::ChaCha8Rng, seq::SliceRandom};
use rand_distr::{Distribution, StandardNormal};
use std::{fmt, str::FromStr};

/// A family of pools, written `KIND:KxN:MEAN:GAP:RIVALS`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Family {
    pub(crate) kind: Kind,
    pub(crate) arms: usize,
    pub(crate) items: usize,
    /// Mean answer of the best arm.
    pub(crate) mean: f64,
    /// Lead of the best arm over the next, in items.
    pub(crate) gap: f64,
    pub(crate) rivals: Rivals,
}

/// Kinds of answers, and how the arms' answers to an item depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// Answers are right or wrong, each independent of the others.
    Alone,
    /// Answers are right or wrong, and items differ in difficulty: a latent correlation of .5.
    Shared,
    /// Answers are right or wrong: most items that an arm misses are missed by every arm.
    Core,
    /// Answers are right or wrong: arms are copies of one arm, with 2 % of the answers given anew.
    Copies,
    /// Answers are right or wrong: every arm fails on items of its own.
    Spots,
    /// Answers are right or wrong: five groups of items differ in difficulty.
    Groups,
    /// Answers are graded: mostly exact 0 and 1, some between.
    Ends,
    /// Answers are graded on a grid of .1.
    Grid,
    /// Answers are graded: normal values that are clipped at 1.
    Clipped,
    /// Answers are right or wrong: most items are answered rightly by all, a few are hard; totals are not adjusted.
    Saturated,
}

/// Distance of the other arms from the best arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rivals {
    /// All other arms are behind by the gap.
    Tied,
    /// The first rival is behind by the gap, each further rival by this many items more.
    Spread(f64),
    /// The first rival is as good as the best arm; all others are behind by the gap.
    Pair,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        f.write_str(value.as_ref().map_or("", PossibleValue::get_name))
    }
}

impl FromStr for Family {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || -> Option<Self> {
            let mut parts = text.split(':');
            let kind = Kind::from_str(parts.next()?, false).ok()?;
            let (arms, items) = parts.next()?.split_once('x')?;
            let mean: f64 = parts.next()?.parse().ok()?;
            let gap: f64 = parts.next()?.parse().ok()?;
            let rivals = match parts.next() {
                None | Some("tied") => Rivals::Tied,
                Some("pair") => Rivals::Pair,
                Some(spread) => Rivals::Spread(spread.parse().ok()?),
            };
            let family = Self {
                kind,
                arms: arms.parse().ok()?,
                items: items.parse().ok()?,
                mean,
                gap,
                rivals,
            };
            let fits = family.arms > 1 && family.items > 5 && gap >= 0.0;
            let has_mean = mean > 0.0 && mean < 1.0;
            let lowest = family.total(family.arms - 1);
            (fits && has_mean && lowest >= 0.0 && parts.next().is_none()).then_some(family)
        };
        parse().ok_or_else(|| {
            let kinds: Vec<String> = Kind::value_variants().iter().map(Kind::to_string).collect();
            let kinds = kinds.join(", ");
            format!(
                "`{text}` is no family of pools: write core:10x500:0.95:1:tied for 10 arms and 500 items, the best right on .95 and 1 item ahead of all others; or a number for how many items each is behind the one before, or pair; kinds are {kinds}"
            )
        })
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.kind;
        let (arms, items, mean, gap) = (self.arms, self.items, self.mean, self.gap);
        write!(f, "{name} {arms} × {items}, mean {mean}, gap {gap}")?;
        match self.rivals {
            _ if self.kind == Kind::Saturated => Ok(()),
            Rivals::Tied => write!(f, ", rivals tied"),
            Rivals::Spread(each) => write!(f, ", then {each} each"),
            Rivals::Pair => write!(f, ", best two tied"),
        }
    }
}

impl Family {
    /// Returns a family drawn at random: 2–40 arms, 60–3,000 items, means .02–.98, gaps of 1–8 items.
    pub(crate) fn random(rng: &mut ChaCha8Rng) -> Self {
        let uniform =
            |rng: &mut ChaCha8Rng, low: f64, high: f64| low + (high - low) * rng.random::<f64>();
        loop {
            let kinds = Kind::value_variants();
            let kind = kinds[rng.random_range(0..kinds.len())];
            let (arms, items) = (
                fiesta_core::whole(uniform(rng, 2_f64.ln(), 40.99_f64.ln()).exp()),
                fiesta_core::whole(uniform(rng, 60_f64.ln(), 3000_f64.ln()).exp()),
            );
            // Half of the means are near an end.
            let near = 1.0 - 0.02 * uniform(rng, 0.0, 3.0).exp();
            let mean = match rng.random_range(0..4) {
                0 => 1.0 - near,
                1 => near,
                _ => uniform(rng, 0.1, 0.9),
            };
            let gap = f64::from(rng.random_range(1_u32..9));
            let rivals = match rng.random_range(0..4) {
                0 | 1 => Rivals::Tied,
                2 => Rivals::Spread(f64::from(rng.random_range(1_u32..5))),
                _ => Rivals::Pair,
            };
            let mean = (mean * 1000.0).round() / 1000.0;
            let family = Self {
                kind,
                arms,
                items,
                mean,
                gap,
                rivals,
            };
            // There must be room for the gaps, and for the best arm not to be perfect.
            let is_pool = family.arms > 1 && family.total(family.arms - 1) >= 1.0;
            let is_cheap = family.arms * family.items <= 20_000;
            if is_pool && is_cheap && (1.0 - mean) * items as f64 >= 1.0 {
                return family;
            }
        }
    }

    /// Returns the total of an arm over the pool, in items.
    fn total(&self, arm: usize) -> f64 {
        let best = (self.mean * self.items as f64).round();
        let behind = match (arm, self.rivals) {
            (0, _) | (1, Rivals::Pair) => 0.0,
            (_, Rivals::Tied | Rivals::Pair) => self.gap,
            (_, Rivals::Spread(each)) => self.gap + each * (arm - 1) as f64,
        };
        best - behind
    }

    /// Returns a pool of the family, with the arms in a random order.
    pub(crate) fn pool(&self, rng: &mut ChaCha8Rng) -> Vec<OfArm> {
        let mut answers = self.answers(rng);
        if self.kind != Kind::Saturated {
            for (arm, answers) in answers.iter_mut().enumerate() {
                self.adjust(answers, self.total(arm), rng);
            }
        }
        answers.shuffle(rng);
        numbered(answers)
    }

    fn answers(&self, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let (arms, items, mean) = (self.arms, self.items, self.mean);
        let normal = |rng: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
        let right = |rng: &mut ChaCha8Rng, p: f64| f64::from(u8::from(rng.random::<f64>() < p));
        let difficulty: Vec<f64> = (0..items).map(|_| normal(rng)).collect();
        let base: Vec<f64> = (0..items).map(|_| right(rng, mean)).collect();
        let hard: Vec<bool> = (0..items).map(|_| rng.random::<f64>() < 0.12).collect();
        let at = quantile(mean);
        let mut of_arm = |arm: usize| -> Vec<f64> {
            let ability = 0.5 * normal(rng);
            let mut answer = |item: usize| {
                let latent =
                    |rng: &mut ChaCha8Rng| 0.5_f64.sqrt() * (difficulty[item] + normal(rng));
                match self.kind {
                    Kind::Alone => right(rng, mean),
                    Kind::Shared => f64::from(u8::from(latent(rng) < at)),
                    Kind::Core => {
                        let core = 0.7 * (1.0 - mean);
                        let is_core = (item as f64) < core * items as f64;
                        if is_core {
                            0.0
                        } else {
                            right(rng, mean / (1.0 - core))
                        }
                    }
                    Kind::Copies => {
                        if rng.random::<f64>() < 0.02 {
                            right(rng, mean)
                        } else {
                            base[item]
                        }
                    }
                    Kind::Spots => {
                        // Half of the answers to a stretch of the items, begun elsewhere by each arm.
                        let length = (2.0 * (1.0 - mean)).min(1.0);
                        let place = (item as f64 / items as f64 + arm as f64 * 0.618).fract();
                        if place < length {
                            right(rng, 1.0 - (1.0 - mean) / length)
                        } else {
                            1.0
                        }
                    }
                    Kind::Groups => {
                        let odds = mean / (1.0 - mean) * ((item % 5) as f64 - 2.0).exp();
                        right(rng, odds / (1.0 + odds))
                    }
                    Kind::Ends => {
                        if rng.random::<f64>() < 0.2 {
                            rng.random()
                        } else {
                            f64::from(u8::from(latent(rng) < at))
                        }
                    }
                    Kind::Grid => {
                        ((mean + 0.2 * latent(rng)).clamp(0.0, 1.0) * 10.0).round() / 10.0
                    }
                    Kind::Clipped => (mean + 0.2 * latent(rng)).clamp(0.0, 1.0),
                    Kind::Saturated => {
                        // Difficulties of mean .3 and standard deviation 2, as far as items are hard.
                        let logit = 1.5 * (ability - 0.3 - 2.0 * difficulty[item]);
                        right(
                            rng,
                            if hard[item] {
                                1.0 / (1.0 + (-logit).exp())
                            } else {
                                0.994
                            },
                        )
                    }
                }
            };
            (0..items).map(&mut answer).collect()
        };
        (0..arms).map(&mut of_arm).collect()
    }

    /// Changes random answers until their sum is `total`, except those that all arms miss.
    fn adjust(&self, answers: &mut [f64], total: f64, rng: &mut ChaCha8Rng) {
        let step = match self.kind {
            Kind::Grid => 0.1,
            _ => 1.0,
        };
        let first = if self.kind == Kind::Core {
            let core = 0.7 * (1.0 - self.mean) * self.items as f64;
            (0..self.items)
                .find(|&item| item as f64 >= core)
                .unwrap_or(0)
        } else {
            0
        };
        for _ in 0..1000 {
            let mut order: Vec<usize> = (first..answers.len()).collect();
            order.shuffle(rng);
            for item in order {
                let lacks = total - answers.iter().sum::<f64>();
                if lacks.abs() < 1e-9 {
                    return;
                }
                let to = (answers[item] + lacks.clamp(-step, step)).clamp(0.0, 1.0);
                answers[item] = if step < 1.0 {
                    (to * 10.0).round() / 10.0
                } else {
                    to
                };
            }
        }
    }
}

/// Returns the quantile of a standard normal variable, by bisection.
fn quantile(p: f64) -> f64 {
    bisect(-9.0, 9.0, |z| 0.5 * libm::erfc(-z / 2_f64.sqrt()) < p).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    /// Tests that totals are exact in every kind but `saturated`, and that answers lie between 0
    /// and 1.
    #[test]
    fn totals_are_exact() {
        for &name in Kind::value_variants() {
            if name == Kind::Saturated {
                continue;
            }
            for rivals in ["tied", "2", "pair"] {
                let family: Family = format!("{name}:5x300:0.9:3:{rivals}").parse().unwrap();
                let pool = family.pool(&mut ChaCha8Rng::seed_from_u64(1));
                let mut totals: Vec<f64> = pool
                    .iter()
                    .map(|(_, of)| of.iter().map(|(_, y)| y).sum())
                    .collect();
                totals.sort_by(|a, b| b.total_cmp(a));
                for (arm, total) in totals.iter().enumerate() {
                    assert!(
                        (total - family.total(arm)).abs() < 1e-6,
                        "{name} {rivals} {totals:?}"
                    );
                }
                let all = pool.iter().flat_map(|(_, of)| of.iter().map(|(_, y)| *y));
                assert!(all.into_iter().all(|y| (0.0..=1.0).contains(&y)));
            }
        }
        assert!("core:1x300:0.9:3:tied".parse::<Family>().is_err());
        assert!("core:5x300:0.001:3:tied".parse::<Family>().is_err());
    }
}
