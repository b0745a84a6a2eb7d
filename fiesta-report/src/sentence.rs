//! The sentence to quote.

use fiesta_core::{Conclusion, Design, Limit, Reason};

/// What a sentence about a conclusion needs to know of the study.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The name of the recommended arm.
    pub arm: &'a str,
    /// How many arms were compared.
    pub arms: usize,
    /// The metric's name.
    pub metric: &'a str,
    /// How many different splits, or documents, they were made on.
    pub splits: usize,
    /// How splits or documents were handed out.
    pub design: Design,
    /// The policy's name.
    pub policy: &'a str,
    /// The posterior's name.
    pub posterior: &'a str,
    /// The version of the program.
    pub version: &'a str,
}

/// One sentence that says which arm was chosen, how sure that is and of what kind the confidence is, and what it took.
pub fn sentence(conclusion: &Conclusion, setting: &Setting<'_>) -> String {
    let Setting {
        arm,
        arms,
        metric,
        splits,
        policy,
        posterior,
        version,
        ..
    } = setting;
    let where_made = where_made(setting.design, *splits);
    let effort = format!(
        "{} evaluations on {where_made}; policy {policy}, posterior {posterior}; FIESTA {version}",
        conclusion.evaluations
    );
    let probability = conclusion.probability.map(percent);
    match (&conclusion.reason, probability) {
        (Reason::PosteriorProbability { .. }, Some(p)) => format!(
            "With {p} posterior probability, {arm} is the best of {arms} arms by {metric} ({effort})."
        ),
        (Reason::Tolerance { level, tolerance }, _) => format!(
            "With at least {} posterior probability, {arm} is within {tolerance} of the best of {arms} arms by {metric} ({effort}).",
            percent(*level)
        ),
        (Reason::AnytimeValid { level, tolerance }, _) => format!(
            "{arm} is {} of {arms} arms by {metric}: for Gaussian scores, the anytime-valid test behind this errs in at most {} of studies, whatever the arms ({effort}).",
            if *tolerance > 0.0 {
                format!("within {tolerance} of the best")
            } else {
                "the best".to_owned()
            },
            percent(1.0 - level)
        ),
        (Reason::Limit(limit), Some(p)) => format!(
            "After {}, {arm} is recommended among {arms} arms by {metric}, with {p} posterior probability of being the best; the limit ended the study, so that no level of confidence is claimed ({effort}).",
            spent(limit)
        ),
        (Reason::Limit(limit), None) => format!(
            "After {}, {arm} is recommended among {arms} arms by {metric}; too little is known for a probability ({effort}).",
            spent(limit)
        ),
        (Reason::Exhausted, p) => format!(
            "With every document of the collection queried, {arm} is recommended among {arms} arms by {metric}{}; nothing more can be learnt from these documents ({effort}).",
            p.map_or_else(
                || ", too little being known for a probability".to_owned(),
                |p| format!(", with {p} posterior probability of being the best")
            )
        ),
        (Reason::OnlyCandidate, _) => format!(
            "{arm} is the only one of {arms} arms that could be evaluated; it was not compared with any other ({effort})."
        ),
        (_, p) => format!(
            "{arm} is chosen among {arms} arms by {metric}{} ({effort}).",
            p.map_or_else(String::new, |p| format!(
                ", with {p} posterior probability of being the best"
            ))
        ),
    }
}

/// On how many splits or documents of a design.
pub(crate) fn where_made(design: Design, splits: usize) -> String {
    let plural = if splits == 1 { "" } else { "s" };
    match design {
        Design::Shared => format!("{splits} shared split{plural}"),
        Design::Independent => format!("{splits} independent split{plural}"),
        Design::Fixed => {
            "one fixed split, so that the conclusion holds for that split only".to_owned()
        }
        Design::Documents { count } => format!("{splits} of {count} documents"),
    }
}

pub(crate) fn spent(limit: &Limit) -> String {
    match limit {
        Limit::Evaluations(count) => format!("the limit of {count} evaluations"),
        Limit::Cost(cost) => format!("the limit of {cost} in cost"),
        Limit::Wall(seconds) => format!("the limit of {seconds:.0} s"),
        _ => "a limit".to_owned(),
    }
}

/// A probability in percent that never claims certainty it has not got.
///
/// ```
/// use fiesta_report::percent;
/// assert_eq!(percent(0.9534), "95.3 %");
/// assert_eq!(percent(0.99999), "> 99.9 %");
/// assert_eq!(percent(0.0), "< 0.1 %");
/// ```
pub fn percent(p: f64) -> String {
    if p > 0.999 {
        "> 99.9 %".to_owned()
    } else if p < 0.001 {
        "< 0.1 %".to_owned()
    } else {
        // Rounded down: 94.96 % is not yet 95.
        format!("{:.1} %", (p * 1000.0 + 1e-9).floor() / 10.0)
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
            metric: "macro-F1",
            splits: 20,
            design: Design::Shared,
            policy: "ttts",
            posterior: "pooled",
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
            "With 95.6 % posterior probability, tdlstm is the best of 8 arms by macro-F1 (61 evaluations on 20 shared splits; policy ttts, posterior pooled; FIESTA 0.1.0)."
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
        };
        assert!(sentence(&conclusion, &setting).starts_with(
            "tdlstm is the best of 8 arms by macro-F1: for Gaussian scores, the anytime-valid test behind this errs in at most 5.0 % of studies"
        ));
        conclusion.reason = Reason::AnytimeValid {
            level: 0.95,
            tolerance: 0.01,
        };
        assert!(
            sentence(&conclusion, &setting).starts_with("tdlstm is within 0.01 of the best of 8")
        );
        conclusion.reason = Reason::Limit(Limit::Evaluations(800));
        conclusion.probability = Some(0.5);
        assert!(
            sentence(&conclusion, &setting)
                .starts_with("After the limit of 800 evaluations, tdlstm")
        );
        conclusion.reason = Reason::Exhausted;
        let of_documents = Setting {
            design: Design::Documents { count: 20 },
            ..setting
        };
        assert_eq!(
            sentence(&conclusion, &of_documents),
            "With every document of the collection queried, tdlstm is recommended among 8 arms by macro-F1, with 50.0 % posterior probability of being the best; nothing more can be learnt from these documents (61 evaluations on 20 of 20 documents; policy ttts, posterior pooled; FIESTA 0.1.0)."
        );
    }
}
