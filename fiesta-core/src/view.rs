//! View of a selection: everything that policies and stopping rules may see.

use crate::{
    ArmId, Askable, Belief, Case, Claim, DistanceClaim, Marginal, Moments, Posterior,
    arm_statistics::ArmStatistics,
    cases::Cases,
    stopping::{Demand, Evidence},
};
use rand::Rng;
use std::cell::OnceCell;

/// Number of an arm's evaluations for each repeat of an item that it has had, where answers vary: 1
/// in 20 is 5 %.
pub const REPEATS: u64 = 20;

/// A read-only view of a selection: counts, costs, the posterior and the belief.
///
/// The belief is computed when it is first asked for and then kept until the next observation.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(crate) statistics: &'a ArmStatistics,
    pub(crate) candidates: &'a [ArmId],
    pub(crate) beliefs: &'a dyn Posterior,
    pub(crate) belief: &'a OnceCell<Option<Belief>>,
    pub(crate) cases: &'a Cases,
    pub(crate) evidence: &'a dyn Evidence,
    pub(crate) top: usize,
}

impl<'a> View<'a> {
    /// Returns the number of arms, K, retired ones included.
    pub fn arms(&self) -> usize {
        self.statistics.arms.len()
    }

    /// Returns the arms that may be recommended, and evaluated while they have [a case
    /// left](Self::has_case_left), in order: all but those retired for failing and, for a policy
    /// that [needs a posterior](crate::Policy::needs_posterior), but those that are
    /// [awaited](Self::is_provisional).
    pub fn candidates(&self) -> &'a [ArmId] {
        self.candidates
    }

    /// Returns how many of the best arms the selection is to name; 1 unless
    /// [several](crate::SelectorBuilder::top) are sought.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Returns the [`top`](Self::top) candidates with the highest point estimates, from the highest
    /// on; the first of equals. Arms without any observation come last.
    pub fn inside(&self) -> Vec<ArmId> {
        let mean = |arm: ArmId| self.mean(arm).unwrap_or(f64::NEG_INFINITY);
        let mut arms = self.candidates().to_vec();
        arms.sort_by(|&a, &b| mean(b).total_cmp(&mean(a)));
        arms.truncate(self.top);
        arms
    }

    /// Whether candidates are left out because the posterior cannot tell anything of them before
    /// their first evaluations, which are running, have ended. They come back then, and nothing is
    /// concluded before: a stopping rule that would stop among the others only keeps these from
    /// being evaluated for nothing.
    pub fn is_provisional(&self) -> bool {
        self.candidates.len() < self.statistics.candidates.len()
    }

    /// Whether an evaluation of a candidate is running. A stopping rule that would stop only keeps
    /// others from being started then: it has to stop again when these have ended, as what ends
    /// early may be better or worse than what still runs.
    pub fn awaits_outcomes(&self) -> bool {
        self.candidates().iter().any(|&arm| self.pending(arm) > 0)
    }

    /// Whether this arm was retired for failing.
    pub fn is_retired(&self, arm: ArmId) -> bool {
        !self.statistics.candidates.contains(&arm)
    }

    /// Returns how many observations of this arm were made.
    pub fn observed(&self, arm: ArmId) -> u64 {
        self.statistics.arms[arm.index()].observed
    }

    /// Returns how many evaluations of this arm failed.
    pub fn failed(&self, arm: ArmId) -> u64 {
        self.statistics.arms[arm.index()].failed
    }

    /// Returns how many evaluations of this arm are running.
    pub fn pending(&self, arm: ArmId) -> u64 {
        self.statistics.arms[arm.index()].pending
    }

    /// Returns how many evaluations of this arm failed since its latest success, or since it was
    /// [reinstated](crate::Event::Reinstated).
    pub fn failures_in_a_row(&self, arm: ArmId) -> u64 {
        self.statistics.arms[arm.index()].failures_in_a_row()
    }

    /// Returns how often this arm was tried: observed, failed and pending evaluations, but for
    /// failures that are made again, as the arm was [reinstated](crate::Event::Reinstated) or the
    /// failure [asked again](crate::Event::AskedAgain).
    pub fn attempts(&self, arm: ArmId) -> u64 {
        self.statistics.arms[arm.index()].attempts()
    }

    /// Evaluations that have ended, failed ones and those made before the study included, over all
    /// arms.
    pub fn total_ended(&self) -> u64 {
        self.statistics.sum(|arm| arm.observed + arm.failed)
    }

    /// Returns how many evaluations of this arm were made before the study
    /// ([`Selector::record`](crate::Selector::record)), among those observed and failed.
    pub fn recorded(&self, arm: ArmId) -> u64 {
        self.statistics.arms[arm.index()].recorded
    }

    /// Evaluations that were made before the study, over all arms.
    pub fn total_recorded(&self) -> u64 {
        self.statistics.sum(|arm| arm.recorded)
    }

    /// Evaluations that have ended and were made by this study: those that a limit counts.
    pub fn total_made(&self) -> u64 {
        self.total_ended() - self.total_recorded()
    }

    /// Returns what another evaluation of this arm is expected to cost: the mean of those that have
    /// ended, or else what was [declared](crate::SelectorBuilder::expected_costs), or else the mean
    /// of all arms' evaluations, or else nothing. Attempts that were [lost](Self::lost) do not
    /// count here: what an evaluation costs says nothing of how often the machine fails.
    pub fn expected_cost(&self, arm: ArmId) -> f64 {
        let statistics = &self.statistics.arms[arm.index()];
        if statistics.costs.count() > 0 {
            return statistics.costs.mean();
        }
        statistics.declared_cost.unwrap_or_else(|| self.mean_cost())
    }

    /// Returns what an evaluation of this arm was [declared](crate::SelectorBuilder::expected_costs) to cost. `None`
    /// if nothing was declared.
    pub fn declared_cost(&self, arm: ArmId) -> Option<f64> {
        self.statistics.arms[arm.index()].declared_cost
    }

    /// Returns the mean cost of all arms' evaluations that the study made and that have ended; 0
    /// before the first.
    pub fn mean_cost(&self) -> f64 {
        let count = self.statistics.sum(|arm| arm.costs.count());
        let costs = self.statistics.arms.iter().map(|arm| arm.costs.total());
        if count == 0 {
            0.0
        } else {
            costs.sum::<f64>() / count as f64
        }
    }

    /// Returns how many evaluations are running, over all arms.
    pub fn total_pending(&self) -> u64 {
        self.statistics.sum(|arm| arm.pending)
    }

    /// Returns the costs of this arm's evaluations that the study made and that have ended.
    pub fn costs(&self, arm: ArmId) -> &'a Moments {
        &self.statistics.arms[arm.index()].costs
    }

    /// Returns the costs of the attempts at this arm's evaluations that led to no outcome: lost,
    /// stopped and made again, or withdrawn.
    pub fn lost(&self, arm: ArmId) -> &'a Moments {
        &self.statistics.arms[arm.index()].lost
    }

    /// Returns how many attempts led to no outcome and cost something, over all arms.
    pub fn total_lost(&self) -> u64 {
        self.statistics.sum(|arm| arm.lost.count())
    }

    /// Returns all that this arm's evaluations cost the study so far: those that have ended, and
    /// attempts that were [lost](Self::lost).
    pub fn spent(&self, arm: ArmId) -> f64 {
        self.costs(arm).total() + self.lost(arm).total()
    }

    /// Returns all that was [spent](Self::spent), over all arms, in the study's unit: what a limit
    /// of cost counts.
    pub fn total_cost(&self) -> f64 {
        ArmId::all(self.arms()).map(|arm| self.spent(arm)).sum()
    }

    /// Seconds since the study began, as of the last reading of the clock.
    pub fn clock(&self) -> f64 {
        self.statistics.clock
    }

    /// Returns how many observations of this arm the posterior requires.
    pub fn required(&self, arm: ArmId) -> u64 {
        self.beliefs.required(arm)
    }

    /// Whether an arm is known well enough to stop on what is believed of it.
    pub fn settled(&self, arm: ArmId) -> bool {
        self.beliefs.settled(arm)
    }

    /// Returns the point estimate of an arm's mean. `None` before its first observation.
    pub fn mean(&self, arm: ArmId) -> Option<f64> {
        self.beliefs.mean(arm)
    }

    /// Returns the distribution of an arm's mean. `None` before the required observations.
    pub fn marginal(&self, arm: ArmId) -> Option<Marginal> {
        self.beliefs.marginal(arm)
    }

    /// Returns the distribution of mean(a) − mean(b). `None` before the required observations.
    pub fn difference(&self, a: ArmId, b: ArmId) -> Option<Marginal> {
        self.beliefs.difference(a, b)
    }

    /// Returns the standard deviation of the difference between one evaluation of `a` and one of
    /// `b`, on a case that both have where they share cases: the unit of distances that are given
    /// in standard deviations. `None` before the required observations.
    pub fn difference_sd(&self, a: ArmId, b: ArmId) -> Option<f64> {
        let observed = [a, b].map(|arm| self.observed(arm));
        let variance = self.beliefs.evaluation_variance(a, b, observed)?;
        Some(variance.sqrt())
    }

    /// Whether the arm can be evaluated again: until it was evaluated on every split or document
    /// that there is. An arm without one remains a candidate.
    pub fn has_case_left(&self, arm: ArmId) -> bool {
        self.cases.has(self.next_turn(arm))
    }

    /// Returns the candidates that can be evaluated again.
    pub fn with_case_left(&self) -> impl Iterator<Item = ArmId> + Clone + use<'a> {
        let view = *self;
        let candidates = self.candidates().iter().copied();
        candidates.filter(move |&arm| view.has_case_left(arm))
    }

    /// Returns the case that the arm's next evaluation will get. `None` if it has none left.
    pub fn next_case(&self, arm: ArmId) -> Option<Case> {
        self.cases.case(arm, self.next_turn(arm))
    }

    /// Returns the first candidate with an evaluation that failed and is to be made again, and the
    /// case of its next one. `None` if there is none.
    pub(crate) fn due_again(&self) -> Option<(ArmId, Case)> {
        let arms = self.candidates().iter().copied();
        let mut due = arms.filter(|arm| self.statistics.arms[arm.index()].is_due_again());
        due.find_map(|arm| Some((arm, self.next_case(arm)?)))
    }

    /// Returns the items of the pool in the random order in which arms get them, N in all; empty in
    /// a study of splits.
    pub fn pool(&self) -> &'a [u64] {
        self.cases.order()
    }

    /// Whether the arm was evaluated on this item of the pool, or is being so, or there is no such
    /// item; once or, with repeats, more often.
    pub fn has_had(&self, arm: ArmId, item: u64) -> bool {
        let turn = self.cases.place_of(item);
        turn.is_none_or(|turn| !self.statistics.arms[arm.index()].can_take(turn))
    }

    /// Returns the case of an evaluation of the arm on this item. `None` if it has had it and there
    /// are no [repeats](Self::repeats).
    pub fn case_of(&self, arm: ArmId, item: u64) -> Option<Case> {
        let statistics = &self.statistics.arms[arm.index()];
        let mut turns = self.cases.turns_at(self.cases.place_of(item)?);
        let turn = turns.find(|&turn| statistics.can_take(turn))?;
        self.cases.case(arm, turn)
    }

    /// Returns whether an arm may be asked an item again, as its answers vary
    /// ([`SelectorBuilder::repeats`](crate::SelectorBuilder::repeats)).
    pub fn repeats(&self) -> bool {
        self.cases.repeats()
    }

    /// Returns how many evaluations of the arm repeat an item that it has had; 0 without repeats.
    pub fn repeated(&self, arm: ArmId) -> u64 {
        if !self.repeats() {
            return 0;
        }
        self.statistics.arms[arm.index()].taken_from(self.cases.items())
    }

    /// Returns the case of a repeat on an item that the arm has had, if one is due. One in
    /// [`REPEATS`](crate::REPEATS) of the arm's evaluations is a repeat, the first after half as
    /// many. `None` if none is due.
    pub(crate) fn due_repeat(&self, arm: ArmId) -> Option<Case> {
        let due = (self.attempts(arm) + REPEATS / 2) / REPEATS;
        if !self.repeats() || self.repeated(arm) >= due {
            return None;
        }
        let (statistics, items) = (&self.statistics.arms[arm.index()], self.cases.items());
        // Of all repeats of items that were had, one is free after as many rounds as were made.
        let turn = (items..items.saturating_mul(due + 2))
            .find(|turn| statistics.can_take(*turn) && !statistics.can_take(turn % items))?;
        self.cases.case(arm, turn)
    }

    /// Returns the item that `leader` has answered and `arm` has not had whose answer tells most of
    /// which of the two is better. `None` where the posterior sees no difference between items.
    pub fn telling_item(&self, leader: ArmId, arm: ArmId) -> Option<u64> {
        self.with_askable(arm, |askable| {
            self.beliefs.telling_item(leader, arm, askable)
        })
    }

    /// Returns which of two arms is asked next, and on which item, where an answer tells most of
    /// which of the two is better. `None` if nothing can be asked of the two, or where the posterior
    /// leaves that to the policy.
    pub fn telling_evaluation(&self, leader: ArmId, rival: ArmId) -> Option<(ArmId, u64)> {
        self.with_askable(leader, |of_leader| {
            self.with_askable(rival, |of_rival| {
                self.beliefs
                    .telling_evaluation(leader, rival, [of_leader, of_rival])
            })
        })
    }

    /// Passes the items that an arm can be asked to `take`.
    fn with_askable<T>(&self, arm: ArmId, take: impl FnOnce(Askable<'_>) -> T) -> T {
        let statistics = &self.statistics.arms[arm.index()];
        let can = |item| {
            self.cases
                .place_of(item)
                .is_some_and(|turn| statistics.can_take(turn))
        };
        take(Askable {
            order: self.pool(),
            from: usize::try_from(statistics.first_turn()).unwrap_or(usize::MAX),
            can: &can,
        })
    }

    /// Returns which of the arm's evaluations, counted from 0, its next one is: an arm at an
    /// earlier turn lags behind.
    pub fn next_turn(&self, arm: ArmId) -> u64 {
        self.statistics.arms[arm.index()].peek_turn()
    }

    /// The arms and cases of the evaluations that are running.
    pub fn running(&self) -> impl Iterator<Item = (ArmId, Case)> + 'a {
        self.cases.running()
    }

    /// Returns the variance of mean(a) − mean(`from`) for every arm a, as it is foreseen to be once
    /// what is running has ended, and one more evaluation of `also` if given. ∞ for an arm without
    /// the required observations. `None` if `from` is without them.
    pub fn variances(&self, from: ArmId, also: Option<ArmId>) -> Option<Vec<f64>> {
        let also = also.and_then(|arm| Some((arm, self.next_case(arm)?)));
        let extra: Vec<(ArmId, Case)> = self.running().chain(also).collect();
        self.beliefs.variances(from, &extra)
    }

    /// Returns P(fewer than [`top`](Self::top) candidates' means exceed that of `arm` by more than
    /// `margin`): that it is one of the best, or within the margin of them. `None` before the
    /// required observations of every candidate.
    pub fn within(&self, arm: ArmId, margin: f64) -> Option<f64> {
        let candidates = self.candidates();
        self.all_known().then(|| match self.top {
            1 => self.beliefs.within(arm, margin, candidates),
            top => {
                let favoured = Some((arm, margin));
                self.beliefs
                    .belief_of_top(top, candidates, favoured)
                    .of(arm)
            }
        })
    }

    /// Returns which candidates, [`top`](Self::top) of them, can be named with the posterior's own
    /// account of how often one looks ([`Posterior::claim_of_top`]). `None` where it has none, or before the required observations of
    /// every candidate.
    pub fn claim(&self, margin: f64) -> Option<Claim> {
        self.all_known().then(|| {
            self.beliefs
                .claim_of_top(self.top, margin, self.candidates())
        })?
    }

    /// Returns whether the mean of `one` is at most `distance` below that of `other`, with the posterior's own account
    /// of how often one looks ([`Posterior::claim_of_distance`]). `None` where it has none, or before the required
    /// observations of every candidate.
    pub fn claim_of_distance(
        &self,
        one: ArmId,
        other: ArmId,
        distance: f64,
    ) -> Option<DistanceClaim> {
        let claim = || self.beliefs.claim_of_distance(one, other, distance);
        self.all_known().then(claim)?
    }

    /// Returns how strong the stopping rule's own evidence is that `leader` is better than `arm`,
    /// in nats, ∞ once it suffices. `None` if the rule tests no pairs.
    pub fn evidence(&self, leader: ArmId, arm: ArmId) -> Option<f64> {
        self.evidence.between(self, leader, arm)
    }

    /// Returns the least and the greatest difference of the means of `leader` and `arm` that the
    /// stopping rule's own test does not reject. `None` if the rule has no such interval.
    pub fn interval(&self, leader: ArmId, arm: ArmId) -> Option<(f64, f64)> {
        self.evidence.interval(leader, arm)
    }

    /// Returns how an arm stands in one of the demands that the stopping rule makes of it
    /// ([`StoppingRule::demand`](crate::StoppingRule::demand)).
    pub fn demand(&self, arm: ArmId, number: usize) -> Option<Demand> {
        self.evidence.demand(arm, number)
    }

    /// Draws all means jointly, into a slice of length K; −∞ for arms without the required observations.
    pub fn draw(&self, rng: &mut dyn Rng, means: &mut [f64]) {
        self.beliefs.draw(rng, means);
    }

    /// Returns P(best) of every arm, or P(among the best [`top`](Self::top)); none while a candidate
    /// lacks the observations that the posterior requires.
    pub fn belief(&self) -> Option<&'a Belief> {
        self.belief
            .get_or_init(|| {
                self.all_known().then(|| {
                    self.beliefs
                        .belief_of_top(self.top, self.candidates(), None)
                })
            })
            .as_ref()
    }

    /// Returns whether P(best) of the arm is at least `least`, or nothing is known of it.
    pub(crate) fn may_be_best(&self, arm: ArmId, least: f64) -> bool {
        least <= 0.0 || self.belief().is_none_or(|belief| belief.of(arm) >= least)
    }

    fn all_known(&self) -> bool {
        let known = |&arm: &ArmId| self.observed(arm) >= self.required(arm);
        !self.candidates().is_empty() && self.candidates().iter().all(known)
    }

    /// Returns the candidate with the highest point estimate, the first of equals; arms without any
    /// observation come last. `None` only if there is no candidate.
    pub fn empirical_best(&self) -> Option<ArmId> {
        let mut best: Option<(ArmId, f64)> = None;
        for &arm in self.candidates() {
            let mean = self.mean(arm).unwrap_or(f64::NEG_INFINITY);
            if best.is_none_or(|(_, highest)| mean > highest) {
                best = Some((arm, mean));
            }
        }
        best.map(|(arm, _)| arm)
    }
}
