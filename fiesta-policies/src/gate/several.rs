//! Gate of one or several new versions against one baseline.

mod closed_testing;
#[cfg(test)]
mod tests;

use super::{Answer, Constraint, ConstraintError, Evidence};
use crate::stopping::anytime::tables::Table;
use fiesta_core::{ArmId, Evaluation, Outcome};

/// The reason why a gate cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// The gate has no new version.
    #[error("a gate needs the baseline and at least one new version, and there are {0} arms")]
    Arms(usize),
    /// The baseline is none of the arms.
    #[error("the baseline is arm {0}, and there are {1} arms, counted from 0")]
    Baseline(usize, usize),
    /// The error rate of the gate is out of range.
    #[error("the error rate {0} must lie strictly between 0 and ½")]
    Alpha(f64),
}

/// Answers about several new versions: the probability that any of those with Δ ≤ threshold ships is
/// at most α, and so is the probability that any of the others is blocked. See the
/// [module](super) for the derivation.
///
/// The scores of every arm count in the order of its turns, however they come in: turn k of all arms
/// is on the same item or split. Every item must be asked of the baseline and of all versions that
/// are [undecided](Self::undecided); the next one counts once these have answered it.
///
/// # Example
/// ```
/// use fiesta_core::ArmId;
/// use fiesta_policies::gate::{Answer, Evidence, Gate};
///
/// let arms: Vec<ArmId> = ArmId::all(3).collect();
/// let evidence = Evidence::of_pool(400, (-1.0, 1.0), -0.05)?.in_steps_of(1.0);
/// let mut gate = Gate::new(3, arms[0], evidence, 0.05)?;
/// // The second version fails on every third question that the others get right.
/// let score = |arm: usize, item: u64| f64::from(u8::from(arm < 2 || item % 3 > 0));
/// for item in 0..400 {
///     for &arm in &arms {
///         gate.score(arm, item, score(arm.index(), item));
///     }
/// }
/// assert_eq!(gate.answer(arms[1]), Answer::Ships);
/// assert_eq!(gate.answer(arms[2]), Answer::Blocked);
/// assert!(gate.evidence(arms[1]).unwrap().count() < 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Gate {
    baseline: ArmId,
    alpha: f64,
    until_first: bool,
    /// Scores as which a failure of a new version and one of the baseline count.
    on_failure: Option<(f64, f64)>,
    /// Evidence before any difference, with which every version begins.
    empty: Evidence,
    tables: Vec<Table>,
    /// Evidence about each arm; the baseline's remains empty.
    evidence: Vec<Evidence>,
    constraints: Vec<Constrained>,
    answers: Vec<Answer>,
    /// Arms that are not asked any more, as they failed too often.
    retired: Vec<bool>,
    /// Arms of which a failure has no score, so that nothing after it can be counted.
    lost: Vec<bool>,
    /// Number of items that the baseline and all undecided versions have answered.
    counted: usize,
}

/// A constraint, with the values of its measure and the evidence of each arm.
#[derive(Debug, Clone)]
struct Constrained {
    constraint: Constraint,
    empty: Evidence,
    tables: Vec<Table>,
    evidence: Vec<Evidence>,
}

impl Constrained {
    /// Takes the values of a version and of the baseline on an item into account.
    fn push(&mut self, [arm, baseline]: [usize; 2], item: usize) {
        let [new, old] = [(arm, false), (baseline, true)].map(|(arm, is_baseline)| {
            let value = self.tables[arm].prefix().get(item).copied();
            value.unwrap_or_else(|| self.constraint.without_value(is_baseline))
        });
        self.evidence[arm].push(self.constraint.difference(new, old));
    }
}

impl Gate {
    /// Makes a gate for `arms` arms, one of which is the baseline, from evidence without any
    /// difference.
    ///
    /// # Errors
    /// [`GateError`] if there are fewer than two arms, the baseline is none of them, or not 0 < α < ½.
    pub fn new(
        arms: usize,
        baseline: ArmId,
        evidence: Evidence,
        alpha: f64,
    ) -> Result<Self, GateError> {
        if arms < 2 {
            return Err(GateError::Arms(arms));
        }
        if baseline.index() >= arms {
            return Err(GateError::Baseline(baseline.index(), arms));
        }
        if !(alpha > 0.0 && alpha < 0.5) {
            return Err(GateError::Alpha(alpha));
        }
        Ok(Self {
            baseline,
            alpha,
            until_first: false,
            on_failure: None,
            tables: vec![Table::default(); arms],
            evidence: vec![evidence.clone(); arms],
            constraints: Vec::new(),
            answers: vec![Answer::Undecided; arms],
            retired: vec![false; arms],
            lost: vec![false; arms],
            empty: evidence,
            counted: 0,
        })
    }

    /// Sets whether the gate ends as soon as one version ships.
    #[must_use]
    pub fn until_first(mut self, until_first: bool) -> Self {
        self.until_first = until_first;
        self
    }

    /// Counts a failure of a new version as the score `worst`, and one of the baseline as `best`,
    /// oriented so that larger is better: the bounds of the scores. If they are not declared, an
    /// arm's answers end before its first failure.
    #[must_use]
    pub fn on_failure(mut self, worst: f64, best: f64) -> Self {
        self.on_failure = Some((worst, best));
        self
    }

    /// Adds a constraint that every new version must keep to ship. [`measure`](Self::measure) tells of
    /// its values.
    ///
    /// # Errors
    /// [`ConstraintError`] if the limit lies beyond what the measure can be.
    pub fn with_constraint(mut self, constraint: Constraint) -> Result<Self, ConstraintError> {
        let (arms, empty) = (self.tables.len(), constraint.evidence()?);
        self.constraints.push(Constrained {
            constraint,
            tables: vec![Table::default(); arms],
            evidence: vec![empty.clone(); arms],
            empty,
        });
        Ok(self)
    }

    /// Takes the measures of an arm's turn into account, which must come before its score or failure.
    /// An evaluation without a value counts as the largest one of a new version, and as the least one of
    /// the baseline.
    pub fn measure(&mut self, arm: ArmId, turn: u64, value: impl Fn(usize) -> Option<f64>) {
        for own in &mut self.constraints {
            let Some(table) = own.tables.get_mut(arm.index()) else {
                return;
            };
            let constraint = own.constraint;
            let value = value(constraint.measure)
                .unwrap_or_else(|| constraint.without_value(arm == self.baseline));
            if !table.replace(turn, value) {
                table.enter(turn, value);
            }
        }
    }

    /// Takes the score of an arm's turn into account, oriented so that larger is better. A turn that
    /// was made again replaces what it was.
    pub fn score(&mut self, arm: ArmId, turn: u64, score: f64) {
        let Some(table) = self.tables.get_mut(arm.index()) else {
            return;
        };
        if table.replace(turn, score) {
            self.forget();
        } else {
            table.enter(turn, score);
        }
        self.count();
    }

    /// Takes a failed turn of an arm into account ([`on_failure`](Self::on_failure)).
    pub fn failure(&mut self, arm: ArmId, turn: u64) {
        match self.on_failure {
            Some((_, best)) if arm == self.baseline => self.score(arm, turn, best),
            Some((worst, _)) => self.score(arm, turn, worst),
            None => {
                if let Some(lost) = self.lost.get_mut(arm.index()) {
                    *lost = true;
                }
            }
        }
    }

    /// Takes an evaluation that ended into account, as a
    /// [stopping rule](fiesta_core::StoppingRule::ended) does.
    pub fn ended(&mut self, evaluation: &Evaluation, turn: u64, outcome: &Outcome) {
        match outcome {
            Outcome::Observed(score) => self.score(evaluation.arm, turn, *score),
            _ => self.failure(evaluation.arm, turn),
        }
    }

    /// Goes on with these arms alone: the others failed too often. What a version scored before it left
    /// is counted. With one that came back, everything is counted anew.
    pub fn go_on_with(&mut self, candidates: &[ArmId]) {
        for arm in ArmId::all(self.retired.len()) {
            let is_retired = !candidates.contains(&arm);
            if self.retired[arm.index()] && !is_retired {
                self.forget();
            }
            self.retired[arm.index()] = is_retired;
        }
        self.count();
    }

    /// Forgets the outcome of an arm's turn, which is made again.
    pub fn take_back(&mut self, arm: ArmId, turn: u64) {
        let Some(table) = self.tables.get_mut(arm.index()) else {
            return;
        };
        self.lost[arm.index()] = false;
        for own in &mut self.constraints {
            own.tables[arm.index()].take_back(turn);
        }
        if table.take_back(turn) {
            self.forget();
            self.count();
        }
    }

    fn forget(&mut self) {
        self.evidence.fill(self.empty.clone());
        for own in &mut self.constraints {
            own.evidence.fill(own.empty.clone());
        }
        self.answers.fill(Answer::Undecided);
        self.counted = 0;
    }

    /// Returns the error rate α, of each direction.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// Returns the lead over the baseline that a version must exceed.
    pub fn threshold(&self) -> f64 {
        self.empty.threshold()
    }

    /// Returns whether the threshold is in standard deviations of the difference.
    pub fn in_sd(&self) -> bool {
        self.empty.in_sd()
    }

    /// Returns the arm that the others are compared with.
    pub fn baseline(&self) -> ArmId {
        self.baseline
    }

    /// Returns the answer about a version. It is undecided for the baseline, and for an arm that
    /// there is not.
    pub fn answer(&self, arm: ArmId) -> Answer {
        let answer = self.answers.get(arm.index()).copied();
        answer.unwrap_or(Answer::Undecided)
    }

    /// Returns the evidence about a version. `None` for an arm that there is not.
    pub fn evidence(&self, arm: ArmId) -> Option<&Evidence> {
        self.evidence.get(arm.index())
    }

    /// Returns the constraints that versions must keep.
    pub fn constraints(&self) -> impl Iterator<Item = Constraint> + '_ {
        self.constraints.iter().map(|own| own.constraint)
    }

    /// Returns the evidence about one demand on a version: 0 is that on its score, the others are its
    /// constraints from 1. `None` if there is no such demand or arm.
    pub fn evidence_of(&self, arm: ArmId, demand: usize) -> Option<&Evidence> {
        self.demands(arm.index()).nth(demand)
    }

    /// Returns the answer to one demand on a version, numbered as in
    /// [`evidence_of`](Self::evidence_of): that it is met, not met, or neither is shown.
    pub fn answer_of(&self, arm: ArmId, demand: usize) -> Answer {
        let all = || self.demands(arm.index()).map(Evidence::for_blocking);
        let strongest = all().fold(f64::NEG_INFINITY, f64::max);
        match (self.answer(arm), self.evidence_of(arm, demand)) {
            (Answer::Ships, Some(_)) => Answer::Ships,
            (Answer::Blocked, Some(own)) if own.for_blocking() >= strongest => Answer::Blocked,
            (_, Some(own)) => own.answer_at(self.alphas()),
            (_, None) => Answer::Undecided,
        }
    }

    /// Returns the error rates of one demand on one version, for shipping and for blocking.
    pub fn alphas(&self) -> [f64; 2] {
        let each = self.alpha / self.versions().count() as f64;
        [each, each / (1 + self.constraints.len()) as f64]
    }

    /// Returns the new versions that are still to be asked. There are none once the gate has ended, or
    /// the baseline is not asked any more.
    pub fn undecided(&self) -> impl Iterator<Item = ArmId> + '_ {
        let goes_on = !self.has_ended() && !self.is_stuck(self.baseline);
        self.versions().filter(move |&arm| {
            goes_on && !self.is_stuck(arm) && self.answer(arm) == Answer::Undecided
        })
    }

    /// Returns whether an arm is not asked any more: it failed too often, or failed where no score
    /// stands for a failure.
    pub fn is_stuck(&self, arm: ArmId) -> bool {
        let of = |all: &[bool]| all.get(arm.index()).is_some_and(|is| *is);
        of(&self.retired) || of(&self.lost)
    }

    fn has_ended(&self) -> bool {
        self.until_first && self.answers.contains(&Answer::Ships)
    }

    /// Returns the arms that are compared with the baseline.
    pub fn versions(&self) -> impl Iterator<Item = ArmId> + use<> {
        let baseline = self.baseline;
        ArmId::all(self.tables.len()).filter(move |&arm| arm != baseline)
    }

    /// Takes the items into account that the baseline and all undecided versions have answered by now. A
    /// version that is not asked any more counts as far as its scores go.
    fn count(&mut self) {
        while !self.has_ended() {
            let is_through = |arm: ArmId| {
                self.is_stuck(arm) && self.tables[arm.index()].prefix().len() <= self.counted
            };
            let undecided = self
                .versions()
                .filter(|&arm| self.answer(arm) == Answer::Undecided && !is_through(arm));
            let undecided: Vec<usize> = undecided.map(ArmId::index).collect();
            let item = self.counted;
            let score = |arm: usize| self.tables[arm].prefix().get(item).copied();
            let Some(old) = score(self.baseline.index()) else {
                return;
            };
            let scores: Option<Vec<f64>> = undecided.iter().map(|&arm| score(arm)).collect();
            let Some(scores) = scores.filter(|scores| !scores.is_empty()) else {
                return;
            };
            for (&arm, new) in undecided.iter().zip(scores) {
                self.evidence[arm].push(new - old);
                for own in &mut self.constraints {
                    own.push([arm, self.baseline.index()], item);
                }
            }
            self.counted += 1;
            self.decide(&undecided);
        }
    }
}
