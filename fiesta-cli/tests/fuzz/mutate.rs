//! Mutations of real inputs, which make them worse.

use fiesta::Streams;
use rand::{Rng, RngExt};

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
        match rng.random_range(0..10) {
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
            _ => {
                let token = token(bytes, rng);
                bytes.splice(token, self.word(rng).bytes());
            }
        }
    }

    fn word(&self, rng: &mut impl Rng) -> &'a str {
        self.words[rng.random_range(0..self.words.len())]
    }
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
