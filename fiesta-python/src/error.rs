//! Python's exceptions for the crates' errors.

use crate::keywords::in_python;
use pyo3::{PyErr, exceptions::PyValueError};
use std::fmt::Display;

/// A `ValueError` with the crates' message, flags of the command line in it as Python's keywords.
pub(crate) fn refused(error: impl Display) -> PyErr {
    PyValueError::new_err(in_python(&error.to_string()))
}
