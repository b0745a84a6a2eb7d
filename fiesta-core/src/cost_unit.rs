//! Unit of the cost of evaluations.

/// Seconds in an hour.
const HOUR: f64 = 3600.0;
/// Seconds in a minute.
const MINUTE: f64 = 60.0;

/// The unit of a cost: measured time, or what the study file calls it.
///
/// Measured costs are numbers of seconds, times the GPUs of a job where jobs have GPUs. People read
/// them in seconds, minutes or hours, by their size; programs read them in [`name`](Self::name).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CostUnit {
    /// The unit of cost is a job's seconds.
    Seconds,
    /// The unit of cost is a job's seconds times its GPUs.
    GpuSeconds,
    /// The unit of cost is the one that the study file names, such as USD.
    Named(String),
}

#[cfg(feature = "serde")]
impl serde::Serialize for CostUnit {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl CostUnit {
    /// Returns the unit of the numbers in ledgers, in JSON and in files for programs: `s`, `GPU-s`,
    /// or the name that the study file gives.
    pub fn name(&self) -> &str {
        match self {
            Self::Seconds => "s",
            Self::GpuSeconds => "GPU-s",
            Self::Named(name) => name,
        }
    }

    /// The unit with this [`name`](Self::name).
    ///
    /// # Example
    /// ```
    /// use fiesta_core::CostUnit;
    /// assert_eq!(CostUnit::of_name("GPU-s"), CostUnit::GpuSeconds);
    /// assert_eq!(CostUnit::of_name("USD").name(), "USD");
    /// ```
    pub fn of_name(name: &str) -> Self {
        match name {
            "s" => Self::Seconds,
            "GPU-s" => Self::GpuSeconds,
            _ => Self::Named(name.to_owned()),
        }
    }

    /// Returns the unit in which people read costs up to `highest`, and how much of
    /// [`name`](Self::name) is one of it.
    pub fn readable(&self, highest: f64) -> (f64, &str) {
        match self {
            Self::Seconds if highest >= 2.0 * HOUR => (HOUR, "h"),
            Self::Seconds if highest >= 2.0 * MINUTE => (MINUTE, "min"),
            Self::GpuSeconds if highest >= 0.1 * HOUR => (HOUR, "GPU-h"),
            unit => (1.0, unit.name()),
        }
    }
}
