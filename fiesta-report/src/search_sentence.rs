//! The sentence to quote of a random search.

use crate::{
    ArmCount, CostUnit,
    sentence::{spent, where_made},
    words::count,
};
use fiesta_core::{Design, Reason};

/// What the sentence of a random search needs to know.
#[derive(Debug, Clone, Copy)]
pub struct SearchResult<'a> {
    /// The name of the arm with the best score.
    pub arm: &'a str,
    /// How many arms were searched.
    pub arms: ArmCount,
    /// The metric's name.
    pub metric: &'a str,
    /// The best score.
    pub score: f64,
    /// The setting that it belongs to, in words; empty if the arm has no hyperparameters.
    pub setting: &'a str,
    /// How many trials each arm was to get.
    pub trials: u64,
    /// How many trials were made, over all arms, failed ones included.
    pub evaluations: u64,
    /// How many of them failed.
    pub failed: u64,
    /// Why the search ended: a limit or the last split may come before every arm had its trials.
    pub reason: &'a Reason,
    /// How many different splits the trials were made on.
    pub splits: usize,
    /// How splits were handed out.
    pub design: Design,
    /// The unit of costs, if they have one.
    pub cost_unit: Option<&'a CostUnit>,
    /// The version of the program.
    pub version: &'a str,
}

/// One sentence that says which arm has the best score, with which setting, of how many trials, and
/// that the best of many scores is not what new data will show.
pub fn search_sentence(result: &SearchResult<'_>) -> String {
    let SearchResult {
        arm,
        arms,
        metric,
        score,
        setting,
        trials,
        evaluations,
        failed,
        version,
        ..
    } = *result;
    let trials = format!("{} of random search", count(trials, "trial"));
    let over = match result.reason {
        Reason::Limit(limit) => {
            format!(
                "After {}, before every arm had its {trials}",
                spent(limit, result.cost_unit)
            )
        }
        Reason::Exhausted => {
            format!("With every split that there is used, before every arm had its {trials}")
        }
        _ if arms.all == 1 => format!("Over {trials}"),
        _ => format!("Over {trials} each"),
    };
    let among = match arms.all {
        1 => String::new(),
        _ => format!(" of {arms} arms"),
    };
    let setting = match setting {
        "" => String::new(),
        setting => format!(", with {setting}"),
    };
    let failed = match failed {
        0 => String::new(),
        failed => format!(", {failed} of which failed"),
    };
    format!(
        "{over}, {arm} has the best {metric}{among}, {score}{setting}; being the best of many, it is better than what the same setting can be expected to score on new data ({evaluations} evaluations{failed}, on {}; FIESTA {version}).",
        where_made(result.design, result.splits, "split")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta_core::Limit;

    #[test]
    fn says_what_was_searched_and_how_it_ended() {
        let mut result = SearchResult {
            arm: "mlp",
            arms: 2.into(),
            metric: "accuracy",
            score: 0.8125,
            setting: "layers = 2, lr = 1e-3",
            trials: 50,
            evaluations: 100,
            failed: 3,
            reason: &Reason::Schedule,
            splits: 1,
            design: Design::Fixed,
            cost_unit: None,
            version: "0.1.0",
        };
        assert_eq!(
            search_sentence(&result),
            "Over 50 trials of random search each, mlp has the best accuracy of 2 arms, 0.8125, with layers = 2, lr = 1e-3; being the best of many, it is better than what the same setting can be expected to score on new data (100 evaluations, 3 of which failed, on one fixed split, so that the conclusion holds for that split only; FIESTA 0.1.0)."
        );
        let limit = Reason::Limit(Limit::Evaluations(30));
        result.reason = &limit;
        result.arms = 1.into();
        result.setting = "";
        let sentence = search_sentence(&result);
        assert!(
            sentence.starts_with(
                "After the limit of 30 evaluations, before every arm had its 50 trials of random search, mlp has the best accuracy, 0.8125; "
            ),
            "{sentence}"
        );
        result.reason = &Reason::Exhausted;
        let sentence = search_sentence(&result);
        assert!(
            sentence.starts_with("With every split that there is used, before every arm had its"),
            "{sentence}"
        );
    }
}
