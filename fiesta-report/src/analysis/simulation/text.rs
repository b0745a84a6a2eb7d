//! Text of a simulation: a table with a row for each goal, and notes.

use super::{Evaluations, Goal, SimulationReport};
use crate::{Align, Table, wrapped};

impl SimulationReport {
    /// A row for each goal, and beneath it what was simulated.
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// Returns the text for lines of `width` characters: tables leave columns out, sentences are
    /// broken between words.
    pub fn text_within(&self, width: usize) -> String {
        let kind = self.results.first().map_or("", |result| result.goal.kind());
        let of_budget =
            matches!(self.results.first(), Some(result) if matches!(result.goal, Goal::Budget(_)));
        let mut columns = vec![
            (kind, Align::Right),
            ("evaluations", Align::Right),
            ("min–max", Align::Right),
            ("correct", Align::Right),
        ];
        if !of_budget {
            columns.extend([("wrong", Align::Right), ("tied", Align::Right)]);
        }
        let mut table = Table::new(columns).dispensable(&["min–max"]);
        let runs = self.setup.runs;
        let share = |count: u64| format!("{:.2} %", count as f64 / runs as f64 * 100.0);
        let mut lines = vec![format!(
            "{} runs of {} with posterior {}; the best is {}; ± is one standard error",
            self.setup.runs, self.policy, self.setup.posterior, self.setup.best
        )];
        for result in &self.results {
            let Evaluations {
                min,
                mean,
                max,
                standard_error,
            } = result.evaluations;
            let mut cells = vec![
                result.goal.value(),
                format!("{mean:.1} ± {standard_error:.1}"),
                format!("{min}–{max}"),
                format!(
                    "{:.2} ± {:.2} %",
                    result.correct * 100.0,
                    result.correct_standard_error * 100.0
                ),
            ];
            if !of_budget {
                cells.extend([share(result.wrong), share(result.tied)]);
            }
            table.row(cells, false);
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
