//! Priors of θ and α.

use std::{f64::consts::LN_2, str::FromStr};

/// The prior of θ, Dirichlet(α₀θ₀), over TP, FP, TN, FN.
///
/// The default is that of Haffari et al. (EACL 2017), α₀ = 1, with θ₀ uniform, which they do not
/// state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior([f64; 4]);

/// What is no prior.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FMeasureError {
    /// A shape of the Dirichlet prior is not above zero.
    #[error(
        "the prior's shapes {0:?} must be numbers between 1e-3 and 1e6: α₀ times the expected shares of TP, FP, TN, FN"
    )]
    Shapes([f64; 4]),
    /// The concentration is out of range.
    #[error(
        "the concentration alpha = {0} must lie between 1e-3 and 1e12: the smaller, the more documents differ; or let it be learned"
    )]
    Concentration(f64),
    /// A text that says nothing about the concentration.
    #[error(
        "`{0}` is no concentration: use learned (of each arm by itself), shared (learned of all arms together) or a number"
    )]
    Unknown(String),
}

impl Default for Prior {
    fn default() -> Self {
        Self([0.25; 4])
    }
}

impl Prior {
    /// Dirichlet(α₀/4, α₀/4, α₀/4, α₀/4).
    ///
    /// # Errors
    /// [`FMeasureError::Shapes`] unless 10⁻³ ≤ α₀/4 ≤ 10⁶.
    pub fn uniform(alpha0: f64) -> Result<Self, FMeasureError> {
        Self::new([alpha0 / 4.0; 4])
    }

    /// Dirichlet with these shapes α₀θ₀.
    ///
    /// # Errors
    /// [`FMeasureError::Shapes`] unless they lie between 10⁻³ and 10⁶.
    pub fn new(shapes: [f64; 4]) -> Result<Self, FMeasureError> {
        if shapes.iter().all(|shape| (1e-3..=1e6).contains(shape)) {
            Ok(Self(shapes))
        } else {
            Err(FMeasureError::Shapes(shapes))
        }
    }

    /// The shapes α₀θ₀.
    pub fn shapes(&self) -> [f64; 4] {
        self.0
    }
}

/// How much documents differ in what a system gets right on them: the concentration α of their μ_d
/// ~ Dirichlet(αθ).
///
/// Two items of a document are correlated by ρ = 1/(1 + α), of which all values are taken to be
/// equally probable before the first document. With α = ∞ all documents are alike and their counts
/// multinomial; with α near 0 a document is all of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Concentration {
    /// Learned from the documents of each system by itself.
    #[default]
    Learned,
    /// Learned from the documents of all systems, which are taken to have the same.
    Shared,
    /// Known to be this.
    Fixed(f64),
}

impl Concentration {
    /// A known concentration; ∞ for multinomial counts.
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

/// `learned`, `shared` or a number.
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

/// The logarithm of the prior density of ln α, up to a constant: the correlation of two items of a
/// document, ρ = 1/(1 + α), is uniform on (0, 1).
pub(super) fn ln_density(ln_alpha: f64) -> f64 {
    ln_alpha - 2.0 * ln_alpha.exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

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
