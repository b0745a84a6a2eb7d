//! Figures with one row for each arm: its name left, its mark on a common axis.

use super::axis::{Axis, BELOW, NORMAL, Scale, Side, Spacing};
use super::palette::{self, ARMS, Colour, INK, MUTED, OTHERS};
use super::scene::{Anchor, Font, Scene};
use super::ticks::Quantity;
use super::{FigureError, text};
use fiesta_core::Direction;

/// Ranking of arms in the order of their values, with their colours.
#[derive(Debug, Clone)]
pub(crate) struct Ranking {
    /// The places of arms from the best value to the worst.
    pub(crate) order: Vec<usize>,
    /// The colour of every arm; none in a crowd.
    colours: Vec<Option<Colour>>,
}

impl Ranking {
    pub(crate) fn new<'a>(
        arms: impl IntoIterator<Item = (&'a str, f64)>,
        direction: Direction,
        wanted: &[String],
        ranked: &[String],
    ) -> Self {
        let oriented = |(name, value)| (name, direction.orient(value));
        let arms: Vec<(&str, f64)> = arms.into_iter().map(oriented).collect();
        let mut order: Vec<usize> = (0..arms.len()).collect();
        order.sort_by(|&a, &b| arms[b].1.total_cmp(&arms[a].1).then(a.cmp(&b)));
        let names: Vec<&str> = arms.iter().map(|arm| arm.0).collect();
        by_name(&mut order, &names, ranked);
        let slots = palette::slots(arms, wanted).into_iter();
        let colours = slots.map(|slot| slot.map(|slot| ARMS[slot])).collect();
        Self { order, colours }
    }

    /// Returns whether an arm has a colour.
    pub(crate) fn stands_out(&self, arm: usize) -> bool {
        self.colours[arm].is_some()
    }

    /// Returns the colour of an arm, grey in a crowd.
    pub(crate) fn colour(&self, arm: usize) -> Colour {
        self.colours[arm].unwrap_or(OTHERS)
    }
}

/// Brings the places of arms into the order of these names; those that are not among them stay
/// behind the others, as they are.
pub(crate) fn by_name(order: &mut [usize], names: &[&str], ranked: &[String]) {
    let place = |arm: &usize| {
        let place = ranked.iter().position(|name| name == names[*arm]);
        place.unwrap_or(ranked.len())
    };
    order.sort_by_key(place);
}

/// Places of rows and their parts in a figure.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// Left end of the area of the marks.
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    /// The height of a row.
    pub(crate) row: f64,
    count: usize,
    names: f64,
}

impl Rows {
    /// Returns rows of at most this height; a column of this width stays free at the right, and
    /// this much above.
    pub(crate) fn new(scene: &Scene, names: &[&str], tallest: f64, column: f64, top: f64) -> Self {
        let row = match names.len() {
            0..=12 => tallest,
            13..=30 => tallest.min(22.0),
            _ => tallest.min(16.0),
        };
        let labels = text::widest(names, NORMAL)
            .min(scene.width * 0.38)
            .max(12.0);
        Self {
            left: labels + 14.0,
            // Half of a tick's label may stand beyond the end of the axis.
            right: scene.width - column - 18.0,
            top,
            row,
            count: names.len(),
            names: labels,
        }
    }

    /// Returns the middle of a row.
    pub(crate) fn centre(&self, index: usize) -> f64 {
        self.top + (index as f64 + 0.5) * self.row
    }

    /// Returns the place below the last row.
    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.count as f64 * self.row + 4.0
    }

    /// Returns the height of the whole figure.
    pub(crate) fn height(&self) -> f64 {
        self.bottom() + BELOW
    }

    /// Names an arm at its row.
    pub(crate) fn name(&self, scene: &mut Scene, index: usize, name: &str, stress: bool) {
        let at = (self.names, self.centre(index));
        let colour = if stress { INK } else { MUTED };
        let font = Font::new(NORMAL, colour).anchored(Anchor::End);
        scene.name(at, name, self.names, font);
    }

    /// Draws the axis of the marks with its grid, between the ends of the data, and returns it.
    pub(crate) fn axis(
        &self,
        scene: &mut Scene,
        title: &str,
        data: (f64, f64),
    ) -> Result<Scale, FigureError> {
        let ends = (self.left + 6.0, self.right);
        let scale = Scale::new(title, Spacing::Linear, data, ends)?;
        let axis = Axis::horizontal(Quantity::Number, scale);
        let bottom = self.bottom();
        axis.grid_up(scene, self.top, bottom);
        axis.draw(scene, Side::Below, bottom);
        scene.caption(title, (self.left, self.right), bottom);
        Ok(scale)
    }
}
