//! Distances of means, in the unit of the scores or in standard deviations.

use fiesta_core::{ArmId, View};
use std::{fmt, str::FromStr};

/// How far one mean is from another: in the unit of the scores, or in standard deviations of the
/// difference between one evaluation of each arm
/// ([`View::difference_sd`](fiesta_core::View::difference_sd)), on a common case where arms share
/// cases.
///
/// # Example
/// ```
/// use fiesta_policies::stopping::Distance;
/// assert_eq!("0.005".parse(), Ok(Distance::Score(0.005)));
/// assert_eq!("0.25 sd".parse(), Ok(Distance::Sd(0.25)));
/// assert!("-1".parse::<Distance>().is_err());
/// assert_eq!(Distance::Sd(0.25).to_string(), "0.25 sd");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distance {
    /// Distance in the unit of the scores.
    Score(f64),
    /// Distance in standard deviations of a difference.
    Sd(f64),
}

/// The text is no distance.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "`{0}` is no distance: give a number from zero upwards, in the unit of the scores such as 0.005, or in standard deviations of a difference such as \"0.25 sd\""
)]
pub struct DistanceError(String);

impl Distance {
    /// The distance 0.
    pub const ZERO: Self = Self::Score(0.0);

    /// Returns the distance after a check that it is finite and not negative.
    ///
    /// # Errors
    /// [`DistanceError`] unless it is finite and at least 0.
    pub fn checked(self) -> Result<Self, DistanceError> {
        let (Self::Score(size) | Self::Sd(size)) = self;
        if size.is_finite() && size >= 0.0 {
            Ok(self)
        } else {
            Err(DistanceError(self.to_string()))
        }
    }

    /// Returns whether the distance is 0.
    pub fn is_zero(self) -> bool {
        let (Self::Score(size) | Self::Sd(size)) = self;
        size <= 0.0
    }

    /// Returns the distance in the unit of the scores, with the standard deviation of a difference
    /// of these two arms. `None` before they have the required observations.
    pub fn in_scores(self, view: &View<'_>, a: ArmId, b: ArmId) -> Option<f64> {
        match self {
            Self::Score(score) => Some(score),
            Self::Sd(sds) => Some(sds * view.difference_sd(a, b)?),
        }
    }
}

impl From<f64> for Distance {
    fn from(score: f64) -> Self {
        Self::Score(score)
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Score(score) => write!(f, "{score}"),
            Self::Sd(sds) => write!(f, "{sds} sd"),
        }
    }
}

impl FromStr for Distance {
    type Err = DistanceError;

    fn from_str(text: &str) -> Result<Self, DistanceError> {
        let trimmed = text.trim();
        let (number, is_sd) = match trimmed.strip_suffix("sd") {
            Some(number) => (number.trim_end(), true),
            None => (trimmed, false),
        };
        let size: f64 = number.parse().map_err(|_| DistanceError(text.to_owned()))?;
        let distance = if is_sd {
            Self::Sd(size)
        } else {
            Self::Score(size)
        };
        distance.checked()
    }
}

/// Serialises a distance: a number in the unit of the scores, or a text in standard deviations.
#[cfg(feature = "serde")]
impl serde::Serialize for Distance {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Score(score) => to.serialize_f64(*score),
            Self::Sd(_) => to.collect_str(self),
        }
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Distance {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Written)
    }
}

/// Reads a distance as files have it.
#[cfg(feature = "serde")]
struct Written;

#[cfg(feature = "serde")]
impl serde::de::Visitor<'_> for Written {
    type Value = Distance;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number in the unit of the scores, or a text such as \"0.25 sd\"")
    }

    fn visit_f64<E: serde::de::Error>(self, score: f64) -> Result<Distance, E> {
        Distance::Score(score).checked().map_err(E::custom)
    }

    #[allow(
        clippy::cast_precision_loss,
        reason = "a distance is no larger than 2^53"
    )]
    fn visit_i64<E: serde::de::Error>(self, score: i64) -> Result<Distance, E> {
        self.visit_f64(score as f64)
    }

    #[allow(
        clippy::cast_precision_loss,
        reason = "a distance is no larger than 2^53"
    )]
    fn visit_u64<E: serde::de::Error>(self, score: u64) -> Result<Distance, E> {
        self.visit_f64(score as f64)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Distance, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_distance_is_refused() {
        for text in [
            "",
            "sd",
            "-0.1",
            "NaN",
            "inf",
            "-0.1 sd",
            "0.1 sds",
            "0.1 points",
        ] {
            let error = text.parse::<Distance>().unwrap_err();
            assert!(error.to_string().contains("0.25 sd"), "{text}: {error}");
        }
        for (text, distance) in [
            ("0", Distance::ZERO),
            ("1e-3", Distance::Score(1e-3)),
            (" .5sd ", Distance::Sd(0.5)),
            ("2 sd", Distance::Sd(2.0)),
        ] {
            assert_eq!(text.parse(), Ok(distance));
            assert_eq!(distance.to_string().parse(), Ok(distance));
        }
    }
}
