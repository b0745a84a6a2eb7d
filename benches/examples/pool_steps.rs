//! Steps of a live study on a pool of items, for a profiler or `/usr/bin/time -v`, with the greatest
//! memory: `pool_steps ARMS ITEMS EVALUATIONS STEPS`.
//!
//! After so many evaluations, each of so many steps is a look of the stopping rule, a decision, its
//! answer, and P(best) of all arms, as a study shows it.

use fiesta_benches::pool::PoolStudy;
use std::time::Instant;

fn main() {
    let mut numbers = std::env::args().skip(1).map(|number| {
        let number: Result<u64, _> = number.parse();
        number.expect("numbers are asked for")
    });
    let mut next = |usual| numbers.next().unwrap_or(usual);
    let (arms, items, evaluations, steps) = (next(100), next(10_000), next(10_000), next(200));
    let mut study = PoolStudy::new(usize::try_from(arms).expect("it is small"), items);
    let began = Instant::now();
    study.steps(evaluations);
    let before = began.elapsed().as_secs_f64() * 1e6 / study.made.max(1) as f64;
    println!("{before:.2} µs a decision, over {} evaluations", study.made);
    let mut times: Vec<f64> = Vec::new();
    let mut of_belief = 0.0;
    for _ in 0..steps {
        let began = Instant::now();
        if !study.step() {
            break;
        }
        let decided = Instant::now();
        std::hint::black_box(study.selector().view().belief());
        of_belief += decided.elapsed().as_secs_f64();
        times.push(began.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    if let (Some(most), Some(median)) = (times.last(), times.get(times.len() / 2)) {
        println!(
            "{:.3} ms a step with the belief of all arms (median), {:.3} ms at most; the belief alone {:.3} ms (mean)",
            median * 1e3,
            most * 1e3,
            of_belief * 1e3 / times.len() as f64
        );
    }
    // Where there is a kernel that tells.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(peak) = status.lines().find(|line| line.starts_with("VmHWM")) {
        println!("{peak} for {} cells", arms * items);
    }
}
