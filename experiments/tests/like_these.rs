//! `experiments like-these`: verdicts on items like these, of answers that exist and of studies.

mod support;

use support::{json, list, number};

#[test]
fn a_row_a_population_and_size() {
    let rows = json(&["like-these", "--items=20", "--runs=300", "--seed=1"]);
    let rows = list(&rows);
    assert_eq!(rows.len(), 10);
    for row in rows {
        let wrong = number(&row["wrong"][2]);
        // .05 and four standard errors, at the worst of seven gaps.
        assert!(wrong <= 0.1, "{row}");
        assert_eq!((&row["items"], &row["runs"]), (&20.into(), &300.into()));
    }
}

#[test]
fn studies_end_or_stay_open() {
    let rows = json(&[
        "like-these",
        "--studies",
        "--items=60",
        "--runs=60",
        "--seed=1",
    ]);
    for row in list(&rows) {
        let (wrong, open) = (number(&row["wrong"][2]["mean"]), number(&row["open"][2]));
        // .2 and four standard errors.
        assert!(wrong <= 0.4 && (0.0..=1.0).contains(&open), "{row}");
    }
}
