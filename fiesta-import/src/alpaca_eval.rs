//! Annotations of AlpacaEval: `annotations.json` in a model's directory of results.
//!
//! A judge prefers the answer of a model (`generator_2`) or that of a reference (`generator_1`),
//! from 1, the reference, to 2, the model. An instruction has no name: its text gives one, and
//! whether it is the same item as elsewhere depends on the answer of the reference as well. Beside one
//! model alone, the reference is an arm as well.

use crate::{
    Result,
    error::not_a_score,
    json::{fingerprint, start},
    pool::{Answer, FILE, Log, Outcome, Parts, stem},
    scored::{Scored, Source, digest},
};
use fiesta_core::Direction;
use fiesta_records::{Reading, excerpt};
use serde::Deserialize;
use std::collections::HashMap;

/// The name of the score: 1 where the model wins, 0 where it loses.
const WIN: &str = "win";

/// Returns whether a JSON text is a list of annotations.
pub(crate) fn is(text: &str) -> bool {
    let keys = [
        "\"instruction\"",
        "\"generator_1\"",
        "\"generator_2\"",
        "\"preference\"",
    ];
    start(text).starts_with("[{\"") && keys.iter().all(|key| text.contains(key))
}

#[derive(Deserialize)]
struct Annotation {
    instruction: String,
    output_1: Option<String>,
    generator_1: Option<String>,
    generator_2: String,
    annotator: Option<String>,
    preference: Option<f64>,
    #[serde(alias = "preference_price_per_example")]
    price_per_example: Option<f64>,
    #[serde(alias = "preference_time_per_example")]
    time_per_example: Option<f64>,
}

/// Reads the annotations of a file of AlpacaEval.
pub(crate) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Log> {
    let annotations: Vec<Annotation> = source.json(bytes)?;
    let mut arms: Vec<Parts> = Vec::new();
    let mut seen: HashMap<(usize, String), u64> = HashMap::new();
    let mut answers = Vec::with_capacity(annotations.len());
    for (number, annotation) in (1_u32..).zip(annotations) {
        let outcome = match annotation.preference {
            None => Outcome::Missing,
            // Earlier versions wrote ties so.
            Some(0.0) => Outcome::Scored(0.5),
            Some(preference) if (1.0..=2.0).contains(&preference) => {
                Outcome::Scored(preference - 1.0)
            }
            Some(preference) => {
                let place = format!("{}: annotation {number}", source.file);
                return Err(not_a_score(place, "preference", &preference.to_string()));
            }
        };
        let parts = vec![
            ("model", annotation.generator_2.trim().to_owned()),
            ("reference", annotation.generator_1.unwrap_or_default()),
            ("annotator", annotation.annotator.unwrap_or_default()),
            (FILE, stem(source.file)),
        ];
        let arm = arms.iter().position(|known| *known == parts);
        let arm = arm.unwrap_or_else(|| {
            arms.push(parts);
            arms.len() - 1
        });
        let name = digest(&annotation.instruction);
        let times = seen.entry((arm, name.clone())).or_insert(0);
        *times += 1;
        answers.push(Scored {
            arm,
            item: if *times > 1 {
                format!("{name}#{times}")
            } else {
                name
            },
            content: Some(fingerprint(&(
                &annotation.instruction,
                &annotation.output_1,
            ))),
            scores: vec![
                (WIN.to_owned(), outcome),
                // Where to look the instruction up.
                ("annotation".to_owned(), Outcome::Scored(number.into())),
            ],
            cost: annotation.price_per_example,
            duration: annotation.time_per_example,
            ..Scored::default()
        });
    }
    let log = source.log(arms, &answers, Some(WIN))?;
    let direction = (log.metric == WIN).then_some(Direction::Maximize);
    Ok(Log { direction, ..log })
}

/// Makes the reference an arm beside a model that is alone: it wins where the model loses.
pub(crate) fn complete(logs: &mut [Log], options: &Reading) {
    let [log] = logs else { return };
    let [model] = &log.arms[..] else { return };
    let value = |name: &str| model.iter().find(|(part, _)| *part == name);
    let (Some((_, model_name)), Some((_, reference))) = (value("model"), value("reference")) else {
        return;
    };
    // The user may have named the only arm.
    if options.columns.arm.is_some()
        || reference.is_empty()
        || reference == model_name
        || log.metric != WIN
    {
        return;
    }
    let parts = model.iter().map(|(part, value)| match *part {
        "model" => ("model", reference.clone()),
        "reference" => ("reference", String::new()),
        part => (part, value.clone()),
    });
    let parts: Parts = parts.collect();
    let of_reference = |answer: &Answer| Answer {
        arm: 1,
        item: answer.item.clone(),
        outcome: match answer.outcome {
            Outcome::Scored(win) => Outcome::Scored(1.0 - win),
            other => other,
        },
        cost: None,
        duration: None,
        cells: answer.cells.clone(),
        ..*answer
    };
    let answers: Vec<Answer> = log.answers.iter().map(of_reference).collect();
    log.notices.push(format!(
        "`{}` is the reference of the only model, and an arm: it wins where the model loses",
        excerpt(reference)
    ));
    log.answers.extend(answers);
    log.arms.push(parts);
}
