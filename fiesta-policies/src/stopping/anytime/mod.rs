//! Stopping with a guaranteed rate of errors.

mod martingale;
mod paired;
mod student;
mod tables;
mod unpaired;

use super::ToleranceError;
use fiesta_core::{ArmId, Design, Evaluation, Outcome, Reason, StoppingRule, Verdict, View};
use paired::Paired;
use tables::Table;
use unpaired::Unpaired;

/// The share of δ that is set aside for studies in which arms retire.
const RESERVE: f64 = 0.02;

/// Stops when an anytime-valid test has rejected, for one arm, that any other arm is as good.
#[derive(Debug, Clone)]
pub struct AnytimeValid {
    level: f64,
    tolerance: f64,
    on_failure: Option<f64>,
    tables: Vec<Table>,
    evidence: Evidence,
    /// The evidence that is required once so many arms have retired.
    required: Vec<f64>,
}

#[derive(Debug, Clone)]
enum Evidence {
    Paired(Paired),
    Unpaired(Unpaired),
}

impl Evidence {
    fn strongest(&self, leader: ArmId, arm: ArmId) -> f64 {
        match self {
            Self::Paired(pairs) => pairs.strongest(leader.index(), arm.index()),
            Self::Unpaired(pairs) => pairs.strongest(leader.index(), arm.index()),
        }
    }

    fn latest(&self, leader: ArmId, arm: ArmId) -> f64 {
        match self {
            Self::Paired(pairs) => pairs.latest(leader.index(), arm.index()),
            Self::Unpaired(pairs) => pairs.latest(leader.index(), arm.index()),
        }
    }
}

impl AnytimeValid {
    /// The rule for a study of `arms` arms with this design, which errs in at most the share δ = 1 − `level` of studies.
    ///
    /// # Errors
    /// [`ToleranceError`] unless ½ < level < 1.
    pub fn new(level: f64, arms: usize, design: Design) -> Result<Self, ToleranceError> {
        Self::within(level, 0.0, arms, design)
    }

    /// As [`new`](Self::new), but an arm that is worse than the best by at most `tolerance` = ε ≥ 0 is no error. Equal arms
    /// then do not run for ever.
    ///
    /// # Errors
    /// [`ToleranceError`] unless ½ < level < 1 and 0 ≤ ε < ∞.
    pub fn within(
        level: f64,
        tolerance: f64,
        arms: usize,
        design: Design,
    ) -> Result<Self, ToleranceError> {
        let level = super::posterior::checked(level)?;
        let tolerance = super::tolerance::checked(tolerance)?;
        let alone = required(1.0 - level, tolerance, arms);
        let (evidence, required) = match design {
            Design::Shared => (Evidence::Paired(Paired::new(arms, tolerance)), alone),
            Design::Independent | Design::Fixed => {
                let of_two: Vec<f64> = alone.into_iter().map(of_two_suprema).collect();
                let pairs = Unpaired::new(arms, tolerance, of_two.clone());
                (Evidence::Unpaired(pairs), of_two)
            }
        };
        Ok(Self {
            level,
            tolerance,
            on_failure: None,
            tables: vec![Table::default(); arms],
            evidence,
            required,
        })
    }

    /// Failed evaluations count as this score.
    pub fn on_failure(mut self, score: Option<f64>) -> Self {
        self.on_failure = score.filter(|score| score.is_finite());
        self
    }

    /// The level 1 − δ.
    pub fn level(&self) -> f64 {
        self.level
    }
}

/// ln of 1/α for each test, by the number of arms that have retired.
fn required(delta: f64, tolerance: f64, arms: usize) -> Vec<f64> {
    let arms = arms as f64;
    // Without a tolerance, naming one of several equal arms is an error too, which makes one more.
    let tied = f64::from(u8::from(tolerance == 0.0));
    let mut required = Vec::new();
    let mut share = 1.0 - RESERVE;
    if arms <= 2.0 {
        share = 1.0;
    }
    let mut retired = 0.0;
    while retired <= (arms - 2.0).max(0.0) {
        let wrong = (retired + 1.0) * (arms - 1.0) + tied * (retired + 1.0) * (retired + 2.0) / 2.0;
        required.push((wrong / (delta * share)).ln());
        share = if retired == 0.0 {
            RESERVE / 2.0
        } else {
            share / 2.0
        };
        retired += 1.0;
    }
    required
}

/// The y with (1 + y)·e^(−y) = e^(−`alone`): what the sum of two independent suprema exceeds with the probability with which one
/// exceeds `alone`.
fn of_two_suprema(alone: f64) -> f64 {
    let mut both = alone;
    for _ in 0..100 {
        both = alone + both.ln_1p();
    }
    both
}

impl StoppingRule for AnytimeValid {
    fn ended(&mut self, evaluation: &Evaluation, turn: u64, outcome: &Outcome) {
        let score = match outcome {
            Outcome::Observed(score) => Some(*score),
            _ => self.on_failure,
        };
        let arm = evaluation.arm.index();
        if let Some(score) = score
            && let Some(table) = self.tables.get_mut(arm)
            && table.enter(turn, score) > 0
        {
            match &mut self.evidence {
                Evidence::Paired(pairs) => pairs.extend(arm, &self.tables),
                Evidence::Unpaired(pairs) => pairs.extend(arm, &self.tables),
            }
        }
    }

    /// ∞ once it sufficed, else what it is now.
    fn evidence(&self, leader: ArmId, arm: ArmId) -> Option<f64> {
        let strongest = self.evidence.strongest(leader, arm);
        Some(if strongest >= self.required[0] {
            f64::INFINITY
        } else {
            self.evidence.latest(leader, arm)
        })
    }

    fn check(&self, view: &View<'_>) -> Verdict {
        let candidates = view.candidates();
        let retired = ArmId::all(view.arms())
            .filter(|arm| view.observed(*arm) > 0 && !candidates.contains(arm))
            .count();
        let Some(&required) = self.required.get(retired) else {
            return Verdict::Continue;
        };
        let wins = |&&leader: &&ArmId| {
            let mut others = candidates.iter().filter(|&&arm| arm != leader);
            others.all(|&arm| self.evidence.strongest(leader, arm) >= required)
        };
        match candidates.iter().find(wins) {
            Some(&leader) if candidates.len() > 1 => {
                let Self {
                    level, tolerance, ..
                } = *self;
                Verdict::Stop(leader, Reason::AnytimeValid { level, tolerance })
            }
            _ => Verdict::Continue,
        }
    }
}
