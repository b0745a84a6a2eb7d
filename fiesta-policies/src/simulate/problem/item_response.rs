//! Made-up pools of right and wrong answers, by an item response model.

use rand::{Rng, seq::SliceRandom};
use rand_distr::{Distribution, StandardNormal};

/// Pools of an item response model: arm k answers item i right if a_k > √ρ·b_i + √(1 − ρ)·e_ki, with
/// normal difficulties b and errors e of mean 0 and variance 1. The abilities are a, a, a − s, a − 2s,
/// …; then as many answers are turned as bring the first arm ahead of the second by a gap, and of
/// every other by that or more.
///
/// # Example
/// ```
/// use fiesta_policies::simulate::ItemResponse;
/// use rand::{SeedableRng, rngs::ChaCha8Rng};
/// let model = ItemResponse::new(3, 200, 5, 0.5, 0.1)?;
/// let right = model.pool(&mut ChaCha8Rng::seed_from_u64(1));
/// let count = |arm: usize| right[arm].iter().filter(|&&right| right).count();
/// assert_eq!(count(0) - count(1), 5);
/// assert!(count(0) - count(2) >= 5);
/// assert!(ItemResponse::new(3, 200, 150, 0.5, 0.1).is_err());
/// # Ok::<(), fiesta_policies::simulate::ItemResponseError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ItemResponse {
    arms: usize,
    items: usize,
    gap: usize,
    correlation: f64,
    spread: f64,
    ability: f64,
}

/// The reason why a pool of items cannot be made up for a simulation.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ItemResponseError {
    /// The pool has fewer than two arms.
    #[error("a pool needs two arms or more")]
    Arms,
    /// The gap leaves no room in the pool.
    #[error(
        "a gap of {gap} items is too much in a pool of {items}: it must be less than a quarter"
    )]
    Gap {
        /// Gap between the best arms, in items.
        gap: usize,
        /// The size of the pool.
        items: usize,
    },
    /// The correlation is out of range.
    #[error("the correlation {0} of two arms on an item must be at least 0 and less than 1")]
    Correlation(f64),
    /// The spread or the ability is no number, or the spread is below 0.
    #[error("the spread {0} of the arms must be 0 or more")]
    Spread(f64),
}

/// The ability of the best arm, with which it answers .62 of the items right.
const ABILITY: f64 = 0.3;

impl ItemResponse {
    /// Makes pools of `arms` arms and `items` items, the best arm `gap` items ahead. Two arms have
    /// the correlation ρ on an item, and the other arms the distance s from each other, in latent
    /// standard deviations.
    ///
    /// # Errors
    /// [`ItemResponseError`] for fewer than two arms, a gap of a quarter of the items or more, a
    /// correlation below 0 or from 1 on, or a spread below 0.
    pub fn new(
        arms: usize,
        items: usize,
        gap: usize,
        correlation: f64,
        spread: f64,
    ) -> Result<Self, ItemResponseError> {
        if arms < 2 {
            return Err(ItemResponseError::Arms);
        }
        if gap >= items / 4 {
            return Err(ItemResponseError::Gap { gap, items });
        }
        if !(0.0..1.0).contains(&correlation) {
            return Err(ItemResponseError::Correlation(correlation));
        }
        if !(spread >= 0.0 && spread.is_finite()) {
            return Err(ItemResponseError::Spread(spread));
        }
        Ok(Self {
            arms,
            items,
            gap,
            correlation,
            spread,
            ability: ABILITY,
        })
    }

    /// Draws a pool: whether each arm is right on each item.
    pub fn pool(&self, rng: &mut impl Rng) -> Vec<Vec<bool>> {
        let difficulty: Vec<f64> = (0..self.items)
            .map(|_| StandardNormal.sample(rng))
            .collect();
        let (shared, own) = (self.correlation.sqrt(), (1.0 - self.correlation).sqrt());
        let mut right: Vec<Vec<bool>> = Vec::new();
        for arm in 0..self.arms {
            let ability = self.ability - self.spread * arm.saturating_sub(1) as f64;
            let mut answer = |b: &f64| {
                let error: f64 = StandardNormal.sample(rng);
                ability > shared * b + own * error
            };
            right.push(difficulty.iter().map(&mut answer).collect());
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
        right
    }
}
