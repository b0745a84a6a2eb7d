//! Posteriors that are classes of Python with a method `draws`.

use super::{Part, Raised};
use fiesta_core::{
    ArmId, Case, Direction, Marginal, Moments, Observation, Observe, ObserveError, Posterior,
};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyDict, PyList},
};
use rand::{Rng, RngExt};
use std::sync::OnceLock;

/// Number of joint draws that a Python posterior is asked for at a time.
const DRAWS: usize = 4096;

/// Returns the posterior of an object with `draws(scores, size, seed)`: `scores` is a dict with a
/// list of (split, score) for each arm, and what is returned are `size` joint draws of the arms'
/// means, each with a number for each arm.
pub(crate) fn posterior(
    part: Py<PyAny>,
    arms: &[String],
    direction: Direction,
    raised: &Raised,
) -> Box<dyn Observe<Observation>> {
    let required = Python::attach(|py| {
        part.bind(py)
            .getattr("required")
            .and_then(|required| required.extract())
            .unwrap_or(2)
    });
    Box::new(OwnPosterior {
        scores: vec![Vec::new(); arms.len()],
        part: Part::new(part, arms, direction, raised),
        required,
        drawn: OnceLock::new(),
    })
}

struct OwnPosterior {
    part: Part,
    /// Number of scores of each arm that the posterior needs before it is asked.
    required: u64,
    /// Splits and scores of each arm. Larger scores are better.
    scores: Vec<Vec<(u64, f64)>>,
    /// Draws of the posterior given these scores, one joint draw after another. `None` if Python
    /// raised an exception or returned no draws.
    drawn: OnceLock<Option<Vec<f64>>>,
}

impl OwnPosterior {
    fn draws(&self) -> Option<&[f64]> {
        let drawn = self.drawn.get_or_init(|| {
            Python::attach(|py| {
                self.ask(py)
                    .map_err(|error| self.part.raised.keep(error))
                    .ok()
            })
        });
        drawn.as_deref()
    }

    fn ask(&self, py: Python<'_>) -> PyResult<Vec<f64>> {
        let direction = self.part.direction;
        let scores = PyDict::new(py);
        for (name, of_arm) in self.part.arms.iter().zip(&self.scores) {
            let reported = of_arm
                .iter()
                .map(|&(split, score)| (split, direction.orient(score)));
            scores.set_item(name, PyList::new(py, reported.collect::<Vec<_>>())?)?;
        }
        let answer = self
            .part
            .object
            .bind(py)
            .call_method1("draws", (scores, DRAWS, 0))?;
        let arms = self.scores.len();
        let mut drawn = Vec::with_capacity(DRAWS * arms);
        for draw in answer.try_iter()? {
            let before = drawn.len();
            for mean in draw?.try_iter()? {
                let mean: f64 = mean?.extract()?;
                drawn.push(direction.orient(mean));
            }
            if drawn.len() - before != arms || !drawn[before..].iter().all(|mean| mean.is_finite())
            {
                return Err(PyValueError::new_err(format!(
                    "`draws` returned a draw that is not {arms} finite numbers, one of each arm: return {DRAWS} of them"
                )));
            }
        }
        if drawn.is_empty() {
            return Err(PyValueError::new_err(format!(
                "`draws` returned no draw: return {DRAWS} of them"
            )));
        }
        Ok(drawn)
    }

    fn is_known(&self, arm: ArmId) -> bool {
        self.scores[arm.index()].len() as u64 >= self.required
    }
}

impl Posterior for OwnPosterior {
    fn arms(&self) -> usize {
        self.scores.len()
    }

    fn required(&self, _: ArmId) -> u64 {
        self.required
    }

    /// Returns the normal distribution with the mean and standard deviation of an arm's draws.
    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        if !self.is_known(arm) {
            return None;
        }
        let draws = self.draws()?;
        let of_arm = draws.iter().skip(arm.index()).step_by(self.arms());
        let moments: Moments = of_arm.copied().collect();
        Some(Marginal {
            location: moments.mean(),
            scale: moments
                .standard_deviation()
                .filter(|sd| *sd > 0.0)
                .unwrap_or(f64::MIN_POSITIVE),
            degrees_of_freedom: f64::INFINITY,
        })
    }

    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        let arms = self.arms();
        match self.draws() {
            Some(draws) => {
                let place = rng.random_range(0..draws.len() / arms) * arms;
                means.copy_from_slice(&draws[place..place + arms]);
            }
            None => means.fill(0.0),
        }
    }
}

impl Observe<Observation> for OwnPosterior {
    fn observe(
        &mut self,
        arm: ArmId,
        case: Case,
        observation: Observation,
    ) -> Result<(), ObserveError> {
        let Observation::Score(score) = observation else {
            return Err(ObserveError::Kind {
                expected: "scores",
                found: "counts",
            });
        };
        self.drawn = OnceLock::new();
        self.scores[arm.index()].push((case.split, score));
        Ok(())
    }
}
