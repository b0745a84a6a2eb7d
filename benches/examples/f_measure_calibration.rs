#![allow(clippy::pedantic)]
//! exploration
use fiesta_core::{Beliefs, Counts, FBeta, Observe, Policy, StoppingRule, Verdict, View};
use fiesta_policies::{
    Parameters, by_name,
    simulate::{Durations, MakeRule, Simulation, SyntheticDocuments},
    stopping::PosteriorThreshold,
};
use fiesta_posterior::f_measure::{Concentration, FMeasureArms};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Distribution, Gamma};

struct AtLeast(u64, u64, PosteriorThreshold);
impl StoppingRule<Counts> for AtLeast {
    fn check(&self, view: &View<'_>) -> Verdict {
        if view.total_ended() < self.1 {
            return Verdict::Continue;
        }
        let Some(belief) = view.belief() else {
            return Verdict::Continue;
        };
        let (leader, _) = belief.leader();
        let next = view
            .candidates()
            .iter()
            .copied()
            .filter(|&a| a != leader)
            .max_by(|a, b| belief.of(*a).total_cmp(&belief.of(*b)))
            .unwrap();
        if view.observed(leader) < self.0 || view.observed(next) < self.0 {
            return Verdict::Continue;
        }
        StoppingRule::<Counts>::check(&self.2, view)
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let get = |name: &str, default: &str| {
        args.iter()
            .position(|a| a == name)
            .map_or(default.to_owned(), |i| args[i + 1].clone())
    };
    let configs: u64 = get("--configs", "20").parse().unwrap();
    let runs: u64 = get("--runs", "10").parse().unwrap();
    let draws: usize = get("--draws", "1000").parse().unwrap();
    let min_each: u64 = get("--min", "1").parse().unwrap();
    let min_total: u64 = get("--total", "1").parse().unwrap();
    let workers: usize = get("--workers", "1").parse().unwrap();
    let cap: u64 = get("--cap", "5000").parse().unwrap();
    let seed: u64 = get("--seed", "1").parse().unwrap();
    let policy = get("--policy", "ttps");
    let exact = args.iter().any(|a| a == "--exact");
    let kind = get("--alpha", "learned");
    let concentration = match kind.as_str() {
        "learned" => Concentration::Learned,
        "shared" => Concentration::Shared,
        x => Concentration::fixed(x.parse().unwrap()).unwrap(),
    };
    let alphas: Vec<f64> = get("--alphas", "0.3,1,10,100,inf")
        .split(',')
        .map(|x| x.parse().unwrap())
        .collect();
    let lengths: Vec<u64> = get("--lengths", "25,100,400")
        .split(',')
        .map(|x| x.parse().unwrap())
        .collect();
    for &alpha in &alphas {
        for &length in &lengths {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let gamma = Gamma::new(1.0, 1.0).unwrap();
            let (mut correct, mut n, mut total, mut capped) = (0.0, 0.0, 0.0, 0.0);
            let began = std::time::Instant::now();
            for c in 0..configs {
                let systems = loop {
                    let systems: Vec<[f64; 4]> = (0..5)
                        .map(|_| {
                            let y: [f64; 4] = std::array::from_fn(|_| gamma.sample(&mut rng));
                            let s: f64 = y.iter().sum();
                            y.map(|y| y / s)
                        })
                        .collect();
                    let mut f: Vec<f64> = systems.iter().map(|&t| FBeta::F1.of(t)).collect();
                    f.sort_by(f64::total_cmp);
                    let gap = f[4] - f[3];
                    if gap >= 0.05 && (!exact || gap < 0.055) {
                        break systems;
                    }
                };
                let problem = SyntheticDocuments::new(systems, alpha, length, FBeta::F1).unwrap();
                let rules: [MakeRule<'_, Counts>; 1] = [Box::new(|| {
                    Box::new(AtLeast(
                        min_each,
                        min_total,
                        PosteriorThreshold::new(0.95).unwrap(),
                    ))
                })];
                let s = Simulation::new(&problem, runs)
                    .seed(seed * 1000 + c)
                    .cap(cap)
                    .workers(workers, Durations::Constant)
                    .confidence(
                        &|arms| {
                            Box::new(
                                FMeasureArms::new(arms)
                                    .concentration(concentration)
                                    .draws(draws),
                            ) as Box<dyn Observe<Counts>>
                        },
                        &|| {
                            by_name(
                                &policy,
                                &Parameters {
                                    arms: 5,
                                    budget: None,
                                    batch: 1,
                                    extended: false,
                                    beta: None,
                                    tie_break: None,
                                },
                            )
                            .unwrap() as Box<dyn Policy>
                        },
                        &rules,
                    )
                    .unwrap();
                correct += s[0].correct * runs as f64;
                n += runs as f64;
                total += s[0].mean * runs as f64;
                capped += s[0].capped as f64;
            }
            let p = correct / n;
            println!(
                "{kind} alpha {alpha} N {length}: success {:.1} ± {:.1} %, queries {:.1}, capped {capped}, {:.1} s, {:.2} ms/query",
                100.0 * p,
                100.0 * (p * (1.0 - p) / n).sqrt(),
                total / n,
                began.elapsed().as_secs_f64(),
                began.elapsed().as_secs_f64() * 1e3 / total
            );
        }
    }
    let _ = FMeasureArms::new(2).arms();
}
