//! The experiments of FIESTA (ACL 2019), with its posterior and its independent splits.

use crate::{
    Failure,
    output::{Output, Section, empty, table},
};
use fiesta_core::{
    Arms, Ask, Design, Event, Observe, Outcome, Policy, Selector, StoppingRule, Streams,
};
use fiesta_policies::{
    self as policies, Parameters, SequentialHalving, TopTwo,
    simulate::{Durations, Gaussian, MakeRule, Problem, Recorded, Simulation, Summary},
    stopping::{LevelError, Never, PosteriorThreshold},
};
use fiesta_posterior::GaussianArms;
use fiesta_records::{self as records, Records};
use fiesta_report::Table;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// Every so many steps of the run of figure 2 are shown as text, and the last.
const STRIDE: u64 = 5;

/// The arguments of `experiments fiesta`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The scores that the paper published, as a file of scores: measured beside Gaussian arms of
    /// the same means and standard deviations
    scores: Option<PathBuf>,
    /// Only these experiments
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<Name>,
    /// How many runs of each method
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

/// What is published.
#[derive(Deserialize)]
struct Published {
    paper: String,
    example: Example,
    synthetic: Synthetic,
    method: Vec<Method>,
    share: Vec<Share>,
    model: Vec<Model>,
}

#[derive(Deserialize)]
struct Example {
    budget: u64,
    models: Vec<String>,
    rounds: Vec<Round>,
    output: String,
}

/// A round of sequential halving.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Round {
    candidates: Vec<String>,
    evaluations_each: u64,
}

#[derive(Deserialize)]
struct Synthetic {
    means: Vec<f64>,
    sd: f64,
    confidence: f64,
    evaluations: f64,
}

#[derive(Deserialize)]
struct Method {
    table: String,
    name: String,
    policy: String,
    batch: u32,
    rows: Vec<AtConfidence>,
}

#[derive(Clone, Serialize, Deserialize)]
struct AtConfidence {
    confidence: f64,
    published: Evaluations,
    /// The mean of independent runs with the same posterior, 2,000 each.
    independent: f64,
}

/// Evaluations over runs, and the share of runs that name the best model.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Evaluations {
    min: u64,
    mean: f64,
    max: u64,
    correct: f64,
}

#[derive(Deserialize)]
struct Share {
    policy: String,
    budget: u64,
    published: f64,
    independent: f64,
}

#[derive(Deserialize)]
struct Model {
    name: String,
    mean: f64,
    sd: f64,
}

/// Everything measured, beside what is published.
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

#[derive(Serialize)]
struct Halving {
    rounds: Vec<Round>,
    output: String,
}

#[derive(Serialize)]
struct UntilConfidence {
    models: &'static str,
    table: String,
    method: String,
    #[serde(flatten)]
    at: AtConfidence,
    measured: Summary,
    /// Measured mean to published mean.
    ratio: f64,
}

#[derive(Serialize)]
struct OneRun {
    published: f64,
    measured: Summary,
    trace: Vec<Step>,
}

#[derive(Serialize)]
struct WithinBudget {
    models: &'static str,
    policy: &'static str,
    budget: u64,
    published: Option<f64>,
    independent: Option<f64>,
    measured: Summary,
}

/// The sentiment models: all of them, and the eight of the fixed-confidence experiments.
struct Source {
    name: &'static str,
    all: Box<dyn Problem>,
    eight: Box<dyn Problem>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let published: Published = toml::from_str(include_str!("../published/fiesta.toml"))?;
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

fn sources(arguments: &Arguments, models: &[Model]) -> Result<Vec<Source>, Failure> {
    let all: Vec<&Model> = models.iter().collect();
    let eight: Vec<&Model> = models
        .iter()
        .filter(|model| !model.name.ends_with("_200"))
        .collect();
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
        let scores = records::read(file, &records::ReadOptions::default())?;
        let recorded = |models: &[&Model]| recorded(&scores, models, file);
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

fn recorded(scores: &Records, models: &[&Model], file: &Path) -> Result<Box<dyn Problem>, Failure> {
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
    Ok(Box::new(Recorded::new(arms, Design::Independent)?))
}

/// The paper's posterior, flat in mean and standard deviation.
fn posterior(arms: usize) -> Box<dyn Observe<f64>> {
    Box::new(GaussianArms::uniform(arms))
}

/// Runs that draw every score anew and end when they are sure: hardly one meets the cap.
fn simulation<'a>(arguments: &Arguments, problem: &'a dyn Problem) -> Simulation<'a> {
    Simulation::new(problem, arguments.runs)
        .seed(arguments.seed)
        .design(Design::Independent)
        .cap(1000 * problem.arms().len() as u64)
}

fn rules(levels: impl Iterator<Item = f64>) -> Result<Vec<MakeRule<'static>>, LevelError> {
    let rule = |level| {
        let rule = PosteriorThreshold::at_once(level)?;
        Ok(Box::new(move || Box::new(rule) as Box<dyn StoppingRule>) as MakeRule<'static>)
    };
    levels.map(rule).collect()
}

/// Evaluations until each confidence. One run serves them all, since no policy knows the rule.
fn until_confidence(
    arguments: &Arguments,
    source: &Source,
    methods: &[Method],
) -> Result<Vec<UntilConfidence>, Failure> {
    let mut rows = Vec::new();
    for method in methods {
        let parameters = Parameters {
            arms: source.eight.arms().len(),
            batch: method.batch,
            ..Parameters::default()
        };
        policies::by_name(&method.policy, &parameters)?;
        let policy =
            || policies::by_name(&method.policy, &parameters).expect("the policy was checked");
        let summaries = simulation(arguments, &*source.eight)
            .workers(method.batch as usize, Durations::Constant)
            .confidence(
                posterior,
                policy,
                &rules(method.rows.iter().map(|at| at.confidence))?,
            )?;
        for (at, measured) in method.rows.iter().zip(summaries) {
            rows.push(UntilConfidence {
                models: source.name,
                table: method.table.clone(),
                method: method.name.clone(),
                at: at.clone(),
                ratio: measured.mean / at.published.mean,
                measured,
            });
        }
    }
    Ok(rows)
}

/// How often each policy finds the best model within budgets from 48, which sequential halving
/// takes at least, in rounds over the 12 models.
fn within_budget(
    arguments: &Arguments,
    source: &Source,
    shares: &[Share],
) -> Result<Vec<WithinBudget>, Failure> {
    let mut rows = Vec::new();
    for policy in ["sequential-halving", "uniform"] {
        for budget in (48..=228).step_by(12) {
            let parameters = Parameters {
                arms: source.all.arms().len(),
                budget: Some(budget),
                batch: 1,
                ..Parameters::default()
            };
            policies::by_name(policy, &parameters)?;
            let make = || policies::by_name(policy, &parameters).expect("the policy was checked");
            let simulation = simulation(arguments, &*source.all);
            let mut shares = shares.iter();
            let share = shares.find(|share| share.policy == policy && share.budget == budget);
            rows.push(WithinBudget {
                models: source.name,
                policy,
                budget,
                published: share.map(|share| share.published),
                independent: share.map(|share| share.independent),
                measured: simulation.budget(posterior, make, budget)?,
            });
        }
    }
    Ok(rows)
}

/// The synthetic models: how long runs are, and the first of them in steps.
fn one_run(arguments: &Arguments, published: &Synthetic) -> Result<OneRun, Failure> {
    let problem = Gaussian::new(published.means.iter().map(|&mean| (mean, published.sd)))?;
    let policy = || -> Box<dyn Policy> { Box::new(TopTwo::thompson()) };
    let rules = rules([published.confidence].into_iter())?;
    let mut summaries = simulation(arguments, &problem).confidence(posterior, policy, &rules)?;
    let rule = PosteriorThreshold::at_once(published.confidence)?;
    let (steps, _) = trace(&problem, policy(), rule, arguments.seed)?;
    let believed = steps.into_iter().filter(|step| !step.belief.is_empty());
    Ok(OneRun {
        published: published.evaluations,
        measured: summaries.remove(0),
        trace: believed.collect(),
    })
}

/// Sequential halving where the output and the runner-up are as in the example.
fn halving(example: &Example, seed: u64) -> Result<Halving, Failure> {
    let last = example.rounds.last().map(|round| &round.candidates);
    let mean = |model: &String| match last {
        _ if *model == example.output => 0.9,
        Some(last) if last.contains(model) => 0.8,
        _ => 0.6,
    };
    let problem = Gaussian::new(example.models.iter().map(|model| (mean(model), 1e-3)))?;
    let policy = SequentialHalving::new(example.models.len(), example.budget)?;
    let (steps, output) = trace(&problem, Box::new(policy), Never, seed)?;
    let name = |arm: usize| example.models[arm].clone();
    // An arm's evaluations say with which round it was dropped.
    let counts = steps.last().map_or(&[][..], |step| &step.counts[..]);
    let ends: BTreeSet<u64> = counts.iter().copied().collect();
    let begins = [0].into_iter().chain(ends.iter().copied());
    let round = |(begin, end): (u64, &u64)| Round {
        candidates: (0..counts.len())
            .filter(|&arm| counts[arm] >= *end)
            .map(name)
            .collect(),
        evaluations_each: end - begin,
    };
    Ok(Halving {
        rounds: begins.zip(&ends).map(round).collect(),
        output: name(output),
    })
}

/// A run after one of its evaluations.
#[derive(Serialize)]
struct Step {
    evaluations: u64,
    /// P(best) of each arm; empty before it is known.
    belief: Vec<f64>,
    /// The evaluations of each arm.
    counts: Vec<u64>,
}

/// The first of the runs that a simulation with this seed makes, and the arm that it names.
fn trace(
    problem: &dyn Problem,
    policy: Box<dyn Policy>,
    rule: impl StoppingRule + 'static,
    seed: u64,
) -> Result<(Vec<Step>, usize), Failure> {
    let streams = Streams::new(seed);
    let arms: &Arms = problem.arms();
    let mut scores = problem.observations(Design::Independent, &streams, 0);
    let mut selector = Selector::builder(arms.clone(), posterior(arms.len()), policy, rule)
        .design(Design::Independent)
        .seed(streams.run_seed(0))
        .build()?;
    let mut steps = Vec::new();
    loop {
        let evaluation = match selector.ask()? {
            Ask::Evaluate(evaluation) => evaluation,
            Ask::Finished(conclusion) => return Ok((steps, conclusion.arm.index())),
            Ask::Wait => unreachable!("with one worker nothing is ever waited for"),
        };
        let score = scores.observe(evaluation.arm, evaluation.case);
        selector.tell(Event::Ended {
            id: evaluation.id,
            outcome: Outcome::Observed(score),
            cost: 1.0,
        })?;
        let view = selector.view();
        let belief = view.belief();
        steps.push(Step {
            evaluations: view.total_ended(),
            belief: belief.map_or_else(Vec::new, |belief| belief.probability.clone()),
            counts: arms.ids().map(|arm| view.observed(arm)).collect(),
        });
    }
}

fn table_1(example: &Example, measured: &Halving) -> Table {
    let mut shown = empty(&["round", "<paper", "<measured"]);
    let words = |round: Option<&Round>| {
        round.map_or_else(String::new, |round| {
            format!(
                "{}: {} each",
                round.candidates.join(", "),
                round.evaluations_each
            )
        })
    };
    for place in 0..example.rounds.len().max(measured.rounds.len()) {
        let rounds = [&example.rounds, &measured.rounds].map(|rounds| words(rounds.get(place)));
        let head = (place + 1).to_string();
        shown.row([head].into_iter().chain(rounds), false);
    }
    let output = ["output", &example.output, &measured.output];
    shown.row(output.map(ToOwned::to_owned), false);
    shown.caption("Table 1: sequential halving of four models within 16 evaluations")
}

fn tables_2_3(rows: &[UntilConfidence]) -> Result<Table, Failure> {
    let columns = [
        ("<method", "{method}"),
        ("confidence", "{confidence}"),
        ("paper", "{published.mean}"),
        ("min–max", "{published.min}–{published.max}"),
        ("correct", "{published.correct:%0} %"),
        ("independent", "{independent:.1}"),
        (
            "measured",
            "{measured.mean:.1} ± {measured.standard_error:.1}",
        ),
        ("min–max", "{measured.min}–{measured.max}"),
        ("correct", "{measured.correct:%1} %"),
        ("ratio", "{ratio:.3}"),
    ];
    let shown = table(rows, &columns)?;
    Ok(shown.caption("Tables 2 and 3: evaluations until a confidence, 8 models"))
}

fn figure_2(published: &Synthetic, run: &OneRun) -> Table {
    let names: Vec<String> = published
        .means
        .iter()
        .map(|mean| format!("mean {mean}"))
        .collect();
    let columns = ["evaluations"]
        .into_iter()
        .chain(names.iter().map(String::as_str));
    let mut shown = empty(&columns.collect::<Vec<_>>());
    let last = run.trace.last().map(|step| step.evaluations);
    for step in &run.trace {
        if step.evaluations % STRIDE == 0 || Some(step.evaluations) == last {
            let model = |(probability, &count): (&f64, &u64)| {
                let share = count as f64 / step.evaluations as f64;
                format!("{:.1} % ({:.0} %)", 100.0 * probability, 100.0 * share)
            };
            let models = step.belief.iter().zip(&step.counts).map(model);
            let head = step.evaluations.to_string();
            shown.row([head].into_iter().chain(models), false);
        }
    }
    let Summary {
        runs,
        mean,
        standard_error,
        min,
        max,
        correct,
        ..
    } = run.measured;
    shown
        .caption("Figure 2: a run of TTTS on five synthetic models until 99 %")
        .note(format!(
            "P(best) and, in brackets, the share of the evaluations so far. The paper's one run takes {} evaluations; {runs} runs take \
             {mean:.1} ± {standard_error:.1} ({min} to {max}), and {:.1} % name the best",
            run.published,
            100.0 * correct
        ))
}

fn figure_4(rows: &[WithinBudget]) -> Result<Table, Failure> {
    let columns = [
        ("<policy", "{policy}"),
        ("budget", "{budget}"),
        ("paper", "{published:.3}"),
        ("independent", "{independent:.3}"),
        (
            "measured",
            "{measured.correct:.4} ± {measured.correct_standard_error:.4}",
        ),
    ];
    let shown = table(rows, &columns)?
        .caption("Figure 4: share of runs that find the best of 12 models within a budget");
    Ok(shown.note("–: a bar of the figure without a number"))
}
