//! Tables of a pool: arms against the best, what further answers would buy, results by group.

use crate::{
    analysis::report::{
        evidence::Evidence,
        tables::{Sheet, ends},
    },
    analysis::{PoolOrigin, pool::COLUMNS},
    counted_share, percent,
    summary::Interval,
    words::{count, level, signed},
};

/// Every arm against the best, over the pool.
pub(in crate::analysis::report) fn against_best(evidence: &Evidence<'_>) -> Option<Sheet> {
    let pool = evidence.pool.as_ref()?;
    let best = evidence.best()?;
    let confidence = evidence.options.confidence;
    let name = &evidence.evaluations.arms[best].name;
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
        "{name} against each other arm: the difference of their means {} with its {level} posterior interval{said}, on how many items both were asked, and on how many of these either is better.{}",
        pool.over(),
        match pool.answers.origin {
            PoolOrigin::Study =>
                " Items are chosen by what was answered, so that these counts are no estimate of the pool.",
            _ => "",
        }
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
    let columns: Vec<&str> = [difference.as_str()].into_iter().chain(columns).collect();
    let names = [
        "arm",
        "best",
        "difference",
        "lower",
        "upper",
        "anytime_lower",
        "anytime_upper",
        "common_items",
        "better_items",
        "worse_items",
    ];
    let mut sheet = Sheet::new("against-best", caption, &["arm"], &columns, &names);
    let show = |value: f64| signed(value, 4);
    let words =
        |interval: Interval| format!("{} to {}", show(interval.lower), show(interval.upper));
    for (arm, difference, interval, anytime, counts) in rows {
        let of_arm = &evidence.evaluations.arms[arm].name;
        let mut cells = vec![of_arm.clone(), show(difference), words(interval)];
        cells.extend(has_anytime.then(|| anytime.map_or("–".to_owned(), words)));
        cells.extend(counts.map(|count| count.to_string()));
        let mut numbers = vec![Some(difference)];
        numbers.extend(ends(Some(interval)).into_iter().chain(ends(anytime)));
        numbers.extend(counts.map(|count| Some(count as f64)));
        sheet.row(cells, false, &[of_arm, name], &numbers);
    }
    Some(sheet)
}

/// What further answers would buy.
pub(in crate::analysis::report) fn outlook(evidence: &Evidence<'_>) -> Option<Sheet> {
    let outlook = evidence.pool.as_ref()?.report.outlook.as_ref()?;
    if outlook.is_settled() {
        return None;
    }
    let settled = format!("settled at {}", level(outlook.confidence));
    let titles = [
        "further answers",
        "of those left",
        &settled,
        "P(best), expected",
    ];
    let caption = "What budgets of further answers would buy: how often an arm could be named with no more than these, and how often the arm that leads then, or was named before, is the best.";
    let names = ["answers", "share", "settled", "probability_best"];
    let mut sheet = Sheet::new("outlook", caption, &[], &titles, &names);
    for at in &outlook.budgets {
        let cells = [
            at.answers.to_string(),
            counted_share(at.share),
            counted_share(at.settled),
            percent(at.probability_best),
        ];
        let numbers = [at.answers as f64, at.share, at.settled, at.probability_best];
        sheet.row(cells, false, &[], &numbers.map(Some));
    }
    Some(sheet)
}

/// Results by group.
pub(in crate::analysis::report) fn groups(evidence: &Evidence<'_>) -> Option<Sheet> {
    let pool = evidence.pool.as_ref()?;
    let groups = pool.report.groups.as_ref()?;
    let arms = evidence.ranked_names();
    let more = match arms.len().saturating_sub(COLUMNS) {
        0 => String::new(),
        more => format!(" {} more are in the table's file.", count(more, "arm")),
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
    let names = ["group", "arm", "items", "answered", "mean"];
    let mut sheet = Sheet::new("groups", "", &[], &[], &names);
    sheet.shown = groups.table(&arms).caption(caption);
    for group in &groups.0 {
        for arm in &group.arms {
            let numbers = [
                Some(group.items as f64),
                Some(arm.answered as f64),
                arm.mean,
            ];
            sheet.data_row(&[&group.group, &arm.name], &numbers);
        }
    }
    Some(sheet)
}
