//! Uniform allocation: every arm equally often.

use fiesta_core::{Next, Policy, View};
use rand::Rng;

/// Uniform allocation, the non-adaptive policy: rounds in which every arm is evaluated once.
///
/// A stopping rule looks after each complete round, whose evaluations may still run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Uniform;

impl Policy for Uniform {
    fn next(&mut self, view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        let fewest = view.with_case_left().min_by_key(|&arm| view.attempts(arm));
        fewest.map_or(Next::Wait, Next::Evaluate)
    }

    fn needs_posterior(&self) -> bool {
        false
    }

    fn round_complete(&self, view: &View<'_>) -> bool {
        let mut attempts = view.candidates().iter().map(|&arm| view.attempts(arm));
        let first = attempts.next();
        attempts.all(|count| Some(count) == first)
    }
}
