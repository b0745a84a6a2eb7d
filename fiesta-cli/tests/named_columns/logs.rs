//! Tests of directories of logs, several logs, logs that leave a choice, and pipes.

use super::support::{Bench, code};
use std::{fs, path::Path};

const LOGS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../fiesta-import/tests/fixtures/logs"
);

/// Writes files like those of `lm_eval --output_path`, for tasks with different metrics.
fn outputs(bench: &Bench) {
    for model in ["large", "small"] {
        let folder = format!("org__{model}");
        fs::create_dir_all(bench.path("out").join(&folder)).unwrap();
        for file in fs::read_dir(format!("{LOGS}/lm_eval/{folder}")).unwrap() {
            let file = file.unwrap();
            let name = file.file_name().to_string_lossy().into_owned();
            if !name.contains("samples_sums") {
                let copy = bench.path("out").join(&folder).join(name);
                fs::copy(file.path(), copy).unwrap();
            }
        }
    }
}

fn samples(directory: &Path) -> Vec<String> {
    let folders = fs::read_dir(directory).unwrap();
    let files = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
    let names = files.map(|file| file.unwrap().path().display().to_string());
    let mut names: Vec<String> = names.filter(|name| name.contains("samples_")).collect();
    names.sort();
    names
}

#[test]
fn a_directory_stands_for_the_logs_in_it() {
    let bench = Bench::new();
    outputs(&bench);
    let ran = bench.fiesta(&["belief", "out", "--metric", "acc"]);
    ran.says(code::DONE, &[]);
    assert!(
        ran.stderr.contains("out: 2 logs of lm-eval read"),
        "{}",
        ran.stderr
    );
    let files = samples(&bench.path("out"));
    let named: Vec<&str> = files.iter().map(String::as_str).collect();
    let one_by_one = bench.fiesta(&[&["belief"], &named[..], &["--metric", "acc"]].concat());
    assert_eq!(ran.stdout, one_by_one.stdout);
    bench.file("out/notes.json", "{\"a\": 1}");
    let ran = bench.fiesta(&["belief", "out", "--metric", "acc"]);
    assert!(
        ran.stderr.contains("; 1 other file there passed over"),
        "{}",
        ran.stderr
    );
    fs::copy(
        format!("{LOGS}/inspect/small.eval"),
        bench.path("out/small.eval"),
    )
    .unwrap();
    let ran = bench.fiesta(&["belief", "out", "--metric", "acc"]);
    ran.says(
        code::USAGE,
        &["out holds logs of several tools, 1 of inspect and 2 of lm-eval"],
    );
    let call = ["belief", "out", "--metric", "acc", "--from", "lm-eval"];
    assert_eq!(bench.fiesta(&call).stdout, one_by_one.stdout);
    fs::create_dir(bench.path("empty")).unwrap();
    let ran = bench.fiesta(&["belief", "empty"]);
    ran.says(
        code::USAGE,
        &["empty is a directory, and there are no logs of answers in it"],
    );
}

#[test]
fn several_logs_are_planned_and_reported_on() {
    let bench = Bench::new();
    outputs(&bench);
    let files = samples(&bench.path("out"));
    let named: Vec<&str> = files.iter().map(String::as_str).collect();
    let (exit, mut alone) = bench.json(&["plan", "out", "--metric", "acc", "--pool-size", "60"]);
    assert_eq!(exit, Some(code::DONE), "{alone}");
    let (_, mut several) = bench.json(
        &[
            &["plan"],
            &named[..],
            &["--metric", "acc", "--pool-size", "60"],
        ]
        .concat(),
    );
    // The directory says what it holds.
    for plan in [&mut alone, &mut several] {
        plan.as_object_mut().unwrap().remove("notices");
    }
    assert_eq!(several, alone);
    let options = [
        "--metric",
        "acc",
        "-o",
        "page",
        "--resamples",
        "50",
        "--formats",
        "svg",
    ];
    bench
        .fiesta(&[&["report"], &named[..], &options].concat())
        .says(code::DONE, &[]);
    assert!(bench.text("page/report.html").contains("and 1 more"));
}

/// Writes a log of lm-eval of 40 answers, each scored after two filters: `strict` finds `right` of
/// 4 of them, `lenient` all.
fn filtered(bench: &Bench, model: &str, right: usize) {
    let score = |item: usize, filter: &str| f64::from(filter == "lenient" || item % 4 < right);
    let line = |item: usize, filter: &str| {
        format!(
            r#"{{"doc_id": {item}, "filtered_resps": ["4"], "filter": "{filter}", "exact_match": {:?}}}"#,
            score(item, filter)
        )
    };
    let lines = |filter| (0..40).map(move |item| line(item, filter));
    let lines: Vec<String> = lines("strict").chain(lines("lenient")).collect();
    bench.file(&format!("{model}.jsonl"), &lines.join("\n"));
}

#[test]
fn every_way_to_read_results_is_answered() {
    let bench = Bench::new();
    filtered(&bench, "large", 3);
    filtered(&bench, "small", 1);
    let typed = ["belief", "large.jsonl", "small.jsonl"];
    let ran = bench.fiesta(&typed);
    ran.says(
        code::USAGE,
        &["name one of `strict`, `lenient` with --filter"],
    );
    let tried: Vec<&str> = ran.stderr.lines().skip(1).collect();
    assert_eq!(
        tried,
        [
            "try: fiesta belief large.jsonl small.jsonl --filter strict",
            "     these items: large is best on these 40 items, by 20; items like these: large is best with > 99.9 % posterior probability",
            "try: fiesta belief large.jsonl small.jsonl --filter lenient",
            "     these items: large, small are equal and best on these 40 items; items like these: large is best with 50.0 % posterior probability",
        ]
    );
    // What is told is what the command says.
    let strict = bench.fiesta(&[&typed[..], &["--filter", "strict"]].concat());
    strict.says(code::DONE, &[]);
    assert!(
        strict
            .stdout
            .starts_with("these items: large is best on these 40 items, by 20\n"),
        "{}",
        strict.stdout
    );
    // A verb that answers nothing in short tells the command lines alone.
    let import = bench.fiesta(&["import", "large.jsonl"]);
    let tried: Vec<&str> = import.stderr.lines().skip(1).collect();
    let of = |filter: &str| format!("try: fiesta import large.jsonl --filter {filter}");
    assert_eq!(tried, [of("strict"), of("lenient")]);
}

#[test]
fn losses_are_minimised_unless_a_direction_is_asked_for() {
    let bench = Bench::new();
    let sample = |item: usize, loss: f64| {
        format!(r#"{{"doc_id": {item}, "filtered_resps": [""], "acc": {loss}, "loss": {loss}}}"#)
    };
    for (model, loss) in [("high", 0.9), ("low", 0.1)] {
        let lines: Vec<String> = (0..30).map(|item| sample(item, loss)).collect();
        bench.file(&format!("{model}.jsonl"), &lines.join("\n"));
    }
    let ran = bench.fiesta(&["belief", "high.jsonl", "low.jsonl"]);
    ran.says(
        code::USAGE,
        &["--metric acc\n     these items: high is best"],
    );
    ran.says(
        code::USAGE,
        &["--metric loss --minimize\n     these items: low is best"],
    );
    // A direction that was typed stays the only one.
    let asked = [
        "belief",
        "high.jsonl",
        "low.jsonl",
        "--direction",
        "maximize",
    ];
    let ran = bench.fiesta(&asked);
    ran.says(
        code::USAGE,
        &["--metric loss\n     these items: high is best"],
    );
}

#[test]
fn a_pipe_is_read_once() {
    let bench = Bench::new();
    filtered(&bench, "large", 3);
    let pipe = bench.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let piped = |arguments: &[&str]| {
        let running = bench.start(arguments);
        fs::write(&pipe, bench.text("large.jsonl")).unwrap();
        running.wait()
    };
    let ran = piped(&["import", "pipe", "--filter", "strict"]);
    ran.says(code::DONE, &[]);
    assert_eq!(ran.stdout.lines().count(), 41);
    // Columns of other names are found out by reading twice; so are ways to read results.
    piped(&["belief", "pipe"]).says(code::USAGE, &["try: fiesta belief pipe --filter strict"]);
}
