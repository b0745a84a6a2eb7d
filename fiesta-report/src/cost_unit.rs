//! Costs with their unit, for people.

use crate::cost;
pub use fiesta_core::CostUnit;

/// Writes a cost with its unit, as people read it; without a unit, the number alone.
///
/// # Example
/// ```
/// use fiesta_report::{CostUnit, cost_with_unit};
/// assert_eq!(cost_with_unit(0.36, None), "0.360");
/// assert_eq!(cost_with_unit(5400.0, Some(&CostUnit::GpuSeconds)), "1.5 GPU-h");
/// assert_eq!(cost_with_unit(90.0, Some(&CostUnit::Seconds)), "90.0 s");
/// assert_eq!(cost_with_unit(12.5, Some(&CostUnit::Named("USD".to_owned()))), "12.5 USD");
/// ```
pub fn cost_with_unit(value: f64, unit: Option<&CostUnit>) -> String {
    let Some(unit) = unit else {
        return cost(value);
    };
    let (one, name) = unit.readable(value);
    format!("{} {name}", cost(value / one))
}

/// Writes a limit of costs with its unit, as it was written down: no digit is dropped.
pub(crate) fn limit_with_unit(limit: f64, unit: Option<&CostUnit>) -> String {
    let Some(unit) = unit else {
        return limit.to_string();
    };
    let (one, name) = unit.readable(limit);
    format!("{} {name}", (limit / one * 1e9).round() / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_units_of_their_size() {
        let seconds = [0.004, 119.0, 180.0, 9000.0];
        let shown = seconds.map(|cost| cost_with_unit(cost, Some(&CostUnit::Seconds)));
        assert_eq!(shown, ["0.00400 s", "119.0 s", "3.0 min", "2.5 h"]);
        let shown = seconds.map(|cost| cost_with_unit(cost, Some(&CostUnit::GpuSeconds)));
        assert_eq!(
            shown,
            ["0.00400 GPU-s", "119.0 GPU-s", "180.0 GPU-s", "2.5 GPU-h"]
        );
    }

    #[test]
    fn limits_keep_their_digits() {
        assert_eq!(limit_with_unit(144_000.0, Some(&CostUnit::Seconds)), "40 h");
        let unit = CostUnit::Named("EUR".to_owned());
        assert_eq!(limit_with_unit(12.345, Some(&unit)), "12.345 EUR");
        assert_eq!(limit_with_unit(40.0, None), "40");
    }
}
