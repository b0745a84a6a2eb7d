//! Intervals by drawing scores again.

use super::{
    Improvement, Interval, Resampling, Sample, SummaryError, error,
    improvement::within_groups,
    quantile::quantile_of,
    resample::{Urns, places},
};
use fiesta_core::{Direction, Streams};
use rand::RngExt;

/// Percentile bootstrap intervals (Efron 1979; the conventions are rliable's, Agarwal et al. 2021): scores are drawn again from
/// themselves, with replacement, and the interval reaches from the (1 − c)/2 to the (1 + c)/2 quantile of the estimates so found.
///
/// With fewer than ten or so scores such intervals are too narrow; Student's t of a [`Summary`](super::Summary) is not.
///
/// The same seed gives the same interval.
#[derive(Debug, Clone)]
pub struct Bootstrap {
    pub(super) confidence: f64,
    pub(super) resamples: u32,
    pub(super) resampling: Resampling,
    pub(super) streams: Streams,
}

/// Intervals of what a sample estimates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intervals {
    /// Of the mean.
    pub mean: Interval,
    /// Of the median.
    pub median: Interval,
    /// Of the mean of the middle half.
    pub interquartile_mean: Interval,
}

impl Bootstrap {
    /// Intervals at this confidence from so many resamples.
    ///
    /// # Errors
    /// [`SummaryError`] if the confidence is not between 0 and 1, or there are no resamples.
    pub fn new(confidence: f64, resamples: u32, seed: u64) -> Result<Self, SummaryError> {
        if resamples == 0 {
            return Err(SummaryError::Resamples(resamples));
        }
        Ok(Self {
            confidence: error::confidence(confidence)?,
            resamples,
            resampling: Resampling::default(),
            streams: Streams::new(seed),
        })
    }

    /// Draws something else again.
    pub fn resampling(mut self, resampling: Resampling) -> Self {
        self.resampling = resampling;
        self
    }

    /// Of the mean, the median and the interquartile mean of an arm; O(n) for each resample.
    ///
    /// # Example
    /// ```
    /// use fiesta_report::summary::{Bootstrap, Sample};
    /// let sample = Sample::new([0.62, 0.63, 0.60, 0.66, 0.61, 0.65, 0.59, 0.64, 0.70])?;
    /// let found = Bootstrap::new(0.95, 20_000, 7)?.intervals(&sample);
    /// assert!((found.mean.lower - 0.6133).abs() < 0.002);
    /// assert!((found.mean.upper - 0.6556).abs() < 0.002);
    /// # Ok::<(), fiesta_report::summary::SummaryError>(())
    /// ```
    pub fn intervals(&self, sample: &Sample) -> Intervals {
        let (values, [rank]) = places([sample]);
        let urns = Urns::new(sample, &rank, self.resampling);
        let mut rng = self.streams.draws(0);
        let mut counts = vec![0; values.len()];
        let mut drawn = [const { Vec::new() }; 3];
        for _ in 0..self.resamples {
            let total = urns.draw(&mut rng, &mut counts);
            let estimates = estimates(&values, &counts, total);
            drawn
                .iter_mut()
                .zip(estimates)
                .for_each(|(all, value)| all.push(value));
        }
        let [mean, median, interquartile_mean] = drawn.map(|mut values| self.interval(&mut values));
        Intervals {
            mean,
            median,
            interquartile_mean,
        }
    }

    /// Of the [probability of improvement](Improvement) of x over y. Where it is within splits, these are drawn, the same for both
    /// arms; or with [`Resampling::WithinGroups`] the scores of each arm on each of them.
    pub fn improvement(
        &self,
        x: &Sample,
        y: &Sample,
        direction: Direction,
    ) -> (Improvement, Interval) {
        let estimate = Improvement::new(x, y, direction);
        let mut drawn = match (x.in_common(y), self.resampling) {
            (Some(common), Resampling::Units) => self.means(&within_groups(&common, direction)),
            (Some(common), Resampling::WithinGroups) => {
                let mut sums = vec![0.0; self.resamples as usize];
                for (group, (x, y)) in common.iter().enumerate() {
                    let (x, y) = (Sample::part(x), Sample::part(y));
                    let of_group = self.superiority(&x, &y, direction, group as u64);
                    sums.iter_mut().zip(of_group).for_each(|(sum, p)| *sum += p);
                }
                let groups = common.len() as f64;
                sums.iter().map(|sum| sum / groups).collect()
            }
            (None, _) => self.superiority(x, y, direction, 0),
        };
        (estimate, self.interval(&mut drawn))
    }

    /// U/(n m) of resamples of two independent samples.
    fn superiority(&self, x: &Sample, y: &Sample, direction: Direction, stream: u64) -> Vec<f64> {
        let (values, [rank_x, rank_y]) = places([x, y]);
        let urns_x = Urns::new(x, &rank_x, self.resampling);
        let urns_y = Urns::new(y, &rank_y, self.resampling);
        let mut rng = self.streams.draws(stream);
        let (mut of_x, mut of_y) = (vec![0; values.len()], vec![0; values.len()]);
        (0..self.resamples)
            .map(|_| {
                let n = urns_x.draw(&mut rng, &mut of_x);
                let m = urns_y.draw(&mut rng, &mut of_y);
                let (mut below, mut twice) = (0, 0);
                for (&x, &y) in of_x.iter().zip(&of_y) {
                    twice += u64::from(x) * (2 * below + u64::from(y));
                    below += u64::from(y);
                }
                let higher = twice as f64 / (2.0 * n as f64 * m as f64);
                match direction {
                    Direction::Minimize => 1.0 - higher,
                    Direction::Maximize => higher,
                }
            })
            .collect()
    }

    /// The means of resamples of values.
    fn means(&self, values: &[f64]) -> Vec<f64> {
        let mut rng = self.streams.draws(0);
        let mut drawn = || values[rng.random_range(0..values.len())];
        let n = values.len();
        let resample = |_| (0..n).map(|_| drawn()).sum::<f64>() / n as f64;
        (0..self.resamples).map(resample).collect()
    }

    pub(super) fn interval(&self, drawn: &mut [f64]) -> Interval {
        let tail = (1.0 - self.confidence) / 2.0;
        Interval {
            lower: quantile_of(drawn, tail),
            upper: quantile_of(drawn, 1.0 - tail),
        }
    }
}

/// Mean, median and interquartile mean of ascending values of which each occurs so often.
fn estimates(values: &[f64], counts: &[u32], total: u64) -> [f64; 3] {
    let cut = total / 4;
    let (first, last) = (cut, total - cut);
    let (lower, upper) = ((total - 1) / 2, total / 2);
    // From the least value on, where sums of values far from zero would lose digits.
    let origin = values[0];
    let (mut seen, mut sum, mut middle) = (0, 0.0, 0.0);
    let (mut below, mut above) = (origin, origin);
    for (&value, &count) in values.iter().zip(counts) {
        let end = seen + u64::from(count);
        let excess = value - origin;
        sum += excess * f64::from(count);
        middle += excess * end.min(last).saturating_sub(seen.max(first)) as f64;
        if (seen..end).contains(&lower) {
            below = value;
        }
        if (seen..end).contains(&upper) {
            above = value;
        }
        seen = end;
    }
    [
        origin + sum / total as f64,
        f64::midpoint(below, above),
        origin + middle / (last - first) as f64,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::{Summary, quantile};

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

    fn runs(runs: &[[f64; 3]]) -> Sample {
        Sample::grouped(runs.iter().flat_map(|run| (0..).zip(*run))).unwrap()
    }

    fn tasks() -> (Sample, Sample) {
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

    /// rliable 1.2 with 50,000 resamples (20,000 for the probability of improvement) of its own stream. The estimates lie on a coarse
    /// grid, so that its percentiles are those of the exact distribution but for one step now and then; a step is .0017 of a mean.
    #[test]
    fn agrees_with_rliable() {
        let bootstrap = Bootstrap::new(0.95, 50_000, 3).unwrap();
        let single = bootstrap.intervals(&Sample::new(SCORES).unwrap());
        near(single.interquartile_mean, [0.608, 0.656], 0.0021);
        near(single.mean, [0.613_333, 0.655_556], 0.0012);
        near(single.median, [0.60, 0.66], 1e-9);
        let stratified = bootstrap.resampling(Resampling::WithinGroups);
        let (x, y) = tasks();
        let found = stratified.intervals(&x);
        near(found.interquartile_mean, [0.616_667, 0.683_333], 0.0018);
        near(found.mean, [0.633_333, 0.693_333], 0.0018);
        near(found.median, [0.60, 0.70], 1e-9);
        let (improvement, interval) = stratified.improvement(&x, &y, Direction::Maximize);
        assert!((improvement.probability - 0.6).abs() < 1e-14);
        near(interval, [0.375, 0.808_333], 0.01);
    }

    /// The three estimates of counted values are those of the written-out resample.
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
            let summary = Summary::new(&Sample::new(written.clone()).unwrap(), 0.95).unwrap();
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

    /// Three seeds on each of 30 splits that differ: whole splits are drawn, and the interval is as wide as that of the splits' means.
    #[test]
    fn splits_are_drawn_whole() {
        let split = |split: u64| 0.6 + 0.01 * (split * 7 % 30) as f64;
        let seeds = (0..90).map(|i| (i / 3, split(i / 3) + 0.001 * (i % 3) as f64));
        let of_splits = Sample::new((0..30).map(|k| split(k) + 0.001)).unwrap();
        let bootstrap = Bootstrap::new(0.95, 20_000, 1).unwrap();
        let width = |sample: &Sample, bootstrap: &Bootstrap| {
            let interval = bootstrap.intervals(sample).mean;
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
        near(bootstrap.intervals(&one).median, [0.7, 0.7], 0.0);
        let equal = Sample::new([1e9; 50]).unwrap();
        near(bootstrap.intervals(&equal).mean, [1e9, 1e9], 0.0);
        let (improvement, interval) = bootstrap.improvement(&one, &one, Direction::Maximize);
        assert!((improvement.probability - 0.5).abs() < 1e-15);
        near(interval, [0.5, 0.5], 0.0);
        let two = Sample::new([0.6, 0.8]).unwrap();
        let (_, up) = bootstrap.improvement(&two, &one, Direction::Maximize);
        let (_, down) = bootstrap.improvement(&two, &one, Direction::Minimize);
        near(up, [1.0 - down.upper, 1.0 - down.lower], 1e-12);
        assert!(Bootstrap::new(0.95, 0, 1).is_err());
        assert!(Bootstrap::new(f64::NAN, 10, 1).is_err());
    }
}
