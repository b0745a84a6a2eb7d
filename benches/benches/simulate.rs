//! Twenty simulated selections among eight Gaussian arms, to a confidence of .95, on one thread.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fiesta_benches::{DEVIATION, criterion, means};
use fiesta_core::{Observe, Policy, StoppingRule};
use fiesta_policies::{
    TopTwo,
    simulate::{Gaussian, MakeRule, Simulation},
    stopping::PosteriorThreshold,
};
use fiesta_posterior::GaussianArms;

const RUNS: u64 = 20;

fn simulate(c: &mut Criterion) {
    let problem =
        Gaussian::new(means(8).map(|mean| (mean, DEVIATION))).expect("the moments are finite");
    let rule = PosteriorThreshold::new(0.95).expect("the level is a confidence");
    let rules: [MakeRule<'_>; 1] = [Box::new(move || Box::new(rule) as Box<dyn StoppingRule>)];
    let posterior = |arms| Box::new(GaussianArms::pooled(arms)) as Box<dyn Observe<f64>>;
    let policy = || Box::new(TopTwo::thompson()) as Box<dyn Policy>;
    let simulation = Simulation::new(&problem, RUNS).seed(1).threads(1);
    let mut group = c.benchmark_group("simulate");
    group.sample_size(10).throughput(Throughput::Elements(RUNS));
    group.bench_function("ttts-8-arms-0.95", |b| {
        b.iter(|| simulation.confidence(posterior, policy, &rules));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = simulate
}
criterion_main!(benches);
