//! Tests of `fiesta report`, from the input to the files.

mod hostile;
mod measures;
mod scores;
mod studies;
#[path = "../support/mod.rs"]
mod support;

use std::{fs, path::Path};

fn files(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
