//! Observation of GPUs: how the driver is asked for their state, and when it is asked again.

use super::{Slots, State};
use crate::{
    clock,
    gpu::{Context, Verdict, judge, owner},
    process::Identity,
    run::RunDirectory,
};
use std::{
    cell::LazyCell,
    mem,
    path::Path,
    time::{Duration, Instant},
};

/// Interval of looks at a GPU that should be free in a moment: at first, and in the end.
pub(super) const SOON: Duration = Duration::from_millis(10);
const OFTEN: Duration = Duration::from_millis(500);
/// Interval of looks at a GPU that is in use by somebody else, or does not become free.
pub(super) const NOW_AND_THEN: Duration = Duration::from_secs(2);

impl Slots {
    /// Looks again at the GPUs that are not free, if it is time.
    pub(in crate::controller) fn look(&mut self) {
        let now = clock::now();
        for place in 0..self.places.len() {
            if self.places[place].state != State::Free && self.places[place].due <= now {
                self.look_at(place, now);
            }
        }
    }

    /// Returns the time until the next look at a GPU that is not free.
    pub(in crate::controller) fn timeout(&self) -> Option<Duration> {
        let now = clock::now();
        let troubled = self
            .places
            .iter()
            .filter(|place| place.state != State::Free);
        troubled
            .map(|place| place.due.saturating_duration_since(now))
            .min()
    }

    pub(super) fn is_watched(&self, place: usize) -> bool {
        self.monitor.is_some() && self.places[place].known.is_some()
    }

    pub(super) fn look_at(&mut self, place: usize, now: Instant) {
        let before = self.places[place].state.clone();
        if let Some(state) = self.judge(place, &before, now) {
            self.settle(place, state, now);
        }
    }

    /// Returns the present state of a GPU that was `before`. `None` if no driver can tell.
    pub(super) fn judge(&mut self, place: usize, before: &State, now: Instant) -> Option<State> {
        if let State::Survived { processes, .. } = before {
            let left = processes.iter().any(Identity::is_alive);
            return Some(if left { before.clone() } else { State::Free });
        }
        let known = self.places[place].known.as_ref()?;
        let usage = match self.monitor.as_mut()?.usage(&known.uuid) {
            Ok(usage) => usage,
            Err(error) => {
                let reason = error.to_string();
                return Some(State::Quarantined { reason });
            }
        };
        let runs = &self.runs;
        let is_here = |places: &Vec<usize>| places.contains(&place);
        let supervisors = LazyCell::new(|| supervisors(runs.keys(), &self.directory));
        let watched = |pid| {
            let (_, run) = supervisors
                .iter()
                .find(|(supervisor, _)| supervisor.pid == pid)?;
            Some(run.clone())
        };
        let verdict = judge(
            &usage,
            &Context {
                is_here: &|run| runs.get(run).is_some_and(is_here),
                goes_on: &|run| runs.contains_key(run),
                in_use: runs.values().any(is_here),
                after_run: matches!(before, State::Waiting { .. } | State::Quarantined { .. }),
                unclaimed: self.places[place].unclaimed,
                owner: &|pid| owner(pid, &self.directory, watched),
            },
        );
        Some(match verdict {
            Verdict::Free { unclaimed } => {
                self.places[place].unclaimed = unclaimed.or(self.places[place].unclaimed);
                State::Free
            }
            Verdict::Held(who) => before.held(who, now),
            Verdict::Foreign(who) => before.foreign(who, now),
        })
    }

    /// Sets the state of a GPU, tells the user if it changed, and schedules the next look.
    pub(super) fn settle(&mut self, place: usize, state: State, now: Instant) {
        let at = &mut self.places[place];
        let changed = mem::discriminant(&at.state) != mem::discriminant(&state);
        at.pause = match state.is_passing() {
            true if changed => SOON,
            true => (at.pause * 2).min(OFTEN),
            false => NOW_AND_THEN,
        };
        at.due = now + at.pause;
        let before = mem::replace(&mut at.state, state);
        self.pool
            .set_aside(place, self.places[place].state != State::Free);
        let at = &self.places[place];
        let again = format!("it is looked at again every {} s", NOW_AND_THEN.as_secs());
        let gpu = at.label();
        if changed {
            match &at.state {
                State::Free if !before.is_passing() => {
                    self.notices.push(format!("{gpu} is free again"));
                }
                State::Free | State::Waiting { .. } | State::Doubtful { .. } => {}
                State::Quarantined { reason } => self
                    .notices
                    .push(format!("{gpu} is put aside: {reason}; {again}")),
                State::Foreign { reason } => self
                    .notices
                    .push(format!("{gpu} is skipped: {reason}; {again}")),
                State::Survived { reason, .. } => self.notices.push(format!(
                    "{gpu} is put aside: {reason}, and there is no driver to ask what they hold"
                )),
            }
        }
        if self.places[place].state != before {
            self.publish();
        }
    }
}

/// Returns the live supervisors of the named runs.
fn supervisors<'r>(
    runs: impl Iterator<Item = &'r String>,
    directory: &Path,
) -> Vec<(Identity, String)> {
    let supervisor = |run: &String| {
        let meta = RunDirectory::new(directory.join(run)).read_meta().ok()??;
        let lives = meta.supervisor.is_alive();
        lives.then(|| (meta.supervisor, run.clone()))
    };
    runs.filter_map(supervisor).collect()
}
