//! Crossings of two curves, and what their bands say about them.
//!
//! A crossing of two estimated curves says that one arm is better for small budgets and the other
//! for large ones. It is an estimate like any other: on 50 scores each, curves cross that do not on
//! 500. So every crossing comes with the interval of n in which it may lie: back to the last n at
//! which the bands are apart, and on to the next. Where the bands are apart at no n on one side,
//! the interval is open there, and the crossing may not exist at all.
//!
//! With bands of confidence 1 − α each, what two of them say together holds with 1 − 2α at least,
//! also of scores on shared splits.
//!
//! # Example
//! ```
//! use fiesta_report::{bands::BandLimits, crossing::{BandedCurve, HigherCurve, compare}};
//!
//! let band = |ends: [(f64, f64); 3]| ends.map(|(a, b)| BandLimits { lower: Some(a), upper: Some(b) });
//! let slow = band([(0.1, 0.2), (0.3, 0.5), (0.7, 0.9)]);
//! let fast = band([(0.3, 0.5), (0.4, 0.6), (0.5, 0.6)]);
//! let curves = [
//!     BandedCurve { centre: &[0.15, 0.4, 0.8], band: &slow },
//!     BandedCurve { centre: &[0.4, 0.5, 0.55], band: &fast },
//! ];
//! let comparison = compare(&[1, 2, 4], &curves[0], &curves[1]);
//! let crossing = &comparison.crossings[0];
//! assert_eq!((crossing.before, crossing.after), (HigherCurve::Second, HigherCurve::First));
//! assert_eq!((crossing.from, crossing.until), (Some(1), Some(4))); // certain, as far as the bands are
//! assert!((crossing.n - 2.571).abs() < 1e-3);
//! ```

use crate::bands::BandLimits;
use std::cmp::Ordering;

/// A curve with its band, at the same n as the curve that it is compared with.
#[derive(Debug, Clone, Copy)]
pub struct BandedCurve<'a> {
    /// Estimates of the curve: the mean or the median of the best of n.
    pub centre: &'a [f64],
    /// Band of the curve.
    pub band: &'a [BandLimits],
}

/// Order of two curves: which is higher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HigherCurve {
    /// The first curve is higher.
    First,
    /// The second curve is higher.
    Second,
}

impl HigherCurve {
    fn of(first: f64, second: f64) -> Option<Self> {
        match first.partial_cmp(&second)? {
            Ordering::Greater => Some(Self::First),
            Ordering::Less => Some(Self::Second),
            Ordering::Equal => None,
        }
    }

    fn of_bands(first: &BandLimits, second: &BandLimits) -> Option<Self> {
        if second.is_below(first) {
            Some(Self::First)
        } else if first.is_below(second) {
            Some(Self::Second)
        } else {
            None
        }
    }
}

/// Crossing of two curves: where two estimates change places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// The n at which the straight lines between the estimates meet.
    pub n: f64,
    /// Curve that is higher before the crossing.
    pub before: HigherCurve,
    /// Curve that is higher after the crossing.
    pub after: HigherCurve,
    /// Last n before the crossing at which the bands are apart. `None` if there is none: then the
    /// crossing may be anywhere before.
    pub from: Option<u64>,
    /// First n after the crossing at which the bands are apart. `None` if there is none: then the
    /// crossing may be anywhere after, or not exist.
    pub until: Option<u64>,
}

impl Crossing {
    /// Returns whether the bands are apart before and after the crossing, the other way round: the
    /// curves cross, as surely as the bands hold.
    pub fn is_certain(&self) -> bool {
        self.from.is_some() && self.until.is_some()
    }
}

/// A range of n at which the bands are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Apart {
    /// First n of the range.
    pub from: u64,
    /// Last n of the range.
    pub until: u64,
    /// Curve that is higher throughout the range.
    pub lead: HigherCurve,
}

/// Comparison of two curves: what can be said of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CurveComparison {
    /// Crossings of the estimates.
    pub crossings: Vec<Crossing>,
    /// Ranges of n at which the bands are apart; empty if nowhere, and then nothing is known of who
    /// is better when.
    pub apart: Vec<Apart>,
}

/// Compares two curves at ascending n; what one of the lists has more than another is not looked
/// at.
pub fn compare(n: &[u64], first: &BandedCurve<'_>, second: &BandedCurve<'_>) -> CurveComparison {
    let at: Vec<At> = n
        .iter()
        .zip(first.centre.iter().zip(second.centre))
        .zip(first.band.iter().zip(second.band))
        .map(|((&n, (a, b)), (band_a, band_b))| At {
            n,
            difference: a - b,
            lead: HigherCurve::of(*a, *b),
            apart: HigherCurve::of_bands(band_a, band_b),
        })
        .collect();
    CurveComparison {
        crossings: crossings(&at),
        apart: apart(&at),
    }
}

/// Values of both curves at one n.
struct At {
    n: u64,
    difference: f64,
    lead: Option<HigherCurve>,
    apart: Option<HigherCurve>,
}

fn crossings(at: &[At]) -> Vec<Crossing> {
    let mut found = Vec::new();
    // Where the estimates are equal, nobody leads.
    let mut last: Option<(usize, HigherCurve)> = None;
    for (i, here) in at.iter().enumerate() {
        let Some(after) = here.lead else { continue };
        if let Some((j, before)) = last
            && before != after
        {
            let sure = |at: &At, lead: HigherCurve| (at.apart == Some(lead)).then_some(at.n);
            found.push(Crossing {
                n: meeting(&at[j], here),
                before,
                after,
                from: at[..=j].iter().rev().find_map(|at| sure(at, before)),
                until: at[i..].iter().find_map(|at| sure(at, after)),
            });
        }
        last = Some((i, after));
    }
    found
}

/// Returns where the straight line between two differences of opposite signs is zero.
fn meeting(before: &At, after: &At) -> f64 {
    let (from, until) = (before.n as f64, after.n as f64);
    let share = before.difference / (before.difference - after.difference);
    from + share * (until - from)
}

fn apart(at: &[At]) -> Vec<Apart> {
    let mut ranges: Vec<Apart> = Vec::new();
    let mut last = None;
    for at in at {
        if let Some(lead) = at.apart {
            match ranges.last_mut() {
                Some(range) if last == Some(lead) => range.until = at.n,
                _ => ranges.push(Apart {
                    from: at.n,
                    until: at.n,
                    lead,
                }),
            }
        }
        last = at.apart;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: BandLimits = BandLimits {
        lower: None,
        upper: None,
    };

    fn between(lower: f64, upper: f64) -> BandLimits {
        BandLimits {
            lower: Some(lower),
            upper: Some(upper),
        }
    }

    #[test]
    fn estimates_that_cross_within_open_bands_may_not() {
        let band = [OPEN; 4];
        let first = BandedCurve {
            centre: &[1.0, 2.0, 3.0, 4.0],
            band: &band,
        };
        let second = BandedCurve {
            centre: &[1.5, 2.0, 2.0, 5.0],
            band: &band,
        };
        let found = compare(&[1, 2, 3, 4], &first, &second);
        assert_eq!(found.apart, []);
        let meetings: Vec<f64> = found.crossings.iter().map(|crossing| crossing.n).collect();
        // Equal at 2: the lines from 1 to 3 meet at 1 + .5/(.5 + 1)·2.
        assert_eq!(meetings, [1.0 + 2.0 / 3.0, 3.5]);
        assert!(
            found
                .crossings
                .iter()
                .all(|crossing| !crossing.is_certain())
        );
    }

    #[test]
    fn bands_apart_on_one_side_bound_that_side() {
        let apart = [between(0.0, 1.0), between(0.0, 5.0), OPEN];
        let other = [between(2.0, 3.0), between(2.0, 3.0), between(2.0, 3.0)];
        let first = BandedCurve {
            centre: &[0.5, 1.0, 9.0],
            band: &apart,
        };
        let second = BandedCurve {
            centre: &[2.5, 2.5, 2.5],
            band: &other,
        };
        let found = compare(&[1, 2, 3], &first, &second);
        assert_eq!(
            (found.crossings[0].from, found.crossings[0].until),
            (Some(1), None)
        );
        let range = Apart {
            from: 1,
            until: 1,
            lead: HigherCurve::Second,
        };
        assert_eq!(found.apart, [range]);
    }

    #[test]
    fn a_crossing_lies_between_the_nearest_bands_that_are_apart() {
        let low = between(0.0, 1.0);
        let high = between(2.0, 3.0);
        let first = BandedCurve {
            centre: &[0.5, 0.5, 0.5, 2.5, 2.5, 2.5],
            band: &[low, low, OPEN, OPEN, high, high],
        };
        let second = BandedCurve {
            centre: &[2.5, 2.5, 2.5, 0.5, 0.5, 0.5],
            band: &[high, high, OPEN, OPEN, low, low],
        };
        let found = compare(&[1, 2, 3, 4, 5, 6], &first, &second);
        let crossing = found.crossings[0];
        assert_eq!((crossing.from, crossing.until), (Some(2), Some(5)));
        let ranges: Vec<_> = found
            .apart
            .iter()
            .map(|apart| (apart.from, apart.until))
            .collect();
        assert_eq!(ranges, [(1, 2), (5, 6)]);
    }

    #[test]
    fn equal_curves_never_cross() {
        let curve = BandedCurve {
            centre: &[1.0, 2.0],
            band: &[OPEN, OPEN],
        };
        assert_eq!(compare(&[1, 2], &curve, &curve), CurveComparison::default());
    }
}
