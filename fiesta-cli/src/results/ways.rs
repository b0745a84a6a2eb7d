//! Ways to read results that leave a choice: the flags of each, and the verb's answer with them.

use super::{ReadingArguments, is_piped};
use crate::{exit::Failure, propose, scores::bounds};
use clap::ValueEnum;
use fiesta::{
    Direction,
    records::{Choice, named_direction},
};
use std::path::Path;

/// Largest number of ways that are listed. Of more, the error names the values of the flag.
const MOST: usize = 12;

/// A way to read results that can be read in several ways: a value for every choice.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    choices: Vec<Choice>,
    /// The verb's answer if results are read in this way, in a line. `None` if that was not tried.
    answer: Option<String>,
}

impl Way {
    /// Returns the ways to read results that an error leaves, not tried yet. Empty if there is no
    /// choice, or too many.
    pub(crate) fn of(failure: &Failure) -> Vec<Self> {
        let choices = failure.choices();
        if choices.len() > MOST {
            return Vec::new();
        }
        let way = |choice| Self {
            choices: vec![choice],
            answer: None,
        };
        choices.into_iter().map(way).collect()
    }

    /// Returns the command line that was typed, with the flags of this way. Only the flags if the line would be long.
    pub(crate) fn command(&self) -> String {
        const LONG: usize = 120;
        let mut flags: Vec<String> = Vec::new();
        for choice in &self.choices {
            flags.push(propose::flag(choice.flag, &choice.value));
            if is_loss(choice) && !propose::is_directed() {
                flags.push("--minimize".to_owned());
            }
        }
        let typed = propose::typed(&flags);
        if typed.len() > LONG {
            return format!("the same with {}", flags.join(" "));
        }
        typed
    }

    /// Returns what the way makes of the results, and the verb's answer if that was tried. Empty if
    /// there is nothing to say.
    pub(crate) fn answer(&self) -> String {
        let said = self.choices.iter().map(|choice| choice.says);
        let parts = said.chain(self.answer.as_deref());
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        parts.join(": ")
    }
}

/// Returns whether a choice names a score that is better when smaller.
fn is_loss(choice: &Choice) -> bool {
    choice.flag == "metric" && named_direction(&choice.value) == Some(Direction::Minimize)
}

/// Adds the ways to read the results at `path` to an error that leaves a choice. `answers` tries
/// each: it gives the verb's answer with these arguments, or the reason why it refuses them. A pipe
/// is not tried, as it cannot be read twice.
pub(crate) fn with_ways<A: Clone>(
    failure: Failure,
    path: &Path,
    arguments: &A,
    reading: fn(&mut A) -> &mut ReadingArguments,
    answers: &impl Fn(&A) -> Result<Option<String>, Failure>,
) -> Failure {
    if failure.choices().is_empty() || is_piped(path) {
        return failure;
    }
    let mut ways = Vec::new();
    gather(&failure, arguments, &[], reading, answers, &mut ways);
    if ways.len() > MOST {
        // The first question alone, and what each of its answers leaves open.
        ways = Way::of(&failure);
        for way in &mut ways {
            let mut arguments = arguments.clone();
            way.choices
                .iter()
                .for_each(|choice| reading(&mut arguments).choose(choice));
            way.answer = match answers(&arguments) {
                Ok(answer) => answer,
                Err(next) => Some(format!("asks on: {next}")),
            };
        }
    }
    Failure::Choose {
        failure: Box::new(failure),
        ways,
    }
}

/// Returns whether no choice of its flag was made yet.
fn is_new(choice: &Choice, made: &[Choice]) -> bool {
    made.iter().all(|made| made.flag != choice.flag)
}

/// Adds the ways to read results after some choices were made; a choice may lead to another one.
fn gather<A: Clone>(
    failure: &Failure,
    arguments: &A,
    made: &[Choice],
    reading: fn(&mut A) -> &mut ReadingArguments,
    answers: &impl Fn(&A) -> Result<Option<String>, Failure>,
    ways: &mut Vec<Way>,
) {
    for way in Way::of(failure) {
        if ways.len() > MOST {
            return;
        }
        let mut arguments = arguments.clone();
        for choice in &way.choices {
            reading(&mut arguments).choose(choice);
        }
        let choices = [made, &way.choices].concat();
        match answers(&arguments) {
            Ok(answer) => ways.push(Way { choices, answer }),
            // A question that its own answer does not settle would be asked for ever.
            Err(next) if next.choices().iter().any(|next| is_new(next, &choices)) => {
                gather(&next, &arguments, &choices, reading, answers, ways);
            }
            Err(refused) => ways.push(Way {
                choices,
                answer: Some(format!("refused: {refused}")),
            }),
        }
    }
}

impl ReadingArguments {
    /// Sets the flag for a choice in the arguments.
    fn choose(&mut self, choice: &Choice) {
        let value = || Some(choice.value.clone());
        match choice.flag {
            "metric" => {
                self.scores.metric = value();
                self.scores.minimize |= is_loss(choice) && self.asked_direction().is_none();
            }
            "direction" => self.direction = choice.value.parse().ok(),
            "failed" => self.scores.failed = choice.value.parse().ok(),
            "spread" => self.means.0 = choice.value.parse().ok(),
            "filter" => self.foreign.filter = value(),
            "from" => self.foreign.from = choice.value.parse().ok(),
            "arm" => self.scores.arm = value(),
            "arms" => self.scores.arms = choice.value.split(',').map(str::to_owned).collect(),
            "gold" => self.scores.gold = value(),
            "bounds" => self.scores.bounds = bounds(&choice.value).ok(),
            "pruned" => self.foreign.pruned = ValueEnum::from_str(&choice.value, false).ok(),
            other => unreachable!("no results leave a choice of --{other}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command, FromArgMatches};
    use fiesta::records::Undirected;

    #[test]
    fn a_question_that_its_answer_does_not_settle_is_asked_once() {
        let matches = ReadingArguments::augment_args(Command::new("belief")).get_matches_from([""]);
        let arguments = ReadingArguments::from_arg_matches(&matches).unwrap();
        let undirected = || Failure::Direction(Undirected::Name("val".to_owned()));
        let answers = |_: &ReadingArguments| Err(undirected());
        let path = Path::new("scores.csv");
        let failure = with_ways(undirected(), path, &arguments, |all| all, &answers);
        let Failure::Choose { ways, .. } = failure else {
            panic!("{failure}");
        };
        let answers: Vec<String> = ways.iter().map(Way::answer).collect();
        assert!(
            answers.len() == 2 && answers.iter().all(|way| way.contains("refused: ")),
            "{answers:?}"
        );
    }
}
