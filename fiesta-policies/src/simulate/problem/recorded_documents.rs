//! Recorded confusion counts of documents as a problem.

use super::{Observations, Problem, standardise};
use fiesta_core::{
    ArmId, Arms, ArmsError, Case, Counts, Design, FBeta, Moments, Observation, Streams,
};
use std::collections::HashMap;

/// Recorded confusion counts, replayed without replacement; the best arm is the one with the
/// highest F_b of all its recorded counts together.
///
/// The recorded documents are the collection: in each run an arm's k-th evaluation queries the k-th
/// of them in that run's random order, no document twice. [`design`](Self::design) is the design of
/// that, under which alone they can be replayed.
///
/// # Example
/// ```
/// use fiesta_core::{ArmId, Counts, FBeta};
/// use fiesta_policies::simulate::{Problem, RecordedDocuments};
/// let of = |cells: [[u64; 4]; 2]| {
///     ["news", "mail"].iter().zip(cells).map(|(name, cells)| (name.to_string(), Counts::from_cells(cells))).collect()
/// };
/// let arms = [
///     ("long".to_owned(), of([[90, 10, 0, 9], [1, 5, 0, 4]])),
///     ("short".to_owned(), of([[60, 20, 0, 39], [5, 0, 0, 0]])),
/// ];
/// let recorded = RecordedDocuments::new(arms, FBeta::F1)?;
/// assert!(recorded.is_best(ArmId::new(0)));
/// # Ok::<(), fiesta_policies::simulate::RecordedDocumentsError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RecordedDocuments {
    arms: Arms,
    f_beta: FBeta,
    /// Of each arm, the counts of every document.
    counts: Vec<Vec<Counts>>,
    f: Vec<f64>,
    best: f64,
    /// Of each arm, the F-measures of the documents.
    moments: Vec<Moments>,
}

/// Why recorded documents cannot be replayed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordedDocumentsError {
    /// There are fewer than two arms, or a name is used twice.
    #[error(transparent)]
    Arms(#[from] ArmsError),
    /// An arm lacks a document.
    #[error(
        "a replay needs counts of every arm on every document, and `{arm}` has none on `{document}`: add them, or leave the arm or \
         the document out"
    )]
    Hole {
        /// The arm without counts.
        arm: String,
        /// The first document that lacks them.
        document: String,
    },
    /// An arm has a document twice.
    #[error("`{arm}` has counts on `{document}` twice: keep one of the two")]
    Twice {
        /// The arm.
        arm: String,
        /// The document.
        document: String,
    },
    /// An arm's F-measure is not defined.
    #[error(
        "there are no positives anywhere in the counts of `{0}` (TP + FP + FN = 0): its F is not defined, and nobody can say which arm \
         is best; leave the arm out, or add documents with something to find"
    )]
    NoPositives(String),
}

impl RecordedDocuments {
    /// The recorded counts of each arm, with the names of their documents.
    ///
    /// # Errors
    /// [`RecordedDocumentsError`] for fewer than two arms, an arm that lacks a document that
    /// another has or has one twice, or one whose F is not defined.
    pub fn new(
        arms: impl IntoIterator<Item = (String, Vec<(String, Counts)>)>,
        f_beta: FBeta,
    ) -> Result<Self, RecordedDocumentsError> {
        let (names, records): (Vec<String>, Vec<Vec<(String, Counts)>>) = arms.into_iter().unzip();
        let arms = Arms::new(names)?;
        let counts = grid(&arms, &records)?;
        let mut f = Vec::with_capacity(arms.len());
        for (name, counts) in arms.names().iter().zip(&counts) {
            let of_all = f_beta.of_counts(&counts.iter().copied().sum());
            f.push(of_all.ok_or_else(|| RecordedDocumentsError::NoPositives(name.clone()))?);
        }
        let scores = |counts: &Vec<Counts>| counts.iter().map(|&c| score(c, f_beta)).collect();
        Ok(Self {
            moments: counts.iter().map(scores).collect(),
            best: f.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            arms,
            f_beta,
            counts,
            f,
        })
    }

    /// The number of documents.
    pub fn documents(&self) -> u64 {
        self.counts[0].len() as u64
    }

    /// The design under which they are replayed.
    pub fn design(&self) -> Design {
        Design::Items {
            count: self.documents(),
        }
    }
}

fn score(counts: Counts, f_beta: FBeta) -> f64 {
    Observation::Counts(counts).score(f_beta)
}

/// The counts of each arm on each document, the documents in the order of their first appearance.
fn grid(
    arms: &Arms,
    records: &[Vec<(String, Counts)>],
) -> Result<Vec<Vec<Counts>>, RecordedDocumentsError> {
    let mut names: Vec<&str> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (document, _) in records.iter().flatten() {
        numbers.entry(document).or_insert_with(|| {
            names.push(document);
            names.len() - 1
        });
    }
    let mut grid = Vec::with_capacity(records.len());
    for (arm, records) in arms.names().iter().zip(records) {
        let mut row = vec![None; names.len()];
        for (document, counts) in records {
            if row[numbers[document.as_str()]].replace(*counts).is_some() {
                let (arm, document) = (arm.clone(), document.clone());
                return Err(RecordedDocumentsError::Twice { arm, document });
            }
        }
        let hole = |document: &str| RecordedDocumentsError::Hole {
            arm: arm.clone(),
            document: document.to_owned(),
        };
        let full = row.into_iter().zip(&names);
        let full = full.map(|(counts, document)| counts.ok_or_else(|| hole(document)));
        grid.push(full.collect::<Result<Vec<Counts>, _>>()?);
    }
    Ok(grid)
}

impl Problem<Counts> for RecordedDocuments {
    fn arms(&self) -> &Arms {
        &self.arms
    }

    fn is_best(&self, arm: ArmId) -> bool {
        self.f[arm.index()] >= self.best
    }

    fn standardised(&self, arm: ArmId, counts: Counts) -> f64 {
        let moments = &self.moments[arm.index()];
        let sd = moments.standard_deviation().unwrap_or(0.0);
        standardise(score(counts, self.f_beta), moments.mean(), sd)
    }

    fn observations(
        &self,
        _design: Design,
        _streams: &Streams,
        _number: u64,
    ) -> Box<dyn Observations<Counts> + '_> {
        // What is random is the order of the documents, which is the design's.
        Box::new(Recalled(self))
    }
}

struct Recalled<'a>(&'a RecordedDocuments);

impl Observations<Counts> for Recalled<'_> {
    /// # Panics
    /// If the case is no document of the collection, under another design than that of the
    /// collection.
    fn observe(&mut self, arm: ArmId, case: Case) -> Counts {
        let document = usize::try_from(case.split).ok();
        *document
            .and_then(|document| self.0.counts[arm.index()].get(document))
            .expect("recorded documents are replayed under the design of their collection")
    }
}
