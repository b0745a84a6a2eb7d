//! Posterior of F over a pool whose items have one count each, or several.

use super::PoolOfCounts;
use crate::FMeasureArms;
use fiesta_core::{ArmId, Around, Case, Counts, FBeta, Observe, ObserveError, Posterior};

/// The posterior of the F-measure over a pool of N documents or items, by what their counts turn out
/// to be: [`PoolOfCounts`] as long as each has one count at most, and [`FMeasureArms`] for good once one
/// has more.
///
/// Shares of true and false positives that differ from document to document, as [`FMeasureArms`] has
/// them, are no model of single counts: it does not see that arms answer the same items.
///
/// # Example
/// ```
/// use fiesta_core::{ArmId, Case, Counts, FBeta, Observe, Posterior};
/// use fiesta_posterior::{FMeasureArms, FOfItems};
/// let of = |cells: [u64; 4]| {
///     let arms = FMeasureArms::new(2).documents(2);
///     let mut posterior = FOfItems::new(arms, 2, FBeta::F1);
///     for item in 0..2 {
///         let case = Case { split: item, seed: 0 };
///         posterior.observe(ArmId::new(0), case, Counts::from_cells(cells)).unwrap();
///         posterior.observe(ArmId::new(1), case, Counts::from_cells([0, 1, 0, 0])).unwrap();
///     }
///     posterior
/// };
/// // All is known of a pool of two.
/// assert!(of([1, 0, 0, 0]).is_of_ones());
/// assert_eq!(of([1, 0, 0, 0]).claim(0.0, &[ArmId::new(0), ArmId::new(1)]).unwrap().error, 0.0);
/// assert!(!of([5, 1, 0, 0]).is_of_ones());
/// ```
pub struct FOfItems {
    documents: FMeasureArms,
    /// The posterior of items with one count each. `None` once an item has had more than one count.
    ones: Option<PoolOfCounts>,
    /// Whether any item so far had a count.
    is_seen: bool,
}

impl FOfItems {
    /// Returns the posterior of documents of several counts, before any observation, and of this
    /// number of items; compared by this F.
    ///
    /// # Panics
    /// As [`Pool::new`](crate::Pool::new).
    pub fn new(documents: FMeasureArms, items: u64, f_beta: FBeta) -> Self {
        Self {
            ones: Some(PoolOfCounts::new(documents.arms(), items, f_beta)),
            documents,
            is_seen: false,
        }
    }

    /// Whether every item so far had one count at most, and at least one item had one.
    pub fn is_of_ones(&self) -> bool {
        self.is_seen && self.ones.is_some()
    }
}

impl Around for FOfItems {
    type Inner = dyn Posterior;

    fn inner(&self) -> &(dyn Posterior + 'static) {
        match &self.ones {
            Some(ones) if self.is_seen => ones,
            _ => &self.documents,
        }
    }
}

impl Observe<Counts> for FOfItems {
    /// Takes the counts of an item into account, with the errors of [`FMeasureArms`]. Counts that
    /// [`PoolOfCounts`] does not take, such as a second answer to an item, turn the items into
    /// documents.
    fn observe(&mut self, arm: ArmId, case: Case, counts: Counts) -> Result<(), ObserveError> {
        self.documents.observe(arm, case, counts)?;
        self.is_seen |= counts.total() > 0;
        if let Some(ones) = &mut self.ones
            && ones.observe(arm, case, counts).is_err()
        {
            self.ones = None;
        }
        Ok(())
    }
}
