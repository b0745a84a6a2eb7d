//! Policies: how often they choose which arm, against independent facts and the belief.

use fiesta_core::{
    ArmId, Arms, Ask, Belief, Beliefs, Case, Event, Marginal, Observe, ObserveError, Outcome,
    Policy, Selector, StoppingRule, Verdict, View,
};
use fiesta_policies::stopping::Never;
use fiesta_posterior::best_arm::{TOLERANCE, independent_draw, quadrature};
use rand::Rng;
use std::sync::{Arc, Mutex};

fn arm(index: usize) -> ArmId {
    ArmId::new(index)
}

fn arms(count: usize) -> Arms {
    Arms::new((0..count).map(|index| format!("arm{index}"))).unwrap()
}

fn tell(selector: &mut Selector, id: fiesta_core::EvaluationId, outcome: Outcome) {
    selector
        .tell(Event::Ended {
            id,
            outcome,
            cost: 1.0,
        })
        .unwrap();
}

/// A posterior that no observation changes and that needs none.
struct Fixed(Vec<Marginal>);

impl Fixed {
    /// Arms of these locations and scales, each with four degrees of freedom.
    fn new(arms: &[(f64, f64)]) -> Self {
        let marginal = |&(location, scale): &(f64, f64)| Marginal {
            location,
            scale,
            degrees_of_freedom: 4.0,
        };
        Self(arms.iter().map(marginal).collect())
    }

    /// P(best) of each arm.
    fn probability(&self) -> Vec<f64> {
        quadrature(&self.0, TOLERANCE).unwrap().probability
    }
}

impl Beliefs for Fixed {
    fn arms(&self) -> usize {
        self.0.len()
    }
    fn required(&self, _arm: ArmId) -> u64 {
        0
    }
    fn mean(&self, arm: ArmId) -> Option<f64> {
        Some(self.0[arm.index()].location)
    }
    fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        Some(self.0[arm.index()])
    }
    fn difference(&self, _a: ArmId, _b: ArmId) -> Option<Marginal> {
        None
    }
    fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        independent_draw(&self.0, rng, means);
    }
    fn belief(&self, candidates: &[ArmId]) -> Belief {
        let marginals: Vec<Marginal> = candidates.iter().map(|arm| self.0[arm.index()]).collect();
        let mut belief = quadrature(&marginals, TOLERANCE).unwrap();
        let mut probability = vec![0.0; self.0.len()];
        for (arm, p) in candidates.iter().zip(&belief.probability) {
            probability[arm.index()] = *p;
        }
        belief.probability = probability;
        belief
    }
}

impl Observe<f64> for Fixed {
    fn observe(&mut self, _arm: ArmId, _case: Case, _score: f64) -> Result<(), ObserveError> {
        Ok(())
    }
}

/// Three arms, each with a chance, and not the same.
const THREE: [(f64, f64); 3] = [(0.0, 1.0), (1.0, 0.4), (-0.2, 2.0)];

/// How often each arm is chosen in so many decisions on the same knowledge: none of them is ever told.
fn choices(posterior: Fixed, policy: impl Policy + 'static, decisions: u32, seed: u64) -> Vec<f64> {
    let count = posterior.0.len();
    let mut selector = Selector::builder(arms(count), posterior, policy, Never)
        .seed(seed)
        .build()
        .unwrap();
    let mut chosen = vec![0.0; count];
    for _ in 0..decisions {
        let Ask::Evaluate(evaluation) = selector.ask().unwrap() else {
            panic!("an evaluation")
        };
        chosen[evaluation.arm.index()] += 1.0;
    }
    chosen
}

/// Each frequency within 4.5 standard errors of its probability: fails falsely once in 147,000 comparisons.
fn agree(observed: &[f64], probability: &[f64]) {
    let n: f64 = observed.iter().sum();
    for (count, p) in observed.iter().zip(probability) {
        let error = (p * (1.0 - p) / n).sqrt();
        assert!(
            (count / n - p).abs() <= 4.5 * error,
            "{observed:?} of {n} for {probability:?}"
        );
    }
}

/// Notes how much had ended at each look, and never stops.
#[derive(Clone, Default)]
struct Looks(Arc<Mutex<Vec<u64>>>);

impl StoppingRule for Looks {
    fn check(&self, view: &View<'_>) -> Verdict {
        let mut looks = self.0.lock().unwrap();
        // Looks on the same knowledge are one look.
        if looks.last() != Some(&view.total_ended()) {
            looks.push(view.total_ended());
        }
        Verdict::Continue
    }
}

mod sequential_halving {
    use super::{arm, arms, tell};
    use fiesta_core::{ArmId, Ask, Limits, Outcome, Patience, Selector};
    use fiesta_policies::{SequentialHalving, stopping::Never};
    use fiesta_posterior::GaussianArms;
    use proptest::prelude::*;

    /// Runs to the end with so many evaluations in flight: the attempts per arm, and the winner. `outcome`
    /// tells the arm's `turn`-th evaluation.
    fn run(
        arm_count: usize,
        policy: SequentialHalving,
        workers: usize,
        limits: Limits,
        outcome: impl Fn(usize, u64) -> Outcome,
    ) -> (Vec<u64>, ArmId) {
        // No failure retires an arm here.
        let patience = Patience {
            at_first: u64::MAX,
            later: u64::MAX,
        };
        let posterior = GaussianArms::pooled(arm_count);
        let mut selector = Selector::builder(arms(arm_count), posterior, policy, Never)
            .patience(patience)
            .limits(limits)
            .build()
            .unwrap();
        loop {
            let pending: Vec<_> = selector.pending().collect();
            let ask = if pending.len() < workers {
                selector.ask().unwrap()
            } else {
                Ask::Wait
            };
            match ask {
                Ask::Evaluate(_) => {}
                // The last one first: outcomes arrive out of order.
                Ask::Wait => {
                    let e = pending[pending.len() - 1];
                    tell(&mut selector, e.id, outcome(e.arm.index(), e.case.split));
                }
                Ask::Finished(end) => {
                    let view = selector.view();
                    return (
                        selector
                            .arms()
                            .ids()
                            .map(|arm| view.attempts(arm))
                            .collect(),
                        end.arm,
                    );
                }
            }
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "a few arms")]
    fn by_number(index: usize, _turn: u64) -> Outcome {
        Outcome::Observed(index as f64)
    }

    /// Budget, arms → attempts, computed by hand from Algorithm 1.
    #[test]
    fn attempts_are_those_of_the_algorithm() {
        let facts: [(usize, u64, &[u64]); 6] = [
            (8, 24, &[1, 1, 1, 1, 3, 3, 7, 7]),
            (8, 100, &[4, 4, 4, 4, 12, 12, 28, 28]),
            (5, 31, &[2, 2, 5, 10, 10]),
            (6, 40, &[2, 2, 2, 6, 12, 12]),
            (3, 7, &[1, 2, 2]),
            // Rounds of 2, 5, 10 and 15: 114 in all.
            (12, 120, &[2, 2, 2, 2, 2, 2, 7, 7, 7, 17, 32, 32]),
        ];
        for (arm_count, budget, expected) in facts {
            for workers in [1, 3, 50] {
                let policy = SequentialHalving::new(arm_count, budget).unwrap();
                let (attempts, winner) =
                    run(arm_count, policy, workers, Limits::default(), by_number);
                // The arm with the higher number is the better one, so that these are sorted already.
                assert_eq!(
                    attempts, expected,
                    "K = {arm_count}, T = {budget}, {workers} workers"
                );
                assert_eq!(winner, arm(arm_count - 1));
            }
        }
    }

    fn limited(evaluations: u64) -> Limits {
        Limits {
            evaluations: Some(evaluations),
            ..Limits::default()
        }
    }

    /// Arms drop by their means over all their scores, not over the last round's.
    #[test]
    fn all_scores_count() {
        // K = 4, T = 16: two each; then four more for the two finalists. Arm 0 is brilliant at first and
        // mediocre later: (2·9 + 4·1)/6 = 3.67 beats 3, though the last round alone would not.
        let outcome = |index: usize, turn| {
            Outcome::Observed(match (index, turn) {
                (0, 0 | 1) => 9.0,
                (0, _) => 1.0,
                (1, _) => 3.0,
                _ => 0.0,
            })
        };
        let policy = SequentialHalving::new(4, 16).unwrap();
        let (attempts, winner) = run(4, policy, 1, Limits::default(), outcome);
        assert_eq!((attempts, winner), (vec![6, 6, 2, 2], arm(0)));
    }

    /// The schedule may use up the study's limit to the last evaluation: then, too, the winner is a finalist,
    /// however well an arm that left early scored at the time.
    #[test]
    fn the_winner_at_a_limit_is_a_finalist() {
        // K = 4, T = 8: one each; then two more for arms 0 and 1, which fall behind arm 2.
        let outcome = |index: usize, turn| {
            Outcome::Observed(match (index, turn) {
                (0, 0) => 0.9,
                (1, 0) => 0.8,
                (2, 0) => 0.7,
                (0, _) => 0.1,
                _ => 0.0,
            })
        };
        for limits in [Limits::default(), limited(8), limited(9)] {
            let policy = SequentialHalving::new(4, 8).unwrap();
            let (attempts, winner) = run(4, policy, 1, limits, outcome);
            assert_eq!((attempts, winner), (vec![3, 3, 1, 1], arm(0)), "{limits:?}");
            let policy = SequentialHalving::new(4, 9).unwrap().extended();
            let limits = limits.evaluations.map_or(limits, |_| limited(9));
            let (attempts, winner) = run(4, policy, 1, limits, outcome);
            assert_eq!(
                (attempts, winner),
                (vec![4, 3, 1, 1], arm(0)),
                "extended, {limits:?}"
            );
        }
        // A limit in the middle of the last round, and one before anything was dropped.
        let (_, winner) = run(
            4,
            SequentialHalving::new(4, 8).unwrap(),
            1,
            limited(7),
            outcome,
        );
        assert_eq!(winner, arm(1));
        let (_, winner) = run(
            4,
            SequentialHalving::new(4, 8).unwrap(),
            1,
            limited(2),
            outcome,
        );
        assert_eq!(winner, arm(0));
    }

    /// An arm that fails for good is no finalist any more; if it was the last, its rivals inherit.
    #[test]
    fn survivors_that_fail_for_good_leave_the_field() {
        let mut selector = Selector::builder(
            arms(4),
            GaussianArms::pooled(4),
            SequentialHalving::new(4, 40).unwrap(),
            Never,
        )
        .patience(Patience {
            at_first: 2,
            later: 2,
        })
        .build()
        .unwrap();
        let end = loop {
            match selector.ask().unwrap() {
                Ask::Evaluate(e) => {
                    // Arms 2 and 3 win the first round, of five, and then fail.
                    let outcome = match (e.arm.index(), e.case.split) {
                        (2 | 3, 5..) => Outcome::Failed,
                        (index, turn) => by_number(index, turn),
                    };
                    tell(&mut selector, e.id, outcome);
                }
                Ask::Wait => panic!("nothing is running"),
                Ask::Finished(end) => break end,
            }
        };
        assert_eq!(end.arm, arm(1));
    }

    #[test]
    fn a_budget_that_does_not_go_round_is_refused() {
        for (arm_count, least) in [(2, 2), (3, 6), (4, 8), (5, 15), (8, 24), (9, 36), (12, 48)] {
            assert!(SequentialHalving::new(arm_count, least).is_ok());
            let error = SequentialHalving::new(arm_count, least - 1).unwrap_err();
            assert!(
                error.to_string().contains(&format!("at least {least}")),
                "{error}"
            );
        }
    }

    /// K⌈log₂K⌉.
    fn least(arm_count: usize) -> u64 {
        let rounds = (1..=64).find(|&rounds| 1 << rounds >= arm_count);
        arm_count as u64 * rounds.unwrap()
    }

    /// Arms, a budget that suffices, workers and a number to seed scores and failures.
    fn setting() -> impl Strategy<Value = (usize, u64, usize, u64)> {
        (2..24_usize, 0..300_u64, 1..12_usize, any::<u64>()).prop_map(
            |(arm_count, more, workers, salt)| (arm_count, least(arm_count) + more, workers, salt),
        )
    }

    /// A number that looks random, of the salt, an arm and a turn (the finaliser of `SplitMix64`).
    fn hash(salt: u64, index: usize, turn: u64) -> u64 {
        let mut z = salt ^ (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (turn << 40);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn noisy(salt: u64, failures: bool) -> impl Fn(usize, u64) -> Outcome {
        move |index, turn| match hash(salt, index, turn) {
            number if failures && number.is_multiple_of(4) => Outcome::Failed,
            number => Outcome::Observed((number >> 32) as f64 / 4e9),
        }
    }

    proptest! {
        #[test]
        fn never_more_than_the_budget((arm_count, budget, workers, salt) in setting(), failures: bool) {
            let policy = SequentialHalving::new(arm_count, budget).unwrap();
            let (attempts, _) = run(arm_count, policy, workers, Limits::default(), noisy(salt, failures));
            let used: u64 = attempts.iter().sum();
            prop_assert!(used <= budget, "{} of {}", used, budget);
            // The divisions leave less than an evaluation per survivor and round.
            prop_assert!(used + 2 * arm_count as u64 > budget || arm_count < 3, "{} of {}", used, budget);
            prop_assert!(attempts.iter().all(|&count| count > 0));
        }

        /// Failures included, and without any limit of the study that would hold it.
        #[test]
        fn extended_spends_exactly_the_budget(
            (arm_count, budget, workers, salt) in setting(),
            failures: bool,
        ) {
            let policy = SequentialHalving::new(arm_count, budget).unwrap().extended();
            let (attempts, _) = run(arm_count, policy, workers, Limits::default(), noisy(salt, failures));
            prop_assert_eq!(attempts.iter().sum::<u64>(), budget);
        }

        /// Without noise the best arm wins, and half of the field leaves in each round.
        #[test]
        fn without_noise_the_best_arm_wins(
            (arm_count, budget, workers, salt) in setting(),
            extended: bool,
            limited_too: bool,
        ) {
            let policy = SequentialHalving::new(arm_count, budget).unwrap();
            let policy = if extended { policy.extended() } else { policy };
            let limits = if limited_too { limited(budget) } else { Limits::default() };
            // In this order the arms are better and better.
            let mut order: Vec<usize> = (0..arm_count).collect();
            order.sort_by_key(|&index| hash(salt, index, 0));
            let mean = |index| order.iter().position(|&other| other == index).unwrap() as f64;
            let (attempts, winner) =
                run(arm_count, policy, workers, limits, |index, _| Outcome::Observed(mean(index)));
            prop_assert_eq!(winner.index(), order[arm_count - 1]);
            // Better arms are tried at least as often (but for the odd evaluation that the divisions leave).
            for pair in order.windows(2) {
                prop_assert!(attempts[pair[0]] <= attempts[pair[1]] + u64::from(extended));
            }
        }
    }
}

mod uniform {
    use super::{Looks, arm, arms, tell};
    use fiesta_core::{Ask, Outcome, Selector};
    use fiesta_policies::{Uniform, stopping::Never};
    use fiesta_posterior::GaussianArms;
    use proptest::prelude::*;

    proptest! {
        /// However many are in flight and in whatever order they end.
        #[test]
        fn attempts_never_differ_by_more_than_one(
            workers in 1..8_usize,
            ends in prop::collection::vec((any::<usize>(), any::<bool>()), 60),
        ) {
            let mut selector = Selector::builder(arms(4), GaussianArms::pooled(4), Uniform, Never)
                .build()
                .unwrap();
            for (place, failed) in ends {
                while selector.pending().count() < workers {
                    prop_assert!(matches!(selector.ask(), Ok(Ask::Evaluate(_))));
                    let view = selector.view();
                    let attempts = || view.candidates().iter().map(|&arm| view.attempts(arm));
                    prop_assert!(attempts().max().unwrap() - attempts().min().unwrap() <= 1);
                }
                let pending: Vec<_> = selector.pending().collect();
                let e = pending[place % pending.len()];
                // Failures count as attempts; arm 0 alone has them, and not three in a row at first.
                let fails = failed && e.arm == arm(0) && selector.view().observed(arm(0)) > 0;
                let outcome = if fails { Outcome::Failed } else { Outcome::Observed(0.5) };
                tell(&mut selector, e.id, outcome);
            }
        }
    }

    #[test]
    fn one_at_a_time_looks_only_after_complete_rounds() {
        let looks = Looks::default();
        let mut selector =
            Selector::builder(arms(4), GaussianArms::pooled(4), Uniform, looks.clone())
                .build()
                .unwrap();
        for number in 0..20 {
            let Ask::Evaluate(e) = selector.ask().unwrap() else {
                panic!("an evaluation")
            };
            assert_eq!(e.arm, arm(number % 4));
            tell(&mut selector, e.id, Outcome::Observed(0.5));
        }
        selector.ask().unwrap();
        assert_eq!(*looks.0.lock().unwrap(), [0, 4, 8, 12, 16, 20]);
    }
}

mod thompson {
    use super::{Fixed, THREE, agree, choices};
    use fiesta_policies::Thompson;

    #[test]
    fn chooses_each_arm_with_its_probability() {
        let probability = Fixed::new(&THREE).probability();
        assert!(
            probability.iter().all(|&p| p > 0.05),
            "each arm has a chance: {probability:?}"
        );
        agree(
            &choices(Fixed::new(&THREE), Thompson::default(), 40_000, 1),
            &probability,
        );
    }

    /// With equal arms it is a fair die.
    #[test]
    fn equal_arms() {
        let equal = [(0.3, 0.1); 5];
        agree(
            &choices(Fixed::new(&equal), Thompson::default(), 40_000, 2),
            &[0.2; 5],
        );
    }
}

mod top_two {
    use super::{Fixed, THREE, agree, arm, arms, choices};
    use fiesta_core::{ArmId, Next, Policy, Selector, View};
    use fiesta_policies::{
        Thompson, TopTwo,
        stopping::Never,
        top_two::{Challenger, Coin, Leader, Resampled, ThompsonLeader, TieBreak},
    };
    use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
    use std::sync::{Arc, Mutex};

    /// P(leader is l and challenger c) = `π_l π_c/(1 − π_l)`, and 0 on the diagonal.
    fn pairs(p: &[f64]) -> Vec<Vec<f64>> {
        let challenger = |l: usize, c: usize| {
            if c == l {
                0.0
            } else {
                p[l] * p[c] / (1.0 - p[l])
            }
        };
        (0..p.len())
            .map(|l| (0..p.len()).map(|c| challenger(l, c)).collect())
            .collect()
    }

    /// `β·π_i + (1 − β)·Σ_{l≠i} π_l π_i/(1 − π_l)`.
    #[test]
    fn evaluates_each_arm_as_often_as_it_leads_or_challenges() {
        let probability = Fixed::new(&THREE).probability();
        let pairs = pairs(&probability);
        for (beta, seed) in [(0.5, 1), (0.2, 2), (0.9, 3)] {
            let expected: Vec<f64> = (0..3)
                .map(|i| {
                    let challenges: f64 = pairs.iter().map(|row| row[i]).sum();
                    beta * probability[i] + (1.0 - beta) * challenges
                })
                .collect();
            let policy = TopTwo {
                tie_break: Coin::new(beta).unwrap(),
                ..TopTwo::thompson()
            };
            agree(
                &choices(Fixed::new(&THREE), policy, 40_000, seed),
                &expected,
            );
        }
        // The default coin is fair: the difference to β = .4 would be seen.
        let expected: Vec<f64> = (0..3)
            .map(|i| 0.5 * probability[i] + 0.5 * pairs.iter().map(|row| row[i]).sum::<f64>())
            .collect();
        agree(
            &choices(Fixed::new(&THREE), TopTwo::thompson(), 40_000, 4),
            &expected,
        );
    }

    /// Which pairs there were.
    struct Noted(Arc<Mutex<Vec<(ArmId, ArmId)>>>);

    impl TieBreak for Noted {
        fn choose(
            &mut self,
            _: &View<'_>,
            leader: ArmId,
            challenger: ArmId,
            _: &mut dyn Rng,
        ) -> ArmId {
            self.0.lock().unwrap().push((leader, challenger));
            leader
        }
    }

    #[test]
    fn pairs_are_as_frequent_as_two_distinct_draws() {
        let noted = Arc::default();
        let policy = TopTwo {
            leader: ThompsonLeader,
            challenger: Resampled,
            tie_break: Noted(Arc::clone(&noted)),
        };
        choices(Fixed::new(&THREE), policy, 40_000, 5);
        let mut observed = [0.0; 9];
        for &(leader, challenger) in noted.lock().unwrap().iter() {
            assert_ne!(leader, challenger);
            observed[3 * leader.index() + challenger.index()] += 1.0;
        }
        agree(
            &observed,
            &pairs(&Fixed::new(&THREE).probability()).concat(),
        );
    }

    /// A leader that is certain to machine precision is still challenged, by the next best mean, at once.
    #[test]
    fn a_certain_leader_is_challenged_by_the_next_best() {
        let normal = |location| fiesta_core::Marginal {
            location,
            scale: 1e-3,
            degrees_of_freedom: f64::INFINITY,
        };
        let marginals = [-1e6, 0.0, 1e6, -3.0].map(normal);
        let posterior = Fixed(marginals.to_vec());
        let selector = Selector::builder(arms(4), posterior, Thompson::default(), Never)
            .build()
            .unwrap();
        let view = selector.view();
        let belief = view.belief().unwrap();
        assert_eq!(
            belief.probability.iter().filter(|&&p| p > 0.0).count(),
            1,
            "{belief:?}"
        );
        let mut evaluated = [0; 4];
        for seed in 0..1000 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            assert_eq!(ThompsonLeader.choose(&view, &mut rng), Some(arm(2)));
            assert_eq!(Resampled.choose(&view, arm(2), &mut rng), Some(arm(1)));
            let Next::Evaluate(chosen) = TopTwo::thompson().next(&view, &mut rng) else {
                panic!("an evaluation")
            };
            evaluated[chosen.index()] += 1;
        }
        // A fair coin between the two; 4.5 standard errors are 71.
        assert_eq!((evaluated[0], evaluated[3]), (0, 0));
        assert!((429..=571).contains(&evaluated[1]), "{evaluated:?}");
    }

    #[test]
    fn a_coin_shows_both_sides() {
        for beta in [0.0, 1.0, -0.1, 1.1, f64::NAN] {
            assert!(Coin::new(beta).is_err());
        }
    }
}

mod batched {
    use super::{Looks, arms, tell};
    use fiesta_core::{Ask, Outcome, Selector};
    use fiesta_policies::{Batched, SequentialHalving, Thompson, Uniform};
    use fiesta_posterior::GaussianArms;
    use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

    /// Three arms after their warm-up of two evaluations each.
    fn warmed_up(size: u32, looks: Looks) -> Selector {
        let policy = Batched::new(Thompson::default(), size);
        let posterior = GaussianArms::pooled(3);
        let mut selector = Selector::builder(arms(3), posterior, policy, looks)
            .build()
            .unwrap();
        for score in [0.1, 0.2, 0.3, 0.2, 0.3, 0.1] {
            let Ask::Evaluate(e) = selector.ask().unwrap() else {
                panic!("an evaluation")
            };
            tell(&mut selector, e.id, Outcome::Observed(score));
        }
        selector
    }

    /// Fills all workers, and is asked until it waits.
    fn fill(selector: &mut Selector, workers: usize) {
        while selector.pending().count() < workers && selector.ask().unwrap() != Ask::Wait {}
    }

    fn tell_one(selector: &mut Selector, rng: &mut ChaCha8Rng, outcome: Option<Outcome>) {
        let pending: Vec<_> = selector.pending().collect();
        let id = pending[rng.random_range(0..pending.len())].id;
        tell(
            selector,
            id,
            outcome.unwrap_or(Outcome::Observed(rng.random())),
        );
    }

    #[test]
    fn so_many_run_before_it_waits() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for size in [1, 2, 5, 8] {
            let mut selector = warmed_up(size, Looks::default());
            for _ in 0..3 {
                fill(&mut selector, 100);
                for running in (1..=size as usize).rev() {
                    assert_eq!(selector.pending().count(), running);
                    assert_eq!(selector.ask(), Ok(Ask::Wait));
                    tell_one(&mut selector, &mut rng, None);
                }
            }
        }
    }

    #[test]
    fn no_look_inside_a_batch_whatever_the_number_of_workers() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for (size, workers) in [(4, 4), (4, 1), (5, 2), (3, 8), (8, 3)] {
            let looks = Looks::default();
            let mut selector = warmed_up(size, looks.clone());
            for _ in 0..4 * size {
                fill(&mut selector, workers);
                assert!(selector.pending().count() <= workers.min(size as usize));
                tell_one(&mut selector, &mut rng, None);
            }
            selector.ask().unwrap();
            let expected: Vec<u64> = (0..=4).map(|batch| 6 + batch * u64::from(size)).collect();
            assert_eq!(
                *looks.0.lock().unwrap(),
                expected,
                "batches of {size}, {workers} workers"
            );
        }
    }

    /// A withdrawn or failed evaluation is over, too: a batch does not wait for it for ever.
    #[test]
    fn failures_and_withdrawals_end_a_batch() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let looks = Looks::default();
        let mut selector = warmed_up(3, looks.clone());
        for outcome in [Outcome::Failed, Outcome::Withdrawn, Outcome::Observed(0.2)] {
            fill(&mut selector, 100);
            tell_one(&mut selector, &mut rng, Some(outcome));
        }
        fill(&mut selector, 100);
        assert_eq!(selector.pending().count(), 3);
        assert_eq!(*looks.0.lock().unwrap(), [6, 8]);
    }

    /// A policy that waits inside its batch is asked again later; how often it was asked leaves no trace.
    #[test]
    fn a_policy_may_wait_inside_a_batch() {
        let policy = Batched::new(SequentialHalving::new(4, 8).unwrap(), 3);
        let posterior = GaussianArms::pooled(4);
        let mut selector = Selector::builder(arms(4), posterior, policy, Looks::default())
            .build()
            .unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        fill(&mut selector, 100);
        for running in [3, 2, 1] {
            assert_eq!(selector.pending().count(), running);
            tell_one(&mut selector, &mut rng, None);
        }
        // The last evaluation of the first round is the first of the second batch.
        fill(&mut selector, 100);
        assert_eq!(selector.pending().count(), 1);
        for _ in 0..7 {
            assert_eq!(selector.ask(), Ok(Ask::Wait));
        }
        tell_one(&mut selector, &mut rng, None);
        fill(&mut selector, 100);
        assert_eq!(selector.pending().count(), 2);
    }

    /// Batches of a policy without need of a posterior need none either, and size 0 is 1.
    #[test]
    fn batches_of_any_policy() {
        let looks = Looks::default();
        let policy = Batched::new(Uniform, 0);
        let mut selector =
            Selector::builder(arms(2), GaussianArms::pooled(2), policy, looks.clone())
                .build()
                .unwrap();
        for _ in 0..4 {
            let Ask::Evaluate(e) = selector.ask().unwrap() else {
                panic!("an evaluation")
            };
            assert_eq!(selector.ask(), Ok(Ask::Wait));
            tell(&mut selector, e.id, Outcome::Observed(0.5));
        }
        // Rounds of the policy inside are respected, too.
        assert_eq!(*looks.0.lock().unwrap(), [0, 2]);
    }
}

mod every_policy {
    use super::{arm, arms};
    use fiesta_core::{Agreement, Ask, Event, Limits, Outcome, Policy, Selector};
    use fiesta_policies::{NAMES, Parameters, PolicyError, by_name, stopping::PosteriorThreshold};
    use fiesta_posterior::GaussianArms;
    use proptest::{prelude::*, test_runner::TestCaseError};

    fn parameters() -> Parameters {
        Parameters {
            arms: 4,
            budget: Some(50),
            batch: 3,
            extended: true,
            beta: None,
        }
    }

    fn error(name: &str, parameters: &Parameters) -> PolicyError {
        by_name(name, parameters).err().unwrap()
    }

    #[test]
    fn has_a_name_that_builds_it() {
        for (name, what) in NAMES {
            let policy = by_name(name, &parameters()).unwrap();
            assert_eq!(
                policy.needs_posterior(),
                !matches!(name, "uniform" | "sequential-halving")
            );
            assert!(!what.is_empty());
        }
    }

    #[test]
    fn unknown_names_are_told_the_known_ones() {
        let message = error("tts", &parameters()).to_string();
        assert!(message.contains("`tts`"), "{message}");
        assert!(
            NAMES.iter().all(|(name, _)| message.contains(name)),
            "{message}"
        );
    }

    #[test]
    fn parameters_are_checked() {
        let without = Parameters {
            budget: None,
            ..parameters()
        };
        assert_eq!(error("sequential-halving", &without), PolicyError::NoBudget);
        assert!(PolicyError::NoBudget.to_string().contains("budget"));
        let small = Parameters {
            budget: Some(7),
            ..parameters()
        };
        let message = error("sequential-halving", &small).to_string();
        assert!(message.contains("at least 8"), "{message}");
        let certain = Parameters {
            beta: Some(1.0),
            ..parameters()
        };
        for name in ["ttts", "auto"] {
            assert!(error(name, &certain).to_string().contains("beta"));
        }
        // What a policy does not need may be missing.
        for name in ["uniform", "ts", "ttts", "bts"] {
            assert!(by_name(name, &without).is_ok());
        }
    }

    fn selector(name: &str, seed: u64) -> Selector {
        let policy: Box<dyn Policy> = by_name(name, &parameters()).unwrap();
        let limits = Limits {
            evaluations: Some(60),
            ..Limits::default()
        };
        Selector::builder(
            arms(4),
            GaussianArms::pooled(4),
            policy,
            PosteriorThreshold::new(0.99).unwrap(),
        )
        .seed(seed)
        .limits(limits)
        .build()
        .unwrap()
    }

    #[derive(Debug, Clone, PartialEq)]
    enum Step {
        Asked(Ask),
        Told(Event),
    }

    /// A whole run; `ends` says which of the pending ends next and how, `again` how often a waiting selector is
    /// asked once more.
    fn run(
        name: &str,
        seed: u64,
        workers: usize,
        ends: &[(usize, u8, f64)],
        again: &[usize],
    ) -> Result<Vec<Step>, TestCaseError> {
        let mut selector = selector(name, seed);
        let (mut ends, mut again) = (ends.iter().cycle(), again.iter().cycle());
        let mut log = Vec::new();
        loop {
            while selector.pending().count() < workers {
                let ask = selector.ask().unwrap();
                log.push(Step::Asked(ask.clone()));
                match ask {
                    Ask::Evaluate(_) => {}
                    Ask::Wait => {
                        for _ in 0..*again.next().unwrap() {
                            prop_assert_eq!(selector.ask(), Ok(Ask::Wait));
                        }
                        break;
                    }
                    Ask::Finished(_) => return Ok(log),
                }
            }
            let &(place, kind, score) = ends.next().unwrap();
            let pending: Vec<_> = selector.pending().collect();
            let e = pending[place % pending.len()];
            // Only the last arm fails, and is retired sooner or later.
            let outcome = match kind {
                0..3 if e.arm == arm(3) => Outcome::Failed,
                3 if log.len() < 300 => Outcome::Withdrawn,
                _ => Outcome::Observed(score),
            };
            let event = Event::Ended {
                id: e.id,
                outcome,
                cost: 1.0,
            };
            selector.tell(event).unwrap();
            log.push(Step::Told(event));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Waiting leaves no trace in any policy, and a record of any is replayed exactly.
        #[test]
        fn is_a_function_of_seed_and_events(
            seed: u64,
            workers in 1..7_usize,
            ends in prop::collection::vec((any::<usize>(), 0..10_u8, 0.0..1.0_f64), 1..80),
            again in prop::collection::vec(0..3_usize, 1..10),
        ) {
            for (name, _) in NAMES {
                let log = run(name, seed, workers, &ends, &[0])?;
                prop_assert_eq!(&run(name, seed, workers, &ends, &again)?, &log, "{}", name);
                let mut replayed = selector(name, seed);
                for step in &log {
                    match step {
                        Step::Asked(ask) => {
                            prop_assert_eq!(replayed.replay(ask), Ok(Agreement::Same), "{}", name);
                        }
                        Step::Told(event) => replayed.tell(*event).unwrap(),
                    }
                }
            }
        }
    }
}
