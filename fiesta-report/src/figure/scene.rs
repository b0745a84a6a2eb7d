//! The scene of a figure: lines, shapes and text in CSS pixels from the top left, written as SVG.

use super::axis::NORMAL;
use super::palette::{Colour, MUTED, PAPER};
use super::picture::Words;
use super::{Figure, FigureError, text};
use std::fmt::{self, Display, Write as _};

/// A place in CSS pixels, from the top left.
pub(crate) type Point = (f64, f64);

/// The look of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stroke<'a> {
    pub(crate) colour: Colour,
    pub(crate) width: f64,
    pub(crate) dash: &'a [f64],
}

impl Stroke<'static> {
    pub(crate) fn new(colour: Colour, width: f64) -> Self {
        let dash = &[];
        Self {
            colour,
            width,
            dash,
        }
    }
}

impl Stroke<'_> {
    pub(crate) fn dashed(self, dash: &[f64]) -> Stroke<'_> {
        Stroke { dash, ..self }
    }
}

/// Writes the stroke as attributes, with a space before.
impl Display for Stroke<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (colour, width) = (self.colour.light, Pixels(self.width));
        write!(f, r#" stroke="{colour}" stroke-width="{width}""#)?;
        if !self.dash.is_empty() {
            let lengths: Vec<String> = self.dash.iter().map(f64::to_string).collect();
            write!(f, r#" stroke-dasharray="{}""#, lengths.join(" "))?;
        }
        Ok(())
    }
}

/// Side or middle of a text that stands at the place where it is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The look of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Font {
    pub(crate) size: f64,
    pub(crate) colour: Colour,
    pub(crate) anchor: Anchor,
    /// Whether the ground's colour surrounds the letters, for text on top of lines.
    pub(crate) halo: bool,
}

impl Font {
    pub(crate) fn new(size: f64, colour: Colour) -> Self {
        Self {
            size,
            colour,
            anchor: Anchor::Start,
            halo: false,
        }
    }

    pub(crate) fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(crate) fn halo(self) -> Self {
        Self { halo: true, ..self }
    }
}

/// Writes the font as attributes, with a space before.
impl Display for Font {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            r#" fill="{}" font-size="{}""#,
            self.colour.light, self.size
        )?;
        f.write_str(match self.anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        })?;
        if self.halo {
            write!(f, r#"{} paint-order="stroke""#, Stroke::new(PAPER, 3.0))?;
        }
        Ok(())
    }
}

/// Length in pixels, written to a tenth.
struct Pixels(f64);

impl Display for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_assert!(self.0.is_finite(), "{} is no place", self.0);
        // A sum with 0 is never −0.
        write!(f, "{}", (self.0 * 10.0).round() / 10.0 + 0.0)
    }
}

/// Points, written as the value of an attribute.
struct Points<'a>(&'a [Point]);

impl Display for Points<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, &(x, y)) in self.0.iter().enumerate() {
            let space = if i > 0 { " " } else { "" };
            write!(f, "{space}{},{}", Pixels(x), Pixels(y))?;
        }
        Ok(())
    }
}

/// Returns an opacity as an attribute with a space before, where it is not 1.
fn opacity(opacity: f64) -> String {
    if opacity < 1.0 {
        format!(r#" opacity="{opacity}""#)
    } else {
        String::new()
    }
}

/// Number of shapes that tell points apart.
const MARKERS: usize = 8;

/// Page of some width with what has been drawn on it.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) width: f64,
    body: String,
}

impl Scene {
    /// Returns an empty page of this width, if something can be laid out in it.
    pub(crate) fn new(width: u32) -> Result<Self, FigureError> {
        if !(240..=4000).contains(&width) {
            return Err(FigureError::Refused(format!(
                "a width of {width} px: choose one from 240 to 4000"
            )));
        }
        Ok(Self {
            width: f64::from(width),
            body: String::new(),
        })
    }

    /// Returns the page as a figure of this height.
    pub(crate) fn finish(self, words: Words, height: f64) -> Figure {
        Figure::new(words, (self.width, height), self.body)
    }

    /// Adds an element to the SVG; writing to a string never fails.
    fn put(&mut self, element: fmt::Arguments<'_>) {
        let _ = writeln!(self.body, "{element}");
    }

    pub(crate) fn line(&mut self, from: Point, to: Point, stroke: Stroke<'_>) {
        self.path(&[from, to], stroke);
    }

    /// Draws a line through all points.
    pub(crate) fn path(&mut self, points: &[Point], stroke: Stroke<'_>) {
        let points = Points(points);
        self.put(format_args!(
            r#"<polyline points="{points}" fill="none"{stroke}/>"#
        ));
    }

    /// Draws a closed, filled shape.
    pub(crate) fn polygon(&mut self, points: &[Point], fill: Colour, opaque: f64) {
        let (points, fill, opacity) = (Points(points), fill.light, opacity(opaque));
        self.put(format_args!(
            r#"<polygon points="{points}" fill="{fill}"{opacity}/>"#
        ));
    }

    pub(crate) fn rect(&mut self, (x, y): Point, (width, height): Point, fill: Colour) {
        let [x, y, width, height] = [x, y, width, height].map(Pixels);
        self.put(format_args!(
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{}"/>"#,
            fill.light
        ));
    }

    pub(crate) fn dot(&mut self, (x, y): Point, radius: f64, fill: Colour) {
        let ([x, y, r], fill) = ([x, y, radius].map(Pixels), fill.light);
        self.put(format_args!(
            r#"<circle cx="{x}" cy="{y}" r="{r}" fill="{fill}"/>"#
        ));
    }

    /// Draws a dot with a rim of the ground's colour, which keeps it visible on lines.
    pub(crate) fn bead(&mut self, centre: Point, radius: f64, fill: Colour) {
        self.dot(centre, radius + 1.0, PAPER);
        self.dot(centre, radius, fill);
    }

    pub(crate) fn ring(&mut self, (x, y): Point, radius: f64, stroke: Stroke<'_>) {
        let ([x, y, r], fill) = ([x, y, radius].map(Pixels), PAPER.light);
        self.put(format_args!(
            r#"<circle cx="{x}" cy="{y}" r="{r}" fill="{fill}"{stroke}/>"#
        ));
    }

    /// Draws one of [`MARKERS`] shapes: disc, square, diamond, triangle, and the same hollow.
    pub(crate) fn marker(&mut self, kind: usize, (x, y): Point, radius: f64, colour: Colour) {
        let hollow = kind % MARKERS >= 4;
        let corners: &[Point] = match kind % 4 {
            0 if hollow => return self.ring((x, y), radius, Stroke::new(colour, 1.5)),
            0 => return self.bead((x, y), radius, colour),
            1 => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            2 => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
            _ => &[(0.0, -1.2), (1.15, 0.9), (-1.15, 0.9)],
        };
        let mut shape = |by: f64, fill: Colour| {
            let place = |(dx, dy): &Point| (x + dx * by, y + dy * by);
            let places: Vec<Point> = corners.iter().map(place).collect();
            self.polygon(&places, fill, 1.0);
        };
        shape(radius + 1.0, PAPER);
        shape(radius, colour);
        if hollow {
            shape((radius - 1.5).max(0.5), PAPER);
        }
    }

    /// Draws text with its baseline at a place.
    pub(crate) fn text(&mut self, (x, y): Point, words: &str, font: Font) {
        let ([x, y], words) = ([x, y].map(Pixels), text::escape(&text::clean(words)));
        self.put(format_args!(
            r#"<text x="{x}" y="{y}"{font}>{words}</text>"#
        ));
    }

    /// Draws text at the height of what it names: its letters are centred on `y`.
    pub(crate) fn centred(&mut self, (x, y): Point, words: &str, font: Font) {
        self.text((x, y + font.size * 0.35), words, font);
    }

    /// Draws a heading of what is drawn below it, at the left of the page with its baseline at `y`.
    pub(crate) fn heading(&mut self, y: f64, title: &str) {
        let title = text::shorten(title, NORMAL, self.width);
        self.text((0.0, y), &title, Font::new(NORMAL, MUTED));
    }

    /// Writes the title of a horizontal axis at the height `y`: in the middle of its panel, or as
    /// near to it as the page is wide enough for.
    pub(crate) fn caption(&mut self, title: &str, panel: (f64, f64), y: f64) {
        let title = text::shorten(title, NORMAL, self.width);
        let half = text::width(&title, NORMAL) / 2.0;
        let middle = f64::midpoint(panel.0, panel.1);
        let middle = middle.min(self.width - half).max(half);
        let font = Font::new(NORMAL, MUTED).anchored(Anchor::Middle);
        self.text((middle, y + 35.0), &title, font);
    }

    /// Draws a name, shortened to its room; the whole name is the title that a pointer brings up.
    pub(crate) fn name(&mut self, at: Point, name: &str, most: f64, font: Font) {
        self.name_with(at, (name, ""), most, font);
    }

    /// Draws a name with words behind it that are not shortened.
    pub(crate) fn name_with(
        &mut self,
        at: Point,
        (name, words): (&str, &str),
        most: f64,
        font: Font,
    ) {
        let whole = text::clean(name);
        let short = text::shorten(&whole, font.size, most);
        let drawn = format!("{short}{words}");
        if short == whole {
            return self.centred(at, &drawn, font);
        }
        let title = text::escape(&whole);
        self.put(format_args!("<g><title>{title}</title>"));
        self.centred(at, &drawn, font);
        self.put(format_args!("</g>"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::palette::INK;

    #[test]
    fn marks_are_elements_and_text_is_inert() {
        let mut scene = Scene::new(240).unwrap();
        let stroke = Stroke::new(INK, 1.5).dashed(&[2.0, 1.0]);
        scene.line((-0.04, 1.0), (2.0, 3.25), stroke);
        scene.text((1.0, 2.0), "a<b>&\"\u{7}", Font::new(12.0, INK).halo());
        assert_eq!(
            scene.body,
            "<polyline points=\"0,1 2,3.3\" fill=\"none\" stroke=\"#1B1D22\" stroke-width=\"1.5\" stroke-dasharray=\"2 1\"/>\n\
             <text x=\"1\" y=\"2\" fill=\"#1B1D22\" font-size=\"12\" stroke=\"#FFFFFF\" stroke-width=\"3\" \
             paint-order=\"stroke\">a&lt;b&gt;&amp;&quot;\u{fffd}</text>\n"
        );
    }
}
