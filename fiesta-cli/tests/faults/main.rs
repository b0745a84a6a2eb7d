//! Tests that every call of the C library by which a controller or a supervisor changes something
//! may fail once: the study then ends or says why it does not, and the next session ends it.
//!
//! `faults.c` is loaded before the C library (`LD_PRELOAD`). What rustix asks of the kernel goes
//! past
//! it: signals by descriptors, `poll`, `renameat2`, files without a name.

#[path = "../support/mod.rs"]
mod support;

use rustix::{
    io::Errno,
    process::{Pid, Signal, kill_process},
};
use serde_json::Value;
use std::{
    fs, io,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use support::{Bench, Ran, Running, code, within};

/// Time within which a session with a fault must end.
const LIMIT: Duration = Duration::from_secs(20);
/// Variable of all processes of a study: its directory.
const MARKER: &str = "FIESTA_SWEPT";

/// Functions in the order of `faults.c`, with the errors that each can return.
const FUNCTIONS: [(&str, &[Errno]); 23] = [
    (
        "open",
        &[Errno::ACCESS, Errno::MFILE, Errno::IO, Errno::NOSPC],
    ),
    ("read", &[Errno::IO, Errno::INTR]),
    ("read (pipe)", &[Errno::INTR]),
    ("write", &[Errno::NOSPC, Errno::IO, Errno::INTR]),
    ("write (pipe)", &[Errno::INTR]),
    ("write (terminal)", &[Errno::NOSPC, Errno::IO, Errno::INTR]),
    ("pwrite", &[Errno::NOSPC, Errno::IO, Errno::INTR]),
    ("fsync", &[Errno::IO, Errno::NOSPC]),
    ("fdatasync", &[Errno::IO, Errno::NOSPC]),
    ("rename", &[Errno::NOSPC, Errno::ACCESS, Errno::IO]),
    ("link", &[Errno::NOSPC, Errno::ACCESS, Errno::IO]),
    ("unlink", &[Errno::ACCESS, Errno::IO]),
    ("mkdir", &[Errno::NOSPC, Errno::ACCESS, Errno::IO]),
    ("ftruncate", &[Errno::NOSPC, Errno::IO, Errno::INTR]),
    ("fcntl (duplicate)", &[Errno::MFILE]),
    ("fcntl (lock)", &[Errno::AGAIN, Errno::NOLCK, Errno::IO]),
    ("flock", &[Errno::INTR, Errno::NOLCK]),
    ("posix_spawn", &[Errno::AGAIN, Errno::NOMEM, Errno::ACCESS]),
    ("fork", &[Errno::AGAIN, Errno::NOMEM]),
    ("execvp", &[Errno::AGAIN, Errno::ACCESS]),
    ("pthread_create", &[Errno::AGAIN]),
    ("kill", &[Errno::PERM]),
    ("waitpid", &[Errno::INTR, Errno::CHILD]),
];
const ROLES: [&str; 2] = ["controller", "supervisor"];

/// Three arms with two evaluations each. The first takes so long that its end is synced.
const JOB: &str = r#"
case $1 in a) base=5 ;; b) base=6 ;; *) base=7 ;; esac
if [ -e slow ] && [ $1 = a ]; then sleep 1.05; fi
printf '{"accuracy": 0.%d%03d}\n' $base $(($3 % 1000))
"#;
const REST: &str = r#"
goal = { budget = { evaluations = 6 } }
design = { policy = "uniform", posterior = "pooled", parallel = 1, seed = 1 }
arm = [{ name = "a" }, { name = "b" }, { name = "c" }]
"#;

/// The arm that a study names, and the evaluations that count: arm, split, seed and score of each.
type Verdict = (Value, Vec<[Value; 4]>);

/// A call that fails, and how.
#[derive(Debug, Clone, Copy)]
struct Fault {
    role: usize,
    function: usize,
    call: u32,
    errno: Errno,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (role, (function, _)) = (ROLES[self.role], FUNCTIONS[self.function]);
        write!(
            f,
            "{function} no. {} of the {role}, {:?}",
            self.call, self.errno
        )
    }
}

/// Returns the path of the library. `None`, with a message, if it cannot be built.
fn library() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let own = place.join(format!("faults-{}.so", std::process::id()));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults/faults.c");
        let compiled = Command::new("cc")
            .args([
                "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o",
            ])
            .args([&own, &source])
            .output();
        let Ok(compiled) = compiled else {
            support::skipped("no call fails, as there is no C compiler `cc` here");
            return None;
        };
        assert!(compiled.status.success(), "{compiled:?}");
        Some(own)
    };
    BUILT.get_or_init(build).as_deref()
}

/// A study whose calls are counted, and may fail.
struct Swept {
    bench: Bench,
    library: &'static Path,
}

impl Swept {
    fn new(is_slow: bool) -> Option<Self> {
        let library = library()?;
        let bench = Bench::with_job(JOB, REST);
        if is_slow {
            bench.file("slow", "");
        }
        bench.file("counts", &"\0".repeat(4096));
        Some(Self { bench, library })
    }

    fn start(&self, fault: Option<Fault>) -> Running {
        let mut command = self.bench.command(&["run", "study.toml"]);
        command
            .env(MARKER, self.bench.path("."))
            .env("LD_PRELOAD", self.library)
            .env(
                "FAULTS_PROGRAM",
                fs::canonicalize(env!("CARGO_BIN_EXE_fiesta")).unwrap(),
            )
            .env("FAULTS_COUNTS", self.bench.path("counts"));
        if let Some(Fault {
            role,
            function,
            call,
            errno,
        }) = fault
        {
            let errno = errno.raw_os_error();
            command.env("FAULTS_FAIL", format!("{role} {function} {call} {errno}"));
        }
        Running::start(command)
    }

    /// Returns how often each function was called by each role, and how often one failed.
    fn counts(&self) -> Vec<u32> {
        let counts = fs::read(self.bench.path("counts")).unwrap();
        let counts = counts
            .chunks(4)
            .map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()));
        counts.take(ROLES.len() * FUNCTIONS.len() + 1).collect()
    }

    fn processes(&self) -> Vec<i32> {
        let marker = format!("{MARKER}={}", self.bench.path(".").display()).into_bytes();
        let pids = fs::read_dir("/proc").unwrap();
        let pids = pids.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        pids.filter(|pid: &i32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment
                .split(|&byte| byte == 0)
                .any(|variable| variable == marker)
        })
        .collect()
    }

    /// Returns the evaluations that count, and the arm that the study names.
    fn verdict(&self) -> Verdict {
        let (arm, mut rows) = self.bench.decisions();
        rows.sort_by_key(|row| format!("{row:?}"));
        (arm, rows)
    }
}

impl Drop for Swept {
    fn drop(&mut self) {
        for pid in self.processes() {
            let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
        }
    }
}

/// Whether a session that ended early names what went wrong: the error, or what SQLite or a shell
/// makes
/// of it.
fn names(ran: &Ran, errno: Errno) -> bool {
    let error = io::Error::from(errno).to_string();
    let words = error.split(" (os").next().unwrap_or_default();
    let in_other_words = [
        "is not executable",
        "disk I/O error",
        "its disk failed to read it",
        "disk is full",
        "unable to open database file",
        "readonly database",
        "database is locked",
        "locking protocol",
    ];
    let told = format!("{}{}", ran.stdout, ran.stderr);
    told.contains(words) || in_other_words.iter().any(|words| told.contains(words))
}

/// Lets a call fail, goes on without the fault, and compares with what an undisturbed study comes
/// to.
fn survives(fault: Fault, whole: &Verdict) -> Result<(), String> {
    let swept = Swept::new(is_slow(fault.function)).ok_or("no library")?;
    let ran = swept.start(Some(fault)).wait_for(LIMIT);
    let failed = swept.counts()[ROLES.len() * FUNCTIONS.len()];
    let told = format!("{ran:#?}");
    // Of what is asked by time, such as whether a run still goes on, there may be fewer calls.
    if failed == 0 && ran.code == Some(code::DONE) {
        return Ok(());
    }
    let prints = FUNCTIONS[fault.function].0 == "write (terminal)";
    let is_code = matches!(
        ran.code,
        Some(code::DONE | code::USAGE | code::INTERRUPTED | code::ARM_FAILED | code::LOCKED)
    );
    if !is_code || told.contains("panicked") {
        return Err(format!("ended badly: {told}"));
    }
    if ran.code != Some(code::DONE) && !prints && !names(&ran, fault.errno) {
        return Err(format!("does not name the fault: {told}"));
    }
    let resumed = swept.start(None).wait_for(LIMIT);
    if resumed.code != Some(code::DONE) {
        return Err(format!("is not resumed: {resumed:#?}\nafter {told}"));
    }
    if swept.verdict() != *whole {
        return Err(format!("another verdict: {resumed:#?}\nafter {told}"));
    }
    if !within(Duration::from_secs(5), || swept.processes().is_empty()) {
        return Err(format!("processes are left after {told}"));
    }
    Ok(())
}

/// Whether a function is called only for runs that take a second.
fn is_slow(function: usize) -> bool {
    matches!(FUNCTIONS[function].0, "fsync" | "fdatasync")
}

/// Returns the verdict of undisturbed studies, and every fault that one of them can have.
fn faults() -> Option<(Verdict, Vec<Fault>)> {
    let mut faults = Vec::new();
    let mut verdicts = Vec::new();
    for slow in [false, true] {
        let swept = Swept::new(slow)?;
        swept.start(None).wait().says(code::DONE, &[]);
        let counts = swept.counts();
        for role in 0..ROLES.len() {
            for (function, (name, errors)) in FUNCTIONS.iter().enumerate() {
                let calls = counts[role * FUNCTIONS.len() + function];
                if is_slow(function) != slow || calls == 0 {
                    continue;
                }
                eprintln!(
                    "{}: {calls} calls of {name}, {} errors",
                    ROLES[role],
                    errors.len()
                );
                let each =
                    (1..=calls).flat_map(|call| errors.iter().map(move |&errno| (call, errno)));
                faults.extend(each.map(|(call, errno)| Fault {
                    role,
                    function,
                    call,
                    errno,
                }));
            }
        }
        verdicts.push(swept.verdict());
    }
    assert_eq!(verdicts[0], verdicts[1]);
    assert_eq!(verdicts[0].1.len(), 6, "{verdicts:?}");
    Some((verdicts.remove(0), faults))
}

/// Makes every `step`-th of the faults, two at a time.
fn sweep(step: impl Fn(usize) -> usize) {
    let Some((whole, faults)) = faults() else {
        return;
    };
    let (step, began) = (step(faults.len()).max(1), Instant::now());
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let place = next.fetch_add(step, Ordering::Relaxed);
            let Some(&fault) = faults.get(place) else {
                return;
            };
            let survived = panic::catch_unwind(AssertUnwindSafe(|| survives(fault, &whole)));
            let survived = survived.unwrap_or_else(|_| Err("hangs, or cannot be read".to_owned()));
            if let Err(how) = survived {
                eprintln!("{fault}: {how}");
                wrong.lock().unwrap().push(fault.to_string());
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let made = faults.len().div_ceil(step);
    let seconds = began.elapsed().as_secs();
    eprintln!("{made} of {} faults in {seconds} s", faults.len());
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {made}: {wrong:#?}", wrong.len());
}

#[test]
fn sixty_calls_that_fail_lose_nothing() {
    sweep(|faults| faults / 60);
}

#[test]
#[ignore = "heavy: every call fails once, with each error"]
fn every_call_that_fails_loses_nothing() {
    let step = std::env::var("FIESTA_FAULTS_STEP").ok();
    let step = step.and_then(|step| step.parse().ok()).unwrap_or(1);
    sweep(|_| step);
}
