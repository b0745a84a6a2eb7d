//! Reading of confusion counts from a result.

use super::{NoScore, object, text::quote};
use fiesta_core::Counts;
use serde_json::{Map, Value};

/// The keys of a document's counts, in the order of [`Counts::cells`].
pub(super) const KEYS: [&str; 4] = ["tp", "fp", "tn", "fn"];

/// Key of true negatives, which may be left out for 0: tasks such as entity recognition have none.
pub(super) const OPTIONAL: &str = "tn";

/// Takes the counts out of a result: those at its top level, or else the sum over its classes, each
/// an object.
pub(super) fn take(
    object: &mut Map<String, Value>,
    line: &str,
    place: &str,
) -> Result<Counts, NoScore> {
    if has_any(object) {
        return cells(object, "", line, place);
    }
    let of_class = |(_, value): &(&String, &Value)| value.as_object().is_some_and(has_any);
    let classes: Vec<String> = object
        .iter()
        .filter(of_class)
        .map(|(class, _)| class.clone())
        .collect();
    if classes.is_empty() {
        return Err(without(KEYS[0], line, place));
    }
    let mut sum = Counts::default();
    for class in classes {
        if let Some(Value::Object(of_class)) = object.get_mut(&class) {
            sum = sum + cells(of_class, &format!("{}.", quote(&class)), line, place)?;
            if of_class.is_empty() {
                object.shift_remove(&class);
            }
        }
    }
    match KEYS
        .iter()
        .zip(sum.cells())
        .find(|(_, cell)| *cell > Counts::LARGEST)
    {
        Some((key, cell)) => {
            let key = format!("{key} of all classes");
            Err(no_count(&key, &cell.to_string(), line, place))
        }
        None => Ok(sum),
    }
}

fn has_any(object: &Map<String, Value>) -> bool {
    KEYS.iter().any(|key| object.contains_key(*key))
}

/// Takes the four counts out of an object. `class` is put before the keys in messages.
fn cells(
    object: &mut Map<String, Value>,
    class: &str,
    line: &str,
    place: &str,
) -> Result<Counts, NoScore> {
    let mut cells = [0; 4];
    for (cell, key) in cells.iter_mut().zip(KEYS) {
        let name = format!("{class}{key}");
        *cell = match object.shift_remove(key) {
            Some(value) => count(&value, &name, line, place)?,
            None if key == OPTIONAL => 0,
            None => return Err(without(&name, line, place)),
        };
    }
    Ok(Counts::from_cells(cells))
}

/// Reads a count: a whole number, which may be written as 12.0.
fn count(value: &Value, key: &str, line: &str, place: &str) -> Result<u64, NoScore> {
    let number = object::number(value, line, place, key)?;
    Counts::cell(number).ok_or_else(|| no_count(key, &value.to_string(), line, place))
}

fn no_count(key: &str, number: &str, line: &str, place: &str) -> NoScore {
    NoScore::Wrong(format!(
        "{place} has \"{key}\" = {number}, which is no count: write a whole number from 0 to {}: {}",
        Counts::LARGEST,
        quote(line)
    ))
}

fn without(key: &str, line: &str, place: &str) -> NoScore {
    let hint = " (a result holds the counts \"tp\", \"fp\", \"fn\" and, if there are any, \"tn\" of its document, or an object with them for each class)";
    object::without(key, hint, line, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<(Counts, Map<String, Value>), String> {
        let object::Line::Object(mut object) = object::parse(line) else {
            panic!("{line}")
        };
        let counts = take(&mut object, line, "stdout").map_err(|error| error.to_string())?;
        Ok((counts, object))
    }

    fn cells_of(line: &str) -> [u64; 4] {
        parsed(line).unwrap().0.cells()
    }

    #[track_caller]
    fn refused(line: &str, words: &[&str]) {
        let message = parsed(line).unwrap_err();
        for word in words.iter().chain(&["stdout"]) {
            assert!(message.contains(word), "{word}: {message}");
        }
    }

    #[test]
    fn of_a_document() {
        assert_eq!(
            cells_of(r#"{"tp": 1, "fp": 2, "tn": 3, "fn": 4}"#),
            [1, 2, 3, 4]
        );
        assert_eq!(
            cells_of(r#"{"fn": 4, "tp": 12.0, "fp": -0.0}"#),
            [12, 0, 0, 4]
        );
        assert_eq!(cells_of(r#"{"tp": 0, "fp": 0, "fn": 0}"#), [0; 4]);
        assert_eq!(
            cells_of(r#"{"tp": 1e9, "fp": 0, "fn": 0}"#)[0],
            Counts::LARGEST
        );
    }

    /// Tests that counts of classes are added up, and other keys stay.
    #[test]
    fn of_classes() {
        let line = r#"{"PER": {"tp": 1, "fp": 2, "fn": 3, "f1": 0.3}, "n": 5, "LOC": {"tp": 10, "fp": 20, "fn": 30, "tn": 1}, "time": {"s": 2}}"#;
        let (counts, extras) = parsed(line).unwrap();
        assert_eq!(counts.cells(), [11, 22, 1, 33]);
        let extras = serde_json::to_string(&extras).unwrap();
        assert_eq!(extras, r#"{"PER":{"f1":0.3},"n":5,"time":{"s":2}}"#);
    }

    /// Tests that counts at the top level are used if a result has those of classes as well.
    #[test]
    fn on_top_before_those_of_classes() {
        let line = r#"{"tp": 5, "fp": 6, "fn": 7, "PER": {"tp": 1, "fp": 1, "fn": 1}}"#;
        let (counts, extras) = parsed(line).unwrap();
        assert_eq!(counts.cells(), [5, 6, 0, 7]);
        assert_eq!(extras["PER"]["tp"], 1);
    }

    #[test]
    fn what_is_no_count() {
        for number in ["-1", "1.5", "1000000001", "1e300"] {
            let line = format!(r#"{{"tp": 1, "fp": {number}, "fn": 1}}"#);
            refused(
                &line,
                &["\"fp\" = ", "no count", "whole number from 0 to 1000000000"],
            );
        }
        refused(
            r#"{"tp": "3", "fp": 0, "fn": 1}"#,
            &["\"tp\" as the text \"3\"", "without quotes"],
        );
        refused(
            r#"{"tp": NaN, "fp": 0, "fn": 1}"#,
            &["\"tp\" = NaN", "not a finite number"],
        );
        refused(
            r#"{"tp": 1, "fp": 0, "fn": 1, "tn": null}"#,
            &["\"tn\" as null"],
        );
        refused(
            r#"{"PER": {"tp": 1, "fp": [0], "fn": 1}}"#,
            &["\"PER.fp\" as a list"],
        );
        refused(
            r#"{"a": {"tp": 1e9, "fp": 0, "fn": 1}, "b": {"tp": 1, "fp": 0, "fn": 1}}"#,
            &["tp of all classes", "1000000001"],
        );
    }

    #[test]
    fn what_is_missing() {
        refused(
            r#"{"f1": 0.5}"#,
            &["without the key \"tp\"", "for each class"],
        );
        refused(r#"{"tp": 1, "fp": 0}"#, &["without the key \"fn\""]);
        refused(
            r#"{"PER": {"tp": 1, "fn": 0}}"#,
            &["without the key \"PER.fp\""],
        );
    }
}
