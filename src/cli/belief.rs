//! `fiesta belief`: P(best) of each arm from scores that exist already.

use super::{
    Format,
    exit::{Code, Failure},
    print,
    scores::{Scores, ScoresArguments},
    standing::{mean, of_scores},
};
use clap::ValueEnum;
use fiesta::{
    core::{ArmId, Belief, Case, Method, Moments, Observe, Streams},
    posterior::{self, AtTheBounds, Logit, Paired, best_arm, by_name},
};
use serde_json::json;
use std::{path::PathBuf, time::Instant};

/// Draws of the Monte Carlo method by default.
const DRAWS: u64 = 100_000;

/// The arguments of `fiesta belief`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  fiesta belief scores.csv
  fiesta belief results.jsonl --metric macro_f1 --posterior uniform --format json
  fiesta belief losses.csv --minimize --posterior pooled --method monte-carlo --draws 1000000")]
pub(super) struct Arguments {
    /// CSV, JSON lines or JSON, or - for standard input
    scores: PathBuf,
    #[command(flatten)]
    reading: ScoresArguments,
    /// How scores tell of means: uniform, jeffreys, pooled or paired
    #[arg(long, value_name = "NAME", default_value = posterior::DEFAULT)]
    posterior: String,
    /// Take scores between 0 and 1 on the logit scale; scores of 0 and 1 are refused, or with a UNIT (1/N for an
    /// accuracy over N items) moved in by half of it
    #[arg(long, value_name = "UNIT", num_args = 0..=1, require_equals = true, default_missing_value = "0", value_parser = unit)]
    logit: Option<f64>,
    /// How to compute the probabilities
    #[arg(long, value_enum, default_value_t)]
    method: MethodArgument,
    /// Draws of the Monte Carlo method (default: 100000; paired draws as often as it needs to)
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    draws: Option<u64>,
    /// Seed of the Monte Carlo method (default: 0)
    #[arg(long)]
    seed: Option<u64>,
    /// Compute the belief so often and print the median time of one computation; of paired, with the fit to the scores
    #[arg(long, value_name = "TIMES")]
    time: Option<u32>,
    /// How to print the belief
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn unit(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|unit| (0.0..1.0).contains(unit))
        .ok_or_else(|| {
            "give the smallest step of the score, between 0 and 1, for example 0.001".to_owned()
        })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum MethodArgument {
    /// The posterior's own: quadrature for independent arms, Monte Carlo for paired.
    #[default]
    Auto,
    /// By numerical integration, to 1e-9; not for paired.
    Quadrature,
    /// By draws, with the standard error.
    MonteCarlo,
}

pub(super) fn belief(arguments: &Arguments) -> Result<Code, Failure> {
    let scores = arguments.reading.read(&arguments.scores)?;
    let posterior = posterior(arguments, &scores)?;
    let arms: Vec<ArmId> = scores.arms.ids().collect();
    let sampled = posterior.belief(&arms).method == Method::MonteCarlo;
    check_method(arguments, sampled)?;
    let belief = compute(arguments, &*posterior, &arms, sampled)?;
    // What is sampled is kept with the posterior: the time of a belief is that of another one.
    let again = || {
        if sampled {
            compute(
                arguments,
                &*self::posterior(arguments, &scores)?,
                &arms,
                sampled,
            )
        } else {
            compute(arguments, &*posterior, &arms, sampled)
        }
    };
    let seconds = arguments
        .time
        .map(|times| median_seconds(times, again))
        .transpose()?;
    let moments: Vec<Moments> = scores
        .records
        .iter()
        .map(|records| records.iter().map(|record| record.score).collect())
        .collect();
    match arguments.format {
        Format::Json => {
            let arms: Vec<_> = scores
                .arms
                .names()
                .iter()
                .zip(moments.iter().zip(&belief.probability))
                .map(|(name, (moments, p))| {
                    json!({
                        "name": name,
                        "evaluations": moments.count(),
                        "mean": mean(moments),
                        "standard_deviation": moments.standard_deviation(),
                        "probability_best": p,
                    })
                })
                .collect();
            let mut document = json!({
                "method": belief.method,
                "absolute_error": belief.absolute_error,
                "posterior": arguments.posterior,
                "metric": scores.metric,
                "arms": arms,
            });
            if let Some(seconds) = seconds {
                document["seconds_per_belief"] = json!(seconds);
            }
            print(document)?;
        }
        Format::Text => {
            let standings = of_scores(
                &scores.metric,
                scores.direction,
                &scores.arms,
                &moments,
                &belief.probability,
            );
            print(standings.table().text())?;
            let what = match belief.method {
                Method::MonteCarlo => "standard error at most",
                _ => "error at most",
            };
            let (posterior, error) = (&arguments.posterior, belief.absolute_error);
            print(format_args!("posterior {posterior}; {what} {error:.1e}"))?;
            if let Some(seconds) = seconds {
                print(format_args!("{:.1} µs per belief (median)", seconds * 1e6))?;
            }
        }
    }
    Ok(Code::Done)
}

fn posterior(arguments: &Arguments, scores: &Scores) -> Result<Box<dyn Observe<f64>>, Failure> {
    let plain = by_name(&arguments.posterior, scores.arms.len())?;
    let mut posterior: Box<dyn Observe<f64>> = match arguments.logit {
        None => plain,
        Some(0.0) => Box::new(Logit::new(plain, AtTheBounds::Refuse)),
        Some(unit) => Box::new(Logit::new(plain, AtTheBounds::HalfUnit(unit))),
    };
    // Evaluations whose split is not known share none.
    let mut unshared = (0..=u64::MAX).rev();
    for (arm, records) in scores.arms.ids().zip(&scores.records) {
        for record in records {
            let case = Case {
                split: record.split.or_else(|| unshared.next()).unwrap_or(0),
                seed: record.seed.unwrap_or(0),
            };
            let score = oriented(arguments, scores, record.score);
            posterior.observe(arm, case, score).map_err(|error| {
                let file = arguments.scores.display();
                Failure::Usage(format!("{file}:{}: {error}", record.line))
            })?;
        }
    }
    for (arm, records) in scores.arms.ids().zip(&scores.records) {
        let required = posterior.required(arm);
        if (records.len() as u64) < required {
            return Err(Failure::Usage(too_few(arguments, scores, arm, required)));
        }
    }
    Ok(posterior)
}

/// Larger is better to a posterior; on the logit scale a smaller score is a larger complement.
fn oriented(arguments: &Arguments, scores: &Scores, score: f64) -> f64 {
    match (arguments.logit, scores.direction) {
        (Some(_), fiesta::core::Direction::Minimize) => 1.0 - score,
        (_, direction) => direction.orient(score),
    }
}

fn too_few(arguments: &Arguments, scores: &Scores, arm: ArmId, required: u64) -> String {
    let (name, posterior) = (scores.arms.name(arm), &arguments.posterior);
    let records = &scores.records[arm.index()];
    let count = records.len() as u64;
    let (arms, total) = (scores.arms.len(), scores.records.iter().flatten().count());
    if posterior == "paired" && arms <= Paired::EXACT_UP_TO {
        return if total < arms + 2 {
            format!(
                "{total} scores of {arms} arms are too few: the posterior paired needs one of each arm and two more"
            )
        } else {
            format!(
                "the {total} scores are all equal, or as splits and arms explain them without a rest, which tells the posterior paired nothing of the noise: give at least one more evaluation of each arm"
            )
        };
    }
    let equal = records
        .iter()
        .map(|record| record.score)
        .collect::<Moments>()
        .squares()
        == 0.0;
    if count > 1 && equal {
        let advice = if matches!(posterior.as_str(), "pooled" | "paired") {
            "no arm's scores differ at all"
        } else {
            "use --posterior pooled, which learns from the other arms"
        };
        format!(
            "the {count} scores of `{name}` are all equal, which tells the posterior {posterior} nothing of their spread: {advice}"
        )
    } else {
        let scores = if count == 1 { "score" } else { "scores" };
        format!(
            "the arm `{name}` has {count} {scores}, and the posterior {posterior} needs at least {required} of each arm"
        )
    }
}

/// Refuses what a posterior whose probabilities are sampled anyway cannot do.
fn check_method(arguments: &Arguments, sampled: bool) -> Result<(), Failure> {
    let posterior = &arguments.posterior;
    if sampled && arguments.method == MethodArgument::Quadrature {
        return Err(Failure::Usage(format!(
            "the posterior {posterior} has no quadrature: leave --method out, or take --posterior pooled, of independent arms"
        )));
    }
    if sampled && (arguments.draws.is_some() || arguments.seed.is_some()) {
        return Err(Failure::Usage(format!(
            "the posterior {posterior} draws as often as it needs to, with a stream of its own: leave --draws and --seed out"
        )));
    }
    Ok(())
}

fn compute(
    arguments: &Arguments,
    posterior: &dyn Observe<f64>,
    arms: &[ArmId],
    sampled: bool,
) -> Result<Belief, Failure> {
    if sampled || arguments.method != MethodArgument::MonteCarlo {
        return Ok(posterior.belief(arms));
    }
    let mut rng = Streams::new(arguments.seed.unwrap_or(0)).draws(0);
    let draw = |rng: &mut dyn rand::Rng, means: &mut [f64]| posterior.draw(rng, means);
    let draws = arguments.draws.unwrap_or(DRAWS);
    Ok(best_arm::monte_carlo(arms.len(), draws, &mut rng, draw)?)
}

fn median_seconds(
    times: u32,
    compute: impl Fn() -> Result<Belief, Failure>,
) -> Result<f64, Failure> {
    let mut seconds = (0..times.max(1))
        .map(|_| {
            let began = Instant::now();
            std::hint::black_box(compute()?);
            Ok(began.elapsed().as_secs_f64())
        })
        .collect::<Result<Vec<f64>, Failure>>()?;
    seconds.sort_by(f64::total_cmp);
    Ok(seconds[seconds.len() / 2])
}
