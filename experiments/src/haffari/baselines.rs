//! Classical benchmarks: a number of documents fixed beforehand by the power of a t-test.
//!
//! The paper sizes both baselines by R's `power.t.test` (power .8, paired, one-sided), for the
//! effect (μ₁ − μ₂)/√(σ₁² + σ₂²): `Baseline_2` at level δ, `Baseline_{K−1}` at level δ/(K − 1).

use super::{Published, Setting, systems::Systems};
use crate::{
    Failure,
    output::{Section, table},
};
use fiesta_core::{ArmId, Case, Counts, Design, FBeta, Moments, Observation, Streams};
use fiesta_policies::{
    plan::{self, PowerError, Rival, TTest},
    simulate::Problem,
};
use serde::Serialize;

/// The power of the t-tests.
const POWER: f64 = 0.8;
/// Number of simulated documents of each system, which give the spread of documents' F to about 1 %.
const DOCUMENTS: u64 = 10_000;
/// Number of the random stream for documents of the spread, which no run uses.
const STREAM: u64 = 1 << 40;

/// Mean and standard deviation of the F of single documents, for one system.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfDocuments {
    pub(super) mean: f64,
    pub(super) sd: f64,
}

impl OfDocuments {
    /// Simulates documents of each system, and returns mean and spread of their F.
    pub(super) fn all(
        problem: &dyn Problem<Counts>,
        streams: &Streams,
    ) -> Result<Vec<Self>, Failure> {
        let mut documents = problem.observations(Design::Shared, streams, STREAM);
        let of = |arm: ArmId| {
            let scores =
                (0..DOCUMENTS).map(|split| score(documents.observe(arm, Case { split, seed: 0 })));
            let moments: Moments = scores.collect();
            let sd = moments.standard_error().unwrap_or(0.0) * (DOCUMENTS as f64).sqrt();
            if sd > 0.0 {
                return Ok(Self {
                    mean: moments.mean(),
                    sd,
                });
            }
            Err(format!(
                "all documents of {} have the same F: no Gaussian model and no t-test can be made of them; ask for longer documents",
                problem.arms().name(arm)
            )
            .into())
        };
        problem.arms().ids().map(of).collect()
    }
}

/// Returns a document's F₁, 1 where nothing was to be found and nothing was.
fn score(counts: Counts) -> f64 {
    Observation::Counts(counts).score(FBeta::F1)
}

/// Which systems a benchmark compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Baseline {
    /// The two best systems, which are known to be the best.
    TopTwo,
    /// All systems of the setting.
    All,
}

/// A benchmark of some systems.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Benchmark {
    /// Number of documents of the benchmark for each system.
    pub(super) documents: u64,
    /// The share of runs in which the best system has the highest mean of the documents' F, which
    /// is what the t-test tests.
    pub(super) by_mean: f64,
    /// The share of runs in which the best system has the highest F of all counts together.
    pub(super) by_counts: f64,
}

impl Baseline {
    pub(super) const BOTH: [Self; 2] = [Self::TopTwo, Self::All];

    /// Returns the documents that the tests need for the true leads in F and the true spread of the
    /// documents' F: of the hardest comparison, with documents of their own for each system.
    pub(super) fn documents(
        self,
        level: f64,
        systems: &Systems,
        truth: &[OfDocuments],
    ) -> Result<u64, PowerError> {
        let ranked = systems.ranked();
        let best = ranked[0];
        let rival = |&rival: &usize| Rival {
            lead: systems.f[best] - systems.f[rival],
            sd: truth[best].sd.hypot(truth[rival].sd),
        };
        let rivals: Vec<Rival> = ranked[1..].iter().map(rival).collect();
        let power = POWER;
        let benchmark = plan::Benchmark { level, power };
        let size = match self {
            Self::TopTwo => benchmark.top_two(rivals[0]),
            Self::All => benchmark.all(&rivals),
        };
        Ok(size?.documents)
    }

    /// Simulates `runs` benchmarks with `documents` documents for each system.
    pub(super) fn simulate(
        self,
        documents: u64,
        problem: &dyn Problem<Counts>,
        systems: &Systems,
        streams: &Streams,
        runs: u64,
    ) -> Benchmark {
        let ranked = systems.ranked();
        let compared = match self {
            Self::TopTwo => &ranked[..2],
            Self::All => &ranked[..],
        };
        let (mut by_mean, mut by_counts) = (0.0, 0.0);
        for run in 0..runs {
            // Streams of their own, beside those of the other methods' runs.
            let stream = (1 << 41) + 2 * run + u64::from(self == Self::All);
            let mut observed = problem.observations(Design::Shared, streams, stream);
            let scores: Vec<(f64, f64)> = compared
                .iter()
                .map(|&system| {
                    let mut all = Counts::default();
                    let mut sum = 0.0;
                    for split in 0..documents {
                        let counts = observed.observe(ArmId::new(system), Case { split, seed: 0 });
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
        Benchmark {
            documents,
            by_mean: by_mean / runs as f64,
            by_counts: by_counts / runs as f64,
        }
    }
}

/// Consequences of the printed baselines for each other and for the documents.
#[derive(Debug, Serialize)]
pub(super) struct Implied {
    table: String,
    systems: usize,
    margin: Option<f64>,
    baseline_two: f64,
    baseline_all: f64,
    /// Effect size that yields the printed `Baseline_2`, if its queries are those of all K systems.
    effect: f64,
    /// Spread √(σ₁² + σ₂²) of a difference of two documents' F with that effect.
    spread: Option<f64>,
    /// `Baseline_{K−1}` with that effect at level δ/(K − 1), δ/4 and δ/10.
    at_bonferroni: f64,
    at_quarter: f64,
    at_tenth: f64,
    /// Number of queries that the paper prints for TS, and how probably the better of the two best
    /// systems has the higher mean if these two alone have all of them.
    queries: f64,
    attainable: f64,
}

pub(super) fn implied(published: &Published) -> Result<Vec<Implied>, PowerError> {
    published
        .setting
        .iter()
        .map(|setting| of(setting, published.delta))
        .collect()
}

fn of(setting: &Setting, delta: f64) -> Result<Implied, PowerError> {
    let systems = setting.systems as f64;
    let required = |effect, level| TTest::Paired.required(effect, level, POWER);
    // The smaller the effect, the more documents.
    let (mut low, mut high) = (1e-3, 1.0);
    while high - low > 1e-9 {
        let middle = f64::midpoint(low, high);
        if required(middle, delta)? > setting.baseline_two / systems {
            low = middle;
        } else {
            high = middle;
        }
    }
    let queries = setting.hierarchical.ts.queries;
    let all = |level| Ok(systems * required(high, level)?);
    Ok(Implied {
        table: setting.table.clone(),
        systems: setting.systems,
        margin: setting.margin,
        baseline_two: setting.baseline_two,
        baseline_all: setting.baseline_all,
        effect: high,
        spread: setting.margin.map(|margin| margin / high),
        at_bonferroni: all(delta / (systems - 1.0))?,
        at_quarter: all(delta / 4.0)?,
        at_tenth: all(delta / 10.0)?,
        queries,
        attainable: 0.5 * libm::erfc(-high * (queries / 2.0).sqrt() / 2.0_f64.sqrt()),
    })
}

pub(super) fn section(implied: &[Implied]) -> Result<Section, Failure> {
    let columns = [
        ("<", "{table}"),
        ("K", "{systems}"),
        ("margin", "{margin}"),
        ("Baseline_2", "{baseline_two}"),
        ("effect", "{effect:.3}"),
        ("spread", "{spread:.4}"),
        ("Baseline_K−1", "{baseline_all}"),
        ("at δ/(K−1)", "{at_bonferroni:.0}"),
        ("at δ/4", "{at_quarter:.0}"),
        ("at δ/10", "{at_tenth:.0}"),
        ("TS", "{queries}"),
        ("the better has the higher mean", "{attainable:%0} %"),
    ];
    let shown = table(implied, &columns)?;
    let shown = shown.caption("The printed baselines, and what follows from them").note(
        "effect: with which Baseline_2 is the printed number if it counts all K systems; spread: margin/effect; at δ/…: Baseline_K−1 with that \
         effect at that level, in all K systems; last: how probably the better of the two best systems has the higher mean of documents' F \
         after the printed queries of TS, if these two alone have all of them",
    );
    Ok(Section::new("baselines", shown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta_policies::simulate::SyntheticDocuments;

    fn systems() -> Systems {
        let theta = vec![
            [0.30, 0.20, 0.30, 0.20],
            [0.40, 0.15, 0.30, 0.15],
            [0.36, 0.20, 0.30, 0.14],
        ];
        Systems::new(theta, 0)
    }

    /// Tests sizes by reference. F is .6, .727273 and .679245: leads .048028 and .127273 with sds
    /// .25 and .223607. Of SciPy 1.17 (`nct`): 169 documents at level .05, and 215 and 27 at .025.
    #[test]
    fn sizes_by_reference() {
        let truth =
            [(0.6, 0.1), (0.7, 0.2), (0.7, 0.15)].map(|(mean, sd)| OfDocuments { mean, sd });
        let documents = |of: Baseline| of.documents(0.05, &systems(), &truth).unwrap();
        assert_eq!(Baseline::BOTH.map(documents), [169, 215]);
    }

    /// Tests that the best system wins nearly always with many documents, but not with few.
    #[test]
    fn more_documents_err_less() {
        let systems = systems();
        let problem = SyntheticDocuments::new(systems.theta.clone(), 5.0, 50, FBeta::F1).unwrap();
        let share = |documents| {
            Baseline::All.simulate(documents, &problem, &systems, &Streams::new(1), 200)
        };
        let (few, many) = (share(3), share(1000));
        assert!(few.by_counts < 0.8 && few.by_mean < 0.8, "{few:?}");
        assert!(many.by_counts > 0.97 && many.by_mean > 0.97, "{many:?}");
    }

    /// Tests documents of one item, whose F is 1 for TP and TN and 0 for FP and FN.
    #[test]
    fn documents_of_one_item() {
        let systems = vec![[0.3, 0.2, 0.1, 0.4], [0.1, 0.5, 0.1, 0.3]];
        let problem = SyntheticDocuments::new(systems, 2.0, 1, FBeta::F1).unwrap();
        let truth = OfDocuments::all(&problem, &Streams::new(3)).unwrap();
        for (truth, p) in truth.iter().zip([0.4_f64, 0.2]) {
            let sd = (p * (1.0 - p)).sqrt();
            assert!((truth.mean - p).abs() < 4.5 * sd / 100.0, "{truth:?}");
            assert!((truth.sd / sd - 1.0).abs() < 0.03, "{truth:?}");
        }
    }

    /// Tests that the paper's baselines outside of Table 4 are those for a quarter of δ, to within
    /// a document per system.
    #[test]
    fn printed_baselines_are_of_all_systems_at_a_quarter_of_delta() {
        let published = Published::read().unwrap();
        for row in implied(&published).unwrap() {
            let at = if row.table == "Table 4" {
                row.at_tenth
            } else {
                row.at_quarter
            };
            let off = (at - row.baseline_all).abs() / row.systems as f64;
            assert!(off < 1.5, "{row:?}");
        }
    }
}
