//! Priors of θ and α.

use std::{f64::consts::LN_2, fmt, str::FromStr};

/// The prior of θ, Dirichlet(α₀θ₀), over TP, FP, TN, FN: θ₀ are the shares that are expected of
/// them, and α₀ is the number of items that this expectation is worth.
///
/// The default is that of Haffari et al. (EACL 2017), α₀ = 1, with θ₀ uniform, which they do not
/// state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    alpha0: f64,
    theta0: [f64; 4],
}

/// Distance from 1 up to which a sum of shares is taken as 1.
const ROUNDING: f64 = 1e-9;

/// The error for numbers that make no prior of an F-measure.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FMeasureError {
    /// A shape of the Dirichlet prior is not above zero.
    #[error(
        "the prior's shapes {0:?} must be numbers between 1e-3 and 1e6: α₀ times the expected shares of TP, FP, TN, FN"
    )]
    Shapes([f64; 4]),
    /// An expected share is not above zero.
    #[error(
        "the expected shares theta0 = {0:?} of TP, FP, TN, FN must be four numbers above 0: a share of 0 makes its cell impossible, whatever is counted; give a small one instead"
    )]
    Shares([f64; 4]),
    /// The concentration is out of range.
    #[error(
        "the concentration alpha = {0} must lie between 1e-3 and 1e12: the smaller, the more documents differ; or let it be learned"
    )]
    Concentration(f64),
    /// A count is too large for a [`Gibbs`](super::Gibbs) sampler.
    #[error(
        "the count {0} is refused: a sweep takes time in proportion to the largest count, and {most} is the most that is taken",
        most = super::Gibbs::LARGEST
    )]
    Count(u64),
    /// The text says nothing about the concentration.
    #[error(
        "`{0}` is no concentration: use learned (of each arm by itself), shared (learned of all arms together) or a number"
    )]
    Unknown(String),
}

impl Default for Prior {
    fn default() -> Self {
        Self {
            alpha0: 1.0,
            theta0: [0.25; 4],
        }
    }
}

impl Prior {
    /// Returns the prior Dirichlet(α₀/4, α₀/4, α₀/4, α₀/4).
    ///
    /// # Errors
    /// [`FMeasureError::Shapes`] unless 10⁻³ ≤ α₀/4 ≤ 10⁶.
    pub fn uniform(alpha0: f64) -> Result<Self, FMeasureError> {
        Self::expecting([0.25; 4], alpha0)
    }

    /// Returns the Dirichlet prior with these shapes α₀θ₀.
    ///
    /// # Errors
    /// [`FMeasureError::Shapes`] unless they lie between 10⁻³ and 10⁶.
    pub fn new(shapes: [f64; 4]) -> Result<Self, FMeasureError> {
        if !shapes.iter().all(|shape| (1e-3..=1e6).contains(shape)) {
            return Err(FMeasureError::Shapes(shapes));
        }
        let alpha0 = shapes.iter().sum();
        let theta0 = shapes.map(|shape| shape / alpha0);
        Ok(Self { alpha0, theta0 })
    }

    /// Dirichlet(α₀θ₀), the expected shares θ₀ of TP, FP, TN, FN being proportional to these
    /// numbers: shares, percentages, or the counts of a pilot, which weigh no more for being large.
    ///
    /// # Errors
    /// [`FMeasureError::Shares`] unless the numbers are above 0, with a finite sum;
    /// [`FMeasureError::Shapes`] unless all α₀θ₀ lie between 10⁻³ and 10⁶.
    ///
    /// # Example
    /// ```
    /// use fiesta_posterior::f_measure::Prior;
    /// let prior = Prior::expecting([40.0, 10.0, 40.0, 10.0], 5.0)?;
    /// assert_eq!(prior.theta0(), [0.4, 0.1, 0.4, 0.1]);
    /// assert_eq!(prior.shapes(), [2.0, 0.5, 2.0, 0.5]);
    /// # Ok::<(), fiesta_posterior::f_measure::FMeasureError>(())
    /// ```
    pub fn expecting(shares: [f64; 4], alpha0: f64) -> Result<Self, FMeasureError> {
        let total: f64 = shares.iter().sum();
        if !(shares.iter().all(|&share| share > 0.0) && total.is_finite()) {
            return Err(FMeasureError::Shares(shares));
        }
        let theta0 = if (total - 1.0).abs() <= ROUNDING {
            shares
        } else {
            shares.map(|share| share / total)
        };
        let prior = Self { alpha0, theta0 };
        Self::new(prior.shapes())?;
        Ok(prior)
    }

    /// Returns the shapes α₀θ₀.
    pub fn shapes(&self) -> [f64; 4] {
        self.theta0.map(|share| self.alpha0 * share)
    }

    /// Returns the weight of the prior, in items: α₀.
    pub fn alpha0(&self) -> f64 {
        self.alpha0
    }

    /// Returns the expected shares of TP, FP, TN, FN, which sum to 1: θ₀.
    pub fn theta0(&self) -> [f64; 4] {
        self.theta0
    }
}

/// Writes the prior in words, the shares to four decimals.
impl fmt::Display for Prior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [tp, fp, tn, fn_] = self.theta0.map(|share| (share * 1e4).round() / 1e4);
        write!(
            f,
            "expected shares of TP, FP, TN, FN: {tp}, {fp}, {tn}, {fn_} (theta0), with the weight alpha0 = {}",
            self.alpha0
        )
    }
}

/// Concentration α of the documents' μ_d ~ Dirichlet(αθ): how much documents differ in what a
/// system gets right on them.
///
/// Two items of a document are correlated by ρ = 1/(1 + α), of which all values are taken to be
/// equally probable before the first document. With α = ∞ all documents are alike and their counts
/// multinomial; with α near 0 a document is all of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Concentration {
    /// The concentration is learned from the documents of each system by itself.
    #[default]
    Learned,
    /// The concentration is learned from the documents of all systems, as one that they share.
    Shared,
    /// The concentration is known: made by [`Concentration::fixed`].
    #[non_exhaustive]
    Fixed(f64),
}

impl Concentration {
    /// Returns a known concentration; ∞ for multinomial counts.
    ///
    /// # Errors
    /// [`FMeasureError::Concentration`] unless 10⁻³ ≤ α ≤ 10¹² or α = ∞.
    pub fn fixed(alpha: f64) -> Result<Self, FMeasureError> {
        if (1e-3..=1e12).contains(&alpha) {
            Ok(Self::Fixed(alpha))
        } else if alpha == f64::INFINITY {
            Ok(Self::Fixed(1e12))
        } else {
            Err(FMeasureError::Concentration(alpha))
        }
    }
}

/// Reads `learned`, `shared` or a number.
impl FromStr for Concentration {
    type Err = FMeasureError;

    fn from_str(text: &str) -> Result<Self, FMeasureError> {
        match text {
            "learned" => Ok(Self::Learned),
            "shared" => Ok(Self::Shared),
            number => match number.parse() {
                Ok(alpha) => Self::fixed(alpha),
                Err(_) => Err(FMeasureError::Unknown(number.to_owned())),
            },
        }
    }
}

/// The smallest and the largest concentration that is learned, in ln α: beyond them a document is
/// all of one kind, or documents of some thousands of items look multinomial.
pub(super) const LN_ALPHA: (f64, f64) = (-5.0 * LN_2, 11.0 * LN_2);

/// Returns the logarithm of the prior density of ln α, up to a constant: the correlation of two
/// items of a document, ρ = 1/(1 + α), is uniform on (0, 1).
pub(super) fn ln_density(ln_alpha: f64) -> f64 {
    ln_alpha - 2.0 * ln_alpha.exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expected_shares_are_normalised() {
        let prior = Prior::expecting([60.0, 10.0, 20.0, 10.0], 2.0).unwrap();
        assert_eq!(prior, Prior::expecting([0.6, 0.1, 0.2, 0.1], 2.0).unwrap());
        for (shape, expected) in prior.shapes().into_iter().zip([1.2, 0.2, 0.4, 0.2]) {
            assert!((shape - expected).abs() < 1e-15, "{shape} {expected}");
        }
        let total: f64 = prior.theta0().iter().sum();
        assert!((total - 1.0).abs() < 1e-15, "{total}");
        assert_eq!(
            Prior::expecting([7.0; 4], 1.0).unwrap(),
            Prior::default(),
            "alike is uniform"
        );
        assert_eq!(
            prior.to_string(),
            "expected shares of TP, FP, TN, FN: 0.6, 0.1, 0.2, 0.1 (theta0), with the weight alpha0 = 2"
        );
    }

    #[test]
    fn a_cell_without_a_share_is_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::MAX] {
            let shares = [1.0, bad, bad, 1.0];
            let error = Prior::expecting(shares, 1.0).unwrap_err();
            assert!(matches!(error, FMeasureError::Shares(_)), "{bad}: {error}");
        }
        for (shares, alpha0) in [
            ([1.0, 1e-3, 1.0, 1.0], 1.0),
            ([1.0; 4], 0.0),
            ([1.0; 4], f64::NAN),
            ([1.0; 4], 1e7),
        ] {
            let error = Prior::expecting(shares, alpha0).unwrap_err();
            assert!(matches!(error, FMeasureError::Shapes(_)), "{error}");
        }
    }

    #[test]
    fn concentrations_have_names() {
        let parsed = |text: &str| text.parse::<Concentration>();
        assert_eq!(parsed("learned"), Ok(Concentration::Learned));
        assert_eq!(parsed("shared"), Ok(Concentration::Shared));
        assert_eq!(parsed("2.5"), Ok(Concentration::Fixed(2.5)));
        assert_eq!(parsed("inf"), Concentration::fixed(f64::INFINITY));
        for bad in ["0", "-1", "nan"] {
            assert!(
                matches!(parsed(bad), Err(FMeasureError::Concentration(_))),
                "{bad}"
            );
        }
        assert!(matches!(parsed("much"), Err(FMeasureError::Unknown(_))));
    }
}
