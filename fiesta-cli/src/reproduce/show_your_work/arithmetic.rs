//! What follows from the printed figures.

use super::published::{BIDAF, BUDGETS, CNN, DAY, DGEM, EMBEDDINGS, LR, N_GRAM, Search};

/// A figure that follows from printed ones.
pub(super) struct Fact {
    pub(super) place: &'static str,
    /// What the paper says, in its words or nearly.
    pub(super) printed: &'static str,
    pub(super) what: &'static str,
    pub(super) how: String,
    pub(super) value: f64,
    pub(super) unit: &'static str,
    /// What the paper prints of it, if it does.
    pub(super) prints: Option<f64>,
}

impl Fact {
    /// Recomputed divided by printed.
    pub(super) fn ratio(&self) -> Option<f64> {
        self.prints.map(|prints| self.value / prints)
    }
}

/// How many trials of another search take as long as some of this one.
fn equal_time(trials: f64, of: &Search, in_trials_of: &Search) -> f64 {
    trials * of.seconds / in_trials_of.seconds
}

/// Everything that can be checked but figure 2, which is [`budgets`].
pub(super) fn facts() -> Vec<Fact> {
    let fact = |place, printed, what, how, value, unit| Fact {
        place,
        printed,
        what,
        how,
        value,
        unit,
        prints: None,
    };
    let beside = |prints, fact| Fact {
        prints: Some(prints),
        ..fact
    };
    let (days, trials) = (18.0, 55.0);
    vec![
        fact(
            "Figure 1",
            "LR is better for up to 10 assignments",
            "10 trials of the CNN take as long as this many of LR",
            format!("10 × {} s / {} s", CNN.seconds, LR.seconds),
            equal_time(10.0, &CNN, &LR),
            "trials",
        ),
        fact(
            "Figure 1",
            "50 trials of each",
            "all 50 trials of LR take as long as this many of the CNN",
            format!("50 × {} s / {} s", LR.seconds, CNN.seconds),
            equal_time(50.0, &LR, &CNN),
            "trials",
        ),
        fact(
            "Figure 1",
            "the CNN reaches .395 in expectation with 16",
            "which takes as long as this many trials of LR",
            format!("16 × {} s / {} s", CNN.seconds, LR.seconds),
            equal_time(16.0, &CNN, &LR),
            "trials",
        ),
        fact(
            "Figure 3",
            "budgets from 2 (n-gram) to 20 (DGEM): 10 times as many trials",
            "in time that is this many times as much",
            format!("20 × {} s / (2 × {} s)", DGEM.seconds, N_GRAM.seconds),
            20.0 * DGEM.seconds / (2.0 * N_GRAM.seconds),
            "times",
        ),
        beside(
            days,
            fact(
                "Figure 4",
                "18 days",
                "55 trials of Table 11's duration take",
                format!("55 × {} s", BIDAF.seconds),
                trials * BIDAF.seconds / DAY,
                "days",
            ),
        ),
        beside(
            trials,
            fact(
                "Figure 4",
                "55 trials",
                "18 days hold this many trials of Table 11's duration",
                format!("18 d / {} s", BIDAF.seconds),
                days * DAY / BIDAF.seconds,
                "trials",
            ),
        ),
        beside(
            BIDAF.seconds,
            fact(
                "Figure 4",
                "31,617 s a trial (Table 11)",
                "55 trials in 18 days would take, each",
                "18 d / 55".to_owned(),
                days * DAY / trials,
                "s",
            ),
        ),
    ]
}

/// A budget of figure 2, and the trials that it holds.
pub(super) struct Budget {
    pub(super) name: &'static str,
    pub(super) seconds: f64,
    pub(super) says: &'static str,
    /// Of each of the [`EMBEDDINGS`].
    pub(super) trials: [f64; 3],
}

/// Figure 2 in trials.
pub(super) fn budgets() -> [Budget; 4] {
    BUDGETS.map(|(name, seconds, says)| Budget {
        name,
        seconds,
        says,
        trials: EMBEDDINGS.map(|search| seconds / search.seconds),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, from the printed figures.
    #[test]
    fn what_follows_from_the_printed_figures() {
        let values: Vec<f64> = facts()
            .iter()
            .map(|fact| (fact.value * 10.0).round() / 10.0)
            .collect();
        assert_eq!(values, [250.0, 2.0, 400.0, 74.1, 20.1, 49.2, 28276.4]);
        let ratios: Vec<f64> = facts()
            .iter()
            .filter_map(Fact::ratio)
            .map(|ratio| (ratio * 1000.0).round() / 1000.0)
            .collect();
        assert_eq!(ratios, [1.118, 0.894, 0.894]);
    }

    #[test]
    fn at_ten_days_no_search_was_as_long() {
        let [two_hours, .., ten_days] = budgets();
        let shown = |trials: [f64; 3]| trials.map(|n| format!("{n:.2}"));
        assert_eq!(shown(two_hours.trials), ["4.43", "1.06", "0.45"]);
        assert_eq!(shown(ten_days.trials), ["532.02", "126.78", "53.76"]);
        let ran = EMBEDDINGS.map(|search| f64::from(search.trials));
        assert!(ten_days.trials.iter().zip(ran).all(|(n, ran)| *n > ran));
    }
}
