//! P(best) over the evaluations of a study, in a bounded number of points.

use crate::ledger::Entry;
use fiesta_core::{ArmId, EvaluationId, Outcome, View};
use fiesta_report::analysis::study::BeliefPath;

/// Largest number of points of a history of beliefs, as a figure has no room for more.
const POINTS: usize = 200;

/// Point of the trace: for each arm, its number of ended evaluations, and its P(best).
type Point = (Vec<u64>, Vec<f64>);

/// Beliefs after some evaluations, at about equal distances. When there are twice as many points as
/// a figure shows, every second one is dropped, and the distance doubles.
#[derive(Debug, Clone)]
pub(crate) struct BeliefTrace {
    /// Number of evaluations between two points.
    every: usize,
    /// Number of evaluations since the last point.
    since: usize,
    /// Number of evaluations that have ended.
    ended: usize,
    points: Vec<Point>,
}

impl BeliefTrace {
    /// Starts an empty trace of P(best). Its points are as many evaluations apart as give at most
    /// [`POINTS`] points for `ended` evaluations.
    pub(crate) fn of(ended: usize) -> Self {
        Self {
            every: ended.div_ceil(POINTS).max(1),
            since: 0,
            ended: 0,
            points: Vec::new(),
        }
    }

    /// Counts one more evaluation that has ended.
    pub(crate) fn count(&mut self) {
        self.since += 1;
        self.ended += 1;
    }

    /// Whether enough evaluations have ended for the next point.
    pub(crate) fn is_due(&self) -> bool {
        self.since >= self.every
    }

    /// Adds a point, if enough evaluations have ended and there is a belief.
    pub(crate) fn note(&mut self, view: &View<'_>, arms: usize) {
        if !self.is_due() {
            return;
        }
        self.since = 0;
        self.points.extend(point(view, arms));
        if self.points.len() >= 2 * POINTS {
            let mut place = 0;
            self.points.retain(|_| {
                place += 1;
                place % 2 == 0
            });
            self.every *= 2;
        }
    }

    /// Returns the points so far, and one for the present.
    pub(crate) fn path(&self, now: &View<'_>, arms: usize) -> BeliefPath {
        let mut points = self.points.clone();
        if let Some(now) = point(now, arms) {
            let total = |point: &Point| point.0.iter().sum::<u64>();
            points.retain(|earlier| total(earlier) < total(&now));
            points.push(now);
        }
        for (evaluations, probability) in &mut points {
            // Arms that were added later.
            evaluations.resize(arms, 0);
            probability.resize(arms, 0.0);
        }
        BeliefPath {
            points,
            evaluations: self.ended,
        }
    }
}

/// Returns each arm's number of ended evaluations, with failed ones, and its P(best). `None` while
/// too little is known.
pub(crate) fn point(view: &View<'_>, arms: usize) -> Option<Point> {
    let mut probability = view.belief()?.probability.clone();
    let ended = ArmId::all(view.arms()).map(|arm| view.observed(arm) + view.failed(arm));
    let mut evaluations: Vec<u64> = ended.collect();
    // Arms that were added later.
    evaluations.resize(arms, 0);
    probability.resize(arms, 0.0);
    Some((evaluations, probability))
}

/// Returns the evaluation that an entry ends, and whether it counts.
pub(super) fn ended_by(entry: &Entry) -> Option<(EvaluationId, bool)> {
    match entry {
        Entry::Ended {
            evaluation,
            outcome,
            ..
        } => Some((*evaluation, !matches!(outcome, Outcome::Withdrawn))),
        Entry::Recorded { evaluation, .. } => Some((evaluation.id, true)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Study, history::History};
    use fiesta_core::{Case, Evaluation, Event, Observation};

    #[test]
    fn a_path_has_a_bounded_number_of_points_at_equal_distances() {
        let text = "name = \"t\"\n[metric]\nname = \"score\"\n[executor]\nkind = \"functions\"\n\
                    [[arm]]\nname = \"a\"\n[[arm]]\nname = \"b\"\n";
        let study = Study::in_memory(text, "/".as_ref()).unwrap();
        let mut history = History::begin(&study).unwrap();
        let mut trace = BeliefTrace::of(0);
        for number in 0..5_000_u64 {
            let (arm, split) = (ArmId::new(usize::from(number % 2 == 1)), number / 2);
            let case = Case { split, seed: split };
            let (id, score) = (EvaluationId(number), 0.5 + (number % 7) as f64 / 100.0);
            let evaluation = Evaluation { id, arm, case };
            history
                .selector
                .accept(&fiesta_core::Ask::Evaluate(evaluation));
            let outcome = Outcome::Observed(Observation::Score(score));
            let ended = Event::Ended {
                id,
                outcome,
                cost: 1.0,
            };
            history.selector.tell(ended).unwrap();
            trace.count();
            trace.note(&history.selector.view(), 2);
        }
        let path = trace.path(&history.selector.view(), 2);
        assert_eq!(path.evaluations, 5_000);
        assert!(
            (POINTS..=2 * POINTS).contains(&path.points.len()),
            "{}",
            path.points.len()
        );
        let totals: Vec<u64> = path
            .points
            .iter()
            .map(|point| point.0.iter().sum())
            .collect();
        assert!(totals.is_sorted_by(|a, b| a < b));
        assert_eq!(totals.last(), Some(&5_000));
        let steps: Vec<u64> = totals.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let (shortest, longest) = (steps[..steps.len() - 1].iter().min(), steps.iter().max());
        assert!(
            longest <= shortest.map(|step| 2 * step).as_ref(),
            "{steps:?}"
        );
    }
}
