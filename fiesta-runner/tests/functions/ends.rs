//! Tests of how calls end: outputs, errors and panics, and what is recorded of each.

use super::bench::{Bench, LIMITED, endings, failures, score};
use fiesta_core::{Counts, Observation, Outcome};
use fiesta_runner::{
    RunError,
    executor::{Call, Functions, Output},
    run::RunDirectory,
};
use serde_json::json;
use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

#[test]
fn errors_and_panics_are_failures_with_their_words_and_are_not_tried_again() {
    let bench = Bench::new(&format!(
        "{LIMITED}\ndesign.parallel = 3\nresources.retries = 5"
    ));
    let calls = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&calls);
    let mut functions = Functions::new(&bench.study(), move |call| {
        counted.fetch_add(1, Ordering::Relaxed);
        match call.arm() {
            "poor" => Err("no such\nfile".to_owned()),
            "fair" => panic!("out of luck with {}", call.seed()),
            _ => Ok(score("good", call.seed())),
        }
    })
    .unwrap();
    let finished = bench.run(&mut functions).0.unwrap();
    let history = bench.history();
    assert_eq!(
        finished.history.selector.view().candidates(),
        [finished.conclusion.arm]
    );
    let failures = failures(&history);
    assert!(failures.len() >= 4, "{failures:?}");
    let [errors, panics] = ["no such file", "panicked: out of luck with "].map(|words| {
        failures
            .iter()
            .filter(|failure| failure.starts_with(words))
            .count()
    });
    assert!(
        errors >= 2 && panics >= 2 && errors + panics == failures.len(),
        "{failures:?}"
    );
    // What was decided last may be given up before its thread has begun.
    assert!(calls.load(Ordering::Relaxed) <= history.records.len() as u64);
    assert!(history.records.values().all(|record| record.attempt == 0));
}

#[test]
fn costs_and_whatever_else_is_reported_are_kept() {
    let bench = Bench::new(LIMITED);
    let mut functions = Functions::new(&bench.study(), |call| {
        let keys = [
            ("arm-was", json!(call.arm())),
            ("seed-was", json!(call.seed())),
        ];
        let keys = keys.map(|(key, value)| (key.to_owned(), value));
        let whole = Output::from(serde_json::Map::from_iter(keys));
        Ok(whole
            .with("accuracy", score(call.arm(), call.seed()))
            .cost(2.5))
    })
    .unwrap();
    let study = bench.study();
    let finished = bench.run(&mut functions).0.unwrap();
    for record in finished.history.records.values() {
        let ending = record.ending.as_ref().unwrap();
        let arm = study.arms().name(record.evaluation.arm);
        let seed = record.evaluation.case.seed;
        assert_eq!(
            ending.outcome,
            Outcome::Observed(Observation::Score(score(arm, seed)))
        );
        assert!((ending.cost - 2.5).abs() < 1e-12);
        assert_eq!(ending.extras["arm-was"], arm);
        assert_eq!(ending.extras["seed-was"], seed);
    }
    let total = finished.history.selector.view().total_cost();
    assert!((total - 75.0).abs() < 1e-9, "{total}");
}

#[test]
fn scores_that_cannot_count_are_failures_that_say_why() {
    let bench = Bench::new(&format!("{LIMITED}\nmetric.bounds = [0, 1]"));
    let mut functions = Functions::new(&bench.study(), |call| {
        Ok(match call.arm() {
            "poor" => f64::NAN,
            "fair" => 1.5,
            _ => 0.5,
        })
    })
    .unwrap();
    bench.run(&mut functions).0.unwrap();
    let failures = failures(&bench.history());
    let said = |words: &str| failures.iter().any(|failure| failure.contains(words));
    assert!(said("NaN, which is not a finite number"), "{failures:?}");
    assert!(said("1.5"), "{failures:?}");
}

#[test]
fn counts_of_items_come_as_counts() {
    let listed: Vec<String> = (0..40)
        .map(|n| format!("{{ id = \"q{n}\", n = {n} }}"))
        .collect();
    let items = format!("design.items = [{}]\nmetric.f_beta = 1", listed.join(", "));
    let bench = Bench::new(&format!("{LIMITED}\n{items}"));
    let mut functions = Functions::new(&bench.study(), |call: &Call| {
        let item = call.item().unwrap();
        assert_eq!(item["id"], call.item_id().unwrap());
        assert_eq!(call.split(), None);
        let right = item["n"].as_u64().unwrap() % 3;
        Ok(Observation::Counts(Counts::from_cells([right, 1, 0, 2])))
    })
    .unwrap();
    bench.run(&mut functions).0.unwrap();
    let endings = endings(&bench.history());
    assert_eq!(endings.len(), 30);
    assert!(endings.iter().all(|ending| matches!(
        ending.outcome,
        Outcome::Observed(Observation::Counts(counts)) if counts.cells()[3] == 2
    )));
}

#[test]
fn a_call_has_directories_and_all_that_it_is_told() {
    let bench = Bench::new("goal.budget.evaluations = 6");
    let mut functions = Functions::new(&bench.study(), |call: &Call| {
        fs::write(RunDirectory::new(call.directory()).stderr(), "more words\n").unwrap();
        fs::write(call.checkpoint().unwrap().join("saved"), "x").unwrap();
        assert_eq!(call.request()["arm"], call.arm());
        assert_eq!(call.request()["split"], call.split().unwrap());
        assert_eq!((call.item(), call.setting()), (None, None));
        assert!(!call.is_cancelled());
        Ok(score(call.arm(), call.seed()))
    })
    .unwrap();
    let study = bench.study();
    bench.run(&mut functions).0.unwrap();
    let runs = fs::read_dir(study.runs_directory()).unwrap();
    for run in runs {
        let directory = RunDirectory::new(run.unwrap().path());
        assert_eq!(
            fs::read_to_string(directory.stderr()).unwrap(),
            "more words\n"
        );
        let ended = directory.read_end().unwrap().unwrap();
        assert!(
            ended
                .carried
                .unwrap()
                .result
                .unwrap()
                .starts_with("{\"accuracy\":")
        );
    }
    assert!(!study.state_directory().join("checkpoints").exists());
}

#[test]
fn every_evaluation_failing_alike_stops_the_study() {
    let bench = Bench::new("goal.confidence = 0.9");
    let mut functions = Functions::new(&bench.study(), |_: &Call| {
        Err::<f64, _>("the key is missing".to_owned())
    })
    .unwrap();
    let (stopped, _) = bench.run(&mut functions);
    let Err(RunError::FailedAlike(alike)) = stopped else {
        panic!("{stopped:?}");
    };
    assert!(alike.contains("the key is missing"), "{alike}");
}
