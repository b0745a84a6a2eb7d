//! Reading of files of scores and of confusion counts.

use crate::{
    ColumnRole, CountRecords, Evaluations, FailedCounts, Format, Proposal, Reading, RecordsError,
    counts, metrics, proposal, read_all, read_whole, scores, words,
};
use std::{io, path::Path};

/// Reads a file of scores. The format goes by the extension ([`Format::of_path`]), or else by the
/// content ([`Format::of_text`]).
///
/// # Errors
/// [`RecordsError`] if the file cannot be read, is no UTF-8 text, does not say what its columns
/// hold, has no row, or has a row that is no record; and if the options are no
/// [`Metric`](fiesta_core::Metric).
///
/// # Example
/// ```no_run
/// use fiesta_records::{self as records, Reading};
/// let options = Reading { metric: Some("f1".into()), bounds: Some((0.0, 1.0)), ..Reading::default() };
/// let records = records::read("scores.csv", &options)?;
/// for (name, scores) in records.arms().iter().zip(records.by_arm()) {
///     println!("{name}: {} scores", scores.len());
/// }
/// # Ok::<(), records::RecordsError>(())
/// ```
pub fn read(path: impl AsRef<Path>, options: &Reading) -> Result<Evaluations, RecordsError> {
    let (bytes, file) = of_file(path.as_ref())?;
    scores::read(&bytes, Format::of_path(path), options, &file, &mut None)
}

/// Reads scores from anything that can be read, such as the standard input. Without a format, the
/// content decides ([`Format::of_text`]); `name` stands in the messages.
///
/// # Errors
/// As [`read`].
///
/// # Example
/// ```
/// use fiesta_records::{self as records, Reading};
/// let wide = "item,lstm,gru\nq1,0.71,0.69\nq2,0.73,\n";
/// let records = records::read_from(wide.as_bytes(), None, &Reading::default(), "stdin")?;
/// assert_eq!(records.arms(), ["lstm", "gru"]);
/// assert_eq!(records.by_arm(), [vec![0.71, 0.73], vec![0.69]]);
///
/// let bad = "arm,score\nlstm,71 points\n";
/// let error = records::read_from(bad.as_bytes(), None, &Reading::default(), "stdin").unwrap_err();
/// assert!(error.to_string().starts_with("stdin:2: the score `71 points` is not a number"));
/// # Ok::<(), records::RecordsError>(())
/// ```
pub fn read_from(
    reader: impl io::Read,
    format: Option<Format>,
    options: &Reading,
    name: &str,
) -> Result<Evaluations, RecordsError> {
    scores::read(&all(reader, name)?, format, options, name, &mut None)
}

/// Evaluations that were read, and what was made of each column of their file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Understood {
    /// The evaluations that were read.
    pub evaluations: Evaluations,
    /// The role of each column. Empty if the file is no table.
    pub roles: Vec<ColumnRole>,
    /// Names of columns that the options lack, and that were taken as they leave no doubt
    /// ([`Proposal::is_certain`]). `None` if the options alone suffice.
    pub taken: Option<Proposal>,
}

/// Reads scores from the bytes of a file, and says what was made of each column. If names of columns
/// are all that the options lack, and there can be no doubt about these names, they are taken.
///
/// # Errors
/// As [`read`].
///
/// # Example
/// ```
/// use fiesta_records::{Reading, Role, understand};
/// let csv = "model,fold,acc\nlstm,0,0.7\ngru,0,0.6\nlstm,1,0.8\ngru,1,0.7\n";
/// let found = understand(csv.as_bytes(), None, &Reading::default(), "runs.csv")?;
/// let roles: Vec<(&str, Role)> = found.roles.iter().map(|of| (&*of.column, of.role)).collect();
/// assert_eq!(roles, [("model", Role::Arm), ("fold", Role::Split), ("acc", Role::Score)]);
/// assert_eq!(found.taken.unwrap().flags(), "--arm model --score acc --split fold");
/// # Ok::<(), fiesta_records::RecordsError>(())
/// ```
pub fn understand(
    bytes: &[u8],
    format: Option<Format>,
    options: &Reading,
    name: &str,
) -> Result<Understood, RecordsError> {
    if let Some(one) = metrics::rows_of_one(bytes, format, options, name)? {
        let mut found = understand(one.tsv.as_bytes(), Some(Format::Tsv), &one.options, name)?;
        found.evaluations.file.remarks.push(one.remark);
        return Ok(found);
    }
    let mut tried = None;
    let error = match scores::read(bytes, format, options, name, &mut tried) {
        Ok(evaluations) => {
            let roles = proposal::roles_of(bytes, format, options, name);
            return Ok(Understood {
                evaluations,
                roles,
                taken: None,
            });
        }
        Err(error) => error,
    };
    let Some(taken) = error.proposal().filter(|of| of.is_certain()).cloned() else {
        return Err(error);
    };
    let reading = taken.reading(options);
    let is_whole = metrics::rows_of_one(bytes, format, &reading, name)?.is_none();
    Ok(Understood {
        evaluations: match tried.filter(|_| is_whole) {
            Some(tried) => tried,
            None => scores::read(bytes, format, &reading, name, &mut None)?,
        },
        roles: taken.roles.clone(),
        taken: Some(taken),
    })
}

/// Reads a file of confusion counts ([`CountRecords`]). The format goes by the extension
/// ([`Format::of_path`]), or else by the content ([`Format::of_text`]).
///
/// # Errors
/// [`RecordsError`] if the file cannot be read, is no UTF-8 text, lacks a column, has no row, or
/// has a row that is no record.
///
/// # Example
/// ```no_run
/// use fiesta_records as records;
/// let records = records::read_counts("counts.csv")?;
/// println!("{} systems on {} documents", records.arms().len(), records.documents().len());
/// # Ok::<(), records::RecordsError>(())
/// ```
pub fn read_counts(path: impl AsRef<Path>) -> Result<CountRecords, RecordsError> {
    let (bytes, file) = of_file(path.as_ref())?;
    Ok(counts::read(&bytes, Format::of_path(path), &file, false)?.0)
}

/// Reads confusion counts from anything that can be read, such as the standard input. Without a
/// format, the content decides ([`Format::of_text`]); `name` stands in the messages.
///
/// # Errors
/// As [`read_counts`].
///
/// # Example
/// The counts of two classes are added up.
/// ```
/// use fiesta_core::Counts;
/// use fiesta_records as records;
/// let csv = "arm,document,class,tp,fp,fn\ntagger,d1,person,3,0,1\ntagger,d1,place,1,2,0\n";
/// let records = records::read_counts_from(csv.as_bytes(), None, "stdin")?;
/// assert_eq!(records.records()[0].counts, Counts::from_cells([4, 2, 0, 1]));
///
/// let bad = "arm,document,tp,fp,fn\ntagger,d1,3,-1,0\n";
/// let error = records::read_counts_from(bad.as_bytes(), None, "stdin").unwrap_err();
/// assert!(error.to_string().starts_with("stdin:2: the fp `-1` is not a count"));
/// # Ok::<(), records::RecordsError>(())
/// ```
pub fn read_counts_from(
    reader: impl io::Read,
    format: Option<Format>,
    name: &str,
) -> Result<CountRecords, RecordsError> {
    Ok(counts::read(&all(reader, name)?, format, name, false)?.0)
}

/// Reads confusion counts as [`read_counts_from`] does, but keeps evaluations whose `status` says
/// that they failed, apart from the counts.
///
/// # Errors
/// As [`read_counts`].
pub fn read_counts_and_failures_from(
    reader: impl io::Read,
    format: Option<Format>,
    name: &str,
) -> Result<(CountRecords, Vec<FailedCounts>), RecordsError> {
    counts::read(&all(reader, name)?, format, name, true)
}

/// Returns the bytes of a file, and its name for messages.
fn of_file(path: &Path) -> Result<(Vec<u8>, String), RecordsError> {
    let file = words::file(path);
    let bytes = read_whole(path).map_err(RecordsError::unread(&file))?;
    Ok((bytes, file))
}

/// Reads everything from a reader; `name` stands in messages.
fn all(reader: impl io::Read, name: &str) -> Result<Vec<u8>, RecordsError> {
    read_all(reader).map_err(RecordsError::unread(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn refused(bytes: &[u8], options: &Reading) -> String {
        let result = read_from(bytes, None, options, "s");
        result.unwrap_err().to_string()
    }

    #[test]
    fn the_content_decides_where_no_name_does() {
        for text in [
            "arm,score\na,0.5\nb,0.25\n",
            "split,a,b\n0,0.5,0.25\n",
            "{\"arm\": \"a\", \"score\": 0.5}\n{\"arm\": \"b\", \"score\": 0.25}\n",
            "\u{feff} {\"a\": [0.5], \"b\": [0.25]}",
            "[{\"arm\": \"a\", \"score\": 0.5}, {\"arm\": \"b\", \"score\": 0.25}]",
        ] {
            let records = read_from(text.as_bytes(), None, &Reading::default(), "s").unwrap();
            assert_eq!(records.arms(), ["a", "b"], "{text}");
            assert_eq!(records.by_arm(), [[0.5], [0.25]], "{text}");
        }
    }

    #[test]
    fn reads_files_by_their_extension() {
        let folder = std::env::temp_dir().join(format!("fiesta-records-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("scores.tsv");
        fs::write(&path, "arm\tscore\na,b\t0.5\n").unwrap();
        let read_back = read(&path, &Reading::default());
        let missing = read(folder.join("none.csv"), &Reading::default());
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(read_back.unwrap().arms(), ["a,b"]);
        let message = missing.unwrap_err().to_string();
        assert!(message.contains("none.csv: cannot be read: "), "{message}");
    }

    #[test]
    fn refuses_what_is_not_utf8() {
        let latin = b"arm,score\na,0.5\ncaf\xe9,0.5\n";
        let message = refused(latin, &Reading::default());
        assert_eq!(message, "s:3: not UTF-8: save the file as UTF-8 text");
        let utf16 = b"\xff\xfea\0r\0m\0";
        assert!(refused(utf16, &Reading::default()).starts_with("s:1: not UTF-8"));
    }

    #[test]
    fn refuses_options_that_are_no_metric() {
        let options = |metric: &str, bounds| Reading {
            metric: Some(metric.to_owned()),
            bounds,
            ..Reading::default()
        };
        let text = b"arm,score\na,0.5\n";
        assert!(refused(text, &options(" ", None)).contains("no name"));
        assert!(refused(text, &options("f1", Some((1.0, 0.0)))).contains("no interval"));
        let message = refused(text, &options("seed", None));
        assert!(message.starts_with("no score can be called `seed`"));
    }

    /// Tests that a cost or a duration may be the metric.
    #[test]
    fn the_metric_may_be_the_cost() {
        let options = Reading {
            metric: Some("cost".into()),
            bounds: None,
            ..Reading::default()
        };
        let text = "arm,cost,score\na,-1,x\n";
        let records = read_from(text.as_bytes(), None, &options, "s").unwrap();
        assert_eq!(records.by_arm(), [[-1.0]]);
        assert_eq!(records.records().at(0).cost, None);
    }
}
