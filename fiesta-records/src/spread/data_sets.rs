//! Means with their spread on several data sets: a table of means for each.

use super::{Problem, columns::Columns};
use crate::{
    Reading, RecordsError, Summaries, loss_among,
    mixed::loss_beside,
    named_direction,
    proposal::{Side, either, names_summary, side},
    table::Table,
    words::quoted,
};

impl Summaries {
    /// Reads a table of means on one data set, as [`read`](Self::read) does, or on several, where a
    /// cell is the mean of an arm on a data set with its spread. The metric of each data set's
    /// table is the data set's name.
    ///
    /// The rows are the arms and the columns the data sets, or the reverse, as the names tell; else
    /// [`ColumnNames::arm`](crate::ColumnNames::arm) says that rows are arms, and [`Reading::arms`]
    /// which columns are. Averages are left out. [`Reading::metric`] names one data set alone.
    ///
    /// # Errors
    /// As [`read`](Self::read) of each data set; and [`RecordsError::Summary`] if rows and columns
    /// may both be the arms.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{Reading, Spread, Summaries, table::Table};
    /// let csv = "Dataset,large,small\npears,0.81 ± 0.02,0.80 ± 0.03\nfigs,0.71 ± 0.02,0.67 ± 0.04\n";
    /// let table = Table::read(csv.as_bytes(), None, "t.csv")?;
    /// let asked = Reading { spread: Some(Spread::Se), ..Reading::default() };
    /// let each = Summaries::read_each(&table, &asked, "t.csv")?;
    /// assert_eq!((each.len(), &*each[1].metric, &*each[1].rows[0].arm), (2, "figs", "large"));
    /// # Ok::<(), fiesta_records::RecordsError>(())
    /// ```
    pub fn read_each(
        table: &Table,
        asked: &Reading,
        file: &str,
    ) -> Result<Vec<Self>, RecordsError> {
        let found = data_sets(table, asked).map_err(|problem| problem.told(file))?;
        let Some((side, table, names)) = found else {
            return Ok(vec![Self::read(table, asked, file)?]);
        };
        if let Some(pair) = loss_among(names.iter().map(String::as_str)) {
            return Err(Problem::from(loss_beside(pair)).told(file));
        }
        let read = |name: &String| {
            let of_one = Reading {
                metric: Some(name.clone()),
                ..asked.clone()
            };
            Self::read(&table, &of_one, file)
        };
        let mut each: Vec<Self> = names.iter().map(read).collect::<Result<_, _>>()?;
        // What is said of the first holds for all.
        each[0].notices[0] = format!(
            "read as means with their spread ({}) on several data sets, {}: {}",
            each[0].spread.words(),
            side.words(),
            quoted(&names)
        );
        Ok(each)
    }
}

/// Returns the side of the arms, the table with a row for each arm, and the names of its columns of
/// data sets. `None` if the means are on one data set, or of several metrics.
fn data_sets(
    table: &Table,
    asked: &Reading,
) -> Result<Option<(Side, Table, Vec<String>)>, Problem> {
    let named = names(table);
    let corner = Columns::new(table).names.first().copied();
    let (Some(corner), None, true) = (corner, &asked.metric, named.len() > 1) else {
        return Ok(None);
    };
    let rows = table.rows().iter().filter_map(|row| row.cell(corner));
    let rows: Vec<&str> = rows.collect();
    let columns: Vec<&str> = table
        .columns()
        .iter()
        .skip(corner + 1)
        .map(|name| &**name)
        .collect();
    let has = |names: &[&str]| {
        let arms = &asked.arms;
        !arms.is_empty() && arms.iter().all(|arm| names.contains(&arm.trim()))
    };
    let side = match () {
        () if asked.columns.arm.is_some() || has(&rows) => Some(Side::Rows),
        () if has(&columns) => Some(Side::Columns),
        () => side(&table.columns()[corner], &rows, &columns),
    };
    let is_metric = |name: &String| named_direction(name).is_some();
    match side {
        Some(Side::Rows) | None if named.iter().any(is_metric) => Ok(None),
        Some(Side::Rows) => Ok(Some((Side::Rows, table.clone(), named))),
        Some(Side::Columns) => {
            let table = table.turned(corner, &named);
            let named = names(&table);
            Ok((!named.is_empty()).then_some((Side::Columns, table, named)))
        }
        None => {
            let named: Vec<&str> = named.iter().map(|name| &**name).collect();
            let (problem, choices) = either(&table.columns()[corner], &rows, &named);
            Err(Problem(1, problem, choices))
        }
    }
}

/// Returns the names of the columns of means with a spread of their own, other than averages.
fn names(table: &Table) -> Vec<String> {
    let columns = Columns::new(table);
    let own = columns.measures.iter().filter(|measure| measure.is_own);
    let names = own.map(|measure| table.columns()[measure.mean].clone());
    names.filter(|name| !names_summary(name)).collect()
}

impl Table {
    /// Returns the table with a row for each of these columns, and a column for each row, as called
    /// in another column.
    fn turned(&self, names: usize, columns: &[String]) -> Self {
        let called = self
            .rows()
            .iter()
            .map(|row| row.cell(names).unwrap_or_default());
        let mut turned = Self::new(["arm"].into_iter().chain(called));
        for column in columns {
            let place = self.column(column).unwrap_or_default();
            let cells = self.rows().iter().map(|row| row.cell(place));
            turned.push(1, [Some(&**column)].into_iter().chain(cells));
        }
        turned
    }
}
