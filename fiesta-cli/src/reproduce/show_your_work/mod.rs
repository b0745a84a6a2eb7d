//! "Show Your Work" (Dodge, Gururangan, Card, Schwartz & Smith, EMNLP 2019): what is printed beside what follows from it, and the shapes of
//! its figures on results that can be had.

mod arithmetic;
mod crossings;
mod document;
mod draw;
mod families;
mod leaders;
mod pairs;
mod paper;
mod published;
mod shapes;
mod text;
mod unit;

use super::{Code, Failure, Format, print};
use crate::{
    results::{ForeignArguments, Results, ResultsArguments},
    say,
    scores::ScoresArguments,
};
use families::Choices;
use fiesta::{
    core::{Direction, Moments},
    records::{self, ReadOptions, Records},
    report::{
        bands::{Band, CdfBand},
        tuning_curve::Failed,
    },
};
use shapes::Shapes;
use std::path::PathBuf;

/// 100 trials of each family of `examples/tuning`, and 20 of each at its usual settings, as `fiesta export` wrote them.
const TRIALS: &str = include_str!("../../../../docs/data/tuning.csv");
const DEFAULTS: &str = include_str!("../../../../docs/data/tuning-defaults.csv");

/// The arguments of `fiesta reproduce show-your-work`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta reproduce show-your-work
  fiesta reproduce show-your-work -o figures
  fiesta reproduce show-your-work study.toml --reported svm=0.733 -o figures")]
pub(super) struct Arguments {
    /// The results of which the figures are made: a study file, a file of scores, or another tool's results; without them, a random search
    /// of four families of classifiers that comes with the program
    results: Option<PathBuf>,
    #[command(flatten)]
    foreign: ForeignArguments,
    #[command(flatten)]
    scores: ScoresArguments,
    /// Which scores are better (default: maximize)
    #[arg(long, value_name = "maximize|minimize", conflicts_with = "minimize")]
    direction: Option<Direction>,
    /// A score that was reported for an arm elsewhere, to be drawn and reached; may be given several times
    #[arg(long, value_name = "ARM=SCORE", value_parser = reported)]
    reported: Vec<(String, f64)>,
    /// The two arms of figure 1 (default: the one that leads at first, and the one that leads at last)
    #[arg(long, value_name = "ARM,ARM", value_parser = pair)]
    pair: Option<(String, String)>,
    /// What trials count as that failed: worst, drop or error
    #[arg(long, value_name = "worst|drop|error", default_value = "error")]
    failed: Failed,
    /// How often the bands hold the whole curve
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    confidence: f64,
    /// Write the figures into this folder, as SVG and PNG
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn reported(text: &str) -> Result<(String, f64), String> {
    text.rsplit_once('=')
        .and_then(|(name, score)| Some((name.trim().to_owned(), score.trim().parse().ok()?)))
        .filter(|(_, score): &(String, f64)| score.is_finite())
        .ok_or_else(|| "give an arm and a score, for example lstm=0.61".to_owned())
}

fn pair(text: &str) -> Result<(String, String), String> {
    text.split_once(',')
        .map(|(first, second)| (first.trim().to_owned(), second.trim().to_owned()))
        .ok_or_else(|| "give two arms, for example logistic,svm".to_owned())
}

/// What the figures are made of.
struct Source {
    records: Records,
    metric: String,
    direction: Direction,
    bounds: Option<(f64, f64)>,
    reported: Vec<(String, f64)>,
    /// The arms of figure 1, if it is not left to the scores.
    pair: Option<(String, String)>,
    /// What they are, in words.
    words: String,
}

pub(super) fn show_your_work(arguments: &Arguments) -> Result<Code, Failure> {
    let source = source(arguments)?;
    let rows = source.records.rows().count();
    let choices = Choices {
        // As in `fiesta curve`: exact bands of very many scores take too long.
        band: if rows > CdfBand::EXACT_UP_TO {
            Band::Dkw
        } else {
            Band::EqualTailed
        },
        direction: source.direction,
        bounds: source.bounds,
        failed: arguments.failed,
        confidence: arguments.confidence,
    };
    let shapes = Shapes::new(
        &source.records,
        &source.metric,
        &choices,
        &source.reported,
        source.pair.as_ref(),
    )?;
    let written = match &arguments.output {
        Some(folder) => draw::write(&draw::figures(&shapes)?, folder)?,
        None => Vec::new(),
    };
    match arguments.format {
        Format::Json => print(document::document(&shapes, &source.words, &written))?,
        Format::Text => text::text(&shapes, &source.words, &written)?,
    }
    Ok(Code::Done)
}

fn source(arguments: &Arguments) -> Result<Source, Failure> {
    match &arguments.results {
        Some(file) => of_file(arguments, file.clone()),
        None => own(arguments),
    }
}

fn of_file(arguments: &Arguments, file: PathBuf) -> Result<Source, Failure> {
    let words = file.display().to_string();
    let reading = ResultsArguments {
        results: file,
        foreign: arguments.foreign.clone(),
        scores: arguments.scores.clone(),
        direction: arguments.direction,
    };
    let Results {
        records,
        metric,
        direction,
        study,
        notices,
    } = reading.read()?;
    for notice in notices {
        say(notice);
    }
    let bounds = match study {
        Some(recorded) => recorded.study.metric().bounds(),
        None => arguments.scores.bounds,
    };
    Ok(Source {
        records,
        metric,
        direction,
        bounds,
        reported: arguments.reported.clone(),
        pair: arguments.pair.clone(),
        words,
    })
}

/// The search that comes with the program.
fn own(arguments: &Arguments) -> Result<Source, Failure> {
    let given = &arguments.scores;
    if given.metric.is_some()
        || given.minimize
        || given.bounds.is_some()
        || !given.arms.is_empty()
        || arguments.direction.is_some()
        || !arguments.reported.is_empty()
    {
        return Err(Failure::Usage(
            "--metric, --minimize, --direction, --bounds, --arms and --reported are for results of your own: name their file"
                .to_owned(),
        ));
    }
    let read = |text: &str| {
        let options = ReadOptions {
            keep_failures: true,
            ..ReadOptions::default()
        };
        let format = Some(records::Format::Csv);
        records::read_from(
            text.as_bytes(),
            format,
            &options,
            "the search that comes with the program",
        )
    };
    let records = read(TRIALS)?;
    let defaults = read(DEFAULTS)?;
    let usual = defaults.arms().iter().zip(defaults.by_arm());
    let reported = usual.map(|(name, scores)| {
        let moments: Moments = scores.into_iter().collect();
        (name.clone(), moments.mean())
    });
    Ok(Source {
        reported: reported.collect(),
        // As in the paper: a family that is cheap and one that is not, which needs its settings to be right.
        pair: Some(
            arguments
                .pair
                .clone()
                .unwrap_or_else(|| ("logistic".to_owned(), "svm".to_owned())),
        ),
        metric: "macro-F1".to_owned(),
        direction: Direction::Maximize,
        bounds: Some((0.0, 1.0)),
        words: format!(
            "a random search of {} families of classifiers on the red wines of examples/tuning, run by this project; reported are their \
             mean scores at their usual settings",
            records.arms().len()
        ),
        records,
    })
}
