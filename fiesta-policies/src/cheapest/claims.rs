//! The cheapest arm that is good enough by the claims of a posterior that accounts for how often one looks itself.
//!
//! Let G be the arms that are at most a distance D below the best. For two arms the posterior claims that one is, or is
//! not, at most D below the other, and errs with probability h if the truth is on the other side of the boundary. An
//! arm a is named when
//!
//! 1. a is claimed to be at most D below each other arm: a ∈ G,
//! 2. each arm b that is cheaper is claimed to be more than D below some arm: b ∉ G.
//!
//! δ is spent as follows. Let g be the cheapest arm of G. A dearer arm is named only if 2 is claimed of g, and another
//! arm only if 1 is claimed of an arm a ∉ G that is no dearer: falsely of the pair of a and the best. So with m arms
//! that may be such an a, errors are at most δ if each of these claims has an error of δ/m and m is always the same. m counts arm a itself and
//! those that are not dearer, as each had its chance to be named; and of the dearer ones those that are not known to be
//! far from the boundary, each by w(z) = exp(−(|z| − 1)²/2), or 1 if |z| < 1. It is at most K − 1, as the best is in G.
//! w is a choice, not derived: simulated studies err less than δ (docs/measures.md).
//! The claim that b ∉ G has the share of b and of the arms that are not dearer than b, and may be false of each arm that
//! may be D above b: these are counted by w(z) where they are less than D above b.
//!
//! Several arms that have to be led do not count several times: the claim of 1 is false of the best.

use super::{
    Answer, Doubt, NO_DOUBT, Told,
    costs::{Costs, probability_cheaper},
};
use fiesta_core::{ArmId, DistanceClaim, View};

/// Claims of a posterior about the distance of each pair of arms, and the arms that may be cheaper than each.
pub(super) struct Claims {
    arms: Vec<ArmId>,
    /// Claim at place·K + other that the arm is at most D below the other; the arm itself has none.
    pairs: Vec<Option<DistanceClaim>>,
    /// Whether the arm at place·K + other may be cheaper than the other.
    cheaper: Vec<bool>,
}

impl Claims {
    /// Asks the posterior for the claims of all pairs of candidates. `None` if it has none.
    pub(super) fn of(view: &View<'_>, within: f64) -> Option<Self> {
        let arms = view.candidates().to_vec();
        let all = || {
            arms.iter()
                .flat_map(|&one| arms.iter().map(move |&other| (one, other)))
        };
        let claim = |(one, other)| {
            let claim = || view.claim_of_distance(one, other, within);
            (one != other).then(claim)?
        };
        let pairs: Vec<Option<DistanceClaim>> = all().map(claim).collect();
        if pairs.iter().all(Option::is_none) {
            return None;
        }
        let cheaper = |(one, other)| {
            let costs = [one, other].map(|arm| Costs::of(view, arm));
            one != other && probability_cheaper(costs) > NO_DOUBT
        };
        Some(Self {
            pairs,
            cheaper: all().map(cheaper).collect(),
            arms,
        })
    }

    /// Returns the arm for which the weakest of the claims that it needs is the strongest, with what speaks against it.
    pub(super) fn answer(&self) -> Option<Answer> {
        let places = 0..self.arms.len();
        let weakest = |place: &usize| {
            let refuted = self.cheaper_than(*place).map(|other| -self.nearness(other));
            refuted.fold(self.nearness(*place), f64::min)
        };
        let best = places.max_by(|a, b| weakest(a).total_cmp(&weakest(b)))?;
        Some(Answer {
            arm: self.arms[best],
            doubts: self.doubts(best),
            is_claim: true,
        })
    }

    /// Returns the claims about an arm, with the place of the other arm of each.
    fn claims(&self, place: usize) -> impl Iterator<Item = (usize, DistanceClaim)> {
        let count = self.arms.len();
        let claims = self.pairs.iter().skip(place * count).take(count);
        claims
            .enumerate()
            .filter_map(|(other, claim)| Some((other, (*claim)?)))
    }

    fn cheaper_than(&self, place: usize) -> impl Iterator<Item = usize> {
        let count = self.arms.len();
        (0..count).filter(move |other| self.cheaper[other * count + place])
    }

    /// Returns how many arms are not dearer than this one, with itself.
    fn not_dearer(&self, place: usize) -> f64 {
        let count = self.arms.len();
        let dearer = (0..count).filter(|&other| self.is_dearer(other, place));
        (count - dearer.count()) as f64
    }

    /// Whether one arm is certainly dearer than another.
    fn is_dearer(&self, one: usize, other: usize) -> bool {
        let count = self.arms.len();
        self.cheaper[other * count + one] && !self.cheaper[one * count + other]
    }

    /// Returns how far an arm is above the boundary of G, in standard deviations of the pair that says least for it.
    fn nearness(&self, place: usize) -> f64 {
        let all = self.claims(place).map(|(_, claim)| claim.z);
        all.fold(f64::INFINITY, f64::min)
    }

    /// Returns how far an arm may be said to be at the boundary of G: 1 if it is there, 0 if it is known not to be.
    fn at_boundary(&self, place: usize) -> f64 {
        let claims = self.claims(place).map(|(_, claim)| claim);
        let least = claims.min_by(|a, b| a.z.total_cmp(&b.z));
        least.map_or(0.0, |claim| rareness(&claim))
    }

    /// Returns the most claims that can be false, of K arms.
    fn most(&self) -> f64 {
        (self.arms.len().max(2) - 1) as f64
    }

    /// Returns all that has to be claimed of an arm, each error with the number of claims that it may be one of.
    fn doubts(&self, place: usize) -> Vec<Doubt> {
        let arm = self.arms[place];
        let dearer = (0..self.arms.len()).filter(|&other| self.is_dearer(other, place));
        let dearer = dearer.map(|other| self.at_boundary(other)).sum::<f64>();
        let near = (self.not_dearer(place) + dearer).min(self.most());
        let own = self.claims(place).map(|(other, claim)| Doubt {
            error: (near * error(&claim, 1.0)).min(1.0),
            between: [arm, self.arms[other]],
            told: Told::Items,
        });
        let refuted = self
            .cheaper_than(place)
            .filter_map(|other| self.refuted(other));
        own.chain(refuted).collect()
    }

    /// Returns the doubt that an arm is not in G: that no arm is more than D above it.
    fn refuted(&self, place: usize) -> Option<Doubt> {
        let before = self.not_dearer(place).min(self.most());
        let above = self
            .claims(place)
            .map(|(_, claim)| if claim.z < 0.0 { 1.0 } else { rareness(&claim) });
        let above = above.sum::<f64>().clamp(1.0, self.most());
        let least = self.claims(place).min_by(|a, b| {
            let [a, b] = [a.1, b.1];
            error(&a, -1.0)
                .total_cmp(&error(&b, -1.0))
                .then(a.z.total_cmp(&b.z))
        });
        let (rival, claim) = least?;
        Some(Doubt {
            error: (before * above * error(&claim, -1.0)).min(1.0),
            between: [self.arms[place], self.arms[rival]],
            told: Told::Items,
        })
    }
}

/// Returns how probable z is for an arm at the boundary, beside |z| = 1 and at most 1. 0 where all is known.
fn rareness(claim: &DistanceClaim) -> f64 {
    if claim.error > 0.0 {
        (-0.5 * (claim.z.abs() - 1.0).max(0.0).powi(2)).exp()
    } else {
        0.0
    }
}

/// Returns the error of saying that the truth of a claim is on this side of the boundary, 1 or −1.
fn error(claim: &DistanceClaim, side: f64) -> f64 {
    if claim.z * side > 0.0 {
        claim.error
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the claims of three arms, the first the cheapest, with this z of each arm beside each other one and the
    /// same error h, and with the arms that are cheaper than which.
    fn claims(z: [[f64; 3]; 3], h: f64) -> Claims {
        let pair = |place: usize| {
            let (one, other) = (place / 3, place % 3);
            let claim = DistanceClaim {
                z: z[one][other],
                error: h,
            };
            (one != other).then_some(claim)
        };
        Claims {
            arms: ArmId::all(3).collect(),
            pairs: (0..9).map(pair).collect(),
            cheaper: (0..9).map(|place| place / 3 < place % 3).collect(),
        }
    }

    fn named(z: [[f64; 3]; 3], h: f64) -> (usize, f64) {
        let answer = claims(z, h).answer().unwrap();
        (answer.arm.index(), answer.error())
    }

    /// Tests, by hand, how many false claims share δ: the dearest arm is the best, and ahead of all.
    #[test]
    fn an_error_is_shared_by_the_claims_that_may_be_false() {
        let (h, far) = (0.01, 9.0);
        let best = [far, far, 0.0];
        // The cheapest is good enough. The second is at the boundary, or far beyond it.
        let (arm, error) = named([[0.0, far, 3.0], [far, 0.0, -0.5], best], h);
        assert!(arm == 0 && (error - 2.0 * h).abs() < 1e-9, "{error}");
        let (arm, error) = named([[0.0, far, 3.0], [far, 0.0, -far], best], h);
        assert!(arm == 0 && (error - h).abs() < 1e-9, "{error}");
        // The second is: the cheapest, which is not, could have been named falsely before.
        let (arm, error) = named([[0.0, far, -3.0], [far, 0.0, 3.0], best], h);
        assert!(arm == 1 && (error - 2.0 * h).abs() < 1e-9, "{error}");
        // Two equal arms may each be the distance above the cheapest by chance.
        let (arm, error) = named([[0.0, -3.0, -3.0], [far, 0.0, 3.0], best], h);
        assert!(arm == 1 && (error - 2.0 * h).abs() < 1e-9, "{error}");
        // The best is: of the two that are not, either could have been named. Two arms are above the cheapest.
        let (arm, error) = named([[0.0, -3.0, -3.0], [far, 0.0, -3.0], best], h);
        assert!(arm == 2 && (error - 2.0 * h).abs() < 1e-9, "{error}");
    }

    /// Tests that an arm which costs the same and is known to be out had its chance to be named.
    #[test]
    fn arms_at_one_price_share_the_error() {
        let h = 0.01;
        let mut equal = claims([[0.0, 9.0, 3.0], [9.0, 0.0, -9.0], [9.0, 9.0, 0.0]], h);
        for place in [1, 3] {
            equal.cheaper[place] = false;
        }
        let answer = equal.answer().unwrap();
        assert!((answer.error() - 2.0 * h).abs() < 1e-9, "{answer:?}");
    }

    /// Tests that nothing is named where one claim is open, and that what is known has no error.
    #[test]
    fn one_open_claim_leaves_the_answer_open() {
        let (arm, error) = named([[0.0, 9.0, 0.0], [9.0, 0.0, 0.0], [9.0, 9.0, 0.0]], 0.01);
        assert!(error >= 1.0, "{arm} {error}");
        let (arm, error) = named([[0.0, 40.0, -40.0], [40.0, 0.0, 40.0], [40.0; 3]], 0.0);
        assert!(arm == 1 && error <= 0.0);
    }
}
