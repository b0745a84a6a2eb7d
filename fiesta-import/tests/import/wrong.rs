//! Tests of messages about runs that cannot be imported: each names its file and line.

use super::{metric, refused};
use fiesta_import::{Tool, read_bytes};
use fiesta_records::{ColumnNames, Reading};

#[test]
fn only_samples_have_filters() {
    let options = Reading {
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
        &Reading::default(),
        "runs.csv",
    );
    assert!(
        refused(nothing)
            .contains("no column holds numbers that could be the score: there are `Name`, `State`")
    );
    let by_state = Reading {
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
    let trials = read_bytes(
        b"number,value,state,duration\n0,1,COMPLETE,long\n",
        Tool::Optuna,
        &Reading::default(),
        "trials.csv",
    );
    assert_eq!(
        refused(trials),
        "trials.csv:2: the duration `long` is no duration: correct it, or remove the column"
    );
    let folds = read_bytes(
        b"fit_time,score_time,test_score\n1,1,good\n",
        Tool::Sklearn,
        &Reading::default(),
        "folds.csv",
    );
    assert!(refused(folds).starts_with("folds.csv:2: the score `good` is not a number"));
    let times = b"run_id,experiment_id,status,start_time,end_time,metrics.a\nr,0,FINISHED,noon,2026-11-21 10:00:00,1\n";
    let noon = refused(read_bytes(
        times,
        Tool::Mlflow,
        &Reading::default(),
        "runs.csv",
    ));
    assert_eq!(
        noon,
        "runs.csv:2: the start_time `noon` is no date and time: correct it, or remove the column"
    );
}

#[test]
fn what_another_tool_wrote_is_no_log_of_this_one() {
    let tools = [
        Tool::Helm,
        Tool::SweBench,
        Tool::EvalPlus,
        Tool::DeepEval,
        Tool::OpenAiEvals,
        Tool::AlpacaEval,
    ];
    for tool in tools {
        for text in ["", "arm,score\na,1\n", "[[1]]", "{\"a\": [1]}"] {
            let wrong = refused(read_bytes(text.as_bytes(), tool, &metric("a"), "x.json"));
            let named = wrong.contains(&format!("this is not what {tool} writes"))
                || wrong.contains(&format!("no answer in this log of {tool}"));
            assert!(wrong.starts_with("x.json") && named, "{wrong}");
        }
        let split = Reading {
            columns: ColumnNames {
                seed: Some("seed".into()),
                ..ColumnNames::default()
            },
            ..metric("a")
        };
        let seeds = refused(read_bytes(b"{}", tool, &split, "x.json"));
        assert!(seeds.contains("its logs state the items"), "{seeds}");
    }
}
