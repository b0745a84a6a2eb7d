//! Intervals that hold for few scores: of a share by the binomial distribution, of a median by
//! order statistics.

use super::Interval;
use statrs::distribution::{Beta, Binomial, ContinuousCDF, DiscreteCDF};

/// Returns the interval of a share of `units` independent units (Clopper and Pearson 1934): it
/// covers with at least the confidence. A share that is a mean of numbers between 0 and 1 has it as
/// well, as none varies more than one of zeros and ones.
pub(super) fn of_share(share: f64, units: usize, confidence: f64) -> Interval {
    let (tail, n) = ((1.0 - confidence) / 2.0, units as f64);
    let found = (share * n).clamp(0.0, n);
    let quantile = |a: f64, b: f64, p: f64| {
        let beta = Beta::new(a, b).expect("both are above 0");
        beta.inverse_cdf(p)
    };
    Interval {
        lower: if found > 0.0 {
            quantile(found, n - found + 1.0, tail)
        } else {
            0.0
        },
        upper: if found < n {
            quantile(found + 1.0, n - found, 1.0 - tail)
        } else {
            1.0
        },
    }
}

/// Returns the narrowest interval of the median between the k-th least and the k-th greatest of
/// ascending independent scores that covers with at least the confidence, whatever the
/// distribution; none if all scores are too few (with 95 %: fewer than six).
pub(super) fn of_median(ascending: &[f64], confidence: f64) -> Option<Interval> {
    let count = ascending.len();
    let halves = Binomial::new(0.5, count as u64).expect("a probability");
    let tail = (1.0 - confidence) / 2.0;
    // With k scores left out at each end, the median is outside if at most k scores are on one of
    // its sides.
    let left_out = (0..count.div_ceil(2)).take_while(|&k| halves.cdf(k as u64) <= tail);
    let k = left_out.last()?;
    Some(Interval {
        lower: ascending[k],
        upper: ascending[count - 1 - k],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests intervals of shares against R's `binom.test(k, n)$conf.int`.
    #[test]
    fn shares_are_those_of_r() {
        for (found, units, lower, upper) in [
            (0.0, 5, 0.0, 0.521_823_8),
            (4.0, 5, 0.283_582_1, 0.994_949_2),
            (3.0, 10, 0.066_739_5, 0.652_452_9),
            (50.0, 50, 0.928_864_0, 1.0),
        ] {
            let interval = of_share(found / units as f64, units, 0.95);
            assert!(
                (interval.lower - lower).abs() < 1e-4,
                "{interval:?} {lower}"
            );
            assert!(
                (interval.upper - upper).abs() < 1e-4,
                "{interval:?} {upper}"
            );
        }
    }

    /// Tests that an interval of the median takes six scores: P(Binomial(6, ½) = 0) = 1/64 is below
    /// 2.5 %, 1/32 of five scores is not; of ten the second and the ninth will do.
    #[test]
    fn a_median_takes_six_scores() {
        let scores: Vec<f64> = (0..20).map(f64::from).collect();
        assert_eq!(of_median(&scores[..5], 0.95), None);
        let of = |count: usize| of_median(&scores[..count], 0.95).unwrap();
        assert_eq!(
            of(6),
            Interval {
                lower: 0.0,
                upper: 5.0
            }
        );
        assert_eq!(
            of(10),
            Interval {
                lower: 1.0,
                upper: 8.0
            }
        );
        assert_eq!(
            of(20),
            Interval {
                lower: 5.0,
                upper: 14.0
            }
        );
    }
}
