//! Simulates the studies of many seeds, side by side, and prints what was broken.
//!
//! `fiesta-simulate COUNT [FIRST]` simulates COUNT studies from the seed FIRST (default 0) on all processors. `--until-broken
//! COUNT` stops at the first that breaks a promise, and `--seed SEED` tells the story of one. Ends with 1 if a promise was
//! broken.

use fiesta_simulation::controller::{Simulation, shortened, simulate};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    process::ExitCode,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Instant,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |word: &str| word.parse::<u64>().ok();
    let asked = match *words {
        ["--seed", seed] => number(seed).map(tell),
        ["--until-broken", count] => number(count).map(|count| many(0..count, true)),
        [count] => number(count).map(|count| many(0..count, false)),
        [count, first] => {
            let both = number(count).zip(number(first));
            both.map(|(count, first)| many(first..first + count, false))
        }
        _ => None,
    };
    asked.unwrap_or_else(|| {
        eprintln!("usage: fiesta-simulate COUNT [FIRST] | --until-broken COUNT | --seed SEED");
        ExitCode::from(2)
    })
}

/// Tells the story of a seed, shortened if a promise is broken.
fn tell(seed: u64) -> ExitCode {
    let place = tempfile::tempdir().expect("a directory for temporary files");
    let simulation = shortened(seed, &place.path().join("study"));
    println!("{}", simulation.story.join("\n"));
    say(seed, &simulation);
    ExitCode::from(u8::from(simulation.broken.is_some()))
}

fn say(seed: u64, simulation: &Simulation) {
    let words = simulation
        .broken
        .as_deref()
        .unwrap_or("every promise was kept");
    println!(
        "seed {seed}: {} evaluations, {} faults: {words}",
        simulation.evaluations, simulation.faults
    );
}

/// Simulates the studies of these seeds, and prints those that break a promise.
fn many(seeds: Range<u64>, stops: bool) -> ExitCode {
    let next = AtomicU64::new(seeds.start);
    let is_over = AtomicBool::new(false);
    let began = Instant::now();
    let work = || {
        let place = tempfile::tempdir().expect("a directory for temporary files");
        let mut ended: Vec<Simulation> = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end || is_over.load(Ordering::Relaxed) {
                return ended;
            }
            let directory = place.path().join("study");
            std::fs::create_dir(&directory).expect("a directory");
            let mut simulation = simulate(seed, &BTreeSet::new(), &directory);
            std::fs::remove_dir_all(&directory).expect("the directory can be removed");
            if simulation.broken.is_some() {
                say(seed, &simulation);
                is_over.fetch_or(stops, Ordering::Relaxed);
            }
            simulation.story.clear();
            ended.push(simulation);
        }
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let ended: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    let seconds = began.elapsed().as_secs_f64();
    let median = |of: fn(&Simulation) -> usize| {
        let mut numbers: Vec<usize> = ended.iter().map(of).collect();
        numbers.sort_unstable();
        numbers.get(numbers.len() / 2).copied().unwrap_or_default()
    };
    let broken = ended.iter().filter(|one| one.broken.is_some()).count();
    println!(
        "{} studies in {seconds:.1} s ({:.0} a second): median of {} evaluations and {} faults; {broken} broke a promise",
        ended.len(),
        ended.len() as f64 / seconds,
        median(|one| one.evaluations),
        median(|one| one.faults)
    );
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for (kind, count) in ended.iter().flat_map(|one| &one.kinds) {
        *kinds.entry(kind).or_default() += count;
    }
    println!("faults in a study, on average:");
    for (kind, count) in kinds {
        println!("{:8.2} {kind}", count as f64 / ended.len() as f64);
    }
    ExitCode::from(u8::from(broken > 0))
}
