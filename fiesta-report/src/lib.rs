//! Reports of evaluations for people. Needs the words of `fiesta-core` and nothing else of this
//! project, so that any file of results and any user's own loop can be reported as well.
//!
//! | | |
//! |---|---|
//! | [`tuning_curve`], [`bands`], [`budget`], [`crossing`] | the best score to be expected of n trials, how sure that is, and what it takes to reach a score |
//! | [`summary`] | summaries and comparisons of arms that know which evaluations belong together |
//! | [`ArmTable`], [`Table`] | tables of arms as text, Markdown, LaTeX and CSV |
//! | [`sentence`], [`search_sentence`] | the line to quote in a paper |
//! | [`words`] | numbers, counts, times and lists of names in texts |
//! | [`checklist`] | what conferences ask of reported results, answered where the results know it |
//! | `figure` (feature `figures`; `png`, `pdf`) | nine kinds of figures |
//! | `html` (feature) | all of it on one page that needs no network |
//!
//! # Example
//! ```
//! use fiesta_core::{Arms, Direction, Moments};
//! use fiesta_report::{ArmRow, ArmTable};
//!
//! let arms = ArmTable::new("macro-F1", Direction::Maximize, vec![
//!     ArmRow {
//!         probability_best: Some(0.03),
//!         ..ArmRow::new("lstm", [0.61, 0.60].into_iter().collect())
//!     },
//!     ArmRow {
//!         probability_best: Some(0.97),
//!         ..ArmRow::new("tdlstm", [0.66, 0.65].into_iter().collect())
//!     },
//! ]);
//! let table = arms.brief().markdown();
//! assert!(table.contains("| **tdlstm** | 97.0 % | 2 | 0.6550 ± 0.0071 |"));
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

// The data of the example are drawn in tests as well.
#[cfg(test)]
extern crate self as fiesta_report;

#[cfg(feature = "analysis")]
pub mod analysis;
mod arm_table;
pub mod bands;
pub mod budget;
pub mod checklist;
mod cost_unit;
pub mod crossing;
#[cfg(feature = "figures")]
pub mod figure;
#[cfg(feature = "html")]
pub mod html;
mod percent;
mod search_sentence;
mod sentence;
pub mod summary;
mod table;
pub mod tuning_curve;
pub mod words;

pub use arm_table::{ArmRow, ArmTable, Behind, BestTrial, MeanOverPool, Versus, versus};
pub use cost_unit::{CostUnit, cost_with_unit};
pub use percent::{Percentages, counted_share, percent};
pub use search_sentence::search_sentence;
pub use sentence::{ArmCount, Setting, TieWords, asks_for_one, sentence};
pub use table::{Align, Table, TableOf, wrapped};
pub use words::{amount, at_most, cost, decimals, expected_loss};

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
