//! Time of a step of a study whose arms share splits. A step computes the belief, forecasts what one
//! more score of the leader or of a rival would tell, and observes a score.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fiesta_benches::{DEVIATION, criterion, means};
use fiesta_core::{ArmId, Case, Observe, Posterior, Streams};
use fiesta_posterior::Paired;
use rand_distr::{Distribution, StandardNormal};
use std::hint::black_box;

/// The standard deviation of a split's effect.
const EFFECT: f64 = 0.02;

/// A study under way, in which the best arm has seen the most splits, and the worst a quarter as
/// many.
struct Study {
    posterior: Paired,
    means: Vec<f64>,
    seen: Vec<u64>,
    effects: Vec<f64>,
    noise: Vec<f64>,
}

impl Study {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts are small and positive"
    )]
    fn new(arms: usize, evaluations: usize) -> Self {
        let means: Vec<f64> = means(arms).collect();
        let share = |mean: f64| 0.25 + 15.0 * (mean - 0.60);
        let total: f64 = means.iter().map(|&mean| share(mean)).sum();
        let counts = means
            .iter()
            .map(|&mean| (evaluations as f64 * share(mean) / total) as u64);
        let counts: Vec<u64> = counts.collect();
        let mut normal = StandardNormal.sample_iter(Streams::new(1).run(0));
        let mut study = Self {
            posterior: Paired::new(arms),
            means,
            seen: vec![0; arms],
            effects: normal.by_ref().take(4096).collect(),
            noise: normal.take(65_521).collect(),
        };
        for (arm, count) in counts.into_iter().enumerate() {
            for _ in 0..count.max(1) {
                study.observe(arm);
            }
        }
        study
    }

    fn observe(&mut self, arm: usize) {
        let split = self.seen[arm];
        self.seen[arm] += 1;
        let place = usize::try_from(split).unwrap_or(0);
        let score = self.means[arm]
            + EFFECT * self.effects[place % 4096]
            + DEVIATION * self.noise[(arm * 7919 + place) % 65_521];
        let case = Case { split, seed: 0 };
        self.posterior
            .observe(ArmId::new(arm), case, score)
            .expect("it is a score");
    }

    /// Makes a step of the study, in which the best arm and one of the others are each evaluated once.
    fn step(&mut self, number: usize) {
        let candidates: Vec<ArmId> = ArmId::all(self.means.len()).collect();
        let belief = self.posterior.belief(&candidates);
        let leader = belief.leader().0;
        let rival = ArmId::new((leader.index() + 1 + number) % self.means.len());
        for arm in [leader, rival] {
            let case = Case {
                split: self.seen[arm.index()],
                seed: 0,
            };
            black_box(self.posterior.variances(leader, &[(arm, case)]));
        }
        self.observe(
            if number.is_multiple_of(2) {
                leader
            } else {
                rival
            }
            .index(),
        );
    }
}

fn steps(c: &mut Criterion) {
    for (arms, sizes) in [
        (8, &[60, 1_000, 100_000][..]),
        (20, &[200, 2_000]),
        (50, &[500, 5_000, 100_000]),
        (1000, &[100_000]),
    ] {
        let mut group = c.benchmark_group(format!("paired/step-{arms}-arms"));
        group.sample_size(if arms < 50 { 50 } else { 20 });
        for &evaluations in sizes {
            let mut study = Study::new(arms, evaluations);
            let mut number = 0;
            group.bench_function(BenchmarkId::from_parameter(evaluations), |b| {
                b.iter(|| {
                    study.step(number);
                    number += 1;
                });
            });
        }
        group.finish();
    }
}

/// Measures all observations, one after the other, and a belief at the end: what resuming a run takes.
fn observations(c: &mut Criterion) {
    let mut group = c.benchmark_group("paired/observe-100000");
    group.sample_size(10);
    for arms in [8, 50, 1000] {
        group.bench_function(BenchmarkId::from_parameter(arms), |b| {
            b.iter(|| Study::new(arms, 100_000));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = steps, observations
}
criterion_main!(benches);
