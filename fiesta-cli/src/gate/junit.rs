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

/// Returns the XML. A candidate that may ship passes, a blocked one fails, and an undecided one is an error.
pub(super) fn junit(report: &GateReport) -> Result<String, Failure> {
    let mut suite = TestSuite::new(clean(&format!("gate: {}", report.metric)));
    for own in &report.candidates {
        let failed = |kind, word: &str| {
            let mut status = TestCaseStatus::non_success(kind);
            status.set_type(word);
            status.set_message(clean(&own.sentence));
            status.set_description(clean(&report.facts(own).join("\n")));
            status
        };
        let status = match own.verdict {
            Some(GateVerdict::Ships) => TestCaseStatus::success(),
            Some(GateVerdict::Blocked) => failed(NonSuccessKind::Failure, "blocked"),
            _ => failed(NonSuccessKind::Error, "undecided"),
        };
        let mut case = TestCase::new(clean(&own.name), status);
        case.set_classname(clean(&format!("gate of {}", report.baseline)));
        let mut lines = vec![own.sentence.clone()];
        lines.extend(report.facts(own));
        lines.extend(own.flipped.iter().map(|item| item.line(LONGEST)));
        case.set_system_out(clean(&lines.join("\n")));
        suite.add_test_case(case);
    }
    let mut all = Report::new("fiesta gate");
    all.add_test_suite(suite);
    all.to_string().map_err(|error| Failure::System {
        action: "write JUnit's XML".to_owned(),
        source: io::Error::other(error),
    })
}

/// Returns a text without the characters that XML 1.0 forbids.
fn clean(text: &str) -> String {
    harmless(text).into_owned()
}
