//! Kinds of executors that a program adds to those of this crate.

use super::{Executor, ExecutorError, NoSupervisor};
use crate::file_error::FileError;
use crate::{private, run::RunSpec, supervisor::can_take_over};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use std::{
    fmt, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};
use toml::Deserializer;

/// A kind of executor that study files can name as `executor.kind`, such as `"slurm"`.
///
/// Whoever opens a study says which kinds there are beside `"local"` and `"functions"`:
/// [`Study::read_with`](crate::Study::read_with).
///
/// # Example
/// ```
/// use fiesta_runner::{
///     Study,
///     executor::{EngineKeys, EngineKind, Executor, ExecutorError, Local, Site, WrongKey},
/// };
/// use serde::{Deserialize, Serialize};
///
/// /// What a study file says below `[executor]`.
/// #[derive(Debug, Serialize, Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Queue {
///     priority: Option<u32>,
/// }
///
/// impl EngineKeys for Queue {
///     fn check(&self) -> Result<(), WrongKey> {
///         match self.priority {
///             Some(10..) => Err(WrongKey::new(&["priority"], "the highest priority is 9")),
///             _ => Ok(()),
///         }
///     }
///
///     fn open(&self, _: &Site) -> Result<Box<dyn Executor>, ExecutorError> {
///         // A program of its own would hand runs to its queue.
///         Ok(Box::new(Local::with_supervisor("/usr/bin/fiesta-supervisor")))
///     }
/// }
///
/// static KINDS: &[EngineKind] = &[EngineKind::new::<Queue>("queue", "the queue", &["priority"])];
///
/// let place = tempfile::TempDir::new()?;
/// let file = place.path().join("study.toml");
/// let study = |priority: u32| {
///     let head = "name = \"x\"\ncommand = [\"true\", \"{arm}\"]\nmetric.name = \"accuracy\"";
///     let arms = "goal.confidence = 0.9\narm = [{ name = \"a\" }, { name = \"b\" }]";
///     let text = format!("{head}\n{arms}\n[executor]\nkind = \"queue\"\npriority = {priority}");
///     std::fs::write(&file, text).unwrap();
///     Study::read_with(&file, KINDS)
/// };
/// assert!(study(9).is_ok());
/// let error = study(10).unwrap_err().to_string();
/// assert!(error.ends_with("study.toml:8: the highest priority is 9"), "{error}");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct EngineKind {
    pub(crate) kind: &'static str,
    pub(crate) name: &'static str,
    pub(crate) keys: &'static [&'static str],
    pub(crate) tables: &'static [(&'static str, &'static str)],
    pub(crate) read: fn(Deserializer<'_>) -> Result<Engine, toml::de::Error>,
}

/// The keys of a study for its engine, with the values that the ledger records.
pub(crate) type Engine = (Box<dyn EngineKeys>, Map<String, Value>);

impl EngineKind {
    /// A kind whose `keys` below `[executor]`, beside `kind` itself, are the fields of `T`.
    ///
    /// `kind` is the value of `executor.kind`, `name` what messages call the engine. `T` refuses
    /// unknown fields, and has each field optional unless every study needs it.
    ///
    /// A study whose file changes a key that the reference page does not list is another study.
    pub const fn new<T: EngineKeys + Serialize + DeserializeOwned + 'static>(
        kind: &'static str,
        name: &'static str,
        keys: &'static [&'static str],
    ) -> Self {
        Self {
            kind,
            name,
            keys,
            tables: &[],
            read: read::<T>,
        }
    }

    /// Names the keys whose values are tables, each with an example of one for messages, such as
    /// `("resources", "{ a100 = 1 }")`.
    pub const fn with_tables(self, tables: &'static [(&'static str, &'static str)]) -> Self {
        Self { tables, ..self }
    }

    /// Returns the value of `executor.kind`.
    pub const fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns the keys below `[executor]` that studies of this kind may have, beside `kind`.
    pub const fn keys(&self) -> &'static [&'static str] {
        self.keys
    }
}

/// Reads the keys of a study for an engine. Those without a value are not recorded.
fn read<T: EngineKeys + Serialize + DeserializeOwned + 'static>(
    table: Deserializer<'_>,
) -> Result<Engine, toml::de::Error> {
    let keys = T::deserialize(table)?;
    let written = match serde_json::to_value(&keys) {
        Ok(Value::Object(written)) => written,
        Ok(_) => return Err(unwritten("they are no table")),
        Err(error) => return Err(unwritten(&error.to_string())),
    };
    let given = written.into_iter().filter(|(_, value)| !value.is_null());
    Ok((Box::new(keys), given.collect()))
}

fn unwritten(reason: &str) -> toml::de::Error {
    serde::de::Error::custom(format!(
        "the keys of the executor cannot be recorded: {reason}"
    ))
}

/// The keys of a study below `[executor]`, as the engine of its kind reads them.
pub trait EngineKeys: fmt::Debug + Send + Sync {
    /// Checks the values, before anything is asked of the engine.
    ///
    /// # Errors
    /// [`WrongKey`] of the first value that is wrong.
    fn check(&self) -> Result<(), WrongKey>;

    /// Says why jobs cannot be given the variable `name`, whose value is that of `from` in the
    /// environment of whoever runs the study. `None` if they can.
    fn refused_variable(&self, name: &str, from: &str) -> Option<String> {
        let _ = (name, from);
        None
    }

    /// Opens the executor that carries out the study's runs.
    ///
    /// # Errors
    /// [`ExecutorError`] if the engine is not there, or its records cannot be read.
    fn open(&self, site: &Site) -> Result<Box<dyn Executor>, ExecutorError>;

    /// Returns what the engine would be given for these runs, as a shell or a person reads it.
    /// Asks the engine nothing.
    ///
    /// # Errors
    /// [`ExecutorError`] if that cannot be said.
    fn preview(&self, runs: &[RunSpec], site: &Site) -> Result<Vec<String>, ExecutorError> {
        let _ = (runs, site);
        Ok(Vec::new())
    }
}

/// A value below `[executor]` that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WrongKey {
    pub(crate) key: Vec<String>,
    pub(crate) message: String,
}

impl WrongKey {
    /// Makes the error for the value at `key`, a path of names below `[executor]`. `message` says
    /// what is wrong with the value, and what to do.
    pub fn new(key: &[&str], message: impl Into<String>) -> Self {
        Self {
            key: key.iter().map(|&name| name.to_owned()).collect(),
            message: message.into(),
        }
    }
}

/// The directories in which an engine carries out the runs of a study. All of its machines see
/// them.
#[derive(Debug, Clone)]
pub struct Site {
    directory: PathBuf,
    state: PathBuf,
}

impl Site {
    pub(crate) fn new(directory: &Path, state: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            state: state.to_owned(),
        }
    }

    /// Returns the directory of the engine's own records, which nobody else makes.
    pub fn batches(&self) -> PathBuf {
        self.state.join("batches")
    }

    /// Returns the path of the program that supervises runs on the engine's machines: `named` from
    /// the directory of the study file, or a copy of this program, which need not be there yet.
    pub fn program(&self, named: Option<&str>) -> PathBuf {
        match named {
            Some(named) => self.directory.join(named),
            None => self
                .state
                .join(format!("fiesta-{}", env!("CARGO_PKG_VERSION"))),
        }
    }

    /// Returns the path of [`program`](Self::program), after making sure that the program is there.
    /// A copy of this program stays as it is when a later version is installed.
    ///
    /// # Errors
    /// [`ExecutorError`] if this program cannot be a supervisor, or cannot be copied.
    pub fn ship(&self, named: Option<&str>) -> Result<PathBuf, ExecutorError> {
        let program = self.program(named);
        if named.is_none() {
            self.copy_to(&program)?;
        }
        Ok(program)
    }

    fn copy_to(&self, copy: &Path) -> Result<(), ExecutorError> {
        if !can_take_over() {
            return Err(NoSupervisor.into());
        }
        let action = "copy this program for the machines of the engine to";
        let own = Path::new("/proc/self/exe");
        let size = |path: &Path| fs::metadata(path).ok().map(|file| file.len());
        if size(copy).is_none() || size(copy) != size(own) {
            private::ensure_dir(&self.state).map_err(FileError::of(action, &self.state))?;
            let temporary = copy.with_extension(std::process::id().to_string());
            // What a killed process left may be a link to anything.
            let _ = fs::remove_file(&temporary);
            fs::copy(own, &temporary)
                .and_then(|_| fs::set_permissions(&temporary, fs::Permissions::from_mode(0o700)))
                .and_then(|()| fs::rename(&temporary, copy))
                .map_err(FileError::of(action, copy))?;
        }
        Ok(())
    }
}
