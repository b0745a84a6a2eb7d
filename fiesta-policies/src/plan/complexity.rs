//! Complexity of a problem: its characteristic cost, and the allocation that attains it.

use fiesta_core::highest;

/// Complexity of finding the best arm when means and standard deviations are known in advance and
/// scores are independent and Gaussian.
///
/// No policy that errs with probability at most δ on every such problem spends less than kl(δ, 1 −
/// δ)·T* on average ([`lower_bound`](Self::lower_bound)), and a policy that tracks the proportions
/// w approaches it as δ → 0:
///
/// 1/T* = max_w min_{j≠b} (μ_b − μ_j)² / (2(σ_b²/w_b + σ_j²/w_j)), subject to Σ w_a c_a = 1,
///
/// where b is the best arm and c_a is what an evaluation of arm a costs. With all costs 1, T*
/// counts evaluations.
///
/// Sources: Garivier & Kaufmann, "Optimal best arm identification with fixed confidence" (COLT
/// 2016); with costs: Kanarios, Zhang & Ying, "Cost aware best arm identification" (RLC 2024).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Complexity {
    /// The characteristic cost T*, in the unit of the costs; infinite never, 0 only without noise.
    pub t_star: f64,
    /// Share of all *evaluations* that each arm gets; the shares sum to 1.
    pub proportions: Vec<f64>,
}

/// The reason why a problem has no complexity.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ComplexityError {
    /// The lists of means, standard deviations and costs differ in length, or name fewer than two
    /// arms.
    #[error(
        "there are {means} means, {sds} standard deviations and {costs} costs: give one of each for at least two arms"
    )]
    Lengths {
        /// Number of means.
        means: usize,
        /// Number of standard deviations.
        sds: usize,
        /// Number of costs.
        costs: usize,
    },
    /// The mean, standard deviation or cost of an arm is out of range.
    #[error(
        "arm {arm} has mean {mean}, standard deviation {sd} and cost {cost}: all must be finite, the standard deviation at least 0, the cost above 0"
    )]
    Arm {
        /// The number of the arm, from 1.
        arm: usize,
        /// Mean of the arm, in the unit of the scores.
        mean: f64,
        /// The refused standard deviation of the arm.
        sd: f64,
        /// The refused cost of the arm.
        cost: f64,
    },
    /// The two best arms have the same mean.
    #[error(
        "the two best arms have the same mean: no number of evaluations tells which is better; allow a tolerance instead"
    )]
    Tie,
}

impl Complexity {
    /// Returns the least expected cost of an error probability of at most `delta`: kl(δ, 1 − δ)·T*,
    /// where kl(δ, 1 − δ) = (1 − 2δ) ln((1 − δ)/δ). It is 0 from δ = ½, where a guess will do, and
    /// infinite for δ ≤ 0.
    pub fn lower_bound(&self, delta: f64) -> f64 {
        if delta >= 0.5 || self.t_star == 0.0 {
            return 0.0;
        }
        if delta <= 0.0 {
            return f64::INFINITY;
        }
        self.t_star * (1.0 - 2.0 * delta) * ((1.0 - delta) / delta).ln()
    }
}

/// Returns the complexity of Gaussian arms with these means, standard deviations (of one
/// evaluation) and mean costs.
///
/// On shared splits, where the effect of a split cancels, give the standard deviations of an
/// evaluation given its split; T* is then a heuristic, as it takes the arms' scores for
/// independent.
///
/// # Errors
/// [`ComplexityError`] for fewer than two arms, numbers out of range, or two equal best arms.
///
/// # Example
/// Two arms get evaluations in proportion to their standard deviations and, inversely, to the roots
/// of their costs:
/// ```
/// use fiesta_policies::plan::complexity;
/// let two = complexity(&[0.65, 0.62], &[0.03, 0.03], &[1.0, 4.0])?;
/// assert!((two.proportions[0] / two.proportions[1] - 2.0).abs() < 1e-9);
/// // 2(σ₁√c₁ + σ₂√c₂)²/Δ²
/// assert!((two.t_star - 18.0).abs() < 1e-9);
/// # Ok::<(), fiesta_policies::plan::ComplexityError>(())
/// ```
pub fn complexity(
    means: &[f64],
    sds: &[f64],
    costs: &[f64],
) -> Result<Complexity, ComplexityError> {
    check(means, sds, costs)?;
    let best = highest(means.iter().copied());
    let rivals = || (0..means.len()).filter(|&arm| arm != best);
    let gap = |arm: usize| means[best] - means[arm];
    let closest = rivals().map(gap).fold(f64::INFINITY, f64::min);
    if closest <= 0.0 {
        return Err(ComplexityError::Tie);
    }
    // In terms of the cost v_a = w_a c_a spent on each arm, Σ v_a = 1, the problem is that of equal
    // costs with the variances σ_a² c_a.
    let variance = |arm: usize| sds[arm] * sds[arm] * costs[arm];
    let own = variance(best);
    // What is spent on each arm for one unit on the best, and T*.
    let mut spent = vec![0.0; means.len()];
    let t_star = if own > 0.0 {
        // At the optimum all rivals are equally hard to reject: with d_j = (gap_j/closest)², ρ_j
        // the ratio of the variances and some e > 0, u_j = ρ_j/(d_j − 1 + d_j e), and Σ u_j²/ρ_j =
        // 1, which falls in e.
        let distance = |arm: usize| (gap(arm) / closest).powi(2);
        let ratio = |arm: usize| variance(arm) / own;
        let slack = |arm: usize, e: f64| distance(arm) - 1.0 + distance(arm) * e;
        let balance = |e: f64| {
            rivals()
                .map(|arm| ratio(arm) / slack(arm, e).powi(2))
                .sum::<f64>()
        };
        // With all rivals at the closest distance the root would be √Σρ.
        let e = root(balance, rivals().map(ratio).sum::<f64>().sqrt());
        spent[best] = 1.0;
        for arm in rivals().filter(|&arm| ratio(arm) > 0.0) {
            spent[arm] = ratio(arm) / slack(arm, e);
        }
        2.0 * (1.0 + e) * own / (closest * closest) * spent.iter().sum::<f64>()
    } else {
        // The best arm's score is known exactly.
        for arm in rivals() {
            spent[arm] = variance(arm) / gap(arm).powi(2);
        }
        2.0 * spent.iter().sum::<f64>()
    };
    if t_star <= 0.0 {
        let equal = 1.0 / means.len() as f64;
        return Ok(Complexity {
            t_star: 0.0,
            proportions: vec![equal; means.len()],
        });
    }
    let evaluations: Vec<f64> = spent.iter().zip(costs).map(|(v, cost)| v / cost).collect();
    let total: f64 = evaluations.iter().sum();
    Ok(Complexity {
        t_star,
        proportions: evaluations.into_iter().map(|n| n / total).collect(),
    })
}

fn check(means: &[f64], sds: &[f64], costs: &[f64]) -> Result<(), ComplexityError> {
    if means.len() < 2 || sds.len() != means.len() || costs.len() != means.len() {
        return Err(ComplexityError::Lengths {
            means: means.len(),
            sds: sds.len(),
            costs: costs.len(),
        });
    }
    for (index, ((&mean, &sd), &cost)) in means.iter().zip(sds).zip(costs).enumerate() {
        let finite = mean.is_finite() && sd.is_finite() && cost.is_finite();
        if !(finite && sd >= 0.0 && cost > 0.0) {
            let arm = index + 1;
            return Err(ComplexityError::Arm {
                arm,
                mean,
                sd,
                cost,
            });
        }
    }
    Ok(())
}

/// Returns the argument at which a falling function is 1, between 0 (never reached) and `above`.
fn root(function: impl Fn(f64) -> f64, above: f64) -> f64 {
    let mut high = above;
    if high <= 0.0 {
        return 0.0;
    }
    let mut low = high;
    while low > f64::MIN_POSITIVE && function(low) < 1.0 {
        low /= 16.0;
    }
    // To the last bit, or nearly: each step halves what is between.
    for _ in 0..120 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if function(middle) > 1.0 {
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
    use proptest::prelude::*;

    /// Returns the rate that the complexity maximises, at a given allocation of evaluations.
    fn rate(means: &[f64], sds: &[f64], costs: &[f64], evaluations: &[f64]) -> f64 {
        let spent: f64 = evaluations.iter().zip(costs).map(|(n, c)| n * c).sum();
        let best = (0..means.len())
            .max_by(|&a, &b| means[a].total_cmp(&means[b]))
            .unwrap();
        (0..means.len())
            .filter(|&arm| arm != best)
            .map(|arm| {
                let variance = |arm: usize| sds[arm].powi(2) * spent / evaluations[arm];
                (means[best] - means[arm]).powi(2) / (2.0 * (variance(best) + variance(arm)))
            })
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn two_arms_by_neyman() {
        for (sds, costs) in [
            ([0.03, 0.03], [1.0, 1.0]),
            ([0.06, 0.01], [1.0, 20.0]),
            ([0.001, 5.0], [3.0, 0.5]),
        ] {
            let two = complexity(&[0.6, 0.65], &sds, &costs).unwrap();
            let ratio = sds[0] / sds[1] * f64::sqrt(costs[1] / costs[0]);
            let found = two.proportions[0] / two.proportions[1];
            assert!((found / ratio - 1.0).abs() < 1e-9, "{found}, {ratio}");
            let roots = sds[0] * costs[0].sqrt() + sds[1] * costs[1].sqrt();
            let t_star = 2.0 * roots.powi(2) / 0.05_f64.powi(2);
            assert!((two.t_star / t_star - 1.0).abs() < 1e-9, "{}", two.t_star);
        }
    }

    /// Tests that the best of 600² allocations of three arms is close to T*, and none is better.
    #[test]
    fn three_arms_by_brute_force() {
        let problems = [
            ([0.65, 0.63, 0.6], [0.02, 0.02, 0.02], [1.0, 1.0, 1.0]),
            ([0.6, 0.65, 0.649], [0.06, 0.02, 0.005], [1.0, 5.0, 20.0]),
            ([0.1, 0.2, 0.4], [1.0, 0.5, 3.0], [20.0, 1.0, 1.0]),
        ];
        for (means, sds, costs) in problems {
            let three = complexity(&means, &sds, &costs).unwrap();
            let mut best: f64 = 0.0;
            for i in 1..600 {
                for j in 1..(600 - i) {
                    let shares = [i, j, 600 - i - j].map(|n| f64::from(n) / 600.0);
                    let evaluations = [0, 1, 2].map(|arm| shares[arm] / costs[arm]);
                    best = best.max(rate(&means, &sds, &costs, &evaluations));
                }
            }
            let optimum = 1.0 / three.t_star;
            assert!(best <= optimum * (1.0 + 1e-9), "{best} > {optimum}");
            assert!(best >= optimum * 0.995, "{best} < {optimum}");
            let attained = rate(&means, &sds, &costs, &three.proportions);
            assert!((attained / optimum - 1.0).abs() < 1e-9, "{attained}");
        }
    }

    #[test]
    fn without_noise() {
        // A best arm known exactly is not evaluated: each rival by σ²/gap².
        let exact = complexity(&[1.0, 0.9, 0.8], &[0.0, 0.1, 0.1], &[1.0; 3]).unwrap();
        assert!((exact.t_star - 2.5).abs() < 1e-9);
        for (found, expected) in exact.proportions.iter().zip([0.0, 0.8, 0.2]) {
            assert!((found - expected).abs() < 1e-9);
        }
        // Rivals known exactly: only the best.
        let exact = complexity(&[1.0, 0.9, 0.8], &[0.1, 0.0, 0.0], &[1.0; 3]).unwrap();
        assert!((exact.t_star - 2.0).abs() < 1e-9);
        assert_eq!(exact.proportions, [1.0, 0.0, 0.0]);
        let nothing = complexity(&[1.0, 0.9], &[0.0, 0.0], &[1.0; 2]).unwrap();
        assert_eq!(nothing.proportions, [0.5, 0.5]);
        assert!(nothing.lower_bound(0.05).abs() < f64::MIN_POSITIVE);
    }

    #[test]
    fn what_has_no_complexity_is_refused() {
        let tie = complexity(&[0.6, 0.6, 0.5], &[0.1; 3], &[1.0; 3]);
        assert_eq!(tie, Err(ComplexityError::Tie));
        assert!(complexity(&[0.6], &[0.1], &[1.0]).is_err());
        assert!(complexity(&[0.6, 0.5], &[0.1], &[1.0, 1.0]).is_err());
        for (mean, sd, cost) in [(f64::NAN, 0.1, 1.0), (0.5, -0.1, 1.0), (0.5, 0.1, 0.0)] {
            let error = complexity(&[0.6, mean], &[0.1, sd], &[1.0, cost]).unwrap_err();
            assert!(matches!(error, ComplexityError::Arm { arm: 2, .. }));
        }
    }

    #[test]
    fn the_bound_at_the_usual_levels() {
        let one = Complexity {
            t_star: 1.0,
            proportions: vec![0.5, 0.5],
        };
        assert!((one.lower_bound(0.05) - 2.649_995).abs() < 1e-5);
        assert!((one.lower_bound(0.1) - 1.757_780).abs() < 1e-5);
        assert!(one.lower_bound(0.5).abs() < f64::MIN_POSITIVE);
        assert!(one.lower_bound(0.0).is_infinite());
    }

    proptest! {
        /// Tests that no small change of the allocation is better, however unequal the arms are.
        #[test]
        fn no_neighbour_is_better(
            arms in proptest::collection::vec((0.0..1.0_f64, -3.0..0.0_f64, -2.0..2.0_f64), 2..12),
            change in proptest::collection::vec(-1.0..1.0_f64, 12),
        ) {
            let means: Vec<f64> = arms.iter().map(|arm| arm.0).collect();
            let sds: Vec<f64> = arms.iter().map(|arm| 10_f64.powf(arm.1)).collect();
            let costs: Vec<f64> = arms.iter().map(|arm| 10_f64.powf(arm.2)).collect();
            let found = complexity(&means, &sds, &costs).unwrap();
            let optimum = rate(&means, &sds, &costs, &found.proportions);
            prop_assert!((optimum * found.t_star - 1.0).abs() < 1e-6, "{}", optimum * found.t_star);
            for size in [1e-3, 0.1, 2.0] {
                let moved: Vec<f64> = found
                    .proportions
                    .iter()
                    .zip(&change)
                    .map(|(share, change)| share * (size * change).exp())
                    .collect();
                prop_assert!(rate(&means, &sds, &costs, &moved) <= optimum * (1.0 + 1e-9));
            }
        }
    }
}
