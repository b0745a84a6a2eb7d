//! Checks that all figures share.

use super::FigureError;

/// All values are finite.
pub(crate) fn finite(what: &'static str, name: &str, values: &[f64]) -> Result<(), FigureError> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(not_finite(what, name, index, values[index])),
    }
}

/// Values may be infinite, but are numbers.
pub(crate) fn not_nan(
    what: &'static str,
    name: &str,
    values: impl IntoIterator<Item = f64>,
) -> Result<(), FigureError> {
    match values
        .into_iter()
        .enumerate()
        .find(|(_, value)| value.is_nan())
    {
        None => Ok(()),
        Some((index, value)) => Err(not_finite(what, name, index, value)),
    }
}

fn not_finite(what: &'static str, name: &str, index: usize, value: f64) -> FigureError {
    FigureError::NotFinite {
        what,
        name: name.to_owned(),
        index,
        value,
    }
}

/// A probability.
pub(crate) fn probability(what: &'static str, name: &str, value: f64) -> Result<(), FigureError> {
    // The sum of many probabilities may exceed 1 by its rounding.
    if (0.0..=1.0 + 1e-9).contains(&value) {
        return Ok(());
    }
    Err(FigureError::OutOfRange {
        what,
        name: name.to_owned(),
        value,
        range: "[0, 1]",
    })
}

/// Values do not decrease.
pub(crate) fn increasing(
    what: &'static str,
    name: &str,
    values: impl IntoIterator<Item = f64>,
) -> Result<(), FigureError> {
    let mut last = f64::NEG_INFINITY;
    for (index, value) in values.into_iter().enumerate() {
        if value < last {
            return Err(FigureError::Order {
                what,
                name: name.to_owned(),
                index,
            });
        }
        last = value;
    }
    Ok(())
}

/// There is something.
pub(crate) fn some<T>(
    figure: &'static str,
    what: &'static str,
    items: &[T],
) -> Result<(), FigureError> {
    if items.is_empty() {
        return Err(FigureError::Empty { figure, what });
    }
    Ok(())
}
