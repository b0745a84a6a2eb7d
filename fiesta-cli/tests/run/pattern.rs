//! Tests of scores that are found by a pattern in what jobs print.

use super::{Bench, TWO, code};

/// Returns a bench whose study has this table of the metric, and whose jobs run this script.
fn bench(metric: &str, job: &str) -> Bench {
    let bench = Bench::new();
    bench.file("job.sh", job);
    bench.file(
        "study.toml",
        &format!(
            "name = \"trial\"\ncommand = [\"sh\", \"job.sh\", \"{{arm}}\", \"{{split}}\", \"{{seed}}\"]\n[metric]\nname = \"accuracy\"\n{metric}\n[goal]\nbudget = {{ evaluations = 4 }}\n{TWO}"
        ),
    );
    bench
}

const PERCENT: &str = "pattern = 'accuracy: ([0-9.]+)%'\npercent = true\nbounds = [0.0, 1.0]";

/// Returns the mean of the first arm's scores after a study has run.
fn mean(bench: &Bench) -> serde_json::Value {
    let (_, status) = bench.json(&["status", "study.toml"]);
    status["arms"][0]["mean"].clone()
}

#[track_caller]
fn scores(metric: &str, job: &str, expected: f64) {
    let bench = bench(metric, job);
    bench.fiesta(&["run", "study.toml"]).tells(code::DONE, &[]);
    let mean = mean(&bench);
    assert!((mean.as_f64().unwrap() - expected).abs() < 1e-12, "{mean}");
}

#[test]
fn the_last_match_counts_as_a_share() {
    scores(
        PERCENT,
        "echo 'Test accuracy: 12.00%'\necho '{\"accuracy\": 0.1}'\necho 'Test accuracy: 81.87%'\necho done\n",
        0.8187,
    );
}

/// Tests that colours, progress bars, bytes that are no text, and a log on stderr do not hide a
/// score.
#[test]
fn terminals_and_logs_do_not_hide_it() {
    let job = "printf ' 10%%|#\\r 99%%|##\\rTest \\033[1;32maccuracy: 50.50%%\\033[0m\\n\\377\\376 caf\\351\\n' >&2\necho nothing here\n";
    scores(PERCENT, job, 0.505);
}

#[test]
fn stdout_counts_before_stderr() {
    let job = "echo 'accuracy: 25%'\nsleep 0.1\necho 'accuracy: 75%' >&2\n";
    scores(PERCENT, job, 0.25);
}

/// Tests that a long log takes little memory and disk, and that the score in its last megabyte is
/// found.
#[test]
fn a_long_log_is_searched_from_its_end() {
    let job = "yes 'accuracy: 10.00% of what is to come' | head -c 30000000\necho 'accuracy: 60%'\nyes 'closing a file' | head -c 500000\n";
    scores(PERCENT, job, 0.6);
}

#[test]
fn what_nearly_matches_is_shown_with_its_pattern() {
    for (line, words) in [
        (
            "Test Accuracy: 81.87%",
            &["'Test Accuracy: ([0-9.]+)%' and percent = true"][..],
        ),
        ("accuracy: 81,87%", &["accuracy: (-?[0-9.,]+)%"]),
        ("accuracy: 0.8187", &["'^accuracy: ([0-9.]+)'"]),
        ("accuracy = 81.87%", &["accuracy = ([0-9.]+)%"]),
        ("Final acc 81.87%", &["'Final acc ([0-9.]+)%'"]),
    ] {
        let bench = bench(PERCENT, &format!("echo '{line}'\n"));
        let ran = bench.fiesta(&["run", "study.toml", "--check"]);
        let shown = "this line of stdout nearly matches";
        let all = [&["no line matches pattern = ", shown, line], words].concat();
        ran.tells(code::ARM_FAILED, &all);
    }
    let bench = bench(PERCENT, "echo '{\"accuracy\": 0.5}'\n");
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    ran.tells(
        code::ARM_FAILED,
        &["as JSON with the key \"accuracy\"", "pattern is left out"],
    );
}

#[test]
fn what_is_no_score_is_refused() {
    let any = "pattern = 'accuracy: (.*)'\nbounds = [0.0, 1.0]";
    for (line, metric, words) in [
        (
            "accuracy: 81.87",
            any,
            &["81.87", "outside the bounds [0, 1]", "percent = true"][..],
        ),
        ("accuracy: nan", any, &["not a finite number", "diverged"]),
        (
            "accuracy: 0.5\naccuracy: NaN%",
            PERCENT,
            &["not a finite number"],
        ),
        ("accuracy: good", any, &["`good`, which is no number"]),
        ("accuracy: 1,234", any, &["comma"]),
        ("accuracy: 150%", PERCENT, &["1.5", "a hundredth"]),
    ] {
        let lines: Vec<String> = line
            .lines()
            .map(|line| format!("echo '{line}'\n"))
            .collect();
        let job = lines.concat();
        let ran = bench(metric, &job).fiesta(&["run", "study.toml", "--check"]);
        ran.tells(code::ARM_FAILED, words);
    }
    let bench = bench(PERCENT, "echo 'accuracy: 0.81 %'\necho 'accuracy: 0.81%'\n");
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    ran.tells(
        code::DONE,
        &[
            "0.0081",
            "the score was read from the line: accuracy: 0.81%",
        ],
    );
}

#[test]
fn a_score_without_a_percent_sign_is_pointed_out() {
    let metric = "pattern = 'accuracy: ([0-9.]+)'\npercent = true";
    let ran = bench(metric, "echo 'accuracy: 0.81'\n").fiesta(&["run", "study.toml", "--check"]);
    ran.tells(code::DONE, &["without a percent sign", "leave percent out"]);
}

#[test]
fn without_a_pattern_the_one_to_add_is_named() {
    let ran = bench("", "echo 'Test accuracy: 81.87%'\n").fiesta(&["run", "study.toml", "--check"]);
    ran.tells(
        code::ARM_FAILED,
        &["add pattern = 'Test accuracy: ([0-9.]+)%' and percent = true under [metric]"],
    );
    let of_stderr = bench("", "echo 'Test accuracy: 0.8187' >&2\n");
    let ran = of_stderr.fiesta(&["run", "study.toml", "--check"]);
    ran.tells(
        code::ARM_FAILED,
        &["add pattern = 'Test accuracy: ([0-9.]+)' under [metric]"],
    );
}

#[test]
fn patterns_are_checked_where_they_stand() {
    for (metric, words) in [
        (
            "pattern = 'accuracy: ([0-9.]+'",
            &["study.toml:5", "unclosed group", "^"][..],
        ),
        (
            "pattern = 'accuracy: [0-9.]+'",
            &["study.toml:5", "'accuracy: ([0-9.]+)'"],
        ),
        (
            "pattern = '(a) (b)'",
            &["study.toml:5", "2 capture groups", "(?<score>"],
        ),
        (
            "percent = true",
            &[
                "study.toml:5",
                "percent is of the numbers that a pattern finds",
            ],
        ),
        (
            "pattern = '(.*)'\npercent = true\nbounds = [0, 100]",
            &["study.toml:7", "write bounds = [0.0, 1.0]"],
        ),
        (
            "pattern = \"accuracy: (\\d+)\"",
            &["study.toml:5", "single quotes"],
        ),
    ] {
        let ran = bench(metric, "true\n").fiesta(&["run", "study.toml", "--check"]);
        ran.tells(code::USAGE, words);
    }
    let of_items = bench("pattern = '(.*)'\nf_beta = 1", "true\n");
    of_items.file("docs.jsonl", "{\"id\": 1}\n");
    of_items.edit(
        "study.toml",
        "[goal]",
        "[design]\ndocuments = \"docs.jsonl\"\n[goal]",
    );
    let ran = of_items.fiesta(&["run", "study.toml"]);
    ran.tells(code::USAGE, &["confusion counts", "leave it out"]);
    let of_worker = bench("pattern = '(.*)'", "true\n");
    of_worker.edit("study.toml", "command = [", "worker.command = [");
    of_worker.edit("study.toml", ", \"{split}\", \"{seed}\"", "");
    let ran = of_worker.fiesta(&["run", "study.toml"]);
    ran.tells(code::USAGE, &["a worker answers each with a line of JSON"]);
}

#[test]
fn a_command_as_one_string_gets_its_list() {
    for (command, list) in [
        (
            "python train.py --model {arm}",
            "command = [\"python\", \"train.py\", \"--model\", \"{arm}\"]",
        ),
        ("sh -c 'echo 1'", "command = [\"sh\", \"-c\", \"echo 1\"]"),
        ("cat x | wc", "command = [\"sh\", \"-c\", \"cat x | wc\"]"),
    ] {
        let bench = bench("", "true\n");
        bench.edit(
            "study.toml",
            "command = [\"sh\", \"job.sh\", \"{arm}\", \"{split}\", \"{seed}\"]",
            &format!("command = \"{command}\""),
        );
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.tells(
            code::USAGE,
            &["study.toml:2", "a command is a list of its words", list],
        );
    }
}

#[test]
fn a_check_says_what_ends_the_study() {
    let bench = bench(PERCENT, "echo 'accuracy: 66.66666666%'\n");
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    ran.tells(
        code::DONE,
        &["0.6667 ", "the study ends at the first of: 4 evaluations"],
    );
    bench.edit(
        "study.toml",
        "budget = { evaluations = 4 }",
        "confidence = 0.975",
    );
    let ran = bench.fiesta(&["run", "study.toml", "--check"]);
    ran.tells(
        code::DONE,
        &[
            "97.5 % sure",
            "8 evaluations each",
            "tied (within 0.3 sd)",
            "200 evaluations (the default cap, 100 for each arm",
            "posterior paired",
        ],
    );
    let (_, report) = bench.json(&["run", "study.toml", "--check"]);
    assert_eq!(report["ends"]["evaluations"], 200);
    assert_eq!(report["ends"]["is_default_cap"], true);
    assert_eq!(report["trials"][0]["line"], "accuracy: 66.66666666%");
}

/// Tests a score that a training writes to a file of its own, below other keys.
#[test]
fn the_score_may_be_in_a_file_that_the_job_writes() {
    let job = "mkdir -p out/$FIESTA_RUN\necho \"{\\\"eval\\\": {\\\"acc\\\": 0.75}, \\\"epochs\\\": 3}\" > out/$FIESTA_RUN/metrics.json\necho '{\"accuracy\": 0.1}'\n";
    let metric = "file = \"out/{run}/metrics.json\"\nkey = \"eval.acc\"";
    scores(metric, job, 0.75);
    // The command may be told where, too.
    let bench = bench(
        metric,
        "mkdir -p $4\necho '{\"eval\": {\"acc\": 0.5}}' > $4/metrics.json\n",
    );
    bench.edit("study.toml", "\"{seed}\"]", "\"{seed}\", \"out/{run}\"]");
    bench
        .fiesta(&["run", "study.toml", "--check"])
        .says(code::DONE, &[]);
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(mean(&bench), 0.5);
}

#[test]
fn a_file_that_is_not_the_runs_own_is_no_score() {
    // Written before, by somebody else.
    let old = "[ -e out/$1-$3.json ] || { mkdir -p out; echo '{\"accuracy\": 0.5}' > out/$1-$3.json; touch -d 2020-01-01 out/$1-$3.json; }\n";
    let bench_of = |metric: &str, job: &str| bench(metric, job);
    let bench = bench_of("file = \"out/{arm}-{seed}.json\"", old);
    bench
        .fiesta(&["run", "study.toml"])
        .tells(code::ARM_FAILED, &["was written before this run began"]);
    for (metric, said) in [
        (
            "file = \"out/metrics.json\"",
            "every evaluation would have the same file",
        ),
        (
            "file = \"out/{arm}/metrics.json\"",
            "every evaluation would have the same file",
        ),
        (
            "file = \"out/{run}/{fold}.json\"",
            "unknown placeholder {fold}",
        ),
        ("key = \"eval.acc\"", "key is of the file"),
        (
            "file = \"{run}.json\"\npattern = '([0-9.]+)'",
            "leave one of them out",
        ),
    ] {
        bench_of(metric, "true\n")
            .fiesta(&["run", "study.toml"])
            .says(code::USAGE, &[said]);
    }
}
