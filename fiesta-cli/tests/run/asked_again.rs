//! Tests of requests that failed: which are made again at the end, and what is said of the others.

use super::{Bench, code};
use crate::changes::replays;
use rustix::process::Signal;
use std::collections::BTreeMap;

/// Worker that fails on every third item, for the first `$FAILS` requests of an arm, while there is
/// no file `mended`. All arms are equally often right.
const WORKER: &str = r#"
while read -r line; do
    id=${line#*\"id\":\"}; id=${id%%\"*}
    arm=${line#*\"arm\":\"}; arm=${arm%%\"*}
    item=${line#*\"item_id\":\"q}; item=${item%%\"*}
    echo "$arm $item" >> asked
    if [ ! -e mended ] && [ $((item % 3)) -eq 0 ] && [ $(grep -c "^$arm $item\$" asked) -le $FAILS ]
    then printf '{"id": "%s", "error": "no answer"%s}\n' "$id" "$SAYS"
    else
        case $arm in a) right=$((item % 2)) ;; *) right=$(((item + 1) % 2)) ;; esac
        printf '{"id": "%s", "accuracy": %s}\n' "$id" "$right"
    fi
done
"#;

const ITEMS: usize = 24;

fn study(fails: u32, says: &str) -> Bench {
    let bench = Bench::new();
    bench.file("worker.sh", WORKER);
    let line = |number: usize| format!("{{\"id\": \"q{number}\"}}\n");
    bench.file("items.jsonl", &(0..ITEMS).map(line).collect::<String>());
    let says = says.replace('"', "\\\"");
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\n[metric]\nname = \"accuracy\"\n[worker]\ncommand = [\"sh\", \"worker.sh\"]\nenv = {{ FAILS = \"{fails}\", SAYS = \"{says}\" }}\n[design]\nitems = \"items.jsonl\"\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\n"
        ),
    );
    bench
}

/// Returns the number of requests for each arm and item.
fn asked(bench: &Bench) -> BTreeMap<(String, usize), usize> {
    let mut counts = BTreeMap::new();
    for line in bench.log("asked") {
        let key = (line[0].clone(), line[1].parse().unwrap());
        *counts.entry(key).or_default() += 1;
    }
    counts
}

/// Checks that every arm was asked `times` for items that failed, and once for all others.
fn are_asked(bench: &Bench, times: usize) {
    let counts = asked(bench);
    assert_eq!(counts.len(), 2 * ITEMS);
    for ((arm, item), count) in counts {
        let expected = if item % 3 == 0 { times } else { 1 };
        assert_eq!(count, expected, "{arm} {item}");
    }
}

const BUSY: &str = r#", "status": 503, "retry_after": 0.2"#;

#[test]
fn what_failed_for_a_reason_that_passes_is_made_again_at_the_end() {
    for says in [BUSY, r#", "status": "timeout""#] {
        let bench = study(1, says);
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::DONE, &["16 requests failed", "round 1 of 3"]);
        assert!(!ran.stderr.contains("round 2"), "{ran:#?}");
        assert_eq!(ran.stderr.contains("asked again in 200ms"), says == BUSY);
        are_asked(&bench, 2);
        let (_, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(status["conclusion"]["verdict"], "tied");
        assert_eq!(
            (&status["evaluations"], &status["failed"]),
            (&48.into(), &16.into())
        );
        assert_eq!(replays(&bench), 1);
    }
}

/// Tests that `--again` sets all evaluations of an arm aside, those made again after failures too.
#[test]
fn what_was_made_again_can_be_set_aside() {
    let bench = study(1, BUSY);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    bench
        .fiesta(&["run", "study.toml", "--again", "a"])
        .says(code::DONE, &["32 evaluations of a set aside"]);
    for ((arm, item), count) in asked(&bench) {
        let before = if item % 3 == 0 { 2 } else { 1 };
        assert_eq!(count, before + usize::from(arm == "a"), "{arm} {item}");
    }
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["evaluations"], 48);
    assert_eq!(replays(&bench), 2);
}

#[test]
fn three_rounds_are_the_most_and_what_is_missing_is_told() {
    let bench = study(9, BUSY);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::SHORT,
        &[
            "round 3 of 3",
            "evaluations failed (a 8, b 8)",
            "--retry all",
        ],
    );
    for lie in [
        "nothing more can be learnt",
        "every item was answered",
        "all items are answered",
    ] {
        let said = format!("{}{}", ran.stderr, ran.stdout).to_lowercase();
        assert!(!said.contains(lie), "{ran:#?}");
    }
    are_asked(&bench, 4);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["conclusion"]["verdict"], "open");
    let sentence = status["conclusion"]["sentence"].as_str().unwrap();
    assert!(sentence.contains("(a 8, b 8)"), "{sentence}");
    let (_, page) = bench.report(&["study.toml"]);
    assert!(page.contains("a 8, b 8"));
    bench.file("mended", "");
    bench
        .fiesta(&["run", "study.toml", "--retry", "all"])
        .says(code::DONE, &[]);
    are_asked(&bench, 5);
    assert_eq!(replays(&bench), 2);
}

#[test]
fn what_asking_again_cannot_help_is_not_asked_again() {
    for says in [r#", "status": 400"#, ""] {
        let bench = study(1, says);
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::SHORT, &["(a 8, b 8)", "--retry all"]);
        assert!(!ran.stderr.contains("round"), "{ran:#?}");
        are_asked(&bench, 1);
        bench
            .fiesta(&["run", "study.toml", "--retry", "all"])
            .says(code::DONE, &[]);
        are_asked(&bench, 2);
    }
}

/// Tests that an arm retired for failed requests returns before the study concludes.
#[test]
fn an_arm_that_was_retired_for_requests_comes_back() {
    let bench = study(0, BUSY);
    // The first five requests of one arm fail, and the other is right on half of the items.
    let worker = WORKER.replace(
        "$((item % 3)) -eq 0 ] && [ $(grep -c \"^$arm $item\\$\" asked) -le $FAILS ]",
        "$arm = b ] && [ $(grep -c ^b asked) -le 5 ]",
    );
    let worker = worker.replace("right=$(((item + 1) % 2))", "right=1");
    bench.file("worker.sh", &worker);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &["3 requests failed", "round 1 of 3"]);
    assert!(ran.stdout.contains("b is the best of 2 arms"), "{ran:#?}");
    assert_eq!(replays(&bench), 1);
}

/// Tests that a waiting controller can be interrupted, and the study resumed.
#[test]
fn a_wait_can_be_interrupted() {
    let bench = study(1, r#", "status": 429, "retry_after": 600"#);
    let running = bench.start(&["run", "study.toml"]);
    crate::support::until("it waits", || {
        running.stderr().contains("asked again in 10m")
    });
    crate::support::until("others are told", || {
        let (_, status) = bench.json(&["status", "study.toml"]);
        let waits = status["waits"].as_array().unwrap();
        waits.len() == 1 && waits[0].as_str().unwrap().contains("asked again in 10m")
    });
    running.signal(Signal::INT);
    running.wait().says(code::INTERRUPTED, &[]);
    are_asked(&bench, 1);
    bench.file("mended", "");
    let ran = bench.fiesta(&["run", "study.toml", "--retry", "all"]);
    ran.says(code::DONE, &[]);
    are_asked(&bench, 2);
    assert_eq!(replays(&bench), 1);
}

/// Tests that no answer is lost if a worker's logger writes JSON to standard output.
#[test]
fn a_worker_that_logs_json_loses_nothing() {
    let bench = study(0, "");
    bench.file(
        "worker.sh",
        &WORKER
            .replace(
                "    echo \"$arm",
                "    echo '{\"level\": \"info\", \"event\": \"asking\"}'\n    echo \"$arm",
            )
            .replace(
                "printf '{\"id\": \"%s\", \"accuracy\": %s}\\n' \"$id\" \"$right\"",
                "printf '{\"accuracy\": %s}\\n' \"$right\"",
            ),
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(code::DONE, &["without an id and without accuracy"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["evaluations"], &status["failed"]),
        (&48.into(), &0.into())
    );
}

/// Tests that `--check` uses cached answers and requests none of them again.
#[test]
fn a_check_takes_answers_from_the_cache() {
    let bench = study(0, "");
    bench.edit("study.toml", "env =", "cache = \"answers.db\"\nenv =");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let before = bench.log("asked").len();
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    ran.says(code::DONE, &["came from the cache"]);
    assert_eq!(bench.log("asked").len(), before);
}
