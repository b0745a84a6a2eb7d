//! JSON values as objects of Python.

use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyDict, PyList},
};
use serde_json::Value;

/// Returns the object of Python that `json.loads` would make of a JSON value.
pub(crate) fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(truth) => truth.into_bound_py_any(py),
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(whole), ..) => whole.into_bound_py_any(py),
            (None, Some(whole), _) => whole.into_bound_py_any(py),
            (None, None, number) => number.into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(entries) => {
            let entries = entries.iter().map(|entry| object(py, entry));
            let entries = entries.collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, entries)?.into_bound_py_any(py)
        }
        Value::Object(entries) => {
            let dict = PyDict::new(py);
            for (key, value) in entries {
                dict.set_item(key, object(py, value)?)?;
            }
            dict.into_bound_py_any(py)
        }
    }
}
