//! Keeping a baseline: the answers of the arm that a gate recommends, with the anchor's beside them.

use super::{
    Anchor, BaselineError, Head, KeptAnswer, KeptBaseline, KeptGate,
    file::{FORMAT, VERSION},
};
use crate::{
    history::{History, Record},
    study::Study,
};
use fiesta_core::{ArmId, Observation, Outcome};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::SystemTime,
};

impl KeptBaseline {
    /// Takes the answers of the arm with which the next gate compares: the baseline's, or those of the arm that
    /// ships. Failures are no answers, and are left out.
    ///
    /// # Errors
    /// [`BaselineError`] if the study is no gate, or of confusion counts.
    pub fn of(
        study: &Study,
        history: &History,
        shipped: Option<ArmId>,
    ) -> Result<Self, BaselineError> {
        let not = |why: &str| BaselineError(why.to_owned());
        let question = study
            .terms
            .gate
            .ok_or_else(|| not("only a gate has a baseline to keep"))?;
        if study.f_beta().is_some() {
            return Err(not(
                "a kept baseline has scores, and this study has confusion counts",
            ));
        }
        let before = study.kept_baseline();
        let since = before.map_or(&[][..], |before| &before.head.gates);
        let arm = shipped.unwrap_or(question.baseline);
        let own = scored(history, arm);
        // Until a version ships, the baseline is the anchor.
        let anchors = match before {
            Some(before) if !since.is_empty() => before.anchors(study),
            _ => {
                let scores = scored(history, question.baseline);
                { scores.into_iter() }
                    .map(|(place, (_, score))| (place, score))
                    .collect()
            }
        };
        let places: BTreeSet<u64> = own.keys().chain(anchors.keys()).copied().collect();
        let answer = |place: u64| {
            let mut answer = match &study.items {
                Some(items) => KeptAnswer {
                    item: Some(items.id(place).to_owned()),
                    digest: Some(items.digest(place).to_string()),
                    ..KeptAnswer::default()
                },
                None => KeptAnswer {
                    split: Some(place),
                    ..KeptAnswer::default()
                },
            };
            answer.anchor = anchors.get(&place).copied();
            if let Some((record, score)) = own.get(&place) {
                let origin = record.origin.as_ref();
                answer.score = Some(*score);
                answer.seed =
                    origin.map_or(Some(record.evaluation.case.seed), |origin| origin.seed);
                answer.cost = record.cost();
                answer.seconds = record.seconds();
                answer.evaluation = Some(record.evaluation.id.0 + 1);
            }
            answer
        };
        let answers: Vec<KeptAnswer> = places.into_iter().map(answer).collect();
        let today = today();
        let anchor = match before {
            Some(before) if !since.is_empty() => before.head.anchor.clone(),
            before => Anchor {
                arm: study.kept_arm(question.baseline),
                mean: anchors.values().sum::<f64>() / anchors.len().max(1) as f64,
                answers: anchors.len() as u64,
                since: before
                    .map_or_else(|| today.clone(), |before| before.head.anchor.since.clone()),
            },
        };
        let name = |arm: ArmId| study.arms.name(arm).to_owned();
        let gate = shipped.map(|arm| KeptGate {
            date: today.clone(),
            baseline: name(question.baseline),
            shipped: name(arm),
            difference: difference(study, history, [question.baseline, arm]),
            threshold: question.threshold,
        });
        Ok(Self {
            head: Head {
                format: FORMAT.to_owned(),
                format_version: VERSION,
                fiesta: env!("CARGO_PKG_VERSION").to_owned(),
                kept: today.clone(),
                lines: answers.len(),
                metric: study.fingerprint["metric"].clone(),
                arm: study.kept_arm(arm),
                anchor,
                gates: since.iter().cloned().chain(gate).collect(),
            },
            answers,
        })
    }

    /// Returns the name of the arm whose answers these are.
    pub fn arm(&self) -> &str {
        &self.head.arm.name
    }

    /// Returns the number of the arm's answers.
    pub fn answers(&self) -> usize {
        let has_score = |answer: &&KeptAnswer| answer.score.is_some();
        self.answers.iter().filter(has_score).count()
    }

    /// The anchor's scores on the items or splits of a study, by their numbers.
    fn anchors(&self, study: &Study) -> BTreeMap<u64, f64> {
        let place_of = study.places();
        let of = |answer: &KeptAnswer| Some((place_of(answer)?, answer.anchor?));
        self.answers.iter().filter_map(of).collect()
    }

    /// Returns the name of the anchor, and the day since which it is one.
    #[cfg(feature = "report")]
    pub(crate) fn anchor(&self) -> [&str; 2] {
        let anchor = &self.head.anchor;
        [&anchor.arm.name, &anchor.since]
    }

    /// Returns the number of gates that shipped a version since the anchor, and the sum of the differences that
    /// they showed; with `shipped`, that of the baseline and this arm, too.
    #[cfg(feature = "report")]
    pub(crate) fn gates(
        &self,
        study: &Study,
        history: &History,
        shipped: Option<[ArmId; 2]>,
    ) -> (u64, f64) {
        let now = shipped.map(|arms| difference(study, history, arms));
        let before = self.head.gates.iter().map(|gate| gate.difference);
        let all = before.chain(now);
        all.fold((0, 0.0), |(count, sum), of| (count + 1, sum + of))
    }

    /// Returns the scores of the anchor and of an arm, on what both have.
    #[cfg(feature = "report")]
    pub(crate) fn beside_anchor(
        &self,
        study: &Study,
        history: &History,
        arm: ArmId,
    ) -> Vec<[f64; 2]> {
        let own = scored(history, arm);
        let anchors = self.anchors(study).into_iter();
        let pairs = anchors.filter_map(|(place, anchor)| Some([anchor, own.get(&place)?.1]));
        pairs.collect()
    }
}

/// Evaluations of an arm with a score that counts, by the number of their item or split.
fn scored(history: &History, arm: ArmId) -> BTreeMap<u64, (&Record, f64)> {
    let of_arm = { history.records.values() }.filter(|record| record.evaluation.arm == arm);
    let score = |record: &Record| match record.ending.as_ref()?.outcome {
        Outcome::Observed(Observation::Score(score)) => Some(score),
        _ => None,
    };
    let scored =
        of_arm.filter_map(|record| Some((record.evaluation.case.split, (record, score(record)?))));
    scored.collect()
}

/// Mean difference of an arm and the baseline on what both answered, above 0 if the arm is better.
fn difference(study: &Study, history: &History, [baseline, arm]: [ArmId; 2]) -> f64 {
    let [old, new] = [baseline, arm].map(|arm| scored(history, arm));
    let direction = study.metric().direction();
    let pair = |(place, (_, new)): (&u64, &(&Record, f64))| {
        Some(direction.orient(*new) - direction.orient(old.get(place)?.1))
    };
    let (sum, count) = { new.iter().filter_map(pair) }
        .fold((0.0, 0_u32), |(sum, count), of| (sum + of, count + 1));
    sum / f64::from(count.max(1))
}

/// The present day, in UTC.
fn today() -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    now.split('T').next().unwrap_or_default().to_owned()
}
