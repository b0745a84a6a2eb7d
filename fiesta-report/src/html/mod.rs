//! A report as one HTML file that needs no network, no font of its own and no script.
//!
//! A [`Report`] is plain data; whoever fills it in decides what it says. It reads from the answer
//! down: which arm, how sure that is, at what cost, and the sentence to quote with what it does not
//! claim; then [`Section`]s of figures, tables and words in the order given; then where it comes
//! from. Every text is escaped and every name inert; the page forbids itself scripts and requests
//! by its own content security policy.
//!
//! It follows the reader's screen between light and dark, shows narrow figures on narrow screens,
//! and prints on paper in black.
//!
//! # Example
//! ```
//! use fiesta_report::html::{Answer, Block, Report, Section};
//! let report = Report {
//!     title: "restaurants".to_owned(),
//!     answer: Answer {
//!         arm: Some("td<lstm>".to_owned()),
//!         verdict: "is the best of 8 arms by macro-F1".to_owned(),
//!         ..Answer::default()
//!     },
//!     sections: vec![Section::new("Scores").block(Block::Text("All of them.".to_owned()))],
//!     ..Report::default()
//! };
//! let page = report.html();
//! assert!(page.starts_with("<!DOCTYPE html>"));
//! assert!(page.contains("td&lt;lstm&gt;") && !page.contains("<script"));
//! ```

mod answer;
mod block;
pub mod live;

pub use crate::checklist::Checklist;
pub use answer::{Answer, Highlight, Share};
pub use block::{Block, Drawing, Passage, RunOutput, Section};

use crate::figure::palette::{ARMS, Colour, OTHERS, dark_css};
use crate::table::{legible, visible};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Policy of the page: no script, no request, no form; only what stands in the file.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Contents of a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Title of the page: what was studied.
    pub title: String,
    /// Subtitle beside the title: when, by what.
    pub subtitle: String,
    /// Answer that was found.
    pub answer: Answer,
    /// Sections of the page, in order.
    pub sections: Vec<Section>,
    /// Notes on choices that were made and what they change.
    pub notes: Vec<String>,
    /// Provenance of the results: labels and values.
    pub provenance: Vec<(String, String)>,
}

impl Report {
    /// Returns the whole page as HTML.
    pub fn html(&self) -> String {
        let title = name(&self.title);
        let head = html! {
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            (meta(&format!("{title} – FIESTA")))
            style { (PreEscaped(css())) }
        };
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head { meta charset="utf-8"; (head) }
                body {
                    header {
                        p.eyebrow { (visible(&self.subtitle)) }
                        h1 { bdi { (title) } }
                    }
                    main {
                        (self.answer.markup())
                        (self.contents())
                        @for (number, section) in self.sections.iter().enumerate() {
                            (section.markup(number))
                        }
                        @if !self.notes.is_empty() { (self.footnotes()) }
                    }
                    footer { (self.origin()) }
                }
            }
        };
        page.into_string()
    }

    fn contents(&self) -> Markup {
        html! {
            nav aria-label="Contents" {
                @for (number, section) in self.sections.iter().enumerate() {
                    a href=(format!("#part-{number}")) { (visible(&section.heading)) }
                }
                @if !self.notes.is_empty() { a href="#notes" { "Notes" } }
            }
        }
    }

    fn footnotes(&self) -> Markup {
        html! {
            section #notes {
                h2 { "Notes" }
                ol.notes { @for note in &self.notes { li { (flow(note)) } } }
            }
        }
    }

    fn origin(&self) -> Markup {
        html! {
            dl.origin {
                @for (label, value) in &self.provenance {
                    div { dt { (visible(label)) } dd { (visible(value)) } }
                }
            }
        }
    }
}

/// Returns the text of a page's `<head>`.
fn meta(title: &str) -> Markup {
    html! {
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        meta name="generator" content=(concat!("FIESTA ", env!("CARGO_PKG_VERSION")));
        link rel="icon" href="data:,";
        title { (title) }
    }
}

/// Prepares running text: numbers keep their signs and units beside them.
fn flow(text: &str) -> String {
    legible(text)
        .replace(" %", "\u{202f}%")
        .replace("> 99", ">\u{a0}99")
        .replace("< 0", "<\u{a0}0")
}

/// Returns a name as a page shows it: whole, unless it fills the page.
fn name(text: &str) -> String {
    crate::table::shortened(&visible(text))
}

/// Returns the whole stylesheet: the page's, the colours of arms, and what turns figures dark.
fn css() -> String {
    let rule = |arm: &str, colour: &str| format!(".arm-{arm}{{background:{colour}}}\n");
    let colours = |shade: fn(&Colour) -> &'static str| -> String {
        let arms = ARMS.iter().enumerate();
        let arms = arms.map(|(arm, colour)| rule(&arm.to_string(), shade(colour)));
        std::iter::once(rule("others", shade(&OTHERS)))
            .chain(arms)
            .collect()
    };
    let (light, dark) = (
        colours(|colour| colour.light),
        colours(|colour| colour.dark),
    );
    let screen = "@media screen and (prefers-color-scheme:dark){\n";
    format!(
        "{}{light}{screen}{dark}}}\n{}",
        include_str!("page.css"),
        dark_css()
    )
}

#[cfg(test)]
mod tests;
