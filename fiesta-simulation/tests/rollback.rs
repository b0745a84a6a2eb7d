//! Whole studies, simulated from seeds, whose ledgers have rollback journals, as on the disk of another machine. How
//! SQLite uses files is the same for all threads of a process, so that these have a program of their own.

use fiesta_simulation::{controller::simulate, power::default_vfs};
use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn every_promise_is_kept_with_a_rollback_journal() {
    default_vfs("unix-none");
    let memory = Path::new("/dev/shm");
    for seed in 3000..3020 {
        let place = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        let place = place.unwrap();
        let directory = place.path();
        let simulation = simulate(seed, &BTreeSet::new(), directory);
        let ledger = fs::read(directory.join("study.fiesta/ledger.db")).unwrap();
        assert_eq!(ledger[18], 1, "what SQLite notes of a rollback journal");
        let story = || simulation.story.join("\n");
        assert_eq!(simulation.broken, None, "seed {seed}:\n{}", story());
    }
}
