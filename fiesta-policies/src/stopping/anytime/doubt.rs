//! The warning that the guarantee of the rule `anytime` supposes Gaussian scores.

use super::{
    pairs::{Pair, Test},
    student::Student,
};
use fiesta_core::{Design, Moments};
use std::collections::HashMap;

/// Number of scores of an arm from which on [`few_values`] judges them.
const ENOUGH_SCORES: usize = 4;
/// Largest number of different values that are few for an arm's scores.
const FEW_VALUES: usize = 5;
/// Number of differences of a pair from which on their shape is judged.
const ENOUGH_DIFFERENCES: u64 = 8;
/// Probability that Gaussian differences of some pair are called outlying, and that they are called skewed.
const RATE: f64 = 1e-3;

/// Returns the warning for scores of some arms, each with its split or document, if they do not
/// look Gaussian; none otherwise.
///
/// Four things are looked at: [few values](few_values) of an arm; both directions of a pair that
/// have reached the evidence of [`AnytimeValid`](super::AnytimeValid) at `level`; and of the n ≥ 8
/// differences d of a pair, on the same case or, where arms share none, of the k-th scores, the
/// greatest G = |d − m|/s and the skewness √n·Σ(d − m)³/(Σ(d − m)²)^(3/2). G is compared with what
/// n Gaussian values exceed with a probability of at most 10⁻³ divided by the pairs (Grubbs 1950),
/// the skewness likewise (D'Agostino 1970, an approximation). So Gaussian scores are warned of at
/// one look with a probability of about .002.
///
/// # Example
/// ```
/// use fiesta_core::Design;
/// use fiesta_policies::stopping::anytime::doubt;
/// let arm = |failure: u64| -> Vec<(u64, f64)> {
///     let score = |split| if split == failure { 0.0 } else { 0.9 + 0.01 * (split as f64).sin() };
///     (0..20).map(|split| (split, score(split))).collect()
/// };
/// let warning = doubt(&[("lstm", arm(20)), ("gru", arm(7))], Design::Independent, 0.95);
/// assert!(warning.unwrap().contains("proven for Gaussian scores only"));
/// ```
pub fn doubt(arms: &[(&str, Vec<(u64, f64)>)], design: Design, level: f64) -> Option<String> {
    let of_arm = arms.iter().find_map(|(arm, scores)| {
        let scores: Vec<f64> = scores.iter().map(|&(_, score)| score).collect();
        let (values, count) = (few_values(&scores)?, scores.len());
        Some(format!("the {count} scores of {arm} take {values} values"))
    });
    let shares_cases = matches!(design, Design::Shared | Design::Items { .. });
    let pairs = arms.iter().enumerate();
    let mut pairs = pairs.flat_map(|(place, one)| arms[..place].iter().map(move |two| (two, one)));
    let looked_at = arms.len() * arms.len().saturating_sub(1) / 2;
    let rate = RATE / looked_at.max(1) as f64;
    let required = (arms.len() as f64 / (1.0 - level)).ln();
    let what = of_arm.or_else(|| {
        pairs.find_map(|((one, x), (two, y))| {
            let differences = differences(x, y, shares_cases);
            let what =
                shape(&differences, rate).or_else(|| contradiction(&differences, required))?;
            Some(format!(
                "the {} differences of {one} and {two} {what}",
                differences.len()
            ))
        })
    })?;
    Some(format!(
        "the rate of errors that the stopping rule anytime promises is proven for Gaussian scores only, and {what}: for such scores nothing is proven"
    ))
}

/// Returns how many values the scores of an arm take, if they are so few that the scores cannot
/// pass for Gaussian, as the guarantee of [`AnytimeValid`](super::AnytimeValid) supposes: at most
/// 5, and at most half as many as there are scores, of which there must be 4. None otherwise.
pub fn few_values(scores: &[f64]) -> Option<usize> {
    let mut values: Vec<f64> = Vec::new();
    for score in scores {
        if !values.contains(score) {
            values.push(*score);
            if values.len() > FEW_VALUES {
                return None;
            }
        }
    }
    let enough = scores.len() >= ENOUGH_SCORES.max(2 * values.len());
    enough.then_some(values.len())
}

/// Returns the differences x − y on the cases that two arms share, in the order of x. The n-th
/// scores on a case are paired; without shared cases, the n-th scores of all.
fn differences(x: &[(u64, f64)], y: &[(u64, f64)], shares_cases: bool) -> Vec<f64> {
    let numbered = |scores: &[(u64, f64)]| -> Vec<((u64, u64), f64)> {
        let mut seen: HashMap<u64, u64> = HashMap::new();
        let number = |&(case, score): &(u64, f64)| {
            let case = if shares_cases { case } else { 0 };
            let nth = seen.entry(case).or_default();
            *nth += 1;
            ((case, *nth), score)
        };
        scores.iter().map(number).collect()
    };
    let y: HashMap<(u64, u64), f64> = numbered(y).into_iter().collect();
    let x = numbered(x).into_iter();
    x.filter_map(|(case, score)| Some(score - y.get(&case)?))
        .collect()
}

/// Returns why these differences do not look Gaussian: an outlier, or skewness. Gaussian
/// differences are found so with a probability of about `rate` for either reason.
fn shape(differences: &[f64], rate: f64) -> Option<String> {
    let moments: Moments = differences.iter().copied().collect();
    if moments.count() < ENOUGH_DIFFERENCES || moments.squares() <= 0.0 {
        return None;
    }
    let (n, mean) = (moments.count() as f64, moments.mean());
    let sd = moments.standard_deviation()?;
    let farthest = differences
        .iter()
        .map(|d| (d - mean).abs() / sd)
        .fold(0.0, f64::max);
    if ln_outlying(farthest, n) < rate.ln() {
        return Some(format!(
            "have one that is {farthest:.1} standard deviations from their mean"
        ));
    }
    let cubes: f64 = differences.iter().map(|d| (d - mean).powi(3)).sum();
    let skewness = n.sqrt() * cubes / moments.squares().powf(1.5);
    // As of a normal deviate: Student's t with very many degrees of freedom.
    let normal = Student::new(1e6);
    let ln_tails = normal.ln_below(-skewed(skewness, n).abs()) + std::f64::consts::LN_2;
    (ln_tails < rate.ln()).then(|| format!("have a skewness of {skewness:.1}"))
}

/// Returns ln of a bound on the probability that one of n Gaussian values lies at least G sample
/// standard deviations from their mean: 2n·P(T_{n−2} > t) with G² = (n − 1)²/n · t²/(n − 2 + t²).
fn ln_outlying(farthest: f64, n: f64) -> f64 {
    let share = farthest * farthest * n / ((n - 1.0) * (n - 1.0));
    // G cannot be greater than (n − 1)/√n.
    let t = ((n - 2.0) * share / (1.0 - share).max(f64::MIN_POSITIVE)).sqrt();
    (2.0 * n).ln() + Student::new(n - 2.0).ln_below(-t)
}

/// Returns the skewness of n ≥ 8 Gaussian values, transformed to a standard normal deviate
/// (D'Agostino 1970).
fn skewed(skewness: f64, n: f64) -> f64 {
    let y = skewness * ((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0))).sqrt();
    let kurtosis = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0)
        / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0));
    let square = (2.0 * (kurtosis - 1.0)).sqrt() - 1.0;
    let scale = (2.0 / (square - 1.0)).sqrt();
    (y / scale).asinh() / (0.5 * square.ln()).sqrt()
}

/// Returns the contradiction that these differences sufficed as evidence for each of the two arms at some time. `None` if they did not.
fn contradiction(differences: &[f64], required: f64) -> Option<String> {
    let largest = differences.iter().map(|d| d.abs()).fold(0.0, f64::max);
    let crosses = |sign: f64| {
        let mut pair = Pair::default();
        for d in differences {
            pair.push(sign * d, largest, Test::Gaussian, 0.0);
        }
        pair.strongest >= required
    };
    (crosses(1.0) && crosses(-1.0))
        .then(|| "were found to be above zero at one time and below it at another".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
    use rand_distr::{Distribution, StandardNormal};

    fn gaussian(rng: &mut ChaCha8Rng, count: u64) -> Vec<f64> {
        (0..count).map(|_| StandardNormal.sample(rng)).collect()
    }

    /// Tests that at most the stated share of Gaussian differences is doubted, at rates of 1 and 10
    /// %, which take fewer runs than the rate itself. The allowance is 4 standard errors.
    #[test]
    fn gaussian_differences_are_rarely_doubted() {
        let runs: u32 = 3000;
        for rate in [0.01, 0.1] {
            for count in [8, 30, 200] {
                let mut rng = ChaCha8Rng::seed_from_u64(count);
                let doubted = (0..runs)
                    .filter(|_| shape(&gaussian(&mut rng, count), rate).is_some())
                    .count();
                let (share, most) = (doubted as f64 / f64::from(runs), 2.0 * rate);
                let allowed = most + 4.0 * (most / f64::from(runs)).sqrt();
                assert!(
                    share < allowed && share > 0.5 * rate,
                    "{rate} {count}: {share}"
                );
            }
        }
    }

    /// Tests that the share of doubted Gaussian studies is no more than 4 standard errors above .002.
    #[test]
    fn few_of_many_studies_are_doubted() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let (mut doubted, runs) = (0, 2000);
        for _ in 0..runs {
            let mut arm = || -> Vec<(u64, f64)> { (0..).zip(gaussian(&mut rng, 40)).collect() };
            let arms = [("a", arm()), ("b", arm()), ("c", arm())];
            doubted += u32::from(doubt(&arms, Design::Shared, 0.95).is_some());
        }
        assert!(doubted <= 12, "{doubted} of {runs}");
    }

    #[test]
    fn rare_failures_and_skew_are_seen() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut seen = [0; 2];
        for _ in 0..50 {
            let mut fails = || if rng.random_bool(0.05) { 0.0 } else { 0.9 };
            let failing: Vec<f64> = (0..100).map(|_| fails()).collect();
            let noise = gaussian(&mut rng, 100);
            let diverging: Vec<f64> = failing
                .iter()
                .zip(&noise)
                .map(|(f, z)| f + 0.02 * z)
                .collect();
            let lognormal: Vec<f64> = gaussian(&mut rng, 100).iter().map(|z| -z.exp()).collect();
            seen[0] += u32::from(shape(&diverging, RATE).is_some());
            seen[1] += u32::from(shape(&lognormal, RATE).is_some());
        }
        assert!(seen[0] >= 45 && seen[1] >= 45, "{seen:?}");
    }

    #[test]
    fn both_directions_of_a_pair_are_a_contradiction() {
        let (mut up, down) = (vec![1.0, 1.1, 0.9, 1.0, 1.1, 0.9, 1.05], [-1.0, -1.1, -0.9]);
        assert_eq!(contradiction(&up, 4.0), None);
        up.extend(down.iter().cycle().take(60));
        assert!(contradiction(&up, 4.0).is_some());
    }

    #[test]
    fn scores_on_the_same_case_go_together() {
        let (x, y) = (
            [(3, 1.0), (3, 2.0), (5, 4.0)],
            [(5, 1.0), (3, 0.5), (4, 9.0)],
        );
        assert_eq!(differences(&x, &y, true), [0.5, 3.0]);
        assert_eq!(differences(&x, &y, false), [0.0, 1.5, -5.0]);
        assert_eq!(differences(&x, &[], true), [0.0; 0]);
    }
}
