//! Belief over evaluations.

use super::axis::{ABOVE, Axis, BELOW, NORMAL};
use super::canvas::{Canvas, Font, Point, Stroke};
use super::palette::{self, ARMS, Colour, INK, MUTED, OTHERS, PAPER};
use super::picture::Words;
use super::scale::Scale;
use super::thin::thinned;
use super::ticks::Quantity;
use super::{Figure, FigureError, Plot, Spacing, check, count, labels, listed, text, usable};
use crate::percent;

/// P(best) of every arm against the number of evaluations, stacked, and below it each arm's share of those evaluations (FIESTA
/// 2019, Figure 2).
///
/// At every point the belief's heights are the arms' P(best), which sum to 1; those of the lower panel are the arms' evaluations so far,
/// divided by their sum. Values hold until the next point. More than eight arms: the others are one grey layer.
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
    points: Vec<(Vec<u64>, Vec<f64>)>,
    highlight: Vec<String>,
}

/// Layers of a stack at one place, from the bottom.
type Layers = Vec<f64>;

impl BeliefHistory {
    /// Of these arms, without points yet.
    pub fn new(arms: &[&str]) -> Self {
        Self {
            arms: arms.iter().map(|arm| (*arm).to_owned()).collect(),
            points: Vec::new(),
            highlight: Vec::new(),
        }
    }

    /// Adds a point: every arm's evaluations so far, and its P(best).
    pub fn point(mut self, evaluations: &[u64], probability_best: &[f64]) -> Self {
        self.points
            .push((evaluations.to_vec(), probability_best.to_vec()));
        self
    }

    /// Which arms have a colour where there are more than eight.
    pub fn highlight(mut self, names: &[&str]) -> Self {
        self.highlight = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    fn check(&self) -> Result<(), FigureError> {
        check::some("belief over evaluations", "arm", &self.arms)?;
        check::some("belief over evaluations", "point", &self.points)?;
        let mut before = 0;
        for (index, (evaluations, belief)) in self.points.iter().enumerate() {
            for (what, found) in [
                ("arms with evaluations in a point", evaluations.len()),
                ("arms with P(best) in a point", belief.len()),
            ] {
                if found != self.arms.len() {
                    return Err(FigureError::Length {
                        what,
                        found,
                        expected: self.arms.len(),
                    });
                }
            }
            for (arm, p) in self.arms.iter().zip(belief) {
                check::probability("P(best)", arm, *p)?;
            }
            let sum: f64 = belief.iter().sum();
            if (sum - 1.0).abs() > 0.02 {
                return Err(FigureError::OutOfRange {
                    what: "the sum of P(best)",
                    name: format!("point {index}"),
                    value: sum,
                    range: "[0.98, 1.02]",
                });
            }
            let total = total(evaluations);
            if total < before {
                return Err(FigureError::Order {
                    what: "evaluations",
                    name: "all arms".to_owned(),
                    index,
                });
            }
            before = total;
        }
        Ok(())
    }
}

fn total(evaluations: &[u64]) -> u64 {
    evaluations.iter().fold(0, |sum, n| sum.saturating_add(*n))
}

/// A layer of both stacks.
struct Layer {
    arms: Vec<usize>,
    colour: Colour,
    name: String,
}

impl BeliefHistory {
    /// The layers from the bottom: the best arm first, the crowd last.
    fn layers(&self) -> Vec<Layer> {
        let names: Vec<&str> = self.arms.iter().map(String::as_str).collect();
        let last = &self.points[self.points.len() - 1];
        let slots = palette::slots(&names, &last.1, &self.highlight);
        let mut named: Vec<usize> = (0..names.len())
            .filter(|&arm| slots[arm].is_some())
            .collect();
        named.sort_by(|&a, &b| last.1[b].total_cmp(&last.1[a]).then(a.cmp(&b)));
        let mut layers: Vec<Layer> = named
            .into_iter()
            .map(|arm| Layer {
                arms: vec![arm],
                colour: ARMS[slots[arm].unwrap_or(0)],
                name: names[arm].to_owned(),
            })
            .collect();
        let crowd: Vec<usize> = (0..names.len())
            .filter(|&arm| slots[arm].is_none())
            .collect();
        if !crowd.is_empty() {
            layers.push(Layer {
                name: format!("{} others", crowd.len()),
                arms: crowd,
                colour: OTHERS,
            });
        }
        layers
    }
}

impl Plot for BeliefHistory {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let width = usable(width)?;
        self.check()?;
        let layers = self.layers();
        let xs: Vec<f64> = self
            .points
            .iter()
            .map(|point| total(&point.0) as f64)
            .collect();
        let share = |layer: &Layer, point: &(Vec<u64>, Vec<f64>)| -> (f64, f64) {
            let sum = total(&point.0).max(1) as f64;
            let belief: f64 = point.1.iter().sum();
            let of = |arm: &usize| (point.1[*arm] / belief, point.0[*arm] as f64 / sum);
            layer
                .arms
                .iter()
                .map(of)
                .fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1))
        };
        let shares: Vec<Vec<(f64, f64)>> = self
            .points
            .iter()
            .map(|point| layers.iter().map(|layer| share(layer, point)).collect())
            .collect();
        let belief: Vec<Layers> = shares
            .iter()
            .map(|row| row.iter().map(|s| s.0).collect())
            .collect();
        let spent: Vec<Layers> = shares
            .iter()
            .map(|row| row.iter().map(|s| s.1).collect())
            .collect();

        let widest = layers
            .iter()
            .map(|layer| {
                text::width(
                    &text::clean(&layer.name.chars().take(200).collect::<String>()),
                    NORMAL,
                )
            })
            .fold(0.0, f64::max);
        let value = text::width("100.0 %", NORMAL) + 8.0;
        let room = widest.min(width * 0.3 - value).max(30.0);
        let (left, right) = (44.0, width - room - value - 22.0);
        let tall = (width * 0.32)
            .clamp(150.0, 230.0)
            .max(layers.len() as f64 * 15.0);
        let low = (tall * 0.55).max(layers.len() as f64 * 15.0);
        let tops = [ABOVE, ABOVE + tall + 40.0];
        let bottom = tops[1] + low;
        let x_data = (xs[0], xs[xs.len() - 1]);
        let x = Scale::new("evaluations", Spacing::Linear, x_data, (left + 6.0, right))?;
        let mut canvas = Canvas::default();
        for (stack, top, height, title) in [
            (&belief, tops[0], tall, "P(best)"),
            (&spent, tops[1], low, "share of the evaluations"),
        ] {
            let y = Scale::new(title, Spacing::Linear, (0.0, 1.0), (top + height, top))?;
            let axis = Axis::new(
                Quantity::Percent,
                y,
                (0.0, 1.0),
                if height > 140.0 { 4 } else { 2 },
            );
            canvas.text((0.0, top - 14.0), title, Font::new(NORMAL, MUTED));
            draw_stack(&mut canvas, &layers, stack, &xs, (&x, &y));
            axis.draw_left(&mut canvas, left, left);
            let last = &stack[stack.len() - 1];
            let mut from = 0.0;
            let wanted: Vec<f64> = last
                .iter()
                .map(|share| {
                    from += share;
                    y.at(from - share / 2.0)
                })
                .collect();
            let sizes = vec![15.0; wanted.len()];
            let centres = labels::spread(&wanted, &sizes, top - 4.0, top + height + 4.0);
            for (i, (layer, &at)) in layers.iter().zip(&centres).enumerate() {
                let leader = [
                    (right + 2.0, wanted[i]),
                    (right + 8.0, wanted[i]),
                    (right + 14.0, at),
                ];
                canvas.path(&leader, Stroke::new(layer.colour, 1.5));
                let ink = if i == 0 { INK } else { MUTED };
                let font = Font::new(NORMAL, ink);
                canvas.centred((right + 18.0, at), &percent(last[i]), font);
                canvas.name((right + 18.0 + value, at), &layer.name, room, font);
            }
        }
        let axis = Axis::horizontal(Quantity::Count, x, x_data);
        axis.draw_below(&mut canvas, bottom + 6.0, "evaluations", (left, right));
        let n = text::number(x_data.1, 1.0);
        let arms = count(self.arms.len(), "arm");
        let crowd = layers.len() < self.arms.len();
        let words = Words {
            title: format!("Belief over {n} evaluations of {arms}"),
            caption: format!(
                "P(best) of {arms} over {n} evaluations, stacked, and each arm's share of the evaluations so far. Right: the values at the end.{}",
                if crowd {
                    " All but the named arms are one grey layer."
                } else {
                    ""
                }
            ),
            alt: format!(
                "Stacked areas. After {n} evaluations {} has P(best) {}.",
                listed([layers[0].name.as_str()]),
                percent(belief[belief.len() - 1][0])
            ),
        };
        Ok(Figure::new(words, (width, bottom + 6.0 + BELOW), canvas))
    }
}

/// Areas on top of each other, with a line of the ground's colour between them.
fn draw_stack(
    canvas: &mut Canvas,
    layers: &[Layer],
    stack: &[Layers],
    xs: &[f64],
    (x, y): (&Scale, &Scale),
) {
    let edge = |count: usize| -> Vec<Point> {
        let mut points: Vec<Point> = Vec::with_capacity(xs.len() * 2);
        for (at, shares) in xs.iter().zip(stack) {
            let height: f64 = shares[..count].iter().sum();
            let place = (x.at(*at), y.at(height.clamp(0.0, 1.0)));
            if let Some(last) = points.last().copied() {
                points.push((place.0, last.1));
            }
            points.push(place);
        }
        if points.len() == 1 {
            // One point is the whole of the history: a bar.
            let (at, height) = points[0];
            points = vec![(at - 20.0, height), (at + 20.0, height)];
        }
        thinned(&points, 0.3)
    };
    let mut below = edge(0);
    for (i, layer) in layers.iter().enumerate() {
        let above = edge(i + 1);
        let mut outline = above.clone();
        outline.extend(below.iter().rev());
        canvas.polygon(&outline, layer.colour, 0.88);
        if i > 0 {
            canvas.path(&below, Stroke::new(PAPER, 0.8));
        }
        below = above;
    }
}
