//! Pools that an item response model makes up.

use super::OfArm;
use rand::{rngs::ChaCha8Rng, seq::SliceRandom};
use rand_distr::{Distribution, StandardNormal};
use std::str::FromStr;

/// Pools of an item response model.
#[derive(Debug, Clone, Copy)]
pub(super) struct MadeUp {
    pub(super) arms: usize,
    pub(super) items: usize,
    pub(super) gap: usize,
    pub(super) correlation: f64,
    pub(super) spread: f64,
}

impl FromStr for MadeUp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let mut parts = text.split(':');
            let (arms, items) = parts.next()?.split_once('x')?;
            let made_up = Self {
                arms: arms.parse().ok()?,
                items: items.parse().ok()?,
                gap: parts.next()?.parse().ok()?,
                correlation: parts.next()?.parse().ok()?,
                spread: parts.next()?.parse().ok()?,
            };
            let fits = made_up.arms > 1 && made_up.gap < made_up.items / 4;
            let is_correlation = (0.0..1.0).contains(&made_up.correlation);
            (fits && is_correlation && parts.next().is_none()).then_some(made_up)
        };
        parse().ok_or_else(|| {
            format!("`{text}` is no pool: write 12x1000:1:0.5:0.1 for 12 arms, 1000 items, a gap of 1 item, a correlation of .5 and arms .1 apart")
        })
    }
}

impl MadeUp {
    /// One pool: arm k answers item i right if a_k > √ρ·b_i + √(1 − ρ)·e_ki, with normal b and e and
    /// a = .3, .3, .3 − s, .3 − 2s, …; then as many answers are turned as bring the first arm ahead
    /// of the second by the gap, and of every other by that or more.
    pub(super) fn pool(self, rng: &mut ChaCha8Rng) -> Vec<OfArm> {
        let normal = |rng: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
        let difficulty: Vec<f64> = (0..self.items).map(|_| normal(rng)).collect();
        let (shared, own) = (self.correlation.sqrt(), (1.0 - self.correlation).sqrt());
        let mut right: Vec<Vec<bool>> = Vec::new();
        for arm in 0..self.arms {
            let ability = 0.3 - self.spread * arm.saturating_sub(1) as f64;
            let answer = |b: &f64| ability > shared * b + own * normal(rng);
            right.push(difficulty.iter().map(answer).collect());
        }
        let count = |answers: &[bool]| answers.iter().filter(|right| **right).count();
        let most = right.iter().map(|answers| count(answers)).max();
        let most = most.unwrap_or_default().clamp(self.gap, self.items);
        for (arm, answers) in right.iter_mut().enumerate() {
            let behind = most - self.gap;
            let target = match arm {
                0 => most,
                1 => behind,
                _ => count(answers).min(behind),
            };
            let mut order: Vec<usize> = (0..self.items).collect();
            order.shuffle(rng);
            let mut have = count(answers);
            for item in order {
                let wanted = have < target;
                if have != target && answers[item] != wanted {
                    answers[item] = wanted;
                    have = if wanted { have + 1 } else { have - 1 };
                }
            }
        }
        let named = right.into_iter().enumerate().map(|(arm, right)| {
            let answers = right.into_iter().enumerate();
            let score = |right: bool| f64::from(u8::from(right));
            let answers = answers.map(|(item, right)| (item.to_string(), score(right)));
            (format!("arm{arm}"), answers.collect())
        });
        named.collect()
    }
}
