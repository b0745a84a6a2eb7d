//! Other tools' results on the command line.

use crate::exit::Failure;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use fiesta::{
    import::Tool,
    records::{Missing, Pruned, Reading},
    report::tuning_curve::Failed,
};

/// Arguments about how another tool's results are read.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ForeignArguments {
    /// The tool that wrote the results, where they do not say so themselves
    #[arg(long, value_name = "TOOL", value_parser = tool())]
    pub(super) from: Option<Tool>,
    /// The filter after which answers are scored, where lm-eval's samples have several
    #[arg(long, value_name = "NAME")]
    pub(super) filter: Option<String>,
    /// Only this study of Optuna's storage; may be given several times
    #[arg(long, value_name = "NAME")]
    study: Vec<String>,
    /// What pruned trials of another tool count as
    #[arg(long, value_enum)]
    pub(super) pruned: Option<Pruned>,
    /// What another tool's trials without a finite score count as, if other than failed ones
    /// (default: what --failed says)
    #[arg(long, value_enum)]
    missing: Option<Missing>,
    /// Whether each setting of scikit-learn's search is one trial.
    #[arg(skip)]
    pub(crate) settings_are_trials: bool,
    /// Whether pruned trials are left out if no flag says otherwise.
    #[arg(skip)]
    pub(crate) drops_pruned: bool,
}

fn tool() -> impl TypedValueParser<Value = Tool> {
    PossibleValuesParser::new(Tool::ALL.map(Tool::name))
        .map(|name| name.parse().expect("it is one of them"))
}

impl ForeignArguments {
    /// Returns the options of reading. If failures are kept, trials without a score are failures.
    pub(super) fn options(&self, reading: Reading, failed: Option<Failed>) -> Reading {
        Reading {
            tool: self.from.map(|tool| tool.name().to_owned()),
            filter: self.filter.clone(),
            studies: self.study.clone(),
            pruned: { self.pruned }.or(self.drops_pruned.then_some(Pruned::Drop)),
            missing: self.missing,
            missing_are_failures: failed.is_some(),
            settings_are_trials: self.settings_are_trials,
            ..reading
        }
    }

    /// Refuses flags of other tools' results, for results that are not another tool's.
    pub(crate) fn refuse(&self) -> Result<(), Failure> {
        let given = [
            ("from", self.from.is_some()),
            ("filter", self.filter.is_some()),
            ("study", !self.study.is_empty()),
            ("pruned", self.pruned.is_some()),
            ("missing", self.missing.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(Failure::Usage(format!(
                "--{flag} is about another tool's results, and this is none: leave it out"
            ))),
            None => Ok(()),
        }
    }
}
