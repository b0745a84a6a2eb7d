//! Answers of arms to the items of a pool, of a study or of a file.

use super::MissingAnswers;
use crate::analysis::{AnalysisError, PoolOrigin};
use fiesta_core::{ArmId, Case, Direction, Observe, Target};
use fiesta_posterior::Pool;
use std::{borrow::Cow, collections::HashMap};

/// Keys or columns that may hold an item's text; the first one that exists is used.
pub const TEXT_KEYS: [&str; 4] = ["question", "prompt", "input", "text"];

/// The characters of an item's text that a page shows.
const LENGTH: usize = 10_000;

/// Facts of an item that a person may want to know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ItemFacts {
    /// Name of the item.
    pub id: String,
    /// Text of the item, if that is known.
    pub text: Option<String>,
    /// Group of the item, where items have groups.
    pub group: Option<String>,
}

/// An arm's answer to an item.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PoolAnswer {
    /// The number of the item.
    pub item: u64,
    /// The score, as reported.
    pub score: f64,
    /// The number of the evaluation, from 1, of a study.
    pub evaluation: Option<u64>,
    /// Place of the answer among the evaluations of a study that ended.
    pub turn: Option<u64>,
}

/// All answers to the items of a pool.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PoolAnswers {
    /// The names of the arms.
    pub arms: Vec<String>,
    /// Whether each arm was retired and is no candidate.
    pub retired: Vec<bool>,
    /// Number of items, N.
    pub items: u64,
    /// Origin of the known items and answers of the pool: a study, a random sample, or a file alone.
    pub origin: PoolOrigin,
    /// Answers that some arms lack though others have given them. `None` if nothing is missing, or
    /// a study chose what to ask.
    pub missing: Option<MissingAnswers>,
    /// The least and the greatest score, as reported.
    pub bounds: (f64, f64),
    /// Direction in which scores are better.
    pub direction: Direction,
    /// Answers of each arm, one for each item: if answers vary, the mean of its answers to the item.
    pub answers: Vec<Vec<PoolAnswer>>,
    /// All single answers of each arm, where answers vary when asked again. Else `None`.
    pub every: Option<Vec<Vec<PoolAnswer>>>,
    /// Facts of each item; perhaps none of the last ones.
    pub facts: Vec<ItemFacts>,
    /// Target of the verdict: which items it is of.
    pub target: Target,
    /// Whether a study chose the items of rivals by what the leader had answered.
    pub are_chosen: bool,
    /// The number of each item's cluster, where the user named clusters.
    pub clusters: Option<Vec<usize>>,
}

impl PoolAnswers {
    /// Returns the posterior of the arms, oriented so that larger is better.
    pub(crate) fn posterior(&self) -> Result<Pool, AnalysisError> {
        self.posterior_of(self.target)
    }

    /// Returns the posterior of the arms on these items, or on items like these.
    pub(crate) fn posterior_of(&self, target: Target) -> Result<Pool, AnalysisError> {
        let (low, high) = self.scale();
        let [one, other] = [low, high].map(|end| self.direction.orient(end));
        let mut pool =
            Pool::new(self.arms.len(), self.items).bounded(one.min(other), one.max(other))?;
        if self.every.is_some() {
            pool = pool.repeating();
        }
        pool = match target {
            Target::TheseItems => pool,
            Target::ItemsLikeThese if self.are_chosen => pool.like_these_chosen(),
            Target::ItemsLikeThese => pool.like_these(),
        };
        let all = self.every.as_ref().unwrap_or(&self.answers);
        let of_arms = ArmId::all(self.arms.len()).zip(all);
        let mut all: Vec<(ArmId, &PoolAnswer)> = of_arms
            .flat_map(|(arm, answers)| answers.iter().map(move |answer| (arm, answer)))
            .collect();
        // As the study learned them, whose belief that is.
        all.sort_by_key(|(_, answer)| answer.turn);
        for (arm, answer) in all {
            let case = Case {
                split: answer.item,
                seed: 0,
            };
            pool.observe(arm, case, self.direction.orient(answer.score))?;
        }
        Ok(pool)
    }

    /// Returns the bounds of the scale on which the posterior counts answers. Where no study chose
    /// them, answers that fill less than a thousandth of the range have a scale of their own, from
    /// the least to the greatest.
    fn scale(&self) -> (f64, f64) {
        let all = self.every.as_ref().unwrap_or(&self.answers);
        let scores = || all.iter().flatten().map(|answer| answer.score);
        let low = scores().fold(f64::INFINITY, f64::min);
        let high = scores().fold(f64::NEG_INFINITY, f64::max);
        let is_narrow = high - low < 1e-3 * (self.bounds.1 - self.bounds.0);
        // Answers that rounding alone tells apart are equal.
        let differ = high - low > 1e-9 * low.abs().max(high.abs());
        if self.origin != PoolOrigin::Study && is_narrow && differ {
            (low, high)
        } else {
            self.bounds
        }
    }

    /// Returns the length of the scale on which the posterior counts answers.
    pub(crate) fn range(&self) -> f64 {
        let (low, high) = self.scale();
        high - low
    }

    /// Takes the answers as ones that vary: every single one is kept, and the mean of each item
    /// stands for them.
    pub(crate) fn varying(mut self) -> Self {
        let every = self.answers;
        self.answers = every.iter().map(|of_arm| means(of_arm)).collect();
        self.every = Some(every);
        self
    }

    /// Returns the arms that were not retired.
    pub(crate) fn candidates(&self) -> Vec<ArmId> {
        let all = ArmId::all(self.arms.len());
        all.filter(|arm| !self.retired[arm.index()]).collect()
    }

    /// Returns the answers of two arms to the items that both have answered, in the order of the
    /// first arm's.
    pub(crate) fn common(
        &self,
        one: ArmId,
        other: ArmId,
    ) -> impl Iterator<Item = (PoolAnswer, PoolAnswer)> + '_ {
        let of_other = self.answers[other.index()].iter();
        let of_other: HashMap<u64, PoolAnswer> =
            of_other.map(|answer| (answer.item, *answer)).collect();
        let own = self.answers[one.index()].iter();
        own.filter_map(move |answer| Some((*answer, *of_other.get(&answer.item)?)))
    }

    /// Returns a copy that holds these arms alone, in the order given.
    pub(crate) fn of_arms(&self, arms: &[ArmId]) -> Self {
        let places = || arms.iter().map(|arm| arm.index());
        Self {
            arms: places().map(|arm| self.arms[arm].clone()).collect(),
            retired: places().map(|arm| self.retired[arm]).collect(),
            answers: places().map(|arm| self.answers[arm].clone()).collect(),
            every: self
                .every
                .as_ref()
                .map(|every| places().map(|arm| every[arm].clone()).collect()),
            ..self.clone()
        }
    }

    /// Returns the answers in a smaller pool, of no more than `most` items if no more have an
    /// answer: the items that have one get the first numbers, in their order. A pool that is not
    /// larger stays as it is.
    pub(crate) fn in_smaller_pool(&self, most: u64) -> Cow<'_, Self> {
        if self.items <= most {
            return Cow::Borrowed(self);
        }
        let answered = self.answers.iter().flatten().map(|answer| answer.item);
        let mut answered: Vec<u64> = answered.collect();
        answered.sort_unstable();
        answered.dedup();
        let items = most.max(answered.len() as u64);
        if self.items <= items {
            return Cow::Borrowed(self);
        }
        let number = |item: u64| answered.partition_point(|&other| other < item) as u64;
        let renumbered = |answer: &PoolAnswer| PoolAnswer {
            item: number(answer.item),
            ..*answer
        };
        let renumber = |all: &Vec<PoolAnswer>| all.iter().map(renumbered).collect();
        Cow::Owned(Self {
            items,
            answers: self.answers.iter().map(renumber).collect(),
            every: self
                .every
                .as_ref()
                .map(|every| every.iter().map(renumber).collect()),
            facts: Vec::new(),
            ..self.clone()
        })
    }

    #[cfg(feature = "html")]
    pub(crate) fn name_of(&self, item: u64) -> Cow<'_, str> {
        match self.fact(item) {
            Some(facts) => facts.id.as_str().into(),
            None => item.to_string().into(),
        }
    }

    pub(crate) fn fact(&self, item: u64) -> Option<&ItemFacts> {
        self.facts.get(usize::try_from(item).ok()?)
    }
}

/// Returns the mean of an arm's answers to each item, in the order of first answers, with the
/// evaluation of the first answer.
fn means(answers: &[PoolAnswer]) -> Vec<PoolAnswer> {
    let mut places: HashMap<u64, usize> = HashMap::with_capacity(answers.len());
    let mut means: Vec<(PoolAnswer, f64)> = Vec::with_capacity(answers.len());
    for answer in answers {
        let place = *places.entry(answer.item).or_insert(means.len());
        match means.get_mut(place) {
            Some((mean, count)) => {
                *count += 1.0;
                mean.score += (answer.score - mean.score) / *count;
            }
            None => means.push((*answer, 1.0)),
        }
    }
    means.into_iter().map(|(mean, _)| mean).collect()
}

/// Returns a text shortened for a page, with the number of characters left out.
pub fn shortened_text(text: &str) -> String {
    match text.char_indices().nth(LENGTH) {
        None => text.to_owned(),
        Some((end, _)) => {
            let rest = text[end..].chars().count();
            format!("{} … ({rest} more characters)", &text[..end])
        }
    }
}
