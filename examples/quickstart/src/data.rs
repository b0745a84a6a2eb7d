//! The wine-quality data, their random partition and their scaling.

use linfa::Dataset;
use ndarray::{Array1, Axis, Ix1};
use rand::{SeedableRng, rngs::StdRng, seq::SliceRandom};

/// The number of classes: 0 is an ordinary wine, 1 a good one.
pub const CLASSES: usize = 2;

/// Tasters gave grades from 3 to 8; a wine of this grade or better is a good one.
const GOOD_GRADE: usize = 6;

/// Number of wines for training out of ten.
const TRAIN_TENTHS: usize = 7;

/// Eleven chemical measurements of each wine, and its class.
pub type Wines = Dataset<f64, usize, Ix1>;

/// Partition of the wines: some to learn from, others to test on.
#[derive(Clone, Debug)]
pub struct Partition {
    pub train: Wines,
    pub test: Wines,
}

/// Loads the red wines as they were published.
///
/// The table repeats 240 of its 1599 rows, so a test wine may have a double among the training
/// wines. That favours learners which remember single wines.
#[must_use]
pub fn load() -> Wines {
    linfa_datasets::winequality().map_targets(|&grade| usize::from(grade >= GOOD_GRADE))
}

/// Divides the wines 70 : 30 at random. The number `split` alone decides how.
#[must_use]
pub fn partition(wines: &Wines, split: u64) -> Partition {
    let (train, test) = partition_rows(wines.targets.len(), split);
    Partition {
        train: select(wines, &train),
        test: select(wines, &test),
    }
}

/// Returns the row numbers of the training and of the test set.
fn partition_rows(rows: usize, split: u64) -> (Vec<usize>, Vec<usize>) {
    let mut train: Vec<usize> = (0..rows).collect();
    train.shuffle(&mut StdRng::seed_from_u64(split));
    let test = train.split_off(rows * TRAIN_TENTHS / 10);
    (train, test)
}

fn select(wines: &Wines, rows: &[usize]) -> Wines {
    Dataset::new(
        wines.records.select(Axis(0), rows),
        wines.targets.select(Axis(0), rows),
    )
}

impl Partition {
    /// Shifts and stretches each measurement to mean 0 and standard deviation 1.
    ///
    /// Both sets are scaled by the mean and deviation of the training set: the test set must not
    /// have a say in anything the learner sees.
    ///
    /// # Panics
    ///
    /// If there are no training wines.
    #[must_use]
    pub fn standardised(&self) -> Self {
        let mean = self
            .train
            .records
            .mean_axis(Axis(0))
            .expect("training wines");
        // A measurement that never varies would divide by zero; it is shifted only.
        let deviation = self
            .train
            .records
            .std_axis(Axis(0), 0.0)
            .mapv(|deviation| if deviation > 0.0 { deviation } else { 1.0 });
        Self {
            train: rescale(&self.train, &mean, &deviation),
            test: rescale(&self.test, &mean, &deviation),
        }
    }
}

fn rescale(wines: &Wines, mean: &Array1<f64>, deviation: &Array1<f64>) -> Wines {
    Dataset::new((&wines.records - mean) / deviation, wines.targets.clone())
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn the_published_table_is_complete() {
        let wines = load();

        assert_eq!(wines.records.dim(), (1599, 11));
        assert_eq!(wines.targets.sum(), 855, "good wines");
    }

    #[test]
    fn a_partition_holds_every_row_exactly_once() {
        for split in 0..20 {
            let (train, test) = partition_rows(1599, split);
            assert_eq!((train.len(), test.len()), (1119, 480));

            let mut all = [train, test].concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..1599));
        }
    }

    #[test]
    fn the_number_decides_the_partition() {
        assert_eq!(partition_rows(1599, 5), partition_rows(1599, 5));
        assert_ne!(partition_rows(1599, 5), partition_rows(1599, 6));
    }

    #[test]
    fn measurements_stay_with_their_class() {
        let wines = load();
        let (train, test) = partition_rows(1599, 3);
        let partition = partition(&wines, 3);

        for (rows, part) in [(train, &partition.train), (test, &partition.test)] {
            for (position, &row) in rows.iter().enumerate() {
                assert_eq!(part.records.row(position), wines.records.row(row));
                assert_eq!(part.targets[position], wines.targets[row]);
            }
        }
    }

    #[test]
    fn scaling_uses_the_training_set_alone() {
        let wines = Partition {
            train: Dataset::new(array![[1.0, 7.0], [3.0, 7.0]], array![0, 1]),
            test: Dataset::new(array![[4.0, 9.0]], array![1]),
        };

        let scaled = wines.standardised();

        // The first column has mean 2 and deviation 1; the second never varies.
        assert_eq!(scaled.train.records, array![[-1.0, 0.0], [1.0, 0.0]]);
        assert_eq!(scaled.test.records, array![[2.0, 2.0]]);
        assert_eq!(scaled.test.targets, array![1]);
    }
}
