//! The cache of answers: what was paid for an item once is not paid again by a later study.
//!
//! A cache is one `SQLite` file that any number of studies share, also at the same time. An answer
//! is that of an **arm** to an **item**:
//! - an arm is its name and what identifies it ([`Study`]'s digest of the arm);
//! - an item is its id and its content.
//!
//! Kept is what was answered, before a study made a score of it: where its metric, its bounds or
//! its `not_finite` are others, another study finds what these make of it. Seeds are not part of it:
//! the answer to an item is taken to be one, however often it is asked, unless the study says that
//! answers vary (`repeats`). Then an answer is that to its seed, and is found only by a study that
//! asks with the same one. Errors are not kept.

use crate::{
    database, private,
    run::{
        result::{self, ResultKey},
        seconds::now,
    },
    study::{AnswerKey, Study},
};
use fiesta_core::{ArmId, CostUnit, Evaluation, Observation};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Version of the format of caches of answers, in `SQLite`'s `user_version`. No ledger has it.
const FORMAT: i64 = 1002;
/// Creates the tables of the cache of answers. Another process that does so at the same time
/// creates the same tables.
const CREATE: &str = "BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS answer (
    arm TEXT NOT NULL,
    arm_digest TEXT NOT NULL,
    item TEXT NOT NULL,
    item_digest TEXT NOT NULL,
    answer TEXT NOT NULL,
    cost REAL NOT NULL,
    unit TEXT,
    study TEXT NOT NULL,
    kept_at REAL NOT NULL,
    PRIMARY KEY (arm, arm_digest, item, item_digest)
) WITHOUT ROWID;
PRAGMA user_version = 1002;
COMMIT;";

/// The key under which the extras of an evaluation say which study paid for its answer, and how
/// much: `{"study": "prompts", "cost": 0.002, "unit": "USD"}`.
pub(crate) const PAID_BEFORE: &str = "paid_before";

/// The reason why a cache of answers cannot be used, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct AnswersError(String);

/// The cache of answers of a study's arms.
#[derive(Debug)]
pub(crate) struct Answers {
    connection: Connection,
    path: PathBuf,
    /// Digest of each arm, and the time from which on answers are the arm's, in seconds since 1970.
    arms: Vec<(String, f64)>,
}

/// An answer that was paid for before.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// The counts or the score that the study measures.
    pub observation: Observation,
    /// All other keys of the result.
    pub extras: Map<String, Value>,
    /// The cost of the answer when it was given.
    pub cost: f64,
    /// The name of the unit of that cost; `None` if the study that paid does not name it.
    pub unit: Option<String>,
    /// The study that paid.
    pub study: String,
}

/// Content of a cache for an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kept {
    /// The answer that the cache has.
    Answer(Box<Answer>),
    /// The cache has no answer, or none that this study can count.
    Nothing,
    /// The cache's row for the evaluation cannot be read, for this reason.
    Damaged(String),
}

impl Answers {
    /// Opens the cache that a study file names, and creates it if need be; none if it names none.
    ///
    /// # Errors
    /// [`AnswersError`] if it cannot be opened or is something else.
    pub(crate) fn of(study: &Study) -> Result<Option<Self>, AnswersError> {
        let Some(path) = study.answer_cache() else {
            return Ok(None);
        };
        let of_database = |error| of_database(&path, &error);
        if !path.exists() {
            // SQLite would let others read it. Another study may create it just now.
            match private::create_new(&path) {
                Err(error) if !path.exists() => {
                    return Err(AnswersError(format!(
                        "cannot open {}, which the cache of answers needs: {error}",
                        path.display()
                    )));
                }
                _ => {}
            }
        }
        // Somebody named it, so that it may be a link.
        let file = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        let directory = file.parent().unwrap_or(&file);
        let connection = database::open(directory, &file).map_err(of_database)?;
        let format = database::format(&connection).map_err(of_database)?;
        let is_new = format == 0 && database::is_blank(&connection).map_err(of_database)?;
        if !is_new && format != FORMAT {
            return Err(AnswersError(format!(
                "{} is no cache of answers of this version: name another file as `cache`",
                path.display()
            )));
        }
        let journal = database::adapt(&connection, directory, &file).map_err(of_database)?;
        if is_new {
            connection.execute_batch(CREATE).map_err(of_database)?;
        }
        let synchronous = journal.synchronous(false);
        connection
            .pragma_update(None, "synchronous", synchronous)
            .and_then(|()| database::leave_log(&connection, false))
            .map_err(of_database)?;
        let arms = study.arms().ids().map(|arm| (study.arm_digest(arm), 0.0));
        Ok(Some(Self {
            arms: arms.collect(),
            connection,
            path,
        }))
    }

    /// Ignores cached answers of arms that were asked anew, if they are older than the arm's time
    /// in `times`, in seconds since 1970.
    pub(crate) fn since(mut self, times: &BTreeMap<ArmId, f64>) -> Self {
        for (arm, &time) in times {
            self.arms[arm.index()].1 = time;
        }
        self
    }

    /// Looks up the answer of an arm to an item, if it is known and holds what the study measures.
    ///
    /// # Errors
    /// [`AnswersError`] if the cache cannot be read.
    pub(crate) fn find(
        &self,
        study: &Study,
        evaluation: &Evaluation,
    ) -> Result<Kept, AnswersError> {
        let Some(AnswerKey { arm, item, digest }) = study.answer_key(evaluation) else {
            return Ok(Kept::Nothing);
        };
        let (arm_digest, since) = &self.arms[evaluation.arm.index()];
        let row = self
            .connection
            .prepare_cached("SELECT answer, cost, unit, study FROM answer WHERE arm = ?1 AND arm_digest = ?2 AND item = ?3 AND item_digest = ?4 AND kept_at >= ?5")
            .and_then(|mut select| {
                select
                    .query_row(params![arm, arm_digest, item, digest, since], |row| {
                        let cells = (row.get(0), row.get(1), row.get(2), row.get(3));
                        let (Ok(answer), Ok(cost), Ok(unit), Ok(study)) = cells else {
                            return Ok(None);
                        };
                        Ok(Some((answer, cost, unit, study)))
                    })
                    .optional()
            })
            .map_err(|error| of_database(&self.path, &error))?;
        let damaged = || {
            let path = self.path.display();
            Kept::Damaged(format!(
                "the answer of `{arm}` to {item} in the cache {path} is damaged: it is asked again"
            ))
        };
        let row: Option<(String, f64, Option<String>, String)> = match row {
            None => return Ok(Kept::Nothing),
            Some(row) => row,
        };
        let is_cost = |cost: f64| cost.is_finite() && cost >= 0.0;
        let row =
            row.filter(|(answer, cost, ..)| is_cost(*cost) && result::object_of(answer).is_some());
        let Some((answer, cost, unit, study_that_paid)) = row else {
            return Ok(damaged());
        };
        // One that was given for another metric may not have this one.
        let scored = result::of_text(&answer, "the cache of answers", study.wanted());
        let scored = scored.and_then(|scored| study.with_measures(scored));
        Ok(scored.map_or(Kept::Nothing, |scored| {
            Kept::Answer(Box::new(Answer {
                observation: scored.observation,
                extras: scored.extras,
                cost,
                unit,
                study: study_that_paid,
            }))
        }))
    }

    /// Writes an answer to the cache as the arm gave it, with its cost, in place of an earlier one.
    ///
    /// # Errors
    /// [`AnswersError`] if it cannot be written.
    pub(crate) fn keep(
        &self,
        study: &Study,
        evaluation: &Evaluation,
        said: Map<String, Value>,
        cost: f64,
    ) -> Result<(), AnswersError> {
        let Some(AnswerKey { arm, item, digest }) = study.answer_key(evaluation) else {
            return Ok(());
        };
        let (arm_digest, _) = &self.arms[evaluation.arm.index()];
        // What an answer states itself is no time.
        let is_stated = said.contains_key(ResultKey::Cost.name());
        let unit = study.cost_unit();
        let unit = unit.filter(|unit| !is_stated || matches!(unit, CostUnit::Named(_)));
        let unit = unit.map(|unit| unit.name().to_owned());
        let text = Value::Object(said).to_string();
        self.connection
            .prepare_cached(
                "INSERT OR REPLACE INTO answer VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )
            .and_then(|mut insert| {
                insert.execute(params![
                    arm,
                    arm_digest,
                    item,
                    digest,
                    text,
                    cost,
                    unit,
                    study.name(),
                    now()
                ])
            })
            .map_err(|error| of_database(&self.path, &error))?;
        Ok(())
    }
}

fn of_database(path: &Path, error: &rusqlite::Error) -> AnswersError {
    AnswersError(format!(
        "the cache of answers {}: {error}; nothing is paid while it cannot be asked (leave `cache` out to go on without it)",
        path.display()
    ))
}
