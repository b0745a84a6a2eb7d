//! Numbers as text.

/// Budgets in trials or in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Trials,
    Seconds,
}

impl Unit {
    pub(super) fn show(self, budget: f64) -> String {
        match self {
            Self::Trials => format!("{budget:.0}"),
            Self::Seconds => time(budget),
        }
    }
}

/// Seconds in the unit that people would tell them in.
pub(super) fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{:.0} ms", s * 1000.0),
        s if s < 10.0 => format!("{s:.2} s"),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.1} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} d", s / 86_400.0),
    }
}

/// To a tenth, or to three digits where that is more.
pub(super) fn number(value: f64) -> String {
    if value < 10.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.1}")
    }
}
