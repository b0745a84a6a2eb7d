//! From records to a file.

use super::Records;
use std::{fmt, fmt::Write as _, io};

/// Writes records as CSV in the long form: the columns `arm`, `split`, `seed`, the metric's, `cost` and
/// `duration`, without those that no record fills.
///
/// Reading the file again gives the same arms and, to the last bit, the same numbers; only the lines are new.
/// Names that a spreadsheet would take for a formula (`=`, `+`, `-`, `@` at the beginning) are data, and
/// written as they are. Numbers have as many digits as it takes to tell them from their neighbours.
///
/// # Errors
/// Whatever the writer says.
///
/// # Example
/// ```
/// use fiesta_core::records::{Record, Records, write_csv};
/// let mut records = Records::new("f1")?;
/// records.push(Record { split: Some(0), ..Record::new("lstm, tied", 0.71) })?;
/// records.push(Record::new("gru", 0.69))?;
/// let mut csv = Vec::new();
/// write_csv(&mut csv, &records)?;
/// assert_eq!(csv, b"arm,split,f1\n\"lstm, tied\",0,0.71\ngru,,0.69\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_csv(writer: impl io::Write, records: &Records) -> io::Result<()> {
    let all = records.records();
    let split = all.iter().any(|record| record.split.is_some());
    let seed = all.iter().any(|record| record.seed.is_some());
    let cost = all.iter().any(|record| record.cost.is_some());
    let duration = all.iter().any(|record| record.duration.is_some());

    let mut csv = csv::Writer::from_writer(writer);
    let columns = [
        (true, "arm"),
        (split, "split"),
        (seed, "seed"),
        (true, records.metric()),
        (cost, "cost"),
        (duration, "duration"),
    ];
    for (_, name) in columns.into_iter().filter(|&(filled, _)| filled) {
        csv.write_field(name)?;
    }
    csv.write_record(None::<&[u8]>)?;

    let mut number = Number::default();
    for record in records.named() {
        csv.write_field(record.arm)?;
        if split {
            csv.write_field(number.show(record.split))?;
        }
        if seed {
            csv.write_field(number.show(record.seed))?;
        }
        csv.write_field(number.show(Some(record.score)))?;
        if cost {
            csv.write_field(number.show(record.cost))?;
        }
        if duration {
            csv.write_field(number.show(record.duration))?;
        }
        csv.write_record(None::<&[u8]>)?;
    }
    csv.flush()
}

/// The text of one number after another, in the same memory.
#[derive(Default)]
pub(super) struct Number {
    text: String,
}

impl Number {
    /// The shortest digits that read as the same number, with an exponent if it is very large or small; no
    /// text for no number.
    pub(super) fn show(&mut self, value: Option<impl fmt::Debug>) -> &str {
        self.text.clear();
        if let Some(value) = value {
            let _ = write!(self.text, "{value:?}"); // a string takes everything
        }
        &self.text
    }
}
