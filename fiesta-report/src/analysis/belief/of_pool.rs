//! Table and intervals of a belief about a pool of items: means over the whole pool.

use super::{BeliefReport, INTERVAL};
use crate::{
    analysis::{
        PoolOrigin,
        pool::{ArmOfPool, PoolReport},
    },
    figure::Estimate,
    percent,
};
use fiesta_core::Target;
use std::cmp::Ordering;

/// Caption of the table of groups.
const GROUPS: &str =
    "by group: means of the answers given (how many), which describe and claim nothing";
/// Error of a claim from which on sentences do not state it.
const SAID: f64 = 0.25;
impl BeliefReport {
    /// Takes over the pool's report: what is known of every arm's mean over the pool, probabilities, tables and notes.
    pub(super) fn show_pool(&mut self, pool: PoolReport) {
        // Differences of a pool are those of its own report.
        for arm in &mut self.arms {
            arm.behind_best = None;
        }
        // Of items like these it is one number, wherever it is printed, with clusters or without.
        if pool.target == Target::ItemsLikeThese {
            for (arm, known) in self.arms.iter_mut().zip(&pool.arms) {
                let p = known.probability_on_items_like_these;
                arm.probability_best = p.unwrap_or(arm.probability_best);
            }
        }
        let probability: Vec<f64> = self.arms.iter().map(|arm| arm.probability_best).collect();
        let mut order: Vec<usize> = (0..self.arms.len()).collect();
        let mean = |place: usize| {
            let mean = pool.arms[place].mean;
            mean.map(|mean| self.direction.orient(mean))
        };
        order.sort_by(|&a, &b| {
            let by_mean = mean(b).partial_cmp(&mean(a)).unwrap_or(Ordering::Equal);
            probability[b].total_cmp(&probability[a]).then(by_mean)
        });
        let best = order.first().copied();
        let is_best = |place: usize| {
            let tied = self.tied.as_ref().filter(|tied| !tied.is_empty());
            match tied {
                Some(tied) => tied.contains(&self.arms[place].name),
                None => Some(place) == best,
            }
        };
        self.table = pool.table(&self.metric, &order, is_best);
        if pool.origin == PoolOrigin::File && pool.missing.is_some() {
            // Means over the pool are not known: those of the answers stay.
            self.estimated = "mean of an arm's own answers, 95 % t interval";
            return self.show_groups(pool, &order);
        }
        self.estimated = "mean over the pool, 95 % posterior interval";
        let estimate = |(place, arm): (usize, &ArmOfPool)| {
            let interval = pool.interval(place, INTERVAL)?;
            Some(Estimate::new(arm.mean?, Some(interval)))
        };
        self.estimates = pool.arms.iter().enumerate().map(estimate).collect();
        self.show_groups(pool, &order);
    }

    fn show_groups(&mut self, pool: PoolReport, order: &[usize]) {
        if let Some(groups) = &pool.groups {
            let name = |&place: &usize| pool.arms[place].name.as_str();
            let names: Vec<&str> = order.iter().map(name).collect();
            self.groups = Some(groups.table(&names).note(GROUPS));
        }
        self.pool = Some(pool);
    }
}

impl PoolReport {
    /// States the error of a study that looks after every answer and names the leader now. `None`
    /// if that error is large.
    pub(crate) fn claim_sentence(&self) -> Option<String> {
        let claim = self.claim.as_ref().filter(|_| !self.is_complete());
        // While it is undecided, this is near 1 and says no more than that.
        let claim = claim.filter(|claim| claim.error < SAID)?;
        let [leader] = &claim.arms[..] else {
            return None;
        };
        Some(format!(
            "named now by a study that looks after every answer, {leader} would be wrong in about {} of such studies",
            percent(claim.error)
        ))
    }
}
