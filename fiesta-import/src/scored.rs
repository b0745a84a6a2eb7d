//! Answers with several named scores: one becomes the score, the others become columns.

use crate::{
    Result, Tool,
    choose::{self, Candidates},
    error::{no_answer, not_log},
    json::lenient,
    pool::{Answer, Log, Outcome, Parts, stem},
};
use fiesta_records::{Reading, read_whole, text, words::quoted};
use serde::de::DeserializeOwned;
use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
};

/// An answer to an item, with all its scores.
#[derive(Debug, Default)]
pub(crate) struct Scored {
    /// Index of the answer's arm among the arms of the log.
    pub(crate) arm: usize,
    pub(crate) item: String,
    /// Hash of the item's content. `None` if the content is not known.
    pub(crate) content: Option<u64>,
    /// Number of the repeat of the item. 0 for all answers if nothing is repeated.
    pub(crate) repeat: u64,
    /// Whether an error prevented the answer.
    pub(crate) failed: bool,
    pub(crate) scores: Vec<(String, Outcome)>,
    pub(crate) cost: Option<f64>,
    pub(crate) duration: Option<f64>,
}

/// A file of answers: its tool, its path, its name and the options of reading.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) tool: Tool,
    /// The path of the file, if it is on disk.
    pub(crate) path: Option<&'a Path>,
    pub(crate) options: &'a Reading,
    /// Name of the file in messages.
    pub(crate) file: &'a str,
}

impl Source<'_> {
    /// Returns the content of a file that is one JSON value.
    pub(crate) fn json<T: DeserializeOwned>(&self, bytes: &[u8]) -> Result<T> {
        let read = |text: &str| serde_json::from_str(text);
        lenient(text(bytes, self.file)?, read)
            .map_err(|reason| not_log(self.file, self.tool, &reason))
    }

    /// Returns the content of another file in the same directory. `None` if it cannot be read.
    pub(crate) fn beside<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let bytes = read_whole(self.path?.with_file_name(name)).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        lenient(&text, |text| serde_json::from_str(text)).ok()
    }

    /// Returns the name of the file without its extension and one of these endings. If that is one
    /// of the names `plain`, which say nothing, the name of the closest directory that is none of
    /// them.
    pub(crate) fn named(&self, endings: &[&str], plain: &[&str]) -> String {
        let whole = self.path.and_then(|path| fs::canonicalize(path).ok());
        let whole = whole.as_deref().unwrap_or(Path::new(self.file));
        let own = stem(self.file);
        let cut = endings.iter().find_map(|ending| own.strip_suffix(ending));
        let folders = whole.ancestors().skip(1).filter_map(Path::file_name);
        let folders = folders.map(|name| name.to_string_lossy().into_owned());
        let says = |name: &String| !name.trim().is_empty() && !plain.contains(&name.as_str());
        let mut names = std::iter::once(cut.unwrap_or(&own).to_owned()).chain(folders);
        names.find(says).unwrap_or(own)
    }

    /// Returns the log with these answers. Without a request, the score is `usual` if any answer
    /// has it, or else the only one.
    pub(crate) fn log(
        &self,
        arms: Vec<Parts>,
        answers: &[Scored],
        usual: Option<&str>,
    ) -> Result<Log> {
        if answers.is_empty() {
            return Err(no_answer(self.file, self.tool));
        }
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in answers.iter().flat_map(|answer| &answer.scores) {
            places.entry(name).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            });
        }
        let asked = self.options.metric.as_deref();
        let usual = usual.filter(|usual| places.contains_key(usual));
        let named = names.iter().map(|&name| (name.to_owned(), places[name]));
        let known = quoted(&names);
        // The others log times and counts beside what they score.
        let scores = match self.tool {
            Tool::DeepEval | Tool::EvalPlus | Tool::Lighteval => Candidates::scores(named, known),
            _ => Candidates::numbers(named, known),
        };
        let find = |asked: &str| places.get(asked).copied();
        let metric = choose::metric(asked.or(usual), find, scores, self.file)?;
        let repeated = answers.iter().any(|answer| answer.repeat > 0);
        let others = || (0..names.len()).filter(|&place| place != metric);
        let answer = |(line, answer): (u64, &Scored)| {
            let found: BTreeMap<usize, Outcome> = answer
                .scores
                .iter()
                .rev()
                .map(|(name, outcome)| (places[name.as_str()], *outcome))
                .collect();
            let outcome = found.get(&metric).copied().unwrap_or(Outcome::Missing);
            let cell = |place: usize| match found.get(&place) {
                Some(Outcome::Scored(score)) => score.to_string(),
                _ => String::new(),
            };
            Answer {
                arm: answer.arm,
                item: answer.item.clone(),
                content: answer.content,
                seed: repeated.then_some(answer.repeat),
                outcome: if answer.failed {
                    Outcome::Failed
                } else {
                    outcome
                },
                cost: answer.cost,
                duration: answer.duration,
                line,
                cells: others().map(cell).collect(),
            }
        };
        Ok(Log {
            file: self.file.to_owned(),
            task: None,
            arms,
            metric: names[metric].trim().to_owned(),
            columns: others()
                .map(|place| self.tool.column(names[place].trim()))
                .collect(),
            answers: (1..).zip(answers).map(answer).collect(),
            place: |answer| format!(": answer {}", answer.line),
            direction: None,
            resolved_only: false,
            notices: Vec::new(),
        })
    }
}

/// Returns the score of an answer that is right or wrong: 1 or 0.
pub(crate) fn truth(is: bool) -> Outcome {
    Outcome::Scored(f64::from(u8::from(is)))
}

/// Returns the outcome with this score. [`Outcome::Missing`] if there is none.
pub(crate) fn stated(score: Option<f64>) -> Outcome {
    score.map_or(Outcome::Missing, Outcome::of)
}

/// Returns a name for an item that has only a text: a hash that is the same in all files, on all
/// machines and in all versions.
pub(crate) fn digest(text: &str) -> String {
    // FNV-1a.
    let hash = text
        .trim()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("{hash:016x}")
}
