//! Simulations on recorded confusion counts of documents.

use super::{
    CountsSetup, SimulationOptions, SimulationReport,
    runs::{checked, run},
};
use crate::analysis::{AnalysisError, CountsOfArms, CountsTarget, belief::CountsModel};
use fiesta_core::{Counts, Observe, StoppingRule};
use fiesta_policies::{
    simulate::RecordedItems,
    stopping::{AtLeast, OfScores, StoppingError},
};
use fiesta_posterior::{self as posterior, f_measure};

/// Runs on recorded confusion counts, over the documents in a random order.
///
/// # Errors
/// [`AnalysisError`] as of [`of_gaussian`](super::of_gaussian), and if arms were not evaluated on
/// the same documents.
pub fn of_counts(
    counts: &CountsOfArms,
    target: &CountsTarget,
    model: &CountsModel,
    min_documents: Option<u64>,
    options: &SimulationOptions,
) -> Result<SimulationReport, AnalysisError> {
    let f_beta = counts.f_beta;
    let problem = RecordedItems::of_counts(counts.named(), f_beta)?;
    // Every F-measure lies between them.
    let options = &SimulationOptions {
        bounds: Some((0.0, 1.0)),
        ..options.clone()
    };
    let (arms, documents, design) = (counts.arms.len(), problem.items(), problem.design());
    let name = match target {
        CountsTarget::Pooled => f_measure::NAME,
        CountsTarget::Mean(name) => {
            posterior::posterior_by_name(name, arms)?;
            name
        }
    };
    let make = |arms: usize| -> Box<dyn Observe<Counts>> {
        match target {
            CountsTarget::Pooled => {
                let of_documents = model.posterior(counts).documents(documents);
                Box::new(posterior::FOfItems::new(of_documents, documents, f_beta))
            }
            CountsTarget::Mean(name) => Box::new(posterior::AsScores {
                posterior: checked(name, arms),
                f_beta,
            }),
        }
    };
    let rule = |level| -> Result<Box<dyn StoppingRule<Counts>>, StoppingError> {
        let rule = OfScores {
            rule: options.rule(level, arms)?,
            f_beta,
        };
        Ok(match min_documents {
            Some(evaluations) => Box::new(AtLeast { evaluations, rule }),
            None => Box::new(rule),
        })
    };
    let mut report = run(&problem, design, (name, &make), &rule, options)?;
    let (believed, judged) = (counts.words(target), counts.words(&CountsTarget::Pooled));
    report.notes.push(format!(
        "{documents} documents, in a random order in each run; the best has the highest {judged}"
    ));
    match target {
        CountsTarget::Pooled => report.notes.extend(model.words()),
        CountsTarget::Mean(name) => report.notes.push(format!(
            "the posterior {name} is about another quantity: the {believed}"
        )),
    }
    if *target == CountsTarget::Pooled && counts.are_ones() {
        report.notes.push(
            "each item has one count: arms are compared item by item, as in a pool of right and wrong answers".to_owned(),
        );
    }
    report.notes.extend(counts.notes(target));
    let scores = counts.arms.ids().map(|arm| {
        let records = counts.records[arm.index()].iter();
        let scores = (0..).zip(records.map(|record| counts.score(record.counts)));
        (counts.arms.name(arm), scores.collect())
    });
    let scores: Vec<_> = scores.collect();
    report.notes.extend(options.doubt(&scores, design));
    report.in_setups(|setup| {
        setup.splits = "documents";
        setup.counts = Some(CountsSetup {
            documents,
            target: believed.clone(),
            best_by: judged.clone(),
            min_documents,
        });
    });
    Ok(report)
}
