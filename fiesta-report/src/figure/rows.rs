//! Figures with one row for each arm: its name left, its mark on a common axis.

use super::axis::{Axis, BELOW, NORMAL, caption};
use super::canvas::{Anchor, Canvas, Font};
use super::palette::{self, ARMS, Colour, INK, MUTED, OTHERS};
use super::scale::Scale;
use super::ticks::Quantity;
use super::{FigureError, Spacing, text};
use fiesta_core::Direction;

/// Where rows and their parts stand.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// The area of the marks.
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    /// The height of a row.
    pub(crate) row: f64,
    count: usize,
    names: f64,
    page: f64,
}

impl Rows {
    /// Rows of at most this height; a column of this width stays free at the right, and this much above.
    pub(crate) fn new(names: &[&str], width: f64, tallest: f64, column: f64, top: f64) -> Self {
        let row = match names.len() {
            0..=12 => tallest,
            13..=30 => tallest.min(22.0),
            _ => tallest.min(16.0),
        };
        let widest = names
            .iter()
            .map(|name| text::first_width(name, NORMAL))
            .fold(0.0, f64::max);
        let labels = widest.min(width * 0.3).max(12.0);
        Self {
            left: labels + 14.0,
            // Half of a tick's label may stand beyond the end of the axis.
            right: width - column - 18.0,
            top,
            row,
            count: names.len(),
            names: labels,
            page: width,
        }
    }

    /// The middle of a row.
    pub(crate) fn centre(&self, index: usize) -> f64 {
        self.top + (index as f64 + 0.5) * self.row
    }

    /// Below the last row.
    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.count as f64 * self.row + 4.0
    }

    /// The height of the whole figure.
    pub(crate) fn height(&self) -> f64 {
        self.bottom() + BELOW
    }

    /// Names an arm at its row.
    pub(crate) fn name(&self, canvas: &mut Canvas, index: usize, name: &str, stress: bool) {
        let at = (self.names, self.centre(index));
        let colour = if stress { INK } else { MUTED };
        let font = Font::new(NORMAL, colour).anchored(Anchor::End);
        canvas.name(at, name, self.names, font);
    }

    /// The axis of the marks, from and to the data's ends, drawn with its grid.
    pub(crate) fn axis(
        &self,
        canvas: &mut Canvas,
        title: &str,
        data: (f64, f64),
    ) -> Result<Axis, FigureError> {
        let ends = (self.left + 6.0, self.right);
        let scale = Scale::new(title, Spacing::Linear, data, ends)?;
        let axis = Axis::horizontal(Quantity::Number, scale, data);
        axis.grid_up(canvas, self.top, self.bottom());
        axis.draw_below(canvas, self.bottom());
        caption(
            canvas,
            title,
            (self.left, self.right),
            self.bottom(),
            self.page,
        );
        Ok(axis)
    }
}

/// The places of arms from the best value to the worst.
pub(crate) fn ranking(values: &[f64], direction: Direction) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| {
        let (a_value, b_value) = (direction.orient(values[a]), direction.orient(values[b]));
        b_value.total_cmp(&a_value).then(a.cmp(&b))
    });
    order
}

/// The colour of every arm: its own, or grey in a crowd.
pub(crate) fn colours(
    names: &[&str],
    values: &[f64],
    direction: Direction,
    wanted: &[String],
) -> Vec<Option<Colour>> {
    let merit: Vec<f64> = values
        .iter()
        .map(|value| direction.orient(*value))
        .collect();
    palette::slots(names, &merit, wanted)
        .into_iter()
        .map(|slot| slot.map(|slot| ARMS[slot]))
        .collect()
}

/// Grey where there is no colour.
pub(crate) fn or_grey(colour: Option<Colour>) -> Colour {
    colour.unwrap_or(OTHERS)
}
