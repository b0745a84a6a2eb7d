//! Rows of the files under `[[recorded]]`, read as evaluations.

use super::{Claim, Fits};
use crate::{
    history::OWN,
    ledger::{Entry, Origin},
    pattern::is_one,
    study::{file::RecordedTable, measures::BUILT_IN},
};
use fiesta_core::{ArmId, Case, Counts, Design, Evaluation, EvaluationId, Observation, Outcome};
use fiesta_records::{self, ColumnNames, Format, HeaderProblem, Reading, RecordsError};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Row of a file, which is an evaluation.
pub(super) struct Row {
    pub(super) arm: ArmId,
    /// Number of the split or document that the evaluation is on.
    pub(super) place: Option<u64>,
    pub(super) outcome: Outcome<Observation>,
    pub(super) origin: Origin,
    pub(super) extras: Map<String, Value>,
}

#[derive(Default)]
pub(super) struct Rows {
    all: Vec<Row>,
    /// Row of each evaluation that was read: an arm on a split with a seed, or on a document.
    seen: HashMap<(ArmId, u64, Option<u64>), usize>,
    /// Digests of arms that the files state, each once for an arm.
    pub(super) claims: Vec<Claim>,
}

impl Rows {
    pub(super) fn read(
        &mut self,
        fits: &Fits<'_>,
        number: usize,
        table: &RecordedTable,
        bytes: &[u8],
    ) -> Result<(), String> {
        let named = &table.file;
        if fits.measure.counts.is_some() {
            if table.metric.is_some() {
                return Err(format!(
                    "{named}: this study is of confusion counts, whose columns are tp, fp, tn and fn: leave metric out"
                ));
            }
            return self.read_counts(fits, named, bytes);
        }
        let options = Reading {
            metric: table.metric.clone(),
            columns: ColumnNames {
                arm: table.arm.clone(),
                item: table.item.clone(),
                split: table.split.clone(),
                seed: table.seed.clone(),
            },
            bounds: fits.measure.metric.bounds(),
            keep_failures: true,
            keep_columns: true,
            ..Reading::default()
        };
        let format = Format::of_path(named);
        let read = |options: &Reading| fiesta_records::read_from(bytes, format, options, named);
        // The arms of a table with a column for each are known here.
        let records = read(&options).or_else(|error| match arms_among(&error, fits) {
            Some(arms) => read(&Reading {
                arms,
                ..options.clone()
            }),
            None => Err(error),
        });
        let records = records.map_err(|error| explain(&error))?;
        let of_document = records.column("document");
        let of_digest = records.column("arm_digest");
        let columns = records.columns().iter().enumerate();
        let columns: Vec<(usize, &String)> =
            columns.filter(|(_, name)| !is_one(OWN, name)).collect();
        for row in records.rows() {
            let line = row.line;
            let wrong = |message: String| format!("{named}:{line}: {message}");
            let is_of_document = fits.documents.is_some();
            let place = if is_of_document {
                let id = of_document.and_then(|column| row.cell(column));
                let id = id.or(row.item).ok_or_else(|| {
                    wrong("the row names no item: add a column `item` (or `document`)".to_owned())
                })?;
                Some(fits.document(id).map_err(wrong)?)
            } else if row.item.is_some() {
                return Err(wrong(
                    "the row is of an item, and this study has splits: leave the column `item` out"
                        .to_owned(),
                ));
            } else {
                fits.split(row.split).map_err(wrong)?
            };
            let extras = columns.iter().filter_map(|&(column, name)| {
                let text = row.cell(column)?;
                Some((name.clone(), Value::from(text)))
            });
            let arm = fits.arm(row.arm).map_err(wrong)?;
            let extras: Map<String, Value> = extras.collect();
            if row.score.is_some() {
                has_measures(fits, &extras, [row.duration, row.cost]).map_err(wrong)?;
            }
            let digest = of_digest.and_then(|column| row.cell(column));
            self.claim(number, line, arm, digest);
            self.add(
                fits,
                Row {
                    arm,
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
                    extras,
                },
            )?;
        }
        Ok(())
    }

    fn read_counts(&mut self, fits: &Fits<'_>, named: &str, bytes: &[u8]) -> Result<(), String> {
        let format = Format::of_path(named);
        let read = fiesta_records::read_counts_and_failures_from(bytes, format, named);
        let (records, failures) = read.map_err(|error| explain(&error))?;
        let row = |arm: &str, document: Option<&str>, outcome, origin: Origin| {
            let wrong = |message: String| format!("{named}:{}: {message}", origin.line);
            let document = document.ok_or_else(|| {
                wrong("the row names no document: add a column `document`".to_owned())
            })?;
            Ok::<_, String>(Row {
                arm: fits.arm(arm).map_err(wrong)?,
                place: Some(fits.document(document).map_err(wrong)?),
                outcome,
                origin,
                extras: Map::new(),
            })
        };
        let origin = |line, cost, seconds| Origin {
            file: named.to_owned(),
            line,
            split: None,
            seed: None,
            cost,
            seconds,
        };
        let mut rows = Vec::new();
        for record in records.named() {
            let counts: Counts = record.counts;
            let origin = origin(record.line, record.cost, record.duration);
            let outcome = Outcome::Observed(counts.into());
            rows.push(row(record.arm, Some(record.document), outcome, origin)?);
        }
        for failed in &failures {
            let origin = origin(failed.line, failed.cost, failed.duration);
            let document = failed.document.as_deref();
            rows.push(row(&failed.arm, document, Outcome::Failed, origin)?);
        }
        // In the order of the file.
        rows.sort_by_key(|row| row.origin.line);
        rows.into_iter().try_for_each(|row| self.add(fits, row))
    }

    /// Notes the digest of its arm that a row states, unless an earlier row states the same.
    fn claim(&mut self, table: usize, line: u64, arm: ArmId, digest: Option<&str>) {
        let Some(digest) = digest.filter(|digest| !digest.is_empty()) else {
            return;
        };
        let is_known = |claim: &Claim| (claim.arm, claim.digest.as_str()) == (arm, digest);
        if !self.claims.iter().any(is_known) {
            self.claims.push(Claim {
                table,
                line,
                arm,
                digest: digest.to_owned(),
            });
        }
    }

    /// Adds a row. Replaces an earlier row of the same evaluation if that one failed. Otherwise a
    /// second row of it is an error.
    fn add(&mut self, fits: &Fits<'_>, row: Row) -> Result<(), String> {
        // Where answers vary, an item is asked again with another seed.
        let is_of_document = fits.documents.is_some() && !fits.file.design.repeats();
        let seed = row.origin.seed.filter(|_| !is_of_document);
        if let Some(place) = row.place
            && (seed.is_some() || is_of_document)
            && let Some(first) = self.seen.insert((row.arm, place, seed), self.all.len())
        {
            // An evaluation that failed, and was made again when its cause was mended.
            if self.all[first].outcome == Outcome::Failed {
                self.seen.insert((row.arm, place, seed), first);
                self.all[first] = row;
                return Ok(());
            }
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

    /// Returns the ledger's entries for all rows. Unknown splits and seeds are numbered.
    pub(super) fn entries(self, fits: &Fits<'_>) -> Result<Vec<Entry>, String> {
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

/// Checks that a row with a score has the measures of the study, and its duration or cost where
/// constraints limit them.
fn has_measures(
    fits: &Fits<'_>,
    extras: &Map<String, Value>,
    built_in: [Option<f64>; 2],
) -> Result<(), String> {
    fits.measures.iter().try_for_each(|own| own.check(extras))?;
    let lacks = |name: &str| {
        let mut lacking = BUILT_IN.iter().zip(built_in);
        lacking.any(|(own, value)| *own == name && value.is_none())
    };
    let mut constraints = fits.file.constraint.iter();
    let lacking = constraints.find(|own| lacks(&own.measure));
    lacking.map_or(Ok(()), |own| {
        Err(format!(
            "the row has no {}, which [[constraint]] limits: add the column",
            own.measure
        ))
    })
}

/// Returns the arms that columns of a table are named after, if the reader asks which columns are
/// arms and all of them are. `None` for any other error.
fn arms_among(error: &RecordsError, fits: &Fits<'_>) -> Option<Vec<String>> {
    let columns = match error {
        RecordsError::Header {
            problem: HeaderProblem::Asked { columns, .. },
            ..
        } => columns,
        RecordsError::Columns { problem, .. } => return arms_among(problem, fits),
        _ => return None,
    };
    let is_arm = |name: &&String| fits.arms.find(name).is_some();
    let arms: Vec<String> = columns.iter().filter(is_arm).cloned().collect();
    let own = |name: &String| matches!(name.as_str(), "item" | "split" | "seed" | "document");
    let others = columns.iter().filter(|name| !is_arm(name) && !own(name));
    (!arms.is_empty() && others.count() == 0).then_some(arms)
}

/// Explains an error of a file in terms of the study file's keys, and not of the command line.
fn explain(error: &RecordsError) -> String {
    // What are flags of the program are keys here.
    let as_told = || error.to_string().replace(" --", " the key ");
    match error {
        RecordsError::Header {
            file,
            line,
            problem,
        } => {
            let what = match problem {
                HeaderProblem::NoMetric { metric, columns } => format!(
                    "there is no column `{metric}`, only {}: name the column of the score beside file, metric = \"…\"",
                    columns.join(", ")
                ),
                HeaderProblem::Counts { metric } => format!(
                    "there is no column `{metric}`, but confusion counts, which are for a study of documents with an F-measure"
                ),
                HeaderProblem::Asked { doubt, .. } => format!(
                    "{doubt}: in a file with a column for each arm, call the columns as the arms of the study; where one column \
                     names the arms, name it beside file, arm = \"…\", metric = \"…\""
                ),
                _ => return as_told(),
            };
            format!("{file}:{line}: {what}")
        }
        RecordsError::Columns { problem, proposal } => {
            let named = proposal.columns.named().into_iter();
            let named = named.filter_map(|(role, name)| Some((role, name?)));
            let metric = proposal.metric.as_deref().map(|name| ("metric", name));
            let keys = named.chain(metric);
            let keys: Vec<String> = keys
                .map(|(key, name)| format!("{key} = {name:?}"))
                .collect();
            if keys.is_empty() {
                return explain(problem);
            }
            format!("{}; try {}", explain(problem), keys.join(", "))
        }
        _ => as_told(),
    }
}
