//! Scores of predicted classes: how well they agree with the true ones.

use ndarray::Array1;

use crate::data::CLASSES;

/// The scores of one evaluation, each between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The plain mean of the F1 scores of the classes, so that a rare class counts as much as a
    /// common one.
    pub macro_f1: f64,
    /// The share of correct predictions.
    pub accuracy: f64,
}

/// Compares `predicted` with `truth`, row by row.
///
/// A class that occurs neither in the one nor in the other scores an F1 of 0.
///
/// # Panics
///
/// If the two differ in length or are empty.
#[must_use]
pub fn score(truth: &Array1<usize>, predicted: &Array1<usize>) -> Score {
    assert_eq!(truth.len(), predicted.len(), "one prediction for each row");
    assert!(!truth.is_empty(), "nothing to score");

    let mut confusion = [[0_u32; CLASSES]; CLASSES];
    for (&true_class, &predicted_class) in truth.iter().zip(predicted) {
        confusion[true_class][predicted_class] += 1;
    }

    let correct: u32 = (0..CLASSES).map(|class| confusion[class][class]).sum();
    let rows: u32 = confusion.iter().flatten().sum();
    let f1_sum: f64 = (0..CLASSES).map(|class| f1(&confusion, class)).sum();
    let classes = u32::try_from(CLASSES).expect("a handful of classes");

    Score {
        macro_f1: f1_sum / f64::from(classes),
        accuracy: f64::from(correct) / f64::from(rows),
    }
}

/// The harmonic mean of precision and recall of one class; `confusion` has a row for each true
/// class and a column for each predicted one.
fn f1(confusion: &[[u32; CLASSES]; CLASSES], class: usize) -> f64 {
    let hits = confusion[class][class];
    let in_truth: u32 = confusion[class].iter().sum();
    let in_prediction: u32 = confusion.iter().map(|row| row[class]).sum();
    if in_truth + in_prediction == 0 {
        return 0.0;
    }
    f64::from(2 * hits) / f64::from(in_truth + in_prediction)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    fn assert_close(left: f64, right: f64) {
        assert!((left - right).abs() < 1e-12, "{left} is not {right}");
    }

    #[test]
    fn agrees_with_a_hand_computed_table() {
        // Class 0: 2 hits, 3 in truth, 4 predicted -> F1 = 4/7.
        // Class 1: 3 hits, 5 in truth, 4 predicted -> F1 = 6/9.
        let truth = array![0, 0, 0, 1, 1, 1, 1, 1];
        let predicted = array![0, 0, 1, 1, 1, 1, 0, 0];

        let score = score(&truth, &predicted);

        assert_close(score.accuracy, 5.0 / 8.0);
        assert_close(score.macro_f1, f64::midpoint(4.0 / 7.0, 6.0 / 9.0));
    }

    #[test]
    fn perfect_and_hopeless_predictions_are_the_ends_of_the_scale() {
        let truth = array![0, 1, 1];

        let perfect = score(&truth, &truth);
        assert_close(perfect.accuracy, 1.0);
        assert_close(perfect.macro_f1, 1.0);

        let hopeless = score(&truth, &array![1, 0, 0]);
        assert_close(hopeless.accuracy, 0.0);
        assert_close(hopeless.macro_f1, 0.0);
    }

    #[test]
    fn never_predicting_a_class_costs_its_whole_f1() {
        // Class 1 alone is predicted: F1 = 2*3 / (3 + 4) for it, 0 for the other.
        let score = score(&array![0, 1, 1, 1], &array![1, 1, 1, 1]);

        assert_close(score.accuracy, 0.75);
        assert_close(score.macro_f1, 3.0 / 7.0);
    }
}
