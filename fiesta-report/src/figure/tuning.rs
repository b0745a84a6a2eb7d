//! The expected best score, against the budget.

use super::axis::Spacing;
use super::error::{ascending, finite, some};
use super::lines::{Chart, Series, Style};
use super::picture::Words;
use super::scene::Scene;
use super::ticks::{Quantity, duration};
use super::{Figure, FigureError, Plot, count, listed, sizes, text};
use crate::cost;
use fiesta_core::{CostUnit, Direction};

/// Unit in which the budget of a tuning curve is counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TuningAxis {
    /// Number of evaluations n.
    #[default]
    Evaluations,
    /// Time in seconds; ticks are in s, min, h and d.
    Seconds,
    /// Costs, as [`CostUnit::name`] counts them; ticks are in the unit in which people read costs,
    /// which stands on the axis.
    Cost(CostUnit),
}

impl TuningAxis {
    /// Returns how much of the unit of the budgets is one unit of the axis, and the name of the
    /// latter, for budgets up to `highest`.
    fn unit(&self, highest: f64) -> (f64, &str) {
        match self {
            Self::Evaluations | Self::Seconds => (1.0, ""),
            Self::Cost(unit) => unit.readable(highest),
        }
    }
}

/// Point of a tuning curve: the expected best score at one budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// The budget, in evaluations, in seconds or in the unit of the costs.
    pub budget: f64,
    /// The expected best score.
    pub value: f64,
    /// Limits of the band; −∞ or ∞ where it is open.
    pub band: Option<(f64, f64)>,
}

/// An arm's tuning curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    name: String,
    trials: usize,
    points: Vec<CurvePoint>,
    required: Vec<(f64, f64)>,
}

impl Curve {
    /// Returns a curve estimated from `trials` trials, with its points by increasing budget.
    pub fn new(name: impl Into<String>, trials: usize, points: Vec<CurvePoint>) -> Self {
        Self {
            name: name.into(),
            trials,
            points,
            required: Vec::new(),
        }
    }

    /// Marks the budget at which the curve reaches a value.
    pub fn required(mut self, budget: f64, value: f64) -> Self {
        self.required.push((budget, value));
        self
    }
}

/// The expected best score of n evaluations, E[max(x_1 … x_n)], or its median, against n, time or
/// cost (Dodge et al. 2019, *Show Your Work*, Figures 1–4).
///
/// The curves and what their bands mean are computed elsewhere: `band` says what they are. Bands
/// are shaded; where one is open it reaches the frame and has an arrow instead of an edge. A band
/// far wider than the curves is cut at the frame, without an arrow. Dashed lines are scores
/// reported elsewhere, rings the budgets at which a curve reaches a value. With more than three
/// bands each arm has a panel with the other curves grey behind it.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_report::figure::{Curve, CurvePoint, Plot, Spacing, TuningCurves, WIDE};
///
/// let point = |n: u32| CurvePoint {
///     budget: f64::from(n),
///     value: 0.7 - 0.1 / f64::from(n),
///     band: Some((0.68 - 0.1 / f64::from(n), f64::INFINITY)),
/// };
/// let curve = Curve::new("tdlstm", 50, (1..=50).map(point).collect()).required(10.0, 0.69);
/// let figure = TuningCurves::new("accuracy", Direction::Maximize)
///     .spacing(Spacing::Log)
///     .curve(curve)
///     .reported("reported 0.695", 0.695)
///     .draw(WIDE)?;
/// assert!(figure.svg().contains("n = 10"));
/// # Ok::<(), fiesta_report::figure::FigureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TuningCurves {
    metric: String,
    direction: Direction,
    axis: TuningAxis,
    spacing: Spacing,
    curves: Vec<Curve>,
    reported: Vec<(String, f64)>,
    band: Option<String>,
    median: bool,
    highlight: Vec<String>,
}

impl TuningCurves {
    /// Returns a figure without curves yet; `metric` names the axis, with its unit if it has one.
    pub fn new(metric: impl Into<String>, direction: Direction) -> Self {
        Self {
            metric: metric.into(),
            direction,
            axis: TuningAxis::default(),
            spacing: Spacing::default(),
            curves: Vec::new(),
            reported: Vec::new(),
            band: None,
            median: false,
            highlight: Vec::new(),
        }
    }

    /// Sets what budgets are counted in; evaluations unless said.
    pub fn axis(mut self, axis: TuningAxis) -> Self {
        self.axis = axis;
        self
    }

    /// Sets how budgets are spaced; linear unless said.
    pub fn spacing(mut self, spacing: Spacing) -> Self {
        self.spacing = spacing;
        self
    }

    /// Adds an arm's curve.
    pub fn curve(mut self, curve: Curve) -> Self {
        self.curves.push(curve);
        self
    }

    /// Draws a dashed line at a score reported elsewhere, under this label.
    pub fn reported(mut self, label: impl Into<String>, score: f64) -> Self {
        self.reported.push((label.into(), score));
        self
    }

    /// Sets what the bands are, for the caption: "simultaneous 95 % bands for the mean curve
    /// (equal-tailed)".
    pub fn band(mut self, what: impl Into<String>) -> Self {
        self.band = Some(what.into());
        self
    }

    /// Shows the medians of the best of n as the curves, and not the means.
    pub fn median(mut self) -> Self {
        self.median = true;
        self
    }

    highlight!(highlight);

    /// Returns what the curves are, in words.
    fn quantity(&self) -> &'static str {
        if self.median {
            "median best"
        } else {
            "expected best"
        }
    }

    fn series(&self, curve: &Curve, (one, unit): (f64, &str)) -> Result<Series, FigureError> {
        let name = curve.name.as_str();
        some("tuning curves", "point to every curve", &curve.points)?;
        let points = curve.points.iter();
        let budgets: Vec<f64> = points.clone().map(|point| point.budget).collect();
        let values: Vec<f64> = points.clone().map(|point| point.value).collect();
        finite("a budget", name, &budgets)?;
        ascending(["a budget", "budgets"], name, &budgets)?;
        finite("a best score", name, &values)?;
        for (budget, value) in &curve.required {
            finite("a required budget and its value", name, &[*budget, *value])?;
        }
        let band = points.filter_map(|point| {
            let (lower, upper) = point.band?;
            Some((point.budget / one, lower, upper))
        });
        let band: Vec<(f64, f64, f64)> = band.collect();
        for (_, lower, upper) in &band {
            ascending(["the band", "the band's limits"], name, &[*lower, *upper])?;
        }
        let marks = curve.required.iter().map(|(budget, value)| {
            let label = match self.axis {
                TuningAxis::Evaluations => format!("n = {}", text::number(*budget, 1.0)),
                TuningAxis::Seconds => duration(*budget),
                TuningAxis::Cost(_) => format!("{} {unit}", cost(budget / one)),
            };
            ((budget / one, *value), label)
        });
        Ok(Series {
            name: curve.name.clone(),
            merit: self.direction.orient(values[values.len() - 1]),
            points: budgets
                .iter()
                .map(|budget| budget / one)
                .zip(values)
                .collect(),
            band,
            marks: marks.collect(),
            ..Series::default()
        })
    }
}

impl Plot for TuningCurves {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let scene = Scene::new(width)?;
        some("tuning curves", "curve", &self.curves)?;
        for (label, score) in &self.reported {
            finite("the reported score", label, &[*score])?;
        }
        let budgets = self.curves.iter().flat_map(|curve| &curve.points);
        let unit = self
            .axis
            .unit(budgets.map(|point| point.budget).fold(0.0, f64::max));
        let series = self.curves.iter().map(|curve| self.series(curve, unit));
        let series = series.collect::<Result<Vec<_>, _>>()?;
        let (metric, best) = (&self.metric, self.quantity());
        let trials = sizes(self.curves.iter().map(|curve| curve.trials)).replacen('n', "B", 1);
        let arms = count(self.curves.len(), "arm");
        let (x_title, quantity, against) = match self.axis {
            TuningAxis::Evaluations => (
                "evaluations n".to_owned(),
                Quantity::Count,
                "the number of evaluations".to_owned(),
            ),
            TuningAxis::Seconds => (
                "time".to_owned(),
                Quantity::Time,
                "the time spent".to_owned(),
            ),
            TuningAxis::Cost(_) => (
                format!("cost in {}", unit.1),
                Quantity::Number,
                format!("the cost in {}", unit.1),
            ),
        };
        let capital = if self.median { "Median" } else { "Expected" };
        let mut caption =
            format!("{capital} best {metric} against {against} for {arms} ({trials} trials each).");
        if series.iter().any(|series| !series.band.is_empty()) {
            let what = self.band.as_deref().unwrap_or("bands");
            caption = format!("{caption} Shaded: {what}; arrows: open, no limit is known.");
        }
        if !self.reported.is_empty() {
            caption.push_str(" Dashed: reported scores.");
        }
        if self.curves.iter().any(|curve| !curve.required.is_empty()) {
            caption.push_str(" Rings: the budget at which a curve reaches a value.");
        }
        let words = Words {
            title: format!("{capital} best {metric} of {arms}"),
            caption,
            alt: format!(
                "Tuning curves: {best} {metric} against {against} for {}.",
                listed(self.curves.iter().map(|curve| curve.name.as_str()))
            ),
        };
        let chart = Chart {
            style: Style::Lines,
            x: (
                format!("{x_title} ({trials} per arm)"),
                quantity,
                self.spacing,
            ),
            y: (format!("{best} {metric}"), Quantity::Number),
            series,
            references: &self.reported,
            highlight: &self.highlight,
        };
        chart.draw(scene, words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::WIDE;

    /// Draws a curve of three budgets, the highest of which is `highest`.
    fn drawn(unit: CostUnit, highest: f64) -> Figure {
        drawn_at(WIDE, unit, highest)
    }

    fn drawn_at(width: u32, unit: CostUnit, highest: f64) -> Figure {
        let point = |share: f64| CurvePoint {
            budget: highest * share,
            value: share,
            band: None,
        };
        let curve = Curve::new("lstm", 3, [0.2, 0.5, 1.0].map(point).to_vec());
        TuningCurves::new("accuracy", Direction::Maximize)
            .axis(TuningAxis::Cost(unit))
            .curve(curve.required(highest * 0.5, 0.5))
            .draw(width)
            .unwrap()
    }

    #[test]
    fn the_unit_of_costs_stands_on_the_axis_and_beside_the_rings() {
        let dollars = drawn(CostUnit::Named("USD".to_owned()), 0.08);
        assert!(dollars.svg().contains("cost in USD"), "{}", dollars.svg());
        assert!(dollars.svg().contains("0.0400 USD"), "{}", dollars.svg());
        assert!(dollars.caption().contains("against the cost in USD"));
        // Counted in seconds and read in hours.
        let hours = drawn(CostUnit::GpuSeconds, 7200.0);
        assert!(hours.svg().contains("cost in GPU-h"), "{}", hours.svg());
        assert!(hours.svg().contains("1.0 GPU-h"), "{}", hours.svg());
        assert!(!hours.svg().contains("7200"), "{}", hours.svg());
    }

    /// Tests that the label of a ring is no wider than its panel, whatever the unit is called.
    #[test]
    fn a_long_unit_is_shortened_beside_a_ring() {
        let figure = drawn_at(240, CostUnit::Named("W".repeat(16)), 0.08);
        let svg = figure.svg();
        let label = svg.split("\">0.0400 W").nth(1).unwrap();
        let (shown, _) = label.split_once("</text>").unwrap();
        assert!(shown.ends_with("W…"), "{svg}");
    }
}
