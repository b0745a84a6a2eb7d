//! The end of a worker: how it is asked to end, and what is published afterwards.

use super::{Cause, Host, LAST, WorkerEnd};
use crate::clock::{after, first_of, has_come};
use crate::run::End;
use crate::supervisor::lifecycle::of_status;
use crate::supervisor::tree::{State, Tree, ask_to_end};
use std::io;
use std::time::{Duration, Instant};

/// Time that a worker without further cases has to end by itself, before it gets a signal.
const FAREWELL: Duration = Duration::from_secs(2);

/// State of a worker that is to end.
#[derive(Debug)]
pub(super) struct Ending {
    cause: Cause,
    reason: String,
    /// Way in which the worker was asked to end so far.
    told: Told,
    pub(super) until: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    /// The worker was sent no signal; its stdin may be closed.
    Nothing,
    /// The worker was sent the polite signal.
    Politely,
}

impl Host<'_> {
    /// Begins to end a worker that can answer no more, or has no more cases.
    pub(super) fn check_worker(&mut self) {
        if self.ending.is_some() {
            return;
        }
        if !self.process.can_answer() {
            // It may just be about to end.
            self.ending = Some(Ending {
                cause: Cause::Died,
                reason: "it closed its stdout".to_owned(),
                told: Told::Nothing,
                until: after(LAST),
            });
            return;
        }
        if self.cases.is_empty() && (self.last_orders || !self.process.can_be_asked()) {
            self.process.close_stdin();
            self.ending = Some(Ending {
                cause: Cause::Stopped,
                reason: "there was nothing more to do".to_owned(),
                told: Told::Nothing,
                until: after(FAREWELL.min(self.spec.grace)),
            });
        }
    }

    /// Asks the worker to end, unless it was asked already. Its answers count until then.
    pub(super) fn stop(&mut self, cause: Cause, reason: &str, grace: Duration) -> io::Result<()> {
        let told = self.ending.as_ref().map(|ending| ending.told);
        let until = after(grace);
        if told == Some(Told::Politely) {
            if let Some(ending) = &mut self.ending {
                ending.until = first_of([ending.until, until]);
            }
            return Ok(());
        }
        ask_to_end()?;
        let (cause, reason) = match self.ending.take() {
            Some(before) => (before.cause, before.reason),
            None => (cause, reason.to_owned()),
        };
        self.ending = Some(Ending {
            cause,
            reason,
            told: Told::Politely,
            until,
        });
        Ok(())
    }

    pub(super) fn is_overdue(&self) -> bool {
        has_come(self.ending.as_ref().and_then(|ending| ending.until))
    }

    /// Asks an overdue worker less politely. Returns false if it can only be killed.
    pub(super) fn press(&mut self) -> io::Result<bool> {
        match self.ending.as_ref().map(|ending| ending.told) {
            Some(Told::Nothing) => {
                self.stop(Cause::Stopped, "", LAST)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Publishes the remaining outcomes after the worker's end, and how the worker ended.
    pub(super) fn leave(mut self) -> io::Result<()> {
        let status = match self.tree.reap()? {
            State::Ended(status) => Some(of_status(status)),
            _ => None,
        };
        self.set_open(false);
        let survivors = self.tree.kill(Tree::pause)?;
        let lines = self.process.drain();
        self.understand(lines);
        // With how often it said each.
        if self
            .unexpected
            .all()
            .iter()
            .any(|unexpected| unexpected.count > 1)
        {
            self.write_unexpected();
        }
        let taken = self.process.taken();
        self.proven |= taken > 0;
        // How it ended says more than that its pipe was closed before.
        let closed = |ending: &Ending| {
            ending.cause == Cause::Died && ending.told == Told::Nothing && status.is_some()
        };
        let ending = self.ending.take().filter(|ending| !closed(ending));
        let said = String::from_utf8_lossy(&self.process.complaint())
            .trim_end()
            .to_owned();
        let said = match said.as_str() {
            "" => String::new(),
            said => format!("; its stderr ends with:\n{said}"),
        };
        let (cause, reason) = match (ending, status) {
            (Some(ending), _) => (ending.cause, ending.reason),
            (None, Some(End::Exited(0))) if self.cases.is_empty() => {
                (Cause::Retired, "it ended by itself".to_owned())
            }
            (None, Some(End::Exited(code))) => {
                (Cause::Died, format!("it ended with exit code {code}"))
            }
            (None, Some(End::Signaled(signal))) => {
                (Cause::Killed, format!("it was killed by signal {signal}"))
            }
            (None, _) => (Cause::Died, "it ended".to_owned()),
        };
        let reason = format!("{reason}{said}");
        for (_, case) in std::mem::take(&mut self.cases) {
            let path = case.directory.path().to_owned();
            if case.directory.read_cancellation().is_some() {
                self.publish(case.end(End::Cancelled, None, None));
            } else if !matches!(cause, Cause::Died | Cause::Killed) || case.start >= taken {
                // Nobody's fault, or the worker has never read it.
                if let Err(error) = case.give_back() {
                    self.note(&format!("{} cannot be given back: {error}", path.display()));
                }
                self.tell(&path);
            } else {
                let reason = format!("the worker died before it answered: {reason}");
                self.publish(case.end(End::Lost { reason }, None, None));
            }
        }
        self.directory
            .write_end(&WorkerEnd {
                cause,
                proven: self.proven,
                reason,
                survivors,
            })
            // A full disk: the controller then takes the worker for one that was killed.
            .unwrap_or_else(|error| {
                self.note(&format!("the worker's end cannot be written: {error}"));
            });
        self.publish_the_rest()?;
        self.directory.forget_host();
        Ok(())
    }
}
