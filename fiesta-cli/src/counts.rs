//! Files of confusion counts on the command line.

use super::{
    exit::Failure,
    results::source,
    scores::{OF_COUNTS, ScoresArguments},
};
use fiesta::{
    FBeta,
    import::{plain_path, read_unpacked, unpacked},
    posterior::{
        self,
        f_measure::{self, Concentration, Prior},
    },
    records::{
        Format, Missing, Reading, RecordsError, RowProblem, gold, read_counts_from,
        told_of_references,
    },
    report::{
        analysis::{CountsOfArms, CountsTarget, belief::CountsModel},
        tuning_curve::Failed,
    },
};
use std::path::Path;

/// Returns the error of a file in which a document failed, without the choices that there are for scores.
fn without_counts(error: RecordsError) -> Failure {
    match error {
        RecordsError::Row {
            file,
            line,
            problem: RowProblem::Failed(status),
            ..
        } => Failure::Usage(format!(
            "{file}:{line}: the evaluation failed (status `{status}`), and its counts are not known: remove the row, or give the counts that a failure deserves"
        )),
        error => error.into(),
    }
}

/// Arguments about confusion counts: how they are read, and the posterior of the F-measure.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct CountsArguments {
    /// The file holds confusion counts of documents: columns arm, document, tp, fp, fn and, if
    /// there are any, tn
    #[arg(id = "counts_file", long = "counts", group = "counts", conflicts_with_all = ["metric", "minimize", "bounds", "gold"])]
    counts: bool,
    /// With --gold: the label that is to be found. The arms are compared by the F-measure of finding
    /// it, and each row is a document with one item
    #[arg(long, value_name = "LABEL", group = "counts", requires = "gold", conflicts_with_all = ["metric", "minimize", "bounds"])]
    positive: Option<String>,
    /// How much documents differ: learned of each arm by itself, shared (learned of all together),
    /// or a number (default: learned)
    #[arg(long, value_name = "VALUE|learned|shared")]
    alpha: Option<Concentration>,
    /// The weight of the prior of TP, FP, TN and FN, in items (default: 1)
    #[arg(long, value_name = "ALPHA0", value_parser = alpha0)]
    alpha0: Option<f64>,
    /// The shares of TP, FP, TN and FN that are expected before any document: four numbers above 0,
    /// which are divided by their sum (default: all alike)
    #[arg(long, value_name = "TP,FP,TN,FN", value_parser = theta0)]
    theta0: Option<[f64; 4]>,
    /// How many times as much as precision recall counts in the F-measure (default: 1)
    #[arg(long, value_name = "B", value_parser = f_beta)]
    f_beta: Option<FBeta>,
    /// Weight of precision in the harmonic mean 1/(W/precision + (1 − W)/recall), in place of
    /// --f-beta √((1 − W)/W): the beta of Haffari et al. (EACL 2017), without the factor 2
    /// of their F (default: 0.5)
    #[arg(long, value_name = "W", conflicts_with = "f_beta", value_parser = precision_weight)]
    precision_weight: Option<FBeta>,
}

fn f_beta(text: &str) -> Result<FBeta, String> {
    FBeta::new(number(text)?).map_err(|error| error.to_string())
}

fn precision_weight(text: &str) -> Result<FBeta, String> {
    FBeta::from_weight(number(text)?).map_err(|error| error.to_string())
}

fn alpha0(text: &str) -> Result<f64, String> {
    let alpha0 = number(text)?;
    // Its own message speaks of four shapes, of which nobody here has heard.
    Prior::uniform(alpha0)
        .map(|_| alpha0)
        .map_err(|_| "give a number between 0.004 and 4000000".to_owned())
}

fn theta0(text: &str) -> Result<[f64; 4], String> {
    let shares: Result<Vec<f64>, _> = text.split(',').map(|share| share.trim().parse()).collect();
    let shares = shares.ok().and_then(|shares| shares.try_into().ok());
    shares.ok_or_else(|| {
        "give four numbers, those of TP, FP, TN and FN, for example 0.4,0.1,0.4,0.1".to_owned()
    })
}

fn number(text: &str) -> Result<f64, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is not a number"))
}

impl CountsArguments {
    /// Returns whether the file holds confusion counts, or predictions that are counted.
    pub(super) fn are_counts(&self) -> bool {
        self.counts || self.positive.is_some()
    }

    /// Refuses flags about counts if the file holds scores. (clap accepts an argument whose
    /// `requires` conflicts with a third argument.)
    pub(super) fn refuse_without_counts(&self, further: &[(&str, bool)]) -> Result<(), Failure> {
        let given = [
            ("alpha", self.alpha.is_some()),
            ("alpha0", self.alpha0.is_some()),
            ("theta0", self.theta0.is_some()),
            ("f-beta", self.f_beta.is_some()),
            ("precision-weight", self.precision_weight.is_some()),
        ];
        match given.iter().chain(further).find(|(_, given)| *given) {
            Some((flag, _)) if !self.are_counts() => Err(Failure::Usage(format!(
                "--{flag} is about confusion counts: give a file of them with --counts, or predictions with --gold and --positive, or leave --{flag} out"
            ))),
            _ => Ok(()),
        }
    }

    /// Returns the quantity that the posterior with this name is about; by default the pooled F-measure.
    pub(super) fn target(
        &self,
        posterior: Option<&str>,
        arms: usize,
    ) -> Result<CountsTarget, Failure> {
        let name = posterior.unwrap_or(f_measure::NAME);
        if name == f_measure::NAME {
            return Ok(CountsTarget::Pooled);
        }
        if self.positive.is_some() {
            return Err(Failure::Usage(format!(
                "with --positive every document is one item, whose own F-measure says nothing: leave --posterior {name} out"
            )));
        }
        posterior::posterior_by_name(name, arms)
            .map_err(|error| Failure::Usage(format!("{error} or {}", f_measure::NAME)))?;
        let given = [
            ("alpha", self.alpha.is_some()),
            ("alpha0", self.alpha0.is_some()),
            ("theta0", self.theta0.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(Failure::Usage(format!(
                "the posterior {name} takes no --{flag}; {} does",
                f_measure::NAME
            ))),
            None => Ok(CountsTarget::Mean(name.to_owned())),
        }
    }

    /// Returns the model of how the counts of documents vary.
    pub(super) fn model(&self) -> Result<CountsModel, Failure> {
        let default = Prior::default();
        let shares = self.theta0.unwrap_or(default.theta0());
        let prior = Prior::expecting(shares, self.alpha0.unwrap_or(default.alpha0()));
        Ok(CountsModel {
            concentration: self.alpha.unwrap_or_default(),
            prior: prior.map_err(|error| Failure::Usage(format!("--theta0: {error}")))?,
        })
    }

    /// Returns the counts of the arms that were asked for, or of all arms, and notices about the
    /// file.
    pub(super) fn read(
        &self,
        file: &Path,
        scores: &ScoresArguments,
    ) -> Result<(CountsOfArms, Vec<String>), Failure> {
        scores.refuse_paired_rows(OF_COUNTS)?;
        let (name, is_piped) = (source(file), file == Path::new("-"));
        let bytes = if is_piped {
            unpacked(std::io::stdin())
        } else {
            read_unpacked(file)
        };
        let bytes = bytes.map_err(RecordsError::unread(&name))?;
        let format = Format::of_path(plain_path(file));
        let (records, mut notices) = match &self.positive {
            None => {
                scores.refuse_columns(OF_COUNTS)?;
                let read = read_counts_from(&bytes[..], format, &name);
                (read.map_err(without_counts)?, Vec::new())
            }
            Some(positive) => {
                let missing = match scores.failed {
                    Some(Failed::Drop) => Some(Missing::Drop),
                    Some(Failed::Worst) => Some(Missing::Fail),
                    _ => None,
                };
                let options = Reading {
                    missing,
                    ..scores.reading(false)?
                };
                gold::counts(&bytes, format, &options, positive, &name)?
            }
        };
        let f_beta = self.f_beta.or(self.precision_weight).unwrap_or_default();
        let source = file.display().to_string();
        let counts = CountsOfArms::new(&records, &scores.arms, f_beta, source)?;
        notices.extend(told_of_references(counts.arms.names()));
        Ok((counts, notices))
    }
}
