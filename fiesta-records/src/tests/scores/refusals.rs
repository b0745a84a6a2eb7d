//! Tests of refusals of rows, headers and whole files of scores.

use super::{read, refused};
use crate::{Format, Reading, read_from};

#[test]
fn says_what_is_wrong_with_a_long_row() {
    for (row, message) in [
        (
            "a,1,2",
            "the row has 3 fields and the header 7: put fields that contain a separator in \
                   quotes, and write numbers with a decimal point",
        ),
        (
            "a,0,71,1,2,,,",
            "the row has 8 fields and the header 7: put fields that contain a separator \
                         in quotes, and write numbers with a decimal point",
        ),
        (" ,0.5,1,2,,,", "the name of the arm is empty: name the arm"),
        (
            "\"a\nb\",0.5,1,2,,,",
            "the name `a\\nb` contains a line break, a tab or another control \
                               character: remove it, or close the quote before it",
        ),
        (
            "a,,1,2,,,",
            "the score is missing: fill it in, or remove the row, or say with --failed what an evaluation without one counts as \
             (drop, worst)",
        ),
        (
            "a,good,1,2,,,",
            "the score `good` is not a number: write digits, with a decimal point if \
                           need be",
        ),
        (
            "a,NaN,1,2,,,",
            "the score `NaN` is not finite: correct it, or remove the row of an \
                          evaluation that failed, or say with --failed what it counts as (drop, worst)",
        ),
        (
            "a,-inf,1,2,,,",
            "the score `-inf` is not finite: correct it, or remove the row of an \
                           evaluation that failed",
        ),
        (
            "a,1e400,1,2,,,",
            "the score `1e400` is not finite: correct it, or remove the row of an \
                            evaluation that failed",
        ),
        (
            "a,1.01,1,2,,,",
            "the score 1.01 is outside the bounds [0, 1] of score: correct the row or \
                           the bounds",
        ),
        (
            "a,0.5,1.5,2,,,",
            "the split `1.5` is not a whole number from 0 to 2^64 - 1: number them \
                            0, 1, 2, …",
        ),
        (
            "a,0.5,1,x,,,",
            "the seed `x` is not a whole number from 0 to 2^64 - 1: number them \
                          0, 1, 2, …",
        ),
        (
            "a,0.5,1,2,-0.1,,",
            "the cost `-0.1` is negative: give what was spent, as a number from 0 \
                              upwards",
        ),
        (
            "a,0.5,1,2,,-3,",
            "the duration `-3` is negative: give what was spent, as a number from 0 \
                            upwards",
        ),
        (
            "a,0.5,1,2,,1s,",
            "the duration `1s` is not a number: write digits, with a decimal point if \
                            need be",
        ),
        (
            "a,0.5,1,2,nan,,",
            "the cost `nan` is not finite: correct it, or remove the row of an \
                             evaluation that failed",
        ),
        (
            "g,0.5,0,0,,,",
            "the evaluation of `g` on split 0 with seed 0 is on line 2 already: keep one \
                          of the two",
        ),
        (
            "a,0.5,1,2,,,\"x",
            "a quote is opened and never closed, so that the rest of the file is one \
                            field: close it",
        ),
    ] {
        let header = "arm,score,split,seed,cost,duration,note";
        let text = format!("{header}\ng,1,0,0,,,\n\n{row}\nh,1,0,0,,,\n");
        assert_eq!(refused(&text), format!("s.csv:4: {message}"), "{row}");
    }
}

#[test]
fn counts_what_it_does_not_show() {
    let message = refused("arm,score\na,1\nb,2\nc,x\nd\ne,0\n");
    assert!(message.starts_with("s.csv:3: the score 2 is outside"));
    assert!(message.ends_with(" (2 further problems in this file)"));
    let duplicate_first = "arm,score,split,seed\na,1,0,0\na,1,0,0\na,1,0,0\nb,x,0,0\n";
    let message = refused(duplicate_first);
    assert!(message.starts_with("s.csv:3: the evaluation of `a`"));
    assert!(message.ends_with(" (2 further problems in this file)"));
}

/// Tests that two equal rows without a seed or a split are two evaluations.
#[test]
fn only_a_whole_case_can_be_a_duplicate() {
    assert!(read("arm,score,split,seed\na,1,0,\na,1,0,\na,1,,0\na,1,,0\n").is_ok());
    assert!(read("arm,score,split,seed\na,1,0,0\nb,1,0,0\na,1,1,0\na,1,0,1\n").is_ok());
}

#[test]
fn says_what_is_wrong_with_a_wide_row() {
    for (text, message) in [
        (
            "split,rnn,cnn\n0,lstm,0.5\n",
            "s.csv:1: this may be no table with a column for each system: `rnn` holds `lstm`, which is no number (columns: `split`, `rnn`, \
             `cnn`); name the columns of the systems with --arms, or, where one column names them, that column with --arm and the \
             score's with --score",
        ),
        (
            "split,a,b\n0,1,1\n1,0,3\n",
            "s.csv:3: in the column `b`, the score 3 is outside the bounds [0, 1] of score: correct \
             the row or the bounds",
        ),
        (
            "split,a,b\n0,1,1,1\n",
            "s.csv:2: the row has 4 fields and the header 3: put fields that contain a separator in \
             quotes, and write numbers with a decimal point",
        ),
        (
            "document,a,b\nx,1,\ny,1\n",
            "s.csv:1: this may be no table with a column for each system: `b` is empty (columns: `document`, `a`, `b`); name the columns of \
             the systems with --arms, or, where one column names them, that column with --arm and the score's with --score",
        ),
        (
            "a,split\n1,1.5\n",
            "s.csv:2: the split `1.5` is not a whole number from 0 to 2^64 - 1: number them 0, 1, 2, …",
        ),
        (
            "a,split,seed\n1,0,0\n1,0,0\n",
            "s.csv:3: the evaluation of `a` on split 0 with seed 0 is on line 2 already: keep one of \
             the two",
        ),
        (
            "split,\"a\nb\",c\n0,1,1\n",
            "s.csv:1: the name `a\\nb` contains a line break, a tab or another control character: \
             remove it, or close the quote before it",
        ),
    ] {
        assert_eq!(refused(text), message, "{text}");
    }
}

#[test]
fn says_what_is_wrong_with_a_file() {
    for (text, message) in [
        ("", "s.csv: there are no scores in this file"),
        ("\n \r\n", "s.csv: there are no scores in this file"),
        (
            "arm,score\n\n",
            "s.csv: there is a header, but no row of scores below it",
        ),
        (
            "a,b",
            "s.csv: there is a header, but no row of scores below it",
        ),
        (
            "\narm,f1\na,1\na,0\n",
            "s.csv:2: there is no column `score`, only `arm`, `f1`: name the column of the score with \
             --metric; by its names and contents, `f1` could be the score",
        ),
        (
            "arm,score,score\na,1,1\n",
            "s.csv:1: two columns are called `score`: rename or remove one",
        ),
        (
            "\"a\nb\",\"a\nb\"\n1,1\n",
            "s.csv:1: two columns are called `a\\nb`: rename or remove one",
        ),
        (
            "arm,\"score\na,1\n",
            "s.csv:1: a quote is opened and never closed, so that the rest of the file is one field: close it",
        ),
    ] {
        assert_eq!(refused(text), message, "{text}");
    }
}

#[test]
fn says_what_is_wrong_with_a_header() {
    let header = |header: &str| {
        let message = refused(&format!("{header}\n"));
        let message = message.strip_prefix("s.csv:1: ").expect("the first line");
        message.to_owned()
    };
    assert_eq!(
        header("arm,split,f1,acc"),
        "there is no column `score`, only `arm`, `split`, `f1`, `acc`: \
         name the column of the score with --metric"
    );
    assert_eq!(
        header("model,score"),
        "there is no column `arm`, only `model`, `score`: \
         name the column with the names of the candidates with --arm"
    );
    assert!(header("arm,score,arm").starts_with("two columns are called `arm`"));
    assert!(header("lstm,").starts_with("column 2 has no name"));
    assert!(header("lstm,cost").starts_with("the column `cost` does not say whose"));
    assert!(header("split,seed").starts_with("no column is an arm"));
    let commas = "arm,score\na,1\n";
    let options = Reading::default();
    let tabs = read_from(commas.as_bytes(), Some(Format::Tsv), &options, "s").unwrap_err();
    assert!(tabs.to_string().ends_with("separate them by tabs"));
    assert!(read("item,lstm,gru\nx,1,0\n").is_ok());
    for counts in ["arm,tp,fp,fn", "document,fn,fp,tp"] {
        assert!(header(counts).ends_with("read confusion counts with --counts"));
    }
    let options = Reading {
        metric: Some("tp".into()),
        ..Reading::default()
    };
    let counts = "arm,tp,fp,fn\na,1,2,3\n";
    assert!(read_from(counts.as_bytes(), None, &options, "s").is_ok());
}
