//! Effective draws of F a second, from the posterior of one system's F-measure given the counts in
//! a file.
//!
//! ```sh
//! cargo run --release -p fiesta-benches --example f_measure_draws -- counts.csv --seed 1
//! ```
//!
//! The file has the columns arm, document, tp, fp, tn, fn and one arm. Prints one JSON object,
//! `seconds` being of processor time; `peers/jags.R` puts it beside JAGS.

use fiesta_core::{ArmId, Case, Counts, FBeta, Observe};
use fiesta_posterior::f_measure::{Concentration, FMeasureArms};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use rustix::time::{ClockId, clock_gettime};
use std::{
    env,
    error::Error,
    fs,
    time::{Duration, Instant},
};

/// Number of effective draws that are asked for at once.
const PORTION: usize = 2000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let file = arguments.next().ok_or("name the file of counts")?;
    let seed = match arguments.next().as_deref() {
        Some("--seed") => arguments.next().ok_or("--seed takes a number")?.parse()?,
        Some(other) => return Err(format!("there is no option {other}").into()),
        None => 1,
    };
    let arm = ArmId::new(0);
    let mut posterior =
        FMeasureArms::new(1).concentration(Concentration::fixed(1.0).expect("a concentration"));
    let text = fs::read_to_string(&file)?;
    let mut documents = 0;
    for row in text.lines().skip(1) {
        let cells: Result<Vec<u64>, _> = row
            .split(',')
            .skip(2)
            .map(|cell| cell.trim().parse())
            .collect();
        let cells: [u64; 4] = cells?.try_into().map_err(|_| "a row has not four counts")?;
        posterior.observe(
            arm,
            Case {
                split: documents,
                seed: 0,
            },
            Counts::from_cells(cells),
        )?;
        documents += 1;
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut draws, mut effective) = (0, 0.0);
    let (mut sum, mut squares, mut portions) = (0.0, 0.0, 0.0);
    let began = Instant::now();
    let before = processor_seconds();
    while began.elapsed() < Duration::from_secs(1) {
        let portion = posterior
            .sample(arm, PORTION, &mut rng)
            .expect("there is such an arm");
        draws += portion.len();
        effective += portion.effective();
        portions += 1.0;
        for (theta, _, weight) in portion.iter() {
            let f = FBeta::F1.of(theta);
            sum += weight * f;
            squares += weight * f * f;
        }
    }
    let seconds = processor_seconds() - before;
    let mean = sum / portions;
    let sd = (squares / portions - mean * mean).sqrt();
    println!(
        r#"{{"documents": {documents}, "draws": {draws}, "effective_draws": {effective:.0}, "seconds": {seconds}, "mean": {mean}, "sd": {sd}}}"#
    );
    Ok(())
}

/// Returns the processor time of this process, which does not grow while it waits for other processes.
fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
