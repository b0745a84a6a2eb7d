//! The arguments of `experiments pools`.

use super::{OfArm, made_up::MadeUp, prices::Prices};
use crate::{Failure, output::Output};
use std::{path::PathBuf, str::FromStr};

/// The arguments of `experiments pools`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  experiments pools math_l5_items.csv --ranks all,14-25,4-15,8-12 --runs 400
  experiments pools math_l5_items.csv --ranks 4-15 --confidence .95 --beside ucb-e,uniform
  experiments pools alpaca_eval2_items.csv --subsets 200x5,200x12 --confidence .95,.9,.8
  experiments pools math_l5_items.csv --ranks 4-15 --prices random,best-dear,best-cheap
  experiments pools math_l5_items.csv --ranks 8-12 --positives .3
  experiments pools --made-up 5x200:4:0.5:0.1 --varying 0,.25,.5,.9 --runs 500")]
pub(crate) struct Arguments {
    /// A file with the answer of every arm to every item, between 0 and 1
    #[arg(value_name = "ANSWERS", required_unless_present = "made_up")]
    pub(super) answers: Option<PathBuf>,
    /// Arms of the file by their ranks over the pool: all, or a range such as 4-15
    #[arg(
        long,
        value_name = "RANKS,…",
        value_delimiter = ',',
        requires = "answers"
    )]
    pub(super) ranks: Vec<Ranks>,
    /// Measure N random subsets of K arms, one run of each
    #[arg(
        long,
        value_name = "NxK,…",
        value_delimiter = ',',
        requires = "answers"
    )]
    pub(super) subsets: Vec<Subsets>,
    /// Measure pools of right and wrong answers of K arms to N items, the best GAP items ahead,
    /// with this correlation of two arms on an item and this distance (SPREAD) of the others from
    /// each other, in latent standard deviations; one run of each
    #[arg(
        long,
        value_name = "KxN:GAP:CORRELATION:SPREAD,…",
        value_delimiter = ','
    )]
    pub(super) made_up: Vec<MadeUp>,
    /// Policy that is measured
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(super) policy: String,
    /// Stopping rule of the runs
    #[arg(long, value_name = "NAME", default_value = "posterior")]
    pub(super) stopping: String,
    /// Also measure these policies, with the mean number of evaluations of --policy as their
    /// budget, and answering everything
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', conflicts_with_all = ["prices", "positives"])]
    pub(super) beside: Vec<String>,
    /// Confidences at which runs stop
    #[arg(
        long,
        value_name = "LEVEL,…",
        value_delimiter = ',',
        default_value = "0.95,0.9,0.8"
    )]
    pub(super) confidence: Vec<f64>,
    /// Distance below the best arm at which the named arm may be
    #[arg(long, default_value_t = 0.0)]
    pub(super) tolerance: f64,
    /// Number of runs of each range of ranks
    #[arg(long, default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) runs: u64,
    /// The seed of all runs
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
    /// Arms that have dear answers, drawn anew in each run: beside the policy, `pool` is run with a
    /// leader that runs ahead of dearer rivals
    #[arg(long, value_name = "PATTERN,…", value_delimiter = ',')]
    pub(super) prices: Vec<Prices>,
    /// The price of a dear answer in cheap ones
    #[arg(long, value_name = "PRICE", default_value_t = 20.0, value_parser = number(|ratio| ratio >= 1.0 && ratio.is_finite(), "price: write a number from 1 on"))]
    pub(super) ratio: f64,
    /// Compare arms by F1: a right answer is a true positive or negative, a wrong one a false one,
    /// of items of which this share is positive, drawn anew in each run
    #[arg(long, value_name = "SHARE", conflicts_with = "prices", value_parser = number(|share| share > 0.0 && share <= 1.0, "share: write a number above 0 and at most 1"))]
    pub(super) positives: Option<f64>,
    /// Posterior of F: of items with single counts, or of documents
    #[arg(long, value_enum, default_value_t, requires = "positives")]
    pub(super) posterior: OfF,
    /// Share of the variance of an arm's answers that is within items: answers vary, as some are
    /// replaced by fair coins, and are asked again
    #[arg(long, value_name = "SHARE,…", value_delimiter = ',', conflicts_with_all = ["prices", "positives", "beside"], value_parser = number(|share| (0.0..1.0).contains(&share), "share of noise: write a number from 0 on and below 1"))]
    pub(super) varying: Vec<f64>,
    /// Number of rounds through all items of all arms after which a run with answers that vary is given up
    #[arg(long, default_value_t = 10, requires = "varying", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) rounds: u64,
    #[command(flatten)]
    pub(super) output: Output,
}

/// Kind of a posterior of the F-measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum OfF {
    /// Posterior of a pool of items that have one count each
    #[default]
    Items,
    /// Posterior of documents that have several counts
    Documents,
}

/// Choice of arms by their ranks, from the best on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ranks {
    All,
    Window(usize, usize),
}

impl Ranks {
    /// Returns the arms with these ranks, with a name of the choice; `arms` are sorted from the
    /// best to the worst.
    pub(crate) fn choose(self, arms: &[OfArm]) -> Result<(String, &[OfArm]), Failure> {
        match self {
            Self::All => Ok((format!("all {}", arms.len()), arms)),
            Self::Window(first, last) if last <= arms.len() => {
                Ok((format!("ranks {first}–{last}"), &arms[first - 1..last]))
            }
            Self::Window(_, last) => {
                Err(format!("there is no rank {last}: there are {} arms", arms.len()).into())
            }
        }
    }
}

impl FromStr for Ranks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` are no ranks: write all, or 8-12");
        if text == "all" {
            return Ok(Self::All);
        }
        let (first, last) = text.split_once('-').ok_or_else(wrong)?;
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if 1 <= first && first < last => Ok(Self::Window(first, last)),
            _ => Err(wrong()),
        }
    }
}

/// Choice of random subsets of arms: their number and size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subsets {
    pub(super) number: u64,
    pub(super) arms: usize,
}

impl FromStr for Subsets {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('x');
        let parsed =
            parsed.and_then(|(number, arms)| Some((number.parse().ok()?, arms.parse().ok()?)));
        match parsed {
            Some((number, arms)) if number > 0 && arms > 1 => Ok(Self { number, arms }),
            _ => Err(format!(
                "`{text}` are no subsets: write 200x5 for 200 of 5 arms"
            )),
        }
    }
}

/// Returns a parser of numbers that refuses those for which `holds` is false; `what` says what a number has to be.
fn number(
    holds: impl Fn(f64) -> bool + Clone,
    what: &'static str,
) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text| match text.parse() {
        Ok(number) if holds(number) => Ok(number),
        _ => Err(format!("`{text}` is no {what}")),
    }
}
