//! Simulations: their results do not depend on how they are run, and agree with independent ones.

use fiesta_core::{Design, Observe, Policy, StoppingRule};
use fiesta_policies::{
    Batched, SequentialHalving, Thompson, TopTwo, Uniform,
    simulate::{Durations, Gaussian, MakeRule, Problem, Recorded, Simulation, Summary},
    stopping::PosteriorThreshold,
};
use fiesta_posterior::GaussianArms;

fn pooled(arms: usize) -> Box<dyn Observe<f64>> {
    Box::new(GaussianArms::pooled(arms))
}

fn uniform_prior(arms: usize) -> Box<dyn Observe<f64>> {
    Box::new(GaussianArms::uniform(arms))
}

fn ttts() -> Box<dyn Policy> {
    Box::new(TopTwo::thompson())
}

fn thompson() -> Box<dyn Policy> {
    Box::new(Thompson::default())
}

fn uniform() -> Box<dyn Policy> {
    Box::new(Uniform)
}

fn rules<'a>(levels: &[f64]) -> Vec<MakeRule<'a>> {
    let rule = |&level: &f64| -> MakeRule<'a> {
        Box::new(move || Box::new(PosteriorThreshold::new(level).unwrap()) as Box<dyn StoppingRule>)
    };
    levels.iter().map(rule).collect()
}

/// Three arms at distances of a standard deviation.
fn three() -> Gaussian {
    Gaussian::new([(0.5, 0.1), (0.6, 0.1), (0.4, 0.1)]).unwrap()
}

/// Top-two runs on a problem under the pooled posterior, stopped at these levels.
fn stopped_at(simulation: &Simulation<'_>, levels: &[f64]) -> Vec<Summary> {
    simulation
        .confidence(&pooled, &ttts, &rules(levels))
        .unwrap()
}

mod reproducibility {
    use super::{
        Batched, Design, Durations, Gaussian, Policy, Simulation, Summary, Thompson, pooled, rules,
        stopped_at, thompson, three,
    };
    use fiesta_core::{ArmId, Arms, Case, Streams};
    use fiesta_policies::simulate::{Problem, Scores};

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let problem = three();
        let run = |threads| {
            let simulation = Simulation::new(&problem, 101)
                .threads(threads)
                .workers(3, Durations::Exponential);
            (
                stopped_at(&simulation, &[0.95, 0.8]),
                simulation.budget(&pooled, &thompson, 20).unwrap(),
            )
        };
        let alone = run(1);
        assert_eq!(run(2), alone);
        assert_eq!(run(5), alone);
    }

    #[test]
    fn the_seed_does() {
        let problem = three();
        let run = |seed| stopped_at(&Simulation::new(&problem, 50).seed(seed), &[0.9]);
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
        // 50 runs are 50 different ones.
        let summary = &run(7)[0];
        assert!(
            summary.min < summary.max && summary.standard_error > 0.0,
            "{summary:?}"
        );
    }

    /// Arms whose scores are the same in every run: an arm's k-th is its mean, and a step up or down in turn.
    struct Same(Arms);

    impl Problem for Same {
        fn arms(&self) -> &Arms {
            &self.0
        }
        fn is_best(&self, arm: ArmId) -> bool {
            arm.index() == 1
        }
        fn scores(&self, _: Design, _: &Streams, _: u64) -> Box<dyn Scores + '_> {
            Box::new(Alternating)
        }
    }

    struct Alternating;

    impl Scores for Alternating {
        fn score(&mut self, arm: ArmId, case: Case) -> f64 {
            let mean = if arm.index() == 1 { 0.52 } else { 0.5 };
            if case.split.is_multiple_of(2) {
                mean - 0.05
            } else {
                mean + 0.05
            }
        }
    }

    /// Each run has choices of its own, not only scores of its own.
    #[test]
    fn runs_choose_for_themselves() {
        let problem = Same(Arms::new(["a", "b"]).unwrap());
        let summary = &stopped_at(&Simulation::new(&problem, 50), &[0.9])[0];
        assert!(summary.min < summary.max, "{summary:?}");
    }

    /// The rules of one call see the same looks as each would alone.
    #[test]
    fn rules_do_not_disturb_each_other() {
        let problem = three();
        let simulation = Simulation::new(&problem, 60);
        let together = stopped_at(&simulation, &[0.95, 0.8, 0.9]);
        for (summary, level) in together.iter().zip([0.95, 0.8, 0.9]) {
            assert_eq!(*summary, stopped_at(&simulation, &[level])[0], "{level}");
        }
        assert!(together[1].mean < together[2].mean && together[2].mean < together[0].mean);
    }

    /// What starts together ends together: constant durations on W workers are batches of W.
    #[test]
    fn constant_durations_are_synchronous_batches() {
        let problem = Gaussian::new([(0.5, 0.1), (0.52, 0.1), (0.4, 0.1)]).unwrap();
        let batches = || Box::new(Batched::new(Thompson::default(), 4)) as Box<dyn Policy>;
        for seed in 0..40 {
            let run =
                |policy: &(dyn Fn() -> Box<dyn Policy> + Sync), workers, durations| -> Summary {
                    Simulation::new(&problem, 1)
                        .seed(seed)
                        .workers(workers, durations)
                        .confidence(&pooled, policy, &rules(&[0.8]))
                        .unwrap()
                        .remove(0)
                };
            let parallel = run(&thompson, 4, Durations::Constant);
            // Two evaluations of each arm first, and then four at once.
            assert_eq!((parallel.min - 6) % 4, 0, "{parallel:?}");
            assert_eq!(run(&batches, 4, Durations::Constant), parallel);
            // Out of order, or with fewer workers than a batch has evaluations, choices and scores are others:
            // but they are looked at in batches.
            assert_eq!((run(&batches, 4, Durations::Exponential).min - 6) % 4, 0);
            assert_eq!((run(&batches, 1, Durations::Constant).min - 6) % 4, 0);
        }
    }

    /// Asynchronous runs stop at any number.
    #[test]
    fn exponential_durations_end_one_by_one() {
        let problem = three();
        let remainders: std::collections::HashSet<u64> = (0..40)
            .map(|seed| {
                let simulation = Simulation::new(&problem, 1)
                    .seed(seed)
                    .design(Design::Independent)
                    .workers(4, Durations::Exponential);
                simulation
                    .confidence(&pooled, &thompson, &rules(&[0.9]))
                    .unwrap()[0]
                    .min
                    % 4
            })
            .collect();
        assert_eq!(remainders.len(), 4);
    }
}

mod recorded {
    use super::{Design, GaussianArms, Observe, Policy, Problem, Recorded, Simulation, ttts};
    use fiesta_core::{ArmId, Belief, Beliefs, Case, Marginal, ObserveError, Streams};
    use fiesta_policies::simulate::RecordedError;
    use rand::Rng;
    use std::sync::{Arc, Mutex};

    type Scores = Vec<(Option<u64>, f64)>;

    /// Scores that say where they come from: their split (at most 39), a bit of their arm and of their place
    /// in the cell.
    fn telling(arms: u32) -> Vec<(String, Scores)> {
        let scores = |arm: u32| {
            let cells = (0..40_u32).flat_map(|split| (0..3_u32).map(move |place| (split, place)));
            cells
                .map(|(split, place)| {
                    let score = f64::from(split) + 0.1 * f64::from(arm) + 0.01 * f64::from(place);
                    (Some(u64::from(split)), score)
                })
                .collect()
        };
        (0..arms)
            .map(|arm| (format!("arm{arm}"), scores(arm)))
            .collect()
    }

    /// A posterior that notes every observation.
    struct Spy {
        inner: GaussianArms<fiesta_posterior::Pooled>,
        noted: Arc<Mutex<Vec<Noted>>>,
        run: usize,
    }

    #[derive(Debug, Clone, Copy)]
    struct Noted {
        run: usize,
        arm: usize,
        case: Case,
        score: f64,
    }

    impl Beliefs for Spy {
        fn arms(&self) -> usize {
            self.inner.arms()
        }
        fn required(&self, arm: ArmId) -> u64 {
            self.inner.required(arm)
        }
        fn mean(&self, arm: ArmId) -> Option<f64> {
            self.inner.mean(arm)
        }
        fn marginal(&self, arm: ArmId) -> Option<Marginal> {
            self.inner.marginal(arm)
        }
        fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
            self.inner.difference(a, b)
        }
        fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
            self.inner.draw(rng, means);
        }
        fn belief(&self, candidates: &[ArmId]) -> Belief {
            self.inner.belief(candidates)
        }
    }

    impl Observe<f64> for Spy {
        fn observe(&mut self, arm: ArmId, case: Case, score: f64) -> Result<(), ObserveError> {
            let noted = Noted {
                run: self.run,
                arm: arm.index(),
                case,
                score,
            };
            self.noted.lock().unwrap().push(noted);
            self.inner.observe(arm, case, score)
        }
    }

    fn split_of(score: f64) -> f64 {
        (score + 1e-9).floor()
    }

    /// In every run an arm's k-th evaluation comes from the run's k-th split, whichever arm was first there.
    #[test]
    fn the_kth_evaluations_of_all_arms_share_a_split() {
        let problem = Recorded::new(telling(3), Design::Shared).unwrap();
        let noted = Arc::new(Mutex::new(Vec::new()));
        let runs = Mutex::new(0);
        let spy = |arms| -> Box<dyn Observe<f64>> {
            let mut run = runs.lock().unwrap();
            *run += 1;
            Box::new(Spy {
                inner: GaussianArms::pooled(arms),
                noted: Arc::clone(&noted),
                run: *run,
            })
        };
        let policy = || -> Box<dyn Policy> { ttts() };
        Simulation::new(&problem, 30)
            .budget(&spy, &policy, 40)
            .unwrap();
        let noted = noted.lock().unwrap();
        assert_eq!(noted.len(), 30 * 40);
        let mut compared = 0;
        for one in noted.iter() {
            // It is a score of its own arm.
            let offset = one.score - split_of(one.score);
            assert!(
                (offset - 0.1 * [0.0, 1.0, 2.0][one.arm]).abs() < 0.03,
                "{one:?}"
            );
            for other in noted.iter().filter(|other| other.run == one.run) {
                if other.case.split == one.case.split {
                    assert!(
                        (split_of(one.score) - split_of(other.score)).abs() < 0.5,
                        "{one:?}, {other:?}"
                    );
                    compared += usize::from(other.arm != one.arm);
                }
            }
        }
        assert!(compared > 400, "{compared} pairs of arms on a split");
        // Splits are drawn: different ones within a run (with replacement, 40 of them), and other ones in
        // the next run. All of 30 second splits alike would be one of 40^29 cases.
        let of_turn = |turn| {
            noted
                .iter()
                .filter(move |n| n.case.split == turn)
                .map(|n| split_of(n.score))
        };
        assert!(of_turn(1).any(|split| (split - of_turn(1).next().unwrap()).abs() > 0.5));
        assert!(of_turn(0).zip(of_turn(1)).any(|(a, b)| (a - b).abs() > 0.5));
        // Each of the three scores of a cell is used.
        for place in [0.0, 0.01, 0.02] {
            let used = |n: &&Noted| (n.score * 10.0).fract() / 10.0 - place;
            assert!(
                noted.iter().filter(|n| used(n).abs() < 1e-6).count() > 100,
                "{place}"
            );
        }
    }

    /// Independent splits: each evaluation draws from all scores of its arm, each equally often. 30,000 draws
    /// of 40 splits: z-tests at 4.5 standard errors, one of 3,700 seeds fails falsely.
    #[test]
    fn independent_draws_are_uniform() {
        let problem = Recorded::new(telling(2), Design::Independent).unwrap();
        let mut scores = problem.scores(Design::Independent, &Streams::new(1), 0);
        let mut counts = [0.0_f64; 40];
        let case = Case { split: 0, seed: 0 };
        for _ in 0..30_000 {
            let split = split_of(scores.score(ArmId::new(1), case));
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "0 to 39"
            )]
            let place = split as usize;
            counts[place] += 1.0;
        }
        let error = (30_000.0_f64 / 40.0 * (39.0 / 40.0)).sqrt();
        assert!(
            counts
                .iter()
                .all(|count| (count - 750.0).abs() < 4.5 * error),
            "{counts:?}"
        );
    }

    #[test]
    fn what_cannot_be_replayed_is_refused() {
        let some = |split, score| (Some(split), score);
        let one = |name: &str, scores: Scores| (name.to_owned(), scores);
        let error = |arms: Vec<(String, Scores)>, design| Recorded::new(arms, design).unwrap_err();

        let hole = vec![
            one("lstm", vec![some(3, 0.5), some(4, 0.6)]),
            one("gru", vec![some(4, 0.5), some(4, 0.7)]),
        ];
        let missing = RecordedError::Hole {
            arm: "gru".to_owned(),
            split: 3,
        };
        assert!(
            missing.to_string().contains("`gru` has none on split 3"),
            "{missing}"
        );
        assert_eq!(error(hole.clone(), Design::Shared), missing);
        assert!(Recorded::new(hole, Design::Independent).is_ok());

        let without = vec![
            one("lstm", vec![some(0, 0.5)]),
            one("gru", vec![(None, 0.5)]),
        ];
        assert_eq!(
            error(without.clone(), Design::Shared),
            RecordedError::NoSplits
        );
        assert!(RecordedError::NoSplits.to_string().contains("`split`"));
        assert!(Recorded::new(without, Design::Fixed).is_ok());

        let empty = vec![one("lstm", vec![some(0, 0.5)]), one("gru", Vec::new())];
        for design in [Design::Shared, Design::Independent, Design::Fixed] {
            assert_eq!(
                error(empty.clone(), design),
                RecordedError::Empty("gru".to_owned())
            );
        }
        assert!(matches!(
            error(Vec::new(), Design::Shared),
            RecordedError::Arms(_)
        ));
    }
}

mod results {
    use super::{
        Design, Gaussian, Policy, Problem, Recorded, SequentialHalving, Simulation, pooled,
        stopped_at, three, ttts, uniform,
    };
    use fiesta_core::ArmId;

    /// Ten standard deviations apart: a posterior that demands .99 must not err in 1 of 100 runs.
    #[test]
    fn clearly_different_arms_are_told_apart() {
        let problem = Gaussian::new([(0.5, 0.02), (0.7, 0.02)]).unwrap();
        let summary = &stopped_at(&Simulation::new(&problem, 1000), &[0.99])[0];
        assert!(summary.correct > 0.99, "{summary:?}");
        assert_eq!((summary.runs, summary.capped), (1000, 0));
        assert!(summary.min >= 4 && summary.mean < 8.0, "{summary:?}");
    }

    /// And in the other order: it is the arm that is found, not its place.
    #[test]
    fn whichever_place_the_best_has() {
        for best in 0..3 {
            let mean = |index| if index == best { 0.7 } else { 0.5 };
            let problem = Gaussian::new((0..3).map(|index| (mean(index), 0.02))).unwrap();
            let summary = &stopped_at(&Simulation::new(&problem, 200), &[0.99])[0];
            assert!(summary.correct > 0.98, "{best}: {summary:?}");
        }
    }

    #[test]
    fn a_budget_is_spent_exactly() {
        let problem = three();
        for (workers, budget) in [(1, 17), (4, 17), (4, 3), (30, 20)] {
            let simulation =
                Simulation::new(&problem, 50).workers(workers, super::Durations::Exponential);
            for policy in [uniform as fn() -> Box<dyn Policy>, ttts] {
                let summary = simulation.budget(&pooled, &policy, budget).unwrap();
                assert_eq!((summary.min, summary.max), (budget, budget));
                assert_eq!((summary.runs, summary.capped), (50, 0));
                assert!(summary.standard_error.abs() < 1e-12);
            }
        }
    }

    /// A schedule that is complete before the budget is spent ends the run.
    #[test]
    fn a_schedule_may_leave_something_over() {
        let problem = Gaussian::new((0..12).map(|_| (0.5, 0.1))).unwrap();
        for (extended, used) in [(false, 114), (true, 120)] {
            let halving = || -> Box<dyn Policy> {
                let halving = SequentialHalving::new(12, 120).unwrap();
                Box::new(if extended {
                    halving.extended()
                } else {
                    halving
                })
            };
            let summary = Simulation::new(&problem, 20)
                .budget(&pooled, &halving, 120)
                .unwrap();
            assert_eq!((summary.min, summary.max), (used, used));
        }
    }

    /// Either of two best arms is correct; with the third it is as often wrong as it is named.
    #[test]
    fn ties_are_correct() {
        let problem = Gaussian::new([(0.5, 0.1), (0.5, 0.1)]).unwrap();
        let summary = &stopped_at(&Simulation::new(&problem, 100), &[0.8])[0];
        assert!((summary.correct - 1.0).abs() < 1e-12, "{summary:?}");
        let scores = |scores: [f64; 3]| scores.map(|score| (None, score)).to_vec();
        let problem = Recorded::new(
            [
                ("a".to_owned(), scores([0.4, 0.5, 0.6])),
                ("b".to_owned(), scores([0.5, 0.25, 0.75])),
                ("c".to_owned(), scores([0.4, 0.5, 0.5])),
            ],
            Design::Independent,
        )
        .unwrap();
        assert_eq!(
            [0, 1, 2].map(|arm| problem.is_best(ArmId::new(arm))),
            [true, true, false]
        );
        let simulation = Simulation::new(&problem, 400).design(Design::Independent);
        let summary = simulation.budget(&pooled, &uniform, 9).unwrap();
        assert!(
            summary.correct > 0.5 && summary.correct < 1.0,
            "{summary:?}"
        );
        let error = (summary.correct * (1.0 - summary.correct) / 400.0).sqrt();
        assert!((summary.correct_standard_error - error).abs() < 1e-12);
    }

    /// A run that meets the cap counts with all it has spent, and is told from those that reached the goal.
    #[test]
    fn capped_runs_are_counted() {
        let problem = Gaussian::new([(0.5, 0.1), (0.5, 0.1), (0.55, 0.1)]).unwrap();
        let simulation = Simulation::new(&problem, 200).cap(15);
        let summaries = stopped_at(&simulation, &[0.999_999, 0.6]);
        assert_eq!(
            (summaries[0].capped, summaries[0].min, summaries[0].max),
            (200, 15, 15)
        );
        assert!(
            summaries[1].capped > 0 && summaries[1].capped < 100,
            "{:?}",
            summaries[1]
        );
        assert!(summaries[1].min < 15 && summaries[1].max == 15);
        // The recommendation of a capped run counts, too: the best mean is right more often than by chance.
        assert!(
            summaries[0].correct > 0.4 && summaries[0].correct < 1.0,
            "{:?}",
            summaries[0]
        );
    }

    /// Mean and standard error of many runs against single runs, summed up by hand.
    #[test]
    fn summaries_are_moments() {
        let problem = three();
        let each: Vec<f64> = {
            // Single runs have other streams than runs of one simulation; the mean of many agrees all the same.
            let run = |seed| stopped_at(&Simulation::new(&problem, 1).seed(seed), &[0.9])[0].mean;
            (0..400).map(run).collect()
        };
        let mean = each.iter().sum::<f64>() / 400.0;
        let variance = each.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 399.0;
        let summary = &stopped_at(&Simulation::new(&problem, 400).seed(99), &[0.9])[0];
        let error = (variance / 400.0).sqrt();
        // Two independent means: 4.5 standard errors of their difference, one in 147,000 seeds.
        assert!(
            (summary.mean - mean).abs() < 4.5 * error * 2_f64.sqrt(),
            "{summary:?} for {mean}"
        );
        assert!(
            (summary.standard_error / error - 1.0).abs() < 0.5,
            "{summary:?} for {error}"
        );
    }
}

/// The paper's twelve models with 500 recorded scores each, against independent simulations of 2,000 runs.
mod targeted_sentiment {
    use super::{
        Batched, Design, Durations, Policy, Recorded, SequentialHalving, Simulation, Thompson,
        rules, ttts, uniform, uniform_prior,
    };
    use std::{collections::BTreeMap, env, fs, path::PathBuf};

    /// The recorded scores of the arms that are kept; none if there is no file.
    fn scores(keep: impl Fn(&str) -> bool) -> Option<Recorded> {
        let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let here = manifest.join("../../shared/data/tdsa_macro_f1.csv");
        let named = env::var_os("FIESTA_SHARED").map(PathBuf::from);
        let elsewhere = named.iter().flat_map(|directory| {
            [
                directory.join("tdsa_macro_f1.csv"),
                directory.join("data/tdsa_macro_f1.csv"),
            ]
        });
        let text = elsewhere
            .chain([here])
            .find_map(|path| fs::read_to_string(path).ok());
        let Some(text) = text else {
            eprintln!("skipped: tdsa_macro_f1.csv is not there; FIESTA_SHARED names its directory");
            return None;
        };
        let mut arms: BTreeMap<&str, Vec<(Option<u64>, f64)>> = BTreeMap::new();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let [arm, split, _seed, score] = fields[..] else {
                panic!("four fields in `{line}`")
            };
            if keep(arm) {
                let score = (Some(split.parse().unwrap()), score.parse().unwrap());
                arms.entry(arm).or_default().push(score);
            }
        }
        let arms = arms
            .into_iter()
            .map(|(arm, scores)| (arm.to_owned(), scores));
        Some(Recorded::new(arms, Design::Independent).unwrap())
    }

    const RUNS: u64 = 400;
    const REFERENCE_RUNS: f64 = 2000.0;

    /// Mean evaluations at confidences of .95, .9 and .8 within 4 standard errors of the difference (and half a
    /// unit of the reference's last digit): three comparisons fail falsely once in 5,000 seeds.
    fn compare(
        policy: &(dyn Fn() -> Box<dyn Policy> + Sync),
        workers: usize,
        references: [f64; 3],
        digit: f64,
    ) {
        let Some(problem) = scores(|arm| !arm.ends_with("_200")) else {
            return;
        };
        let summaries = Simulation::new(&problem, RUNS)
            .design(Design::Independent)
            .workers(workers, Durations::Constant)
            .confidence(&uniform_prior, policy, &rules(&[0.95, 0.9, 0.8]))
            .unwrap();
        for (summary, reference) in summaries.iter().zip(references) {
            // The reference's runs scatter as ours do.
            let error = summary.standard_error * (1.0 + RUNS as f64 / REFERENCE_RUNS).sqrt();
            let difference = summary.mean - reference;
            eprintln!(
                "{:.1} for {reference}: {:.2} standard errors",
                summary.mean,
                difference / error
            );
            assert!(
                difference.abs() < 4.0 * error + digit / 2.0,
                "{summary:?} for {reference}"
            );
        }
    }

    #[test]
    fn eight_arms_uniform() {
        compare(&uniform, 1, [281.8, 209.7, 130.4], 0.1);
    }

    #[test]
    fn eight_arms_top_two_thompson() {
        compare(&ttts, 1, [151.3, 117.5, 83.8], 0.1);
    }

    #[test]
    fn eight_arms_batches_of_four() {
        let batches = || Box::new(Batched::new(Thompson::default(), 4)) as Box<dyn Policy>;
        compare(&batches, 4, [317.0, 176.0, 102.0], 1.0);
    }

    #[test]
    fn eight_arms_batches_of_eight() {
        let batches = || Box::new(Batched::new(Thompson::default(), 8)) as Box<dyn Policy>;
        compare(&batches, 8, [311.0, 174.0, 105.0], 1.0);
    }

    /// Shares of 2,000 runs on each side, within 4 standard errors of their difference: one in 8,000 seeds
    /// fails falsely.
    #[test]
    fn twelve_arms_with_a_budget() {
        let Some(problem) = scores(|_| true) else {
            return;
        };
        let simulation = Simulation::new(&problem, 2000).design(Design::Independent);
        let halving = || Box::new(SequentialHalving::new(12, 120).unwrap()) as Box<dyn Policy>;
        let compare = |policy: &(dyn Fn() -> Box<dyn Policy> + Sync), budget, reference: f64| {
            let summary = simulation.budget(&uniform_prior, policy, budget).unwrap();
            let error = (2.0 * reference * (1.0 - reference) / REFERENCE_RUNS).sqrt();
            let difference = summary.correct - reference;
            eprintln!(
                "{} for {reference}: {:.2} standard errors",
                summary.correct,
                difference / error
            );
            assert!(
                difference.abs() < 4.0 * error,
                "{summary:?} for {reference}"
            );
            summary.max
        };
        assert_eq!(compare(&halving, 120, 0.895), 114);
        assert_eq!(compare(&uniform, 228, 0.880), 228);
    }
}
