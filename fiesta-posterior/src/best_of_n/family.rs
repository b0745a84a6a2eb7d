//! Families of distributions of one arm's scores, by draws.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, Exp1, Gamma};
use std::iter;

/// Share of the scores above them up to which neighbouring scores are taken together as one knot.
const TOGETHER: f64 = 0.02;
/// Bound below which a power of a level counts as 0 beside 1.
const NOTHING: f64 = 1e-18;

/// The scores of an arm, as its posterior needs them: knots, of which the first is the lowest
/// score, the last the best.
#[derive(Debug, Clone)]
pub(super) struct Family {
    best: f64,
    /// Distribution of the mass between each knot and the one before. The first mass is all that
    /// lies up to the lowest score.
    masses: Vec<Mass>,
    /// Distances of neighbouring knots.
    gaps: Vec<f64>,
    /// Value of F between two knots, from 0 at the lower one to 1: ½, or the mean over the scores
    /// that lie between.
    middles: Vec<f64>,
    /// The distribution of the mass above the best score.
    above: Mass,
    /// Tail beyond the best score. `None` if nothing can lie there.
    beyond: Option<Beyond>,
}

/// Gamma distribution of one interval's mass, before all masses are divided by their sum.
#[derive(Debug, Clone, Copy)]
enum Mass {
    /// The mass of one score: exponentially distributed.
    One,
    /// The mass of several scores, or of a part of one: gamma distributed.
    Other(Gamma<f64>),
}

impl Mass {
    /// Returns the distribution of the mass of `scores` scores, whole or not.
    #[allow(clippy::float_cmp, reason = "exactly one score")]
    fn of(scores: f64) -> Self {
        if scores == 1.0 {
            Self::One
        } else {
            Self::Other(gamma(scores))
        }
    }

    fn draw(&self, rng: &mut impl Rng) -> f64 {
        match self {
            Self::One => rng.sample(Exp1),
            Self::Other(gamma) => gamma.sample(rng),
        }
    }
}

/// An exponential tail beyond the best score.
#[derive(Debug, Clone, Copy)]
struct Beyond {
    /// Weighted sum of the k spacings nearest to the best score, S = Σ j (x_(B−j+1) − x_(B−j)); the
    /// tail's scale is S/Gamma(k w).
    spacings: f64,
    gamma: Gamma<f64>,
    /// Distance from the best score to the best possible score.
    room: f64,
}

/// Returns the mean of F between two scores, weighed by how far neighbours are apart: with it, E_1
/// is the same as with a knot at every score.
fn middle(scores: &[f64], from: usize, to: usize) -> f64 {
    let gap = scores[to] - scores[from];
    if to - from == 1 || gap <= 0.0 {
        return 0.5;
    }
    let weighed = scores[from..=to].windows(2).enumerate();
    let weighed = weighed.map(|(place, pair)| (place as f64 + 0.5) * (pair[1] - pair[0]));
    weighed.sum::<f64>() / gap / (to - from) as f64
}

/// One draw of an arm's distribution.
#[derive(Debug, Clone, Default)]
pub(super) struct Draw {
    /// Values of F between neighbouring knots.
    levels: Vec<f64>,
    /// Contribution of the tail to E_n, for n = 1, 2, …; empty if there is no tail.
    beyond: Vec<f64>,
    powers: Vec<f64>,
}

/// Returns how many spacings tell of the tail's scale: ⌈√B⌉, at least 3.
fn nearest(count: usize) -> usize {
    fiesta_core::whole((count as f64).sqrt().ceil())
        .max(3)
        .min(count - 1)
}

fn gamma(shape: f64) -> Gamma<f64> {
    Gamma::new(shape, 1.0).expect("a shape above 0")
}

/// Places the knots among `count` ascending scores, from 0 to `count` − 1.
fn knots(count: usize) -> Vec<usize> {
    let mut knots = vec![0];
    let mut last = 0;
    while last + 1 < count {
        let step = fiesta_core::whole((count - 1 - last) as f64 * TOGETHER);
        last += step.max(1);
        knots.push(last);
    }
    knots
}

impl Family {
    /// Creates the family of ascending scores: at least two, oriented so that larger is better.
    /// Each counts as `weight` of a score; `highest` is the best that is possible, ∞ without bound.
    pub(super) fn new(scores: &[f64], highest: f64, weight: f64) -> Self {
        let count = scores.len();
        let best = scores[count - 1];
        let knots = knots(count);
        let steps = knots.windows(2).map(|pair| pair[1] - pair[0]);
        let masses = iter::once(1).chain(steps);
        let masses = masses.map(|step| Mass::of(step as f64 * weight));
        let nearest = nearest(count);
        let spacing = |j: usize| j as f64 * (scores[count - j] - scores[count - j - 1]);
        let spacings: f64 = (1..=nearest).map(spacing).sum();
        let room = highest - best;
        Self {
            best,
            masses: masses.collect(),
            gaps: knots
                .windows(2)
                .map(|pair| scores[pair[1]] - scores[pair[0]])
                .collect(),
            middles: knots
                .windows(2)
                .map(|pair| middle(scores, pair[0], pair[1]))
                .collect(),
            above: Mass::of(weight),
            beyond: (spacings > 0.0 && room > 0.0).then(|| Beyond {
                spacings,
                gamma: gamma(nearest as f64 * weight),
                room,
            }),
        }
    }

    /// Draws a distribution of the scores; `inverse` holds 1/n for each n of interest.
    pub(super) fn draw(&self, rng: &mut impl Rng, inverse: &[f64], draw: &mut Draw) {
        draw.levels.clear();
        let mut masses = self.masses.iter().map(|mass| mass.draw(rng));
        let mut below: f64 = masses.next().unwrap_or(0.0);
        for (mass, middle) in masses.zip(&self.middles) {
            draw.levels.push(below + middle * mass);
            below += mass;
        }
        let above = self.above.draw(rng);
        let total = below + above;
        for level in &mut draw.levels {
            *level /= total;
        }
        draw.beyond.clear();
        if let Some(tail) = &self.beyond {
            tail.draw(above / total, rng, inverse, &mut draw.beyond);
        }
    }

    /// Returns E_n, the expected best of n, of a draw.
    pub(super) fn expected(&self, draw: &Draw, n: usize) -> f64 {
        let missing = self.gaps.iter().zip(&draw.levels).rev();
        let missing = missing.map(|(gap, level)| (gap, level.powf(n as f64)));
        let missing: f64 = missing
            .take_while(|&(_, power)| power > NOTHING)
            .map(|(gap, power)| gap * power)
            .sum();
        self.best - missing + draw.beyond(n)
    }

    /// Returns E_n of a draw for every n of a [`grid`](super::grid): 1, then 2 and 3, then 4 and 6,
    /// each pair the double of that before.
    ///
    /// A level's power u^2m is the square of u^m, and u^3m the product of both: two multiplications
    /// for two n.
    pub(super) fn on_grid(&self, draw: &mut Draw, grid: &[usize], expected: &mut [f64]) {
        expected[0] = self.expected(draw, 1);
        draw.powers.clone_from(&draw.levels);
        let mut from = 0;
        for (pair, expected) in grid[1..].chunks(2).zip(expected[1..].chunks_mut(2)) {
            let (mut doubled, mut tripled) = (0.0, 0.0);
            let powers = &mut draw.powers[from..];
            for (power, gap) in powers.iter_mut().zip(&self.gaps[from..]) {
                let once = *power;
                let twice = once * once;
                doubled += gap * twice;
                tripled += gap * (once * twice);
                *power = twice;
            }
            from += powers.partition_point(|&power| power < NOTHING);
            for ((&n, missing), expected) in pair.iter().zip([doubled, tripled]).zip(expected) {
                *expected = self.best - missing + draw.beyond(n);
            }
        }
    }
}

impl Draw {
    fn beyond(&self, n: usize) -> f64 {
        self.beyond.get(n - 1).copied().unwrap_or(0.0)
    }
}

impl Beyond {
    /// Draws the tail's part of each E_n. With mass w beyond the best score and an exponential tail
    /// of scale σ, ∫ (1 − Fⁿ) beyond it is σ Σ_{j ≤ n} (1 − (1 − w)ʲ)/j; what would lie beyond the
    /// bound is taken to lie at the bound, which is the same sum with the mass w e^(−room/σ).
    fn draw(&self, mass: f64, rng: &mut impl Rng, inverse: &[f64], beyond: &mut Vec<f64>) {
        let scale = self.spacings / self.gamma.sample(rng);
        let inside = 1.0 - mass;
        let within_bound = 1.0 - mass * (-self.room / scale).exp();
        let (mut power, mut power_of_bound, mut sum) = (1.0, 1.0, 0.0);
        beyond.extend(inverse.iter().map(|inverse| {
            power *= inside;
            power_of_bound *= within_bound;
            sum += scale * inverse * (power_of_bound - power);
            sum
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta_core::Streams;

    fn inverse(largest: usize) -> Vec<f64> {
        (1..=largest).map(|n| 1.0 / n as f64).collect()
    }

    #[test]
    fn the_grid_is_what_each_n_by_itself_is() {
        let scores: Vec<f64> = (0..40).map(|i| f64::from(i * i)).collect();
        let grid = super::super::grid(500);
        for highest in [f64::INFINITY, 1600.0, 1521.0] {
            let family = Family::new(&scores, highest, 1.0);
            let mut draw = Draw::default();
            let mut rng = Streams::new(1).draws(0);
            for _ in 0..20 {
                family.draw(&mut rng, &inverse(768), &mut draw);
                let mut expected = vec![0.0; grid.len()];
                family.on_grid(&mut draw, &grid, &mut expected);
                for (&n, &on_grid) in grid.iter().zip(&expected) {
                    let alone = family.expected(&draw, n);
                    assert!(
                        (on_grid - alone).abs() < 1e-9 * 1600.0,
                        "{n}: {on_grid} {alone}"
                    );
                    assert!(alone <= highest);
                }
            }
        }
    }

    /// Tests a drawn tail against its integral ∫ (1 − Fⁿ), by Simpson's rule.
    #[test]
    fn the_tail_is_its_integral() {
        let tail = |room| Beyond {
            spacings: 3.0,
            gamma: gamma(4.0),
            room,
        };
        for room in [0.7, f64::INFINITY] {
            let mut beyond = Vec::new();
            let stream = || Streams::new(2).draws(0);
            tail(room).draw(0.1, &mut stream(), &inverse(30), &mut beyond);
            let scale = 3.0 / gamma(4.0).sample(&mut stream());
            let end = f64::min(room, 60.0 * scale);
            for n in [1, 2, 7, 30] {
                let f = |x: f64| 1.0 - (1.0 - 0.1 * (-x / scale).exp()).powi(n);
                let steps = 20_000;
                let width = end / f64::from(steps);
                let weight = |i| match i {
                    0 => 1.0,
                    i if i == steps => 1.0,
                    i => 2.0 + 2.0 * f64::from(i % 2),
                };
                let sum: f64 = (0..=steps)
                    .map(|i| weight(i) * f(f64::from(i) * width))
                    .sum();
                let integral = sum * width / 3.0;
                let found = beyond[usize::try_from(n).unwrap() - 1];
                assert!((found - integral).abs() < 1e-9, "{n}: {found} {integral}");
            }
        }
    }

    /// Tests that the mean of E_n over draws is the same with one knot for each score and with far
    /// fewer knots than scores.
    #[test]
    fn knots_are_few_and_as_good_as_all_scores() {
        assert_eq!(knots(50), (0..50).collect::<Vec<_>>());
        assert!(knots(1_000_000).len() < 700);
        assert_eq!(knots(1_000_000).last(), Some(&999_999));
        let scores: Vec<f64> = (0..3000).map(|i| (f64::from(i) / 3000.0).sqrt()).collect();
        let family = Family::new(&scores, 1.0, 1.0);
        let mut draw = Draw::default();
        let mut rng = Streams::new(3).draws(0);
        for n in [1, 3, 30, 300] {
            let draws = 2000;
            let mean: f64 = (0..draws)
                .map(|_| {
                    family.draw(&mut rng, &inverse(n), &mut draw);
                    family.expected(&draw, n)
                })
                .sum::<f64>()
                / f64::from(draws);
            // Of x = √u: E_n = 2n/(2n + 1).
            let exact = 2.0 * n as f64 / (2.0 * n as f64 + 1.0);
            assert!(
                (mean - exact).abs() < 0.003 * (1.0 - exact) + 5e-4,
                "{n}: {mean} {exact}"
            );
        }
    }
}
