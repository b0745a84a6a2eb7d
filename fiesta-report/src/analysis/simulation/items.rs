//! Simulations on recorded answers to the items of a pool.

use super::{
    SimulationOptions, SimulationReport, oriented,
    runs::{checked, run},
};
use crate::analysis::{AnalysisError, ArmScores, Score, ScoresOfArms};
use fiesta_core::{Observe, Target};
use fiesta_policies::{
    simulate::RecordedItems,
    stopping::{self, Distance},
};
use fiesta_posterior as posterior;

/// Runs on recorded answers to the items of a pool, of which no arm is asked one twice.
///
/// # Errors
/// [`AnalysisError`] as of [`of_gaussian`](super::of_gaussian), and if an arm lacks an item that
/// another has, or answers have no bounds that the posterior knows.
pub fn of_items(
    scores: &ScoresOfArms,
    posterior: &str,
    options: &SimulationOptions,
) -> Result<SimulationReport, AnalysisError> {
    let arms = scores.arms.names().iter().zip(&scores.scores);
    let arms = arms.map(|(name, of_arm)| {
        let answer = |score: Score| {
            let item = score.split.unwrap_or_default().to_string();
            (item, scores.direction.orient(score.score))
        };
        (name.clone(), of_arm.iter().map(answer).collect())
    });
    let repeats = scores.repeats_answers();
    if repeats && posterior != posterior::POOL {
        return Err(AnalysisError::Refused(format!(
            "an arm has several answers to an item, which the posterior {} takes for answers that vary, and {posterior} does not: take that one, or keep one answer to each item",
            posterior::POOL
        )));
    }
    if repeats && stopping::assumption(&options.stopping).is_some() {
        return Err(AnalysisError::Refused(format!(
            "the stopping rule {} is valid where an item has one answer, and an arm has several to one of these: take the rule posterior, or keep one answer to each item",
            options.stopping
        )));
    }
    let problem = if repeats {
        RecordedItems::of_repeats(arms)?
    } else {
        RecordedItems::of_scores(arms)?
    };
    let problem = match options.tolerance {
        Distance::Score(tolerance) => problem.within(tolerance),
        Distance::Sd(_) => problem,
    };
    let (count, items) = (scores.arms.len(), problem.items());
    let is_pool = posterior == posterior::POOL;
    let target = scores.pool.map_or(Target::TheseItems, |pool| pool.target);
    let are_drawn = target == Target::ItemsLikeThese;
    if are_drawn && (!is_pool || stopping::assumption(&options.stopping).is_some()) {
        return Err(AnalysisError::Refused(format!(
            "a verdict on {target} belongs to the posterior {} and to stopping rules that look at it: leave the target, the posterior or the rule out",
            posterior::POOL
        )));
    }
    let problem = if are_drawn { problem.drawn() } else { problem };
    if is_pool {
        scores.pool_posterior_of(items)?;
    } else {
        posterior::posterior_by_name(posterior, count)?;
    }
    let make = |arms: usize| -> Box<dyn Observe<f64>> {
        match scores.pool_posterior_of(items) {
            Ok(pool) if is_pool => Box::new(pool),
            _ => checked(posterior, arms),
        }
    };
    let bounds = options.bounds.or(scores.pool.and_then(|pool| pool.bounds));
    let options = &SimulationOptions {
        bounds: oriented(bounds, scores.direction),
        items: Some(items),
        repeats,
        ..options.clone()
    };
    let rule = |level| options.rule(level, count);
    let design = problem.design();
    let mut report = run(&problem, design, (posterior, &make), &rule, options)?;
    report.in_setups(|setup| {
        setup.pairing = Some(scores.splits.name());
        setup.bounds = bounds;
    });
    let cells = items * count as u64;
    if are_drawn {
        report.notes.push(format!(
            "verdicts are on {target}: each run draws {items} items from the {items} of the file, with replacement, and the best has the highest mean over the file"
        ));
    }
    report.notes.push(if repeats {
        format!(
            "{items} items, in a random order in each run; answers vary, so that arms are asked items again and the best has the highest expected score: an answer is drawn from those that the file has of the arm to the item, {} of them on {cells} items of arms",
            scores.scores.iter().map(ArmScores::len).sum::<usize>()
        )
    } else {
        format!(
            "{items} items, in a random order in each run; no arm is asked one twice, and all answers are {cells}"
        )
    });
    Ok(report)
}
