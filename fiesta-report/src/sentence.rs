//! The sentence to quote.

use crate::{
    CostUnit, Percentages, at_most, cost_unit::limit_with_unit, expected_loss, percent,
    summary::Tie,
};
use fiesta_core::{Assumption, Conclusion, Design, Limit, Reason};
use std::borrow::Cow;

/// What a sentence about a conclusion needs to know of the study, as it stands now: evaluations
/// that ended after the decision are counted like any other, and the decision's own numbers are
/// those of the [`Conclusion`].
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The name of the recommended arm.
    pub arm: &'a str,
    /// How many arms were compared.
    pub arms: usize,
    /// P(best) of the recommended arm now, as tables print it
    /// ([`Percentages`](crate::Percentages)); none while too little is known.
    pub probability: Option<&'a str>,
    /// The arm that is most probably best now with its P(best), if evaluations that ended after the
    /// decision made it another one.
    pub overtaken_by: Option<(&'a str, &'a str)>,
    /// The arms that are tied with the recommended one, if any are.
    pub tie: Option<&'a TieWords>,
    /// Evaluations that have ended by now, failed ones included.
    pub evaluations: u64,
    /// How many of them failed.
    pub failed: u64,
    /// The metric's name.
    pub metric: &'a str,
    /// How many different splits, or documents, they were made on.
    pub splits: usize,
    /// How splits or documents were handed out.
    pub design: Design,
    /// What the cases are called: split, item or document.
    pub noun: &'a str,
    /// Whether answers vary, and items were asked again.
    pub repeats: bool,
    /// How many decimals scores deserve.
    pub decimals: usize,
    /// The unit of costs, if they have one.
    pub cost_unit: Option<&'a CostUnit>,
    /// The version of the program.
    pub version: &'a str,
}

impl Setting<'_> {
    fn where_made(&self) -> String {
        let made = where_made(self.design, self.splits, self.noun);
        if self.repeats {
            format!("{made}, some asked again as answers vary")
        } else {
            made
        }
    }

    /// What arms are compared by.
    fn metric(&self) -> Cow<'_, str> {
        if self.repeats {
            format!("expected {}", self.metric).into()
        } else {
            self.metric.into()
        }
    }

    fn effort(&self) -> String {
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(", {failed} of which failed,"),
        };
        format!(
            "{} evaluations{failed} on {}; FIESTA {}",
            self.evaluations,
            self.where_made(),
            self.version
        )
    }
}

/// One sentence that says which arm was chosen, how sure that is and of what kind the confidence
/// is, and what it took; then, if evaluations ended after the decision, another one with the
/// decision's numbers.
pub fn sentence(conclusion: &Conclusion, setting: &Setting<'_>) -> String {
    let Setting { arm, arms, .. } = setting;
    let metric = &*setting.metric();
    let late = setting.evaluations.saturating_sub(conclusion.evaluations);
    let decided = decided(conclusion);
    if let (Some((other, q)), true) = (setting.overtaken_by, late > 0) {
        let p = setting.probability.unwrap_or("no");
        return format!(
            "{arm} was chosen among {arms} arms by {metric} {decided}; with the {late} evaluation{} counted that ended afterwards, it is the best with {p} posterior probability and {other} with {q} ({}).",
            if late == 1 { "" } else { "s" },
            setting.effort()
        );
    }
    let mut claim = format!("{} ({}).", claim(conclusion, setting), setting.effort());
    if let Some(tie) = setting.tie.filter(|_| !asks_for_one(&conclusion.reason)) {
        claim = format!("{claim} {}.", tie.plain());
    }
    match late {
        0 => claim,
        1 => format!("{claim} It was decided {decided}; 1 more ended afterwards and is counted."),
        _ => format!(
            "{claim} It was decided {decided}; {late} more ended afterwards and are counted."
        ),
    }
}

/// When a study was decided, and how sure it was then.
fn decided(conclusion: &Conclusion) -> String {
    let p = conclusion.probability.map(percent);
    let p = p.map_or_else(String::new, |p| format!(", with {p} posterior probability"));
    let plural = if conclusion.evaluations == 1 { "" } else { "s" };
    format!("after {} evaluation{plural}{p}", conclusion.evaluations)
}

fn claim(conclusion: &Conclusion, setting: &Setting<'_>) -> String {
    let Setting { arm, arms, .. } = setting;
    let metric = &*setting.metric();
    if let Some(tie) = setting.tie.filter(|_| asks_for_one(&conclusion.reason)) {
        let claim = tie.claim(setting.arms, metric);
        return format!("{}{claim}", circumstances(&conclusion.reason, setting));
    }
    match (&conclusion.reason, setting.probability) {
        (Reason::PosteriorProbability { .. }, Some(p)) => {
            format!("With {p} posterior probability, {arm} is the best of {arms} arms by {metric}")
        }
        (Reason::Tolerance { level, tolerance }, _) => format!(
            "With at least {} posterior probability, {arm} is within {tolerance} of the best of {arms} arms by {metric}",
            percent(*level)
        ),
        (Reason::Shortfall { bound, shortfall }, _) => format!(
            "{arm} is chosen among {arms} arms by {metric}: under the posterior, this choice is expected to lose {}, and no more than {bound} was asked for",
            expected_loss(*shortfall, setting.decimals)
        ),
        (
            Reason::AnytimeValid {
                level,
                tolerance,
                assumes,
            },
            _,
        ) => format!(
            "{arm} is {} of {arms} arms by {metric}: for {}, the anytime-valid test behind this errs in at most {} of studies",
            if *tolerance > 0.0 {
                format!("within {tolerance} of the best")
            } else {
                "the best".to_owned()
            },
            assumed(*assumes),
            percent(1.0 - level)
        ),
        (Reason::Limit(limit), Some(p)) => format!(
            "After {}, {arm} is recommended among {arms} arms by {metric}, with {p} posterior probability of being the best; the limit ended the study, so that no level of confidence is claimed",
            spent(limit, setting.cost_unit)
        ),
        (Reason::Limit(limit), None) => format!(
            "After {}, {arm} is recommended among {arms} arms by {metric}; too little is known for a probability",
            spent(limit, setting.cost_unit)
        ),
        (Reason::Exhausted, p) => format!(
            "With {}, {arm} is recommended among {arms} arms by {metric}{}; nothing more can be learnt from these {}",
            all_used(setting.noun),
            p.map_or_else(
                || ", too little being known for a probability".to_owned(),
                |p| format!(", with {p} posterior probability of being the best")
            ),
            plural(setting.noun),
        ),
        (Reason::OnlyCandidate, _) => format!(
            "{arm} is the only one of {arms} arms that could be evaluated; it was not compared with any other"
        ),
        (_, p) => format!(
            "{arm} is chosen among {arms} arms by {metric}{}",
            p.map_or_else(String::new, |p| format!(
                ", with {p} posterior probability of being the best"
            ))
        ),
    }
}

/// The scores for which an anytime-valid test keeps its rate of errors.
pub(crate) fn assumed(assumes: Assumption) -> &'static str {
    match assumes {
        Assumption::Bounded => "scores within the bounds of the metric",
        _ => "Gaussian scores",
    }
}

/// What ended a study that names no single best arm, as the beginning of a sentence.
fn circumstances(reason: &Reason, setting: &Setting<'_>) -> String {
    match reason {
        Reason::Limit(limit) => format!("After {}, ", spent(limit, setting.cost_unit)),
        Reason::Exhausted => format!("With {}, ", all_used(setting.noun)),
        _ => String::new(),
    }
}

fn plural(noun: &str) -> String {
    format!("{noun}s")
}

/// That no case of this kind is left.
fn all_used(noun: &str) -> &'static str {
    match noun {
        "item" => "every item of the pool answered",
        "document" => "every document of the collection queried",
        _ => "every split that there is used",
    }
}

/// Whether the one best arm was sought, which none of several tied arms is known to be; and not one
/// that is good enough, which each of them is.
pub fn asks_for_one(reason: &Reason) -> bool {
    match reason {
        Reason::Tolerance { .. } | Reason::Shortfall { .. } => false,
        Reason::AnytimeValid { tolerance, .. } => *tolerance <= 0.0,
        _ => true,
    }
}

/// Arms that no evaluation tells apart, in words.
///
/// # Example
/// ```
/// use fiesta_report::{TieWords, summary::{Sample, Tie}};
/// let arm = || Sample::grouped([(0, 0.8), (1, 0.9)]).map(Some);
/// let tie = Tie::with(&[arm()?, arm()?], 0).expect("they are equal");
/// let words = TieWords::new(&tie, &["lstm", "gru"], None);
/// assert_eq!(
///     words.plain(),
///     "lstm and gru are tied at 0.8500: no difference in any of their 2 common evaluations"
/// );
/// # Ok::<(), fiesta_report::summary::SummaryError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TieWords {
    /// How many arms are tied.
    pub arms: usize,
    plain: String,
    /// P(the best is one of them), and the greatest P(best) of one of them.
    probability: Option<(String, String)>,
}

/// Tied arms that are named one by one.
const NAMED: usize = 6;

impl TieWords {
    /// A tie of arms, given the names of all arms and, once enough is known, P(best) of each.
    pub fn new(tie: &Tie, names: &[&str], belief: Option<&Percentages>) -> Self {
        let tied = listed(&tie.arms, names);
        let why = match tie.common {
            Some(common) => format!("no difference in any of their {common} common evaluations"),
            None => "every score of each of them is the same".to_owned(),
        };
        Self {
            arms: tie.arms.len(),
            plain: format!("{tied} are tied at {:.4}: {why}", tie.value),
            probability: probability(&tie.arms, belief),
        }
    }

    /// Arms at these places, each of which is within `tolerance` of the best with the probability
    /// `level`, given the names of all arms and, once enough is known, P(best) of each.
    pub fn within(
        tolerance: f64,
        level: f64,
        arms: &[usize],
        names: &[&str],
        belief: Option<&Percentages>,
    ) -> Self {
        Self {
            arms: arms.len(),
            plain: format!(
                "{} cannot be told apart: each of them is within {} of the best with at least {} posterior probability",
                listed(arms, names),
                at_most(tolerance),
                percent(level)
            ),
            probability: probability(arms, belief),
        }
    }

    /// Which arms are tied, at what, and on how many evaluations.
    pub fn plain(&self) -> &str {
        &self.plain
    }

    /// The same with what that means for which of so many arms is the best, without a full stop.
    pub fn claim(&self, arms: usize, metric: &str) -> String {
        let rest = match &self.probability {
            Some((_, greatest)) if self.arms == arms => format!(
                "each of the {arms} arms is the best by {metric} with at most {greatest} posterior probability"
            ),
            Some((together, _)) => format!(
                "with {together} posterior probability, the best of {arms} arms by {metric} is one of them"
            ),
            None => format!(
                "{} of {arms} arms is better by {metric}; too little is known for a probability",
                if self.arms == arms {
                    "none"
                } else {
                    "no other"
                }
            ),
        };
        format!("{}; {rest}", self.plain)
    }
}

/// The names of the arms at these places, as many as are named one by one.
fn listed(arms: &[usize], names: &[&str]) -> String {
    let names: Vec<&str> = arms.iter().map(|&arm| names[arm]).collect();
    match names.split_at(names.len().min(NAMED)) {
        ([first @ .., last], []) => format!("{} and {last}", first.join(", ")),
        (first, more) => format!("{} and {} more", first.join(", "), more.len()),
    }
}

/// P(the best is one of these), and the greatest P(best) of one of them.
fn probability(arms: &[usize], belief: Option<&Percentages>) -> Option<(String, String)> {
    let belief = belief?;
    let greatest = belief.greatest(arms)?;
    Some((belief.together(arms), greatest))
}

/// On how many splits, or items with this noun, of a design.
pub(crate) fn where_made(design: Design, splits: usize, noun: &str) -> String {
    let plural = if splits == 1 { "" } else { "s" };
    match design {
        Design::Shared => format!("{splits} shared split{plural}"),
        Design::Independent => format!("{splits} independent split{plural}"),
        Design::Fixed => {
            "one fixed split, so that the conclusion holds for that split only".to_owned()
        }
        Design::Items { count } => format!("{splits} of {count} {noun}s"),
    }
}

/// The limit that ended a study, in words.
pub(crate) fn spent(limit: &Limit, unit: Option<&CostUnit>) -> String {
    match limit {
        Limit::Evaluations(count) => format!("the limit of {count} evaluations"),
        Limit::Cost(cost) => format!("the limit of {} in cost", limit_with_unit(*cost, unit)),
        Limit::Wall(seconds) => format!("the limit of {seconds:.0} s"),
        _ => "a limit".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta_core::ArmId;

    #[test]
    fn names_the_kind_of_confidence() {
        let setting = Setting {
            arm: "tdlstm",
            arms: 8,
            probability: Some("95.7 %"),
            overtaken_by: None,
            tie: None,
            evaluations: 61,
            failed: 0,
            metric: "macro-F1",
            splits: 20,
            design: Design::Shared,
            noun: "split",
            repeats: false,
            decimals: 4,
            cost_unit: None,
            version: "0.1.0",
        };
        let mut conclusion = Conclusion {
            arm: ArmId::new(0),
            reason: Reason::PosteriorProbability { level: 0.95 },
            probability: Some(0.9567),
            evaluations: 61,
        };
        assert_eq!(
            sentence(&conclusion, &setting),
            "With 95.7 % posterior probability, tdlstm is the best of 8 arms by macro-F1 (61 evaluations on 20 shared splits; FIESTA 0.1.0)."
        );
        conclusion.reason = Reason::Tolerance {
            level: 0.95,
            tolerance: 0.002,
        };
        assert!(sentence(&conclusion, &setting).starts_with(
            "With at least 95.0 % posterior probability, tdlstm is within 0.002 of the best of 8 arms"
        ));
        conclusion.reason = Reason::AnytimeValid {
            level: 0.95,
            tolerance: 0.0,
            assumes: Assumption::Gaussian,
        };
        assert!(sentence(&conclusion, &setting).starts_with(
            "tdlstm is the best of 8 arms by macro-F1: for Gaussian scores, the anytime-valid test behind this errs in at most 5.0 % of studies"
        ));
        conclusion.reason = Reason::AnytimeValid {
            level: 0.95,
            tolerance: 0.01,
            assumes: Assumption::Bounded,
        };
        assert!(
            sentence(&conclusion, &setting).starts_with("tdlstm is within 0.01 of the best of 8")
        );
        conclusion.reason = Reason::Limit(Limit::Evaluations(800));
        assert!(
            sentence(&conclusion, &setting)
                .starts_with("After the limit of 800 evaluations, tdlstm")
        );
        conclusion.reason = Reason::Exhausted;
        let of_documents = Setting {
            design: Design::Items { count: 20 },
            noun: "document",
            repeats: false,
            probability: Some("50.0 %"),
            ..setting
        };
        assert_eq!(
            sentence(&conclusion, &of_documents),
            "With every document of the collection queried, tdlstm is recommended among 8 arms by macro-F1, with 50.0 % posterior probability of being the best; nothing more can be learnt from these documents (61 evaluations on 20 of 20 documents; FIESTA 0.1.0)."
        );
    }

    /// The numbers are those of now, and the decision's are named beside them.
    #[test]
    fn evaluations_after_the_decision_are_counted() {
        let conclusion = Conclusion {
            arm: ArmId::new(0),
            reason: Reason::PosteriorProbability { level: 0.95 },
            probability: Some(0.963),
            evaluations: 29,
        };
        let setting = Setting {
            arm: "a",
            arms: 3,
            probability: Some("97.3 %"),
            overtaken_by: None,
            tie: None,
            evaluations: 30,
            failed: 2,
            metric: "f1",
            splits: 11,
            design: Design::Shared,
            noun: "split",
            repeats: false,
            cost_unit: None,
            decimals: 4,
            version: "0.1.0",
        };
        assert_eq!(
            sentence(&conclusion, &setting),
            "With 97.3 % posterior probability, a is the best of 3 arms by f1 (30 evaluations, 2 of which failed, on 11 shared splits; FIESTA 0.1.0). It was decided after 29 evaluations, with 96.3 % posterior probability; 1 more ended afterwards and is counted."
        );
        let overtaken = Setting {
            probability: Some("41.0 %"),
            overtaken_by: Some(("b", "58.0 %")),
            evaluations: 31,
            failed: 0,
            ..setting
        };
        assert!(sentence(&conclusion, &overtaken).starts_with(
            "a was chosen among 3 arms by f1 after 29 evaluations, with 96.3 % posterior probability; with the 2 evaluations counted that ended afterwards, it is the best with 41.0 % posterior probability and b with 58.0 % (31 evaluations on"
        ));
    }

    #[test]
    fn tied_arms_are_not_recommended_as_if_one_were_best() {
        let conclusion = Conclusion {
            arm: ArmId::new(0),
            reason: Reason::Limit(Limit::Evaluations(300)),
            probability: Some(0.333),
            evaluations: 300,
        };
        let tie = Tie {
            arms: vec![0, 1, 2],
            value: 0.831,
            common: Some(99),
        };
        let names = ["a", "b", "c", "d"];
        let belief = Percentages::new(&[0.334, 0.332, 0.332, 0.002]);
        let words = TieWords::new(&tie, &names, Some(&belief));
        let setting = Setting {
            arm: "a",
            arms: 4,
            probability: Some("33.4 %"),
            overtaken_by: None,
            tie: Some(&words),
            evaluations: 300,
            failed: 0,
            metric: "accuracy",
            splits: 100,
            design: Design::Shared,
            noun: "split",
            repeats: false,
            cost_unit: None,
            decimals: 4,
            version: "0.1.0",
        };
        let found = sentence(&conclusion, &setting);
        assert!(
            found.starts_with("After the limit of 300 evaluations, a, b and c are tied at 0.8310: no difference in any of their 99 common evaluations; with 99.8 % posterior probability, the best of 4 arms by accuracy is one of them (300 evaluations on"),
            "{found}"
        );
        let all = Setting { arms: 3, ..setting };
        let found = sentence(&conclusion, &all);
        assert!(
            found.contains("; each of the 3 arms is the best by accuracy with at most 33.4 % posterior probability ("),
            "{found}"
        );
    }
}
