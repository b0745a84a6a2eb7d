//! Tests of crossings on the recorded scores of target-dependent sentiment models.
//!
//! The scores are not part of this project: the test looks for `tdsa_macro_f1.csv` in the folder
//! `shared/data` beside the repository or in `$FIESTA_SHARED/data`, and says so if it skips.

use crate::reference::shared;
use fiesta_core::Direction;
use fiesta_report::{
    bands::{Band, Bounds, CdfBand, CurveBand},
    crossing::{BandedCurve, CurveComparison, compare},
    tuning_curve::{Estimator, TrialScores},
};

fn scores(text: &str, arm: &str, count: usize) -> TrialScores {
    let rows = text.lines().filter_map(|line| {
        let mut fields = line.split(',');
        (fields.next()? == arm).then(|| fields.nth(2)?.parse().ok())?
    });
    let sample = TrialScores::new(rows.take(count), Direction::Maximize).unwrap();
    assert_eq!(sample.count(), count);
    sample
}

fn atae_and_tdlstm(text: &str, count: usize) -> CurveComparison {
    let samples = ["atae", "tdlstm"].map(|arm| scores(text, arm, count));
    let cdf = CdfBand::new(Band::EqualTailed, count, 0.95).unwrap();
    let bounds = Bounds::new(Some(0.0), Some(1.0)).unwrap();
    let bands = samples.each_ref().map(|sample| {
        let band = CurveBand::new(&cdf, sample, bounds).unwrap();
        band.mean_curve(count)
    });
    let curves = samples
        .each_ref()
        .map(|sample| sample.curve(Estimator::PlugIn, count));
    let n: Vec<u64> = (1..=count as u64).collect();
    let curve = |i: usize| BandedCurve {
        centre: curves[i].mean(),
        band: &bands[i],
    };
    compare(&n, &curve(0), &curve(1))
}

/// Tests that fifty scores suggest a crossing, and their bands that there may be none; on all five
/// hundred there is none.
#[test]
fn what_fifty_scores_suggest_five_hundred_do_not() {
    let Some(text) = shared("data/tdsa_macro_f1.csv") else {
        return;
    };
    let few = atae_and_tdlstm(&text, 50);
    println!("{few:?}");
    assert!(!few.crossings.is_empty());
    assert!(few.crossings.iter().all(|crossing| !crossing.is_certain()));
    let all = atae_and_tdlstm(&text, 500);
    println!("{all:?}");
    assert_eq!(all.crossings, []);
}
