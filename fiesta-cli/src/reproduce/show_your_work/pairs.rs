//! Two families: where their curves cross, and what their bands say of it.

use super::families::{Family, split};
use fiesta::report::{
    bands::Limits,
    crossing::{BandedCurve, CurveComparison, Lead, compare},
};

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The means, with their confidence bands.
    Means,
    /// The medians, with theirs, which need no bounds.
    Medians,
    /// The means with the paper's shading, which is no confidence band.
    Shading,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Means, Self::Medians, Self::Shading];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Means => "mean",
            Self::Medians => "median",
            Self::Shading => "sd",
        }
    }
}

/// Two families compared along one axis.
pub(super) struct Pair {
    pub(super) families: (usize, usize),
    /// The budgets at which they were: in trials, or in seconds.
    pub(super) budgets: Vec<f64>,
    /// What was found, whose n are places in `budgets`, from 1.
    found: Vec<Found>,
}

struct Found {
    kind: Kind,
    comparison: CurveComparison,
    /// Which is higher at last; none if they are equal.
    last: Option<Lead>,
}

impl Pair {
    /// By the number of trials, as far as both had so many.
    pub(super) fn by_trials(families: &[Family], pair: (usize, usize)) -> Self {
        let up_to = families[pair.0].count().min(families[pair.1].count());
        let budgets: Vec<f64> = (1..=up_to).map(|n| n as f64).collect();
        let trials: Vec<(f64, f64)> = budgets.iter().map(|&n| (n, n)).collect();
        Self::at(families, pair, budgets, &trials)
    }

    /// By time, as far as both had trials enough; none if durations are not known, or the one had all of its trials before the other
    /// had one.
    pub(super) fn by_time(families: &[Family], pair: (usize, usize)) -> Option<Self> {
        let both = [&families[pair.0], &families[pair.1]];
        let mut times = Vec::new();
        for family in both {
            for n in 1..=family.count() {
                times.push(family.trials.time_of(n as f64).filter(|&time| time > 0.0)?);
            }
        }
        times.sort_by(f64::total_cmp);
        times.dedup();
        let mut budgets = Vec::new();
        let mut trials = Vec::new();
        for time in times {
            let within = |family: &Family| {
                let n = family.trials_within(time)?;
                (1.0..=family.count() as f64).contains(&n).then_some(n)
            };
            if let (Some(a), Some(b)) = (within(both[0]), within(both[1])) {
                budgets.push(time);
                trials.push((a, b));
            }
        }
        (!budgets.is_empty()).then(|| Self::at(families, pair, budgets, &trials))
    }

    fn at(
        families: &[Family],
        pair: (usize, usize),
        budgets: Vec<f64>,
        trials: &[(f64, f64)],
    ) -> Self {
        let places: Vec<u64> = (1..=budgets.len() as u64).collect();
        let (first, second): (Vec<f64>, Vec<f64>) = trials.iter().copied().unzip();
        let found = Kind::ALL.map(|kind| {
            let a = Drawn::new(&families[pair.0], kind, &first);
            let b = Drawn::new(&families[pair.1], kind, &second);
            let last = match (a.centre.last(), b.centre.last()) {
                (Some(a), Some(b)) if a > b => Some(Lead::First),
                (Some(a), Some(b)) if a < b => Some(Lead::Second),
                _ => None,
            };
            Found {
                kind,
                comparison: compare(&places, &a.curve(), &b.curve()),
                last,
            }
        });
        Self {
            families: pair,
            budgets,
            found: found.into(),
        }
    }

    fn found(&self, kind: Kind) -> &Found {
        let found = self.found.iter().find(|found| found.kind == kind);
        found.expect("every kind is compared")
    }

    pub(super) fn of(&self, kind: Kind) -> &CurveComparison {
        &self.found(kind).comparison
    }

    /// Which is higher at the largest budget; none if they are equal.
    pub(super) fn last(&self, kind: Kind) -> Option<Lead> {
        self.found(kind).last
    }

    /// The budget at a place from 1, also between two.
    pub(super) fn budget(&self, place: f64) -> f64 {
        let last = self.budgets.len() as u64;
        let (below, share) = split(place);
        let at = |place: u64| {
            let place = usize::try_from(place.clamp(1, last)).unwrap_or(1);
            self.budgets[place - 1]
        };
        at(below) + share * (at(below + 1) - at(below))
    }
}

/// A curve at some numbers of trials.
struct Drawn {
    centre: Vec<f64>,
    band: Vec<Limits>,
}

impl Drawn {
    fn new(family: &Family, kind: Kind, trials: &[f64]) -> Self {
        let shading: Vec<Limits>;
        let (centre, band) = match kind {
            Kind::Means => (family.curve.mean(), &family.band),
            Kind::Medians => (&family.medians[..], &family.median_band),
            Kind::Shading => {
                let interval = |(lower, upper)| Limits {
                    lower: Some(lower),
                    upper: Some(upper),
                };
                shading = family.curve.shading().map(interval).collect();
                (family.curve.mean(), &shading)
            }
        };
        Self {
            centre: trials.iter().map(|&n| on(centre, n, lines)).collect(),
            band: trials.iter().map(|&n| on(band, n, between)).collect(),
        }
    }

    fn curve(&self) -> BandedCurve<'_> {
        BandedCurve {
            centre: &self.centre,
            band: &self.band,
        }
    }
}

/// What stands at n − 1, and between two whole n whatever is to be made of both.
fn on<T: Copy>(values: &[T], n: f64, blend: fn(T, T, f64) -> T) -> T {
    let (below, share) = split(n);
    let at = |n: u64| {
        let place = usize::try_from(n).unwrap_or(usize::MAX);
        values[place.clamp(1, values.len()) - 1]
    };
    if share == 0.0 {
        return at(below);
    }
    blend(at(below), at(below + 1), share)
}

fn lines(from: f64, to: f64, share: f64) -> f64 {
    from + share * (to - from)
}

/// Where a straight line is whose ends are within two intervals.
fn between(from: Limits, to: Limits, share: f64) -> Limits {
    let end = |from: Option<f64>, to: Option<f64>| Some(lines(from?, to?, share));
    Limits {
        lower: end(from.lower, to.lower),
        upper: end(from.upper, to.upper),
    }
}

#[cfg(test)]
mod tests {
    use super::super::families::tests::family;
    use super::*;

    #[test]
    fn few_trials_leave_a_crossing_open_and_many_do_not() {
        for (repeated, certain) in [(2, false), (100, true)] {
            let families = [
                family("steady", &[0.45; 3].repeat(repeated), None),
                family("risky", &[0.2, 0.2, 0.6].repeat(repeated), None),
            ];
            let pair = Pair::by_trials(&families, (0, 1));
            let means = &pair.of(Kind::Means).crossings;
            // .6 − .4·(2/3)ⁿ is .42… at 2 and .48… at 3.
            let meeting = 2.0 + (0.45 - 0.6 + 1.6 / 9.0) / (1.6 / 9.0 - 3.2 / 27.0);
            assert!((means[0].n - meeting).abs() < 1e-9, "{means:?}");
            let medians = &pair.of(Kind::Medians).crossings;
            assert_eq!(medians.len(), 1, "{repeated}");
            assert_eq!(medians[0].is_certain(), certain, "{medians:?}");
        }
    }

    #[test]
    fn time_compares_where_both_have_trials() {
        let families = [
            family("fast", &[0.5; 4], Some(1.0)),
            family("slow", &[0.4, 0.6], Some(3.0)),
        ];
        let pair = Pair::by_time(&families, (0, 1)).unwrap();
        assert_eq!(pair.budgets, [3.0, 4.0]);
        assert!((pair.budget(1.5) - 3.5).abs() < 1e-12);
        // Equal at 3 s, and at 4 s the slow one is a third on the way to .55.
        assert_eq!(pair.last(Kind::Means), Some(Lead::Second));
        let never = [
            family("fast", &[0.5; 2], Some(1.0)),
            family("slow", &[0.4, 0.6], Some(3.0)),
        ];
        assert!(Pair::by_time(&never, (0, 1)).is_none());
    }
}
