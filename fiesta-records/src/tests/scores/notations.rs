//! Tests of cells that are no plain numbers: percent signs, words of truth, marks for missing
//! scores, names of splits;

use super::all;
use crate::{ColumnNames, Evaluations, Reading, SplitSource, read_from};

fn read(text: &str) -> Result<Evaluations, String> {
    let options = Reading::default();
    read_from(text.as_bytes(), None, &options, "s").map_err(|error| error.to_string())
}

fn refused(text: &str) -> String {
    read(text).expect_err(text)
}

fn arms(names: &[&str]) -> Reading {
    Reading {
        arms: names.iter().map(ToString::to_string).collect(),
        ..Reading::default()
    }
}

fn on_folds() -> Reading {
    Reading {
        columns: ColumnNames {
            split: Some("fold".to_owned()),
            ..ColumnNames::default()
        },
        ..Reading::default()
    }
}

#[test]
fn percent_signs_are_of_percentages() {
    for text in [
        "arm,score\na,71.5%\nb,69 %\na,+70%\n",
        "arm;score\na;71,5 %\nb;69%\na;70,000%\n",
        "{\"arm\": \"a\", \"score\": \"71.5%\"}\n{\"arm\": \"b\", \"score\": \"69%\"}\n{\"arm\": \"a\", \"score\": \"70%\"}",
    ] {
        let records = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(records.by_arm(), [vec![71.5, 70.0], vec![69.0]], "{text}");
        let remark = &records.remarks()[0];
        assert!(
            remark.starts_with("`score`: numbers have percent signs (`7"),
            "{remark}"
        );
        let of_b = records.select(&[records.find("b").unwrap()]);
        assert_eq!(of_b.remarks(), records.remarks());
    }
    let wide = read("dataset,a,b\nx,71.5%,69%\ny,,70%\n").unwrap();
    assert_eq!(wide.by_arm(), [vec![71.5], vec![69.0, 70.0]]);
    assert!(read("arm,score\na,71.5\n").unwrap().remarks().is_empty());
    for (text, message) in [
        (
            "arm,score\na,71%\n\nb,0.69\na,70%\n",
            "s:4: some scores have a percent sign (`71%`), and some in the column `score` have none (`0.69`)",
        ),
        (
            "item,a,b\nx,.71%,.69\ny,.70%,.68\n",
            "s:2: some scores have a percent sign (`.71%`), and some in the column `b`",
        ),
        (
            "arm,score\na,71%%\n",
            "s:2: the score `71%%` is not a number",
        ),
        (
            "arm,score,cost\na,71,5%\n",
            "s:2: the cost `5%` is not a number",
        ),
        (
            "arm;score\na;71,5%\nb;69.5%\n",
            "s:3: some numbers have a decimal comma (`71,5%`), and some in the column `score` a point (`69.5%`)",
        ),
    ] {
        assert!(refused(text).starts_with(message), "{}", refused(text));
    }
}

#[test]
fn words_of_truth_are_1_and_0() {
    for (yes, no) in [
        ("True", "False"),
        ("yes", "NO"),
        ("PASS", "fail"),
        ("passed", "failed"),
        ("correct", "incorrect"),
        ("✓", "✗"),
    ] {
        let text = format!("arm,item,score\na,x,{yes}\nb,x,{no}\na,y,{no}\nb,y,{yes}\n");
        let records = read(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(records.by_arm(), [[1.0, 0.0], [0.0, 1.0]], "{text}");
        let remark = format!("`score`: words such as `{yes}` are taken for 1 (true) and 0 (false)");
        assert_eq!(records.remarks(), [remark]);
    }
    for text in [
        r#"[{"arm": "a", "item": 1, "score": true}, {"arm": "b", "item": 1, "score": false}]"#,
        "{\"arm\": \"a\", \"item\": 1, \"score\": true}\n{\"arm\": \"b\", \"item\": 1, \"score\": false}\n",
    ] {
        let records = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(records.by_arm(), [[1.0], [0.0]], "{text}");
        assert_eq!(records.items(), ["1"]);
    }
    let wide = read("question,a,b\nx,True,False\ny,True,True\n").unwrap();
    assert_eq!(wide.by_arm(), [[1.0, 1.0], [0.0, 1.0]]);
    assert!(read("question,is_long,is_hard\nx,True,False\ny,True,True\n").is_err());
    let failed = "arm,item,score\na,1,PASS\na,2,ERROR\n";
    assert!(read(failed).unwrap_err().contains("say with --failed"));
    let wide = read("item,a,b\nx,pass,fail\ny,pass,pass\n").unwrap();
    assert_eq!(wide.by_arm(), [[1.0, 1.0], [0.0, 1.0]]);
    for (text, message) in [
        (
            "arm,score\na,True\nb,0.5\n",
            "s:2: the score `True` is not a number",
        ),
        (
            "arm,score\na,1\nb,maybe\nc,no\n",
            "s:3: the score `maybe` is not a number",
        ),
        (
            "[\n{\"arm\": \"a\", \"score\": 0.5},\n{\"arm\": \"b\", \"score\": true}]",
            "s:3: the score `true` is not a number",
        ),
        (
            "item,a,b\nx,pass,0.5\ny,fail,0.25\n",
            "s:2: in the column `a`, the score `pass`",
        ),
    ] {
        assert!(refused(text).starts_with(message), "{}", refused(text));
    }
    // These may be properties of the rows, unless someone says that they are systems.
    let text = "dataset,public,labelled\nx,yes,no\ny,yes,yes\n";
    assert!(refused(text).contains("`public` holds `yes`, which is no number"));
    let named = read_from(text.as_bytes(), None, &arms(&["public", "labelled"]), "s").unwrap();
    assert_eq!(named.by_arm(), [[1.0, 1.0], [0.0, 1.0]]);
}

/// Tests that columns of percentages and answers are proposed as the score as numbers are.
#[test]
fn scores_in_words_are_proposed() {
    for (score, one, other) in [
        ("correct", "True", "False"),
        ("acc", "71.5%", "69%"),
        ("acc", "0.71", "-"),
    ] {
        let text = format!(
            "model,question,{score}\nm,x,{one}\nn,x,{other}\nm,y,{other}\nn,y,{one}\nm,z,{one}\nn,z,{one}\n"
        );
        let error = read_from(text.as_bytes(), None, &Reading::default(), "s").unwrap_err();
        let proposal = error
            .proposal()
            .unwrap_or_else(|| panic!("{text}: {error}"));
        assert_eq!(proposal.metric.as_deref(), Some(score), "{text}");
    }
    // Not so a property.
    let text = "model,pretrained,acc\nm,True,.5\nn,False,.6\nm,True,.7\nn,False,.8\n";
    let error = read_from(text.as_bytes(), None, &Reading::default(), "s").unwrap_err();
    assert!(error.proposal().unwrap().others.is_empty());
}

#[test]
fn marks_stand_for_no_number() {
    for mark in ["-", "–", "?", "n.a.", "N/A"] {
        let text = format!("arm,seed,score\na,1,.5\na,2,{mark}\nb,1,.25\nb,2,.75\n");
        let message = refused(&text);
        let expected = if mark == "N/A" {
            "the score `NaN` is not finite"
        } else {
            "the score is missing"
        };
        assert!(
            message.starts_with(&format!("s:3: {expected}")),
            "{message}"
        );
        assert!(message.contains("--failed"), "{message}");
        let records = all(&text).unwrap();
        assert_eq!(records.by_arm(), [vec![0.5], vec![0.25, 0.75]], "{mark}");
        assert_eq!(
            (records.failures()[0].line, records.failures().len()),
            (3, 1)
        );
    }
    let wide = read("dataset,a,b\nx,.5,-\ny,.75,.25\nz,-,.5\n").unwrap();
    assert_eq!(wide.by_arm(), [[0.5, 0.75], [0.25, 0.5]]);
    assert_eq!(wide.remarks(), ["`a`, `b`: `-` stands for no number"]);
    let commas = read("dataset;a;b\nx;0,5;0,75\ny;-;0,25\nz;0,5;0,5\n").unwrap();
    assert_eq!(commas.gaps(), Some((1, 3)));
    let json = "{\"arm\": \"a\", \"score\": 0.5}\n{\"arm\": \"a\", \"score\": \"-\"}\n";
    assert!(refused(json).starts_with("s:2: the score is missing"));
    assert!(refused("arm,score\na,-\nb,x\n").starts_with("s:2: the score `-` is not a number"));
    // A name may be a dash.
    let dash = read("arm,score\n-,71%\nb,70%\n").unwrap();
    assert_eq!(dash.arms(), ["-", "b"]);
}

#[test]
fn splits_may_have_names() {
    for text in [
        "arm,fold,score\na,fold-1,.5\nb,fold-1,.25\na,c,.75\nb,c,.5\n",
        "fold,a,b\nfold-1,.5,.25\nc,.75,.5\n",
        r#"[{"arm": "a", "fold": "fold-1", "score": 0.5}, {"arm": "b", "fold": "fold-1", "score": 0.25},
            {"arm": "a", "fold": "c", "score": 0.75}, {"arm": "b", "fold": "c", "score": 0.5}]"#,
    ] {
        let records = read_from(text.as_bytes(), None, &on_folds(), "s");
        let records = records.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(records.split_source(), SplitSource::Column, "{text}");
        assert!(records.items().is_empty() && records.folds().is_some());
        let splits: Vec<_> = records.named().map(|r| (r.arm, r.score, r.split)).collect();
        let expected = [("a", 0.5, 0), ("b", 0.25, 0), ("a", 0.75, 1), ("b", 0.5, 1)];
        assert_eq!(
            splits,
            expected.map(|(arm, score, split)| (arm, score, Some(split)))
        );
        assert!(records.remarks()[0].ends_with("numbered in the order of their first appearance"));
    }
    let by_data = ColumnNames {
        split: Some("Dataset".to_owned()),
        ..ColumnNames::default()
    };
    let options = Reading {
        columns: by_data,
        ..Reading::default()
    };
    let text = "Dataset,a,b\npears,.5,.25\nfigs,.75,.5\n";
    let records = read_from(text.as_bytes(), None, &options, "s").unwrap();
    assert_eq!(records.split_source(), SplitSource::Column);
    assert_eq!(records.records().at(2).split, Some(1));
    for (text, message) in [
        (
            "arm,fold,score\na,1,.5\na,two,.75\n",
            "s:3: the split `two` is not a whole number",
        ),
        (
            "arm,fold,score\na,1.5,.5\na,2,.75\n",
            "s:2: the split `1.5` is not a whole number",
        ),
        (
            "arm,fold,score\na,x,.5\na,mean,.75\n",
            "s:3: the split `mean` may be a row that summarises",
        ),
        (
            "arm,fold,score\na,train,.9\na,test,.75\n",
            "s:2: the split `train` may be a part of the data",
        ),
        (
            "arm,fold,seed,score\na,x,1,.5\na,x,1,.75\n",
            "s:3: the evaluation of `a` on split 0 with seed 1",
        ),
        (
            "arm,fold,score\na,the  first,.5\na,the first,.75\n",
            "s:3: the names `the  first` and `the first` differ in spaces alone",
        ),
    ] {
        let error = read_from(text.as_bytes(), None, &on_folds(), "s").expect_err(text);
        let error = error.to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
}
