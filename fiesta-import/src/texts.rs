//! Texts of items and answers in logs, read where they stand once something shows them.

use crate::{json::lenient, logs::lists};
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// Keys under which tools hold the text of an item, of a message or of an answer.
const KEYS: &str = "question query prompt input text content completion output answer";

/// Places of the answers in logs, from which texts can be read: references, and no copies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextPlaces {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) arms: Vec<String>,
    /// Of each answer the file, its line or its number there, the arm and the item; in this order.
    pub(crate) answers: Vec<(usize, u64, usize, u64)>,
}

/// Texts of items and of the answers to them, by the names of the arm and of the item.
pub type AnswerTexts = BTreeMap<(String, String), [Option<String>; 2]>;

impl TextPlaces {
    /// Reads what was asked and what was answered, as far as the logs hold it. `wanted` are names of arms and
    /// of items, and `items` the [names of all items](fiesta_records::Evaluations::items). Of several answers to
    /// an item, the last one is read. What cannot be read any more is left out.
    ///
    /// # Example
    /// ```no_run
    /// use fiesta_import::read_results;
    /// use fiesta_records::Reading;
    /// let found = read_results(&["large.eval", "small.eval"], &Reading::default())?;
    /// let wanted = [("mockllm/large", "sum/3")].into();
    /// for ((arm, item), [asked, said]) in found.texts.read(found.records.items(), &wanted) {
    ///     println!("{item}: {asked:?}, and {arm} says {said:?}");
    /// }
    /// # Ok::<(), fiesta_import::ImportError>(())
    /// ```
    pub fn read(&self, items: &[String], wanted: &BTreeSet<(&str, &str)>) -> AnswerTexts {
        let mut texts = AnswerTexts::new();
        for of_file in self.answers.chunk_by(|one, other| one.0 == other.0) {
            let named = |&(_, number, arm, item): &(usize, u64, usize, u64)| {
                let item = items.get(usize::try_from(item).ok()?)?;
                let names = (self.arms.get(arm)?.as_str(), item.as_str());
                wanted.contains(&names).then_some((number, names))
            };
            let wanted: BTreeMap<u64, (&str, &str)> = of_file.iter().filter_map(named).collect();
            let path = self.files.get(of_file[0].0).filter(|_| !wanted.is_empty());
            for (number, said) in path.and_then(|path| said(path)).into_iter().flatten() {
                if let Some((arm, item)) = wanted.get(&number) {
                    let graded = || said.scores?.as_object()?.values().next().cloned();
                    let said = [said.input, said.output.or_else(graded)];
                    let names = ((*arm).to_owned(), (*item).to_owned());
                    texts.insert(names, said.map(|value| words(&value?)));
                }
            }
        }
        texts
    }
}

/// An answer in a log: what tools write of the item and of the answer.
#[derive(Deserialize)]
struct Said {
    #[serde(alias = "doc", alias = "vars", alias = "instruction")]
    input: Option<Value>,
    #[serde(alias = "filtered_resps", alias = "response", alias = "actualOutput")]
    output: Option<Value>,
    scores: Option<Value>,
}

#[derive(Deserialize)]
struct Samples {
    #[serde(alias = "testCases")]
    samples: Vec<Said>,
}

#[derive(Deserialize)]
struct Results<T> {
    results: T,
}

/// Reads the answers in a log, each with its line or its number. `None` if it cannot be read.
fn said(path: &Path) -> Option<Vec<(u64, Said)>> {
    let lists = lists(path)?;
    let whole = |text: &str| {
        let samples = |_| serde_json::from_str::<Samples>(text).map(|log| log.samples);
        let list = serde_json::from_str::<Vec<Said>>(text).or_else(samples);
        list.or_else(|_| {
            let log = serde_json::from_str::<Results<Results<Vec<Said>>>>(text);
            log.map(|log| log.results.results)
        })
    };
    let all = lists.iter().map(|list| lenient(list, whole));
    if let Ok(all) = all.collect::<Result<Vec<_>, _>>() {
        return Some((1..).zip(all.into_iter().flatten()).collect());
    }
    let said = |(n, line)| Some((n, lenient(line, |line| serde_json::from_str(line)).ok()?));
    let lines = (1..).zip(lists.iter().flat_map(|text| text.lines()));
    Some(lines.filter_map(said).collect())
}

/// Returns the text in a value: of messages the last one; of an object that of a known key, or else each
/// key with its text.
fn words(value: &Value) -> Option<String> {
    let joined = |all: Vec<String>, between| Some(all.join(between));
    let text = match value {
        Value::Null => None,
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Array(list) => match list.last() {
            Some(last @ Value::Object(_)) => words(last),
            _ => joined(list.iter().filter_map(words).collect(), " "),
        },
        Value::Object(members) => {
            let known = KEYS.split(' ').find_map(|key| members.get(key));
            let of = |(key, value)| Some(format!("{key}: {}", words(value)?));
            let all = || joined(members.iter().filter_map(of).collect(), "; ");
            known.map_or_else(all, words)
        }
        other => Some(other.to_string()),
    };
    text.filter(|text| !text.is_empty())
}
