//! Messages to hosts, what they answer, and hosts that are given up.

use super::{
    Ssh,
    failure::Failure,
    line::{Heard, Line},
    message::{Request, Sight},
    task::{Begun, Part},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

impl Ssh {
    /// Sends a host what there is for it. With `anyway`, it is asked also if there is nothing.
    pub(super) fn dispatch(&mut self, number: usize, anyway: bool) {
        if self.lines[number].is_due() {
            self.send(number, anyway);
        }
    }

    pub(super) fn send(&mut self, number: usize, anyway: bool) {
        let line = &mut self.lines[number];
        let mut request = Request::default();
        let mut named = BTreeSet::new();
        // Of two tasks of a run the later one counts.
        for entry in self
            .tasks
            .values()
            .rev()
            .filter(|entry| entry.is_on(&line.host))
        {
            if !named.insert(&entry.run) {
                continue;
            }
            match entry.part() {
                Part::Start => request.start.push(entry.order()),
                Part::Look => request.look.push(entry.run.clone()),
                Part::Stop => request.stop.push(entry.run.clone()),
            }
        }
        if anyway || request != Request::default() {
            line.ask(request);
        }
    }

    /// Takes in what hosts answered, for at most so long as there is something to wait for.
    pub(super) fn hear(&mut self, limit: Duration, mut is_awaited: impl FnMut(&[Line]) -> bool) {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let left = if is_awaited(&self.lines) {
                left
            } else {
                Duration::ZERO
            };
            match self.answers.recv_timeout(left) {
                Ok(heard) => self.take_in(heard),
                Err(_) => return,
            }
        }
    }

    pub(super) fn take_in(&mut self, heard: Heard) {
        let line = &mut self.lines[heard.host];
        line.is_busy = false;
        let host = line.host.clone();
        match heard.result {
            Ok((_, reply)) => {
                let told = line.answered();
                self.notices.extend(told);
                for (run, sight) in reply.runs {
                    self.note(heard.host, &run, &sight);
                }
            }
            Err(failure) => {
                let told = line.failed(&failure);
                self.notices.extend(told);
                let is_unclear = matches!(failure, Failure::Unclear(_));
                let orders: BTreeSet<PathBuf> = heard
                    .request
                    .start
                    .into_iter()
                    .map(|order| order.run)
                    .collect();
                for entry in self.tasks.values_mut() {
                    if !entry.is_on(&host) || !orders.contains(&entry.run) {
                        continue;
                    }
                    if is_unclear {
                        entry.begun = Begun::Perhaps;
                    } else if entry.begun == Begun::No && !entry.stop {
                        // It never heard of it: another host may have it.
                        entry.place = None;
                    }
                }
                // What it did not hear, or not answer, once more.
                self.dispatch(heard.host, false);
            }
        }
        // What cannot be written now is asked again.
        let _ = self.save();
    }

    pub(super) fn note(&mut self, number: usize, run: &Path, sight: &Sight) {
        let line = &mut self.lines[number];
        let entries = self.tasks.values_mut();
        let host = line.host.clone();
        let entries = entries.filter(|entry| entry.run == run && entry.is_on(&host));
        let mut trouble = None;
        for entry in entries {
            if let Some(words) = entry.note(sight, &mut line.vanished) {
                let log = File::options().append(true).create(true).open(&entry.log);
                if let Ok(mut log) = log {
                    // Whoever reads it misses it otherwise.
                    let _ = writeln!(log, "{}: {words}", host.name);
                }
                trouble = Some(words);
            }
        }
        if let Some(words) = trouble {
            let told = line.failed(&Failure::Unfit(words));
            self.notices.extend(told);
        }
    }

    /// Gives up what has shown no sign of life for too long on hosts that do not tell of it.
    pub(super) fn give_up(&mut self) {
        let mut lost: BTreeMap<String, usize> = BTreeMap::new();
        for entry in self.tasks.values_mut() {
            let Some(place) = &entry.place else { continue };
            let host = place.host.clone();
            let line = self.lines.iter().find(|line| line.host.name == host);
            let is_ready = line.is_some_and(Line::is_ready);
            if entry.is_given_up(is_ready, self.lost_after) {
                *lost.entry(host).or_default() += 1;
            }
        }
        let after = humantime::format_duration(self.lost_after);
        for (host, count) in lost {
            let runs = if count == 1 {
                "1 run".to_owned()
            } else {
                format!("{count} runs")
            };
            self.notices.push(format!(
                "{host} is given up with {runs}: it is out of reach, and their directories have shown no sign of life for {after}; they are made again elsewhere"
            ));
        }
    }

    /// What keeps a host from being seen; none if nothing does.
    pub(super) fn trouble_of(&self, host: &str) -> Option<String> {
        match self.lines.iter().find(|line| line.host.name == host) {
            Some(line) => line.trouble(),
            None => Some(format!("{host} is no longer among the study's hosts")),
        }
    }
}
