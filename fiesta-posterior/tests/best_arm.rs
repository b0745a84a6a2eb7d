//! Tests of P(best) against values integrated with 25 digits, against itself at the edge, and
//! against Monte Carlo.

use fiesta_core::Marginal;
use fiesta_posterior::{
    best_arm::{BestArmError, TOLERANCE, independent_draw, monte_carlo, quadrature},
    student::{StudentT, upper_tail},
};
use proptest::prelude::*;
use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};
use std::f64::consts::{FRAC_PI_2, PI};

fn arm(location: f64, scale: f64, degrees_of_freedom: f64) -> Marginal {
    Marginal {
        location,
        scale,
        degrees_of_freedom,
    }
}

const NORMAL: f64 = f64::INFINITY;

/// Tests reference values from mpmath's quadrature with 25 digits, whose sums differ from 1 by less
/// than 1e-21.
#[test]
fn agrees_with_25_digits() {
    let sets: [(&[Marginal], &[f64]); 4] = [
        (
            &[
                arm(0.62, 0.01, 1.0),
                arm(0.64, 0.02, 1.0),
                arm(0.6, 0.005, 1.0),
            ],
            &[
                0.282_980_920_966_542_2,
                0.655_100_627_843_679_4,
                0.061_918_451_189_778_42,
            ],
        ),
        (
            &[
                arm(0.0, 0.0002, 1.0),
                arm(0.001, 1.0, 2.0),
                arm(-0.5, 1.0, 1.0),
                arm(0.0005, 0.0002, 2.0),
            ],
            &[
                0.057_431_176_881_114_02,
                0.397_530_355_498_198_5,
                0.278_534_851_504_914_7,
                0.266_503_616_115_772_9,
            ],
        ),
        (
            &[
                arm(0.646, 0.008, 7.0),
                arm(0.632, 0.009, 3.0),
                arm(0.6319, 0.007, 4.5),
                arm(0.63, 0.01, NORMAL),
            ],
            &[
                0.703_784_539_576_763_8,
                0.133_742_515_753_800_8,
                0.083_827_701_644_161_55,
                0.078_645_243_025_273_81,
            ],
        ),
        (
            &[arm(0.1, 0.2, 0.7), arm(0.0, 0.3, 1.5)],
            &[0.561_883_584_454_501, 0.438_116_415_545_499],
        ),
    ];
    for (marginals, expected) in sets {
        let belief = quadrature(marginals, TOLERANCE).unwrap();
        for (p, e) in belief.probability.iter().zip(expected) {
            assert!((p - e).abs() < 1e-9, "{marginals:?}: {p} for {e}");
            assert!(
                (p - e).abs() <= belief.absolute_error + 1e-11,
                "{marginals:?}: understated"
            );
        }
    }
}

/// Tests the promise |Σπ − 1| < 1e-9, with one degree of freedom and scales 5,000 times apart.
#[test]
fn sums_to_one_in_the_worst_cases() {
    let mut sets = vec![
        vec![arm(0.0, 1.0, 1.0); 8],
        vec![arm(0.0, 1.0, 1.0), arm(0.0, 5000.0, 1.0)],
        vec![
            arm(0.0, 1e-4, 1.0),
            arm(0.3, 0.5, 1.0),
            arm(-2.0, 0.5, 30.0),
        ],
        vec![arm(-1e6, 1.0, 1.0), arm(0.0, 1.0, 1.0), arm(1e6, 1.0, 1.0)],
        vec![
            arm(0.0, 1e-3, NORMAL),
            arm(0.01, 5.0, 1.0),
            arm(-1.0, 1e-3, 1.0),
        ],
        vec![arm(0.0, 1.0, 2.0)],
        (0..14)
            .map(|_| arm(0.0, 1.0, 1.0))
            .chain([arm(0.96, 3e-5, 6.0)])
            .collect(),
        vec![arm(5.0, 1e-12, 1e9), arm(5.0, 1e3, 1.0)],
    ];
    sets.push(
        (0..1000)
            .map(|i| arm(f64::from(i) * 1e-4, 0.02, 3.0))
            .collect(),
    );
    sets.push(
        (0..100)
            .map(|i| arm(0.0, 5000_f64.powf(f64::from(i) / 99.0), 1.0))
            .collect(),
    );
    for marginals in sets {
        let belief = quadrature(&marginals, TOLERANCE).unwrap();
        let total: f64 = belief.probability.iter().sum();
        assert!(
            (total - 1.0).abs() < 1e-9,
            "K = {}: {:e}",
            marginals.len(),
            total - 1.0
        );
        assert!(
            belief.absolute_error < 1e-9,
            "K = {}: {:e}",
            marginals.len(),
            belief.absolute_error
        );
    }
}

#[test]
fn a_hopeless_arm_has_no_chance_and_a_sure_one_all() {
    let belief = quadrature(&[arm(0.0, 1e-3, NORMAL), arm(1.0, 1e-3, NORMAL)], TOLERANCE).unwrap();
    assert!(belief.probability[0] < 1e-15);
    assert!((belief.probability[1] - 1.0).abs() < 1e-9);
}

#[test]
fn refuses_what_is_no_distribution() {
    assert_eq!(quadrature(&[], TOLERANCE), Err(BestArmError::NoArm));
    for wrong in [
        arm(f64::NAN, 1.0, 1.0),
        arm(0.0, 0.0, 1.0),
        arm(0.0, 1.0, -1.0),
        arm(0.0, 1.0, f64::NAN),
    ] {
        let marginals = [arm(0.0, 1.0, 1.0), wrong];
        assert!(matches!(
            quadrature(&marginals, TOLERANCE),
            Err(BestArmError::Marginal { index: 1, .. })
        ));
    }
    assert!(quadrature(&[arm(0.0, 1.0, 1.0)], 0.0).is_err());
}

/// Tests Monte Carlo against quadrature with 200,000 draws; the z-test of 12 probabilities at 4.5
/// standard errors fails falsely once in 12,000 seeds.
#[test]
fn monte_carlo_agrees_with_quadrature() {
    for (seed, df) in [(1, 1.0), (2, 5.0), (3, NORMAL)] {
        let marginals: Vec<Marginal> = (0..4)
            .map(|i| arm(f64::from(i) * 0.01, 0.02 + 0.01 * f64::from(i), df))
            .collect();
        let exact = quadrature(&marginals, TOLERANCE).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let draw = |rng: &mut dyn Rng, means: &mut [f64]| independent_draw(&marginals, rng, means);
        let drawn = monte_carlo(4, 200_000, &mut rng, draw).unwrap();
        for (p, q) in drawn.probability.iter().zip(&exact.probability) {
            assert!(
                (p - q).abs() < 4.5 * (q * (1.0 - q) / 200_000.0).sqrt(),
                "{p} for {q}"
            );
        }
        assert!(drawn.absolute_error > 5e-4 && drawn.absolute_error < 1.2e-3);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Tests that P(first is best) of any two arms is one tail of the difference, here by plain
    /// summation over quantiles.
    #[test]
    fn complements(
        locations in proptest::collection::vec(-1.0..1.0_f64, 2..20),
        log_scales in proptest::collection::vec(-5.0..1.0_f64, 20),
        degrees in proptest::collection::vec(1.0..60.0_f64, 20),
    ) {
        let marginals: Vec<Marginal> = locations.iter().zip(&log_scales).zip(&degrees)
            .map(|((&c, &s), &df)| arm(c, 10_f64.powf(s), if df < 20.0 { df.floor() } else { df }))
            .collect();
        let belief = quadrature(&marginals, TOLERANCE).unwrap();
        let total: f64 = belief.probability.iter().sum();
        prop_assert!((total - 1.0).abs() < 1e-9, "{:e} {:?}", total - 1.0, marginals);
        prop_assert!(belief.probability.iter().all(|&p| (0.0..=1.0 + 1e-9).contains(&p)));
        // Shifting and stretching all arms changes nothing.
        let moved: Vec<Marginal> = marginals.iter()
            .map(|m| arm(m.location * 3.0 + 7.0, m.scale * 3.0, m.degrees_of_freedom))
            .collect();
        let again = quadrature(&moved, TOLERANCE).unwrap();
        for (p, q) in belief.probability.iter().zip(&again.probability) {
            prop_assert!((p - q).abs() < 1e-9);
        }
    }
}

/// Returns E[(−D)⁺] of a difference D by a fine sum over x = tan(πu/2).
fn expected_loss(difference: Marginal) -> f64 {
    let student = StudentT::new(difference.degrees_of_freedom);
    let steps = 400_000;
    let mut sum = 0.0;
    for step in 0..steps {
        // ∫ P(D < −y) dy over y > 0.
        let u = (f64::from(step) + 0.5) / f64::from(steps);
        let y = (u * FRAC_PI_2).tan();
        let stretch = FRAC_PI_2 * (1.0 + y * y) / f64::from(steps);
        sum += student
            .at((-y - difference.location) / difference.scale)
            .below
            * stretch;
    }
    sum
}

/// Tests two normal arms, whose difference is normal: the formula, a fine sum and the quadrature
/// agree.
#[test]
fn expected_shortfall_of_two() {
    let normal = |location: f64, scale: f64| Marginal {
        location,
        scale,
        degrees_of_freedom: f64::INFINITY,
    };
    for (gap, a, b) in [
        (0.0, 1.0, 1.0),
        (1.0, 1.0, 1.0),
        (0.3, 0.05, 0.2),
        (2.0, 0.3, 0.4),
    ] {
        let marginals = [normal(5.0 + gap, a), normal(5.0, b)];
        let belief = quadrature(&marginals, TOLERANCE).unwrap();
        let s = f64::hypot(a, b);
        let z = -gap / s;
        let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
        let exact = s * (density + z * upper_tail(-z, f64::INFINITY));
        assert!(
            (belief.shortfall[0] - exact).abs() < 1e-8,
            "{belief:?}: {exact}"
        );
        assert!((belief.shortfall[1] - exact - gap).abs() < 1e-8);
        let summed = expected_loss(normal(gap, s));
        assert!((summed - exact).abs() < 1e-6, "{summed}");
    }
}

/// Tests that a certain rival leaves the loss below a fixed value, of any Student's t with a mean;
/// without one there is no expected shortfall.
#[test]
fn expected_shortfall_of_heavy_tails() {
    for degrees_of_freedom in [1.5, 2.0, 3.0, 7.0] {
        let arm = Marginal {
            location: 0.4,
            scale: 1.0,
            degrees_of_freedom,
        };
        let certain = Marginal {
            location: 0.0,
            scale: 1e-9,
            degrees_of_freedom: f64::INFINITY,
        };
        let belief = quadrature(&[arm, certain], TOLERANCE).unwrap();
        let exact = expected_loss(arm);
        let error = (belief.shortfall[0] / exact - 1.0).abs();
        assert!(
            error < 2e-3,
            "{degrees_of_freedom}: {belief:?}, not {exact}"
        );
    }
    let cauchy = Marginal {
        location: 0.0,
        scale: 1.0,
        degrees_of_freedom: 1.0,
    };
    let belief = quadrature(&[cauchy, cauchy], TOLERANCE).unwrap();
    assert_eq!(belief.shortfall, [f64::INFINITY; 2]);
}

/// Tests that draws give the same as the quadrature, for more than two arms.
#[test]
fn expected_shortfall_by_draws() {
    let arms: Vec<Marginal> = [(0.62, 0.02, 9.0), (0.64, 0.01, 5.0), (0.63, 0.03, 30.0)]
        .map(|(location, scale, degrees_of_freedom)| Marginal {
            location,
            scale,
            degrees_of_freedom,
        })
        .to_vec();
    let exact = quadrature(&arms, TOLERANCE).unwrap().shortfall;
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let draw = |rng: &mut dyn Rng, means: &mut [f64]| independent_draw(&arms, rng, means);
    let drawn = monte_carlo(3, 200_000, &mut rng, draw).unwrap().shortfall;
    for (drawn, exact) in drawn.iter().zip(&exact) {
        // The standard error is at most .04/√200,000.
        assert!((drawn - exact).abs() < 4.5e-4, "{drawn}, not {exact}");
    }
}
