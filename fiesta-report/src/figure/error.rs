//! Errors of figures, and the checks of data that raise them.

/// The reason why a figure cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// Data or a width that no figure can have: what, whose, and what to do.
    #[error("{0}")]
    Refused(String),
    /// There is no font to turn text into shapes.
    #[error(
        "no fonts are installed, which PNG and PDF need for their text; install some, for instance \
         `apt-get install fonts-liberation`, or use the SVG"
    )]
    NoFonts,
    /// The picture could not be made of the SVG.
    #[error("rendering {format} failed: {reason}")]
    Render {
        /// The format, PNG or PDF.
        format: &'static str,
        /// The message of the renderer.
        reason: String,
    },
}

/// Result of a check.
type Checked = Result<(), FigureError>;

/// Returns the error of a value that is not in the range.
pub(crate) fn out_of_range(what: &str, name: &str, value: f64, range: &str) -> FigureError {
    FigureError::Refused(format!("{what} of {name:?}: {value} is not in {range}"))
}

/// Refuses values of which one fails `is_good`, and names the first of them.
fn all(what: &str, name: &str, values: &[f64], is_good: impl Fn(f64) -> bool) -> Checked {
    match values.iter().position(|&value| !is_good(value)) {
        None => Ok(()),
        Some(index) => Err(FigureError::Refused(format!(
            "{what} of {name:?}: value {index} (from 0) is {}; remove it or say what it counts as",
            values[index]
        ))),
    }
}

/// Checks that all values are finite.
pub(crate) fn finite(what: &str, name: &str, values: &[f64]) -> Checked {
    all(what, name, values, f64::is_finite)
}

/// Checks that values are numbers that do not decrease; they may be infinite.
pub(crate) fn ascending(what: [&str; 2], name: &str, values: &[f64]) -> Checked {
    all(what[0], name, values, |value| !value.is_nan())?;
    match values.windows(2).position(|two| two[1] < two[0]) {
        None => Ok(()),
        Some(before) => Err(FigureError::Refused(format!(
            "{} of {name:?}: value {} (from 0) is smaller than the one before; sort them",
            what[1],
            before + 1
        ))),
    }
}

/// Checks that a value is a probability.
pub(crate) fn probability(what: &str, name: &str, value: f64) -> Checked {
    // The sum of many probabilities may exceed 1 by its rounding.
    if (0.0..=1.0 + 1e-9).contains(&value) {
        Ok(())
    } else {
        Err(out_of_range(what, name, value, "[0, 1]"))
    }
}

/// Checks that there is something to draw.
pub(crate) fn some<T>(figure: &str, what: &str, items: &[T]) -> Checked {
    if items.is_empty() {
        return Err(FigureError::Refused(format!(
            "{figure}: nothing to draw; add at least one {what}"
        )));
    }
    Ok(())
}

/// Checks that there are as many numbers as there must be.
pub(crate) fn length(what: &str, found: usize, expected: usize) -> Checked {
    if found == expected {
        return Ok(());
    }
    Err(FigureError::Refused(format!(
        "{what}: {found} where there must be {expected}"
    )))
}
