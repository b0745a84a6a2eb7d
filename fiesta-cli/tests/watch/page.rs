//! `fiesta watch` as a process of a test, and a small client that can send any request.

use super::support::{Bench, Running, until};
use rustix::process::Signal;
use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, TcpStream},
    process::Stdio,
    time::{Duration, Instant},
};

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Process of `fiesta watch`, and the address of its page.
pub(crate) struct Page {
    pub(crate) running: Running,
    pub(crate) port: u16,
    pub(crate) token: String,
}

/// The answer of the page's server.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Page {
    pub(crate) fn of(bench: &Bench, studies: &[&str]) -> Self {
        let mut command = bench.command(&[&["watch"], studies].concat());
        command.stdin(Stdio::null());
        let running = Running::start(command);
        until("the address is printed", || {
            running.stdout().ends_with("/\n")
        });
        let printed = running.stdout();
        let address = printed.trim().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, token) = address.split_once('/').unwrap();
        let (port, token) = (
            port.parse().unwrap(),
            token.trim_end_matches('/').to_owned(),
        );
        Self {
            running,
            port,
            token,
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends these bytes and reads the answer to its end.
    pub(crate) fn send(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect();
        // It may have been refused before all of it was sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let mut part = [0; 4096];
        loop {
            match stream.read(&mut part) {
                Ok(0) => break,
                Ok(read) => answer.extend(&part[..read]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        answer
    }

    /// Sends a request for a path with these headers, and returns the answer.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let headers = headers.iter();
        let headers = headers.map(|(name, value)| format!("{name}: {value}\r\n"));
        let headers = headers.collect::<Vec<_>>().concat();
        let answer = self.send(format!("{method} {path} HTTP/1.1\r\n{headers}\r\n").as_bytes());
        Answer::read(&answer)
    }

    /// Requests a file of the page as a browser does.
    pub(crate) fn get(&self, file: &str) -> Answer {
        let host = format!("127.0.0.1:{}", self.port);
        self.ask(
            "GET",
            &format!("/{}/{file}", self.token),
            &[("Host", &host)],
        )
    }

    /// Opens the stream of events.
    pub(crate) fn events(&self) -> Events {
        let mut stream = self.connect();
        let ask = format!(
            "GET /{}/events HTTP/1.1\r\nHost: localhost:1\r\n\r\n",
            self.token
        );
        stream.write_all(ask.as_bytes()).unwrap();
        Events {
            stream,
            rest: String::new(),
        }
    }

    /// Ends the program as Ctrl-C does.
    pub(crate) fn end(self) {
        self.running.signal(Signal::INT);
        let ran = self.running.wait();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
    }
}

impl Answer {
    fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Self {
            code: code.unwrap_or(0),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }
}

/// Connection that receives the page's stream of events.
pub(crate) struct Events {
    stream: TcpStream,
    rest: String,
}

impl Events {
    /// Returns the next event that contains `words`. `None` if it does not come within `limit`.
    pub(crate) fn next_with(&mut self, words: &str, limit: Duration) -> Option<String> {
        let deadline = Instant::now() + limit;
        let mut part = [0; 8192];
        loop {
            while let Some((event, rest)) = self.rest.split_once("\n\n") {
                let event = event.to_owned();
                self.rest = rest.to_owned();
                if event.contains(words) {
                    return Some(event);
                }
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            let left = left.max(Duration::from_millis(1));
            self.stream.set_read_timeout(Some(left)).unwrap();
            match self.stream.read(&mut part) {
                Ok(0) => return None,
                Ok(read) => self.rest += &String::from_utf8_lossy(&part[..read]),
                Err(_) => {}
            }
        }
    }

    pub(crate) fn close(self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}
