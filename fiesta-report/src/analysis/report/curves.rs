//! Tuning curves of a report: which ones it asks for, and the points of them that its figures show.

use super::evidence::Evidence;
use crate::{
    analysis::{
        AnalysisError,
        best_of_n::BestOfNReport,
        curve::{ArmCurve, Centre, CurveBands, CurveOptions, CurveReport, TrialsOfArms},
    },
    bands::Band,
    figure::CurvePoint,
    tuning_curve::Estimator,
};

/// Budgets of a curve that a figure shows at most.
const POINTS: usize = 160;

/// Estimates the curves of all arms that have one, with bands if the metric has bounds. The best of
/// n is compared in a search alone. `None` of the items of a pool, which are no trials.
pub(super) fn curves(evidence: &Evidence<'_>) -> Result<Option<CurveReport>, AnalysisError> {
    if evidence.pool.is_some() {
        return Ok(None);
    }
    let (input, options) = (evidence.input, evidence.options);
    let arms = evidence.evaluations.arms.iter();
    let arms = arms.map(|arm| (arm.name.as_str(), arm.trials.as_slice()));
    let (direction, bounds) = (input.direction, evidence.bounds);
    let (trials, _) = TrialsOfArms::beside(&input.metric, direction, bounds, options.failed, arms);
    let named = evidence.highlighted();
    let named = named.into_iter().map(ToOwned::to_owned);
    let trials = trials.of_a_page(named.collect());
    let options = CurveOptions {
        estimator: Estimator::PlugIn,
        bands: match bounds {
            Some(_) => CurveBands::Of(Band::EqualTailed),
            None => CurveBands::None,
        },
        band_of: Some(Centre::Mean),
        confidence: options.confidence,
        largest_n: None,
        reach: options.reported.iter().map(|(_, score)| *score).collect(),
        time: trials.are_timed(),
        failed: options.failed,
    };
    let mut report = CurveReport::new(&trials, &options)?;
    if input.is_recorded_search() {
        report.best_of_n = best_of_n(evidence)?;
    }
    Ok(Some(report))
}

/// Compares the best of n of a recorded search as the search itself did: a trial that failed counts
/// as the worst, also on a page that otherwise leaves such trials out.
fn best_of_n(evidence: &Evidence<'_>) -> Result<Option<BestOfNReport>, AnalysisError> {
    let scores = evidence.input.records.by_arm();
    let arms = evidence.evaluations.arms.iter().zip(&scores);
    let arms = arms.map(|(arm, scores)| (arm.name.as_str(), scores.as_slice(), arm.failed));
    let (direction, confidence) = (evidence.input.direction, evidence.options.confidence);
    let compared = BestOfNReport::compare(arms, direction, evidence.bounds, confidence)?;
    Ok(compared)
}

/// Returns the points of a curve that a figure shows, up to as many trials as there are scores: a few
/// of them, ever further apart.
pub(super) fn points(curve: &ArmCurve, banded: bool) -> Vec<CurvePoint> {
    let mut points = curve.points(banded);
    let mut shown = budgets(curve.scores).into_iter().peekable();
    points.retain(|point| {
        let is_reached = |n: &u64| *n as f64 <= point.budget;
        let is_shown = shown.peek().is_some_and(is_reached);
        while shown.next_if(is_reached).is_some() {}
        is_shown
    });
    points
}

/// Returns budgets from 1 to `count`, ever further apart; those of a smaller count are among those
/// of a larger one, but for the last.
fn budgets(count: usize) -> Vec<u64> {
    // Where the steps of a fine grid over seven decades round to the same number it is taken once.
    let step = |step: usize| {
        10f64
            .powf(7.0 * step as f64 / (7 * POINTS / 3) as f64)
            .round()
    };
    let mut budgets = Vec::new();
    for at in 0.. {
        let n = fiesta_core::whole_u64(step(at).min(1e15));
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
