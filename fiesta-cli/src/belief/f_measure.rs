//! P(best) of the pooled F-measure.

use super::{
    Arguments, MethodArgument, accuracy, counts::add_counts, duration, median_seconds,
    no_quadrature,
};
use crate::{
    Format,
    counts::{Collection, Target},
    exit::Failure,
    print,
    standing::mean,
};
use fiesta::{
    core::{ArmId, Belief, Case, Observe, Posterior, Streams},
    posterior::{
        FMeasureArms,
        f_measure::{NAME, Summary},
    },
    report::{Align, Percentages, Table},
};
use serde_json::{Map, Value, json};

/// Effective draws of each arm by default.
const DRAWS: u64 = 1000;

/// Those of more would not fit in memory.
const MOST: u64 = 10_000_000;

/// What is known of one arm.
struct OfArm {
    f: Summary,
    /// Of TP, FP, TN, FN.
    theta: [Summary; 4],
    alpha: Summary,
    effective: f64,
}

pub(super) fn belief(arguments: &Arguments, collection: &Collection) -> Result<(), Failure> {
    if arguments.method == MethodArgument::Quadrature {
        return Err(no_quadrature(NAME));
    }
    let draws = arguments.draws.unwrap_or(DRAWS);
    if draws > MOST {
        return Err(Failure::Usage(format!(
            "--draws {draws} do not fit in memory: {MOST} is the most, and its error below 0.02 %"
        )));
    }
    let arms: Vec<ArmId> = collection.arms.ids().collect();
    let posterior = fit(arguments, collection, draws)?;
    let belief = posterior.belief(&arms);
    let again = || Ok(fit(arguments, collection, draws)?.belief(&arms));
    let seconds = arguments.time.map(|times| median_seconds(times, again));
    let seconds = seconds.transpose()?;
    let known: Vec<OfArm> = arms
        .iter()
        .map(|&arm| of_arm(arguments, &posterior, arm, draws))
        .collect();
    let mut notes = collection.notes(&Target::Pooled);
    for (name, known) in collection.arms.names().iter().zip(&known) {
        // Of as many draws as were asked for, one may be missing by rounding.
        if known.effective < draws as f64 - 0.5 {
            notes.push(format!(
                "only {:.0} effective draws of {name} were reached, of {draws}",
                known.effective
            ));
        }
    }
    if arguments.format == Format::Json {
        let mut document = document(arguments, collection, &belief, &known);
        document["notes"] = json!(notes);
        if let Some(seconds) = seconds {
            document["seconds_per_belief"] = json!(seconds);
        }
        return print(document);
    }
    print(table(arguments, collection, &belief, &known).text())?;
    let words = arguments.counting.words(&Target::Pooled);
    print(format_args!(
        "compared by the {words}; shown are its posterior mean and central 95 % interval"
    ))?;
    print(accuracy(NAME, &belief))?;
    notes.into_iter().try_for_each(print)?;
    seconds.map(duration).map_or(Ok(()), print)
}

/// The posterior after all counts.
fn fit(
    arguments: &Arguments,
    collection: &Collection,
    draws: u64,
) -> Result<FMeasureArms, Failure> {
    let mut posterior = arguments
        .counting
        .posterior(collection.arms.len())
        .draws(in_memory(draws))
        .seed(arguments.seed.unwrap_or(0));
    for (arm, records) in collection.arms.ids().zip(&collection.records) {
        for record in records {
            let case = Case {
                split: record.document,
                seed: 0,
            };
            let observed = posterior.observe(arm, case, record.counts);
            observed.map_err(|error| {
                let file = arguments.scores.display();
                Failure::Usage(format!("{file}:{}: {error}", record.line))
            })?;
        }
    }
    Ok(posterior)
}

fn in_memory(draws: u64) -> usize {
    usize::try_from(draws).expect("no more than fit in memory")
}

fn of_arm(arguments: &Arguments, posterior: &FMeasureArms, arm: ArmId, draws: u64) -> OfArm {
    let mut rng = Streams::new(arguments.seed.unwrap_or(0)).run(arm.index() as u64);
    let sample = posterior.sample(arm, in_memory(draws), &mut rng);
    OfArm {
        f: sample.summary(|theta, _| posterior.of(theta)),
        theta: [0, 1, 2, 3].map(|cell| sample.summary(|theta, _| theta[cell])),
        alpha: sample.summary(|_, alpha| alpha),
        effective: sample.effective(),
    }
}

fn document(
    arguments: &Arguments,
    collection: &Collection,
    belief: &Belief,
    known: &[OfArm],
) -> Value {
    let arms: Vec<Value> = collection
        .arms
        .ids()
        .zip(known)
        .map(|(arm, known)| {
            let scores = collection.scores(arm);
            json!({
                "name": collection.arms.name(arm),
                "evaluations": scores.count(),
                "mean": mean(&scores),
                "standard_deviation": scores.standard_deviation(),
                "probability_best": belief.of(arm),
                "f": summary(&known.f),
                "theta": known.theta.each_ref().map(summary),
                "alpha": summary(&known.alpha),
                "effective_draws": known.effective,
            })
        })
        .collect();
    let mut document = json!({
        "method": belief.method,
        "absolute_error": belief.absolute_error,
        "posterior": NAME,
        "metric": arguments.counting.measure(),
        "target": arguments.counting.words(&Target::Pooled),
        "arms": arms,
    });
    add_counts(&mut document, collection);
    document
}

fn summary(summary: &Summary) -> Value {
    let mut object = Map::new();
    object.insert("mean".to_owned(), json!(summary.mean));
    object.insert("sd".to_owned(), json!(summary.standard_deviation));
    let quantiles = Summary::PROBABILITIES.iter().zip(summary.quantiles);
    for (probability, value) in quantiles {
        object.insert(format!("q{}", probability * 100.0), json!(value));
    }
    object.into()
}

fn table(
    arguments: &Arguments,
    collection: &Collection,
    belief: &Belief,
    known: &[OfArm],
) -> Table {
    let measure = arguments.counting.measure();
    let numbers = [
        "documents",
        "TP",
        "FP",
        "TN",
        "FN",
        &measure,
        "95 %",
        "P(best)",
    ];
    let numbers = numbers.map(|name| (name, Align::Right));
    let mut table = Table::new([("arm", Align::Left)].into_iter().chain(numbers));
    let percentages = Percentages::new(&belief.probability);
    let mut ranked: Vec<ArmId> = collection.arms.ids().collect();
    ranked.sort_by(|a, b| {
        let key = |arm: &ArmId| (belief.of(*arm), known[arm.index()].f.mean);
        let ((a0, a1), (b0, b1)) = (key(a), key(b));
        b0.total_cmp(&a0).then(b1.total_cmp(&a1))
    });
    for (rank, arm) in ranked.into_iter().enumerate() {
        let f = &known[arm.index()].f;
        let [low, .., high] = f.quantiles;
        let documents = collection.records[arm.index()].len().to_string();
        let name = collection.arms.name(arm).to_owned();
        let counts = collection.sum(arm).cells().map(|count| count.to_string());
        let rest = [
            format!("{:.4}", f.mean),
            format!("{low:.4}–{high:.4}"),
            percentages.of(arm.index()),
        ];
        let cells = [name, documents].into_iter().chain(counts).chain(rest);
        table.row(cells, rank == 0);
    }
    table
}
