//! Allotments: which host, and which of its GPUs, a task has. They are written down before a host
//! hears of them, so that the next controller gives nothing away twice.

use super::host::Host;
use crate::{
    executor::engine::{Task, TaskEnd},
    private,
    run::files::{read_whole, temporary},
};
use serde::{Deserialize, Serialize};
use std::{
    cmp::Reverse,
    collections::BTreeMap,
    fs, io,
    io::Write,
    path::{Path, PathBuf},
};

/// The place of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Allotment {
    pub(super) run: PathBuf,
    /// The host, as the study file names it.
    pub(super) host: String,
    /// Those of the host's GPUs that the task has.
    pub(super) gpus: Vec<String>,
    /// How the task ended, if it did.
    pub(super) end: Option<TaskEnd>,
    /// Whether nothing of it is on the host any more.
    pub(super) free: bool,
}

#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    task: Task,
    #[serde(flatten)]
    allotment: Allotment,
}

/// Reads the allotments of earlier controllers.
pub(super) fn read(path: &Path) -> io::Result<BTreeMap<Task, Allotment>> {
    let lines: Option<Vec<Line>> = read_whole(path)?;
    let lines = lines.unwrap_or_default().into_iter();
    Ok(lines.map(|line| (line.task, line.allotment)).collect())
}

/// Writes them down, and waits for the disk.
pub(super) fn write<'a>(
    path: &Path,
    allotments: impl Iterator<Item = (&'a Task, &'a Allotment)>,
) -> io::Result<()> {
    // Of a run that ended well, its directory tells as much.
    let kept = |allotment: &Allotment| !allotment.free || allotment.end != Some(TaskEnd::Completed);
    let lines: Vec<Line> = allotments
        .filter(|(_, allotment)| kept(allotment))
        .map(|(task, allotment)| Line {
            task: task.clone(),
            allotment: allotment.clone(),
        })
        .collect();
    let own = temporary(path);
    let mut file = private::create(&own)?;
    file.write_all(&serde_json::to_vec(&lines)?)?;
    file.sync_data()?;
    fs::rename(own, path)
}

/// What a host has left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Room {
    slots: usize,
    gpus: Vec<String>,
}

impl Room {
    /// Of a host, some of whose places are taken.
    pub(super) fn of<'a>(host: &Host, taken: impl Iterator<Item = &'a Allotment>) -> Self {
        let mut slots = host.slots;
        let mut gpus = host.gpus.clone();
        for allotment in taken.filter(|taken| !taken.free && taken.host == host.name) {
            slots = slots.saturating_sub(1);
            gpus.retain(|gpu| !allotment.gpus.contains(gpu));
        }
        Self { slots, gpus }
    }

    /// GPUs for a task, if there is room for it.
    pub(super) fn take(&mut self, gpus: usize) -> Option<Vec<String>> {
        if self.slots == 0 || self.gpus.len() < gpus {
            return None;
        }
        self.slots -= 1;
        Some(self.gpus.drain(..gpus).collect())
    }
}

/// The places for tasks that wait, in their order, each with the GPUs it needs; `rooms` are those
/// of the hosts that take tasks, of which `could` says whether one could ever carry out a task.
///
/// The emptiest host takes the next task. A task that does not fit now is not passed by later ones
/// on hosts that could carry it out: else one that needs several GPUs might wait for ever.
pub(super) fn places(
    rooms: &mut [Room],
    could: impl Fn(usize, usize) -> bool,
    waiting: &[usize],
) -> Vec<Option<(usize, Vec<String>)>> {
    let mut is_kept = vec![false; rooms.len()];
    waiting
        .iter()
        .map(|&gpus| {
            let fits = |room: &Room| room.slots > 0 && room.gpus.len() >= gpus;
            let fitting = (0..rooms.len()).filter(|&at| !is_kept[at] && fits(&rooms[at]));
            // Of equals the first.
            let best = fitting.max_by_key(|&at| (rooms[at].slots, Reverse(at)));
            let Some(best) = best else {
                for (at, kept) in is_kept.iter_mut().enumerate() {
                    *kept |= could(at, gpus);
                }
                return None;
            };
            rooms[best].take(gpus).map(|given| (best, given))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str, slots: usize, gpus: &[&str]) -> Host {
        Host {
            slots,
            gpus: gpus.iter().map(ToString::to_string).collect(),
            ..Host::named(name).unwrap()
        }
    }

    fn task(number: u32) -> Task {
        let batch = "b".to_owned();
        Task { batch, number }
    }

    fn allotment(host: &str, gpus: &[&str]) -> Allotment {
        Allotment {
            run: "/r".into(),
            host: host.to_owned(),
            gpus: gpus.iter().map(ToString::to_string).collect(),
            end: None,
            free: false,
        }
    }

    #[test]
    fn what_is_taken_is_not_given_again() {
        let alice = host("alice", 2, &["0", "1"]);
        let mut taken = [allotment("alice", &["0"]), allotment("bob", &["1"])];
        let mut room = Room::of(&alice, taken.iter());
        assert_eq!(room.take(2), None);
        assert_eq!(room.take(1), Some(vec!["1".to_owned()]));
        assert_eq!(room.take(0), None);
        taken[0].free = true;
        assert_eq!(Room::of(&alice, taken.iter()).gpus, ["0", "1"]);
    }

    #[test]
    fn tasks_go_to_the_emptiest_host_and_none_is_starved() {
        let hosts = [host("a", 1, &["0"]), host("b", 3, &["0", "1"])];
        let rooms = || hosts.each_ref().map(|host| Room::of(host, [].iter()));
        let could = |at: usize, gpus: usize| hosts[at].gpus.len() >= gpus;
        let at = |waiting: &[usize]| -> Vec<Option<usize>> {
            let places = places(&mut rooms(), could, waiting);
            places
                .into_iter()
                .map(|place| place.map(|place| place.0))
                .collect()
        };
        assert_eq!(
            at(&[0, 0, 0, 0, 0]),
            [Some(1), Some(1), Some(0), Some(1), None]
        );
        // The third needs both GPUs of b, which must come free for it.
        assert_eq!(at(&[1, 2, 0, 1]), [Some(1), None, Some(0), None]);
    }

    #[test]
    fn allotments_come_back_from_their_file() {
        let place = tempfile::TempDir::new().unwrap();
        let path = place.path().join("slots.json");
        assert_eq!(read(&path).unwrap(), BTreeMap::new());
        let mut all = BTreeMap::from([
            (task(1), allotment("a", &["0"])),
            (task(2), allotment("b", &[])),
            (task(3), allotment("b", &[])),
        ]);
        let ended = |end| Allotment {
            end: Some(end),
            free: true,
            ..allotment("b", &[])
        };
        all.insert(task(2), ended(TaskEnd::Completed));
        all.insert(task(3), ended(TaskEnd::NodeFailed));
        write(&path, all.iter()).unwrap();
        all.remove(&task(2));
        assert_eq!(read(&path).unwrap(), all);
    }
}
