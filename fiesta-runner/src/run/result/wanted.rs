//! The kinds of value that a result must have: a score within its bounds, or confusion counts.

use super::{NoScore, counts, object, text::quote};
use crate::pattern::Pattern;
use fiesta_core::{Metric, Observation};
use serde_json::{Map, Value};

/// The value that a result must have.
#[derive(Debug, Clone, Copy)]
pub enum Wanted<'a> {
    /// A finite number under the name of this metric.
    Score(&'a Metric),
    /// The value of a metric, under its name. The given score replaces NaN or infinities.
    ScoreOr(&'a Metric, f64),
    /// The number that a pattern finds in the output, and nowhere else. Another score may replace
    /// NaN or infinities.
    Printed {
        /// The metric whose score is wanted.
        metric: &'a Metric,
        /// The pattern that finds the score.
        pattern: &'a Pattern,
        /// The score that takes the place of one that is not finite.
        not_finite: Option<f64>,
    },
    /// Confusion counts: `tp`, `fp`, `fn` and perhaps `tn`, or an object with them for each class,
    /// which are added up.
    Counts,
}

impl<'a> Wanted<'a> {
    /// Returns the keys that mark a line as a result, the most telling one first.
    pub(crate) fn keys(self) -> Vec<&'a str> {
        match self {
            Self::Score(metric) | Self::ScoreOr(metric, _) | Self::Printed { metric, .. } => {
                vec![metric.name()]
            }
            Self::Counts => counts::KEYS.to_vec(),
        }
    }

    /// Returns an example of a result, for messages.
    pub(super) fn example(self) -> String {
        match self {
            Self::Score(metric) | Self::ScoreOr(metric, _) | Self::Printed { metric, .. } => {
                format!("{{\"{}\": 0.5}}", metric.name())
            }
            Self::Counts => "{\"tp\": 3, \"fp\": 1, \"tn\": 0, \"fn\": 2}".to_owned(),
        }
    }

    /// Takes the wanted value from a result.
    pub(super) fn take(
        self,
        object: &mut Map<String, Value>,
        line: &str,
        place: &str,
    ) -> Result<Observation, NoScore> {
        match self {
            Self::Counts => counts::take(object, line, place).map(Observation::Counts),
            Self::ScoreOr(..) => Ok(self.take_or(object, line, place)?.0),
            // Texts of one result alone, such as an answer that was kept, hold JSON.
            Self::Score(metric) | Self::Printed { metric, .. } => {
                let score = match object.shift_remove(metric.name()) {
                    Some(value) => object::number(&value, line, place, metric.name())?,
                    None => return Err(object::without_key(object, line, place, metric.name())),
                };
                let checked = metric.check(score).map_err(|error| {
                    NoScore::Wrong(format!("{place}: {error}: {}", quote(line)))
                })?;
                Ok(Observation::Score(checked))
            }
        }
    }

    /// Takes the wanted value from a result. Returns it with a notice if another score replaced it.
    pub(super) fn take_or(
        self,
        object: &mut Map<String, Value>,
        line: &str,
        place: &str,
    ) -> Result<(Observation, Option<String>), NoScore> {
        let Self::ScoreOr(metric, score) = self else {
            return Ok((self.take(object, line, place)?, None));
        };
        match Self::Score(metric).take(object, line, place) {
            Err(NoScore::NotFinite { text, metric, .. }) => {
                let warning = format!(
                    "{place} has \"{metric}\" = {text}, which counts as {score}, as the study says (not_finite)"
                );
                Ok((Observation::Score(score), Some(warning)))
            }
            taken => Ok((taken?, None)),
        }
    }
}
