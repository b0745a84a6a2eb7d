//! Folds of a cross-validation among the splits of records, if a file says that splits are folds.

use crate::{Evaluations, proposal::plain};

/// Words in the names of columns of folds.
const FOLDS: [&str; 6] = ["fold", "folds", "kfold", "cvfold", "foldid", "foldidx"];

/// Why the splits of some records are taken for folds of a cross-validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Folds {
    /// The column of the splits has a name of folds.
    Named(String),
    /// Splits of a search by scikit-learn: folds, unless the user gave the search random splits.
    OfSearch,
}

impl Folds {
    /// Returns the folds that the name of a column of splits indicates.
    pub fn of_column(name: &str) -> Option<Self> {
        let plain = plain(name);
        let is_named = plain.split('_').any(|word| FOLDS.contains(&word));
        is_named.then(|| Self::Named(name.trim().to_owned()))
    }
}

impl Evaluations {
    /// Sets why the splits are taken for folds of a cross-validation. `None` if they are not.
    pub fn set_folds(&mut self, folds: Option<Folds>) {
        self.file.folds = folds;
    }

    /// Why the splits are taken for folds of a cross-validation; none where nothing says so.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{ColumnNames, Folds, Reading, read_from};
    /// let options = Reading {
    ///     columns: ColumnNames { split: Some("cv_fold".into()), ..ColumnNames::default() },
    ///     ..Reading::default()
    /// };
    /// let csv = "arm,cv_fold,score\nlstm,0,0.71\nlstm,1,0.73\n";
    /// let records = read_from(csv.as_bytes(), None, &options, "runs.csv")?;
    /// assert_eq!(records.folds(), Some(&Folds::Named("cv_fold".to_owned())));
    /// # Ok::<(), fiesta_records::RecordsError>(())
    /// ```
    pub fn folds(&self) -> Option<&Folds> {
        self.file.folds.as_ref()
    }
}
