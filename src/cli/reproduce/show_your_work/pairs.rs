//! Two families: where their curves cross, and what their bands say of it.

use super::families::Family;
use fiesta::report::{
    bands::Interval,
    crossing::{Comparison, Curve, compare},
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
    /// Their n there are the places in `budgets`, from 1.
    pub(super) found: Vec<(Kind, Comparison)>,
}

impl Pair {
    /// By the number of trials, as far as both had so many.
    pub(super) fn by_trials(families: &[Family], pair: (usize, usize)) -> Self {
        let up_to = families[pair.0].count().min(families[pair.1].count());
        let trials: Vec<(usize, usize)> = (1..=up_to).map(|n| (n, n)).collect();
        let budgets = (1..=up_to).map(|n| n as f64).collect();
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
        let mut budgets = Vec::new();
        let mut trials = Vec::new();
        for time in times {
            let within = |family: &Family| {
                let n = usize::try_from(family.trials_within(time)?).ok()?;
                (1..=family.count()).contains(&n).then_some(n)
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
        trials: &[(usize, usize)],
    ) -> Self {
        let places: Vec<u64> = (1..=budgets.len() as u64).collect();
        let (first, second): (Vec<usize>, Vec<usize>) = trials.iter().copied().unzip();
        let found = Kind::ALL.map(|kind| {
            let a = Drawn::new(&families[pair.0], kind, &first);
            let b = Drawn::new(&families[pair.1], kind, &second);
            (kind, compare(&places, &a.curve(), &b.curve()))
        });
        Self {
            families: pair,
            budgets,
            found: found.into(),
        }
    }

    pub(super) fn of(&self, kind: Kind) -> &Comparison {
        let found = self.found.iter().find(|(of, _)| *of == kind);
        &found.expect("every kind is compared").1
    }

    /// The budget at a place from 1.
    pub(super) fn budget(&self, place: u64) -> f64 {
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        let last = self.budgets.len();
        self.budgets[place.clamp(1, last) - 1]
    }
}

/// A curve at some numbers of trials.
struct Drawn {
    centre: Vec<f64>,
    band: Vec<Interval>,
}

impl Drawn {
    fn new(family: &Family, kind: Kind, trials: &[usize]) -> Self {
        let shading: Vec<Interval>;
        let (centre, band) = match kind {
            Kind::Means => (family.curve.mean(), &family.band),
            Kind::Medians => (&family.medians[..], &family.median_band),
            Kind::Shading => {
                let interval = |(lower, upper)| Interval {
                    lower: Some(lower),
                    upper: Some(upper),
                };
                shading = family.curve.shading().map(interval).collect();
                (family.curve.mean(), &shading)
            }
        };
        Self {
            centre: trials.iter().map(|&n| centre[n - 1]).collect(),
            band: trials.iter().map(|&n| band[n - 1]).collect(),
        }
    }

    fn curve(&self) -> Curve<'_> {
        Curve {
            centre: &self.centre,
            band: &self.band,
        }
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
                family("steady", &[0.5; 2].repeat(repeated), Some(1.0)),
                family("coin", &[0.2, 0.6].repeat(repeated), Some(10.0)),
            ];
            let pair = Pair::by_trials(&families, (0, 1));
            let found = pair.of(Kind::Medians);
            let means = &pair.of(Kind::Means).crossings;
            assert_eq!(means.len(), 1, "{repeated}");
            // .6 − .4/2ⁿ = .5 at n = 2.
            assert!((means[0].n - 2.0).abs() < 1e-9, "{means:?}");
            assert_eq!(
                found.crossings.iter().any(|crossing| crossing.is_certain())
                    || means[0].is_certain(),
                certain,
                "{found:?} {means:?}"
            );
        }
    }

    #[test]
    fn time_compares_where_both_have_trials() {
        let families = [
            family("fast", &[0.5; 4], Some(1.0)),
            family("slow", &[0.4, 0.6], Some(3.0)),
        ];
        let pair = Pair::by_time(&families, (0, 1)).unwrap();
        assert_eq!(pair.budgets, [3.0, 3.0, 4.0]);
        let never = [
            family("fast", &[0.5; 2], Some(1.0)),
            family("slow", &[0.4, 0.6], Some(3.0)),
        ];
        assert!(Pair::by_time(&never, (0, 1)).is_none());
    }
}
