//! Stopping rules, and the end of a selection with its reason.

use crate::{ArmId, Evaluation, EvaluationId, Limit, Outcome, View};

/// Strength of a stopping rule's evidence between two arms, for rules on any kind of observation.
pub(crate) trait Evidence {
    fn between(&self, view: &View<'_>, leader: ArmId, arm: ArmId) -> Option<f64>;
    fn interval(&self, leader: ArmId, arm: ArmId) -> Option<(f64, f64)>;
    fn demand(&self, arm: ArmId, number: usize) -> Option<Demand>;
}

impl<O> Evidence for Box<dyn StoppingRule<O>> {
    fn between(&self, view: &View<'_>, leader: ArmId, arm: ArmId) -> Option<f64> {
        self.evidence(view, leader, arm)
    }

    fn interval(&self, leader: ArmId, arm: ArmId) -> Option<(f64, f64)> {
        (**self).interval(leader, arm)
    }

    fn demand(&self, arm: ArmId, number: usize) -> Option<Demand> {
        (**self).demand(arm, number)
    }
}

/// Standing of an arm in one of several demands of a stopping rule: on its score, or on a measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// Whether the demand is shown to be met, or shown not to be. `None` if neither is shown.
    pub is_met: Option<bool>,
    /// Number of evaluations that the test has counted.
    pub count: u64,
    /// Mean of what is demanded, over these evaluations. `None` without any.
    pub mean: Option<f64>,
    /// Interval of the mean, whose ends err as often as the verdict. `None` if nothing is excluded.
    pub interval: Option<(f64, f64)>,
}

/// Verdict of a stopping rule.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The study goes on.
    Continue,
    /// Stop and recommend this arm.
    Stop(ArmId, Reason),
}

/// Decides whether enough is known. What may be spent is no rule but a limit: see
/// [`Limits`](crate::Limits).
///
/// The rule is consulted before every decision, except inside a policy's round
/// ([`Policy::round_complete`](crate::Policy::round_complete)): a batch is looked at when it is
/// complete. It is also consulted about some of the candidates while the others are
/// [awaited](View::is_provisional), and while [evaluations run](View::awaits_outcomes): that it would
/// stop then ends nothing, and keeps others from being started.
///
/// Most rules need no more than the [`View`]. One that must see every outcome, in the order of an
/// arm's cases and not of their ends, also implements [`ended`](Self::ended); `O` is what is
/// observed, as of [`Observe`](crate::Observe).
pub trait StoppingRule<O = f64>: Send {
    /// Decides whether the selection stops now, and with which arm.
    fn check(&self, view: &View<'_>) -> Verdict;

    /// Notes that the `turn`-th evaluation of its arm (from 0) ended: with an observation or a
    /// failure, never withdrawn.
    ///
    /// An arm's turn that ended with a failure is made again once its arm was
    /// [reinstated](crate::Event::Reinstated), and then ends once more.
    fn ended(&mut self, evaluation: &Evaluation, turn: u64, outcome: &Outcome<O>) {
        let _ = (evaluation, turn, outcome);
    }

    /// Notes a further number of an evaluation, beside its score. It comes before
    /// [`ended`](Self::ended).
    fn measured(&mut self, id: EvaluationId, measure: usize, value: f64) {
        let _ = (id, measure, value);
    }

    /// Returns how an arm stands in one of the demands of this rule, of which 0 is that on its score.
    /// `None` if there is no such demand.
    fn demand(&self, arm: ArmId, number: usize) -> Option<Demand> {
        let _ = (arm, number);
        None
    }

    /// Returns the arm to evaluate in place of `chosen`, the policy's choice: one that lacks some of
    /// the evaluations without which this rule does not stop. `None` where more than evaluations is
    /// lacking, or `chosen` has too few of them itself.
    ///
    /// The [`Selector`](crate::Selector) makes that evaluation, whatever the policy, unless the
    /// policy [does not give way](crate::Policy::gives_way). Evaluations that are running count as
    /// made, so that none is asked for twice.
    fn lacking(&self, view: &View<'_>, chosen: ArmId) -> Option<ArmId> {
        let _ = (view, chosen);
        None
    }

    /// Returns how strong this rule's own evidence is that `leader` is better than `arm`, in nats,
    /// ∞ once it suffices. `None` if it tests no pairs. A policy may gather what is lacking
    /// ([`View::evidence`]).
    fn evidence(&self, view: &View<'_>, leader: ArmId, arm: ArmId) -> Option<f64> {
        let _ = (view, leader, arm);
        None
    }

    /// Returns the least and the greatest difference of the means of `leader` and `arm` that this
    /// rule's own test does not reject. `None` if the rule has no such interval.
    fn interval(&self, leader: ArmId, arm: ArmId) -> Option<(f64, f64)> {
        let _ = (leader, arm);
        None
    }

    /// Notes which arms are candidates, after one was retired for failing or came back. Only a rule
    /// that waits for the evaluations of every arm needs to know.
    fn candidates_changed(&mut self, candidates: &[ArmId]) {
        let _ = candidates;
    }

    /// Notes that the `turn`-th evaluation of an arm, which failed, will be made again. Only a rule
    /// that counts failures as scores needs to know.
    fn taken_back(&mut self, arm: ArmId, turn: u64) {
        let _ = (arm, turn);
    }
}

impl<O, R: StoppingRule<O> + ?Sized> StoppingRule<O> for Box<R> {
    fn check(&self, view: &View<'_>) -> Verdict {
        (**self).check(view)
    }

    fn ended(&mut self, evaluation: &Evaluation, turn: u64, outcome: &Outcome<O>) {
        (**self).ended(evaluation, turn, outcome);
    }

    fn measured(&mut self, id: EvaluationId, measure: usize, value: f64) {
        (**self).measured(id, measure, value);
    }

    fn demand(&self, arm: ArmId, number: usize) -> Option<Demand> {
        (**self).demand(arm, number)
    }

    fn lacking(&self, view: &View<'_>, chosen: ArmId) -> Option<ArmId> {
        (**self).lacking(view, chosen)
    }

    fn evidence(&self, view: &View<'_>, leader: ArmId, arm: ArmId) -> Option<f64> {
        (**self).evidence(view, leader, arm)
    }

    fn interval(&self, leader: ArmId, arm: ArmId) -> Option<(f64, f64)> {
        (**self).interval(leader, arm)
    }

    fn candidates_changed(&mut self, candidates: &[ArmId]) {
        (**self).candidates_changed(candidates);
    }

    fn taken_back(&mut self, arm: ArmId, turn: u64) {
        (**self).taken_back(arm, turn);
    }
}

/// List of stopping rules as one rule: it stops when the first of them stops; an empty list never stops.
impl<O, R: StoppingRule<O>> StoppingRule<O> for Vec<R> {
    fn ended(&mut self, evaluation: &Evaluation, turn: u64, outcome: &Outcome<O>) {
        for rule in self {
            rule.ended(evaluation, turn, outcome);
        }
    }

    fn measured(&mut self, id: EvaluationId, measure: usize, value: f64) {
        for rule in self {
            rule.measured(id, measure, value);
        }
    }

    /// Returns the standing of the first rule that has such a demand. `None` if no rule has.
    fn demand(&self, arm: ArmId, number: usize) -> Option<Demand> {
        self.iter().find_map(|rule| rule.demand(arm, number))
    }

    /// Returns the arm of the first rule that lacks evaluations alone. `None` if no rule does.
    fn lacking(&self, view: &View<'_>, chosen: ArmId) -> Option<ArmId> {
        self.iter().find_map(|rule| rule.lacking(view, chosen))
    }

    /// Returns the evidence of the first rule that has any. `None` if no rule has.
    fn evidence(&self, view: &View<'_>, leader: ArmId, arm: ArmId) -> Option<f64> {
        self.iter()
            .find_map(|rule| rule.evidence(view, leader, arm))
    }

    /// Returns the interval of the first rule that has one. `None` if no rule has.
    fn interval(&self, leader: ArmId, arm: ArmId) -> Option<(f64, f64)> {
        self.iter().find_map(|rule| rule.interval(leader, arm))
    }

    fn candidates_changed(&mut self, candidates: &[ArmId]) {
        for rule in self {
            rule.candidates_changed(candidates);
        }
    }

    fn taken_back(&mut self, arm: ArmId, turn: u64) {
        for rule in self {
            rule.taken_back(arm, turn);
        }
    }

    fn check(&self, view: &View<'_>) -> Verdict {
        self.iter()
            .map(|rule| rule.check(view))
            .find(|verdict| *verdict != Verdict::Continue)
            .unwrap_or(Verdict::Continue)
    }
}

/// Why a selection ended, and so what kind of confidence its recommendation carries.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Reason {
    /// The posterior probability of being best reached this level. Bayesian: no guarantee of the
    /// long-run error rate under repeated looks.
    PosteriorProbability {
        /// Requested level of the posterior probability of being best, 1 − delta.
        level: f64,
    },
    /// The posterior probability that `arms` are the best ones reached this level, where several are
    /// sought. As Bayesian as [`PosteriorProbability`](Self::PosteriorProbability).
    Top {
        /// Requested level, 1 − delta, of the probability that no other arm is better than any of
        /// these by more than `tolerance`.
        level: f64,
        /// Distance below the best ones at which a named arm may be; 0 where it has to be one of
        /// them.
        tolerance: f64,
        /// The arms that are named, from the most probable on; the first is the one that is
        /// recommended.
        arms: Vec<ArmId>,
    },
    /// Arms cannot be told apart: with at least the posterior probability `level` one of `arms` is
    /// the best, and with it each of them is within `tolerance` of the best. Where several arms are
    /// sought, the best ones are among `arms`, and each is within `tolerance` of these. As Bayesian
    /// as [`PosteriorProbability`](Self::PosteriorProbability).
    Tied {
        /// Posterior probability that both statements about the tied arms reached.
        level: f64,
        /// Distance below the best within which each tied arm lies, in the unit of the scores.
        tolerance: f64,
        /// The tied arms, from the most probably best on; the first is the one that is recommended.
        arms: Vec<ArmId>,
    },
    /// The expected loss of choosing the arm under the posterior is no more than `bound`.
    Shortfall {
        /// Requested bound on the expected loss, in the unit of the scores.
        bound: f64,
        /// Expected shortfall of the recommended arm that was reached.
        shortfall: f64,
    },
    /// The posterior probability of being within `tolerance` of the best reached this level. As
    /// Bayesian as [`PosteriorProbability`](Self::PosteriorProbability).
    Tolerance {
        /// Requested level of the posterior probability of being near the best, 1 − delta.
        level: f64,
        /// Distance below the best at which the arm may be.
        tolerance: f64,
    },
    /// The posterior probability that the arm is the cheapest that is good enough reached this level:
    /// its mean is at most `within` below the best, and no other such arm costs clearly less. As Bayesian
    /// as [`PosteriorProbability`](Self::PosteriorProbability); on items no posterior probability, but one less the error
    /// that the pool's claims share.
    CheapestWithin {
        /// Requested level of the posterior probability, 1 − delta; 1 where every answer that decides is known.
        level: f64,
        /// Distance below the best at which the arm may be, in the unit of the scores.
        within: f64,
    },
    /// An anytime-valid test rejected, for every other arm, that it is as good: under what it
    /// assumes, the long-run error rate is at most 1 − level, however often one looks.
    AnytimeValid {
        /// Guaranteed level of an anytime-valid test, 1 − delta.
        level: f64,
        /// Distance below the best at which the arm may be; with 0 it is the one best arm.
        tolerance: f64,
        /// Assumption about the scores under which the rate of errors holds.
        #[cfg_attr(feature = "serde", serde(default))]
        assumes: Assumption,
    },
    /// Every new arm was compared with the baseline until it was shown whether its mean exceeds the
    /// baseline's by more than `threshold`: the probability that an arm passes although it does not,
    /// or fails although it does, is at most 1 − level each, however often one looks.
    Gate {
        /// The guaranteed level, 1 − alpha.
        level: f64,
        /// Arm with which the others were compared.
        baseline: ArmId,
        /// Lead over the baseline that an arm must exceed: below 0 if it may be worse.
        threshold: f64,
        /// Whether the threshold is in standard deviations of the difference, and not in the unit of
        /// the scores.
        #[cfg_attr(
            feature = "serde",
            serde(default, skip_serializing_if = "std::ops::Not::not")
        )]
        in_sd: bool,
        /// Assumption about the scores under which the rates of errors hold.
        assumes: Assumption,
    },
    /// A limit was reached.
    Limit(Limit),
    /// The policy's own schedule was completed.
    Schedule,
    /// Every candidate that may be the best was evaluated on every split or item that there is. On
    /// those where an evaluation failed, nothing is known of its arm.
    Exhausted,
    /// Every other arm was retired for failing: there is nothing left to compare. Where several arms
    /// are sought, no more are left.
    OnlyCandidate,
}

/// Assumption of an anytime-valid test about the scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Assumption {
    /// The differences of the scores are Gaussian. Records that name no assumption mean this one.
    #[default]
    Gaussian,
    /// The scores lie within the bounds of the metric.
    Bounded,
}

/// The end of a selection.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Conclusion {
    /// The arm that is recommended.
    pub arm: ArmId,
    /// Why the selection ended.
    pub reason: Reason,
    /// P(best) of the recommended arm when the selection ended; of several arms that they are the best ones; of the cheapest
    /// that is good enough its level, which it has at least. `None` if too little was known.
    pub probability: Option<f64>,
    /// Number of evaluations that had ended by then, failed ones included.
    pub evaluations: u64,
}
