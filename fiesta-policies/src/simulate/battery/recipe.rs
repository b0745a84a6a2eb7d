//! Recipes of the battery's families: arms at stated difficulties.

use super::Family;
use crate::simulate::{Noise, Synthetic, SyntheticArm};
use fiesta_core::Design::{self, Independent, Shared};

/// The mean of the best arm.
pub(super) const BEST: f64 = 0.65;
/// Standard deviation of a split's effect, in the unit of the scores. The noise of one evaluation
/// is about as large, so that splits make up half of the variance, as among recorded sentiment
/// models.
const SPLIT: f64 = 0.02;
/// Distances of the rivals from the best arm, relative to the closest rival's.
pub(super) const SPREAD: [f64; 7] = [1.0, 1.35, 1.8, 2.3, 2.9, 3.6, 4.4];

/// Recipe that places arms by how hard they are to tell from the best.
#[derive(Clone)]
pub(super) struct Recipe {
    noise: Noise,
    design: Design,
    /// Arms, the best first, then the rivals; their means are still to be found.
    arms: Vec<SyntheticArm>,
    /// The distance of the closest rival, in standard deviations of the difference.
    gap: f64,
    /// Distances of all rivals from the best arm, relative to the closest rival's.
    spread: Vec<f64>,
    /// Place in `arms` of each arm of the problem.
    order: Vec<usize>,
}

impl Recipe {
    pub(super) fn new(sds: &[f64], gap: f64) -> Self {
        Self {
            noise: Noise {
                split: SPLIT,
                ..Noise::default()
            },
            design: Shared,
            arms: sds.iter().map(|&sd| SyntheticArm::new(BEST, sd)).collect(),
            gap,
            spread: SPREAD.to_vec(),
            order: (0..sds.len()).collect(),
        }
    }

    /// Removes the problem's split effects, and gives every evaluation a split of its own.
    pub(super) fn independent(self) -> Self {
        self.noise(|noise| noise.split = 0.0).own_splits()
    }

    /// Gives every evaluation of the problem a split of its own.
    pub(super) fn own_splits(self) -> Self {
        Self {
            design: Independent,
            ..self
        }
    }

    pub(super) fn noise(mut self, change: impl FnOnce(&mut Noise)) -> Self {
        change(&mut self.noise);
        self
    }

    pub(super) fn spread(self, spread: impl IntoIterator<Item = f64>) -> Self {
        let spread = spread.into_iter().collect();
        Self { spread, ..self }
    }

    pub(super) fn order(self, order: impl IntoIterator<Item = usize>) -> Self {
        let order = order.into_iter().collect();
        Self { order, ..self }
    }

    /// Changes the problem's arms at these places; place 0 is the best arm.
    pub(super) fn arms(
        mut self,
        places: impl IntoIterator<Item = usize>,
        change: impl Fn(SyntheticArm) -> SyntheticArm,
    ) -> Self {
        for place in places {
            self.arms[place] = change(self.arms[place]);
        }
        self
    }

    pub(super) fn family(self, name: impl Into<String>, about: &'static str) -> Family {
        let best = self.arms[0];
        let mut arms = vec![best];
        for (arm, relative) in self.arms[1..].iter().zip(&self.spread) {
            arms.push(arm.behind(&best, self.gap * relative, &self.noise, self.design));
        }
        let problem = Synthetic::new(self.order.iter().map(|&place| arms[place]), self.noise)
            .expect("families are within range");
        Family {
            name: name.into(),
            about,
            problem,
            design: self.design,
        }
    }
}
