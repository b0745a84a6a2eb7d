//! Tests of proposals that are certain, and of files that only seem to allow one.

use crate::{Certainty, Format, Proposal, Reading, read_from};
use fiesta_core::Direction;
use std::fmt::Write as _;

fn proposal(text: &str, options: &Reading) -> Option<Proposal> {
    let read = read_from(text.as_bytes(), None, options, "s");
    let error = read.expect_err("nothing to propose");
    error.proposal().cloned()
}

/// A table of two rows for each of three models on each of these splits: `cells` says what stands
/// in a row with the number of the model, of the split and of the row.
fn table(header: &str, cells: impl Fn(usize, usize, usize) -> String) -> String {
    let rows = (0..18).map(|row| cells(row % 3, row / 3, row));
    let rows: Vec<String> = rows.collect();
    format!("{header}\n{}\n", rows.join("\n"))
}

#[test]
fn every_column_is_accounted_for() {
    let certain = [
        table(
            "model_name,cv_fold,random_state,test_accuracy",
            |m, s, _| format!("net-{m},{s},7,0.{m}{s}"),
        ),
        // As pandas writes row numbers, also after concat.
        table(",model,fold,acc", |m, s, _| {
            format!("{m},net-{m},{s},0.{m}{s}")
        }),
        table("Unnamed: 0,model,fold,acc", |m, s, row| {
            format!("{row},net-{m},{s},0.{m}{s}")
        }),
        // Numbers may be names.
        table("model_id,fold,acc", |m, s, _| format!("{m},{s},0.{m}{s}")),
        table("model,acc", |m, s, _| format!("{m},0.{m}{s}")),
        // What was spent, a constant, a name of each row, a setting of each model.
        table(
            "model,seed,f1,fit_time,timestamp,dataset,run_id,note,n_params",
            |m, s, row| {
                format!(
                    "net-{m},{s},0.{m}{s},{row}.5,2026-11-0{s} {row}:00,glue,{row},run {row},{m}000"
                )
            },
        ),
        table("Classifier,fold,Top-1 Accuracy", |m, s, _| {
            format!("net-{m},{s},7{m}.{s}")
        }),
        table("arm,fold,macro_f1", |m, s, _| {
            format!("net-{m},{s},7{m}.{s}")
        }),
        table("model,fold,score", |m, s, _| {
            format!("net-{m},{s},7{m}.{s}")
        }),
        table("system,question_id,correct", |m, s, _| {
            format!("net-{m},q{s},{}", s % 2)
        }),
    ];
    for text in certain {
        let proposal = proposal(&text, &Reading::default());
        let proposal = proposal.unwrap_or_else(|| panic!("{text}"));
        assert!(proposal.is_certain(), "{text}{proposal:?}");
        assert_eq!(proposal.direction, Some(Direction::Maximize), "{text}");
        let reading = proposal.reading(&Reading::default());
        let records = read_from(text.as_bytes(), None, &reading, "s").unwrap();
        assert_eq!(records.arms().len(), 3, "{text}");
    }
    for header in [
        "model,fold,val_loss",
        "model,fold,word_error_rate",
        "model,fold,RMSE",
    ] {
        let text = table(header, |m, s, _| format!("net-{m},{s},0.{m}{s}"));
        let proposal = proposal(&text, &Reading::default()).unwrap();
        assert!(proposal.is_certain(), "{text}{proposal:?}");
        assert_eq!(proposal.direction, Some(Direction::Minimize));
    }
}

#[test]
fn what_could_be_meant_otherwise_is_asked_for() {
    let doubtful = [
        // Two scores, of which one may be written in percent, or is named `score`.
        ("model,fold,acc,f1", "net-{m},{s},0.{m}{s},0.5{s}"),
        ("model,fold,val_acc,test_acc", "net-{m},{s},0.{m}{s},0.5{s}"),
        ("model,fold,score,accuracy", "net-{m},{s},0.{m}{s},0.5{s}"),
        ("model,fold,f1,accuracy", "net-{m},{s},0.{m}{s},{r}.5%"),
        ("model,fold,acc,loss", "net-{m},{s},0.{m}{s},0.5{s}"),
        ("model,fold,acc,acc_std", "net-{m},{s},0.{m}{s},0.5{s}"),
        ("model,fold,acc,whatever", "net-{m},{s},0.{m}{s},0.5{s}"),
        // Two columns of arms, or what tells results apart.
        ("model,optimizer,acc", "net-{m},adam-{t},0.{m}{s}"),
        ("model,dataset,acc", "net-{m},data-{t},0.{m}{s}"),
        ("model,dataset,acc", "net-{m},data-{m},0.{m}{s}"),
        ("model,dataset_id,acc", "net-{m},{t},0.{m}{s}"),
        ("model,tag,acc", "net-{m},{o},0.{m}{s}"),
        (",model,acc", "data-{t},net-{m},0.{m}{s}"),
        ("model,fold,repeat,acc", "net-{m},{t},{s},0.{m}{s}"),
        ("model,n_train,acc", "net-{m},{s}00,0.{m}{s}"),
        ("model,lr,acc", "net-{m},0.{t},0.{m}{s}"),
        ("model,epoch,acc", "net-{m},{s},0.{m}{s}"),
        ("model,iteration,acc", "net-{m},{s},0.{m}{s}"),
        ("model,max_time,acc", "net-{m},{t},0.{m}{s}"),
        ("model,fold,split_name,acc", "net-{m},{s},part-{t},0.{m}{s}"),
        ("model,metric,value", "net-{m},metric-{t},0.{m}{s}"),
        // Names that say too little, or the contrary.
        ("model,fold,value", "net-{m},{s},0.{m}{s}"),
        ("model,fold,x", "net-{m},{s},0.{m}{s}"),
        ("model,fold,neg_mean_squared_error", "net-{m},{s},-0.{m}{s}"),
        ("model,fold,accuracy_drop", "net-{m},{s},0.{m}{s}"),
        ("model,fold,train_acc", "net-{m},{s},0.{m}{s}"),
        ("dataset,fold,acc", "net-{m},{s},0.{m}{s}"),
        ("dataset_name,fold,acc", "net-{m},{s},0.{m}{s}"),
        ("group,fold,acc", "net-{m},{s},0.{m}{s}"),
        ("model_size,fold,acc", "{m},{s},0.{m}{s}"),
    ];
    for (header, row) in doubtful {
        let text = table(header, |m, s, r| {
            let numbers = [
                ("{m}", m),
                ("{s}", s),
                ("{t}", s / 3),
                ("{r}", r),
                ("{o}", r),
            ];
            let mut row = row.to_owned();
            for (place, number) in numbers {
                let text = if place == "{o}" && r < 4 {
                    "x".to_owned()
                } else {
                    number.to_string()
                };
                row = row.replace(place, &text);
            }
            row
        });
        let proposal = proposal(&text, &Reading::default());
        let is_certain = proposal.as_ref().is_some_and(Proposal::is_certain);
        assert!(!is_certain, "{text}{proposal:?}");
    }
}

#[test]
fn what_was_named_counts() {
    let options = |metric: Option<&str>, arm: Option<&str>| {
        let mut options = Reading {
            metric: metric.map(str::to_owned),
            ..Reading::default()
        };
        options.columns.arm = arm.map(str::to_owned);
        options
    };
    let two = table("model,fold,acc,f1", |m, s, _| {
        format!("net-{m},{s},0.{m}{s},0.5")
    });
    let certain = |metric, arm| proposal(&two, &options(metric, arm)).unwrap().is_certain();
    // The score is named: nothing else could be it. Beside it the other one is passed over.
    assert!(!certain(None, Some("model")));
    assert!(!certain(Some("acc"), Some("modle")));
    assert!(!certain(Some("accuracy"), None));
    let one = table("model,fold,quality", |m, s, _| {
        format!("net-{m},{s},0.{m}{s}")
    });
    let named = proposal(&one, &options(Some("quality"), None)).unwrap();
    assert!(named.is_certain(), "{named:?}");
}

/// Tests that columns beside cases are passed over, and that words of verdicts are scores.
#[test]
fn what_tells_nothing_apart_is_passed_over() {
    let certain = |text: &str| proposal(text, &Reading::default()).is_some_and(|p| p.is_certain());
    let rows = |header: &str, row: &str| {
        table(header, |m, s, _| {
            let texts = [("{m}", m), ("{s}", s), ("{t}", s / 3), ("{u}", m * s)];
            let mut row = row.to_owned();
            for (place, number) in texts {
                row = row.replace(place, &number.to_string());
            }
            row
        })
    };
    for (header, row) in [
        ("model,fold,acc,seconds", "net-{m},{s},0.{m}{s},{t}"),
        ("model,fold,acc,Notes", "net-{m},{s},0.{m}{s},rerun {t}"),
        ("model,fold,acc,output_tokens", "net-{m},{s},0.{m}{s},1{t}"),
        ("system,question_id,verdict", "net-{m},q{s},correct"),
        ("model,id,correct", "net-{m},q{s},True"),
        ("model,test_id,outcome", "net-{m},q{s},PASS"),
        ("model,prompt,score", "net-{m},What is {s}?,0.{m}{s}"),
    ] {
        let text = rows(header, row);
        assert!(
            certain(&text),
            "{text}{:?}",
            proposal(&text, &Reading::default())
        );
    }
    for (header, row) in [
        ("model,fold,acc,version", "net-{m},{s},0.{m}{s},{t}"),
        ("model,prompt,score", "net-{m},template{s},0.{m}{s}"),
        ("model,fold,outcome", "net-{m},{s},0.{m}{s}"),
        ("model,acc,seconds", "net-{m},0.{m}{s},{t}"),
        ("model,acc,Notes", "net-{m},0.{m}{s},rerun {t}"),
    ] {
        let text = rows(header, row);
        assert!(!certain(&text), "{text}");
    }
}

/// Tests that joined columns that the user named leave the others to be proposed.
#[test]
fn joined_columns_are_as_certain_as_others() {
    let text = "model,prompt,question_id,correct\na,x,1,1\na,y,1,0\nb,x,1,1\nb,y,1,1\n\
                a,x,2,0\na,y,2,0\nb,x,2,1\nb,y,2,0\n";
    let mut options = Reading::default();
    options.columns.arm = Some("model+prompt".to_owned());
    let found = crate::understand(text.as_bytes(), None, &options, "s").unwrap();
    assert_eq!(found.evaluations.arms(), ["a+x", "a+y", "b+x", "b+y"]);
    assert_eq!(found.roles.len(), 4, "{:?}", found.roles);
}

#[test]
fn all_rows_are_looked_at() {
    let rows = |rows: usize, late: &str| {
        let mut text = String::from("model,fold,acc,dataset\n");
        for row in 0..rows {
            let dataset = if row + 1 == rows { late } else { "glue" };
            writeln!(text, "net-{},{},0.{row},{dataset}", row % 3, row / 3).unwrap();
        }
        text
    };
    let certainty = |text: &str| proposal(text, &Reading::default()).unwrap().certainty;
    assert_eq!(certainty(&rows(3000, "glue")), Certainty::Certain);
    assert!(matches!(
        certainty(&rows(3000, "squad")),
        Certainty::Doubtful(_)
    ));
    let long = certainty(&rows(100_002, "glue"));
    assert_eq!(
        long,
        Certainty::Doubtful("it has more than 100000 rows".to_owned())
    );
}

#[test]
fn failures_are_decided_by_the_user() {
    let text = "model,fold,acc\na,0,0.5\nb,0,0.5\na,1,\nb,1,0.75\n";
    let found = proposal(text, &Reading::default()).unwrap();
    assert!(found.failures && !found.is_certain());
    let keep = Reading {
        keep_failures: true,
        keep_missing: true,
        ..Reading::default()
    };
    assert!(proposal(text, &keep).unwrap().is_certain());
}

/// Tests that wide JSON is refused as wide CSV is, if a column could be the split.
#[test]
fn wide_json_is_refused_as_wide_csv() {
    let refused = |text: &str, format| {
        let read = read_from(text.as_bytes(), Some(format), &Reading::default(), "s");
        read.expect_err(text).to_string().replace("s:1: ", "")
    };
    for column in ["epoch", "accuracy", "lr", "status", "cost"] {
        let csv = refused(
            &format!("{column},lstm,gru\n0,0.5,0.25\n1,0.5,0.5\n"),
            Format::Csv,
        );
        let lists = format!(r#"{{"{column}":[0,1],"lstm":[0.5,0.5],"gru":[0.25,0.5]}}"#);
        assert_eq!(refused(&lists, Format::Json), csv);
        let rows = format!(
            r#"[{{"{column}":0,"lstm":0.5,"gru":0.25}},{{"{column}":1,"lstm":0.5,"gru":0.5}}]"#
        );
        assert_eq!(refused(&rows, Format::Json), csv);
    }
    let stated = r#"{"split":[4,7],"lstm":[0.5,0.75],"gru":[0.25,0.5]}"#;
    let records = read_from(stated.as_bytes(), None, &Reading::default(), "s").unwrap();
    assert_eq!(records.arms(), ["lstm", "gru"]);
    assert_eq!(records.records().at(1).split, Some(4));
}

/// Tests that files are refused or doubted whose scores or later rows contradict the names of their columns.
#[test]
fn rows_and_scores_are_looked_at() {
    let doubtful = [
        (
            "model,fold,test_rmse\na,0,-.5\nb,0,-.7\na,1,-.4\nb,1,-.8\n",
            "below 0",
        ),
        (
            ",model,val_accuracy\n0,a,.1\n1,a,.3\n2,a,.4\n0,b,.1\n1,b,.2\n2,b,.3\n",
            "without a name",
        ),
        (
            "model,time,acc\na,0,.1\na,60,.3\na,120,.5\nb,0,.1\nb,60,.2\nb,120,.3\n",
            "`time`",
        ),
        (
            "model,dataset,acc\na,imdb,.9\na,yelp,.91\nb,sst,.7\nb,mr,.71\n",
            "`dataset`",
        ),
        (
            "model,train_file,acc\na,x,.9\na,y,.91\nb,z,.7\nb,w,.71\n",
            "`train_file`",
        ),
        (
            "model,fold,acc\na,0,.7\na,1,.8\na,,.75\nb,0,.5\nb,1,.6\nb,,.55\n",
            "is empty",
        ),
        (
            "model,fold,acc\na,0,.7\na,1,.8\nmean,0,.75\nmean,1,.5\n",
            "summarises",
        ),
        (
            "model,seed,acc\na,1,.7\na,1,.8\nb,1,.75\nb,1,.5\n",
            "several scores of the same `seed`",
        ),
        (
            "model,fold,score\na,0,.7\na,1,.8\nb,0,75\nb,1,71\n",
            "percentages",
        ),
        (
            "model,fold,fid\na,0,101\na,1,102\nb,0,103\nb,1,104\n",
            "whole numbers",
        ),
        (
            "model,fold,acc,spearman\na,0,.7,71%\na,1,.8,72%\nb,0,.5,73%\nb,1,.6,74%\n",
            "`spearman`",
        ),
    ];
    for (text, says) in doubtful {
        let proposal = proposal(text, &Reading::default());
        let proposal = proposal.unwrap_or_else(|| panic!("{text}"));
        match &proposal.certainty {
            Certainty::Doubtful(doubt) | Certainty::Withheld(doubt) => {
                assert!(doubt.contains(says), "{text}{doubt}");
            }
            other => panic!("{text}{other:?}"),
        }
    }
}
