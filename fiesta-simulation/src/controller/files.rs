//! The file calls of simulated controllers: what becomes of each, and what of the ledger is on the disk.

use super::{plan::Plan, world::World};
use crate::faults::{Asked, Fate};
use fiesta_core::Streams;
use rand::{Rng, RngExt};
use rustix::io::Errno;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The ledger's database and its log, below the directory of a study.
const DATABASE: &str = "study.fiesta/ledger.db";
const LOG: &str = "study.fiesta/ledger.db-wal";
/// Seconds after which an entry of the ledger is on the disk, and what a clock may be wrong by.
const SYNCED_WITHIN: f64 = 1.0 + 1e-6;
/// Seconds from which an evaluation is on the disk before it counts.
const DURABLE_FROM: f64 = 1.0;

/// Whose the file calls are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// Calls of the simulation itself, between two controllers.
    Simulation,
    /// Calls of a controller that lives.
    Living,
    /// Calls of a controller that was killed and has not come to an end yet: nothing that it asks for is done.
    Killed,
}

/// The files of a study, as its controllers call for them.
pub(super) struct Files {
    place: PathBuf,
    chance: Box<dyn Rng>,
    rate: f64,
    most_faults: usize,
    /// Number of faults that were drawn.
    pub(super) drawn: usize,
    /// Number of faults that struck.
    pub(super) faults: usize,
    whose: Whose,
    /// Number of calls that were refused to controllers that lived.
    pub(super) refused: usize,
    /// Time until which the disk is full.
    full_until: f64,
    /// Files that were written and not synced since, each with the time of the first such write.
    unsynced: BTreeMap<String, f64>,
    /// Whether the disk was too full for the latest write or sync of the ledger.
    is_short: bool,
    /// Whether an evaluation has ended in this life that is not on the disk, and must be before anything is started.
    is_awaited: bool,
}

impl Files {
    pub(super) fn new(seed: u64, plan: &Plan, place: &Path) -> Self {
        Self {
            place: place.to_owned(),
            chance: Box::new(Streams::new(seed).run(2)),
            rate: plan.file_rate,
            most_faults: plan.file_faults,
            drawn: 0,
            faults: 0,
            whose: Whose::Simulation,
            refused: 0,
            full_until: 0.0,
            unsynced: BTreeMap::new(),
            is_short: false,
            is_awaited: false,
        }
    }

    /// Forgets what is not on the disk, as nobody can see any more where it is written.
    pub(super) fn forget(&mut self) {
        self.unsynced.clear();
        self.is_awaited = false;
    }

    /// Begins the life of a controller. What the one before has not synced is this one's to sync.
    pub(super) fn begin(&mut self, now: f64) {
        self.whose = Whose::Living;
        (self.is_short, self.is_awaited) = (false, false);
        self.unsynced.values_mut().for_each(|since| *since = now);
    }

    /// Kills the controller: nothing that it asks for is done any more.
    pub(super) fn kill(&mut self) {
        self.whose = Whose::Killed;
    }

    pub(super) fn is_killed(&self) -> bool {
        self.whose == Whose::Killed
    }

    /// Ends the life of a controller, as all that it had was dropped. Returns whether it was killed.
    pub(super) fn end(&mut self) -> bool {
        std::mem::replace(&mut self.whose, Whose::Simulation) == Whose::Killed
    }

    /// Notes that an evaluation ended that took this number of seconds.
    pub(super) fn note_end(&mut self, seconds: f64) {
        self.is_awaited |= seconds >= DURABLE_FROM;
    }

    /// Returns the time since which something of the ledger is not on the disk. `None` if all of it is.
    pub(super) fn unsynced_since(&self) -> Option<f64> {
        let log = fs::metadata(self.place.join(LOG));
        let has_log = log.is_ok_and(|log| log.len() > 0);
        let of = |name| self.unsynced.get(name).copied();
        // What the log still has need not be in the database.
        of(LOG).or_else(|| of(DATABASE).filter(|_| !has_log))
    }

    /// Returns whether what must be on the disk before a job is started is there.
    pub(super) fn is_durable(&self) -> bool {
        !self.is_awaited
    }

    /// Returns whether the ledger is as far on the disk as it is to be at this time.
    pub(super) fn is_synced_by(&self, now: f64) -> bool {
        let since = self.unsynced_since().filter(|_| !self.is_short);
        since.is_none_or(|since| now - since <= SYNCED_WITHIN)
    }

    /// Notes what became of a call, and since when its file is not synced.
    fn note(&mut self, asked: Asked, name: &str, fate: Fate, now: f64) {
        let is_of_ledger = name.starts_with(DATABASE);
        match (asked, fate) {
            (_, Fate::Refused(error)) => {
                self.refused += 1;
                self.is_short |= is_of_ledger && error == Errno::NOSPC;
            }
            (Asked::Write(_) | Asked::Cut, _) => {
                self.unsynced.entry(name.to_owned()).or_insert(now);
            }
            (Asked::Sync, _) => {
                self.unsynced.remove(name);
                self.is_short &= !is_of_ledger;
                self.is_awaited &= !is_of_ledger;
            }
            (Asked::Remove, _) => drop(self.unsynced.remove(name)),
            (Asked::Open { .. } | Asked::Read(_) | Asked::Make, _) => {}
        }
    }
}

/// Fault of a file call.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// The controller is killed, after this share of the bytes was written.
    Kill(f64),
    /// This share of the bytes is read or written.
    Short(f64),
    /// The call is refused.
    Refused(Errno),
    /// The disk is full from now on, for some seconds.
    Full(f64),
}

impl World {
    /// Says what becomes of a file call of the controller.
    pub(super) fn file_call(&mut self, asked: Asked, path: &Path) -> Fate {
        match self.files.whose {
            Whose::Simulation => return Fate::Done,
            Whose::Killed => return Fate::Refused(Errno::IO),
            Whose::Living => {}
        }
        let fate = self.fate_of(asked, path);
        let name = path.to_string_lossy();
        self.files.note(asked, &name, fate, self.now);
        fate
    }

    fn fate_of(&mut self, asked: Asked, path: &Path) -> Fate {
        let files = &mut self.files;
        let strikes = files.chance.random::<f64>();
        let fault = asked.fault(&mut *files.chance);
        let needs_room = match asked {
            Asked::Write(_) => true,
            Asked::Make => !files.place.join(path).exists(),
            _ => false,
        };
        if needs_room && self.now < files.full_until {
            return Fate::Refused(Errno::NOSPC);
        }
        if strikes >= files.rate * asked.weight() || files.drawn >= files.most_faults {
            return Fate::Done;
        }
        files.drawn += 1;
        if !self.strikes(&told(path), &fault.in_words(asked)) {
            return Fate::Done;
        }
        self.files.faults += 1;
        let part = |share: f64| match asked {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a part of a number of bytes"
            )]
            Asked::Read(count) | Asked::Write(count) => (share * count as f64) as usize,
            _ => 0,
        };
        let written = |count, otherwise| match count {
            0 => Fate::Refused(otherwise),
            count => Fate::Short(count),
        };
        match fault {
            Fault::Kill(share) => {
                self.files.kill();
                written(part(share), Errno::IO)
            }
            Fault::Short(share) => written(part(share), Errno::INTR),
            Fault::Refused(error) => Fate::Refused(error),
            Fault::Full(seconds) => {
                self.files.full_until = self.now + seconds;
                Fate::Refused(Errno::NOSPC)
            }
        }
    }
}

/// Returns the words for a path: no part of it that chance chose, or that another process would choose otherwise.
fn told(path: &Path) -> String {
    let name: PathBuf = path.iter().take(2).collect();
    let name = name.to_string_lossy();
    let own = format!(".{}-", std::process::id());
    let name = name.split(&*own).next().unwrap_or_default();
    name.split('#').next().unwrap_or_default().to_owned()
}

impl Asked {
    /// Draws a fault that this call may have.
    fn fault(self, chance: &mut dyn Rng) -> Fault {
        let errors: &[Errno] = match self {
            Self::Open { creates: true } => &[Errno::MFILE, Errno::NFILE, Errno::IO, Errno::NOSPC],
            Self::Open { creates: false } => &[Errno::MFILE, Errno::NFILE, Errno::IO],
            Self::Write(_) | Self::Cut | Self::Sync => &[Errno::IO, Errno::NOSPC, Errno::INTR],
            Self::Read(_) => &[Errno::IO, Errno::INTR],
            Self::Make => &[Errno::IO, Errno::NOSPC],
            Self::Remove => &[Errno::IO],
        };
        let error = errors[chance.random_range(0..errors.len())];
        let (kind, share) = (chance.random_range(0..6), chance.random());
        match (kind, self) {
            (0 | 1, _) => Fault::Kill(share),
            (2, Self::Read(_) | Self::Write(_)) => Fault::Short(share),
            (3, Self::Write(_) | Self::Make) => Fault::Full(20.0 * share),
            _ => Fault::Refused(error),
        }
    }

    /// Returns how much likelier a fault is than at another call: rare calls have as many as frequent ones.
    fn weight(self) -> f64 {
        match self {
            Self::Cut | Self::Sync | Self::Make => 4.0,
            Self::Open { .. } | Self::Read(_) | Self::Write(_) | Self::Remove => 1.0,
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::Open { .. } => "open",
            Self::Read(_) => "read",
            Self::Write(_) => "write",
            Self::Cut => "ftruncate",
            Self::Sync => "fsync",
            Self::Make => "mkdir, rename or link",
            Self::Remove => "unlink",
        }
    }
}

impl Fault {
    fn in_words(self, asked: Asked) -> String {
        let call = asked.in_words();
        match self {
            Self::Kill(_) => format!("killed in {call}"),
            Self::Short(_) => format!("{call} cut short"),
            Self::Refused(error) => format!("{call}: {error}"),
            Self::Full(_) => format!("{call}: the disk is full for a while"),
        }
    }
}
