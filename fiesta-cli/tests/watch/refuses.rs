//! Tests of requests that the page refuses, and of what its headers forbid.

use super::{bench, page::Page};
use std::{fs, net::TcpStream, os::unix::fs::MetadataExt, time::UNIX_EPOCH};

#[test]
fn without_its_token_or_from_elsewhere_it_says_nothing() {
    let bench = bench();
    let page = Page::of(&bench, &["study.toml"]);
    let own = format!("/{}/", page.token);
    let wrong = "0".repeat(page.token.len());
    let local = ("Host", "127.0.0.1:1");
    for path in [
        "/".to_owned(),
        format!("/{wrong}/"),
        format!("/{}/", &page.token[1..]),
        format!("/{wrong}/events"),
        "/favicon.ico".to_owned(),
    ] {
        let answer = page.ask("GET", &path, &[local]);
        assert_eq!(answer.code, 403, "{path}: {answer:?}");
        assert!(!answer.body.contains("trial"), "{answer:?}");
    }
    for headers in [
        &[("Host", "evil.example")][..],
        &[("Host", "evil.example:80")],
        &[("Host", "127.0.0.1.evil.example")],
        &[local, ("Host", "evil.example")],
        &[],
        &[local, ("Origin", "http://evil.example")],
        &[local, ("Origin", "null")],
        &[local, ("Origin", "http://127.0.0.1:2")],
        &[local, ("Sec-Fetch-Site", "cross-site")],
        &[local, ("Sec-Fetch-Site", "same-site")],
    ] {
        for path in [own.clone(), format!("{own}events"), format!("{own}live.js")] {
            let answer = page.ask("GET", &path, headers);
            assert_eq!(answer.code, 403, "{path} {headers:?}: {answer:?}");
        }
    }
    let rebound = page.ask("GET", &format!("http://evil.example{own}"), &[local]);
    assert_eq!(rebound.code, 403, "{rebound:?}");
    // A forwarded port has another number, and may be called localhost.
    for host in ["localhost:65535", "127.0.0.1:1", "localhost"] {
        assert_eq!(page.ask("GET", &own, &[("Host", host)]).code, 200, "{host}");
    }
    page.end();
}

#[test]
fn nothing_can_be_changed_through_it() {
    let bench = bench();
    assert_eq!(
        bench.fiesta(&["run", "--quiet", "study.toml"]).code,
        Some(0)
    );
    let state = || {
        let mut files: Vec<_> = fs::read_dir(bench.path("study.fiesta"))
            .unwrap()
            .flatten()
            .map(|file| {
                let about = file.metadata().unwrap();
                (
                    file.file_name(),
                    about.size(),
                    about.mtime(),
                    about.mtime_nsec(),
                )
            })
            .collect();
        files.sort();
        files
    };
    let ledger = || fs::read(bench.path("study.fiesta/ledger.db")).unwrap();
    let (before, begun) = (ledger(), state());
    let page = Page::of(&bench, &["study.toml"]);
    let own = format!("/{}/", page.token);
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
        let answer = page.ask(method, &own, &[("Host", "localhost:1")]);
        assert_eq!(answer.code, 405, "{method}: {answer:?}");
        assert!(answer.head.contains("allow: get, head"), "{answer:?}");
    }
    assert!(page.get("").body.contains("high"));
    assert_eq!(ledger(), before);
    let changed: Vec<_> = state()
        .into_iter()
        .filter(|file| !begun.contains(file))
        .collect();
    // SQLite's index of its log may be made anew by whoever reads; nothing else may be.
    let is_index = |name: &str| name.ends_with("-shm") || name.ends_with("-wal");
    assert!(
        changed
            .iter()
            .all(|file| is_index(&file.0.to_string_lossy())),
        "{changed:?} since {:?}",
        UNIX_EPOCH.elapsed()
    );
    page.end();
}

#[test]
fn it_forbids_itself_everything_that_it_does_not_need() {
    let bench = bench();
    let page = Page::of(&bench, &["study.toml"]);
    for (file, kind) in [
        ("", "text/html"),
        ("live.css", "text/css"),
        ("live.js", "text/javascript"),
        ("nothing", "text/plain"),
    ] {
        let answer = page.get(file);
        for header in [
            &format!("content-type: {kind}")[..],
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';",
            "frame-ancestors 'none'",
            "cache-control: no-store",
            "referrer-policy: no-referrer",
            "x-content-type-options: nosniff",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(
                answer.head.contains(header),
                "{header} of {file}: {answer:?}"
            );
        }
        assert!(!answer.head.contains("set-cookie"), "{answer:?}");
        assert!(!answer.head.contains("access-control"), "{answer:?}");
        // Nothing leads anywhere else.
        let elsewhere = answer.body.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !elsewhere.contains("http://") && !elsewhere.contains("https://"),
            "{file}"
        );
    }
    let head = page.ask(
        "HEAD",
        &format!("/{}/", page.token),
        &[("Host", "localhost")],
    );
    assert!(head.code == 200 && head.body.is_empty(), "{head:?}");
    // Other machines do not reach it: it listens at this one's own address alone.
    let listening = fs::read_to_string("/proc/net/tcp").unwrap();
    let port = format!(":{:04X}", page.port);
    let own: Vec<&str> = listening
        .lines()
        .filter(|line| line.contains(" 0A "))
        .filter_map(|line| line.split_whitespace().nth(1))
        .filter(|address| address.ends_with(&port))
        .collect();
    assert_eq!(own, [format!("0100007F{port}")]);
    assert!(TcpStream::connect(("::1", page.port)).is_err());
    page.end();
}
