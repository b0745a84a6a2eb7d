//! The forms: what each asks, in our own words, under its own numbers.

use super::Fact::{
    self, BestSettings, Budget, Code, Data, ExpectedPerformance, Infrastructure, Limits, Metric,
    Parameters, Repeating, Runtime, SearchBounds, SearchMethod, Selection, Software, Splits,
    Statistics, Trials, ValidationPerformance,
};

/// A checklist that authors are asked to fill in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// Text Box 1 of "Show Your Work" (Dodge et al., EMNLP 2019), with the number of parameters that the forms made after it add.
    ShowYourWork,
    /// The reproducibility checklist of ACL conferences from 2020 to 2021, made after it.
    AclReproducibility,
    /// The Responsible NLP Research checklist of ACL Rolling Review.
    AclResponsible,
    /// The NeurIPS paper checklist (of 2025).
    NeurIps,
}

/// One question of a form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question {
    /// Its number in the form.
    pub(super) number: &'static str,
    pub(super) text: &'static str,
    /// What answers it; empty where no experiment can.
    pub(super) facts: &'static [Fact],
}

/// Questions under a heading.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section {
    pub(super) heading: &'static str,
    pub(super) questions: &'static [Question],
}

const fn ask(number: &'static str, text: &'static str, facts: &'static [Fact]) -> Question {
    Question {
        number,
        text,
        facts,
    }
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 4] = [
        Self::ShowYourWork,
        Self::AclReproducibility,
        Self::AclResponsible,
        Self::NeurIps,
    ];

    /// What it is called.
    pub fn title(self) -> &'static str {
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

const SHOW_YOUR_WORK: &[Section] = &[
    Section {
        heading: "For every reported result",
        questions: &[
            ask("1", "Which machines did the computing", &[Infrastructure]),
            ask("2", "How long each approach runs on average", &[Runtime]),
            ask("3", "How many parameters each model has", &[Parameters]),
            ask(
                "4",
                "How train, validation and test data were split",
                &[Splits],
            ),
            ask(
                "5",
                "The validation performance beside each test result",
                &[ValidationPerformance],
            ),
            ask("6", "Where the code is", &[Code]),
            ask("7", "Where the data are", &[Data]),
        ],
    },
    Section {
        heading: "For a search over hyperparameters",
        questions: &[
            ask("8", "The bounds of each hyperparameter", &[SearchBounds]),
            ask(
                "9",
                "The hyperparameters of the best models",
                &[BestSettings],
            ),
            ask("10", "How many trials were made", &[Trials]),
            ask(
                "11",
                "How values were chosen, and by which criterion among them",
                &[SearchMethod],
            ),
            ask(
                "12",
                "The expected best validation performance against the number of trials",
                &[ExpectedPerformance],
            ),
        ],
    },
];

const ACL_REPRODUCIBILITY: &[Section] = &[
    Section {
        heading: "For every reported result",
        questions: &[
            ask(
                "1",
                "A clear account of the setting, the algorithm, the model",
                &[],
            ),
            ask(
                "2",
                "A link to code that can be had, with its dependencies",
                &[Code, Software],
            ),
            ask("3", "The computing infrastructure", &[Infrastructure]),
            ask(
                "4",
                "The average run time of each model, or the energy it takes",
                &[Runtime],
            ),
            ask("5", "The number of parameters of each model", &[Parameters]),
            ask(
                "6",
                "The validation performance beside each test result",
                &[ValidationPerformance],
            ),
            ask(
                "7",
                "A definition of the measure and of the statistics",
                &[Metric, Statistics],
            ),
        ],
    },
    Section {
        heading: "For several experiments, such as a search over hyperparameters",
        questions: &[
            ask(
                "8",
                "The exact number of training and evaluation runs",
                &[Trials],
            ),
            ask("9", "The bounds of each hyperparameter", &[SearchBounds]),
            ask(
                "10",
                "The hyperparameters of the best models",
                &[BestSettings],
            ),
            ask(
                "11",
                "How values were chosen, and by which criterion among them",
                &[SearchMethod],
            ),
            ask(
                "12",
                "Summary statistics: mean, variance, error bars",
                &[Statistics],
            ),
        ],
    },
    Section {
        heading: "For every data set",
        questions: &[
            ask(
                "13",
                "Its statistics: number of examples, distribution of labels",
                &[],
            ),
            ask("14", "Its train, validation and test splits", &[Splits]),
            ask(
                "15",
                "What was left out, and every step of preparation",
                &[],
            ),
            ask("16", "The languages, for data in natural language", &[]),
            ask("17", "A link to a version that can be had", &[Data]),
            ask("18", "How newly collected data were collected", &[]),
        ],
    },
];

const ACL_RESPONSIBLE: &[Section] = &[
    Section {
        heading: "A. Every submission",
        questions: &[
            ask(
                "A1",
                "Are the limitations of the work discussed?",
                &[Limits],
            ),
            ask("A2", "Are possible risks discussed?", &[]),
        ],
    },
    Section {
        heading: "B. Data, code and models used or made",
        questions: &[
            ask("B1", "Are their makers cited?", &[]),
            ask("B2", "Are their licences or terms of use given?", &[]),
            ask(
                "B3",
                "Does the use agree with what they are intended for?",
                &[],
            ),
            ask(
                "B4",
                "Were personal and offensive contents looked for and dealt with?",
                &[],
            ),
            ask(
                "B5",
                "Are they documented: domains, languages, groups of people?",
                &[],
            ),
            ask(
                "B6",
                "Are their statistics given: numbers of examples, splits?",
                &[Splits],
            ),
        ],
    },
    Section {
        heading: "C. Computational experiments",
        questions: &[
            ask(
                "C1",
                "The number of parameters, the total budget, the infrastructure",
                &[Parameters, Budget, Infrastructure],
            ),
            ask(
                "C2",
                "The setup of the experiments, with the search over hyperparameters and the values found",
                &[Selection, SearchMethod, SearchBounds, BestSettings],
            ),
            ask(
                "C3",
                "Descriptive statistics, and whether a result is a mean, a maximum or a single run",
                &[Statistics, Trials],
            ),
            ask(
                "C4",
                "Existing packages, with the implementation, model and settings used",
                &[Software],
            ),
        ],
    },
    Section {
        heading: "D. People who annotated or took part",
        questions: &[
            ask("D1", "The full text of what they were told", &[]),
            ask("D2", "How they were found and paid", &[]),
            ask("D3", "Their consent to the use of the data", &[]),
            ask("D4", "The decision of an ethics review board", &[]),
            ask(
                "D5",
                "Who they were, demographically and geographically",
                &[],
            ),
        ],
    },
    Section {
        heading: "E. Generative tools",
        questions: &[ask(
            "E1",
            "Is their use in research, coding or writing described?",
            &[],
        )],
    },
];

const NEURIPS: &[Section] = &[Section {
    heading: "Every submission",
    questions: &[
        ask(
            "1",
            "Claims: do abstract and introduction say what was shown, and how far it reaches?",
            &[Selection],
        ),
        ask("2", "Limitations: are they discussed?", &[Limits]),
        ask(
            "3",
            "Theory: are assumptions complete and proofs correct?",
            &[],
        ),
        ask(
            "4",
            "Reproducibility: is all said that is needed to reproduce the main results?",
            &[Selection, Repeating],
        ),
        ask(
            "5",
            "Open access: can data and code be had, with instructions?",
            &[Code, Data],
        ),
        ask(
            "6",
            "Experimental setting: splits, hyperparameters and how they were chosen",
            &[Splits, SearchMethod, SearchBounds, BestSettings],
        ),
        ask(
            "7",
            "Statistical significance: are there error bars, and is it said what they are of?",
            &[Statistics, Selection],
        ),
        ask(
            "8",
            "Compute: the kind of machines, time and memory of each experiment and of all together",
            &[Infrastructure, Runtime, Budget],
        ),
        ask("9", "Code of ethics: does the work conform?", &[]),
        ask(
            "10",
            "Broader impacts: are good and bad ones discussed?",
            &[],
        ),
        ask(
            "11",
            "Safeguards: are there any against misuse of what is released?",
            &[],
        ),
        ask(
            "12",
            "Licences: are makers credited and terms respected?",
            &[],
        ),
        ask("13", "New assets: are they documented?", &[]),
        ask("14", "Crowdsourcing and people: instructions and pay", &[]),
        ask("15", "Review board: risks to people, and approval", &[]),
        ask(
            "16",
            "Language models: is their use described where it is part of the method?",
            &[],
        ),
    ],
}];
