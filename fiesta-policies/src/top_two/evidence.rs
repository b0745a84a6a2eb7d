//! Leader, challenger and choice of one by the stopping rule's own evidence.

use super::{
    Balanced, Challenger, EmpiricalBest, Leader, TieBreak, TopTwo, Transportation,
    challenger::rivals, leader::least,
};
use fiesta_core::{ArmId, View};
use rand::Rng;
use std::cmp::Ordering;

impl TopTwo<MostEvidence, LeastEvidence, Abreast<Balanced>> {
    /// Policy that gathers the evidence that the stopping rule lacks: the arm nearest to being
    /// named against the arm of which it has the least evidence.
    ///
    /// For [`AnytimeValid`](crate::stopping::AnytimeValid). With a rule that tests no pairs it is
    /// EB-TCI.
    pub fn evidence() -> Self {
        Self {
            leader: MostEvidence,
            challenger: LeastEvidence,
            tie_break: Abreast(Balanced::default()),
        }
    }
}

/// Leader with the most evidence: its least evidence against any other arm is the greatest. If the
/// rule tests no pairs, the arm with the best mean leads.
///
/// The evidence of a pair whose scores do not differ yet must be that of no evaluation, 0, and not
/// less: a worse arm, which has been told from all others, would else lead, and the pair would
/// never be evaluated again.
#[derive(Debug, Clone, Copy, Default)]
pub struct MostEvidence;

impl Leader for MostEvidence {
    fn choose(&mut self, view: &View<'_>, rng: &mut dyn Rng) -> Option<ArmId> {
        let weakest = |leader: ArmId| {
            let others = view.candidates().iter().filter(|&&arm| arm != leader);
            others
                .map(|&arm| view.evidence(leader, arm))
                .try_fold(f64::INFINITY, |least, one| Some(least.min(one?)))
        };
        let candidates = view.candidates().iter();
        let weakest: Option<Vec<(ArmId, f64)>> =
            candidates.map(|&arm| Some((arm, -weakest(arm)?))).collect();
        match weakest {
            Some(all) => least(all.into_iter(), rng),
            None => EmpiricalBest.choose(view, rng),
        }
    }
}

/// Challenger of which the stopping rule has the least evidence that the leader is better, one of
/// equals at random.
///
/// What is running counts as if it brought as much as what was observed did, so that several
/// workers do not all choose the same. Without evidence, the arm that is the cheapest to mistake
/// for the leader.
#[derive(Debug, Clone, Copy, Default)]
pub struct LeastEvidence;

impl Challenger for LeastEvidence {
    fn choose(&mut self, view: &View<'_>, leader: ArmId, rng: &mut dyn Rng) -> Option<ArmId> {
        let foreseen = |arm| {
            let evidence = view.evidence(leader, arm)?;
            let pending = view.pending(arm) as f64 / view.observed(arm).max(1) as f64;
            // ∞ times 0 is no number.
            let more = if pending > 0.0 {
                evidence.abs() * pending
            } else {
                0.0
            };
            Some((arm, evidence + more))
        };
        let all: Option<Vec<(ArmId, f64)>> = rivals(view, leader).map(foreseen).collect();
        match all {
            Some(all) if !all.is_empty() => least(all.into_iter(), rng),
            _ => Transportation {
                improved: true,
                ..Transportation::default()
            }
            .choose(view, leader, rng),
        }
    }
}

/// Tie-break that takes the arm with fewer turns, as a rule that tests pairs compares common turns
/// only. At equal turns, or if the rule tests no pairs, another tie-break decides.
#[derive(Debug, Clone, Copy, Default)]
pub struct Abreast<T>(
    /// Tie-break between two arms that are abreast.
    pub T,
);

impl<T: TieBreak> TieBreak for Abreast<T> {
    fn choose(&mut self, view: &View<'_>, pair: [ArmId; 2], rng: &mut dyn Rng) -> ArmId {
        let [leader, challenger] = pair;
        let tests_pairs = view.evidence(leader, challenger).is_some();
        match view.next_turn(leader).cmp(&view.next_turn(challenger)) {
            Ordering::Less if tests_pairs => leader,
            Ordering::Greater if tests_pairs => challenger,
            _ => self.0.choose(view, pair, rng),
        }
    }
}
