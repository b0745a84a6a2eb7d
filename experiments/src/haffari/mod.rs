//! The experiments of Haffari, Tran & Carman (EACL 2017) on made-up documents.

mod baselines;
mod measure;
mod systems;

use crate::{
    Failure, makers,
    output::{Estimate, Output, Section, empty},
};
use baselines::{Baseline, Implied};
use measure::{Cell, Method, Model, Row, Rule, Setup};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// The methods of the tables: the paper's, which end at once, and those of studies.
const METHODS: [Method; 8] = [
    method("ts", Model::FFixed, &[Rule::AtOnce]),
    method("pets", Model::FFixed, &[Rule::AtOnce]),
    method("ts", Model::GaussianUnknown, &[Rule::AtOnce]),
    method("pets", Model::GaussianUnknown, &[Rule::AtOnce]),
    method("ts", Model::GaussianKnown, &[Rule::AtOnce]),
    method("pets", Model::GaussianKnown, &[Rule::AtOnce]),
    method("pets", Model::FLearned, &[Rule::Waits]),
    method("ttps", Model::FLearned, &[Rule::Waits]),
];
/// Methods of the calibration, which counts how often each model errs on documents of any kind.
const CALIBRATED: [Method; 2] = [
    method("ttps", Model::FLearned, &[Rule::Waits, Rule::AtOnce]),
    method("ttps", Model::FFixed, &[Rule::Waits, Rule::AtOnce]),
];
/// Queries after which the calibration gives a run up, later than the paper.
const CALIBRATION_CAP: u64 = 5000;

const fn method(policy: &'static str, model: Model, rules: &'static [Rule]) -> Method {
    Method {
        policy,
        model,
        rules,
    }
}

/// The arguments of `experiments haffari`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Number of runs of each method in each setting, spread evenly on 5 configurations of systems;
    /// the paper has 500 (default: 5; of the calibration 20, each on a configuration of its own)
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    runs: Option<u64>,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Concentrations of the documents: small where they differ a lot, inf where all are alike
    /// (default: 1,100; of the calibration 0.3,1,10,100,inf)
    #[arg(long, value_name = "ALPHA,…", value_delimiter = ',')]
    alphas: Vec<f64>,
    /// Numbers of items of a document (default: 100; of the calibration 25,100,400)
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    lengths: Vec<u64>,
    /// Measure how often the default and the paper's model err on documents of any kind, instead of
    /// the paper's tables
    #[arg(long)]
    calibration: bool,
    /// Give a run up after N queries (default: the paper's 2,000; of the calibration 5,000)
    #[arg(long)]
    cap: Option<u64>,
    /// Measure only the settings with this margin between the two best systems
    #[arg(long)]
    margin: Option<f64>,
    /// Measure only the settings with K systems
    #[arg(long, value_name = "K")]
    systems: Option<usize>,
    #[command(flatten)]
    output: Output,
}

/// Published figures of Haffari et al.
#[derive(Deserialize)]
struct Published {
    paper: String,
    delta: f64,
    configurations: u64,
    most_queries: u64,
    setting: Vec<Setting>,
}

impl Published {
    fn read() -> Result<Self, Failure> {
        Ok(toml::from_str(include_str!(
            "../../published/haffari.toml"
        ))?)
    }
}

/// A row of a table of the paper.
#[derive(Deserialize)]
struct Setting {
    table: String,
    systems: usize,
    /// Margin by which the best system leads. `None` of documents that are not made up, if none is
    /// published.
    margin: Option<f64>,
    baseline_two: f64,
    baseline_all: f64,
    hierarchical: OfPolicies,
    gaussian: OfPolicies,
}

#[derive(Deserialize)]
struct OfPolicies {
    ts: Printed,
    pets: Printed,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Printed {
    queries: f64,
    pm: f64,
    success: f64,
}

impl Setting {
    fn published(&self, row: &Row) -> Option<Printed> {
        let of = match row.model {
            Model::FFixed => &self.hierarchical,
            Model::GaussianKnown | Model::GaussianUnknown => &self.gaussian,
            Model::FLearned => return None,
        };
        match row.policy {
            "ts" => Some(of.ts),
            "pets" => Some(of.pets),
            _ => None,
        }
    }
}

#[derive(Serialize)]
struct Results<'a> {
    paper: &'a str,
    baselines: Vec<Implied>,
    settings: Vec<Measured>,
}

/// Results of a setting of the paper, measured on documents of every kind.
#[derive(Serialize)]
struct Measured {
    table: String,
    baseline_two: f64,
    baseline_all: f64,
    /// Published figures of each method. `None` if the paper has none.
    published: Vec<Option<Printed>>,
    cells: Vec<Cell>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let published = Published::read()?;
    let configurations = published.configurations;
    let (usual_runs, cap) = if arguments.calibration {
        (20, CALIBRATION_CAP)
    } else {
        (configurations, published.most_queries)
    };
    let runs = arguments.runs.unwrap_or(usual_runs);
    if !arguments.calibration && !runs.is_multiple_of(configurations) {
        return Err(format!(
            "--runs {runs} cannot be spread evenly on {configurations} configurations"
        )
        .into());
    }
    let wanted = |setting: &&Setting| {
        let margin = setting.margin.filter(|margin| {
            arguments
                .margin
                .is_none_or(|only| (only - margin).abs() < 1e-9)
                && arguments.systems.is_none_or(|only| only == setting.systems)
        });
        // The calibration is of the paper's first setting.
        margin.is_some() && (!arguments.calibration || setting.table == published.setting[0].table)
    };
    let mut settings = Vec::new();
    for setting in published.setting.iter().filter(wanted) {
        let setup = Setup {
            systems: setting.systems,
            margin: setting.margin.unwrap_or_default(),
            delta: published.delta,
            most_queries: arguments.cap.unwrap_or(cap),
            runs,
            configurations: if arguments.calibration {
                runs
            } else {
                configurations
            },
            seed: arguments.seed,
            baselines: !arguments.calibration,
        };
        settings.push(measured(arguments, setting, setup)?);
    }
    if settings.is_empty() {
        return Err(
            "no setting is so: the paper has 5 systems with the margins .05, .025 and .01, and 10 and 20 with .05"
                .into(),
        );
    }
    let results = Results {
        paper: &published.paper,
        baselines: baselines::implied(&published)?,
        settings,
    };
    let mut sections = results
        .settings
        .iter()
        .map(|setting| setting_section(arguments, setting))
        .collect::<Vec<_>>();
    if !arguments.calibration {
        sections.push(baselines::section(&results.baselines)?);
    }
    arguments.output.show(&results, &sections)
}

fn measured(arguments: &Arguments, setting: &Setting, setup: Setup) -> Result<Measured, Failure> {
    let (methods, alphas, lengths): (&[Method], &[f64], &[u64]) = if arguments.calibration {
        let alphas = &[0.3, 1.0, 10.0, 100.0, f64::INFINITY];
        (&CALIBRATED, alphas, &[25, 100, 400])
    } else {
        (&METHODS, &[1.0, 100.0], &[100])
    };
    let alphas = makers::or(&arguments.alphas, alphas);
    let lengths = makers::or(&arguments.lengths, lengths);
    let kinds = alphas
        .iter()
        .flat_map(|&alpha| lengths.iter().map(move |&length| (alpha, length)));
    let mut cells = Vec::new();
    for (alpha, length) in kinds {
        let began = Instant::now();
        cells.push(measure::cell(setup, methods, alpha, length)?);
        eprintln!(
            "{} systems, margin {}, α = {alpha}, N = {length}: {:.1} s",
            setup.systems,
            setup.margin,
            began.elapsed().as_secs_f64()
        );
    }
    let rows = cells.first().map_or(&[][..], |cell| &cell.rows[..]);
    Ok(Measured {
        table: setting.table.clone(),
        baseline_two: setting.baseline_two,
        baseline_all: setting.baseline_all,
        published: rows.iter().map(|row| setting.published(row)).collect(),
        cells,
    })
}

fn setting_section(arguments: &Arguments, setting: &Measured) -> Section {
    let cells = &setting.cells;
    let with_success = |queries: Estimate, share: f64| {
        let Estimate {
            mean,
            standard_error,
        } = queries;
        format!("{mean:.0} ± {standard_error:.0} ({:.0} %)", 100.0 * share)
    };
    let mut shown = vec!["<method", "published"];
    let kinds = cells.iter();
    let kinds: Vec<String> = kinds
        .map(|cell| format!("α = {}, N = {}", cell.alpha, cell.length))
        .collect();
    shown.extend(kinds.iter().map(String::as_str));
    let mut shown = empty(&shown);
    let mut line = |method: &str, published: Option<String>, of: &dyn Fn(&Cell) -> String| {
        let head = [
            method.to_owned(),
            published.unwrap_or_else(|| "–".to_owned()),
        ];
        shown.row(head.into_iter().chain(cells.iter().map(of)), false);
    };
    for (place, row) in cells[0].rows.iter().enumerate() {
        let printed = setting.published[place].map(|printed| {
            let queries = Estimate {
                mean: printed.queries,
                standard_error: printed.pm,
            };
            with_success(queries, printed.success)
        });
        let rule = match row.rule {
            Rule::AtOnce => "at once",
            Rule::Waits => "waits",
        };
        let policy = row.policy.to_uppercase();
        let method = format!("{policy}, {}, {rule}", row.model.title());
        line(&method, printed, &|cell| {
            let row = &cell.rows[place];
            with_success(row.queries, row.success.mean)
        });
    }
    for (place, baseline) in cells[0].baselines.iter().enumerate() {
        let (name, printed) = match baseline.baseline {
            Baseline::TopTwo => ("Baseline_2", setting.baseline_two),
            Baseline::All => ("Baseline_K−1", setting.baseline_all),
        };
        line(name, Some(printed.to_string()), &|cell| {
            let made = &cell.baselines[place];
            with_success(made.queries, made.success_by_mean.mean)
        });
    }
    line("standard deviation of a document's F", None, &|cell| {
        format!("{:.3}", cell.document_sd)
    });
    line(
        "the highest F is the highest mean of documents' F",
        None,
        &|cell| format!("{:.0} %", 100.0 * cell.same_best),
    );
    let setup = cells[0].setup;
    let shown = shown
        .caption(format!(
            "{}: {} systems, the best leading by {}: queries (success)",
            setting.table, setup.systems, setup.margin
        ))
        .note(format!(
            "P(best) ≥ {}; {} runs on {} configurations, at most {} queries, seed {}",
            1.0 - setup.delta,
            setup.runs,
            setup.configurations,
            setup.most_queries,
            setup.seed
        ));
    let name = if arguments.calibration {
        "calibration".to_owned()
    } else {
        format!("systems-{}-margin-{}", setup.systems, setup.margin)
    };
    Section::new(name, shown)
}
