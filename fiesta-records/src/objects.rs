//! JSON objects, one per record: on a line each, or in a list.

use super::{
    RowProblem,
    cursor::{Cursor, decoded},
    error::quoted,
    problem::excerpt,
};
use std::borrow::Cow;

/// What takes the objects of a text, of each the values of N keys.
pub(super) trait Objects<const N: usize> {
    /// An object as it should be.
    const EXAMPLE: &'static str;

    /// The keys whose values are asked for.
    fn keys(&self) -> [&str; N];

    /// Whether the values of other keys are kept; they are not read otherwise.
    fn keeps_others(&self) -> bool {
        false
    }

    /// Takes the object that begins on this line.
    fn object(&mut self, line: u64, members: &Members<'_, N>);

    /// Counts an object that is none.
    fn refuse(&mut self, line: u64, problem: RowProblem);
}

/// Reads an object per line.
pub(super) fn lines<const N: usize, T: Objects<N>>(text: &str, target: &mut T) {
    let mut members = Members::default();
    for (number, text) in (1..).zip(text.lines()) {
        let mut cursor = Cursor::starting_on(number, text);
        if cursor.peek().is_none() {
            continue;
        }
        let read = members
            .read(&mut cursor, target)
            .and_then(|()| end(&mut cursor));
        match read {
            Ok(()) => target.object(number, &members),
            Err(problem) => target.refuse(number, problem),
        }
    }
}

/// `[{"arm": "lstm", "score": 0.71}, …]`. The error is one of the text, after which nothing can be understood.
pub(super) fn list<const N: usize, T: Objects<N>>(
    cursor: &mut Cursor,
    target: &mut T,
) -> Result<(), RowProblem> {
    cursor.expect(b'[')?;
    if cursor.take(b']') {
        return Ok(());
    }
    let mut members = Members::default();
    loop {
        let line = cursor.line();
        if cursor.peek() == Some(b'{') {
            members.read(cursor, target)?;
            target.object(line, &members);
        } else {
            let found = excerpt(cursor.value()?);
            let example = T::EXAMPLE;
            target.refuse(line, RowProblem::NotAnObject { found, example });
        }
        if !cursor.take(b',') {
            return cursor.expect(b']');
        }
    }
}

/// Nothing may follow what was read.
pub(super) fn end(cursor: &mut Cursor) -> Result<(), RowProblem> {
    match cursor.peek() {
        None => Ok(()),
        Some(b'{') => Err(cursor.problem(
            "expected the end; a file with several objects should have one per line and end in .jsonl",
        )),
        Some(_) => Err(cursor.problem("expected the end")),
    }
}

/// The texts of the values in one object, in the order of the keys that are asked for.
#[derive(Debug)]
pub(super) struct Members<'a, const N: usize> {
    values: [Option<&'a str>; N],
    twice: Option<Cow<'a, str>>,
    keys: Vec<Cow<'a, str>>,
    others: Vec<(Cow<'a, str>, &'a str)>,
}

impl<const N: usize> Default for Members<'_, N> {
    fn default() -> Self {
        Self {
            values: [None; N],
            twice: None,
            keys: Vec::new(),
            others: Vec::new(),
        }
    }
}

impl<'a, const N: usize> Members<'a, N> {
    /// Steps over an object. The error is one of the text; what the values are worth is looked at later.
    fn read<T: Objects<N>>(
        &mut self,
        cursor: &mut Cursor<'a>,
        target: &T,
    ) -> Result<(), RowProblem> {
        self.values = [None; N];
        self.twice = None;
        self.keys.clear();
        self.others.clear();
        if cursor.peek() != Some(b'{') {
            let found = excerpt(cursor.value()?);
            let example = T::EXAMPLE;
            return Err(RowProblem::NotAnObject { found, example });
        }
        cursor.expect(b'{')?;
        if cursor.take(b'}') {
            return Ok(());
        }
        let wanted = target.keys();
        loop {
            let key = cursor.key()?;
            let value = cursor.value()?;
            let place = wanted.iter().position(|wanted| *wanted == key.trim());
            if let Some(place) = place
                && self.values[place].replace(value).is_some()
            {
                self.twice.get_or_insert_with(|| key.clone());
            }
            if place.is_none() && target.keeps_others() {
                self.others.push((key.clone(), value));
            }
            self.keys.push(key);
            if !cursor.take(b',') {
                return cursor.expect(b'}');
            }
        }
    }

    /// The values, of keys that occur once.
    pub(super) fn values(&self) -> Result<&[Option<&'a str>; N], RowProblem> {
        match &self.twice {
            Some(key) => Err(RowProblem::DuplicateKey(excerpt(key))),
            None => Ok(&self.values),
        }
    }

    /// The keys that are not asked for, and the texts of their values, where they are kept.
    pub(super) fn others(&self) -> &[(Cow<'a, str>, &'a str)] {
        &self.others
    }

    /// All keys, for a message.
    pub(super) fn shown_keys(&self) -> String {
        quoted(&self.keys)
    }

    /// Whether the object has this key, be it one that is asked for or not.
    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|other| other.trim() == key)
    }

    /// The name of the arm, which is the value of the key `arm`.
    pub(super) fn arm(&self, value: Option<&'a str>) -> Result<Cow<'a, str>, RowProblem> {
        match value {
            None => Err(RowProblem::NoArmKey {
                keys: self.shown_keys(),
            }),
            Some("null") => Err(RowProblem::EmptyArm),
            Some(text) if text.starts_with('"') => decoded(text),
            Some(other) => Err(RowProblem::ArmNotText(excerpt(other))),
        }
    }
}

/// The text of a value as the same cell of a table would have it.
pub(super) fn bare<'a>(field: &'static str, value: &'a str) -> Result<&'a str, RowProblem> {
    match value {
        "null" => Ok(""),
        text if text.starts_with('"') => Err(RowProblem::QuotedNumber {
            field,
            found: excerpt(text),
        }),
        other => Ok(other),
    }
}
