//! Tests of studies of documents, whose jobs report confusion counts.

use super::{Bench, arm, code, support::until};
use rustix::process::Signal;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

/// Script `sh count.sh ARM DOCUMENT ID` that finds things in the document and logs its arguments;
/// `good` misses a tenth of them, `fair` a third and `poor` half.
const COUNT: &str = r#"
echo "$1 $3 $(cat "$2")" >> log
[ "$2" = "$FIESTA_DOCUMENT" ] && [ "$3" = "$FIESTA_DOCUMENT_ID" ] || exit 9
n=$(sed 's/[^0-9]//g' "$2")
case $1 in
  good) missed=$(((n + 9) / 10)) ;;
  fair) missed=$(((n + 2) / 3)) ;;
  *) missed=$(((n + 1) / 2)) ;;
esac
echo "{\"tp\": $((n - missed)), \"fp\": $missed, \"fn\": $missed, \"tokens\": $n}"
"#;

const ARMS: &str = "[[arm]]\nname = \"poor\"\n[[arm]]\nname = \"good\"\n";

/// Makes a study with the job [`COUNT`]; `documents` are those of the study file, and `rest` is
/// added to the table [design].
fn bench(documents: &str, rest: &str) -> Bench {
    let bench = Bench::new();
    bench.file("count.sh", COUNT);
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\ncommand = [\"sh\", \"count.sh\", \"{{arm}}\", \"{{document}}\", \"{{document_id}}\"]\n[design]\ndocuments = \"{documents}\"\n{rest}"
        ),
    );
    bench
}

/// Writes `count` documents into `docs.jsonl`. Document i has 10 + i mod 10 things to find.
fn lines(bench: &Bench, count: usize) {
    let line = |number: usize| format!("{{\"id\": \"d{number}\", \"n\": 1{}}}\n", number % 10);
    bench.file("docs.jsonl", &(0..count).map(line).collect::<String>());
    // The digits of the id would be read as well.
    bench.edit(
        "count.sh",
        "sed 's/[^0-9]//g' \"$2\"",
        "sed 's/.*\"n\": //; s/}//' \"$2\"",
    );
}

/// Writes `count` files into `texts`. File i has 10 + i mod 10 things to find.
fn texts(bench: &Bench, count: usize) {
    fs::create_dir(bench.path("texts")).unwrap();
    for number in 0..count {
        bench.file(&format!("texts/{number}.txt"), &format!("1{}", number % 10));
    }
}

/// Returns the documents that each arm queried, in their order, from the log.
fn queried(bench: &Bench) -> BTreeMap<String, Vec<String>> {
    let mut queried: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in bench.log("log") {
        queried
            .entry(line[0].clone())
            .or_default()
            .push(line[1].clone());
    }
    queried
}

fn distinct(ids: &[String]) -> usize {
    ids.iter().collect::<BTreeSet<_>>().len()
}

#[test]
fn the_best_f_is_found_among_lines_and_files() {
    for of_lines in [true, false] {
        let bench = if of_lines {
            let bench = bench("docs.jsonl", &format!("seed = 3\n{ARMS}"));
            lines(&bench, 200);
            bench
        } else {
            let bench = bench("texts/*.txt", &format!("seed = 3\n{ARMS}"));
            texts(&bench, 200);
            bench
        };
        let (exit, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(exit, Some(code::DONE), "{result}");
        assert_eq!(result["conclusion"]["arm"], "good");
        assert_eq!(result["metric"], "f1");
        let sentence = result["conclusion"]["sentence"].as_str().unwrap();
        assert!(
            sentence.contains("good is the best of 2 arms by f1")
                && sentence.contains("of 200 documents; FIESTA"),
            "{sentence}"
        );
        // All that was counted is in the standings.
        let queried = queried(&bench);
        for name in ["good", "poor"] {
            let of_arm = &queried[name];
            assert_eq!(distinct(of_arm), of_arm.len(), "{of_arm:?}");
            let standing = arm(&result, name);
            assert_eq!(standing["evaluations"], of_arm.len());
            let cell = |cell: &str| standing["counts"][cell].as_u64().unwrap();
            let (tp, fp, fn_) = (cell("tp"), cell("fp"), cell("fn"));
            assert_eq!((fp, cell("tn")), (fn_, 0));
            let f = 2.0 * tp as f64 / (2 * tp + fp + fn_) as f64;
            super::support::assert_close(&standing["value"], f, 1e-12);
        }
        // The shorter sequence of documents is the beginning of the longer one.
        let (a, b) = (&queried["good"], &queried["poor"]);
        let common = a.len().min(b.len());
        assert_eq!(a[..common], b[..common]);
        let text = bench.fiesta(&["status", "study.toml"]);
        assert!(
            text.stdout.contains("documents") && text.stdout.contains("TP"),
            "{text:?}"
        );
        assert_eq!(bench.json(&["status", "study.toml"]).1, result);
    }
}

/// Tests that a job gets the line or the file itself, and nothing else.
#[test]
fn a_job_is_given_the_document() {
    let arms = ARMS.replace("good", "poorer");
    let bench = bench("docs.jsonl", &format!("policy = \"uniform\"\n{arms}"));
    lines(&bench, 5);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let lines = bench.text("docs.jsonl");
    for entry in bench.text("log").lines() {
        let (_, document) = entry.split_once(' ').unwrap().1.split_once(' ').unwrap();
        assert!(lines.lines().any(|line| line == document), "{entry}");
    }
    assert_eq!(bench.log("log").len(), 10);
}

/// Tests that a study of equal arms ends when all documents have been queried.
#[test]
fn a_study_ends_with_its_documents() {
    let arms = ARMS.replace("good", "poorer");
    let bench = bench("texts/*.txt", &format!("parallel = 3\n{arms}"));
    texts(&bench, 12);
    let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
    ran.says(
        code::DONE,
        &["every document was queried without reaching the confidence"],
    );
    let result = ran.json();
    assert_eq!(result["conclusion"]["reason"], "exhausted");
    assert_eq!(
        (&result["evaluations"], &result["pending"]),
        (&24.into(), &0.into())
    );
    let sentence = result["conclusion"]["sentence"].as_str().unwrap();
    assert!(
        sentence.starts_with("With every document of the collection queried, ")
            && sentence.contains("24 evaluations on 12 of 12 documents"),
        "{sentence}"
    );
    for of_arm in queried(&bench).values() {
        assert_eq!((distinct(of_arm), of_arm.len()), (12, 12));
    }
    // Looking again starts nothing.
    let again = bench.fiesta(&["run", "study.toml"]);
    again.says(code::DONE, &["nothing was run"]);
    assert_eq!(bench.log("log").len(), 24);
}

/// Tests that a budget smaller than the number of documents ends the study.
#[test]
fn a_budget_ends_it_before() {
    let goal = "[goal]\nconfidence = 0.95\nbudget = { evaluations = 6 }";
    let arms = ARMS.replace("good", "poorer");
    let bench = bench("texts/*.txt", &format!("{arms}\n{goal}\n"));
    texts(&bench, 12);
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::SHORT));
    assert_eq!(result["conclusion"]["reason"]["limit"]["evaluations"], 6);
}

/// Tests a study that is killed and resumed many times: no document is queried twice, and none is
/// lost.
#[test]
fn killed_and_resumed_every_document_is_queried_once() {
    let arms = ARMS.replace("good", "poorer");
    let bench = bench("docs.jsonl", &format!("parallel = 2\n{arms}"));
    lines(&bench, 15);
    bench.edit("count.sh", "case $1 in", "sleep 0.02\ncase $1 in");
    for round in 1..=4 {
        let running = bench.start(&["run", "study.toml"]);
        until("some have begun", || bench.log("log").len() >= 5 * round);
        running.signal(Signal::KILL);
        running.wait();
    }
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE), "{result}");
    assert_eq!(result["conclusion"]["reason"], "exhausted");
    assert_eq!(result["evaluations"], 30);
    let queried = queried(&bench);
    for of_arm in queried.values() {
        assert_eq!((distinct(of_arm), of_arm.len()), (15, 15));
    }
}

#[test]
fn a_collection_that_changed_is_another_study() {
    let arms = ARMS.replace("good", "poorer");
    let bench = bench("texts/*.txt", &arms);
    texts(&bench, 3);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    bench.file("texts/more.txt", "7");
    bench.fiesta(&["run", "study.toml"]).says(
        code::CHANGED,
        &["design.collection.count: 3 → 4", "design.collection.digest"],
    );
    fs::remove_file(bench.path("texts/more.txt")).unwrap();
    bench.file("texts/0.txt", "11");
    let ran = bench.fiesta(&["status", "study.toml"]);
    ran.says(code::CHANGED, &["design.collection.digest"]);
    bench.file("texts/0.txt", "10");
    bench
        .fiesta(&["status", "study.toml"])
        .says(code::DONE, &[]);
    // What the defaults stand for may be written down.
    let metric = "[metric]\nname = \"f1\"\nf_beta = 1\ndirection = \"maximize\"\nbounds = [0, 1]\n";
    let study = bench.text("study.toml");
    bench.file("study.toml", &format!("{study}\n{metric}"));
    bench.edit(
        "study.toml",
        "[design]\n",
        "[design]\nposterior = \"f-measure\"\n",
    );
    bench
        .fiesta(&["status", "study.toml"])
        .says(code::DONE, &[]);
    bench.edit("study.toml", "f_beta = 1\n", "f_beta = 2\n");
    let ran = bench.fiesta(&["status", "study.toml"]);
    ran.says(code::CHANGED, &["metric.f_beta: 1.0 → 2.0"]);
    // Half of the weight is F1, under whichever name.
    bench.edit("study.toml", "f_beta = 2\n", "precision_weight = 0.5\n");
    bench
        .fiesta(&["status", "study.toml"])
        .says(code::DONE, &[]);
    for key in ["alpha0", "theta0"] {
        let value = ["2", "[4, 1, 4, 1]"][usize::from(key == "theta0")];
        let design = format!("[design]\n{key} = {value}\n");
        bench.edit("study.toml", "[design]\n", &design);
        let ran = bench.fiesta(&["status", "study.toml"]);
        ran.says(code::CHANGED, &[&format!("design.{key}: null → ")]);
        bench.edit("study.toml", &design, "[design]\n");
    }
}

/// Tests that the weight of precision sets the harmonic mean, and the name of the metric.
#[test]
fn the_weight_of_precision_is_the_studys() {
    let rest = format!("policy = \"uniform\"\n{ARMS}[metric]\nprecision_weight = 0.3\n");
    let bench = bench("texts/*.txt", &rest);
    texts(&bench, 15);
    let job = "echo '{\"tp\": 6, \"fp\": 2, \"fn\": 4}'";
    bench.file(
        "count.sh",
        &format!("[ $1 = good ] && {job} || echo '{{\"tp\": 1, \"fp\": 2, \"fn\": 4}}'"),
    );
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE), "{result}");
    let sentence = result["conclusion"]["sentence"].as_str().unwrap();
    assert!(sentence.contains("f1.528"), "{sentence}");
    let expected = 1.0 / (0.3 / (6.0 / 8.0) + 0.7 / (6.0 / 10.0));
    super::support::assert_close(&arm(&result, "good")["value"], expected, 1e-12);
}

/// Tests strong priors, after three of 15 documents. A prior of true negatives makes the F
/// of these three known to last; under an even prior, the other documents may still change it.
#[test]
fn the_prior_is_the_studys() {
    let probability = |prior: &str| {
        let rest =
            format!("policy = \"uniform\"\n{prior}{ARMS}[goal]\nbudget = {{ evaluations = 6 }}\n");
        let bench = bench("texts/*.txt", &rest);
        texts(&bench, 15);
        let (exit, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(exit, Some(code::DONE), "{result}");
        let good = &arm(&result, "good")["probability_best"];
        good.as_f64().unwrap()
    };
    let weak = probability("");
    let alike = probability("alpha0 = 1000000\n");
    let negatives = probability("alpha0 = 1000000\ntheta0 = [1, 1, 997, 1]\n");
    assert!(alike + 0.02 < weak, "{alike} {weak}");
    assert!(negatives > 0.999, "{negatives}");
}

/// Tests that counts of classes are added up, in the file that FIESTA_RESULT names as well as on
/// stdout.
#[test]
fn counts_of_classes_are_added_up() {
    let bench = bench("texts/*.txt", &format!("policy = \"uniform\"\n{ARMS}"));
    texts(&bench, 4);
    let job = r#"
if [ $1 = good ]; then
  echo '{"PER": {"tp": 3, "fp": 0, "fn": 1, "tn": 5}, "LOC": {"tp": 1.0, "fp": 2, "fn": 0, "f1": 0.5}, "cost": 4}' > "$FIESTA_RESULT"
else
  echo '{"PER": {"tp": 1, "fp": 0, "fn": 3}, "LOC": {"tp": 1, "fp": 2, "fn": 0}}'
fi
"#;
    bench.file("count.sh", job);
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE), "{result}");
    let good = arm(&result, "good");
    let made = good["evaluations"].as_u64().unwrap();
    let expected = serde_json::json!({"tp": 4 * made, "fp": 2 * made, "tn": 5 * made, "fn": made});
    assert_eq!(good["counts"], expected);
    super::support::assert_close(&good["value"], 8.0 / 11.0, 1e-12);
    super::support::assert_close(&good["cost"], 4.0 * made as f64, 1e-9);
}

/// Tests that documents with nothing to find are queried, and do not change the pooled F-measure.
#[test]
fn documents_without_anything_to_find() {
    let arms = ARMS.replace("good", "fair");
    let bench = bench("texts/*.txt", &format!("policy = \"uniform\"\n{arms}"));
    texts(&bench, 6);
    bench.file(
        "count.sh",
        "case $3 in [0-3].txt) echo '{\"tp\": 0, \"fp\": 0, \"fn\": 0}' ;; *) echo '{\"tp\": 1, \"fp\": 1, \"fn\": 0}' ;; esac\n",
    );
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE), "{result}");
    assert_eq!(result["evaluations"], 12);
    let fair = arm(&result, "fair");
    assert_eq!(
        (&fair["counts"]["tp"], &fair["failed"]),
        (&2.into(), &0.into())
    );
    super::support::assert_close(&fair["value"], 2.0 / 3.0, 1e-12);
    // The mean of the documents' F-measures is another thing: it counts them as 1.
    super::support::assert_close(&fair["mean"], (4.0 + 2.0 * 2.0 / 3.0) / 6.0, 1e-12);
}

/// Tests that a posterior of means and the anytime-valid rule are about the mean of the documents'
/// F-measures, and that the output says so.
#[test]
fn means_of_f_under_other_posteriors() {
    for design in [
        "posterior = \"paired\"",
        "posterior = \"pooled\"\nstopping = \"anytime\"",
    ] {
        let bench = bench("docs.jsonl", &format!("{design}\n{ARMS}"));
        lines(&bench, 60);
        let (exit, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(exit, Some(code::DONE), "{result}");
        assert_eq!(result["conclusion"]["arm"], "good");
        let sentence = result["conclusion"]["sentence"].as_str().unwrap();
        assert!(
            sentence.contains("by mean f1 per document (1 where nothing was to be found"),
            "{sentence}"
        );
        let good = arm(&result, "good");
        assert_eq!(good["value"], good["mean"]);
    }
}

/// Tests a study of documents with an ordinary metric: a score per document.
#[test]
fn scores_per_document() {
    let bench = bench(
        "docs.jsonl",
        &format!("{ARMS}[metric]\nname = \"accuracy\"\n"),
    );
    lines(&bench, 60);
    bench.file(
        "count.sh",
        "echo $1 $3 >> log\nbase=$((600 + $(cksum < \"$2\" | cut -c1-2) + FIESTA_SEED % 40))\n[ $1 = good ] && base=$((base + 200))\necho \"{\\\"accuracy\\\": 0.$base}\"\n",
    );
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!(exit, Some(code::DONE), "{result}");
    assert_eq!(result["conclusion"]["arm"], "good");
    let sentence = result["conclusion"]["sentence"].as_str().unwrap();
    assert!(
        sentence.contains("by accuracy (") && sentence.contains("of 60 documents; FIESTA"),
        "{sentence}"
    );
    let good = arm(&result, "good");
    assert!(good["counts"].is_null());
    assert_eq!(good["evaluations"], queried(&bench)["good"].len());
}

#[test]
fn a_minimum_of_documents() {
    let made = |goal: &str| {
        let bench = bench("docs.jsonl", &format!("{ARMS}{goal}"));
        lines(&bench, 60);
        let (exit, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(exit, Some(code::DONE), "{result}");
        ["good", "poor"].map(|name| arm(&result, name)["evaluations"].as_u64().unwrap())
    };
    let free = made("");
    assert!(free.iter().sum::<u64>() < 40, "{free:?}");
    let held = made("[goal]\nmin_documents = 25\n");
    assert!(held.iter().all(|made| *made >= 25), "{held:?}");
}

/// Tests the values that the posterior's parameter `alpha` may have in a study.
#[test]
fn a_concentration() {
    for alpha in ["\"learned\"", "\"shared\"", "2.5", "3"] {
        let bench = bench("docs.jsonl", &format!("alpha = {alpha}\n{ARMS}"));
        lines(&bench, 60);
        let (exit, result) = bench.json(&["run", "study.toml"]);
        assert_eq!(exit, Some(code::DONE), "{result}");
        assert_eq!(result["conclusion"]["arm"], "good");
    }
}

#[test]
fn a_trial_shows_the_document() {
    let bench = bench("docs.jsonl", ARMS);
    lines(&bench, 7);
    let (exit, trial) = bench.json(&["run", "study.toml", "--check"]);
    assert_eq!(exit, Some(code::DONE), "{trial}");
    assert_eq!(trial["most_evaluations"], 14);
    let good = &trial["trials"][1];
    assert_eq!(
        (&good["arm"], &good["document"]),
        (&"good".into(), &"d0".into())
    );
    assert_eq!(
        good["counts"],
        serde_json::json!({"tp": 9, "fp": 1, "tn": 0, "fn": 1})
    );
    super::support::assert_close(&good["score"], 0.9, 1e-12);
    let text = bench.fiesta(&["run", "study.toml", "--check"]);
    for word in [
        "document",
        "d0",
        "tp 9, fp 1, fn 1",
        "at most 14 evaluations",
    ] {
        assert!(text.stdout.contains(word), "{word}: {text:?}");
    }
    // The jobs take milliseconds.
    assert!(!text.stdout.contains("takes 0.0 s"), "{text:?}");
    assert!(!bench.path("study.fiesta").exists());
}

/// Tests that the line of each evaluation names its document.
#[test]
fn the_lines_of_progress_name_documents() {
    let bench = bench("texts/*.txt", &format!("policy = \"uniform\"\n{ARMS}"));
    texts(&bench, 2);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::DONE,
        &["good  document 0.txt  tp 9, fp 1, fn 1 (f1 0.9000)"],
    );
}

/// Tests that a document on which an arm fails counts as used up, and that the study ends all the
/// same.
#[test]
fn failures_take_documents_up() {
    let bench = bench(
        "docs.jsonl",
        &format!("posterior = \"pooled\"\n{}", ARMS.replace("good", "fair")),
    );
    lines(&bench, 2);
    bench.edit(
        "count.sh",
        "case $1 in",
        "[ $1$3 = faird0 ] && exit 1\ncase $1 in",
    );
    let ran = bench.fiesta(&["run", "study.toml", "--format", "json"]);
    ran.says(code::SHORT, &["every document was queried"]);
    let result = ran.json();
    assert_eq!(result["conclusion"]["reason"], "exhausted");
    assert!(result["conclusion"]["probability"].is_null());
    assert_eq!(
        (&result["evaluations"], &result["failed"]),
        (&3.into(), &1.into())
    );
}
