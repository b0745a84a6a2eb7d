//! Residuals of scores, and whether they leave anything to judge a difference by.

use super::{
    cells::{Cells, Group, Member},
    normal::Equations,
};
use crate::gaussian::NO_SPREAD;
use std::collections::BTreeMap;

/// Share of the scores' squares below which a residual is rounding.
const RELATIVE: f64 = 1e-11;

/// Whether the scores of each arm are all equal, or would be if each split added the same to all
/// arms. Splits are then no explanation if there are as many effects as scores.
pub(super) fn is_nil(cells: &Cells, groups: &BTreeMap<Vec<Member>, Group>) -> bool {
    // Squared deviations from each arm's mean, and the rounding of scores.
    let (mut total, mut rounding) = (0.0, 0.0);
    for (members, group) in groups {
        let moments = group.moments();
        for (i, member) in members.iter().enumerate() {
            let arm = &cells.arms[member.index()];
            let mean = arm.mean() - arm.origin;
            let off = moments.means[i] - mean;
            total += group.splits as f64 * off * off + moments.squares[i];
            let unit = f64::EPSILON * (arm.origin.abs() + mean.abs());
            rounding += group.splits as f64 * unit * unit;
        }
    }
    let single = cells.single_split();
    let between_seeds: f64 = cells.arms.iter().map(|arm| arm.between_seeds).sum();
    let noise = (RELATIVE * total).max(rounding).max(NO_SPREAD);
    if between_seeds > noise && !single {
        return false;
    }
    if total <= noise {
        return true;
    }
    let (residual, freedom) = without_splits(cells, groups);
    freedom > 0.0 && residual <= noise
}

/// Returns the squared residuals of an analysis of variance of arms and splits, one score per cell,
/// and their degrees of freedom.
fn without_splits(cells: &Cells, groups: &BTreeMap<Vec<Member>, Group>) -> (f64, f64) {
    let mut equations = Equations::new(cells.arms.len());
    let (mut squares, mut freedom) = (0.0, 0.0);
    for (members, group) in groups {
        let size = members.len() as f64;
        let splits = group.splits as f64;
        let moments = group.moments();
        let weights = vec![1.0; members.len()];
        equations.add(splits, members, &weights, 1.0 / size);
        equations.add_scores(splits, members, &weights, 1.0 / size, &moments.means);
        let mean = moments.means.iter().sum::<f64>() / size;
        let of_means: f64 = moments.means.iter().map(|y| (y - mean).powi(2)).sum();
        squares += splits * of_means;
        for pseudo in 0..moments.rank {
            let scores = || moments.pseudo.iter().skip(pseudo).step_by(moments.rank);
            let mean = scores().sum::<f64>() / size;
            squares += scores().map(|y| (y - mean).powi(2)).sum::<f64>();
        }
        freedom += splits * (size - 1.0);
    }
    // One arm of each component is fixed at 0: splits tell of differences alone.
    let roots = roots(cells.arms.len(), groups);
    for &root in &roots {
        equations.precision[(root, root)] += 1.0;
    }
    freedom -= (cells.arms.len() - roots.len()) as f64;
    let fitted = Equations::factor(equations.precision).solve(&equations.right);
    ((squares - equations.right.dot(&fitted)).max(0.0), freedom)
}

/// Returns one arm of each set of arms that common splits connect.
fn roots(arms: usize, groups: &BTreeMap<Vec<Member>, Group>) -> Vec<usize> {
    let mut root: Vec<usize> = (0..arms).collect();
    for members in groups.keys() {
        for pair in members.windows(2) {
            let (a, b) = (root[pair[0].index()], root[pair[1].index()]);
            for r in root.iter_mut().filter(|r| **r == b) {
                *r = a;
            }
        }
    }
    (0..arms).filter(|&arm| root[arm] == arm).collect()
}

/// Answers [`is_nil`] for many arms, by passes over the splits that fit means and effects in turns.
pub(super) fn is_nil_by_passes(cells: &Cells) -> bool {
    let mut means: Vec<f64> = cells
        .arms
        .iter()
        .map(|arm| arm.mean() - arm.origin)
        .collect();
    let mut sums = vec![0.0; means.len()];
    let (mut total, mut rounding, mut freedom) = (0.0, 0.0, 0.0);
    cells.each_split(|members, scores| {
        for (member, y) in members.iter().zip(scores) {
            let mean = means[member.index()];
            total += (y - mean) * (y - mean);
            let unit = f64::EPSILON * (cells.arms[member.index()].origin.abs() + mean.abs());
            rounding += unit * unit;
        }
        freedom += members.len() as f64 - 1.0;
    });
    let noise = (RELATIVE * total).max(rounding).max(NO_SPREAD);
    let between_seeds: f64 = cells.arms.iter().map(|arm| arm.between_seeds).sum();
    if between_seeds > noise || total <= noise {
        return between_seeds <= noise;
    }
    if freedom < means.len() as f64 {
        return false;
    }
    let mut last = total;
    loop {
        sums.fill(0.0);
        let mut residual = 0.0;
        cells.each_split(|members, scores| {
            let off = |(member, y): (&Member, &f64)| y - means[member.index()];
            let of_all = || members.iter().zip(scores);
            let effect = of_all().map(off).sum::<f64>() / members.len() as f64;
            for (member, y) in of_all() {
                let rest = y - means[member.index()] - effect;
                residual += rest * rest;
                sums[member.index()] += rest;
            }
        });
        if residual <= noise {
            return true;
        }
        if residual > 0.9 * last {
            return false;
        }
        last = residual;
        for ((mean, sum), arm) in means.iter_mut().zip(&sums).zip(&cells.arms) {
            *mean += sum / arm.splits as f64;
        }
    }
}
