//! The extension module `fiesta_select._native`: records from Python's values, analyses of them,
//! and the selector.
//!
//! Every analysis returns a [`report::Report`], from which the Python package makes the values that
//! it hands out: nothing is computed in Python, and no default stands in it a second time.

// What Python hands over is owned, and its keywords are arguments.
#![allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]

mod analyses;
mod bands;
mod error;
mod functions;
mod interruptible;
mod keywords;
mod own;
mod reading;
mod records;
mod report;
mod scores;
mod selector;
mod student_means;
mod study;
mod value;

use pyo3::prelude::*;

/// The extension module of the Python package.
#[pymodule(name = "_native")]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<records::Records>()?;
    module.add_class::<report::Report>()?;
    module.add_class::<functions::Call>()?;
    module.add_class::<functions::FunctionRun>()?;
    module.add(
        "StudyError",
        module.py().get_type::<functions::StudyError>(),
    )?;
    module.add_class::<own::Snapshot>()?;
    module.add_class::<selector::Ask>()?;
    module.add_class::<selector::Selector>()?;
    module.add_function(wrap_pyfunction!(bands::distribution_band, module)?)?;
    module.add_function(wrap_pyfunction!(student_means::probability_best, module)?)?;
    module.add_function(wrap_pyfunction!(study::study_status, module)?)?;
    analyses::add_to(module)
}
