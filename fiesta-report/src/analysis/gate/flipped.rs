//! Items on which a candidate differs from the baseline, with texts and answers where files hold them.

use super::{
    GateReport,
    pairs::{Answers, PairedItem, Pairs},
};
use crate::analysis::pool::{ItemFacts, items_of, shortened_text};
use fiesta_core::ArmId;
use fiesta_records::{Evaluations, legible};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Columns that may hold an arm's answer; the first one that exists is used.
const ANSWER_KEYS: [&str; 5] = ["answer", "output", "response", "prediction", "completion"];

/// An item on which the candidate differs from the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FlippedItem {
    /// Name of the item.
    pub item: String,
    /// Text of the item: in a study that of its items, else the column `question`, `prompt`, `input` or
    /// `text`, or what a log holds. `None` without such a text.
    pub text: Option<String>,
    /// How much better the candidate is, in the unit of the score; below 0 for a regression.
    pub difference: f64,
    /// Answer of the baseline to the item.
    pub baseline: FlippedAnswer,
    /// Answer of the candidate to the item.
    pub candidate: FlippedAnswer,
}

/// An arm's answer to an item.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FlippedAnswer {
    /// Score of the answer. `None` if it failed or is missing.
    pub score: Option<f64>,
    /// Whether the arm's answers to the item differ, as files hold several of them. The score is their
    /// mean.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flaky: bool,
    /// Text of the answer: the column `answer`, `output`, `response`, `prediction` or `completion`, or what a
    /// log holds. `None` without such a text.
    pub text: Option<String>,
}

impl GateReport {
    /// Adds texts of items and answers that no column holds. `read` is given the names of arms and items, and
    /// returns what each was asked and answered, as far as it knows.
    pub fn add_texts(
        &mut self,
        read: impl FnOnce(&BTreeSet<(&str, &str)>) -> BTreeMap<(String, String), [Option<String>; 2]>,
    ) {
        let old = self.baseline.clone();
        let wanted = self.candidates.iter().flat_map(|own| {
            let items = own.flipped.iter().map(|item| item.item.as_str());
            items.flat_map(|item| [(old.as_str(), item), (own.name.as_str(), item)])
        });
        let texts = read(&wanted.collect());
        for own in &mut self.candidates {
            for item in &mut own.flipped {
                let sides = [(&old, &mut item.baseline), (&own.name, &mut item.candidate)];
                for (arm, answer) in sides {
                    if let Some([asked, said]) = texts.get(&(arm.clone(), item.item.clone())) {
                        let short = |text: &Option<String>| text.as_deref().map(shortened_text);
                        item.text = item.text.take().or_else(|| short(asked));
                        answer.text = answer.text.take().or_else(|| short(said));
                    }
                }
            }
        }
    }
}

/// Returns the flipped items, the greatest regression first, then the greatest gain. `items` are those
/// of a study, as far as it knows them; of files none.
pub(super) fn of(
    records: &Evaluations,
    answers: &Answers,
    pairs: &Pairs,
    arms: [ArmId; 2],
    items: &[ItemFacts],
) -> Vec<FlippedItem> {
    let mut differing: Vec<&PairedItem> = { pairs.items.iter() }
        .filter(|item| item.difference != 0.0)
        .collect();
    let rank = |item: &PairedItem| (item.difference > 0.0, -item.difference.abs());
    differing.sort_by(|a, b| {
        let ((one, own), (other, its)) = (rank(a), rank(b));
        one.cmp(&other)
            .then(own.total_cmp(&its))
            .then(a.item.cmp(&b.item))
    });
    let facts = items_of(records);
    let asked = items
        .iter()
        .filter_map(|item| Some((legible(&item.id), item.text.as_ref()?)));
    let asked: HashMap<_, &String> = asked.collect();
    let mut texts: HashMap<(usize, u64), String> = HashMap::new();
    if let Some(column) = ANSWER_KEYS.iter().find_map(|key| records.column(key)) {
        for row in records.rows() {
            let arm = arms
                .iter()
                .position(|arm| records.arms()[arm.index()] == row.arm);
            if let (Some(arm), Some(split), Some(text)) = (arm, row.split, row.cell(column)) {
                texts
                    .entry((arm, split))
                    .or_insert_with(|| shortened_text(text));
            }
        }
    }
    let mut flipped = |item: &PairedItem| {
        let fact = usize::try_from(item.item)
            .ok()
            .and_then(|place| facts.get(place));
        let [baseline, candidate] = [0, 1].map(|arm| FlippedAnswer {
            score: item.scores[arm],
            flaky: item.flaky[arm],
            text: texts.remove(&(arm, item.item)),
        });
        FlippedItem {
            item: fact.map_or_else(|| item.item.to_string(), |fact| fact.id.clone()),
            text: fact.and_then(|fact| {
                let asked = asked.get(&*fact.id).copied();
                asked.or(fact.text.as_ref()).cloned()
            }),
            difference: item.difference * answers.range(),
            baseline,
            candidate,
        }
    };
    differing.into_iter().map(&mut flipped).collect()
}
