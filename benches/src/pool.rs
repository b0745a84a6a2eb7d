//! A made-up pool of right and wrong answers, and a selection on it under way.

use fiesta_core::{ArmId, Arms, Ask, Design, Event, Outcome, Selector};
use fiesta_policies::{
    PoolPolicy as Policy,
    stopping::{Distance, PosteriorThreshold},
};
use fiesta_posterior::Pool as Posterior;

/// A selection among K arms on N items. Arms answer between 55 and 60 % of the items right, each
/// item as hard for all, and nothing but all answers would tell the best from the next.
pub struct PoolStudy {
    selector: Selector,
    arms: usize,
    answers: Vec<(ArmId, u64, f64)>,
    /// The number of evaluations that were made.
    pub made: u64,
}

/// Returns a number between 0 and 1 that looks random, of two numbers (the finaliser of `SplitMix64`).
fn uniform(one: u64, other: u64) -> f64 {
    let mut z = one.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ other.wrapping_mul(0xd1b5_4a32_d192_ed03);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Returns the answer of an arm to an item, 0 or 1: right if half of the item's difficulty and half
/// of the arm's own luck lie below its ability. The best two are equally able.
pub fn answer(arm: usize, arms: usize, item: u64) -> f64 {
    let ability = 0.53 - 0.04 * arm.saturating_sub(1) as f64 / arms as f64;
    let luck = 0.5 * (uniform(item + 1, 0) + uniform(item + 1, arm as u64 + 1));
    f64::from(u8::from(luck < ability))
}

impl PoolStudy {
    /// Returns the selection with policy and posterior `pool`, and a rule that looks after every
    /// answer and hardly ever stops.
    ///
    /// # Panics
    /// If there are fewer than two arms.
    pub fn new(arms: usize, items: u64) -> Self {
        let names = (0..arms).map(|arm| format!("arm{arm}"));
        let names = Arms::new(names).expect("there are two arms or more");
        let rule = PosteriorThreshold::new(1.0 - 1e-12).expect("it is a confidence");
        // As studies of items have it: nothing is called tied before it is known.
        let rule = rule.tied_within(Distance::ZERO).expect("it is a distance");
        let posterior = Posterior::new(arms, items);
        let selector = Selector::builder(names, posterior, Policy::default(), rule)
            .design(Design::Items { count: items })
            .seed(1)
            .build()
            .expect("the posterior has as many arms");
        Self {
            selector,
            arms,
            answers: Vec::new(),
            made: 0,
        }
    }

    /// Makes a look, a decision and its answer. Returns false once the selection has ended.
    ///
    /// # Panics
    /// If the selector refuses an answer of its own asking.
    pub fn step(&mut self) -> bool {
        let ask = self.selector.ask().expect("the policy chooses among arms");
        let Ask::Evaluate(evaluation) = ask else {
            return false;
        };
        let score = answer(evaluation.arm.index(), self.arms, evaluation.case.split);
        let ended = Event::Ended {
            id: evaluation.id,
            outcome: Outcome::Observed(score),
            cost: 1.0,
        };
        let told = self.selector.tell(ended);
        told.expect("the evaluation is pending and its answer a number");
        self.answers
            .push((evaluation.arm, evaluation.case.split, score));
        self.made += 1;
        true
    }

    /// Makes `count` steps of the selection, or as many as there are until its end.
    pub fn steps(&mut self, count: u64) {
        for _ in 0..count {
            if !self.step() {
                break;
            }
        }
    }

    /// Returns the arm, the item and the answer of every evaluation, in the order in which they were made.
    pub fn answers(&self) -> &[(ArmId, u64, f64)] {
        &self.answers
    }

    /// Returns the selector of the study.
    pub fn selector(&self) -> &Selector {
        &self.selector
    }
}
