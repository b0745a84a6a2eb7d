//! Forest plots: values with their intervals, a row for each arm.

use super::axis::{SMALL, Scale, extent};
use super::error::{ascending, finite, some};
use super::palette::{Colour, INK, MUTED};
use super::picture::Words;
use super::rows::{Ranking, Rows};
use super::scene::{Anchor, Font, Scene, Stroke};
use super::{Figure, FigureError, Plot, count, listed, sizes, text};
use crate::summary::Interval;
use fiesta_core::Direction;

/// Estimated value with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Estimated value, between the ends of its interval.
    pub value: f64,
    /// Lower end of the interval; −∞ if it is open.
    pub lower: f64,
    /// Upper end of the interval; ∞ if it is open.
    pub upper: f64,
}

impl Estimate {
    /// Makes an estimate of a value with its interval, which is open where nothing is known of the noise.
    pub fn new(value: f64, interval: Option<Interval>) -> Self {
        let ends = interval.map(|interval| (interval.lower, interval.upper));
        let (lower, upper) = ends.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        Self {
            value,
            lower,
            upper,
        }
    }

    /// Returns whether nothing is known of the estimate's noise, so that the value stands alone: of one evaluation.
    fn is_open(self) -> bool {
        self.lower.is_infinite() && self.upper.is_infinite()
    }

    fn ascending(self) -> [f64; 3] {
        [self.lower, self.value, self.upper]
    }
}

/// Every arm's mean with its interval (a forest plot), the best first, with the numbers beside
/// where there is room.
///
/// What the value is (a mean, an interquartile mean) and what the interval is (95 %, posterior or
/// bootstrap) is the caller's, who says it in `what`; both stand on the axis. An interval without
/// an end has an arrow; a value without an interval is a dot. A light line continues the best value down the rows.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_report::figure::{Estimate, Forest, Plot, WIDE};
///
/// let figure = Forest::new("macro-F1", Direction::Maximize, "mean, 95 % interval")
///     .arm("lstm", 20, Estimate { value: 0.61, lower: 0.58, upper: 0.63 })
///     .arm("tdlstm", 41, Estimate { value: 0.66, lower: 0.65, upper: 0.68 })
///     .draw(WIDE)?;
/// assert!(figure.svg().contains("0.660 [0.650, 0.680]"));
/// # Ok::<(), fiesta_report::figure::FigureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    metric: String,
    direction: Direction,
    what: String,
    arms: Vec<(String, usize, Estimate)>,
    highlight: Vec<String>,
    ranked: Vec<String>,
}

impl Forest {
    /// Returns a plot without arms yet; `what` says what the values and intervals are, for instance
    /// "mean, 95 % interval".
    pub fn new(metric: impl Into<String>, direction: Direction, what: impl Into<String>) -> Self {
        Self {
            metric: metric.into(),
            direction,
            what: what.into(),
            arms: Vec::new(),
            highlight: Vec::new(),
            ranked: Vec::new(),
        }
    }

    /// Adds an arm with the number of its evaluations.
    pub fn arm(mut self, name: impl Into<String>, evaluations: usize, estimate: Estimate) -> Self {
        self.arms.push((name.into(), evaluations, estimate));
        self
    }

    highlight!(highlight);
    ranked!(ranked);
}

/// Part of the range that the axis goes on beyond the intervals, on either side.
const ROOM: f64 = 0.04;
/// Width from which on the numbers stand beside the rows.
const ROOMY: f64 = 520.0;

impl Forest {
    fn check(&self) -> Result<(), FigureError> {
        some("forest plot", "arm", &self.arms)?;
        for (name, _, estimate) in &self.arms {
            let what = ["the interval", "interval and value"];
            finite("the value", name, &[estimate.value])?;
            ascending(what, name, &estimate.ascending())?;
        }
        Ok(())
    }

    /// Returns the lowest and the highest end that is finite.
    fn extent(&self) -> (f64, f64) {
        let ends = self.arms.iter().flat_map(|arm| arm.2.ascending());
        extent(ends.filter(|end| end.is_finite())).unwrap_or((0.0, 1.0))
    }

    /// An arm's value and interval, to three digits of the range, or whole where all are.
    fn digits(&self, arm: usize) -> String {
        let (low, high) = self.extent();
        let span = if high > low {
            high - low
        } else {
            low.abs().max(1e-3)
        };
        let ends = { self.arms.iter() }.flat_map(|arm| arm.2.ascending());
        let are_whole = ends
            .filter(|end| end.is_finite())
            .all(|end| end.fract() == 0.0);
        let step = match 10f64.powf(span.log10().floor() - 2.0) {
            _ if are_whole => 1.0,
            step => step.min(1.0),
        };
        let [lower, value, upper] = self.arms[arm].2.ascending().map(|x| match x {
            f64::NEG_INFINITY => "−∞".to_owned(),
            f64::INFINITY => "∞".to_owned(),
            x => text::number(x, step),
        });
        if self.arms[arm].2.is_open() {
            return value;
        }
        format!("{value} [{lower}, {upper}]")
    }

    fn evaluations(&self, arm: usize) -> String {
        text::number(self.arms[arm].1 as f64, 1.0)
    }

    fn words(&self, n: &str, best: usize) -> Words {
        let arms = count(self.arms.len(), "arm");
        let (metric, what) = (&self.metric, &self.what);
        let estimates = || self.arms.iter().map(|arm| arm.2);
        let alone = estimates().any(Estimate::is_open);
        let half_open = estimates().any(|estimate| {
            !estimate.is_open() && (estimate.lower.is_infinite() || estimate.upper.is_infinite())
        });
        Words {
            title: format!("{metric} of {arms}: {what}"),
            caption: format!(
                "{metric} of {arms} ({what}; {n}), the best first. The dotted line continues the best value{}{}.",
                if half_open {
                    "; arrows are intervals without an end"
                } else {
                    ""
                },
                if alone {
                    "; a dot without a line is of an arm with too few scores for an interval"
                } else {
                    ""
                },
            ),
            alt: format!(
                "Forest plot of {metric} for {arms}. Best: {} with {}.",
                listed([self.arms[best].0.as_str()]),
                self.digits(best)
            ),
        }
    }
}

impl Plot for Forest {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let mut scene = Scene::new(width)?;
        let width = scene.width;
        self.check()?;
        let names: Vec<&str> = self.arms.iter().map(|arm| arm.0.as_str()).collect();
        let values = self.arms.iter().map(|arm| (arm.0.as_str(), arm.2.value));
        let ranking = Ranking::new(values, self.direction, &self.highlight, &self.ranked);
        let best = ranking.order[0];
        let n = sizes(self.arms.iter().map(|arm| arm.1));
        let texts = |text: fn(&Self, usize) -> String| -> Vec<String> {
            (0..names.len()).map(|arm| text(self, arm)).collect()
        };
        let (digits, counts) = (texts(Self::digits), texts(Self::evaluations));
        let counts_width = text::widest(&counts, SMALL).max(text::width("n", SMALL));
        let roomy = width >= ROOMY;
        let (column, above, unsaid) = if roomy {
            let digits_width = text::widest(&digits, SMALL);
            (digits_width + counts_width + 30.0, 20.0, String::new())
        } else {
            (0.0, 4.0, format!("; {n}"))
        };
        let layout = Rows::new(&scene, &names, 22.0, column, above);
        let title = format!("{} ({}{unsaid})", self.metric, self.what);
        let (low, high) = self.extent();
        let room = (high - low) * ROOM;
        let scale = layout.axis(&mut scene, &title, (low - room, high + room))?;
        let x = scale.at(self.arms[best].2.value);
        let dotted = Stroke::new(MUTED, 0.75).dashed(&[1.5, 2.5]);
        scene.line((x, layout.top), (x, layout.bottom()), dotted);
        let note = Font::new(SMALL, MUTED).anchored(Anchor::End);
        let (digits_at, counts_at) = (width - counts_width - 16.0, width - 2.0);
        if roomy {
            scene.text((digits_at, 12.0), "value [interval]", note);
            scene.text((counts_at, 12.0), "n", note);
        }
        for (row, &arm) in ranking.order.iter().enumerate() {
            let middle = layout.centre(row);
            let stands_out = ranking.stands_out(arm);
            layout.name(&mut scene, row, names[arm], stands_out);
            let (estimate, colour) = (self.arms[arm].2, ranking.colour(arm));
            draw_estimate(&mut scene, &scale, middle, estimate, colour);
            if roomy {
                let colour = if stands_out { INK } else { MUTED };
                scene.centred((digits_at, middle), &digits[arm], Font { colour, ..note });
                scene.centred((counts_at, middle), &counts[arm], note);
            }
        }
        Ok(scene.finish(self.words(&n, best), layout.height()))
    }
}

/// Draws an estimate: a line between the ends of its interval, an arrow in place of an open end, and a dot.
fn draw_estimate(scene: &mut Scene, scale: &Scale, y: f64, estimate: Estimate, colour: Colour) {
    if estimate.is_open() {
        scene.bead((scale.at(estimate.value), y), 3.5, colour);
        return;
    }
    let ends = [(estimate.lower, 4.0), (estimate.upper, -4.0)];
    let [from, to] = ends.map(|(end, _)| (scale.clamped(end), y));
    scene.line(from, to, Stroke::new(colour, 2.0));
    for ((end, back), (at, _)) in ends.into_iter().zip([from, to]) {
        if end.is_infinite() {
            let arrow = [(at + back, y - 3.5), (at, y), (at + back, y + 3.5)];
            scene.path(&arrow, Stroke::new(colour, 1.5));
        }
    }
    scene.bead((scale.at(estimate.value), y), 3.5, colour);
}
