//! The measures of a study: further numbers of an evaluation beside its score.

use super::{
    Study, StudyError,
    budget::time_of,
    error::Source,
    file::{MeasureTable, StudyFile},
};
use crate::{
    history::{Ending, is_column},
    run::result::{NoScore, ResultKey, Scored},
};
use fiesta_core::{Direction, EvaluationId, Event, Metric, MetricError, Observation, Outcome};
use serde_json::{Map, Value};

/// A measure of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct FurtherMeasure {
    /// Name of the measure, the direction in which it is better, and its bounds.
    pub metric: Metric,
    /// Unit of the measure.
    pub unit: Option<String>,
    value: Origin,
}

/// Where the value of a measure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The key of the measure in the result.
    Result,
    /// The seconds that the evaluation took.
    Duration,
    /// The cost of the evaluation.
    Cost,
}

/// Names of the measures that the program itself records, which no result has to state.
pub(super) const BUILT_IN: [&str; 2] = ["duration", "cost"];

impl FurtherMeasure {
    fn named(name: &str, table: Option<&MeasureTable>) -> Result<Self, MetricError> {
        let direction = table.and_then(|table| table.direction);
        let bounds = table.and_then(|table| table.bounds);
        let unit = table.and_then(|table| table.unit.clone());
        let value = match name {
            "duration" => Origin::Duration,
            "cost" => Origin::Cost,
            _ => Origin::Result,
        };
        let direction = direction.unwrap_or(Direction::Minimize);
        Ok(Self {
            metric: Metric::new(name, direction, bounds.map(<(f64, f64)>::from))?,
            unit: unit.or((value == Origin::Duration).then(|| "s".to_owned())),
            value,
        })
    }

    /// Whether a result has to state the measure under a key of its own.
    pub(super) fn is_printed(&self) -> bool {
        self.value == Origin::Result
    }

    /// Returns the value of the measure in an evaluation. `None` if it failed or states none.
    pub fn value(&self, ending: &Ending) -> Option<f64> {
        match (&ending.outcome, self.value) {
            (Outcome::Observed(_), Origin::Result) => {
                stated(ending.extras.get(self.metric.name())?)
            }
            (Outcome::Observed(_), Origin::Duration) => Some(ending.seconds),
            (Outcome::Observed(_), Origin::Cost) => Some(ending.cost),
            _ => None,
        }
    }

    /// Checks that a result states a printed measure, and within its bounds.
    pub(super) fn check(&self, extras: &Map<String, Value>) -> Result<(), String> {
        if !self.is_printed() {
            return Ok(());
        }
        let name = self.metric.name();
        let found = extras.get(name).ok_or_else(|| {
            format!(
                "the result has no \"{name}\", a measure of the study: print it beside the score, or take it out of [[measure]]"
            )
        })?;
        let value = stated(found).ok_or_else(|| {
            format!("the result has \"{name}\" = {found}, a measure of the study: write it as one number")
        })?;
        let checked = self.metric.check(value);
        checked
            .map(drop)
            .map_err(|error| format!("{name}: {error}"))
    }
}

/// Returns the number that a value states: a number, or a text of one, as long numbers and the cells
/// of files are kept.
fn stated(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    }
}

/// Returns the measures of a study file, and the built-in ones that it does not list.
pub(super) fn measures(
    source: &Source<'_>,
    file: &StudyFile,
    metric: &Metric,
) -> Result<Vec<FurtherMeasure>, StudyError> {
    let mut all: Vec<FurtherMeasure> = Vec::new();
    for (place, table) in file.measure.iter().enumerate() {
        let place = place.to_string();
        let wrong =
            |key: &str, message: String| Err(source.wrong(&["measure", &place, key], message));
        let name = table.name.as_str();
        let measure = match FurtherMeasure::named(name, Some(table)) {
            Ok(measure) => measure,
            Err(MetricError::Bounds(low, high)) => {
                let message = format!(
                    "the bounds [{low}, {high}] of a measure are no interval: the first must be below the second, both finite"
                );
                return wrong("bounds", message);
            }
            Err(_) => {
                let message = "the measure has no name: give the key of its value in the result";
                return wrong("name", message.to_owned());
            }
        };
        if all.iter().any(|own| own.metric.name() == name) {
            return wrong(
                "name",
                format!("there are two measures `{name}`: leave one out"),
            );
        }
        let keys = ResultKey::ALL.iter().map(|key| key.name());
        let is_taken = is_column(name, metric.name()) || keys.chain(["id"]).any(|key| key == name);
        if is_taken && measure.is_printed() {
            let message = format!(
                "`{name}` has another meaning in results or in exports: call the measure something else"
            );
            return wrong("name", message);
        }
        if measure.is_printed()
            && file
                .metric
                .as_ref()
                .is_some_and(|own| own.pattern.is_some())
        {
            let message = format!(
                "`{name}` is read from a result as JSON, and a pattern finds one number in other output: let jobs print {{\"{}\": 0.5, \"{name}\": 1.2}}, and leave pattern out",
                metric.name()
            );
            return wrong("name", message);
        }
        all.push(measure);
    }
    for name in BUILT_IN {
        if !all.iter().any(|own| own.metric.name() == name) {
            let made = FurtherMeasure::named(name, None);
            all.push(made.map_err(|error| source.wrong(&["measure"], error))?);
        }
    }
    if let Some(most) = longest(file)
        && let Some(own) = all.iter_mut().find(|own| own.value == Origin::Duration)
        && own.metric.bounds().is_none()
    {
        let made = Metric::new("duration", own.metric.direction(), Some((0.0, most)));
        own.metric = made.map_err(|error| source.wrong(&["measure"], error))?;
    }
    Ok(all)
}

/// Returns the seconds of a job's time limit, if a constraint on a mean needs them as a bound.
fn longest(file: &StudyFile) -> Option<f64> {
    let of_means = file.constraint.iter();
    let mut of_means = of_means.filter(|own| own.share_above.is_none() && own.quantile.is_none());
    let is_of_duration = of_means.any(|own| own.measure == "duration");
    let text = file.resources.timeout.as_ref().filter(|_| is_of_duration)?;
    Some(time_of("timeout", text).ok()?.as_secs_f64())
}

/// Writes the bounds that follow from a time limit to the tables of a study file: another limit is
/// another constraint.
pub(super) fn record(all: &[FurtherMeasure], file: &mut StudyFile) {
    let own = all.iter().find(|own| own.value == Origin::Duration);
    let bounds = own.and_then(|own| own.metric.bounds());
    let Some(bounds) = bounds.map(<[f64; 2]>::from) else {
        return;
    };
    match file.measure.iter_mut().find(|own| own.name == "duration") {
        Some(table) => table.bounds = Some(bounds),
        None => file.measure.push(MeasureTable {
            name: "duration".to_owned(),
            bounds: Some(bounds),
            unit: None,
            direction: None,
        }),
    }
}

impl Study {
    /// Returns the measures that the study file lists, in its order.
    pub fn measures(&self) -> impl Iterator<Item = &FurtherMeasure> {
        let listed = self.file.measure.len();
        self.measures.iter().take(listed)
    }

    /// Returns the result of an evaluation if it states every measure of the study.
    ///
    /// # Errors
    /// [`NoScore::Wrong`] if a measure is missing, is no number or lies outside its bounds.
    pub(crate) fn with_measures(&self, scored: Scored) -> Result<Scored, NoScore> {
        let mut checks = self.measures.iter().map(|own| own.check(&scored.extras));
        let wrong = checks.find_map(Result::err);
        wrong.map_or(Ok(scored), |message| Err(NoScore::Wrong(message)))
    }

    /// Returns what is wrong with the duration or the cost of an evaluation: it lies outside the bounds
    /// that the study file lists. `None` if nothing is.
    pub(crate) fn beyond_bounds(&self, ending: &Ending) -> Option<String> {
        let own = self.measures().filter(|own| !own.is_printed());
        let mut wrong = own.filter_map(|own| {
            let error = own.metric.check(own.value(ending)?).err()?;
            // A job is stopped a little after its time.
            let [most, limit] = [
                own.metric.bounds().map(|bounds| bounds.1),
                self.timeout.map(|limit| limit.as_secs_f64()),
            ];
            let is_limit = own.value == Origin::Duration && most == limit;
            (!is_limit).then(|| format!("{}: {error}", own.metric.name()))
        });
        wrong.next()
    }

    /// Returns the events by which a selector of this study is told of the measures of an evaluation,
    /// before it is told of its [ending](Self::event). There are none without constraints.
    pub fn measured<'a>(
        &'a self,
        id: EvaluationId,
        ending: &'a Ending,
    ) -> impl Iterator<Item = Event<Observation>> + 'a {
        let tested = self.constraints.iter().map(|own| own.constraint.measure);
        let told = move |measure: usize| {
            let value = self.measures[measure].value(ending)?;
            Some(Event::Measured { id, measure, value })
        };
        tested.filter_map(told)
    }
}
