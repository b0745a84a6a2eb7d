//! Battery of hard problems for policies, posteriors and stopping rules.
//!
//! None of them needs any data. Where arms lie is stated in units of difficulty: every rival's
//! distance from the best arm in standard deviations of the difference between one evaluation of
//! each, under the family's design.

mod families;
mod recipe;

pub use families::all_families;

use super::{Problem, Simulation, Synthetic, SyntheticArm};
use crate::plan::{Complexity, ComplexityError, complexity};
use fiesta_core::{ArmId, Design, highest};

/// Distance from which on, in standard deviations of a difference, a Bayesian rule has to keep its
/// error rate.
pub const MUST_HOLD: f64 = 0.2;

/// A problem of the battery, with the design under which it is posed.
#[derive(Debug, Clone)]
pub struct Family {
    /// The name of the family.
    pub name: String,
    /// Description of what is peculiar to the family.
    pub about: &'static str,
    /// The problem that is posed.
    pub problem: Synthetic,
    /// Design that says which splits evaluations get.
    pub design: Design,
}

impl Family {
    /// Returns a simulation of this family, with its design.
    pub fn simulation(&self, runs: u64) -> Simulation<'_> {
        Simulation::new(&self.problem, runs).design(self.design)
    }

    /// Returns how hard the best arm is to find: the least, over the rivals, of the distance of the
    /// means in standard deviations of the difference between one evaluation of each. 0 if two arms
    /// are best.
    pub fn gap_in_sds(&self) -> f64 {
        let best = self.best();
        let rival = |(index, arm): (usize, &SyntheticArm)| {
            (index != best).then(|| {
                let sd =
                    self.problem.members()[best].paired_sd(arm, self.problem.noise(), self.design);
                self.gap(arm) / sd
            })
        };
        let rivals = self.problem.members().iter().enumerate();
        rivals.filter_map(rival).fold(f64::INFINITY, f64::min)
    }

    /// Returns whether a Bayesian rule has to keep its error rate on this family. Where arms are
    /// nearly equal it is known to stop too early.
    pub fn must_hold(&self) -> bool {
        // Arms are placed to 12 digits.
        self.gap_in_sds() >= MUST_HOLD - 1e-9
    }

    /// Whether several arms are best, so that to call one of them the best is an error.
    pub fn tied(&self) -> bool {
        let arms = ArmId::all(self.problem.members().len());
        arms.filter(|&arm| self.problem.is_best(arm)).count() > 1
    }

    /// Returns whether evaluations of some arms cost more than those of others.
    pub fn unequal_costs(&self) -> bool {
        let durations = self.problem.members().iter().map(|arm| arm.duration);
        let (least, most) = durations.fold((f64::INFINITY, 0.0_f64), |(least, most), duration| {
            (least.min(duration), most.max(duration))
        });
        most > least
    }

    /// Returns the least cost of finding the best arm, and the proportions of the evaluations: see
    /// [`complexity`]. On shared splits, standard deviations are those given the split.
    ///
    /// # Errors
    /// [`ComplexityError::Tie`] if two arms are best.
    pub fn complexity(&self) -> Result<Complexity, ComplexityError> {
        let (arms, noise) = (self.problem.members(), self.problem.noise());
        let means: Vec<f64> = arms.iter().map(SyntheticArm::true_mean).collect();
        let sd = |arm: &SyntheticArm| match self.design {
            Design::Independent => arm.total_sd(noise),
            Design::Shared | Design::Fixed | Design::Items { .. } => arm.residual_sd(noise),
        };
        let sds: Vec<f64> = arms.iter().map(sd).collect();
        let costs: Vec<f64> = arms.iter().map(|arm| arm.duration).collect();
        complexity(&means, &sds, &costs)
    }

    fn best(&self) -> usize {
        highest(self.problem.members().iter().map(SyntheticArm::true_mean))
    }

    fn gap(&self, arm: &SyntheticArm) -> f64 {
        self.problem.members()[self.best()].true_mean() - arm.true_mean()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn families_have_names_and_one_best_arm_unless_tied() {
        let families = all_families();
        let names: BTreeSet<&str> = families.iter().map(|family| family.name.as_str()).collect();
        assert_eq!(names.len(), families.len(), "a name is used twice");
        for family in &families {
            let gap = family.gap_in_sds();
            assert_eq!(family.tied(), gap < 1e-9, "{}: {gap}", family.name);
            assert_eq!(
                family.complexity().is_err(),
                family.tied(),
                "{}",
                family.name
            );
            let means = family.problem.members().iter().map(|arm| arm.mean);
            assert!(
                means.into_iter().all(|mean| (0.2..0.8).contains(&mean)),
                "{}",
                family.name
            );
        }
    }
}
