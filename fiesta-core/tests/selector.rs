//! The selector: what it decides is a function of its seed and of the sequence of asks and tells, and its
//! bookkeeping is right whatever happens in whatever order.

mod fakes;

/// Random interleavings of asks, outcomes, withdrawals, failures and readings of the clock.
mod any_sequence {
    use crate::fakes::{Random, Rule, builder, ended, see};
    use fiesta_core::{
        Agreement, Ask, Case, Design, EvaluationId, Event, Limits, Outcome, Reason, Selector,
        SelectorError, Verdict,
    };
    use proptest::{prelude::*, sample::Index};
    use std::collections::{BTreeMap, VecDeque};

    #[derive(Debug, Clone)]
    enum Action {
        Ask,
        /// Tells one of the pending evaluations, if there is one.
        Tell(Index, Outcome, f64),
        Clock(f64),
    }

    #[derive(Debug, Clone, PartialEq)]
    enum Step {
        Asked(Ask),
        Told(Event),
    }

    fn actions() -> impl Strategy<Value = Vec<Action>> {
        let outcome = prop_oneof![
            5 => (-1.0..1.0_f64).prop_map(Outcome::Observed),
            2 => Just(Outcome::Failed),
            1 => Just(Outcome::Withdrawn),
        ];
        let tell =
            (any::<Index>(), outcome, 0.0..3.0_f64).prop_map(|(i, o, c)| Action::Tell(i, o, c));
        let action = prop_oneof![
            6 => Just(Action::Ask),
            5 => tell,
            1 => (0.0..100.0_f64).prop_map(Action::Clock),
        ];
        prop::collection::vec(action, 0..200)
    }

    fn selector(seed: u64, design: Design) -> Selector {
        let rule = Rule(|view: &fiesta_core::View<'_>| match view.belief() {
            Some(belief) if view.total_ended() >= 40 => Verdict::Stop(
                belief.leader().0,
                Reason::PosteriorProbability { level: 0.9 },
            ),
            _ => Verdict::Continue,
        });
        builder(3, Random::new(4), rule)
            .seed(seed)
            .design(design)
            .limits(Limits {
                wall: Some(99.0),
                ..Limits::default()
            })
            .build()
            .unwrap()
    }

    /// What happened. After every answer to wait the selector is asked again as often as `again` says.
    fn run(
        selector: &mut Selector,
        actions: &[Action],
        mut again: impl FnMut() -> usize,
    ) -> Vec<Step> {
        let mut log = Vec::new();
        for action in actions {
            match action {
                Action::Ask => match selector.ask() {
                    Ok(ask) => {
                        let waiting = ask == Ask::Wait;
                        log.push(Step::Asked(ask));
                        for _ in 0..if waiting { again() } else { 0 } {
                            assert_eq!(selector.ask(), Ok(Ask::Wait));
                        }
                    }
                    Err(error) => {
                        assert_eq!(error, SelectorError::NoArmLeft);
                        return log;
                    }
                },
                Action::Tell(index, outcome, cost) => {
                    let pending: Vec<_> = selector.pending().collect();
                    if !pending.is_empty() {
                        let event = ended(index.get(&pending).id, *outcome, *cost);
                        selector.tell(event).unwrap();
                        log.push(Step::Told(event));
                    }
                }
                Action::Clock(seconds) => {
                    selector.tell(Event::Clock(*seconds)).unwrap();
                    log.push(Step::Told(Event::Clock(*seconds)));
                }
            }
        }
        log
    }

    /// What an arm should have, counted by hand.
    #[derive(Default)]
    struct Book {
        observed: u64,
        failed: u64,
        cost: f64,
        next_split: u64,
        /// Cases that were withdrawn and are to come again.
        due: VecDeque<Case>,
    }

    proptest! {
        #[test]
        fn replays_exactly(actions in actions(), seed: u64) {
            let mut first = selector(seed, Design::Shared);
            let log = run(&mut first, &actions, || 0);
            let mut second = selector(seed, Design::Shared);
            for step in &log {
                match step {
                    Step::Asked(ask) => prop_assert_eq!(second.replay(ask), Ok(Agreement::Same)),
                    Step::Told(event) => prop_assert_eq!(second.tell(*event), Ok(())),
                }
            }
            prop_assert_eq!(see(&second), see(&first));
            // Both would go on alike.
            prop_assert_eq!(second.ask(), first.ask());
        }

        /// A record that is only accepted, not decided again, leads to the same knowledge.
        #[test]
        fn accepting_shows_the_same(actions in actions(), seed: u64) {
            let mut first = selector(seed, Design::Independent);
            let log = run(&mut first, &actions, || 0);
            let mut second = selector(seed, Design::Independent);
            for step in &log {
                match step {
                    Step::Asked(ask) => second.accept(ask),
                    Step::Told(event) => second.tell(*event).unwrap(),
                }
            }
            prop_assert_eq!(see(&second), see(&first));
        }

        #[test]
        fn asking_while_waiting_leaves_no_trace(
            actions in actions(),
            seed: u64,
            again in prop::collection::vec(0..4_usize, 1..20),
        ) {
            let (mut plain, mut eager) = (selector(seed, Design::Shared), selector(seed, Design::Shared));
            let mut again = again.into_iter().cycle();
            let expected = run(&mut plain, &actions, || 0);
            let log = run(&mut eager, &actions, || again.next().unwrap());
            prop_assert_eq!(log, expected);
            prop_assert_eq!(see(&eager), see(&plain));
        }

        /// Counts, costs and cases against a bookkeeping by hand.
        #[test]
        fn books_are_right(actions in actions(), seed: u64) {
            let mut selector = selector(seed, Design::Shared);
            let log = run(&mut selector, &actions, || 0);
            let mut books: [Book; 3] = Default::default();
            let mut running = BTreeMap::new();
            for (number, step) in log.iter().enumerate() {
                match step {
                    Step::Asked(Ask::Evaluate(e)) => {
                        let book = &mut books[e.arm.index()];
                        if let Some(case) = book.due.pop_front() {
                            prop_assert_eq!(e.case, case, "step {}", number);
                        } else {
                            prop_assert_eq!(e.case.split, book.next_split);
                            book.next_split += 1;
                        }
                        prop_assert!(e.case.seed < 1 << 31);
                        prop_assert!(running.insert(e.id, *e).is_none());
                    }
                    Step::Told(Event::Ended { id, outcome, cost }) => {
                        let evaluation = running.remove(id).unwrap();
                        let book = &mut books[evaluation.arm.index()];
                        match outcome {
                            Outcome::Observed(_) => book.observed += 1,
                            Outcome::Failed => book.failed += 1,
                            Outcome::Withdrawn => book.due.push_back(evaluation.case),
                        }
                        book.cost += if *outcome == Outcome::Withdrawn { 0.0 } else { *cost };
                    }
                    _ => {}
                }
            }
            let view = selector.view();
            for (arm, book) in selector.arms().ids().zip(&books) {
                prop_assert_eq!(view.observed(arm), book.observed);
                prop_assert_eq!(view.failed(arm), book.failed);
                prop_assert_eq!(view.costs(arm).count(), book.observed + book.failed);
                prop_assert!((view.costs(arm).total() - book.cost).abs() < 1e-9);
                let pending = running.values().filter(|e| e.arm == arm).count() as u64;
                prop_assert_eq!(view.pending(arm), pending);
                prop_assert_eq!(view.attempts(arm), book.observed + book.failed + pending);
            }
            let pending: Vec<_> = selector.pending().collect();
            prop_assert_eq!(pending, running.into_values().collect::<Vec<_>>());
        }
    }

    /// The seed matters: otherwise the properties above would say little.
    #[test]
    fn another_seed_decides_otherwise() {
        let arms = |seed| {
            let mut selector = selector(seed, Design::Shared);
            (0..30)
                .map(|_| {
                    let Ok(Ask::Evaluate(e)) = selector.ask() else {
                        panic!("an evaluation")
                    };
                    selector
                        .tell(ended(e.id, Outcome::Observed(0.0), 1.0))
                        .unwrap();
                    (e.arm, e.case.seed)
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(arms(1), arms(1));
        let (one, two) = (arms(1), arms(2));
        let differ = one.iter().zip(&two).filter(|(a, b)| a.0 != b.0).count();
        assert!(differ > 5, "{differ} of 30 decisions differ");
        // The seeds of runs are distinct draws below 2^31: no two agree.
        assert!(one.iter().all(|(_, a)| two.iter().all(|(_, b)| a != b)));
    }

    /// Numbers are handed out in the order of asking, and what is pending is listed in that order.
    #[test]
    fn evaluations_are_numbered() {
        let mut selector = selector(5, Design::Shared);
        let ids: Vec<EvaluationId> = (0..4)
            .map(|_| crate::fakes::evaluation(&mut selector).id)
            .collect();
        assert_eq!(ids, [0, 1, 2, 3].map(EvaluationId));
        assert!(selector.pending().map(|e| e.id).eq(ids));
    }
}

mod telling {
    use crate::fakes::{
        Means, Random, arm, arms, builder, conclusion, ended, evaluation, in_turn, never, observed,
        see, withdrawn,
    };
    use fiesta_core::{
        Ask, EvaluationId, Event, Limits, ObserveError, Outcome, Selector, SelectorError,
    };

    #[test]
    fn any_order_will_do() {
        let run = |order: [usize; 6]| {
            let mut selector = builder(3, in_turn(), never()).build().unwrap();
            let asked: Vec<_> = (0..6).map(|_| evaluation(&mut selector)).collect();
            for place in order {
                // Scores in eighths add up exactly, so that the order cannot show in a mean.
                let score = f64::from(u32::try_from(place).unwrap()) / 8.0;
                selector.tell(observed(asked[place].id, score)).unwrap();
            }
            see(&selector)
        };
        let forward = run([0, 1, 2, 3, 4, 5]);
        assert_eq!(forward.arms[1].mean, Some((1.0 + 4.0) / 16.0));
        assert_eq!(run([5, 4, 3, 2, 1, 0]), forward);
        assert_eq!(run([3, 0, 4, 2, 5, 1]), forward);
    }

    /// The posterior is given the arm and the case of the evaluation, whichever comes first.
    #[test]
    fn the_posterior_sees_arm_and_case() {
        let posterior = Means::new(2, 1);
        let seen = posterior.observations.clone();
        let mut selector = Selector::builder(arms(2), posterior, in_turn(), never())
            .build()
            .unwrap();
        let asked: Vec<_> = (0..4).map(|_| evaluation(&mut selector)).collect();
        for (place, score) in [(3, 0.3), (0, 0.0), (2, 0.2)] {
            selector.tell(observed(asked[place].id, score)).unwrap();
        }
        let expected: Vec<_> = [(3, 0.3), (0, 0.0), (2, 0.2)]
            .map(|(p, s)| (asked[p].arm, asked[p].case, s))
            .to_vec();
        assert_eq!(*seen.lock().unwrap(), expected);
    }

    /// Every refusal leaves all as it was, and the evaluation can still be told.
    #[test]
    fn what_cannot_be_changes_nothing() {
        let mut selector = builder(2, Random::new(3), never()).seed(4).build().unwrap();
        let first = evaluation(&mut selector);
        let second = evaluation(&mut selector);
        selector.tell(observed(first.id, 0.5)).unwrap();
        let before = see(&selector);
        let mut refuse = |event: Event, expected: fn(&SelectorError) -> bool| {
            let error = selector.tell(event).unwrap_err();
            assert!(expected(&error), "{event:?}: {error:?}");
            assert_eq!(see(&selector), before, "{event:?}");
        };
        let score = Outcome::Observed(0.5);
        refuse(observed(first.id, 0.5), |e| {
            *e == SelectorError::NotPending(0)
        });
        refuse(withdrawn(first.id), |e| *e == SelectorError::NotPending(0));
        refuse(observed(EvaluationId(7), 0.5), |e| {
            *e == SelectorError::NotPending(7)
        });
        for cost in [-1.0, f64::NAN, f64::INFINITY] {
            refuse(ended(second.id, score, cost), |e| {
                matches!(e, SelectorError::Cost { id: 1, .. })
            });
            refuse(ended(second.id, Outcome::Failed, cost), |e| {
                matches!(e, SelectorError::Cost { id: 1, .. })
            });
        }
        for score in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            refuse(observed(second.id, score), |e| {
                matches!(e, SelectorError::Observe(ObserveError::NotFinite(_)))
            });
        }
        selector.tell(ended(second.id, score, 0.0)).unwrap();
        // What it decides is that of a selector that never heard the nonsense.
        let mut other = builder(2, Random::new(3), never()).seed(4).build().unwrap();
        evaluation(&mut other);
        evaluation(&mut other);
        other.tell(observed(first.id, 0.5)).unwrap();
        other.tell(ended(second.id, score, 0.0)).unwrap();
        for _ in 0..20 {
            let ask = selector.ask().unwrap();
            assert_eq!(ask, other.ask().unwrap());
            if let Ask::Evaluate(e) = ask {
                selector.tell(observed(e.id, 0.1)).unwrap();
                other.tell(observed(e.id, 0.1)).unwrap();
            }
        }
    }

    #[test]
    fn what_was_withdrawn_comes_again() {
        let mut selector = builder(2, in_turn(), never()).build().unwrap();
        let asked: Vec<_> = (0..6).map(|_| evaluation(&mut selector)).collect();
        let of = |index| asked.iter().filter(move |e| e.arm == arm(index)).copied();
        let (zero, one): (Vec<_>, Vec<_>) = (of(0).collect(), of(1).collect());
        // Arm 0 loses its turns 2 and 0, in this order; arm 1 is untouched by that.
        selector.tell(withdrawn(zero[2].id)).unwrap();
        selector.tell(withdrawn(zero[0].id)).unwrap();
        for evaluation in one {
            selector.tell(observed(evaluation.id, 0.0)).unwrap();
        }
        assert_eq!(selector.view().total_ended(), 3);
        let again: Vec<_> = (0..2).map(|_| evaluation(&mut selector)).collect();
        assert_eq!(
            again.iter().map(|e| e.case).collect::<Vec<_>>(),
            [zero[2].case, zero[0].case]
        );
        assert!(
            again
                .iter()
                .all(|e| e.arm == arm(0) && asked.iter().all(|a| a.id != e.id))
        );
        let fresh: Vec<_> = (0..2).map(|_| evaluation(&mut selector)).collect();
        assert!(fresh.iter().all(|e| e.case.split == 3), "{fresh:?}");
    }

    #[test]
    fn after_the_end_knowledge_grows_and_the_conclusion_stays() {
        let limits = Limits {
            wall: Some(10.0),
            ..Limits::default()
        };
        let mut selector = builder(2, in_turn(), never())
            .limits(limits)
            .build()
            .unwrap();
        let asked: Vec<_> = (0..4).map(|_| evaluation(&mut selector)).collect();
        selector.tell(observed(asked[0].id, 0.9)).unwrap();
        selector.tell(Event::Clock(10.0)).unwrap();
        let end = conclusion(&mut selector);
        assert_eq!((end.arm, end.probability), (arm(0), None));
        assert_eq!(selector.pending().count(), 3);
        selector.tell(observed(asked[1].id, 5.0)).unwrap();
        selector.tell(observed(asked[2].id, 0.9)).unwrap();
        selector.tell(observed(asked[3].id, 5.0)).unwrap();
        let view = selector.view();
        assert_eq!((view.total_ended(), view.mean(arm(1))), (4, Some(5.0)));
        assert!(view.belief().unwrap().of(arm(1)) > 0.9);
        assert_eq!(conclusion(&mut selector), end);
        assert_eq!(selector.conclusion(), Some(&end));
    }
}

mod cases {
    use crate::fakes::{arm, builder, evaluation, in_turn, never};
    use fiesta_core::Design;
    use std::collections::HashSet;

    fn cases(design: Design) -> Vec<(usize, u64, u64)> {
        let mut selector = builder(3, in_turn(), never())
            .design(design)
            .build()
            .unwrap();
        (0..12)
            .map(|_| evaluation(&mut selector))
            .map(|e| (e.arm.index(), e.case.split, e.case.seed))
            .collect()
    }

    #[test]
    fn the_kth_evaluation_of_every_arm_shares_split_k() {
        let cases = cases(Design::Shared);
        for index in 0..3 {
            let splits: Vec<u64> = cases
                .iter()
                .filter(|c| c.0 == arm(index).index())
                .map(|c| c.1)
                .collect();
            assert_eq!(splits, [0, 1, 2, 3]);
        }
    }

    #[test]
    fn independent_splits_are_all_different_and_a_fixed_one_is_always_0() {
        let splits: HashSet<u64> = cases(Design::Independent).iter().map(|c| c.1).collect();
        assert_eq!(splits.len(), 12);
        assert!(cases(Design::Fixed).iter().all(|c| c.1 == 0));
    }

    #[test]
    fn every_run_has_a_seed_of_its_own() {
        for design in [Design::Shared, Design::Independent, Design::Fixed] {
            let seeds: HashSet<u64> = cases(design).iter().map(|c| c.2).collect();
            assert_eq!(seeds.len(), 12, "{design:?}");
        }
    }
}

mod warming_up {
    use crate::fakes::{
        Choose, Means, Random, arm, arms, evaluation, failed, never, observed, withdrawn,
    };
    use fiesta_core::{Ask, Next, Selector};

    /// Three arms that require three observations each; the policy would only ever choose the last arm.
    fn selector() -> Selector {
        let policy = Choose {
            choose: |view: &fiesta_core::View<'_>, _: &mut dyn rand::Rng| {
                assert!(view.candidates().iter().all(|&arm| view.observed(arm) >= 3));
                Next::Evaluate(arm(2))
            },
            needs_posterior: true,
        };
        Selector::builder(arms(3), Means::new(3, 3), policy, never())
            .build()
            .unwrap()
    }

    #[test]
    fn every_arm_gets_what_the_posterior_requires_in_turn() {
        let mut selector = selector();
        for round in 0..3 {
            for index in 0..3 {
                let e = evaluation(&mut selector);
                assert_eq!((e.arm, e.case.split), (arm(index), round));
                selector.tell(observed(e.id, 0.5)).unwrap();
            }
        }
        assert_eq!(evaluation(&mut selector).arm, arm(2));
    }

    /// All nine may run at once, in the same order; then it waits for the last of them.
    #[test]
    fn in_parallel_too() {
        let mut selector = selector();
        let asked: Vec<_> = (0..9).map(|_| evaluation(&mut selector)).collect();
        assert!(
            asked
                .iter()
                .map(|e| e.arm.index())
                .eq([0, 1, 2, 0, 1, 2, 0, 1, 2])
        );
        for e in &asked[1..] {
            assert_eq!(selector.ask(), Ok(Ask::Wait));
            selector.tell(observed(e.id, 0.5)).unwrap();
        }
        assert_eq!(selector.ask(), Ok(Ask::Wait));
        selector.tell(observed(asked[0].id, 0.5)).unwrap();
        assert_eq!(evaluation(&mut selector).arm, arm(2));
    }

    /// Failures and withdrawals are made up for before the policy is asked.
    #[test]
    fn failures_are_made_up_for() {
        let mut selector = selector();
        let asked: Vec<_> = (0..9).map(|_| evaluation(&mut selector)).collect();
        selector.tell(failed(asked[1].id)).unwrap();
        selector.tell(withdrawn(asked[5].id)).unwrap();
        let more = [evaluation(&mut selector), evaluation(&mut selector)];
        assert_eq!(
            more.map(|e| (e.arm, e.case.split)),
            [(arm(1), 3), (arm(2), 1)]
        );
        assert_eq!(selector.ask(), Ok(Ask::Wait));
    }

    /// A retired arm is not waited for.
    #[test]
    fn an_arm_that_cannot_work_does_not_hold_up_the_others() {
        let mut selector = selector();
        let mut order = Vec::new();
        while selector.view().observed(arm(2)) < 4 {
            let e = evaluation(&mut selector);
            order.push(e.arm.index());
            assert!(order.len() < 20, "arm 0 is evaluated for ever");
            let event = if e.arm == arm(0) {
                failed(e.id)
            } else {
                observed(e.id, 0.5)
            };
            selector.tell(event).unwrap();
        }
        assert_eq!(order.iter().filter(|&&index| index == 0).count(), 3);
        assert_eq!(selector.view().observed(arm(1)), 3);
    }

    #[test]
    fn a_policy_without_need_of_a_posterior_is_asked_at_once() {
        let policy = Choose {
            choose: |_: &fiesta_core::View<'_>, _: &mut dyn rand::Rng| Next::Evaluate(arm(2)),
            needs_posterior: false,
        };
        let mut selector = Selector::builder(arms(3), Means::new(3, 3), policy, never())
            .build()
            .unwrap();
        assert_eq!(evaluation(&mut selector).arm, arm(2));
    }

    #[test]
    fn the_posterior_must_have_as_many_arms() {
        let built = Selector::builder(arms(3), Means::new(2, 1), Random::new(1), never()).build();
        let error = built.err().unwrap();
        assert_eq!(error.to_string(), "the posterior has 2 arms, the study 3");
    }
}

mod failing {
    use crate::fakes::{
        arm, builder, conclusion, evaluation, failed, in_turn, never, observed, withdrawn,
    };
    use fiesta_core::{Ask, Limits, Patience, Reason, SelectorError};

    #[test]
    fn three_failures_at_first_retire_an_arm() {
        let mut selector = builder(2, in_turn(), never()).build().unwrap();
        for _ in 0..2 {
            let (zero, one) = (evaluation(&mut selector), evaluation(&mut selector));
            selector.tell(failed(zero.id)).unwrap();
            selector.tell(observed(one.id, 0.0)).unwrap();
            assert_eq!(selector.view().candidates().len(), 2);
        }
        let zero = evaluation(&mut selector);
        selector.tell(failed(zero.id)).unwrap();
        assert_eq!(selector.view().candidates(), [arm(1)]);
        assert_eq!(
            (
                selector.view().failed(arm(0)),
                selector.view().total_ended()
            ),
            (3, 5)
        );
        // Whoever is left has won nothing: that is no probability.
        let end = conclusion(&mut selector);
        assert_eq!((end.arm, end.reason), (arm(1), Reason::OnlyCandidate));
        assert_eq!((end.probability, end.evaluations), (None, 5));
    }

    #[test]
    fn when_every_arm_fails_none_is_left() {
        let mut selector = builder(2, in_turn(), never()).build().unwrap();
        for _ in 0..6 {
            let e = evaluation(&mut selector);
            selector.tell(failed(e.id)).unwrap();
        }
        assert_eq!(selector.ask(), Err(SelectorError::NoArmLeft));
    }

    /// Ten in a row, after the first success; a success starts the count anew, a withdrawal does not.
    #[test]
    fn ten_failures_in_a_row_retire_an_arm_later() {
        let mut selector = builder(2, in_turn(), never()).build().unwrap();
        let mut outcomes = vec![true];
        outcomes.extend([false; 9]);
        outcomes.push(true);
        outcomes.extend([false; 10]);
        for (number, success) in outcomes.iter().enumerate() {
            assert_eq!(
                selector.view().candidates().len(),
                2,
                "before outcome {number}"
            );
            let e = loop {
                let e = evaluation(&mut selector);
                if e.arm == arm(0) {
                    break e;
                }
                selector.tell(observed(e.id, 0.0)).unwrap();
            };
            if number == 15 {
                selector.tell(withdrawn(e.id)).unwrap();
                let again = evaluation(&mut selector);
                assert_eq!((again.arm, again.case), (e.arm, e.case));
                selector.tell(failed(again.id)).unwrap();
            } else if *success {
                selector.tell(observed(e.id, 9.0)).unwrap();
            } else {
                selector.tell(failed(e.id)).unwrap();
            }
        }
        assert_eq!(selector.view().candidates(), [arm(1)]);
    }

    /// The retired arm has by far the best mean, and is recommended no more.
    #[test]
    fn a_retired_arm_is_not_recommended() {
        let limits = Limits {
            evaluations: Some(40),
            ..Limits::default()
        };
        let patience = Patience {
            at_first: 3,
            later: 4,
        };
        let mut selector = builder(2, in_turn(), never())
            .limits(limits)
            .patience(patience)
            .build()
            .unwrap();
        while let Ask::Evaluate(e) = selector.ask().unwrap() {
            let event = match (e.arm.index(), selector.view().observed(arm(0))) {
                (0, 0..2) => observed(e.id, 9.0),
                (0, _) => failed(e.id),
                _ => observed(e.id, 0.0),
            };
            selector.tell(event).unwrap();
        }
        let view = selector.view();
        assert_eq!((view.observed(arm(0)), view.failed(arm(0))), (2, 4));
        assert_eq!(view.belief().unwrap().probability, [0.0, 1.0]);
        let end = conclusion(&mut selector);
        assert_eq!((end.arm, end.probability), (arm(1), None));
    }

    /// What a retired arm still has running is told as ever, and does not bring it back.
    #[test]
    fn late_outcomes_of_a_retired_arm_count_and_do_not_bring_it_back() {
        let mut selector = builder(2, in_turn(), never()).build().unwrap();
        let asked: Vec<_> = (0..8).map(|_| evaluation(&mut selector)).collect();
        let zero: Vec<_> = asked.iter().filter(|e| e.arm == arm(0)).collect();
        for e in &zero[..3] {
            selector.tell(failed(e.id)).unwrap();
        }
        assert_eq!(selector.view().candidates(), [arm(1)]);
        selector.tell(observed(zero[3].id, 9.0)).unwrap();
        assert_eq!(selector.view().observed(arm(0)), 1);
        assert_eq!(selector.view().candidates(), [arm(1)]);
    }

    /// With no arm left it waits for what is running, and only then gives up.
    #[test]
    fn no_arm_left() {
        let mut selector = builder(2, in_turn(), never()).build().unwrap();
        let asked: Vec<_> = (0..8).map(|_| evaluation(&mut selector)).collect();
        for e in &asked[..6] {
            selector.tell(failed(e.id)).unwrap();
        }
        assert_eq!(selector.ask(), Ok(Ask::Wait));
        for e in &asked[6..] {
            selector.tell(failed(e.id)).unwrap();
        }
        assert_eq!(selector.ask(), Err(SelectorError::NoArmLeft));
        assert!(selector.conclusion().is_none());
    }
}

mod policies_that_misbehave {
    use crate::fakes::{arm, builder, choose, evaluation, failed, never, observed};
    use fiesta_core::{Ask, Next, Selector, SelectorError};

    fn always(next: Next) -> Selector {
        builder(2, choose(move |_, _| next), never())
            .build()
            .unwrap()
    }

    #[test]
    fn waiting_for_nothing() {
        assert_eq!(always(Next::Wait).ask(), Err(SelectorError::Stalled));
    }

    #[test]
    fn waiting_for_something_is_fine_until_it_has_ended() {
        let policy = choose(|view, _| match view.attempts(arm(0)) {
            0 => Next::Evaluate(arm(0)),
            _ => Next::Wait,
        });
        let mut selector = builder(2, policy, never()).build().unwrap();
        let e = evaluation(&mut selector);
        assert_eq!(selector.ask(), Ok(Ask::Wait));
        selector.tell(observed(e.id, 0.0)).unwrap();
        assert_eq!(selector.ask(), Err(SelectorError::Stalled));
    }

    #[test]
    fn an_arm_that_is_none() {
        let wrong = Err(SelectorError::NoCandidate(2));
        assert_eq!(always(Next::Evaluate(arm(2))).ask(), wrong);
        assert_eq!(always(Next::Finished(arm(2))).ask(), wrong);
    }

    #[test]
    fn a_retired_arm() {
        let mut selector = always(Next::Evaluate(arm(1)));
        for _ in 0..3 {
            let e = evaluation(&mut selector);
            selector.tell(failed(e.id)).unwrap();
        }
        assert_eq!(selector.ask(), Err(SelectorError::NoCandidate(1)));
    }
}

mod stopping {
    use crate::fakes::{
        Choose, Rule, arm, builder, choose, conclusion, evaluation, never, observed,
    };
    use fiesta_core::{Next, Policy, Reason, Verdict, View};
    use rand::Rng;
    use std::sync::{Arc, Mutex};

    /// Alternates between two arms; a round is four attempts, all ended.
    struct Rounds;

    impl Policy for Rounds {
        fn next(&mut self, view: &View<'_>, _rng: &mut dyn Rng) -> Next {
            Next::Evaluate(arm(usize::from(
                view.attempts(arm(0)) > view.attempts(arm(1)),
            )))
        }
        fn needs_posterior(&self) -> bool {
            false
        }
        fn round_complete(&self, view: &View<'_>) -> bool {
            view.total_pending() == 0 && view.total_ended().is_multiple_of(4)
        }
    }

    #[test]
    fn no_look_inside_a_round() {
        let looks = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&looks);
        let rule = Rule(move |view: &View<'_>| {
            noted.lock().unwrap().push(view.total_ended());
            // Inclined to stop from the fifth evaluation on, and heard after the eighth.
            if view.total_ended() >= 5 {
                Verdict::Stop(arm(1), Reason::PosteriorProbability { level: 0.8 })
            } else {
                Verdict::Continue
            }
        });
        let mut selector = builder(2, Rounds, rule).build().unwrap();
        for _ in 0..8 {
            let e = evaluation(&mut selector);
            selector.tell(observed(e.id, 0.0)).unwrap();
        }
        let end = conclusion(&mut selector);
        assert_eq!(
            (end.arm, end.reason),
            (arm(1), Reason::PosteriorProbability { level: 0.8 })
        );
        assert_eq!(*looks.lock().unwrap(), [0, 4, 8]);
    }

    /// Nor while the posterior cannot say anything yet.
    #[test]
    fn no_look_while_warming_up() {
        let policy = Choose {
            choose: |_: &View<'_>, _: &mut dyn Rng| Next::Evaluate(arm(0)),
            needs_posterior: true,
        };
        let rule = Rule(|view: &View<'_>| {
            assert!(view.belief().is_some());
            Verdict::Stop(arm(1), Reason::Schedule)
        });
        let mut selector = builder(2, policy, rule).build().unwrap();
        for _ in 0..4 {
            let e = evaluation(&mut selector);
            selector.tell(observed(e.id, 0.0)).unwrap();
        }
        let end = conclusion(&mut selector);
        assert_eq!((end.arm, end.probability), (arm(1), Some(0.5)));
    }

    #[test]
    fn a_policy_may_finish_by_itself() {
        let policy = choose(|view, _| match view.total_ended() {
            3 => Next::Finished(arm(1)),
            _ => Next::Evaluate(arm(0)),
        });
        let mut selector = builder(2, policy, never()).build().unwrap();
        for _ in 0..3 {
            let e = evaluation(&mut selector);
            selector.tell(observed(e.id, 0.0)).unwrap();
        }
        let end = conclusion(&mut selector);
        assert_eq!(
            (end.arm, end.reason, end.probability),
            (arm(1), Reason::Schedule, None)
        );
    }

    /// The first rule of several that stops, stops.
    #[test]
    fn several_rules() {
        let after = |count: u64, index: usize| {
            Rule(move |view: &View<'_>| {
                if view.total_ended() >= count {
                    Verdict::Stop(arm(index), Reason::Schedule)
                } else {
                    Verdict::Continue
                }
            })
        };
        let policy = choose(|_, _| Next::Evaluate(arm(0)));
        let mut selector = builder(3, policy, vec![after(5, 1), after(2, 2)])
            .build()
            .unwrap();
        for _ in 0..2 {
            let e = evaluation(&mut selector);
            selector.tell(observed(e.id, 0.0)).unwrap();
        }
        assert_eq!(conclusion(&mut selector).arm, arm(2));
    }
}

mod replaying {
    use crate::fakes::{arm, builder, evaluation, in_turn, never, observed};
    use fiesta_core::{Agreement, Ask, Case, Conclusion, Evaluation, EvaluationId, Reason};

    /// A record that says otherwise is followed: its evaluation is pending, its numbers go on.
    #[test]
    fn the_record_is_followed() {
        let mut selector = builder(2, in_turn(), never()).build().unwrap();
        let recorded = Evaluation {
            id: EvaluationId(0),
            arm: arm(1),
            case: Case { split: 5, seed: 17 },
        };
        let Ok(Agreement::Differs(Ask::Evaluate(own))) = selector.replay(&Ask::Evaluate(recorded))
        else {
            panic!("arm 0 would have been first")
        };
        assert_eq!((own.id, own.arm), (EvaluationId(0), arm(0)));
        assert!(selector.pending().eq([recorded]));
        selector.tell(observed(EvaluationId(0), 0.5)).unwrap();
        assert_eq!(
            (
                selector.view().observed(arm(1)),
                selector.view().attempts(arm(0))
            ),
            (1, 0)
        );
        let next = evaluation(&mut selector);
        assert_eq!(
            (next.id, next.arm, next.case.split),
            (EvaluationId(1), arm(0), 0)
        );
    }

    /// The arm alone is not the decision: another case is another decision.
    #[test]
    fn another_case_differs() {
        let mut selector = builder(2, in_turn(), never()).seed(1).build().unwrap();
        let mut other = builder(2, in_turn(), never()).seed(2).build().unwrap();
        let ask = other.ask().unwrap();
        assert!(matches!(
            selector.replay(&ask),
            Ok(Agreement::Differs(Ask::Evaluate(_)))
        ));
    }

    #[test]
    fn a_recorded_end_is_the_end() {
        let mut selector = builder(2, in_turn(), never()).build().unwrap();
        let end = Conclusion {
            evaluations: 0,
            arm: arm(1),
            reason: Reason::Schedule,
            probability: None,
        };
        let agreement = selector.replay(&Ask::Finished(end.clone())).unwrap();
        assert!(matches!(agreement, Agreement::Differs(Ask::Evaluate(_))));
        assert_eq!(selector.ask(), Ok(Ask::Finished(end)));
    }

    #[test]
    fn a_recorded_wait_is_no_evaluation() {
        let mut selector = builder(2, in_turn(), never()).build().unwrap();
        let agreement = selector.replay(&Ask::Wait).unwrap();
        assert!(matches!(agreement, Agreement::Differs(Ask::Evaluate(_))));
        assert_eq!(selector.pending().count(), 0);
    }
}
