//! Results of promptfoo as JSON: `promptfoo eval -o out.json`.
//!
//! A result is of one test with one prompt and one provider. An arm is a provider with a prompt,
//! the test is the item, and each of the results of `--repeat` has a seed. A test is called by its
//! description or, if it has none, by its number from 0.

use super::{
    ImportError, ReadOptions, Tool,
    choose::{self, Candidates},
    error::{no_answer, not_a_score, not_log},
    json::{Text, Value, lenient, start},
    pool::{Answer, FILE, Log, Outcome, Parts, TOKENS, stem},
};
use crate::{
    rows,
    words::{excerpt, quoted},
};
use serde::{Deserialize, de::IgnoredAny};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Returns whether a text that begins like this is promptfoo's output.
pub(super) fn is(text: &str) -> bool {
    let start = start(text);
    start.starts_with("{\"evalId\":") && start.contains("\"results\":{")
}

#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow)]
    results: Results<'a>,
    #[serde(rename = "runtimeOptions")]
    options: Option<Options>,
}

#[derive(Deserialize)]
struct Options {
    repeat: Option<u64>,
}

#[derive(Deserialize)]
struct Results<'a> {
    #[serde(borrow)]
    results: Vec<Answered<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answered<'a> {
    #[serde(borrow)]
    provider: Value<'a>,
    #[serde(borrow)]
    prompt: Option<Value<'a>>,
    #[serde(default)]
    prompt_idx: u64,
    test_idx: u64,
    #[serde(default)]
    test_case: Test,
    success: bool,
    score: Option<f64>,
    error: Option<IgnoredAny>,
    grading_result: Option<IgnoredAny>,
    /// 0 is none, 1 an assertion, 2 an error.
    failure_reason: Option<u8>,
    cost: Option<f64>,
    latency_ms: Option<f64>,
    token_usage: Option<Tokens>,
    #[serde(borrow)]
    named_scores: Option<BTreeMap<Text<'a>, Value<'a>>>,
}

#[derive(Deserialize, Default)]
struct Test {
    description: Option<String>,
    vars: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Tokens {
    prompt: Option<u64>,
    completion: Option<u64>,
}

/// Reads the output.
pub(super) fn read(bytes: &[u8], options: &ReadOptions, file: &str) -> Result<Log, ImportError> {
    let text = rows::text(bytes, file)?;
    let log = lenient(text, |text| {
        let output: Output<'_> = serde_json::from_str(text)?;
        Ok(of_output(&output, options, file))
    });
    log.map_err(|reason| not_log(file, Tool::Promptfoo, &reason))?
}

fn of_output(output: &Output<'_>, options: &ReadOptions, file: &str) -> Result<Log, ImportError> {
    let results = &output.results.results;
    if results.is_empty() {
        return Err(no_answer(file, Tool::Promptfoo));
    }
    let named: BTreeSet<&str> = results
        .iter()
        .filter_map(|result| result.named_scores.as_ref())
        .flat_map(|scores| scores.keys().map(|Text(name)| &**name))
        .collect();
    let metric = Metric::of(&named, options, file)?;
    let others: Vec<&str> = named
        .into_iter()
        .filter(|name| metric != Metric::Named(name))
        .collect();
    let usage = results.iter().any(|result| result.token_usage.is_some());
    let tokens: &[&str] = if usage { &TOKENS } else { &[] };
    let (places, arms) = arms(results, file);
    let repeat = output.options.as_ref().and_then(|options| options.repeat);
    let items = items(results, repeat.unwrap_or(1) > 1);
    let mut answers = Vec::with_capacity(results.len());
    for (number, (result, (item, seed))) in (1..).zip(results.iter().zip(items)) {
        let outcome = if result.failed() {
            Outcome::Failed
        } else {
            match metric.value(result) {
                None | Some(Value::Null) => Outcome::Missing,
                Some(value) => Outcome::of(value.number().ok_or_else(|| {
                    let place = format!("{file}: result {number}");
                    not_a_score(place, &excerpt(metric.name()), &value.shown())
                })?),
            }
        };
        let other = |name: &&str| {
            let value = Metric::Named(name).value(result);
            value.map_or_else(String::new, |value| value.cell())
        };
        let mut cells: Vec<String> = others.iter().map(other).collect();
        if usage {
            let said = result.token_usage.as_ref();
            let count =
                |count: Option<u64>| count.map(|count| count.to_string()).unwrap_or_default();
            cells.push(count(said.and_then(|tokens| tokens.prompt)));
            cells.push(count(said.and_then(|tokens| tokens.completion)));
        }
        answers.push(Answer {
            arm: places[&result.prompt_idx],
            item,
            content: None,
            seed,
            outcome,
            cost: result.cost,
            duration: result.latency_ms.map(|milliseconds| milliseconds / 1000.0),
            line: number,
            cells,
        });
    }
    let columns = others.iter().chain(tokens).map(|&name| {
        if name == metric.name() {
            format!("{}.{name}", Tool::Promptfoo)
        } else {
            Tool::Promptfoo.column(name)
        }
    });
    Ok(Log {
        file: file.to_owned(),
        task: None,
        arms,
        metric: metric.name().to_owned(),
        columns: columns.collect(),
        answers,
        place: |answer| format!(": result {}", answer.line),
        notices: Vec::new(),
    })
}

impl Answered<'_> {
    /// Returns whether there was no answer to grade.
    fn failed(&self) -> bool {
        match self.failure_reason {
            Some(reason) => reason == 2,
            None => self.error.is_some() && self.grading_result.is_none(),
        }
    }
}

/// The part of a result that is used as the score.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Metric<'a> {
    /// The score of the result over all assertions.
    Score,
    /// Whether the result passed.
    Pass,
    /// A named score of the result.
    Named(&'a str),
}

impl<'a> Metric<'a> {
    /// Returns the metric that the user asked for, or the score.
    fn of(
        named: &BTreeSet<&'a str>,
        options: &ReadOptions,
        file: &str,
    ) -> Result<Self, ImportError> {
        let find = |asked: &str| match (named.get(asked), asked) {
            (Some(&name), _) => Some(Self::Named(name)),
            (None, "score") => Some(Self::Score),
            (None, "pass") => Some(Self::Pass),
            (None, _) => None,
        };
        let known = quoted(["score", "pass"].iter().chain(named));
        let usual = [("score".to_owned(), Self::Score)];
        let scores = Candidates::scores(usual.into_iter(), known);
        choose::metric(options.metric.as_deref(), find, scores, file)
    }

    fn name(self) -> &'a str {
        match self {
            Self::Score => "score",
            Self::Pass => "pass",
            Self::Named(name) => name,
        }
    }

    fn value<'s>(self, result: &'s Answered<'s>) -> Option<Value<'s>> {
        match self {
            Self::Score => result.score.map(Value::Number),
            Self::Pass => Some(Value::Bool(result.success)),
            Self::Named(name) => {
                let mut scores = result.named_scores.iter().flatten();
                let found = scores.find(|(Text(key), _)| key == name);
                found.map(|(_, value)| value.clone())
            }
        }
    }
}

/// The place of the arm with each number that promptfoo gave a provider with a prompt, and what
/// tells the arms apart, in the order of these numbers.
fn arms(results: &[Answered<'_>], file: &str) -> (HashMap<u64, usize>, Vec<Parts>) {
    let columns: BTreeMap<u64, &Answered<'_>> = results
        .iter()
        .rev()
        .map(|result| (result.prompt_idx, result))
        .collect();
    let mut prompts: Vec<String> = Vec::new();
    let mut arms = Vec::with_capacity(columns.len());
    for (&column, result) in &columns {
        let provider = said(Some(&result.provider), &["label", "id"]).unwrap_or_default();
        let prompt = said(result.prompt.as_ref(), &["label", "raw"]).unwrap_or_default();
        let number = prompts.iter().position(|known| *known == prompt);
        let number = number.unwrap_or_else(|| {
            prompts.push(prompt.clone());
            prompts.len() - 1
        });
        arms.push(vec![
            ("provider", provider),
            ("prompt", short(prompt, number + 1)),
            ("column", (column + 1).to_string()),
            (FILE, stem(file)),
        ]);
    }
    (columns.into_keys().zip(0..).collect(), arms)
}

/// Returns the first of these members that an object has, or the value itself if it is a text.
fn said(value: Option<&Value<'_>>, keys: &[&str]) -> Option<String> {
    match value? {
        Value::Object(members) => keys.iter().find_map(|key| {
            let member = members.iter().find(|(name, _)| name == key);
            member
                .and_then(|(_, value)| value.name())
                .filter(|text| !text.is_empty())
        }),
        value => value.name(),
    }
}

/// The label of a prompt, or its number where the label is a text of some length, as it is where
/// the prompt has none.
fn short(label: String, number: usize) -> String {
    const LONGEST: usize = 60;
    if label.chars().count() > LONGEST || label.chars().any(char::is_control) {
        format!("prompt-{number}")
    } else {
        label
    }
}

/// The item and the seed of each result.
fn items(results: &[Answered<'_>], repeated: bool) -> Vec<(String, Option<u64>)> {
    // Every repeat has a number of its own, so that the same test is known by what it holds.
    let mut first: HashMap<(Option<&str>, String), u64> = HashMap::new();
    let mut order: Vec<&Answered<'_>> = results.iter().collect();
    order.sort_by_key(|result| result.test_idx);
    let held = |result: &'_ Answered<'_>| {
        let vars = result.test_case.vars.as_ref();
        vars.map(ToString::to_string).unwrap_or_default()
    };
    let mut tests: HashMap<u64, u64> = HashMap::new();
    let mut repeats: HashMap<u64, Vec<u64>> = HashMap::new();
    for result in order {
        let own = result.test_idx;
        let test = if repeated {
            let key = (result.test_case.description.as_deref(), held(result));
            *first.entry(key).or_insert(own)
        } else {
            own
        };
        if tests.insert(own, test).is_none() {
            repeats.entry(test).or_default().push(own);
        }
    }
    // Descriptions of several tests need their numbers.
    let mut owners: HashMap<&str, BTreeSet<u64>> = HashMap::new();
    for result in results {
        if let Some(description) = described(result) {
            owners
                .entry(description)
                .or_default()
                .insert(tests[&result.test_idx]);
        }
    }
    let mut numbers: Vec<u64> = repeats.keys().copied().collect();
    numbers.sort_unstable();
    let item = |result: &Answered<'_>| {
        let test = tests[&result.test_idx];
        let number = numbers.binary_search(&test).unwrap_or_default();
        let name = match described(result) {
            Some(description) if owners[description].len() == 1 => description.to_owned(),
            Some(description) => format!("{description} #{number}"),
            None => number.to_string(),
        };
        let of_test = &repeats[&test];
        let seed = of_test.iter().position(|&own| own == result.test_idx);
        (name, seed.filter(|_| repeated).map(|seed| seed as u64))
    };
    results.iter().map(item).collect()
}

fn described<'a>(result: &'a Answered<'_>) -> Option<&'a str> {
    let description = result.test_case.description.as_deref()?.trim();
    (!description.is_empty()).then_some(description)
}
