//! The last output of evaluations that are running or ended last.

use super::{Follower, Running, Slot};
use crate::{
    ledger::Ledger,
    ordinary::end_of_file,
    run::{RunFiles, RunId, result::end_of},
    study::Study,
};
use fiesta_core::{EvaluationId, Outcome};
use fiesta_report::amount;
use std::{collections::BTreeMap, path::Path};

/// Number of bytes that are read from a stream's end, and of lines that are shown of them.
const BYTES: u64 = 16 << 10;
const LINES: usize = 20;
/// Largest number of characters shown of a line.
const LONGEST: usize = 500;
/// Largest number of running evaluations that are shown.
const MOST: usize = 8;

/// The last output of one evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEnd {
    /// The number of the evaluation, from 1.
    pub evaluation: u64,
    /// The arm of the evaluation.
    pub arm: String,
    /// The case and the seed of the evaluation, in words.
    pub description: String,
    /// The score, or the state of the evaluation (running, failed, withdrawn), in words.
    pub standing: String,
    /// Duration of the evaluation, in seconds as shown; empty if it is not known.
    pub seconds: String,
    /// The streams that printed something, and the last lines of each.
    pub streams: Vec<(&'static str, String)>,
}

/// Cache of the last output of evaluations: output of ended ones is read once.
#[derive(Debug, Default)]
pub struct LogEnds {
    ended: BTreeMap<EvaluationId, LogEnd>,
}

impl LogEnds {
    /// Reads the last output of running evaluations, the longest first, and of those that ended
    /// last.
    pub fn read(&mut self, follower: &Follower, slots: &[Slot]) -> Vec<LogEnd> {
        let (Some(study), Some(history)) = (follower.study(), follower.history()) else {
            return Vec::new();
        };
        let mut running: Vec<&Running> = slots.iter().flat_map(|slot| &slot.runs).collect();
        running.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        running.dedup_by(|a, b| a.run == b.run);
        let of_running = running.into_iter().take(MOST).map(|run| LogEnd {
            evaluation: run.evaluation,
            arm: run.arm.clone(),
            description: run.description.clone(),
            standing: "running".to_owned(),
            seconds: super::duration(run.seconds),
            streams: streams(study, &run.run),
        });
        let mut logs: Vec<LogEnd> = of_running.collect();
        let mut kept = BTreeMap::new();
        for id in follower.latest() {
            let Some(record) = history.records.get(&id).filter(|r| r.origin.is_none()) else {
                continue;
            };
            let Some(ending) = &record.ending else {
                continue;
            };
            let log = self.ended.remove(&id).unwrap_or_else(|| LogEnd {
                evaluation: id.0 + 1,
                arm: study.arms().name(record.evaluation.arm).to_owned(),
                description: study.describe(&record.evaluation),
                standing: match &ending.outcome {
                    Outcome::Observed(observed) => study
                        .score_of(observed)
                        .map_or_else(|| "undefined".to_owned(), |score| format!("{score:.4}")),
                    Outcome::Failed => "failed".to_owned(),
                    Outcome::Withdrawn => "withdrawn".to_owned(),
                },
                seconds: format!("{} s", amount(ending.seconds)),
                streams: streams(study, &study.run_id(&record.evaluation, record.attempt)),
            });
            logs.push(log.clone());
            kept.insert(id, log);
        }
        self.ended = kept;
        logs
    }
}

/// Returns the last lines of each stream of a run, from its directory or from the ledger.
fn streams(study: &Study, run: &RunId) -> Vec<(&'static str, String)> {
    let directory = study.run_directory(run);
    let mut packed: Option<Option<RunFiles>> = None;
    let mut printed = |name: &'static str| {
        // While it runs, the end of a long one is in another file.
        let end = |name: &str| {
            let (bytes, _) = end_of_file(&directory.join(name), BYTES).ok()??;
            Some(bytes)
        };
        let tail = end(&format!("{name}.tail"));
        let bytes = tail
            .filter(|tail| !tail.is_empty())
            .or_else(|| end(name))
            .or_else(|| {
                let files = packed.get_or_insert_with(|| packed_files(study, run, &directory));
                Some(files.as_ref()?.get(name)?.to_vec())
            })?;
        let text = end_of(&bytes, LINES, LONGEST);
        (!text.is_empty()).then_some((name, text))
    };
    ["stdout", "stderr"]
        .into_iter()
        .filter_map(&mut printed)
        .collect()
}

fn packed_files(study: &Study, run: &RunId, directory: &Path) -> Option<RunFiles> {
    if directory.exists() {
        return None;
    }
    Ledger::packed(&study.state_directory(), run.as_str()).ok()?
}
