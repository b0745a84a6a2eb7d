//! What a study measures: scores of a metric, or confusion counts and the F-measure of them.

use super::{
    StudyError,
    error::Source,
    file::{MetricTable, StudyFile},
};
use fiesta_core::{Direction, FBeta, Metric, MetricError};
use toml::Spanned;

/// What is measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measure {
    pub(super) metric: Metric,
    /// The weight of recall, if evaluations report confusion counts.
    pub(super) counts: Option<FBeta>,
}

/// What a study file measures. A study of documents has counts unless its metric is an ordinary one; a study of splits never has.
pub(super) fn measure(source: &Source<'_>, file: &StudyFile) -> Result<Measure, StudyError> {
    let of_documents = file.design.documents.is_some();
    let Some(table) = &file.metric else {
        if of_documents {
            return of_counts(source, &MetricTable::default(), FBeta::F1);
        }
        let message = "the table [metric] is missing: it names the key of the score in the result, for example name = \"accuracy\"";
        return Err(source.wrong(None, message));
    };
    if let Some(given) = &table.f_beta {
        if !of_documents {
            let message = "f_beta is of confusion counts, and those are of documents: name the documents under [design], or report the score itself and leave f_beta out";
            return Err(source.wrong(Some(given.span()), message));
        }
        let f_beta = FBeta::new(*given.get_ref());
        let f_beta = f_beta.map_err(|error| source.wrong(Some(given.span()), error))?;
        return of_counts(source, table, f_beta);
    }
    let Some(name) = &table.name else {
        let message = "the metric has no name: give the key of the score in the result, for example name = \"accuracy\"";
        return Err(source.wrong(None, message));
    };
    let direction = table.direction.as_ref();
    let direction = direction.map_or(Direction::default(), |given| *given.get_ref());
    let bounds = table.bounds.as_ref();
    let pair = bounds.map(|bounds| (bounds.get_ref()[0], bounds.get_ref()[1]));
    let metric = Metric::new(name.get_ref().clone(), direction, pair).map_err(|error| {
        let span = match error {
            MetricError::Bounds(..) => bounds.map(Spanned::span),
            _ => Some(name.span()),
        };
        source.wrong(span, error)
    })?;
    Ok(Measure {
        metric,
        counts: None,
    })
}

/// An F-measure: better when larger, and from 0 to 1.
fn of_counts(
    source: &Source<'_>,
    table: &MetricTable,
    f_beta: FBeta,
) -> Result<Measure, StudyError> {
    if let Some(direction) = &table.direction
        && *direction.get_ref() != Direction::Maximize
    {
        let message = "more is better of an F-measure: leave direction out";
        return Err(source.wrong(Some(direction.span()), message));
    }
    #[allow(clippy::float_cmp, reason = "bounds are written down, not computed")]
    if let Some(bounds) = &table.bounds
        && *bounds.get_ref() != [0.0, 1.0]
    {
        let message = "an F-measure lies between 0 and 1: leave bounds out";
        return Err(source.wrong(Some(bounds.span()), message));
    }
    let name = table.name.as_ref();
    let metric = Metric::new(
        name.map_or_else(|| format!("f{}", f_beta.b()), |name| name.get_ref().clone()),
        Direction::Maximize,
        Some((0.0, 1.0)),
    )
    .map_err(|error| source.wrong(name.map(Spanned::span), error))?;
    Ok(Measure {
        metric,
        counts: Some(f_beta),
    })
}
