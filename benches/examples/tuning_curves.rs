//! Times tuning curves and bands of scores in a file, for `peers/tuning_curves.py`.
//!
//! `tuning_curves FILE` reads one score a line and prints a JSON object: seconds of one computation
//! (the median of many) of the mean and the standard deviation for all n up to the number of
//! scores, by the plug-in and by the unbiased estimator, and of bands of 95 %, beside the values.
//! Sorting is not in these times, as it is not in those of the peers. `--bands no` leaves the bands
//! out.

use fiesta_core::Direction;
use fiesta_report::{
    bands::{Band, CdfBand},
    tuning_curve::{Estimator, TrialScores},
};
use std::{
    error::Error,
    hint::black_box,
    time::{Duration, Instant},
};

/// Time for which each computation is repeated, but at least [`LEAST`] times.
const LONG: Duration = Duration::from_millis(500);
const LEAST: usize = 3;
const CONFIDENCE: f64 = 0.95;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, bands) = match arguments.as_slice() {
        [file] => (file, true),
        [file, flag, value] if flag == "--bands" => (file, value != "no"),
        _ => return Err("usage: tuning_curves FILE [--bands no]".into()),
    };
    let scores = std::fs::read_to_string(file)?
        .lines()
        .map(str::parse)
        .collect::<Result<Vec<f64>, _>>()?;
    let sample = TrialScores::new(scores, Direction::Maximize)?;
    let count = sample.count();
    let mut fields = vec![format!("\"scores\": {count}")];
    for estimator in [Estimator::PlugIn, Estimator::Unbiased] {
        let seconds = median_seconds(|| sample.curve(estimator, count));
        let curve = sample.curve(estimator, count);
        fields.push(format!(
            "\"{}\": {{\"seconds\": {seconds:e}, \"mean\": {:?}, \"sd\": {:?}}}",
            estimator.name(),
            curve.mean(),
            curve.sd()
        ));
    }
    for band in Band::ALL {
        if !bands {
            break;
        }
        let compute = || CdfBand::new(band, count, CONFIDENCE);
        compute()?;
        let seconds = median_seconds(compute);
        let found = compute()?;
        fields.push(format!(
            "\"{}\": {{\"seconds\": {seconds:e}, \"critical\": {}, \"lower\": {:?}, \"upper\": {:?}}}",
            band.name(),
            found.critical(),
            found.lower(),
            found.upper()
        ));
    }
    println!("{{{}}}", fields.join(", "));
    Ok(())
}

fn median_seconds<T>(compute: impl Fn() -> T) -> f64 {
    let began = Instant::now();
    let mut seconds = Vec::new();
    while seconds.len() < LEAST || began.elapsed() < LONG {
        let once = Instant::now();
        black_box(compute());
        seconds.push(once.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}
