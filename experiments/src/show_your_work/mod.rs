//! "Show Your Work" (EMNLP 2019): what follows from its printed figures, and the shapes of its
//! curves on a search whose scores are known.

mod compared;
mod families;
mod figures;
mod printed;

use crate::{
    Failure,
    output::{Output, Section, empty, table},
};
use compared::{Kind, Leader, Pair, leaders, pairs};
use families::{Axis, BOUNDS, CONFIDENCE, Family, Required};
use fiesta_core::Moments;
use fiesta_posterior::best_of_n::{self, BestOfN};
use fiesta_records::{self as records, Evaluations};
use fiesta_report::{Percentages, Table, bands::BandLimits, percent};
use figures::Marks;
use printed::{Printed, Published};
use serde::Serialize;
use std::path::PathBuf;

/// Recorded scores as CSV: 100 trials of each family of `examples/tuning`, and 20 of each at its
/// usual settings, whose means stand for reported scores, as `fiesta export` wrote them.
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
    /// Budget that the second family of figure 1 needs for the expected best of all trials of the
    /// first family.
    overtaken: Required,
}

/// Results of a family.
#[derive(Serialize)]
struct Searched<'a> {
    name: &'a str,
    trials: usize,
    seconds: f64,
    best: f64,
    /// The expected best of 1, …, B trials, its standard deviation and its band.
    mean: &'a [f64],
    sd: &'a [f64],
    lower: Vec<Option<f64>>,
    upper: Vec<Option<f64>>,
    median: &'a [f64],
    /// Budget that the family needs for its reported score.
    required: &'a Required,
}

/// P(highest expected best of n) for n = 1, 2, ….
#[derive(Serialize)]
struct Highest {
    informative_up_to: usize,
    /// Probabilities for every family to have the highest expected best.
    all: Vec<Vec<f64>>,
    /// Probabilities of the second family of figure 1 against the first.
    second_of_two: Vec<f64>,
}

impl<'a> Searched<'a> {
    fn new((family, required): (&'a Family, &'a Required)) -> Self {
        let ends = |end: fn(&BandLimits) -> Option<f64>| family.band.iter().map(end).collect();
        Self {
            name: &family.name,
            trials: family.count(),
            seconds: family.seconds,
            best: family.trials.scores().best(),
            mean: family.curve.mean(),
            sd: family.curve.sd(),
            lower: ends(|band| band.lower),
            upper: ends(|band| band.upper),
            median: &family.medians,
            required,
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
        .map(|family| family.trials.scores().from_worst().collect())
        .collect();
    let trials: Vec<_> = scores
        .iter()
        .map(|scores| best_of_n::ArmTrials::new(scores))
        .collect();
    let options = best_of_n::BestOfNOptions {
        bounds: Some(BOUNDS),
        ..best_of_n::BestOfNOptions::default()
    };
    Ok(BestOfN::compare(&trials, &options)?)
}

fn read(text: &str) -> Result<Evaluations, Failure> {
    let format = Some(records::Format::Csv);
    let options = records::Reading::default();
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
        families: families.iter().zip(&required).map(Searched::new).collect(),
        leaders: Axis::each(|axis| leaders(&families, axis)),
        pairs: Axis::each(|axis| pairs(&families, axis)),
        highest: Highest::new(&families)?,
        overtaken,
    };
    let mut sections = results.printed.sections()?;
    sections.extend([
        Section::new("families", family_table(&results)?),
        Section::new("leaders", leader_table(&results.leaders)?),
        Section::new("highest", highest_table(&families, &results.highest)),
        Section::new("crossings", crossing_table(&results.pairs)),
    ]);
    arguments.output.show(&results, &sections)
}

fn family_table(results: &Results<'_>) -> Result<Table, Failure> {
    let columns = [
        ("<family", "{name}"),
        ("trials", "{trials}"),
        ("a trial", "{seconds:.3} s"),
        ("expected best of 1", "{mean.0:.4}"),
        ("of 10", "{mean.9:.4}"),
        ("of 100", "{mean.99:.4}"),
        ("best", "{best:.4}"),
        ("reported", "{required.value:.4}"),
        ("trials to expect it", "{required.n}"),
        ("<in the bands", "{required.at_least} to {required.at_most}"),
        ("time", "{required.seconds:.3} s"),
    ];
    let overtaken = &results.overtaken;
    let shown = table(&results.families, &columns)?;
    Ok(shown
        .caption("Families of classifiers on the red wines of examples/tuning")
        .note(format!(
            "plug-in estimator; bands: simultaneous {}, equal-tailed; reported: mean scores at the usual settings. {} may be expected to reach what all \
             trials of {} give ({:.4}) with {} trials ({} to {} in the bands), in {:.2} s",
            percent(CONFIDENCE),
            results.families[TWO[1]].name,
            results.families[TWO[0]].name,
            overtaken.value,
            overtaken.n.unwrap_or_default(),
            overtaken.at_least.unwrap_or_default(),
            overtaken.at_most.unwrap_or_default(),
            overtaken.seconds.unwrap_or_default()
        )))
}

fn leader_table(leaders: &[Leader]) -> Result<Table, Failure> {
    let columns = [
        ("<budget of each in", "{axis}"),
        ("from", "{from:.3}"),
        ("to", "{until:.3}"),
        ("<leader", "{name}"),
        ("<beyond their trials", "{beyond_trials}"),
    ];
    let note = "beyond their trials: would by then need more trials than they had";
    let shown = table(leaders, &columns)?;
    Ok(shown.caption("The highest expected best").note(note))
}

fn highest_table(families: &[Family], highest: &Highest) -> Table {
    let [first, second] = TWO.map(|place| &families[place].name);
    let alone = format!("{second} above {first}");
    let names = families.iter().map(|family| family.name.as_str());
    let columns: Vec<&str> = ["n"].into_iter().chain(names).chain([&alone[..]]).collect();
    let mut table = empty(&columns);
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
    let mut table = empty(&[
        "<families",
        "<budget in",
        "<curves",
        "<better",
        "cross at",
        "<but anywhere within",
        "<apart",
    ]);
    for pair in pairs {
        let apart = pair
            .apart
            .iter()
            .map(|apart| format!("{:.2} to {:.2} ({})", apart.from, apart.until, apart.better));
        let apart = apart.collect::<Vec<_>>().join(", ");
        let head = [
            pair.families.join(", "),
            pair.axis.name().to_owned(),
            pair.kind.title().to_owned(),
        ];
        let mut row = |cells: [String; 3]| {
            let cells = head.iter().cloned().chain(cells).chain([apart.clone()]);
            table.row(cells, false);
        };
        // Of curves that do not cross, only what is known of the means is shown.
        if pair.crossings.is_empty() && pair.kind == Kind::Mean {
            let better = pair.last.clone().unwrap_or_default();
            row([better, "never".to_owned(), String::new()]);
        }
        for crossing in &pair.crossings {
            let within = match (crossing.from, crossing.until) {
                (Some(from), Some(until)) => format!("{from:.2} to {until:.2}: they cross"),
                (Some(from), None) => format!("{from:.2} on, or nowhere"),
                (None, Some(until)) => format!("up to {until:.2}, or nowhere"),
                (None, None) => "anywhere, or nowhere".to_owned(),
            };
            let leads = format!("{}, then {}", crossing.before, crossing.after);
            row([leads, format!("{:.2}", crossing.at), within]);
        }
    }
    table
        .caption("Where two curves cross, as far as both had trials")
        .note("apart: where the bands are")
}
