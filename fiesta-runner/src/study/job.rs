//! How each arm is evaluated: its command, its variables, its GPUs and its cost.

use super::{
    Search, StudyError,
    command::{Command, Words, placeholders},
    environment::{Environment, environment, no_zero},
    error::{Source, nearest},
    file::{ArmTable, StudyFile},
    worker,
};
use crate::gpu::GpusPerJob;
use fiesta_core::ArmId;

/// How an arm is evaluated.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) command: Command,
    pub(super) environment: Environment,
    pub(super) gpus: Option<GpusPerJob>,
    pub(super) cost: Option<f64>,
    /// Whether the command is that of the whole study, and not of this arm's own table.
    pub(super) is_shared: bool,
    /// Whether the command is of this arm alone, if it is that of a worker.
    pub(super) is_of_arm: bool,
}

pub(super) fn jobs(
    source: &Source<'_>,
    file: &StudyFile,
    search: Option<&Search>,
) -> Result<Vec<Job>, StudyError> {
    let numbered = ArmId::all(file.arm.len()).zip(&file.arm);
    numbered
        .map(|(id, arm)| {
            let words = Words {
                of_documents: file.design.documents.is_some(),
                of_worker: file.worker.is_some(),
                search: search.map(|search| (search, search.space(id))),
            };
            job(source, file, arm, words)
        })
        .collect()
}

fn job(
    source: &Source<'_>,
    file: &StudyFile,
    arm: &ArmTable,
    words: Words<'_>,
) -> Result<Job, StudyError> {
    let name = arm.name.get_ref();
    let Some(command) = worker::command_of(file, arm) else {
        let message = format!(
            "the arm `{name}` has no command: give one in its table, or one for all arms at the top"
        );
        return Err(source.wrong(Some(arm.name.span()), message));
    };
    if command.get_ref().first().is_none_or(String::is_empty) {
        let message = "the command is empty: its first element is the program";
        return Err(source.wrong(Some(command.span()), message));
    }
    for (text, span) in [(name, arm.name.span())]
        .into_iter()
        .chain(command.get_ref().iter().map(|word| (word, command.span())))
    {
        no_zero(text).map_err(|message| source.wrong(Some(span), message))?;
    }
    let of_worker = file.worker.as_ref().map(|table| &table.get_ref().env);
    let environment = environment(source, of_worker.into_iter().chain([&arm.env]))?;
    let gpus = arm
        .gpus_per_job
        .as_ref()
        .or(file.resources.gpus_per_job.as_ref());
    let gpus = gpus
        .map(|gpus| {
            GpusPerJob::new(*gpus.get_ref()).map_err(|error| source.wrong(Some(gpus.span()), error))
        })
        .transpose()?;
    if let Some(cost) = &arm.cost
        && !(cost.get_ref().is_finite() && *cost.get_ref() >= 0.0)
    {
        return Err(source.wrong(
            Some(cost.span()),
            "the cost must be a number from zero upwards",
        ));
    }
    let span = command.span();
    let command = Command::parse(command.get_ref(), words)
        .map_err(|unknown| source.wrong(Some(span), unknown_placeholder(&unknown, name, words)))?;
    let cost = arm.cost.as_ref().map(|cost| *cost.get_ref());
    let of_answer = file
        .worker
        .as_ref()
        .and_then(|table| table.get_ref().cost.as_ref());
    Ok(Job {
        is_shared: arm.command.is_none(),
        is_of_arm: worker::is_of_arm(arm, &command),
        command,
        environment,
        gpus,
        cost: cost.or(of_answer.map(|cost| *cost.get_ref())),
    })
}

fn unknown_placeholder(unknown: &str, arm: &str, words: Words<'_>) -> String {
    let of_documents = words.of_documents;
    if words.of_worker {
        return worker::unknown_placeholder(unknown, words);
    }
    if let Some((search, _)) = words.search
        && search.names().contains(&unknown)
    {
        return format!(
            "the command of the arm `{arm}` has {{{unknown}}}, and its search space has no {unknown}: add it there, or give the arm a command of its own"
        );
    }
    if of_documents && unknown == "split" {
        return "{split} has no meaning in a study of documents: use {document}, the path to a file with the document, or {document_id}".to_owned();
    }
    if !of_documents && ["document", "document_id"].contains(&unknown) {
        return format!(
            "{{{unknown}}} belongs to a study of documents, and this is one of splits: use {{split}}, or name the documents under [design]"
        );
    }
    let own = words
        .search
        .into_iter()
        .flat_map(|(_, space)| space.parameters());
    let known = placeholders(of_documents).iter().copied();
    let known: Vec<&str> = known.chain(own.map(|(name, _)| name)).collect();
    let near = nearest(unknown, &known)
        .map_or_else(String::new, |near| format!(", did you mean {{{near}}}?"));
    let known: Vec<String> = known.iter().map(|known| format!("{{{known}}}")).collect();
    format!(
        "unknown placeholder {{{unknown}}} in the command{near} (known: {}; write {{{{{unknown}}}}} for the braces themselves)",
        known.join(", ")
    )
}
