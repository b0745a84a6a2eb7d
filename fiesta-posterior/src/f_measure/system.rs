//! Posterior of one system: its documents, and draws.

use super::{
    WeightedDraws,
    concentration::{self, Node, ln_alpha},
    importance::Proposal,
    likelihood::Likelihood,
    prior::Prior,
};
use crate::numeric::relative;
use fiesta_core::Counts;
use rand::Rng;
use std::collections::BTreeMap;

/// Most draws that are made, in multiples of the effective draws that are wanted.
const MOST: usize = 20;
/// Probability of a value of α below which it gets no draws.
const NEGLIGIBLE: f64 = 1e-4;

/// System with its documents, and what is known of its concentration.
#[derive(Debug, Clone)]
pub(super) struct System {
    likelihood: Likelihood,
    pub(super) documents: u64,
    prior: Prior,
    /// Values of ln p(data | α) that were computed since the last document, by node.
    evidence: BTreeMap<Node, f64>,
}

impl System {
    pub(super) fn new(prior: Prior) -> Self {
        Self {
            likelihood: Likelihood::new(),
            documents: 0,
            prior,
            evidence: BTreeMap::new(),
        }
    }

    pub(super) fn add(&mut self, counts: &Counts) {
        self.documents += 1;
        if counts.total() > 0 {
            self.likelihood.add(counts);
            self.evidence.clear();
        }
    }

    pub(super) fn sums(&self) -> &Counts {
        self.likelihood.sums()
    }

    fn proposal(&self, ln_alpha: f64) -> Proposal<'_> {
        Proposal::fit(&self.likelihood, &self.prior, ln_alpha)
    }

    /// Returns ln p(data | α), up to the multinomial coefficients; remembered until the next
    /// document.
    pub(super) fn ln_evidence(&mut self, node: Node) -> f64 {
        if let Some(&known) = self.evidence.get(&node) {
            return known;
        }
        let evidence = self.proposal(ln_alpha(node)).ln_evidence();
        self.evidence.insert(node, evidence);
        evidence
    }

    /// Returns the posterior of the system's own concentration, on a lattice.
    pub(super) fn concentration(&mut self) -> Vec<(Node, f64)> {
        concentration::posterior(|node| self.ln_evidence(node))
    }

    /// Draws (θ, α) that are worth at least `effective` independent draws. α is distributed as
    /// `nodes` say: ln α and its probability.
    ///
    /// The draws of each α make up its own probability by their weights, in which
    /// [`Proposal::ln_evidence`] is only approximate. Should the fit be bad, there are fewer
    /// effective draws, and [`WeightedDraws::effective`] tells.
    pub(super) fn draws(
        &self,
        nodes: &[(f64, f64)],
        effective: usize,
        rng: &mut impl Rng,
    ) -> WeightedDraws {
        let proposals: Vec<(f64, f64, Proposal<'_>)> = nodes
            .iter()
            .filter(|(_, p)| *p > NEGLIGIBLE)
            .map(|&(ln_alpha, p)| (ln_alpha, p, self.proposal(ln_alpha)))
            .collect();
        let mut draws = WeightedDraws::default();
        let mut ln_weights = Vec::new();
        let mut wanted = effective;
        loop {
            for (ln_alpha, p, proposal) in &proposals {
                let count = fiesta_core::whole((p * wanted as f64).ceil());
                // The weights of a node's draws add up to p · p(data | α) / its approximation, in
                // every portion.
                let shift = proposal.ln_evidence() - (p * wanted as f64 / count as f64).ln();
                for _ in 0..count {
                    let (theta, ln_weight) = proposal.draw(rng);
                    draws.theta.push(theta);
                    draws.ln_alpha.push(*ln_alpha);
                    ln_weights.push(ln_weight - shift);
                }
            }
            draws.weights = normalised(&ln_weights);
            let (reached, made) = (draws.effective(), draws.len());
            if reached >= effective as f64 || made >= MOST * effective {
                return draws;
            }
            let missing = fiesta_core::whole((effective as f64 / reached - 1.0) * made as f64);
            wanted = missing.clamp(made / 64 + 16, MOST * effective);
        }
    }
}

/// Returns the weights that are given as logarithms, made to add up to 1.
fn normalised(ln_weights: &[f64]) -> Vec<f64> {
    let mut weights = relative(ln_weights);
    let total: f64 = weights.iter().sum();
    for weight in &mut weights {
        *weight /= total;
    }
    weights
}
