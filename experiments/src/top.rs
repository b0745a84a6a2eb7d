//! Studies that name the best three of twelve arms: how often a named set is false, and its cost.

use crate::{
    Failure,
    answers::Answers,
    output::{Estimate, Runs},
};
use fiesta_core::{
    ArmId, Arms, Ask, Conclusion, Design, Event, Limits, Observe, Outcome, Policy, Reason, Selector,
};
use fiesta_policies::{
    PoolPolicy, TopTwo, Uniform,
    stopping::{Distance, PosteriorThreshold},
};
use fiesta_posterior::{Paired, Pool};
use rand::{SeedableRng, rngs::ChaCha8Rng};
use rayon::prelude::*;
use serde::Serialize;

/// The arguments of `experiments top`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments top --runs 1000 --gaps 0,0.2,0.5
  experiments top --runs 1000 --items 300")]
pub(crate) struct Arguments {
    /// Number of items, in place of splits
    #[arg(long)]
    items: Option<u64>,
    /// Gaps of the third and the fourth arm in standard deviations of a paired difference; -1 is one item
    #[arg(
        long,
        value_name = "GAP,…",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    gaps: Vec<f64>,
    #[command(flatten)]
    each: Runs,
}

const ARMS: usize = 12;
const TOP: usize = 3;
const CONFIDENCES: [f64; 2] = [0.95, 0.8];
const GAPS: [f64; 4] = [0.0, -1.0, 0.2, 0.5];
/// Distances of neighbours other than the third and the fourth arm, in standard deviations: on splits,
/// and on items.
const APART: [f64; 2] = [0.4, 0.08];
/// Standard deviation of the difference of two arms' answers to an item, about.
const SD_OF_ITEMS: f64 = 0.5;
/// Share of the items on which the best arm outside is right.
const RIGHT: f64 = 0.6;

/// A row of the table.
#[derive(Debug, Serialize)]
struct Row {
    family: String,
    evaluations: Estimate,
    uniform: Estimate,
    /// Share of the studies whose verdict is false, at either confidence, and of the uniform policy.
    wrong: [Estimate; 3],
    tied: f64,
    open: f64,
    runs: u64,
}

/// Result of one study.
#[derive(Debug, Clone, Copy, Default)]
struct End {
    evaluations: f64,
    is_wrong: bool,
    is_tied: bool,
    is_open: bool,
}

/// A made-up study: scores by split or item and arm, and what is true of the arms.
struct World {
    answers: Answers,
    values: Vec<f64>,
    rng: ChaCha8Rng,
    items: Option<u64>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for &gap in crate::makers::or(&arguments.gaps, &GAPS) {
        for is_tied in [false, true] {
            let row = row(arguments, gap, is_tied)?;
            eprintln!("{row:?}");
            rows.push(row);
        }
    }
    let columns = [
        ("<gap, others", "{family}"),
        ("evaluations at .95", "{evaluations:.0}"),
        ("uniform", "{uniform:.0}"),
        ("wrong at .95, %", "{wrong.0:%1}"),
        (".8", "{wrong.1:%1}"),
        ("uniform at .95", "{wrong.2:%1}"),
        ("tied, %", "{tied:%1}"),
        ("open, %", "{open:%1}"),
        ("studies", "{runs}"),
    ];
    let items = arguments.items.map(|items| format!("-{items}"));
    let section = format!("top{}", items.unwrap_or_default());
    arguments.each.output.show_rows(&section, &rows, &columns)
}

fn row(arguments: &Arguments, gap: f64, is_tied: bool) -> Result<Row, Failure> {
    let runs = arguments.each.number;
    let study = |run: u64| -> Result<[End; 3], Failure> {
        let study = |confidence, is_uniform| {
            let mut rng = ChaCha8Rng::seed_from_u64(arguments.each.seed);
            rng.set_stream(run);
            World::new(arguments.items, gap, is_tied, rng).study(confidence, is_uniform, run)
        };
        let [sure, unsure] = CONFIDENCES;
        Ok([
            study(sure, false)?,
            study(unsure, false)?,
            study(sure, true)?,
        ])
    };
    let ends = (0..runs).into_par_iter().map(study);
    let ends: Vec<[End; 3]> = ends.collect::<Result<_, _>>()?;
    let evaluations = |at: usize| ends.iter().map(|ends| ends[at].evaluations).collect();
    let share = |of: &dyn Fn(&[End; 3]) -> bool| {
        ends.iter().filter(|ends| of(ends)).count() as f64 / runs as f64
    };
    let gap = if gap < 0.0 {
        format!("{} item", -gap)
    } else {
        format!("{gap} sd")
    };
    Ok(Row {
        family: format!("{gap}, {}", if is_tied { "tied" } else { "apart" }),
        evaluations: evaluations(0),
        uniform: evaluations(2),
        wrong: [0, 1, 2].map(|at| Estimate::share(share(&|ends| ends[at].is_wrong), runs)),
        tied: share(&|ends| ends[0].is_tied),
        open: share(&|ends| ends[0].is_open),
        runs,
    })
}

impl World {
    /// Draws the answers to all items, or nothing yet of splits.
    fn new(items: Option<u64>, gap: f64, is_tied: bool, mut rng: ChaCha8Rng) -> Self {
        let count = items.unwrap_or_default() as f64;
        let [sd, apart] = match items {
            None => [1.0, APART[0]],
            Some(_) => [SD_OF_ITEMS * count, APART[1] * SD_OF_ITEMS * count],
        };
        let gap = if gap < 0.0 { -gap } else { gap * sd };
        let apart = if is_tied { 0.0 } else { apart };
        let ahead = |arm: usize| match TOP.checked_sub(arm + 1) {
            Some(places) => gap + apart * places as f64,
            None => -apart * (arm - TOP) as f64,
        };
        let mut values: Vec<f64> = (0..ARMS).map(ahead).collect();
        let answers = match items {
            None => Answers::on_splits(values.clone()),
            Some(items) => {
                for value in &mut values {
                    *value = (RIGHT * count + *value).round().clamp(0.0, count);
                }
                Answers::on_items(items, &values, &mut rng)
            }
        };
        Self {
            answers,
            values,
            rng,
            items,
        }
    }

    fn study(mut self, confidence: f64, is_uniform: bool, seed: u64) -> Result<End, Failure> {
        let rule = PosteriorThreshold::new(confidence)?;
        let (posterior, policy, rule, design): (Box<dyn Observe<f64>>, Box<dyn Policy>, _, _) =
            match self.items {
                Some(count) => (
                    Box::new(Pool::new(ARMS, count)),
                    Box::new(PoolPolicy::default()),
                    rule.tied_within(Distance::ZERO)?,
                    Design::Items { count },
                ),
                None => (
                    Box::new(Paired::new(ARMS).top(TOP)),
                    Box::new(TopTwo::ttps()),
                    rule,
                    Design::Shared,
                ),
            };
        let uniform = is_uniform.then(|| Box::new(Uniform) as Box<dyn Policy>);
        let arms = Arms::new((0..ARMS).map(|arm| format!("arm {arm}")))?;
        let mut selector = Selector::builder(arms, posterior, uniform.unwrap_or(policy), rule)
            .design(design)
            .limits(Limits::by_default(ARMS, design))
            .top(TOP)
            .seed(seed)
            .unconfirmed()
            .build()?;
        loop {
            match selector.ask()? {
                Ask::Evaluate(e) => {
                    let arm = e.arm.index();
                    let score = self.answers.score(e.case.split, arm, &mut self.rng);
                    let outcome = Outcome::Observed(score);
                    let (id, cost) = (e.id, 1.0);
                    selector.tell(Event::Ended { id, outcome, cost })?;
                }
                Ask::Wait => unreachable!("nothing is pending"),
                Ask::Finished(conclusion) => return Ok(self.end(&conclusion)),
            }
        }
    }

    /// Judges a conclusion. Each named arm has to be one of the best, or as near to them as is said, and
    /// the named arms have to contain the best ones.
    fn end(&self, conclusion: &Conclusion) -> End {
        let mut end = End {
            evaluations: conclusion.evaluations as f64,
            ..End::default()
        };
        let (arms, tolerance) = match &conclusion.reason {
            Reason::Top { arms, .. } => (arms, 0.0),
            Reason::Tied {
                arms, tolerance, ..
            } => {
                end.is_tied = true;
                (arms, *tolerance)
            }
            _ => {
                end.is_open = true;
                return end;
            }
        };
        let mut sorted = self.values.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let ahead = |arm: ArmId| self.values[arm.index()] - sorted[TOP - 1];
        let is_named = |arm: &ArmId| arms.contains(arm);
        let of_best = arms.iter().filter(|&&arm| ahead(arm) > -1e-9).count();
        let mut above = ArmId::all(ARMS).filter(|&arm| ahead(arm) > 1e-9);
        let is_far = |&arm: &ArmId| ahead(arm) < -tolerance - 1e-9;
        end.is_wrong = of_best < TOP || !above.all(|arm| is_named(&arm)) || arms.iter().any(is_far);
        end
    }
}
