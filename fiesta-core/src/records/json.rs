//! JSON lines and JSON documents.

use super::{
    Record, RowProblem,
    collect::Collector,
    cursor::{Cursor, decoded},
    error::quoted,
    number::{expense, score, whole},
    problem::excerpt,
};
use std::borrow::Cow;

/// Reads an object per line.
pub(super) fn read_lines(text: &str, collector: &mut Collector) {
    let mut fields = Fields::default();
    for (number, text) in (1..).zip(text.lines()) {
        let mut cursor = Cursor::starting_on(number, text);
        if cursor.peek().is_none() {
            continue;
        }
        let metric = collector.metric();
        let read = fields
            .read(&mut cursor, metric)
            .and_then(|()| end(&mut cursor));
        match read.and_then(|()| fields.arm(metric)) {
            Ok(arm) => collector.take(number, fields.record(&arm, number)),
            Err(problem) => collector.refuse(number, problem),
        }
    }
}

/// Reads a list of objects, or an object of lists.
pub(super) fn read_document(text: &str, collector: &mut Collector) {
    let mut cursor = Cursor::new(text);
    let read = match cursor.peek() {
        None => return,
        Some(b'{') => lists(&mut cursor, collector),
        Some(b'[') => objects(&mut cursor, collector),
        Some(_) => Err(cursor.problem("expected `{` or `[`")),
    };
    if let Err(problem) = read.and_then(|()| end(&mut cursor)) {
        collector.refuse(cursor.line(), problem);
    }
}

/// `[{"arm": "lstm", "score": 0.71}, …]`. The error is one of the text, after which nothing can be understood.
fn objects(cursor: &mut Cursor, collector: &mut Collector) -> Result<(), RowProblem> {
    cursor.expect(b'[')?;
    if cursor.take(b']') {
        return Ok(());
    }
    let mut fields = Fields::default();
    loop {
        let line = cursor.line();
        if cursor.peek() == Some(b'{') {
            let metric = collector.metric();
            fields.read(cursor, metric)?;
            match fields.arm(metric) {
                Ok(arm) => collector.take(line, fields.record(&arm, line)),
                Err(problem) => collector.refuse(line, problem),
            }
        } else {
            let found = excerpt(cursor.value()?);
            collector.refuse(line, RowProblem::NotAnObject { found });
        }
        if !cursor.take(b',') {
            return cursor.expect(b']');
        }
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
        let row = bare("score", cursor.value()?)
            .and_then(score)
            .map(|score| Record {
                line,
                ..Record::new(name, score)
            });
        collector.take(line, row);
        if !cursor.take(b',') {
            return cursor.expect(b']');
        }
    }
}

/// Nothing may follow what was read.
fn end(cursor: &mut Cursor) -> Result<(), RowProblem> {
    match cursor.peek() {
        None => Ok(()),
        Some(b'{') => Err(cursor.problem(
            "expected the end; a file with several objects should have one per line and end in .jsonl",
        )),
        Some(_) => Err(cursor.problem("expected the end")),
    }
}

/// The texts of the values in one object, by what they are.
#[derive(Debug, Default)]
struct Fields<'a> {
    arm: Option<&'a str>,
    score: Option<&'a str>,
    split: Option<&'a str>,
    seed: Option<&'a str>,
    cost: Option<&'a str>,
    duration: Option<&'a str>,
    twice: Option<Cow<'a, str>>,
    keys: Vec<Cow<'a, str>>,
}

impl<'a> Fields<'a> {
    /// Steps over an object. The error is one of the text; what the values are worth is looked at later.
    fn read(&mut self, cursor: &mut Cursor<'a>, metric: &str) -> Result<(), RowProblem> {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        *self = Self {
            keys,
            ..Self::default()
        };
        if cursor.peek() != Some(b'{') {
            let found = excerpt(cursor.value()?);
            return Err(RowProblem::NotAnObject { found });
        }
        cursor.expect(b'{')?;
        if cursor.take(b'}') {
            return Ok(());
        }
        loop {
            let key = cursor.key()?;
            let value = cursor.value()?;
            self.set(key, value, metric);
            if !cursor.take(b',') {
                return cursor.expect(b'}');
            }
        }
    }

    fn set(&mut self, key: Cow<'a, str>, value: &'a str, metric: &str) {
        let field = match key.trim() {
            "arm" => Some(&mut self.arm),
            name if name == metric => Some(&mut self.score),
            "split" => Some(&mut self.split),
            "seed" => Some(&mut self.seed),
            "cost" => Some(&mut self.cost),
            "duration" => Some(&mut self.duration),
            _ => None,
        };
        if let Some(field) = field
            && field.replace(value).is_some()
        {
            self.twice.get_or_insert_with(|| key.clone());
        }
        self.keys.push(key);
    }

    /// The name of the arm, after a look at whether the keys make a record.
    fn arm(&self, metric: &str) -> Result<Cow<'a, str>, RowProblem> {
        if let Some(key) = &self.twice {
            return Err(RowProblem::DuplicateKey(excerpt(key)));
        }
        let keys = || quoted(&self.keys);
        let arm = self
            .arm
            .ok_or_else(|| RowProblem::NoArmKey { keys: keys() })?;
        if self.score.is_none() {
            let metric = metric.to_owned();
            return Err(RowProblem::NoMetricKey {
                metric,
                keys: keys(),
            });
        }
        match arm {
            "null" => Err(RowProblem::EmptyArm),
            text if text.starts_with('"') => decoded(text),
            other => Err(RowProblem::ArmNotText(excerpt(other))),
        }
    }

    fn record<'n>(&self, arm: &'n str, line: u64) -> Result<Record<&'n str>, RowProblem> {
        let text = |field, value: Option<&'a str>| bare(field, value.unwrap_or_default());
        Ok(Record {
            arm,
            score: score(text("score", self.score)?)?,
            split: whole("split", text("split", self.split)?)?,
            seed: whole("seed", text("seed", self.seed)?)?,
            cost: expense("cost", text("cost", self.cost)?)?,
            duration: expense("duration", text("duration", self.duration)?)?,
            line,
        })
    }
}

/// The text of a value as the same cell of a table would have it.
fn bare<'a>(field: &'static str, value: &'a str) -> Result<&'a str, RowProblem> {
    match value {
        "null" => Ok(""),
        text if text.starts_with('"') => Err(RowProblem::QuotedNumber {
            field,
            found: excerpt(text),
        }),
        other => Ok(other),
    }
}

#[cfg(test)]
mod tests;
