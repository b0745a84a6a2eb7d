//! Calls of the system's `ssh`: one message to a host, and its answer.

use super::{
    failure::{Failure, sentence, ungreeted},
    host::Host,
    message::{Hello, Reply, Request, line, parse},
    remote,
};
use crate::{
    executor::engine::{quoted, quoted_path},
    private,
};
use rustix::process::{Pid, Signal, getuid, kill_process_group};
use serde::de::DeserializeOwned;
use std::{
    env,
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Write},
    os::unix::{fs::MetadataExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

/// How long a host may take to greet: connecting takes at most 10 s, the prologue the rest.
const GREETING: Duration = Duration::from_mins(1);
/// How long it may take to answer.
const ANSWER: Duration = Duration::from_mins(1);
/// How long `ssh` may take to end, once everything is said.
const GOODBYE: Duration = Duration::from_secs(2);
/// The longest path that a connection's socket may have: the kernel takes 107 bytes, and ssh adds
/// some of its own while it makes the socket.
const LONGEST: usize = 85;

/// What is the same in all calls of a study.
#[derive(Debug)]
pub(super) struct Way {
    /// Further options of `ssh`.
    pub(super) options: Vec<String>,
    /// Lines of shell before the program.
    pub(super) prologue: Vec<String>,
    /// The program on the hosts.
    pub(super) program: PathBuf,
    /// The study's directory, which all hosts must see.
    pub(super) place: PathBuf,
    /// Where connections that are used again have their sockets; none if there is no place for
    /// them.
    pub(super) sockets: Option<Sockets>,
}

impl Way {
    /// The arguments of `ssh` before what is done on the host. The user's own come first: of an
    /// option that is given twice, ssh takes the first.
    pub(super) fn arguments(&self, host: &Host) -> Vec<String> {
        let mut arguments = self.options.clone();
        let mut option = |text: String| arguments.extend(["-o".to_owned(), text]);
        // Nobody is there to type a password.
        option("BatchMode=yes".to_owned());
        option("ConnectTimeout=10".to_owned());
        option("ServerAliveInterval=5".to_owned());
        option("ServerAliveCountMax=3".to_owned());
        if let Some(sockets) = &self.sockets {
            option("ControlMaster=auto".to_owned());
            option("ControlPersist=20".to_owned());
            option(format!("ControlPath={}/%C", sockets.path.display()));
        }
        arguments.push("-T".to_owned());
        if let Some(port) = host.port {
            arguments.extend(["-p".to_owned(), port.to_string()]);
        }
        arguments
    }

    /// The call that starts runs on a host, without its connection's socket, as a shell reads it.
    pub(super) fn preview(&self, host: &Host) -> String {
        let slots = match host.slots {
            1 => "1 slot".to_owned(),
            slots => format!("{slots} slots"),
        };
        let gpus = match host.gpus.as_slice() {
            [] => String::new(),
            gpus => format!(", GPUs {}", gpus.join(", ")),
        };
        let mut words = self.arguments(host);
        words.extend(["--", &host.destination, "/bin/sh", "-s"].map(ToOwned::to_owned));
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let script = self.script(true);
        format!(
            "# {}: {slots}{gpus}\nssh {} <<'EOF'\n{script}EOF",
            host.name,
            words.join(" ")
        )
    }

    /// What the host's shell reads, before the program takes over its standard input.
    fn script(&self, has_orders: bool) -> String {
        let (program, place) = (quoted_path(&self.program), quoted_path(&self.place));
        let argument = remote::ARGUMENT;
        let mut script = String::new();
        if has_orders && !self.prologue.is_empty() {
            script += "{\n";
            for line in &self.prologue {
                script += line;
                script += "\n";
            }
            // What it reads and prints is none of the conversation.
            script += "} </dev/null >&2\n";
        }
        format!("{script}exec {program} {argument} {place}\n")
    }

    /// Passes a message on to a host; what it answers.
    pub(super) fn exchange(
        &self,
        host: &Host,
        request: &Request,
    ) -> Result<(Hello, Reply), Failure> {
        let mut command = Command::new("ssh");
        command
            .args(self.arguments(host))
            .args(["--", &host.destination])
            // Whatever shell the user has there.
            .args(["/bin/sh", "-s"])
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A Ctrl-C at the terminal is the study's.
            .process_group(0);
        let mut child = command.spawn().map_err(|error| {
            Failure::Unfit(format!(
                "cannot start ssh: {error}: install OpenSSH's client"
            ))
        })?;
        let lines = lines_of(child.stdout.take());
        let complaints = text_of(child.stderr.take());
        let Some(mut stdin) = child.stdin.take() else {
            return Err(Failure::OutOfReach("ssh has no input".to_owned()));
        };
        // One that does not read it says why.
        let _ = stdin.write_all(self.script(!request.start.is_empty()).as_bytes());
        let heard = converse(request, stdin, &lines);
        let code = ended_within(
            &mut child,
            if heard.is_err() { GOODBYE } else { GOODBYE / 4 },
        );
        let said = || complaints.said();
        heard.map_err(|silence| match silence {
            Silence::NoGreeting => ungreeted(host, &self.program, code, &said()),
            Silence::NoAnswer => {
                let words = sentence(&said());
                Failure::Unclear(if words.is_empty() {
                    "the connection was lost".to_owned()
                } else {
                    words
                })
            }
            Silence::Late(seconds) => {
                Failure::OutOfReach(format!("nobody greeted within {seconds} s {}", sentence(&said())))
            }
            Silence::Unseen(hello) => Failure::Unfit(format!(
                "the study's directory {} is not seen on {hello}: it must be shared by all hosts, under the same path",
                self.place.display()
            )),
        })
    }

    /// Ends the connection to a host that is kept open.
    pub(super) fn hang_up(&self, host: &Host) {
        if self.sockets.is_none() {
            return;
        }
        let ended = Command::new("ssh")
            .args(self.arguments(host))
            .args(["-O", "exit", "--", &host.destination])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn();
        if let Ok(mut child) = ended {
            let _ = ended_within(&mut child, GOODBYE);
        }
    }
}

/// Waits for the greeting, passes the message on, and waits for the answer.
fn converse(
    request: &Request,
    mut stdin: ChildStdin,
    lines: &Receiver<String>,
) -> Result<(Hello, Reply), Silence> {
    let hello: Hello = message_of(lines, GREETING).map_err(|late| match late {
        RecvTimeoutError::Timeout => Silence::Late(GREETING.as_secs()),
        RecvTimeoutError::Disconnected => Silence::NoGreeting,
    })?;
    if !hello.sees {
        return Err(Silence::Unseen(hello.host));
    }
    let text = line(request);
    // A connection that is stuck takes no more than its buffers hold.
    thread::spawn(move || stdin.write_all(text.as_bytes()));
    let reply = message_of(lines, ANSWER).map_err(|_| Silence::NoAnswer)?;
    Ok((hello, reply))
}

/// Why a message has no answer.
enum Silence {
    /// ssh ended before anybody was there.
    NoGreeting,
    /// Nobody was there in time.
    Late(u64),
    /// The host of this name does not see the study.
    Unseen(String),
    /// The message was passed on, and the connection is gone.
    NoAnswer,
}

/// The next message among these lines.
fn message_of<T: DeserializeOwned>(
    lines: &Receiver<String>,
    limit: Duration,
) -> Result<T, RecvTimeoutError> {
    let deadline = Instant::now() + limit;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if let Some(message) = parse(&lines.recv_timeout(left)?) {
            return Ok(message);
        }
    }
}

fn lines_of(from: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (told, lines) = channel();
    thread::spawn(move || {
        let Some(from) = from else { return };
        let mut from = BufReader::new(from);
        let mut bytes = Vec::new();
        while matches!(from.read_until(b'\n', &mut bytes), Ok(1..)) {
            if told
                .send(String::from_utf8_lossy(&bytes).into_owned())
                .is_err()
            {
                return;
            }
            bytes.clear();
        }
    });
    lines
}

/// What a command prints, as far as it came.
struct Text {
    read: Arc<Mutex<String>>,
    /// Closed when all of it was read.
    end: Receiver<()>,
}

impl Text {
    /// All of it, unless somebody keeps the other end open, as a connection may that is used again.
    fn said(&self) -> String {
        let _ = self.end.recv_timeout(GOODBYE / 4);
        let read = self.read.lock();
        read.map(|read| read.clone()).unwrap_or_default()
    }
}

fn text_of(from: Option<impl Read + Send + 'static>) -> Text {
    /// Of more than this, the rest is left out.
    const MOST: usize = 1 << 16;
    let read = Arc::new(Mutex::new(String::new()));
    let (closes, end) = channel();
    let written = Arc::clone(&read);
    thread::spawn(move || {
        let _closes: Sender<()> = closes;
        let Some(mut from) = from else { return };
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            if let Ok(mut text) = written.lock()
                && text.len() < MOST
            {
                text.push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        }
    });
    Text { read, end }
}

/// The exit code of a command that ends in time; else it is killed, with what it started.
fn ended_within(child: &mut Child, limit: Duration) -> Option<i32> {
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(2);
    loop {
        match child.try_wait() {
            Ok(None) => {}
            Ok(Some(status)) => return status.code(),
            Err(_) => return None,
        }
        if Instant::now() >= deadline {
            if let Some(group) = Pid::from_raw(child.id().cast_signed()) {
                // It may just have ended.
                let _ = kill_process_group(group, Signal::KILL);
            }
            let _ = child.wait();
            return None;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// A directory of this engine's own for the sockets of its connections.
#[derive(Debug)]
pub(super) struct Sockets {
    pub(super) path: PathBuf,
    /// Locked as long as whoever made the directory is there.
    _lock: Option<File>,
}

const LOCK: &str = "lock";

/// A place for sockets; none if there is none whose path is short enough, and that nobody else
/// writes to.
pub(super) fn sockets() -> Option<Sockets> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let user = getuid().as_raw();
    let own = env::var_os("XDG_RUNTIME_DIR").map(|place| PathBuf::from(place).join("fiesta"));
    let places = own
        .into_iter()
        .chain([PathBuf::from(format!("/tmp/fiesta-{user}"))]);
    for place in places {
        let path = place.join(format!("{}-{number}", std::process::id()));
        if path.as_os_str().len() + 41 > LONGEST || made(&place, user).is_err() {
            continue;
        }
        clear(&place);
        if private::create_dir(&path).is_ok() {
            let lock = private::create_new(&path.join(LOCK)).ok();
            let lock = lock.filter(|lock| lock.try_lock().is_ok());
            return Some(Sockets { path, _lock: lock });
        }
    }
    None
}

/// Ends the connections that a killed controller left open.
fn clear(place: &Path) {
    for directory in fs::read_dir(place).into_iter().flatten().flatten() {
        let lock = File::open(directory.path().join(LOCK));
        if !lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
            continue;
        }
        for socket in fs::read_dir(directory.path())
            .into_iter()
            .flatten()
            .flatten()
        {
            if socket.file_name() != LOCK {
                let ended = Command::new("ssh")
                    .args(["-F", "none", "-O", "exit", "-S"])
                    .arg(socket.path())
                    .arg("nobody")
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .process_group(0)
                    .spawn();
                if let Ok(mut child) = ended {
                    let _ = ended_within(&mut child, GOODBYE);
                }
            }
        }
        let _ = fs::remove_dir_all(directory.path());
    }
}

/// The permissions of everybody but the owner.
const OTHERS: u32 = 0o077;

fn made(place: &Path, user: u32) -> io::Result<()> {
    private::ensure_dir(place)?;
    let status = fs::symlink_metadata(place)?;
    if status.is_dir() && status.uid() == user && status.mode() & OTHERS == 0 {
        Ok(())
    } else {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way() -> Way {
        Way {
            options: vec!["-F".to_owned(), "/my/config".to_owned()],
            prologue: vec!["module load cuda".to_owned()],
            program: "/it's/fiesta".into(),
            place: "/shared study".into(),
            sockets: Some(Sockets {
                path: "/run/user/7/fiesta/1-0".into(),
                _lock: None,
            }),
        }
    }

    #[test]
    fn the_user_s_options_come_first() {
        let arguments = way().arguments(&Host::named("bob:2222").unwrap());
        assert_eq!(arguments[..2], ["-F", "/my/config"]);
        for expected in [
            "BatchMode=yes",
            "ControlPath=/run/user/7/fiesta/1-0/%C",
            "2222",
        ] {
            assert!(arguments.iter().any(|a| a == expected), "{expected}");
        }
        let plain = Way {
            sockets: None,
            ..way()
        }
        .arguments(&Host::named("bob").unwrap());
        assert!(
            plain.iter().all(|a| !a.starts_with("Control") && a != "-p"),
            "{plain:?}"
        );
    }

    #[test]
    fn the_prologue_is_read_where_something_is_started() {
        let exec = r"exec '/it'\''s/fiesta' __fiesta-remote '/shared study'";
        assert_eq!(way().script(false), format!("{exec}\n"));
        let with = way().script(true);
        assert_eq!(
            with,
            format!("{{\nmodule load cuda\n}} </dev/null >&2\n{exec}\n")
        );
    }
}
