//! Tests of lines that are no evaluations: comments, blank rows, rows and columns of means.

use super::all;
use crate::{ColumnNames, Evaluations, Reading, SplitSource, read_from};

fn read(text: &str) -> Result<Evaluations, String> {
    let options = Reading::default();
    read_from(text.as_bytes(), None, &options, "s").map_err(|error| error.to_string())
}

fn refused(text: &str) -> String {
    read(text).expect_err(text)
}

#[test]
fn comments_before_the_header_are_left_out() {
    for text in [
        "\u{feff}# made by a script\n#arm;score\narm,score\na,.5\nb,.75\n",
        "# made, by\r\n\r\n# a script\r\narm;score\r\na;0.5\r\nb;0.75\r\n",
        "#\n#\narm\tscore\na\t.5\nb\t.75\n",
    ] {
        let records = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(records.by_arm(), [[0.5], [0.75]], "{text}");
        assert_eq!(
            records.remarks(),
            ["2 lines before the header are comments (`#`) or a title, and left out"]
        );
    }
    assert!(refused("# x\n\n# y\narm,score\na,x\n").starts_with("s:5: the score `x`"));
    assert!(refused("# x\narm,f\na,1\n").starts_with("s:2: there is no column `score`"));
    // A header that is a comment itself is none to guess.
    assert!(
        refused("# dataset,a,b\nx,.5,.75\ny,.5,.75\n").contains("remove lines that are comments")
    );
    assert!(read("# dataset,a,b\nx,pass,fail\ny,fail,pass\n").is_err());
}

#[test]
fn blank_rows_count_for_nothing() {
    let named = ColumnNames {
        item: Some("name".to_owned()),
        ..ColumnNames::default()
    };
    let items = Reading {
        columns: named,
        ..Reading::default()
    };
    let text = "name,a,b\n,,\nx,.5,.75\n , ,\ny,.5,.25\n,,\n\"\",,\n";
    let records = read_from(text.as_bytes(), None, &items, "s").unwrap();
    assert_eq!(records.items(), ["x", "y"]);
    assert_eq!(records.by_arm(), [[0.5, 0.5], [0.75, 0.25]]);
    assert_eq!(records.gaps(), None);
    let joined = ColumnNames {
        arm: Some("model+prompt".to_owned()),
        item: Some("task+question".to_owned()),
        ..ColumnNames::default()
    };
    let joined = Reading {
        columns: joined,
        ..Reading::default()
    };
    let text = "model,prompt,task,question,score\nm,p,t,q,1\n,,,,\nm,p,t,r,1\n;\n";
    let error = read_from(text.as_bytes(), None, &joined, "s")
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("s:5: the row has 1 fields"), "{error}");
    let records = read_from(text.trim_end_matches(";\n").as_bytes(), None, &joined, "s").unwrap();
    assert_eq!(
        (records.arms(), records.items()),
        (
            &["m+p".to_owned()][..],
            &["t/q".to_owned(), "t/r".to_owned()][..]
        )
    );
}

#[test]
fn means_are_left_out_where_they_are_means() {
    for text in [
        "dataset,a,b\nx,.5,.7\ny,.7,.8\nmean,.6,.75\n",
        "dataset,a,b\nAverage,.60,.75\nx,.5,.7\ny,.7,.8\n",
        "dataset,a,b,Avg.\nx,.5,.7,.6\ny,.7,.8,.8\n",
        "dataset,a,b,overall\nx,.5,.7,.6\ny,.7,.8,.75\noverall,.6,.8,.7\n",
        "dataset,a,b\nx,.5,.7\ny,.7,.8\ntotal,1.2,\n",
    ] {
        let records = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(records.arms(), ["a", "b"], "{text}");
        assert_eq!(records.by_arm(), [[0.5, 0.7], [0.7, 0.8]], "{text}");
        assert_eq!(records.items(), ["x", "y"], "{text}");
        let said = |remark: &String| remark.ends_with("summarises the others, and is left out");
        assert!(
            records.remarks().iter().all(said),
            "{:?}",
            records.remarks()
        );
        assert!(!records.remarks().is_empty());
    }
    let folds = read("fold,a,b\n1,50%,70%\n2,70%,80%\nmean,60%,75.0%\n").unwrap();
    assert_eq!(folds.by_arm(), [[50.0, 70.0], [70.0, 80.0]]);
    assert_eq!(folds.split_source(), SplitSource::Column);
    for (text, message) in [
        (
            "dataset,a,b\nx,.5,.7\ny,.7,.8\nmean,.6,.9\n",
            "s:4: in the column `b`, by its name `mean` is a mean or a sum of the others, and 0.9 is neither (their mean is 0.7500): \
             either it or one of the others is wrong; correct that cell",
        ),
        (
            "dataset,a,b,avg\nx,.5,.7,.6\ny,.7,.8,.9\n",
            "s:3: by its name `avg` is a mean or a sum of the others, and 0.9 is neither (their mean is 0.7500)",
        ),
        (
            "dataset,a,b\nx,.5,.7\ny,.7,.8\nmean,.6,x\n",
            "s:1: this may be no table",
        ),
        (
            "dataset,a,mean\nx,.5,.5\ny,.7,.7\n",
            "s:1: this may be no table",
        ),
    ] {
        assert!(refused(text).starts_with(message), "{}", refused(text));
    }
    // Named as an arm, it is one; and a failure is in no mean.
    let options = Reading {
        arms: vec!["a".to_owned(), "mean".to_owned()],
        ..Reading::default()
    };
    let records = read_from(&b"dataset,a,mean\nx,.5,.7\n"[..], None, &options, "s").unwrap();
    assert_eq!(records.arms(), ["a", "mean"]);
    let records = all("dataset,a,b\nx,.5,.7\ny,NaN,.8\nmean,.5,.75\n").unwrap();
    assert_eq!(records.failures().len(), 1);
}

#[test]
fn names_of_items_may_have_several_lines() {
    for text in [
        "arm,item,score\na,\"Sum up:\nthis\",1\nb,\"Sum up:\nthis\",0\n",
        "item,a,b\n\"Sum up:\nthis\",1,0\n",
        r#"[{"arm": "a", "item": "Sum up:\nthis", "score": 1}, {"arm": "b", "item": "Sum up:\nthis", "score": 0}]"#,
    ] {
        let records = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(records.items(), ["Sum up:\\nthis"], "{text}");
        assert_eq!(records.by_arm(), [[1.0], [0.0]], "{text}");
    }
    assert!(refused("arm,item,score\na,\"x\ny,1\nb,\"x\",1\n").starts_with("s:2: a quote"));
    assert!(refused("arm,item,score\na,\"x\ny\",1\nb,z,x\n").starts_with("s:4: the score `x`"));
}
