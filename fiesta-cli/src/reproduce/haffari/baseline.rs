//! Classical benchmarking, simulated: a number of documents fixed beforehand, and the highest F wins.

use super::{
    Failure,
    systems::Systems,
    truth::{OfDocuments, score},
};
use fiesta::{
    core::{ArmId, Case, Counts, Design, FBeta, Streams},
    policies::{
        plan::{Benchmark, Rival, Size},
        simulate::Problem,
    },
};

/// Which systems are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Baseline {
    /// The two best, of which it is known which they are.
    TopTwo,
    /// All of them.
    All,
}

/// What came of the benchmarks of some systems.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Benchmarked {
    pub(super) size: Size,
    /// The share in which the best system has the highest mean of the documents' F, which is what the t-test tests.
    pub(super) by_mean: f64,
    /// The share in which it has the highest F of all counts together.
    pub(super) by_counts: f64,
}

impl Baseline {
    pub(super) const ALL: [Self; 2] = [Self::TopTwo, Self::All];

    /// The size that a t-test needs for the true leads in F and the true spread of the documents' F, whose documents are drawn
    /// independently for each system.
    pub(super) fn size(
        self,
        level: f64,
        systems: &Systems,
        truth: &[OfDocuments],
    ) -> Result<Size, Failure> {
        let benchmark = Benchmark {
            level,
            ..Benchmark::default()
        };
        let ranked = systems.ranked();
        let rival = |&rival: &usize| Rival {
            lead: systems.f[ranked[0]] - systems.f[rival],
            sd: truth[ranked[0]].sd.hypot(truth[rival].sd),
        };
        Ok(match self {
            Self::TopTwo => benchmark.top_two(rival(&ranked[1]))?,
            Self::All => benchmark.all(&ranked[1..].iter().map(rival).collect::<Vec<_>>())?,
        })
    }

    /// So many benchmarks of this size.
    pub(super) fn simulate(
        self,
        size: Size,
        problem: &dyn Problem<Counts>,
        systems: &Systems,
        streams: &Streams,
        runs: u64,
    ) -> Benchmarked {
        let ranked = systems.ranked();
        let compared = match self {
            Self::TopTwo => &ranked[..2],
            Self::All => &ranked[..],
        };
        let (mut by_mean, mut by_counts) = (0.0, 0.0);
        for run in 0..runs {
            // Streams of their own, beside those of the other methods' runs.
            let stream = (1 << 41) + 2 * run + u64::from(self == Self::All);
            let mut documents = problem.observations(Design::Shared, streams, stream);
            let scores: Vec<(f64, f64)> = compared
                .iter()
                .map(|&system| {
                    let mut all = Counts::default();
                    let mut sum = 0.0;
                    for split in 0..size.documents {
                        let counts = documents.observe(ArmId::new(system), Case { split, seed: 0 });
                        sum += score(counts);
                        all = all + counts;
                    }
                    (sum, FBeta::F1.of_counts(&all).unwrap_or(0.0))
                })
                .collect();
            // The first of those that are compared is the best.
            by_mean += f64::from(scores[1..].iter().all(|score| score.0 < scores[0].0));
            by_counts += f64::from(scores[1..].iter().all(|score| score.1 < scores[0].1));
        }
        Benchmarked {
            size,
            by_mean: by_mean / runs as f64,
            by_counts: by_counts / runs as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta::policies::simulate::SyntheticDocuments;

    fn systems() -> Systems {
        let theta = vec![
            [0.30, 0.20, 0.30, 0.20],
            [0.40, 0.15, 0.30, 0.15],
            [0.36, 0.20, 0.30, 0.14],
        ];
        let f = theta.iter().map(|&theta| FBeta::F1.of(theta)).collect();
        Systems {
            theta,
            f,
            number: 0,
        }
    }

    const TRUTH: [OfDocuments; 3] = [
        OfDocuments { mean: 0.6, sd: 0.1 },
        OfDocuments { mean: 0.7, sd: 0.2 },
        OfDocuments {
            mean: 0.7,
            sd: 0.15,
        },
    ];

    /// F is .6, .727273 and .679245: leads .048028 and .127273 with sds .25 and .223607. Of SciPy 1.17 (`nct`): 169 documents at level
    /// .05, and 215 and 27 at .025.
    #[test]
    fn sizes_by_reference() {
        let size = |baseline: Baseline| baseline.size(0.05, &systems(), &TRUTH).unwrap();
        let two = size(Baseline::TopTwo);
        assert_eq!((two.documents, two.queries), (169, 338));
        let all = size(Baseline::All);
        assert_eq!((all.documents, all.queries), (215, 645));
    }

    /// With many documents the best wins nearly always, with few not.
    #[test]
    fn more_documents_err_less() {
        let systems = systems();
        let problem = SyntheticDocuments::new(systems.theta.clone(), 5.0, 50, FBeta::F1).unwrap();
        let share = |documents| {
            let size = Size {
                documents,
                queries: 0,
            };
            Baseline::All.simulate(size, &problem, &systems, &Streams::new(1), 200)
        };
        let (few, many) = (share(3), share(1000));
        assert!(few.by_counts < 0.8 && few.by_mean < 0.8, "{few:?}");
        assert!(many.by_counts > 0.97 && many.by_mean > 0.97, "{many:?}");
    }
}
