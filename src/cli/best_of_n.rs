//! Which arm has the highest expected best of n trials: for people and for programs.

use fiesta::{
    core::Direction,
    posterior::best_of_n::{
        BestOfN, BestOfNError, LARGEST_N, Lead, Options, Trials, best_of_n, informative_up_to,
    },
    report::{Align, Table, percent},
};
use serde_json::{Value, json};

/// The n whose probabilities are shown, as far as the trials tell of them.
const SHOWN: [usize; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/// P(highest expected best of n) for every n of which the trials tell enough.
pub(super) struct Comparison<'a> {
    names: &'a [String],
    best: BestOfN,
    options: Options,
    fewest: usize,
}

/// Compares arms by their trials; none if there are fewer than two, or too few trials of one of them, or no score at all.
pub(super) fn compare<'a>(
    names: &'a [String],
    trials: &[Trials<'_>],
    direction: Direction,
    bounds: Option<(f64, f64)>,
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
    }))
}

impl Comparison<'_> {
    /// A table of the probabilities at some n, where the leader changes, and how far that may be trusted.
    pub(super) fn text(&self) -> String {
        let largest = self.best.largest_n();
        let mut shown: Vec<usize> = SHOWN.into_iter().filter(|&n| n < largest).collect();
        shown.push(largest);
        let heads: Vec<String> = shown.iter().map(|n| format!("n = {n}")).collect();
        let heads = heads.iter().map(|head| (head.as_str(), Align::Right));
        let first = ("P(highest expected best of n)", Align::Left);
        let mut table = Table::new([first].into_iter().chain(heads));
        for (arm, name) in self.names.iter().enumerate() {
            let cells = shown
                .iter()
                .map(|&n| percent(self.best.probability(n)[arm]));
            let cells = [name.clone()].into_iter().chain(cells);
            table.row(cells, false);
        }
        format!(
            "{}{}; {} trials tell too little of the best of more than {largest}",
            table.text(),
            self.leads(),
            self.fewest
        )
    }

    /// Which arm leads for which n, in words.
    fn leads(&self) -> String {
        let leads = self.best.leads();
        let lead = |lead: &Lead| {
            let name = &self.names[lead.arm.index()];
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
            format!("{name} leads for {range} ({probability})")
        };
        let leads: Vec<String> = leads.iter().map(lead).collect();
        leads.join(", ")
    }

    /// For programs: every n of which the trials tell enough, and none beyond.
    pub(super) fn json(&self) -> Value {
        let ns = 1..=self.best.largest_n();
        let arm = |(arm, name): (usize, &String)| {
            let of = |n| self.best.probability(n)[arm];
            json!({ "name": name, "probability": ns.clone().map(of).collect::<Vec<f64>>() })
        };
        let arms: Vec<Value> = self.names.iter().enumerate().map(arm).collect();
        let lead = |lead: &Lead| {
            json!({
                "arm": self.names[lead.arm.index()],
                "from": lead.from,
                "to": lead.to,
                "lowest": lead.lowest,
                "highest": lead.highest,
            })
        };
        let leads: Vec<Value> = self.best.leads().iter().map(lead).collect();
        json!({
            "informative_up_to": self.best.informative_up_to(),
            "n": ns.clone().collect::<Vec<usize>>(),
            "arms": arms,
            "leads": leads,
            "draws": self.options.draws,
            "seed": self.options.seed,
            "standard_error": self.best.standard_error(0.5),
        })
    }
}
