//! Estimate of the time that a running study still takes.

use fiesta::runner::{observer::Progress, status::duration};
use std::time::Duration;

/// A guess at the time that is left; none while there is nothing to base it on.
///
/// Of an adaptive selection the posterior error 1 − P(best) falls about exponentially with the
/// evaluations n, so that it reaches δ near n ln δ / ln(1 − P). A limit that comes earlier counts.
pub(super) fn remaining(progress: &Progress<'_>) -> Option<Duration> {
    let view = progress.selector.view();
    if view.total_made() == 0 {
        return None;
    }
    let (known, made) = (view.total_ended() as f64, view.total_made() as f64);
    let study = progress.study;
    let limits = study.limits();
    let by_confidence = study.confidence().map(|level| {
        let (_, probability) = view.belief()?.leader();
        let error = 1.0 - probability;
        let needed = known * ((1.0 - level).ln() / error.ln() - 1.0);
        (error > 0.0 && probability > 0.5).then_some(needed.max(0.0))
    });
    if by_confidence == Some(None) {
        // A confidence that cannot be foreseen yet; the limits say little.
        return None;
    }
    let by_evaluations = study.most_evaluations().map(|limit| limit as f64 - made);
    let mean_cost = view.total_cost() / made;
    let by_cost = limits.cost.filter(|_| mean_cost > 0.0);
    let by_cost = by_cost.map(|limit| (limit - view.total_cost()) / mean_cost);
    let evaluations = [by_confidence.flatten(), by_evaluations, by_cost];
    let seconds = evaluations
        .into_iter()
        .flatten()
        .map(|evaluations| evaluations * progress.elapsed / made)
        .chain(limits.wall.map(|limit| limit - progress.elapsed))
        .reduce(f64::min)?;
    Duration::try_from_secs_f64(seconds.max(0.0)).ok()
}

/// A duration as people say it.
pub(super) fn words(time: Duration) -> String {
    duration(time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_in_words() {
        assert_eq!(words(Duration::from_secs(59)), "59 s");
        assert_eq!(words(Duration::from_secs(150)), "3 min");
        assert_eq!(words(Duration::from_mins(150)), "2.5 h");
        assert_eq!(words(Duration::from_secs(200_000)), "2.3 d");
    }
}
