//! Limits on what a study may spend: evaluations, cost and wall-clock time.

use crate::{ArmId, Design, View, whole_u64};

/// A limit on what a study may spend.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Limit {
    /// Limit of the number of evaluations, failed ones included.
    Evaluations(u64),
    /// Limit of the cost, in the study's unit.
    Cost(f64),
    /// Limit of the wall-clock time, in seconds.
    Wall(f64),
}

/// The limits of a study; the first one reached ends it, with the stopping rule's conclusion if that
/// stops then and nothing runs. They hold with evaluations in flight: none is started once it would
/// exceed one of them. What was made before the study
/// ([`Selector::record`](crate::Selector::record)) is counted by none.
///
/// - *Evaluations* are never more than the limit, however many run at once and in whichever order
///   they end.
/// - *Cost* counts attempts that were [lost](crate::Event::Lost) or withdrawn at what they cost,
///   and an evaluation in flight at what it is [expected](View::expected_cost) to cost; nothing is
///   started once the cheapest arm would exceed the limit L. With W evaluations at once, costs
///   between a and b, and declared ones as well, the total is at most L + W·(b − a): nothing beyond
///   L where costs are equal and declared. Where no cost is known at first, the first W may start
///   before any is; the total is then at most the greater of that and W·b.
/// - *Wall-clock time* ends the study at once, whatever is running.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// Most evaluations that the study may start, failed ones included. `None` if unlimited.
    pub evaluations: Option<u64>,
    /// Greatest cost, in the study's unit. `None` if unlimited.
    pub cost: Option<f64>,
    /// Longest wall-clock time, in seconds. Evaluations that run when it is over are given up.
    pub wall: Option<f64>,
}

/// State of the limits: what they say about starting another evaluation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum LimitState {
    /// The limits allow another evaluation.
    Free,
    /// The limits may allow another evaluation once a running one has ended.
    Later,
    /// The limits leave no room: this limit is reached.
    Spent(Limit),
}

/// Sums of costs are compared with this relative tolerance.
const ROUNDING: f64 = 1e-9;

impl Limits {
    /// Evaluations per arm after which a study or a simulated one ends that was given no limit:
    /// arms that are exactly equal would keep it going for ever.
    pub const CAP_PER_ARM: u64 = 100;

    /// Returns the default limits: [`CAP_PER_ARM`](Self::CAP_PER_ARM) evaluations for each of
    /// `arms` arms, and none on documents, since a collection ends by itself.
    pub fn by_default(arms: usize, design: Design) -> Self {
        Self {
            evaluations: match design {
                Design::Items { .. } => None,
                _ => Some(Self::CAP_PER_ARM.saturating_mul(arms as u64)),
            },
            ..Self::default()
        }
    }

    /// Rounds through all items of a pool after which a study or a simulated one ends that was
    /// given no limit and whose answers vary.
    pub const ROUNDS: u64 = 4;

    /// Returns the limits where nobody set any and answers [vary](crate::SelectorBuilder::repeats):
    /// [`ROUNDS`](Self::ROUNDS) evaluations for each item of each arm, as arms that are exactly
    /// equal would keep it going for ever.
    pub fn by_default_with_repeats(arms: usize, items: u64) -> Self {
        Self {
            evaluations: Some(
                (arms as u64)
                    .saturating_mul(items)
                    .saturating_mul(Self::ROUNDS),
            ),
            ..Self::default()
        }
    }

    /// Returns limits with this share of the evaluations and of the cost, and all of the time.
    pub(crate) fn share(self, share: f64) -> Self {
        let of_count = |count: u64| whole_u64(count as f64 * share);
        Self {
            evaluations: self.evaluations.map(of_count),
            cost: self.cost.map(|cost| cost * share),
            wall: self.wall,
        }
    }

    pub(crate) fn room(&self, view: &View<'_>) -> LimitState {
        let running = view.total_pending();
        // With every split or document used there is nothing that a limit could keep from starting:
        // it is their end that ends the study.
        if running == 0 && view.with_case_left().next().is_none() {
            return LimitState::Free;
        }
        if let Some(limit) = self.wall
            && view.clock() >= limit
        {
            return LimitState::Spent(Limit::Wall(limit));
        }
        let exhausted = self.exhausted(view, running);
        match exhausted {
            None => LimitState::Free,
            Some(_) if running > 0 => LimitState::Later,
            Some(limit) => LimitState::Spent(limit),
        }
    }

    /// Returns the limit that another evaluation would exceed if everything running ended as
    /// expected.
    fn exhausted(&self, view: &View<'_>, running: u64) -> Option<Limit> {
        if let Some(limit) = self.evaluations
            && view.total_made() + running >= limit
        {
            return Some(Limit::Evaluations(limit));
        }
        if let Some(limit) = self.cost {
            let committed: f64 = ArmId::all(view.arms())
                .map(|arm| view.pending(arm) as f64 * view.expected_cost(arm))
                .sum();
            let cheapest = view
                .with_case_left()
                .map(|arm| view.expected_cost(arm))
                .fold(f64::INFINITY, f64::min);
            let spent = view.total_cost() + committed;
            if spent + cheapest > limit * (1.0 + ROUNDING) {
                return Some(Limit::Cost(limit));
            }
        }
        None
    }
}
