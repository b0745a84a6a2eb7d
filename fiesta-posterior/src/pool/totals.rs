//! Totals of arms as independent normal variables: P(best), expected shortfall, P(within a margin).

use crate::student::upper_tail;

/// Steps of the quadrature on either side, each a tenth of a standard deviation.
const STEPS: i32 = 60;
const STEP: f64 = 0.1;

/// One arm's total over the pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Total {
    pub(super) mean: f64,
    /// 0 where it is known.
    pub(super) sd: f64,
}

impl Total {
    fn below(self, x: f64) -> f64 {
        if self.sd > 0.0 {
            upper_tail((self.mean - x) / self.sd, f64::INFINITY)
        } else {
            f64::from(u8::from(self.mean <= x + 1e-9))
        }
    }

    /// Hands over what it can be, with weights that sum to 1.
    fn expect(self, mut take: impl FnMut(f64, f64)) {
        if self.sd <= 0.0 {
            return take(self.mean, 1.0);
        }
        for step in -STEPS..=STEPS {
            let u = f64::from(step) * STEP;
            let density = (-0.5 * u * u).exp() / (2.0 * std::f64::consts::PI).sqrt();
            take(self.mean + u * self.sd, STEP * density);
        }
    }
}

/// P(best) of every arm, and the mean of the greatest total; known totals that are equal share.
pub(super) fn best(totals: &[Total]) -> (Vec<f64>, f64) {
    let known = totals.iter().filter(|total| total.sd <= 0.0);
    let floor = known
        .map(|total| total.mean)
        .fold(f64::NEG_INFINITY, f64::max);
    let is_floor = |total: &Total| total.sd <= 0.0 && total.mean > floor - 1e-9;
    let ties = totals.iter().filter(|total| is_floor(total)).count();
    let mut greatest = 0.0;
    let mut probability = vec![0.0; totals.len()];
    for (place, own) in totals.iter().enumerate() {
        // What lies below what is known is never the best.
        let out_of_reach = own.mean + f64::from(STEPS) * STEP * own.sd < floor - 1e-9;
        if out_of_reach || (own.sd <= 0.0 && !is_floor(own)) {
            continue;
        }
        let share = if own.sd > 0.0 { 1.0 } else { 1.0 / ties as f64 };
        let mut of_greatest = 0.0;
        own.expect(|x, weight| {
            let mut all = share * weight;
            for (other, total) in totals.iter().enumerate() {
                if other != place && all > 1e-15 {
                    all *= total.below(x);
                }
            }
            probability[place] += all;
            of_greatest += all * x;
        });
        greatest += of_greatest;
    }
    let sum: f64 = probability.iter().sum();
    if sum > 0.0 {
        for p in &mut probability {
            *p /= sum;
        }
        greatest /= sum;
    }
    (probability, greatest)
}

/// P(no total exceeds that of the arm at this place by more than the margin).
pub(super) fn within(totals: &[Total], place: usize, margin: f64) -> f64 {
    let mut sum = 0.0;
    totals[place].expect(|x, weight| {
        let others = totals.iter().enumerate();
        let others = others.filter(|(other, _)| *other != place);
        let below: f64 = others.map(|(_, total)| total.below(x + margin)).product();
        sum += weight * below;
    });
    sum.min(1.0)
}
