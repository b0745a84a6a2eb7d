//! A search through generations of problems: the worst are kept, changed, and measured again.

use crate::{Failure, output::Estimate};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

/// Number of the numbers from 0 to 1 that a problem is made from.
pub(super) const GENES: usize = 36;
/// Standard deviation of a changed number.
const STEP: f64 = 0.1;

/// The budget of a search, and its seed.
pub(super) struct Search {
    pub(super) candidates: usize,
    pub(super) generations: u32,
    pub(super) runs: u64,
    pub(super) seed: u64,
}

struct Candidate<P> {
    genes: [f64; GENES],
    problem: P,
    wrong: f64,
    runs: f64,
}

impl<P> Candidate<P> {
    /// Returns the error rate less its standard error, so that few runs do not suffice to be the
    /// worst.
    fn score(&self) -> f64 {
        let share = (self.wrong + 0.5) / (self.runs + 1.0);
        share - (share * (1.0 - share) / self.runs).sqrt()
    }
}

impl Search {
    /// Returns the problem with the largest error rate that the search found. `decode` makes a problem
    /// from numbers between 0 and 1. `wrong` measures the error rate of a problem, given a number of
    /// runs and a seed.
    pub(super) fn worst<P>(
        &self,
        decode: impl Fn(&[f64]) -> Option<P>,
        wrong: impl Fn(&P, u64, u64) -> Result<Estimate, Failure>,
    ) -> Result<P, Failure> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut kept: Vec<Candidate<P>> = Vec::new();
        for generation in 0..self.generations {
            let parents = kept.len();
            // Half of the new ones are changes of those that were kept.
            let changed = if parents > 0 {
                usize::midpoint(parents, self.candidates)
            } else {
                0
            };
            while kept.len() < self.candidates {
                let parent = (kept.len() < changed).then(|| &kept[kept.len() % parents].genes);
                let genes = next(parent, &mut rng);
                kept.extend(decode(&genes).map(|problem| Candidate {
                    genes,
                    problem,
                    wrong: 0.0,
                    runs: 0.0,
                }));
            }
            for candidate in &mut kept {
                let seed = self.seed.wrapping_add(u64::from(generation) << 20);
                let runs = self.runs as f64;
                candidate.wrong += runs * wrong(&candidate.problem, self.runs, seed)?.mean;
                candidate.runs += runs;
            }
            kept.sort_by(|a, b| b.score().total_cmp(&a.score()));
            kept.truncate((self.candidates / 4).max(1));
        }
        Ok(kept.remove(0).problem)
    }
}

/// Returns new numbers: some of the parent's changed, or all drawn anew.
fn next(parent: Option<&[f64; GENES]>, rng: &mut ChaCha8Rng) -> [f64; GENES] {
    let Some(genes) = parent else {
        return std::array::from_fn(|_| rng.random());
    };
    genes.map(|gene| {
        if rng.random::<f64>() < 0.7 {
            return gene;
        }
        let normal: f64 = rand_distr::Distribution::sample(&rand_distr::StandardNormal, rng);
        (gene + STEP * normal).clamp(0.0, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that a hidden worst problem is found, and the same one from the same seed.
    #[test]
    fn the_worst_is_found_from_a_seed() {
        let search = Search {
            candidates: 20,
            generations: 12,
            runs: 100,
            seed: 3,
        };
        // The error is largest at .8 and .3, and the third number is out of range below .5.
        let decode = |genes: &[f64]| (genes[2] >= 0.5).then(|| (genes[0], genes[1]));
        let wrong = |&(a, b): &(f64, f64), runs, _| {
            let off = (a - 0.8).abs() + (b - 0.3).abs();
            Ok(Estimate::share((0.3 - 0.2 * off).max(0.0), runs))
        };
        let (a, b) = search.worst(decode, wrong).unwrap();
        assert!((a - 0.8).abs() < 0.1 && (b - 0.3).abs() < 0.1, "{a} {b}");
        assert_eq!(search.worst(decode, wrong).unwrap(), (a, b));
        let drawn = Search {
            generations: 1,
            ..search
        };
        let (c, d) = drawn.worst(decode, wrong).unwrap();
        assert!((a - 0.8).abs() + (b - 0.3).abs() < (c - 0.8).abs() + (d - 0.3).abs());
    }
}
