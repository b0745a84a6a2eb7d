//! The column of the results that has the values of a hyperparameter.

use super::{InitError, refused};
use fiesta_records::{Evaluations, words::quoted};

/// Prefixes that tools write before the names of hyperparameters: Optuna, MLflow, Ray Tune and Weights &
/// Biases; ours, where a name has another meaning.
const PREFIXES: [&str; 6] = [
    "params_", "params.", "config/", "config.", "setting.", "params/",
];

/// Largest number of columns that an error lists.
const MOST: usize = 30;

/// Returns whether the results have a column of this name, with or without a tool's prefix.
pub(super) fn is_column(name: &str, trials: &Evaluations) -> bool {
    !places(name, trials).is_empty()
}

/// Returns the places of the columns that a placeholder may mean: the column with exactly its name, else
/// those with one prefix of a tool before it.
fn places(name: &str, trials: &Evaluations) -> Vec<usize> {
    if let Some(exact) = trials.column(name) {
        return vec![exact];
    }
    let is_meant = |column: &str| {
        let mut bare = PREFIXES
            .iter()
            .filter_map(|prefix| column.strip_prefix(prefix));
        bare.any(|bare| bare == name)
    };
    let columns = trials.columns().iter().enumerate();
    let meant = columns.filter(|(_, column)| is_meant(column));
    meant.map(|(place, _)| place).collect()
}

/// Returns the place of the column with the values of a placeholder.
///
/// # Errors
/// [`InitError`] if no column or two columns may be meant.
pub(super) fn column(name: &str, trials: &Evaluations, source: &str) -> Result<usize, InitError> {
    let columns = trials.columns();
    match places(name, trials)[..] {
        [place] => Ok(place),
        [] => {
            let more = match columns.len().saturating_sub(MOST) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            Err(refused(format!(
                "{{{name}}} in the command is no column of {source}, which has {}{more}: name one of them, without the tool's prefix if you like, or write {{{{{name}}}}} for the braces themselves",
                match columns {
                    [] => "none beside scores".to_owned(),
                    columns => quoted(columns.iter().take(MOST)),
                }
            )))
        }
        ref several => {
            let several = several.iter().map(|&place| &columns[place]);
            Err(refused(format!(
                "{{{name}}} in the command may be the column {} of {source}: write the whole name in the braces",
                quoted(several)
            )))
        }
    }
}
