//! The mean and the standard deviation of the best of n, for one n and for all.

use super::{
    plug_in::Powers,
    sums::{self, Weights},
    trial_scores::TrialScores,
    unbiased::Subsets,
};

/// How the expected best of n trials is estimated: see the [module](super).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Estimator {
    /// Estimates by the expected best under the empirical distribution, for any n; never better
    /// than the unbiased one.
    #[default]
    PlugIn,
    /// Estimates by the mean over all subsets of n scores, for n ≤ B.
    Unbiased,
}

fiesta_core::names! {
    Estimator {
        PlugIn = "plug-in", Unbiased = "unbiased"
    }
    /// A name that is not the name of any estimator.
    #[error("`{0}` is no estimator: use plug-in or unbiased")]
    UnknownEstimator
}

/// The best of n trials: its mean and its standard deviation, in the unit of the score.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct BestOf {
    /// Expected best score.
    pub mean: f64,
    /// Standard deviation of the best of n trials: the spread of what a researcher would see, no
    /// error of the estimate.
    pub sd: f64,
}

/// The best of n = 1, 2, … trials.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningCurve {
    estimator: Estimator,
    mean: Vec<f64>,
    sd: Vec<f64>,
    range: (f64, f64),
}

impl TuningCurve {
    /// Returns the estimator of the curve.
    pub fn estimator(&self) -> Estimator {
        self.estimator
    }

    /// Returns the largest n; the unbiased estimator ends at B.
    pub fn up_to(&self) -> usize {
        self.mean.len()
    }

    /// Returns the expected best of n trials, for each n, at place n − 1.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Returns the standard deviation of the best of n trials, for each n, at place n − 1.
    pub fn sd(&self) -> &[f64] {
        &self.sd
    }

    /// Returns the best of n trials; none for n = 0 and beyond the end of the curve.
    pub fn best_of(&self, n: usize) -> Option<BestOf> {
        let i = n.checked_sub(1)?;
        Some(BestOf {
            mean: *self.mean.get(i)?,
            sd: self.sd[i],
        })
    }

    /// Returns the mean less and plus one sd for n = 1, 2, …, clipped to the range of the scores
    /// (Dodge et al., section 3.2).
    ///
    /// This is where the best of n scores mostly lies, no confidence band of its mean: for that see
    /// [`bands`](crate::bands).
    pub fn shading(&self) -> impl ExactSizeIterator<Item = (f64, f64)> {
        let (smallest, largest) = self.range;
        self.mean.iter().zip(&self.sd).map(move |(mean, sd)| {
            (
                (mean - sd).clamp(smallest, largest),
                (mean + sd).clamp(smallest, largest),
            )
        })
    }
}

impl TrialScores {
    /// Returns the best of n trials; none for n = 0, and for the unbiased estimator for n > B.
    pub fn best_of(&self, estimator: Estimator, n: u64) -> Option<BestOf> {
        if n == 0 || estimator == Estimator::Unbiased && n > self.count() as u64 {
            return None;
        }
        let (shortfall, square) = Steps::new(self).sums(estimator, n);
        Some(self.best_below_top(shortfall, square))
    }

    /// Computes the best of n = 1, …, `up_to` trials in one go; the unbiased estimator ends at B.
    ///
    /// Some 40·`up_to`·ln(`up_to`) multiplications for B = `up_to`, where each n by itself would
    /// take B of them.
    pub fn curve(&self, estimator: Estimator, up_to: usize) -> TuningCurve {
        let up_to = match estimator {
            Estimator::PlugIn => up_to,
            Estimator::Unbiased => up_to.min(self.count()),
        };
        let steps = Steps::new(self);
        let (mut mean, mut sd) = (Vec::with_capacity(up_to), Vec::with_capacity(up_to));
        let each = |first, second| {
            let best = self.best_below_top(first, second);
            mean.push(best.mean);
            sd.push(best.sd);
        };
        match estimator {
            Estimator::PlugIn => steps.all(&steps.powers(), up_to, each),
            Estimator::Unbiased => steps.all(&steps.subsets(), up_to, each),
        }
        TuningCurve {
            estimator,
            mean,
            sd,
            range: self.range(),
        }
    }

    fn best_below_top(&self, shortfall: f64, square: f64) -> BestOf {
        // No mean is outside the scores, whatever rounding says.
        let mean = (self.top() - shortfall).max(self.bottom());
        BestOf {
            mean: self.direction().orient(mean),
            sd: (square - shortfall * shortfall).max(0.0).sqrt(),
        }
    }
}

/// Steps of the empirical distribution at which the next score is larger.
pub(crate) struct Steps {
    /// Number of scores below each step.
    ranks: Vec<usize>,
    /// Gaps g_i = x_{i+1} − x_i.
    gaps: Vec<f64>,
    /// Heights 2x_B − x_i − x_{i+1}.
    heights: Vec<f64>,
    count: usize,
}

impl Steps {
    pub(crate) fn new(sample: &TrialScores) -> Self {
        let scores = sample.oriented();
        let (count, top) = (scores.len(), sample.top());
        let mut steps = Self {
            ranks: Vec::with_capacity(count),
            gaps: Vec::with_capacity(count),
            heights: Vec::with_capacity(count),
            count,
        };
        for (i, pair) in scores.windows(2).enumerate() {
            let gap = pair[1] - pair[0];
            if gap > 0.0 {
                steps.ranks.push(i + 1);
                steps.gaps.push(gap);
                steps.heights.push((top - pair[0]) + (top - pair[1]));
            }
        }
        steps
    }

    pub(crate) fn powers(&self) -> Powers {
        let count = self.count as f64;
        Powers::new(
            self.ranks
                .iter()
                .map(|&i| (i as f64 / count, (self.count - i) as f64 / count)),
        )
    }

    pub(crate) fn gaps(&self) -> &[f64] {
        &self.gaps
    }

    fn subsets(&self) -> Subsets {
        Subsets::new(self.ranks.iter().copied(), self.count)
    }

    /// Returns E\[D\] and E\[D²\] of D = x_B − max. Without replacement, all that is left of D
    /// beyond n = B is 0.
    fn sums(&self, estimator: Estimator, n: u64) -> (f64, f64) {
        match estimator {
            Estimator::PlugIn => sums::one(&self.powers(), &self.gaps, &self.heights, n),
            Estimator::Unbiased => sums::one(&self.subsets(), &self.gaps, &self.heights, n),
        }
    }

    /// Returns the expected shortfall E\[D\].
    pub(crate) fn shortfall(&self, estimator: Estimator, n: u64) -> f64 {
        self.sums(estimator, n).0
    }

    fn all(&self, weights: &impl Weights, up_to: usize, each: impl FnMut(f64, f64)) {
        sums::all(weights, &self.gaps, &self.heights, up_to, each);
    }
}
