//! The expected best score of n trials: a figure (SVG) and a table (CSV).

use fiesta_core::Direction;
use fiesta_report::figure::{Curve, CurvePoint, Plot, TuningCurves, WIDE};
use fiesta_report::{
    TableOf,
    tuning_curve::{Estimator, TrialScores},
};
use std::fs;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scores = TrialScores::new([0.71, 0.64, 0.69, 0.73, 0.58, 0.70], Direction::Maximize)?;
    let curve = scores.curve(Estimator::Unbiased, scores.count());
    let points: Vec<CurvePoint> = (1_u32..)
        .zip(curve.mean())
        .map(|(n, &value)| CurvePoint {
            budget: f64::from(n),
            value,
            band: None,
        })
        .collect();

    let table = TableOf::new(&points)
        .numbers("n", |point| point.budget.to_string())
        .numbers("expected best", |point| format!("{:.4}", point.value));
    fs::write("curve.csv", table.table().csv())?;

    let figure = TuningCurves::new("accuracy", Direction::Maximize)
        .curve(Curve::new("lstm", scores.count(), points))
        .draw(WIDE)?;
    fs::write("curve.svg", figure.standalone_svg())?;

    print!("{}", fs::read_to_string("curve.csv")?);
    assert!(fs::read_to_string("curve.svg")?.contains("<svg"));
    assert!(fs::read_to_string("curve.csv")?.ends_with("6,0.7300\r\n")); // lines end as RFC 4180 says
    Ok(())
}
