//! Arguments about measures beside the score: `--cheapest-within`, `--by`, `--at-most`.

use super::belief::tolerance;
use fiesta::report::analysis::belief::{MeasureLimit, MeasuresRequest};

/// The arguments that ask about measures.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct MeasuresArguments {
    /// Which arm is the cheapest of those that are at most this far below the best: the lowest mean
    /// cost of an evaluation, or what --by says
    #[arg(long, value_name = "DIFFERENCE", value_parser = tolerance)]
    cheapest_within: Option<f64>,
    /// The measure by which arms are cheap: cost, duration (seconds), or a column of numbers (default: cost)
    #[arg(long, value_name = "MEASURE", requires = "cheapest_within")]
    by: Option<String>,
    /// Largest mean of a measure that an arm may have, for example seconds=2: others are not feasible.
    /// May be given several times
    #[arg(long, value_name = "MEASURE=LIMIT")]
    at_most: Vec<MeasureLimit>,
    /// A measure that is a price, such as cost: where the values of each arm are all the same, its mean is known. May be
    /// given several times
    #[arg(long, value_name = "MEASURE")]
    known: Vec<String>,
}

impl MeasuresArguments {
    pub(super) fn request(&self) -> MeasuresRequest {
        MeasuresRequest {
            cheapest_within: self.cheapest_within,
            by: self.by.clone(),
            at_most: self.at_most.clone(),
            known: self.known.clone(),
        }
    }
}
