//! The hosts of a study: a list of names, or of tables with their slots and GPUs.

use super::{StudyError, error::Source, file::GpuName};
use crate::executor::ssh::Host;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A host: its name, or a table.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    untagged,
    expecting = "a host is its name, such as \"user@bob:2222\", or { host = \"bob\", slots = 2, gpus = [0, 1] }"
)]
pub(super) enum HostEntry {
    Name(String),
    Table(HostTable),
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct HostTable {
    host: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    slots: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gpus: Option<HostGpus>,
}

/// The GPUs of a host: so many, from number 0, or these.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum HostGpus {
    Count(u32),
    Named(Vec<GpuName>),
}

impl HostGpus {
    fn names(&self) -> Vec<String> {
        match self {
            Self::Count(count) => (0..*count).map(|gpu| gpu.to_string()).collect(),
            Self::Named(names) => names
                .iter()
                .map(|name| match name {
                    GpuName::Index(index) => index.to_string(),
                    GpuName::Id(id) => id.clone(),
                })
                .collect(),
        }
    }
}

/// The hosts of a list; checked. A host has a slot for each of its GPUs, and at least one, unless
/// its table says otherwise.
pub(super) fn hosts(source: &Source<'_>, entries: &[HostEntry]) -> Result<Vec<Host>, StudyError> {
    if entries.is_empty() {
        let message = "which machines carry out the jobs is missing: write hosts = [\"alice\", { host = \"bob\", slots = 2 }] under [executor]";
        return Err(source.wrong(&["executor", "kind"], message));
    }
    let mut names = BTreeSet::new();
    let checked = entries.iter().enumerate().map(|(number, entry)| {
        let place = number.to_string();
        let wrong = |message: String| source.wrong(&["executor", "hosts", &place], message);
        let (name, slots, gpus) = match entry {
            HostEntry::Name(name) => (name, None, None),
            HostEntry::Table(table) => (&table.host, table.slots, table.gpus.as_ref()),
        };
        let host = Host::named(name).map_err(&wrong)?;
        if !names.insert(name.clone()) {
            return Err(wrong(format!(
                "the host `{name}` stands here twice: give it more slots instead"
            )));
        }
        let gpus = gpus.map(HostGpus::names).unwrap_or_default();
        let distinct: BTreeSet<&String> = gpus.iter().collect();
        if distinct.len() < gpus.len() || gpus.iter().any(|gpu| gpu.is_empty() || gpu.contains(','))
        {
            return Err(wrong(format!(
                "the GPUs of `{name}` are a number, or a list of different ones, such as [0, 1]"
            )));
        }
        if slots == Some(0) {
            return Err(wrong(format!(
                "`{name}` has no slots: write at least 1, or leave the host out"
            )));
        }
        Ok(Host {
            slots: slots.unwrap_or_else(|| gpus.len().max(1)),
            gpus,
            ..host
        })
    });
    checked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[derive(Deserialize)]
    struct File {
        executor: Table,
    }

    #[derive(Deserialize)]
    struct Table {
        hosts: Vec<HostEntry>,
    }

    fn read(list: &str) -> Result<Vec<Host>, String> {
        let text = format!("[executor]\nhosts = {list}\n");
        let file: File = toml::from_str(&text).map_err(|error| error.to_string())?;
        let path = Path::new("study.toml");
        let source = Source::new(Some(path), &text);
        hosts(&source, &file.executor.hosts).map_err(|error| error.to_string())
    }

    #[test]
    fn names_and_tables() {
        let list = r#"["alice", "me@bob:2222", { host = "carol", gpus = 2 }, { host = "dan", slots = 3, gpus = [1, "GPU-7"] }]"#;
        let hosts = read(list).unwrap();
        let seen: Vec<(&str, usize, String)> = hosts
            .iter()
            .map(|host| (host.name.as_str(), host.slots, host.gpus.join(",")))
            .collect();
        let expected = [
            ("alice", 1, ""),
            ("me@bob:2222", 1, ""),
            ("carol", 2, "0,1"),
            ("dan", 3, "1,GPU-7"),
        ];
        let expected = expected.map(|(name, slots, gpus)| (name, slots, gpus.to_owned()));
        assert_eq!(seen, expected);
        assert_eq!(hosts[1].port, Some(2222));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (list, words) in [
            ("[]", "which machines carry out the jobs is missing"),
            (r#"["-oProxyCommand=x"]"#, "begins like an option"),
            (r#"["alice", "alice"]"#, "stands here twice"),
            (r#"[{ host = "alice", slots = 0 }]"#, "has no slots"),
            (
                r#"[{ host = "alice", gpus = [0, 0] }]"#,
                "a list of different ones",
            ),
            (r#"[{ host = "alice", slot = 2 }]"#, "a host is its name"),
            ("[7]", "a host is its name"),
        ] {
            let error = read(list).unwrap_err();
            assert!(error.contains(words), "{list}: {error}");
            assert!(
                list == "[]" || error.contains(":2") || error.contains("line 2"),
                "{error}"
            );
        }
    }
}
