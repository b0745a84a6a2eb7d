//! Posterior of the concentration α on a lattice in ln α.

use super::prior::{LN_ALPHA, ln_density};
use fiesta_core::greatest;

/// Number of halvings of the lattice at first: its steps are then two octaves.
const COARSE: u32 = 0;
/// Greatest number of times that the lattice is halved.
const FINEST: u32 = 7;
/// Steps of the finest lattice between the ends of the prior.
const STEPS: u32 = 8 << FINEST;
/// Distance below the highest density, in nats, from which on a node of the lattice counts for nothing.
const NEGLIGIBLE: f64 = 9.0;
/// Least number of nodes of a lattice: with these the trapezoidal rule is exact to nine digits on
/// anything like a normal density.
const ENOUGH: usize = 8;

/// A point of the lattice, in steps of the finest from the prior's lower end.
pub(super) type Node = u32;

pub(super) fn ln_alpha(node: Node) -> f64 {
    let (from, to) = LN_ALPHA;
    (to - from).mul_add(f64::from(node) / f64::from(STEPS), from)
}

/// Returns the nodes that matter and their posterior probabilities, given ln p(data | α) up to a
/// constant.
///
/// By the trapezoidal rule in ln α: on as fine a lattice as it takes for eight nodes to matter.
pub(super) fn posterior(mut ln_evidence: impl FnMut(Node) -> f64) -> Vec<(Node, f64)> {
    let mut level = COARSE;
    let mut range = (0, STEPS);
    loop {
        let step = 1 << (FINEST - level);
        let mut densities: Vec<(Node, f64)> = (range.0..=range.1)
            .step_by(step as usize)
            .map(|node| {
                let density = ln_density(ln_alpha(node)) + ln_evidence(node);
                // The ends of the prior have half a cell each.
                let end = node == 0 || node == STEPS;
                (
                    node,
                    if end {
                        density - std::f64::consts::LN_2
                    } else {
                        density
                    },
                )
            })
            .collect();
        let highest = greatest(densities.iter().map(|&(_, density)| density));
        densities.retain(|&(_, density)| density > highest - NEGLIGIBLE);
        if densities.len() >= ENOUGH || level == FINEST {
            let total: f64 = densities
                .iter()
                .map(|(_, density)| (density - highest).exp())
                .sum();
            return densities
                .into_iter()
                .map(|(node, density)| (node, (density - highest).exp() / total))
                .collect();
        }
        let (first, last) = (densities[0].0, densities[densities.len() - 1].0);
        range = (first.saturating_sub(step), (last + step).min(STEPS));
        level += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_narrow_and_wide_posteriors() {
        for (centre, sd) in [(0.3, 0.05), (1.0, 0.02), (3.0, 2.0), (2.0, 0.4)] {
            let nodes = posterior(|node| {
                -ln_density(ln_alpha(node)) - 0.5 * ((ln_alpha(node) - centre) / sd).powi(2)
            });
            let mean: f64 = nodes.iter().map(|&(node, p)| p * ln_alpha(node)).sum();
            let variance: f64 = nodes
                .iter()
                .map(|&(node, p)| p * (ln_alpha(node) - mean).powi(2))
                .sum();
            if sd < 0.5 {
                assert!((mean - centre).abs() < 1e-3 * sd, "{centre} {sd}: {mean}");
                assert!(
                    (variance.sqrt() / sd - 1.0).abs() < 2e-3,
                    "{centre} {sd}: {variance}"
                );
            }
            assert!(nodes.len() < 40);
        }
    }

    #[test]
    fn without_evidence_it_is_the_prior() {
        let nodes = posterior(|_| 0.0);
        let expected: f64 = nodes
            .iter()
            .map(|&(node, p)| p / (1.0 + ln_alpha(node).exp()))
            .sum();
        // ρ is uniform between the ends, which the coarse lattice knows to a percent.
        let ends = [LN_ALPHA.0, LN_ALPHA.1].map(|ln_alpha| 1.0 / (1.0 + ln_alpha.exp()));
        let middle = f64::midpoint(ends[0], ends[1]);
        assert!((expected - middle).abs() < 0.005, "{expected} {middle}");
    }
}
