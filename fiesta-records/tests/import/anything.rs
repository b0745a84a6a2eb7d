//! Any text at all: whose it is, and that nothing in it does any harm.

use super::{bytes, database, metric, refused};
use fiesta_records::{
    ReadOptions,
    import::{Missing, Pruned, Tool, read_bytes},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use std::fs;

#[test]
fn tools_are_recognised_by_what_they_write() {
    for (name, tool) in [
        ("allentune.jsonl", Tool::AllenTune),
        ("mlflow_search_runs.csv", Tool::Mlflow),
        ("mlflow_page.csv", Tool::Mlflow),
        ("wandb_page.csv", Tool::Wandb),
        ("logs/inspect/large.eval", Tool::Inspect),
        ("logs/inspect/epochs.json", Tool::Inspect),
        ("logs/promptfoo/sums.json", Tool::Promptfoo),
        (
            "logs/lm_eval/org__large/samples_sums_2026-11-23T03-39-12.490047.jsonl",
            Tool::LmEval,
        ),
    ] {
        assert_eq!(Tool::recognise(&bytes(name)), Some(tool), "{name}");
    }
    let (_folder, path) = database("optuna_5_0.sql");
    assert_eq!(
        Tool::recognise(&fs::read(path).unwrap()),
        Some(Tool::Optuna)
    );
    for scores in [
        "",
        "arm,score\na,1\n",
        "arm,Name,State,Runtime,score\na,b,finished,1,1\n",
        "lstm,gru\n1,2\n",
        "{\"arm\": \"a\", \"score\": 1, \"training_duration\": 1, \"best_validation_f1\": 2}",
        "{\"a\": [1]}",
        "{\"evalId\": [1]}",
        "{\"version\": [1], \"status\": [2]}",
        "{\"arm\": \"a\", \"doc_id\": 1, \"score\": 1}",
        "PK\u{3}\u{4}",
    ] {
        assert_eq!(Tool::recognise(scores.as_bytes()), None, "{scores}");
    }
}

#[test]
fn hostile_names_of_arms_are_names() {
    let hostile = [
        "<script>alert(1)</script>",
        "=cmd()",
        "\\input{x}",
        "\u{202e}rtl",
        "🦀",
    ];
    let runs = hostile.map(|name| format!("r,finished,{name},1\n"));
    let text = format!("Name,State,Sweep,acc\n{}", runs.concat());
    let imported = read_bytes(text.as_bytes(), Tool::Wandb, &metric("acc"), "s").unwrap();
    assert_eq!(imported.records.arms(), hostile);
    let lines = b"Name,Sweep,acc\nr,\"a\nb\",1\n";
    let broken = refused(read_bytes(lines, Tool::Wandb, &metric("acc"), "s"));
    assert!(
        broken.starts_with("s:2: the name `a\\nb` contains a line break"),
        "{broken}"
    );
}

/// Text made of the pieces that exports are made of.
fn pieces() -> impl Strategy<Value = String> {
    let pieces = [
        "Name,State,Runtime,Sweep,acc\n",
        "run_id,experiment_id,status,start_time,end_time,metrics.a\n",
        "Start Time,Duration,Run ID,Status,a\n",
        "{\"training_duration\": 1, \"best_validation_a\": 0.5, \"model\": \"m\"}",
        "r,finished,1,s,0.5\n",
        "r,0,FINISHED,2026-01-01 00:00:00,2026-01-01T00:00:01Z,1\n",
        "2026-01-01 00:00:00,1.5min,r,FINISHED,'-1\n",
        "{\"doc_id\": 1, \"filtered_resps\": [], \"acc\": 1, \"a\": 0.5, \"filter\": \"f\"}\n",
        "{\"doc_id\": \"x\", \"metrics\": [\"acc\"], \"acc\": ",
        "{\"version\": 2, \"status\": \"success\", \"eval\": {\"task\": \"t\", \"model\": \"m\"}, \"samples\": [",
        "{\"id\": 1, \"epoch\": 1, \"scores\": {\"acc\": {\"value\": \"C\"}}}",
        "{\"evalId\": \"e\", \"results\": {\"results\": [",
        "{\"provider\": \"p\", \"testIdx\": 0, \"success\": true, \"score\": 1, \"namedScores\": {\"a\": 1}}",
        "]}}",
        "]}",
        "running",
        "finished",
        "NaN",
        "-1e400",
        "1:02:03",
        ",",
        "\n",
        "\"",
        "'",
        "=",
        "é",
        "\u{7}",
        "0",
        "{",
        "}",
        ":",
        "[1,",
        "]",
        "null",
    ];
    vec(select(pieces.to_vec()), 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Whatever is read is sound, and messages say which file and stay on one line.
    #[test]
    fn nothing_panics_and_nothing_is_lost(text in prop_oneof![pieces(), any::<String>()], metric in option::of(select(vec!["acc", "a", "Name"]))) {
        for tool in Tool::ALL {
            let options = ReadOptions {
                metric: metric.map(ToOwned::to_owned),
                pruned: Some(Pruned::Score),
                missing: Some(Missing::Fail),
                ..ReadOptions::default()
            };
            match read_bytes(text.as_bytes(), tool, &options, "s") {
                Ok(imported) => {
                    prop_assert!(imported.records.rows().count() > 0);
                    prop_assert!(imported.records.records().iter().all(|record| record.score.is_finite()));
                    let times = imported.records.rows().filter_map(|row| row.duration);
                    prop_assert!(times.into_iter().all(|seconds| seconds >= 0.0));
                }
                Err(error) => {
                    let message = error.to_string();
                    prop_assert!(!message.contains(['\n', '\r']), "{message}");
                }
            }
        }
    }
}
