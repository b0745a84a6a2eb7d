//! Draw of all answers of a pool: those that are known, and the unseen ones from the posterior.

use super::{Pool, pair};
use fiesta_core::{ArmId, greatest};
use rand::{Rng, RngExt};

/// Number of donor items among which a drawn answer takes the one whose reference answer is
/// nearest; of zeros and ones all are equally near.
const NEAREST_OF: usize = 3;

/// Completion of a pool: every answer, known or drawn. See [`Pool::complete`].
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    arms: usize,
    low: f64,
    range: f64,
    /// Answer of each arm to each item at item·K + arm, on the scale from 0 to 1.
    answers: Vec<f64>,
    totals: Vec<f64>,
}

impl Completion {
    /// Returns the answer of an arm to an item. `None` if there is no such arm or item.
    pub fn answer(&self, arm: ArmId, item: u64) -> Option<f64> {
        let item = usize::try_from(item).ok()?;
        let place = item.checked_mul(self.arms)?.checked_add(arm.index())?;
        let answer = self
            .answers
            .get(place)
            .filter(|_| arm.index() < self.arms)?;
        Some(self.low + answer * self.range)
    }

    /// Whether no arm's mean over the pool is higher by more than `margin`.
    pub fn is_best(&self, arm: ArmId, margin: f64) -> bool {
        let best = greatest(self.totals.iter().copied());
        let items = self.answers.len() / self.arms.max(1);
        let margin = margin / self.range * items as f64;
        // What rounding makes of a sum is no difference.
        let own = self.totals.get(arm.index());
        own.is_some_and(|own| own + margin + 1e-9 >= best)
    }
}

impl Pool {
    /// Returns a draw of all answers of the pool, given the known answers.
    ///
    /// The leader's unseen outcomes v come from Pólya's urn with one of either beside those that are
    /// known. A rival's unseen answer where the leader's outcome is v is that to another item with
    /// this outcome that both have answered, every one equally likely (which with every drawn
    /// answer put back is Pólya's urn again); or with the weight of E·p_v such items a pseudo-item,
    /// with half a pseudo-difference on the side where the leader has an advantage, of which the
    /// leader's known answers have the part that the posterior gives them: the rates of differences
    /// are then on average the λ±_v of the posterior. Graded answers are those to the item of three whose leader's answer
    /// is nearest. Rivals take their answers from the same item where it has them, so that their
    /// correlation is kept. Where the
    /// leader's answer is unseen and another arm's is not, the leader takes the place of the rival.
    ///
    /// It takes O(K·N).
    ///
    /// # Example
    /// ```
    /// use fiesta_core::{ArmId, Case, Observe};
    /// use fiesta_posterior::Pool;
    /// use rand::{SeedableRng, rngs::ChaCha8Rng};
    /// let mut pool = Pool::new(2, 100);
    /// for item in 0..30 {
    ///     let case = Case { split: item, seed: 0 };
    ///     pool.observe(ArmId::new(0), case, f64::from(u8::from(item % 3 > 0)))?;
    ///     pool.observe(ArmId::new(1), case, f64::from(u8::from(item % 3 > 1)))?;
    /// }
    /// let mut rng = ChaCha8Rng::seed_from_u64(1);
    /// let completion = pool.complete(&mut rng);
    /// assert_eq!(completion.answer(ArmId::new(1), 1), Some(0.0));
    /// assert!(completion.answer(ArmId::new(1), 99).is_some());
    /// assert!(completion.is_best(ArmId::new(0), 0.0));
    /// # Ok::<(), fiesta_core::ObserveError>(())
    /// ```
    ///
    /// Sources: Ghosh and Meeden, "Bayesian Methods for Finite Population Sampling" (1997), for the
    /// Pólya posterior; Little, "Missing-data adjustments in large surveys" (1988), for donors that
    /// are near.
    pub fn complete(&self, rng: &mut dyn Rng) -> Completion {
        let mut answers = self.answers.clone();
        let leader = self.leader.index();
        if self.arms > 0 {
            self.draw_leader(leader, &mut answers, rng);
            self.draw_rivals(leader, &mut answers, rng);
        }
        let mut totals = vec![0.0; self.arms];
        for row in answers.chunks_exact(self.arms.max(1)) {
            for (total, answer) in totals.iter_mut().zip(row) {
                *total += answer;
            }
        }
        Completion {
            arms: self.arms,
            low: self.low,
            range: self.high - self.low,
            answers,
            totals,
        }
    }

    /// Returns the bounds of the answers: the least and the greatest that there can be.
    pub fn bounds(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Returns the answer of an arm to an item, as observed. `None` where there is none.
    pub fn observed_answer(&self, arm: ArmId, item: u64) -> Option<f64> {
        let item = usize::try_from(item)
            .ok()
            .filter(|&item| item < self.items)?;
        let answer = self
            .answer(item, arm.index())
            .filter(|_| arm.index() < self.arms)?;
        Some(self.low + answer * (self.high - self.low))
    }

    /// Draws the leader's unseen answers into `answers`.
    fn draw_leader(&self, leader: usize, answers: &mut [f64], rng: &mut dyn Rng) {
        let k = self.arms;
        // Where others have answered, as a rival of the one of them that has answered most.
        let mut by_answers: Vec<usize> = (0..k).filter(|&arm| arm != leader).collect();
        by_answers.sort_by(|&a, &b| {
            let of = |arm: usize| self.of_arm[arm].count();
            of(b).total_cmp(&of(a)).then(a.cmp(&b))
        });
        let lacks = |answers: &[f64], item: usize| answers[item * k + leader].is_nan();
        for reference in by_answers {
            let mut urn = None;
            for item in 0..self.items {
                if lacks(answers, item) && !answers[item * k + reference].is_nan() {
                    let urn = urn.get_or_insert_with(|| Urn::new(self, answers, reference, leader));
                    let near = answers[item * k + reference];
                    let drawn = urn.draw(answers, near, rng);
                    answers[item * k + leader] = drawn;
                    urn.put(near, item);
                }
            }
        }
        let mut by_outcome = [Vec::new(), Vec::new()];
        for row in answers.chunks_exact(k) {
            if !row[leader].is_nan() {
                by_outcome[pair::outcome(row[leader])].push(row[leader]);
            }
        }
        for item in 0..self.items {
            if !lacks(answers, item) {
                continue;
            }
            let [wrong, right] = [0, 1].map(|v: usize| by_outcome[v].len() as f64 + 1.0);
            let v = usize::from(rng.random::<f64>() * (wrong + right) < right);
            let drawn = match by_outcome[v].len() {
                0 => v as f64,
                count => by_outcome[v][rng.random_range(0..count)],
            };
            answers[item * k + leader] = drawn;
            by_outcome[v].push(drawn);
        }
    }

    /// Draws the unseen answers of all other arms into `answers`, once the leader's are complete.
    fn draw_rivals(&self, leader: usize, answers: &mut [f64], rng: &mut dyn Rng) {
        let k = self.arms;
        let rivals = (0..k).filter(|&arm| arm != leader);
        let mut urns: Vec<(usize, Urn)> = rivals
            .map(|arm| (arm, Urn::new(self, answers, leader, arm)))
            .collect();
        let mut whole: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
        let mut lacking = Vec::with_capacity(self.items);
        for item in 0..self.items {
            let row = &answers[item * k..(item + 1) * k];
            // Where only the leader has answered, there is nothing to give.
            if (0..k).any(|arm| arm != leader && !row[arm].is_nan()) {
                whole[pair::outcome(row[leader])].push(item);
            }
            if row.iter().any(|answer| answer.is_nan()) {
                lacking.push(item);
            }
        }
        for item in lacking {
            let near = answers[item * k + leader];
            let v = pair::outcome(near);
            let donor = nearest(&whole[v], answers, k, leader, near, rng);
            let pseudo: f64 = rng.random();
            let is_drawn = self.answers[item * k + leader].is_nan();
            let had_some = (0..k).any(|arm| arm != leader && !answers[item * k + arm].is_nan());
            for (arm, urn) in &mut urns {
                if !answers[item * k + *arm].is_nan() {
                    continue;
                }
                let given = donor.map(|donor| answers[donor * k + *arm]);
                let given = given.filter(|answer| !answer.is_nan());
                answers[item * k + *arm] =
                    urn.draw_with(answers, near, is_drawn, pseudo, given, rng);
                urn.put(near, item);
            }
            if !had_some {
                whole[v].push(item);
            }
        }
    }
}

/// Returns the item of a few random ones on which an arm's answer is nearest to the given one.
/// `None` if there is no item.
fn nearest(
    items: &[usize],
    answers: &[f64],
    arms: usize,
    arm: usize,
    near: f64,
    rng: &mut dyn Rng,
) -> Option<usize> {
    let mut found = *items.get(rng.random_range(0..items.len().max(1)))?;
    let distance = |item: usize| (answers[item * arms + arm] - near).abs();
    for _ in 1..NEAREST_OF {
        if distance(found) <= 0.0 {
            break;
        }
        let other = items[rng.random_range(0..items.len())];
        if distance(other) < distance(found) {
            found = other;
        }
    }
    Some(found)
}

/// Pólya's urn of an arm's answers, by the outcome of another arm on the same item.
struct Urn {
    arms: usize,
    reference: usize,
    arm: usize,
    /// Items that the arm and its reference have both answered, by the reference's outcome.
    items: [Vec<usize>; 2],
    /// Number of items that the pseudo-items of each outcome are worth, and of the
    /// pseudo-differences among them.
    worth: [f64; 2],
    pseudo: [f64; 2],
    /// Size of a typical difference between the two arms' answers.
    typical: f64,
}

impl Urn {
    fn new(pool: &Pool, answers: &[f64], reference: usize, arm: usize) -> Self {
        let k = pool.arms;
        let mut items = [Vec::new(), Vec::new()];
        for (item, row) in answers.chunks_exact(k).enumerate() {
            if !row[reference].is_nan() && !row[arm].is_nan() {
                items[pair::outcome(row[reference])].push(item);
            }
        }
        let sums = &pool.sums[reference * k + arm];
        let answered = pool.of_arm[reference].answered;
        Self {
            arms: k,
            reference,
            arm,
            items,
            worth: [0, 1].map(|v| pool.rule().pseudo(v, answered).1),
            pseudo: [0, 1].map(|v| pair::PSEUDO * pool.rule().pseudo(v, answered).0),
            typical: sums.typical(),
        }
    }

    fn put(&mut self, reference: f64, item: usize) {
        self.items[pair::outcome(reference)].push(item);
    }

    /// Draws an answer of the arm, given the reference's answer to the same item.
    fn draw(&self, answers: &[f64], reference: f64, rng: &mut dyn Rng) -> f64 {
        let pseudo = rng.random();
        self.draw_with(answers, reference, false, pseudo, None, rng)
    }

    /// Returns a random answer of the arm to one item. `reference` is the reference arm's answer to
    /// that item, and `is_drawn` says that it was drawn too. `pseudo` is uniform between 0 and 1:
    /// below the pseudo-items' share of the weight, the answer comes from a pseudo-item. Otherwise
    /// the answer is `given`; if `given` is `None`, it is copied from an item to which the
    /// reference gave nearly the same answer.
    fn draw_with(
        &self,
        answers: &[f64],
        reference: f64,
        is_drawn: bool,
        pseudo: f64,
        given: Option<f64>,
        rng: &mut dyn Rng,
    ) -> f64 {
        let v = pair::outcome(reference);
        let (count, worth) = (self.items[v].len() as f64, self.worth[v]);
        if pseudo * (count + worth) < worth {
            let among = if is_drawn {
                pair::PSEUDO
            } else {
                self.pseudo[v]
            };
            let differs = rng.random::<f64>() * worth < among;
            let towards = if v == 1 { -self.typical } else { self.typical };
            return if differs {
                (reference + towards).clamp(0.0, 1.0)
            } else {
                reference
            };
        }
        given.unwrap_or_else(|| {
            let from = &self.items[v];
            let item = nearest(from, answers, self.arms, self.reference, reference, rng);
            item.map_or(reference, |item| answers[item * self.arms + self.arm])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fiesta_core::{Case, Observe, Posterior};
    use rand::{SeedableRng, rngs::ChaCha8Rng};

    fn case(item: u64) -> Case {
        Case {
            split: item,
            seed: 0,
        }
    }

    /// Returns the answer of arm k to item i of a pool whose arms are alike and of different
    /// quality.
    fn answer(arm: usize, item: u64, levels: u64) -> f64 {
        let mix = |x: u64| {
            let x = (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            ((x ^ (x >> 29)) >> 11) as f64 / (1_u64 << 53) as f64
        };
        let ability = [0.57, 0.55, 0.53][arm];
        let own = mix(item * 7 + arm as u64 * 1_000_003 + 17);
        let level = 0.6 * mix(item + 5) + 0.4 * own;
        let score = (ability + 0.5 - level).clamp(0.0, 1.0);
        (score * levels as f64).round() / levels as f64
    }

    fn pool(known: [u64; 3], items: u64, levels: u64) -> Pool {
        let mut pool = Pool::new(3, items);
        for (arm, known) in ArmId::all(3).zip(known) {
            for item in 0..known {
                pool.observe(arm, case(item), answer(arm.index(), item, levels))
                    .unwrap();
            }
        }
        pool
    }

    /// Tests mean and standard deviation of the difference of two arms' means, and P(best), over
    /// draws, against the posterior's closed forms: right and wrong, graded, and where arms lag
    /// behind.
    #[test]
    fn draws_agree_with_the_posterior() {
        let arms: Vec<ArmId> = ArmId::all(3).collect();
        for (known, levels) in [([60, 60, 60], 1), ([120, 90, 40], 1), ([100, 60, 60], 10)] {
            let pool = pool(known, 300, levels);
            let leader = pool.leader;
            let mut rng = ChaCha8Rng::seed_from_u64(3);
            let draws = 4000;
            let mut best = [0.0; 3];
            let mut sums = [[0.0; 2]; 3];
            for _ in 0..draws {
                let drawn = pool.complete(&mut rng);
                let total = |arm: ArmId| drawn.totals[arm.index()] / 300.0;
                let top = arms
                    .iter()
                    .copied()
                    .max_by(|&a, &b| total(a).total_cmp(&total(b)));
                best[top.unwrap().index()] += 1.0 / f64::from(draws);
                for &arm in &arms {
                    let d = total(leader) - total(arm);
                    sums[arm.index()][0] += d / f64::from(draws);
                    sums[arm.index()][1] += d * d / f64::from(draws);
                }
            }
            let belief = pool.belief(&arms);
            for &arm in arms.iter().filter(|&&arm| arm != leader) {
                let [mean, square] = sums[arm.index()];
                let sd = (square - mean * mean).sqrt();
                let known = pool.difference(leader, arm).unwrap();
                let off = (mean - known.location).abs() / known.scale;
                assert!(off < 0.2, "{levels} {arm:?} {mean} {known:?}");
                assert!(
                    (sd / known.scale - 1.0).abs() < 0.1,
                    "{levels} {arm:?} {sd} {known:?}"
                );
            }
            for &arm in &arms {
                let (drawn, known) = (best[arm.index()], belief.of(arm));
                assert!(
                    (drawn - known).abs() < 0.03,
                    "{levels} {arm:?} {drawn} {known}"
                );
            }
        }
    }

    /// Tests that known answers stay, that drawn ones are possible answers, and that a pool whose
    /// answers are all known stays as it is.
    #[test]
    fn known_answers_are_kept() {
        let partly = pool([30, 10, 3], 50, 4);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let drawn = partly.complete(&mut rng);
        for (arm, known) in ArmId::all(3).zip([30, 10, 3]) {
            for item in 0..50 {
                let value = drawn.answer(arm, item).unwrap();
                assert!((0.0..=1.0).contains(&value));
                if item < known {
                    assert_eq!(partly.observed_answer(arm, item), Some(value));
                } else {
                    assert_eq!(partly.observed_answer(arm, item), None);
                }
            }
        }
        assert_eq!(drawn.answer(ArmId::new(0), 50), None);
        assert_eq!(drawn.answer(ArmId::new(3), 0), None);
        let whole = pool([50, 50, 50], 50, 1);
        let (one, other) = (whole.complete(&mut rng), whole.complete(&mut rng));
        assert_eq!(one, other);
        assert!(one.is_best(ArmId::new(0), 0.0) && !one.is_best(ArmId::new(2), 0.0));
    }

    /// Tests that missing answers are drawn in an empty pool, and for items that only others than
    /// the leader have answered.
    #[test]
    fn holes_anywhere_are_filled() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let empty = Pool::new(2, 8).complete(&mut rng);
        assert!((0..8).all(|item| empty.answer(ArmId::new(1), item).is_some()));
        let mut odd = Pool::new(3, 20).bounded(-1.0, 1.0).unwrap();
        for item in 0..20 {
            let arm = ArmId::new((item % 3) as usize);
            odd.observe(arm, case(item), if item % 2 == 0 { 1.0 } else { -1.0 })
                .unwrap();
        }
        let drawn = odd.complete(&mut rng);
        let all = (0..20).flat_map(|item| ArmId::all(3).map(move |arm| (arm, item)));
        assert!(all.into_iter().all(|(arm, item)| {
            let value = drawn.answer(arm, item).unwrap();
            (-1.0..=1.0).contains(&value)
        }));
        let none = Pool::new(2, 0).complete(&mut rng);
        assert_eq!(none.answer(ArmId::new(0), 0), None);
    }
}
