//! Numbers in words: counts, spans of time, confidences.

pub(super) use crate::analysis::sentence;

/// "1 evaluation", "3 evaluations".
pub(super) fn count(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// A time as people say it.
pub(in crate::analysis) fn span(seconds: f64) -> String {
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
    if value < 10.0 {
        format!("{value:.1} {unit}")
    } else {
        format!("{value:.0} {unit}")
    }
}

/// A confidence as people write it: "95 %".
pub(in crate::analysis) fn level(confidence: f64) -> String {
    let percent = confidence * 100.0;
    let rounded = (percent * 1e6).round() / 1e6;
    format!("{rounded} %")
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
}
