//! The note on scores whose splits are folds of a cross-validation.

use fiesta_records::{Folds, excerpt};

/// Returns what is said where the splits are folds of a cross-validation. `taken` names what takes
/// the scores as independent.
///
/// Given the data, random splits are independent draws, as many as anyone likes; folds are neither.
/// Of neither is the variance known that other data would add (Nadeau and Bengio, "Inference for
/// the generalization error", 2003; Bengio and Grandvalet, "No unbiased estimator of the variance
/// of K-fold cross-validation", 2004).
pub(crate) fn folds_note(folds: &Folds, taken: &str) -> String {
    let what = match folds {
        Folds::Named(column) => format!(" (`{}`)", excerpt(column)),
        Folds::OfSearch => ", unless the search was given random splits".to_owned(),
    };
    format!(
        "the splits are folds of a cross-validation{what}: {taken} take scores on them as independent, although their training sets overlap and there are no further folds (Nadeau and Bengio 2003), so take them as a description of this data, or evaluate on more random splits of it"
    )
}

#[cfg(test)]
mod tests {
    use crate::analysis::{
        ScoresOfArms,
        belief::BeliefRequest,
        compare::{CompareOptions, ComparisonReport},
        curve::{CurveBands, CurveOptions, CurveReport, TrialsOfArms},
    };
    use crate::tuning_curve::{Estimator, Failed};
    use fiesta_core::Direction;
    use fiesta_import::{Tool, read_bytes};
    use fiesta_records::{ColumnNames, Evaluations, Reading, read_from};

    /// Makes scores on splits that stand in a column of this name.
    fn records(column: &str) -> Evaluations {
        let csv =
            format!("arm,{column},score\na,0,.7\na,1,.8\na,2,.75\nb,0,.6\nb,1,.72\nb,2,.66\n");
        let options = Reading {
            columns: ColumnNames {
                split: Some(column.to_owned()),
                ..ColumnNames::default()
            },
            keep_columns: true,
            ..Reading::default()
        };
        read_from(csv.as_bytes(), None, &options, "runs.csv").unwrap()
    }

    fn scores(records: &Evaluations) -> ScoresOfArms<'static> {
        ScoresOfArms::new(records, &[], Direction::Maximize, "runs.csv").unwrap()
    }

    /// Returns the notes of a belief on folds.
    fn notes(records: &Evaluations) -> Vec<String> {
        let report = BeliefRequest::default().report(scores(records), Some(records));
        let notes = report.unwrap().notes.into_iter();
        notes.filter(|note| note.contains("folds")).collect()
    }

    #[test]
    fn beliefs_on_folds_say_so_once() {
        for column in ["fold", "cv_fold", "outerFold", "KFold", "fold id"] {
            let notes = notes(&records(column));
            assert_eq!(notes.len(), 1, "{column}");
            let start = format!(
                "the splits are folds of a cross-validation (`{column}`): intervals and P(best)"
            );
            assert!(notes[0].starts_with(&start), "{}", notes[0]);
        }
        for column in ["split", "repeat", "scaffold", "manifold_id"] {
            assert!(notes(&records(column)).is_empty(), "{column}");
        }
    }

    #[test]
    fn folds_are_known_of_some_arms_and_without_failures() {
        let all = records("fold");
        let one = all.select(&[all.find("b").unwrap()]).without_failures();
        assert_eq!(one.folds(), all.folds());
        assert!(one.folds().is_some());
    }

    #[test]
    fn searches_of_scikit_learn_have_folds_as_a_rule() {
        let table = "mean_fit_time,params,split0_test_score,split1_test_score,split2_test_score\n\
                     .1,{'C': 1},.7,.8,.75\n.1,{'C': 9},.6,.72,.66\n";
        let options = Reading::default();
        let found = read_bytes(table.as_bytes(), Tool::Sklearn, &options, "cv.csv").unwrap();
        let notes = notes(&found.records);
        assert!(notes[0].contains("unless the search was given random splits"));
    }

    #[test]
    fn comparisons_and_bands_say_so_too() {
        let records = records("fold");
        let compared = ComparisonReport::new(&scores(&records), &CompareOptions::default());
        let notes = compared.unwrap().notes;
        assert!(
            notes
                .iter()
                .any(|note| note.contains("intervals and P(better)"))
        );
        let text = |bands: CurveBands| {
            let options = CurveOptions {
                estimator: Estimator::PlugIn,
                bands,
                band_of: None,
                confidence: 0.95,
                largest_n: None,
                reach: Vec::new(),
                time: false,
                failed: Failed::Error,
            };
            let trials = TrialsOfArms::new(
                &records,
                "score",
                Direction::Maximize,
                Some((0.0, 1.0)),
                options.failed,
                "runs.csv",
            );
            CurveReport::new(&trials.unwrap(), &options).unwrap().text()
        };
        let said = "The splits are folds of a cross-validation (`fold`): bands take";
        assert!(text(CurveBands::default()).contains(said));
        // Without bands nothing is inferred from the folds.
        assert!(!text(CurveBands::None).contains(said));
    }

    #[cfg(feature = "html")]
    #[test]
    fn reports_have_it_among_their_notes() {
        use crate::analysis::report::{ReportInput, ReportOptions, WrittenReport};
        let records = records("fold");
        let input = ReportInput {
            title: "runs".to_owned(),
            source: "runs.csv".to_owned(),
            metric: "score".to_owned(),
            records,
            direction: Direction::Maximize,
            bounds: None,
            of_search: false,
            study: None,
            notices: Vec::new(),
        };
        let report = WrittenReport::new(&input, &ReportOptions::default()).unwrap();
        let page = report.page.html();
        assert_eq!(page.matches("folds of a cross-validation").count(), 1);
    }
}
