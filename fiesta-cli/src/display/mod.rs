//! Progress of a running study: a live display on a terminal, plain lines elsewhere.

mod eta;
mod live;
mod plain;
mod screen;

use fiesta::runner::{
    observer::{Blind, Observer},
    study::Study,
};

/// Amount of output of the display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// The display shows nothing.
    Quiet,
    /// The display shows events, such as the end of an evaluation.
    Normal,
    /// The display shows events, and where each job runs.
    Verbose,
}

/// Returns the display for standard error: a live one on a terminal, a plain one elsewhere.
pub(super) fn observer(style: Style, study: &Study) -> Box<dyn Observer> {
    let terminal = console::Term::stderr().is_term();
    match style {
        Style::Quiet => Box::new(Blind),
        Style::Normal if terminal => Box::new(live::Live::new(study)),
        Style::Normal => Box::new(plain::Plain::new(false)),
        Style::Verbose => Box::new(plain::Plain::new(true)),
    }
}
