//! P(best) of every arm and its share of the evaluations, over the evaluations.

use super::axis::{ABOVE, Axis, BELOW, NORMAL, Scale, Side, Spacing};
use super::error::{self, length, probability, some};
use super::palette::{self, ARMS, Colour, INK, MUTED, OTHERS, PAPER};
use super::picture::Words;
use super::scene::{Anchor, Font, Point, Scene, Stroke};
use super::thin::thinned;
use super::ticks::Quantity;
use super::{Figure, FigureError, Plot, count, labels, listed, text};
use crate::Percentages;

/// P(best) of every arm against the number of evaluations, stacked, and below it each arm's share
/// of those evaluations (FIESTA 2019, Figure 2).
///
/// At every point the belief's heights are the arms' P(best), which sum to 1; those of the lower
/// panel are the arms' evaluations so far, divided by their sum. Values stand over the evaluations
/// that led to them, from the point before. More than eight arms: the others are one grey layer.
///
/// # Example
/// ```
/// use fiesta_report::figure::{BeliefHistory, Plot, WIDE};
///
/// let figure = BeliefHistory::new(&["lstm", "tdlstm"])
///     .point(&[3, 3], &[0.2, 0.8])
///     .point(&[3, 4], &[0.1, 0.9])
///     .point(&[4, 4], &[0.05, 0.95])
///     .draw(WIDE)?;
/// assert!(figure.svg().contains("95.0 %"));
/// # Ok::<(), fiesta_report::figure::FigureError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefHistory {
    arms: Vec<String>,
    points: Vec<Moment>,
    highlight: Vec<String>,
}

/// Evaluations and P(best) of every arm at one moment.
type Moment = (Vec<u64>, Vec<f64>);

/// A layer thinner than this share is not named.
const THINNEST: f64 = 0.004;

/// Height of a line of labels, in pixels.
const LINE: f64 = 15.0;

impl BeliefHistory {
    /// Returns a history of these arms, without points yet.
    pub fn new(arms: &[&str]) -> Self {
        Self {
            arms: arms.iter().map(|arm| (*arm).to_owned()).collect(),
            points: Vec::new(),
            highlight: Vec::new(),
        }
    }

    /// Adds a point to the history: every arm's evaluations so far, and its P(best).
    pub fn point(mut self, evaluations: &[u64], probability_best: &[f64]) -> Self {
        self.points
            .push((evaluations.to_vec(), probability_best.to_vec()));
        self
    }

    highlight!(highlight);

    fn check(&self) -> Result<(), FigureError> {
        const FIGURE: &str = "belief over evaluations";
        some(FIGURE, "arm", &self.arms)?;
        some(FIGURE, "point", &self.points)?;
        let arms = self.arms.len();
        for (index, (evaluations, belief)) in self.points.iter().enumerate() {
            length("arms with evaluations in a point", evaluations.len(), arms)?;
            length("arms with P(best) in a point", belief.len(), arms)?;
            for (arm, p) in self.arms.iter().zip(belief) {
                probability("P(best)", arm, *p)?;
            }
            let sum: f64 = belief.iter().sum();
            if (sum - 1.0).abs() > 0.02 {
                let name = format!("point {index}");
                return Err(error::out_of_range(
                    "the sum of P(best)",
                    &name,
                    sum,
                    "[0.98, 1.02]",
                ));
            }
        }
        let totals: Vec<f64> = self.points.iter().map(total).collect();
        error::ascending(["evaluations"; 2], "all arms", &totals)
    }

    /// Returns the layers from the bottom: the best arm first, the crowd last.
    fn layers(&self) -> Vec<Layer> {
        let (_, last) = &self.points[self.points.len() - 1];
        let arms = self
            .arms
            .iter()
            .map(String::as_str)
            .zip(last.iter().copied());
        let slots = palette::slots(arms, &self.highlight);
        let (mut named, crowd): (Vec<usize>, Vec<usize>) =
            (0..slots.len()).partition(|&arm| slots[arm].is_some());
        named.sort_by(|&a, &b| last[b].total_cmp(&last[a]).then(a.cmp(&b)));
        let layer = |arm: usize| Layer {
            arms: vec![arm],
            colour: ARMS[slots[arm].unwrap_or(0)],
            name: self.arms[arm].clone(),
        };
        let mut layers: Vec<Layer> = named.into_iter().map(layer).collect();
        if !crowd.is_empty() {
            layers.push(Layer {
                name: format!("{} others", crowd.len()),
                arms: crowd,
                colour: OTHERS,
            });
        }
        layers
    }

    fn words(&self, layers: &[Layer], evaluations: f64, best: &str) -> Words {
        let n = text::number(evaluations, 1.0);
        let arms = count(self.arms.len(), "arm");
        let crowd = if layers.len() < self.arms.len() {
            " All but the named arms are one grey layer."
        } else {
            ""
        };
        Words {
            title: format!("Belief over {n} evaluations of {arms}"),
            caption: format!(
                "P(best) of {arms} over {n} evaluations, stacked, and each arm's share of the evaluations so far. \
                 Right: the values at the end.{crowd}"
            ),
            alt: format!(
                "Stacked areas. After {n} evaluations {} has P(best) {best}.",
                listed([layers[0].name.as_str()])
            ),
        }
    }
}

/// Returns the number of evaluations of all arms together at a moment.
fn total((evaluations, _): &Moment) -> f64 {
    evaluations.iter().map(|&n| n as f64).sum()
}

/// Layer of both stacks of the figure: one arm, or all arms without a colour of their own.
struct Layer {
    arms: Vec<usize>,
    colour: Colour,
    name: String,
}

impl Layer {
    /// Returns the sum of the parts of the layer's arms.
    fn of(&self, parts: &[f64]) -> f64 {
        self.arms.iter().map(|&arm| parts[arm]).sum()
    }
}

impl Plot for BeliefHistory {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let mut scene = Scene::new(width)?;
        self.check()?;
        let layers = self.layers();
        let totals: Vec<f64> = self.points.iter().map(total).collect();
        let belief = self.points.iter().map(|(_, belief)| {
            let sum: f64 = belief.iter().sum();
            belief.iter().map(|p| p / sum).collect()
        });
        let spent = self
            .points
            .iter()
            .zip(&totals)
            .map(|((evaluations, _), total)| {
                evaluations
                    .iter()
                    .map(|&n| n as f64 / total.max(1.0))
                    .collect()
            });
        let belief: Vec<Vec<f64>> = belief.collect();
        let spent: Vec<Vec<f64>> = spent.collect();

        let at_end = &self.points[self.points.len() - 1].1;
        let stacks = [
            (&belief, at_end, "P(best)"),
            (&spent, &spent[spent.len() - 1], "share of the evaluations"),
        ];
        let stacks =
            stacks.map(|(parts, at_end, title)| (parts, in_percent(at_end, &layers), title));
        let shares = stacks.iter().map(|stack| text::widest(&stack.1, NORMAL));
        let shares = shares.fold(text::width("100 %", NORMAL), f64::max) + 8.0;
        let names: Vec<&str> = layers.iter().map(|layer| layer.name.as_str()).collect();
        let names = text::widest(&names, NORMAL)
            .min(scene.width * 0.22)
            .max(30.0);
        let lines = layers.len() as f64 * LINE;
        let tall = (scene.width * 0.32).clamp(150.0, 230.0).max(lines);
        let (left, right) = (44.0, scene.width - names - shares - 20.0);
        let tops = [
            (ABOVE, tall),
            (ABOVE + tall + 40.0, (tall * 0.55).max(lines)),
        ];

        // The first value stands over the evaluation that made it possible.
        let first = (totals[0] - 1.0).max(0.0);
        let last = totals[totals.len() - 1].max(1.0);
        let ends = (left + 6.0, right);
        let x = Scale::new("evaluations", Spacing::Linear, (first, last), ends)?;
        for ((parts, percentages, title), (top, height)) in stacks.iter().zip(tops) {
            let y = Scale::new(title, Spacing::Linear, (0.0, 1.0), (top + height, top))?;
            scene.heading(top - 14.0, title);
            let stack = Stack {
                layers: &layers,
                parts,
                y,
            };
            stack.draw(&mut scene, &x, &totals);
            let ticks = if height > 140.0 { 4 } else { 2 };
            Axis::new(Quantity::Percent, y, ticks).draw(&mut scene, Side::Left, left);
            stack.name(&mut scene, percentages, right, (shares, names));
        }
        let bottom = tops[1].0 + tops[1].1 + 6.0;
        Axis::horizontal(Quantity::Count, x).draw(&mut scene, Side::Below, bottom);
        scene.caption("evaluations", (left, right), bottom);
        let words = self.words(&layers, last, &stacks[0].1[0]);
        Ok(scene.finish(words, bottom + BELOW))
    }
}

/// Returns the layers' shares of a whole in percent, given the arms' shares. A layer of all arms is
/// 100 %.
fn in_percent(arms: &[f64], layers: &[Layer]) -> Vec<String> {
    let percentages = Percentages::new(arms);
    let of = |layer: &Layer| {
        if layer.arms.len() == arms.len() {
            "100 %".to_owned()
        } else {
            percentages.together(&layer.arms)
        }
    };
    layers.iter().map(of).collect()
}

/// The parts of all arms at every point, as layers from the bottom.
struct Stack<'a> {
    layers: &'a [Layer],
    parts: &'a [Vec<f64>],
    y: Scale,
}

impl Stack<'_> {
    /// Draws the layers as areas, each of which hides the lower part of the one behind, with a line
    /// of the ground's colour between them; the whole stack first.
    fn draw(&self, scene: &mut Scene, x: &Scale, totals: &[f64]) {
        // More points than every other pixel has are not seen, but read.
        let count = self.parts.len();
        let every = fiesta_core::whole((count as f64 / (x.length() / 2.0).max(2.0)).ceil()).max(1);
        let dense = count as f64 > x.length() / 3.0;
        let shown: Vec<usize> = (0..count - 1).step_by(every).chain([count - 1]).collect();
        let edge = |layers: &[Layer]| -> Vec<Point> {
            let height = |point: usize| -> f64 {
                let parts = layers.iter().map(|layer| layer.of(&self.parts[point]));
                self.y.at(parts.sum::<f64>().clamp(0.0, 1.0))
            };
            let mut from = x.at((totals[0] - 1.0).max(0.0));
            let mut way = Vec::with_capacity(2 * shown.len());
            for (at, height) in shown
                .iter()
                .map(|&point| (x.at(totals[point]), height(point)))
            {
                // Stairs whose steps lead up to their points.
                if !dense {
                    way.push((from, height));
                }
                way.push((at, height));
                from = at;
            }
            thinned(&way, 0.3)
        };
        for (i, layer) in self.layers.iter().enumerate().rev() {
            let mut outline = edge(&self.layers[..=i]);
            let (from, to) = (outline[0].0, outline[outline.len() - 1].0);
            if i + 1 < self.layers.len() {
                scene.path(&outline, Stroke::new(PAPER, 1.6));
            }
            outline.extend([(to, self.y.at(0.0)), (from, self.y.at(0.0))]);
            scene.polygon(&outline, layer.colour, 1.0);
        }
    }

    /// Names layers where they end at the right, with their shares in `room`; not those too thin to
    /// be seen in the upper stack, whose names stand below.
    fn name(&self, scene: &mut Scene, percentages: &[String], right: f64, room: (f64, f64)) {
        let parts = &self.parts[self.parts.len() - 1];
        let mut from = 0.0;
        let mut seen = Vec::new();
        for (i, layer) in self.layers.iter().enumerate() {
            let share = layer.of(parts);
            from += share;
            if share >= THINNEST {
                seen.push((i, self.y.at(from - share / 2.0)));
            }
        }
        let wanted: Vec<f64> = seen.iter().map(|seen| seen.1).collect();
        let (top, bottom) = (self.y.at(1.0) - 4.0, self.y.at(0.0) + 4.0);
        let centres = labels::spread(&wanted, LINE, top, bottom);
        let numbers = right + 10.0 + room.0;
        for ((i, middle), at) in seen.into_iter().zip(centres) {
            let layer = &self.layers[i];
            let way = [
                (right + 2.0, middle),
                (right + 6.0, middle),
                (right + 14.0, at),
            ];
            scene.path(&way, Stroke::new(layer.colour, 1.5));
            let font = Font::new(NORMAL, if i == 0 { INK } else { MUTED });
            scene.centred((numbers, at), &percentages[i], font.anchored(Anchor::End));
            scene.name((numbers + 8.0, at), &layer.name, room.1, font);
        }
    }
}
