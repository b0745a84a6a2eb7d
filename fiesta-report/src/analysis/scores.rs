//! Scores of the arms that an analysis compares.

use super::{
    AnalysisError, ArmScores, Score,
    belief::ItemClusters,
    pool::{ItemFacts, PoolAnswers, group_items, items_of},
};
use fiesta_core::{ArmId, Arms, Direction, Moments, Target, in_digits};
use fiesta_posterior::{self as posterior, Pool, f_measure};
use fiesta_records::{BareScores, Evaluations, Folds, SplitSource};
use serde::Serialize;

/// Scores of some arms, in the order in which they were asked for; bare scores are borrowed.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ScoresOfArms<'a> {
    /// Name of the score.
    pub metric: String,
    /// Direction in which scores are better.
    pub direction: Direction,
    /// Arms that have scores.
    pub arms: Arms,
    /// The scores of each arm.
    pub scores: Vec<ArmScores<'a>>,
    /// Source of the information which scores were made on the same split.
    pub splits: SplitSource,
    /// Note on scores that are not paired though their rows may be splits.
    pub unpaired: Option<String>,
    /// Reason why the splits are taken for folds of a cross-validation, if they are.
    pub folds: Option<Folds>,
    /// The pool of items that the arms answered, where the file names items.
    pub pool: Option<ItemPool>,
    /// Facts that the file gives of each item, where it names items.
    pub items: Vec<ItemFacts>,
    /// The file's name in messages.
    pub source: String,
}

/// A pool of items that arms answer.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ItemPool {
    /// Number of items, N.
    pub items: u64,
    /// The least and the greatest answer, as reported; none if they are not known.
    pub bounds: Option<(f64, f64)>,
    /// Origin of the items and answers of the pool: a study, a random sample, or a file alone.
    pub origin: PoolOrigin,
    /// Target of the verdict: which items it is of.
    pub target: Target,
}

/// Origin of the items and answers of a pool: a study, a random sample, or a file alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PoolOrigin {
    /// Neither a study nor the user describes the pool: the items of the file are the pool, and
    /// answers may be missing for any reason.
    File,
    /// A study of ours chose the answers, as the posterior supposes.
    Study,
    /// The user states that the items are a random sample of the pool.
    Sample,
}

/// Returns the note on scores that are not paired, if their rows may be splits.
pub fn unpaired_note(records: &Evaluations) -> Option<String> {
    records.rows_may_be_splits().then(rows_may_be_splits)
}

fn rows_may_be_splits() -> String {
    "nothing says which scores were made on the same split, so pairing is not used: arms are compared as on different splits. If the rows \
         of this file (in JSON and in the long form, the k-th scores of all arms) are splits, say so with --paired-rows"
        .to_owned()
}

impl ScoresOfArms<'static> {
    /// Returns the scores of the arms with these names; of all arms without names. `source` names
    /// the file in messages.
    ///
    /// # Errors
    /// [`AnalysisError`] if a name is not that of an arm, or stands twice, or if the best mean is that of an arm that was
    /// evaluated on easier cases.
    pub fn new(
        records: &Evaluations,
        names: &[String],
        direction: Direction,
        source: impl Into<String>,
    ) -> Result<Self, AnalysisError> {
        let (arms, places) = chosen(names, records.arms(), |name| records.find(name))?;
        // The place here of each arm of the file.
        let mut wanted = vec![None; records.arms().len()];
        for (place, arm) in places.into_iter().enumerate() {
            wanted[arm.index()] = Some(place);
        }
        records.check_versions().map_err(AnalysisError::Refused)?;
        records
            .check_cases(direction, |arm| wanted[arm.index()].is_some())
            .map_err(AnalysisError::Refused)?;
        let chosen = records.provenance().map_err(AnalysisError::Refused)?;
        let mut scores = vec![ArmScores::default(); arms.len()];
        for (number, record) in records.records().iter().enumerate() {
            if let Some(place) = wanted[record.arm.index()] {
                let turn = chosen.as_ref().map(|chosen| chosen.turns[number]);
                scores[place].push_in_turn(&record, turn);
            }
        }
        Ok(Self {
            metric: records.metric().to_owned(),
            direction,
            arms,
            scores,
            splits: records.split_source(),
            unpaired: unpaired_note(records),
            folds: records.folds().cloned(),
            pool: pool(records, chosen.map(|chosen| chosen.pool_size))?,
            items: items_of(records),
            source: source.into(),
        })
    }
}

impl<'a> ScoresOfArms<'a> {
    /// Returns scores that stand in memory, which are not copied; else as [`new`](Self::new).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// # Example
    /// ```
    /// use fiesta_core::Direction;
    /// use fiesta_records::{BareScores, Reading};
    /// use fiesta_report::analysis::ScoresOfArms;
    /// let arms = [("lstm", &[0.71, 0.73][..]), ("gru", &[0.69])];
    /// let bare = BareScores::new(arms, &Reading::default(), "scores")?;
    /// let scores = ScoresOfArms::bare(&bare, &[], Direction::Maximize, "scores")?;
    /// assert_eq!(scores.scores[0].scores(), [0.71, 0.73]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bare(
        bare: &BareScores<'a>,
        names: &[String],
        direction: Direction,
        source: impl Into<String>,
    ) -> Result<Self, AnalysisError> {
        let (arms, places) = chosen(names, bare.arms(), |name| bare.find(name))?;
        let splits = bare.split_source();
        let borrowed = |arm: &ArmId| {
            let scores = bare.of_arm(arm.index());
            ArmScores::borrowed(scores, splits == SplitSource::Rows)
        };
        Ok(Self {
            metric: bare.metric().to_owned(),
            direction,
            arms,
            scores: places.iter().map(borrowed).collect(),
            splits,
            unpaired: bare.rows_may_be_splits().then(rows_may_be_splits),
            folds: None,
            pool: None,
            items: Vec::new(),
            source: source.into(),
        })
    }

    /// Puts the items into the groups of this column of the records.
    ///
    /// # Errors
    /// [`AnalysisError`] if the file names no items, an item has no value or two of them, or these
    /// are [no groups](fiesta_records::check_groups).
    pub fn in_groups(mut self, records: &Evaluations, column: &str) -> Result<Self, AnalysisError> {
        if self.items.is_empty() {
            return Err(AnalysisError::Refused(format!(
                "groups are of the items of a pool, and {} names none: give it a column `item`, or leave the groups out",
                self.source
            )));
        }
        group_items(&mut self.items, records, column)?;
        Ok(self)
    }

    /// Sets the bounds of the answers, and the number of items in the pool where the file has only
    /// part of the pool.
    ///
    /// # Errors
    /// [`AnalysisError`] for a size without items in the file, or with more of them.
    pub fn in_pool(
        mut self,
        bounds: Option<(f64, f64)>,
        size: Option<u64>,
    ) -> Result<Self, AnalysisError> {
        let Some(pool) = &mut self.pool else {
            return match size {
                None => Ok(self),
                Some(_) => Err(AnalysisError::Refused(format!(
                    "a pool has items, and {} names none: give it a column `item`, or leave the size of the pool out",
                    self.source
                ))),
            };
        };
        if let Some(size) = size {
            if pool.origin == PoolOrigin::Study && size != pool.items {
                return Err(AnalysisError::Refused(format!(
                    "{} is of a study whose pool has {} items: leave the size of the pool out",
                    self.source, pool.items
                )));
            }
            if size < pool.items {
                return Err(AnalysisError::Refused(format!(
                    "a pool of {size} items cannot have the {} items of {}",
                    pool.items, self.source
                )));
            }
            if pool.origin == PoolOrigin::File {
                (pool.items, pool.origin) = (size, PoolOrigin::Sample);
            }
        }
        pool.bounds = bounds.or(pool.bounds);
        Ok(self)
    }

    /// Sets whether the verdict is of the items of the pool, or of items like these.
    ///
    /// # Errors
    /// [`AnalysisError`] for items like these where there is no pool.
    pub fn aimed_at(mut self, target: Target) -> Result<Self, AnalysisError> {
        let is_pool = self.default_posterior() == posterior::POOL;
        match &mut self.pool {
            Some(pool) if is_pool => pool.target = target,
            _ if target == Target::TheseItems => {}
            _ => {
                return Err(AnalysisError::Refused(format!(
                    "a verdict on {target} is about the items of a pool, and {} names none, or its answers have no bounds: give it a column `item`, say --bounds LOW,HIGH, or leave the target out",
                    self.source
                )));
            }
        }
        Ok(self)
    }

    /// Sets which items a comparison is of: by default items like these, where there is a pool whose
    /// answers have bounds.
    ///
    /// # Errors
    /// As [`aimed_at`](Self::aimed_at).
    pub fn aimed_to_compare(self, target: Option<Target>) -> Result<Self, AnalysisError> {
        let has_bounds = self.pool.is_some_and(|pool| pool.bounds.is_some());
        match target.or(has_bounds.then_some(Target::ItemsLikeThese)) {
            Some(target) => self.aimed_at(target),
            None => Ok(self),
        }
    }

    /// Returns the default posterior: `pool` where arms answered the items of a pool and the bounds
    /// of the answers are known.
    pub(crate) fn default_posterior(&self) -> &'static str {
        match self.pool {
            Some(ItemPool {
                bounds: Some(_), ..
            }) => posterior::POOL,
            _ => posterior::DEFAULT,
        }
    }

    /// Returns why answers to items are taken as scores on splits. `None` if they are not.
    pub(crate) fn no_pool_note(&self) -> Option<String> {
        let pool = self.pool?;
        pool.bounds.is_none().then(|| {
            "some answers are below 0 or above 1: with --bounds LOW,HIGH, items are taken as a pool, and what further answers would buy is told"
                .to_owned()
        })
    }

    /// Returns whether some arm has several answers to an item: answers vary, and are repeats.
    pub(crate) fn repeats_answers(&self) -> bool {
        self.scores.iter().any(|scores| {
            let mut splits: Vec<_> = scores.iter().map(|score| score.split).collect();
            splits.sort_unstable();
            splits.windows(2).any(|pair| pair[0] == pair[1])
        })
    }

    /// Returns the posterior `pool` after the scores, oriented so that larger is better.
    pub(crate) fn pool_posterior(
        &self,
        clusters: Option<&ItemClusters>,
    ) -> Result<(Pool, Option<PoolAnswers>), AnalysisError> {
        let empty = self.pool_posterior_of(0)?;
        let (low, high) = empty.bounds();
        let all = self.scores.iter().flat_map(ArmScores::iter);
        let beyond =
            { all }.find(|score| !(low..=high).contains(&self.direction.orient(score.score)));
        if let Some(Score { score, line, .. }) = beyond {
            let (low, high) = self
                .pool
                .and_then(|pool| pool.bounds)
                .unwrap_or((low, high));
            return Err(AnalysisError::Refused(format!(
                "{}:{line}: the answer {} lies beyond the bounds {} and {}",
                self.source,
                in_digits(score),
                in_digits(low),
                in_digits(high)
            )));
        }
        let Some(mut answers) = self.all_pool_answers() else {
            return Ok((empty, None));
        };
        answers.clusters = clusters.map(ItemClusters::of_items);
        let answers = answers.compared()?;
        Ok((answers.posterior()?, Some(answers)))
    }

    /// Creates the posterior `pool` of a pool of `items` items, before any answer.
    pub(crate) fn pool_posterior_of(&self, items: u64) -> Result<Pool, AnalysisError> {
        let refused = |why: &str| {
            AnalysisError::Refused(format!(
                "the posterior {} is of answers to the items of a pool, {why}",
                posterior::POOL
            ))
        };
        let pool = self.pool.ok_or_else(|| {
            refused(
                "and the file names no items: give it a column `item`, or take another posterior",
            )
        })?;
        let bounds = pool.bounds.ok_or_else(|| {
            refused("and some of these are below 0 or above 1: say between which bounds they lie")
        })?;
        let [one, other] = [bounds.0, bounds.1].map(|bound| self.direction.orient(bound));
        let posterior = match Pool::new(self.arms.len(), items) {
            pool if self.repeats_answers() => pool.repeating(),
            pool => pool,
        };
        let posterior = match pool.target {
            Target::TheseItems => posterior,
            Target::ItemsLikeThese => posterior.like_these(),
        };
        Ok(posterior.bounded(one.min(other), one.max(other))?)
    }

    /// Returns mean and standard deviation of each arm's scores.
    pub fn moments(&self) -> Vec<Moments> {
        self.scores.iter().map(ArmScores::moments).collect()
    }
}

/// Refuses the name of a posterior that learns from confusion counts, where there are scores.
///
/// # Errors
/// [`AnalysisError`] for that name.
pub fn of_scores_alone(posterior: Option<&str>) -> Result<(), AnalysisError> {
    match posterior {
        Some(name) if name == f_measure::NAME => Err(AnalysisError::Refused(format!(
            "the posterior {name} learns from confusion counts: give a file of them with --counts, or leave --posterior out"
        ))),
        _ => Ok(()),
    }
}

/// Returns the arms with these names, all arms without names, and the number of each in the file.
pub(super) fn chosen(
    names: &[String],
    all: &[String],
    find: impl Fn(&str) -> Option<ArmId>,
) -> Result<(Arms, Vec<ArmId>), AnalysisError> {
    let names = if names.is_empty() { all } else { names };
    let found = |name: &String| find(name).ok_or_else(|| unknown_arm(name, all));
    let numbers = names.iter().map(found).collect::<Result<_, _>>()?;
    Ok((Arms::new(names.iter().cloned())?, numbers))
}

/// Returns the pool of records that name items; its bounds are 0 and 1 if all answers lie between
/// these. A study that chose the answers knows how many items there are.
fn pool(records: &Evaluations, of_study: Option<u64>) -> Result<Option<ItemPool>, AnalysisError> {
    let items = records.items().len() as u64;
    if let Some(size) = of_study.filter(|&size| size < items) {
        return Err(AnalysisError::Refused(format!(
            "the column `pool_size` says that the pool has {size} items, and {items} stand in the file"
        )));
    }
    let mut scores = records.records().iter().map(|record| record.score);
    let is_share = scores.all(|score| (0.0..=1.0).contains(&score));
    Ok((items > 0).then_some(ItemPool {
        origin: of_study.map_or(PoolOrigin::File, |_| PoolOrigin::Study),
        target: Target::TheseItems,
        items: of_study.unwrap_or(items),
        bounds: is_share.then_some((0.0, 1.0)),
    }))
}

/// The refusal of an arm that was asked for and is not among those of the file.
pub fn unknown_arm(name: &str, arms: &[String]) -> AnalysisError {
    AnalysisError::Refused(format!(
        "there is no arm `{name}` in the file: it has {}",
        arms.join(", ")
    ))
}
