//! What a checklist may ask of an experiment.

use std::collections::{BTreeMap, BTreeSet};

/// Something that readers need to know of an experiment, and that some checklist asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Fact {
    /// Machines and accelerators.
    Infrastructure,
    /// How long an evaluation of each arm takes on average.
    Runtime,
    /// What all of it took together.
    Budget,
    /// How many parameters each model has.
    Parameters,
    /// What is measured, and which way is better.
    Metric,
    /// How the data were split, and how often.
    Splits,
    /// The validation performance that belongs to each test result.
    ValidationPerformance,
    /// Where the code is.
    Code,
    /// Where the data are.
    Data,
    /// Programs and packages, with their versions and settings.
    Software,
    /// The values that each hyperparameter could take.
    SearchBounds,
    /// The hyperparameters of the best models.
    BestSettings,
    /// How many evaluations or trials were made.
    Trials,
    /// How hyperparameters were chosen, and by what criterion among them.
    SearchMethod,
    /// The expected best performance as a function of the budget.
    ExpectedPerformance,
    /// Means, spreads, intervals, and what they are of.
    Statistics,
    /// How the best arm was chosen, and what kind of confidence that has.
    Selection,
    /// What has to be known to make the same decisions again: seeds, versions.
    Repeating,
    /// What a conclusion does not cover.
    Limits,
}

impl Fact {
    /// What to add where it is not known.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Infrastructure => "name the processors, accelerators and memory",
            Self::Runtime => "give the average time of a run of each approach",
            Self::Budget => "give the total of machine hours, failed and preliminary runs included",
            Self::Parameters => "give the number of parameters of each model; no ledger knows it",
            Self::Metric => "define the measure, or link to code that computes it",
            Self::Splits => "say how train, validation and test data were made, and their sizes",
            Self::ValidationPerformance => {
                "give the validation score that belongs to each test score; a study names its measure with validation_metric under [report]"
            }
            Self::Code => "give a link; a study has code under [report]",
            Self::Data => "give a link and a version; a study has data under [report]",
            Self::Software => {
                "name the packages, their versions and the settings that are not the default"
            }
            Self::SearchBounds => {
                "give the range of each hyperparameter, those tried by hand included"
            }
            Self::BestSettings => "give the hyperparameters of each reported model",
            Self::Trials => "say how many configurations were tried, for each approach",
            Self::SearchMethod => {
                "say how hyperparameters were chosen and by which criterion; a study has selection_criterion under [report]"
            }
            Self::ExpectedPerformance => {
                "where hyperparameters were tuned, show the expected best validation score against the number of trials"
            }
            Self::Statistics => "give the mean, the spread and the number of runs of each result",
            Self::Selection => "say how the reported model was chosen",
            Self::Repeating => "give seeds and versions",
            Self::Limits => "say what the conclusion does not cover",
        }
    }
}

/// What is known of an experiment.
///
/// # Example
/// ```
/// use fiesta_report::checklist::{Fact, Facts};
/// let mut facts = Facts::default();
/// facts.know(Fact::Trials, "61 evaluations of 8 arms");
/// facts.know(Fact::Code, "  ");
/// assert_eq!(facts.get(Fact::Trials), Some("61 evaluations of 8 arms"));
/// assert_eq!(facts.get(Fact::Code), None);
/// facts.know_in_part(Fact::Infrastructure, "the machine gpu-01");
/// assert!(!facts.is_whole(Fact::Infrastructure) && facts.is_whole(Fact::Trials));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    known: BTreeMap<Fact, String>,
    /// Those of which there is more to know.
    partly: BTreeSet<Fact>,
}

impl Facts {
    /// Knows something. What is blank is not known.
    pub fn know(&mut self, fact: Fact, text: impl Into<String>) {
        let text: String = text.into();
        if !text.trim().is_empty() {
            self.known.insert(fact, text.trim().to_owned());
        }
    }

    /// Knows a part of something; the rest is missing.
    pub fn know_in_part(&mut self, fact: Fact, text: impl Into<String>) {
        self.know(fact, text);
        self.partly.insert(fact);
    }

    /// Whether all of it is known.
    pub fn is_whole(&self, fact: Fact) -> bool {
        self.known.contains_key(&fact) && !self.partly.contains(&fact)
    }

    /// What is known of it.
    pub fn get(&self, fact: Fact) -> Option<&str> {
        self.known.get(&fact).map(String::as_str)
    }
}
