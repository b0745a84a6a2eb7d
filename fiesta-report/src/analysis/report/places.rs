//! Places that the arms of a report may have among all of them.

use super::{evidence::Evidence, tables::Sheet};
use crate::{
    TableOf,
    analysis::AnalysisError,
    figure::{Estimate, Forest},
    summary::{Interval, PairTests, Place, test_of_means},
};
use fiesta_core::Direction;

/// Fewest arms whose places tell more than the comparison with the best.
const FEWEST: usize = 3;

/// Places of the arms, and what they rest on.
pub(super) struct ReportedPlaces {
    /// Place of each arm, in the order of the table of arms.
    places: Vec<Place>,
    caption: String,
}

impl ReportedPlaces {
    /// Finds the places of all arms. `None` of fewer than three arms, and of a search, whose trials tell
    /// little of the settings that are kept.
    ///
    /// In a study they follow from the intervals of all pairs that hold at any time, else from tests of
    /// all pairs at once.
    ///
    /// # Errors
    /// [`AnalysisError`] if two arms cannot be compared.
    pub(super) fn new(evidence: &Evidence<'_>) -> Result<Option<Self>, AnalysisError> {
        let arms = evidence.table.arms.len();
        if arms < FEWEST || evidence.is_search() || evidence.table.f_beta.is_some() {
            return Ok(None);
        }
        let (places, how) = if evidence.is_adaptive() {
            let places = Place::of_all(arms, |a, b| evidence.is_shown_better(a, b));
            let how = "by intervals of the differences of all pairs, which hold at any time";
            (places, how)
        } else {
            let samples = &evidence.samples;
            let tests = PairTests::new(samples, evidence.input.direction, |a, b| {
                let both = samples[a].as_ref().zip(samples[b].as_ref());
                both.map_or(Ok((None, 0.0)), |(a, b)| test_of_means(a, b))
            })?;
            let how = "by tests of all pairs, adjusted by Holm";
            (tests.places(evidence.options.confidence), how)
        };
        let caption = format!(
            "Places that each arm may have among the {arms}: 1 and the number of arms shown to be better, to {arms} less the number shown to be worse, {how}. All places hold together at {}.",
            evidence.level()
        );
        Ok(Some(Self { places, caption }))
    }

    /// Returns the figure of the places, without its caption.
    pub(super) fn figure(&self, evidence: &Evidence<'_>) -> Forest {
        let what = format!("{} range", evidence.level());
        let empty = Forest::new("place", Direction::Minimize, what)
            .ranked(&evidence.ranked_names())
            .highlight(&evidence.highlighted());
        let ranked = evidence.table.ranked().into_iter().enumerate();
        ranked.fold(empty, |figure, (rank, arm)| {
            let (Place { first, last }, arm) = (self.places[arm], &evidence.table.arms[arm]);
            let [lower, upper] = [first, last].map(|place| place as f64);
            // Pairs are compared on what both have, so that the rank by the mean may lie outside.
            let rank = (rank + 1).clamp(first, last) as f64;
            let scores = arm.summary.as_ref().map_or(0, |summary| summary.count);
            let estimate = Estimate::new(rank, Some(Interval { lower, upper }));
            figure.arm(&arm.name, scores, estimate)
        })
    }

    /// Returns what the places are and what they rest on.
    pub(super) fn caption(&self) -> &str {
        &self.caption
    }

    /// Returns the table of the places.
    pub(super) fn sheet(&self, evidence: &Evidence<'_>) -> Sheet {
        let arms = || {
            let arms = evidence.table.ranked().into_iter();
            let arms = arms.map(|arm| (&evidence.table.arms[arm].name, self.places[arm]));
            TableOf::new(arms).words("arm", |(name, _)| (*name).clone())
        };
        let shown = arms().numbers("place", |(_, place)| place.in_words());
        Sheet {
            file: "places",
            shown: shown.table().caption(&self.caption),
            data: arms()
                .values("first", |(_, place)| Some(place.first as f64))
                .values("last", |(_, place)| Some(place.last as f64))
                .table(),
        }
    }
}

impl Evidence<'_> {
    /// Returns whether a study shows that one arm is better than another, by the interval of their
    /// difference that holds for all pairs at once and at any time.
    fn is_shown_better(&self, one: usize, other: usize) -> bool {
        let of_pool = || {
            let order = &self.input.study.as_ref()?.background.order[..];
            let confidence = self.options.confidence;
            self.pool.as_ref()?.anytime(order, one, other, confidence)
        };
        let interval = match self.pool {
            Some(_) => of_pool(),
            None => self.anytime_difference(one, other),
        };
        interval.is_some_and(|ends| match self.input.direction {
            Direction::Maximize => ends.lower > 0.0,
            Direction::Minimize => ends.upper < 0.0,
        })
    }
}
