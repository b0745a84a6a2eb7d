//! Durations and moments in files, as numbers of seconds.

use crate::clock;
use serde::{Deserialize, Deserializer, Serializer, de::Error};
use std::time::{Duration, SystemTime, TryFromFloatSecsError, UNIX_EPOCH};

pub(crate) fn serialize<S: Serializer>(value: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(value.as_secs_f64())
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    of(f64::deserialize(from)?).map_err(D::Error::custom)
}

/// Returns a duration of `seconds`, or the longest duration if that is more than it can hold.
fn of(seconds: f64) -> Result<Duration, TryFromFloatSecsError> {
    if seconds >= Duration::MAX.as_secs_f64() {
        return Ok(Duration::MAX);
    }
    Duration::try_from_secs_f64(seconds)
}

/// Durations that may be absent, as numbers of seconds.
pub(crate) mod optional {
    use crate::run::seconds::{Deserialize, Deserializer, Duration, Error, Serializer, of};
    use serde::Serialize;

    #[expect(clippy::ref_option, reason = "the form that serde calls")]
    pub(crate) fn serialize<S: Serializer>(
        value: &Option<Duration>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        value.map(|value| value.as_secs_f64()).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Duration>, D::Error> {
        Option::<f64>::deserialize(from)?
            .map(of)
            .transpose()
            .map_err(D::Error::custom)
    }
}

/// Returns the present in seconds since 1970.
pub fn now() -> f64 {
    seconds_at(clock::on_the_wall())
}

/// Returns a moment as seconds since 1970.
pub(crate) fn seconds_at(moment: SystemTime) -> f64 {
    moment
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}
