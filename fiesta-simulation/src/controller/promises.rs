//! Checks of an ended study's ledger against the jobs of the simulated world.

use super::{plan::Plan, world::World};
use fiesta_core::{ArmId, EvaluationId, Observation, Outcome};
use fiesta_runner::{History, Ledger, Study, history::Check, ledger::Entry, run::RunId};
use std::collections::{BTreeMap, BTreeSet};

/// Looks whether the ledger of an ended study is what its jobs came to. Returns the number of evaluations.
pub(super) fn check(study: &Study, plan: &Plan, world: &mut World) -> usize {
    let left = world.left();
    if !left.is_empty() {
        world.break_promise(format!(
            "after the study these still run: {}",
            left.join(", ")
        ));
    }
    match Ledger::read(&study.state_directory()) {
        Ok(entries) => entries_of(study, plan, world, &entries),
        Err(error) => {
            world.break_promise(format!("the ledger cannot be read: {error}"));
            0
        }
    }
}

fn entries_of(study: &Study, plan: &Plan, world: &mut World, entries: &[Entry]) -> usize {
    match History::replay(study, entries.iter().cloned(), Check::Decisions) {
        Ok(history) => {
            for difference in &history.differences {
                world.break_promise(format!("the replay decides otherwise: {difference}"));
            }
            if history.pending().next().is_some() {
                world.break_promise("an evaluation has no end".to_owned());
            }
        }
        Err(error) => world.break_promise(format!("the ledger cannot be replayed: {error}")),
    }
    let mut ends: BTreeMap<EvaluationId, RunId> = BTreeMap::new();
    let mut arms: BTreeMap<EvaluationId, ArmId> = BTreeMap::new();
    // Evaluations that the budget counts: neither withdrawn nor set aside.
    let mut counted: BTreeSet<EvaluationId> = BTreeSet::new();
    for entry in entries {
        match entry {
            Entry::Decided { evaluation, .. } => {
                arms.insert(evaluation.id, evaluation.arm);
            }
            Entry::SetAside { arms: aside } => {
                counted.retain(|id| aside.iter().all(|aside| arms.get(id) != Some(&aside.arm)));
            }
            Entry::Ended {
                evaluation,
                attempt,
                outcome,
                ..
            } => {
                let Ok(run) = RunId::new(study.name(), evaluation.0, *attempt) else {
                    continue;
                };
                if let Some(before) = ends.insert(*evaluation, run.clone()) {
                    world.break_promise(format!("{before} and {run} both count"));
                }
                if *outcome != Outcome::Withdrawn {
                    counted.insert(*evaluation);
                }
                if let Outcome::Observed(Observation::Score(score)) = outcome
                    && world.score(&run) != Some(*score)
                {
                    let own = world.score(&run);
                    world
                        .break_promise(format!("{run} counts with {score}, and published {own:?}"));
                }
            }
            _ => {}
        }
        world.tell(|| serde_json::to_string(entry).unwrap_or_default());
    }
    let (most, counted) = (plan.most_evaluations(), counted.len());
    if counted > most {
        world.break_promise(format!("{counted} evaluations, of a budget of {most}"));
    }
    arms.len()
}
