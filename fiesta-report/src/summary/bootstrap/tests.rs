//! Bootstrap intervals against rliable, exact intervals and simulated coverage.

use super::*;
use crate::summary::{ScoreSummary, quantile};
use rand_distr::StandardNormal;

const SCORES: [f64; 9] = [0.62, 0.63, 0.60, 0.66, 0.61, 0.65, 0.59, 0.64, 0.70];

fn near(found: Interval, expected: [f64; 2], tolerance: f64) {
    assert!(
        (found.lower - expected[0]).abs() <= tolerance,
        "{found:?} {expected:?}"
    );
    assert!(
        (found.upper - expected[1]).abs() <= tolerance,
        "{found:?} {expected:?}"
    );
}

fn runs(runs: &[[f64; 3]]) -> Sample<'static> {
    Sample::grouped(runs.iter().flat_map(|run| (0..).zip(*run))).unwrap()
}

fn tasks() -> (Sample<'static>, Sample<'static>) {
    let x = runs(&[
        [0.5, 0.6, 0.9],
        [0.6, 0.7, 0.8],
        [0.55, 0.65, 0.85],
        [0.52, 0.6, 0.7],
    ]);
    let y = runs(&[
        [0.5, 0.65, 0.8],
        [0.58, 0.6, 0.8],
        [0.5, 0.7, 0.75],
        [0.56, 0.61, 0.95],
        [0.4, 0.5, 0.6],
    ]);
    (x, y)
}

/// Tests intervals against rliable 1.2 with 50,000 resamples (20,000 for the probability of
/// improvement) of its own stream. The estimates lie on a coarse grid, so that its percentiles are
/// those of the exact distribution but for one step now and then; a step is .0017 of a mean.
#[test]
fn agrees_with_rliable() {
    let bootstrap = Bootstrap::new(0.95, 50_000, 3).unwrap();
    let single = plain(&bootstrap, &Sample::new(SCORES).unwrap());
    near(single[0], [0.613_333, 0.655_556], 0.0012);
    near(single[1], [0.60, 0.66], 1e-9);
    near(single[2], [0.608, 0.656], 0.0021);
    let stratified = bootstrap.resampling(Resampling::WithinGroups);
    let (x, y) = tasks();
    let found = plain(&stratified, &x);
    near(found[0], [0.633_333, 0.693_333], 0.0018);
    near(found[1], [0.60, 0.70], 1e-9);
    near(found[2], [0.616_667, 0.683_333], 0.0018);
    let (improvement, interval) = stratified.improvement(&x, &y, Direction::Maximize);
    assert!((improvement.probability - 0.6).abs() < 1e-14);
    near(interval, [0.375, 0.808_333], 0.01);
}

/// Returns the plain percentile intervals of mean, median and interquartile mean.
fn plain(bootstrap: &Bootstrap, sample: &Sample) -> [Interval; 3] {
    let (values, [rank]) = places([sample]);
    let urns = Urns::new(sample, &rank, bootstrap.resampling);
    let drawn = bootstrap.drawn(&values, &urns);
    drawn.map(|mut drawn| percentiles(&mut drawn, 0.025))
}

/// Share, in per cent, of 95 % intervals of `count` scores that hold the mean, the median and the
/// interquartile mean; 100 where none is given.
fn cover(
    count: usize,
    truth: [f64; 3],
    score: impl Fn(&mut rand::rngs::ChaCha8Rng) -> f64,
) -> [f64; 3] {
    const SETS: u32 = 1200;
    let mut held = [0; 3];
    for set in 0..SETS {
        let mut rng = Streams::new(count as u64).run(set.into());
        let scores = (0..count).map(|_| score(&mut rng));
        let sample = Sample::new(scores.collect::<Vec<f64>>()).unwrap();
        let bootstrap = Bootstrap::new(0.95, 300, set.into()).unwrap();
        let found = bootstrap.intervals(&sample);
        let found = [found.mean, found.median, found.interquartile_mean];
        for ((held, interval), truth) in held.iter_mut().zip(found).zip(truth) {
            let holds = |i: Interval| i.lower - 1e-12 <= truth && truth <= i.upper + 1e-12;
            *held += u32::from(interval.is_none_or(holds));
        }
    }
    held.map(|held| 100.0 * f64::from(held) / f64::from(SETS))
}

/// Tests the coverage of intervals of few scores: the limit, 92.5 %, is four standard errors of 1,200 sets below 95 %. Percentile intervals hold the
/// mean of 5 normal scores in 84 %, of 10 in 90 %, and that of 5 scores of which 80 % are 1 in 63 %.
#[test]
fn few_scores_have_intervals_that_hold() {
    for count in [3, 5, 6, 8, 10, 20] {
        let normal = cover(count, [0.0; 3], |rng| rng.sample(StandardNormal));
        let mostly = cover(count, [0.8, 1.0, 1.0], |rng| {
            f64::from(u8::from(rng.random::<f64>() < 0.8))
        });
        for held in [normal, [mostly[0], mostly[1], 100.0]].concat() {
            assert!(held > 92.5, "{count}: {normal:?} {mostly:?}");
        }
    }
}

/// Prints the table of coverage in `docs/decisions/intervals.md`.
#[test]
#[ignore = "measures, and asserts nothing"]
fn coverage_by_distribution_and_number_of_scores() {
    // The mean of the middle half of the standard exponential distribution, and of the standard
    // lognormal one.
    let (exponential, lognormal) = (0.738_376, 1.072_923);
    let ln_2 = std::f64::consts::LN_2;
    let binary = |p: f64| {
        move |rng: &mut rand::rngs::ChaCha8Rng| f64::from(u8::from(rng.random::<f64>() < p))
    };
    println!("| scores | 3 | 5 | 6 | 8 | 10 | 20 | 50 |");
    let row = |name: &str, cover: &dyn Fn(usize) -> [f64; 3]| {
        let cells = [3, 5, 6, 8, 10, 20, 50].map(|count| {
            let [mean, median, middle] = cover(count);
            format!("{mean:.1} {median:.1} {middle:.1}")
        });
        println!("| {name} | {} |", cells.join(" | "));
    };
    row("normal", &|count| {
        cover(count, [0.0; 3], |rng| rng.sample(StandardNormal))
    });
    row("exponential", &|count| {
        let truth = [1.0, ln_2, exponential];
        cover(count, truth, |rng| rng.sample(rand_distr::Exp1))
    });
    row("lognormal", &|count| {
        let truth = [0.5_f64.exp(), 1.0, lognormal];
        let score = |z: f64| z.exp();
        cover(count, truth, |rng| score(rng.sample(StandardNormal)))
    });
    row("0 or 1, half", &|count| cover(count, [0.5; 3], binary(0.5)));
    row("0 or 1, 80 %", &|count| {
        cover(count, [0.8, 1.0, 1.0], binary(0.8))
    });
}

#[test]
fn too_few_scores_have_none() {
    let bootstrap = Bootstrap::new(0.95, 200, 1).unwrap();
    let of = |scores: &[f64]| bootstrap.intervals(&Sample::new(scores.to_vec()).unwrap());
    let five = of(&SCORES[..5]);
    assert!(five.mean.is_some());
    assert_eq!((five.median, five.interquartile_mean), (None, None));
    let six = of(&SCORES[..6]);
    assert!(six.median.is_some() && six.interquartile_mean.is_some());
    assert_eq!(of(&[0.7]).mean, None);
    // Five seeds on each of three splits are three units; of their means there is Student's t.
    let grouped = runs(&[
        [0.5, 0.6, 0.9],
        [0.6, 0.7, 0.8],
        [0.5, 0.6, 0.8],
        [0.5, 0.6, 0.7],
        [0.4, 0.6, 0.7],
    ]);
    let found = bootstrap.intervals(&grouped);
    let summary = ScoreSummary::new(&grouped, 0.95).unwrap();
    assert_eq!((found.mean, found.median), (summary.interval, None));
    // Within splits there are twelve degrees of freedom.
    let within = bootstrap.clone().resampling(Resampling::WithinGroups);
    assert!(within.intervals(&grouped).interquartile_mean.is_some());
}

/// Tests that the three estimates of counted values are those of the written-out resample.
#[test]
fn counting_is_no_approximation() {
    let sample = Sample::new([0.5, 0.1, 0.3, 0.3, 0.9, 0.2, 0.8]).unwrap();
    let (values, [rank]) = places([&sample]);
    let urns = Urns::new(&sample, &rank, Resampling::Units);
    let mut rng = Streams::new(5).draws(0);
    let mut counts = vec![0; values.len()];
    for _ in 0..100 {
        let total = urns.draw(&mut rng, &mut counts);
        let found = estimates(&values, &counts, total);
        let written = values
            .iter()
            .zip(&counts)
            .flat_map(|(&value, &count)| vec![value; count as usize]);
        let written: Vec<f64> = written.collect();
        let summary = ScoreSummary::new(&Sample::new(written.clone()).unwrap(), 0.95).unwrap();
        let expected = [
            summary.mean,
            quantile(&written, 0.5),
            summary.interquartile_mean,
        ];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14);
        }
    }
}

/// Tests three seeds on each of 30 splits that differ: whole splits are drawn, and the interval is
/// as wide as that of the splits' means.
#[test]
fn splits_are_drawn_whole() {
    let split = |split: u64| 0.6 + 0.01 * (split * 7 % 30) as f64;
    let seeds = (0..90).map(|i| (i / 3, split(i / 3) + 0.001 * (i % 3) as f64));
    let of_splits = Sample::new((0..30).map(|k| split(k) + 0.001)).unwrap();
    let bootstrap = Bootstrap::new(0.95, 20_000, 1).unwrap();
    let width = |sample: &Sample, bootstrap: &Bootstrap| {
        let interval = bootstrap.intervals(sample).mean.unwrap();
        interval.upper - interval.lower
    };
    let grouped = Sample::grouped(seeds.clone()).unwrap();
    let found = width(&grouped, &bootstrap);
    let expected = width(&of_splits, &bootstrap);
    assert!((found / expected - 1.0).abs() < 0.05, "{found} {expected}");
    let naive = Sample::new(seeds.map(|(_, score)| score)).unwrap();
    assert!(width(&naive, &bootstrap) < 0.65 * expected);
    let within = bootstrap.resampling(Resampling::WithinGroups);
    assert!(width(&grouped, &within) < 0.05 * expected);
}

#[test]
fn edges() {
    let bootstrap = Bootstrap::new(0.95, 200, 1).unwrap();
    let one = Sample::new([0.7]).unwrap();
    let equal = Sample::new([1e9; 50]).unwrap();
    let found = bootstrap.intervals(&equal);
    assert_eq!((found.mean, found.median), (None, None));
    let right = Sample::new([1.0; 50]).unwrap();
    near(
        bootstrap.intervals(&right).mean.unwrap(),
        [0.9289, 1.0],
        1e-3,
    );
    let (improvement, interval) = bootstrap.improvement(&one, &one, Direction::Maximize);
    assert!((improvement.probability - 0.5).abs() < 1e-15);
    assert!(interval.lower < 0.05 && interval.upper > 0.95);
    let two = Sample::new([0.6, 0.8]).unwrap();
    let (_, up) = bootstrap.improvement(&two, &one, Direction::Maximize);
    let (_, down) = bootstrap.improvement(&two, &one, Direction::Minimize);
    near(up, [1.0 - down.upper, 1.0 - down.lower], 1e-6);
    assert!(Bootstrap::new(0.95, 0, 1).is_err());
    assert!(Bootstrap::new(f64::NAN, 10, 1).is_err());
}
