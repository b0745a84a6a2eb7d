//! Tests of faulty requests: they end, they cost little, and the page stays available to others.

use super::{bench, page::Page, usage::peak_memory};
use fiesta::Streams;
use rand::{Rng, RngExt};
use std::{
    io::Write,
    net::TcpStream,
    time::{Duration, Instant},
};

/// Returns a request with one of many faults.
fn malformed(noise: &mut impl Rng, page: &Page, number: usize) -> Vec<u8> {
    let own = format!("/{}/", page.token);
    let good = format!("GET {own} HTTP/1.1\r\nHost: localhost\r\n");
    match number % 12 {
        0 => {
            let count = noise.random_range(0..5_000);
            noise.random_iter().take(count).collect()
        }
        1 => format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(40_000)).into_bytes(),
        2 => format!("{good}X: {}\r\n\r\n", "b".repeat(100_000)).into_bytes(),
        3 => format!("{good}{}\r\n", "X: y\r\n".repeat(3_000)).into_bytes(),
        4 => format!("{good}Content-Length: 99999999999\r\n\r\n").into_bytes(),
        5 => format!("{good}Content-Length: -1\r\n\r\n").into_bytes(),
        6 => format!("{good}Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n").into_bytes(),
        7 => format!("{good}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n")
            .into_bytes(),
        8 => format!("GET {own} HTTP/9.7\r\nHost: localhost\r\n\r\n").into_bytes(),
        9 => {
            // A good one, with a byte of it turned into another.
            let mut bytes = format!("{good}\r\n").into_bytes();
            let place = noise.random_range(0..bytes.len());
            bytes[place] = noise.random();
            bytes
        }
        10 => b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        _ => format!("GET\0{own} \r\n HTTP/1.1\n\r\n\n\rHost\x7f: \u{fe0f}\r\n\r\n").into_bytes(),
    }
}

#[test]
fn a_thousand_malformed_requests_do_nothing() {
    let bench = bench();
    assert_eq!(
        bench.fiesta(&["run", "--quiet", "study.toml"]).code,
        Some(0)
    );
    let page = Page::of(&bench, &["study.toml"]);
    let mut viewer = page.events();
    assert!(
        viewer
            .next_with("s0-answer", Duration::from_secs(10))
            .is_some()
    );
    let mut noise = Streams::new(0x5eed).run(0);
    let began = Instant::now();
    for number in 0..1_000 {
        let bytes = malformed(&mut noise, &page, number);
        let mut stream = page.connect();
        let _ = stream.write_all(&bytes);
        if number % 10 == 0 {
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
            let answer = page.get("");
            assert_eq!(answer.code, 200, "after {number}, {shown:?}: {answer:?}");
        }
    }
    println!(
        "1000 malformed requests in {:.1} s",
        began.elapsed().as_secs_f64()
    );
    let memory = peak_memory(page.running.pid()).unwrap();
    println!("at most {} MB resident", memory / 1_000_000);
    assert!(memory < 50_000_000, "{memory} bytes");
    // Whoever had the page open has it still.
    assert!(viewer.next_with("ping", Duration::from_secs(15)).is_some());
    viewer.close();
    page.end();
}

#[test]
fn half_requests_take_nobody_s_place_and_are_ended() {
    let bench = bench();
    let page = Page::of(&bench, &["study.toml"]);
    let open = || TcpStream::connect(("127.0.0.1", page.port)).unwrap();
    let mut halves: Vec<TcpStream> = (0..300).map(|_| open()).collect();
    for (number, half) in halves.iter_mut().enumerate() {
        let some = &b"GET /nothing HTTP/1.1\r\nHost: loc"[..number % 30];
        let _ = half.write_all(some);
    }
    // Slowly on, a byte at a time, as one that wants to hold connections would.
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(4) {
        for half in &mut halves {
            let _ = half.write_all(b"a");
        }
        let asked = Instant::now();
        assert_eq!(page.get("live.js").code, 200);
        assert!(
            asked.elapsed() < Duration::from_secs(2),
            "{:?}",
            asked.elapsed()
        );
    }
    // None of them holds its connection for long.
    std::thread::sleep(Duration::from_secs(4));
    let descriptors = std::fs::read_dir(format!("/proc/{}/fd", page.running.pid()));
    let descriptors = descriptors.unwrap().count();
    assert!(descriptors < 40, "{descriptors} descriptors are open");
    assert_eq!(page.get("").code, 200);
    page.end();
}

/// Tests that clients which never read do not keep other clients out.
#[test]
fn viewers_that_never_read_hold_no_place() {
    let bench = bench();
    let page = Page::of(&bench, &["study.toml"]);
    let request = format!(
        "GET /{}/events HTTP/1.1\r\nHost: localhost\r\n\r\n",
        page.token
    );
    let idle = || {
        let mut stream = page.connect();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    };
    let idle: Vec<TcpStream> = (0..100).map(|_| idle()).collect();
    let mut viewer = page.events();
    assert!(viewer.next_with("ping", Duration::from_secs(20)).is_some());
    viewer.close();
    let descriptors = std::fs::read_dir(format!("/proc/{}/fd", page.running.pid()));
    let descriptors = descriptors.unwrap().count();
    assert!(descriptors < 60, "{descriptors} descriptors are open");
    drop(idle);
    page.end();
}
