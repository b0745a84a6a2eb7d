//! The line to a host: a thread that passes on one message at a time, and what is known of the
//! host.

use super::{
    call::Way,
    failure::Failure,
    host::Host,
    message::{Hello, Reply, Request},
};
use std::{
    io,
    sync::{
        Arc,
        mpsc::{Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// What a host answered.
#[derive(Debug)]
pub(super) struct Heard {
    /// Which one.
    pub(super) host: usize,
    /// What it was asked.
    pub(super) request: Request,
    pub(super) result: Result<(Hello, Reply), Failure>,
}

/// Whether a host takes tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Health {
    /// Nobody has asked it yet.
    Untried,
    Ready,
    /// It was not reached.
    OutOfReach(String),
    /// Something must be done about it.
    Unfit(String),
}

/// How far this controller and a host have got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Acquaintance {
    None,
    /// There may be a connection.
    Asked,
    Answered,
}

/// How long a host that does not answer is left alone, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A host that answered before is not seen if an answer takes so long.
const SILENCE: Duration = Duration::from_secs(5);
/// How long one is left alone about which something must be done: those that guard machines count
/// refusals.
const REPAIR: Duration = Duration::from_mins(1);

/// A host, and the thread that speaks to it.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) host: Host,
    pub(super) health: Health,
    /// Whether a message is on its way.
    pub(super) is_busy: bool,
    pub(super) acquaintance: Acquaintance,
    /// Supervisors that vanished there since the last run that ended.
    pub(super) vanished: u32,
    /// Whether the latest message to a host that answers was lost.
    stumbled: bool,
    orders: Sender<Request>,
    next_try: Instant,
    pause: Duration,
    asked_at: Instant,
}

impl Line {
    /// Opens the line to the host of this number.
    pub(super) fn open(
        number: usize,
        host: Host,
        way: &Arc<Way>,
        told: Sender<Heard>,
    ) -> io::Result<Self> {
        let (orders, taken) = channel::<Request>();
        let (way, own) = (Arc::clone(way), host.clone());
        thread::Builder::new()
            .name("fiesta-ssh".to_owned())
            .spawn(move || {
                for request in taken {
                    let result = way.exchange(&own, &request);
                    let heard = Heard {
                        host: number,
                        request,
                        result,
                    };
                    if told.send(heard).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self {
            host,
            health: Health::Untried,
            is_busy: false,
            acquaintance: Acquaintance::None,
            vanished: 0,
            stumbled: false,
            orders,
            next_try: Instant::now(),
            pause: FIRST_PAUSE,
            asked_at: Instant::now(),
        })
    }

    pub(super) fn is_ready(&self) -> bool {
        self.health == Health::Ready
    }

    /// Whether it can be asked now.
    pub(super) fn is_due(&self) -> bool {
        !self.is_busy && (self.is_ready() || Instant::now() >= self.next_try)
    }

    /// Asks it, also where it was not reached just now.
    pub(super) fn ask(&mut self, request: Request) {
        self.acquaintance = self.acquaintance.max(Acquaintance::Asked);
        self.asked_at = Instant::now();
        self.is_busy = self.orders.send(request).is_ok();
    }

    /// Takes in that it answered; what is to be told of it.
    pub(super) fn answered(&mut self) -> Option<String> {
        self.acquaintance = Acquaintance::Answered;
        self.stumbled = false;
        self.pause = FIRST_PAUSE;
        let before = std::mem::replace(&mut self.health, Health::Ready);
        let is_news = !matches!(before, Health::Ready | Health::Untried);
        is_news.then(|| format!("{} answers again", self.host.name))
    }

    /// Takes in that it did not answer; what is to be told of it. Of a host that answered before,
    /// the connection may just have been closed: it is asked once more.
    pub(super) fn failed(&mut self, failure: &Failure) -> Option<String> {
        let is_first = self.is_ready() && !self.stumbled;
        if is_first && !matches!(failure, Failure::Unfit(_)) {
            self.stumbled = true;
            return None;
        }
        let name = &self.host.name;
        let words = failure.words().to_owned();
        let (health, pause, outlook) = match failure {
            Failure::Unfit(_) => (
                Health::Unfit(words.clone()),
                REPAIR,
                "it gets no jobs until that is mended",
            ),
            Failure::OutOfReach(_) | Failure::Unclear(_) => (
                Health::OutOfReach(words.clone()),
                self.pause,
                "it is tried again, and what runs there goes on",
            ),
        };
        self.next_try = Instant::now() + pause;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        let before = std::mem::replace(&mut self.health, health);
        // One that is out of reach may say so in other words each time.
        let is_news = match (&before, &self.health) {
            (Health::OutOfReach(_), Health::OutOfReach(_)) => false,
            (before, now) => before != now,
        };
        is_news.then(|| format!("{name} cannot be used: {words}; {outlook}"))
    }

    /// Why nothing is known of its tasks; none if it answers.
    pub(super) fn trouble(&self) -> Option<String> {
        let silence = self.asked_at.elapsed();
        match &self.health {
            // ssh finds out later that a connection is dead.
            Health::Ready if self.is_busy && silence >= SILENCE => Some(format!(
                "{}: no answer for {} s",
                self.host.name,
                silence.as_secs()
            )),
            Health::Ready => None,
            Health::Untried => Some(format!("{}: not asked yet", self.host.name)),
            Health::OutOfReach(words) | Health::Unfit(words) => {
                Some(format!("{}: {words}", self.host.name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_told_of_once() {
        let (told, _heard) = channel();
        let way = Arc::new(Way {
            options: Vec::new(),
            prologue: Vec::new(),
            program: "/fiesta".into(),
            place: "/".into(),
            sockets: None,
        });
        let mut line = Line::open(0, Host::named("bob").unwrap(), &way, told).unwrap();
        let away = |words: &str| Failure::OutOfReach(words.to_owned());
        let said = line.failed(&away("Connection refused")).unwrap();
        assert!(!line.is_ready());
        assert!(
            said.contains("bob") && said.contains("Connection refused"),
            "{said}"
        );
        assert_eq!(line.failed(&away("Connection timed out")), None);
        assert!(!line.is_due() && !line.is_ready());
        assert!(line.answered().unwrap().contains("answers again"));
        assert_eq!(line.answered(), None);
        assert!(line.is_due() && line.trouble().is_none());
        assert_eq!(line.failed(&away("Broken pipe")), None);
        assert!(line.is_ready() && line.answered().is_none());
        assert!(line.failed(&Failure::Unfit("no key".to_owned())).is_some());
        assert_eq!(line.trouble().unwrap(), "bob: no key");
    }
}
