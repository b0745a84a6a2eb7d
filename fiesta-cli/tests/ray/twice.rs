//! Test of a connection to Ray that delivers each submission twice and loses the answers.

use super::{OnRay, head, uniform};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    thread,
    time::Duration,
};

/// Starts a proxy that passes each submission on twice without an answer, and every other request unchanged.
fn handed_on_twice(listener: TcpListener, dashboard: u16) {
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || pass(stream, dashboard));
        }
    });
}

fn pass(mut stream: TcpStream, dashboard: u16) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
        if !lower.starts_with("connection:") {
            head += &line;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let is_submission = head.starts_with("POST /api/jobs/ ");
    let request = [
        head.replace("HTTP/1.1", "HTTP/1.0").as_bytes(),
        b"\r\n",
        &body,
    ]
    .concat();
    let answer = head::exchange(dashboard, &request)?;
    if is_submission {
        let again = head::exchange(dashboard, &request)?;
        assert!(String::from_utf8_lossy(&again).contains("already exists"));
        return None;
    }
    let answer = String::from_utf8(answer).ok()?;
    let answer = answer.replacen("\r\n", "\r\nconnection: close\r\n", 1);
    stream.write_all(answer.as_bytes()).ok()
}

#[test]
#[ignore = "a head of Ray: scripts/test ray"]
fn a_batch_is_submitted_twice_and_nobody_hears_so() {
    let Some(head) = head::shared() else { return };
    let head = head.as_ref().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    handed_on_twice(listener, head.dashboard());
    let there = OnRay::at(head, &address, &uniform(12), "");
    there.start().wait_for(Duration::from_mins(3)).says(0, &[]);
    there.audit(12);
    assert_eq!(there.answered(), 12);
}
