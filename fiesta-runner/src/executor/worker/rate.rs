//! The rate limit of cases: a steady pace, also over restarts.

use crate::private;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant, SystemTime};

/// Time by which a case may be sent too early, to make up for one that was sent too late.
const SLACK: Duration = Duration::from_millis(50);

/// Limit of the number of cases in a time, at a steady pace.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateLimit {
    per_second: f64,
}

/// A text that is no rate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no rate: write a number of cases and a time, such as \"10/s\", \"60/min\" or \"1000/h\""
)]
pub struct BadRate(String);

impl RateLimit {
    /// Returns the limit in cases per second.
    pub fn per_second(self) -> f64 {
        self.per_second
    }

    /// The time from one case to the next.
    fn interval(self) -> Duration {
        Duration::try_from_secs_f64(1.0 / self.per_second).unwrap_or(Duration::MAX)
    }
}

impl FromStr for RateLimit {
    type Err = BadRate;

    fn from_str(text: &str) -> Result<Self, BadRate> {
        let bad = || BadRate(text.to_owned());
        let (number, unit) = text.split_once('/').ok_or_else(bad)?;
        let number: f64 = number.trim().parse().map_err(|_| bad())?;
        let seconds = match unit.trim() {
            "s" | "sec" | "second" => 1.0,
            "m" | "min" | "minute" => 60.0,
            "h" | "hour" => 3600.0,
            "d" | "day" => 86400.0,
            _ => return Err(bad()),
        };
        let per_second = number / seconds;
        // A case in a thousand years, or a billion in a second, are meant by nobody.
        if (3e-11..=1e9).contains(&per_second) {
            Ok(Self { per_second })
        } else {
            Err(bad())
        }
    }
}

/// Pace at which cases are sent: the time at which the next one may be.
#[derive(Debug)]
pub(super) struct Pace {
    interval: Duration,
    next: Instant,
    /// File whose modification time tells a later controller when the latest case was sent.
    stamp: PathBuf,
    file: Option<File>,
}

impl Pace {
    /// Makes a pace that continues the one of an earlier controller.
    pub(super) fn new(limit: RateLimit, place: &Path) -> Self {
        let interval = limit.interval();
        let stamp = place.join("latest");
        let latest = fs::metadata(&stamp).and_then(|data| data.modified()).ok();
        let wait = latest.map_or(Duration::ZERO, |latest| {
            // A clock that was set back says nothing: then it was just now.
            let since = SystemTime::now().duration_since(latest).unwrap_or_default();
            interval.saturating_sub(since)
        });
        let now = Instant::now();
        Self {
            interval,
            next: now.checked_add(wait).unwrap_or(now),
            stamp,
            file: None,
        }
    }

    /// Returns the time at which the next case may be sent.
    pub(super) fn next(&self) -> Instant {
        self.next
            .checked_sub(SLACK.min(self.interval))
            .unwrap_or(self.next)
    }

    /// Notes that a case is sent now.
    pub(super) fn take(&mut self, now: Instant) {
        let due = self.next.max(now);
        self.next = due.checked_add(self.interval).unwrap_or(due);
        if self.file.is_none() {
            self.file = private::create(&self.stamp).ok();
        }
        if let Some(file) = &self.file {
            // Without it, the next controller may send its first case too early.
            let _ = file.set_modified(SystemTime::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> f64 {
        text.parse::<RateLimit>().unwrap().per_second()
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "these quotients are exact")]
    fn rates_are_read() {
        assert_eq!(
            [rate("10/s"), rate("60/min"), rate("1800 / h")],
            [10.0, 1.0, 0.5]
        );
        for text in [
            "", "10", "/s", "10/x", "0/s", "-1/s", "nan/s", "inf/s", "10/s/s",
        ] {
            assert!(text.parse::<RateLimit>().is_err(), "{text}");
        }
    }

    /// Returns when cases are sent, as early as they may be, by a sender that is woken late now and
    /// then.
    fn sent(limit: &str, seconds: f64, late: impl Fn(usize) -> Duration) -> Vec<Duration> {
        let place = tempfile::TempDir::new().unwrap();
        let mut pace = Pace::new(limit.parse().unwrap(), place.path());
        let start = Instant::now();
        let mut now = start;
        let mut sent = Vec::new();
        loop {
            now = now.max(pace.next()) + late(sent.len());
            if now - start > Duration::from_secs_f64(seconds) {
                return sent;
            }
            pace.take(now);
            sent.push(now - start);
        }
    }

    #[test]
    fn the_pace_is_steady_and_small_delays_are_made_up_for() {
        for (limit, seconds, expected) in [("50/s", 20.0, 1000.0), ("60/min", 600.0, 600.0)] {
            let sent = sent(limit, seconds, |n| Duration::from_millis(n as u64 % 5));
            let count = sent.len() as f64;
            assert!((count - expected).abs() <= 0.01 * expected, "{count}");
        }
    }

    #[test]
    fn a_long_delay_is_not_followed_by_a_burst() {
        let pause = |n| Duration::from_secs(if n == 100 { 60 } else { 0 });
        let sent = sent("10/s", 120.0, pause);
        let most_in = |window: Duration| {
            let within = |from: &Duration| {
                sent.iter()
                    .filter(|at| (*from..*from + window).contains(at))
                    .count()
            };
            sent.iter().map(within).max().unwrap()
        };
        assert!(most_in(Duration::from_secs(1)) <= 11);
    }

    #[test]
    fn a_restart_sends_nothing_early() {
        let place = tempfile::TempDir::new().unwrap();
        let limit: RateLimit = "1/h".parse().unwrap();
        let mut pace = Pace::new(limit, place.path());
        assert!(pace.next() <= Instant::now());
        pace.take(Instant::now());
        let wait = Pace::new(limit, place.path()).next() - Instant::now();
        assert!(wait > Duration::from_secs(3590), "{wait:?}");
    }
}
