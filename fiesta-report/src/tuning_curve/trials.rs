//! Trials as they were started, some of which may have failed.

use super::{
    CurveError,
    trial_scores::{TrialScores, check},
};
use fiesta_core::Direction;

/// A trial that was started.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Trial {
    /// Score of the trial; none if it failed.
    pub score: Option<f64>,
    /// Duration of the trial, in seconds or whatever unit time has.
    pub duration: Option<f64>,
}

/// Treatment of a trial that failed: what it counts as. There is no default: every choice changes
/// the curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Failed {
    /// The failed trial counts with the worst score that is possible, or where that is not known,
    /// the worst that was observed: n counts all trials that are started. The honest choice where
    /// whoever tunes cannot know beforehand which settings fail.
    Worst,
    /// A failed trial is no trial: the curve is that of trials that end with a score, and n counts
    /// these. They still cost: a score takes as many trials as there were for each score, and the
    /// time of all of them.
    Drop,
    /// A failed trial is an error.
    Error,
}

/// Finds the worst score: that of the bounds, or else of those that were observed. `None` without
/// bounds and without a score.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_report::tuning_curve::worst_score;
/// assert_eq!(worst_score([0.7, 0.5], Direction::Maximize, None), Some(0.5));
/// assert_eq!(worst_score([0.7, 0.5], Direction::Minimize, Some((0.0, 1.0))), Some(1.0));
/// ```
pub fn worst_score(
    observed: impl IntoIterator<Item = f64>,
    direction: Direction,
    bounds: Option<(f64, f64)>,
) -> Option<f64> {
    let worse = |a: &f64, b: &f64| direction.orient(*a).total_cmp(&direction.orient(*b));
    match bounds {
        Some((low, high)) => [low, high].into_iter().min_by(worse),
        None => observed.into_iter().min_by(worse),
    }
}

fiesta_core::names! {
    Failed {
        Worst = "worst", Drop = "drop", Error = "error"
    }
    /// A name that is not the name of any way to count failures.
    #[error("`{0}` is no way to count failed trials: use worst, drop or error")]
    UnknownFailed
}

/// The trials of one arm, with a stated choice of what failures count as.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_report::tuning_curve::{Estimator, Failed, Trial, ArmTrials};
///
/// let trials = [
///     Trial { score: Some(0.8), duration: Some(60.0) },
///     Trial { score: Some(0.6), duration: Some(50.0) },
///     Trial { score: None, duration: Some(10.0) },
/// ];
/// let worst = ArmTrials::new(&trials, Direction::Maximize, Some((0.0, 1.0)), Failed::Worst)?;
/// assert_eq!((worst.started(), worst.failed(), worst.scores().count()), (3, 1, 3));
/// assert_eq!(worst.scores().worst(), 0.0);
/// assert_eq!(worst.time_of(2.0), Some(80.0)); // two of 40 seconds each
///
/// let dropped = ArmTrials::new(&trials, Direction::Maximize, Some((0.0, 1.0)), Failed::Drop)?;
/// assert_eq!((dropped.started(), dropped.scores().count()), (3, 2));
/// assert_eq!(dropped.time_of(2.0), Some(120.0)); // two scores took all three trials
/// # Ok::<(), fiesta_report::tuning_curve::CurveError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ArmTrials {
    sample: TrialScores,
    started: usize,
    failed: usize,
    choice: Failed,
    mean_duration: Option<f64>,
}

impl ArmTrials {
    /// Returns the trials of one arm, all that were started; `bounds` are the smallest and the
    /// largest score that is possible. Without them the worst score is the worst of these trials.
    ///
    /// # Errors
    /// [`CurveError`] with the position of the trial, from 1: a score that is not finite, too
    /// large or outside the bounds; a duration that is none; a failure where those are errors. Also
    /// if there is no trial, or none that gives a score.
    pub fn new(
        trials: &[Trial],
        direction: Direction,
        bounds: Option<(f64, f64)>,
        failed: Failed,
    ) -> Result<Self, CurveError> {
        let scores = trials.iter().filter_map(|trial| trial.score);
        let worst = worst_score(scores, direction, bounds);
        Self::beside(trials, direction, bounds, failed, worst)
    }

    /// Takes the trials of one arm beside other arms, of all of which `worst` is the
    /// [worst score](worst_score).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn beside(
        trials: &[Trial],
        direction: Direction,
        bounds: Option<(f64, f64)>,
        failed: Failed,
        worst: Option<f64>,
    ) -> Result<Self, CurveError> {
        for (trial, position) in trials.iter().zip(1..) {
            check_trial(trial, position, bounds, failed)?;
        }
        let started = trials.len();
        let mut scores: Vec<f64> = trials.iter().filter_map(|trial| trial.score).collect();
        let failures = started - scores.len();
        if failures > 0 && failed == Failed::Worst {
            let worst = worst.ok_or_else(|| {
                all_failed(started, ", unless bounds say what the worst score is")
            })?;
            scores.resize(started, worst);
        }
        if scores.is_empty() && started > 0 {
            return Err(all_failed(started, ""));
        }
        Ok(Self {
            sample: TrialScores::new(scores, direction)?,
            started,
            failed: failures,
            choice: failed,
            mean_duration: mean_duration(trials),
        })
    }

    /// Returns the scores of the trials, those of failures included where they have one.
    pub fn scores(&self) -> &TrialScores {
        &self.sample
    }

    /// Returns B, all trials that were started, failed ones included.
    pub fn started(&self) -> usize {
        self.started
    }

    /// Returns how many trials failed.
    pub fn failed(&self) -> usize {
        self.failed
    }

    /// Returns what failures count as.
    pub fn choice(&self) -> Failed {
        self.choice
    }

    /// Returns the mean duration of all trials that were started; none if that of any is not known.
    pub fn mean_duration(&self) -> Option<f64> {
        self.mean_duration
    }

    /// Returns how many trials have to be started, on average, for one that n counts: 1, but more
    /// where failures are dropped.
    pub(crate) fn starts_each(&self) -> f64 {
        match self.choice {
            Failed::Drop => self.started as f64 / self.sample.count() as f64,
            _ => 1.0,
        }
    }

    /// Returns how long n trials take, on the time axis: n times the mean duration of all trials
    /// that were started, and where failures are dropped, which n does not count, as many times as
    /// trials are started for each score.
    pub fn time_of(&self, n: f64) -> Option<f64> {
        self.mean_duration
            .map(|duration| n * duration * self.starts_each())
    }
}

/// Returns the error for trials that all failed: `unless` says what would give them a score.
fn all_failed(started: usize, unless: &str) -> CurveError {
    CurveError::Refused(format!(
        "all {started} trials failed: there is no curve of them{unless}"
    ))
}

fn check_trial(
    trial: &Trial,
    position: usize,
    bounds: Option<(f64, f64)>,
    failed: Failed,
) -> Result<(), CurveError> {
    let refused = |why: String| Err(CurveError::Refused(why));
    match (trial.score, bounds) {
        (None, _) if failed == Failed::Error => {
            return refused(format!(
                "trial {position} failed: count failed trials as `worst`, or `drop` them and have the curve of those that succeed"
            ));
        }
        (Some(score), Some((lower, upper))) if !(lower..=upper).contains(&score) => {
            check(position, score)?;
            return refused(format!(
                "the score {score} of trial {position} is outside the bounds [{lower}, {upper}]"
            ));
        }
        (Some(score), _) => check(position, score)?,
        (None, _) => {}
    }
    match trial.duration {
        Some(duration) if !(duration.is_finite() && duration >= 0.0) => refused(format!(
            "trial {position} took {duration}, which is no duration: give a number from 0"
        )),
        _ => Ok(()),
    }
}

fn mean_duration(trials: &[Trial]) -> Option<f64> {
    let sum: Option<f64> = trials.iter().map(|trial| trial.duration).sum();
    sum.filter(|_| !trials.is_empty())
        .map(|sum| sum / trials.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(scores: &[Option<f64>]) -> Vec<Trial> {
        let trial = |&score| Trial {
            score,
            duration: None,
        };
        scores.iter().map(trial).collect()
    }

    #[test]
    fn failures_are_the_worst_possible_or_the_worst_observed() {
        let scores = trials(&[Some(0.5), None, Some(0.7)]);
        let worst = |direction, bounds| {
            ArmTrials::new(&scores, direction, bounds, Failed::Worst)
                .unwrap()
                .scores()
                .worst()
        };
        let bounds = Some((0.0, 2.0));
        let found = [
            worst(Direction::Maximize, bounds),
            worst(Direction::Minimize, bounds),
            worst(Direction::Maximize, None),
            worst(Direction::Minimize, None),
        ];
        assert!(
            found
                .iter()
                .zip([0.0, 2.0, 0.5, 0.7])
                .all(|(a, b)| (a - b).abs() < 1e-15)
        );
    }

    #[test]
    fn says_what_is_wrong_with_which_trial() {
        let error = |scores: &[Option<f64>], bounds, failed| {
            ArmTrials::new(&trials(scores), Direction::Maximize, bounds, failed)
                .unwrap_err()
                .to_string()
        };
        assert!(error(&[], None, Failed::Worst).contains("no score"));
        assert!(error(&[Some(0.1), None], None, Failed::Error).contains("trial 2 failed"));
        assert!(error(&[None, None], None, Failed::Worst).contains("unless bounds"));
        assert!(error(&[None], Some((0.0, 1.0)), Failed::Drop).contains("all 1 trials failed"));
        assert!(error(&[None, Some(f64::NAN)], None, Failed::Drop).contains("score 2 is NaN"));
        assert!(error(&[Some(2.0)], Some((0.0, 1.0)), Failed::Drop).contains("outside"));
        let negative = Trial {
            score: Some(0.0),
            duration: Some(-1.0),
        };
        assert!(ArmTrials::new(&[negative], Direction::Maximize, None, Failed::Error).is_err());
    }

    #[test]
    fn one_unknown_duration_leaves_the_time_unknown() {
        let mut all = trials(&[Some(0.1), Some(0.2)]);
        all[0].duration = Some(3.0);
        let time = |all: &[Trial]| {
            ArmTrials::new(all, Direction::Maximize, None, Failed::Error)
                .unwrap()
                .time_of(4.0)
        };
        assert_eq!(time(&all), None);
        all[1].duration = Some(0.0);
        assert_eq!(time(&all), Some(6.0));
        all.push(Trial {
            score: None,
            duration: Some(6.0),
        });
        let time = |failed| {
            ArmTrials::new(&all, Direction::Maximize, None, failed)
                .unwrap()
                .time_of(4.0)
        };
        assert_eq!(
            (time(Failed::Worst), time(Failed::Drop)),
            (Some(12.0), Some(18.0))
        );
    }
}
