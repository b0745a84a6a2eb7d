//! The answer at the top of the page: which arm, how sure, at what cost.

use super::{flow, name};
use crate::{
    Percentages,
    figure::palette,
    table::{legible, visible},
};
use fiesta_core::Target;
use maud::{Markup, html};

/// Greatest number of arms with a share of their own in the bar; the others are one share.
const ARMS: usize = 6;
/// Least share that is wide enough to be seen.
const SEEN: f64 = 0.01;

/// Answer of a page: which arm, how sure, at what cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Arm that is recommended; none if nothing is known.
    pub arm: Option<String>,
    /// Verdict on the arm, as the rest of a sentence that begins with its name; without an arm, the
    /// whole.
    pub verdict: String,
    /// Highlights of the page: the few numbers to see first.
    pub highlights: Vec<Highlight>,
    /// P(best) of every arm, from the most probable on; empty if there is no belief.
    pub belief: Vec<Share>,
    /// Target of P(best): which items of a pool it is of. `None` where there is no pool.
    pub belief_of: Option<Target>,
    /// The sentence to quote.
    pub sentence: String,
    /// Method of the choice: names of the program's parts, beneath the sentence.
    pub method: String,
    /// Limits of the sentence: what it does not claim.
    pub caveats: Vec<String>,
}

/// One arm's part of a belief.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// Name of the arm.
    pub name: String,
    /// Probability that the arm is the best, P(best).
    pub probability: f64,
    /// Place of the arm's colour among the figures' eight; none where it is one of the crowd.
    pub colour: Option<usize>,
}

/// A number to see first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Highlight {
    /// Label of the number.
    pub label: String,
    /// Text of the number, with its unit.
    pub value: String,
    /// A few words below the number.
    pub note: String,
}

impl Highlight {
    /// Returns a number with its label and a few words below it.
    pub fn new(
        label: impl Into<String>,
        value: impl Into<String>,
        note: impl Into<String>,
    ) -> Self {
        Self {
            label: label.into(),
            value: value.into(),
            note: note.into(),
        }
    }
}

impl Answer {
    pub(super) fn markup(&self) -> Markup {
        html! {
            section.answer aria-label="The answer" {
                p.verdict {
                    @if let Some(arm) = &self.arm { strong { bdi { (name(arm)) } } " " }
                    (flow(&self.verdict))
                }
                @if self.belief.len() > 1 { (self.bar()) }
                @if !self.highlights.is_empty() {
                    dl.highlights {
                        @for highlight in &self.highlights {
                            div {
                                dt { (visible(&highlight.label)) }
                                dd.value { (flow(&highlight.value)) }
                                @if !highlight.note.is_empty() { dd.note { (flow(&highlight.note)) } }
                            }
                        }
                    }
                }
                @if !self.sentence.is_empty() {
                    figure.quote {
                        blockquote { (legible(&self.sentence)) }
                        figcaption {
                            "The sentence to quote"
                            @if !self.method.is_empty() { ". " (legible(&self.method)) }
                        }
                    }
                }
                @if !self.caveats.is_empty() {
                    div.caveats {
                        h2 { "What this does not say" }
                        ul { @for caveat in &self.caveats { li { (flow(caveat)) } } }
                    }
                }
            }
        }
    }

    /// P(best) as shares of a bar, with a legend that says the same in words.
    fn bar(&self) -> Markup {
        let seen = self
            .belief
            .iter()
            .take_while(|share| share.probability >= SEEN);
        let mut count = seen.count();
        if count > ARMS {
            count = ARMS - 1;
        } else if count + 1 == self.belief.len() {
            // A crowd of one has a name.
            count += 1;
        }
        let probability: Vec<f64> = self.belief.iter().map(|share| share.probability).collect();
        let percentages = Percentages::new(&probability);
        let (shown, crowd) = self.belief.split_at(count);
        let others = (!crowd.is_empty()).then(|| Share {
            name: format!("{} others", crowd.len()),
            probability: crowd.iter().map(|share| share.probability).sum(),
            colour: None,
        });
        let crowd: Vec<usize> = (count..self.belief.len()).collect();
        let texts = (0..count).map(|place| percentages.of(place));
        let texts = texts.chain(others.iter().map(|_| percentages.together(&crowd)));
        let shares: Vec<(&Share, String)> = shown.iter().chain(&others).zip(texts).collect();
        html! {
            div.belief {
                p.label {
                    "P(best)"
                    @if let Some(items) = self.belief_of { " on " (items.name()) }
                }
                div.bar aria-hidden="true" {
                    @for (share, _) in &shares {
                        @if share.probability >= 0.001 {
                            span class=(share.class()) style=(format!("flex-grow:{:.4}", share.probability * 100.0)) {}
                        }
                    }
                }
                ul.legend {
                    @for (share, text) in &shares {
                        li {
                            span.swatch.(share.class()) aria-hidden="true" {}
                            bdi { (name(&share.name)) } " " b { (text) }
                        }
                    }
                }
            }
        }
    }
}

impl Share {
    fn class(&self) -> String {
        match self.colour {
            Some(colour) => format!("arm-{}", colour % palette::ARMS.len()),
            None => "arm-others".to_owned(),
        }
    }
}
