//! Σ w_i(n) g_i and Σ w_i(n) g_i h_i, where the weights w_i(n) fall with n, and the faster the
//! smaller i is: for one n, and for all n up to some N in about 37·N·ln N operations where every n
//! by itself would take N² in all.
//!
//! The weights go from n to n + 1 by a multiplication, eight terms at a time for [`BLOCK`] values
//! of n, so that the terms are read once in a block. Rounding adds up over these steps; at every
//! [`REFRESH`]th n the weights are computed anew.

use std::ops::Range;

/// Number of terms that are computed side by side, in one vector.
const LANES: usize = 8;
/// Number of partial sums; fewer than lanes, as each has to be loaded and stored.
const PARTS: usize = 4;
/// Number of values of n between looking which terms still matter.
const BLOCK: usize = 32;
/// Number of values of n between computing the weights anew.
const REFRESH: usize = 128;
/// Groups of lanes summed apart, so that a sum of millions does not add up rounding.
const TILE: usize = 256;
/// Terms at the lower end that are less than this share of both sums do not matter for this n and
/// all that follow.
const NEGLIGIBLE: f64 = 1e-18;

/// The weights w_i(n) of terms i = 0, 1, …; w_i(n)/w_j(n) with i < j must not grow with n.
pub(crate) trait Weights {
    /// Returns the parameter of each term, on which the ratio w(n + 1)/w(n) of its weights depends.
    fn parameters(&self) -> &[f64];

    /// Returns `minus` and `times` of the ratio w(n + 1)/w(n) = (parameter − `minus`)·`times`.
    fn step(&self, n: u64) -> (f64, f64);

    /// Whether the ratio w(n + 1)/w(n) is simply the parameter.
    const CONSTANT: bool;

    /// Computes w_i(n) to machine precision for all i of the window, which ends at the last term.
    fn at(&self, n: u64, window: Range<usize>, weights: &mut [f64]);
}

/// Returns the sums Σ w_i g_i and Σ w_i g_i h_i for one n.
pub(crate) fn one(weights: &impl Weights, gaps: &[f64], heights: &[f64], n: u64) -> (f64, f64) {
    let (mut first, mut second) = (0.0, 0.0);
    let mut buffer = [0.0; BLOCK * LANES];
    // From the last term, which has the largest weight, until the rest cannot matter.
    let mut end = gaps.len();
    let total: f64 = gaps.iter().sum();
    while end > 0 {
        let start = end.saturating_sub(buffer.len());
        let values = &mut buffer[..end - start];
        weights.at(n, start..end, values);
        let (mut a, mut b) = (0.0, 0.0);
        for ((w, g), h) in values
            .iter()
            .zip(&gaps[start..end])
            .zip(&heights[start..end])
        {
            a += w * g;
            b += w * g * h;
        }
        first += a;
        second += b;
        let rest = values[0] * total;
        if rest <= NEGLIGIBLE * first && rest * heights[0] <= NEGLIGIBLE * second {
            break;
        }
        end = start;
    }
    (first, second)
}

/// Computes the sums Σ w_i g_i and Σ w_i g_i h_i for n = 1, …, `up_to`, and gives them to `each` in that order.
pub(crate) fn all(
    weights: &impl Weights,
    gaps: &[f64],
    heights: &[f64],
    up_to: usize,
    mut each: impl FnMut(f64, f64),
) {
    let mut terms = Terms::new(weights.parameters(), gaps, heights);
    let mut scratch = Vec::new();
    let mut sums = Sums::default();
    let mut done = 0;
    while done < up_to {
        let n = done as u64 + 1;
        if done % REFRESH == 0 {
            terms.refresh(weights, gaps, n, &mut scratch);
        }
        terms.leave_out();
        if terms.start == terms.values.len() {
            break;
        }
        let steps = BLOCK.min(up_to - done);
        terms.advance(weights, n, steps, &mut sums);
        for (first, second) in sums.first.iter().zip(&sums.second).take(steps) {
            each(first.iter().sum(), second.iter().sum());
        }
        done += steps;
    }
    (done..up_to).for_each(|_| each(0.0, 0.0));
}

type Lane = [f64; LANES];
type Part = [f64; PARTS];

/// The partial sums of a block of values of n.
#[derive(Default)]
struct Sums {
    first: [Part; BLOCK],
    second: [Part; BLOCK],
}

/// The terms in groups of lanes; the last group is filled up with zeros.
struct Terms {
    count: usize,
    /// The products w_i g_i.
    values: Vec<Lane>,
    parameters: Vec<Lane>,
    heights: Vec<Lane>,
    /// Number of the first group that still matters.
    start: usize,
}

impl Terms {
    fn new(parameters: &[f64], gaps: &[f64], heights: &[f64]) -> Self {
        let values = vec![[0.0; LANES]; gaps.len().div_ceil(LANES)];
        Self {
            count: gaps.len(),
            values,
            parameters: groups(parameters),
            heights: groups(heights),
            start: 0,
        }
    }

    fn refresh(&mut self, weights: &impl Weights, gaps: &[f64], n: u64, scratch: &mut Vec<f64>) {
        let window = (self.start * LANES).min(self.count)..self.count;
        scratch.resize(window.len(), 0.0);
        weights.at(n, window.clone(), scratch);
        for (w, g) in scratch.iter_mut().zip(&gaps[window]) {
            *w *= g;
        }
        for (group, values) in self.values[self.start..]
            .iter_mut()
            .zip(scratch.chunks(LANES))
        {
            group[..values.len()].copy_from_slice(values);
        }
    }

    /// Moves the start past the groups that do not matter any more.
    fn leave_out(&mut self) {
        let (mut first, mut second) = (0.0, 0.0);
        let groups = || {
            self.values[self.start..]
                .iter()
                .zip(&self.heights[self.start..])
        };
        let sums = |values: &Lane, heights: &Lane| {
            let a: f64 = values.iter().sum();
            let b: f64 = values.iter().zip(heights).map(|(v, h)| v * h).sum();
            (a, b)
        };
        for (values, heights) in groups() {
            let (a, b) = sums(values, heights);
            first += a;
            second += b;
        }
        let (mut low_first, mut low_second) = (0.0, 0.0);
        let passed = groups()
            .take_while(|(values, heights)| {
                let (a, b) = sums(values, heights);
                low_first += a;
                low_second += b;
                low_first <= NEGLIGIBLE * first && low_second <= NEGLIGIBLE * second
            })
            .count();
        self.start += passed;
    }

    /// Computes the sums for `steps` values of n from this one, and the terms after them.
    fn advance<W: Weights>(&mut self, weights: &W, n: u64, steps: usize, sums: &mut Sums) {
        let mut factors = [(0.0, 0.0); BLOCK];
        if !W::CONSTANT {
            for (factor, n) in factors.iter_mut().zip(n..) {
                *factor = weights.step(n);
            }
        }
        let factors = &factors[..steps];
        sums.first[..steps].fill([0.0; PARTS]);
        sums.second[..steps].fill([0.0; PARTS]);
        let mut tile = Sums::default();
        let live = self.start..self.values.len();
        for start in live.clone().step_by(TILE) {
            let end = (start + TILE).min(live.end);
            tile.first[..steps].fill([0.0; PARTS]);
            tile.second[..steps].fill([0.0; PARTS]);
            for group in start..end {
                advance_group::<W>(
                    &mut self.values[group],
                    &self.parameters[group],
                    &self.heights[group],
                    factors,
                    &mut tile,
                );
            }
            for step in 0..steps {
                add(&mut sums.first[step], &tile.first[step]);
                add(&mut sums.second[step], &tile.second[step]);
            }
        }
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "the values must stay in registers")]
fn advance_group<W: Weights>(
    values: &mut Lane,
    parameters: &Lane,
    heights: &Lane,
    factors: &[(f64, f64)],
    sums: &mut Sums,
) {
    let mut now = *values;
    let steps = factors.iter().zip(&mut sums.first).zip(&mut sums.second);
    for ((&(minus, times), first), second) in steps {
        for part in 0..PARTS {
            first[part] += now[part] + now[part + PARTS];
            second[part] += now[part] * heights[part] + now[part + PARTS] * heights[part + PARTS];
        }
        for (value, parameter) in now.iter_mut().zip(parameters) {
            *value *= if W::CONSTANT {
                *parameter
            } else {
                (parameter - minus) * times
            };
        }
    }
    *values = now;
}

fn add(sum: &mut Part, part: &Part) {
    for (sum, part) in sum.iter_mut().zip(part) {
        *sum += part;
    }
}

fn groups(all: &[f64]) -> Vec<Lane> {
    all.chunks(LANES)
        .map(|chunk| {
            let mut lane = [0.0; LANES];
            lane[..chunk.len()].copy_from_slice(chunk);
            lane
        })
        .collect()
}
