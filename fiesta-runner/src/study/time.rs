//! Durations of a study file.

use super::{StudyError, error::Source};
use std::time::Duration;
use toml::Spanned;

pub(super) fn duration(
    source: &Source<'_>,
    text: &Spanned<String>,
    key: &str,
) -> Result<Duration, StudyError> {
    humantime::parse_duration(text.get_ref()).map_err(|error| {
        let message = format!(
            "{key} = \"{}\" is no duration ({error}): write for example \"90s\", \"15m\" or \"2h 30m\"",
            text.get_ref()
        );
        source.wrong(Some(text.span()), message)
    })
}

/// A duration that is not zero.
pub(super) fn some_time(
    source: &Source<'_>,
    text: &Spanned<String>,
    key: &str,
) -> Result<Duration, StudyError> {
    let time = duration(source, text, key)?;
    if time.is_zero() {
        let message = format!("{key} = \"{}\" must be longer than zero", text.get_ref());
        return Err(source.wrong(Some(text.span()), message));
    }
    Ok(time)
}
