//! Results of a pool by group: the user's own strata of items, described and not tested.

use super::PoolAnswers;
use crate::{Table, TableOf};
use serde::Serialize;
use std::collections::HashMap;

/// Greatest number of arms that a table of groups has columns for.
pub(crate) const COLUMNS: usize = 4;

/// Results by group, in the order of the groups' names. They describe what was answered and claim
/// nothing: which items of a group an arm was asked may depend on what was answered before.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Groups(pub Vec<GroupResult>);

/// The results in one group.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct GroupResult {
    /// Name of the group.
    pub group: String,
    /// Number of items of the group.
    pub items: u64,
    /// Arm with the best mean of those with at least half of the most answers in the group; none if
    /// several have that mean, or no arm has an answer.
    pub leader: Option<String>,
    /// Means of the arms, in their own order.
    pub arms: Vec<GroupMean>,
}

/// The answers of an arm to the items of a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct GroupMean {
    /// Name of the arm.
    pub name: String,
    /// Number of items of the group that the arm has answered.
    pub answered: u64,
    /// Mean of the arm's answers in the group; none without any.
    pub mean: Option<f64>,
}

impl Groups {
    /// Returns the results by group.
    pub fn new(answers: &PoolAnswers) -> Option<Self> {
        let mut sizes: HashMap<&str, u64> = HashMap::new();
        for group in answers
            .facts
            .iter()
            .filter_map(|facts| facts.group.as_deref())
        {
            *sizes.entry(group).or_default() += 1;
        }
        if sizes.is_empty() {
            return None;
        }
        let mut names: Vec<&str> = sizes.keys().copied().collect();
        names.sort_unstable();
        let places: HashMap<&str, usize> = names.iter().copied().zip(0..).collect();
        let arms = answers.arms.len();
        let mut sums = vec![(0_u64, 0.0); names.len() * arms];
        for (arm, of_arm) in answers.answers.iter().enumerate() {
            for answer in of_arm {
                let group = answers
                    .fact(answer.item)
                    .and_then(|facts| facts.group.as_deref());
                let Some(&place) = group.and_then(|group| places.get(group)) else {
                    continue;
                };
                let sum = &mut sums[place * arms + arm];
                *sum = (sum.0 + 1, sum.1 + answer.score);
            }
        }
        let result = |(place, &name): (usize, &&str)| {
            let sums = &sums[place * arms..(place + 1) * arms];
            let means: Vec<GroupMean> = answers
                .arms
                .iter()
                .zip(sums)
                .map(|(name, &(answered, sum))| GroupMean {
                    name: name.clone(),
                    answered,
                    mean: (answered > 0).then(|| sum / answered as f64),
                })
                .collect();
            GroupResult {
                group: name.to_owned(),
                items: sizes[name],
                leader: leader(answers, &means),
                arms: means,
            }
        };
        Some(Self(names.iter().enumerate().map(result).collect()))
    }

    /// Returns a table with a row for each group, and a column for each of the first four of these arms.
    pub fn table(&self, arms: &[&str]) -> Table {
        let arms = &arms[..arms.len().min(COLUMNS)];
        let mut table = TableOf::new(&self.0)
            .words("group", |result| result.group.clone())
            .numbers("items", |result| result.items)
            .words("leads", |result| result.leader.clone());
        for name in arms {
            table = table.numbers(name, |result| {
                let arm = result.arms.iter().find(|arm| arm.name == **name)?;
                Some(format!("{:.3} ({})", arm.mean?, arm.answered))
            });
        }
        table.table()
    }
}

/// The arm with the best mean among those with at least half of the most answers; none of a tie.
fn leader(answers: &PoolAnswers, means: &[GroupMean]) -> Option<String> {
    let most = means.iter().map(|arm| arm.answered).max().unwrap_or(0);
    let enough = means.iter().zip(&answers.retired);
    let enough = enough.filter(|(arm, retired)| !**retired && 2 * arm.answered >= most.max(1));
    let mut ranked: Vec<(f64, &str)> = enough
        .filter_map(|(arm, _)| Some((answers.direction.orient(arm.mean?), arm.name.as_str())))
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    match ranked[..] {
        [] => None,
        [(best, _), (second, _), ..] if best - second < 1e-12 * answers.range() => None,
        [(_, name), ..] => Some(name.to_owned()),
    }
}
