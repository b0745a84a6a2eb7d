//! Means with intervals.

use super::axis::{Axis, SMALL};
use super::canvas::{Anchor, Canvas, Font, Stroke};
use super::palette::{Colour, INK, MUTED};
use super::picture::Words;
use super::rows::{self, Rows, or_grey};
use super::scale::extent;
use super::{Figure, FigureError, Plot, check, count, listed, sizes, text, usable};
use fiesta_core::Direction;

/// A value with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The value, between the ends.
    pub value: f64,
    /// Where the interval begins; −∞ if it is open.
    pub lower: f64,
    /// Where it ends; ∞ if it is open.
    pub upper: f64,
}

/// Every arm's mean with its interval (a forest plot), the best first, with the numbers beside where there is room.
///
/// What the value is (a mean, an interquartile mean) and what the interval is (95 %, posterior or bootstrap) is the caller's, who says it in
/// `what`; both stand on the axis. An interval without an end has an arrow. A light line continues the best value down the rows.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_report::figure::{Forest, Interval, Plot, WIDE};
///
/// let figure = Forest::new("macro-F1", Direction::Maximize, "mean, 95 % interval")
///     .arm("lstm", 20, Interval { value: 0.61, lower: 0.58, upper: 0.63 })
///     .arm("tdlstm", 41, Interval { value: 0.66, lower: 0.65, upper: 0.68 })
///     .draw(WIDE)?;
/// assert!(figure.svg().contains("0.660 [0.650, 0.680]"));
/// # Ok::<(), fiesta_report::figure::FigureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    metric: String,
    direction: Direction,
    what: String,
    arms: Vec<(String, usize, Interval)>,
    highlight: Vec<String>,
}

impl Forest {
    /// Without arms yet; `what` says what the values and intervals are, for instance "mean, 95 % interval".
    pub fn new(metric: impl Into<String>, direction: Direction, what: impl Into<String>) -> Self {
        Self {
            metric: metric.into(),
            direction,
            what: what.into(),
            arms: Vec::new(),
            highlight: Vec::new(),
        }
    }

    /// Adds an arm with the number of its evaluations.
    pub fn arm(mut self, name: impl Into<String>, evaluations: usize, interval: Interval) -> Self {
        self.arms.push((name.into(), evaluations, interval));
        self
    }

    /// Which arms have a colour where there are more than eight.
    pub fn highlight(mut self, names: &[&str]) -> Self {
        self.highlight = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }
}

/// From this width on the numbers stand beside the rows.
const ROOMY: f64 = 520.0;

impl Forest {
    fn check(&self) -> Result<(), FigureError> {
        check::some("forest plot", "arm", &self.arms)?;
        for (
            name,
            _,
            Interval {
                value,
                lower,
                upper,
            },
        ) in &self.arms
        {
            check::finite("the value", name, &[*value])?;
            check::not_nan("the interval", name, [*lower, *upper])?;
            check::increasing("interval and value", name, [*lower, *value, *upper])?;
        }
        Ok(())
    }

    /// From the lowest to the highest end that is finite.
    fn extent(&self) -> (f64, f64) {
        let ends = self
            .arms
            .iter()
            .flat_map(|arm| [arm.2.lower, arm.2.value, arm.2.upper])
            .filter(|end| end.is_finite());
        extent(ends).unwrap_or((0.0, 1.0))
    }

    /// An arm's value and interval in digits.
    fn digits(&self, arm: usize) -> String {
        let step = digits_step(self.extent());
        let number = |x: f64| match x {
            f64::NEG_INFINITY => "−∞".to_owned(),
            f64::INFINITY => "∞".to_owned(),
            x => text::number(x, step),
        };
        let Interval {
            value,
            lower,
            upper,
        } = self.arms[arm].2;
        format!("{} [{}, {}]", number(value), number(lower), number(upper))
    }

    fn evaluations(&self, arm: usize) -> String {
        text::number(self.arms[arm].1 as f64, 1.0)
    }

    fn words(&self, best: usize) -> Words {
        let arms = count(self.arms.len(), "arm");
        let n = sizes(self.arms.iter().map(|arm| arm.1));
        let (metric, what) = (&self.metric, &self.what);
        Words {
            title: format!("{metric} of {arms}: {what}"),
            caption: format!(
                "{metric} of {arms} ({what}; {n}), the best first. The dotted line continues the best value; arrows are \
                 intervals without an end."
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
        let width = usable(width)?;
        self.check()?;
        let values: Vec<f64> = self.arms.iter().map(|arm| arm.2.value).collect();
        let names: Vec<&str> = self.arms.iter().map(|arm| arm.0.as_str()).collect();
        let colours = rows::colours(&names, &values, self.direction, &self.highlight);
        let order = rows::ranking(&values, self.direction);
        let widest = |texts: &dyn Fn(usize) -> String| {
            (0..names.len())
                .map(|arm| text::width(&texts(arm), SMALL))
                .fold(text::width("n", SMALL), f64::max)
        };
        let counts = widest(&|arm| self.evaluations(arm));
        let roomy = width >= ROOMY;
        let (column, above) = if roomy {
            (widest(&|arm| self.digits(arm)) + counts + 30.0, 20.0)
        } else {
            (0.0, 4.0)
        };
        let layout = Rows::new(&names, width, 22.0, column, above);
        let mut canvas = Canvas::default();
        let n = sizes(self.arms.iter().map(|arm| arm.1));
        let n = if roomy {
            String::new()
        } else {
            format!("; {n}")
        };
        let title = format!("{} ({}{n})", self.metric, self.what);
        let axis = layout.axis(&mut canvas, &title, self.extent())?;
        let best = axis.scale.at(values[order[0]]);
        let dotted = Stroke::new(MUTED, 0.75).dashed(&[1.5, 2.5]);
        canvas.line((best, layout.top), (best, layout.bottom()), dotted);
        let note = Font::new(SMALL, MUTED).anchored(Anchor::End);
        let (digits_at, counts_at) = (width - counts - 16.0, width - 2.0);
        if roomy {
            canvas.text((digits_at, 12.0), "value [interval]", note);
            canvas.text((counts_at, 12.0), "n", note);
        }
        for (row, &arm) in order.iter().enumerate() {
            let middle = layout.centre(row);
            layout.name(&mut canvas, row, names[arm], colours[arm].is_some());
            draw_interval(
                &mut canvas,
                &axis,
                middle,
                self.arms[arm].2,
                or_grey(colours[arm]),
            );
            if roomy {
                let colour = if colours[arm].is_some() { INK } else { MUTED };
                canvas.centred(
                    (digits_at, middle),
                    &self.digits(arm),
                    Font { colour, ..note },
                );
                canvas.centred((counts_at, middle), &self.evaluations(arm), note);
            }
        }
        let words = self.words(order[0]);
        Ok(Figure::new(words, (width, layout.height()), canvas))
    }
}

/// A line from end to end, an arrow where there is none, and a dot.
fn draw_interval(canvas: &mut Canvas, axis: &Axis, y: f64, interval: Interval, colour: Colour) {
    let Interval {
        value,
        lower,
        upper,
    } = interval;
    let ends = (axis.scale.clamped(lower), axis.scale.clamped(upper));
    canvas.line((ends.0, y), (ends.1, y), Stroke::new(colour, 2.0));
    for (end, at, back) in [(lower, ends.0, 4.0), (upper, ends.1, -4.0)] {
        if end.is_infinite() {
            let arrow = [(at + back, y - 3.5), (at, y), (at + back, y + 3.5)];
            canvas.path(&arrow, Stroke::new(colour, 1.5));
        }
    }
    canvas.bead((axis.scale.at(value), y), 3.5, colour);
}

/// A step that shows three digits of the range.
fn digits_step((low, high): (f64, f64)) -> f64 {
    let span = if high > low {
        high - low
    } else {
        low.abs().max(1e-3)
    };
    10f64.powf(span.log10().floor() - 2.0).min(1.0)
}
