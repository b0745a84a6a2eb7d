//! The hosts of a study: how `ssh` reaches each, and what it has room for.

/// A machine that carries out runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// As it stands in the study file; what it is called in messages.
    pub name: String,
    /// What `ssh` is told: an address or an alias, perhaps with a user.
    pub destination: String,
    /// The port, if the study file names one.
    pub port: Option<u16>,
    /// So many runs at a time.
    pub slots: usize,
    /// What `CUDA_VISIBLE_DEVICES` calls its GPUs.
    pub gpus: Vec<String>,
}

impl Host {
    /// The host of this name: `alice`, `user@bob`, `bob:2222`, `[2001:db8::7]:22`, or a name in the
    /// user's configuration of ssh. It has one slot and no GPU.
    ///
    /// # Errors
    /// What is wrong with the name.
    pub fn named(name: &str) -> Result<Self, String> {
        let odd = |c: char| c.is_whitespace() || c.is_control();
        if name.is_empty() || name.contains(odd) {
            return Err(format!(
                "`{name}` names no host: write what `ssh` takes, such as \"alice\" or \"user@bob:2222\""
            ));
        }
        let (destination, port) = split(name)?;
        let machine = destination
            .rsplit_once('@')
            .map_or(destination, |parts| parts.1);
        // ssh would read it as an option.
        if destination.starts_with('-') || machine.is_empty() || machine.starts_with('-') {
            return Err(format!(
                "`{name}` names no host: it begins like an option of ssh"
            ));
        }
        Ok(Self {
            name: name.to_owned(),
            destination: destination.replace(['[', ']'], ""),
            port,
            slots: 1,
            gpus: Vec::new(),
        })
    }
}

/// The port that a name ends with, and what stands before it. An address with several colons has
/// none, unless it is in brackets.
fn split(name: &str) -> Result<(&str, Option<u16>), String> {
    let (destination, port) = match name.rsplit_once(':') {
        Some((before, port)) if !before.contains(':') || before.ends_with(']') => (before, port),
        _ => return Ok((name, None)),
    };
    match port.parse() {
        Ok(port) if port > 0 => Ok((destination, Some(port))),
        _ => Err(format!(
            "`{port}` in `{name}` is no port: write a number from 1 to 65535, or leave it out"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_users_and_ports() {
        for (name, destination, port) in [
            ("alice", "alice", None),
            ("user@bob:2222", "user@bob", Some(2222)),
            ("2001:db8::7", "2001:db8::7", None),
            ("[2001:db8::7]:22", "2001:db8::7", Some(22)),
            ("me@[::1]:2200", "me@::1", Some(2200)),
            ("[::1]", "::1", None),
        ] {
            let host = Host::named(name).unwrap();
            assert_eq!((host.destination.as_str(), host.port), (destination, port));
            assert_eq!((host.slots, host.gpus.len()), (1, 0));
        }
    }

    #[test]
    fn names_that_ssh_must_not_see() {
        for name in [
            "",
            "a b",
            "-oProxyCommand=x",
            "me@-x",
            "me@",
            "bob:0",
            "bob:ssh",
            "bob:",
            "a\nb",
        ] {
            assert!(Host::named(name).is_err(), "{name}");
        }
    }
}
