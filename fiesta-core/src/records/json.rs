//! Scores in JSON lines and JSON documents.

use super::{
    Record, RowProblem,
    collect::Collector,
    cursor::Cursor,
    header::COUNTS,
    number::{expense, score, whole},
    objects::{self, Members, Objects, bare},
    problem::excerpt,
};

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

impl Objects<6> for Collector {
    const EXAMPLE: &'static str = r#"{"arm": "lstm", "score": 0.71}"#;

    fn keys(&self) -> [&str; 6] {
        // The metric may be called `cost` or `duration`: a key is one thing only, and the first counts.
        ["arm", self.metric(), "split", "seed", "cost", "duration"]
    }

    fn object(&mut self, line: u64, members: &Members<'_, 6>) {
        let added = add(self, line, members);
        if let Err(problem) = added {
            self.refuse(line, problem);
        }
    }

    fn refuse(&mut self, line: u64, problem: RowProblem) {
        Collector::refuse(self, line, problem);
    }
}

fn add(collector: &mut Collector, line: u64, members: &Members<'_, 6>) -> Result<(), RowProblem> {
    let &[arm, given, split, seed, cost, duration] = members.values()?;
    // A missing key is told of before a value that cannot be.
    if arm.is_some() && given.is_none() {
        return Err(RowProblem::NoMetricKey {
            metric: collector.metric().to_owned(),
            keys: members.shown_keys(),
            counts: COUNTS.iter().all(|key| members.has(key)),
        });
    }
    let arm = members.arm(arm)?;
    let text = |field, value: Option<_>| bare(field, value.unwrap_or_default());
    collector.add(Record {
        arm: &*arm,
        score: score(text("score", given)?)?,
        split: whole("split", text("split", split)?)?,
        seed: whole("seed", text("seed", seed)?)?,
        cost: expense("cost", text("cost", cost)?)?,
        duration: expense("duration", text("duration", duration)?)?,
        line,
    })
}

#[cfg(test)]
mod tests;
