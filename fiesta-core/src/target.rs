//! Target of a verdict about a pool: these items, or many more like them.

use std::{fmt, str::FromStr};

/// Target of a verdict about a pool of items: which items it is of.
///
/// # Example
/// ```
/// use fiesta_core::Target;
/// assert_eq!(Target::default(), Target::TheseItems);
/// assert_eq!("items-like-these".parse(), Ok(Target::ItemsLikeThese));
/// assert_eq!(Target::ItemsLikeThese.to_string(), "items like these");
/// assert!("all items".parse::<Target>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Target {
    /// The items of the pool: which arm has the highest mean over them. Once all answers are known,
    /// that is a count.
    #[default]
    #[cfg_attr(feature = "serde", serde(rename = "these items"))]
    TheseItems,
    /// Many more items that are drawn as those of the pool were: which arm would have the highest
    /// mean over them. That is always a probability.
    #[cfg_attr(
        feature = "serde",
        serde(rename = "items like these", alias = "items-like-these")
    )]
    ItemsLikeThese,
}

/// The name of a target is unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no target: use \"these items\" or \"items like these\"")]
pub struct UnknownTarget(String);

impl Target {
    /// Returns the name of the target, in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::TheseItems => "these items",
            Self::ItemsLikeThese => "items like these",
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Target {
    type Err = UnknownTarget;

    /// Reads the target from its words, with spaces or with hyphens.
    fn from_str(text: &str) -> Result<Self, UnknownTarget> {
        let all = [Self::TheseItems, Self::ItemsLikeThese];
        let named = all
            .into_iter()
            .find(|target| target.name() == text.replace('-', " "));
        named.ok_or_else(|| UnknownTarget(text.to_owned()))
    }
}
