//! Tests of the outlook on splits, and how often its intervals hold.

use super::*;
use crate::analysis::{ScoresOfArms, belief::BeliefRequest};
use fiesta_core::{Direction, Streams};
use fiesta_records::{Evaluations, Reading, read_from};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use std::fmt::Write;

fn read(csv: &str) -> Evaluations {
    read_from(csv.as_bytes(), None, &Reading::default(), "s.csv").unwrap()
}

/// Returns the outlook on these scores from 20 continuations.
fn outlook(csv: &str) -> Result<SplitsOutlook, AnalysisError> {
    let records = read(csv);
    let scores = ScoresOfArms::new(&records, &[], Direction::Maximize, "s.csv")?;
    SplitsOutlook::simulate(&scores, &OutlookOptions::default(), 20)
}

/// Returns scores of three arms on `splits` splits; `gap` lies between the first and the second.
fn scores(splits: u64, gap: f64) -> String {
    let mut csv = "arm,split,score\n".to_owned();
    for split in 0..splits {
        let of_split = 0.05 * (split % 3) as f64;
        for (place, mean) in (0..).zip([0.8, 0.8 - gap, 0.5]) {
            let noise = 0.02 * ((split * 7 + place * 3 + place * place * split) % 5) as f64;
            let score = mean + of_split + noise;
            writeln!(csv, "a{place},{split},{score}").unwrap();
        }
    }
    csv
}

#[test]
fn a_decided_study_needs_no_more() {
    let records = read(&scores(8, 0.3));
    let scores = ScoresOfArms::new(&records, &[], Direction::Maximize, "s.csv").unwrap();
    let request = BeliefRequest {
        outlook: true,
        confidence: Some(0.95),
        ..BeliefRequest::default()
    };
    let report = request.report(scores, Some(&records)).unwrap();
    let found = report.outlook.clone().unwrap();
    assert!(report.text().contains(&found.sentence()));
    assert!(found.is_settled(), "{found:?}");
    assert!((found.settled - 1.0).abs() < 1e-9 && found.right == Some(1.0));
    assert_eq!(
        found.sentence(),
        "no more evaluations are needed at 95 %: a study with these would end here"
    );
}

#[test]
fn closer_arms_need_more() {
    let needed = |gap: f64| {
        let found = outlook(&scores(4, gap)).unwrap();
        found.evaluations.median.unwrap_or(u64::MAX)
    };
    assert!(needed(0.02) > 2 * needed(0.3));
    let sentence = outlook(&scores(4, 0.03)).unwrap().sentence();
    assert!(
        sentence.contains(" in 80 % of continuations) would settle it at 95 %"),
        "{sentence}"
    );
}

#[test]
fn an_outlook_repeats_and_needs_noise() {
    let csv = scores(3, 0.02);
    assert_eq!(outlook(&csv).unwrap(), outlook(&csv).unwrap());
    let bare = "arm,score\na,0.5\na,0.7\na,0.6\nb,0.2\nb,0.4\nb,0.5\n";
    assert!(outlook(bare).unwrap().draws == 20);
    let one_split = "arm,split,seed,score\na,0,0,0.5\na,0,1,0.7\nb,0,0,0.2\nb,0,1,0.4\n";
    assert!(outlook(one_split).unwrap().draws == 20);
    let equal = "arm,split,score\na,0,0.5\na,1,0.5\nb,0,0.5\nb,1,0.5\n";
    assert!(outlook(equal).is_err());
}

/// Tests that further scores follow from those that are known on their split.
#[test]
fn scores_on_known_splits_follow_from_these() {
    let (known_arm, other) = (ArmId::new(0), ArmId::new(1));
    let mut posterior = Paired::new(2);
    for (split, score) in (0..).zip([0.1, 0.4, 0.2, 0.5]) {
        let case = Case { split, seed: 0 };
        posterior.observe(known_arm, case, score).unwrap();
        posterior.observe(other, case, score * score).unwrap();
    }
    let mut rng = Streams::new(1).draws(0);
    let mut model = posterior.draw_model(&mut rng).unwrap();
    (model.means, model.split_variance) = (vec![0.0, 0.0], 1.0);
    let known = Known {
        evaluations: vec![(known_arm, Case { split: 0, seed: 0 }, 2.0)],
        design: Design::Shared,
    };
    // Without noise the effect of the split is all that there is, and the other arm has it too.
    (model.variances, model.interaction) = (vec![1e-12, 1e-12], 0.5);
    let mut future = Future::new(model.clone(), &known, Streams::new(2).draws(0));
    assert!((future.score(other, 0) - 2.0).abs() < 1e-4);
    // All that seeds do not share is nothing: a further seed repeats the score.
    (model.variances, model.interaction) = (vec![1.0, 1.0], 1.0);
    let mut future = Future::new(model, &known, Streams::new(3).draws(0));
    assert!((future.score(known_arm, 0) - 2.0).abs() < 1e-9);
    assert!((future.score(other, 0) - 2.0).abs() > 1e-3);
}

/// Arms that are evaluated: their scores, drawn.
struct Arms {
    means: Vec<f64>,
    sds: Vec<f64>,
    split_sd: f64,
}

impl Arms {
    fn score(&self, arm: ArmId, split: u64, streams: &Streams) -> f64 {
        let effect: f64 = StandardNormal.sample(&mut streams.splits(split));
        let turn = split.wrapping_mul(1000) + arm.index() as u64;
        let noise: f64 = StandardNormal.sample(&mut streams.durations(turn));
        self.means[arm.index()] + self.split_sd * effect + self.sds[arm.index()] * noise
    }
}

/// How often the number that was needed lies within the interval, with the share that needed more
/// than the median: `studies` studies, each looked at after `per_arm` evaluations of each arm. The
/// means of each study are normal with the standard deviation `spread`, in units of the noise.
fn coverage(arms: usize, per_arm: u64, spread: f64, split_sd: f64, studies: u64) -> (f64, f64) {
    let (mut inside, mut above) = (0, 0);
    for study in 0..studies {
        let streams = Streams::new(7_000 + study);
        let mut rng = streams.draws(0);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let means: Vec<f64> = (0..arms).map(|_| spread * normal()).collect();
        let mut rng = streams.draws(1);
        let sds = (0..arms).map(|_| 0.5 + rng.random::<f64>()).collect();
        let problem = Arms {
            means,
            sds,
            split_sd,
        };
        let mut csv = "arm,split,score\n".to_owned();
        for split in 0..per_arm {
            for arm in 0..arms {
                let score = problem.score(ArmId::new(arm), split, &streams);
                writeln!(csv, "a{arm},{split},{score}").unwrap();
            }
        }
        let records = read(&csv);
        let scores = ScoresOfArms::new(&records, &[], Direction::Maximize, "s.csv").unwrap();
        let options = OutlookOptions::default();
        let found = SplitsOutlook::of_scores(&scores, &options).unwrap();
        let known = Known::new(&scores);
        let most = found.most;
        let mut real = known
            .study(&scores, options.confidence, most, study)
            .unwrap();
        let mut needed = 0;
        while let Ask::Evaluate(Evaluation { id, arm, case }) = real.ask().unwrap() {
            let outcome = Outcome::Observed(problem.score(arm, case.split, &streams));
            let cost = 1.0;
            real.tell(Event::Ended { id, outcome, cost }).unwrap();
            needed += 1;
        }
        let FurtherEvaluations {
            median,
            lower,
            upper,
        } = found.evaluations;
        // An end at the limit counts as beyond it, with all unsettled continuations.
        let [median, lower, upper] = [median, lower, upper].map(|at| at.unwrap_or(most));
        inside += u64::from((lower..=upper).contains(&needed));
        above += u64::from(needed > median);
    }
    let share = |count: u64| count as f64 / studies as f64;
    (share(inside), share(above))
}

/// Measures how often intervals meant for 80 % hold (docs/plan.md). `FIESTA_STUDIES` says how many
/// studies there are of each kind.
#[test]
#[ignore = "takes minutes, optimised"]
fn intervals_hold() {
    let studies = std::env::var("FIESTA_STUDIES").map_or(40, |number| number.parse().unwrap());
    let mut shares = Vec::new();
    for (arms, per_arm, spread, split_sd) in [
        (2, 4, 0.5, 1.0),
        (2, 8, 0.5, 0.0),
        (4, 4, 1.0, 1.0),
        (4, 8, 0.5, 1.0),
    ] {
        let (inside, above) = coverage(arms, per_arm, spread, split_sd, studies);
        println!(
            "{arms} arms, {per_arm} evaluations each, means drawn with {spread} sd, splits {split_sd} sd: {:.0} % inside, {:.0} % above the median",
            100.0 * inside,
            100.0 * above
        );
        shares.push(inside);
    }
    // After all kinds are printed, so that one that fails hides none.
    assert!(shares.iter().all(|inside| *inside > 0.6), "{shares:?}");
}
