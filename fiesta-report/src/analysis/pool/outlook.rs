//! Outlook of a pool of items: how many more answers are expected to settle which arm is best, and
//! what smaller budgets would buy, simulated from the posterior.

use crate::{
    analysis::{AnalysisError, percent},
    percent as posterior_percent,
};
use fiesta_core::{
    ArmId, Arms, Ask, Case, Design, Evaluation, EvaluationId, Event, Outcome, Selector, Streams,
};
use fiesta_policies as policies;
use fiesta_policies::stopping::{Distance, StoppingParameters, by_name};
use fiesta_posterior::{Completion, Pool};
use serde::Serialize;
use std::{
    num::NonZero,
    sync::atomic::{AtomicU32, Ordering},
    thread,
};

/// The shares of the answers left at which the outlook is told.
const SHARES: [f64; 4] = [0.1, 0.25, 0.5, 1.0];
/// The stopping rule of the continuations.
const STOPPING: &str = "posterior";
/// Answers left times continuations, about: fewer continuations must do for large pools.
const CELLS: u64 = 4_000_000;
/// Continuations, at least and at most.
const DRAWS: (u64, u64) = (100, 400);

/// What is asked of an outlook.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutlookOptions {
    /// The confidence at which an arm is to be named.
    pub confidence: f64,
    /// How far below the best it may be, in the unit of the scores.
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

/// What further answers to the items of a pool would buy: in each of many continuations the unseen
/// answers are [drawn](Pool::complete) from the posterior, and asked for one at a time by the policy
/// `pool` until the rule `posterior` names an arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outlook {
    /// The confidence at which an arm is to be named.
    pub confidence: f64,
    /// How far below the best it may be.
    pub tolerance: f64,
    /// How many continuations were drawn.
    pub draws: u32,
    /// The answers that are left, K·N less those that are known.
    pub answers_left: u64,
    /// How many more are asked for before an arm is named.
    pub answers: FurtherAnswers,
    /// The share of continuations in which the arm that is named is the best of the drawn pool, or
    /// within the tolerance of it.
    pub right: f64,
    /// What budgets of further answers would buy.
    pub budgets: Vec<OutlookAtBudget>,
}

/// Further answers until an arm is named, over the continuations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FurtherAnswers {
    /// The median.
    pub median: u64,
    /// The tenth percentile.
    pub lower: u64,
    /// The ninetieth percentile.
    pub upper: u64,
}

/// What a budget of further answers would buy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutlookAtBudget {
    /// The further answers.
    pub answers: u64,
    /// Their share of all that are left.
    pub share: f64,
    /// The share of continuations in which an arm is named with no more than these.
    pub settled: f64,
    /// P(best), expected: the share of continuations in which the arm that leads then, or was named
    /// before, is the best of the drawn pool or within the tolerance of it.
    pub probability_best: f64,
}

/// One continuation.
struct Continuation {
    /// Further answers until an arm was named.
    answers: u64,
    right: bool,
    /// At each budget, whether an arm was named, and whether the leader is the best.
    at: Vec<(bool, bool)>,
}

impl Outlook {
    /// That of a posterior of these arms; none where all answers are known, or there are none.
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
        let mut budgets: Vec<u64> = SHARES
            .map(|share| (share * left as f64).ceil() as u64)
            .into();
        budgets.extend(options.budget.map(|budget| budget.min(left)));
        budgets.sort_unstable();
        budgets.dedup();
        let (fewest, most) = DRAWS;
        let draws = u32::try_from((CELLS / left).clamp(fewest, most)).unwrap_or(u32::MAX);
        let plan = Plan {
            arms,
            known: &known,
            items,
            budgets: &budgets,
            options,
        };
        let mut found = plan.draw(pool, draws)?;
        found.sort_by_key(|continuation| continuation.answers);
        // The least number of which so many continuations need no more.
        let quantile = |share: f64| {
            let place = (share * found.len() as f64).ceil() as usize;
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
        Ok(Some(Self {
            confidence: options.confidence,
            tolerance: options.tolerance,
            draws,
            answers_left: left,
            answers: FurtherAnswers {
                median: quantile(0.5),
                lower: quantile(0.1),
                upper: quantile(0.9),
            },
            right: share(&|one| one.right),
            budgets: budgets.iter().enumerate().map(at_budget).collect(),
        }))
    }

    /// Whether no further answer is needed.
    pub fn is_settled(&self) -> bool {
        self.answers.upper == 0
    }

    /// How many more answers would settle it.
    ///
    /// # Example
    /// ```
    /// use fiesta_report::analysis::pool::{FurtherAnswers, Outlook};
    /// let outlook = Outlook {
    ///     confidence: 0.95,
    ///     tolerance: 0.0,
    ///     draws: 200,
    ///     answers_left: 1200,
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
        let level = percent(self.confidence);
        if self.is_settled() {
            return format!(
                "no more answers are needed at {level}: a study that looks after every answer would end here"
            );
        }
        let (median, lower, upper) = (rounded(median), rounded(lower), rounded(upper));
        format!(
            "about {median} more answers ({lower} to {upper} in 80 % of continuations) would settle it at {level}, of the {} that are left",
            self.answers_left
        )
    }

    /// What that rests on.
    pub fn method(&self) -> String {
        format!(
            "simulated: {} times the unseen answers were drawn from the posterior pool and asked for one at a time by the policy pool; the arm named then was {} in {} of them",
            self.draws,
            if self.tolerance > 0.0 {
                format!("within {} of the best", self.tolerance)
            } else {
                "the best".to_owned()
            },
            posterior_percent(self.right)
        )
    }
}

/// Two digits of a number from 100 on; all of a smaller one.
fn rounded(number: u64) -> u64 {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    (number + unit / 2) / unit * unit
}

/// Every answer that is known, in the order of the items.
fn known(arms: &Arms, pool: &Pool, items: u64) -> Vec<(ArmId, u64, f64)> {
    let cells = (0..items).flat_map(|item| arms.ids().map(move |arm| (arm, item)));
    let known = cells.filter_map(|(arm, item)| Some((arm, item, pool.observed_answer(arm, item)?)));
    known.collect()
}

fn rule(
    arms: &Arms,
    options: &OutlookOptions,
) -> Result<Box<dyn fiesta_core::StoppingRule>, AnalysisError> {
    let parameters = StoppingParameters {
        tolerance: Distance::Score(options.tolerance),
        tie: Distance::ZERO,
        ..StoppingParameters::new(options.confidence, arms.len())
    };
    Ok(by_name(STOPPING, &parameters)?)
}

/// What all continuations share.
struct Plan<'a> {
    arms: &'a Arms,
    known: &'a [(ArmId, u64, f64)],
    items: u64,
    budgets: &'a [u64],
    options: &'a OutlookOptions,
}

impl Plan<'_> {
    /// So many continuations; each has random streams of its own, so that the number of threads
    /// makes no difference.
    fn draw(&self, pool: &Pool, draws: u32) -> Result<Vec<Continuation>, AnalysisError> {
        let next = AtomicU32::new(0);
        let work = |pool: Pool| -> Result<Vec<(u32, Continuation)>, AnalysisError> {
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= draws {
                    return Ok(done);
                }
                done.push((number, self.one(&pool, number)?));
            }
        };
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let mut all = thread::scope(|scope| -> Result<_, AnalysisError> {
            let threads: Vec<_> = (0..threads)
                .map(|_| {
                    let (work, pool) = (&work, pool.clone());
                    scope.spawn(move || work(pool))
                })
                .collect();
            let mut all = Vec::new();
            for thread in threads {
                let done = thread.join();
                all.extend(done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(all)
        })?;
        all.sort_unstable_by_key(|&(number, _)| number);
        Ok(all
            .into_iter()
            .map(|(_, continuation)| continuation)
            .collect())
    }

    fn one(&self, pool: &Pool, number: u32) -> Result<Continuation, AnalysisError> {
        let streams = Streams::new(self.options.seed);
        let number = u64::from(number);
        let completion = pool.complete(&mut streams.draws(number));
        let mut selector = self.selector(pool, streams.run_seed(number))?;
        let tolerance = self.options.tolerance;
        let is_best = |arm: ArmId| completion.is_best(arm, tolerance);
        let mut at = Vec::with_capacity(self.budgets.len());
        let mut answers = 0;
        let named = loop {
            let ask = selector.ask()?;
            let asked = match ask {
                Ask::Evaluate(asked) => asked,
                Ask::Finished(conclusion) => break conclusion.arm,
                // Nothing is pending when the next is asked for.
                Ask::Wait => return Err(fiesta_core::SelectorError::Stalled.into()),
            };
            if self.budgets.get(at.len()) == Some(&answers) {
                let view = selector.view();
                let claimed = view
                    .claim(tolerance)
                    .and_then(|claim| claim.arms.first().copied());
                let leader = claimed.or_else(|| view.empirical_best());
                at.push((false, leader.is_some_and(is_best)));
            }
            tell(&mut selector, &completion, asked)?;
            answers += 1;
        };
        let right = is_best(named);
        at.resize(self.budgets.len(), (true, right));
        Ok(Continuation { answers, right, at })
    }

    /// A study that knows what is known.
    fn selector(&self, pool: &Pool, seed: u64) -> Result<Selector, AnalysisError> {
        let rule = rule(self.arms, self.options)?;
        let posterior = pool.emptied();
        let policy = policies::Pool::default();
        let mut selector = Selector::builder(self.arms.clone(), posterior, policy, rule)
            .design(Design::Items { count: self.items })
            .seed(seed)
            .build()?;
        for (id, &(arm, item, answer)) in (0..).zip(self.known) {
            let case = Case {
                split: item,
                seed: 0,
            };
            let id = EvaluationId(id);
            selector.record(Evaluation { id, arm, case }, Some(answer))?;
        }
        Ok(selector)
    }
}

fn tell(
    selector: &mut Selector,
    completion: &Completion,
    asked: Evaluation,
) -> Result<(), AnalysisError> {
    let answer = completion.answer(asked.arm, asked.case.split);
    let outcome = answer.map_or(Outcome::Failed, Outcome::Observed);
    let id = asked.id;
    selector.tell(Event::Ended {
        id,
        outcome,
        cost: 1.0,
    })?;
    Ok(())
}
