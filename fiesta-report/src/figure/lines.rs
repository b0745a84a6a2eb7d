//! Figures of lines: one panel with its lines named at their ends, or a panel for each.

use super::axis::{ABOVE, Axis, BELOW, NORMAL, SMALL};
use super::canvas::{Anchor, Canvas, Font, Point, Stroke};
use super::palette::{self, ARMS, Colour, DASHES, INK, MUTED, OTHERS};
use super::scale::{Scale, extent};
use super::thin::thinned;
use super::ticks::Quantity;
use super::{FigureError, Spacing, check, labels, text};

/// A line with what belongs to it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Series {
    pub(crate) name: String,
    /// The best lines keep their colours in a crowd.
    pub(crate) merit: f64,
    pub(crate) points: Vec<Point>,
    /// (x, lower, upper); infinite where open.
    pub(crate) band: Vec<(f64, f64, f64)>,
    /// (x, lower, upper): an interval at a point.
    pub(crate) bars: Vec<(f64, f64, f64)>,
    /// Places on the line to be found on the axis, with their labels.
    pub(crate) marks: Vec<(Point, String)>,
}

/// How lines are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// At their ends.
    Ends,
    /// In a list, for lines that end in one place.
    List,
}

/// A figure of lines.
#[derive(Debug, Clone)]
pub(crate) struct Chart<'a> {
    pub(crate) figure: &'static str,
    pub(crate) x_title: String,
    pub(crate) x_quantity: Quantity,
    pub(crate) x_spacing: Spacing,
    pub(crate) y_title: String,
    pub(crate) y_quantity: Quantity,
    pub(crate) series: Vec<Series>,
    /// Whether lines are stairs: a value holds until the next point.
    pub(crate) stairs: bool,
    /// Whether the points themselves are marked.
    pub(crate) markers: bool,
    pub(crate) references: &'a [(String, f64)],
    pub(crate) highlight: &'a [String],
    pub(crate) names: Names,
}

/// What of a chart could be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Whether each line has a panel of its own.
    pub(crate) panels: bool,
    /// Lines with a colour or a panel of their own.
    pub(crate) named: usize,
}

/// A panel on the page.
#[derive(Debug, Clone, Copy)]
struct Panel {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// More bands than these on top of each other are unreadable.
const MOST_BANDS: usize = 3;
/// More panels than these are no longer compared.
const MOST_PANELS: usize = 12;
/// The height of a line of labels.
const LINE: f64 = 16.0;
/// The sample of a line before its name.
const SWATCH: f64 = 18.0;

impl Chart<'_> {
    /// Draws it, and says how large it became and what it shows.
    pub(crate) fn draw(&self, width: f64) -> Result<(Canvas, (f64, f64), Shown), FigureError> {
        check::some(self.figure, "line with a point", &self.series)?;
        for series in &self.series {
            check::some(self.figure, "point to every line", &series.points)?;
        }
        let names: Vec<&str> = self
            .series
            .iter()
            .map(|series| series.name.as_str())
            .collect();
        let merit: Vec<f64> = self.series.iter().map(|series| series.merit).collect();
        let slots = palette::slots(&names, &merit, self.highlight);
        let bands = self
            .series
            .iter()
            .filter(|series| !series.band.is_empty())
            .count();
        if bands > MOST_BANDS {
            self.panels(width, &slots)
        } else {
            self.single(width, &slots)
        }
    }

    fn x_data(&self) -> (f64, f64) {
        let points = self.series.iter().flat_map(|series| &series.points);
        extent(points.map(|point| point.0)).unwrap_or((0.0, 1.0))
    }

    /// What lines and references reach, and as much of the bands as leaves the lines readable.
    fn y_data(&self) -> (f64, f64) {
        let marks = self.series.iter().flat_map(|series| {
            let bars = series
                .bars
                .iter()
                .flat_map(|(_, lower, upper)| [*lower, *upper]);
            series.points.iter().map(|point| point.1).chain(bars)
        });
        let references = self.references.iter().map(|reference| reference.1);
        let lines = extent(marks.chain(references)).unwrap_or((0.0, 1.0));
        let edges = self
            .series
            .iter()
            .flat_map(|series| &series.band)
            .flat_map(|(_, lower, upper)| [*lower, *upper])
            .filter(|edge| edge.is_finite());
        let Some(bands) = extent(edges) else {
            return lines;
        };
        let room = if lines.1 > lines.0 {
            (lines.1 - lines.0) * 0.6
        } else {
            bands.1 - bands.0
        };
        (
            lines.0.min(bands.0.max(lines.0 - room)),
            lines.1.max(bands.1.min(lines.1 + room)),
        )
    }

    /// The two axes of a panel.
    fn axes(&self, panel: Panel) -> Result<(Axis, Axis), FigureError> {
        let (x_data, y_data) = (self.x_data(), self.y_data());
        let x_ends = (panel.left + 8.0, panel.right);
        let y_ends = (panel.bottom - 6.0, panel.top + 4.0);
        let x = Scale::new(&self.x_title, self.x_spacing, x_data, x_ends)?;
        let y = Scale::new(&self.y_title, Spacing::Linear, y_data, y_ends)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a few"
        )]
        let wanted = ((panel.bottom - panel.top) / 46.0).clamp(2.0, 8.0) as usize;
        Ok((
            Axis::horizontal(self.x_quantity, x, x_data),
            Axis::new(self.y_quantity, y, y_data, wanted),
        ))
    }

    /// What the labels of the vertical axis take.
    fn margin(&self) -> Result<f64, FigureError> {
        let panel = Panel {
            left: 0.0,
            right: 300.0,
            top: 0.0,
            bottom: 250.0,
        };
        Ok((self.axes(panel)?.1.label_width() + 12.0).max(24.0))
    }

    fn single(
        &self,
        width: f64,
        slots: &[Option<usize>],
    ) -> Result<(Canvas, (f64, f64), Shown), FigureError> {
        let named: Vec<usize> = (0..slots.len()).filter(|&i| slots[i].is_some()).collect();
        let others = slots.len() - named.len();
        let rest = format!("{others} others");
        let alone = slots.len() == 1 && self.series[0].name.is_empty();
        let widest = named
            .iter()
            .map(|&i| self.label_width(i))
            .chain((others > 0).then(|| text::width(&rest, NORMAL)))
            .fold(0.0, f64::max);
        let room = if alone { 0.0 } else { widest.min(width * 0.26) };
        let column = if alone { 8.0 } else { room + SWATCH + 26.0 };
        let lines = named.len() + usize::from(others > 0);
        let height = (width * 0.46).clamp(230.0, 340.0).max(lines as f64 * LINE);
        let panel = Panel {
            left: self.margin()?,
            right: width - column,
            top: ABOVE,
            bottom: ABOVE + height,
        };
        let mut canvas = Canvas::default();
        let (x, y) = self.axes(panel)?;
        self.frame(&mut canvas, panel, &x, &y, true, true);
        self.y_caption(&mut canvas, width);
        for (i, series) in self.series.iter().enumerate() {
            if slots[i].is_none() {
                self.line(&mut canvas, (&x, &y), series, OTHERS, None, panel);
            }
        }
        for &i in &named {
            let colour = ARMS[slots[i].unwrap_or(0)];
            band(&mut canvas, (&x, &y), &self.series[i], colour, self.stairs);
        }
        self.draw_references(&mut canvas, (&x, &y), panel);
        for &i in named.iter().rev() {
            let slot = slots[i];
            let colour = ARMS[slot.unwrap_or(0)];
            self.line(&mut canvas, (&x, &y), &self.series[i], colour, slot, panel);
        }
        for &i in named.iter().rev() {
            let colour = ARMS[slots[i].unwrap_or(0)];
            marks(&mut canvas, (&x, &y), &self.series[i], colour, panel);
        }
        if !alone {
            self.labels(&mut canvas, (&x, &y), panel, slots, room);
        }
        let shown = Shown {
            panels: false,
            named: named.len(),
        };
        Ok((canvas, (width, panel.bottom + BELOW), shown))
    }

    fn label_width(&self, i: usize) -> f64 {
        let name: String = self.series[i].name.chars().take(200).collect();
        text::width(&text::clean(&name), NORMAL)
    }

    /// A panel for each of the best lines, with all others in grey behind it.
    fn panels(
        &self,
        width: f64,
        slots: &[Option<usize>],
    ) -> Result<(Canvas, (f64, f64), Shown), FigureError> {
        let mut order: Vec<usize> = (0..self.series.len()).collect();
        order.sort_by(|&a, &b| {
            let wanted = |i: usize| self.highlight.contains(&self.series[i].name);
            let merit = |i: usize| self.series[i].merit;
            let in_crowd = self.series.len() > MOST_PANELS;
            (in_crowd && wanted(b))
                .cmp(&(in_crowd && wanted(a)))
                .then(merit(b).total_cmp(&merit(a)))
                .then(a.cmp(&b))
        });
        order.truncate(MOST_PANELS);
        let margin = self.margin()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a few"
        )]
        let most = ((width - margin) / 150.0).clamp(1.0, 4.0) as usize;
        // Rows that are full look better than as many columns as fit.
        let rows = order.len().div_ceil(most);
        let columns = order.len().div_ceil(rows);
        let gap = 18.0;
        let size = (width - margin - 10.0 - gap * (columns - 1) as f64) / columns as f64;
        let tall = (size * 0.75).clamp(90.0, 180.0);
        let mut canvas = Canvas::default();
        self.y_caption(&mut canvas, width);
        for (place, &i) in order.iter().enumerate() {
            let (row, column) = (place / columns, place % columns);
            let left = margin + column as f64 * (size + gap);
            let top = ABOVE + 20.0 + row as f64 * (tall + 46.0);
            let panel = Panel {
                left,
                right: left + size,
                top,
                bottom: top + tall,
            };
            let (x, y) = self.axes(panel)?;
            let last = place + columns >= order.len();
            self.frame(
                &mut canvas,
                panel,
                &x,
                &y,
                column == 0,
                last && row + 1 == rows && columns == 1,
            );
            for (other, series) in self.series.iter().enumerate() {
                if other != i {
                    self.line(&mut canvas, (&x, &y), series, OTHERS, None, panel);
                }
            }
            let colour = ARMS[slots[i].unwrap_or(0)];
            let series = &self.series[i];
            band(&mut canvas, (&x, &y), series, colour, self.stairs);
            self.draw_references(&mut canvas, (&x, &y), panel);
            self.line(&mut canvas, (&x, &y), series, colour, Some(0), panel);
            marks(&mut canvas, (&x, &y), series, colour, panel);
            let font = Font::new(NORMAL, INK);
            canvas.name((left + 8.0, top - 10.0), &series.name, size - 8.0, font);
        }
        let bottom = ABOVE + 20.0 + rows as f64 * (tall + 46.0) - 46.0;
        if columns > 1 {
            let font = Font::new(NORMAL, MUTED).anchored(Anchor::Middle);
            let middle = margin + (width - 10.0 - margin) / 2.0;
            let title = text::shorten(&self.x_title, NORMAL, width - margin);
            canvas.text((middle, bottom + 35.0), &title, font);
        }
        let shown = Shown {
            panels: true,
            named: order.len(),
        };
        Ok((canvas, (width, bottom + BELOW), shown))
    }

    fn y_caption(&self, canvas: &mut Canvas, width: f64) {
        let title = text::shorten(&self.y_title, NORMAL, width);
        canvas.text((0.0, 12.0), &title, Font::new(NORMAL, MUTED));
    }

    fn frame(
        &self,
        canvas: &mut Canvas,
        panel: Panel,
        x: &Axis,
        y: &Axis,
        left: bool,
        title: bool,
    ) {
        if left {
            y.draw_left(canvas, panel.left, panel.right);
        } else {
            y.grid_across(canvas, panel.left, panel.right);
        }
        let title = if title { self.x_title.as_str() } else { "" };
        x.draw_below(canvas, panel.bottom, title, (panel.left, panel.right));
    }

    fn line(
        &self,
        canvas: &mut Canvas,
        (x, y): (&Axis, &Axis),
        series: &Series,
        colour: Colour,
        slot: Option<usize>,
        panel: Panel,
    ) {
        let places: Vec<Point> = series
            .points
            .iter()
            .map(|(a, b)| (x.scale.at(*a), y.scale.clamped(*b)))
            .collect();
        let places = if self.stairs { stairs(&places) } else { places };
        let places = thinned(&places, 0.25);
        let (weight, dash) = match slot {
            Some(slot) => (1.75, DASHES[slot]),
            None => (0.9, DASHES[0]),
        };
        let _ = panel;
        for (at, lower, upper) in &series.bars {
            let at = x.scale.at(*at);
            let ends = (y.scale.clamped(*lower), y.scale.clamped(*upper));
            canvas.line((at, ends.0), (at, ends.1), Stroke::new(colour, 1.0));
        }
        if places.len() > 1 {
            let dash = if self.markers { DASHES[0] } else { dash };
            canvas.path(&places, Stroke::new(colour, weight).dashed(dash));
        }
        if self.markers && slot.is_some() {
            for (a, b) in &series.points {
                let at = (x.scale.at(*a), y.scale.at(*b));
                canvas.marker(slot.unwrap_or(0), at, 3.0, colour);
            }
        } else if places.len() == 1 {
            canvas.bead(places[0], 3.0, colour);
        }
    }

    fn draw_references(&self, canvas: &mut Canvas, (x, y): (&Axis, &Axis), panel: Panel) {
        let _ = x;
        let wanted: Vec<f64> = self
            .references
            .iter()
            .map(|(_, value)| y.scale.at(*value) - 8.0)
            .collect();
        let sizes = vec![14.0; wanted.len()];
        let centres = labels::spread(&wanted, &sizes, panel.top - 12.0, panel.bottom);
        for ((name, value), centre) in self.references.iter().zip(centres) {
            let at = y.scale.at(*value);
            let stroke = Stroke::new(MUTED, 1.0).dashed(&[4.0, 3.0]);
            canvas.line((panel.left + 2.0, at), (panel.right, at), stroke);
            let font = Font::new(SMALL, MUTED).halo();
            let room = panel.right - panel.left - 10.0;
            canvas.name((panel.left + 10.0, centre), name, room, font);
        }
    }

    fn labels(
        &self,
        canvas: &mut Canvas,
        (x, y): (&Axis, &Axis),
        panel: Panel,
        slots: &[Option<usize>],
        room: f64,
    ) {
        let end = |series: &Series| -> Point {
            let (a, b) = series.points.last().copied().unwrap_or((0.0, 0.0));
            (x.scale.at(a), y.scale.clamped(b))
        };
        let mut named: Vec<usize> = (0..slots.len()).filter(|&i| slots[i].is_some()).collect();
        let grey: Vec<usize> = (0..slots.len()).filter(|&i| slots[i].is_none()).collect();
        let mut wanted: Vec<f64> = match self.names {
            Names::Ends => named.iter().map(|&i| end(&self.series[i]).1).collect(),
            Names::List => {
                named.sort_by(|&a, &b| self.series[b].merit.total_cmp(&self.series[a].merit));
                (0..named.len())
                    .map(|i| panel.top + (i as f64 + 0.5) * LINE)
                    .collect()
            }
        };
        if !grey.is_empty() {
            let middle = match self.names {
                Names::Ends => {
                    let sum: f64 = grey.iter().map(|&i| end(&self.series[i]).1).sum();
                    sum / grey.len() as f64
                }
                Names::List => panel.top + (named.len() as f64 + 0.5) * LINE,
            };
            wanted.push(middle);
        }
        let sizes = vec![LINE; wanted.len()];
        let low = panel.top - 8.0;
        let high = panel.bottom.max(low + LINE * wanted.len() as f64);
        let centres = labels::spread(&wanted, &sizes, low, high);
        let left = panel.right + 18.0;
        for (&i, &at) in named.iter().zip(&centres) {
            let slot = slots[i].unwrap_or(0);
            let colour = ARMS[slot];
            if self.names == Names::Ends {
                let (from_x, from_y) = end(&self.series[i]);
                let leader = Stroke::new(colour, 0.6);
                canvas.path(
                    &[
                        (from_x + 4.0, from_y),
                        (panel.right + 4.0, from_y),
                        (left - 2.0, at),
                    ],
                    leader,
                );
            }
            let dash = if self.markers {
                DASHES[0]
            } else {
                DASHES[slot]
            };
            let stroke = Stroke::new(colour, 2.0).dashed(dash);
            canvas.line((left, at), (left + SWATCH, at), stroke);
            if self.markers {
                canvas.marker(slot, (left + SWATCH / 2.0, at), 3.0, colour);
            }
            let font = Font::new(NORMAL, INK);
            canvas.name((left + SWATCH + 5.0, at), &self.series[i].name, room, font);
        }
        if let (false, Some(&at)) = (grey.is_empty(), centres.get(named.len())) {
            canvas.line((left, at), (left + SWATCH, at), Stroke::new(OTHERS, 1.5));
            let font = Font::new(NORMAL, MUTED);
            canvas.centred(
                (left + SWATCH + 5.0, at),
                &format!("{} others", grey.len()),
                font,
            );
        }
    }
}

/// With a corner before every rise.
fn stairs(points: &[Point]) -> Vec<Point> {
    let mut stairs = Vec::with_capacity(points.len() * 2);
    for (i, &(x, y)) in points.iter().enumerate() {
        if i > 0 {
            stairs.push((x, points[i - 1].1));
        }
        stairs.push((x, y));
    }
    stairs
}

/// Shades a band; where it is closed within the frame it has an edge, where it is open an arrow.
fn band(canvas: &mut Canvas, (x, y): (&Axis, &Axis), series: &Series, colour: Colour, steps: bool) {
    if series.band.is_empty() {
        return;
    }
    let edge = |value: fn(&(f64, f64, f64)) -> f64| -> Vec<(Point, f64)> {
        let places: Vec<Point> = series
            .band
            .iter()
            .map(|row| (x.scale.clamped(row.0), y.scale.clamped(value(row))))
            .collect();
        let values: Vec<f64> = series.band.iter().map(value).collect();
        if steps {
            let values = values.iter().enumerate().flat_map(|(i, v)| {
                let before = (i > 0).then(|| values[i - 1]);
                before.into_iter().chain([*v])
            });
            stairs(&places).into_iter().zip(values).collect()
        } else {
            places.into_iter().zip(values).collect()
        }
    };
    let (lower, upper) = (edge(|row| row.1), edge(|row| row.2));
    let points = |edge: &[(Point, f64)]| -> Vec<Point> {
        thinned(
            &edge.iter().map(|(place, _)| *place).collect::<Vec<_>>(),
            0.3,
        )
    };
    let mut outline = points(&upper);
    outline.extend(points(&lower).into_iter().rev());
    canvas.polygon(&outline, colour, 0.16);
    for (edge, up) in [(&lower, false), (&upper, true)] {
        let inside = |(_, value): &(Point, f64)| y.scale.contains(*value);
        for run in edge.chunk_by(|a, b| inside(a) == inside(b)) {
            if inside(&run[0]) {
                let places = points(run);
                if places.len() > 1 {
                    canvas.path(&places, Stroke::new(colour, 0.6));
                }
            }
        }
        for run in edge.chunk_by(|a, b| a.1.is_infinite() == b.1.is_infinite()) {
            if run[0].1.is_infinite() {
                let (from, to) = (run[0].0, run[run.len() - 1].0);
                let tip = (f64::midpoint(from.0, to.0), from.1);
                let back = if up { 5.0 } else { -5.0 };
                let arrow = [
                    (tip.0 - 4.0, tip.1 + back),
                    tip,
                    (tip.0 + 4.0, tip.1 + back),
                ];
                canvas.path(&arrow, Stroke::new(colour, 1.25));
            }
        }
    }
}

/// Rings on the line, and a dotted way down to the axis.
fn marks(
    canvas: &mut Canvas,
    (x, y): (&Axis, &Axis),
    series: &Series,
    colour: Colour,
    panel: Panel,
) {
    for ((at, value), label) in &series.marks {
        let place = (x.scale.at(*at), y.scale.at(*value));
        let dotted = Stroke::new(colour, 1.0).dashed(&[1.0, 2.0]);
        canvas.line(place, (place.0, panel.bottom), dotted);
        canvas.ring(place, 3.5, Stroke::new(colour, 1.5));
        let wide = text::width(label, SMALL);
        let font = Font::new(SMALL, INK).halo();
        if place.0 + 6.0 + wide > panel.right {
            canvas.text(
                (place.0 - 6.0, place.1 + 15.0),
                label,
                font.anchored(Anchor::End),
            );
        } else {
            canvas.text((place.0 + 6.0, place.1 + 15.0), label, font);
        }
    }
}

impl Shown {
    /// What a caption says of lines that are not named, with a space before; empty if all are.
    pub(crate) fn sentence(self, all: usize) -> String {
        let others = all - self.named;
        match (self.panels, others) {
            (false, 0) => String::new(),
            (false, _) => format!(
                " The best {} are in colour, {others} others grey.",
                self.named
            ),
            (true, 0) => " Each has a panel, the others are grey behind it.".to_owned(),
            (true, _) => format!(
                " The best {} have a panel each, all others are grey behind it.",
                self.named
            ),
        }
    }
}
