//! Tests of pools: outlooks against continuations that are known, discordant items and groups
//! against their definitions.

mod missing;

use super::continuation::{Plan, known as known_of};
use super::*;
use fiesta_core::Arms;
use fiesta_core::{Ask, Direction, Event, Outcome};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng, seq::SliceRandom};

/// Right answers of arms that share how hard items are: arm k to item i.
fn truth(arms: usize, items: u64, gap: f64, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let difficulty: Vec<f64> = (0..items).map(|_| rng.random::<f64>()).collect();
    (0..arms)
        .map(|arm| {
            let ability = 0.65 - gap * arm as f64;
            let right = |hard: &f64| 0.5 * hard + 0.5 * rng.random::<f64>() < ability;
            difficulty
                .iter()
                .map(right)
                .map(|right| f64::from(u8::from(right)))
                .collect()
        })
        .collect()
}

/// Returns what arms are known to have answered: the first items of a random order, `known` of each
/// arm.
fn known(truth: &[Vec<f64>], known: &[usize], rng: &mut ChaCha8Rng) -> PoolAnswers {
    let mut order: Vec<usize> = (0..truth[0].len()).collect();
    order.shuffle(rng);
    let of_arm = |(answers, &known): (&Vec<f64>, &usize)| {
        let answer = |&item: &usize| PoolAnswer {
            item: item as u64,
            score: answers[item],
            evaluation: None,
            turn: None,
        };
        order[..known].iter().map(answer).collect()
    };
    PoolAnswers {
        arms: (0..truth.len()).map(|arm| format!("arm{arm}")).collect(),
        retired: vec![false; truth.len()],
        items: truth[0].len() as u64,
        origin: PoolOrigin::Study,
        missing: None,
        bounds: (0.0, 1.0),
        direction: Direction::Maximize,
        answers: truth.iter().zip(known).map(of_arm).collect(),
        every: None,
        facts: Vec::new(),
        target: Target::TheseItems,
        are_chosen: false,
        clusters: None,
    }
}

/// Tests outlooks over studies that were looked at early and then went on: Truths and what is known
/// are drawn from the same process each time.
#[test]
fn outlooks_are_calibrated() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let (mut inside, mut studies) = (0, 0);
    let (mut above, mut expected, mut right) = (0, 0.0, 0.0);
    for number in 0..60 {
        let gap = rng.random::<f64>() * 0.08;
        let truth = truth(2, 200, gap, &mut rng);
        let early = known(&truth, &[40, 40], &mut rng);
        let options = OutlookOptions {
            seed: number,
            ..OutlookOptions::default()
        };
        let outlook = PoolReport::with_outlook(&early, &options)
            .unwrap()
            .outlook
            .unwrap();
        let arms = Arms::new(early.arms.clone()).unwrap();
        let pool = early.posterior().unwrap();
        let (needed, best) = continued(&arms, &pool, &truth, &options);
        studies += 1;
        let FurtherAnswers {
            lower,
            upper,
            median,
        } = outlook.answers;
        inside += u32::from((lower..=upper).contains(&needed));
        above += u32::from(needed > median);
        expected += outlook.right;
        right += f64::from(u8::from(best));
    }
    let share = f64::from(inside) / f64::from(studies);
    assert!((0.65..=0.97).contains(&share), "{share}");
    let above = f64::from(above) / f64::from(studies);
    assert!((0.3..=0.7).contains(&above), "{above}");
    assert!(
        (expected - right).abs() / f64::from(studies) < 0.08,
        "{expected} {right}"
    );
}

#[test]
fn outlooks_end_where_all_is_known() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let truth = truth(3, 60, 0.1, &mut rng);
    let options = OutlookOptions {
        budget: Some(17),
        ..OutlookOptions::default()
    };
    let partly = known(&truth, &[30, 30, 20], &mut rng);
    let report = PoolReport::with_outlook(&partly, &options).unwrap();
    let outlook = report.outlook.unwrap();
    assert_eq!(
        (report.answered, report.cells, outlook.answers_left),
        (80, 180, 100)
    );
    let budgets: Vec<u64> = outlook.budgets.iter().map(|at| at.answers).collect();
    assert_eq!(budgets, [10, 17, 25, 50, 100]);
    assert!(outlook.budgets.is_sorted_by(|a, b| a.settled <= b.settled));
    let last = outlook.budgets.last().unwrap();
    assert!(last.settled > 0.9999 && (last.probability_best - outlook.right).abs() < 1e-12);
    assert!(outlook.answers.lower <= outlook.answers.median);
    // The same seed draws the same, on any number of threads.
    let again = PoolReport::with_outlook(&partly, &options).unwrap();
    assert_eq!(again.outlook.as_ref(), Some(&outlook));
    let wrong = OutlookOptions {
        confidence: 0.3,
        ..options
    };
    assert!(PoolReport::with_outlook(&partly, &wrong).is_err());

    let whole = known(&truth, &[60; 3], &mut rng);
    let report = PoolReport::with_outlook(&whole, &options).unwrap();
    assert!(report.is_complete() && report.outlook.is_none());
    assert!(report.lines()[0].starts_with("all 180 answers of the pool are known, "));
    for (arm, answers) in report.arms.iter().zip(&truth) {
        let mean = answers.iter().sum::<f64>() / 60.0;
        assert!((arm.mean.unwrap() - mean).abs() < 1e-12 && arm.standard_error == Some(0.0));
    }
    // Nothing is drawn from nothing.
    let nothing = known(&truth, &[0; 3], &mut rng);
    let report = PoolReport::with_outlook(&nothing, &options).unwrap();
    assert!(report.outlook.is_none() && report.claim.is_none() && report.discordant.is_none());
}

#[test]
fn discordant_items_are_those_that_differ() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let truth = truth(2, 40, 0.2, &mut rng);
    let mut answers = known(&truth, &[40, 25], &mut rng);
    let found = PoolReport::new(&answers, 0.0).unwrap().discordant.unwrap();
    let of = |arm: usize, item: u64| {
        let of_arm = &answers.answers[arm];
        of_arm
            .iter()
            .find(|answer| answer.item == item)
            .map(|answer| answer.score)
    };
    let count = |sign: f64| {
        let both = (0..40).filter_map(|item| Some(of(0, item)? - of(1, item)?));
        both.filter(|d| d * sign > 0.0).count() as u64
    };
    assert_eq!((found.leader.as_str(), found.common), ("arm0", 25));
    assert_eq!(found.leader_better.items, count(1.0));
    assert_eq!(found.runner_up_better.items, count(-1.0));
    assert!(
        found
            .leader_better
            .listed
            .is_sorted_by_key(|item| item.item)
    );
    // Where less is better, the other arm leads, and each side is the other's.
    answers.direction = Direction::Minimize;
    let turned = PoolReport::new(&answers, 0.0).unwrap().discordant.unwrap();
    assert_eq!(
        (turned.leader.as_str(), turned.leader_better.items),
        ("arm1", count(1.0))
    );
    assert!((turned.leader_better.difference - count(1.0) as f64).abs() < 1e-12);
}

#[test]
fn groups_have_the_means_of_their_answers() {
    let answer = |item, score| PoolAnswer {
        item,
        score,
        evaluation: None,
        turn: None,
    };
    let fact = |(number, group): (usize, &str)| ItemFacts {
        id: number.to_string(),
        text: None,
        group: Some(group.to_owned()),
    };
    let groups = ["b", "b", "a", "a", "a", "c"];
    let answers = PoolAnswers {
        arms: vec!["x".to_owned(), "y".to_owned()],
        retired: vec![false; 2],
        items: 6,
        origin: PoolOrigin::Study,
        missing: None,
        bounds: (0.0, 1.0),
        direction: Direction::Maximize,
        answers: vec![
            vec![
                answer(0, 1.0),
                answer(1, 0.0),
                answer(2, 1.0),
                answer(3, 1.0),
                answer(4, 0.0),
            ],
            vec![answer(0, 1.0), answer(1, 0.0), answer(2, 1.0)],
        ],
        every: None,
        facts: groups.into_iter().enumerate().map(fact).collect(),
        target: Target::TheseItems,
        are_chosen: false,
        clusters: None,
    };
    let found = Groups::new(&answers).unwrap();
    let names: Vec<&str> = found.0.iter().map(|group| group.group.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let [a, b, c] = &found.0[..] else {
        panic!("three groups")
    };
    assert_eq!((a.items, a.arms[0].answered, a.arms[1].answered), (3, 3, 1));
    assert!((a.arms[0].mean.unwrap() - 2.0 / 3.0).abs() < 1e-12);
    // One answer of three is too little to lead, and equal means are no lead.
    assert_eq!(a.leader.as_deref(), Some("x"));
    assert_eq!((b.leader.as_deref(), c.leader.as_deref()), (None, None));
    assert_eq!(c.arms[0].mean, None);
    let none = PoolAnswers {
        facts: Vec::new(),
        ..answers
    };
    assert!(Groups::new(&none).is_none());
}

/// Returns how many further answers a study needs whose unseen answers are these, and whether the
/// arm that it names is the best of them.
fn continued(
    arms: &Arms,
    pool: &Pool,
    truth: &[Vec<f64>],
    options: &OutlookOptions,
) -> (u64, bool) {
    let items = truth[0].len() as u64;
    let known = known_of(arms, pool, items);
    let plan = Plan {
        arms,
        known: &known,
        items,
        bounds: pool.bounds(),
        budgets: &[],
        options,
    };
    let mut selector = plan.selector(77 + options.seed).unwrap();
    let total = |arm: usize| truth[arm].iter().sum::<f64>();
    let best = (0..truth.len()).map(total).fold(f64::MIN, f64::max);
    let mut answers = 0;
    loop {
        let asked = match selector.ask().unwrap() {
            Ask::Evaluate(asked) => asked,
            Ask::Finished(end) => return (answers, total(end.arm.index()) >= best - 1e-9),
            Ask::Wait => unreachable!("nothing is pending"),
        };
        let item = usize::try_from(asked.case.split).unwrap();
        let outcome = Outcome::Observed(truth[asked.arm.index()][item]);
        let (id, cost) = (asked.id, 1.0);
        selector.tell(Event::Ended { id, outcome, cost }).unwrap();
        answers += 1;
    }
}

/// Prints, of random sets of arms of a file in the wide form (`FIESTA_POOL=answers.csv cargo test
/// -p fiesta-report --lib --all-features -- --ignored --nocapture outlooks_on_recorded`): how many
/// intervals hold the number of further answers that was needed, and how often the arm that was
/// named is the best.
#[test]
#[ignore = "measures, and asserts nothing"]
#[allow(clippy::print_stdout, reason = "it measures")]
fn outlooks_on_recorded_answers() {
    let file = std::env::var("FIESTA_POOL").unwrap();
    let records = fiesta_records::read(file, &fiesta_records::Reading::default()).unwrap();
    let mut all = vec![vec![0.0; records.items().len()]; records.arms().len()];
    for record in records.records().iter() {
        let item = usize::try_from(record.split.unwrap()).unwrap();
        all[record.arm.index()][item] = record.score;
    }
    let total = |answers: &Vec<f64>| answers.iter().sum::<f64>();
    all.sort_by(|a, b| total(b).total_cmp(&total(a)));
    let mut rng = ChaCha8Rng::seed_from_u64(21);
    for (size, reach) in [(2, 4), (2, all.len()), (5, 10), (5, all.len())] {
        let (mut inside, mut above, mut below, mut studies) = (0, 0, 0, 0);
        let (mut expected, mut right) = (0.0, 0.0);
        while studies < 100 {
            // Neighbours in rank, which are what is hard to tell apart, or any.
            let first = rng.random_range(0..=all.len() - reach);
            let mut chosen: Vec<usize> = (first..first + reach).collect();
            chosen.shuffle(&mut rng);
            chosen.truncate(size);
            let truth: Vec<Vec<f64>> = chosen.iter().map(|&arm| all[arm].clone()).collect();
            let seen = rng.random_range(20..=truth[0].len() / 3);
            let early = known(&truth, &vec![seen; size], &mut rng);
            let options = OutlookOptions {
                seed: studies,
                ..OutlookOptions::default()
            };
            let outlook = PoolReport::with_outlook(&early, &options)
                .unwrap()
                .outlook
                .unwrap();
            if outlook.is_settled() {
                continue;
            }
            let arms = Arms::new(early.arms.clone()).unwrap();
            let (needed, best) = continued(&arms, &early.posterior().unwrap(), &truth, &options);
            studies += 1;
            let FurtherAnswers {
                lower,
                upper,
                median,
            } = outlook.answers;
            inside += u32::from((lower..=upper).contains(&needed));
            above += u32::from(needed > median);
            below += u32::from(needed < median);
            expected += outlook.right;
            right += f64::from(u8::from(best));
        }
        println!(
            "{size} arms of {reach} neighbours: {inside} of {studies} intervals hold, {above} above and {below} below the median; named the best {right}, expected {expected:.1}"
        );
    }
}

/// Tests that tiny answers of a file have the verdicts and probabilities of usual ones.
#[test]
fn tiny_answers_are_told_apart() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let truth = truth(3, 60, 0.08, &mut rng);
    let questions = |size: f64| {
        let scaled = |arm: &Vec<f64>| arm.iter().map(|score| score * size).collect();
        let scaled: Vec<Vec<f64>> = truth.iter().map(scaled).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let answers = PoolAnswers {
            origin: PoolOrigin::File,
            ..known(&scaled, &[60; 3], &mut rng)
        };
        let report = PoolReport::new(&answers, 0.0).unwrap();
        let discordant = report.discordant.unwrap();
        let items = [
            discordant.leader_better.items,
            discordant.runner_up_better.items,
        ];
        (
            report.these_items.unwrap().best,
            items,
            report.items_like_these.unwrap().probability,
        )
    };
    let usual = questions(1.0);
    assert!(usual.0.len() == 1 && usual.1[0] > usual.1[1], "{usual:?}");
    for size in [1e-5, 1e-12, 1e-60] {
        assert_eq!(questions(size), usual, "{size}");
    }
}
