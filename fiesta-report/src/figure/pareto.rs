//! Scores against a measure, such as the cost, with the front of the arms that no other arm beats in both.

use super::axis::{ABOVE, Axis, BELOW, SMALL, Scale, Side, Spacing, extent};
use super::error::{ascending, finite, probability, some};
use super::labels::{Box, Taken};
use super::palette::{GRID, INK, MUTED, RULE};
use super::picture::Words;
use super::rows::Ranking;
use super::scene::{Anchor, Font, Point, Scene, Stroke};
use super::ticks::Quantity;
use super::{Estimate, Figure, FigureError, Plot, count, listed, text};
use fiesta_core::{Direction, whole};

/// Mean score of every arm against its mean of a measure, of which less is better.
///
/// Each arm is a dot with the intervals of both means. A dotted line goes down the steps of the front: the arms than which
/// no other arm has as good a mean score and as low a measure, and one of them better. P(Pareto), the probability that an arm is
/// on the front of the true means, stands beside its name.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_report::figure::{Estimate, Pareto, Plot, WIDE};
///
/// let mean = |value: f64| Estimate { value, lower: value * 0.9, upper: value * 1.1 };
/// let figure = Pareto::new("accuracy", Direction::Maximize, "cost", "95 % intervals")
///     .arm("large", mean(0.8), mean(5.0), Some(0.99))
///     .arm("small", mean(0.7), mean(1.0), Some(0.97))
///     .within(0.1)
///     .draw(WIDE)?;
/// assert!(figure.svg().contains("97.0 %"));
/// # Ok::<(), fiesta_report::figure::FigureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Pareto {
    metric: String,
    direction: Direction,
    measure: String,
    what: String,
    arms: Vec<ParetoArm>,
    within: Option<f64>,
    limit: Option<f64>,
    highlight: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct ParetoArm {
    name: String,
    score: Estimate,
    measure: Estimate,
    on_front: Option<f64>,
}

/// Name of the figure in errors.
const FIGURE: &str = "Pareto front";
/// Ratio of the largest and the smallest mean of the measure from which on its axis is logarithmic.
const FAR: f64 = 30.0;
/// Radius of a dot.
const DOT: f64 = 4.0;

impl Pareto {
    /// Returns a figure without arms yet; `what` says what the intervals are, such as "95 % intervals".
    pub fn new(
        metric: impl Into<String>,
        direction: Direction,
        measure: impl Into<String>,
        what: impl Into<String>,
    ) -> Self {
        Self {
            metric: metric.into(),
            direction,
            measure: measure.into(),
            what: what.into(),
            arms: Vec::new(),
            within: None,
            limit: None,
            highlight: Vec::new(),
        }
    }

    /// Adds an arm with the means of its score and of its measure, and P(Pareto) where it is known.
    pub fn arm(
        mut self,
        name: impl Into<String>,
        score: Estimate,
        measure: Estimate,
        on_front: Option<f64>,
    ) -> Self {
        self.arms.push(ParetoArm {
            name: name.into(),
            score,
            measure,
            on_front,
        });
        self
    }

    /// Shades the scores that are at most this far from the best mean.
    pub fn within(mut self, distance: f64) -> Self {
        self.within = Some(distance);
        self
    }

    /// Draws a dashed line at the largest mean of the measure that is allowed.
    pub fn limit(mut self, limit: f64) -> Self {
        self.limit = Some(limit);
        self
    }

    highlight!(highlight);

    fn check(&self) -> Result<(), FigureError> {
        some(FIGURE, "arm", &self.arms)?;
        for arm in &self.arms {
            for of in [&arm.score, &arm.measure] {
                finite("the mean", &arm.name, &[of.value])?;
                let ends = [of.lower, of.value, of.upper];
                ascending(["the interval", "interval and mean"], &arm.name, &ends)?;
            }
            probability("P(Pareto)", &arm.name, arm.on_front.unwrap_or(0.0))?;
        }
        let given = [self.within, self.limit].into_iter().flatten();
        finite(
            "the distance or the limit",
            FIGURE,
            &given.collect::<Vec<_>>(),
        )
    }

    /// Returns the worst score that is near enough to the best mean. `None` without a distance.
    fn near(&self) -> Option<f64> {
        let orient = |score: f64| self.direction.orient(score);
        let scores = self.arms.iter().map(|arm| orient(arm.score.value));
        let best = scores.fold(f64::NEG_INFINITY, f64::max);
        self.within.map(|within| orient(best - within))
    }

    /// Returns how much an arm deserves a colour: its P(Pareto), or else its mean score.
    fn merit(&self, arm: &ParetoArm) -> f64 {
        arm.on_front
            .unwrap_or_else(|| self.direction.orient(arm.score.value))
    }

    /// Returns the arms of the front by mean score and mean measure, the cheapest first.
    fn front(&self) -> Vec<&ParetoArm> {
        let orient = |arm: &ParetoArm| self.direction.orient(arm.score.value);
        let mut arms: Vec<&ParetoArm> = self.arms.iter().collect();
        arms.sort_by(|a, b| {
            let by_measure = a.measure.value.total_cmp(&b.measure.value);
            by_measure.then(orient(b).total_cmp(&orient(a)))
        });
        let mut front: Vec<&ParetoArm> = Vec::new();
        for arm in arms {
            if front.last().is_none_or(|last| orient(arm) > orient(last)) {
                front.push(arm);
            }
        }
        front
    }

    /// Returns the axes of the measure and of the score.
    fn axes(&self, (left, right): (f64, f64), bottom: f64) -> Result<(Axis, Axis), FigureError> {
        let means = self.arms.iter().map(|arm| arm.measure.value);
        let spacing = match extent(means.chain(self.limit)) {
            Some((low, high)) if low > 0.0 && high / low > FAR => Spacing::Log,
            _ => Spacing::Linear,
        };
        let measures = self.range(|arm| arm.measure, self.limit, spacing);
        let scores = self.range(|arm| arm.score, self.near(), Spacing::Linear);
        let x = Scale::new(&self.measure, spacing, measures, (left + 10.0, right))?;
        let y_ends = (bottom - 10.0, ABOVE + 8.0);
        let y = Scale::new(&self.metric, Spacing::Linear, scores, y_ends)?;
        let wanted = whole(((bottom - ABOVE) / 46.0).clamp(2.0, 8.0));
        let y = Axis::new(Quantity::Number, y, wanted);
        Ok((Axis::horizontal(Quantity::Number, x), y))
    }

    /// Returns the range that means reach, with `more`, and as much of the intervals as leaves the means apart.
    fn range(
        &self,
        of: impl Fn(&ParetoArm) -> Estimate,
        more: Option<f64>,
        spacing: Spacing,
    ) -> (f64, f64) {
        let means = self.arms.iter().map(|arm| of(arm).value);
        let (low, high) = extent(means.chain(more)).unwrap_or((0.0, 1.0));
        let ends = { self.arms.iter() }.flat_map(|arm| [of(arm).lower, of(arm).upper]);
        let ends = ends.filter(|end| end.is_finite() && (spacing == Spacing::Linear || *end > 0.0));
        let (least, most) = extent(ends).unwrap_or((low, high));
        let (below, above) = match spacing {
            Spacing::Log => (low / 2.0, high * 2.0),
            Spacing::Linear if high > low => (low - (high - low) / 4.0, high + (high - low) / 4.0),
            Spacing::Linear => (least, most),
        };
        (least.clamp(below, low), most.clamp(high, above))
    }

    fn words(&self, ranking: &Ranking) -> Words {
        let (metric, measure, what) = (&self.metric, &self.measure, &self.what);
        let arms = count(self.arms.len(), "arm");
        let has_probabilities = self.arms.iter().any(|arm| arm.on_front.is_some());
        let beside = has_probabilities.then_some(" Beside each name stands P(Pareto), the probability that the arm is on the front of the true means.");
        let within = self.within.map(|within| {
            format!(" Scores within {within} of the best mean are on a grey ground.")
        });
        let limit = self
            .limit
            .map(|limit| format!(" The dashed line is the limit of mean {measure}, {limit}."));
        let others = (0..self.arms.len()).filter(|&arm| !ranking.stands_out(arm));
        let others = match others.count() {
            0 => String::new(),
            others => format!(" Grey dots are {others} others."),
        };
        let front = self.front().into_iter().map(|arm| arm.name.as_str());
        Words {
            title: format!("{metric} against {measure} of {arms}"),
            caption: format!(
                "Mean {metric} against mean {measure} of {arms}, with {what}. The dotted line is the front of the means: no other arm is as good and as cheap, and one of these better.{}{}{}{others}",
                beside.unwrap_or_default(),
                within.unwrap_or_default(),
                limit.unwrap_or_default(),
            ),
            alt: format!(
                "Mean {metric} against mean {measure} for {arms}. On the front of the means: {}.",
                listed(front)
            ),
        }
    }

    /// Draws the steps of the front, from the cheapest arm to the right end.
    fn draw_front(&self, scene: &mut Scene, place: impl Fn(&ParetoArm) -> Point, right: f64) {
        let mut steps: Vec<Point> = Vec::new();
        for (x, y) in self.front().into_iter().map(place) {
            steps.extend(steps.last().map(|last| (x, last.1)));
            steps.push((x, y));
        }
        steps.extend(steps.last().map(|last| (right, last.1)));
        scene.path(&steps, Stroke::new(MUTED, 0.9).dashed(&[1.5, 2.5]));
    }
}

impl Plot for Pareto {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let mut scene = Scene::new(width)?;
        self.check()?;
        scene.heading(12.0, &self.metric);
        let height = (scene.width * 0.5).clamp(240.0, 380.0);
        let (bottom, right) = (ABOVE + height, scene.width - 18.0);
        let (_, labels) = self.axes((0.0, right), bottom)?;
        let left = (labels.label_width() + 12.0).max(24.0);
        let (x, y) = self.axes((left, right), bottom)?;
        if let Some(near) = self.near() {
            let of = [near, self.direction.orient(f64::INFINITY)];
            let [near, best] = of.map(|score| y.scale.clamped(score));
            let beyond = if best < near { ABOVE } else { bottom };
            let (top, low) = (near.min(beyond), near.max(beyond));
            scene.rect((left, top), (right - left, low - top), GRID);
        }
        y.grid_across(&mut scene, left, right);
        y.draw(&mut scene, Side::Left, left);
        x.draw(&mut scene, Side::Below, bottom);
        scene.caption(&format!("mean {}", self.measure), (left, right), bottom);
        let panel = (left + 2.0, ABOVE - 8.0, scene.width, bottom - 2.0);
        let mut taken = Taken::default();
        if let Some(limit) = self.limit {
            let at = x.scale.at(limit);
            scene.line(
                (at, ABOVE),
                (at, bottom),
                Stroke::new(MUTED, 1.0).dashed(&[5.0, 3.0]),
            );
            taken.add((at - 1.0, ABOVE, at + 1.0, bottom));
        }
        let place = |arm: &ParetoArm| (x.scale.at(arm.measure.value), y.scale.at(arm.score.value));
        self.draw_front(&mut scene, place, right);
        let merits = self
            .arms
            .iter()
            .map(|arm| (arm.name.as_str(), self.merit(arm)));
        let ranking = Ranking::new(merits, Direction::Maximize, &self.highlight, &[]);
        // Those with a name stand on top of the others.
        let mut order = ranking.order.clone();
        order.sort_by_key(|&arm| ranking.stands_out(arm));
        for &arm in &order {
            let (own, colour) = (&self.arms[arm], ranking.colour(arm));
            let (across, up) = place(own);
            let [from, to] = [own.measure.lower, own.measure.upper].map(|end| x.scale.clamped(end));
            let [low, high] = [own.score.lower, own.score.upper].map(|end| y.scale.clamped(end));
            let width = if ranking.stands_out(arm) { 1.2 } else { 0.7 };
            scene.line((from, up), (to, up), Stroke::new(colour, width));
            scene.line((across, low), (across, high), Stroke::new(colour, width));
            let room = DOT + 2.0;
            taken.add((across - room, up - room, across + room, up + room));
        }
        for &arm in &order {
            let radius = if ranking.stands_out(arm) {
                DOT
            } else {
                DOT - 1.5
            };
            scene.bead(place(&self.arms[arm]), radius, ranking.colour(arm));
        }
        let named = ranking.order.iter().filter(|&&arm| ranking.stands_out(arm));
        for own in named.map(|&arm| &self.arms[arm]) {
            write_name(&mut scene, place(own), own, panel, &mut taken);
        }
        let words = self.words(&ranking);
        Ok(scene.finish(words, bottom + BELOW))
    }
}

/// Writes the name of an arm and P(Pareto) beside its dot, where they cover no other name or dot if there is such a place.
fn write_name(scene: &mut Scene, (x, y): Point, arm: &ParetoArm, panel: Box, taken: &mut Taken) {
    let percent = arm.on_front.map(|p| format!(" {}", crate::percent(p)));
    let percent = percent.unwrap_or_default();
    let beside = text::width(&percent, SMALL);
    let most = (panel.2 - panel.0) * 0.45 - beside;
    let width = text::first_width(&arm.name, SMALL).min(most) + beside;
    let (away, high) = (DOT + 3.0, SMALL + 2.0);
    let at = |left: f64, top: f64| (left, top, left + width, top + high);
    let beside = [x + away, x - away - width, x - width / 2.0];
    // Above and below the dot, then further away.
    let rows = [-1.0, 0.0, -2.0, 1.0, 2.0, 3.0];
    let places = rows.map(|row| {
        let top = y + row * high + if row < 0.0 { -2.0 } else { 2.0 };
        beside.map(|left| at(left, top))
    });
    let (left, top, right, bottom) = taken.choose(places.as_flattened(), panel);
    let (across, up) = (x.clamp(left, right), y.clamp(top, bottom));
    if (x - across).hypot(y - up) > high {
        scene.line((x, y), (across, up), Stroke::new(RULE, 0.75));
    }
    let font = Font::new(SMALL, INK).anchored(Anchor::Start).halo();
    scene.name_with((left, top + high / 2.0), (&arm.name, &percent), most, font);
}
