//! Tables of a report: arms, comparisons, intervals, ranks, budgets, crossings.

use super::evidence::Evidence;
use crate::{
    Align, ArmRow, Table, Versus,
    analysis::{curve::CrossingOfArms, pool::PoolReport},
    summary::{Interval, Pairing, Ranks},
    versus,
    words::p_value,
};

/// A table for people and the same as numbers for programs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// The name of its files, without extension.
    pub file: &'static str,
    /// For people.
    pub shown: Table,
    /// With a number per column.
    pub data: Table,
}

impl Sheet {
    /// Starts a table with columns of words and of numbers for people, and the names of all columns for
    /// programs.
    pub(super) fn new(
        file: &'static str,
        caption: impl Into<String>,
        words: &[&str],
        numbers: &[&str],
        names: &[&str],
    ) -> Self {
        let words = words.iter().map(|&title| (title, Align::Left));
        let numbers = numbers.iter().map(|&title| (title, Align::Right));
        Self {
            file,
            shown: Table::new(words.chain(numbers)).caption(caption),
            data: Table::new(names.iter().map(|&name| (name, Align::Left))),
        }
    }

    /// Adds a row for people, and the words and numbers of one for programs.
    pub(super) fn row(
        &mut self,
        shown: impl IntoIterator<Item = String>,
        is_best: bool,
        words: &[&str],
        numbers: &[Option<f64>],
    ) {
        self.shown.row(shown, is_best);
        self.data_row(words, numbers);
    }

    /// Adds a row for programs alone.
    pub(super) fn data_row(&mut self, words: &[&str], numbers: &[Option<f64>]) {
        let words = words.iter().map(|&word| word.to_owned());
        let number = |number: &Option<f64>| number.map_or(String::new(), |n| n.to_string());
        self.data
            .row(words.chain(numbers.iter().map(number)), false);
    }
}

/// The ends of an interval, if there is one.
pub(super) fn ends(interval: Option<Interval>) -> [Option<f64>; 2] {
    [interval.map(|i| i.lower), interval.map(|i| i.upper)]
}

/// What the intervals in the table of arms are.
fn intervals(evidence: &Evidence<'_>) -> String {
    let of = match evidence.table.f_beta {
        Some(_) if evidence.is_adaptive() => "of the F of all counts",
        _ => "of the mean",
    };
    if evidence
        .pool
        .as_ref()
        .is_some_and(|pool| pool.answers.are_compared_in_pairs())
    {
        return "not told, as the means are of each arm's own answers and answers are missing"
            .to_owned();
    }
    let pool = evidence.pool.as_ref().map(|pool| &pool.report);
    if pool.is_some_and(PoolReport::is_complete) {
        return "of the mean over all items of the pool, all of which are answered".to_owned();
    }
    if pool.is_some() && evidence.table.f_beta.is_none() {
        return "of the mean over all items of the pool, by the posterior pool; items are chosen by what was answered, so that these means are estimates and no averages of the answers".to_owned();
    }
    if evidence.is_adaptive() {
        let posterior = &evidence.belief.posterior;
        let inside = match evidence.bounds {
            Some(_) => ", inside the bounds of the metric",
            None => "",
        };
        format!(
            "{of}, by the posterior {posterior}{inside}, around the posterior mean; mean ± sd are of the scores"
        )
    } else {
        of.to_owned()
    }
}

/// The table of all arms.
pub(super) fn arms(evidence: &Evidence<'_>) -> Sheet {
    let caption = format!(
        "Every arm by {}, the best first; intervals are {}.",
        evidence.target(),
        intervals(evidence)
    );
    let shown = evidence
        .table
        .full(evidence.options.confidence)
        .caption(caption);
    let best = evidence.table.best();
    let marked =
        |(place, arm): (usize, &ArmRow)| arm.possibly_best && !arm.tied && Some(place) != best;
    let marked = best.is_some() && evidence.table.arms.iter().enumerate().any(marked);
    Sheet {
        file: "arms",
        shown: if marked {
            shown.note(&evidence.mark)
        } else {
            shown
        },
        data: evidence.table.data(),
    }
}

/// Every arm against the best; none if there is nothing to compare.
pub(super) fn against_best(evidence: &Evidence<'_>, rows: &[Versus]) -> Option<Sheet> {
    let best = evidence.best().filter(|_| !rows.is_empty())?;
    let name = &evidence.evaluations.arms[best].name;
    let level = evidence.level();
    let has_posterior = rows.iter().any(|row| row.of_posterior.is_some());
    let [mean, on_common] = if has_posterior {
        [
            "the posterior mean of the difference",
            ", the difference on these",
        ]
    } else {
        ["the difference", ""]
    };
    let anytime = match (
        rows.iter().any(|row| row.anytime.is_some()),
        evidence.assumed_bounds(),
    ) {
        (false, _) => String::new(),
        (true, None) => format!(
            ", the interval that holds for all pairs at once and at any time in {level} of studies with Gaussian scores"
        ),
        (true, Some(_)) => format!(
            ", the interval that holds for all pairs at once and at any time in {level} of studies, whatever the scores within the bounds"
        ),
    };
    let descriptive = if evidence.is_adaptive() {
        " (descriptive, as the study chose how many evaluations to make)"
    } else {
        ""
    };
    let caption = format!(
        "{name} against each other arm: {mean} with its {level} interval{anytime}, the common {} that scores are compared on where it says so{on_common}, the difference of the means over all scores, and how often a score of it is better, with an interval of that{descriptive}.",
        evidence.evaluations.groups,
    );
    let names = [
        "arm",
        "best",
        "posterior_difference",
        "difference",
        "lower",
        "upper",
        "anytime_lower",
        "anytime_upper",
        "paired_splits",
        "probability_of_improvement",
        "improvement_lower",
        "improvement_upper",
        "difference_of_means",
    ];
    let mut sheet = Sheet::new("against-best", "", &[], &[], &names);
    sheet.shown = versus(name, rows).caption(caption);
    for row in rows {
        let paired = match row.comparison.pairing {
            Pairing::Paired { splits, .. } => Some(splits as f64),
            Pairing::Unpaired => None,
        };
        let [lower, upper] = ends(row.difference().1);
        let [anytime_lower, anytime_upper] = ends(row.anytime);
        let numbers = [
            row.of_posterior.map(|(difference, _)| difference),
            Some(row.comparison.difference),
            lower,
            upper,
            anytime_lower,
            anytime_upper,
            paired,
            Some(row.improvement.probability),
            Some(row.interval.lower),
            Some(row.interval.upper),
            Some(row.difference_of_means),
        ];
        sheet.data_row(&[&row.name, name], &numbers);
    }
    Some(sheet)
}

/// Means, medians and interquartile means with intervals that assume no distribution; none without
/// scores.
pub(super) fn bootstrap(evidence: &Evidence<'_>) -> Option<Sheet> {
    let digits = evidence.table.decimals();
    let caption = format!(
        "Three summaries with {} intervals that assume little. {}.",
        evidence.level(),
        evidence.bootstrap.method()
    );
    let names = [
        "arm",
        "mean",
        "mean_lower",
        "mean_upper",
        "median",
        "median_lower",
        "median_upper",
        "interquartile_mean",
        "interquartile_mean_lower",
        "interquartile_mean_upper",
    ];
    let columns = ["mean", "median", "interquartile mean"];
    let mut sheet = Sheet::new("bootstrap", caption, &["arm"], &columns, &names);
    let mut any = false;
    for place in evidence.table.ranked() {
        let arm = &evidence.table.arms[place];
        let (Some(sample), Some(summary)) = (&evidence.samples[place], &arm.summary) else {
            continue;
        };
        let found = evidence.bootstrap.intervals(sample);
        let rows = [
            (summary.mean, found.mean),
            (summary.median, found.median),
            (summary.interquartile_mean, found.interquartile_mean),
        ];
        let cell = |(value, interval): &(f64, Option<Interval>)| match interval {
            Some(Interval { lower, upper }) => {
                format!("{value:.digits$} ({lower:.digits$} to {upper:.digits$})")
            }
            None => format!("{value:.digits$} (–)"),
        };
        let is_best = arm.tied || Some(place) == evidence.table.best();
        let shown = std::iter::once(arm.name.clone()).chain(rows.iter().map(cell));
        let numbers = rows.iter().flat_map(|&(value, interval)| {
            let [lower, upper] = ends(interval);
            [Some(value), lower, upper]
        });
        sheet.row(shown, is_best, &[&arm.name], &numbers.collect::<Vec<_>>());
        any = true;
    }
    any.then_some(sheet)
}

/// Average ranks over the splits that all arms have seen.
pub(super) fn ranks(evidence: &Evidence<'_>, ranks: &Ranks) -> Sheet {
    let caption = format!(
        "Average ranks over {} {} on which every arm has a score; 1 is the best.",
        ranks.blocks, evidence.evaluations.groups
    );
    let note = format!(
        "Friedman's test: χ² = {:.1} with {:.0} degrees of freedom, p {}. Ranks that differ by more than {:.2} differ at {} (Nemenyi).",
        ranks.friedman.statistic,
        ranks.friedman.degrees_of_freedom,
        p_value(ranks.friedman.p_value),
        ranks.critical_difference,
        evidence.level()
    );
    let names = ["arm", "average rank"];
    let mut sheet = Sheet::new("ranks", caption, &["arm"], &["average rank"], &names);
    sheet.shown = sheet.shown.note(note);
    let best = ranks.average.iter().copied().fold(f64::INFINITY, f64::min);
    for arm in evidence.table.ranked() {
        let (name, rank) = (&evidence.evaluations.arms[arm].name, ranks.average[arm]);
        let shown = [name.clone(), format!("{rank:.2}")];
        sheet.row(shown, rank <= best, &[name], &[Some(rank)]);
    }
    sheet
}

/// How many trials the expected best needs to reach each score that was reported elsewhere; none if
/// none was.
pub(super) fn budgets(evidence: &Evidence<'_>) -> Option<Sheet> {
    let reported = &evidence.options.reported;
    if reported.is_empty() {
        return None;
    }
    let names: Vec<String> = reported
        .iter()
        .map(|(name, score)| format!("{name} ({score})"))
        .collect();
    let columns = || names.iter().map(|name| (name.as_str(), Align::Right));
    let caption = "Trials after which the expected best reaches a score reported elsewhere.";
    let mut shown =
        Table::new([("arm", Align::Left)].into_iter().chain(columns())).caption(caption);
    let mut data = Table::new([("arm", Align::Left)].into_iter().chain(columns()));
    let report = evidence.curves.as_ref();
    for curve in report.iter().flat_map(|report| &report.curves) {
        let of_arm = report.iter().flat_map(|report| &report.budgets);
        let of_arm = of_arm.filter(|budget| budget.name == curve.name);
        let budgets = of_arm.map(|budget| match budget.first_n {
            Some(n) if budget.within => n.to_string(),
            Some(n) => format!("{n}, beyond the {} seen", curve.scores),
            None => in_words(budget.status),
        });
        let budgets: Vec<String> = budgets.collect();
        let name = std::iter::once(curve.name.clone());
        shown.row(name.clone().chain(budgets.iter().cloned()), false);
        data.row(name.chain(budgets), false);
    }
    Some(Sheet {
        file: "budgets",
        shown,
        data,
    })
}

/// Why a score is not reached.
fn in_words(status: &str) -> String {
    match status {
        "asymptote_only" => "only with ever more",
        "above_observed_best" => "above the best seen",
        other => other,
    }
    .to_owned()
}

/// The hyperparameters of the best trial of each arm of a search.
pub(super) fn search(evidence: &Evidence<'_>) -> Option<Sheet> {
    if !evidence.is_search() {
        return None;
    }
    let shown = match &evidence.study {
        Some(study) => study.table(),
        None => evidence.table.best_trials(),
    };
    Some(Sheet {
        file: "search",
        data: shown.clone(),
        shown,
    })
}

/// P(highest expected best of n) of a search that has ended, with the n for which an arm leads; none
/// where that cannot be said.
pub(super) fn best_of_n(evidence: &Evidence<'_>) -> Option<Sheet> {
    let compared = evidence.best_of_n()?;
    let caption =
        "P(highest expected best of n): which arm is best if n settings of each can be tried.";
    let shown = compared.table().caption(caption).note(compared.leads());
    Some(Sheet {
        file: "best-of-n",
        shown: match compared.heavy_tails() {
            Some(warning) => shown.note(warning),
            None => shown,
        },
        data: compared.data(),
    })
}

/// Where the curves of the best arms cross, each with the budgets between which that may be.
pub(super) fn crossings(evidence: &Evidence<'_>) -> Option<Sheet> {
    let named = evidence.highlighted();
    let crossings = &evidence.curves.as_ref()?.crossings;
    let is_named = |crossing: &&CrossingOfArms| {
        let mut arms = crossing.arms.iter();
        arms.all(|arm| named.contains(&arm.as_str()))
    };
    let found: Vec<&CrossingOfArms> = crossings.iter().filter(is_named).collect();
    if found.is_empty() {
        return None;
    }
    let header = || {
        let words = ["better with few trials", "better with many"].map(|name| (name, Align::Left));
        let numbers = ["estimates cross at n", "may cross"].map(|name| (name, Align::Right));
        words.into_iter().chain(numbers)
    };
    let caption = "Where the curves of the best arms change places, and between which n that may be as far as their bands tell.";
    let (mut shown, mut data) = (Table::new(header()).caption(caption), Table::new(header()));
    for crossing in found {
        let between = match (crossing.from, crossing.until) {
            (Some(from), Some(until)) => format!("between {from} and {until}"),
            (Some(from), None) => format!("after {from}, or nowhere"),
            (None, Some(until)) => format!("before {until}, or nowhere"),
            (None, None) => "anywhere, or nowhere".to_owned(),
        };
        let row = |n: String| {
            [
                crossing.better_before.clone(),
                crossing.better_after.clone(),
                n,
                between.clone(),
            ]
        };
        shown.row(row(format!("{:.1}", crossing.n)), false);
        data.row(row(crossing.n.to_string()), false);
    }
    Some(Sheet {
        file: "crossings",
        shown,
        data,
    })
}
