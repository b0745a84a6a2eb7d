//! Runs of selections to their end, and the outcomes that they are told.

use super::{arms, tell};
use fiesta_core::{
    ArmId, Ask, Conclusion, FailureLimits, Limits, Outcome, Policy, Reason, Selector, StoppingRule,
    Verdict, View,
};
use fiesta_policies::stopping::Never;
use fiesta_posterior::GaussianArms;

/// Rule that stops at the first look after an observation.
struct AtOnce;

impl StoppingRule for AtOnce {
    fn check(&self, view: &View<'_>) -> Verdict {
        let seen = view.empirical_best().filter(|&arm| view.observed(arm) > 0);
        seen.map_or(Verdict::Continue, |arm| {
            Verdict::Stop(arm, Reason::PosteriorProbability { level: 0.5 })
        })
    }
}

/// Returns the number of evaluations that each arm was asked for before the stopping rule was first
/// consulted.
pub(super) fn until_the_first_look(arm_count: usize, policy: impl Policy + 'static) -> Vec<u64> {
    let posterior = GaussianArms::pooled(arm_count);
    let mut selector = Selector::builder(arms(arm_count), posterior, policy, AtOnce)
        .build()
        .unwrap();
    finish(&mut selector, 1, 1, by_number);
    attempts(&selector)
}

/// Returns a selection among `arm_count` arms that no belief stops.
pub(super) fn endless(
    arm_count: usize,
    policy: impl Policy + 'static,
    failure_limits: FailureLimits,
    limits: Limits,
) -> Selector {
    Selector::builder(
        arms(arm_count),
        GaussianArms::pooled(arm_count),
        policy,
        Never,
    )
    .failure_limits(failure_limits)
    .limits(limits)
    .build()
    .unwrap()
}

/// Runs a selection to its end with `workers` evaluations in flight, of which as many as `at_once`
/// end before it asks again. `outcome` tells the arm's `turn`-th evaluation.
pub(super) fn finish(
    selector: &mut Selector,
    workers: usize,
    at_once: usize,
    outcome: impl Fn(usize, u64) -> Outcome,
) -> Conclusion {
    loop {
        let pending: Vec<_> = selector.pending().collect();
        let ask = if pending.len() < workers {
            selector.ask().unwrap()
        } else {
            Ask::Wait
        };
        match ask {
            Ask::Evaluate(_) => {}
            // The last one first: outcomes arrive out of order.
            Ask::Wait => {
                for e in pending.iter().rev().take(at_once) {
                    tell(selector, e.id, outcome(e.arm.index(), e.case.split));
                }
            }
            Ask::Finished(end) => return end,
        }
    }
}

/// Runs a new selection to its end, where no failure retires an arm. Returns the attempts per arm,
/// and the winner.
pub(super) fn run(
    arm_count: usize,
    policy: impl Policy + 'static,
    workers: usize,
    limits: Limits,
    outcome: impl Fn(usize, u64) -> Outcome,
) -> (Vec<u64>, ArmId) {
    let failure_limits = FailureLimits {
        at_first: u64::MAX,
        later: u64::MAX,
    };
    let mut selector = endless(arm_count, policy, failure_limits, limits);
    let end = finish(&mut selector, workers, 1, outcome);
    (attempts(&selector), end.arm)
}

pub(super) fn attempts(selector: &Selector) -> Vec<u64> {
    let view = selector.view();
    let arms = selector.arms().ids();
    arms.map(|arm| view.attempts(arm)).collect()
}

pub(super) fn limited(evaluations: u64) -> Limits {
    Limits {
        evaluations: Some(evaluations),
        ..Limits::default()
    }
}

/// Limits of failures that retire an arm at its second failure.
pub(super) const IMPATIENT: FailureLimits = FailureLimits {
    at_first: 2,
    later: 2,
};

pub(super) fn by_number(index: usize, _turn: u64) -> Outcome {
    Outcome::Observed(index as f64)
}

/// Returns a number that looks random, of the salt, an arm and a turn (the finaliser of `SplitMix64`).
pub(super) fn hash(salt: u64, index: usize, turn: u64) -> u64 {
    let mut z = salt ^ (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (turn << 40);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Returns a function that gives scores that look random, and failures if asked for.
pub(super) fn noisy(salt: u64, failures: bool) -> impl Fn(usize, u64) -> Outcome {
    move |index, turn| match hash(salt, index, turn) {
        number if failures && number.is_multiple_of(4) => Outcome::Failed,
        number => Outcome::Observed((number >> 32) as f64 / 4e9),
    }
}
