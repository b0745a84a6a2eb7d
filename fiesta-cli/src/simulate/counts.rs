//! Recorded confusion counts of documents.

use super::{
    Arguments,
    runs::{Setup, best, rule},
    show::{Shown, show},
};
use crate::{exit::Failure, guarantee::doubt};
use fiesta::{
    core::{Counts, Observe, StoppingRule},
    policies::{
        simulate::RecordedDocuments,
        stopping::{AtLeast, OfScores},
    },
    posterior::{self, f_measure},
    report::analysis::{CountsOfArms, Target},
};
use serde_json::json;

pub(super) fn simulate(arguments: &Arguments) -> Result<(), Failure> {
    let counting = &arguments.counting;
    let file = arguments.scores.as_deref().expect("clap wants a file");
    let collection = counting.read(file, &arguments.reading.arms)?;
    let arms = collection.arms.len();
    let target = counting.target(arguments.posterior.as_deref(), arms)?;
    refuse_means(arguments, &target)?;
    let problem = problem(&collection)?;
    let documents = problem.documents();
    let design = problem.design();
    let f_beta = collection.f_beta;
    let model = counting.model();
    let setup = Setup {
        problem: &problem,
        design,
        posterior: &|arms| -> Box<dyn Observe<Counts>> {
            match &target {
                Target::Pooled => Box::new(model.posterior(&collection).documents(documents)),
                Target::Mean(name) => Box::new(posterior::OfScores {
                    posterior: posterior::by_name(name, arms)
                        .expect("the posterior's name was checked"),
                    f_beta,
                }),
            }
        },
        rule: &|level| -> Result<Box<dyn StoppingRule<Counts>>, _> {
            let rule = OfScores {
                rule: rule(arguments, level, arms, design)?,
                f_beta,
            };
            Ok(match arguments.min_documents {
                Some(evaluations) => Box::new(AtLeast { evaluations, rule }),
                None => Box::new(rule),
            })
        },
    };
    let results = setup.results(arguments)?;
    let (believed, judged) = (collection.words(&target), collection.words(&Target::Pooled));
    let mut notes = vec![format!(
        "{documents} documents, in a random order in each run; the best has the highest {judged}"
    )];
    if let Target::Mean(name) = &target {
        notes.push(format!(
            "the posterior {name} is about another quantity: the {believed}"
        ));
    }
    notes.extend(collection.notes(&target));
    if arguments.claims_a_rate_of_errors() {
        let scores = collection.arms.ids().map(|arm| {
            let records = collection.records[arm.index()].iter();
            let scores = records.map(|record| collection.score(record.counts));
            (collection.arms.name(arm), scores.collect())
        });
        notes.extend(doubt(scores));
    }
    let shown = Shown {
        posterior: match &target {
            Target::Pooled => f_measure::NAME,
            Target::Mean(name) => name,
        },
        splits: json!(design.name()),
        cap: results.cap,
        best: best(&problem),
        further: vec![
            ("documents", json!(documents)),
            ("target", json!(believed)),
            ("best_by", json!(judged)),
            ("min_documents", json!(arguments.min_documents)),
        ],
        notes,
    };
    show(arguments, &shown, &results.by_goal)
}

/// Refuses a rule that tests means of scores beside a posterior of the pooled F-measure.
fn refuse_means(arguments: &Arguments, target: &Target) -> Result<(), Failure> {
    if arguments.stopping == "anytime" && *target == Target::Pooled {
        return Err(Failure::Usage(format!(
            "the stopping rule anytime tests means of scores, and the posterior {} is of the F-measure of all documents together: choose another posterior, such as --posterior paired, for the mean of the documents' F-measures",
            f_measure::NAME
        )));
    }
    Ok(())
}

fn problem(collection: &CountsOfArms) -> Result<RecordedDocuments, Failure> {
    let arms = collection.named();
    Ok(RecordedDocuments::new(arms, collection.f_beta)?)
}
