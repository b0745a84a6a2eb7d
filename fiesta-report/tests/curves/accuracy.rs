//! Tests all n of 5,000 scores against 50-digit arithmetic, and what large and odd samples do.

use fiesta_core::Direction;
use fiesta_report::{
    budget::{Budget, Reached},
    tuning_curve::{Estimator, TrialScores},
};

/// Returns `count` numbers between 0 and 1, the same in every language with 64-bit integers: x ←
/// 6364136223846793005 x + 1442695040888963407 modulo 2⁶⁴ from 1, of which the upper 53 bits count.
fn uniform(count: usize) -> Vec<f64> {
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| next()).collect()
}

/// Reference values in a row: n, mean and sd of the plug-in estimator, and of the unbiased one:
/// sums over all terms in mpmath with 50 digits.
type Row = (u64, f64, f64, Option<(f64, f64)>);

#[rustfmt::skip]
#[expect(clippy::excessive_precision, clippy::unreadable_literal, reason = "as another program printed them")]
const UNIFORM: &[Row] = &[
    (1, 0.50372372566692070874, 0.28768687872083292286, Some((0.50372372566692070874, 0.28768687872083292286))),
    (2, 0.66981258233072004728, 0.23398216411027555905, Some((0.66984580674693605034, 0.2339583926134784232))),
    (3, 0.7525348236417337099, 0.19208379478098810076, Some((0.75258446686359413862, 0.19204521556950360429))),
    (10, 0.91034004878922738184, 0.082147148551942047698, Some((0.91042113981067451556, 0.082072325078809784118))),
    (100, 0.98992058864456380549, 0.0098843701143155518462, Some((0.99001959549496366226, 0.0097919472784207329615))),
    (129, 0.99215935258604320813, 0.0078103056289595764812, Some((0.99226036382389885287, 0.0077157099408699825192))),
    (137, 0.992615503891851936, 0.0073861443117557478028, Some((0.99271697590472979697, 0.0072910277883796257722))),
    (1000, 0.99917980305608918363, 0.001017679570238003571, Some((0.9992831478000635653, 0.00090133366671028798192))),
    (2500, 0.99975158801711452939, 0.00035434032260592112048, Some((0.9998410983715666706, 0.00022537681003253613211))),
    (4999, 0.99990178832007162458, 0.000132915878450903017, Some((0.99997419956385985993, 1.5555760856460481264e-6))),
    (5000, 0.9999018133174740128, 0.00013287837018439697853, Some((0.99997422156522808301, 0.0))),
    (20000, 0.99997215163001700341, 0.000015457243059501569221, None),
];

#[rustfmt::skip]
#[expect(clippy::excessive_precision, clippy::unreadable_literal, reason = "as another program printed them")]
const CAUCHY: &[Row] = &[
    (1, 9.2629430648442453151, 110.65041148416659436, Some((9.2629430648442453151, 110.65041148416659436))),
    (2, 16.55105419968827905, 156.10116604599690814, Some((16.552512113498009803, 156.10890016431416436))),
    (3, 23.35310582182279503, 190.77250084390978804, Some((23.357188374788230205, 190.79134582641857641))),
    (10, 64.829933448477191552, 344.2084130270520293, Some((64.879518061090711591, 344.35893033188943737))),
    (100, 416.77819527948405659, 1007.3547326412684521, Some((419.97586376339460927, 1011.7611234296164296))),
    (129, 505.66923612823935512, 1124.6343741519433409, Some((510.62985768564444663, 1130.8648317251964949))),
    (137, 529.09347064146156716, 1153.8306941071934172, Some((534.59506616027525247, 1160.5853642143802722))),
    (1000, 2182.2487386481256989, 2272.4354194924790249, Some((2343.7652210279349899, 2317.6954419124986176))),
    (2500, 3763.6355219590865883, 2385.5122270931229585, Some((4396.1885051862669643, 2230.4234363161840841))),
    (4999, 5068.2144928903240854, 1917.9204802126578815, Some((6405.8337347431667677, 37.67997616928127104))),
    (5000, 5068.5577888270433302, 1917.7140200802096964, Some((6406.3666633719794845, 0.0))),
    (20000, 6356.7204777143579349, 366.51438893556695665, None),
];

#[rustfmt::skip]
#[expect(clippy::excessive_precision, clippy::unreadable_literal, reason = "as another program printed them")]
const OUTLIER: &[Row] = &[
    (1, 0.5001005036596145445, 0.0070703535520428442422, Some((0.5001005036596145445, 0.0070703535520428442422))),
    (2, 0.50020064959110215583, 0.0099974866964074491522, Some((0.50020066962429509194, 0.0099979864075308694904))),
    (3, 0.50030069213074723021, 0.012242531880514198722, Some((0.50030075217627845465, 0.012243755499495381872))),
    (10, 0.50100000901881346164, 0.022328238235743984156, Some((0.50100090861827239276, 0.022338267228498932356))),
    (100, 0.50990261399388800105, 0.069661754747943793669, Some((0.51000097022115765634, 0.069999861396978148588))),
    (129, 0.51273723614042136673, 0.078777518637236675849, Some((0.51290096666157790531, 0.079268941333640219745))),
    (137, 0.51351631149027778295, 0.081086263798887932645, Some((0.51370096551797598741, 0.081622812649612682812))),
    (1000, 0.59064362982148402375, 0.19262694064649491629, Some((0.60000079942667743776, 0.19999960028666128274))),
    (2500, 0.69675044140278120746, 0.24426252544128187113, Some((0.75000049992058014369, 0.24999950007941985636))),
    (4999, 0.81604225117608984446, 0.24111871996986803363, Some((0.99990000019999484431, 0.0070703465293686002538))),
    (5000, 0.81607904272586381891, 0.24110863984836831883, Some((1.0, 0.0))),
    (20000, 0.99084586174698101165, 0.067031796376576154781, None),
];

/// Asserts that every row is within 1e-12 of the size of the scores.
fn compare(scores: Vec<f64>, rows: &[Row], size: f64) {
    let sample = TrialScores::new(scores, Direction::Maximize).unwrap();
    let plug_in = sample.curve(Estimator::PlugIn, 20_000);
    let unbiased = sample.curve(Estimator::Unbiased, 20_000);
    let close = |n, found: f64, exact: f64| {
        assert!(
            (found - exact).abs() <= 1e-12 * size,
            "{n}: {found} for {exact}"
        );
    };
    for &(n, mean, sd, without) in rows {
        let at = usize::try_from(n).unwrap();
        let alone = sample.best_of(Estimator::PlugIn, n).unwrap();
        for best in [alone, plug_in.best_of(at).unwrap()] {
            close(n, best.mean, mean);
            close(n, best.sd, sd);
        }
        let alone = sample.best_of(Estimator::Unbiased, n);
        for best in [alone, unbiased.best_of(at)] {
            assert_eq!(best.is_some(), without.is_some());
            if let (Some(best), Some((mean, sd))) = (best, without) {
                close(n, best.mean, mean);
                close(n, best.sd, sd);
            }
        }
    }
}

#[test]
fn uniform_scores() {
    compare(uniform(5000), UNIFORM, 1.0);
}

/// Tests scores of very different sizes; 1e4 is the largest.
#[test]
fn heavy_tails() {
    let scores = uniform(5000).iter().map(|x| 1.0 / (x + 1e-4)).collect();
    compare(scores, CAUCHY, 1e4);
}

/// Tests scores that are all nearly equal but one.
#[test]
fn an_outlier() {
    let mut scores: Vec<f64> = uniform(5000).iter().map(|x| 0.5 + 1e-6 * x).collect();
    scores[4999] = 1.0;
    compare(scores, OUTLIER, 1.0);
}

/// Tests all n of all sizes against every n by itself, which takes another way.
#[test]
fn all_n_agree_with_each_n() {
    for count in [2, 7, 8, 9, 63, 64, 300, 1000] {
        let sample = TrialScores::new(uniform(count), Direction::Maximize).unwrap();
        for (estimator, up_to) in [(Estimator::PlugIn, 3 * count), (Estimator::Unbiased, count)] {
            let curve = sample.curve(estimator, up_to);
            for n in 1..=up_to {
                let alone = sample.best_of(estimator, n as u64).unwrap();
                assert!(
                    (curve.mean()[n - 1] - alone.mean).abs() < 1e-14,
                    "{count} {n}"
                );
                assert!((curve.sd()[n - 1] - alone.sd).abs() < 1e-12, "{count} {n}");
            }
        }
    }
}

/// Tests a score of 1 among 10⁶ − 1 of 0: P(found in n) = 1 − (1 − 10⁻⁶)ⁿ, or n/10⁶ without
/// replacement.
#[test]
fn a_million_scores() {
    let count = 1_000_000;
    let scores = (0..count).map(|i| if i == 77 { 1.0 } else { 0.0 });
    let sample = TrialScores::new(scores, Direction::Maximize).unwrap();
    let plug_in = sample.curve(Estimator::PlugIn, count);
    let unbiased = sample.curve(Estimator::Unbiased, count);
    for n in [
        1, 2, 127, 128, 129, 4097, 99_999, 500_000, 999_999, 1_000_000,
    ] {
        let p = -(n as f64 * (-1e-6_f64).ln_1p()).exp_m1();
        let share = n as f64 / 1e6;
        for (curve, p) in [(&plug_in, p), (&unbiased, share)] {
            let best = curve.best_of(n).unwrap();
            assert!((best.mean - p).abs() < 1e-12, "{n}: {} for {p}", best.mean);
            let sd = (p * (1.0 - p)).sqrt();
            assert!((best.sd - sd).abs() < 3e-11, "{n}: {} for {sd}", best.sd);
        }
    }
}

/// Tests 10⁶ scores of which half are 0: three draws without replacement are all among them with
/// (1/2)(499,999/999,999)(499,998/999,998).
#[test]
fn few_draws_from_many() {
    let scores = (0..1_000_000).map(|i| f64::from(i % 2));
    let sample = TrialScores::new(scores, Direction::Maximize).unwrap();
    let curve = sample.curve(Estimator::Unbiased, 3);
    let none = 0.5 * (499_999.0 / 999_999.0) * (499_998.0 / 999_998.0);
    for best in [curve.best_of(3), sample.best_of(Estimator::Unbiased, 3)] {
        let mean = best.unwrap().mean;
        assert!((mean - (1.0 - none)).abs() < 3e-16, "{mean}");
    }
}

/// Tests budgets at the edge: the decimals .7 − .4·.2 are not .62 to a computer, and the mean of
/// all B scores takes all B trials at the most.
#[test]
fn budgets_at_the_edge() {
    let ties = TrialScores::new([0.5, 0.7, 0.5, 0.7, 0.7], Direction::Maximize).unwrap();
    for estimator in [Estimator::PlugIn, Estimator::Unbiased] {
        let first = ties.budget(estimator, 0.62).unwrap();
        assert_eq!(first.reached().unwrap().n, 1, "{estimator:?}");
        let three = ties.best_of(estimator, 3).unwrap().mean;
        assert_eq!(
            ties.budget(estimator, three).unwrap().reached().unwrap().n,
            3
        );
    }
    // Without replacement the best score is sure as soon as fewer are worse.
    let best = ties.budget(Estimator::Unbiased, 0.7).unwrap();
    assert!(
        matches!(
            best,
            Budget::Within(Reached {
                n: 3,
                real: None,
                ..
            })
        ),
        "{best:?}"
    );
    let last = ties.best_of(Estimator::PlugIn, 5).unwrap().mean;
    assert!(matches!(
        ties.budget(Estimator::PlugIn, last),
        Ok(Budget::Within(Reached { n: 5, .. }))
    ));
    assert!(matches!(
        ties.budget(Estimator::PlugIn, 0.698),
        Ok(Budget::Beyond(Reached { n: 6, .. }))
    ));
    let equal = TrialScores::new([0.7; 3], Direction::Minimize).unwrap();
    assert!(matches!(
        equal.budget(Estimator::PlugIn, 0.7),
        Ok(Budget::Within(Reached { n: 1, .. }))
    ));
    assert_eq!(
        equal.budget(Estimator::PlugIn, 0.69),
        Ok(Budget::BeyondTheBest)
    );
    assert!(equal.budget(Estimator::PlugIn, f64::NAN).is_err());
}

#[test]
fn one_score_and_equal_scores() {
    for scores in [vec![0.3], vec![0.3; 10]] {
        let count = scores.len();
        for direction in [Direction::Maximize, Direction::Minimize] {
            let sample = TrialScores::new(scores.clone(), direction).unwrap();
            for (estimator, up_to) in [(Estimator::PlugIn, 1000), (Estimator::Unbiased, count)] {
                let curve = sample.curve(estimator, 1000);
                assert_eq!(curve.mean(), vec![0.3; up_to]);
                assert_eq!(curve.sd(), vec![0.0; up_to]);
                assert!(curve.shading().all(|ends| ends == (0.3, 0.3)));
            }
            assert_eq!(sample.median_curve(7), [0.3; 7]);
            assert_eq!(sample.best_of(Estimator::PlugIn, 0), None);
            assert_eq!(sample.median_of(0), None);
        }
    }
}

#[test]
fn n_far_beyond_b() {
    let sample = TrialScores::new([0.2, 0.9, 0.5], Direction::Minimize).unwrap();
    for n in [10_000, u64::MAX] {
        let best = sample.best_of(Estimator::PlugIn, n).unwrap();
        assert_eq!((best.mean, best.sd), (0.2, 0.0));
        assert_eq!(sample.median_of(n), Some(0.2));
    }
    let curve = sample.curve(Estimator::PlugIn, 100_000);
    let last = curve.best_of(100_000).unwrap();
    assert_eq!((last.mean, last.sd), (0.2, 0.0));
}
