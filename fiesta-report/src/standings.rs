//! Where every arm of a study stands.

use crate::{Align, Percentages, Table};
use fiesta_core::{Counts, Direction, FBeta, Moments};

/// Where one arm stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// Its scores, as reported; of counts, the F-measures of the documents.
    pub scores: Moments,
    /// The sum of its counts, where evaluations report counts.
    pub counts: Option<Counts>,
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
            counts: None,
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
    f_beta: Option<FBeta>,
    recommended: Option<usize>,
    tied: Vec<usize>,
}

impl Standings {
    /// The standings of a study's arms, in their order.
    pub fn new(metric: impl Into<String>, direction: Direction, arms: Vec<Standing>) -> Self {
        Self {
            metric: metric.into(),
            direction,
            arms,
            f_beta: None,
            recommended: None,
            tied: Vec::new(),
        }
    }

    /// Compares the arms by the F-measure of the sum of their counts, and not by the mean of their
    /// scores.
    pub fn by_f(mut self, f_beta: FBeta) -> Self {
        self.f_beta = Some(f_beta);
        self
    }

    /// Names the recommended arm by its place, where that need not be the first.
    pub fn recommending(mut self, place: usize) -> Self {
        self.recommended = Some(place);
        self
    }

    /// Marks the arms that are tied for the best, by their places, the recommended one included.
    pub fn tied(mut self, places: &[usize]) -> Self {
        self.tied = places.to_vec();
        self
    }

    /// What an arm is compared by: the mean of its scores, or the F-measure of its counts; none
    /// while it is undefined.
    pub fn value(&self, arm: &Standing) -> Option<f64> {
        match (self.f_beta, &arm.counts) {
            (Some(f_beta), Some(counts)) => f_beta.of_counts(counts),
            (Some(_), None) => None,
            (None, _) => (arm.scores.count() > 0).then(|| arm.scores.mean()),
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

    /// The places of the arms from the best to the worst: by P(best), then by value; retired arms
    /// and those without scores last.
    pub fn ranked(&self) -> Vec<usize> {
        let mut ranked: Vec<usize> = (0..self.arms.len()).collect();
        let key = |&place: &usize| {
            let arm = &self.arms[place];
            let value = self.value(arm);
            (
                !arm.retired,
                arm.probability_best.unwrap_or(-1.0),
                value.map_or(f64::NEG_INFINITY, |value| self.direction.orient(value)),
            )
        };
        ranked.sort_by(|a, b| {
            let ((a0, a1, a2), (b0, b1, b2)) = (key(a), key(b));
            b0.cmp(&a0).then(b1.total_cmp(&a1)).then(b2.total_cmp(&a2))
        });
        ranked
    }

    /// P(best) of the arms in percent, by their places; they divide a whole.
    pub fn percentages(&self) -> Percentages {
        let probability = self.arms.iter().map(|arm| arm.probability_best);
        let probability: Vec<f64> = probability.map(Option::unwrap_or_default).collect();
        Percentages::new(&probability)
    }

    /// A table of the arms from best to worst: evaluations (documents where there are counts),
    /// failures, counts and costs where there are any, mean ± standard deviation or the F-measure,
    /// P(best).
    pub fn table(&self) -> Table {
        let failures = self.arms.iter().any(|arm| arm.failed > 0);
        let costs = self.arms.iter().any(|arm| arm.cost > 0.0);
        let counts = self.arms.iter().any(|arm| arm.counts.is_some());
        let evaluations = if counts { "documents" } else { "evaluations" };
        let mut header = vec![("arm", Align::Left), (evaluations, Align::Right)];
        if failures {
            header.push(("failed", Align::Right));
        }
        if counts {
            header.extend(["TP", "FP", "FN"].map(|cell| (cell, Align::Right)));
        }
        let value = match self.f_beta {
            Some(_) => self.metric.as_str(),
            None => "mean ± sd",
        };
        header.extend([(value, Align::Right), ("P(best)", Align::Right)]);
        if costs {
            header.push(("cost", Align::Right));
        }
        let mut table = Table::new(header);
        let percentages = self.percentages();
        for (rank, place) in self.ranked().into_iter().enumerate() {
            let arm = &self.arms[place];
            let mut cells = vec![arm.name.clone(), arm.scores.count().to_string()];
            if failures {
                cells.push(arm.failed.to_string());
            }
            if counts {
                let [tp, fp, _, fn_] = arm.counts.unwrap_or_default().cells();
                cells.extend([tp, fp, fn_].map(|cell| cell.to_string()));
            }
            cells.push(match self.f_beta {
                Some(_) => self
                    .value(arm)
                    .map_or("–".to_owned(), |value| format!("{value:.4}")),
                None => mean_and_deviation(&arm.scores),
            });
            cells.push(match (arm.retired, arm.probability_best) {
                (true, _) => "retired".to_owned(),
                (false, Some(_)) => percentages.of(place),
                (false, None) => "–".to_owned(),
            });
            if costs {
                cells.push(format!("{:.1}", arm.cost));
            }
            if self.tied.contains(&place) {
                table.bold_marked_row(cells, TIED);
            } else {
                table.row(
                    cells,
                    self.recommended.map_or(rank == 0, |best| best == place),
                );
            }
        }
        if self.tied.is_empty() {
            table
        } else {
            table.note(TIED_NOTE)
        }
    }
}

/// The mark of arms that are tied for the best.
pub(crate) const TIED: &str = "=";
/// What the mark means.
pub(crate) const TIED_NOTE: &str =
    "= Tied: no evaluation on the same case makes a difference between these arms.";

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
            .map(|&place| standings.arms()[place].name.as_str())
            .collect();
        assert_eq!(names, ["b", "c", "a", "unseen", "broken"]);
    }

    /// The order is that of the F-measure of all counts, also where the mean of the documents' is
    /// the other way round.
    #[test]
    fn counts_are_shown_and_compared_by_f() {
        let arm = |name: &str, scores: [f64; 2], cells| Standing {
            counts: Some(Counts::from_cells(cells)),
            ..Standing::new(name, scores.into_iter().collect())
        };
        let arms = vec![
            arm("a", [1.0, 0.5], [6, 2, 9, 4]),
            arm("b", [0.8, 0.6], [8, 1, 9, 1]),
            arm("none", [1.0, 1.0], [0, 0, 9, 0]),
        ];
        let standings = Standings::new("f1", Direction::Maximize, arms);
        let by_mean: Vec<&str> = standings
            .ranked()
            .iter()
            .map(|&place| standings.arms()[place].name.as_str())
            .collect();
        assert_eq!(by_mean, ["none", "a", "b"]);
        assert!(standings.table().text().contains("mean ± sd"));
        assert_eq!(
            standings.by_f(FBeta::F1).table().text(),
            "arm   documents  TP  FP  FN      f1  P(best)\n\
             b             2   8   1   1  0.8889        –\n\
             a             2   6   2   4  0.6667        –\n\
             none          2   0   0   0       –        –\n"
        );
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
