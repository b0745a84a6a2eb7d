//! A study of closures: no files, no processes, the same selector.

use fiesta::policies::{TopTwo, stopping::PosteriorThreshold};
use fiesta::posterior::Paired;
use fiesta::runner::Closures;
use fiesta::{Arms, Evaluation, Limits, Selector};
use std::f64::consts::TAU;

/// Estimates an integral with one of several rules on a random grid, and scores its accuracy in
/// digits.
fn digits(evaluation: &Evaluation) -> f64 {
    // The split decides what is integrated, the seed where the grid begins: ∫ exp(cos(x + phase))
    // over a period.
    let phase = evaluation.case.split as f64;
    let offset = (evaluation.case.seed % 1000) as f64 / 1000.0;
    let f = |x: f64| (x + phase).cos().exp();
    let exact = TAU * 1.266_065_877_752_008_3; // 2π I₀(1)
    let points = [4, 5, 6][evaluation.arm.index()];
    let step = TAU / f64::from(points);
    let sum: f64 = (0..points).map(|i| f(step * (f64::from(i) + offset))).sum();
    let error = (sum * step - exact).abs().max(1e-16);
    -error.log10()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut selector = Selector::builder(
        Arms::new(["4 points", "5 points", "6 points"])?,
        Paired::new(3),
        TopTwo::ttps(),
        PosteriorThreshold::new(0.95)?,
    )
    .limits(Limits {
        evaluations: Some(300),
        ..Limits::default()
    })
    .seed(1)
    .build()?;
    let conclusion = selector.drive(&mut Closures::new(2, |evaluation| Ok(digits(evaluation))))?;
    println!(
        "{} is the most accurate with {:.1} % posterior probability, after {} evaluations",
        selector.arms().name(conclusion.arm),
        100.0 * conclusion.probability.unwrap_or(0.0),
        selector.view().total_ended(),
    );
    Ok(())
}
