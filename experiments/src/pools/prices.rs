//! Prices of the arms' answers.

use super::OfArm;
use rand::{RngExt, rngs::ChaCha8Rng, seq::SliceRandom};
use serde::Serialize;

/// Choice of the arms whose answers are dear; the others' answers cost 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Prices {
    /// Half of the arms, at random, are dear
    Random,
    /// The best arm over the pool is dear
    BestDear,
    /// All arms but the best are dear
    BestCheap,
    /// The second-best arm is dear
    RunnerUpDear,
    /// Each arm has a price of its own, the dearest price to the power of a number between 0 and 1
    Geometric,
}

impl Prices {
    /// Returns the price of each arm.
    pub(super) fn draw(self, arms: &[OfArm], dear: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let total = |arm: &OfArm| arm.1.iter().map(|(_, score)| score).sum::<f64>();
        let totals: Vec<f64> = arms.iter().map(total).collect();
        let mut ranks: Vec<usize> = (0..arms.len()).collect();
        ranks.sort_by(|&a, &b| totals[b].total_cmp(&totals[a]));
        let price = |is_dear: bool| if is_dear { dear } else { 1.0 };
        let mut prices = vec![1.0; arms.len()];
        match self {
            Self::Random => {
                for (place, price_of) in prices.iter_mut().enumerate() {
                    *price_of = price(place < arms.len() / 2);
                }
                prices.shuffle(rng);
            }
            Self::Geometric => prices.fill_with(|| dear.powf(rng.random::<f64>())),
            Self::BestDear | Self::BestCheap | Self::RunnerUpDear => {
                for (rank, &arm) in ranks.iter().enumerate() {
                    prices[arm] = price(match self {
                        Self::BestDear => rank == 0,
                        Self::BestCheap => rank != 0,
                        _ => rank == 1,
                    });
                }
            }
        }
        prices
    }
}
