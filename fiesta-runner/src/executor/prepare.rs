//! The directory of a run that is submitted.

use super::{RunSpec, SubmitError};
use crate::supervisor::RunDirectory;
use std::io;
use std::path::Path;

/// Makes the directory, with what is to be run.
pub(super) fn prepare(directory: &RunDirectory, spec: &RunSpec) -> Result<(), SubmitError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        |source| SubmitError::Directory { path, source }
    };
    if directory.path().is_relative() {
        let source = io::Error::new(
            io::ErrorKind::InvalidInput,
            "the directory of a run must be an absolute path",
        );
        return Err(failed(directory.path())(source));
    }
    match directory.create() {
        // A submission that was given up before a supervisor took it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            directory.remove_cancellation()
        }
        made => made,
    }
    .map_err(failed(directory.path()))?;
    directory
        .write_spec(spec)
        .map_err(failed(&directory.spec()))
}
