//! Results that count although something is wrong with them, because the study says so.

use super::{StudyError, error::Source, file::StudyFile, measure::Measure};
use toml::Spanned;

/// What a study lets pass.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lenience {
    /// The exit codes with which a result counts.
    pub(super) exit_codes: Vec<i32>,
    /// The score that NaN and infinite ones stand for.
    pub(super) not_finite: Option<f64>,
}

pub(super) fn lenience(
    source: &Source<'_>,
    file: &StudyFile,
    measure: &Measure,
) -> Result<Lenience, StudyError> {
    let table = file.metric.as_ref();
    let codes = table.and_then(|table| table.exit_codes.as_ref());
    let not_finite = table.and_then(|table| table.not_finite.as_ref());
    Ok(Lenience {
        exit_codes: codes.map_or(Ok(vec![0]), |codes| exit_codes(source, codes))?,
        not_finite: not_finite
            .map(|score| stand_in(source, score, measure))
            .transpose()?,
    })
}

fn exit_codes(source: &Source<'_>, codes: &Spanned<Vec<i64>>) -> Result<Vec<i32>, StudyError> {
    let wrong = |message: String| source.wrong(Some(codes.span()), message);
    if codes.get_ref().is_empty() {
        return Err(wrong(
            "exit_codes is empty, so that no result would ever count: give at least 0".to_owned(),
        ));
    }
    let code = |&code: &i64| {
        u8::try_from(code).map(i32::from).map_err(|_| {
            wrong(format!(
                "{code} is no exit code: those are from 0 to 255 (a command that is killed by a signal has none)"
            ))
        })
    };
    codes.get_ref().iter().map(code).collect()
}

fn stand_in(
    source: &Source<'_>,
    score: &Spanned<f64>,
    measure: &Measure,
) -> Result<f64, StudyError> {
    let wrong = |message: String| source.wrong(Some(score.span()), message);
    if measure.counts.is_some() {
        let message =
            "not_finite is of scores, and this study's evaluations report counts: leave it out";
        return Err(wrong(message.to_owned()));
    }
    let checked = measure.metric.check(*score.get_ref());
    checked.map_err(|error| wrong(format!("not_finite: {error}")))
}
