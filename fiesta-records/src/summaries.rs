//! Summary rows of arms: a mean with its spread, in place of single evaluations.

/// Meaning of the number beside a mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// The standard deviation s of n scores, divisor n − 1: the mean's standard error is s/√n.
    Sd,
    /// The standard error of the mean.
    Se,
    /// Half the width of the central 95 % interval: the standard error times the .975 quantile of
    /// Student's t with n − 1 degrees of freedom, or of the normal distribution without n.
    Ci95,
}

impl Spread {
    /// Returns the meaning's name in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Sd => "standard deviation",
            Self::Se => "standard error",
            Self::Ci95 => "half of a 95 % interval",
        }
    }
}

fiesta_core::names! {
    Spread {
        Sd = "sd", Se = "se", Ci95 = "ci95"
    }
    /// A word that is no [`Spread`].
    #[error("`{0}` is no spread: say sd, se or ci95")]
    UnknownSpread
}

/// A summary row: the mean of one arm's scores, with its spread.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The name of the arm.
    pub arm: String,
    /// Mean of the arm's scores, as printed.
    pub mean: f64,
    /// Spread beside the mean, above 0.
    pub spread: f64,
    /// The number of scores, at least 2. `None` if nothing says it.
    pub n: Option<u64>,
    /// Line of the file on which the row stands, from 1.
    pub line: u64,
}

/// Summary rows of several arms: what a paper's table says of evaluations that are not at hand.
///
/// [`Summaries::read`](Self::read) makes them of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Summaries {
    /// The name of the score.
    pub metric: String,
    /// The meaning of the spreads.
    pub spread: Spread,
    /// The unit of the last printed digit of the means, such as 0.01: a printed mean may be off by
    /// half of it either way. 0 for means that are not rounded.
    pub unit: f64,
    /// Rows of the arms, each with a name of its own.
    pub rows: Vec<Summary>,
    /// Notices about the table, a line each: which columns were taken, and what rounding hides.
    pub notices: Vec<String>,
}
