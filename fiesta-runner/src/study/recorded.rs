//! Scores that exist already: the files under `[[recorded]]`, which are counted before the study begins.

use super::{
    StudyError,
    documents::Digest,
    error::Source,
    file::{RecordedTable, StudyFile},
    measure::Measure,
};
use crate::ledger::Entry;
use fiesta_core::{
    ArmId, Arms, Case, Counts, Design, Evaluation, EvaluationId, Observation, Outcome,
    records::{self, Format, HeaderProblem, Options, RecordsError, excerpt},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{collections::HashMap, fs, io, path::Path};
use toml::Spanned;

/// Where an evaluation stands that was made before the study, and what the file says of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The file, as the study file names it.
    pub file: String,
    /// The line.
    pub line: u64,
    /// The split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<u64>,
    /// The seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The cost, which the study has not spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// How long it took, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// What recorded scores must fit.
pub(super) struct Fits<'a> {
    pub(super) file: &'a StudyFile,
    /// That of the study file, in which relative names begin.
    pub(super) directory: &'a Path,
    pub(super) design: Design,
    /// The numbers of the documents, in a study of documents.
    pub(super) documents: Option<HashMap<&'a str, u64>>,
    pub(super) measure: &'a Measure,
    pub(super) arms: &'a Arms,
    pub(super) policy: &'a str,
    pub(super) stopping: &'a str,
}

/// Columns of an export that say nothing of another study's evaluations.
const PASSED_OVER: [&str; 3] = ["evaluation", "recorded", "document"];
/// The greatest split; beyond are numbers for evaluations that have none.
const LAST_SPLIT: u64 = u64::MAX >> 1;

/// The recorded evaluations of a study file, in order; none if `ledger` is there, which has them. Their files' digests are added to the
/// fingerprint. A file that a ledger has need not exist any more.
pub(super) fn recorded(
    source: &Source<'_>,
    fits: &Fits<'_>,
    fingerprint: &mut Value,
    ledger: Option<&Value>,
) -> Result<Vec<Entry>, StudyError> {
    let mut rows = Rows::default();
    for (place, table) in fits.file.recorded.iter().enumerate() {
        let named = table.file.get_ref();
        let wrong = |message: String| source.wrong(Some(table.file.span()), message);
        if let Some(conflict) = fits.conflict() {
            return Err(wrong(conflict));
        }
        let digest = match fs::read(fits.directory.join(named)) {
            Ok(bytes) => {
                if ledger.is_none() {
                    rows.read(fits, table, &bytes).map_err(wrong)?;
                }
                Digest::of(&bytes).to_string()
            }
            Err(error) => match digest_of(ledger, named) {
                Some(digest) if error.kind() == io::ErrorKind::NotFound => digest.to_owned(),
                _ => return Err(wrong(format!("{named}: cannot be read: {error}"))),
            },
        };
        fingerprint["recorded"][place]["digest"] = digest.into();
    }
    let last = fits.file.recorded.last().map(|table| table.file.span());
    rows.entries(fits)
        .map_err(|message| source.wrong(last, message))
}

/// The digest of a file as a ledger has it.
fn digest_of<'a>(ledger: Option<&'a Value>, named: &str) -> Option<&'a str> {
    let known = ledger?["recorded"].as_array()?;
    let known = known.iter().find(|table| table["file"] == named)?;
    known["digest"].as_str()
}

impl Fits<'_> {
    /// Why a study of this kind cannot count scores that exist already.
    fn conflict(&self) -> Option<String> {
        if self.file.goal.trials.is_some() {
            let message = "a random search draws its settings itself, and cannot count trials that exist already: leave [[recorded]] out; `fiesta curve` and `fiesta report` read such files";
            return Some(message.to_owned());
        }
        ["sequential-halving", "successive-rejects"]
            .contains(&self.policy)
            .then(|| {
                format!(
                    "the policy {} divides its budget evenly among the arms, and cannot count scores that exist already: leave [[recorded]] out, or choose another policy, such as auto",
                    self.policy
                )
            })
    }

    fn arm(&self, name: &str) -> Result<ArmId, String> {
        self.arms.find(name).ok_or_else(|| {
            format!(
                "the arm `{}` is none of this study's ({}): add it as an [[arm]], or take its rows out of the file",
                excerpt(name),
                self.arms.names().join(", ")
            )
        })
    }

    fn document(&self, id: &str) -> Result<u64, String> {
        let documents = self.documents.as_ref();
        let number = documents.and_then(|numbers| numbers.get(id));
        number.copied().ok_or_else(|| {
            format!(
                "the document `{}` is not in the study's collection: take its rows out of the file, or add it to the collection",
                excerpt(id)
            )
        })
    }

    /// Checks the split of a row; none is needed where every evaluation has its own.
    fn split(&self, split: Option<u64>) -> Result<Option<u64>, String> {
        match (self.design, split) {
            (Design::Shared, None) => Err(
                "the row names no split, and arms of this study are compared on the same splits: add a column `split`, or say splits = \"independent\" under [design]"
                    .to_owned(),
            ),
            (Design::Fixed, Some(split)) if split != 0 => Err(format!(
                "the row is on split {split}, and this study is on the one split 0: leave the column `split` out if it is that one, or say splits = \"shared\" under [design]"
            )),
            (_, Some(split)) if split > LAST_SPLIT => {
                Err(format!("the split {split} is too large: the largest is {LAST_SPLIT}"))
            }
            (_, split) => Ok(split),
        }
    }
}

/// One evaluation of a file.
struct Row {
    arm: ArmId,
    /// The split, or the document's number.
    place: Option<u64>,
    outcome: Outcome<Observation>,
    origin: Origin,
    extras: Map<String, Value>,
}

#[derive(Default)]
struct Rows {
    all: Vec<Row>,
    /// Where an arm's evaluation on a split with a seed, or on a document, was read.
    seen: HashMap<(ArmId, u64, Option<u64>), usize>,
}

impl Rows {
    fn read(&mut self, fits: &Fits<'_>, table: &RecordedTable, bytes: &[u8]) -> Result<(), String> {
        let named = table.file.get_ref();
        if fits.measure.counts.is_some() {
            if table.metric.is_some() {
                return Err(format!(
                    "{named}: this study is of confusion counts, whose columns are tp, fp, tn and fn: leave metric out"
                ));
            }
            return self.read_counts(fits, named, bytes);
        }
        let options = Options {
            metric: table.metric.as_ref().map(Spanned::get_ref).cloned(),
            bounds: fits.measure.metric.bounds(),
            keep_failures: true,
            keep_columns: true,
        };
        let format = Format::of_path(named);
        let records =
            records::read_from(bytes, format, &options, named).map_err(|error| explain(&error))?;
        let of_document = records.column("document");
        let columns = records.columns().iter().enumerate();
        let columns: Vec<(usize, &String)> = columns
            .filter(|(_, name)| !PASSED_OVER.contains(&name.as_str()))
            .collect();
        for row in records.rows() {
            let line = row.line;
            let wrong = |message: String| format!("{named}:{line}: {message}");
            let is_of_document = fits.documents.is_some();
            let place = if is_of_document {
                let id = of_document.and_then(|column| row.cell(column));
                let id = id.ok_or_else(|| {
                    wrong("the row names no document: add a column `document`".to_owned())
                })?;
                Some(fits.document(id).map_err(wrong)?)
            } else {
                fits.split(row.split).map_err(wrong)?
            };
            let extras = columns.iter().filter_map(|&(column, name)| {
                let text = row.cell(column)?;
                Some((name.clone(), Value::from(text)))
            });
            self.add(Row {
                arm: fits.arm(row.arm).map_err(wrong)?,
                place,
                outcome: row
                    .score
                    .map_or(Outcome::Failed, |score| Outcome::Observed(score.into())),
                origin: Origin {
                    file: named.clone(),
                    line,
                    // That of a study of documents is a number of its own.
                    split: row.split.filter(|_| !is_of_document),
                    seed: row.seed,
                    cost: row.cost,
                    seconds: row.duration,
                },
                extras: extras.collect(),
            })?;
        }
        Ok(())
    }

    fn read_counts(&mut self, fits: &Fits<'_>, named: &str, bytes: &[u8]) -> Result<(), String> {
        let format = Format::of_path(named);
        let records =
            records::read_counts_from(bytes, format, named).map_err(|error| explain(&error))?;
        for record in records.named() {
            let line = record.line;
            let wrong = |message: String| format!("{named}:{line}: {message}");
            let counts: Counts = record.counts;
            self.add(Row {
                arm: fits.arm(record.arm).map_err(wrong)?,
                place: Some(fits.document(record.document).map_err(wrong)?),
                outcome: Outcome::Observed(counts.into()),
                origin: Origin {
                    file: named.to_owned(),
                    line,
                    split: None,
                    seed: None,
                    cost: record.cost,
                    seconds: record.duration,
                },
                extras: Map::new(),
            })?;
        }
        Ok(())
    }

    /// Adds a row, unless another file has it; within one its reader has seen to that, but for documents.
    fn add(&mut self, row: Row) -> Result<(), String> {
        let is_of_document = row.origin.split.is_none() && row.place.is_some();
        let seed = row.origin.seed.filter(|_| !is_of_document);
        if let Some(place) = row.place
            && (seed.is_some() || is_of_document)
            && let Some(first) = self.seen.insert((row.arm, place, seed), self.all.len())
        {
            let Origin { file, line, .. } = &row.origin;
            let first = &self.all[first].origin;
            return Err(format!(
                "{file}:{line}: this evaluation was on {}:{} already, and counts once: remove one of them",
                first.file, first.line
            ));
        }
        self.all.push(row);
        Ok(())
    }

    /// The ledger's entries of all rows, with numbers for splits and seeds that are not known.
    fn entries(self, fits: &Fits<'_>) -> Result<Vec<Entry>, String> {
        fits.independent(&self.all)?;
        let last = self.all.iter().filter_map(|row| row.place).max();
        let mut unknown = last.map_or(0, |last| last + 1)..;
        let entry = |(id, row): (u64, Row)| {
            let split = match (fits.design, row.place) {
                (Design::Fixed, _) => 0,
                (_, Some(place)) => place,
                (_, None) => unknown.next().unwrap_or_default(),
            };
            let seed = row.origin.seed.unwrap_or(id);
            Entry::Recorded {
                evaluation: Evaluation {
                    id: EvaluationId(id),
                    arm: row.arm,
                    case: Case { split, seed },
                },
                outcome: row.outcome,
                origin: row.origin,
                extras: row.extras,
            }
        };
        Ok((0..).zip(self.all).map(entry).collect())
    }
}

impl Fits<'_> {
    /// Whether evaluations are as independent of each other as the rule anytime takes them to be.
    fn independent(&self, rows: &[Row]) -> Result<(), String> {
        if self.design != Design::Independent || self.stopping != "anytime" {
            return Ok(());
        }
        let mut seen: HashMap<u64, &Row> = HashMap::new();
        for row in rows {
            let Some(split) = row.origin.split else {
                continue;
            };
            if let Some(first) = seen.insert(split, row) {
                let (a, b) = (&first.origin, &row.origin);
                return Err(format!(
                    "{}:{}: split {split} is also that of {}:{}, and the rule anytime takes independent splits for what they are called: say splits = \"shared\" under [design], or choose stopping = \"posterior\"",
                    b.file, b.line, a.file, a.line
                ));
            }
        }
        Ok(())
    }
}

/// What is wrong with a file, in the words of a study file instead of those of a command line.
fn explain(error: &RecordsError) -> String {
    match error {
        RecordsError::Header {
            file,
            line,
            problem: HeaderProblem::NoMetric { metric, columns },
        } => format!(
            "{file}:{line}: there is no column `{metric}`, only {}: name the column of the score beside file, metric = \"…\"",
            columns.join(", ")
        ),
        RecordsError::Header {
            file,
            line,
            problem: HeaderProblem::Counts { metric },
        } => format!(
            "{file}:{line}: there is no column `{metric}`, but confusion counts, which are for a study of documents with an F-measure"
        ),
        other => other.to_string(),
    }
}
