//! What stands on and around a line: bands, open where they have no limit, and places to be found on the axis.

use super::axis::{Axis, SMALL};
use super::canvas::{Canvas, Font, Point, Stroke};
use super::labels::{self, Taken};
use super::lines::{Panel, Series};
use super::palette::{Colour, INK};
use super::text;
use super::thin::thinned;

/// The limits of a band at one place: where they stand, and what they are.
#[derive(Debug, Clone, Copy)]
struct Limits {
    x: f64,
    /// Lower and upper, in pixels, within the frame.
    at: [f64; 2],
    /// Whether they are infinite.
    open: [bool; 2],
    /// Whether they stand where they are and not at the frame.
    inside: [bool; 2],
}

/// Points of a line that holds each value until the next point.
pub(super) fn stairs(points: &[Point]) -> Vec<Point> {
    let mut stairs = Vec::with_capacity(points.len() * 2);
    for (i, &(x, y)) in points.iter().enumerate() {
        if i > 0 {
            stairs.push((x, points[i - 1].1));
        }
        stairs.push((x, y));
    }
    stairs
}

/// Shades a band; where it is closed within the frame it has an edge, where it is open it is lighter and has arrows.
pub(super) fn band(
    canvas: &mut Canvas,
    axes: &(Axis, Axis),
    series: &Series,
    colour: Colour,
    steps: bool,
) {
    let limits = limits(axes, series, steps);
    let mut start = 0;
    for run in limits.chunk_by(|a, b| a.open == b.open) {
        // Up to where the next run begins, so that no gap is between.
        let end = (start + run.len() + 1).min(limits.len());
        let run = &limits[start..end];
        start = end.saturating_sub(1).max(start + 1);
        let side = |i: usize| -> Vec<Point> {
            let places: Vec<Point> = run.iter().map(|l| (l.x, l.at[i])).collect();
            thinned(&places, 0.3)
        };
        let mut outline = side(1);
        outline.extend(side(0).into_iter().rev());
        let open = run[0].open[0] || run[0].open[1];
        canvas.polygon(&outline, colour, if open { 0.08 } else { 0.16 });
    }
    for i in [0, 1] {
        for run in limits.chunk_by(|a, b| a.inside[i] == b.inside[i]) {
            let places: Vec<Point> = run.iter().map(|l| (l.x, l.at[i])).collect();
            if run[0].inside[i] && places.len() > 1 {
                canvas.path(&thinned(&places, 0.3), Stroke::new(colour, 0.6));
            }
        }
        for run in limits.chunk_by(|a, b| a.open[i] == b.open[i]) {
            if run[0].open[i] {
                let ends = (run[0].x, run[run.len() - 1].x);
                arrows(canvas, ends, run[0].at[i], i == 1, colour);
            }
        }
    }
}

fn limits((x, y): &(Axis, Axis), series: &Series, steps: bool) -> Vec<Limits> {
    let mut found: Vec<Limits> = Vec::with_capacity(series.band.len() * 2);
    for &(place, lower, upper) in &series.band {
        let both = [lower, upper];
        let next = Limits {
            x: x.scale.clamped(place),
            at: both.map(|limit| y.scale.clamped(limit)),
            open: both.map(f64::is_infinite),
            inside: both.map(|limit| y.scale.contains(limit)),
        };
        if let (true, Some(last)) = (steps, found.last().copied()) {
            found.push(Limits { x: next.x, ..last });
        }
        found.push(next);
    }
    found
}

/// Small arrow heads along the frame, about 60 pixels apart.
fn arrows(canvas: &mut Canvas, (from, to): (f64, f64), y: f64, up: bool, colour: Colour) {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few"
    )]
    let count = ((to - from) / 60.0).clamp(1.0, 20.0) as u32;
    let back = if up { 4.0 } else { -4.0 };
    for i in 0..count {
        let x = from + (to - from) * (f64::from(i) + 0.5) / f64::from(count);
        let arrow = [(x - 3.5, y + back), (x, y), (x + 3.5, y + back)];
        canvas.path(&arrow, Stroke::new(colour, 1.25));
    }
}

/// Rings on the line, and a dotted way down to the axis; their labels keep off what is taken.
pub(super) fn marks(
    canvas: &mut Canvas,
    (x, y): &(Axis, Axis),
    series: &Series,
    colour: Colour,
    panel: Panel,
    taken: &mut Taken,
) {
    for ((at, value), label) in &series.marks {
        let place = (x.scale.clamped(*at), y.scale.clamped(*value));
        let dotted = Stroke::new(colour, 1.0).dashed(&[1.0, 2.0]);
        canvas.line(place, (place.0, panel.bottom), dotted);
        canvas.ring(place, 3.5, Stroke::new(colour, 1.5));
        let width = text::width(label, SMALL);
        // Below and beside the ring, then above, then further down.
        let rows = [15.0, -8.0, 29.0, 43.0, 57.0, 71.0, -22.0, -36.0];
        let places: Vec<Point> = rows
            .iter()
            .flat_map(|down| [(6.0, *down), (-6.0 - width, *down)])
            .map(|(right, down)| (place.0 + right, place.1 + down))
            .collect();
        let boxes: Vec<labels::Box> = places
            .iter()
            .map(|(left, base)| (*left, base - 10.0, left + width, base + 4.0))
            .collect();
        let within = (panel.left, panel.top - 14.0, panel.right, panel.bottom);
        let chosen = places[taken.first_free(&boxes, within)];
        canvas.text(chosen, label, Font::new(SMALL, INK).halo());
    }
}
