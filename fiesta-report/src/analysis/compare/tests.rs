//! Tests of comparisons of two arms against SciPy, and of what their texts say.

use super::*;
use fiesta_records::{Reading, read_from};

fn compare(file: &str, direction: Direction, options: &CompareOptions) -> ComparisonReport {
    tried(file, direction, options).unwrap()
}

fn tried(
    file: &str,
    direction: Direction,
    options: &CompareOptions,
) -> Result<ComparisonReport, AnalysisError> {
    let records = read_from(file.as_bytes(), None, &Reading::default(), "file").unwrap();
    let scores = ScoresOfArms::new(&records, &[], direction, "file")?;
    ComparisonReport::new(&scores, options)
}

#[test]
fn the_posterior_draws_as_often_as_asked() {
    let of = |draws, seed| {
        let options = CompareOptions {
            draws,
            seed,
            ..CompareOptions::default()
        };
        compare(PAIRS, Direction::Maximize, &options).probability_better
    };
    let [printed, of_another_stream] = [None, Some(1)].map(|seed| of(None, seed).unwrap());
    assert!((printed - of_another_stream).abs() < 5.0 * fiesta_posterior::Paired::ERROR);
    assert_ne!(of(Some(160), Some(0)), of(Some(160), Some(1)));
    assert_ne!(of(Some(160), Some(0)), of(Some(500), Some(0)));
}

fn of(a: &str, b: &str) -> CompareOptions {
    CompareOptions {
        arms: Some([a.to_owned(), b.to_owned()]),
        ..CompareOptions::default()
    }
}

fn close(found: impl Into<Option<f64>>, expected: f64) {
    let found = found.into().unwrap();
    assert!((found - expected).abs() < 1e-11, "{found} {expected}");
}

const PAIRS: &str = "split,a,b\n0,.71,.69\n1,.64,.61\n2,.69,.68\n3,.66,.64\n4,.73,.70\n5,.62,.63\n";

/// Tests arms on shared splits against SciPy 1.17.1: `ttest_rel` with its `confidence_interval(.9)`.
#[test]
fn on_shared_splits() {
    let options = CompareOptions {
        confidence: 0.9,
        ..of("a", "b")
    };
    let found = compare(PAIRS, Direction::Maximize, &options);
    assert_eq!((found.test, found.shared_splits), ("paired t", Some(6)));
    close(found.p_value, 0.042_193_996_705_524_66);
    close(found.lower, 0.004_281_447_958_973_618);
    close(found.upper, 0.029_051_885_374_359_7);
    assert!(found.probability_better.unwrap() > 0.95);
    assert_eq!(found.mcnemar, None);
    let turned = compare(PAIRS, Direction::Minimize, &of("b", "a"));
    close(turned.p_value, 0.042_193_996_705_524_66);
    close(turned.difference, -found.difference);
    let (p, turned) = (
        found.probability_better.unwrap(),
        turned.probability_better.unwrap(),
    );
    // Another order of the arms is another stream of draws.
    assert!((p - turned).abs() < 0.05, "{p} {turned}");
    // Without names, the best first.
    let default = compare(PAIRS, Direction::Minimize, &CompareOptions::default());
    assert_eq!((&*default.a.name, &*default.b.name), ("b", "a"));
    let text = found.text();
    assert!(
        text.contains("a − b on the 6 splits of both: 0.0167, 90 % interval 0.00428 to 0.0291; paired t test with 5.00 degrees of freedom, two-sided p = 0.0422"),
        "{text}"
    );
}

/// Tests arms on different splits against SciPy 1.17.1: `ttest_ind(equal_var=False)` with its `confidence_interval(.95)`.
#[test]
fn on_different_splits() {
    let x = [0.62, 0.63, 0.60, 0.66, 0.61, 0.65, 0.59, 0.64, 0.70];
    let y = [0.60, 0.61, 0.60, 0.64, 0.62, 0.60, 0.58];
    let file = format!("{{\"x\": {x:?}, \"y\": {y:?}, \"z\": [0.1, 0.2]}}");
    let found = compare(&file, Direction::Maximize, &CompareOptions::default());
    assert_eq!((found.test, found.shared_splits), ("welch t", None));
    close(found.p_value, 0.072_098_798_671_307_64);
    close(found.lower, -0.002_715_632_514_585_349);
    close(found.upper, 0.055_096_584_895_537_766);
    close(found.degrees_of_freedom, 12.918_029_593_624_954);
    assert!(found.notes[0].starts_with("x and y have the best means of 3 arms"));
    let named = compare(&file, Direction::Maximize, &of("x", "y"));
    assert_eq!(named.notes, Vec::<String>::new());
}

/// Tests answers of which less is better, so that 0 is right, against SciPy 1.17.1: `binomtest(1, 5)`.
#[test]
fn on_items_that_are_right_or_wrong() {
    let file = "item,a,b\nq1,1,0\nq2,1,0\nq3,0,1\nq4,1,1\nq5,1,0\nq6,1,0\nq7,0,0\nq8,0,\n";
    let found = compare(file, Direction::Maximize, &of("a", "b"));
    let test = found.mcnemar.unwrap();
    close(test.p_value, 0.375);
    assert_eq!(found.only_a, ["q1", "q2", "q5", "q6"]);
    assert_eq!(found.only_b, ["q3"]);
    assert_eq!((found.left_out, found.pairing), (1, "item"));
    let text = found.text();
    assert!(
        text.contains(
            "right on items: 4 of a alone, 1 of b alone; exact McNemar p = 0.375, mid-p 0.219"
        ),
        "{text}"
    );
    assert!(
        text.contains(
            "b lacks 1 of the 8 items: arms are compared on the 7 items that all have answered"
        ),
        "{text}"
    );
    // P(Beta(5, 2) > ½), of more items: which one is missing was not chosen.
    let p = found.probability_better.unwrap();
    assert!((p - 57.0 / 64.0).abs() < 1e-3, "{p}");
    let errors = compare(file, Direction::Minimize, &of("a", "b"));
    assert_eq!(
        (errors.only_b.len(), errors.only_a),
        (4, vec!["q3".to_owned()])
    );
}

/// Tests four equal differences, of probability 2·2⁻⁴ either way, against SciPy 1.17.1: `binomtest(4, 4)`.
#[test]
fn without_noise() {
    let file = "split,a,b\n0,.71,.70\n1,.64,.63\n2,.69,.68\n3,.66,.65\n";
    let found = compare(file, Direction::Maximize, &of("a", "b"));
    close(found.p_value, 0.125);
    assert_eq!((found.test, found.lower), ("permutation", None));
    let equal = compare(
        "split,a,b\n0,.7,.7\n1,.6,.6\n",
        Direction::Maximize,
        &of("a", "b"),
    );
    close(equal.p_value, 1.0);
    assert_eq!(equal.probability_better, None);
    assert!(equal.notes[0].starts_with("nothing is said of P(better)"));
}

#[test]
fn what_cannot_be_compared() {
    let refused = |options: &CompareOptions, said: &str| {
        let error = tried(PAIRS, Direction::Maximize, options).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    };
    refused(&of("a", "a"), "compared with itself");
    refused(&of("a", "c"), "there is no arm `c`");
    let options = CompareOptions {
        confidence: 1.0,
        ..of("a", "b")
    };
    refused(&options, "confidence");
    let options = CompareOptions {
        posterior: Some("normal".to_owned()),
        ..of("a", "b")
    };
    refused(&options, "normal");
    let one = tried(
        "{\"a\": [0.5, 0.6]}",
        Direction::Maximize,
        &CompareOptions::default(),
    );
    assert!(one.unwrap_err().to_string().contains("only one arm, `a`"));
    let single = compare("split,a,b\n0,.5,.6\n", Direction::Maximize, &of("a", "b"));
    assert_eq!((single.p_value, single.lower), (None, None));
    assert!(single.text().contains("too few scores for a test"));
}
