//! Scores of one arm as Python gives them: arrays of NumPy, which are borrowed, or sequences of numbers, which are copied.

use crate::error::refused;
use numpy::{
    PyArray1, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray1, PyUntypedArray,
    PyUntypedArrayMethods, dtype,
};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyFloat};

/// Scores of one arm: an array of NumPy that is borrowed, or numbers that were copied.
pub(crate) enum Scores {
    Array(Py<PyArray1<f64>>),
    Copied(Vec<f64>),
}

/// Scores of one arm while an analysis reads them.
pub(crate) enum Seen<'py> {
    Array(PyReadonlyArray1<'py, f64>),
    Copied(&'py [f64]),
}

impl Scores {
    /// Reads the numbers of a sequence. A contiguous array of NumPy's floats is borrowed, and anything else copied.
    pub(crate) fn new(arm: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if is_float_array(value)
            && let Ok(array) = value.cast::<PyArray1<f64>>()
            && array.is_contiguous()
        {
            return Ok(Self::Array(array.clone().unbind()));
        }
        let mut scores = Vec::with_capacity(value.len().unwrap_or(0));
        for (place, score) in value.try_iter()?.enumerate() {
            let score = score?;
            let number = match score.cast::<PyFloat>() {
                Ok(float) => float.value(),
                Err(_) => score
                    .extract()
                    .map_err(|_| not_a_number(arm, place, &score))?,
            };
            scores.push(number);
        }
        Ok(Self::Copied(scores))
    }

    pub(crate) fn seen<'py>(&'py self, py: Python<'py>) -> PyResult<Seen<'py>> {
        Ok(match self {
            Self::Array(array) => Seen::Array(array.bind(py).try_readonly().map_err(refused)?),
            Self::Copied(scores) => Seen::Copied(scores),
        })
    }

    pub(crate) fn len(&self, py: Python<'_>) -> usize {
        match self {
            Self::Array(array) => array.bind(py).len(),
            Self::Copied(scores) => scores.len(),
        }
    }
}

impl Seen<'_> {
    pub(crate) fn as_slice(&self) -> PyResult<&[f64]> {
        match self {
            Self::Array(array) => array.as_slice().map_err(refused),
            Self::Copied(scores) => Ok(scores),
        }
    }
}

/// Returns whether a value is a one-dimensional array of NumPy's 64-bit floats. NumPy is not
/// imported for this: without it, there are no arrays.
fn is_float_array(value: &Bound<'_, PyAny>) -> bool {
    let module = value.get_type().module();
    if !module.is_ok_and(|module| module == "numpy") {
        return false;
    }
    let array = value.cast::<PyUntypedArray>();
    array.is_ok_and(|array| {
        array.ndim() == 1 && array.dtype().is_equiv_to(&dtype::<f64>(value.py()))
    })
}

fn not_a_number(arm: &str, place: usize, value: &Bound<'_, PyAny>) -> PyErr {
    let place = place + 1;
    let kind = value.get_type();
    let kind = kind
        .name()
        .map_or_else(|_| "?".to_owned(), |name| name.to_string());
    if ["NoneType", "NAType", "NaTType"].contains(&&*kind) {
        return PyTypeError::new_err(format!(
            "scores:{place}: in the column `{arm}`: a score is missing ({kind}): leave it out, or \
             say with failed= what an evaluation without one counts as (drop, worst)"
        ));
    }
    let shown = value
        .repr()
        .map_or_else(|_| kind.clone(), |text| text.to_string());
    let shown: String = shown.chars().take(60).collect();
    PyTypeError::new_err(format!(
        "scores:{place}: in the column `{arm}`: {shown} ({kind}) is not a number"
    ))
}
