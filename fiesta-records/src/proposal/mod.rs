//! Proposals of columns: which columns of a file look like the arm, item, split, seed and score of
//! the long form, by their names and by what they hold.

mod certain;
mod column;
mod likely;
mod table;
mod words;

pub(crate) use column::Sample;
pub(crate) use words::plain;

/// Whether the name of a score is that of a loss, which is better when smaller: a word of it is
/// known as one, and none turns it round.
///
/// # Example
/// ```
/// use fiesta_records::names_loss;
/// assert!(names_loss("val/loss") && names_loss("testRMSE"));
/// assert!(!names_loss("accuracy") && !names_loss("neg_log_loss"));
/// ```
pub fn names_loss(name: &str) -> bool {
    words::is_loss(&plain(name))
}

/// Which scores are better, as the name of the score says it; `None` if it does not.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_records::named_direction;
/// assert_eq!(named_direction("val/loss"), Some(Direction::Minimize));
/// assert_eq!(named_direction("test_accuracy"), Some(Direction::Maximize));
/// assert_eq!(named_direction("makespan"), None);
/// ```
pub fn named_direction(name: &str) -> Option<Direction> {
    words::direction(&plain(name))
}

/// Whether a name is that of splits, seeds, items, data sets or the like.
pub(crate) fn names_case(name: &str) -> bool {
    words::role_of(name).is_some()
}

/// Whether a word of a name is known as that of a case, a step, a metric, a setting or the like.
pub(crate) fn names_no_system(name: &str) -> bool {
    words::no_system(&plain(name)).is_some()
}

/// Returns those names that are names of scores in every word, or all if there are none.
pub(crate) fn sound_like_scores(names: &[String]) -> Vec<String> {
    let is_score = |name: &&String| words::are_of_score(&words::plain(name));
    let sound: Vec<String> = names.iter().filter(is_score).cloned().collect();
    if sound.is_empty() {
        names.to_vec()
    } else {
        sound
    }
}

use crate::{ColumnNames, ReadOptions, RecordsError, excerpt, rows, scores};
use fiesta_core::Direction;
use std::fmt;

/// Most rows of a file that proposals are made from.
const SAMPLE: usize = 1000;

/// The names with which a file would be read whose columns are called otherwise than those of the
/// long form. They were tried: the file is read with them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proposal {
    /// The columns of arms, items, splits and seeds.
    pub columns: ColumnNames,
    /// The column of the score, if it is not the one that was sought.
    pub metric: Option<String>,
    /// Other columns that could be the score.
    pub others: Vec<String>,
    /// Which scores are better, by the name of the score. `None` if it does not say.
    pub direction: Option<Direction>,
    /// The columns of the arms, in a table with a column for each.
    pub arms: Vec<String>,
    /// Whether some evaluations have no score.
    pub failures: bool,
    /// How certain the proposed names are.
    pub certainty: Certainty,
}

/// How sure a proposal is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Certainty {
    /// The file can be read with the proposed names. A given name is not there, or the file has a
    /// column for each arm.
    #[default]
    Proposed,
    /// The file would be misread, or would compare nothing; the reason in words.
    Withheld(String),
    /// The names may be wrong, or results may not belong together; the reason in words.
    Doubtful(String),
    /// Every column of the file is accounted for, in all rows.
    Certain,
}

impl Proposal {
    /// Whether it may be taken unasked, if that is said: the names say what the columns are, every
    /// word of them, and no other column could be the score, the arm, or tell results apart that do
    /// not belong together.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{ReadOptions, read_from};
    /// let proposal = |csv: &str| {
    ///     let error = read_from(csv.as_bytes(), None, &ReadOptions::default(), "s").unwrap_err();
    ///     error.proposal().cloned().unwrap()
    /// };
    /// let rows = "model,fold,acc\nlstm,0,0.7\ngru,0,0.6\nlstm,1,0.8\ngru,1,0.7\n";
    /// assert!(proposal(rows).is_certain());
    /// let rows = "model,tag,acc\nlstm,a,0.7\ngru,a,0.6\nlstm,a,0.8\ngru,b,0.7\n";
    /// assert!(!proposal(rows).is_certain());
    /// ```
    pub fn is_certain(&self) -> bool {
        self.certainty == Certainty::Certain
    }

    /// Returns the options to read the file with the proposed names.
    pub fn reading(&self, options: &ReadOptions) -> ReadOptions {
        ReadOptions {
            metric: self.metric.clone().or(options.metric.clone()),
            columns: self.columns.clone(),
            arms: if self.arms.is_empty() {
                options.arms.clone()
            } else {
                self.arms.clone()
            },
            ..options.clone()
        }
    }
}

impl fmt::Display for Proposal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let metric = self.metric.as_deref().map(|metric| ("score", metric));
        let named = self.columns.named().into_iter();
        let named = named.filter_map(|(role, name)| Some((role, name?)));
        let all: Vec<String> = named
            .chain(metric)
            .map(|(role, name)| format!("`{}` could be the {role}", excerpt(name)))
            .collect();
        if let Certainty::Withheld(why) = &self.certainty {
            return f.write_str(why);
        }
        write!(f, "by its names and contents, {}", all.join(", "))?;
        if !self.arms.is_empty() {
            let between = if all.is_empty() { "" } else { ", " };
            write!(
                f,
                "{between}{} could be the systems",
                crate::words::quoted(&self.arms)
            )?;
        }
        if !self.others.is_empty() {
            let others = self
                .others
                .iter()
                .map(|name| format!("`{}`", excerpt(name)));
            let others: Vec<String> = others.collect();
            write!(f, " (and so could {})", others.join(", "))?;
        }
        Ok(())
    }
}

/// Returns the first rows of a file as texts; empty if the file is not a table.
pub(crate) fn rows_of(bytes: &[u8], format: Option<crate::Format>, file: &str) -> Vec<Vec<String>> {
    let sample = rows::sample(bytes, format, file, SAMPLE);
    sample.map_or_else(Vec::new, |(_, cells)| cells)
}

/// Returns the error, with proposed names of columns if they would make the file readable.
pub(crate) fn explained(
    error: RecordsError,
    bytes: &[u8],
    format: Option<crate::Format>,
    options: &ReadOptions,
    file: &str,
) -> RecordsError {
    if !error.is_about_columns() {
        return error;
    }
    let Some((names, cells)) = rows::sample(bytes, format, file, SAMPLE) else {
        return error;
    };
    let table = Sample { names, cells };
    let Some(proposal) = table.proposal(options) else {
        return error;
    };
    let named = proposal.columns.named();
    let says_something = proposal.metric.is_some()
        || !proposal.arms.is_empty()
        || named.iter().any(|(_, name)| name.is_some());
    if !says_something {
        return error;
    }
    let tried = ReadOptions {
        keep_failures: true,
        keep_missing: true,
        ..proposal.reading(options)
    };
    let mut tried = match scores::attempt(bytes, format, &tried, file) {
        Ok(records) => Proposal {
            failures: !records.failures().is_empty() && !options.keep_failures,
            ..proposal
        },
        // What cannot be read so may say why.
        Err(_) => match certain::wrong(&table, options, &proposal) {
            Some(why) => Proposal {
                certainty: Certainty::Withheld(why),
                ..proposal
            },
            None => return error,
        },
    };
    if tried.certainty == Certainty::Proposed {
        tried.certainty = certain::certainty(bytes, format, file, options, &tried);
    }
    RecordsError::Columns {
        problem: Box::new(match tried.columns.arm {
            Some(_) => error.of_long_form(&table.names, options),
            None => error,
        }),
        proposal: Box::new(tried),
    }
}
