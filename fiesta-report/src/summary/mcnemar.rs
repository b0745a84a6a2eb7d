//! McNemar's exact test of two arms whose answers to the same items are right or wrong.

use crate::binomial::{deviance, stirling_error};
#[cfg(feature = "analysis")]
use crate::words::{digits, p_value};
use std::f64::consts::{LN_2, PI};

/// McNemar's exact test: of the items on which exactly one of two arms is right, how surprising the
/// division between the two would be if either were as likely.
///
/// With b items of the one and c of the other, n = b + c, m = min(b, c) and X ~ Binomial(n, ½):
/// ```text
/// p = min(1, 2·P(X ≤ m)),   mid-p = 2·P(X < m) + P(X = m)
/// ```
/// p is two-sided and errs in at most its level; mid-p (Lancaster 1961; Fagerland, Lydersen and
/// Laake 2013) errs in about its level, where p is too cautious. Both are 1 without such an item.
///
/// They hold where the number of items was fixed beforehand, and not where items were asked, or the
/// asking ended, as the answers came in.
///
/// Source: McNemar, "Note on the sampling error of the difference between correlated proportions or
/// percentages" (1947).
///
/// # Example
/// ```
/// use fiesta_report::summary::McNemar;
/// let test = McNemar::new(8, 3);
/// assert!((test.p_value - 0.226_562_5).abs() < 1e-12);
/// assert!((test.mid_p_value - 0.145_996_093_75).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct McNemar {
    /// Number of items on which the first arm is right and the second wrong, b.
    pub only_first: u64,
    /// Number of items on which the second arm is right and the first wrong, c.
    pub only_second: u64,
    /// Exact two-sided p-value of McNemar's test.
    pub p_value: f64,
    /// Two-sided mid-p-value of McNemar's test.
    pub mid_p_value: f64,
}

impl McNemar {
    /// Tests two arms by the number of items on which only one of them is right.
    pub fn new(only_first: u64, only_second: u64) -> Self {
        let (below, at) = tail(only_first.min(only_second), only_first + only_second);
        Self {
            only_first,
            only_second,
            p_value: (2.0 * (below + at)).min(1.0),
            mid_p_value: (2.0 * below + at).min(1.0),
        }
    }

    /// Tells the p-value and the mid-p-value of the test in words.
    #[cfg(feature = "analysis")]
    pub(crate) fn words(&self) -> String {
        let (p, mid_p) = (p_value(self.p_value), digits(self.mid_p_value));
        format!("exact McNemar p {p}, mid-p {mid_p}")
    }
}

/// Returns P(X < m) and P(X = m) of X ~ Binomial(n, ½), for m ≤ n/2: to some 1e-13 of each.
fn tail(m: u64, n: u64) -> (f64, f64) {
    let at = probability(m, n);
    let (mut below, mut term) = (0.0, at);
    // P(X = k − 1) = P(X = k)·k/(n − k + 1), which falls ever faster.
    for k in (1..=m).rev() {
        term *= k as f64 / (n - k + 1) as f64;
        below += term;
        if term <= below * 1e-18 {
            break;
        }
    }
    (below, at)
}

/// Returns P(X = m) of X ~ Binomial(n, ½) by the saddle point: logarithms of factorials would leave
/// a relative error of 1e-9 at a million items.
fn probability(m: u64, n: u64) -> f64 {
    let (ours, all) = (m as f64, n as f64);
    if m == 0 {
        return (-all * LN_2).exp();
    }
    let (theirs, half) = (all - ours, 0.5 * all);
    let exponent = stirling_error(n)
        - stirling_error(m)
        - stirling_error(n - m)
        - deviance(ours, half)
        - deviance(theirs, half);
    exponent.exp() * (all / (2.0 * PI * ours * theirs)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests p-values against sums of binomial coefficients over 2ⁿ in exact rational arithmetic
    /// (Python's `fractions`, and from 10⁵ on whole numbers of 300 bits after the point); the
    /// p-values agree with `binomtest` of SciPy 1.17.1 and, up to 10⁴, `mcnemar(exact=True)` of
    /// statsmodels 0.15.0 to all 13 digits that these printed.
    #[test]
    fn equals_exact_arithmetic() {
        for (first, second, p, mid) in [
            (0, 0, 1.0, 1.0),
            (1, 0, 1.0, 0.5),
            (0, 5, 0.0625, 0.03125),
            (3, 1, 0.625, 0.375),
            (8, 3, 0.226_562_5, 0.145_996_093_75),
            (12, 12, 1.0, 1.0),
            (15, 16, 1.0, 8.600_500_659_085_81e-1),
            (40, 17, 3.201_543_767_450_382e-3, 2.232_551_619_942_923e-3),
            (2, 60, 8.474_124_180_146_703e-16, 4.373_671_563_806_525e-16),
            (120, 75, 1.560_711_756_638_204e-3, 1.249_709_633_102_978e-3),
            (700, 612, 1.627_834_562_044_089e-2, 1.512_699_421_046_127e-2),
            (
                5_000,
                4_811,
                5.768_767_465_072_427e-2,
                5.638_303_740_014_31e-2,
            ),
            (
                50_200,
                49_800,
                2.070_389_717_642_248e-1,
                2.059_052_514_249_264e-1,
            ),
            (
                500_900,
                499_100,
                7.201_862_767_648_179e-2,
                7.186_072_728_168_767e-2,
            ),
            (
                500_100,
                499_900,
                8.422_627_570_516_088e-1,
                8.414_806_718_436_418e-1,
            ),
        ] {
            for test in [McNemar::new(first, second), McNemar::new(second, first)] {
                let (one, other) = (test.p_value / p - 1.0, test.mid_p_value / mid - 1.0);
                assert!(
                    one.abs() < 1e-11 && other.abs() < 1e-11,
                    "{test:?} {p} {mid}"
                );
            }
        }
    }

    #[test]
    fn extreme_counts_have_a_p_value() {
        assert!(McNemar::new(1_000_000, 0).p_value < 1e-300);
        assert!(McNemar::new(500_000, 500_000).p_value > 1.0 - 1e-12);
        assert!((McNemar::new(1 << 40, 1 << 40).mid_p_value - 1.0).abs() < 1e-6);
    }
}
