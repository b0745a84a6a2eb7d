//! Files of confusion counts on the command line.

use super::{exit::Failure, scores::unknown_arm};
use fiesta::{
    core::{ArmId, Arms, Counts, FBeta, Moments, Observation},
    posterior::{
        self, FMeasureArms,
        f_measure::{self, Concentration, Measure, Prior},
    },
    records::{self, CountRecord},
};
use std::path::Path;

/// How confusion counts are read and what is believed of them.
#[derive(Debug, clap::Args)]
pub(super) struct CountsArguments {
    /// The file holds confusion counts of documents: columns arm, document, tp, fp, fn and, if there are any, tn
    #[arg(long, conflicts_with_all = ["metric", "minimize", "bounds"])]
    pub(super) counts: bool,
    /// How much documents differ: learned of each arm by itself, shared (learned of all together), or a number (default: learned)
    #[arg(long, value_name = "VALUE|learned|shared")]
    alpha: Option<Concentration>,
    /// The weight of the uniform prior of TP, FP, TN and FN, in items (default: 1)
    #[arg(long, value_name = "ALPHA0", value_parser = prior)]
    alpha0: Option<Prior>,
    /// How many times as much as precision recall counts in the F-measure (default: 1)
    #[arg(long, value_name = "B", value_parser = f_beta)]
    f_beta: Option<FBeta>,
}

fn f_beta(text: &str) -> Result<FBeta, String> {
    FBeta::new(number(text)?).map_err(|error| error.to_string())
}

fn prior(text: &str) -> Result<Prior, String> {
    let alpha0 = number(text)?;
    // Its own message speaks of four shapes, of which nobody here has heard.
    Prior::uniform(alpha0).map_err(|_| "give a number between 0.004 and 4000000".to_owned())
}

fn number(text: &str) -> Result<f64, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is not a number"))
}

/// What is asked of the counts.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Target {
    /// The F-measure of all counts together.
    Pooled,
    /// The mean of the documents' F-measures, under a posterior of scores with this name.
    Mean(String),
}

impl CountsArguments {
    /// Refuses flags of counts where there are scores. (An argument that `requires` another is let pass where that other one
    /// conflicts with a third.)
    pub(super) fn refuse_without_counts(&self, further: &[(&str, bool)]) -> Result<(), Failure> {
        let given = [
            ("alpha", self.alpha.is_some()),
            ("alpha0", self.alpha0.is_some()),
            ("f-beta", self.f_beta.is_some()),
        ];
        match given.iter().chain(further).find(|(_, given)| *given) {
            Some((flag, _)) if !self.counts => Err(Failure::Usage(format!(
                "--{flag} is about confusion counts: give a file of them with --counts, or leave --{flag} out"
            ))),
            _ => Ok(()),
        }
    }

    /// The weight of recall.
    pub(super) fn f_beta(&self) -> FBeta {
        self.f_beta.unwrap_or_default()
    }

    /// What the posterior with this name is about; the default is the pooled F-measure.
    pub(super) fn target(&self, posterior: Option<&str>, arms: usize) -> Result<Target, Failure> {
        let name = posterior.unwrap_or(f_measure::NAME);
        if name == f_measure::NAME {
            return Ok(Target::Pooled);
        }
        posterior::by_name(name, arms)
            .map_err(|error| Failure::Usage(format!("{error} or {}", f_measure::NAME)))?;
        let given = [
            ("alpha", self.alpha.is_some()),
            ("alpha0", self.alpha0.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(Failure::Usage(format!(
                "the posterior {name} takes no --{flag}; {} does",
                f_measure::NAME
            ))),
            None => Ok(Target::Mean(name.to_owned())),
        }
    }

    /// The posterior of the pooled F-measure, before any observation.
    pub(super) fn posterior(&self, arms: usize) -> FMeasureArms {
        FMeasureArms::new(arms)
            .measure(Measure::F(self.f_beta()))
            .prior(self.alpha0.unwrap_or_default())
            .concentration(self.alpha.unwrap_or_default())
    }

    /// The F-measure's name, such as F1.
    pub(super) fn measure(&self) -> String {
        format!("F{}", self.f_beta().b())
    }

    /// What a posterior is about, in words.
    pub(super) fn words(&self, target: &Target) -> String {
        match target {
            Target::Pooled => format!("pooled {} of all counts", self.measure()),
            Target::Mean(_) => format!("mean of the documents' {}", self.measure()),
        }
    }

    /// Reads a file of counts; no `arms` are all of them.
    pub(super) fn read(&self, file: &Path, arms: &[String]) -> Result<Collection, Failure> {
        let table = if file == Path::new("-") {
            records::read_counts_from(std::io::stdin(), None, "standard input")?
        } else {
            records::read_counts(file)?
        };
        let names = if arms.is_empty() { table.arms() } else { arms };
        let by_arm = table.by_arm();
        let records = names.iter().map(|name| match table.find(name) {
            Some(arm) => Ok(by_arm[arm.index()].clone()),
            None => Err(unknown_arm(name, table.arms())),
        });
        let records = records.collect::<Result<_, _>>()?;
        Ok(Collection {
            arms: Arms::new(names.iter().cloned())?,
            documents: table.documents().to_vec(),
            records,
            f_beta: self.f_beta(),
        })
    }
}

/// Refuses the posterior of counts where there are scores.
pub(super) fn of_scores(posterior: Option<&str>) -> Result<&str, Failure> {
    let name = posterior.unwrap_or(posterior::DEFAULT);
    if name == f_measure::NAME {
        return Err(Failure::Usage(format!(
            "the posterior {name} learns from confusion counts: give a file of them with --counts, or leave --posterior out"
        )));
    }
    Ok(name)
}

/// Counts read from a file: the arms that were asked for, in that order.
pub(super) struct Collection {
    pub(super) arms: Arms,
    /// The names of all documents in the file.
    documents: Vec<String>,
    /// The records of each arm.
    pub(super) records: Vec<Vec<CountRecord>>,
    f_beta: FBeta,
}

impl Collection {
    /// The counts of every arm by its name, with the names of the documents.
    pub(super) fn named(&self) -> impl Iterator<Item = (String, Vec<(String, Counts)>)> + '_ {
        let document = |record: &CountRecord| {
            let place = usize::try_from(record.document).expect("it is among the names");
            (self.documents[place].clone(), record.counts)
        };
        let arms = self.arms.names().iter().zip(&self.records);
        arms.map(move |(name, records)| (name.clone(), records.iter().map(document).collect()))
    }

    /// The sum of an arm's counts.
    pub(super) fn sum(&self, arm: ArmId) -> Counts {
        let records = &self.records[arm.index()];
        records.iter().map(|record| record.counts).sum()
    }

    /// The F-measure of one document; 1 where nothing was to be found and nothing was.
    pub(super) fn score(&self, counts: Counts) -> f64 {
        Observation::Counts(counts).score(self.f_beta)
    }

    /// The F-measures of an arm's documents.
    pub(super) fn scores(&self, arm: ArmId) -> Moments {
        let records = self.records[arm.index()].iter();
        records.map(|record| self.score(record.counts)).collect()
    }

    /// The F-measure of the sum of an arm's counts; none without positives.
    pub(super) fn value(&self, arm: ArmId) -> Option<f64> {
        self.f_beta.of_counts(&self.sum(arm))
    }

    /// What should be known of the counts beside what follows from them.
    pub(super) fn notes(&self, target: &Target) -> Vec<String> {
        let all = || self.records.iter().flatten();
        let total = all().count();
        let mut notes = Vec::new();
        match target {
            Target::Pooled => {
                for arm in self.arms.ids().filter(|&arm| self.value(arm).is_none()) {
                    let name = self.arms.name(arm);
                    notes.push(format!(
                        "there are no positives anywhere in the counts of {name} (TP + FP + FN = 0): they say next to nothing of its F, which is mostly the prior's"
                    ));
                }
                let empty = all().filter(|record| record.counts.total() == 0).count();
                if empty > 0 {
                    notes.push(format!(
                        "{empty} of {total} evaluations have no counts at all: they tell nothing, and count as documents that were queried"
                    ));
                }
            }
            Target::Mean(_) => {
                let undefined =
                    |record: &&CountRecord| self.f_beta.of_counts(&record.counts).is_none();
                let undefined = all().filter(undefined).count();
                if undefined > 0 {
                    notes.push(format!(
                        "in {undefined} of {total} evaluations there was nothing to find and nothing was found: F counts as 1 there"
                    ));
                }
            }
        }
        notes
    }
}
