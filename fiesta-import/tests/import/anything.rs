//! Tests that any text is ascribed to a tool or refused, and that nothing in it does any harm.

use super::{bytes, database, metric, refused};
use fiesta_import::{Tool, read, read_bytes};
use fiesta_records::{Missing, Pruned, Reading};
use proptest::{collection::vec, option, prelude::*, sample::select};
use std::{fs, sync::LazyLock};

#[test]
fn tools_are_recognised_by_what_they_write() {
    for (name, tool) in [
        ("allentune.jsonl", Tool::AllenTune),
        ("mlflow_search_runs.csv", Tool::Mlflow),
        ("mlflow_page.csv", Tool::Mlflow),
        ("wandb_page.csv", Tool::Wandb),
        ("optuna_trials.csv", Tool::Optuna),
        ("optuna_objectives.csv", Tool::Optuna),
        ("cross_validate.csv", Tool::Sklearn),
        ("cross_validate.json", Tool::Sklearn),
        ("cv_results.csv", Tool::Sklearn),
        ("ray/train_1d362_00000/result.json", Tool::Ray),
        ("logs/inspect/large.eval", Tool::Inspect),
        ("logs/inspect/epochs.json", Tool::Inspect),
        ("logs/promptfoo/sums.json", Tool::Promptfoo),
        ("logs/helm/org_large/per_instance_stats.json", Tool::Helm),
        ("logs/swe_bench/org__small.sample.json", Tool::SweBench),
        (
            "logs/evalplus/large_temp_0.0_eval_results.json",
            Tool::EvalPlus,
        ),
        ("logs/deepeval/large.json", Tool::DeepEval),
        ("logs/openai_evals/org_small.jsonl", Tool::OpenAiEvals),
        ("logs/alpaca_eval/large/annotations.json", Tool::AlpacaEval),
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
        "[{\"arm\": \"a\", \"item\": \"instance_id\", \"score\": 1}]",
        "{\"date\": [1], \"hash\": [2], \"eval\": [3]}",
        "{\"resolved\": [1, 0], \"no_generation\": [0, 1]}",
        "number,state,value\n1,Ohio,2\n",
        "arm,number,value,datetime_start,state\na,1,2,3,4\n",
        "[{\"arm\": \"a\", \"fit_time\": 1, \"score_time\": 1, \"test_score\": 1}]",
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
        "number,value,datetime_start,duration,state\n",
        "1,0.5,2026-01-01 00:00:00,0 days 00:04:00.1,COMPLETE\n",
        "fit_time,score_time,test_score\n",
        "{\"fit_time\": [1], \"score_time\": {\"0\": 1, \"7\": 2}, \"test_score\": [0.5, NaN]}",
        "\"metadata\": {\"a\": 1}, ",
        "r,finished,1,s,0.5\n",
        "r,0,FINISHED,2026-01-01 00:00:00,2026-01-01T00:00:01Z,1\n",
        "2026-01-01 00:00:00,1.5min,r,FINISHED,'-1\n",
        "{\"doc_id\": 1, \"filtered_resps\": [], \"acc\": 1, \"a\": 0.5, \"filter\": \"f\"}\n",
        "{\"doc_id\": \"x\", \"metrics\": [\"acc\"], \"acc\": ",
        "{\"version\": 2, \"status\": \"success\", \"eval\": {\"task\": \"t\", \"model\": \"m\"}, \"samples\": [",
        "{\"id\": 1, \"epoch\": 1, \"scores\": {\"acc\": {\"value\": \"C\"}}}",
        "{\"evalId\": \"e\", \"results\": {\"results\": [",
        "{\"provider\": \"p\", \"testIdx\": 0, \"success\": true, \"score\": 1, \"namedScores\": {\"a\": 1}}",
        "[{\"instance_id\": \"a\", \"train_trial_index\": 1, \"perturbation\": {\"name\": \"n\"}, \"stats\": [",
        "{\"name\": {\"name\": \"a\", \"split\": \"test\"}, \"count\": 0, \"sum\": 1}",
        "{\"resolved\": [\"a\"], \"no_logs\": [\"b\"], \"no_generation\": [\"\"]}",
        "{\"resolved_ids\": [\"a\"], \"unresolved_ids\": [\"b\"], \"total_instances\": 1}",
        "{\"eval\": {\"a\": [{\"base_status\": \"pass\"}], \"b\": {\"base\": [1, []]}}}",
        "{\"testRunData\": {\"testCases\": [{\"input\": 1, \"metricsData\": [{\"name\": \"a\", \"score\": -1}]}",
        "{\"spec\": {\"completion_fns\": []}}\n",
        "{\"doc\": {\"query\": \"q\", \"id\": \"1\"}, \"metric\": {\"a\": 1, \"acc\": NaN}, \"model_response\": 1}\n",
        "{\"sample_id\": \"a\", \"type\": \"match\", \"data\": {\"correct\": true, \"a\": 1e308}}\n",
        "[{\"instruction\": \"\", \"generator_2\": \"m\", \"preference\": 2, \"price_per_example\": -1}",
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
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Tests that files of directories may hold anything, too.
    #[test]
    fn no_directory_makes_a_reader_panic(text in prop_oneof![pieces(), any::<String>(), vec(select(LINES.to_vec()), 0..6).prop_map(|lines| lines.concat())]) {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("e/r");
        fs::create_dir_all(run.join("metrics")).unwrap();
        let experiment = "artifact_location: a\nname: e\n";
        let meta = "run_id: r\nstatus: 3\nstart_time: 99999999999999999\n";
        for (name, content) in [("e/meta.yaml", experiment), ("e/r/meta.yaml", meta), ("e/r/metrics/a", "1 2 3\n"), ("r/params.json", "{}"), ("r/result.json", "{\"a\": 1}")] {
            fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
            fs::write(folder.path().join(name), content).unwrap();
        }
        for name in ["e/meta.yaml", "e/r/meta.yaml", "e/r/metrics/a", "r/params.json", "r/result.json", "r/progress.csv", "experiment_state-1.json"] {
            let path = folder.path().join(name);
            let before = fs::read(&path).ok();
            fs::write(&path, &text).unwrap();
            for tool in [Tool::Mlflow, Tool::Ray] {
                if let Err(error) = read(folder.path(), tool, &Reading::default()) {
                    let message = error.to_string();
                    prop_assert!(!message.contains(['\n', '\r']), "{message}");
                }
            }
            match before {
                Some(before) => fs::write(&path, before).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Tests that a database with changed bytes is read or refused.
    #[test]
    fn no_bytes_of_a_database_make_a_reader_panic(changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..40)) {
        let mut bytes = MLFLOW.clone();
        for (place, byte) in changes {
            // The head of the file stays, by which it is known.
            let place = 100 + place.index(bytes.len() - 100);
            bytes[place] = byte;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mlflow.db");
        fs::write(&path, bytes).unwrap();
        for tool in [Tool::Mlflow, Tool::Optuna] {
            if let Err(error) = read(&path, tool, &metric("loss")) {
                let message = error.to_string();
                prop_assert!(!message.contains(['\n', '\r']), "{message}");
            }
        }
    }
}

static MLFLOW: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let (_folder, path) = database("mlflow_3_17.sql");
    fs::read(path).unwrap()
});

/// Lines as in the files of MLflow and Ray, some of them damaged.
const LINES: [&str; 10] = [
    "run_id: r\n",
    "name: 'a\n",
    "  b'\n",
    "status: 99999999999999999999\n",
    "lifecycle_stage: deleted\n",
    "1 nan 2\n",
    "-1 1e999 -9223372036854775808 d\n",
    "{\"trial_data\": [[\"{\", 1], [], 7]}",
    "{\"a\": {\"b\": [NaN]}, \"trial_id\": \"t\", \"config\": {\"\": 1}}\n",
    "a,b\n1,2\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Tests that whatever is read is sound, and that messages name the file and stay on one line.
    #[test]
    fn nothing_panics_and_nothing_is_lost(text in prop_oneof![pieces(), any::<String>()], metric in option::of(select(vec!["acc", "a", "Name"]))) {
        for tool in Tool::ALL {
            let options = Reading {
                metric: metric.map(ToOwned::to_owned),
                pruned: Some(Pruned::Score),
                missing: Some(Missing::Fail),
                ..Reading::default()
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
