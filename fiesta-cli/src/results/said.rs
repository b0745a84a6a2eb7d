//! Notices about results that were read, and the role of each column of their file.

use crate::say;
use fiesta::records::{ColumnRole, excerpt};
use serde::Serialize;

/// Largest number of columns whose roles are printed.
const MOST: usize = 60;

/// Notices about results, and the role of each column of their file.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Said {
    /// Notices about the results, a line each. The analysis may have further ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notices: Vec<String>,
    /// The role of each column, and the rule that gave it.
    #[serde(rename = "reading", skip_serializing_if = "Vec::is_empty")]
    pub(crate) roles: Vec<ColumnRole>,
    /// Whether the roles are printed for people as well.
    #[serde(skip)]
    pub(super) is_explained: bool,
}

impl Said {
    /// Returns notices about results whose columns have no roles.
    pub(crate) fn of(notices: Vec<String>) -> Self {
        Self {
            notices,
            ..Self::default()
        }
    }

    /// Returns the notices about several benchmarks: what is said of each is said once. The roles are those
    /// of the first.
    pub(crate) fn of_benchmarks<'s>(all: impl Iterator<Item = &'s Self>) -> Self {
        let (mut together, mut is_first) = (Self::default(), true);
        for said in all {
            if is_first {
                together = said.clone();
                is_first = false;
                continue;
            }
            for notice in &said.notices {
                if !together.notices.contains(notice) {
                    together.notices.push(notice.clone());
                }
            }
        }
        together
    }

    /// Prints the notices on standard error, after the roles if these were asked for.
    pub(crate) fn say(&self) {
        if self.is_explained {
            say_roles(&self.roles);
        }
        self.notices.iter().for_each(say);
    }
}

/// Prints the role of each column on standard error.
pub(crate) fn say_roles(roles: &[ColumnRole]) {
    if roles.is_empty() {
        say("no roles: these results are not read by columns");
        return;
    }
    let rows = roles.iter().take(MOST).map(|of| {
        let rule = of.rule.to_string();
        [excerpt(&of.column), of.role.name().to_owned(), rule]
    });
    let rows: Vec<[String; 3]> = rows.collect();
    let width = |place: usize| {
        let cells = rows.iter().map(|row| row[place].chars().count());
        cells.max().unwrap_or_default()
    };
    let (column, role) = (width(0), width(1));
    for [name, of, rule] in &rows {
        say(format_args!("{name:<column$}  {of:<role$}  {rule}"));
    }
    if let Some(more) = roles.len().checked_sub(MOST + 1) {
        say(format_args!("and {} more columns", more + 1));
    }
}
