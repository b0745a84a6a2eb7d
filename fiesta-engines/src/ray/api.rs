//! Calls of Ray's REST API of jobs: each with a limit of time, and with the token if there is one.

use super::address::{is_local, token};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{io, time::Duration};
use ureq::{
    Agent, Body, Error, Proxy, Timeout,
    http::{Response, StatusCode},
};

/// Longest duration of a call.
const LIMIT: Duration = Duration::from_mins(1);
const CONNECTING: Duration = Duration::from_secs(10);
/// Length of the longest answer, in bytes. A listing has up to 20 kB of each job that failed.
const LONGEST: u64 = 512 << 20;

/// Client of Ray's API at an address.
#[derive(Debug)]
pub(super) struct Api {
    agent: Agent,
    pub(super) address: String,
}

/// Reason for which a call of Ray's API failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// No connection was made: Ray has not heard the call.
    Unreached(String),
    /// Nobody knows whether Ray heard the call.
    Unclear(String),
    /// Ray answered the call with an error.
    Answered { status: StatusCode, words: String },
}

impl Failure {
    /// Returns a message for the user about the failure.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Unreached(words) | Self::Unclear(words) => words.clone(),
            Self::Answered { status, words } => {
                let advice = match *status {
                    StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                        "; give the cluster's token in RAY_AUTH_TOKEN or ~/.ray/auth_token (`ray get-auth-token` prints it on the head)"
                    }
                    status if status.is_redirection() || status == StatusCode::NOT_FOUND => {
                        "; is `address` under [executor] that of Ray's dashboard?"
                    }
                    _ => "",
                };
                format!("{status}: {words}{advice}")
            }
        }
    }

    /// Tells whether Ray answered with an error that says `part`.
    pub(super) fn says(&self, part: &str) -> bool {
        matches!(self, Self::Answered { words, .. } if words.contains(part))
    }
}

impl Api {
    pub(super) fn new(address: String) -> Self {
        let proxy = Proxy::try_from_env().filter(|_| !is_local(&address));
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // The token is for this address alone.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(LIMIT))
            .timeout_connect(Some(CONNECTING))
            .timeout_resolve(Some(CONNECTING))
            .user_agent(concat!("fiesta/", env!("CARGO_PKG_VERSION")))
            .proxy(proxy);
        #[cfg(feature = "https")]
        let config = config.tls_config(tls());
        Self {
            agent: config.build().new_agent(),
            address,
        }
    }

    pub(super) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        let request = self.agent.get(self.url(path));
        let request = request.header("accept", "application/json");
        let text = self.heard(self.signed(request).call())?;
        serde_json::from_str(&text).map_err(|error| {
            Failure::Unclear(format!(
                "{} answered what is none of Ray's ({error}); is it the address of Ray's dashboard?",
                self.url(path)
            ))
        })
    }

    pub(super) fn post(&self, path: &str, body: Option<&Value>) -> Result<(), Failure> {
        let request = self.signed(self.agent.post(self.url(path)));
        let answer = match body {
            Some(body) => request
                .header("content-type", "application/json")
                .send(body.to_string()),
            None => request.send_empty(),
        };
        self.heard(answer).map(drop)
    }

    pub(super) fn delete(&self, path: &str) -> Result<(), Failure> {
        let answer = self.signed(self.agent.delete(self.url(path))).call();
        self.heard(answer).map(drop)
    }

    fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.address)
    }

    /// Adds the token to a request. The token is neither visible in `ps` nor written to disk.
    #[expect(clippy::unused_self, reason = "a request of this API")]
    fn signed<B>(&self, request: ureq::RequestBuilder<B>) -> ureq::RequestBuilder<B> {
        match token() {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        }
    }

    fn heard(&self, answer: Result<Response<Body>, Error>) -> Result<String, Failure> {
        let answer = answer.map_err(|error| self.failure(&error))?;
        let (head, body) = answer.into_parts();
        let text = body.into_with_config().limit(LONGEST).read_to_string();
        let text = text.map_err(|error| self.failure(&error))?;
        if head.status == StatusCode::OK {
            return Ok(text);
        }
        Err(Failure::Answered {
            status: head.status,
            words: complaint(&text),
        })
    }

    fn failure(&self, error: &Error) -> Failure {
        let said = error.to_string();
        let advice = if said.contains("certificate") {
            "; if it is signed by an authority of your own, name the file with that one's certificate in SSL_CERT_FILE"
        } else {
            ""
        };
        let words = format!("no answer from {}: {said}{advice}", self.address);
        let is_unreached = match error {
            Error::Io(error) => matches!(
                error.kind(),
                io::ErrorKind::ConnectionRefused
                    | io::ErrorKind::HostUnreachable
                    | io::ErrorKind::NetworkUnreachable
            ),
            Error::Timeout(timeout) => matches!(timeout, Timeout::Resolve | Timeout::Connect),
            Error::HostNotFound | Error::ConnectionFailed | Error::BadUri(_) => true,
            _ => false,
        };
        if is_unreached {
            Failure::Unreached(words)
        } else {
            Failure::Unclear(words)
        }
    }
}

#[cfg(feature = "https")]
fn tls() -> ureq::tls::TlsConfig {
    use ureq::tls::{Certificate, RootCerts, TlsConfig};
    // Those of the machine, among which an institution's own may be. Where one cannot be read, the
    // others do.
    let trusted = rustls_native_certs::load_native_certs().certs;
    let trusted = trusted
        .iter()
        .map(|der| Certificate::from_der(der).to_owned());
    TlsConfig::builder()
        .unversioned_rustls_crypto_provider(rustls::crypto::ring::default_provider().into())
        .root_certs(RootCerts::from(trusted))
        .build()
}

/// Returns the reason in an error answer: the last line of Python's traceback that has words.
fn complaint(text: &str) -> String {
    const LONG: usize = 500;
    let lines = text.lines().map(str::trim);
    let mut said = lines.filter(|line| line.chars().any(char::is_alphanumeric));
    let line = said.next_back().unwrap_or("no reason");
    line.chars().take(LONG).collect()
}
