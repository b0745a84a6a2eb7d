//! Tests of importing tables of Weights & Biases.

use super::{column, file, metric, refused, rows};
use fiesta_import::{Tool, read_bytes};
use fiesta_records::{ColumnNames, Reading};

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

    let by_optimizer = Reading {
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
    let bounds = Reading {
        bounds: Some((0.0, 0.7)),
        ..metric("val_acc")
    };
    assert!(refused(file(name, Tool::Wandb, &bounds)).starts_with("wandb_page.csv:2: "));
}

/// Tests that seeds which every arm has exactly once pair the arms, and other seeds are settings.
#[test]
fn seeds_that_all_arms_share_are_splits() {
    let read = |text: &str, seed: Option<&str>| {
        let options = Reading {
            columns: ColumnNames {
                seed: seed.map(ToOwned::to_owned),
                ..ColumnNames::default()
            },
            ..metric("acc")
        };
        read_bytes(text.as_bytes(), Tool::Wandb, &options, "runs.csv").unwrap()
    };
    let paired = "Name,State,Sweep,seed,acc\na,finished,s,1,0.5\nb,finished,s,2,0.6\nc,finished,t,2,0.7\nd,crashed,t,1,\n";
    let cases = |text: &str, seed: Option<&str>| -> Vec<_> {
        let found = read(text, seed);
        let rows = found.records.rows();
        rows.map(|row| (row.split, row.seed)).collect()
    };
    let splits = [1, 2, 2, 1].map(|seed| (Some(seed), None));
    assert_eq!(cases(paired, None), splits);
    assert_eq!(
        read(paired, None).notices[1],
        "every arm has a run with each of the same 2 seeds (`seed`), so that these are the splits, and arms are compared on the same ones: `--seed seed` takes them for repeats"
    );
    assert_eq!(cases(paired, Some("seed"))[0], (None, Some(1)));
    let settings = [
        paired.replace("t,2", "t,3"),
        paired.replace("t,2", "t,1"),
        paired.replace("t,2", "t,"),
        paired.replace("t,2", "t,x"),
        paired
            .replace(",t,", ",s,")
            .replace("2,0.7", "3,0.7")
            .replace("1,\n", "4,\n"),
    ];
    for text in settings {
        assert_eq!(cases(&text, None), [(None, None); 4], "{text}");
    }
    assert_eq!(
        column(
            &read(&paired.replace("t,2", "t,3"), None).records,
            "wandb.seed"
        )[2],
        Some("3")
    );
}

#[test]
fn shares_and_percentages_are_no_scores_of_one_metric() {
    let text = "Name,State,Runtime,Sweep,accuracy\na,finished,1,lstm,.9\nb,finished,1,gru,71.9\n";
    let read = |options: &Reading| read_bytes(text.as_bytes(), Tool::Wandb, options, "runs.csv");
    let told = refused(read(&metric("accuracy")));
    assert!(told.starts_with("runs.csv:1: the scores of `lstm` look like shares (0.9)"));
    let bounds = Some((0.0, 100.0));
    let bounded = Reading {
        bounds,
        ..metric("accuracy")
    };
    assert!(read(&bounded).is_ok());
}
