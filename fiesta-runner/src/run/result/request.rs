//! Failed requests to a service: their status, and whether to make them again.

use super::ResultKey::{RetryAfter, Status};
use regex::Regex;
use serde_json::{Map, Value};
use std::{
    sync::LazyLock,
    time::{Duration, SystemTime},
};

/// Pattern for an HTTP status in a message: after a word such as `status`, or before its meaning.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    let before = r"(?:^|[^0-9a-z])(?:http(?:/[0-9.]+)?|(?:http|status|api|client|server)[a-z]*|status[ _]code|code|with|said|says|got|returned|answered|responded|replied|error)[^0-9a-z]{0,6}|^[^0-9a-z]*";
    let meaning = r"[^0-9a-z]{1,4}(?:(?:client|server) error|bad|unauthorized|payment|forbidden|not found|method|not acceptable|proxy|request time|conflict|gone|payload|unprocessable|too|locked|internal|not implemented|service|gateway|overloaded)";
    pattern(&format!(
        r"(?:{before})([45][0-9][0-9])(?:[^0-9a-z.]|\.?$|\.[^0-9])|(?:^|[^0-9a-z.])([45][0-9][0-9]){meaning}"
    ))
});

/// Pattern for words that tell a status where no number is given.
static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"timed[ -]?out|time-?out ?(?:error|exception|expired|after|exceeded|while|waiting)|(?:read|connect|connection|request|api|gateway|pool) ?time-?out|^time-?out|deadline[ _]exceeded|rate[ _-]?limit|too ?many ?requests|overloaded|service ?unavailable|internal ?server ?error|bad ?gateway",
    )
});

/// Pattern for the time that a service asks to wait: a number and its unit, seconds by default.
static WAIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:retry[-_ ]after|(?:try again|retry) in)(?:[-_ ]?(?:seconds|secs))?[^0-9a-z]{0,6}([0-9]+(?:\.[0-9]+)?) ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)?(?:[^a-z]|$)",
    )
});

fn pattern(text: &str) -> Regex {
    Regex::new(&format!("(?i){text}")).expect("it is an expression")
}

/// Returns the keys of a failed request's result that are kept: status and time to wait.
pub(super) fn of_result(object: &Map<String, Value>) -> Map<String, Value> {
    let kept = [Status, RetryAfter].into_iter().filter_map(|key| {
        let value = object.get(key.name())?;
        let is_plain = value.is_number() || value.is_string();
        is_plain.then(|| (key.name().to_owned(), value.clone()))
    });
    kept.collect()
}

/// Returns the wait before a failed request is made again: as long as the service asks for, or 0.
/// `None` if another try would not help, or the failure is not a request's.
///
/// Reasons that pass are the statuses 408, 409, 425, 429 and 5xx, and time-outs. What the result
/// says under `status` and `retry_after` counts, else what its message says.
pub(crate) fn wait_before_again(message: &str, said: &Map<String, Value>) -> Option<Duration> {
    let passes = match said.get(Status.name()).and_then(stated) {
        Some(passes) => passes,
        None => in_words(message)?,
    };
    let asked = said.get(RetryAfter.name()).and_then(seconds);
    let asked = asked.or_else(|| wait_in_words(message)).unwrap_or(0.0);
    passes.then(|| Duration::try_from_secs_f64(asked).unwrap_or_default())
}

/// Whether a stated status will pass by itself. `None` if the value is no status.
fn stated(status: &Value) -> Option<bool> {
    let text = match status {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    match text.parse::<u16>() {
        Ok(number) => Some(passes(number)),
        Err(_) => WORDS.is_match(&text).then_some(true),
    }
}

fn passes(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500..=599)
}

/// Whether the status in a message will pass by itself. `None` if the message has no status.
fn in_words(message: &str) -> Option<bool> {
    let number = NUMBER.captures(message).and_then(|found| {
        let number = found.get(1).or_else(|| found.get(2))?;
        number.as_str().parse().ok()
    });
    match number {
        Some(number) => Some(passes(number)),
        None => WORDS.is_match(message).then_some(true),
    }
}

/// Reads the seconds of a `Retry-After` header: a number, or a date.
fn seconds(value: &Value) -> Option<f64> {
    let text = match value {
        Value::String(text) => text.trim(),
        other => return other.as_f64().filter(|seconds| *seconds >= 0.0),
    };
    if let Ok(seconds) = text.parse::<f64>() {
        return Some(seconds).filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    }
    let until = httpdate::parse_http_date(text).ok()?;
    let left = until.duration_since(SystemTime::now());
    Some(left.unwrap_or_default().as_secs_f64())
}

/// Reads the seconds for which a message asks to wait.
fn wait_in_words(message: &str) -> Option<f64> {
    let found = WAIT.captures(message)?;
    let number: f64 = found[1].parse().ok()?;
    let unit = found.get(2).map_or("s", |unit| unit.as_str());
    Some(match unit.to_lowercase().as_str() {
        unit if unit.starts_with("ms") || unit.starts_with("milli") => number / 1000.0,
        unit if unit.starts_with('m') => number * 60.0,
        unit if unit.starts_with('h') => number * 3600.0,
        _ => number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(status: &Value, after: &Value) -> Map<String, Value> {
        let result = json!({ "status": status, "retry_after": after, "error": "x", "deep": [1] });
        of_result(result.as_object().unwrap())
    }

    fn waits(message: &str) -> Option<f64> {
        wait_before_again(message, &Map::new()).map(|wait| wait.as_secs_f64())
    }

    /// Tests the messages of libraries for statuses that will pass.
    #[test]
    fn messages_of_failures_that_pass() {
        for message in [
            "RuntimeError: the service refuses with 503: b'overloaded'",
            "TimeoutError: the service said 429 for 60 s",
            "urllib.error.HTTPError: HTTP Error 500: Internal Server Error",
            "requests.exceptions.HTTPError: 502 Server Error: Bad Gateway for url: http://x/404",
            "httpx.HTTPStatusError: Server error '503 Service Unavailable' for url 'http://x'",
            "openai.RateLimitError: Error code: 429 - {'error': {'message': 'slow down'}}",
            "anthropic.InternalServerError: Error code: 529 - overloaded_error",
            "503, message='Service Unavailable', url='http://127.0.0.1'",
            "503 Service Unavailable",
            "curl: (22) The requested URL returned error: 504",
            "status_code=408",
            "HTTP/1.1 425 Too Early",
            "HTTP 409",
            "openai.APITimeoutError: Request timed out.",
            "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='x', port=443): Read timed out. (read timeout=600)",
            "socket.timeout: timed out",
            "exit code 1\nstderr ends with:\n  TimeoutError: The read operation timed out",
            "Overloaded",
            "504 DEADLINE_EXCEEDED",
        ] {
            assert_eq!(waits(message), Some(0.0), "{message}");
        }
    }

    #[test]
    fn messages_of_failures_that_do_not_pass() {
        for message in [
            "the service refuses with 400: b'context too long, timed out'",
            "HTTP Error 401: Unauthorized",
            "404 Client Error: Not Found for url: http://x/read-timeout",
            "openai.BadRequestError: Error code: 400 - {'error': 'rate limit is no key'}",
            "ValueError: 512 tokens is too many",
            "KeyError: 'answer'",
            "AssertionError: question 503 has no answer",
            "TypeError: ask() got an unexpected keyword argument 'timeout'",
            "accuracy 0.503",
            "exit code 1",
            "",
        ] {
            assert_eq!(waits(message), None, "{message}");
        }
    }

    #[test]
    fn the_wait_is_what_the_service_asks_for() {
        for (message, seconds) in [
            ("HTTP 429, Retry-After: 7", 7.0),
            ("429 Too Many Requests (retry_after=2.5 s)", 2.5),
            ("Error code: 429: Please try again in 120ms.", 0.12),
            ("Error code: 429: Please try again in 6m0s.", 360.0),
            ("503: retry in 2 minutes", 120.0),
        ] {
            assert_eq!(waits(message), Some(seconds), "{message}");
        }
    }

    /// Tests that the keys of a result count before the words of its message.
    #[test]
    fn keys_count_before_words() {
        let of = |status: Value, after: Value| {
            let wait = wait_before_again("HTTP 400, Retry-After: 9", &said(&status, &after));
            wait.map(|wait| wait.as_secs_f64())
        };
        assert_eq!(of(json!(503), json!(4)), Some(4.0));
        assert_eq!(of(json!("429"), json!("0.5")), Some(0.5));
        assert_eq!(of(json!("timeout"), Value::Null), Some(9.0));
        assert_eq!(of(json!(404), json!(4)), None);
        assert_eq!(of(json!("new"), json!(4)), None);
        assert_eq!(
            of(json!(503), json!("Thu, 01 Jan 1970 00:00:00 GMT")),
            Some(0.0)
        );
        assert_eq!(of(json!(503), json!(-1)), Some(9.0));
        let soon = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(100));
        let wait = of(json!(503), json!(soon)).unwrap();
        assert!((95.0..=100.0).contains(&wait), "{wait}");
        assert!(said(&json!([503]), &json!({})).is_empty());
    }
}
