//! P(arm is best) of K independent arms, by quadrature and by Monte Carlo.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fiesta_benches::{criterion, marginals, samples};
use fiesta_core::{Marginal, Streams};
use fiesta_posterior::best_arm::{TOLERANCE, independent_draw, monte_carlo, quadrature};
use std::hint::black_box;

const DRAWS: u64 = 10_000;

fn by_quadrature(c: &mut Criterion) {
    for (name, tolerance) in [("1e-9", TOLERANCE), ("1e-6", 1e-6)] {
        let mut group = c.benchmark_group(format!("belief/quadrature-{name}"));
        for arms in [2, 8, 30, 100, 300, 1000] {
            let marginals = marginals(arms);
            group
                .sample_size(samples(arms))
                .throughput(Throughput::Elements(arms as u64));
            group.bench_function(BenchmarkId::from_parameter(arms), |b| {
                b.iter(|| quadrature(black_box(&marginals), tolerance));
            });
        }
        group.finish();
    }
}

fn by_monte_carlo(c: &mut Criterion) {
    let mut group = c.benchmark_group("belief/monte-carlo");
    for arms in [2, 8, 100, 1000] {
        let marginals = marginals(arms);
        group
            .sample_size(samples(arms))
            .throughput(Throughput::Elements(arms as u64));
        group.bench_function(BenchmarkId::from_parameter(arms), |b| {
            let mut rng = Streams::new(1).draws(0);
            b.iter(|| {
                monte_carlo(arms, DRAWS, &mut rng, |rng, means| {
                    independent_draw(black_box(&marginals), rng, means);
                })
            });
        });
    }
    group.finish();
}

/// Measures P(best) of eight arms with tails from Cauchy's to the normal's, also with degrees of
/// freedom that are no whole number.
fn by_degrees_of_freedom(c: &mut Criterion) {
    let mut group = c.benchmark_group("belief/degrees-of-freedom");
    for degrees_of_freedom in [1.0, 2.5, 3.0, 8.0, 50.0, f64::INFINITY] {
        let marginals: Vec<Marginal> = marginals(8)
            .into_iter()
            .map(|m| Marginal {
                degrees_of_freedom,
                ..m
            })
            .collect();
        group.bench_function(BenchmarkId::from_parameter(degrees_of_freedom), |b| {
            b.iter(|| quadrature(black_box(&marginals), TOLERANCE));
        });
    }
    group.finish();
}

/// Measures P(best) of eight arms, the widest 5,000 times as wide as the narrowest.
fn by_scales(c: &mut Criterion) {
    let marginals: Vec<Marginal> = (0_i32..)
        .zip(marginals(8))
        .map(|(i, m)| Marginal {
            scale: m.scale * 5000_f64.powf(f64::from(i) / 7.0),
            ..m
        })
        .collect();
    c.bench_function("belief/scales-5000-apart", |b| {
        b.iter(|| quadrature(black_box(&marginals), TOLERANCE));
    });
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = by_quadrature, by_monte_carlo, by_degrees_of_freedom, by_scales
}
criterion_main!(benches);
