//! Tests of studies with `[[measure]]` and `[[constraint]]`.

use super::{Bench, TWO, code, gate::asking};
use crate::support::until;
use rustix::process::Signal;
use serde_json::Value;

/// Worker whose answers are all right, and whose latency is 3 on every fourth question of `slow` and
/// on every hundredth of the others. `mute` does not say on every fourth question. Each answer is noted in
/// `asked`.
const WORKER: &str = r#"
while read -r line; do
    id=${line#*\"id\":\"}; id=${id%%\"*}
    arm=${line#*\"arm\":\"}; arm=${arm%%\"*}
    item=${line#*\"item_id\":\"q}; item=${item%%\"*}
    echo "$arm $item" >> asked
    case $arm in slow) every=4 ;; *) every=100 ;; esac
    latency=0.5; [ $((item % every)) = 0 ] && latency=3
    if [ $arm = mute ] && [ $((item % 4)) = 0 ]; then
        printf '{"id": "%s", "accuracy": 1}\n' "$id"
    else
        printf '{"id": "%s", "accuracy": 1, "latency": %s, "note": "x"}\n' "$id" $latency
    fi
done
"#;

const LATENCY: &str = "[[measure]]\nname = \"latency\"\nunit = \"s\"\nbounds = [0, 10]\n";
const SHARE: &str = "[[constraint]]\nmeasure = \"latency\"\nshare_above = 2.0\nat_most = 0.1\n";
const OF_BASELINE: &str = "[[constraint]]\nmeasure = \"latency\"\nat_most = \"3 x baseline\"\n";

fn study(arms: &[&str], tables: &str) -> Bench {
    let item = |item| format!("{{\"id\": \"q{item}\"}}\n");
    let items: String = (0..300).map(item).collect();
    asking(WORKER, &items, "margin = 0.05", arms, tables)
}

/// Returns the verdicts on the constraints of an arm in a gate's JSON.
fn verdicts(candidate: &Value) -> Vec<&str> {
    let all = candidate["constraints"].as_array().unwrap().iter();
    all.map(|own| own["verdict"].as_str().unwrap()).collect()
}

const SLOW: &str = "its latency is above 2 s in 10 % of evaluations or more";

/// Tests that a constraint blocks a version whose score is good, in every form of the report, and that
/// a version that keeps it ships.
#[test]
fn a_constraint_decides() {
    let bench = study(
        &["old", "slow", "fast"],
        &(LATENCY.to_owned() + SHARE + OF_BASELINE),
    );
    let files = ["--junit", "gate.xml", "--markdown", "gate.md"];
    let ran = bench.fiesta(&[&["gate", "study.toml"][..], &files].concat());
    ran.says(code::BLOCKED, &[]);
    let blocked = format!("slow is blocked: {SLOW}");
    let line = "latency is above 2 s in less than 10 % of evaluations: not met (share 2";
    for shown in [&ran.stdout, &bench.text("gate.md"), &bench.text("gate.xml")] {
        for words in [blocked.as_str(), line, "fast may ship: on these 300 items"] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
    }
    assert!(
        ran.stdout
            .contains("Constraints are on evaluations like these")
    );
    // A case of each candidate and of each of its constraints.
    let junit = bench.text("gate.xml");
    assert_eq!(junit.matches("<testcase ").count(), 6, "{junit}");
    let case = junit.split("<testcase ").find(|case| {
        case.starts_with("name=\"slow: latency is above 2 s in less than 10 % of evaluations\"")
    });
    assert!(case.unwrap().contains("<failure "), "{junit}");
    let (_, gate) = bench.json(&["gate", "study.toml"]);
    let (slow, fast) = (&gate["candidates"][0], &gate["candidates"][1]);
    assert_eq!(
        (&slow["verdict"], &fast["verdict"]),
        (&"blocked".into(), &"ships".into())
    );
    assert_eq!(verdicts(slow)[0], "blocked");
    assert_eq!(verdicts(fast), ["ships", "ships"]);
    assert_eq!(slow["constraints"][0]["quantity"], "share");
    assert!(slow["constraints"][0]["lower"].as_f64().unwrap() > 0.1);
    assert!(fast["constraints"][0]["upper"].as_f64().unwrap() < 0.15);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(verdicts(&status["gate"][0])[0], "blocked");
    let mean = |arm: usize| status["arms"][arm]["measures"][0]["mean"].as_f64().unwrap();
    assert!(mean(1) > 0.8 && mean(2) < 0.7, "{status:#}");
    let page = bench.fiesta(&["report", "study.toml", "-o", "page"]);
    page.says(code::DONE, &[]);
    assert!(bench.text("page/report.html").contains(SLOW));
}

/// Tests that a gate that is killed keeps the measures of its answers: it decides as one that is not
/// killed, and its export has a latency for every answer.
#[test]
fn kills_keep_measures() {
    let arms = ["old", "slow", "fast"];
    let [whole, bench] = [0, 1].map(|_| study(&arms, &(LATENCY.to_owned() + SHARE)));
    whole
        .fiesta(&["gate", "study.toml"])
        .says(code::BLOCKED, &[]);
    for most in [30, 90] {
        let running = bench.start(&["gate", "study.toml"]);
        until("answers", || bench.log("asked").len() >= most);
        running.signal(Signal::KILL);
        running.wait();
    }
    bench
        .fiesta(&["gate", "study.toml"])
        .says(code::BLOCKED, &[]);
    let gate = |bench: &Bench| {
        let (_, gate) = bench.json(&["gate", "study.toml"]);
        let all = gate["candidates"].as_array().unwrap().clone();
        all.into_iter()
            .map(|own| own["constraints"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(gate(&bench), gate(&whole));
    bench
        .fiesta(&["export", "study.toml", "-o", "all.csv"])
        .says(code::DONE, &[]);
    let table = bench.text("all.csv");
    let mut rows = table.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let latency = header.iter().position(|name| *name == "latency").unwrap();
    let mut count = 0;
    for row in rows {
        assert!(["0.5", "3"].contains(&row[latency]), "{row:?}");
        count += 1;
    }
    assert!(count > 100, "{table}");
}

/// Tests that an answer without the measure has failed, and counts against the new version.
#[test]
fn an_answer_without_a_measure_has_failed() {
    let bench = study(&["old", "mute"], LATENCY);
    let ran = bench.fiesta(&["gate", "study.toml"]);
    assert_eq!(ran.code, Some(code::BLOCKED), "{ran:#?}");
    let (_, status) = bench.json(&["status", "study.toml"]);
    let message = status["failures"][0].to_string();
    assert!(
        message.contains("the result has no \\\"latency\\\", a measure of the study"),
        "{message}"
    );
}

/// Job that prints a latency, which is 20 on split 3 of `high`.
const JOB: &str = r#"
latency=1; [ "$1$2" = high3 ] && latency=20
echo "{\"accuracy\": 0.$((600 + $3 % 40)), \"latency\": $latency}"
"#;

/// Tests jobs of a study without a gate: measures are recorded, one beyond the bounds is a failure,
/// and `duration` is known without printing it.
#[test]
fn measures_alone_are_recorded() {
    let rest = format!(
        "goal = {{ budget = {{ evaluations = 12 }} }}\n{LATENCY}[[measure]]\nname = \"duration\"\n{TWO}"
    );
    let bench = Bench::with_job(JOB, &rest);
    bench.fiesta(&["run", "study.toml"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    let of = |arm: usize, measure: usize| &status["arms"][arm]["measures"][measure];
    for arm in [0, 1] {
        assert_eq!(of(arm, 0)["mean"], 1.0, "{status:#}");
        assert_eq!(of(arm, 0)["unit"], "s");
        assert!(of(arm, 1)["mean"].as_f64().unwrap() > 0.0);
    }
    let failures = status["failures"].to_string();
    assert!(
        failures.contains("20 is outside the bounds [0, 10] of latency"),
        "{failures}"
    );
    let study = bench.text("study.toml") + SHARE;
    bench.file("study.toml", &study);
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::USAGE, &["a constraint belongs to a gate"]);
}
