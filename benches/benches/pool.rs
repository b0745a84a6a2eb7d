//! Selection on a pool of items: the posterior by itself, decisions with their answers and looks,
//! and the step of a live study, with the belief that it shows.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fiesta_benches::{criterion, pool::PoolStudy};
use fiesta_core::{ArmId, Case, Observe, Posterior};
use fiesta_posterior::Pool;
use std::hint::black_box;

/// Numbers of arms, of items, and of the decisions that are measured together: from the first to
/// where two thirds of the cells, or as many evaluations as a study usually needs, are known.
const SIZES: [(usize, u64, u64); 2] = [(12, 1_000, 4_000), (71, 1_000, 6_000)];

/// Measures an answer by itself, and the stopping rule's look after it, on a pool as a selection leaves it.
fn posterior(c: &mut Criterion) {
    let mut group = c.benchmark_group("pool/posterior");
    group.sample_size(20);
    for (arms, items, decisions) in SIZES {
        let mut study = PoolStudy::new(arms, items);
        study.steps(decisions);
        let all: Vec<ArmId> = ArmId::all(arms).collect();
        let answers = study.answers();
        group.throughput(Throughput::Elements(answers.len() as u64));
        group.bench_function(BenchmarkId::new("answer-and-claim", arms), |b| {
            b.iter_batched_ref(
                || Pool::new(arms, items),
                |pool| {
                    for &(arm, item, score) in answers {
                        let case = Case {
                            split: item,
                            seed: 0,
                        };
                        pool.observe(arm, case, score)
                            .expect("it is asked for once");
                        black_box(pool.claim(0.0, &all));
                    }
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

/// Measures decisions of the policy `pool` from the first on, each with the rule's look before it
/// and its answer.
fn decisions(c: &mut Criterion) {
    let mut group = c.benchmark_group("pool/decision");
    group.sample_size(20);
    for (arms, items, decisions) in SIZES {
        group.throughput(Throughput::Elements(decisions));
        group.bench_function(BenchmarkId::from_parameter(arms), |b| {
            b.iter_batched_ref(
                || PoolStudy::new(arms, items),
                |study| study.steps(decisions),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

/// Measures one step of a live study of 100 arms and 10⁴ items, without and with P(best) of all
/// arms, from 10,000 answers on.
fn live_step(c: &mut Criterion) {
    let mut group = c.benchmark_group("pool/live-step-100x10000");
    for (name, shows) in [("decision", false), ("with-belief", true)] {
        let mut study = PoolStudy::new(100, 10_000);
        study.steps(10_000);
        group.bench_function(name, |b| {
            b.iter(|| {
                assert!(study.step(), "the selection has ended");
                if shows {
                    black_box(study.selector().view().belief());
                }
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = posterior, decisions, live_step
}
criterion_main!(benches);
