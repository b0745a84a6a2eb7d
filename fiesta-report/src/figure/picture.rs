//! A finished figure.

use super::{palette, text};
use std::fmt::Write as _;

/// A figure, drawn: its words and its marks.
///
/// The SVG has a transparent ground, text that is text, no identifiers, scripts or references, so
/// that any number of figures may stand in one page. `width` and `height` are CSS pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    words: Words,
    width: f64,
    height: f64,
    body: String,
}

impl Figure {
    pub(crate) fn new(words: Words, (width, height): (f64, f64), body: String) -> Self {
        Self {
            words,
            width,
            height,
            body,
        }
    }

    /// Returns the title: what the figure shows, in a few words; also the SVG's `<title>`. Plain
    /// text: names of arms in it are not escaped.
    pub fn title(&self) -> &str {
        &self.words.title
    }

    /// Returns the caption: what is drawn how, in the sentences that stand below the figure. Plain
    /// text.
    pub fn caption(&self) -> &str {
        &self.words.caption
    }

    /// Returns the figure with another caption.
    pub(crate) fn with_caption(mut self, caption: impl Into<String>) -> Self {
        self.words.caption = caption.into();
        self
    }

    /// Returns the width in CSS pixels.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// Returns the height in CSS pixels.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// Returns the figure as an element `<svg class="fiesta">` to stand in a page, which brings
    /// [`palette::dark_css`] if it can be dark.
    pub fn svg(&self) -> String {
        self.root("")
    }

    /// Returns the figure as an SVG file that turns dark by itself where its reader's screen is,
    /// with a ground of its own then: what is around it may stay light.
    pub fn standalone_svg(&self) -> String {
        let used: String = palette::dark_rules("")
            .replace(" svg.fiesta ", "")
            .lines()
            .filter(|rule| {
                let literal = rule.find('"').map(|at| &rule[at..at + 9]);
                literal.is_some_and(|literal| self.body.contains(literal))
            })
            .collect();
        let ground = palette::PAPER.dark;
        self.root(&format!(
            "<style>@media screen and (prefers-color-scheme:dark){{svg{{background:{ground}}}{used}}}</style>\n"
        ))
    }

    fn root(&self, style: &str) -> String {
        let families: Vec<String> = text::FAMILIES
            .iter()
            .map(|family| format!("'{family}'"))
            .collect();
        let title = text::escape(&text::clean(&self.words.title));
        let (width, height) = (self.width, self.height);
        let mut svg = String::with_capacity(self.body.len() + 1024);
        let _ = write!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fiesta\" role=\"img\" aria-label=\"{title}\" \
             width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"{}, sans-serif\" \
             stroke-linejoin=\"round\">\n<title>{title}</title>\n<desc>{}</desc>\n{style}{}</svg>\n",
            families.join(", "),
            text::escape(&text::clean(&self.words.alt)),
            self.body,
        );
        svg
    }
}

/// The words of a figure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Words {
    pub(crate) title: String,
    pub(crate) caption: String,
    pub(crate) alt: String,
}
