//! The text of a study of the best settings of a search.

use super::{Candidate, ConfirmRequest, DEFAULT};
use crate::{
    digest::Digest,
    init::{
        Machine,
        study::{GOAL, array, parallel, resources},
    },
    pattern::basic_string,
    study::{CommandTemplate, placeholder::Placeholder},
};
use fiesta_core::Foreign;
use fiesta_policies::stopping::LEAST_EVALUATIONS;
use fiesta_records::words::count;

/// Returns the text of the study file. The first of the arms is the search's winner.
pub(super) fn text(
    request: &ConfirmRequest<'_>,
    command: &CommandTemplate,
    arms: &[Candidate],
    machine: Machine,
) -> String {
    let mut lines = vec![
        format!(
            "# The best settings of the search in {} and the default, on fresh splits and seeds.",
            request.source
        ),
        "# Scores of the search chose these arms. They are no evidence, and are not counted."
            .to_owned(),
        "name = \"confirm\"".to_owned(),
        String::new(),
    ];
    lines.extend(winner(arms));
    lines.extend(metric(request));
    lines.extend(GOAL.map(str::to_owned));
    lines.extend(design(request, command, arms, machine));
    lines.push(String::new());
    lines.extend(resources(machine, false));
    for arm in arms {
        let score = match arm.searched {
            Some((score, 1)) => format!("   # {score} in the search"),
            Some((score, trials)) => {
                format!(
                    "   # {score} in the search, the mean of {}",
                    count(trials, "trial")
                )
            }
            None => String::new(),
        };
        lines.push(String::new());
        lines.push("[[arm]]".to_owned());
        lines.push(format!("name    = {}{score}", basic_string(&arm.name)));
        lines.push(format!("command = {}", array(&arm.command)));
    }
    // One line each, whatever the results say.
    let lines = lines.iter().map(|line| format!("{}\n", Foreign::new(line)));
    lines.collect()
}

/// Returns the table of the search's winner, which is the first arm.
fn winner(arms: &[Candidate]) -> Vec<String> {
    let Some((winner, score)) = arms.first().and_then(|arm| Some((arm, arm.searched?.0))) else {
        return Vec::new();
    };
    let mut lines = vec![
        "# By how much the search overstated its winner is told after the winner's first evaluations.".to_owned(),
        "[search_winner]".to_owned(),
        format!("arm     = {}", basic_string(&winner.name)),
        format!("score   = {score:?}"),
        format!("first   = {LEAST_EVALUATIONS}"),
    ];
    if winner.name != DEFAULT && arms.iter().any(|arm| arm.name == DEFAULT) {
        lines.push(format!("default = {}", basic_string(DEFAULT)));
    }
    lines.push(String::new());
    lines
}

fn metric(request: &ConfirmRequest<'_>) -> Vec<String> {
    // Jobs print the score by its own name.
    let own = request.metric.strip_prefix("metrics.");
    let name = basic_string(own.unwrap_or(request.metric));
    let direction = request.direction;
    let mut lines = vec![
        "[metric]".to_owned(),
        format!(
            "name      = {name}   # the last line of what a job prints is JSON: {{{name}: 0.71}}"
        ),
        "# pattern = 'accuracy: ([0-9.]+)'   # or its number stands in a line like this".to_owned(),
        format!("direction = \"{direction}\""),
    ];
    lines.extend(
        request
            .bounds
            .map(|(low, high)| format!("bounds    = [{low:?}, {high:?}]")),
    );
    lines
}

fn design(
    request: &ConfirmRequest<'_>,
    command: &CommandTemplate,
    arms: &[Candidate],
    machine: Machine,
) -> Vec<String> {
    let gives = |own: Placeholder| command.placeholders().contains(&own.name());
    let trials = request.trials;
    let splits = trials.records().iter().filter_map(|record| record.split);
    // Items of a pool are no splits.
    let last = splits.max().filter(|_| trials.items().is_empty());
    let splits = if gives(Placeholder::Seed) && !gives(Placeholder::Split) {
        "splits   = \"fixed\"   # the command names no {split}: evaluations differ in their seeds"
            .to_owned()
    } else {
        let why = match last {
            Some(0) => "split 0 is the search's".to_owned(),
            Some(last) => format!("splits 0 to {last} are the search's"),
            None => "the results name no split: 0 counts as the search's".to_owned(),
        };
        let first = last.unwrap_or(0).saturating_add(1);
        format!(
            "splits   = {{ kind = \"shared\", first = {first} }}   # {why}; count = 10 if there are only so many"
        )
    };
    vec![
        "[design]".to_owned(),
        splits,
        parallel(machine, false),
        format!(
            "seed     = {}   # of this study alone: it follows from the arms and their scores",
            seed(arms)
        ),
    ]
}

/// Returns a seed below 2³¹ that follows from the arms and their scores in the search. Seeds of evaluations
/// come from it at random, and differ from those of the search but for one chance in 2³¹ a pair.
fn seed(arms: &[Candidate]) -> u64 {
    Digest::of(format!("{arms:?}").as_bytes())
        .number()
        .unsigned_abs()
        >> 33
}
