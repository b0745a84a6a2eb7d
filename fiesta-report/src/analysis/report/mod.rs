//! Report of results: one page that says what was found, with every figure and table for a paper
//! and the checklists of conferences.
//!
//! [`ReportInput`] are results, of a study or of a file; [`WrittenReport::new`] computes all that
//! is said of them; [`WrittenReport::write`] writes the files.

mod answer;
mod belief;
mod checklist;
mod curves;
mod evaluations;
mod evidence;
mod figures;
mod measures;
mod notes;
mod page;
mod places;
mod pool;
mod search;
mod simulated;
mod tables;
mod verdict;
mod write;

pub use figures::Picture;
pub use tables::Sheet;
pub use write::ReportFiles;
pub(super) use {
    answer::{NOT_OVER, of_lost},
    verdict::verdict_now,
};

use super::{
    AnalysisError,
    belief::{MeasuresReport, MeasuresRequest},
    study::StudyFacts,
};
use crate::{checklist::Facts, html::Report, tuning_curve::Failed};
use evaluations::ReportedEvaluations;
use evidence::Evidence;
use fiesta_core::{Direction, Target};
use fiesta_records::Evaluations;
use pool::PoolEvidence;

/// Results that a report is about.
#[derive(Debug, Clone)]
pub struct ReportInput {
    /// Heading where there is no study with a name: what was studied.
    pub title: String,
    /// Source of the results, as the page names it.
    pub source: String,
    /// The evaluations, with failures and all columns; of a study, its [`StudyFacts`] come first.
    pub records: Evaluations,
    /// Name of the score, for people.
    pub metric: String,
    /// Direction in which scores are better.
    pub direction: Direction,
    /// The smallest and the largest possible score.
    pub bounds: Option<(f64, f64)>,
    /// Whether evaluations without a study are certainly trials of a search for hyperparameters, so
    /// that arms are compared by the best of many and not by their means.
    pub of_search: bool,
    /// Study that made the results, with its [background](super::study::StudyBackground).
    pub study: Option<StudyFacts>,
    /// Notices on the results beside what follows from them, a sentence each.
    pub notices: Vec<String>,
}

impl ReportInput {
    /// Returns the smallest and the largest possible score; of a study those of its metric.
    fn bounds(&self) -> Option<(f64, f64)> {
        let study = self.study.as_ref();
        study.map_or(self.bounds, |study| study.metric.bounds())
    }
}

/// Options of a report.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportOptions {
    /// Day on which the report is made, as the page names it.
    pub date: String,
    /// The confidence of intervals and tests.
    pub confidence: f64,
    /// Treatment of failed evaluations: what each counts as.
    pub failed: Failed,
    /// Scores reported elsewhere, by name, drawn beside the tuning curves.
    pub reported: Vec<(String, f64)>,
    /// The posterior of scores from a file; a study has its own.
    pub posterior: Option<String>,
    /// A column whose values are strata: scores are compared and drawn again within them; in a pool
    /// of items they are groups, by which results are shown as well.
    pub strata: Option<String>,
    /// Number of items of the pool, where a file with items holds only part of it.
    pub pool_size: Option<u64>,
    /// Target of the verdict on a file: which items of a pool it is of. A study has its own.
    pub target: Target,
    /// Whether to simulate how many more answers or evaluations would settle the question.
    pub outlook: bool,
    /// Question about measures beside the score.
    pub measures: MeasuresRequest,
    /// How often scores are replayed under each of three policies, if at all.
    pub replays: Option<u64>,
    /// Number of bootstrap resamples; of very many scores fewer are drawn.
    pub resamples: u32,
    /// Number of draws of the posterior `paired` for a file. Its standard error falls with more draws.
    pub draws: Option<u64>,
    /// The seed of resamples and replays.
    pub seed: u64,
}

impl ReportOptions {
    /// Returns the column whose values are the groups of scores. In a pool strata are groups of
    /// items.
    fn strata(&self, is_pool: bool) -> Option<&str> {
        self.strata.as_deref().filter(|_| !is_pool)
    }
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            date: String::new(),
            confidence: 0.95,
            failed: Failed::Drop,
            reported: Vec::new(),
            posterior: None,
            strata: None,
            pool_size: None,
            target: Target::TheseItems,
            outlook: false,
            measures: MeasuresRequest::default(),
            replays: None,
            resamples: 2_000,
            draws: None,
            seed: 0,
        }
    }
}

/// Contents of a report, before it is in files.
///
/// # Example
/// ```
/// use fiesta_core::Direction;
/// use fiesta_report::analysis::report::{ReportInput, ReportOptions, WrittenReport};
/// use fiesta_records::{Format, Reading, read_from};
/// let file = "arm,split,score\na,0,0.7\na,1,0.8\na,2,0.75\nb,0,0.6\nb,1,0.72\nb,2,0.66\n";
/// let options = Reading { keep_failures: true, keep_columns: true, ..Reading::default() };
/// let records = read_from(file.as_bytes(), Some(Format::Csv), &options, "scores.csv")?;
/// let report = WrittenReport::new(
///     &ReportInput {
///         title: "scores".to_owned(),
///         source: "scores.csv".to_owned(),
///         metric: records.metric().to_owned(),
///         records,
///         direction: Direction::Maximize,
///         bounds: Some((0.0, 1.0)),
///         of_search: false,
///         study: None,
///         notices: Vec::new(),
///     },
///     &ReportOptions::default(),
/// )?;
/// assert_eq!(report.page.answer.arm.as_deref(), Some("a"));
/// assert!(report.tables.iter().any(|table| table.file == "arms"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WrittenReport {
    /// Page of the report.
    pub page: Report,
    /// Figures of the report.
    pub figures: Vec<Picture>,
    /// Tables of the report.
    pub tables: Vec<Sheet>,
    /// Answer about measures beside the score. `None` if it was not asked for.
    pub measures: Option<MeasuresReport>,
    /// Facts that checklists ask for.
    pub(crate) facts: Facts,
    /// Whether evaluations are trials of hyperparameters, of which checklists ask more.
    pub has_trials: bool,
}

impl WrittenReport {
    /// Computes the report of some results.
    ///
    /// # Errors
    /// [`AnalysisError`] if an option contradicts the results, an evaluation failed and `failed`
    /// makes that an error, or an analysis is refused.
    pub fn new(input: &ReportInput, options: &ReportOptions) -> Result<Self, AnalysisError> {
        let mut evaluations = ReportedEvaluations::new(input, None, options.failed)?;
        let pool = PoolEvidence::new(input, options, &evaluations)?;
        if let Some(strata) = options.strata(pool.is_some()) {
            evaluations = ReportedEvaluations::new(input, Some(strata), options.failed)?;
        }
        let evidence = Evidence::new(input, options, &evaluations, pool)?;
        page::write(&evidence)
    }
}
