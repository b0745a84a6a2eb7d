//! The two questions about a pool: which arm is best on these items, and which on items like these.

use super::{PoolAnswer, PoolAnswers};
use crate::{Percentages, analysis::AnalysisError, words::digits};
use fiesta_core::{ArmId, Posterior, Target};
use fiesta_posterior::{Differences, Pool};
use serde::Serialize;

/// Differences of means that rounding makes, on a scale that is 1 long.
const ROUNDING: f64 = 1e-12;

/// Verdict on which arm has the highest mean over the items of the pool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TheseItems {
    /// Best arm; of several that are known to be equal, all of them.
    pub best: Vec<String>,
    /// How far the best arm's mean is from the next arm's, in the unit of the scores, once all
    /// answers are known. `None` if some are not, or all arms are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lead: Option<f64>,
    /// Probability that the arm is the best. `None` once all answers are known: then it is a count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Verdict on these items in words, without a full stop.
    #[serde(skip)]
    words: String,
}

/// Verdict on which arm would have the highest mean over many more items that are drawn as these
/// were.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ItemsLikeThese {
    /// Name of the arm that is most probably best.
    pub best: String,
    /// Probability that the arm is the best.
    pub probability: f64,
    /// Cases in which the probability may not be believed, in words.
    pub not_where: String,
    /// Text of the probability as it is printed.
    #[serde(skip)]
    shown: String,
}

/// Answers to the questions which arm is best on these items, and which on items like these.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Questions {
    pub(super) these_items: TheseItems,
    pub(super) items_like_these: ItemsLikeThese,
    /// Probabilities that each arm is the best on these items. `None` once all answers are known.
    pub(super) of_these: Option<Vec<f64>>,
    /// Probabilities that each arm is the best on items like these.
    pub(super) of_like_these: Vec<f64>,
}

impl TheseItems {
    /// Returns the verdict on these items as a sentence, with its label.
    pub fn sentence(&self) -> String {
        format!("{}: {}", Target::TheseItems, self.words)
    }

    /// Returns the verdict on these items in words, without a label.
    pub(crate) fn words(&self) -> &str {
        &self.words
    }
}

impl ItemsLikeThese {
    /// Returns the verdict on items like these as a sentence, with its label.
    pub fn sentence(&self) -> String {
        let (target, best, p) = (Target::ItemsLikeThese, &self.best, &self.shown);
        format!("{target}: {best} is best with {p} posterior probability")
    }

    /// Returns the verdict on items like these as a part of a sentence, without a label.
    pub(crate) fn words(&self) -> String {
        format!(
            "on {}, {} is best with {} posterior probability",
            Target::ItemsLikeThese,
            self.best,
            self.shown
        )
    }

    /// Returns the line beneath the verdict on items like these, which says when it may not be believed.
    pub fn doubt(&self) -> String {
        format!("this probability does not hold {}", self.not_where)
    }
}

impl Questions {
    /// Answers the questions about a pool. `None` for fewer than two arms, or while an arm has too few
    /// answers. `pool` is the posterior of the answers' own target.
    pub(super) fn new(answers: &PoolAnswers, pool: &Pool) -> Result<Option<Self>, AnalysisError> {
        let candidates = answers.candidates();
        let required =
            |&arm: &ArmId| answers.answers[arm.index()].len() as u64 >= pool.required(arm);
        if candidates.len() < 2 || !candidates.iter().all(required) {
            return Ok(None);
        }
        let clustered = answers.in_clusters();
        let belief_of = |target: Target, clustered: Option<&PoolAnswers>| match clustered {
            None if answers.target == target => Ok(pool.belief(&candidates)),
            of => {
                let pool = of.unwrap_or(answers).posterior_of(target)?;
                Ok::<_, AnalysisError>(pool.belief(&candidates))
            }
        };
        let belief = belief_of(Target::ItemsLikeThese, clustered.as_ref())?;
        let (leader, probability) = belief.leader();
        let name = |arm: ArmId| answers.arms[arm.index()].clone();
        let percentages = Percentages::new(&belief.probability);
        let items_like_these = ItemsLikeThese {
            best: name(leader),
            probability,
            not_where: answers.not_where(clustered.is_some(), &candidates, leader),
            shown: percentages.of(leader.index()),
        };
        let is_whole = |&arm: &ArmId| answers.answers[arm.index()].len() as u64 >= answers.items;
        let is_complete = answers.every.is_none() && candidates.iter().all(is_whole);
        let (these_items, of_these) = if is_complete {
            (TheseItems::counted(answers, &candidates), None)
        } else {
            let belief = belief_of(Target::TheseItems, None)?;
            let (leader, probability) = belief.leader();
            let shown = Percentages::new(&belief.probability).of(leader.index());
            let words = format!(
                "{} is best on these {} items with {shown} posterior probability",
                name(leader),
                answers.items
            );
            let best = TheseItems {
                best: vec![name(leader)],
                lead: None,
                probability: Some(probability),
                words,
            };
            (best, Some(belief.probability))
        };
        Ok(Some(Self {
            these_items,
            items_like_these,
            of_these,
            of_like_these: belief.probability,
        }))
    }
}

impl TheseItems {
    /// Answers by counting which arms are best on these items, all answers of which are known.
    fn counted(answers: &PoolAnswers, candidates: &[ArmId]) -> Self {
        let mean = |arm: ArmId| {
            let all = answers.answers[arm.index()].iter();
            let sum: f64 = all
                .map(|answer| answers.direction.orient(answer.score))
                .sum();
            sum / answers.items.max(1) as f64
        };
        let means: Vec<f64> = candidates.iter().map(|&arm| mean(arm)).collect();
        let highest = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let rounding = ROUNDING * answers.range() * answers.items.max(1) as f64;
        let is_best = |mean: &f64| highest - mean <= rounding;
        let of_best = candidates
            .iter()
            .zip(&means)
            .filter(|(_, mean)| is_best(mean));
        let best: Vec<String> = of_best
            .map(|(arm, _)| answers.arms[arm.index()].clone())
            .collect();
        let others = means.iter().copied().filter(|mean| !is_best(mean));
        let next = others.reduce(f64::max);
        let lead = next.map(|next| highest - next);
        let scores = || answers.answers.iter().flatten().map(|answer| answer.score);
        let are_bits = scores().all(|score| [0.0, 1.0].contains(&score));
        let by = lead.map_or_else(String::new, |lead| {
            if are_bits {
                format!(", by {:.0}", lead * answers.items as f64)
            } else {
                format!(", by {} in the mean", digits(lead))
            }
        });
        let are = match &best[..] {
            [one] => format!("{one} is best"),
            all => format!("{} are equal and best", all.join(", ")),
        };
        Self {
            words: format!("{are} on these {} items{by}", answers.items),
            best,
            lead,
            probability: None,
        }
    }
}

impl PoolAnswers {
    /// Returns in words where P(best) on items like these may not be believed.
    fn not_where(&self, in_clusters: bool, candidates: &[ArmId], leader: ArmId) -> String {
        let clusters = match &self.clusters {
            None => ", nor where items come in clusters that are not named (--clusters)",
            Some(_) if in_clusters => "",
            Some(_) => {
                ", nor where items come in clusters, which are not taken into account as answers are missing"
            }
        };
        let rivals = candidates.iter().filter(|&&arm| arm != leader);
        let is_skewed = |arm: &ArmId| self.differences(leader, *arm).are_few_and_skewed();
        let skewed = if rivals.clone().any(is_skewed) {
            ", nor where fewer than 20 items differ with a long tail on one side, as here"
        } else {
            ""
        };
        format!("where prompts or settings were tuned on these items{clusters}{skewed}")
    }

    /// The differences of two arms on the items of both, oriented, on a scale that is 1 long.
    fn differences(&self, one: ArmId, other: ArmId) -> Differences {
        let range = self.range();
        let common = self.common(one, other);
        let difference =
            |(one, other): (PoolAnswer, PoolAnswer)| self.direction.orient(one.score - other.score);
        common.map(|pair| difference(pair) / range).collect()
    }

    /// The pool whose items are the clusters, with the sums of their answers on the scale of one
    /// answer. `None` without clusters, or if an answer is missing.
    fn in_clusters(&self) -> Option<Self> {
        let of_item = self.clusters.as_ref()?;
        let is_whole = |answers: &Vec<PoolAnswer>| answers.len() as u64 == self.items;
        if !self.answers.iter().all(is_whole) {
            return None;
        }
        let clusters = of_item.iter().max().map_or(0, |last| last + 1);
        let mut sizes = vec![0_u32; clusters];
        for &cluster in of_item {
            sizes[cluster] += 1;
        }
        let most = f64::from(sizes.iter().copied().max().unwrap_or(1));
        let (low, _) = self.bounds;
        let summed = |answers: &Vec<PoolAnswer>| {
            let mut sums = vec![0.0; clusters];
            for answer in answers {
                sums[of_item[usize::try_from(answer.item).ok()?]] += answer.score - low;
            }
            let answer = |(item, sum): (u64, f64)| PoolAnswer {
                item,
                score: low + sum / most,
                evaluation: None,
                turn: None,
            };
            Some((0..).zip(sums).map(answer).collect())
        };
        Some(Self {
            items: clusters as u64,
            answers: self.answers.iter().map(summed).collect::<Option<_>>()?,
            every: None,
            facts: Vec::new(),
            clusters: None,
            ..self.clone()
        })
    }
}
