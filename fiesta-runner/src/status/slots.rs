//! The slots of a study: which runs go on, and on which GPUs, as another process can see them.
//!
//! Which evaluations are pending, the ledger says; which of them run, since when and on which GPUs,
//! the runs' own directories. How the GPUs are, only the controller knows: it writes that down in a
//! small file beside the ledger, whenever it changes.

use super::{SLOTS, STATES};
use crate::{
    executor::{RunState, TaskState, gpus_of_hosts},
    gpu::VISIBLE_DEVICES,
    history::{History, Record},
    ledger::Ledger,
    process::Identity,
    run::seconds::now,
    run::{RunDirectory, RunId},
    study::Study,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A place where runs are carried out: a GPU, or the room of a run that has none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Slot {
    /// The GPU as jobs are told of it, if the slot is one: an index, a UUID or a MIG UUID.
    pub gpu: Option<String>,
    /// The GPU's number in the order of the PCI bus, if its driver was asked.
    pub index: Option<u32>,
    /// What the GPU is called, if its driver was asked.
    pub name: Option<String>,
    /// Whether the slot is free, busy or not used.
    pub state: SlotState,
    /// Why the slot is not used, if it is not.
    pub reason: Option<String>,
    /// The runs that the slot carries out.
    pub runs: Vec<Running>,
}

/// State of a slot: free, busy, or not used for a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SlotState {
    /// Nothing runs in the slot.
    Free,
    /// A run goes on in the slot.
    Busy,
    /// A run ended, and its memory is not free yet.
    Waiting,
    /// Memory that an ended run left behind does not become free, or the GPU does not answer.
    Quarantined,
    /// Somebody else uses the GPU.
    Foreign,
    /// The run has no place yet: it waits in the queue of its engine.
    Queued,
}

/// A run that goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Running {
    /// The name of the run.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub run: RunId,
    /// The number of the run's evaluation, from 1.
    pub evaluation: u64,
    /// The arm of the run.
    pub arm: String,
    /// Number of the split that the run is evaluated on, or of its document in a study of
    /// documents.
    pub split: u64,
    /// The seed of the run.
    pub seed: u64,
    /// The document of the run, in a study of documents.
    pub document: Option<String>,
    /// Seconds that the run has gone on, or waited.
    pub seconds: f64,
    /// The machine that the run is on, where an engine says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// What the evaluation of the run is made on, and with, in words.
    #[serde(skip)]
    pub description: String,
    #[serde(skip)]
    gpus: Vec<String>,
}

/// Returns the slots of a study: first its GPUs in their order, then the runs without a GPU. A run
/// on several GPUs is in each of their slots. An idle worker keeps its GPUs. If nobody runs the
/// study, only runs that go on nevertheless are returned.
pub fn slots(study: &Study, history: &History) -> Vec<Slot> {
    let state = study.state_directory();
    let holder = Ledger::holder(&state);
    let told = STATES.read(&state, holder.as_ref()).unwrap_or_default();
    let told = told.into_iter().map(|told| (told.run.clone(), told));
    let told: BTreeMap<RunId, RunState> = told.collect();
    let mut slots = SLOTS.read(&state, holder.as_ref()).unwrap_or_default();
    let mut others = Vec::new();
    let hosts = gpus_of_hosts(&study.workers_directory());
    for id in hosts.iter().flat_map(|(_, gpus)| gpus) {
        of_gpu(&mut slots, id).occupy();
    }
    for record in history.pending() {
        let id = study.run_id(&record.evaluation, record.attempt);
        if let Some((told, reason)) = told.get(&id).and_then(|told| Some((told, queued(told)?))) {
            let run = described(study, record, id, told.since);
            others.push(Slot {
                state: SlotState::Queued,
                reason,
                runs: vec![run],
                ..Slot::free(None)
            });
            continue;
        }
        let Some(run) = running(study, record, id.clone(), told.get(&id), &hosts) else {
            continue;
        };
        for id in &run.gpus {
            of_gpu(&mut slots, id).take(run.clone());
        }
        if run.gpus.is_empty() {
            let mut slot = Slot::free(None);
            slot.take(run);
            others.push(slot);
        }
    }
    slots.extend(others);
    slots
}

/// Finds the slot of a GPU, and adds one if the controller reported none.
fn of_gpu<'s>(slots: &'s mut Vec<Slot>, id: &str) -> &'s mut Slot {
    let place = slots
        .iter()
        .position(|slot| slot.gpu.as_deref() == Some(id));
    let place = place.unwrap_or(slots.len());
    if place == slots.len() {
        slots.push(Slot::free(Some(id.to_owned())));
    }
    &mut slots[place]
}

impl Slot {
    /// Makes a slot without a run: that of a GPU, or one for a run without a GPU.
    pub(crate) fn free(gpu: Option<String>) -> Self {
        Self {
            gpu,
            index: None,
            name: None,
            state: SlotState::Free,
            reason: None,
            runs: Vec::new(),
        }
    }

    fn take(&mut self, run: Running) {
        self.runs.push(run);
        self.occupy();
    }

    fn occupy(&mut self) {
        if self.state == SlotState::Free {
            self.state = SlotState::Busy;
        }
    }
}

/// Returns the reason why a run waits for its engine. The outer `None` means that it does not wait,
/// the inner one that the engine gives no reason.
#[expect(clippy::option_option, reason = "whether it waits, and why")]
fn queued(told: &RunState) -> Option<Option<String>> {
    match &told.state {
        None => Some(None),
        Some(TaskState::Queued { reason, .. } | TaskState::Held { reason }) => {
            Some(Some(reason.clone()))
        }
        Some(TaskState::Running { .. } | TaskState::Ended(_)) => None,
    }
}

/// Returns the run of a pending evaluation. `None` if the run does not go on.
fn running(
    study: &Study,
    record: &Record,
    id: RunId,
    told: Option<&RunState>,
    hosts: &[(Identity, Vec<String>)],
) -> Option<Running> {
    let directory = RunDirectory::new(study.run_directory(&id));
    let meta = directory.read_meta().ok()??;
    let node = told.and_then(|told| match &told.state {
        Some(TaskState::Running { node }) => Some(node.clone()),
        _ => None,
    });
    let goes_on =
        node.is_some() || meta.supervisor.is_alive() || directory.is_claim_held() == Some(true);
    if !goes_on || directory.end().exists() {
        return None;
    }
    let mut hosts = hosts.iter().filter(|(_, gpus)| !gpus.is_empty());
    let of_worker = hosts.find(|(host, _)| *host == meta.supervisor);
    let gpus = match of_worker {
        Some((_, gpus)) => gpus.clone(),
        None => gpus_of_job(&directory)?,
    };
    Some(Running {
        node,
        gpus,
        ..described(study, record, id, meta.started_at)
    })
}

/// Describes the run of a pending evaluation, which runs or waits since `since`.
fn described(study: &Study, record: &Record, run: RunId, since: f64) -> Running {
    let evaluation = &record.evaluation;
    Running {
        run,
        evaluation: evaluation.id.0 + 1,
        arm: study.arms().name(evaluation.arm).to_owned(),
        split: study.split(&evaluation.case),
        seed: evaluation.case.seed,
        document: study.item(&evaluation.case).map(ToOwned::to_owned),
        description: study.describe(evaluation),
        seconds: (now() - since).max(0.0),
        node: None,
        gpus: Vec::new(),
    }
}

/// Returns the GPUs that a job was given in its environment.
fn gpus_of_job(directory: &RunDirectory) -> Option<Vec<String>> {
    let spec = directory.read_spec().ok()?;
    let devices = spec.variable(VISIBLE_DEVICES);
    Some(devices.map_or_else(Vec::new, |ids| {
        let ids = ids.split(',').filter(|id| !id.is_empty());
        ids.map(ToOwned::to_owned).collect()
    }))
}
