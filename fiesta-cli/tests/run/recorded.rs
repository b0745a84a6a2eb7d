//! Tests of studies that begin with recorded scores.

use super::{
    Bench, TWO, arm, code, logging,
    support::{assert_close, until},
};
use fiesta::runner::{History, Ledger, Study, history::Check};
use rustix::process::Signal;
use std::{collections::BTreeSet, fs};

const RECORDED: &str = "[[recorded]]\nfile = \"earlier.csv\"\n";

/// Returns scores of both arms on splits 0 to 5, those of `high` being better.
fn clear() -> String {
    let rows = (0..6).map(|split| {
        let (low, high) = (70 + split, 80 + split);
        let better = split / 2;
        format!("low,{split},{low},0.60{split},2.5,x\nhigh,{split},{high},0.70{better},2.5,y\n")
    });
    let header = "arm,split,seed,score,cost,note\n".to_owned();
    [header].into_iter().chain(rows).collect()
}

/// A study with recorded scores, and nothing evaluated.
fn bench(earlier: &str, rest: &str) -> Bench {
    let bench = Bench::with_job(&logging(), &format!("{rest}\n{RECORDED}{TWO}"));
    bench.file("earlier.csv", earlier);
    bench
}

/// Goal of a study whose stopping rule does not wait for eight evaluations of each of the best two arms.
const GOAL: &str = "[goal]\nconfidence = 0.95\nbudget = { evaluations = 20 }\n[design]\nstopping = \"posterior-at-once\"";

/// Returns the splits on which the study evaluated an arm.
fn splits(bench: &Bench, name: &str) -> Vec<u64> {
    let log = bench.log("log");
    let of = log.iter().filter(|line| line[0] == name);
    of.map(|line| line[1].parse().unwrap()).collect()
}

#[track_caller]
fn replays(bench: &Bench) -> History {
    let study = Study::read(&bench.path("study.toml")).unwrap();
    let entries = Ledger::read(&study.state_directory()).unwrap();
    let history = History::replay(&study, entries, Check::Decisions).unwrap();
    assert_eq!(history.differences, Vec::<String>::new());
    history
}

#[test]
fn may_end_a_study_without_a_single_job() {
    let bench = bench(&clear(), GOAL);
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::DONE,
        &["12 evaluations that exist already are counted first"],
    );
    assert!(
        ran.stdout.contains("high is the best of 2 arms"),
        "{ran:#?}"
    );
    assert!(
        ran.stdout
            .contains("12 of the evaluations existed before the study."),
        "{ran:#?}"
    );
    assert_eq!(bench.text("log"), "");
    // The ledger alone suffices from now on.
    fs::remove_file(bench.path("earlier.csv")).unwrap();
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["nothing was run"]);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(
        (&status["evaluations"], &status["recorded"], &status["cost"]),
        (&12.into(), &12.into(), &0.0.into())
    );
    let rows = bench.fiesta(&["export", "study.toml"]).stdout;
    let mut lines = rows.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let second: Vec<&str> = lines.nth(1).unwrap().split(',').collect();
    let cell = |name: &str| second[header.iter().position(|column| *column == name).unwrap()];
    let cells = [
        "evaluation",
        "arm",
        "split",
        "seed",
        "score",
        "cost",
        "note",
        "recorded",
    ];
    let expected = ["2", "high", "0", "80", "0.7", "2.5", "y", "earlier.csv:3"];
    assert_eq!(cells.map(cell), expected);
    let report = ["report", "study.toml", "--formats", "svg"];
    for call in [&report[..], &["curve", "study.toml"]] {
        bench.fiesta(call).says(code::DONE, &[]);
    }
    replays(&bench);
}

/// Tests that a study of recorded scores alone has the P(best) that `belief` prints of the file, as
/// both pair the same rows.
#[test]
fn are_paired_as_in_their_file() {
    let rows = [
        ("low", 3, 0.52),
        ("low", 0, 0.61),
        ("low", 7, 0.43),
        ("low", 1, 0.55),
        ("high", 0, 0.63),
        ("high", 1, 0.575),
        ("high", 2, 0.5),
        ("high", 3, 0.53),
        ("high", 7, 0.47),
    ];
    let rows = rows.map(|(arm, split, score)| format!("{arm},{split},{score}\n"));
    let text = format!("arm,split,score\n{}", rows.concat());
    // It cannot do anything but count them.
    let bench = bench(
        &text,
        "[goal]\nconfidence = 0.5001\nbudget = { evaluations = 2 }\n[design]\nstopping = \"posterior-at-once\"",
    );
    let (exit, status) = bench.json(&["run", "study.toml"]);
    assert_eq!((exit, bench.text("log")), (Some(code::DONE), String::new()));
    let (_, belief) = bench.json(&["belief", "earlier.csv", "--posterior", "paired"]);
    for name in ["low", "high"] {
        let of_file = arm(&belief, name)["probability_best"].as_f64().unwrap();
        assert_close(&arm(&status, name)["probability_best"], of_file, 1e-9);
    }
    // Paired, they are told apart; side by side they are not.
    let (_, unpaired) = bench.json(&["belief", "earlier.csv", "--posterior", "pooled"]);
    let p = |belief: &serde_json::Value| arm(belief, "high")["probability_best"].as_f64().unwrap();
    assert!(
        p(&belief) > 0.9 && p(&unpaired) < 0.8,
        "{} {}",
        p(&belief),
        p(&unpaired)
    );
}

/// Tests that arms with recorded scores continue on the other arms' splits first, and that budgets
/// exclude recorded evaluations.
#[test]
fn go_on_with_splits_that_an_arm_does_not_have() {
    let earlier = "arm,split,score\nlow,0,0.61\nlow,1,0.62\nlow,4,0.6\nhigh,1,0.605\nhigh,7,0.61\n";
    let rest = "[goal]\nbudget = { evaluations = 8 }\n[design]\npolicy = \"uniform\"\nparallel = 3";
    let bench = bench(earlier, rest);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    // 3 and 2 recorded: 8 more make 7 and 6 of them, or 6 and 7.
    let (low, high) = (splits(&bench, "low"), splits(&bench, "high"));
    assert_eq!(low.len() + high.len(), 8, "the budget is of what is made");
    let first = |splits: &[u64], made: &[u64]| {
        let mut made = made.to_vec();
        made.sort_unstable();
        let mut expected = splits[..made.len()].to_vec();
        expected.sort_unstable();
        assert_eq!(made, expected);
    };
    first(&[7, 2, 3, 5, 6], &low);
    first(&[0, 4, 2, 3, 5, 6], &high);
    let (_, status) = bench.json(&["status", "study.toml"]);
    assert_eq!(status["evaluations"], 13);
    assert_eq!(arm(&status, "low")["recorded"], 3);
    let history = replays(&bench);
    let record = history.records.values().nth(3).unwrap();
    assert_eq!(record.origin.as_ref().map(|origin| origin.line), Some(5));
}

#[test]
fn are_counted_once_however_often_a_study_is_killed() {
    let earlier = "arm,split,seed,score\nlow,0,1,0.61\nhigh,0,2,0.605\n";
    let rest = "[goal]\nbudget = { evaluations = 12 }\n[design]\nparallel = 2";
    let bench = bench(earlier, rest);
    bench.edit("job.sh", "echo $1", "[ -e quick ] || sleep 0.1\necho $1");
    for at_least in [2, 5] {
        let running = bench.start(&["run", "study.toml"]);
        until("some were made", || bench.log("log").len() >= at_least);
        running.signal(Signal::KILL);
        running.wait();
    }
    bench.file("quick", "");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["resuming after"]);
    assert_eq!(bench.log("log").len(), 12);
    let history = replays(&bench);
    assert_eq!(history.records.len(), 14);
    assert_eq!(history.selector.view().total_recorded(), 2);
}

#[test]
fn of_another_file_are_another_study() {
    let bench = bench(&clear(), "[goal]\nbudget = { evaluations = 4 }");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let log = bench.text("log");
    bench.file("earlier.csv", &format!("{}low,9,9,0.9,1,z\n", clear()));
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(
            code::CHANGED,
            &[
                "recorded",
                "scores that exist already are counted before any other",
            ],
        );
    bench.file("earlier.csv", &clear());
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["nothing was run"]);
    // What was counted can begin another one.
    let exported = bench.fiesta(&["export", "study.toml"]).stdout;
    bench.edit("study.toml", RECORDED, "");
    bench
        .fiesta(&["run", "study.toml", "--accept-changes"])
        .says(code::CHANGED, &["another study"]);
    assert_eq!(bench.text("log"), log);
    bench.edit("study.toml", TWO, &format!("{RECORDED}{TWO}"));
    bench.edit("study.toml", "evaluations = 4", "evaluations = 2");
    let rows = exported.lines().count() - 1;
    bench.file("earlier.csv", &exported);
    fs::rename(bench.path("study.fiesta"), bench.path("old.fiesta")).unwrap();
    let says = format!("{rows} evaluations that exist already are counted first");
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &[&says]);
}

#[test]
fn are_refused_with_their_line() {
    let good = "arm,split,score\nlow,0,0.5\nhigh,0,0.6\n";
    let bounds = "[metric]\nname = \"accuracy\"\nbounds = [0.0, 1.0]\n";
    for (earlier, change, says) in [
        (
            format!("{good}mid,1,0.5\n"),
            ("", ""),
            "earlier.csv:4: the arm `mid` is none of this study's (low, high)",
        ),
        (format!("{good}low,1,1.5\n"), ("", ""), "earlier.csv:4: "),
        (format!("{good}low,1,nan\n"), ("", ""), "earlier.csv:4: "),
        (
            format!("{good}low,,0.5\n"),
            ("", ""),
            "earlier.csv:4: the row names no split",
        ),
        (
            format!("{good}low,18446744073709551615,0.5\n"),
            ("", ""),
            "earlier.csv:4: the split 18446744073709551615 is too large",
        ),
        (
            "arm,item,score\nlow,q,0.5\n".to_owned(),
            ("", ""),
            "earlier.csv:2: the row is of an item, and this study has splits: leave the column `item` out",
        ),
        (
            "low,high\n0.5,0.6\n".to_owned(),
            ("", ""),
            "earlier.csv:2: the row names no split",
        ),
        (
            "arm,split,f1\nlow,0,0.5\n".to_owned(),
            ("", ""),
            "earlier.csv:1: there is no column `score`, only arm, split, f1: name the column of the score beside file",
        ),
        (good.to_owned(), ("shared", "fixed"), ""),
        (
            format!("{good}low,3,0.5\n"),
            ("shared", "fixed"),
            "earlier.csv:4: the row is on split 3",
        ),
        (
            good.to_owned(),
            ("policy = \"auto\"", "policy = \"sequential-halving\""),
            "the policy sequential-halving divides its budget",
        ),
        (
            good.to_owned(),
            ("[goal]", "[goal]\ntrials = 3"),
            "a random search draws its settings itself",
        ),
        (
            good.to_owned(),
            ("earlier.csv", "absent.csv"),
            "absent.csv: cannot be read",
        ),
        (
            good.to_owned(),
            ("\"earlier.csv\"", "\"earlier.csv\"\nfiles = 3"),
            "unknown key `files`",
        ),
        (
            good.to_owned(),
            (
                RECORDED,
                "[[recorded]]\nfile = \"earlier.csv\"\n[[recorded]]\nfile = \"again.csv\"\n",
            ),
            "again.csv:2: this evaluation was on earlier.csv:2 already",
        ),
        (
            good.to_owned(),
            ("shared", "independent\"\nstopping = \"anytime"),
            "earlier.csv:3: split 0 is also that of earlier.csv:2",
        ),
    ] {
        let rest = "[goal]\nbudget = { evaluations = 4 }\n[design]\nsplits = \"shared\"\npolicy = \"auto\"\n";
        let bench = bench(&earlier, rest);
        let text = bench.text("study.toml");
        let text = text.replace("[metric]\nname = \"accuracy\"\n", bounds);
        let text = text.replace(change.0, if change.0.is_empty() { "" } else { change.1 });
        bench.file("study.toml", &text);
        bench.file("again.csv", "arm,split,score\nlow,0,0.5\n");
        if says.contains("already") {
            for name in ["earlier.csv", "again.csv"] {
                bench.file(name, "arm,split,seed,score\nlow,0,7,0.5\n");
            }
        }
        let ran = bench.fiesta(&["run", "study.toml"]);
        if says.is_empty() {
            ran.says(code::DONE, &[]);
        } else {
            ran.says(code::USAGE, &["study.toml:", says]);
            assert!(!bench.path("study.fiesta").exists(), "{says}");
        }
    }
}

/// Tests a minimised score, another column name, JSON lines, and a failed evaluation.
#[test]
fn are_read_as_the_metric_wants_them() {
    let rows = [
        ("low", 0.1),
        ("high", 0.9),
        ("low", 0.12),
        ("high", 0.8),
        ("low", 0.11),
        ("high", 0.85),
    ];
    let line = |(number, (arm, loss)): (usize, (&str, f64))| {
        let split = number / 2;
        format!("{{\"arm\": \"{arm}\", \"split\": {split}, \"loss\": {loss}}}\n")
    };
    let mut text: String = rows.into_iter().enumerate().map(line).collect();
    text += "{\"arm\": \"high\", \"split\": 9, \"status\": \"failed\"}\n";
    let bench = Bench::with_job(&logging(), &format!("{GOAL}\n{TWO}"));
    bench.file("losses.jsonl", &text);
    bench.edit(
        "study.toml",
        "name = \"accuracy\"\n",
        "name = \"accuracy\"\ndirection = \"minimize\"\n[[recorded]]\nfile = \"losses.jsonl\"\nmetric = \"loss\"\n",
    );
    let (exit, result) = bench.json(&["run", "study.toml"]);
    assert_eq!((exit, &result["leader"]), (Some(code::DONE), &"low".into()));
    assert_eq!(
        (&result["failed"], &result["evaluations"]),
        (&1.into(), &6.into())
    );
    assert_eq!(arm(&result, "high")["retired"], false);
    assert_eq!(bench.text("log"), "");
}

/// Tests that the rows of a wide file are independent scores, where the study has independent
/// splits.
#[test]
fn without_splits_are_independent() {
    let rest = "[goal]\nbudget = { evaluations = 4 }\n[design]\nsplits = \"independent\"\npolicy = \"uniform\"";
    let bench = bench("low,high\n0.6,0.7\n0.61,0.65\n0.5,\n", rest);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    let history = replays(&bench);
    let splits: Vec<u64> = history
        .records
        .values()
        .map(|record| record.evaluation.case.split)
        .collect();
    let distinct: BTreeSet<u64> = splits.iter().copied().collect();
    assert_eq!((splits.len(), distinct.len()), (9, 9), "{splits:?}");
    // What is not known is not made up in an export.
    let rows = bench.fiesta(&["export", "study.toml"]).stdout;
    let recorded = rows.lines().filter(|row| row.contains("earlier.csv:"));
    assert!(
        recorded
            .clone()
            .all(|row| row.contains(",low,,,") || row.contains(",high,,,")),
        "{rows}"
    );
    assert_eq!(recorded.count(), 5);
}

/// Tests recorded counts of documents: no document is queried twice, and arms begin with the other
/// arms' documents.
#[test]
fn of_documents_are_counts() {
    let job = "echo $1 $2 >> log\n[ $1 = high ] && hits=8 || hits=5\necho \"{\\\"tp\\\": $hits, \\\"fp\\\": 2, \\\"fn\\\": 3}\"\n";
    let study = format!(
        "name = \"trial\"\ncommand = [\"sh\", \"job.sh\", \"{{arm}}\", \"{{document_id}}\"]\n[goal]\nbudget = {{ evaluations = 8 }}\n[design]\ndocuments = \"docs.jsonl\"\n{RECORDED}{TWO}"
    );
    let bench = Bench::new();
    bench.file("job.sh", job);
    bench.file("study.toml", &study);
    let line = |number: usize| format!("{{\"id\": \"d{number}\"}}\n");
    bench.file("docs.jsonl", &(0..30).map(line).collect::<String>());
    bench.file(
        "earlier.csv",
        "arm,document,tp,fp,fn\nlow,d3,4,2,3\nlow,d17,5,1,3\nlow,d8,6,2,2\nhigh,d17,7,1,1\n",
    );
    bench
        .fiesta(&["run", "study.toml"])
        .says(code::DONE, &["4 evaluations that exist already"]);
    let log = bench.log("log");
    let of = |name: &str| -> Vec<&str> {
        let of = log.iter().filter(|line| line[0] == name);
        of.map(|line| line[1].as_str()).collect()
    };
    let (low, high) = (of("low"), of("high"));
    assert_eq!(low.len() + high.len(), 8);
    assert_eq!(high[..2], ["d3", "d8"]);
    assert!(
        ["d3", "d17", "d8"].iter().all(|id| !low.contains(id)),
        "{low:?}"
    );
    assert!(!high.contains(&"d17"), "{high:?}");
    replays(&bench);
    let rows = bench.fiesta(&["export", "study.toml"]).stdout;
    assert!(
        rows.contains("earlier.csv:5") && rows.contains(",d17,"),
        "{rows}"
    );

    for (row, says) in [
        (
            "low,d99,1,1,1",
            "earlier.csv:6: the document `d99` is not in the study's collection",
        ),
        ("low,d3,1,1,1", "earlier.csv:6: "),
        ("low,d4,1,-1,1", "earlier.csv:6: the fp `-1` is not a count"),
    ] {
        let _ = fs::remove_dir_all(bench.path("study.fiesta"));
        let text =
            "arm,document,tp,fp,fn\nlow,d3,4,2,3\nlow,d17,5,1,3\nlow,d8,6,2,2\nhigh,d17,7,1,1\n";
        bench.file("earlier.csv", &format!("{text}{row}\n"));
        bench
            .fiesta(&["run", "study.toml"])
            .says(code::USAGE, &[says]);
    }
}
