//! Tests of processes that no signal removes, as they write to a file system that is frozen.

use super::support::{Bench, code, until, within};
use rustix::process::Signal;
use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// A small file system that does not let writers go on; thawed and removed with the test.
struct Frozen {
    place: PathBuf,
}

fn works(command: &str, arguments: &[&str]) -> bool {
    let output = Command::new(command).args(arguments).output();
    output.is_ok_and(|output| output.status.success())
}

impl Frozen {
    /// Makes a process that cannot be killed. `None`, with a message, if that is not permitted.
    fn new(bench: &Bench) -> Option<Self> {
        let (image, place) = (bench.path("image"), bench.path("frozen"));
        std::fs::create_dir(&place).unwrap();
        std::fs::File::create(&image)
            .unwrap()
            .set_len(16 << 20)
            .unwrap();
        let [image, there] = [&image, &place].map(|path| path.to_str().unwrap());
        let made = works("mkfs.ext4", &["-q", image])
            && works("mount", &["-o", "loop", image, there])
            && works("fsfreeze", &["--freeze", there]);
        if !made {
            let _ = works("umount", &[there]);
            crate::support::skipped_on_this_machine(
                "no process was made unkillable, as file systems cannot be made, mounted or frozen here",
            );
            return None;
        }
        Some(Self { place })
    }

    fn there(&self) -> &str {
        Path::to_str(&self.place).unwrap()
    }

    fn thaw(&self) {
        assert!(works("fsfreeze", &["--unfreeze", self.there()]));
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        let _ = works("fsfreeze", &["--unfreeze", self.there()]);
        let gone = || works("umount", &[self.there()]);
        within(Duration::from_secs(10), gone);
    }
}

const JOB: &str = "
echo start $$ gpu:$CUDA_VISIBLE_DEVICES >> log
if mkdir first 2>/dev/null; then
  (echo $$ > frozen/file) &
  until grep -q ') D' /proc/$!/stat; do sleep 0.02; done
else
  until [ -e go ]; do sleep 0.02; done
fi
echo '{\"accuracy\": 0.5}'
";

fn study(gpus: &str) -> String {
    format!(
        "[goal]\nbudget = {{ evaluations = 8 }}\n[design]\nparallel = 2\npolicy = \"uniform\"\n[resources]\ngpus_per_job = 1\n[executor]\nwatch_gpus = false\ngpus = {gpus}\n[[arm]]\nname = \"low\"\n[[arm]]\nname = \"high\"\n"
    )
}

/// Tests, without a driver, that a remaining process of a job is taken to hold its GPU.
#[test]
#[ignore = "waits until the supervisor gives up killing: scripts/test heavy"]
fn the_gpu_of_a_process_that_cannot_be_killed_is_put_aside_while_the_process_lives() {
    let bench = Bench::with_job(JOB, &study("[7, 8]"));
    let Some(frozen) = Frozen::new(&bench) else {
        return;
    };
    let running = bench.start(&["run", "study.toml"]);
    until("the GPU is put aside", || {
        running.stderr().contains("is put aside: processes [")
    });
    let said = running.stderr();
    let gpu = if said.contains("GPU 7 is put aside") {
        "gpu:7"
    } else {
        "gpu:8"
    };
    let began = || {
        bench
            .log("log")
            .iter()
            .filter(|line| line[2] == gpu)
            .count()
    };
    let before = began();
    let (_, status) = bench.json(&["status", "study.toml"]);
    let slots = status["slots"].as_array().unwrap();
    assert!(
        slots.iter().any(|slot| slot["state"] == "quarantined"),
        "{status}"
    );
    assert_eq!(began(), before);
    frozen.thaw();
    until("the GPU is free again", || {
        running.stderr().contains("is free again")
    });
    bench.file("go", "");
    running.wait().says(code::DONE, &["could not be killed"]);
    assert!(began() > before);
}

#[test]
#[ignore = "waits until the supervisor gives up killing: scripts/test heavy"]
fn where_it_was_the_only_gpu_the_study_ends_and_can_be_resumed() {
    let bench = Bench::with_job(JOB, &study("[7]"));
    let Some(frozen) = Frozen::new(&bench) else {
        return;
    };
    let ran = bench.fiesta(&["run", "study.toml"]);
    ran.says(
        code::USAGE,
        &[
            "GPU 7 is put aside: processes [",
            "too few GPUs are left that nothing else holds",
        ],
    );
    assert_eq!(bench.log("log").len(), 1);
    frozen.thaw();
    bench.file("go", "");
    bench.fiesta(&["run", "study.toml"]).says(code::DONE, &[]);
    assert_eq!(bench.log("log").len(), 8);
}

/// Tests that a process which could not be killed is not mistaken for a later process with the same
/// id.
#[test]
fn who_has_the_number_of_what_could_not_be_killed_keeps_no_gpu() {
    let used_again = "{\"pid\": 1, \"start_time\": 18446744073709551615, \"boot_id\": \"BOOT\"}";
    // As earlier versions wrote it, and as this one does.
    for survivors in ["1", used_again] {
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        let survivors = survivors.replace("BOOT", boot.trim());
        let bench = Bench::with_job(
            "echo > started; until [ -e go ]; do sleep 0.02; done; echo '{\"accuracy\": 0.5}'",
            &study("[0]"),
        );
        let running = bench.start(&["run", "study.toml"]);
        until("a job runs", || bench.path("started").exists());
        running.signal(Signal::KILL);
        running.wait();
        std::fs::write(bench.path("go"), "").unwrap();
        let end = "study.fiesta/runs/trial-0-a0/end.json";
        until("it ends", || bench.path(end).exists());
        bench.edit(
            end,
            "\"seconds\"",
            &format!("\"survivors\":[{survivors}],\"seconds\""),
        );
        let ran = bench.fiesta(&["run", "study.toml"]);
        ran.says(code::DONE, &["resuming"]);
        assert!(!ran.stderr.contains("put aside"), "{ran:#?}");
    }
}
