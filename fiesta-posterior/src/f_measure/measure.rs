//! Measures to be maximised: functions of θ.

use fiesta_core::{Counts, FBeta};
use std::{fmt, sync::Arc};

/// A function of θ, the probabilities of TP, FP, TN, FN, by which systems are compared.
///
/// All of them are pooled: of the sums over documents, not means of a value per document, which
/// weigh short documents as much as long ones.
#[derive(Clone)]
#[non_exhaustive]
pub enum Measure {
    /// The F-measure F_b.
    F(FBeta),
    /// Precision, TP/(TP + FP).
    Precision,
    /// Recall, TP/(TP + FN).
    Recall,
    /// Any other function of non-negative numbers proportional to θ.
    Function(Arc<Function>),
}

/// A function of TP, FP, TN, FN.
pub type Function = dyn Fn(&[f64; 4]) -> f64 + Send + Sync;

impl Measure {
    /// Returns the value of the measure for these amounts of TP, FP, TN, FN; NaN where it is not
    /// defined.
    pub fn of(&self, amounts: &[f64; 4]) -> f64 {
        let &[tp, fp, _, fn_] = amounts;
        match self {
            Self::F(f) => f.of(*amounts),
            Self::Precision => tp / (tp + fp),
            Self::Recall => tp / (tp + fn_),
            Self::Function(function) => function(amounts),
        }
    }

    /// Returns the value of the measure for sums of counts. `None` where it is not defined.
    pub fn of_counts(&self, counts: &Counts) -> Option<f64> {
        let value = self.of(&counts.cells().map(|count| count as f64));
        value.is_finite().then_some(value)
    }
}

impl Default for Measure {
    fn default() -> Self {
        Self::F(FBeta::F1)
    }
}

impl fmt::Debug for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::F(b) => write!(f, "{b}"),
            Self::Precision => f.write_str("Precision"),
            Self::Recall => f.write_str("Recall"),
            Self::Function(_) => f.write_str("Function"),
        }
    }
}
