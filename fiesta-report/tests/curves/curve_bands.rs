//! Tests of bands of the best of n against their definition, and what holds of all of them.

use fiesta_core::Direction;
use fiesta_report::{
    bands::{Band, BandLimits, Bounds, CdfBand, CurveBand},
    tuning_curve::{Estimator, TrialScores},
};
use proptest::{collection::vec, prelude::*};

fn bounds(lower: f64, upper: f64) -> Bounds {
    Bounds::new(Some(lower), Some(upper)).unwrap()
}

/// Returns the mean and the median of the best of n of a distribution with these values on the
/// left-closed pieces between the cuts, the first of which is the smallest score.
fn best_of(cuts: &[f64], cdf: &[f64], n: i32) -> (f64, f64) {
    let mut before = 0.0;
    let mut mean = 0.0;
    for (cut, value) in cuts.iter().zip(cdf) {
        mean += cut * (value.powi(n) - before);
        before = value.powi(n);
    }
    let reached = cdf.iter().position(|value| value.powi(n) >= 0.5);
    (mean, cuts[reached.unwrap()])
}

#[test]
fn ends_are_the_curves_of_the_ends_of_the_band() {
    let scores = [0.2, 0.3, 0.3, 0.7, 0.8, 0.85];
    let sample = TrialScores::new(scores, Direction::Maximize).unwrap();
    for kind in Band::ALL {
        let cdf = CdfBand::new(kind, 6, 0.8).unwrap();
        let band = CurveBand::new(&cdf, &sample, bounds(0.0, 1.0)).unwrap();
        // Before x_1 the upper end is upper_1; from x_B on 1. The lower end is 0 before x_1,
        // lower_B from x_B, 1 at the bound.
        let cuts = [0.0, 0.2, 0.3, 0.3, 0.7, 0.8, 0.85, 1.0];
        let mut high = cdf.upper().to_vec();
        high.extend([1.0, 1.0]);
        let mut low = vec![0.0];
        low.extend(cdf.lower());
        low.push(1.0);
        for n in 1..30 {
            let (worst, best) = (best_of(&cuts, &high, n), best_of(&cuts, &low, n));
            let mean = band.mean(n.unsigned_abs().into()).unwrap();
            assert!(
                (mean.lower.unwrap() - worst.0).abs() < 1e-14,
                "{kind:?} {n}"
            );
            assert!((mean.upper.unwrap() - best.0).abs() < 1e-14, "{kind:?} {n}");
            let median = band.median(n.unsigned_abs().into()).unwrap();
            assert_eq!(median.lower, Some(worst.1), "{kind:?} {n}");
            assert_eq!(median.upper, Some(best.1), "{kind:?} {n}");
        }
    }
}

#[test]
fn without_bounds_ends_are_open_and_not_at_the_scores() {
    let sample = TrialScores::new((0..50).map(f64::from), Direction::Maximize).unwrap();
    let cdf = CdfBand::new(Band::EqualTailed, 50, 0.95).unwrap();
    let band = CurveBand::new(&cdf, &sample, Bounds::NONE).unwrap();
    let open = BandLimits {
        lower: None,
        upper: None,
    };
    assert!(
        band.mean_curve(100)
            .iter()
            .all(|interval| *interval == open)
    );
    let above = CurveBand::new(&cdf, &sample, Bounds::new(None, Some(60.0)).unwrap()).unwrap();
    assert!(above.mean(3).unwrap().lower.is_none() && above.mean(3).unwrap().upper.is_some());
    let reliable = band.reliable();
    let last = reliable.best_up_to.unwrap();
    let medians = band.median_curve(100);
    for (n, median) in (1..).zip(&medians) {
        assert_eq!(median.upper.is_some(), n <= last, "{n}");
        assert_eq!(
            median.lower.is_some(),
            n >= reliable.worst_from.unwrap(),
            "{n}"
        );
    }
    // The bound has no part in what scores say.
    let closed = CurveBand::new(&cdf, &sample, bounds(-1.0, 60.0)).unwrap();
    assert_eq!(closed.reliable(), reliable);
    assert_eq!(closed.median(last), band.median(last));
    assert_eq!(closed.median(last + 1).unwrap().upper, Some(60.0));
}

#[test]
fn of_one_score() {
    let sample = TrialScores::new([0.4], Direction::Minimize).unwrap();
    let cdf = CdfBand::new(Band::EqualTailed, 1, 0.95).unwrap();
    let band = CurveBand::new(&cdf, &sample, Bounds::NONE).unwrap();
    assert_eq!(band.reliable().best_up_to, None);
    // F before the score may be .975: (.975)²⁸ < ½.
    assert_eq!(band.reliable().worst_from, Some(28));
    assert_eq!(
        band.median(28).unwrap(),
        BandLimits {
            lower: None,
            upper: Some(0.4)
        }
    );
    assert_eq!((band.mean(0), band.median(0)), (None, None));
}

#[test]
fn says_what_does_not_fit() {
    let sample = TrialScores::new([0.4, 1.5], Direction::Minimize).unwrap();
    let cdf = CdfBand::new(Band::Dkw, 2, 0.95).unwrap();
    let error = CurveBand::new(&cdf, &sample, bounds(0.0, 1.0)).unwrap_err();
    assert!(error.to_string().starts_with("the score 1.5 is outside"));
    let other = CdfBand::new(Band::Dkw, 3, 0.95).unwrap();
    let error = CurveBand::new(&other, &sample, Bounds::NONE).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a band of 3 scores is not one of 2")
    );
    assert!(Bounds::new(Some(1.0), Some(1.0)).is_err());
    assert!(Bounds::new(Some(f64::NAN), None).is_err());
    assert!(Bounds::new(None, Some(f64::INFINITY)).is_err());
}

proptest! {
    #[test]
    fn bands_hold_their_curves_and_rise(scores in vec(0.0..1.0_f64, 1..40), kind in 0..4_usize, confidence in 0.05..0.999) {
        let sample = TrialScores::new(scores.iter().copied(), Direction::Maximize).unwrap();
        let cdf = CdfBand::new(Band::ALL[kind], scores.len(), confidence).unwrap();
        let band = CurveBand::new(&cdf, &sample, bounds(0.0, 1.0)).unwrap();
        let n = 3 * scores.len();
        let (means, medians) = (band.mean_curve(n), band.median_curve(n));
        let (curve, median) = (sample.curve(Estimator::PlugIn, n), sample.median_curve(n));
        let within = |interval: &BandLimits, value: f64| {
            interval.lower.is_some_and(|end| end <= value + 1e-14) && interval.upper.is_some_and(|end| end >= value - 1e-14)
        };
        // Intervals that cover less than half leave out the middle.
        if confidence > 0.5 {
            prop_assert!(medians.iter().zip(&median).all(|(interval, value)| within(interval, *value)));
            prop_assert!(means.iter().zip(curve.mean()).all(|(interval, value)| within(interval, *value)));
        }
        for band in [&means, &medians] {
            for pair in band.windows(2) {
                prop_assert!(pair[1].lower.unwrap() >= pair[0].lower.unwrap() - 1e-14);
                prop_assert!(pair[1].upper.unwrap() >= pair[0].upper.unwrap() - 1e-14);
            }
        }
        for (n, interval) in (1..).zip(&means) {
            let alone = band.mean(n).unwrap();
            prop_assert!((alone.lower.unwrap() - interval.lower.unwrap()).abs() < 1e-13);
            prop_assert!((alone.upper.unwrap() - interval.upper.unwrap()).abs() < 1e-13);
        }
    }

    #[test]
    fn smaller_is_better_of_negated_scores(scores in vec(0.0..1.0_f64, 1..40), floor in prop::option::of(-2.0..0.0_f64)) {
        let up = TrialScores::new(scores.iter().copied(), Direction::Maximize).unwrap();
        let down = TrialScores::new(scores.iter().map(|score| -score), Direction::Minimize).unwrap();
        let cdf = CdfBand::new(Band::HighestDensity, scores.len(), 0.9).unwrap();
        let (above, below) = (Bounds::new(floor, Some(1.5)).unwrap(), Bounds::new(Some(-1.5), floor.map(|floor| -floor)).unwrap());
        let up = CurveBand::new(&cdf, &up, above).unwrap();
        let down = CurveBand::new(&cdf, &down, below).unwrap();
        let turned = |intervals: Vec<BandLimits>| -> Vec<BandLimits> {
            intervals.iter().map(|interval| BandLimits {
                lower: interval.upper.map(|end| -end),
                upper: interval.lower.map(|end| -end),
            }).collect()
        };
        prop_assert_eq!(up.mean_curve(60), turned(down.mean_curve(60)));
        prop_assert_eq!(up.median_curve(60), turned(down.median_curve(60)));
        prop_assert_eq!(up.reliable(), down.reliable());
    }
}
