//! Families compared by trials and by time: which one leads at what budget, and where two cross.

use super::families::{Axis, Family, split};
use fiesta_report::{
    bands::BandLimits,
    crossing::{self, BandedCurve, HigherCurve, compare},
};
use serde::Serialize;

/// A range of budgets in which one family has the highest expected best.
#[derive(Debug, Serialize)]
pub(super) struct Leader {
    pub(super) axis: Axis,
    pub(super) name: String,
    /// The first and the last budget of the range; the next leader's range begins at the last.
    pub(super) from: f64,
    pub(super) until: f64,
    /// Families that had fewer trials than the last budget takes.
    pub(super) beyond_trials: Vec<String>,
}

/// Estimate that is drawn in the curves of two families.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// The means, with their confidence bands.
    Mean,
    /// The medians, with their confidence bands.
    Median,
    /// The means with the paper's shading, ± 1 standard deviation, which is no confidence band.
    Sd,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Mean, Self::Median, Self::Sd];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Mean => "means, 95 % bands",
            Self::Median => "medians, 95 % bands",
            Self::Sd => "means, ± 1 sd (the paper's)",
        }
    }
}

/// Comparison of two families along an axis of budgets, as far as both had trials.
#[derive(Debug, Serialize)]
pub(super) struct Pair {
    pub(super) axis: Axis,
    pub(super) families: [String; 2],
    pub(super) kind: Kind,
    /// Name of the family that is higher at the largest budget. `None` if both are equal.
    pub(super) last: Option<String>,
    pub(super) crossings: Vec<Crossing>,
    /// Ranges of budgets in which the two families' bands do not overlap.
    pub(super) apart: Vec<Apart>,
}

/// Budget at which two estimates cross, and the budgets between which the bands separate.
#[derive(Debug, Serialize)]
pub(super) struct Crossing {
    pub(super) at: f64,
    pub(super) before: String,
    pub(super) after: String,
    pub(super) from: Option<f64>,
    pub(super) until: Option<f64>,
    pub(super) certain: bool,
}

/// A range of budgets in which the bands of two families do not overlap.
#[derive(Debug, Serialize)]
pub(super) struct Apart {
    pub(super) from: f64,
    pub(super) until: f64,
    pub(super) better: String,
}

/// Returns every budget at which one of the families had made another trial.
fn budgets<'a>(families: impl IntoIterator<Item = &'a Family>, axis: Axis) -> Vec<f64> {
    let of = |family: &'a Family| (1..=family.count()).map(move |n| family.budget(axis, n as f64));
    let mut all: Vec<f64> = families.into_iter().flat_map(of).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// Returns the leading families by budget, from one trial of the fastest family to the last of the
/// slowest. A family takes part from its first trial on.
pub(super) fn leaders(families: &[Family], axis: Axis) -> Vec<Leader> {
    let mut found: Vec<(usize, Leader)> = Vec::new();
    let mut before: Option<(f64, Vec<f64>)> = None;
    for budget in budgets(families, axis) {
        let value = |family: &Family| match family.trials_within(axis, budget) {
            n if n >= 1.0 => family.expected_at(n),
            _ => f64::NEG_INFINITY,
        };
        let here: Vec<f64> = families.iter().map(value).collect();
        let first = (1..here.len()).fold(0, |first, next| {
            if here[next] > here[first] {
                next
            } else {
                first
            }
        });
        let beyond = families
            .iter()
            .filter(|family| family.trials_within(axis, budget) > family.count() as f64);
        let beyond_trials = beyond.map(|family| family.name.clone()).collect();
        match found.last_mut() {
            Some((leader, range)) if *leader == first => {
                (range.until, range.beyond_trials) = (budget, beyond_trials);
            }
            last => {
                let mut from = budget;
                if let (Some((old, range)), Some((earlier, values))) = (last, &before) {
                    let lead = |values: &[f64]| values[*old] - values[first];
                    let share = lead(values) / (lead(values) - lead(&here));
                    if share.is_finite() {
                        from = earlier + share * (budget - earlier);
                    }
                    range.until = from;
                }
                let leader = Leader {
                    axis,
                    name: families[first].name.clone(),
                    from,
                    until: budget,
                    beyond_trials,
                };
                found.push((first, leader));
            }
        }
        before = Some((budget, here));
    }
    found.into_iter().map(|(_, leader)| leader).collect()
}

/// Returns the comparison of every two families, in every kind of curve. A pair is left out if one
/// family had all of its trials before the other had one.
pub(super) fn pairs(families: &[Family], axis: Axis) -> Vec<Pair> {
    let two = |a: usize| (a + 1..families.len()).map(move |b| [&families[a], &families[b]]);
    let twos = (0..families.len()).flat_map(two);
    twos.flat_map(|pair| compared(pair, axis)).collect()
}

fn compared(pair: [&Family; 2], axis: Axis) -> Vec<Pair> {
    let mut shared = budgets(pair, axis);
    let within = |family: &Family, budget: f64| {
        (1.0..=family.count() as f64).contains(&family.trials_within(axis, budget))
    };
    shared.retain(|&budget| pair.iter().all(|family| within(family, budget)));
    if shared.is_empty() {
        return Vec::new();
    }
    let places: Vec<u64> = (1..=shared.len() as u64).collect();
    // The budget at a place from 1, also between two.
    let budget = |place: f64| on(&shared, place, line);
    let name = |lead: HigherCurve| pair[usize::from(lead == HigherCurve::Second)].name.clone();
    let of_kind = |kind: Kind| {
        let drawn = pair.map(|family| drawn(family, kind, axis, &shared));
        let curves = drawn
            .each_ref()
            .map(|(centre, band)| BandedCurve { centre, band });
        let comparison = compare(&places, &curves[0], &curves[1]);
        let last = drawn.each_ref().map(|(centre, _)| centre[centre.len() - 1]);
        let at = |place: Option<u64>| place.map(|place| budget(place as f64));
        let crossing = |crossing: &crossing::Crossing| Crossing {
            at: budget(crossing.n),
            before: name(crossing.before),
            after: name(crossing.after),
            from: at(crossing.from),
            until: at(crossing.until),
            certain: crossing.is_certain(),
        };
        let apart = |apart: &crossing::Apart| Apart {
            from: budget(apart.from as f64),
            until: budget(apart.until as f64),
            better: name(apart.lead),
        };
        Pair {
            axis,
            families: pair.map(|family| family.name.clone()),
            kind,
            last: match last {
                [a, b] if a > b => Some(name(HigherCurve::First)),
                [a, b] if a < b => Some(name(HigherCurve::Second)),
                _ => None,
            },
            crossings: comparison.crossings.iter().map(crossing).collect(),
            apart: comparison.apart.iter().map(apart).collect(),
        }
    };
    Kind::ALL.map(of_kind).into()
}

/// Returns a curve and its band at some budgets.
fn drawn(family: &Family, kind: Kind, axis: Axis, budgets: &[f64]) -> (Vec<f64>, Vec<BandLimits>) {
    let shading = || {
        let interval = |(lower, upper)| BandLimits {
            lower: Some(lower),
            upper: Some(upper),
        };
        family.curve.shading().map(interval).collect()
    };
    let (centre, band) = match kind {
        Kind::Mean => (family.curve.mean(), family.band.clone()),
        Kind::Median => (&family.medians[..], family.median_band.clone()),
        Kind::Sd => (family.curve.mean(), shading()),
    };
    let trials = || {
        budgets
            .iter()
            .map(|&budget| family.trials_within(axis, budget))
    };
    (
        trials().map(|n| on(centre, n, line)).collect(),
        trials().map(|n| on(&band, n, between)).collect(),
    )
}

/// Returns the value at a place, counted from 1; between two places, `blend` makes it of both values.
fn on<T: Copy>(values: &[T], place: f64, blend: fn(T, T, f64) -> T) -> T {
    let (below, share) = split(place);
    let at = |place: u64| {
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        values[place.clamp(1, values.len()) - 1]
    };
    if share == 0.0 {
        return at(below);
    }
    blend(at(below), at(below + 1), share)
}

fn line(from: f64, to: f64, share: f64) -> f64 {
    from + share * (to - from)
}

/// Returns the limits of a band between two points, on straight lines from the limits of `from` to those of `to`.
fn between(from: BandLimits, to: BandLimits, share: f64) -> BandLimits {
    let end = |from: Option<f64>, to: Option<f64>| Some(line(from?, to?, share));
    BandLimits {
        lower: end(from.lower, to.lower),
        upper: end(from.upper, to.upper),
    }
}

#[cfg(test)]
mod tests {
    use super::super::families::tests::family;
    use super::*;

    /// Returns the names of the leading families, each with its first and last budget.
    fn led(families: &[Family], axis: Axis) -> Vec<(String, f64, f64)> {
        let of = |leader: Leader| (leader.name, leader.from, leader.until);
        leaders(families, axis).into_iter().map(of).collect()
    }

    /// Returns two families: scores that are always .5, and a coin's of .4 or .6. The expected best
    /// of n is .5 and .6 − .2/2ⁿ.
    fn steady_and_coin() -> [Family; 2] {
        [
            family("steady", &[0.5; 4], 1.0),
            family("coin", &[0.4, 0.6, 0.4, 0.6], 10.0),
        ]
    }

    #[test]
    fn the_first_of_equals_leads_until_it_is_overtaken() {
        let found = led(&steady_and_coin(), Axis::Trials);
        let expected = [("steady", 1.0, 1.0), ("coin", 1.0, 4.0)];
        assert_eq!(
            found,
            expected.map(|(name, from, until)| (name.to_owned(), from, until))
        );
    }

    #[test]
    fn by_time_the_dearer_one_leads_later() {
        // Equal with one trial of the coin, after 10 seconds.
        let found = led(&steady_and_coin(), Axis::Seconds);
        let expected = [("steady", 1.0, 10.0), ("coin", 10.0, 40.0)];
        assert_eq!(
            found,
            expected.map(|(name, from, until)| (name.to_owned(), from, until))
        );
        // By then ten steady trials would have to have been made; there were four.
        let leaders = leaders(&steady_and_coin(), Axis::Seconds);
        assert_eq!(leaders[0].beyond_trials, ["steady"]);
    }

    #[test]
    fn where_curves_meet_between_trials() {
        let coin = || family("coin", &[0.2, 0.6], 10.0);
        // .4 at 10 s, .5 at 20 s, .55 at 30 s: steady begins at 30 s, below it.
        let found = led(&[family("steady", &[0.45; 2], 30.0), coin()], Axis::Seconds);
        assert_eq!((found.len(), &found[0].0[..]), (1, "coin"));
        let found = led(&[family("steady", &[0.45; 4], 10.0), coin()], Axis::Seconds);
        assert!((found[0].2 - 15.0).abs() < 1e-9, "{found:?}");
        assert!((found[1].1 - 15.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn few_trials_leave_a_crossing_open_and_many_do_not() {
        for (repeated, certain) in [(2, false), (100, true)] {
            let families = [
                family("steady", &[0.45; 3].repeat(repeated), 1.0),
                family("risky", &[0.2, 0.2, 0.6].repeat(repeated), 1.0),
            ];
            let [means, medians, _] = &pairs(&families, Axis::Trials)[..] else {
                panic!()
            };
            // .6 − .4·(2/3)ⁿ is .42… at 2 and .48… at 3.
            let meeting = 2.0 + (0.45 - 0.6 + 1.6 / 9.0) / (1.6 / 9.0 - 3.2 / 27.0);
            assert!((means.crossings[0].at - meeting).abs() < 1e-9, "{means:?}");
            assert_eq!(medians.crossings.len(), 1, "{repeated}");
            assert_eq!(medians.crossings[0].certain, certain, "{medians:?}");
        }
    }

    #[test]
    fn time_compares_where_both_have_trials() {
        let slow = || family("slow", &[0.4, 0.6], 3.0);
        let found = pairs(&[family("fast", &[0.5; 4], 1.0), slow()], Axis::Seconds);
        // Equal at 3 s, and at 4 s the slow one is a third on the way to .55.
        assert_eq!(found[0].last.as_deref(), Some("slow"));
        assert!(pairs(&[family("fast", &[0.5; 2], 1.0), slow()], Axis::Seconds).is_empty());
    }
}
