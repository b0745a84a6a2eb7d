//! Recorded trials of a search for hyperparameters: the best trial of each arm, the best of n, and
//! the sentence to quote.

use super::{ReportInput, evidence::Evidence, verdict::NOTHING};
use crate::{ArmTable, BestTrial, analysis::study::first_best, words::count};
use fiesta_core::ArmId;
use fiesta_policies::random_search::Value;

/// Prefix of the names of columns that hold hyperparameters.
const SETTING: &str = "params_";

/// Greatest number of characters of a number that is quoted as it stands; longer ones are rounded.
const LONG_NUMBER: usize = 10;

impl ReportInput {
    /// Returns whether the evaluations are trials of a search that no study of ours made.
    pub(super) fn is_recorded_search(&self) -> bool {
        self.of_search && self.study.is_none()
    }
}

/// Adds the best trial of each arm to the table, and recommends the arm with the best of all.
pub(super) fn complete(table: &mut ArmTable, input: &ReportInput) {
    let direction = input.direction;
    for (arm, row) in table.arms.iter_mut().enumerate() {
        let of_arm = input.records.records().iter().enumerate();
        let of_arm = of_arm.filter(|(_, record)| record.arm == ArmId::new(arm));
        let best = first_best(of_arm, direction, |(_, record)| record.score);
        row.best_trial = best.map(|(place, record)| BestTrial {
            score: record.score,
            setting: setting(input, place),
        });
    }
    let scores = table.arms.iter().enumerate();
    let scores = scores.filter_map(|(arm, row)| Some((arm, row.best_trial.as_ref()?.score)));
    let best = first_best(scores, direction, |(_, score)| *score);
    table.recommended = best.map(|(arm, _)| arm);
}

/// Returns the hyperparameters of a trial in words; empty where its file does not say which columns
/// they are.
fn setting(input: &ReportInput, record: usize) -> String {
    let columns = input.records.columns().iter().enumerate();
    let of_setting = columns.filter_map(|(column, name)| {
        let name = name.strip_prefix(SETTING)?;
        let value = input.records.cell(record, column)?;
        let number = value.parse().ok().filter(|_| value.len() > LONG_NUMBER);
        let words = number.map_or_else(|| value.to_owned(), |n: f64| Value::from(n).in_words());
        Some(format!("{name} = {words}"))
    });
    of_setting.collect::<Vec<_>>().join(", ")
}

/// Returns the verdict on a search, as the rest of a sentence that begins with the arm's name, and
/// the sentence to quote.
pub(super) fn verdict(evidence: &Evidence<'_>) -> (String, String) {
    let best = evidence.best().and_then(|arm| {
        let trial = evidence.table.arms[arm].best_trial.as_ref()?;
        Some((&evidence.table.arms[arm].name, trial))
    });
    let Some((name, trial)) = best else {
        return (NOTHING.to_owned(), String::new());
    };
    let target = evidence.target();
    let among = match evidence.evaluations.arms.len() {
        1 => String::new(),
        arms => format!(" of {arms} arms"),
    };
    let failed = evidence.evaluations.failed();
    let trials = count(evidence.evaluations.scored() as u64 + failed, "trial");
    let failed = match failed {
        0 => String::new(),
        failed => format!(", {failed} of which count as failures"),
    };
    let score = trial.score;
    let setting = match trial.setting.as_str() {
        "" => String::new(),
        setting => format!(", with {setting}"),
    };
    let version = env!("CARGO_PKG_VERSION");
    let verdict = format!("has the best {target}{among}, {score:.4}, of {trials}.");
    let sentence = format!(
        "Over {trials}{failed}, {name} has the best {target}{among}, {score}{setting}; being the best of many, it is better than what the same setting can be expected to score on new data (recorded beforehand; FIESTA {version})."
    );
    (verdict, sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        analysis::report::{ReportOptions, WrittenReport},
        tuning_curve::Failed,
    };
    use fiesta_core::Direction;
    use fiesta_records::{Reading, read_from};

    /// Losses of two samplers, of which `narrow` has the better mean and `wide` the better best.
    fn report(of_search: bool, failed: Failed) -> WrittenReport {
        let narrow = (0..12).map(|k| format!("narrow,{:?},{k}", 0.3 + f64::from(k % 4) / 100.0));
        let wide = (0..12).map(|k| format!("wide,{:?},{k}", 0.1 + f64::from((k * 5) % 12) / 10.0));
        let rows: Vec<String> = narrow.chain(wide).collect();
        let text = format!("arm,loss,params_depth\n{}\nwide,,99\n", rows.join("\n"));
        let options = Reading {
            metric: Some("loss".to_owned()),
            keep_failures: true,
            keep_missing: true,
            keep_columns: true,
            ..Reading::default()
        };
        let input = ReportInput {
            title: "search".to_owned(),
            source: "search.csv".to_owned(),
            records: read_from(text.as_bytes(), None, &options, "search.csv").unwrap(),
            metric: "loss".to_owned(),
            direction: Direction::Minimize,
            bounds: None,
            of_search,
            study: None,
            notices: Vec::new(),
        };
        let options = ReportOptions {
            failed,
            ..ReportOptions::default()
        };
        WrittenReport::new(&input, &options).unwrap()
    }

    #[test]
    fn a_search_is_won_by_its_best_trial() {
        let found = report(true, Failed::Drop);
        let answer = &found.page.answer;
        assert_eq!(answer.arm.as_deref(), Some("wide"));
        assert_eq!(
            answer.verdict,
            "has the best loss of 2 arms, 0.1000, of 25 trials."
        );
        assert_eq!(
            answer.sentence,
            format!(
                "Over 25 trials, 1 of which count as failures, wide has the best loss of 2 arms, 0.1, with depth = 0; being the best of many, it is better than what the same setting can be expected to score on new data (recorded beforehand; FIESTA {}).",
                env!("CARGO_PKG_VERSION")
            )
        );
        assert!(answer.belief.is_empty());
        let files: Vec<&str> = found.tables.iter().map(|table| table.file).collect();
        assert!(
            files.contains(&"search") && files.contains(&"best-of-n"),
            "{files:?}"
        );
        assert!(found.has_trials);
    }

    #[test]
    fn other_scores_are_won_by_their_mean() {
        let found = report(false, Failed::Drop);
        assert_eq!(found.page.answer.arm.as_deref(), Some("narrow"));
        assert!(!found.page.answer.belief.is_empty());
    }

    #[test]
    fn trials_that_failed_are_counted_once() {
        for failed in [Failed::Drop, Failed::Worst] {
            let found = report(true, failed);
            let table = found.tables.iter().find(|table| table.file == "search");
            let text = table.unwrap().shown.text();
            let row = text.lines().find(|line| line.starts_with("wide")).unwrap();
            let cells: Vec<&str> = row.split_whitespace().collect();
            assert_eq!(cells[..3], ["wide", "13", "1"], "{text}");
        }
    }
}
