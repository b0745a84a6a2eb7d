//! Thompson sampling.

use fiesta_core::{Next, Policy, View};
use rand::Rng;

/// Thompson sampling: draws all means from the posterior and evaluates the arm whose draw is
/// highest, of those that can be evaluated.
///
/// With several evaluations in flight this is asynchronous Thompson sampling (Kandasamy et al.
/// 2018); in [`Batched`](crate::Batched) it is FIESTA's BTS.
///
/// Beside [`PosteriorThreshold`](crate::stopping::PosteriorThreshold) and a limit of the selector
/// it is algorithm 1 of Haffari et al. (EACL 2017), TS: every arm is evaluated once (here as often
/// as the posterior requires), and it ends when one is best with probability 1 − δ or the queries
/// are spent. It has no parameters. Source: Thompson 1933.
#[derive(Debug, Clone, Default)]
pub struct Thompson {
    means: Vec<f64>,
}

impl Policy for Thompson {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        self.means.resize(view.arms(), 0.0);
        view.draw(rng, &mut self.means);
        let drawn = |arm: &fiesta_core::ArmId| self.means[arm.index()];
        let best = view
            .with_case_left()
            .max_by(|a, b| drawn(a).total_cmp(&drawn(b)));
        best.map_or(Next::Wait, Next::Evaluate)
    }
}
