//! Tests of round trips: an export of a study is read back with all its arms, items and results,
//! whatever their names contain, and counts as existing scores.

use super::{Check, History};
use crate::{ledger::Entry, study::Study};
use fiesta_core::{ArmId, Case, Evaluation, EvaluationId, Outcome};
use fiesta_policies::random_search::Setting;
use fiesta_records::{Evaluations, Format, Reading, legible, read_from, write_csv, write_jsonl};
use rand::{Rng, RngExt, SeedableRng, rngs::ChaCha8Rng};
use serde_json::{Map, json};
use std::{collections::BTreeSet, env, fs};
use tempfile::TempDir;

/// Parts of names that are hard to write to files, for random names in tests.
const PIECES: [&str; 40] = [
    "a",
    "b",
    "q-17",
    "A",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\\",
    "\\n",
    "\\\\",
    "\\u{20}",
    "'",
    "\"",
    ",",
    ";",
    "=",
    "+",
    "-",
    "@",
    "'=",
    "\u{e9}",
    "e\u{301}",
    "\u{a0}",
    "\u{2028}",
    "\u{feff}",
    "\u{0}",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{7}",
    "1",
    "007",
    "1e5",
    "null",
    "true",
    "/",
    "{}",
    "\u{65e5}\u{672c}",
];

fn text(random: &mut impl Rng, most: usize) -> String {
    let count = random.random_range(0..=most);
    (0..count)
        .map(|_| PIECES[random.random_range(0..PIECES.len())])
        .collect()
}

fn names(random: &mut impl Rng, count: usize) -> Vec<String> {
    let mut names = BTreeSet::new();
    while names.len() < count {
        let name = text(random, 5);
        // No argument of a command has a zero byte, and nothing is no name.
        if !name.trim().is_empty() && !name.contains('\0') {
            names.insert(name);
        }
    }
    names.into_iter().collect()
}

/// Adds near copies of names: with a space more, an escaped line break, or doubled spaces.
fn with_twins(names: Vec<String>, random: &mut impl Rng) -> Vec<String> {
    let mut all: BTreeSet<String> = names.iter().cloned().collect();
    for name in names {
        all.insert(match random.random_range(0..5) {
            0 => format!(" {name}"),
            1 => format!("{name} "),
            2 => name.replace('\n', "\\n"),
            3 => legible(&name).into_owned(),
            _ => name.replace(' ', "  "),
        });
    }
    all.into_iter().collect()
}

/// Makes a study of arms and items in a directory, with its own export `recorded` as recorded
/// scores. `None` if such arms are refused, before anything is run.
fn study(place: &TempDir, arms: &[String], items: &[String], recorded: &str) -> Option<Study> {
    let items: Vec<String> = items
        .iter()
        .map(|id| json!({ "id": id }).to_string() + "\n")
        .collect();
    fs::write(place.path().join("items.jsonl"), items.concat()).unwrap();
    let arms: Vec<String> = arms
        .iter()
        .map(|arm| format!("[[arm]]\nname = {}\n", quoted(arm)))
        .collect();
    let path = place.path().join("study.toml");
    let text = format!(
        "name = \"trial\"\ncommand = [\"true\", \"{{arm}}\", \"{{item}}\"]\n[metric]\nname = \"accuracy\"\n\
         [goal]\nbudget = {{ evaluations = 100 }}\n[design]\nitems = \"items.jsonl\"\n{}{recorded}",
        arms.concat()
    );
    fs::write(&path, text).unwrap();
    match Study::read(&path) {
        Ok(study) => Some(study),
        Err(error) => {
            let error = error.to_string();
            let is_of_arms = error.contains("differ in spaces alone") || error.contains("arm");
            assert!(is_of_arms, "{error}");
            None
        }
    }
}

/// Returns a text as a quoted string of TOML.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|character| match character {
            '"' | '\\' => format!("\\{character}"),
            character if character.is_control() => format!("\\u{:04x}", u32::from(character)),
            character => character.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

/// Returns ledger entries in which each arm has answered most of the items.
fn entries(study: &Study, items: usize, random: &mut impl Rng) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut id = 0;
    for arm in 0..study.arms().len() {
        for split in 0..items as u64 {
            let evaluation = Evaluation {
                id: EvaluationId(id),
                arm: ArmId::new(arm),
                case: Case {
                    split,
                    seed: random.random_range(0..u64::MAX >> 1),
                },
            };
            id += 1;
            // Of any size, and any number of digits.
            let score = f64::from_bits(random.random()).abs();
            let score = if score <= 1.0 { score } else { random.random() };
            let outcome = match random.random_range(0..8) {
                0 => Outcome::Failed,
                _ => Outcome::Observed(score.into()),
            };
            let mut extras = Map::new();
            for _ in 0..random.random_range(0..3) {
                let value = match random.random_range(0..3) {
                    0 => json!([text(random, 3)]),
                    1 => json!(random.random::<u64>()),
                    _ => json!(text(random, 4)),
                };
                extras.insert(text(random, 3), value);
            }
            entries.push(Entry::Decided {
                evaluation,
                setting: Setting::default(),
            });
            entries.push(Entry::Ended {
                evaluation: evaluation.id,
                attempt: 0,
                outcome,
                cost: f64::from(random.random_range(0..1000)) / 7.0,
                seconds: 0.1,
                end: None,
                message: None,
                extras,
            });
        }
    }
    entries
}

fn written(records: &Evaluations, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    match format {
        Format::Csv => write_csv(&mut bytes, records),
        _ => write_jsonl(&mut bytes, records),
    }
    .unwrap();
    bytes
}

fn read(bytes: &[u8], format: Format) -> Evaluations {
    let options = Reading {
        metric: Some("score".into()),
        keep_failures: true,
        keep_columns: true,
        ..Reading::default()
    };
    let records = read_from(bytes, Some(format), &options, "own");
    records.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(bytes)))
}

/// Returns the evaluations of an export: arm, item, score and seed of each.
fn said(records: &Evaluations) -> Vec<(String, String, Option<u64>, Option<u64>)> {
    let rows = records.rows().map(|row| {
        (
            row.arm.to_owned(),
            row.item.unwrap_or_default().to_owned(),
            row.score.map(f64::to_bits),
            row.seed,
        )
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort();
    rows
}

fn round_trip(seed: u64) -> bool {
    let random = &mut ChaCha8Rng::seed_from_u64(seed);
    let place = TempDir::new().unwrap();
    let count = random.random_range(1..6);
    let (arms, items) = (names(random, 2), names(random, count));
    // Arms with control characters are refused.
    let arms = arms.iter().map(|arm| arm.replace(char::is_control, "c"));
    let arms: Vec<String> = arms.collect();
    let items = with_twins(items, random);
    let Some(study_of) = study(&place, &arms, &items, "") else {
        return false;
    };
    let entries = entries(&study_of, items.len(), random);
    for entry in &entries {
        assert!(entry.kept().is_ok(), "{entry:?}");
    }
    let history = History::replay(&study_of, entries, Check::Nothing).unwrap();
    let rows = history.rows(&study_of).unwrap().renamed("score").unwrap();
    // As many arms and items as there are, by names that are those of the study.
    assert_eq!(rows.items().len(), items.len(), "{items:?}");
    for (found, names) in [(rows.items(), &items), (rows.arms(), &arms)] {
        let expected: BTreeSet<_> = names
            .iter()
            .map(|name| legible(name).into_owned())
            .collect();
        assert_eq!(found.iter().cloned().collect::<BTreeSet<_>>(), expected);
    }
    let csv = written(&rows, Format::Csv);
    let lines = written(&rows, Format::JsonLines);
    let of_csv = read(&csv, Format::Csv);
    let of_lines = read(&lines, Format::JsonLines);
    for again in [&of_csv, &of_lines] {
        assert_eq!(said(again), said(&rows), "{arms:?} {items:?}");
        assert_eq!(written(again, Format::Csv), csv, "{arms:?} {items:?}");
        assert_eq!(
            written(again, Format::JsonLines),
            lines,
            "{arms:?} {items:?}"
        );
    }
    // As scores that exist already.
    for (file, bytes) in [("own.csv", &csv), ("own.jsonl", &lines)] {
        fs::write(place.path().join(file), bytes).unwrap();
        let table = format!("[[recorded]]\nfile = \"{file}\"\n");
        let study = study(&place, &arms, &items, &table).expect("it was read before");
        let recorded = study.recorded.clone();
        let history = History::replay(&study, recorded, Check::Nothing).unwrap();
        let again = history.rows(&study).unwrap().renamed("score").unwrap();
        assert_eq!(said(&again), said(&rows), "{arms:?} {items:?}");
    }
    true
}

/// Tests that a second export equals the first byte by byte, in `FIESTA_ROUND_TRIPS` round trips.
#[test]
fn exports_come_back_to_the_byte() {
    let count = env::var("FIESTA_ROUND_TRIPS").map_or(300, |count| count.parse().unwrap());
    let made = (0..count).filter(|&seed| round_trip(seed)).count();
    assert!(made as u64 > count / 2, "{made} of {count}");
}
