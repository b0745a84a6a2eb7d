//! Wilson's interval of a share.

use super::Interval;

/// The 0.975 quantile of the normal distribution.
const Z95: f64 = 1.959_963_984_540_054;

/// Returns Wilson's interval at 95 % of a share p of n trials: with z the normal quantile,
/// (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n) (Wilson 1927).
pub(crate) fn wilson(share: f64, trials: f64) -> Interval {
    let spread = Z95 * Z95 / trials;
    let centre = (share + spread / 2.0) / (1.0 + spread);
    let variance = share * (1.0 - share) / trials + spread / (4.0 * trials);
    let half = Z95 * variance.sqrt() / (1.0 + spread);
    // At the ends exactly, where rounding would leave the share outside.
    Interval {
        lower: (centre - half).max(0.0).min(share),
        upper: (centre + half).min(1.0).max(share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_and_all() {
        let none = wilson(0.0, 29.0);
        assert!(none.lower == 0.0 && (none.upper - 0.1170).abs() < 5e-5);
        assert!(wilson(1.0, 10.0).upper >= 1.0);
    }

    #[test]
    fn the_example_of_wilson() {
        // 81 of 263 (Newcombe 1998, Table I, method 3).
        let interval = fiesta_report::summary::wilson(81.0 / 263.0, 263.0);
        assert!((interval.lower - 0.2553).abs() < 5e-5 && (interval.upper - 0.3662).abs() < 5e-5);
    }
}
