//! Scales, from values to pixels, and axes that end where the data end.

use super::palette::{GRID, MUTED, RULE};
use super::scene::{Anchor, Font, Point, Scene, Stroke};
use super::ticks::{Quantity, Tick, ticks};
use super::{FigureError, error, text};

/// Size of the labels of ticks, in pixels.
pub(crate) const SMALL: f64 = 11.0;
/// Size of names and titles of axes, in pixels.
pub(crate) const NORMAL: f64 = 12.0;
/// Height of ticks, their labels and a title below a panel, in pixels.
pub(crate) const BELOW: f64 = 42.0;
/// Height of the title above a panel, in pixels.
pub(crate) const ABOVE: f64 = 26.0;

/// Spacing of values along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Spacing {
    /// Equal differences are equally far apart.
    #[default]
    Linear,
    /// Equal ratios are equally far apart; only for values above 0.
    Log,
}

impl Spacing {
    fn of(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log => value.max(f64::MIN_POSITIVE).ln(),
        }
    }
}

/// Scale from values between two ends to the pixels where they stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    spacing: Spacing,
    data: (f64, f64),
    pixels: (f64, f64),
}

impl Scale {
    /// Puts the lowest value at the first pixel and the highest at the last; a single value stands
    /// in the middle.
    pub(crate) fn new(
        axis: &str,
        spacing: Spacing,
        data: (f64, f64),
        pixels: (f64, f64),
    ) -> Result<Self, FigureError> {
        let (low, high) = data;
        if !(high - low).is_finite() || high < low {
            return Err(FigureError::Refused(format!(
                "{axis}: from {low:e} to {high:e} is too far for one axis"
            )));
        }
        if spacing == Spacing::Log && low <= 0.0 {
            return Err(error::out_of_range(
                "a logarithmic axis",
                axis,
                low,
                "(0, ∞)",
            ));
        }
        Ok(Self {
            spacing,
            data,
            pixels,
        })
    }

    /// Returns the pixel at which a value stands.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let [low, high, value] = [self.data.0, self.data.1, value].map(|x| self.spacing.of(x));
        let share = if high > low {
            (value - low) / (high - low)
        } else {
            0.5
        };
        self.pixels.0 + share * (self.pixels.1 - self.pixels.0)
    }

    /// Returns the pixel at which a value stands, moved to the nearer end of the scale if it lies
    /// beyond, as infinite values do.
    pub(crate) fn clamped(&self, value: f64) -> f64 {
        self.at(value.clamp(self.data.0, self.data.1))
    }

    /// Returns the length of the scale in pixels.
    pub(crate) fn length(&self) -> f64 {
        (self.pixels.1 - self.pixels.0).abs()
    }

    pub(crate) fn contains(&self, value: f64) -> bool {
        (self.data.0..=self.data.1).contains(&value)
    }
}

/// Returns the smallest and the largest of some values; none if there are none.
pub(crate) fn extent(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().fold(None, |extent, value| {
        let (low, high) = extent.unwrap_or((value, value));
        Some((f64::min(low, value), f64::max(high, value)))
    })
}

/// The side of a panel that an axis stands at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Below,
    Above,
}

/// Axis of a figure: a scale with its ticks.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    pub(crate) scale: Scale,
    ticks: Vec<Tick>,
}

impl Axis {
    /// Returns an axis with about `wanted` ticks.
    pub(crate) fn new(quantity: Quantity, scale: Scale, wanted: usize) -> Self {
        let ticks = ticks(quantity, scale.spacing, scale.data, wanted);
        Self { scale, ticks }
    }

    /// Returns a horizontal axis: ticks are thinned until their labels are apart; one of counts
    /// also names its first and last value.
    pub(crate) fn horizontal(quantity: Quantity, scale: Scale) -> Self {
        let most = fiesta_core::whole((scale.length() / 56.0).clamp(2.0, 10.0));
        let mut axes = (2..=most).rev().map(|n| Self::new(quantity, scale, n));
        let fits = |axis: &Self| {
            axis.ticks
                .windows(2)
                .all(|two| axis.gap(&two[0], &two[1]) >= 6.0)
        };
        let mut axis = axes
            .find(fits)
            .unwrap_or_else(|| Self::new(quantity, scale, 2));
        let mut kept: Vec<Tick> = Vec::new();
        for tick in std::mem::take(&mut axis.ticks) {
            if kept.last().is_none_or(|last| axis.gap(last, &tick) >= 6.0) {
                kept.push(tick);
            }
        }
        if quantity == Quantity::Count {
            let end = |value| Tick {
                value,
                label: text::number(value, 1.0),
            };
            let (low, high) = (end(scale.data.0), end(scale.data.1));
            if kept
                .first()
                .is_none_or(|first| axis.gap(&low, first) >= 10.0)
            {
                kept.insert(0, low);
            }
            if kept.last().is_none_or(|last| axis.gap(last, &high) >= 10.0) {
                kept.push(high);
            }
        }
        axis.ticks = kept;
        axis
    }

    /// The room between the labels of two ticks beside each other.
    fn gap(&self, left: &Tick, right: &Tick) -> f64 {
        let half = |tick: &Tick| text::width(&tick.label, SMALL) / 2.0;
        self.scale.at(right.value) - self.scale.at(left.value) - half(left) - half(right)
    }

    /// Returns the width of the widest label, in pixels.
    pub(crate) fn label_width(&self) -> f64 {
        let widths = self
            .ticks
            .iter()
            .map(|tick| text::width(&tick.label, SMALL));
        widths.fold(0.0, f64::max)
    }

    /// Draws the axis with its line, ticks and labels, at this side of a panel that ends at the pixel `edge`.
    pub(crate) fn draw(&self, scene: &mut Scene, side: Side, edge: f64) {
        let font = Font::new(SMALL, MUTED);
        let place = |along: f64, away: f64| -> Point {
            match side {
                Side::Left => (edge - away, along),
                Side::Below => (along, edge + away),
                Side::Above => (along, edge - away),
            }
        };
        let rule = Stroke::new(RULE, 1.0);
        let (from, to) = self.ends();
        scene.line(place(from, 0.0), place(to, 0.0), rule);
        for tick in &self.ticks {
            let at = self.scale.at(tick.value);
            scene.line(place(at, 4.0), place(at, 0.0), rule);
            let middle = font.anchored(Anchor::Middle);
            match side {
                Side::Left => {
                    scene.centred(place(at, 7.0), &tick.label, font.anchored(Anchor::End));
                }
                Side::Below => scene.text(place(at, 16.0), &tick.label, middle),
                Side::Above => scene.text(place(at, 8.0), &tick.label, middle),
            }
        }
    }

    /// Draws light lines at the ticks of a vertical axis, from `left` to `right`.
    pub(crate) fn grid_across(&self, scene: &mut Scene, left: f64, right: f64) {
        for tick in &self.ticks {
            let y = self.scale.at(tick.value);
            scene.line((left + 1.0, y), (right, y), Stroke::new(GRID, 1.0));
        }
    }

    /// Draws light lines at the ticks of a horizontal axis, from `top` to `bottom`.
    pub(crate) fn grid_up(&self, scene: &mut Scene, top: f64, bottom: f64) {
        for tick in &self.ticks {
            let x = self.scale.at(tick.value);
            scene.line((x, top), (x, bottom), Stroke::new(GRID, 1.0));
        }
    }

    /// Returns the pixels at which the data end; a single value has a short line of its own.
    fn ends(&self) -> (f64, f64) {
        let (low, high) = self.scale.data;
        let (a, b) = (self.scale.at(low), self.scale.at(high));
        if (a - b).abs() < 1.0 {
            (a - 4.0, b + 4.0)
        } else {
            (a, b)
        }
    }
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
        assert!(
            far.unwrap_err()
                .to_string()
                .contains("too far for one axis")
        );
        let zero = Scale::new("n", Spacing::Log, (0.0, 1.0), (0.0, 1.0));
        assert!(zero.unwrap_err().to_string().contains("is not in (0, ∞)"));
    }
}
