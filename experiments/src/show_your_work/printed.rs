//! Figures that "Show Your Work" prints, and what follows from them by arithmetic.

use crate::{
    Failure,
    output::{Section, table},
};
use serde::{Deserialize, Serialize};

const DAY: f64 = 86_400.0;

/// Published figures of "Show Your Work".
#[derive(Deserialize)]
pub(super) struct Published {
    pub(super) paper: String,
    search: Vec<Search>,
    budget: Vec<PrintedBudget>,
}

/// A search as a table of the appendix prints it.
#[derive(Clone, Serialize, Deserialize)]
struct Search {
    figure: String,
    tables: String,
    task: String,
    model: String,
    /// Hyperparameter assignments that were tried.
    trials: u32,
    /// Seconds of an average trial.
    seconds: f64,
    /// The best validation score of the search.
    best: f64,
    hardware: String,
}

/// A budget that the paper's text on figure 2 names.
#[derive(Clone, Serialize, Deserialize)]
struct PrintedBudget {
    name: String,
    seconds: f64,
    conclusion: String,
}

/// All figures that follow from the figures printed in the paper.
#[derive(Serialize)]
pub(super) struct Printed {
    searches: Vec<Search>,
    pub(super) facts: Vec<Fact>,
    budgets: Vec<Budget>,
}

/// A figure computed from printed figures.
#[derive(Serialize)]
pub(super) struct Fact {
    figure: &'static str,
    /// The statement of the paper, nearly in its words.
    printed: &'static str,
    what: &'static str,
    unit: &'static str,
    value: f64,
    /// The paper's printed figure, if any; `ratio` is the computed figure divided by it.
    published: Option<f64>,
    ratio: Option<f64>,
}

/// A budget that figure 2 names, converted to trials of each family.
#[derive(Serialize)]
struct Budget {
    #[serde(flatten)]
    budget: PrintedBudget,
    trials: Vec<Trials>,
}

#[derive(Serialize)]
struct Trials {
    trials: f64,
    /// Mark `*` of a number of trials that exceeds the trials run, and so lies beyond the figure's curve.
    mark: &'static str,
}

impl Published {
    pub(super) fn read() -> Result<Self, Failure> {
        Ok(toml::from_str(include_str!(
            "../../published/show-your-work.toml"
        ))?)
    }

    fn seconds(&self, model: &str) -> f64 {
        let found = self.search.iter().find(|search| search.model == model);
        found.map_or(f64::NAN, |search| search.seconds)
    }

    pub(super) fn follow(self) -> Printed {
        Printed {
            facts: self.facts(),
            budgets: self.budgets(),
            searches: self.search,
        }
    }

    /// Returns all figures that can be checked, without the budgets of figure 2.
    fn facts(&self) -> Vec<Fact> {
        let [cnn, lr, n_gram, dgem, bidaf] =
            ["CNN", "LR", "n-gram", "DGEM", "BiDAF"].map(|model| self.seconds(model));
        let (days, trials) = (18.0, 55.0);
        #[rustfmt::skip]
        let rows = [
            ("Figure 1", "LR is better for up to 10 assignments", "10 trials of the CNN take as long as this many of LR", "trials", 10.0 * cnn / lr, None),
            ("Figure 1", "50 trials of each", "all 50 trials of LR take as long as this many of the CNN", "trials", 50.0 * lr / cnn, None),
            ("Figure 1", "the CNN reaches .395 in expectation with 16", "which takes as long as this many trials of LR", "trials", 16.0 * cnn / lr, None),
            ("Figure 3", "budgets from 2 (n-gram) to 20 (DGEM)", "the second takes this many times as long", "times", 20.0 * dgem / (2.0 * n_gram), None),
            ("Figure 4", "18 days", "55 trials of Table 11's duration take", "days", trials * bidaf / DAY, Some(days)),
            ("Figure 4", "55 trials", "18 days hold this many of Table 11's duration", "trials", days * DAY / bidaf, Some(trials)),
            ("Figure 4", "31,617 s a trial (Table 11)", "55 trials in 18 days would take, each", "s", days * DAY / trials, Some(bidaf)),
        ];
        let fact =
            |(figure, printed, what, unit, value, published): (_, _, _, _, f64, Option<f64>)| {
                Fact {
                    figure,
                    printed,
                    what,
                    unit,
                    value,
                    published,
                    ratio: published.map(|published| value / published),
                }
            };
        rows.map(fact).into()
    }

    fn budgets(&self) -> Vec<Budget> {
        let budget = |budget: &PrintedBudget| {
            let searches = self
                .search
                .iter()
                .filter(|search| search.figure == "Figure 2");
            let trials = searches.map(|search| {
                let trials = budget.seconds / search.seconds;
                Trials {
                    trials,
                    mark: if trials > f64::from(search.trials) {
                        "*"
                    } else {
                        ""
                    },
                }
            });
            Budget {
                trials: trials.collect(),
                budget: budget.clone(),
            }
        };
        self.budget.iter().map(budget).collect()
    }
}

impl Printed {
    pub(super) fn sections(&self) -> Result<Vec<Section>, Failure> {
        let searches = [
            ("<figure", "{figure}"),
            ("<tables", "{tables}"),
            ("<task", "{task}"),
            ("<model", "{model}"),
            ("trials", "{trials}"),
            ("a trial", "{seconds} s"),
            ("best", "{best:.3}"),
            ("<on", "{hardware}"),
        ];
        let facts = [
            ("<", "{figure}"),
            ("<printed", "{printed}"),
            ("<recomputed", "{what}"),
            ("", "{value:.1}"),
            ("<", "{unit}"),
            ("ratio", "{ratio:.3}"),
        ];
        let budgets = [
            ("budget", "{name}"),
            ("<the paper says", "{conclusion}"),
            ("GloVe", "{trials.0.trials:.2}{trials.0.mark}"),
            ("ELMo, frozen", "{trials.1.trials:.2}{trials.1.mark}"),
            ("ELMo, fine-tuned", "{trials.2.trials:.2}{trials.2.mark}"),
        ];
        let searches = table(&self.searches, &searches)?.caption("The searches, as printed");
        let facts = table(&self.facts, &facts)?
            .caption("What follows from what is printed")
            .note("ratio: recomputed to printed");
        let budgets = table(&self.budgets, &budgets)?
            .caption("Figure 2's budgets in trials")
            .note("* more than the 50 that were run: beyond every curve of the figure");
        Ok(vec![
            Section::new("searches", searches),
            Section::new("facts", facts),
            Section::new("budgets", budgets),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests the figures against values computed by hand.
    #[test]
    fn what_follows_from_the_printed_figures() {
        let printed = Published::read().unwrap().follow();
        let rounded = |value: f64, digits: f64| (value * digits).round() / digits;
        let values = printed.facts.iter().map(|fact| rounded(fact.value, 10.0));
        let by_hand = [250.0, 2.0, 400.0, 74.1, 20.1, 49.2, 28276.4];
        assert_eq!(values.collect::<Vec<_>>(), by_hand);
        let ratios = printed.facts.iter().filter_map(|fact| fact.ratio);
        let ratios: Vec<f64> = ratios.map(|ratio| rounded(ratio, 1000.0)).collect();
        assert_eq!(ratios, [1.118, 0.894, 0.894]);
    }

    #[test]
    fn at_ten_days_no_search_was_as_long() {
        let printed = Published::read().unwrap().follow();
        let shown = |budget: &Budget| -> Vec<String> {
            budget
                .trials
                .iter()
                .map(|of| format!("{:.2}", of.trials))
                .collect()
        };
        let [two_hours, .., ten_days] = &printed.budgets[..] else {
            panic!()
        };
        assert_eq!(shown(two_hours), ["4.43", "1.06", "0.45"]);
        assert_eq!(shown(ten_days), ["532.02", "126.78", "53.76"]);
        assert!(two_hours.trials.iter().all(|of| of.mark.is_empty()));
        assert!(ten_days.trials.iter().all(|of| of.mark == "*"));
    }
}
