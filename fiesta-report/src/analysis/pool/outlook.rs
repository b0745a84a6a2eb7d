//! Outlook of a pool of items: how many more answers are expected to settle which arm is best, and
//! what smaller budgets would buy, simulated from the posterior.

use super::{
    PoolAnswers,
    continuation::{Continuation, Plan, known, rule},
};
use crate::{
    analysis::AnalysisError,
    sentence::best_within,
    words::{level, one_or_more},
};
use fiesta_core::Arms;
use fiesta_posterior::Pool;
use serde::Serialize;

/// The shares of the answers left at which the outlook is told, in percent.
const SHARES: [u64; 4] = [10, 25, 50, 100];
/// Greatest number of answers left times continuations, about: fewer continuations must do for
/// large pools.
const CELLS: u64 = 4_000_000;
/// Least and greatest number of continuations.
const DRAWS: (u64, u64) = (100, 400);

/// Largest number of answers of the pool that is simulated, unless more items have an answer. A
/// larger pool would take minutes, and most of it would never be asked for.
const MOST_CELLS: u64 = 200_000;

/// Options of an outlook.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct OutlookOptions {
    /// The confidence at which an arm is to be named.
    pub confidence: f64,
    /// Tolerance of the outlook: how far below the best the named arm may be, in the unit of the
    /// scores.
    pub tolerance: f64,
    /// A budget of further answers to tell of, beside the shares of those that are left.
    pub budget: Option<u64>,
    /// The seed of the draws.
    pub seed: u64,
}

impl Default for OutlookOptions {
    fn default() -> Self {
        Self {
            confidence: 0.95,
            tolerance: 0.0,
            budget: None,
            seed: 0,
        }
    }
}

/// Outlook on what further answers to the items of a pool would buy: in each of many continuations
/// the unseen answers are [drawn](Pool::complete) from the posterior, and asked for one at a time
/// by the policy `pool` until the rule `posterior` names an arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outlook {
    /// The confidence at which an arm is to be named.
    pub confidence: f64,
    /// Tolerance of the outlook: how far below the best the named arm may be.
    pub tolerance: f64,
    /// Number of continuations that were drawn.
    pub draws: u32,
    /// Number of answers that are left, K·N less those that are known.
    pub answers_left: u64,
    /// The answers that are left in the smaller pool that was simulated in the place of a very large
    /// one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers_simulated: Option<u64>,
    /// How many more answers are asked for before an arm is named.
    pub answers: FurtherAnswers,
    /// Share of continuations in which the arm that is named is the best of the drawn pool, or
    /// within the tolerance of the best.
    pub right: f64,
    /// Outlook at budgets of further answers.
    pub budgets: Vec<OutlookAtBudget>,
}

/// Further answers until an arm is named, over the continuations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FurtherAnswers {
    /// Median of the further answers.
    pub median: u64,
    /// Tenth percentile of the further answers.
    pub lower: u64,
    /// Ninetieth percentile of the further answers.
    pub upper: u64,
}

/// Outlook at a budget of further answers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct OutlookAtBudget {
    /// Number of further answers.
    pub answers: u64,
    /// Share of the further answers among all that are left.
    pub share: f64,
    /// Share of continuations in which an arm is named with no more than these further answers.
    pub settled: f64,
    /// Expected P(best): the share of continuations in which the arm that leads then, or was named
    /// before, is the best of the drawn pool or within the tolerance of it.
    pub probability_best: f64,
}

impl Outlook {
    /// Simulates further answers to a pool. `None` where all answers are known, or there are none.
    /// In the place of a very large pool a smaller one is simulated.
    ///
    /// # Errors
    /// [`AnalysisError`] for arms that cannot be compared, and for a confidence or a tolerance that
    /// is none.
    pub(crate) fn of_answers(
        answers: &PoolAnswers,
        options: &OutlookOptions,
    ) -> Result<Option<Self>, AnalysisError> {
        let arms = Arms::new(answers.arms.iter().cloned())?;
        let count = arms.len() as u64;
        let smaller = answers.in_smaller_pool(MOST_CELLS / count);
        let found = Self::new(&arms, &smaller.posterior()?, smaller.items, options)?;
        let more = (answers.items - smaller.items).saturating_mul(count);
        Ok(found.map(|found| found.of_larger_pool(more)))
    }

    /// Extends the outlook to a pool with `more` more answers.
    fn of_larger_pool(mut self, more: u64) -> Self {
        if more > 0 {
            self.answers_simulated = Some(self.answers_left);
            self.answers_left += more;
            for budget in &mut self.budgets {
                budget.share = budget.answers as f64 / self.answers_left as f64;
            }
        }
        self
    }

    /// Simulates further answers under a posterior of these arms. `None` where all answers are
    /// known, or there are none.
    ///
    /// # Errors
    /// [`AnalysisError`] for a confidence or a tolerance that is none.
    pub fn new(
        arms: &Arms,
        pool: &Pool,
        items: u64,
        options: &OutlookOptions,
    ) -> Result<Option<Self>, AnalysisError> {
        let known = known(arms, pool, items);
        let cells = items.saturating_mul(arms.len() as u64);
        let left = cells - known.len() as u64;
        rule(arms, options)?;
        if left == 0 || known.is_empty() {
            return Ok(None);
        }
        let budgets = budgets(left, options.budget);
        let (fewest, most) = DRAWS;
        let draws = u32::try_from((CELLS / left).clamp(fewest, most)).unwrap_or(u32::MAX);
        let plan = Plan {
            arms,
            known: &known,
            items,
            bounds: pool.bounds(),
            budgets: &budgets,
            options,
        };
        let found = plan.draw(pool, |pool, rng| pool.complete(rng), draws)?;
        Ok(Some(Self::of(found, &budgets, left, options)))
    }

    /// Summarises continuations of a study.
    pub(crate) fn of(
        mut found: Vec<Continuation>,
        budgets: &[u64],
        left: u64,
        options: &OutlookOptions,
    ) -> Self {
        let draws = u32::try_from(found.len()).unwrap_or(u32::MAX);
        found.sort_by_key(|continuation| continuation.answers);
        // The least number of which so many continuations need no more.
        let quantile = |percent: usize| {
            let place = (percent * found.len()).div_ceil(100);
            found[place.clamp(1, found.len()) - 1].answers
        };
        let share = |is: &dyn Fn(&Continuation) -> bool| {
            found.iter().filter(|one| is(one)).count() as f64 / f64::from(draws)
        };
        let at_budget = |(place, &answers): (usize, &u64)| OutlookAtBudget {
            answers,
            share: answers as f64 / left as f64,
            settled: share(&|one| one.at[place].0),
            probability_best: share(&|one| one.at[place].1),
        };
        Self {
            confidence: options.confidence,
            tolerance: options.tolerance,
            draws,
            answers_left: left,
            answers_simulated: None,
            answers: FurtherAnswers {
                median: quantile(50),
                lower: quantile(10),
                upper: quantile(90),
            },
            right: share(&|one| one.right),
            budgets: budgets.iter().enumerate().map(at_budget).collect(),
        }
    }

    /// Returns median, tenth and ninetieth percentile of the further answers as sentences round
    /// them.
    #[cfg(feature = "html")]
    pub(crate) fn rounded_answers(&self) -> [u64; 3] {
        let of = &self.answers;
        [of.median, of.lower, of.upper].map(rounded)
    }

    /// Returns whether no further answer is needed.
    pub(crate) fn is_settled(&self) -> bool {
        self.answers.upper == 0
    }

    /// Says how many more answers would settle the question.
    ///
    /// # Example
    /// ```
    /// use fiesta_report::analysis::pool::{FurtherAnswers, Outlook};
    /// let outlook = Outlook {
    ///     confidence: 0.95,
    ///     tolerance: 0.0,
    ///     draws: 200,
    ///     answers_left: 1200,
    ///     answers_simulated: None,
    ///     answers: FurtherAnswers { median: 324, lower: 95, upper: 1011 },
    ///     right: 0.97,
    ///     budgets: Vec::new(),
    /// };
    /// assert_eq!(
    ///     outlook.sentence(),
    ///     "about 320 more answers (95 to 1000 in 80 % of continuations) would settle it at 95 %, of the 1200 that are left"
    /// );
    /// ```
    pub fn sentence(&self) -> String {
        let FurtherAnswers {
            median,
            lower,
            upper,
        } = self.answers;
        let level = level(self.confidence);
        if self.is_settled() {
            return format!(
                "no more answers are needed at {level}: a study that looks after every answer would end here"
            );
        }
        if self.answers_left == 1 {
            return format!("the 1 answer that is left would settle it at {level}");
        }
        let answers = one_or_more(median, "answer", "answers");
        // Where a smaller pool was used up, or nearly so, the larger one might take more.
        let is_least = |number: u64| {
            let simulated = self.answers_simulated;
            simulated.is_some_and(|left| number > left / 2)
        };
        let [median, lower, upper] = [median, lower, upper].map(|number| {
            let or_more = if is_least(number) { " or more" } else { "" };
            format!("{}{or_more}", rounded(number))
        });
        format!(
            "about {median} more {answers} ({lower} to {upper} in 80 % of continuations) would settle it at {level}, of the {} that are left",
            self.answers_left
        )
    }

    /// Tells what the outlook rests on.
    pub fn method(&self) -> String {
        let right = (self.right * f64::from(self.draws)).round();
        let smaller = self.answers_simulated.map_or_else(String::new, |left| {
            format!("; a smaller pool, with {left} answers left, stood for this one")
        });
        format!(
            "simulated: {} times the unseen answers were drawn from the posterior pool and asked for one at a time by the policy pool; the arm named then was {} in {right} of them{smaller}",
            self.draws,
            best_within(self.tolerance),
        )
    }
}

/// Returns the budgets that an outlook tells of, where `left` answers are left.
pub(super) fn budgets(left: u64, asked: Option<u64>) -> Vec<u64> {
    let of = |share: u64| (u128::from(left) * u128::from(share)).div_ceil(100);
    let budgets = SHARES.map(|share| u64::try_from(of(share)).unwrap_or(left));
    let mut budgets = budgets.to_vec();
    budgets.extend(asked.map(|budget| budget.min(left)));
    budgets.sort_unstable();
    budgets.dedup();
    budgets
}

/// Returns two digits of a number from 100 on; all of a smaller one.
fn rounded(number: u64) -> u64 {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    (number + unit / 2) / unit * unit
}
