//! Sums over the splits of the same arms, and the pseudo-splits that they make.

use super::{Member, Split};
use std::{collections::BTreeMap, sync::OnceLock};

/// The splits on which the same arms were evaluated.
#[derive(Debug, Clone, Default)]
pub(in crate::paired) struct Group {
    /// Number of splits in the group.
    pub(in crate::paired) splits: u64,
    /// Σ y of each member over the splits.
    pub(super) sums: Vec<f64>,
    /// Σ y yᵀ over the splits, row by row, up to the diagonal.
    pub(super) products: Vec<f64>,
    /// Moments that a fit needs of the splits; computed when it first does.
    pub(super) moments: OnceLock<Moments>,
}

/// Moments of the splits of a group that a fit needs.
#[derive(Debug, Clone, Default)]
pub(in crate::paired) struct Moments {
    /// The mean score of each member.
    pub(in crate::paired) means: Vec<f64>,
    /// Each member's sum of squared deviations from its mean.
    pub(in crate::paired) squares: Vec<f64>,
    /// Number of pseudo-splits of the group.
    pub(in crate::paired) rank: usize,
    /// Scores of each member on the pseudo-splits.
    pub(in crate::paired) pseudo: Vec<f64>,
}

/// Share of an arm's sum of squares below which a pivot is rounding.
const RELATIVE_PIVOT: f64 = 1e-11;

/// Takes a split out of the group of its members, and removes the group with its last split.
pub(super) fn take_out(groups: &mut BTreeMap<Vec<Member>, Group>, split: &Split) {
    if let Some(group) = groups.get_mut(&split.members) {
        if group.splits == 1 {
            groups.remove(&split.members);
        } else {
            group.add(&split.means, -1.0);
            group.splits -= 1;
        }
    }
}

/// Adds a split to the group of its members.
pub(super) fn put_in(groups: &mut BTreeMap<Vec<Member>, Group>, split: &Split) {
    if let Some(group) = groups.get_mut(&split.members) {
        group.add(&split.means, 1.0);
        group.splits += 1;
        return;
    }
    let group = groups.entry(split.members.clone()).or_default();
    let size = split.members.len();
    group.sums.resize(size, 0.0);
    group.products.resize(size * size, 0.0);
    group.add(&split.means, 1.0);
    group.splits += 1;
}

impl Group {
    fn add(&mut self, scores: &[f64], sign: f64) {
        let size = scores.len();
        for (i, a) in scores.iter().enumerate() {
            self.sums[i] += sign * a;
            for (j, b) in scores[..=i].iter().enumerate() {
                self.products[i * size + j] += sign * a * b;
            }
        }
        self.moments = OnceLock::new();
    }

    /// Returns means, squares and pseudo-splits from the sums. The matrix may be singular:
    /// Cholesky's algorithm then leaves out the columns without a pivot.
    pub(in crate::paired) fn moments(&self) -> &Moments {
        self.moments.get_or_init(|| {
            let size = self.sums.len();
            let n = self.splits as f64;
            let means: Vec<f64> = self.sums.iter().map(|sum| sum / n).collect();
            let mut moments = Moments {
                squares: vec![0.0; size],
                ..Moments::default()
            };
            if self.splits > 1 {
                let mut rest = self.products.clone();
                for i in 0..size {
                    for j in 0..=i {
                        rest[i * size + j] -= n * means[i] * means[j];
                    }
                }
                moments.factor(&mut rest, |k| self.products[k * size + k]);
            }
            Moments { means, ..moments }
        })
    }
}

impl Moments {
    /// Returns the scores of a member on the pseudo-splits, less those that are 0 because L is
    /// triangular.
    pub(in crate::paired) fn scores(&self, member: usize) -> &[f64] {
        &self.pseudo[member * self.rank..][..self.rank.min(member + 1)]
    }

    /// Computes the pseudo-splits of cross-products, and their squares; a pivot far below the arm's
    /// `total` is rounding.
    fn factor(&mut self, rest: &mut [f64], total: impl Fn(usize) -> f64) {
        let size = self.squares.len();
        let mut columns: Vec<f64> = Vec::with_capacity(size * size);
        for k in 0..size {
            let pivot = rest[k * size + k];
            if pivot <= RELATIVE_PIVOT * total(k) {
                continue;
            }
            let start = columns.len();
            columns.resize(start + size, 0.0);
            let column = &mut columns[start..];
            for i in k..size {
                column[i] = rest[i * size + k] / pivot.sqrt();
                self.squares[i] += column[i] * column[i];
            }
            for i in k + 1..size {
                let of_row = column[i];
                let row = &mut rest[i * size..];
                for (entry, other) in row[k + 1..=i].iter_mut().zip(&column[k + 1..=i]) {
                    *entry -= of_row * other;
                }
            }
        }
        self.rank = columns.len() / size;
        let members = 0..size;
        self.pseudo = members
            .flat_map(|i| columns.iter().skip(i).step_by(size))
            .copied()
            .collect();
    }
}
