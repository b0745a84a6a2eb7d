//! Standard error of a mean over items, plain and with clusters of items that belong together.

use std::collections::HashMap;

/// Largest difference of two values that counts as rounding of binary fractions, in parts of the largest value.
const ROUNDING: f64 = 1e-14;

/// A mean of values of items (scores, or paired differences of two arms) with its standard errors.
///
/// With n items, their mean s̄ and the clusters c of those that belong together (questions on one
/// text, tasks of one kind),
/// ```text
/// SE_CLT² = Σ_i (s_i − s̄)²/(n·(n − 1)),
/// SE_clustered² = SE_CLT² + (1/n²)·Σ_c Σ_i Σ_{j≠i} (s_ic − s̄)·(s_jc − s̄),
/// ```
/// the second of which is larger where items of a cluster tend to go the same way. Both are of the
/// items as a sample of more such items, drawn beforehand, one by one or as whole clusters.
///
/// Source: Miller, "Adding Error Bars to Evals: A Statistical Approach to Language Model
/// Evaluations" (2024).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MeanError {
    /// Number of items, n.
    pub(crate) items: usize,
    /// Mean s̄ of the items' scores.
    pub(crate) mean: f64,
    /// The standard error of independent items, SE_CLT; `None` of a single item, and of values that
    /// are all equal: that they do not vary is no measure of their error.
    pub(crate) standard_error: Option<f64>,
    /// Number of clusters of the items. `None` if no clusters were given.
    pub(crate) clusters: Option<usize>,
    /// Standard error over clusters, SE_clustered. `None` without clusters, if all items are of one
    /// cluster, as the sum is then 0, or if it comes out as 0.
    pub(crate) clustered: Option<f64>,
}

impl MeanError {
    /// Returns the mean of these values, one for each item, with its standard error. `None` without values.
    pub(crate) fn new(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.into_iter().collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let largest = values
            .iter()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        let are_equal = squares.sqrt() <= ROUNDING * largest * n.sqrt();
        (!values.is_empty()).then(|| Self {
            items: values.len(),
            mean,
            standard_error: (!are_equal).then(|| (squares / (n * (n - 1.0))).sqrt()),
            clusters: None,
            clustered: None,
        })
    }

    /// Returns the mean of these values, each with the cluster of its item, with both standard errors. `None` without values.
    pub(crate) fn of_clusters<C: std::hash::Hash + Eq>(
        values: impl IntoIterator<Item = (f64, C)>,
    ) -> Option<Self> {
        let (values, clusters): (Vec<f64>, Vec<C>) = values.into_iter().unzip();
        let plain = Self::new(values.iter().copied())?;
        // Of each cluster the sum of the residuals and that of their squares, in the order of their
        // first appearance: a sum in another order would differ in its last bits.
        let mut places: HashMap<C, usize> = HashMap::new();
        let mut sums: Vec<(f64, f64)> = Vec::new();
        for (value, cluster) in values.iter().zip(clusters) {
            let residual = value - plain.mean;
            let place = *places.entry(cluster).or_insert(sums.len());
            if place == sums.len() {
                sums.push((0.0, 0.0));
            }
            sums[place].0 += residual;
            sums[place].1 += residual * residual;
        }
        let n = plain.items as f64;
        let together: f64 = sums.iter().map(|(sum, squares)| sum * sum - squares).sum();
        let clustered = plain.standard_error.filter(|_| sums.len() > 1);
        Some(Self {
            clusters: Some(sums.len()),
            clustered: clustered
                .map(|error| (error * error + together / (n * n)).max(0.0).sqrt())
                .filter(|&error| error > 0.0),
            ..plain
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: Option<f64>, expected: f64) {
        let found = found.unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    /// Tests both standard errors against exact rational arithmetic, all pairs summed one by one
    /// (Python's `fractions` and `decimal`); √(bse² + Σ(s − s̄)²/(n²(n − 1))) of an OLS on a
    /// constant with `cov_type="cluster", use_correction=False` of statsmodels 0.15.0 agrees to the
    /// 12 digits printed.
    #[test]
    fn equals_exact_arithmetic() {
        let bits = [1.0, 0.0, 0.0, -1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, -1.0, 1.0];
        let clusters = [0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3];
        let graded = [0.25, -0.125, 0.375, 0.0, 0.5, -0.75, 0.125, 0.625];
        let long = (0..300).map(|i| f64::from(37 * i % 101) / 64.0 - 0.5);
        let alternating = (0..8).map(|i| i % 2);
        for (values, clusters, mean, plain, clustered) in [
            (
                bits.to_vec(),
                clusters.to_vec(),
                0.25,
                0.217_597_069_944_622_3,
                0.100_110_418_836_382_66,
            ),
            (
                graded.to_vec(),
                alternating.collect(),
                0.125,
                0.153_093_108_923_948_62,
                0.143_205_490_467_37,
            ),
            (
                vec![1.0, -1.0, 1.0, -1.0],
                vec![0, 0, 1, 1],
                0.0,
                0.577_350_269_189_625_7,
                0.288_675_134_594_812_87,
            ),
            (
                long.collect(),
                (0..300).map(|i| i * i % 17).collect(),
                0.279_583_333_333_333_35,
                0.026_351_999_852_538_1,
                0.010_321_493_684_361_586,
            ),
        ] {
            let error = MeanError::of_clusters(values.iter().copied().zip(clusters)).unwrap();
            close(Some(error.mean), mean);
            close(error.standard_error, plain);
            close(error.clustered, clustered);
            let alone = MeanError::new(values).unwrap();
            assert_eq!(alone.standard_error, error.standard_error);
            assert_eq!((alone.clusters, alone.clustered), (None, None));
        }
    }

    /// Tests that a cluster of its own for each item changes no standard error, and that one cluster for all items has none.
    #[test]
    fn clusters_of_one_item_and_of_all() {
        let values = [1.0, 0.0, 0.0, -1.0, 1.0];
        let error = MeanError::of_clusters(values.into_iter().zip(0..)).unwrap();
        assert_eq!(error.clustered, error.standard_error);
        close(error.clustered, 0.374_165_738_677_394_17);
        let one = MeanError::of_clusters(values.map(|value| (value, "all"))).unwrap();
        assert_eq!((one.clusters, one.clustered), (Some(1), None));
        close(one.standard_error, 0.374_165_738_677_394_17);
    }

    #[test]
    fn few_items() {
        assert_eq!(MeanError::new([]), None);
        assert_eq!(MeanError::of_clusters::<u8>([]), None);
        let one = MeanError::of_clusters([(0.5, 3)]).unwrap();
        assert_eq!((one.items, one.mean), (1, 0.5));
        assert_eq!((one.standard_error, one.clustered), (None, None));
        let equal = MeanError::of_clusters([(0.5, 3), (0.5, 4)]).unwrap();
        assert_eq!((equal.standard_error, equal.clustered), (None, None));
    }

    /// Tests a million items in pairs of equal values: Σ_c of a pair is 4r², less 2r², so that the
    /// clustered variance is SE² + Σr²/n², Σr² = n/4 for zeros and ones in halves.
    #[test]
    fn a_million_items() {
        let n = 1_000_000;
        let values = (0..n).map(|i| (f64::from(i / 2 % 2), i / 2));
        let error = MeanError::of_clusters(values).unwrap();
        let n = f64::from(n);
        close(error.standard_error, (0.25 / (n - 1.0)).sqrt());
        close(error.clustered, (0.25 / (n - 1.0) + 0.25 / n).sqrt());
    }

    #[test]
    fn the_example_of_mean_error() {
        use fiesta_report::summary::MeanError;
        // Three texts with two questions each: what is gained is gained on whole texts.
        let gains = [
            (1.0, "a"),
            (1.0, "a"),
            (0.0, "b"),
            (0.0, "b"),
            (0.0, "c"),
            (1.0, "c"),
        ];
        let error = MeanError::of_clusters(gains).unwrap();
        assert_eq!((error.mean, error.clusters), (0.5, Some(3)));
        assert!((error.standard_error.unwrap() - (1.5_f64 / 30.0).sqrt()).abs() < 1e-12);
        let more = 2.0 * (0.25 + 0.25 - 0.25) / 36.0;
        assert!((error.clustered.unwrap() - (1.5_f64 / 30.0 + more).sqrt()).abs() < 1e-12);
    }
}
