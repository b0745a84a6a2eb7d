//! Results as text, Markdown or JSON on the standard output, or as sections of a document.

use crate::Failure;
use fiesta_core::Moments;
use fiesta_policies::simulate::SimulationSummary;
use fiesta_report::{Align, Table};
use serde::Serialize;
use serde_json::Value;
use std::{
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Arguments on where results go, and in which form.
#[derive(Debug, clap::Args)]
pub(crate) struct Output {
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write every table into the section of this Markdown document that is marked for it
    #[arg(short, long, value_name = "FILE", conflicts_with = "format")]
    output: Option<PathBuf>,
}

/// Arguments on how often an experiment runs each of its rows, and on its output.
#[derive(Debug, clap::Args)]
pub(crate) struct Runs {
    /// Number of runs of each row
    #[arg(long = "runs", value_name = "RUNS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) number: u64,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    /// Text for people.
    #[default]
    Text,
    /// Markdown for documents.
    Markdown,
    /// One JSON document on the standard output, and nothing else there.
    Json,
}

/// A table with the name that marks its section in documents.
pub(crate) struct Section {
    pub(crate) name: String,
    pub(crate) table: Table,
}

impl Section {
    pub(crate) fn new(name: impl Into<String>, table: Table) -> Self {
        let name = name.into();
        Self { name, table }
    }
}

impl Output {
    /// Prints the results, or replaces the sections of the document.
    pub(crate) fn show(
        &self,
        results: &impl Serialize,
        sections: &[Section],
    ) -> Result<(), Failure> {
        if let Some(file) = &self.output {
            return replace(file, sections);
        }
        let tables = sections.iter().map(|section| &section.table);
        let printed = match self.format {
            Format::Json => format!("{}\n", serde_json::to_string(results)?),
            Format::Markdown => tables.map(|table| table.markdown() + "\n").collect(),
            Format::Text => tables.map(|table| table.text() + "\n").collect::<String>(),
        };
        match io::stdout().write_all(printed.as_bytes()) {
            // A reader that has seen enough and left, such as `head`, is no failure.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => Ok(written?),
        }
    }

    /// Shows rows as the section with this name; `columns` are those of [`table`].
    pub(crate) fn show_rows(
        &self,
        name: &str,
        rows: &[impl Serialize],
        columns: &[(&str, &str)],
    ) -> Result<(), Failure> {
        self.show(&rows, &[Section::new(name, table(rows, columns)?)])
    }
}

/// Replaces the text between `<!-- NAME -->` and `<!-- /NAME -->` in a document.
fn replace(file: &Path, sections: &[Section]) -> Result<(), Failure> {
    let shown = file.display();
    let mut text =
        fs::read_to_string(file).map_err(|error| format!("cannot read {shown}: {error}"))?;
    let date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let command: Vec<String> = env::args().skip(1).collect();
    let dated = format!("{}: `experiments {}`", &date[..10], command.join(" "));
    for Section { name, table } in sections {
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let range = text.find(&begin).and_then(|at| {
            let from = at + begin.len();
            Some(from..from + text[from..].find(&end)?)
        });
        let range = range.ok_or_else(|| {
            format!(
                "{shown} has no section `{name}`: add the lines {} and {end}",
                begin.trim()
            )
        })?;
        text.replace_range(range, &format!("{}\n{dated}\n", table.markdown()));
    }
    fs::write(file, text).map_err(|error| format!("cannot write {shown}: {error}").into())
}

/// Returns a table of these rows. A column is a name, before which `<` says that words stand below,
/// and a template: `{a.b}` is the value `b` of `a`, `{a.b:.2}` with two decimals, `{a.b:%1}` in
/// percent with one; an [`Estimate`] is shown with its standard error. Where a value is missing, a
/// dash.
pub(crate) fn table(rows: &[impl Serialize], columns: &[(&str, &str)]) -> Result<Table, Failure> {
    let heads = columns.iter().map(|(name, _)| *name);
    let mut table = empty(&heads.collect::<Vec<_>>());
    for row in rows {
        let row = serde_json::to_value(row)?;
        let cell = |(_, template): &(&str, &str)| fill(template, &row);
        let cells = columns.iter().map(cell);
        table.row(
            cells.map(|cell| cell.unwrap_or_else(|| "–".to_owned())),
            false,
        );
    }
    Ok(table)
}

/// Makes a table without rows; `columns` are those of [`table`].
pub(crate) fn empty(columns: &[&str]) -> Table {
    Table::new(
        columns
            .iter()
            .map(|&column| match column.strip_prefix('<') {
                Some(words) => (words, Align::Left),
                None => (column, Align::Right),
            }),
    )
}

fn fill(template: &str, row: &Value) -> Option<String> {
    // What is outside and inside of braces takes turns.
    let mut parts = template.split(['{', '}']);
    let mut filled = parts.next()?.to_owned();
    while let (Some(inside), Some(outside)) = (parts.next(), parts.next()) {
        let (path, format) = inside.split_once(':').unwrap_or((inside, ""));
        let value = row.pointer(&format!("/{}", path.replace('.', "/")))?;
        filled += &shown(value, format)?;
        filled += outside;
    }
    Some(filled)
}

fn shown(value: &Value, format: &str) -> Option<String> {
    let digits = format.trim_start_matches(['.', '%']).parse().ok();
    let number = |number: f64| {
        let number = if format.starts_with('%') {
            100.0 * number
        } else {
            number
        };
        digits.map_or_else(
            || number.to_string(),
            |digits: usize| format!("{number:.digits$}"),
        )
    };
    match value {
        Value::String(words) => Some(words.clone()),
        Value::Object(estimate) => {
            let of = |name| Some(number(estimate.get(name)?.as_f64()?));
            Some(format!("{} ± {}", of("mean")?, of("standard_error")?))
        }
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            Some(names.collect::<Vec<_>>().join(", "))
        }
        value => value.as_f64().map(number),
    }
}

/// A mean with its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Estimate {
    pub(crate) mean: f64,
    pub(crate) standard_error: f64,
}

impl Estimate {
    /// A share p of `runs` independent runs, with the standard error √(p(1 − p)/runs).
    pub(crate) fn share(p: f64, runs: u64) -> Self {
        Self {
            mean: p,
            standard_error: (p * (1.0 - p) / runs as f64).sqrt(),
        }
    }

    /// Returns the estimate of a mean that is known, with a standard error of 0.
    pub(crate) fn exact(mean: f64) -> Self {
        Self {
            mean,
            standard_error: 0.0,
        }
    }

    /// Returns the mean number of evaluations of a run.
    pub(crate) fn evaluations(of: &SimulationSummary) -> Self {
        Self {
            mean: of.mean,
            standard_error: of.standard_error,
        }
    }

    /// Returns the share of runs whose verdict was wrong.
    pub(crate) fn wrong(of: &SimulationSummary) -> Self {
        Self::share(of.wrong as f64 / of.runs as f64, of.runs)
    }

    /// Returns the mean over groups of runs that have something in common: its standard error comes
    /// from the differences between the groups, or if there is only one, from its runs.
    pub(crate) fn over(groups: impl IntoIterator<Item = Self>) -> Self {
        let groups: Vec<Self> = groups.into_iter().collect();
        if let [alone] = groups[..] {
            return alone;
        }
        groups.iter().map(|group| group.mean).collect()
    }
}

/// Estimates the mean of independent values, with its standard error.
impl FromIterator<f64> for Estimate {
    fn from_iter<T: IntoIterator<Item = f64>>(values: T) -> Self {
        let moments: Moments = values.into_iter().collect();
        Self {
            mean: moments.mean(),
            standard_error: moments.standard_error().unwrap_or(0.0),
        }
    }
}
