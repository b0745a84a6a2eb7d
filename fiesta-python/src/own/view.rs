//! State of a selection, as policies and stopping rules of Python see it.

use fiesta_core::{ArmId, Direction, View};
use pyo3::{exceptions::PyKeyError, prelude::*};
use std::collections::HashMap;

/// Snapshot of the arms for a policy or a stopping rule, with scores as they were reported.
#[pyclass(frozen, name = "View", module = "fiesta_select._native")]
pub(crate) struct Snapshot {
    arms: Vec<String>,
    /// Arms to choose among: those that were not retired for failing.
    #[pyo3(get)]
    candidates: Vec<String>,
    observed: Vec<u64>,
    failed: Vec<u64>,
    pending: Vec<u64>,
    means: Vec<Option<f64>>,
    probability: Option<Vec<f64>>,
    /// Random number of the selector, to seed whatever is random in the choice.
    #[pyo3(get)]
    seed: u64,
    /// Cost of all evaluations.
    #[pyo3(get)]
    total_cost: f64,
}

impl Snapshot {
    pub(super) fn new(view: &View<'_>, arms: &[String], direction: Direction, seed: u64) -> Self {
        let ids = || ArmId::all(arms.len());
        Self {
            candidates: view
                .candidates()
                .iter()
                .map(|arm| arms[arm.index()].clone())
                .collect(),
            observed: ids().map(|arm| view.observed(arm)).collect(),
            failed: ids().map(|arm| view.failed(arm)).collect(),
            pending: ids().map(|arm| view.pending(arm)).collect(),
            means: ids()
                .map(|arm| view.mean(arm).map(|mean| direction.orient(mean)))
                .collect(),
            probability: view
                .belief()
                .map(|belief| ids().map(|arm| belief.of(arm)).collect()),
            seed,
            total_cost: view.total_cost(),
            arms: arms.to_vec(),
        }
    }

    fn place(&self, arm: &str) -> PyResult<usize> {
        let place = self.arms.iter().position(|name| name == arm);
        place.ok_or_else(|| PyKeyError::new_err(format!("there is no arm `{arm}`")))
    }
}

#[pymethods]
impl Snapshot {
    /// Returns how many scores of the arm there are.
    fn observed(&self, arm: &str) -> PyResult<u64> {
        Ok(self.observed[self.place(arm)?])
    }

    /// Returns how many evaluations of the arm failed.
    fn failed(&self, arm: &str) -> PyResult<u64> {
        Ok(self.failed[self.place(arm)?])
    }

    /// Returns how many evaluations of the arm were asked for and have not ended.
    fn pending(&self, arm: &str) -> PyResult<u64> {
        Ok(self.pending[self.place(arm)?])
    }

    /// Returns the posterior mean of the arm; `None` while too little is known.
    fn mean(&self, arm: &str) -> PyResult<Option<f64>> {
        Ok(self.means[self.place(arm)?])
    }

    /// Returns P(best) of each arm by its name; empty while too little is known.
    #[getter]
    fn belief(&self) -> HashMap<String, f64> {
        let belief = self.probability.iter().flatten().copied();
        self.arms.iter().cloned().zip(belief).collect()
    }
}
