//! P(highest expected best of n trials) of each arm, for every n of which the trials tell enough.

use crate::{Percentages, Table, TableOf, percent, words::range, wrapped};
use fiesta_core::Direction;
use fiesta_posterior::best_of_n::{
    ArmTrials, BestOfN, BestOfNError, BestOfNOptions, LARGEST_N, Tail, informative_up_to,
};
use serde::Serialize;

/// Note on what curves and P(highest expected best of n) suppose of trials that were read, and what
/// is not so of many.
pub const DEPENDENT_TRIALS: &str = "trials are taken for independent draws, as in a random search: those that a sampler chose by earlier ones (Optuna's default does) tell another curve";

/// Numbers of trials n whose probabilities the table shows, as far as the trials tell of them.
const SHOWN: [usize; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/// The probability from which on an arm is said to lead, unless another is asked for.
pub const CONFIDENCE: f64 = 0.95;

/// P(highest expected best of n) of each arm.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BestOfNReport {
    /// The largest n of which the trials tell enough.
    pub informative_up_to: usize,
    /// All numbers of trials n, from 1 up to the largest.
    pub n: Vec<usize>,
    /// Probabilities of each arm to have the highest expected best of n.
    pub arms: Vec<ArmBestOfN>,
    /// The probability from which on an arm is said to lead.
    pub confidence: f64,
    /// The ranges of n for which an arm leads.
    pub leads: Vec<Led>,
    /// Ranges of n for which no arm leads.
    pub undecided: Vec<Undecided>,
    /// Tails of the arms' scores towards better ones, where they were estimated.
    pub tails: Vec<ArmTail>,
    /// Number of draws that were made.
    pub draws: u32,
    /// Seed of the draws.
    pub seed: u64,
    /// The largest standard error of a probability.
    pub standard_error: f64,
    #[serde(skip)]
    fewest: usize,
}

/// Probabilities of one arm to have the highest expected best of n.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ArmBestOfN {
    /// Name of the arm.
    pub name: String,
    /// Probability at every n that the arm has the highest expected best of n.
    pub probability: Vec<f64>,
}

/// A range of n with its lowest and highest leading probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct LedRange {
    /// First n of the range.
    pub from: usize,
    /// Last n of the range.
    pub to: usize,
    /// Lowest leading probability in the range.
    pub lowest: f64,
    /// Highest leading probability in the range.
    pub highest: f64,
}

/// A range of n for which one arm leads.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Led {
    /// Range of n for which the arm leads.
    #[serde(flatten)]
    pub range: LedRange,
    /// Name of the arm that leads.
    pub arm: String,
}

/// A range of n for which no arm leads.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Undecided {
    /// Range of n for which no arm leads.
    #[serde(flatten)]
    pub range: LedRange,
    /// Arms that are likeliest at some n of the range.
    pub arms: Vec<String>,
}

/// The tail of one arm's scores towards better ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ArmTail {
    /// Name of the arm.
    pub arm: String,
    /// The shape of the generalised Pareto distribution; heavy above 0.
    pub shape: f64,
    /// Standard error of the shape.
    pub standard_error: f64,
    /// Number of scores that the tail was estimated from.
    pub scores: usize,
    /// Weight of each trial in the estimate of the tail, as a part of a whole trial.
    pub weight: f64,
    /// Whether the tail is heavy.
    pub heavy: bool,
}

impl BestOfNReport {
    /// Compares arms by their trials: their names, scores and how many trials failed; none if there are fewer than two, or too few trials of one of
    /// them, or no score at all.
    ///
    /// # Errors
    /// [`BestOfNError`] if a score is not possible, or the confidence is none.
    pub fn compare<'t>(
        arms: impl IntoIterator<Item = (&'t str, &'t [f64], u64)>,
        direction: Direction,
        bounds: Option<(f64, f64)>,
        confidence: f64,
    ) -> Result<Option<Self>, BestOfNError> {
        let trials = |(name, scores, failed): (&'t str, &'t [f64], u64)| {
            let failed = usize::try_from(failed).unwrap_or(usize::MAX);
            (name.to_owned(), ArmTrials { scores, failed })
        };
        let (names, trials): (Vec<String>, Vec<ArmTrials<'_>>) =
            arms.into_iter().map(trials).unzip();
        if trials.len() < 2 {
            return Ok(None);
        }
        let fewest = trials.iter().map(ArmTrials::count).min().unwrap_or(0);
        let options = BestOfNOptions {
            direction,
            bounds,
            largest_n: Some(informative_up_to(fewest).min(LARGEST_N)),
            ..BestOfNOptions::default()
        };
        let best = match BestOfN::compare(&trials, &options) {
            Ok(best) => best,
            Err(BestOfNError::TooFew { .. } | BestOfNError::NoScore) => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(Some(Self::new(&names, &best, &options, fewest, confidence)))
    }

    fn new(
        names: &[String],
        best: &BestOfN,
        options: &BestOfNOptions,
        fewest: usize,
        confidence: f64,
    ) -> Self {
        let n: Vec<usize> = (1..=best.largest_n()).collect();
        let of_arm = |(arm, name): (usize, &String)| ArmBestOfN {
            name: name.clone(),
            probability: n.iter().map(|&n| best.probability(n)[arm]).collect(),
        };
        let (mut leads, mut undecided) = (Vec::new(), Vec::new());
        for lead in best.leads(confidence) {
            let range = LedRange {
                from: lead.from,
                to: lead.to,
                lowest: lead.lowest,
                highest: lead.highest,
            };
            let name = |arm: &fiesta_core::ArmId| names[arm.index()].clone();
            match &lead.arm {
                Some(arm) => leads.push(Led {
                    range,
                    arm: name(arm),
                }),
                None => undecided.push(Undecided {
                    range,
                    arms: lead.highest_arms.iter().map(name).collect(),
                }),
            }
        }
        let tail = |(name, tail): (&String, &Option<Tail>)| {
            tail.map(|tail| ArmTail {
                arm: name.clone(),
                shape: tail.shape,
                standard_error: tail.standard_error,
                scores: tail.scores,
                weight: tail.weight,
                heavy: tail.is_heavy(),
            })
        };
        Self {
            informative_up_to: best.informative_up_to(),
            arms: names.iter().enumerate().map(of_arm).collect(),
            n,
            confidence,
            leads,
            undecided,
            tails: names.iter().zip(best.tails()).filter_map(tail).collect(),
            draws: options.draws,
            seed: options.seed,
            standard_error: best.standard_error(0.5),
            fewest,
        }
    }

    /// Returns the table of the probabilities, and tells for which n an arm leads, how far that may
    /// be trusted, and which tails are heavy.
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// Returns the text for lines of `width` characters: tables leave columns out, sentences are
    /// broken between words.
    pub fn text_within(&self, width: usize) -> String {
        let lines: Vec<String> = [self.leads()]
            .into_iter()
            .chain(self.heavy_tails())
            .collect();
        let text = format!("{}{}", self.table().text_within(width), lines.join("\n"));
        wrapped(&text, width)
    }

    /// Returns a table of the probabilities at some n.
    pub fn table(&self) -> Table {
        let largest = self.n.len();
        let mut shown: Vec<usize> = SHOWN.into_iter().filter(|&n| n < largest).collect();
        shown.push(largest);
        let arms = TableOf::new(self.arms.iter().enumerate());
        let mut table = arms.words("P(highest expected best of n)", |(_, arm)| arm.name.clone());
        for n in shown {
            // The probabilities of the arms at one n divide a whole.
            let probabilities = self.arms.iter().map(|arm| arm.probability[n - 1]);
            let percentages = Percentages::new(&probabilities.collect::<Vec<f64>>());
            table = table.numbers(&format!("n = {n}"), |(place, _)| percentages.of(*place));
        }
        table.table()
    }

    /// The probabilities at every n of which the trials tell enough, a row each.
    pub fn data(&self) -> Table {
        let mut table = TableOf::new(self.n.iter().copied()).numbers("n", usize::to_string);
        for arm in &self.arms {
            table = table.numbers(&arm.name, |n| arm.probability[n - 1].to_string());
        }
        table.table()
    }

    /// Tells in words for which n an arm leads with the confidence asked for, and of which n the
    /// trials tell too little.
    pub fn leads(&self) -> String {
        let led = self.leads.iter().map(|led| {
            let (range, p) = led.range.words();
            (
                led.range.from,
                format!("{} leads for {range} ({p})", led.arm),
            )
        });
        let undecided = self.undecided.iter().map(|none| {
            let (range, p) = none.range.words();
            let likeliest = none.arms.join(" or ");
            let words = format!("no arm leads for {range} ({likeliest} the likeliest, {p})");
            (none.range.from, words)
        });
        let mut ranges: Vec<(usize, String)> = led.chain(undecided).collect();
        ranges.sort_by_key(|(from, _)| *from);
        let ranges: Vec<String> = ranges.into_iter().map(|(_, words)| words).collect();
        format!(
            "With at least {}, {}; {} trials tell too little of the best of more than {}",
            percent(self.confidence),
            ranges.join(", "),
            self.fewest,
            self.n.len()
        )
    }

    /// A warning if the scores of some arms have a heavy tail towards better ones.
    pub fn heavy_tails(&self) -> Option<String> {
        let heavy = self.tails.iter().filter(|tail| tail.heavy).map(|tail| {
            format!(
                "{} (shape {:.2} ± {:.2}; each trial counts as {:.2} of one)",
                tail.arm, tail.shape, tail.standard_error, tail.weight
            )
        });
        let heavy: Vec<String> = heavy.collect();
        (!heavy.is_empty()).then(|| {
            format!(
                "Heavy tail towards better scores: {}. The best of n then rests on rare scores, and these probabilities are widened for it",
                heavy.join(", ")
            )
        })
    }
}

impl LedRange {
    /// Returns the range and its probabilities in words.
    fn words(&self) -> (String, String) {
        let n = range(&self.from.to_string(), &self.to.to_string());
        let probability = range(&percent(self.lowest), &percent(self.highest));
        (format!("n = {n}"), probability)
    }
}
