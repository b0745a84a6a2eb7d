//! Costs of two arms, and the probability that one is cheaper.

use fiesta_core::{ArmId, Moments, View, unseen, upper_tail};

/// Part of an arm's mean cost by which another arm has to be cheaper to count as cheaper. Arms with
/// about the same cost would be compared for ever.
pub const SAME_COST: f64 = 0.05;

/// Costs of an arm's evaluations.
pub(super) struct Costs<'a> {
    moments: &'a Moments,
    /// Probability of [costs that differ](unseen), where all are the same. 0 where they vary, or are those that were
    /// declared.
    unseen: f64,
}

impl<'a> Costs<'a> {
    pub(super) fn of(view: &View<'a>, arm: ArmId) -> Self {
        Self::new(view.costs(arm), view.declared_cost(arm))
    }

    fn new(moments: &'a Moments, declared: Option<f64>) -> Self {
        let is_constant = moments.variance().is_some_and(|variance| variance <= 0.0);
        let is_declared =
            declared.is_some_and(|declared| declared.total_cmp(&moments.mean()).is_eq());
        let unseen = if is_constant && !is_declared {
            unseen(moments.count())
        } else {
            0.0
        };
        Self { moments, unseen }
    }
}

/// Returns the posterior probability that the mean cost of the first is below that of the second by more
/// than [`SAME_COST`]: by Welch's t, or ½ where one of them has fewer than two costs. Costs that are all the
/// same may be any with the probability that others are unseen.
pub(super) fn probability_cheaper([one, other]: [Costs<'_>; 2]) -> f64 {
    let part = 1.0 - SAME_COST;
    let spread = |of: &Costs<'_>, part: f64| {
        let n = of.moments.count() as f64;
        let variance = of.moments.variance()?;
        Some((part * part * variance / n, n - 1.0))
    };
    let Some(((v, m), (w, n))) = spread(&one, 1.0).zip(spread(&other, part)) else {
        return 0.5;
    };
    let ahead = part * other.moments.mean() - one.moments.mean();
    let variance = v + w;
    let unseen = one.unseen.max(other.unseen) / 2.0;
    if variance <= 0.0 {
        return f64::from(u8::from(ahead > 0.0)).clamp(unseen, 1.0 - unseen);
    }
    let freedom = variance * variance / (v * v / m + w * w / n);
    upper_tail(-ahead / variance.sqrt(), freedom).clamp(unseen, 1.0 - unseen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(values: &[f64]) -> Moments {
        values.iter().copied().collect()
    }

    #[test]
    fn costs_are_compared_by_welch() {
        let p = |one: &Moments, other: &Moments, declared: [Option<f64>; 2]| {
            probability_cheaper([Costs::new(one, declared[0]), Costs::new(other, declared[1])])
        };
        let [cheap, dear] = [[1.0, 1.2, 0.8, 1.0], [2.0, 2.4, 1.7, 2.1]].map(|of| moments(&of));
        let found = p(&cheap, &dear, [None; 2]);
        assert!(found > 0.99 && found < 1.0, "{found}");
        assert!(p(&dear, &cheap, [None; 2]) < 0.01);
        assert!((p(&moments(&[1.0]), &dear, [None; 2]) - 0.5).abs() < 1e-12);
        // Declared prices are known, and those that differ by less than a twentieth are the same. Prices that are only
        // seen to be the same 27 times may be others in one of ten cases.
        let price = |cost: f64| moments(&[cost; 27]);
        for (one, other, expected) in [
            (1.0, 2.0, 1.0),
            (2.0, 1.0, 0.0),
            (1.0, 1.0, 0.0),
            (0.96, 1.0, 0.0),
            (0.94, 1.0, 1.0),
        ] {
            let declared = [Some(one), Some(other)];
            let known = p(&price(one), &price(other), declared);
            assert!((known - expected).abs() < 1e-12);
            let seen = p(&price(one), &price(other), [None; 2]);
            assert!((seen - (0.9 * expected + 0.05)).abs() < 1e-12);
        }
    }
}
