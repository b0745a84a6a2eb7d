//! Stand-ins of studies, of which there are none here: what a report asks of one, without an
//! answer.

use fiesta::core::{ArmId, Arms, Design, EvaluationId, FBeta, Metric, Observation, Selector};
use std::{collections::BTreeMap, convert::Infallible};

/// Declares a type without values, and methods of it that are never called.
macro_rules! without_values {
    ($name:ident: $(fn $method:ident($($argument:ty),*) -> $value:ty;)*) => {
        pub(crate) struct $name(Infallible);
        impl $name {
            $(pub(crate) fn $method(&self, $(_: $argument),*) -> $value {
                match self.0 {}
            })*
        }
    };
}

without_values!(Study:
    fn arms() -> &Arms;
    fn cost(ArmId) -> Option<f64>;
    fn design() -> Design;
    fn digest() -> String;
    fn documents() -> Option<Infallible>;
    fn f_beta() -> Option<FBeta>;
    fn gpus_per_job(ArmId) -> Option<u32>;
    fn is_of_mean_f() -> bool;
    fn metric() -> &Metric;
    fn name() -> &str;
    fn policy() -> &str;
    fn posterior() -> &str;
    fn search() -> Option<Search>;
    fn seed() -> u64;
);

without_values!(Search:
    fn trials() -> u64;
);

pub(crate) struct History {
    pub(crate) selector: Selector<Observation>,
    pub(crate) records: BTreeMap<EvaluationId, Record>,
    never: Infallible,
}

pub(crate) struct Record {
    pub(crate) origin: Option<Infallible>,
    never: Infallible,
}

impl Record {
    pub(crate) fn cost(&self) -> Option<f64> {
        match self.never {}
    }

    pub(crate) fn seconds(&self) -> Option<f64> {
        match self.never {}
    }
}

/// The state of a study and the words for it.
pub(crate) mod standing {
    use super::{History, Study};
    use fiesta::{core::ArmId, report::summary::Tie};
    use std::{convert::Infallible, marker::PhantomData};

    pub(crate) struct StudyStatus<'a>(Infallible, PhantomData<&'a ()>);

    impl<'a> StudyStatus<'a> {
        pub(crate) fn new(_: &'a Study, history: &'a History) -> Self {
            match history.never {}
        }

        pub(crate) fn compared(&self) -> usize {
            match self.0 {}
        }

        pub(crate) fn notes(&self) -> Vec<String> {
            match self.0 {}
        }

        pub(crate) fn overtaken_by(&self) -> Option<(&'a str, String)> {
            match self.0 {}
        }

        pub(crate) fn quote(&self) -> Option<String> {
            match self.0 {}
        }

        pub(crate) fn recommended(&self) -> Option<ArmId> {
            match self.0 {}
        }

        pub(crate) fn retired(&self) -> &[&'a str] {
            match self.0 {}
        }

        pub(crate) fn tie(&self) -> Option<&Tie> {
            match self.0 {}
        }
    }

    pub(crate) fn is_known(history: &History) -> bool {
        match history.never {}
    }

    pub(crate) fn target(study: &Study) -> String {
        match study.0 {}
    }
}

/// The results of a random search.
pub(crate) mod search {
    use super::{History, Study};
    use fiesta::{
        core::ArmId,
        report::{Table, analysis::best_of_n::BestOfNReport},
    };

    pub(crate) fn best_of_n_at(study: &Study, _: &History, _: f64) -> Option<BestOfNReport> {
        match study.0 {}
    }

    pub(crate) fn leader(study: &Study, _: &History) -> Option<(ArmId, f64)> {
        match study.0 {}
    }

    pub(crate) fn table(study: &Study, _: &History) -> Table {
        match study.0 {}
    }
}
