//! Following a running study: its ledger is read again as it grows, without its lock.

use super::{
    State, current, facts,
    facts::facts_now,
    trace::{BeliefTrace, ended_by, point},
};
use crate::{
    RunError,
    executor::EngineKind,
    history::{Check, History},
    ledger::{Ledger, LedgerError, Place, Since, kept_seconds},
    study::Study,
};
use fiesta_core::EvaluationId;
use fiesta_report::analysis::study::{BeliefPath, StudyBackground, StudyFacts};
use std::{
    cell::Cell,
    collections::VecDeque,
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// Number of points of the belief computed at each look after the first, which computes all.
const POINTS_A_LOOK: usize = 20;

/// Number of latest evaluations whose ids are kept.
const LATEST: usize = 8;

/// A study that is followed. Each [look](Self::look) reads what its ledger says since the last one,
/// so that it costs no more the longer the ledger is.
///
/// # Example
/// ```no_run
/// use fiesta_runner::status::{Follower, Standing};
/// let mut follower = Follower::new("study.toml");
/// loop {
///     if follower.look() {
///         match (follower.standing(), follower.facts()) {
///             (Standing::Known(state), Some(facts)) => println!("{state:?}: {} ended", facts.ended),
///             (standing, _) => println!("{standing:?}"),
///         }
///     }
///     std::thread::sleep(std::time::Duration::from_secs(1));
/// }
/// ```
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    /// Executors that the program added.
    kinds: &'static [EngineKind],
    /// The study, with the state of its file when the file was read.
    study: Option<(Study, Stamp)>,
    /// History that the ledger's entries lead to.
    history: Option<History>,
    /// History with the terms of the present study file. `None` if the ledger has the same terms.
    extended: Option<History>,
    place: Place,
    trace: BeliefTrace,
    latest: VecDeque<EvaluationId>,
    standing: Standing,
    warning: Option<String>,
}

/// State of a study that is followed, or the reason why none is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The study has a ledger, and is in this state.
    Known(State),
    /// The study has not begun: nobody has run it.
    NotBegun,
    /// A controller is about to begin the study.
    Starting,
    /// The study's file or its ledger cannot be read, for this reason.
    Unreadable(String),
}

/// Properties that distinguish one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: (u64, u64),
    size: u64,
    modified: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> io::Result<Self> {
        let file = fs::metadata(path)?;
        Ok(Self {
            inode: (file.dev(), file.ino()),
            size: file.len(),
            modified: (file.mtime(), file.mtime_nsec()),
        })
    }
}

impl Follower {
    /// Returns a follower of the study in this file, before its first look.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self::with_kinds(path, &[])
    }

    /// Returns a follower of the study in this file, whose jobs may run on engines of these kinds.
    pub fn with_kinds(path: impl Into<PathBuf>, kinds: &'static [EngineKind]) -> Self {
        Self {
            path: path.into(),
            kinds,
            study: None,
            history: None,
            extended: None,
            place: Place::default(),
            trace: BeliefTrace::of(0),
            latest: VecDeque::new(),
            standing: Standing::NotBegun,
            warning: None,
        }
    }

    /// Reads the study file and the ledger again. Returns whether either has changed. Running jobs
    /// may have changed anyway.
    pub fn look(&mut self) -> bool {
        let before = (self.standing.clone(), self.warning.take());
        let is_another = self.read_file();
        let entries = self.read_ledger();
        let is_new = is_another || entries;
        is_new || before != (self.standing.clone(), self.warning.clone())
    }

    /// Reads the study file if it changed. Returns whether it did.
    fn read_file(&mut self) -> bool {
        let stamp = match Stamp::of(&self.path) {
            Ok(stamp) => stamp,
            Err(error) => {
                let gone = format!(
                    "the study file {} cannot be read any more ({error}): if it was moved, end this and watch it where it is now",
                    self.path.display()
                );
                self.warning = Some(gone);
                return false;
            }
        };
        if self.study.as_ref().is_some_and(|(_, then)| *then == stamp) {
            return false;
        }
        match Study::read_with(&self.path, self.kinds) {
            Ok(study) => {
                self.study = Some((study, stamp));
                self.forget();
                true
            }
            Err(error) if self.study.is_some() => {
                self.warning = Some(format!(
                    "the study file has changed and cannot be read, so that this goes by what it was: {error}"
                ));
                false
            }
            Err(error) => {
                self.standing = Standing::Unreadable(error.to_string());
                false
            }
        }
    }

    /// Forgets the ledger, so that the next look reads it from the start.
    fn forget(&mut self) {
        self.history = None;
        self.extended = None;
        self.place = Place::default();
        self.latest.clear();
    }

    /// Reads the ledger's new entries. Returns whether there were any.
    fn read_ledger(&mut self) -> bool {
        let Some((study, _)) = &self.study else {
            return false;
        };
        let directory = study.state_directory();
        match self.take_in(&directory) {
            Ok(is_new) => is_new,
            Err(RunError::Ledger(LedgerError::Missing(_))) if self.history.is_none() => {
                self.standing = Standing::NotBegun;
                false
            }
            Err(RunError::Ledger(LedgerError::Starting { .. })) => {
                self.standing = Standing::Starting;
                false
            }
            // A moment later it can be read.
            Err(RunError::Ledger(LedgerError::Busy { .. })) if self.history.is_some() => false,
            Err(error @ RunError::Ledger(LedgerError::Missing(_))) => {
                self.warning = Some(format!(
                    "this is what the study came to before its directory was moved or removed: {error}"
                ));
                false
            }
            Err(error) => {
                self.forget();
                self.standing = Standing::Unreadable(error.to_string());
                false
            }
        }
    }

    fn take_in(&mut self, directory: &Path) -> Result<bool, RunError> {
        let Some((study, _)) = &self.study else {
            return Ok(false);
        };
        let arms = study.arms().len();
        let is_first = self.history.is_none();
        let mut history = match self.history.take() {
            Some(history) => history,
            None => History::begin(study)?,
        };
        let (trace, latest) = (&mut self.trace, &mut self.latest);
        let fresh = Cell::new(None);
        let mut noted = 0;
        let since = Ledger::visit_since(
            directory,
            &mut self.place,
            |ended| fresh.set(usize::try_from(ended).ok()),
            |entry| {
                if let Some(ended) = fresh.take() {
                    *trace = BeliefTrace::of(ended);
                }
                let ended = ended_by(&entry);
                history.take(study, entry, Check::Nothing)?;
                if let Some((id, counts)) = ended {
                    latest.push_back(id);
                    if latest.len() > LATEST {
                        latest.pop_front();
                    }
                    if counts {
                        trace.count();
                        // Later, a few points a look are enough: each costs a belief.
                        if trace.is_due() && (is_first || noted < POINTS_A_LOOK) {
                            noted += 1;
                            trace.note(&history.selector.view(), arms);
                        }
                    }
                }
                Ok::<_, RunError>(())
            },
        );
        match since {
            Err(error) => {
                // It may be that it can be read a moment later.
                if matches!(error, RunError::Ledger(_)) && !is_first {
                    self.history = Some(history);
                }
                Err(error)
            }
            Ok(Since::Another) => {
                self.forget();
                self.take_in(directory)
            }
            Ok(Since::GoesOn { entries }) => {
                trace.note(&history.selector.view(), arms);
                // The ledger has the time of the latest turn.
                let kept = kept_seconds(directory).unwrap_or(0.0);
                history.clock = history.clock.max(kept);
                if history.is_extended_by(study) {
                    if is_first || entries > 0 || self.extended.is_none() {
                        self.extended = Some(current(study)?);
                    }
                    self.warning.get_or_insert_with(|| {
                        "the study file has changed since; `fiesta run --accept-changes` goes on with it".to_owned()
                    });
                } else {
                    self.extended = None;
                }
                let shown = self.extended.as_ref().unwrap_or(&history);
                self.standing = Standing::Known(State::of(study, shown));
                self.history = Some(history);
                Ok(is_first || entries > 0)
            }
        }
    }

    /// Returns the path of the study file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the study, as its file was last read. `None` if the file could not be read.
    pub fn study(&self) -> Option<&Study> {
        self.study.as_ref().map(|(study, _)| study)
    }

    /// Returns the history at the last look, under the terms of the study file.
    pub fn history(&self) -> Option<&History> {
        self.extended.as_ref().or(self.history.as_ref())
    }

    /// Returns what was known of the study at the last look.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Returns a warning about the study file or its directory, if there is one: the study is shown
    /// as it was before.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// The evaluations that ended last, the last one first.
    pub fn latest(&self) -> impl Iterator<Item = EvaluationId> {
        self.latest.iter().rev().copied()
    }

    /// Returns the facts of the study with its belief path. `None` before it has a ledger.
    pub fn facts(&self) -> Option<StudyFacts> {
        let (study, history) = (self.study()?, self.history()?);
        let view = history.selector.view();
        let arms = study.arms().len();
        let belief_path = if study.search().is_some() || point(&view, arms).is_none() {
            BeliefPath::default()
        } else {
            self.trace.path(&view, arms)
        };
        let facts = match history.selector.conclusion() {
            Some(_) => facts(study, history),
            None => facts_now(study, history),
        };
        Some(StudyFacts {
            background: StudyBackground {
                belief_path: belief_path.ending(facts.belief.as_ref()),
                ..StudyBackground::default()
            },
            ..facts
        })
    }
}
