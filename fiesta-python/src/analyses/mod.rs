//! Analyses of records: keywords of Python in, reports out.
//!
//! A keyword that is `None` is one that the user left out; what it stands for then is decided where
//! the program decides it.

mod belief;
mod compare;
mod curve;
mod gate;
mod plan;
mod simulate;

use crate::error::refused;
use pyo3::{prelude::*, wrap_pyfunction};
use std::{fmt::Display, str::FromStr};

/// Adds the functions to the module.
pub(super) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(belief::belief, module)?)?;
    module.add_function(wrap_pyfunction!(belief::belief_of_predictions, module)?)?;
    module.add_function(wrap_pyfunction!(compare::compare, module)?)?;
    module.add_function(wrap_pyfunction!(curve::curve, module)?)?;
    module.add_function(wrap_pyfunction!(gate::gate, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plan, module)?)?;
    module.add_function(wrap_pyfunction!(simulate::simulate, module)?)
}

/// Returns the value that a keyword's text names, or the default if it was left out.
fn named<T: FromStr<Err: Display> + Default>(text: Option<&str>) -> PyResult<T> {
    text.map_or_else(|| Ok(T::default()), |text| text.parse().map_err(refused))
}

/// Raises a `ValueError` if a keyword's value does not pass its check.
fn check(
    value: Option<f64>,
    keyword: &str,
    what: &str,
    is_good: impl Fn(f64) -> bool,
) -> PyResult<()> {
    match value {
        Some(value) if !is_good(value) => {
            Err(refused(format!("{keyword}={value} is to be {what}")))
        }
        _ => Ok(()),
    }
}

/// Raises a `ValueError` if a keyword asks for zero draws or runs.
fn drawn(draws: Option<u64>) -> PyResult<()> {
    match draws {
        Some(0) => Err(refused("draws= is how often is drawn: 1 or more")),
        _ => Ok(()),
    }
}

/// Raises a `ValueError` for a confidence in a pool of items outside of 0.5 to 1, which no stopping rule takes.
fn level(confidence: Option<f64>) -> PyResult<()> {
    check(
        confidence,
        "confidence",
        "a confidence between 0.5 and 1, for example 0.95",
        |level| level > 0.5 && level < 1.0,
    )
}
