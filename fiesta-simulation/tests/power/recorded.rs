//! A study that is recorded while it runs, and the states in which a power cut may leave it.

use fiesta_core::Streams;
use fiesta_runner::{Ledger, Study, ledger::Entry};
use fiesta_simulation::{
    default_vfs,
    disk::{self, Disk, Fate, Item, Obeys, Tree},
    record::{self, Call, PLACE, RECORD, Record},
    states::fates,
    study::{self, Jobs, RETURNED, Told},
};
use rand::{Rng, RngExt, seq::IndexedRandom};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// A study that was run to its end, and every change that was made on the way.
pub(crate) struct Recorded {
    root: TempDir,
    pub(crate) jobs: Jobs,
    vfs: &'static str,
    records: Vec<Record>,
    /// The study's directory and its entries afterwards.
    pub(crate) after: Tree,
    pub(crate) entries: Vec<Entry>,
    disk: Disk,
}

/// A state in which a power cut leaves the study, and what the user was told before it.
pub(crate) struct State {
    pub(crate) tree: Tree,
    /// Evaluations whose ends the user was told, each with the seconds since then.
    pub(crate) told: Vec<(f64, Told)>,
    /// Whether the user was told the conclusion.
    pub(crate) is_over: bool,
    /// The moment, and what is not on the disk.
    pub(crate) story: String,
}

/// How many states are looked at after each change, of each kind.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Choice {
    /// About so many, all if there are fewer.
    Most(usize),
    /// One at a time, after a change that chance draws: so many altogether.
    Drawn(usize),
}

impl Recorded {
    /// Runs the study, stopped once half-way.
    pub(crate) fn run(jobs: Jobs, vfs: &'static str) -> Self {
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() {
            TempDir::new_in(memory)
        } else {
            TempDir::new()
        };
        let root = root.unwrap();
        let place = fs::canonicalize(root.path()).unwrap().join("study");
        fs::create_dir(&place).unwrap();
        fs::write(place.join("study.toml"), study::text(jobs)).unwrap();
        fs::write(place.join("job.sh"), study::script()).unwrap();
        let disk = Disk::of(&place).unwrap();
        let kind = match jobs {
            Jobs::Calls => "calls",
            Jobs::Commands => "commands",
        };
        let ran = Command::new(env!("CARGO_BIN_EXE_fiesta-recorded"))
            .arg(kind)
            .arg(place.join("study.toml"))
            .arg(vfs)
            .env(PLACE, &place)
            .env(RECORD, root.path().join("record"))
            .status();
        assert!(ran.unwrap().success());
        fs::write(root.path().join("fast"), "").unwrap();
        Self {
            records: record::read(&root.path().join("record")).unwrap(),
            after: disk::read(&place).unwrap(),
            entries: Ledger::read(&place.join("study.fiesta")).unwrap(),
            root,
            jobs,
            vfs,
            disk,
        }
    }

    /// The directory of the study, in which each state is put.
    pub(crate) fn place(&self) -> PathBuf {
        self.root.path().join("study")
    }

    /// The file to which commands add their runs.
    pub(crate) fn calls(&self) -> PathBuf {
        self.root.path().join("calls")
    }

    pub(crate) fn study(&self) -> Study {
        Study::read(&self.place().join("study.toml")).unwrap()
    }

    /// Makes connections that are opened from now on use files as the recorded program did.
    pub(crate) fn use_vfs(&self) {
        default_vfs(self.vfs);
    }

    /// Returns what the study's directory holds by the record.
    pub(crate) fn by_record(&self) -> Tree {
        let mut disk = self.disk.clone();
        self.records.iter().for_each(|record| disk.take(&record.call));
        disk.whole()
    }

    /// Returns how many of the recorded calls are of this kind.
    pub(crate) fn count(&self, is_one: impl Fn(&Call) -> bool) -> usize {
        self.records.iter().filter(|record| is_one(&record.call)).count()
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// Passes states on a disk that obeys these syncs to `look`, as many as `choice` says. Returns
    /// how many there were.
    pub(crate) fn each(
        &self,
        obeys: Obeys,
        choice: Choice,
        seed: u64,
        mut look: impl FnMut(State),
    ) -> usize {
        let rng = &mut Streams::new(seed).run(0);
        let mut disk = self.disk.clone().obeying(obeys);
        let (mut told, mut is_over, mut count) = (Vec::new(), false, 0);
        let share = match choice {
            Choice::Most(_) => 1.0,
            Choice::Drawn(count) => count as f64 / self.len() as f64,
        };
        for (number, record) in self.records.iter().enumerate() {
            disk.take(&record.call);
            if let Call::Said(words) = &record.call {
                is_over |= words == RETURNED;
                told.extend(serde_json::from_str::<Told>(words).map(|told| (record.at, told)));
            }
            let states = match choice {
                Choice::Most(most) => states(&disk, most, rng),
                Choice::Drawn(_) if !rng.random_bool(share.min(1.0)) => continue,
                Choice::Drawn(_) => states(&disk, 16, rng).choose(rng).cloned().into_iter().collect(),
            };
            for state in states {
                let tree = after_boot(disk.after(state.iter().map(|(item, fate)| (item, *fate))));
                count += 1;
                look(State {
                    tree,
                    told: (told.iter().map(|(at, told)| (record.at - at, Told::clone(told)))).collect(),
                    is_over,
                    story: story(number, &record.call, &state),
                });
            }
        }
        count
    }
}

/// What becomes of each thing that is under way.
type Fates = Vec<(Item, Fate)>;

/// Returns about `most` states of the ledger's files, of all other files, and of both.
fn states(disk: &Disk, most: usize, rng: &mut impl Rng) -> Vec<Fates> {
    let is_ledger = |item: &Item| {
        let name = item.path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("ledger.db"))
    };
    let (ledger, rest): (Vec<Item>, Vec<Item>) = disk.under_way().into_iter().partition(is_ledger);
    let both: Vec<Item> = ledger.iter().chain(&rest).cloned().collect();
    let mut states = Vec::new();
    for (items, others) in [(&ledger, &rest), (&rest, &ledger), (&both, &Vec::new())] {
        for fates in fates(disk, items, most, rng) {
            for fate in [Fate::Lost, Fate::Kept] {
                let others = others.iter().map(|item| (item.clone(), fate));
                let own = items.iter().cloned().zip(fates.iter().copied());
                states.push(own.chain(others).collect());
                if others_are_none(items, &both) {
                    break;
                }
            }
        }
    }
    states
}

fn others_are_none(items: &[Item], both: &[Item]) -> bool {
    items.len() == both.len()
}

/// Returns a tree as the machine finds it when it was started anew: another boot.
fn after_boot(mut tree: Tree) -> Tree {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let boot = boot.trim_end();
    let earlier = "0".repeat(boot.len());
    for (path, content) in &mut tree {
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        if let Some(content) = content.as_mut().filter(|_| is_json)
            && let Ok(text) = std::str::from_utf8(content)
        {
            *content = text.replace(boot, &earlier).into_bytes();
        }
    }
    tree
}

fn story(number: usize, call: &Call, state: &Fates) -> String {
    let call = match call {
        Call::Written { inode, at, bytes } => format!("write {} bytes at {at} of {inode}", bytes.len()),
        call => format!("{call:?}"),
    };
    let lost = state.iter().filter(|(_, fate)| *fate != Fate::Kept);
    let lost: Vec<String> = lost.map(|(item, fate)| format!("{item} {fate:?}")).collect();
    format!("after call {number} ({call}), of {} under way: {}", state.len(), lost.join(", "))
}
