//! Violins of scores.

use super::axis::{Scale, extent};
use super::density::density;
use super::error::{finite, some};
use super::palette::{Colour, INK, PAPER};
use super::picture::Words;
use super::rows::{Ranking, Rows};
use super::scene::{Point, Scene, Stroke};
use super::thin::thinned;
use super::{Figure, FigureError, Plot, count, listed, sizes};
use crate::summary::{quantile, sorted};
use fiesta_core::Direction;

/// Every arm's scores as a violin with its quartiles, the best median first.
///
/// A violin's outline is a kernel density estimate with a Gaussian kernel and the bandwidth h = 0.9
/// min(s, IQR/1.34) n^(−1/5) (Silverman 1986, *Density Estimation*, eq. 3.31), cut where the data
/// end, and as wide as its neighbours at its widest. The bar reaches from the lower to the upper
/// quartile (linear between order statistics, type 7 of Hyndman & Fan 1996), the dot is the median.
/// Scores that are all equal are a short line; fewer than six scores are dots. FIESTA (2019),
/// Figures 1 and 3.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_report::figure::{Plot, Violins, WIDE};
///
/// let figure = Violins::new("macro-F1", Direction::Maximize)
///     .arm("lstm", &[0.58, 0.61, 0.60, 0.63])
///     .arm("tdlstm", &[0.66, 0.64, 0.69, 0.67])
///     .draw(WIDE)?;
/// assert!(figure.svg().contains("macro-F1"));
/// # Ok::<(), fiesta_report::figure::FigureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Violins {
    metric: String,
    direction: Direction,
    arms: Vec<(String, Vec<f64>)>,
    highlight: Vec<String>,
    ranked: Vec<String>,
}

/// Fewest scores that have a density to speak of.
const FEWEST: usize = 6;

impl Violins {
    /// Returns a figure without arms yet; `metric` names the axis, with its unit if it has one.
    pub fn new(metric: impl Into<String>, direction: Direction) -> Self {
        Self {
            metric: metric.into(),
            direction,
            arms: Vec::new(),
            highlight: Vec::new(),
            ranked: Vec::new(),
        }
    }

    /// Adds an arm with its scores, in any order.
    pub fn arm(mut self, name: impl Into<String>, scores: &[f64]) -> Self {
        self.arms.push((name.into(), scores.to_vec()));
        self
    }

    highlight!(highlight);
    ranked!(ranked);

    fn words(&self, best: &str) -> Words {
        let arms = count(self.arms.len(), "arm");
        let n = sizes(self.arms.iter().map(|(_, scores)| scores.len()));
        let few = self.arms.iter().any(|(_, scores)| scores.len() < FEWEST);
        let dots = if few {
            " Fewer than six scores are dots."
        } else {
            ""
        };
        Words {
            title: format!("{} of {arms}", self.metric),
            caption: format!(
                "{} of {arms} ({n} each), the best median first. Violins are kernel density estimates, cut where the data \
                 end and equally wide at their widest; bars reach from the lower to the upper quartile, circles are medians.{dots}",
                self.metric
            ),
            alt: format!(
                "Violin plot of {} for {arms}: {}. The best median has {best}.",
                self.metric,
                listed(self.arms.iter().map(|arm| arm.0.as_str()))
            ),
        }
    }
}

impl Plot for Violins {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let mut scene = Scene::new(width)?;
        some("violins", "arm", &self.arms)?;
        for (name, scores) in &self.arms {
            some("violins", "score to every arm", scores)?;
            finite("a score", name, scores)?;
        }
        let sorted: Vec<Vec<f64>> = self.arms.iter().map(|arm| sorted(&arm.1)).collect();
        let medians = sorted.iter().map(|x| quantile(x, 0.5));
        let names: Vec<&str> = self.arms.iter().map(|arm| arm.0.as_str()).collect();
        let arms = names.iter().copied().zip(medians);
        let ranking = Ranking::new(arms, self.direction, &self.highlight, &self.ranked);
        let data = extent(sorted.iter().flatten().copied()).unwrap_or((0.0, 1.0));
        let layout = Rows::new(&scene, &names, 34.0, 0.0, 4.0);
        let n = sizes(sorted.iter().map(Vec::len));
        let title = format!("{} ({n} per arm)", self.metric);
        let scale = layout.axis(&mut scene, &title, data)?;
        for (row, &arm) in ranking.order.iter().enumerate() {
            layout.name(&mut scene, row, names[arm], ranking.stands_out(arm));
            let colour = ranking.colour(arm);
            let middle = layout.centre(row);
            violin(
                &mut scene,
                &scale,
                &sorted[arm],
                (middle, layout.row),
                colour,
            );
        }
        let words = self.words(&listed([names[ranking.order[0]]]));
        Ok(scene.finish(words, layout.height()))
    }
}

/// Draws sorted scores around the height `middle`, in a row of this height.
fn violin(scene: &mut Scene, scale: &Scale, x: &[f64], (middle, row): (f64, f64), colour: Colour) {
    let half = row * 0.44;
    let at = |p: f64| (scale.at(quantile(x, p)), middle);
    if x.len() < FEWEST {
        for value in x {
            scene.dot((scale.at(*value), middle), 2.5, colour);
        }
    } else if let Some(heights) = density(x) {
        let side = |sign: f64| -> Vec<Point> {
            let edge = heights.iter();
            let edge =
                edge.map(|(value, height)| (scale.at(*value), middle - sign * half * height));
            thinned(&edge.collect::<Vec<_>>(), 0.15)
        };
        let mut outline = side(1.0);
        outline.extend(side(-1.0).into_iter().rev());
        scene.polygon(&outline, colour, 0.55);
        let ink = Stroke::new(INK, (row * 0.1).clamp(1.5, 3.0));
        scene.line(at(0.25), at(0.75), ink);
    } else {
        let (place, reach) = (scale.at(x[0]), half * 0.6);
        let ends = [middle - reach, middle + reach].map(|y| (place, y));
        scene.line(ends[0], ends[1], Stroke::new(colour, 2.0));
    }
    let radius = (row * 0.085).clamp(1.6, 2.8);
    scene.dot(at(0.5), radius + 1.0, INK);
    scene.dot(at(0.5), radius, PAPER);
}
