//! Studies with a verdict on items like these, on pools drawn from populations.

use super::{
    Arguments,
    populations::{ALL, BOUNDS, Population},
};
use crate::{Failure, output::Estimate};
use fiesta_core::{ArmId, Arms, Case, Design, Streams};
use fiesta_policies::{
    PoolPolicy,
    simulate::{Observations, Problem, Simulation},
    stopping::{Distance, PosteriorThreshold},
};
use fiesta_posterior::Pool;
use serde::Serialize;

/// Numbers of arms and of items of the pools.
const SIZES: [(usize, u64); 4] = [(2, 60), (2, 1000), (5, 300), (12, 1000)];
/// Lead of the first arm over all others, in standard errors of a whole pool.
const GAPS: [f64; 4] = [0.02, 0.5, 1.5, 4.0];
/// Confidences at which the studies stop.
const LEVELS: [f64; 3] = [0.95, 0.9, 0.8];

#[derive(Debug, Serialize)]
struct Row {
    population: String,
    arms: usize,
    items: u64,
    gap: f64,
    /// The share of studies that named an arm other than the best, at each confidence.
    wrong: Vec<Estimate>,
    /// The share of studies whose verdict is open.
    open: Vec<f64>,
    evaluations: Vec<Estimate>,
    runs: u64,
}

/// Pools drawn from a population, one for each run.
struct Drawn {
    of: Population,
    arms: Arms,
    gap: f64,
    items: u64,
}

struct OfRun {
    arms: usize,
    answers: Vec<f64>,
}

impl Problem for Drawn {
    fn arms(&self) -> &Arms {
        &self.arms
    }

    fn shortfall(&self, arm: ArmId) -> f64 {
        if arm.index() == 0 {
            0.0
        } else {
            self.gap.max(f64::MIN_POSITIVE)
        }
    }

    fn observations(
        &self,
        _: Design,
        streams: &Streams,
        number: u64,
    ) -> Box<dyn Observations + '_> {
        let arms = self.arms.len();
        let mut rng = streams.run(number);
        let mut answers = vec![0.0; arms * usize::try_from(self.items).unwrap_or(0)];
        for row in answers.chunks_exact_mut(arms) {
            self.of.draw(self.gap, row, &mut rng);
        }
        Box::new(OfRun { arms, answers })
    }
}

impl Observations for OfRun {
    fn observe(&mut self, arm: ArmId, case: Case) -> f64 {
        let item = usize::try_from(case.split).unwrap_or(usize::MAX);
        self.answers[item * self.arms + arm.index()]
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for of in ALL {
        for (arms, items) in SIZES {
            if !arguments.items.is_empty() && !arguments.items.contains(&items) {
                continue;
            }
            for gap in GAPS {
                let lead = gap * of.deviation() / (items as f64).sqrt();
                if lead <= of.most() {
                    rows.push(row(arguments, of, (arms, items), (gap, lead))?);
                }
            }
        }
    }
    let columns = [
        ("<answers", "{population}"),
        ("<pool", "{arms} × {items}"),
        ("gap, se", "{gap}"),
        ("evaluations at .95", "{evaluations.0:.0}"),
        (".9", "{evaluations.1:.0}"),
        (".8", "{evaluations.2:.0}"),
        ("wrong at .95", "{wrong.0:%1}"),
        (".9", "{wrong.1:%1}"),
        (".8", "{wrong.2:%1}"),
        ("open at .95", "{open.0:%0}"),
        (".9", "{open.1:%0}"),
        (".8", "{open.2:%0}"),
    ];
    arguments
        .output
        .show_rows("like-these-studies", &rows, &columns)
}

fn row(
    arguments: &Arguments,
    of: Population,
    (arms, items): (usize, u64),
    (gap, lead): (f64, f64),
) -> Result<Row, Failure> {
    let problem = Drawn {
        of,
        arms: Arms::new((0..arms).map(|arm| format!("arm{arm}")))?,
        gap: lead,
        items,
    };
    let rules = LEVELS.map(|level| {
        move || {
            let rule = PosteriorThreshold::new(level).expect("a confidence");
            rule.tied_within(Distance::ZERO).expect("a distance")
        }
    });
    let summaries = Simulation::new(&problem, arguments.runs)
        .design(Design::Items { count: items })
        .seed(arguments.seed)
        .confidence(
            |arms| {
                let pool = Pool::new(arms, items).bounded(BOUNDS.0, BOUNDS.1);
                pool.expect("bounds").like_these()
            },
            PoolPolicy::default,
            &rules,
        )?;
    let share = |count: u64| count as f64 / arguments.runs as f64;
    Ok(Row {
        population: of.name(),
        arms,
        items,
        gap,
        wrong: summaries.iter().map(Estimate::wrong).collect(),
        open: summaries
            .iter()
            .map(|of| share(of.capped + of.exhausted))
            .collect(),
        evaluations: summaries.iter().map(Estimate::evaluations).collect(),
        runs: arguments.runs,
    })
}
