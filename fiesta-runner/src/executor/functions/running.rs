//! Runs whose functions are being called: the claim of each, and the publication of its end.

use crate::{
    run::{Carried, Claim, End, Ended, Meta, RunDirectory, RunId, RunSpec},
    shortage,
    supervisor::Reserve,
};
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// Run time, in seconds, from which disk space is reserved for the record of the run's end. A shorter
/// run has no reserve: it is made again if the disk is full and the process is killed as well.
const RESERVED_FROM: f64 = 1.0;

/// A run of this process, whose function is being called.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) id: RunId,
    directory: RunDirectory,
    claim: Claim,
    is_cancelled: AtomicBool,
    reserve: Mutex<Option<Reserve>>,
}

impl Running {
    /// Claims a run for this process. Returns an end instead if the run cannot be claimed.
    pub(super) fn begin(spec: &RunSpec) -> Result<Self, End> {
        let directory = RunDirectory::hold(&spec.directory);
        // Shown to whoever wonders; one without words has taken a run back.
        let words = vec!["a function of this process".to_owned()];
        match Meta::of_this_process(words).and_then(|meta| directory.claim(&meta)) {
            Ok(Some(claim)) => Ok(Self {
                id: spec.id.clone(),
                directory,
                claim,
                is_cancelled: AtomicBool::new(false),
                reserve: Mutex::new(None),
            }),
            Ok(None) => Err(End::Lost {
                reason: "another controller has taken it back before it began".to_owned(),
            }),
            Err(error) => Err(match shortage::of(&error) {
                Some(cause) => End::Short {
                    reason: format!("{cause}: {error}"),
                },
                None => End::Lost {
                    reason: format!("its directory cannot be claimed: {error}"),
                },
            }),
        }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    pub(super) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Leaves a sign of life of the run, and reserves disk space for the record of its end.
    pub(super) fn keep_up(&self) {
        self.claim.sign();
        let mut reserve = self.reserve.lock().unwrap_or_else(PoisonError::into_inner);
        if reserve.is_none() && self.seconds() >= RESERVED_FROM {
            *reserve = self.directory.reserve().ok();
        }
    }

    /// Returns the seconds for which the call has gone on.
    pub(super) fn seconds(&self) -> f64 {
        self.claim.seconds()
    }

    /// Returns the record of the run's end at this moment, with the end `end`.
    pub(super) fn ended(&self, end: End, carried: Option<Carried>) -> Ended {
        Ended {
            carried,
            ..self.claim.ended(&self.directory, self.id.clone(), end)
        }
    }

    /// Publishes the end of the call. If the disk refuses, the controller of this process still
    /// knows the end. The end is lost only if the process is killed before the ledger has it.
    pub(super) fn publish(&self, ended: &Ended) {
        let reserve = self.reserve.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = self.directory.publish(ended, reserve.as_ref()) {
            self.directory
                .complain(&format!("its end cannot be written: {error}"));
        }
    }
}
