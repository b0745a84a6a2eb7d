//! Roles of columns: which column of a table is what, and by which rule.
//!
//! The rules are tried from the first to the last; a column has the role of the first that takes it.
//!
//! | rule | takes a column | as |
//! |---|---|---|
//! | [`Named`](Rule::Named) | that the user named | the role it was named for |
//! | [`LongForm`](Rule::LongForm) | called `arm`, `item`, `split`, `seed`, `score` (or the metric's name), `cost`, `duration`, `status` | just that |
//! | [`Word`](Rule::Word) | whose name is a known word of a role (`model`, `fold`, `random_state`, `question`, `accuracy`), and whose cells fit the role | arm, split, seed, item, score |
//! | [`Contents`](Rule::Contents) | whose name says nothing, and whose cells alone fit the role | arm, item, score |
//! | [`Key`](Rule::Key) | that names or numbers the rows of a table with a column for each arm | item, split, seed |
//! | [`Alike`](Rule::Alike) | of numbers like those of the other arms, in such a table | the scores of the arm with its name |
//! | [`DataSet`](Rule::DataSet) | of numbers like those of the other columns, in a table with a row for each arm | the scores on the data set with its name |
//! | [`NoDataSet`](Rule::NoDataSet) | that is no part of the averages in such a table | nothing |
//! | [`Labels`](Rule::Labels), [`NoLabel`](Rule::NoLabel) | of texts, in a table of predictions, that are right answers or are none | predictions of the arm with its name; nothing |
//! | [`Nameless`](Rule::Nameless) | without a name, as pandas writes for the numbers of rows | nothing |
//! | [`Known`](Rule::Known) | whose name is known as that of a step, a setting, a time, … | nothing: kept under its name, or left out beside arms in columns |
//! | [`Unknown`](Rule::Unknown) | else | nothing, likewise |

use super::{
    Proposal,
    column::Sample,
    words::{Kind, has, no_system, plain, role_of},
};
use crate::{Reading, columns::joined, names::OWN};
use std::fmt;

/// Part of an evaluation that a column states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// The column states the name of what is compared.
    Arm,
    /// The column states the score of the evaluation.
    Score,
    /// The column states the scores of the arm that has the column's name.
    Scores,
    /// The column states the benchmark that the evaluation is of: a data set or a task.
    Benchmark,
    /// The column states the item that was answered.
    Item,
    /// The column states the split of the data.
    Split,
    /// The column states the seed of the run.
    Seed,
    /// The column states what the evaluation cost.
    Cost,
    /// The column states how long the evaluation took, in seconds.
    Duration,
    /// The column states how the evaluation ended.
    Status,
    /// The column states the right answer, in a table of predictions.
    Gold,
    /// The column states the predictions of the arm that has the column's name.
    Predictions,
    /// The column has no role, and is kept under its own name.
    Kept,
    /// The column has no role, and is not read.
    Nothing,
}

impl Role {
    /// Returns the role of a column with this name of the long form.
    fn of_long_form(name: &str) -> Self {
        match name {
            "arm" => Self::Arm,
            "item" | "document" => Self::Item,
            "split" => Self::Split,
            "seed" => Self::Seed,
            "cost" => Self::Cost,
            "duration" => Self::Duration,
            "status" => Self::Status,
            _ => Self::Score,
        }
    }

    /// Returns the role in a word or two, as people read it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arm => "arm",
            Self::Score => "score",
            Self::Scores => "scores of an arm",
            Self::Benchmark => "benchmark",
            Self::Item => "item",
            Self::Split => "split",
            Self::Seed => "seed",
            Self::Cost => "cost",
            Self::Duration => "duration",
            Self::Status => "status",
            Self::Gold => "right answer",
            Self::Predictions => "predictions of an arm",
            Self::Kept => "kept, not used",
            Self::Nothing => "left out",
        }
    }
}

/// Rule that gives a column its role, in the order in which the rules are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// The user named the column.
    Named,
    /// The column has its name of the long form.
    LongForm,
    /// The column's name is a known word of the role, and its cells fit.
    Word,
    /// The column's name says nothing, and its cells alone fit the role.
    Contents,
    /// The column names or numbers the rows of a table with a column for each arm.
    Key,
    /// The column holds numbers like those of the other arms.
    Alike,
    /// The column holds the scores of all arms on one data set, in a table with a row for each arm.
    DataSet,
    /// The column is no part of the averages, in a table with a row for each arm.
    NoDataSet,
    /// The column holds right answers, in a table of predictions.
    Labels,
    /// The column holds no right answers, in a table of predictions.
    NoLabel,
    /// The column has no name.
    Nameless,
    /// The column's name is known as that of something that is no part of an evaluation.
    Known(&'static str),
    /// No rule knows the column's name.
    Unknown,
    /// The tool that wrote the file says what its field holds.
    Tool,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Named => "you named it",
            Self::LongForm => "it is called so",
            Self::Word => "its name is a known word, and its cells fit",
            Self::Contents => "its cells alone fit",
            Self::Key => "it names the rows",
            Self::Alike => "numbers like those of the other arms",
            Self::DataSet => "numbers like those of the other data sets",
            Self::NoDataSet => "no part of the averages",
            Self::Labels => "it holds some of the right answers",
            Self::NoLabel => "it holds none of the right answers",
            Self::Nameless => "it has no name",
            Self::Known(what) => return write!(f, "by its name {what}"),
            Self::Unknown => "no rule knows its name",
            Self::Tool => "the tool says so",
        })
    }
}

impl serde::Serialize for Rule {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Role of a column, and the rule that gave it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct ColumnRole {
    /// The column's name in the file.
    pub column: String,
    /// Part of an evaluation that the column states.
    pub role: Role,
    /// Rule that gave the column its role.
    pub rule: Rule,
}

impl ColumnRole {
    /// Returns the role that a rule gives a column.
    pub fn new(column: impl Into<String>, role: Role, rule: Rule) -> Self {
        let column = column.into();
        Self { column, role, rule }
    }
}

impl Sample {
    /// Returns the role of each column if the file is read with these options and, where it was
    /// needed, this proposal.
    pub(crate) fn roles(&self, options: &Reading, proposal: Option<&Proposal>) -> Vec<ColumnRole> {
        let reading = proposal.map_or_else(|| options.clone(), |p| p.reading(options));
        let table = (!self.is_long(&reading)).then(|| self.arms_table(reading.paired_rows));
        let doubtful = table.as_ref().is_some_and(|table| table.doubt.is_some());
        let systems = self
            .systems_table(options.columns.arm.is_some())
            .filter(|_| doubtful && reading.arms.is_empty());
        let given = |name: &str| role_named(name, options);
        let of = |(place, name): (usize, &String)| {
            let (role, rule) = if let Some(role) = given(name) {
                (role, Rule::Named)
            } else if let Some(role) = role_named(name, &reading) {
                (role, self.rule_of(place, role))
            } else if systems.as_ref().is_some_and(|of| of.system == place) {
                (Role::Arm, Rule::Word)
            } else if systems
                .as_ref()
                .is_some_and(|systems| systems.data_sets.contains(&place))
            {
                (Role::Score, Rule::DataSet)
            } else if systems
                .as_ref()
                .is_some_and(|systems| systems.others.contains(&place))
            {
                (Role::Nothing, Rule::NoDataSet)
            } else if let Some((_, long)) = table
                .as_ref()
                .and_then(|t| t.key)
                .filter(|(key, _)| *key == place)
            {
                let is_split = long == "item" && reading.paired_rows;
                let role = if is_split {
                    Role::Split
                } else {
                    Role::of_long_form(long)
                };
                (role, Rule::Key)
            } else if name.is_empty() || name.starts_with("Unnamed: ") {
                (Role::Nothing, Rule::Nameless)
            } else if is_own(name, &reading) {
                (Role::of_long_form(name), Rule::LongForm)
            } else if table.as_ref().is_some_and(|table| {
                table.doubt.is_none() && reading.arms.is_empty() && table.arms.contains(&place)
            }) {
                (Role::Scores, Rule::Alike)
            } else {
                let known = no_system(&plain(name));
                let rule = known.map_or(Rule::Unknown, Rule::Known);
                let is_kept = table.is_none();
                (if is_kept { Role::Kept } else { Role::Nothing }, rule)
            };
            ColumnRole::new(name.as_str(), role, rule)
        };
        let of_file = self.names.len() - self.joined;
        self.names[..of_file].iter().enumerate().map(of).collect()
    }

    /// Returns whether the table has a row for each evaluation.
    fn is_long(&self, reading: &Reading) -> bool {
        let arm = reading.columns.of_file("arm");
        joined(arm).all(|part| self.names.iter().any(|name| name == part))
    }

    /// Returns the rule by which a proposal took this column for this role.
    fn rule_of(&self, place: usize, role: Role) -> Rule {
        let name = &self.names[place];
        let plain = plain(name);
        let is_word = match role {
            Role::Arm => has(Kind::Arm, &plain),
            Role::Score => no_system(&plain) == Some("a metric"),
            Role::Scores => return Rule::Alike,
            _ => role_of(name).is_some(),
        };
        if is_word { Rule::Word } else { Rule::Contents }
    }
}

/// Returns whether a name is one of the long form that no other column was given.
fn is_own(name: &str, reading: &Reading) -> bool {
    let metric = reading.metric.as_deref().unwrap_or("score").trim();
    let is_known = OWN.contains(&name) || name == metric || name == "document";
    is_known && reading.columns.of_long_form(name) == name
}

/// Returns the role for which these options name a column.
fn role_named(name: &str, reading: &Reading) -> Option<Role> {
    let parts = |given: Option<&str>| {
        given.is_some_and(|given| given == name || joined(given).any(|part| part == name))
    };
    let named = reading.columns.named().into_iter();
    let mut named = named.filter(|(_, given)| parts(*given));
    if let Some((role, _)) = named.next() {
        return Some(Role::of_long_form(role));
    }
    if reading.metric.as_deref().map(str::trim) == Some(name) {
        return Some(Role::Score);
    }
    let is_arm = reading.arms.iter().any(|arm| arm.trim() == name);
    is_arm.then_some(Role::Scores)
}
