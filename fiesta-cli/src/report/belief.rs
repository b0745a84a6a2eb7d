//! P(best) of the arms in a report, and its history over the evaluations.

use super::evaluations::Evaluations;
use crate::{exit::Failure, platform::Recorded};
#[cfg(target_os = "linux")]
use fiesta::{
    core::Outcome,
    runner::{History, Ledger, history::Check, ledger::Entry},
};
use fiesta::{
    core::{ArmId, Case, Direction, Marginal, Method, Posterior, View},
    posterior::{self, student},
};

/// Points of a history that are shown at most; a picture has no room for more.
const POINTS: usize = 200;

/// What is believed of the arms.
#[derive(Debug, Clone, Default)]
pub(super) struct Believed {
    /// P(best) of each arm; none where too little is known.
    pub(super) probability: Vec<Option<f64>>,
    /// P(the row's mean is better than the column's).
    pub(super) better: Option<Vec<Vec<f64>>>,
    /// The posterior's name.
    pub(super) posterior: String,
    /// How exact the probabilities are, in words.
    pub(super) accuracy: Option<String>,
    /// Why there is none.
    pub(super) lacking: Option<String>,
    /// How it came about, evaluation by evaluation.
    pub(super) path: Path,
}

/// A belief on its way.
#[derive(Debug, Clone, Default)]
pub(super) struct Path {
    /// Every arm's evaluations so far and its P(best).
    pub(super) points: Vec<(Vec<u64>, Vec<f64>)>,
    /// Of how many points these are some.
    pub(super) of: usize,
}

impl Believed {
    /// P(best) of all arms, if it is known of each.
    pub(super) fn all(&self) -> Option<Vec<f64>> {
        self.probability.iter().copied().collect()
    }

    /// That of a study, as its ledger leads to it.
    pub(super) fn of_study(recorded: &Recorded) -> Result<Self, Failure> {
        let (study, history) = (&recorded.study, &recorded.history);
        let arms = study.arms().len();
        let view = history.selector.view();
        if study.search().is_some() {
            return Ok(Self {
                probability: vec![None; arms],
                posterior: study.posterior().to_owned(),
                lacking: Some(
                    "a random search compares the best of many trials, not means".to_owned(),
                ),
                ..Self::default()
            });
        }
        let belief = view.belief();
        let lacking = "too few evaluations have ended: the posterior needs more of some arm";
        Ok(Self {
            probability: ArmId::all(arms)
                .map(|arm| belief.map(|belief| belief.of(arm)))
                .collect(),
            better: matrix(arms, |a, b| view.difference(a, b)),
            posterior: study.posterior().to_owned(),
            accuracy: belief.map(|belief| words(belief.method, belief.absolute_error)),
            lacking: belief.is_none().then(|| lacking.to_owned()),
            #[cfg(target_os = "linux")]
            path: path(recorded)?,
            #[cfg(not(target_os = "linux"))]
            path: Path::default(),
        })
    }

    /// That of scores which exist already, under the posterior with this name.
    pub(super) fn of_scores(
        name: &str,
        evaluations: &Evaluations,
        direction: Direction,
    ) -> Result<Self, Failure> {
        let known: Vec<usize> = (0..evaluations.arms.len())
            .filter(|&arm| !evaluations.arms[arm].scores.is_empty())
            .collect();
        let lacking = |why: String| Self {
            probability: vec![None; evaluations.arms.len()],
            posterior: name.to_owned(),
            lacking: Some(why),
            ..Self::default()
        };
        let mut posterior = posterior::by_name(name, known.len().max(2))?;
        if known.len() < 2 {
            let count = if known.is_empty() { "no" } else { "only one" };
            return Ok(lacking(format!("{count} arm has a score")));
        }
        // Evaluations whose split is not known share none.
        let mut unshared = (0..=u64::MAX).rev();
        for (arm, &place) in ArmId::all(known.len()).zip(&known) {
            for (seed, (group, score)) in (0..).zip(&evaluations.arms[place].scores) {
                let case = Case {
                    split: group.or_else(|| unshared.next()).unwrap_or(0),
                    seed,
                };
                let observed = posterior.observe(arm, case, direction.orient(*score));
                observed.map_err(|error| {
                    let arm = &evaluations.arms[place].name;
                    Failure::Usage(format!("a score of `{arm}`: {error}"))
                })?;
            }
        }
        for (arm, &place) in ArmId::all(known.len()).zip(&known) {
            let of_arm = &evaluations.arms[place];
            let (has, required) = (of_arm.scores.len() as u64, posterior.required(arm));
            if has < required {
                return Ok(lacking(format!(
                    "the posterior {name} needs {required} scores of each arm that are not all equal, and {} has {has}",
                    of_arm.name
                )));
            }
        }
        let candidates: Vec<ArmId> = ArmId::all(known.len()).collect();
        let belief = posterior.belief(&candidates);
        let mut probability = vec![None; evaluations.arms.len()];
        for (arm, &place) in candidates.iter().zip(&known) {
            probability[place] = Some(belief.of(*arm));
        }
        let all_known = known.len() == evaluations.arms.len();
        Ok(Self {
            probability,
            better: matrix(known.len(), |a, b| posterior.difference(a, b)).filter(|_| all_known),
            posterior: name.to_owned(),
            accuracy: Some(words(belief.method, belief.absolute_error)),
            lacking: None,
            path: Path::default(),
        })
    }
}

fn words(method: Method, error: f64) -> String {
    match method {
        _ if error < 1e-6 => "to more digits than are shown".to_owned(),
        Method::MonteCarlo => {
            format!("by Monte Carlo, with a standard error of at most {error:.1e}")
        }
        _ => format!("by quadrature, with an error of at most {error:.1e}"),
    }
}

/// P(a > b) for every pair, if it is known of all.
fn matrix(
    arms: usize,
    difference: impl Fn(ArmId, ArmId) -> Option<Marginal>,
) -> Option<Vec<Vec<f64>>> {
    let row = |a: ArmId| {
        let cell = |b: ArmId| {
            if a == b {
                return Some(0.5);
            }
            difference(a, b).map(|marginal| above_zero(&marginal))
        };
        ArmId::all(arms).map(cell).collect::<Option<Vec<f64>>>()
    };
    ArmId::all(arms).map(row).collect()
}

fn above_zero(difference: &Marginal) -> f64 {
    let scaled = -difference.location / difference.scale;
    // What is rounded to certainty is none.
    student::upper_tail(scaled, difference.degrees_of_freedom).clamp(1e-12, 1.0 - 1e-12)
}

/// The belief after each evaluation, or after some of many, as the ledger has them.
#[cfg(target_os = "linux")]
fn path(recorded: &Recorded) -> Result<Path, Failure> {
    let study = &recorded.study;
    let entries = Ledger::read(&study.state_directory())?;
    let is_end = |entry: &Entry| match entry {
        Entry::Ended { outcome, .. } => !matches!(outcome, Outcome::Withdrawn),
        entry => matches!(entry, Entry::Recorded { .. }),
    };
    let arms = study.arms().len();
    let of = entries.iter().filter(|entry| is_end(entry)).count();
    let every = of.div_ceil(POINTS).max(1);
    let mut history = History::begin(study)?;
    let (mut seen, mut points) = (0, Vec::new());
    for entry in entries {
        let ended = is_end(&entry);
        history.take(study, entry, Check::Nothing)?;
        if !ended {
            continue;
        }
        seen += 1;
        if seen % every != 0 && seen != of {
            continue;
        }
        points.extend(point(&history.selector.view(), arms));
    }
    // The last point is what is known now, also where the study file asks for something else than the ledger's last session did.
    let now = point(&recorded.history.selector.view(), arms);
    if let (Some(last), Some(now)) = (points.last_mut(), now) {
        *last = now;
    }
    Ok(Path { points, of })
}

/// Every arm's evaluations that have ended, failed ones included, and its P(best); none while too little is known.
fn point(view: &View<'_>, arms: usize) -> Option<(Vec<u64>, Vec<f64>)> {
    let mut probability = view.belief()?.probability.clone();
    let ended = ArmId::all(view.arms()).map(|arm| view.observed(arm) + view.failed(arm));
    let mut evaluations: Vec<u64> = ended.collect();
    // Arms that were added later.
    evaluations.resize(arms, 0);
    probability.resize(arms, 0.0);
    Some((evaluations, probability))
}
