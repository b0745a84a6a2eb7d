//! Violins of scores.

use super::canvas::{Canvas, Point, Stroke};
use super::density::{density, quantile};
use super::palette::{INK, PAPER};
use super::picture::Words;
use super::rows::{self, Rows, or_grey};
use super::scale::extent;
use super::thin::thinned;
use super::{Figure, FigureError, Plot, check, count, listed, sizes, usable};
use fiesta_core::Direction;

/// Every arm's scores as a violin with its quartiles, the best median first.
///
/// A violin's outline is a kernel density estimate with a Gaussian kernel and the bandwidth
/// h = 0.9 min(s, IQR/1.34) n^(−1/5) (Silverman 1986, *Density Estimation*, eq. 3.31), cut where the data end, and as wide as its
/// neighbours at its widest. The bar reaches from the lower to the upper quartile (linear between order statistics, type 7 of Hyndman & Fan
/// 1996), the dot is the median. Scores that are all equal are a short line; fewer than six scores are dots. FIESTA (2019), Figures 1 and 3.
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
}

/// Of fewer scores there is no density to speak of.
const FEWEST: usize = 6;

impl Violins {
    /// Without arms yet; `metric` names the axis, with its unit if it has one.
    pub fn new(metric: impl Into<String>, direction: Direction) -> Self {
        Self {
            metric: metric.into(),
            direction,
            arms: Vec::new(),
            highlight: Vec::new(),
        }
    }

    /// Adds an arm with its scores, in any order.
    pub fn arm(mut self, name: impl Into<String>, scores: &[f64]) -> Self {
        self.arms.push((name.into(), scores.to_vec()));
        self
    }

    /// Which arms have a colour where there are more than eight.
    pub fn highlight(mut self, names: &[&str]) -> Self {
        self.highlight = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

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
        let width = usable(width)?;
        check::some("violins", "arm", &self.arms)?;
        for (name, scores) in &self.arms {
            check::some("violins", "score to every arm", scores)?;
            check::finite("a score", name, scores)?;
        }
        let sorted: Vec<Vec<f64>> = self
            .arms
            .iter()
            .map(|(_, scores)| {
                let mut sorted = scores.clone();
                sorted.sort_by(f64::total_cmp);
                sorted
            })
            .collect();
        let medians: Vec<f64> = sorted.iter().map(|x| quantile(x, 0.5)).collect();
        let names: Vec<&str> = self.arms.iter().map(|arm| arm.0.as_str()).collect();
        let colours = rows::colours(&names, &medians, self.direction, &self.highlight);
        let order = rows::ranking(&medians, self.direction);
        let data = extent(sorted.iter().flatten().copied()).unwrap_or((0.0, 1.0));
        let layout = Rows::new(&names, width, 34.0, 0.0, 4.0);
        let mut canvas = Canvas::default();
        let n = sizes(sorted.iter().map(Vec::len));
        let title = format!("{} ({n} per arm)", self.metric);
        let axis = layout.axis(&mut canvas, &title, data)?;
        for (row, &arm) in order.iter().enumerate() {
            layout.name(&mut canvas, row, names[arm], colours[arm].is_some());
            let middle = layout.centre(row);
            let colour = or_grey(colours[arm]);
            let half = layout.row * 0.44;
            let x = &sorted[arm];
            if x.len() < FEWEST {
                for value in x {
                    canvas.dot((axis.scale.at(*value), middle), 2.5, colour);
                }
            }
            let at = |value: f64| axis.scale.at(value);
            if let (true, Some(heights)) = (x.len() >= FEWEST, density(x)) {
                let side = |sign: f64| -> Vec<Point> {
                    let edge: Vec<Point> = heights
                        .iter()
                        .map(|(value, height)| (at(*value), middle - sign * half * height))
                        .collect();
                    thinned(&edge, 0.15)
                };
                let mut outline = side(1.0);
                outline.extend(side(-1.0).into_iter().rev());
                canvas.polygon(&outline, colour, 0.55);
                let quartiles = (at(quantile(x, 0.25)), at(quantile(x, 0.75)));
                let ink = Stroke::new(INK, (layout.row * 0.1).clamp(1.5, 3.0));
                canvas.line((quartiles.0, middle), (quartiles.1, middle), ink);
            } else if x.len() >= FEWEST {
                let place = at(x[0]);
                let ends = ((place, middle - half * 0.6), (place, middle + half * 0.6));
                canvas.line(ends.0, ends.1, Stroke::new(colour, 2.0));
            }
            let radius = (layout.row * 0.085).clamp(1.6, 2.8);
            canvas.dot((at(medians[arm]), middle), radius + 1.0, INK);
            canvas.dot((at(medians[arm]), middle), radius, PAPER);
        }
        let words = self.words(&listed([names[order[0]]]));
        Ok(Figure::new(words, (width, layout.height()), canvas))
    }
}
