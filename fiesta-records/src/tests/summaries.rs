//! Tests of tables of means with their spread.

use crate::{
    Choice, Format, Reading, RecordsError, Spread, Summaries, recognised_summaries, table::Table,
};

fn asked(spread: Option<Spread>, n: Option<&str>) -> Reading {
    let n = n.map(str::to_owned);
    Reading {
        spread,
        n,
        ..Reading::default()
    }
}

fn read(text: &str, asked: &Reading) -> Result<Summaries, RecordsError> {
    let table = Table::read(text.as_bytes(), Some(Format::Csv), "t.csv")?;
    Summaries::read(&table, asked, "t.csv")
}

fn rows(text: &str, asked: &Reading) -> Vec<(f64, f64, Option<u64>)> {
    let read = read(text, asked).unwrap();
    let rows = read.rows.iter();
    rows.map(|row| (row.mean, row.spread, row.n)).collect()
}

fn refused(text: &str, asked: &Reading) -> (String, Vec<Choice>) {
    let error = read(text, asked).unwrap_err();
    (error.to_string(), error.choices())
}

#[test]
fn columns_and_cells_are_the_same() {
    let expected = [(0.81, 0.02, Some(5)), (0.8, 0.03, Some(5))];
    let sd = asked(Some(Spread::Sd), None);
    for text in [
        "arm,score,std,n\na,0.81,0.02,5\nb,0.8,0.03,5\n",
        "arm,score,n\na,0.81 ± 0.02,5\nb,0.8±0.03,5\n",
        "arm,score,n\na,0.81 +/- 0.02,5\nb,0.80 +/- 0.03,5\n",
        "arm,score,runs\na,0.81 (0.02),5\nb,0.80 (0.03),5\n",
        "arm,score,n\na,$0.81 \\pm 0.02$,5\nb,$0.80_{\\pm 0.03}$,5.0\n",
    ] {
        assert_eq!(rows(text, &sd), expected, "{text}");
        let read = read(text, &sd).unwrap();
        // A zero that a program dropped is a digit.
        assert_eq!(read.unit.to_bits(), 0.01_f64.to_bits(), "{text}");
        assert_eq!(read.metric, "score");
    }
    let without = "arm,score\na,0.81 ± 0.02\nb,0.80 ± 0.03\n";
    assert_eq!(rows(without, &asked(Some(Spread::Sd), Some("5"))), expected);
    let column = "arm,score,k\na,0.81 ± 0.02,5\nb,0.80 ± 0.03,5\n";
    assert_eq!(rows(column, &asked(Some(Spread::Sd), Some("k"))), expected);
}

#[test]
fn names_say_what_a_spread_is() {
    for (name, spread) in [
        ("std", Spread::Sd),
        ("acc_std", Spread::Sd),
        ("Std. Dev. (sd)", Spread::Sd),
        ("standard deviation", Spread::Sd),
        ("acc_stderr", Spread::Se),
        ("SEM", Spread::Se),
        ("standard_error", Spread::Se),
        ("ci95", Spread::Ci95),
        ("95% CI", Spread::Ci95),
    ] {
        let text = format!("model,acc,{name},n\na,81.2,1.1,5\nb,80.2,1.2,5\n");
        assert_eq!(
            read(&text, &Reading::default()).unwrap().spread,
            spread,
            "{name}"
        );
    }
    for name in ["ci", "±", "acc_err", "uncertainty"] {
        let text = format!("model,acc,{name}\na,81.2,1.1\nb,80.2,1.2\n");
        let (message, choices) = refused(&text, &Reading::default());
        assert!(
            message.starts_with(&format!("t.csv:1: the spread in `{name}` may be")),
            "{message}"
        );
        assert_eq!(choices, Choice::among("spread", ["sd", "se", "ci95"]));
    }
}

/// Tests that each measure has its own spread; a column `mean` is of the spread without a name.
#[test]
fn measures_keep_apart() {
    let text =
        "model,acc_mean,acc_std,f1_mean,f1_std,n\na,0.8,0.1,0.7,0.2,5\nb,0.6,0.3,0.5,0.4,5\n";
    let (message, choices) = refused(text, &Reading::default());
    assert!(
        message.contains("name one of `acc_mean`, `f1_mean` with --metric"),
        "{message}"
    );
    assert_eq!(choices, Choice::among("metric", ["acc_mean", "f1_mean"]));
    let f1 = Reading {
        metric: Some("f1_mean".into()),
        ..Reading::default()
    };
    assert_eq!(rows(text, &f1)[1], (0.5, 0.4, Some(5)));
    // As pandas aggregates and describes.
    let text = "model,count,mean,std,min,max\na,5,0.8,0.1,0.7,0.9\nb,5,0.6,0.3,0.5,0.9\n";
    assert_eq!(rows(text, &Reading::default())[0], (0.8, 0.1, Some(5)));
    let both = "model,mean,sd,se,n\na,0.8,0.1,0.05,4\nb,0.6,0.3,0.15,4\n";
    assert_eq!(
        rows(both, &asked(Some(Spread::Se), None))[1],
        (0.6, 0.15, Some(4))
    );
    assert_eq!(refused(both, &Reading::default()).1.len(), 3);
}

#[test]
fn what_cannot_be_read_is_refused_with_its_line() {
    let sd = asked(Some(Spread::Sd), Some("5"));
    for (text, said) in [
        (
            "arm,score,std\na,0.8,0.1\na,0.7,0.1\n",
            "t.csv:3: `a` stands here again",
        ),
        (
            "arm,score,std\na,0.8,0\nb,0.7,0.1\n",
            "t.csv:2: the spread of `a` is 0, which",
        ),
        (
            "arm,score,std\na,0.8,0.1\nb,0.7,–\n",
            "t.csv:3: `b` has no mean with its spread",
        ),
        (
            "arm,score,std\na,0.8,0.1\n",
            "t.csv:1: there is one arm alone",
        ),
        (
            "arm,score\na,0.812(2)\nb,0.811(3)\n",
            "t.csv:2: `0.812(2)` may be 0.812 ± 2, or count units",
        ),
        (
            "arm,score,std,n\na,0.8,0.1,1\nb,0.7,0.1,5\n",
            "t.csv:1: there is no column",
        ),
        (
            "arm,score\na,0.8\nb,0.7\n",
            "no column is the spread of a mean",
        ),
    ] {
        let asked = if text.contains(",n\n") {
            asked(None, Some("k"))
        } else {
            sd.clone()
        };
        let (message, _) = refused(text, &asked);
        assert!(message.contains(said), "{message}");
    }
    let (message, _) = refused(
        "arm,score,std,n\na,0.8,0.1,1\nb,0.7,0.1,5\n",
        &Reading::default(),
    );
    assert!(
        message.contains("t.csv:2: n of `a` is below 2"),
        "{message}"
    );
    let text = "arm,score,std\na,0.8,0.1\nb,0.7,0.1\n";
    let (message, _) = refused(text, &Reading::default());
    assert!(
        message.contains("t.csv:2: the standard deviation of `a`") && message.contains("--n"),
        "{message}"
    );
    assert_eq!(rows(text, &asked(Some(Spread::Se), None))[0].2, None);
}

#[test]
fn digits_of_a_spread_are_told_of() {
    let notices = |spread: &str| {
        let text = format!("arm,score,std,n\na,0.81,{spread},5\nb,0.80,{spread},5\n");
        read(&text, &Reading::default()).unwrap().notices
    };
    assert_eq!(
        notices("0.12"),
        [
            "read as means with their spread: arms in `arm`, means in `score`, standard deviation in `std`; means are rounded to 0.01"
        ]
    );
    assert!(notices("0.02")[1].contains("may be off by 25 %"));
}

/// Tests that evaluations, and tables with a column for each arm, are not taken for means.
#[test]
fn other_files_are_not_taken_for_means() {
    let is = |text: &str| recognised_summaries(text.as_bytes(), None, "t").is_some();
    assert!(is(
        "model,win_rate,standard_error,mode\nred,61.2,1.7,x\nblue,58.9,1.6,x\n"
    ));
    assert!(is("model,acc,ci\nred,61.2,1.7\nblue,58.9,1.6\n"));
    for other in [
        "arm,score,std\na,0.8,0.1\na,0.7,0.1\n",
        "arm,split,score,std\na,0,0.8,0.1\nb,0,0.7,0.1\n",
        "arm,score,note\na,0.8,(x)\nb,0.7,(y)\n",
        "arm,score,params\na,0.8,12\nb,0.7,13\n",
        "arm,acc,f1_std\na,0.8,12\nb,0.7,13\n",
        "dataset,acc,std\nnews,0.7,0.1\nmails,0.6,0.1\n",
        "dataset,large,small\nnews,0.7,0.8\nmails,0.6,0.7\n",
    ] {
        assert!(!is(other), "{other}");
    }
}

/// Tests a header of several lines, as pandas writes the statistics of groups, and decimal commas.
#[test]
fn tables_of_groups_are_read() {
    let read = |text: &str, options: &Reading| {
        let table = Table::read(text.as_bytes(), None, "s").unwrap();
        Summaries::read(&table, options, "s").unwrap()
    };
    for head in [
        ",rmse,rmse,rmse\n,mean,std,count\nmodel,,,\n",
        "model,rmse,rmse,rmse\n,mean,std,count\n",
    ] {
        let text = format!("{head}net,3.5,0.25,12\ntree,3.2,0.5,8\n");
        let found = read(&text, &Reading::default());
        assert_eq!(found.metric, "rmse_mean", "{head}");
        assert_eq!(
            (found.rows[1].mean, found.rows[1].n),
            (3.2, Some(8)),
            "{head}"
        );
    }
    let se = Reading {
        spread: Some(Spread::Se),
        ..Reading::default()
    };
    let found = read("System;Error\nnet;12,7 ± 0,5\ntree;12,5 ± 0,625\n", &se);
    assert_eq!((found.rows[1].mean, found.rows[1].spread), (12.5, 0.625));
    // Rows of texts below columns of one name are rows.
    let twice = Table::read(b"model,note,note\nnet,x,y\ntree,x,y\n", None, "s");
    let told = twice.unwrap_err().to_string();
    assert!(told.contains("two columns are called `note`"), "{told}");
}

#[test]
fn means_of_losses_and_of_scores_are_not_averaged() {
    let text = "Dataset,large,small\nMMLU,71 ± 1,70 ± 1\nLibri WER,5 ± 1,9 ± 1\n";
    let read = |text: &str| {
        let table = Table::read(text.as_bytes(), None, "t.csv").unwrap();
        Summaries::read_each(&table, &asked(Some(Spread::Se), None), "t.csv")
    };
    let told = read(text).unwrap_err().to_string();
    assert!(
        told.contains("smaller scores of `Libri WER` are better"),
        "{told}"
    );
    assert_eq!(read(&text.replace(" WER", "")).unwrap().len(), 2);
}
