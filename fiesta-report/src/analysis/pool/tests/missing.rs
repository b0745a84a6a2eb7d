//! Tests of answers that are missing: what is told, what is compared, and how often equal arms are
//! named.

use super::{PoolAnswer, PoolAnswers};
use crate::analysis::{
    AnalysisError, PoolOrigin, ScoresOfArms,
    belief::{BeliefReport, BeliefRequest},
};
use fiesta_core::{ArmId, Direction, Posterior, Target};
use fiesta_records::{Evaluations, Reading, read_from};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng, seq::SliceRandom};
use std::fmt::Write;

fn records(csv: &str) -> Evaluations {
    let options = Reading {
        keep_columns: true,
        ..Reading::default()
    };
    read_from(csv.as_bytes(), None, &options, "s.csv").unwrap()
}

fn asked(csv: &str, request: &BeliefRequest) -> Result<BeliefReport, AnalysisError> {
    let records = records(csv);
    let scores = ScoresOfArms::new(&records, &[], Direction::Maximize, "s.csv")?;
    request.report(scores, Some(&records))
}

fn refused(csv: &str, request: &BeliefRequest, part: &str) {
    let error = asked(csv, request).unwrap_err().to_string();
    assert!(error.contains(part), "{error}");
}

/// Red answered 20 easy items, 18 right, and 20 hard ones, 6 right; blue the easy ones, 17 right: 2
/// to 1 on the items of both.
fn whole_task_missing() -> String {
    let mut csv = "arm,item,score\n".to_owned();
    for item in 0..20 {
        let (red, blue) = (item > 1, item != 0 && item != 2 && item != 3);
        let [red, blue] = [red, blue].map(u8::from);
        writeln!(csv, "red,easy-{item},{red}\nblue,easy-{item},{blue}").unwrap();
        writeln!(csv, "red,hard-{item},{}", u8::from(item < 6)).unwrap();
    }
    csv
}

#[test]
fn arms_are_compared_on_the_items_of_both() {
    let csv = whole_task_missing();
    let report = asked(&csv, &BeliefRequest::default()).unwrap();
    // P(Beta(3, 2) > ½) = 11/16.
    let [red, blue] = [0, 1].map(|arm| report.arms[arm].probability_best);
    assert!((red - 0.6875).abs() < 1e-3 && (red + blue - 1.0).abs() < 1e-9);
    let pool = report.pool.as_ref().unwrap();
    assert_eq!((pool.origin, &pool.claim), (PoolOrigin::File, &None));
    assert_eq!((pool.arms[0].mean, pool.arms[1].mean), (None, None));
    let missing = pool.missing.as_ref().unwrap();
    assert_eq!((missing.items, missing.common), (40, 20));
    let blue = &missing.arms[1];
    assert_eq!((blue.lacks, blue.mean), (20, Some(0.85)));
    assert!((blue.groups.len(), &*blue.groups[0].group) == (1, "hard"));
    let against = blue.against_leader.unwrap();
    assert!(against.items == 20 && (against.difference - 0.05).abs() < 1e-12);
    let text = report.text();
    for said in [
        "20, all of hard",
        "blue lacks 20 of the 40 items (all 20 of hard): ",
        "says nothing of groups without any answer: hard of blue",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    // Groups of a column go before names.
    let grouped = csv.replace("score\n", "score,group\n");
    let of = |line: &str| format!("{line},{}\n", if line.contains("easy") { "A" } else { "B" });
    let rows: String = grouped.lines().skip(1).map(of).collect();
    let grouped = format!("arm,item,score,group\n{rows}");
    let report = asked(&grouped, &BeliefRequest::default()).unwrap();
    assert!(report.text().contains("all 20 of B"), "{}", report.text());
    // Other posteriors see the items of both alone.
    let pooled = BeliefRequest {
        posterior: Some("pooled".to_owned()),
        ..BeliefRequest::default()
    };
    let report = asked(&csv, &pooled).unwrap();
    assert_eq!(report.arms[0].evaluations, 20);
    assert!((report.arms[0].mean.unwrap() - 0.9).abs() < 1e-12);
    assert!(
        report
            .notes
            .iter()
            .any(|note| note.contains("all 20 of hard"))
    );
}

#[test]
fn a_random_sample_is_what_all_arms_answered() {
    let csv = whole_task_missing();
    let sample = BeliefRequest {
        pool_size: Some(200),
        ..BeliefRequest::default()
    };
    let report = asked(&csv, &sample).unwrap();
    assert_eq!(
        (report.arms[0].evaluations, report.on_items.unwrap().items),
        (20, 20)
    );
    let pool = report.pool.unwrap();
    assert_eq!(
        (pool.origin, pool.items, pool.answered),
        (PoolOrigin::Sample, 200, 40)
    );
    let words = pool.origin_words();
    assert_eq!(
        words[0],
        "taken as a random sample of 200 items, as --pool-size says"
    );
    assert!(
        words[1].contains("on the 20 items that all have answered"),
        "{words:?}"
    );
    let outlook = |pool_size| BeliefRequest {
        outlook: true,
        pool_size,
        ..BeliefRequest::default()
    };
    assert!(
        asked(&csv, &outlook(Some(200)))
            .unwrap()
            .pool
            .unwrap()
            .outlook
            .is_some()
    );
    refused(&csv, &outlook(None), "no study chose which are missing");
    let apart = "item,a,b\nq1,0,\nq2,0,\nq3,0,\nq4,,1\nq5,,1\nq6,,1\n";
    for request in [BeliefRequest::default(), sample] {
        refused(apart, &request, "have answered no item in common");
    }
    let settled = BeliefRequest {
        confidence: Some(0.9),
        ..BeliefRequest::default()
    };
    refused(&csv, &settled, "--outlook");
}

/// Tests that answers of which a study says that it chose them are those of its pool, in its order.
#[test]
fn what_a_study_chose_is_extrapolated() {
    let mut csv = "evaluation,arm,item,score,turn,pool_size\n".to_owned();
    for item in 0..30 {
        let turn = 2 * item + 1;
        writeln!(
            csv,
            "{turn},a,q{item},{},{},90",
            u8::from(item % 5 > 0),
            turn
        )
        .unwrap();
        if item < 20 {
            writeln!(
                csv,
                "{},b,q{item},{},{turn},90",
                turn + 1,
                u8::from(item % 3 > 0)
            )
            .unwrap();
        }
    }
    let error = asked(&csv, &BeliefRequest::default()).unwrap_err();
    assert!(
        error.to_string().contains("stands on another row as well"),
        "{error}"
    );
    let mut rows: Vec<String> = csv.lines().map(str::to_owned).collect();
    for (number, row) in rows.iter_mut().enumerate().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        *row = format!(
            "{},{},{},{},{number},90",
            cells[0], cells[1], cells[2], cells[3]
        );
    }
    let csv = rows.join("\n");
    let pool = asked(&csv, &BeliefRequest::default())
        .unwrap()
        .pool
        .unwrap();
    assert_eq!(
        (pool.origin, pool.items, pool.answered),
        (PoolOrigin::Study, 90, 50)
    );
    assert!(pool.missing.is_none() && pool.claim.is_some() && pool.arms[1].mean.is_some());
    let sized = |pool_size| BeliefRequest {
        pool_size: Some(pool_size),
        ..BeliefRequest::default()
    };
    assert!(asked(&csv, &sized(90)).is_ok());
    refused(&csv, &sized(91), "a study whose pool has 90 items");
    refused(
        &csv.replace(",90\n", ",20\n").replace(",50,90", ",50,20"),
        &sized(90),
        "20 items, and 30",
    );
    refused(
        &csv.replacen(",7,90", ",,90", 1),
        &sized(90),
        "line 8: `turn` is ``",
    );
    refused(
        &csv.replacen(",7,90", ",7,91", 1),
        &sized(90),
        "`pool_size` is 91 here and 90 before",
    );
    // Without its columns, nobody says why b lacks ten items.
    let plain = csv.replacen("turn", "step", 1);
    let pool = asked(&plain, &BeliefRequest::default())
        .unwrap()
        .pool
        .unwrap();
    assert_eq!(
        (pool.origin, pool.items, pool.answered),
        (PoolOrigin::File, 30, 50)
    );
    assert!(pool.missing.is_some());
}

#[test]
fn copies_are_told() {
    let told = |csv: &str| {
        let notes = asked(csv, &BeliefRequest::default()).unwrap().notes;
        notes.join("\n")
    };
    let mut csv = "arm,item,seed,score\n".to_owned();
    for item in 0..20 {
        let score = u8::from(item % 3 > 0);
        let other = u8::from(item % 4 > 0);
        writeln!(
            csv,
            "a,q{item},1,{score}\nb,q{item},1,{score}\nc,q{item},1,{other}"
        )
        .unwrap();
    }
    let said = told(&csv);
    assert!(
        said.contains("a, b have the same answer to each of their 20 items"),
        "{said}"
    );
    assert!(!said.contains("repeat"), "{said}");
    let again = told(&format!("{csv}c,q0,2,0\nc,q1,2,1\n"));
    assert!(
        again.contains("2 rows repeat an item of the same arm"),
        "{again}"
    );
    assert!(again.contains("keep one of each"), "{again}");
    let varying = told(&format!("{csv}c,q0,2,1\n"));
    assert!(varying.contains("1 row repeats an item"), "{varying}");
    assert!(!varying.contains("keep one of each"), "{varying}");
}

/// Part of the items that an arm lacks.
#[derive(Debug, Clone, Copy)]
enum Part {
    Easy,
    Hard,
    First,
    Random,
}

const PARTS: [Part; 4] = [Part::Easy, Part::Hard, Part::First, Part::Random];

/// Returns answers of two arms that are right on an item with the same probability, of which the
/// second lacks `lacks` of 100; with equal totals over the 100 items, if that is wanted.
fn pair(part: Part, lacks: usize, equal_totals: bool, rng: &mut ChaCha8Rng) -> PoolAnswers {
    let (chances, right) = loop {
        let chances: Vec<f64> = (0..100).map(|_| rng.random::<f64>()).collect();
        let right = [0, 1].map(|_| -> Vec<bool> {
            chances
                .iter()
                .map(|&chance| rng.random::<f64>() < chance)
                .collect()
        });
        let [one, other] = [0, 1].map(|arm: usize| right[arm].iter().filter(|&&is| is).count());
        if !equal_totals || one == other {
            break (chances, right);
        }
    };
    let mut order: Vec<usize> = (0..100).collect();
    match part {
        Part::Easy => order.sort_by(|&a, &b| chances[b].total_cmp(&chances[a])),
        Part::Hard => order.sort_by(|&a, &b| chances[a].total_cmp(&chances[b])),
        Part::First => {}
        Part::Random => order.shuffle(rng),
    }
    let of = |arm: usize, items: &[usize]| {
        let answer = |&item: &usize| PoolAnswer {
            item: item as u64,
            score: f64::from(u8::from(right[arm][item])),
            evaluation: None,
            turn: None,
        };
        items.iter().map(answer).collect()
    };
    let answers = PoolAnswers {
        arms: vec!["a".to_owned(), "b".to_owned()],
        retired: vec![false; 2],
        items: 100,
        origin: PoolOrigin::File,
        missing: None,
        bounds: (0.0, 1.0),
        direction: Direction::Maximize,
        answers: vec![of(0, &order), of(1, &order[lacks..])],
        every: None,
        facts: Vec::new(),
        target: Target::TheseItems,
        are_chosen: false,
        clusters: None,
    };
    answers.compared().unwrap()
}

/// Shares of `pairs` pairs in which each of two equal arms has P(best) ≥ .95, with 20 to 60 items
/// missing.
fn named(part: Part, equal_totals: bool, pairs: u32, seed: u64) -> [f64; 2] {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut counts = [0_u32; 2];
    for _ in 0..pairs {
        let lacks = rng.random_range(20..=60);
        let pool = pair(part, lacks, equal_totals, &mut rng)
            .posterior()
            .unwrap();
        let arms: Vec<ArmId> = ArmId::all(2).collect();
        let belief = pool.belief(&arms);
        for (count, &arm) in counts.iter_mut().zip(&arms) {
            *count += u32::from(belief.of(arm) >= 0.95);
        }
    }
    counts.map(|count| f64::from(count) / f64::from(pairs))
}

/// Tests that of two arms with equal totals one is named in at most 5 %, and that of arms that are
/// only equally able each one is.
#[test]
fn equal_arms_are_not_named_for_what_one_of_them_lacks() {
    for part in PARTS {
        let [one, other] = named(part, true, 150, 31);
        assert!(one + other <= 0.05, "{part:?}: {one} + {other}");
        let [one, other] = named(part, false, 1_000, 32);
        // Two standard errors of 1,000 pairs are 1.4 %.
        assert!(one.max(other) <= 0.064, "{part:?}: {one}, {other}");
    }
}

/// Prints the figures of docs/pools.md (`cargo test -p fiesta-report --lib --all-features --
/// --ignored --nocapture equal_arms_are_named`).
#[test]
#[ignore = "measures, and asserts nothing"]
#[allow(clippy::print_stdout, reason = "it measures")]
fn equal_arms_are_named() {
    for part in PARTS {
        for equal_totals in [true, false] {
            let [one, other] = named(part, equal_totals, 20_000, 33);
            println!(
                "{part:?}, equal totals {equal_totals}: the whole one in {:.2} %, the one that lacks in {:.2} % of 20000 pairs",
                100.0 * one,
                100.0 * other
            );
        }
    }
}
