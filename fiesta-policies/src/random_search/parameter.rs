//! Hyperparameter of a search: its possible values, and draws of them.

use super::Value;
use rand::Rng;
use std::fmt;

/// The largest integer, either way, that a hyperparameter may be: 2⁵³, up to which every language's
/// numbers are exact.
pub const LARGEST_INTEGER: i64 = 1 << 53;

/// The values that a hyperparameter may have, and their distribution; checked.
///
/// Its [`Display`](fmt::Display) is what the paper's tables print: `loguniform-float[1e-6, 0.1]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter(Kind);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Choice(Vec<Value>),
    Integer { low: i64, high: i64 },
    Uniform { low: f64, high: f64 },
    LogUniform { low: f64, high: f64 },
}

/// The reason why a hyperparameter is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// The list of values to choose from is empty.
    #[error("the choice is empty: list at least one value")]
    NoChoice,
    /// A bound or a value of a hyperparameter is NaN or infinite.
    #[error("{0} is not a finite number")]
    NotFinite(f64),
    /// The bounds of a hyperparameter are no interval.
    #[error("[{low}, {high}] is no interval: the first must be below the second")]
    Interval {
        /// The bound of the interval that was given first.
        low: String,
        /// The bound of the interval that was given second.
        high: String,
    },
    /// The lower bound of a loguniform parameter is not above 0.
    #[error(
        "a loguniform parameter lies above 0, and its lower bound is {0}: take uniform, or a small positive bound"
    )]
    NotPositive(f64),
    /// The integer is beyond ±2^53, up to which every language reads integers exactly.
    #[error(
        "the integer {0} is beyond ±2^53, up to which numbers are exact everywhere: write it as text under choice"
    )]
    TooLarge(i64),
    /// The interval of a hyperparameter is longer than the largest number.
    #[error("[{0:?}, {1:?}] is too wide: the difference of its bounds must be a finite number")]
    TooWide(f64, f64),
    /// The text contains a NUL character, which no command can be given.
    #[error("the text {0:?} contains a NUL character, which no command can be given")]
    Nul(String),
}

impl Parameter {
    /// Returns a parameter that has each of these values with the same probability. A value that is
    /// listed twice is drawn twice as often.
    ///
    /// # Errors
    /// [`ParameterError`] if the list is empty, or holds a number that is not finite, an integer
    /// beyond ±2⁵³ or text with a NUL.
    pub fn choice(
        values: impl IntoIterator<Item = impl Into<Value>>,
    ) -> Result<Self, ParameterError> {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        for value in &values {
            match value {
                Value::Number(number) => check_finite(*number)?,
                Value::Integer(integer) => check_size(*integer)?,
                Value::Text(text) if text.contains('\0') => {
                    return Err(ParameterError::Nul(text.clone()));
                }
                Value::Boolean(_) | Value::Text(_) => {}
            }
        }
        if values.is_empty() {
            return Err(ParameterError::NoChoice);
        }
        Ok(Self(Kind::Choice(values)))
    }

    /// Returns a parameter that has each integer from `low` to `high`, both included, with the same probability.
    ///
    /// # Errors
    /// [`ParameterError`] unless low < high, both within ±2⁵³.
    pub fn integer(low: i64, high: i64) -> Result<Self, ParameterError> {
        check_size(low)?;
        check_size(high)?;
        if low >= high {
            return Err(interval(low, high));
        }
        Ok(Self(Kind::Integer { low, high }))
    }

    /// Returns the parameter low + u (high − low), u uniform on [0, 1): every number of the
    /// interval alike, `high` itself by rounding only.
    ///
    /// # Errors
    /// [`ParameterError`] unless low < high, both finite and so is their difference.
    pub fn uniform(low: f64, high: f64) -> Result<Self, ParameterError> {
        check_interval(low, high)?;
        if !(high - low).is_finite() {
            return Err(ParameterError::TooWide(low, high));
        }
        Ok(Self(Kind::Uniform { low, high }))
    }

    /// Returns the parameter exp(ln low + u (ln high − ln low)), u uniform on [0, 1): every order
    /// of magnitude alike, `high` itself by rounding only.
    ///
    /// # Errors
    /// [`ParameterError`] unless 0 < low < high, both finite.
    pub fn loguniform(low: f64, high: f64) -> Result<Self, ParameterError> {
        check_finite(low)?;
        if low <= 0.0 {
            return Err(ParameterError::NotPositive(low));
        }
        check_interval(low, high)?;
        Ok(Self(Kind::LogUniform { low, high }))
    }

    /// Draws a value of the hyperparameter. The same generator gives the same value on every
    /// machine.
    pub fn draw(&self, rng: &mut dyn Rng) -> Value {
        match &self.0 {
            Kind::Choice(values) => {
                #[allow(
                    clippy::cast_possible_truncation,
                    reason = "below the length of the list"
                )]
                let place = below(values.len() as u64, rng) as usize;
                values[place].clone()
            }
            Kind::Integer { low, high } => {
                let offset = below(low.abs_diff(*high) + 1, rng);
                Value::Integer(low.saturating_add_unsigned(offset))
            }
            &Kind::Uniform { low, high } => {
                let value = low + fraction(rng) * (high - low);
                Value::Number(value.clamp(low, high))
            }
            &Kind::LogUniform { low, high } => {
                // Not the system's logarithm, whose last digit is another one elsewhere.
                let (from, to) = (libm::log(low), libm::log(high));
                let value = libm::exp(from + fraction(rng) * (to - from));
                Value::Number(value.clamp(low, high))
            }
        }
    }

    /// Returns the name of the parameter's kind, as study files have it: choice, integer, uniform
    /// or loguniform.
    pub fn kind(&self) -> &'static str {
        match self.0 {
            Kind::Choice(_) => "choice",
            Kind::Integer { .. } => "integer",
            Kind::Uniform { .. } => "uniform",
            Kind::LogUniform { .. } => "loguniform",
        }
    }

    /// Returns the values of a choice, the lower and the upper bound of the other kinds.
    pub fn bounds(&self) -> Vec<Value> {
        match &self.0 {
            Kind::Choice(values) => values.clone(),
            &Kind::Integer { low, high } => vec![low.into(), high.into()],
            &Kind::Uniform { low, high } | &Kind::LogUniform { low, high } => {
                vec![low.into(), high.into()]
            }
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.0 {
            Kind::Choice(_) => "choice",
            Kind::Integer { .. } => "uniform-integer",
            Kind::Uniform { .. } => "uniform-float",
            Kind::LogUniform { .. } => "loguniform-float",
        };
        let bounds: Vec<String> = self.bounds().iter().map(Value::in_words).collect();
        write!(f, "{word}[{}]", bounds.join(", "))
    }
}

/// Draws uniformly from the multiples of 2⁻⁵³ in [0, 1).
fn fraction(rng: &mut dyn Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Draws uniformly from 0, …, count − 1, exactly: the upper half of count · u, where a lower half
/// that would favour some numbers is drawn again.
///
/// Source: Lemire, "Fast Random Integer Generation in an Interval" (ACM TOMACS 29(1), 2019),
/// algorithm 4. Here and not from `rand`, whose values may change with its version.
fn below(count: u64, rng: &mut dyn Rng) -> u64 {
    let excess = count.wrapping_neg() % count;
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(count);
        #[allow(clippy::cast_possible_truncation, reason = "the two halves are wanted")]
        let (high, low) = ((product >> 64) as u64, product as u64);
        if low >= excess {
            return high;
        }
    }
}

fn check_finite(number: f64) -> Result<(), ParameterError> {
    if number.is_finite() {
        Ok(())
    } else {
        Err(ParameterError::NotFinite(number))
    }
}

fn check_size(integer: i64) -> Result<(), ParameterError> {
    if (-LARGEST_INTEGER..=LARGEST_INTEGER).contains(&integer) {
        Ok(())
    } else {
        Err(ParameterError::TooLarge(integer))
    }
}

fn check_interval(low: f64, high: f64) -> Result<(), ParameterError> {
    check_finite(low)?;
    check_finite(high)?;
    if low < high {
        Ok(())
    } else {
        Err(interval(low, high))
    }
}

fn interval(low: impl Into<Value>, high: impl Into<Value>) -> ParameterError {
    ParameterError::Interval {
        low: low.into().to_string(),
        high: high.into().to_string(),
    }
}
