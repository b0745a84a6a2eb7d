//! Tests of P(highest expected best of n): against brute force, exact values and symmetries; edges;
//! ranges of n.

use fiesta_core::{ArmId, Direction, Streams};
use fiesta_posterior::best_of_n::{
    ArmTrials, BestOfN, BestOfNError, BestOfNOptions, LARGEST_N, Tail,
};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, Gamma, StandardNormal};

fn normal(mean: f64, sd: f64, count: usize, stream: u64) -> Vec<f64> {
    let mut rng = Streams::new(99).run(stream);
    let score = |z: f64| mean + sd * z;
    (0..count)
        .map(|_| score(rng.sample(StandardNormal)))
        .collect()
}

fn compare(arms: &[&[f64]], options: &BestOfNOptions) -> BestOfN {
    let trials: Vec<ArmTrials<'_>> = arms.iter().map(|scores| ArmTrials::new(scores)).collect();
    BestOfN::compare(&trials, options).unwrap()
}

fn up_to(n: usize) -> BestOfNOptions {
    BestOfNOptions {
        largest_n: Some(n),
        ..BestOfNOptions::default()
    }
}

/// Draws the expected best of 1 to n trials once from their posterior, by the definition. Each score
/// has the weight `weight` of a whole trial.
fn draw(scores: &[f64], highest: f64, weight: f64, n: usize, rng: &mut impl Rng) -> Vec<f64> {
    let gamma = |shape: f64| Gamma::new(shape, 1.0).unwrap();
    let mut x = scores.to_vec();
    x.sort_by(f64::total_cmp);
    let count = x.len();
    let masses: Vec<f64> = (0..=count).map(|_| gamma(weight).sample(rng)).collect();
    let total: f64 = masses.iter().sum();
    let sums = masses.iter().scan(0.0, |sum, mass| {
        *sum += mass / total;
        Some(*sum)
    });
    let below: Vec<f64> = sums.collect();
    let root = (1..=count).find(|root| root * root >= count).unwrap();
    let k = root.max(3).min(count - 1);
    let spacings: f64 = (1..=k)
        .map(|j| j as f64 * (x[count - j] - x[count - j - 1]))
        .sum();
    let sigma = spacings / gamma(k as f64 * weight).sample(rng);
    let w = masses[count] / total;
    let bound = w * (-(highest - x[count - 1]) / sigma).exp();
    let expected = |n: usize| {
        let gap = |i: usize| {
            let middle = f64::midpoint(below[i], below[i + 1]);
            middle.powf(n as f64) * (x[i + 1] - x[i])
        };
        let inside: f64 = (0..count - 1).map(gap).sum();
        let term = |j: i32| ((1.0 - bound).powi(j) - (1.0 - w).powi(j)) / f64::from(j);
        let tail: f64 = (1..=i32::try_from(n).unwrap()).map(term).sum();
        x[count - 1] - inside + sigma * tail
    };
    (1..=n).map(expected).collect()
}

/// Tests against the definition: standard errors of a difference of two frequencies of 5,000 draws
/// are below 0.01; 0.05 is five of them.
#[test]
fn agrees_with_the_definition() {
    let heavy = normal(0.0, 1.0, 30, 4).into_iter().map(|z| z.exp() - 1.5);
    let arms = [
        normal(0.0, 1.0, 12, 1),
        normal(0.5, 0.5, 30, 2),
        heavy.collect(),
    ];
    let n = 40;
    for bounds in [None, Some((-8.0, 12.5))] {
        let options = BestOfNOptions {
            bounds,
            draws: 5000,
            ..up_to(n)
        };
        let fast = compare(&arms.each_ref().map(Vec::as_slice), &options);
        let highest = bounds.map_or(f64::INFINITY, |(_, highest)| highest);
        let weights = [0, 1, 2].map(|arm| fast.tails()[arm].unwrap().weight);
        assert!(weights[0] > 0.99 && weights[2] < 0.5, "{weights:?}");
        let mut wins = vec![[0.0; 3]; n];
        let mut rng = Streams::new(5).run(0);
        for _ in 0..5000 {
            let draws = [0, 1, 2].map(|arm| draw(&arms[arm], highest, weights[arm], n, &mut rng));
            for (n, wins) in wins.iter_mut().enumerate() {
                let best = (0..3).max_by(|&a, &b| draws[a][n].total_cmp(&draws[b][n]));
                wins[best.unwrap()] += 1.0 / 5000.0;
            }
        }
        for (n, wins) in wins.iter().enumerate() {
            for (fast, slow) in fast.probability(n + 1).iter().zip(wins) {
                assert!((fast - slow).abs() < 0.05, "n = {}: {fast} {slow}", n + 1);
            }
        }
    }
}

#[test]
fn probabilities_add_up_to_one_for_every_n() {
    let arms = [
        normal(0.0, 1.0, 9, 1),
        vec![0.25; 7],
        normal(0.1, 0.2, 40, 2),
    ];
    let best = compare(&arms.each_ref().map(Vec::as_slice), &up_to(1000));
    assert_eq!(best.largest_n(), 1000);
    for n in 1..=1000 {
        let sum: f64 = best.probability(n).iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "{n}: {sum}");
    }
}

/// Tests n = 1 with many scores: E_1 is the mean, and the probability that of two nearly normal
/// means.
#[test]
fn of_one_trial_it_is_the_probability_of_a_higher_mean() {
    let (a, b) = (normal(0.0, 1.0, 400, 1), normal(0.05, 1.0, 400, 2));
    let best = compare(&[&a, &b], &up_to(1));
    let moments = [&a, &b].map(|x| x.iter().copied().collect::<fiesta_core::Moments>());
    let error = moments
        .map(|m| m.variance().unwrap() / 400.0)
        .iter()
        .sum::<f64>()
        .sqrt();
    let z = (moments[1].mean() - moments[0].mean()) / error;
    let normal = statrs::distribution::Normal::standard();
    let expected = statrs::distribution::ContinuousCDF::cdf(&normal, z);
    assert!(
        (best.probability(1)[1] - expected).abs() < 0.02,
        "{expected} {best:?}"
    );
}

#[test]
fn an_arm_does_not_depend_on_which_others_there_are() {
    let arms = [normal(0.0, 1.0, 20, 1), normal(0.2, 0.8, 20, 2)];
    let hopeless = vec![-1e6; 20];
    let two = compare(&[&arms[0], &arms[1]], &up_to(64));
    let three = compare(&[&arms[0], &arms[1], &hopeless], &up_to(64));
    for n in 1..=64 {
        assert_eq!(two.probability(n), &three.probability(n)[..2]);
        assert_eq!(three.probability(n)[2].to_bits(), 0.0_f64.to_bits());
    }
}

/// Tests that neither the unit nor the direction of scores matters.
#[test]
fn minimising_is_maximising_the_negative() {
    let arms = [normal(0.0, 1.0, 15, 1), normal(0.3, 0.6, 25, 2)];
    let bounds = |a: f64, b: f64| Some((a, b));
    let maximised = compare(
        &[&arms[0], &arms[1]],
        &BestOfNOptions {
            bounds: bounds(-16.0, 8.0),
            ..up_to(30)
        },
    );
    let losses = arms.map(|arm| arm.iter().map(|x| -x * 4.0).collect::<Vec<f64>>());
    let minimised = compare(
        &[&losses[0], &losses[1]],
        &BestOfNOptions {
            direction: Direction::Minimize,
            bounds: bounds(-32.0, 64.0),
            ..up_to(30)
        },
    );
    assert_eq!(maximised, minimised);
}

#[test]
fn exactly_equal_arms_share() {
    let equal = [0.5; 8];
    let three = compare(&[&equal, &equal, &equal], &up_to(200));
    for n in [1, 7, 200] {
        for &p in three.probability(n) {
            assert!((p - 1.0 / 3.0).abs() < 1e-9);
        }
    }
    // Both at the bound: the more trials, the more exactly equal.
    let (often, rarely) = ([1.0; 20], [&[0.0; 10][..], &[1.0; 10]].concat());
    let options = BestOfNOptions {
        bounds: Some((0.0, 1.0)),
        ..up_to(10_000)
    };
    let best = compare(&[&often, &rarely], &options);
    assert_eq!(best.probability(1), [1.0, 0.0]);
    assert!(
        (best.probability(10_000)[1] - 0.5).abs() < 1e-9,
        "{:?}",
        best.probability(10_000)
    );
}

/// Tests two arms with equal scores: neither may be favoured, at any n. 0.5 ± 0.025 is five
/// standard errors.
#[test]
fn equal_data_is_no_evidence() {
    let scores = normal(0.0, 1.0, 25, 4);
    let best = compare(&[&scores, &scores], &up_to(500));
    for n in 1..=500 {
        assert!((best.probability(n)[0] - 0.5).abs() < 0.025, "{n}");
    }
    let leads = best.leads(0.95);
    assert_eq!((leads.len(), leads[0].arm), (1, None));
}

#[test]
fn failures_are_the_worst_scores() {
    let (reliable, good) = (normal(0.6, 0.02, 20, 1), normal(0.7, 0.02, 10, 2));
    let trials = |failed| {
        [
            ArmTrials::new(&reliable),
            ArmTrials {
                scores: &good,
                failed,
            },
        ]
    };
    let bounds = Some((0.0, 1.0));
    let options = BestOfNOptions {
        bounds,
        ..up_to(20)
    };
    let none = BestOfN::compare(&trials(0), &options).unwrap();
    assert!(none.probability(1)[1] > 0.999);
    let half = BestOfN::compare(&trials(10), &options).unwrap();
    assert!(half.probability(1)[1] < 0.01 && half.probability(15)[1] > 0.99);
    assert_eq!(half.informative_up_to(), 6);
    // They are what scores at the bound are.
    let padded = [good.as_slice(), &[0.0; 10]].concat();
    assert_eq!(compare(&[&reliable, &padded], &options), half);
    // Without a bound they are as bad as the worst that was seen of any arm.
    let unbounded = BestOfN::compare(&trials(10), &up_to(20)).unwrap();
    let worst = reliable
        .iter()
        .chain(&good)
        .copied()
        .fold(f64::INFINITY, f64::min);
    let padded = [good.as_slice(), &[worst; 10]].concat();
    assert_eq!(compare(&[&reliable, &padded], &up_to(20)), unbounded);
    // An arm that always failed is one that never leads.
    let never = [
        ArmTrials::new(&reliable),
        ArmTrials {
            scores: &[],
            failed: 9,
        },
    ];
    let best = BestOfN::compare(&never, &options).unwrap();
    assert_eq!(best.probability(3), [1.0, 0.0]);
}

#[test]
fn says_where_the_leader_changes() {
    let (steady, risky) = (normal(0.7, 0.02, 60, 1), normal(0.5, 0.15, 60, 2));
    let best = compare(&[&steady, &risky], &up_to(30));
    let leads = best.leads(0.8);
    let arms: Vec<Option<ArmId>> = leads.iter().map(|lead| lead.arm).collect();
    assert_eq!(arms, [Some(ArmId::new(0)), None, Some(ArmId::new(1))]);
    assert_eq!(leads[1].highest_arms, [ArmId::new(0), ArmId::new(1)]);
    assert!(
        leads[0].highest > 0.999 && leads[2].highest > 0.85,
        "{leads:?}"
    );
    // Of normal scores, 0.7 + 0.02 m_n = 0.5 + 0.15 m_n where the best of n standard normal ones is
    // 1.54: n = 10.
    assert!((leads[1].from..=leads[1].to).contains(&10), "{leads:?}");
}

/// Tests that ranges cover every n once, and that a range's statement is true at each of its n: for
/// arms that differ much, little, or not at all.
#[test]
fn what_a_range_says_is_true_at_each_n() {
    for (mean, sd) in [
        (0.0, 1.0),
        (0.05, 1.0),
        (-0.6, 1.6),
        (0.3, 0.7),
        (-0.2, 1.1),
    ] {
        let arms = [
            normal(0.0, 1.0, 45, 1),
            normal(mean, sd, 45, 2),
            normal(mean, sd, 45, 3),
        ];
        let best = compare(&arms.each_ref().map(Vec::as_slice), &up_to(60));
        for confidence in [0.5, 0.8, 0.95] {
            let mut next = 1;
            for lead in best.leads(confidence) {
                assert_eq!(lead.from, next);
                next = lead.to + 1;
                for n in lead.from..=lead.to {
                    let (leader, p) = best.leader(n);
                    assert_eq!(
                        lead.arm,
                        (p >= confidence).then_some(leader),
                        "{n} {lead:?}"
                    );
                    assert!(lead.lowest <= p && p <= lead.highest);
                    assert!(lead.highest_arms.contains(&leader));
                }
            }
            assert_eq!(next, 61);
        }
    }
}

#[test]
fn a_million_scores_and_few() {
    let many = normal(0.0, 1.0, 1_000_000, 1);
    let few = normal(0.0, 1.0, 3, 2);
    let options = BestOfNOptions {
        draws: 500,
        ..up_to(100)
    };
    let best = compare(&[&many, &few], &options);
    assert_eq!(best.informative_up_to(), 1);
    let p = best.probability(100)[0];
    assert!(
        (0.02..0.98).contains(&p),
        "three scores tell nothing of the best of 100: {p}"
    );
    // A million tell it, by the mean of many best of 100.
    let (higher, lower) = (
        normal(0.02, 1.0, 1_000_000, 3),
        normal(0.0, 1.0, 1_000_000, 4),
    );
    let best = compare(&[&higher, &lower], &options);
    assert!(best.probability(1)[0] > 0.99 && best.probability(100)[0] > 0.9);
}

#[test]
fn what_cannot_be_asked() {
    let fine = [0.1, 0.2, 0.3];
    let refused = |arms: &[ArmTrials<'_>], options: &BestOfNOptions| {
        BestOfN::compare(arms, options).unwrap_err()
    };
    let options = BestOfNOptions::default();
    assert_eq!(refused(&[], &options), BestOfNError::NoArm);
    let short = [ArmTrials::new(&fine), ArmTrials::new(&fine[..2])];
    assert_eq!(
        refused(&short, &options),
        BestOfNError::TooFew { arm: 1, found: 2 }
    );
    for score in [f64::NAN, f64::INFINITY] {
        let scores = [0.1, score, 0.2];
        let found = refused(&[ArmTrials::new(&fine), ArmTrials::new(&scores)], &options);
        assert!(matches!(found, BestOfNError::NotFinite { arm: 1, .. }));
    }
    let arms = [ArmTrials::new(&fine)];
    for n in [0, LARGEST_N + 1] {
        assert_eq!(refused(&arms, &up_to(n)), BestOfNError::N(n));
    }
    let draws = BestOfNOptions {
        draws: 0,
        ..options
    };
    assert_eq!(refused(&arms, &draws), BestOfNError::NoDraws);
    let narrow = BestOfNOptions {
        bounds: Some((0.0, 0.2)),
        ..options
    };
    assert!(matches!(
        refused(&arms, &narrow),
        BestOfNError::OutOfBounds { arm: 0, .. }
    ));
    let inverted = BestOfNOptions {
        bounds: Some((1.0, 0.0)),
        ..options
    };
    assert_eq!(refused(&arms, &inverted), BestOfNError::Bounds(1.0, 0.0));
    let failed = [ArmTrials {
        scores: &[],
        failed: 5,
    }];
    assert_eq!(refused(&failed, &options), BestOfNError::NoScore);
    // A single arm leads, of course.
    assert_eq!(compare(&[&fine], &options).probability(3), [1.0]);
}

/// Tests that statements with at least 95 % are right at least nearly as often; here coarsely, on
/// normal scores. Of about 100 such statements, fewer than 86 would be right once in 10,000 times
/// if 95 % were. All the figures: docs/random-search.md.
#[test]
fn is_right_when_it_is_sure() {
    let (mut sure, mut right) = (0, 0);
    for set in 0..400 {
        let mut rng = Streams::new(7).run(set);
        let (shift, stretch): (f64, f64) = (rng.sample(StandardNormal), rng.sample(StandardNormal));
        let (mean, sd) = (0.6 * shift, (0.3 * stretch).exp());
        let a = normal(0.0, 1.0, 16, 2 * set);
        let b = normal(mean, sd, 16, 2 * set + 1);
        let options = BestOfNOptions {
            draws: 400,
            ..up_to(8)
        };
        let p = compare(&[&a, &b], &options).probability(8)[1];
        // The expected best of 8 standard normal scores.
        let second_is_better = mean + sd * 1.423_600_306 > 1.423_600_306;
        if p.max(1.0 - p) >= 0.95 {
            sure += 1;
            right += i32::from((p > 0.5) == second_is_better);
        }
    }
    assert!(sure > 60, "{sure}");
    assert!(
        f64::from(right) > 0.86 * f64::from(sure),
        "{right} of {sure}"
    );
}

/// Tests scores whose tail falls as x⁻³. Of 300 comparisons of arms that hardly differ, as few as 3
/// % end in a wrong statement of at least 95 %; with no regard to their tail, 8 % do.
#[test]
fn heavy_tails_are_no_reason_to_be_wrong() {
    let arm = |stretch: f64, shift: f64, set: u64, stream: u64| -> Vec<f64> {
        let mut rng = Streams::new(31).run(2 * set + stream);
        let quantile = |u: f64| (u / (1.0 - u)).powf(1.0 / 3.0);
        let mut score =
            || shift + stretch * quantile(rng.random::<f64>().clamp(1e-12, 1.0 - 1e-12));
        (0..50).map(|_| score()).collect()
    };
    let mut wrong = 0;
    let mut heavy = 0;
    for set in 0..300 {
        let mut rng = Streams::new(32).run(set);
        let (shift, stretch): (f64, f64) = (rng.sample(StandardNormal), rng.sample(StandardNormal));
        let (shift, stretch) = (0.4 * shift, (0.2 * stretch).exp());
        let options = BestOfNOptions {
            draws: 400,
            ..up_to(16)
        };
        let best = compare(
            &[&arm(1.0, 0.0, set, 0), &arm(stretch, shift, set, 1)],
            &options,
        );
        // The expected best of 16 is Γ(16 + 1/3) Γ(2/3)/Γ(16) = 3.3885 times the scale.
        let second_is_better = shift + stretch * 3.388_5 > 3.388_5;
        let p = best.probability(16)[1];
        wrong += i32::from(p.max(1.0 - p) >= 0.95 && (p > 0.5) != second_is_better);
        heavy += i32::from(best.tails().iter().flatten().any(Tail::is_heavy));
    }
    assert!(wrong <= 9, "{wrong}");
    assert!(heavy > 200, "{heavy}");
}
