//! Thread that looks at the studies while somebody has their page open.

use super::page::Watched;
use fiesta_report::html::live::{LivePage, LiveStudy};
use fiesta_runner::executor::EngineKind;
use rustix::time::{ClockId, clock_gettime};
use std::{
    collections::BTreeMap,
    io,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tokio::sync::watch;

/// Shortest time between two looks at the studies.
const EVERY: Duration = Duration::from_secs(1);
/// Rest after a look, in multiples of the processor time that the look took. Looks of up to 2 s
/// thus take at most 1/30 of one core, whatever a study is like.
const REST: u32 = 30;
/// Longest rest between two looks. Without it, numbers could be an hour old.
const LONGEST: Duration = Duration::from_mins(1);

/// The page as of one look at the studies.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    /// The whole page, as HTML.
    pub(super) html: String,
    /// Parts of the page by their ids, each with the number of the look at which it last changed.
    pub(super) parts: BTreeMap<String, (u64, Arc<str>)>,
    /// Number of looks so far.
    pub(super) look: u64,
    at: Option<Instant>,
}

impl Snapshot {
    /// Returns whether the page is at most two looks old, as it is for viewers who have it open.
    pub(super) fn is_fresh(&self) -> bool {
        self.at.is_some_and(|at| at.elapsed() < EVERY * 2)
    }
}

/// Interest in the page: the number of viewers, and whether the server has stopped.
#[derive(Debug, Default)]
struct Interest {
    viewers: usize,
    /// Whether somebody has asked for one look now.
    asked: bool,
    over: bool,
}

#[derive(Debug, Default)]
struct Bell {
    interest: Mutex<Interest>,
    rung: Condvar,
}

impl Bell {
    fn interest(&self) -> MutexGuard<'_, Interest> {
        // A number is whole whatever happened to whoever held it.
        self.interest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Handle of the thread that looks at the studies, with the latest page. When it is dropped, the thread ends after its current look.
#[derive(Debug)]
pub(super) struct Looker {
    bell: Arc<Bell>,
    found: watch::Receiver<Arc<Snapshot>>,
}

/// Viewer of the page, who counts until this value is dropped.
#[derive(Debug)]
pub(super) struct Viewer(Arc<Bell>);

impl Drop for Viewer {
    fn drop(&mut self) {
        self.0.interest().viewers -= 1;
    }
}

impl Drop for Looker {
    fn drop(&mut self) {
        self.bell.interest().over = true;
        self.bell.rung.notify_one();
    }
}

impl Looker {
    pub(super) fn start(studies: Vec<PathBuf>, kinds: &'static [EngineKind]) -> io::Result<Self> {
        let bell = Arc::new(Bell::default());
        let unread = studies.iter().map(|path| Watched::unread(path));
        let page = LivePage {
            studies: unread.collect(),
        };
        let first = Arc::new(Snapshot {
            html: page.html(),
            ..Snapshot::default()
        });
        let (tell, found) = watch::channel(first);
        let of_thread = Arc::clone(&bell);
        thread::Builder::new()
            .name("looker".to_owned())
            .spawn(move || look(&studies, kinds, &of_thread, &tell))?;
        Ok(Self { bell, found })
    }

    /// Adds a viewer of the page.
    pub(super) fn viewer(&self) -> Viewer {
        self.bell.interest().viewers += 1;
        self.bell.rung.notify_one();
        Viewer(Arc::clone(&self.bell))
    }

    /// Asks for a look as soon as one is due.
    pub(super) fn ask(&self) {
        self.bell.interest().asked = true;
        self.bell.rung.notify_one();
    }

    /// Returns a channel with the latest page, which also tells of later ones.
    pub(super) fn found(&self) -> watch::Receiver<Arc<Snapshot>> {
        self.found.clone()
    }
}

/// Looks at the studies whenever there are viewers and a look is due, until the server stops.
fn look(
    studies: &[PathBuf],
    kinds: &'static [EngineKind],
    bell: &Bell,
    tell: &watch::Sender<Arc<Snapshot>>,
) {
    let watched = studies.iter().map(|path| Watched::new(path, kinds));
    let mut watched: Vec<Watched> = watched.collect();
    let mut snapshot = Arc::clone(&tell.borrow());
    let mut due = Instant::now();
    loop {
        if !wait(bell, due) {
            return;
        }
        let began = processor_time();
        let studies: Vec<LiveStudy> = watched.iter_mut().map(Watched::look).collect();
        let next = Arc::new(after(&snapshot, &LivePage { studies }));
        tell.send_replace(Arc::clone(&next));
        snapshot = next;
        let took = processor_time().saturating_sub(began);
        due = Instant::now() + (took * REST).clamp(EVERY, LONGEST);
    }
}

/// Waits until a look is wanted and due. Returns false if the server stops.
fn wait(bell: &Bell, due: Instant) -> bool {
    let mut interest = bell.interest();
    loop {
        if interest.over {
            return false;
        }
        let rest = due.saturating_duration_since(Instant::now());
        let is_wanted = interest.viewers > 0 || interest.asked;
        interest = if !is_wanted {
            let woken = bell.rung.wait(interest);
            woken.unwrap_or_else(PoisonError::into_inner)
        } else if rest.is_zero() {
            interest.asked = false;
            return true;
        } else {
            let woken = bell.rung.wait_timeout(interest, rest);
            woken.unwrap_or_else(PoisonError::into_inner).0
        };
    }
}

/// Returns the page after another look. Parts that did not change keep the number of their look.
fn after(before: &Snapshot, page: &LivePage) -> Snapshot {
    let look = before.look + 1;
    let parts = page.parts().into_iter().map(|(id, html)| {
        let part = match before.parts.get(&id) {
            Some((since, same)) if **same == *html => (*since, Arc::clone(same)),
            _ => (look, Arc::from(html)),
        };
        (id, part)
    });
    let parts: BTreeMap<_, _> = parts.collect();
    let is_new = before.look == 0 || parts.values().any(|(since, _)| *since == look);
    Snapshot {
        html: if is_new {
            page.html()
        } else {
            before.html.clone()
        },
        parts,
        look,
        at: Some(Instant::now()),
    }
}

/// Returns the processor time that this thread has used.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}
