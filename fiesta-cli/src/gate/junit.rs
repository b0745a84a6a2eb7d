//! Verdicts of a gate as JUnit's XML, a test case for each candidate.

use crate::exit::Failure;
use fiesta::{
    harmless,
    report::analysis::gate::{GateReport, GateVerdict},
};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::io;

/// Largest number of characters of a text that are shown.
const LONGEST: usize = 1000;

/// Returns the XML. A candidate that may ship passes, a blocked one fails, and an undecided one is an
/// error; so does each constraint on it, in a test case of its own.
pub(super) fn junit(report: &GateReport) -> Result<String, Failure> {
    let mut suite = TestSuite::new(clean(&format!("gate: {}", report.metric)));
    for own in &report.candidates {
        let class = clean(&format!("gate of {}", report.baseline));
        let described = report.facts(own).join("\n");
        let status = status(own.verdict, &own.sentence, &described);
        let mut case = TestCase::new(clean(&own.name), status);
        case.set_classname(class.clone());
        let mut lines = vec![own.sentence.clone()];
        lines.extend(report.facts(own));
        lines.extend(own.flipped.iter().map(|item| item.line(LONGEST)));
        case.set_system_out(clean(&lines.join("\n")));
        suite.add_test_case(case);
        for constraint in &own.constraints {
            let line = constraint.line();
            let status = self::status(Some(constraint.verdict), &line, &line);
            let name = clean(&format!("{}: {}", own.name, constraint.constraint));
            let mut case = TestCase::new(name, status);
            case.set_classname(class.clone());
            suite.add_test_case(case);
        }
    }
    let mut all = Report::new("fiesta gate");
    all.add_test_suite(suite);
    all.to_string().map_err(|error| Failure::System {
        action: "write JUnit's XML".to_owned(),
        source: io::Error::other(error),
    })
}

/// Returns the status of a test case: passed, failed, or an error.
fn status(verdict: Option<GateVerdict>, message: &str, described: &str) -> TestCaseStatus {
    let (kind, word) = match verdict {
        Some(GateVerdict::Ships) => return TestCaseStatus::success(),
        Some(GateVerdict::Blocked) => (NonSuccessKind::Failure, "blocked"),
        _ => (NonSuccessKind::Error, "undecided"),
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(word);
    status.set_message(clean(message));
    status.set_description(clean(described));
    status
}

/// Returns a text without the characters that XML 1.0 forbids.
fn clean(text: &str) -> String {
    harmless(text).into_owned()
}
