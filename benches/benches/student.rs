//! Speed of Student's t: building a table, and a value from it against one from the incomplete beta
//! function.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fiesta_benches::criterion;
use fiesta_posterior::student::{StudentT, upper_tail};
use std::hint::black_box;

/// Points between −6 and 6 at which a distribution is evaluated.
const POINTS: u64 = 64;

fn points() -> Vec<f64> {
    let step = 12.0 / (POINTS - 1) as f64;
    (0..POINTS).map(|i| i as f64 * step - 6.0).collect()
}

fn construction(c: &mut Criterion) {
    let mut group = c.benchmark_group("student/construction");
    for degrees_of_freedom in [1.0, 8.0, 50.0, f64::INFINITY] {
        group.bench_function(BenchmarkId::from_parameter(degrees_of_freedom), |b| {
            b.iter(|| StudentT::new(black_box(degrees_of_freedom)));
        });
    }
    group.finish();
}

fn evaluation(c: &mut Criterion) {
    let points = points();
    let mut group = c.benchmark_group("student/evaluation");
    group.throughput(Throughput::Elements(POINTS));
    let table = StudentT::new(8.0);
    group.bench_function("table", |b| {
        b.iter(|| {
            black_box(&points)
                .iter()
                .map(|&x| table.at(x).above)
                .sum::<f64>()
        });
    });
    group.bench_function("incomplete-beta", |b| {
        b.iter(|| {
            black_box(&points)
                .iter()
                .map(|&x| upper_tail(x, 8.0))
                .sum::<f64>()
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = construction, evaluation
}
criterion_main!(benches);
