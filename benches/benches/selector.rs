//! Ask and tell over eight arms: the bookkeeping by itself, a whole selection, and a recorded one
//! replayed.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use fiesta_benches::{Study, criterion};
use fiesta_core::{Agreement, Arms, Ask, Event, Selector};
use fiesta_policies::{
    TopTwo, Uniform,
    stopping::{Never, PosteriorThreshold},
};
use fiesta_posterior::{GaussianArms, Pooled};
use std::iter::from_fn;

const ARMS: usize = 8;
const DECISIONS: u64 = 1000;

fn posterior() -> GaussianArms<Pooled> {
    GaussianArms::pooled(ARMS)
}

/// Measures a thousand decisions without a belief: what the selector itself costs.
fn bookkeeping(c: &mut Criterion) {
    let mut group = c.benchmark_group("selector/bookkeeping");
    group.throughput(Throughput::Elements(DECISIONS));
    group.bench_function("uniform", |b| {
        b.iter_batched_ref(
            || Study::new(ARMS, 0, posterior(), Uniform, Never),
            |study| (0..DECISIONS).all(|_| study.step()),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

/// Measures top-two Thompson sampling from the first evaluation to a confidence of .95.
fn selection(c: &mut Criterion) {
    let begin = || {
        let stopping = PosteriorThreshold::new(0.95).expect("the level is a confidence");
        Study::new(ARMS, 0, posterior(), TopTwo::thompson(), stopping)
    };
    let finish = |study: &mut Study| from_fn(|| study.step().then_some(())).count();
    let mut group = c.benchmark_group("selector/selection");
    group.throughput(Throughput::Elements(finish(&mut begin()) as u64));
    group.bench_function("ttts-0.95", |b| {
        b.iter_batched_ref(begin, finish, BatchSize::SmallInput);
    });
    group.finish();
}

/// Measures a thousand recorded decisions: made again and compared, or only accepted.
fn replay(c: &mut Criterion) {
    let selector = || {
        let arms = Arms::new((0..ARMS).map(|i| format!("arm{i}"))).expect("the names are distinct");
        let builder = Selector::builder(arms, posterior(), TopTwo::thompson(), Never);
        builder
            .seed(1)
            .build()
            .expect("the posterior has as many arms")
    };
    let log = record();
    let mut group = c.benchmark_group("selector/replay");
    group
        .sample_size(20)
        .throughput(Throughput::Elements(DECISIONS));
    group.bench_function("verified", |b| {
        b.iter(|| {
            let mut selector = selector();
            for (ask, event) in &log {
                assert_eq!(selector.replay(ask), Ok(Agreement::Same));
                selector.tell(*event).expect("the evaluation is pending");
            }
            selector
        });
    });
    group.bench_function("accepted", |b| {
        b.iter(|| {
            let mut selector = selector();
            for (ask, event) in &log {
                selector.accept(ask);
                selector.tell(*event).expect("the evaluation is pending");
            }
            selector
        });
    });
    group.finish();
}

fn record() -> Vec<(Ask, Event)> {
    let mut study = Study::new(ARMS, 0, posterior(), TopTwo::thompson(), Never);
    let mut log = Vec::new();
    for _ in 0..DECISIONS {
        if let ask @ Ask::Evaluate(evaluation) = study.asked() {
            log.push((ask.clone(), study.outcome(evaluation)));
        }
        study.step();
    }
    log
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = bookkeeping, selection, replay
}
criterion_main!(benches);
