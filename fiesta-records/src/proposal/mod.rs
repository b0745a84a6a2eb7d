//! Proposals of columns: which columns of a file look like the arm, item, split, seed and score of
//! the long form, by their names and by what they hold.

mod candidates;
mod certain;
mod column;
mod direction;
mod likely;
mod roles;
mod sides;
mod systems;
mod table;
mod turned;
mod words;

pub use candidates::told_of_references;
pub(crate) use candidates::{
    may_be_no_candidate, names_gold, names_no_candidate, names_prediction, names_whole,
};
pub(crate) use column::Sample;
pub use direction::{loss_among, named_direction};
pub use roles::{ColumnRole, Role, Rule};
pub(crate) use sides::{Side, are_numbered, either, side};
pub(crate) use systems::SystemsTable;
pub(crate) use words::{are_of_arms, names_quantity, names_statistic, plain};

/// Returns the part of the long form that a column has by its whole name: `split`, `seed` or `item`
/// (also of a data set). `None` of any other name.
///
/// # Example
/// ```
/// use fiesta_records::role_of_column;
/// assert_eq!(role_of_column("question_id"), Some("item"));
/// assert_eq!(role_of_column("fold"), Some("split"));
/// assert_eq!(role_of_column("accuracy"), None);
/// ```
pub fn role_of_column(name: &str) -> Option<&'static str> {
    words::role_of(name)
}

/// Returns whether a column is by its whole name one of items: `question`, `doc_id`, also `id`.
///
/// # Example
/// ```
/// use fiesta_records::names_items;
/// assert!(names_items("id") && names_items("Question"));
/// assert!(!names_items("fold") && !names_items("model"));
/// ```
pub fn names_items(name: &str) -> bool {
    role_of_column(name) == Some("item") || words::is(words::Kind::RowName, &plain(name))
}

/// Returns whether a column names items, on which answers are given.
pub(crate) fn names_answers(name: &str) -> bool {
    let plain = plain(name);
    words::is(words::Kind::Item, &plain) || words::is(words::Kind::RowName, &plain)
}

/// Returns whether a name, such as `is_long`, is that of a property whose values are words such as `yes`.
pub(crate) fn may_be_property(name: &str) -> bool {
    const VERBS: [&str; 9] = [
        "is", "has", "was", "are", "can", "use", "uses", "with", "needs",
    ];
    let plain = plain(name);
    plain
        .split('_')
        .next()
        .is_some_and(|first| VERBS.contains(&first))
        && plain.contains('_')
}

/// Returns whether a column is certainly one of arms by its name: `model`, `system`, `method`, …
///
/// # Example
/// ```
/// use fiesta_records::names_arms;
/// assert!(names_arms("model") && names_arms("system_name"));
/// assert!(!names_arms("name") && !names_arms("model_accuracy"));
/// ```
pub fn names_arms(name: &str) -> bool {
    let plain = plain(name);
    plain != "name" && words::are_of_arms(&plain)
}

/// Whether a name is that of splits, seeds, items, data sets or the like.
pub(crate) fn names_case(name: &str) -> bool {
    words::role_of(name).is_some()
}

/// Returns whether a row or a column of this name is a mean or a sum of the others.
pub(crate) fn names_summary(name: &str) -> bool {
    // Nearly every name is longer or no word, and there may be millions.
    const LONGEST: usize = 20;
    let name = name.trim();
    let is_mean = |word: &str| word != "median" && words::is(words::Kind::Mean, word);
    let is_beside = |word: &str| matches!(word, "all" | "grand") || is_weighted(word);
    name.len() <= LONGEST && {
        let plain = plain(name);
        let known = |word: &str| is_mean(word) || is_beside(word);
        plain.split('_').any(is_mean) && plain.split('_').all(known)
    }
}

/// Returns whether a name says that a mean weights its numbers: `micro`, `macro`, `weighted`.
pub(crate) fn is_weighted(name: &str) -> bool {
    let plain = plain(name);
    let mut words = plain.split('_');
    words.any(|word| matches!(word, "micro" | "macro" | "weighted"))
}

/// Returns whether the name of a column says that it numbers the stages of a training. Names of the
/// best stage, or of the number of stages, do not count.
pub(crate) fn is_stage(name: &str) -> bool {
    let plain = plain(name);
    let is_one =
        |word: &str| ["best", "total", "num", "n", "max", "early", "last", "final"].contains(&word);
    words::has(words::Kind::Step, &plain) && !plain.split('_').any(is_one)
}

/// Returns whether a column is by its name a setting, or something else that makes several systems of
/// one: `lr`, `prompt`, `optimizer`.
pub(crate) fn is_setting(name: &str) -> bool {
    use words::Kind::{Arm, OtherSetting, Setting};
    let plain = plain(name);
    let known = |word: &str| {
        let is_one = [Arm, Setting, OtherSetting]
            .into_iter()
            .any(|kind| words::is(kind, word));
        is_one || matches!(word, "type" | "version" | "template" | "shots")
    };
    let is_vague = |word: &str| matches!(word, "name" | "group" | "experiment" | "sweep");
    plain.split('_').all(known)
        && !plain.split('_').all(is_vague)
        && !words::are_of_counts(&plain)
        && words::role_of(name).is_none()
}

/// Returns whether a column is by its whole name one of data sets.
pub(crate) fn names_data_sets(name: &str) -> bool {
    words::is(words::Kind::Dataset, &plain(name))
}

/// Returns whether a column is by its name one of data sets, splits or items.
pub(crate) fn is_case(name: &str) -> bool {
    words::role_of(name).is_some_and(|role| role != "seed")
}

/// Returns whether a column is by its name one of groups of cases, which may have numbers.
pub(crate) fn is_group(name: &str) -> bool {
    const GROUPS: &str =
        "level difficulty tier grade category stratum bin bucket severity class hop hops type";
    let plain = plain(name);
    is_case(name)
        || plain
            .split('_')
            .any(|word| GROUPS.split_whitespace().any(|of| of == word))
}

/// Returns whether a column is by its name a remark on a run, or says which run it was.
pub(crate) fn is_remark(name: &str) -> bool {
    use words::Kind::{Note, Remark, Run};
    let plain = plain(name);
    [Note, Remark, Run]
        .into_iter()
        .any(|kind| words::has(kind, &plain))
}

/// Returns whether a score is by its name a share, which may be written as a percentage.
pub(crate) fn is_share(name: &str) -> bool {
    const WORDS: &str = "acc accuracy f1 auc auroc auprc ap map mrr ndcg precision recall em iou miou dice jaccard sensitivity \
                         specificity fscore bleu sacrebleu rouge rouge1 rouge2 rougel chrf meteor";
    let plain = plain(name);
    let is_one = |word: &str| WORDS.split_whitespace().any(|known| known == word);
    plain.split('_').any(is_one) && !words::is_loss(&plain)
}

/// Returns whether nothing in the name of a score excludes that it is a share: it is no loss, unless one
/// that counts errors.
pub(crate) fn may_be_share(name: &str) -> bool {
    let plain = plain(name);
    let counts = |word: &str| matches!(word, "err" | "error" | "wer" | "cer" | "fehlerrate");
    !words::is_loss(&plain) || plain.split('_').any(counts)
}

/// Returns whether a whole name is a known word for items, such as questions.
pub(crate) fn is_word_of_items(name: &str) -> bool {
    words::is(words::Kind::Item, &plain(name))
}

/// Returns whether columns without any that names the rows are certainly the scores of systems, one each: no
/// name or number speaks against it, and they are not called as data sets, groups, folds, years or parts of the data.
/// Numbers say nothing where lists are unequally long, as they are no columns of one table.
pub(crate) fn are_of_systems_alone(names: Vec<String>, cells: Vec<csv::StringRecord>) -> bool {
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    let are_others = sides::are_cases(&all)
        || candidates::are_groups(&all)
        || are_parts(all.iter().copied())
        || all[0] == scores::UNNAMED;
    let is_full =
        |row: &csv::StringRecord| row.len() == all.len() && row.iter().all(|cell| !cell.is_empty());
    let is_uneven = !cells.last().is_some_and(is_full);
    let sample = Sample {
        names,
        cells,
        joined: 0,
    };
    let is_alone = is_uneven || sample.names.len() < 2;
    !are_others && (is_alone || sample.arms_table(true).doubt.is_none())
}

/// Whether a word of a name is known as that of a case, a step, a metric, a setting or the like.
pub(crate) fn names_no_system(name: &str) -> bool {
    words::no_system(&plain(name)).is_some()
}

/// Returns whether a name is that of a metric, which may name a part of the data, too: `acc`, `train_loss`.
pub(crate) fn names_metric(name: &str) -> bool {
    let plain = plain(name);
    let is_other = |word: &&str| DataPart::of_word(word) != Some(DataPart::Training);
    let words: Vec<&str> = plain.split('_').filter(is_other).collect();
    words::are_of_score(&words.join("_"))
}

/// Returns those names that are names of scores in every word, or all if there are none.
pub fn sound_like_scores(names: &[String]) -> Vec<String> {
    let is_score = |name: &&String| words::are_of_score(&words::plain(name));
    let sound: Vec<String> = names.iter().filter(is_score).cloned().collect();
    if sound.is_empty() {
        names.to_vec()
    } else {
        sound
    }
}

use crate::{
    ColumnNames, Format, HeaderProblem, Reading, RecordsError,
    data_part::{DataPart, are_parts},
    excerpt, rows, scores,
};
use fiesta_core::{Direction, shell_word};
use std::fmt;

/// Largest number of rows that are read of a file to propose columns.
const SAMPLE: usize = 1000;

/// Names of columns with which a file can be read that calls its columns otherwise than the long
/// form does. The file was read with these names to try them.
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
    /// The role of every column of the file.
    pub roles: Vec<ColumnRole>,
}

/// How sure a proposal is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Certainty {
    /// The file can be read with the proposed names. The user named a column that the file lacks,
    /// or the file has a column for each arm.
    #[default]
    Proposed,
    /// With the proposed names, the file would be misread or compare nothing: the reason in words.
    Withheld(String),
    /// The proposed names may be wrong, or results may not belong together: the reason in words.
    Doubtful(String),
    /// Every column of the file is accounted for, in all rows.
    Certain,
}

impl Proposal {
    /// Returns whether the proposal may be used without asking, if the user is told: every word of
    /// the names says what the columns are, and no other column could be the score, the arm, or
    /// tell results apart that do not belong together.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{Reading, read_from};
    /// let proposal = |csv: &str| {
    ///     let error = read_from(csv.as_bytes(), None, &Reading::default(), "s").unwrap_err();
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

    /// Returns the flags of the command line that name the columns, quoted for a shell.
    pub fn flags(&self) -> String {
        let named = self.columns.named().into_iter();
        let mut flags: Vec<(&str, String)> = named
            .filter_map(|(role, name)| Some((role, name?.to_owned())))
            .collect();
        if let Some(metric) = &self.metric {
            let is_arm_first = flags.first().is_some_and(|(flag, _)| *flag == "arm");
            flags.insert(usize::from(is_arm_first), ("score", metric.clone()));
        }
        if !self.arms.is_empty() {
            flags.push(("arms", self.arms.join(",")));
        }
        let flags = flags.iter().map(|(flag, value)| {
            let between = if value.starts_with('-') { "=" } else { " " };
            format!("--{flag}{between}{}", shell_word(value))
        });
        flags.collect::<Vec<String>>().join(" ")
    }

    /// Returns the options to read the file with the proposed names.
    pub fn reading(&self, options: &Reading) -> Reading {
        Reading {
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
pub(crate) fn rows_of(bytes: &[u8], format: Option<Format>, file: &str) -> Vec<csv::StringRecord> {
    let sample = rows::sample(bytes, format, file, SAMPLE);
    sample.map_or_else(Vec::new, |(_, cells)| cells)
}

/// Returns the role of each column of a file that these options read. Empty if the file is no table.
pub(crate) fn roles_of(
    bytes: &[u8],
    format: Option<Format>,
    options: &Reading,
    file: &str,
) -> Vec<ColumnRole> {
    let sample = Sample::read(bytes, format, options, file, SAMPLE);
    sample.map_or_else(Vec::new, |sample| sample.roles(options, None))
}

/// Returns the error, with proposed names of columns if they would make the file readable, which is
/// then in `read`, unless evaluations lack a score.
pub(crate) fn explained(
    error: RecordsError,
    bytes: &[u8],
    format: Option<Format>,
    options: &Reading,
    file: &str,
    read: &mut Option<crate::Evaluations>,
) -> RecordsError {
    if !error.is_about_columns() {
        return error;
    }
    let Some(table) = Sample::read(bytes, format, options, file, SAMPLE) else {
        return error;
    };
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
    let tried = Reading {
        keep_failures: true,
        keep_missing: true,
        ..proposal.reading(options)
    };
    let mut tried = match scores::attempt(bytes, format, &tried, file) {
        Ok(records) => {
            let has_failures = !records.failures().is_empty();
            *read = (!has_failures).then_some(records);
            Proposal {
                failures: has_failures && !options.keep_failures,
                ..proposal
            }
        }
        // What can be read in several ways is no matter of names.
        Err(
            chosen @ RecordsError::Header {
                problem: HeaderProblem::Choose { .. },
                ..
            },
        ) => return chosen,
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
    tried.roles = table.roles(options, Some(&tried));
    RecordsError::Columns {
        problem: Box::new(match tried.columns.arm {
            Some(_) => error.of_long_form(&table.names, options),
            None => error,
        }),
        proposal: Box::new(tried),
    }
}
