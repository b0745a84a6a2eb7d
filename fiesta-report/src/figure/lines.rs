//! Figures of lines: one panel with its lines named at their ends, or a panel for each.

use super::axis::{ABOVE, Axis, BELOW, NORMAL, SMALL, caption};
use super::canvas::{Canvas, Font, Point, Stroke};
use super::labels::{self, Taken};
use super::line_marks::{band, marks, stairs};
use super::line_names::{LINE, SWATCH};
use super::palette::{self, ARMS, Colour, MUTED, OTHERS};
use super::scale::{Scale, extent};
use super::thin::thinned;
use super::ticks::Quantity;
use super::{FigureError, Spacing, check, text};

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
pub(crate) struct Panel {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

/// More bands than these on top of each other are unreadable.
const MOST_BANDS: usize = 3;
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
    pub(super) fn axes(&self, panel: Panel) -> Result<(Axis, Axis), FigureError> {
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
    pub(super) fn margin(&self) -> Result<f64, FigureError> {
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
        let column = match self.names {
            _ if alone => 8.0,
            Names::Ends => room + SWATCH + 6.0,
            Names::List => room + SWATCH + 15.0,
        };
        let lines = named.len() + usize::from(others > 0);
        let height = (width * 0.46).clamp(230.0, 340.0).max(lines as f64 * LINE);
        let panel = Panel {
            left: self.margin()?,
            right: width - column,
            top: ABOVE,
            bottom: ABOVE + height,
        };
        let mut canvas = Canvas::default();
        let axes = self.axes(panel)?;
        frame(&mut canvas, panel, &axes, true);
        let across = (panel.left, panel.right);
        caption(&mut canvas, &self.x_title, across, panel.bottom, width);
        self.y_caption(&mut canvas, width);
        for (i, series) in self.series.iter().enumerate() {
            if slots[i].is_none() {
                self.line(&mut canvas, &axes, series, OTHERS, None);
            }
        }
        let coloured = |i: usize| (&self.series[i], slots[i].unwrap_or(0));
        for (series, slot) in named.iter().map(|&i| coloured(i)) {
            band(&mut canvas, &axes, series, ARMS[slot], self.stairs);
        }
        let mut taken = self.draw_references(&mut canvas, &axes, panel, true);
        for (series, slot) in named.iter().rev().map(|&i| coloured(i)) {
            let dash = palette::dash(slot, named.len());
            self.line(&mut canvas, &axes, series, ARMS[slot], Some((slot, dash)));
        }
        for (series, slot) in named.iter().rev().map(|&i| coloured(i)) {
            marks(&mut canvas, &axes, series, ARMS[slot], panel, &mut taken);
        }
        if !alone {
            self.line_names(&mut canvas, &axes, panel, slots, room);
        }
        let shown = Shown {
            panels: false,
            named: named.len(),
        };
        Ok((canvas, (width, panel.bottom + BELOW), shown))
    }

    fn label_width(&self, i: usize) -> f64 {
        text::first_width(&self.series[i].name, NORMAL)
    }

    pub(super) fn y_caption(&self, canvas: &mut Canvas, width: f64) {
        let title = text::shorten(&self.y_title, NORMAL, width);
        canvas.text((0.0, 12.0), &title, Font::new(NORMAL, MUTED));
    }

    /// A line with its bars and markers; thin and bare without a slot and dash of its own.
    pub(super) fn line(
        &self,
        canvas: &mut Canvas,
        (x, y): &(Axis, Axis),
        series: &Series,
        colour: Colour,
        own: Option<(usize, &[f64])>,
    ) {
        let places: Vec<Point> = series
            .points
            .iter()
            .map(|(a, b)| (x.scale.at(*a), y.scale.clamped(*b)))
            .collect();
        let line = if self.stairs {
            thinned(&stairs(&places), 0.25)
        } else {
            thinned(&places, 0.25)
        };
        let Some((slot, dash)) = own else {
            if line.len() > 1 {
                let width = if self.series.len() > 20 { 0.5 } else { 0.9 };
                canvas.path(&line, Stroke::new(colour, width));
            } else {
                canvas.dot(line[0], 2.0, colour);
            }
            return;
        };
        for (at, lower, upper) in &series.bars {
            let at = x.scale.at(*at);
            let ends = (y.scale.clamped(*lower), y.scale.clamped(*upper));
            canvas.line((at, ends.0), (at, ends.1), Stroke::new(colour, 1.0));
        }
        // Markers tell the lines apart where there are any.
        let dash = if self.markers { &[] } else { dash };
        if line.len() > 1 {
            canvas.path(&line, Stroke::new(colour, 1.75).dashed(dash));
        }
        if self.markers {
            for &place in &places {
                canvas.marker(slot, place, 3.0, colour);
            }
        } else if line.len() == 1 {
            canvas.bead(line[0], 3.0, colour);
        }
    }

    /// Dashed lines across, and where they are `named` their labels above them, or below where another line is just above; says where
    /// labels stand.
    pub(super) fn draw_references(
        &self,
        canvas: &mut Canvas,
        (_, y): &(Axis, Axis),
        panel: Panel,
        named: bool,
    ) -> Taken {
        let mut references: Vec<(f64, &str)> = self
            .references
            .iter()
            .map(|(name, value)| (y.scale.at(*value), name.as_str()))
            .collect();
        references.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (at, _) in &references {
            let stroke = Stroke::new(MUTED, 1.0).dashed(&[4.0, 3.0]);
            canvas.line((panel.left + 2.0, *at), (panel.right, *at), stroke);
        }
        let mut taken = Taken::default();
        if !named {
            return taken;
        }
        let close = |i: usize| i > 0 && references[i].0 - references[i - 1].0 < LINE + 2.0;
        let wanted: Vec<f64> = (0..references.len())
            .map(|i| references[i].0 + if close(i) { 9.0 } else { -9.0 })
            .collect();
        let sizes = vec![14.0; wanted.len()];
        let centres = labels::spread(&wanted, &sizes, panel.top - 14.0, panel.bottom);
        for ((_, name), centre) in references.iter().zip(centres) {
            let left = panel.left + 10.0;
            let room = panel.right - left;
            let font = Font::new(SMALL, MUTED).halo();
            canvas.name((left, centre), name, room, font);
            let right = left + text::first_width(name, SMALL).min(room);
            taken.add((left, centre - 7.0, right, centre + 7.0));
        }
        taken
    }
}

/// The axes of a panel; labels of the vertical one only at the page's left.
pub(super) fn frame(canvas: &mut Canvas, panel: Panel, (x, y): &(Axis, Axis), left: bool) {
    if left {
        y.draw_left(canvas, panel.left, panel.right);
    } else {
        y.grid_across(canvas, panel.left, panel.right);
    }
    x.draw_below(canvas, panel.bottom);
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
