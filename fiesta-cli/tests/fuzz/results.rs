//! Fuzzing of the output of jobs, and of their result files.

use super::fuzz;
use fiesta::runner::run::result::{self, Wanted, words};
use fiesta::{Direction, Metric, Observation};
use std::{fs, path::PathBuf};

/// Returns a directory in memory, if there is one, as a million files are written.
pub(super) fn fast() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() {
        memory
    } else {
        std::env::temp_dir()
    }
}

const PRINTED: [&str; 8] = [
    "epoch 1\nepoch 2\n{\"accuracy\": 0.71}\n",
    "\u{1b}[1;32m{\"accuracy\": 0.71, \"cost\": 3.5, \"extra\": {\"a\": [1, null]}}\u{1b}[0m\n",
    " 50%|##\r100%|####\r{\"accuracy\": 7.1e-1}\r\n",
    "{'accuracy': 0.71}\n{\"accuracy\": NaN}\n{\"accuracy\": 0.5}\n",
    "{\"loss\": 0.1}\n{\"accuracy\": 0.25, \"name\": \"caf\\u00e9 \\ud83d\\ude00\"}\ndone\n",
    "{\n  \"accuracy\": 0.71,\n  \"b\": \"}\"\n}\n",
    "{\"tp\": 3, \"fp\": 1, \"tn\": 0, \"fn\": 2, \"accuracy\": 1}\n",
    "{\"accuracy\": 0.3, \"a\": {\"tp\": 3, \"fp\": 1, \"fn\": 2}, \"b\": {\"tp\": 3.0, \"fp\": 1, \"fn\": 0}}\n",
];

const WORDS: [&str; 14] = [
    "\"accuracy\"",
    "accuracy",
    "\"accuracy\": ",
    "{\"accuracy\": 0.5}",
    "\u{1b}[",
    "\u{1b}]0;",
    "\u{7}",
    "\"cost\"",
    "\"tp\"",
    "\"fn\": 1",
    "0,71",
    "[[[[[[[[[[[[[[[[[[[[",
    "{\"a\":{\"a\":{\"a\":{\"a\":",
    "\\ud800",
];

fn results(what: &str, file: &str) {
    let place = tempfile::tempdir_in(fast()).unwrap();
    let path = place.path().join(file);
    let metric = Metric::new("accuracy", Direction::Maximize, Some((0.0, 1.0))).unwrap();
    let inputs = PRINTED.map(str::as_bytes);
    fuzz(what, &inputs, &WORDS, |input| {
        fs::write(&path, input).unwrap();
        let mut accepted = false;
        for wanted in [
            Wanted::Score(&metric),
            Wanted::ScoreOr(&metric, 0.25),
            Wanted::Counts,
        ] {
            match result::read(place.path(), wanted) {
                Ok(scored) => {
                    if let Observation::Score(score) = scored.observation {
                        assert!((0.0..=1.0).contains(&score), "{score}");
                    }
                    assert!(
                        scored
                            .cost
                            .is_none_or(|cost| cost.is_finite() && cost >= 0.0)
                    );
                    let _ = (
                        words(&scored.observation),
                        serde_json::to_string(&scored.extras).unwrap(),
                    );
                    accepted = true;
                }
                Err(error) => {
                    // Messages stay short and harmless, whatever they quote.
                    let text = error.to_string();
                    assert!(text.len() < 40_000, "{}", text.len());
                    let is_odd = |c: char| c.is_control() && c != '\n';
                    assert!(!text.contains(is_odd), "{text:?}");
                }
            }
        }
        accepted
    });
}

#[test]
fn standard_output() {
    results("standard output", "stdout");
}

#[test]
fn result_files() {
    results("result files", "result.json");
}
