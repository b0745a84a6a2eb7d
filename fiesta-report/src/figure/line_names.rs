//! The names of lines, beside their panel.

use super::axis::NORMAL;
use super::canvas::{Canvas, Font, Point, Stroke};
use super::labels;
use super::lines::{Chart, Names, Panel};
use super::palette::{ARMS, INK, MUTED, OTHERS, dash};
use super::{axis::Axis, lines::Series};

/// The height of a line of labels.
pub(super) const LINE: f64 = 16.0;
/// The sample of a line before its name, or the way from the line to its name.
pub(super) const SWATCH: f64 = 20.0;

impl Chart<'_> {
    /// Names the coloured lines, and how many others there are.
    pub(super) fn line_names(
        &self,
        canvas: &mut Canvas,
        axes: &(Axis, Axis),
        panel: Panel,
        slots: &[Option<usize>],
        room: f64,
    ) {
        let mut named: Vec<usize> = (0..slots.len()).filter(|&i| slots[i].is_some()).collect();
        let grey: Vec<usize> = (0..slots.len()).filter(|&i| slots[i].is_none()).collect();
        let listed = |place: usize| panel.top + (place as f64 + 0.5) * LINE;
        let mut wanted: Vec<f64> = match self.names {
            Names::Ends => named
                .iter()
                .map(|&i| end(axes, &self.series[i]).1)
                .collect(),
            Names::List => {
                named.sort_by(|&a, &b| self.series[b].merit.total_cmp(&self.series[a].merit));
                (0..named.len()).map(listed).collect()
            }
        };
        if !grey.is_empty() {
            let sum: f64 = grey.iter().map(|&i| end(axes, &self.series[i]).1).sum();
            wanted.push(match self.names {
                Names::Ends => sum / grey.len() as f64,
                Names::List => listed(named.len()),
            });
        }
        let sizes = vec![LINE; wanted.len()];
        let low = panel.top - 8.0;
        let high = panel.bottom.max(low + LINE * wanted.len() as f64);
        let centres = labels::spread(&wanted, &sizes, low, high);
        let words = panel.right + SWATCH + 4.0;
        for (&i, &at) in named.iter().zip(&centres) {
            let slot = slots[i].unwrap_or(0);
            match self.names {
                Names::Ends => {
                    let from = end(axes, &self.series[i]);
                    leader(canvas, from, at, panel, Stroke::new(ARMS[slot], 1.25));
                }
                Names::List => {
                    let stroke = Stroke::new(ARMS[slot], 2.0).dashed(dash(slot, named.len()));
                    let left = words - SWATCH - 4.0 + 8.0;
                    canvas.line((left, at), (left + SWATCH, at), stroke);
                }
            }
            let x = self.words_at(words);
            canvas.name((x, at), &self.series[i].name, room, Font::new(NORMAL, INK));
        }
        if let (false, Some(&at)) = (grey.is_empty(), centres.get(named.len())) {
            let x = self.words_at(words);
            canvas.line((x - 14.0, at), (x - 5.0, at), Stroke::new(OTHERS, 1.5));
            let label = format!("{} others", grey.len());
            canvas.centred((x, at), &label, Font::new(NORMAL, MUTED));
        }
    }

    /// Names in a list stand behind a sample of their line.
    fn words_at(&self, words: f64) -> f64 {
        match self.names {
            Names::Ends => words,
            Names::List => words + 9.0,
        }
    }
}

/// Where a line ends.
fn end((x, y): &(Axis, Axis), series: &Series) -> Point {
    let (a, b) = series.points.last().copied().unwrap_or((0.0, 0.0));
    (x.scale.at(a), y.scale.clamped(b))
}

/// The way from the end of a line to its name; dotted before the panel ends.
fn leader(canvas: &mut Canvas, (x, y): Point, at: f64, panel: Panel, stroke: Stroke<'_>) {
    let mut from = x + 4.0;
    if from < panel.right - 4.0 {
        let dotted = Stroke {
            width: 0.75,
            ..stroke
        };
        canvas.line((from, y), (panel.right, y), dotted.dashed(&[1.0, 2.5]));
        from = panel.right;
    }
    let way = [
        (from, y),
        (panel.right + 7.0, y),
        (panel.right + SWATCH, at),
    ];
    canvas.path(&way, stroke);
}
