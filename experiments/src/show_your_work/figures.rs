//! Figures 1 to 4 of "Show Your Work", drawn of the search that this project ran.

use super::{
    METRIC, TWO,
    families::{Axis, CONFIDENCE, Family, Required},
};
use crate::Failure;
use fiesta_core::Direction;
use fiesta_report::{
    figure::{Curve, CurvePoint, FigureError, Plot, Spacing, TuningAxis, TuningCurves, WIDE},
    percent,
};
use std::{fs, path::Path};

const SHADING: &str = "± 1 standard deviation of the best of n, within the scores observed, which is no confidence band";

/// Meaning of the shaded area around a curve.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shaded {
    Nothing,
    Spread,
    Band,
}

/// Marks in the figures, in addition to the families' curves.
pub(super) struct Marks<'a> {
    /// Budget at which the second family of figure 1 overtakes the first.
    pub(super) overtaken: &'a Required,
    /// Budget that each family needs for its reported score.
    pub(super) required: &'a [Required],
}

/// Writes the figures as SVG.
pub(super) fn write(families: &[Family], marks: &Marks<'_>, folder: &Path) -> Result<(), Failure> {
    let draw = |plot: TuningCurves| -> Result<String, FigureError> {
        Ok(plot.draw(WIDE)?.standalone_svg())
    };
    fs::create_dir_all(folder)
        .map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))?;
    for (name, plot) in [
        ("1", two_by_trials(families, marks, Shaded::Spread)),
        ("1-bands", two_by_trials(families, marks, Shaded::Band)),
        ("2", all_by_time(families)),
        ("3", all_with_reported(families, marks)),
        ("4", one_by_time(families, marks)),
    ] {
        let path = folder.join(format!("show-your-work-{name}.svg"));
        fs::write(&path, draw(plot)?)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}

fn plot() -> TuningCurves {
    TuningCurves::new(METRIC, Direction::Maximize)
}

/// Returns the curve of a family up to a number of trials.
fn curve(family: &Family, axis: Axis, shaded: Shaded, up_to: usize) -> Curve {
    let spread: Vec<(f64, f64)> = family.curve.shading().collect();
    let points = family.curve.mean()[..up_to].iter().enumerate();
    let points = points.map(|(i, &value)| CurvePoint {
        budget: family.budget(axis, (i + 1) as f64),
        value,
        band: match shaded {
            Shaded::Nothing => None,
            Shaded::Spread => Some(spread[i]),
            Shaded::Band => Some((
                family.band[i].lower.unwrap_or(f64::NEG_INFINITY),
                family.band[i].upper.unwrap_or(f64::INFINITY),
            )),
        },
    });
    Curve::new(&family.name, family.count(), points.collect())
}

/// Returns the curve with a ring at the required value, if the curve reaches it within its trials.
fn ringed(curve: Curve, family: &Family, axis: Axis, required: &Required) -> Curve {
    match required.n {
        Some(n) if !required.beyond => {
            curve.required(family.budget(axis, n as f64), family.expected(n))
        }
        _ => curve,
    }
}

/// Draws two families against the number of trials: up to half of them, or as far as the marked crossing.
fn two_by_trials(families: &[Family], marks: &Marks<'_>, shaded: Shaded) -> TuningCurves {
    let [first, second] = TWO.map(|place| &families[place]);
    let within = marks.overtaken.n.filter(|_| !marks.overtaken.beyond);
    let ring = within.map_or(0, |n| usize::try_from(n).unwrap_or(usize::MAX));
    let part = |family: &Family| {
        let up_to = (family.count() / 2).max(ring).max(1);
        curve(family, Axis::Trials, shaded, up_to.min(family.count()))
    };
    let overtaking = ringed(part(second), second, Axis::Trials, marks.overtaken);
    let band = match shaded {
        Shaded::Band => format!(
            "simultaneous {} bands for the mean curve (equal-tailed)",
            percent(CONFIDENCE)
        ),
        _ => SHADING.to_owned(),
    };
    plot().band(band).curve(part(first)).curve(overtaking)
}

fn all_by_time(families: &[Family]) -> TuningCurves {
    let plot = plot().axis(TuningAxis::Seconds).spacing(Spacing::Log);
    families.iter().fold(plot, |plot, family| {
        plot.curve(curve(
            family,
            Axis::Seconds,
            Shaded::Nothing,
            family.count(),
        ))
    })
}

fn all_with_reported(families: &[Family], marks: &Marks<'_>) -> TuningCurves {
    let mut plot = plot().spacing(Spacing::Log);
    for (family, required) in families.iter().zip(marks.required) {
        let drawn = curve(family, Axis::Trials, Shaded::Nothing, family.count());
        let label = format!("{} {:.4}", family.name, required.value);
        plot = plot.reported(label, required.value).curve(ringed(
            drawn,
            family,
            Axis::Trials,
            required,
        ));
    }
    plot
}

/// Returns the family that needs the longest for its reported score, of those that reach it.
fn one_by_time(families: &[Family], marks: &Marks<'_>) -> TuningCurves {
    let reached = families.iter().zip(marks.required);
    let reached = reached.filter(|(_, required)| required.n.is_some() && !required.beyond);
    let longest = reached.max_by(|(_, a), (_, b)| {
        a.seconds
            .partial_cmp(&b.seconds)
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let (family, required) = longest.unwrap_or((&families[0], &marks.required[0]));
    let drawn = curve(family, Axis::Seconds, Shaded::Spread, family.count());
    plot()
        .axis(TuningAxis::Seconds)
        .band(SHADING)
        .reported(format!("reported {:.4}", required.value), required.value)
        .curve(ringed(drawn, family, Axis::Seconds, required))
}
