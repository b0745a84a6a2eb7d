//! Kinds of executors that a program adds: their keys in study files, and what is opened for them.

use fiesta_runner::{
    Study,
    executor::{EngineKeys, EngineKind, Executor, ExecutorError, Local, Site, WrongKey},
    executor_for, preview,
    run::RunSpec,
    study::StudyError,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{collections::BTreeMap, fs};
use tempfile::TempDir;

/// Engine for these tests, with one key and one table of keys.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Queue {
    priority: Option<u32>,
    labels: Option<BTreeMap<String, String>>,
}

impl EngineKeys for Queue {
    fn check(&self) -> Result<(), WrongKey> {
        match self.priority {
            Some(10..) => Err(WrongKey::new(&["priority"], "the highest priority is 9")),
            _ => Ok(()),
        }
    }

    fn open(&self, site: &Site) -> Result<Box<dyn Executor>, ExecutorError> {
        if self.priority == Some(0) {
            let words = format!("nothing is at {}", site.batches().display());
            let name = "the queue";
            return Err(ExecutorError::Engine { name, words });
        }
        Ok(Box::new(Local::with_supervisor(
            site.program(Some("supervise")),
        )))
    }

    fn preview(&self, runs: &[RunSpec], _: &Site) -> Result<Vec<String>, ExecutorError> {
        let lines = runs.iter().map(|run| format!("enqueue {}", run.id));
        Ok(lines.collect())
    }
}

/// Second engine for these tests, with another key.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Farm {
    rack: Option<String>,
}

impl EngineKeys for Farm {
    fn check(&self) -> Result<(), WrongKey> {
        Ok(())
    }

    fn open(&self, _: &Site) -> Result<Box<dyn Executor>, ExecutorError> {
        unreachable!("no test opens it")
    }
}

static KINDS: &[EngineKind] = &[
    EngineKind::new::<Queue>("queue", "the queue", &["priority", "labels"])
        .with_tables(&[("labels", "{ team = \"nlp\" }")]),
    EngineKind::new::<Farm>("farm", "the farm", &["rack"]),
];

/// Makes a study with this table `[executor]`, whose first line is line 7 of the file.
fn study(place: &TempDir, executor: &str) -> Result<Study, StudyError> {
    let head = "name = \"x\"\ncommand = [\"true\", \"{arm}\"]\nmetric.name = \"accuracy\"\narm = [{ name = \"a\" }, { name = \"b\" }]\ngoal.confidence = 0.9\n";
    let path = place.path().join("study.toml");
    fs::write(&path, format!("{head}[executor]\n{executor}\n")).unwrap();
    Study::read_with(&path, KINDS)
}

/// Checks that a study with this table is refused in this line, for this reason.
#[track_caller]
fn refuse(executor: &str, line: usize, says: &str) {
    let place = TempDir::new().unwrap();
    let error = study(&place, executor).unwrap_err().to_string();
    assert!(
        error.contains(&format!("study.toml:{line}: {says}")),
        "{error}"
    );
}

#[test]
fn mistakes_below_executor() {
    refuse(
        "kind = \"queu\"",
        7,
        "there is no executor `queu`, did you mean queue? (known: local, queue, farm, functions; ",
    );
    refuse(
        "kind = \"queue\"\npriorty = 1",
        8,
        "unknown key `priorty`; did you mean `priority`? (known here: priority, labels)",
    );
    refuse(
        "kind = \"queue\"\npriority = \"1\"",
        8,
        "\"1\" is a text: write 1, without quotes",
    );
    refuse(
        "kind = \"queue\"\nlabels = [\"nlp\"]",
        8,
        "labels is a table: write for example labels = { team = \"nlp\" }",
    );
    refuse(
        "kind = \"queue\"\npriority = 10",
        8,
        "the highest priority is 9",
    );
    refuse(
        "kind = \"queue\"\ngpus = [0]",
        8,
        "`gpus` is about this machine, and queue carries out the jobs",
    );
    refuse(
        "kind = \"functions\"\nrack = \"a\"",
        8,
        "`rack` is about processes, and the arms of this study are functions of the program that runs it: leave it out",
    );
    refuse(
        "kind = \"queue\"\nrack = \"a\"",
        8,
        "`rack` says nothing to queue: leave it out (it is for farm; queue knows priority, labels)",
    );
    refuse(
        "rack = \"a\"",
        7,
        "`rack` is for an engine, and these jobs run on this machine: leave it out, or name the engine, such as kind = \"farm\"",
    );
    refuse(
        "xyz = \"a\"",
        7,
        "unknown key `xyz` (known here: kind, gpus, watch_gpus)",
    );
}

/// Tests that a misspelt `kind` is the only mistake that is reported.
#[test]
fn a_kind_whose_name_is_misspelt() {
    refuse(
        "knid = \"queue\"\npriority = 1",
        7,
        "unknown key `knid`; did you mean `kind`? (known here: kind, gpus, watch_gpus)",
    );
}

#[test]
fn what_is_given_is_recorded() {
    let place = TempDir::new().unwrap();
    let queued = study(&place, "kind = \"queue\"\npriority = 3").unwrap();
    assert_eq!(
        queued.fingerprint["executor"],
        json!({ "kind": "queue", "gpus": null, "priority": 3 })
    );
    let local = study(&place, "").unwrap();
    assert_eq!(
        local.fingerprint["executor"],
        json!({ "kind": null, "gpus": null })
    );
}

#[test]
fn what_the_kind_opens_carries_out_the_runs() {
    let place = TempDir::new().unwrap();
    let queued = study(&place, "kind = \"queue\"").unwrap();
    assert!(executor_for(&queued).is_ok());
    let shown = preview(&queued).unwrap().submissions;
    assert!(
        !shown.is_empty() && shown.iter().all(|line| line.starts_with("enqueue x-")),
        "{shown:?}"
    );
    let empty = study(&place, "kind = \"queue\"\npriority = 0").unwrap();
    let error = executor_for(&empty).err().unwrap().to_string();
    assert!(
        error.contains("the queue cannot be asked: nothing is at /"),
        "{error}"
    );
    assert!(error.ends_with("study.fiesta/batches"), "{error}");
}

/// Tests that keys of a kind of engine are refused by a program that lacks the kind.
#[test]
fn a_program_without_the_kind() {
    let place = TempDir::new().unwrap();
    study(&place, "kind = \"queue\"").unwrap();
    let error = Study::read(&place.path().join("study.toml")).unwrap_err();
    let says = "there is no executor `queue` (known: local, functions; ";
    assert!(error.to_string().contains(says), "{error}");
}
