//! The extension module `fiesta_select._native`: records from Python's values, analyses of them,
//! and the selector.
//!
//! Every analysis returns a [`report::Report`], from which the Python package makes the values that
//! it hands out: nothing is computed in Python, and no default stands in it a second time.

// What Python hands over is owned, and its keywords are arguments.
#![allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]

mod analyses;
mod error;
mod keywords;
mod records;
mod report;

use pyo3::prelude::*;

/// The extension module.
#[pymodule(name = "_native")]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<records::Records>()?;
    module.add_class::<report::Report>()?;
    analyses::add_to(module)
}
