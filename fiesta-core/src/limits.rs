//! Limits: what a study may spend.

use crate::{ArmId, View};

/// A limit on what a study may spend.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Limit {
    /// So many evaluations, failed ones included.
    Evaluations(u64),
    /// So much cost, in the study's unit.
    Cost(f64),
    /// So many seconds of wall-clock time.
    Wall(f64),
}

/// The limits of a study; the first one reached ends it. They hold with evaluations in flight, each expected to
/// cost what its arm has cost on average so far: none is started once the cheapest arm would exceed one of
/// them. A dearer arm may then still exceed a cost limit, by less than its one evaluation, and what starts
/// before any cost is known is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// At most so many evaluations, failed ones included.
    pub evaluations: Option<u64>,
    /// At most so much cost, in the study's unit.
    pub cost: Option<f64>,
    /// At most so many seconds of wall-clock time; running evaluations are then given up.
    pub wall: Option<f64>,
}

/// What limits say about starting another evaluation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Room {
    /// There is room.
    Free,
    /// Perhaps, when what is running has ended.
    Later,
    /// None any more.
    Spent(Limit),
}

/// Sums of costs are compared with this relative tolerance.
const ROUNDING: f64 = 1e-9;

impl Limits {
    pub(crate) fn room(&self, view: &View<'_>) -> Room {
        let running = view.total_pending();
        // With every document queried there is nothing that a limit could keep from starting: the collection ends the study.
        if running == 0 && view.with_case_left().next().is_none() {
            return Room::Free;
        }
        if let Some(limit) = self.wall
            && view.clock() >= limit
        {
            return Room::Spent(Limit::Wall(limit));
        }
        let exhausted = self.exhausted(view, running);
        match exhausted {
            None => Room::Free,
            Some(_) if running > 0 => Room::Later,
            Some(limit) => Room::Spent(limit),
        }
    }

    /// The limit that another evaluation would exceed if everything running ended as expected.
    fn exhausted(&self, view: &View<'_>, running: u64) -> Option<Limit> {
        if let Some(limit) = self.evaluations
            && view.total_ended() + running >= limit
        {
            return Some(Limit::Evaluations(limit));
        }
        if let Some(limit) = self.cost {
            let committed: f64 = ArmId::all(view.arms())
                .map(|arm| view.pending(arm) as f64 * expected_cost(view, arm))
                .sum();
            let cheapest = view
                .with_case_left()
                .map(|arm| expected_cost(view, arm))
                .fold(f64::INFINITY, f64::min);
            let spent = view.total_cost() + committed;
            if spent + cheapest > limit * (1.0 + ROUNDING) {
                return Some(Limit::Cost(limit));
            }
        }
        None
    }
}

/// The mean cost of the arm's evaluations, or of all evaluations before its first has ended.
fn expected_cost(view: &View<'_>, arm: ArmId) -> f64 {
    if view.costs(arm).count() > 0 {
        return view.costs(arm).mean();
    }
    match view.total_ended() {
        0 => 0.0,
        ended => view.total_cost() / ended as f64,
    }
}
