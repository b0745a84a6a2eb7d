//! Bench of the end-to-end tests: a directory with a study in it, in which the program is run.

#![allow(
    dead_code,
    unused_imports,
    reason = "every test program uses another part"
)]

#[path = "../../../tests/skipped/mod.rs"]
mod skipped;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
pub(crate) use skipped::{skipped, skipped_on_this_machine};
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Exit codes of the program, which are part of its interface.
pub(crate) mod code {
    pub(crate) const DONE: i32 = 0;
    pub(crate) const USAGE: i32 = 2;
    pub(crate) const SHORT: i32 = 3;
    pub(crate) const INTERRUPTED: i32 = 4;
    pub(crate) const ARM_FAILED: i32 = 5;
    pub(crate) const LOCKED: i32 = 6;
    pub(crate) const CHANGED: i32 = 7;
    pub(crate) const BLOCKED: i32 = 8;
}

/// Time after which a run of the program is taken to hang.
const HANGS: Duration = Duration::from_mins(1);
/// Interval at which an awaited condition is checked.
const LOOK: Duration = Duration::from_millis(5);

/// Job `sh score.sh ARM SPLIT SEED`, whose score depends on its arm and, less, on its seed.
pub(crate) const SCORE: &str = r#"
case $1 in
  high) base=700 ;;
  mid) base=650 ;;
  *) base=600 ;;
esac
printf '{"accuracy": 0.%03d}\n' $((base + $3 % 40))
"#;

/// A study of `low` and `high` with [`SCORE`]; cases of bad input change a line of it.
pub(crate) const STUDY: &str = r#"name = "trial"
command = ["sh", "score.sh", "{arm}", "{split}", "{seed}"]

[metric]
name = "accuracy"
direction = "maximize"
bounds = [0.0, 1.0]

[goal]
confidence = 0.95
budget = { evaluations = 40 }

[design]
splits = "shared"
policy = "ttts"
posterior = "pooled"
stopping = "posterior"
parallel = 2
seed = 1

[resources]
timeout = "1m"

[executor]
kind = "local"

[[arm]]
name = "low"

[[arm]]
name = "high"
"#;

/// A directory with the files of a test.
pub(crate) struct Bench {
    directory: TempDir,
}

/// Result of a run of the program: its exit code and its output.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let directory = tempfile::Builder::new()
            .prefix("fiesta-")
            .tempdir()
            .unwrap();
        Self { directory }
    }

    /// Makes a bench with `study.toml` and its job `score.sh`.
    pub(crate) fn with_study(study: &str) -> Self {
        let bench = Self::new();
        bench.file("score.sh", SCORE);
        bench.file("study.toml", study);
        bench
    }

    /// Makes a bench with the job `job.sh`, which gets arm, split and seed; `rest` is the study
    /// file without its name and metric, `accuracy`.
    pub(crate) fn with_job(job: &str, rest: &str) -> Self {
        let bench = Self::new();
        bench.file("job.sh", job);
        bench.file(
            "study.toml",
            &format!(
                "name = \"trial\"\ncommand = [\"sh\", \"job.sh\", \"{{arm}}\", \"{{split}}\", \"{{seed}}\"]\n{rest}\n[metric]\nname = \"accuracy\"\n"
            ),
        );
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Returns the words of each line of a file.
    pub(crate) fn log(&self, name: &str) -> Vec<Vec<String>> {
        let words = |line: &str| line.split_whitespace().map(ToOwned::to_owned).collect();
        self.text(name).lines().map(words).collect()
    }

    /// Replaces a text in a file, in which it must occur exactly once.
    pub(crate) fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.text(name);
        assert_eq!(text.matches(from).count(), 1, "{from} in {text}");
        self.file(name, &text.replace(from, to));
    }

    /// Returns a command for the program with these arguments, in the directory of the bench.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        // Tests may run under `nohup` or in the background of a script, which ignore signals.
        fiesta::runner::signal::ignore_alone();
        // `scripts/calls-cost` puts another in its place.
        let program = std::env::var_os("FIESTA_PROGRAM");
        let program = program.unwrap_or_else(|| env!("CARGO_BIN_EXE_fiesta").into());
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .env_remove("CUDA_VISIBLE_DEVICES")
            .stdin(Stdio::null());
        command
    }

    /// Runs the program to its end, and tries each command line that it proposes.
    #[track_caller]
    pub(crate) fn fiesta(&self, arguments: &[&str]) -> Ran {
        let ran = self.start(arguments).wait();
        let lines = ran.stderr.lines();
        for proposed in lines.filter_map(|line| line.strip_prefix("try: fiesta ")) {
            self.paste(proposed, &ran);
        }
        ran
    }

    /// Runs a command line that the program proposed after a failure: it must end without an error,
    /// or with another one.
    #[track_caller]
    fn paste(&self, proposed: &str, before: &Ran) {
        let only_reads = ["belief ", "curve ", "compare ", "plan ", "export "];
        if !only_reads.iter().any(|verb| proposed.starts_with(verb)) {
            return;
        }
        let mut shell = Command::new("sh");
        shell.arg("-c");
        shell.arg(format!("exec {} {proposed}", env!("CARGO_BIN_EXE_fiesta")));
        shell
            .current_dir(self.directory.path())
            .stdin(Stdio::null());
        let ran = shell.output().unwrap();
        let told = String::from_utf8_lossy(&ran.stderr);
        let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        let leads_on = match ran.status.code() {
            Some(code::DONE) => true,
            Some(code::USAGE) => first(&told) != first(&before.stderr),
            _ => false,
        };
        assert!(
            leads_on,
            "fiesta {proposed}: {told}\nproposed in {before:#?}"
        );
    }

    /// Runs the program with `--format json`, and checks that it prints exactly one document.
    pub(crate) fn json(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let ran = self.fiesta(&[arguments, &["--format", "json"]].concat());
        (ran.code, ran.json())
    }

    /// Runs `fiesta report` into the directory `out`, and checks that it succeeds. Returns its output and its page.
    #[track_caller]
    pub(crate) fn report(&self, arguments: &[&str]) -> (String, String) {
        let ran =
            self.fiesta(&[&["report"], arguments, &["-o", "out", "--formats", "svg"]].concat());
        assert_eq!(ran.code, Some(code::DONE), "{ran:#?}");
        assert!(!ran.stderr.contains("panicked"), "{ran:#?}");
        let page = self.text("out/report.html");
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
        (ran.stdout, page)
    }

    /// Returns the arm that the study named, and all evaluations in order: arm, split, seed, score.
    pub(crate) fn decisions(&self) -> (Value, Vec<[Value; 4]>) {
        self.decisions_of("study.toml")
    }

    /// Returns the same as [`decisions`](Self::decisions) for the study in this file.
    pub(crate) fn decisions_of(&self, study: &str) -> (Value, Vec<[Value; 4]>) {
        let (_, status) = self.json(&["status", study]);
        let rows = self.fiesta(&["export", study, "--format", "jsonl"]);
        let row = |line: &str| {
            let row: Value = serde_json::from_str(line).unwrap();
            ["arm", "split", "seed", "score"].map(|key| row[key].clone())
        };
        let rows = rows.stdout.lines().map(row).collect();
        (status["conclusion"]["arm"].clone(), rows)
    }

    /// Returns whether the study has a copy of the program for an engine's machines.
    pub(crate) fn copies_program(&self) -> bool {
        let files = fs::read_dir(self.path("study.fiesta")).unwrap().flatten();
        let mut names = files.filter_map(|file| file.file_name().into_string().ok());
        names.any(|name| name.starts_with("fiesta-"))
    }

    /// Starts the program with these arguments.
    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        Running::start(self.command(arguments))
    }
}

/// The program while it runs; killed if the test ends first.
pub(crate) struct Running {
    child: Child,
    output: TempDir,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        // Into files: a pipe that nobody empties would stop the program.
        let output = tempfile::tempdir().unwrap();
        let file = |name: &str| File::create(output.path().join(name)).unwrap();
        let child = command
            .stdout(file("stdout"))
            .stderr(file("stderr"))
            .spawn()
            .unwrap();
        Self { child, output }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().cast_signed()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    fn printed(&self, name: &str) -> String {
        fs::read_to_string(self.output.path().join(name)).unwrap()
    }

    pub(crate) fn stdout(&self) -> String {
        self.printed("stdout")
    }

    pub(crate) fn stderr(&self) -> String {
        self.printed("stderr")
    }

    pub(crate) fn wait(self) -> Ran {
        self.wait_for(HANGS)
    }

    /// Waits for the program's end, at most for `limit`.
    pub(crate) fn wait_for(mut self, limit: Duration) -> Ran {
        let child = &mut self.child;
        let mut status = None;
        let ended = within(limit, || {
            status = child.try_wait().unwrap();
            status.is_some()
        });
        assert!(
            ended,
            "hangs; {} {}",
            self.printed("stdout"),
            self.printed("stderr")
        );
        Ran {
            code: status.and_then(|status| status.code()),
            stdout: self.printed("stdout"),
            stderr: self.printed("stderr"),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended, unless the test failed.
        if thread::panicking() && self.output.path().exists() {
            eprintln!("it had printed:\n{}{}", self.stdout(), self.stderr());
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ran {
    /// Checks the exit code, and that the standard error contains all of these words.
    #[track_caller]
    pub(crate) fn says(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:#?}");
        for word in words {
            assert!(
                self.stderr.contains(word),
                "`{word}` is missing in {self:#?}"
            );
        }
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
    }

    /// Checks the exit code, and that each of these words is on one of the two streams.
    #[track_caller]
    pub(crate) fn tells(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:#?}");
        for word in words {
            let is_there = self.stderr.contains(word) || self.stdout.contains(word);
            assert!(is_there, "`{word}` is missing in {self:#?}");
        }
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
    }

    /// Returns the single JSON document on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("not one JSON document: {error}: {self:#?}"))
    }
}

/// Waits until the condition holds, at most for `limit`; returns whether it does.
pub(crate) fn within(limit: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    loop {
        if is_so() {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        thread::sleep(LOOK);
    }
}

/// Waits until the condition holds, and fails if it does not hold soon.
#[track_caller]
pub(crate) fn until(what: &str, is_so: impl FnMut() -> bool) {
    assert!(within(Duration::from_secs(20), is_so), "never: {what}");
}

/// Returns whether a process runs; zombies do not.
pub(crate) fn is_alive(pid: &str) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    status.is_ok_and(|status| {
        let state = status
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.chars().next());
        state.is_some_and(|state| state != 'Z')
    })
}

/// Returns the path of Python 3 itself, as a wrapper script may take longer than a controller
/// lives. `None`, with a message, if there is none.
pub(crate) fn python() -> Option<String> {
    let found = Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output();
    match found {
        Ok(output) if output.status.success() => {
            Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
        }
        _ => {
            skipped("python3 is missing");
            None
        }
    }
}

/// Returns how many kills a test makes: `FIESTA_TORTURE_KILLS`, or else `default`.
pub(crate) fn kills(default: u64) -> u64 {
    let value = std::env::var("FIESTA_TORTURE_KILLS").ok();
    value
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

/// Returns an arm's entry of a JSON document with the list `arms`.
#[track_caller]
pub(crate) fn arm<'a>(document: &'a Value, name: &str) -> &'a Value {
    let arms = document["arms"].as_array().unwrap();
    arms.iter()
        .find(|arm| arm["name"] == name)
        .unwrap_or_else(|| panic!("no {name} in {document}"))
}

#[track_caller]
pub(crate) fn assert_close(found: &Value, expected: f64, tolerance: f64) {
    let found = found
        .as_f64()
        .unwrap_or_else(|| panic!("{found} is no number"));
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} is not {expected} ± {tolerance}"
    );
}
