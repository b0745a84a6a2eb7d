//! Pool of items in a report: its answers and what is known of them, tables and lists.

use super::{
    ReportInput, ReportOptions, belief::Believed, evidence::Evidence, tables::Sheet, words::count,
};
use crate::{
    Align, ArmTable, MeanOverPool, Table,
    analysis::{
        AnalysisError, ScoresOfArms,
        belief::probabilities_better,
        pool::{DiscordantItem, DiscordantSide, OutlookOptions, PoolAnswers, PoolReport},
    },
    counted_share,
    html::{Block, Passage},
    percent,
    summary::Interval,
    tuning_curve::Failed,
};
use fiesta_core::{ArmId, Posterior, Reason};
use fiesta_policies::stopping::anytime::difference_interval;
use fiesta_posterior::{POOL, Pool};
use std::collections::{HashMap, HashSet};

/// Discordant items that are listed on either side.
const LISTED: usize = 12;
/// Arms that the table of groups has columns for.
const COLUMNS: usize = 4;

/// The pool that a report is about.
pub(super) struct PoolEvidence {
    pub(super) answers: PoolAnswers,
    pub(super) posterior: Pool,
    pub(super) report: PoolReport,
}

impl PoolEvidence {
    /// That of a study of items or of a file with items, under the posterior `pool`; none else.
    pub(super) fn new(
        input: &ReportInput,
        options: &ReportOptions,
        worst: Option<f64>,
    ) -> Result<Option<Self>, AnalysisError> {
        let answers = answers(input, options, worst)?;
        if options.pool_size.is_some() && (answers.is_none() || input.study.is_some()) {
            return Err(AnalysisError::Refused(
                "the size of a pool is of a file with items whose answers have bounds, under the posterior pool: leave it out"
                    .to_owned(),
            ));
        }
        let Some(answers) = answers else {
            return Ok(None);
        };
        let study = input.study.as_ref();
        let outlook = OutlookOptions {
            confidence: study
                .and_then(|s| s.confidence)
                .unwrap_or(options.confidence),
            tolerance: study.map_or(0.0, |study| study.background.tolerance),
            budget: study
                .and_then(|study| study.background.evaluations_left)
                .filter(|&budget| budget > 0),
            seed: options.seed,
        };
        // What was decided needs no more answers, whatever came in afterwards.
        let ended = study.and_then(|study| study.conclusion.as_ref());
        let is_decided =
            ended.is_some_and(|ended| !matches!(ended.reason, Reason::Limit(_) | Reason::Schedule));
        Ok(Some(Self {
            posterior: answers.posterior()?,
            report: if is_decided {
                PoolReport::new(&answers, outlook.tolerance)?
            } else {
                PoolReport::with_outlook(&answers, &outlook)?
            },
            answers,
        }))
    }

    /// Adds to the rows of all arms what is known of their means over the pool.
    pub(super) fn complete(&self, table: &mut ArmTable, confidence: f64) {
        for (place, (row, known)) in table.arms.iter_mut().zip(&self.report.arms).enumerate() {
            row.interval = self.interval(place, confidence);
            row.of_pool = known.mean.map(|mean| MeanOverPool {
                mean,
                standard_error: known.standard_error.unwrap_or_default(),
                share: known.share,
            });
        }
    }

    /// The belief with probabilities of pairs that agree with each other.
    pub(super) fn consistent(&self, belief: Believed) -> Believed {
        Believed {
            better: self.better(),
            ..belief
        }
    }

    /// The posterior interval of an arm's mean over the pool, as reported.
    pub(super) fn interval(&self, arm: usize, confidence: f64) -> Option<Interval> {
        let known = self.posterior.marginal(ArmId::new(arm))?;
        let (low, high) = self.answers.bounds;
        let mut reported = known;
        reported.location = self.answers.direction.orient(known.location);
        let is_known = self.report.arms[arm].answered >= self.report.items;
        if is_known && self.answers.every.is_none() {
            let (lower, upper) = (reported.location, reported.location);
            return Some(Interval { lower, upper });
        }
        Some(Interval::of_posterior(&reported, confidence).inside(low, high))
    }

    /// The mean of an arm over the pool less that of another, as reported, with its posterior
    /// interval.
    pub(super) fn difference(
        &self,
        one: usize,
        other: usize,
        confidence: f64,
    ) -> Option<(f64, Interval)> {
        let known = self
            .posterior
            .difference(ArmId::new(one), ArmId::new(other))?;
        let mut reported = known;
        reported.location = self.answers.direction.orient(known.location);
        let range = self.answers.bounds.1 - self.answers.bounds.0;
        let interval = Interval::of_posterior(&reported, confidence).inside(-range, range);
        Some((reported.location, interval))
    }

    /// The anytime-valid interval of that, from the common beginning of the random order; none
    /// where the order is not known, or is not one of which all are equally likely, or answers
    /// vary.
    fn anytime(
        &self,
        order: &[u64],
        one: usize,
        other: usize,
        confidence: f64,
    ) -> Option<Interval> {
        // The bets are on answers that are fixed.
        if self.answers.every.is_some() {
            return None;
        }
        let of = |arm: usize| -> HashMap<u64, f64> {
            let answers = self.answers.answers[arm].iter();
            answers.map(|answer| (answer.item, answer.score)).collect()
        };
        let (one, other) = (of(one), of(other));
        let common = order
            .iter()
            .map_while(|item| Some(one.get(item)? - other.get(item)?));
        let differences: Vec<f64> = common.collect();
        let arms = self.answers.arms.len() as f64;
        let alpha = (1.0 - confidence) / (arms * (arms - 1.0) / 2.0);
        let (bounds, items) = (Some(self.answers.bounds), Some(self.answers.items));
        let (lower, upper) = difference_interval(&differences, bounds, items, alpha)?;
        let range = self.answers.bounds.1 - self.answers.bounds.0;
        let interval = Interval { lower, upper }.inside(-range, range);
        // What excludes nothing is none.
        (interval.lower > -range || interval.upper < range).then_some(interval)
    }

    /// P(the row's mean is better than the column's): from the side of the arm with more answers,
    /// by whose outcomes items were chosen for the other.
    pub(super) fn better(&self) -> Option<Vec<Vec<f64>>> {
        let count = |arm: ArmId| self.answers.answers[arm.index()].len();
        let mut better = probabilities_better(self.answers.arms.len(), |a, b| {
            self.posterior.difference(a, b)
        })?;
        for a in ArmId::all(better.len()) {
            for b in ArmId::all(a.index()) {
                // The first arm of two with as many.
                let (first, second) = if count(a) > count(b) { (a, b) } else { (b, a) };
                let p = better[first.index()][second.index()];
                better[second.index()][first.index()] = 1.0 - p;
            }
        }
        Some(better)
    }

    /// On how many items both have answered, and on how many either is better.
    fn paired(&self, one: usize, other: usize) -> [u64; 3] {
        let of_other: HashMap<u64, f64> = self.answers.answers[other]
            .iter()
            .map(|answer| (answer.item, answer.score))
            .collect();
        let mut counts = [0; 3];
        for answer in &self.answers.answers[one] {
            let Some(score) = of_other.get(&answer.item) else {
                continue;
            };
            let ahead = self.answers.direction.orient(answer.score - score);
            counts[0] += 1;
            counts[1] += u64::from(ahead > 1e-12);
            counts[2] += u64::from(ahead < -1e-12);
        }
        counts
    }
}

/// The answers of a study, or of a file whose posterior is not another one.
fn answers(
    input: &ReportInput,
    options: &ReportOptions,
    worst: Option<f64>,
) -> Result<Option<PoolAnswers>, AnalysisError> {
    if let Some(study) = &input.study {
        return Ok(study.pool_answers().filter(|_| options.strata.is_none()));
    }
    let records = &input.records;
    let other = options
        .posterior
        .as_deref()
        .is_some_and(|name| name != POOL);
    let arms: HashSet<&str> = records.named().map(|record| record.arm).collect();
    if other || records.items().is_empty() || arms.len() < 2 || arms.len() < records.arms().len() {
        return Ok(None);
    }
    let scores = ScoresOfArms::new(records, &[], input.direction, &*input.source)?;
    let scores = match &options.strata {
        Some(column) => scores.in_groups(records, column)?,
        None => scores,
    };
    let Some(mut answers) = scores
        .in_pool(input.bounds, options.pool_size)?
        .pool_answers()
    else {
        return Ok(None);
    };
    if let (Failed::Worst, Some(score)) = (options.failed, worst) {
        for failed in records.failures() {
            let of_arm = &mut answers.answers[failed.arm.index()];
            let item = failed
                .split
                .filter(|item| of_arm.iter().all(|known| known.item != *item));
            let added = item.map(|item| crate::analysis::pool::PoolAnswer {
                item,
                score,
                evaluation: None,
            });
            of_arm.extend(added);
            if let Some(every) = &mut answers.every {
                every[failed.arm.index()].extend(added);
            }
        }
    }
    Ok(Some(answers))
}

/// Every arm against the best, over the pool.
pub(super) fn against_best(evidence: &Evidence<'_>) -> Option<Sheet> {
    let pool = evidence.pool.as_ref()?;
    let best = evidence.best()?;
    let confidence = evidence.options.confidence;
    let name = &evidence.counted.arms[best].name;
    let order = evidence
        .input
        .study
        .as_ref()
        .map(|study| &study.background.order[..]);
    let others: Vec<usize> = evidence
        .table
        .ranked()
        .into_iter()
        .filter(|&arm| arm != best)
        .collect();
    let rows: Vec<_> = others
        .into_iter()
        .filter_map(|arm| {
            let (difference, interval) = pool.difference(best, arm, confidence)?;
            let anytime = order.and_then(|order| pool.anytime(order, best, arm, confidence));
            Some((arm, difference, interval, anytime, pool.paired(best, arm)))
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let has_anytime = rows.iter().any(|row| row.3.is_some());
    let level = evidence.level();
    let said = if has_anytime {
        format!(
            ", the interval that holds for all pairs at once and at any time in {level} of studies, whatever the answers within the bounds (from the items at the beginning of the random order that both have answered)"
        )
    } else {
        String::new()
    };
    let caption = format!(
        "{name} against each other arm: the difference of their means over the whole pool with its {level} posterior interval{said}, on how many items both were asked, and on how many of these either is better. Items are chosen by what was answered, so that these counts are no estimate of the pool."
    );
    let difference = format!("{name} less arm");
    let words = [
        "interval",
        "anytime-valid",
        "both answered",
        "better on",
        "worse on",
    ];
    let columns = words
        .into_iter()
        .filter(|&word| has_anytime || word != "anytime-valid");
    let header = [("arm", Align::Left), (difference.as_str(), Align::Right)];
    let columns = columns.map(|word| (word, Align::Right));
    let mut shown = Table::new(header.into_iter().chain(columns)).caption(caption);
    let names = [
        "difference",
        "lower",
        "upper",
        "anytime_lower",
        "anytime_upper",
        "common_items",
        "better_items",
        "worse_items",
    ];
    let numbers = names.map(|name| (name, Align::Right));
    let header = [("arm", Align::Left), ("best", Align::Left)];
    let mut data = Table::new(header.into_iter().chain(numbers));
    let show = |value: f64| format!("{value:+.4}").replace('-', "−");
    let ends = |interval: Interval| format!("{} to {}", show(interval.lower), show(interval.upper));
    for (arm, difference, interval, anytime, counts) in rows {
        let of_arm = evidence.counted.arms[arm].name.clone();
        let mut cells = vec![of_arm.clone(), show(difference), ends(interval)];
        cells.extend(has_anytime.then(|| anytime.map_or("–".to_owned(), ends)));
        cells.extend(counts.map(|count| count.to_string()));
        shown.row(cells, false);
        let end = |of: fn(Interval) -> f64| anytime.map_or(String::new(), |i| of(i).to_string());
        let numbers = [
            of_arm,
            name.clone(),
            difference.to_string(),
            interval.lower.to_string(),
            interval.upper.to_string(),
            end(|interval| interval.lower),
            end(|interval| interval.upper),
        ];
        data.row(
            numbers.into_iter().chain(counts.map(|c| c.to_string())),
            false,
        );
    }
    let file = "against-best";
    Some(Sheet { file, shown, data })
}

/// What further answers would buy.
pub(super) fn outlook(evidence: &Evidence<'_>) -> Option<Sheet> {
    let outlook = evidence.pool.as_ref()?.report.outlook.as_ref()?;
    if outlook.is_settled() {
        return None;
    }
    let settled = format!("settled at {}", super::words::level(outlook.confidence));
    let header = [
        "further answers",
        "of those left",
        &settled,
        "P(best), expected",
    ];
    let header = header.map(|name| (name, Align::Right));
    let caption = "What budgets of further answers would buy: how often an arm could be named with no more than these, and how often the arm that leads then, or was named before, is the best.";
    let mut shown = Table::new(header).caption(caption);
    let header = ["answers", "share", "settled", "probability_best"];
    let mut data = Table::new(header.map(|name| (name, Align::Right)));
    for at in &outlook.budgets {
        let cells = [
            at.answers.to_string(),
            counted_share(at.share),
            counted_share(at.settled),
            percent(at.probability_best),
        ];
        shown.row(cells, false);
        let numbers = [at.share, at.settled, at.probability_best].map(|value| value.to_string());
        data.row([at.answers.to_string()].into_iter().chain(numbers), false);
    }
    let file = "outlook";
    Some(Sheet { file, shown, data })
}

/// Results by group.
pub(super) fn groups(evidence: &Evidence<'_>) -> Option<Sheet> {
    let pool = evidence.pool.as_ref()?;
    let groups = pool.report.groups.as_ref()?;
    let ranked = evidence.table.ranked();
    let name = |&arm: &usize| evidence.counted.arms[arm].name.as_str();
    let arms: Vec<&str> = ranked.iter().take(COLUMNS).map(name).collect();
    let more = match ranked.len().saturating_sub(COLUMNS) {
        0 => String::new(),
        more => format!(
            " {} more are in the table's file.",
            count(more as u64, "arm")
        ),
    };
    let key = evidence
        .input
        .study
        .as_ref()
        .and_then(|study| study.strata.as_deref());
    let key = key
        .or(evidence.options.strata.as_deref())
        .unwrap_or("group");
    let caption = format!(
        "The mean of the answers to the items of each {key}, with how many they are, and the arm whose mean is the best of those with at least half as many answers as any.{more} This describes what was answered and claims nothing of a {key}: no test is made, and which items were asked depends on earlier answers."
    );
    let shown = groups.table(&arms).caption(caption);
    let header = ["group", "arm"].map(|name| (name, Align::Left));
    let numbers = ["items", "answered", "mean"].map(|name| (name, Align::Right));
    let mut data = Table::new(header.into_iter().chain(numbers));
    for group in &groups.0 {
        for arm in &group.arms {
            let mean = arm.mean.map_or(String::new(), |mean| mean.to_string());
            let cells = [
                group.group.clone(),
                arm.name.clone(),
                group.items.to_string(),
                arm.answered.to_string(),
                mean,
            ];
            data.row(cells, false);
        }
    }
    let file = "groups";
    Some(Sheet { file, shown, data })
}

/// The items that decide between the best two.
pub(super) fn discordant(evidence: &Evidence<'_>) -> Vec<Block> {
    let Some(pool) = &evidence.pool else {
        return Vec::new();
    };
    let Some(found) = &pool.report.discordant else {
        return Vec::new();
    };
    let first = found.sentence();
    let mut letters = first.chars();
    let capital = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    let logs = match &evidence.input.study {
        Some(_) => format!(
            " What an evaluation was asked and answered: fiesta log {} with its number.",
            evidence.input.source
        ),
        None => String::new(),
    };
    let lead = format!("{}{}.{logs}", capital.unwrap_or_default(), letters.as_str());
    let mut blocks = vec![Block::Text(lead)];
    let sides = [
        (&found.leader, &found.runner_up, &found.leader_better),
        (&found.runner_up, &found.leader, &found.runner_up_better),
    ];
    for (better, worse, side) in sides {
        if side.items > 0 {
            let heading = format!(
                "{better} better than {worse}: {}{}",
                count(side.items, "item"),
                more(side)
            );
            let listed = side.listed.iter().take(LISTED);
            let passages =
                listed.map(|item| passage(evidence, pool, item, &found.leader, &found.runner_up));
            blocks.push(Block::Passages(heading, passages.collect()));
        }
    }
    blocks
}

fn more(side: &DiscordantSide) -> String {
    match side.listed.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("; the first {LISTED}, {more} more are not listed"),
    }
}

fn passage(
    evidence: &Evidence<'_>,
    pool: &PoolEvidence,
    item: &DiscordantItem,
    leader: &str,
    runner_up: &str,
) -> Passage {
    let score = |value: f64| {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let of = |name: &str, answer: &crate::analysis::pool::PoolAnswer| match answer.evaluation {
        Some(number) => format!("{name} {} (evaluation {number})", score(answer.score)),
        None => format!("{name} {}", score(answer.score)),
    };
    let mut notes = vec![of(leader, &item.leader), of(runner_up, &item.runner_up)];
    let logs = [item.leader.evaluation, item.runner_up.evaluation];
    if let [Some(one), Some(other)] = logs {
        let source = &evidence.input.source;
        notes.push(format!(
            "fiesta log {source} {one}; fiesta log {source} {other}"
        ));
    }
    let facts = pool.answers.fact(item.item);
    Passage {
        label: pool.answers.name_of(item.item).into_owned(),
        tag: facts.and_then(|facts| facts.group.clone()),
        text: facts
            .and_then(|facts| facts.text.clone())
            .unwrap_or_default(),
        notes,
    }
}
