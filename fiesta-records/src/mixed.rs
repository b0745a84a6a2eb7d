//! Scores that do not belong together: of parts of the data, in several units, rows of other numbers, copies, and arms
//! that were evaluated on other cases.

use crate::{
    Evaluations, HeaderProblem, Reading,
    data_part::{DataPart, are_parts},
    loss_among, named_direction,
    proposal::{is_group, is_remark, names_quantity, names_summary, plain},
    words::{count, excerpt, quoted},
};
use fiesta_core::Direction;
use std::collections::{BTreeMap, HashSet};

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

    /// Returns a line on copies of scores, and on columns by which arms were evaluated on other cases.
    pub(crate) fn cautions_of_cases(&self) -> Vec<String> {
        let copies = self.copies().map(|copies| {
            format!(
                "{} of the same arm, split and score as another one, and each counts as an evaluation of its own: if these are copies, keep one of each",
                count(copies as u64, "row")
            )
        });
        let columns = self.columns().iter().enumerate();
        let unequal = columns.filter_map(|(column, name)| {
            let [value, one, other] = self.unequal(column)?;
            Some(format!(
                "`{one}` has far more scores of `{}` = `{value}` than `{other}`: a difference between arms may be one of these cases, so compare the scores of each value by themselves",
                excerpt(name)
            ))
        });
        copies.into_iter().chain(unequal).collect()
    }

    /// Returns how many records are copies of an earlier one on the same split, if half of all are.
    fn copies(&self) -> Option<usize> {
        const MOST: usize = 1_000_000;
        let records = self.records();
        if records.len() > MOST || records.iter().any(|record| record.split.is_none()) {
            return None;
        }
        let scores: HashSet<u64> = records
            .iter()
            .map(|record| record.score.to_bits())
            .collect();
        let key = |record: crate::Record| {
            (
                record.arm,
                record.split,
                record.seed,
                record.score.to_bits(),
            )
        };
        let distinct: HashSet<_> = records.iter().map(key).collect();
        let copies = records.len() - distinct.len();
        // Answers and grades agree by themselves.
        (scores.len() > 3 && 2 * copies >= records.len()).then_some(copies)
    }

    /// Finds a value of a column that is far more frequent among the scores of one arm than of another. Returns the
    /// value and both arms. `None` if there is none, or the column describes arms: no arm has two of its values, or no
    /// value is of two arms. Numbers are values of columns that are by their names of groups alone.
    fn unequal(&self, column: usize) -> Option<[String; 3]> {
        const MOST_VALUES: usize = 20;
        const MOST_ARMS: usize = 100;
        const FEWEST: f64 = 3.0;
        let (arms, name) = (self.arms().len(), &self.columns()[column]);
        if arms > MOST_ARMS || is_remark(name) {
            return None;
        }
        let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let mut totals = vec![0.0; arms];
        for (row, record) in self.records().iter().enumerate() {
            let cell = self.cell(row, column)?;
            let counts = values.entry(cell).or_insert_with(|| vec![0.0; arms]);
            counts[record.arm.index()] += 1.0;
            totals[record.arm.index()] += 1.0;
            if values.len() > MOST_VALUES || cell.parse::<f64>().is_ok() && !is_group(name) {
                return None;
            }
        }
        let is_shared = |counts: &Vec<f64>| counts.iter().filter(|&&count| count > 0.0).count() > 1;
        let varies = |arm: usize| values.values().filter(|counts| counts[arm] > 0.0).count() > 1;
        if !values.values().any(is_shared) || !(0..arms).any(varies) {
            return None;
        }
        let share = |counts: &[f64], arm: usize| counts[arm] / totals[arm];
        values.iter().find_map(|(value, counts)| {
            let with_scores = || (0..arms).filter(|&arm| totals[arm] >= FEWEST);
            let by_share =
                |one: &usize, other: &usize| share(counts, *one).total_cmp(&share(counts, *other));
            let (most, least) = (
                with_scores().max_by(by_share)?,
                with_scores().min_by(by_share)?,
            );
            let differs = share(counts, most) - share(counts, least) > 0.25;
            differs.then(|| [*value, &self.arms()[most], &self.arms()[least]].map(excerpt))
        })
    }
}

/// Returns the message that scores of the first name are better when smaller and those of the second are not.
pub(crate) fn loss_beside(pair: [&str; 2]) -> String {
    let [loss, other] = pair.map(excerpt);
    format!(
        "by the names, smaller scores of `{loss}` are better and those of `{other}` are not, so that they have no mean: keep those of one kind, or, where a column names the data sets, name it with --benchmark, and say --scale {loss}=WORST,BEST"
    )
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

    #[test]
    fn copies_and_unequal_cases_are_told_of() {
        let rows = "a,0,.7\na,1,.8\nb,0,.6\nb,1,.5\n";
        assert_eq!(read(&format!("arm,split,score\n{rows}")).unwrap(), [""; 0]);
        let told = read(&format!("arm,split,score\n{rows}{rows}")).unwrap();
        assert!(
            told[0].starts_with("4 rows of the same arm, split and score"),
            "{told:?}"
        );
        let cases = "arm,level,score\nold,easy,.9\nold,easy,.95\nold,hard,.5\nnew,hard,.6\nnew,hard,.65\nnew,easy,.97\n";
        let told = read(cases).unwrap();
        assert!(told[0].contains("`level` = `easy`"), "{told:?}");
        assert_eq!(
            read(&cases.replace("new,hard,.65", "new,easy,.65")).unwrap(),
            [""; 0]
        );
        // One arm may lack a group, and groups may be numbers.
        for (one, other) in [("en", "de"), ("1", "2")] {
            let groups = format!(
                "arm,level,score\na,{one},.9\na,{one},.91\na,{other},.6\na,{other},.61\nb,{one},.89\nb,{one},.88\nb,{one},.87\n"
            );
            let told = read(&groups).unwrap();
            let says = format!("`a` has far more scores of `level` = `{other}` than `b`");
            let also = format!("`b` has far more scores of `level` = `{one}` than `a`");
            let is_told = told[0].starts_with(&says) || told[0].starts_with(&also);
            assert!(is_told, "{told:?}");
            for name in ["best_epoch", "note"] {
                let other = groups
                    .replace("level", name)
                    .replace("en", "1")
                    .replace("de", "2");
                assert_eq!(read(&other).unwrap(), [""; 0]);
            }
            // A column that describes the arms differs between them.
            assert_eq!(read(&groups.replace(other, one)).unwrap(), [""; 0]);
        }
        let described = "arm,kind,score\na,x,.9\na,x,.8\na,x,.7\nb,y,.9\nb,y,.8\nb,y,.7\nc,y,.9\nc,y,.8\nc,y,.7\n";
        assert_eq!(read(described).unwrap(), [""; 0]);
    }
}
