//! Comparisons of several arms against Holm's adjustment by hand.

use super::*;
use fiesta_records::{Reading, read_from};
use std::fmt::Write;

fn tried(file: &str, options: &CompareOptions) -> Result<PairsReport, AnalysisError> {
    let records = read_from(file.as_bytes(), None, &Reading::default(), "file").unwrap();
    let scores = ScoresOfArms::new(&records, &[], Direction::Maximize, "file")?;
    PairsReport::new(&scores, options)
}

fn pooled(tolerance: Option<f64>) -> CompareOptions {
    CompareOptions {
        posterior: Some("pooled".to_owned()),
        tolerance,
        ..CompareOptions::default()
    }
}

/// Writes five scores of an arm as a row, with this noise. Splits differ from each other by more than the noise.
fn row(base: f64, mean: f64, noise: [f64; 5]) -> String {
    let splits = (0..5).map(|split| base + mean + noise[split] + 0.1 * split as f64);
    splits
        .map(|score| format!("{score}"))
        .collect::<Vec<_>>()
        .join(",")
}

fn three() -> String {
    let [a, b, c] = [
        row(0.3, 0.02, [0.01, -0.01, 0.0, 0.01, -0.01]),
        row(0.3, 0.0, [0.0; 5]),
        row(0.3, -0.1, [-0.01, 0.01, 0.01, -0.01, 0.0]),
    ];
    format!("{{\"a\": [{a}], \"b\": [{b}], \"c\": [{c}]}}")
}

fn paired(file: &str, options: &CompareOptions) -> PairsReport {
    let reading = Reading {
        paired_rows: true,
        ..Reading::default()
    };
    let records = read_from(file.as_bytes(), None, &reading, "file").unwrap();
    let scores = ScoresOfArms::new(&records, &[], Direction::Maximize, "file").unwrap();
    PairsReport::new(&scores, options).unwrap()
}

/// Tests p-values of three arms by hand: with four degrees of freedom and y = t/√(4 + t²), P(|T| ≥ t) = 1 − y(3 − y²)/2.
#[test]
fn three_arms_by_hand() {
    let found = paired(&three(), &pooled(None));
    let p = |mean: f64, squares: f64| {
        let t = mean / (squares / 4.0 / 5.0).sqrt();
        let y = t / (4.0 + t * t).sqrt();
        1.0 - y * (3.0 - y * y) / 2.0
    };
    // Noise of a: .01, −.01, 0, .01, −.01; of a − c: .02, −.02, −.01, .02, −.01.
    let [ab, ac, bc] = [p(0.02, 4e-4), p(0.12, 14e-4), p(0.1, 4e-4)];
    assert!(bc < ac && ac < ab);
    let expected = [("a", "b", ab), ("a", "c", 2.0 * ac), ("b", "c", 3.0 * bc)];
    // The adjusted p-values rise with the plain ones.
    let expected = expected.map(|(a, b, p)| (a, b, if a == "a" { p.max(3.0 * bc) } else { p }));
    assert_eq!((found.pairs.len(), found.adjusted_over), (3, 3));
    for (pair, (a, b, p)) in found.pairs.iter().zip(expected) {
        let names = (&*pair.comparison.a.name, &*pair.comparison.b.name);
        assert_eq!((names, pair.result), ((a, b), "better"));
        let adjusted = pair.p_adjusted.unwrap();
        assert!((adjusted / p - 1.0).abs() < 1e-6, "{a} {b}: {adjusted} {p}");
    }
    // .02 in deviations of .01.
    assert!((found.pairs[0].comparison.effect.unwrap() - 2.0).abs() < 1e-9);
    assert_eq!(
        found.in_short(),
        "a has the best mean, 0.520. It is better than b and c."
    );
}

/// Tests a tie within a tolerance: the interval of a − b is .02 ± 2.776·.01/√5 = .0076 to .0324.
#[test]
fn a_tie_is_within_the_tolerance() {
    for (tolerance, result) in [(0.0325, "tie"), (0.0324, "better"), (0.0, "better")] {
        let found = paired(&three(), &pooled(Some(tolerance)));
        assert_eq!(found.pairs[0].result, result, "{tolerance}");
        assert_eq!(found.pairs[1].result, "better");
    }
    let equal = "{\"a\": [1, 2, 3], \"b\": [1, 2, 3], \"c\": [0, 5, 2]}";
    let equal = paired(equal, &pooled(None));
    let results: Vec<&str> = equal.pairs.iter().map(|pair| pair.result).collect();
    assert_eq!(results, ["open", "open", "tie"]);
    let refused = tried("split,a,b,c\n0,1,2,3\n1,1,3,2\n", &pooled(Some(-1.0)));
    assert!(refused.unwrap_err().to_string().contains("no distance"));
}

/// Tests that of seven arms the six pairs with the best are compared, with p-values adjusted over all 21 pairs.
#[test]
fn many_arms_are_compared_with_the_best() {
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let arms = names.iter().zip(0_u32..).map(|(name, place)| {
        let noise = |split: u32| 0.01 * f64::from((place * 5 + split * 3) % 7);
        let scores: Vec<f64> = (0..6)
            .map(|split| noise(split) - 0.02 * f64::from(place))
            .collect();
        format!("\"{name}\": {scores:?}")
    });
    let file = format!("{{{}}}", arms.collect::<Vec<_>>().join(","));
    let found = paired(&file, &pooled(None));
    assert_eq!((found.pairs.len(), found.adjusted_over), (6, 21));
    let best = &found.arms[0].name;
    assert!(
        found
            .pairs
            .iter()
            .all(|pair| pair.comparison.a.name == *best)
    );
    let least = { found.pairs.iter() }
        .min_by(|a, b| a.p_adjusted.unwrap().total_cmp(&b.p_adjusted.unwrap()));
    let least = least.unwrap();
    let expected = (21.0 * least.comparison.p_value.unwrap()).min(1.0);
    assert!((least.p_adjusted.unwrap() - expected).abs() < 1e-12);
    let text = found.text_within(80);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    assert!(text.contains("adjusted over the 21 pairs"), "{text}");
}

/// Tests that on items that are right or wrong, p is that of McNemar's test: 5 to 0 is 2·2⁻⁵, times 3.
#[test]
fn items_that_are_right_or_wrong() {
    let mut file = "item,a,b,c\n".to_owned();
    for item in 0..12 {
        let (b, c) = (i32::from(item >= 5), i32::from(item % 2 == 0));
        let _ = writeln!(file, "q{item},1,{b},{c}");
    }
    let found = tried(&file, &pooled(None)).unwrap();
    assert_eq!(&*found.pairs[0].comparison.b.name, "b");
    let p = found.pairs[0].comparison.mcnemar.unwrap().p_value;
    assert!((p - 0.0625).abs() < 1e-15, "{p}");
    assert!(found.method().contains("exact McNemar test"));
    // 6 to 0 of a and c is 2·2⁻⁶, the least: times 3; then twice that of a and b.
    let adjusted: Vec<f64> = found
        .pairs
        .iter()
        .map(|pair| pair.p_adjusted.unwrap())
        .collect();
    assert!((adjusted[1] - 3.0 / 32.0).abs() < 1e-12, "{adjusted:?}");
    assert!((adjusted[0] - 0.125).abs() < 1e-12, "{adjusted:?}");
}
