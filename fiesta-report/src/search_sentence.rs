//! The sentence to quote of a random search.

use crate::{
    Setting,
    sentence::{spent, where_made},
    words::count,
};
use fiesta_core::Reason;

/// Writes one sentence that says which arm has the best score, with which setting, of how many
/// trials, and that the best of many scores is not what new data will show.
///
/// A limit or the last split may end a search before every arm had its `trials`, which `reason`
/// says. `best` is the best score with the hyperparameters that it belongs to, in words; these are
/// empty if the arm has none.
pub(crate) fn search_sentence(
    reason: &Reason,
    trials: u64,
    best: (f64, &str),
    setting: &Setting<'_>,
) -> String {
    let Setting { arm, arms, .. } = setting;
    let (score, hyperparameters) = best;
    let trials = format!("{} of random search", count(trials, "trial"));
    let over = match reason {
        Reason::Limit(limit) => {
            format!(
                "After {}, before every arm had its {trials}",
                spent(limit, setting.cost_unit)
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
    let with = match hyperparameters {
        "" => String::new(),
        words => format!(", with {words}"),
    };
    let failed = match setting.failed {
        0 => String::new(),
        failed => format!(", {failed} of which failed"),
    };
    format!(
        "{over}, {arm} has the best {}{among}, {score}{with}; being the best of many, it is better than what the same setting can be expected to score on new data ({} evaluations{failed}, on {}; FIESTA {}).",
        setting.metric,
        setting.evaluations,
        where_made(setting.design, setting.splits, "split"),
        setting.version
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta_core::{Design, Limit};

    #[test]
    fn says_what_was_searched_and_how_it_ended() {
        let mut setting = Setting {
            arm: "mlp",
            arms: 2.into(),
            probability: None,
            overtaken_by: None,
            tie: None,
            cheapest_within: None,
            evaluations: 100,
            failed: 3,
            metric: "accuracy",
            splits: 1,
            design: Design::Fixed,
            noun: "split",
            unanswered: None,
            repeats: false,
            decimals: 4,
            cost_unit: None,
            version: "0.1.0",
        };
        let best = (0.8125, "layers = 2, lr = 1e-3");
        assert_eq!(
            search_sentence(&Reason::Schedule, 50, best, &setting),
            "Over 50 trials of random search each, mlp has the best accuracy of 2 arms, 0.8125, with layers = 2, lr = 1e-3; being the best of many, it is better than what the same setting can be expected to score on new data (100 evaluations, 3 of which failed, on one fixed split, so that the conclusion holds for that split only; FIESTA 0.1.0)."
        );
        let limit = Reason::Limit(Limit::Evaluations(30));
        setting.arms = 1.into();
        let sentence = search_sentence(&limit, 50, (0.8125, ""), &setting);
        assert!(
            sentence.starts_with(
                "After the limit of 30 evaluations, before every arm had its 50 trials of random search, mlp has the best accuracy, 0.8125; "
            ),
            "{sentence}"
        );
        let sentence = search_sentence(&Reason::Exhausted, 50, (0.8125, ""), &setting);
        assert!(
            sentence.starts_with("With every split that there is used, before every arm had its"),
            "{sentence}"
        );
    }
}
