//! Unexpected answers of a worker: to cases that it was never sent, was not sent yet, or had
//! answered before.

use crate::digest::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};

/// Number of kinds of unexpected answers that are counted apart.
const KINDS: usize = 20;
/// Number of the latest cases, answered or given up, that are remembered.
const REMEMBERED: usize = 10_000;
/// Largest part of an answer that is shown, in bytes.
const SHOWN: usize = 300;

/// A kind of unexpected answer of a worker, which does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnexpectedAnswer {
    /// Description of the answer, in words that follow the worker's name.
    pub(crate) what: String,
    /// Number of answers of this kind.
    pub(crate) count: u64,
}

/// Past state of a case that is no longer awaited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Past {
    Answered(Digest),
    GivenUp,
}

/// All answers of a worker that are not counted.
#[derive(Debug, Default)]
pub(super) struct UnexpectedAnswers {
    found: Vec<UnexpectedAnswer>,
    kinds: BTreeMap<String, usize>,
    past: BTreeMap<String, Past>,
    oldest: VecDeque<String>,
}

impl UnexpectedAnswers {
    /// Notes that a case was answered.
    pub(super) fn answered(&mut self, id: &str, answer: &[u8]) {
        self.remember(id, Past::Answered(digest(answer)));
    }

    /// Notes that a case was given up, so that no answer is waited for.
    pub(super) fn given_up(&mut self, id: &str) {
        self.remember(id, Past::GivenUp);
    }

    fn remember(&mut self, id: &str, past: Past) {
        self.past.insert(id.to_owned(), past);
        self.oldest.push_back(id.to_owned());
        if self.oldest.len() > REMEMBERED
            && let Some(oldest) = self.oldest.pop_front()
        {
            self.past.remove(&oldest);
        }
    }

    /// Records an answer to a case that is not waited for. Returns whether its kind is new.
    pub(super) fn not_waited_for(&mut self, id: &str, answer: &[u8]) -> bool {
        match self.past.get(id) {
            Some(Past::Answered(first)) if *first == digest(answer) => false,
            Some(Past::Answered(_)) => {
                let what = format!("answered {id} again, and otherwise: its first answer counts");
                self.add(what, answer)
            }
            Some(Past::GivenUp) => {
                let what = format!(
                    "answered {id} after the case was given up (a time limit or a cancellation): the answer does not count"
                );
                self.add(what, answer)
            }
            None => {
                let what =
                    format!("answered {id}, which it was not asked: the answer does not count");
                self.add(what, answer)
            }
        }
    }

    /// Records an answer printed before its case was sent. Returns whether its kind is new.
    pub(super) fn early(&mut self, id: &str, answer: &[u8]) -> bool {
        let what = format!("answered {id} before it was asked: the answer does not count");
        self.add(what, answer)
    }

    /// Records a line that belongs to no case. Returns whether its kind is new.
    pub(super) fn of_no_case(&mut self, kind: &str, line: &[u8]) -> bool {
        self.add(format!("{kind}, which belongs to no case"), line)
    }

    fn add(&mut self, mut kind: String, line: &[u8]) -> bool {
        if self.kinds.len() >= KINDS && !self.kinds.contains_key(&kind) {
            "said more that does not count; see its notes".clone_into(&mut kind);
        }
        if let Some(at) = self.kinds.get(&kind) {
            self.found[*at].count += 1;
            return false;
        }
        let shown = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]);
        let what = format!("{kind} ({})", shown.trim());
        self.kinds.insert(kind, self.found.len());
        self.found.push(UnexpectedAnswer { what, count: 1 });
        true
    }

    pub(super) fn all(&self) -> &[UnexpectedAnswer] {
        &self.found
    }
}

/// Returns a digest of an answer's content, independent of the order and layout of its JSON.
fn digest(answer: &[u8]) -> Digest {
    let mut digest = Digest::default();
    match serde_json::from_slice::<Value>(answer) {
        Ok(mut value) => {
            value.sort_all_objects();
            digest.add(value.to_string().as_bytes());
        }
        Err(_) => digest.add(answer.trim_ascii()),
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_repeated_is_none_and_another_one_is_told_once() {
        let mut unexpected = UnexpectedAnswers::default();
        unexpected.answered("a", br#"{"id": "a", "f1": 0.5}"#);
        assert!(!unexpected.not_waited_for("a", br#"{"f1":0.5,"id":"a"}"#));
        assert_eq!(unexpected.all(), []);
        assert!(unexpected.not_waited_for("a", br#"{"id": "a", "f1": 0.6}"#));
        assert!(!unexpected.not_waited_for("a", br#"{"id": "a", "f1": 0.7}"#));
        assert!(unexpected.not_waited_for("b", b"{}"));
        unexpected.given_up("c");
        assert!(unexpected.not_waited_for("c", b"{}"));
        let [again, other, late] = unexpected.all() else {
            panic!("{unexpected:?}");
        };
        assert!(again.what.contains("a again") && again.what.contains("0.6"));
        assert_eq!((again.count, other.count, late.count), (2, 1, 1));
        assert!(other.what.contains("b, which it was not asked"));
        assert!(late.what.contains("given up"));
    }

    #[test]
    fn a_worker_that_names_ever_new_cases_takes_no_memory() {
        let mut unexpected = UnexpectedAnswers::default();
        for number in 0..100_000 {
            unexpected.not_waited_for(&number.to_string(), b"{}");
            unexpected.answered(&number.to_string(), b"{}");
        }
        assert_eq!(unexpected.all().len(), KINDS + 1);
        assert_eq!(unexpected.past.len(), REMEMBERED);
        let count: u64 = unexpected
            .all()
            .iter()
            .map(|unexpected| unexpected.count)
            .sum();
        assert_eq!(count, 100_000);
    }
}
