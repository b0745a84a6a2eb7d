//! Posterior of F over a pool of items of which an answer is one count.

use super::{Pool, ones, refused};
use fiesta_core::{ArmId, Around, Case, Counts, FBeta, Observe, ObserveError};

/// A posterior of the F-measure of K arms over a pool of N items, of all their counts together, where
/// each answer is a single count: a true or false positive or negative, or nothing.
///
/// [`Pool`] states the model. Here, D is the difference of two arms' influence on F. An answer has the
/// influence s = (g − F₀·h)/h̄, where g = (1 + b²)·tp, h = g + b²·fn + fp, F₀ is the leader's F and h̄ the
/// arm's mean of h over the pool. Means of s differ as F does, exactly for known h̄, whatever F₀ is. The
/// leader's outcome v is whether its answer is right. Either outcome has `a` pseudo-differences in E·p_v
/// items. The formula of h(z) has −1.8 in place of −1.4, and the second error has 10h in place of 12h.
/// Two arms with all answers known are compared by F itself.
///
/// # Example
/// ```
/// use fiesta_core::{ArmId, Case, Counts, FBeta, Observe, Posterior};
/// use fiesta_posterior::PoolOfCounts;
/// let mut pool = PoolOfCounts::new(2, 300, FBeta::F1);
/// for item in 0..100 {
///     let case = Case { split: item, seed: 0 };
///     // One in two items is to be found.
///     let found = [item % 10 != 0, item % 3 != 0];
///     for (arm, found) in ArmId::all(2).zip(found) {
///         let cells = match (item % 2 == 0, found) {
///             (true, true) => [1, 0, 0, 0],
///             (true, false) => [0, 0, 0, 1],
///             (false, _) => [0, 0, 1, 0],
///         };
///         pool.observe(arm, case, Counts::from_cells(cells))?;
///     }
/// }
/// let arms: Vec<ArmId> = ArmId::all(2).collect();
/// assert!(pool.belief(&arms).of(arms[0]) > 0.95);
/// assert!((pool.mean(arms[0]).unwrap() - 80.0 / 90.0).abs() < 1e-9);
/// # Ok::<(), fiesta_core::ObserveError>(())
/// ```
///
/// Source: van der Vaart, Asymptotic Statistics (1998), ch. 20, for influence functions.
#[derive(Debug, Clone)]
pub struct PoolOfCounts(Pool);

impl PoolOfCounts {
    /// Creates a pool of `arms` arms and `items` items, compared by this F. It takes some ten bytes
    /// for each arm and item at once.
    ///
    /// # Panics
    /// As [`Pool::new`].
    pub fn new(arms: usize, items: u64, f_beta: FBeta) -> Self {
        let mut pool = Pool::new(arms, items);
        pool.ones = Some(ones::Ones::new(arms, pool.items, f_beta));
        Self(pool)
    }
}

impl Around for PoolOfCounts {
    type Inner = Pool;

    fn inner(&self) -> &Pool {
        &self.0
    }
}

impl Observe<Counts> for PoolOfCounts {
    /// Takes an answer to an item into account. [`ObserveError`] refuses an answer of more than one
    /// count, an arm or item that there is not, and an item that the arm has answered before.
    fn observe(&mut self, arm: ArmId, case: Case, counts: Counts) -> Result<(), ObserveError> {
        let total = counts.total() as f64;
        let item = self.0.place(arm, case, total)?;
        let Some(kind) = ones::kind(&counts) else {
            return refused(
                total,
                "each item must have at most one count; use the posterior f-measure for items of several"
                    .to_owned(),
            );
        };
        if let Some(ones) = &mut self.0.ones {
            ones.add(arm.index(), item, kind);
        }
        self.0.learn(arm, item, ones::is_right(kind));
        Ok(())
    }
}
