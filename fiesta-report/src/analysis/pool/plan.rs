//! Plans for a pool of items: how many answers a verdict needs and what each budget buys, on
//! made-up pools or from the answers of a pilot.

use super::{
    Outlook, OutlookOptions, PoolAnswers, PoolReport,
    continuation::{Plan, Truth, rule},
    outlook::budgets,
};
use crate::{
    TableOf,
    analysis::AnalysisError,
    counted_share,
    words::{count, level},
    wrapped,
};
use fiesta_core::{ArmId, Arms};
use fiesta_policies::simulate::ItemResponse;
use rand::rngs::ChaCha8Rng;
use serde::Serialize;

/// A made-up pool that a plan is for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SupposedPool {
    /// Number of arms, K.
    pub arms: usize,
    /// Number of items, N.
    pub items: usize,
    /// How many items the best is ahead of the second.
    pub gap_items: usize,
    /// The correlation of two arms on an item, in the latent scale.
    pub correlation: f64,
    /// The distance of the other arms from each other, in latent standard deviations.
    pub spread: f64,
}

/// How many answers a verdict on a pool needs, and what each budget buys.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct PoolPlanReport {
    /// The made-up pool. `None` of a plan from a pilot's answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supposed: Option<SupposedPool>,
    /// Number of answers that all arms could give, K·N.
    pub cells: u64,
    /// Number of answers that are known.
    pub known: u64,
    /// Notes on the pilot's answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The seed of the simulation.
    pub seed: u64,
    /// Outlook for each confidence; the continuations are the simulated studies.
    pub results: Vec<Outlook>,
}

/// Right and wrong answers of all arms.
struct MadeUp(Vec<Vec<bool>>);

impl Truth for MadeUp {
    fn answer(&self, arm: ArmId, item: u64) -> Option<f64> {
        let right = *self.0.get(arm.index())?.get(usize::try_from(item).ok()?)?;
        Some(f64::from(u8::from(right)))
    }

    fn is_best(&self, arm: ArmId, margin: f64) -> bool {
        let count = |right: &Vec<bool>| right.iter().filter(|&&right| right).count() as f64;
        let items = self.0.first().map_or(0, Vec::len) as f64;
        let best = self.0.iter().map(count).fold(0.0, f64::max);
        let own = self.0.get(arm.index()).map(count);
        own.is_some_and(|own| own + margin * items + 1e-9 >= best)
    }
}

impl PoolPlanReport {
    /// Makes plans for `runs` made-up pools of right and wrong answers.
    ///
    /// # Errors
    /// [`AnalysisError`] for a pool that cannot be made up, and for a confidence or a tolerance
    /// that is none.
    pub(crate) fn supposing(
        pool: SupposedPool,
        confidences: &[f64],
        tolerance: f64,
        runs: u32,
        seed: u64,
    ) -> Result<Self, AnalysisError> {
        let SupposedPool {
            arms,
            items,
            gap_items,
            correlation,
            spread,
        } = pool;
        let model = ItemResponse::new(arms, items, gap_items, correlation, spread)?;
        let names = Arms::new((1..=arms).map(|arm| format!("arm{arm}")))?;
        let items = items as u64;
        let cells = items * arms as u64;
        let result = |&confidence: &f64| {
            let options = OutlookOptions {
                confidence,
                tolerance,
                budget: None,
                seed,
            };
            rule(&names, &options)?;
            let budgets = budgets(cells, None);
            let plan = Plan {
                arms: &names,
                known: &[],
                items,
                bounds: (0.0, 1.0),
                budgets: &budgets,
                options: &options,
            };
            let draw = |model: &ItemResponse, rng: &mut ChaCha8Rng| MadeUp(model.pool(rng));
            let found = plan.draw(&model, draw, runs)?;
            Ok(Outlook::of(found, &budgets, cells, &options))
        };
        Ok(Self {
            supposed: Some(pool),
            cells,
            known: 0,
            notes: Vec::new(),
            seed,
            results: confidences
                .iter()
                .map(result)
                .collect::<Result<_, AnalysisError>>()?,
        })
    }

    /// Makes plans from the answers of a pilot, whose unseen answers are drawn from the posterior.
    ///
    /// # Errors
    /// [`AnalysisError`] where all answers are known, there are none, or they vary, for bounds that
    /// are none, and for a confidence or a tolerance that is none.
    pub fn of_pilot(
        answers: &PoolAnswers,
        confidences: &[f64],
        tolerance: f64,
        seed: u64,
    ) -> Result<Self, AnalysisError> {
        if answers.every.is_some() {
            return Err(AnalysisError::refused(
                "some items have several answers of an arm, and what further answers would buy is simulated only where an item has one: keep one answer to each item, or try studies on these with `fiesta simulate`",
            ));
        }
        let result = |&confidence: &f64| {
            let options = OutlookOptions {
                confidence,
                tolerance,
                budget: None,
                seed,
            };
            Outlook::of_answers(answers, &options)?.ok_or_else(|| {
                AnalysisError::refused("there is nothing to plan: all answers of this pool are known (`fiesta belief` says which arm is best), or none is; where the items are a sample of more, say of how many with --pool-size, such as --pool-size 100000")
            })
        };
        let known: usize = answers.answers.iter().map(Vec::len).sum();
        Ok(Self {
            supposed: None,
            cells: answers.items.saturating_mul(answers.arms.len() as u64),
            known: known as u64,
            notes: PoolReport::new(answers, tolerance)?.origin_words(),
            seed,
            results: confidences
                .iter()
                .map(result)
                .collect::<Result<_, AnalysisError>>()?,
        })
    }

    /// Returns the text of the plan, as a program prints it.
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// Returns the text for lines of `width` characters: tables leave columns out, sentences are
    /// broken between words.
    pub fn text_within(&self, width: usize) -> String {
        let what = match self.supposed {
            Some(pool) => format!(
                "{} arms, {} items, {} answers in all; the best {} ahead of the second, correlation {} of two arms on an item, the others {} apart",
                pool.arms,
                pool.items,
                self.cells,
                count(pool.gap_items, "item"),
                pool.correlation,
                pool.spread
            ),
            None => format!("{} of {} answers are known", self.known, self.cells),
        };
        let more = if self.known > 0 {
            "further answers"
        } else {
            "answers"
        };
        let of = if self.known > 0 {
            "of those left"
        } else {
            "of all"
        };
        let verdicts = TableOf::new(&self.results)
            .numbers("confidence", |result| level(result.confidence))
            .numbers(more, |result| result.answers.median)
            .numbers("in 80 % of studies", |result| {
                format!("{} to {}", result.answers.lower, result.answers.upper)
            })
            .numbers(of, |result| {
                counted_share(result.answers.median as f64 / result.answers_left.max(1) as f64)
            })
            .numbers("wrong", |result| counted_share(1.0 - result.right))
            .table();
        let mut lines = vec![what, String::new(), verdicts.text_within(width)];
        if let Some(first) = self.results.first() {
            let settled = format!("settled at {}", level(first.confidence));
            let bought = TableOf::new(&first.budgets)
                .numbers("budget", |at| at.answers)
                .numbers(of, |at| counted_share(at.share))
                .numbers(&settled, |at| counted_share(at.settled))
                .numbers("leader is the best", |at| {
                    counted_share(at.probability_best)
                })
                .table();
            lines.extend([bought.text_within(width), self.method(first.draws)]);
        }
        lines.extend(self.notes.clone());
        wrapped(&lines.join("\n"), width)
    }

    fn method(&self, draws: u32) -> String {
        let from = match self.supposed {
            Some(_) => "made-up pools of an item response model",
            None => "continuations drawn from the posterior of these answers",
        };
        format!(
            "{draws} simulated studies each, on {from} (seed {}); posterior pool, policy pool, one answer at a time",
            self.seed
        )
    }
}
