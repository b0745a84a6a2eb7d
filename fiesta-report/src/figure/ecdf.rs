//! Distributions.

use super::lines::{Chart, Names, Series};
use super::picture::Words;
use super::ticks::Quantity;
use super::{Figure, FigureError, Plot, Spacing, check, count, density, listed, sizes, usable};
use fiesta_core::Direction;

/// Empirical cumulative distribution functions, F(x) = #{x_i ≤ x}/n, with simultaneous bands where there are any.
///
/// Stairs through the sorted scores. With more than three bands each arm has a panel, with the others grey behind it.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_report::figure::{Ecdf, Plot, WIDE};
///
/// let figure = Ecdf::new("macro-F1", Direction::Maximize)
///     .arm("lstm", &[0.58, 0.61, 0.60])
///     .arm_with_band("tdlstm", &[0.66, 0.64], &[(0.64, 0.0, 0.9), (0.66, 0.1, 1.0)])
///     .draw(WIDE)?;
/// assert!(figure.svg().contains("100 %"));
/// # Ok::<(), fiesta_report::figure::FigureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ecdf {
    metric: String,
    direction: Direction,
    arms: Vec<Arm>,
    highlight: Vec<String>,
    band: String,
}

#[derive(Debug, Clone, PartialEq)]
struct Arm {
    name: String,
    scores: Vec<f64>,
    band: Vec<(f64, f64, f64)>,
}

impl Ecdf {
    /// Without arms yet; `metric` names the axis, with its unit if it has one.
    pub fn new(metric: impl Into<String>, direction: Direction) -> Self {
        Self {
            metric: metric.into(),
            direction,
            arms: Vec::new(),
            highlight: Vec::new(),
            band: "bands".to_owned(),
        }
    }

    /// Adds an arm with its scores, in any order.
    pub fn arm(self, name: impl Into<String>, scores: &[f64]) -> Self {
        self.arm_with_band(name, scores, &[])
    }

    /// Adds an arm with its scores and a band: at each x, and until the next, the lower and upper limit of F.
    pub fn arm_with_band(
        mut self,
        name: impl Into<String>,
        scores: &[f64],
        band: &[(f64, f64, f64)],
    ) -> Self {
        self.arms.push(Arm {
            name: name.into(),
            scores: scores.to_vec(),
            band: band.to_vec(),
        });
        self
    }

    /// What the bands are, for the caption: "simultaneous 95 % bands (equal-tailed)".
    pub fn band(mut self, what: impl Into<String>) -> Self {
        self.band = what.into();
        self
    }

    /// Which arms have a colour where there are more than eight.
    pub fn highlight(mut self, names: &[&str]) -> Self {
        self.highlight = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }
}

impl Plot for Ecdf {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let width = usable(width)?;
        check::some("ECDF", "arm", &self.arms)?;
        let mut series = Vec::new();
        for arm in &self.arms {
            check::some("ECDF", "score to every arm", &arm.scores)?;
            check::finite("a score", &arm.name, &arm.scores)?;
            check_band(&arm.name, &arm.band)?;
            let mut sorted = arm.scores.clone();
            sorted.sort_by(f64::total_cmp);
            series.push(Series {
                name: arm.name.clone(),
                merit: self.direction.orient(density::quantile(&sorted, 0.5)),
                points: stairs(&sorted),
                band: arm.band.clone(),
                ..Series::default()
            });
        }
        let arms = count(self.arms.len(), "arm");
        let n = sizes(self.arms.iter().map(|arm| arm.scores.len()));
        let chart = Chart {
            figure: "ECDF",
            x_title: format!("{} ({n} per arm)", self.metric),
            x_quantity: Quantity::Number,
            x_spacing: Spacing::Linear,
            y_title: "share of evaluations with at most this score".to_owned(),
            y_quantity: Quantity::Percent,
            series,
            stairs: true,
            markers: false,
            references: &[],
            highlight: &self.highlight,
            names: Names::List,
        };
        let (canvas, size, shown) = chart.draw(width)?;
        let banded = self.arms.iter().any(|arm| !arm.band.is_empty());
        let words = Words {
            title: format!("Distribution of {} for {arms}", self.metric),
            caption: format!(
                "Empirical distribution of {} for {arms} ({n} each){}.{}",
                self.metric,
                if banded {
                    format!(", with {}", self.band)
                } else {
                    String::new()
                },
                shown.sentence(self.arms.len())
            ),
            alt: format!(
                "Empirical cumulative distribution functions of {} for {arms}: {}.",
                self.metric,
                listed(self.arms.iter().map(|arm| arm.name.as_str()))
            ),
        };
        Ok(Figure::new(words, size, canvas))
    }
}

/// F from 0 below the smallest score to 1 at the largest.
fn stairs(sorted: &[f64]) -> Vec<(f64, f64)> {
    let n = sorted.len() as f64;
    let mut points = vec![(sorted[0], 0.0)];
    for (i, x) in sorted.iter().enumerate() {
        let tied = sorted.get(i + 1).is_some_and(|next| next <= x);
        if !tied {
            points.push((*x, (i + 1) as f64 / n));
        }
    }
    points
}

/// The places increase and no limit is NaN.
pub(super) fn check_band(name: &str, band: &[(f64, f64, f64)]) -> Result<(), FigureError> {
    let places: Vec<f64> = band.iter().map(|row| row.0).collect();
    check::finite("a place of the band", name, &places)?;
    check::increasing("the band's places", name, places)?;
    for (_, lower, upper) in band {
        check::not_nan("the band", name, [*lower, *upper])?;
        check::increasing("the band's limits", name, [*lower, *upper])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_one_step() {
        let points = stairs(&[1.0, 2.0, 2.0, 5.0]);
        assert_eq!(points, [(1.0, 0.0), (1.0, 0.25), (2.0, 0.75), (5.0, 1.0)]);
    }
}
