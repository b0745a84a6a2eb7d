//! Words and numbers in texts, each written in one way wherever it is printed.
//!
//! | question | function |
//! |---|---|
//! | How many are there? | [`count`], [`one_or_more`] |
//! | Which are they? | `listed` |
//! | How long did it take? | [`span`]; [`amount`] in columns of seconds |
//! | What did it cost? | [`cost`] |
//! | How large is it? | `digits`, `signed`, `range` |
//! | How many decimals do scores deserve? | `decimals` |
//! | How sure is it? | `level` for a confidence that was asked for; [`percent`](crate::percent) |
//! | How surprising is it? | `p_value` |

pub(crate) use fiesta_records::words::agree as one_or_more;
pub use fiesta_records::words::count;

/// Lists names in a sentence: the first `most` of them, and how many more there are.
pub(crate) fn listed(names: &[impl AsRef<str>], most: usize) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    let (first, rest) = names.split_at(names.len().min(most));
    match (first, rest.len()) {
        ([first @ .., last], 0) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        (all, 0) => all.concat(),
        (first, more) => format!("{} and {more} more", first.join(", ")),
    }
}

/// Writes the ends of a range, or the one number that both are.
pub(crate) fn range(low: &str, high: &str) -> String {
    if low == high {
        return low.to_owned();
    }
    format!("{low} to {high}")
}

/// Writes a number with three significant digits: with an exponent below 10⁻⁴ and from 10⁶ on.
pub(crate) fn digits(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e6).contains(&size) {
        return format!("{value:.2e}");
    }
    let above = [100.0, 10.0, 1.0, 0.1, 0.01, 0.001];
    let decimals = above.iter().position(|&least| size >= least).unwrap_or(6);
    format!("{value:.decimals$}")
}

/// Writes a p-value after the letter p, with its relation: three [`digits`], or that it is below
/// 10⁻¹².
pub(crate) fn p_value(p: f64) -> String {
    if p < 1e-12 {
        return "< 1e-12".to_owned();
    }
    format!("= {}", digits(p))
}

/// Writes a difference with its sign.
pub(crate) fn signed(difference: f64, decimals: usize) -> String {
    format!("{difference:+.decimals$}").replace('-', "−")
}

/// Writes a confidence that was asked for, without the digits that binary fractions add.
pub(crate) fn level(confidence: f64) -> String {
    format!("{} %", in_percent(confidence))
}

/// Returns a share times 100, to 8 decimals: without the digits that binary fractions add.
pub(crate) fn in_percent(share: f64) -> f64 {
    (share * 1e10).round() / 1e8
}

/// Writes a time in seconds as people say it: in the unit of its size, from ms to days, with a
/// decimal below ten.
///
/// # Example
/// ```
/// use fiesta_report::words::span;
/// let seconds = [0.0042, 3.25, 61.0, 600.0, 9_000.0, 300_000.0];
/// assert_eq!(seconds.map(span), ["4.2 ms", "3.2 s", "61 s", "10 min", "2.5 h", "3.5 days"]);
/// ```
pub fn span(seconds: f64) -> String {
    let (value, unit) = if seconds < 1.0 {
        (seconds * 1e3, "ms")
    } else if seconds < 120.0 {
        (seconds, "s")
    } else if seconds < 7_200.0 {
        (seconds / 60.0, "min")
    } else if seconds < 172_800.0 {
        (seconds / 3_600.0, "h")
    } else {
        (seconds / 86_400.0, "days")
    };
    let decimals = usize::from(value < 10.0);
    format!("{value:.decimals$} {unit}")
}

/// Makes a sentence of words: with a capital and one full stop.
pub(crate) fn sentence(text: &str) -> String {
    format!("{}.", capitalised(text).trim_end_matches('.'))
}

/// Writes the first letter of a text as a capital.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// Writes a number of seconds to a tenth; below one to a thousandth, where a tenth would often be
/// 0.0.
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

/// Writes a cost as [`amount`] has it; below a tenth, as the price of some tokens, in three digits.
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

/// Returns the decimals of costs of which this is the highest: one, or as many as give it three
/// digits if it is below one.
pub(crate) fn decimals_of_costs(highest: f64) -> usize {
    if !(highest > 0.0 && highest < 1.0) {
        return 1;
    }
    fiesta_core::whole(-highest.log10().floor()) + 2
}

/// Writes what a choice is expected to lose, as [`at_most`] does. A loss below a hundredth of the
/// scores' last decimal is told in words, as digits that no score has say nothing.
pub(crate) fn expected_loss(loss: f64, decimals: usize) -> String {
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

/// Writes a bound in two significant digits, rounded up so that it remains one.
pub(crate) fn at_most(bound: f64) -> String {
    if bound == 0.0 || !bound.is_finite() {
        return bound.to_string();
    }
    let exponent = bound.abs().log10().floor() - 1.0;
    let decimals = fiesta_core::whole(-exponent);
    // A bound of two digits as it is read must not be rounded up by its last bit.
    let digits = (bound / 10.0_f64.powf(exponent) * (1.0 - 1e-12)).ceil();
    format!("{:.decimals$}", digits * 10.0_f64.powf(exponent))
}

/// Returns the decimals that show two significant digits of the median of these standard errors;
/// four where none is known. At most eight.
pub(crate) fn decimals(standard_errors: impl IntoIterator<Item = f64>) -> usize {
    let errors = standard_errors.into_iter();
    let mut errors: Vec<f64> = errors
        .filter(|error| *error > 0.0 && error.is_finite())
        .collect();
    if errors.is_empty() {
        return 4;
    }
    errors.sort_by(f64::total_cmp);
    let median = errors[(errors.len() - 1) / 2];
    fiesta_core::whole((1.0 - median.log10().floor()).clamp(0.0, 8.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_people_do() {
        let said = [0.0042, 3.25, 61.0, 600.0, 9_000.0, 300_000.0].map(span);
        assert_eq!(
            said,
            ["4.2 ms", "3.2 s", "61 s", "10 min", "2.5 h", "3.5 days"]
        );
    }

    #[test]
    fn three_digits() {
        for (value, shown) in [
            (0.0, "0"),
            (1.0, "1.00"),
            (0.226_562_5, "0.227"),
            (-0.012_34, "-0.0123"),
            (0.000_123_4, "0.000123"),
            (0.000_012_34, "1.23e-5"),
            (123.4, "123"),
        ] {
            assert_eq!(digits(value), shown);
        }
    }

    #[test]
    fn the_example_of_listed() {
        use fiesta_report::words::listed;
        assert_eq!(listed(&["gru"], 3), "gru");
        assert_eq!(listed(&["gru", "lstm", "mlp"], 3), "gru, lstm and mlp");
        assert_eq!(
            listed(&["gru", "lstm", "mlp", "svm"], 3),
            "gru, lstm, mlp and 1 more"
        );
    }

    #[test]
    fn the_example_of_range() {
        use fiesta_report::words::range;
        assert_eq!(range("0.10", "0.25"), "0.10 to 0.25");
        assert_eq!(range("0.10", "0.10"), "0.10");
    }

    #[test]
    fn the_example_of_digits() {
        use fiesta_report::words::digits;
        assert_eq!(
            [0.0, 0.226_562_5, -0.012_34, 123.4].map(digits),
            ["0", "0.227", "-0.0123", "123"]
        );
        assert_eq!(
            [0.000_012_34, 1_234_567.0].map(digits),
            ["1.23e-5", "1.23e6"]
        );
    }

    #[test]
    fn the_example_of_p_value() {
        use fiesta_report::words::p_value;
        assert_eq!([0.024_8, 1e-20].map(p_value), ["= 0.0248", "< 1e-12"]);
    }

    #[test]
    fn the_example_of_signed() {
        use fiesta_report::words::signed;
        assert_eq!(
            [0.025, -0.025].map(|difference| signed(difference, 3)),
            ["+0.025", "−0.025"]
        );
    }

    #[test]
    fn the_example_of_level() {
        use fiesta_report::words::level;
        assert_eq!(
            [0.95, 0.999, 1.0 - 0.05].map(level),
            ["95 %", "99.9 %", "95 %"]
        );
    }

    #[test]
    fn the_example_of_sentence() {
        use fiesta_report::words::sentence;
        assert_eq!(sentence("nothing is known"), "Nothing is known.");
    }

    #[test]
    fn the_example_of_capitalised() {
        use fiesta_report::words::capitalised;
        assert_eq!(capitalised("of 3 items"), "Of 3 items");
    }

    #[test]
    fn the_example_of_expected_loss() {
        use fiesta_report::expected_loss;
        assert_eq!(expected_loss(0.002_131, 4), "0.0022");
        assert_eq!(expected_loss(1.3e-62, 4), "less than 0.000001");
        assert_eq!(expected_loss(0.002, 0), "less than 0.01");
        assert_eq!(expected_loss(0.0, 4), "0");
    }

    #[test]
    fn the_example_of_at_most() {
        use fiesta_report::at_most;
        assert_eq!(at_most(0.002_131), "0.0022");
        assert_eq!(at_most(17.2), "18");
    }

    #[test]
    fn the_example_of_decimals() {
        use fiesta_report::decimals;
        assert_eq!(decimals([0.0021, 0.0017, 0.03]), 4);
        assert_eq!(decimals([12.0]), 0);
        assert_eq!(decimals([]), 4);
    }
}
