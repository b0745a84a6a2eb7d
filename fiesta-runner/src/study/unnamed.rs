//! The placeholders that an arm's command does not name, so that it must read them from its
//! environment.

use super::{
    Items, Study,
    items::PoolKey,
    job::Job,
    placeholder::Placeholder::{Arm, Document, DocumentId, Item, ItemFile, Seed, Split},
};
use crate::run::{HYPERPARAMETER, JobVariable};
use fiesta_core::{ArmId, Design};
use fiesta_policies::random_search::Space;

/// Something that differs between evaluations and that a command has no placeholder for.
///
/// Whether the command reads the variable instead cannot be known before it runs; it is assumed.
/// One that does not is the same for every value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unnamed {
    /// The placeholder without its braces: `arm`, `split`, `seed`, `document`, or a hyperparameter.
    pub placeholder: String,
    /// The variable of the command's environment that has the same value, such as `FIESTA_SPLIT`.
    pub variable: String,
}

impl Study {
    /// Returns the values that an arm's command neither has as placeholders nor mentions as
    /// variables. Empty with a [worker](Study::worker) or functions, which are told all values.
    ///
    /// A command of the arm's own need not name the arm, nor one whose arms are told apart by
    /// variables of their own; on one fixed split, no command need name it.
    pub fn unnamed(&self, arm: ArmId) -> Vec<Unnamed> {
        if self.worker.is_some() || self.is_of_functions() {
            return Vec::new();
        }
        let job = &self.jobs[arm.index()];
        let case = match self.design {
            Design::Fixed => None,
            _ => Some(match self.items.as_ref().map(Items::key) {
                None => Split,
                Some(PoolKey::Items) => Item,
                Some(PoolKey::Documents) => Document,
            }),
        };
        let arm_matters = job.is_shared && job.environment.is_empty() && self.arms.len() > 1;
        let of_case = arm_matters.then_some(Arm).into_iter().chain(case);
        let of_case = of_case
            .chain([Seed])
            .map(|word| (word.name(), word.variable().to_owned()));
        let space = self.search.as_ref().map(|search| search.space(arm));
        let parameters = space.into_iter().flat_map(Space::parameters);
        let drawn = parameters.map(|(name, _)| (name, format!("{HYPERPARAMETER}{name}")));
        of_case
            .chain(drawn)
            .filter(|(word, variable)| !is_named(job, word, variable))
            .map(|(word, variable)| Unnamed {
                placeholder: word.to_owned(),
                variable,
            })
            .collect()
    }

    /// Whether evaluations are on several splits, items or documents, and the command of an arm
    /// reads neither their placeholder nor their variable.
    pub fn names_no_case(&self, arm: ArmId) -> bool {
        let is_case = |unnamed: &Unnamed| {
            let mut cases = [Split, Item, Document].iter();
            cases.any(|case| case.name() == unnamed.placeholder)
        };
        self.unnamed(arm).iter().any(is_case)
    }
}

fn is_named(job: &Job, word: &str, variable: &str) -> bool {
    let by_another_name = if word == Document.name() {
        job.command.names(DocumentId.name())
    } else if word == Item.name() {
        job.command.names(ItemFile.name()) || job.command.mentions(ItemFile.variable())
    } else {
        variable.starts_with(HYPERPARAMETER) && job.command.mentions(JobVariable::Setting.name())
    };
    by_another_name || job.command.names(word) || job.command.mentions(variable)
}
