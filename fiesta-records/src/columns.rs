//! Names that a file gives to the columns of the long form.

use crate::HeaderProblem;

/// Names in a file of the columns `arm`, `item`, `split` and `seed`; that of the score is
/// [`Reading::metric`](crate::Reading::metric). A column that has one of these four names and
/// another role is not read where the name is given to another column.
///
/// # Example
/// ```
/// use fiesta_records::{ColumnNames, Reading, read_from};
/// let csv = "model,fold,random_state,test_acc\nlstm,0,7,0.71\ngru,0,7,0.69\n";
/// let options = Reading {
///     metric: Some("test_acc".into()),
///     columns: ColumnNames {
///         arm: Some("model".into()),
///         split: Some("fold".into()),
///         seed: Some("random_state".into()),
///         ..ColumnNames::default()
///     },
///     ..Reading::default()
/// };
/// let records = read_from(csv.as_bytes(), None, &options, "runs.csv")?;
/// assert_eq!(records.arms(), ["lstm", "gru"]);
/// assert_eq!(records.records().at(1).seed, Some(7));
/// # Ok::<(), fiesta_records::RecordsError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnNames {
    /// The column of the arms' names; several joined by `+`, such as `model+prompt`, where only
    /// together they name what is compared. Of logs of answers, what arms are called by (`model`,
    /// `solver`, `file`, …; several joined by `+`), or the name of the only arm.
    pub arm: Option<String>,
    /// The column of the items' names; several joined by `+`, such as `dataset+question`, where
    /// only together they tell items apart.
    pub item: Option<String>,
    /// The column of the splits' numbers or names.
    pub split: Option<String>,
    /// The column of the seeds.
    pub seed: Option<String>,
}

impl ColumnNames {
    /// Returns the column names of the long form, each with the user's own name for it. `None` if that is the same or not given.
    pub fn named(&self) -> [(&'static str, Option<&str>); 4] {
        [
            ("arm", other(self.arm.as_ref(), "arm")),
            ("item", other(self.item.as_ref(), "item")),
            ("split", other(self.split.as_ref(), "split")),
            ("seed", other(self.seed.as_ref(), "seed")),
        ]
    }

    /// Returns the name in the long form of a column of the file. `None` if this name is given to
    /// another column.
    pub(crate) fn of_long_form<'n>(&self, name: &'n str) -> &'n str {
        for (long, given) in self.named() {
            match given {
                Some(given) if given == name => return long,
                Some(_) if long == name => return "",
                _ => {}
            }
        }
        name
    }

    /// Returns the file's name for a column of the long form.
    pub(crate) fn of_file<'n>(&'n self, long: &'n str) -> &'n str {
        let named = self.named().into_iter();
        let mut given = named.filter_map(|(name, given)| (name == long).then_some(given?));
        given.next().unwrap_or(long)
    }

    /// Refuses names that give two roles to one column.
    pub(crate) fn check(&self, metric: Option<&str>) -> Result<(), HeaderProblem> {
        let score = metric.map(|metric| ("metric", metric.trim()));
        let mut roles: Vec<(&str, &str)> = score.into_iter().collect();
        for (role, given) in self.named() {
            let Some(given) = given else { continue };
            if let Some((other, _)) = roles.iter().find(|(_, name)| *name == given) {
                return Err(HeaderProblem::refused(format!(
                    "the column `{given}` cannot be both --{other} and --{role}: name another one for one of the two"
                )));
            }
            roles.push((role, given));
        }
        Ok(())
    }

    /// Returns the first name given by the user that no column of the file has.
    pub(crate) fn missing(&self, columns: &[String]) -> Option<(&'static str, &str)> {
        let given = self.named().into_iter();
        let mut given = given.filter_map(|(long, name)| Some((long, name?)));
        let is_there = |name: &str| columns.iter().any(|column| column == name);
        given.find(|&(role, name)| {
            !is_there(name) && (!JOINED.contains(&role) || !joined(name).all(is_there))
        })
    }

    /// Returns whether the user named several columns as one.
    pub(crate) fn joins(&self) -> bool {
        let given = [&self.arm, &self.item].into_iter().flatten();
        given.into_iter().any(|name| name.contains('+'))
    }

    /// Returns the columns that together name the arms, and those that name the items, if the user
    /// named several and no single column has the joined name.
    pub(crate) fn joined(&self, columns: &[String]) -> Vec<(&'static str, Vec<usize>)> {
        let place = |name: &str| columns.iter().position(|column| column == name);
        let named = self.named().into_iter();
        let named = named.filter(|(role, _)| JOINED.contains(role));
        let several = |(role, name): (&'static str, Option<&str>)| {
            let name = name.filter(|name| place(name).is_none() && name.contains('+'))?;
            let places: Option<Vec<usize>> = joined(name).map(place).collect();
            Some((role, places?))
        };
        named.filter_map(several).collect()
    }
}

/// Roles of columns that several may have together.
const JOINED: [&str; 2] = ["arm", "item"];

/// Returns the columns in a name in which `+` joins several columns.
pub(crate) fn joined(name: &str) -> impl Iterator<Item = &str> {
    name.split('+').map(str::trim)
}

/// Returns the name that the user gave, if it differs from `name`.
fn other<'n>(given: Option<&'n String>, name: &str) -> Option<&'n str> {
    let given = given.map(|given| given.trim());
    given.filter(|given| *given != name && !given.is_empty())
}
