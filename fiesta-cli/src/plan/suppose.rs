//! What a plan supposes of the arms: a guess, given moments, or estimates from pilot scores.

use super::{Arguments, Failure};
use fiesta::{
    core::{Design, Direction},
    policies::plan::{Instance, InstanceError},
};
use std::path::Path;

/// The arms that the plan is for.
pub(super) struct Supposed {
    pub(super) names: Vec<String>,
    pub(super) instance: Instance,
    pub(super) design: Design,
    /// Which way scores are shown; the instance's means are such that more is better.
    pub(super) direction: Direction,
    /// The number of pilot scores, if the instance is estimated.
    pub(super) pilot: Option<usize>,
}

pub(super) fn suppose(arguments: &Arguments) -> Result<Supposed, Failure> {
    if let Some(file) = &arguments.scores {
        return pilot(arguments, file);
    }
    let direction = arguments.reading.direction();
    let moments: Vec<(f64, f64)> = match (arguments.gap, arguments.sd) {
        (Some(gap), Some(sd)) => {
            let arms = count(&arguments.reading.arms)?;
            let mean = |arm| {
                if arm == 0 {
                    direction.orient(gap.abs())
                } else {
                    0.0
                }
            };
            (0..arms).map(|arm| (mean(arm), sd)).collect()
        }
        _ => arguments.gaussian.clone(),
    };
    let design = arguments.splits.unwrap_or_default();
    let oriented: Vec<(f64, f64)> = moments
        .iter()
        .map(|&(mean, sd)| (direction.orient(mean), sd))
        .collect();
    let instance = Instance::new(&oriented, arguments.split_sd.unwrap_or(0.0), design)?;
    Ok(Supposed {
        names: (1..=moments.len()).map(|arm| format!("arm{arm}")).collect(),
        instance,
        design,
        direction,
        pilot: None,
    })
}

fn count(arms: &[String]) -> Result<usize, Failure> {
    // A study of more arms than this would not fit into memory.
    match arms {
        [number] => number
            .trim()
            .parse()
            .ok()
            .filter(|arms| (2..=100_000).contains(arms)),
        _ => None,
    }
    .ok_or_else(|| {
        Failure::Usage("with --gap, --arms is how many arms there are, 2 or more".to_owned())
    })
}

fn pilot(arguments: &Arguments, file: &Path) -> Result<Supposed, Failure> {
    let scores = arguments.reading.read(file)?;
    let direction = scores.direction;
    let bare = || {
        let of_arm = |records: &Vec<_>| {
            records
                .iter()
                .map(|record: &fiesta::records::Record| direction.orient(record.score))
                .collect()
        };
        scores.records.iter().map(of_arm).collect::<Vec<Vec<f64>>>()
    };
    // None if a score lacks its split.
    let on_splits: Option<Vec<Vec<(u64, f64)>>> = scores
        .records
        .iter()
        .map(|records| {
            records
                .iter()
                .map(|record| Some((record.split?, direction.orient(record.score))))
                .collect()
        })
        .collect();
    let named = |error: InstanceError| match error {
        InstanceError::TooFew { arm, scores: few } => Failure::Usage(format!(
            "the arm `{}` has too few scores, {few}: estimating a standard deviation takes at least 2",
            scores.arms.names()[arm - 1]
        )),
        InstanceError::Moments { arm, .. } => Failure::Usage(format!(
            "the scores of arm `{}` are all equal, or nearly: their standard deviation cannot be planned with",
            scores.arms.names()[arm - 1]
        )),
        other => other.into(),
    };
    let (instance, design) = match (arguments.splits, on_splits) {
        (Some(Design::Shared), None) => {
            let mut words = "a plan on shared splits needs a `split` for every score; plan with independent splits otherwise (--splits independent)".to_owned();
            if scores.unpaired.is_some() {
                words
                    .push_str(", or if the rows of the file are splits, say so with --paired-rows");
            }
            return Err(Failure::Usage(words));
        }
        (Some(Design::Shared), Some(scores)) => (
            Instance::of_shared_scores(&scores).map_err(named)?,
            Design::Shared,
        ),
        (None, Some(scores)) => match Instance::of_shared_scores(&scores) {
            Err(InstanceError::Apart) => (
                Instance::of_scores(&bare()).map_err(named)?,
                Design::Independent,
            ),
            other => (other.map_err(named)?, Design::Shared),
        },
        _ => (
            Instance::of_scores(&bare()).map_err(named)?,
            Design::Independent,
        ),
    };
    Ok(Supposed {
        names: scores.arms.names().to_vec(),
        instance,
        design,
        direction,
        pilot: Some(scores.records.iter().map(Vec::len).sum()),
    })
}
