//! Tests of answers to cases whose directory is removed or moved before they come.

use crate::bench::{Bench, eventually, has_python, is_answer};
use fiesta_runner::run::RunDirectory;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::time::Duration;

fn is_refused_elsewhere(remove: impl FnOnce(&Path)) -> Option<Bench> {
    if !has_python() {
        return None;
    }
    let mut bench = Bench::new(|settings| settings.concurrency = 2);
    bench.submit(0, json!({"do": "hang"}));
    eventually("it is asked", || {
        bench.poll(Duration::from_millis(10));
        bench.asked().len() == 1
    });
    // As if its controller had gone: another one finds a directory of the same name and another
    // run.
    bench.restart();
    let path = bench.run(0, 0);
    remove(&path);
    fs::create_dir(&path).unwrap();
    bench.touch("go");
    eventually("the host goes", || bench.hosts().is_empty());
    let left: Vec<_> = fs::read_dir(&path).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    Some(bench)
}

#[test]
fn the_answer_to_a_removed_case_is_not_taken_for_another_s() {
    is_refused_elsewhere(|path| fs::remove_dir_all(path).unwrap());
}

#[test]
fn an_answer_goes_where_its_directory_went() {
    let away = |path: &Path| path.with_extension("away");
    let bench = is_refused_elsewhere(|path| fs::rename(path, away(path)).unwrap());
    if let Some(bench) = bench {
        let end = RunDirectory::new(away(&bench.run(0, 0))).read_end();
        is_answer(&end.unwrap().expect("it is published"));
    }
}
