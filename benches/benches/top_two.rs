//! One step of top-two Thompson sampling: a score is told, the belief is computed, the next arm is
//! chosen.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fiesta_benches::{ROUNDS, Study, criterion, samples};
use fiesta_policies::{TopTwo, stopping::Never};
use fiesta_posterior::posterior_by_name;
use std::time::{Duration, Instant};

/// Number of steps after which a study begins anew, outside the measured time: about as many as a
/// real one takes.
const STEPS: u64 = 200;

fn begin(arms: usize, posterior: &str) -> Study {
    let posterior = posterior_by_name(posterior, arms).expect("the name is known");
    Study::new(arms, ROUNDS, posterior, TopTwo::thompson(), Never)
}

fn step(c: &mut Criterion) {
    for posterior in ["uniform", "pooled"] {
        let mut group = c.benchmark_group(format!("top-two/step-{posterior}"));
        for arms in [2, 8, 30, 100, 1000] {
            let (mut study, mut steps) = (begin(arms, posterior), 0);
            group.sample_size(samples(arms));
            group.bench_function(BenchmarkId::from_parameter(arms), |b| {
                b.iter_custom(|iterations| {
                    let mut elapsed = Duration::ZERO;
                    for _ in 0..iterations {
                        if steps == STEPS {
                            (study, steps) = (begin(arms, posterior), 0);
                        }
                        let began = Instant::now();
                        study.step();
                        elapsed += began.elapsed();
                        steps += 1;
                    }
                    elapsed
                });
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = step
}
criterion_main!(benches);
