//! A study that is recorded while it runs, and the states in which a power cut may leave it.

use crate::resumed::is_durable;
use fiesta_core::Streams;
use fiesta_runner::{Ledger, Study, ledger::Entry};
use fiesta_simulation::power::{
    default_vfs,
    disk::{self, Disk, Fate, Item, Obeys, Tree},
    record::{self, Call, PLACE, RECORD, Record},
    states::fates,
    study::{self, Jobs, RETURNED, Told},
};
use rand::{Rng, RngExt, seq::IndexedRandom};
use std::{
    collections::HashSet,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// A study that was run to its end, and every change that was made on the way.
pub(crate) struct Recorded {
    root: TempDir,
    pub(crate) jobs: Jobs,
    pub(crate) vfs: &'static str,
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
    /// At most about this many, all if there are fewer.
    Most(u32),
    /// One at a time, after a change that chance draws: so many altogether.
    Drawn(u32),
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
        self.records
            .iter()
            .for_each(|record| disk.take(&record.call));
        disk.whole()
    }

    /// Returns how many of the recorded calls are of this kind.
    pub(crate) fn count(&self, is_one: impl Fn(&Call) -> bool) -> usize {
        self.records
            .iter()
            .filter(|record| is_one(&record.call))
            .count()
    }

    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.records.len()).unwrap()
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
        let (mut before, mut seen) = ([Vec::new(), Vec::new()], HashSet::new());
        for (number, record) in self.records.iter().enumerate() {
            disk.take(&record.call);
            if let Call::Said(words) = &record.call {
                is_over |= words == RETURNED;
                told.extend(serde_json::from_str::<Told>(words).map(|told| (record.at, told)));
            }
            let under_way = parts(&disk);
            let states = match choice {
                Choice::Most(most) => states(&disk, &under_way, &before, most, rng),
                Choice::Drawn(count) if rng.random_ratio(count.min(self.len()), self.len()) => {
                    let none = [Vec::new(), Vec::new()];
                    let states = states(&disk, &under_way, &none, 16, rng);
                    states.choose(rng).cloned().into_iter().collect()
                }
                Choice::Drawn(_) => Vec::new(),
            };
            before = under_way;
            for state in states {
                let tree = after_boot(disk.after(state.iter().map(|(item, fate)| (item, *fate))));
                let told: Vec<_> = told
                    .iter()
                    .map(|(at, told)| (record.at - at, Told::clone(told)))
                    .collect();
                let state = State {
                    tree,
                    told,
                    is_over,
                    story: story(number, &record.call, &state),
                };
                if seen.insert(digest(&state)) {
                    count += 1;
                    look(state);
                }
            }
        }
        count
    }
}

/// Returns a number for a state and what must hold of it.
fn digest(state: &State) -> u64 {
    let mut hasher = DefaultHasher::new();
    let must = state
        .told
        .iter()
        .filter(|(since, told)| is_durable(*since, told));
    (&state.tree, must.count(), state.is_over).hash(&mut hasher);
    hasher.finish()
}

/// What becomes of each thing that is under way.
type Fates = Vec<(Item, Fate)>;

/// Returns what is under way of the ledger's files, and of all others.
fn parts(disk: &Disk) -> [Vec<Item>; 2] {
    let is_ledger = |item: &Item| {
        let name = item.path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("ledger.db"))
    };
    let (ledger, rest) = disk.under_way().into_iter().partition(is_ledger);
    [ledger, rest]
}

/// Returns about `most` states of the ledger's files while all others are lost or kept, a quarter as
/// many of the others, and of both. Leaves out those of a part that is as it was `before`.
fn states(
    disk: &Disk,
    [ledger, rest]: &[Vec<Item>; 2],
    before: &[Vec<Item>; 2],
    most: u32,
    rng: &mut impl Rng,
) -> Vec<Fates> {
    let (most, few) = (most as usize, (most / 4) as usize);
    let both: Vec<Item> = ledger.iter().chain(rest).cloned().collect();
    let mut states = Vec::new();
    if *ledger != before[0] {
        states.extend(among(disk, ledger, rest, most, rng));
    }
    if *rest != before[1] {
        states.extend(among(disk, rest, ledger, few, rng));
    }
    states.extend(among(disk, &both, &[], few, rng));
    states
}

/// Returns states of some items, while chance decides whether all others are lost or kept.
fn among(
    disk: &Disk,
    items: &[Item],
    others: &[Item],
    most: usize,
    rng: &mut impl Rng,
) -> Vec<Fates> {
    let mut states = Vec::new();
    for fates in fates(disk, items, most, rng) {
        let is_kept = rng.random_bool(0.5);
        let other = if is_kept { Fate::Kept } else { Fate::Lost };
        let others = others.iter().map(|item| (item.clone(), other));
        states.push(items.iter().cloned().zip(fates).chain(others).collect());
    }
    states
}

/// Returns a tree as the machine finds it when it was started anew: another boot.
fn after_boot(mut tree: Tree) -> Tree {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let boot = boot.trim_end();
    let earlier = "0".repeat(boot.len());
    for (path, content) in &mut tree {
        let is_json = path
            .extension()
            .is_some_and(|extension| extension == "json");
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
        Call::Written { inode, at, bytes } => {
            format!("write {} bytes at {at} of {inode}", bytes.len())
        }
        call => format!("{call:?}"),
    };
    let lost = state.iter().filter(|(_, fate)| *fate != Fate::Kept);
    let lost: Vec<String> = lost
        .map(|(item, fate)| format!("{item} {fate:?}"))
        .collect();
    format!(
        "after call {number} ({call}), of {} under way: {}",
        state.len(),
        lost.join(", ")
    )
}
