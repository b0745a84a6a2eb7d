//! Tuning curves: the expected best of n of every arm, with what is known of it.

use super::evaluations::Evaluations;
use crate::exit::Failure;
use fiesta::{
    core::Direction,
    report::{
        bands::{Band, Bounds, CdfBand, CurveBand, Limits},
        crossing::{self, Lead},
        tuning_curve::{Estimator, Failed, Trials},
    },
};
use std::collections::BTreeMap;

/// Budgets at which curves are computed at most.
const POINTS: usize = 160;

/// The curve of one arm.
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) trials: Trials,
    /// The budgets n, from 1 to the number of scores.
    pub(super) n: Vec<u64>,
    /// The expected best of each.
    pub(super) mean: Vec<f64>,
    /// One standard deviation about it, within the scores.
    pub(super) spread: Vec<(f64, f64)>,
    /// Where it may be, simultaneously for all n; none unless the metric has bounds, without which nothing is known.
    pub(super) band: Option<Vec<Limits>>,
}

/// Where the curves of two arms cross.
pub(super) struct Crossing {
    /// The better one for small budgets.
    pub(super) before: String,
    /// The better one for large ones.
    pub(super) after: String,
    pub(super) n: f64,
    pub(super) from: Option<u64>,
    pub(super) until: Option<u64>,
}

/// The curves of all arms that have one.
pub(super) fn curves(
    evaluations: &Evaluations,
    direction: Direction,
    bounds: Option<(f64, f64)>,
    failed: Failed,
    confidence: f64,
) -> Result<Vec<Curve>, Failure> {
    let mut bands: BTreeMap<usize, CdfBand> = BTreeMap::new();
    let mut curves = Vec::new();
    for arm in &evaluations.arms {
        let Ok(trials) = Trials::new(&arm.trials, direction, bounds, failed) else {
            continue;
        };
        let sample = trials.sample();
        let count = sample.count();
        let n = budgets(count);
        let curve = sample.curve(Estimator::PlugIn, count);
        let shading: Vec<(f64, f64)> = curve.shading().collect();
        let place = |&n: &u64| usize::try_from(n - 1).expect("it is no more than the scores");
        let band = match bounds {
            None => None,
            Some((low, high)) => {
                let cdf = match bands.entry(count) {
                    std::collections::btree_map::Entry::Occupied(found) => found.into_mut(),
                    std::collections::btree_map::Entry::Vacant(empty) => empty.insert(
                        CdfBand::new(Band::EqualTailed, count, confidence).map_err(refused)?,
                    ),
                };
                let bounds = Bounds::new(Some(low), Some(high)).map_err(refused)?;
                let band = CurveBand::new(cdf, sample, bounds).map_err(refused)?;
                n.iter().map(|&n| band.mean(n)).collect()
            }
        };
        curves.push(Curve {
            name: arm.name.clone(),
            mean: n.iter().map(|n| curve.mean()[place(n)]).collect(),
            spread: n.iter().map(|n| shading[place(n)]).collect(),
            band,
            n,
            trials,
        });
    }
    Ok(curves)
}

fn refused(error: impl std::fmt::Display) -> Failure {
    Failure::Usage(error.to_string())
}

/// Budgets from 1 to `count`, ever further apart; those of a smaller count are among those of a larger one, but for the last.
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
pub(super) fn crossings(curves: &[Curve], names: &[&str], direction: Direction) -> Vec<Crossing> {
    let chosen: Vec<&Curve> = curves
        .iter()
        .filter(|curve| names.contains(&curve.name.as_str()))
        .collect();
    let mut found = Vec::new();
    for (place, first) in chosen.iter().enumerate() {
        for second in &chosen[place + 1..] {
            found.extend(of_pair(first, second, direction));
        }
    }
    found
}

fn of_pair(first: &Curve, second: &Curve, direction: Direction) -> Vec<Crossing> {
    let shared = first.n.iter().zip(&second.n);
    let shared = shared.take_while(|(a, b)| a == b).count();
    let open = vec![
        Limits {
            lower: None,
            upper: None
        };
        shared
    ];
    let of = |curve: &Curve| match &curve.band {
        Some(band) => band[..shared].to_vec(),
        None => open.clone(),
    };
    let (first_band, second_band) = (of(first), of(second));
    let side = |curve: &'_ Curve| curve.mean[..shared].to_vec();
    let (first_mean, second_mean) = (side(first), side(second));
    let comparison = crossing::compare(
        &first.n[..shared],
        &crossing::BandedCurve {
            centre: &first_mean,
            band: &first_band,
        },
        &crossing::BandedCurve {
            centre: &second_mean,
            band: &second_band,
        },
    );
    let better = |lead: Lead| match (lead, direction) {
        (Lead::First, Direction::Maximize) | (Lead::Second, Direction::Minimize) => &first.name,
        _ => &second.name,
    };
    comparison
        .crossings
        .iter()
        .map(|crossing| Crossing {
            before: better(crossing.before).clone(),
            after: better(crossing.after).clone(),
            n: crossing.n,
            from: crossing.from,
            until: crossing.until,
        })
        .collect()
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
