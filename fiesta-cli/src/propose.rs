//! Command lines that would work, where flags are what the one that was typed lacks; and the flags
//! that were taken unasked.

use super::{exit::Failure, results::Way, say};
use fiesta::{
    core::Direction,
    records::{Certainty, Proposal},
};
use std::{env, iter};

/// Flags with a name of a column, of which the proposal has another.
const NAMED: [&str; 6] = [
    "--arm", "--split", "--seed", "--item", "--metric", "--score",
];

/// Prints the command lines that would work where the one that was typed failed, and what each
/// answers, as far as that is known.
pub(super) fn say_what_to_try(failure: &Failure) {
    if let Some(proposal) = failure.proposal() {
        if let Certainty::Doubtful(doubt) = &proposal.certainty {
            say(format_args!("not read so unasked: {doubt}"));
        }
        say(format_args!("try: {}", with(env::args().skip(1), proposal)));
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

/// The command line that was typed.
pub(super) fn typed() -> String {
    let words = env::args().skip(1).map(|word| quoted(&word));
    let words: Vec<String> = iter::once("fiesta".to_owned()).chain(words).collect();
    words.join(" ")
}

/// What is said of a file whose columns were taken unasked; smaller scores are better where that
/// `is_cost`.
pub(super) fn taken(proposal: &Proposal, file: &str, is_cost: bool) -> String {
    let flags = flags(proposal).join(" ");
    let (minimize, cost) = if is_cost {
        (" --minimize", " (smaller is taken to be better)")
    } else {
        ("", "")
    };
    format!("{file}: read with {flags}{minimize}{cost}; name other columns if these are not meant")
}

/// The flags that name the columns.
fn flags(proposal: &Proposal) -> Vec<String> {
    let mut flags: Vec<(&str, &str)> = Vec::new();
    for (role, name) in proposal.columns.named() {
        let mut known = NAMED.iter();
        let flag = known.find(|flag| flag.trim_start_matches('-') == role);
        if let (Some(flag), Some(name)) = (flag, name) {
            flags.push((flag, name));
        }
    }
    if let Some(metric) = &proposal.metric {
        let is_arm_first = flags.first().is_some_and(|(flag, _)| *flag == "--arm");
        flags.insert(usize::from(is_arm_first), ("--score", metric));
    }
    let words = flags.into_iter();
    words
        .flat_map(|(flag, name)| [flag.to_owned(), quoted(name)])
        .collect()
}

fn with(typed: impl Iterator<Item = String>, proposal: &Proposal) -> String {
    let mut words = vec!["fiesta".to_owned()];
    let (mut is_value, mut is_directed, mut is_counted) = (false, false, false);
    for word in typed {
        let flag = word.split_once('=').map_or(word.as_str(), |(flag, _)| flag);
        is_directed |= matches!(flag, "--minimize" | "--direction");
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
        let is_kept = proposal.metric.is_none() && matches!(flag, "--metric" | "--score");
        if NAMED.contains(&flag) && !draws && !is_kept {
            is_value = flag.len() == word.len();
            if is_value && flag == "--seed" {
                words.push(word);
            }
            continue;
        }
        words.push(quoted(&word));
    }
    words.extend(flags(proposal));
    if proposal.direction == Direction::Minimize && !is_directed {
        words.push("--minimize".to_owned());
    }
    if proposal.failures && !is_counted {
        words.extend(["--failed".to_owned(), "drop".to_owned()]);
    }
    words.join(" ")
}

/// A word as a shell takes it.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=,:@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta::records::ColumnNames;

    #[test]
    fn a_score_that_was_right_stays() {
        let proposal = Proposal {
            columns: ColumnNames {
                arm: Some("Model Name".into()),
                ..ColumnNames::default()
            },
            ..Proposal::default()
        };
        let typed = "belief r.csv --arm Model --score test/f1".split(' ');
        assert_eq!(
            with(typed.map(str::to_owned), &proposal),
            "fiesta belief r.csv --score test/f1 --arm 'Model Name'"
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
            direction: Direction::Minimize,
            failures: true,
            ..Proposal::default()
        };
        let typed = "belief it's.csv --metric=acc --arm x --seed 7 --seed y --draws 9";
        let typed = typed.split(' ').map(str::to_owned);
        assert_eq!(
            with(typed, &proposal),
            "fiesta belief 'it'\\''s.csv' --seed 7 --draws 9 --arm 'the model' --score loss --seed rng --minimize --failed drop"
        );
    }
}
