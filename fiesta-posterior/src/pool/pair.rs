//! Lead of one arm over another in a pool of items: sums of their differences, and what follows.

use super::noise::OfPair;
use crate::{benchmarks::Part, student::upper_tail};

/// Number of pseudo-differences on each side of a pair of arms.
pub(super) const PSEUDO: f64 = 0.5;
/// Number of pseudo-items that [`PSEUDO`] is worth: a rate of .15 on each side.
const PSEUDO_ITEMS: f64 = 2.0 * PSEUDO / 0.3;
/// Number of prior differences of full size in the estimate of a difference's typical size.
const TYPICAL: f64 = 5.0;
/// Least share of a difference's second moment that remains after its mean is taken out.
const LEAST_SPREAD: f64 = 0.1;
/// Pseudo-differences with which items are chosen, and the pseudo-items that they are worth.
const CHOICE: (f64, f64) = (1.5, 10.0);

/// Constants of a lead that differ between pools of answers and pools of single counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    /// How closely a lead is watched: the factor c of 1 + ln W in the probability that it is passed.
    pub(crate) watched: f64,
    /// Inverse of the chance of being passed below which a rival of the leader counts less: close
    /// rivals protect each other.
    pub(crate) close: f64,
    /// How the pseudo-differences depend on the leader's outcome.
    prior: Prior,
}

/// How the pseudo-differences depend on the leader's outcome v and its share p_v.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prior {
    /// Prior by which either outcome has `a` pseudo-differences in E·p_v items.
    Whole,
    /// Prior by which a leader that is wrong has a pseudo-differences in E·max(½, p_0) items, and
    /// one that is right a·√(2(1 − p_1)) in E·p_1 items, or a·2p_1 where p_1 < ½.
    Seldom,
    /// Prior by which either outcome has `a` pseudo-differences in E·max(½, p_v) items.
    Either,
}

impl Rule {
    /// The rule for pools of answers. Where one looks after every answer, an arm is named wrongly
    /// in no more than δ of pairs that differ on one item, and of five arms that are close.
    pub(crate) const ANSWERS: Self = Self {
        watched: 0.7,
        close: 12.0,
        prior: Prior::Seldom,
    };
    /// The rule for claims about a distance, which speak for the leader or for the rival: the prior favours neither.
    pub(super) const DISTANCE: Self = Self {
        prior: Prior::Either,
        ..Self::ANSWERS
    };
    /// The rule for pools of single counts: differences of F are of several sizes and centre on an estimate. Chosen
    /// where five arms on 1000 items, of which 50 are positive, err in δ (with .62, in .075 at δ = .05).
    pub(super) const F: Self = Self {
        watched: 0.9,
        close: 10.0,
        prior: Prior::Whole,
    };

    /// Returns the part of the a pseudo-differences that an outcome v of the leader has, and how
    /// many items they are worth, for a leader with `of_leader` answers of each outcome.
    pub(super) fn pseudo(self, v: usize, of_leader: [f64; 2]) -> (f64, f64) {
        let p = share(v, of_leader);
        match (self.prior, v) {
            (Prior::Whole, _) => (1.0, PSEUDO_ITEMS * p),
            (Prior::Either, _) | (Prior::Seldom, 0) => (1.0, PSEUDO_ITEMS * p.max(0.5)),
            (Prior::Seldom, _) if p > 0.5 => ((2.0 * (1.0 - p)).sqrt(), PSEUDO_ITEMS * p),
            _ => ((2.0 * p).min(1.0), PSEUDO_ITEMS * p),
        }
    }

    /// Returns the part of an outcome's pseudo-differences that the choice of items counts.
    fn in_choice(self, v: usize, of_leader: [f64; 2]) -> f64 {
        match self.prior {
            Prior::Whole => 1.0,
            Prior::Seldom | Prior::Either => (2.0 * share(v, of_leader)).min(1.0).sqrt(),
        }
    }
}

/// Difference up to which two totals over the pool are equal, in items.
pub(super) const EQUAL: f64 = 1e-6;

/// The z of a leader's lead once all answers of both arms are known and it is ahead.
const CERTAIN: f64 = 40.0;

/// Returns which half of the scale an answer lies in: 1 from the middle on.
pub(super) fn outcome(answer: f64) -> usize {
    usize::from(answer >= 0.5)
}

/// Sums over the items that both of two arms have answered, by the outcome of the first arm, the
/// leader. D = leader − rival.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Sums {
    /// Number of items of each outcome, n_v.
    pub(super) items: [f64; 2],
    /// The sums of the positive parts of D, and of the negative ones, S±_v.
    plus: [f64; 2],
    minus: [f64; 2],
    /// Sums of the squares of these parts over both outcomes, Q±.
    plus_squared: f64,
    minus_squared: f64,
    /// Sums of the rival's answers to these items by outcome, and sums of their squares.
    pub(super) rival: [f64; 2],
    pub(super) rival_squared: [f64; 2],
}

impl Sums {
    /// Adds an item with this outcome of the leader, or with the count −1 takes it away.
    pub(super) fn add(&mut self, v: usize, answers: [f64; 2], count: f64) {
        let [_, rival] = answers;
        self.add_many(v, answers, count);
        self.rival[v] += count * rival;
        self.rival_squared[v] += count * rival * rival;
    }

    /// Returns the typical size of a difference, 1 of zeros and ones; a pseudo-difference has it.
    pub(super) fn typical(&self) -> f64 {
        let (plus, minus) = (self.plus[0] + self.plus[1], self.minus[0] + self.minus[1]);
        (self.plus_squared + self.minus_squared + TYPICAL) / (plus + minus + TYPICAL)
    }

    /// Returns the share of noise in the mean square of the two arms' differences D.
    fn share(&self, noise: OfPair) -> f64 {
        let square = self.plus_squared + self.minus_squared;
        (noise.variance * (self.items[0] + self.items[1]) / square.max(1e-9)).min(1.0)
    }

    /// Adds `count` items with the same answers to all sums but the rival's own; `v` is the
    /// leader's outcome.
    pub(super) fn add_many(&mut self, v: usize, [leader, rival]: [f64; 2], count: f64) {
        let d = leader - rival;
        self.items[v] += count;
        if d > 0.0 {
            self.plus[v] += count * d;
            self.plus_squared += count * d * d;
        } else {
            self.minus[v] -= count * d;
            self.minus_squared += count * d * d;
        }
    }

    /// Returns the sums over the items that differ of the sizes of the differences, and of the
    /// squares.
    pub(super) fn sizes(&self) -> [f64; 2] {
        let sizes = self.plus.iter().chain(&self.minus).sum();
        [sizes, self.plus_squared + self.minus_squared]
    }

    /// Returns the sums of the sizes of the differences in favour of the leader, and of the rival.
    pub(super) fn known_sides(&self) -> [f64; 2] {
        [&self.plus, &self.minus].map(|side| side.iter().sum())
    }

    /// Returns the leader's total less the rival's over the items that both have answered.
    pub(super) fn difference(&self) -> f64 {
        self.plus.iter().sum::<f64>() - self.minus.iter().sum::<f64>()
    }

    /// Returns both outcomes of the leader, first the one whose items tell more of this rival:
    /// there one answer takes away most of the lead's variance.
    pub(super) fn telling(&self, of_leader: [f64; 2], rule: Rule) -> [usize; 2] {
        let (pseudo, worth) = CHOICE;
        let gain = |v: usize| {
            let spread = self.items[v] + worth * share(v, of_leader);
            let [above, below] = sides(v, pseudo * rule.in_choice(v, of_leader));
            let [plus, minus] = [
                ((self.plus[v] + above) / spread).min(1.0),
                ((self.minus[v] + below) / spread).min(1.0),
            ];
            let variance = plus * (1.0 - plus + minus).max(LEAST_SPREAD)
                + minus * (1.0 - minus + plus).max(LEAST_SPREAD);
            let n = self.items[v];
            variance * of_leader[v] * of_leader[v] / ((n + 0.5) * (n + 1.5))
        };
        if gain(1) > gain(0) { [1, 0] } else { [0, 1] }
    }
}

/// Returns the pseudo-differences on the leader's and on the rival's side for an outcome of the
/// leader: only an arm in the upper half can be far ahead.
fn sides(v: usize, pseudo: f64) -> [f64; 2] {
    if v == 1 { [pseudo, 0.0] } else { [0.0, pseudo] }
}

/// Returns the share p_v of an outcome among the leader's answers, given their number by outcome.
fn share(v: usize, of_leader: [f64; 2]) -> f64 {
    (of_leader[v] + 1.0) / (of_leader[0] + of_leader[1] + 2.0)
}

/// How far the leader is ahead of a rival, over the whole pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lead {
    /// Lead in standard deviations; ±[`CERTAIN`] or 0 where all answers are known.
    pub(super) z: f64,
    /// The variance of the leader's total less the rival's, in items; 0 where all answers are known.
    pub(super) variance: f64,
    /// Probability that the rival is better than the leader.
    pub(super) behind: f64,
    /// Probability that an arm ever leads by this much over a rival that is as good.
    pub(super) guard: f64,
    /// The two totals whose difference the lead is; all 0 where all answers are known.
    pub(super) parts: Parts,
}

/// The two totals whose difference a lead is, in items: the leader's part and the rival's part.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Parts {
    pub(crate) mean: [f64; 2],
    pub(crate) variance: [f64; 2],
    /// The part of the variance that the leader's unseen answers have, which all its rivals share. A
    /// rival's own part is in the rarer side of the differences, where none is shared.
    pub(crate) shared: [f64; 2],
    /// The number W of items on which leader and rival differ.
    pub(crate) differences: f64,
}

impl Parts {
    /// Returns how far the leader's total is ahead.
    fn ahead(&self) -> f64 {
        self.mean[0] - self.mean[1]
    }

    /// Returns the totals from the rival's side: its own are the first.
    pub(super) fn mirrored(self) -> Self {
        let swapped = |[one, other]: [f64; 2]| [other, one];
        Self {
            mean: swapped(self.mean),
            variance: swapped(self.variance),
            shared: swapped(self.shared),
            differences: self.differences,
        }
    }

    /// Returns the totals in another unit.
    pub(crate) fn times(self, unit: f64) -> Self {
        let square = unit * unit;
        Self {
            mean: self.mean.map(|mean| unit * mean),
            variance: self.variance.map(|variance| square * variance),
            shared: self.shared.map(|variance| square * variance),
            differences: self.differences,
        }
    }

    /// Returns the two totals as the sides of a difference, with the known sizes of items that differ.
    pub(super) fn sides(self, known: [f64; 2]) -> Part {
        Part::Sides {
            mean: self.mean,
            variance: self.variance,
            known,
        }
    }
}

impl Lead {
    /// Computes the lead from these sums, which lack some items unless answers vary. The leader's
    /// answers are given by outcome, the pool has `size` items; `margin` more items are on the
    /// leader's side.
    pub(super) fn new(
        sums: &Sums,
        of_leader: [f64; 2],
        (size, margin): (f64, f64),
        noise: OfPair,
        rule: Rule,
    ) -> Self {
        let answered = of_leader[0] + of_leader[1];
        let (sum_plus, sum_minus) = (sums.plus[0] + sums.plus[1], sums.minus[0] + sums.minus[1]);
        let typical = sums.typical();
        let pseudo = PSEUDO * typical;
        // Variance for each unit of a sum.
        let ratio = [
            (sums.plus_squared + pseudo * typical) / (sum_plus + pseudo),
            (sums.minus_squared + pseudo * typical) / (sum_minus + pseudo),
        ];
        // What the mean leaves of the second moment of D at these rates.
        let spread = |plus: f64, minus: f64| {
            let second = ratio[0] * plus + ratio[1] * minus;
            if second > 0.0 {
                (1.0 - (plus - minus).powi(2) / second).max(LEAST_SPREAD)
            } else {
                1.0
            }
        };
        let beyond = (size - answered) / (answered + PSEUDO_ITEMS);
        let scale = 1.0 + beyond;
        let (mut plus, mut minus) = (sum_plus, sum_minus);
        // Variance of what the pseudo-differences add: of their rate, and of a count at that rate.
        let of_pseudo = pseudo * beyond * beyond + pseudo * beyond;
        let mut variance = [of_pseudo; 2];
        for (v, &answered_so) in of_leader.iter().enumerate() {
            let unseen = answered_so - sums.items[v];
            if unseen < 0.5 {
                continue;
            }
            let (part, worth) = rule.pseudo(v, of_leader);
            let seen = sums.items[v] + worth;
            let [above, below] = sides(v, pseudo * part);
            let rate_plus = ((sums.plus[v] + above) / seen).min(1.0);
            let rate_minus = ((sums.minus[v] + below) / seen).min(1.0);
            let left = spread(rate_plus, rate_minus);
            plus += unseen * rate_plus;
            minus += unseen * rate_minus;
            let lever = scale * unseen / seen;
            variance[0] += scale * scale * unseen * rate_plus * left
                + lever * lever * (sums.plus[v] * left + above);
            variance[1] += scale * scale * unseen * rate_minus * left
                + lever * lever * (sums.minus[v] * left + below);
        }
        let rate = [(plus / answered).min(1.0), (minus / answered).min(1.0)];
        let rest = spread(rate[0], rate[1]) * (size - answered + answered * beyond * beyond);
        let side = |place: usize| ((variance[place] + rate[place] * rest) * ratio[place]).max(1e-9);
        let variance = [side(0), side(1)];
        let shared = [0, 1].map(|place| (of_pseudo + rate[place] * rest) * ratio[place]);
        let imagined = (beyond + sums.share(noise)) * pseudo;
        let (ahead, behind) = (scale * plus + imagined, scale * minus + imagined);
        // Noise is in what speaks for either, as far as anything does.
        let each = size * noise.variance / (ahead + behind).max(1e-6);
        let variance = [variance[0] + each * ahead, variance[1] + each * behind];
        let (ahead, behind) = ((ahead + margin).max(1e-6), behind.max(1e-6));
        let z = paulson([ahead, behind], variance);
        let square = sums.plus_squared + sums.minus_squared;
        let size = if square > 0.0 {
            square / (sum_plus + sum_minus)
        } else {
            typical
        };
        let differences = (scale * (plus + minus) + 2.0 * beyond * pseudo) / size;
        // Beyond the pool's end the lead wanders on, as long again as it has.
        let differences = differences * noise.rounds * noise.rounds;
        let tail = upper_tail(z, f64::INFINITY);
        Self {
            z,
            variance: variance[0] + variance[1],
            behind: tail,
            guard: guard(z, tail, differences, rule.watched),
            parts: Parts {
                mean: [ahead, behind],
                variance,
                shared,
                differences,
            },
        }
    }

    /// Returns the lead where all answers are known, and the leader is ahead by `ahead` items.
    pub(super) fn known(ahead: f64) -> Self {
        let z = match ahead {
            ahead if ahead > EQUAL => CERTAIN,
            ahead if ahead < -EQUAL => -CERTAIN,
            _ => 0.0,
        };
        let wrong = f64::from(u8::from(z < 0.0));
        Self {
            z,
            variance: 0.0,
            behind: wrong,
            guard: wrong,
            parts: Parts::default(),
        }
    }

    /// Whether all answers of both arms are known.
    pub(super) fn is_known(&self) -> bool {
        self.variance <= 0.0
    }

    /// Whether all answers of both arms are known, and their totals are equal.
    pub(super) fn is_tied(&self) -> bool {
        self.is_known() && self.z.abs() < 1.0
    }
}

/// Returns z of P(Γ₊ < Γ₋) for two gamma variables with these means and variances (Paulson's form
/// of Wilson's and Hilferty's approximation): of the first above the second.
pub(crate) fn paulson(mean: [f64; 2], variance: [f64; 2]) -> f64 {
    let [ahead, behind] = [0, 1].map(|place| variance[place] / (9.0 * mean[place] * mean[place]));
    let ratio = (mean[1] / mean[0]).cbrt();
    ((1.0 - ahead) - (1.0 - behind) * ratio) / (ratio * ratio * behind + ahead).sqrt()
}

/// Returns the probability that the lead of an arm over one as good exceeds z before all is known:
/// half of 1 − (1 − 2·P(Z > z))·exp(−2c·(1 + ln W)·z·φ(z)). W is the number of items in the pool on
/// which the two differ, c how closely the lead is watched, the rate at which a stationary process
/// crosses a level (Rice 1945).
pub(crate) fn guard(z: f64, tail: f64, differences: f64, watched: f64) -> f64 {
    if z <= 0.0 {
        return 1.0;
    }
    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let watched = watched * (1.0 + differences.max(1.0).ln());
    0.5 * (1.0 - (1.0 - 2.0 * tail) * (-2.0 * watched * z * density).exp())
}

/// Returns the probability that the luck of the leader alone ever brings it ahead of all these
/// rivals by as much as it is, if they are as good as the leader: the greatest over the m closest
/// of them of m times the chance of passing their mean.
///
/// The lead over the mean of m rivals has the mean of their leads. Its variance is what all share,
/// the leader's unseen answers, and the m-th part of what each rival has of its own.
pub(super) fn by_own_luck(leads: &mut [Parts], watched: f64) -> f64 {
    leads.sort_unstable_by(|a, b| a.ahead().total_cmp(&b.ahead()));
    let mut sum = Parts::default();
    let mut most = 0.0_f64;
    for (count, parts) in (1..).map(f64::from).zip(leads.iter()) {
        for side in 0..2 {
            sum.mean[side] += parts.mean[side];
            sum.variance[side] += parts.variance[side];
            sum.shared[side] += parts.shared[side];
        }
        sum.differences += parts.differences;
        let variance = [0, 1].map(|side| {
            let own = sum.variance[side] / count;
            own / count + sum.shared[side] / count * (1.0 - 1.0 / count)
        });
        let z = paulson(sum.mean.map(|mean| mean / count), variance);
        let tail = upper_tail(z, f64::INFINITY);
        let chance = count * guard(z, tail, sum.differences / count, watched);
        most = most.max(chance.min(1.0));
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lead of an arm that is right on `right` of 100 items over a rival that has
    /// answered the first `both` of either outcome alike.
    fn lead(right: f64, both: f64, rule: Rule) -> Lead {
        let mut sums = Sums::default();
        sums.add_many(0, [0.0, 0.0], both);
        sums.add_many(1, [1.0, 1.0], both);
        Lead::new(
            &sums,
            [100.0 - right, right],
            (100.0, 0.0),
            OfPair::NONE,
            rule,
        )
    }

    /// Tests, by hand, z where the leader has answered all: λ+_1 = a·√(2p_0)/(n_1 + E·p_1) and λ−_0
    /// = a/(n_0 + E·max(½, p_0)).
    #[test]
    fn an_outcome_that_is_seldom_keeps_its_pseudo_differences() {
        let (right, both) = (89.2, 4.0);
        // p_1 = 90.2/102, p_0 = 11.8/102.
        let [rare, often] = [11.8 / 102.0, 90.2 / 102.0];
        let whole = 10.0 / 3.0;
        let (above, below) = (0.5 * f64::sqrt(2.0 * rare), 0.5);
        let (unseen_right, unseen_wrong) = (85.2, 6.8);
        let plus = above / (both + whole * often);
        let minus = below / (both + whole * 0.5);
        let variance = |unseen: f64, rate: f64, seen: f64, pseudo: f64| {
            unseen * rate * (1.0 - rate) + (unseen / seen).powi(2) * pseudo
        };
        let expected = [
            variance(unseen_right, plus, both + whole * often, above),
            variance(unseen_wrong, minus, both + whole * 0.5, below),
        ];
        let found = lead(right, both, Rule::ANSWERS);
        let sum: f64 = expected.iter().sum();
        assert!((found.variance - sum).abs() < 1e-9, "{found:?} {sum}");
        let z = paulson([unseen_right * plus, unseen_wrong * minus], expected);
        assert!((found.z - z).abs() < 1e-9, "{found:?} {z}");
    }

    /// Tests that the rule for answers gives what the rule for single counts gives where a leader is right on half.
    #[test]
    fn an_even_leader_has_whole_pseudo_differences() {
        let [one, other] = [Rule::ANSWERS, Rule::F].map(|rule| lead(50.0, 10.0, rule));
        assert!((one.z - other.z).abs() < 1e-12 && one.guard < other.guard + 1e-12);
        let [one, other] = [Rule::ANSWERS, Rule::F].map(|rule| lead(90.0, 5.0, rule));
        assert!(one.z < other.z - 0.05, "{one:?} {other:?}");
    }

    /// Tests what pseudo-differences predict for unseen items while nothing has differed: it has
    /// the variance a·g² of their rate and a·g of a count at that rate.
    #[test]
    fn pseudo_differences_vary_as_counts_do() {
        let mut sums = Sums::default();
        sums.add_many(0, [0.0, 0.0], 20.0);
        sums.add_many(1, [1.0, 1.0], 20.0);
        let size = (100.0, 0.0);
        let lead = Lead::new(&sums, [20.0, 20.0], size, OfPair::NONE, Rule::ANSWERS);
        let g = 60.0 / (40.0 + 10.0 / 3.0);
        let expected = 2.0 * 0.5 * (g * g + g);
        assert!((lead.variance - expected).abs() < 1e-9);
    }

    /// Tests a perfect leader of 117 of 150 items, and rivals that missed one: each pair alone says
    /// less than the luck of one of six arms does.
    #[test]
    fn one_of_many_equal_arms_is_lucky() {
        let mut sums = Sums::default();
        sums.add_many(1, [1.0, 1.0], 116.0);
        sums.add_many(1, [1.0, 0.0], 1.0);
        let of_leader = [0.0, 117.0];
        let lead = Lead::new(&sums, of_leader, (150.0, 0.0), OfPair::NONE, Rule::ANSWERS);
        // The leader is right: what a rival has of its own is on the leader's side.
        let mut parts = lead.parts;
        parts.shared[0] = 0.0;
        let watched = Rule::ANSWERS.watched;
        let [two, six] = [1, 5].map(|rivals| by_own_luck(&mut vec![parts; rivals], watched));
        assert!((two - lead.guard).abs() < 1e-12, "{two} {lead:?}");
        assert!(six > 2.0 * two, "{six} {two}");
    }
}
