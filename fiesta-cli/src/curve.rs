//! `fiesta curve`: the expected best score against the number of trials.

use super::{
    Format,
    exit::{Code, Failure},
    figure::FigureFile,
    results::{ReadingArguments, ResultsArguments, Said, with_ways},
};
use fiesta::report::{
    analysis::{
        best_of_n::DEPENDENT_TRIALS,
        curve::{Centre, CurveBands, CurveOptions, CurveReport, TrialsOfArms},
    },
    tuning_curve::{Estimator, Failed},
};

/// The arguments of `fiesta curve`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "Examples:
  fiesta curve scores.csv
  fiesta curve study.toml --bounds 0,1 --reach 0.65,0.68
  fiesta curve losses.csv --minimize --failed worst --time --format json
  fiesta curve results.jsonl --arms lstm,gru --estimator unbiased --max-n 200

n trials, the best of which counts: its mean and its standard deviation, its median, and where its mean or its median is with the
confidence asked for, whatever the distribution of the scores and for all n at once. A band of the mean needs --bounds of the metric;
without them the band is that of the median. Beyond some n, bands are open: so many trials may well find better than was seen.")]
pub(super) struct Arguments {
    #[command(flatten)]
    results: ResultsArguments,
    /// plug-in: the curve of the recorded scores, for any n; unbiased: for n up to the number of
    /// trials
    #[arg(long, default_value = "plug-in", value_name = "plug-in|unbiased")]
    estimator: Estimator,
    /// The kind of simultaneous band (default: equal-tailed; of very many scores dkw)
    #[arg(long, value_name = "equal-tailed|highest-density|dkw|ks|none")]
    bands: Option<CurveBands>,
    /// What the bands are of (default: the mean where bounds are known, else the median)
    #[arg(long, value_enum, value_name = "mean|median")]
    band_of: Option<Centre>,
    /// The confidence of each band, and the probability from which on an arm is said to have the
    /// highest expected best of n
    #[arg(long, default_value_t = 0.95)]
    confidence: f64,
    /// The largest number of trials to look at (default: as many as an arm has)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_n: Option<u64>,
    /// How many trials it takes to expect these scores
    #[arg(
        long,
        value_name = "V,V,…",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    reach: Vec<f64>,
    /// Also print how long these numbers of trials take: every evaluation must have its duration
    #[arg(long)]
    time: bool,
    /// Also write the curves to this file: .svg, .png or .pdf
    #[arg(short, long, value_name = "FILE", value_parser = FigureFile::parse)]
    output: Option<FigureFile>,
    /// How to print the curves
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Arguments {
    fn reading(&mut self) -> &mut ReadingArguments {
        &mut self.results.reading
    }
}

pub(super) fn curve(arguments: &Arguments) -> Result<Code, Failure> {
    arguments.results.reading.scores.draws_nothing()?;
    // Folds of a setting are no trials of a search.
    let mut arguments = arguments.clone();
    arguments.results.reading.foreign.settings_are_trials = true;
    let arguments = &arguments;
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
    format.print_told(&report, &said, CurveReport::text_within)?;
    Ok(Code::Done)
}

/// Returns the curves, and notices about the results.
fn report(arguments: &Arguments) -> Result<(CurveReport, Said), Failure> {
    let results = arguments.results.read()?.compared()?;
    let failed = arguments.results.reading.scores.failed;
    let failed = failed.unwrap_or(Failed::Error);
    let bounds = match &results.study {
        Some(recorded) => recorded.metric().bounds(),
        None => arguments.results.reading.scores.bounds,
    };
    let trials = TrialsOfArms::new(
        &results.records,
        &results.metric,
        results.direction,
        bounds,
        failed,
        &arguments.results.results.display().to_string(),
    )?;
    let mut report = CurveReport::new(
        &trials,
        &CurveOptions {
            estimator: arguments.estimator,
            bands: arguments.bands.unwrap_or_default(),
            band_of: arguments.band_of,
            confidence: arguments.confidence,
            largest_n: arguments.max_n,
            reach: arguments.reach.clone(),
            time: arguments.time,
            failed,
        },
    )?;
    let mut said = results.said;
    said.notices.append(&mut report.notices);
    if results.is_foreign {
        said.notices.push(DEPENDENT_TRIALS.to_owned());
    }
    Ok((report, said))
}
