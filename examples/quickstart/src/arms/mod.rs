//! Classifiers of wines, among which the study chooses.

mod baseline;
mod bayes;
mod boosting;
mod forest;
mod logistic;
mod neighbours;
mod support_vectors;
mod tree;

use std::{error::Error, fmt};

use ndarray::Array1;
use rand::{SeedableRng, rngs::StdRng};

use crate::data::Partition;

/// Predicted class of each wine.
pub type Classes = Array1<usize>;

/// Predicted classes of the test wines, or the error of a learner that gave up.
type Outcome = Result<Classes, Box<dyn Error>>;

/// A classifier: a learner with its hyperparameters, and its name.
pub struct Arm {
    pub name: &'static str,
    learner: fn(&Partition, seed: u64) -> Outcome,
}

/// All classifiers, the simplest first.
///
/// The hyperparameters are ordinary round choices. Learners that draw nothing at random ignore
/// the seed.
pub static ARMS: &[Arm] = &[
    Arm {
        name: "majority",
        learner: |wines, _| Ok(baseline::majority(wines)),
    },
    Arm {
        name: "naive-bayes",
        learner: |wines, _| bayes::gaussian(wines),
    },
    Arm {
        name: "logistic",
        learner: |wines, _| logistic::batch(wines, 1.0),
    },
    Arm {
        name: "online-logistic",
        learner: |wines, seed| logistic::online(wines, 5, seed),
    },
    Arm {
        name: "nearest-1",
        learner: |wines, _| neighbours::vote(wines, 1),
    },
    Arm {
        name: "nearest-15",
        learner: |wines, _| neighbours::vote(wines, 15),
    },
    Arm {
        name: "svm",
        learner: |wines, _| support_vectors::gaussian(wines, 1.0, 5.0),
    },
    Arm {
        name: "tree",
        learner: |wines, _| tree::single(wines, 5),
    },
    Arm {
        name: "boosted-stumps",
        learner: |wines, seed| boosting::adaboost(wines, 50, 1, seed),
    },
    Arm {
        name: "boosted-trees",
        learner: |wines, seed| boosting::adaboost(wines, 50, 4, seed),
    },
    Arm {
        name: "random-forest",
        learner: |wines, seed| forest::random_forest(wines, 51, 0.4, seed),
    },
    Arm {
        name: "bagged-trees",
        learner: |wines, seed| forest::bagging(wines, 51, seed),
    },
];

impl Arm {
    /// Returns the classifier of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        ARMS.iter().find(|arm| arm.name == name)
    }

    /// Learns from the training wines and predicts the class of each test wine; `seed` decides
    /// every random choice on the way.
    ///
    /// # Errors
    ///
    /// If the learner gives up on these wines.
    pub fn predict(&self, wines: &Partition, seed: u64) -> Outcome {
        (self.learner)(wines, seed)
    }
}

impl fmt::Debug for Arm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Arm").field(&self.name).finish()
    }
}

/// The random generator of a learner.
///
/// The seed is scrambled so that the learner's stream is not the one that shuffled the wines,
/// even where the seed and the number of the split are equal.
fn generator(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed ^ 0x5EED_0FA1_EA52_AB1E)
}

#[cfg(test)]
mod tests {
    use ndarray::s;

    use super::*;
    use crate::{
        data::{self, Wines},
        score::{Score, score},
    };

    /// Every fifth wine, so that the tests are quick without optimisation too.
    fn some_wines() -> Wines {
        let wines = data::load();
        Wines::new(
            wines.records.slice(s![..;5, ..]).to_owned(),
            wines.targets.slice(s![..;5]).to_owned(),
        )
    }

    fn evaluate(arm: &Arm, wines: &Partition, seed: u64) -> Score {
        let predicted = arm.predict(wines, seed).unwrap();
        score(&wines.test.targets, &predicted)
    }

    fn arm(name: &str) -> &'static Arm {
        Arm::named(name).unwrap()
    }

    #[test]
    fn every_name_finds_its_own_arm() {
        for candidate in ARMS {
            assert!(std::ptr::eq(arm(candidate.name), candidate));
        }
        assert!(Arm::named("oracle").is_none());
    }

    #[test]
    fn the_same_evaluation_gives_the_same_predictions() {
        let wines = data::partition(&some_wines(), 1);
        for arm in ARMS {
            let first = arm.predict(&wines, 2).unwrap();
            let second = arm.predict(&wines, 2).unwrap();
            assert_eq!(first, second, "{}", arm.name);
        }
    }

    #[test]
    fn the_seed_matters_where_something_is_drawn() {
        let wines = data::partition(&some_wines(), 1);
        for (name, draws) in [
            ("logistic", false),
            ("svm", false),
            ("tree", false),
            ("boosted-trees", true),
            ("random-forest", true),
            ("bagged-trees", true),
        ] {
            let arm = arm(name);
            let differs = arm.predict(&wines, 2).unwrap() != arm.predict(&wines, 3).unwrap();
            assert_eq!(differs, draws, "{name}");
        }
    }

    #[test]
    fn no_arm_is_worse_than_the_majority() {
        let partitions: Vec<_> = (0..3)
            .map(|split| data::partition(&some_wines(), split))
            .collect();
        let total = |arm: &Arm| -> f64 {
            partitions
                .iter()
                .map(|wines| evaluate(arm, wines, 7).macro_f1)
                .sum()
        };

        let majority = total(arm("majority"));
        for arm in ARMS {
            assert!(total(arm) >= majority, "{}", arm.name);
        }
    }
}
