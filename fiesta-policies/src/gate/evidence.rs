//! Evidence for and against one new version.

use super::{stakes::Stakes, standardised};
use crate::stopping::anytime::{
    bets::Hypothesis,
    difference_interval,
    martingale::{Mixture, standardised as standardised_mean},
    tables::rounding,
};
use fiesta_core::{Moments, bisect, greatest};

/// Verdict on a new version: whether it may replace the old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "lowercase")
)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "GateVerdict")
)]
pub enum Answer {
    /// The version is shown to be good enough: Δ > threshold.
    Ships,
    /// The version is shown not to be good enough: Δ ≤ threshold.
    Blocked,
    /// The version is neither shown to be good enough nor shown not to be.
    Undecided,
}

impl Answer {
    /// Returns the verdict in a word: ships, blocked, undecided.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ships => "ships",
            Self::Blocked => "blocked",
            Self::Undecided => "undecided",
        }
    }
}

/// The reason why evidence cannot be gathered.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvidenceError {
    /// The bounds of the differences do not enclose 0.
    #[error(
        "the bounds {0} and {1} of a difference must be two numbers, the first below 0 and the second above it"
    )]
    Bounds(f64, f64),
    /// The threshold of a gate is not within the bounds of the differences, so that the answer is known.
    #[error(
        "the threshold {0} must lie between the least and the greatest difference that there can be: a margin below the range of the scores"
    )]
    Threshold(f64),
}

/// Evidence that Δ = mean(new) − mean(old) lies above or not above a threshold, from differences that
/// come one after the other. See the [module](super) for the derivation.
///
/// # Example
/// ```
/// use fiesta_policies::gate::{Answer, Evidence};
/// // 400 questions, each right (1) or wrong (0): at most .05 worse?
/// let mut evidence = Evidence::of_pool(400, (-1.0, 1.0), -0.05)?.in_steps_of(1.0);
/// while evidence.answer(0.05) == Answer::Undecided {
///     evidence.push(0.0);
/// }
/// assert_eq!(evidence.answer(0.05), Answer::Ships);
/// assert!(evidence.count() < 70);
/// assert!(evidence.interval(0.05).unwrap().0 > -0.05);
/// # Ok::<(), fiesta_policies::gate::EvidenceError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    threshold: f64,
    test: Test,
    differences: Vec<f64>,
    /// Present evidence ln M for shipping the version, and for blocking it.
    now: [f64; 2],
    /// Greatest evidence ln M so far in either direction, at least 0.
    strongest: [f64; 2],
    certain: Option<Answer>,
}

#[derive(Debug, Clone, PartialEq)]
enum Test {
    Gaussian {
        moments: Moments,
        largest: f64,
        /// Whether the threshold is in standard deviations of the differences.
        in_sd: bool,
    },
    Bets(Bets),
}

/// Bets on bounded differences d: upwards on d, and downwards on −d.
#[derive(Debug, Clone, PartialEq)]
struct Bets {
    bounds: (f64, f64),
    items: Option<u64>,
    step: Option<f64>,
    /// Constant stake of every bet. `None` if stakes follow the answers.
    constant: Option<f64>,
    sum: f64,
    follows: Stakes,
    /// The stakes on each difference, upwards and downwards.
    staked: Vec<[f64; 2]>,
}

impl Evidence {
    /// Makes evidence about a pool of `items` items, of which each comes once, in an order that does
    /// not depend on the answers. `bounds` are the least and the greatest difference new − old that
    /// there can be: (−1, 1) for scores from 0 to 1.
    ///
    /// # Errors
    /// [`EvidenceError`] unless −∞ < low < 0 < high < ∞ and low < threshold < high.
    pub fn of_pool(items: u64, bounds: (f64, f64), threshold: f64) -> Result<Self, EvidenceError> {
        Self::bounded(Some(items), bounds, threshold)
    }

    /// Makes evidence about the expected difference of independent draws within `bounds`: splits, or
    /// items with repeats.
    ///
    /// # Errors
    /// The errors of [`of_pool`](Self::of_pool).
    pub fn without_end(bounds: (f64, f64), threshold: f64) -> Result<Self, EvidenceError> {
        Self::bounded(None, bounds, threshold)
    }

    /// Makes evidence about the mean of independent Gaussian differences of unknown variance, such as
    /// those of scores on the same splits.
    ///
    /// # Errors
    /// [`EvidenceError::Threshold`] unless the threshold is finite.
    pub fn gaussian(threshold: f64) -> Result<Self, EvidenceError> {
        Self::of_normal(threshold, false)
    }

    /// Makes evidence about the mean of independent Gaussian differences in units of their standard
    /// deviation, which is known from them alone.
    ///
    /// # Errors
    /// [`EvidenceError::Threshold`] unless the threshold is finite.
    pub fn standardised(threshold: f64) -> Result<Self, EvidenceError> {
        Self::of_normal(threshold, true)
    }

    fn of_normal(threshold: f64, in_sd: bool) -> Result<Self, EvidenceError> {
        if !threshold.is_finite() {
            return Err(EvidenceError::Threshold(threshold));
        }
        let test = Test::Gaussian {
            moments: Moments::default(),
            largest: 0.0,
            in_sd,
        };
        Ok(Self::new(threshold, test))
    }

    fn bounded(
        items: Option<u64>,
        bounds: (f64, f64),
        threshold: f64,
    ) -> Result<Self, EvidenceError> {
        let (low, high) = bounds;
        if !(low < 0.0 && 0.0 < high && (high - low).is_finite()) {
            return Err(EvidenceError::Bounds(low, high));
        }
        if !(low < threshold && threshold < high) {
            return Err(EvidenceError::Threshold(threshold));
        }
        let bets = Bets {
            bounds,
            items,
            step: None,
            constant: None,
            sum: 0.0,
            follows: Stakes::new(high.max(-low)),
            staked: Vec::new(),
        };
        Ok(Self::new(threshold, Test::Bets(bets)))
    }

    fn new(threshold: f64, test: Test) -> Self {
        Self {
            threshold,
            test,
            differences: Vec::new(),
            now: [0.0; 2],
            strongest: [0.0; 2],
            certain: None,
        }
    }

    /// Declares that all differences are multiples of `step` > 0: 1 for zeros and ones. The answer of
    /// a pool is then decided by counts, without rounding. It has no effect elsewhere.
    #[must_use]
    pub fn in_steps_of(mut self, step: f64) -> Self {
        if let Test::Bets(bets) = &mut self.test {
            bets.step = Some(step).filter(|step| *step > 0.0 && bets.items.is_some());
        }
        self
    }

    /// Stakes the share 0 ≤ `share` < 1 on every difference, in place of a stake that follows the answers.
    /// This is as valid, and serves as a comparison. It has no effect on Gaussian differences.
    #[must_use]
    pub fn with_constant_stake(mut self, share: f64) -> Self {
        if let Test::Bets(bets) = &mut self.test {
            bets.constant = Some(share.clamp(0.0, 1.0));
        }
        self
    }

    /// Returns the threshold that Δ is compared with.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Returns whether the threshold is in standard deviations of the differences.
    pub fn in_sd(&self) -> bool {
        matches!(self.test, Test::Gaussian { in_sd: true, .. })
    }

    /// Returns how many differences were taken into account.
    pub fn count(&self) -> u64 {
        self.differences.len() as u64
    }

    /// Returns the least and the greatest difference that there can be. `None` of Gaussian ones.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        match &self.test {
            Test::Gaussian { .. } => None,
            Test::Bets(bets) => Some(bets.bounds),
        }
    }

    /// Takes one more difference new − old into account. One beyond a bound counts as the bound, and
    /// one that is no number as the least. Once all items of a pool are in, more have no effect, nor
    /// has a Gaussian difference that is not finite.
    pub fn push(&mut self, difference: f64) {
        let count = self.count();
        let (difference, now) = match &mut self.test {
            Test::Gaussian {
                moments,
                largest,
                in_sd,
            } => {
                if !difference.is_finite() {
                    return;
                }
                moments.push(difference);
                *largest = largest.max(difference.abs());
                // Equal differences have no spread, which is not certainty.
                let has_spread = moments.squares() > rounding(moments.count(), *largest);
                let (n, threshold) = (moments.count(), self.threshold);
                let now = match (has_spread, *in_sd) {
                    (false, _) => [0.0; 2],
                    (true, false) => {
                        let r = standardised_mean(moments, threshold);
                        [r, -r].map(|r| Mixture::DIFFERENCES.ln(n, r))
                    }
                    (true, true) => {
                        let r = standardised_mean(moments, 0.0);
                        [1.0, -1.0].map(|sign| standardised::ln(n, sign * r, sign * threshold))
                    }
                };
                (difference, now)
            }
            Test::Bets(bets) => {
                if bets.items.is_some_and(|items| count >= items) {
                    return;
                }
                let (low, high) = bets.bounds;
                let difference = if difference.is_nan() {
                    low
                } else {
                    difference.clamp(low, high)
                };
                let factors = bets.take(count, difference, self.threshold);
                self.certain = bets.certain(count + 1, self.threshold);
                let now = match self.certain {
                    Some(Answer::Ships) => [f64::INFINITY, f64::NEG_INFINITY],
                    Some(_) => [f64::NEG_INFINITY, f64::INFINITY],
                    None => [0, 1].map(|side| self.now[side] + factors[side]),
                };
                (difference, now)
            }
        };
        self.differences.push(difference);
        self.now = now;
        for (strongest, now) in self.strongest.iter_mut().zip(now) {
            *strongest = strongest.max(now);
        }
    }

    /// Returns ln M for Δ > threshold now: ∞ if it is certain, −∞ if the contrary is.
    pub fn for_shipping(&self) -> f64 {
        self.now[0]
    }

    /// Returns ln M for Δ > threshold, of bets that stop once it has reached `most`.
    pub(super) fn for_shipping_until(&self, most: f64) -> f64 {
        match self.certain {
            None if self.strongest[0] >= most => most,
            _ => self.now[0],
        }
    }

    /// Returns the mean of the differences so far. `None` without any.
    pub fn mean(&self) -> Option<f64> {
        let count = self.differences.len();
        (count > 0).then(|| self.differences.iter().sum::<f64>() / count as f64)
    }

    /// Returns ln M for Δ ≤ threshold now: ∞ if it is certain, −∞ if the contrary is.
    pub fn for_blocking(&self) -> f64 {
        self.now[1]
    }

    /// Returns the gate's answer that no further item can change. `None` as long as an item could.
    pub fn certain(&self) -> Option<Answer> {
        self.certain
    }

    /// Returns the answer with an error rate of at most `alpha` in each direction: what is certain,
    /// else the direction whose M has ever reached 1/α. If both have, which happens with a
    /// probability of at most 2α or where an assumption does not hold, the answer is undecided.
    pub fn answer(&self, alpha: f64) -> Answer {
        self.answer_at([alpha; 2])
    }

    /// Returns the answer with an error rate of at most the first of `alphas` for shipping, and the
    /// second for blocking.
    pub(super) fn answer_at(&self, alphas: [f64; 2]) -> Answer {
        let shown = [0, 1].map(|side| self.strongest[side] >= -alphas[side].ln());
        match (self.certain, shown) {
            (Some(answer), _) => answer,
            (None, [true, false]) => Answer::Ships,
            (None, [false, true]) => Answer::Blocked,
            (None, _) => Answer::Undecided,
        }
    }

    /// Returns the interval of Δ, each of whose ends holds at all times at once with a probability of
    /// at least 1 − `alpha`. With bounds it lies above the threshold from the moment on at which the
    /// version ships at `alpha`, and not above it from the one on at which it is blocked. Gaussian
    /// ends are those of the mean of the differences so far, whatever unit the threshold has. `None` if
    /// these exclude nothing.
    ///
    /// The gate hardly bets against what looks true, so that the end beyond it is wide. For a
    /// description, [`difference_interval`] with 2·`alpha` has shorter intervals, which may contain
    /// the threshold of a version that ships.
    pub fn interval(&self, alpha: f64) -> Option<(f64, f64)> {
        match &self.test {
            Test::Gaussian { .. } => {
                difference_interval(&self.differences, None, None, 2.0 * alpha)
            }
            Test::Bets(bets) => Some(bets.interval(&self.differences, -alpha.ln())),
        }
    }
}

impl Bets {
    /// Returns the hypotheses against which the bets are made: Δ ≤ `mean` upwards, and Δ ≥ `not_below` downwards.
    fn hypotheses(&self, mean: f64, not_below: f64) -> [Hypothesis; 2] {
        let (low, high) = self.bounds;
        [(-low, mean), (high, -not_below)].map(|(range, mean)| Hypothesis {
            range,
            items: self.items,
            mean,
        })
    }

    /// Returns the greatest mean difference with which a version does not ship, and the least with which it ships.
    fn margin(&self, threshold: f64) -> (f64, f64) {
        match (self.items, self.step) {
            (Some(items), Some(step)) => {
                let steps = items as f64 * threshold / step;
                let blocked = (steps + 1e-9 * steps.abs().max(1.0)).floor();
                let mean = |steps: f64| steps * step / items as f64;
                (mean(blocked), mean(blocked + 1.0))
            }
            _ => (threshold, threshold),
        }
    }

    /// Takes the difference that follows `count` others into account, and returns its gains ln(1 + λy), upwards and downwards.
    fn take(&mut self, count: u64, difference: f64, threshold: f64) -> [f64; 2] {
        let (mean, not_below) = self.margin(threshold);
        let hypotheses = self.hypotheses(mean, not_below);
        let all_to_left = self
            .items
            .map_or(1.0, |items| items as f64 / (items - count) as f64);
        let [mut stakes, mut factors] = [[0.0; 2]; 2];
        for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
            let (hypothesis, sum) = (hypotheses[side], sign * self.sum);
            let centre = hypothesis.centre(count, sum);
            let follows = || {
                self.follows
                    .share(hypothesis, centre, threshold, all_to_left)
            };
            stakes[side] = self.constant.unwrap_or_else(follows);
            let value = hypothesis.value(count, sum, sign * difference);
            factors[side] = gained(stakes[side], value);
        }
        self.staked.push(stakes);
        self.follows.push(difference);
        self.sum += difference;
        factors
    }

    /// Returns the gate's answer that the items left after `count` items cannot change. `None` if they can.
    fn certain(&self, count: u64, threshold: f64) -> Option<Answer> {
        let items = self.items?;
        let left = items.saturating_sub(count) as f64;
        let (low, high) = self.bounds;
        let total = items as f64 * self.margin(threshold).0;
        let rounding = 1e-11 * (high - low) * items as f64;
        let tolerance = self.step.map_or(rounding, |step| step / 2.0);
        if self.sum + left * low > total + tolerance {
            Some(Answer::Ships)
        } else if self.sum + left * high <= total + tolerance {
            Some(Answer::Blocked)
        } else {
            None
        }
    }

    fn interval(&self, differences: &[f64], required: f64) -> (f64, f64) {
        let (low, high) = self.bounds;
        let is_rejected = |side: usize, sign: f64, mean: f64| {
            let hypothesis = self.hypotheses(mean, mean)[side];
            let (mut wealth, mut sum) = (0.0_f64, 0.0);
            let mut counted = (0..).zip(differences.iter().zip(&self.staked));
            counted.any(|(count, (difference, stakes))| {
                let value = hypothesis.value(count, sum, sign * difference);
                wealth += gained(stakes[side], value);
                sum += sign * difference;
                wealth >= required
            })
        };
        let lower = bisect(low, high, |mean| is_rejected(0, 1.0, mean)).0;
        let upper = bisect(high, low, |mean| is_rejected(1, -1.0, mean)).0;
        let Some(items) = self.items else {
            return (lower, upper);
        };
        // What the items that are left allow.
        let (all, left) = (items as f64, (items - differences.len() as u64) as f64);
        let least = (self.sum + left * low) / all;
        let most = (self.sum + left * high) / all;
        (greatest([lower, least]), -greatest([-upper, -most]))
    }
}

/// Returns a bet's gain ln(1 + λy), ∞ if the hypothesis that it is made against is impossible.
fn gained(stake: f64, value: f64) -> f64 {
    if value == f64::INFINITY {
        value
    } else {
        (stake * value.max(-1.0)).ln_1p()
    }
}
