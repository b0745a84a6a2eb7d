//! Proposals of command lines in place of one that failed for lack of flags, and notices of flags
//! that were added unasked.

use super::{
    exit::Failure,
    results::{Way, say_roles},
    say,
};
use fiesta::{
    Direction,
    records::{Certainty, Choice, Proposal},
    shell_word,
};
use std::{env, iter};

/// Flags that name a column. The proposal replaces their values.
const NAMED: [&str; 7] = [
    "--arm", "--split", "--seed", "--item", "--metric", "--score", "--arms",
];

/// Prints the command lines that would work in place of the failed one, each with its answer if the
/// answer is known.
pub(super) fn say_what_to_try(failure: &Failure) {
    if let Some(proposal) = failure.proposal() {
        if env::args().any(|word| word == "--explain") {
            say_roles(&proposal.roles);
        }
        if let Certainty::Doubtful(doubt) = &proposal.certainty {
            say(format_args!("not read so unasked: {doubt}"));
        }
        for line in lines(env::args().skip(1), proposal) {
            say(format_args!("try: {line}"));
        }
    }
    let untried;
    let ways = match failure {
        Failure::Choose { ways, .. } => ways,
        other => {
            untried = Way::of(other);
            &untried
        }
    };
    for way in ways {
        say(format_args!("try: {}", way.command()));
        if let Some(answer) = way.answer() {
            say(format_args!("     {answer}"));
        }
    }
}

/// Returns whether the typed command line says which scores are better.
pub(super) fn is_directed() -> bool {
    env::args().skip(1).any(|word| directs(&word))
}

/// Returns whether a word of a command line says which scores are better.
fn directs(word: &str) -> bool {
    let flag = word.split_once('=').map_or(word, |(flag, _)| flag);
    matches!(flag, "--minimize" | "--maximize" | "--direction")
}

/// Returns the command line that was typed, with these flags added.
pub(super) fn typed(flags: &[String]) -> String {
    let words = env::args().skip(1).map(|word| shell_word(&word));
    let words = iter::once("fiesta".to_owned()).chain(words).collect();
    line(words, flags)
}

/// Returns a command line with these flags added, before a `--` if there is one.
fn line(mut words: Vec<String>, flags: &[String]) -> String {
    let end = words.iter().position(|word| word == "--");
    let end = end.unwrap_or(words.len());
    words.splice(end..end, flags.iter().cloned());
    words.join(" ")
}

/// Returns a flag with its value, quoted for a shell.
pub(super) fn flag(name: &str, value: &str) -> String {
    let between = if value.starts_with('-') { "=" } else { " " };
    format!("--{name}{between}{}", shell_word(value))
}

/// Returns the command lines with the proposed columns. If some evaluations have no score, there is
/// one line for each meaning of `--failed`.
fn lines(typed: impl Iterator<Item = String>, proposal: &Proposal) -> Vec<String> {
    if matches!(proposal.certainty, Certainty::Withheld(_)) {
        return Vec::new();
    }
    let mut words = vec!["fiesta".to_owned()];
    let (mut is_value, mut is_directed, mut is_counted) = (false, false, false);
    for word in typed {
        let flag = word.split_once('=').map_or(word.as_str(), |(flag, _)| flag);
        is_directed |= directs(&word);
        is_counted |= flag == "--failed";
        let is_number = word.trim().parse::<u64>().is_ok();
        if is_value {
            is_value = false;
            // A number is no name of a column of seeds.
            if is_number && words.last().is_some_and(|last| last == "--seed") {
                words.push(word);
            } else if words.last().is_some_and(|last| last == "--seed") {
                words.pop();
            }
            continue;
        }
        let number = word.strip_prefix("--seed=").map(str::trim);
        let draws = number.is_some_and(|number| number.parse::<u64>().is_ok());
        // A score that was there is kept.
        let is_kept = match flag {
            "--metric" | "--score" => proposal.metric.is_none(),
            "--arms" => proposal.arms.is_empty(),
            _ => false,
        };
        if NAMED.contains(&flag) && !draws && !is_kept {
            is_value = flag.len() == word.len();
            if is_value && flag == "--seed" {
                words.push(word);
            }
            continue;
        }
        words.push(shell_word(&word));
    }
    let flags = [proposal.flags()];
    let minimize = || vec!["--minimize".to_owned()];
    let directions = match proposal.direction {
        None if !is_directed => vec![vec![flag("direction", "maximize")], minimize()],
        Some(Direction::Minimize) if !is_directed => vec![minimize()],
        _ => vec![Vec::new()],
    };
    let counted = if proposal.failures && !is_counted {
        let each = Choice::FAILED.into_iter();
        each.map(|value| vec![flag("failed", value)]).collect()
    } else {
        vec![Vec::new()]
    };
    let mut lines = Vec::new();
    for direction in &directions {
        for counted in &counted {
            lines.push(line(
                words.clone(),
                &[&flags[..], direction, counted].concat(),
            ));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta::records::ColumnNames;

    #[test]
    fn a_score_that_was_right_stays() {
        let proposal = Proposal {
            direction: Some(Direction::Maximize),
            columns: ColumnNames {
                arm: Some("Model Name".into()),
                ..ColumnNames::default()
            },
            ..Proposal::default()
        };
        let typed = "belief r.csv --arm Model --score test/f1".split(' ');
        assert_eq!(
            lines(typed.map(str::to_owned), &proposal),
            ["fiesta belief r.csv --score test/f1 --arm 'Model Name'"]
        );
    }

    #[test]
    fn names_that_were_wrong_are_replaced() {
        let proposal = Proposal {
            columns: ColumnNames {
                arm: Some("the model".into()),
                seed: Some("rng".into()),
                ..ColumnNames::default()
            },
            metric: Some("loss".into()),
            direction: Some(Direction::Minimize),
            failures: true,
            ..Proposal::default()
        };
        let typed = "belief it's.csv --metric=acc --arm x --seed 7 --seed y --draws 9";
        let typed = typed.split(' ').map(str::to_owned);
        let line = "fiesta belief 'it'\\''s.csv' --seed 7 --draws 9 --arm 'the model' --score loss --seed rng --minimize";
        assert_eq!(
            lines(typed, &proposal),
            ["worst", "drop"].map(|counted| format!("{line} --failed {counted}"))
        );
    }
}
