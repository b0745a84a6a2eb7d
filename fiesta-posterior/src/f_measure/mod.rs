//! Hierarchical F-measure: the system with the highest F, from confusion counts of documents.
//!
//! Every document has probabilities of its own, which vary around those of its system (Haffari,
//! Tran & Carman, EACL 2017):
//!
//! θ_k ~ Dirichlet(α₀θ₀), μ_d ~ Dirichlet(αθ_k), (TP, FP, TN, FN)_d ~ Multinomial(N_d, μ_d),
//!
//! and systems are compared by F_b = (1 + b²)θ_TP/((1 + b²)θ_TP + b²θ_FN + θ_FP), or any other
//! function of θ. The concentration α says how much documents differ, and with it how much a
//! document tells. The paper fixes α = 1; here it is learned unless it is given, since a wrong one
//! makes beliefs too sure or never sure.
//!
//! [`FMeasureArms`] is the posterior of all systems; every policy and stopping rule works on it. Its
//! draws are tested against those of a Gibbs sampler, which the model suggests and which is slower
//! by far.
//!
//! Documents are shared between systems, which makes their counts correlated. The model ignores it:
//! a difference of two systems is then known better than it says, as a rule.
//! [`Paired`](crate::Paired) on the F of each document does not, but is about another quantity, the
//! mean of the documents' F.

mod arms;
mod best;
mod concentration;
mod dirichlet;
mod draws;
mod gibbs;
mod importance;
mod likelihood;
mod measure;
mod prior;
mod rising;
mod system;
mod unseen_items;

pub use arms::FMeasureArms;
pub use draws::{PosteriorSummary, WeightedDraws};
pub use gibbs::Gibbs;
pub use measure::{Function, Measure};
pub use prior::{Concentration, FMeasureError, Prior};

/// The name of this posterior in study files and on the command line.
pub const NAME: &str = "f-measure";

#[cfg(test)]
mod tests;
