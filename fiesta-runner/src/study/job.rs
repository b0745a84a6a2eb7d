//! The job that evaluates an arm: its command, its variables, its GPUs and its price.

use super::{
    Search, StudyError,
    command::{Command, Words},
    environment::{Environment, environment, no_zero},
    error::{Source, nearest},
    faults::Faults,
    file::{ArmTable, StudyFile},
    functions::check_functions,
    items::PoolKey,
    placeholder::Placeholder,
    price::{Price, PriceTable, check_units},
    script::foreign_in_a_script,
    worker,
};
use crate::{gpu::GpusPerJob, pattern::is_one};
use fiesta_core::ArmId;

/// The way in which an arm is evaluated: command, variables, GPUs and price.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) command: Command,
    pub(super) environment: Environment,
    pub(super) gpus: Option<GpusPerJob>,
    pub(super) price: Option<Price>,
    /// Whether the command is the study's, and not one of the arm's own table.
    pub(super) is_shared: bool,
    /// Whether a worker's command names the arm, so that the worker serves this arm only.
    pub(super) is_of_arm: bool,
}

pub(super) fn jobs(
    source: &Source<'_>,
    file: &StudyFile,
    search: Option<&Search>,
) -> Result<Vec<Job>, StudyError> {
    check_functions(source, file)?;
    // Told once, where no arm has any.
    if let Some(first) = file.arm.first()
        && file
            .arm
            .iter()
            .all(|arm| worker::command_of(file, arm).is_none())
    {
        return Err(no_command(source, first));
    }
    let numbered = ArmId::all(file.arm.len()).zip(&file.arm);
    let jobs = Faults::all(numbered.map(|(id, arm)| {
        let words = Words {
            pool: file.design.pool(),
            of_worker: file.worker.is_some(),
            search: search.map(|search| (search, search.space(id))),
        };
        job(source, file, arm, words)
    }))?;
    let prices = file.arm.iter().zip(&jobs);
    check_units(source, prices.map(|(arm, job)| (arm, job.price.as_ref())))?;
    Ok(jobs)
}

fn no_command(source: &Source<'_>, arm: &ArmTable) -> StudyError {
    let message = format!(
        "the arm `{}` has no command: give one in its table, or one for all arms at the top",
        arm.name
    );
    source.wrong(&["arm", &arm.place, "name"], message)
}

fn job(
    source: &Source<'_>,
    file: &StudyFile,
    arm: &ArmTable,
    words: Words<'_>,
) -> Result<Job, StudyError> {
    let name = &arm.name;
    let own = |key| ["arm", &arm.place, key];
    // The answers of a kept baseline exist.
    let is_kept = file.goal.baseline_file.is_some() && file.goal.baseline.as_ref() == Some(name);
    let none = || is_kept.then(|| (own("name").to_vec(), &[][..]));
    let Some((key, command)) = worker::command_of(file, arm).or_else(none) else {
        return Err(no_command(source, arm));
    };
    let is_none = command.is_empty() && (file.is_of_functions() || is_kept);
    if command.first().is_none_or(String::is_empty) && !is_none {
        let message = "the command is empty: its first element is the program";
        return Err(source.wrong(&key, message));
    }
    let words_of_command = command.iter().try_for_each(|word| no_zero(word));
    words_of_command.map_err(|message| source.wrong(&key, message))?;
    let of_worker = file.worker.as_ref();
    let of_worker = of_worker.map(|table| (vec!["worker", "env"], &table.env));
    let of_arm = (own("env").to_vec(), &arm.env);
    let environment = environment(source, of_worker.into_iter().chain([of_arm]))?;
    let gpus = match (arm.gpus_per_job, file.resources.gpus_per_job) {
        (Some(gpus), _) => Some((own("gpus_per_job").to_vec(), gpus)),
        (None, gpus) => gpus.map(|gpus| (vec!["resources", "gpus_per_job"], gpus)),
    };
    let gpus =
        gpus.map(|(key, gpus)| GpusPerJob::new(gpus).map_err(|error| source.wrong(&key, error)));
    let gpus = gpus.transpose()?;
    let price = PriceTable {
        key: vec!["arm", &arm.place],
        cost: arm.cost,
        prices: arm.prices.as_ref(),
    };
    let of_answer = file.worker.as_ref().map(|table| PriceTable {
        key: vec!["worker"],
        cost: table.cost,
        prices: table.prices.as_ref(),
    });
    let of_answer = of_answer.map(|table| table.price(source)).transpose()?;
    let price = price.price(source)?.or(of_answer.flatten());
    let arguments = command;
    let command = Command::parse(arguments, words)
        .map_err(|unknown| source.wrong(&key, unknown_placeholders(&unknown, name, words)))?;
    if let Some(message) = foreign_in_a_script(arguments, &command) {
        return Err(source.wrong(&key, message));
    }
    Ok(Job {
        is_shared: arm.command.is_none(),
        is_of_arm: worker::is_of_arm(arm, &command),
        command,
        environment,
        gpus,
        price,
    })
}

/// Returns one error message for all unknown placeholders of a command.
fn unknown_placeholders(unknown: &[String], arm: &str, words: Words<'_>) -> String {
    let (mut messages, mut others) = (Vec::new(), Vec::new());
    for word in unknown {
        match misplaced(word, arm, words) {
            Some(message) => messages.push(message),
            None => others.push(word.as_str()),
        }
    }
    if !others.is_empty() {
        messages.push(not_known(&others, words));
    }
    messages.join("; ")
}

/// Returns the error message for a placeholder that exists, but not in this command.
fn misplaced(unknown: &str, arm: &str, words: Words<'_>) -> Option<String> {
    if words.of_worker {
        return Some(worker::unknown_placeholder(unknown, words));
    }
    if let Some((search, _)) = words.search
        && search.names().contains(&unknown)
    {
        return Some(format!(
            "the command of the arm `{arm}` has {{{unknown}}}, and its search space has no {unknown}: add it there, or give the arm a command of its own"
        ));
    }
    match words.pool {
        Some(PoolKey::Documents) if unknown == "split" => {
            Some("{split} has no meaning in a study of documents: use {document}, the path to a file with the document, or {document_id}".to_owned())
        }
        Some(PoolKey::Items) if unknown == "split" => {
            Some("{split} has no meaning in a study of items: use {item}, the item's id, or {item_file}, the path to a file with the item".to_owned())
        }
        None if ["document", "document_id", "item", "item_file"].contains(&unknown) => {
            Some(format!(
                "{{{unknown}}} belongs to a study of items or documents, and this is one of splits: use {{split}}, or name the items under [design]"
            ))
        }
        _ => None,
    }
}

/// Common words of scripts for the values that a study provides, each with its name in FIESTA.
const ELSEWHERE: [(&str, &str); 3] = [
    (
        "arm",
        "model name method classifier algorithm candidate config",
    ),
    ("split", "fold cv fold_id split_id fold_index partition"),
    ("seed", "random_state rng random_seed rng_seed manual_seed"),
];

/// Returns the error message for unknown placeholders, with the known ones that may be meant.
fn not_known(unknown: &[&str], words: Words<'_>) -> String {
    let own = words
        .search
        .into_iter()
        .flat_map(|(_, space)| space.parameters());
    let known = Placeholder::of(words.pool).iter();
    let known = known.map(|placeholder| placeholder.name());
    let known: Vec<&str> = known.chain(own.map(|(name, _)| name)).collect();
    let meant = |word: &str| {
        let mut elsewhere = ELSEWHERE.iter();
        let same = elsewhere.find(|(own, others)| is_one(others, word) && known.contains(own));
        same.map(|(own, _)| *own).or_else(|| nearest(word, &known))
    };
    let near = |word: &str| meant(word).map(|near| format!("did you mean {{{near}}}?"));
    let names: Vec<String> = known.iter().map(|known| format!("{{{known}}}")).collect();
    let known = names.join(", ");
    if let &[word] = unknown {
        let near = near(word).map_or_else(String::new, |near| format!(", {near}"));
        return format!(
            "unknown placeholder {{{word}}} in the command{near} (known: {known}; write {{{{{word}}}}} for the braces themselves)"
        );
    }
    let each = unknown.iter().map(|word| {
        let near = near(word).map_or_else(String::new, |near| format!(" ({near})"));
        format!("{{{word}}}{near}")
    });
    let each: Vec<String> = each.collect();
    format!(
        "unknown placeholders in the command: {} (known: {known}; write {{{{{}}}}} for the braces themselves)",
        each.join(", "),
        unknown[0]
    )
}
