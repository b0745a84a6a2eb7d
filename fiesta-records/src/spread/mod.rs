//! Reading of tables with a mean and its spread for each arm.

mod columns;
mod data_sets;

use crate::{
    Choice, Format, Reading, RecordsError, RowProblem, Spread, Summaries, Summary, excerpt,
    names::Names,
    proposal::{are_of_arms, names_no_candidate, names_summary, plain, told_of_references},
    scales,
    scores::UNNAMED,
    table::{Line, Table},
    whole,
    words::quoted,
};
pub(crate) use columns::pair;
use columns::{Columns, Measure, Said, half, may_count_digits, number, unit};

/// Largest size of a file that is searched for means with their spread.
const LARGEST: usize = 1 << 20;
/// Smallest unit of the last digit of means that were rounded for people.
const ROUNDED: f64 = 1e-8;
/// Parts of names and of cells that speak of a spread; without one of them no table has means with
/// their spread.
const SIGNS: &str = r"std sd se dev err ci conf sigma spread ± \u00b1 pm +/- )";

/// Returns the table, if each row of a text is the mean of an arm with its spread: a column that is
/// by its name one of arms, with names that all differ, and beside it numbers of which some are by
/// their name a spread, or cells of two numbers; or cells of two numbers in several columns beside
/// names. `None` for any other text; `file` stands in messages alone.
///
/// # Example
/// ```
/// use fiesta_records::recognised_summaries;
/// let means = "model,accuracy\nlarge,0.81 ± 0.02\nsmall,0.78 ± 0.03\n";
/// assert!(recognised_summaries(means.as_bytes(), None, "t.csv").is_some());
/// let scores = "arm,accuracy\nlarge,0.81\nsmall,0.78\n";
/// assert!(recognised_summaries(scores.as_bytes(), None, "t.csv").is_none());
/// ```
pub fn recognised(bytes: &[u8], format: Option<Format>, file: &str) -> Option<Table> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).to_lowercase();
    if bytes.len() > LARGEST || !SIGNS.split(' ').any(|sign| head.contains(sign)) {
        return None;
    }
    let table = Table::read(bytes, format, file).ok()?;
    let columns = Columns::new(&table);
    let names = columns.names.iter().map(|&place| &table.columns()[place]);
    // Of cells with two numbers in several columns, rows or columns are the arms, whatever they are
    // called.
    let pairs = columns
        .measures
        .iter()
        .filter(|of| of.spreads[0].0.is_none());
    let are_pairs = pairs.count() > 1 && !columns.names.is_empty();
    let is_summary = table.rows().len() > 1
        && (are_pairs || names.into_iter().any(|name| are_of_arms(&plain(name))))
        && !columns.measures.is_empty()
        && !columns.has_cases;
    is_summary.then_some(table)
}

impl Summaries {
    /// Reads a table with a row for each arm: its name, the mean of its scores, the spread of these
    /// and, where it is known, their number.
    ///
    /// | part | column |
    /// |---|---|
    /// | arm | [`ColumnNames::arm`](crate::ColumnNames::arm), `arm`, or the first with a text of its own on every row, rather one whose name is of arms (`model`) |
    /// | mean | [`Reading::metric`], or the only one with a spread; its cells may hold both, as `0.81 ± 0.02` or `0.81 (0.02)` |
    /// | spread | the one whose name says so (`std`, `acc_std`, `standard_error`, `ci95`), of the same metric if it names one |
    /// | n | [`Reading::n`], a number or a column, or a column `n`, `count`, `runs`, `seeds` |
    ///
    /// The spread means what [`Reading::spread`] says, or else the name of its column. The unit of the
    /// last digit is the finest of all means, as programs drop zeros at the end.
    ///
    /// # Errors
    /// [`RecordsError::Summary`] if a column is missing or several could be it, the meaning of the
    /// spread is open, a standard deviation has no n, n is below 2, an arm stands on two rows, there
    /// is one arm only, or a spread is not above 0: that of scores which are all equal, or rounded
    /// to nothing, says nothing of the noise.
    ///
    /// # Example
    /// ```
    /// use fiesta_records::{Reading, Spread, Summaries, table::Table};
    /// let csv = "model,accuracy,std,n\nlarge,0.81,0.02,5\nsmall,0.78,0.03,5\n";
    /// let table = Table::read(csv.as_bytes(), None, "t.csv")?;
    /// let read = Summaries::read(&table, &Reading::default(), "t.csv")?;
    /// assert_eq!((read.metric.as_str(), read.spread, read.unit), ("accuracy", Spread::Sd, 0.01));
    /// assert_eq!((read.rows[1].mean, read.rows[1].n), (0.78, Some(5)));
    /// # Ok::<(), fiesta_records::RecordsError>(())
    /// ```
    pub fn read(table: &Table, asked: &Reading, file: &str) -> Result<Self, RecordsError> {
        let read = Taken::new(table, asked).and_then(|taken| taken.summaries(table, asked));
        read.map_err(|problem| problem.told(file))
    }
}

/// Line of a problem in a table of means, the problem in words, and the flags that would settle it.
struct Problem(u64, String, Vec<Choice>);

impl Problem {
    fn told(self, file: &str) -> RecordsError {
        let Self(line, problem, choices) = self;
        RecordsError::Summary {
            place: format!("{file}:{line}"),
            problem,
            choices,
        }
    }
}

impl From<String> for Problem {
    fn from(problem: String) -> Self {
        Self(1, problem, Vec::new())
    }
}

/// Columns that are read from a table of means.
struct Taken {
    arm: usize,
    mean: usize,
    /// The column of the spreads. `None` if they stand in the cells of the means.
    beside: Option<usize>,
    spread: Spread,
    /// Column of the numbers of scores, n.
    count: Option<usize>,
    /// Number of scores of every arm, n.
    n: Option<u64>,
}

impl Taken {
    fn new(table: &Table, asked: &Reading) -> Result<Self, Problem> {
        let columns = Columns::new(table);
        let named = |flag: &str, name: &str| {
            let known = || quoted(table.columns());
            let unnamed = || table.column("").filter(|_| name == UNNAMED);
            let place = table.column(name.trim()).or_else(unnamed);
            place.ok_or_else(|| {
                format!(
                    "there is no column `{}` for --{flag}, only {}",
                    excerpt(name),
                    known()
                )
            })
        };
        let is_named = |place: &usize| are_of_arms(&plain(&table.columns()[*place]));
        let own = columns.names.iter().copied().find(is_named);
        let own = table.column("arm").or(own);
        let arm = match &asked.columns.arm {
            Some(name) => named("arm", name)?,
            None => own.or_else(|| columns.names.first().copied()).ok_or_else(|| {
                "no column has a text of its own on every row: name the column of the arms with --arm".to_owned()
            })?,
        };
        let asked_mean = asked
            .metric
            .as_deref()
            .map(|name| named("metric", name))
            .transpose()?;
        let measure = measure(&columns, table, asked_mean)?;
        let (beside, spread) = spread(measure, table, asked.spread)?;
        let n = asked.n.as_deref().and_then(|n| n.trim().parse().ok());
        let count = match asked.n.as_deref() {
            Some(column) if n.is_none() => Some(named("n", column)?),
            Some(_) => None,
            None => columns.counts.first().copied(),
        };
        Ok(Self {
            arm,
            mean: measure.mean,
            beside,
            spread,
            count,
            n,
        })
    }

    fn summaries(&self, table: &Table, asked: &Reading) -> Result<Summaries, Problem> {
        let name = table.columns()[self.mean].as_str();
        let metric = name.split(['(', '±']).next().unwrap_or_default();
        let metric = metric.split("+/-").next().unwrap_or_default().trim();
        let mut read = Summaries {
            metric: if metric.is_empty() { name } else { metric }.to_owned(),
            spread: self.spread,
            unit: f64::INFINITY,
            rows: Vec::new(),
            notices: Vec::new(),
        };
        let (mut names, mut coarse, mut left_out) = (Names::default(), None, Vec::new());
        let is_named = |arm: &str| asked.arms.iter().any(|asked| asked.trim() == arm);
        let is_asked = |arm: &str| asked.arms.is_empty() || is_named(arm);
        for row in table.rows() {
            let wrong = |problem: String| Problem(row.line, problem, Vec::new());
            let arm = row.cell(self.arm).unwrap_or_default();
            if names.find(arm).is_some() {
                return Err(wrong(format!(
                    "`{}` stands here again, and a table of means has one row for each arm: leave one out",
                    excerpt(arm)
                )));
            }
            let named = names.number_apart(arm, RowProblem::Missing { field: "arm" });
            named.map_err(|problem| wrong(problem.to_string()))?;
            let is_none = names_summary(arm) || names_no_candidate(arm, &[]);
            if is_none && !is_named(arm) {
                left_out.push(arm);
            } else if is_asked(arm) {
                let (row, [mean, spread]) = self.row(row, arm).map_err(wrong)?;
                read.unit = read.unit.min(unit(&mean));
                let off = unit(&spread) / 2.0 / row.spread;
                if off >= 0.1 {
                    coarse.get_or_insert(format!("the spread of `{}`, {spread}, has few digits and may be off by {:.0} %, of which P(best) does not know", excerpt(arm), 100.0 * off));
                }
                read.rows.push(row);
            }
        }
        if let Some(unknown) = asked
            .arms
            .iter()
            .find(|arm| names.find(arm.trim()).is_none())
        {
            return Err(format!(
                "there is no arm `{}` for --arms, only {}",
                excerpt(unknown),
                quoted(names.all())
            )
            .into());
        }
        if read.rows.len() < 2 {
            return Err(
                "there is one arm alone: add a row for what it is compared with"
                    .to_owned()
                    .into(),
            );
        }
        let beside = self
            .beside
            .map(|place| format!(" in `{}`", table.columns()[place]));
        let is_rounded = read.unit > ROUNDED;
        let rounded = is_rounded.then(|| format!("; means are rounded to {}", read.unit));
        read.notices.push(format!(
            "read as means with their spread: arms in `{}`, means in `{name}`, {}{}{}",
            table.columns()[self.arm],
            self.spread.words(),
            beside.unwrap_or_default(),
            rounded.unwrap_or_default()
        ));
        read.notices.extend(coarse);
        if !left_out.is_empty() {
            let left_out = quoted(left_out);
            read.notices.push(format!(
                "left out, as by their names they are no systems: {left_out}; --arms names the systems"
            ));
        }
        let arms: Vec<String> = read.rows.iter().map(|row| row.arm.clone()).collect();
        let means = read.rows.iter().map(|row| row.mean).enumerate();
        if let Some((problem, _)) = scales::surely(&read.metric, &arms, means.clone(), asked) {
            return Err(problem.into());
        }
        read.notices
            .extend(scales::told(&read.metric, &arms, means));
        read.notices.extend(told_of_references(&arms));
        Ok(read)
    }

    /// Returns the row of an arm, with its mean and its spread as they are printed.
    fn row(&self, row: &Line, arm: &str) -> Result<(Summary, [String; 2]), String> {
        let name = excerpt(arm);
        let cell = |place: usize| row.cell(place).unwrap_or_default();
        let printed = match self.beside {
            Some(beside) => [self.mean, beside].map(|place| cell(place).to_owned()),
            None => pair(cell(self.mean)).unwrap_or_default(),
        };
        let (Some(mean), Some(spread)) = (number(&printed[0]), half(&printed[1])) else {
            return Err(format!(
                "`{name}` has no mean with its spread: write two numbers, or leave the arm out with --arms"
            ));
        };
        if self.beside.is_none() && may_count_digits(cell(self.mean), &printed) {
            return Err(format!(
                "`{}` may be {mean} ± {spread}, or count units of the last digit: write the spread in full, behind ±",
                excerpt(cell(self.mean))
            ));
        }
        if spread <= 0.0 {
            return Err(format!(
                "the spread of `{name}` is {}, which says nothing of its noise: print more digits, or leave the arm out with --arms",
                printed[1]
            ));
        }
        let counted = self.count.map(|place| whole("n", cell(place))).transpose();
        let n = counted
            .map_err(|problem| problem.to_string())?
            .flatten()
            .or(self.n);
        match n {
            Some(0 | 1) => Err(format!(
                "n of `{name}` is below 2, and one score has no spread: leave the arm out with --arms"
            )),
            None if self.spread == Spread::Sd => Err(format!(
                "the standard deviation of `{name}` says nothing of its mean without the number of its scores: give it with --n, or in a column `n`"
            )),
            _ => Ok((
                Summary {
                    arm: arm.to_owned(),
                    mean,
                    spread,
                    n,
                    line: row.line,
                },
                printed,
            )),
        }
    }
}

/// Finds the column of means that is asked for, or the only one with a spread.
fn measure<'c>(
    columns: &'c Columns,
    table: &Table,
    asked: Option<usize>,
) -> Result<&'c Measure, Problem> {
    const WRITE: &str =
        "write it beside the mean (0.81 ± 0.02), or in a column `std`, `stderr` or `ci95`";
    if let Some(place) = asked {
        let found = columns
            .measures
            .iter()
            .find(|measure| measure.mean == place);
        return found.ok_or_else(|| {
            format!(
                "no column is the spread of `{}`: {WRITE}",
                excerpt(&table.columns()[place])
            )
            .into()
        });
    }
    match columns.candidates()[..] {
        [only] => Ok(only),
        [] => Err(format!("no column is the spread of a mean: {WRITE}").into()),
        ref several => {
            let names = several
                .iter()
                .map(|measure| table.columns()[measure.mean].as_str());
            let problem = format!(
                "several columns may be the mean: name one of {} with --metric",
                quoted(names.clone())
            );
            Err(Problem(1, problem, Choice::among("metric", names)))
        }
    }
}

/// Finds the column of the spreads, and their meaning. `None` for the column if the spreads stand in the cells of the means.
fn spread(
    measure: &Measure,
    table: &Table,
    asked: Option<Spread>,
) -> Result<(Option<usize>, Spread), Problem> {
    let of_asked = measure
        .spreads
        .iter()
        .find(|(_, said)| asked.map(Said::Is) == Some(*said));
    let spreads = of_asked.map_or(&measure.spreads[..], std::slice::from_ref);
    match (spreads, asked) {
        (&[(place, _)], Some(spread)) | (&[(place, Said::Is(spread))], None) => Ok((place, spread)),
        (several, _) => {
            let names = several
                .iter()
                .map(|(place, _)| &table.columns()[place.unwrap_or(measure.mean)]);
            let problem = format!(
                "the spread in {} may be a standard deviation (sd), a standard error (se) or half of a 95 % interval (ci95): say which with --spread",
                quoted(names)
            );
            Err(Problem(
                1,
                problem,
                Choice::among("spread", Spread::ALL.map(Spread::name)),
            ))
        }
    }
}
