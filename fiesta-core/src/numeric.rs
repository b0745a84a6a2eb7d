//! Small numerical methods that several crates need.

/// Halves an interval 60 times and returns its two ends.
///
/// The half that is kept is the one at whose ends the condition differs, if it holds at `from` and
/// not at `to`.
///
/// # Example
/// ```
/// let (low, high) = fiesta_core::bisect(0.0, 2.0, |x| x * x < 2.0);
/// assert!(low <= high && (low - 2.0_f64.sqrt()).abs() < 1e-15);
/// ```
pub fn bisect(mut from: f64, mut to: f64, holds: impl Fn(f64) -> bool) -> (f64, f64) {
    for _ in 0..60 {
        let middle = f64::midpoint(from, to);
        if holds(middle) {
            from = middle;
        } else {
            to = middle;
        }
    }
    (from, to)
}

/// Returns the shortest decimal that reads back as a number, in scientific notation from 10¹⁶ on and
/// below 10⁻⁵.
///
/// # Example
/// ```
/// use fiesta_core::in_digits;
/// assert_eq!(in_digits(0.71), "0.71");
/// assert_eq!(in_digits(-1e300), "-1e300");
/// assert_eq!(in_digits(2.5e-9), "2.5e-9");
/// ```
pub fn in_digits(number: f64) -> String {
    let is_plain = number == 0.0 || (1e-5..1e16).contains(&number.abs());
    if is_plain || !number.is_finite() {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}

/// Returns the greatest of some numbers, −∞ if there are none.
pub fn greatest(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the place of the greatest of some numbers, the first of equals; 0 if there are none.
pub fn highest(numbers: impl IntoIterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (place, number) in numbers.into_iter().enumerate() {
        if number > best.1 {
            best = (place, number);
        }
    }
    best.0
}

/// Returns a number without its fraction: 0 for one below 1 or NaN, and the largest for one that is
/// larger.
#[inline]
pub fn whole(number: f64) -> usize {
    usize::try_from(whole_u64(number)).unwrap_or(usize::MAX)
}

/// Returns what [`whole`] returns, as a `u64`.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "both are wanted"
)]
pub const fn whole_u64(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equals() {
        assert_eq!(highest([-0.3, -0.1, -0.2, -0.1]), 1);
        assert_eq!(highest([f64::NEG_INFINITY; 2]), 0);
        assert_eq!(highest([]), 0);
    }

    #[test]
    fn a_number_without_its_fraction() {
        let numbers = [2.999, 1e9, 0.999, -3.5, f64::NAN, f64::INFINITY];
        assert_eq!(numbers.map(whole), [2, 1_000_000_000, 0, 0, 0, usize::MAX]);
    }
}
