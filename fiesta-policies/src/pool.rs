//! Policy for a pool of items: the leader's closest rival answers what tells most of the two.

use fiesta_core::{ArmId, Next, Policy, View};
use rand::Rng;

/// Number of standard deviations by which another arm has to be ahead to become the leader.
const CHANGES: f64 = 0.3;
/// Ratio ρ of the variance of a lead that an answer of the leader takes away to the variance that a rival's answer takes away.
const AHEAD: f64 = 0.2;

/// Compares the leader with the rival that is most probably better, item by item.
///
/// If that rival lacks items that the leader has answered, it answers the one that tells most of
/// the two ([`View::telling_item`]): under the posterior [`Pool`](https://docs.rs/fiesta-posterior)
/// the next of those on which the leader was right, or of those on which it was wrong, whichever
/// take away more of the variance of the difference. Else the leader answers the next item of the
/// pool's random order. The leader stays until another arm is ahead of it by .3 standard deviations
/// of what is known of the two, as every rival is compared with it anew. A rival that is known on
/// all items, or known to lag, is let alone.
///
/// Where answers vary ([`View::repeats`]) nothing is known on all items, and two arms that are
/// equal would be asked for ever. Once the leader and its closest rival have answered all items,
/// the leader is compared with the rival for which exp(−z²/2)/n is greatest, z the lead in standard
/// deviations and n the rival's evaluations, as one answer takes away some n-th part of the
/// variance; of two that have answered all items the one with fewer answers is asked again.
///
/// What answers cost makes no difference, unless it is told to run [`ahead`](Self::ahead).
///
/// Under a posterior that sees no difference between items, and where there is no pool, the one of
/// the two that had fewer evaluations goes first.
///
/// Where k arms are sought ([`View::top`]), of all pairs of one of the k highest means and another arm
/// the one is compared for which exp(−z²/2)/n is greatest, with the n evaluations of the one of the two
/// that had fewer items: the closest pair alone would be asked for ever where its two arms are equal.
/// That arm answers the next item of the random order, as items that were chosen by the outcomes of
/// one arm are no sample for the others.
///
/// # Example
/// ```
/// use fiesta_core::{Arms, Ask, Design, Event, Outcome, Selector};
/// use fiesta_policies::{PoolPolicy, stopping::PosteriorThreshold};
///
/// // Right on 3 of 4 and on 2 of 4 of 400 questions.
/// let right = |arm: usize, item: u64| item % 4 < if arm == 0 { 3 } else { 2 };
/// let posterior = fiesta_posterior::Pool::new(2, 400);
/// let rule = PosteriorThreshold::new(0.95)?;
/// let mut selector = Selector::builder(Arms::new(["new", "old"])?, posterior, PoolPolicy::default(), rule)
///     .design(Design::Items { count: 400 })
///     .build()?;
/// let conclusion = loop {
///     match selector.ask()? {
///         Ask::Evaluate(e) => {
///             let score = f64::from(u8::from(right(e.arm.index(), e.case.split)));
///             selector.tell(Event::Ended { id: e.id, outcome: Outcome::Observed(score), cost: 1.0 })?;
///         }
///         Ask::Wait => unreachable!("nothing is pending"),
///         Ask::Finished(conclusion) => break conclusion,
///     }
/// };
/// assert_eq!(selector.arms().name(conclusion.arm), "new");
/// assert!(conclusion.evaluations < 200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PoolPolicy {
    leader: Option<ArmId>,
    is_to_run_ahead: bool,
}

impl PoolPolicy {
    /// Makes the policy with this last leader.
    pub(super) fn led_by(leader: Option<ArmId>) -> Self {
        Self {
            leader,
            ..Self::default()
        }
    }

    /// Makes the policy whose leader runs ahead of dearer rivals, as the items on which only the
    /// leader is known tell how many of either kind there are. The leader answers on while c_a·n_a²
    /// < ρ·Σ_j max(0, c_j − c_a)·n_j², with the costs c of an answer ([`View::expected_cost`]), the
    /// numbers n of evaluations and ρ = .2. Where all prices are equal, it never does.
    ///
    /// At prices of 1 and 20 a verdict was from 11 % cheaper to 9 % dearer for it, the same in the
    /// mean (docs/pools.md).
    pub fn ahead() -> Self {
        Self {
            is_to_run_ahead: true,
            ..Self::default()
        }
    }

    /// Returns the leader, which is the last one unless another arm is ahead of it, and its closest
    /// rival.
    pub(super) fn leader(self, view: &View<'_>) -> Option<(ArmId, Option<(f64, ArmId)>)> {
        let kept = self.leader.filter(|arm| view.candidates().contains(arm));
        let mut leader = kept.or_else(|| view.empirical_best())?;
        for _ in view.candidates() {
            match closest(view, leader, None) {
                Some((z, ahead)) if z < -CHANGES => leader = ahead,
                rival => return Some((leader, rival)),
            }
        }
        Some((leader, closest(view, leader, None)))
    }
}

/// Returns the closest rival that comes after `last`, with the leader's z against it. Rivals are
/// found one at a time, as the first one nearly always suffices.
pub(super) fn closest(
    view: &View<'_>,
    leader: ArmId,
    last: Option<(f64, ArmId)>,
) -> Option<(f64, ArmId)> {
    let lead = |&arm: &ArmId| (lead(view, leader, arm), arm);
    let others = view.candidates().iter().filter(|&&arm| arm != leader);
    let next = others
        .map(lead)
        .filter(|&one| last.is_none_or(|last| is_before(last, one)));
    next.reduce(|least, one| if is_before(one, least) { one } else { least })
}

/// Returns the rival that is compared with the leader next. Where answers vary and leader and
/// closest rival have had all items it may be another one, else the closest.
fn worthwhile(view: &View<'_>, leader: ArmId, closest: (f64, ArmId)) -> (f64, ArmId) {
    let items = view.pool().len() as u64;
    let is_through = |arm| items_had(view, arm) >= items;
    if !view.repeats() || !is_through(leader) || !is_through(closest.1) {
        return closest;
    }
    let worth = |(z, arm): (f64, ArmId)| {
        let z = z.max(0.0);
        (-0.5 * z * z).exp() / view.attempts(arm).max(1) as f64
    };
    let rivals = view.candidates().iter().copied();
    let rivals = rivals.filter(|&arm| arm != leader && arm != closest.1);
    rivals.fold(closest, |best, arm| {
        let other = (lead(view, leader, arm), arm);
        if worth(other) > worth(best) {
            other
        } else {
            best
        }
    })
}

fn lead(view: &View<'_>, leader: ArmId, arm: ArmId) -> f64 {
    let lead = view.difference(leader, arm);
    lead.map_or(0.0, |lead| lead.location / lead.scale)
}

/// Returns the next evaluation where several arms are sought: of the pair of an arm inside and one
/// outside for which exp(−z²/2)/n is greatest, the arm that had fewer items, n of them.
fn at_the_boundary(view: &View<'_>) -> Option<Next> {
    let inside = view.inside();
    let outside = view.candidates().iter().filter(|arm| !inside.contains(arm));
    let pairs = outside.flat_map(|&rival| inside.iter().map(move |&arm| [arm, rival]));
    let open = pairs.filter_map(|pair| {
        let left = pair.into_iter().filter(|&arm| view.has_case_left(arm));
        let arm = left.min_by_key(|&arm| progress(view, arm))?;
        let z = lead(view, pair[0], pair[1]).max(0.0);
        let rareness = (view.attempts(arm).max(1) as f64).ln();
        Some((0.5 * z * z + rareness, arm))
    });
    let (_, arm) = open.min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Next::Evaluate(arm))
}

fn is_before(one: (f64, ArmId), other: (f64, ArmId)) -> bool {
    one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)).is_lt()
}

/// Returns how many items an arm has had, or its evaluations where it has had none twice.
fn items_had(view: &View<'_>, arm: ArmId) -> u64 {
    view.attempts(arm) - view.repeated(arm)
}

/// Returns the number of items that an arm has had; once it has had them all, the number of its
/// evaluations.
fn progress(view: &View<'_>, arm: ArmId) -> u64 {
    let had = items_had(view, arm);
    if had < view.pool().len() as u64 {
        had
    } else {
        view.attempts(arm)
    }
}

/// Whether both arms of a pair have had all their items, so that no answer tells more.
fn is_known(view: &View<'_>, leader: ArmId, arm: ArmId) -> bool {
    let nothing_left = |arm| !view.has_case_left(arm) && view.pending(arm) == 0;
    nothing_left(leader) && nothing_left(arm)
}

/// Whether another answer of the leader is worth more at its price than one of the dearer rivals:
/// the least cost at which leads have given variances a/n_a + b/n_j has c_a·n_a² = Σ_j
/// (a/b)·c_j·n_j².
fn runs_ahead(view: &View<'_>, leader: ArmId) -> bool {
    if view.pool().is_empty() || !view.has_case_left(leader) {
        return false;
    }
    let cost = view.expected_cost(leader);
    let square = |arm| (view.attempts(arm) as f64).powi(2);
    let dearer = view.candidates().iter().filter(|&&arm| arm != leader);
    let of_rivals = |&arm| (view.expected_cost(arm) - cost).max(0.0) * square(arm);
    cost * square(leader) < AHEAD * dearer.map(of_rivals).sum::<f64>()
}

impl Policy for PoolPolicy {
    fn next(&mut self, view: &View<'_>, _rng: &mut dyn Rng) -> Next {
        if view.top() > 1 {
            return at_the_boundary(view).unwrap_or(Next::Wait);
        }
        let Some((leader, first)) = self.leader(view) else {
            return Next::Wait;
        };
        let mut next = None;
        // What the leader left out as a rival, the others need to be compared with it.
        if view.has_case_left(leader) && view.next_turn(leader) < items_had(view, leader) {
            next = Some(Next::Evaluate(leader));
        }
        if next.is_none() && self.is_to_run_ahead && runs_ahead(view, leader) {
            next = Some(Next::Evaluate(leader));
        }
        let mut rivals = first.map(|closest| worthwhile(view, leader, closest));
        while let (None, Some((z, rival))) = (next, rivals) {
            if is_known(view, leader, rival) {
                rivals = closest(view, leader, Some((z, rival)));
                continue;
            }
            if let Some(item) = view.telling_item(leader, rival) {
                next = Some(Next::EvaluateOn(rival, item));
            } else if view.pool().is_empty() || progress(view, rival) < progress(view, leader) {
                next = view.has_case_left(rival).then_some(Next::Evaluate(rival));
            }
            if next.is_none() && view.has_case_left(leader) {
                next = Some(Next::Evaluate(leader));
            }
            if next.is_none() {
                rivals = closest(view, leader, Some((z, rival)));
            }
        }
        let left = || view.with_case_left().next().map(Next::Evaluate);
        match next.or_else(left) {
            Some(next) => {
                self.leader = Some(leader);
                next
            }
            None => Next::Wait,
        }
    }
}
