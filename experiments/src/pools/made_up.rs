//! Made-up pools of an item response model, the best arm a given number of items ahead.

use super::{OfArm, numbered};
use fiesta_policies::simulate::ItemResponse;
use rand::rngs::ChaCha8Rng;
use std::{fmt, str::FromStr};

/// Pools drawn from an item response model, with a description.
#[derive(Debug, Clone)]
pub(super) struct MadeUp {
    pools: ItemResponse,
    words: String,
}

impl FromStr for MadeUp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let mut parts = text.split(':');
            let (arms, items) = parts.next()?.split_once('x')?;
            let (arms, items) = (arms.parse().ok()?, items.parse().ok()?);
            let gap = parts.next()?.parse().ok()?;
            let correlation: f64 = parts.next()?.parse().ok()?;
            let spread: f64 = parts.next()?.parse().ok()?;
            let made_up = Self {
                pools: ItemResponse::new(arms, items, gap, correlation, spread).ok()?,
                words: format!(
                    "{arms} × {items}, gap {gap}, correlation {correlation}, spread {spread}"
                ),
            };
            parts.next().is_none().then_some(made_up)
        };
        parse().ok_or_else(|| {
            format!("`{text}` is no pool: write 12x1000:1:0.5:0.1 for 12 arms, 1000 items, a gap of 1 item, a correlation of .5 and arms .1 apart")
        })
    }
}

impl MadeUp {
    /// Draws a pool of made-up answers.
    pub(super) fn pool(&self, rng: &mut ChaCha8Rng) -> Vec<OfArm> {
        let score = |right: bool| f64::from(u8::from(right));
        let right = self.pools.pool(rng).into_iter();
        numbered(right.map(|right| right.into_iter().map(score).collect()))
    }
}

impl fmt::Display for MadeUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}
