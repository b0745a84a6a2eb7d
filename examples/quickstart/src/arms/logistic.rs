//! Logistic regression, from all wines at once or from a few at a time.

use linfa::{
    Dataset, ParamGuard,
    traits::{Fit, FitWith, Predict},
};
use linfa_ftrl::Ftrl;
use linfa_logistic::LogisticRegression;
use ndarray::{Array2, Axis, concatenate};
use rand::seq::SliceRandom;

use super::{Outcome, generator};
use crate::data::Partition;

/// The number of wines between two updates of the online learner.
const BATCH: usize = 16;

/// Logistic regression with an L2 penalty.
pub fn batch(wines: &Partition, penalty: f64) -> Outcome {
    let wines = wines.standardised();
    let model = LogisticRegression::default()
        .alpha(penalty)
        .fit(&wines.train)?;
    Ok(model.predict(&wines.test.records))
}

/// Logistic regression that follows the regularised leader: it goes through the shuffled wines
/// in small batches, several times.
pub fn online(wines: &Partition, passes: usize, seed: u64) -> Outcome {
    let wines = wines.standardised();
    let records = with_constant(&wines.train.records);
    let good = wines.train.targets.mapv(|class| class == 1);

    let mut rng = generator(seed);
    let learner = Ftrl::params_with_rng(rng.clone())
        .alpha(0.1)
        .l1_ratio(0.0)
        .check()?;
    let mut model = None;
    let mut order: Vec<usize> = (0..good.len()).collect();
    for _ in 0..passes {
        order.shuffle(&mut rng);
        for rows in order.chunks(BATCH) {
            let some = Dataset::new(records.select(Axis(0), rows), good.select(Axis(0), rows));
            model = Some(learner.fit_with(model.take(), &some)?);
        }
    }

    let model = model.ok_or("there is nothing to learn from")?;
    let chances = model.predict(&with_constant(&wines.test.records));
    Ok(chances.mapv(|chance| usize::from(*chance >= 0.5)))
}

/// Adds a column of ones, since the online learner has no intercept of its own.
fn with_constant(records: &Array2<f64>) -> Array2<f64> {
    concatenate![Axis(1), *records, Array2::ones((records.nrows(), 1))]
}
