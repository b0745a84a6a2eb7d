//! Axes that end where the data end.

use super::canvas::{Anchor, Canvas, Font, Stroke};
use super::palette::{GRID, MUTED, RULE};
use super::scale::Scale;
use super::text;
use super::ticks::{Quantity, Tick, ticks};

/// Size of the labels of ticks.
pub(crate) const SMALL: f64 = 11.0;
/// Size of names and titles of axes.
pub(crate) const NORMAL: f64 = 12.0;
/// What ticks, their labels and a title below a panel take.
pub(crate) const BELOW: f64 = 42.0;
/// What the title above a panel takes.
pub(crate) const ABOVE: f64 = 26.0;

/// An axis: a scale, and the part of it that the data cover.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    pub(crate) scale: Scale,
    pub(crate) data: (f64, f64),
    ticks: Vec<Tick>,
}

impl Axis {
    /// With about `wanted` ticks.
    pub(crate) fn new(quantity: Quantity, scale: Scale, data: (f64, f64), wanted: usize) -> Self {
        Self {
            scale,
            data,
            ticks: ticks(quantity, scale.spacing(), data, wanted),
        }
    }

    /// A horizontal one: ticks are thinned until their labels are apart; a log axis of counts also names its last value.
    pub(crate) fn horizontal(quantity: Quantity, scale: Scale, data: (f64, f64)) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a few"
        )]
        let most = (scale.length() / 56.0).clamp(2.0, 10.0) as usize;
        let mut axis = Self::new(quantity, scale, data, most);
        for fewer in (2..most).rev() {
            if axis.apart() {
                break;
            }
            axis = Self::new(quantity, scale, data, fewer);
        }
        axis.drop_overlapping();
        if quantity == Quantity::Count {
            axis.name_ends();
        }
        axis
    }

    /// Adds the first and the last value as ticks, where there is room between the others.
    fn name_ends(&mut self) {
        for (value, first) in [(self.data.0, true), (self.data.1, false)] {
            let label = text::number(value, 1.0);
            let tick = Tick { value, label };
            let (start, end) = self.ends(&tick);
            if first
                && self
                    .ticks
                    .first()
                    .is_none_or(|next| end + 10.0 <= self.ends(next).0)
            {
                self.ticks.insert(0, tick);
            } else if !first
                && self
                    .ticks
                    .last()
                    .is_none_or(|last| self.ends(last).1 + 10.0 <= start)
            {
                self.ticks.push(tick);
            }
        }
    }

    fn ends(&self, tick: &Tick) -> (f64, f64) {
        let half = text::width(&tick.label, SMALL) / 2.0;
        let at = self.scale.at(tick.value);
        (at - half, at + half)
    }

    fn apart(&self) -> bool {
        self.ticks
            .windows(2)
            .all(|pair| self.ends(&pair[0]).1 + 6.0 <= self.ends(&pair[1]).0)
    }

    fn drop_overlapping(&mut self) {
        let mut kept: Vec<Tick> = Vec::new();
        for tick in std::mem::take(&mut self.ticks) {
            let free = kept
                .last()
                .is_none_or(|last| self.ends(last).1 + 6.0 <= self.ends(&tick).0);
            if free {
                kept.push(tick);
            }
        }
        self.ticks = kept;
    }

    /// The widest label.
    pub(crate) fn label_width(&self) -> f64 {
        self.ticks
            .iter()
            .map(|tick| text::width(&tick.label, SMALL))
            .fold(0.0, f64::max)
    }

    /// Draws it below a panel, at this height.
    pub(crate) fn draw_below(&self, canvas: &mut Canvas, y: f64) {
        let ends = self.ends_in_pixels();
        canvas.line((ends.0, y), (ends.1, y), Stroke::new(RULE, 1.0));
        for tick in &self.ticks {
            let x = self.scale.at(tick.value);
            canvas.line((x, y), (x, y + 4.0), Stroke::new(RULE, 1.0));
            let font = Font::new(SMALL, MUTED).anchored(Anchor::Middle);
            canvas.text((x, y + 16.0), &tick.label, font);
        }
    }

    /// Draws it above what it measures, at this height, ticks up.
    pub(crate) fn draw_above(&self, canvas: &mut Canvas, y: f64) {
        let ends = self.ends_in_pixels();
        canvas.line((ends.0, y), (ends.1, y), Stroke::new(RULE, 1.0));
        for tick in &self.ticks {
            let x = self.scale.at(tick.value);
            canvas.line((x, y - 4.0), (x, y), Stroke::new(RULE, 1.0));
            let font = Font::new(SMALL, MUTED).anchored(Anchor::Middle);
            canvas.text((x, y - 8.0), &tick.label, font);
        }
    }

    /// Draws it left of a panel: a line, ticks and labels, and light lines across to `right` where that is beyond.
    pub(crate) fn draw_left(&self, canvas: &mut Canvas, x: f64, right: f64) {
        self.grid_across(canvas, x, right);
        let ends = self.ends_in_pixels();
        canvas.line((x, ends.0), (x, ends.1), Stroke::new(RULE, 1.0));
        for tick in &self.ticks {
            let y = self.scale.at(tick.value);
            canvas.line((x - 4.0, y), (x, y), Stroke::new(RULE, 1.0));
            let font = Font::new(SMALL, MUTED).anchored(Anchor::End);
            canvas.centred((x - 7.0, y), &tick.label, font);
        }
    }

    /// Light lines at the ticks, from `left` to `right`.
    pub(crate) fn grid_across(&self, canvas: &mut Canvas, left: f64, right: f64) {
        for tick in &self.ticks {
            let y = self.scale.at(tick.value);
            canvas.line((left + 1.0, y), (right, y), Stroke::new(GRID, 1.0));
        }
    }

    /// Light lines at the ticks, from `top` to `bottom`.
    pub(crate) fn grid_up(&self, canvas: &mut Canvas, top: f64, bottom: f64) {
        for tick in &self.ticks {
            let x = self.scale.at(tick.value);
            canvas.line((x, top), (x, bottom), Stroke::new(GRID, 1.0));
        }
    }

    /// Where the data end; a single value has a short line of its own.
    fn ends_in_pixels(&self) -> (f64, f64) {
        let (a, b) = (self.scale.at(self.data.0), self.scale.at(self.data.1));
        if (a - b).abs() < 1.0 {
            (a - 4.0, b + 4.0)
        } else {
            (a, b)
        }
    }
}

/// The title of a horizontal axis at the height `y`: in the middle of its panel, or as near to it as the page is wide enough for.
pub(crate) fn caption(canvas: &mut Canvas, title: &str, panel: (f64, f64), y: f64, page: f64) {
    let title = text::shorten(title, NORMAL, page);
    let half = text::width(&title, NORMAL) / 2.0;
    let middle = f64::midpoint(panel.0, panel.1).min(page - half).max(half);
    let font = Font::new(NORMAL, MUTED).anchored(Anchor::Middle);
    canvas.text((middle, y + 35.0), &title, font);
}
