//! Check of requests: only a browser that was given the page's address is answered, on this machine
//! or through a forwarded port.

use super::token::Token;
use hyper::{
    HeaderMap, Method, StatusCode, Uri,
    header::{HOST, HeaderName, ORIGIN},
};

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Files that the page consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum File {
    Page,
    Style,
    Script,
    Events,
}

/// Refusal of a request: a status and a line with the reason.
pub(super) type Refusal = (StatusCode, &'static str);

/// Returns the file that a request asks for, or a refusal.
pub(super) fn allowed(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
    token: &Token,
) -> Result<File, Refusal> {
    if method != Method::GET && method != Method::HEAD {
        let line = "This page can be read, and nothing else.";
        return Err((StatusCode::METHOD_NOT_ALLOWED, line));
    }
    // Of a page elsewhere whose name was made to lead here (DNS rebinding), the host is foreign.
    let host = only(headers, &HOST).filter(|host| is_local(host));
    let Some(host) = host.filter(|_| uri.authority().is_none_or(|to| is_local(to.as_str()))) else {
        let line =
            "This page is for this machine alone: ask for 127.0.0.1 or localhost, at any port.";
        return Err((StatusCode::FORBIDDEN, line));
    };
    let is_own = |origin: &str| origin.strip_prefix("http://") == Some(host);
    let origin = headers.contains_key(&ORIGIN);
    if origin && !only(headers, &ORIGIN).is_some_and(is_own) {
        let line = "This page answers no request that another page makes.";
        return Err((StatusCode::FORBIDDEN, line));
    }
    // An address that a person typed, pasted or clicked outside of a page has no site.
    let asks = headers.contains_key(&FETCH_SITE);
    if asks && !matches!(only(headers, &FETCH_SITE), Some("none" | "same-origin")) {
        let line = "This page answers no link or request of another page: paste its address.";
        return Err((StatusCode::FORBIDDEN, line));
    }
    let path = uri.path().strip_prefix('/').unwrap_or_default();
    let (given, file) = path.split_once('/').unwrap_or((path, "-"));
    if !token.is(given) {
        let line =
            "The address is not the one that `fiesta watch` printed: each start has another one.";
        return Err((StatusCode::FORBIDDEN, line));
    }
    match file {
        "" => Ok(File::Page),
        "live.css" => Ok(File::Style),
        "live.js" => Ok(File::Script),
        "events" => Ok(File::Events),
        "-" => Err((StatusCode::NOT_FOUND, "The address ends with a slash.")),
        _ => Err((StatusCode::NOT_FOUND, "There is nothing here.")),
    }
}

/// Returns the value of a header. `None` if it is missing or occurs twice.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    value.to_str().ok()
}

/// Returns whether a request's host is this machine, as a browser names it. Any port is allowed, as it may be a forwarded one.
fn is_local(host: &str) -> bool {
    let (name, port) = host.split_once(':').unwrap_or((host, "80"));
    let is_port = !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit());
    is_port
        && port.parse::<u16>().is_ok()
        && (name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    fn ask(path: &str, headers: &[(&str, &str)], token: &Token) -> Result<File, StatusCode> {
        ask_by("GET", path, headers, token)
    }

    fn ask_by(
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        token: &Token,
    ) -> Result<File, StatusCode> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(()).unwrap();
        allowed(request.method(), request.uri(), request.headers(), token).map_err(|(code, _)| code)
    }

    #[test]
    fn only_this_machine_with_the_token_is_answered() {
        let token = Token::random().unwrap();
        let path = format!("/{}/", token.text());
        let forbidden = Err(StatusCode::FORBIDDEN);
        for host in [
            "127.0.0.1",
            "127.0.0.1:80",
            "localhost:54321",
            "LOCALHOST:1",
        ] {
            assert_eq!(
                ask(&path, &[("host", host)], &token),
                Ok(File::Page),
                "{host}"
            );
        }
        for host in [
            "",
            "evil.example",
            "evil.example:80",
            "127.0.0.1.evil.example",
            "localhost.evil.example:80",
            "127.0.0.1:80@evil.example",
            "127.0.0.1:99999",
            "127.0.0.1:",
            "127.0.0.1:+1",
            "127.1",
            "0.0.0.0:80",
            "[::1]:80",
        ] {
            assert_eq!(ask(&path, &[("host", host)], &token), forbidden, "{host}");
        }
        assert_eq!(ask(&path, &[], &token), forbidden);
        let twice = [("host", "localhost"), ("host", "evil.example")];
        assert_eq!(ask(&path, &twice, &token), forbidden);
        let absolute = format!("http://evil.example{path}");
        assert_eq!(ask(&absolute, &[("host", "localhost")], &token), forbidden);

        let wrong = Token::random().unwrap();
        for path in [
            "/".to_owned(),
            "/live.js".to_owned(),
            format!("/{}/", wrong.text()),
            format!("/{}0/", token.text()),
            format!("/{}/", &token.text()[1..]),
            format!("//{}/", token.text()),
            format!("/?{}", token.text()),
        ] {
            assert_eq!(
                ask(&path, &[("host", "localhost")], &token),
                forbidden,
                "{path}"
            );
        }
    }

    #[test]
    fn other_pages_and_other_methods_are_refused() {
        let token = Token::random().unwrap();
        let path = format!("/{}/events", token.text());
        let with = |name, value| ask(&path, &[("host", "localhost:81"), (name, value)], &token);
        assert_eq!(with("origin", "http://localhost:81"), Ok(File::Events));
        for origin in [
            "null",
            "https://evil.example",
            "http://localhost:82",
            "http://127.0.0.1:81",
            "https://localhost:81",
        ] {
            assert_eq!(
                with("origin", origin),
                Err(StatusCode::FORBIDDEN),
                "{origin}"
            );
        }
        for site in ["none", "same-origin"] {
            assert_eq!(with("sec-fetch-site", site), Ok(File::Events));
        }
        for site in ["cross-site", "same-site", ""] {
            assert_eq!(with("sec-fetch-site", site), Err(StatusCode::FORBIDDEN));
        }
        for method in [
            "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE",
        ] {
            let path = if method == "CONNECT" {
                "localhost:81"
            } else {
                &path
            };
            let asked = ask_by(method, path, &[("host", "localhost:81")], &token);
            assert_eq!(asked, Err(StatusCode::METHOD_NOT_ALLOWED), "{method}");
        }
        assert_eq!(
            ask_by("HEAD", &path, &[("host", "localhost")], &token),
            Ok(File::Events)
        );
        for (file, is) in [
            ("live.css", Ok(File::Style)),
            ("live.js", Ok(File::Script)),
            ("../etc/passwd", Err(StatusCode::NOT_FOUND)),
            ("events/", Err(StatusCode::NOT_FOUND)),
        ] {
            let path = format!("/{}/{file}", token.text());
            assert_eq!(ask(&path, &[("host", "localhost")], &token), is, "{file}");
        }
        // Without a slash the page's files would be looked for beside the token.
        let bare = format!("/{}", token.text());
        assert_eq!(
            ask(&bare, &[("host", "localhost")], &token),
            Err(StatusCode::NOT_FOUND)
        );
    }
}
