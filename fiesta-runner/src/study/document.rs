//! Studies whose text a program makes: in memory, or written to a file by the program.

use super::{Study, StudyError, functions::KIND, parse, unreadable};
use crate::{ordinary, run::files::temporary};
use std::{
    fs, io,
    path::{self, Path},
};

impl Study {
    /// Checks a study whose text is in no file, such as one that a program makes from its own
    /// options. The text is that of a study file; names of files in it (items, recorded
    /// evaluations) begin in `directory`. No ledger is looked for.
    ///
    /// [`selector`](Study::selector) then decides exactly as `fiesta run` would with a study file
    /// of the same text.
    ///
    /// # Errors
    /// [`StudyError::WrongKey`], with the key and what to do, if something in it is wrong.
    ///
    /// # Example
    /// ```
    /// use fiesta_core::Ask;
    /// use fiesta_runner::{Study, executor::Output};
    ///
    /// let study = Study::in_memory(
    ///     r#"
    ///     name = "prompts"
    ///     metric.name = "accuracy"
    ///     goal.confidence = 0.9
    ///     executor.kind = "functions"
    ///     arm = [{ name = "short" }, { name = "long" }]
    ///     "#,
    ///     std::path::Path::new("."),
    /// )?;
    /// let mut selector = study.selector()?;
    /// let conclusion = loop {
    ///     match selector.ask()? {
    ///         Ask::Evaluate(e) => {
    ///             let score = 0.5 + 0.1 * e.arm.index() as f64 + 0.01 * (e.case.seed % 7) as f64;
    ///             let ending = study.ending(&e, Some(&Output::from(score)), 1.0)?;
    ///             selector.tell(study.event(&e, &ending))?;
    ///         }
    ///         Ask::Finished(conclusion) => break conclusion,
    ///         Ask::Wait => unreachable!("nothing is pending"),
    ///     }
    /// };
    /// assert_eq!(study.arms().name(conclusion.arm), "long");
    ///
    /// let error = Study::in_memory("name = \"x\"\ndesign.parallel = \"two\"", "/".as_ref());
    /// assert!(error.unwrap_err().to_string().contains("design.parallel: "));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn in_memory(text: &str, directory: &Path) -> Result<Self, StudyError> {
        let directory = path::absolute(directory).map_err(unreadable(directory))?;
        parse::parse(text, None, &directory.join("study.toml"), None, &[])
    }

    /// Checks a study of functions whose text a program makes, and writes it to a study file, by
    /// which `fiesta status`, `report`, `log` and `export` know it. The file is replaced if an
    /// earlier call wrote another text there; whether the ledger beside it can go on with the
    /// changes is for [`run`](crate::run()) to see.
    ///
    /// # Errors
    /// [`StudyError`] if something in the text is wrong, the file cannot be written, or it is a
    /// file of something else.
    pub fn write(text: &str, path: &Path) -> Result<Self, StudyError> {
        let refused = |reason: String| {
            let path = path.display();
            StudyError::Refused(format!("cannot write the study file {path}: {reason}"))
        };
        let not_written = |error: io::Error| refused(error.to_string());
        let absolute = path::absolute(path).map_err(not_written)?;
        let directory = absolute.parent().unwrap_or(Path::new("/"));
        let directory = fs::canonicalize(directory).map_err(not_written)?;
        let Some(name) = absolute.file_name() else {
            return Err(refused("this is no name of a file".to_owned()));
        };
        let absolute = directory.join(name);
        let before = match ordinary::read_to_string(&absolute) {
            Ok(before) => Some(before),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(not_written(error)),
        };
        if before
            .as_ref()
            .is_some_and(|before| before != text && !is_of_functions(before))
        {
            let reason = "a file is there that is no study of functions: give this study another name, or remove that file";
            return Err(refused(reason.to_owned()));
        }
        let study = Self::of_file(text, path, &absolute, &[])?;
        if before.as_deref() != Some(text) {
            // Whole or not at all, for whoever looks while a program is killed.
            let temporary = temporary(&absolute);
            fs::write(&temporary, text).map_err(not_written)?;
            fs::rename(&temporary, &absolute).map_err(not_written)?;
        }
        Ok(study)
    }
}

/// Whether a text is a study of functions, valid or not.
fn is_of_functions(text: &str) -> bool {
    let kind = |file: &toml::Table| Some(file.get("executor")?.get("kind")?.as_str()? == KIND);
    let file = text.parse::<toml::Table>();
    file.is_ok_and(|file| kind(&file) == Some(true))
}
