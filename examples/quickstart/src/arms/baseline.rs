//! Baseline that the classifiers of wines have to beat.

use super::Classes;
use crate::data::{CLASSES, Partition};

/// Predicts the most common training class for every wine.
pub fn majority(wines: &Partition) -> Classes {
    let mut counts = [0_usize; CLASSES];
    for &class in &wines.train.targets {
        counts[class] += 1;
    }
    let most_common = (0..CLASSES)
        .max_by_key(|&class| counts[class])
        .expect("at least one class");
    Classes::from_elem(wines.test.targets.len(), most_common)
}
