//! Figures for papers and pages.
//!
//! Every kind of figure is a struct that takes plain data and implements [`Plot`]; drawn at a width
//! it becomes a [`Figure`], which is SVG, PNG (feature `png`) or PDF (feature `pdf`). The width is
//! a parameter because text keeps its size: a narrow figure has fewer ticks and shorter names, and
//! is not a small wide one. Pages show [`WIDE`] or [`NARROW`] by the width of their window.
//!
//! Axes end where the data end; lines and rows are named where they are; colours ([`palette`])
//! distinguish eight arms for every sight and in grey, lines also differ by their dashes and
//! markers. Where there are more than eight arms the best are in colour (or those named by
//! `highlight`) and the others grey, or each has a panel. Names may be anything: they are
//! shortened, with the whole name as the title that a pointer brings up, and inert.
//!
//! | figure | of |
//! |---|---|
//! | [`Violins`] | every arm's scores |
//! | [`BeliefHistory`] | P(best) over the evaluations |
//! | [`SuccessCurves`] | how often a budget finds the best arm |
//! | [`TuningCurves`] | the expected best of n |
//! | [`Ecdf`] | distributions, with bands |
//! | [`Forest`] | means with intervals |
//! | [`Pareto`] | scores against a measure, and the front of both |
//! | [`Pairwise`] | P(one arm is better than another) |
//! | [`CriticalDifference`] | average ranks of complete blocks |
//! | [`PerformanceProfile`] | the share of runs above a score |
//!
//! # Example
//! ```
//! use fiesta_core::Direction;
//! use fiesta_report::figure::{NARROW, Plot, Violins, WIDE};
//!
//! let violins = Violins::new("macro-F1", Direction::Maximize)
//!     .arm("lstm", &[0.58, 0.61, 0.60, 0.63])
//!     .arm("tdlstm", &[0.66, 0.64, 0.69, 0.67]);
//! let (wide, narrow) = (violins.draw(WIDE)?, violins.draw(NARROW)?);
//! assert!(wide.svg().starts_with("<svg "));
//! println!("<figure>{}<figcaption>{}</figcaption></figure>", narrow.svg(), narrow.caption());
//! # Ok::<(), fiesta_report::figure::FigureError>(())
//! ```

/// The method by which the arms of a figure that have a colour are chosen.
macro_rules! ranked {
    ($($field:tt).+) => {
        /// Sets the order of the rows from above, by name, such as the order of a table beside the
        /// figure. Arms that are not named come last, by their values.
        pub fn ranked(mut self, names: &[&str]) -> Self {
            self.$($field).+ = names.iter().map(|name| (*name).to_owned()).collect();
            self
        }
    };
}

macro_rules! highlight {
    ($($field:tt).+) => {
        /// Chooses which arms have a colour where there are more than eight.
        pub fn highlight(mut self, names: &[&str]) -> Self {
            self.$($field).+ = names.iter().map(|name| (*name).to_owned()).collect();
            self
        }
    };
}

mod axis;
mod belief;
mod critical_difference;
mod density;
mod distribution;
mod error;
mod forest;
mod format;
mod labels;
mod lines;
mod pairwise;
pub mod palette;
mod pareto;
mod picture;
#[cfg(any(feature = "png", feature = "pdf"))]
mod render;
mod rows;
mod scene;
mod success;
#[cfg(all(test, feature = "png"))]
mod tests;
mod text;
mod thin;
mod ticks;
mod tuning;
mod violins;

use crate::words::{self, one_or_more, range};

pub use axis::Spacing;
pub use belief::BeliefHistory;
pub use critical_difference::{BlockRanks, CriticalDifference};
pub use distribution::{Ecdf, PerformanceProfile};
pub use error::FigureError;
pub use forest::{Estimate, Forest};
pub use format::FigureFormat;
pub use pairwise::Pairwise;
pub use pareto::Pareto;
pub use picture::Figure;
pub use success::{SuccessCurves, SuccessPoint};
pub use tuning::{Curve, CurvePoint, TuningAxis, TuningCurves};
pub use violins::Violins;

/// The width of figures on a page or over two columns of a paper, in CSS pixels.
pub const WIDE: u32 = 720;

/// The width of figures on a screen of 400 pixels or in one column of a paper, in CSS pixels.
pub const NARROW: u32 = 360;

/// Plot of data: a kind of figure with its data.
pub trait Plot {
    /// Draws the figure at a width of `width` CSS pixels, from 240 to 4000; the height follows from
    /// what is drawn.
    ///
    /// # Errors
    /// What the data lack, or which value is no number; the figures' own documentation says what
    /// they need.
    fn draw(&self, width: u32) -> Result<Figure, FigureError>;
}

/// Writes a number of things: "1 arm", "12 arms".
fn count(number: usize, what: &str) -> String {
    let plural = one_or_more(number, "", "s");
    format!("{} {what}{plural}", text::number(number as f64, 1.0))
}

/// Writes sizes of samples: "n = 500", or "n = 3 to 50".
fn sizes(counts: impl IntoIterator<Item = usize>) -> String {
    let Some((low, high)) = axis::extent(counts.into_iter().map(|n| n as f64)) else {
        return String::new();
    };
    let number = |value| text::number(value, 1.0);
    format!("n = {}", range(&number(low), &number(high)))
}

/// Names of arms in a sentence: at most three, shortened.
fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names
        .into_iter()
        .map(|name| {
            let name = text::clean(&name.chars().take(200).collect::<String>());
            text::shorten(&name, 1.0, 24.0).into_owned()
        })
        .collect();
    words::listed(&names, 3)
}
