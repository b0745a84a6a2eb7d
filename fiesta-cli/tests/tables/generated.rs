//! Generated tables: 600, with headers of many tools, drawn with a fixed seed, each with the truth about it.

use std::collections::{BTreeMap, HashSet};

/// The 400 words for headers of tables, each with its kind.
const HEADERS: &str = include_str!("headers.tsv");

/// Number of generated tables.
pub(crate) const TABLES: u64 = 600;

/// A generated table, with the truth about it.
pub(crate) struct Generated {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) truth: Truth,
}

/// Right outcome of reading a generated table.
pub(crate) enum Truth {
    /// The table has no systems with several evaluations each. The user may name these columns as
    /// columns of arms.
    NoSystems { may_be_arms: Vec<String> },
    /// The table compares systems by several evaluations each.
    Systems {
        best: String,
        /// The number of scores of each system.
        scores: BTreeMap<String, u64>,
        /// Whether a column says which scores were made on the same case.
        paired: bool,
    },
}

/// Random number generator SplitMix64.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn among(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// Returns a random number from 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len() as u64) as usize]
    }
}

/// Columns of a generated table while it is being made.
struct Sheet {
    draws: Draws,
    header: Vec<String>,
    columns: Vec<Vec<String>>,
    used: HashSet<String>,
}

impl Sheet {
    fn of(number: u64) -> Self {
        Self {
            draws: Draws(20_261_125 + 1_000_003 * number),
            header: Vec::new(),
            columns: Vec::new(),
            used: HashSet::new(),
        }
    }

    /// Returns a header word of this kind that the table does not have yet.
    fn word(&mut self, kind: &str) -> String {
        let words = HEADERS.lines().filter_map(|line| line.split_once('\t'));
        let words: Vec<&str> = words
            .filter(|(of, _)| *of == kind)
            .map(|(_, word)| word)
            .collect();
        loop {
            let word = self.draws.one_of(&words);
            if self.used.insert(word.to_lowercase()) {
                return word.to_owned();
            }
        }
    }

    fn add(&mut self, name: String, values: Vec<String>) {
        self.header.push(name);
        self.columns.push(values);
    }

    /// Adds a column of this kind with usual values.
    fn column(&mut self, kind: &str, rows: usize) -> String {
        let name = self.word(kind);
        let level = self.draws.unit();
        let start = self.draws.below(3);
        let every = [1, 1, 10, 500][self.draws.below(4) as usize];
        let values = (0..rows).map(|row| {
            let part = (row as f64 + 1.0) / rows as f64;
            let noise = self.draws.unit();
            match kind {
                "step" => (start + every * row as u64).to_string(),
                "metric" => format!("{:.4}", 0.4 + 0.3 * level + 0.2 * part + 0.02 * noise),
                "loss" => format!("{:.4}", 1.6 - 0.8 * part + 0.1 * noise - 0.5 * level),
                "summary" => format!("{:.4}", 0.01 + 0.8 * level + 0.05 * noise),
                "time" if level < 0.3 => {
                    format!("2026-11-{:02}T10:{:02}:00", 1 + row % 28, row % 60)
                }
                "time" => format!("{:.2}", 3.0 + 50.0 * noise),
                "count" => self.draws.among(100, 90_000).to_string(),
                "id" if level < 0.5 => format!("run-{}", row + 1),
                "id" => (row + 1).to_string(),
                "note" => ["ok", "first try", "finished", ""][row % (1 + (level * 4.0) as usize)]
                    .to_owned(),
                "setting" if level < 0.3 => {
                    ["0.1", "0.01", "0.001"][self.draws.below(3) as usize].to_owned()
                }
                "setting" if level < 0.7 => {
                    ["16", "32", "64", "128"][self.draws.below(4) as usize].to_owned()
                }
                "setting" => ["1", "2", "3"][self.draws.below(3) as usize].to_owned(),
                "item" => format!("q{}", row + 1),
                "dataset" => {
                    ["pears", "plums", "figs", "kiwis", "limes", "dates"][row % 6].to_owned()
                        + &"2".repeat(row / 6)
                }
                "split" | "seed" => row.to_string(),
                other => unreachable!("no column of {other}"),
            }
        });
        let values = values.collect();
        self.add(name.clone(), values);
        name
    }

    fn text(&mut self) -> String {
        let separator = [",", ",", ",", ";", "\t"][self.draws.below(5) as usize];
        let quoted = |cell: &String| {
            if cell.contains([',', ';', '"']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.clone()
            }
        };
        let line = |cells: Vec<&String>| {
            cells
                .into_iter()
                .map(quoted)
                .collect::<Vec<_>>()
                .join(separator)
        };
        let mut text = line(self.header.iter().collect()) + "\n";
        for row in 0..self.columns[0].len() {
            text += &(line(self.columns.iter().map(|column| &column[row]).collect()) + "\n");
        }
        text
    }
}

/// Returns the generated table with this number.
pub(crate) fn table(number: u64) -> Generated {
    let mut sheet = Sheet::of(number);
    let (family, truth) = if number.is_multiple_of(3) {
        systems(&mut sheet, number / 3 % 5)
    } else {
        no_systems(&mut sheet, (number / 3 * 2 + number % 3 - 1) % 8)
    };
    Generated {
        name: format!("{number:03}-{family}.csv"),
        text: sheet.text(),
        truth,
    }
}

/// Adds the columns of a table that compares nothing by several evaluations.
fn no_systems(sheet: &mut Sheet, family: u64) -> (&'static str, Truth) {
    let rows = sheet.draws.among(6, 20) as usize;
    let mut may_be_arms = Vec::new();
    let several = |sheet: &mut Sheet, kinds: &[&str], low, high| {
        for _ in 0..sheet.draws.among(low, high) {
            let kind = sheet.draws.one_of(kinds);
            sheet.column(kind, rows);
        }
    };
    let family = match family {
        0 => {
            sheet.column("step", rows);
            several(sheet, &["time"], 0, 1);
            several(sheet, &["metric", "loss"], 2, 4);
            several(sheet, &["setting"], 0, 1);
            "training"
        }
        1 => {
            several(sheet, &["id"], 0, 1);
            for _ in 0..sheet.draws.among(2, 4) {
                may_be_arms.push(sheet.column("setting", rows));
            }
            several(sheet, &["metric", "loss"], 1, 2);
            "grid"
        }
        2 => {
            sheet.column("step", rows);
            let run = sheet.word("id");
            for _ in 0..sheet.draws.among(1, 2) {
                let metric = sheet.word("metric");
                for end in ["", "__MIN", "__MAX"] {
                    let values = (0..rows).map(|row| format!("{:.3}", 0.3 + 0.02 * row as f64));
                    let values = values.collect();
                    sheet.add(format!("{run}-7 - {metric}{end}"), values);
                }
            }
            "chart"
        }
        3 => {
            let kind = sheet.draws.one_of(&["dataset", "split", "item"]);
            sheet.column(kind, rows);
            several(sheet, &["metric", "metric", "loss", "count"], 2, 4);
            "metrics-of-one"
        }
        4 => {
            let kind = sheet.draws.one_of(&["dataset", "setting"]);
            sheet.column(kind, rows);
            several(sheet, &["summary"], 2, 5);
            "summary"
        }
        5 => {
            sheet.column("id", rows);
            several(sheet, &["time"], 1, 2);
            several(sheet, &["count"], 0, 2);
            sheet.column("metric", rows);
            several(sheet, &["note"], 1, 1);
            "runs"
        }
        6 => {
            sheet.column("item", rows);
            several(sheet, &["count", "time"], 1, 2);
            several(sheet, &["metric"], 1, 1);
            "answers-of-one"
        }
        _ => {
            let arm = sheet.word("arm");
            let systems = (0..rows).map(|_| sheet.word("system")).collect();
            sheet.add(arm, systems);
            several(sheet, &["metric", "loss"], 1, 3);
            several(sheet, &["count", "summary"], 0, 2);
            "leaderboard"
        }
    };
    (family, Truth::NoSystems { may_be_arms })
}

/// Adds the columns of a table that compares systems, the best of which is far ahead.
fn systems(sheet: &mut Sheet, family: u64) -> (&'static str, Truth) {
    let names: Vec<String> = (0..sheet.draws.among(2, 5))
        .map(|_| sheet.word("system"))
        .collect();
    let rows = sheet.draws.among(6, 12) as usize;
    let best = sheet.draws.below(names.len() as u64) as usize;
    let scale = [1.0, 1.0, 100.0][sheet.draws.below(3) as usize];
    // Systems differ by .1, cases by .1, and the noise is .01.
    let score = |draws: &mut Draws, system: usize, case: usize| {
        let behind = if system == best {
            0.0
        } else {
            0.1 + 0.05 * system as f64
        };
        0.85 - behind - 0.1 * ((case * 7) % 11) as f64 / 11.0 + 0.01 * draws.unit()
    };
    let digits = if scale > 1.0 { 2 } else { 4 };
    let scores = |count: usize| {
        names
            .iter()
            .map(|name| (name.clone(), count as u64))
            .collect()
    };
    let (family, count, paired) = match family {
        0 | 1 => {
            let has_key = family == 0;
            let mut paired = false;
            if has_key {
                let kind = sheet.draws.one_of(&["dataset", "item", "split", "seed"]);
                paired = kind != "seed";
                sheet.column(kind, rows);
            }
            for (system, name) in names.iter().enumerate() {
                let scored =
                    |row| format!("{:.digits$}", scale * score(&mut sheet.draws, system, row));
                let values = (0..rows).map(scored).collect();
                sheet.add(name.clone(), values);
            }
            (
                if has_key { "wide" } else { "wide-without-key" },
                rows,
                paired,
            )
        }
        _ => {
            let kinds: &[&str] = match family {
                2 => [&["split"][..], &["split", "seed"], &["seed"]][sheet.draws.below(3) as usize],
                3 => [&["dataset"][..], &["item"], &["dataset", "seed"]]
                    [sheet.draws.below(3) as usize],
                _ => &["seed"],
            };
            let is_loss = sheet.draws.below(3) == 0;
            let arm = sheet.word("arm");
            let keys: Vec<String> = kinds.iter().map(|kind| sheet.word(kind)).collect();
            let metric = sheet.word(if is_loss { "loss" } else { "metric" });
            let second = (family == 4).then(|| sheet.word("metric"));
            let setting = (family == 4).then(|| sheet.word("setting"));
            let time = (sheet.draws.below(3) == 0).then(|| sheet.word("time"));
            // Of two keys, the second one counts repeats.
            let repeats = kinds.len();
            let mut cells: Vec<Vec<String>> = Vec::new();
            for case in 0..rows {
                for repeat in 0..repeats {
                    for (system, name) in names.iter().enumerate() {
                        let good = score(&mut sheet.draws, system, case);
                        let scored = if is_loss { 1.0 - good } else { good };
                        let mut row = vec![name.clone()];
                        for (place, kind) in kinds.iter().enumerate() {
                            row.push(match (place, *kind) {
                                (0, "dataset") => {
                                    ["pears", "plums", "figs", "kiwis", "limes", "dates"][case % 6]
                                        .to_owned()
                                        + &"2".repeat(case / 6)
                                }
                                (0, "item") => format!("q{}", case + 1),
                                (0, _) => case.to_string(),
                                _ => repeat.to_string(),
                            });
                        }
                        row.push(format!("{:.digits$}", scale * scored));
                        row.extend(second.iter().map(|_| format!("{good:.4}")));
                        row.extend(setting.iter().map(|_| (16 << system).to_string()));
                        row.extend(
                            time.iter()
                                .map(|_| format!("{:.2}", 3.0 + 50.0 * sheet.draws.unit())),
                        );
                        cells.push(row);
                    }
                }
            }
            let header = [arm]
                .into_iter()
                .chain(keys)
                .chain([metric])
                .chain(second)
                .chain(setting)
                .chain(time);
            for (place, name) in header.enumerate() {
                let values = cells.iter().map(|row| row[place].clone()).collect();
                sheet.add(name, values);
            }
            let paired = kinds.iter().any(|kind| *kind != "seed");
            ("long", rows * repeats, paired)
        }
    };
    let best = names[best].clone();
    (
        family,
        Truth::Systems {
            best,
            scores: scores(count),
            paired,
        },
    )
}
