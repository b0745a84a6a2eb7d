//! Faults that other people and programs cause in a simulated study: readers of its ledger, a second controller, edits of the study
//! file, files that are damaged, moved or replaced, and jobs that end in odd ways or report nonsense. They have dice of their own.

use super::{
    executor::{Simulated, Watcher},
    plan::Plan,
    world::World,
};
use fiesta_core::Streams;
use fiesta_runner::{
    Ledger, Options, Study, run,
    run::{Carried, End},
    signal::Signals,
};
use rand::{Rng, RngExt};
use rusqlite::Connection;
use std::{
    cell::RefCell,
    fs,
    path::{Path, PathBuf},
    rc::Rc,
};

/// Results that no study counts.
const NONSENSE: [&str; 7] = [
    "{\"accuracy\": NaN}",
    "{\"accuracy\": 1e400}",
    "{\"accuracy\": 1.5}",
    "{\"accuracy\": \"0,5\"}",
    "{\"accuracy\": null}",
    "{\"accur",
    "{}",
];

/// Damage to the ledger of a study that does not run: a statement of SQL or a name, and words of the error that tells of it.
const DAMAGE: [(&str, &str); 8] = [
    (
        "UPDATE entry SET body = body || ' ' WHERE sequence = 1",
        DAMAGED,
    ),
    ("UPDATE entry SET digest = 0 WHERE sequence = 2", DAMAGED),
    ("UPDATE entry SET body = '{' WHERE sequence = 2", DAMAGED),
    ("DELETE FROM entry WHERE sequence = 2", DAMAGED),
    ("PRAGMA user_version = 0", DAMAGED),
    ("PRAGMA user_version = 99", "has format 99"),
    (CUT, DAMAGED),
    (OVERWRITTEN, DAMAGED),
];
const DAMAGED: &str = "is damaged";
/// Damage that is not done by a statement of SQL.
const CUT: &str = "its second half is cut off";
const OVERWRITTEN: &str = "its beginning is overwritten";

/// Error that a controller must end with, as somebody has changed its study.
#[derive(Debug, Clone)]
pub(super) struct Expected {
    /// Words of the error.
    pub(super) words: &'static str,
    /// Whether the study may not go on at all.
    pub(super) is_refused: bool,
    undo: Undo,
    /// Time since which the study is not what it was.
    since: f64,
}

impl Expected {
    /// Returns whether a job may be started at this time.
    pub(super) fn lets_start(&self, now: f64) -> bool {
        // Whether files have their names is looked at every two seconds while nothing is written.
        let is_late = now > self.since + 2.0 + 1e-6;
        !self.is_refused && (!is_late || !matches!(self.undo, Undo::Move(..)))
    }
}

/// Way to make a study what it was before.
#[derive(Debug, Clone)]
enum Undo {
    /// The study file becomes what it was.
    Text,
    /// The ledger's files become what they were. Beside them is the damaged ledger, and from which byte on a controller leaves it
    /// as it is.
    Ledger(Vec<(PathBuf, Vec<u8>)>, Vec<u8>, usize),
    /// The first path is moved to the second.
    Move(PathBuf, PathBuf),
    Nothing,
}

/// State of the faults that others cause in a study.
#[expect(
    clippy::struct_excessive_bools,
    reason = "what others may do and have done does not follow from one another"
)]
pub(super) struct Others {
    chance: Box<dyn Rng>,
    is_active: bool,
    /// Number of these faults that were drawn, and that struck.
    pub(super) drawn: usize,
    pub(super) faults: usize,
    directory: PathBuf,
    /// The study file as it is, but for an edit that is undone.
    pub(super) text: String,
    can_have_more_arms: bool,
    /// Error that the controller that lives must end with.
    pub(super) expected: Option<Expected>,
    /// Whether changes of the study file are accepted.
    pub(super) accepts: bool,
    /// Number of entries that a reader has seen, and the last of them.
    read: (usize, String),
    is_looking: bool,
}

impl Others {
    pub(super) fn new(seed: u64, plan: &Plan, directory: &Path) -> Self {
        Self {
            chance: Box::new(Streams::new(seed).run(3)),
            is_active: plan.has_others,
            drawn: 0,
            faults: 0,
            directory: directory.to_owned(),
            text: plan.text.clone(),
            can_have_more_arms: plan.can_have_more_arms(),
            expected: None,
            accepts: true,
            read: Default::default(),
            is_looking: false,
        }
    }

    fn study(&self) -> PathBuf {
        self.directory.join("study.toml")
    }

    fn state(&self) -> PathBuf {
        self.directory.join("study.fiesta")
    }

    fn write(&self, text: &str) {
        fs::write(self.study(), text).expect("the study file can be written");
    }

    /// Undoes what cannot stay. Returns what the controller was expected to say, and whether it has left the ledger as it was.
    pub(super) fn undo(&mut self) -> Option<(Expected, bool)> {
        self.accepts = true;
        let expected = self.expected.take()?;
        let mut is_as_it_was = true;
        match &expected.undo {
            Undo::Nothing => {}
            Undo::Text => self.write(&self.text),
            Undo::Move(from, to) => {
                let remove = if to.is_dir() {
                    fs::remove_dir_all
                } else {
                    fs::remove_file
                };
                let _ = remove(to);
                fs::rename(from, to).expect("what was moved is there");
            }
            Undo::Ledger(files, damaged, from) => {
                let path = self.state().join("ledger.db");
                is_as_it_was = fs::read(&path).is_ok_and(|now| now[*from..] == damaged[*from..]);
                for (path, _) in ledger_files(&self.state()) {
                    fs::remove_file(path).expect("a file of the ledger can be removed");
                }
                for (path, content) in files {
                    fs::write(path, content).expect("a file of the ledger can be written");
                }
            }
        }
        Some((expected, is_as_it_was))
    }
}

/// Returns the files of a ledger with what is in them.
fn ledger_files(state: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = fs::read_dir(state).into_iter().flatten();
    let paths = files.filter_map(|file| Some(file.ok()?.path()));
    let own = paths.filter(|path| path.to_string_lossy().contains("ledger.db"));
    own.map(|path| (path.clone(), fs::read(&path).unwrap_or_default()))
        .collect()
}

/// Damages a ledger. Returns what is in its database then.
fn damage(path: &Path, how: &str) -> Option<Vec<u8>> {
    let connection = Connection::open(path).ok()?;
    // SQLite merges the log into the database.
    connection
        .pragma_update(None, "wal_checkpoint", "TRUNCATE")
        .ok()?;
    if ![CUT, OVERWRITTEN].contains(&how) {
        connection.execute_batch(how).ok()?;
    }
    drop(connection);
    let mut content = fs::read(path).ok()?;
    match how {
        CUT => content.truncate(content.len() / 2),
        OVERWRITTEN => content[..100].fill(b'x'),
        _ => {}
    }
    fs::write(path, &content).ok()?;
    Some(content)
}

impl World {
    /// Draws whether one of these faults strikes. Returns its place.
    fn draw(&mut self, what: &str, rate: f64, kinds: &[&str]) -> Option<usize> {
        let others = &mut self.others;
        if !others.is_active {
            return None;
        }
        let strikes = others.chance.random::<f64>() < rate;
        let which = others.chance.random_range(0..kinds.len());
        if !strikes {
            return None;
        }
        others.drawn += 1;
        if !self.strikes(what, kinds[which]) {
            return None;
        }
        self.others.faults += 1;
        Some(which)
    }

    /// Expects a controller to say these words.
    fn expects(&mut self, words: &'static str, is_refused: bool, undo: Undo) {
        self.others.expected = Some(Expected {
            words,
            is_refused,
            undo,
            since: self.now,
        });
    }

    /// Lets others do something to a study that does not run.
    pub(super) fn meddle(&mut self) {
        let kinds = [
            "a ledger is damaged",
            "a change is refused",
            "a change is not accepted",
            "the study file is torn",
            "a change is accepted",
        ];
        let Some(which) = self.draw("rest", 0.3, &kinds) else {
            return;
        };
        let damage_number = self.others.chance.random_range(0..DAMAGE.len());
        let state = self.others.state();
        // Before there is a session, nothing can be a change.
        let entries = Ledger::read(&state).map_or(0, |entries| entries.len());
        if entries < 4 {
            return;
        }
        let others = &mut self.others;
        let longer =
            others
                .text
                .replacen("{seed}\"", &format!("{{seed}}\", \"{}\"", others.drawn), 1);
        match which {
            0 => {
                let (how, words) = DAMAGE[damage_number];
                let before = ledger_files(&state);
                if let Some(damaged) = damage(&state.join("ledger.db"), how) {
                    // A ledger of our own gets its journal, which its header tells, before its entries are read.
                    let from = if how.contains(" entry ") { 100 } else { 0 };
                    self.expects(words, true, Undo::Ledger(before, damaged, from));
                    self.tell(|| format!("ledger: {how}"));
                    // What is left can be told, or not: nothing may panic.
                    let _ = Ledger::read_what_is_left(&state);
                }
            }
            1 => {
                others.write(&others.text.replace("seed = ", "seed = 1"));
                self.expects("the study file has changed", true, Undo::Text);
            }
            2 => {
                others.write(&longer);
                others.accepts = false;
                self.expects("the study file has changed", true, Undo::Text);
            }
            3 => {
                others.write(&others.text[..20]);
                self.expects("study.toml", true, Undo::Text);
            }
            _ => {
                others.text = if std::mem::take(&mut others.can_have_more_arms) {
                    format!("{}[[arm]]\nname = \"9\"\n", others.text)
                } else {
                    longer
                };
                others.write(&others.text);
            }
        }
    }

    /// Lets others do something to a study while its controller waits for jobs.
    pub(super) fn disturb(&mut self) {
        let kinds = [
            "its directory is moved",
            "its ledger is replaced",
            "its lock is removed",
            "a job ends oddly",
            "a job reports nonsense",
        ];
        let Some(which) = self.draw("poll", 0.05, &kinds) else {
            return;
        };
        let (state, number) = (
            self.others.state(),
            self.others.chance.random_range(0..1000_usize),
        );
        let moved = |name: &str| {
            let from = if name.is_empty() {
                state.clone()
            } else {
                state.join(name)
            };
            let to = self.others.directory.with_extension("moved");
            fs::rename(&from, &to).ok().map(|()| Undo::Move(to, from))
        };
        let replaced = "was deleted or replaced while the study ran";
        match which {
            _ if which < 3 && self.others.expected.is_some() => {}
            0..3 => {
                let (name, words) = [
                    ("", "was moved while the study ran"),
                    ("ledger.db", replaced),
                    ("lock", replaced),
                ][which];
                if let Some(undo) = moved(name) {
                    self.expects(words, false, undo);
                    self.files.forget();
                }
            }
            3 => {
                let reason = || "somebody wants it so".to_owned();
                let ends = [
                    End::TimedOut,
                    End::Silent,
                    End::Cancelled,
                    End::Exited(3),
                    End::Exited(153),
                    End::Signaled(25),
                    End::Short { reason: reason() },
                    End::NotStarted { reason: reason() },
                    End::Lost { reason: reason() },
                ];
                let end = ends[number % ends.len()].clone();
                if matches!(end, End::NotStarted { .. }) && self.others.expected.is_none() {
                    self.expects("cannot be evaluated", false, Undo::Nothing);
                }
                self.strike_one(number, |job, now| job.cut(now, end));
            }
            _ => self.strike_one(number, |job, _| {
                let result = Some(NONSENSE[number % NONSENSE.len()].to_owned());
                job.ended.carried = Some(Carried {
                    result,
                    ..Carried::default()
                });
            }),
        }
    }
}

/// Lets others look on while a controller runs.
pub(super) fn look_on(world: &Rc<RefCell<World>>) {
    let kinds = ["its ledger is read", "it is started again"];
    let mut living = world.borrow_mut();
    if living.others.is_looking || living.others.expected.is_some() {
        return;
    }
    let Some(which) = living.draw("progress", 0.05, &kinds) else {
        return;
    };
    living.others.is_looking = true;
    let (study, state, before) = (
        living.others.study(),
        living.others.state(),
        living.files.refused,
    );
    let mut read = std::mem::take(&mut living.others.read);
    drop(living);
    let wrong = if which == 0 {
        match Ledger::read(&state) {
            Ok(entries) => {
                let written = |at: Option<usize>| {
                    let entry = at.and_then(|at| entries.get(at));
                    serde_json::to_string(&entry).unwrap_or_default()
                };
                let (seen, last) = read;
                let goes_on = seen == 0 || written(Some(seen - 1)) == last;
                read = (entries.len(), written(entries.len().checked_sub(1)));
                (!goes_on).then(|| {
                    (
                        false,
                        "what a reader has seen of the ledger is another now".to_owned(),
                    )
                })
            }
            Err(error) => Some((
                true,
                format!("while the study runs, a reader fails: {error}"),
            )),
        }
    } else {
        match started_again(world, &study) {
            Ok(()) => Some((false, "a study that runs is run a second time".to_owned())),
            Err(error) if error.contains("is being run by process") => None,
            Err(error) => Some((
                true,
                format!("a second controller does not say why it ends: {error}"),
            )),
        }
    };
    let mut living = world.borrow_mut();
    living.others.is_looking = false;
    living.others.read = read;
    living.lives();
    let is_refused = living.files.refused > before;
    if let Some((_, why)) = wrong.filter(|&(is_error, _)| !(is_error && is_refused)) {
        living.break_promise(why);
    }
}

/// Runs a study that runs already.
fn started_again(world: &Rc<RefCell<World>>, path: &Path) -> Result<(), String> {
    let study = Study::read(path).map_err(|error| error.to_string())?;
    let (mut signals, _stopper) = Signals::on_request().expect("sockets");
    let mut executor = Simulated::new(Rc::clone(world));
    let mut watcher = Watcher::new(Rc::clone(world));
    let options = Options {
        accept_changes: true,
        ..Options::default()
    };
    let ended = run(&study, &mut executor, &mut signals, &mut watcher, &options);
    ended.map(drop).map_err(|error| error.to_string())
}
