//! Confusion counts, and their F-measure.

use crate::whole_u64;
use std::{fmt, iter::Sum, ops::Add};

/// Least weight of precision that an F-measure takes: about that of b = 1000.
const LEAST_WEIGHT: f64 = 1e-6;

/// Counts of what a system got right and wrong on a document: the four cells of a confusion table.
///
/// Where true negatives have no meaning (entities that were rightly not found), they are 0: no
/// F-measure depends on them. The counts of several classes on one document are added up, which
/// makes their F-measure the micro-average.
///
/// # Example
/// ```
/// use fiesta_core::{Counts, FBeta};
/// let person = Counts { true_positives: 3, false_negatives: 1, ..Counts::default() };
/// let place = Counts { true_positives: 1, false_positives: 2, ..Counts::default() };
/// let micro: Counts = [person, place].into_iter().sum();
/// assert_eq!(FBeta::F1.of_counts(&micro), Some(8.0 / 11.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Counts {
    /// Number of items that were found and are there (TP).
    #[cfg_attr(feature = "serde", serde(rename = "tp"))]
    pub true_positives: u64,
    /// Number of items that were found but are not there (FP).
    #[cfg_attr(feature = "serde", serde(rename = "fp"))]
    pub false_positives: u64,
    /// Number of items that were neither found nor there (TN).
    #[cfg_attr(feature = "serde", serde(rename = "tn", default))]
    pub true_negatives: u64,
    /// Number of items that are there but were not found (FN).
    #[cfg_attr(feature = "serde", serde(rename = "fn"))]
    pub false_negatives: u64,
}

impl Counts {
    /// The largest count in a cell that is taken, 10⁹: sums over millions of documents stay exact.
    pub const LARGEST: u64 = 1_000_000_000;

    /// Returns a number as a count in a cell: whole, also where it is written as 12.0, and from 0
    /// to [`LARGEST`](Self::LARGEST); else none.
    pub fn cell(number: f64) -> Option<u64> {
        let fits = number.fract() == 0.0 && (0.0..=Self::LARGEST as f64).contains(&number);
        fits.then(|| whole_u64(number))
    }

    /// Returns the counts in the order TP, FP, TN, FN.
    pub fn cells(&self) -> [u64; 4] {
        [
            self.true_positives,
            self.false_positives,
            self.true_negatives,
            self.false_negatives,
        ]
    }

    /// Returns the counts whose [`cells`](Self::cells) are given.
    pub fn from_cells([tp, fp, tn, fn_]: [u64; 4]) -> Self {
        Self {
            true_positives: tp,
            false_positives: fp,
            true_negatives: tn,
            false_negatives: fn_,
        }
    }

    /// Returns the sum of the four counts, N; at most 2⁶⁴ − 1.
    pub fn total(&self) -> u64 {
        self.cells().into_iter().fold(0, u64::saturating_add)
    }
}

/// Adds counts cell by cell; no cell exceeds 2⁶⁴ − 1.
impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (a, b) = (self.cells(), other.cells());
        Self::from_cells(std::array::from_fn(|j| a[j].saturating_add(b[j])))
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), Add::add)
    }
}

/// The F-measure F_b = (1 + b²)TP/((1 + b²)TP + b²FN + FP): recall counts b times as much as
/// precision (van Rijsbergen 1979).
///
/// It is the weighted harmonic mean of precision P and recall R, 1/(w/P + (1 − w)/R), in which
/// precision has the weight w = 1/(1 + b²); b² = (1 − w)/w. F₁, with w = ½, is their harmonic mean,
/// 2TP/(2TP + FN + FP). [`new`](Self::new) takes b, [`from_weight`](Self::from_weight) takes w.
///
/// Haffari, Tran & Carman (EACL 2017) call w β, and print F_β = 2/(β/P + (1 − β)/R), twice the
/// weighted harmonic mean. The factor 2 is not applied here: F stays within \[0, 1\], β = ½ is the
/// usual F₁, and which system has the highest F does not depend on it.
///
/// # Example
/// ```
/// use fiesta_core::{Counts, FBeta};
/// let counts = Counts { true_positives: 6, false_positives: 2, false_negatives: 4, ..Counts::default() };
/// let (precision, recall) = (6.0 / 8.0, 6.0 / 10.0);
/// let f = FBeta::from_weight(0.3)?;
/// let harmonic = 1.0 / (0.3 / precision + 0.7 / recall);
/// assert!((f.of_counts(&counts).unwrap() - harmonic).abs() < 1e-15);
/// # Ok::<(), fiesta_core::FBetaError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "f64", into = "f64")
)]
pub struct FBeta(f64);

/// The error for a weight of the F-measure that is out of range.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FBetaError {
    /// The weight b of recall is out of range.
    #[error(
        "the weight {0} of recall in the F-measure must be a number above 0, and at most 1000; 1 weighs precision and recall alike"
    )]
    Recall(f64),
    /// The weight w of precision is out of range.
    #[error(
        "the weight {0} of precision in the F-measure must be a number below 1, and at least 0.000001; 0.5 weighs precision and recall alike"
    )]
    Precision(f64),
}

impl FBeta {
    /// The harmonic mean of precision and recall.
    pub const F1: Self = Self(1.0);

    /// The F-measure in which recall counts b times as much as precision.
    ///
    /// # Errors
    /// [`FBetaError::Recall`] unless 0 < b ≤ 1000.
    pub fn new(b: f64) -> Result<Self, FBetaError> {
        if b > 0.0 && b <= 1000.0 {
            Ok(Self(b))
        } else {
            Err(FBetaError::Recall(b))
        }
    }

    /// The F-measure in which precision has the weight w of the harmonic mean and recall 1 − w: F_b
    /// with b² = (1 − w)/w. This w is the β of Haffari, Tran & Carman (EACL 2017), whose F is twice
    /// as large.
    ///
    /// # Errors
    /// [`FBetaError::Precision`] unless 10⁻⁶ ≤ w < 1.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::FBeta;
    /// assert_eq!(FBeta::from_weight(0.5), Ok(FBeta::F1));
    /// assert_eq!(FBeta::from_weight(0.2), FBeta::new(2.0));
    /// ```
    pub fn from_weight(w: f64) -> Result<Self, FBetaError> {
        if (LEAST_WEIGHT..1.0).contains(&w) {
            Ok(Self(((1.0 - w) / w).sqrt()))
        } else {
            Err(FBetaError::Precision(w))
        }
    }

    /// Returns how many times as much as precision recall counts: b.
    pub fn b(self) -> f64 {
        self.0
    }

    /// Returns the weight of precision in the harmonic mean: w = 1/(1 + b²).
    pub fn weight(self) -> f64 {
        self.0.mul_add(self.0, 1.0).recip()
    }

    /// Returns F of the probabilities, or any other non-negative amounts, of TP, FP, TN, FN; NaN of
    /// no positives at all.
    pub fn of(self, [tp, fp, _, fn_]: [f64; 4]) -> f64 {
        let weight = self.0 * self.0;
        let gain = (1.0 + weight) * tp;
        gain / (gain + weight * fn_ + fp)
    }

    /// Returns F of counts. `None` where nothing was found and nothing was there.
    pub fn of_counts(self, counts: &Counts) -> Option<f64> {
        let f = self.of(counts.cells().map(|count| count as f64));
        (!f.is_nan()).then_some(f)
    }
}

/// Writes the name of the F-measure, such as F1 or F0.5: b to four significant digits.
impl fmt::Display for FBeta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rounded = format!("{:.3e}", self.0).parse().unwrap_or(self.0);
        write!(f, "F{rounded}")
    }
}

impl Default for FBeta {
    fn default() -> Self {
        Self::F1
    }
}

impl TryFrom<f64> for FBeta {
    type Error = FBetaError;

    fn try_from(b: f64) -> Result<Self, FBetaError> {
        Self::new(b)
    }
}

impl From<FBeta> for f64 {
    fn from(f: FBeta) -> Self {
        f.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weighs_recall_by_the_square_of_b() {
        let counts = Counts::from_cells([6, 2, 100, 4]);
        let (precision, recall) = (6.0 / 8.0, 6.0 / 10.0);
        for b in [0.5_f64, 1.0, 2.0] {
            let harmonic = (1.0 + b * b) * precision * recall / (b * b * precision + recall);
            let f = FBeta::new(b).unwrap().of_counts(&counts).unwrap();
            assert!((f - harmonic).abs() < 1e-15, "{b}: {f} {harmonic}");
        }
    }

    #[test]
    fn is_undefined_without_positives_and_zero_without_a_hit() {
        assert_eq!(FBeta::F1.of_counts(&Counts::from_cells([0, 0, 9, 0])), None);
        assert_eq!(
            FBeta::F1.of_counts(&Counts::from_cells([0, 1, 9, 0])),
            Some(0.0)
        );
        assert_eq!(
            FBeta::F1.of_counts(&Counts::from_cells([1, 0, 0, 0])),
            Some(1.0)
        );
    }

    #[test]
    fn a_cell_is_a_whole_number_that_is_not_too_large() {
        assert_eq!(Counts::cell(12.0), Some(12));
        assert_eq!(Counts::cell(-0.0), Some(0));
        assert_eq!(Counts::cell(1e9), Some(Counts::LARGEST));
        for number in [1.5, -1.0, 1e9 + 1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Counts::cell(number), None, "{number}");
        }
    }

    #[test]
    fn refuses_what_is_no_weight() {
        for b in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(FBeta::new(b).is_err());
        }
        for weight in [0.0, 9e-7, -0.5, 1.0, 1.5, f64::NAN, f64::INFINITY] {
            let error = FBeta::from_weight(weight).unwrap_err();
            assert!(matches!(error, FBetaError::Precision(_)), "{weight}");
            let message = error.to_string();
            assert!(
                message.starts_with(&format!("the weight {weight} of precision")),
                "{message}"
            );
        }
    }

    #[test]
    fn a_weight_of_precision_is_that_of_the_harmonic_mean() {
        assert_eq!(FBeta::from_weight(0.5), Ok(FBeta::F1));
        let counts = Counts::from_cells([6, 2, 100, 4]);
        let (precision, recall) = (6.0 / 8.0, 6.0 / 10.0);
        for weight in [1e-6, 0.1, 0.2, 0.3, 0.5, 0.8, 0.999] {
            let f = FBeta::from_weight(weight).unwrap();
            let square = (1.0 - weight) / weight;
            assert!((f.b() * f.b() / square - 1.0).abs() < 1e-14, "{weight}");
            assert!((f.weight() / weight - 1.0).abs() < 1e-14, "{weight}");
            assert!(FBeta::new(f.b()).is_ok(), "{weight}");
            // The F of Haffari, Tran & Carman, as printed.
            let printed = 2.0 / (weight / precision + (1.0 - weight) / recall);
            let ours = f.of_counts(&counts).unwrap();
            assert!(
                (2.0 * ours - printed).abs() < 1e-14,
                "{weight}: {ours} {printed}"
            );
        }
    }

    #[test]
    fn names_have_four_digits() {
        let name = |f: Result<FBeta, FBetaError>| f.unwrap().to_string();
        assert_eq!(FBeta::F1.to_string(), "F1");
        assert_eq!(name(FBeta::new(0.5)), "F0.5");
        assert_eq!(name(FBeta::new(1000.0)), "F1000");
        assert_eq!(name(FBeta::from_weight(0.2)), "F2");
        assert_eq!(name(FBeta::from_weight(0.3)), "F1.528");
    }
}
