//! Count, mean and sum of squared deviations of a series, one value at a time.

/// The first two moments of a series, kept by Welford's recurrence: no cancellation however close
/// the values lie to each other, and exactly zero deviation for equal values.
///
/// # Example
/// ```
/// use fiesta_core::Moments;
/// let scores: Moments = [0.71, 0.69, 0.73].into_iter().collect();
/// assert_eq!(scores.count(), 3);
/// assert!((scores.mean() - 0.71).abs() < 1e-12);
/// assert!((scores.variance().unwrap() - 0.0004).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

/// Returns the probability at which values that differ are allowed for where all of n are the same: 3/(n + 3), as a
/// share of more than 3/n of them would have been seen with 95 %.
///
/// # Example
/// ```
/// use fiesta_core::unseen;
/// assert_eq!(unseen(27), 0.1);
/// ```
///
/// Source: Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?" (1983), the rule of three.
pub fn unseen(n: u64) -> f64 {
    3.0 / (n as f64 + 3.0)
}

impl Moments {
    /// Adds a value to the moments.
    pub fn push(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// Returns how many values were added, n.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the mean m; 0 before the first value.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Returns the sum of squared deviations from the mean, SS = Σ(x − m)².
    pub fn squares(&self) -> f64 {
        self.squares
    }

    /// Returns the sum of the values in the series.
    pub fn total(&self) -> f64 {
        self.mean * self.count as f64
    }

    /// Returns the sample variance SS/(n − 1). `None` for fewer than two values.
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.squares / (self.count - 1) as f64)
    }

    /// Returns the sample standard deviation. `None` for fewer than two values.
    pub fn standard_deviation(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// Returns the standard error of the mean. `None` for fewer than two values.
    pub fn standard_error(&self) -> Option<f64> {
        self.variance().map(|v| (v / self.count as f64).sqrt())
    }
}

impl Extend<f64> for Moments {
    fn extend<T: IntoIterator<Item = f64>>(&mut self, values: T) {
        for value in values {
            self.push(value);
        }
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<T: IntoIterator<Item = f64>>(values: T) -> Self {
        let mut moments = Self::default();
        moments.extend(values);
        moments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_values_have_no_deviation_at_all() {
        let moments: Moments = std::iter::repeat_n(0.1, 1000).collect();
        assert_eq!(moments.squares().to_bits(), 0.0_f64.to_bits());
        assert_eq!(moments.variance(), Some(0.0));
    }

    #[test]
    fn no_variance_of_a_single_value() {
        let moments: Moments = [0.5].into_iter().collect();
        assert_eq!(moments.variance(), None);
        assert_eq!(moments.standard_error(), None);
    }

    proptest! {
        /// Tests moments against the two-pass formula, values far from zero included.
        #[test]
        fn agrees_with_two_passes(
            values in proptest::collection::vec(-1.0..1.0_f64, 2..200),
            offset in -1e6..1e6_f64,
        ) {
            let shifted: Vec<f64> = values.iter().map(|v| v + offset).collect();
            let moments: Moments = shifted.iter().copied().collect();
            let n = shifted.len() as f64;
            let mean = shifted.iter().map(|v| v - offset).sum::<f64>() / n + offset;
            let squares: f64 = shifted.iter().map(|v| (v - mean).powi(2)).sum();
            prop_assert!((moments.mean() - mean).abs() <= 1e-12 * offset.abs().max(1.0));
            prop_assert!((moments.squares() - squares).abs() <= 1e-7 * squares.max(1e-6));
        }
    }
}
