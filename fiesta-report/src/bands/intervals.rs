//! Intervals of the order statistics of n uniform variables that leave out the same probability for
//! each.
//!
//! The i-th smallest and one minus the (n+1−i)-th smallest have the same distribution, so that the
//! upper ends are one minus lower ends.

use super::order_statistic::{OrderStatistic, Place};
use fiesta_core::Interrupt;

/// The ends of an interval for each order statistic, ascending; `upper[i]` is 1 − `lower[n−1−i]`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Intervals {
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
}

/// Number of places that an extrapolation looks back.
const BACK: usize = 4;

/// Returns the next place from the last ones, by the cubic through four of them.
fn next_place(places: &[Place], else_from: Place) -> Place {
    match places {
        [.., a, b, c, d] if places.len() > BACK => Place {
            logit: 4.0 * (d.logit + b.logit) - 6.0 * c.logit - a.logit,
        },
        _ => else_from,
    }
}

/// Returns a place to begin the search for lower quantiles of the i-th order statistic: two
/// standard deviations below its mean.
fn begin(rank: usize, count: usize) -> Place {
    begin_at(rank as f64, count as f64)
}

fn begin_at(rank: f64, count: f64) -> Place {
    let rest = count + 1.0 - rank;
    Place {
        logit: (rank / rest).ln() - 2.0 * (1.0 / rank + 1.0 / rest).sqrt(),
    }
}

/// Returns intervals of which both tails have half of `outside` (α, with ln α given for the sake of
/// small ones).
pub(super) fn equal_tailed(count: usize, ln_outside: f64) -> Intervals {
    let ln_tail = ln_outside - std::f64::consts::LN_2;
    let mut places: Vec<Place> = Vec::with_capacity(count);
    for rank in 1..=count {
        Interrupt::check();
        let from = next_place(&places, begin(rank, count));
        places.push(OrderStatistic::new(rank, count).quantile(ln_tail, from));
    }
    Intervals {
        lower: places.iter().map(|place| place.value()).collect(),
        upper: places
            .iter()
            .rev()
            .map(|place| place.complement())
            .collect(),
    }
}

/// Returns the shortest intervals: the density is the same at both ends, and nowhere outside larger
/// than inside. The uniform distribution, n = 1, has many; that in the middle is taken.
pub(super) fn highest_density(count: usize, ln_outside: f64) -> Intervals {
    if count == 1 {
        return equal_tailed(count, ln_outside);
    }
    let half = count.div_ceil(2);
    let (mut low, mut high) = (Vec::with_capacity(half), Vec::with_capacity(half));
    // The lower end of the first is 0; the probability above its upper end is (1 − u)ⁿ.
    let ln_complement = ln_outside / count as f64;
    let first = Place {
        logit: ln_complement - (-ln_complement.exp_m1()).ln(),
    };
    for rank in 2..=half {
        Interrupt::check();
        let start = Ends {
            low: next_place(&low, begin(rank, count)),
            // One minus this order statistic.
            high: next_place(&high, begin(count + 1 - rank, count)),
        };
        let ends = Pair::new(rank, count, ln_outside).ends(start);
        low.push(ends.low);
        high.push(ends.high);
    }
    let mut lower = vec![0.0; count];
    let mut upper = vec![1.0; count];
    upper[0] = first.complement();
    lower[count - 1] = first.value();
    for (i, (low, high)) in (1..).zip(low.iter().zip(&high)) {
        lower[i] = low.value();
        upper[i] = high.complement();
        lower[count - 1 - i] = high.value();
        upper[count - 1 - i] = low.complement();
    }
    Intervals { lower, upper }
}

/// Ends of an interval: the lower one, and one minus the upper one.
#[derive(Debug, Clone, Copy)]
struct Ends {
    low: Place,
    high: Place,
}

/// Order statistic and one minus it.
struct Pair {
    below: OrderStatistic,
    above: OrderStatistic,
    rank: f64,
    count: f64,
    ln_outside: f64,
}

impl Pair {
    fn new(rank: usize, count: usize, ln_outside: f64) -> Self {
        Self {
            below: OrderStatistic::new(rank, count),
            above: OrderStatistic::new(count + 1 - rank, count),
            rank: rank as f64,
            count: count as f64,
            ln_outside,
        }
    }

    /// The ends of the highest-density interval, by Newton's method in two variables; by bisection
    /// if that goes astray.
    fn ends(&self, start: Ends) -> Ends {
        let mut ends = start;
        for _ in 0..40 {
            let (step, length) = self.step(ends);
            ends.low.logit += step.0;
            ends.high.logit += step.1;
            if !length.is_finite() {
                break;
            }
            // It converges quadratically.
            if length < 1e-8 {
                return ends;
            }
        }
        self.bisect()
    }

    /// Returns the step of Newton's method, and its length in ln of the probability outside either end.
    fn step(&self, ends: Ends) -> ((f64, f64), f64) {
        let (a, b) = (self.below.below(ends.low), self.above.below(ends.high));
        let (outside_low, outside_high) = (a.ln_probability.exp(), b.ln_probability.exp());
        let outside = outside_low + outside_high;
        let (share_low, share_high) = (outside_low / outside, outside_high / outside);
        let missing = self.ln_outside - outside.ln();
        let apart = self.density(ends.low, a.ln_density) - self.density(ends.high, b.ln_density);
        let (rise_low, rise_high) = self.density_slopes(ends);
        // share_low·slope·δ + share_high·slope'·δ' = missing; apart + rise_low·δ = rise_high·δ'.
        let ratio = share_high * b.slope / rise_high;
        let low = (missing - ratio * apart) / (share_low * a.slope + ratio * rise_low);
        let high = (apart + rise_low * low) / rise_high;
        let length = (low * a.slope).abs().max((high * b.slope).abs());
        let damped = (1.0 / length).min(1.0);
        ((low * damped, high * damped), length)
    }

    /// Returns ln of the density in u, given ln of the density in θ.
    #[expect(clippy::unused_self, reason = "reads as what it is of")]
    fn density(&self, place: Place, ln_density: f64) -> f64 {
        ln_density - place.value().ln() - place.complement().ln()
    }

    /// Returns the slopes d/dθ of ln of the density in u at either end, both positive.
    fn density_slopes(&self, ends: Ends) -> (f64, f64) {
        let (a, n) = (self.rank - 1.0, self.count - 1.0);
        (
            a * ends.low.complement() - (n - a) * ends.low.value(),
            (n - a) * ends.high.complement() - a * ends.high.value(),
        )
    }

    /// Finds the ends of an interval by halving: searches the share of the outside probability that lies below the lower end.
    fn bisect(&self) -> Ends {
        let at = |share: f64| {
            let begin = |i: f64| begin_at(i, self.count);
            Ends {
                low: self
                    .below
                    .quantile(self.ln_outside + share.ln(), begin(self.rank)),
                high: self.above.quantile(
                    self.ln_outside + (-share).ln_1p(),
                    begin(self.count + 1.0 - self.rank),
                ),
            }
        };
        let higher_below = |ends: Ends| {
            let (a, b) = (self.below.below(ends.low), self.above.below(ends.high));
            self.density(ends.low, a.ln_density) > self.density(ends.high, b.ln_density)
        };
        // In the logit of the share, as it may be tiny.
        let share = |logit: f64| 1.0 / (1.0 + (-logit).exp());
        let (mut low, mut high) = (-700.0, 700.0);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if higher_below(at(share(middle))) {
                high = middle;
            } else {
                low = middle;
            }
        }
        at(share(0.5 * (low + high)))
    }
}
