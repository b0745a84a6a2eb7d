//! The figures.

use super::{Failure, families::Family, shapes::Shapes};
use fiesta::report::{
    bands::Limits,
    budget::Budget,
    figure::{Curve, CurvePoint, Figure, Plot, Spacing, TuningAxis, TuningCurves, WIDE},
    percent,
};
use std::{fs, path::Path};

const SHADING: &str = "± 1 standard deviation of the best of n, within the scores observed, which is no confidence band";

/// What is shaded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shaded {
    Nothing,
    Spread,
    Band,
}

/// The figures that can be drawn, by the names of their files.
pub(super) fn figures(shapes: &Shapes) -> Result<Vec<(&'static str, Figure)>, Failure> {
    let mut figures = Vec::new();
    let mut add = |name, plot: &TuningCurves| -> Result<(), Failure> {
        let figure = plot.draw(WIDE).map_err(usage)?;
        figures.push((name, figure));
        Ok(())
    };
    add("figure-1", &first(shapes, Shaded::Spread))?;
    add("figure-1-bands", &first(shapes, Shaded::Band))?;
    if !shapes.by_time.is_empty() {
        add("figure-2", &second(shapes))?;
    }
    add("figure-3", &third(shapes))?;
    if !shapes.by_time.is_empty() {
        add("figure-4", &fourth(shapes))?;
    }
    Ok(figures)
}

/// Writes them as SVG, and as PNG where there are fonts.
pub(super) fn write(
    figures: &[(&'static str, Figure)],
    folder: &Path,
) -> Result<Vec<String>, Failure> {
    let failed = |path: &Path, error: std::io::Error| {
        Failure::Usage(format!("cannot write {}: {error}", path.display()))
    };
    fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    let mut written = Vec::new();
    for (name, figure) in figures {
        let mut put = |extension: &str, bytes: &[u8]| {
            let path = folder.join(format!("{name}.{extension}"));
            written.push(path.display().to_string());
            fs::write(&path, bytes).map_err(|error| failed(&path, error))
        };
        put("svg", figure.standalone_svg().as_bytes())?;
        match figure.png(2.0) {
            Ok(png) => put("png", &png)?,
            Err(error) => crate::say(format_args!("{name}.png is not written: {error}")),
        }
    }
    Ok(written)
}

fn usage(error: impl std::fmt::Display) -> Failure {
    Failure::Usage(error.to_string())
}

fn plot(shapes: &Shapes) -> TuningCurves {
    TuningCurves::new(&shapes.metric, shapes.families[0].direction())
}

/// The curve of a family up to some number of trials, at most those that it had.
fn curve(family: &Family, axis: TuningAxis, shaded: Shaded, up_to: usize) -> Curve {
    let spread: Vec<(f64, f64)> = family.curve.shading().collect();
    let open = |interval: &Limits| {
        (
            interval.lower.unwrap_or(f64::NEG_INFINITY),
            interval.upper.unwrap_or(f64::INFINITY),
        )
    };
    let points = family.curve.mean()[..up_to].iter().enumerate();
    let points = points.map(|(i, &value)| CurvePoint {
        budget: budget(family, axis, (i + 1) as f64),
        value,
        band: match shaded {
            Shaded::Nothing => None,
            Shaded::Spread => Some(spread[i]),
            Shaded::Band => Some(open(&family.band[i])),
        },
    });
    Curve::new(&family.name, family.count(), points.collect())
}

fn budget(family: &Family, axis: TuningAxis, n: f64) -> f64 {
    match axis {
        TuningAxis::Evaluations => n,
        TuningAxis::Seconds => family.trials.time_of(n).unwrap_or(n),
    }
}

/// With a ring where the curve reaches a value, if it does with the trials there were.
fn ringed(
    curve: Curve,
    family: &Family,
    axis: TuningAxis,
    of: &super::families::Required,
) -> Curve {
    match &of.budget {
        Budget::Within(reached) => {
            let n = reached.n;
            curve.required(budget(family, axis, n as f64), family.expected(n))
        }
        _ => curve,
    }
}

/// Two families against the number of trials: up to half of them, or as far as the ring.
fn first(shapes: &Shapes, shaded: Shaded) -> TuningCurves {
    let axis = TuningAxis::Evaluations;
    let (first, second) = (
        &shapes.families[shapes.two.0],
        &shapes.families[shapes.two.1],
    );
    let ring = match &shapes.overtaken.budget {
        Budget::Within(reached) => usize::try_from(reached.n).unwrap_or(usize::MAX),
        _ => 0,
    };
    let part = |family: &Family| {
        let up_to = (family.count() / 2).max(ring).max(1);
        curve(family, axis, shaded, up_to.min(family.count()))
    };
    let overtaking = ringed(part(second), second, axis, &shapes.overtaken);
    let band = match shaded {
        Shaded::Band => format!(
            "simultaneous {} bands for the mean curve ({})",
            percent(shapes.confidence),
            shapes.band.name()
        ),
        _ => SHADING.to_owned(),
    };
    plot(shapes).band(band).curve(part(first)).curve(overtaking)
}

/// All families against time.
fn second(shapes: &Shapes) -> TuningCurves {
    let plot = plot(shapes).axis(TuningAxis::Seconds).spacing(Spacing::Log);
    shapes.families.iter().fold(plot, |plot, family| {
        plot.curve(curve(
            family,
            TuningAxis::Seconds,
            Shaded::Nothing,
            family.count(),
        ))
    })
}

/// All families with what was reported for them.
fn third(shapes: &Shapes) -> TuningCurves {
    let axis = TuningAxis::Evaluations;
    let mut plot = plot(shapes).spacing(Spacing::Log);
    for (place, family) in shapes.families.iter().enumerate() {
        let mut drawn = curve(family, axis, Shaded::Nothing, family.count());
        if let Some((_, required)) = shapes.required.iter().find(|(of, _)| *of == place) {
            drawn = ringed(drawn, family, axis, required);
            plot = plot.reported(
                format!("{} {:.4}", family.name, required.value),
                required.value,
            );
        }
        plot = plot.curve(drawn);
    }
    plot
}

/// One family against time.
fn fourth(shapes: &Shapes) -> TuningCurves {
    let axis = TuningAxis::Seconds;
    let family = &shapes.families[shapes.one];
    let mut plot = plot(shapes).axis(axis).band(SHADING);
    let mut drawn = curve(family, axis, Shaded::Spread, family.count());
    if let Some((_, required)) = shapes.required.iter().find(|(of, _)| *of == shapes.one) {
        drawn = ringed(drawn, family, axis, required);
        plot = plot.reported(format!("reported {:.4}", required.value), required.value);
    }
    plot.curve(drawn)
}
