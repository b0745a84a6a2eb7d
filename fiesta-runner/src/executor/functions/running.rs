//! Runs whose functions are being called: the claim of each, and the publication of its end.

use crate::{
    run::{Carried, Claim, End, Ended, Meta, RunDirectory, RunId, RunSpec},
    shortage,
    supervisor::Reserve,
};
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Run time from which disk space is reserved for the record of the run's end. A shorter run has no
/// reserve: it is made again if the disk is full and the process is killed as well.
const RESERVED_FROM: Duration = Duration::from_secs(1);

/// A run of this process: its function is being called.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) id: RunId,
    directory: RunDirectory,
    claim: Claim,
    began: Instant,
    started_at: f64,
    is_cancelled: AtomicBool,
    reserve: Mutex<Option<Reserve>>,
}

impl Running {
    /// Claims a run for this process; or the end that it has without being called.
    pub(super) fn begin(spec: &RunSpec) -> Result<Self, End> {
        let directory = RunDirectory::hold(&spec.directory);
        // Shown to whoever wonders; one without words has taken a run back.
        let words = vec!["a function of this process".to_owned()];
        let claimed = Meta::of_this_process(words).and_then(|meta| {
            let started_at = meta.started_at;
            Ok((directory.claim(&meta)?, started_at))
        });
        match claimed {
            Ok((Some(claim), started_at)) => Ok(Self {
                id: spec.id.clone(),
                directory,
                claim,
                began: Instant::now(),
                started_at,
                is_cancelled: AtomicBool::new(false),
                reserve: Mutex::new(None),
            }),
            Ok((None, _)) => Err(End::Lost {
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

    /// Leaves a sign that the run goes on, and keeps room for its end.
    pub(super) fn keep_up(&self) {
        self.claim.sign();
        let mut reserve = self.reserve.lock().unwrap_or_else(PoisonError::into_inner);
        if reserve.is_none() && self.began.elapsed() >= RESERVED_FROM {
            *reserve = self.directory.reserve().ok();
        }
    }

    /// How long its call has gone on.
    pub(super) fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// How it has ended now.
    pub(super) fn ended(&self, end: End, carried: Option<Carried>) -> Ended {
        Ended {
            moved: self.directory.has_moved(),
            seconds: self.seconds(),
            started_at: self.started_at,
            carried,
            ..Ended::unmeasured(self.id.clone(), end)
        }
    }

    /// Publishes how it ended. Where that is refused, the controller of this process knows it all
    /// the same, and it is lost only if the process is killed before it is in the ledger.
    pub(super) fn publish(&self, ended: &Ended) {
        let reserve = self.reserve.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = self.directory.publish(ended, reserve.as_ref()) {
            self.directory
                .complain(&format!("its end cannot be written: {error}"));
        }
    }
}
