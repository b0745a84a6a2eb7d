//! Crossings of two arms' tuning curves, and where their bands are apart.

use super::{ArmCurve, Centre};
use crate::crossing::{self, CurveComparison, HigherCurve};
use fiesta_core::Direction;
use serde::Serialize;

/// A crossing of the curves of two arms.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CrossingOfArms {
    /// Names of the two arms.
    pub arms: [String; 2],
    /// Number of trials n at which the estimates cross.
    pub n: f64,
    /// The better arm for smaller n.
    pub better_before: String,
    /// The better arm for larger n.
    pub better_after: String,
    /// Last n before the crossing at which the bands are apart.
    pub from: Option<u64>,
    /// First n after the crossing at which the bands are apart.
    pub until: Option<u64>,
    /// Whether both ends of the range are known in which the crossing lies.
    pub certain: bool,
    /// The confidence with which two bands hold together.
    pub confidence: f64,
}

/// Pair of arms, and where the bands of their curves are apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Pair {
    /// Names of the two arms.
    pub arms: [String; 2],
    /// Number of crossings of the two estimates.
    pub crossings: usize,
    /// Ranges of n for which the bands are apart.
    pub apart: Vec<ApartFor>,
}

/// A range of n for which the bands of two curves are apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ApartFor {
    /// First n of the range.
    pub from: u64,
    /// Last n of the range.
    pub until: u64,
    /// Name of the better arm.
    pub better: String,
}

/// Finds the crossings of every two curves, and where their bands are apart.
pub(super) fn crossings(
    curves: &[&ArmCurve],
    centre: Centre,
    direction: Direction,
    confidence: f64,
) -> (Vec<CrossingOfArms>, Vec<Pair>) {
    let (mut crossings, mut pairs) = (Vec::new(), Vec::new());
    for (place, first) in curves.iter().enumerate() {
        for second in &curves[place + 1..] {
            let found = pair(first, second, centre, direction, confidence);
            crossings.extend(found.0);
            pairs.push(found.1);
        }
    }
    (crossings, pairs)
}

/// Finds the crossings of two curves, and where their bands are apart.
fn pair(
    first: &ArmCurve,
    second: &ArmCurve,
    centre: Centre,
    direction: Direction,
    confidence: f64,
) -> (Vec<CrossingOfArms>, Pair) {
    let both = first.n.iter().zip(&second.n);
    let both = both.take_while(|(a, b)| a == b).count();
    let (a, b) = (first.estimate(centre), second.estimate(centre));
    let side = |centre: &'_ [f64], curve: &ArmCurve| (centre[..both].to_vec(), curve.band(both));
    let ((a, a_band), (b, b_band)) = (side(&a, first), side(&b, second));
    let found: CurveComparison = crossing::compare(
        &first.n[..both],
        &crossing::BandedCurve {
            centre: &a,
            band: &a_band,
        },
        &crossing::BandedCurve {
            centre: &b,
            band: &b_band,
        },
    );
    let better = |higher: HigherCurve| {
        if (higher == HigherCurve::First) == (direction == Direction::Maximize) {
            first.name.clone()
        } else {
            second.name.clone()
        }
    };
    let arms = || [first.name.clone(), second.name.clone()];
    let crossings = found.crossings.iter().map(|crossing| CrossingOfArms {
        arms: arms(),
        n: crossing.n,
        better_before: better(crossing.before),
        better_after: better(crossing.after),
        from: crossing.from,
        until: crossing.until,
        certain: crossing.is_certain(),
        confidence: of_two(confidence),
    });
    let apart = found.apart.iter().map(|apart| ApartFor {
        from: apart.from,
        until: apart.until,
        better: better(apart.lead),
    });
    let pair = Pair {
        arms: arms(),
        crossings: found.crossings.len(),
        apart: apart.collect(),
    };
    (crossings.collect(), pair)
}

/// The confidence with which two bands hold together at least, also where their scores are on
/// shared splits; without the digits that binary fractions add.
pub(super) fn of_two(confidence: f64) -> f64 {
    ((2.0 * confidence - 1.0).max(0.0) * 1e12).round() / 1e12
}
