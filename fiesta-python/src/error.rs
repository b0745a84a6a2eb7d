//! Python's exceptions for the crates' errors.

use crate::keywords::in_python;
use fiesta_core::Direction;
use fiesta_records::{Certainty, Proposal};
use pyo3::{PyErr, exceptions::PyValueError};
use std::fmt::Display;

/// Returns a `ValueError` with an error's message, in which flags of the command line are Python's keywords.
pub(crate) fn refused(error: impl Display) -> PyErr {
    PyValueError::new_err(in_python(&error.to_string()))
}

/// Returns a `ValueError` about results whose columns were not understood, with the keywords that
/// would make them readable.
pub(crate) fn refused_columns(error: impl Display, proposal: Option<&Proposal>) -> PyErr {
    let Some(proposal) = proposal else {
        return refused(error);
    };
    let named = proposal.columns.named().into_iter();
    let mut keywords: Vec<String> = named
        .filter_map(|(role, name)| Some(format!("{role}={:?}", name?)))
        .collect();
    if let Some(metric) = &proposal.metric {
        keywords.push(format!("metric={metric:?}"));
    }
    if !proposal.arms.is_empty() {
        keywords.push(format!("arms={:?}", proposal.arms));
    }
    if matches!(proposal.certainty, Certainty::Withheld(_)) {
        return refused(error);
    }
    if proposal.direction == Some(Direction::Minimize) {
        keywords.push("direction=\"minimize\"".to_owned());
    }
    if proposal.failures {
        keywords.push("failed=\"drop\"".to_owned());
    }
    let message = in_python(&error.to_string());
    PyValueError::new_err(format!("{message}; try `{}`", keywords.join(", ")))
}
