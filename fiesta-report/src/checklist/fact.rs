//! The facts of an experiment that checklists ask for.

use std::collections::{BTreeMap, BTreeSet};

/// Declares the facts, each with the advice that stands where it is not known.
macro_rules! facts {
    ($($(#[doc = $doc:literal])+ $fact:ident: $advice:literal;)+) => {
        /// Fact that readers need to know of an experiment, and that some checklist asks for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub(crate) enum Fact {
            $($(#[doc = $doc])+ $fact,)+
        }

        impl Fact {
            /// Returns what to add where the fact is not known.
            pub(crate) fn advice(self) -> &'static str {
                match self {
                    $(Self::$fact => $advice,)+
                }
            }
        }
    };
}

facts! {
    /// Machines and accelerators of the experiment.
    Infrastructure: "name the processors, accelerators and memory";
    /// How long an evaluation of each arm takes on average.
    Runtime: "give the average time of a run of each approach";
    /// Machine hours of the whole experiment together.
    Budget: "give the total of machine hours, failed and preliminary runs included";
    /// Number of parameters of each model.
    Parameters: "give the number of parameters of each model";
    /// Meaning of the score, and which way is better.
    Metric: "define the measure, or link to code that computes it";
    /// How the data were split, and how often.
    Splits: "say how train, validation and test data were made, and their sizes";
    /// The validation performance that belongs to each test result.
    ValidationPerformance: "give the validation score that belongs to each test score; a study names its measure with validation_metric under [report]";
    /// Where the code of the experiment can be had.
    Code: "give a link to the code; a study has code under [report]";
    /// Where the data of the experiment can be had.
    Data: "give a link to the data, and their version; a study has data under [report]";
    /// Programs and packages, with their versions and settings.
    Software: "name the packages, their versions and the settings that are not the default";
    /// The values that each hyperparameter could take.
    SearchBounds: "give the range of each hyperparameter, those tried by hand included";
    /// The hyperparameters of the best models.
    BestSettings: "give the hyperparameters of each reported model";
    /// How many evaluations or trials were made.
    Trials: "say how many configurations were tried, for each approach";
    /// How hyperparameters were chosen, and by what criterion among them.
    SearchMethod: "say how hyperparameters were chosen and by which criterion; a study has selection_criterion under [report]";
    /// The expected best performance as a function of the budget.
    ExpectedPerformance: "where hyperparameters were tuned, show the expected best validation score against the number of trials";
    /// Means, spreads, intervals, and their meaning.
    Statistics: "give the mean, the spread and the number of runs of each result";
    /// How the best arm was chosen, and what kind of confidence that has.
    Selection: "say how the reported model was chosen";
    /// Seeds and versions, which have to be known to make the same decisions again.
    Repeating: "give seeds and versions";
    /// Limits of a conclusion: what it does not cover.
    Limits: "say what the conclusion does not cover";
}

/// Facts that are known of an experiment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    known: BTreeMap<Fact, String>,
    /// Facts that are known only in part.
    partly: BTreeSet<Fact>,
}

impl Facts {
    /// Notes a fact. A blank text says nothing.
    pub(crate) fn know(&mut self, fact: Fact, text: impl Into<String>) {
        let text: String = text.into();
        if !text.trim().is_empty() {
            self.known.insert(fact, text.trim().to_owned());
        }
    }

    /// Notes a part of a fact; the rest is missing.
    pub(crate) fn know_in_part(&mut self, fact: Fact, text: impl Into<String>) {
        self.know(fact, text);
        self.partly.insert(fact);
    }

    /// Tells whether all of a fact is known.
    pub(crate) fn is_whole(&self, fact: Fact) -> bool {
        self.known.contains_key(&fact) && !self.partly.contains(&fact)
    }

    /// Returns what is known of a fact.
    pub(crate) fn get(&self, fact: Fact) -> Option<&str> {
        self.known.get(&fact).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_example_of_facts() {
        use fiesta_report::checklist::{Fact, Facts};
        let mut facts = Facts::default();
        facts.know(Fact::Trials, "61 evaluations of 8 arms");
        facts.know(Fact::Code, "  ");
        assert_eq!(facts.get(Fact::Trials), Some("61 evaluations of 8 arms"));
        assert_eq!(facts.get(Fact::Code), None);
        facts.know_in_part(Fact::Infrastructure, "the machine gpu-01");
        assert!(!facts.is_whole(Fact::Infrastructure) && facts.is_whole(Fact::Trials));
    }
}
