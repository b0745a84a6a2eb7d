//! Analyses of records: keywords of Python in, reports out.
//!
//! A keyword that is `None` is one that the user left out; what it stands for then is decided where
//! the program decides it.

mod belief;
mod curve;
mod plan;
mod simulate;

use crate::error::refused;
use pyo3::{prelude::*, wrap_pyfunction};
use std::{fmt::Display, str::FromStr};

/// Adds the functions to the module.
pub(super) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(belief::belief, module)?)?;
    module.add_function(wrap_pyfunction!(curve::curve, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plan, module)?)?;
    module.add_function(wrap_pyfunction!(simulate::simulate, module)?)
}

/// The value that a keyword's text names, or the default.
fn named<T: FromStr<Err: Display> + Default>(text: Option<&str>) -> PyResult<T> {
    text.map_or_else(|| Ok(T::default()), |text| text.parse().map_err(refused))
}
