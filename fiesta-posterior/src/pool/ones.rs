//! Items of which an arm's answer is one count: a true or false positive or negative.

use super::pair::Sums;
use fiesta_core::{Counts, FBeta};

/// Counts of the four kinds of answers, TP, FP, TN, FN.
type Cells = [f64; 4];

/// Whether an answer of each kind (TP, FP, TN, FN) is right: 1, else 0.
const RIGHT: [usize; 4] = [1, 0, 1, 0];

/// Answers by their kind: those of each arm, and those of each pair of arms to the same items.
///
/// F = Σg/Σh over the pool, with g = (1 + b²)·tp and h = g + b²·fn + fp. Near F₀, an arm's F is F₀ plus
/// the mean of s = (g − F₀·h)/h̄, h̄ its own mean of h over the pool, so that two arms' F are compared
/// by the sums of s, item by item. With F₀ the leader's F this is exact to the first order for
/// whoever is close to it, and h̄ need not be known well: it cancels at F = F₀.
#[derive(Debug, Clone)]
pub(super) struct Ones {
    f_beta: FBeta,
    arms: usize,
    /// Kind of each answer (TP, FP, TN or FN), at item·K + arm.
    kinds: Vec<Option<u8>>,
    of_arm: Vec<Cells>,
    /// Number of items by the leader's kind and the rival's, at leader·K + rival.
    of_pair: Vec<[Cells; 4]>,
}

/// Returns the kind of an answer, or `None` if it has several counts. An answer without any count
/// is a true negative, as it changes F as little.
pub(super) fn kind(counts: &Counts) -> Option<usize> {
    let cells = counts.cells();
    match counts.total() {
        0 => Some(2),
        1 => cells.iter().position(|&count| count == 1),
        _ => None,
    }
}

/// Returns whether an answer of this kind is right: 1, or 0.
pub(super) fn is_right(kind: usize) -> f64 {
    RIGHT[kind] as f64
}

impl Ones {
    pub(super) fn new(arms: usize, items: usize, f_beta: FBeta) -> Self {
        Self {
            f_beta,
            arms,
            kinds: vec![None; arms.saturating_mul(items)],
            of_arm: vec![[0.0; 4]; arms],
            of_pair: vec![[[0.0; 4]; 4]; arms * arms],
        }
    }

    pub(super) fn add(&mut self, arm: usize, item: usize, kind: usize) {
        let row = item * self.arms;
        self.of_arm[arm][kind] += 1.0;
        for rival in 0..self.arms {
            let Some(theirs) = self.kinds[row + rival].map(usize::from) else {
                continue;
            };
            self.of_pair[arm * self.arms + rival][kind][theirs] += 1.0;
            self.of_pair[rival * self.arms + arm][theirs][kind] += 1.0;
        }
        #[expect(clippy::cast_possible_truncation, reason = "one of four")]
        let kind = kind as u8;
        self.kinds[row + arm] = Some(kind);
    }

    /// Returns the weights g and h of each kind of answer (TP, FP, TN, FN) in F = Σg/Σh.
    fn weights(&self) -> [Cells; 2] {
        let recall = self.f_beta.b() * self.f_beta.b();
        let gain = 1.0 + recall;
        [[gain, 0.0, 0.0, 0.0], [gain, 1.0, 0.0, recall]]
    }

    /// Returns F of these answers and their mean of h, both kept a little above 0.
    fn level(&self, cells: &Cells) -> [f64; 2] {
        let [g, h] = self.weights();
        let sum = |weights: &Cells| -> f64 { weights.iter().zip(cells).map(|(w, n)| w * n).sum() };
        let (g, h, count) = (sum(&g), sum(&h), cells.iter().sum::<f64>());
        [(g + 0.5) / (h + 1.0), (h + 1.0) / (count + 1.0)]
    }

    /// Returns the counts of a rival's kinds of answers, estimated for all items that the leader
    /// has answered: weighted by whether the leader was right, as items were chosen by that.
    pub(super) fn weighted(&self, leader: usize, rival: usize) -> Cells {
        let (own, pair) = (
            self.of_arm[leader],
            self.of_pair[leader * self.arms + rival],
        );
        let mut shared = [[0.0; 4]; 2];
        let mut answered = [0.0; 2];
        for (kind, row) in pair.iter().enumerate() {
            answered[RIGHT[kind]] += own[kind];
            for (sum, count) in shared[RIGHT[kind]].iter_mut().zip(row) {
                *sum += count;
            }
        }
        let seen = shared.map(|row| row.iter().sum::<f64>());
        if leader == rival || seen[0] + seen[1] < 0.5 {
            return self.of_arm[rival];
        }
        let mut all = [0.0; 4];
        for v in 0..2 {
            let (row, seen) = if seen[v] > 0.5 {
                (shared[v], seen[v])
            } else {
                (shared[1 - v], seen[1 - v])
            };
            for (sum, count) in all.iter_mut().zip(row) {
                *sum += answered[v] * count / seen;
            }
        }
        all
    }

    /// Returns how much F differs between the pools in which an item has the best and the worst
    /// answer, times the number of items, near the F of this arm: the scale of its differences.
    pub(super) fn scale(&self, leader: usize) -> f64 {
        let [f, h] = self.level(&self.of_arm[leader]);
        let recall = self.f_beta.b() * self.f_beta.b();
        ((1.0 + recall) * (1.0 - f) + recall.max(1.0) * f) / h
    }

    /// Returns the sums of differences between leader and rival, in units of the leader's [`scale`](Self::scale).
    pub(super) fn sums(&self, leader: usize, rival: usize) -> Sums {
        let [f, h] = self.level(&self.of_arm[leader]);
        let [_, of_rival] = self.level(&self.weighted(leader, rival));
        let scale = self.scale(leader);
        let [gain, weight] = self.weights();
        let value = |kind: usize, h: f64| (gain[kind] - f * weight[kind]) / (h * scale);
        let mut sums = Sums::default();
        let pair = &self.of_pair[leader * self.arms + rival];
        for (own, row) in pair.iter().enumerate() {
            for (theirs, &count) in row.iter().enumerate() {
                if count > 0.0 {
                    let answers = [value(own, h), value(theirs, of_rival)];
                    sums.add_many(RIGHT[own], answers, count);
                }
            }
        }
        sums
    }

    /// Returns F of an arm, and its standard error if the answers are a random part of `size`.
    /// `None` without an answer.
    pub(super) fn f(&self, leader: usize, arm: usize, size: f64) -> Option<(f64, f64)> {
        let count: f64 = self.of_arm[arm].iter().sum();
        let cells = if count > size - 0.5 {
            self.of_arm[arm]
        } else {
            self.weighted(leader, arm)
        };
        let [g, h] = self.weights();
        let sum = |weights: &Cells| -> f64 { weights.iter().zip(&cells).map(|(w, n)| w * n).sum() };
        if count < 0.5 {
            return None;
        }
        let f = if sum(&h) > 0.0 {
            sum(&g) / sum(&h)
        } else {
            0.5
        };
        let [_, mean] = self.level(&cells);
        let all: f64 = cells.iter().sum();
        let squares: f64 = (0..4)
            .map(|kind| cells[kind] * ((g[kind] - f * h[kind]) / mean).powi(2))
            .sum();
        let variance = (squares + 0.25) / (all + 1.0) / count * (1.0 - count / size).max(0.0);
        Some((f, variance.sqrt()))
    }

    /// Returns the F of one arm less that of another, over all that they have answered; 0 if that
    /// is nothing but rounding, or neither is defined.
    pub(super) fn difference(&self, one: usize, other: usize) -> f64 {
        let f = |arm: usize| self.f_beta.of(self.of_arm[arm]);
        let difference = f(one) - f(other);
        if difference.abs() > 1e-12 {
            difference
        } else {
            0.0
        }
    }
}
