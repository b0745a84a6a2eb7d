//! P(an arm has the highest expected best of n trials), for every n.
//!
//! Which family of models is best depends on how many settings of each can be tried: one that is
//! hard to tune may be worse over 5 trials and better over 50. With F_a the unknown distribution of
//! an arm's scores over random search, the expected best of n is E_n(F) = ∫ x dF(x)ⁿ, and the
//! question is P(E_n(F_a) > E_n(F_b) for all b | the trials made), for every n.
//!
//! # The posterior of F
//! Of an arm with the scores x_1 ≤ … ≤ x_B, the masses of the B + 1 intervals below x_1, between
//! neighbours and above x_B are Dirichlet(1, …, 1), which is what exchangeability alone says of
//! them before the scores (Hill's A_(n)). All that is below x_1 lies at x_1; between neighbours F
//! is taken as the mean of its values at both, u_i; and above x_B lies an exponential tail
//!
//! ```text
//! 1 − F(x) = w exp(−(x − x_B)/σ),     σ = S/Gamma(k),     S = Σ_{j ≤ k} j (x_(B−j+1) − x_(B−j)),     k = ⌈√B⌉, at least 3,
//! ```
//!
//! cut off at the metric's bound, if there is one. Of an exponential tail the k normalised spacings
//! in S are independent and exponential with scale σ (Rényi 1953), so that σ has this posterior
//! under the prior 1/σ. For a draw
//!
//! ```text
//! E_n = x_B − Σ_{i < B} u_iⁿ (x_{i+1} − x_i) + σ Σ_{j ≤ n} (1 − (1 − w)ʲ)/j.
//! ```
//!
//! # Heavy tails
//! Of scores with a heavy tail towards better ones, the best of n rests on rare scores, and the
//! posterior above is far too sure. So the shape of every arm's tail is estimated ([`Tail`]), and
//! where it is heavy the posterior is tempered: each trial counts as a part v < 1 of a trial, in
//! the masses (Dirichlet(v, …, v)) and in the tail (Gamma(v k)), which widens E_n by about 1/√v.
//!
//! # How far it may be trusted
//! Two arms were compared in simulations whose differences B trials can hardly tell. The Bayesian
//! bootstrap (Rubin 1981), which knows nothing beyond x_B, is sure of itself as soon as n is near
//! B: where it said at least 95 % it was right in 88 % of the comparisons at n = B = 10, and in 81
//! % at n = 5B. With a tail that uncertainty is admitted, yet of scores whose tail is heavier than
//! exponential nobody knows enough at large n. [`BestOfN::informative_up_to`] is ⌊B/3⌋ of the arm
//! with the fewest trials: up to there, statements of at least 95 % were right in 95 % of the
//! comparisons (94.9 ± 0.6 to 98 %, for B from 10 to 200), over all families of distributions
//! together; beyond, they are an extrapolation. Of scores with an end, such as accuracies, it was
//! 97 to 100 %, of lognormal ones, whose tail is long, only 83 to 93 %, all this before heavy tails
//! widened the posterior. `docs/random-search.md` has the figures, also of families that were held
//! out.
//!
//! # Example
//! ```
//! use fiesta_core::ArmId;
//! use fiesta_posterior::best_of_n::{ArmTrials, BestOfN, BestOfNOptions};
//! // Steady, and rarely good but then very good.
//! let steady: Vec<f64> = (0..40).map(|i| 0.70 + 0.001 * f64::from(i)).collect();
//! let risky: Vec<f64> = (0..40).map(|i| 0.40 + 0.01 * f64::from(i)).collect();
//! let arms = [ArmTrials::new(&steady), ArmTrials::new(&risky)];
//! let best = BestOfN::compare(&arms, &BestOfNOptions { bounds: Some((0.0, 1.0)), ..BestOfNOptions::default() })?;
//! assert!(best.probability(1)[0] > 0.99);
//! assert!(best.probability(12)[1] > 0.9);
//! let leads = best.leads(0.9);
//! let (first, last) = (&leads[0], &leads[leads.len() - 1]);
//! assert_eq!((first.arm, last.arm), (Some(ArmId::new(0)), Some(ArmId::new(1))));
//! assert_eq!(best.informative_up_to(), 13);
//! # Ok::<(), fiesta_posterior::best_of_n::BestOfNError>(())
//! ```

mod error;
mod family;
mod leads;
mod tail;

pub use error::BestOfNError;
pub use leads::LeadRange;
pub use tail::Tail;

use family::{Draw, Family};
use fiesta_core::{ArmId, Direction, Streams, highest};

/// The largest n that can be asked for.
pub const LARGEST_N: usize = 10_000;
/// The fewest trials from which an arm can be compared.
pub const FEWEST_TRIALS: usize = 3;
/// The most trials of an arm that a comparison accepts.
pub const MOST_TRIALS: usize = 10_000_000;

/// Number of trials for each n: with B trials, the best of up to B/3 can be judged.
const TRIALS_FOR_ONE: usize = 3;

/// The trials of an arm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArmTrials<'a> {
    /// The scores, in any order.
    pub scores: &'a [f64],
    /// How many trials failed. Each counts as a trial with the worst score: the metric's bound, or
    /// without one the worst score of all arms.
    pub failed: usize,
}

impl<'a> ArmTrials<'a> {
    /// Returns trials of which none failed.
    pub fn new(scores: &'a [f64]) -> Self {
        Self { scores, failed: 0 }
    }

    /// Number of trials B, failed ones included.
    pub fn count(&self) -> usize {
        self.scores.len().saturating_add(self.failed)
    }
}

/// Returns the largest n of which trials tell enough: ⌊B/3⌋, at least 1, for B trials of the arm
/// with the fewest.
pub fn informative_up_to(fewest_trials: usize) -> usize {
    (fewest_trials / TRIALS_FOR_ONE).max(1)
}

/// Options of a comparison: what is asked, and how exactly it is answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestOfNOptions {
    /// Direction in which scores are better.
    pub direction: Direction,
    /// The smallest and the largest possible score.
    pub bounds: Option<(f64, f64)>,
    /// The largest n to compare; if none, the number of trials of the arm with the most, at most
    /// [`LARGEST_N`].
    pub largest_n: Option<usize>,
    /// Number of draws that are made.
    pub draws: u32,
    /// The seed of the draws.
    pub seed: u64,
}

impl Default for BestOfNOptions {
    /// Returns the default: 10,000 draws, whose standard error is at most 0.005; more is better, no
    /// bounds, seed 0.
    fn default() -> Self {
        Self {
            direction: Direction::Maximize,
            bounds: None,
            largest_n: None,
            draws: 10_000,
            seed: 0,
        }
    }
}

/// P(highest expected best of n) of every arm, for n = 1, 2, ….
#[derive(Debug, Clone, PartialEq)]
pub struct BestOfN {
    arms: usize,
    draws: u32,
    informative: usize,
    tails: Vec<Option<Tail>>,
    /// Probabilities of the K arms for each n.
    probabilities: Vec<f64>,
}

impl BestOfN {
    /// Returns P(highest expected best of n) of every arm, for every n.
    ///
    /// The arms' distributions are drawn independently of each other, each from a stream of its own, so
    /// that an arm's draws do not depend on which others there are. E_n is computed on a grid of n;
    /// where the leader of a draw is another one at the next n of the grid, the n where it changes is
    /// sought in between. A lead that begins and ends between two neighbours of the grid, whose ratio
    /// is at most 3/2, is not seen.
    ///
    /// # Errors
    /// [`BestOfNError`] if there is no arm, no score at all, an arm has fewer than [`FEWEST_TRIALS`]
    /// trials or more than [`MOST_TRIALS`], a score is not finite or outside the bounds, or n or the number of draws is out of
    /// range.
    pub fn compare(arms: &[ArmTrials<'_>], options: &BestOfNOptions) -> Result<Self, BestOfNError> {
        error::check(arms, options)?;
        let most = arms.iter().map(ArmTrials::count).max().unwrap_or(0);
        let largest_n = options.largest_n.unwrap_or(most.min(LARGEST_N));
        let fewest = arms.iter().map(ArmTrials::count).min().unwrap_or(0);
        let (families, tails): (Vec<Family>, Vec<Option<Tail>>) =
            families(arms, options).into_iter().unzip();
        let grid = grid(largest_n);
        let computed = grid[grid.len() - 1];
        let inverse: Vec<f64> = (1..=computed).map(|n| 1.0 / n as f64).collect();
        let streams = Streams::new(options.seed);
        let mut generators: Vec<_> = (0..)
            .map(|arm| streams.draws(arm))
            .take(arms.len())
            .collect();
        let mut draws = vec![Draw::default(); arms.len()];
        let mut expected = vec![0.0; arms.len() * grid.len()];
        let mut credit = Credit::new(arms.len(), computed);
        for _ in 0..options.draws {
            let each = families.iter().zip(&mut generators).zip(&mut draws);
            for (((family, rng), draw), expected) in each.zip(expected.chunks_mut(grid.len())) {
                family.draw(rng, &inverse, draw);
                family.on_grid(draw, &grid, expected);
            }
            let on_grid = |place: usize, arm: usize| expected[arm * grid.len() + place];
            let mut before = leaders(0..arms.len(), |arm| on_grid(0, arm));
            credit.give(&before, 1, 1);
            for place in 1..grid.len() {
                let after = leaders(0..arms.len(), |arm| on_grid(place, arm));
                let ends = ((grid[place - 1], &before), (grid[place], &after));
                credit.give_between(ends, &|n, arm| families[arm].expected(&draws[arm], n));
                before = after;
            }
        }
        let mut probabilities = credit.total(f64::from(options.draws));
        probabilities.truncate(largest_n * arms.len());
        Ok(Self {
            arms: arms.len(),
            draws: options.draws,
            informative: informative_up_to(fewest).min(largest_n),
            tails,
            probabilities,
        })
    }

    /// Returns the largest n that was compared.
    pub fn largest_n(&self) -> usize {
        self.probabilities.len() / self.arms
    }

    /// Returns P(highest expected best of n), for every arm. Arms whose expected best of n is
    /// exactly equal share it.
    ///
    /// # Panics
    /// If n is 0 or more than [`largest_n`](Self::largest_n).
    pub fn probability(&self, n: usize) -> &[f64] {
        let from = (n.checked_sub(1).expect("n is at least 1")) * self.arms;
        &self.probabilities[from..from + self.arms]
    }

    /// The Monte Carlo standard error of a probability, √(p(1 − p)/draws), with p no closer to 0 or
    /// 1 than half a draw.
    pub fn standard_error(&self, probability: f64) -> f64 {
        let draws = f64::from(self.draws);
        let p = probability.clamp(0.5 / draws, 1.0 - 0.5 / draws);
        (p * (1.0 - p) / draws).sqrt()
    }

    /// Returns the largest n of which the trials tell enough ([`informative_up_to`]), or
    /// [`largest_n`](Self::largest_n) if that is less. Beyond it the probabilities are an
    /// extrapolation and should not be claimed.
    pub fn informative_up_to(&self) -> usize {
        self.informative
    }

    /// Tells which arm leads with this confidence at which n, and at which n none does: ranges that
    /// cover all n, in order. What a range says is true at each of its n.
    pub fn leads(&self, confidence: f64) -> Vec<LeadRange> {
        leads::leads(self, confidence)
    }

    /// Returns the tail of each arm's scores towards better ones. `None` for an arm of which fewer
    /// than two scores are better than its median. The probabilities are widened already where it
    /// is heavy.
    pub fn tails(&self) -> &[Option<Tail>] {
        &self.tails
    }

    /// Returns the arm that leads at n and its probability; the first of equals.
    ///
    /// # Panics
    /// As [`probability`](Self::probability).
    pub fn leader(&self, n: usize) -> (ArmId, f64) {
        let probability = self.probability(n);
        let best = highest(probability.iter().copied());
        (ArmId::new(best), probability[best])
    }
}

/// Returns the n at which E_n is computed: 1, 2, 3, 4, 6, 8, 12, …, up to the first n that is no less than `largest`.
fn grid(largest: usize) -> Vec<usize> {
    let pairs = (0..).flat_map(|power| [2 << power, 3 << power]);
    let mut grid = vec![1];
    for n in pairs {
        if grid[grid.len() - 1] >= largest {
            break;
        }
        grid.push(n);
    }
    grid
}

/// Returns the family and the tail of each arm's scores, oriented and in order, with failures among
/// them.
fn families(arms: &[ArmTrials<'_>], options: &BestOfNOptions) -> Vec<(Family, Option<Tail>)> {
    let orient = |score: f64| options.direction.orient(score);
    let bounds = options.bounds.map(|(a, b)| (orient(a), orient(b)));
    let highest = bounds.map_or(f64::INFINITY, |(a, b)| a.max(b));
    let all = arms.iter().flat_map(|arm| arm.scores);
    let lowest_seen = all
        .map(|&score| orient(score))
        .fold(f64::INFINITY, f64::min);
    let worst = bounds.map_or(lowest_seen, |(a, b)| a.min(b));
    let family = |arm: &ArmTrials<'_>| {
        let mut scores: Vec<f64> = arm.scores.iter().map(|&score| orient(score)).collect();
        scores.resize(arm.count(), worst);
        scores.sort_by(f64::total_cmp);
        let tail = Tail::new(&scores);
        let weight = tail.map_or(1.0, |tail| tail.weight);
        (Family::new(&scores, highest, weight), tail)
    };
    arms.iter().map(family).collect()
}

/// Returns those of `arms` that have the highest value: one, unless several are exactly equal.
fn leaders(arms: impl Iterator<Item = usize>, value: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut highest = f64::NEG_INFINITY;
    let mut leaders = Vec::with_capacity(1);
    for arm in arms {
        let value = value(arm);
        if value > highest {
            highest = value;
            leaders.clear();
        }
        #[allow(clippy::float_cmp, reason = "exactly equal arms share the lead")]
        if value == highest {
            leaders.push(arm);
        }
    }
    leaders
}

/// Number of trials n, with the arms that lead at it.
type At<'a> = (usize, &'a Vec<usize>);

/// How often each arm led at each n, stored as differences to the n before.
struct Credit {
    arms: usize,
    from: Vec<f64>,
}

impl Credit {
    fn new(arms: usize, largest_n: usize) -> Self {
        Self {
            arms,
            from: vec![0.0; arms * (largest_n + 1)],
        }
    }

    /// Adds a draw's leaders to the counts for every n from `from` to `to`, both included.
    fn give(&mut self, leaders: &[usize], from: usize, to: usize) {
        let share = 1.0 / leaders.len() as f64;
        for arm in leaders {
            self.from[(from - 1) * self.arms + arm] += share;
            self.from[to * self.arms + arm] -= share;
        }
    }

    /// Credits leaders for every n above `low`'s n up to `high`'s. Where `low` and `high` have
    /// different leaders, only these are compared in between.
    fn give_between(
        &mut self,
        (low, high): (At<'_>, At<'_>),
        value: &impl Fn(usize, usize) -> f64,
    ) {
        if low.1 == high.1 {
            return self.give(low.1, low.0 + 1, high.0);
        }
        if high.0 - low.0 == 1 {
            return self.give(high.1, high.0, high.0);
        }
        let n = usize::midpoint(low.0, high.0);
        let mut arms = [low.1.as_slice(), high.1].concat();
        arms.sort_unstable();
        arms.dedup();
        let middle = leaders(arms.into_iter(), |arm| value(n, arm));
        self.give_between((low, (n, &middle)), value);
        self.give_between(((n, &middle), high), value);
    }

    /// Returns the share of the draws in which each of the K arms led, for each n.
    fn total(mut self, draws: f64) -> Vec<f64> {
        for place in self.arms..self.from.len() {
            self.from[place] += self.from[place - self.arms];
        }
        self.from.truncate(self.from.len() - self.arms);
        // Sums of thirds are not exact.
        let share = |credit: &f64| (credit / draws).clamp(0.0, 1.0);
        self.from.iter().map(share).collect()
    }
}
