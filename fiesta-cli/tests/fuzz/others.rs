//! Fuzzing of the readers of other tools' logs, directories and tables, from the files of their tests.

use super::{
    fuzz,
    imports::{WORDS, is_read, options},
    results::fast,
};
use fiesta::{
    import::{ImportError, Tool, read_bytes, read_results, read_results_from},
    records::{Reading, RecordsError, Spread, Summaries, gold},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns the path of a file: of the corpus if it begins with a digit, else of the fixtures.
fn path(name: &str) -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = if name.starts_with(|c: char| c.is_ascii_digit()) {
        "tests/corpus"
    } else {
        "../fiesta-import/tests/fixtures"
    };
    own.join(folder).join(name)
}

/// Fuzzes a reader from these files and texts; each of them can be read.
fn reader(what: &str, files: &[&str], texts: &[&str], mut read: impl FnMut(&[u8]) -> bool) {
    let files = files.iter().map(|name| fs::read(path(name)).unwrap());
    let inputs: Vec<Vec<u8>> = files
        .chain(texts.iter().map(|text| text.as_bytes().to_vec()))
        .collect();
    let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    for input in &inputs {
        assert!(read(input), "{what}: {}", String::from_utf8_lossy(input));
    }
    fuzz(what, &inputs, &WORDS, read);
}

fn tool(tool: Tool, metric: Option<&str>, files: &[&str], texts: &[&str]) {
    let options = options(metric);
    reader(tool.name(), files, texts, |input| {
        is_read(read_bytes(input, tool, &options, "fuzz"))
    });
}

#[test]
fn helm() {
    let files = [
        "22a/runs/v1/rivers_subject=delta,model=lab_blue/per_instance_stats.json",
        "22a/runs/v1/rivers_subject=delta,model=lab_red/per_instance_stats.json",
    ];
    tool(Tool::Helm, Some("exact_match"), &files, &[]);
}

#[test]
fn swe_bench() {
    const LEADERBOARD: &str = "{\"no_generation\": [\"a\"], \"generated\": [\"b\", \"c\", \"d\"], \"with_logs\": [\"b\", \"c\"], \"test_timeout\": [\"d\"], \"resolved\": [\"c\"]}";
    let files = [
        "logs/swe_bench/org__small.sample.json",
        "23a/blue.first-run.json",
        "23b/hill__grey.verified.json",
    ];
    tool(Tool::SweBench, None, &files, &[LEADERBOARD]);
}

#[test]
fn evalplus() {
    let files = [
        "logs/evalplus/large_temp_0.0_eval_results.json",
        "logs/evalplus/small_temp_0.8_eval_results.json",
        "24b/teal_eval_results.json",
    ];
    tool(Tool::EvalPlus, Some("base"), &files, &[]);
}

#[test]
fn deepeval() {
    let files = ["logs/deepeval/small.json", "25b/teal.json"];
    tool(Tool::DeepEval, Some("success"), &files, &[]);
}

#[test]
fn openai_evals() {
    let files = ["logs/openai_evals/org_small.jsonl", "26b/lab_grey.jsonl"];
    tool(Tool::OpenAiEvals, None, &files, &[]);
}

#[test]
fn alpaca_eval() {
    let files = [
        "logs/alpaca_eval/small/annotations.json",
        "27b/red/annotations.json",
    ];
    tool(Tool::AlpacaEval, None, &files, &[]);
}

#[test]
fn lighteval() {
    const DETAILS: &str = "{\"doc\": {\"query\": \"2+2\", \"id\": \"0\", \"task_name\": \"t\"}, \"metric\": {\"em\": 1.0, \"f1\": 0.5}, \"model_response\": {\"text\": [\"4\"]}}\n{\"doc\": {\"query\": \"2+3\", \"id\": \"\", \"task_name\": null}, \"metric\": {\"em\": 0.0, \"f1\": NaN}, \"model_response\": null}\n";
    tool(Tool::Lighteval, Some("em"), &[], &[DETAILS]);
}

#[test]
fn optuna_csv() {
    let files = ["optuna_trials.csv", "11b/study.csv"];
    tool(Tool::Optuna, None, &files, &[]);
}

#[test]
fn cross_validate() {
    let files = ["cross_validate.csv", "cross_validate.json", "17b/both.csv"];
    let options = options(None);
    let metric = |input: &[u8]| {
        let of_both = input.windows(8).any(|text| text == b"test_r2,");
        of_both.then(|| "test_r2".to_owned())
    };
    reader("cross_validate", &files, &[], |input| {
        let options = Reading {
            metric: metric(input),
            ..options.clone()
        };
        is_read(read_bytes(input, Tool::Sklearn, &options, "fuzz"))
    });
}

/// Fuzzes the files of a directory, one of which is changed at a time: an input begins with its name.
fn directory(what: &str, from: &str, files: &[&str], metric: &str) {
    let place = tempfile::tempdir_in(fast()).unwrap();
    copy(&path(from), place.path());
    let names = files.iter().map(|name| {
        let content = fs::read(place.path().join(name)).unwrap();
        [name.as_bytes(), b"\n", &content].concat()
    });
    let inputs: Vec<Vec<u8>> = names.collect();
    let inputs: Vec<&[u8]> = inputs.iter().map(Vec::as_slice).collect();
    let options = options(Some(metric));
    fuzz(what, &inputs, &WORDS, |input| {
        let named = files.iter().find(|name| input.starts_with(name.as_bytes()));
        let name = named.unwrap_or(&files[0]);
        let changed = place.path().join(name);
        let before = fs::read(&changed).unwrap();
        fs::write(&changed, &input[input.len().min(name.len() + 1)..]).unwrap();
        let is_read = is_read(read_results(&[place.path()], &options));
        fs::write(&changed, before).unwrap();
        is_read
    });
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn directories_of_helm() {
    let files = [
        "per_instance_stats.json",
        "instances.json",
        "run_spec.json",
        "scenario.json",
    ];
    directory(
        "directories of HELM",
        "logs/helm/org_large",
        &files,
        "exact_match",
    );
}

#[test]
fn directories_of_ray() {
    let files = [
        "train_1d362_00000/result.json",
        "train_1d362_00000/params.json",
        "train_1d362_00001/progress.csv",
        "experiment_state-2026-11-27_04-57-59.json",
    ];
    directory("directories of Ray Tune", "ray", &files, "acc");
}

#[test]
fn directories_of_mlflow() {
    let files = [
        "471120983365120077/meta.yaml",
        "471120983365120077/1a9959ae7847f5029bfd2e77c785eeb1/meta.yaml",
        "471120983365120077/1a9959ae7847f5029bfd2e77c785eeb1/metrics/accuracy",
        "471120983365120077/1a9959ae7847f5029bfd2e77c785eeb1/params/fold",
    ];
    directory(
        "directories of MLflow",
        "13a/mlruns",
        &files,
        "metrics.accuracy",
    );
}

#[test]
fn tables_in_markdown() {
    const TABLE: &str = "# Results\n\n| fold | **red** | `blue` |\n|---|:-:|--:|\n| 0 | 0.71 | 0.7 |\n| 1 | 0.73 | 0.69 |\n";
    const SCORES: &str = "| arm | split | score |\n|---|---|---|\n| a | 0 | 0.5 |\n| b | 0 | 0.712 |\n| a | 1 | 0.25 |\n";
    reader("tables in Markdown", &[], &[TABLE, SCORES], |input| {
        is_read(read_results_from(input, &Reading::default(), "fuzz"))
    });
}

/// Fuzzes tables of which nothing but the content says what they are.
#[test]
fn tables_unasked() {
    let files = [
        "01a/results.csv",
        "02a/leaderboard.csv",
        "02b/asr.csv",
        "03a/cv.csv",
        "04a/losses.tsv",
        "09a/matrix.csv",
        "10b/verdicts.jsonl",
        "30a/questions.csv",
        "30b/graded.json",
    ];
    reader("tables, unasked", &files, &[], |input| {
        is_read(read_results_from(input, &Reading::default(), "fuzz"))
    });
}

#[test]
fn predictions_and_gold_labels() {
    const LINES: &str = "{\"id\": 1, \"label\": \"travel\", \"a\": \"travel\", \"b\": \"food\"}\n{\"id\": 2, \"label\": \"food\", \"a\": null, \"b\": \"food\"}\n";
    let options = Reading {
        gold: Some("label".to_owned()),
        keep_missing: true,
        ..Reading::default()
    };
    reader("predictions", &["07a/predictions.csv"], &[LINES], |input| {
        let counted = gold::counts(input, None, &options, "travel", "fuzz");
        assert!(counted.is_err() || gold::scores(input, None, &options, "fuzz").is_ok());
        is_read(read_results_from(input, &options, "fuzz"))
    });
}

#[test]
fn tables_of_means() {
    const COLUMNS: &str = "model,accuracy,std,n\nlarge,0.81,0.02,5\nsmall,0.78,0.03,5\n";
    let files = ["05a/table2.csv", "05b/tabelle.csv", "06b/grouped.csv"];
    let options = Reading {
        spread: Some(Spread::Sd),
        ..Reading::default()
    };
    reader("tables of means", &files, &[COLUMNS], |input| {
        let read = read_results_from(input, &options, "fuzz");
        let Err(ImportError::Records(RecordsError::Means { table, .. })) = read else {
            return is_read(read);
        };
        let Ok(means) = Summaries::read(&table, &options, "fuzz") else {
            return false;
        };
        let is_sound = |mean: f64, spread: f64| mean.is_finite() && spread > 0.0;
        assert!(means.rows.iter().all(|row| is_sound(row.mean, row.spread)));
        true
    });
}
