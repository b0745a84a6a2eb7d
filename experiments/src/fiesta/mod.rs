//! The experiments of FIESTA (ACL 2019), with its posterior and its independent splits.

mod measure;
mod published;
mod tables;

use crate::{
    Failure,
    output::{Output, Section},
};
use fiesta_core::Design;
use fiesta_policies::simulate::{Gaussian, Problem, Recorded};
use fiesta_records::{self as records, Evaluations};
use measure::{
    Halving, OneRun, UntilConfidence, WithinBudget, halving, one_run, until_confidence,
    within_budget,
};
use published::{Model, Published};
use serde::Serialize;
use std::path::{Path, PathBuf};
use tables::{figure_2, figure_4, table_1, tables_2_3};

/// The arguments of `experiments fiesta`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// File of the scores that the paper published, which are measured beside Gaussian arms of the
    /// same means and standard deviations
    scores: Option<PathBuf>,
    /// Make only these experiments (default: all)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<Name>,
    /// Number of runs of each method
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

/// A table or a figure of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Name {
    /// The rounds of sequential halving.
    #[value(name = "table-1")]
    Table1,
    /// Evaluations until a confidence, one at a time and in batches.
    #[value(name = "tables-2-3")]
    Tables2And3,
    /// Beliefs about five synthetic models along a run.
    #[value(name = "figure-2")]
    Figure2,
    /// How often the best model is found within a budget.
    #[value(name = "figure-4")]
    Figure4,
}

/// All measurements, with the published figures.
#[derive(Serialize)]
struct Results<'a> {
    paper: &'a str,
    runs: u64,
    seed: u64,
    scores: Option<&'a Path>,
    table_1: Option<Halving>,
    tables_2_3: Vec<UntilConfidence>,
    figure_2: Option<OneRun>,
    figure_4: Vec<WithinBudget>,
}

/// The sentiment models: all of them, and the eight of the fixed-confidence experiments.
struct Source {
    name: &'static str,
    all: Box<dyn Problem>,
    eight: Box<dyn Problem>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let published: Published = toml::from_str(include_str!("../../published/fiesta.toml"))?;
    let wanted = |name| arguments.only.is_empty() || arguments.only.contains(&name);
    let sources = sources(arguments, &published.model)?;
    let mut results = Results {
        paper: &published.paper,
        runs: arguments.runs,
        seed: arguments.seed,
        scores: arguments.scores.as_deref(),
        table_1: None,
        tables_2_3: Vec::new(),
        figure_2: None,
        figure_4: Vec::new(),
    };
    let (runs, seed) = (arguments.runs, arguments.seed);
    let of_runs =
        |models| format!("{models} models, {runs} runs each, seed {seed}; ± is one standard error");
    let mut sections = Vec::new();
    if wanted(Name::Table1) {
        let halving = halving(&published.example, arguments.seed)?;
        sections.push(Section::new(
            "table-1",
            table_1(&published.example, &halving),
        ));
        results.table_1 = Some(halving);
    }
    if wanted(Name::Figure2) {
        let run = one_run(arguments, &published.synthetic)?;
        sections.push(Section::new(
            "figure-2",
            figure_2(&published.synthetic, &run),
        ));
        results.figure_2 = Some(run);
    }
    for source in &sources {
        if wanted(Name::Tables2And3) {
            let rows = until_confidence(arguments, source, &published.method)?;
            let table = tables_2_3(&rows)?.note(of_runs(source.name));
            sections.push(Section::new(format!("tables-2-3-{}", source.name), table));
            results.tables_2_3.extend(rows);
        }
        if wanted(Name::Figure4) {
            let rows = within_budget(arguments, source, &published.share)?;
            let table = figure_4(&rows)?.note(of_runs(source.name));
            sections.push(Section::new(format!("figure-4-{}", source.name), table));
            results.figure_4.extend(rows);
        }
    }
    arguments.output.show(&results, &sections)
}

/// Returns the models of the fixed-confidence experiments.
fn eight(models: &[Model]) -> Vec<&Model> {
    let mut eight: Vec<&Model> = models.iter().collect();
    eight.retain(|model| !model.name.ends_with("_200"));
    eight
}

/// Returns the recorded scores of the eight models, on shared splits.
pub(crate) fn recorded_eight(file: &Path) -> Result<Box<dyn Problem>, Failure> {
    let published: Published = toml::from_str(include_str!("../../published/fiesta.toml"))?;
    let scores = records::read(file, &records::Reading::default())?;
    recorded(&scores, &eight(&published.model), file, Design::Shared)
}

fn sources(arguments: &Arguments, models: &[Model]) -> Result<Vec<Source>, Failure> {
    let (all, eight) = (models.iter().collect::<Vec<_>>(), eight(models));
    let gaussian = |models: &[&Model]| -> Result<Box<dyn Problem>, Failure> {
        let arms = models.iter().map(|model| (model.mean, model.sd));
        Ok(Box::new(Gaussian::new(arms)?))
    };
    let mut sources = vec![Source {
        name: "gaussian",
        all: gaussian(&all)?,
        eight: gaussian(&eight)?,
    }];
    if let Some(file) = &arguments.scores {
        let scores = records::read(file, &records::Reading::default())?;
        let recorded = |models: &[&Model]| recorded(&scores, models, file, Design::Independent);
        sources.push(Source {
            name: "recorded",
            all: recorded(&all)?,
            eight: recorded(&eight)?,
        });
    } else {
        eprintln!(
            "skipped: the recorded scores, as no file of them is named; Gaussian arms of their means and standard deviations are measured"
        );
    }
    Ok(sources)
}

fn recorded(
    scores: &Evaluations,
    models: &[&Model],
    file: &Path,
    design: Design,
) -> Result<Box<dyn Problem>, Failure> {
    let of = |model: &&Model| {
        let arm = scores.find(&model.name).ok_or_else(|| {
            format!(
                "{} has no arm `{}`, but {}: the scores of the FIESTA paper are expected",
                file.display(),
                model.name,
                scores.arms().join(", ")
            )
        })?;
        let records = scores.records().iter().filter(|record| record.arm == arm);
        let scores = records.map(|record| (record.split, record.score)).collect();
        Ok((model.name.clone(), scores))
    };
    let arms = models.iter().map(of).collect::<Result<Vec<_>, Failure>>()?;
    Ok(Box::new(Recorded::new(arms, design)?))
}
