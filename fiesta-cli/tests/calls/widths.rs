//! Test of every verb's output at several widths of a terminal: no line is longer, no word is broken.

use crate::{
    data,
    support::{Bench, Ran, Running},
};
use std::collections::BTreeSet;
use unicode_width::UnicodeWidthStr;

const WIDTHS: [usize; 5] = [60, 72, 80, 100, 120];

/// Calls of every verb that prints for people, and some that are refused.
const CALLS: &str = "
    run gaussian.toml --quiet
    run gaussian.toml --check
    run failing.toml
    run failing.toml --check
    run nothere.toml
    run unknown-key.toml
    run gaussian.toml --chekc
    run tagging.toml
    run search.toml
    status gaussian.toml
    status failing.toml
    status tagging.toml
    status search.toml
    log gaussian.toml 2
    log failing.toml 1
    slots gaussian.toml
    belief scores.csv
    belief counts.csv --counts
    belief equal.csv
    belief bits.csv
    belief nothere.csv
    belief unfit.csv
    compare scores.csv
    compare bits.csv
    simulate scores.csv --runs 20
    simulate scores.csv --runs 20 --confidence 0.95,0.9
    simulate --gaussian 0.7:0.02,0.72:0.03 --runs 20 --budget 20
    simulate --list
    plan scores.csv --runs 10 --confidence 0.95,0.9
    curve trials.csv --bounds 0,1 --reach 0.8
    curve scores.csv --time
    report scores.csv -o page --formats svg
    --help
    run --help
    belief --help
    curve --help
    simulate -h
    plan --help
    report --help
";

fn said(bench: &Bench, call: &str, width: Option<usize>) -> String {
    let words: Vec<&str> = call.split_whitespace().collect();
    let mut command = bench.command(&words);
    for name in ["LINES", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(name);
    }
    if let Some(width) = width {
        command.env("COLUMNS", width.to_string());
    }
    let Ran { stdout, stderr, .. } = Running::start(command).wait();
    // What a job printed stands as it was printed.
    let own = |line: &&str| !line.starts_with("--- ");
    let stdout: Vec<&str> = stdout.lines().take_while(own).collect();
    // On a slow machine alone.
    let stderr = stderr.replace("simulating studies; fewer --runs take less time\n", "");
    format!("{}\n{stderr}", stdout.join("\n"))
}

/// Returns the words of a text without times, their units and measured values, which differ between
/// calls.
fn words(text: &str) -> BTreeSet<&str> {
    let is_measured = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.contains(|c: char| c.is_ascii_digit()) || ["ms", "s", "min", "h"].contains(&bare)
    };
    text.split_whitespace()
        .filter(|word| !is_measured(word))
        .collect()
}

#[test]
fn no_line_is_longer_than_the_terminal_is_wide() {
    let bench = Bench::new();
    data::copy(&bench);
    for study in [
        "gaussian.toml",
        "failing.toml",
        "tagging.toml",
        "search.toml",
    ] {
        said(&bench, &format!("run {study}"), None);
    }
    let mut wrong = Vec::new();
    for call in CALLS.lines().map(str::trim).filter(|call| !call.is_empty()) {
        let unlimited = said(&bench, call, None);
        for width in WIDTHS {
            let shown = said(&bench, call, Some(width));
            for line in shown.lines() {
                // A path or a name that is longer has a line of its own.
                let is_word = line.split_whitespace().count() == 1;
                if line.width() > width && !is_word {
                    wrong.push(format!("{width} columns, fiesta {call}: too long\n{line}"));
                }
            }
            let whole = words(&unlimited);
            // The words beside the columns that were left out.
            let beside = "not shown: or a wider terminal shows it) them) \\";
            let is_cut =
                |word: &&str| word.contains('…') || beside.split(' ').any(|other| other == *word);
            for word in words(&shown).into_iter().filter(|word| !is_cut(word)) {
                // Columns that were left out are named with commas between them.
                let bare = word.trim_end_matches(',');
                if !whole.contains(word) && !whole.contains(bare) {
                    wrong.push(format!(
                        "{width} columns, fiesta {call}: `{word}` is no word"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_width_that_shows_every_column_is_named_where_some_are_left_out() {
    let bench = Bench::new();
    data::copy(&bench);
    let narrow = said(&bench, "belief scores.csv", Some(40)).replace('\n', " ");
    let (_, named) = narrow
        .split_once("(COLUMNS=")
        .expect("columns are left out");
    let named = named.split(' ').next().unwrap().parse().unwrap();
    assert!(!said(&bench, "belief scores.csv", Some(named)).contains("not shown"));
    assert!(said(&bench, "belief scores.csv", Some(named - 1)).contains("not shown"));
}
