//! Anytime-valid confidence interval of a mean difference: the martingales inverted.

use super::{
    bets::{Bets, Hypothesis},
    martingale::Mixture,
    tables::rounding,
};
use fiesta_core::{Moments, bisect};

/// Returns the interval for the mean of differences d_1, d_2, … that holds at every n at once with
/// a probability of at least 1 − `alpha`: all λ that neither direction's martingale M⁺(λ) of
/// [`AnytimeValid`](super::AnytimeValid) rejects at `alpha`/2 now. `None` where it is the whole
/// line: so few differences exclude nothing, and equal ones (S = 0) have no spread.
///
/// `bounds` are those of the scores that were subtracted. With bounds it holds for any scores within
/// them, and lies within what differences can be; without, for independent Gaussian d. With `items`
/// the d are the first of so many that come once each, in a random order, and their mean is that of
/// all: a pool of items, with bounds. The order of the differences must not depend on their values: that of the turns ([by
/// turn](super#by-turn)).
///
/// M⁺ depends on λ through r = √n(m − λ)/√(S + n(m − λ)²) alone, so that the Gaussian interval is m ±
/// r₀·√(S/n)/√(1 − r₀²) with ln M⁺(r₀) = ln(2/α). For bounded scores y = min(1, (d − λ)/(R + λ)) with
/// R = high − low is at least −1 and falls as λ rises, and each end is found by halving.
///
/// # Example
/// ```
/// use fiesta_policies::stopping::anytime::difference_interval;
/// let d = [0.021, 0.014, 0.030, 0.018, 0.025, 0.016, 0.024, 0.019];
/// let (lower, upper) = difference_interval(&d, None, None, 0.05).unwrap();
/// // Student's t, for a number of differences fixed beforehand: .0167 to .0251.
/// assert!(0.01 < lower && lower < 0.016 && 0.026 < upper && upper < 0.032);
/// // For any scores between 0 and 1, eight differences say little.
/// let (lower, upper) = difference_interval(&d, Some((0.0, 1.0)), None, 0.05).unwrap();
/// assert!(lower < 0.0 && upper > 0.1);
/// assert_eq!(difference_interval(&d[..1], None, None, 0.05), None);
/// ```
///
/// Sources: those of the [module](super).
pub fn difference_interval(
    differences: &[f64],
    bounds: Option<(f64, f64)>,
    items: Option<u64>,
    alpha: f64,
) -> Option<(f64, f64)> {
    let required = (2.0 / alpha).ln();
    match bounds {
        Some((low, high)) => bounded(differences, high - low, items, required),
        None => gaussian(differences, required),
    }
}

fn gaussian(differences: &[f64], required: f64) -> Option<(f64, f64)> {
    let largest = differences
        .iter()
        .fold(0.0_f64, |most, d| most.max(d.abs()));
    let moments: Moments = differences.iter().copied().collect();
    let (count, squares) = (moments.count(), moments.squares());
    let evidence = |r: f64| Mixture::DIFFERENCES.ln(count, r);
    if count < 2 || squares <= rounding(count, largest) || evidence(1.0) < required {
        return None;
    }
    // ln M⁺ increases with r, and is 0 or less at 0.
    let (r, _) = bisect(0.0, 1.0, |r| evidence(r) < required);
    let half = r / (1.0 - r * r).sqrt() * (squares / count as f64).sqrt();
    Some((moments.mean() - half, moments.mean() + half))
}

fn bounded(
    differences: &[f64],
    range: f64,
    items: Option<u64>,
    required: f64,
) -> Option<(f64, f64)> {
    if !(range > 0.0 && range.is_finite()) {
        return None;
    }
    let end = |sign: f64| {
        let is_rejected = |below: f64| {
            let (mut bets, mean) = (Bets::default(), below);
            let hypothesis = Hypothesis { range, items, mean };
            let evidence = differences.iter().map(|d| bets.take(sign * d, hypothesis));
            evidence.last().unwrap_or(0.0) >= required
        };
        bisect(-range, range, is_rejected).0
    };
    Some((end(1.0), -end(-1.0)))
}

#[cfg(test)]
mod tests {
    use super::{
        super::pairs::{Pair, Test},
        *,
    };
    use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
    use rand_distr::{Distribution, StandardNormal};

    /// Tests that an interval ends at 0 where the rule's own evidence just suffices, and elsewhere,
    /// if Gaussian, where it suffices with the end as the tolerance.
    #[test]
    fn the_ends_are_where_the_rules_evidence_suffices() {
        let d = [0.3, -0.1, 0.25, 0.4, 0.05, 0.2, 0.31, 0.12, 0.22, 0.18];
        let evidence = |test: Test, sign: f64, tolerance: f64| {
            let mut pair = Pair::default();
            for value in d {
                pair.push(sign * value, 0.4, test, tolerance);
            }
            pair.latest
        };
        let bounded = Test::Bounded {
            low: 0.0,
            high: 1.0,
            items: None,
        };
        for (test, bounds) in [(Test::Gaussian, None), (bounded, Some((0.0, 1.0)))] {
            let alpha = 2.0 * (-evidence(test, 1.0, 0.0)).exp();
            let (lower, upper) = difference_interval(&d, bounds, None, alpha).unwrap();
            assert!(
                lower.abs() < 1e-9 && upper > 0.2,
                "{test:?} {lower} {upper}"
            );
        }
        let (lower, upper) = difference_interval(&d, None, None, 0.1).unwrap();
        for (end, sign) in [(lower, 1.0), (upper, -1.0)] {
            let found = evidence(Test::Gaussian, sign, -sign * end);
            assert!((found - 20.0_f64.ln()).abs() < 1e-6, "{end}: {found}");
        }
    }

    /// Tests that intervals that are looked at seven times up to n = 200 miss in at most α of 600
    /// runs, Gaussian and of zeros and ones, and Gaussian ones in no less than α/10. The allowance
    /// is 4 standard errors.
    #[test]
    fn it_holds_at_every_time_at_once() {
        let (runs, alpha): (u32, f64) = (600, 0.1);
        let missed =
            |bounds: Option<(f64, f64)>, draw: &dyn Fn(&mut ChaCha8Rng) -> f64, mean: f64| {
                let mut rng = ChaCha8Rng::seed_from_u64(5);
                let run = |rng: &mut ChaCha8Rng| {
                    let d: Vec<f64> = (0..200).map(|_| draw(rng)).collect();
                    let looks = [3, 5, 9, 16, 30, 70, 200];
                    looks.iter().any(|&n| {
                        difference_interval(&d[..n], bounds, None, alpha)
                            .is_some_and(|(lower, upper)| mean < lower || mean > upper)
                    })
                };
                (0..runs).filter(|_| run(&mut rng)).count()
            };
        let most = f64::from(runs) * alpha + 4.0 * (f64::from(runs) * alpha * (1.0 - alpha)).sqrt();
        let of_gaussian = missed(
            None,
            &|rng| 0.2 + <StandardNormal as Distribution<f64>>::sample(&StandardNormal, rng),
            0.2,
        );
        assert!(
            (of_gaussian as f64) < most && of_gaussian as f64 > 0.1 * f64::from(runs) * alpha,
            "{of_gaussian}"
        );
        let zero_one = |rng: &mut ChaCha8Rng| f64::from(u8::from(rng.random_bool(0.9)));
        let of_bounded = missed(Some((0.0, 1.0)), &|rng| zero_one(rng) - zero_one(rng), 0.0);
        assert!((of_bounded as f64) < most, "{of_bounded}");
    }
}
