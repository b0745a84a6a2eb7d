//! Which arm has the highest expected best of n trials: for people and for programs.

use fiesta::{
    core::{ArmId, Direction},
    posterior::best_of_n::{
        BestOfN, BestOfNError, LARGEST_N, Lead, Options, Tail, Trials, best_of_n, informative_up_to,
    },
    report::{Align, Percentages, Table, percent},
};
use serde_json::{Value, json};

/// The n whose probabilities are shown, as far as the trials tell of them.
const SHOWN: [usize; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/// The probability from which on an arm is said to lead, unless another is asked for.
pub(super) const CONFIDENCE: f64 = 0.95;

/// P(highest expected best of n) for every n of which the trials tell enough.
pub(super) struct Comparison<'a> {
    names: &'a [String],
    best: BestOfN,
    options: Options,
    fewest: usize,
    confidence: f64,
}

/// Compares arms by their trials; none if there are fewer than two, or too few trials of one of them, or no score at all.
pub(super) fn compare<'a>(
    names: &'a [String],
    trials: &[Trials<'_>],
    direction: Direction,
    bounds: Option<(f64, f64)>,
    confidence: f64,
) -> Result<Option<Comparison<'a>>, BestOfNError> {
    if trials.len() < 2 {
        return Ok(None);
    }
    let fewest = trials.iter().map(Trials::count).min().unwrap_or(0);
    let options = Options {
        direction,
        bounds,
        largest_n: Some(informative_up_to(fewest).min(LARGEST_N)),
        ..Options::default()
    };
    let best = match best_of_n(trials, &options) {
        Ok(best) => best,
        Err(BestOfNError::TooFew { .. } | BestOfNError::NoScore) => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(Comparison {
        names,
        best,
        options,
        fewest,
        confidence,
    }))
}

impl Comparison<'_> {
    /// The table of the probabilities, for which n an arm leads, how far that may be trusted, and which tails are heavy.
    pub(super) fn text(&self) -> String {
        let mut lines = vec![self.leads()];
        lines.extend(self.heavy_tails());
        format!("{}{}", self.table().text(), lines.join("\n"))
    }

    /// The probabilities at some n.
    pub(super) fn table(&self) -> Table {
        let largest = self.best.largest_n();
        let mut shown: Vec<usize> = SHOWN.into_iter().filter(|&n| n < largest).collect();
        shown.push(largest);
        let heads: Vec<String> = shown.iter().map(|n| format!("n = {n}")).collect();
        let heads = heads.iter().map(|head| (head.as_str(), Align::Right));
        let first = ("P(highest expected best of n)", Align::Left);
        let mut table = Table::new([first].into_iter().chain(heads));
        for (arm, name) in self.names.iter().enumerate() {
            let cells = shown.iter().map(|&n| self.percentages(n).of(arm));
            let cells = [name.clone()].into_iter().chain(cells);
            table.row(cells, false);
        }
        table
    }

    /// The probabilities at every n of which the trials tell enough, a row each.
    pub(super) fn data(&self) -> Table {
        let names = self.names.iter().map(|name| (name.as_str(), Align::Right));
        let mut table = Table::new([("n", Align::Right)].into_iter().chain(names));
        for n in 1..=self.best.largest_n() {
            let probabilities = self.best.probability(n).iter().map(f64::to_string);
            table.row([n.to_string()].into_iter().chain(probabilities), false);
        }
        table
    }

    /// For which n an arm leads with the confidence asked for, in words, and of which n the trials tell too little.
    pub(super) fn leads(&self) -> String {
        let leads: Vec<String> = self
            .best
            .leads(self.confidence)
            .iter()
            .map(|lead| self.lead(lead))
            .collect();
        format!(
            "With at least {}, {}; {} trials tell too little of the best of more than {}",
            percent(self.confidence),
            leads.join(", "),
            self.fewest,
            self.best.largest_n()
        )
    }

    /// The probabilities of the arms at an n, which divide a whole.
    fn percentages(&self, n: usize) -> Percentages {
        Percentages::new(self.best.probability(n))
    }

    fn lead(&self, lead: &Lead) -> String {
        let range = match (lead.from, lead.to) {
            (from, to) if from == to => format!("n = {from}"),
            (from, to) => format!("n = {from} to {to}"),
        };
        let (low, high) = (percent(lead.lowest), percent(lead.highest));
        let probability = if low == high {
            low
        } else {
            format!("{low} to {high}")
        };
        match lead.arm {
            Some(arm) => {
                let name = &self.names[arm.index()];
                format!("{name} leads for {range} ({probability})")
            }
            None => format!(
                "no arm leads for {range} ({} the likeliest, {probability})",
                self.listed(&lead.highest_arms, " or ")
            ),
        }
    }

    fn listed(&self, arms: &[ArmId], between: &str) -> String {
        let names: Vec<&str> = arms
            .iter()
            .map(|arm| self.names[arm.index()].as_str())
            .collect();
        names.join(between)
    }

    /// A warning if the scores of some arms have a heavy tail towards better ones; none otherwise.
    pub(super) fn heavy_tails(&self) -> Option<String> {
        let tails = self.names.iter().zip(self.best.tails());
        let heavy = tails.filter_map(|(name, tail)| {
            let tail = tail.filter(Tail::is_heavy)?;
            Some(format!(
                "{name} (shape {:.2} ± {:.2}; each trial counts as {:.2} of one)",
                tail.shape, tail.standard_error, tail.weight
            ))
        });
        let heavy: Vec<String> = heavy.collect();
        (!heavy.is_empty()).then(|| {
            format!(
                "Heavy tail towards better scores: {}. The best of n then rests on rare scores, and these probabilities are widened for it",
                heavy.join(", ")
            )
        })
    }

    /// For programs: every n of which the trials tell enough, and none beyond.
    pub(super) fn json(&self) -> Value {
        let ns = 1..=self.best.largest_n();
        let arm = |(arm, name): (usize, &String)| {
            let of = |n| self.best.probability(n)[arm];
            json!({ "name": name, "probability": ns.clone().map(of).collect::<Vec<f64>>() })
        };
        let arms: Vec<Value> = self.names.iter().enumerate().map(arm).collect();
        let leads = self.best.leads(self.confidence);
        let range = |lead: &Lead| {
            json!({
                "from": lead.from,
                "to": lead.to,
                "lowest": lead.lowest,
                "highest": lead.highest,
            })
        };
        let decided = leads.iter().filter_map(|lead| {
            let mut of_arm = range(lead);
            of_arm["arm"] = json!(self.names[lead.arm?.index()]);
            Some(of_arm)
        });
        let undecided = leads.iter().filter(|lead| lead.arm.is_none()).map(|lead| {
            let mut of_none = range(lead);
            let arms = lead.highest_arms.iter().map(|arm| &self.names[arm.index()]);
            of_none["arms"] = json!(arms.collect::<Vec<_>>());
            of_none
        });
        let tail = |(name, tail): (&String, &Option<Tail>)| {
            tail.map(|tail| {
                json!({
                    "arm": name,
                    "shape": tail.shape,
                    "standard_error": tail.standard_error,
                    "scores": tail.scores,
                    "weight": tail.weight,
                    "heavy": tail.is_heavy(),
                })
            })
        };
        let tails = self.names.iter().zip(self.best.tails());
        json!({
            "informative_up_to": self.best.informative_up_to(),
            "n": ns.clone().collect::<Vec<usize>>(),
            "arms": arms,
            "confidence": self.confidence,
            "leads": decided.collect::<Vec<Value>>(),
            "undecided": undecided.collect::<Vec<Value>>(),
            "tails": tails.filter_map(tail).collect::<Vec<Value>>(),
            "draws": self.options.draws,
            "seed": self.options.seed,
            "standard_error": self.best.standard_error(0.5),
        })
    }
}
