//! The output of a function: a score or counts, and whatever else it reports of an evaluation.

use fiesta_core::Observation;
use serde_json::{Map, Value, json};

/// What a function returns of an evaluation: what a command would print as its result.
///
/// ```
/// use fiesta_runner::executor::Output;
/// let score = Output::from(0.83);
/// let more = Output::from(0.83).cost(0.002).with("epochs", 12);
/// # assert_ne!(score, more);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output {
    observation: Option<Observation>,
    keys: Map<String, Value>,
}

impl Output {
    /// Sets the cost of the evaluation, in the study's unit. Without it, the cost is what the study
    /// file says, or the seconds of the call.
    #[must_use]
    pub fn cost(self, cost: f64) -> Self {
        self.with("cost", number(cost))
    }

    /// Adds a key that is kept with the evaluation. `tokens` are counted if the study has prices.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.keys.insert(key.into(), value.into());
        self
    }

    /// Returns the JSON that a command would print, with the score under the key `metric`.
    pub(crate) fn text(&self, metric: &str) -> String {
        let mut keys = self.keys.clone();
        match &self.observation {
            None => {}
            Some(Observation::Score(score)) => {
                keys.insert(metric.to_owned(), number(*score));
            }
            Some(Observation::Counts(counts)) => {
                for (key, count) in crate::run::result::cells(counts) {
                    keys.insert(key.to_owned(), json!(count));
                }
            }
        }
        Value::Object(keys).to_string()
    }
}

/// Returns a number as JSON. NaN and infinities, which JSON has not, become the texts that stand
/// for them in results.
fn number(number: f64) -> Value {
    serde_json::Number::from_f64(number).map_or_else(|| number.to_string().into(), Value::Number)
}

/// Makes an output of a score as the study's metric measures it, not negated.
impl From<f64> for Output {
    fn from(score: f64) -> Self {
        Observation::Score(score).into()
    }
}

impl From<Observation> for Output {
    fn from(observation: Observation) -> Self {
        Self {
            observation: Some(observation),
            keys: Map::new(),
        }
    }
}

/// Makes an output of a whole result, with the score or the counts under their names.
impl From<Map<String, Value>> for Output {
    fn from(keys: Map<String, Value>) -> Self {
        Self {
            observation: None,
            keys,
        }
    }
}
