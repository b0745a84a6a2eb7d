//! Table and headline of a belief from means with their spread.

use super::{ArmBelief, BeliefReport};
use crate::{
    Percentages, Table, TableOf,
    arm_table::{less_arm, signed_ends},
    percent,
    words::{decimals, signed},
};
use fiesta_core::ArmId;

impl BeliefReport {
    /// Returns the headline of a belief from means. `None` of any other.
    pub(super) fn headline_of_means(&self) -> Option<String> {
        let (means, leader) = (self.means.as_ref()?, self.leader()?);
        let sets = match means.data_sets.len() {
            0 => String::new(),
            sets => format!(" on the average of these {sets} data sets"),
        };
        Some(format!(
            "{} is best{sets} with {} posterior probability, as if independent: what splits shared is lost in a table of means\n",
            leader.name,
            percent(leader.probability_best)
        ))
    }

    /// Returns the arm that is most probably best; of several the one with the best mean.
    pub(super) fn best_of_means(&self) -> Option<ArmId> {
        self.ranked_by_means().first().copied().map(ArmId::new)
    }

    /// The places of the arms from the best to the worst.
    fn ranked_by_means(&self) -> Vec<usize> {
        let mean = |place: usize| {
            let mean = self.arms[place].mean.unwrap_or_default();
            self.direction.orient(mean)
        };
        let p = |place: usize| self.arms[place].probability_best;
        let mut ranked: Vec<usize> = (0..self.arms.len()).collect();
        ranked.sort_by(|&a, &b| p(b).total_cmp(&p(a)).then(mean(b).total_cmp(&mean(a))));
        ranked
    }

    /// The arms from the best to the worst, with the differences of the best to each.
    pub(super) fn table_of_means(&self) -> Table {
        let ranked = self.ranked_by_means();
        let digits = decimals(self.arms.iter().filter_map(|arm| arm.standard_error));
        let has_n = self.arms.iter().any(|arm| arm.evaluations > 0);
        let best = ranked.first().copied();
        let behind = less_arm(best.map_or("", |best| &self.arms[best].name));
        let belief: Vec<f64> = self.arms.iter().map(|arm| arm.probability_best).collect();
        let percentages = Percentages::new(&belief);
        let rows = ranked.into_iter().map(|place| (place, &self.arms[place]));
        let mean = |arm: &ArmBelief| {
            let [mean, error] = [arm.mean, arm.standard_error].map(Option::unwrap_or_default);
            format!("{mean:.digits$} ± {error:.digits$}")
        };
        TableOf::new(rows)
            .words("arm", |(_, arm)| arm.name.clone())
            .numbers("P(best)", |(place, _)| percentages.of(*place))
            .when(has_n, |table| {
                table.numbers("evaluations", |(_, arm)| {
                    Some(arm.evaluations).filter(|&n| n > 0)
                })
            })
            .numbers("mean ± se", |(_, arm)| mean(arm))
            .numbers(&behind, |(_, arm)| {
                arm.behind_best.map(|of| signed(of.difference, digits))
            })
            .numbers("95 % interval", |(_, arm)| {
                let interval = arm.behind_best.and_then(|of| of.interval());
                interval.map(|interval| signed_ends(interval, digits))
            })
            .bold(|(place, _)| Some(*place) == best)
            .table()
            .dispensable(&["95 % interval", &behind])
    }
}
