//! The shapes of figures 1 to 4 on results that can be had.

use super::{
    Failure,
    families::{Choices, Family, Required},
    leaders::{self, Leader},
    pairs::Pair,
};
use crate::scores::unknown_arm;
use fiesta::{
    core::Direction,
    posterior::best_of_n::{BestOfN, FEWEST_TRIALS, Options, Trials, best_of_n},
    records::Records,
    report::{bands::Band, budget::Budget, crossing::Lead},
};

/// What the figures show.
pub(super) struct Shapes {
    pub(super) metric: String,
    pub(super) band: Band,
    pub(super) confidence: f64,
    pub(super) families: Vec<Family>,
    pub(super) by_trials: Vec<Leader>,
    /// Empty if durations are not known.
    pub(super) by_time: Vec<Leader>,
    /// Every two families.
    pub(super) pairs_by_trials: Vec<Pair>,
    /// Those that had time for a trial both before one had all of its.
    pub(super) pairs_by_time: Vec<Pair>,
    /// P(highest expected best of n); none if a family had too few trials to say.
    pub(super) highest: Option<BestOfN>,
    /// The two of figure 1.
    pub(super) two: (usize, usize),
    /// The same probabilities of these two alone.
    pub(super) higher_of_two: Option<BestOfN>,
    /// What the second of them needs for what all trials of the first may be expected to give.
    pub(super) overtaken: Required,
    /// What families need for the scores that were reported for them.
    pub(super) required: Vec<(usize, Required)>,
    /// The one of figure 4.
    pub(super) one: usize,
}

impl Shapes {
    pub(super) fn new(
        records: &Records,
        metric: &str,
        choices: &Choices,
        reported: &[(String, f64)],
        two: Option<&(String, String)>,
    ) -> Result<Self, Failure> {
        let mut families = Family::all(records, choices)?;
        if families.len() < 2 {
            return Err(Failure::Usage(
                "the figures compare families: the results need two arms or more".to_owned(),
            ));
        }
        let place = |name: &str| match records.find(name) {
            Some(arm) => Ok(arm.index()),
            None => Err(unknown_arm(name, records.arms())),
        };
        for (name, score) in reported {
            families[place(name)?].reported = Some(*score);
        }
        let by_trials = leaders::by_trials(&families);
        let by_time = leaders::by_time(&families);
        let two = match two {
            Some((first, second)) if first == second => {
                return Err(Failure::Usage(format!("--pair names `{first}` twice")));
            }
            Some((first, second)) => (place(first)?, place(second)?),
            None => first_and_last(&families, &by_trials),
        };
        let every_two = || {
            let all = 0..families.len();
            all.clone()
                .flat_map(move |a| (a + 1..all.end).map(move |b| (a, b)))
        };
        let pairs_by_trials = every_two()
            .map(|pair| Pair::by_trials(&families, pair))
            .collect();
        let pairs_by_time = every_two()
            .filter_map(|pair| Pair::by_time(&families, pair))
            .collect();
        let both = [&families[two.0], &families[two.1]];
        let higher_of_two = highest(both.into_iter(), choices)?;
        let highest = highest(families.iter(), choices)?;
        let goal = families[two.0].expected(families[two.0].count() as u64);
        let overtaken = families[two.1].required(goal)?;
        let mut required = Vec::new();
        for (place, family) in families.iter().enumerate() {
            if let Some(score) = family.reported {
                required.push((place, family.required(score)?));
            }
        }
        let last = by_trials.last().map_or(0, |leader| leader.family);
        Ok(Self {
            one: longest(&families, &required).unwrap_or(last),
            metric: metric.to_owned(),
            band: choices.band,
            confidence: choices.confidence,
            families,
            by_trials,
            by_time,
            pairs_by_trials,
            pairs_by_time,
            highest,
            two,
            higher_of_two,
            overtaken,
            required,
        })
    }

    /// Which of two families is better, where the lead is of the higher one.
    pub(super) fn better(&self, pair: &Pair, lead: Lead) -> usize {
        let (a, b) = pair.families;
        let maximize = self.families[a].direction() == Direction::Maximize;
        if (lead == Lead::First) == maximize {
            a
        } else {
            b
        }
    }

    /// The number of trials up to which all families are compared.
    pub(super) fn common(&self) -> usize {
        self.families.iter().map(Family::count).min().unwrap_or(0)
    }
}

fn highest<'a>(
    families: impl Iterator<Item = &'a Family>,
    choices: &Choices,
) -> Result<Option<BestOfN>, Failure> {
    let scores: Vec<Vec<f64>> = families.map(Family::scores).collect();
    if scores.iter().any(|scores| scores.len() < FEWEST_TRIALS) {
        return Ok(None);
    }
    let trials: Vec<Trials<'_>> = scores.iter().map(|scores| Trials::new(scores)).collect();
    let options = Options {
        direction: choices.direction,
        bounds: choices.bounds,
        ..Options::default()
    };
    let best = best_of_n(&trials, &options);
    best.map(Some)
        .map_err(|error| Failure::Usage(error.to_string()))
}

/// Which family leads with one trial, and which with as many as all had; the second then, if it is the same.
fn first_and_last(families: &[Family], by_trials: &[Leader]) -> (usize, usize) {
    let first = by_trials.first().map_or(0, |leader| leader.family);
    let last = by_trials.last().map_or(0, |leader| leader.family);
    if first != last {
        return (first, last);
    }
    let up_to = families.iter().map(Family::count).min().unwrap_or(1) as u64;
    let value = |place: usize| {
        let family = &families[place];
        family.direction().orient(family.expected(up_to))
    };
    let second = (0..families.len())
        .filter(|&place| place != first)
        .reduce(|a, b| if value(b) > value(a) { b } else { a });
    (first, second.unwrap_or(first))
}

/// Which family needs the longest for its reported score, of those that reach it with the trials there were; by trials where durations are
/// not known.
fn longest(families: &[Family], required: &[(usize, Required)]) -> Option<usize> {
    let known = families
        .iter()
        .all(|family| family.trials.time_of(1.0).is_some());
    let reached = required.iter().filter_map(|(place, required)| {
        let Budget::Within(reached) = required.budget else {
            return None;
        };
        let n = reached.n as f64;
        let time = families[*place].trials.time_of(n).filter(|_| known);
        Some((*place, time.unwrap_or(n)))
    });
    reached
        .reduce(|a, b| if b.1 > a.1 { b } else { a })
        .map(|(place, _)| place)
}
