//! Arms of a study: the candidates among which the best is sought.

use crate::Foreign;
use std::{borrow::Cow, collections::HashMap};
use unicode_normalization::UnicodeNormalization;

/// The number of an arm within its study, from 0 to K − 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ArmId(u32);

impl ArmId {
    /// The arm with this index.
    ///
    /// # Panics
    /// If `index` does not fit 32 bits.
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a study has fewer than 2^32 arms"))
    }

    /// Returns the position of this arm in every slice of length K.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the arms 0 to `count` − 1.
    ///
    /// # Panics
    /// At the arm whose index does not fit 32 bits.
    pub fn all(count: usize) -> impl DoubleEndedIterator<Item = ArmId> + ExactSizeIterator {
        (0..count).map(ArmId::new)
    }
}

/// The names of the arms of one study: at least two (one in a study that compares nothing), none
/// empty, all distinct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arms {
    names: Vec<String>,
}

/// The reason why a list of names is refused as a set of arms.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArmsError {
    /// The list of arms is empty.
    #[error("there are no arms: name at least two candidates")]
    None,
    /// The list of arms has one name; a choice takes two.
    #[error("there is only one arm, `{0}`: name at least one rival")]
    One(String),
    /// Two arms bear the same name.
    #[error("the name `{0}` is used by two arms: names must be distinct")]
    Duplicate(String),
    /// The names of two arms look the same.
    #[error(
        "the names `{0}` and `{1}` differ in spaces alone, or in how Unicode writes the same letters: make them one name, or two that differ"
    )]
    Alike(String, String),
    /// The name of an arm is empty or only white space.
    #[error("arm number {0} has an empty name")]
    Empty(usize),
    /// The name of an arm has a control character.
    #[error(
        "the name `{}` of an arm contains a line break, a tab or another control character: remove it",
        Foreign::new(.0)
    )]
    Control(String),
}

impl Arms {
    /// Checks the names and numbers them in their order.
    ///
    /// # Errors
    /// [`ArmsError`] if there are fewer than two names, one is blank, one has a control
    /// character, or two are equal or [look the same](one_spelling).
    ///
    /// # Example
    /// ```
    /// use fiesta_core::Arms;
    /// let arms = Arms::new(["lstm", "tdlstm"])?;
    /// assert_eq!(arms.len(), 2);
    /// assert!(Arms::new(["lstm", "lstm"]).is_err());
    /// # Ok::<(), fiesta_core::ArmsError>(())
    /// ```
    pub fn new(names: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, ArmsError> {
        let arms = Self::even_one(names)?;
        match arms.names.as_slice() {
            [only] => Err(ArmsError::One(only.clone())),
            _ => Ok(arms),
        }
    }

    /// Returns arms as [`new`](Self::new) does, but accepts a single name: for a study that
    /// compares nothing, such as the random search of one model's hyperparameters.
    ///
    /// # Errors
    /// [`ArmsError`] if there is no name, one is blank or has a control character, or two are equal or
    /// look the same.
    pub fn even_one(names: impl IntoIterator<Item = impl Into<String>>) -> Result<Self, ArmsError> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let mut seen = HashMap::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            if name.trim().is_empty() {
                return Err(ArmsError::Empty(index + 1));
            }
            if name.contains(char::is_control) {
                return Err(ArmsError::Control(name.clone()));
            }
            match seen.insert(one_spelling(name), name) {
                None => {}
                Some(same) if same == name => return Err(ArmsError::Duplicate(name.clone())),
                Some(other) => return Err(ArmsError::Alike(other.clone(), name.clone())),
            }
        }
        if names.is_empty() {
            return Err(ArmsError::None);
        }
        Ok(Self { names })
    }

    /// Returns the number of arms, K.
    #[allow(clippy::len_without_is_empty, reason = "never empty by construction")]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the name of an arm.
    ///
    /// # Panics
    /// If `arm` belongs to a larger study.
    pub fn name(&self, arm: ArmId) -> &str {
        &self.names[arm.index()]
    }

    /// Returns all names, in the order of the arms.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns all arms, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ArmId> + ExactSizeIterator {
        ArmId::all(self.names.len())
    }

    /// Returns the arm with this name.
    pub fn find(&self, name: &str) -> Option<ArmId> {
        self.names.iter().position(|n| n == name).map(ArmId::new)
    }
}

/// Returns the spelling that names have in common which look the same: Unicode's composed form
/// (NFC), each run of white space one space, and none at the ends.
///
/// # Example
/// ```
/// use fiesta_core::one_spelling;
/// assert_eq!(one_spelling("cafe\u{301}  1"), one_spelling("caf\u{e9}\u{a0}1"));
/// assert_ne!(one_spelling("cafe 1"), one_spelling("caf\u{e9} 1"));
/// ```
pub fn one_spelling(name: &str) -> Cow<'_, str> {
    let has_one_space = |text: &str| {
        let mut words = text.split(' ');
        words.all(|word| !word.is_empty() && !word.contains(char::is_whitespace))
    };
    if name.is_ascii() && has_one_space(name) {
        return Cow::Borrowed(name);
    }
    let words: Vec<&str> = name.split_whitespace().collect();
    Cow::Owned(words.join(" ").nfc().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_no_choice() {
        let none: [&str; 0] = [];
        assert_eq!(Arms::new(none), Err(ArmsError::None));
        assert_eq!(Arms::new(["a"]), Err(ArmsError::One("a".into())));
        assert_eq!(Arms::even_one(["a"]).map(|arms| arms.len()), Ok(1));
        assert_eq!(Arms::even_one(none), Err(ArmsError::None));
        assert_eq!(
            Arms::new(["a", "b", "a"]),
            Err(ArmsError::Duplicate("a".into()))
        );
        assert_eq!(Arms::new(["a", " "]), Err(ArmsError::Empty(2)));
        let control = Arms::new(["a", "b\nc"]).unwrap_err();
        assert_eq!(control, ArmsError::Control("b\nc".into()));
        assert!(control.to_string().contains("`b\\nc`"), "{control}");
        for (one, other) in [("a b", "a  b"), ("a", "a "), ("caf\u{e9}", "cafe\u{301}")] {
            let alike = ArmsError::Alike(one.into(), other.into());
            assert_eq!(Arms::new([one, other]), Err(alike));
        }
    }

    #[test]
    fn finds_names() {
        let arms = Arms::new(["a", "b"]).unwrap();
        assert_eq!(arms.find("b"), Some(ArmId::new(1)));
        assert_eq!(arms.find("c"), None);
        assert_eq!(arms.name(ArmId::new(0)), "a");
    }
}
