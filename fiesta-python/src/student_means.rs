//! P(best) from the means, variances and numbers of scores of arms: the posterior of the ACL 2019
//! paper's own package, integrated instead of sampled.

use crate::error::refused;
use fiesta_core::Marginal;
use fiesta_posterior::best_arm::{TOLERANCE, quadrature};
use pyo3::prelude::*;

/// Scale given to a mean that is known exactly, as a share of the smallest other scale.
///
/// P(best) is smooth in a mean that is known exactly, so that a normal distribution around it with
/// scale s changes P(best) by less than s² times its second derivative: by some 10⁻¹² here.
const NARROW: f64 = 1e-6;

/// Largest scale that counts as rounding error and not as spread, as a fraction of the mean: 4 ε.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Returns P(best) of every arm, and a bound on the error of any.
///
/// The mean of an arm with n scores of mean m and variance v (divided by n) is Student's t with
/// n − 2 degrees of freedom, location m and scale √(v/(n − 2)). An arm without spread is known
/// exactly; of several such arms with the same mean, the first is better.
///
/// # Errors
/// `ValueError` if the lengths differ, there is no arm, a number is not finite, a variance is
/// negative, or an arm has less than three scores.
#[pyfunction]
pub(crate) fn probability_best(
    py: Python<'_>,
    means: Vec<f64>,
    variances: Vec<f64>,
    counts: Vec<f64>,
) -> PyResult<(Vec<f64>, f64)> {
    py.detach(|| of_arms(&means, &variances, &counts))
        .map_err(refused)
}

fn of_arms(means: &[f64], variances: &[f64], counts: &[f64]) -> Result<(Vec<f64>, f64), String> {
    if means.len() != counts.len() || variances.len() != counts.len() {
        return Err(format!(
            "there are {} means, {} variances and {} numbers of scores: give one of each an arm",
            means.len(),
            variances.len(),
            counts.len()
        ));
    }
    let mut marginals = Vec::with_capacity(means.len());
    for (arm, ((&mean, &variance), &count)) in means.iter().zip(variances).zip(counts).enumerate() {
        marginals.push(marginal(arm, mean, variance, count)?);
    }
    let Some(known) = best_known(&marginals) else {
        let belief = quadrature(&marginals, TOLERANCE).map_err(|error| error.to_string())?;
        return Ok((belief.probability, belief.absolute_error));
    };
    // The best of the arms that are known exactly, and those that are not: the rest is not best.
    let narrowest = marginals
        .iter()
        .map(|m| m.scale)
        .filter(|&scale| scale > 0.0);
    let narrowest = narrowest.fold(f64::INFINITY, f64::min);
    let mut probability = vec![0.0; marginals.len()];
    if narrowest.is_infinite() {
        probability[known] = 1.0;
        return Ok((probability, 0.0));
    }
    marginals[known] = Marginal {
        location: marginals[known].location,
        scale: narrowest * NARROW,
        degrees_of_freedom: f64::INFINITY,
    };
    let (arms, uncertain): (Vec<usize>, Vec<Marginal>) = marginals
        .iter()
        .enumerate()
        .filter(|(_, m)| m.scale > 0.0)
        .unzip();
    let belief = quadrature(&uncertain, TOLERANCE).map_err(|error| error.to_string())?;
    for (arm, p) in arms.into_iter().zip(belief.probability) {
        probability[arm] = p;
    }
    Ok((probability, belief.absolute_error))
}

/// Returns the distribution of an arm's mean; of scale 0 where its scores have no spread.
fn marginal(arm: usize, mean: f64, variance: f64, count: f64) -> Result<Marginal, String> {
    if !mean.is_finite() {
        return Err(format!(
            "the mean score of arm {arm} is {mean}, which is no finite number"
        ));
    }
    if !(variance.is_finite() && variance >= 0.0) {
        return Err(format!(
            "the variance of arm {arm}'s scores is {variance}: it must be finite and at least 0"
        ));
    }
    let degrees_of_freedom = count - 2.0;
    if !(count.is_finite() && degrees_of_freedom > 0.0) {
        return Err(format!(
            "arm {arm} has {count} scores: its mean has a distribution from 3 on, so evaluate it more often"
        ));
    }
    let scale = (variance / degrees_of_freedom).sqrt();
    Ok(Marginal {
        location: mean,
        scale: if scale <= ROUNDING * mean.abs() {
            0.0
        } else {
            scale
        },
        degrees_of_freedom,
    })
}

/// Returns the arm with the highest mean among arms without spread, the first of equals. `None` if all have spread.
fn best_known(marginals: &[Marginal]) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (arm, marginal) in marginals.iter().enumerate() {
        if marginal.scale <= 0.0
            && best.is_none_or(|best| marginal.location > marginals[best].location)
        {
            best = Some(arm);
        }
    }
    best
}
