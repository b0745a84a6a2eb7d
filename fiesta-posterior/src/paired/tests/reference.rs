//! Tests the sampler against another one: every effect and every interaction drawn cell by cell,
//! nothing integrated out, variances by their full conditionals, the hyperparameters by random
//! walks. Slow, and easy to check.

use super::{
    super::sampler::{LIKENESS, Length},
    ChaCha8Rng, Score, cells, normal, rng, sample,
};
use fiesta_core::ArmId;
use rand::RngExt;
use rand_distr::{Distribution, Gamma};
use statrs::distribution::{ContinuousCDF, StudentsT};
use std::collections::BTreeMap;

struct Naive {
    scores: Vec<Score>,
    /// Places in `scores` of the scores of each (arm, split).
    cells: Vec<(usize, usize, Vec<usize>)>,
    counts: Vec<f64>,
    /// Whether interaction and noise are told apart: without repeated seeds they are one.
    interactions: bool,
    /// Whether a split's effect is told apart from noise: it is not where only one arm saw the
    /// split.
    shared: bool,
    means: Vec<f64>,
    effects: Vec<f64>,
    gammas: Vec<f64>,
    variances: Vec<f64>,
    split_variance: f64,
    centre: f64,
    likeness: f64,
    share: f64,
}

impl Naive {
    fn new(arms: usize, scores: &[Score]) -> Self {
        let mut splits = BTreeMap::new();
        let mut cells: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        let mut counts = vec![0.0; arms];
        for (place, &(arm, split, _)) in scores.iter().enumerate() {
            let new = splits.len();
            let split = *splits.entry(split).or_insert(new);
            cells.entry((arm, split)).or_default().push(place);
            counts[arm] += 1.0;
        }
        let cells: Vec<_> = cells.into_iter().map(|((a, k), p)| (a, k, p)).collect();
        let mean = scores.iter().map(|s| s.2).sum::<f64>() / scores.len() as f64;
        let variance = scores.iter().map(|s| (s.2 - mean).powi(2)).sum::<f64>() / counts[0];
        Self {
            scores: scores.to_vec(),
            interactions: cells.iter().any(|cell| cell.2.len() > 1),
            shared: splits
                .values()
                .any(|&split| cells.iter().filter(|cell| cell.1 == split).count() > 1),
            counts,
            means: vec![mean; arms],
            effects: vec![0.0; splits.len()],
            gammas: vec![0.0; cells.len()],
            cells,
            variances: vec![variance; arms],
            split_variance: variance,
            centre: variance,
            likeness: 4.0,
            share: 0.5,
        }
    }

    /// Returns the variance between an arm's seeds, and the variance of its interactions.
    fn parts(&self, arm: usize) -> (f64, f64) {
        let share = if self.interactions { self.share } else { 0.0 };
        (
            (1.0 - share) * self.variances[arm],
            share * self.variances[arm],
        )
    }

    /// Returns a draw from the normal distribution N(b/p, 1/p), p being the precision.
    fn draw(precision: f64, b: f64, rng: &mut ChaCha8Rng) -> f64 {
        b / precision + normal(rng) / precision.sqrt()
    }

    fn sweep(&mut self, rng: &mut ChaCha8Rng) {
        let arms = self.means.len();
        let mut sums = vec![0.0; arms];
        for (cell, (arm, split, places)) in self.cells.iter().enumerate() {
            for &place in places {
                sums[*arm] += self.scores[place].2 - self.effects[*split] - self.gammas[cell];
            }
        }
        for (arm, sum) in sums.iter().enumerate() {
            let noise = self.parts(arm).0;
            self.means[arm] = Self::draw(self.counts[arm] / noise, sum / noise, rng);
        }

        if self.shared {
            self.draw_effects(rng);
        }
        self.draw_interactions_and_variances(rng);
    }

    fn draw_effects(&mut self, rng: &mut ChaCha8Rng) {
        let mut precisions = vec![(1.0 / self.split_variance, 0.0); self.effects.len()];
        for (cell, (arm, split, places)) in self.cells.iter().enumerate() {
            let noise = self.parts(*arm).0;
            for &place in places {
                precisions[*split].0 += 1.0 / noise;
                precisions[*split].1 +=
                    (self.scores[place].2 - self.means[*arm] - self.gammas[cell]) / noise;
            }
        }
        for (effect, (precision, b)) in self.effects.iter_mut().zip(precisions) {
            *effect = Self::draw(precision, b, rng);
        }
        // All means up, all effects down.
        let splits = self.effects.len() as f64;
        let up = self.effects.iter().sum::<f64>() / splits
            + normal(rng) * (self.split_variance / splits).sqrt();
        self.effects.iter_mut().for_each(|effect| *effect -= up);
        self.means.iter_mut().for_each(|mean| *mean += up);
    }

    fn draw_interactions_and_variances(&mut self, rng: &mut ChaCha8Rng) {
        // Σ e² and Σ γ², and how many γ there are, of each arm.
        let arms = self.means.len();
        let mut squares = vec![(0.0, 0.0, 0.0); arms];
        for cell in 0..self.cells.len() {
            let (arm, split, places) = &self.cells[cell];
            let off: Vec<f64> = places
                .iter()
                .map(|&place| self.scores[place].2 - self.means[*arm] - self.effects[*split])
                .collect();
            if self.interactions {
                let (noise, interaction) = self.parts(*arm);
                let precision = places.len() as f64 / noise + 1.0 / interaction;
                self.gammas[cell] = Self::draw(precision, off.iter().sum::<f64>() / noise, rng);
                squares[*arm].1 += self.gammas[cell].powi(2);
                squares[*arm].2 += 1.0;
            }
            let gamma = self.gammas[cell];
            squares[*arm].0 += off.iter().map(|x| (x - gamma).powi(2)).sum::<f64>();
        }
        self.variance_parameters(&squares, rng);
    }

    fn variance_parameters(&mut self, squares: &[(f64, f64, f64)], rng: &mut ChaCha8Rng) {
        if self.interactions {
            let density = |share: f64, variances: &[f64]| -> f64 {
                let arms = squares.iter().zip(&self.counts).zip(variances);
                let of = arms.map(|(((e, gamma, cells), n), v)| {
                    e / v / (1.0 - share)
                        + n * (1.0 - share).ln()
                        + gamma / v / share
                        + cells * share.ln()
                });
                // The last terms: a walk on the logit scale.
                -0.5 * of.sum::<f64>() + share.ln() + (1.0 - share).ln()
            };
            for _ in 0..3 {
                let odds = self.share / (1.0 - self.share) * normal(rng).exp();
                let proposed = odds / (1.0 + odds);
                let gain =
                    density(proposed, &self.variances) - density(self.share, &self.variances);
                if rng.random::<f64>().ln() < gain {
                    self.share = proposed;
                }
            }
        }
        let share = if self.interactions { self.share } else { 0.0 };
        for (arm, &(e, gamma, cells)) in squares.iter().enumerate() {
            let of_interactions = if share > 0.0 { gamma / share } else { 0.0 };
            let rate = self.likeness * self.centre + e / (1.0 - share) + of_interactions;
            let shape = (self.likeness + self.counts[arm] + cells) / 2.0;
            let draw: f64 = Gamma::new(shape, 1.0).unwrap().sample(rng);
            self.variances[arm] = rate / 2.0 / draw;
        }
        // d₀ given the variances.
        let inverse: f64 = self.variances.iter().map(|v| 1.0 / v).sum();
        let logs: f64 = self.variances.iter().map(|v| v.ln()).sum();
        let arms = self.variances.len() as f64;
        let log_prior = |d0: f64, centre: f64| {
            let half = d0 / 2.0;
            arms * (half * (half * centre).ln() - statrs::function::gamma::ln_gamma(half))
                - (half + 1.0) * logs
                - half * centre * inverse
        };
        let weights = LIKENESS.map(|(d0, weight)| weight.ln() + log_prior(d0, self.centre));
        let top = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights = weights.map(|w| (w - top).exp());
        let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
        for ((d0, _), weight) in LIKENESS.iter().zip(weights) {
            self.likeness = *d0;
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
        // s₀² and τ² on the logarithmic scale: p(s₀²) ∝ 1/s₀², p(τ²) = s₀²/(s₀² + τ²)².
        for step in [0.1, 0.5, 1.5] {
            let proposed = self.centre * (step * normal(rng)).exp();
            let density = |centre: f64| {
                let of_splits = centre.ln() - 2.0 * (centre + self.split_variance).ln();
                log_prior(self.likeness, centre) + if self.shared { of_splits } else { 0.0 }
            };
            if rng.random::<f64>().ln() < density(proposed) - density(self.centre) {
                self.centre = proposed;
            }
            let proposed = self.split_variance * (step * normal(rng)).exp();
            let squares: f64 = self.effects.iter().map(|e| e * e).sum();
            let density = |t: f64| {
                -0.5 * (self.effects.len() as f64 * t.ln() + squares / t) + t.ln()
                    - 2.0 * (self.centre + t).ln()
            };
            if rng.random::<f64>().ln() < density(proposed) - density(self.split_variance) {
                self.split_variance = proposed;
            }
        }
    }
}

/// Summary that is compared: P(best) of each arm; lower quartile, median and upper quartile of each
/// difference from the last arm.
struct Summary {
    best: Vec<f64>,
    quartiles: Vec<[f64; 3]>,
}

fn summary(draws: &[Vec<f64>], best: Option<Vec<f64>>) -> Summary {
    let arms = draws[0].len();
    let counted = || {
        let mut best = vec![0.0; arms];
        for draw in draws {
            let leader = (0..arms).max_by(|&a, &b| draw[a].total_cmp(&draw[b]));
            best[leader.unwrap()] += 1.0 / draws.len() as f64;
        }
        best
    };
    let quartiles = (0..arms - 1).map(|arm| {
        let mut differences: Vec<f64> = draws.iter().map(|d| d[arm] - d[arms - 1]).collect();
        differences.sort_by(f64::total_cmp);
        [1, 2, 3].map(|q| differences[differences.len() * q / 4])
    });
    Summary {
        quartiles: quartiles.collect(),
        best: best.unwrap_or_else(counted),
    }
}

/// Returns for each arm the probabilities that its variance is less than .7 times, or more than 1.4
/// times, that of the last.
fn likeness(draws: &[Vec<f64>]) -> Vec<[f64; 2]> {
    let last = draws[0].len() - 1;
    let share = |is: &dyn Fn(f64) -> bool, arm: usize| {
        let count = draws.iter().filter(|v| is(v[arm] / v[last])).count();
        count as f64 / draws.len() as f64
    };
    (0..last)
        .map(|arm| [share(&|r| r < 0.7, arm), share(&|r| r > 1.4, arm)])
        .collect()
}

/// Returns the chains' lengths, and the tolerances that go with them: of probabilities, and of
/// quartiles in units of the interquartile range. Both are about three times the largest difference
/// of all cases (.014 and .04 at the short lengths, .004 and .012 at the long ones).
fn lengths() -> (usize, usize, f64, f64) {
    if cfg!(debug_assertions) {
        (60_000, 4_000, 0.04, 0.08)
    } else {
        (2_000_000, 60_000, 0.01, 0.02)
    }
}

fn compare(name: &str, arms: usize, scores: &[Score]) {
    let (long, short, probability, quartile) = lengths();
    let mut naive = Naive::new(arms, scores);
    let mut random = rng(17);
    let (mut means, mut variances) = (Vec::new(), Vec::new());
    for sweep in 0..long {
        naive.sweep(&mut random);
        if sweep >= long / 20 && sweep % 5 == 0 {
            means.push(naive.means.clone());
            variances.push(naive.variances.clone());
        }
    }
    let expected = summary(&means, None);
    let expected_likeness = likeness(&variances);

    let length = Length {
        burn_in: 200,
        sweeps: short,
        per_sweep: 1,
    };
    let exact = cells(arms, scores);
    let draws = sample(&exact, length, 3);
    let candidates: Vec<ArmId> = ArmId::all(arms).collect();
    let best = draws.best(1, &candidates, |_| 0.0).probability;
    let means: Vec<Vec<f64>> = (0..draws.len()).map(|i| draws.draw(i).to_vec()).collect();
    let found = summary(&means, Some(best));
    println!(
        "{name}: P(best) {:.4?}, reference {:.4?}",
        found.best, expected.best
    );
    for (found, expected) in found.best.iter().zip(&expected.best) {
        assert!((found - expected).abs() < probability, "{name}");
    }
    let variances: Vec<Vec<f64>> = draws
        .variances
        .chunks_exact(arms)
        .map(<[f64]>::to_vec)
        .collect();
    for (found, expected) in likeness(&variances).iter().zip(&expected_likeness) {
        println!("  another variance {found:.3?}, reference {expected:.3?}");
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < probability, "{name}");
        }
    }
    let differences = draws.differences(&exact).unwrap();
    for (arm, (found, expected)) in found.quartiles.iter().zip(&expected.quartiles).enumerate() {
        println!("  quartiles {found:.5?}, reference {expected:.5?}");
        // Student's t with matching moments has nearly the same.
        let t = differences.marginal(arm, arms - 1);
        let origin = exact.arms[arm].origin - exact.arms[arms - 1].origin;
        let standard = StudentsT::new(0.0, 1.0, t.degrees_of_freedom).unwrap();
        let off = t.scale * standard.inverse_cdf(0.75);
        let of_t = [-1.0, 0.0, 1.0].map(|sign| t.location + origin + sign * off);
        println!(
            "    of t {of_t:.5?} with {:.1} degrees of freedom",
            t.degrees_of_freedom
        );
        for (a, b) in of_t.iter().zip(expected) {
            assert!((a - b).abs() < 0.1 * (expected[2] - expected[0]), "{name}");
        }
        for (a, b) in found.iter().zip(expected) {
            assert!(
                (a - b).abs() < quartile * (expected[2] - expected[0]),
                "{name}"
            );
        }
    }
}

/// Scores around .6 with split effects of `effect` and noise of .02·`deviation(arm)`, an
/// interaction of `interaction` times as much as the latter included, wherever `seeds(arm, split)`
/// says how many.
fn scores(
    arms: usize,
    splits: u64,
    (effect, interaction): (f64, f64),
    deviation: impl Fn(usize) -> f64,
    seeds: impl Fn(usize, u64) -> usize,
) -> Vec<Score> {
    let mut random = rng(5);
    let mut scores = Vec::new();
    for split in 0..splits {
        let effect = effect * normal(&mut random);
        for arm in 0..arms {
            let deviation = 0.02 * deviation(arm);
            let mean = 0.6 + 0.008 * arm as f64 + effect;
            let mean = mean + interaction * deviation * normal(&mut random);
            for _ in 0..seeds(arm, split) {
                let noise = deviation * (1.0 - interaction * interaction).sqrt();
                scores.push((arm, split, mean + noise * normal(&mut random)));
            }
        }
    }
    scores
}

#[test]
fn two_arms_on_shared_splits() {
    let seen = |arm: usize, split: u64| usize::from(arm == 0 || split < 5);
    compare("two arms", 2, &scores(2, 7, (0.03, 0.0), |_| 1.0, seen));
}

/// Tests three arms on more splits than arms: most of the splits' dimensions hold only zeros.
#[test]
fn three_arms_on_many_shared_splits() {
    let seen = |arm: usize, split: u64| usize::from(arm < 2 || split < 13);
    compare("many splits", 3, &scores(3, 16, (0.01, 0.0), |_| 1.0, seen));
}

#[test]
fn four_arms_with_gaps() {
    let seen = |arm: usize, split: u64| usize::from((arm as u64 * 3 + split * 5) % 7 > 2);
    compare("gaps", 4, &scores(4, 9, (0.02, 0.0), |_| 1.0, seen));
}

#[test]
fn several_seeds_on_some_splits() {
    let seeds = |arm: usize, split: u64| 1 + usize::from((arm as u64 + split).is_multiple_of(3));
    compare("seeds", 3, &scores(3, 5, (0.02, 0.4), |_| 1.0, seeds));
}

/// Tests interactions that seeds do not average out, where nearly all noise is the interaction's:
/// more seeds on the same split tell little.
#[test]
fn interactions_that_seeds_do_not_average_out() {
    let seeds = |arm: usize, split: u64| {
        if (arm as u64 + split).is_multiple_of(2) {
            1
        } else {
            6
        }
    };
    let deviation = |arm: usize| [1.0, 2.0][arm];
    compare(
        "interactions",
        2,
        &scores(2, 6, (0.01, 0.97), deviation, seeds),
    );
}

#[test]
fn unequal_variances() {
    let deviation = |arm: usize| [0.3, 1.0, 3.0, 1.0][arm];
    let seen = |arm: usize, split: u64| usize::from(split < 9 - 2 * arm as u64);
    compare("unequal", 4, &scores(4, 9, (0.01, 0.0), deviation, seen));
}

#[test]
fn no_split_is_shared() {
    let seen = |arm: usize, split: u64| usize::from(split % 3 == arm as u64);
    compare("apart", 3, &scores(3, 15, (0.0, 0.0), |_| 1.0, seen));
}

/// Tests seeds that change scores thirty times less than splits change the difference of arms. Importance sampling of v,
/// s₀², λ and ρ, with means and effects integrated out, has P(best) = .9888 ± .0002; where ρ ends at 1 − 1/48, .9997.
#[test]
fn seeds_that_hardly_differ() {
    let of_arms = [
        [
            [0.712, 0.713],
            [0.655, 0.655],
            [0.774, 0.772],
            [0.690, 0.691],
            [0.731, 0.731],
        ],
        [
            [0.744, 0.743],
            [0.702, 0.703],
            [0.779, 0.779],
            [0.745, 0.744],
            [0.738, 0.739],
        ],
    ];
    let mut scores: Vec<Score> = Vec::new();
    for (arm, splits) in of_arms.iter().enumerate() {
        for (split, seeds) in (0..).zip(splits) {
            scores.extend(seeds.map(|score| (arm, split, score)));
        }
    }
    let length = Length {
        burn_in: 200,
        sweeps: 20_000,
        per_sweep: 1,
    };
    let draws = sample(&cells(2, &scores), length, 3);
    let candidates: Vec<ArmId> = ArmId::all(2).collect();
    let best = draws.best(1, &candidates, |_| 0.0).probability;
    assert!((best[1] - 0.9888).abs() < 0.0015, "{best:?}");
}

/// Tests that two equal arms are seldom named where seeds change nothing: at P(best) = .95 in
/// 15 % of data sets of eight splits, of which a tenth would be right; the uniform prior of ρ expects no share as small.
#[test]
fn seeds_that_change_nothing_are_no_evidence() {
    let mut random = rng(6);
    let mut named = 0;
    for data_set in 0..300 {
        let mut scores: Vec<Score> = Vec::new();
        for split in 0..8 {
            let effect = normal(&mut random);
            for arm in 0..2 {
                let cell = effect + normal(&mut random);
                scores.extend((0..5).map(|_| (arm, split, cell + 1e-3 * normal(&mut random))));
            }
        }
        let draws = sample(&cells(2, &scores), Length::USUAL, data_set);
        let candidates: Vec<ArmId> = ArmId::all(2).collect();
        let best = draws.best(1, &candidates, |_| 0.0).probability;
        named += usize::from(best[0].max(best[1]) >= 0.95);
    }
    // 46 are found, with a standard deviation of 6; 26 to 72 % where ρ ended at 1 − 1/48.
    println!("named in {named} of 300");
    assert!(named < 58);
}
