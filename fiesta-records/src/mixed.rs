//! Scores that do not belong together: of parts of the data, in several units, and rows of other numbers.

use crate::{
    Evaluations, HeaderProblem, Reading,
    data_part::{DataPart, are_parts},
    loss_among, named_direction,
    proposal::{names_quantity, names_summary, plain},
    words::{excerpt, quoted},
};
use fiesta_core::Direction;
use std::collections::HashSet;

impl Evaluations {
    /// Refuses scores of training beside scores of evaluation, losses beside scores, and scores in several
    /// units. In a table with a column for each arm, rows of numbers that are no scores are refused, too.
    /// `splits` are the splits' names, if they have any, or those of the columns of data sets.
    pub(crate) fn check_mixed(
        &self,
        splits: &[String],
        options: &Reading,
    ) -> Result<(), HeaderProblem> {
        let refused = |problem: String| {
            Err(HeaderProblem::Choose {
                problem,
                choices: Vec::new(),
            })
        };
        for (column, name) in self.columns().iter().enumerate() {
            let cells = || (0..self.records().len()).filter_map(move |row| self.cell(row, column));
            if mixes_parts(name, cells()) {
                return refused(parts(name));
            }
            let is_unit = matches!(&*plain(name), "unit" | "units");
            if is_unit
                && let Some(one) = cells().next()
                && let Some(other) = cells().find(|cell| *cell != one)
            {
                return refused(format!(
                    "scores are in several units, by `{}`: `{}` and `{}`; write all in one unit",
                    excerpt(name),
                    excerpt(one),
                    excerpt(other)
                ));
            }
        }
        let names = if self.items().is_empty() {
            splits
        } else {
            self.items()
        };
        if mixes_parts("item", names.iter().map(String::as_str)) {
            return refused(parts("item"));
        }
        if options.arms.is_empty() && are_parts(self.arms().iter().map(String::as_str)) {
            return refused(format!(
                "the arms {} are by their names parts of the data, and no systems: name the column of the systems with --arm, or, if these are systems, name them with --arms",
                quoted(self.arms())
            ));
        }
        if options.arms.is_empty()
            && let Some([summary, of]) = summary_among(self.arms())
        {
            return refused(format!(
                "the arm `{}` is by its name a summary of `{}`, and no system: leave such rows out, or name the systems with --arms",
                excerpt(summary),
                excerpt(of)
            ));
        }
        let is_average = |name: &&str| self.file.rows_are_systems && names_summary(name);
        let called = names
            .iter()
            .map(String::as_str)
            .filter(|name| !is_average(name));
        let directed = |direction| {
            let mut of = called.clone();
            of.find(|name| named_direction(name) == Some(direction))
        };
        let is_table = self.is_wide() || self.file.rows_are_systems;
        let both = [Direction::Minimize, Direction::Maximize].map(directed);
        let pair = match both {
            [Some(loss), Some(score)] if is_table => Some([loss, score]),
            _ => loss_among(called),
        };
        if let Some(pair) = pair {
            return refused(loss_beside(pair));
        }
        match names.iter().find(|name| names_quantity(name)) {
            Some(name) if self.is_wide() => refused(format!(
                "the row `{}` holds by its name other numbers than the rows beside it: leave such rows out",
                excerpt(name)
            )),
            _ => Ok(()),
        }
    }
}

/// Returns the message that scores of the first name are better when smaller and those of the second are not.
pub(crate) fn loss_beside(pair: [&str; 2]) -> String {
    let [loss, other] = pair.map(excerpt);
    format!(
        "by the names, smaller scores of `{loss}` are better and those of `{other}` are not, so that they have no mean: keep those of one kind, or, where a column names the data sets, name it with --benchmark, and say --scale {loss}=WORST,BEST"
    )
}

/// Finds an arm that is called as another arm with the name of a statistic behind it, as benchmark libraries call summaries
/// of repeats: `sort_stddev` beside `sort`. A mean alone may be a method, such as `glove_mean` beside `glove`.
fn summary_among(arms: &[String]) -> Option<[&String; 2]> {
    const SPREADS: [&str; 4] = ["_stddev", "_std", "_cv", "_stderr"];
    let all: HashSet<&str> = arms.iter().map(String::as_str).collect();
    arms.iter().find_map(|arm| {
        let of = SPREADS.iter().find_map(|spread| arm.strip_suffix(spread))?;
        let is_summary = all.contains(&*format!("{of}_mean"));
        let base = arms.iter().find(|other| *other == of);
        base.filter(|_| is_summary).map(|base| [arm, base])
    })
}

/// Returns whether some values of a column name the training data, and others another part of the
/// data.
pub(crate) fn mixes_parts<'c>(name: &str, values: impl Iterator<Item = &'c str>) -> bool {
    let is_question = matches!(
        &*plain(name),
        "train" | "is_train" | "training" | "is_training"
    );
    let (mut has_training, mut has_other) = (false, false);
    for value in values {
        let plain = plain(value);
        let part = match &*plain {
            "true" | "yes" | "1" if is_question => Some(DataPart::Training),
            "false" | "no" | "0" if is_question => Some(DataPart::Test),
            plain => plain.split('_').next().and_then(DataPart::of_word),
        };
        match part {
            Some(DataPart::Training) => has_training = true,
            Some(_) => has_other = true,
            None => return false,
        }
    }
    has_training && has_other
}

/// Returns the message that a column names the training data on some rows and another part of the data on others.
pub(crate) fn parts(name: &str) -> String {
    format!(
        "some rows are of training and others of another part of the data, by `{}`: keep the rows of one part",
        excerpt(name)
    )
}

#[cfg(test)]
mod tests {
    use crate::{Reading, read_from};

    fn read(csv: &str) -> Result<Vec<String>, String> {
        let options = Reading {
            keep_columns: true,
            ..Reading::default()
        };
        let read = read_from(csv.as_bytes(), None, &options, "s");
        let read = read.map_err(|error| error.to_string())?;
        Ok(read.cautions_of_arms(&[]))
    }

    #[test]
    fn rows_of_training_are_not_rows_of_tests() {
        for column in ["set,train,test", "phase,training,eval", "train,True,False"] {
            let [name, one, other] = column.split(',').collect::<Vec<_>>()[..] else {
                unreachable!()
            };
            let csv =
                format!("arm,{name},score\na,{one},1\na,{other},.8\nb,{one},.9\nb,{other},.85\n");
            assert!(
                read(&csv)
                    .unwrap_err()
                    .contains("keep the rows of one part"),
                "{csv}"
            );
            assert!(read(&csv.replace(one, other)).is_ok());
        }
        let options = Reading {
            columns: crate::ColumnNames {
                split: Some("fold".to_owned()),
                ..Default::default()
            },
            ..Reading::default()
        };
        let csv = "arm,split,fold,score\na,train,0,1\na,test,0,.8\nb,train,0,.9\nb,test,0,.85\n";
        let error = read_from(csv.as_bytes(), None, &options, "s").unwrap_err();
        assert!(
            error
                .to_string()
                .contains("by `split`: keep the rows of one part")
        );
        let items = "arm,item,score\na,train,1\na,test,.8\nb,train,.9\nb,test,.85\n";
        assert!(
            read(items)
                .unwrap_err()
                .contains("keep the rows of one part")
        );
    }

    #[test]
    fn other_numbers_are_no_scores() {
        let units = "arm,unit,score\na,s,1\na,ms,800\nb,s,.9\nb,s,.85\n";
        assert!(read(units).unwrap_err().contains("several units"));
        for row in [
            "Params (M)",
            "GPU hours",
            "train time s",
            "p-value",
            "std",
            "Δ",
            "Avg. rank",
            "median",
            "# wins",
        ] {
            let csv = format!("Dataset,A,B\nSST,.93,.94\nQQP,.91,.92\n{row},.5,.25\n");
            assert!(
                read(&csv).unwrap_err().contains("leave such rows out"),
                "{row}"
            );
        }
        assert!(read("Dataset,A,B\nacc,.93,.94\nf1,.91,.92\nWER,.5,.25\n").is_err());
        for row in [
            "number theory",
            "memory tasks",
            "time series",
            "rank-1 queries",
        ] {
            assert!(
                read(&format!(
                    "Dataset,A,B\nSST,.93,.94\nQQP,.91,.92\n{row},.5,.25\n"
                ))
                .is_ok(),
                "{row}"
            );
        }
    }

    #[test]
    fn summaries_of_repeats_are_no_arms() {
        let rows = "arm,score\nsort,5\nsort,6\nmerge,7\nmerge,8\nsort_mean,5.5\n";
        let told = read(&format!("{rows}sort_stddev,.7\n")).unwrap_err();
        assert!(
            told.contains("`sort_stddev` is by its name a summary of `sort`"),
            "{told}"
        );
        assert!(read(rows).is_ok());
    }

    #[test]
    fn losses_have_no_mean_with_scores() {
        for text in [
            "Dataset,A,B\nMMLU ↑,71,70\nWikiText-2 ↓,8,15\n",
            "Dataset,A,B\nMMLU,71,70\nBoolQ,81,80\nLibri RMSE,5,9\n",
            "Model,MMLU ↑,WikiText-2 ↓,LAMBADA ↓\nsvm,71,8,5\nrf,70,15,9\n",
            "arm,item,score\nA,MMLU,71\nB,MMLU,70\nA,LibriSpeech WER,5\nB,LibriSpeech WER,9\n",
            "arm,item,score\nA,boston_rmse,.3\nB,boston_rmse,.4\nA,adult_acc,.8\nB,adult_acc,.7\n",
        ] {
            let told = read(text).expect_err(text);
            assert!(told.contains("so that they have no mean"), "{text}{told}");
        }
        for text in [
            "Dataset,A,B\nLibri WER,5,9\nWikiText-2 ↓,8,15\n",
            "arm,item,score\nA,error handling,1\nB,error handling,0\nA,style,1\nB,style,1\n",
            "arm,item,score\nA,wer bin ich,1\nB,wer bin ich,0\nA,style,1\nB,style,1\n",
        ] {
            assert!(read(text).is_ok(), "{text}");
        }
    }
}
