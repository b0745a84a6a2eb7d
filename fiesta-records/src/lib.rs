//! Files of scores and of confusion counts: their reading and writing.
//!
//! [`Evaluations`] are evaluations that were made already; [`CountRecords`] are those of documents,
//! which have confusion counts instead of scores.
//!
//! # The long form
//! A row per evaluation, in CSV (`.csv`; `.tsv` with tabs) or JSON lines (`.jsonl`, `.ndjson`; an
//! object per line, with the names of the columns as its keys):
//!
//! ```csv
//! arm,split,seed,score,cost,duration
//! lstm,0,17,0.71,0.02,31.5
//! ```
//!
//! | column | holds | needed |
//! |---|---|---|
//! | `arm` | the candidate's name | yes |
//! | `score`, or the name in [`Reading::metric`] | a finite number, within [`Reading::bounds`] | yes |
//! | `item` | name of the question, task or document it was made on, which other arms were evaluated on as well | no |
//! | `split` | natural number of the [case](fiesta_core::Case) the evaluation was made on, or its name: names are numbered in the order of their first appearance | no |
//! | `seed` | a natural number | no |
//! | `cost` | what it cost, ≥ 0, in the user's unit | no |
//! | `duration` | how long it took, ≥ 0, in seconds | no |
//! | `status` | whether it ended with a score (`ok`, `completed`, `finished`, …) or failed (`failed`, `crashed`, …) | no |
//!
//! The metric may be called `cost` or `duration`: that column is then the score, and nothing else.
//! An empty field (`null` in JSON) in a column that is not needed says that the value is not known.
//! A row whose (arm, split, seed) has occurred already is refused: it would count one evaluation
//! twice. Where only several columns together name what is compared, they are named as one
//! ([`ColumnNames::arm`]): `model+prompt`.
//!
//! # Notations
//! A score that is no plain number is read if all cells of its column, or of the columns of all arms,
//! are written alike. [`Evaluations::remarks`] says which columns were read so.
//!
//! | cells | are read as |
//! |---|---|
//! | `71,2` | 71.2, unless a comma may separate thousands |
//! | `71.2%`, `71,20 %` | 71.2: scores are percentages |
//! | `True`/`False`, `yes`/`no`, `pass`/`fail`, `passed`/`failed`, `correct`/`incorrect`, `✓`/`✗`; `true`/`false` in JSON | 1 and 0. In a table with a column for each arm, words that may tell of properties (`yes`, `True`, `✓`) only where the arms are named |
//! | `-`, `–`, `—`, `?`, `n.a.` | empty cells |
//! | `N/A`, `null` and the like | NaN: an evaluation without a score |
//!
//! A number without a percent sign beside one with it, or a point beside a comma, is refused with its
//! line.
//!
//! # Items
//! In a pool of items, every arm is evaluated on the same questions, and scores on one item belong
//! together. Items are numbered in the order of their first appearance ([`Evaluations::items`]), and
//! [`Record::split`] holds that number; a file has a column `item` or a column `split`, not both.
//!
//! ```csv
//! arm,item,seed,accuracy
//! large,algebra/17,0,1
//! small,algebra/17,0,0
//! ```
//!
//! Every row names its item, be it by a text or, in JSON, by a number. Where only several columns
//! together tell items apart, they are named as one ([`ColumnNames::item`]): `dataset+question`. Line breaks in
//! their names are written as `\n`. The same arm and item may
//! stand on several rows where a `seed` tells these repeats apart; otherwise they are the same
//! answer twice, and refused.
//!
//! # Failures
//! The row of an evaluation that failed has no score, and says so in the column `status`:
//!
//! | `status`, in small or capital letters | the row has |
//! |---|---|
//! | empty, `ok`, `done`, `complete`, `completed`, `finished`, `success`, `succeeded` | a score |
//! | `failed`, `fail`, `failure`, `crashed`, `killed`, `error`, `timeout`, or a word with one of these in it (`runtime_error`) | none |
//! | `running`, `pending`, `pruned`, `skipped` and the like | is refused: it has not ended |
//! | anything else | none; with a score, it is refused |
//!
//! They are kept apart from the scores ([`Evaluations::failures`]) where [`Reading::keep_failures`]
//! asks for them, and refused elsewhere, for what to make of them is a decision.
//!
//! # The user's own columns
//! Other columns (hyperparameters, `document`, notes) are kept as texts with
//! [`Reading::keep_columns`], and not read without. Columns without a name, such as pandas
//! writes for the numbers of rows, are none. In JSON, strings are kept as they are, and other
//! values as JSON without white space. White space around a text is no part of it, and no text and
//! an empty one are the same.
//!
//! # Formulas
//! In CSV, an apostrophe before a text that a spreadsheet would take for a formula (`'=cmd()`,
//! `'-x`) is no part of it: writing puts it there ([`inert`]), reading takes it away
//! ([`original`]).
//!
//! # The wide form
//! CSV with a column for each arm, below a first column that names or numbers the rows: an item, a
//! data set, a split, a seed, or any texts that differ.
//!
//! ```csv
//! dataset,large,small
//! news,0.71,0.69
//! mails,0.73,
//! ```
//!
//! The columns of the other names are arms only if nothing speaks against it: each holds numbers, the
//! numbers of all could be scores of one kind, and no name is known as that of a step, a metric, a
//! setting, a time, a count or a summary. Columns such as `p-value` and `Δ`, which compare arms, are
//! left out. Where the first column has no telling name and rows could be the arms as well, and where a
//! column may hold the right answers (`label`, `gold`, `target`), the table is refused with the ways to
//! read it ([`HeaderProblem::Choose`]). Any other table is refused with the doubt; whoever names
//! the columns ([`Reading::arms`]) is asked nothing. The words that are known stand in one table
//! of this crate, `src/proposal/words.rs`.
//!
//! | the first column holds | scores on a row are paired by |
//! |---|---|
//! | texts that differ, or names of items or data sets | the item |
//! | numbers or names of splits or folds | the split |
//! | seeds | nothing |
//!
//! A row or a column that is called a mean or a sum (`mean`, `average`, `avg`, `overall`, `total`,
//! `sum`) is left out where it is one of the others, to within their rounding, and refused where it is
//! not.
//!
//! An empty cell means that the arm has no score there; an arm with fewer scores has empty cells, or
//! rows that end early. Where no column numbers the rows, or texts other than those of items name them,
//! they are splits if [`Reading::paired_rows`] says so. A column `document` is one of the user's own, of each score
//! on the row. A column with the metric's name is no arm, but the sign of a long form that lacks its
//! column `arm`, and is refused.
//!
//! # A row for each system
//! A table whose first column is called `model`, `method`, `system` or the like, with another text on
//! each row and a number in every other cell, is read with a split for each other column.
//!
//! ```csv
//! model,news,mails,books,avg
//! large,71.2,70.0,69.1,70.1
//! small,69.5,70.2,66.4,68.7
//! ```
//!
//! There are three such columns or more, of shares or of percentages, and nothing speaks against their
//! being data sets: no name of a metric, a setting, a step, a spread, a size or a rank, and no numbers
//! ten times as large as others. Nothing says which scores are better ([`Evaluations::direction`]).
//!
//! # Means with their spread
//! A row for each arm, with the mean of its scores and their spread, holds [`Summaries`] and no
//! evaluations: [`recognised_summaries`] tells such a table, [`Summaries::read`] reads it.
//!
//! ```csv
//! model,accuracy,std,n
//! large,81.2,1.1,5
//! small,79.4,1.3,5
//! ```
//!
//! # JSON
//! `{"lstm": [0.71, 0.73], "gru": [0.69]}`, or a list of objects with the keys of the long form.
//!
//! # Counts
//! A row per arm and document: CSV, JSON lines or a list of objects with `arm`, `document`, `tp`,
//! `fp`, `fn` and, if there are any, `tn`; `cost` and `duration` as above.
//!
//! ```csv
//! arm,document,tp,fp,tn,fn
//! tagger,news-17,12,4,0,3
//! ```
//!
//! Documents are numbered in the order of their first appearance. Without a column `document`, the
//! rows of each arm are its documents 1, 2, 3, … in the order of the file, so that the k-th row of
//! one arm and of another are on the same document. With a column `class`, the rows of several
//! classes on one document are added up, which makes their F-measure the micro-average; the cost
//! and the duration are those of the document, so that they stand on one of its rows or are the
//! same on all. An empty field is an error, but for a cost or a duration that is not known.
//!
//! # What all formats have in common
//! Text is UTF-8, with or without a byte order mark; lines end in LF or CRLF; blank lines are no
//! rows, nor are rows of separators alone, or lines that begin with `#` before the header of a table, or a title above it; white space around a field is no part of it. Two names of
//! arms or items that differ in spaces alone, or in how Unicode writes the same letters, are refused. A file is read whole or refused with the line
//! of the first bad row: nothing is skipped without a word, and nothing is guessed.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod averages;
mod bare;
mod cases;
mod cautions;
mod choice;
mod collection;
mod columns;
mod confidences;
mod counts;
mod data_part;
mod data_sets;
mod direction;
mod duplicates;
mod error;
mod folds;
mod format;
mod formula;
pub mod gold;
mod groups;
mod legible;
mod metrics;
mod mixed;
mod names;
mod number;
mod pairing;
mod problem;
mod proposal;
mod provenance;
mod read;
mod reading;
mod record;
mod rows;
mod scales;
mod scores;
mod shape;
mod spread;
mod status;
mod summaries;
mod systems;
pub mod table;
mod whole;
mod wide;
pub mod words;
mod write;

#[cfg(test)]
mod tests;

pub use bare::BareScores;
pub use choice::Choice;
pub use collection::{Evaluations, Numbers, Records};
pub use columns::ColumnNames;
pub use counts::{CountRecord, CountRecords, FailedCounts};
#[doc(hidden)]
pub use data_part::DataPart;
pub use direction::Undirected;
pub use error::{HeaderProblem, RecordsError};
pub use folds::Folds;
pub use format::Format;
pub use formula::{inert, original};
pub use groups::check_groups;
pub use legible::legible;
pub use names::OWN;
pub use number::{is_missing, whole};
pub use pairing::SplitSource;
pub use problem::RowProblem;
pub use proposal::{
    Certainty, ColumnRole, Proposal, Role, Rule, loss_among, named_direction, names_arms,
    names_items, role_of_column, sound_like_scores, told_of_references,
};
pub use provenance::Provenance;
pub use read::{
    Understood, read, read_counts, read_counts_and_failures_from, read_counts_from, read_from,
    understand,
};
pub use reading::{Missing, Pruned, Reading};
pub use record::{Failed, Record, Row};
pub use rows::text;
pub use scores::of_arms;
pub use spread::recognised as recognised_summaries;
pub use summaries::{Spread, Summaries, Summary, UnknownSpread};
pub use whole::{LARGEST_FILE, read_all, read_open, read_rest, read_whole};
pub use words::excerpt;
pub use write::{write_counts_csv, write_csv, write_jsonl};

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
