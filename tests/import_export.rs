//! `fiesta import` and `fiesta export`: what goes in comes out again.

mod support;

use serde_json::Value;
use std::{
    fs::{self, File},
    process::Stdio,
};
use support::{Bench, Ran, code, until};

/// Arms whose names are formulas to a spreadsheet, or markup, and one that fails.
const JOB: &str = r#"
case $1 in bad) echo '{"accuracy": "none"}'; exit ;; esac
printf '{"accuracy": 0.%03d, "split": "a;=b", "note": "-x, \\"y\\"", "loss": -0.5, "layers": [1, 2], "on": null}\n' $((600 + $3 % 40))
"#;

const ARMS: &str = r#"
[goal]
budget = { evaluations = 14 }
[design]
policy = "uniform"
parallel = 1
[[arm]]
name = "=cmd()"
[[arm]]
name = "<b>@x"
[[arm]]
name = "bad"
"#;

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// The rows of a text of JSON lines.
fn objects(text: &str) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap();
    text.lines().map(parse).collect()
}

/// Runs the program with a file as its standard input.
fn with_input(bench: &Bench, input: &str, arguments: &[&str]) -> Ran {
    let output = bench
        .command(arguments)
        .stdin(Stdio::from(File::open(bench.path(input)).unwrap()))
        .output()
        .unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_study_is_exported_with_all_that_is_known() {
    let bench = Bench::with_job(JOB, ARMS);
    bench.fiesta(&["run", "study.toml", "--quiet"]);
    let csv = bench.fiesta(&["export", "study.toml"]);
    csv.says(code::DONE, &[]);
    let rows = lines(&csv.stdout);
    assert_eq!(
        rows[0],
        "evaluation,arm,split,seed,score,cost,duration,status,result.split,note,loss,layers,on"
    );
    let (_, status) = bench.json(&["status", "study.toml"]);
    let counted = status["evaluations"].as_u64().unwrap() + status["failed"].as_u64().unwrap();
    assert_eq!(rows.len() as u64, counted + 1);
    assert!(rows[1].starts_with("1,'=cmd(),0,"), "{}", rows[1]);
    assert!(
        rows[1].ends_with(",ok,a;'=b,\"'-x, \"\"y\"\"\",-0.5,\"[1,2]\","),
        "{}",
        rows[1]
    );
    assert!(rows[2].starts_with("2,<b>@x,0,"), "{}", rows[2]);
    let failed: Vec<&&str> = rows.iter().filter(|row| row.contains(",failed,")).collect();
    assert_eq!(failed.len() as u64, status["failed"].as_u64().unwrap());
    assert!(
        failed
            .iter()
            .all(|row| row.contains(",bad,") && row.ends_with(",failed,,,,,")),
        "{failed:?}"
    );

    // The same as JSON lines, where names need no protection.
    let file = bench.fiesta(&["export", "study.toml", "-o", "study.jsonl"]);
    file.says(code::DONE, &[]);
    assert!(file.stdout.is_empty());
    let first = &objects(&bench.text("study.jsonl"))[0];
    assert_eq!(first["evaluation"], 1);
    assert_eq!(first["arm"], "=cmd()");
    assert_eq!(first["result.split"], "a;=b");
    assert_eq!(first["note"], "-x, \"y\"");
    assert_eq!(
        (&first["loss"], &first["layers"]),
        (&(-0.5).into(), &serde_json::json!([1, 2]))
    );
    assert_eq!(
        (&first["status"], &first["on"]),
        (&"ok".into(), &Value::Null)
    );

    // Either is read to the same, through the standard input as well.
    let again = bench.fiesta(&["export", "study.jsonl", "--format", "csv"]);
    assert_eq!(again.stdout, csv.stdout);
    bench.file("study.csv", &csv.stdout);
    let piped = with_input(&bench, "study.csv", &["export", "-", "--format", "jsonl"]);
    assert_eq!(piped.stdout, bench.text("study.jsonl"));

    // Other verbs find the names as they were, and another key as the score.
    let one = bench.fiesta(&[
        "export",
        "study.csv",
        "--arms",
        "<b>@x,=cmd()",
        "--metric",
        "loss",
    ]);
    assert!(
        one.stdout.contains("'=cmd(),") && !one.stdout.contains("bad"),
        "{one:?}"
    );
    assert!(
        lines(&one.stdout)[0].starts_with("evaluation,arm,split,seed,loss,cost,duration,score,")
    );
    bench
        .fiesta(&["belief", "study.csv"])
        .says(code::USAGE, &["study.csv:4: the evaluation failed"]);
}

#[test]
fn a_study_that_runs_is_exported_as_far_as_it_has_come() {
    let job = "[ $2 = 0 ] || until [ -e go ]; do sleep 0.02; done; echo '{\"accuracy\": 0.5}'";
    let bench = Bench::with_job(
        job,
        "[goal]\nbudget = { evaluations = 6 }\n[design]\nparallel = 2\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"",
    );
    let never = bench.fiesta(&["export", "study.toml"]);
    never.says(code::USAGE, &["never run", "`fiesta run` starts it"]);
    let running = bench.start(&["run", "study.toml"]);
    until("two evaluations have ended", || {
        let exported = bench.fiesta(&["export", "study.toml"]);
        exported.code == Some(code::DONE) && lines(&exported.stdout).len() == 3
    });
    let exported = bench.fiesta(&["export", "study.toml"]);
    exported.says(
        code::DONE,
        &["2 evaluations have not ended, and are not among these results"],
    );
    let rows = lines(&exported.stdout);
    assert_eq!(rows[0], "evaluation,arm,split,seed,score,cost,duration");
    assert!(rows[1..].iter().all(|row| row.contains(",0.5,")));
    bench.file("go", "");
    running.wait().says(code::DONE, &[]);
    let exported = bench.fiesta(&["export", "study.toml"]);
    assert_eq!(lines(&exported.stdout).len(), 7);
    assert!(exported.stderr.is_empty());
}

#[test]
fn a_study_of_documents_has_its_counts() {
    let bench = Bench::new();
    bench.file(
        "docs.jsonl",
        "{\"id\": \"=d1\"}\n{\"id\": \"d2\"}\n{\"id\": \"d3\"}\n",
    );
    bench.file(
        "study.toml",
        "name = \"trial\"\ncommand = [\"sh\", \"job.sh\", \"{arm}\", \"{document_id}\"]\n[design]\ndocuments = \"docs.jsonl\"\n\
         [[arm]]\nname = \"good\"\n[[arm]]\nname = \"poor\"\n",
    );
    bench.file(
        "job.sh",
        "case $1$2 in goodd2) echo '{\"tp\": 0, \"fp\": 0, \"fn\": 0}' ;; good*) echo '{\"tp\": 3, \"fp\": 1, \"fn\": 0, \"tokens\": 9}' ;; \
         *) echo '{\"tp\": 1, \"fp\": 1, \"tn\": 4, \"fn\": 2}' ;; esac",
    );
    bench
        .fiesta(&["run", "study.toml", "--quiet"])
        .says(code::DONE, &[]);
    let csv = bench.fiesta(&["export", "study.toml", "-o", "study.csv"]);
    csv.says(code::DONE, &[]);
    let text = bench.text("study.csv");
    let rows = lines(&text);
    assert!(
        rows[0].starts_with("evaluation,arm,split,seed,score,cost,duration,document,tp,fp,tn,fn"),
        "{}",
        rows[0]
    );
    assert_eq!(rows.len(), 7);
    let of = |arm: &str, document: &str| {
        let ending = |row: &&&str| {
            row.contains(&format!(",{arm},")) && row.contains(&format!(",{document},"))
        };
        let row = rows
            .iter()
            .find(ending)
            .unwrap_or_else(|| panic!("{arm} {document} in {rows:#?}"));
        row.split(',').map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    // The F-measure of 3 right and 1 wrong; of nothing where there was nothing to find; of 1 of 5.
    for (arm, document, score, counts) in [
        ("good", "'=d1", 6.0 / 7.0, ["3", "1", "0", "0"]),
        ("good", "d2", 1.0, ["0", "0", "0", "0"]),
        ("poor", "d3", 0.4, ["1", "1", "4", "2"]),
    ] {
        let row = of(arm, document);
        assert_eq!(
            row[4].parse::<f64>().unwrap().to_bits(),
            f64::to_bits(score),
            "{row:?}"
        );
        assert_eq!(row[8..12], counts, "{row:?}");
    }
    // It is a file of counts as well, with the names of the documents.
    let (_, counts) = bench.json(&["belief", "study.csv", "--counts", "--draws", "200"]);
    let (_, scores) = bench.json(&["belief", "study.csv"]);
    for belief in [counts, scores] {
        let arms = belief["arms"].as_array().unwrap();
        assert!(arms.iter().all(|arm| arm["evaluations"] == 3), "{belief}");
    }
}

/// Other tools' results, what is needed to read each, and its rows, failures among them.
fn tools() -> [(
    &'static str,
    &'static [&'static str],
    &'static str,
    usize,
    usize,
); 4] {
    let best = "best_validation_accuracy";
    [
        (
            "allentune.jsonl",
            &["--metric", "best_validation_accuracy"],
            best,
            4,
            0,
        ),
        (
            "mlflow_search_runs.csv",
            &["--metric", "val_acc"],
            "metrics.val_acc",
            6,
            1,
        ),
        ("mlflow_page.csv", &["--metric", "val_ll"], "val_ll", 3, 1),
        ("wandb_page.csv", &["--metric", "val_acc"], "val_acc", 4, 2),
    ]
}

/// A bench with the results of all tools.
fn bench() -> Bench {
    let bench = Bench::new();
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/fiesta-report/tests/fixtures");
    for (name, ..) in tools() {
        fs::copy(format!("{fixtures}/{name}"), bench.path(name)).unwrap();
    }
    bench
}

#[test]
fn what_is_imported_is_exported_and_imported_again() {
    let bench = bench();
    for (name, flags, metric, rows, failures) in tools() {
        let imported = bench.fiesta(&[&["import", name, "-o", "1.csv"], flags].concat());
        imported.says(
            code::DONE,
            &["the arms are"].map(|words| {
                if name == "mlflow_page.csv" {
                    "one arm"
                } else {
                    words
                }
            }),
        );
        let first = bench.text("1.csv");
        let header = lines(&first)[0];
        assert!(
            header.starts_with(&format!("arm,{metric},duration,")),
            "{header}"
        );
        assert_eq!(lines(&first).len(), rows + 1, "{name}");
        for (from, to) in [
            ("1.csv", "2.jsonl"),
            ("2.jsonl", "3.csv"),
            ("3.csv", "4.jsonl"),
        ] {
            bench
                .fiesta(&["export", from, "--metric", metric, "-o", to])
                .says(code::DONE, &[]);
        }
        let failed = objects(&bench.text("2.jsonl"));
        let failed = failed.iter().filter(|row| row["status"] == "failed");
        assert_eq!(failed.count(), failures, "{name}");
        assert_eq!(bench.text("3.csv"), first, "{name}");
        assert_eq!(bench.text("4.jsonl"), bench.text("2.jsonl"), "{name}");
        let again = bench.fiesta(&["import", "2.jsonl", "--metric", metric, "--format", "csv"]);
        assert_eq!(again.stdout, first, "{name}");
        // From the standard input, as JSON lines at once.
        let piped = with_input(
            &bench,
            name,
            &[&["import", "-", "--format", "jsonl"], flags].concat(),
        );
        assert_eq!(piped.code, Some(code::DONE), "{piped:?}");
        if name != "mlflow_page.csv" {
            assert_eq!(piped.stdout, bench.text("2.jsonl"), "{name}");
        }
    }
    // What a spreadsheet would run is text in CSV, and itself in JSON.
    bench.fiesta(&[
        "import",
        "mlflow_search_runs.csv",
        "--metric",
        "val_acc",
        "-o",
        "1.csv",
    ]);
    assert!(bench.text("1.csv").contains(",'=1+1,") && !bench.text("1.csv").contains(",=1+1"));
    bench.fiesta(&[
        "import",
        "mlflow_search_runs.csv",
        "--metric",
        "val_acc",
        "-o",
        "1.jsonl",
    ]);
    assert_eq!(objects(&bench.text("1.jsonl"))[0]["params.note"], "=1+1");
}

/// Checks that this is refused in these words.
#[track_caller]
fn refused(bench: &Bench, arguments: &[&str], words: &[&str]) {
    bench.fiesta(arguments).says(code::USAGE, words);
}

const TWO: &str = "arm,score\na,1\nb,2\n";

#[test]
fn failures_are_for_those_who_say_what_becomes_of_them() {
    let bench = Bench::new();
    bench.file("failed.csv", "arm,score,status\na,1,ok\na,2,\nb,,crashed\n");
    bench.file("running.csv", "arm,score,status\na,1,ok\na,,running\n");

    let words = [
        "failed.csv:4: the evaluation failed (status `crashed`)",
        "remove the row",
    ];
    refused(&bench, &["belief", "failed.csv"], &words);
    refused(
        &bench,
        &["simulate", "failed.csv", "--confidence", "0.9"],
        &words,
    );
    bench
        .fiesta(&["export", "failed.csv"])
        .says(code::DONE, &[]);
    refused(
        &bench,
        &["export", "running.csv"],
        &["running.csv:3: the status `running` is unknown"],
    );
    refused(
        &bench,
        &["export", "nothing.csv"],
        &["nothing.csv: cannot be read"],
    );
}

#[test]
fn the_score_and_the_arm_are_chosen() {
    let bench = bench();
    refused(
        &bench,
        &["import", "wandb_page.csv"],
        &["several columns could be the score: name one of `lr`, `seed`, `val_acc`, `val_loss`"],
    );
    refused(
        &bench,
        &["import", "wandb_page.csv", "--metric", "f1"],
        &["there is no column `f1`", "--metric"],
    );
    refused(
        &bench,
        &["import", "wandb_page.csv", "--metric", "val_loss"],
        &["wandb_page.csv:4", "--missing", "`fail` or `drop`"],
    );
    let missing = [
        "import",
        "wandb_page.csv",
        "--metric",
        "val_loss",
        "--missing",
        "drop",
    ];
    bench.fiesta(&missing).says(
        code::DONE,
        &["1 trial without a finite `val_loss` is left out"],
    );
    refused(
        &bench,
        &[
            "import",
            "wandb_page.csv",
            "--metric",
            "val_acc",
            "--arm",
            "model",
        ],
        &["no column `model`", "--arm"],
    );
    refused(
        &bench,
        &[
            "import",
            "wandb_page.csv",
            "--metric",
            "val_acc",
            "--arms",
            "rnn",
        ],
        &["no arm `rnn`", "lstm, gru"],
    );
    refused(
        &bench,
        &[
            "import",
            "wandb_page.csv",
            "--metric",
            "val_acc",
            "--arms",
            "gru,gru",
        ],
        &["`gru` twice"],
    );
    refused(
        &bench,
        &[
            "import",
            "wandb_page.csv",
            "--metric",
            "val_acc",
            "--bounds",
            "0,0.5",
        ],
        &["wandb_page.csv:2: ", "bounds"],
    );
}

#[test]
fn flags_that_contradict_the_file_are_refused() {
    let bench = bench();
    bench.file("two.csv", TWO);
    bench.file("study.toml", support::STUDY);

    // Which tool.
    refused(
        &bench,
        &["import", "two.csv", "--from", "excel"],
        &["excel", "allentune"],
    );
    refused(
        &bench,
        &["import", "two.csv", "--from", "wandb"],
        &["no column `Name`", "not what wandb writes"],
    );
    refused(
        &bench,
        &["import", "two.csv", "--arm", "x"],
        &["--arm is about another tool's results", "--from"],
    );
    refused(
        &bench,
        &["import", "two.csv", "--from", "optuna"],
        &["not a database"],
    );
    refused(
        &bench,
        &["import", "-", "--from", "optuna"],
        &["name its file"],
    );
    refused(&bench, &["import", "study.toml"], &["never run"]);

    // Studies know their metric and its direction.
    refused(
        &bench,
        &["export", "study.toml", "--metric", "f1"],
        &["the metric of this study is accuracy, not f1"],
    );
    refused(
        &bench,
        &["export", "study.toml", "--minimize"],
        &["this study is to maximize accuracy"],
    );
    refused(
        &bench,
        &["export", "study.toml", "--direction", "minimize"],
        &["leave --direction and --minimize out"],
    );
    refused(
        &bench,
        &["export", "study.toml", "--bounds", "0,1"],
        &["bounds of a study's metric stand in its file"],
    );
    refused(
        &bench,
        &["export", "study.toml", "--pruned", "fail"],
        &["--pruned is about another tool's results"],
    );
    refused(
        &bench,
        &["export", "two.csv", "--direction", "up"],
        &["`up` is no direction"],
    );
    refused(
        &bench,
        &["export", "two.csv", "--direction", "minimize", "--minimize"],
        &["cannot be used with"],
    );

    // Where to.
    refused(
        &bench,
        &["export", "two.csv", "-o", "two.xlsx"],
        &["two.xlsx says nothing of the format", "--format csv"],
    );
    refused(
        &bench,
        &["export", "two.csv", "-o", "no/such/two.csv"],
        &["cannot write no/such/two.csv"],
    );
}

#[test]
fn a_study_is_not_imported() {
    let bench = Bench::with_study(support::STUDY);
    bench.fiesta(&["run", "study.toml", "--quiet"]);
    let ran = bench.fiesta(&["import", "study.toml"]);
    ran.says(
        code::USAGE,
        &["study.toml is a study of fiesta itself: use `fiesta export`"],
    );
    let ledger = bench.fiesta(&["import", "study.fiesta/ledger.db"]);
    ledger.says(
        code::USAGE,
        &["ledger.db: this is the ledger of a study of fiesta: name its study file"],
    );
}
