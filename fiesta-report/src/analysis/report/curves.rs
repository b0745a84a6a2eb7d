//! Tuning curves of a report: those of all arms, and the points of them that its figures show.

use super::evaluations::Evaluations;
use crate::{
    analysis::{
        AnalysisError,
        curve::{ArmCurve, BandsByCount, Centre, CurveBands, numbers},
    },
    bands::Band,
    figure::CurvePoint,
    tuning_curve::{Estimator, Failed, Trials, worst_score},
};
use fiesta_core::Direction;

/// Budgets of a curve that a figure shows at most.
const POINTS: usize = 160;

/// The trials of one arm with their curve.
pub(super) struct CurveOfTrials {
    pub(super) trials: Trials,
    /// At every n from 1 to the number of scores, as [`numbers`] has them; with a band if the metric has bounds,
    /// without which nothing is known.
    pub(super) curve: ArmCurve,
}

impl CurveOfTrials {
    /// Returns the points that a figure shows: a few of the curve's, ever further apart.
    pub(super) fn points(&self, banded: bool) -> Vec<CurvePoint> {
        let mut points = self.curve.points(banded);
        let mut shown = budgets(self.curve.scores).into_iter().peekable();
        points.retain(|point| {
            let is_reached = |n: &u64| *n as f64 <= point.budget;
            let is_shown = shown.peek().is_some_and(is_reached);
            while shown.next_if(is_reached).is_some() {}
            is_shown
        });
        points
    }
}

/// The curves of all arms that have one.
pub(super) fn curves(
    evaluations: &Evaluations,
    direction: Direction,
    bounds: Option<(f64, f64)>,
    failed: Failed,
    confidence: f64,
) -> Result<Vec<CurveOfTrials>, AnalysisError> {
    let kind = match bounds {
        Some(_) => CurveBands::Of(Band::EqualTailed),
        None => CurveBands::None,
    };
    let mut bands = BandsByCount::new(kind, confidence);
    let mut curves = Vec::new();
    let all = evaluations.arms.iter().flat_map(|arm| &arm.trials);
    let worst = worst_score(all.filter_map(|trial| trial.score), direction, bounds);
    for arm in &evaluations.arms {
        let Ok(trials) = Trials::beside(&arm.trials, direction, bounds, failed, worst) else {
            continue;
        };
        let n = numbers(trials.scores().count() as u64);
        let (plug_in, mean) = (Estimator::PlugIn, Centre::Mean);
        let curve = bands.curve(&arm.name, &trials, &n, plug_in, mean, bounds)?;
        curves.push(CurveOfTrials { trials, curve });
    }
    Ok(curves)
}

/// Budgets from 1 to `count`, ever further apart; those of a smaller count are among those of a
/// larger one, but for the last.
fn budgets(count: usize) -> Vec<u64> {
    // Where the steps of a fine grid over seven decades round to the same number it is taken once.
    let step = |step: usize| {
        10f64
            .powf(7.0 * step as f64 / (7 * POINTS / 3) as f64)
            .round()
    };
    let mut budgets = Vec::new();
    for at in 0.. {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is at least 1 and compared with the count first"
        )]
        let n = step(at).min(1e15) as u64;
        if n >= count as u64 {
            break;
        }
        if budgets.last() != Some(&n) {
            budgets.push(n);
        }
    }
    budgets.push(count as u64);
    budgets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_few_and_shared() {
        assert_eq!(budgets(1), [1]);
        assert_eq!(budgets(4), [1, 2, 3, 4]);
        let (small, large) = (budgets(500), budgets(1_000_000));
        assert!(small.len() < POINTS && large.len() < 3 * POINTS);
        assert_eq!((small[0], small[small.len() - 1]), (1, 500));
        assert_eq!(small[..small.len() - 1], large[..small.len() - 1]);
        assert!(large.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
