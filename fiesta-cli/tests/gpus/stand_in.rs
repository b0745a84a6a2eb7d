//! Simulated GPUs, for tests on machines that have none.

use super::support::{Bench, Ran, Running};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
};

/// Job that takes 1000 MiB of each of its GPUs, works, frees the memory and scores; the work is
/// inserted.
const JOB: &str = r#"
on() { echo "$CUDA_VISIBLE_DEVICES" | tr , '\n'; }
log() { echo $1 $$ "$ARM" "gpu:$CUDA_VISIBLE_DEVICES" "order:$CUDA_DEVICE_ORDER" "$FIESTA_RUN" >> log; }
take() { for gpu in $(on); do echo 1000 > "$NVML_STAND_IN/$gpu/$$"; done; }
free() { for gpu in $(on); do rm -f "$NVML_STAND_IN/$gpu/$$"; done; }
ARM=$1
log start
take
"#;
const SCORE: &str = r#"
free
log end
printf '{"accuracy": 0.%03d}\n' $(($3 % 1000))
"#;

/// A study on a machine with GPUs.
pub(crate) struct Machine {
    pub(crate) bench: Bench,
    library: PathBuf,
}

/// Returns the directory of the simulated driver library. `None` if it cannot be built.
fn library() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stand-in");
        fs::create_dir_all(&place).unwrap();
        let own = place.join(format!("{}.so", std::process::id()));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gpus/nvml.c");
        let compiled = Command::new("cc")
            .args([
                "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o",
            ])
            .args([&own, &source])
            .output()
            .ok()?;
        assert!(compiled.status.success(), "{compiled:?}");
        fs::rename(own, place.join("libnvidia-ml.so.1")).unwrap();
        Some(place)
    };
    BUILT.get_or_init(build).as_deref()
}

impl Machine {
    /// Makes a study of the arms `low` and `high`, with simulated GPUs of 10,000 MiB. `None`, with
    /// a message, if there is no compiler for the library.
    pub(crate) fn new(gpus: &[&str], work: &str, rest: &str) -> Option<Self> {
        let arms = "[[arm]]\nname = \"low\"\n[[arm]]\nname = \"high\"\n";
        Self::with_arms(gpus, work, rest, arms)
    }

    pub(crate) fn with_arms(gpus: &[&str], work: &str, rest: &str, arms: &str) -> Option<Self> {
        let Some(library) = library() else {
            crate::support::skipped("no GPU was stood in for, as there is no C compiler `cc` here");
            return None;
        };
        let bench = Bench::with_job(&format!("{JOB}{work}{SCORE}"), &format!("{rest}\n{arms}"));
        let machine = Self {
            bench,
            library: library.to_owned(),
        };
        let lines = gpus.iter().map(|uuid| format!("{uuid}|Stand-in|10000\n"));
        fs::create_dir(machine.bench.path("nvml")).unwrap();
        machine.write("gpus", &lines.collect::<String>());
        for uuid in gpus {
            fs::create_dir(machine.bench.path("nvml").join(uuid)).unwrap();
        }
        Some(machine)
    }

    /// Writes a file that controls the simulated driver.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.bench.path("nvml").join(name), text).unwrap();
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.bench.path("nvml").join(name)).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.bench.command(arguments);
        command
            .env("LD_LIBRARY_PATH", &self.library)
            .env("NVML_STAND_IN", self.bench.path("nvml"))
            .env_remove("CUDA_DEVICE_ORDER");
        command
    }

    pub(crate) fn start(&self) -> Running {
        Running::start(self.command(&["run", "study.toml"]))
    }

    pub(crate) fn run(&self) -> Ran {
        self.start().wait()
    }

    /// Returns the slots that `status` prints.
    pub(crate) fn slots(&self) -> Vec<Value> {
        let ran = self
            .bench
            .fiesta(&["status", "study.toml", "--format", "json"]);
        match serde_json::from_str::<Value>(&ran.stdout) {
            Ok(status) => status["slots"].as_array().unwrap().clone(),
            // There is no ledger yet.
            Err(_) => Vec::new(),
        }
    }

    /// Returns the state of a GPU that `status` prints.
    pub(crate) fn state(&self, gpu: &str) -> String {
        let slots = self.slots();
        let slot = slots.iter().find(|slot| slot["gpu"] == gpu);
        slot.map_or_else(String::new, |slot| {
            slot["state"].as_str().unwrap().to_owned()
        })
    }

    pub(crate) fn log(&self) -> Vec<Vec<String>> {
        self.bench.log("log")
    }

    /// Returns the number of jobs that began on a GPU.
    pub(crate) fn began(&self, gpu: &str) -> usize {
        let on = format!("gpu:{gpu}");
        let log = self.log();
        log.iter()
            .filter(|line| line.len() > 3 && line[0] == "start" && line[3] == on)
            .count()
    }
}

/// A process that belongs to no job.
pub(crate) struct Stranger(Child);

impl Stranger {
    pub(crate) fn new() -> Self {
        let child = Command::new("sleep")
            .arg("600")
            .stdin(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the largest use of a GPU at a time, in jobs that each have `share` of their GPUs.
pub(crate) fn most_at_once(log: &[Vec<String>], share: impl Fn(&str) -> f64) -> f64 {
    let mut most = 0.0_f64;
    let mut running: Vec<&[String]> = Vec::new();
    for line in log {
        let (what, job) = line.split_first().unwrap();
        if what == "start" {
            running.push(job);
        } else {
            running.retain(|other| other[0] != job[0]);
        }
        let gpus: Vec<&str> = running
            .iter()
            .flat_map(|job| job[2]["gpu:".len()..].split(','))
            .collect();
        for gpu in gpus {
            let on_it = running
                .iter()
                .filter(|job| job[2]["gpu:".len()..].split(',').any(|other| other == gpu));
            most = most.max(on_it.map(|job| share(&job[1])).sum());
        }
    }
    assert!(running.is_empty(), "{log:?}");
    most
}
