//! Table `[executor]` of a study file: who carries out the jobs.

use super::{
    Study, StudyError,
    environment::of_caller,
    error::{Source, nearest},
    file::StudyFile,
    functions,
};
use crate::{
    executor::{Engine, EngineKeys, EngineKind},
    gpu::GpusPerJob,
};
use std::ops::Range;
use toml::{
    Deserializer, Spanned,
    de::{DeTable, DeValue},
};

/// Executor that carries out a study's jobs.
#[derive(Debug)]
pub(crate) enum ExecutorKind {
    /// This machine carries out the jobs.
    Local,
    /// The program that runs the study carries out the jobs, and calls functions.
    Functions,
    /// An engine of a kind that the program added carries out the jobs, with its keys.
    Engine(EngineKind, Box<dyn EngineKeys>),
}

const LOCAL: &str = "local";
/// Keys of `[executor]` that concern the GPUs of this machine.
const OF_THIS_MACHINE: [&str; 2] = ["gpus", "watch_gpus"];

/// The keys of `[executor]` that belong to kinds of executors added by the program.
#[derive(Debug, Default)]
pub(super) struct Added<'t> {
    /// The kind that the table names, with its keys and its place in the file. `None` if that kind
    /// is not an added one.
    own: Option<(EngineKind, DeTable<'t>, Range<usize>)>,
    /// Keys in the table that belong to other added kinds.
    others: Vec<&'static str>,
}

impl<'t> Added<'t> {
    /// Removes the keys of added kinds of executors from a study's tables. If the study has such a
    /// kind, unknown keys are removed as well, and its own reader reports them.
    pub(super) fn taken_out_of(table: &mut DeTable<'t>, kinds: &[EngineKind]) -> Self {
        let mut added = Self::default();
        let Some(executor) = table.get_mut("executor") else {
            return added;
        };
        let span = executor.span();
        let DeValue::Table(executor) = executor.get_mut() else {
            return added;
        };
        let named = match executor.get("kind").map(Spanned::get_ref) {
            Some(DeValue::String(named)) => named.to_string(),
            _ => LOCAL.to_owned(),
        };
        let kind = kinds.iter().find(|kind| kind.kind == named);
        let mut own = DeTable::new();
        let names = executor.keys().map(|name| name.get_ref().to_string());
        let of_house = |name: &str| name == "kind" || OF_THIS_MACHINE.contains(&name);
        let names: Vec<String> = names.filter(|name| !of_house(name)).collect();
        for name in &names {
            let is_own = kind.is_some_and(|kind| kind.keys.contains(&name.as_str()));
            let mut keys = kinds.iter().flat_map(|kind| kind.keys);
            match keys.find(|key| *key == name) {
                Some(key) if !is_own => {
                    executor.remove(name.as_str());
                    added.others.push(key);
                }
                None if kind.is_none() => {}
                _ => own.extend(executor.remove_entry(name.as_str())),
            }
        }
        added.own = kind.map(|&kind| (kind, own, span));
        added
    }

    /// Parses the keys of the kind that the table names.
    pub(super) fn read(self) -> Result<ReadKeys, toml::de::Error> {
        let read = |(kind, keys, span): (EngineKind, _, _)| {
            let engine = (kind.read)(Deserializer::from(Spanned::new(span, keys)))?;
            Ok((kind, engine))
        };
        Ok(ReadKeys {
            engine: self.own.map(read).transpose()?,
            others: self.others,
        })
    }
}

/// The parsed keys of `[executor]` for the added kind that the study names.
#[derive(Debug)]
pub(super) struct ReadKeys {
    pub(super) engine: Option<(EngineKind, Engine)>,
    others: Vec<&'static str>,
}

/// Returns the executor that a study file names, after checks. It may be one of `kinds`.
pub(super) fn executor(
    source: &Source<'_>,
    file: &StudyFile,
    kinds: &[EngineKind],
    keys: ReadKeys,
) -> Result<ExecutorKind, StudyError> {
    let table = &file.executor;
    let kind = table.kind.as_deref().unwrap_or(LOCAL);
    let wrong = |key: &str, message: String| Err(source.wrong(&["executor", key], message));
    let added = kinds.iter().map(|kind| kind.kind);
    let known = [LOCAL].into_iter().chain(added).chain([functions::KIND]);
    let known: Vec<&str> = known.collect();
    if !known.contains(&kind) {
        let hint = nearest(kind, &known)
            .map_or_else(String::new, |near| format!(", did you mean {near}?"));
        return wrong(
            "kind",
            format!(
                "there is no executor `{kind}`{hint} (known: {}; machines without a scheduler run Ray: docs/ray.md)",
                known.join(", ")
            ),
        );
    }
    let of_this_machine = OF_THIS_MACHINE.iter().find(|key| table.has(key));
    if let Some(key) = of_this_machine.filter(|_| kind != LOCAL) {
        return wrong(key, about_this_machine(key, kind));
    }
    if let Some(key) = in_order(kinds, &keys.others) {
        return wrong(key, of_another_kind(key, kind, kinds));
    }
    let Some((engine, (keys, _))) = keys.engine else {
        return Ok(match kind {
            functions::KIND => ExecutorKind::Functions,
            _ => ExecutorKind::Local,
        });
    };
    if file.worker.is_some() {
        return wrong(
            "kind",
            format!(
                "workers run on this machine: give the study a command for each case instead of a [worker], or leave {kind} out"
            ),
        );
    }
    if let Err(fault) = keys.check() {
        let key = ["executor"].into_iter();
        let key: Vec<&str> = key.chain(fault.key.iter().map(String::as_str)).collect();
        return Err(source.wrong(&key, fault.message));
    }
    for arm in &file.arm {
        if let Some((name, from)) = of_caller(&arm.env).first()
            && let Some(message) = keys.refused_variable(name, from)
        {
            return Err(source.wrong(&["arm", &arm.place, "env", name], message));
        }
    }
    Ok(ExecutorKind::Engine(engine, keys))
}

/// Returns the first of some keys, in the order in which the kinds list them.
fn in_order<'a>(kinds: &'a [EngineKind], keys: &[&str]) -> Option<&'a str> {
    let mut known = kinds.iter().flat_map(|kind| kind.keys);
    known.find(|key| keys.contains(key)).copied()
}

/// Returns the message for a key about this machine in a study whose jobs do not run here.
fn about_this_machine(key: &str, kind: &str) -> String {
    match kind {
        functions::KIND => about_processes(key),
        _ => format!(
            "`{key}` is about this machine, and {kind} carries out the jobs: leave it out; gpus_per_job is what each asks for"
        ),
    }
}

fn about_processes(key: &str) -> String {
    format!(
        "`{key}` is about processes, and the arms of this study are functions of the program that runs it: leave it out"
    )
}

/// Returns the error message for a key of another kind of executor than the study's.
fn of_another_kind(key: &str, kind: &str, kinds: &[EngineKind]) -> String {
    let knowing = kinds.iter().filter(|kind| kind.keys.contains(&key));
    let knowing: Vec<&str> = knowing.map(|kind| kind.kind).collect();
    match kinds.iter().find(|one| one.kind == kind) {
        Some(own) => format!(
            "`{key}` says nothing to {kind}: leave it out (it is for {}; {kind} knows {})",
            knowing.join(", "),
            own.keys.join(", ")
        ),
        None if kind == functions::KIND => about_processes(key),
        None => format!(
            "`{key}` is for an engine, and these jobs run on this machine: leave it out, or name the engine, such as kind = \"{}\"",
            knowing[0]
        ),
    }
}

/// Checks that an engine can give each job its GPUs.
pub(super) fn check_gpus<'a>(
    source: &Source<'_>,
    kind: &ExecutorKind,
    mut gpus: impl Iterator<Item = (&'a str, Option<GpusPerJob>)>,
) -> Result<(), StudyError> {
    let is_share = |gpus: &Option<GpusPerJob>| matches!(gpus, Some(GpusPerJob::Share { .. }));
    match gpus.find(|(_, gpus)| is_share(gpus)) {
        Some((arm, _)) if !matches!(kind, ExecutorKind::Local) => {
            let message = format!(
                "the jobs of `{arm}` share a GPU, and an engine gives whole ones: write gpus_per_job = 1, or more"
            );
            Err(source.wrong(&["executor", "kind"], message))
        }
        _ => Ok(()),
    }
}

impl Study {
    pub(crate) fn executor(&self) -> &ExecutorKind {
        &self.executor
    }
}
