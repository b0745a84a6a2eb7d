//! Made-up pools of an item response model, the best arm a given number of items ahead.

use super::OfArm;
use crate::Failure;
use fiesta_policies::simulate::ItemResponse;
use rand::rngs::ChaCha8Rng;
use std::{fmt, str::FromStr};

/// Pools of an item response model.
#[derive(Debug, Clone, Copy)]
pub(super) struct MadeUp {
    arms: usize,
    items: usize,
    gap: usize,
    correlation: f64,
    spread: f64,
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
    /// One pool.
    pub(super) fn pool(&self, rng: &mut ChaCha8Rng) -> Result<Vec<OfArm>, Failure> {
        let Self {
            arms,
            items,
            gap,
            correlation,
            spread,
        } = *self;
        let right = ItemResponse::new(arms, items, gap, correlation, spread)?.pool(rng);
        let named = right.into_iter().enumerate().map(|(arm, right)| {
            let answers = right.into_iter().enumerate();
            let score = |right: bool| f64::from(u8::from(right));
            let answers = answers.map(|(item, right)| (item.to_string(), score(right)));
            (format!("arm{arm}"), answers.collect())
        });
        Ok(named.collect())
    }
}

impl fmt::Display for MadeUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            arms,
            items,
            gap,
            correlation,
            spread,
        } = self;
        write!(
            f,
            "{arms} × {items}, gap {gap}, correlation {correlation}, spread {spread}"
        )
    }
}
