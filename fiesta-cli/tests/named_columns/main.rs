//! Tests through the program of files with other column names, directories of logs, several logs,
//! results that leave a choice, and pipes.

mod logs;
#[path = "../support/mod.rs"]
mod support;

use std::fs;
use support::{Bench, code};

fn table(bench: &Bench, name: &str, header: &str, row: impl Fn(usize, usize) -> String) {
    let rows: Vec<String> = (0..18).map(|place| row(place % 3, place / 3)).collect();
    bench.file(name, &format!("{header}\n{}\n", rows.join("\n")));
}

#[test]
fn columns_without_a_doubt_are_taken_and_told() {
    let bench = Bench::new();
    let header = "model_name,cv_fold,random_state,test_accuracy";
    let score = |m: usize, s: usize| (70 + 3 * m + (s * 7 + m * 2) % 5) as f64 / 100.0;
    table(&bench, "runs.csv", header, |m, s| {
        format!("net-{m},{s},7,{}", score(m, s))
    });
    let flags = "--arm model_name --score test_accuracy --split cv_fold --seed random_state";
    let named: Vec<&str> = ["belief", "runs.csv"]
        .into_iter()
        .chain(flags.split(' '))
        .collect();
    let told = format!("runs.csv: read with {flags}; name other columns if these are not meant");
    let asked = bench.fiesta(&named);
    let unasked = bench.fiesta(&["belief", "runs.csv"]);
    unasked.says(code::DONE, &[]);
    assert_eq!(unasked.stdout, asked.stdout);
    assert_eq!(unasked.stderr.trim(), told);
    assert_eq!(asked.stderr, "");
    // From the standard input, and in a report, where it stands on the page.
    let mut command = bench.command(&["belief", "-"]);
    command.stdin(fs::File::open(bench.path("runs.csv")).unwrap());
    let piped = support::Running::start(command).wait();
    assert_eq!(piped.stdout, asked.stdout);
    assert!(
        piped.stderr.starts_with("standard input: read with --arm"),
        "{}",
        piped.stderr
    );
    let call = [
        "report",
        "runs.csv",
        "-o",
        "out",
        "--resamples",
        "50",
        "--formats",
        "svg",
    ];
    bench.fiesta(&call).says(code::DONE, &[]);
    assert!(
        bench
            .text("out/report.html")
            .contains("read with --arm model_name")
    );
}

#[test]
fn smaller_losses_are_better_unless_the_contrary_is_said() {
    let bench = Bench::new();
    table(&bench, "runs.csv", "model,fold,val_loss", |m, s| {
        format!("net-{m},{s},{}.{}", m + 1, (s * 7 + m * 2) % 5)
    });
    let best = |arguments: &[&str]| {
        let ran = bench.fiesta(&[&["belief", "runs.csv"], arguments].concat());
        ran.says(code::DONE, &[]);
        let best = ran.stdout.lines().nth(1).unwrap_or_default().to_owned();
        (best, ran.stderr)
    };
    let (line, told) = best(&[]);
    assert!(line.starts_with("net-0"), "{line}");
    assert!(
        told.contains("smaller `val_loss` is taken to be better"),
        "{told}"
    );
    let (line, told) = best(&["--direction", "maximize"]);
    assert!(
        line.starts_with("net-2") && !told.contains("smaller"),
        "{line}{told}"
    );
}

#[test]
fn a_doubt_is_told_and_nothing_is_taken() {
    let bench = Bench::new();
    table(&bench, "runs.csv", "model,dataset,acc", |m, s| {
        format!("net-{m},data-{},0.{m}{s}", s / 3)
    });
    let ran = bench.fiesta(&["belief", "runs.csv"]);
    // Scores of a data set that nothing tells apart: no command reads them rightly.
    ran.says(
        code::USAGE,
        &["an arm has several scores of the same `dataset`"],
    );
    assert!(!ran.stderr.contains("try:"), "{}", ran.stderr);
    table(&bench, "tagged.csv", "model,tag,fold,acc", |m, s| {
        format!("net-{m},{},{s},0.{m}{s}", ["x", "y"][s / 3])
    });
    let ran = bench.fiesta(&["belief", "tagged.csv"]);
    let told = "not read so unasked: nothing says what `tag` is";
    let command = "try: fiesta belief tagged.csv --arm model --score acc --split fold";
    ran.says(code::USAGE, &[told, command]);
    bench
        .fiesta(&["belief", "tagged.csv", "--arm", "modle"])
        .says(code::USAGE, &["try: fiesta"]);
}

/// Returns scores of two arms on eight splits, at two epochs each.
fn epochs(bench: &Bench) {
    let row = |arm: &str, split: usize, epoch: usize| {
        let score = 0.5 + 0.1 * epoch as f64 + 0.01 * ((split * 5 + arm.len()) % 7) as f64;
        format!("{arm},{split},{epoch},{score:.3}")
    };
    let rows = (0..32).map(|k| row(["a", "bb"][k % 2], k / 4, k / 2 % 2));
    let rows: Vec<String> = rows.collect();
    bench.file(
        "epochs.csv",
        &format!("model,fold,epoch,acc\n{}\n", rows.join("\n")),
    );
}

#[test]
fn rows_of_stages_are_told_of() {
    let bench = Bench::new();
    epochs(&bench);
    bench.fiesta(&["belief", "epochs.csv"]).says(
        code::USAGE,
        &["an arm has several scores of the same `fold`"],
    );
    let named = "belief epochs.csv --arm model --score acc --split fold";
    let named: Vec<&str> = named.split(' ').collect();
    bench.fiesta(&named).says(
        code::DONE,
        &["16 rows differ from another one of the same arm and split in `epoch`"],
    );
}

#[test]
fn what_may_make_a_comparison_false_is_told_of() {
    let bench = Bench::new();
    let rows = |model: &str, score: u32| {
        let row = |fold: u32, lr: &str| format!("{model},{fold},{lr},.{}\n", score + fold * fold);
        let rows = (0..3).map(|fold| row(fold, ".1") + &row(fold + 3, ".1") + &row(fold, ".2"));
        rows.collect::<String>()
    };
    let models = rows("lstm", 60) + &rows("gru", 63) + &rows("human", 90);
    bench.file("runs.csv", &format!("model,fold,lr,acc\n{models}"));
    let named = "belief runs.csv --arm model --score acc --split fold --format json";
    let ran = bench.fiesta(&named.split(' ').collect::<Vec<&str>>());
    let notices = [
        "`lr` differs between scores of the same arm and split (`.1` and `.2` of `lstm`), and these count together: --arm model+lr keeps them apart",
        "`human` is by its name a reference or a summary, and no candidate: --arms lstm,gru leaves it out",
    ];
    ran.says(code::DONE, &notices);
    let told = &ran.json()["notices"];
    for notice in notices {
        assert!(told.as_array().unwrap().contains(&notice.into()), "{told}");
    }
}

#[test]
fn a_failure_with_a_score_counts_as_is_asked_for() {
    let bench = Bench::new();
    let csv = "arm,split,score,status\na,0,.7,ok\na,1,.8,ok\na,2,.6,ok\nb,0,.6,ok\nb,1,0.0,crashed\nb,2,.55,ok\n";
    bench.file("zero.csv", csv);
    let ran = bench.fiesta(&["belief", "zero.csv"]);
    ran.says(
        code::USAGE,
        &[
            "try: fiesta belief zero.csv --failed worst\n     a: P(best)",
            "try: fiesta belief zero.csv --failed drop\n     a: P(best)",
        ],
    );
    let ran = bench.fiesta(&["belief", "zero.csv", "--failed", "drop"]);
    ran.says(code::DONE, &["1 evaluation failed or has no score"]);
}

#[test]
fn command_lines_that_are_proposed_can_be_pasted() {
    let bench = Bench::new();
    bench.file("dash.csv", "arm,--acc-x\na,1\na,2\nb,3\nb,4\n");
    let ran = bench.fiesta(&["belief", "dash.csv"]);
    ran.says(
        code::USAGE,
        &["try: fiesta belief dash.csv --score=--acc-x"],
    );
    bench
        .fiesta(&["belief", "dash.csv", "--score=--acc-x"])
        .says(code::DONE, &[]);
    bench.file("-dash.csv", "arm,acc\na,1\na,2\nb,3\nb,4\n");
    let ran = bench.fiesta(&["belief", "--arm", "x", "--", "-dash.csv"]);
    ran.says(
        code::USAGE,
        &["try: fiesta belief --score acc -- -dash.csv"],
    );
}

#[test]
fn one_arm_is_told_with_the_columns_that_could_name_more() {
    let bench = Bench::new();
    let run = |k: usize| {
        format!(
            "run-{k},finished,2026-11-25,{},node{},{}.{k}",
            ["lstm", "gru"][k % 2],
            k / 4,
            k % 2
        )
    };
    let rows: Vec<String> = (0..8).map(run).collect();
    let runs = format!(
        "Name,State,Created,model,host,val_acc\n{}\n",
        rows.join("\n")
    );
    bench.file("runs.csv", &runs);
    let of_model = "belief runs.csv --metric val_acc";
    let typed: Vec<&str> = of_model.split(' ').collect();
    bench.fiesta(&typed).says(
        code::USAGE,
        &["all of this is one arm", "such as one of `model`"],
    );
    let model = [&typed[..], &["--arm", "model"]].concat();
    bench.fiesta(&model).says(code::DONE, &[]);
    // Who chose one arm of several is told another thing.
    let chosen = [&model[..], &["--arms", "gru"]].concat();
    let ran = bench.fiesta(&chosen);
    ran.says(code::USAGE, &["name at least one rival"]);
}

#[test]
fn a_file_for_each_system_is_one_of_them() {
    let bench = Bench::new();
    let rows =
        |right: usize| (0..40).map(move |item| format!("{item},{}", usize::from(item % 4 < right)));
    std::fs::create_dir(bench.path("runs")).unwrap();
    for (name, right) in [("red", 3), ("blue", 2)] {
        let rows: Vec<String> = rows(right).collect();
        bench.file(
            &format!("runs/{name}.csv"),
            &format!("id,accuracy\n{}\n", rows.join("\n")),
        );
    }
    let ran = bench.fiesta(&["belief", "runs/red.csv", "runs/blue.csv"]);
    ran.says(
        code::DONE,
        &["the arms are called by their files", "the same `id`"],
    );
    let (exit, found) = bench.json(&["belief", "runs"]);
    assert_eq!(exit, Some(code::DONE), "{found}");
    assert_eq!(found["arms"][1]["name"], "red");
    let mean = found["arms"][1]["mean"].as_f64().unwrap();
    assert!((mean - 0.75).abs() < 1e-12, "{mean}");
}

#[test]
fn predictions_are_compared_with_the_right_answers() {
    let bench = Bench::new();
    let row = |item: usize| {
        let gold = ["yes", "no"][item % 2];
        let large = if item.is_multiple_of(10) { "no" } else { gold };
        format!("{item},{gold},{large},yes\n")
    };
    let rows: String = (0..40).map(row).collect();
    bench.file("answers.csv", &format!("id,label,large,small\n{rows}"));
    let (exit, found) = bench.json(&["belief", "answers.csv", "--gold", "label"]);
    assert_eq!(exit, Some(code::DONE), "{found}");
    let mean = found["arms"][0]["mean"].as_f64().unwrap();
    assert!((mean - 0.9).abs() < 1e-12, "{mean}");
    let (exit, found) = bench.json(&[
        "belief",
        "answers.csv",
        "--gold",
        "label",
        "--positive",
        "yes",
    ]);
    assert_eq!(exit, Some(code::DONE), "{found}");
    let counts = &found["arms"][0]["counts"];
    assert_eq!((&counts["tp"], &counts["fn"]), (&16.into(), &4.into()));
    let typed = ["belief", "answers.csv", "--gold", "label"];
    let refused = |further: &[&str], words: &str| {
        let ran = bench.fiesta(&[&typed[..], further].concat());
        ran.says(code::USAGE, &[words]);
    };
    refused(&["--counts"], "cannot be used with");
    refused(
        &["--positive", "yes", "--pool-size", "90"],
        "cannot be used with",
    );
    refused(
        &["--positive", "yes", "--posterior", "paired"],
        "leave --posterior paired out",
    );
    refused(&["--alpha", "1"], "with --gold and --positive");
}
