//! Fuzzing of study files.

use super::fuzz;
use fiesta::{
    engines::KINDS,
    runner::{History, Study, ledger::recorded_study},
};
use std::fs;

const QUICKSTART: &str = include_str!("../../../examples/quickstart/study.toml");
const DOCUMENTS: &str = include_str!("../../../examples/documents/study.toml");
const SEARCH: &str = include_str!("../../../examples/random-search/study.toml");
const TUNING: &str = include_str!("../../../examples/tuning/study.toml");
const EVERYTHING: &str = r#"
name = "restaurants"
command = ["python", "train.py", "--model", "{arm}", "--split", "{split}", "--seed", "{seed}"]
[metric]
name = "macro_f1"
direction = "maximize"
bounds = [0.0, 1.0]
exit_codes = [0, 3]
not_finite = 0.0
[goal]
confidence = 0.95
budget = { evaluations = 204, cost = "40h", wall = "8h" }
tolerance = 0.002
[design]
splits = "shared"
policy = "ttts"
posterior = "pooled"
stopping = "posterior"
parallel = 4
seed = 1
[resources]
gpus_per_job = 0.5
timeout = "2h"
silence = "10m"
grace = "5s"
retries = 1
[executor]
kind = "local"
gpus = [0, "MIG-1"]
[report]
code = "https://example.org"
[[arm]]
name = "tdlstm"
cost = 2.5
[[arm]]
name = "atae"
command = ["./atae.sh", "{seed}"]
env = { A = "b" }
gpus_per_job = 2
"#;

const WORDS: [&str; 43] = [
    "[goal]",
    "[design]",
    "[metric]",
    "[[arm]]",
    "[arm.search]",
    "[worker]",
    "[[recorded]]",
    "documents = \"docs.jsonl\"",
    "documents = \"*.txt\"",
    "f_beta = 2.0",
    "precision_weight = 0.3",
    "alpha0 = 5",
    "theta0 = [4, 1, 4, 1]",
    "trials = 50",
    "{ choice = [1, 2, \"a\"] }",
    "{ loguniform = [1e-6, 1e-1] }",
    "{ uniform = [0.0, 0.5] }",
    "{ integer = [1, 9] }",
    "\"anytime\"",
    "\"independent\"",
    "\"fixed\"",
    "\"paired\"",
    "\"uniform\"",
    "\"jeffreys\"",
    "\"f-measure\"",
    "\"sequential-halving\"",
    "\"successive-rejects\"",
    "\"ttucb\"",
    "\"eb-tci\"",
    "\"t3c\"",
    "\"auto\"",
    "\"minimize\"",
    "batch = 3",
    "beta = 0.5",
    "extended = true",
    "tie_break = \"first\"",
    "alpha = \"learned\"",
    "\"99999999999h\"",
    "\"-1s\"",
    "\"0s\"",
    "min_documents = 5",
    "{lr}",
    "{document}",
];

#[test]
fn study_files() {
    let place = tempfile::tempdir_in(super::results::fast()).unwrap();
    let path = place.path().join("study.toml");
    let documents = "{\"id\": \"a\", \"text\": \"x\"}\n{\"id\": \"b\"}\n{\"text\": \"c\"}\n";
    for name in ["docs.jsonl", "documents.jsonl"] {
        fs::write(place.path().join(name), documents).unwrap();
    }
    fs::create_dir(place.path().join("texts")).unwrap();
    for name in (0..40).map(|n| format!("{n}.txt")) {
        fs::write(place.path().join("texts").join(&name), &name).unwrap();
        fs::write(place.path().join(&name), &name).unwrap();
    }
    let inputs = [QUICKSTART, DOCUMENTS, SEARCH, TUNING, EVERYTHING].map(str::as_bytes);
    for input in inputs {
        fs::write(&path, input).unwrap();
        Study::read_with(&path, KINDS).unwrap();
    }
    fuzz("study files", &inputs, &WORDS, |input| {
        // A pattern may ask for the whole disk, and that takes its time.
        let text = String::from_utf8_lossy(input);
        let asks_for_more = |line: &str| {
            line.contains("documents")
                && ["**", "\"/", "'/", ".."]
                    .iter()
                    .any(|far| line.contains(far))
        };
        if text.lines().any(asks_for_more) {
            return false;
        }
        fs::write(&path, input).unwrap();
        match Study::read_with(&path, KINDS) {
            Ok(study) => {
                // What was accepted can be begun, and is what it says.
                let history = History::begin(&study).unwrap();
                assert!(history.selector.conclusion().is_none());
                assert!(recorded_study([].iter()).is_none());
                assert!(study.arms().ids().next().is_some() && !study.name().is_empty());
                let _ = (study.digest(), study.most_evaluations(), study.wanted());
                true
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                false
            }
        }
    });
}

/// Fuzzes files of items with ids, groups and answers.
#[test]
fn files_of_items() {
    let place = tempfile::tempdir_in(super::results::fast()).unwrap();
    let path = place.path().join("study.toml");
    let study = |file: &str| {
        format!(
            "name = \"s\"\ncommand = [\"x\", \"{{arm}}\", \"{{item}}\", \"{{seed}}\"]\n[metric]\nname = \"f1\"\n[design]\nitems = \"{file}\"\n\
             strata = \"kind\"\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\n"
        )
    };
    for (file, input) in [
        (
            "items.jsonl",
            "{\"id\": \"a\", \"kind\": 1, \"n\": 12345678901234567890123}\n{\"id\": \"b\", \"kind\": true}\n{\"id\": 3, \"kind\": true}\n{\"id\": 4, \"kind\": 1}\n{\"kind\": true}\n{\"kind\": 1}\n",
        ),
        (
            "items.csv",
            "id,kind,question\na,1,\"x, y\"\nb,2,\nc,2,z\nd,1,z\ne,1,\nf,2,x\n",
        ),
    ] {
        fs::write(&path, study(file)).unwrap();
        fs::write(place.path().join(file), input).unwrap();
        Study::read_with(&path, KINDS).unwrap();
        fuzz(file, &[input.as_bytes()], &WORDS, |input| {
            fs::write(place.path().join(file), input).unwrap();
            match Study::read_with(&path, KINDS) {
                Ok(study) => {
                    let items = study.items().unwrap();
                    (0..items.len() as u64).for_each(|number| drop(items.object(number)));
                    true
                }
                Err(error) => {
                    assert!(error.to_string().len() < 40_000);
                    false
                }
            }
        });
    }
}
