//! Tests of tables with a column for each arm: which are read so, and which are asked about.

use crate::{Reading, RecordsError, SplitSource, read_from};

fn read(text: &str) -> Result<crate::Evaluations, RecordsError> {
    read_from(text.as_bytes(), None, &Reading::default(), "s")
}

#[test]
fn rows_that_are_named_make_a_table_of_arms() {
    for (text, source) in [
        (
            "Dataset,svm,ours\npears,.9,.8\nplums,.8,.7\n",
            SplitSource::Items,
        ),
        (",svm,ours\npears,.9,.8\nplums,.8,.7\n", SplitSource::Items),
        (
            "who knows,svm,ours\npears,.9,.8\nplums,.8,.7\n",
            SplitSource::Items,
        ),
        ("fold,svm,ours\n0,.9,.8\n1,.8,.7\n", SplitSource::Column),
        (
            "fold,svm,ours\nfirst,.9,.8\nsecond,.8,.7\n",
            SplitSource::Column,
        ),
        ("seed,svm,ours\n7,.9,.8\n8,.8,.7\n", SplitSource::Nothing),
        ("question_id,svm,ours\n7,1,0\n8,0,1\n", SplitSource::Items),
    ] {
        let records = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(records.arms(), ["svm", "ours"], "{text}");
        assert_eq!(records.split_source(), source, "{text}");
    }
}

#[test]
fn what_is_no_table_of_arms_is_asked_about() {
    for (text, why) in [
        (
            "epoch,svm,ours\n0,.9,.8\n1,.8,.7\n",
            "`epoch` is by its name a step",
        ),
        ("svm,ours\n.9,.8\n.8,.7\n", "no first column"),
        (",svm,ours\n0,.9,.8\n1,.8,.7\n", "no first column"),
        (
            "dataset,svm,accuracy\na,.9,.8\nb,.8,.7\n",
            "`accuracy` is by its name a metric",
        ),
        (
            "dataset,valLoss,mIoU\na,.9,.8\nb,.8,.7\n",
            "`valLoss` is by its name a metric",
        ),
        (
            "dataset,f1_mean,f1_std\na,.9,.8\nb,.8,.7\n",
            "`f1_mean` is by its name a summary",
        ),
        (
            "dataset,lr,ours\na,.9,.8\nb,.8,.7\n",
            "`lr` is by its name a setting",
        ),
        (
            "dataset,svm,ours\na,64,.8\nb,32,.7\n",
            "`svm` and `ours` are of different kinds",
        ),
        (
            "dataset,svm,ours\na,64.5,.8\nb,32.5,.7\n",
            "`ours` and `svm` are of different kinds",
        ),
        (
            "dataset,svm,ours\na,.9,x\nb,.8,.7\n",
            "`ours` holds `x`, which is no number",
        ),
        (
            "dataset,svm,ours\na,.9,.8\na,.8,.7\n",
            "`dataset` is by its name a case",
        ),
        (
            "model,svm,ours\na,.9,.8\nb,.8,.7\n",
            "rows (`a`, `b`) and columns (`svm`, `ours`) may both be",
        ),
        (
            "model,red,blue\na,.9,.8\nb,.8,.7\n",
            "each row has another `model`",
        ),
        (
            r#"{"loss": [1.5, 1.25], "ours": [0.5, 0.75]}"#,
            "`loss` is by its name a metric",
        ),
    ] {
        let error = read(text).expect_err(text).to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
}

/// Tests that lists of numbers in JSON are scores of systems by the rules for the columns of a table.
#[test]
fn lists_are_asked_about_as_columns_are() {
    for (text, why) in [
        (
            r#"{"year": [2001, 2002], "ours": [0.5, 0.75]}"#,
            "of different kinds",
        ),
        (
            r#"{"train": [0.9, 0.91], "val": [0.8, 0.81], "test": [0.7, 0.71]}"#,
            "`train`, `val`, `test` are by their names parts of the data",
        ),
        (
            r#"{"train_sizes": [1, 2], "train_scores": [0.5, 0.75], "test_scores": [0.5, 0.75]}"#,
            "parts of the data",
        ),
        (
            r#"{"TP": [5, 6], "FP": [4, 5], "FN": [3, 4]}"#,
            "`TP` is by its name a count",
        ),
        (
            r#"{"fold1": [0.5, 0.75], "fold2": [0.5, 0.75]}"#,
            "no first column",
        ),
        (
            r#"{"easy": [0.5, 0.75], "hard": [0.5, 0.75]}"#,
            "no first column",
        ),
        (
            r#"{"class0": [0.5, 0.75], "class1": [0.5, 0.75]}"#,
            "no first column",
        ),
        (
            r#"{"en": [0.5, 0.75], "de": [0.5, 0.75]}"#,
            "no first column",
        ),
        (
            r#"{"MMLU": [0.5, 0.75], "GSM8K": [0.5, 0.75]}"#,
            "no first column",
        ),
        (
            r#"{"Unnamed: 0": [0, 1], "svm": [0.5, 0.7], "ours": [0.6, 0.8]}"#,
            "no first column",
        ),
        (
            r#"{"fpr": [0, 0.5], "tpr": [0.5, 1], "thresholds": [0.9, 0.1]}"#,
            "`fpr` is by its name a metric",
        ),
        (
            r#"{"before": [0.5, 0.6], "after": [0.7, 0.9], "delta": [0.2, 0.3]}"#,
            "`delta` is",
        ),
        // The long form and a table with a column for each arm.
        (
            "arm,score\ntrain,.9\nval,.8\ntest,.7\n",
            "the arms `train`, `val`, `test` are",
        ),
        ("fold,train,test\n0,.9,.8\n1,.9,.7\n", "parts of the data"),
    ] {
        let error = read(text).expect_err(text).to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
    for text in [
        r#"{"svm": [0.5, 0.75, 0.7], "ours": [0.6]}"#,
        r#"{"a": [1, 2], "b": [3, 4]}"#,
        r#"{"a": [100, 200, 300], "one": [3]}"#,
        r#"{"=a": [0.5, 0.7], "😀": [0.6, 0.7]}"#,
        r#"{"test": [0.5, 0.75], "control": [0.6, 0.7]}"#,
        r#"{"curve": [0.5, 0.75]}"#,
        "arm,score\ntest,.9\ncontrol,.8\n",
    ] {
        assert!(read(text).is_ok(), "{text}");
    }
    let arms = ["train", "test"].map(str::to_owned).to_vec();
    let named = Reading {
        arms,
        ..Reading::default()
    };
    let lists = r#"{"train": [0.9, 0.91], "test": [0.7, 0.71]}"#;
    let records = read_from(lists.as_bytes(), None, &named, "s").unwrap();
    assert_eq!(records.by_arm(), [[0.9, 0.91], [0.7, 0.71]]);
}

/// Tests that answers are of systems, whatever these are called: no step is 0 or 1 throughout, as
/// answers are.
#[test]
fn answers_are_of_systems_whatever_these_are_called() {
    let records = read("item,steps,ours\nx,1,0\ny,0,1\n").unwrap();
    assert_eq!(records.arms(), ["steps", "ours"]);
    assert!(read("item,steps,ours\nx,1,0\ny,2,1\n").is_err());
    assert!(read("item,accuracy,ours\nx,1,0\ny,0,1\n").is_err());
}

/// Tests that columns named as arms are accepted without a question, and rows keep their names.
#[test]
fn columns_that_are_named_are_arms() {
    let options = Reading {
        arms: vec!["loss".to_owned(), "ours".to_owned()],
        ..Reading::default()
    };
    let text = "dataset,loss,epoch,ours\na,.9,1,.8\nb,.8,2,.7\n";
    let records = read_from(text.as_bytes(), None, &options, "s").unwrap();
    assert_eq!(records.arms(), ["loss", "ours"]);
    assert_eq!(records.items(), ["a", "b"]);
    let text = "dataset,ours\na,.9\n";
    let error = read_from(text.as_bytes(), None, &options, "s").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("there is no column `loss` (--arms)"),
        "{error}"
    );
}

/// Tests items that only several columns together tell apart: these are named as one column.
#[test]
fn items_of_several_columns_are_joined_in_every_format() {
    let mut options = Reading {
        keep_columns: true,
        ..Reading::default()
    };
    options.columns.item = Some("task+question".to_owned());
    for text in [
        "arm,task,question,score\na,x,1,.5\na,y,1,.25\nb,x,1,.75\nb,y,1,.5\n",
        r#"[{"arm":"a","task":"x","question":1,"score":0.5},{"arm":"a","task":"y","question":1,"score":0.25},
            {"arm":"b","task":"x","question":1,"score":0.75},{"arm":"b","task":"y","question":1,"score":0.5}]"#,
        "{\"arm\":\"a\",\"task\":\"x\",\"question\":1,\"score\":0.5}\n{\"arm\":\"a\",\"task\":\"y\",\"question\":1,\"score\":0.25}\n\
         {\"arm\":\"b\",\"task\":\"x\",\"question\":1,\"score\":0.75}\n{\"arm\":\"b\",\"task\":\"y\",\"question\":1,\"score\":0.5}\n",
    ] {
        let records = read_from(text.as_bytes(), None, &options, "s");
        let records = records.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(records.items(), ["x/1", "y/1"], "{text}");
        assert_eq!(records.by_arm(), [[0.5, 0.25], [0.75, 0.5]], "{text}");
        assert_eq!(records.columns(), ["task", "question"], "{text}");
    }
    options.columns.arm = Some("arm+size".to_owned());
    for text in [
        "arm,size,task,question,score\na,7,x,1,.5\na,9,x,1,.25\n",
        r#"[{"arm":"a","size":7,"task":"x","question":1,"score":0.5},{"arm":"a","size":9,"task":"x","question":1,"score":0.25}]"#,
    ] {
        let records = read_from(text.as_bytes(), None, &options, "s");
        let records = records.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(records.arms(), ["a+7", "a+9"], "{text}");
        assert_eq!(records.items(), ["x/1"], "{text}");
    }
    let text = "arm,size,task,question,score\na,,x,1,.5\n";
    let error = read_from(text.as_bytes(), None, &options, "s").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("s:2: the name of the arm is empty"),
        "{error}"
    );
    options.columns.arm = None;
    options.columns.item = Some("task+nothing".to_owned());
    let error = read_from(b"arm,task,score\na,x,1\n".as_slice(), None, &options, "s").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("there is no column `task+nothing` (--item)"),
        "{error}"
    );
}

#[test]
fn names_of_systems_may_hold_words_of_other_columns() {
    for name in [
        "command-r-plus",
        "note-7b",
        "tag-lm",
        "step-3.5-flash",
        "path-lm",
        "log-reg",
        "max-ent",
        "rank-svm",
        "mean-pooling",
        "score-net",
        "no-dropout",
        "w/o dropout",
        "Human performance",
    ] {
        let text = format!("dataset,svm,{name}\na,.9,.8\nb,.8,.7\n");
        let records = read(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(records.arms(), ["svm", name]);
    }
    for name in [
        "val-loss",
        "news-acc",
        "train-time",
        "step-1",
        "run-1",
        "lm_loss",
        "peak-memory",
        "num-layers",
    ] {
        let text = format!("dataset,svm,{name}\na,.9,.8\nb,.8,.7\n");
        assert!(read(&text).is_err(), "{name}");
    }
}

#[test]
fn marks_beside_numbers_are_read_off() {
    let records = read("dataset,svm,ours\na,71.2,**73.1**\nb,70.3,72.8†\n").unwrap();
    assert_eq!(records.by_arm(), [[71.2, 70.3], [73.1, 72.8]]);
    assert_eq!(
        records.remarks(),
        ["`ours`: marks beside numbers are read off (`**73.1**`)"]
    );
    let error =
        read("dataset,svm,ours\na,71.2 ± .2,73.1 ± .1\nb,70.3 ± .1,72.8 ± .2\n").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`svm` holds means with their spread"),
        "{error}"
    );
}
