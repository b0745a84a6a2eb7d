//! Seconds and costs in few digits.

/// A number of seconds to a tenth; below one to a thousandth, where a tenth would often be 0.0.
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

/// A cost as [`amount`] has it; below a tenth, as the price of some tokens, in three digits.
///
/// ```
/// use fiesta_report::cost;
/// assert_eq!([0.0, 0.000_043_21, 0.36, 73.0].map(cost), ["0.000", "0.0000432", "0.360", "73.0"]);
/// ```
pub fn cost(cost: f64) -> String {
    if cost > 0.0 && cost < 0.1 {
        let decimals = decimals_of_costs(cost);
        return format!("{cost:.decimals$}");
    }
    amount(cost)
}

/// Decimals of costs of which this is the highest: one, or as many as give it three digits if it
/// is below one.
pub(crate) fn decimals_of_costs(highest: f64) -> usize {
    if !(highest > 0.0 && highest < 1.0) {
        return 1;
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the exponent of an f64 below one is from 1 to 324"
    )]
    let exponent = -highest.log10().floor() as usize;
    exponent + 2
}

/// What a choice is expected to lose, as [`at_most`] has it; one below a hundredth of the last of
/// the scores' decimals in words, as digits that no score has say nothing.
///
/// # Example
/// ```
/// use fiesta_report::expected_loss;
/// assert_eq!(expected_loss(0.002_131, 4), "0.0022");
/// assert_eq!(expected_loss(1.3e-62, 4), "less than 0.000001");
/// assert_eq!(expected_loss(0.002, 0), "less than 0.01");
/// assert_eq!(expected_loss(0.0, 4), "0");
/// ```
pub fn expected_loss(loss: f64, decimals: usize) -> String {
    let decimals = decimals + 2;
    let least = format!(
        "{:.decimals$}",
        0.1_f64.powi(i32::try_from(decimals).unwrap_or(308))
    );
    match least.parse() {
        Ok(least_loss) if loss > 0.0 && loss < least_loss => format!("less than {least}"),
        _ => at_most(loss),
    }
}

/// A bound in two significant digits, rounded up so that it remains one.
///
/// # Example
/// ```
/// use fiesta_report::at_most;
/// assert_eq!(at_most(0.002_131), "0.0022");
/// assert_eq!(at_most(17.2), "18");
/// ```
pub fn at_most(bound: f64) -> String {
    if bound == 0.0 || !bound.is_finite() {
        return bound.to_string();
    }
    let exponent = bound.abs().log10().floor() - 1.0;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an exponent of f64 is below 400, and at least 0 here"
    )]
    let decimals = (-exponent).max(0.0) as usize;
    // A bound of two digits as it is read must not be rounded up by its last bit.
    let digits = (bound / 10.0_f64.powf(exponent) * (1.0 - 1e-12)).ceil();
    format!("{:.decimals$}", digits * 10.0_f64.powf(exponent))
}
