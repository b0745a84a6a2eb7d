//! Figures of lines: one panel with its lines named beside it, or a panel for each line with a
//! band.

mod bands;
mod names;

use super::axis::{ABOVE, Axis, BELOW, NORMAL, SMALL, Side, Spacing, extent};
use super::labels::{self, Taken};
use super::palette::{self, ARMS, INK, MUTED, OTHERS};
use super::picture::Words;
use super::scene::{Font, Point, Scene, Stroke};
use super::thin::thinned;
use super::ticks::Quantity;
use super::{Figure, FigureError, axis::Scale, text};
use names::{LINE, SWATCH};

/// Line of a chart, with its name, points, band, bars and marks.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Series {
    pub(super) name: String,
    /// Merit of the line: the best lines keep their colours in a crowd.
    pub(super) merit: f64,
    pub(super) points: Vec<Point>,
    /// Band as triples (x, lower, upper); infinite where open.
    pub(super) band: Vec<(f64, f64, f64)>,
    /// Intervals at points, as triples (x, lower, upper).
    pub(super) bars: Vec<(f64, f64, f64)>,
    /// Marks of the line: places on the line to be found on the axis, with their labels.
    pub(super) marks: Vec<(Point, String)>,
}

/// Style of the way from point to point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Lines are straight, and named where they end.
    Lines,
    /// Lines are straight, with their points marked.
    Markers,
    /// Stairs, each value holding until the next point; named in a list, as they all end in one
    /// place.
    Stairs,
}

/// A figure of lines.
#[derive(Debug, Clone)]
pub(super) struct Chart<'a> {
    pub(super) style: Style,
    pub(super) x: (String, Quantity, Spacing),
    pub(super) y: (String, Quantity),
    pub(super) series: Vec<Series>,
    pub(super) references: &'a [(String, f64)],
    pub(super) highlight: &'a [String],
}

/// Bottom of what was drawn, and what the caption says about it.
type Drawn = Result<(f64, String), FigureError>;

/// A panel on the page.
#[derive(Debug, Clone, Copy)]
struct Panel {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Panel {
    fn new(left: f64, right: f64, top: f64, height: f64) -> Self {
        let bottom = top + height;
        Self {
            left,
            right,
            top,
            bottom,
        }
    }
}

/// Panel with its axes.
struct Frame {
    panel: Panel,
    x: Axis,
    y: Axis,
}

impl Frame {
    /// Returns the place of a point, at the edge where it is beyond.
    fn place(&self, (x, y): Point) -> Point {
        (self.x.scale.clamped(x), self.y.scale.clamped(y))
    }
}

/// Index of a series in the chart, and index of its colour in the palette.
type Coloured = (usize, usize);

/// Greatest number of bands on top of each other that can be read.
const MOST_BANDS: usize = 3;
/// Greatest number of panels that can be compared.
const MOST_PANELS: usize = 12;
/// Least width of a panel, unless the page is narrower.
const NARROWEST: f64 = 150.0;
/// Greatest height of one of several panels.
const HIGHEST: f64 = 180.0;
/// Space between panels beside each other.
const GAP: f64 = 22.0;
/// Space above a panel, for its name.
const HEAD: f64 = 20.0;
/// Space between panels below each other, for the ticks of the upper and the name of the lower one.
const BETWEEN: f64 = 46.0;

impl Chart<'_> {
    /// Draws the chart; a sentence on lines that are not named, or have a panel each, is added to
    /// the caption.
    pub(super) fn draw(&self, mut scene: Scene, mut words: Words) -> Result<Figure, FigureError> {
        scene.heading(12.0, &self.y.0);
        let arms = self.series.iter().map(|arm| (&*arm.name, arm.merit));
        let slots = palette::slots(arms, self.highlight);
        let banded = self.series.iter().filter(|series| !series.band.is_empty());
        let (bottom, sentence) = if banded.count() > MOST_BANDS {
            self.panels(&mut scene, &slots)?
        } else {
            self.single(&mut scene, &slots)?
        };
        words.caption.push_str(&sentence);
        Ok(scene.finish(words, bottom + BELOW))
    }

    fn is_banded(&self) -> bool {
        self.series.iter().any(|series| !series.band.is_empty())
    }

    /// Draws all lines in one panel; returns its bottom, and what the caption says of it.
    fn single(&self, scene: &mut Scene, slots: &[Option<usize>]) -> Drawn {
        let slotted = slots.iter().enumerate();
        let coloured = slotted.filter_map(|(i, slot)| Some((i, (*slot)?)));
        let coloured: Vec<Coloured> = coloured.collect();
        let (best, others) = (coloured.len(), slots.len() - coloured.len());
        let alone = slots.len() == 1 && self.series[0].name.is_empty();
        let label = |&(i, _): &Coloured| text::first_width(&self.series[i].name, NORMAL);
        let rest = (others > 0).then(|| text::width(&format!("{others} others"), NORMAL));
        let widest = coloured.iter().map(label).chain(rest).fold(0.0, f64::max);
        let room = widest.min(scene.width * 0.26);
        let column = match self.style {
            _ if alone => 8.0,
            Style::Stairs => room + SWATCH + 15.0,
            Style::Lines | Style::Markers => room + SWATCH + 6.0,
        };
        let lines = (best + usize::from(others > 0)) as f64 * LINE;
        let height = (scene.width * 0.46).clamp(230.0, 340.0).max(lines);
        let (left, right) = (self.margin(height)?, scene.width - column);
        let panel = Panel::new(left, right, ABOVE, height);
        let frame = self.panel(scene, panel, &coloured, [true; 2])?;
        scene.caption(&self.x.0, (left, right), panel.bottom);
        if !alone {
            self.names(scene, &frame, &coloured, room);
        }
        let sentence = match others {
            0 => String::new(),
            _ => format!(" The best {best} are in colour, {others} others grey."),
        };
        Ok((panel.bottom, sentence))
    }

    /// Draws a panel for each of the best lines, with all others in grey behind it. Returns the
    /// bottom of the panels and a part of the caption.
    fn panels(&self, scene: &mut Scene, slots: &[Option<usize>]) -> Drawn {
        let order = self.panel_order();
        let best = order.len();
        let margin = self.margin(HIGHEST)?;
        let room = scene.width - margin - 18.0;
        let most = fiesta_core::whole(((room + GAP) / NARROWEST).clamp(1.0, 4.0));
        // Rows that are full look better than as many columns as fit.
        let columns = best.div_ceil(best.div_ceil(most));
        let size = (room - GAP * (columns - 1) as f64) / columns as f64;
        let tall = (size * 0.75).clamp(90.0, HIGHEST);
        let mut bottom = 0.0;
        for (place, &i) in order.iter().enumerate() {
            let (row, column) = (place / columns, place % columns);
            let left = margin + column as f64 * (size + GAP);
            let top = ABOVE + HEAD + row as f64 * (tall + BETWEEN);
            bottom = top + tall;
            let panel = Panel::new(left, left + size, top, tall);
            // Colours that only some of the panels had would seem to mean something.
            let crowd = self.series.len() > ARMS.len();
            let slot = if crowd { 0 } else { slots[i].unwrap_or(0) };
            self.panel(scene, panel, &[(i, slot)], [column == 0, place == 0])?;
            let (at, name) = ((left + 8.0, top - 10.0), &self.series[i].name);
            scene.name(at, name, size - 8.0, Font::new(NORMAL, INK));
        }
        scene.caption(&self.x.0, (margin, margin + room), bottom);
        let sentence = if best == self.series.len() {
            " Each has a panel, the others are grey behind it.".to_owned()
        } else {
            format!(" The best {best} have a panel each, all others are grey behind it.")
        };
        Ok((bottom, sentence))
    }

    /// Returns the lines that have a panel, the best first; in a crowd those that were asked for
    /// before others.
    fn panel_order(&self) -> Vec<usize> {
        let crowd = self.series.len() > MOST_PANELS;
        let wanted = |i: usize| crowd && self.highlight.contains(&self.series[i].name);
        let merit = |i: usize| self.series[i].merit;
        let mut order: Vec<usize> = (0..self.series.len()).collect();
        order.sort_by(|&a, &b| {
            let asked = wanted(b).cmp(&wanted(a));
            asked.then(merit(b).total_cmp(&merit(a))).then(a.cmp(&b))
        });
        order.truncate(MOST_PANELS);
        order
    }

    /// Draws a panel: all lines without a colour grey, then bands, references, lines and marks.
    /// `labelled` says whether its vertical axis and its references have their labels.
    fn panel(
        &self,
        scene: &mut Scene,
        panel: Panel,
        coloured: &[Coloured],
        labelled: [bool; 2],
    ) -> Result<Frame, FigureError> {
        let frame = self.frame(panel)?;
        frame.y.grid_across(scene, panel.left, panel.right);
        if labelled[0] {
            frame.y.draw(scene, Side::Left, panel.left);
        }
        frame.x.draw(scene, Side::Below, panel.bottom);
        for (i, series) in self.series.iter().enumerate() {
            if !coloured.iter().any(|own| own.0 == i) {
                self.grey_line(scene, &frame, series);
            }
        }
        for &(i, slot) in coloured {
            let dash = palette::dash(slot, coloured.len(), true);
            let edge = Stroke::new(ARMS[slot], 0.9).dashed(dash);
            bands::band(scene, &frame, &self.series[i].band, edge, self.style);
        }
        let mut taken = self.references(scene, &frame, labelled[1]);
        for &(i, slot) in coloured.iter().rev() {
            self.line(scene, &frame, &self.series[i], (slot, coloured.len()));
        }
        for &(i, slot) in coloured.iter().rev() {
            bands::marks(scene, &frame, &self.series[i].marks, ARMS[slot], &mut taken);
        }
        Ok(frame)
    }

    fn frame(&self, panel: Panel) -> Result<Frame, FigureError> {
        let points = self.series.iter().flat_map(|series| &series.points);
        let x_data = extent(points.map(|point| point.0)).unwrap_or((0.0, 1.0));
        let (x, y) = (&self.x, &self.y);
        let x_scale = Scale::new(&x.0, x.2, x_data, (panel.left + 8.0, panel.right))?;
        let y_ends = (panel.bottom - 6.0, panel.top + 4.0);
        let y_scale = Scale::new(&y.0, Spacing::Linear, self.y_data(), y_ends)?;
        let wanted = fiesta_core::whole(((panel.bottom - panel.top) / 46.0).clamp(2.0, 8.0));
        Ok(Frame {
            panel,
            x: Axis::horizontal(x.1, x_scale),
            y: Axis::new(y.1, y_scale, wanted),
        })
    }

    /// Returns the range that lines and references reach, and as much of the bands as leaves the
    /// lines readable.
    fn y_data(&self) -> (f64, f64) {
        let ends = |intervals: &[(f64, f64, f64)]| -> Vec<f64> {
            intervals
                .iter()
                .flat_map(|(_, lower, upper)| [*lower, *upper])
                .collect()
        };
        let series = self.series.iter();
        let marks = series.clone().flat_map(|series| {
            let points = series.points.iter().map(|point| point.1);
            points.chain(ends(&series.bars))
        });
        let references = self.references.iter().map(|reference| reference.1);
        let lines = extent(marks.chain(references)).unwrap_or((0.0, 1.0));
        let edges = series.flat_map(|series| ends(&series.band));
        let Some(bands) = extent(edges.filter(|edge| edge.is_finite())) else {
            return lines;
        };
        let room = if lines.1 > lines.0 {
            (lines.1 - lines.0) * 0.6
        } else {
            bands.1 - bands.0
        };
        let low = bands.0.max(lines.0 - room);
        (lines.0.min(low), lines.1.max(bands.1.min(lines.1 + room)))
    }

    /// Returns the width of the labels of the vertical axis of a panel of this height.
    fn margin(&self, height: f64) -> Result<f64, FigureError> {
        let panel = Panel::new(0.0, 300.0, 0.0, height);
        Ok((self.frame(panel)?.y.label_width() + 12.0).max(24.0))
    }

    /// Returns the points of a line on the page, and the way through them.
    fn way(&self, frame: &Frame, series: &Series) -> (Vec<Point>, Vec<Point>) {
        let points = series.points.iter();
        let places: Vec<Point> = points.map(|point| frame.place(*point)).collect();
        let way = match self.style {
            Style::Stairs => thinned(&bands::stairs(&places), 0.25),
            Style::Lines | Style::Markers => thinned(&places, 0.25),
        };
        (places, way)
    }

    /// Draws a line of the crowd, thin and bare.
    fn grey_line(&self, scene: &mut Scene, frame: &Frame, series: &Series) {
        let (_, way) = self.way(frame, series);
        if way.len() > 1 {
            let width = if self.series.len() > 20 { 0.5 } else { 0.9 };
            scene.path(&way, Stroke::new(OTHERS, width));
        } else {
            scene.dot(way[0], 2.0, OTHERS);
        }
    }

    /// Draws a line with its bars and markers, given the slot of its colour and how many lines have a colour.
    fn line(&self, scene: &mut Scene, frame: &Frame, series: &Series, slot: (usize, usize)) {
        let (places, way) = self.way(frame, series);
        let (slot, lines) = slot;
        let colour = ARMS[slot];
        for &(at, lower, upper) in &series.bars {
            let ends = [lower, upper].map(|end| frame.place((at, end)));
            scene.line(ends[0], ends[1], Stroke::new(colour, 1.0));
        }
        // Markers tell the lines apart where there are any.
        let markers = self.style == Style::Markers;
        let dash = if markers {
            &[]
        } else {
            palette::dash(slot, lines, self.is_banded())
        };
        if way.len() > 1 {
            scene.path(&way, Stroke::new(colour, 1.75).dashed(dash));
        }
        if markers {
            for &place in &places {
                scene.marker(slot, place, 3.0, colour);
            }
        } else if way.len() == 1 {
            scene.bead(way[0], 3.0, colour);
        }
    }

    /// Draws dashed lines across at the reference values. If they are `named`, their labels stand
    /// above them, or below where another line is just above. Returns where labels stand.
    fn references(&self, scene: &mut Scene, frame: &Frame, named: bool) -> Taken {
        let panel = frame.panel;
        let references = self.references.iter();
        let mut references: Vec<(f64, &str)> = references
            .map(|(name, value)| (frame.y.scale.at(*value), name.as_str()))
            .collect();
        references.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (at, _) in &references {
            let stroke = Stroke::new(MUTED, 1.0).dashed(&[4.0, 3.0]);
            scene.line((panel.left + 2.0, *at), (panel.right, *at), stroke);
        }
        let mut taken = Taken::default();
        if !named {
            return taken;
        }
        let close = |i: usize| i > 0 && references[i].0 - references[i - 1].0 < LINE + 2.0;
        let wanted: Vec<f64> = (0..references.len())
            .map(|i| references[i].0 + if close(i) { 9.0 } else { -9.0 })
            .collect();
        let centres = labels::spread(&wanted, 14.0, panel.top - 14.0, panel.bottom);
        for ((_, name), centre) in references.iter().zip(centres) {
            let left = panel.left + 10.0;
            let room = panel.right - left;
            let font = Font::new(SMALL, MUTED).halo();
            scene.name((left, centre), name, room, font);
            let right = left + text::first_width(name, SMALL).min(room);
            taken.add((left, centre - 7.0, right, centre + 7.0));
        }
        taken
    }
}
