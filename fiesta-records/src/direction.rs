//! Better direction of scores, as the results themselves say it.

use crate::{Evaluations, Summaries, named_direction, proposal::plain, words::excerpt};
use fiesta_core::Direction;
use std::path::Path;

/// Names of columns that rank what is compared, the best first.
const RANKS: [&str; 5] = ["rank", "ranking", "place", "platz", "position"];

/// Names of columns that state the direction.
const STATEMENTS: [&str; 3] = ["higher_is_better", "larger_is_better", "greater_is_better"];

/// Reason why results do not say which scores are better.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Undirected {
    /// A table of scores below the names of systems or data sets, and nothing names the score.
    #[error(
        "nothing names the score, or says whether larger or smaller ones are better: say it with --direction"
    )]
    Nameless,
    /// The name of the score does not say which scores are better.
    #[error(
        "the name of the score, `{0}`, does not say which scores are better: say it with --direction"
    )]
    Name(String),
    /// A loss of which no value is above zero: its sign may have been turned.
    #[error(
        "`{0}` is by its name a loss, and no value is above 0: its sign may be turned, so say with --direction which scores are better"
    )]
    Negative(String),
    /// Two sources disagree on which scores are better.
    #[error("{one}, and {other}: say with --direction which scores are better")]
    Contradiction {
        /// First source and the direction that it states, in words.
        one: String,
        /// Second source and the direction that it states, in words.
        other: String,
    },
}

impl Undirected {
    /// Returns whether nothing at all says which scores are better.
    pub fn is_unsaid(&self) -> bool {
        matches!(self, Self::Nameless | Self::Name(_))
    }
}

impl Evaluations {
    /// Returns which scores are better, as the results say: by the name of the score or a column
    /// `higher_is_better`. Scores in a table with a column or a row for each system have no name:
    /// larger is better where all are 0 or 1, which are answers, or where the name of the `file`
    /// (`accuracies.csv`) or a comment above the header says it.
    ///
    /// # Errors
    /// [`Undirected`] if nothing says it, if the name is that of a loss and no score is above 0, or if
    /// the two, or a column of ranks, say different things.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::Direction;
    /// use fiesta_records::{Reading, read_from};
    /// let direction = |csv: &str| {
    ///     let options = Reading { keep_columns: true, ..Reading::default() };
    ///     read_from(csv.as_bytes(), None, &options, "s").unwrap().direction("runs.csv")
    /// };
    /// assert_eq!(direction("item,lstm,gru\nq1,1,0\nq2,0,0\n"), Ok(Direction::Maximize));
    /// assert!(direction("fold,lstm,gru\n0,8.1,7.2\n1,8.4,7.0\n").unwrap_err().is_unsaid());
    /// let error = direction("arm,score,rank\nlstm,8.1,2\ngru,7.2,1\n").unwrap_err();
    /// assert!(error.to_string().starts_with("larger `score` is by its name better, and `rank` ranks smaller ones first"));
    /// ```
    pub fn direction(&self, file: &str) -> Result<Direction, Undirected> {
        let stated = self.by_statement()?;
        // Anything may be called a score.
        let named = if stated.is_some() && self.metric == "score" {
            None
        } else {
            self.by_name(file)?
        };
        let Some((direction, one)) = named.as_ref().or(stated.as_ref()) else {
            return Err(if self.is_nameless() {
                Undirected::Nameless
            } else {
                Undirected::Name(excerpt(&self.metric))
            });
        };
        // Ranks may be by another score: they raise a doubt, and tell nothing.
        let mut others = stated.iter().cloned().chain(self.by_ranks());
        match others.find(|(other, _)| other != direction) {
            None => Ok(*direction),
            Some((_, other)) => Err(Undirected::Contradiction {
                one: one.clone(),
                other,
            }),
        }
    }

    /// Returns whether all scores are 0 or 1: answers that are wrong or right, of which larger is better.
    pub fn are_right_or_wrong(&self) -> bool {
        let mut scores = self.all.iter().map(|record| record.score);
        scores.all(|score| [0.0, 1.0].contains(&score))
    }

    /// Returns whether nothing in the file names the score.
    fn is_nameless(&self) -> bool {
        (self.file.wide || self.file.rows_are_systems) && self.metric == "score"
    }

    /// Returns the better direction of the scores, as the name of the score says it.
    fn by_name(&self, file: &str) -> Result<Option<(Direction, String)>, Undirected> {
        let scores = self.all.iter().map(|record| record.score);
        let around = of_file(file).or(self.file.said_above);
        if self.is_nameless() {
            // A file may be about errors and hold accuracies: its name alone makes no loss.
            let larger = match around {
                Some(Direction::Minimize) => None,
                Some(Direction::Maximize) => Some("as the name of the file or a comment says"),
                None => self
                    .are_right_or_wrong()
                    .then_some("as 0 and 1 are wrong and right answers"),
            };
            return Ok(larger.map(|why| (Direction::Maximize, format!("larger is better, {why}"))));
        }
        let name = excerpt(&self.metric);
        if self.metric == "score" && around == Some(Direction::Minimize) {
            return Err(Undirected::Contradiction {
                one: "larger `score` is by its name better".to_owned(),
                other: "the name of the file, or a comment in it, is one of a loss".to_owned(),
            });
        }
        let named = by_name(&self.metric, scores)?;
        Ok(named.map(|direction| {
            let said = format!("{} `{name}` is by its name better", sized(direction));
            (direction, said)
        }))
    }

    /// Returns the better direction of the scores, as a column such as `higher_is_better` says it.
    fn by_statement(&self) -> Result<Option<(Direction, String)>, Undirected> {
        let Some((column, name)) = self.column_of(&STATEMENTS) else {
            return Ok(None);
        };
        let says = |direction, line| {
            format!(
                "`{name}` says on line {line} that {} scores are better",
                sized(direction)
            )
        };
        let mut found: Option<(Direction, String)> = None;
        for (row, record) in self.all.iter().enumerate() {
            let direction = match self.cell(row, column).map(str::to_lowercase).as_deref() {
                Some("true" | "1" | "yes") => Direction::Maximize,
                Some("false" | "0" | "no") => Direction::Minimize,
                _ => continue,
            };
            match &found {
                None => found = Some((direction, says(direction, record.line))),
                Some((first, one)) if *first != direction => {
                    return Err(Undirected::Contradiction {
                        one: one.clone(),
                        other: says(direction, record.line),
                    });
                }
                Some(_) => {}
            }
        }
        Ok(found)
    }

    /// Returns which scores a column of ranks puts first, if it agrees with most of the arms' means.
    fn by_ranks(&self) -> Option<(Direction, String)> {
        const MOST: usize = 1000;
        let (column, name) = self.column_of(&RANKS)?;
        if self.arms().len() > MOST {
            return None;
        }
        let mut sums = vec![(0.0, 0.0, 0.0); self.arms().len()];
        for (row, record) in self.all.iter().enumerate() {
            let rank: f64 = self.cell(row, column)?.parse().ok()?;
            let (score, ranks, count) = &mut sums[record.arm.index()];
            (*score, *ranks, *count) = (*score + record.score, *ranks + rank, *count + 1.0);
        }
        let means = sums.iter().filter(|(.., count)| *count > 0.0);
        let means: Vec<(f64, f64)> = means
            .map(|(score, rank, count)| (score / count, rank / count))
            .collect();
        let mut pairs = [0, 0];
        for (place, one) in means.iter().enumerate() {
            for other in &means[..place] {
                let sign = (one.0 - other.0) * (one.1 - other.1);
                pairs[0] += usize::from(sign < 0.0);
                pairs[1] += usize::from(sign > 0.0);
            }
        }
        // Kendall's tau is at least one half.
        let direction = match pairs {
            [larger, smaller] if larger >= 3 * smaller && larger > 0 => Direction::Maximize,
            [larger, smaller] if smaller >= 3 * larger && smaller > 0 => Direction::Minimize,
            _ => return None,
        };
        Some((
            direction,
            format!("`{name}` ranks {} ones first", sized(direction)),
        ))
    }

    /// Returns the number and the name of the user's column that has one of these plain names.
    fn column_of(&self, plain_names: &[&str]) -> Option<(usize, &str)> {
        let mut columns = self.columns().iter().enumerate();
        let found = columns.find(|(_, name)| plain_names.contains(&&*plain(name)));
        found.map(|(column, name)| (column, name.as_str()))
    }
}

impl Summaries {
    /// Returns which scores are better, as the name of the score says.
    ///
    /// # Errors
    /// [`Undirected`] if the name does not say it, or is that of a loss and no mean is above 0.
    pub fn direction(&self) -> Result<Direction, Undirected> {
        let named = by_name(&self.metric, self.rows.iter().map(|row| row.mean))?;
        named.ok_or_else(|| Undirected::Name(excerpt(&self.metric)))
    }

    /// Returns which scores are better on one data set or [several](Self::read_each), whose scores
    /// have no name: larger is better where the name of the `file` says it (`accuracies.csv`).
    ///
    /// # Errors
    /// As [`direction`](Self::direction), and [`Undirected`] if the name of the file does not say
    /// it.
    pub fn direction_on(each: &[Self], file: &str) -> Result<Direction, Undirected> {
        if let [one] = each {
            return one.direction();
        }
        let larger = of_file(file).filter(|&named| named == Direction::Maximize);
        larger.ok_or(Undirected::Nameless)
    }
}

/// Returns which scores are better by the name of their metric.
fn by_name(
    metric: &str,
    mut scores: impl Iterator<Item = f64> + Clone,
) -> Result<Option<Direction>, Undirected> {
    let named = named_direction(metric);
    let is_loss = named == Some(Direction::Minimize);
    if is_loss && scores.clone().all(|score| score <= 0.0) && scores.any(|score| score < 0.0) {
        return Err(Undirected::Negative(excerpt(metric)));
    }
    Ok(named)
}

/// Returns which scores are better, as the name of their file says.
fn of_file(file: &str) -> Option<Direction> {
    let name = Path::new(file).file_name()?.to_str()?.split('.').next()?;
    let is_any_score = |word: &str| matches!(word, "score" | "scores");
    let words = plain(name);
    if words.split('_').any(is_any_score) {
        return None;
    }
    named_direction(name)
}

fn sized(direction: Direction) -> &'static str {
    match direction {
        Direction::Maximize => "larger",
        Direction::Minimize => "smaller",
    }
}
