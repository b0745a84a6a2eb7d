//! What a study may spend.

use super::{
    StudyError,
    error::Source,
    file::{Amount, BudgetTable},
    time::some_time,
};
use fiesta_core::Limits;
use toml::Spanned;

/// What the study may spend, and whether that is the default. A study of documents ends with its collection, a random search with its
/// trials, and neither needs a cap.
pub(super) fn limits(
    source: &Source<'_>,
    budget: Option<&Spanned<BudgetTable>>,
    arms: usize,
    ends_by_itself: bool,
) -> Result<(Limits, bool), StudyError> {
    let mut limits = Limits::default();
    if let Some(table) = budget {
        let budget = table.get_ref();
        if budget.evaluations.is_none() && budget.cost.is_none() && budget.wall.is_none() {
            let message = "the budget is empty: give it evaluations, cost or wall, or leave it out";
            return Err(source.wrong(Some(table.span()), message));
        }
        if let Some(evaluations) = &budget.evaluations {
            if *evaluations.get_ref() < arms as u64 {
                let message = format!(
                    "a budget of {} evaluations does not even give each of the {arms} arms one",
                    evaluations.get_ref()
                );
                return Err(source.wrong(Some(evaluations.span()), message));
            }
            limits.evaluations = Some(*evaluations.get_ref());
        }
        limits.wall = budget
            .wall
            .as_ref()
            .map(|wall| some_time(source, wall, "wall"))
            .transpose()?
            .map(|wall| wall.as_secs_f64());
        limits.cost = budget
            .cost
            .as_ref()
            .map(|cost| amount(source, cost))
            .transpose()?;
    }
    let capped_by_default = limits == Limits::default() && !ends_by_itself;
    if capped_by_default {
        limits.evaluations = Some(Limits::CAP_PER_ARM * arms as u64);
    }
    Ok((limits, capped_by_default))
}

fn amount(source: &Source<'_>, amount: &Spanned<Amount>) -> Result<f64, StudyError> {
    let span = Some(amount.span());
    let value = match amount.get_ref() {
        Amount::Number(number) => *number,
        Amount::Duration(text) => humantime::parse_duration(text)
            .map_err(|error| source.wrong(span.clone(), format!("cost = \"{text}\": {error}")))?
            .as_secs_f64(),
    };
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(source.wrong(
            span,
            "a budget of cost must be a number above zero or a duration",
        ))
    }
}
