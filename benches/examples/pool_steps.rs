//! Steps of a live study on a pool of items, for a profiler or `/usr/bin/time -v`, with the
//! greatest memory: `pool_steps ARMS ITEMS EVALUATIONS STEPS`.
//!
//! After so many evaluations, each of so many steps is a look of the stopping rule, a decision, its
//! answer, and P(best) of all arms, as a study shows it; in processor time.

use fiesta_benches::pool::PoolStudy;
use rustix::time::{ClockId, clock_gettime};

/// Processor time of this process, in seconds: other processes do not count.
fn now() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn main() {
    let mut numbers = std::env::args().skip(1).map(|number| {
        let number: Result<u64, _> = number.parse();
        number.expect("numbers are asked for")
    });
    let mut next = |usual| numbers.next().unwrap_or(usual);
    let (arms, items, evaluations, steps) = (next(100), next(10_000), next(10_000), next(200));
    let mut study = PoolStudy::new(usize::try_from(arms).expect("it is small"), items);
    let began = now();
    study.steps(evaluations);
    let before = (now() - began) * 1e6 / study.made.max(1) as f64;
    println!("{before:.2} µs a decision, over {} evaluations", study.made);
    let mut times: Vec<f64> = Vec::new();
    let mut of_belief = 0.0;
    for _ in 0..steps {
        let began = now();
        if !study.step() {
            break;
        }
        let decided = now();
        std::hint::black_box(study.selector().view().belief());
        of_belief += now() - decided;
        times.push(now() - began);
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
