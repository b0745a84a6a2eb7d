//! `fiesta belief`: P(best) of each arm from evaluations that exist already.

use super::{
    Format,
    counts::CountsArguments,
    exit::{Code, Failure},
    figure::FigureFile,
    measures::MeasuresArguments,
    plan::confidence,
    results::{ReadingArguments, ResultsArguments, Said, Scored, source, with_ways},
};
use fiesta::{
    Target,
    import::ImportError,
    records::{Reading, RecordsError, Spread, Summaries, table::Table},
    report::analysis::{
        ScoresOfArms,
        belief::{
            self, BeliefMethod, BeliefOptions, BeliefReport, BeliefRequest, BenchmarkRecords,
            BenchmarkScale, BenchmarkWeights,
        },
        of_scores_alone,
    },
};
use std::path::PathBuf;

/// The arguments of `fiesta belief`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:
  fiesta belief scores.csv
  fiesta belief runs.csv --arm model --score test_acc --split fold --seed random_state
  fiesta belief wide.csv --paired-rows        a column for each arm, and every row is a split
  fiesta belief results.jsonl --metric macro_f1 --posterior uniform --format json
  fiesta belief red.csv blue.csv              a file for each system, with the same columns; also .gz and .zst
  fiesta belief answers.csv --gold label      predictions of each system beside the right answers; --positive yes for F
  fiesta belief losses.csv --minimize --posterior pooled --method monte-carlo --draws 1000000
  fiesta belief answers.jsonl --clusters passage
  fiesta belief counts.csv --counts --alpha shared
  fiesta belief answers.csv --strata category     a column `item`: results by group as well
  fiesta belief answers.csv --pool-size 500 --outlook     a random sample of 500 items: how many more answers would settle it
  fiesta belief paper.csv --spread sd --n 5       a row for each arm: its mean ± what --spread says, over 5 runs
  fiesta belief logs/*.eval                       logs of Inspect AI, also .json; samples of lm-eval; promptfoo's JSON
  fiesta belief logs/                             all logs of one tool in a directory and in those in it
  fiesta belief out/ --weights gsm8k=1,mmlu=2     the weighted mean of several tasks
  fiesta belief runs.csv --benchmark dataset      the mean of the data sets that a column names
  fiesta belief runs.csv --cheapest-within 0.01 --at-most seconds=2    columns `cost` and `seconds`: the cheapest good enough
  fiesta belief out/*/samples_gsm8k_*.jsonl --metric exact_match --filter strict-match")]
pub(super) struct Arguments {
    #[command(flatten)]
    results: ResultsArguments,
    /// Further logs of answers, or tables with the same columns, which are read together with the
    /// first
    #[arg(value_name = "MORE", conflicts_with = "counts")]
    more: Vec<PathBuf>,
    #[command(flatten)]
    counting: CountsArguments,
    /// In a table of means, where each row has an arm's mean with its spread (0.81 ± 0.02, or columns):
    /// whether the spread is a standard deviation, a standard error or half of a 95 % interval
    #[arg(long, value_name = "sd|se|ci95", conflicts_with = "counts")]
    spread: Option<Spread>,
    /// In a table of means: how many scores each mean is of, or the column that says it (default: a
    /// column `n`)
    #[arg(long, value_name = "N|COLUMN", conflicts_with = "counts")]
    n: Option<String>,
    /// The posterior of the means: uniform, jeffreys, pooled or paired (default: paired); of counts
    /// also f-measure (their default), the others being about the mean of the documents' F
    #[arg(long, value_name = "NAME")]
    posterior: Option<String>,
    /// The items of the file are a random sample of a pool of N items
    #[arg(long, value_name = "N", conflicts_with = "counts")]
    pool_size: Option<u64>,
    /// Which items of a pool the verdict is of: "these items", or "items like these", many more that
    /// are drawn as these were
    #[arg(
        long,
        value_name = "WORDS",
        default_value_t,
        hide_default_value = true,
        conflicts_with = "counts"
    )]
    target: Target,
    /// The column of the long form that says which items belong together (questions on one text),
    /// for the standard error of the best two arms' difference
    #[arg(long, value_name = "NAME", conflicts_with = "counts")]
    clusters: Option<String>,
    /// Confidence at which the outlook names an arm (default: 0.95)
    #[arg(long, value_name = "LEVEL", requires = "outlook", conflicts_with = "counts", value_parser = confidence)]
    confidence: Option<f64>,
    /// In a pool of items, how far below the best the named arm may be (default: 0)
    #[arg(long, value_name = "DIFFERENCE", conflicts_with = "counts", value_parser = tolerance)]
    tolerance: Option<f64>,
    #[command(flatten)]
    measures: MeasuresArguments,
    /// A column whose values are groups of items, by which results are shown as well (default:
    /// `group`, if there is one)
    #[arg(long, value_name = "COLUMN", conflicts_with = "counts")]
    strata: Option<String>,
    /// The column of the benchmarks (data sets, tasks): arms are compared by the weighted mean of their
    /// means over all of them. In logs of answers, benchmarks are their tasks
    #[arg(long, value_name = "COLUMN", conflicts_with = "counts")]
    benchmark: Option<String>,
    /// How much each benchmark counts: a weight for each (gsm8k=1,mmlu=2), `items` to weigh by numbers
    /// of items, or `equal` (default)
    #[arg(long, value_name = "WEIGHTS", conflicts_with = "counts")]
    weights: Option<BenchmarkWeights>,
    /// Worst and best score of a benchmark, where benchmarks have different units or directions:
    /// mt_bench=1,10, perplexity=50,1. May be given for each
    #[arg(long, value_name = "NAME=WORST,BEST", conflicts_with = "counts")]
    scale: Vec<BenchmarkScale>,
    /// Simulate how many more evaluations, or answers of a pool of items, would settle it, which takes
    /// a while
    #[arg(long, conflicts_with = "counts")]
    outlook: bool,
    /// Take scores between 0 and 1 on the logit scale; scores of 0 and 1 are refused, or with a
    /// UNIT (1/N for an accuracy over N items) moved in by half of it
    #[arg(long, value_name = "UNIT", num_args = 0..=1, require_equals = true, default_missing_value = "0", conflicts_with = "counts", value_parser = unit)]
    logit: Option<f64>,
    /// How to compute the probabilities
    #[arg(long, value_enum, default_value_t)]
    method: BeliefMethod,
    /// Draws of the Monte Carlo method (default: 100000) and of paired (default: as many as make
    /// the error at most 0.0003, as far as they do not take too long): more of them make the error
    /// smaller. The error that is printed is an estimate, often off by a fifth, and near 0 and 1 it
    /// rises once draws are found on which a P(best) rests and which are rare. Of f-measure, the
    /// effective draws of each arm (default: 1000)
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    draws: Option<u64>,
    /// Compute the belief so often and print the median time of one computation; of paired and
    /// f-measure, with the fit
    #[arg(long, value_name = "TIMES")]
    time: Option<u32>,
    /// Also write every arm's mean with its interval to this file: .svg, .png or .pdf
    #[arg(short, long, value_name = "FILE", value_parser = FigureFile::parse)]
    output: Option<FigureFile>,
    /// How to print the belief
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    let parsed: Option<f64> = text.trim().parse().ok();
    parsed
        .filter(|tolerance| tolerance.is_finite() && *tolerance >= 0.0)
        .ok_or_else(|| "give a difference of scores, 0 or more, for example 0.01".to_owned())
}

fn unit(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|unit| (0.0..1.0).contains(unit))
        .ok_or_else(|| {
            "give the smallest step of the score, between 0 and 1, for example 0.001".to_owned()
        })
}

impl Arguments {
    fn reading(&mut self) -> &mut ReadingArguments {
        &mut self.results.reading
    }

    fn options(&self) -> Result<BeliefOptions, Failure> {
        Ok(BeliefOptions {
            method: self.method,
            draws: self.draws,
            seed: self.results.reading.scores.drawing_seed()?,
            logit: self.logit,
            repeat: self.time,
            ..BeliefOptions::default()
        })
    }

    fn request(&self) -> Result<BeliefRequest, Failure> {
        Ok(BeliefRequest {
            posterior: self.posterior.clone(),
            options: self.options()?,
            bounds: self.results.reading.scores.bounds,
            pool_size: self.pool_size,
            target: self.target,
            confidence: self.confidence,
            tolerance: self.tolerance,
            strata: self.strata.clone(),
            clusters: self.clusters.clone(),
            outlook: self.outlook,
            measures: self.measures.request(),
        })
    }
}

pub(super) fn belief(arguments: &Arguments) -> Result<Code, Failure> {
    let (report, said) = report(arguments, true).map_err(|failure| {
        let path = &arguments.results.results;
        with_ways(failure, path, arguments, Arguments::reading, &|arguments| {
            Ok(Some(report(arguments, false)?.0.in_short()))
        })
    })?;
    said.say();
    if let Some(file) = &arguments.output {
        file.write(&report.figure())?;
    }
    let format = arguments.format;
    format.print_told(&report, &said, BeliefReport::text_within)?;
    Ok(Code::Done)
}

/// Returns the belief and notices about the file. The outlook takes a while, and is made only on
/// request.
fn report(arguments: &Arguments, outlook: bool) -> Result<(BeliefReport, Said), Failure> {
    let (reading, counting) = (&arguments.results.reading.scores, &arguments.counting);
    let file = &arguments.results.results;
    counting.refuse_without_counts(&[])?;
    if counting.are_counts() {
        if let Some(flag) = arguments.measures.request().flag() {
            return Err(Failure::Usage(format!(
                "--{flag} is about scores with measures beside them, and these are confusion counts: leave it out"
            )));
        }
        let (counts, notices) = counting.read(file, reading)?;
        let target = counting.target(arguments.posterior.as_deref(), counts.arms.len())?;
        let (model, options) = (counting.model()?, arguments.options()?);
        let report = belief::of_counts(&counts, &target, &model, &options)?;
        return Ok((report, Said::of(notices)));
    }
    // A name that is none is told of before the file is read.
    of_scores_alone(arguments.posterior.as_deref())?;
    let mut reading = arguments.results.reading.clone();
    let (spread, n) = (arguments.spread.or(reading.means.0), arguments.n.clone());
    reading.means = (spread, n);
    let column = arguments.benchmark.as_deref();
    let mut read = match reading.read_benchmarks(file, &arguments.more, column) {
        Err(Failure::Import(ImportError::Records(RecordsError::Means { table, .. }))) => {
            return of_means(arguments, &reading, &table);
        }
        read => read?,
    };
    let scored = match (read.pop(), &read[..]) {
        (Some((_, one)), []) if column.is_none() => one,
        (last, _) => {
            read.extend(last);
            return of_benchmarks(arguments, read);
        }
    };
    if arguments.weights.is_some() || !arguments.scale.is_empty() {
        return Err(Failure::Usage(format!(
            "--weights and --scale are about several benchmarks, and {} is one: name the column of the benchmarks with --benchmark, or leave these out",
            source(file)
        )));
    }
    let scores = ScoresOfArms::new(&scored.records, &[], scored.direction, source(file))?;
    let mut request = arguments.request()?;
    if !outlook {
        (request.outlook, request.confidence) = (false, None);
    }
    let report = request.report(scores, Some(&scored.records))?;
    Ok((report, scored.said))
}

/// Returns the belief about the weighted mean of several benchmarks.
fn of_benchmarks(
    arguments: &Arguments,
    read: Vec<(String, Scored)>,
) -> Result<(BeliefReport, Said), Failure> {
    let mut said = Said::of_benchmarks(read.iter().map(|(_, scored)| &scored.said));
    if arguments.weights.is_none() {
        let number = read.len();
        said.notices.push(format!(
            "{number} benchmarks count the same: --weights NAME=WEIGHT,… or --weights items says otherwise"
        ));
    }
    let benchmarks = read.into_iter().map(|(name, scored)| BenchmarkRecords {
        name,
        records: scored.records,
        direction: scored.direction,
    });
    let weights = arguments.weights.clone().unwrap_or_default();
    let source = source(&arguments.results.results);
    let request = arguments.request()?;
    let report =
        request.of_benchmarks(benchmarks.collect(), &weights, &arguments.scale, &source)?;
    Ok((report, said))
}

/// Returns the belief from a table of means with their spread.
fn of_means(
    arguments: &Arguments,
    reading: &ReadingArguments,
    table: &Table,
) -> Result<(BeliefReport, Said), Failure> {
    const MEANS: &str = "these are means with their spread";
    let (scores, (spread, n)) = (&reading.scores, reading.means.clone());
    scores.refuse_paired_rows(MEANS)?;
    reading.foreign.refuse()?;
    let names = scores.columns()?;
    let of_cases = [names.item, names.split, names.seed];
    if of_cases.iter().any(Option::is_some) || scores.failed.is_some() {
        return Err(Failure::Usage(format!(
            "--item, --split, --seed and --failed are about single evaluations, and {MEANS}: leave them out"
        )));
    }
    let options = Reading {
        spread,
        n,
        ..scores.reading(false)?
    };
    let file = source(&arguments.results.results);
    let means = Summaries::read_each(table, &options, &file)?;
    let metric = match &means[..] {
        [one] => &one.metric,
        _ => "score",
    };
    let mut notices = Vec::new();
    let directed = || Summaries::direction_on(&means, &file);
    let direction = reading.directed(metric, None, directed, &mut notices)?;
    let report = arguments.request()?.of_means_on(&means, direction)?;
    Ok((report, Said::of(notices)))
}
