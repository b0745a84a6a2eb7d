//! Tests of importing tables of scikit-learn's `cross_validate`, and scores that are negated.

use super::{column, file, metric, refused};
use fiesta_core::Direction;
use fiesta_import::{Tool, read_bytes, read_results_from};
use fiesta_records::{Folds, Missing, Reading};

#[test]
fn each_row_of_a_cross_validation_is_a_fold() {
    let name = "cross_validate.csv";
    let found = file(name, Tool::Sklearn, &metric("neg_mean_squared_error")).unwrap();
    assert_eq!(found.records.metric(), "test_neg_mean_squared_error");
    assert_eq!(found.records.arms(), ["cross_validate"]);
    let splits: Vec<_> = found.records.rows().map(|row| row.split).collect();
    assert_eq!(splits, [Some(0), Some(1), Some(2)]);
    assert!((found.records.records().at(1).score + 511.044_806_099_798_56).abs() < 1e-12);
    assert!((found.records.rows().next().unwrap().duration.unwrap() - 0.028_407_6).abs() < 1e-6);
    assert_eq!(found.records.folds(), Some(&Folds::OfSearch));
    assert!(
        column(&found.records, "train_r2")[0]
            .unwrap()
            .starts_with("0.97")
    );
    assert_eq!(found.direction, Some(Direction::Maximize));
    let folds = "the splits are the folds of the cross-validation, one on each row";
    assert!(found.notices.iter().any(|notice| notice == folds));
    let r2 = file(name, Tool::Sklearn, &metric("test_r2")).unwrap();
    assert_eq!(r2.direction, None);
    let error = file(name, Tool::Sklearn, &Reading::default()).unwrap_err();
    let choices: Vec<String> = error.choices().iter().map(ToString::to_string).collect();
    assert_eq!(
        choices,
        ["--metric test_neg_mean_squared_error", "--metric test_r2"]
    );
}

#[test]
fn json_of_pandas_and_of_lists_is_a_table() {
    let of_pandas = file("cross_validate.json", Tool::Sklearn, &Reading::default()).unwrap();
    let scores = [[-394.698_326_711_5, -511.044_806_099_8, -291.643_031_160_5]];
    assert_eq!(of_pandas.records.by_arm(), scores);
    let lists =
        r#"{"fit_time": [1, 2, 3], "score_time": [0, 0, 0], "test_score": [0.5, NaN, 0.75]}"#;
    let drop = Reading {
        missing: Some(Missing::Drop),
        ..Reading::default()
    };
    let found = read_results_from(lists.as_bytes(), &Reading::default(), "ridge.json");
    assert!(
        refused(found)
            .starts_with("1 trial ended without a finite `test_score` (the first is ridge.json:2)")
    );
    let found = read_bytes(lists.as_bytes(), Tool::Sklearn, &drop, "ridge.json").unwrap();
    assert_eq!(found.records.arms(), ["ridge"]);
    let splits: Vec<_> = found.records.rows().map(|row| row.split).collect();
    assert_eq!(splits, [Some(0), Some(2)]);
    let search = r#"{"mean_fit_time": [1, 2], "params": [{"C": 1}, {"C": 9}], "split0_test_score": [0.5, 0.6], "split1_test_score": [0.7, 0.8]}"#;
    let found = read_results_from(search.as_bytes(), &Reading::default(), "s").unwrap();
    assert_eq!(found.tool, Some(Tool::Sklearn));
    assert_eq!(found.records.by_arm(), [[0.5, 0.7], [0.6, 0.8]]);
}

/// Tests the table of a search by scikit-learn itself, in which a third of the fits failed.
#[test]
fn a_search_of_two_scores() {
    let asked = Reading {
        missing: Some(Missing::Fail),
        ..metric("accuracy")
    };
    let found = file("cv_results.csv", Tool::Sklearn, &asked).unwrap();
    assert_eq!(found.records.arms().len(), 6);
    assert_eq!(
        (
            found.records.records().len(),
            found.records.failures().len()
        ),
        (12, 6)
    );
    assert_eq!(found.records.by_arm()[0], [0.95, 0.95, 0.9]);
    assert_eq!(found.records.folds(), Some(&Folds::OfSearch));
    let log_loss = Reading {
        missing: Some(Missing::Drop),
        ..metric("neg_log_loss")
    };
    let found = file("cv_results.csv", Tool::Sklearn, &log_loss).unwrap();
    assert_eq!(found.direction, Some(Direction::Maximize));
}

/// Tests that a score whose name says that it is negated is maximized, though the name has a loss
/// in it.
#[test]
fn negated_scores_of_a_search_are_maximized() {
    let search = "params,split0_test_neg_log_loss,split1_test_neg_log_loss\n{},-0.5,-0.25\n";
    let found = read_results_from(search.as_bytes(), &Reading::default(), "s").unwrap();
    assert_eq!(found.direction, Some(Direction::Maximize));
    let plain = search.replace("neg_log_loss", "f1");
    let found = read_results_from(plain.as_bytes(), &Reading::default(), "s").unwrap();
    assert_eq!(found.direction, None);
}

#[test]
fn settings_of_a_halving_search_compare_within_its_last_round() {
    let text = "iter,n_resources,params,mean_fit_time,split0_test_score,split1_test_score,mean_test_score\n\
                0,100,a,1,.5,.6,.55\n0,100,b,1,.5,.5,.5\n0,100,c,1,.9,.9,.9\n1,300,a,1,.7,.8,.75\n1,300,b,1,.6,.7,.65\n2,900,a,1,.9,.9,.9\n";
    let read = |options: &Reading| read_results_from(text.as_bytes(), options, "h.csv");
    let found = read(&Reading::default()).unwrap();
    assert_eq!(found.tool, Some(Tool::Sklearn));
    assert_eq!(found.records.arms(), ["a", "b"]);
    assert_eq!(found.records.by_arm(), [[0.7, 0.8], [0.6, 0.7]]);
    let told = found.notices.join("\n");
    assert!(
        told.contains("`iter` 1; 4 rows of other rounds are left out"),
        "{told}"
    );
    let trials = Reading {
        settings_are_trials: true,
        ..Reading::default()
    };
    assert!(refused(read(&trials)).contains("no random sample of trials"));
}

#[test]
fn a_setting_that_stands_twice_counts_once() {
    let text = "params,mean_fit_time,split0_test_score,split1_test_score\n\
                a,1,.5,.6\nb,1,.5,.5\na,2,.5,.6\nb,1,.4,.5\n";
    let found = read_results_from(text.as_bytes(), &Reading::default(), "s.csv").unwrap();
    assert_eq!(
        found.records.by_arm(),
        [vec![0.5, 0.6], vec![0.5, 0.5, 0.4, 0.5]]
    );
    let told = found.notices.join("\n");
    assert!(
        told.contains(
            "1 setting with the scores of an earlier row left out (the first is s.csv:4)"
        ),
        "{told}"
    );
}
