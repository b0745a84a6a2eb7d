//! The names of lines, beside their panel.

use super::super::axis::NORMAL;
use super::super::labels;
use super::super::palette::{ARMS, INK, MUTED, OTHERS, dash};
use super::super::scene::{Font, Point, Scene, Stroke};
use super::{Chart, Coloured, Frame, Style};

/// Height of a line of labels, in pixels.
pub(super) const LINE: f64 = 16.0;
/// Length of the sample of a line before its name, and of the way from the line to its name, in pixels.
pub(super) const SWATCH: f64 = 20.0;

impl Chart<'_> {
    /// Names the coloured lines, and says how many others there are: where the lines end, or in a
    /// list with samples of them.
    pub(super) fn names(&self, scene: &mut Scene, frame: &Frame, coloured: &[Coloured], room: f64) {
        let end = |i: usize| -> Point {
            let last = self.series[i].points.last().copied();
            frame.place(last.unwrap_or((0.0, 0.0)))
        };
        let panel = frame.panel;
        let list = self.style == Style::Stairs;
        let mut named = coloured.to_vec();
        if list {
            let merit = |(i, _): &Coloured| self.series[*i].merit;
            named.sort_by(|a, b| merit(b).total_cmp(&merit(a)));
        }
        let mut ends: Vec<f64> = named.iter().map(|&(i, _)| end(i).1).collect();
        let all = 0..self.series.len();
        let grey: Vec<f64> = all
            .filter(|&i| named.iter().all(|own| own.0 != i))
            .map(|i| end(i).1)
            .collect();
        if !grey.is_empty() {
            ends.push(grey.iter().sum::<f64>() / grey.len() as f64);
        }
        if list {
            let row = |place: usize| panel.top + (place as f64 + 0.5) * LINE;
            ends = (0..ends.len()).map(row).collect();
        }
        let low = panel.top - 8.0;
        let high = panel.bottom.max(low + LINE * ends.len() as f64);
        let centres = labels::spread(&ends, LINE, low, high);
        let words = panel.right + SWATCH + if list { 13.0 } else { 4.0 };
        for (&(i, slot), &at) in named.iter().zip(&centres) {
            if list {
                let stroke =
                    Stroke::new(ARMS[slot], 2.0).dashed(dash(slot, named.len(), self.is_banded()));
                let left = panel.right + 8.0;
                scene.line((left, at), (left + SWATCH, at), stroke);
            } else {
                leader(
                    scene,
                    end(i),
                    at,
                    panel.right,
                    Stroke::new(ARMS[slot], 1.25),
                );
            }
            scene.name(
                (words, at),
                &self.series[i].name,
                room,
                Font::new(NORMAL, INK),
            );
        }
        if let (false, Some(&at)) = (grey.is_empty(), centres.last()) {
            let stroke = Stroke::new(OTHERS, 1.5);
            scene.line((words - 14.0, at), (words - 5.0, at), stroke);
            let label = format!("{} others", grey.len());
            scene.centred((words, at), &label, Font::new(NORMAL, MUTED));
        }
    }
}

/// Draws the way from the end of a line to its name; dotted before the panel ends.
fn leader(scene: &mut Scene, (x, y): Point, at: f64, right: f64, stroke: Stroke<'_>) {
    let mut from = x + 4.0;
    if from < right - 4.0 {
        let dotted = Stroke::new(stroke.colour, 0.75).dashed(&[1.0, 2.5]);
        scene.line((from, y), (right, y), dotted);
        from = right;
    }
    scene.path(&[(from, y), (right + 7.0, y), (right + SWATCH, at)], stroke);
}
