//! Messages about runs that cannot be imported: each names its file and line.

use super::{metric, refused};
use fiesta_records::{
    ColumnNames, ReadOptions,
    import::{Tool, read_bytes},
};

#[test]
fn only_samples_have_filters() {
    let options = ReadOptions {
        filter: Some("strict".into()),
        ..metric("acc")
    };
    for tool in Tool::ALL.into_iter().filter(|&tool| tool != Tool::LmEval) {
        let filtered = refused(read_bytes(b"Name,acc\na,1\n", tool, &options, "s"));
        assert!(filtered.contains("leave --filter out"), "{filtered}");
    }
}

#[test]
fn what_is_wrong_with_a_run_is_told_with_its_line() {
    let wandb = |text: &str, metric: &str| {
        let options = self::metric(metric);
        refused(read_bytes(
            text.as_bytes(),
            Tool::Wandb,
            &options,
            "runs.csv",
        ))
    };
    assert_eq!(
        wandb("Name,State,acc\na,finished,1\nb,zombie,2\n", "acc"),
        "runs.csv:3: `zombie` is no state of a trial that wandb is known to have"
    );
    assert_eq!(
        wandb("Name,State,Runtime,acc\na,finished,soon,1\n", "acc"),
        "runs.csv:2: the Runtime `soon` is no duration: correct it, or remove the column"
    );
    assert_eq!(
        wandb("Name,State,acc\na,finished\n", "acc"),
        "runs.csv:2: the row has 2 fields and the header 3: put fields that contain a separator in quotes, and write numbers with a \
         decimal point"
    );
    assert_eq!(
        wandb("Name,State,acc\na,running,1\n", "acc"),
        "runs.csv: no trial in this file has ended"
    );
    assert!(
        wandb("Name,State,acc,acc\na,running,1,1\n", "acc")
            .starts_with("runs.csv:1: two columns are called `acc`")
    );
    assert!(
        wandb("Name,State\na,finished\n", "acc").contains("no column `acc`, only `Name`, `State`")
    );
    assert!(wandb("x,acc\na,1\n", "acc").contains("so this is not what wandb writes"));
    let seed = wandb("Name,State,seed\na,finished,1\n", "seed");
    assert!(seed.contains("no score can be called `seed`"), "{seed}");
    let nothing = read_bytes(
        b"Name,State\na,finished\n",
        Tool::Wandb,
        &ReadOptions::default(),
        "runs.csv",
    );
    assert!(
        refused(nothing)
            .contains("no column holds numbers that could be the score: there are `Name`, `State`")
    );
    let by_state = ReadOptions {
        columns: ColumnNames {
            arm: Some("Sweep".into()),
            ..ColumnNames::default()
        },
        ..metric("acc")
    };
    let unnamed = read_bytes(
        b"Name,Sweep,acc\na,s,1\nb,,1\n",
        Tool::Wandb,
        &by_state,
        "runs.csv",
    );
    assert!(refused(unnamed).starts_with("runs.csv:3: the name of the arm is empty"));
    let times = b"run_id,experiment_id,status,start_time,end_time,metrics.a\nr,0,FINISHED,noon,2026-11-21 10:00:00,1\n";
    let noon = refused(read_bytes(
        times,
        Tool::Mlflow,
        &ReadOptions::default(),
        "runs.csv",
    ));
    assert_eq!(
        noon,
        "runs.csv:2: the start_time `noon` is no date and time: correct it, or remove the column"
    );
}
