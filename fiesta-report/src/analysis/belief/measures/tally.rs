//! Probabilities by joint draws of the means of scores and measures.

use super::BATCHES;

/// Differences of scores up to this part of their size are rounding.
const ROUNDING: f64 = 1e-12;

/// Which arm is sought among those that are feasible.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Aim {
    /// The arm with the lowest first measure of those at most so far below the best feasible arm.
    Cheapest(f64),
    /// The arm with the best score.
    Best,
}

/// Counts of draws in which something is true of each arm.
pub(super) struct Tally {
    aim: Aim,
    /// Measure and largest mean of each limit.
    limits: Vec<(usize, f64)>,
    /// Draws in which each arm is the answer, and behind the arms those in which none is feasible, by batch.
    answer: Vec<[f64; BATCHES]>,
    within: Vec<f64>,
    feasible: Vec<f64>,
    front: Vec<f64>,
    /// Draws in which each arm keeps each limit.
    kept: Vec<Vec<f64>>,
    draws: f64,
    /// Scores of the first draw, while all draws are the same.
    first: Option<Vec<f64>>,
    order: Vec<usize>,
}

/// Probabilities by all draws.
pub(super) struct Shares {
    pub(super) answer: Vec<f64>,
    pub(super) none: f64,
    pub(super) within: Vec<f64>,
    pub(super) feasible: Vec<f64>,
    pub(super) front: Vec<f64>,
    pub(super) error: f64,
    limits: Vec<(usize, f64)>,
    kept: Vec<Vec<f64>>,
}

/// Returns whether two means are equal but for rounding.
#[expect(clippy::float_cmp, reason = "infinite means are equal")]
fn are_equal(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= ROUNDING * a.abs().max(b.abs()).min(f64::MAX)
}

impl Shares {
    /// Returns the probability that an arm keeps all limits of a measure. `None` without a limit.
    pub(super) fn kept(&self, arm: usize, measure: usize) -> Option<f64> {
        let of = self.limits.iter().zip(&self.kept);
        let of = of.filter(|((own, _), _)| *own == measure);
        of.map(|(_, kept)| kept[arm]).min_by(f64::total_cmp)
    }
}

impl Tally {
    pub(super) fn new(arms: usize, aim: Aim, limits: Vec<(usize, f64)>) -> Self {
        Self {
            aim,
            answer: vec![[0.0; BATCHES]; arms + 1],
            within: vec![0.0; arms],
            feasible: vec![0.0; arms],
            front: vec![0.0; arms],
            kept: vec![vec![0.0; arms]; limits.len()],
            limits,
            draws: 0.0,
            first: None,
            order: (0..arms).collect(),
        }
    }

    /// Returns whether all draws had the same scores.
    pub(super) fn scores_are_known(&self) -> bool {
        self.first.is_some()
    }

    /// Counts one draw of all means: scores, of which larger are better, and each measure's.
    pub(super) fn add(&mut self, batch: usize, scores: &[f64], measures: &[Vec<f64>]) {
        if self.draws < 0.5 {
            self.first = Some(scores.to_vec());
        } else if self.first.as_deref().is_some_and(|first| first != scores) {
            self.first = None;
        }
        self.draws += 1.0;
        let limits = &self.limits;
        let keeps = |arm: usize, &(measure, limit): &(usize, f64)| measures[measure][arm] <= limit;
        let feasible = |arm: &usize| limits.iter().all(|limit| keeps(*arm, limit));
        let all = 0..scores.len();
        let near = |best: f64, within: f64| best - within - ROUNDING * (best.abs() + within);
        let best = |arms: &mut dyn Iterator<Item = usize>| {
            arms.map(|arm| scores[arm])
                .fold(f64::NEG_INFINITY, f64::max)
        };
        for arm in all.clone() {
            self.feasible[arm] += f64::from(u8::from(feasible(&arm)));
            for (kept, limit) in self.kept.iter_mut().zip(limits) {
                kept[arm] += f64::from(u8::from(keeps(arm, limit)));
            }
        }
        let best_feasible = best(&mut all.clone().filter(feasible));
        if best_feasible == f64::NEG_INFINITY {
            self.answer[scores.len()][batch] += 1.0;
        }
        let is_cheapest = matches!(self.aim, Aim::Cheapest(_));
        let within = match self.aim {
            Aim::Cheapest(within) => within,
            Aim::Best => 0.0,
        };
        let price = |arm: usize| if is_cheapest { measures[0][arm] } else { 0.0 };
        let least = near(best_feasible, within);
        let candidates = all
            .clone()
            .filter(|arm| feasible(arm) && scores[*arm] >= least);
        let lowest = candidates.clone().map(price).fold(f64::INFINITY, f64::min);
        let cheap = candidates.filter(|&arm| price(arm) <= lowest);
        let least = near(best(&mut cheap.clone()), 0.0);
        let answers = cheap.filter(|&arm| scores[arm] >= least);
        let share = 1.0 / answers.clone().count() as f64;
        for arm in answers {
            self.answer[arm][batch] += share;
        }
        if !is_cheapest {
            return;
        }
        let least = near(best(&mut all.clone()), within);
        for arm in all.filter(|&arm| scores[arm] >= least) {
            self.within[arm] += 1.0;
        }
        self.count_front(scores, &measures[0]);
    }

    /// Counts the arms than which no other arm has as good a score and as low a price, and one of them better.
    fn count_front(&mut self, scores: &[f64], prices: &[f64]) {
        self.order.sort_unstable_by(|&a, &b| {
            let by_price = prices[a].total_cmp(&prices[b]);
            by_price.then(scores[b].total_cmp(&scores[a]))
        });
        let mut best = f64::NEG_INFINITY;
        for equal in self
            .order
            .chunk_by(|&a, &b| are_equal(prices[a], prices[b]))
        {
            let first = equal.iter().map(|&arm| scores[arm]);
            let first = first.fold(f64::NEG_INFINITY, f64::max);
            if first > best && !are_equal(first, best) {
                best = first;
                let is_as_good = |arm: &&usize| are_equal(scores[**arm], first);
                let on_front = equal.iter().filter(is_as_good);
                on_front.for_each(|&arm| self.front[arm] += 1.0);
            }
        }
    }

    /// Returns the share of the draws in which each is true.
    ///
    /// `known` says whether the mean of an arm's measure is known. Draws in which something was always or never true do not make it certain, unless all that it
    /// rests on is known: one more draw is counted half for and half against it, and is shared by
    /// all answers that are possible.
    pub(super) fn shares(self, known: impl Fn(usize, usize) -> bool, is_known: bool) -> Shares {
        let arms = self.within.len();
        let draws = self.draws;
        let share = |count: f64, is_certain: bool| {
            if is_certain {
                count / draws
            } else {
                (count + 0.5) / (draws + 1.0)
            }
        };
        // Whether an arm keeps all limits is certain if that of each is, or if one surely is not kept.
        let limits = |arm: usize| {
            let is_broken = |kept: &Vec<f64>| kept[arm] <= 0.0;
            let mut each = self.limits.iter().zip(&self.kept);
            let is_certain = self.limits.iter().all(|(of, _)| known(arm, *of));
            is_certain || each.any(|((of, _), kept)| known(arm, *of) && is_broken(kept))
        };
        let each = |counts: &[f64], is_certain: &dyn Fn(usize) -> bool| {
            let share = |(arm, &count): (usize, &f64)| share(count, is_certain(arm));
            counts.iter().enumerate().map(share).collect::<Vec<f64>>()
        };
        let feasible = each(&self.feasible, &limits);
        let is_sure = feasible.iter().any(|&p| p >= 1.0);
        let is_possible = |place: usize| match feasible.get(place) {
            Some(p) => *p > 0.0,
            None => !is_sure,
        };
        let possible = (0..=arms).filter(|&place| is_possible(place)).count() as f64;
        let counts: Vec<f64> = self.answer.iter().map(|of| of.iter().sum()).collect();
        let answer = counts.iter().enumerate().map(|(place, count)| {
            if is_known {
                count / draws
            } else if is_possible(place) {
                (count + 1.0 / possible) / (draws + 1.0)
            } else {
                0.0
            }
        });
        let mut answer: Vec<f64> = answer.collect();
        let none = answer.pop().unwrap_or(0.0);
        let error = |of: &[f64; BATCHES]| {
            let (n, of) = (
                BATCHES as f64,
                of.map(|count| count / draws * BATCHES as f64),
            );
            let mean = of.iter().sum::<f64>() / n;
            let squares = of.iter().map(|p| (p - mean).powi(2)).sum::<f64>();
            (squares / (n * (n - 1.0))).sqrt()
        };
        Shares {
            within: each(&self.within, &|_| self.first.is_some()),
            front: each(&self.front, &|_| is_known),
            kept: { self.limits.iter().zip(&self.kept) }
                .map(|((measure, _), kept)| each(kept, &|arm| known(arm, *measure)))
                .collect(),
            error: self.answer.iter().map(error).fold(0.0, f64::max),
            feasible,
            answer,
            none,
            limits: self.limits,
        }
    }
}
