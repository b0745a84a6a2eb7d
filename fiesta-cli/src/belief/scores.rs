//! P(best) from scores.

use super::{Arguments, MethodArgument, accuracy, duration, median_seconds, no_quadrature};
use crate::{
    Format,
    counts::of_scores,
    exit::Failure,
    print,
    scores::Scores,
    standing::{self, CONFIDENCE, mean},
};
use fiesta::{
    core::{ArmId, Belief, Case, Direction, Method, Moments, Observe, Streams},
    posterior::{AtTheBounds, Logit, Paired, best_arm, by_name},
    records::Record,
    report::{
        Percentages, Standings, TieWords,
        summary::{Sample, Tie},
    },
};
use serde_json::{Value, json};

/// The posterior that uses shared splits.
const PAIRED: &str = "paired";
/// Draws of the Monte Carlo method by default.
const DRAWS: u64 = 100_000;

pub(super) fn belief(arguments: &Arguments) -> Result<(), Failure> {
    let posterior = of_scores(arguments.posterior.as_deref())?;
    let scores = arguments.reading.read(&arguments.scores)?;
    let found = Found::new(arguments, posterior, &scores)?;
    if arguments.format == Format::Json {
        return print(found.document(posterior, &scores));
    }
    let standings = standing::of_scores(
        &scores.metric,
        scores.direction,
        &scores.arms,
        &found.moments,
        &found.belief.probability,
    );
    found.print(standings, &scores)?;
    print(accuracy(posterior, &found.belief))?;
    if let Some(note) = unpaired(posterior, &scores) {
        print(note)?;
    }
    found.seconds.map(duration).map_or(Ok(()), print)
}

/// What should be said of scores that a posterior of paired arms has to take as unpaired.
fn unpaired<'a>(posterior: &str, scores: &'a Scores) -> Option<&'a String> {
    scores.unpaired.as_ref().filter(|_| posterior == PAIRED)
}

/// What scores tell of their arms.
pub(super) struct Found {
    pub(super) belief: Belief,
    /// The scores of each arm.
    pub(super) moments: Vec<Moments>,
    /// How long a belief takes, if that was asked for.
    pub(super) seconds: Option<f64>,
}

impl Found {
    /// What scores tell under the posterior with this name.
    pub(super) fn new(arguments: &Arguments, name: &str, scores: &Scores) -> Result<Self, Failure> {
        let fitted = || fit(arguments, name, scores);
        let posterior = fitted()?;
        let arms: Vec<ArmId> = scores.arms.ids().collect();
        let sampled = posterior.belief(&arms).method == Method::MonteCarlo;
        check_method(arguments, name, sampled)?;
        let belief = compute(arguments, &*posterior, &arms, sampled)?;
        // What is sampled is kept with the posterior: the time of a belief is that of another one.
        let again = || {
            if sampled {
                compute(arguments, &*fitted()?, &arms, sampled)
            } else {
                compute(arguments, &*posterior, &arms, sampled)
            }
        };
        let seconds = arguments.time.map(|times| median_seconds(times, again));
        let moments = scores.records.iter().map(|records| {
            let scores = records.iter().map(|record| record.score);
            scores.collect()
        });
        Ok(Self {
            belief,
            moments: moments.collect(),
            seconds: seconds.transpose()?,
        })
    }

    /// The arms that are tied with the one that is most probably best, and that in words, if the posterior does not tell it from them.
    fn tie(&self, scores: &Scores) -> Option<(Tie, TieWords)> {
        let (leader, _) = self.belief.leader();
        let sample = |records: &Vec<Record>| {
            let on_splits = records
                .iter()
                .map(|record| Some((record.split?, record.score)));
            match on_splits.collect::<Option<Vec<(u64, f64)>>>() {
                Some(on_splits) => Sample::grouped(on_splits),
                None => Sample::new(records.iter().map(|record| record.score)),
            }
            .ok()
        };
        let samples: Vec<Option<Sample>> = scores.records.iter().map(sample).collect();
        let p = &self.belief.probability;
        let tie = Tie::unless_told_apart(&samples, leader.index(), p, CONFIDENCE)?;
        let names: Vec<&str> = scores.arms.names().iter().map(String::as_str).collect();
        let belief = Percentages::new(&self.belief.probability);
        let words = TieWords::new(&tie, &names, Some(&belief));
        Some((tie, words))
    }

    /// Prints the table of the arms, and which of them are tied.
    pub(super) fn print(&self, standings: Standings, scores: &Scores) -> Result<(), Failure> {
        let Some((tie, words)) = self.tie(scores) else {
            return print(standings.table().text());
        };
        print(standings.tied(&tie.arms).table().text())?;
        print(format_args!("{}\n", words.plain()))
    }

    fn tied<'a>(&self, scores: &'a Scores) -> Vec<&'a str> {
        let tie = self.tie(scores).map(|(tie, _)| tie.arms);
        let name = |place: usize| scores.arms.names()[place].as_str();
        tie.into_iter().flatten().map(name).collect()
    }

    /// The same for programs.
    pub(super) fn document(&self, posterior: &str, scores: &Scores) -> Value {
        let arms: Vec<Value> = scores
            .arms
            .names()
            .iter()
            .zip(self.moments.iter().zip(&self.belief.probability))
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
            "method": self.belief.method,
            "absolute_error": self.belief.absolute_error,
            "posterior": posterior,
            "metric": scores.metric,
            "tied": self.tied(scores),
            "pairing": scores.splits.name(),
            "arms": arms,
        });
        if let Some(note) = unpaired(posterior, scores) {
            document["notes"] = json!([note]);
        }
        if let Some(seconds) = self.seconds {
            document["seconds_per_belief"] = json!(seconds);
        }
        document
    }
}

/// The posterior with this name after all scores.
fn fit(
    arguments: &Arguments,
    name: &str,
    scores: &Scores,
) -> Result<Box<dyn Observe<f64>>, Failure> {
    let plain = by_name(name, scores.arms.len())?;
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
            return Err(Failure::Usage(too_few(name, scores, arm, required)));
        }
    }
    Ok(posterior)
}

/// Larger is better to a posterior; on the logit scale a smaller score is a larger complement.
fn oriented(arguments: &Arguments, scores: &Scores, score: f64) -> f64 {
    match (arguments.logit, scores.direction) {
        (Some(_), Direction::Minimize) => 1.0 - score,
        (_, direction) => direction.orient(score),
    }
}

fn too_few(posterior: &str, scores: &Scores, arm: ArmId, required: u64) -> String {
    let name = scores.arms.name(arm);
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
        let advice = if matches!(posterior, "pooled" | "paired") {
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
fn check_method(arguments: &Arguments, posterior: &str, sampled: bool) -> Result<(), Failure> {
    if sampled && arguments.method == MethodArgument::Quadrature {
        return Err(no_quadrature(posterior));
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
