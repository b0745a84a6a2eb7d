//! `fiesta compare`: the differences between arms, from evaluations that exist already.

use super::{
    Format,
    belief::tolerance,
    exit::{Code, Failure},
    figure::FigureFile,
    plan::confidence,
    results::{ReadingArguments, ResultsArguments, Said, source, with_ways},
};
use fiesta::{
    Target,
    report::{
        analysis::{
            ScoresOfArms,
            compare::{CompareOptions, ComparisonReport, PairsReport},
            of_scores_alone,
        },
        figure::Forest,
    },
};
use serde::Serialize;
use std::path::PathBuf;

/// The arguments of `fiesta compare`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:
  fiesta compare scores.csv                   two arms; of more, pairs in a table
  fiesta compare scores.csv --arms new,old    these two: new less old
  fiesta compare old.jsonl new.jsonl --tolerance 0.01     a file for each system
  fiesta compare answers.csv --gold label     predictions of each system beside the right answers
  fiesta compare losses.csv --minimize --confidence 0.9 --format json
  fiesta compare logs/ -o means.svg           all logs of one tool; the means as a figure

Of up to six arms every pair is compared, of more the best with each other. P-values are adjusted over all pairs (Holm).
Tests and intervals hold where the number of scores was fixed before they were seen, which a study's is not.")]
pub(super) struct Arguments {
    #[command(flatten)]
    results: ResultsArguments,
    /// Further logs of answers, or tables with the same columns, which are read together with the
    /// first
    #[arg(value_name = "MORE")]
    more: Vec<PathBuf>,
    /// Confidence C of the intervals; among several pairs, a difference is decided if its adjusted
    /// p-value is at most 1 − C
    #[arg(id = "interval_confidence", long = "confidence", value_name = "LEVEL", default_value_t = 0.95, value_parser = confidence)]
    confidence: f64,
    /// A tie is an interval of the difference between −T and T
    #[arg(id = "tie_within", long = "tolerance", value_name = "T", value_parser = tolerance)]
    tolerance: Option<f64>,
    /// The posterior of the means, for P(better): uniform, jeffreys, pooled, paired or pool
    /// (default: pool of answers to items, else paired)
    #[arg(long, value_name = "NAME")]
    posterior: Option<String>,
    /// Which items of a pool P(better) is of: "these items", or "items like these", many more that are
    /// drawn as these were (default)
    #[arg(long, value_name = "WORDS")]
    target: Option<Target>,
    /// Also write every arm's mean with its interval to this file: .svg, .png or .pdf
    #[arg(short, long, value_name = "FILE", value_parser = FigureFile::parse)]
    output: Option<FigureFile>,
    /// How to print the comparison
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Report of a comparison: of two arms, or of several.
#[derive(Serialize)]
#[serde(untagged)]
enum Compared {
    Two(Box<ComparisonReport>),
    Several(PairsReport),
}

impl Compared {
    fn text_within(&self, width: usize) -> String {
        match self {
            Self::Two(report) => report.text_within(width),
            Self::Several(report) => report.text_within(width),
        }
    }

    fn in_short(&self) -> String {
        match self {
            Self::Two(report) => report.in_short(),
            Self::Several(report) => report.in_short(),
        }
    }

    fn figure(&self) -> Forest {
        match self {
            Self::Two(report) => report.figure(),
            Self::Several(report) => report.figure(),
        }
    }
}

impl Arguments {
    fn reading(&mut self) -> &mut ReadingArguments {
        &mut self.results.reading
    }
}

pub(super) fn compare(arguments: &Arguments) -> Result<Code, Failure> {
    let (report, said) = report(arguments).map_err(|failure| {
        let path = &arguments.results.results;
        with_ways(failure, path, arguments, Arguments::reading, &|arguments| {
            Ok(Some(report(arguments)?.0.in_short()))
        })
    })?;
    said.say();
    if let Some(file) = &arguments.output {
        file.write(&report.figure())?;
    }
    let format = arguments.format;
    format.print_told(&report, &said, Compared::text_within)?;
    Ok(Code::Done)
}

/// Returns the comparison, and notices about the file.
fn report(arguments: &Arguments) -> Result<(Compared, Said), Failure> {
    // A name that is none is told of before the file is read.
    of_scores_alone(arguments.posterior.as_deref())?;
    let (file, reading) = (&arguments.results.results, &arguments.results.reading);
    let scored = reading.read_scored(file, &arguments.more)?;
    let scores = ScoresOfArms::new(&scored.records, &[], scored.direction, source(file))?;
    let scores = scores.in_pool(reading.scores.bounds, None)?;
    let scores = scores.aimed_to_compare(arguments.target)?;
    let options = CompareOptions {
        // Arms that were named are compared in the order in which they were.
        arms: match (reading.scores.arms.is_empty(), scores.arms.names()) {
            (false, [a, b]) => Some([a.clone(), b.clone()]),
            _ => None,
        },
        confidence: arguments.confidence,
        posterior: arguments.posterior.clone(),
        seed: reading.scores.drawing_seed()?,
        tolerance: arguments.tolerance,
        ..CompareOptions::default()
    };
    let report = if scores.arms.len() > 2 {
        Compared::Several(PairsReport::new(&scores, &options)?)
    } else {
        Compared::Two(Box::new(ComparisonReport::new(&scores, &options)?))
    };
    Ok((report, scored.said))
}
