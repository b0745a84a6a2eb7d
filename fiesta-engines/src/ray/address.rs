//! The address of Ray's dashboard and the token for it, found as Ray's own tools find them.

use std::{env, ffi::OsString, fs, path::PathBuf};

/// Address of the dashboard of a head on this machine.
const OWN: &str = "http://127.0.0.1:8265";
/// Environment variables for the address of Ray. The first one that is set counts.
const VARIABLES: [&str; 2] = ["RAY_API_SERVER_ADDRESS", "RAY_ADDRESS"];

/// Returns the address of the dashboard: `named`, else the one in Ray's variables, else this machine's.
///
/// # Errors
/// What is wrong with it.
pub(super) fn resolved(named: Option<&str>) -> Result<String, String> {
    if let Some(named) = named {
        return checked(named);
    }
    let set = VARIABLES.iter().find_map(|variable| {
        let value = env::var(variable).ok()?;
        (!value.is_empty()).then_some((variable, value))
    });
    match set {
        Some((variable, value)) => checked(&value).map_err(|problem| {
            format!("{problem} (it is that of the variable {variable}; `address` under [executor] counts before it)")
        }),
        None => Ok(OWN.to_owned()),
    }
}

/// Checks an address, and returns it without a slash at its end.
///
/// # Errors
/// What is wrong with it.
pub(super) fn checked(address: &str) -> Result<String, String> {
    let is_http = address.starts_with("http://");
    let is_https = address.starts_with("https://");
    let rest = address.split_once("://").map_or("", |(_, rest)| rest);
    if !is_http && !is_https || rest.is_empty() || rest.contains(char::is_whitespace) {
        return Err(format!(
            "`{address}` is no address of Ray's dashboard, over which jobs are submitted: write it as {OWN}"
        ));
    }
    if rest.contains('@') {
        return Err(
            "an address with a password in it is shown to whoever lists processes or reads the study: Ray takes a token, from RAY_AUTH_TOKEN or ~/.ray/auth_token"
                .to_owned(),
        );
    }
    if is_https && cfg!(not(feature = "https")) {
        return Err(format!(
            "`{address}` needs a build of this program with the feature `https`"
        ));
    }
    Ok(address.trim_end_matches('/').to_owned())
}

/// Returns whether an address is of this machine, so that requests use no proxy.
pub(super) fn is_local(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    ["127.", "localhost", "[::1]"]
        .iter()
        .any(|own| host.starts_with(own))
}

/// Returns Ray's token, read anew for each request: a replaced token counts at once, and none is kept in memory.
pub(super) fn token() -> Option<String> {
    let is_set = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty());
    if is_set("RAY_AUTH_MODE").is_some_and(|mode| mode.eq_ignore_ascii_case("disabled")) {
        return None;
    }
    let given = is_set("RAY_AUTH_TOKEN").and_then(|token| token.into_string().ok());
    let token = given.or_else(|| {
        let own = |home: OsString| PathBuf::from(home).join(".ray/auth_token");
        let file = is_set("RAY_AUTH_TOKEN_PATH").map(PathBuf::from);
        fs::read_to_string(file.or_else(|| is_set("HOME").map(own))?).ok()
    })?;
    let token = token.trim();
    (!token.is_empty()).then(|| token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert_eq!(checked("http://head:8265/").unwrap(), "http://head:8265");
        for wrong in [
            "127.0.0.1:6379",
            "ray://head:10001",
            "auto",
            "http://",
            "http://a b",
        ] {
            let problem = checked(wrong).unwrap_err();
            assert!(problem.contains("write it as http://"), "{problem}");
        }
        assert!(checked("http://me:secret@head:8265").is_err());
        assert!(is_local("http://127.0.0.1:8265") && is_local("http://localhost"));
        assert!(!is_local("https://ray.example.org"));
    }
}
