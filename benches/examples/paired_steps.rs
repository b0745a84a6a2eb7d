//! Steps of a study on shared splits, for a profiler or `/usr/bin/time -v`:
//! `paired_steps ARMS EVALUATIONS STEPS`.

use fiesta_core::{ArmId, Case, Observe, Posterior, Streams};
use fiesta_posterior::Paired;
use rand_distr::{Distribution, StandardNormal};
use std::time::Instant;

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts are small and positive"
)]
fn main() {
    let mut numbers = std::env::args().skip(1).map(|number| {
        let number: Result<usize, _> = number.parse();
        number.expect("numbers are asked for")
    });
    let mut next = |usual| numbers.next().unwrap_or(usual);
    let (arms, evaluations, steps) = (next(8), next(1_000), next(100));
    let mut normal = StandardNormal.sample_iter(Streams::new(1).run(0));
    let mut posterior = Paired::new(arms);
    let mut effects: Vec<f64> = Vec::new();
    let mut seen = vec![0; arms];
    let mut observe = |posterior: &mut Paired, arm: usize| {
        let split = seen[arm];
        seen[arm] += 1;
        if split == effects.len() {
            effects.extend(normal.next());
        }
        let noise: f64 = normal.next().unwrap_or_default();
        let score = 0.02 * (effects[split] + noise) + 0.01 * (arm % 7) as f64;
        let case = Case {
            split: split as u64,
            seed: 0,
        };
        posterior
            .observe(ArmId::new(arm), case, score)
            .expect("it is a score");
    };
    // Arms have seen from a quarter to all of the splits.
    let share = |arm: usize| 0.25 + 0.75 * (arm + 1) as f64 / arms as f64;
    let total: f64 = (0..arms).map(share).sum();
    for arm in 0..arms {
        for _ in 0..((evaluations as f64 * share(arm) / total) as usize).max(1) {
            observe(&mut posterior, arm);
        }
    }
    let candidates: Vec<ArmId> = ArmId::all(arms).collect();
    let began = Instant::now();
    for step in 0..steps {
        let belief = posterior.belief(&candidates);
        let leader = belief.leader().0;
        for split in 0..2 {
            let extra = [(leader, Case { split, seed: 1 })];
            assert!(posterior.variances(leader, &extra).is_some());
        }
        observe(
            &mut posterior,
            if step % 2 == 0 {
                leader.index()
            } else {
                step % arms
            },
        );
    }
    // Where there is a kernel that tells.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(peak) = status.lines().find(|line| line.starts_with("VmHWM")) {
        println!("{peak}");
    }
    println!(
        "{:.3} ms a step",
        began.elapsed().as_secs_f64() * 1e3 / steps as f64
    );
}
