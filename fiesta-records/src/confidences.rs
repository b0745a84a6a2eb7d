//! Confidences of predictions, which stand in tables where scores of systems are sought.

use crate::{
    Evaluations, HeaderProblem, Reading,
    proposal::{names_gold, names_prediction, plain},
    words::excerpt,
};
use std::collections::HashMap;

impl Evaluations {
    /// Refuses scores that differ among right predictions of one item, if nobody named them: they may be the confidence of a
    /// model in what it predicted.
    pub(crate) fn check_confidences(&self, options: &Reading) -> Result<(), HeaderProblem> {
        const NAMES: [&str; 6] = ["score", "confidence", "probability", "prob", "value", "p"];
        let named = |is: fn(&str) -> bool| self.columns().iter().position(|name| is(name));
        let (Some(predicted), Some(gold)) = (named(names_prediction), named(names_gold)) else {
            return Ok(());
        };
        if options.metric.is_some() || !NAMES.contains(&&*plain(self.metric())) {
            return Ok(());
        }
        let is_right = |row: usize| {
            let (predicted, gold) = (self.cell(row, predicted), self.cell(row, gold));
            predicted.is_some_and(|text| gold.map(str::trim) == Some(text.trim()))
        };
        let mut first: HashMap<u64, f64> = HashMap::new();
        let scores = self.records().iter().enumerate();
        let right = scores.filter(|(row, _)| is_right(*row));
        let differing = right.filter_map(|(_, record)| {
            let one = *first.entry(record.split?).or_insert(record.score);
            (one.to_bits() != record.score.to_bits()).then_some((one, record.score))
        });
        let Some((one, other)) = { differing }.next() else {
            return Ok(());
        };
        let [score, predicted, gold] = [
            self.metric(),
            &self.columns()[predicted],
            &self.columns()[gold],
        ]
        .map(excerpt);
        Err(HeaderProblem::Choose {
            problem: format!(
                "`{score}` differs between right answers to one item ({one} and {other} where `{predicted}` is `{gold}`), so that it may be the confidence of a prediction: write a column that is 1 where the two are the same and else 0, or, if it is the score, name it with --metric {score}"
            ),
            choices: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{Evaluations, Reading, read_from};

    fn read(csv: &str, metric: Option<&str>) -> Result<Evaluations, String> {
        let options = Reading {
            keep_columns: true,
            metric: metric.map(str::to_owned),
            ..Reading::default()
        };
        let read = read_from(csv.as_bytes(), None, &options, "s");
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn confidences_are_no_scores() {
        let csv =
            "arm,item,prediction,label,score\na,1,x,x,.9\na,2,x,y,.8\nb,1,x,x,.6\nb,2,y,y,.6\n";
        let told = read(csv, None).unwrap_err();
        assert!(
            told.contains("(0.9 and 0.6 where `prediction` is `label`)"),
            "{told}"
        );
        assert!(read(csv, Some("score")).is_ok());
        // Equal texts have equal scores where these compare the texts, and items may be worth several points.
        assert!(read(&csv.replace(".6", ".9"), None).is_ok());
    }
}
