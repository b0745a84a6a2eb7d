//! Gate as the stopping rule of a selection, and the policy that asks what it needs.

use super::{Answer, Evidence, EvidenceError, Gate, GateError};
use fiesta_core::{
    ArmId, Assumption, Evaluation, Next, Outcome, Policy, Reason, StoppingRule, Verdict, View,
};
use rand::Rng;

/// Question of a gate: which arm is the baseline, and what a new version must exceed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GateQuestion {
    /// The arm that the others are compared with.
    pub baseline: ArmId,
    /// Lead over the baseline that a version must exceed: −margin if it may be worse by less than a
    /// margin, 0 or more if it has to be better. In the unit of the scores, larger being better.
    pub threshold: f64,
    /// Whether the first version that ships ends the gate.
    pub until_first: bool,
}

/// The reason why there is no gate for the given scores and numbers.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GateRuleError {
    /// The arms or the error rate are out of range.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// The threshold does not lie between the bounds of a difference.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
}

/// Stops when every new version was shown to ship or to be blocked, or the first one ships: see the
/// [module](super) for what is promised. [`Turns`] is the policy that asks for the evaluations.
///
/// Recommended is the version that ships and is most probably the best under the posterior, which
/// carries no error rate, and the baseline if none ships.
#[derive(Debug, Clone)]
pub struct GateRule {
    gate: Gate,
    question: GateQuestion,
    assumes: Assumption,
}

impl GateRule {
    /// Makes a rule for scores within `bounds`, the least and the greatest, oriented so that larger
    /// is better. On a pool the differences are of its `items`, of which each comes once, in a random
    /// order; else they are independent draws. A failure counts as the worst score of a new version
    /// and as the best of the baseline.
    ///
    /// # Errors
    /// [`GateRuleError`] if a number is out of range.
    pub fn bounded(
        arms: usize,
        question: GateQuestion,
        (low, high): (f64, f64),
        items: Option<u64>,
        level: f64,
    ) -> Result<Self, GateRuleError> {
        let (bounds, threshold) = ((low - high, high - low), question.threshold);
        let evidence = match items {
            Some(items) => Evidence::of_pool(items, bounds, threshold)?,
            None => Evidence::without_end(bounds, threshold)?,
        };
        let gate = Gate::new(arms, question.baseline, evidence, 1.0 - level)?;
        let gate = gate.on_failure(low, high);
        Ok(Self::new(gate, question, Assumption::Bounded))
    }

    /// Makes a rule for splits whose score differences are Gaussian. `on_failure` is the worst and
    /// the best score, if there are such; without them an arm's scores end before its first failure.
    ///
    /// # Errors
    /// [`GateRuleError`] if a number is out of range.
    pub fn gaussian(
        arms: usize,
        question: GateQuestion,
        on_failure: Option<(f64, f64)>,
        level: f64,
    ) -> Result<Self, GateRuleError> {
        let evidence = Evidence::gaussian(question.threshold)?;
        let gate = Gate::new(arms, question.baseline, evidence, 1.0 - level)?;
        let gate = match on_failure {
            Some((worst, best)) => gate.on_failure(worst, best),
            None => gate,
        };
        Ok(Self::new(gate, question, Assumption::Gaussian))
    }

    fn new(gate: Gate, question: GateQuestion, assumes: Assumption) -> Self {
        Self {
            gate: gate.until_first(question.until_first),
            question,
            assumes,
        }
    }

    /// Returns the gate as it stands.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Returns the version of a pair of which one is the baseline, and whether it comes first.
    fn version(&self, leader: ArmId, arm: ArmId) -> Option<(ArmId, bool)> {
        let baseline = self.question.baseline;
        match (leader == baseline, arm == baseline) {
            (false, true) => Some((leader, true)),
            (true, false) => Some((arm, false)),
            _ => None,
        }
    }

    fn recommended(&self, view: &View<'_>) -> ArmId {
        let ships = |arm: &ArmId| self.gate.answer(*arm) == Answer::Ships;
        let value = |arm: ArmId| match view.belief() {
            Some(belief) => belief.of(arm),
            None => view.mean(arm).unwrap_or(f64::NEG_INFINITY),
        };
        let shipping = self.gate.versions().filter(ships);
        let best = shipping.max_by(|&one, &other| value(one).total_cmp(&value(other)));
        best.unwrap_or(self.question.baseline)
    }
}

impl StoppingRule for GateRule {
    fn check(&self, view: &View<'_>) -> Verdict {
        let mut versions = self.gate.versions();
        let is_any_decided = versions.any(|arm| self.gate.answer(arm) != Answer::Undecided);
        if !is_any_decided || self.gate.undecided().next().is_some() {
            return Verdict::Continue;
        }
        let reason = Reason::Gate {
            level: 1.0 - self.gate.alpha(),
            baseline: self.question.baseline,
            threshold: self.question.threshold,
            assumes: self.assumes,
        };
        Verdict::Stop(self.recommended(view), reason)
    }

    fn ended(&mut self, evaluation: &Evaluation, turn: u64, outcome: &Outcome) {
        self.gate.ended(evaluation, turn, outcome);
    }

    fn candidates_changed(&mut self, candidates: &[ArmId]) {
        self.gate.go_on_with(candidates);
    }

    /// Returns ln M for what is bet on: that `leader` ships if `arm` is the baseline, that `arm` is
    /// blocked if `leader` is. It is ∞ exactly when the answer is given. `None` of other pairs.
    fn evidence(&self, _: &View<'_>, leader: ArmId, arm: ArmId) -> Option<f64> {
        let (version, is_first) = self.version(leader, arm)?;
        let evidence = self.gate.evidence(version)?;
        let (answer, nats) = if is_first {
            (Answer::Ships, evidence.for_shipping())
        } else {
            (Answer::Blocked, evidence.for_blocking())
        };
        Some(if self.gate.answer(version) == answer {
            f64::INFINITY
        } else {
            nats.min(f64::MAX)
        })
    }

    /// Returns the interval of the difference of a version and the baseline, each of whose ends errs
    /// with a probability of at most α over the number of versions.
    fn interval(&self, leader: ArmId, arm: ArmId) -> Option<(f64, f64)> {
        let (version, is_first) = self.version(leader, arm)?;
        let each = self.gate.alpha() / self.gate.versions().count() as f64;
        let (lower, upper) = self.gate.evidence(version)?.interval(each)?;
        Some(if is_first {
            (lower, upper)
        } else {
            (-upper, -lower)
        })
    }
}

/// Asks every item or split in its turn: of the baseline and of all versions of which a
/// [`GateRule`] has no answer yet; of all arms, beside a rule that tests no pairs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Turns;

impl Turns {
    /// Whether the stopping rule compares an arm with another candidate and has no answer. `None` if
    /// it compares the arm with none.
    fn is_open(view: &View<'_>, arm: ArmId) -> Option<bool> {
        let with = |other: &ArmId| {
            let [for_arm, against] =
                [(arm, *other), (*other, arm)].map(|(a, b)| view.evidence(a, b));
            Some(for_arm?.max(against?) < f64::INFINITY)
        };
        view.candidates()
            .iter()
            .filter_map(with)
            .reduce(|one, other| one || other)
    }
}

impl Policy for Turns {
    fn next(&mut self, view: &View<'_>, _: &mut dyn Rng) -> Next {
        let open = view
            .with_case_left()
            .filter(|&arm| Self::is_open(view, arm) != Some(false));
        match open.min_by_key(|&arm| view.next_turn(arm)) {
            Some(arm) => Next::Evaluate(arm),
            None if view.total_pending() > 0 => Next::Wait,
            None => view.empirical_best().map_or(Next::Wait, Next::Finished),
        }
    }

    fn needs_posterior(&self) -> bool {
        false
    }
}
