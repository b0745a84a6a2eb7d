//! Reports of evaluations for people: tuning curves with exact bands, summaries, figures, tables and
//! one HTML page. Needs `fiesta-core` and `fiesta-records`; with the feature `analysis` also
//! `fiesta-policies` and `fiesta-posterior`.
//!
//! | | |
//! |---|---|
//! | [`ArmCurve`](tuning_curve::ArmCurve) | the tuning curve of an arm's scores with its band, as a table and a figure, in one call |
//! | [`tuning_curve`], [`bands`], [`budget`], [`crossing`] | the best score to be expected of n trials, how sure that is, and what it takes to reach a score |
//! | [`summary`] | summaries and comparisons of arms that know which evaluations belong together |
//! | [`ArmTable`], [`Table`] | tables of arms as text, Markdown, LaTeX and CSV |
//! | [`words`], [`percent()`] | counts, times, costs and shares in texts |
//! | `figure` (feature `figures`; `png`, `pdf`) | nine kinds of figures |
//! | `html` (feature) | a page that needs no network |
//! | `analysis` (feature) | P(best), curves, plans and simulations from files of results, what follows from a study, and with `html` the whole report |
//!
//! # Example
//! ```
//! use fiesta_report::{ArmRow, ArmTable, Direction};
//!
//! let arms = ArmTable::new("macro-F1", Direction::Maximize, vec![
//!     ArmRow::new("lstm", [0.61, 0.60].into_iter().collect()).probability_best(0.03),
//!     ArmRow::new("tdlstm", [0.66, 0.65].into_iter().collect()).probability_best(0.97),
//! ]);
//! let table = arms.brief().markdown();
//! assert!(table.contains("| **tdlstm** | 97.0 % | 2 | 0.6550 ± 0.0071 |"));
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
// What only the whole report calls is not called without it.
#![cfg_attr(
    not(all(feature = "analysis", feature = "html")),
    allow(dead_code, unused_imports)
)]

// The data of the example are drawn in tests as well.
#[cfg(test)]
extern crate self as fiesta_report;

#[cfg(feature = "analysis")]
pub mod analysis;
mod arm_table;
pub mod bands;
mod binomial;
pub mod budget;
#[cfg(feature = "html")]
mod checklist;
mod cost_unit;
pub mod crossing;
#[cfg(feature = "figures")]
pub mod figure;
#[cfg(feature = "html")]
pub mod html;
mod percent;
#[cfg(feature = "analysis")]
mod search_sentence;
#[cfg(feature = "analysis")]
mod sentence;
pub mod summary;
mod table;
pub mod tuning_curve;
pub mod words;

pub use arm_table::{ArmRow, ArmTable, BehindBest};
#[cfg(feature = "analysis")]
pub(crate) use arm_table::{BestTrial, MeanOverPool};
#[cfg(all(feature = "analysis", feature = "html"))]
pub(crate) use arm_table::{Versus, versus};
pub use cost_unit::{CostUnit, cost_with_unit};
pub use fiesta_core::{self, Direction, Moments};
#[cfg(feature = "analysis")]
pub use fiesta_core::{ArmId, Arms, Belief, Conclusion, Counts, Design, FBeta, Marginal, Method};
#[cfg(feature = "analysis")]
pub use fiesta_records;
pub(crate) use percent::counted_share;
pub use percent::{Percentages, percent};
#[cfg(feature = "analysis")]
pub(crate) use search_sentence::search_sentence;
#[cfg(feature = "analysis")]
pub use sentence::TieWords;
#[cfg(feature = "analysis")]
pub(crate) use sentence::{ArmCount, Setting, asks_for_one, sentence};
pub use table::{Align, Cell, Table, TableOf, wrapped};
pub use words::{amount, cost};
pub(crate) use words::{at_most, decimals, expected_loss};

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
