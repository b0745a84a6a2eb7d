//! Simulations of a policy, a posterior and a stopping rule by their names, on recorded evaluations
//! or Gaussian arms.

mod counts;
mod items;
mod options;
mod report;
mod runs;
mod text;

pub use counts::of_counts;
pub use items::of_items;
pub use options::{Goals, SimulationOptions};
pub use report::{
    Cost, CountsSetup, Evaluations, Goal, GoalResult, SimulationReport, SimulationSetup,
};

use super::{AnalysisError, ArmScores, Score, ScoresOfArms};
use fiesta_core::{Design, Direction};
use fiesta_policies::{
    simulate::{Gaussian, Recorded},
    stopping::Distance,
};
use runs::on_scores;

/// Simulates runs on Gaussian arms with these means and standard deviations.
///
/// # Errors
/// [`AnalysisError`] if there is no such policy, posterior or rule, or an arm is none.
pub fn of_gaussian(
    moments: &[(f64, f64)],
    design: Design,
    posterior: &str,
    options: &SimulationOptions,
) -> Result<SimulationReport, AnalysisError> {
    let problem = Gaussian::new(moments.iter().copied())?;
    on_scores(&problem, design, posterior, options)
}

/// Simulates the policy on recorded scores, as is asked for: on the items of a pool if the scores
/// name items, else on splits of this design. Without the name of a posterior it is that of the
/// scores, and without a distance of ties that of the policy: none in a pool.
///
/// # Errors
/// As [`of_items`] and [`of_scores`], and [`AnalysisError`] for a posterior of confusion counts.
pub fn of_recorded(
    scores: &ScoresOfArms,
    design: Design,
    posterior: Option<&str>,
    tie: Option<Distance>,
    options: &SimulationOptions,
) -> Result<SimulationReport, AnalysisError> {
    super::of_scores_alone(posterior)?;
    if scores.pool.is_none() {
        return of_scores(
            scores,
            design,
            posterior.unwrap_or(fiesta_posterior::DEFAULT),
            options,
        );
    }
    let options = SimulationOptions {
        tie: tie.unwrap_or(Distance::ZERO),
        ..options.clone()
    };
    let default = scores.default_posterior();
    of_items(scores, posterior.unwrap_or(default), &options)
}

/// Simulates runs on recorded scores, which are drawn again.
///
/// # Errors
/// [`AnalysisError`] as of [`of_gaussian`], and if scores share no splits but the design does.
pub fn of_scores(
    scores: &ScoresOfArms,
    design: Design,
    posterior: &str,
    options: &SimulationOptions,
) -> Result<SimulationReport, AnalysisError> {
    let names = || scores.arms.names().iter();
    let arms = names().zip(&scores.scores).map(|(name, of_arm)| {
        let oriented = |score: Score| (score.split, scores.direction.orient(score.score));
        (name.clone(), of_arm.iter().map(oriented).collect())
    });
    let problem = Recorded::new(arms, design)?;
    let given = options.bounds;
    let options = &SimulationOptions {
        bounds: oriented(given, scores.direction),
        ..options.clone()
    };
    let mut report = on_scores(&problem, design, posterior, options)?;
    report.in_setups(|setup| {
        setup.pairing = Some(scores.splits.name());
        setup.bounds = given;
    });
    let of_case = |score: Score| (score.split.unwrap_or_default(), score.score);
    let cases = |scores: &ArmScores<'_>| scores.iter().map(of_case).collect();
    let arms = names().map(String::as_str);
    let arms: Vec<_> = arms.zip(scores.scores.iter().map(cases)).collect();
    report.notes.extend(options.doubt(&arms, design));
    report.notes.extend(scores.unpaired.clone());
    Ok(report)
}

/// Returns the bounds of scores where larger is better, the lower one first.
fn oriented(bounds: Option<(f64, f64)>, direction: Direction) -> Option<(f64, f64)> {
    let (low, high) = bounds?;
    let [one, other] = [low, high].map(|bound| direction.orient(bound));
    Some((one.min(other), one.max(other)))
}
