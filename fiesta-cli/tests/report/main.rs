//! `fiesta report`, from the input to the files.

mod hostile;
mod scores;
mod studies;
#[path = "../support/mod.rs"]
mod support;

use std::{fs, path::Path};
use support::{Bench, code};

/// The report on a file, which must succeed: what it printed, and its page.
fn report(bench: &Bench, arguments: &[&str]) -> (String, String) {
    let ran = bench.fiesta(&[&["report"], arguments, &["-o", "out", "--formats", "svg"]].concat());
    assert_eq!(ran.code, Some(code::DONE), "{ran:?}");
    assert!(!ran.stderr.contains("panicked"), "{ran:?}");
    let page = bench.text("out/report.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
    (ran.stdout, page)
}

fn files(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
