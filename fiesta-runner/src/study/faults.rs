//! The mistakes of a study's text: gathered, so that those that do not follow from another one are
//! told together.

use super::StudyError;

/// Mistakes that were found so far.
#[derive(Debug, Default)]
pub(super) struct Faults(Vec<StudyError>);

impl Faults {
    /// Returns what was found to be right. `None` if it is wrong: the mistake is kept, to be told
    /// with the rest.
    pub(super) fn keep<T>(&mut self, found: Result<T, StudyError>) -> Option<T> {
        found.map_err(|error| self.add(error)).ok()
    }

    /// Returns what a check found to be right, as [`keep`](Self::keep) does. `None` also if it
    /// cannot be made.
    pub(super) fn check<T>(
        &mut self,
        can_be_made: bool,
        check: impl FnOnce() -> Result<T, StudyError>,
    ) -> Option<T> {
        can_be_made.then(check).and_then(|found| self.keep(found))
    }

    /// Adds a mistake, or several.
    pub(super) fn add(&mut self, error: StudyError) {
        match error {
            StudyError::Several(errors) => errors.into_iter().for_each(|error| self.add(error)),
            // Two of one line are seldom two mistakes: a line is told once.
            error if self.0.iter().any(|other| is_alike(other, &error)) => {}
            error => self.0.push(error),
        }
    }

    /// Adds a mistake of a key of its own, also where another one is in the same line.
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

    /// Forgets those mistakes after the first `after` that say that something is missing, and so
    /// have no place: what is missing may be there under a name that nobody knows.
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

    /// The values of all results, or all of their mistakes.
    pub(super) fn all<T>(
        results: impl Iterator<Item = Result<T, StudyError>>,
    ) -> Result<Vec<T>, StudyError> {
        let mut faults = Self::default();
        let right: Vec<T> = results.filter_map(|found| faults.keep(found)).collect();
        faults.finish().map(|()| right)
    }
}

/// The line or the key that an error is about.
fn place(error: &StudyError) -> Option<String> {
    match error {
        StudyError::Wrong { place, .. } => place.line.map(|line| line.to_string()),
        StudyError::WrongKey { key, .. } => key.clone(),
        _ => None,
    }
}

/// Whether two errors are of the same line or key, or say the same.
fn is_alike(one: &StudyError, other: &StudyError) -> bool {
    let (at, also) = (place(one), place(other));
    (at.is_some() && at == also) || one.to_string() == other.to_string()
}
