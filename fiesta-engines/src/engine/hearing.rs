//! Updates of the runs' states by the answers of an engine.

use super::{
    OnEngine, SubmissionError,
    desk::News,
    run::{Known, Run},
};
use fiesta_runner::{
    executor::{Task, TaskState},
    run::{End, Ended, RunId},
};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// Time that a job waits before the user is told why.
const LONG: Duration = Duration::from_secs(30);
/// Largest number of ended runs whose tasks are still watched.
const MOST_OVER: usize = 5000;

impl OnEngine {
    pub(super) fn take_in(&mut self, news: News) -> Vec<Ended> {
        match news {
            News::Submitted { batch, result } => {
                self.unanswered.remove(&batch);
                return self.answered(&batch, result);
            }
            News::Listed(Ok(listing)) => {
                if std::mem::take(&mut self.is_silent) {
                    self.notices.push(format!("{} answers again", self.name));
                }
                self.listing = None;
                self.listings += 1;
                self.has_moved = true;
                self.note(&listing);
            }
            News::Listed(Err(words)) => {
                self.listing = None;
                self.complain(&format!("does not answer: {words}"));
            }
            News::Cancelled { tasks, result } => {
                if let Err(words) = result {
                    // Until it is heard.
                    self.stopping.extend(tasks);
                    self.complain(&format!("does not stop jobs: {words}"));
                }
            }
        }
        Vec::new()
    }

    /// Handles the engine's answer to the submission of a batch, and returns the runs that ended by it.
    fn answered(&mut self, batch: &str, result: Result<(), SubmissionError>) -> Vec<Ended> {
        match result {
            Ok(()) => Vec::new(),
            Err(SubmissionError::Unclear(words)) => {
                self.complain(&format!(
                    "did not say whether it took a batch of jobs: {words}"
                ));
                Vec::new()
            }
            Err(SubmissionError::Busy(words)) => {
                self.complain(&format!("takes no further jobs now: {words}"));
                self.held_until = Some(Instant::now() + self.settings.interval);
                for (id, run) in &mut self.runs {
                    if run.task.as_ref().is_some_and(|task| task.batch == batch) {
                        run.task = None;
                        run.state = Known::Unsubmitted;
                        self.waiting.push(id.clone());
                    }
                }
                Vec::new()
            }
            Err(SubmissionError::Refused(words)) => {
                let is_of = |run: &Run| run.task.as_ref().is_some_and(|task| task.batch == batch);
                let refused = self.runs.iter().filter(|(_, run)| is_of(run));
                let refused: Vec<RunId> = refused.map(|(id, _)| id.clone()).collect();
                let reason = format!("{} refuses the job: {words}", self.name);
                let ended = refused.into_iter().map(|id| {
                    self.runs.remove(&id);
                    let reason = reason.clone();
                    Ended::unmeasured(id, End::NotStarted { reason })
                });
                ended.collect()
            }
        }
    }

    /// Records the states of tasks from a listing of the engine.
    fn note(&mut self, listing: &BTreeMap<Task, TaskState>) {
        let again = |task: &&Task| {
            matches!(
                listing.get(task),
                Some(TaskState::Queued { .. } | TaskState::Held { .. })
            )
        };
        self.stopping
            .extend(self.over.iter().filter(again).cloned());
        let is_ended = |task: &&Task| matches!(listing.get(task), Some(TaskState::Ended(_)));
        let ended: Vec<Task> = self.over.iter().filter(is_ended).cloned().collect();
        if !ended.is_empty() {
            self.desk.discard(ended);
        }
        // An engine that lost its memory may start anew what it had called ended; the latest are
        // kept in sight.
        while self.over.len() > MOST_OVER {
            self.over.pop_first();
        }
        let now = Instant::now();
        for run in self.runs.values_mut() {
            let Some(task) = run.task.clone() else {
                continue;
            };
            run.hear(listing.get(&task), now);
        }
        self.tell_who_waits();
    }

    fn complain(&mut self, words: &str) {
        if !std::mem::replace(&mut self.is_silent, true) {
            self.notices.push(format!(
                "{} {words}; it is asked again, and what runs goes on",
                self.name
            ));
        }
    }

    /// Tells the user why jobs have been waiting for long, each reason once.
    fn tell_who_waits(&mut self) {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for (reason, since) in self.runs.values().filter_map(|run| run.waits.as_ref()) {
            if since.elapsed() >= LONG && !self.told.contains(reason) {
                *reasons.entry(reason).or_default() += 1;
            }
        }
        let name = self.name;
        let said = reasons.iter().map(|(reason, count)| {
            let (s, verb) = if *count == 1 {
                ("", "waits")
            } else {
                ("s", "wait")
            };
            format!("{count} job{s} {verb} in {name}: {reason}")
        });
        let said: Vec<String> = said.collect();
        let told: Vec<String> = reasons.into_keys().map(ToOwned::to_owned).collect();
        self.notices.extend(said);
        self.told.extend(told);
    }
}
