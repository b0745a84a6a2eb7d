//! Gate of a study: `fiesta gate study.toml` runs or resumes the study, and reports on its gate.

use super::{Arguments, has_failed_arm, listen, run_to_end};
use crate::{
    Format,
    exit::{Code, Failure},
    results::ResultsArguments,
    study_argument::{StudyArgument, read_study},
};
use fiesta::{
    report::analysis::{
        gate::{GateReport, not_a_gate},
        study::StudyFacts,
    },
    runner::status::facts,
};

/// Runs a study to its end and returns the report on its gate, with the exit code where an arm was
/// retired for failing; where the study did not end, the exit code alone.
pub(crate) fn gate(
    results: &ResultsArguments,
) -> Result<(Option<GateReport>, Option<Code>), Failure> {
    let file = &results.results;
    let arguments = Arguments {
        study: StudyArgument::of(file),
        check: false,
        dry_run: false,
        accept_changes: false,
        again: Vec::new(),
        retry: Vec::new(),
        quiet: false,
        verbose: false,
        format: Format::Text,
    };
    let study = read_study(file)?;
    results.agrees_with(&study)?;
    let source = file.display().to_string();
    if !study.is_gate() {
        return Err(not_a_gate(&source).into());
    }
    let finished = match run_to_end(&study, &mut listen()?, &arguments)? {
        Ok(finished) => finished,
        Err(code) => return Ok((None, Some(code))),
    };
    let history = &finished.history;
    let records = history.rows(&study)?;
    let items = study.items().map(|items| items.facts(true));
    let facts = StudyFacts {
        items: items.unwrap_or_default(),
        ..facts(&study, history)
    };
    let report = GateReport::of_study(&facts, &records, &source)?;
    let failed = has_failed_arm(&study, &finished).then_some(Code::ArmFailed);
    Ok((Some(report), failed))
}
