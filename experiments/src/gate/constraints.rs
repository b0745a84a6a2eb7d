//! Error rates of gates with a constraint on a measure, beside the demand on the score.

use super::{Arguments, median};
use crate::{Failure, output::Estimate};
use fiesta_core::ArmId;
use fiesta_policies::gate::{Answer, Constraint, Evidence, Gate, Limit};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;
use serde::Serialize;

/// Number of items of the pool.
const ITEMS: u64 = 1000;

/// Kind of constraint, with the distribution of the values.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// At most 5 % of the values are above 2.
    Share,
    /// The mean of 10·u^k, with u uniform between 0 and 1, is at most 3, within 0 and 10.
    Mean,
    /// The mean is at most 1.1 times the baseline's, of 5·u⁴, where u is the same
    /// for both on half of the items.
    OfBaseline,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Share, Self::Mean, Self::OfBaseline];

    fn words(self) -> &'static str {
        match self {
            Self::Share => "share above 2 at most .05",
            Self::Mean => "mean at most 3",
            Self::OfBaseline => "at most 1.1 x baseline",
        }
    }

    fn limit(self) -> Limit {
        let bounds = (0.0, 10.0);
        match self {
            Self::Share => Limit::Share {
                above: 2.0,
                at_most: 0.05,
            },
            Self::Mean => Limit::Mean {
                at_most: 3.0,
                bounds,
            },
            Self::OfBaseline => Limit::OfBaseline {
                factor: 1.1,
                bounds,
            },
        }
    }

    /// The baseline's value, for a uniform draw u.
    fn of_baseline(self, u: f64) -> f64 {
        match self {
            Self::Share | Self::Mean => 0.0,
            Self::OfBaseline => 5.0 * u.powi(4),
        }
    }

    /// Draws the value of a version that is `times` at the limit, where the baseline's is of u.
    fn of_version(self, times: f64, u: f64, rng: &mut ChaCha8Rng) -> f64 {
        let own: f64 = rng.random();
        match self {
            Self::Share => 1.0 + 2.0 * f64::from(u8::from(own < 0.05 * times)),
            Self::Mean => 10.0 * own.powf(10.0 / (3.0 * times) - 1.0),
            Self::OfBaseline if rng.random_bool(0.5) => 1.1 * times * self.of_baseline(u),
            Self::OfBaseline => 1.1 * times * self.of_baseline(own),
        }
    }
}

/// Truths about the new version: the share or mean of its measure, as a multiple of the limit.
const TRUTHS: [(&str, f64); 3] = [("at the limit", 1.0), ("below", 0.5), ("above", 1.5)];

/// Results of gates with one constraint: a row of the table.
#[derive(Debug, Serialize)]
struct Row {
    constraint: &'static str,
    truth: &'static str,
    arms: u32,
    shipped: Estimate,
    blocked: Estimate,
    undecided: Estimate,
    median: u64,
}

/// Simulates gates whose versions are as good as the baseline, and have a measure at the limit, at half
/// of it, or beyond.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        for (truth, times) in TRUTHS {
            rows.push(row(arguments, kind, truth, times)?);
        }
        eprintln!("{}", kind.words());
    }
    let columns = [
        ("<constraint", "{constraint}"),
        ("<new version", "{truth}"),
        ("arms", "{arms}"),
        ("ships, %", "{shipped:%2}"),
        ("blocked, %", "{blocked:%2}"),
        ("undecided, %", "{undecided:%1}"),
        ("items, median", "{median}"),
    ];
    arguments.output.show_rows("gate", &rows, &columns)
}

fn row(arguments: &Arguments, kind: Kind, truth: &'static str, times: f64) -> Result<Row, Failure> {
    let arms: Vec<ArmId> = ArmId::all(arguments.arms as usize).collect();
    let evidence = Evidence::of_pool(ITEMS, (-1.0, 1.0), -super::data::MARGIN)?;
    let gate = Gate::new(
        arms.len(),
        arms[0],
        evidence.in_steps_of(1.0),
        arguments.alpha,
    )?;
    let gate = gate.with_constraint(Constraint {
        measure: 0,
        limit: kind.limit(),
    })?;
    let end = |run: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
        rng.set_stream(run);
        let mut gate = gate.clone();
        for item in 0..ITEMS {
            let asked: Vec<ArmId> = gate.undecided().collect();
            if asked.is_empty() {
                return (gate, item);
            }
            let u = rng.random();
            gate.measure(arms[0], item, |_| Some(kind.of_baseline(u)));
            gate.score(arms[0], item, 0.0);
            for arm in asked {
                let new = kind.of_version(times, u, &mut rng);
                gate.measure(arm, item, |_| Some(new));
                gate.score(arm, item, 0.0);
            }
        }
        (gate, ITEMS)
    };
    let ends: Vec<(Vec<Answer>, u64)> = (0..arguments.runs)
        .into_par_iter()
        .map(|run| {
            let (gate, items) = end(run);
            (
                arms[1..].iter().map(|&arm| gate.answer(arm)).collect(),
                items,
            )
        })
        .collect();
    let share = |answer: Answer| {
        let count = ends.iter().filter(|end| end.0.contains(&answer)).count();
        Estimate::share(count as f64 / ends.len() as f64, arguments.runs)
    };
    Ok(Row {
        constraint: kind.words(),
        truth,
        arms: arguments.arms,
        shipped: share(Answer::Ships),
        blocked: share(Answer::Blocked),
        undecided: share(Answer::Undecided),
        median: median(ends.iter().map(|end| end.1).collect()),
    })
}
