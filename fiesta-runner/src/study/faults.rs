//! A list of the mistakes in a study file, so that all independent ones are reported together.

use super::StudyError;

/// Mistakes that were found so far.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<StudyError>);

impl Faults {
    /// Returns the value of a result. If the result is a mistake, adds it to the list and returns
    /// `None`.
    pub(super) fn keep<T>(&mut self, found: Result<T, StudyError>) -> Option<T> {
        found.map_err(|error| self.add(error)).ok()
    }

    /// Runs a check as [`keep`](Self::keep) does. `None` if the check fails, or cannot be made.
    pub(super) fn check<T>(
        &mut self,
        can_be_made: bool,
        check: impl FnOnce() -> Result<T, StudyError>,
    ) -> Option<T> {
        can_be_made.then(check).and_then(|found| self.keep(found))
    }

    /// Adds a mistake, or several, to the list. A second one in the same line is left out.
    pub(super) fn add(&mut self, error: StudyError) {
        match error {
            StudyError::Several(errors) => errors.into_iter().for_each(|error| self.add(error)),
            // Two of one line are seldom two mistakes: a line is told once.
            error if self.0.iter().any(|other| is_alike(other, &error)) => {}
            error => self.0.push(error),
        }
    }

    /// Adds a mistake to the list, even if its line has another one already.
    pub(super) fn add_apart(&mut self, error: StudyError) {
        if self
            .0
            .iter()
            .all(|other| other.to_string() != error.to_string())
        {
            self.0.push(error);
        }
    }

    /// Returns the number of mistakes so far.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// Removes later mistakes than the first `after` that report something missing, and so have no
    /// line: what is missing may be present under an unknown name.
    pub(super) fn forget_missing(&mut self, after: usize) {
        let mut number = 0;
        self.0.retain(|error| {
            number += 1;
            number <= after || place(error).is_some()
        });
    }

    /// Returns all gathered mistakes as one error, sorted by line, and leaves the list empty.
    /// Returns `Ok` if there are no mistakes.
    pub(super) fn finish(&mut self) -> Result<(), StudyError> {
        let mut errors = std::mem::take(&mut self.0);
        errors.sort_by_key(|error| match error {
            StudyError::Wrong { place, .. } => place.line.unwrap_or(usize::MAX),
            _ => usize::MAX,
        });
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.remove(0)),
            _ => Err(StudyError::Several(errors)),
        }
    }

    /// Returns the values of all results, or one error with all of their mistakes.
    pub(super) fn all<T>(
        results: impl Iterator<Item = Result<T, StudyError>>,
    ) -> Result<Vec<T>, StudyError> {
        let mut faults = Self::default();
        let right: Vec<T> = results.filter_map(|found| faults.keep(found)).collect();
        faults.finish().map(|()| right)
    }
}

/// Returns the line or the key of an error.
fn place(error: &StudyError) -> Option<String> {
    match error {
        StudyError::Wrong { place, .. } => place.line.map(|line| line.to_string()),
        StudyError::WrongKey { key, .. } => key.clone(),
        _ => None,
    }
}

/// Whether two errors concern the same line or key, or have the same message.
fn is_alike(one: &StudyError, other: &StudyError) -> bool {
    let (at, also) = (place(one), place(other));
    (at.is_some() && at == also) || one.to_string() == other.to_string()
}
