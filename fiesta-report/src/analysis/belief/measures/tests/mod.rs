#![expect(clippy::float_cmp, reason = "what is known is exact")]

mod columns;

use super::{
    MeasureLimit, MeasuresReport, MeasuresRequest, MeasuresVerdict,
    tally::{Aim, Tally},
};
use crate::analysis::{
    AnalysisError, ScoresOfArms,
    belief::{BeliefOptions, BeliefReport, BeliefRequest},
};
use fiesta_core::{Direction, tail_begins, upper_tail};
use fiesta_records::{Reading, read_from};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Distribution, LogNormal};
use std::fmt::Write;

/// Returns the request of the cheapest arm within this distance, or of the best, within limits such as `seconds=2`.
fn asked(cheapest_within: Option<f64>, limits: &[&str]) -> BeliefRequest {
    BeliefRequest {
        measures: MeasuresRequest {
            cheapest_within,
            by: None,
            at_most: limits.iter().map(|limit| limit.parse().unwrap()).collect(),
            known: Vec::new(),
        },
        ..BeliefRequest::default()
    }
}

/// Returns the same request, where costs are prices.
fn priced(cheapest_within: Option<f64>, limits: &[&str]) -> BeliefRequest {
    let mut request = asked(cheapest_within, limits);
    request.measures.known = vec!["cost".to_owned()];
    request
}

fn report(csv: &str, request: &BeliefRequest) -> Result<BeliefReport, AnalysisError> {
    let options = Reading {
        keep_columns: true,
        ..Reading::default()
    };
    let records = read_from(csv.as_bytes(), None, &options, "runs.csv").unwrap();
    let scores = ScoresOfArms::new(&records, &[], Direction::Maximize, "runs.csv").unwrap();
    request.report(scores, Some(&records))
}

/// Returns the answer, whose probabilities sum to 1.
fn answer(csv: &str, request: &BeliefRequest) -> MeasuresReport {
    let found = report(csv, request).unwrap().measures.unwrap();
    let sum: f64 = found.arms.iter().map(|arm| arm.probability).sum();
    assert!((sum + found.probability_none_feasible - 1.0).abs() < 1e-9);
    found
}

fn refusal(csv: &str, request: &BeliefRequest) -> String {
    report(csv, request).unwrap_err().to_string()
}

/// A complete pool of ten items with these costs: `a` is right on 9, `b` on 8, `c` on 5.
fn pool_of(costs: [u32; 3]) -> String {
    let mut csv = "arm,item,score,cost,seconds\n".to_owned();
    for item in 0..10 {
        for ((arm, right), cost) in [("a", 9), ("b", 8), ("c", 5)].into_iter().zip(costs) {
            let seconds = 1.0 + f64::from(cost) + 0.1 * f64::from(item * (item + cost) % 7);
            writeln!(
                csv,
                "{arm},{item},{},{cost},{seconds}",
                u8::from(item < right)
            )
            .unwrap();
        }
    }
    csv
}

fn pool() -> String {
    pool_of([3, 2, 1])
}

/// Tests that a distance that is reached exactly is kept, though .8 − .1 is above .7 in binary fractions.
#[test]
fn a_distance_that_is_reached_is_kept() {
    let mut tally = Tally::new(2, Aim::Cheapest(0.1), Vec::new());
    tally.add(0, &[0.8, 0.7], &[vec![2.0, 1.0]]);
    assert_eq!(tally.shares(|_, _| true, true).answer, [0.0, 1.0]);
}

/// Tests that an arm is no better, and no cheaper, by what rounding makes.
#[test]
fn the_front_forgives_rounding() {
    let mut tally = Tally::new(3, Aim::Cheapest(0.1), Vec::new());
    // .1 + .2 is above .3 in binary fractions.
    tally.add(0, &[0.3, 0.1 + 0.2, 0.3], &[vec![1.0, 2.0, 0.5 + 0.5]]);
    assert_eq!(tally.shares(|_, _| true, true).front, [1.0, 0.0, 1.0]);
}

/// Tests counted answers: scores of all items and constant costs are known.
#[test]
fn what_is_known_is_counted() {
    for (within, expected) in [
        (0.0, "a"),
        (0.099, "a"),
        (0.1, "b"),
        (0.39, "b"),
        (0.4, "c"),
    ] {
        let found = answer(&pool(), &priced(Some(within), &[]));
        assert_eq!(
            (&*found.arm, found.verdict),
            (expected, MeasuresVerdict::Arm)
        );
        assert!(found.is_known && found.absolute_error == 0.0);
        let p: Vec<f64> = found.arms.iter().map(|arm| arm.probability).collect();
        assert_eq!(
            p.iter().filter(|p| **p >= 1.0).count(),
            1,
            "{within}: {p:?}"
        );
        assert!(
            found
                .arms
                .iter()
                .all(|arm| arm.probability_pareto == Some(1.0))
        );
    }
    let found = answer(&pool(), &priced(None, &["cost=2.5"]));
    assert_eq!(
        (&*found.arm, found.arms[0].probability_feasible),
        ("b", Some(0.0))
    );
    let found = answer(&pool(), &priced(Some(1.0), &["cost=0.5"]));
    assert_eq!(found.verdict, MeasuresVerdict::NoneFeasible);
    assert_eq!(found.probability_none_feasible, 1.0);
    let text = report(&pool(), &priced(Some(1.0), &["cost=0.5"]))
        .unwrap()
        .text();
    assert!(
        text.starts_with("these items: no arm is feasible with mean cost at most 0.5\n"),
        "{text}"
    );
}

/// Tests that a measure that varies is a sample though every item was asked: nothing about it is certain.
#[test]
fn what_varies_is_never_certain() {
    let by = BeliefRequest {
        measures: MeasuresRequest {
            by: Some("seconds".to_owned()),
            ..priced(Some(0.1), &["seconds=100", "cost=2"]).measures
        },
        ..BeliefRequest::default()
    };
    let found = answer(&pool(), &by);
    assert_eq!(
        (&*found.arm, found.verdict, found.is_known),
        ("b", MeasuresVerdict::Arm, false)
    );
    for arm in &found.arms {
        assert!(arm.probability < 1.0);
        // The scores are known, and so is the cost.
        assert_eq!(
            arm.probability_within,
            Some(f64::from(u8::from(arm.name != "c")))
        );
        let seconds = &arm.measures[0];
        assert!(seconds.probability_at_most.unwrap() < 1.0 && seconds.lower < seconds.mean);
        assert_eq!(arm.measures[1].lower, arm.measures[1].upper);
    }
    // Ten seconds of an arm are few; costs are known.
    let notes = report(&pool(), &by).unwrap().notes;
    let cautions = notes
        .iter()
        .filter(|note| note.contains("just above a limit"));
    let cautions: Vec<_> = cautions.collect();
    assert!(
        cautions.len() == 1 && cautions[0].starts_with("seconds has 10 values of an arm"),
        "{notes:?}"
    );
    // Infeasible by a known measure.
    assert_eq!(
        (
            found.arms[0].probability,
            found.arms[0].probability_feasible
        ),
        (0.0, Some(0.0))
    );
    let none = answer(&pool(), &asked(None, &["seconds=0.1"]));
    assert_eq!(none.verdict, MeasuresVerdict::NoneFeasible);
    assert!((0.99..1.0).contains(&none.probability_none_feasible));
}

/// Tests that of equally cheap arms the best is the answer, and that exact equals share.
#[test]
fn ties() {
    let found = answer(&pool_of([2, 2, 2]), &priced(Some(1.0), &[]));
    assert_eq!((&*found.arm, found.arms[0].probability), ("a", 1.0));
    assert_eq!(found.arms[1].probability_pareto, Some(0.0));
    let twins = pool_of([2, 2, 3]).replace("b,8,0,", "b,8,1,");
    let found = answer(&twins, &priced(Some(0.0), &[]));
    assert_eq!(
        [0, 1, 2].map(|arm: usize| found.arms[arm].probability),
        [0.5, 0.5, 0.0]
    );
    assert_eq!(found.verdict, MeasuresVerdict::Open);
    assert_eq!(found.arms[1].probability_pareto, Some(1.0));
}

/// Scores and seconds of an arm on unknown splits: 12 values with this mean and skewness.
fn rows(arm: &str, score: f64, cost: f64, seconds: &dyn Fn(usize) -> f64) -> String {
    const NOISE: [f64; 12] = [
        -3.0, 1.0, 2.0, -1.0, 3.0, -2.0, 4.0, -4.0, 0.5, -0.5, 5.0, -5.0,
    ];
    let row = |(place, noise): (usize, &f64)| {
        format!("{arm},{},{cost},{}\n", score + 0.01 * noise, seconds(place))
    };
    NOISE.iter().enumerate().map(row).collect()
}

/// Tests probabilities against numbers computed otherwise. Scores have independent t posteriors with n − 2 = 10 degrees of
/// freedom, costs are prices, and the seconds of one arm vary: t with n − 1 = 11 degrees of freedom of Hall's polynomial.
#[test]
fn probabilities_are_those_of_a_quadrature() {
    let symmetric = |place: usize| [1.0, 2.0, 3.0, 4.0, 5.0, 6.0][place % 6];
    let skewed = |place: usize| [1.0, 1.1, 1.2, 1.3, 1.6, 4.0][place % 6];
    for seconds in [&symmetric as &dyn Fn(usize) -> f64, &skewed] {
        let csv = "arm,score,cost,seconds\n".to_owned()
            + &rows("dear", 0.8, 2.0, &|_| 1.0)
            + &rows("cheap", 0.795, 1.0, seconds);
        let values: Vec<f64> = (0..12).map(seconds).collect();
        let n = 12.0;
        let mean = values.iter().sum::<f64>() / n;
        let moment = |power: i32| values.iter().map(|x| (x - mean).powi(power)).sum::<f64>() / n;
        let error = (moment(2) / (n - 1.0)).sqrt();
        let limit = mean + 0.8 * error;
        let request = BeliefRequest {
            posterior: Some("uniform".to_owned()),
            options: BeliefOptions {
                draws: Some(40_000),
                method: crate::analysis::belief::BeliefMethod::MonteCarlo,
                ..BeliefOptions::default()
            },
            ..priced(Some(0.01), &[&format!("seconds={limit}")])
        };
        let found = answer(&csv, &request);
        // The seconds of the dear arm are 1 in all 12 evaluations, and with the probability 3/15 not in others; half of
        // these are too many.
        let slow = 0.5 * 3.0 / 15.0;
        // P(mean ≤ limit) = P(t ≤ −g((x̄ − limit)/error)).
        let skew = moment(3) / moment(2).powf(1.5) * (n * (n - 1.0)).sqrt() / (n - 2.0);
        let a = skew * (1.0 + 3.0 / n.sqrt()) / n.sqrt();
        let t = (mean - limit) / error;
        let g = t + a * t * t / 3.0 + a * a * t.powi(3) / 27.0 + a / 6.0;
        let feasible = upper_tail(g, 11.0);
        let close = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 0.006, "{found} {expected}");
        };
        close(found.arms[1].probability_feasible.unwrap(), feasible);
        // P(cheap ≥ dear − .01) of two t variables with 10 degrees of freedom.
        let squares = 2.0 * (9.0 + 1.0 + 4.0 + 16.0 + 0.25 + 25.0) * 1e-4;
        let scale = (squares / (n * 10.0)).sqrt();
        let step = 0.002;
        let density =
            |x: f64| (upper_tail(x - step / 2.0, 10.0) - upper_tail(x + step / 2.0, 10.0)).abs();
        let within: f64 = (-10_000..=10_000)
            .map(|k| f64::from(k) * step)
            .map(|x| density(x) * upper_tail(x - 0.005 / scale, 10.0))
            .sum();
        close(found.arms[1].probability_within.unwrap(), within);
        let cheap = feasible * (within * (1.0 - slow) + slow);
        close(found.arms[1].probability, cheap);
        close(
            found.arms[0].probability,
            (1.0 - slow) * (1.0 - within * feasible),
        );
        close(found.probability_none_feasible, slow * (1.0 - feasible));
        // The cheaper arm is always on the front; the dearer is if it is better: at a lead of .005.
        assert!(found.arms[1].probability_pareto.unwrap() > 0.999);
        let better: f64 = (-10_000..=10_000)
            .map(|k| f64::from(k) * step)
            .map(|x| density(x) * upper_tail(x - 0.005 / scale, 10.0))
            .sum();
        close(found.arms[0].probability_pareto.unwrap(), better);
        // The limit is inside the interval exactly if neither tail is below 2.5 %.
        let seconds = &found.arms[1].measures[1];
        assert!(seconds.lower < limit && limit < seconds.upper);
    }
}

/// Tests the counts of a draw against the definitions, spelled out one by one, on random small worlds full of ties.
#[test]
fn counts_are_those_of_the_definitions() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for run in 0..2000 {
        let arms = 1 + run % 5;
        let mut level = || {
            (0..arms)
                .map(|_| f64::from(rng.random_range(0..4_u8)))
                .collect::<Vec<f64>>()
        };
        let (scores, measures) = (level(), vec![level(), level()]);
        let aim = if run % 3 == 0 {
            Aim::Best
        } else {
            Aim::Cheapest(f64::from(u8::try_from(run % 3).unwrap()) - 1.0)
        };
        let mut tally = Tally::new(arms, aim, vec![(0, 2.0), (1, 1.0)]);
        tally.add(0, &scores, &measures);
        let found = tally.shares(|_, _| true, true);
        let feasible = |&arm: &usize| measures[0][arm] <= 2.0 && measures[1][arm] <= 1.0;
        let all: Vec<usize> = (0..arms).collect();
        let allowed: Vec<usize> = all.iter().copied().filter(feasible).collect();
        let is_answer = |&arm: &usize| {
            if !feasible(&arm) {
                return false;
            }
            match aim {
                Aim::Best => allowed.iter().all(|&other| scores[other] <= scores[arm]),
                Aim::Cheapest(within) => {
                    let good: Vec<usize> = { allowed.iter().copied() }
                        .filter(|&one| {
                            allowed
                                .iter()
                                .all(|&other| scores[one] >= scores[other] - within)
                        })
                        .collect();
                    good.contains(&arm)
                        && good.iter().all(|&other| {
                            (measures[0][arm], -scores[arm]) <= (measures[0][other], -scores[other])
                        })
                }
            }
        };
        let answers: Vec<usize> = all.iter().copied().filter(is_answer).collect();
        for arm in 0..arms {
            let expected = if answers.contains(&arm) {
                1.0 / answers.len() as f64
            } else {
                0.0
            };
            assert!((found.answer[arm] - expected).abs() < 1e-12, "{run}");
            let dominated = all.iter().any(|&other| {
                scores[other] >= scores[arm]
                    && measures[0][other] <= measures[0][arm]
                    && (scores[other] > scores[arm] || measures[0][other] < measures[0][arm])
            });
            if aim != Aim::Best {
                assert_eq!(found.front[arm], f64::from(u8::from(!dominated)), "{run}");
            }
        }
        assert_eq!(found.none, f64::from(u8::from(allowed.is_empty())));
    }
}

/// Tests the sentence of an open answer, and that what is printed of all answers sums to 100 %.
#[test]
fn an_open_answer_names_the_most_probable_arm() {
    let csv = "arm,score,cost,seconds\n".to_owned()
        + &rows("dear", 0.8, 2.0, &|place| 1.0 + place as f64 / 6.0)
        + &rows("cheap", 0.79, 1.0, &|place| 1.0 + place as f64 / 7.0);
    let text = report(&csv, &asked(Some(0.01), &["seconds=1.9"]))
        .unwrap()
        .text();
    let first = text.lines().next().unwrap();
    let parts: Vec<&str> = first.split(" posterior probability ").collect();
    assert!(parts[0].starts_with("open: with "), "{first}");
    assert!(
        parts[1].starts_with("cheap is the cheapest arm by cost with score within 0.01 of the best, of those with mean seconds at most 1.9; with "),
        "{first}"
    );
    assert!(first.ends_with(" no arm is feasible"), "{first}");
}
