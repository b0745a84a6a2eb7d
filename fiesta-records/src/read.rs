//! Reading of files of scores and of confusion counts.

use crate::{
    ColumnNames, CountRecords, FailedCounts, Format, Records, RecordsError, counts,
    import::{Missing, Pruned, Tool},
    read_all, read_whole, scores, words,
};
use std::{io, path::Path};

/// Options of reading: how to understand a file of scores, or what another tool wrote.
#[derive(Debug, Clone, PartialEq, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own"
)]
pub struct ReadOptions {
    /// The column or key of the score; `score` if none is given. In the wide form, and in a JSON
    /// object of lists, it is only a name. Of another tool's results it is needed where several
    /// columns could be the score.
    pub metric: Option<String>,
    /// The file's names for other columns of the long form.
    pub columns: ColumnNames,
    /// The columns that are arms, in a table with a column for each arm; other columns of such a
    /// table are left out. Without, a table is read so only where its columns leave no doubt: the
    /// first names or numbers the rows, and no other has a name of a step, a metric, a setting, a
    /// time or a summary. In the long form these names mean nothing here.
    pub arms: Vec<String>,
    /// The smallest and the largest score that is possible.
    pub bounds: Option<(f64, f64)>,
    /// Whether evaluations whose `status` says that they failed are kept, apart from the scores
    /// ([`Records::failures`]). A file with one is refused otherwise.
    pub keep_failures: bool,
    /// Whether evaluations without a score (an empty cell, NaN, null) are kept as failed ones. A
    /// file with one is refused otherwise.
    pub keep_missing: bool,
    /// Whether the user's own columns are kept ([`Records::columns`]). They are not read otherwise.
    pub keep_columns: bool,
    /// Whether the rows of a file that does not state its splits are splits: the rows of the wide
    /// form, elsewhere the k-th row or score of every arm. A file that states them is refused then.
    pub paired_rows: bool,
    /// The tool that wrote the results, where they do not say so themselves
    /// ([`read_results`](crate::import::read_results)). This and what follows is about other tools'
    /// results, of which the names of columns are those of the tool.
    pub tool: Option<Tool>,
    /// The filter after which answers are scored, in lm-eval's samples; needed where there are
    /// several.
    pub filter: Option<String>,
    /// The studies to read of Optuna's storage; all of them if this is empty.
    pub studies: Vec<String>,
    /// How a pruned trial counts. `None` refuses results with pruned trials.
    pub pruned: Option<Pruned>,
    /// How a trial without a finite score counts. `None` refuses such trials, unless
    /// [`missing_are_failures`](Self::missing_are_failures).
    pub missing: Option<Missing>,
    /// Whether such trials are failures, unless [`missing`](Self::missing) says something else.
    pub missing_are_failures: bool,
    /// Whether each setting of a search with cross-validation is one trial, by its mean over the
    /// folds, and all trials are one arm. Without, its folds are evaluations of the setting.
    pub settings_are_trials: bool,
}

impl ReadOptions {
    /// Returns how a trial without a finite score counts. `None` if no option says so.
    pub(crate) fn missing_as(&self) -> Option<Missing> {
        let failures = self.missing_are_failures.then_some(Missing::Fail);
        self.missing.or(failures)
    }
}

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
/// use fiesta_records::{self as records, ReadOptions};
/// let options = ReadOptions { metric: Some("f1".into()), bounds: Some((0.0, 1.0)), ..ReadOptions::default() };
/// let records = records::read("scores.csv", &options)?;
/// for (name, scores) in records.arms().iter().zip(records.by_arm()) {
///     println!("{name}: {} scores", scores.len());
/// }
/// # Ok::<(), records::RecordsError>(())
/// ```
pub fn read(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Records, RecordsError> {
    let (bytes, file) = of_file(path.as_ref())?;
    scores::read(&bytes, Format::of_path(path), options, &file)
}

/// Reads scores from anything that can be read, such as the standard input. Without a format, the
/// content decides ([`Format::of_text`]); `name` stands in the messages.
///
/// # Errors
/// As [`read`].
///
/// # Example
/// ```
/// use fiesta_records::{self as records, ReadOptions};
/// let wide = "item,lstm,gru\nq1,0.71,0.69\nq2,0.73,\n";
/// let records = records::read_from(wide.as_bytes(), None, &ReadOptions::default(), "stdin")?;
/// assert_eq!(records.arms(), ["lstm", "gru"]);
/// assert_eq!(records.by_arm(), [vec![0.71, 0.73], vec![0.69]]);
///
/// let bad = "arm,score\nlstm,71%\n";
/// let error = records::read_from(bad.as_bytes(), None, &ReadOptions::default(), "stdin").unwrap_err();
/// assert!(error.to_string().starts_with("stdin:2: the score `71%` is not a number"));
/// # Ok::<(), records::RecordsError>(())
/// ```
pub fn read_from(
    reader: impl io::Read,
    format: Option<Format>,
    options: &ReadOptions,
    name: &str,
) -> Result<Records, RecordsError> {
    scores::read(&all(reader, name)?, format, options, name)
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

/// As [`read_counts_from`], and keeps evaluations apart whose `status` says that they failed; these
/// are refused there.
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

    fn refused(bytes: &[u8], options: &ReadOptions) -> String {
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
            let records = read_from(text.as_bytes(), None, &ReadOptions::default(), "s").unwrap();
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
        let read_back = read(&path, &ReadOptions::default());
        let missing = read(folder.join("none.csv"), &ReadOptions::default());
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(read_back.unwrap().arms(), ["a,b"]);
        let message = missing.unwrap_err().to_string();
        assert!(message.contains("none.csv: cannot be read: "), "{message}");
    }

    #[test]
    fn refuses_what_is_not_utf8() {
        let latin = b"arm,score\na,0.5\ncaf\xe9,0.5\n";
        let message = refused(latin, &ReadOptions::default());
        assert_eq!(message, "s:3: not UTF-8: save the file as UTF-8 text");
        let utf16 = b"\xff\xfea\0r\0m\0";
        assert!(refused(utf16, &ReadOptions::default()).starts_with("s:1: not UTF-8"));
    }

    #[test]
    fn refuses_options_that_are_no_metric() {
        let options = |metric: &str, bounds| ReadOptions {
            metric: Some(metric.to_owned()),
            bounds,
            ..ReadOptions::default()
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
        let options = ReadOptions {
            metric: Some("cost".into()),
            bounds: None,
            ..ReadOptions::default()
        };
        let text = "arm,cost,score\na,-1,x\n";
        let records = read_from(text.as_bytes(), None, &options, "s").unwrap();
        assert_eq!(records.by_arm(), [[-1.0]]);
        assert_eq!(records.records()[0].cost, None);
    }
}
