//! Ticks of axes: round values, counts, percentages and times, with their labels.

use super::axis::Spacing;
use fiesta_core::whole;

use super::text;

/// Tick of an axis: a value on an axis with its label.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
}

/// Quantity that an axis counts or measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// The axis shows numbers of any kind.
    Number,
    /// The axis shows counts of things, which are whole numbers.
    Count,
    /// The axis shows times in seconds.
    Time,
    /// The axis shows shares of one, as percentages.
    Percent,
}

/// Returns round values from `low` to `high`, about `wanted` of them, never outside; both ends
/// where only one round value lies between.
pub(crate) fn ticks(
    quantity: Quantity,
    spacing: Spacing,
    (low, high): (f64, f64),
    wanted: usize,
) -> Vec<Tick> {
    let tick = |value: f64, step: f64| Tick {
        value,
        label: label(quantity, value, step),
    };
    let alone = |value: f64, step: f64| match quantity {
        Quantity::Time => Tick {
            value,
            label: duration(value),
        },
        _ => tick(value, step),
    };
    if low >= high {
        return vec![alone(low, finest(low))];
    }
    for wanted in wanted..wanted + 4 {
        let found: Vec<Tick> = match spacing {
            Spacing::Linear => {
                let step = step(quantity, (high - low) / wanted.max(1) as f64);
                let values = multiples(low, high, step);
                values.map(|value| tick(value, step)).collect()
            }
            Spacing::Log => {
                let values = logarithmic(quantity, low, high, wanted);
                values.iter().map(|&value| tick(value, value)).collect()
            }
        };
        if found.len() >= 2 {
            return found;
        }
    }
    let step = 10f64.powf((high - low).log10().floor() - 1.0);
    vec![alone(low, step), alone(high, step)]
}

/// Returns a step that shows four digits of a single value.
fn finest(value: f64) -> f64 {
    if value.fract() == 0.0 && value.abs() < 1e6 {
        1.0
    } else {
        10f64.powf(value.abs().log10().floor() - 3.0)
    }
}

/// Units of time in seconds, the largest first, with the steps that people count them in.
const UNITS: [(&str, f64, &[f64]); 4] = [
    ("d", 86400.0, &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]),
    ("h", 3600.0, &[1.0, 2.0, 3.0, 6.0, 12.0]),
    ("min", 60.0, &[1.0, 2.0, 5.0, 10.0, 20.0, 30.0]),
    ("s", 1.0, &[1.0, 2.0, 5.0, 10.0, 20.0, 30.0]),
];

/// Returns the name and the seconds of the largest unit of time that a duration has at least one
/// of, or the second for shorter ones.
fn unit(seconds: f64) -> (&'static str, f64) {
    let found = UNITS.iter().find(|(_, unit, _)| seconds >= *unit);
    found.map_or(("s", 1.0), |(name, unit, _)| (name, *unit))
}

/// Returns the round step that is at least as large as `rough`.
fn step(quantity: Quantity, rough: f64) -> f64 {
    match quantity {
        Quantity::Time if (1.0..8_640_000.0).contains(&rough) => {
            let steps = UNITS.iter().rev();
            let mut steps = steps.flat_map(|(_, unit, by)| by.iter().map(move |by| by * unit));
            steps.find(|step| *step >= rough * 0.999).unwrap_or(rough)
        }
        Quantity::Time if rough > 1.0 => 86400.0 * round(rough / 86400.0),
        Quantity::Count => round(rough).max(1.0),
        _ => round(rough),
    }
}

/// Returns the multiples of a step in an interval.
fn multiples(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    let slack = (high - low) * 1e-9;
    let first = ((low - slack) / step).ceil();
    let last = ((high + slack) / step).floor();
    // More than this is no axis but a step lost in rounding.
    let count = whole((last - first).clamp(-1.0, 100.0) + 1.0);
    (0..count).map(move |i| (first + i as f64) * step + 0.0)
}

/// Returns 1, 2 or 5 times a power of ten: the least that is no smaller than `rough`.
fn round(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    let digit = rough / power;
    let rounds = [1.0, 2.0, 5.0].into_iter();
    let digit = rounds.clone().find(|round| digit <= round * 1.001);
    digit.unwrap_or(10.0) * power
}

fn logarithmic(quantity: Quantity, low: f64, high: f64, wanted: usize) -> Vec<f64> {
    if quantity == Quantity::Time {
        let powers = [
            (1.0, -3..=1),
            (60.0, 0..=1),
            (3600.0, 0..=1),
            (86400.0, 0..=7),
        ];
        let marks = powers
            .into_iter()
            .flat_map(|(unit, powers)| powers.map(move |power| unit * 10f64.powi(power)));
        let within: Vec<f64> = marks.filter(|mark| (low..=high).contains(mark)).collect();
        let every = within.len().div_ceil(wanted.max(2)).max(1);
        return within.into_iter().step_by(every).collect();
    }
    let decades = (high / low).log10();
    let digits: &[f64] = if decades * 3.0 <= wanted as f64 {
        &[1.0, 2.0, 5.0]
    } else {
        &[1.0]
    };
    #[expect(clippy::cast_possible_truncation, reason = "exponents of floats")]
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let every = whole((decades / wanted.max(1) as f64).ceil()).max(1);
    (first..=last)
        .step_by(every)
        .flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)))
        .filter(|value| (low * (1.0 - 1e-12)..=high * (1.0 + 1e-12)).contains(value))
        .collect()
}

/// Writes a value with as many decimals as tell multiples of a step apart; times in the unit of the step.
fn label(quantity: Quantity, value: f64, step: f64) -> String {
    match quantity {
        Quantity::Percent => format!("{} %", text::number(value * 100.0, step * 100.0)),
        Quantity::Time if value == 0.0 => "0".to_owned(),
        Quantity::Time => {
            let (name, unit) = unit(step);
            format!("{} {name}", text::number(value / unit, step / unit))
        }
        Quantity::Number | Quantity::Count => text::number(value, step),
    }
}

/// Writes a duration in the largest unit that it has at least one of, with two digits.
pub(crate) fn duration(seconds: f64) -> String {
    let (name, unit) = unit(seconds);
    let value = seconds / unit;
    let step = if value.fract().abs() < 1e-9 {
        1.0
    } else {
        10f64.powf(value.abs().log10().floor() - 1.0)
    };
    format!("{} {name}", text::number(value, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(
        quantity: Quantity,
        spacing: Spacing,
        range: (f64, f64),
        wanted: usize,
    ) -> Vec<String> {
        ticks(quantity, spacing, range, wanted)
            .into_iter()
            .map(|tick| tick.label)
            .collect()
    }

    #[test]
    fn numbers_are_round_and_inside() {
        use Spacing::{Linear, Log};
        let number = Quantity::Number;
        assert_eq!(
            labels(number, Linear, (0.52, 0.71), 5),
            ["0.55", "0.60", "0.65", "0.70"]
        );
        assert_eq!(
            labels(number, Linear, (-1.0, 1.0), 4),
            ["−1.0", "−0.5", "0.0", "0.5", "1.0"]
        );
        assert_eq!(
            labels(Quantity::Count, Linear, (1.0, 3.0), 10),
            ["1", "2", "3"]
        );
        assert_eq!(
            labels(Quantity::Percent, Linear, (0.0, 1.0), 4),
            ["0 %", "50 %", "100 %"]
        );
        assert_eq!(
            labels(Quantity::Count, Log, (1.0, 500.0), 4),
            ["1", "10", "100"]
        );
        assert_eq!(
            labels(Quantity::Count, Log, (1.0, 60.0), 6),
            ["1", "2", "5", "10", "20", "50"]
        );
    }

    #[test]
    fn times_are_in_units_of_time() {
        use Spacing::{Linear, Log};
        let time = Quantity::Time;
        assert_eq!(
            labels(time, Linear, (0.0, 7200.0), 4),
            ["0", "30 min", "60 min", "90 min", "120 min"]
        );
        assert_eq!(
            labels(time, Linear, (0.0, 18.0 * 86400.0), 4),
            ["0", "5 d", "10 d", "15 d"]
        );
        assert_eq!(
            labels(time, Log, (1.0, 90_000.0), 9),
            ["1 s", "10 s", "1 min", "10 min", "1 h", "10 h", "1 d"]
        );
    }

    #[test]
    fn every_range_has_ticks_inside() {
        for low in [-1e12, -3.7, 0.0, 1e-9, 0.333, 1.0, 9.99e8] {
            for span in [1e-12, 1e-6, 0.01, 0.7, 3.0, 1e9] {
                let high = low + span;
                for tick in ticks(Quantity::Number, Spacing::Linear, (low, high), 5) {
                    let slack = span * 1e-6;
                    assert!(
                        (low - slack..=high + slack).contains(&tick.value)
                            && tick.value.is_finite(),
                        "{low} {span} {tick:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_single_value_is_its_own_tick() {
        assert_eq!(
            labels(Quantity::Number, Spacing::Linear, (0.61, 0.61), 5),
            ["0.6100"]
        );
    }
}
