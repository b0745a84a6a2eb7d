//! Tables of a pool: arms against the best, what further answers would buy, results by group.

use crate::{
    TableOf,
    analysis::{
        PoolOrigin,
        pool::COLUMNS,
        report::{evidence::Evidence, tables::Sheet},
    },
    arm_table::signed_ends,
    counted_share, percent,
    words::{count, level, signed},
};

/// Returns the table of every arm against the best, over the pool.
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
    let others = evidence
        .table
        .ranked()
        .into_iter()
        .filter(|&arm| arm != best);
    let rows: Vec<_> = others
        .filter_map(|arm| {
            let (difference, interval) = evidence.difference(best, arm)?;
            let anytime = order.and_then(|order| pool.anytime(order, best, arm, confidence));
            let name = &evidence.evaluations.arms[arm].name;
            Some((name, difference, interval, anytime, pool.paired(best, arm)))
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
            PoolOrigin::Study if evidence.is_gate() =>
                " Items were asked in a random order until an arm was decided.",
            PoolOrigin::Study =>
                " Items are chosen by what was answered, so that these counts are no estimate of the pool.",
            _ => "",
        }
    );
    let named = || TableOf::new(&rows).words("arm", |row| row.0.clone());
    let shown = named()
        .numbers(&format!("{name} less arm"), |row| signed(row.1, 4))
        .numbers("interval", |row| signed_ends(row.2, 4))
        .when(has_anytime, |table| {
            table.numbers("anytime-valid", |row| {
                row.3.map(|ends| signed_ends(ends, 4))
            })
        })
        .numbers("both answered", |row| row.4[0])
        .numbers("better on", |row| row.4[1])
        .numbers("worse on", |row| row.4[2]);
    let data = named()
        .words("best", |_| name.clone())
        .values("difference", |row| Some(row.1))
        .values("lower", |row| Some(row.2.lower))
        .values("upper", |row| Some(row.2.upper))
        .values("anytime_lower", |row| row.3.map(|of| of.lower))
        .values("anytime_upper", |row| row.3.map(|of| of.upper))
        .numbers("common_items", |row| row.4[0])
        .numbers("better_items", |row| row.4[1])
        .numbers("worse_items", |row| row.4[2]);
    Some(Sheet {
        file: "against-best",
        shown: shown.table().caption(caption),
        data: data.table(),
    })
}

/// Returns the table of what further answers would buy.
pub(in crate::analysis::report) fn outlook(evidence: &Evidence<'_>) -> Option<Sheet> {
    let outlook = evidence.pool.as_ref()?.report.outlook.as_ref()?;
    if outlook.is_settled() {
        return None;
    }
    let settled = format!("settled at {}", level(outlook.confidence));
    let caption = "What budgets of further answers would buy: how often an arm could be named with no more than these, and how often the arm that leads then, or was named before, is the best.";
    let data = TableOf::new(&outlook.budgets)
        .numbers("answers", |at| at.answers)
        .values("share", |at| Some(at.share))
        .values("settled", |at| Some(at.settled))
        .values("probability_best", |at| Some(at.probability_best));
    let shown = TableOf::new(&outlook.budgets)
        .numbers("further answers", |at| at.answers)
        .numbers("of those left", |at| counted_share(at.share))
        .numbers(&settled, |at| counted_share(at.settled))
        .numbers("P(best), expected", |at| percent(at.probability_best));
    Some(Sheet {
        file: "outlook",
        shown: shown.table().caption(caption),
        data: data.table(),
    })
}

/// Returns the table of results by group.
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
    let of_arms = { groups.0.iter() }.flat_map(|of| of.arms.iter().map(move |arm| (of, arm)));
    let data = TableOf::new(of_arms)
        .words("group", |(of, _)| of.group.clone())
        .words("arm", |(_, arm)| arm.name.clone())
        .numbers("items", |(of, _)| of.items)
        .numbers("answered", |(_, arm)| arm.answered)
        .values("mean", |(_, arm)| arm.mean);
    Some(Sheet {
        file: "groups",
        shown: groups.table(&arms).caption(caption),
        data: data.table(),
    })
}
