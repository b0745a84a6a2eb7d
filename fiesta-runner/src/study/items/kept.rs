//! The identities of a pool's items, kept in the study's state so that a ledger can be read when
//! the file of the items is gone.

use super::{Content, Digest, Groups, Item, Items, PoolKey};
use crate::{private, run::files::replace};
use serde::{Deserialize, Serialize};
use std::{
    io,
    path::{Path, PathBuf},
};

/// First line of the file of kept items.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    /// The key whose values are the groups of the items. `None` without groups.
    strata: Option<String>,
}

/// A line for each item: its identity, the digest of its content, and its group.
type Line = (String, i64, Option<String>);

fn file(state: &Path) -> PathBuf {
    state.join("items.jsonl")
}

impl Items {
    /// Writes the identities of the items to a study's state directory, unless they are there.
    pub(in crate::study) fn keep(&self, state: &Path) -> io::Result<()> {
        let groups = self.groups.as_ref();
        let strata = groups.map(|groups| groups.key.clone());
        let mut text = serde_json::to_string(&Head { strata })?;
        for (number, item) in self.all.iter().enumerate() {
            let group = groups.map(|groups| groups.of[number].clone());
            let line: Line = (item.id.clone(), item.digest.number(), group);
            text.push('\n');
            text.push_str(&serde_json::to_string(&line)?);
        }
        text.push('\n');
        let path = file(state);
        if private::read(&path).is_ok_and(|kept| kept == text.as_bytes()) {
            return Ok(());
        }
        replace(&path, text.as_bytes())
    }

    /// Reads the items whose identities a study's state directory has, without their contents.
    /// `None` if there are none, or they cannot be read.
    pub(in crate::study) fn kept(state: &Path, key: PoolKey) -> Option<Self> {
        let text = String::from_utf8(private::read(&file(state)).ok()?).ok()?;
        let mut lines = text.lines();
        let head: Head = serde_json::from_str(lines.next()?).ok()?;
        let (mut all, mut of) = (Vec::new(), Vec::new());
        for line in lines {
            let (id, digest, group): Line = serde_json::from_str(line).ok()?;
            all.push(Item {
                id,
                digest: Digest::from_number(digest),
                content: Content::Gone,
            });
            of.extend(group);
        }
        let groups = head.strata.map(|key| Groups { key, of });
        let is_whole = groups
            .as_ref()
            .is_none_or(|groups| groups.of.len() == all.len());
        (is_whole && !all.is_empty()).then_some(Self {
            key,
            all,
            file: None,
            groups,
        })
    }
}
