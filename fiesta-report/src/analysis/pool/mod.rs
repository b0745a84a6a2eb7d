//! Pools of items: shares answered, means over the whole pool, the items on which the best two
//! arms differ, results by group, and what further answers would buy.

mod answers;
mod continuation;
mod discordant;
mod groups;
mod missing;
mod outlook;
mod plan;
mod questions;
mod sources;
mod varying;

pub use answers::{ItemFacts, PoolAnswer, PoolAnswers, TEXT_KEYS, shortened_text};
pub(crate) use continuation::drawn_in_parallel;
pub use discordant::{DiscordantItem, DiscordantItems, DiscordantSide};
#[cfg(feature = "html")]
pub(crate) use groups::COLUMNS;
pub use groups::{GroupMean, GroupResult, Groups};
pub use missing::{AgainstLeader, ArmThatLacks, LackingGroup, MissingAnswers};
pub use outlook::{FurtherAnswers, Outlook, OutlookAtBudget, OutlookOptions};
pub use plan::{PoolPlanReport, SupposedPool};
pub use questions::{ItemsLikeThese, TheseItems};
pub(crate) use sources::{ItemProblem, group_items, items_of, of_items};
pub use varying::{ArmThatVaries, VaryingAnswers};

use super::{AnalysisError, PoolOrigin};
use crate::{Percentages, Table, TableOf, counted_share, summary::Interval};
use fiesta_core::{ArmId, Marginal, Posterior, Target};
use fiesta_posterior::Pool;
use questions::Questions;
use serde::Serialize;

/// Report on a pool of items, and on what further answers would buy.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PoolReport {
    /// Number of items of the pool, N.
    pub items: u64,
    /// Origin of the known items and answers of the pool: a study, a random sample, or a file alone.
    pub origin: PoolOrigin,
    /// Number of answers that all arms could give, K·N.
    pub cells: u64,
    /// Number of answers that are known.
    pub answered: u64,
    /// The least and the greatest answer.
    pub bounds: (f64, f64),
    /// Arms of the pool.
    pub arms: Vec<ArmOfPool>,
    /// Target of P(best), means and the claim: `these items` or `items like these`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub target: Target,
    /// Verdict on which arm is best on these items. `None` before every arm has its first answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub these_items: Option<TheseItems>,
    /// Verdict on which arm would be best on items like these. `None` before every arm has its
    /// first answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items_like_these: Option<ItemsLikeThese>,
    /// Claim on a pool: which arm can be named, and at what error; none before every arm has its
    /// first answers.
    pub claim: Option<PoolClaim>,
    /// How many items tell the best two arms apart, and which way; none of fewer than two arms.
    pub discordant: Option<DiscordantItems>,
    /// Results by group, where items have groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Groups>,
    /// How much answers vary when asked again, where they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub varying: Option<VaryingAnswers>,
    /// Answers that some arms lack though others have given them. `None` if nothing is missing, or
    /// a study chose what to ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<MissingAnswers>,
    /// Outlook on further answers; none if all answers are known, answers vary, or it was not asked
    /// for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
}

/// One arm of a pool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ArmOfPool {
    /// Name of the arm.
    pub name: String,
    /// Number of items that the arm has answered.
    pub answered: u64,
    /// Share of the pool's items that the arm has answered.
    pub share: f64,
    /// P(best) on these items. `None` once all answers are known, and before every arm has its first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability_on_these_items: Option<f64>,
    /// P(best) on items like these. `None` before every arm has its first answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability_on_items_like_these: Option<f64>,
    /// Posterior mean of the arm's mean over the whole pool, as reported: not the average of its
    /// answers, as what was answered before decides which items are asked. `None` if answers are
    /// missing that no study chose.
    pub mean: Option<f64>,
    /// Posterior standard deviation of the mean over the pool; 0 once the arm has answered all
    /// items, unless answers vary.
    pub standard_error: Option<f64>,
}

/// The arms that can be named, and how often that would be wrong for whoever looks after every
/// answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PoolClaim {
    /// Leader of the pool; with several arms that are known to be equal, all of them.
    pub arms: Vec<String>,
    /// Probability that an arm as good as the leader would ever fall so far behind.
    pub error: f64,
}

impl PoolReport {
    /// Reports what is known now, without an outlook.
    ///
    /// # Errors
    /// [`AnalysisError`] for bounds that are none, or answers that no pool can have.
    pub fn new(answers: &PoolAnswers, tolerance: f64) -> Result<Self, AnalysisError> {
        let pool = answers.posterior()?;
        Self::of(answers, &pool, tolerance)
    }

    /// Reports what is known now, with an outlook on what further answers would buy.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`AnalysisError`] for a confidence or a tolerance that is none.
    pub(crate) fn with_outlook(
        answers: &PoolAnswers,
        options: &OutlookOptions,
    ) -> Result<Self, AnalysisError> {
        let pool = answers.posterior()?;
        let mut report = Self::of(answers, &pool, options.tolerance)?;
        let candidates = answers.candidates();
        // What answers that vary would be is not drawn, nor what other items would be.
        let is_drawn = answers.every.is_none() && answers.target == Target::TheseItems;
        if candidates.len() > 1 && is_drawn {
            report.outlook = Outlook::of_answers(&answers.of_arms(&candidates), options)?;
        }
        Ok(report)
    }

    /// Reports what is known now; `pool` is the posterior of the answers.
    pub(crate) fn of(
        answers: &PoolAnswers,
        pool: &Pool,
        tolerance: f64,
    ) -> Result<Self, AnalysisError> {
        let questions = Questions::new(answers, pool)?;
        let candidates = answers.candidates();
        let items = answers.items;
        let of_arm = |arm: ArmId| {
            let answered = answers.answers[arm.index()].len() as u64;
            let known = pool
                .marginal(arm)
                .filter(|_| !answers.are_compared_in_pairs());
            ArmOfPool {
                name: answers.arms[arm.index()].clone(),
                answered,
                share: answered as f64 / items.max(1) as f64,
                probability_on_these_items: questions
                    .as_ref()
                    .filter(|_| !answers.are_compared_in_pairs())
                    .and_then(|both| Some(both.of_these.as_ref()?[arm.index()])),
                probability_on_items_like_these: questions
                    .as_ref()
                    .map(|both| both.of_like_these[arm.index()]),
                mean: known.map(|known| answers.direction.orient(known.location)),
                standard_error: known.map(|known| {
                    let is_open = answered < items
                        || answers.every.is_some()
                        || answers.target == Target::ItemsLikeThese;
                    if is_open { known.scale } else { 0.0 }
                }),
            }
        };
        let required =
            |&arm: &ArmId| answers.answers[arm.index()].len() as u64 >= pool.required(arm);
        let is_claimed = candidates.len() > 1 && !answers.are_compared_in_pairs();
        let claim = (is_claimed && candidates.iter().all(required))
            .then(|| pool.claim(tolerance, &candidates))
            .flatten();
        let name = |arm: &ArmId| answers.arms[arm.index()].clone();
        let discordant = DiscordantItems::new(answers, pool);
        let leader = discordant.as_ref().map(|of| of.leader.as_str());
        let leader = leader.and_then(|leader| answers.arms.iter().position(|arm| arm == leader));
        let missing = answers.missing.clone();
        // Where answers are missing that no study chose, nothing is said of these items.
        let of_these = questions
            .as_ref()
            .filter(|_| !answers.are_compared_in_pairs());
        Ok(Self {
            missing: missing.map(|missing| missing.beside(answers, leader.unwrap_or(0))),
            origin: answers.origin,
            items,
            target: answers.target,
            these_items: of_these.map(|both| both.these_items.clone()),
            items_like_these: questions.as_ref().map(|both| both.items_like_these.clone()),
            cells: items.saturating_mul(answers.arms.len() as u64),
            bounds: answers.bounds,
            answered: answers
                .answers
                .iter()
                .map(|of_arm| of_arm.len() as u64)
                .sum(),
            arms: ArmId::all(answers.arms.len()).map(of_arm).collect(),
            claim: claim.map(|claim| PoolClaim {
                arms: claim.arms.iter().map(name).collect(),
                error: claim.error,
            }),
            discordant,
            groups: Groups::new(answers),
            varying: VaryingAnswers::new(answers, pool),
            outlook: None,
        })
    }

    /// Returns the posterior interval of the mean of the arm at a place over the whole pool. `None`
    /// if the mean is not known.
    pub(crate) fn interval(&self, place: usize, confidence: f64) -> Option<Interval> {
        let arm = &self.arms[place];
        let known = Marginal {
            location: arm.mean?,
            scale: arm.standard_error?,
            degrees_of_freedom: f64::INFINITY,
        };
        let (low, high) = self.bounds;
        Some(Interval::of_posterior(&known, confidence).inside(low, high))
    }

    /// Returns in one line which arm is best on these items and on items like these, with labels.
    /// `None` before every arm has its first answers.
    pub(crate) fn in_short(&self) -> Option<String> {
        let like = self.items_like_these.as_ref()?.sentence();
        Some(match &self.these_items {
            Some(these) => format!("{}; {like}", these.sentence()),
            None => like,
        })
    }

    /// Returns which arm is best on these items and on items like these, and where the latter may
    /// not be believed: a line each.
    pub fn headline(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.these_items.as_ref().map(TheseItems::sentence));
        if self.origin == PoolOrigin::File && self.missing.is_some() {
            let target = Target::TheseItems;
            lines.push(format!(
                "{target}: not known, as answers are missing and no study chose which"
            ));
        }
        if let Some(like) = &self.items_like_these {
            lines.extend([like.sentence(), format!("  ({})", like.doubt())]);
        }
        lines
    }

    /// Returns whether every answer is known; never where answers vary.
    pub(crate) fn is_complete(&self) -> bool {
        self.answered >= self.cells && self.varying.is_none()
    }

    /// P(best) of the arm at each place on these items and on items like these, as printed. Once
    /// all answers are known, "best" or a dash stands for these items.
    fn probabilities(&self) -> [Vec<String>; 2] {
        let shown = |of: fn(&ArmOfPool) -> Option<f64>| {
            let all: Option<Vec<f64>> = self.arms.iter().map(of).collect();
            let all = all.unwrap_or_default();
            let percentages = Percentages::new(&all);
            let dashes = || vec!["–".to_owned(); self.arms.len()];
            if all.is_empty() {
                dashes()
            } else {
                (0..all.len()).map(|place| percentages.of(place)).collect()
            }
        };
        let mut of_these = shown(|arm| arm.probability_on_these_items);
        let counted = self.these_items.as_ref();
        for (cell, arm) in of_these.iter_mut().zip(&self.arms) {
            let is_counted = counted.is_some_and(|these| these.probability.is_none());
            if is_counted && counted.is_some_and(|these| these.best.contains(&arm.name)) {
                "best".clone_into(cell);
            }
        }
        [of_these, shown(|arm| arm.probability_on_items_like_these)]
    }

    /// Returns a table with a row for each of the arms at these places.
    pub fn table(&self, metric: &str, order: &[usize], is_best: impl Fn(usize) -> bool) -> Table {
        let [of_these, of_like_these] = self.probabilities();
        if let Some(missing) = self
            .missing
            .as_ref()
            .filter(|_| self.origin == PoolOrigin::File)
        {
            return missing.table(metric, order, &of_like_these, is_best);
        }
        let rows = order.iter().map(|&place| (place, &self.arms[place]));
        let number = |value: Option<f64>| value.map(|value| format!("{value:.4}"));
        TableOf::new(rows)
            .words("arm", |(_, arm)| arm.name.clone())
            .numbers("P(best), these items", |(place, _)| {
                of_these[*place].clone()
            })
            .numbers("items like these", |(place, _)| {
                of_like_these[*place].clone()
            })
            .numbers("answers", |(_, arm)| arm.answered)
            .numbers("of the pool", |(_, arm)| counted_share(arm.share))
            .numbers(&format!("{metric} over the pool"), |(_, arm)| {
                number(arm.mean)
            })
            .numbers("± se", |(_, arm)| number(arm.standard_error))
            .bold(|(place, _)| is_best(*place))
            .table()
            .dispensable(&["of the pool"])
    }

    /// Tells what the answers stand for, where no study chose them and some are not known: a
    /// sentence each.
    pub(crate) fn origin_words(&self) -> Vec<String> {
        let sample = (self.origin == PoolOrigin::Sample).then(|| {
            format!(
                "taken as a random sample of {} items, as --pool-size says",
                self.items
            )
        });
        let missing = self
            .missing
            .iter()
            .flat_map(|missing| missing.sentences(self.origin));
        sample.into_iter().chain(missing).collect()
    }

    /// The share of all answers that are known, in words.
    pub(crate) fn answered_words(&self) -> String {
        let share = self.answered as f64 / self.cells.max(1) as f64;
        if self.is_complete() {
            return format!(
                "all {} answers of the pool are known, so that nothing is left to chance on these items",
                self.cells
            );
        }
        if self.origin == PoolOrigin::File && self.missing.is_some() {
            return format!(
                "{} of the {} answers are there, {}",
                self.answered,
                self.cells,
                counted_share(share)
            );
        }
        if self.varying.is_some() {
            return format!(
                "{} of the {} pairs of an arm and an item were asked, {}",
                self.answered,
                self.cells,
                counted_share(share)
            );
        }
        format!(
            "{} of the {} answers of the pool are known, {}",
            self.answered,
            self.cells,
            counted_share(share)
        )
    }

    /// Returns the lines that a program prints beneath its table of arms.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.origin_words();
        lines.push(self.answered_words());
        lines.extend(self.varying.as_ref().map(VaryingAnswers::sentence));
        lines.extend(self.claim_sentence());
        if let Some(discordant) = &self.discordant {
            lines.push(discordant.sentence());
        }
        if let Some(outlook) = &self.outlook {
            lines.push(outlook.sentence());
            lines.push(outlook.method());
        }
        lines
    }
}

#[cfg(test)]
mod tests;
