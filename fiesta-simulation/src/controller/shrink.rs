//! Shorter stories of broken promises.

use super::{Simulation, simulate};
use std::{collections::BTreeSet, path::Path};

/// Returns the simulation of a seed with as few faults as still break a promise, each of which is needed. `directory` is
/// emptied before each try.
///
/// # Panics
/// If the directory cannot be emptied or written.
pub fn shortened(seed: u64, directory: &Path) -> Simulation {
    let attempt = |without: &BTreeSet<usize>| {
        if directory.exists() {
            std::fs::remove_dir_all(directory).expect("the directory can be removed");
        }
        std::fs::create_dir_all(directory).expect("the directory can be made");
        simulate(seed, without, directory)
    };
    let mut without = BTreeSet::new();
    let mut best = attempt(&without);
    // Halves, quarters, …, single faults. What strikes after a fault that is left out may be another course.
    let mut size = best.story.len().max(2) / 2;
    while best.broken.is_some() && size > 0 {
        let mut from = 0;
        while from < best.story.len() {
            let mut more = without.clone();
            more.extend(from..from + size);
            if more.len() > without.len() {
                let shorter = attempt(&more);
                if shorter.broken.is_some() && shorter.faults < best.faults {
                    (without, best) = (more, shorter);
                }
            }
            from += size;
        }
        size /= 2;
    }
    best
}
