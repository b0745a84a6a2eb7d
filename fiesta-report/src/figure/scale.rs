//! From values to pixels.

use super::FigureError;

/// How values are spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spacing {
    /// Equal differences are equally far apart.
    #[default]
    Linear,
    /// Equal ratios are equally far apart; only for values above 0.
    Log,
}

/// Values between two ends, and where they stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    spacing: Spacing,
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Scale {
    /// Puts `low` at the pixel `start` and `high` at `end`; a single value stands in the middle.
    pub(crate) fn new(
        axis: &str,
        spacing: Spacing,
        (low, high): (f64, f64),
        (start, end): (f64, f64),
    ) -> Result<Self, FigureError> {
        let span = || FigureError::Span {
            axis: axis.to_owned(),
            low,
            high,
        };
        if !(high - low).is_finite() || high < low {
            return Err(span());
        }
        if spacing == Spacing::Log && low <= 0.0 {
            return Err(FigureError::OutOfRange {
                what: "a logarithmic axis",
                name: axis.to_owned(),
                value: low,
                range: "(0, ∞)",
            });
        }
        Ok(Self {
            spacing,
            low,
            high,
            start,
            end,
        })
    }

    /// Where a value stands.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let (low, high, value) = match self.spacing {
            Spacing::Linear => (self.low, self.high, value),
            Spacing::Log => (
                self.low.ln(),
                self.high.ln(),
                value.max(f64::MIN_POSITIVE).ln(),
            ),
        };
        let share = if high > low {
            (value - low) / (high - low)
        } else {
            0.5
        };
        self.start + share * (self.end - self.start)
    }

    /// Where a value stands, moved to the nearer end if it is beyond; infinite values are.
    pub(crate) fn clamped(&self, value: f64) -> f64 {
        self.at(value.clamp(self.low, self.high))
    }

    pub(crate) fn spacing(&self) -> Spacing {
        self.spacing
    }

    /// How many pixels there are.
    pub(crate) fn length(&self) -> f64 {
        (self.end - self.start).abs()
    }

    pub(crate) fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// The smallest and the largest of some values; none if there are none.
pub(crate) fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().fold(None, |extent, value| {
        let (low, high) = extent.unwrap_or((value, value));
        Some((f64::min(low, value), f64::max(high, value)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_single_values() {
        let scale = Scale::new("x", Spacing::Log, (1.0, 100.0), (10.0, 210.0)).unwrap();
        assert!((scale.at(10.0) - 110.0).abs() < 1e-9);
        assert!((scale.clamped(f64::INFINITY) - 210.0).abs() < 1e-9);
        let single = Scale::new("x", Spacing::Linear, (3.0, 3.0), (0.0, 100.0)).unwrap();
        assert!((single.at(3.0) - 50.0).abs() < 1e-9);
    }

    #[test]
    fn what_cannot_be_an_axis_is_refused() {
        let far = Scale::new("x", Spacing::Linear, (-1e308, 1e308), (0.0, 1.0));
        assert!(matches!(far, Err(FigureError::Span { .. })));
        let zero = Scale::new("n", Spacing::Log, (0.0, 1.0), (0.0, 1.0));
        assert!(matches!(zero, Err(FigureError::OutOfRange { .. })));
    }
}
