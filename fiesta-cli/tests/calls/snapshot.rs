//! A call of the program, and the snapshot of its output.

use crate::{
    data,
    support::{Bench, Ran, Running},
};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

/// Texts that differ between two runs of the same call, and their replacements.
const ALWAYS: &[(&str, &str)] = &[
    (r"(FIESTA|fiesta|belief) \d+\.\d+\.\d+", "$1 [version]"),
    (r"(?m)^v\d+\.\d+\.\d+$", "v[version]"),
    // Said of what takes longer than a moment, as it does on a busy machine.
    (
        r"(?m)^simulating studies; fewer --runs take less time\n?",
        "",
    ),
    // The day of a report.
    (r"report, \d{4}-\d\d-\d\d", "report, [day]"),
    (r"<dd>\d{4}-\d\d-\d\d</dd>", "<dd>[day]</dd>"),
];

/// Times and durations of studies that run during the test, and their replacements.
const TIMES: &[(&str, &str)] = &[
    (r"\(\d[\d.]* s\)", "([seconds] s)"),
    (r"after \d[\d.]* s\b", "after [seconds] s"),
    (
        r#""(seconds|duration|started_at)": ?\d[\d.e-]*"#,
        r#""$1":[seconds]"#,
    ),
    // The column `duration` of an exported study.
    (
        r"(?m)^(\d+,[^,\n]+,\d+,\d+,[\d.]*,[\d.]+,)[\d.e-]+",
        "$1[seconds]",
    ),
    // Of `run --check`: a column, and what is said below the table.
    (
        r"(?m)^(\w+ +[\d.]+) +[\d.]+ ( +[\d.]+  sh )",
        "$1  [seconds]$2",
    ),
    (r"evaluation takes [\d.]+ s", "evaluation takes [seconds] s"),
    (r"would take [\d.]+ m?s", "would take [seconds] s"),
];

/// A group of calls, whose snapshots are in a directory of their own.
pub(crate) struct Group {
    name: &'static str,
    pub(crate) bench: Bench,
    filters: Vec<(&'static str, &'static str)>,
    made: BTreeSet<String>,
    differing: Vec<String>,
}

impl Group {
    /// Returns a group of calls in a directory with all small inputs.
    pub(crate) fn new(name: &'static str) -> Self {
        let bench = Bench::new();
        data::copy(&bench);
        Self::within(name, bench)
    }

    pub(crate) fn within(name: &'static str, bench: Bench) -> Self {
        Self {
            name,
            bench,
            filters: ALWAYS.to_vec(),
            made: BTreeSet::new(),
            differing: Vec::new(),
        }
    }

    /// Replaces times and durations as well, for calls that print how long something just took.
    pub(crate) fn timed(mut self) -> Self {
        self.filters.extend(TIMES);
        self
    }

    /// Makes the calls of a table: in each line the name of a snapshot, and the words after
    /// `fiesta`.
    pub(crate) fn calls(&mut self, table: &str) {
        for (name, call) in lines(table) {
            self.call(name, call);
        }
    }

    /// Makes each call of a table as text and, for a snapshot with `-json` after its name, as JSON.
    pub(crate) fn both(&mut self, table: &str) {
        for (name, call) in lines(table) {
            self.call(name, call);
            let as_json = match call.split_once(" < ") {
                Some((call, input)) => format!("{call} --format json < {input}"),
                None => format!("{call} --format json"),
            };
            self.call(&format!("{name}-json"), &as_json);
        }
    }

    /// Makes a call, whose words are separated by spaces. ` < ` precedes a file for the standard
    /// input.
    pub(crate) fn call(&mut self, name: &str, call: &str) {
        let Ran {
            code,
            stdout,
            stderr,
        } = self.make(call);
        let code = code.map_or("none".to_owned(), |code| code.to_string());
        let (stdout, stderr) = (laid_out(&stdout), laid_out(&stderr));
        let shown = format!(
            "$ fiesta {call}\nexit code {code}\n--- stdout\n{stdout}\n--- stderr\n{stderr}"
        );
        self.text(name, &shown);
    }

    fn make(&self, call: &str) -> Ran {
        let (call, input) = match call.split_once(" < ") {
            Some((call, input)) => (call, Some(input)),
            None => (call, None),
        };
        let words: Vec<&str> = call.split_whitespace().collect();
        let mut command = self.bench.command(&words);
        // What would change the width or the colour of what is printed.
        for name in ["COLUMNS", "LINES", "CLICOLOR_FORCE", "NO_COLOR"] {
            command.env_remove(name);
        }
        if let Some(input) = input {
            command.stdin(File::open(self.bench.path(input)).unwrap());
        }
        Running::start(command).wait()
    }

    /// Compares a text with its snapshot. A difference is reported at the end, after all other
    /// calls.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        assert!(self.made.insert(name.to_owned()), "{name} twice");
        let directory = fs::canonicalize(self.bench.path(".")).unwrap();
        let text = text.replace(directory.to_str().unwrap(), "[directory]");
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path(Path::new("snapshots").join(self.name));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        for (pattern, replacement) in &self.filters {
            settings.add_filter(pattern, *replacement);
        }
        let same = catch_unwind(AssertUnwindSafe(|| {
            settings.bind(|| insta::assert_snapshot!(name, text));
        }));
        if same.is_err() {
            self.differing.push(name.to_owned());
        }
    }

    /// Fails if a snapshot differs, or belongs to no call.
    pub(crate) fn end(self) {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls/snapshots");
        for file in fs::read_dir(directory.join(self.name)).unwrap() {
            let file = file.unwrap().file_name().into_string().unwrap();
            if let Some(name) = file.strip_suffix(".snap") {
                assert!(
                    self.made.contains(name),
                    "{}/{file} is of no call",
                    self.name
                );
            }
        }
        assert!(
            self.differing.is_empty(),
            "{} prints something else than before: {}",
            self.name,
            self.differing.join(", ")
        );
    }
}

/// Returns the name and the words of each call of a table.
pub(crate) fn lines(table: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = table.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| match line.split_once(' ') {
        Some((name, call)) => (name, call.trim()),
        None => (line, ""),
    })
}

/// Returns JSON of one line with each key on a line of its own, and other text unchanged. Only
/// white space is added.
fn laid_out(text: &str) -> String {
    let is_json = text.lines().all(|line| line.starts_with('{'));
    if is_json {
        text.split_inclusive('\n').map(keys_on_lines).collect()
    } else {
        text.to_owned()
    }
}

fn keys_on_lines(line: &str) -> String {
    let (mut shown, mut open) = (String::new(), Vec::new());
    let (mut quoted, mut escaped) = (false, false);
    for character in line.chars() {
        if quoted {
            quoted = escaped || character != '"';
            escaped = !escaped && character == '\\';
            shown.push(character);
            continue;
        }
        if let '}' | ']' = character {
            open.pop();
        }
        shown.push(character);
        match character {
            '"' => quoted = true,
            '{' | '[' => open.push(character),
            _ => {}
        }
        let starts_key = character == '{' || character == ',' && open.last() == Some(&'{');
        if starts_key {
            shown.push('\n');
            shown.push_str(&"  ".repeat(open.len()));
        }
    }
    shown
}
