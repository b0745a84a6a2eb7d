//! Tests of small tables as people have them, each with its right answer, or with a reason to refuse it.

use super::support::{Bench, STUDY, code};
use serde_json::Value;
use std::{fmt::Write as _, fs, path::Path};

/// Returns a bench with the files of the folder `cases`.
fn bench() -> Bench {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let (path, name) = entry
                .map(|entry| (entry.path(), entry.file_name()))
                .unwrap();
            if path.is_dir() {
                copy(&path, &to.join(name));
            } else {
                fs::copy(&path, to.join(name)).unwrap();
            }
        }
    }
    let bench = Bench::new();
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tables/cases");
    copy(Path::new(cases), &bench.path("."));
    bench
}

/// Runs a command line and returns its answer as JSON.
fn answer(bench: &Bench, line: &str) -> Value {
    let words: Vec<&str> = line.split(' ').collect();
    let (exit, answer) = bench.json(&words);
    assert_eq!(exit, Some(code::DONE), "{line}: {answer}");
    answer
}

/// Returns the best arm of an answer, and the means of all arms.
fn best(answer: &Value) -> (String, Vec<(String, f64)>) {
    let arms = answer["arms"].as_array().unwrap();
    let number = |arm: &Value, key: &str| arm[key].as_f64().unwrap();
    let of = |arm: &Value| arm["name"].as_str().unwrap().to_owned();
    let best = arms.iter().max_by(|a, b| {
        let [a, b] = [a, b].map(|arm| number(arm, "probability_best"));
        a.total_cmp(&b)
    });
    let means = arms.iter().map(|arm| (of(arm), number(arm, "mean")));
    (of(best.unwrap()), means.collect())
}

#[test]
fn what_is_no_comparison_is_refused_with_the_reason() {
    let bench = bench();
    for (line, reason) in [
        ("belief training-log.csv", "`epoch` is by its name a step"),
        (
            "belief hyperparameters.csv",
            "`Depth` is by its name a setting",
        ),
        (
            "curve hyperparameters.csv",
            "--arm and the score's with --score",
        ),
        (
            "belief ablations-one-seed.csv",
            "the rows are named by `run_name`, one each",
        ),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let ran = bench.fiesta(&words);
        ran.says(code::USAGE, &[reason]);
        assert_eq!(ran.stdout, "", "{line}");
        assert!(!ran.stderr.contains("try:"), "{line}: {}", ran.stderr);
    }
}

/// Tests that a leaderboard with standard errors is read as a table of means.
#[test]
fn means_with_their_spread_are_answered_as_such() {
    for line in [
        "belief leaderboard.csv",
        "belief leaderboard.csv --score win_rate",
    ] {
        let found = answer(&bench(), line);
        assert_eq!(best(&found).0, "red", "{line}");
        assert_eq!(found["means"]["spread"], "se", "{line}");
        let words: Vec<&str> = line.split(' ').collect();
        let told = bench().fiesta(&words).stdout;
        assert!(told.contains("as if independent"), "{line}: {told}");
    }
}

/// Tests Optuna's table of trials: one arm with three trials and a failure. Nothing says whether larger values are better,
/// and every command that is proposed answers as it tells.
#[test]
fn trials_of_optuna_are_one_arm_with_a_failure() {
    let bench = bench();
    // (19·.68 + 7·.66 + .61)/27 and (19·.61 + 7·.66 + .68)/27
    let (largest, smallest) = (18.15 / 27.0, 16.89 / 27.0);
    for (flags, ways) in [
        ("", 4),
        (" --from optuna", 4),
        (" --metric value --minimize", 2),
    ] {
        let line = format!("curve optuna-trials.csv{flags}");
        let words: Vec<&str> = line.split(' ').collect();
        let ran = bench.fiesta(&words);
        assert_eq!(ran.code, Some(code::USAGE), "{line}");
        let proposed = super::proposals(&ran.stderr);
        assert_eq!(proposed.len(), ways, "{line}: {}", ran.stderr);
        for call in proposed.into_iter().map(|words| words.join(" ")) {
            let found = answer(&bench, &call);
            let curves = found["curves"].as_array().unwrap();
            assert_eq!(curves.len(), 1, "{call}");
            let right = match () {
                () if call.contains("worst") => continue,
                () if call.contains("maximize") => largest,
                () => smallest,
            };
            assert_eq!(curves[0]["scores"], 3, "{call}");
            assert_eq!(curves[0]["failed"], 1, "{call}");
            let mean = curves[0]["mean"][2].as_f64().unwrap();
            assert!((mean - right).abs() < 1e-9, "{call}: {mean}");
        }
    }
    // A state is no arm: the failure has no curve.
    let states = "curve optuna-trials.csv --arm state --metric value --minimize --failed drop";
    let words: Vec<&str> = states.split(' ').collect();
    bench
        .fiesta(&words)
        .says(code::USAGE, &["the arm `FAIL`: all 1 trials failed"]);
    bench
        .fiesta(&words[..words.len() - 2])
        .says(code::USAGE, &["optuna-trials.csv:4:", "`FAIL` failed"]);
}

/// Tests that a dash is a missing score, whose row is named.
#[test]
fn a_dash_is_a_missing_score() {
    let bench = bench();
    let ran = bench.fiesta(&["belief", "dash-for-missing.csv"]);
    ran.says(code::USAGE, &["some evaluations have no score"]);
    let proposed = super::proposals(&ran.stderr);
    let calls: Vec<String> = proposed.into_iter().map(|words| words.join(" ")).collect();
    let call = "belief dash-for-missing.csv --arm model --score acc";
    assert_eq!(
        calls,
        ["worst", "drop"].map(|failed| format!("{call} --failed {failed}"))
    );
    let words: Vec<&str> = call.split(' ').collect();
    bench.fiesta(&words).says(
        code::USAGE,
        &["dash-for-missing.csv:3: the score is missing"],
    );
    let answered = answer(&bench, &calls[0]);
    let (winner, means) = best(&answered);
    assert_eq!(winner, "red");
    for ((_, mean), right) in means.iter().zip([0.89, 0.875]) {
        assert!((mean - right).abs() < 1e-9, "{means:?}");
    }
    let notices = answered["notices"].to_string();
    assert!(notices.contains("`-` stands for no number"), "{notices}");
    // Three scores of two arms are too few.
    let words: Vec<&str> = calls[1].split(' ').collect();
    bench
        .fiesta(&words)
        .says(code::USAGE, &["3 scores of 2 arms are too few"]);
}

/// Tests that paired rows of systems are answered once the direction is said, and that both directions are proposed.
#[test]
fn paired_rows_of_systems_are_asked_for_the_direction() {
    let bench = bench();
    for file in ["datasets-by-methods.csv", "datasets-by-methods-pandas.csv"] {
        let ran = bench.fiesta(&["belief", file, "--paired-rows"]);
        ran.says(code::USAGE, &["say it with --direction"]);
        let proposed = super::proposals(&ran.stderr);
        let calls: Vec<String> = proposed.into_iter().map(|words| words.join(" ")).collect();
        assert_eq!(
            calls,
            ["maximize", "minimize"]
                .map(|way| format!("belief {file} --paired-rows --direction {way}"))
        );
        let answered = answer(&bench, &calls[0]);
        assert_eq!(best(&answered).0, "ours", "{file}");
        let arms = answered["arms"].as_array().unwrap();
        let svm = arms.iter().find(|arm| arm["name"] == "svm").unwrap();
        let difference = svm["behind_best"]["difference"].as_f64().unwrap();
        assert!((difference - 0.007).abs() < 1e-9, "{file}: {answered}");
    }
}

#[test]
fn columns_of_systems_are_answered_and_named() {
    let bench = bench();
    for line in [
        "belief datasets-by-methods.csv --direction maximize",
        "belief datasets-by-methods-pandas.csv --direction maximize",
        "belief datasets-by-methods.csv --item Dataset --direction maximize",
    ] {
        let answered = answer(&bench, line);
        assert_eq!(best(&answered).0, "ours", "{line}");
        let difference = answered["on_items"]["difference"].as_f64().unwrap();
        let error = answered["on_items"]["standard_error"].as_f64().unwrap();
        assert!(
            (difference - 0.007).abs() < 1e-9 && (error - 0.0017).abs() < 5e-5,
            "{line}"
        );
        let told =
            "columns taken for systems: svm, forest, ours; larger scores are taken to be better";
        assert_eq!(answered["notices"][0], told, "{line}");
    }
    let answered = answer(&bench, "belief accuracies-by-dataset.csv --item dataset");
    assert_eq!(best(&answered).0, "ours");
    let likely = answered["pool"]["items_like_these"]["probability"]
        .as_f64()
        .unwrap();
    assert!(likely > 0.999, "{likely}");
    let answered = answer(&bench, "belief blank-rows.csv --item name --minimize");
    let (winner, means) = best(&answered);
    assert_eq!(winner, "fast");
    assert_eq!(
        means,
        [("fast".to_owned(), 1.55), ("slow".to_owned(), 2.45)]
    );
}

/// Tests that a loss is minimised with a notice, whatever flags are given.
#[test]
fn directions_are_never_guessed_in_silence() {
    let bench = bench();
    for flags in [
        "",
        " --arm model --score rmse --split fold",
        " --arm model",
        " --score rmse",
    ] {
        let answered = answer(&bench, &format!("belief loss-with-all-flags.csv{flags}"));
        assert_eq!(best(&answered).0, "boosted", "{flags}");
        let notices = answered["notices"].to_string();
        assert!(
            notices.contains("smaller `rmse` is taken to be better"),
            "{flags}: {notices}"
        );
    }
    let table = bench
        .text("loss-with-all-flags.csv")
        .replace("rmse", "makespan");
    bench.file("makespan.csv", &table);
    let words = [
        "belief",
        "makespan.csv",
        "--arm",
        "model",
        "--score",
        "makespan",
        "--split",
        "fold",
    ];
    bench.fiesta(&words).says(
        code::USAGE,
        &[
            "`makespan`, does not say which scores are better",
            "--split fold --direction maximize\n     plain:",
            "--split fold --direction minimize\n     boosted:",
        ],
    );
    bench.fiesta(&["belief", "makespan.csv"]).says(
        code::USAGE,
        &[
            "--score makespan --split fold --direction maximize",
            "--score makespan --split fold --minimize",
        ],
    );
}

#[test]
fn folds_of_a_setting_are_no_trials() {
    let bench = bench();
    let curve = answer(&bench, "curve cv-results.csv");
    let curves = curve["curves"].as_array().unwrap();
    assert_eq!((curves.len(), &curves[0]["trials"]), (1, &Value::from(3)));
    // .973 − (1/27)·.02 − (8/27)·.003
    let third = curves[0]["mean"][2].as_f64().unwrap();
    assert!((third - 0.971_370_37).abs() < 1e-6, "{third}");
    assert!(
        curve["notices"]
            .to_string()
            .contains("each setting is a trial")
    );
}

#[test]
fn failures_items_and_logs_are_what_they_say() {
    let bench = bench();
    let answered = answer(
        &bench,
        "belief status-words.csv --arm model --item task --failed worst",
    );
    assert_eq!(best(&answered).0, "red");
    let answered = answer(
        &bench,
        "belief prompts-as-items.json --arm model --item prompt",
    );
    let (winner, means) = best(&answered);
    assert_eq!(winner, "red");
    assert_eq!(means, [("red".to_owned(), 1.0), ("blue".to_owned(), 0.5)]);
    let answered = answer(&bench, "belief inspect-one-failed");
    let (winner, means) = best(&answered);
    assert_eq!(winner, "lab/red");
    assert_eq!(
        means,
        [("lab/red".to_owned(), 0.75), ("lab/blue".to_owned(), 0.5)]
    );
    assert!(
        answered["notices"]
            .to_string()
            .contains("toy_green.json is left out")
    );
    let answered = answer(&bench, "belief whole-task-missing.csv");
    assert_eq!(answered["on_items"]["difference"], 0.05);
    assert!(answered["pool"]["claim"].is_null());
    let red = answered["arms"][0]["probability_best"].as_f64().unwrap();
    assert!(red < 0.8 && answered["pool"]["missing"]["arms"][1]["groups"][0]["lacks"] == 20);
}

/// Tests that a column with names of runs is asked about before anything is computed for each pair.
#[test]
fn names_of_runs_are_no_arms() {
    let bench = Bench::new();
    let rows = (0..60_000).map(|row| {
        format!(
            "run-{},{},0.{}\n",
            row % 20_000,
            row / 20_000,
            100 + row % 800
        )
    });
    bench.file(
        "runs.csv",
        &format!("arm,seed,score\n{}", rows.collect::<String>()),
    );
    for verb in ["belief", "curve", "simulate", "report", "plan"] {
        // 1 GB of memory and 20 s are plenty: `curve` took 9.4 GB.
        let call = format!(
            "ulimit -v 1000000; exec timeout 20 {} {verb} runs.csv",
            env!("CARGO_BIN_EXE_fiesta")
        );
        let ran = std::process::Command::new("sh")
            .args(["-c", &call])
            .current_dir(bench.path("."))
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(code::USAGE), "{verb}: {told}");
        assert!(
            told.contains("20000 arms with 3 scores each on average"),
            "{verb}: {told}"
        );
    }
}

/// Tests the largest allowed number of arms: processor time and memory per pair are bounded.
#[test]
fn a_thousand_arms_are_compared() {
    let bench = Bench::new();
    let rows = (0..3000).map(|row| {
        format!(
            "run-{},{},0.{}\n",
            row % 1000,
            row / 1000,
            1000 + (row * 7919) % 8000
        )
    });
    let rows: String = rows.collect();
    bench.file("runs.csv", &format!("arm,seed,score\n{rows}"));
    for verb in ["belief", "curve", "report --resamples 50 --formats svg"] {
        let program = env!("CARGO_BIN_EXE_fiesta");
        let call =
            format!("ulimit -v 1500000; ulimit -t 60; exec timeout 600 {program} {verb} runs.csv");
        let ran = std::process::Command::new("sh")
            .args(["-c", &call])
            .current_dir(bench.path("."))
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(code::DONE), "{verb}: {told}");
    }
}

/// Tests that names of arms which look the same are reported, before a study costs anything and for a table.
#[test]
fn names_that_look_the_same_are_told() {
    let bench = Bench::with_study(
        &STUDY
            .replace("name = \"high\"", "name = \"caf\u{e9}\"")
            .replace("name = \"low\"", "name = \"cafe\u{301}\""),
    );
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::USAGE,
        &["study.toml:", "how Unicode writes the same letters"],
    );
    bench.file("names.csv", "arm,score\na b,.5\na b,.6\na  b,.7\na  b,.4\n");
    let ran = bench.fiesta(&["belief", "names.csv"]);
    ran.says(
        code::USAGE,
        &["names.csv:4: the names `a b` and `a  b` differ in spaces alone"],
    );
}

/// Tests that rows are not paired by place if a column contradicts that.
#[test]
fn rows_are_not_paired_against_their_columns() {
    let bench = Bench::new();
    bench.file(
        "mixed.csv",
        "arm,dataset,score\na,x,.5\na,y,.75\nb,y,.7\nb,x,.45\n",
    );
    let paired = bench.fiesta(&["belief", "mixed.csv", "--paired-rows"]);
    paired.says(
        code::USAGE,
        &[
            "by `dataset` they are not on the same",
            "say --item dataset",
        ],
    );
    bench.file(
        "seeds.csv",
        "arm,seed,score\na,1,.5\na,2,.75\nb,2,.7\nb,1,.45\n",
    );
    let paired = bench.fiesta(&["belief", "seeds.csv", "--paired-rows"]);
    paired.says(code::USAGE, &["by `seed` they are not on the same"]);
    let unpaired = bench.fiesta(&["belief", "mixed.csv"]);
    assert!(!unpaired.stdout.contains("--paired-rows"), "{unpaired:?}");
}

/// Tests that a proposed command names all columns that tell results apart, such as data set and fold.
#[test]
fn proposals_keep_what_tells_results_apart() {
    let bench = Bench::new();
    for (text, flags) in [
        ("model,dataset,fold,acc\n", "--item dataset+fold"),
        ("model,question,fold,acc\n", "--item question+fold"),
        (
            "model,task,random_state,acc\n",
            "--item task --seed random_state",
        ),
    ] {
        let mut table = text.to_owned();
        for row in 0..24 {
            let (model, case, repeat) = (row % 2, row / 2 % 4, row / 8);
            let score = 50 + 10 * model + case + repeat;
            writeln!(table, "m{model},d{case},{repeat},0.{score}").unwrap();
        }
        bench.file("keys.csv", &table);
        let ran = bench.fiesta(&["belief", "keys.csv"]);
        let told = format!("--arm model --score acc {flags}");
        assert!(ran.stderr.contains(&told), "{text}{}", ran.stderr);
    }
}

#[test]
fn tables_as_people_save_them_are_answered() {
    for (line, winner) in [
        ("belief comment-lines.csv", "swarm"),
        ("belief percent-signs.csv", "red"),
        (
            "belief one-file-per-model/red.csv one-file-per-model/blue.csv",
            "red",
        ),
    ] {
        assert_eq!(best(&answer(&bench(), line)).0, winner, "{line}");
    }
}
