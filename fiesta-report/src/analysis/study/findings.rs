//! Findings of a study as it stands: the numbers that its sentence, tables, JSON and report share.

use super::{StudyFacts, search};
use crate::{
    ArmCount, ArmRow, ArmTable, BestTrial, MeanOverPool, Percentages, Table, TieWords,
    analysis::{best_of_n, decisive::DecisiveFailures},
    summary::{Sample, Tie},
    wrapped,
};
use fiesta_core::{ArmId, Counts, Direction, Marginal, Reason};
use std::collections::BTreeSet;

/// The P(best) from which an arm is not called tied, where nobody asked for a confidence.
const CONFIDENCE: f64 = 0.95;

/// Findings of a study now. Everything that has ended is counted, also what ended after the
/// decision: the decision's own numbers are those of its conclusion, and are named beside these
/// where they differ.
#[derive(Debug, Clone)]
pub struct StudyFindings<'a> {
    pub(super) facts: &'a StudyFacts,
    arms: ArmTable,
    percentages: Percentages,
    splits: usize,
    recommended: Option<ArmId>,
    tied: Vec<usize>,
    tie_words: Option<TieWords>,
    pub(super) failures: Option<DecisiveFailures>,
}

/// Verdict of a study that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum StudyVerdict {
    /// The study found the arm that was asked for: the best, one that is good enough, or the cheapest of these.
    Best,
    /// The study found arms that cannot be told apart.
    Tied,
    /// The study is a gate, and its arms are shown to ship or to be blocked.
    Decided,
    /// The study found no best arm and no tie: a limit or the end of a schedule came first, or what
    /// failed may decide.
    Open,
}

impl<'a> StudyFindings<'a> {
    /// Derives the findings from these facts.
    pub fn new(facts: &'a StudyFacts) -> Self {
        let splits = facts.observed().map(|(e, _)| match facts.splits {
            Some(count) if facts.uses_splits_again => e.case.split % count.max(1),
            _ => e.case.split,
        });
        let splits: BTreeSet<u64> = splits.collect();
        let arms = arms(facts);
        let recommended = recommended(facts);
        let mut findings = Self {
            facts,
            percentages: arms.percentages(),
            splits: splits.len(),
            recommended,
            arms,
            tied: Vec::new(),
            tie_words: None,
            failures: facts.decisive_failures(),
        };
        if let Some((tied, words)) = findings.find_tie() {
            findings.arms.mark_tied(&tied);
            (findings.tied, findings.tie_words) = (tied, Some(words));
        }
        findings.arms.recommended = recommended.map(ArmId::index);
        findings
    }

    /// Finds the arms that are tied for the best, and the words for it: those of the conclusion, or
    /// else those between which no evaluation makes a difference.
    fn find_tie(&self) -> Option<(Vec<usize>, TieWords)> {
        let facts = self.facts;
        if facts.top > 1 {
            return None;
        }
        let belief = facts.belief.as_ref().map(|_| &self.percentages);
        let reason = facts
            .conclusion
            .as_ref()
            .map(|conclusion| &conclusion.reason);
        if let Some(Reason::Tied {
            level,
            tolerance,
            arms,
        }) = reason
        {
            let arms: Vec<usize> = arms.iter().map(|arm| arm.index()).collect();
            let words = TieWords::within(*tolerance, *level, &arms, &facts.names(), belief);
            return Some((arms, words));
        }
        let tie = self.tie_with(self.recommended?)?;
        let words = TieWords::new(&tie, &facts.names(), belief);
        Some((tie.arms, words))
    }

    /// Finds the arms that are tied with this one, if the posterior does not tell it from them.
    fn tie_with(&self, arm: ArmId) -> Option<Tie> {
        let facts = self.facts;
        if facts.search.is_some() {
            return None;
        }
        let arms = facts.arms.iter().zip(facts.scores());
        let samples = arms.map(|(arm, scores)| {
            let sample = Sample::grouped(scores).ok();
            sample.filter(|_| !arm.retired)
        });
        let samples: Vec<Option<Sample>> = samples.collect();
        let confidence = facts.confidence.unwrap_or(CONFIDENCE);
        let tie = match &facts.belief {
            Some(belief) => {
                let p = &belief.probability;
                Tie::unless_told_apart(&samples, arm.index(), p, confidence)?
            }
            None => Tie::with(&samples, arm.index())?,
        };
        // Documents with equal F-measures may have other counts, and these another F-measure
        // together.
        let value = |place: usize| self.arms.value(place);
        let is_equal = |&place: &usize| value(place) == value(arm.index());
        let of_counts = facts.pooled_f().is_some();
        (!of_counts || tie.arms.iter().all(is_equal)).then_some(tie)
    }

    /// Returns the facts that the findings follow from.
    pub fn facts(&self) -> &'a StudyFacts {
        self.facts
    }

    /// Returns the arm that the study recommends, or that leads while it has not ended; none if
    /// nothing is known.
    pub fn recommended(&self) -> Option<ArmId> {
        self.recommended
    }

    /// Returns how many arms were compared to the end, K: all but those retired for failing and
    /// those without a score, unless that left only one.
    pub fn compared(&self) -> usize {
        let all = self.facts.arms.len();
        let conclusion = self.facts.conclusion.as_ref();
        let only = conclusion.is_some_and(|ended| ended.reason == Reason::OnlyCandidate);
        if only {
            all
        } else {
            all - self.retired().len() - self.unscored().len()
        }
    }

    /// Returns how many arms were compared to the end, and how many arms there are.
    pub(crate) fn arm_count(&self) -> ArmCount {
        ArmCount {
            compared: self.compared(),
            all: self.facts.arms.len(),
        }
    }

    /// Returns the arms that have no score at the end and were not retired. Empty before the end.
    pub(crate) fn unscored(&self) -> Vec<&'a str> {
        let has_ended = self.facts.conclusion.is_some();
        let arms = self.facts.arms.iter().zip(&self.arms.arms);
        let unscored =
            arms.filter(|(arm, row)| has_ended && !arm.retired && row.scores.count() == 0);
        unscored.map(|(arm, _)| arm.name.as_str()).collect()
    }

    /// Returns the arms that were retired for failing.
    pub fn retired(&self) -> Vec<&'a str> {
        let retired = self.facts.arms.iter().filter(|arm| arm.retired);
        retired.map(|arm| arm.name.as_str()).collect()
    }

    /// Returns how many different splits, or documents, have an observation.
    pub fn splits_used(&self) -> usize {
        self.splits
    }

    /// The places of the arms that are tied for the best; none if there is no tie.
    pub fn tied(&self) -> &[usize] {
        &self.tied
    }

    /// Returns the tie in words, if there is one.
    pub fn tie_words(&self) -> Option<&TieWords> {
        self.tie_words.as_ref()
    }

    /// Tells what was found; [`StudyVerdict::Open`] before the end, and where
    /// [failures may decide](Self::failures_may_decide).
    pub fn verdict(&self) -> StudyVerdict {
        let reason = self.facts.conclusion.as_ref().map(|ended| &ended.reason);
        match reason {
            _ if self.failures_may_decide() => StudyVerdict::Open,
            Some(Reason::Tied { .. }) => StudyVerdict::Tied,
            Some(Reason::Gate { .. }) => StudyVerdict::Decided,
            Some(
                Reason::PosteriorProbability { .. }
                | Reason::Top { .. }
                | Reason::Tolerance { .. }
                | Reason::CheapestWithin { .. }
                | Reason::Shortfall { .. }
                | Reason::AnytimeValid { .. }
                | Reason::OnlyCandidate,
            ) => StudyVerdict::Best,
            _ => StudyVerdict::Open,
        }
    }

    /// Returns the rows of the arms, and what they are compared by.
    pub fn arms(&self) -> &ArmTable {
        &self.arms
    }

    /// Returns P(best) of an arm as tables print it; none while too little is known.
    pub fn probability_of(&self, arm: ArmId) -> Option<String> {
        self.arms.arms[arm.index()].probability_best?;
        Some(self.percentages.of(arm.index()))
    }

    /// Returns how many evaluations ended after the decision.
    pub fn late(&self) -> u64 {
        let conclusion = self.facts.conclusion.as_ref();
        // Fewer are known where a ledger is damaged.
        conclusion.map_or(0, |conclusion| {
            self.facts.ended.saturating_sub(conclusion.evaluations)
        })
    }

    /// The arm that is most probably best now with its P(best), if evaluations that ended after the
    /// decision made it another one.
    pub(crate) fn overtaken_by(&self) -> Option<(&'a str, String)> {
        let (leader, _) = self.facts.belief.as_ref()?.leader();
        let seeks_best = self.facts.cheapest_within.is_none();
        let other = self.late() > 0 && Some(leader) != self.recommended && self.tied.is_empty();
        let p = (other && seeks_best).then(|| self.probability_of(leader));
        let p = p.flatten()?;
        Some((self.facts.name(leader), p))
    }

    /// Returns the table of the arms, whatever they are compared by.
    pub fn table(&self) -> Table {
        match self.facts.search {
            Some(_) => self.arms.best_trials(),
            None => self.arms.brief(),
        }
    }

    /// Says what the sentence's confidence means where the best two arms are close. `None` before
    /// the conclusion, and for a random search.
    pub fn meaning(&self) -> Option<String> {
        let conclusion = self.facts.conclusion.as_ref()?;
        let is_of_means = self.facts.is_known() && self.facts.search.is_none();
        is_of_means
            .then(|| self.facts.meaning(conclusion))
            .flatten()
    }

    /// Returns what `fiesta run` prints of a study that has ended: the table of the arms, of a
    /// random search which arm is the best of n, how much answers vary, the sentence to quote and
    /// what it means.
    pub fn text(&self) -> String {
        self.text_within(usize::MAX)
    }

    /// Returns the text for lines of `width` characters: tables leave columns out, sentences are
    /// broken between words.
    pub fn text_within(&self, width: usize) -> String {
        let best_of_n = self
            .best_of_n(best_of_n::CONFIDENCE)
            .map(|report| report.text_within(width));
        let paragraphs = best_of_n.into_iter().chain(self.facts.variation());
        let lines = [self.table().text_within(width)].into_iter();
        let lines = lines.chain(paragraphs.map(|paragraph| format!("{paragraph}\n")));
        let lines = lines
            .chain(self.sentence())
            .chain(self.method())
            .chain(self.meaning());
        wrapped(&lines.collect::<Vec<_>>().join("\n"), width)
    }
}

/// Returns the arm that a study recommends: of a random search that with the best score, else that
/// of the conclusion; before it, the leader.
fn recommended(facts: &StudyFacts) -> Option<ArmId> {
    if facts.search.is_some() {
        return Some(search::leader(facts)?.0);
    }
    if !facts.is_known() {
        return None;
    }
    match (&facts.conclusion, &facts.belief) {
        (Some(conclusion), _) => Some(conclusion.arm),
        (None, Some(belief)) => Some(belief.leader().0),
        (None, None) => facts.empirical_best,
    }
}

/// Returns a mean over the pool as reported.
fn mean_over_pool((known, share): (Marginal, f64), direction: Direction) -> MeanOverPool {
    MeanOverPool {
        mean: direction.orient(known.location),
        // What is known has the least scale that there is.
        standard_error: if known.scale > f64::MIN_POSITIVE {
            known.scale
        } else {
            0.0
        },
        share,
        like_these: None,
    }
}

/// Returns the table of the arms of a study, with a row for each.
fn arms(facts: &StudyFacts) -> ArmTable {
    let mut counts = vec![facts.f_beta.map(|_| Counts::default()); facts.arms.len()];
    for (evaluation, observed) in facts.observed() {
        if let (Some(sum), Some(counted)) = (&mut counts[evaluation.arm.index()], observed.counts())
        {
            *sum = *sum + counted;
        }
    }
    let scores = facts.scores().into_iter();
    let scores = scores.map(|scores| scores.into_iter().map(|(_, score)| score).collect());
    let arms = ArmId::all(facts.arms.len()).zip(&facts.arms);
    let rows = arms.zip(scores).zip(counts);
    let rows = rows.map(
        |(((arm, of_arm), scores), counts): (_, Option<Counts>)| ArmRow {
            failed: of_arm.failed,
            probability_best: facts.belief.as_ref().map(|belief| belief.of(arm)),
            cost: Some(of_arm.cost),
            retired: of_arm.retired,
            of_pool: of_arm
                .of_pool
                .map(|known| mean_over_pool(known, facts.metric.direction())),
            counts,
            best_trial: facts.best_trial(arm).map(|(trial, score)| BestTrial {
                score,
                setting: trial.setting.to_string(),
            }),
            ..ArmRow::new(&of_arm.name, scores)
        },
    );
    let (metric, rows) = (&facts.metric, rows.collect());
    ArmTable {
        f_beta: facts.pooled_f(),
        top: facts.top,
        cost_unit: facts.cost_unit.clone(),
        ..ArmTable::new(metric.name(), metric.direction(), rows)
    }
}
