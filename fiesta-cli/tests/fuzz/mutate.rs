//! Mutations of real inputs, which make them worse.

use fiesta::Streams;
use rand::{Rng, RngExt};
use serde_json::{Value, json};

/// Length to which inputs are cut, in bytes, so that mutations do not grow without end.
const LONGEST: usize = 16 << 10;

/// Growth that is allowed for the longest input, in bytes.
const ROOM: usize = 1 << 10;

/// Words that are faulty as numbers, texts or names in some format.
const WORDS: [&str; 44] = [
    "NaN",
    "nan",
    "Infinity",
    "-inf",
    "1e400",
    "-1e400",
    "1e-400",
    "0",
    "-0",
    "-1",
    "0.1",
    "0,5",
    "18446744073709551616",
    "9223372036854775807",
    "-9223372036854775808",
    "4294967296",
    "1e308",
    "0x10",
    "1_000",
    "+1",
    ".5",
    "5.",
    "\"\"",
    "\"",
    "'",
    "\\",
    "\\u0000",
    "\u{feff}",
    "\u{202e}",
    "😀",
    "\r\n",
    "\r",
    "\n\n",
    "\t",
    ",",
    ";",
    "=",
    "[",
    "]",
    "{",
    "}",
    "null",
    "true",
    "\0",
];

pub(crate) struct Mutator<'a> {
    inputs: &'a [&'a [u8]],
    words: Vec<&'a str>,
    longest: usize,
}

impl<'a> Mutator<'a> {
    pub(crate) fn new(inputs: &'a [&'a [u8]], words: &[&'a str]) -> Self {
        Self {
            inputs,
            longest: inputs
                .iter()
                .map(|input| input.len() + ROOM)
                .fold(LONGEST, usize::max),
            words: WORDS.iter().chain(words).copied().collect(),
        }
    }

    /// Returns the mutated input of this number, which is the same for the same seed.
    pub(crate) fn mutate(&self, seed: u64, case: u64) -> Vec<u8> {
        let mut rng = Streams::new(seed).run(case);
        let mut bytes = self.inputs[rng.random_range(0..self.inputs.len())].to_vec();
        // Often one change, which gets deep; at times many.
        let changes = [1, 1, 1, 2, 3, 8][rng.random_range(0..6)];
        for _ in 0..changes {
            self.change(&mut bytes, &mut rng);
            bytes.truncate(self.longest);
        }
        bytes
    }

    fn change(&self, bytes: &mut Vec<u8>, rng: &mut impl Rng) {
        match rng.random_range(0..12) {
            0 => drop(bytes.drain(piece(bytes, rng))),
            1 => {
                let doubled = bytes[piece(bytes, rng)].to_vec();
                insert(bytes, &doubled, rng);
            }
            2 => {
                let other = self.inputs[rng.random_range(0..self.inputs.len())];
                let taken = other[piece(other, rng)].to_vec();
                insert(bytes, &taken, rng);
            }
            3 => {
                let lines = line_starts(bytes);
                let line = rng.random_range(0..lines.len() - 1);
                let taken: Vec<u8> = bytes.drain(lines[line]..lines[line + 1]).collect();
                let lines = line_starts(bytes);
                let to = lines[rng.random_range(0..lines.len())];
                bytes.splice(to..to, taken);
            }
            4 if !bytes.is_empty() => {
                let at = rng.random_range(0..bytes.len());
                bytes[at] ^= 1 << rng.random_range(0..8);
            }
            5 => {
                let random: Vec<u8> = (0..rng.random_range(1..5)).map(|_| rng.random()).collect();
                insert(bytes, &random, rng);
            }
            6 => bytes.truncate(rng.random_range(0..=bytes.len())),
            7 => insert(bytes, self.word(rng).as_bytes(), rng),
            8 | 9 => self.restructure(bytes, rng),
            _ => {
                let token = token(bytes, rng);
                bytes.splice(token, self.word(rng).bytes());
            }
        }
    }

    /// Changes the structure: of JSON, or of a line of JSON, one value; of another text, two columns.
    fn restructure(&self, bytes: &mut Vec<u8>, rng: &mut impl Rng) {
        let lines = line_starts(bytes);
        let line = rng.random_range(0..lines.len() - 1);
        for range in [0..bytes.len(), lines[line]..lines[line + 1]] {
            if let Ok(mut value) = serde_json::from_slice(&bytes[range.clone()]) {
                self.change_value(&mut value, rng);
                let ending = if bytes[range.clone()].ends_with(b"\n") {
                    "\n"
                } else {
                    ""
                };
                bytes.splice(range, format!("{value}{ending}").bytes());
                return;
            }
        }
        let text = String::from_utf8_lossy(bytes).into_owned();
        let count = |sign: &char| text.chars().filter(|c| c == sign).count();
        let Some(sign) = [',', '\t', ';', '|', ' '].into_iter().max_by_key(count) else {
            return;
        };
        let [one, other] = [0; 2].map(|_| rng.random_range(0..12));
        let kind = rng.random_range(0..3);
        let changed = text.split('\n').map(|line| {
            let mut cells: Vec<&str> = line.split(sign).collect();
            if one.max(other) < cells.len() {
                match kind {
                    0 => cells.swap(one, other),
                    1 => drop(cells.remove(one)),
                    _ => cells.insert(one, cells[other]),
                }
            }
            cells.join(&sign.to_string())
        });
        *bytes = changed.collect::<Vec<_>>().join("\n").into_bytes();
    }

    /// Changes a random value within a JSON value: to another one of it, to a word, or to one that is
    /// empty, deeper, or lacks a member.
    fn change_value(&self, value: &mut Value, rng: &mut impl Rng) {
        let mut places = Vec::new();
        pointers(value, String::new(), &mut places);
        let [one, other] = [0; 2].map(|_| &places[rng.random_range(0..places.len())]);
        let other = value.pointer(other).cloned().unwrap_or_default();
        let word = self.word(rng);
        let Some(found) = value.pointer_mut(one) else {
            return;
        };
        match rng.random_range(0..8) {
            0 | 1 => *found = other,
            2 => *found = json!([found.take()]),
            3 => *found = json!({ word: found.take() }),
            4 => *found = word.into(),
            5 => {
                let odd = [json!(null), json!([]), json!({}), json!(1e308), json!(-1)];
                *found = odd[rng.random_range(0..odd.len())].clone();
            }
            _ => match found {
                Value::Array(list) if !list.is_empty() => {
                    let at = rng.random_range(0..list.len());
                    if rng.random() {
                        list.remove(at);
                    } else {
                        list.insert(at, other);
                    }
                }
                Value::Object(members) if !members.is_empty() => {
                    let at = rng.random_range(0..members.len());
                    let key = members.keys().nth(at).cloned().unwrap_or_default();
                    let taken = members.remove(&key);
                    if rng.random() {
                        members.insert(word.to_owned(), taken.unwrap_or_default());
                    }
                }
                found => *found = other,
            },
        }
    }

    fn word(&self, rng: &mut impl Rng) -> &'a str {
        self.words[rng.random_range(0..self.words.len())]
    }
}

/// Adds the JSON pointers of a value and of all within it.
fn pointers(value: &Value, own: String, all: &mut Vec<String>) {
    match value {
        Value::Array(list) => {
            for (at, value) in list.iter().enumerate() {
                pointers(value, format!("{own}/{at}"), all);
            }
        }
        Value::Object(members) => {
            for (key, value) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                pointers(value, format!("{own}/{key}"), all);
            }
        }
        _ => {}
    }
    all.push(own);
}

/// Returns the range of some bytes in a row: a few, or up to everything.
fn piece(bytes: &[u8], rng: &mut impl Rng) -> std::ops::Range<usize> {
    let start = rng.random_range(0..=bytes.len());
    let most = if rng.random() { 16 } else { bytes.len() };
    let end = start + rng.random_range(0..=most);
    start..end.min(bytes.len())
}

fn insert(bytes: &mut Vec<u8>, piece: &[u8], rng: &mut impl Rng) {
    let at = rng.random_range(0..=bytes.len());
    bytes.splice(at..at, piece.iter().copied());
}

/// Returns the offsets of the lines and of the end.
fn line_starts(bytes: &[u8]) -> Vec<usize> {
    let breaks = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let starts = [0].into_iter().chain(breaks.map(|(at, _)| at + 1));
    let within = starts.filter(|&start| start < bytes.len());
    let mut starts: Vec<usize> = within.chain([bytes.len()]).collect();
    // At least one line, if an empty one.
    if starts.len() == 1 {
        starts.push(starts[0]);
    }
    starts
}

/// Returns the range of the word or number around a random byte.
fn token(bytes: &[u8], rng: &mut impl Rng) -> std::ops::Range<usize> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.+".contains(byte);
    let at = rng.random_range(0..=bytes.len());
    let start = bytes[..at]
        .iter()
        .rposition(|byte| !is_word(byte))
        .map_or(0, |at| at + 1);
    let end = bytes[at..]
        .iter()
        .position(|byte| !is_word(byte))
        .map_or(bytes.len(), |length| at + length);
    start..end
}
