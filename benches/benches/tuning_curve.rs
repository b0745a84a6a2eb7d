//! Speed of tuning curves: the mean and the standard deviation of the best of n for all n, and
//! simultaneous bands.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fiesta_benches::criterion;
use fiesta_core::{Direction, Streams};
use fiesta_report::{
    bands::{Band, Bounds, CdfBand, CurveBand},
    budget::Budget,
    tuning_curve::{Estimator, TrialScores},
};
use rand::RngExt;
use std::hint::black_box;

const SIZES: [usize; 3] = [50, 500, 5000];

fn sample(count: usize) -> TrialScores {
    let mut rng = Streams::new(1).run(0);
    let scores: Vec<f64> = (0..count).map(|_| rng.random()).collect();
    TrialScores::new(scores, Direction::Maximize).expect("random numbers are finite")
}

fn all_n(c: &mut Criterion) {
    let mut group = c.benchmark_group("tuning_curve/all-n");
    for estimator in [Estimator::PlugIn, Estimator::Unbiased] {
        for count in SIZES.into_iter().chain([100_000, 1_000_000]) {
            let sample = sample(count);
            let id = BenchmarkId::new(estimator.name(), count);
            group.sample_size(if count > 10_000 { 10 } else { 50 });
            group.bench_function(id, |b| {
                b.iter(|| black_box(&sample).curve(estimator, count));
            });
        }
    }
    group.finish();
}

fn budget(c: &mut Criterion) {
    let mut group = c.benchmark_group("tuning_curve/budget");
    for count in SIZES {
        let sample = sample(count);
        group.bench_function(BenchmarkId::from_parameter(count), |b| {
            b.iter(|| -> Budget {
                black_box(&sample)
                    .budget(Estimator::PlugIn, 0.9)
                    .expect("a finite value")
            });
        });
    }
    group.finish();
}

fn bands(c: &mut Criterion) {
    let mut group = c.benchmark_group("tuning_curve/bands");
    for band in [Band::EqualTailed, Band::HighestDensity, Band::Ks] {
        for count in SIZES {
            group.sample_size(if count > 1000 { 10 } else { 30 });
            let id = BenchmarkId::new(band.name(), count);
            group.bench_function(id, |b| {
                b.iter(|| CdfBand::new(band, black_box(count), 0.95));
            });
        }
    }
    group.finish();
}

fn curve_band(c: &mut Criterion) {
    let mut group = c.benchmark_group("tuning_curve/mean-band");
    let bounds = Bounds::new(Some(0.0), Some(1.0)).expect("an interval");
    for count in SIZES {
        let sample = sample(count);
        let cdf = CdfBand::new(Band::EqualTailed, count, 0.95).expect("a confidence");
        let band = CurveBand::new(&cdf, &sample, bounds).expect("scores within the bounds");
        group.bench_function(BenchmarkId::from_parameter(count), |b| {
            b.iter(|| black_box(&band).mean_curve(count));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = all_n, budget, bands, curve_band
}
criterion_main!(benches);
