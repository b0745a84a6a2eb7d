//! Tests of public functions with arguments of any kind: none panics but where its documentation says so.
//!
//! As many cases as `FIESTA_CALLS` says, each of which calls every function at least once:
//! ```sh
//! FIESTA_CALLS=100000 cargo test --release -p fiesta-posterior --all-features --test any_arguments
//! ```

use fiesta_core::{
    ArmId, Askable, Case, Counts, Direction, FBeta, Marginal, Observation, Observe, Posterior,
    finest,
};
use fiesta_posterior::{
    AsScores, AtTheBounds, Best, Differences, GaussianArms, KnownVariance, Logit, MeanModel,
    NormalInverseGamma, OfCounts, Paired, Pool, PoolOfCounts, Pooled,
    best_arm::{independent_draw, monte_carlo, quadrature},
    best_of_n::{ArmTrials, BestOfN, BestOfNOptions, informative_up_to},
    lead, leads,
    student::{StudentT, upper_tail},
};
use proptest::prelude::*;
use rand::{SeedableRng, rngs::ChaCha8Rng};

fn cases() -> u32 {
    let asked = std::env::var("FIESTA_CALLS").ok();
    asked.map_or(100, |calls| {
        calls.parse().expect("FIESTA_CALLS is a number")
    })
}

/// Strategy of numbers as people have them, and those at which arithmetic ends.
fn number() -> impl Strategy<Value = f64> {
    let odd = [
        0.0,
        -0.0,
        0.5,
        1.0,
        -1.0,
        2.0,
        1e-300,
        1e-12,
        3e9,
        1e100,
        -1e100,
        1e101,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    prop_oneof![
        4 => -1.0..1.0_f64,
        2 => prop::sample::select(odd.to_vec()),
        1 => any::<f64>(),
    ]
}

fn count() -> impl Strategy<Value = u64> {
    let odd = vec![0, 1, 2, 3_000_000_000, u64::MAX];
    prop_oneof![3 => 0..20_u64, 1 => prop::sample::select(odd)]
}

fn marginal() -> impl Strategy<Value = Marginal> {
    (number(), number(), number()).prop_map(|(location, scale, degrees_of_freedom)| Marginal {
        location,
        scale,
        degrees_of_freedom,
    })
}

/// Observation: an arm, which may be none of the posterior's, a split or item, and a score.
type Seen = (usize, u64, f64);

fn seen() -> impl Strategy<Value = Vec<Seen>> {
    prop::collection::vec((0..5_usize, 0..12_u64, number()), 0..24)
}

fn case(split: u64) -> Case {
    Case { split, seed: 0 }
}

/// Calls every method of the trait on a posterior, also for arms that there are not.
fn ask(posterior: &dyn Posterior, margin: f64) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let arms: Vec<ArmId> = ArmId::all(5).collect();
    for known in [0, 1, posterior.arms(), 5] {
        let candidates = &arms[..known];
        posterior.belief(candidates);
        posterior.claim(margin, candidates);
        leads(posterior, candidates);
        for &arm in &arms {
            posterior.within(arm, margin, candidates);
        }
    }
    for &a in &arms {
        posterior.required(a);
        posterior.mean(a);
        posterior.settled(a);
        let is_known = a.index() < posterior.arms();
        assert!(is_known || posterior.mean(a).is_none() && posterior.marginal(a).is_none());
        posterior.variances(a, &[(arms[0], case(3)), (arms[4], case(4))]);
        for &b in &arms {
            let difference = posterior.difference(a, b);
            assert!(difference.is_none() || is_known && b.index() < posterior.arms());
            posterior.evaluation_variance(a, b, [2, u64::MAX]);
            let claim = posterior.claim_of_distance(a, b, margin);
            assert!(claim.is_none_or(|claim| (0.0..=1.0).contains(&claim.error)));
            let askable = Askable {
                order: &[3, 1, u64::MAX],
                from: 1,
                can: &|_| true,
            };
            posterior.telling_item(a, b, askable);
            if a != b
                && let Some(lead) = lead(posterior, a, b)
            {
                lead.reversed().at(margin);
            }
        }
    }
    for length in [0, posterior.arms(), 5] {
        posterior.draw(&mut rng, &mut vec![0.0; length]);
    }
    finest(posterior).belief(&arms[..posterior.arms()]);
}

fn believe<P: Observe<f64>>(mut posterior: P, seen: &[Seen], margin: f64) {
    for &(arm, split, score) in seen {
        let observed = posterior.observe(ArmId::new(arm), case(split), score);
        assert!(arm < posterior.arms() || observed.is_err());
    }
    ask(&posterior, margin);
}

fn model<M: MeanModel>(model: M, seen: &[Seen], margin: f64) {
    let posterior = GaussianArms::new(model, 3);
    assert!(posterior.scores(ArmId::new(3)).is_none());
    believe(posterior, seen, margin);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn posteriors_of_scores(seen in seen(), p in [number(), number(), number(), number()], arms in 0..4_usize) {
        let margin = p[0];
        if let Ok(prior) = NormalInverseGamma::new(p[0], p[1], p[2], p[3]) {
            model(prior, &seen, margin);
        }
        if let Ok(pooled) = Pooled::new(p[1]) {
            model(pooled, &seen, margin);
        }
        if let Ok(known) = KnownVariance::new(p[..2].iter().copied()) {
            known.sd(usize::MAX);
            model(known, &seen, margin);
        }
        believe(GaussianArms::uniform(arms), &seen, margin);
        believe(GaussianArms::jeffreys(arms), &seen, margin);
        believe(GaussianArms::pooled(arms), &seen, margin);
        believe(Best::new(arms), &seen, margin);
        believe(Paired::new(arms).draws(16).seed(7), &seen, margin);
        let logit = Logit::new(GaussianArms::pooled(arms), AtTheBounds::Refuse);
        believe(logit, &seen, margin);
        let mut posterior = Paired::new(arms).draws(16);
        let mut whole = seen.iter().map(|&(arm, split, score)| (ArmId::new(arm), case(split), score));
        let _ = posterior.observe_whole_split(&mut whole);
        ask(&posterior, margin);
    }

    #[test]
    fn pools(seen in seen(), margin in number(), bounds in [number(), number()], arms in 0..4_usize) {
        let items = 10;
        let pools = [
            Pool::new(arms, items),
            Pool::new(arms, items).repeating(),
            Pool::new(arms, items).like_these(),
            Pool::new(arms, items).like_these_chosen(),
            Pool::new(arms, 0),
        ];
        for pool in pools {
            pool.within_item(ArmId::new(4));
            pool.observed_answer(ArmId::new(4), u64::MAX);
            let completion = pool.complete(&mut ChaCha8Rng::seed_from_u64(2));
            completion.answer(ArmId::new(4), u64::MAX);
            completion.is_best(ArmId::new(4), margin);
            if let Ok(bounded) = pool.clone().bounded(bounds[0], bounds[1]) {
                believe(bounded, &seen, margin);
            }
            believe(pool, &seen, margin);
        }
        let mut differences: Differences = seen.iter().map(|seen| seen.2).collect();
        differences.add(margin);
        differences.better();
        differences.skewness();
        differences.are_few_and_skewed();
    }

    #[test]
    fn counts(seen in seen(), cells in prop::collection::vec([count(), count(), count(), count()], 1..6), margin in number()) {
        let mut pool = PoolOfCounts::new(3, 10, FBeta::F1);
        let mut scores = AsScores { posterior: GaussianArms::pooled(3), f_beta: FBeta::F1 };
        let mut of_counts = OfCounts(PoolOfCounts::new(3, 10, FBeta::F1));
        for (&(arm, split, score), cells) in seen.iter().zip(cells.iter().cycle()) {
            let (arm, counts) = (ArmId::new(arm), Counts::from_cells(*cells));
            let one = Counts::from_cells([u64::from(score > 0.0), u64::from(score < 0.0), 0, 0]);
            let _ = pool.observe(arm, case(split), counts);
            let _ = pool.observe(arm, case(split), one);
            let _ = scores.observe(arm, case(split), counts);
            let _ = scores.observe(arm, case(split), score);
            let _ = of_counts.observe(arm, case(split), Observation::Score(score));
            let _ = of_counts.observe(arm, case(split), Observation::Counts(counts));
        }
        ask(&pool, margin);
        ask(&scores, margin);
        ask(&of_counts, margin);
    }

    #[test]
    fn best_arms(marginals in prop::collection::vec(marginal(), 0..5), tolerance in prop_oneof![number(), Just(1e-4)], draws in 0..40_u64) {
        let _ = quadrature(&marginals, tolerance);
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let proper = |m: &Marginal| m.degrees_of_freedom > 0.0;
        let proper: Vec<Marginal> = marginals.iter().copied().filter(proper).collect();
        let _ = monte_carlo(proper.len(), draws, &mut rng, |rng, means| independent_draw(&proper, rng, means));
        for marginal in &marginals {
            prop_assert!(upper_tail(f64::NAN, marginal.degrees_of_freedom).is_nan());
            upper_tail(marginal.location, marginal.degrees_of_freedom);
            if marginal.degrees_of_freedom > 0.0 {
                StudentT::new(marginal.degrees_of_freedom).at(marginal.location);
            }
        }
    }

    #[test]
    fn best_of_n(scores in prop::collection::vec(prop::collection::vec(number(), 0..9), 0..4), n in prop_oneof![0..40_usize, Just(usize::MAX)], bounds in [number(), number()], failed in prop_oneof![0..4_usize, Just(3_000_000_000), Just(usize::MAX)], confidence in number()) {
        for bounds in [None, Some((bounds[0], bounds[1]))] {
            let mut options = BestOfNOptions { direction: Direction::Minimize, bounds, draws: 20, ..BestOfNOptions::default() };
            options.largest_n = (n > 0).then_some(n);
            let trials: Vec<ArmTrials<'_>> = scores.iter().map(|scores| ArmTrials { failed, ..ArmTrials::new(scores) }).collect();
            if let Ok(best) = BestOfN::compare(&trials, &options) {
                best.leads(confidence);
                best.standard_error(confidence);
                best.leader(best.largest_n());
                best.tails().iter().flatten().for_each(|tail| { tail.is_heavy(); });
            }
        }
        informative_up_to(n);
    }
}

#[cfg(feature = "f-measure")]
mod of_f {
    use super::*;
    use fiesta_posterior::{
        FMeasureArms, FOfItems,
        f_measure::{Concentration, Gibbs, Measure, Prior},
    };
    use std::sync::Arc;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases() / 10 + 1))]

        #[test]
        fn f_measures(cells in prop::collection::vec((0..4_usize, [count(), count(), count(), count()]), 0..6), p in [number(), number(), number(), number()], documents in prop::option::of(count())) {
            let odd = p[0];
            let concentrations = [
                Concentration::Learned,
                Concentration::Shared,
                Concentration::fixed(p[1]).unwrap_or_default(),
            ];
            let prior = Prior::new(p).or(Prior::expecting(p, p[0])).or(Prior::uniform(p[0])).unwrap_or_default();
            let measures = [Measure::Precision, Measure::Recall, Measure::Function(Arc::new(move |_| odd))];
            for (concentration, measure) in concentrations.into_iter().zip(measures) {
                let mut arms = FMeasureArms::new(3).draws(30).prior(prior).measure(measure).concentration(concentration);
                if let Some(documents) = documents {
                    arms = arms.documents(documents);
                }
                let mut all = Vec::new();
                for (split, &(arm, cells)) in (0..).zip(&cells) {
                    let counts = Counts::from_cells(cells);
                    let is_taken = cells.iter().all(|&count| count <= Counts::LARGEST) && arm < 3;
                    assert_eq!(arms.observe(ArmId::new(arm), case(split), counts).is_ok(), is_taken);
                    all.push(counts);
                }
                ask(&arms, odd);
                let mut rng = ChaCha8Rng::seed_from_u64(4);
                assert!(arms.sums(ArmId::new(3)).is_none() && arms.summary(ArmId::new(3), 9).is_none());
                assert!(arms.sample(ArmId::new(3), 9, &mut rng).is_none());
                arms.sample(ArmId::new(0), 0, &mut rng);
                arms.summary(ArmId::new(0), 9);
                if let Ok(mut chain) = Gibbs::new(&all, prior, concentration) {
                    chain.sweep(&mut rng);
                }
                let mut either = FOfItems::new(FMeasureArms::new(3).draws(30), 4, FBeta::F1);
                for (split, &(arm, cells)) in (0..).zip(&cells) {
                    let _ = either.observe(ArmId::new(arm), case(split), Counts::from_cells(cells));
                }
                ask(&either, odd);
            }
        }
    }

    #[test]
    fn a_chain_refuses_what_it_cannot_do() {
        let huge = [Counts::from_cells([3_000_000_000, 0, 0, 0])];
        assert!(Gibbs::new(&huge, Prior::default(), Concentration::Learned).is_err());
        assert!(Concentration::fixed(f64::NAN).is_err());
    }
}

/// Tests, by compiling, that every posterior can be shared by threads.
#[test]
fn posteriors_are_shared_by_threads() {
    fn shared<T: Send + Sync + ?Sized>() {}
    shared::<GaussianArms<Pooled>>();
    shared::<Paired>();
    shared::<Pool>();
    shared::<PoolOfCounts>();
    shared::<Best>();
    shared::<dyn Posterior>();
    shared::<dyn Observe<f64>>();
    #[cfg(feature = "f-measure")]
    shared::<fiesta_posterior::FOfItems>();
}
