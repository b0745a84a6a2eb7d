//! Bands of the distribution against reference values and against other ways to compute them.

use crate::reference::shared;
use fiesta_report::{
    bands::{Band, CdfBand, joint_coverage},
    tuning_curve::CurveError,
};
use proptest::prelude::*;
use serde_json::Value;
use statrs::function::beta::{beta_reg, ln_beta};

/// Tests reference bands, which were found by searches that end within 10⁻¹⁰: our own are those of
/// 40-digit arithmetic, below.
#[test]
fn every_reference_band() {
    let Some(text) = shared("reference/cdf_bands.json") else {
        return;
    };
    let document: Value = serde_json::from_str(&text).unwrap();
    for (name, row) in document["bands"].as_object().unwrap() {
        let band = if name.starts_with("ld_equal_tailed_") {
            Band::EqualTailed
        } else {
            assert!(name.starts_with("ld_highest_density_"), "{name}");
            Band::HighestDensity
        };
        let count = usize::try_from(row["n"].as_u64().unwrap()).unwrap();
        let found = CdfBand::new(band, count, row["confidence"].as_f64().unwrap()).unwrap();
        let close = |found: f64, expected: &Value| {
            let expected = expected.as_f64().unwrap();
            assert!(
                (found - expected).abs() < 1e-10,
                "{name}: {found} for {expected}"
            );
        };
        close(found.critical(), &row["exact_critical"]);
        for (ends, key) in [(found.lower(), "lo"), (found.upper(), "hi")] {
            let expected = row[key].as_array().unwrap();
            assert_eq!(ends.len(), expected.len());
            for (end, expected) in ends.iter().zip(expected) {
                close(*end, expected);
            }
        }
    }
}

/// Tests equal tails against Steck's determinant and the regularised incomplete beta function in
/// mpmath, with 40 digits.
#[test]
fn equal_tails_to_all_digits() {
    let rows = [
        (
            5,
            0.95,
            0.987_728_620_436_033_5,
            [0.001_230_160_826_811_714_4, 0.025_411_969_110_330_887],
        ),
        (
            5,
            0.5,
            0.826_411_253_747_371_5,
            [0.017_994_962_228_288_57, 0.103_615_582_625_781_25],
        ),
        (
            5,
            0.999,
            0.999_786_891_832_501_9,
            [2.131_172_510_970_239_5e-5, 0.003_274_979_002_060_982],
        ),
        (
            20,
            0.95,
            0.995_229_304_433_241_6,
            [0.000_119_402_733_807_567_71, 0.003_620_940_662_144_754_5],
        ),
        (
            20,
            0.5,
            0.918_814_857_202_340_2,
            [0.002_069_827_295_974_095_4, 0.016_087_953_370_412_69],
        ),
        (
            20,
            0.999,
            0.999_928_033_554_256_2,
            [1.799_191_895_631_082e-6, 0.000_436_324_905_784_553_74],
        ),
    ];
    for (count, confidence, critical, lower) in rows {
        let band = CdfBand::new(Band::EqualTailed, count, confidence).unwrap();
        let outside = (1.0 - band.critical()) / (1.0 - critical);
        assert!(
            (outside - 1.0).abs() < 1e-11,
            "{count} {confidence}: {outside}"
        );
        for (end, expected) in band.lower().iter().zip(lower) {
            assert!((end / expected - 1.0).abs() < 1e-11, "{end} for {expected}");
        }
    }
}

/// Tests that the intervals leave out the same probability each, by another implementation of the
/// incomplete beta function, and all hold at once with the confidence, by the walk over all of \[0,
/// 1\].
#[test]
fn every_interval_and_all_together() {
    for count in [1, 2, 3, 4, 5, 8, 33, 100, 400] {
        for confidence in [1e-3, 0.1, 0.5, 0.9, 0.95, 0.999, 1.0 - 1e-9] {
            for kind in [Band::EqualTailed, Band::HighestDensity] {
                let band = CdfBand::new(kind, count, confidence).unwrap();
                let all = joint_coverage(band.lower(), band.upper()).unwrap();
                let slack = 1e-11 * (1.0 - confidence) + 1e-13;
                assert!(
                    (all - confidence).abs() < slack,
                    "{kind:?} {count} {confidence}: {all}"
                );
                check_ends(&band);
            }
        }
    }
}

/// Tests that one score leaves out half of α on either side, to all digits also where α is tiny.
#[test]
fn small_probabilities_keep_their_digits() {
    let confidence = 1.0 - 1e-9;
    let band = CdfBand::new(Band::EqualTailed, 1, confidence).unwrap();
    let ratio = band.lower()[0] / (0.5 * (1.0 - confidence));
    assert!((ratio - 1.0).abs() < 1e-12, "{ratio}");
}

fn check_ends(band: &CdfBand) {
    let count = band.lower().len();
    let ends = band.lower().iter().zip(band.upper());
    for (i, (&low, &high)) in (1..).zip(ends) {
        let (a, b) = (i as f64, (count + 1 - i) as f64);
        let below = if low > 0.0 { beta_reg(a, b, low) } else { 0.0 };
        let above = if high < 1.0 {
            beta_reg(b, a, 1.0 - high)
        } else {
            0.0
        };
        let outside = 1.0 - band.critical();
        let ln_density = |u: f64| (a - 1.0) * u.ln() + (b - 1.0) * (-u).ln_1p();
        // What an end within rounding of 1 leaves of 1 − u.
        let rounding = if high < 1.0 {
            2e-16 * (ln_density(high) - ln_beta(a, b)).exp()
        } else {
            0.0
        };
        let slack = 1e-10 * outside + rounding + 2e-16;
        assert!(
            (below + above - outside).abs() < slack,
            "{:?} {i} of {count}: {below} + {above}, not {outside}",
            band.band()
        );
        if band.band() == Band::EqualTailed || count == 1 {
            assert!((below - above).abs() < slack);
        } else if low > 0.0 && high < 1.0 {
            // Above the middle, 1 − u has lost the digits that its mirror image below has.
            let apart = ln_density(low) - ln_density(high);
            let slack = 1e-10 + 2e-16 * (a / low + b / (1.0 - high));
            assert!(apart.abs() < slack, "{i} of {count}: {apart}");
        } else {
            assert!(i == 1 && low <= 0.0 || i == count && high >= 1.0);
        }
        let (mirrored_low, mirrored_high) = (band.lower()[count - i], band.upper()[count - i]);
        assert!(
            (low + mirrored_high - 1.0).abs() < 1e-14 && (high + mirrored_low - 1.0).abs() < 1e-15
        );
    }
    assert!(band.lower().is_sorted() && band.upper().is_sorted());
}

/// Tests quantiles of Kolmogorov's statistic: n = 1 and 2 by hand, the others from the matrix
/// powers of Durbin in extended precision (scipy's `_kolmogn_DMTW`), which its `kstwo` itself meets
/// to 7e-9 only.
#[test]
fn kolmogorov_is_exact() {
    for (count, confidence, epsilon) in [
        (1, 0.95, 0.975),
        (2, 0.5, 0.5),
        (2, 0.95, 0.841_886_116_991_581),
        (5, 0.95, 0.563_275_198_366_063_5),
        (20, 0.999, 0.420_851_188_984_766),
        (50, 0.95, 0.188_406_479_177_925_08),
        (500, 0.95, 0.060_392_287_162_219_88),
        (5000, 0.95, 0.019_172_751_312_192_5),
    ] {
        let band = CdfBand::new(Band::Ks, count, confidence).unwrap();
        assert!(
            (band.critical() - epsilon).abs() < 1e-12,
            "{count}: {}",
            band.critical()
        );
    }
}

#[test]
fn dkw_is_wider_than_kolmogorov() {
    for count in [1, 2, 10, 100, 1000] {
        let [dkw, ks] = [Band::Dkw, Band::Ks].map(|kind| CdfBand::new(kind, count, 0.9).unwrap());
        let epsilon = (20_f64.ln() / (2.0 * count as f64)).sqrt();
        assert!((dkw.critical() - epsilon).abs() < 1e-15);
        assert!(dkw.critical() > ks.critical());
        let all = joint_coverage(dkw.lower(), dkw.upper()).unwrap();
        assert!(all > 0.9, "{all}");
        let end = (1.0 - epsilon).max(0.0);
        assert!((dkw.lower()[count - 1] - end).abs() < 1e-15);
    }
    assert!(CdfBand::new(Band::Dkw, 1_000_000, 0.95).is_ok());
}

#[test]
fn says_why_there_is_no_band() {
    for confidence in [0.0, 1.0, -0.1, 95.0, f64::NAN] {
        let error = CdfBand::new(Band::EqualTailed, 5, confidence).unwrap_err();
        assert!(error.to_string().contains("is not between 0 and 1"));
    }
    for band in Band::ALL {
        let error = CdfBand::new(band, 0, 0.95).unwrap_err();
        assert!(error.to_string().starts_with("there is no score"));
        assert_eq!(band.name().parse(), Ok(band));
    }
    let scores = CdfBand::EXACT_UP_TO + 1;
    let error = CdfBand::new(Band::Ks, scores, 0.95).unwrap_err();
    assert_eq!(error, CurveError::TooMany { scores });
    assert!(joint_coverage(&[], &[]).is_err());
    assert!(joint_coverage(&[0.1], &[0.5, 0.6]).is_err());
    assert!(joint_coverage(&[0.1], &[f64::NAN]).is_err());
}

/// Returns the joint coverage of ends by n! det(((upper_i − lower_j)₊)^{j−i+1}/(j−i+1)!), which is
/// exact but loses digits with n (Steck 1971).
fn steck(lower: &[f64], upper: &[f64]) -> f64 {
    let n = lower.len();
    let entry = |i: usize, j: usize| match (j + 1).checked_sub(i) {
        None => 0.0,
        Some(0) => 1.0,
        Some(k) => (1..=k).fold(1.0, |product, m| {
            product * (upper[i] - lower[j]).max(0.0) / m as f64
        }),
    };
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| entry(i, j)).collect())
        .collect();
    let mut determinant = 1.0;
    for i in 0..n {
        let pivot = (i..n)
            .max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs()))
            .unwrap();
        if rows[pivot][i] == 0.0 {
            return 0.0;
        }
        if pivot != i {
            rows.swap(pivot, i);
            determinant = -determinant;
        }
        determinant *= rows[i][i] * (i + 1) as f64;
        let (above, below) = rows.split_at_mut(i + 1);
        let pivot = &above[i];
        for row in below {
            let ratio = row[i] / pivot[i];
            for (entry, above) in row.iter_mut().zip(pivot) {
                *entry -= ratio * above;
            }
        }
    }
    determinant
}

proptest! {
    #[test]
    fn coverage_is_that_of_the_determinant(ends in prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 1..9)) {
        let mut lower: Vec<f64> = ends.iter().map(|(low, _)| low * 0.8).collect();
        let mut upper: Vec<f64> = ends.iter().map(|(_, high)| 0.2 + high * 0.8).collect();
        lower.sort_by(f64::total_cmp);
        upper.sort_by(f64::total_cmp);
        let (walked, exact) = (joint_coverage(&lower, &upper).unwrap(), steck(&lower, &upper));
        let empty = lower.iter().zip(&upper).any(|(low, high)| low > high);
        prop_assert!((walked - exact).abs() < 1e-12 || empty && walked == 0.0, "{walked} for {exact}");
    }

    /// Tests equal ends, ends at 0 and 1, and ends that are not sorted.
    #[test]
    fn coverage_of_coarse_ends(ends in prop::collection::vec((0..5_u8, 0..5_u8), 1..8)) {
        let lower: Vec<f64> = ends.iter().map(|(low, _)| f64::from(*low) / 8.0).collect();
        let upper: Vec<f64> = ends.iter().map(|(_, high)| 1.0 - f64::from(*high) / 8.0).collect();
        let walked = joint_coverage(&lower, &upper).unwrap();
        let mut sorted = (lower, upper);
        for i in 1..ends.len() {
            sorted.0[i] = sorted.0[i].max(sorted.0[i - 1]);
        }
        for i in (1..ends.len()).rev() {
            sorted.1[i - 1] = sorted.1[i - 1].min(sorted.1[i]);
        }
        let exact = steck(&sorted.0, &sorted.1);
        prop_assert!((walked - exact).abs() < 1e-12, "{walked} for {exact}");
    }
}

/// Tests large bands: the two ways to walk agree, and so does the limit of Kolmogorov's
/// distribution.
#[test]
#[ignore = "heavy: cargo test --release … -- --ignored"]
fn bands_of_many_scores() {
    for count in [10_000, CdfBand::EXACT_UP_TO] {
        for kind in [Band::EqualTailed, Band::HighestDensity, Band::Ks] {
            let began = std::time::Instant::now();
            let band = CdfBand::new(kind, count, 0.95).unwrap();
            println!(
                "{} of {count}: {:.1} s",
                kind.name(),
                began.elapsed().as_secs_f64()
            );
            let all = joint_coverage(band.lower(), band.upper()).unwrap();
            assert!((all - 0.95).abs() < 1e-10, "{kind:?} {count}: {all}");
            if kind == Band::Ks {
                // √B ε + 1/(6√B) is the quantile of Kolmogorov's distribution but for terms in 1/B.
                let root = (count as f64).sqrt();
                let limit = root * band.critical() + 1.0 / (6.0 * root);
                assert!(
                    (limit - 1.358_098_639_322_548).abs() < 3.0 / count as f64,
                    "{limit}"
                );
            }
        }
    }
}
