//! Places that arms may have among all, by tests of every pair at once.

use super::{ArmComparison, McNemar, Sample, SummaryError, holm};
use fiesta_core::Direction;
use serde::Serialize;

/// Places among K arms that an arm may have, by the means that further scores would show; 1 is the
/// best.
///
/// Where all pairs of arms are told apart at once,
/// ```text
/// first = 1 + number of arms shown to be better,   last = K − number of arms shown to be worse
/// ```
/// so that with the confidence of the pairs every arm's true place lies in its range, for all arms
/// together. Arms of equal means share all the places that they take. Ranges of arms overlap, and are
/// no tiers.
///
/// Source: Mogstad, Romano, Shaikh and Wilhelm, "Inference for Ranks with Applications to Mobility
/// across Neighbourhoods and Academic Achievement across Countries" (2024).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Place {
    /// Best place that the arm may have.
    pub first: usize,
    /// Worst place that the arm may have.
    pub last: usize,
}

impl Place {
    /// Returns the places of `arms` arms, where `is_better(a, b)` says whether a is shown to be better
    /// than b.
    pub(crate) fn of_all(arms: usize, is_better: impl Fn(usize, usize) -> bool) -> Vec<Self> {
        let pairs = (0..arms).flat_map(|a| (0..arms).map(move |b| (a, b)));
        let shown: Vec<(usize, usize)> =
            pairs.filter(|&(a, b)| a != b && is_better(a, b)).collect();
        (0..arms)
            .map(|arm| Self {
                first: 1 + shown.iter().filter(|(_, worse)| *worse == arm).count(),
                last: arms - shown.iter().filter(|(better, _)| *better == arm).count(),
            })
            .collect()
    }

    /// Returns the places in words: "2" or "1 to 4".
    pub(crate) fn in_words(self) -> String {
        if self.first == self.last {
            self.first.to_string()
        } else {
            format!("{} to {}", self.first, self.last)
        }
    }
}

/// Tests of all pairs of some arms, with p-values adjusted over them by Holm.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PairTests {
    arms: usize,
    /// Adjusted p-value of each pair a < b, and a number that is above 0 where a is ahead and below where
    /// b is. Pairs stand in the order (0, 1), (0, 2), …, (1, 2), ….
    pairs: Vec<(Option<f64>, f64)>,
}

impl PairTests {
    /// Tests every pair of arms: two arms that answered the same items, each once, right or wrong, by the
    /// exact [`McNemar`] test; others by `other`, which returns the two-sided p-value and the difference
    /// of their means, as [`test_of_means`] does. An arm without scores has no test, and counts in the
    /// family.
    pub(crate) fn new<E>(
        arms: &[Option<Sample<'_>>],
        direction: Direction,
        other: impl Fn(usize, usize) -> Result<(Option<f64>, f64), E>,
    ) -> Result<Self, E> {
        let answers: Vec<_> = { arms.iter() }.map(|arm| answers(arm.as_ref()?)).collect();
        let (mut plain, mut ahead) = (Vec::new(), Vec::new());
        for a in 0..arms.len() {
            for b in a + 1..arms.len() {
                let both = answers[a].as_ref().zip(answers[b].as_ref());
                let (p, difference) = match both.and_then(|(a, b)| divided(a, b)) {
                    Some([only_a, only_b]) => {
                        let test = McNemar::new(only_a, only_b);
                        (Some(test.p_value), only_a as f64 - only_b as f64)
                    }
                    None if arms[a].is_none() || arms[b].is_none() => (None, 0.0),
                    None => other(a, b)?,
                };
                plain.push(p);
                ahead.push(direction.orient(difference));
            }
        }
        let adjusted = holm(&plain, plain.len());
        Ok(Self {
            arms: arms.len(),
            pairs: adjusted.into_iter().zip(ahead).collect(),
        })
    }

    /// Returns the adjusted p-value of a pair, and whether its first arm is ahead.
    fn pair(&self, a: usize, b: usize) -> (Option<f64>, bool) {
        let (low, high) = (a.min(b), a.max(b));
        let (p, ahead) = self.pairs[low * (2 * self.arms - low - 1) / 2 + high - low - 1];
        (p, if a < b { ahead > 0.0 } else { ahead < 0.0 })
    }

    /// Returns the two-sided p-value of a pair, adjusted over all pairs. `None` if there is no test.
    pub(crate) fn adjusted(&self, a: usize, b: usize) -> Option<f64> {
        self.pair(a, b).0
    }

    /// Returns the place of each arm: with this confidence, all of them hold.
    pub(crate) fn places(&self, confidence: f64) -> Vec<Place> {
        Place::of_all(self.arms, |a, b| {
            let is_told_apart = |p: f64| p <= 1.0 - confidence;
            matches!(self.pair(a, b), (Some(p), true) if is_told_apart(p))
        })
    }
}

/// Returns the two-sided p-value of the difference of two means and the difference itself, on common
/// splits or by Welch's test.
///
/// # Errors
/// [`SummaryError`] if the samples cannot be compared.
pub(crate) fn test_of_means(
    a: &Sample<'_>,
    b: &Sample<'_>,
) -> Result<(Option<f64>, f64), SummaryError> {
    // The interval of this confidence is not looked at.
    let found = ArmComparison::new(a, b, 0.95)?;
    Ok((found.two_sided(), found.difference))
}

/// Returns the answers of an arm that answered each item once with 0 or 1, by item.
fn answers(sample: &Sample<'_>) -> Option<Vec<(u64, bool)>> {
    let groups = sample.is_binary().then(|| sample.groups())??;
    let right = sample.scores().iter().map(|&score| score > 0.5);
    let mut answers: Vec<(u64, bool)> = groups.zip(right).collect();
    answers.sort_unstable();
    let is_once = answers.windows(2).all(|pair| pair[0].0 != pair[1].0);
    is_once.then_some(answers)
}

/// Returns the number of common items on which the first arm alone has a 1, and the second alone.
/// `None` without a common item.
fn divided(first: &[(u64, bool)], second: &[(u64, bool)]) -> Option<[u64; 2]> {
    let (mut only, mut common) = ([0, 0], 0_u64);
    let mut rest = second;
    for &(item, is_right) in first {
        let skipped = rest.iter().take_while(|(other, _)| *other < item).count();
        rest = &rest[skipped..];
        if let Some(&(other, was_right)) = rest.first()
            && other == item
        {
            common += 1;
            only[0] += u64::from(is_right && !was_right);
            only[1] += u64::from(!is_right && was_right);
        }
    }
    (common > 0).then_some(only)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};
    use rand_distr::{Distribution, StandardNormal};

    fn tested(arms: &[Option<Sample<'_>>], direction: Direction) -> PairTests {
        let of_means = |a: usize, b: usize| {
            let [a, b] = [a, b].map(|arm| arms[arm].as_ref().expect("it has scores"));
            test_of_means(a, b)
        };
        PairTests::new(arms, direction, of_means).unwrap()
    }

    fn place(first: usize, last: usize) -> Place {
        Place { first, last }
    }

    /// Tests four arms on five splits whose differences have no noise but .001: a and b are equal.
    #[test]
    fn four_arms_by_hand() {
        let noise = [0.001, -0.001, 0.0005, -0.0005, 0.0];
        let arm = |mean: f64, factor: f64| {
            let scores = { (0..).zip(noise) }.map(|(split, of)| (split, mean + factor * of));
            Sample::grouped(scores).ok()
        };
        let arms = [arm(0.9, 1.0), arm(0.9, -1.0), arm(0.5, 2.0), None];
        let found = tested(&arms, Direction::Maximize);
        // An arm without scores may have any place.
        let expected = [place(1, 3), place(1, 3), place(3, 4), place(1, 4)];
        assert_eq!(found.places(0.95), expected);
        let found = tested(&arms, Direction::Minimize);
        let expected = [place(2, 4), place(2, 4), place(1, 2), place(1, 4)];
        assert_eq!(found.places(0.95), expected);
    }

    /// Tests answers that are right or wrong: of 20 items a is right on 16 more than b, and c has
    /// answered other items, which are compared by Welch's test.
    #[test]
    fn answers_are_tested_exactly() {
        let arm = |from: u64, right: u64| {
            let answers = (0..20).map(|item| (from + item, f64::from(u8::from(item < right))));
            Sample::grouped(answers).ok()
        };
        let arms = [arm(0, 18), arm(0, 2), arm(100, 10)];
        let found = tested(&arms, Direction::Maximize);
        let exact = McNemar::new(16, 0).p_value;
        assert!((found.adjusted(1, 0).unwrap() - 3.0 * exact).abs() < 1e-15);
        assert_eq!(found.places(0.95), [place(1, 1), place(3, 3), place(2, 2)]);
        assert_eq!(found.places(1.0 - 1e-9), vec![place(1, 3); 3]);
    }

    /// Returns in which share of `runs` files the ranges of all arms hold at 95 %, where answers to 300
    /// items or scores on 12 splits are made: the share of true places that are met, an arm of a tie
    /// having any of the places of the tie.
    fn coverage(means: &[f64], is_binary: bool, runs: u32, seed: u64) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let holds = |found: &[Place]| {
            means.iter().zip(found).all(|(mean, place)| {
                let better = means.iter().filter(|other| *other > mean).count();
                let equal = means
                    .iter()
                    .filter(|&other| other.total_cmp(mean).is_eq())
                    .count();
                place.first <= better + equal && place.last > better
            })
        };
        let (mut held, splits) = (0, if is_binary { 300 } else { 12 });
        for _ in 0..runs {
            let eases: Vec<f64> = (0..splits).map(|_| rng.random::<f64>()).collect();
            let arms: Vec<_> = { means.iter() }
                .map(|&mean| {
                    let scores = { (0..).zip(&eases) }.map(|(split, ease)| {
                        let score = if is_binary {
                            // Half of the noise is the item's own.
                            let luck = 0.5 * ease + 0.5 * rng.random::<f64>();
                            f64::from(u8::from(luck < mean))
                        } else {
                            let noise: f64 = StandardNormal.sample(&mut rng);
                            mean + 3.0 * ease + noise
                        };
                        (split, score)
                    });
                    Sample::grouped(scores).ok()
                })
                .collect();
            let found = tested(&arms, Direction::Maximize);
            held += u32::from(holds(&found.places(0.95)));
        }
        f64::from(held) / f64::from(runs)
    }

    /// Returns means that are this far apart.
    fn apart(arms: u8, step: f64) -> Vec<f64> {
        (0..arms).map(|arm| 0.5 + step * f64::from(arm)).collect()
    }

    /// Tests that the ranges of eight arms hold together in at least 95 % of 400 files, less two
    /// standard errors (2.2 points), with ties, near ties and far arms.
    #[test]
    fn all_ranges_hold_together() {
        let mixed = vec![0.5, 0.5, 0.52, 0.54, 0.6, 0.6, 0.7, 0.9];
        for means in [apart(8, 1e-9), mixed] {
            for is_binary in [true, false] {
                let share = coverage(&means, is_binary, 400, 38);
                assert!(share >= 0.928, "{share} {is_binary}");
            }
        }
    }

    /// Measures how often the ranges hold together, in 10,000 files a cell.
    #[test]
    #[ignore = "minutes; docs/decisions/places.md has its figures"]
    fn how_often_places_hold() {
        let ties = [[0.5; 4], [0.55; 4], [0.6; 4]].concat();
        for (name, means) in [
            ("2, 1e-9 apart", apart(2, 1e-9)),
            ("12, 1e-9 apart", apart(12, 1e-9)),
            ("12, .001 apart", apart(12, 0.001)),
            ("12, .02 apart", apart(12, 0.02)),
            ("three ties of 4", ties),
        ] {
            for (what, is_binary) in [("300 answers", true), ("12 scores", false)] {
                let share = coverage(&means, is_binary, 10_000, 38);
                let error = (share * (1.0 - share) / 10_000.0).sqrt();
                let [share, error] = [share, error].map(|part| 100.0 * part);
                println!("{name}, {what}: {share:.2} ± {error:.2} %");
            }
        }
    }
}
