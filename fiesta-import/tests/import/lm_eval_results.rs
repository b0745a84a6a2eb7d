//! Direction and pool size that lm-eval's file of results states for the samples beside it.

use super::{lm_eval::sample, metric, refused};
use fiesta_core::Direction;
use fiesta_import::{Tool, read, read_files};
use std::fs;

/// Tests that the file of results beside the samples states the direction and the number of items.
#[test]
fn results_state_the_direction_and_the_pool() {
    let folder = tempfile::tempdir().unwrap();
    let write = |task: &str, ids: [u64; 3], results: &str| {
        let place = folder.path().join(task);
        fs::create_dir_all(&place).unwrap();
        let path = place.join(format!("samples_{task}_2026-01-01T00-00-00.0.jsonl"));
        let samples = ids.map(|id| {
            sample(
                &id.to_string(),
                ", \"acc\": 1.0, \"loss\": 0.5, \"perplexity\": -1.5",
            )
        });
        fs::write(&path, samples.concat()).unwrap();
        let results = format!("{{\"model_name\": \"m\", {results}}}");
        fs::write(place.join("results_2026-01-01T00-00-00.0.json"), results).unwrap();
        path
    };
    let stated = |task: &str, acc: &str| {
        format!(
            "\"higher_is_better\": {{\"{task}\": {{\"acc\": {acc}, \"loss\": false, \"perplexity\": false}}}}, \"n-samples\": {{\"{task}\": {{\"original\": 1319, \"effective\": 3}}}}"
        )
    };
    let first = write("a", [2, 0, 1], &stated("a", "true"));
    let found = read(&first, Tool::LmEval, &metric("acc")).unwrap();
    assert_eq!(found.direction, Some(Direction::Maximize));
    assert_eq!(
        found.notices[1],
        "`a`: 3 of its 1319 items were answered, the first; where they are to stand for these 1319, --pool-size says so"
    );
    let loss = read(&first, Tool::LmEval, &metric("loss")).unwrap();
    assert_eq!(loss.direction, Some(Direction::Minimize));
    // The perplexity of a task is computed from log-likelihoods, which stand in the samples.
    let likely = read(&first, Tool::LmEval, &metric("perplexity")).unwrap();
    assert_eq!(likely.direction, Some(Direction::Maximize));
    assert!(likely.notices[2].contains("is its log-likelihood here, of which larger is better"));
    let chosen = write("b", [4, 0, 1], &stated("b", "false"));
    let found = read(&chosen, Tool::LmEval, &metric("acc")).unwrap();
    assert!(found.notices[1].starts_with("`b`: 3 of its 1319 items were answered; where"));
    let both = refused(read_files(&[&first, &chosen], Tool::LmEval, &metric("acc")));
    assert!(
        both.contains("read the logs of one direction by themselves"),
        "{both}"
    );
    // Nothing of the kind, or something else in its place, states nothing.
    for other in [
        "\"x\": 1",
        "\"higher_is_better\": {\"c\": 7}, \"n-samples\": [NaN]",
    ] {
        let path = write("c", [0, 1, 2], other);
        let found = read(&path, Tool::LmEval, &metric("acc")).unwrap();
        assert_eq!((found.direction, found.notices.len()), (None, 1));
        assert_eq!(found.records.arms(), ["m"]);
    }
}
