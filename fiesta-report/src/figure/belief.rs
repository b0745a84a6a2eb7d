//! Belief over evaluations.

use super::axis::{ABOVE, Axis, BELOW, NORMAL, caption};
use super::canvas::{Anchor, Canvas, Font, Point, Stroke};
use super::palette::{self, ARMS, Colour, INK, MUTED, OTHERS, PAPER};
use super::picture::Words;
use super::scale::Scale;
use super::thin::thinned;
use super::ticks::Quantity;
use super::{Figure, FigureError, Plot, Spacing, check, count, labels, listed, text, usable};
use crate::Percentages;

/// P(best) of every arm against the number of evaluations, stacked, and below it each arm's share of those evaluations (FIESTA
/// 2019, Figure 2).
///
/// At every point the belief's heights are the arms' P(best), which sum to 1; those of the lower panel are the arms' evaluations so far,
/// divided by their sum. Values stand over the evaluations that led to them, from the point before. More than eight arms: the others are one grey layer.
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

/// Every arm's evaluations and P(best).
type Moment = (Vec<u64>, Vec<f64>);

/// A layer thinner than this share is not named.
const THINNEST: f64 = 0.004;

/// The height of a line of labels.
const LINE: f64 = 15.0;

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

/// Where both stacks stand.
struct Layout {
    left: f64,
    right: f64,
    /// Top and height of each stack.
    stacks: [(f64, f64); 2],
    /// The room for shares and for names.
    shares: f64,
    names: f64,
}

impl Layout {
    fn new(layers: &[Layer], width: f64) -> Self {
        let shares = text::width("100 %", NORMAL) + 8.0;
        let widest = layers
            .iter()
            .map(|layer| text::first_width(&layer.name, NORMAL));
        let names = widest.fold(0.0, f64::max).min(width * 0.22).max(30.0);
        let lines = layers.len() as f64 * LINE;
        let tall = (width * 0.32).clamp(150.0, 230.0).max(lines);
        let low = (tall * 0.55).max(lines);
        Self {
            left: 44.0,
            right: width - names - shares - 20.0,
            stacks: [(ABOVE, tall), (ABOVE + tall + 40.0, low)],
            shares,
            names,
        }
    }

    fn bottom(&self) -> f64 {
        self.stacks[1].0 + self.stacks[1].1
    }
}

impl Plot for BeliefHistory {
    fn draw(&self, width: u32) -> Result<Figure, FigureError> {
        let width = usable(width)?;
        self.check()?;
        let layers = self.layers();
        let stack = |of: fn(&Moment, usize) -> f64| -> Vec<Layers> {
            let share = |point, layer: &Layer| layer.arms.iter().map(|&arm| of(point, arm)).sum();
            self.points
                .iter()
                .map(|point| layers.iter().map(|layer| share(point, layer)).collect())
                .collect()
        };
        let belief = stack(|(_, belief), arm| belief[arm] / belief.iter().sum::<f64>());
        let spent = stack(|(evaluations, _), arm| {
            evaluations[arm] as f64 / total(evaluations).max(1) as f64
        });
        let (spent_at_end, belief_at_end) = &self.points[self.points.len() - 1];
        let of_all = total(spent_at_end).max(1) as f64;
        let spent_at_end: Vec<f64> = spent_at_end.iter().map(|&n| n as f64 / of_all).collect();
        let layout = Layout::new(&layers, width);
        let (left, right) = (layout.left, layout.right);
        let xs: Vec<f64> = self
            .points
            .iter()
            .map(|point| total(&point.0) as f64)
            .collect();
        // The first value stands over the evaluation that made it possible.
        let x_data = ((xs[0] - 1.0).max(0.0), xs[xs.len() - 1].max(1.0));
        let x = Scale::new("evaluations", Spacing::Linear, x_data, (left + 6.0, right))?;
        let mut canvas = Canvas::default();
        let panels = [
            (&belief, belief_at_end, "P(best)"),
            (&spent, &spent_at_end, "share of the evaluations"),
        ];
        for ((stack, at_end, title), (top, height)) in panels.into_iter().zip(layout.stacks) {
            let y = Scale::new(title, Spacing::Linear, (0.0, 1.0), (top + height, top))?;
            let ticks = if height > 140.0 { 4 } else { 2 };
            let axis = Axis::new(Quantity::Percent, y, (0.0, 1.0), ticks);
            canvas.text((0.0, top - 14.0), title, Font::new(NORMAL, MUTED));
            draw_stack(&mut canvas, &layers, stack, &xs, (&x, &y));
            axis.draw_left(&mut canvas, left, left);
            let numbers = shares_of(at_end, &layers);
            let heights = &stack[stack.len() - 1];
            name_layers(&mut canvas, &layers, (heights, &numbers), &y, &layout);
        }
        let bottom = layout.bottom() + 6.0;
        Axis::horizontal(Quantity::Count, x, x_data).draw_below(&mut canvas, bottom);
        caption(&mut canvas, "evaluations", (left, right), bottom, width);
        let end = shares_of(belief_at_end, &layers).swap_remove(0);
        let words = self.words(&layers, x_data.1, &end);
        Ok(Figure::new(words, (width, bottom + BELOW), canvas))
    }
}

impl BeliefHistory {
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

/// The layers' shares of a whole in percent, given those of the arms. That of all arms together is all there is.
fn shares_of(arms: &[f64], layers: &[Layer]) -> Vec<String> {
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

/// Areas that hide the lower part of the one behind, with a line of the ground's colour between them; the whole stack first.
fn draw_stack(
    canvas: &mut Canvas,
    layers: &[Layer],
    stack: &[Layers],
    xs: &[f64],
    (x, y): (&Scale, &Scale),
) {
    // More points than every other pixel has are not seen, but read.
    let most = (x.length() / 2.0).max(2.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few"
    )]
    let every = ((stack.len() as f64 / most).ceil() as usize).max(1);
    let dense = stack.len() as f64 > x.length() / 3.0;
    let last = stack.len() - 1;
    let shown: Vec<usize> = (0..last).step_by(every).chain([last]).collect();
    let edge = |count: usize| -> Vec<Point> {
        let places: Vec<Point> = shown
            .iter()
            .map(|&i| {
                let height: f64 = stack[i][..count].iter().sum();
                (x.at(xs[i]), y.at(height.clamp(0.0, 1.0)))
            })
            .collect();
        if dense {
            thinned(&places, 0.3)
        } else {
            thinned(&risers(x.at((xs[0] - 1.0).max(0.0)), &places), 0.3)
        }
    };
    for (i, layer) in layers.iter().enumerate().rev() {
        let mut outline = edge(i + 1);
        let (from, to) = (outline[0].0, outline[outline.len() - 1].0);
        if i + 1 < layers.len() {
            canvas.path(&outline, Stroke::new(PAPER, 1.6));
        }
        outline.extend([(to, y.at(0.0)), (from, y.at(0.0))]);
        canvas.polygon(&outline, layer.colour, 1.0);
    }
}

/// Stairs whose steps lead up to their points, the first from `start`.
fn risers(start: f64, places: &[Point]) -> Vec<Point> {
    let mut from = start;
    let mut stairs = Vec::with_capacity(2 * places.len());
    for &(at, height) in places {
        stairs.extend([(from, height), (at, height)]);
        from = at;
    }
    stairs
}

/// Names layers where they end, with their shares; not those too thin to be seen in the upper stack, whose names stand below.
fn name_layers(
    canvas: &mut Canvas,
    layers: &[Layer],
    (shares, in_percent): (&[f64], &[String]),
    y: &Scale,
    layout: &Layout,
) {
    let mut from = 0.0;
    let middles: Vec<f64> = shares
        .iter()
        .map(|share| {
            from += share;
            y.at(from - share / 2.0)
        })
        .collect();
    let seen: Vec<usize> = (0..layers.len())
        .filter(|&i| shares[i] >= THINNEST)
        .collect();
    let wanted: Vec<f64> = seen.iter().map(|&i| middles[i]).collect();
    let sizes = vec![LINE; wanted.len()];
    let centres = labels::spread(&wanted, &sizes, y.at(1.0) - 4.0, y.at(0.0) + 4.0);
    let numbers = layout.right + 10.0 + layout.shares;
    for (&i, at) in seen.iter().zip(centres) {
        let way = [(2.0, middles[i]), (6.0, middles[i]), (14.0, at)];
        let way = way.map(|(x, y)| (layout.right + x, y));
        canvas.path(&way, Stroke::new(layers[i].colour, 1.5));
        let font = Font::new(NORMAL, if i == 0 { INK } else { MUTED });
        let number = font.anchored(Anchor::End);
        canvas.centred((numbers, at), &in_percent[i], number);
        canvas.name((numbers + 8.0, at), &layers[i].name, layout.names, font);
    }
}
