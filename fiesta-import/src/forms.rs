//! Forms of data that are not read: spreadsheets, binary tables and the like, by their first bytes.

use crate::{Result, error::refused, inspect};

/// Advice for a file of a table that pandas reads: save the table as CSV.
const WITH_PANDAS: &str = "df.to_csv(\"scores.csv\", index=False)";

/// Returns the form of a file with these first bytes, and advice. `None` if the form is read.
pub(crate) fn of(start: &[u8]) -> Option<(&'static str, String)> {
    let with = |call: &str| format!("save it as CSV, in Python with `df = {call}; {WITH_PANDAS}`");
    let sheet = |what| Some((what, "save the sheet as CSV, and name that file".to_owned()));
    if start.starts_with(inspect::ZIP) {
        if inspect::is_archive(start) {
            return None;
        }
        let name = &start[start.len().min(30)..];
        let begins = |parts: &[&str]| parts.iter().any(|part| name.starts_with(part.as_bytes()));
        let holds = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
        return match () {
            () if begins(&["[Content_Types].xml", "_rels/", "docProps/", "xl/"]) => {
                sheet("an Excel workbook")
            }
            () if begins(&["mimetypeapplication/vnd.oasis"]) => {
                sheet("an OpenDocument spreadsheet")
            }
            () if holds(b".npy") => Some(("an archive of NumPy arrays", of_array())),
            () if holds(b"data.pkl") => Some(("a checkpoint of PyTorch", of_object())),
            () => Some((
                "a ZIP archive",
                "unpack it, and name a file in it".to_owned(),
            )),
        };
    }
    match start {
        [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ..] => sheet("an Excel workbook"),
        [b'P', b'A', b'R', b'1', ..] if cfg!(feature = "parquet") => None,
        [b'P', b'A', b'R', b'1', ..] => {
            Some(("a Parquet file", with("pandas.read_parquet(\"FILE\")")))
        }
        [b'A', b'R', b'R', b'O', b'W', b'1', ..] | [b'F', b'E', b'A', b'1', ..] => {
            Some(("a Feather file", with("pandas.read_feather(\"FILE\")")))
        }
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Some(("a NumPy array", of_array())),
        [0x80, 2..=5, ..] => Some(("a pickle of Python", of_object())),
        [0x89, b'H', b'D', b'F', ..] => Some(("an HDF5 file", with("pandas.read_hdf(\"FILE\")"))),
        [b'B', b'Z', b'h', ..] | [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some((
            "compressed with bzip2 or xz",
            "unpack it first, or compress it with gzip or Zstandard".to_owned(),
        )),
        _ => None,
    }
}

fn of_array() -> String {
    "save it as CSV, with a line that names the arms above their columns, in Python with \
     `numpy.savetxt(\"scores.csv\", array, delimiter=\",\", header=\"a,b\", comments=\"\")`"
        .to_owned()
}

fn of_object() -> String {
    format!(
        "Python objects may run programs when they are read, and are not; save its table as CSV, in Python with `{WITH_PANDAS}`"
    )
}

/// Refuses a file whose first bytes are of a form that is not read, such as a spreadsheet.
pub(crate) fn check(start: &[u8], file: &str) -> Result<()> {
    match of(start) {
        Some((what, advice)) => Err(refused(format!("{file}: this is {what}: {advice}"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zip(name: &str) -> Vec<u8> {
        [&b"PK\x03\x04"[..], &[0; 26], name.as_bytes()].concat()
    }

    #[test]
    fn each_form_is_told_with_what_to_do() {
        let cases: [(&[u8], &str, &str); 11] = [
            (
                &zip("[Content_Types].xml"),
                "Excel",
                "save the sheet as CSV",
            ),
            (&zip("docProps/app.xml"), "Excel", "save the sheet as CSV"),
            (
                &zip("mimetypeapplication/vnd.oasis.opendo"),
                "OpenDocument",
                "as CSV",
            ),
            (&zip("scores.npy"), "NumPy", "numpy.savetxt"),
            (&zip("archive/data.pkl"), "PyTorch", "to_csv"),
            (&zip("scores.csv"), "ZIP", "unpack it"),
            (
                b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
                "Excel",
                "save the sheet as CSV",
            ),
            (
                b"ARROW1\0\0",
                "Feather",
                "pandas.read_feather(\"FILE\"); df.to_csv(",
            ),
            (b"\x93NUMPY\x01\0", "NumPy", "numpy.savetxt"),
            (b"\x80\x04\x95", "pickle", "df.to_csv("),
            (b"BZh9", "bzip2", "gzip"),
        ];
        for (start, what, advice) in cases {
            let error = check(start, "scores.x").unwrap_err().to_string();
            assert!(error.starts_with("scores.x: this is "), "{error}");
            assert!(error.contains(what) && error.contains(advice), "{error}");
        }
        let parquet = check(b"PAR1\x15", "s.parquet").map_err(|error| error.to_string());
        let is_told = |error: &String| error.contains("pandas.read_parquet(\"FILE\"); df.to_csv(");
        assert_eq!(
            parquet.as_ref().err().is_some_and(is_told),
            !cfg!(feature = "parquet")
        );
        for read in [
            &b"arm,score\n"[..],
            b"",
            b"PK\x03",
            &zip("header.json"),
            b"{\"a\": [1]}",
        ] {
            assert!(check(read, "s").is_ok());
        }
    }
}
