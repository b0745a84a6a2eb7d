//! Audit of a study whose jobs score by arm and seed: every evaluation counted once, with its score.

use super::support::Bench;
use fiesta::engines::KINDS;
use fiesta::runner::{History, Ledger, Study, history::Check};
use fiesta::{Observation, Outcome};
use std::collections::BTreeSet;

/// Returns the history of a study that has ended, and checks that it has `evaluations` evaluations
/// on distinct cases, each with the score that its arm (`low`, `mid`, `high`) and its seed have.
pub(crate) fn counted_once(bench: &Bench, evaluations: usize) -> History {
    let study = Study::read_with(&bench.path("study.toml"), KINDS).unwrap();
    let entries = Ledger::read(&study.state_directory()).unwrap();
    let history = History::replay(&study, entries, Check::Decisions).unwrap();
    assert_eq!(history.differences, Vec::<String>::new());
    assert_eq!(history.pending().count(), 0);
    let mut cases = BTreeSet::new();
    for record in history.records.values() {
        let evaluation = &record.evaluation;
        let ending = record.ending.as_ref().unwrap();
        let Outcome::Observed(Observation::Score(score)) = ending.outcome else {
            panic!("{evaluation:?}: {ending:?}");
        };
        let base = [0.6, 0.65, 0.7][evaluation.arm.index()];
        let expected = base + (evaluation.case.seed % 40) as f64 / 1000.0;
        assert!((score - expected).abs() < 1e-9, "{evaluation:?}: {score}");
        assert!(cases.insert((evaluation.arm, evaluation.case.split)));
    }
    assert_eq!(cases.len(), evaluations);
    history
}
