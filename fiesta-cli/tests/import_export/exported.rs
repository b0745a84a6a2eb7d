//! Tests of exporting studies: ended, running, and of documents.

use super::{lines, objects, with_input};
use crate::support::{Bench, code, until};
use serde_json::Value;

/// Study file whose arms have names that are formulas or markup, with an arm that fails.
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

#[test]
fn a_study_is_exported_with_all_that_is_known() {
    let bench = Bench::with_job(JOB, ARMS);
    bench.fiesta(&["run", "study.toml", "--quiet"]);
    let csv = bench.fiesta(&["export", "study.toml"]);
    csv.says(code::DONE, &[]);
    let rows = lines(&csv.stdout);
    assert_eq!(
        rows[0],
        "evaluation,arm,split,seed,score,cost,duration,status,arm_digest,result.split,note,loss,layers,on"
    );
    let (_, status) = bench.json(&["status", "study.toml"]);
    let counted = status["evaluations"].as_u64().unwrap() + status["failed"].as_u64().unwrap();
    assert_eq!(rows.len() as u64, counted + 1);
    assert!(rows[1].starts_with("1,'=cmd(),0,"), "{}", rows[1]);
    let [version, rest] = rows[1]
        .split(",ok,")
        .nth(1)
        .unwrap()
        .splitn(2, ',')
        .collect::<Vec<_>>()[..]
    else {
        panic!("{}", rows[1])
    };
    assert_eq!(
        (version.len(), rest),
        (16, "a;'=b,\"'-x, \"\"y\"\"\",-0.5,\"[1,2]\",")
    );
    assert!(rows[2].starts_with("2,<b>@x,0,"), "{}", rows[2]);
    let failed: Vec<&&str> = rows.iter().filter(|row| row.contains(",failed,")).collect();
    assert_eq!(failed.len() as u64, status["failed"].as_u64().unwrap());
    assert!(
        failed
            .iter()
            .all(|row| row.contains(",bad,") && row.ends_with(",,,,,")),
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

/// Tests that the column of the scores says which are better: a loss is no `score`, and nobody takes the worst arm of an
/// exported study for the best.
#[test]
fn scores_of_which_smaller_are_better_keep_their_name() {
    for (name, column) in [
        ("loss", "loss"),
        ("latency", "latency"),
        ("accuracy", "loss"),
    ] {
        let job = format!("echo '{{\"{name}\": '$1'}}'");
        let bench = Bench::with_job(
            &job,
            "[[arm]]\nname = \"1\"\n[[arm]]\nname = \"2\"\n[goal]\nbudget = { evaluations = 4 }\n",
        );
        let metric = format!("[metric]\nname = \"{name}\"\ndirection = \"minimize\"\n");
        bench.edit("study.toml", "[metric]\nname = \"accuracy\"\n", &metric);
        bench.fiesta(&["run", "study.toml", "--quiet"]);
        let csv = bench.fiesta(&["export", "study.toml"]).stdout;
        let header = format!("evaluation,arm,split,seed,{column},cost,duration,arm_digest");
        assert_eq!(lines(&csv)[0], header);
        bench.file("study.csv", &csv);
        let asked = bench.fiesta(&["belief", "study.csv"]);
        asked.says(code::USAGE, &["there is no column `score`"]);
    }
}

/// Tests that rows with a cost, failed ones too, state its unit if the study file names one.
/// Otherwise the column is absent.
#[test]
fn costs_are_exported_with_the_unit_that_the_study_names() {
    const PAID: &str = r#"
[goal]
budget = { evaluations = 6 }
[resources]
cost_unit = "USD"
[design]
policy = "uniform"
parallel = 1
[[arm]]
name = "good"
cost = 0.25
[[arm]]
name = "poor"
cost = 0.5
"#;
    let job = "case $1$2 in poor1) exit 1 ;; esac; echo '{\"accuracy\": 0.5}'";
    let bench = Bench::with_job(job, PAID);
    bench.fiesta(&["run", "study.toml", "--quiet"]);
    let exported = bench.fiesta(&["export", "study.toml", "--format", "jsonl"]);
    exported.says(code::DONE, &[]);
    let rows = objects(&exported.stdout);
    assert!(rows.iter().any(|row| row["status"] == "failed"), "{rows:?}");
    for row in &rows {
        let cost = if row["arm"] == "good" { 0.25 } else { 0.5 };
        assert_eq!(
            (&row["cost"], &row["cost_unit"]),
            (&cost.into(), &"USD".into())
        );
    }
    let csv = bench.fiesta(&["export", "study.toml"]).stdout;
    let header = "evaluation,arm,split,seed,score,cost,duration,status,arm_digest,cost_unit";
    assert_eq!(lines(&csv)[0], header);
    assert!(
        lines(&csv)[1..].iter().all(|row| row.ends_with(",USD")),
        "{csv}"
    );

    // A report of the file states it as that of the study does.
    bench.file("costs.csv", &csv);
    for (results, out) in [("study.toml", "of-study"), ("costs.csv", "of-file")] {
        let words = [
            "report",
            results,
            "-o",
            out,
            "--formats",
            "svg",
            "--resamples",
            "100",
        ];
        bench.fiesta(&words).says(code::DONE, &[]);
        let table = |name: &str| bench.text(&format!("{out}/tables/arms.{name}"));
        assert!(
            table("csv").contains(",USD,"),
            "{results}: {}",
            table("csv")
        );
        assert!(
            table("md").contains("cost (USD)"),
            "{results}: {}",
            table("md")
        );
    }

    // What the evaluations cost is the study's alone to say: without the name nothing does.
    let bench = Bench::with_job(job, &PAID.replace("cost_unit = \"USD\"\n", ""));
    bench.fiesta(&["run", "study.toml", "--quiet"]);
    let csv = bench.fiesta(&["export", "study.toml"]).stdout;
    assert_eq!(lines(&csv)[0], header.replace(",cost_unit", ""));
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
    assert_eq!(
        rows[0],
        "evaluation,arm,split,seed,score,cost,duration,arm_digest"
    );
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
        rows[0].starts_with(
            "evaluation,arm,split,seed,score,cost,duration,arm_digest,document,tp,fp,tn,fn"
        ),
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
        assert_eq!(row[9..13], counts, "{row:?}");
    }
    // It is a file of counts as well, with the names of the documents.
    let (_, counts) = bench.json(&["belief", "study.csv", "--counts", "--draws", "200"]);
    let (_, scores) = bench.json(&["belief", "study.csv"]);
    for belief in [counts, scores] {
        let arms = belief["arms"].as_array().unwrap();
        assert!(arms.iter().all(|arm| arm["evaluations"] == 3), "{belief}");
    }
}
