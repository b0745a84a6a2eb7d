//! Results of a study on the command line, from its file and its ledger.

use super::{Results, ResultsArguments, Said};
use crate::{exit::Failure, study_argument::read_study};
use fiesta::{
    Metric,
    import::TextPlaces,
    report::analysis::study::StudyFacts,
    runner::{
        History, Study,
        status::{cost_unit, current, report_facts},
    },
};

/// A study, and its history from its ledger.
pub(crate) struct Recorded {
    study: Study,
    history: History,
}

impl Recorded {
    pub(crate) fn metric(&self) -> &Metric {
        self.study.metric()
    }

    /// Returns whether all entries of the ledger can be read.
    pub(crate) fn is_whole(&self) -> bool {
        self.history.damage.is_empty()
    }

    /// Returns the facts about the study for a report.
    pub(crate) fn facts(&self) -> Result<StudyFacts, Failure> {
        Ok(report_facts(&self.study, &self.history)?)
    }
}

impl ResultsArguments {
    /// Returns the results of the named study, from its ledger.
    pub(crate) fn of_study(&self) -> Result<Results, Failure> {
        let study = read_study(&self.results)?;
        self.agrees_with(&study)?;
        let history = current(&study)?;
        let records = history.rows(&study)?;
        let unit = cost_unit(&study, &history);
        Ok(Results {
            records,
            metric: study.metric().name().to_owned(),
            direction: study.metric().direction(),
            undirected: None,
            texts: TextPlaces::default(),
            said: Said {
                notices: history.left_out(unit.as_ref()),
                ..Said::default()
            },
            study: Some(Box::new(Recorded { study, history })),
            is_foreign: false,
            of_search: false,
        })
    }

    /// Refuses flags that contradict the study file.
    pub(crate) fn agrees_with(&self, study: &Study) -> Result<(), Failure> {
        let metric = study.metric();
        let given = self.reading.scores.metric.as_deref().map(str::trim);
        if let Some(other) = given.filter(|other| *other != metric.name()) {
            return Err(Failure::Usage(format!(
                "the metric of this study is {}, not {other}: leave --metric out; for other keys of its results, `fiesta export` them to \
                 a file first",
                metric.name()
            )));
        }
        let direction = metric.direction();
        if self
            .reading
            .asked_direction()
            .is_some_and(|asked| asked != direction)
        {
            return Err(Failure::Usage(format!(
                "this study is to {} {}: leave --direction and --minimize out",
                direction,
                metric.name()
            )));
        }
        self.reading
            .scores
            .refuse_paired_rows("a study knows the split of every evaluation")?;
        if self.reading.scores.bounds.is_some() {
            return Err(Failure::Usage(
                "bounds of a study's metric stand in its file: leave --bounds out".to_owned(),
            ));
        }
        Ok(())
    }
}
