//! Fuzzing of users' files and of jobs: the program answers or refuses in time, and never panics.
//!
//! Real inputs are mutated: pieces are taken out, doubled, moved between inputs, words and numbers
//! replaced by worse ones, bits flipped; values and columns change places. `FIESTA_FUZZ_CASES` says how many of each kind (a million
//! by `scripts/test heavy`, as far as they are made in `FIESTA_FUZZ_LIMIT` seconds, else 120) or
//! `FIESTA_FUZZ_SECONDS` for how long (`scripts/test fuzz`),
//! `FIESTA_FUZZ_SEED` which. `FIESTA_FUZZ_MEMORY` says in how many MiB of addresses the process must
//! do with; an input that needs more ends it, and is left in the directory for temporary files.

mod imports;
mod mutate;
mod others;
mod results;
mod scores;
#[path = "../../../tests/skipped/mod.rs"]
mod skipped;
mod study;

use mutate::Mutator;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::{
    fs,
    io::Write as _,
    path::PathBuf,
    sync::mpsc::{self, RecvTimeoutError, Sender},
    time::{Duration, Instant},
};

/// Longest time that the program may take for one input, even on a busy machine.
const TOO_LONG: Duration = Duration::from_secs(20);

fn setting(name: &str, default: u64) -> u64 {
    let value = std::env::var(name).ok();
    value
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

/// Prints the input that a panic is about.
struct Witness<'a> {
    case: u64,
    input: &'a [u8],
}

impl Drop for Witness<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let text = String::from_utf8_lossy(self.input);
            eprintln!("case {}: {:?}\n{text}", self.case, self.input);
        }
    }
}

/// Returns a channel to which each input is sent when its case begins. An input that takes too long
/// is printed, and the tests end there, as nothing else ends a case that never does.
fn watch(what: &str) -> Sender<(u64, Vec<u8>)> {
    let (begun, cases) = mpsc::channel::<(u64, Vec<u8>)>();
    let what = what.to_owned();
    std::thread::spawn(move || {
        let mut running = (0, Vec::new());
        loop {
            match cases.recv_timeout(TOO_LONG) {
                Ok(next) => running = next,
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        let (case, input) = running;
        let text = String::from_utf8_lossy(&input);
        // Not by a macro, whose output a test keeps until it has ended.
        let _ = writeln!(
            std::io::stderr(),
            "{what}: case {case} takes too long: {input:?}\n{text}"
        );
        std::process::abort();
    });
    begun
}

/// Tries many mutations of these inputs; `attempt` says whether a mutation was accepted.
fn fuzz(what: &str, inputs: &[&[u8]], words: &[&str], attempt: impl FnMut(&[u8]) -> bool) {
    let (cases, accepted) = fuzz_unread(what, inputs, words, attempt);
    // Otherwise nothing but the first check of each input was tested.
    assert!(
        accepted * 100 >= cases,
        "{what}: too few inputs were accepted to get deep"
    );
    assert!(accepted < cases, "{what}: too few inputs were refused");
}

/// Tries many mutations of these inputs, without a check of how many are accepted. Returns the
/// number of mutations, and of accepted ones.
fn fuzz_unread(
    what: &str,
    inputs: &[&[u8]],
    words: &[&str],
    mut attempt: impl FnMut(&[u8]) -> bool,
) -> (u64, u64) {
    let memory = setting("FIESTA_FUZZ_MEMORY", 0);
    if memory > 0 {
        let limit = Some(memory << 20);
        let limit = Rlimit {
            current: limit,
            maximum: limit,
        };
        setrlimit(Resource::As, limit).unwrap();
    }
    let (seconds, most) = match setting("FIESTA_FUZZ_SECONDS", 0) {
        // Some kinds take a thousand times as long as others.
        0 => (
            setting("FIESTA_FUZZ_LIMIT", 120),
            setting("FIESTA_FUZZ_CASES", 2000),
        ),
        seconds => (seconds, u64::MAX),
    };
    let mutator = Mutator::new(inputs, words);
    let (mut cases, mut accepted, mut slowest) = (0, 0, Duration::ZERO);
    let (begun, start) = (watch(what), Instant::now());
    for case in 0..most {
        if start.elapsed().as_secs() >= seconds {
            break;
        }
        cases += 1;
        let input = mutator.mutate(setting("FIESTA_FUZZ_SEED", 1), case);
        let witness = Witness {
            case,
            input: &input,
        };
        begun.send((case, input.clone())).unwrap();
        if memory > 0 {
            fs::write(self::witness(what), &input).unwrap();
        }
        let began = Instant::now();
        accepted += u64::from(attempt(&input));
        slowest = slowest.max(began.elapsed());
        drop(witness);
    }
    if memory > 0 {
        fs::remove_file(self::witness(what)).unwrap();
    }
    eprintln!("{what}: {cases} cases, {accepted} accepted, the slowest took {slowest:.1?}");
    (cases, accepted)
}

/// Returns the path of the file that keeps an input which ends the process.
fn witness(what: &str) -> PathBuf {
    std::env::temp_dir().join(format!("fiesta-fuzz-{}", what.replace([' ', ','], "-")))
}
