//! Clusters of the items of a pool, from a column of the user's own.

use crate::analysis::{
    AnalysisError,
    pool::{ItemProblem, of_items},
};
use fiesta_records::{Evaluations, excerpt};
use std::collections::HashMap;

/// Clusters of items that belong together: questions on one text, tasks of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemClusters {
    column: String,
    /// Number of the cluster of each item.
    of_item: Vec<usize>,
}

impl ItemClusters {
    /// Returns the clusters that the column with this name says of the items; the records were read
    /// with their columns ([`keep_columns`](fiesta_records::Reading::keep_columns)). `source` names
    /// the file in messages.
    ///
    /// # Errors
    /// [`AnalysisError`] if the records name no items or have no such column, or an item has no
    /// cluster or two.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{self as records, Reading};
    /// use fiesta_report::analysis::belief::ItemClusters;
    /// let file = "arm,item,text,score\na,q1,t1,1\na,q2,t1,0\nb,q1,t1,0\n";
    /// let options = Reading { keep_columns: true, ..Reading::default() };
    /// let records = records::read_from(file.as_bytes(), None, &options, "answers.csv")?;
    /// assert!(ItemClusters::new(&records, "text", "answers.csv").is_ok());
    /// let error = ItemClusters::new(&records, "topic", "answers.csv").unwrap_err();
    /// assert!(error.to_string().contains("no column `topic`"));
    /// # Ok::<(), records::RecordsError>(())
    /// ```
    pub fn new(records: &Evaluations, column: &str, source: &str) -> Result<Self, AnalysisError> {
        let refused = |why: String| Err(AnalysisError::Refused(why));
        if records.items().is_empty() {
            return refused(format!(
                "clusters are of items, and {source} names none: give it a column `item`, or leave the clusters out"
            ));
        }
        let Some(number) = records.column(column) else {
            return refused(format!(
                "{source} has no column `{}` of clusters: add it to the long form, a row for each arm and item{}",
                excerpt(column),
                match records.columns() {
                    [] => String::new(),
                    columns => format!(", or take one of {}", columns.join(", ")),
                }
            ));
        };
        let names = of_items(records, number).map_err(|problem| {
            AnalysisError::Refused(match problem {
                ItemProblem::Two { item, values: [_, name], line } => format!(
                    "{source}:{line}: the item `{}` is in the cluster `{}` here and in another one before: an item has one `{column}`",
                    excerpt(item),
                    excerpt(name)
                ),
                ItemProblem::Lacking { item } => format!(
                    "{source}: the item `{}` has no `{column}`: give every item its cluster, or leave the clusters out",
                    excerpt(item)
                ),
            })
        })?;
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let numbered = names.into_iter().map(|name| {
            let next = numbers.len();
            *numbers.entry(name).or_insert(next)
        });
        let of_item = numbered.collect();
        Ok(Self {
            column: column.to_owned(),
            of_item,
        })
    }

    /// Returns the name of the column that states the clusters.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// Returns the number of each item's cluster.
    pub(super) fn of_items(&self) -> Vec<usize> {
        self.of_item.clone()
    }

    /// Returns the number of the item's cluster.
    pub(in crate::analysis) fn of(&self, item: u64) -> Option<usize> {
        self.of_item.get(usize::try_from(item).ok()?).copied()
    }
}
