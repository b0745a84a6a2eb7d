//! Where every arm of a study stands.

use crate::{Align, Table, percent};
use fiesta_core::{Direction, Moments};

/// Where one arm stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// Its scores, as reported.
    pub scores: Moments,
    /// Evaluations that failed.
    pub failed: u64,
    /// P(best); none while too little is known.
    pub probability_best: Option<f64>,
    /// What its evaluations cost, in the study's unit.
    pub cost: f64,
    /// Whether it was retired for failing.
    pub retired: bool,
}

impl Standing {
    /// An arm of which nothing but its scores is known.
    pub fn new(name: impl Into<String>, scores: Moments) -> Self {
        Self {
            name: name.into(),
            scores,
            failed: 0,
            probability_best: None,
            cost: 0.0,
            retired: false,
        }
    }
}

/// Where all arms stand.
#[derive(Debug, Clone, PartialEq)]
pub struct Standings {
    metric: String,
    direction: Direction,
    arms: Vec<Standing>,
}

impl Standings {
    /// The standings of a study's arms, in their order.
    pub fn new(metric: impl Into<String>, direction: Direction, arms: Vec<Standing>) -> Self {
        Self {
            metric: metric.into(),
            direction,
            arms,
        }
    }

    /// The arms, in the study's order.
    pub fn arms(&self) -> &[Standing] {
        &self.arms
    }

    /// The metric's name.
    pub fn metric(&self) -> &str {
        &self.metric
    }

    /// The arms from the best to the worst: by P(best), then by mean; retired arms and those without scores last.
    pub fn ranked(&self) -> Vec<&Standing> {
        let mut ranked: Vec<&Standing> = self.arms.iter().collect();
        let key = |arm: &Standing| {
            let mean = self.direction.orient(arm.scores.mean());
            (
                !arm.retired,
                arm.probability_best.unwrap_or(-1.0),
                if arm.scores.count() > 0 {
                    mean
                } else {
                    f64::NEG_INFINITY
                },
            )
        };
        ranked.sort_by(|a, b| {
            let ((a0, a1, a2), (b0, b1, b2)) = (key(a), key(b));
            b0.cmp(&a0).then(b1.total_cmp(&a1)).then(b2.total_cmp(&a2))
        });
        ranked
    }

    /// A table of the arms from best to worst: evaluations, failures and costs where there are any, mean ± standard
    /// deviation, P(best).
    pub fn table(&self) -> Table {
        let failures = self.arms.iter().any(|arm| arm.failed > 0);
        let costs = self.arms.iter().any(|arm| arm.cost > 0.0);
        let mut header = vec![("arm", Align::Left), ("evaluations", Align::Right)];
        if failures {
            header.push(("failed", Align::Right));
        }
        header.extend([("mean ± sd", Align::Right), ("P(best)", Align::Right)]);
        if costs {
            header.push(("cost", Align::Right));
        }
        let mut table = Table::new(header);
        for (rank, arm) in self.ranked().into_iter().enumerate() {
            let mut cells = vec![arm.name.clone(), arm.scores.count().to_string()];
            if failures {
                cells.push(arm.failed.to_string());
            }
            cells.push(mean_and_deviation(&arm.scores));
            cells.push(match (arm.retired, arm.probability_best) {
                (true, _) => "retired".to_owned(),
                (false, Some(p)) => percent(p),
                (false, None) => "–".to_owned(),
            });
            if costs {
                cells.push(format!("{:.1}", arm.cost));
            }
            table.row(cells, rank == 0);
        }
        table
    }
}

fn mean_and_deviation(scores: &Moments) -> String {
    match (scores.count(), scores.standard_deviation()) {
        (0, _) => "–".to_owned(),
        (_, None) => format!("{:.4}", scores.mean()),
        (_, Some(sd)) => format!("{:.4} ± {sd:.4}", scores.mean()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(name: &str, p: Option<f64>, score: f64) -> Standing {
        Standing {
            probability_best: p,
            ..Standing::new(name, [score].into_iter().collect())
        }
    }

    #[test]
    fn ranks_by_belief_then_by_mean() {
        let mut broken = standing("broken", Some(0.9), 0.9);
        broken.retired = true;
        let standings = Standings::new(
            "loss",
            Direction::Minimize,
            vec![
                broken,
                standing("a", Some(0.2), 0.1),
                standing("b", Some(0.8), 0.3),
                standing("c", Some(0.2), 0.05),
                Standing::new("unseen", Moments::default()),
            ],
        );
        let names: Vec<&str> = standings
            .ranked()
            .iter()
            .map(|arm| arm.name.as_str())
            .collect();
        assert_eq!(names, ["b", "c", "a", "unseen", "broken"]);
    }

    #[test]
    fn shows_failures_and_costs_only_where_there_are_any() {
        let plain = Standings::new("f1", Direction::Maximize, vec![standing("a", None, 0.5)]);
        assert_eq!(
            plain.table().text(),
            "arm  evaluations  mean ± sd  P(best)\na              1     0.5000        –\n"
        );
    }
}
