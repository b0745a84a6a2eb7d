//! Tests of importing metadata of Inspect's samples.

use super::{
    column,
    inspect::{log, read_text},
    metric,
};

/// Tests that metadata with fewer values than items is kept, as it may group them, and other metadata is not.
#[test]
fn metadata_that_groups_items_is_kept() {
    let sample = |id: u64, metadata: &str| {
        format!(
            r#"{{"id": {id}, "epoch": 1, "scores": {{"match": {{"value": "C"}}, "level": {{"value": 1}}}}, "metadata": {metadata}}}"#
        )
    };
    let long = "x".repeat(201);
    let samples = [
        sample(
            1,
            &format!(
                r#"{{"subject": "algebra", "level": 1, "seed": 7, "hard": true, "url": "a", "list": [1], "text": "{long}"}}"#
            ),
        ),
        sample(
            2,
            &format!(
                r#"{{"subject": "algebra", "level": 2, "seed": 7, "hard": null, "url": "b", "list": 1, "text": "{long}"}}"#
            ),
        ),
        sample(
            3,
            r#"{"subject": "logic", "level": 2.5, "url": "c", "": "d", " a": 1}"#,
        ),
        sample(4, r#""none""#),
    ];
    let text = log("m", "t", "s", &samples.join(", "));
    let records = read_text(&text, &metric("match")).unwrap().records;
    let names = [
        "level",
        "hard",
        "metadata.level",
        "inspect.seed",
        "subject",
        "url",
    ];
    assert_eq!(records.columns(), names);
    let subjects = [Some("algebra"), Some("algebra"), Some("logic"), None];
    assert_eq!(column(&records, "subject"), subjects);
    assert_eq!(column(&records, "hard")[..2], [Some("true"), None]);
    assert_eq!(column(&records, "metadata.level")[2], Some("2.5"));
    let every = read_text(
        &log("m", "t", "s", &samples[..3].join(", ")),
        &metric("match"),
    )
    .unwrap();
    // As many as there are items tell no groups.
    assert!(!every.records.columns().contains(&"url".to_owned()));
}
