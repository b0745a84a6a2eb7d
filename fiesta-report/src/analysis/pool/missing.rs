//! Answers that are missing from a file: how many items each arm lacks, and of which groups.

use super::PoolAnswers;
use crate::{
    Table, TableOf,
    analysis::{AnalysisError, PoolOrigin, disjoint::first_disjoint},
    summary::MeanError,
    words::{listed, one_or_more},
};
use fiesta_core::{ArmId, Target};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Greatest number of arms of which sentences name what they lack.
const NAMED: usize = 5;
/// Greatest number of groups that are named of an arm.
const GROUPS: usize = 3;

/// Items that some arms of a file have not answered, though others have.
///
/// Answers are hardly ever missing at random: a task that was not run, a run that stopped. Where no
/// study of ours chose the answers, two arms are compared on the items that both have answered.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MissingAnswers {
    /// Number of items that any of the arms has answered.
    pub items: u64,
    /// Number of items that all arms have answered.
    pub common: u64,
    /// The arms, each with the number of its answers and what it lacks.
    pub arms: Vec<ArmThatLacks>,
}

/// Number of answers of an arm, and what it lacks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ArmThatLacks {
    /// Name of the arm.
    pub name: String,
    /// Number of items that the arm has answered.
    pub answered: u64,
    /// Number of items that the arm lacks.
    pub lacks: u64,
    /// Groups of the items that the arm lacks, the one with the most first. Empty where items have
    /// no groups.
    pub groups: Vec<LackingGroup>,
    /// Mean of the arm's answers.
    pub mean: Option<f64>,
    /// Comparison of the leader with the arm, on the items of both. `None` for the leader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against_leader: Option<AgainstLeader>,
}

/// The items of a group that an arm lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LackingGroup {
    /// Name of the group, or what the names of its items begin with.
    pub group: String,
    /// Number of items of the group.
    pub items: u64,
    /// Number of items of the group that the arm lacks.
    pub lacks: u64,
}

/// The leader's mean less an arm's on the items of both, as reported.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AgainstLeader {
    /// Number of items that both arms have answered.
    pub items: u64,
    /// Difference of the means of leader and arm.
    pub difference: f64,
    /// Standard error of the difference. `None` for fewer than two items.
    pub standard_error: Option<f64>,
}

impl PoolAnswers {
    /// Leaves only the answers that are compared, unless a study chose them: those to items that
    /// any arm has answered, and of a random sample those to items that all have.
    ///
    /// # Errors
    /// [`AnalysisError`] if two arms have no item in common.
    pub(crate) fn compared(mut self) -> Result<Self, AnalysisError> {
        if self.origin == PoolOrigin::Study {
            return Ok(self);
        }
        let mut arms_of: HashMap<u64, Vec<bool>> = HashMap::new();
        for (arm, answers) in self.answers.iter().enumerate() {
            for answer in answers {
                let has = arms_of.entry(answer.item);
                has.or_insert_with(|| vec![false; self.arms.len()])[arm] = true;
            }
        }
        let mut all: Vec<(u64, Vec<bool>)> = arms_of.into_iter().collect();
        all.sort_unstable();
        self.missing = MissingAnswers::new(&self, &all);
        if self.are_compared_in_pairs() {
            self.target = Target::ItemsLikeThese;
        }
        if self.missing.is_some() {
            self.refuse_disjoint()?;
        }
        let is_sample = self.origin == PoolOrigin::Sample;
        let is_kept = |(_, has): &(u64, Vec<bool>)| !is_sample || has.iter().all(|&has| has);
        let kept: Vec<u64> = { all.iter() }
            .filter(|of| is_kept(of))
            .map(|of| of.0)
            .collect();
        if is_sample && kept.is_empty() {
            return Err(AnalysisError::refused(
                "no item has answers of all arms, which a random sample is compared on: leave the size of the pool out, or name the arms to compare",
            ));
        }
        Ok(self.on_items(&kept))
    }

    /// Refuses two arms that share no item: nothing compares them.
    fn refuse_disjoint(&self) -> Result<(), AnalysisError> {
        let items = self.answers.iter().map(|answers| {
            let mut items: Vec<u64> = answers.iter().map(|answer| answer.item).collect();
            items.sort_unstable();
            items
        });
        match first_disjoint(&items.collect::<Vec<_>>()) {
            None => Ok(()),
            Some((one, other)) => Err(AnalysisError::Refused(format!(
                "the arms {} and {} have answered no item in common, so that nothing compares them: name arms that share items with --arms, or let both answer the same items",
                self.arms[one], self.arms[other]
            ))),
        }
    }

    /// Whether two arms are compared on the items of both alone, as answers are missing that nobody
    /// chose.
    pub(crate) fn are_compared_in_pairs(&self) -> bool {
        self.origin == PoolOrigin::File && self.missing.is_some()
    }

    /// Returns the answers to these items alone, which get the numbers from 0 in their order.
    fn on_items(mut self, kept: &[u64]) -> Self {
        let keep = |all: &mut Vec<Vec<super::PoolAnswer>>| {
            for answers in all {
                answers.retain_mut(|answer| match kept.binary_search(&answer.item) {
                    Ok(number) => {
                        answer.item = number as u64;
                        true
                    }
                    Err(_) => false,
                });
            }
        };
        keep(&mut self.answers);
        if let Some(every) = &mut self.every {
            keep(every);
        }
        let facts = kept.iter().map_while(|&item| self.fact(item).cloned());
        self.facts = facts.collect();
        if let Some(of_item) = &mut self.clusters {
            let mut numbers: HashMap<usize, usize> = HashMap::new();
            let clusters = kept
                .iter()
                .filter_map(|&item| of_item.get(usize::try_from(item).ok()?));
            let clusters = clusters.map(|cluster| {
                let next = numbers.len();
                *numbers.entry(*cluster).or_insert(next)
            });
            *of_item = clusters.collect();
        }
        if self.origin == PoolOrigin::File {
            self.items = kept.len() as u64;
        }
        self
    }
}

impl MissingAnswers {
    /// Finds what arms lack. `None` if every arm has answered every item that any has.
    fn new(answers: &PoolAnswers, all: &[(u64, Vec<bool>)]) -> Option<Self> {
        let is_common = |(_, has): &&(u64, Vec<bool>)| has.iter().all(|&has| has);
        let common = all.iter().filter(is_common).count();
        if common == all.len() {
            return None;
        }
        let (groups, are_own) = groups(answers, all);
        let of_arm = |(arm, name): (usize, &String)| {
            let own = &answers.answers[arm];
            let mut lacking: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
            for (group, (_, has)) in groups.iter().zip(all) {
                let (items, lacks) = lacking.entry(group).or_default();
                *items += 1;
                *lacks += u64::from(!has[arm]);
            }
            let group = |(group, (items, lacks)): (&str, (u64, u64))| LackingGroup {
                group: group.to_owned(),
                items,
                lacks,
            };
            let mut groups: Vec<LackingGroup> = lacking.into_iter().map(group).collect();
            // Names that begin alike may be no group: only what is missing as a whole tells of one.
            groups.retain(|group| group.lacks > 0 && (are_own || group.is_whole()));
            groups.sort_by_key(|group| (!group.is_whole(), std::cmp::Reverse(group.lacks)));
            let sum: f64 = own.iter().map(|answer| answer.score).sum();
            ArmThatLacks {
                name: name.clone(),
                answered: own.len() as u64,
                lacks: (all.len() - own.len()) as u64,
                groups,
                mean: (!own.is_empty()).then(|| sum / own.len() as f64),
                against_leader: None,
            }
        };
        Some(Self {
            items: all.len() as u64,
            common: common as u64,
            arms: answers.arms.iter().enumerate().map(of_arm).collect(),
        })
    }

    /// Compares every arm with the leader, on the items of both.
    pub(super) fn beside(mut self, answers: &PoolAnswers, leader: usize) -> Self {
        let leader = ArmId::new(leader);
        for (own, arm) in (0..).map(ArmId::new).zip(&mut self.arms) {
            let common = answers.common(own, leader);
            let differences = common.map(|(own, of_leader)| of_leader.score - own.score);
            let found = MeanError::new(differences).filter(|_| own != leader);
            arm.against_leader = found.map(|found| AgainstLeader {
                items: found.items as u64,
                difference: found.mean,
                standard_error: found.standard_error,
            });
        }
        self
    }

    /// Tells what is missing, and what follows: a sentence each, without an end.
    pub fn sentences(&self, origin: PoolOrigin) -> Vec<String> {
        let lacking = || self.arms.iter().filter(|arm| arm.lacks > 0);
        // Arms that lack as much are named together.
        let mut words: Vec<(Vec<String>, String)> = Vec::new();
        for arm in lacking().take(NAMED) {
            let lacks = arm.words(self.items);
            match words.iter_mut().find(|(_, known)| *known == lacks) {
                Some((names, _)) => names.push(arm.name.clone()),
                None => words.push((vec![arm.name.clone()], lacks)),
            }
        }
        let said = words.into_iter().map(|(names, lacks)| match names.len() {
            1 => format!("{} lacks {lacks}", names.concat()),
            _ => format!("{} lack {lacks} each", listed(&names, usize::MAX)),
        });
        let mut words: Vec<String> = said.collect();
        if let Some(more) = lacking()
            .count()
            .checked_sub(NAMED)
            .filter(|&more| more > 0)
        {
            let lack = one_or_more(more, "arm lacks", "arms lack");
            words.push(format!("{more} more {lack} some"));
        }
        let on = match origin {
            PoolOrigin::Sample => format!(
                "arms are compared on the {} items that all have answered",
                self.common
            ),
            _ => "nothing says why, so that two arms are compared on the items of both, and P(best) is of many more items like those"
                .to_owned(),
        };
        let mut sentences = vec![format!("{}: {on}", words.join("; "))];
        let whole = lacking().filter_map(|arm| {
            let groups: Vec<String> = { arm.groups.iter() }
                .filter(|group| group.is_whole())
                .map(|group| group.group.clone())
                .collect();
            (!groups.is_empty()).then(|| format!("{} of {}", listed(&groups, usize::MAX), arm.name))
        });
        let whole: Vec<String> = whole.take(NAMED).collect();
        if !whole.is_empty() {
            sentences.push(format!(
                "P(best) says nothing of groups without any answer: {}",
                whole.join("; ")
            ));
        }
        sentences
    }

    /// Returns a table with a row for each of the arms at these places.
    pub(super) fn table(
        &self,
        metric: &str,
        order: &[usize],
        probability: &[String],
        is_best: impl Fn(usize) -> bool,
    ) -> Table {
        let leader = self.arms.iter().find(|arm| arm.against_leader.is_none());
        let behind = format!("{} − arm", leader.map_or("leader", |arm| arm.name.as_str()));
        let rows = order.iter().map(|&place| (place, &self.arms[place]));
        let number = |value: Option<f64>| value.map(|value| format!("{value:.4}"));
        TableOf::new(rows)
            .words("arm", |(_, arm)| arm.name.clone())
            .numbers("P(best), items like these", |(place, _)| {
                probability[*place].clone()
            })
            .numbers("answers", |(_, arm)| arm.answered)
            .numbers("lacks", |(_, arm)| arm.lacks_in_short())
            .numbers(&format!("{metric} of its answers"), |(_, arm)| {
                number(arm.mean)
            })
            .numbers(&behind, |(_, arm)| {
                number(arm.against_leader.map(|beside| beside.difference))
            })
            .numbers("± se", |(_, arm)| {
                number(arm.against_leader.and_then(|beside| beside.standard_error))
            })
            .numbers("items of both", |(_, arm)| {
                arm.against_leader.map(|beside| beside.items)
            })
            .bold(|(place, _)| is_best(*place))
            .table()
            .dispensable(&["items of both"])
    }
}

impl ArmThatLacks {
    fn words(&self, items: u64) -> String {
        let mut of: Vec<String> = { self.groups.iter().take(GROUPS) }
            .map(|group| {
                let all = if group.is_whole() { "all " } else { "" };
                format!("{all}{} of {}", group.lacks, group.group)
            })
            .collect();
        if let Some(more) = self
            .groups
            .len()
            .checked_sub(GROUPS)
            .filter(|&more| more > 0)
        {
            of.push(format!("some of {more} more groups"));
        }
        let of = if of.is_empty() {
            String::new()
        } else {
            format!(" ({})", listed(&of, usize::MAX))
        };
        format!("{} of the {items} items{of}", self.lacks)
    }

    /// Returns what an arm lacks, for a cell: how many items, and the groups that it lacks as a
    /// whole.
    fn lacks_in_short(&self) -> String {
        let whole: Vec<String> = { self.groups.iter().filter(|group| group.is_whole()) }
            .map(|group| group.group.clone())
            .collect();
        match whole.len() {
            0 => self.lacks.to_string(),
            1..=GROUPS => format!("{}, all of {}", self.lacks, listed(&whole, usize::MAX)),
            more => format!("{}, all of {more} groups", self.lacks),
        }
    }
}

impl LackingGroup {
    fn is_whole(&self) -> bool {
        self.lacks == self.items
    }
}

/// Returns the group of each item: its own, or what its name begins with before a number or the
/// last slash. Empty if nothing tells at least two groups of two items each. The second value is
/// whether the groups are the items' own.
fn groups<'a>(answers: &'a PoolAnswers, all: &[(u64, Vec<bool>)]) -> (Vec<&'a str>, bool) {
    let facts = |item: &(u64, Vec<bool>)| answers.fact(item.0);
    let own = all.iter().map(|item| facts(item)?.group.as_deref());
    if let Some(own) = own.collect::<Option<Vec<&str>>>() {
        return (own, true);
    }
    let named = |item: &(u64, Vec<bool>)| Some(beginning(&facts(item)?.id));
    let Some(named) = all.iter().map(named).collect::<Option<Vec<&str>>>() else {
        return (Vec::new(), false);
    };
    let mut sizes: HashMap<&str, u64> = HashMap::new();
    for name in &named {
        *sizes.entry(name).or_default() += 1;
    }
    let tells = sizes.len() > 1
        && sizes
            .iter()
            .all(|(name, &size)| !name.is_empty() && size > 1);
    (if tells { named } else { Vec::new() }, false)
}

fn beginning(name: &str) -> &str {
    let before = match name.rsplit_once('/') {
        Some((before, _)) => before,
        None => name.trim_end_matches(|c: char| c.is_ascii_digit()),
    };
    before.trim_end_matches(['-', '_', ':', '.', '#', '/', ' '])
}
