//! Tests of what the columns of measures hold.

use super::{
    super::column::{skewed, skewness},
    *,
};
use fiesta_core::Moments;

#[test]
fn skewness_is_monotone_and_nothing_without_skewness() {
    assert_eq!(skewed(1.3, 0.0), 1.3);
    for skewness in [-2.0, -0.3, 1e-5, 0.3, 2.0] {
        let values: Vec<f64> = (-80..=80)
            .map(|z| skewed(f64::from(z) / 10.0, skewness))
            .collect();
        assert!(
            values.windows(2).all(|pair| pair[0] < pair[1]),
            "{skewness}"
        );
        // Skewed to the right, the mean may lie far above that of the sample.
        assert_eq!(skewed(2.0, skewness) > 2.0, skewness > 0.0);
    }
}

/// Tests few values: one value takes its spread from the other arms, and a few that are all the same may have others
/// beside them.
#[test]
fn few_values() {
    let csv = "arm,split,score,cost,seconds\na,0,0.7,1,2.2\na,1,0.8,1,2.0\na,2,0.75,1,2.1\na,3,0.9,1,1.9\n\
        b,0,0.71,2,1.0\nb,1,0.83,2,3.0\nb,2,0.74,2,1.5\nb,3,0.91,2,1.2\nc,0,0.2,3,9.0\n";
    let found = answer(csv, &asked(None, &["seconds=5"]));
    let width = |arm: usize| found.arms[arm].measures[0].upper - found.arms[arm].measures[0].lower;
    assert!(width(2) > width(1) && width(1) > width(0), "{found:?}");
    let alike = csv
        .replace("2.2", "2")
        .replace("2.1", "2")
        .replace("1.9", "2");
    // Four equal values may have others beside them, with probability 3/7, and half of these are above.
    let found = answer(&alike, &asked(None, &["seconds=5"]));
    assert!((found.arms[0].probability_feasible.unwrap() - (1.0 - 1.5 / 7.0)).abs() < 0.01);
    // Costs are known where the user says so, and vary where they do.
    let found = answer(csv, &priced(Some(0.1), &[]));
    assert!(found.arms.iter().all(|arm| arm.measures[0].is_known));
    assert_eq!(found.arms[0].measures[0].upper, 1.0);
    let refused = refusal(&csv.replace("0.8,1,", "0.8,1.5,"), &priced(Some(0.1), &[]));
    assert!(refused.contains("leave it out of --known"), "{refused}");
    let refused = refusal(
        csv,
        &BeliefRequest {
            measures: MeasuresRequest {
                known: vec!["tokens".to_owned()],
                ..priced(Some(0.1), &[]).measures
            },
            ..BeliefRequest::default()
        },
    );
    assert!(
        refused.contains("--known tokens: nothing is asked"),
        "{refused}"
    );
}

/// Tests that a price that nobody declared is not certain: that n equal costs are not all has probability 3/(n + 3).
#[test]
fn equal_costs_are_no_certain_price() {
    let found = answer(&pool(), &asked(Some(0.1), &[]));
    let b = &found.arms[1];
    assert!(!found.is_known && !b.measures[0].is_known);
    // The answer is as seen while neither b's costs are above a's, nor c's matter, nor a's are below.
    let unseen = 3.0 / 13.0 / 2.0;
    assert!(
        (b.probability - (1.0 - unseen) * (1.0 - unseen)).abs() < 0.01,
        "{}",
        b.probability
    );
    assert_eq!(found.verdict, MeasuresVerdict::Open);
    let notes = report(&pool(), &asked(Some(0.1), &[])).unwrap().notes;
    assert!(
        notes
            .iter()
            .any(|note| note.contains("--known cost says so")),
        "{notes:?}"
    );
}

/// Tests that zeros and ones are shares with the posterior of a uniform prior: with 0 of n, the share is at most s with
/// the probability 1 − (1 − s)^(n + 1).
#[test]
fn flags_are_shares() {
    let mut csv = "arm,split,score,toxic\n".to_owned();
    for split in 0..50 {
        for (arm, score, toxic) in [("a", 0.9, false), ("b", 0.7, split < 10)] {
            let score = score + f64::from(split * (split + u32::from(toxic)) % 7) / 100.0;
            writeln!(csv, "{arm},{split},{score},{}", u8::from(toxic)).unwrap();
        }
    }
    let found = answer(&csv, &asked(None, &["toxic=0.02"]));
    let expected = 1.0 - 0.98_f64.powi(51);
    let of_a = found.arms[0].probability_feasible.unwrap();
    assert!((of_a - expected).abs() < 0.01, "{of_a} is not {expected}");
    assert_eq!(found.verdict, MeasuresVerdict::Open);
    let ends = &found.arms[1].measures[0];
    assert!(
        (ends.mean - 0.2).abs() < 1e-12 && ends.lower > 0.1 && ends.upper < 0.35,
        "{ends:?}"
    );
}

/// Tests that what failed evaluations cost counts.
#[test]
fn failed_evaluations_cost_too() {
    let csv = "arm,split,score,cost\na,0,0.9,1\na,1,0.92,1.1\na,2,0.93,1.2\na,3,,100\nb,0,0.8,2\nb,1,0.83,2.3\nb,2,0.84,2.2\n";
    let options = Reading {
        keep_columns: true,
        keep_failures: true,
        keep_missing: true,
        ..Reading::default()
    };
    let records = read_from(csv.as_bytes(), None, &options, "runs.csv").unwrap();
    let scores = ScoresOfArms::new(&records, &[], Direction::Maximize, "runs.csv").unwrap();
    let found = asked(Some(1.0), &[])
        .report(scores, Some(&records))
        .unwrap();
    let of_a = &found.measures.unwrap().arms[0].measures[0];
    assert_eq!(of_a.evaluations, 4);
    assert!((of_a.mean - 25.825).abs() < 1e-9);
}

#[test]
fn bad_requests_and_measures_are_told() {
    for (limit, said) in [
        ("seconds", "for example seconds=2"),
        ("=2", "for example"),
        ("seconds=", "for example"),
        ("seconds=x", "for example"),
        ("seconds=nan", "for example"),
    ] {
        let error = limit.parse::<MeasureLimit>().unwrap_err();
        assert!(error.contains(said), "{error}");
    }
    let told = |csv: &str, request: &BeliefRequest, said: &str| {
        let error = refusal(csv, request);
        assert!(error.contains(said), "{error}");
    };
    told(
        &pool(),
        &asked(Some(-0.1), &[]),
        "a number that is 0 or more",
    );
    told(
        &pool(),
        &asked(Some(f64::NAN), &[]),
        "a number that is 0 or more",
    );
    told(
        &pool(),
        &asked(None, &["second=2"]),
        "runs.csv has no measure `second`: its measures are cost and seconds",
    );
    told(
        "arm,split,score\na,0,0.1\na,1,0.2\nb,0,0.1\nb,1,0.3\n",
        &asked(Some(0.1), &[]),
        "has no measure beside the score",
    );
    let text = pool().replace("b,3,1,2,3.1", "b,3,1,2,fast");
    told(
        &text,
        &asked(None, &["seconds=2"]),
        "`seconds` is `fast` in line ",
    );
    let without: Vec<String> = pool()
        .lines()
        .map(|row| {
            if row.starts_with('c') {
                format!("{},", row.rsplit_once(',').unwrap().0)
            } else {
                row.to_owned()
            }
        })
        .collect();
    told(
        &without.join("\n"),
        &asked(None, &["seconds=2"]),
        "no evaluation of c has `seconds`",
    );
    let by = MeasuresRequest {
        by: Some("cost".to_owned()),
        ..MeasuresRequest::default()
    };
    told(
        &pool(),
        &BeliefRequest {
            measures: by,
            ..BeliefRequest::default()
        },
        "ask for the cheapest arm with --cheapest-within",
    );
    let logit = BeliefOptions {
        logit: Some(0.1),
        ..BeliefOptions::default()
    };
    told(
        &pool(),
        &BeliefRequest {
            options: logit,
            posterior: Some("paired".to_owned()),
            ..asked(Some(0.1), &[])
        },
        "leave --logit out",
    );
}

/// Tests that a value that is missing is told, and that the mean is of the others.
#[test]
fn missing_values_are_told() {
    let csv = pool().replace("a,0,1,3,4\n", "a,0,1,3,n/a\n");
    let report = report(&csv, &asked(None, &["seconds=2"])).unwrap();
    let said = "1 of 10 evaluations of a lacks seconds, whose mean is of the others";
    assert!(
        report.notes.iter().any(|note| note == said),
        "{:?}",
        report.notes
    );
    assert_eq!(report.measures.unwrap().arms[0].measures[0].evaluations, 9);
}

/// Tests the share of samples of 20 lognormal values whose mean lies above the upper end of a one-sided 95 % interval:
/// 17 % with Student's t, and about 5 % once skewness is taken into account.
#[test]
fn few_means_of_skewed_values_are_above_their_interval() {
    const SAMPLES: u32 = 4000;
    let (lognormal, mean) = (LogNormal::new(0.0, 1.0).unwrap(), 0.5_f64.exp());
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let n = 20.0;
    let t = tail_begins(0.05, n - 1.0);
    let mut above = [0_u32; 2];
    for _ in 0..SAMPLES {
        let values: Vec<f64> = (0..20).map(|_| lognormal.sample(&mut rng)).collect();
        let own = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - own).powi(2)).sum();
        let error = (squares / (n * (n - 1.0))).sqrt();
        let skewness = skewness(std::iter::once(&values[..]))[0];
        for (above, z) in above.iter_mut().zip([t, skewed(t, skewness)]) {
            *above += u32::from(mean >= own + error * z);
        }
    }
    let [student, hall] = above.map(|above| f64::from(above) / f64::from(SAMPLES));
    assert!(
        (0.15..0.2).contains(&student) && (0.04..0.07).contains(&hall),
        "{student} {hall}"
    );
}

/// Tests that measures whose differences are the same on every item are answered.
#[test]
fn measures_that_differ_by_the_same_on_every_item_are_compared() {
    let table = |arms: &[(&str, u32, f64)]| {
        let mut csv = "arm,item,score,seconds\n".to_owned();
        for item in 0..40 {
            for (arm, right, more) in arms {
                let seconds = 1.0 + f64::from(item % 7) / 10.0 + more;
                writeln!(csv, "{arm},{item},{},{seconds}", u8::from(item < *right)).unwrap();
            }
        }
        csv
    };
    let by_time = |at_most: &str| {
        let mut request = asked(Some(0.2), &[at_most]);
        request.measures.by = Some("seconds".to_owned());
        request
    };
    let (slow, fast) = (("slow", 30, 0.1), ("fast", 30, 0.0));
    let found = answer(&table(&[slow, fast]), &by_time("seconds=2"));
    assert_eq!(
        (found.verdict, found.arm.as_str()),
        (MeasuresVerdict::Arm, "fast")
    );
    // Other differences may be unseen, with probability 3/43, of which half make the slow one fast.
    assert!((found.arms[1].probability - (1.0 - 1.5 / 43.0)).abs() < 0.01);
    // Each interval is as wide as the values of one arm make it, but for their skewness.
    let own = |arm: usize| &found.arms[arm].measures[0];
    let (slow, fast) = (own(0), own(1));
    assert!((slow.lower - fast.lower - 0.1).abs() < 1e-9);
    assert!((slow.upper - fast.upper - 0.1).abs() < 1e-9);
    let moments: Moments = (0..40).map(|item| f64::from(item % 7) / 10.0).collect();
    let half = tail_begins(0.025, 39.0) * (moments.variance().unwrap() / 40.0).sqrt();
    assert!(((fast.upper - fast.lower) / (2.0 * half) - 1.0).abs() < 0.05);
    // Both keep the limit, or neither does; and the same values cost the same.
    let same = answer(
        &table(&[("a", 31, 0.0), ("b", 30, 0.0)]),
        &by_time("seconds=1.3"),
    );
    let feasible: Vec<f64> = same
        .arms
        .iter()
        .map(|arm| arm.probability_feasible.unwrap())
        .collect();
    assert!((feasible[0] - feasible[1]).abs() < 3.0 / 43.0);
    assert!((0.1..0.9).contains(&feasible[0]), "{feasible:?}");
    let neither = same.probability_none_feasible;
    assert!(
        (neither - (1.0 - feasible[0])).abs() < 3.0 / 43.0,
        "{neither}"
    );
}
