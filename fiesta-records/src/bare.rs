//! Scores of arms in memory of which nothing else is known: checked, and not copied.

use crate::{
    Evaluations, Reading, Record, RecordsError, RowProblem, SplitSource, pairing::check_equal_rows,
    scales, scores::Scores, words::excerpt,
};
use fiesta_core::ArmId;

/// Scores of each arm, borrowed from where they stand in memory: the wide form without a file.
/// Every arm has at least one score, every score is finite and within the bounds.
///
/// # Example
/// ```
/// use fiesta_records::{BareScores, Reading};
/// let arms = [("lstm", &[0.71, 0.73][..]), ("gru", &[0.69])];
/// let scores = BareScores::new(arms, &Reading::default(), "scores")?;
/// assert_eq!(scores.arms(), ["lstm", "gru"]);
/// assert_eq!(scores.of_arm(1), [0.69]);
/// assert_eq!(scores.to_records().by_arm(), [vec![0.71, 0.73], vec![0.69]]);
/// # Ok::<(), fiesta_records::RecordsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BareScores<'a> {
    /// Metric and names of the arms, without any record.
    named: Evaluations,
    scores: Vec<&'a [f64]>,
}

impl<'a> BareScores<'a> {
    /// Returns the scores of each arm. `source` names them in messages, in which the number of a
    /// score is its place among those of its arm, from 1.
    ///
    /// # Errors
    /// [`RecordsError`] if the metric is none, an arm's name is empty or stands twice, an arm has
    /// no scores, a score is not finite or out of bounds, some are shares and others percentages, or rows are to be splits and arms have
    /// unequally many.
    pub fn new(
        arms: impl IntoIterator<Item = (&'a str, &'a [f64])>,
        options: &Reading,
        source: &str,
    ) -> Result<Self, RecordsError> {
        let mut known = Scores::new(options)?;
        let mut scores = Vec::new();
        for (name, of_arm) in arms {
            let number = known.records.number(name.trim());
            let is_new = number.and_then(|arm| match arm.index() == scores.len() {
                true if of_arm.is_empty() => Err(RowProblem::NoScore(excerpt(name))),
                true => Ok(()),
                false => Err(RowProblem::DuplicateKey(excerpt(name))),
            });
            if let Err(problem) = is_new {
                known.problems.add(1, problem);
                break;
            }
            for (&score, place) in of_arm.iter().zip(1..) {
                if let Err(problem) = known.check(score) {
                    let problem = RowProblem::Cell {
                        column: excerpt(name),
                        problem: Box::new(problem),
                    };
                    known.problems.add(place, problem);
                }
            }
            scores.push(of_arm);
        }
        known.problems.finish(source, scores.is_empty(), "scores")?;
        let mut named = known.records;
        let all = scores.iter().enumerate();
        let all = all.flat_map(|(arm, of)| of.iter().map(move |&score| (arm, score)));
        let checked = scales::check(named.metric(), named.arms(), all, options);
        checked.map_err(|problem| problem.at(source, 1))?;
        if options.paired_rows {
            let rows: Vec<usize> = scores.iter().map(|scores| scores.len()).collect();
            check_equal_rows(named.arms(), &rows, source)?;
            named.file.rows_are_splits = true;
        }
        Ok(Self { named, scores })
    }

    /// Returns the name of the score.
    pub fn metric(&self) -> &str {
        self.named.metric()
    }

    /// Returns the names of the arms.
    pub fn arms(&self) -> &[String] {
        self.named.arms()
    }

    /// Returns the arm with this name.
    pub fn find(&self, name: &str) -> Option<ArmId> {
        self.named.find(name)
    }

    /// The scores of the arm at this place among [`arms`](Self::arms).
    ///
    /// # Panics
    /// If there is no such arm.
    pub fn of_arm(&self, arm: usize) -> &'a [f64] {
        self.scores[arm]
    }

    /// Returns the source of the splits: places among an arm's scores, or nothing.
    pub fn split_source(&self) -> SplitSource {
        if self.named.file.rows_are_splits {
            SplitSource::Rows
        } else {
            SplitSource::Nothing
        }
    }

    /// Returns whether splits are not stated, and a score's place could be its split all the same:
    /// there are several arms, with equally many scores each, more than one.
    pub fn rows_may_be_splits(&self) -> bool {
        let mut sizes = self.scores.windows(2);
        self.split_source() == SplitSource::Nothing
            && self.scores.len() > 1
            && self.scores[0].len() > 1
            && sizes.all(|pair| pair[0].len() == pair[1].len())
    }

    /// A record for each score, with all that may be known of an evaluation.
    pub fn to_records(&self) -> Evaluations {
        let mut records = self.named.clone();
        for (arm, scores) in ArmId::all(self.scores.len()).zip(&self.scores) {
            let all = scores.iter().zip(0..).map(|(&score, place)| Record {
                split: records.file.rows_are_splits.then_some(place),
                line: place + 1,
                ..Record::new(arm, score)
            });
            all.for_each(|record| records.all.push(&record));
        }
        records
    }
}
