//! Errors of figures, and the checks of data that raise them.

/// The reason why a figure cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FigureError {
    /// There is nothing to draw.
    #[error("{figure}: nothing to draw; add at least one {what}")]
    Empty {
        /// Which figure.
        figure: &'static str,
        /// What is missing.
        what: &'static str,
    },
    /// A value that is not a finite number.
    #[error(
        "{what} of {name:?}: value {index} (from 0) is {value}; remove it or say what it counts as"
    )]
    NotFinite {
        /// What the value is.
        what: &'static str,
        /// Whose it is.
        name: String,
        /// Its place, from 0.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A value that cannot be what it stands for, such as a probability of 1.2.
    #[error("{what} of {name:?}: {value} is not in {range}")]
    OutOfRange {
        /// What the value is.
        what: &'static str,
        /// Whose it is.
        name: String,
        /// The value.
        value: f64,
        /// Where it must lie.
        range: &'static str,
    },
    /// Values that must increase and do not.
    #[error("{what} of {name:?}: value {index} (from 0) is smaller than the one before; sort them")]
    Order {
        /// What the values are.
        what: &'static str,
        /// Whose they are.
        name: String,
        /// The place of the offender, from 0.
        index: usize,
    },
    /// Two lists that must be equally long.
    #[error("{what}: {found} where there must be {expected}")]
    Length {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there must be.
        expected: usize,
    },
    /// Average ranks that no complete blocks can have given.
    #[error(
        "the average ranks of {arms} arms sum to {sum}, but in complete blocks to {expected}; rank all arms in every block"
    )]
    Ranks {
        /// How many arms.
        arms: usize,
        /// What their average ranks sum to.
        sum: f64,
        /// k(k + 1)/2.
        expected: f64,
    },
    /// Values further apart than a float can say.
    #[error("{axis}: from {low:e} to {high:e} is too far for one axis")]
    Span {
        /// The axis.
        axis: String,
        /// Where it would begin.
        low: f64,
        /// Where it would end.
        high: f64,
    },
    /// A width that nothing can be laid out in.
    #[error("a width of {width} px: choose one from 240 to 4000")]
    Width {
        /// What was asked for.
        width: u32,
    },
    /// No font was found to turn text into shapes.
    #[error(
        "no fonts are installed, which PNG and PDF need for their text; install some, for instance \
         `apt-get install fonts-liberation`, or use the SVG"
    )]
    NoFonts,
    /// The picture could not be made of the SVG.
    #[error("rendering {format} failed: {reason}")]
    Render {
        /// PNG or PDF.
        format: &'static str,
        /// What the renderer said.
        reason: String,
    },
}

/// What a check says.
type Checked = Result<(), FigureError>;

/// A value that is not in the range.
pub(crate) fn out_of_range(
    what: &'static str,
    name: &str,
    value: f64,
    range: &'static str,
) -> FigureError {
    FigureError::OutOfRange {
        what,
        name: name.to_owned(),
        value,
        range,
    }
}

/// Refuses the first value that is not as it has to be.
fn all(what: &'static str, name: &str, values: &[f64], is_good: impl Fn(f64) -> bool) -> Checked {
    let bad = values.iter().position(|&value| !is_good(value));
    bad.map_or(Ok(()), |index| {
        Err(FigureError::NotFinite {
            what,
            name: name.to_owned(),
            index,
            value: values[index],
        })
    })
}

/// All values are finite.
pub(crate) fn finite(what: &'static str, name: &str, values: &[f64]) -> Checked {
    all(what, name, values, f64::is_finite)
}

/// Values may be infinite, but are numbers that do not decrease.
pub(crate) fn ascending(what: [&'static str; 2], name: &str, values: &[f64]) -> Checked {
    all(what[0], name, values, |value| !value.is_nan())?;
    match values.windows(2).position(|two| two[1] < two[0]) {
        None => Ok(()),
        Some(before) => Err(FigureError::Order {
            what: what[1],
            name: name.to_owned(),
            index: before + 1,
        }),
    }
}

/// A probability.
pub(crate) fn probability(what: &'static str, name: &str, value: f64) -> Checked {
    // The sum of many probabilities may exceed 1 by its rounding.
    if (0.0..=1.0 + 1e-9).contains(&value) {
        Ok(())
    } else {
        Err(out_of_range(what, name, value, "[0, 1]"))
    }
}

/// There is something.
pub(crate) fn some<T>(figure: &'static str, what: &'static str, items: &[T]) -> Checked {
    if items.is_empty() {
        return Err(FigureError::Empty { figure, what });
    }
    Ok(())
}

/// As many as there must be.
pub(crate) fn length(what: &'static str, found: usize, expected: usize) -> Checked {
    if found == expected {
        return Ok(());
    }
    Err(FigureError::Length {
        what,
        found,
        expected,
    })
}
