//! Submissions to an engine: batches of runs to start, tasks to stop.

use super::{OnEngine, batch::alike, run::Known};
use fiesta_runner::{executor::ExecutorError, run::RunId};
use std::{collections::BTreeSet, path::Path, time::Instant};

impl OnEngine {
    /// Submits waiting runs, in batches of equal needs, and tells the engine which tasks to stop.
    pub(super) fn flush(&mut self) -> Result<(), ExecutorError> {
        if self.held_until.is_some_and(|until| Instant::now() < until) {
            return Ok(());
        }
        self.held_until = None;
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let waiting = waiting.filter_map(|id| Some((self.runs.get(&id)?.needs.clone(), id)));
        let alike = alike(waiting, self.most_tasks);
        for (needs, runs) in alike {
            let directories = runs.iter().map(|id| self.runs[id].directory.path());
            let batch = self.batches.begin(needs, directories.map(Path::to_owned))?;
            for (id, number) in runs.iter().zip(1..) {
                if let Some(run) = self.runs.get_mut(id) {
                    run.task = Some(batch.task(number));
                    run.state = Known::Submitted {
                        missed: 0,
                        since: Instant::now(),
                    };
                }
            }
            self.unanswered.insert(batch.name.clone());
            self.desk.submit(batch);
        }
        self.stop_now();
        Ok(())
    }

    /// Submits a run again, in another batch. Its earlier task is withdrawn, in case it exists.
    pub(super) fn submit_again(&mut self, id: &RunId) {
        if let Some(run) = self.runs.get_mut(id) {
            self.stopping.extend(run.task.take());
            run.state = Known::Unsubmitted;
            self.waiting.push(id.clone());
        }
    }

    /// Returns the names of the batches whose tasks are watched.
    pub(super) fn names(&self) -> BTreeSet<String> {
        let tasks = self.runs.values().filter_map(|run| run.task.as_ref());
        let tasks = tasks.chain(&self.over);
        tasks.map(|task| task.batch.clone()).collect()
    }

    /// Tells the engine without delay which tasks to stop.
    pub(super) fn stop_now(&mut self) {
        if !self.stopping.is_empty() {
            let tasks = std::mem::take(&mut self.stopping);
            self.desk.cancel(tasks.into_iter().collect());
        }
    }
}
