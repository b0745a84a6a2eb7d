//! Columns that look like those of the long form, by their names and by what they hold: proposed
//! where a file has other names.

mod certain;
mod column;
mod likely;
mod words;

pub(crate) use words::{are_arms_and_scores, plain, role_of};

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

/// Of several scores those whose names are names of scores throughout; all if none is.
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
use column::Sample;
use fiesta_core::Direction;
use std::fmt;

/// So many rows are looked at.
const SAMPLE: usize = 1000;

/// The names with which a file would be read whose columns are called otherwise than those of the
/// long form. They were tried: the file is read with them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proposal {
    /// The columns of arms, items, splits and seeds.
    pub columns: ColumnNames,
    /// The column of the score, if it is another one than was sought.
    pub metric: Option<String>,
    /// Other columns that could be the score.
    pub others: Vec<String>,
    /// Whether smaller scores are better, by the name of the score.
    pub direction: Direction,
    /// Whether some evaluations have no score.
    pub failures: bool,
    /// Whether anything speaks for other names.
    pub certainty: Certainty,
}

/// How sure a proposal is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Certainty {
    /// It would work. A name was given that is not there, or the file has a column for each arm.
    #[default]
    Proposed,
    /// Something speaks for other names, or for results that do not belong together: in words.
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
    /// let rows = "model,dataset,acc\nlstm,a,0.7\ngru,a,0.6\nlstm,b,0.8\ngru,b,0.7\n";
    /// assert!(!proposal(rows).is_certain());
    /// ```
    pub fn is_certain(&self) -> bool {
        self.certainty == Certainty::Certain
    }

    /// How the file is read with the names that are proposed.
    pub fn reading(&self, options: &ReadOptions) -> ReadOptions {
        ReadOptions {
            metric: self.metric.clone().or(options.metric.clone()),
            columns: self.columns.clone(),
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
        f.write_str(&all.join(", "))?;
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

/// The error, with the names with which the file would be read where these are what it lacks.
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
    let says_something = |proposal: &Proposal| {
        let named = proposal.columns.named();
        proposal.metric.is_some() || named.iter().any(|(_, name)| name.is_some())
    };
    let proposals = table.proposals(options).into_iter().enumerate();
    let mut proposals = proposals.filter(|(_, proposal)| says_something(proposal));
    let tried = proposals.find_map(|(place, proposal)| {
        let tried = ReadOptions {
            keep_failures: true,
            keep_missing: true,
            ..proposal.reading(options)
        };
        let records = scores::attempt(bytes, format, &tried, file).ok()?;
        let failures = !records.failures().is_empty() && !options.keep_failures;
        let mut tried = Proposal {
            failures,
            ..proposal
        };
        // One to fall back on is none that fits all columns.
        if place == 0 {
            tried.certainty = certain::certainty(bytes, format, file, options, &tried);
        }
        Some(tried)
    });
    match tried {
        Some(proposal) => RecordsError::Columns {
            problem: Box::new(match proposal.columns.arm {
                Some(_) => error.of_long_form(&table.names, options),
                None => error,
            }),
            proposal: Box::new(proposal),
        },
        None => error,
    }
}
