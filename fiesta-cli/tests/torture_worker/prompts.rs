//! Test of the example of six prompts on 800 questions, with its server: while the study's
//! processes are killed, what the server billed is compared with what the study counted.

use super::{
    Controller, assert_none_left, controller, kill, processes, setting, support, write_to,
};
use fiesta::runner::{History, Ledger, Study, history::Check, ledger::Entry};
use fiesta::{Outcome, Streams};
use rand::RngExt;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};
use tempfile::TempDir;

const ANSWERS: usize = 4800;
/// Prices in dollars of an input token and of an output token.
const PRICES: [f64; 2] = [0.15e-6, 0.60e-6];

/// The server of answers, which is killed at the end of the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A directory with the study, and the server that answers its worker.
struct Prompts {
    _temporary: TempDir,
    directory: PathBuf,
    _server: Server,
    bill: PathBuf,
}

impl Prompts {
    /// Makes a study that runs to the end of its pool.
    fn begin(python: &str) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        // What runs in the study's directory is the study's.
        let directory = root.join("study");
        fs::create_dir(&directory).unwrap();
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/prompts");
        let bill = root.join("bill.jsonl");
        let mut server = Command::new(python)
            .arg(example.join("server.py"))
            .args(["--port", "0", "--latency", "0.005", "--per-second", "700"])
            .args(["--failing", "0.01", "--bill"])
            .arg(&bill)
            .current_dir(&root)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut port = String::new();
        let printed = server.stdout.take().unwrap();
        BufReader::new(printed).read_line(&mut port).unwrap();
        fs::create_dir(directory.join("prompts")).unwrap();
        let prompts = fs::read_dir(example.join("prompts")).unwrap();
        let prompts = prompts.map(|prompt| Path::new("prompts").join(prompt.unwrap().file_name()));
        let files = ["worker.py", "questions.jsonl"].map(PathBuf::from);
        for name in files.into_iter().chain(prompts) {
            fs::copy(example.join(&name), directory.join(&name)).unwrap();
        }
        let mut study = fs::read_to_string(example.join("study.toml")).unwrap();
        for (from, to) in [
            ("\"python3\"", format!("\"{python}\"")),
            (
                "rate_limit  = \"200/s\"",
                format!(
                    "rate_limit = \"350/s\"\nenv = {{ PROMPTS_PORT = \"{}\" }}\n",
                    port.trim()
                ),
            ),
            ("confidence = 0.95\n", String::new()),
            (
                "{ cost = \"0.05 USD\" }",
                format!("{{ evaluations = {ANSWERS} }}"),
            ),
            (
                "timeout   = \"2m\"",
                "timeout = \"2m\"\nretries = 1000".to_owned(),
            ),
        ] {
            assert_eq!(study.matches(from).count(), 1, "{from}");
            study = study.replace(from, &to);
        }
        write_to(&directory, "study.toml", &study);
        Self {
            _temporary: temporary,
            directory,
            _server: Server(server),
            bill,
        }
    }

    /// Returns the server's bill: the prompt and the cost of each run that asked.
    fn bill(&self) -> BTreeMap<String, (String, f64)> {
        let mut bill = BTreeMap::new();
        for line in fs::read_to_string(&self.bill).unwrap().lines() {
            let billed: Value = serde_json::from_str(line).unwrap();
            let tokens = ["in", "out"].map(|kind| billed["usage"][kind].as_f64().unwrap());
            let cost = tokens[0] * PRICES[0] + tokens[1] * PRICES[1];
            let prompt = billed["prompt"].as_str().unwrap().to_owned();
            let run = billed["user"].as_str().unwrap().to_owned();
            let before = bill.insert(run.clone(), (prompt, cost));
            assert_eq!(before, None, "{run} was billed twice");
        }
        bill
    }

    /// Returns the ledger's entries on lost attempts.
    fn retries(&self) -> Vec<Entry> {
        let study = Study::read(&self.directory.join("study.toml")).unwrap();
        let entries = Ledger::read(&study.state_directory()).unwrap();
        let is_retry = |entry: &Entry| matches!(entry, Entry::Retried { .. });
        entries.into_iter().filter(is_retry).collect()
    }

    /// Checks that every answer is counted once, at the billed cost, and that the verdict is
    /// certain and right. Returns the number of billed answers that were not counted; the ledger
    /// must say that the run of each was lost.
    fn audit(&self) -> usize {
        let study = Study::read(&self.directory.join("study.toml")).unwrap();
        let entries = Ledger::read(&study.state_directory()).unwrap();
        let retried: BTreeSet<_> = entries
            .iter()
            .filter_map(|entry| match entry {
                Entry::Retried {
                    evaluation,
                    attempt,
                    ..
                } => Some((*evaluation, attempt - 1)),
                _ => None,
            })
            .collect();
        let history = History::replay(&study, entries, Check::Decisions).unwrap();
        assert_eq!(history.differences, Vec::<String>::new());
        let mut bill = self.bill();
        let (mut cells, mut right) = (BTreeSet::new(), BTreeMap::<_, f64>::new());
        let mut cost = 0.0;
        for record in history.records.values() {
            let evaluation = &record.evaluation;
            let ending = record.ending.as_ref().unwrap();
            let Outcome::Observed(observed) = &ending.outcome else {
                panic!("{evaluation:?}: {ending:?}");
            };
            assert!(cells.insert((evaluation.arm, evaluation.case.split)));
            *right.entry(evaluation.arm).or_default() += study.score_of(observed).unwrap();
            let id = study.run_id(evaluation, record.attempt);
            let (_, billed) = bill.remove(id.as_str()).expect("what counts was billed");
            assert!((billed - ending.cost).abs() < 1e-12, "{id}: {billed}");
            cost += billed;
            for attempt in 0..record.attempt {
                assert!(retried.contains(&(evaluation.id, attempt)));
                bill.remove(study.run_id(evaluation, attempt).as_str());
            }
        }
        assert_eq!(cells.len(), ANSWERS);
        assert_eq!(bill.len(), 0, "billed and told nowhere: {bill:?}");
        let view = history.selector.view();
        assert!((view.total_cost() - cost).abs() < 1e-9);
        let best = right.iter().max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0;
        assert_eq!(study.arms().name(*best), "steps");
        let belief = view.belief().unwrap();
        assert_eq!((belief.leader().0, belief.of(*best)), (*best, 1.0));
        assert_none_left(&self.directory);
        self.bill().len() - ANSWERS
    }
}

#[test]
fn no_answer_is_paid_twice_however_often_the_controller_is_killed() {
    let Some(python) = support::python() else {
        return;
    };
    let kills = setting("FIESTA_TORTURE_KILLS", 60) / 3;
    let prompts = Prompts::begin(&python);
    let mut rng = Streams::new(setting("FIESTA_TORTURE_SEED", 1)).run(2);
    for _ in 0..kills {
        let mut running = controller(&prompts.directory);
        thread::sleep(Duration::from_micros(rng.random_range(0..600_000)));
        running.kill(&prompts.directory);
    }
    controller(&prompts.directory).end(&prompts.directory);
    let billed: Vec<String> = prompts
        .bill()
        .into_values()
        .map(|(prompt, _)| prompt)
        .collect();
    let distinct: BTreeSet<&String> = billed.iter().collect();
    assert_eq!(
        (distinct.len(), billed.len()),
        (ANSWERS, ANSWERS),
        "tried again: {:#?}",
        prompts.retries()
    );
    assert_eq!(prompts.audit(), 0);
    eprintln!("controller killed {kills} times: {ANSWERS} answers, each billed once");
}

#[test]
fn only_answers_in_flight_are_paid_twice_when_hosts_and_workers_are_killed() {
    let Some(python) = support::python() else {
        return;
    };
    let kills = setting("FIESTA_TORTURE_KILLS", 60) / 3;
    let prompts = Prompts::begin(&python);
    let mut rng = Streams::new(setting("FIESTA_TORTURE_SEED", 1)).run(3);
    let running: Controller = controller(&prompts.directory);
    let mut killed = 0;
    while killed < kills {
        thread::sleep(Duration::from_micros(rng.random_range(0..600_000)));
        let whom = ["__fiesta-worker", "worker.py"][rng.random_range(0..2)];
        let found = processes(&prompts.directory, whom);
        kill(&found);
        killed += u64::from(!found.is_empty());
    }
    running.end(&prompts.directory);
    let twice = prompts.audit();
    // Of the 16 that are asked at a time.
    assert!(twice as u64 <= 16 * kills, "{twice}");
    eprintln!(
        "hosts and workers killed {kills} times: {ANSWERS} answers counted, {twice} more billed to requests in flight"
    );
}
