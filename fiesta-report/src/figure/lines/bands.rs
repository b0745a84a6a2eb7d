//! Bands around lines, open where they have no limit, and places on lines to be found on the axis.

use super::super::labels::{self, Taken};
use super::super::palette::{Colour, INK};
use super::super::scene::{Font, Point, Scene, Stroke};
use super::super::{axis::SMALL, text, thin::thinned};
use super::{Frame, Style};

/// Limits of a band at one place: at which pixels they stand, and whether they are infinite.
#[derive(Debug, Clone, Copy)]
struct Limits {
    x: f64,
    /// Lower and upper limit, in pixels, within the frame.
    at: [f64; 2],
    /// Whether the lower and the upper limit are infinite.
    open: [bool; 2],
    /// Whether the lower and the upper limit lie within the frame, and are not cut off at it.
    inside: [bool; 2],
}

/// Returns the points of a line that holds each value until the next point.
pub(super) fn stairs(points: &[Point]) -> Vec<Point> {
    let mut stairs: Vec<Point> = Vec::with_capacity(points.len() * 2);
    for &(x, y) in points {
        if let Some(&(_, before)) = stairs.last() {
            stairs.push((x, before));
        }
        stairs.push((x, y));
    }
    stairs
}

/// Shades a band of (x, lower, upper); where it is closed within the frame it has an edge, where it
/// is open it is lighter and has arrows.
pub(super) fn band(
    scene: &mut Scene,
    frame: &Frame,
    band: &[(f64, f64, f64)],
    edged: Stroke<'_>,
    style: Style,
) {
    let colour = edged.colour;
    let mut limits: Vec<Limits> = Vec::with_capacity(band.len() * 2);
    for &(place, lower, upper) in band {
        let (y, both) = (&frame.y.scale, [lower, upper]);
        let next = Limits {
            x: frame.x.scale.clamped(place),
            at: both.map(|limit| y.clamped(limit)),
            open: both.map(f64::is_infinite),
            inside: both.map(|limit| y.contains(limit)),
        };
        if let (Style::Stairs, Some(last)) = (style, limits.last().copied()) {
            limits.push(Limits { x: next.x, ..last });
        }
        limits.push(next);
    }
    let edge = |run: &[Limits], side: usize| -> Vec<Point> {
        let places: Vec<Point> = run
            .iter()
            .map(|limits| (limits.x, limits.at[side]))
            .collect();
        thinned(&places, 0.3)
    };
    let mut start = 0;
    for run in limits.chunk_by(|a, b| a.open == b.open) {
        // Up to where the next run begins, so that no gap is between.
        let end = start + run.len();
        let run = &limits[start..(end + 1).min(limits.len())];
        start = end;
        let mut outline = edge(run, 1);
        outline.extend(edge(run, 0).into_iter().rev());
        let open = run[0].open.contains(&true);
        scene.polygon(&outline, colour, if open { 0.08 } else { 0.16 });
    }
    for side in [0, 1] {
        for run in limits.chunk_by(|a, b| a.inside[side] == b.inside[side]) {
            if run[0].inside[side] && run.len() > 1 {
                scene.path(&edge(run, side), edged);
            }
        }
        for run in limits.chunk_by(|a, b| a.open[side] == b.open[side]) {
            if run[0].open[side] {
                let ends = (run[0].x, run[run.len() - 1].x);
                let back = if side == 1 { 4.0 } else { -4.0 };
                arrows(scene, ends, run[0].at[side], back, colour);
            }
        }
    }
}

/// Draws small arrow heads along the frame, about 60 pixels apart, whose ends point `back` down.
fn arrows(scene: &mut Scene, (from, to): (f64, f64), y: f64, back: f64, colour: Colour) {
    let count = fiesta_core::whole(((to - from) / 60.0).clamp(1.0, 20.0));
    for i in 0..count {
        let x = from + (to - from) * (i as f64 + 0.5) / count as f64;
        let arrow = [(x - 3.5, y + back), (x, y), (x + 3.5, y + back)];
        scene.path(&arrow, Stroke::new(colour, 1.25));
    }
}

/// Draws rings on the line and dotted lines from them down to the axis; their labels keep off what is taken.
pub(super) fn marks(
    scene: &mut Scene,
    frame: &Frame,
    marks: &[(Point, String)],
    colour: Colour,
    taken: &mut Taken,
) {
    let panel = frame.panel;
    for (point, label) in marks {
        let place = frame.place(*point);
        let dotted = Stroke::new(colour, 1.0).dashed(&[1.0, 2.0]);
        scene.line(place, (place.0, panel.bottom), dotted);
        scene.ring(place, 3.5, Stroke::new(colour, 1.5));
        let label = text::shorten(label, SMALL, panel.right - panel.left);
        let width = text::width(&label, SMALL);
        // Below and beside the ring, then above, then further down.
        let rows = [15.0, -8.0, 29.0, 43.0, 57.0, 71.0, -22.0, -36.0, 85.0, 99.0];
        let places = rows.map(|down| [(6.0, down), (-6.0 - width, down)]);
        let places = places.as_flattened().iter();
        let boxes: Vec<labels::Box> = places
            .map(|(right, down)| (place.0 + right, place.1 + down))
            .map(|(left, base)| (left, base - 10.0, left + width, base + 4.0))
            .collect();
        let within = (panel.left, panel.top - 14.0, panel.right, panel.bottom);
        let (left, _, _, bottom) = taken.choose(&boxes, within);
        scene.text((left, bottom - 4.0), &label, Font::new(SMALL, INK).halo());
    }
}
