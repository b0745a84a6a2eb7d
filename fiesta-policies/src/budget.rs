//! Error about a budget that does not suffice for a schedule.

/// The budget is too small for a schedule that divides it among the arms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a budget of {budget} evaluations is too small for {schedule} of {arms} arms: it needs at least {least}"
)]
pub struct BudgetTooSmall {
    pub(crate) schedule: &'static str,
    pub(crate) budget: u64,
    pub(crate) arms: usize,
    pub(crate) least: u64,
}

impl BudgetTooSmall {
    /// Checks that the budget of a schedule is at least `least` evaluations.
    pub(crate) fn check(
        schedule: &'static str,
        arms: usize,
        budget: u64,
        least: u64,
    ) -> Result<(), Self> {
        if budget >= least {
            return Ok(());
        }
        Err(Self {
            schedule,
            budget,
            arms,
            least,
        })
    }
}
