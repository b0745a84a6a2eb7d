//! Tests of UCB-E: which arm comes when, against the paper's algorithm, the budget, who is
//! recommended.

use super::{
    arm, arms,
    runs::{IMPATIENT, attempts, by_number, endless, finish, hash, limited, noisy, run},
    tell,
};
use fiesta_core::{Ask, Design, Limits, Outcome, Selector};
use fiesta_policies::{UcbE, stopping::Never};
use fiesta_posterior::GaussianArms;
use proptest::prelude::*;

/// The k-th score of an arm, between 0 and 1: around its mean, in steps of .1 for ties.
fn score(salt: u64, index: usize, turn: u64, coarse: bool) -> f64 {
    let noise = (hash(salt, index, turn) >> 40) as f64 / (1u64 << 24) as f64;
    let mean = (hash(salt, index, 999) >> 40) as f64 / (1u64 << 24) as f64;
    let score = 0.5 * (mean + noise);
    if coarse { score.round() } else { score }
}

/// Returns the first round in which an arm was chosen whose index, by the paper's algorithm, is not
/// the highest but for rounding. `None` if there is no such round.
fn departs(
    arm_count: usize,
    chosen: &[usize],
    a: Option<f64>,
    score: impl Fn(usize, u64) -> f64,
) -> Option<usize> {
    let (k_all, budget) = (arm_count as f64, chosen.len() as f64);
    let log_bar = 0.5 + (2..=arm_count).map(|i| 1.0 / i as f64).sum::<f64>();
    let n = |k: usize| {
        let exact = (budget - k_all) / log_bar / (k_all + 1.0 - k as f64);
        // Whole numbers are whole in the paper.
        if (exact - exact.round()).abs() < 1e-9 {
            exact.round()
        } else {
            exact.ceil()
        }
    };
    let t = |k: usize| (1..k).map(n).sum::<f64>() + (k_all + 1.0 - k as f64) * n(k);
    let (mut sums, mut counts) = (vec![0.0; arm_count], vec![0_u64; arm_count]);
    let mut rounds = chosen.iter().enumerate().peekable();
    for k in 0..arm_count {
        let mean = |i: usize| sums[i] / counts[i] as f64;
        let hardness = if k == 0 {
            k_all
        } else {
            let best = (0..arm_count).map(mean).fold(f64::NEG_INFINITY, f64::max);
            let mut gaps: Vec<f64> = (0..arm_count).map(|i| best - mean(i)).collect();
            gaps.sort_by(f64::total_cmp);
            let ranked = arm_count - k + 1..=arm_count;
            ranked
                .map(|i| i as f64 / gaps[i - 1].powi(2))
                .fold(0.0, f64::max)
        };
        let a = a.unwrap_or(budget / hardness);
        let end = if k + 1 < arm_count { t(k + 1) } else { budget };
        while let Some((round, &arm)) = rounds.next_if(|(round, _)| (*round as f64) < end) {
            let index = |i: usize| match counts[i] {
                0 => f64::INFINITY,
                s => sums[i] / s as f64 + (a / s as f64).sqrt(),
            };
            let highest = (0..arm_count).map(index).fold(f64::NEG_INFINITY, f64::max);
            if index(arm) < highest - 1e-9 {
                return Some(round);
            }
            sums[arm] += score(arm, counts[arm]);
            counts[arm] += 1;
        }
    }
    None
}

fn chosen(arm_count: usize, policy: UcbE, score: impl Fn(usize, u64) -> f64) -> Vec<usize> {
    let mut selector = Selector::builder(
        arms(arm_count),
        GaussianArms::pooled(arm_count),
        policy,
        Never,
    )
    .build()
    .unwrap();
    let mut chosen = Vec::new();
    while let Ask::Evaluate(e) = selector.ask().unwrap() {
        let index = e.arm.index();
        chosen.push(index);
        tell(
            &mut selector,
            e.id,
            Outcome::Observed(score(index, e.case.split)),
        );
    }
    chosen
}

/// Tests means 1 and 0 without noise: the second arm comes when 2/√s₂ > 1 + 2/√s₁, which for s₂ = 1
/// is at s₁ = 5 and for s₂ = 2 at s₁ = 24 (23 is below (2/(√2 − 1))² = 23.3).
#[test]
fn the_index_is_that_of_the_definition() {
    let policy = UcbE::new(2, 30).unwrap().exploring(4.0).unwrap();
    let order = chosen(2, policy, |index, _| 1.0 - index as f64);
    let second: Vec<usize> = (0..30).filter(|&place| order[place] == 1).collect();
    assert_eq!(second, [1, 6, 26]);
}

/// Tests the exploration of a known complexity: (25/36)·(n − K)/H₁ = (25/36)·(146 − 2)/25 = 4.
#[test]
fn a_known_complexity_gives_the_exploration_of_the_bound() {
    let known = UcbE::new(2, 146).unwrap().knowing(25.0).unwrap();
    let given = UcbE::new(2, 146).unwrap().exploring(4.0).unwrap();
    let scores = |index, turn| score(7, index, turn, false);
    assert_eq!(chosen(2, known, scores), chosen(2, given, scores));
}

/// Tests an adaptive run made by hand: K = 3, n = 12, log̅3 = 4/3, n₁ = ⌈2.25⌉ = 3, n₂ = ⌈3.375⌉ =
/// 4; phases end after 9, 3 + 2·4 = 11 and 12. With means 1, .5 and 0 and no noise: Ĥ₀ = 3, a = 4:
/// by the indices 1 + 2/√s, .5 + 2/√s, 2/√s. Then Ĥ₁ = 3/1² and a = 4 once more, then Ĥ₂ =
/// max(2/.25, 3) = 8 and a = 1.5.
#[test]
fn the_exploration_adapts_by_phases() {
    let policy = UcbE::new(3, 12).unwrap();
    let order = chosen(3, policy, |index, _| 1.0 - 0.5 * index as f64);
    assert_eq!(order, [0, 1, 2, 0, 1, 0, 0, 0, 2, 1, 0, 0]);
}

#[test]
fn what_is_no_exploration_is_refused() {
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let message = UcbE::new(3, 9).unwrap().exploring(value).unwrap_err();
        assert!(message.to_string().contains("the exploration a"));
        let message = UcbE::new(3, 9).unwrap().knowing(value).unwrap_err();
        assert!(message.to_string().contains("the sum H1"));
    }
    let message = UcbE::new(3, 3).unwrap_err().to_string();
    assert!(
        message.contains("ucb-e of 3 arms: it needs at least 4"),
        "{message}"
    );
}

/// Tests that an arm that failed is tried again as long as it has no score, and that failures count in the budget.
#[test]
fn failures_are_paid_from_the_budget() {
    let policy = UcbE::new(4, 40).unwrap();
    let mut selector = endless(4, policy, IMPATIENT, Limits::default());
    let end = finish(&mut selector, 3, 1, |index, turn| {
        if index == 3 {
            Outcome::Failed
        } else {
            by_number(index, turn)
        }
    });
    assert_eq!(end.arm, arm(2));
    assert_eq!(attempts(&selector).iter().sum::<u64>(), 40);
    assert_eq!(attempts(&selector)[3], 2);
}

/// Tests that on a pool no arm is asked for more items than there are, and the others get the
/// budget.
#[test]
fn exhausted_arms_are_passed_over() {
    let policy = UcbE::new(3, 20).unwrap().exploring(0.01).unwrap();
    let mut selector = Selector::builder(arms(3), GaussianArms::pooled(3), policy, Never)
        .design(Design::Items { count: 8 })
        .limits(limited(100))
        .build()
        .unwrap();
    finish(&mut selector, 1, 1, by_number);
    assert_eq!(attempts(&selector), [4, 8, 8]);
}

proptest! {
    /// Tests the order of the paper's algorithm, with a given and with the adaptive exploration.
    #[test]
    fn is_the_algorithm_of_the_paper(
        arm_count in 2..9_usize,
        more in 1..300_u64,
        salt: u64,
        a in prop::option::of(0.01..50.0_f64),
        coarse: bool,
    ) {
        let budget = arm_count as u64 + more;
        let scores = |index, turn| score(salt, index, turn, coarse);
        let mut policy = UcbE::new(arm_count, budget).unwrap();
        if let Some(a) = a {
            policy = policy.exploring(a).unwrap();
        }
        let chosen = chosen(arm_count, policy, scores);
        prop_assert_eq!(chosen.len() as u64, budget);
        prop_assert_eq!(departs(arm_count, &chosen, a, scores), None);
    }

    /// Tests that exactly the budget is spent, failures included, whatever the number of workers.
    #[test]
    fn spends_exactly_the_budget(
        arm_count in 2..12_usize,
        more in 1..150_u64,
        workers in 1..16_usize,
        salt: u64,
        failures: bool,
    ) {
        let budget = arm_count as u64 + more;
        let policy = UcbE::new(arm_count, budget).unwrap();
        let (attempts, _) = run(arm_count, policy, workers, Limits::default(), noisy(salt, failures));
        prop_assert_eq!(attempts.iter().sum::<u64>(), budget);
        prop_assert!(attempts.iter().all(|&count| count > 0));
    }
}
