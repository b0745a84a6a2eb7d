//! Class of Python for an evaluation that is to be made.

use crate::error::refused;
use fiesta_core::Evaluation;
use fiesta_runner::Study;
use pyo3::prelude::*;

/// One evaluation that is to be made: which arm on which case.
#[pyclass(frozen, eq, hash, module = "fiesta_select._native")]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Ask {
    /// The number of the evaluation, from 1 in the order of asking.
    #[pyo3(get)]
    id: u64,
    /// The name of the arm.
    #[pyo3(get)]
    arm: String,
    /// The number of the split, or of the item in a pool, from 0.
    #[pyo3(get)]
    split: u64,
    /// The seed for whatever is random in the evaluation.
    #[pyo3(get)]
    seed: u64,
    /// Identifier of the item, if the study is on a pool of items.
    #[pyo3(get)]
    item_id: Option<String>,
    item: Option<String>,
}

#[pymethods]
impl Ask {
    /// Returns the item itself, in a pool: the object that the study lists, or its file's path.
    #[getter]
    fn item<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(item) = &self.item else {
            return Ok(None);
        };
        let json = py.import("json")?;
        json.call_method1("loads", (item,)).map(Some)
    }

    fn __repr__(&self) -> String {
        let item = self
            .item_id
            .as_ref()
            .map(|item| format!(", item_id={item:?}"))
            .unwrap_or_default();
        format!(
            "Ask(id={}, arm={:?}, split={}, seed={}{item})",
            self.id, self.arm, self.split, self.seed
        )
    }
}

impl Ask {
    pub(super) fn new(study: &Study, evaluation: &Evaluation) -> PyResult<Self> {
        let items = study.items();
        let split = evaluation.case.split;
        let item = items
            .map(|items| items.object(split))
            .transpose()
            .map_err(refused)?;
        Ok(Self {
            id: evaluation.id.0 + 1,
            arm: study.arms().name(evaluation.arm).to_owned(),
            split,
            seed: evaluation.case.seed,
            item_id: items.map(|items| items.id(split).to_owned()),
            item: item.map(|item| item.to_string()),
        })
    }
}
