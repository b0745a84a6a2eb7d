//! Evaluations of a file that have a score, of one benchmark or of several.

use super::{
    super::exit::Failure, ReadingArguments, Results, Said, is_piped, is_study, paths, source,
};
use fiesta::{
    Direction,
    import::read_benchmarks,
    records::Evaluations,
    report::{
        analysis::{ScoresOfArms, count_failures, without_unscored},
        tuning_curve::Failed,
    },
};
use std::{
    borrow::Cow,
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// Evaluations of which each has a score.
pub(crate) struct Scored {
    /// Evaluations with their scores.
    pub(crate) records: Evaluations,
    /// Whether larger or smaller scores are better.
    pub(crate) direction: Direction,
    /// Notices about the results, and the roles of columns.
    pub(crate) said: Said,
}

impl ReadingArguments {
    /// Returns the evaluations of a file that have a score, of the arms that were asked for.
    /// Failures are counted by `--failed`.
    ///
    /// # Errors
    /// As [`ResultsArguments::read_with`]; and [`Failure`] for a study, and for failures of which
    /// nothing says what they count as.
    pub(crate) fn read_scored(&self, path: &Path, more: &[PathBuf]) -> Result<Scored, Failure> {
        if more.is_empty() && is_study(path) {
            return Err(Failure::Usage(format!(
                "{} is a study, whose belief is its own: see `fiesta status` or `fiesta report`; for another posterior, `fiesta export` it to a file first",
                path.display()
            )));
        }
        let results = self.read(path, more, self.keeps_failures())?;
        self.scored(path, results)
    }

    /// Returns the evaluations of each benchmark of a file, as [`read_scored`](Self::read_scored)
    /// reads those of one: of the column of this name in tables, of the tasks in logs of answers.
    /// Without a column, and in files that have one task, there is one benchmark without a name.
    ///
    /// # Errors
    /// As [`read_scored`](Self::read_scored) of each benchmark.
    pub(crate) fn read_benchmarks(
        &self,
        path: &Path,
        more: &[PathBuf],
        column: Option<&str>,
    ) -> Result<Vec<(String, Scored)>, Failure> {
        let paths: Vec<&Path> = paths(path, more);
        if is_study(path) || paths.iter().any(|path| is_piped(path)) {
            if column.is_some() {
                return Err(Failure::Usage(format!(
                    "--benchmark is about tables and logs in files, which are read more than once, and {} is none: name a file",
                    source(path)
                )));
            }
            return Ok(vec![(String::new(), self.read_scored(path, more)?)]);
        }
        let options = self.options(self.keeps_failures())?;
        let read = read_benchmarks(&paths, &options, column)?.into_iter();
        let read = read.map(|(name, found)| {
            let scored = self.scored(path, self.found(path, found)?)?;
            Ok((name, scored))
        });
        read.collect()
    }

    /// Returns whether evaluations that failed are kept, as they count as a flag says.
    fn keeps_failures(&self) -> bool {
        let asked = self.scores.failed;
        asked.is_some_and(|failed| failed != Failed::Error)
    }

    /// Returns the evaluations of results that have a score. Failures are counted by `--failed`.
    fn scored(&self, path: &Path, results: Results) -> Result<Scored, Failure> {
        let asked = self.scores.failed;
        let Results {
            records,
            direction,
            mut said,
            is_foreign,
            ..
        } = results.compared()?;
        let failed = asked.unwrap_or(if is_foreign {
            Failed::Drop
        } else {
            Failed::Error
        });
        let source = source(path);
        let bounds = self.scores.bounds;
        let (counted, told) = count_failures(&records, failed, direction, bounds, &source)?;
        said.notices.extend(told);
        let told = records.cautions_of_arms(&said.roles);
        said.notices.extend(told);
        let (counted, told) = match asked {
            Some(Failed::Drop) => without_unscored(counted),
            _ => (counted, None),
        };
        said.notices.extend(told);
        let is_arm_asked_for = !self.scores.arms.is_empty() || self.scores.columns()?.arm.is_some();
        if is_foreign
            && !is_arm_asked_for
            && let [only] = records.arms()
        {
            refuse_one_arm(only, &records)?;
        }
        // Most files have nothing to leave out, and may be large: their records are not copied.
        let counted = match counted {
            Cow::Owned(counted) => Some(counted),
            Cow::Borrowed(_) => None,
        };
        Ok(Scored {
            records: counted.unwrap_or(records),
            direction,
            said,
        })
    }

    /// Returns the scores of the arms of a file, or of several logs of answers, as
    /// [`read_scored`](Self::read_scored) reads them, and the notices about them.
    pub(crate) fn scores_of(
        &self,
        path: &Path,
        more: &[PathBuf],
    ) -> Result<(ScoresOfArms<'static>, Said), Failure> {
        let scored = self.or_tell(path, |reading| reading.read_scored(path, more))?;
        scored.said.say();
        let scores = ScoresOfArms::new(&scored.records, &[], scored.direction, source(path))?;
        let scores = scores.in_pool(self.scores.bounds, None)?;
        Ok((scores, scored.said))
    }
}

/// Refuses results of another tool with a single arm, where a column could name several arms.
fn refuse_one_arm(arm: &str, records: &Evaluations) -> Result<(), Failure> {
    let names = records.columns().iter().enumerate();
    let could_be_arms = |&(column, _): &(usize, &String)| {
        let rows = 0..records.records().len();
        let values: BTreeSet<&str> = rows.filter_map(|row| records.cell(row, column)).collect();
        values.len() > 1 && 2 * values.len() <= records.records().len()
    };
    let names = names
        .filter(could_be_arms)
        .map(|(_, name)| format!("`{name}`"));
    let names: Vec<String> = names.collect();
    if names.is_empty() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "all of this is one arm, `{arm}`: name the column of what is to be compared with --arm, such as one of {}",
        names.join(", ")
    )))
}
