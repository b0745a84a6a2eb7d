//! Tests of studies whose goals, budgets and arms change repeatedly: every replay makes the same
//! decisions and ends in the same state.

use fiesta_core::{ArmId, Ask, Conclusion, EvaluationId, Observation, Outcome, SelectorError};
use fiesta_runner::{
    History, Ledger, Study,
    history::Check,
    ledger::{Aside, Entry, Session},
    study::{Change, Evaluated, changes},
};
use proptest::{prelude::*, sample::Index};
use serde_json::Map;
use std::fs;
use tempfile::TempDir;

#[derive(Debug, Clone)]
enum Action {
    Ask,
    /// One of the pending evaluations ends, if there is one.
    End(Index, Outcome<f64>),
    /// The controller is killed, and another one takes over.
    Resume,
    Confidence(u8),
    Budget(u64),
    /// The study file gets another arm, before or after the others.
    Arm(bool),
    /// The study file gets this number of further splits.
    Splits(u64),
    /// The cause of failures was mended, and the arms are reinstated.
    Reinstate,
    /// An arm is asked anew.
    Again(Index),
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let outcome = prop_oneof![
        6 => (0.0..1.0_f64).prop_map(Outcome::Observed),
        3 => Just(Outcome::Failed),
        1 => Just(Outcome::Withdrawn),
    ];
    let action = prop_oneof![
        12 => Just(Action::Ask),
        10 => (any::<Index>(), outcome).prop_map(|(place, outcome)| Action::End(place, outcome)),
        2 => Just(Action::Resume),
        1 => (51..99_u8).prop_map(Action::Confidence),
        1 => (10..60_u64).prop_map(Action::Budget),
        1 => any::<bool>().prop_map(Action::Arm),
        1 => (1..5_u64).prop_map(Action::Splits),
        2 => Just(Action::Reinstate),
        1 => any::<Index>().prop_map(Action::Again),
    ];
    prop::collection::vec(action, 1..120)
}

/// A study file, its ledger and the controller that holds it.
struct Bench {
    directory: TempDir,
    policy: &'static str,
    confidence: u8,
    budget: u64,
    splits: u64,
    arms: Vec<String>,
    running: Option<(Study, Ledger, History)>,
}

impl Bench {
    fn new(policy: &'static str) -> Self {
        let mut bench = Self {
            directory: TempDir::new().unwrap(),
            policy,
            confidence: 90,
            budget: 30,
            splits: 4,
            arms: vec!["a".to_owned(), "b".to_owned()],
            running: None,
        };
        bench.resume();
        bench
    }

    fn write(&self) -> Study {
        let tables = self
            .arms
            .iter()
            .map(|name| format!("[[arm]]\nname = \"{name}\"\n"));
        let arms = tables.collect::<Vec<_>>().concat();
        let text = format!(
            "name = \"trial\"\ncommand = [\"true\"]\nmetric = {{ name = \"accuracy\" }}\ngoal = {{ confidence = 0.{}, budget = {{ evaluations = {} }} }}\n[design]\nposterior = \"pooled\"\nsplits = {}\n{}\n{arms}",
            self.confidence, self.budget, self.splits, self.policy
        );
        let path = self.directory.path().join("study.toml");
        fs::write(&path, text).unwrap();
        Study::read(&path).unwrap()
    }

    /// Resumes the study as another controller would.
    fn resume(&mut self) {
        self.running = None;
        let study = self.write();
        let mut ledger = Ledger::open(&study.state_directory()).unwrap();
        let entries = ledger.entries().unwrap();
        let before = entries.iter().rev().find_map(|entry| match entry {
            Entry::Opened(session) => Some(session.study.clone()),
            _ => None,
        });
        if let Some(before) = before {
            let changes = changes(&before, &study.fingerprint, &Evaluated::default());
            assert!(changes.iter().all(Change::is_acceptable), "{changes:?}");
        }
        let mut history = History::replay(&study, entries, Check::Decisions).unwrap();
        assert_eq!(history.differences, Vec::<String>::new());
        let opened = Entry::Opened(Session {
            version: String::new(),
            host: String::new(),
            machine: None,
            study: study.fingerprint.clone(),
            asserted: Vec::new(),
        });
        ledger.append(std::slice::from_ref(&opened), false).unwrap();
        history.take(&study, opened, Check::Decisions).unwrap();
        self.running = Some((study, ledger, history));
    }

    fn record(&mut self, entry: Entry) {
        let (study, ledger, history) = self.running.as_mut().unwrap();
        ledger.append(std::slice::from_ref(&entry), false).unwrap();
        history.take(study, entry, Check::Nothing).unwrap();
    }

    fn ask(&mut self) {
        let (study, ledger, history) = self.running.as_mut().unwrap();
        if history.selector.conclusion().is_some() {
            return;
        }
        match history.selector.ask() {
            Ok(Ask::Evaluate(evaluation)) => {
                // The selector has followed its own answer, so that the history is told what it
                // would find in the ledger.
                let setting = study.setting(&evaluation);
                let entry = Entry::Decided {
                    evaluation,
                    setting,
                };
                ledger.append(&[entry], false).unwrap();
            }
            Ok(Ask::Finished(conclusion)) => {
                ledger
                    .append(
                        &[Entry::Concluded {
                            conclusion,
                            rules: None,
                        }],
                        false,
                    )
                    .unwrap();
            }
            Ok(Ask::Wait) | Err(SelectorError::NoArmLeft) => {}
            Err(error) => panic!("{error}"),
        }
    }

    fn end(&mut self, place: Index, outcome: Outcome<f64>) {
        let (_, _, history) = self.running.as_ref().unwrap();
        let pending: Vec<EvaluationId> = history.selector.pending().map(|e| e.id).collect();
        if pending.is_empty() {
            return;
        }
        self.record(ended(*place.get(&pending), outcome));
    }

    fn act(&mut self, action: &Action) {
        match *action {
            Action::Ask => self.ask(),
            Action::End(place, outcome) => self.end(place, outcome),
            Action::Resume => self.resume(),
            Action::Confidence(percent) => {
                self.confidence = percent;
                self.resume();
            }
            Action::Budget(evaluations) => {
                self.budget = evaluations;
                self.resume();
            }
            Action::Arm(first) if self.arms.len() < 6 => {
                let place = if first { 0 } else { self.arms.len() };
                self.arms.insert(place, format!("new{}", self.arms.len()));
                self.resume();
            }
            Action::Arm(_) => {}
            Action::Splits(more) => {
                self.splits += more;
                self.resume();
            }
            Action::Again(place) => {
                // As a session that begins with it.
                self.resume();
                let arm = ArmId::new(place.index(self.arms.len()));
                let (_, _, history) = self.running.as_ref().unwrap();
                let pending = history.selector.pending().filter(|own| own.arm == arm);
                let pending: Vec<EvaluationId> = pending.map(|own| own.id).collect();
                for evaluation in pending {
                    self.record(ended(evaluation, Outcome::Withdrawn));
                }
                let answers_since = None;
                let arms = vec![Aside { arm, answers_since }];
                self.record(Entry::SetAside { arms });
            }
            Action::Reinstate => {
                let (_, _, history) = self.running.as_ref().unwrap();
                let all = history.selector.arms().ids();
                let arms: Vec<ArmId> = all.filter(|&arm| history.has_failed(arm)).collect();
                if !arms.is_empty() {
                    self.record(Entry::Reinstated { arms });
                }
            }
        }
    }
}

/// Returns the ledger's entry for the end of an evaluation.
fn ended(evaluation: EvaluationId, outcome: Outcome<f64>) -> Entry {
    Entry::Ended {
        evaluation,
        attempt: 0,
        outcome: match outcome {
            Outcome::Observed(score) => Outcome::Observed(Observation::Score(score)),
            Outcome::Failed => Outcome::Failed,
            Outcome::Withdrawn => Outcome::Withdrawn,
        },
        cost: 1.0,
        seconds: 0.0,
        end: None,
        message: None,
        extras: Map::new(),
    }
}

/// Returns all visible facts of a history, for comparison.
fn see(study: &Study, history: &History) -> Vec<(String, u64, u64, u64, Option<f64>, bool)> {
    let view = history.selector.view();
    let belief = view.belief();
    let of = |arm: ArmId| {
        (
            study.arms().name(arm).to_owned(),
            view.observed(arm),
            view.failed(arm),
            view.pending(arm),
            belief.map(|belief| belief.of(arm)),
            view.candidates().contains(&arm),
        )
    };
    study.arms().ids().map(of).collect()
}

fn conclusion(history: &History) -> Option<Conclusion> {
    history.selector.conclusion().cloned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn are_replayed_each_under_its_own_terms(
        actions in actions(),
        policy in prop::sample::select(vec!["policy = \"ttts\"", "policy = \"uniform\"", "policy = \"bts\"\nbatch = 3"]),
    ) {
        let mut bench = Bench::new(policy);
        for action in actions {
            bench.act(&action);
        }
        let (study, ledger, history) = bench.running.take().unwrap();
        let entries = ledger.entries().unwrap();
        drop(ledger);
        for check in [Check::Decisions, Check::Nothing] {
            let again = History::replay(&study, entries.clone(), check).unwrap();
            prop_assert_eq!(&again.differences, &Vec::<String>::new());
            prop_assert_eq!(see(&study, &again), see(&study, &history));
            prop_assert_eq!(conclusion(&again), conclusion(&history));
        }
        // Nothing was decided twice: numbers, and splits of an arm but for what was withdrawn or
        // failed.
        let replayed = History::replay(&study, entries, Check::Nothing).unwrap();
        let mut cases = std::collections::BTreeMap::new();
        for record in replayed.records.values() {
            let made = record.ending.as_ref().is_none_or(|ending| matches!(ending.outcome, Outcome::Observed(_)));
            if made {
                let e = &record.evaluation;
                let again = cases.insert((e.arm, e.case.split), e.id);
                prop_assert!(again.is_none(), "{:?} repeats {:?}", e, again);
            }
        }
    }
}
