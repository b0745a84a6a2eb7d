//! "Show Your Work" (EMNLP 2019): what follows from its printed figures, and the shapes of its curves on a search whose
//! scores are known.

mod compared;
mod families;
mod figures;
mod printed;

use crate::{
    Failure,
    output::{Output, Section, or_dash, table},
};
use compared::{Kind, Leader, Pair, leaders, pairs};
use families::{Axis, BOUNDS, CONFIDENCE, Family, Required};
use fiesta_core::Moments;
use fiesta_posterior::best_of_n::{self, BestOfN, best_of_n};
use fiesta_records::{self as records, Records};
use fiesta_report::{Percentages, Table, bands::Interval, percent};
use figures::Marks;
use printed::{Printed, Published};
use serde::Serialize;
use std::path::PathBuf;

/// 100 trials of each family of `examples/tuning`, and 20 of each at its usual settings, whose means
/// stand for reported scores, as `fiesta export` wrote them.
const TRIALS: &str = include_str!("../../../docs/data/tuning.csv");
const DEFAULTS: &str = include_str!("../../../docs/data/tuning-defaults.csv");
const METRIC: &str = "macro-F1";
/// The families of figure 1: a cheap one, and one that needs its settings to be right.
const TWO: [usize; 2] = [0, 1];

/// The arguments of `experiments show-your-work`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Write the figures into this folder, as SVG
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

#[derive(Serialize)]
struct Results<'a> {
    paper: String,
    printed: Printed,
    families: Vec<Searched<'a>>,
    leaders: Vec<Leader>,
    pairs: Vec<Pair>,
    highest: Highest,
    /// What the second of the families of figure 1 needs for what all trials of the first may be
    /// expected to give.
    overtaken: Required,
    /// What each family needs for its reported score.
    required: Vec<Required>,
}

/// A family as results show it.
#[derive(Serialize)]
struct Searched<'a> {
    name: &'a str,
    trials: usize,
    seconds: f64,
    best: f64,
    mean: &'a [f64],
    sd: &'a [f64],
    lower: Vec<Option<f64>>,
    upper: Vec<Option<f64>>,
    median: &'a [f64],
}

/// P(highest expected best of n) for n = 1, 2, ….
#[derive(Serialize)]
struct Highest {
    informative_up_to: usize,
    /// Of every family.
    all: Vec<Vec<f64>>,
    /// Of the second of the families of figure 1 against the first.
    second_of_two: Vec<f64>,
}

impl<'a> Searched<'a> {
    fn new(family: &'a Family) -> Self {
        let ends = |end: fn(&Interval) -> Option<f64>| family.band.iter().map(end).collect();
        Self {
            name: &family.name,
            trials: family.count(),
            seconds: family.seconds,
            best: family.trials.sample().best(),
            mean: family.curve.mean(),
            sd: family.curve.sd(),
            lower: ends(|band| band.lower),
            upper: ends(|band| band.upper),
            median: &family.medians,
        }
    }
}

impl Highest {
    fn new(families: &[Family]) -> Result<Self, Failure> {
        let all = highest(families.iter())?;
        let two = highest(TWO.map(|place| &families[place]).into_iter())?;
        let up_to = all.largest_n();
        Ok(Self {
            informative_up_to: all.informative_up_to(),
            all: (1..=up_to).map(|n| all.probability(n).to_vec()).collect(),
            second_of_two: (1..=up_to).map(|n| two.probability(n)[1]).collect(),
        })
    }
}

fn highest<'a>(families: impl Iterator<Item = &'a Family>) -> Result<BestOfN, Failure> {
    let scores: Vec<Vec<f64>> = families
        .map(|family| family.trials.sample().from_worst().collect())
        .collect();
    let trials: Vec<_> = scores
        .iter()
        .map(|scores| best_of_n::Trials::new(scores))
        .collect();
    let options = best_of_n::Options {
        bounds: Some(BOUNDS),
        ..best_of_n::Options::default()
    };
    Ok(best_of_n(&trials, &options)?)
}

fn read(text: &str) -> Result<Records, Failure> {
    let format = Some(records::Format::Csv);
    let options = records::Options::default();
    Ok(records::read_from(
        text.as_bytes(),
        format,
        &options,
        "docs/data",
    )?)
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let families = Family::all(&read(TRIALS)?)?;
    let usual = read(DEFAULTS)?;
    let [first, second] = TWO.map(|place| &families[place]);
    let overtaken = second.required(first.expected(first.count() as u64))?;
    let mut required = Vec::new();
    for family in &families {
        let arm = usual.find(&family.name);
        let arm =
            arm.ok_or_else(|| format!("no usual settings of {} are recorded", family.name))?;
        let scores: Moments = usual.by_arm()[arm.index()].iter().copied().collect();
        required.push(family.required(scores.mean())?);
    }
    if let Some(folder) = &arguments.figures {
        let marks = Marks {
            overtaken: &overtaken,
            required: &required,
        };
        figures::write(&families, &marks, folder)?;
    }
    let published = Published::read()?;
    let results = Results {
        paper: published.paper.clone(),
        printed: published.follow(),
        families: families.iter().map(Searched::new).collect(),
        leaders: [Axis::Trials, Axis::Seconds]
            .iter()
            .flat_map(|&axis| leaders(&families, axis))
            .collect(),
        pairs: [Axis::Trials, Axis::Seconds]
            .iter()
            .flat_map(|&axis| pairs(&families, axis))
            .collect(),
        highest: Highest::new(&families)?,
        overtaken,
        required,
    };
    let mut sections = results.printed.sections();
    sections.extend([
        Section::new("families", family_table(&families, &results)),
        Section::new("leaders", leader_table(&results.leaders)),
        Section::new("highest", highest_table(&families, &results.highest)),
        Section::new("crossings", crossing_table(&results.pairs)),
    ]);
    arguments.output.show(&results, &sections)
}

/// A budget as people would tell it.
fn shown(axis: Axis, budget: f64) -> String {
    match (axis, budget) {
        (Axis::Trials, n) if n.fract() == 0.0 => format!("{n}"),
        (Axis::Trials, n) => format!("{n:.2}"),
        (Axis::Seconds, s) if s < 1.0 => format!("{:.0} ms", s * 1000.0),
        (Axis::Seconds, s) if s < 10.0 => format!("{s:.2} s"),
        (Axis::Seconds, s) if s < 120.0 => format!("{s:.1} s"),
        (Axis::Seconds, s) => format!("{:.1} min", s / 60.0),
    }
}

fn of_axis(axis: Axis) -> &'static str {
    match axis {
        Axis::Trials => "trials of each",
        Axis::Seconds => "time for each",
    }
}

fn family_table(families: &[Family], results: &Results<'_>) -> Table {
    let mut table = table(&[
        "<family",
        "trials",
        "a trial",
        "expected best of 1",
        "of 10",
        "of all",
        "best",
        "reported",
        "trials to expect it",
        "<in the bands",
        "time",
    ]);
    let needs = |required: &Required| {
        let most = required
            .at_most
            .map_or_else(|| "more".to_owned(), |most| most.to_string());
        [
            or_dash(required.n),
            format!("{} to {most}", or_dash(required.at_least)),
            or_dash(
                required
                    .seconds
                    .map(|seconds| shown(Axis::Seconds, seconds)),
            ),
        ]
    };
    for (family, required) in families.iter().zip(&results.required) {
        let count = family.count() as u64;
        let numbers = [
            family.expected(1),
            family.expected(10),
            family.expected(count),
            family.trials.sample().best(),
            required.value,
        ];
        let head = [
            family.name.clone(),
            count.to_string(),
            shown(Axis::Seconds, family.seconds),
        ];
        let numbers = numbers.map(|number| format!("{number:.4}"));
        table.row(
            head.into_iter().chain(numbers).chain(needs(required)),
            false,
        );
    }
    let [first, second] = TWO.map(|place| &families[place].name);
    let [n, bands, time] = needs(&results.overtaken);
    table
        .caption("Families of classifiers on the red wines of examples/tuning")
        .note(format!(
            "plug-in estimator; bands: simultaneous {}, equal-tailed; reported: mean scores at the usual settings. {second} may be expected to reach \
             what all trials of {first} give ({:.4}) with {n} trials ({bands} within the bands), in {time}",
            percent(CONFIDENCE),
            results.overtaken.value
        ))
}

fn leader_table(leaders: &[Leader]) -> Table {
    let mut table = table(&["<budget", "from", "to", "<leader", "<beyond their trials"]);
    for leader in leaders {
        let cells = [
            of_axis(leader.axis).to_owned(),
            shown(leader.axis, leader.from),
            shown(leader.axis, leader.until),
            leader.name.clone(),
            leader.beyond_trials.join(", "),
        ];
        table.row(cells, false);
    }
    table
        .caption("The highest expected best")
        .note("beyond their trials: would by then need more trials than they had")
}

fn highest_table(families: &[Family], highest: &Highest) -> Table {
    let [first, second] = TWO.map(|place| &families[place].name);
    let alone = format!("{second} above {first}");
    let names = families.iter().map(|family| family.name.as_str());
    let columns: Vec<&str> = ["n"].into_iter().chain(names).chain([&alone[..]]).collect();
    let mut table = table(&columns);
    for n in [1, 2, 3, 5, 10, 20, 50, 100] {
        let Some(shares) = highest.all.get(n - 1) else {
            break;
        };
        let shares = Percentages::new(shares);
        let shares = (0..families.len()).map(|place| shares.of(place));
        let two = percent(highest.second_of_two[n - 1]);
        table.row(
            [n.to_string()].into_iter().chain(shares).chain([two]),
            false,
        );
    }
    table.caption("P(highest expected best of n)").note(format!(
        "beyond n = {} an extrapolation",
        highest.informative_up_to
    ))
}

fn crossing_table(pairs: &[Pair]) -> Table {
    let mut table = table(&[
        "<families",
        "<budget",
        "<curves",
        "<better",
        "cross at",
        "<but anywhere within",
        "<apart",
    ]);
    for pair in pairs {
        let show = |budget: f64| shown(pair.axis, budget);
        let apart = pair.apart.iter().map(|apart| {
            format!(
                "{} to {} ({})",
                show(apart.from),
                show(apart.until),
                apart.better
            )
        });
        let apart = apart.collect::<Vec<_>>().join(", ");
        let apart = if apart.is_empty() {
            "nowhere".to_owned()
        } else {
            apart
        };
        let head = [
            pair.families.join(", "),
            of_axis(pair.axis).to_owned(),
            pair.kind.title().to_owned(),
        ];
        if pair.crossings.is_empty() {
            // Of curves that do not cross, only what is known of the means is shown.
            if pair.kind == Kind::Mean {
                let better = or_dash(pair.last.as_ref());
                let cells = [better, "never".to_owned(), String::new(), apart];
                table.row(head.into_iter().chain(cells), false);
            }
            continue;
        }
        for crossing in &pair.crossings {
            let within = match (crossing.from, crossing.until) {
                (Some(from), Some(until)) => {
                    format!("{} to {}: they cross", show(from), show(until))
                }
                (Some(from), None) => format!("{} on, or nowhere", show(from)),
                (None, Some(until)) => format!("up to {}, or nowhere", show(until)),
                (None, None) => "anywhere, or nowhere".to_owned(),
            };
            let cells = [
                format!("{}, then {}", crossing.before, crossing.after),
                show(crossing.at),
                within,
                apart.clone(),
            ];
            table.row(head.clone().into_iter().chain(cells), false);
        }
    }
    table.caption("Where two curves cross, as far as both had trials")
}
