//! The published figures of the paper, read from `published/fiesta.toml`.

use serde::{Deserialize, Serialize};

/// Published figures of the FIESTA paper.
#[derive(Deserialize)]
pub(super) struct Published {
    pub(super) paper: String,
    pub(super) example: Example,
    pub(super) synthetic: Synthetic,
    pub(super) method: Vec<Method>,
    pub(super) share: Vec<Share>,
    pub(super) model: Vec<Model>,
}

#[derive(Deserialize)]
pub(super) struct Example {
    pub(super) budget: u64,
    pub(super) models: Vec<String>,
    pub(super) rounds: Vec<Round>,
    pub(super) output: String,
}

/// A round of sequential halving: its candidates and the evaluations of each.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Round {
    pub(super) candidates: Vec<String>,
    pub(super) evaluations_each: u64,
}

#[derive(Deserialize)]
pub(super) struct Synthetic {
    pub(super) means: Vec<f64>,
    pub(super) sd: f64,
    pub(super) confidence: f64,
    pub(super) evaluations: f64,
}

#[derive(Deserialize)]
pub(super) struct Method {
    pub(super) table: String,
    pub(super) name: String,
    pub(super) policy: String,
    pub(super) batch: u32,
    pub(super) rows: Vec<AtConfidence>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct AtConfidence {
    pub(super) confidence: f64,
    pub(super) published: Evaluations,
    /// The mean number of evaluations in 2,000 independent runs with the same posterior.
    pub(super) independent: f64,
}

/// Published numbers of evaluations over runs, and the share of runs that name the best model.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Evaluations {
    pub(super) min: u64,
    pub(super) mean: f64,
    pub(super) max: u64,
    pub(super) correct: f64,
}

#[derive(Deserialize)]
pub(super) struct Share {
    pub(super) policy: String,
    pub(super) budget: u64,
    pub(super) published: f64,
    pub(super) independent: f64,
}

#[derive(Deserialize)]
pub(super) struct Model {
    pub(super) name: String,
    pub(super) mean: f64,
    pub(super) sd: f64,
}
