//! Questions to a policy's process: all data that a policy may use.

use super::Asked;
use fiesta_core::{ArmId, Direction, View};
use serde::Serialize;

/// A question, a line of JSON.
#[derive(Debug, Serialize)]
pub(super) struct Question<'a> {
    /// Random number below 2⁵³, for this decision alone.
    seed: u64,
    /// Whether larger or smaller scores are better.
    direction: Direction,
    /// Number of evaluations that have ended.
    ended: u64,
    /// Number of evaluations that run.
    running: u64,
    /// Cost of all evaluations so far.
    cost: f64,
    arms: Vec<ArmNow<'a>>,
}

/// Facts about an arm, with scores as they were reported.
#[derive(Debug, Serialize)]
struct ArmNow<'a> {
    name: &'a str,
    /// Whether the arm can be chosen now.
    candidate: bool,
    observed: u64,
    failed: u64,
    pending: u64,
    /// Posterior mean, and the scale of its distribution. `None` while too little is known.
    mean: Option<f64>,
    scale: Option<f64>,
    /// Probability that the arm is the best. `None` while too little is known.
    probability: Option<f64>,
    /// Expected cost of another evaluation of the arm.
    cost: f64,
    /// Items that the arm can be asked, in the order in which it gets them. `None` without a pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<&'a str>>,
}

impl<'a> Question<'a> {
    pub(super) fn new(view: &View<'_>, asked: &'a Asked, seed: u64) -> Self {
        let belief = view.belief();
        let item = |&number: &u64| {
            let place = usize::try_from(number).ok()?;
            asked.items.get(place).map(String::as_str)
        };
        let open = |arm| {
            let pool = view.pool().iter();
            let open = pool.filter(|&&number| view.case_of(arm, number).is_some());
            open.filter_map(item).collect()
        };
        let of_arm = |(arm, name): (ArmId, &'a String)| ArmNow {
            name,
            candidate: view.candidates().contains(&arm) && view.has_case_left(arm),
            observed: view.observed(arm),
            failed: view.failed(arm),
            pending: view.pending(arm),
            mean: view.mean(arm).map(|mean| asked.direction.orient(mean)),
            scale: view.marginal(arm).map(|marginal| marginal.scale),
            probability: belief.map(|belief| belief.of(arm)),
            cost: view.expected_cost(arm),
            items: (!view.pool().is_empty()).then(|| open(arm)),
        };
        Self {
            seed,
            direction: asked.direction,
            ended: view.total_ended(),
            running: view.total_pending(),
            cost: view.total_cost(),
            // Those that were added later come last.
            arms: ArmId::all(view.arms())
                .zip(&asked.arms)
                .map(of_arm)
                .collect(),
        }
    }

    pub(super) fn line(&self) -> String {
        let text = serde_json::to_string(self).expect("names and numbers can be written");
        text + "\n"
    }
}
