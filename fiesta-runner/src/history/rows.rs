//! Evaluations of a study: a row for each evaluation that counts.

use super::{Ending, History, Lost, Record};
use crate::{
    controller::has_measured_cost,
    ledger::damage_in_words,
    pattern::is_one,
    study::{Items, PoolKey, Study},
};
use fiesta_core::{Arms, CostUnit, Observation, Outcome};
use fiesta_policies::random_search::Setting;
use fiesta_records::{Evaluations, Reading, Record as Row, RowProblem, legible};
#[cfg(feature = "report")]
use fiesta_report::cost_with_unit;
use serde_json::Value;
use std::{borrow::Cow, fmt::Display};

/// Formats a cost with its unit.
#[cfg(not(feature = "report"))]
fn cost_with_unit(cost: f64, unit: Option<&CostUnit>) -> String {
    match unit {
        Some(unit) => format!("{cost:.3} {}", unit.name()),
        None => format!("{cost:.3}"),
    }
}

/// The reason why a study has no records: two arms, or a name or a value, that cannot be in a file.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RowsError(String);

fn refused(problem: impl Display) -> RowsError {
    RowsError(problem.to_string())
}

/// Columns of an export that do not apply to evaluations of another study.
pub(crate) const OWN: &str = "arm_digest cost_unit document evaluation group lost_attempts \
    lost_cost pool_size recorded turn";
/// Columns that have a meaning in the long form of a file of scores.
const OF_LONG_FORM: &str = "arm item split seed cost duration status score tp fp tn fn";

/// Whether a key of a result cannot be the name of a column, as another column has this name.
pub(crate) fn is_taken(name: &str, metric: &str) -> bool {
    name == metric || is_one(OWN, name) || is_one(OF_LONG_FORM, name)
}

/// Prefix of a column for a key of a result whose own name has another meaning.
const PREFIX: &str = "result.";
/// Prefix of a column for a hyperparameter whose own name has another meaning.
const OF_SETTING: &str = "setting.";

impl History {
    /// Every evaluation that ended with a score or failed, in the order in which they were asked
    /// for.
    ///
    /// Beside what the long form has (`item` in a study of items): `evaluation`, its number from 1;
    /// `arm_digest`, a digest of what identifies the arm beside its name, as the latest session read
    /// the study file, which a study that counts these rows compares;
    /// in a study of items `turn`, its place among those that ended, and `pool_size`, how many items
    /// there are; `document`; `group`, that of the item where the study has strata; the hyperparameters of a
    /// random search, by their names; `tp`, `fp`, `tn` and `fn` where the result had counts, whose
    /// score is the F-measure of their document; `lost_attempts` and `lost_cost`, of attempts
    /// before the one that ended it, if any were lost; `cost_unit`, where the study file names the
    /// unit of costs and this cost is in it; `recorded`, the file and the line of one that was made
    /// before the study; and every other key of the result. The split of a study of documents is
    /// the number of the document, which pairs the arms.
    ///
    /// # Errors
    /// [`RowsError`] if two arms, or a name or value, cannot be in a file.
    pub fn rows(&self, study: &Study) -> Result<Evaluations, RowsError> {
        let metric = study.metric().name();
        // Nothing keeps a study from calling its metric what a column is called.
        let mut rows = Evaluations::new(metric)
            .or_else(|_| Evaluations::new("score"))
            .map_err(refused)?;
        // What files cannot hold is left out of names, which must not make two arms one.
        Arms::new(study.arms().names().iter().map(|name| legible(name))).map_err(refused)?;
        if let Some(search) = study.search() {
            // Before any row fills them, so that they stand together.
            for name in search.names() {
                let column = hyperparameter(name, rows.metric()).into_owned();
                rows.add_column(&column).map_err(refused)?;
            }
        }
        for record in self.records.values() {
            let number = record.evaluation.id.0 + 1;
            self.add(study, record, &mut rows).map_err(|problem| {
                refused(format!("evaluation {number} of this study: {problem}"))
            })?;
        }
        Ok(rows)
    }

    /// Returns in words which arms' scores look like shares and which like percentages. `None` if all may be on one scale,
    /// the study has bounds, or names cannot be in a file.
    pub(crate) fn two_scales(&self, study: &Study) -> Option<String> {
        let metric = study.metric();
        let is_open = metric.bounds().is_none() && study.f_beta().is_none();
        let mut scores = is_open.then(|| Evaluations::new(metric.name()).ok())??;
        for record in self.records.values() {
            if let Some(ending) = &record.ending
                && let Outcome::Observed(Observation::Score(score)) = ending.outcome
            {
                let arm = legible(study.arms().name(record.evaluation.arm));
                scores.push(Row::new(&*arm, score)).ok()?;
            }
        }
        scores.two_scales(&Reading::default())
    }

    fn add(
        &self,
        study: &Study,
        record: &Record,
        rows: &mut Evaluations,
    ) -> Result<(), RowProblem> {
        let Some(ending) = &record.ending else {
            return Ok(());
        };
        let evaluation = &record.evaluation;
        let mut cells: Vec<(Cow<'_, str>, Cow<'_, str>)> = vec![(
            "evaluation".into(),
            (evaluation.id.0 + 1).to_string().into(),
        )];
        if let Some(origin) = &record.origin {
            let place = format!("{}:{}", legible(&origin.file), origin.line);
            cells.push(("recorded".into(), place.into()));
        }
        if let Some(digest) = self.arm_digests.get(evaluation.arm.index()) {
            cells.push(("arm_digest".into(), digest.into()));
        }
        if record.lost.attempts > 0 {
            let lost = record.lost;
            cells.push(("lost_attempts".into(), lost.attempts.to_string().into()));
            cells.push(("lost_cost".into(), lost.spent.cost.to_string().into()));
        }
        let item = study.item(&evaluation.case).map(legible);
        let is_of_items = study.items().is_some_and(is_pool_of_items) && study.f_beta().is_none();
        let item = match item {
            Some(item) if is_of_items => {
                let size = study.items().map_or(0, Items::len);
                cells.extend(
                    record
                        .turn
                        .map(|turn| ("turn".into(), turn.to_string().into())),
                );
                cells.push(("pool_size".into(), size.to_string().into()));
                Some(rows.item(&item)?)
            }
            Some(document) => {
                cells.push(("document".into(), document));
                None
            }
            None => None,
        };
        let group = study
            .items()
            .and_then(|items| items.group(evaluation.case.split));
        cells.extend(group.map(|group| ("group".into(), legible(group))));
        for (name, value) in record.setting.iter() {
            let column = hyperparameter(name, rows.metric());
            cells.push((column, legible(&value.to_string()).into_owned().into()));
        }
        let arm = legible(study.arms().name(evaluation.arm));
        let (split, seed) = match &record.origin {
            // What its file does not say was made up.
            Some(origin) if study.items().is_none() => (origin.split, origin.seed),
            Some(origin) => (Some(evaluation.case.split), origin.seed),
            None => (
                Some(study.split(&evaluation.case)),
                Some(evaluation.case.seed),
            ),
        };
        let split = item.or(split);
        let is_apart = |field: &str| rows.metric() != field;
        let cost = record.cost().filter(|_| is_apart("cost"));
        if let Some(unit) = cost.and_then(|_| named_unit(study, record))
            && is_apart("cost_unit")
        {
            cells.push(("cost_unit".into(), unit.into()));
        }
        let scored = Row {
            split,
            seed,
            cost,
            duration: record.seconds().filter(|_| is_apart("duration")),
            ..Row::new(&*arm, 0.0)
        };
        match ending.outcome {
            Outcome::Observed(observed) => {
                let f_beta = study.f_beta().unwrap_or_default();
                let score = observed.score(f_beta);
                if let Some(counts) = observed.counts() {
                    let names = ["tp", "fp", "tn", "fn"].into_iter();
                    let counts = names.zip(counts.cells());
                    cells.extend(
                        counts.map(|(name, count)| (name.into(), count.to_string().into())),
                    );
                }
                for (key, value) in &ending.extras {
                    cells.push((column(key, rows.metric(), &record.setting), text(value)));
                }
                rows.push_with(Row { score, ..scored }, cells)
            }
            Outcome::Failed => {
                let failed = Row {
                    split: scored.split,
                    seed: scored.seed,
                    cost: scored.cost,
                    duration: scored.duration,
                    ..Row::failed(scored.arm)
                };
                rows.push_failure_with(failed, cells)
            }
            Outcome::Withdrawn => Ok(()),
        }
    }

    /// Returns notices about what the [rows](Self::rows) leave out: pending evaluations, those set
    /// aside, and attempts without a result, with their cost in `unit`. One line each.
    pub fn left_out(&self, unit: Option<&CostUnit>) -> Vec<String> {
        let unshown = |count: u64, [what, of, why]: [&str; 3], cost: f64| {
            let (s, were, they) = match count {
                1 => ("", "was", "it"),
                _ => ("s", "were", "they"),
            };
            let cost = cost_with_unit(cost, unit);
            format!(
                "{count} {what}{s}{of} {were} {why}; {they} cost {cost}, which is not among these results"
            )
        };
        let records = self.records.values();
        let records = records.filter(|record| record.ending.as_ref().is_none_or(is_withdrawn));
        let (aside, lost): (Vec<&Record>, Vec<&Record>) =
            records.partition(|record| record.set_aside.is_some());
        let lost: Vec<Lost> = lost.into_iter().map(Record::all_lost).collect();
        let attempts: u64 = lost.iter().map(|lost| lost.attempts).sum();
        let cost: f64 = lost.iter().map(|lost| lost.spent.cost).sum();
        let mut notices = damage_in_words(&self.damage);
        notices.extend(unended(self));
        if !aside.is_empty() {
            let cost = aside
                .iter()
                .map(|record| record.all_lost().spent.cost)
                .sum();
            let what = ["evaluation", "", "set aside as an arm was asked anew"];
            notices.push(unshown(aside.len() as u64, what, cost));
        }
        if attempts > 0 {
            let of = " at evaluations without a result";
            notices.push(unshown(attempts, ["attempt", of, "lost or stopped"], cost));
        }
        notices
    }
}

/// Returns the unit that the study file names for costs. `None` if the evaluation was made before
/// the study, or its cost was measured before the unit was named.
fn named_unit(study: &Study, record: &Record) -> Option<String> {
    let CostUnit::Named(unit) = study.cost_unit()? else {
        return None;
    };
    let is_own = record.origin.is_none() && !has_measured_cost(study, record);
    is_own.then_some(unit)
}

/// Returns whether the study file calls its items `items`, and not `documents`.
fn is_pool_of_items(items: &Items) -> bool {
    items.key() == PoolKey::Items
}

/// Returns the name of the column of a hyperparameter.
fn hyperparameter<'a>(name: &'a str, metric: &str) -> Cow<'a, str> {
    if is_taken(name, metric) {
        return format!("{OF_SETTING}{name}").into();
    }
    name.into()
}

/// Returns the column of a result's key. Programs often print hyperparameters, perhaps rounded,
/// with their result: the drawn values have the plain name.
fn column<'a>(key: &'a str, metric: &str, setting: &Setting) -> Cow<'a, str> {
    let name = legible(key);
    let is_taken = is_taken(&name, metric) || setting.get(&name).is_some();
    let is_prefixed = [PREFIX, OF_SETTING]
        .iter()
        .any(|prefix| name.starts_with(prefix));
    if name.is_empty() || is_taken || is_prefixed {
        return format!("{PREFIX}{name}").into();
    }
    name
}

/// Returns the text of a result's value: a string unchanged, any other value as JSON.
fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => "".into(),
        Value::String(text) => text.into(),
        other => other.to_string().into(),
    }
}

fn is_withdrawn(ending: &Ending) -> bool {
    ending.outcome == Outcome::Withdrawn
}

fn unended(history: &History) -> Vec<String> {
    match history.pending().count() {
        0 => Vec::new(),
        1 => vec!["1 evaluation has not ended, and is not among these results".to_owned()],
        pending => vec![format!(
            "{pending} evaluations have not ended, and are not among these results"
        )],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_results_take_no_other_column_s_name() {
        for (key, name) in [
            ("loss", "loss"),
            (" loss ", "\\u{20}loss\\u{20}"),
            ("a\\nb", "a\\\\nb"),
            ("split", "result.split"),
            ("score", "result.score"),
            ("f1", "result.f1"),
            ("tp", "result.tp"),
            // Or else it would be taken for the one above.
            ("result.split", "result.result.split"),
            ("", "result."),
            ("a\nb", "a\\nb"),
        ] {
            assert_eq!(column(key, "f1", &Setting::default()), name);
        }
    }
}
