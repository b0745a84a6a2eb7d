//! Recognition of answers in a worker's output lines.

use super::pipes::{LONGEST, Line};
use crate::run::result::{ResultKey, Said, said};
use serde_json::{Value, json};

/// Meaning of a line of a worker's stdout.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The worker says that it is ready for cases.
    Ready,
    /// An answer to the case with this id, and the text that is kept.
    Answer { id: String, kept: Vec<u8> },
    /// An answer to the case with this id, which is no longer waited for, or never was.
    NotWaitedFor(String),
    /// A line that looks like an answer but belongs to no case. Contains a description of it.
    Unexpected(String),
    /// A line that is not an answer. It goes to the log.
    Log,
}

/// The cases that a worker's answer may belong to, and the keys of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a, I> {
    /// The names of the cases in flight.
    pub(super) ids: I,
    /// Whether the worker is given one case at a time, so that an answer need not name it.
    pub(super) one_at_a_time: bool,
    pub(super) keys: &'a [String],
}

impl<'a, I> Asked<'a, I>
where
    I: Iterator<Item = &'a String> + Clone,
{
    pub(super) fn meaning(&self, line: Line) -> Meaning {
        match line {
            Line::Whole(line) => self.of_whole(line),
            Line::Cut(start) => self.of_cut(&start),
            Line::Unended(line) => match said(&line) {
                // Whole, since its last brace is there.
                Said::Object(_) => self.of_whole(line),
                Said::Broken(_) | Said::Other => Meaning::Log,
            },
        }
    }

    /// Returns the only case in flight, which an answer without a name is for, or `None`.
    fn only(&self) -> Option<&'a String> {
        let mut ids = self.ids.clone();
        ids.next()
            .filter(|_| self.one_at_a_time && ids.next().is_none())
    }

    /// Returns the case whose name is in a text that is not JSON.
    fn named_in(&self, text: &str) -> Option<&'a String> {
        let names =
            |id: &&String| text.contains(&format!("\"{id}\"")) || text.contains(&format!("'{id}'"));
        self.ids.clone().find(names)
    }

    fn of_whole(&self, line: Vec<u8>) -> Meaning {
        match said(&line) {
            Said::Object(object) => match object.get("id") {
                Some(Value::String(id)) if self.ids.clone().any(|asked| asked == id) => {
                    Meaning::Answer {
                        id: id.clone(),
                        kept: line,
                    }
                }
                Some(Value::String(id)) => Meaning::NotWaitedFor(id.clone()),
                Some(_) => Meaning::Unexpected("printed an object whose id is no text".to_owned()),
                None if object.len() == 1 && object.get("ready") == Some(&Value::Bool(true)) => {
                    Meaning::Ready
                }
                None => {
                    let is_result = self.keys.iter().any(|key| object.contains_key(key))
                        || object
                            .get(ResultKey::Error.name())
                            .is_some_and(Value::is_string);
                    match self.only().filter(|_| is_result) {
                        Some(id) => Meaning::Answer {
                            id: id.clone(),
                            kept: line,
                        },
                        // Of a logger that writes JSON, perhaps.
                        None if !is_result => Meaning::Unexpected(format!(
                            "printed an object without an id and without {}, which answers nothing",
                            self.keys.join(", ")
                        )),
                        None => Meaning::Unexpected("printed an object without an id".to_owned()),
                    }
                }
            },
            Said::Broken(text) => {
                let is_about = |key: &String| {
                    text.contains(&format!("\"{key}\"")) || text.contains(&format!("'{key}'"))
                };
                let only = || self.only().filter(|_| self.keys.iter().any(is_about));
                match self.named_in(&text).or_else(only) {
                    Some(id) => Meaning::Answer {
                        id: id.clone(),
                        kept: line,
                    },
                    None => Meaning::Log,
                }
            }
            Said::Other => Meaning::Log,
        }
    }

    fn of_cut(&self, start: &[u8]) -> Meaning {
        let text = String::from_utf8_lossy(start);
        let only = || self.only().filter(|_| text.trim_start().starts_with('{'));
        match self.named_in(&text).or_else(only) {
            Some(id) => {
                let error = format!(
                    "the worker's answer is longer than {LONGEST} bytes: keep what is large in a file"
                );
                Meaning::Answer {
                    id: id.clone(),
                    kept: json!({ "id": id, "error": error }).to_string().into_bytes(),
                }
            }
            None => Meaning::Unexpected(format!("printed a line of more than {LONGEST} bytes")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(ids: &[&str], one_at_a_time: bool, line: &str) -> Meaning {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let keys = ["f1".to_owned()];
        let asked = Asked {
            ids: ids.iter(),
            one_at_a_time,
            keys: &keys,
        };
        asked.meaning(Line::Whole(line.into()))
    }

    fn is_unexpected(meaning: &Meaning) -> bool {
        matches!(meaning, Meaning::NotWaitedFor(_) | Meaning::Unexpected(_))
    }

    fn answer(id: &str, line: &str) -> Meaning {
        Meaning::Answer {
            id: id.to_owned(),
            kept: line.into(),
        }
    }

    #[test]
    fn an_answer_names_its_case() {
        for line in [
            r#"{"id": "b", "f1": 0.5}"#,
            r#"{"f1": NaN, "id": "b"}"#,
            // No JSON, and yet about this case.
            r#"{"id": "b", "f1": 0,5}"#,
            "{'id': 'b', 'f1': 0.5}",
        ] {
            assert_eq!(meaning(&["a", "b"], false, line), answer("b", line));
            assert_eq!(meaning(&["b"], true, line), answer("b", line));
        }
        for line in [
            r#"{"id": "c", "f1": 0.5}"#,
            r#"{"id": 7, "f1": 0.5}"#,
            r#"{"f1": 0.5}"#,
        ] {
            assert!(is_unexpected(&meaning(&["a", "b"], false, line)), "{line}");
        }
    }

    #[test]
    fn one_case_at_a_time_needs_no_name() {
        let line = r#"{"f1": 0.5}"#;
        assert_eq!(meaning(&["a"], true, line), answer("a", line));
        assert!(matches!(
            meaning(&["a"], false, line),
            Meaning::Unexpected(_)
        ));
        assert!(matches!(meaning(&[], true, line), Meaning::Unexpected(_)));
        // A line of a logger, and an answer after it.
        for logged in [
            r#"{"level": "info", "message": "asked the service"}"#,
            r#"{"error": null, "event": "done"}"#,
            "{}",
        ] {
            assert!(is_unexpected(&meaning(&["a"], true, logged)), "{logged}");
        }
        let failed = r#"{"error": "no connection"}"#;
        assert_eq!(meaning(&["a"], true, failed), answer("a", failed));
        let other = r#"{"id": "z", "f1": 0.5}"#;
        assert!(is_unexpected(&meaning(&["a"], true, other)));
        // A dictionary as Python prints it: about the score, or the log of a training.
        let broken = "{'f1': 0.5}";
        assert_eq!(meaning(&["a"], true, broken), answer("a", broken));
        assert_eq!(meaning(&["a"], true, "{'loss': 0.5}"), Meaning::Log);
    }

    #[test]
    fn readiness_and_other_lines() {
        assert_eq!(meaning(&["a"], true, r#"{"ready": true}"#), Meaning::Ready);
        for line in ["loading", "", "[1]", "0.5", "{"] {
            assert_eq!(meaning(&["a"], true, line), Meaning::Log, "{line}");
        }
    }

    #[test]
    fn an_answer_that_is_too_long_is_a_failure_of_its_case() {
        let ids = ["a".to_owned(), "b".to_owned()];
        let asked = Asked {
            ids: ids.iter(),
            one_at_a_time: false,
            keys: &[],
        };
        let Meaning::Answer { id, kept } =
            asked.meaning(Line::Cut(br#"{"id": "b", "x": ["#.to_vec()))
        else {
            panic!("it is the answer of b");
        };
        assert_eq!(id, "b");
        assert!(String::from_utf8(kept).unwrap().contains("longer than"));
        assert!(matches!(
            asked.meaning(Line::Cut(b"xx".to_vec())),
            Meaning::Unexpected(_)
        ));
    }
}
