//! Tuning curves of a report: that of every arm at budgets ever further apart, and where the curves
//! of the best arms cross.

use super::evaluations::Evaluations;
use crate::{
    analysis::{
        AnalysisError,
        curve::{
            ArmCurve, BandsByCount, Centre, CrossingOfArms, CurveBands, bounds as curve_bounds,
            pair,
        },
        failures::worst_of,
    },
    bands::Band,
    tuning_curve::{Estimator, Failed, Trials},
};
use fiesta_core::Direction;

/// Budgets at which curves are computed at most.
const POINTS: usize = 160;

/// The trials of one arm with their curve.
pub(super) struct CurveOfTrials {
    pub(super) trials: Trials,
    /// At the budgets n from 1 to the number of scores; with a band if the metric has bounds,
    /// without which nothing is known.
    pub(super) curve: ArmCurve,
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
    let worst = worst_of(all.filter_map(|trial| trial.score), direction);
    for arm in &evaluations.arms {
        let Ok(trials) = Trials::beside(&arm.trials, direction, bounds, failed, worst) else {
            continue;
        };
        let count = trials.scores().count();
        let band = bands.of(count)?;
        let within =
            curve_bounds(bounds).map_err(|error| AnalysisError::of_arm(&arm.name, error))?;
        let (n, plug_in) = (budgets(count), Estimator::PlugIn);
        let curve = ArmCurve::new(&arm.name, &trials, &n, plug_in, Centre::Mean, within, band)?;
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

/// Every crossing of the curves of the arms named, with the budgets between which it may lie.
pub(super) fn crossings(
    curves: &[CurveOfTrials],
    names: &[&str],
    direction: Direction,
    confidence: f64,
) -> Vec<CrossingOfArms> {
    let curves = curves.iter().map(|of| &of.curve);
    let chosen: Vec<&ArmCurve> = curves
        .filter(|curve| names.contains(&curve.name.as_str()))
        .collect();
    let mut found = Vec::new();
    for (place, first) in chosen.iter().enumerate() {
        for second in &chosen[place + 1..] {
            found.extend(pair(first, second, Centre::Mean, direction, confidence).0);
        }
    }
    found
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
