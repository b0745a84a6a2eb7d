//! Error rates of the rule where erring is easiest: on equal arms, and on nearly equal ones.
//!
//! An error is any stop that does not name the one best arm; where the best are exactly equal, any
//! stop at all. The guarantee is at most δ = .05 for every row. `cargo test` makes few runs of
//! each. The table of `docs/anytime.md` is printed by
//! ```console
//! FIESTA_COVERAGE_RUNS=5000 cargo test --release -p fiesta-policies --test anytime -- --ignored --nocapture
//! ```
//! `FIESTA_COVERAGE_ONLY="Independent 8"` leaves out the rows that do not begin like this.

use super::world::{Running, World, is_named};
use fiesta_core::Design;
use fiesta_policies::stopping::AnytimeValid;
use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Instant,
};

const LEVEL: f64 = 0.95;

/// Returns worlds of arms with nearly equal means, in standard deviations of a score's own noise.
fn worlds(design: Design) -> Vec<(&'static str, World)> {
    let of = |means: &[f64], sds: &[f64]| World::new(design, means, sds);
    let lower = |count: usize, by: f64| -> Vec<f64> {
        (0..8)
            .map(|arm| if arm < count { 0.0 } else { -by })
            .collect()
    };
    let mixed = [0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.6, 2.0];
    vec![
        ("2 equal", of(&[0.0; 2], &[1.0; 2])),
        ("2 equal, sd 1 and .1", of(&[0.0; 2], &[1.0, 0.1])),
        ("2, gap .02", of(&[0.0, -0.02], &[1.0; 2])),
        ("2, gap .1", of(&[0.0, -0.1], &[1.0; 2])),
        ("2, gap .1, the best noisier", of(&[0.0, -0.1], &[1.0, 0.2])),
        ("8 equal", of(&lower(8, 0.0), &[1.0; 8])),
        ("8 equal, sd .2 to 2", of(&lower(8, 0.0), &mixed)),
        (
            "8, two best equal, others −.1",
            of(&lower(2, 0.1), &[1.0; 8]),
        ),
        ("8, one best, others −.1", of(&lower(1, 0.1), &[1.0; 8])),
        (
            "8, one best and least noisy, others −.02",
            of(&lower(1, 0.02), &mixed),
        ),
    ]
}

/// The errors and the stops of many runs.
struct Count {
    runs: u64,
    errors: u64,
    stops: u64,
}

fn count(world: &World, policy: &str, running: Running, runs: u64, cap: u64) -> Count {
    let next = AtomicU64::new(0);
    let work = || {
        let (mut errors, mut stops) = (0, 0);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= runs {
                return (errors, stops);
            }
            let rule = AnytimeValid::new(LEVEL, world.means.len()).unwrap();
            let conclusion = world.run(policy, running, rule, number, cap);
            if is_named(&conclusion) {
                stops += 1;
                errors += u64::from(!world.is_the_best(conclusion.arm.index()));
            }
        }
    };
    let counts: Vec<(u64, u64)> = thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.map(|thread| thread.join().unwrap()).into()
    });
    Count {
        runs,
        errors: counts.iter().map(|count| count.0).sum(),
        stops: counts.iter().map(|count| count.1).sum(),
    }
}

/// Prints the error rates of every world with every way of running and every policy. Each policy
/// makes `runs` runs divided by its number.
fn table(runs: u64, horizon: u64, policies: &[(&str, u64)], all: bool) {
    let began = Instant::now();
    let only = std::env::var("FIESTA_COVERAGE_ONLY").unwrap_or_default();
    let (mut total, mut wrong) = (0, Vec::new());
    println!("| splits | arms | policy | running | runs | errors | stops |");
    println!("|---|---|---|---|--:|--:|--:|");
    for design in [Design::Shared, Design::Independent] {
        for (name, world) in worlds(design) {
            let row = format!("{design:?} {name}");
            if !all && world.means.len() > 2 || !row.starts_with(&only) {
                continue;
            }
            for &(policy, share) in policies {
                for running in [Running::Alone, Running::HighLate, Running::HighEarly] {
                    let runs = if world.means.len() > 2 {
                        runs / 4
                    } else {
                        runs
                    } / share;
                    let cap = horizon * world.means.len() as u64;
                    let Count {
                        runs,
                        errors,
                        stops,
                    } = count(&world, policy, running, runs.max(1), cap);
                    let percent = |count: u64| 100.0 * count as f64 / runs as f64;
                    let p = errors as f64 / runs as f64;
                    let error = (p * (1.0 - p) / runs as f64).sqrt();
                    println!(
                        "| {design:?} | {name} | {policy} | {running:?} | {runs} | {:.2} ± {:.2} % | {:.2} % |",
                        100.0 * p,
                        100.0 * error,
                        percent(stops)
                    );
                    total += runs;
                    // 3 standard errors of the share at its bound: with 120 rows whose true share
                    // were the bound itself, one table in 7 would fail falsely; the true shares are
                    // half of it or less.
                    let bound = 1.0 - LEVEL;
                    if p > bound + 3.0 * (bound * (1.0 - bound) / runs as f64).sqrt() {
                        wrong.push(format!("{design:?}, {name}, {policy}, {running:?}: {p}"));
                    }
                }
            }
        }
    }
    println!("({total} runs, {:.0} s)", began.elapsed().as_secs_f64());
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn errors_are_rare_in_few_runs() {
    table(250, 30, &[("uniform", 1), ("evidence", 1)], false);
}

#[test]
#[ignore = "heavy: cargo test --release … -- --ignored"]
fn errors_are_rare() {
    let runs = std::env::var("FIESTA_COVERAGE_RUNS").ok();
    let runs = runs.map_or(60, |runs| runs.parse().expect("a number of runs"));
    table(
        runs,
        300,
        &[("uniform", 1), ("evidence", 1), ("ttts", 10)],
        true,
    );
}
