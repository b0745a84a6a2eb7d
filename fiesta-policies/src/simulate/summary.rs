//! Summary of many simulated runs: errors, evaluations, cost and time.

use super::{End, Ending, milestones::Milestone};
use fiesta_core::Moments;

/// Evaluations, cost and correctness over many runs, each until its stop. Evaluations that are
/// running then do not count as made, but what was spent on them is part of the cost.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SimulationSummary {
    /// Number of simulated runs.
    pub runs: u64,
    /// The fewest evaluations of any run.
    pub min: u64,
    /// The mean number of evaluations.
    pub mean: f64,
    /// The most evaluations of any run.
    pub max: u64,
    /// The standard error of the mean number of evaluations.
    pub standard_error: f64,
    /// Mean cost of a run: the time that workers have spent on evaluations.
    pub cost: f64,
    /// The standard error of the mean cost.
    pub cost_standard_error: f64,
    /// The mean time on the virtual clock.
    pub time: f64,
    /// The share of runs that recommended the best arm.
    pub correct: f64,
    /// The standard error of the share of correct runs, √(p(1 − p)/runs).
    pub correct_standard_error: f64,
    /// Runs that ended as arms could not be told apart, and named none.
    pub tied: u64,
    /// Runs with a tie whose verdict is false: no arm that they called equal is best, or one of
    /// them is farther below the best than the verdict says.
    pub false_ties: u64,
    /// Number of runs that ended at the cap of evaluations instead of at the goal.
    pub capped: u64,
    /// Runs in which every arm queried every document without meeting the goal: nothing more could
    /// be known.
    pub exhausted: u64,
    /// Runs whose verdict is false: they named another arm than the best, or their tie is
    /// [false](Self::false_ties). Runs that were given up at the cap or had no document left have
    /// no verdict, and do not count here.
    pub wrong: u64,
    /// Number of evaluations of each run, from the fewest to the most.
    #[cfg_attr(feature = "serde", serde(skip))]
    evaluations: Vec<u64>,
}

impl SimulationSummary {
    /// The number of evaluations within which this share of the runs ended: the least that at least
    /// `share`·runs did not exceed. 0 without runs.
    pub fn quantile(&self, share: f64) -> u64 {
        let place =
            fiesta_core::whole((share.clamp(0.0, 1.0) * self.evaluations.len() as f64).ceil());
        let place = place.max(1) - 1;
        self.evaluations.get(place).copied().unwrap_or(0)
    }
}

impl FromIterator<Ending> for SimulationSummary {
    fn from_iter<T: IntoIterator<Item = Ending>>(endings: T) -> Self {
        let mut evaluations = Moments::default();
        let mut all = Vec::new();
        let (mut costs, mut times) = (Moments::default(), Moments::default());
        let (mut min, mut max) = (u64::MAX, 0);
        let (mut correct, mut tied, mut capped, mut exhausted, mut wrong) = (0, 0, 0, 0, 0);
        let mut false_ties = 0;
        for ending in endings {
            let Milestone {
                evaluations: made,
                cost,
                time,
                ..
            } = ending.at;
            evaluations.push(made as f64);
            all.push(made);
            costs.push(cost);
            times.push(time);
            min = min.min(made);
            max = max.max(made);
            correct += u64::from(ending.correct);
            tied += u64::from(ending.end == End::Tied);
            capped += u64::from(ending.end == End::Cap);
            exhausted += u64::from(ending.end == End::Exhausted);
            let is_false_tie = !ending.holds && ending.end == End::Tied;
            false_ties += u64::from(is_false_tie);
            wrong += u64::from(is_false_tie || (!ending.holds && ending.end == End::Goal));
        }
        all.sort_unstable();
        let runs = evaluations.count();
        let share = correct as f64 / runs.max(1) as f64;
        Self {
            runs,
            min: min.min(max),
            mean: evaluations.mean(),
            max,
            standard_error: evaluations.standard_error().unwrap_or(0.0),
            cost: costs.mean(),
            cost_standard_error: costs.standard_error().unwrap_or(0.0),
            time: times.mean(),
            correct: share,
            correct_standard_error: (share * (1.0 - share) / runs.max(1) as f64).sqrt(),
            tied,
            false_ties,
            capped,
            exhausted,
            wrong,
            evaluations: all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta_core::ArmId;

    fn of(evaluations: &[u64]) -> SimulationSummary {
        let ending = |&evaluations: &u64| Ending {
            at: Milestone {
                arm: ArmId::new(0),
                evaluations,
                cost: 1.0,
                time: 1.0,
            },
            correct: true,
            holds: true,
            end: End::Goal,
        };
        evaluations.iter().map(ending).collect()
    }

    #[test]
    fn quantiles() {
        let ten = of(&[30, 10, 20, 90, 80, 70, 60, 50, 40, 100]);
        for (share, expected) in [
            (0.0, 10),
            (0.05, 10),
            (0.1, 10),
            (0.11, 20),
            (0.5, 50),
            (0.9, 90),
            (0.95, 100),
            (1.0, 100),
        ] {
            assert_eq!(ten.quantile(share), expected, "{share}");
        }
        assert_eq!(of(&[7]).quantile(0.9), 7);
        assert_eq!(of(&[]).quantile(0.9), 0);
    }
}
