//! Constraints of a gate on the measures of a study.

use super::{
    Study, StudyError,
    error::{Source, nearest},
    file::{Amount, ConstraintTable, StudyFile},
    measures::FurtherMeasure,
};
use fiesta_core::Direction;
use fiesta_policies::gate::{Constraint, Limit};

/// A constraint of a study, with its words.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyConstraint {
    /// The constraint as gates test it. Its measure is a number among those of the study.
    pub constraint: Constraint,
    /// Name of the measure.
    pub measure: String,
    /// Sentence part that states the constraint, such as `mean latency is below 3 s`.
    pub met: String,
    /// Sentence part that states the contrary of the constraint.
    pub not_met: String,
}

/// Form of a constraint, for messages.
const FORMS: &str = "give share_above = 2.0, at_most = 0.05 (a share of the evaluations), quantile = 0.95, at_most = 2.0, only at_most = 3.0 (a mean), or at_most = \"1.1 x baseline\"";

/// Reads the constraints of a study file on these measures.
pub(super) fn constraints(
    source: &Source<'_>,
    file: &StudyFile,
    measures: &[FurtherMeasure],
) -> Result<Vec<StudyConstraint>, StudyError> {
    let all = file.constraint.iter().enumerate();
    let read = all.map(|(place, table)| {
        let place = place.to_string();
        one(file, table, measures)
            .map_err(|(key, message)| source.wrong(&["constraint", &place, key], message))
    });
    read.collect()
}

/// Key of a constraint that is wrong, and what to do.
type Wrong = (&'static str, String);

/// Reads a constraint.
fn one(
    file: &StudyFile,
    table: &ConstraintTable,
    measures: &[FurtherMeasure],
) -> Result<StudyConstraint, Wrong> {
    let name = table.measure.as_str();
    let Some(baseline) = file.goal.baseline.as_deref() else {
        return Err((
            "measure",
            "a constraint belongs to a gate, which compares arms with a baseline: name that arm under [goal] (baseline = \"NAME\"), or leave the constraint out; the measure is recorded all the same".to_owned(),
        ));
    };
    if file
        .worker
        .as_ref()
        .is_some_and(|worker| worker.cache.is_some())
    {
        return Err((
            "measure",
            "measures vary when they are taken again, and answers from a cache are of another day: leave cache out of [worker], or the constraint".to_owned(),
        ));
    }
    let place = measures.iter().position(|own| own.metric.name() == name);
    let place = place.ok_or_else(|| {
        let names: Vec<&str> = measures.iter().map(|own| own.metric.name()).collect();
        let meant = nearest(name, &names).map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
        ("measure", format!(
            "there is no measure `{name}`{meant}: list it, with [[measure]] and name = \"{name}\" below it; the measures are {}",
            names.join(", ")
        ))
    })?;
    let own = &measures[place];
    if own.is_listed_to_maximize(file) {
        return Err((
            "measure",
            format!(
                "at_most is of a measure of which smaller values are better, and `{name}` has direction = \"maximize\": measure its contrary"
            ),
        ));
    }
    let (limit, met, not_met) = limited(table, own, baseline)?;
    let constraint = Constraint {
        measure: place,
        limit,
    };
    let is_relative = matches!(constraint.limit, Limit::OfBaseline { .. });
    if is_relative && file.goal.baseline_file.is_some() {
        return Err((
            "at_most",
            format!(
                "a kept baseline has scores of another day and no {name}: leave baseline_file out, so that {baseline} is asked again, or give a number"
            ),
        ));
    }
    let checked = constraint.evidence();
    checked.map_err(|error| ("at_most", format!("the constraint on {name}: {error}")))?;
    Ok(StudyConstraint {
        constraint,
        measure: name.to_owned(),
        met,
        not_met,
    })
}

/// Reads the limit of a measure, with the words for what is required and for its contrary.
fn limited(
    table: &ConstraintTable,
    own: &FurtherMeasure,
    baseline: &str,
) -> Result<(Limit, String, String), Wrong> {
    let name = own.metric.name();
    let bounds = || {
        own.metric.bounds().ok_or_else(|| {
            let or_time = if name == "duration" { ", or a timeout under [resources]" } else { "" };
            ("at_most", format!(
                "a mean is tested with the least and the greatest value that there can be: give the measure {name} its bounds, such as bounds = [0, 10]{or_time}, or constrain a share (share_above = 2.0, at_most = 0.05)"
            ))
        })
    };
    let unit = own
        .unit
        .as_ref()
        .map_or_else(String::new, |unit| format!(" {unit}"));
    Ok(match (table.share_above, table.quantile, &table.at_most) {
        (Some(_), Some(_), _) => {
            return Err((
                "quantile",
                format!("share_above and quantile exclude each other: {FORMS}"),
            ));
        }
        (Some(above), None, Amount::Number(at_most)) => share(name, above, *at_most, &unit),
        (None, Some(quantile), Amount::Number(at_most)) => {
            if !(quantile > 0.0 && quantile < 1.0) {
                return Err((
                    "quantile",
                    format!("quantile = {quantile}: give a number between 0 and 1, such as 0.95"),
                ));
            }
            // 1 − 0.95 is not 0.05 in floating point.
            let above = ((1.0 - quantile) * 1e12).round() / 1e12;
            share(name, *at_most, above, &unit)
        }
        (None, None, Amount::Number(at_most)) => (
            Limit::Mean {
                at_most: *at_most,
                bounds: bounds()?,
            },
            format!("mean {name} is below {at_most}{unit}"),
            format!("mean {name} is {at_most}{unit} or more"),
        ),
        (None, None, Amount::Text(text)) => {
            let factor = factor(text).ok_or_else(|| {
                (
                    "at_most",
                    format!("at_most = \"{text}\" is no limit: {FORMS}"),
                )
            })?;
            (
                Limit::OfBaseline {
                    factor,
                    bounds: bounds()?,
                },
                format!("mean {name} is below {factor} times that of {baseline}"),
                format!("mean {name} is {factor} times that of {baseline} or more"),
            )
        }
        (_, _, Amount::Text(_)) => {
            return Err((
                "at_most",
                format!("beside share_above and quantile, at_most is a number: {FORMS}"),
            ));
        }
    })
}

fn share(name: &str, above: f64, at_most: f64, unit: &str) -> (Limit, String, String) {
    let percent = (at_most * 1e6).round() / 1e4;
    (
        Limit::Share { above, at_most },
        format!("{name} is above {above}{unit} in less than {percent} % of evaluations"),
        format!("{name} is above {above}{unit} in {percent} % of evaluations or more"),
    )
}

/// Returns the factor of a text such as `1.1 x baseline`.
fn factor(text: &str) -> Option<f64> {
    let factor = text.trim().strip_suffix("baseline")?.trim_end();
    let factor = factor.strip_suffix(['x', '×', '*'])?;
    factor.trim().parse().ok()
}

impl FurtherMeasure {
    /// Whether the study file says that larger values are better.
    fn is_listed_to_maximize(&self, file: &StudyFile) -> bool {
        let own = { file.measure.iter() }.find(|table| table.name == self.metric.name());
        own.is_some_and(|table| table.direction == Some(Direction::Maximize))
    }
}

impl Study {
    /// Returns the constraints that arms must keep to ship, in the order of the study file.
    pub fn constraints(&self) -> &[StudyConstraint] {
        &self.constraints
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Study;

    fn read(tables: &str) -> Result<Study, String> {
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join("study.toml");
        let text = format!(
            "name = \"trial\"\ncommand = [\"true\"]\nmetric = {{ name = \"accuracy\", bounds = [0, 1] }}\ngoal.baseline = \"a\"\ngoal.margin = 0.1\narm = [{{ name = \"a\" }}, {{ name = \"b\" }}]\nmeasure = [{{ name = \"latency\", unit = \"s\", bounds = [0, 10] }}, {{ name = \"words\" }}]\n{tables}\n"
        );
        std::fs::write(&path, text).unwrap();
        Study::read(&path).map_err(|error| error.to_string())
    }

    fn of(constraint: &str) -> Result<Limit, String> {
        read(&format!(
            "constraint = [{{ measure = \"latency\", {constraint} }}]"
        ))
        .map(|study| study.constraints()[0].constraint.limit)
    }

    #[test]
    fn every_form_is_read() {
        let bounds = (0.0, 10.0);
        let share = Limit::Share {
            above: 2.0,
            at_most: 0.05,
        };
        for (text, limit) in [
            ("share_above = 2.0, at_most = 0.05", share),
            ("quantile = 0.95, at_most = 2", share),
            (
                "at_most = 3",
                Limit::Mean {
                    at_most: 3.0,
                    bounds,
                },
            ),
            (
                "at_most = \"1.1 x baseline\"",
                Limit::OfBaseline {
                    factor: 1.1,
                    bounds,
                },
            ),
            (
                "at_most = \"2× baseline\"",
                Limit::OfBaseline {
                    factor: 2.0,
                    bounds,
                },
            ),
        ] {
            assert_eq!(of(text), Ok(limit), "{text}");
        }
        let study = read(
            "constraint = [{ measure = \"duration\", at_most = 5 }]\nresources.timeout = \"1min\"",
        )
        .unwrap();
        let limit = Limit::Mean {
            at_most: 5.0,
            bounds: (0.0, 60.0),
        };
        assert_eq!(study.constraints()[0].constraint.limit, limit);
        assert_eq!(study.fingerprint["measure"][2]["bounds"][1], 60.0);
        assert_eq!(study.constraints()[0].met, "mean duration is below 5 s");
    }

    #[test]
    fn what_is_no_constraint_is_refused() {
        for (text, message) in [
            ("at_most = \"1.1 baseline\"", "is no limit"),
            ("at_most = 12", "nothing is to be tested"),
            (
                "share_above = 2, at_most = 5",
                "the share 5 must lie strictly between 0 and 1",
            ),
            ("quantile = 95, at_most = 2", "between 0 and 1"),
            (
                "share_above = 2, quantile = 0.9, at_most = 0.05",
                "exclude each other",
            ),
            (
                "share_above = 2, at_most = \"1.1 x baseline\"",
                "at_most is a number",
            ),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
    }

    /// Tests that a kept baseline, which has no measures, is not compared with.
    #[test]
    fn a_kept_baseline_has_no_measures() {
        let limit = |at_most: &str| {
            read(&format!(
                "goal.baseline_file = \"kept.jsonl\"\nconstraint = [{{ measure = \"latency\", at_most = {at_most} }}]"
            ))
        };
        let error = limit("\"1.1 x baseline\"").unwrap_err();
        assert!(
            error.contains("scores of another day and no latency"),
            "{error}"
        );
        assert!(limit("3").is_ok());
    }
}
