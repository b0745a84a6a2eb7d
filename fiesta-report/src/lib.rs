//! What a selection says to people.
//!
//! [`Standings`] is where every arm of a study stands, with a [`Table`] of it as text or Markdown;
//! [`sentence`] is the line to quote in a paper. `import` (a feature) reads other tools' results. Needs the words of `fiesta-core` and nothing else, so that any user's own loop can
//! be reported as well.
//!
//! # Example
//! ```
//! use fiesta_core::{Arms, Direction, Moments};
//! use fiesta_report::{Standing, Standings};
//!
//! let standings = Standings::new("macro-F1", Direction::Maximize, vec![
//!     Standing {
//!         probability_best: Some(0.03),
//!         ..Standing::new("lstm", [0.61, 0.60].into_iter().collect())
//!     },
//!     Standing {
//!         probability_best: Some(0.97),
//!         ..Standing::new("tdlstm", [0.66, 0.65].into_iter().collect())
//!     },
//! ]);
//! let table = standings.table().markdown();
//! assert!(table.contains("| **tdlstm** | 2 | 0.6550 ± 0.0071 | 97.0 % |"));
//! ```

pub mod bands;
pub mod budget;
pub mod crossing;
#[cfg(feature = "import")]
pub mod import;
pub mod pass_at_k;
mod search_sentence;
mod sentence;
mod standings;
mod table;
pub mod tuning_curve;

pub use search_sentence::{SearchResult, search_sentence};
pub use sentence::{Setting, percent, sentence};
pub use standings::{Standing, Standings};
pub use table::{Align, Table};
