//! Totals of arms as independent normal variables: P(best), expected shortfall, P(within a margin).

use crate::student::upper_tail;
use fiesta_core::greatest;

/// Number of steps of a total's quadrature on either side of its mean, each a tenth of a standard deviation.
const STEPS: i32 = 60;
const STEP: f64 = 0.1;

/// Total of one arm over the pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Total {
    pub(crate) mean: f64,
    /// Standard deviation of the arm's total; 0 where the total is known.
    pub(crate) sd: f64,
}

impl Total {
    fn below(self, x: f64) -> f64 {
        if self.sd > 0.0 {
            upper_tail((self.mean - x) / self.sd, f64::INFINITY)
        } else {
            f64::from(u8::from(self.mean <= x + 1e-9))
        }
    }

    /// Passes the values that the total can have to `take`, with weights that sum to 1.
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

/// Returns P(best) of every arm, and the mean of the greatest total; known totals that are equal
/// share.
pub(crate) fn best(totals: &[Total]) -> (Vec<f64>, f64) {
    match Grid::new(totals) {
        Some(grid) => grid.best(totals),
        None => one_by_one(totals),
    }
}

/// Points that serve the quadratures of all arms, from where the greatest total hardly ever is
/// below to where it hardly ever is above.
///
/// They are so close that the trapezoidal rule errs by less than 1e-12: by some exp(−π²/(h·β)) with
/// h least standard deviations between two points, as the greatest of K equal totals has the tail
/// of a Gumbel variable with the rate β = √(2·ln K).
struct Grid {
    first: f64,
    step: f64,
    points: i32,
}

impl Grid {
    /// Lays the points of the grid. `None` where a total is known, at which the integrands have a
    /// step, and where standard deviations are so unequal that quadratures of their own take fewer
    /// points.
    fn new(totals: &[Total]) -> Option<Self> {
        // A standard deviation farther than any quadrature of its own goes.
        let reach = f64::from(STEPS) * STEP + 1.0;
        let most = |end: f64| greatest(totals.iter().map(|total| total.mean + end * total.sd));
        let least = totals
            .iter()
            .map(|total| total.sd)
            .fold(f64::INFINITY, f64::min);
        let (first, last) = (most(-reach), most(reach));
        let rate = (2.0 * (totals.len() as f64).ln()).sqrt();
        let (step, each) = (
            (0.36 / rate).min(2.0 * STEP) * least,
            f64::from(2 * STEPS + 1),
        );
        let points = (last - first) / step;
        let pays = least > 0.0 && points < 0.5 * each * totals.len() as f64 && points < 1e6;
        #[allow(clippy::cast_possible_truncation, reason = "it is below a million")]
        pays.then(|| Self {
            first,
            step,
            points: points.ceil() as i32 + 1,
        })
    }

    fn best(&self, totals: &[Total]) -> (Vec<f64>, f64) {
        let scale = self.step / (2.0 * std::f64::consts::PI).sqrt();
        let mut probability = vec![0.0; totals.len()];
        let mut greatest = 0.0;
        let (mut before, mut below) = (vec![1.0; totals.len()], vec![1.0; totals.len()]);
        for point in 0..self.points {
            let x = self.first + f64::from(point) * self.step;
            // The products over the arms before and after each one, without a division.
            let mut product = 1.0;
            for ((place, total), below) in totals.iter().enumerate().zip(&mut below) {
                *below = total.below(x);
                before[place] = product;
                product *= *below;
            }
            let (mut product, mut of_greatest) = (1.0, 0.0);
            for place in (0..totals.len()).rev() {
                let total = totals[place];
                let z = (x - total.mean) / total.sd;
                let density = scale * (-0.5 * z * z).exp() / total.sd;
                let all = density * before[place] * product;
                product *= below[place];
                probability[place] += all;
                of_greatest += all;
            }
            greatest += of_greatest * x;
        }
        normalised(probability, greatest)
    }
}

/// Computes P(best) and the mean of the greatest total, by a quadrature for each arm.
fn one_by_one(totals: &[Total]) -> (Vec<f64>, f64) {
    let known = totals.iter().filter(|total| total.sd <= 0.0);
    let floor = greatest(known.map(|total| total.mean));
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
    normalised(probability, greatest)
}

fn normalised(mut probability: Vec<f64>, mut greatest: f64) -> (Vec<f64>, f64) {
    let sum: f64 = probability.iter().sum();
    if sum > 0.0 {
        for p in &mut probability {
            *p /= sum;
        }
        greatest /= sum;
    }
    (probability, greatest)
}

/// Returns P(no other total exceeds this arm's by more than the margin).
pub(crate) fn within(totals: &[Total], place: usize, margin: f64) -> f64 {
    let mut sum = 0.0;
    totals[place].expect(|x, weight| {
        let others = totals.iter().enumerate();
        let others = others.filter(|(other, _)| *other != place);
        let below: f64 = others.map(|(_, total)| total.below(x + margin)).product();
        sum += weight * below;
    });
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(arms: usize, spread: f64, uneven: f64) -> Vec<Total> {
        let golden = (5_f64.sqrt() - 1.0) / 2.0;
        let of = |arm: usize| Total {
            mean: -spread * (arm as f64 * golden).fract(),
            sd: 1.0 + uneven * (arm as f64 * std::f64::consts::SQRT_2).fract(),
        };
        (0..arms).map(of).collect()
    }

    /// Tests that common points give the same as eight times as many points, and as points of each
    /// arm's own.
    #[test]
    fn common_points_serve_all_arms() {
        for (arms, spread, uneven) in [
            (5, 0.0, 0.0),
            (8, 3.0, 0.5),
            (5, 1.0, 2.0),
            (12, 30.0, 1.0),
            (71, 0.0, 0.0),
            (71, 4.0, 3.0),
            (100, 8.0, 10.0),
            (1000, 0.0, 0.0),
        ] {
            let totals = totals(arms, spread, uneven);
            let grid = Grid::new(&totals).expect("it pays");
            let fine = Grid {
                step: grid.step / 8.0,
                points: 8 * grid.points,
                ..grid
            };
            let (found, greatest) = grid.best(&totals);
            let ((expected, most), (rough, _)) = (fine.best(&totals), one_by_one(&totals));
            for ((p, q), r) in found.iter().zip(&expected).zip(rough) {
                assert!((p - q).abs() < 1e-12, "{arms}, {spread}, {uneven}: {p} {q}");
                // Points as far apart as those of a wide total miss what narrow ones do.
                assert!((p - r).abs() < 1e-6, "{arms}, {spread}, {uneven}: {p} {r}");
            }
            assert!((greatest - most).abs() < 1e-9, "{greatest} {most}");
        }
    }

    /// Tests two arms against the closed form P(best) = Φ(d/√(s² + t²)).
    #[test]
    fn two_arms_have_a_closed_form() {
        for (mean, sd) in [(0.0, 1.0), (1.5, 2.0), (-4.0, 0.7), (6.0, 5.0)] {
            let totals = [Total { mean, sd }, Total { mean: 0.0, sd: 1.0 }];
            let (p, _) = best(&totals);
            let expected = 1.0 - upper_tail(mean / sd.hypot(1.0), f64::INFINITY);
            assert!((p[0] - expected).abs() < 2e-9, "{} {expected}", p[0]);
        }
    }

    #[test]
    fn known_and_very_unequal_totals_have_no_common_points() {
        let total = |mean, sd| Total { mean, sd };
        assert!(Grid::new(&[total(0.0, 1.0), total(0.5, 0.0)]).is_none());
        assert!(Grid::new(&[total(0.0, 1.0), total(0.5, 1e-6)]).is_none());
        assert!(Grid::new(&[]).is_none());
    }
}
