//! Places on hosts, given to the tasks that wait.

use super::{
    Ssh,
    host::Host,
    line::{Acquaintance, Health, Line},
    slots::{self, Allotment, Room, places},
    task::Begun,
};
use crate::executor::engine::{Task, TaskEnd};
use std::{collections::BTreeMap, path::PathBuf};

impl Ssh {
    /// The latest task of every run: an earlier one is in nobody's interest.
    pub(super) fn latest(&self) -> BTreeMap<PathBuf, Task> {
        let tasks = self.tasks.iter();
        tasks
            .map(|(task, entry)| (entry.run.clone(), task.clone()))
            .collect()
    }

    pub(super) fn save(&self) -> std::io::Result<()> {
        let placed = self.tasks.iter();
        let placed = placed.filter_map(|(task, entry)| Some((task, entry.place.as_ref()?)));
        slots::write(&self.slots, placed)
    }

    /// Gives places to tasks that wait.
    pub(super) fn allot(&mut self) {
        for entry in self.tasks.values_mut().filter(|entry| entry.holds()) {
            entry.look_here();
        }
        let latest = self.latest();
        for (task, entry) in &mut self.tasks {
            if entry.is_waiting() && latest[&entry.run] != *task {
                entry.withdrawn = Some(TaskEnd::Cancelled);
            }
        }
        let ready: Vec<Host> = self
            .lines
            .iter()
            .filter(|line| line.is_ready())
            .map(|line| line.host.clone())
            .collect();
        let taken = || self.tasks.values().filter_map(|entry| entry.place.as_ref());
        let mut rooms: Vec<Room> = ready.iter().map(|host| Room::of(host, taken())).collect();
        let waiting = self.tasks.iter().filter(|(_, entry)| entry.is_waiting());
        let (waiting, gpus): (Vec<Task>, Vec<usize>) = waiting
            .map(|(task, entry)| (task.clone(), entry.gpus))
            .unzip();
        let could = |at: usize, gpus: usize| ready[at].gpus.len() >= gpus;
        let given = places(&mut rooms, could, &gpus);
        let mut placed = Vec::new();
        for (task, place) in waiting.into_iter().zip(given) {
            if let (Some((at, gpus)), Some(entry)) = (place, self.tasks.get_mut(&task)) {
                entry.place = Some(Allotment {
                    run: entry.run.clone(),
                    host: ready[at].name.clone(),
                    gpus,
                    end: None,
                    free: false,
                });
                entry.begun = Begun::No;
                placed.push(task);
            }
        }
        if placed.is_empty() {
            return;
        }
        if let Err(error) = self.save() {
            let slots = self.slots.display();
            self.notices.push(format!(
                "no jobs are started, as {slots} cannot be written: {error}"
            ));
            for task in placed {
                if let Some(entry) = self.tasks.get_mut(&task) {
                    entry.place = None;
                }
            }
        }
    }

    /// Why nothing can be started anywhere, if that is so until somebody does something about it.
    pub(super) fn hopeless(&self) -> Option<String> {
        let lines = self.lines.iter();
        let is_hopeless = |line: &Line| {
            line.acquaintance < Acquaintance::Answered && matches!(line.health, Health::Unfit(_))
        };
        let troubles = lines.map(|line| line.trouble().filter(|_| is_hopeless(line)));
        let troubles: Option<Vec<String>> = troubles.collect();
        Some(troubles?.join("\n"))
    }

    /// What would have to be changed for a task with so many GPUs.
    pub(super) fn too_much(&self, gpus: usize) -> Option<String> {
        if self.lines.iter().any(|line| line.host.gpus.len() >= gpus) {
            return None;
        }
        let hosts = self.lines.iter();
        let hosts = hosts.map(|line| format!("{} has {}", line.host.name, line.host.gpus.len()));
        let hosts: Vec<String> = hosts.collect();
        Some(format!(
            "it needs {gpus} GPUs, and no host has so many ({}): write `gpus` of each host under [executor], or ask for fewer with gpus_per_job",
            hosts.join(", ")
        ))
    }
}
