//! Tests of beliefs about several benchmarks.

use super::*;
use fiesta_records::{Reading, read_from};
use std::fmt::Write;

fn records(name: &str, csv: &str) -> BenchmarkRecords {
    let records = read_from(csv.as_bytes(), None, &Reading::default(), name).unwrap();
    BenchmarkRecords {
        name: name.to_owned(),
        records,
        direction: Direction::Maximize,
    }
}

/// A wide table of right and wrong answers: each arm is right on the first items, as many as it says.
fn right(name: &str, items: usize, arms: &[(&str, usize)]) -> BenchmarkRecords {
    let mut csv = "item".to_owned();
    for (arm, _) in arms {
        write!(csv, ",{arm}").unwrap();
    }
    for item in 0..items {
        write!(csv, "\nq{item}").unwrap();
        for (_, right) in arms {
            write!(csv, ",{}", u8::from(item < *right)).unwrap();
        }
    }
    records(name, &csv)
}

fn report(
    benchmarks: Vec<BenchmarkRecords>,
    weights: &str,
    scales: &[&str],
) -> Result<BeliefReport, String> {
    let scales: Vec<BenchmarkScale> = scales.iter().map(|of| of.parse().unwrap()).collect();
    let weights = weights.parse().unwrap();
    let request = BeliefRequest {
        tolerance: Some(0.02),
        ..BeliefRequest::default()
    };
    let report = request.of_benchmarks(benchmarks, &weights, &scales, "file");
    report.map_err(|error| error.to_string())
}

/// Three benchmarks, of which one is the other way round.
fn three() -> Vec<BenchmarkRecords> {
    vec![
        right(
            "maths",
            400,
            &[("large", 300), ("small", 270), ("tiny", 200)],
        ),
        right("code", 100, &[("large", 60), ("small", 55), ("tiny", 20)]),
        right(
            "safety",
            200,
            &[("large", 150), ("small", 164), ("tiny", 150)],
        ),
    ]
}

#[test]
fn one_typed_result_says_what_decides_and_what_is_reversed() {
    let report = report(three(), "equal", &[]).unwrap();
    let all = report.benchmarks.as_ref().unwrap();
    assert_eq!(
        (&*all.best, &*all.runner_up),
        (&["large".to_owned()][..], "small")
    );
    let lead = (0.075 + 0.05 - 0.07) / 3.0;
    assert!((all.lead - lead).abs() < 1e-12);
    assert_eq!(all.decides.as_deref(), Some("maths"));
    let of_these = all.arms.iter().map(|arm| arm.probability_on_these_items);
    assert_eq!(
        of_these.collect::<Vec<_>>(),
        [Some(1.0), Some(0.0), Some(0.0)]
    );
    let sum: f64 = all
        .arms
        .iter()
        .map(|arm| arm.probability_on_items_like_these)
        .sum();
    assert!((sum - 1.0).abs() < 1e-6);
    let safety = &all.benchmarks[2];
    let places: Vec<usize> = safety.arms.iter().map(|arm| arm.place).collect();
    assert_eq!(places, [2, 1, 2]);
    assert!(safety.is_harm && safety.probability_harm > 0.95 && !all.benchmarks[0].is_harm);
    // .125·(1 − w)/2 = .07·w at w = .4717.
    let (least, most) = safety.weights_of_best.unwrap();
    assert!(
        least == 0.0 && (most - 0.0625 / 0.1325).abs() < 1e-9,
        "{most}"
    );
    let text = report.text();
    for said in [
        "these items: large is best on the weighted mean of 3 benchmarks, by 0.0183",
        "items like these: large is best with",
        "benchmarks like these: ",
        "maths decides most: it adds +0.0250 to the lead of +0.0183 that large has over small",
        "small is ahead of large on safety",
        "caution: large is worse than small on safety by more than 0.0200, with",
        "0 % to 47.2 %",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert_eq!(report.in_short(), all.headline().join("; "));
}

#[test]
fn one_benchmark_alone_is_todays_answer() {
    let one = || three().remove(0);
    let alone = || {
        let BenchmarkRecords { records, .. } = one();
        let scores = crate::analysis::ScoresOfArms::new(&records, &[], Direction::Maximize, "file");
        BeliefRequest::default()
            .report(scores.unwrap(), None)
            .unwrap()
    };
    let of_pool = alone().pool.unwrap();
    for benchmarks in [vec![one()], three()] {
        let weights = if benchmarks.len() > 1 {
            "maths=3,code=0,safety=0"
        } else {
            "equal"
        };
        let report = report(benchmarks, weights, &[]).unwrap();
        let all = report.benchmarks.unwrap();
        for (arm, known) in all.arms.iter().zip(&of_pool.arms) {
            let like = known.probability_on_items_like_these.unwrap();
            assert_eq!(
                arm.probability_on_items_like_these.to_bits(),
                like.to_bits()
            );
            assert!((arm.value - known.mean.unwrap()).abs() < 1e-12);
        }
        for (arm, known) in report.arms.iter().zip(&alone().arms) {
            assert_eq!(
                arm.probability_best.to_bits(),
                known.probability_best.to_bits()
            );
        }
    }
}

#[test]
fn weights_by_items_are_those_of_one_large_benchmark() {
    let report = report(three(), "items", &[]).unwrap();
    let all = report.benchmarks.unwrap();
    let value = (300.0 + 60.0 + 150.0) / 700.0;
    assert!((all.arms[0].value - value).abs() < 1e-12);
    assert!(all.arms[0].probability_on_benchmarks_like_these.is_none());
}

#[test]
fn an_arm_that_lacks_a_benchmark_is_named_and_left_out() {
    let mut benchmarks = three();
    benchmarks[0] = right(
        "maths",
        400,
        &[("other", 9), ("small", 270), ("large", 300)],
    );
    let report = report(benchmarks, "equal", &[]).unwrap();
    let text = report.text();
    assert!(
        text.contains("other is left out: code and safety have no score of it"),
        "{text}"
    );
    assert!(
        text.contains("tiny is left out: maths has no score of it"),
        "{text}"
    );
    let names: Vec<&str> = report.arms.iter().map(|arm| &*arm.name).collect();
    assert_eq!(names, ["small", "large"]);
    let none = vec![
        right("maths", 9, &[("a", 9), ("b", 8)]),
        right("code", 9, &[("b", 9), ("c", 8)]),
    ];
    let error = super::tests::report(none, "equal", &[]).unwrap_err();
    assert!(
        error.contains("`a` has none on code and `c` has none on maths"),
        "{error}"
    );
}

/// Tests one item, equal arms, and weights and scales that are none.
#[test]
fn edges_are_answered_or_refused_with_a_sentence() {
    let tied = || right("a", 1, &[("x", 1), ("y", 1)]);
    let both = vec![tied(), right("b", 1, &[("x", 0), ("y", 0)])];
    let tie = report(both, "equal", &[]).unwrap();
    assert_eq!(tie.benchmarks.as_ref().unwrap().best, ["x", "y"]);
    assert!(
        tie.text()
            .contains("x and y are equal and best on the weighted mean"),
        "{}",
        tie.text()
    );
    assert_eq!(tie.tied.unwrap(), ["x", "y"]);
    // The better arm is better on one item of either, and nothing is decided.
    let both = vec![tied(), right("b", 2, &[("x", 1), ("y", 2)])];
    let one = report(both, "equal", &[]).unwrap().benchmarks.unwrap();
    let p = one.arms[1].probability_on_items_like_these;
    assert!((0.5..0.9).contains(&p), "{p}");
    let graded = |name: &str, factor: f64| {
        let mut csv = "item,x,y\n".to_owned();
        for item in 0..40 {
            let x = 0.1 * f64::from(item % 7) + 0.2;
            writeln!(csv, "q{item},{},{}", factor * x, factor * (x + 0.01)).unwrap();
        }
        records(name, &csv)
    };
    let error = report(vec![tied(), graded("mt", 10.0)], "equal", &[]).unwrap_err();
    assert!(
        error.contains("`a` and `mt` cannot be averaged, as they are in different units"),
        "{error}"
    );
    assert!(error.contains("--scale mt=WORST,BEST"), "{error}");
    // On their scales both are alike, whichever way they run.
    let up = report(vec![tied(), graded("mt", 10.0)], "equal", &["mt=0,10"]).unwrap();
    let mt = &up.benchmarks.as_ref().unwrap().benchmarks[1];
    assert!((mt.lead.abs() - 0.01).abs() < 1e-9 && up.arms[1].mean > up.arms[0].mean);
    let down = report(vec![tied(), graded("mt", 10.0)], "equal", &["mt=10,0"]).unwrap();
    assert!(down.arms[1].mean < down.arms[0].mean);
    let error = report(vec![tied(), graded("mt", 10.0)], "equal", &["z=0,1"]).unwrap_err();
    assert!(
        error.contains("there is no benchmark `z` (--scale): there are a and mt"),
        "{error}"
    );
    let error = report(vec![tied(), graded("mt", 10.0)], "equal", &["a=0,1"]).unwrap_err();
    assert!(
        error.contains("`mt` has no scale beside those of others"),
        "{error}"
    );
    let minimised = BenchmarkRecords {
        direction: Direction::Minimize,
        ..graded("loss", 1.0)
    };
    let error = report(vec![tied(), minimised], "equal", &[]).unwrap_err();
    assert!(error.contains("larger scores are better in one"), "{error}");
}

/// Tests data sets with several seeds of each arm: Demšar's tables.
#[test]
fn data_sets_with_seeds_have_the_paired_posterior() {
    let data_set = |name: &str, ahead: f64| {
        let mut csv = "arm,split,score\n".to_owned();
        for split in 0..6 {
            for (arm, own) in [("x", ahead), ("y", 0.0)] {
                let noise = 0.003 * f64::from((split * 5 + i32::from(arm == "x") * 3) % 7);
                writeln!(csv, "{arm},{split},{}", 0.7 + own + noise).unwrap();
            }
        }
        records(name, &csv)
    };
    let sets = vec![
        data_set("a", 0.02),
        data_set("b", 0.03),
        data_set("c", -0.01),
    ];
    let report = report(sets, "equal", &[]).unwrap();
    let all = report.benchmarks.as_ref().unwrap();
    assert!(all.arms[0].probability_on_these_items.is_none());
    assert!(all.arms[0].probability_on_items_like_these > 0.9);
    assert!(all.arms[0].probability_on_benchmarks_like_these.unwrap() < 0.95);
    assert!(
        report.text().contains("x is best with"),
        "{}",
        report.text()
    );
    let once = "arm,split,score\nx,0,0.7\ny,0,0.6\n";
    let few = vec![records("a", once), records("b", once)];
    let error = super::tests::report(few, "equal", &[]).unwrap_err();
    assert!(
        error.starts_with("on `a`: ") && error.contains("leave --benchmark out"),
        "{error}"
    );
}

/// Tests a benchmark on which an arm lacks answers that no study chose: nothing is said of these
/// items.
#[test]
fn missing_answers_leave_items_like_these() {
    let mut csv = "arm,item,score\n".to_owned();
    for item in 0..60 {
        writeln!(csv, "large,q{item},{}", u8::from(item % 4 > 0)).unwrap();
        if item < 40 {
            writeln!(csv, "small,q{item},{}", u8::from(item % 2 > 0)).unwrap();
        }
    }
    let both = vec![
        records("maths", &csv),
        right("code", 50, &[("large", 30), ("small", 28)]),
    ];
    let report = report(both, "equal", &[]).unwrap();
    let all = report.benchmarks.as_ref().unwrap();
    assert!(all.arms[0].probability_on_these_items.is_none());
    assert!(all.arms[0].probability_on_items_like_these > 0.9);
    let text = report.text();
    assert!(text.contains("maths: "), "{text}");
    assert!(!text.contains("these items: large is best on"), "{text}");
}

/// Returns two benchmarks with three arms in a column of items or splits, whose scores have this size.
fn of_size(column: &str, size: f64) -> Vec<BenchmarkRecords> {
    let benchmark = |(name, cases): (&str, u32)| {
        let mut csv = format!("arm,{column},score\n");
        for case in 0..cases {
            for (place, arm) in (0..).zip(["x", "y", "z"]) {
                let noise = f64::from((case * 7 + place * (case + 3)) % 11);
                let score = (0.6 - 0.02 * f64::from(place) + 0.02 * noise) * size;
                writeln!(csv, "{arm},{case},{score:e}").unwrap();
            }
        }
        records(name, &csv)
    };
    [("a", 12), ("b", 9)].map(benchmark).into()
}

/// Tests that P(best) is the same whatever the size of the scores, or of a scale that is declared.
#[test]
fn probabilities_do_not_depend_on_the_size_of_scores() {
    let probabilities = |column: &str, size: f64, scales: &[&str]| {
        let report = report(of_size(column, size), "equal", scales).unwrap();
        let best = report.benchmarks.as_ref().unwrap().best.clone();
        assert_eq!(best, ["x"], "{column} {size}");
        let of = |arm: &ArmOnBenchmarks| arm.probability_on_items_like_these;
        report
            .benchmarks
            .as_ref()
            .unwrap()
            .arms
            .iter()
            .map(of)
            .collect::<Vec<f64>>()
    };
    let wide = ["a=0,1e9", "b=0,1e9"];
    let wider = ["a=0,1e160", "b=0,1e160"];
    for (column, size, scales) in [
        ("item", 1e-9, &[][..]),
        ("item", 1e-60, &[]),
        ("item", 1.0, &wide),
        ("item", 1.0, &wider),
        ("split", 1e-60, &[]),
        ("split", 1e89, &[]),
        ("split", 1.0, &wider),
    ] {
        let usual = probabilities(column, 1.0, &[]);
        let found = probabilities(column, size, scales);
        assert!((0.5..0.999).contains(&usual[0]), "{usual:?}");
        for (found, usual) in found.iter().zip(&usual) {
            assert!(
                (found - usual).abs() < 1e-6,
                "{column} {size} {scales:?}: {found} {usual}"
            );
        }
    }
    let error = report(of_size("item", 1e-200), "equal", &[]).unwrap_err();
    assert!(error.contains("too small to compute"), "{error}");
}

/// Tests that an arm with scores on a benchmark without weight alone is told of.
#[test]
fn an_arm_of_a_benchmark_without_weight_is_left_out_aloud() {
    let both = vec![
        right("maths", 9, &[("a", 9), ("b", 8)]),
        right("code", 9, &[("a", 9), ("c", 8)]),
    ];
    let text = report(both, "maths=1,code=0", &[]).unwrap().text();
    assert!(
        text.contains("c is left out: maths has no score of it"),
        "{text}"
    );
}

#[test]
fn losses_by_name_are_not_averaged_with_scores() {
    let both = || {
        let sizes = [("x", 30), ("y", 20)];
        vec![
            right("adult_acc", 40, &sizes),
            right("boston_rmse", 40, &sizes),
        ]
    };
    let error = report(both(), "equal", &[]).unwrap_err();
    assert!(
        error.contains("`boston_rmse` and `adult_acc` cannot be averaged"),
        "{error}"
    );
    let scaled = report(both(), "equal", &["boston_rmse=1,0"]).unwrap();
    assert_eq!(scaled.benchmarks.unwrap().benchmarks.len(), 2);
}
