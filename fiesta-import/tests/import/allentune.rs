//! Tests of importing lines of AllenTune.

use super::{column, file, metric, refused, rows};
use fiesta_import::{Tool, read_bytes};
use fiesta_records::Reading;

#[test]
fn allentune_s_lines() {
    let imported = file(
        "allentune.jsonl",
        Tool::AllenTune,
        &metric("best_validation_accuracy"),
    )
    .unwrap();
    let expected = [
        ("cnn", Some(0.4), Some(90.5)),
        ("cnn", Some(0.4625), Some(59.0)),
        ("lr", Some(0.525), Some(1.0)),
        ("lr", Some(0.5875), Some(86_402.0)),
    ];
    assert_eq!(rows(&imported.records), expected);
    assert_eq!(imported.records.metric(), "best_validation_accuracy");
    assert_eq!(imported.records.records().at(2).line, 3);
    assert_eq!(
        column(&imported.records, "ENCODER.layers")[0],
        Some("[64,32]")
    );
    assert_eq!(column(&imported.records, "ENCODER.name")[0], Some("a/b"));
    assert_eq!(
        column(&imported.records, "best_validation_loss")[3],
        Some("1.3125")
    );
    assert_eq!(
        column(&imported.records, "training_duration")[0],
        Some("90.5")
    );
    assert_eq!(column(&imported.records, "numpy_seed"), [None; 4]);
    assert_eq!(imported.direction, None);
    assert_eq!(
        imported.notices,
        ["the arms are those of the column `model`"]
    );

    // Earlier versions left the duration as AllenNLP wrote it; half a name is enough.
    let earlier = file(
        "allentune_earlier.jsonl",
        Tool::AllenTune,
        &metric("accuracy"),
    )
    .unwrap();
    assert_eq!(rows(&earlier.records), expected);

    assert_eq!(
        refused(file(
            "allentune.jsonl",
            Tool::AllenTune,
            &Reading::default()
        )),
        "allentune.jsonl: several columns could be the score: name one of `best_validation_accuracy`, `best_validation_loss` with --metric"
    );
    let other = refused(read_bytes(
        b"{\"a\": 1}",
        Tool::AllenTune,
        &Reading::default(),
        "s",
    ));
    assert!(other.starts_with(
        "s: there is no column `training_duration`, so this is not what allentune writes"
    ));
}
