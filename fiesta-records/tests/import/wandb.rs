//! Tables of Weights & Biases.

use super::{column, file, metric, refused, rows};
use fiesta_records::{
    ColumnNames, ReadOptions,
    import::{Tool, read_bytes},
};

#[test]
fn the_table_of_weights_and_biases() {
    let name = "wandb_page.csv";
    let imported = file(name, Tool::Wandb, &metric("val_acc")).unwrap();
    assert_eq!(
        rows(&imported.records),
        [
            ("lstm", Some(0.71), Some(61.0)),
            ("lstm", None, Some(7.0)),
            ("gru", Some(0.69), Some(3600.0)),
            ("gru", None, Some(12.0)),
        ]
    );
    let columns = [
        "Name",
        "State",
        "Notes",
        "User",
        "Tags",
        "Created",
        "Runtime",
        "lr",
        "optimizer",
        "wandb.seed",
        "val_loss",
    ];
    assert_eq!(imported.records.columns(), columns);
    assert_eq!(column(&imported.records, "Tags")[2], Some("t1, t2"));
    assert_eq!(
        column(&imported.records, "State"),
        [
            Some("finished"),
            Some("crashed"),
            Some("finished"),
            Some("failed")
        ]
    );

    let by_optimizer = ReadOptions {
        columns: ColumnNames {
            arm: Some("optimizer".into()),
            ..ColumnNames::default()
        },
        ..metric("val_acc")
    };
    let imported = file(name, Tool::Wandb, &by_optimizer).unwrap();
    assert_eq!(imported.records.arms(), ["adam", "sgd"]);
    assert_eq!(column(&imported.records, "Sweep")[0], Some("lstm"));

    // A run outside of all sweeps would have no arm.
    let some = b"Name,State,Sweep,acc\na,finished,s,1\nb,finished,,0.5\n";
    let imported = read_bytes(some, Tool::Wandb, &metric("acc"), "dir/my runs.csv").unwrap();
    assert_eq!(imported.records.arms(), ["my runs"]);
    assert_eq!(column(&imported.records, "Sweep"), [Some("s"), None]);

    // NaN is no score.
    let nan = refused(file(name, Tool::Wandb, &metric("val_loss")));
    assert!(nan.starts_with("1 trial ended without a finite `val_loss` (the first is wandb_page.csv:4): say what they count as with --failed"));
    let text = refused(file(name, Tool::Wandb, &metric("optimizer")));
    assert_eq!(
        text,
        "wandb_page.csv:2: the score `adam` is not a number: write digits, with a decimal point if need be (1 further trial has a problem)"
    );
    let bounds = ReadOptions {
        bounds: Some((0.0, 0.7)),
        ..metric("val_acc")
    };
    assert!(refused(file(name, Tool::Wandb, &bounds)).starts_with("wandb_page.csv:2: "));
}
