//! Benchmark of ten thousand joint draws of three arms.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fiesta_core::Marginal;
use fiesta_posterior::best_arm::{independent_draw, monte_carlo};
use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};

fn kernel(c: &mut Criterion) {
    let arms = [0.62, 0.64, 0.63].map(|location| Marginal {
        location,
        scale: 0.01,
        degrees_of_freedom: 8.0,
    });
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut group = c.benchmark_group("monte-carlo");
    group
        .throughput(Throughput::Elements(10_000))
        .sample_size(10);
    group.bench_function("3 arms", |b| {
        b.iter(|| {
            monte_carlo(
                3,
                10_000,
                &mut rng,
                |rng: &mut dyn Rng, means: &mut [f64]| independent_draw(&arms, rng, means),
            )
        });
    });
    group.finish();
}

criterion_group!(benches, kernel);
criterion_main!(benches);
