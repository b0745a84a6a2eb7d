//! Variances of differences as they are foreseen to be, retired arms or not.

use fiesta_core::{ArmId, Marginal, View};

/// The variance of mean(a) − mean(`from`) for every arm a once what is running has ended, and one more
/// evaluation of `also` if given; ∞ for an arm of which nothing is known, none if nothing is known of `from`.
///
/// The posterior itself knows best ([`View::variances`]), but it answers only if it knows every arm. One that
/// was retired before it had the required observations would so leave all others without an answer; theirs
/// are then taken one by one, each mean's variance shrinking as 1/n.
pub(super) fn variances(view: &View<'_>, from: ArmId, also: Option<ArmId>) -> Option<Vec<f64>> {
    view.variances(from, also)
        .or_else(|| one_by_one(view, from, also))
}

fn one_by_one(view: &View<'_>, from: ArmId, also: Option<ArmId>) -> Option<Vec<f64>> {
    let own = view.marginal(from)?;
    let foreseen = |arm, marginal| {
        let more = view.pending(arm) + u64::from(also == Some(arm));
        variance_after(marginal, view.observed(arm), more)
    };
    let of = |arm: ArmId| {
        if arm == from {
            return 0.0;
        }
        let Some(marginal) = view.marginal(arm) else {
            return f64::INFINITY;
        };
        let sum = foreseen(arm, marginal) + foreseen(from, own);
        let now = marginal.scale * marginal.scale + own.scale * own.scale;
        // What the two have in common is assumed to shrink with them.
        match view.difference(arm, from) {
            Some(difference) if now > 0.0 => difference.scale * difference.scale * (sum / now),
            _ => sum,
        }
    };
    Some(ArmId::all(view.arms()).map(of).collect())
}

/// The variance of a mean now known from `observed` scores, after so many more: scale²·n/(n + more).
pub(super) fn variance_after(marginal: Marginal, observed: u64, more: u64) -> f64 {
    // A posterior that knows something before any score takes what it knows for one.
    let n = observed.max(1) as f64;
    marginal.scale * marginal.scale * (n / (n + more as f64))
}
