//! P(best) of arms in bars and figures: in which order arms stand, and which of them have a colour.

use super::study::StudyFindings;
use crate::{
    ArmTable,
    figure::{BeliefHistory, palette},
    html::Share,
};

/// Greatest number of arms that have a colour where there are more than the figures have colours.
const IN_A_CROWD: usize = 5;

/// The names of the arms in the one order that all tables and figures have.
pub(super) fn ranked_names(table: &ArmTable) -> Vec<&str> {
    let ranked = table.ranked().into_iter();
    ranked.map(|arm| table.arms[arm].name.as_str()).collect()
}

/// The names of the arms that have a colour where there are too many for all: the best five.
pub(super) fn highlighted(table: &ArmTable) -> Vec<&str> {
    ranked_names(table).into_iter().take(IN_A_CROWD).collect()
}

/// P(best) of all arms that are not retired, the most probable first, each with the colour that it
/// has in the figures. Empty where several best arms are sought: these probabilities divide no whole.
pub(super) fn shares(table: &ArmTable, probability: &[f64]) -> Vec<Share> {
    if table.top > 1 {
        return Vec::new();
    }
    let highlighted = highlighted(table);
    let colour = |place: usize| {
        if table.arms.len() <= palette::ARMS.len() {
            return Some(place);
        }
        let name = &table.arms[place].name;
        highlighted.iter().position(|other| other == name)
    };
    // Here alone P(best) is the order: what is too small to be seen is one share at the end.
    let kept = { table.ranked().into_iter() }.filter(|&arm| !table.arms[arm].retired);
    let share = |arm: usize| Share {
        name: table.arms[arm].name.clone(),
        probability: probability[arm],
        colour: colour(arm),
    };
    let mut shares: Vec<Share> = kept.map(share).collect();
    shares.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    shares
}

/// The figure of P(best) over the evaluations of a study. `None` before there are two points, and
/// where several best arms are sought.
pub(super) fn history(study: &StudyFindings<'_>, highlighted: &[&str]) -> Option<BeliefHistory> {
    let facts = study.facts();
    let points = &facts.background.belief_path.points;
    let figure = BeliefHistory::new(&facts.names()).highlight(highlighted);
    let figure = { points.iter() }.fold(figure, |figure, (evaluations, probability)| {
        figure.point(evaluations, probability)
    });
    (points.len() > 1 && facts.top == 1).then_some(figure)
}
