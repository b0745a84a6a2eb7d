//! Estimate of the time that a running study still takes.

use fiesta::runner::{
    observer::Progress,
    status::{EndsReport, duration},
};
use std::time::Duration;

/// Estimate of how long a study still goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// The study is expected to end after about this time.
    About(Duration),
    /// The study has reached its confidence, and waits until each of the best two arms has this many evaluations.
    Waits(u64),
}

impl Left {
    /// Returns the estimate in the words of the display.
    pub(super) fn shown(self) -> String {
        match self {
            Self::About(time) => format!("about {} to go", duration(time.as_secs_f64())),
            Self::Waits(least) => format!("waits for {least} evaluations of each of the best two"),
        }
    }
}

/// Distance of a study from the confidence that it shall reach.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Distance {
    /// The study needs about this many evaluations.
    Evaluations(f64),
    /// The study needs no further evaluations other than the missing ones of the best two arms.
    Waits,
    /// The number of further evaluations cannot be foreseen.
    Unknown,
}

/// Returns the distance from a level, where an arm is the best with this probability after `known`
/// evaluations, and `missing` evaluations of the best two have to be made.
///
/// Of an adaptive selection the posterior error 1 − P(best) falls about exponentially with the
/// evaluations n, so that it reaches δ near n ln δ / ln(1 − P).
fn distance(level: f64, probability: f64, known: f64, missing: u64) -> Distance {
    let error = 1.0 - probability;
    if probability >= level {
        return match missing {
            // Another rule than the posterior's, or more that it asks for.
            0 => Distance::Unknown,
            _ => Distance::Waits,
        };
    }
    if probability <= 0.5 {
        return Distance::Unknown;
    }
    let needed = known * ((1.0 - level).ln() / error.ln() - 1.0);
    Distance::Evaluations(needed.max(missing as f64))
}

/// Returns how long a study still takes. `None` while too little is known. A limit that comes
/// earlier than the confidence counts.
pub(super) fn remaining(progress: &Progress<'_>) -> Option<Left> {
    let view = progress.selector.view();
    if view.total_made() == 0 {
        return None;
    }
    let (known, made) = (view.total_ended() as f64, view.total_made() as f64);
    let study = progress.study;
    let limits = study.limits();
    let least = EndsReport::new(study).least_evaluations.unwrap_or(0);
    let by_confidence = match study.confidence() {
        None => None,
        // P(best) says nothing of how near the study is to another verdict.
        Some(_) if study.cheapest_within().is_some() => None,
        Some(level) => {
            let belief = view.belief()?;
            let leaders = belief.leaders(view.top());
            let probability = belief.of_all(&leaders);
            let others = view.candidates().iter();
            let others = others.filter(|arm| !leaders.contains(arm));
            let rival = others.max_by(|a, b| belief.of(**a).total_cmp(&belief.of(**b)));
            let best = leaders.iter().copied().chain(rival.copied());
            let missing = best
                .filter(|&arm| view.has_case_left(arm))
                .map(|arm| least.saturating_sub(view.observed(arm)));
            match distance(level, probability, known, missing.sum()) {
                Distance::Evaluations(needed) => Some(needed),
                Distance::Waits => return Some(Left::Waits(least)),
                // The limits say little.
                Distance::Unknown => return None,
            }
        }
    };
    let by_evaluations = study.most_evaluations().map(|limit| limit as f64 - made);
    let mean_cost = view.total_cost() / made;
    let by_cost = limits.cost.filter(|_| mean_cost > 0.0);
    let by_cost = by_cost.map(|limit| (limit - view.total_cost()) / mean_cost);
    let evaluations = [by_confidence, by_evaluations, by_cost];
    let seconds = evaluations
        .into_iter()
        .flatten()
        .map(|evaluations| evaluations * progress.elapsed / made)
        .chain(limits.wall.map(|limit| limit - progress.elapsed))
        .reduce(f64::min)?;
    let time = Duration::try_from_secs_f64(seconds.max(0.0)).ok();
    time.map(Left::About)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sure_and_not_known_well_is_waited_for() {
        assert_eq!(distance(0.95, 0.993, 6.0, 10), Distance::Waits);
        assert_eq!(
            Left::Waits(8).shown(),
            "waits for 8 evaluations of each of the best two"
        );
        // Known well: the next turn ends it, or another rule than the posterior's does not.
        assert_eq!(distance(0.95, 0.993, 20.0, 0), Distance::Unknown);
        assert_eq!(distance(0.95, 0.5, 20.0, 4), Distance::Unknown);
        // ln 0.05 / ln 0.2 = 1.861: as many again as 0.861 of those made, or what is missing.
        let Distance::Evaluations(needed) = distance(0.95, 0.8, 10.0, 2) else {
            panic!();
        };
        assert!((needed - 8.614).abs() < 0.001, "{needed}");
        let more = distance(0.95, 0.8, 10.0, 11);
        assert_eq!(more, Distance::Evaluations(11.0));
    }

    #[test]
    fn durations_in_words() {
        assert_eq!(duration(59.0), "59 s");
        assert_eq!(duration(150.0), "3 min");
        assert_eq!(duration(9_000.0), "2.5 h");
        assert_eq!(duration(200_000.0), "2.3 d");
    }
}
