//! Selector of a study in memory, for Python: it is asked for evaluations, and told their outcomes.

mod ask;
mod history;

pub(crate) use ask::Ask;

use crate::{
    error::refused,
    own::{self, Raised},
    study,
};
use fiesta_core::{
    ArmId, Belief, Conclusion, CostUnit, Counts, Evaluation, EvaluationId, Observation, Outcome,
    Reason, SelectorError,
};
use fiesta_runner::{Study, study::OwnParts};
use history::{Happened, Inner, State, read_state};
use pyo3::{
    exceptions::{PyKeyError, PyRuntimeError, PyTypeError, PyValueError},
    prelude::*,
    types::{PyDict, PyList},
};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Chooses the next evaluation, and says when to stop: the selector of a study whose arms are the
/// caller's own affair.
#[pyclass(frozen, subclass, module = "fiesta_select._native")]
pub(crate) struct Selector {
    document: String,
    study: Study,
    inner: Mutex<Inner>,
    /// Exception that a policy, posterior or stopping rule of Python raised.
    raised: Raised,
}

#[pymethods]
impl Selector {
    /// Returns a selector for a study document in JSON.
    #[new]
    #[pyo3(signature = (document, policy = None, posterior = None, stopping = None))]
    fn new(
        document: String,
        policy: Option<Py<PyAny>>,
        posterior: Option<Py<PyAny>>,
        stopping: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let study = study::in_memory(&document)?;
        if !study.constraints().is_empty() {
            return Err(refused(
                "a selector is told scores alone, and [[constraint]] limits measures: leave it out, or run the study with its jobs",
            ));
        }
        let raised = Raised::default();
        let names = study.arms().names().to_vec();
        let direction = study.metric().direction();
        let own = OwnParts {
            policy: policy.map(|part| own::policy(part, &names, direction, &raised)),
            posterior: posterior.map(|part| own::posterior(part, &names, direction, &raised)),
            stopping: stopping.map(|part| own::stopping(part, &names, direction, &raised)),
        };
        let selector = study.selector_with(own).map_err(error)?;
        Ok(Self {
            document,
            inner: Mutex::new(Inner {
                selector,
                happened: Vec::new(),
                rows: Vec::new(),
            }),
            study,
            raised,
        })
    }

    /// Returns the next evaluation; `None` if there is nothing to start before a pending one has
    /// ended, and when the selection has ended.
    fn ask(&self, py: Python<'_>) -> PyResult<Option<Ask>> {
        let asked = py.detach(|| {
            let mut inner = self.lock();
            let asked = inner.selector.ask();
            match &asked {
                Ok(fiesta_core::Ask::Evaluate(evaluation)) => {
                    inner.happened.push(Happened::Asked(*evaluation));
                }
                Ok(fiesta_core::Ask::Finished(_)) => inner.note_end(),
                _ => {}
            }
            asked
        });
        self.raised.check()?;
        match asked.map_err(error)? {
            fiesta_core::Ask::Evaluate(evaluation) => Ask::new(&self.study, &evaluation).map(Some),
            _ => Ok(None),
        }
    }

    /// Takes the outcome of an evaluation: a score, counts, that it failed, or that it was never made.
    #[pyo3(name = "_tell", signature = (id, score, counts, failed, cost))]
    fn tell(
        &self,
        py: Python<'_>,
        id: u64,
        score: Option<f64>,
        counts: Option<HashMap<String, u64>>,
        failed: bool,
        cost: Option<f64>,
    ) -> PyResult<()> {
        let outcome = match (score, counts, failed) {
            (Some(score), None, false) => Outcome::Observed(self.score(score)?),
            (None, Some(counts), false) => Outcome::Observed(self.counts(&counts)?),
            (None, None, true) => Outcome::Failed,
            (None, None, false) => Outcome::Withdrawn,
            _ => {
                return Err(refused(
                    "an evaluation ends with a score, with counts, or failed: tell one of these",
                ));
            }
        };
        let number = id
            .checked_sub(1)
            .ok_or_else(|| refused("evaluations are numbered from 1"))?;
        py.detach(|| {
            let mut inner = self.lock();
            let asked = inner
                .selector
                .pending()
                .find(|pending| pending.id == EvaluationId(number));
            let arm = asked.map(|asked| asked.arm);
            let cost = cost
                .or_else(|| self.study.cost(arm?))
                .unwrap_or(match outcome {
                    Outcome::Withdrawn => 0.0,
                    _ => 1.0,
                });
            inner.tell(&self.study, number, outcome, cost)
        })
        .map_err(error)?;
        self.raised.check()
    }

    /// Returns the evaluations that were asked for and whose outcome has not been told.
    #[getter]
    fn pending(&self, py: Python<'_>) -> PyResult<Vec<Ask>> {
        let pending: Vec<Evaluation> = py.detach(|| self.lock().selector.pending().collect());
        pending
            .iter()
            .map(|evaluation| Ask::new(&self.study, evaluation))
            .collect()
    }

    /// Returns the names of the arms.
    #[getter]
    fn arms(&self) -> Vec<String> {
        self.study.arms().names().to_vec()
    }

    /// Returns the unit of costs, where `cost_unit=` states one.
    #[getter]
    fn cost_unit(&self) -> Option<String> {
        match self.study.cost_unit()? {
            CostUnit::Named(unit) => Some(unit),
            _ => None,
        }
    }

    /// Returns P(best) of each arm by its name; empty while too little is known.
    #[getter]
    fn belief(&self, py: Python<'_>) -> PyResult<HashMap<String, f64>> {
        let belief: Option<Belief> = py.detach(|| self.lock().selector.view().belief().cloned());
        self.raised.check()?;
        let name = |arm: ArmId| self.study.arms().name(arm).to_owned();
        Ok(belief.map_or_else(HashMap::new, |belief| {
            self.study
                .arms()
                .ids()
                .map(|arm| (name(arm), belief.of(arm)))
                .collect()
        }))
    }

    /// Returns the recommended arm once the selection has ended; before, the one that is most
    /// probably best; `None` while nothing is known.
    #[getter]
    fn best(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let best = py.detach(|| {
            let inner = self.lock();
            let view = inner.selector.view();
            let concluded = inner.selector.conclusion().map(|conclusion| conclusion.arm);
            concluded
                .or_else(|| Some(view.belief()?.leader().0))
                .or_else(|| view.empirical_best())
        });
        self.raised.check()?;
        Ok(best.map(|arm| self.study.arms().name(arm).to_owned()))
    }

    /// Returns whether the selection has ended.
    #[getter]
    fn finished(&self, py: Python<'_>) -> bool {
        py.detach(|| self.lock().selector.conclusion().is_some())
    }

    /// Returns how the selection ended: `arm`, `reason`, `probability`, `evaluations`, of tied arms
    /// `tied`, and of several best ones `top`; `None` before it has.
    #[getter]
    fn conclusion<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let conclusion: Option<Conclusion> =
            py.detach(|| self.lock().selector.conclusion().cloned());
        let Some(conclusion) = conclusion else {
            return Ok(None);
        };
        let dict = PyDict::new(py);
        let name = |arm: &ArmId| self.study.arms().name(*arm).to_owned();
        dict.set_item("arm", name(&conclusion.arm))?;
        dict.set_item("reason", reason(&conclusion.reason))?;
        dict.set_item("probability", conclusion.probability)?;
        dict.set_item("evaluations", conclusion.evaluations)?;
        let named = match &conclusion.reason {
            Reason::Tied { arms, .. } => Some(("tied", arms)),
            Reason::Top { arms, .. } => Some(("top", arms)),
            _ => None,
        };
        if let Some((key, arms)) = named {
            dict.set_item(key, arms.iter().map(name).collect::<Vec<_>>())?;
        }
        Ok(Some(dict))
    }

    /// Returns the evaluations that ended, a dict for each, in the form that other functions of this package take.
    #[getter]
    fn records<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = PyList::empty(py);
        for (turn, row) in (1_u64..).zip(&py.detach(|| self.lock().rows.clone())) {
            let dict = PyDict::new(py);
            dict.set_item("arm", self.study.arms().name(row.arm))?;
            match row.outcome {
                Outcome::Observed(Observation::Score(score)) => {
                    dict.set_item(self.study.metric().name(), score)?;
                }
                Outcome::Observed(Observation::Counts(counts)) => {
                    let [tp, fp, tn, fn_] = counts.cells();
                    for (key, count) in [("tp", tp), ("fp", fp), ("tn", tn), ("fn", fn_)] {
                        dict.set_item(key, count)?;
                    }
                }
                _ => dict.set_item("status", "failed")?,
            }
            match self.study.items() {
                Some(items) => {
                    dict.set_item("item", items.id(row.split))?;
                    // By these, analyses know that the selector chose which answers there are.
                    dict.set_item("evaluation", row.number + 1)?;
                    dict.set_item("turn", turn)?;
                    dict.set_item("pool_size", items.len())?;
                }
                None => dict.set_item("split", row.split)?,
            }
            dict.set_item("seed", row.seed)?;
            dict.set_item("cost", row.cost)?;
            if let Some(unit) = self.cost_unit() {
                dict.set_item("cost_unit", unit)?;
            }
            rows.append(dict)?;
        }
        Ok(rows)
    }

    /// Returns the study and all events as JSON, from which [`restored`](Self::restored) makes the
    /// selector again.
    fn state(&self, py: Python<'_>) -> PyResult<String> {
        let state = py.detach(|| State {
            study: self.document.clone(),
            happened: self.lock().happened.clone(),
        });
        serde_json::to_string(&state).map_err(refused)
    }

    /// Returns the study document of a saved state.
    #[staticmethod]
    fn document_of(state: &str) -> PyResult<String> {
        Ok(read_state(state)?.study)
    }

    /// Repeats the events of a saved state in a selector that has had none.
    fn restore(&self, py: Python<'_>, state: &str) -> PyResult<()> {
        let state = read_state(state)?;
        py.detach(|| {
            let mut inner = self.lock();
            for happened in state.happened {
                match happened {
                    Happened::Asked(evaluation) => {
                        inner
                            .selector
                            .replay(&fiesta_core::Ask::Evaluate(evaluation))?;
                        inner.happened.push(Happened::Asked(evaluation));
                    }
                    Happened::Finished => match inner.selector.ask()? {
                        fiesta_core::Ask::Finished(_) => inner.note_end(),
                        // An earlier version ended while evaluations ran.
                        fiesta_core::Ask::Evaluate(evaluation) => {
                            inner.happened.push(Happened::Asked(evaluation));
                        }
                        fiesta_core::Ask::Wait => {}
                    },
                    Happened::Told { id, outcome, cost } => {
                        inner.tell(&self.study, id, outcome, cost)?;
                    }
                }
            }
            Ok::<(), SelectorError>(())
        })
        .map_err(error)?;
        self.raised.check()
    }
}

impl Selector {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn score(&self, score: f64) -> PyResult<Observation> {
        if self.study.f_beta().is_some() {
            return Err(refused(
                "this study is of confusion counts: tell counts={\"tp\": …, \"fp\": …, \"fn\": …}",
            ));
        }
        self.study
            .metric()
            .check(score)
            .map(Observation::Score)
            .map_err(refused)
    }

    fn counts(&self, counts: &HashMap<String, u64>) -> PyResult<Observation> {
        if self.study.f_beta().is_none() {
            return Err(refused(format!(
                "this study is of scores: tell the {} alone",
                self.study.metric().name()
            )));
        }
        let value = serde_json::to_value(counts).map_err(refused)?;
        serde_json::from_value::<Counts>(value)
            .map(Observation::Counts)
            .map_err(refused)
    }
}

/// Returns the exception for an error of the selector: `KeyError` for an evaluation that is not
/// pending.
fn error(error: SelectorError) -> PyErr {
    let message = error.to_string();
    match error {
        SelectorError::NotPending(_) => PyKeyError::new_err(message),
        SelectorError::Cost { .. } | SelectorError::Observe(_) => PyValueError::new_err(message),
        SelectorError::NoCandidate(_) | SelectorError::Stalled => PyTypeError::new_err(message),
        _ => PyRuntimeError::new_err(message),
    }
}

/// Returns why a selection ended, as the ledger's word for it.
fn reason(reason: &Reason) -> String {
    match serde_json::to_value(reason) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(serde_json::Value::Object(map)) => map.keys().next().cloned().unwrap_or_default(),
        _ => String::new(),
    }
}
