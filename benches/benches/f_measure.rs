//! The posterior of F-measures: adding a document, drawing, and a step of a study.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fiesta_benches::criterion;
use fiesta_core::{ArmId, Case, Counts, Observe, Posterior, Streams};
use fiesta_posterior::f_measure::{Concentration, FMeasureArms, Gibbs, Prior};
use rand::RngExt;
use std::hint::black_box;

/// Documents of 25 items, each with its own share of hits.
fn documents(seed: u64) -> impl Iterator<Item = Counts> {
    let mut rng = Streams::new(seed).run(0);
    std::iter::repeat_with(move || {
        let hits: f64 = rng.random();
        let mut cells = [0; 4];
        for _ in 0..25 {
            let cell = if rng.random::<f64>() < hits {
                0
            } else {
                rng.random_range(1..4)
            };
            cells[cell] += 1;
        }
        Counts::from_cells(cells)
    })
}

fn study(systems: usize, count: usize, concentration: Concentration) -> FMeasureArms {
    let mut posterior = FMeasureArms::new(systems)
        .concentration(concentration)
        .draws(1000);
    for arm in ArmId::all(systems) {
        for (split, counts) in (0..).zip(documents(arm.index() as u64).take(count)) {
            posterior
                .observe(arm, Case { split, seed: 0 }, counts)
                .expect("counts of a document");
        }
    }
    posterior
}

fn next() -> (ArmId, Case, Counts) {
    let counts = documents(99).next().expect("there is always one more");
    (ArmId::new(0), Case { split: 0, seed: 0 }, counts)
}

/// Measures taking in one document more, without a question to the posterior.
fn observe(c: &mut Criterion) {
    let mut group = c.benchmark_group("f-measure/observe");
    for count in [10, 1000, 100_000] {
        let mut posterior = study(1, count, Concentration::Learned);
        let (arm, case, counts) = next();
        group.bench_function(BenchmarkId::from_parameter(count), |b| {
            b.iter(|| posterior.observe(arm, case, black_box(counts)));
        });
    }
    group.finish();
}

/// Measures a thousand draws of one system.
fn sample(c: &mut Criterion) {
    let mut group = c.benchmark_group("f-measure/sample");
    group.throughput(Throughput::Elements(1000));
    let known = Concentration::fixed(1.0).expect("a concentration");
    for (name, concentration) in [("known", known), ("learned", Concentration::Learned)] {
        for count in [5, 20, 100, 400, 100_000] {
            let posterior = study(1, count, concentration);
            let mut rng = Streams::new(1).draws(0);
            group.bench_function(BenchmarkId::new(name, count), |b| {
                b.iter(|| posterior.sample(ArmId::new(0), 1000, &mut rng));
            });
        }
    }
    group.finish();
}

/// Measures a step of a study: one more document of one system, and P(best) of all systems.
fn step(c: &mut Criterion) {
    let mut group = c.benchmark_group("f-measure/step");
    for (name, concentration) in [
        ("learned", Concentration::Learned),
        ("shared", Concentration::Shared),
    ] {
        for systems in [2, 5, 20, 100] {
            let mut posterior = study(systems, 50, concentration);
            let arms: Vec<ArmId> = ArmId::all(systems).collect();
            let (arm, case, counts) = next();
            group.bench_function(BenchmarkId::new(name, systems), |b| {
                b.iter(|| {
                    posterior
                        .observe(arm, case, counts)
                        .expect("counts of a document");
                    posterior.belief(black_box(&arms))
                });
            });
        }
    }
    group.finish();
}

/// Measures a sweep of the Gibbs sampler for one system.
fn sweep(c: &mut Criterion) {
    let mut group = c.benchmark_group("f-measure/gibbs-sweep");
    for count in [5, 100] {
        let documents: Vec<Counts> = documents(0).take(count).collect();
        let chain = Gibbs::new(&documents, Prior::default(), Concentration::Learned);
        let mut chain = chain.expect("counts of 25 items");
        let mut rng = Streams::new(1).draws(0);
        group.bench_function(BenchmarkId::from_parameter(count), |b| {
            b.iter(|| chain.sweep(&mut rng));
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = criterion(); targets = observe, sample, sweep, step }
criterion_main!(benches);
