//! Parquet files as text that other readers understand: CSV, or JSON lines if a column is nested.
//!
//! | the file | the text |
//! |---|---|
//! | every column holds single values | CSV with a header |
//! | a column holds structures, lists or maps | JSON lines: an object a row, its keys the columns |
//! | index of a pandas frame | the first columns; without a name in CSV, and left out of JSON, if it has none |
//! | null | an empty cell; `null` |
//! | numbers of 32 bits | the shortest decimal fraction that stands for them: `0.71` |
//! | NaN and infinities | `NaN`, `inf`, `-inf`; in JSON as texts |
//! | bytes that are no text | their number: `17 bytes` |
//! | days and times | `2026-11-27`, `2026-11-27 18:00:00 +00:00` |

mod value;

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

use bytes::Bytes;
use parquet::{
    errors::ParquetError,
    file::{
        metadata::FileMetaData,
        reader::{FileReader, SerializedFileReader},
    },
};
use serde_json::Value;
use std::thread;

/// First bytes of a Parquet file.
pub const MAGIC: &[u8] = b"PAR1";

/// Largest number of rows of a file that is read. A few bytes of a file can claim any number.
pub const MOST_ROWS: u64 = 50_000_000;

/// Name of the thread that decodes a file. The decoder panics at some damaged files, which becomes
/// [`Refused::Damaged`]: a panic hook may pass over this thread.
pub const THREAD: &str = "fiesta-parquet";

/// The name that pandas gives to an index without a name.
const UNNAMED: &str = "__index_level_";

/// The reason why a Parquet file gives no text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The file is damaged or incomplete, or is coded in a way that is not read.
    #[error(
        "this Parquet file is damaged, or coded in a way that is not read ({reason}): write it anew, or save it as CSV, in Python with \
         `df = pandas.read_parquet(\"FILE\"); df.to_csv(\"scores.csv\", index=False)`"
    )]
    Damaged {
        /// Reason in the decoder's words.
        reason: String,
    },
    /// The file has more rows than [`MOST_ROWS`].
    #[error(
        "this Parquet file says that it has {rows} rows, and at most {MOST_ROWS} are read: give a file of fewer rows"
    )]
    Rows {
        /// Number of rows that the file states.
        rows: u64,
    },
    /// The text is larger than the caller takes.
    #[error(
        "this Parquet file has more than {most} bytes as text: give a file of fewer rows, or of fewer columns"
    )]
    Large {
        /// Largest number of bytes that the caller takes.
        most: u64,
    },
}

/// Longest reason of the decoder that is shown, in characters.
const LONGEST: usize = 200;

impl From<ParquetError> for Refused {
    fn from(error: ParquetError) -> Self {
        let shown = error.to_string().chars().take(LONGEST).collect::<String>();
        Self::Damaged {
            reason: shown.escape_debug().to_string(),
        }
    }
}

/// Returns a Parquet file as CSV or JSON lines of at most `most` bytes.
///
/// # Errors
/// [`Refused`] if the bytes are no whole Parquet file, or it has too many rows or too much text.
///
/// # Example
/// ```
/// let file = include_bytes!("../tests/fixtures/long.parquet").to_vec();
/// let text = String::from_utf8(fiesta_parquet::text(file, 1 << 20)?).unwrap();
/// assert!(text.starts_with("model,fold,accuracy\nlarge,0,0.81\n"));
/// # Ok::<(), fiesta_parquet::Refused>(())
/// ```
pub fn text(bytes: Vec<u8>, most: u64) -> Result<Vec<u8>, Refused> {
    let damaged = |reason: &str| Refused::Damaged {
        reason: reason.to_owned(),
    };
    let decoder = thread::Builder::new().name(THREAD.to_owned());
    let decoder = decoder.spawn(move || decoded(bytes, most));
    let decoder = decoder.map_err(|error| damaged(&error.to_string()))?;
    let panicked = |_| Err(damaged("its parts contradict one another"));
    decoder.join().unwrap_or_else(panicked)
}

fn decoded(bytes: Vec<u8>, most: u64) -> Result<Vec<u8>, Refused> {
    let reader = SerializedFileReader::new(Bytes::from(bytes))?;
    let groups = reader.metadata().row_groups().iter();
    let rows = groups.map(|group| group.num_rows().unsigned_abs());
    let rows = rows.fold(0, u64::saturating_add);
    if rows > MOST_ROWS {
        return Err(Refused::Rows { rows });
    }
    let file = reader.metadata().file_metadata();
    let fields = file.schema_descr().root_schema().get_fields();
    let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
    let index = index(file);
    let is_index = |&at: &usize| index.iter().any(|name| name == names[at]);
    let (first, others): (Vec<usize>, Vec<usize>) = (0..names.len()).partition(is_index);
    let order = [first, others].concat();
    let is_flat = fields.iter().all(|field| field.is_primitive());
    let mut text = Vec::new();
    if is_flat {
        let header = order.iter().map(|&at| shown(names[at]).to_owned());
        line(&mut text, header);
    }
    for row in reader.get_row_iter(None)? {
        let cells = row?.into_columns();
        if is_flat {
            line(&mut text, order.iter().map(|&at| value::cell(&cells[at].1)));
        } else {
            let named = order.iter().map(|&at| &cells[at]);
            let named = named.filter(|(name, _)| !shown(name).is_empty());
            let object = named.map(|(name, field)| (name.clone(), value::of(field)));
            let object = Value::Object(object.collect());
            text.extend_from_slice(object.to_string().as_bytes());
            text.push(b'\n');
        }
        if text.len() as u64 > most {
            return Err(Refused::Large { most });
        }
    }
    Ok(text)
}

/// Writes a line of CSV.
fn line(text: &mut Vec<u8>, cells: impl Iterator<Item = String>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            text.push(b',');
        }
        if cell.contains([',', '"', '\n', '\r', ';', '\t']) {
            text.extend_from_slice(format!("\"{}\"", cell.replace('"', "\"\"")).as_bytes());
        } else {
            text.extend_from_slice(cell.as_bytes());
        }
    }
    text.push(b'\n');
}

/// Returns the name of a column in text. Empty if it is an index to which pandas gave a name of its own.
fn shown(name: &str) -> &str {
    if name.starts_with(UNNAMED) { "" } else { name }
}

/// Returns the names of the columns that form the index of a pandas frame, from pandas' metadata.
/// Empty for files that pandas did not write.
fn index(file: &FileMetaData) -> Vec<String> {
    let kept = file.key_value_metadata().into_iter().flatten();
    let mut kept = kept.filter(|pair| pair.key == "pandas");
    let kept = kept.find_map(|pair| serde_json::from_str::<Value>(pair.value.as_ref()?).ok());
    let columns = kept
        .as_ref()
        .and_then(|kept| kept["index_columns"].as_array());
    let names = columns.into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}
