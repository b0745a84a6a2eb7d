//! From records of counts to a file.

use super::{CELLS, CountRecords};
use crate::{cell::inert, write::Number};
use std::io;

/// Writes records as CSV: the columns `arm`, `document`, `tp`, `fp`, `tn`, `fn`, `cost` and `duration`, the last two without those
/// that no record fills.
///
/// Reading the file again gives the same arms, documents, counts and, to the last bit, the same numbers; only the lines are new. Names
/// that a spreadsheet would take for a formula get an apostrophe before them, which reading takes away ([`inert`]).
///
/// # Errors
/// Whatever the writer says.
///
/// # Example
/// ```
/// use fiesta_core::{Counts, records::{CountRecord, CountRecords, write_counts_csv}};
/// let mut records = CountRecords::default();
/// records.push(CountRecord::new("tagger", "d1", Counts::from_cells([12, 4, 6, 3])))?;
/// let mut csv = Vec::new();
/// write_counts_csv(&mut csv, &records)?;
/// assert_eq!(csv, b"arm,document,tp,fp,tn,fn\ntagger,d1,12,4,6,3\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_counts_csv(writer: impl io::Write, records: &CountRecords) -> io::Result<()> {
    let all = records.records();
    let cost = all.iter().any(|record| record.cost.is_some());
    let duration = all.iter().any(|record| record.duration.is_some());

    let mut csv = csv::Writer::from_writer(writer);
    for name in ["arm", "document"].into_iter().chain(CELLS) {
        csv.write_field(name)?;
    }
    for (_, name) in [(cost, "cost"), (duration, "duration")]
        .into_iter()
        .filter(|&(filled, _)| filled)
    {
        csv.write_field(name)?;
    }
    csv.write_record(None::<&[u8]>)?;

    let mut number = Number::default();
    for record in records.named() {
        csv.write_field(&*inert(record.arm))?;
        csv.write_field(&*inert(record.document))?;
        for count in record.counts.cells() {
            csv.write_field(number.show(Some(count)))?;
        }
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
