//! Rows of a file as splits that pair the scores of arms.

use super::{paired, paired_columns};
use crate::{Evaluations, Reading, SplitSource, read_from};

/// Returns the splits of each arm's rows.
fn splits(records: &Evaluations) -> Vec<(&str, Option<u64>)> {
    records.rows().map(|row| (row.arm, row.split)).collect()
}

#[test]
fn rows_are_splits_if_they_are_said_to_be() {
    // The wide form, in which cells may be empty; blank lines are no rows.
    let wide = read_from(
        b"a,b\n1,2\n\n,3\n4\n".as_slice(),
        None,
        &paired_columns(),
        "s",
    )
    .unwrap();
    assert_eq!(
        splits(&wide),
        [
            ("a", Some(0)),
            ("b", Some(0)),
            ("b", Some(1)),
            ("a", Some(2))
        ]
    );
    assert_eq!(wide.split_source(), SplitSource::Rows);
    let arms = [wide.find("b").unwrap()];
    assert_eq!(wide.select(&arms).split_source(), SplitSource::Rows);
    // The k-th rows of the long form and the k-th scores of lists; failures have their places.
    let long = paired("arm,score,status\na,1,\na,,failed\nb,2,\na,3,\nb,4,\nb,5,\n").unwrap();
    let expected = [("a", 0), ("a", 1), ("b", 0), ("a", 2), ("b", 1), ("b", 2)];
    assert_eq!(
        splits(&long),
        expected.map(|(arm, split)| (arm, Some(split)))
    );
    let lists = paired("{\"a\": [1, 2], \"b\": [3, 4]}").unwrap();
    let expected = [("a", 0), ("a", 1), ("b", 0), ("b", 1)];
    assert_eq!(
        splits(&lists),
        expected.map(|(arm, split)| (arm, Some(split)))
    );
}

#[test]
fn rows_that_cannot_be_splits_are_refused() {
    let refused = |text: &str| paired(text).unwrap_err().to_string();
    assert!(
        refused("arm,split,score\na,1,2\n").starts_with("s:1: the column `split` says already")
    );
    assert!(refused("split,a,b\n1,2,3\n").starts_with("s:1: the column `split` says already"));
    let stated = "{\"arm\": \"a\", \"score\": 1}\n{\"arm\": \"a\", \"score\": 1, \"split\": 3}\n";
    assert!(refused(stated).starts_with("s:2: there is a `split` already"));
    let uneven = refused("{\"a\": [1, 2], \"b\": [3]}");
    assert!(
        uneven.contains("`a` has 2, `b` has 1: write a CSV"),
        "{uneven}"
    );
}

/// Tests that rows may be splits only if nothing states the splits.
#[test]
fn says_whether_rows_may_be_splits() {
    for (text, may_be) in [
        ("document,a,b\nx,1,2\ny,3,\n", true),
        ("{\"a\": [1, 2], \"b\": [3, 4]}", true),
        ("{\"a\": [1, 2], \"b\": [3]}", false),
        ("{\"a\": [1, 2]}", false),
        ("split,a,b\n1,2,3\n2,3,4\n", false),
    ] {
        let records = read_from(text.as_bytes(), None, &Reading::default(), "s").unwrap();
        assert_eq!(records.rows_may_be_splits(), may_be, "{text}");
    }
}
