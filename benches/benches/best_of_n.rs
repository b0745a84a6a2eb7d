//! P(highest expected best of n) of 12 arms, for every n up to 1,000, by 10,000 draws.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fiesta_core::Streams;
use fiesta_posterior::best_of_n::{ArmTrials, BestOfN, BestOfNOptions};
use rand::RngExt;
use rand_distr::StandardNormal;

const ARMS: u64 = 12;

fn all_n(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("best_of_n");
    group.sample_size(10);
    for trials in [10, 50, 500] {
        let scores = |arm| {
            let mut rng = Streams::new(1).run(arm);
            let score = |_| 0.1 * arm as f64 + rng.sample::<f64, _>(StandardNormal);
            (0..trials).map(score).collect::<Vec<f64>>()
        };
        let scores: Vec<Vec<f64>> = (0..ARMS).map(scores).collect();
        let arms: Vec<ArmTrials<'_>> = scores.iter().map(|scores| ArmTrials::new(scores)).collect();
        let options = BestOfNOptions {
            largest_n: Some(1000),
            ..BestOfNOptions::default()
        };
        group.bench_function(BenchmarkId::from_parameter(trials), |bencher| {
            bencher.iter(|| BestOfN::compare(&arms, &options));
        });
    }
    group.finish();
}

criterion_group!(benches, all_n);
criterion_main!(benches);
