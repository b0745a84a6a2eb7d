//! Figures of lines with a panel for each.

use super::FigureError;
use super::axis::{ABOVE, BELOW, NORMAL, caption};
use super::canvas::{Canvas, Font};
use super::line_marks::{band, marks};
use super::lines::{Chart, Panel, Shown, frame};
use super::palette::{ARMS, INK, OTHERS};

/// More panels than these are no longer compared.
const MOST_PANELS: usize = 12;
/// No panel is narrower, unless the page is.
const NARROWEST: f64 = 150.0;
/// Between panels beside each other.
const GAP: f64 = 22.0;
/// Above a panel, for its name.
const HEAD: f64 = 20.0;
/// Between panels below each other, for the ticks of the upper and the name of the lower one.
const BETWEEN: f64 = 46.0;

impl Chart<'_> {
    /// A panel for each of the best lines, with all others in grey behind it.
    pub(super) fn panels(
        &self,
        width: f64,
        slots: &[Option<usize>],
    ) -> Result<(Canvas, (f64, f64), Shown), FigureError> {
        let order = self.panel_order();
        let margin = self.margin()?;
        let room = width - margin - 18.0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a few"
        )]
        let most = ((room + GAP) / NARROWEST).clamp(1.0, 4.0) as usize;
        // Rows that are full look better than as many columns as fit.
        let rows = order.len().div_ceil(most);
        let columns = order.len().div_ceil(rows);
        let size = (room - GAP * (columns - 1) as f64) / columns as f64;
        let tall = (size * 0.75).clamp(90.0, 180.0);
        let mut canvas = Canvas::default();
        self.y_caption(&mut canvas, width);
        let crowd = self.series.len() > ARMS.len();
        let mut bottom = 0.0;
        for (place, &i) in order.iter().enumerate() {
            let (row, column) = (place / columns, place % columns);
            let left = margin + column as f64 * (size + GAP);
            let top = ABOVE + HEAD + row as f64 * (tall + BETWEEN);
            bottom = top + tall;
            let panel = Panel {
                left,
                right: left + size,
                top,
                bottom,
            };
            let axes = self.axes(panel)?;
            frame(&mut canvas, panel, &axes, column == 0);
            for (other, series) in self.series.iter().enumerate() {
                if other != i {
                    self.line(&mut canvas, &axes, series, OTHERS, None);
                }
            }
            // Colours that only some of the panels had would seem to mean something.
            let slot = if crowd { 0 } else { slots[i].unwrap_or(0) };
            let colour = ARMS[slot];
            let series = &self.series[i];
            band(&mut canvas, &axes, series, colour, self.stairs);
            let mut taken = self.draw_references(&mut canvas, &axes, panel, place == 0);
            self.line(&mut canvas, &axes, series, colour, Some((0, &[])));
            marks(&mut canvas, &axes, series, colour, panel, &mut taken);
            let at = (left + 8.0, top - 10.0);
            canvas.name(at, &series.name, size - 8.0, Font::new(NORMAL, INK));
        }
        let across = (margin, margin + room);
        caption(&mut canvas, &self.x_title, across, bottom, width);
        let shown = Shown {
            panels: true,
            named: order.len(),
        };
        Ok((canvas, (width, bottom + BELOW), shown))
    }

    /// The lines that have a panel, the best first; in a crowd those that were asked for before others.
    fn panel_order(&self) -> Vec<usize> {
        let crowd = self.series.len() > MOST_PANELS;
        let wanted = |i: usize| crowd && self.highlight.contains(&self.series[i].name);
        let merit = |i: usize| self.series[i].merit;
        let mut order: Vec<usize> = (0..self.series.len()).collect();
        order.sort_by(|&a, &b| {
            wanted(b)
                .cmp(&wanted(a))
                .then(merit(b).total_cmp(&merit(a)))
                .then(a.cmp(&b))
        });
        order.truncate(MOST_PANELS);
        order
    }
}
