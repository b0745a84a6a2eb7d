//! Quantiles of scores.

/// Returns scores from the smallest on.
pub(crate) fn sorted(scores: &[f64]) -> Vec<f64> {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Returns the quantile of ascending values at `p`: linear between the order statistics x_1 … x_n
/// at h = (n − 1)p + 1, so that p = 0 is the least value and p = 1 the greatest. (Type 7 of Hyndman
/// and Fan 1996, the default of R and NumPy.)
///
/// # Panics
/// If there are no values, or p is not between 0 and 1.
pub(crate) fn quantile(ascending: &[f64], p: f64) -> f64 {
    let (low, fraction) = place(ascending.len(), p);
    let value = ascending[low];
    match ascending.get(low + 1) {
        Some(&next) if fraction > 0.0 => value + fraction * (next - value),
        _ => value,
    }
}

/// The order statistic below the quantile, from 0, and how far the quantile is from it to the next.
fn place(n: usize, p: f64) -> (usize, f64) {
    assert!((0.0..=1.0).contains(&p), "{p} is no probability");
    assert!(n > 0, "no values have no quantiles");
    let h = (n - 1) as f64 * p;
    (fiesta_core::whole(h), h.fract())
}

/// Returns a quantile of values in any order, and puts the values in another order: O(n) for each
/// instead of a whole sort.
pub(super) fn quantile_of(values: &mut [f64], p: f64) -> f64 {
    let (low, fraction) = place(values.len(), p);
    let (_, &mut value, above) = values.select_nth_unstable_by(low, f64::total_cmp);
    let next = above.iter().copied().min_by(f64::total_cmp);
    match next {
        Some(next) if fraction > 0.0 => value + fraction * (next - value),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn of_one_value_is_that_value() {
        for p in [0.0, 0.3, 1.0] {
            assert_eq!(quantile(&[0.7], p).to_bits(), 0.7_f64.to_bits());
        }
    }

    proptest! {
        #[test]
        fn sorting_makes_no_difference(
            values in proptest::collection::vec(-1.0..1.0_f64, 1..60),
            p in 0.0..=1.0_f64,
        ) {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let mut values = values;
            prop_assert_eq!(quantile(&sorted, p).to_bits(), quantile_of(&mut values, p).to_bits());
        }
    }

    #[test]
    fn the_example_of_quantile() {
        use fiesta_report::summary::quantile;
        let of = |p| quantile(&[1.0, 2.0, 4.0, 8.0], p);
        assert!((of(0.5) - 3.0).abs() < 1e-15 && (of(0.25) - 1.75).abs() < 1e-15);
    }
}
