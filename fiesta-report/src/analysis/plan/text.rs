//! Text of a plan: a table of evaluations at each confidence, and notes.

use super::{PlanAtConfidence, PlanReport, Planned, SimulatedStudies};
use crate::{
    Align, Table,
    words::{digits, level},
    wrapped,
};

impl PlanReport {
    /// Returns the table of evaluations at each confidence, with the assumptions of the plan.
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// Returns the text for lines of `width` characters: tables leave columns out, sentences are
    /// broken between words.
    pub fn text_within(&self, width: usize) -> String {
        let on = match self.splits {
            "independent" => "independent",
            _ => "shared",
        };
        let named = |name: &String| self.arms.iter().find(|arm| arm.name == *name);
        let mean = |name| named(name).map_or(f64::NAN, |arm| arm.mean);
        let (best, second) = (mean(&self.best), mean(&self.second));
        let mut lines = vec![
            format!(
                "{} arms on {on} splits: {} is best with {best:.4}, {} is second with {second:.4}",
                self.arms.len(),
                self.best,
                self.second
            ),
            format!(
                "standard deviation of a score {:.4}, of the difference of these two {:.4}\n",
                named(&self.best).map_or(f64::NAN, |arm| arm.standard_deviation),
                self.difference_standard_deviation
            ),
            self.table().text_within(width),
        ];
        lines.extend(self.notes());
        wrapped(&lines.join("\n"), width)
    }

    fn table(&self) -> Table {
        let names = self.results.iter().map(|at| level(at.confidence));
        let names: Vec<String> = names.collect();
        let numbers = names.iter().map(|name| (name.as_str(), Align::Right));
        let mut table = Table::new([("evaluations", Align::Left)].into_iter().chain(numbers));
        let mut row = |name: &str, cell: &dyn Fn(&PlanAtConfidence) -> String| {
            let cells = self.results.iter().map(cell);
            table.row([name.to_owned()].into_iter().chain(cells), false);
        };
        let counted = |planned: Planned| match planned.hours {
            Some(hours) => format!("{:.0} ({hours:.0} h)", planned.evaluations),
            None => format!("{:.0}", planned.evaluations),
        };
        let simulated = |at: &PlanAtConfidence, show: &dyn Fn(&SimulatedStudies) -> String| {
            at.simulated.as_ref().map_or_else(|| "–".to_owned(), show)
        };
        row("lower bound, variances known", &|at| {
            counted(at.lower_bound.known_variances)
        });
        row("lower bound, variances unknown", &|at| {
            counted(at.lower_bound.unknown_variances)
        });
        let of_studies = format!("{}, mean of {} studies", self.policy, self.runs);
        row(&of_studies, &|at| {
            simulated(at, &|studies| {
                let (evaluations, hours) = (studies.evaluations.mean, studies.hours);
                counted(Planned { evaluations, hours })
            })
        });
        row("  90 % of studies need at most", &|at| {
            simulated(at, &|studies| {
                let evaluations = studies.evaluations.q90 as f64;
                let hours = self.unit.map(|unit| evaluations * unit);
                counted(Planned { evaluations, hours })
            })
        });
        row("  name a wrong arm", &|at| {
            simulated(at, &|studies| {
                let (error, se) = (studies.error, studies.error_standard_error);
                format!("{:.1} ± {:.1} %", error * 100.0, se * 100.0)
            })
        });
        if self.unit.is_some() {
            row(&format!("  elapsed, {} at once", self.parallel), &|at| {
                simulated(at, &|studies| {
                    format!("{:.0} h", studies.elapsed_hours.unwrap_or_default())
                })
            });
        }
        row("sequential halving, proven", &|at| {
            counted(at.sequential_halving)
        });
        let power = level(self.power);
        row(
            &format!("t-test, best against second, power {power}"),
            &|at| counted(at.t_test.second.total),
        );
        row("t-tests, best against all, Bonferroni", &|at| {
            counted(at.t_test.all.total)
        });
        table
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.results.iter().any(|at| at.simulated.is_none()) {
            notes.push(format!(
                "– not simulated: the lower bound exceeds {} evaluations (--cap)",
                self.cap
            ));
        }
        for at in &self.results {
            let capped = at.simulated.map_or(0, |studies| studies.capped);
            if capped > 0 {
                notes.push(format!(
                    "confidence {}: {capped} of {} simulated studies were given up after {} evaluations (--cap)",
                    at.confidence, self.runs, self.cap
                ));
            }
        }
        notes.push(format!(
            "The tests are one-sided and {}; they suppose that one knows beforehand which arm to test.",
            self.comparison
        ));
        notes.push("The bounds are for policies that err no more often whatever the arms; stopping on a posterior probability promises less and may need less.".to_owned());
        let source = match self.pilot_scores {
            Some(scores) => {
                format!("The plan takes the estimates from {scores} scores for the truth")
            }
            None => "The plan takes these numbers for the truth".to_owned(),
        };
        let words = match self.unit {
            Some(_) => "time",
            None => "evaluations",
        };
        notes.push(format!(
            "{source}: a gap of {}, half of that, takes about four times the {words}.",
            digits(self.gap / 2.0)
        ));
        notes
    }
}
