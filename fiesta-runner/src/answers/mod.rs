//! The cache of answers: what was paid for an item once is not paid again by a later study.
//!
//! A cache is one `SQLite` file that any number of studies share, also at the same time. An answer
//! is that of an **arm** to an **item**:
//! - an arm is its name, and its `version`, if the study file gives one; else its worker's command,
//!   the variables that the study file sets, and what is in the files that the command names;
//! - an item is its id and its content.
//!
//! Seeds are not part of it: the answer to an item is taken to be one, however often it is asked,
//! unless the study says that answers vary (`repeats`). Then an answer is that to its seed, and is
//! found only by a study that asks with the same one. Failures are not kept.

mod error;

pub use error::AnswersError;

use crate::{
    database, private,
    run::{result, seconds::now},
    study::{AnswerKey, Study},
};
use fiesta_core::{Evaluation, Observation};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The version of the file's format, in `SQLite`'s `user_version`.
const FORMAT: i64 = 1;
/// Whoever creates the same file just now has created the same.
const CREATE: &str = "BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS answer (
    arm TEXT NOT NULL,
    arm_digest TEXT NOT NULL,
    item TEXT NOT NULL,
    item_digest TEXT NOT NULL,
    answer TEXT NOT NULL,
    cost REAL NOT NULL,
    study TEXT NOT NULL,
    kept_at REAL NOT NULL,
    PRIMARY KEY (arm, arm_digest, item, item_digest)
) WITHOUT ROWID;
PRAGMA user_version = 1;
COMMIT;";

/// The key under which the extras of an evaluation say which study paid for its answer, and how
/// much: `{"study": "prompts", "cost": 0.002}`.
pub const PAID_BEFORE: &str = "paid_before";

/// The cache of answers of a study's arms.
#[derive(Debug)]
pub struct Answers {
    connection: Connection,
    path: PathBuf,
    /// Each arm's digest.
    arms: Vec<String>,
}

/// An answer that was paid for before.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What is measured.
    pub observation: Observation,
    /// Every other key of the result.
    pub extras: Map<String, Value>,
    /// What it cost when it was given, in the unit of the study that paid.
    pub cost: f64,
    /// The study that paid.
    pub study: String,
}

impl Answers {
    /// Opens the cache that a study file names, and creates it if need be; none if it names none.
    ///
    /// # Errors
    /// [`AnswersError`] if it cannot be opened or is something else, or a file that identifies an
    /// arm cannot be read.
    pub fn of(study: &Study) -> Result<Option<Self>, AnswersError> {
        let Some(path) = study.answer_cache() else {
            return Ok(None);
        };
        let of_database = |source| AnswersError::Database {
            path: path.clone(),
            source,
        };
        if !path.exists() {
            // SQLite would let others read it. Another study may create it just now.
            match private::create_new(&path) {
                Err(source) if !path.exists() => return Err(AnswersError::File { path, source }),
                _ => {}
            }
        }
        let directory = path.parent().unwrap_or(&path);
        let (connection, journal) = database::open(directory, &path).map_err(of_database)?;
        let is_new = database::format(&connection).map_err(of_database)? == 0;
        if is_new && database::is_blank(&connection).map_err(of_database)? {
            connection.execute_batch(CREATE).map_err(of_database)?;
        }
        if database::format(&connection).map_err(of_database)? != FORMAT {
            return Err(AnswersError::NoCache(path));
        }
        let synchronous = journal.synchronous(false);
        connection
            .pragma_update(None, "synchronous", synchronous)
            .and_then(|()| database::leave_log(&connection, false))
            .map_err(of_database)?;
        let arms = study.arms().ids().map(|arm| study.answerer(arm));
        let arms = arms.collect::<Result<_, _>>();
        Ok(Some(Self {
            arms: arms.map_err(|(path, source)| AnswersError::File { path, source })?,
            connection,
            path,
        }))
    }

    /// The answer of an arm to an item, if it is known and holds what the study measures.
    ///
    /// # Errors
    /// [`AnswersError`] if the cache cannot be read.
    pub fn find(
        &self,
        study: &Study,
        evaluation: &Evaluation,
    ) -> Result<Option<Answer>, AnswersError> {
        let Some(AnswerKey { arm, item, digest }) = study.answer_key(evaluation) else {
            return Ok(None);
        };
        let arm_digest = &self.arms[evaluation.arm.index()];
        let found = self
            .connection
            .prepare_cached("SELECT answer, cost, study FROM answer WHERE arm = ?1 AND arm_digest = ?2 AND item = ?3 AND item_digest = ?4")
            .and_then(|mut query| {
                query
                    .query_row(params![arm, arm_digest, item, digest], |row| {
                        Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?))
                    })
                    .optional()
            })
            .map_err(|source| self.of_database(source))?;
        Ok(found.and_then(|(answer, cost, study_that_paid)| {
            // One that was given for another metric may not have this one.
            let scored = result::of_text(&answer, "the cache of answers", study.wanted()).ok()?;
            Some(Answer {
                observation: scored.observation,
                extras: scored.extras,
                cost,
                study: study_that_paid,
            })
        }))
    }

    /// Keeps an answer; the last one counts.
    ///
    /// # Errors
    /// [`AnswersError`] if it cannot be written.
    pub fn keep(
        &self,
        study: &Study,
        evaluation: &Evaluation,
        answer: &Answer,
    ) -> Result<(), AnswersError> {
        let Some(AnswerKey { arm, item, digest }) = study.answer_key(evaluation) else {
            return Ok(());
        };
        let mut object = answer.extras.clone();
        match &answer.observation {
            Observation::Score(score) => {
                object.insert(study.metric().name().to_owned(), (*score).into());
            }
            Observation::Counts(counts) => {
                if let Ok(Value::Object(cells)) = serde_json::to_value(counts) {
                    object.extend(cells);
                }
            }
        }
        let text = Value::Object(object).to_string();
        let arm_digest = &self.arms[evaluation.arm.index()];
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO answer VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
            .and_then(|mut insert| {
                insert.execute(params![
                    arm,
                    arm_digest,
                    item,
                    digest,
                    text,
                    answer.cost,
                    answer.study,
                    now()
                ])
            })
            .map_err(|source| self.of_database(source))?;
        Ok(())
    }

    fn of_database(&self, source: rusqlite::Error) -> AnswersError {
        AnswersError::Database {
            path: self.path.clone(),
            source,
        }
    }
}
