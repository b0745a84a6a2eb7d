//! The probability of choosing the best arm, against the budget.

use super::axis::Spacing;
use super::error::{ascending, finite, probability, some};
use super::lines::{Chart, Series, Style};
use super::picture::Words;
use super::scene::Scene;
use super::ticks::Quantity;
use super::{Figure, FigureError, Plot, count, listed};

/// Point of a curve: how often a policy was right with a budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SuccessPoint {
    /// Number of evaluations.
    pub budget: f64,
    /// The share of trials that chose the best arm.
    pub share: f64,
    /// Lower end of the interval of the share.
    pub lower: f64,
    /// Upper end of the interval of the share.
    pub upper: f64,
}

/// P(correct) against the budget, a line for each policy, with the interval of every point.
///
/// A point is the share of simulated trials in which the policy named the truly best arm after that
/// many evaluations; what the intervals are (Wilson, Clopper–Pearson) is the caller's, who says it
/// by `interval`. Policies differ by colour and by marker. FIESTA (2019), Figure 4.
///
/// # Example
/// ```
/// use fiesta_report::figure::{Plot, SuccessCurves, SuccessPoint, WIDE};
///
/// let point = |budget, share: f64| SuccessPoint { budget, share, lower: share - 0.02, upper: share + 0.02 };
/// let figure = SuccessCurves::new()
///     .policy("uniform", &[point(60.0, 0.55), point(120.0, 0.73)])
///     .policy("ttts", &[point(60.0, 0.71), point(120.0, 0.9)])
///     .target(0.95)
///     .draw(WIDE)?;
/// assert!(figure.svg().contains("P(correct)"));
/// # Ok::<(), fiesta_report::figure::FigureError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SuccessCurves {
    policies: Vec<(String, Vec<SuccessPoint>)>,
    references: Vec<(String, f64)>,
    spacing: Spacing,
    trials: Option<usize>,
    interval: Option<String>,
    highlight: Vec<String>,
}

impl SuccessCurves {
    /// Returns a figure without policies yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a policy with its points, by increasing budget.
    pub fn policy(mut self, name: impl Into<String>, points: &[SuccessPoint]) -> Self {
        self.policies.push((name.into(), points.to_vec()));
        self
    }

    /// Draws a dashed line at the probability that was asked for.
    pub fn target(mut self, confidence: f64) -> Self {
        let label = format!("target {}", crate::percent(confidence));
        self.references.push((label, confidence));
        self
    }

    /// Sets how budgets are spaced; linear unless said.
    pub fn spacing(mut self, spacing: Spacing) -> Self {
        self.spacing = spacing;
        self
    }

    /// Sets how many trials a point is a share of; stands on the axis.
    pub fn trials(mut self, trials: usize) -> Self {
        self.trials = Some(trials);
        self
    }

    /// Sets what the intervals are, for the caption: "95 % Wilson intervals".
    pub fn interval(mut self, what: impl Into<String>) -> Self {
        self.interval = Some(what.into());
        self
    }

    highlight!(highlight);
}

/// Name of the figure in errors.
const FIGURE: &str = "P(correct) against budget";

fn series((name, points): &(String, Vec<SuccessPoint>)) -> Result<Series, FigureError> {
    some(FIGURE, "point to every policy", points)?;
    let budgets: Vec<f64> = points.iter().map(|point| point.budget).collect();
    finite("a budget", name, &budgets)?;
    ascending(["a budget", "budgets"], name, &budgets)?;
    for point in points {
        let interval = [point.lower, point.share, point.upper];
        for p in interval {
            probability("P(correct)", name, p)?;
        }
        ascending(["P(correct)", "interval and share"], name, &interval)?;
    }
    let points = points.iter();
    Ok(Series {
        name: name.clone(),
        merit: points.clone().map(|point| point.share).sum::<f64>() / points.len() as f64,
        points: points
            .clone()
            .map(|point| (point.budget, point.share))
            .collect(),
        bars: points
            .map(|point| (point.budget, point.lower, point.upper))
            .collect(),
        ..Series::default()
    })
}

impl Plot for SuccessCurves {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let scene = Scene::new(width)?;
        some(FIGURE, "policy", &self.policies)?;
        for (_, target) in &self.references {
            probability("the target", "target", *target)?;
        }
        let series = self.policies.iter().map(series).collect::<Result<_, _>>()?;
        let trials = self.trials.map_or(String::new(), |n| {
            format!(" ({} per point)", count(n, "trial"))
        });
        let policies = count(self.policies.len(), "policy").replace("policys", "policies");
        let words = Words {
            title: format!("P(correct) against budget for {policies}"),
            caption: format!(
                "Share of trials that name the best arm{trials}, against the budget, for {policies}; vertical lines are {}.",
                self.interval.as_deref().unwrap_or("intervals")
            ),
            alt: format!(
                "Probability of choosing the best arm against the number of evaluations for {}.",
                listed(self.policies.iter().map(|policy| policy.0.as_str()))
            ),
        };
        let chart = Chart {
            style: Style::Markers,
            x: (
                "budget (evaluations)".to_owned(),
                Quantity::Count,
                self.spacing,
            ),
            y: (format!("P(correct){trials}"), Quantity::Percent),
            series,
            references: &self.references,
            highlight: &self.highlight,
        };
        chart.draw(scene, words)
    }
}
