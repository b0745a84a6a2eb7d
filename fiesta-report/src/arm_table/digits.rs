//! How many digits a number deserves.

/// Decimals that show two significant digits of the median of these standard errors; four where
/// none is known. At most eight.
///
/// ```
/// use fiesta_report::decimals;
/// assert_eq!(decimals([0.0021, 0.0017, 0.03]), 4);
/// assert_eq!(decimals([12.0]), 0);
/// assert_eq!(decimals([]), 4);
/// ```
pub fn decimals(standard_errors: impl IntoIterator<Item = f64>) -> usize {
    let errors = standard_errors.into_iter();
    let mut errors: Vec<f64> = errors
        .filter(|error| *error > 0.0 && error.is_finite())
        .collect();
    if errors.is_empty() {
        return 4;
    }
    errors.sort_by(f64::total_cmp);
    let median = errors[(errors.len() - 1) / 2];
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 8"
    )]
    let decimals = (1.0 - median.log10().floor()).clamp(0.0, 8.0) as usize;
    decimals
}
