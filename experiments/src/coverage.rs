//! Coverage at the stop: how often intervals and statements of studies that stopped by themselves
//! are true.

use crate::{
    Failure,
    battery::{families, rule},
    makers,
    output::{Estimate, Runs},
};
use fiesta_core::{
    ArmId, Evaluation, Marginal, Moments, Observe, Outcome, Reason, StoppingRule, Verdict, View,
    greatest,
};
use fiesta_policies::{
    Parameters, resolve,
    simulate::{SyntheticArm, battery::Family},
    stopping::anytime::difference_interval,
};
use fiesta_posterior::{self as posterior, student};
use fiesta_report::summary::{ArmComparison, Interval, Sample, ScoreSummary};
use serde::{Serialize, Serializer};
use std::sync::{Arc, Mutex, PoisonError};

/// The arguments of `experiments coverage`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments coverage --family two-at-0.2,two-tied --runs 1000
  experiments coverage --stopping anytime --family two,eight-at-0.5 --runs 300")]
pub(crate) struct Arguments {
    /// Measure only these families of problems (default: all)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    family: Vec<String>,
    /// Stopping rule of the studies
    #[arg(long, value_name = "NAME", default_value = "posterior")]
    stopping: String,
    /// Posterior of the studies
    #[arg(long, value_name = "NAME", default_value = posterior::DEFAULT)]
    posterior: String,
    /// The confidence of the stop, and the level of all intervals
    #[arg(long, value_name = "LEVEL", default_value_t = 0.95)]
    confidence: f64,
    #[command(flatten)]
    each: Runs,
}

/// Share of cases in which a statement held, serialized as an estimate or, without cases, null.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    of: u64,
    held: u64,
}

impl Share {
    fn note(&mut self, held: bool) {
        self.of += 1;
        self.held += u64::from(held);
    }

    fn note_if_known(&mut self, held: Option<bool>) {
        if let Some(held) = held {
            self.note(held);
        }
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let share = || Estimate::share(self.held as f64 / self.of as f64, self.of);
        (self.of > 0).then(share).serialize(to)
    }
}

/// Counts of intervals and statements that held, over the runs of one family.
#[derive(Debug, Clone, Default, Serialize)]
struct Tally {
    leader_by_posterior: Share,
    leader_by_t: Share,
    others_by_posterior: Share,
    others_by_t: Share,
    differences_by_posterior: Share,
    differences_by_t: Share,
    /// The share of runs in which all anytime-valid intervals held together.
    anytime: Share,
    /// The share of runs ended by a tie in which the tie was true.
    tie: Share,
    tied: u64,
    /// Expected shortfall that the belief states, in standard deviations of a paired difference of the best two.
    #[serde(serialize_with = "mean")]
    stated_shortfall: Moments,
    #[serde(serialize_with = "mean")]
    true_shortfall: Moments,
}

/// Serialises moments as the mean over all runs, or null without runs.
fn mean<S: Serializer>(moments: &Moments, to: S) -> Result<S::Ok, S::Error> {
    let mean = (moments.count() > 0).then(|| moments.mean());
    mean.serialize(to)
}

/// A row of the table: a family of arms, with its counts.
#[derive(Debug, Serialize)]
struct Row {
    family: String,
    gap_in_sds: f64,
    stopped: u64,
    #[serde(flatten)]
    tally: Tally,
}

/// A stopping rule that, when it stops, compares the belief with the true means.
struct Noting {
    rule: Box<dyn StoppingRule>,
    truth: Arc<Truth>,
    tally: Arc<Mutex<Tally>>,
    scores: Vec<Vec<(u64, f64)>>,
}

/// True means of a family, and the intervals to check.
struct Truth {
    means: Vec<f64>,
    sd: f64,
    level: f64,
}

impl StoppingRule for Noting {
    fn check(&self, view: &View<'_>) -> Verdict {
        let verdict = self.rule.check(view);
        if let Verdict::Stop(leader, reason) = &verdict
            && !view.is_provisional()
        {
            let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
            self.note(view, *leader, reason, &mut tally);
        }
        verdict
    }

    fn ended(&mut self, evaluation: &Evaluation, turn: u64, outcome: &Outcome) {
        self.rule.ended(evaluation, turn, outcome);
        if let Outcome::Observed(score) = outcome {
            let scores = &mut self.scores[evaluation.arm.index()];
            scores.push((evaluation.case.split, *score));
        }
    }

    fn lacking(&self, view: &View<'_>, chosen: ArmId) -> Option<ArmId> {
        self.rule.lacking(view, chosen)
    }

    fn evidence(&self, view: &View<'_>, leader: ArmId, arm: ArmId) -> Option<f64> {
        self.rule.evidence(view, leader, arm)
    }
}

impl Noting {
    fn note(&self, view: &View<'_>, leader: ArmId, reason: &Reason, tally: &mut Tally) {
        let (truth, level) = (&*self.truth, self.truth.level);
        let mean = |arm: ArmId| truth.means[arm.index()];
        let holds = |believed: &Marginal, true_value: f64| {
            let scaled = (believed.location - true_value).abs() / believed.scale;
            2.0 * student::upper_tail(scaled, believed.degrees_of_freedom) >= 1.0 - level
        };
        let contains =
            |interval: Interval, value: f64| interval.lower <= value && value <= interval.upper;
        let sample = |arm: ArmId| Sample::grouped(self.scores[arm.index()].iter().copied()).ok();
        let of_leader = sample(leader);
        let mut all_differences = true;
        for &arm in view.candidates() {
            let is_leader = arm == leader;
            let by_posterior = view
                .marginal(arm)
                .map(|believed| holds(&believed, mean(arm)));
            let own = sample(arm);
            let by_t = own
                .as_ref()
                .and_then(|sample| ScoreSummary::new(sample, level).ok()?.interval)
                .map(|interval| contains(interval, mean(arm)));
            let (posterior, t) = if is_leader {
                (&mut tally.leader_by_posterior, &mut tally.leader_by_t)
            } else {
                (&mut tally.others_by_posterior, &mut tally.others_by_t)
            };
            posterior.note_if_known(by_posterior);
            t.note_if_known(by_t);
            if is_leader {
                continue;
            }
            let gap = mean(leader) - mean(arm);
            if let Some(believed) = view.difference(leader, arm) {
                tally.differences_by_posterior.note(holds(&believed, gap));
            }
            if let (Some(best), Some(other)) = (&of_leader, &own)
                && let Ok(compared) = ArmComparison::new(best, other, level)
                && let Some(interval) = compared.interval
            {
                tally.differences_by_t.note(contains(interval, gap));
            }
            let held = self
                .by_turn(leader, arm)
                .is_none_or(|(lower, upper)| lower <= gap && gap <= upper);
            all_differences &= held;
        }
        tally.anytime.note(all_differences);
        let best = greatest(truth.means.iter().copied());
        if let Reason::Tied {
            tolerance, arms, ..
        } = reason
        {
            tally.tied += 1;
            let within = |arm: &ArmId| mean(*arm) >= best - tolerance;
            tally.tie.note(arms.iter().all(within));
        }
        if let Some(belief) = view.belief() {
            tally
                .stated_shortfall
                .push(belief.shortfall_of(leader) / truth.sd);
            tally.true_shortfall.push((best - mean(leader)) / truth.sd);
        }
    }

    /// Returns the anytime-valid interval of the leader's difference from an arm, one of the
    /// intervals of all pairs that hold together.
    fn by_turn(&self, leader: ArmId, arm: ArmId) -> Option<(f64, f64)> {
        let [x, y] = [leader, arm].map(|arm| self.scores[arm.index()].iter());
        let differences: Vec<f64> = x.zip(y).map(|(x, y)| x.1 - y.1).collect();
        let arms = self.scores.len() as f64;
        let pairs = arms * (arms - 1.0) / 2.0;
        difference_interval(&differences, None, None, (1.0 - self.truth.level) / pairs)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let families = families(&arguments.family)?;
    posterior::posterior_by_name(&arguments.posterior, 2)?;
    let mut rows = Vec::new();
    for family in &families {
        rows.push(row(arguments, family)?);
        eprintln!("{}", family.name);
    }
    let columns = [
        ("<family", "{family}"),
        ("gap", "{gap_in_sds:.2}"),
        ("stopped", "{stopped}"),
        ("leader, posterior", "{leader_by_posterior:%1}"),
        ("leader, t", "{leader_by_t:%1}"),
        ("others, posterior", "{others_by_posterior:%1}"),
        ("others, t", "{others_by_t:%1}"),
        ("differences, posterior", "{differences_by_posterior:%1}"),
        ("differences, t", "{differences_by_t:%1}"),
        ("all differences, anytime-valid", "{anytime:%1}"),
        ("tied", "{tied}"),
        ("ties within", "{tie:%1}"),
        ("shortfall stated", "{stated_shortfall:.4}"),
        ("true", "{true_shortfall:.4}"),
    ];
    arguments.each.output.show_rows("coverage", &rows, &columns)
}

fn row(arguments: &Arguments, family: &Family) -> Result<Row, Failure> {
    let members = family.problem.members();
    let arms = members.len();
    rule(&arguments.stopping, arguments.confidence, arms)?;
    let means: Vec<f64> = members.iter().map(SyntheticArm::true_mean).collect();
    let truth = Arc::new(Truth {
        sd: sd_of_the_best_two(family, &means),
        means,
        level: arguments.confidence,
    });
    let tally = Arc::new(Mutex::new(Tally::default()));
    let noting = || Noting {
        rule: rule(&arguments.stopping, arguments.confidence, arms).expect("it was built before"),
        truth: Arc::clone(&truth),
        tally: Arc::clone(&tally),
        scores: vec![Vec::new(); arms],
    };
    let make_posterior = |arms: usize| -> Box<dyn Observe<f64>> {
        posterior::posterior_by_name(&arguments.posterior, arms).expect("its name was checked")
    };
    let name = resolve("auto", &arguments.stopping, &arguments.posterior);
    let make_policy = makers::policy(name, Parameters::of(arms))?;
    let simulation = family
        .simulation(arguments.each.number)
        .seed(arguments.each.seed);
    simulation.confidence(make_posterior, make_policy, &[noting])?;
    let tally = tally.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Row {
        family: family.name.clone(),
        gap_in_sds: family.gap_in_sds(),
        stopped: tally.leader_by_posterior.of,
        tally,
    })
}

/// Returns the standard deviation of the difference between one evaluation of each of the best two
/// arms.
fn sd_of_the_best_two(family: &Family, means: &[f64]) -> f64 {
    let mut ranked: Vec<usize> = (0..means.len()).collect();
    ranked.sort_by(|&a, &b| means[b].total_cmp(&means[a]));
    let members = family.problem.members();
    members[ranked[0]].paired_sd(&members[ranked[1]], family.problem.noise(), family.design)
}
