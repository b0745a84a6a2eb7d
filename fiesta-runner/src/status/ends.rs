//! Conditions that end a study: its goal, its limits and its cap, with their defaults filled in.

use crate::study::Study;
use fiesta_policies::stopping::LEAST_EVALUATIONS;
use serde::Serialize;

/// What ends a study, and the methods by which it decides.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EndsReport {
    /// The confidence at which the study ends. `None` if its budget or its trials end it.
    pub confidence: Option<f64>,
    /// Number of the best arms that are to be named, if they are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<usize>,
    /// Distance below the best at which the named arm may be, as the study file writes it.
    pub tolerance: String,
    /// Distance at which arms are called tied, as the study file writes it.
    pub tie: String,
    /// The expected shortfall at which the study ends, as the study file writes it.
    pub shortfall: Option<String>,
    /// How many evaluations the two best arms need each before the confidence is believed.
    pub least_evaluations: Option<u64>,
    /// Trials of each arm, in a random search.
    pub trials: Option<u64>,
    /// The most evaluations that the study may make.
    pub evaluations: Option<u64>,
    /// Whether the cap on evaluations is the default: 100 for each arm.
    pub is_default_cap: bool,
    /// Distance below the best at which the cheapest arm is sought. `None` if the best is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cheapest_within: Option<f64>,
    /// The evaluations that use up every split or item for every arm. `None` if there are any
    /// number of them, or they are asked again.
    pub all_cases: Option<u64>,
    /// What is used up when the study ends for want of cases: `splits`, `items` or `documents`.
    pub cases: String,
    /// The most that the study may cost, in its unit.
    pub cost: Option<f64>,
    /// The most seconds that a session of the study may take.
    pub wall: Option<f64>,
    /// The policy, which chooses what is evaluated next.
    pub policy: String,
    /// The posterior, from which the confidence is.
    pub posterior: String,
    /// The stopping rule, which ends the study.
    pub stopping: String,
    /// Name of the arm with which a gate compares the others. `None` if the study is no gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// Fewest items after which a gate can ship an arm that answers as the baseline does. `None` if it
    /// can ship none, or the study is no gate on items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fewest_items: Option<u64>,
}

impl EndsReport {
    /// Returns what ends a study.
    pub fn new(study: &Study) -> Self {
        let terms = &study.terms;
        let limits = study.limits();
        let is_posterior = study.stopping() == "posterior" && terms.level.is_some();
        let is_search = study.search().is_some();
        let least = terms.min_documents;
        let least =
            least.or((is_posterior && study.items().is_none()).then_some(LEAST_EVALUATIONS));
        Self {
            confidence: terms.level.filter(|_| !is_search),
            top: Some(terms.top).filter(|&top| top > 1),
            tolerance: terms.tolerance.to_string(),
            tie: terms.tie.to_string(),
            shortfall: terms.shortfall.map(|distance| distance.to_string()),
            least_evaluations: least.filter(|_| !is_search),
            trials: terms.trials,
            evaluations: limits.evaluations,
            is_default_cap: study.capped_by_default() && limits.evaluations.is_some(),
            cheapest_within: terms.cheapest_within,
            all_cases: study.all_cases(),
            cases: study
                .items()
                .map_or("split", |items| items.key().noun())
                .to_owned()
                + "s",
            cost: limits.cost,
            wall: limits.wall,
            policy: study.policy().to_owned(),
            posterior: study.posterior().to_owned(),
            stopping: study.stopping().to_owned(),
            fewest_items: study.fewest_items(),
            baseline: { terms.gate }.map(|gate| study.arms().name(gate.baseline).to_owned()),
        }
    }

    /// Describes what ends the study in one line. `cost` and `seconds` format numbers.
    pub fn text(&self, cost: impl Fn(f64) -> String, seconds: impl Fn(f64) -> String) -> String {
        let mut ends = Vec::new();
        if let Some(confidence) = self.confidence {
            let least = self.least_evaluations.map_or_else(String::new, |least| {
                let those = self.top.map_or_else(
                    || match self.cheapest_within {
                        Some(_) => "the arms in doubt".to_owned(),
                        None => "the best two".to_owned(),
                    },
                    |top| format!("these {top} and the next"),
                );
                format!(", once {those} have {least} evaluations each")
            });
            let best = match (self.top, self.cheapest_within) {
                (Some(top), _) => format!("which {top} arms are the best"),
                (None, Some(within)) => {
                    format!("which arm is the cheapest within {within} of the best")
                }
                (None, None) => "which arm is best".to_owned(),
            };
            let within = if self.tolerance == "0" {
                String::new()
            } else {
                format!(" within {} of the best", self.tolerance)
            };
            let tied = if self.tie == "0" || self.cheapest_within.is_some() {
                String::new()
            } else {
                format!(", or that arms are tied (within {})", self.tie)
            };
            ends.push(match &self.baseline {
                Some(baseline) => format!(
                    "every other arm may replace {baseline} or is blocked, at {} % confidence",
                    percent(confidence)
                ),
                None => format!("{} % sure {best}{within}{tied}{least}", percent(confidence)),
            });
        }
        if let Some(shortfall) = &self.shortfall {
            ends.push(format!(
                "choosing now is expected to lose at most {shortfall}"
            ));
        }
        if let Some(trials) = self.trials {
            ends.push(format!("{trials} trials of each arm"));
        }
        let comes_first = |limit: &u64| self.all_cases.is_none_or(|all| *limit < all);
        if let Some(all) = self
            .all_cases
            .filter(|_| !self.evaluations.as_ref().is_some_and(comes_first))
        {
            ends.push(format!(
                "{all} evaluations, when all {} are used up",
                self.cases
            ));
        }
        if let Some(evaluations) = self.evaluations.filter(comes_first) {
            let default = if self.is_default_cap {
                " (the default cap, 100 for each arm; budget = { evaluations = … } under [goal] sets another)"
            } else {
                ""
            };
            ends.push(format!("{evaluations} evaluations{default}"));
        }
        if let Some(limit) = self.cost {
            ends.push(format!("a cost of {}", cost(limit)));
        }
        if let Some(wall) = self.wall {
            ends.push(seconds(wall));
        }
        format!("the study ends at the first of: {}", ends.join("; "))
    }
}

/// Formats a probability in per cent, without trailing zeros.
fn percent(probability: f64) -> String {
    let text = format!("{:.4}", probability * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
