//! The ends of runs that were sent to workers, and of the hosts that had them.

use super::host::{Kind, sweep};
use super::{Held, Sent, Whose, WorkerPool, evaluation};
use crate::executor::find::{published, revoke};
use crate::process::Identity;
use crate::supervisor::worker::Cause;
use crate::{
    executor::{Executor, ExecutorError, Found, Handle},
    run::{End, Ended, RunId},
};
use std::collections::VecDeque;

/// Largest number of times that hosts may give back a run unmade. After that the run is lost.
const MOST_RETURNS: u32 = 100;

impl WorkerPool {
    /// Reads the news of a host that this controller started, and handles the ends of its runs.
    pub(super) fn hear(&mut self, number: u64) -> Result<(), ExecutorError> {
        let Some(host) = self.hosts.get_mut(&number) else {
            return Ok(());
        };
        let news = host.news();
        self.short &= !host.ready;
        if news.unexpected {
            self.notices.extend(host.unexpected(false));
        }
        if host.ready && self.settings.start_timeout.is_some() {
            self.health.entry(host.kind.clone()).or_default().prove();
        }
        let runs = news.of.iter();
        let runs = runs.filter_map(|path| path.file_name()?.to_str()?.parse::<RunId>().ok());
        self.heard.extend(runs);
        self.settle_heard()?;
        if news.gone {
            self.bury(number)?;
        }
        Ok(())
    }

    /// Handles the ends of the runs of which hosts have told. What cannot be read stays for the next
    /// time.
    pub(super) fn settle_heard(&mut self) -> Result<(), ExecutorError> {
        while let Some(id) = self.heard.front().cloned() {
            self.settle(&id)?;
            self.heard.pop_front();
        }
        Ok(())
    }

    /// Handles the end of a host that this controller started, and of its runs.
    fn bury(&mut self, number: u64) -> Result<(), ExecutorError> {
        let Some(host) = self.hosts.get_mut(&number) else {
            return Ok(());
        };
        host.reap();
        self.notices.extend(host.unexpected(true));
        let end = host.directory.read_end();
        let survivors = match &end {
            Some(end) => end.survivors.clone(),
            None => sweep(&host.directory)
                .map_err(ExecutorError::system("stop what a killed host left"))?,
        };
        let of_host = |run: &Sent| matches!(run.whose, Whose::Own(own) if own == number);
        let runs = self.sent.iter().filter(|(_, run)| of_host(run));
        let runs: Vec<RunId> = runs.map(|(id, _)| id.clone()).collect();
        for id in &runs {
            self.settle(id)?;
        }
        let Some(host) = self.hosts.remove(&number) else {
            return Ok(());
        };
        if let Some(lease) = host.lease
            && survivors.is_empty()
        {
            // What cannot be removed holds its GPU; nobody else is sent there.
            self.gpus.give_back(lease);
        }
        if let Some(end) = end.as_ref().filter(|end| end.cause == Cause::Short) {
            self.wait_for_room(host.kind, &end.reason);
            return Ok(());
        }
        let health = self.health.entry(host.kind.clone()).or_default();
        if let Some(reason) = health.take_in(end.as_ref()) {
            self.give_up(&host.kind, &reason);
        }
        Ok(())
    }

    /// Ends every run that waits for a worker of a kind which cannot be started.
    fn give_up(&mut self, kind: &Kind, reason: &str) {
        let (hopeless, held): (VecDeque<Held>, VecDeque<Held>) = std::mem::take(&mut self.held)
            .into_iter()
            .partition(|held| Kind::of(&held.spec) == *kind);
        self.held = held;
        let not_started = |id| {
            let reason = reason.to_owned();
            Ended::unmeasured(id, End::NotStarted { reason })
        };
        if hopeless.is_empty() {
            // Those that were just lost would be tried again, to no avail.
            for ended in &mut self.ended {
                if matches!(ended.end, End::Lost { .. }) {
                    *ended = not_started(ended.id.clone());
                }
            }
        }
        self.ended
            .extend(hopeless.into_iter().map(|held| not_started(held.id)));
        self.health.remove(kind);
    }

    /// Looks whether the runs at earlier controllers' hosts have ended.
    pub(super) fn look_at_adopted(&mut self) -> Result<(), ExecutorError> {
        let news = |run: &Sent| match &run.whose {
            Whose::Own(_) => false,
            Whose::Adopted(host) => {
                run.directory.end().exists()
                    || !host.identity().is_alive()
                    || !run.directory.meta().exists()
            }
        };
        let runs = self.sent.iter().filter(|(_, run)| news(run));
        let runs: Vec<RunId> = runs.map(|(id, _)| id.clone()).collect();
        runs.iter().try_for_each(|id| self.settle(id))
    }

    /// Handles the end of a run of which there is news.
    fn settle(&mut self, id: &RunId) -> Result<(), ExecutorError> {
        let Some(run) = self.sent.get(id) else {
            return Ok(());
        };
        let (path, seconds) = (run.directory.path().to_owned(), run.life.seconds());
        let found = match published(&run.directory)? {
            Some(ended) => Found::Ended(ended),
            None => Executor::find(self, id, &path)?,
        };
        let ended = match found {
            Found::Ended(ended) => {
                self.suspect(&ended);
                ended
            }
            Found::Alive(Handle::Process(host)) => return self.follow(id, host),
            // What this machine has is a process.
            Found::Alive(_) => return Ok(()),
            Found::Absent => return self.take_back(id),
            Found::Vanished {
                reason, survivors, ..
            } => Ended::lost(id.clone(), reason, seconds, survivors),
            Found::Elsewhere { host } => {
                let reason = format!("its worker on {host} is out of sight");
                Ended::lost(id.clone(), reason, seconds, Vec::new())
            }
        };
        self.forget(id);
        self.ended.push(ended);
        Ok(())
    }

    /// Follows a run at the host that has it now, perhaps one of an earlier controller that took
    /// the run late.
    fn follow(&mut self, id: &RunId, identity: Identity) -> Result<(), ExecutorError> {
        let is_there = match self.sent.get(id).map(|run| &run.whose) {
            Some(Whose::Own(number)) => {
                let host = self.hosts.get(number);
                host.is_some_and(|host| host.is(&identity))
            }
            _ => false,
        };
        if is_there {
            return Ok(());
        }
        let whose = Whose::adopted(identity)?;
        if let Some(run) = self.forget(id) {
            if run.cancelled {
                whose.look_again()?;
            }
            self.sent.insert(id.clone(), Sent { whose, ..run });
        }
        Ok(())
    }

    /// Notes which evaluations were lost together with one worker.
    fn suspect(&mut self, ended: &Ended) {
        let evaluation = evaluation(&ended.id);
        if !matches!(ended.end, End::Lost { .. }) {
            self.suspects.remove(&evaluation);
            return;
        }
        let whose = self.sent.get(&ended.id).map(|run| &run.whose);
        if let Some(Whose::Own(number)) = whose
            && let Some(host) = self.hosts.get_mut(number)
        {
            host.lost.push(evaluation);
            if host.lost.len() > 1 {
                self.suspects.extend(host.lost.iter().cloned());
            }
        }
    }

    /// Queues a run again that its host gave back unmade, or never took.
    fn take_back(&mut self, id: &RunId) -> Result<(), ExecutorError> {
        let Some(run) = self.sent.get(id) else {
            return Ok(());
        };
        let directory = run.directory.clone();
        let spec = directory
            .read_spec()
            .map_err(ExecutorError::file(&directory.spec()))?;
        // What an earlier controller wrote down before the study was moved names places that are no
        // more. Another attempt is told the present ones.
        if spec.directory != directory.path() && !run.cancelled {
            return match revoke(id, &directory)? {
                Found::Alive(Handle::Process(host)) => self.follow(id, host),
                Found::Vanished { .. } => {
                    let reason = "the study was moved before its worker took it up".to_owned();
                    self.forget(id);
                    self.ended.push(Ended {
                        moved: true,
                        ..Ended::unmeasured(id.clone(), End::Lost { reason })
                    });
                    Ok(())
                }
                // There is news of it again.
                _ => Ok(()),
            };
        }
        let Some(run) = self.forget(id) else {
            return Ok(());
        };
        if run.cancelled {
            self.ended
                .push(Ended::unmeasured(id.clone(), End::Cancelled));
            return Ok(());
        }
        let returns = run.returns + 1;
        if returns > MOST_RETURNS {
            let reason = format!("it was given back unmade {MOST_RETURNS} times");
            let lost = Ended::unmeasured(id.clone(), End::Lost { reason });
            self.ended.push(lost);
            return Ok(());
        }
        let id = id.clone();
        // It has waited longest.
        self.held.push_front(Held { id, spec, returns });
        Ok(())
    }

    /// Removes a run from those that hosts have.
    fn forget(&mut self, id: &RunId) -> Option<Sent> {
        let run = self.sent.remove(id)?;
        if let Whose::Own(number) = run.whose
            && let Some(host) = self.hosts.get_mut(&number)
        {
            host.busy = host.busy.saturating_sub(1);
            host.alone &= host.busy > 0;
        }
        Some(run)
    }
}
