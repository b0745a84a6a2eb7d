//! Test of a corpus of files as people have them (README.md beside this): how many are answered in one
//! command, whether any answer is wrong, whether refusals tell the reason, and whether the commands that they
//! propose are right. `make.py` computes the right answers without FIESTA.

use serde_json::Value;
use statrs::distribution::{ContinuousCDF, StudentsT};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Least share of the files that are answered in one command: all but 01a and 02a, whose columns do not say
/// which scores are better.
const ANSWERED: f64 = 0.96;

/// Names of files for which the expected difference is defined otherwise than FIESTA's, and why.
const OTHERWISE: [(&str, &str); 4] = [
    (
        "01b",
        "data sets that an arm lacks are left out for all arms",
    ),
    ("02b", "so are those that a system lacks"),
    (
        "07c",
        "the posterior mean of the F-measure, and no ratio of counts",
    ),
    ("23b", "instances that ended with an error have no score"),
];

/// Files that have no answer: a word of the reason in `corpus.tsv`, and how the refusal says it.
const REASONS: [(&str, &str, &str); 5] = [
    ("28a", "steps", "`Step` is by its name a step"),
    ("28b", "epochs", "`epoch` is by its name a step"),
    ("29a", "settings", "`lr` is by its name a setting"),
    ("32a", "workbook", "workbook: save the sheet as CSV"),
    ("32b", "pickle", "a pickle of Python"),
];

/// Files for which no command that is proposed without the flags has the right arms, and why.
const ASKED_OTHERWISE: [(&str, &str); 1] = [(
    "33b",
    "arms of two columns are a choice; the second column may be the items",
)];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

/// A file of the corpus: the command line for it, and the right answer.
struct Case {
    name: String,
    path: Vec<String>,
    flags: Vec<String>,
    /// `None` if the file is to be refused.
    right: Option<Right>,
    why: String,
    is_minimized: bool,
}

struct Right {
    best: String,
    rival: String,
    /// Lead of the best arm over the second best, and its 95 % interval.
    difference: f64,
    interval: [f64; 2],
}

fn cases() -> Vec<Case> {
    let table = fs::read_to_string(folder().join("corpus.tsv")).unwrap();
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let case = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |name: &str| cells[names.iter().position(|of| *of == name).unwrap()];
        let words = |name| cell(name).split_whitespace().map(str::to_owned).collect();
        let number = |name| cell(name).parse().unwrap();
        let right = (cell("expected") == "answered").then(|| Right {
            best: cell("best").to_owned(),
            rival: cell("rival").to_owned(),
            difference: number("difference"),
            interval: ["low", "high"].map(number),
        });
        Case {
            name: cell("name").to_owned(),
            path: words("path"),
            flags: words("flags"),
            right,
            why: cell("why").to_owned(),
            is_minimized: cell("direction") == "minimize",
        }
    };
    lines.map(case).collect()
}

fn belief(path: &[String], flags: &[String]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fiesta"))
        .current_dir(folder())
        .arg("belief")
        .args([path, flags].concat())
        .args(["--format", "json"])
        .output()
        .unwrap()
}

/// Pastes a command line into a shell.
fn paste(line: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_fiesta")).parent().unwrap();
    let places = env::var_os("PATH").unwrap();
    let places = [program.to_owned()]
        .into_iter()
        .chain(env::split_paths(&places));
    Command::new("sh")
        .args(["-c", line])
        .current_dir(folder())
        .env("PATH", env::join_paths(places).unwrap())
        .output()
        .unwrap()
}

/// Returns the arms of an answer with their means, the best first.
fn ranked(answer: &Value, is_minimized: bool) -> Vec<(String, f64)> {
    let arms = answer["arms"].as_array().unwrap().iter();
    let arm = |arm: &Value| {
        let name = arm["name"].as_str().unwrap().to_owned();
        Some((name, arm["mean"].as_f64()?))
    };
    let mut arms: Vec<(String, f64)> = arms.filter_map(arm).collect();
    arms.sort_by(|one, other| one.1.total_cmp(&other.1));
    if !is_minimized {
        arms.reverse();
    }
    arms
}

/// Returns the most probable arm of an answer.
fn leader(output: &Output) -> String {
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let arms = answer["arms"].as_array().unwrap().iter();
    let p = |arm: &Value| arm["probability_best"].as_f64().unwrap_or_default();
    let leader = arms.max_by(|one, other| p(one).total_cmp(&p(other)));
    leader.unwrap()["name"].as_str().unwrap().to_owned()
}

/// Returns half of the 95 % interval of the lead of the best arm by an answer, and the factor by which it may
/// differ from that of `corpus.tsv`: a posterior pools what `make.py` estimates for each pair. `None` if an answer
/// has neither an interval nor standard errors.
fn half_width(answer: &Value, right: &Right) -> Option<(f64, f64)> {
    let t = |freedom: f64| {
        StudentsT::new(0.0, 1.0, freedom)
            .unwrap()
            .inverse_cdf(0.975)
    };
    let on_items = &answer["on_items"];
    if on_items["leader"] == right.best && on_items["runner_up"] == right.rival {
        let error = on_items["standard_error"].as_f64()?;
        return Some((error * t(on_items["items"].as_f64()? - 1.0), 1.001));
    }
    let arms = answer["arms"].as_array()?;
    let arm = |name: &str| arms.iter().find(|arm| arm["name"] == name);
    let (best, rival) = (arm(&right.best)?, arm(&right.rival)?);
    let behind = &rival["behind_best"];
    if let (Some(lower), Some(upper)) = (behind["lower"].as_f64(), behind["upper"].as_f64()) {
        // Of four splits the posterior's interval is up to 2.5 times as wide as Student's: it does not take for granted
        // that splits explain nearly all.
        return Some(((upper - lower) / 2.0, 2.5));
    }
    // Welch's t, as the scores are paired by nothing.
    let of = |arm: &Value| {
        let count = arm["evaluations"].as_f64()?;
        Some((arm["standard_deviation"].as_f64()?.powi(2) / count, count))
    };
    let ((a, n), (b, m)) = (of(best)?, of(rival)?);
    let freedom = (a + b).powi(2) / (a * a / (n - 1.0) + b * b / (m - 1.0));
    Some(((a + b).sqrt() * t(freedom), 1.001))
}

/// Returns the mistake in an answer, in words. `None` if the answer is right.
fn mistake(case: &Case, output: &Output) -> Option<String> {
    let Some(right) = &case.right else {
        return Some("answered, and is to be refused".to_owned());
    };
    let Right {
        best,
        rival,
        difference,
        interval: [low, high],
    } = right;
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let arms = ranked(&answer, case.is_minimized);
    let [(first, top), (second, next), ..] = &arms[..] else {
        return Some(format!("fewer than two arms: {arms:?}"));
    };
    let led = (top - next).abs();
    let is_other = OTHERWISE.iter().any(|(name, _)| *name == case.name);
    let is_close = is_other || (led - difference).abs() <= 1e-4 * difference.abs().max(0.01);
    let leader = leader(output);
    if first != best || second != rival || !is_close || leader != *best {
        return Some(format!(
            "{first} leads {second} by {led} and {leader} is most probable; right: {best} leads {rival} by {difference}"
        ));
    }
    if is_other || answer["benchmarks"].is_object() {
        return None;
    }
    let Some((half, factor)) = half_width(&answer, right) else {
        return Some("the lead has no interval".to_owned());
    };
    let ratio = half / ((high - low) / 2.0);
    (ratio > factor || ratio < factor.recip())
        .then(|| format!("the lead is {led} ± {half}; right: {low} to {high}"))
}

/// Returns the mistake in what a refusal proposes, in words. `None` if every command runs, or is told to be
/// refused, and if one of those that run has the right arm first.
fn misproposed(case: &Case, stderr: &str) -> Option<String> {
    let mut leaders = Vec::new();
    let lines: Vec<&str> = stderr.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let command = line.strip_prefix("try: ");
        let Some(line) = command.filter(|line| line.starts_with("fiesta ")) else {
            continue;
        };
        let answer = lines.get(at + 1).copied().unwrap_or_default();
        let is_refused = answer.trim_start().starts_with("refused: ");
        let output = paste(line);
        match output.status.code() {
            Some(0) if !is_refused => leaders.push(leader(&output)),
            Some(2) if is_refused => {}
            code => return Some(format!("`{line}` ends with {code:?}")),
        }
    }
    let best = case.right.as_ref().map(|right| &right.best);
    let is_right = leaders.is_empty() || leaders.iter().any(|leader| Some(leader) == best);
    (!is_right).then(|| format!("{leaders:?} lead; right: {best:?}"))
}

#[test]
fn most_files_are_answered_and_none_wrongly() {
    let cases = cases();
    let (mut answered, mut wrong, mut refused) = (0, Vec::new(), Vec::new());
    for case in &cases {
        let output = belief(&case.path, &case.flags);
        let told = String::from_utf8_lossy(&output.stderr);
        match (output.status.code(), &case.right) {
            (Some(0), _) => match mistake(case, &output) {
                Some(mistake) => wrong.push(format!("{}: {mistake}", case.name)),
                None => answered += 1,
            },
            (Some(2), right) => {
                assert!(told.contains("error: "), "{}: {told}", case.name);
                wrong.extend(misproposed(case, &told).map(|why| format!("{}: {why}", case.name)));
                if right.is_none() {
                    let reason = REASONS.iter().find(|(name, ..)| *name == case.name);
                    let (_, word, says) = reason.expect(&case.name);
                    assert!(case.why.contains(word) && told.contains(says), "{told}");
                } else {
                    let error = told.lines().find(|line| line.starts_with("error: "));
                    refused.push(format!("{}: {}", case.name, error.unwrap_or_default()));
                }
            }
            (code, _) => panic!("{} ended with {code:?}: {told}", case.name),
        }
    }
    let all = cases.iter().filter(|case| case.right.is_some()).count();
    println!("{answered} of {all} answered, {} wrong", wrong.len());
    for line in &refused {
        println!("refused: {line}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let share = f64::from(answered) / all as f64;
    assert!(
        share >= ANSWERED,
        "{answered} of {all}:\n{}",
        refused.join("\n")
    );
}

/// Tests that a file called without the flags that it needs is answered rightly, or asked about with commands
/// that run, one of which is right.
#[test]
fn without_flags_no_answer_is_wrong_and_a_proposed_one_is_right() {
    let (mut asked, mut wrong) = (0, Vec::new());
    for case in cases() {
        if case.flags.is_empty() || ASKED_OTHERWISE.iter().any(|(name, _)| *name == case.name) {
            continue;
        }
        let output = belief(&case.path, &[]);
        let best = case.right.as_ref().map(|right| &right.best);
        if output.status.code() == Some(0) {
            let leader = leader(&output);
            // The flags of some files give arms other names.
            if !best.is_some_and(|best| leader.contains(best.as_str())) {
                wrong.push(format!(
                    "{}: {leader} without a word; right: {best:?}",
                    case.name
                ));
            }
            continue;
        }
        asked += 1;
        let told = String::from_utf8_lossy(&output.stderr);
        wrong.extend(misproposed(&case, &told).map(|why| format!("{}: {why}", case.name)));
    }
    assert!(
        asked >= 20 && wrong.is_empty(),
        "{asked}: {}",
        wrong.join("\n")
    );
}
