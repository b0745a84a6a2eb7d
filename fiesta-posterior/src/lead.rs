//! Lead of one arm over another: a distribution that agrees with the probability that it is better.

use crate::student;
use fiesta_core::{ArmId, Marginal, Posterior};

/// Probabilities this close to 0, ½ or 1 leave the scale as it is.
const NEAR: f64 = 1e-4;

/// The distribution of mean(a) − mean(b) by which P(mean(a) > mean(b)) is what the posterior
/// [believes](Posterior::belief) of these two arms; `None` without the required observations.
///
/// It is the posterior's [difference](Posterior::difference), a t distribution that resembles the
/// true one, with the scale s for which P(T > −location/s) is that probability. An interval of it at
/// 95 % then excludes 0 exactly if the probability is above 97.5 % or below 2.5 %. Where the
/// location says nothing of the scale (the probability is nearly ½, 0 or 1), it stays.
pub fn lead(posterior: &dyn Posterior, a: ArmId, b: ArmId) -> Option<Marginal> {
    let difference = posterior.difference(a, b)?;
    let mut pair = [a, b];
    pair.sort();
    let p = posterior.belief(&pair).of(a);
    let is_told = |p: f64| p > NEAR && p < 1.0 - NEAR && (p - 0.5).abs() > NEAR;
    let df = difference.degrees_of_freedom;
    if a == b || difference.scale <= 0.0 || !is_told(p) {
        return Some(difference);
    }
    let by_t = student::upper_tail(-difference.location / difference.scale, df);
    let scale = difference.location.abs() / quantile(p.max(1.0 - p), df);
    // The two are of one posterior: they differ by the form of the tails alone.
    let is_alike = is_told(by_t)
        && (by_t > 0.5) == (p > 0.5)
        && scale > difference.scale / 2.0
        && scale < difference.scale * 2.0;
    Some(Marginal {
        scale: if is_alike { scale } else { difference.scale },
        ..difference
    })
}

/// The x with P(T ≤ x) = `p` > ½, by bisection.
fn quantile(p: f64, degrees_of_freedom: f64) -> f64 {
    let is_below = |x: f64| student::upper_tail(x, degrees_of_freedom) > 1.0 - p;
    let (mut low, mut high) = (0.0, 1.0);
    while is_below(high) {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NAMES, by_name};
    use fiesta_core::Case;

    /// Under every posterior P(better), which of two arms is P(best), is above 97.5 % exactly if the
    /// 95 % interval excludes 0: scores whose lead grows through that point.
    #[test]
    fn an_interval_excludes_zero_exactly_if_the_probability_says_so() {
        for name in NAMES {
            let (mut excluded, mut included) = (0, 0);
            for step in 0..60_u32 {
                let mut posterior = by_name(name, 2).unwrap();
                for split in 0..7_u64 {
                    let noise = |arm: u64| ((split * 5 + arm * 3) * (split + 2) % 11) as f64;
                    for arm in 0..2 {
                        let case = Case { split, seed: 0 };
                        let score = 0.01 * noise(arm) + 0.0025 * f64::from(step) * arm as f64;
                        posterior
                            .observe(ArmId::new(arm as usize), case, score)
                            .unwrap();
                    }
                }
                let [a, b] = [0, 1].map(ArmId::new);
                let p = posterior.belief(&[a, b]).of(b);
                let lead = lead(&*posterior, b, a).unwrap();
                let t = quantile(0.975, lead.degrees_of_freedom);
                let lower = lead.location - t * lead.scale;
                assert_eq!(p > 0.975, lower > 0.0, "{name}, step {step}: {p}, {lower}");
                if lower > 0.0 {
                    excluded += 1;
                } else {
                    included += 1;
                }
            }
            assert!(
                excluded > 0 && included > 0,
                "{name}: {excluded} {included}"
            );
        }
    }
}
