//! Gate as the stopping rule of a selection, and the policy that asks what it needs.

use super::{Answer, Constraint, ConstraintError, Evidence, EvidenceError, Gate, GateError};
use fiesta_core::{
    ArmId, Assumption, Demand, Evaluation, EvaluationId, Next, Outcome, Policy, Reason,
    StoppingRule, Verdict, View,
};
use rand::Rng;
use std::collections::HashMap;

/// Question of a gate: which arm is the baseline, and what a new version must exceed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GateQuestion {
    /// The arm that the others are compared with.
    pub baseline: ArmId,
    /// Lead over the baseline that a version must exceed: −margin if it may be worse by less than a
    /// margin, 0 or more if it has to be better. In the unit of the scores, larger being better, or
    /// in standard deviations of the difference.
    pub threshold: f64,
    /// Whether the threshold is in standard deviations of the difference.
    pub in_sd: bool,
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
    /// A constraint cannot be tested.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// The threshold is in standard deviations, and scores have bounds.
    #[error(
        "a number of standard deviations is for splits whose scores have no bounds, and these have: give it in the unit of the metric"
    )]
    InSd,
}

/// Stops when every new version was shown to ship or to be blocked, or the first one ships: see the
/// [module](super) for what is promised. [`Turns`] is the policy that asks for the evaluations.
///
/// Recommended is the version that ships and is most probably the best under the posterior, which
/// carries no error rate, and the baseline if none ships.
#[derive(Debug, Clone)]
pub struct GateRule {
    gate: Gate,
    assumes: Assumption,
    /// Measures of evaluations that have not ended yet.
    measured: HashMap<EvaluationId, Vec<(usize, f64)>>,
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
        if question.in_sd {
            return Err(GateRuleError::InSd);
        }
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
        let evidence = if question.in_sd {
            Evidence::standardised(question.threshold)?
        } else {
            Evidence::gaussian(question.threshold)?
        };
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
            assumes,
            measured: HashMap::new(),
        }
    }

    /// Adds constraints that every version must keep. Their values are told as
    /// [measures](StoppingRule::measured) before each evaluation ends.
    ///
    /// # Errors
    /// [`GateRuleError::Constraint`] if a limit lies beyond what its measure can be.
    pub fn with_constraints(mut self, constraints: &[Constraint]) -> Result<Self, GateRuleError> {
        for &constraint in constraints {
            self.gate = self.gate.with_constraint(constraint)?;
        }
        Ok(self)
    }

    /// Returns the gate as it stands.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Returns the interval of a mean whose ends err as often as shipping and blocking do.
    fn ends(&self, evidence: &Evidence) -> Option<(f64, f64)> {
        let [ships, blocked] = self.gate.alphas();
        let (lower, upper) = evidence.interval(ships)?;
        if ships > blocked {
            return Some((lower, evidence.interval(blocked)?.1));
        }
        Some((lower, upper))
    }

    /// Returns the version of a pair of which one is the baseline, and whether it comes first.
    fn version(&self, leader: ArmId, arm: ArmId) -> Option<(ArmId, bool)> {
        let baseline = self.gate.baseline();
        match (leader == baseline, arm == baseline) {
            (false, true) => Some((leader, true)),
            (true, false) => Some((arm, false)),
            _ => None,
        }
    }
}

/// Returns the candidate that is recommended: of those that are shown to be good enough the one that is
/// most probably the best, and if there is none the baseline. `None` if it is no candidate either.
fn recommended(view: &View<'_>, baseline: ArmId) -> Option<ArmId> {
    let value = |arm: ArmId| match view.belief() {
        Some(belief) => belief.of(arm),
        None => view.mean(arm).unwrap_or(f64::NEG_INFINITY),
    };
    let candidates = || view.candidates().iter().copied();
    let ships = |&arm: &ArmId| view.evidence(arm, baseline) == Some(f64::INFINITY);
    let best = { candidates().filter(ships) }.max_by(|&a, &b| value(a).total_cmp(&value(b)));
    best.or_else(|| candidates().find(|&arm| arm == baseline))
}

impl StoppingRule for GateRule {
    fn check(&self, view: &View<'_>) -> Verdict {
        let mut versions = self.gate.versions();
        let is_any_decided = versions.any(|arm| self.gate.answer(arm) != Answer::Undecided);
        if !is_any_decided || self.gate.undecided().next().is_some() {
            return Verdict::Continue;
        }
        let baseline = self.gate.baseline();
        let reason = Reason::Gate {
            level: 1.0 - self.gate.alpha(),
            baseline,
            threshold: self.gate.threshold(),
            in_sd: self.gate.in_sd(),
            assumes: self.assumes,
        };
        Verdict::Stop(recommended(view, baseline).unwrap_or(baseline), reason)
    }

    fn ended(&mut self, evaluation: &Evaluation, turn: u64, outcome: &Outcome) {
        let told = self.measured.remove(&evaluation.id).unwrap_or_default();
        let is_observed = matches!(outcome, Outcome::Observed(_));
        self.gate.measure(evaluation.arm, turn, |measure| {
            let mut told = told.iter().filter(|_| is_observed);
            told.find(|own| own.0 == measure).map(|own| own.1)
        });
        self.gate.ended(evaluation, turn, outcome);
    }

    fn measured(&mut self, id: EvaluationId, measure: usize, value: f64) {
        self.measured.entry(id).or_default().push((measure, value));
    }

    fn demand(&self, arm: ArmId, number: usize) -> Option<Demand> {
        let evidence = self.gate.evidence_of(arm, number)?;
        let constraint = number.checked_sub(1);
        let constraint = constraint.and_then(|place| self.gate.constraints().nth(place));
        let shown = |mean| constraint.map_or(mean, |own| own.shown(mean));
        let interval = self.ends(evidence).map(|(lower, upper)| {
            let (one, other) = (shown(lower), shown(upper));
            (one.min(other), one.max(other))
        });
        Some(Demand {
            is_met: match self.gate.answer_of(arm, number) {
                Answer::Ships => Some(true),
                Answer::Blocked => Some(false),
                Answer::Undecided => None,
            },
            count: evidence.count(),
            mean: evidence.mean().map(shown),
            interval,
        })
    }

    fn candidates_changed(&mut self, candidates: &[ArmId]) {
        self.gate.go_on_with(candidates);
    }

    fn taken_back(&mut self, arm: ArmId, turn: u64) {
        self.gate.take_back(arm, turn);
    }

    /// Returns ln M for what is bet on: that `leader` ships if `arm` is the baseline, that `arm` is
    /// blocked if `leader` is. It is ∞ exactly when the answer is given, and −∞ where none can be given
    /// any more, as an arm failed. `None` of other pairs.
    fn evidence(&self, _: &View<'_>, leader: ArmId, arm: ArmId) -> Option<f64> {
        let (version, is_first) = self.version(leader, arm)?;
        let is_stuck = self.gate.is_stuck(version) || self.gate.is_stuck(self.gate.baseline());
        let (answer, nats) = if is_first {
            (Answer::Ships, self.gate.for_shipping(version.index()))
        } else {
            (Answer::Blocked, self.gate.for_blocking(version.index()))
        };
        Some(if self.gate.answer(version) == answer {
            f64::INFINITY
        } else if is_stuck {
            f64::NEG_INFINITY
        } else {
            nats.min(f64::MAX)
        })
    }

    /// Returns the interval of the difference of a version and the baseline, each of whose ends errs
    /// with a probability of at most α over the number of versions; beside constraints, the upper one
    /// errs less often, as blocking does.
    fn interval(&self, leader: ArmId, arm: ArmId) -> Option<(f64, f64)> {
        let (version, is_first) = self.version(leader, arm)?;
        let (lower, upper) = self.ends(self.gate.evidence(version)?)?;
        Some(if is_first {
            (lower, upper)
        } else {
            (-upper, -lower)
        })
    }
}

/// Asks every item or split in its turn: of the baseline and of all versions of which a
/// [`GateRule`] has no answer yet; of all arms, beside a rule that tests no pairs.
///
/// Where the gate ends without an answer, a version that ships is recommended, else the baseline.
#[derive(Debug, Clone, Copy, Default)]
pub struct Turns {
    /// The arm that the others are compared with. `None` beside a rule without one.
    pub baseline: Option<ArmId>,
}

impl Turns {
    /// Whether an arm is to be asked: the stopping rule compares it with another one and may still
    /// find an answer, or compares it with none.
    fn is_open(view: &View<'_>, arm: ArmId) -> bool {
        let with = |other: ArmId| {
            let [for_arm, against] =
                [(arm, other), (other, arm)].map(|(one, other)| view.evidence(one, other));
            Some(for_arm?.max(against?).is_finite())
        };
        let mut tested = ArmId::all(view.arms()).filter_map(with).peekable();
        tested.peek().is_none() || tested.any(|is_open| is_open)
    }
}

impl Policy for Turns {
    fn next(&mut self, view: &View<'_>, _: &mut dyn Rng) -> Next {
        let open = view
            .with_case_left()
            .filter(|&arm| Self::is_open(view, arm));
        match open.min_by_key(|&arm| view.next_turn(arm)) {
            Some(arm) => Next::Evaluate(arm),
            None if view.total_pending() > 0 => Next::Wait,
            None => self.recommend(view).map_or(Next::Wait, Next::Finished),
        }
    }

    fn needs_posterior(&self) -> bool {
        false
    }

    fn recommend(&self, view: &View<'_>) -> Option<ArmId> {
        let Some(baseline) = self.baseline else {
            return view.empirical_best();
        };
        recommended(view, baseline).or_else(|| view.empirical_best())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta_core::{
        Arms, Ask, Case, Conclusion, Design, Evaluation, EvaluationId, Event, Selector,
    };
    use fiesta_posterior::Pool;
    use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng, seq::SliceRandom};

    const ITEMS: u64 = 100;

    fn turns() -> Turns {
        Turns {
            baseline: Some(ArmId::new(0)),
        }
    }

    fn arms() -> [ArmId; 3] {
        [0, 1, 2].map(ArmId::new)
    }

    fn selector(question: GateQuestion, seed: u64) -> Selector {
        let rule = GateRule::bounded(3, question, (0.0, 1.0), Some(ITEMS), 0.95).unwrap();
        let posterior = Pool::new(3, ITEMS).bounded(0.0, 1.0).unwrap();
        Selector::builder(
            Arms::new(["old", "a", "b"]).unwrap(),
            posterior,
            turns(),
            rule,
        )
        .design(Design::Items { count: ITEMS })
        .keeps_order(true)
        .seed(seed)
        .build()
        .unwrap()
    }

    /// Runs a selection with five evaluations at a time, which end in a random order.
    fn run(
        selector: &mut Selector,
        seed: u64,
        answer: impl Fn(Evaluation) -> Option<f64>,
    ) -> Conclusion {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        loop {
            while selector.pending().count() < 5 {
                match selector.ask().unwrap() {
                    Ask::Evaluate(_) => {}
                    Ask::Wait => break,
                    Ask::Finished(conclusion) => return conclusion,
                }
            }
            let pending: Vec<Evaluation> = selector.pending().collect();
            let ended = pending[rng.random_range(0..pending.len())];
            let outcome = answer(ended).map_or(Outcome::Failed, Outcome::Observed);
            let event = Event::Ended {
                id: ended.id,
                outcome,
                cost: 1.0,
            };
            selector.tell(event).unwrap();
        }
    }

    fn question() -> GateQuestion {
        GateQuestion {
            baseline: ArmId::new(0),
            threshold: -0.05,
            in_sd: false,
            until_first: false,
        }
    }

    fn is_shown(selector: &Selector, one: ArmId, other: ArmId) -> bool {
        selector.view().evidence(one, other) == Some(f64::INFINITY)
    }

    /// Of versions exactly at the margin and one item above it, the first ships and the second is
    /// blocked in at most α of 400 selections each, also where the baseline's answers were recorded,
    /// those that the versions lack first. The allowance is 4 standard errors.
    #[test]
    fn errors_are_rare_in_a_selection() {
        let [old, at, above] = arms();
        let mut wrong = [0, 0];
        for seed in 0..400 {
            let mut order: Vec<u64> = (0..ITEMS).collect();
            order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed + 7));
            // The versions fail on 10 and 9 items of the baseline's, and gain 5 others.
            let score = |e: Evaluation| {
                let place = order.iter().position(|&item| item == e.case.split).unwrap();
                let lost = if e.arm == at { 10 } else { 9 };
                f64::from(u8::from(match place {
                    _ if e.arm == old => place < 80,
                    ..80 => place >= lost,
                    _ => place < 85,
                }))
            };
            let mut selector = selector(question(), seed);
            if seed % 2 == 0 {
                for (id, &split) in (0..).zip(&order) {
                    let case = Case { split, seed: 1 };
                    let e = Evaluation {
                        id: EvaluationId(id),
                        arm: old,
                        case,
                    };
                    selector.record(e, Some(score(e))).unwrap();
                }
            }
            let conclusion = run(&mut selector, seed, |e| Some(score(e)));
            assert!(matches!(conclusion.reason, Reason::Gate { .. }));
            wrong[0] += u32::from(is_shown(&selector, at, old));
            wrong[1] += u32::from(is_shown(&selector, old, above));
        }
        let most = 20.0 + 4.0 * 19.0_f64.sqrt();
        assert!(
            wrong.iter().all(|&count| f64::from(count) < most),
            "{wrong:?}"
        );
    }

    /// A version that fails three times in a row is undecided, and the gate goes on without it; one
    /// that is decided is not asked any more.
    #[test]
    fn it_goes_on_without_a_version() {
        let [old, better, broken] = arms();
        let mut selector = selector(question(), 3);
        let conclusion = run(&mut selector, 3, |e| (e.arm != broken).then_some(1.0));
        assert_eq!(conclusion.arm, better);
        assert!(is_shown(&selector, better, old));
        assert!(!is_shown(&selector, broken, old) && !is_shown(&selector, old, broken));
        let mut selector = self::selector(question(), 4);
        run(&mut selector, 4, |e| {
            Some(f64::from(u8::from(e.arm != broken || e.case.split > 4)))
        });
        let view = selector.view();
        assert!(is_shown(&selector, better, old));
        assert!(
            view.observed(broken) > view.observed(better),
            "{}",
            view.observed(broken)
        );
        let first = GateQuestion {
            until_first: true,
            ..question()
        };
        let mut selector = self::selector(first, 5);
        run(&mut selector, 5, |e| {
            Some(f64::from(u8::from(e.arm != broken || e.case.split > 4)))
        });
        assert!(is_shown(&selector, better, old) && !is_shown(&selector, broken, old));
    }

    /// Tests that a failure for which no score stands ends the gate, until it is made again.
    #[test]
    fn nothing_is_counted_after_a_failure_without_a_score() {
        let [old, new, _] = arms();
        for failed in [old, new] {
            let rule = GateRule::gaussian(2, question(), None, 0.95).unwrap();
            let mut gate = rule.gate().clone();
            gate.failure(failed, 3);
            assert!(gate.is_stuck(failed) && gate.undecided().next().is_none());
            gate.take_back(failed, 3);
            assert!(!gate.is_stuck(failed) && gate.undecided().eq([new]));
        }
    }

    /// Tests that the interval of a version and the baseline contains their difference, and that the
    /// other direction of the pair has the opposite interval.
    #[test]
    fn the_interval_contains_the_difference() {
        let [old, better, _] = arms();
        let mut selector = selector(question(), 6);
        run(&mut selector, 6, |e| {
            Some(f64::from(u8::from(e.arm != old || e.case.split % 3 > 0)))
        });
        let view = selector.view();
        let (lower, upper) = view.interval(better, old).unwrap();
        assert!(lower < 0.33 && 0.33 < upper && upper < 1.0);
        assert_eq!(view.interval(old, better), Some((-upper, -lower)));
        assert_eq!(view.interval(better, better), None);
    }
}
