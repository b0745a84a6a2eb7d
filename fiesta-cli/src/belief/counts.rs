//! P(best) from confusion counts: of the pooled F-measure, or of the mean of the documents' F-measures.

use super::{Arguments, accuracy, duration, f_measure, scores::Found};
use crate::{
    Format,
    counts::{Collection, Target},
    exit::Failure,
    print,
    scores::Scores,
};
use fiesta::{
    core::Direction,
    records::{Record, SplitSource},
    report::{Standing, Standings},
};
use serde_json::{Value, json};

pub(super) fn belief(arguments: &Arguments) -> Result<(), Failure> {
    let counting = &arguments.counting;
    let collection = counting.read(&arguments.scores, &arguments.reading.arms)?;
    let posterior = arguments.posterior.as_deref();
    let target = counting.target(posterior, collection.arms.len())?;
    match &target {
        Target::Pooled => f_measure::belief(arguments, &collection),
        Target::Mean(posterior) => of_means(arguments, posterior, &target, &collection),
    }
}

/// Under a posterior of scores, which the F-measures of the documents are.
fn of_means(
    arguments: &Arguments,
    posterior: &str,
    target: &Target,
    collection: &Collection,
) -> Result<(), Failure> {
    let counting = &arguments.counting;
    let scores = scores(&counting.measure(), collection);
    let found = Found::new(arguments, posterior, &scores)?;
    let notes = collection.notes(target);
    if arguments.format == Format::Json {
        let mut document = found.document(posterior, &scores);
        document["target"] = json!(counting.words(target));
        document["notes"] = json!(notes);
        add_counts(&mut document, collection);
        return print(document);
    }
    let arms = scores.arms.ids().map(|arm| Standing {
        counts: Some(collection.sum(arm)),
        probability_best: Some(found.belief.of(arm)),
        ..Standing::new(scores.arms.name(arm), found.moments[arm.index()])
    });
    let standings = Standings::new(&scores.metric, Direction::Maximize, arms.collect());
    found.print(standings, &scores)?;
    print(format_args!("compared by the {}", counting.words(target)))?;
    print(accuracy(posterior, &found.belief))?;
    notes.into_iter().try_for_each(print)?;
    found.seconds.map(duration).map_or(Ok(()), print)
}

/// The F-measures of the documents, each a split that the arms share.
fn scores(metric: &str, collection: &Collection) -> Scores {
    let of_document = |record: &fiesta::records::CountRecord| Record {
        split: Some(record.document),
        line: record.line,
        ..Record::new(record.arm, collection.score(record.counts))
    };
    let records = collection.records.iter();
    Scores {
        metric: metric.to_owned(),
        direction: Direction::Maximize,
        arms: collection.arms.clone(),
        records: records
            .map(|records| records.iter().map(of_document).collect())
            .collect(),
        splits: SplitSource::Column,
        unpaired: None,
    }
}

/// The sums of counts and their F-measures, in the objects of the arms.
pub(super) fn add_counts(document: &mut Value, collection: &Collection) {
    for arm in collection.arms.ids() {
        let of_arm = &mut document["arms"][arm.index()];
        of_arm["counts"] = json!(collection.sum(arm));
        of_arm["value"] = json!(collection.value(arm));
    }
}
