//! Names and their numbers, in the order of their first appearance.

use super::{RowProblem, problem::excerpt};
use std::collections::HashMap;

/// Names, each with a number from 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Names {
    all: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Names {
    /// All names, in the order of their numbers.
    pub(super) fn all(&self) -> &[String] {
        &self.all
    }

    /// The number of this name, if it has one.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The number of this name, which is given one if it is new; `empty` is what is wrong with no name.
    pub(super) fn number(&mut self, name: &str, empty: RowProblem) -> Result<usize, RowProblem> {
        if let Some(known) = self.find(name) {
            return Ok(known);
        }
        check(name, empty)?;
        let number = self.all.len();
        self.all.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }
}

/// Refuses what is no name.
pub(super) fn check(name: &str, empty: RowProblem) -> Result<(), RowProblem> {
    if name.is_empty() {
        return Err(empty);
    }
    if name.chars().any(char::is_control) {
        return Err(RowProblem::ControlCharacter(excerpt(name)));
    }
    Ok(())
}
