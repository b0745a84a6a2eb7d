//! Intervals by drawing scores again, and by other means where there are too few to draw from.

use super::{
    Improvement, Interval, Resampling, Sample, SummaryError,
    describe::{StandardError, student_quantile},
    error, exact,
    improvement::within_groups,
    quantile::{quantile_of, sorted},
    resample::{Freedom, Urns, places},
};
use fiesta_core::{Direction, Streams};
use rand::RngExt;
use statrs::distribution::{ContinuousCDF, Normal};

/// Fewest units for which means and shares have bootstrap intervals.
const FEWEST_FOR_MEANS: usize = 10;
/// Fewest units for which interquartile means have bootstrap intervals.
const FEWEST_FOR_THE_MIDDLE: usize = 6;

/// Bootstrap intervals (Efron 1979; what is drawn is as in rliable, Agarwal et al. 2021): scores
/// are drawn again from themselves, with replacement, and an interval reaches between two
/// percentiles of the estimates so found.
///
/// Plain percentiles, (1 − c)/2 and (1 + c)/2, make intervals too narrow: with 95 % and five normal
/// scores they cover the mean in 84 % of cases. So they are those at Φ(∓√(n/(n − 1)) t), with t the
/// quantile of Student's distribution with n − 1 degrees of freedom (Hesterberg 2015, "expanded
/// percentile"), and where scores are few something else is given, or nothing:
///
/// | of | interval |
/// |---|---|
/// | a mean | expanded percentiles from ten units on; below, Student's t |
/// | a mean of scores that are only 0 and 1 | Clopper and Pearson's, exact |
/// | a median | between order statistics, exact; with 95 % none of fewer than six scores |
/// | a median where units have several scores; an interquartile mean | expanded percentiles from six units on; none below |
/// | a share: a probability of improvement, a profile | plain percentiles from ten units on; Clopper and Pearson's below, and where no resample differs |
///
/// A unit is a score, or a split that has several. No interval of a mean holds for scores that are
/// very skewed: `docs/decisions/intervals.md` has what was measured.
///
/// The same seed gives the same interval.
#[derive(Debug, Clone)]
pub(crate) struct Bootstrap {
    pub(super) confidence: f64,
    pub(super) resamples: u32,
    pub(super) resampling: Resampling,
    pub(super) streams: Streams,
}

/// Intervals of what a sample estimates; none where scores are too few for one that holds, or are
/// all equal, which tells nothing of the noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Intervals {
    /// Interval of the mean.
    pub(crate) mean: Option<Interval>,
    /// Interval of the median.
    pub(crate) median: Option<Interval>,
    /// Interval of the mean of the middle half.
    pub(crate) interquartile_mean: Option<Interval>,
}

impl Bootstrap {
    /// Prepares intervals at this confidence from `resamples` resamples.
    ///
    /// # Errors
    /// [`SummaryError`] if the confidence is not between 0 and 1, or there are no resamples.
    pub(crate) fn new(confidence: f64, resamples: u32, seed: u64) -> Result<Self, SummaryError> {
        if resamples == 0 {
            return Err(SummaryError(format!(
                "{resamples} resamples tell nothing: 2000 are usual, 50000 are plenty"
            )));
        }
        Ok(Self {
            confidence: error::confidence(confidence)?,
            resamples,
            resampling: Resampling::default(),
            streams: Streams::new(seed),
        })
    }

    /// Sets what is drawn again: whole splits and scores, or scores within groups.
    pub(crate) fn resampling(mut self, resampling: Resampling) -> Self {
        self.resampling = resampling;
        self
    }

    /// Returns intervals of the mean, the median and the interquartile mean of an arm; O(n) for
    /// each resample.
    pub(crate) fn intervals(&self, sample: &Sample) -> Intervals {
        let (values, [rank]) = places([sample]);
        let urns = Urns::new(sample, &rank, self.resampling);
        let freedom = urns.freedom();
        let [mean, median, interquartile_mean] = self.drawn(&values, &urns);
        let drawn = |fewest: usize, mut drawn: Vec<f64>| {
            let enough = freedom.degrees + 1 >= fewest && sample.varies();
            enough.then(|| self.expanded(&mut drawn, freedom))
        };
        let independent = freedom.units == sample.len() && !urns.is_stratified();
        Intervals {
            mean: if sample.is_binary() {
                Some(exact::of_share(
                    sample.mean(),
                    freedom.units,
                    self.confidence,
                ))
            } else if freedom.degrees + 1 >= FEWEST_FOR_MEANS {
                drawn(FEWEST_FOR_MEANS, mean)
            } else {
                let error = if urns.is_stratified() {
                    StandardError::within_groups(sample)
                } else {
                    StandardError::new(sample)
                };
                error.interval(sample.mean(), self.confidence)
            },
            median: if independent {
                let exact = exact::of_median(&sorted(sample.scores()), self.confidence);
                exact.filter(|_| sample.varies())
            } else {
                drawn(FEWEST_FOR_THE_MIDDLE, median)
            },
            interquartile_mean: drawn(FEWEST_FOR_THE_MIDDLE, interquartile_mean),
        }
    }

    /// How the intervals of [`intervals`](Self::intervals) are found, for people.
    pub(crate) fn method(&self) -> String {
        format!(
            "Means: percentiles of {} bootstrap resamples, expanded for how few scores there are, from {FEWEST_FOR_MEANS} scores on, Student's t of fewer, and \
             exact binomial intervals of scores that are only 0 and 1. Medians: order statistics, exact. Interquartile means: expanded percentiles. Of \
             fewer than {FEWEST_FOR_THE_MIDDLE} scores no interval of these two holds. Where several scores share a split, splits are counted and drawn, and not scores",
            self.resamples
        )
    }

    /// Returns mean, median and interquartile mean of every resample.
    fn drawn(&self, values: &[f64], urns: &Urns) -> [Vec<f64>; 3] {
        let mut rng = self.streams.draws(0);
        let mut counts = vec![0; values.len()];
        let mut drawn = [const { Vec::new() }; 3];
        for _ in 0..self.resamples {
            let total = urns.draw(&mut rng, &mut counts);
            let estimates = estimates(values, &counts, total);
            drawn
                .iter_mut()
                .zip(estimates)
                .for_each(|(all, value)| all.push(value));
        }
        drawn
    }

    /// Returns the [probability of improvement](Improvement) of x over y with its interval; units
    /// are the fewer scores of the two, or the splits that both have. Where it is within splits,
    /// these are drawn, the same for both arms; or with [`Resampling::WithinGroups`] the scores of
    /// each arm on each of them.
    pub(crate) fn improvement(
        &self,
        x: &Sample,
        y: &Sample,
        direction: Direction,
    ) -> (Improvement, Interval) {
        let estimate = Improvement::new(x, y, direction);
        let units = match (x.in_common(y), self.resampling) {
            (Some(common), Resampling::Units) => common.len(),
            (Some(common), Resampling::WithinGroups) => {
                common.iter().map(|(x, y)| x.len().min(y.len())).sum()
            }
            (None, _) => x.len().min(y.len()),
        };
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
        let interval = self.of_share(estimate.probability, units, &mut drawn);
        (estimate, interval)
    }

    /// Returns U/(n m), the probability of improvement, of each resample of two independent samples.
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

    /// Returns the mean of each resample of some values.
    fn means(&self, values: &[f64]) -> Vec<f64> {
        let mut rng = self.streams.draws(0);
        let mut drawn = || values[rng.random_range(0..values.len())];
        let n = values.len();
        let resample = |_| (0..n).map(|_| drawn()).sum::<f64>() / n as f64;
        (0..self.resamples).map(resample).collect()
    }

    /// Returns the interval of a share of `units` units, from the shares of resamples.
    pub(super) fn of_share(&self, share: f64, units: usize, drawn: &mut [f64]) -> Interval {
        let found = percentiles(drawn, (1.0 - self.confidence) / 2.0);
        if units >= FEWEST_FOR_MEANS && found.lower < found.upper {
            found
        } else {
            exact::of_share(share, units, self.confidence)
        }
    }

    /// Returns the interval between expanded percentiles, which lie further out the fewer units there are.
    fn expanded(&self, drawn: &mut [f64], freedom: Freedom) -> Interval {
        let (units, degrees) = (freedom.units as f64, freedom.degrees as f64);
        let t = student_quantile(f64::midpoint(1.0, self.confidence), degrees);
        let tail = Normal::standard().cdf(-(units / degrees).sqrt() * t);
        percentiles(drawn, tail)
    }
}

/// Returns the interval between the quantiles of what was drawn that leave out a tail on either
/// side.
fn percentiles(drawn: &mut [f64], tail: f64) -> Interval {
    Interval {
        lower: quantile_of(drawn, tail),
        upper: quantile_of(drawn, 1.0 - tail),
    }
}

/// Returns mean, median and interquartile mean of ascending values, given how often each occurs.
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
mod tests;

#[cfg(test)]
mod examples {
    #[test]
    fn the_example_of_intervals() -> Result<(), fiesta_report::summary::SummaryError> {
        use fiesta_report::summary::{Bootstrap, Sample};
        let sample = Sample::new([0.62, 0.63, 0.60, 0.66, 0.61, 0.65, 0.59, 0.64, 0.70])?;
        let found = Bootstrap::new(0.95, 20_000, 7)?.intervals(&sample);
        // Of nine scores, Student's t.
        let mean = found.mean.unwrap();
        assert!((mean.lower - 0.6073).abs() < 1e-4 && (mean.upper - 0.6594).abs() < 1e-4);
        let median = found.median.unwrap();
        assert_eq!((median.lower, median.upper), (0.60, 0.66));
        Ok::<(), fiesta_report::summary::SummaryError>(())
    }
}
