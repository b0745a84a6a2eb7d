//! Seconds and costs in few digits.

/// A number of seconds, or a cost, to a tenth; below one to a thousandth, where a tenth would often
/// be 0.0.
///
/// ```
/// use fiesta_report::amount;
/// assert_eq!([0.004, 0.36, 1.04, 73.0].map(amount), ["0.004", "0.360", "1.0", "73.0"]);
/// ```
pub fn amount(amount: f64) -> String {
    if amount < 1.0 {
        format!("{amount:.3}")
    } else {
        format!("{amount:.1}")
    }
}
