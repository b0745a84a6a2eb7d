//! The program in a directory of its own, as the experiments' tests run it.

#![allow(dead_code, reason = "every test program uses another part")]

use serde_json::Value;
use std::{
    path::PathBuf,
    process::{Command, Stdio},
};
use tempfile::TempDir;

/// A directory with the files of a test.
pub(crate) struct Bench {
    directory: TempDir,
}

/// Exit code and output of a run of the program.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn file(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_experiments"))
            .args(arguments)
            .current_dir(self.directory.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// Checks that the program ended well, and that the standard output has all of these words.
    #[track_caller]
    pub(crate) fn shows(&self, words: &[&str]) {
        assert_eq!(self.code, Some(0), "{self:#?}");
        for word in words {
            assert!(
                self.stdout.contains(word),
                "`{word}` is missing in {self:#?}"
            );
        }
    }

    /// Checks that the program refused the call, with all of these words.
    #[track_caller]
    pub(crate) fn refuses(&self, words: &[&str]) {
        assert_eq!(self.code, Some(2), "{self:#?}");
        for word in words {
            assert!(
                self.stderr.contains(word),
                "`{word}` is missing in {self:#?}"
            );
        }
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
    }
}

/// Runs the program, and returns the one JSON document that it prints.
#[track_caller]
pub(crate) fn json(arguments: &[&str]) -> Value {
    let ran = Bench::new().run(&[arguments, &["--format", "json"]].concat());
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:#?}"))
}

/// Returns the elements of a JSON array.
#[track_caller]
pub(crate) fn list(value: &Value) -> &[Value] {
    value
        .as_array()
        .unwrap_or_else(|| panic!("{value} is no list"))
}

/// Returns a JSON value as the number that it must be.
#[track_caller]
pub(crate) fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}
