//! Gate of a study: `fiesta gate study.toml` runs or resumes the study, and reports on its gate.

use super::{Arguments, has_failed_arm, listen, run_to_end, say};
use crate::{
    Format,
    exit::{Code, Failure},
    results::ResultsArguments,
    study_argument::{StudyArgument, read_study},
};
use fiesta::{
    Foreign,
    report::analysis::{
        gate::{GateCandidate, GateReport, GateVerdict, not_a_gate},
        study::StudyFacts,
    },
    runner::{begin_anew, status::facts, study::KeptBaseline},
};
use std::path::Path;

/// Runs a study to its end and returns the report on its gate, with the exit code where an arm was
/// retired for failing; where the study did not end, the exit code alone. The answers with which the
/// next gate compares are written to `keep`.
pub(crate) fn gate(
    results: &ResultsArguments,
    keep: Option<&Path>,
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
    let mut study = read_study(file)?;
    results.agrees_with(&study)?;
    let source = file.display().to_string();
    if !study.is_gate() {
        return Err(not_a_gate(&source).into());
    }
    if let Some(anew) = begin_anew(&study)? {
        say(anew);
        study = read_study(file)?;
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
    if let Some(path) = keep {
        let arm = finished.conclusion.arm;
        let is_new = |own: &&GateCandidate| own.name == study.arms().name(arm);
        let shipped = { report.candidates.iter() }
            .find(is_new)
            .filter(|own| own.verdict == Some(GateVerdict::Ships))
            .map(|_| arm);
        let kept = KeptBaseline::of(&study, history, shipped)?;
        kept.write(path)?;
        say(format_args!(
            "kept {} answers of {} in {}: the next gate compares with them",
            kept.answers(),
            Foreign::new(kept.arm()),
            path.display()
        ));
    }
    let failed = has_failed_arm(&study, &finished).then_some(Code::ArmFailed);
    Ok((Some(report), failed))
}
