//! Outcomes of the runs on an engine, from what their supervisors publish and what the engine reports.

use super::{
    OnEngine,
    run::{Known, Verdict},
    state::{is_no_fault, is_reason, words},
};
use fiesta_runner::{
    executor::{
        ExecutorError, Found, TaskEnd,
        parts::{claim, complaint, find, published},
    },
    run::{End, Ended, RunId},
};
use std::time::{Duration, Instant};

/// Number of starts of a run's task without a supervisor after which the run has failed.
const FALSE_STARTS: u32 = 3;
/// Longest wait for the engine's reason before a run's failure counts without it.
const WORD: Duration = Duration::from_mins(1);

impl OnEngine {
    /// Checks every followed run, and returns the ends of runs that have ended.
    pub(super) fn look(&mut self) -> Result<Vec<Ended>, ExecutorError> {
        let ids: Vec<RunId> = self.runs.keys().cloned().collect();
        let mut ended = Vec::new();
        for id in ids {
            match self.settle(&id) {
                Ok(settled) => ended.extend(settled),
                // What is known already must not be lost with it; the error will come again.
                Err(_) if !ended.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(ended)
    }

    /// Returns the end of a run. `None` if it has not ended.
    fn settle(&mut self, id: &RunId) -> Result<Option<Ended>, ExecutorError> {
        let Some(run) = self.runs.get_mut(id) else {
            return Ok(None);
        };
        if run.task.is_none() && run.state != Known::Unsubmitted {
            return self.settle_elsewhere(id);
        }
        // A directory that is opened is asked for anew, where its content is kept for a while.
        let _ = std::fs::read_dir(run.directory.path());
        if let Some(ended) = published(&run.directory)? {
            return Ok(self.explained(id, ended));
        }
        let verdict = match run.verdict(&self.settings, self.listings) {
            Verdict::Lost(TaskEnd::Unlisted) if !self.forgets => Verdict::Lost(TaskEnd::Forgotten),
            Verdict::FalseStart(TaskEnd::Unlisted) if !self.forgets => {
                Verdict::FalseStart(TaskEnd::Forgotten)
            }
            verdict => verdict,
        };
        self.carry_out(id, verdict)
    }

    fn carry_out(&mut self, id: &RunId, verdict: Verdict) -> Result<Option<Ended>, ExecutorError> {
        let name = self.name;
        let Some(run) = self.runs.get_mut(id) else {
            return Ok(None);
        };
        let ended = match verdict {
            Verdict::GoesOn => return Ok(None),
            Verdict::Again => {
                self.submit_again(id);
                return Ok(None);
            }
            Verdict::Never(end) => {
                // Should the engine start it all the same, it finds the claim taken.
                if !claim(&run.directory)? {
                    return Ok(None);
                }
                Ended::unmeasured(id.clone(), end)
            }
            Verdict::Hopeless(reason) => {
                self.stopping.extend(run.task.clone());
                let reason = format!(
                    "{name} can never start its job ({reason}): ask for what there is, with cpus, memory, time, partition and options under [executor], and gpus_per_job"
                );
                // Should the engine start it all the same, it finds the claim taken.
                if !claim(&run.directory)? {
                    return Ok(None);
                }
                Ended::unmeasured(id.clone(), End::NotStarted { reason })
            }
            Verdict::Requeued => {
                self.stopping.extend(run.task.clone());
                let reason = requeued(name);
                let seconds = run.directory.seconds_of_life();
                preempted(Ended::lost(id.clone(), reason, seconds, Vec::new()))
            }
            Verdict::Lost(end) => {
                let seconds = run.directory.seconds_of_life().max(run.life.seconds());
                let reason = format!("{}{}", words(&end, name), complaint(&run.directory));
                let lost = Ended::lost(id.clone(), reason, seconds, Vec::new());
                match end {
                    _ if run.cancelled => Ended {
                        end: End::Cancelled,
                        ..lost
                    },
                    end if is_no_fault(&end) => preempted(lost),
                    _ => lost,
                }
            }
            Verdict::FalseStart(end) => {
                run.false_starts += 1;
                if run.false_starts < FALSE_STARTS || is_no_fault(&end) {
                    self.submit_again(id);
                    return Ok(None);
                }
                if !claim(&run.directory)? {
                    return Ok(None);
                }
                let task = run.task.clone();
                let log = task.map_or_else(String::new, |task| self.batches.log(&task));
                let reason = format!(
                    "{name} started its job {FALSE_STARTS} times, and fiesta did not begin there ({}): the program must run on the nodes and see the study's directory{log}",
                    words(&end, name)
                );
                Ended::unmeasured(id.clone(), End::NotStarted { reason })
            }
        };
        self.forget(id);
        Ok(Some(ended))
    }

    /// Returns a published end, with the engine's reason for it: a command that ends as it is
    /// preempted has not failed. `None` while the engine's reason is awaited.
    fn explained(&mut self, id: &RunId, ended: Ended) -> Option<Ended> {
        let (listings, name) = (self.listings, self.name);
        let run = self.runs.get_mut(id)?;
        let is_doubtful = match &ended.end {
            End::Exited(code) => *code != 0,
            End::Signaled(_) => true,
            End::Cancelled => !run.cancelled,
            _ => false,
        };
        if is_doubtful && run.task.is_some() && !run.cancelled {
            let (_, since, before) = run
                .doubted
                .get_or_insert_with(|| (ended.clone(), Instant::now(), listings));
            // The listing that was on its way may have been made before.
            let is_heard = listings >= *before + 2;
            if !is_heard && since.elapsed() < WORD {
                return None;
            }
            let is_again = run.waits_again();
            let engine_s = match &run.state {
                // What ended was taken away.
                _ if is_again => Some((TaskEnd::Preempted, requeued(name))),
                Known::Gone { end, .. } if is_reason(end) => Some((end.clone(), words(end, name))),
                _ => None,
            };
            self.stopping.extend(run.task.clone().filter(|_| is_again));
            if let Some((end, reason)) = engine_s {
                self.forget(id);
                let lost = Ended {
                    end: End::Lost { reason },
                    ..ended
                };
                return Some(if is_no_fault(&end) {
                    preempted(lost)
                } else {
                    lost
                });
            }
        }
        self.forget(id);
        Some(ended)
    }

    /// Returns the end of a run that another executor on this machine began. `None` if it has not ended.
    fn settle_elsewhere(&mut self, id: &RunId) -> Result<Option<Ended>, ExecutorError> {
        let run = &self.runs[id];
        let ended = match find(id, &run.directory)? {
            Found::Ended(ended) => ended,
            Found::Absent => Ended::unmeasured(id.clone(), End::Cancelled),
            Found::Elsewhere { host } => {
                let reason = format!("its supervisor on {host} is out of sight");
                Ended::lost(id.clone(), reason, run.life.seconds(), Vec::new())
            }
            Found::Vanished {
                reason,
                seconds,
                survivors,
            } => Ended::lost(id.clone(), reason, seconds, survivors),
            // Alive.
            _ => return Ok(None),
        };
        self.forget(id);
        Ok(Some(ended))
    }

    /// Stops following a run.
    pub(super) fn forget(&mut self, id: &RunId) {
        self.has_moved = true;
        let run = self.runs.remove(id);
        self.over.extend(run.and_then(|run| run.task));
    }
}

/// Returns a message about a run whose task the engine has queued again.
fn requeued(engine: &str) -> String {
    format!("{engine} took its place away and queues it again")
}

/// Returns the end of a lost run as a preemption, which is no fault of the arm. Other ends stay unchanged.
fn preempted(lost: Ended) -> Ended {
    let End::Lost { reason } = lost.end else {
        return lost;
    };
    Ended {
        end: End::Preempted { reason },
        ..lost
    }
}
