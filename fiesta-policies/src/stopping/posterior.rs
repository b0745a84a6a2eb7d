//! Stopping when the posterior probability of being best reaches 1 − δ.

use super::{Distance, ToleranceError};
use fiesta_core::{ArmId, Claim, Reason, StoppingRule, Verdict, View};

/// Number of evaluations that the arm that is named and its closest rival need each.
pub const LEAST_EVALUATIONS: u64 = 8;

/// How far apart arms may be at most that are called tied, by default.
pub const TIE: Distance = Distance::Sd(0.3);

/// The share of the distance within which arms have to be to be called tied within the distance.
/// Where the best is ahead by the distance itself, a tie is looked for after every evaluation, by an
/// estimated standard deviation: without a reserve half of such ties are false, and with the arms
/// that are named wrong answers exceed δ.
const RESERVE: f64 = 0.9;

/// The least probability at which arms are called tied, however low the confidence.
const TIE_LEVEL: f64 = 0.9;

/// Stops when some arm's posterior probability of being best reaches 1 − δ, and recommends it; or
/// when the arms that may be the best cannot be told apart.
///
/// Early lucky leads are what makes a posterior err that is looked at after every evaluation. So
/// the arm that is named and the one that is most probably best after it must have eight
/// evaluations each, and be [settled](fiesta_core::Posterior::settled). Simulated with the posterior
/// [`Paired`](https://docs.rs/fiesta-posterior), the rule named another arm than the best in no more
/// than δ of runs wherever the closest rival was .2 standard deviations of a paired difference away
/// or farther, and in less where it was farther than .3. Nearer than that it errs more often; no
/// rule of this kind can promise more. The rule of FIESTA and of Haffari et al. (EACL 2017) waits
/// for nothing: [`at_once`](Self::at_once).
///
/// A posterior that accounts for the looks itself ([`View::claim`], such as that of a pool of items)
/// needs no such wait: the study ends when it can claim an arm with an error of at most δ.
///
/// # Ties
/// Let T be the fewest arms, but at least two, from the most probably best on, that contain the
/// best with probability 1 − δ, or .9 if that is more. If each arm of T is within .9·ε of the best
/// with this probability (two one-sided tests, for two arms), the study ends with [`Reason::Tied`],
/// which says that they are within ε: more evaluations would cost much and gain little. ε is .3 standard deviations of the difference
/// between one evaluation of each of the two most probably best arms ([`TIE`]), or what
/// [`tied_within`](Self::tied_within) says.
///
/// # Several arms
/// Where the best k arms are sought ([`View::top`]), a set of k takes the leader's place: it is named
/// with [`Reason::Top`] when the expected number of its arms that are none of the k best is at most
/// δ, which is no less than the probability that another arm is better than any of them. All k arms
/// and their closest rival must have eight evaluations. T then has at least k + 1 arms, which contain
/// the k best, and near the best is near these.
///
/// # Strictness
/// Of two equal arms, one is nevertheless named in about half of all studies: by chance, one of
/// them is far ahead at some time. With [`strict`](Self::strict) an arm is named at the probability
/// 1 − δ² only, which makes that as rare as 2δ, for more evaluations.
///
/// # Example
/// ```
/// use fiesta_policies::stopping::{Distance, PosteriorThreshold};
/// let rule = PosteriorThreshold::new(0.95)?.strict().tied_within(Distance::Score(0.002))?;
/// assert!((rule.names_at() - 0.9975).abs() < 1e-12);
/// # Ok::<(), fiesta_policies::stopping::ToleranceError>(())
/// ```
///
/// Sources: Moss et al. (ACL 2019) for the threshold; Schuirmann, "A comparison of the two
/// one-sided tests procedure" (1987), for equivalence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PosteriorThreshold {
    level: f64,
    names_at: f64,
    tie: Distance,
    waits: bool,
}

/// The error for a level that is no confidence.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the confidence {0} must lie strictly between 0.5 and 1{hint}", hint = share(*.0))]
pub struct LevelError(f64);

/// Returns a hint for a level that was given in percent: ": 95 % is 0.95". Empty for other levels.
fn share(level: f64) -> String {
    if level > 50.0 && level < 100.0 {
        format!(": {level} % is {}", level / 100.0)
    } else {
        String::new()
    }
}

impl PosteriorThreshold {
    /// Returns a rule that stops at the probability `level` = 1 − δ.
    ///
    /// # Errors
    /// [`LevelError`] unless ½ < level < 1.
    pub fn new(level: f64) -> Result<Self, LevelError> {
        checked(level).map(|level| Self {
            level,
            names_at: level,
            tie: TIE,
            waits: true,
        })
    }

    /// Returns the papers' rule to the letter: stops as soon as the posterior says so, however
    /// little has been observed, and never at a tie.
    ///
    /// For repeating what they measured. A posterior that speaks after one evaluation of each arm
    /// is often wrong then.
    ///
    /// # Errors
    /// [`LevelError`] unless ½ < level < 1.
    pub fn at_once(level: f64) -> Result<Self, LevelError> {
        checked(level).map(|level| Self {
            level,
            names_at: level,
            tie: Distance::ZERO,
            waits: false,
        })
    }

    /// Sets that the rule names an arm at the probability 1 − δ² only.
    #[must_use]
    pub fn strict(self) -> Self {
        let error = 1.0 - self.level;
        Self {
            names_at: 1.0 - error * error,
            ..self
        }
    }

    /// Sets that the rule calls arms tied that are no farther than this from the best; 0 never does.
    ///
    /// # Errors
    /// [`ToleranceError`] unless it is finite and at least 0.
    pub fn tied_within(self, tie: Distance) -> Result<Self, ToleranceError> {
        let tie = tie.checked()?;
        Ok(Self { tie, ..self })
    }

    /// Returns the level 1 − δ.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// Returns the probability at which an arm is named: the level, or 1 − δ² if it is strict.
    pub fn names_at(&self) -> f64 {
        self.names_at
    }

    /// Returns a tie of the arms that may be the best, if each of them is within the distance of
    /// the best. `last` is the last of the arms that would be named.
    fn tie(&self, view: &View<'_>, last: ArmId) -> Option<Reason> {
        if self.tie.is_zero() {
            return None;
        }
        let level = self.level.max(TIE_LEVEL);
        let arms = most_probably_best(view, level)?;
        let &rival = arms.get(view.top())?;
        // Where nothing varies any more, arms are equal or they are not.
        let tolerance = self.tie.in_scores(view, last, rival)?;
        if tolerance <= 0.0 {
            return None;
        }
        // The last is the least likely to be near the best.
        let mut from_last = arms.iter().rev();
        let nearer = RESERVE * tolerance;
        let is_near = |&arm: &ArmId| view.within(arm, nearer).is_some_and(|p| p >= level);
        from_last.all(is_near).then_some(Reason::Tied {
            level,
            tolerance,
            arms,
        })
    }

    /// Returns the verdict where these arms lead and cannot be named.
    fn tied(&self, view: &View<'_>, leaders: &[ArmId]) -> Verdict {
        let last = leaders.iter().take(view.top()).next_back();
        match last.and_then(|&last| self.tie(view, last)) {
            Some(tie) => Verdict::Stop(leaders[0], tie),
            None => Verdict::Continue,
        }
    }
}

pub(super) fn checked(level: f64) -> Result<f64, LevelError> {
    if level > 0.5 && level < 1.0 {
        Ok(level)
    } else {
        Err(LevelError(level))
    }
}

impl<O> StoppingRule<O> for PosteriorThreshold {
    /// Returns an arm that lacks evaluations while another would be named but for them. Ties come
    /// about after many evaluations only, and ask for none.
    fn lacking(&self, view: &View<'_>, chosen: ArmId) -> Option<ArmId> {
        if !self.waits || !may_lack(view, LEAST_EVALUATIONS) {
            return None;
        }
        let (leaders, probability) = leaders(view)?;
        let is_named = probability >= self.names_at;
        is_named.then(|| lacking(view, &leaders, chosen, LEAST_EVALUATIONS))?
    }

    fn check(&self, view: &View<'_>) -> Verdict {
        if self.waits
            && let Some(claim) = view.claim(0.0)
        {
            return match named(view, &claim, 1.0 - self.names_at, self.level, None) {
                Verdict::Continue => self.tied(view, &claim.arms),
                stop @ Verdict::Stop(..) => stop,
            };
        }
        let known = leaders(view);
        let Some((arms, probability)) =
            known.filter(|(arms, _)| !self.waits || are_known(view, arms))
        else {
            return Verdict::Continue;
        };
        if probability >= self.names_at {
            return Verdict::Stop(arms[0], reason(view, self.level, None, arms));
        }
        self.tied(view, &arms)
    }
}

/// Returns the reason to name these arms: with a tolerance, those that are near enough to the best.
pub(super) fn reason(
    view: &View<'_>,
    level: f64,
    tolerance: Option<f64>,
    arms: Vec<ArmId>,
) -> Reason {
    match (view.top(), tolerance) {
        (1, None) => Reason::PosteriorProbability { level },
        (1, Some(tolerance)) => Reason::Tolerance { level, tolerance },
        (_, tolerance) => Reason::Top {
            level,
            tolerance: tolerance.unwrap_or(0.0),
            arms,
        },
    }
}

/// Returns the verdict on a claim: to stop if it errs rarely enough, with as many arms as are sought,
/// within a tolerance if there is one, or with more arms of which some are known to be equal.
pub(super) fn named(
    view: &View<'_>,
    claim: &Claim,
    delta: f64,
    level: f64,
    tolerance: Option<f64>,
) -> Verdict {
    let arms = claim.arms.clone();
    let Some(&arm) = arms.first().filter(|_| claim.error <= delta) else {
        return Verdict::Continue;
    };
    let reason = if arms.len() <= view.top() {
        reason(view, level, tolerance, arms)
    } else {
        let tolerance = 0.0;
        Reason::Tied {
            level,
            tolerance,
            arms,
        }
    };
    Verdict::Stop(arm, reason)
}

/// Returns the arms that are most probably the best, as many as are sought, and the probability that
/// they are. `None` before there is a belief.
pub(super) fn leaders(view: &View<'_>) -> Option<(Vec<ArmId>, f64)> {
    let belief = view.belief()?;
    let arms = belief.leaders(view.top());
    let probability = belief.of_all(&arms);
    Some((arms, probability))
}

/// Whether these arms and their closest rival have the evaluations that a rule waits for. What cannot
/// be evaluated any more is known as well as it will ever be.
pub(super) fn are_known(view: &View<'_>, arms: &[ArmId]) -> bool {
    let is_known = |arm| {
        let enough = view.observed(arm) >= LEAST_EVALUATIONS;
        !view.has_case_left(arm) || (enough && view.settled(arm))
    };
    arms.iter().copied().all(is_known) && rival(view, arms).is_none_or(is_known)
}

/// Whether some candidate may lack evaluations that a rule waits for, `least` of each. Under a
/// posterior whose claim accounts for repeated looks, the rule waits for none.
pub(super) fn may_lack(view: &View<'_>, least: u64) -> bool {
    let mut candidates = view.candidates().iter();
    candidates.any(|&arm| lacks(view, arm, least)) && view.claim(0.0).is_none()
}

/// Whether an arm lacks some of this many evaluations, and can be evaluated. Those that are running
/// count.
fn lacks(view: &View<'_>, arm: ArmId, least: u64) -> bool {
    view.observed(arm) + view.pending(arm) < least && view.has_case_left(arm)
}

/// Returns which of `leaders` and their closest rival is evaluated in place of `chosen`: the one with
/// the fewest evaluations, the first leader of equals. `None` if none lacks any, or `chosen` has fewer
/// than this many itself: policies that spread their evaluations then decide as they always did.
pub(super) fn lacking(
    view: &View<'_>,
    leaders: &[ArmId],
    chosen: ArmId,
    least: u64,
) -> Option<ArmId> {
    let expected = |arm: ArmId| view.observed(arm) + view.pending(arm);
    if expected(chosen) < least {
        return None;
    }
    let all = leaders.iter().copied().chain(rival(view, leaders));
    let lacking = all.filter(|&arm| lacks(view, arm, least));
    lacking.min_by_key(|&arm| expected(arm))
}

/// Returns the fewest candidates, but at least one more than are sought, from the most probably best
/// on, that contain the best with this probability, or as many best ones as are sought. `None` before
/// there is a belief.
fn most_probably_best(view: &View<'_>, probability: f64) -> Option<Vec<ArmId>> {
    let belief = view.belief()?;
    let mut arms = view.candidates().to_vec();
    arms.sort_by(|&a, &b| belief.of(b).total_cmp(&belief.of(a)));
    // What is known of the others leaves less than one of the best outside.
    let mut sum = 1.0 - view.top() as f64;
    let reached = arms.iter().position(|&arm| {
        sum += belief.of(arm);
        sum >= probability
    });
    if let Some(last) = reached {
        arms.truncate((last + 1).max(view.top() + 1));
    }
    Some(arms)
}

/// Returns the candidate that is most probably best after `leaders`, or while there is no belief the
/// one with the highest mean. `None` if there is no other.
pub(super) fn rival(view: &View<'_>, leaders: &[ArmId]) -> Option<ArmId> {
    let belief = view.belief();
    let promise = |arm: ArmId| match belief {
        Some(belief) => belief.of(arm),
        None => view.mean(arm).unwrap_or(f64::NEG_INFINITY),
    };
    let others = view.candidates().iter().copied();
    let others = others.filter(|arm| !leaders.contains(arm));
    others.max_by(|&a, &b| promise(a).total_cmp(&promise(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certainty_and_coins_are_no_confidence() {
        for level in [1.0, 1.5, 0.5, 0.0, -0.1, f64::NAN] {
            assert!(PosteriorThreshold::new(level).is_err());
            assert!(PosteriorThreshold::at_once(level).is_err());
        }
        assert!(PosteriorThreshold::new(0.999).is_ok());
    }
}
