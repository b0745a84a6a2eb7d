//! Means given all variances: normal, with the split effects integrated out.
//!
//! With w_m = 1/(v_m·f) for the arms A of a split and W = Σw, the split contributes diag(w) − t·wwᵀ
//! to the precision P of the means and w∘(y − t·wᵀy) to b, where t = τ²/(1 + τ²W) is the variance
//! of its effect given the means; τ² = 0 is no special case. The means are N(P⁻¹b, P⁻¹) under a
//! flat prior.

use super::cells::Member;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Normal equations of the means: their precision P and, if scores are known, b = P·mean.
pub(super) struct Equations {
    /// Precision of the means, of which only the lower triangle is kept up.
    pub(super) precision: DMatrix<f64>,
    pub(super) right: DVector<f64>,
}

/// Returns t, the variance of a split's effect given the means of its arms.
pub(super) fn effect_variance(split_variance: f64, total_weight: f64) -> f64 {
    split_variance / (1.0 + split_variance * total_weight)
}

impl Equations {
    pub(super) fn new(arms: usize) -> Self {
        Self {
            precision: DMatrix::zeros(arms, arms),
            right: DVector::zeros(arms),
        }
    }

    pub(super) fn clear(&mut self) {
        self.precision.fill(0.0);
        self.right.fill(0.0);
    }

    /// Adds `splits` splits with these members, or takes them away if negative; `t` as of
    /// [`effect_variance`].
    pub(super) fn add(&mut self, splits: f64, members: &[Member], weights: &[f64], t: f64) {
        let arms = self.precision.nrows();
        let entries = self.precision.as_mut_slice();
        for (j, (b, other)) in members.iter().zip(weights).enumerate() {
            let column = &mut entries[b.index() * arms..][..arms];
            column[b.index()] += splits * other;
            let factor = t * splits * other;
            for (a, weight) in members[j..].iter().zip(&weights[j..]) {
                column[a.index()] -= factor * weight;
            }
        }
    }

    /// Adds the part of b that comes from the members' mean scores on these splits.
    pub(super) fn add_scores(
        &mut self,
        splits: f64,
        members: &[Member],
        weights: &[f64],
        t: f64,
        means: &[f64],
    ) {
        let weighted: f64 = weights.iter().zip(means).map(|(w, y)| w * y).sum();
        for ((member, weight), mean) in members.iter().zip(weights).zip(means) {
            self.right[member.index()] += splits * weight * (mean - t * weighted);
        }
    }

    /// Returns Cholesky's factor of a precision. Where rounding leaves a pivot that is not
    /// positive, a tiny one takes its place, which leaves that direction nearly unknown.
    pub(super) fn factor(precision: DMatrix<f64>) -> Cholesky<f64, Dyn> {
        let arms = precision.nrows();
        let largest = precision.diagonal().max();
        Cholesky::new_with_substitute(precision, largest * RELATIVE_PIVOT)
            .unwrap_or_else(|| Cholesky::pack_dirty(DMatrix::identity(arms, arms)))
    }
}

/// The least pivot, relative to the largest entry of the diagonal.
const RELATIVE_PIVOT: f64 = 1e-14;
