//! Tests of tables whose columns are recognised or asked about: small ones as people have them, and
//! 600 generated ones.

mod cases;
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::too_many_lines,
    reason = "numbers are drawn below small bounds, and the file was fixed before the reader was changed"
)]
mod generated;
mod orientations;
#[path = "../support/mod.rs"]
mod support;

use generated::{Generated, TABLES, Truth, table};
use serde_json::Value;
use std::{collections::BTreeMap, sync::Mutex, thread};
use support::{Bench, code};

/// Tests that the list of words and the generated tables are unchanged: they were fixed before the reader was written for these words.
#[test]
fn tables_are_those_that_were_drawn_once() {
    let tables: Vec<_> = (0..TABLES).map(table).collect();
    let systems = tables
        .iter()
        .filter(|table| matches!(table.truth, Truth::Systems { .. }));
    assert_eq!(systems.count(), 200);
    let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
    for table in &tables {
        for byte in table.name.bytes().chain(table.text.bytes()) {
            digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    assert_eq!(digest, 0x8001_b92c_fa47_af76);
}

/// Result of reading a table.
#[derive(Debug, PartialEq)]
enum Fate {
    /// The program answers the table rightly, or proposes a command that does.
    Right,
    /// The program refuses the table, and no command that it proposes answers.
    Refused,
    /// The program answers the table wrongly, or proposes a command that does.
    Wrong(String),
}

/// Returns the JSON answer of `fiesta belief`. `None` if it gives no answer.
fn answer(bench: &Bench, words: &[String]) -> Option<Value> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ran = bench.fiesta(&[&words[..], &["--format", "json"]].concat());
    (ran.code == Some(code::DONE)).then(|| serde_json::from_str(&ran.stdout).unwrap())
}

/// Returns the words of a command line, split and unquoted as by a shell.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' => is_quoted = !is_quoted,
            '\\' if !is_quoted => word.extend(characters.next()),
            ' ' if !is_quoted => words.push(std::mem::take(&mut word)),
            other => word.push(other),
        }
    }
    words.push(word);
    words
}

/// Returns the words of each proposed command line, without the name of the program.
fn proposals(stderr: &str) -> Vec<Vec<String>> {
    let lines = stderr
        .lines()
        .filter_map(|line| line.strip_prefix("try: fiesta "));
    lines.map(words).collect()
}

/// Compares an answer with the truth. The error says in words what is wrong.
fn check(answer: &Value, truth: &Truth, call: &[String]) -> Result<(), String> {
    let arms = answer["arms"].as_array().unwrap();
    let name = |arm: &Value| arm["name"].as_str().unwrap().to_owned();
    let probability = |arm: &&Value| arm["probability_best"].as_f64().unwrap();
    let winner = arms
        .iter()
        .max_by(|a, b| probability(a).total_cmp(&probability(b)));
    let winner = name(winner.unwrap());
    match truth {
        Truth::NoSystems { may_be_arms } => {
            let arm = call.iter().position(|word| word == "--arm");
            let arm = arm.map(|place| call[place + 1].clone());
            let is_board = call.iter().any(|word| word.contains("leaderboard"));
            match arm {
                // A standard error beside the mean of each system compares them.
                _ if is_board && answer["means"].is_object() => Ok(()),
                Some(arm) if may_be_arms.contains(&arm) => Ok(()),
                _ => Err(format!("`{winner}` is no system")),
            }
        }
        Truth::Systems {
            best,
            scores,
            paired,
        } => {
            let found: BTreeMap<String, u64> = arms
                .iter()
                .map(|arm| (name(arm), arm["evaluations"].as_u64().unwrap()))
                .collect();
            match () {
                () if found != *scores => Err(format!("{found:?} instead of {scores:?}")),
                () if winner != *best => Err(format!("`{winner}` instead of `{best}`")),
                () if *paired && answer["pairing"] == "none" => Err("nothing is paired".to_owned()),
                () => Ok(()),
            }
        }
    }
}

/// Returns the result of reading a table, and of trying each proposal for it.
fn fate(bench: &Bench, table: &Generated) -> Fate {
    bench.file(&table.name, &table.text);
    let call = vec!["belief".to_owned(), table.name.clone()];
    if let Some(answered) = answer(bench, &call) {
        return match check(&answered, &table.truth, &call) {
            Ok(()) => Fate::Right,
            Err(wrong) => Fate::Wrong(format!("unasked: {wrong}")),
        };
    }
    let asked = bench.fiesta(&["belief", &table.name]);
    let proposed = proposals(&asked.stderr);
    // A name that does not say which scores are better has a command for each direction.
    let is_open = proposed
        .iter()
        .any(|call| call.iter().any(|word| word == "--direction"));
    let checked = proposed.iter().filter_map(|call| {
        let answered = answer(bench, call)?;
        Some(
            check(&answered, &table.truth, call)
                .map_err(|wrong| format!("{}: {wrong}", call.join(" "))),
        )
    });
    let checked: Vec<Result<(), String>> = checked.collect();
    let wrong = checked.iter().find_map(|checked| checked.as_ref().err());
    let is_right = checked.iter().any(Result::is_ok);
    match wrong {
        Some(wrong) if !(is_open && is_right) => Fate::Wrong(wrong.clone()),
        _ if is_right => Fate::Right,
        _ => Fate::Refused,
    }
}

/// Tests the generated tables. No answer and no proposed command may name a winner that is no system.
/// Nine of ten tables with systems are answered rightly, at once or by a proposed command.
#[test]
fn generated_tables_are_read_as_what_they_are() {
    let bench = Bench::new();
    let next = Mutex::new(0..TABLES);
    let fates = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some(number) = next.lock().unwrap().next() else {
                return;
            };
            let table = table(number);
            let fate = fate(&bench, &table);
            fates.lock().unwrap().push((table, fate));
        }
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    let mut fates = fates.into_inner().unwrap();
    fates.sort_by(|a, b| a.0.name.cmp(&b.0.name));
    let mut counts: BTreeMap<(bool, &str), u32> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (table, fate) in &fates {
        let has_systems = matches!(table.truth, Truth::Systems { .. });
        let (word, told) = match fate {
            Fate::Right => ("right", None),
            Fate::Refused => ("refused", has_systems.then(|| "refused".to_owned())),
            Fate::Wrong(why) => ("wrong", Some(format!("WRONG {why}"))),
        };
        *counts.entry((has_systems, word)).or_default() += 1;
        let header = table.text.lines().next().unwrap();
        wrong.extend(told.map(|told| format!("{} {header}: {told}", table.name)));
    }
    println!("{}\n{counts:?}", wrong.join("\n"));
    let count = |key| counts.get(&key).copied().unwrap_or_default();
    assert_eq!(count((false, "wrong")) + count((true, "wrong")), 0);
    assert!(count((true, "right")) >= 180, "{counts:?}");
}
