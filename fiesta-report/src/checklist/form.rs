//! Forms of conferences: the questions of each, in our own words, under its own numbers.

use super::Fact;

/// A checklist that authors are asked to fill in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub(crate) enum Form {
    /// Text Box 1 of "Show Your Work" (Dodge et al., EMNLP 2019), with the number of parameters
    /// that the forms made after it add.
    ShowYourWork,
    /// The reproducibility checklist of ACL conferences from 2020 to 2021, made after "Show Your Work".
    AclReproducibility,
    /// The Responsible NLP Research checklist of ACL Rolling Review.
    AclResponsible,
    /// The NeurIPS paper checklist (of 2025).
    NeurIps,
}

/// One question of a form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question {
    /// Number of the question in the form.
    pub(super) number: &'static str,
    pub(super) text: &'static str,
    /// Facts that answer the question; empty where no experiment can.
    pub(super) facts: &'static [Fact],
}

/// Questions under a heading.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section {
    pub(super) heading: &'static str,
    pub(super) questions: &'static [Question],
}

/// Declares the questions of a form by heading: number, text, and the facts that answer it; none
/// where no experiment can.
macro_rules! form {
    ($($heading:literal { $($number:literal $text:literal [$($fact:ident)*])+ })+) => {
        &[$(Section {
            heading: $heading,
            questions: &[$(Question {
                number: $number,
                text: $text,
                facts: &[$(Fact::$fact),*],
            }),+],
        }),+]
    };
}

impl Form {
    /// All forms of conferences.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 4] = [
        Self::ShowYourWork,
        Self::AclReproducibility,
        Self::AclResponsible,
        Self::NeurIps,
    ];

    /// Returns the title of the form.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::ShowYourWork => "Reproducibility checklist (Show Your Work, Text Box 1)",
            Self::AclReproducibility => "ACL reproducibility checklist",
            Self::AclResponsible => "ACL Responsible NLP Research checklist",
            Self::NeurIps => "NeurIPS paper checklist",
        }
    }

    pub(super) fn sections(self) -> &'static [Section] {
        match self {
            Self::ShowYourWork => SHOW_YOUR_WORK,
            Self::AclReproducibility => ACL_REPRODUCIBILITY,
            Self::AclResponsible => ACL_RESPONSIBLE,
            Self::NeurIps => NEURIPS,
        }
    }
}

const SHOW_YOUR_WORK: &[Section] = form! {
    "For every reported result" {
        "1" "Which machines did the computing" [Infrastructure]
        "2" "How long each approach runs on average" [Runtime]
        "3" "How many parameters each model has" [Parameters]
        "4" "How train, validation and test data were split" [Splits]
        "5" "The validation performance beside each test result" [ValidationPerformance]
        "6" "Where the code is" [Code]
        "7" "Where the data are" [Data]
    }
    "For a search over hyperparameters" {
        "8" "The bounds of each hyperparameter" [SearchBounds]
        "9" "The hyperparameters of the best models" [BestSettings]
        "10" "How many trials were made" [Trials]
        "11" "How values were chosen, and by which criterion among them" [SearchMethod]
        "12" "The expected best validation performance against the number of trials" [ExpectedPerformance]
    }
};

const ACL_REPRODUCIBILITY: &[Section] = form! {
    "For every reported result" {
        "1" "A clear account of the setting, the algorithm, the model" []
        "2" "A link to code that can be had, with its dependencies" [Code Software]
        "3" "The computing infrastructure" [Infrastructure]
        "4" "The average run time of each model, or the energy it takes" [Runtime]
        "5" "The number of parameters of each model" [Parameters]
        "6" "The validation performance beside each test result" [ValidationPerformance]
        "7" "A definition of the measure and of the statistics" [Metric Statistics]
    }
    "For several experiments, such as a search over hyperparameters" {
        "8" "The exact number of training and evaluation runs" [Trials]
        "9" "The bounds of each hyperparameter" [SearchBounds]
        "10" "The hyperparameters of the best models" [BestSettings]
        "11" "How values were chosen, and by which criterion among them" [SearchMethod]
        "12" "Summary statistics: mean, variance, error bars" [Statistics]
    }
    "For every data set" {
        "13" "Its statistics: number of examples, distribution of labels" []
        "14" "Its train, validation and test splits" [Splits]
        "15" "What was left out, and every step of preparation" []
        "16" "The languages, for data in natural language" []
        "17" "A link to a version that can be had" [Data]
        "18" "How newly collected data were collected" []
    }
};

const ACL_RESPONSIBLE: &[Section] = form! {
    "A. Every submission" {
        "A1" "Are the limitations of the work discussed?" [Limits]
        "A2" "Are possible risks discussed?" []
    }
    "B. Data, code and models used or made" {
        "B1" "Are their makers cited?" []
        "B2" "Are their licences or terms of use given?" []
        "B3" "Does the use agree with what they are intended for?" []
        "B4" "Were personal and offensive contents looked for and dealt with?" []
        "B5" "Are they documented: domains, languages, groups of people?" []
        "B6" "Are their statistics given: numbers of examples, splits?" [Splits]
    }
    "C. Computational experiments" {
        "C1" "The number of parameters, the total budget, the infrastructure" [Parameters Budget Infrastructure]
        "C2" "The setup of the experiments, with the search over hyperparameters and the values found" [Selection SearchMethod SearchBounds BestSettings]
        "C3" "Descriptive statistics, and whether a result is a mean, a maximum or a single run" [Statistics Trials]
        "C4" "Existing packages, with the implementation, model and settings used" [Software]
    }
    "D. People who annotated or took part" {
        "D1" "The full text of what they were told" []
        "D2" "How they were found and paid" []
        "D3" "Their consent to the use of the data" []
        "D4" "The decision of an ethics review board" []
        "D5" "Who they were, demographically and geographically" []
    }
    "E. Generative tools" {
        "E1" "Is their use in research, coding or writing described?" []
    }
};

const NEURIPS: &[Section] = form! {
    "Every submission" {
        "1" "Claims: do abstract and introduction say what was shown, and how far it reaches?" [Selection]
        "2" "Limitations: are they discussed?" [Limits]
        "3" "Theory: are assumptions complete and proofs correct?" []
        "4" "Reproducibility: is all said that is needed to reproduce the main results?" [Selection Repeating]
        "5" "Open access: can data and code be had, with instructions?" [Code Data]
        "6" "Experimental setting: splits, hyperparameters and how they were chosen" [Splits SearchMethod SearchBounds BestSettings]
        "7" "Statistical significance: are there error bars, and is it said what they are of?" [Statistics Selection]
        "8" "Compute: the kind of machines, time and memory of each experiment and of all together" [Infrastructure Runtime Budget]
        "9" "Code of ethics: does the work conform?" []
        "10" "Broader impacts: are good and bad ones discussed?" []
        "11" "Safeguards: are there any against misuse of what is released?" []
        "12" "Licences: are makers credited and terms respected?" []
        "13" "New assets: are they documented?" []
        "14" "Crowdsourcing and people: instructions and pay" []
        "15" "Review board: risks to people, and approval" []
        "16" "Language models: is their use described where it is part of the method?" []
    }
};
