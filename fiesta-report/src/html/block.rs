//! Sections of the page: text, figures, tables, checklists and details.

use super::{flow, name};
use crate::{
    Align, Table,
    checklist::{Checklist, Item},
    figure::{Figure, FigureError, NARROW, Plot, WIDE},
    table::visible,
    words::capitalised,
};
use maud::{Markup, PreEscaped, html};

/// A part of the page under a heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// Heading of the section.
    pub heading: String,
    /// Blocks of the section, in order.
    pub blocks: Vec<Block>,
}

impl Section {
    /// Returns a section without content yet.
    pub fn new(heading: impl Into<String>) -> Self {
        Self {
            heading: heading.into(),
            blocks: Vec::new(),
        }
    }

    /// Adds a block at the end of the section.
    pub fn block(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    pub(super) fn markup(&self, number: usize) -> Markup {
        html! {
            section id=(format!("part-{number}")) {
                h2 { (visible(&self.heading)) }
                @for block in &self.blocks { (block.markup()) }
            }
        }
    }
}

/// Block of a section.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Block {
    /// Block with a paragraph.
    Text(String),
    /// Block with a figure.
    Figure(Drawing),
    /// Block with a table.
    Table(Table),
    /// Block with a checklist.
    Checklist(Checklist),
    /// Texts under a heading, each a line that opens.
    Passages(String, Vec<Passage>),
    /// Outputs that runs printed, each a line that opens.
    Outputs(Vec<RunOutput>),
    /// Blocks that open when their summary is clicked, for those who want more.
    Details(String, Vec<Block>),
}

/// The end of what a run printed, under a line that says which run it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunOutput {
    /// Key of the run while other runs come and go: digits and letters.
    pub key: String,
    /// Label of the run: its number and its arm, or the arms of several.
    pub label: String,
    /// State of the run: its score, or that it runs or failed.
    pub tag: String,
    /// Line on what the run is made on, and how long it took.
    pub line: String,
    /// Streams that printed something: their names, and what they printed last.
    pub streams: Vec<(String, String)>,
}

/// A text of which a line is shown, and the whole when it is opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passage {
    /// Name of the passage.
    pub label: String,
    /// Kind of the passage, if that is known.
    pub tag: Option<String>,
    /// Text of the passage; empty if it is not known.
    pub text: String,
    /// Notes on the passage, a line each.
    pub notes: Vec<String>,
}

/// A figure drawn for wide and for narrow screens.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Drawing {
    /// Figure for wide screens and paper.
    pub wide: Figure,
    /// Figure for narrow screens.
    pub narrow: Figure,
}

impl Drawing {
    /// Draws a figure at both widths.
    ///
    /// # Errors
    /// Those of the figure.
    pub fn new(plot: &impl Plot) -> Result<Self, FigureError> {
        Ok(Self {
            wide: plot.draw(WIDE)?,
            narrow: plot.draw(NARROW)?,
        })
    }
}

impl Block {
    pub(super) fn markup(&self) -> Markup {
        match self {
            Self::Text(text) => html! { p { (flow(text)) } },
            Self::Figure(drawing) => drawing.markup(),
            Self::Table(shown) => table(shown),
            Self::Checklist(checklist) => form(checklist),
            Self::Passages(heading, passages) => html! {
                h3 { (visible(heading)) }
                div.passages { @for passage in passages { (passage.markup()) } }
            },
            Self::Outputs(outputs) => html! {
                div.passages { @for output in outputs { (output.markup()) } }
            },
            Self::Details(summary, blocks) => html! {
                details {
                    summary { (visible(summary)) }
                    @for block in blocks { (block.markup()) }
                }
            },
        }
    }
}

/// Characters of a passage's line; the page cuts it to the room that there is.
const LINE: usize = 160;

impl Passage {
    fn markup(&self) -> Markup {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        let line: String = words.join(" ").chars().take(LINE).collect();
        html! {
            details.passage {
                summary {
                    span.name { bdi { (name(&self.label)) } }
                    @if let Some(tag) = &self.tag { span.tag { (name(tag)) } }
                    span.line { (visible(&line)) }
                }
                @if !self.text.is_empty() {
                    div.whole { @for part in self.text.lines() { p { (visible(part)) } } }
                }
                ul { @for note in &self.notes { li { (visible(note)) } } }
            }
        }
    }
}

impl RunOutput {
    fn markup(&self) -> Markup {
        html! {
            details.passage data-key=(self.key) {
                summary {
                    span.name { bdi { (name(&self.label)) } }
                    @if !self.tag.is_empty() { span.tag { (name(&self.tag)) } }
                    span.line { (name(&self.line)) }
                }
                @if self.streams.is_empty() { p.below { "It has printed nothing so far." } }
                @for (stream, text) in &self.streams {
                    p.below { (name(stream)) }
                    pre tabindex="0" {
                        @for line in text.lines() { (visible(line)) "\n" }
                    }
                }
            }
        }
    }
}

impl Drawing {
    fn markup(&self) -> Markup {
        // The figures escape what they show.
        html! {
            figure {
                div.wide { (PreEscaped(self.wide.svg())) }
                div.narrow { (PreEscaped(self.narrow.svg())) }
                figcaption { (flow(self.wide.caption())) }
            }
        }
    }
}

/// Whether a name is so long that it takes several lines also where there is room.
fn is_long(name: &str) -> bool {
    name.chars().count() > LONG_NAME
}

/// Whether a name takes several lines on a narrow screen alone.
fn is_middling(name: &str) -> bool {
    !is_long(name) && name.chars().count() > NARROW_NAME
}

/// Characters of the longest name that stands on one line of a narrow screen.
const NARROW_NAME: usize = 14;
/// Characters of the longest name in a table that stands on one line.
const LONG_NAME: usize = 36;

fn table(table: &Table) -> Markup {
    let class = |align| match align {
        Align::Left => "left",
        Align::Right => "right",
    };
    let label = table.caption_text().map_or("Table".to_owned(), visible);
    let few = table.header().len() < 4;
    html! {
        @if let Some(caption) = table.caption_text() { p.caption { (flow(caption)) } }
        div.scroll.few[few] tabindex="0" role="region" aria-label=(label) {
            table {
                thead {
                    tr {
                        @for (text, align) in table.header() {
                            th scope="col" class=(class(*align)) { (name(text)) }
                        }
                    }
                }
                tbody {
                    @for row in table.rows() {
                        tr.best[row.bold] {
                            @for (column, (cell, (_, align))) in row.cells.iter().zip(table.header()).enumerate() {
                                @if column == 0 {
                                    th.long[is_long(cell)].middling[is_middling(cell)].(class(*align)) scope="row" {
                                        bdi { (name(cell)) }
                                        @if !row.mark.is_empty() { sup { (row.mark) } }
                                    }
                                } @else {
                                    td class=(class(*align)) { (name(cell)) }
                                }
                            }
                        }
                    }
                }
            }
        }
        @for note in table.notes() { p.below { (flow(note)) } }
    }
}

/// Writes what is known of every question, and then in one list what the authors have to add; a
/// search that there was none of is folded.
fn form(checklist: &Checklist) -> Markup {
    html! {
        div.checklist {
            @for section in checklist.asked() { (known(section.heading, section.items)) }
            @let missing = checklist.missing();
            @if !missing.is_empty() {
                h3 { "Left to the authors" }
                ul.rest { @for advice in missing { li { (flow(&capitalised(advice))) "." } } }
            }
            @for section in checklist.folded() {
                details {
                    summary { (section.heading) }
                    p { "This study has no trials of hyperparameters. If there were some before it, a paper says of them:" }
                    ul { @for item in section.items { (answer(item)) } }
                }
            }
        }
    }
}

/// Returns the answers of a section, to those questions that have any.
fn known(heading: &str, items: &[Item]) -> Markup {
    let answered = || items.iter().filter(|item| !item.known.is_empty());
    html! {
        @if answered().next().is_some() {
            h3 { (heading) }
            ul { @for item in answered() { (answer(item)) } }
        }
    }
}

fn answer(item: &Item) -> Markup {
    let (class, tick) = if item.is_answered() {
        ("known", "✓")
    } else if item.known.is_empty() {
        ("missing", "○")
    } else {
        ("partly", "◐")
    };
    html! {
        li class=(class) {
            span.tick aria-hidden="true" { (tick) }
            div {
                span.question { (item.question) }
                @for known in &item.known { p { (flow(known)) } }
                @if item.known.is_empty() {
                    @for advice in &item.missing { p.advice { (flow(&capitalised(advice))) "." } }
                }
            }
        }
    }
}
