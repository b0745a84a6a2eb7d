//! The red wines, their random partition and their scaling.

use linfa::Dataset;
use ndarray::{Array1, Axis, Ix1};
use rand::{SeedableRng, rngs::StdRng, seq::SliceRandom};

/// How many measurements each wine has.
pub const MEASUREMENTS: usize = 11;

/// Tasters gave grades from 3 to 8; a wine of this grade or better is a good one.
const GOOD_GRADE: usize = 6;

/// One class for each wine: 0 is an ordinary wine, 1 a good one.
pub type Classes = Array1<usize>;

/// Partition of the wines: some to learn from, others to choose a setting by.
pub struct Wines {
    pub training: Dataset<f64, usize, Ix1>,
    pub validation: Dataset<f64, usize, Ix1>,
}

/// Divides the wines 70 : 30 at random, as the number says, and scales each measurement to mean 0
/// and standard deviation 1 of the training wines.
pub fn partition(split: u64) -> Wines {
    let all = linfa_datasets::winequality().map_targets(|&grade| usize::from(grade >= GOOD_GRADE));
    let mut training: Vec<usize> = (0..all.targets.len()).collect();
    training.shuffle(&mut StdRng::seed_from_u64(split));
    let validation = training.split_off(training.len() * 7 / 10);
    let records = all.records.select(Axis(0), &training);
    let mean = records.mean_axis(Axis(0)).expect("there are wines");
    let deviation = records.std_axis(Axis(0), 0.0);
    let part = |rows: &[usize]| {
        Dataset::new(
            (all.records.select(Axis(0), rows) - &mean) / &deviation,
            all.targets.select(Axis(0), rows),
        )
    };
    Wines {
        training: part(&training),
        validation: part(&validation),
    }
}
