//! Leader, challenger and choice of one by the stopping rule's own evidence.

use super::{
    Balanced, Challenger, EmpiricalBest, Leader, TieBreak, TopTwo, Transportation,
    challenger::rivals, leader::least,
};
use fiesta_core::{ArmId, View};
use rand::Rng;

impl TopTwo<MostEvidence, LeastEvidence, Abreast<Balanced>> {
    /// Gathers what the stopping rule lacks: the arm nearest to being named against the arm of
    /// which it has the least evidence.
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

/// The candidate whose least evidence against any other is the greatest; the best mean without
/// evidence, and as long as the rule cannot test it against some other.
///
/// A pair cannot be tested before its scores differ, which takes long where most are equal, such as
/// those that are 0 or 1. Were the best mean passed over meanwhile, some worse arm, which has been
/// told from all others, would lead, and the pair would never be evaluated again.
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
        let best = EmpiricalBest.choose(view, rng)?;
        weakest
            .filter(|all| !all.contains(&(best, f64::INFINITY)))
            .and_then(|all| least(all.into_iter(), rng))
            .or(Some(best))
    }
}

/// The arm of which the stopping rule has the least evidence that the leader is better, one of
/// equals at random.
///
/// What is running counts as if it brought as much as what was observed did, so that several
/// workers do not all choose the same; of a pair that cannot be tested yet, as if it brought the
/// evidence of no evaluation, 0. Without evidence, the arm that is the cheapest to mistake for the
/// leader.
#[derive(Debug, Clone, Copy, Default)]
pub struct LeastEvidence;

impl Challenger for LeastEvidence {
    fn choose(&mut self, view: &View<'_>, leader: ArmId, rng: &mut dyn Rng) -> Option<ArmId> {
        let foreseen = |arm| {
            let evidence = view.evidence(leader, arm)?;
            let pending = view.pending(arm);
            let more = pending as f64 / view.observed(arm).max(1) as f64;
            let foreseen = match pending {
                0 => evidence,
                _ if evidence == f64::NEG_INFINITY => 0.0,
                _ => evidence + evidence.abs() * more,
            };
            Some((arm, foreseen))
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

/// With shared splits, or documents, the arm that lags behind, as only what both have seen compares
/// the two; otherwise, and where both are abreast, another tie-break.
#[derive(Debug, Clone, Copy, Default)]
pub struct Abreast<T>(
    /// Which of two that are abreast.
    pub T,
);

impl<T: TieBreak> TieBreak for Abreast<T> {
    fn choose(
        &mut self,
        view: &View<'_>,
        leader: ArmId,
        challenger: ArmId,
        rng: &mut dyn Rng,
    ) -> ArmId {
        match view.next_place(leader).cmp(&view.next_place(challenger)) {
            std::cmp::Ordering::Less => leader,
            std::cmp::Ordering::Greater => challenger,
            std::cmp::Ordering::Equal => self.0.choose(view, leader, challenger, rng),
        }
    }
}
