//! Distributions of scores: empirical distribution functions and performance profiles.

use super::axis::Spacing;
use super::error::{ascending, finite, some};
use super::lines::{Chart, Series, Style};
use super::picture::Words;
use super::scene::Scene;
use super::ticks::Quantity;
use super::{Figure, FigureError, Plot, count, listed, sizes};
use crate::summary::{quantile, sorted};
use fiesta_core::Direction;

/// Distributions of every arm's scores, task by task, with a band where there is one.
#[derive(Debug, Clone, PartialEq)]
struct Distributions {
    metric: String,
    direction: Direction,
    arms: Vec<Arm>,
    /// Meaning of the bands.
    band: String,
    highlight: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct Arm {
    name: String,
    tasks: Vec<Vec<f64>>,
    band: Vec<(f64, f64, f64)>,
}

impl Distributions {
    fn new(metric: String, direction: Direction) -> Self {
        Self {
            metric,
            direction,
            arms: Vec::new(),
            band: "bands".to_owned(),
            highlight: Vec::new(),
        }
    }

    fn arm(&mut self, name: String, tasks: &[&[f64]], band: &[(f64, f64, f64)]) {
        self.arms.push(Arm {
            name,
            tasks: tasks.iter().map(|task| task.to_vec()).collect(),
            band: band.to_vec(),
        });
    }

    /// Returns a line of stairs for every arm: the share of its scores above, or at most, a
    /// threshold. `merit` ranks arms by their tasks' scores.
    fn series(
        &self,
        figure: &'static str,
        scores: &'static str,
        above: bool,
        merit: fn(&[Vec<f64>]) -> f64,
    ) -> Result<Vec<Series>, FigureError> {
        some(figure, "arm", &self.arms)?;
        let of_arm = |arm: &Arm| {
            let name = &arm.name;
            some(figure, "task to every arm", &arm.tasks)?;
            for task in &arm.tasks {
                some(figure, scores, task)?;
                finite("a score", name, task)?;
            }
            let places: Vec<f64> = arm.band.iter().map(|row| row.0).collect();
            finite("a place of the band", name, &places)?;
            ascending(["the band", "the band's places"], name, &places)?;
            for (_, lower, upper) in &arm.band {
                ascending(["the band", "the band's limits"], name, &[*lower, *upper])?;
            }
            Ok(Series {
                name: name.clone(),
                merit: self.direction.orient(merit(&arm.tasks)),
                points: stairs(&arm.tasks, above),
                band: arm.band.clone(),
                ..Series::default()
            })
        };
        self.arms.iter().map(of_arm).collect()
    }

    /// Returns what the shading of the figure means, after a comma. Empty without bands.
    fn shading(&self) -> String {
        let banded = self.arms.iter().any(|arm| !arm.band.is_empty());
        let band = &self.band;
        if banded {
            format!(", with {band}")
        } else {
            String::new()
        }
    }

    fn draw(
        &self,
        scene: Scene,
        series: Vec<Series>,
        [x_title, y_title]: [String; 2],
        words: Words,
    ) -> Result<Figure, FigureError> {
        let chart = Chart {
            style: Style::Stairs,
            x: (x_title, Quantity::Number, Spacing::Linear),
            y: (y_title, Quantity::Percent),
            series,
            references: &[],
            highlight: &self.highlight,
        };
        chart.draw(scene, words)
    }

    fn listed(&self) -> String {
        listed(self.arms.iter().map(|arm| arm.name.as_str()))
    }
}

/// Returns the share of scores at most, or `above`, every score, from the smallest to the largest,
/// averaged over tasks.
fn stairs(tasks: &[Vec<f64>], above: bool) -> Vec<(f64, f64)> {
    let weights = tasks.iter().flat_map(|task| {
        let weight = 1.0 / (task.len() * tasks.len()) as f64;
        task.iter().map(move |score| (*score, weight))
    });
    let mut scores: Vec<(f64, f64)> = weights.collect();
    scores.sort_by(|a, b| a.0.total_cmp(&b.0));
    let share = |below: f64| {
        let below = below.clamp(0.0, 1.0);
        if above { 1.0 - below } else { below }
    };
    let mut below = 0.0;
    let mut points = vec![(scores[0].0, share(0.0))];
    for group in scores.chunk_by(|a, b| a.0 >= b.0) {
        below += group.iter().map(|score| score.1).sum::<f64>();
        points.push((group[0].0, share(below)));
    }
    points
}

/// Empirical cumulative distribution functions, F(x) = #{x_i ≤ x}/n, with simultaneous bands where
/// there are any.
///
/// Stairs through the sorted scores. With more than three bands each arm has a panel, with the
/// others grey behind it.
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
pub struct Ecdf(Distributions);

impl Ecdf {
    /// Returns a figure without arms yet; `metric` names the axis, with its unit if it has one.
    pub fn new(metric: impl Into<String>, direction: Direction) -> Self {
        Self(Distributions::new(metric.into(), direction))
    }

    /// Adds an arm with its scores, in any order.
    pub fn arm(self, name: impl Into<String>, scores: &[f64]) -> Self {
        self.arm_with_band(name, scores, &[])
    }

    /// Adds an arm with its scores and a band: at each x, and until the next, the lower and upper
    /// limit of F.
    pub fn arm_with_band(
        mut self,
        name: impl Into<String>,
        scores: &[f64],
        band: &[(f64, f64, f64)],
    ) -> Self {
        self.0.arm(name.into(), &[scores], band);
        self
    }

    /// Sets what the bands are, for the caption: "simultaneous 95 % bands (equal-tailed)".
    pub fn band(mut self, what: impl Into<String>) -> Self {
        self.0.band = what.into();
        self
    }

    highlight!(0.highlight);
}

impl Plot for Ecdf {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let scene = Scene::new(width)?;
        let median = |tasks: &[Vec<f64>]| quantile(&sorted(&tasks[0]), 0.5);
        let series = self.0.series("ECDF", "score to every arm", false, median)?;
        let (metric, shading) = (&self.0.metric, self.0.shading());
        let arms = count(self.0.arms.len(), "arm");
        let n = sizes(self.0.arms.iter().map(|arm| arm.tasks[0].len()));
        let words = Words {
            title: format!("Distribution of {metric} for {arms}"),
            caption: format!("Empirical distribution of {metric} for {arms} ({n} each){shading}."),
            alt: format!(
                "Empirical cumulative distribution functions of {metric} for {arms}: {}.",
                self.0.listed()
            ),
        };
        let x_title = format!("{metric} ({n} per arm)");
        let y_title = "share of evaluations with at most this score".to_owned();
        self.0.draw(scene, series, [x_title, y_title], words)
    }
}

/// The share of runs above every score τ, averaged over tasks: `F(τ) = (1/M) Σ_m (1/N_m) Σ_n 1[x_mn
/// > τ]` (Agarwal et al. 2021, *Deep RL at the Edge of the Statistical Precipice*, section 4.2).
///
/// Where scores are minimised it is the share of at most τ, and the axis runs from the best to the
/// worst score all the same: of two curves the higher is the better one throughout. With more than
/// three bands each arm has a panel.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_report::figure::{PerformanceProfile, Plot, WIDE};
///
/// let figure = PerformanceProfile::new("normalised score", Direction::Maximize)
///     .arm("ppo", &[&[0.2, 0.5, 0.9], &[0.4, 0.6]])
///     .arm("dqn", &[&[0.1, 0.3, 0.4], &[0.2, 0.3]])
///     .draw(WIDE)?;
/// assert!(figure.caption().contains("2 tasks"));
/// # Ok::<(), fiesta_report::figure::FigureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PerformanceProfile(Distributions);

impl PerformanceProfile {
    /// Returns a figure without arms yet; `metric` names the axis, with its unit if it has one.
    pub fn new(metric: impl Into<String>, direction: Direction) -> Self {
        Self(Distributions::new(metric.into(), direction))
    }

    /// Adds an arm with its runs' scores, task by task; one task if there are none.
    pub fn arm(self, name: impl Into<String>, tasks: &[&[f64]]) -> Self {
        self.arm_with_band(name, tasks, &[])
    }

    /// Adds an arm with a band: at each τ the lower and upper limit of F, straight between.
    pub fn arm_with_band(
        mut self,
        name: impl Into<String>,
        tasks: &[&[f64]],
        band: &[(f64, f64, f64)],
    ) -> Self {
        self.0.arm(name.into(), tasks, band);
        self
    }

    /// Sets what the bands are, for the caption: "pointwise 95 % bootstrap intervals".
    pub fn band(mut self, what: impl Into<String>) -> Self {
        self.0.band = what.into();
        self
    }

    highlight!(0.highlight);
}

impl Plot for PerformanceProfile {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let scene = Scene::new(width)?;
        let (above, beyond) = match self.0.direction {
            Direction::Maximize => (true, "above"),
            Direction::Minimize => (false, "below"),
        };
        // The area under the profile is the mean over tasks, up to a constant.
        let mean = |tasks: &[Vec<f64>]| {
            let means = tasks
                .iter()
                .map(|task| task.iter().sum::<f64>() / task.len() as f64);
            means.sum::<f64>() / tasks.len() as f64
        };
        let (figure, run) = ("performance profile", "run to every task");
        let series = self.0.series(figure, run, above, mean)?;
        let (metric, shading) = (&self.0.metric, self.0.shading());
        let all = || self.0.arms.iter().map(|arm| &arm.tasks);
        let arms = count(self.0.arms.len(), "arm");
        let tasks = count(all().map(Vec::len).max().unwrap_or(0), "task");
        let runs = count(all().flatten().map(Vec::len).sum(), "run");
        let words = Words {
            title: format!("Performance profile of {arms}: {metric}"),
            caption: format!(
                "Share of runs with {metric} {beyond} τ, averaged over {tasks}, for {arms}{shading}."
            ),
            alt: format!("Performance profiles of {arms}: {}.", self.0.listed()),
        };
        let x_title = format!("τ, {metric} ({tasks}, {runs})");
        let y_title = format!("share of runs {beyond} τ");
        self.0.draw(scene, series, [x_title, y_title], words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_one_step() {
        let points = stairs(&[vec![1.0, 2.0, 2.0, 5.0]], false);
        assert_eq!(points, [(1.0, 0.0), (1.0, 0.25), (2.0, 0.75), (5.0, 1.0)]);
    }

    #[test]
    fn averages_tasks_and_not_runs() {
        let tasks = [vec![1.0, 2.0], vec![2.0]];
        let points = stairs(&tasks, true);
        assert_eq!(points, [(1.0, 1.0), (1.0, 0.75), (2.0, 0.0)]);
    }
}
