//! Direction of scores, by their name, a column or ranks, and metrics below one another.

use crate::{
    Choice, Evaluations, Reading, RecordsError, Undirected, named_direction, read_from, understand,
};
use fiesta_core::Direction::{self, Maximize, Minimize};

fn read(csv: &str) -> Evaluations {
    let is_loss = csv.contains("rmse");
    let options = Reading {
        keep_columns: true,
        metric: is_loss.then(|| "rmse".to_owned()),
        ..Reading::default()
    };
    read_from(csv.as_bytes(), None, &options, "runs.csv").unwrap()
}

fn of(csv: &str) -> Result<Direction, Undirected> {
    read(csv).direction("runs.csv")
}

#[test]
fn lists_have_no_named_score() {
    let lists = r#"{"lstm": [0.5, 0.75], "gru": [0.25, 0.5]}"#;
    assert_eq!(of(lists), Err(Undirected::Nameless));
    assert_eq!(read(lists).direction("accuracies.json"), Ok(Maximize));
    assert_eq!(of(r#"{"lstm": [1, 0], "gru": [0, 0]}"#), Ok(Maximize));
}

#[test]
fn names_that_say_nothing_are_not_guessed() {
    for name in [
        "avg_rank_f1",
        "rank_test_score",
        "score_time",
        "f1_std",
        "accuracy drop",
        "davies_bouldin_score",
        "edit_distance_score",
        "metricx_score",
        "toxicity_score",
        "attack_success_rate",
        "error_reduction",
        "acc ↑↓",
        "neg_accuracy",
        "mmlu_score",
        "value",
        "accuracy_loss",
        "error_free_rate",
    ] {
        assert_eq!(named_direction(name), None, "{name}");
    }
}

#[test]
fn signs_and_words_turn_the_direction() {
    for name in [
        "acc ↓",
        "F1↓",
        "1-acc",
        "1 − F1",
        "100 - acc",
        "Score (lower is better)",
        "brier_score",
        "ter",
    ] {
        assert_eq!(named_direction(name), Some(Minimize), "{name}");
    }
    for name in [
        "error ↑",
        "1 - WER",
        "brier_skill_score",
        "neg_root_mean_squared_error",
        "mean_test_score",
        "silhouette_score",
        "hellaswag_acc",
    ] {
        assert_eq!(named_direction(name), Some(Maximize), "{name}");
    }
}

#[test]
fn a_table_of_systems_says_nothing() {
    let wide = "fold,lstm,gru\n0,8.1,7.2\n1,8.4,7.0\n";
    assert_eq!(of(wide), Err(Undirected::Nameless));
    let said = |file: &str| read(wide).direction(file).ok();
    assert_eq!(said("out/accuracies-by-fold.csv.gz"), Some(Maximize));
    assert_eq!(said("out/wer.csv"), None);
    assert_eq!(said("out/scores.csv"), None);
    assert_eq!(of("item,lstm,gru\nq1,1,0\nq2,0,0\n"), Ok(Maximize));
    let rows = "model,pears,figs,kiwis\nnet,.9,.8,.7\ntree,.8,.85,.6\n";
    assert_eq!(of(rows), Err(Undirected::Nameless));
}

#[test]
fn what_contradicts_itself_is_asked_about() {
    let contradicts = |csv: &str, part: &str| {
        let error = of(csv).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    contradicts(
        "arm,rmse\na,-0.5\nb,0\na,-0.4\nb,0\n",
        "`rmse` is by its name a loss, and no value is above 0",
    );
    contradicts(
        "arm,score,Rank\na,0.9,3\nb,0.8,2\nc,0.7,1\n",
        "`Rank` ranks smaller ones first",
    );
    assert_eq!(
        of("arm,score,Rank\na,0.9,1\nb,0.8,2\nc,0.7,3\n"),
        Ok(Maximize)
    );
    contradicts(
        "arm,acc,higher_is_better\na,0.9,true\nb,0.8,false\n"
            .replace("acc", "score")
            .as_str(),
        "on line 3",
    );
    assert_eq!(
        of("arm,score,higher_is_better\na,9,False\nb,8,False\n"),
        Ok(Minimize)
    );
    contradicts(
        "# WER, lower is better\narm,score\na,9\nb,8\n",
        "or a comment in it",
    );
    let score = read("arm,score\na,9\nb,8\n");
    assert!(score.direction("wer.csv").is_err() && score.direction("runs.csv") == Ok(Maximize));
}

/// Tests that metrics below one another are never one score.
#[test]
fn rows_of_several_metrics_are_told_apart() {
    let csv = "model,fold,metric,value\nlstm,0,acc,0.7\nlstm,0,wer,30\n\nlstm,1,acc,0.8\nlstm,1,wer,20\ngru,0,acc,0.6\ngru,0,wer,45\n\
               gru,1,acc,0.7\ngru,1,wer,50\n";
    let json = csv
        .lines()
        .skip(1)
        .filter(|line| !line.is_empty())
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            format!(
                "{{\"model\": \"{}\", \"fold\": {}, \"metric\": \"{}\", \"value\": {}}}\n",
                cells[0], cells[1], cells[2], cells[3]
            )
        });
    for text in [csv.to_owned(), json.collect()] {
        let understood = |metric: Option<&str>| {
            let options = Reading {
                metric: metric.map(str::to_owned),
                keep_columns: true,
                ..Reading::default()
            };
            understand(text.as_bytes(), None, &options, "s")
        };
        let error = understood(None).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("names several scores, `acc`, `wer`"),
            "{error}"
        );
        let values: Vec<String> = error
            .choices()
            .into_iter()
            .map(|choice| choice.value)
            .collect();
        assert_eq!(values, ["acc", "wer"]);
        let found = understood(Some("wer")).unwrap().evaluations;
        assert_eq!(found.metric(), "wer");
        assert_eq!(found.by_arm(), [[30.0, 20.0], [45.0, 50.0]]);
        assert_eq!(found.direction("s"), Ok(Minimize));
        let remark = "`value` holds scores of `wer`, as the column `metric` says";
        assert!(found.remarks().contains(&remark.to_owned()));
        // Lines are those of the file.
        let lines: Vec<u64> = found.records().iter().map(|record| record.line).collect();
        assert_eq!(
            lines,
            if text.starts_with('m') {
                [3, 6, 8, 10]
            } else {
                [2, 4, 6, 8]
            }
        );
    }
    // A single metric gives the score its name.
    let rows: Vec<&str> = csv.lines().filter(|line| !line.contains("acc")).collect();
    let one = rows.join("\n");
    let found = understand(one.as_bytes(), None, &Reading::default(), "s").unwrap();
    assert_eq!(found.evaluations.metric(), "wer");
    // Beside a score with a name of its own, the column is about something else.
    let other = "model,seed,loss,metric\na,1,.8,acc\nb,1,.7,acc\na,2,.82,acc\nb,2,.6,acc\n";
    let found = understand(other.as_bytes(), None, &Reading::default(), "s").unwrap();
    assert_eq!(found.evaluations.metric(), "loss");
    // Where the values are what is compared, they are arms.
    let options = Reading {
        metric: Some("value".to_owned()),
        columns: crate::ColumnNames {
            arm: Some("metric".to_owned()),
            ..Default::default()
        },
        ..Reading::default()
    };
    let found = read_from(csv.as_bytes(), None, &options, "s").unwrap();
    assert_eq!(found.arms(), ["acc", "wer"]);
}

#[test]
fn a_column_of_metrics_is_known_by_its_values() {
    for name in ["variable", "key", "kpi", "objective", "name", "scorer"] {
        let csv = format!("arm,{name},score\na,acc,.9\na,loss,.3\nb,acc,.8\nb,loss,.6\n");
        let read = |metric: Option<&str>| {
            let options = Reading {
                metric: metric.map(str::to_owned),
                ..Reading::default()
            };
            read_from(csv.as_bytes(), None, &options, "s")
        };
        let error = read(None).unwrap_err();
        assert!(
            matches!(error, RecordsError::Metrics { .. }),
            "{csv}{error}"
        );
        assert_eq!(error.choices(), Choice::among("metric", ["acc", "loss"]));
        assert_eq!(read(Some("loss")).unwrap().by_arm(), [[0.3], [0.6]]);
    }
    for values in [
        ["win", "loss"],
        ["correct", "error"],
        ["acc", "dev"],
        ["mean", "max"],
    ] {
        let [one, other] = values;
        let csv = format!("arm,outcome,score\na,{one},1\na,{other},0\nb,{one},1\nb,{one},1\n");
        assert!(
            read_from(csv.as_bytes(), None, &Reading::default(), "s").is_ok(),
            "{csv}"
        );
    }
}
