//! Orders of the controller to a worker's host, and the host's answers.

use super::Host;
use super::cases::claim;
use crate::supervisor::channel::Received;
use std::path::Path;
use std::time::Instant;

impl Host<'_> {
    /// Reads and carries out the controller's orders.
    pub(super) fn hear(&mut self) {
        while let Some(line) = self.line.as_mut().filter(|_| !self.last_orders) {
            match line.receive() {
                Ok(Received::Directory(path)) => self.order(&path),
                Ok(Received::Nothing) => return,
                // Whatever is wrong with it, nothing more will come. It stays open: its end is how
                // our own end is noticed.
                Ok(Received::Closed) | Err(_) => self.last_orders = true,
            }
        }
    }

    /// Sends a case to the worker, or cancels it if it was sent before.
    fn order(&mut self, path: &Path) {
        let known = self
            .cases
            .values_mut()
            .find(|case| case.directory.path() == path);
        if let Some(case) = known {
            case.cancel(self.spec.grace);
            return;
        }
        let mut unpublished = self.unpublished.iter_mut();
        if let Some(outcome) = unpublished.find(|outcome| outcome.directory() == path) {
            // Somebody wants to see the end of it.
            outcome.may_wait = false;
            self.retry = Some(Instant::now());
            return;
        }
        if self.ending.is_some() || !self.process.can_be_asked() {
            // It is found unclaimed when we are gone.
            return;
        }
        match claim(path, &self.spec.command) {
            Ok(Some((mut case, request))) => {
                case.printed = self.process.printed();
                case.start = self.process.send(&request);
                self.cases.insert(case.id.as_str().to_owned(), case);
                let lines = self.process.exchange();
                self.understand(lines);
            }
            Ok(None) => self.tell(path),
            Err(error) => {
                self.note(&format!(
                    "the run in {} cannot be taken: {error}",
                    path.display()
                ));
                self.tell(path);
            }
        }
    }

    /// Tells the controller whether the worker takes cases, by sending the worker's directory
    /// whenever that changes.
    pub(super) fn set_open(&mut self, open: bool) {
        if self.open != open {
            self.open = open;
            self.tell(self.directory.path());
        }
    }

    /// Tells the controller of news about a directory.
    pub(super) fn tell(&mut self, path: &Path) {
        if let Some(line) = &mut self.line
            && line.send(path).is_err()
        {
            // Nobody is there, to hear or to say anything.
            self.line = None;
            self.last_orders = true;
        }
    }
}
