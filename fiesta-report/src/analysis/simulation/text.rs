//! Text of a simulation: a table with a row for each goal, and notes.

use super::{Goal, SimulationReport};
use crate::{TableOf, wrapped};

impl SimulationReport {
    /// Returns a table with a row for each goal, followed by the setting of the simulation.
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// Returns the text for lines of `width` characters: tables leave columns out, sentences are
    /// broken between words.
    pub fn text_within(&self, width: usize) -> String {
        let kind = self.results.first().map_or("", |result| result.goal.kind());
        let of_budget =
            matches!(self.results.first(), Some(result) if matches!(result.goal, Goal::Budget(_)));
        let runs = self.setup.runs;
        let share = |count: u64| format!("{:.2} %", count as f64 / runs as f64 * 100.0);
        let percent_within =
            |share: f64, error: f64| format!("{:.2} ± {:.2} %", share * 100.0, error * 100.0);
        let table = TableOf::new(&self.results)
            .numbers(kind, |result| result.goal.value())
            .numbers("evaluations", |result| {
                let of = result.evaluations;
                format!("{:.1} ± {:.1}", of.mean, of.standard_error)
            })
            .numbers("min–max", |result| {
                format!("{}–{}", result.evaluations.min, result.evaluations.max)
            })
            .numbers("correct", |result| {
                percent_within(result.correct, result.correct_standard_error)
            })
            .when(!of_budget, |table| {
                table
                    .numbers("wrong", |result| share(result.wrong))
                    .numbers("tied", |result| share(result.tied))
            })
            .table()
            .dispensable(&["min–max"]);
        let mut lines = vec![format!(
            "{} runs of {} with posterior {}; the best is {}; ± is one standard error",
            self.setup.runs, self.policy, self.setup.posterior, self.setup.best
        )];
        for result in &self.results {
            let of = format!("{kind} {}", result.goal.value());
            let (capped, exhausted) = (result.capped, result.exhausted);
            if capped > 0 {
                let cap = self.cap.unwrap_or_default();
                lines.push(format!(
                    "{of}: {capped} of {runs} runs were given up at the cap of {cap} evaluations (--cap) and count with the arm of the highest mean"
                ));
            }
            if exhausted > 0 {
                lines.push(format!(
                    "{of}: {exhausted} of {runs} runs queried every document without reaching it and count with the arm that they recommended"
                ));
            }
        }
        if self.results.iter().any(|result| result.tied > 0) {
            lines.push(
                "correct: runs that recommended the best arm; wrong: runs that named another as the best, or called arms tied that are not; tied: runs that ended as arms could not be told apart, and recommended one of them".to_owned(),
            );
        }
        lines.extend(self.notes.iter().cloned());
        let text = format!("{}\n{}", table.text_within(width), lines.join("\n"));
        wrapped(&text, width)
    }
}
