//! Tests of random search through the program: what jobs are given, what counts as a trial, how a
//! search is resumed, and what is refused.

#[path = "../support/mod.rs"]
mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use support::Bench;

/// Job that records its arguments, and prints a score that follows from the seed.
const JOB: &str = r#"
echo "$FIESTA_ARM $FIESTA_SPLIT $FIESTA_SEED $FIESTA_SETTING" >> log
echo "$* $FIESTA_HP_lr $FIESTA_HP_layers $FIESTA_HP_dropout $FIESTA_HP_Act" >> given
[ -e slow ] && sleep 0.1
printf '{"accuracy": 0.%03d}\n' $((100 + FIESTA_SEED % 800))
"#;

/// Study file of a search with all four kinds of parameters. The second arm lacks most of them, and has one of its own.
const STUDY: &str = r#"name = "trial"
command = ["sh", "job.sh", "{lr}", "{layers}", "{dropout}", "{Act}"]
[metric]
name = "accuracy"
[goal]
trials = 6
[design]
parallel = 3
seed = 7
[[arm]]
name = "mlp"
[arm.search]
lr = { loguniform = [1e-6, 1e-1] }
layers = { integer = [1, 3] }
dropout = { uniform = [0, 0.5] }
Act = { choice = ["relu", "tanh", 6, 0.5, true] }
[[arm]]
name = "linear"
command = ["sh", "job.sh", "--lr={lr}", "${HOME}", "{{lr}}"]
search = { lr = { loguniform = [1e-6, 1e-1] } }
"#;

fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("job.sh", JOB);
    bench.file("study.toml", STUDY);
    bench
}

/// Returns the settings of the trials that were begun, by arm, split and seed. Fails if a trial was
/// given two settings.
fn begun(bench: &Bench) -> BTreeMap<[String; 3], Value> {
    let mut trials = BTreeMap::new();
    for line in bench.text("log").lines() {
        let mut words = line.splitn(4, ' ').map(ToOwned::to_owned);
        let mut word = || words.next().unwrap();
        let trial = [word(), word(), word()];
        let setting: Value = serde_json::from_str(&word()).unwrap();
        if let Some(before) = trials.insert(trial, setting.clone()) {
            assert_eq!(before, setting);
        }
    }
    trials
}

mod going_on;
mod refused;
mod settings;
mod told;
mod trials;
