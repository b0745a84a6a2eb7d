//! A head of Ray with four CPUs and two simulated GPUs, in a network namespace of its own: Ray
//! listens on every interface, whatever address it is given.

use crate::support::{skipped, within};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    fs::{self, File},
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// The virtual environment with Ray that `scripts/test ray` makes.
fn environment() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/ray-tests/venv")
}

/// A head of Ray that runs, with its ports and its token.
pub(crate) struct Head {
    directory: TempDir,
    port: u16,
    dashboard: u16,
    token: Option<String>,
}

/// The Ray head shared by tests that do not damage it, one test at a time.
static SHARED: Mutex<Option<Head>> = Mutex::new(None);

/// Returns the shared head. `None`, with a message, if Ray cannot run on this machine.
pub(crate) fn shared() -> Option<MutexGuard<'static, Option<Head>>> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if shared.is_none() {
        *shared = Some(Head::start()?);
    }
    Some(shared)
}

/// Ends the shared head, so that another one can start.
pub(crate) fn alone() {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    *shared = None;
}

impl Head {
    pub(crate) fn start() -> Option<Self> {
        Self::with_token(None)
    }

    /// Starts a head that accepts only requests with this token.
    pub(crate) fn with_token(token: Option<&str>) -> Option<Self> {
        if !environment().join("bin/ray").exists() {
            skipped("Ray is missing: scripts/test ray installs it");
            return None;
        }
        let interfaces = fs::read_to_string("/proc/net/dev").unwrap();
        if interfaces.matches(':').count() != 1 {
            skipped("this is no network namespace of its own: scripts/test ray makes one");
            return None;
        }
        let head = Self {
            // Sockets are in it, whose names must be short.
            directory: tempfile::Builder::new()
                .prefix("r-")
                .tempdir_in("/tmp")
                .unwrap(),
            port: free_port(),
            dashboard: free_port(),
            token: token.map(ToOwned::to_owned),
        };
        head.begin();
        Some(head)
    }

    fn ray(&self) -> Command {
        let mut command = Command::new(environment().join("bin/ray"));
        command
            .env("RAY_USAGE_STATS_ENABLED", "0")
            .env("RAY_DISABLE_IMPORT_WARNING", "1")
            .env("RAY_gcs_server_request_timeout_seconds", "20")
            .env("RAY_health_check_period_ms", "500")
            .env("RAY_health_check_timeout_ms", "1000")
            .env("RAY_health_check_failure_threshold", "3")
            .stdin(Stdio::null())
            .stdout(self.log())
            .stderr(self.log());
        match &self.token {
            Some(token) => command
                .env("RAY_AUTH_MODE", "token")
                .env("RAY_AUTH_TOKEN", token),
            None => command.env("RAY_AUTH_MODE", "disabled"),
        };
        command
    }

    fn log(&self) -> File {
        let path = self.directory.path().join("ray.log");
        File::options()
            .create(true)
            .append(true)
            .open(path)
            .unwrap()
    }

    /// Starts the head, also after it was killed: it has then forgotten its jobs.
    pub(crate) fn begin(&self) {
        let status = self
            .ray()
            .args(["start", "--head", "--node-ip-address=127.0.0.1"])
            .args(["--num-cpus=4", "--num-gpus=2", "--dashboard-host=127.0.0.1"])
            .args(["--object-store-memory=80000000", "--disable-usage-stats"])
            .arg(format!("--port={}", self.port))
            .arg(format!("--dashboard-port={}", self.dashboard))
            .arg(format!("--temp-dir={}", self.directory.path().display()))
            .status()
            .unwrap();
        let log = || fs::read_to_string(self.directory.path().join("ray.log")).unwrap();
        assert!(status.success(), "{}", log());
        let answers = || {
            self.call("GET", "/api/jobs/")
                .is_some_and(|(status, _)| status == 200)
        };
        assert!(within(Duration::from_mins(1), answers), "{}", log());
    }

    /// Starts a second node, with a resource `beside`.
    pub(crate) fn add_node(&self) {
        let status = self
            .ray()
            .args(["start", "--num-cpus=2", "--resources={\"beside\": 4}"])
            .arg(format!("--address=127.0.0.1:{}", self.port))
            .args(["--object-store-memory=80000000", "--disable-usage-stats"])
            .status()
            .unwrap();
        assert!(status.success());
    }

    /// Kills the daemon of the node beside the head, and the processes of Ray that run there.
    #[expect(
        clippy::unused_self,
        reason = "all of Ray's in the namespace are this head's"
    )]
    pub(crate) fn kill_node(&self) {
        let nodes = pids().filter(|pid| {
            let command = command_of(*pid);
            command.contains("raylet/raylet ") && !command.contains("--head")
        });
        for pid in nodes.collect::<Vec<_>>() {
            let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
        }
    }

    /// Kills all of Ray's processes: not the jobs that they started.
    #[expect(
        clippy::unused_self,
        reason = "all of Ray's in the namespace are this head's"
    )]
    pub(crate) fn kill(&self) {
        let path = environment().canonicalize().unwrap();
        let path = path.to_string_lossy();
        let is_ray_s = |pid: &i32| {
            let command = command_of(*pid);
            command.starts_with("ray::") || command.contains(&*path)
        };
        // Those that are just being started as well.
        for _ in 0..3 {
            for pid in pids().filter(is_ray_s).collect::<Vec<_>>() {
                let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.dashboard)
    }

    pub(crate) fn dashboard(&self) -> u16 {
        self.dashboard
    }

    /// Calls the API of the head. `None` without an answer.
    pub(crate) fn call(&self, method: &str, path: &str) -> Option<(u16, String)> {
        let token = self.token.as_ref();
        let token = token.map_or_else(String::new, |t| format!("authorization: Bearer {t}\r\n"));
        let request = format!(
            "{method} {path} HTTP/1.0\r\nhost: 127.0.0.1\r\n{token}content-length: 0\r\n\r\n"
        );
        let answer = exchange(self.dashboard, request.as_bytes())?;
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split_whitespace().nth(1)?.parse().ok()?;
        Some((status, body.to_owned()))
    }

    /// Returns the ids of jobs in these states.
    pub(crate) fn jobs(&self, states: &[&str]) -> Vec<String> {
        let (_, text) = self.call("GET", "/api/jobs/").unwrap();
        let jobs: Vec<Value> = serde_json::from_str(&text).unwrap();
        let are = jobs
            .iter()
            .filter(|job| states.contains(&job["status"].as_str().unwrap()));
        are.filter_map(|job| Some(job["submission_id"].as_str()?.to_owned()))
            .collect()
    }

    /// Stops a job, as `ray job stop` does.
    pub(crate) fn stop(&self, job: &str) {
        self.call("POST", &format!("/api/jobs/{job}/stop")).unwrap();
    }
}

impl Drop for Head {
    fn drop(&mut self) {
        if thread::panicking() {
            let log = fs::read_to_string(self.directory.path().join("ray.log"));
            eprintln!("{}", log.unwrap_or_default());
        }
        self.kill();
    }
}

/// Kills the supervisors and the commands of jobs, which then publish nothing.
pub(crate) fn kill_jobs() {
    let is_job_s = |pid: &i32| {
        let command = command_of(*pid);
        command.contains("__fiesta-supervisor") || command.starts_with("sh job.sh")
    };
    for pid in pids().filter(is_job_s).collect::<Vec<_>>() {
        let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
    }
}

/// Sends a request and reads the answer to its end.
pub(crate) fn exchange(port: u16, request: &[u8]) -> Option<Vec<u8>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .ok()?;
    stream.write_all(request).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    Some(answer)
}

pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

pub(crate) fn pids() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

pub(crate) fn command_of(pid: i32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}
