//! Tests of studies that are gates: `[goal] baseline`.

use super::{Bench, code};
use crate::support::until;
use rustix::process::Signal;
use serde_json::Value;
use std::{collections::BTreeSet, fmt::Write, fs};

/// Worker that answers 200 questions: `old` gets every fifth wrong, `bad` also every sixth, `good`
/// all but every tenth, and `broken` fails. Each answer is noted in `asked`.
const WORKER: &str = r#"
while read -r line; do
    id=${line#*\"id\":\"}; id=${id%%\"*}
    arm=${line#*\"arm\":\"}; arm=${arm%%\"*}
    item=${line#*\"item_id\":\"q}; item=${item%%\"*}
    echo "$arm $item" >> asked
    case $arm in
    broken) printf '{"id": "%s", "error": "no such model"}\n' "$id"; continue ;;
    good) right=$((item % 10 > 0)) ;;
    bad) right=$((item % 5 > 0 && item % 6 > 0)) ;;
    *) right=$((item % 5 > 0)) ;;
    esac
    printf '{"id": "%s", "accuracy": %d, "output": "%s says <b>%d</b>"}\n' "$id" $right "$arm" $right
done
"#;

/// Text of a question, as JSON, that is markup wherever it is shown as it is.
const HOSTILE: &str = r"<img src=x> @everyone ]]></testcase> \u001b[31m \u202e ![i](u)";

fn study(goal: &str, arms: &[&str]) -> Bench {
    let item =
        |item| format!("{{\"id\": \"q{item}\", \"question\": \"what is {item}? {HOSTILE}\"}}\n");
    let items: String = (0..200).map(item).collect();
    asking(WORKER, &items, goal, arms, "")
}

/// Makes a gate against `old` whose worker answers these items, with further tables.
pub(super) fn asking(worker: &str, items: &str, goal: &str, arms: &[&str], tables: &str) -> Bench {
    let bench = Bench::new();
    bench.file("worker.sh", worker);
    bench.file("items.jsonl", items);
    let arm = |arm: &&str| format!("[[arm]]\nname = \"{arm}\"\n");
    let arms: String = arms.iter().map(arm).collect();
    bench.file(
        "study.toml",
        &format!(
            "name = \"gate\"\nworker = {{ command = [\"sh\", \"worker.sh\"], concurrency = 4 }}\nmetric = {{ name = \"accuracy\", bounds = [0, 1] }}\ngoal = {{ baseline = \"old\", {goal} }}\n[design]\nitems = \"items.jsonl\"\nparallel = 4\n{arms}{tables}"
        ),
    );
    bench
}

const MARGIN: &str = "margin = 0.05";

fn verdicts(status: &Value) -> Vec<(String, String)> {
    let all = status["gate"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    all.map(|own| (text(&own["arm"]), text(&own["verdict"])))
        .collect()
}

fn pair(arm: &str, verdict: &str) -> (String, String) {
    (arm.to_owned(), verdict.to_owned())
}

/// Tests that the gate's exit code is its verdict, and that `run` of a decided gate has done its work.
#[test]
fn the_exit_code_is_the_verdict() {
    for (arm, exit, words) in [
        (
            "good",
            code::DONE,
            "good may ship: on these 200 items its mean accuracy is at least as good as that of old within 0.05.",
        ),
        (
            "bad",
            code::BLOCKED,
            "bad is blocked: on these 200 items its mean accuracy is worse than that of old by 0.05 or more.",
        ),
    ] {
        let bench = study(MARGIN, &["old", arm]);
        let ran = bench.fiesta(&[
            "gate",
            "study.toml",
            "--junit",
            "gate.xml",
            "--markdown",
            "gate.md",
        ]);
        assert_eq!(ran.code, Some(exit), "{ran:#?}");
        assert!(ran.stdout.contains(words), "{ran:#?}");
        assert!(
            ran.stdout.contains("At most 5 % of gates like this"),
            "{ran:#?}"
        );
        assert!(bench.text("gate.xml").contains(words));
        assert!(
            !bench.text("gate.md").contains("<b>"),
            "{}",
            bench.text("gate.md")
        );
        // Each answer was asked once, and not all were needed.
        let asked = bench.log("asked");
        let distinct: BTreeSet<&Vec<String>> = asked.iter().collect();
        assert_eq!(distinct.len(), asked.len());
        assert!(asked.len() < 390, "{}", asked.len());
        let (ended, status) = bench.json(&["run", "study.toml"]);
        assert_eq!(ended, Some(code::DONE));
        assert_eq!(bench.log("asked").len(), asked.len());
        let leader = if arm == "good" { "good" } else { "old" };
        assert_eq!(status["leader"], leader);
        assert!(
            status["conclusion"]["sentence"]
                .as_str()
                .unwrap()
                .contains(words.trim_end_matches('.'))
        );
    }
    // Nothing is asked by a study without a baseline, and by one whose flags contradict it.
    let bench = study(MARGIN, &["old", "good"]);
    bench
        .fiesta(&["gate", "study.toml", "--margin", "0.1"])
        .says(code::USAGE, &["leave --margin out"]);
    bench.edit(
        "study.toml",
        "baseline = \"old\", margin = 0.05",
        "confidence = 0.9",
    );
    bench
        .fiesta(&["gate", "study.toml"])
        .says(code::USAGE, &["is no gate: name the old version"]);
    assert_eq!(bench.text("asked"), "");
}

/// Tests that flipped items are shown with their questions and both answers, regressions first, as text
/// everywhere, and without these if wanted.
#[test]
fn flipped_items_have_their_texts() {
    let bench = study(MARGIN, &["old", "bad"]);
    let call = [
        "gate",
        "study.toml",
        "--junit",
        "gate.xml",
        "--markdown",
        "gate.md",
    ];
    let ran = bench.fiesta(&call);
    assert_eq!(ran.code, Some(code::BLOCKED), "{ran:#?}");
    for words in [
        "regressions:",
        "asked: what is ",
        "before: old says <b>1</b>",
        "now: bad says <b>0</b>",
    ] {
        assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}']), "{ran:#?}");
    let page = bench.text("gate.md");
    for markup in ["<img", "<b>", "@everyone", "![", "\u{1b}"] {
        assert!(!page.contains(markup), "{markup}: {page}");
    }
    assert!(page.contains("&lt;img src=x"), "{page}");
    let xml = bench.text("gate.xml");
    let document = roxmltree::Document::parse(&xml).unwrap();
    let all = |name: &str| {
        let nodes = document.descendants();
        nodes.filter(|node| node.has_tag_name(name)).count()
    };
    assert_eq!((all("testcase"), all("failure")), (1, 1));
    assert!(xml.contains("what is ") && !xml.contains(['\u{1b}', '\u{202e}']));
    // Nothing that was answered decided what was asked.
    let call_of_page = ["report", "study.toml", "-o", "page", "--formats", "svg"];
    bench.fiesta(&call_of_page).says(code::DONE, &[]);
    let page = bench.text("page/report.html");
    assert!(!page.contains("chosen by what was answered"));
    assert!(page.contains("Items were asked in a random order until an arm was decided"));
    let ran = bench.fiesta(&[&call[..], &["--no-texts"]].concat());
    assert!(ran.stdout.contains("regressions:"), "{ran:#?}");
    for text in [ran.stdout, bench.text("gate.md"), bench.text("gate.xml")] {
        assert!(
            !text.contains("what is") && !text.contains("says"),
            "{text}"
        );
    }
}

/// Tests several versions: each has its verdict, one that fails is undecided and does not hold the
/// others up, and the first that ships can end the gate.
#[test]
fn several_versions() {
    let bench = study(MARGIN, &["old", "good", "bad"]);
    bench
        .fiesta(&["gate", "study.toml"])
        .says(code::BLOCKED, &[]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        verdicts(&status),
        [pair("good", "ships"), pair("bad", "blocked")]
    );
    let bench = study(MARGIN, &["broken", "old", "good"]);
    let ran = bench.fiesta(&["gate", "study.toml"]);
    assert_eq!(ran.code, Some(code::ARM_FAILED), "{ran:#?}");
    assert!(
        ran.stdout
            .contains("broken is undecided: it failed too often."),
        "{ran:#?}"
    );
    let bench = study(MARGIN, &["bad", "broken", "old", "good"]);
    bench
        .fiesta(&["gate", "study.toml"])
        .says(code::BLOCKED, &[]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    let expected = [
        pair("bad", "blocked"),
        pair("broken", "undecided"),
        pair("good", "ships"),
    ];
    assert_eq!(verdicts(&status), expected);
    let bench = study("margin = 0.05, until = \"first\"", &["old", "bad", "good"]);
    bench.fiesta(&["gate", "study.toml"]).says(code::DONE, &[]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert!(verdicts(&status).contains(&pair("good", "ships")));
}

/// Tests that a gate that is killed twice and resumed decides as one that is not, and asks nothing
/// that was answered again.
#[test]
fn kills_change_nothing() {
    let whole = study(MARGIN, &["old", "good", "bad"]);
    whole
        .fiesta(&["gate", "study.toml"])
        .says(code::BLOCKED, &[]);
    let bench = study(MARGIN, &["old", "good", "bad"]);
    for most in [20, 60] {
        let running = bench.start(&["gate", "study.toml"]);
        until("answers", || bench.log("asked").len() >= most);
        running.signal(Signal::KILL);
        running.wait();
    }
    bench
        .fiesta(&["gate", "study.toml"])
        .says(code::BLOCKED, &[]);
    let verdicts_of = |bench: &Bench| verdicts(&bench.json(&["status", "study.toml"]).1);
    assert_eq!(verdicts_of(&bench), verdicts_of(&whole));
    // What ran when a controller was killed may be asked once more: 4 answers at a time, twice.
    let asked = bench.log("asked");
    let distinct: BTreeSet<&Vec<String>> = asked.iter().collect();
    assert!(
        asked.len() - distinct.len() <= 8,
        "{}",
        asked.len() - distinct.len()
    );
}

/// Tests that the text of a status tells how a gate stands before its end, in the words of the gate's
/// page, and the fewest items before the first answer.
#[test]
fn a_status_tells_how_a_gate_stands() {
    let fewest = "an arm that answers every item as old does ships after 51 items at the earliest";
    let bench = study(MARGIN, &["old", "good", "bad"]);
    let checked = bench.fiesta(&["run", "study.toml", "--check"]);
    assert!(checked.stdout.contains(fewest), "{checked:#?}");
    let status = || {
        let told = bench.fiesta(&["status", "study.toml"]);
        told.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    bench.file(
        "worker.sh",
        &WORKER.replace(
            "while read -r line; do",
            "while read -r line; do\n    until [ -e go ]; do sleep 0.05; done",
        ),
    );
    let running = bench.start(&["gate", "study.toml"]);
    until("a ledger", || status().contains("evaluations"));
    assert!(status().contains(fewest), "{}", status());
    assert!(status().contains("no item has been answered by both good and old"));
    bench.file("go", "");
    until("answers", || bench.log("asked").len() >= 30);
    running.signal(Signal::KILL);
    running.wait();
    let told = status();
    for words in [
        "good is undecided: it is shown neither that on these 200 items its mean accuracy is at least as good as that of old within 0.05",
        "good − old, mean accuracy: ",
        "each end errs in at most 2.5 %",
        "bad − old, mean accuracy: ",
        "posterior probability that on items like these its mean is at least as good as that of old within 0.05",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!told.contains("at the earliest"), "{told}");
    bench
        .fiesta(&["gate", "study.toml"])
        .says(code::BLOCKED, &[]);
    assert!(!status().contains("good − old"), "{}", status());
}

/// Tests that a gate that is decided by the last evaluation of its budget ended for that reason.
#[test]
fn the_verdict_comes_before_the_limit() {
    let at_once = |bench: &Bench| bench.edit("study.toml", "parallel = 4", "parallel = 1");
    let bench = study(MARGIN, &["old", "good"]);
    at_once(&bench);
    let (_, status) = bench.json(&["run", "study.toml"]);
    let most = status["conclusion"]["evaluations"].as_u64().unwrap();
    for (most, exit) in [(most, code::DONE), (most - 1, code::SHORT)] {
        let goal = format!("{MARGIN}, budget = {{ evaluations = {most} }}");
        let bench = study(&goal, &["old", "good"]);
        at_once(&bench);
        let (ended, status) = bench.json(&["run", "study.toml"]);
        let reason = &status["conclusion"]["reason"];
        assert_eq!(ended, Some(exit), "{reason}");
        assert_eq!(reason["gate"].is_object(), exit == code::DONE, "{reason}");
    }
}

/// Tests that requests that failed for a reason that passes are made again before the verdict, which
/// they would else decide: a failure counts as the worst score.
#[test]
fn what_failed_is_asked_again_before_the_verdict() {
    let bench = study(MARGIN, &["old", "good"]);
    let busy = "    mkdir \"tried-$arm-$item\" 2>/dev/null && [ $((item % 3)) = 0 ] && { printf '{\"id\": \"%s\", \"error\": \"busy\", \"status\": 503}\\n' \"$id\"; continue; }\n";
    bench.file(
        "worker.sh",
        &WORKER.replace("    case $arm in\n", &format!("{busy}    case $arm in\n")),
    );
    let ran = bench.fiesta(&["gate", "study.toml"]);
    assert!(ran.stderr.contains("asked again in"), "{}", ran.stderr);
    assert_eq!(ran.code, Some(code::DONE), "{ran:#?}");
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(verdicts(&status), [pair("good", "ships")]);
}

/// Tests that the baseline's recorded answers are not asked again, and that the order of items stays
/// random although they were recorded with the failures first.
#[test]
fn a_recorded_baseline_is_not_asked() {
    let bench = study(MARGIN, &["bad", "old"]);
    let mut rows: Vec<(u32, u32)> = (0..200)
        .map(|item| (u32::from(item % 5 > 0), item))
        .collect();
    rows.sort_unstable();
    let text = rows
        .iter()
        .fold("arm,item,score\n".to_owned(), |mut text, (score, item)| {
            writeln!(text, "old,q{item},{score}").unwrap();
            text
        });
    bench.file("old.csv", &text);
    let study = bench.text("study.toml") + "[[recorded]]\nfile = \"old.csv\"\n";
    fs::write(bench.path("study.toml"), study).unwrap();
    let ran = bench.fiesta(&["gate", "study.toml"]);
    assert_eq!(ran.code, Some(code::BLOCKED), "{ran:#?}");
    // The arms of rows are numbered as they come, which is another order than the study's.
    assert!(
        ran.stdout.contains("bad − old, mean accuracy: −"),
        "{ran:#?}"
    );
    assert!(ran.stdout.contains(" 0 fixed"), "{ran:#?}");
    let asked = bench.log("asked");
    assert!(
        asked.iter().all(|words| words[0] == "bad") && asked.len() < 200,
        "{}",
        asked.len()
    );
    let failures = asked
        .iter()
        .take(40)
        .filter(|words| words[1].parse::<u32>().unwrap() % 5 == 0);
    assert!(failures.count() < 20);
}

/// Tests that an edited version is asked in another order: one that was mended on the questions that a
/// gate showed would else ship by these.
#[test]
fn an_edited_version_gets_another_order() {
    let first_items = |worker: &str| {
        let bench = study(MARGIN, &["old", "good"]);
        bench.file("worker.sh", worker);
        bench.fiesta(&["gate", "study.toml"]).says(code::DONE, &[]);
        bench.fiesta(&["gate", "study.toml"]).says(code::DONE, &[]);
        let items = bench.log("asked").into_iter().map(|words| words[1].clone());
        items.take(12).collect::<BTreeSet<String>>()
    };
    let edited = format!("{WORKER}# edited\n");
    assert_eq!(first_items(WORKER), first_items(WORKER));
    assert_ne!(first_items(WORKER), first_items(&edited));
}

/// Job whose scores have no bounds: `high` is better, and `$FAILS` fails on split 9.
const JOB: &str = r#"
if [ "$1" = "$FAILS" ] && [ "$2" = 9 ]; then exit 1; fi
case $1 in high) base=800 ;; *) base=600 ;; esac
echo "{\"accuracy\": 2.$((base + $3 % 40))}"
"#;

/// Tests gates on splits: Gaussian scores decide, and an arm that fails where no score stands for a
/// failure ends the gate without a verdict, and without a job more.
#[test]
fn splits_without_bounds() {
    for (fails, exit, most) in [
        ("nobody", code::DONE, 40),
        ("high", code::SHORT, 60),
        ("low", code::SHORT, 60),
    ] {
        // The margin is so small that ten splits do not suffice.
        let margin = if fails == "nobody" {
            "margin = 0.05"
        } else {
            "better_by = 0.2"
        };
        let rest = format!(
            "goal = {{ baseline = \"low\", {margin} }}\ndesign = {{ parallel = 3 }}\n{}",
            super::TWO
        );
        let bench = Bench::with_job(&JOB.replace("$FAILS", fails), &rest);
        let ran = bench.fiesta(&["gate", "study.toml"]);
        assert_eq!(ran.code, Some(exit), "{ran:#?}");
        let (_, status) = bench.json(&["status", "study.toml"]);
        assert!(
            status["evaluations"].as_u64().unwrap() < most,
            "{status:#?}"
        );
        if exit == code::DONE {
            let told = ran.stdout.replace('\n', " ");
            assert!(
                told.contains("for Gaussian scores, however often one looks")
                    && told.contains("erred in up to two thirds of simulations"),
                "{ran:#?}"
            );
        } else {
            assert_eq!(status["leader"], "low");
        }
    }
}

/// Tests a margin in standard deviations of the difference, which is known from the scores alone.
#[test]
fn a_margin_in_standard_deviations() {
    let job = "case $1 in high) base=500 ;; *) base=400 ;; esac\necho \"{\\\"accuracy\\\": 2.$((base + $3 % 97))}\"\n";
    for (goal, exit, words) in [
        (
            "baseline = \"low\", margin = \"0.3 sd\"",
            code::DONE,
            "high may ship: its expected accuracy is at least as good as that of low within 0.3 standard deviations of the difference.",
        ),
        (
            "baseline = \"high\", better_by = \"0.1 sd\"",
            code::BLOCKED,
            "low is blocked: its expected accuracy is not better than that of high by more than 0.1 standard deviations of the difference.",
        ),
    ] {
        let rest = format!(
            "goal = {{ {goal} }}\ndesign = {{ parallel = 3 }}\n{}",
            super::TWO
        );
        let bench = Bench::with_job(job, &rest);
        let ran = bench.fiesta(&["gate", "study.toml"]);
        assert_eq!(ran.code, Some(exit), "{ran:#?}");
        assert!(ran.stdout.contains(words), "{ran:#?}");
        let (_, status) = bench.json(&["status", "study.toml"]);
        assert_eq!(status["conclusion"]["reason"]["gate"]["in_sd"], true);
    }
    let words = "a number of standard deviations is for splits whose scores have no bounds";
    study("margin = \"0.3 sd\"", &["old", "good"])
        .fiesta(&["gate", "study.toml"])
        .says(code::USAGE, &["study.toml:4: ", words]);
}
