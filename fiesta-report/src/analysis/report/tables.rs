//! Tables of a report: arms, comparisons, intervals, ranks, budgets, crossings.

use super::evidence::Evidence;
use crate::{
    ArmRow, Table, TableOf, Versus,
    analysis::{curve::CrossingOfArms, pool::PoolReport, study::BenchmarkFacts},
    percent,
    summary::{Interval, Pairing, Ranks},
    versus,
    words::p_value,
};

/// A table for people and the same as numbers for programs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// Name of the table's files, without extension.
    pub file: &'static str,
    /// The table for people.
    pub shown: Table,
    /// The table for programs, with a number per column.
    pub data: Table,
}

/// Returns what the intervals in the table of arms are.
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
        let why = if evidence.is_gate() {
            "not all items are answered"
        } else {
            "items are chosen by what was answered"
        };
        return format!(
            "of the mean over all items of the pool, by the posterior pool; {why}, so that these means are estimates and no averages of the answers"
        );
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

/// Returns the table of all arms.
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

/// Returns the table of every arm against the best; none if there is nothing to compare.
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
    let paired = |row: &&Versus| match row.comparison.pairing {
        Pairing::Paired { splits, .. } => Some(splits as f64),
        Pairing::Unpaired => None,
    };
    let data = TableOf::new(rows)
        .words("arm", |row| row.name.clone())
        .words("best", |_| name.clone())
        .values("posterior_difference", |row| {
            row.of_posterior.map(|of| of.0)
        })
        .values("difference", |row| Some(row.comparison.difference))
        .values("lower", |row| row.difference().1.map(|of| of.lower))
        .values("upper", |row| row.difference().1.map(|of| of.upper))
        .values("anytime_lower", |row| row.anytime.map(|of| of.lower))
        .values("anytime_upper", |row| row.anytime.map(|of| of.upper))
        .values("paired_splits", paired)
        .values("probability_of_improvement", |row| {
            Some(row.improvement.probability)
        })
        .values("improvement_lower", |row| Some(row.interval.lower))
        .values("improvement_upper", |row| Some(row.interval.upper))
        .values("difference_of_means", |row| Some(row.difference_of_means));
    Some(Sheet {
        file: "against-best",
        shown: versus(name, rows).caption(caption),
        data: data.table(),
    })
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
    let rows = evidence.table.ranked().into_iter().filter_map(|place| {
        let arm = &evidence.table.arms[place];
        let (sample, summary) = (evidence.samples[place].as_ref()?, arm.summary.as_ref()?);
        let found = evidence.bootstrap.intervals(sample);
        let values = [
            (summary.mean, found.mean),
            (summary.median, found.median),
            (summary.interquartile_mean, found.interquartile_mean),
        ];
        Some((place, arm, values))
    });
    let rows: Vec<_> = rows.collect();
    let mut shown = TableOf::new(&rows)
        .words("arm", |(_, arm, _)| arm.name.clone())
        .bold(|(place, arm, _)| arm.tied || Some(*place) == evidence.table.best());
    let mut data = TableOf::new(&rows).words("arm", |(_, arm, _)| arm.name.clone());
    let titles = ["mean", "median", "interquartile mean"];
    for (which, title) in titles.into_iter().enumerate() {
        shown = shown.numbers(title, |(.., of)| match of[which] {
            (value, Some(Interval { lower, upper })) => {
                format!("{value:.digits$} ({lower:.digits$} to {upper:.digits$})")
            }
            (value, None) => format!("{value:.digits$} (–)"),
        });
        let key = title.replace(' ', "_");
        data = data
            .values(&key, |(.., of)| Some(of[which].0))
            .values(&format!("{key}_lower"), |(.., of)| {
                of[which].1.map(|of| of.lower)
            })
            .values(&format!("{key}_upper"), |(.., of)| {
                of[which].1.map(|of| of.upper)
            });
    }
    (!rows.is_empty()).then(|| Sheet {
        file: "bootstrap",
        shown: shown.table().caption(caption),
        data: data.table(),
    })
}

/// Returns the table of a study's benchmarks, a row each, with the mean of every arm there. `None` in a report of one
/// pool or of splits.
pub(super) fn benchmarks(evidence: &Evidence<'_>) -> Option<Sheet> {
    let study = evidence.input.study.as_ref()?;
    if study.benchmarks.is_empty() {
        return None;
    }
    let rows = || {
        let rows = TableOf::new(study.benchmarks.iter());
        rows.words("benchmark", |of| of.name.clone())
    };
    let answers = |of: &&BenchmarkFacts| of.arms.iter().map(|arm| arm.answers).sum::<u64>();
    let mut shown = rows()
        .numbers("weight", |of| percent(of.weight))
        .numbers("items", |of| of.items.to_string())
        .numbers("answers", |of| answers(of).to_string());
    let mut data = rows()
        .values("weight", |of| Some(of.weight))
        .values("items", |of| Some(of.items as f64))
        .values("answers", |of| Some(answers(of) as f64));
    for (place, arm) in study.arms.iter().enumerate() {
        let mean = |of: &&BenchmarkFacts| of.arms.get(place).and_then(|arm| arm.mean);
        let p = |of: &&BenchmarkFacts| of.arms.get(place).map(|arm| arm.probability_best);
        shown = shown.numbers(&arm.name, |of| match (mean(of), p(of)) {
            (Some(mean), Some(p)) => format!("{mean:.4} ({})", percent(p)),
            _ => "–".to_owned(),
        });
        data = data
            .values(&format!("mean of {}", arm.name), mean)
            .values(&format!("P(best) of {}", arm.name), p);
    }
    let caption = "Each benchmark: its weight, how many answers of all arms were asked, and the mean of each arm with its P(best) on this benchmark alone.";
    Some(Sheet {
        file: "benchmarks",
        shown: shown.table().caption(caption),
        data: data.table(),
    })
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
    let best = ranks.average.iter().copied().fold(f64::INFINITY, f64::min);
    let arms = || {
        let arms = evidence.table.ranked().into_iter();
        let arms = arms.map(|arm| (&evidence.evaluations.arms[arm].name, ranks.average[arm]));
        TableOf::new(arms).words("arm", |(name, _)| (*name).clone())
    };
    let shown = arms().numbers("average rank", |(_, rank)| format!("{rank:.2}"));
    let shown = shown.bold(|(_, rank)| *rank <= best).table();
    Sheet {
        file: "ranks",
        shown: shown.caption(caption).note(note),
        data: arms()
            .values("average rank", |(_, rank)| Some(*rank))
            .table(),
    }
}

/// How many trials the expected best needs to reach each score that was reported elsewhere; none if
/// none was.
pub(super) fn budgets(evidence: &Evidence<'_>) -> Option<Sheet> {
    let reported = &evidence.options.reported;
    if reported.is_empty() {
        return None;
    }
    let report = evidence.curves.as_ref();
    let curves = report.iter().flat_map(|report| &report.curves);
    let mut table = TableOf::new(curves).words("arm", |curve| curve.name.clone());
    for (place, (name, score)) in reported.iter().enumerate() {
        table = table.numbers(&format!("{name} ({score})"), |curve| {
            let of_arm = report.iter().flat_map(|report| &report.budgets);
            let mut of_arm = of_arm.filter(|budget| budget.name == curve.name);
            let budget = of_arm.nth(place)?;
            Some(match budget.first_n {
                Some(n) if budget.within => n.to_string(),
                Some(n) => format!("{n}, beyond the {} seen", curve.scores),
                None => in_words(budget.status),
            })
        });
    }
    let data = table.table();
    let caption = "Trials after which the expected best reaches a score reported elsewhere.";
    Some(Sheet {
        file: "budgets",
        shown: data.clone().caption(caption),
        data,
    })
}

/// Returns why a score is not reached.
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

/// Returns the table of the crossings of the best arms' curves, each with the budgets between which
/// it may be.
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
    let caption = "Where the curves of the best arms change places, and between which n that may be as far as their bands tell.";
    let between = |crossing: &&CrossingOfArms| match (crossing.from, crossing.until) {
        (Some(from), Some(until)) => format!("between {from} and {until}"),
        (Some(from), None) => format!("after {from}, or nowhere"),
        (None, Some(until)) => format!("before {until}, or nowhere"),
        (None, None) => "anywhere, or nowhere".to_owned(),
    };
    let table = |n: fn(&&CrossingOfArms) -> String| {
        TableOf::new(found.clone())
            .words("better with few trials", |of| of.better_before.clone())
            .words("better with many", |of| of.better_after.clone())
            .numbers("estimates cross at n", n)
            .numbers("may cross", between)
            .table()
    };
    Some(Sheet {
        file: "crossings",
        shown: table(|of| format!("{:.1}", of.n)).caption(caption),
        data: table(|of| of.n.to_string()),
    })
}
