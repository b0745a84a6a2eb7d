//! Record of the asks and tells of a selector, from which it can be made again.

use crate::error::refused;
use fiesta_core::{
    ArmId, Evaluation, EvaluationId, Event, Observation, Outcome, Selector, SelectorError,
};
use fiesta_runner::Study;
use pyo3::PyResult;
use serde::{Deserialize, Serialize};

/// Events of a selector in order, from which it can be restored.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Happened {
    /// An evaluation was asked for.
    Asked(Evaluation),
    /// The next evaluation was asked for, and the selection had ended.
    Finished,
    /// An outcome was told, in the form in which it was reported.
    Told {
        id: u64,
        outcome: Outcome<Observation>,
        cost: f64,
    },
}

/// Saved state of a selector: its study and its events.
#[derive(Serialize, Deserialize)]
pub(super) struct State {
    /// Study as JSON of its TOML.
    pub(super) study: String,
    pub(super) happened: Vec<Happened>,
}

/// Selector with its events and its observations.
pub(super) struct Inner {
    pub(super) selector: Selector<Observation>,
    pub(super) happened: Vec<Happened>,
    /// Observations of each arm, as reported: score and case.
    pub(super) rows: Vec<Row>,
}

/// Result of an evaluation that ended: case, score and cost.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// The number of the evaluation, from 0.
    pub(super) number: u64,
    pub(super) arm: ArmId,
    pub(super) split: u64,
    pub(super) seed: u64,
    pub(super) outcome: Outcome<Observation>,
    pub(super) cost: f64,
}

impl Inner {
    /// Records once that the selection has ended.
    pub(super) fn note_end(&mut self) {
        if !matches!(self.happened.last(), Some(Happened::Finished)) {
            self.happened.push(Happened::Finished);
        }
    }

    /// Tells the selector the outcome of an evaluation, as it was reported.
    pub(super) fn tell(
        &mut self,
        study: &Study,
        number: u64,
        outcome: Outcome<Observation>,
        cost: f64,
    ) -> Result<(), SelectorError> {
        let id = EvaluationId(number);
        let asked = self.selector.pending().find(|pending| pending.id == id);
        self.selector.tell(Event::Ended {
            id,
            outcome: study.oriented(outcome),
            cost,
        })?;
        self.happened.push(Happened::Told {
            id: number,
            outcome,
            cost,
        });
        if let Some(Evaluation { arm, case, .. }) = asked
            && !matches!(outcome, Outcome::Withdrawn)
        {
            self.rows.push(Row {
                number,
                arm,
                split: case.split,
                seed: case.seed,
                outcome,
                cost,
            });
        }
        Ok(())
    }
}

/// Reads the state of a selector from its JSON.
pub(super) fn read_state(state: &str) -> PyResult<State> {
    serde_json::from_str(state)
        .map_err(|error| refused(format!("this is no state of a selector: {error}")))
}
