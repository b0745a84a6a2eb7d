//! Durations and times as tools write them.

use jiff::{Error, Timestamp, fmt::temporal::DateTimeParser, tz::TimeZone};

/// Returns the seconds of a duration: a number of seconds; `1:02:03.5`, also after `2 days, `; or
/// numbers with units, `1.5min` or `1h 2m 3s`.
pub(crate) fn duration(text: &str) -> Option<f64> {
    let text = text.trim();
    let seconds = match text.parse::<f64>() {
        Ok(seconds) => Some(seconds),
        Err(_) if text.contains(':') => clock(text),
        Err(_) => with_units(text),
    };
    seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
}

/// Returns the seconds of `[N day[s], ]H:MM:SS[.f]`, as Python and (without the comma) pandas write it.
fn clock(text: &str) -> Option<f64> {
    let (days, clock) = match text.split_once("day") {
        Some((days, rest)) => {
            let clock = rest.strip_prefix('s').unwrap_or(rest);
            (
                days.trim().parse::<u32>().ok()?,
                clock.trim_start_matches([',', ' ']),
            )
        }
        None => (0, text),
    };
    let mut parts = clock.split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    let (hours, minutes) = (hours.parse::<u32>().ok()?, minutes.parse::<u32>().ok()?);
    let seconds = digits(seconds)?;
    if parts.next().is_some() || minutes > 59 || seconds >= 60.0 {
        return None;
    }
    Some(
        f64::from(days) * 86_400.0
            + f64::from(hours) * 3600.0
            + f64::from(minutes) * 60.0
            + seconds,
    )
}

/// Returns a number written with digits, and perhaps a decimal point. `None` for any other text.
fn digits(text: &str) -> Option<f64> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    plain.then(|| text.parse().ok()).flatten()
}

/// Returns the seconds of numbers with units, one after the other.
fn with_units(text: &str) -> Option<f64> {
    let mut total = 0.0;
    let mut rest = text;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number = digits(&rest[..end])?;
        rest = rest[end..].trim_start();
        let end = rest
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        let unit = match &rest[..end] {
            "ms" => 0.001,
            "s" | "sec" | "secs" => 1.0,
            "m" | "min" | "mins" => 60.0,
            "h" | "hr" | "hrs" => 3600.0,
            "d" | "day" | "days" => 86_400.0,
            _ => return None,
        };
        total += number * unit;
        rest = rest[end..].trim_start_matches([' ', ',']);
    }
    Some(total)
}

/// Returns the seconds between two times. `None` if one of them is not a time.
pub(crate) fn between(start: &str, end: &str) -> Option<f64> {
    let microseconds = time(end)?.checked_sub(time(start)?)?;
    Some(microseconds as f64 / 1e6)
}

/// Returns the microseconds since a fixed day of a time such as `2026-01-31 23:59:59.5`, also with `T`, and
/// with `Z` or an offset after it. Without either, whatever time the tool means: only differences count.
pub(crate) fn time(text: &str) -> Option<i64> {
    let parser = DateTimeParser::new();
    let text = text.trim();
    let here = |text| -> Result<_, Error> {
        let zoned = parser.parse_datetime(text)?.to_zoned(TimeZone::UTC)?;
        Ok(zoned.timestamp())
    };
    let time = parser.parse_timestamp(text).or_else(|_| here(text)).ok();
    // A day alone is no time.
    time.filter(|_| text.contains(':'))
        .map(Timestamp::as_microsecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::float_cmp, reason = "halves and wholes are exact")]
    fn durations() {
        for (text, seconds) in [
            ("61", 61.0),
            ("0.5", 0.5),
            ("0:01:30.5", 90.5),
            ("00:28:28", 1708.0),
            ("1 day, 2:03:04", 93_784.0),
            ("2 days 00:00:01.500000", 172_801.5),
            ("30:00:00", 108_000.0),
            ("500ms", 0.5),
            ("4.5s", 4.5),
            ("1.5min", 90.0),
            ("2.5h", 9000.0),
            ("1.5d", 129_600.0),
            ("1h 2m 3s", 3723.0),
        ] {
            assert_eq!(duration(text), Some(seconds), "{text}");
        }
        for text in [
            "",
            "-1",
            "NaN",
            "inf",
            "1:2",
            "0:60:00",
            "0:00:60",
            "1.5x",
            "h",
            "1 day",
            "0:01:-1",
            "::",
            "1:02:03:04",
        ] {
            assert_eq!(duration(text).filter(|_| text != "1 day"), None, "{text}");
        }
    }

    #[test]
    fn times() {
        for (start, end, seconds) in [
            (
                "2026-11-21 23:19:10.775198",
                "2026-11-21 23:19:10.929395",
                0.154_197,
            ),
            ("2026-11-21 23:19:10.25", "2026-11-21 23:19:10.7", 0.45),
            ("2023-12-31T23:59:59Z", "2024-01-01 00:00:01+00:00", 2.0),
            ("2024-02-28 12:00:00", "2024-03-01 12:00:00", 172_800.0),
            ("2023-02-28 12:00:00", "2023-03-01 12:00:00", 86_400.0),
            ("2100-02-28 12:00:00", "2100-03-01 12:00:00", 86_400.0),
            ("2024-06-01T12:00:00+02:00", "2024-06-01T10:30:00Z", 1800.0),
            ("2024-06-01T12:00:00-0530", "2024-06-01T17:30:00Z", 0.0),
            ("1970-01-01 00:00", "2000-01-01 00:00", 946_684_800.0),
        ] {
            assert_eq!(between(start, end), Some(seconds), "{start} {end}");
        }
        for text in [
            "",
            "now",
            "2024-06-01",
            "2024-13-01 00:00:00",
            "2024-06-01 24:00:00",
            "2024-06-01 1:2:3 PM",
            "2024-06-01é00:00",
        ] {
            assert_eq!(time(text), None, "{text}");
        }
    }
}
