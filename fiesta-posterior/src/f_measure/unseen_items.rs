//! Draws of a system's counts on a whole collection, of which it has seen only some documents.

use super::dirichlet::ln_shares;
use fiesta_core::Counts;
use rand::Rng;

/// Least concentration of the shares of unseen items, as of less than one item.
const LEAST: f64 = 1e-3;

/// What a system's counts on a whole collection will be, given those of the documents that it has
/// seen.
///
/// Of n items on unseen documents of mean length N the shares have the mean θ and, μ being drawn
/// for each document, the variance θ_j(1 − θ_j)/(A + 1) with A + 1 = n(1 + α)/(N + α): they are
/// drawn from Dirichlet(Aθ), which has these moments. What is unseen is taken to be as long as what
/// was seen.
pub(super) struct UnseenItems {
    seen: [f64; 4],
    mean_length: f64,
    /// Number of items that are unseen.
    items: f64,
}

impl UnseenItems {
    /// Returns the unseen part of a collection of `collection` documents, `documents` of which had
    /// the counts `seen`. `None` if nothing was counted, or nothing is left.
    pub(super) fn new(seen: &Counts, documents: u64, collection: u64) -> Option<Self> {
        let unseen = collection.saturating_sub(documents);
        let mean_length = seen.total() as f64 / documents as f64;
        (seen.total() > 0 && unseen > 0).then(|| Self {
            seen: seen.cells().map(|count| count as f64),
            mean_length,
            items: mean_length * unseen as f64,
        })
    }

    /// Returns the amounts of TP, FP, TN, FN on the whole collection.
    pub(super) fn amounts(&self, theta: &[f64; 4], alpha: f64, rng: &mut impl Rng) -> [f64; 4] {
        let independent = self.items * (1.0 + alpha) / (self.mean_length + alpha);
        let concentration = (independent - 1.0).max(LEAST);
        let shapes = theta.map(|theta| (concentration * theta).max(f64::MIN_POSITIVE));
        let ln_shares = ln_shares(shapes, rng);
        std::array::from_fn(|j| self.seen[j] + self.items * ln_shares[j].exp())
    }
}
