//! Tests of study files with lists in place of tables, and with tables under wrong headings.

use super::{Bench, STUDY, code, refuse};

#[test]
fn lists_are_no_tables() {
    refuse(&[
        (
            "\n[metric]",
            "report = [\"a\", \"b\", \"c\", \"d\"]\n[metric]",
            "report = ",
            &["report is a table: write [report], and below it"],
        ),
        (
            "\n[metric]",
            "worker = [\"python\", \"worker.py\"]\n[metric]",
            "worker = ",
            &["worker is a table: write [worker], and below it"],
        ),
        (
            "budget = { evaluations = 40 }",
            "budget = [60, 5.0, \"1h\"]",
            "budget",
            &["budget is a table: write for example budget = { evaluations = 200 }"],
        ),
        (
            "name = \"low\"",
            "name = \"low\"\nenv = { LEVEL = [\"HOME\"] }",
            "env = ",
            &["the value of a variable is a text, or { from = "],
        ),
        (
            "name = \"low\"",
            "name = \"low\"\nsearch = { rate = [[1, 2]] }",
            "search = ",
            &["rate is a table: write for example rate = { loguniform"],
        ),
    ]);
    let (head, _) = STUDY.split_once("[[arm]]").unwrap();
    let list = head.replace("\n[metric]", "arm = [[\"a\", [\"true\"]]]\n[metric]");
    refused(
        &list,
        &[(
            3,
            "each arm is a table: write [[arm]], and below it its keys",
        )],
    );
}

#[test]
fn headings_have_as_many_brackets_as_they_need() {
    refuse(&[
        (
            "[goal]",
            "[[goal]]",
            "[[goal]]",
            &["[goal] is one table: write [goal], once"],
        ),
        (
            "[design]",
            "[[design]]",
            "[[design]]",
            &["write [design], once"],
        ),
    ]);
    let one = "each arm is a table of its own: write [[arm]], with two brackets";
    let (head, _) = STUDY.split_once("[[arm]]").unwrap();
    let line = head.lines().count() + 1;
    refused(&format!("{head}[arm]\nname = \"low\"\n"), &[(line, one)]);
    let twice = STUDY.replace("[[arm]]", "[arm]");
    refused(&twice, &[(line + 3, one)]);
}

/// Tests wrong shapes with mistakes of other kinds; a misspelt key is reported only as such.
#[test]
fn all_shapes_are_told_at_once() {
    let study = STUDY
        .replace("[goal]", "[[goal]]")
        .replace("\n[metric]", "resources = [0.0, \"seconds\"]\n[metric]")
        .replace("[resources]\ntimeout = \"1m\"\n", "")
        .replace("kind = \"local\"", "sort = \"local\"");
    let line = |of: &str| study.lines().position(|line| line == of).unwrap() + 1;
    refused(
        &study,
        &[
            (3, "resources is a table: write [resources]"),
            (line("[[goal]]"), "[goal] is one table"),
            (line("sort = \"local\""), "unknown key `sort`"),
        ],
    );
    let study = STUDY.replace("\n[metric]", "reprot = [\"a\"]\n[metric]");
    refused(
        &study,
        &[(3, "unknown key `reprot`; did you mean `report`?")],
    );
}

/// Checks that a study is refused for these mistakes, each with its line.
fn refused(study: &str, mistakes: &[(usize, &str)]) {
    let bench = Bench::with_study(study);
    let ran = bench.fiesta(&["run", "study.toml"]);
    let says = mistakes
        .iter()
        .map(|(line, says)| format!("study.toml:{line}: {says}"));
    let says: Vec<String> = says.collect();
    let says: Vec<&str> = says.iter().map(String::as_str).collect();
    ran.says(code::USAGE, &says);
    let lines = mistakes.len() + usize::from(mistakes.len() > 1);
    assert_eq!(ran.stderr.lines().count(), lines, "{}", ran.stderr);
    assert!(!bench.path("study.fiesta").exists());
}
