//! Sums over the runs of a row: errors, evaluations, and their standard errors.

use super::{Estimate, OfArm, Priced, Row};
use fiesta_policies::simulate::SimulationSummary;

/// Sums over the runs at one confidence.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) runs: u64,
    pub(super) evaluations: Moment,
    pub(super) cost: Moment,
    pub(super) wrong: u64,
    pub(super) tied: u64,
    pub(super) capped: u64,
}

/// The sums of a quantity and of its square.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moment {
    pub(super) runs: f64,
    pub(super) sum: f64,
    pub(super) squares: f64,
}

impl Moment {
    pub(super) fn add(&mut self, runs: u64, mean: f64, standard_error: f64) {
        let runs = runs as f64;
        let spread = standard_error * runs.sqrt();
        self.runs += runs;
        self.sum += mean * runs;
        self.squares += (mean * mean + spread * spread) * runs;
    }

    pub(super) fn estimate(self) -> Estimate {
        let mean = self.sum / self.runs;
        let variance = (self.squares / self.runs - mean * mean).max(0.0);
        Estimate {
            mean,
            standard_error: (variance / self.runs).sqrt(),
        }
    }
}

impl Sums {
    pub(super) fn add(&mut self, summary: &SimulationSummary) {
        self.runs += summary.runs;
        let (mean, error) = (summary.mean, summary.standard_error);
        self.evaluations.add(summary.runs, mean, error);
        let (mean, error) = (summary.cost, summary.cost_standard_error);
        self.cost.add(summary.runs, mean, error);
        self.wrong += summary.wrong;
        self.tied += summary.tied;
        self.capped += summary.capped;
    }

    pub(super) fn wrong(&self) -> Estimate {
        Estimate::share(self.wrong as f64 / self.runs as f64, self.runs)
    }

    pub(super) fn row(
        &self,
        name: &str,
        sets: &[&[OfArm]],
        (policy, confidence): (&str, f64),
        priced: Option<Priced>,
    ) -> Row {
        let cells = sets.first().map_or(0, |set| {
            set.iter().map(|(_, answers)| answers.len() as u64).sum()
        });
        let evaluations = self.evaluations.estimate();
        Row {
            arms: name.to_owned(),
            cells,
            policy: match policy {
                "auto" => "pool".to_owned(),
                named => named.to_owned(),
            },
            confidence,
            share: evaluations.mean / cells as f64,
            evaluations,
            wrong: self.wrong(),
            tied: self.tied as f64 / self.runs as f64,
            runs: self.runs,
            varying: None,
            priced,
        }
    }
}
