//! Scores in JSON lines and JSON documents.

use super::{
    Record, RowProblem,
    collect::{Collector, Texts},
    cursor::{Cursor, decoded},
    header::COUNTS,
    json_text::compact,
    number::score,
    objects::{self, Members, Objects, bare},
    problem::excerpt,
    status,
};
use std::{borrow::Cow, iter};

/// Reads a list of objects, or an object of lists.
pub(super) fn read_document(text: &str, collector: &mut Collector) {
    let mut cursor = Cursor::new(text);
    let read = match cursor.peek() {
        None => return,
        Some(b'{') => lists(&mut cursor, collector),
        Some(b'[') => objects::list(&mut cursor, collector),
        Some(_) => Err(cursor.problem("expected `{` or `[`")),
    };
    if let Err(problem) = read.and_then(|()| objects::end(&mut cursor)) {
        collector.refuse(cursor.line(), problem);
    }
}

/// `{"lstm": [0.71, 0.73], …}`. The error is one of the text, after which nothing can be understood.
fn lists(cursor: &mut Cursor, collector: &mut Collector) -> Result<(), RowProblem> {
    cursor.expect(b'{')?;
    if cursor.take(b'}') {
        return Ok(());
    }
    let mut arms = 0;
    loop {
        let line = cursor.line();
        let name = cursor.key()?;
        let name = name.trim();
        let known = match collector.name(name) {
            // A new name gets the number that is next; any other was here before.
            Ok(arm) if arm.index() == arms => {
                arms += 1;
                Ok(())
            }
            Ok(_) => Err(RowProblem::DuplicateKey(excerpt(name))),
            Err(problem) => Err(problem),
        };
        match known {
            Ok(()) if cursor.peek() == Some(b'[') => list(cursor, name, collector)?,
            Ok(()) => {
                let arm = excerpt(name);
                let found = excerpt(cursor.value()?);
                collector.refuse(line, RowProblem::NotAList { arm, found });
            }
            Err(problem) => {
                collector.refuse(line, problem);
                cursor.value()?;
            }
        }
        if !cursor.take(b',') {
            return cursor.expect(b'}');
        }
    }
}

/// `[0.71, 0.73]`, the scores of one arm.
fn list(cursor: &mut Cursor, name: &str, collector: &mut Collector) -> Result<(), RowProblem> {
    let line = cursor.line();
    cursor.expect(b'[')?;
    if cursor.take(b']') {
        collector.refuse(line, RowProblem::NoScore(excerpt(name)));
        return Ok(());
    }
    loop {
        let line = cursor.line();
        let score = bare("score", cursor.value()?).and_then(score);
        let added = score.and_then(|score| {
            let record = Record {
                line,
                ..Record::new(name, score)
            };
            collector.add(record, iter::empty::<(&str, &str)>())
        });
        if let Err(problem) = added {
            collector.refuse(line, problem);
        }
        if !cursor.take(b',') {
            return cursor.expect(b']');
        }
    }
}

impl Objects<7> for Collector {
    const EXAMPLE: &'static str = r#"{"arm": "lstm", "score": 0.71}"#;

    fn keys(&self) -> [&str; 7] {
        // The metric may be called `cost` or `duration`: a key is one thing only, and the first counts.
        [
            "arm",
            self.metric(),
            "split",
            "seed",
            "cost",
            "duration",
            "status",
        ]
    }

    fn keeps_others(&self) -> bool {
        self.keeps_columns()
    }

    fn object(&mut self, line: u64, members: &Members<'_, 7>) {
        let added = add(self, line, members);
        if let Err(problem) = added {
            self.refuse(line, problem);
        }
    }

    fn refuse(&mut self, line: u64, problem: RowProblem) {
        Collector::refuse(self, line, problem);
    }
}

fn add(collector: &mut Collector, line: u64, members: &Members<'_, 7>) -> Result<(), RowProblem> {
    let &[arm, score, split, seed, cost, duration, status] = members.values()?;
    let status = word(status)?;
    // A missing key is told of before a value that cannot be.
    if arm.is_some() && score.is_none() && !status::is_failed(&status)? {
        return Err(RowProblem::NoMetricKey {
            metric: collector.metric().to_owned(),
            keys: members.shown_keys(),
            counts: COUNTS.iter().all(|key| members.has(key)),
        });
    }
    let arm = members.arm(arm)?;
    let text = |field, value: Option<_>| bare(field, value.unwrap_or_default());
    let texts = Texts {
        arm: &arm,
        score: text("score", score)?,
        split: text("split", split)?,
        seed: text("seed", seed)?,
        cost: text("cost", cost)?,
        duration: text("duration", duration)?,
        status: &status,
    };
    let others = members.others().iter();
    let others = others
        .filter(|(key, _)| !key.trim().is_empty())
        .map(|(key, value)| Ok((key, cell(value)?)))
        .collect::<Result<Vec<_>, _>>()?;
    collector.add_row(line, texts, others)
}

/// The text of a status.
fn word(value: Option<&str>) -> Result<Cow<'_, str>, RowProblem> {
    match value {
        None | Some("null") => Ok(Cow::Borrowed("")),
        Some(text) if text.starts_with('"') => decoded(text),
        Some(other) => Err(RowProblem::StatusNotText(excerpt(other))),
    }
}

/// A value of any kind as the text of a cell.
pub(super) fn cell(value: &str) -> Result<Cow<'_, str>, RowProblem> {
    match value {
        "null" => Ok(Cow::Borrowed("")),
        text if text.starts_with('"') => decoded(text),
        other => Ok(compact(other)),
    }
}

#[cfg(test)]
mod tests;
