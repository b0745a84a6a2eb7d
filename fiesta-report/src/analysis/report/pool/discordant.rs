//! Lists of the items that decide between the best two arms.

use super::PoolEvidence;
use crate::{
    analysis::{
        pool::{DiscordantItem, DiscordantSide, PoolAnswer},
        report::evidence::Evidence,
    },
    html::{Block, Passage},
    words::{capitalised, count},
};

/// Greatest number of discordant items that are listed on either side.
const LISTED: usize = 12;

/// Returns blocks on the items that decide between the best two arms.
pub(in crate::analysis::report) fn discordant(evidence: &Evidence<'_>) -> Vec<Block> {
    let Some(pool) = &evidence.pool else {
        return Vec::new();
    };
    let Some(found) = &pool.report.discordant else {
        return Vec::new();
    };
    let logs = match &evidence.input.study {
        Some(_) => format!(
            " What an evaluation was asked and answered: fiesta log {} with its number.",
            evidence.input.source
        ),
        None => String::new(),
    };
    let lead = format!("{}.{logs}", capitalised(&found.sentence()));
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
    let of = |name: &str, answer: &PoolAnswer| match answer.evaluation {
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
