//! Runs of HELM: `per_instance_stats.json` in the directory of a run.
//!
//! A run is of one model on one scenario, which `run_spec.json` and `scenario.json` beside it name.
//! Each metric class of the run adds a list of its own, so that an instance may stand in the file
//! several times, with other statistics.

use crate::{
    Result,
    json::{fingerprint, start},
    pool::{FILE, Log, TASK},
    scored::{Scored, Source, stated},
};
use fiesta_records::words::{agree, count};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Returns whether a JSON text is the statistics of instances.
pub(crate) fn is(text: &str) -> bool {
    let lists = |at: usize| {
        let after = text[at + "\"stats\"".len()..].trim_start();
        let value = after.strip_prefix(':').map(str::trim_start);
        value.is_some_and(|value| value.starts_with('['))
    };
    start(text).starts_with("[{\"instance_id\":")
        && text.contains("\"train_trial_index\"")
        && text.find("\"stats\"").is_some_and(lists)
}

/// Statistics of an instance of HELM.
#[derive(Deserialize)]
struct Entry {
    instance_id: String,
    perturbation: Option<Perturbation>,
    #[serde(default)]
    train_trial_index: u64,
    stats: Vec<Stat>,
}

type Perturbation = BTreeMap<String, Value>;

#[derive(Deserialize)]
struct Stat {
    name: Name,
    /// Mean of the statistic. `None` if nothing was counted.
    mean: Option<f64>,
}

#[derive(Deserialize)]
struct Name {
    name: String,
    split: Option<String>,
}

#[derive(Deserialize)]
struct Instance {
    id: Option<String>,
    input: Input,
    perturbation: Option<Perturbation>,
}

#[derive(Deserialize)]
struct Input {
    #[serde(default)]
    text: String,
}

/// File of all states of a HELM run, of which only the instances are kept.
#[derive(Deserialize)]
struct States {
    request_states: Vec<State>,
}

#[derive(Deserialize)]
struct State {
    instance: Instance,
}

/// Reads the statistics of a run of HELM.
pub(crate) fn read(bytes: &[u8], source: &Source<'_>) -> Result<Log> {
    let entries: Vec<Entry> = source.json(bytes)?;
    let contents = contents(source);
    let mut answers: Vec<(Option<String>, Scored)> = Vec::new();
    let mut places: HashMap<(String, u64), usize> = HashMap::new();
    for entry in entries {
        let item = item(&entry.instance_id, entry.perturbation.as_ref());
        let key = (item, entry.train_trial_index);
        let place = places.get(&key).copied().unwrap_or_else(|| {
            let answer = Scored {
                content: contents.get(&key.0).copied(),
                item: key.0.clone(),
                repeat: key.1,
                ..Scored::default()
            };
            answers.push((None, answer));
            places.insert(key, answers.len() - 1);
            answers.len() - 1
        });
        let (split, answer) = &mut answers[place];
        for stat in entry.stats {
            if stat.name.name == "inference_runtime" {
                answer.duration = stat.mean;
            }
            *split = split.take().or(stat.name.split);
            answer.scores.push((stat.name.name, stated(stat.mean)));
        }
    }
    let of_test = |split: &Option<String>| split.as_deref() == Some("test");
    let mut others = 0;
    if answers.iter().any(|(split, _)| of_test(split)) {
        let all = answers.len();
        answers.retain(|(split, _)| split.is_none() || of_test(split));
        others = all - answers.len();
    }
    let answers: Vec<Scored> = answers.into_iter().map(|(_, answer)| answer).collect();
    let (model, task, run) = names(source);
    let arm = vec![
        ("model", model),
        (TASK, task.clone().unwrap_or_default()),
        ("run", run),
        (FILE, source.named(&[], &["per_instance_stats"])),
    ];
    let mut log = source.log(vec![arm], &answers, None)?;
    log.task = task;
    log.notices.extend((others > 0).then(|| {
        let answers = count(others as u64, "answer");
        let is = agree(others as u64, "is", "are");
        format!(
            "{}: {answers} of other splits than `test` {is} left out",
            source.file
        )
    }));
    Ok(log)
}

/// Returns the name of an instance and the texts that describe its perturbation.
fn item(instance: &str, perturbation: Option<&Perturbation>) -> String {
    let Some(described) = perturbation else {
        return instance.trim().to_owned();
    };
    let name = described.get("name");
    let others = described
        .iter()
        .filter(|(key, _)| !["name", "computed_on"].contains(&key.as_str()));
    let texts = name.into_iter().chain(others.map(|(_, value)| value));
    let texts: Vec<&str> = texts.filter_map(Value::as_str).map(str::trim).collect();
    format!("{}+{}", instance.trim(), texts.join("-"))
}

/// Returns hashes of the items' texts by the names of instances, read from a file beside the results.
fn contents(source: &Source<'_>) -> HashMap<String, u64> {
    let instances = source
        .beside::<Vec<Instance>>("instances.json")
        .or_else(|| {
            let all = source
                .beside::<States>("scenario_state.json")?
                .request_states;
            Some(all.into_iter().map(|state| state.instance).collect())
        });
    let instances = instances.into_iter().flatten();
    let told = instances.filter(|instance| !instance.input.text.is_empty());
    told.filter_map(|instance| {
        let item = item(&instance.id?, instance.perturbation.as_ref());
        Some((item, fingerprint(&instance.input.text)))
    })
    .collect()
}

/// Returns the names of the model, of the scenario with its arguments, and of the run: from the
/// files beside, or else from the directory, which is called `scenario:argument=value,model=name`.
fn names(source: &Source<'_>) -> (String, Option<String>, String) {
    let folder = source.named(&[], &["per_instance_stats"]);
    let spec: Value = source.beside("run_spec.json").unwrap_or_default();
    let said = |value: &Value, place| {
        value
            .pointer(place)?
            .as_str()
            .map(|text| text.trim().to_owned())
    };
    let (Some(model), Some(run)) = (said(&spec, "/adapter_spec/model"), said(&spec, "/name"))
    else {
        let mut arguments = folder.split([':', ',']);
        let model = arguments.find_map(|argument| argument.strip_prefix("model="));
        return (model.unwrap_or(&folder).trim().to_owned(), None, folder);
    };
    let scenario: Value = source.beside("scenario.json").unwrap_or_default();
    let before = run.split(':').next().unwrap_or_default();
    let mut task = said(&scenario, "/name").unwrap_or_else(|| before.to_owned());
    let arguments = spec
        .pointer("/scenario_spec/args")
        .and_then(Value::as_object);
    for (number, (name, value)) in arguments.into_iter().flatten().enumerate() {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), ToOwned::to_owned);
        let between = if number == 0 { ':' } else { ',' };
        task.extend([&format!("{between}{name}="), value.trim()]);
    }
    (model, Some(task), run)
}
