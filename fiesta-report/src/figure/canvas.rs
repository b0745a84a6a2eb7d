//! Marks, drawn by plotters.
//!
//! plotters counts in whole pixels, so that everything is drawn in tenths of one and scaled by the root element. Of what it writes, what it
//! hard-codes is left out here: the font of every text (the root has it), the vertical offset that renderers disagree about, the
//! opacity 1; and what it has no words for is added: dashes, halos, titles.

use super::palette::{Colour, PAPER};
use super::text;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::fmt::Write as _;

/// How many units of the SVG's coordinates a CSS pixel has.
pub(crate) const UNITS: f64 = 10.0;

/// An area that no figure exceeds: plotters moves what is outside to its edge.
const ANY: (u32, u32) = (1 << 20, 1 << 26);

/// A place in CSS pixels, from the top left.
pub(crate) type Point = (f64, f64);

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stroke<'a> {
    pub(crate) colour: Colour,
    pub(crate) width: f64,
    pub(crate) dash: &'a [f64],
}

impl Stroke<'static> {
    pub(crate) fn new(colour: Colour, width: f64) -> Self {
        Self {
            colour,
            width,
            dash: &[],
        }
    }
}

impl Stroke<'_> {
    pub(crate) fn dashed(self, dash: &[f64]) -> Stroke<'_> {
        Stroke { dash, ..self }
    }
}

/// Where a text is relative to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How text is set.
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

/// The shapes of points where lines are told apart by them.
pub(crate) const MARKERS: usize = 8;

/// What has been drawn.
#[derive(Debug, Default)]
pub(crate) struct Canvas {
    body: String,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

impl Canvas {
    /// The marks as SVG, without the root element.
    pub(crate) fn into_body(self) -> String {
        self.body
    }

    pub(crate) fn line(&mut self, from: Point, to: Point, stroke: Stroke<'_>) {
        self.path(&[from, to], stroke);
    }

    /// A line through all points.
    pub(crate) fn path(&mut self, points: &[Point], stroke: Stroke<'_>) {
        let mut extra = String::new();
        if !stroke.dash.is_empty() {
            let lengths: Vec<String> = stroke
                .dash
                .iter()
                .map(|length| units(*length).to_string())
                .collect();
            let _ = write!(extra, r#" stroke-dasharray="{}""#, lengths.join(" "));
        }
        let style = ShapeStyle {
            color: rgba(stroke.colour, 1.0),
            filled: false,
            stroke_width: whole(stroke.width),
        };
        let points: Vec<(i32, i32)> = points.iter().copied().map(place).collect();
        self.emit(&extra, |area| area.draw(&PathElement::new(points, style)));
    }

    /// A closed, filled shape.
    pub(crate) fn polygon(&mut self, points: &[Point], fill: Colour, opacity: f64) {
        let points: Vec<(i32, i32)> = points.iter().copied().map(place).collect();
        let style = rgba(fill, opacity).filled();
        self.emit("", |area| area.draw(&Polygon::new(points, style)));
    }

    pub(crate) fn rect(
        &mut self,
        (x, y): Point,
        (width, height): Point,
        fill: Colour,
        opacity: f64,
    ) {
        let corners = [place((x, y)), place((x + width, y + height))];
        let style = rgba(fill, opacity).filled();
        self.emit("", |area| area.draw(&Rectangle::new(corners, style)));
    }

    pub(crate) fn dot(&mut self, centre: Point, radius: f64, fill: Colour) {
        let style = rgba(fill, 1.0).filled();
        self.emit("", |area| {
            area.draw(&Circle::new(place(centre), units(radius), style))
        });
    }

    /// A dot with a rim of the ground's colour, which keeps it visible on lines.
    pub(crate) fn bead(&mut self, centre: Point, radius: f64, fill: Colour) {
        self.dot(centre, radius + 1.0, PAPER);
        self.dot(centre, radius, fill);
    }

    pub(crate) fn ring(&mut self, centre: Point, radius: f64, stroke: Stroke<'_>) {
        self.dot(centre, radius, PAPER);
        let style = ShapeStyle {
            color: rgba(stroke.colour, 1.0),
            filled: false,
            stroke_width: whole(stroke.width),
        };
        self.emit("", |area| {
            area.draw(&Circle::new(place(centre), units(radius), style))
        });
    }

    /// One of [`MARKERS`] shapes: disc, square, diamond, triangles, and the same hollow.
    pub(crate) fn marker(&mut self, kind: usize, (x, y): Point, radius: f64, colour: Colour) {
        let r = radius;
        let corners: Vec<Point> = match kind % 4 {
            0 if kind % MARKERS < 4 => return self.bead((x, y), r, colour),
            0 => return self.ring((x, y), r, Stroke::new(colour, 1.5)),
            1 => vec![(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            2 => vec![(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
            _ => vec![(0.0, -1.2), (1.15, 0.9), (-1.15, 0.9)],
        };
        let scaled = |by: f64| -> Vec<Point> {
            corners
                .iter()
                .map(|(dx, dy)| (x + dx * by, y + dy * by))
                .collect()
        };
        self.polygon(&scaled(r + 1.0), PAPER, 1.0);
        self.polygon(&scaled(r), colour, 1.0);
        if kind % MARKERS >= 4 {
            self.polygon(&scaled((r - 1.5).max(0.5)), PAPER, 1.0);
        }
    }

    /// Text with its baseline at a place.
    pub(crate) fn text(&mut self, at: Point, words: &str, font: Font) {
        let mut extra = format!(r#" font-size="{}""#, units(font.size));
        if font.halo {
            let _ = write!(
                extra,
                r#" stroke="{}" stroke-width="{}" paint-order="stroke""#,
                PAPER.light,
                units(3.0)
            );
        }
        let anchor = match font.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let color = rgba(font.colour, 1.0);
        let style = TextStyle::from(("sans-serif", font.size).into_font())
            .color(&color)
            .pos(Pos::new(anchor, VPos::Top));
        let words = text::clean(words);
        self.emit(&extra, |area| {
            area.draw(&Text::new(words, place(at), style))
        });
    }

    /// Text at the height of what it names: its letters are centred on `y`.
    pub(crate) fn centred(&mut self, (x, y): Point, words: &str, font: Font) {
        self.text((x, y + font.size * 0.35), words, font);
    }

    /// A name, shortened to its room; the whole name is the title that a pointer brings up.
    pub(crate) fn name(&mut self, at: Point, name: &str, most: f64, font: Font) {
        let whole = text::clean(name);
        let short = text::shorten(&whole, font.size, most);
        if short == whole {
            return self.centred(at, &whole, font);
        }
        let _ = write!(self.body, "<g><title>{}</title>", text::escape(&whole));
        self.centred(at, &short, font);
        self.body.push_str("</g>\n");
    }

    /// Lets plotters draw one mark and keeps what it wrote of it.
    fn emit<E: std::fmt::Debug>(
        &mut self,
        extra: &str,
        draw: impl FnOnce(&Area<'_>) -> Result<(), E>,
    ) {
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, ANY).into_drawing_area();
            draw(&area).expect("a string takes every mark");
            area.present().expect("a string takes every mark");
        }
        let mark = svg.split_once('\n').map_or("", |(_, marks)| marks);
        let mark = mark.trim_end().trim_end_matches("</svg>").trim_end();
        self.body.push_str(&tidy(mark, extra));
    }
}

/// One element as plotters writes it, without what every element need not say.
fn tidy(mark: &str, extra: &str) -> String {
    let Some((tag, content)) = mark.split_once('>') else {
        return String::new();
    };
    let closed = tag.ends_with('/');
    let tag = tag.trim_end_matches('/');
    let name = tag.split(' ').next().unwrap_or_default();
    let mut kept = String::from(name);
    let mut rest = &tag[name.len()..];
    while let Some((key, after)) = rest.split_once("=\"") {
        let Some((value, after)) = after.split_once('"') else {
            break;
        };
        rest = after;
        let (key, value) = (key.trim(), value.trim());
        let said = matches!(
            (key, value),
            ("opacity", "1")
                | ("dy" | "font-family" | "font-size", _)
                | ("text-anchor", "start")
                | ("stroke", "none")
        );
        if !said {
            let _ = write!(kept, r#" {key}="{value}""#);
        }
    }
    kept.push_str(extra);
    if closed {
        kept.push_str("/>\n");
    } else {
        let content = content.trim_start_matches('\n').replace('\n', "");
        let _ = writeln!(kept, ">{content}");
    }
    kept
}

#[expect(clippy::cast_possible_truncation, reason = "a picture is small")]
fn units(pixels: f64) -> i32 {
    debug_assert!(pixels.is_finite(), "{pixels} is no place");
    (pixels * UNITS).round() as i32
}

fn whole(pixels: f64) -> u32 {
    units(pixels).unsigned_abs()
}

fn place((x, y): Point) -> (i32, i32) {
    (units(x), units(y))
}

fn rgba(colour: Colour, opacity: f64) -> RGBAColor {
    let part = |at: usize| {
        u8::from_str_radix(&colour.light[at..at + 2], 16).expect("the palette is in hexadecimal")
    };
    RGBColor(part(1), part(3), part(5)).mix(opacity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::palette::INK;

    #[test]
    fn marks_are_what_plotters_draws_without_what_it_repeats() {
        let mut canvas = Canvas::default();
        let stroke = Stroke::new(INK, 1.5).dashed(&[2.0, 1.0]);
        canvas.line((0.04, 1.0), (2.0, 3.25), stroke);
        canvas.text((1.0, 2.0), "a<b>&\"\u{7}", Font::new(12.0, INK).halo());
        assert_eq!(
            canvas.into_body(),
            "<polyline fill=\"none\" stroke=\"#1B1D22\" stroke-width=\"15\" points=\"0,10 20,33\" stroke-dasharray=\"20 10\"/>\n\
             <text x=\"10\" y=\"20\" fill=\"#1B1D22\" font-size=\"120\" stroke=\"#FFFFFF\" stroke-width=\"30\" \
             paint-order=\"stroke\">a&lt;b&gt;&amp;&quot;\u{fffd}</text>\n"
        );
    }
}
