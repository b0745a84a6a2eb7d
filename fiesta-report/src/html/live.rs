//! A page that follows studies as they run: parts of HTML that a script replaces as they change.
//!
//! A [`LivePage`] is plain data, as a [`Report`](super::Report) is, and has its words, figures and
//! style. Whoever serves it sends [`LivePage::html`] first, together with [`css`] and [`script`] as
//! the files `live.css` and `live.js` beside it, and then, as server-sent events under the name
//! `events`, the [`parts`](LivePage::parts) that have changed. Protocol of the events:
//!
//! | event | data |
//! |---|---|
//! | `parts` | a JSON object: the ids of parts, and the HTML of each; `title` is the page's title |
//! | `ping` | nothing; without any event for half a minute, the page takes the connection for lost |
//!
//! Every text is escaped and every name inert. The page has no inline script; it needs of a content
//! security policy what [`POLICY`] allows, and nothing more.
//!
//! # Example
//! ```
//! use fiesta_report::html::{Block, live::{LivePage, LiveStudy, Panel, Tone}};
//! let study = LiveStudy {
//!     name: "restau<rants>".to_owned(),
//!     state: "running".to_owned(),
//!     tone: Tone::Active,
//!     panels: vec![Panel::new("notices", "Notices").block(Block::Text("Two arms failed.".to_owned()))],
//!     ..LiveStudy::default()
//! };
//! let page = LivePage { studies: vec![study] };
//! assert!(page.html().contains("restau&lt;rants&gt;"));
//! assert!(page.parts()["s0-notices"].contains("Two arms failed."));
//! ```

use super::{Answer, Block, css as report_css, flow, meta, name};
use crate::{Table, TableOf, table::visible};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeMap;

/// The content security policy of the page, for the response's header: files and events of its own
/// origin alone, and no frame around it. Attributes of style are those of the figures and the bar,
/// which hold numbers.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Studies that are followed, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LivePage {
    /// Studies of the page.
    pub studies: Vec<LiveStudy>,
}

/// Standing of one study.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveStudy {
    /// Name of the study.
    pub name: String,
    /// File of the study.
    pub file: String,
    /// State of the study in a word or a few.
    pub state: String,
    /// Tone of the study's state.
    pub tone: Tone,
    /// Note on who runs the study, and for how long it has run.
    pub note: String,
    /// Warnings about the study or what is shown, a sentence each.
    pub warnings: Vec<String>,
    /// Answer of the study so far: which arm, how sure. `None` before anything is known of it.
    pub answer: Option<Answer>,
    /// Panels of the study, in order.
    pub panels: Vec<Panel>,
    /// Row of the study in an overview of several.
    pub overview: Overview,
}

/// Tone of the state of a study.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tone {
    /// The study goes on.
    Active,
    /// The study has ended as it should.
    Done,
    /// The study does not go on, or has not begun.
    #[default]
    Idle,
    /// Something about the study is wrong.
    Wrong,
}

/// Row of a study in an overview of several studies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overview {
    /// The arm that leads or was chosen.
    pub leader: String,
    /// Probability that the leading arm is the best.
    pub probability: String,
    /// Evaluations that have ended.
    pub evaluations: String,
    /// Cost of the evaluations.
    pub cost: String,
}

/// A part of a study under a heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Identifier of the panel, one of [`PANELS`].
    pub id: &'static str,
    /// Heading of the panel.
    pub heading: String,
    /// Blocks of the panel; a panel without blocks is not shown.
    pub blocks: Vec<Block>,
}

/// Identifiers of the panels that a study may have, in the order in which they stand.
pub const PANELS: [&str; 7] = [
    "belief", "arms", "slots", "failures", "groups", "notices", "logs",
];

impl Panel {
    /// Returns a panel without content yet.
    pub fn new(id: &'static str, heading: impl Into<String>) -> Self {
        Self {
            id,
            heading: heading.into(),
            blocks: Vec::new(),
        }
    }

    /// Adds a block at the end of the panel.
    pub fn block(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    fn markup(&self) -> Markup {
        html! {
            @if !self.blocks.is_empty() {
                h3.heading { (visible(&self.heading)) }
                @for block in &self.blocks { (block.markup()) }
            }
        }
    }
}

impl LivePage {
    /// Returns the whole page as it is now.
    pub fn html(&self) -> String {
        let parts = self.parts();
        let part = |id: String| {
            let content = parts.get(&id).map_or("", String::as_str);
            html! { div.part id=(id) { (PreEscaped(content)) } }
        };
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="referrer" content="no-referrer";
                    (meta(&self.title()))
                    link rel="stylesheet" href="live.css";
                    script src="live.js" defer {}
                }
                body {
                    p #connection.connection role="status" { "as of when this page was loaded" }
                    main {
                        @if self.studies.len() > 1 { (part("overview".to_owned())) }
                        @for place in 0..self.studies.len() {
                            article.study id=(format!("s{place}")) {
                                (part(format!("s{place}-head")))
                                (part(format!("s{place}-answer")))
                                @for panel in PANELS { (part(format!("s{place}-{panel}"))) }
                            }
                        }
                    }
                    noscript { p.connection { "Scripts are off: reload the page to see what is new." } }
                }
            }
        };
        page.into_string()
    }

    /// The HTML of every part of the page by its id, and the page's title as text under `title`.
    pub fn parts(&self) -> BTreeMap<String, String> {
        let mut parts = BTreeMap::from([("title".to_owned(), self.title())]);
        if self.studies.len() > 1 {
            parts.insert("overview".to_owned(), self.overview().into_string());
        }
        for (place, study) in self.studies.iter().enumerate() {
            let answer = study.answer.as_ref().map(Answer::markup);
            let answer = answer.map_or_else(String::new, Markup::into_string);
            parts.insert(format!("s{place}-head"), study.head().into_string());
            parts.insert(format!("s{place}-answer"), answer);
            for id in PANELS {
                let panel = study.panels.iter().find(|panel| panel.id == id);
                let content = panel.map_or_else(String::new, |panel| panel.markup().into_string());
                parts.insert(format!("s{place}-{id}"), content);
            }
        }
        parts
    }

    /// Returns the title of one study with its state, so that a tab says it; of several, how many
    /// go on.
    fn title(&self) -> String {
        match self.studies.as_slice() {
            [study] => format!("{}: {} – FIESTA", name(&study.name), visible(&study.state)),
            studies => {
                let active = studies.iter().filter(|study| study.tone == Tone::Active);
                format!(
                    "{} studies, {} running – FIESTA",
                    studies.len(),
                    active.count()
                )
            }
        }
    }

    fn overview(&self) -> Markup {
        html! {
            h1 { (self.studies.len()) " studies" }
            nav aria-label="Studies" {
                @for (place, study) in self.studies.iter().enumerate() {
                    a href=(format!("#s{place}")) { bdi { (name(&study.name)) } }
                }
            }
            (Block::Table(self.rows()).markup())
        }
    }

    fn rows(&self) -> Table {
        TableOf::new(&self.studies)
            .words("study", |study| study.name.clone())
            .words("state", |study| study.state.clone())
            .words("leader", |study| study.overview.leader.clone())
            .numbers("P(best)", |study| study.overview.probability.clone())
            .numbers("evaluations", |study| study.overview.evaluations.clone())
            .numbers("cost", |study| study.overview.cost.clone())
            .table()
    }
}

impl LiveStudy {
    fn head(&self) -> Markup {
        let tone = match self.tone {
            Tone::Active => "active",
            Tone::Done => "done",
            Tone::Idle => "idle",
            Tone::Wrong => "wrong",
        };
        html! {
            p.eyebrow { (name(&self.file)) }
            h2.title { bdi { (name(&self.name)) } }
            p.state {
                span.{ "tone " (tone) } { (visible(&self.state)) }
                @if !self.note.is_empty() { " " span.note { (flow(&self.note)) } }
            }
            @if !self.warnings.is_empty() {
                ul.warnings { @for warning in &self.warnings { li { (flow(warning)) } } }
            }
        }
    }
}

/// Returns the stylesheet of the page: that of a report, and what only a page that changes needs.
pub fn css() -> String {
    format!("{}{}", report_css(), include_str!("live.css"))
}

/// Returns the script of the page: it takes in events, and says whether they come.
pub fn script() -> &'static str {
    include_str!("live.js")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_nothing_wherever_they_stand() {
        let evil = "<img src=x onerror=alert(1)>\u{202e}\"'&";
        let study = LiveStudy {
            name: evil.to_owned(),
            file: evil.to_owned(),
            state: evil.to_owned(),
            note: evil.to_owned(),
            warnings: vec![evil.to_owned()],
            answer: Some(Answer {
                arm: Some(evil.to_owned()),
                verdict: evil.to_owned(),
                ..Answer::default()
            }),
            panels: vec![
                Panel::new("notices", evil).block(Block::Text(evil.to_owned())),
                Panel::new("logs", evil).block(Block::Outputs(vec![crate::html::RunOutput {
                    key: "e1".to_owned(),
                    label: evil.to_owned(),
                    tag: evil.to_owned(),
                    line: evil.to_owned(),
                    streams: vec![(evil.to_owned(), format!("{evil}\n</pre><script>"))],
                }])),
            ],
            overview: Overview {
                leader: evil.to_owned(),
                ..Overview::default()
            },
            ..LiveStudy::default()
        };
        let page = LivePage {
            studies: vec![study.clone(), study],
        };
        let html = page.html();
        assert!(!html.contains("<img") && !html.contains('\u{202e}'));
        assert_eq!(html.matches("<script").count(), 1, "the page's own");
        assert!(html.contains("<script src=\"live.js\" defer></script>"));
        let parts = page.parts();
        assert!(parts.values().all(|part| !part.contains("<script")));
        // Every part has its place on the page.
        for id in parts.keys().filter(|id| *id != "title") {
            assert!(html.contains(&format!("id=\"{id}\"")), "{id}");
        }
    }

    #[test]
    fn nothing_is_fetched_from_elsewhere() {
        for text in [css(), script().to_owned(), LivePage::default().html()] {
            for sign in ["http:", "https:", "//cdn", "url(", "@import"] {
                assert!(!text.contains(sign), "{sign}");
            }
        }
    }
}
