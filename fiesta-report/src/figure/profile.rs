//! Performance profiles.

use super::ecdf::check_band;
use super::lines::{Chart, Names, Series};
use super::picture::Words;
use super::ticks::Quantity;
use super::{Figure, FigureError, Plot, Spacing, check, count, listed, usable};
use fiesta_core::Direction;

/// The share of runs above every score τ, averaged over tasks:
/// `F(τ) = (1/M) Σ_m (1/N_m) Σ_n 1[x_mn > τ]` (Agarwal et al. 2021, *Deep RL at the Edge of the Statistical Precipice*, section 4.2).
///
/// Where scores are minimised it is the share below τ, and the axis runs from the worst to the best score all the same: of two curves the
/// higher is the better one throughout. With more than three bands each arm has a panel.
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
pub struct PerformanceProfile {
    metric: String,
    direction: Direction,
    arms: Vec<Arm>,
    highlight: Vec<String>,
    band: String,
}

#[derive(Debug, Clone, PartialEq)]
struct Arm {
    name: String,
    tasks: Vec<Vec<f64>>,
    band: Vec<(f64, f64, f64)>,
}

impl PerformanceProfile {
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
        self.arms.push(Arm {
            name: name.into(),
            tasks: tasks.iter().map(|task| task.to_vec()).collect(),
            band: band.to_vec(),
        });
        self
    }

    /// What the bands are, for the caption: "pointwise 95 % bootstrap intervals".
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

impl Plot for PerformanceProfile {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let width = usable(width)?;
        check::some("performance profile", "arm", &self.arms)?;
        let mut series = Vec::new();
        for arm in &self.arms {
            check::some("performance profile", "task to every arm", &arm.tasks)?;
            for task in &arm.tasks {
                check::some("performance profile", "run to every task", task)?;
                check::finite("a score", &arm.name, task)?;
            }
            check_band(&arm.name, &arm.band)?;
            let points = profile(&arm.tasks, self.direction);
            // The area under the profile is the mean over tasks, up to a constant.
            let mean = arm
                .tasks
                .iter()
                .map(|task| task.iter().sum::<f64>() / task.len() as f64);
            series.push(Series {
                name: arm.name.clone(),
                merit: self
                    .direction
                    .orient(mean.sum::<f64>() / arm.tasks.len() as f64),
                points,
                band: arm.band.clone(),
                ..Series::default()
            });
        }
        let tasks = self
            .arms
            .iter()
            .map(|arm| arm.tasks.len())
            .max()
            .unwrap_or(0);
        let runs: usize = self
            .arms
            .iter()
            .flat_map(|arm| &arm.tasks)
            .map(Vec::len)
            .sum();
        let (arms, tasks) = (count(self.arms.len(), "arm"), count(tasks, "task"));
        let beyond = match self.direction {
            Direction::Maximize => "above",
            Direction::Minimize => "below",
        };
        let chart = Chart {
            figure: "performance profile",
            x_title: format!("τ, {} ({tasks}, {})", self.metric, count(runs, "run")),
            x_quantity: Quantity::Number,
            x_spacing: Spacing::Linear,
            y_title: format!("share of runs {beyond} τ"),
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
            title: format!("Performance profile of {arms}: {}", self.metric),
            caption: format!(
                "Share of runs with {} {beyond} τ, averaged over {tasks}, for {arms}{}.{}",
                self.metric,
                if banded {
                    format!(", with {}", self.band)
                } else {
                    String::new()
                },
                shown.sentence(self.arms.len())
            ),
            alt: format!(
                "Performance profiles of {arms}: {}.",
                listed(self.arms.iter().map(|arm| arm.name.as_str()))
            ),
        };
        Ok(Figure::new(words, size, canvas))
    }
}

/// F at every score, from the smallest to the largest.
fn profile(tasks: &[Vec<f64>], direction: Direction) -> Vec<(f64, f64)> {
    let weights = tasks.iter().flat_map(|task| {
        let weight = 1.0 / (task.len() * tasks.len()) as f64;
        task.iter().map(move |score| (*score, weight))
    });
    let mut scores: Vec<(f64, f64)> = weights.collect();
    scores.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut below = 0.0;
    let mut points: Vec<(f64, f64)> = Vec::new();
    let start = match direction {
        Direction::Maximize => 1.0,
        Direction::Minimize => 0.0,
    };
    points.push((scores[0].0, start));
    for group in scores.chunk_by(|a, b| a.0 >= b.0) {
        below += group.iter().map(|score| score.1).sum::<f64>();
        let share = match direction {
            Direction::Maximize => 1.0 - below,
            Direction::Minimize => below,
        };
        points.push((group[0].0, share.clamp(0.0, 1.0)));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_tasks_and_not_runs() {
        let tasks = [vec![1.0, 2.0], vec![2.0]];
        assert_eq!(
            profile(&tasks, Direction::Maximize),
            [(1.0, 1.0), (1.0, 0.75), (2.0, 0.0)]
        );
    }
}
