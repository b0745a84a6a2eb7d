//! Tests of the replay of recorded scores.

use super::{Design, GaussianArms, Observe, Policy, Problem, Recorded, Simulation, ttts};
use fiesta_core::{ArmId, Belief, Case, Marginal, ObserveError, Posterior, Streams};
use fiesta_policies::{
    TopTwo,
    simulate::{RecordedError, SimulationSummary},
    stopping::PosteriorThreshold,
};
use fiesta_posterior::Paired;
use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use rand_distr::{Distribution, StandardNormal};
use std::sync::{Arc, Mutex};

type Scores = Vec<(Option<u64>, f64)>;

/// Returns scores that say where they come from: their split (at most 39), a bit of their arm and
/// of their place in the cell.
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

impl Posterior for Spy {
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
    fn within(&self, arm: ArmId, _margin: f64, candidates: &[ArmId]) -> f64 {
        self.belief(candidates).of(arm)
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

/// Tests that, in every run, an arm's k-th evaluation comes from the run's k-th split, whichever
/// arm was first there.
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
        .budget(spy, policy, 40)
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
    // Splits are drawn: different ones within a run (with replacement, 40 of them), and other ones
    // in the next run. All of 30 second splits alike would be one of 40^29 cases.
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

/// Tests that with independent splits each evaluation draws from all scores of its arm, each
/// equally often. 30,000 draws of 40 splits: z-tests at 4.5 standard errors, one of 3,700 seeds
/// fails falsely.
#[test]
fn independent_draws_are_uniform() {
    let problem = Recorded::new(telling(2), Design::Independent).unwrap();
    let mut scores = problem.observations(Design::Independent, &Streams::new(1), 0);
    let mut counts = [0.0_f64; 40];
    let case = Case { split: 0, seed: 0 };
    for _ in 0..30_000 {
        let split = split_of(scores.observe(ArmId::new(1), case));
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

/// Returns four arms with some twenty scores each, rounded to two digits as papers print them; one
/// arm is far ahead.
fn rounded(seed: u64) -> Recorded {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let arms = [0.9, 0.64, 0.59, 0.56].map(|mean| {
        let count = 10 + rng.next_u64() % 21;
        let score = |_| {
            let normal: f64 = StandardNormal.sample(&mut rng);
            (None, ((mean + 0.02 * normal) * 100.0).round() / 100.0)
        };
        (format!("arm{mean}"), (0..count).map(score).collect())
    });
    Recorded::new(arms, Design::Independent).unwrap()
}

/// Tests that equal scores do not make runs go on for ever, as two equal scores of an arm look as
/// if nothing could be learnt of it any more: all evaluations then went to the leader, while the
/// stopping rule waited for further scores of the runner-up.
#[test]
fn equal_scores_do_not_make_runs_go_on_for_ever() {
    let mut all = Vec::new();
    for seed in 0..8 {
        let problem = rounded(seed);
        let summary = Simulation::new(&problem, 250)
            .design(Design::Independent)
            .confidence(
                |arms| Box::new(Paired::new(arms)) as Box<dyn Observe<f64>>,
                || Box::new(TopTwo::ttps()) as Box<dyn Policy>,
                &[|| PosteriorThreshold::new(0.95).unwrap()],
            )
            .unwrap()
            .remove(0);
        all.push(summary);
    }
    let most = |of: fn(&SimulationSummary) -> u64| all.iter().map(of).max();
    let mean = all.iter().map(|summary| summary.mean).sum::<f64>() / 8.0;
    println!(
        "mean {mean}, 99 % {:?}, most {:?}",
        most(|s| s.quantile(0.99)),
        most(|s| s.max)
    );
    assert!(all.iter().all(|summary| summary.capped == 0), "{all:?}");
    assert!(
        mean < 30.0 && most(|summary| summary.max) < Some(100),
        "{mean} {all:?}"
    );
}
