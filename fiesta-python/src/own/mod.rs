//! Policies, posteriors and stopping rules that are classes of Python with one method.

mod posterior;
mod view;

pub(crate) use posterior::posterior;

use fiesta_core::{
    ArmId, Direction, Next, Observation, Policy, Reason, StoppingRule, Verdict, View,
};
use pyo3::{exceptions::PyValueError, prelude::*};
use rand::Rng;
use std::sync::{Arc, Mutex, PoisonError};
pub(crate) use view::Snapshot;

/// First exception of a policy, posterior or stopping rule of Python since the last check.
///
/// The traits have no way to fail; what is raised is kept here, and raised again by the call of the
/// selector that led there.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn keep(&self, error: PyErr) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(error);
    }

    /// Raises the exception that was kept, if there is one.
    pub(crate) fn check(&self) -> PyResult<()> {
        let raised = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        raised.map_or(Ok(()), Err)
    }
}

/// Common data of a policy, posterior or stopping rule that is an object of Python.
#[derive(Clone)]
struct Part {
    object: Arc<Py<PyAny>>,
    arms: Arc<Vec<String>>,
    direction: Direction,
    raised: Raised,
}

impl Part {
    fn new(part: Py<PyAny>, arms: &[String], direction: Direction, raised: &Raised) -> Self {
        Self {
            object: Arc::new(part),
            arms: Arc::new(arms.to_vec()),
            direction,
            raised: raised.clone(),
        }
    }

    /// Calls a method of the Python object with a snapshot of the arms. `None` if it raised an exception.
    fn call(&self, method: &str, view: &View<'_>, seed: u64) -> Option<Choice> {
        let snapshot = Snapshot::new(view, &self.arms, self.direction, seed);
        Python::attach(|py| {
            let answer = self.object.bind(py).call_method1(method, (snapshot,));
            let choice = answer.and_then(|answer| self.choice(method, &answer));
            choice.map_err(|error| self.raised.keep(error)).ok()
        })
    }

    /// Returns the arm whose name the method returned, or [`Choice::Nothing`] for `None`.
    fn choice(&self, method: &str, answer: &Bound<'_, PyAny>) -> PyResult<Choice> {
        if answer.is_none() {
            return Ok(Choice::Nothing);
        }
        let name: String = answer.extract().map_err(|_| {
            PyValueError::new_err(format!(
                "`{method}` returned {answer}: return the name of an arm, or None"
            ))
        })?;
        let place = self.arms.iter().position(|arm| *arm == name);
        place
            .map(|place| Choice::Arm(ArmId::new(place)))
            .ok_or_else(|| {
                PyValueError::new_err(format!(
                    "`{method}` returned `{name}`, which is no arm: the arms are {}",
                    self.arms.join(", ")
                ))
            })
    }
}

/// Choice that a method of a Python object returned.
enum Choice {
    Arm(ArmId),
    Nothing,
}

struct OwnPolicy {
    part: Part,
    needs_posterior: bool,
}

/// Policy of a Python object with `next(view)`, which returns the arm to evaluate next, or `None`
/// to wait for running evaluations.
pub(crate) fn policy(
    part: Py<PyAny>,
    arms: &[String],
    direction: Direction,
    raised: &Raised,
) -> Box<dyn Policy> {
    let needs_posterior = Python::attach(|py| {
        part.bind(py)
            .getattr("needs_posterior")
            .and_then(|needs| needs.is_truthy())
            .unwrap_or(true)
    });
    Box::new(OwnPolicy {
        part: Part::new(part, arms, direction, raised),
        needs_posterior,
    })
}

impl Policy for OwnPolicy {
    fn next(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Next {
        match self.part.call("next", view, rng.next_u64()) {
            Some(Choice::Arm(arm)) => Next::Evaluate(arm),
            _ => Next::Wait,
        }
    }

    fn needs_posterior(&self) -> bool {
        self.needs_posterior
    }
}

struct OwnRule(Part);

/// Stopping rule of a Python object with `check(view)`, which returns the arm to stop with, or
/// `None` to go on.
pub(crate) fn stopping(
    part: Py<PyAny>,
    arms: &[String],
    direction: Direction,
    raised: &Raised,
) -> Box<dyn StoppingRule<Observation>> {
    Box::new(OwnRule(Part::new(part, arms, direction, raised)))
}

impl StoppingRule<Observation> for OwnRule {
    fn check(&self, view: &View<'_>) -> Verdict {
        match self.0.call("check", view, 0) {
            Some(Choice::Arm(arm)) => Verdict::Stop(arm, Reason::Schedule),
            _ => Verdict::Continue,
        }
    }
}
